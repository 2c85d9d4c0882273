/* Models by formula: what the files that make them share. Each maker gets its parameters in the order of its table row
 * and fills mesh_parts. */
#ifndef MESH_MODEL_H
#define MESH_MODEL_H

#include "mesh/mesh.h"
#include "ruga/model.h"

typedef ruga_status model_maker(ruga_context *context, const double *values, mesh_parts *parts);

model_maker model_sheet, model_annulus, model_cylinder, model_torus, model_pillow, model_funnel,
    model_skirt;                                     /* model_grid.c */
model_maker model_disc, model_sphere, model_capsule; /* model_round.c */
model_maker model_mannequin;                         /* mannequin.c */
model_maker model_arm;                               /* arm.c */
model_maker model_bust;                              /* bust.c */
model_maker model_shoe;                              /* shoe.c */
model_maker model_bar, model_slab;                   /* model_box.c */

/* The table of models, for those who list its addresses among others: each is a kind of mesh of a scene too. */
enum { MODEL_COUNT = 16 };
extern const ruga_section model_sections[];

/* The same of actions: motions by formula. A maker gets the model's values and its own. */
enum { ACTION_COUNT = 3, ACTION_MAX_FIELDS = 8 };
extern const ruga_section action_sections[];
typedef ruga_status action_maker(ruga_context *context, const double *values, const double *action_values,
                                 ruga_motion **out);
action_maker action_walk, action_jump; /* mannequin.c */
action_maker action_bend;              /* arm.c */

/* Allocates positions and faces of a triangle mesh. */
ruga_status model_allocate(ruga_context *context, mesh_parts *parts, size_t vertices, size_t triangles);

/* A grid of four-sided cells with UVs; its positions, row by row, are left to be filled. wrap: the last column is followed
 * by the first. On failure parts hold what there is. */
ruga_status model_quads(ruga_context *context, size_t columns, size_t rows, int wrap, mesh_parts *parts);

/* Adds "uv": one per vertex when indices is NULL, else indexed by corner. Takes both arrays over. */
ruga_status model_add_uv(ruga_context *context, mesh_parts *parts, size_t count, float *uv, uint32_t *indices);

/* Adds "uv" as of a box around a triangle mesh that stands on y = 0 in the middle of the box: each triangle is in the island of
 * the side that it faces, at the same scale. unit: m, the box's height; front: a factor above 1 puts more into the front's. */
ruga_status model_add_box_uv(ruga_context *context, mesh_parts *parts, const ruga_vec3 *positions, double unit,
                             double front);

/* Puts the lowest vertex on the ground; gives the size of the box around all. */
ruga_vec3 model_stand(ruga_vec3 *positions, size_t count);

/* An ellipsoid in which triangles belong to a region of the model, and its mirror image. */
typedef struct model_region {
    const char *name;
    ruga_vec3 middle, half_axes; /* m */
} model_region;

/* Adds "group", by face: the first region that has its middle, or `rest`. Regions of the same name follow each other. */
ruga_status model_add_groups(ruga_context *context, mesh_parts *parts, const model_region *regions, size_t count,
                             const char *rest);

/* Makes the diagonals of a planar triangulation Delaunay by flipping them (Lawson 1977); x and y are the plane. */
ruga_status model_flip_to_delaunay(ruga_context *context, size_t triangle_count, uint32_t *triangles,
                                   size_t vertex_count, const double *x, const double *y);

#endif
