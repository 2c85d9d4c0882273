/* Models by formula, inside the library. Each maker gets its parameters in the order of its table row and fills
 * mesh_parts. */
#ifndef MODEL_H
#define MODEL_H

#include <math.h>

#include "mesh/mesh.h"
#include "ruga/model.h"

typedef ruga_status model_maker(ruga_context *context, const double *values, mesh_parts *parts);

model_maker model_sheet, model_annulus, model_cylinder, model_torus, model_pillow, model_funnel,
    model_skirt;                                     /* model_grid.c */
model_maker model_disc, model_sphere, model_capsule; /* model_round.c */
model_maker model_mannequin;                         /* mannequin.c */
model_maker model_arm;                               /* arm.c */
model_maker model_bust;                              /* bust.c */
model_maker model_skull, model_head;                 /* head.c */
model_maker model_ball;                              /* model_ball.c */
model_maker model_shoe;                              /* shoe.c */
model_maker model_tshirt;                            /* tshirt.c */
model_maker model_bar, model_slab;                   /* model_box.c */

/* The table of models. Each is a kind of mesh in scenes too. */
enum { MODEL_COUNT = 20 };
extern const ruga_section model_sections[];

/* The table of actions: motions by formula. A maker gets the values of the model and of the action. */
enum { ACTION_COUNT = 4, ACTION_MAX_FIELDS = 8 };
extern const ruga_section action_sections[];
typedef ruga_status action_maker(ruga_context *context, const double *values, const double *action_values,
                                 ruga_motion **out);
action_maker action_walk, action_jump; /* mannequin.c */
action_maker action_bend;              /* arm.c */
action_maker action_press;             /* press.c */

/* A grid of quads with UVs. The caller fills the positions, row by row. wrap: the first column follows the last. On
 * failure the caller releases the parts. */
ruga_status model_quads(ruga_context *context, size_t columns, size_t rows, int wrap, mesh_parts *parts);

/* Allocates UVs and, if index_count is not 0, their indices by corner; both or none. */
ruga_status model_new_uv(ruga_context *context, size_t count, size_t index_count, float **uv, uint32_t **indices);
/* Adds "uv": one per vertex when indices is NULL, else indexed by corner. Takes over both arrays. */
ruga_status model_add_uv(ruga_context *context, mesh_parts *parts, size_t count, float *uv, uint32_t *indices);

/* Adds "uv", projected onto a box around a triangle mesh that stands on y = 0 in the middle of the box: each triangle
 * is in the island of the side that it faces, all at the same scale. unit: m, the box's height; front: a factor above 1
 * assigns more triangles to the front. */
ruga_status model_add_box_uv(ruga_context *context, mesh_parts *parts, const ruga_vec3 *positions, double unit,
                             double front);

/* Moves the lowest vertex to y = 0; returns the size of the bounding box. */
ruga_vec3 model_stand(ruga_vec3 *positions, size_t count);

/* An ellipsoid, and its mirror image, whose triangles belong to a region of the model. */
typedef struct model_region {
    const char *name;
    ruga_vec3 middle, half_axes; /* m */
} model_region;

/* Adds "group", by face: the first region that contains its centroid, or `rest`. Regions of the same name are
 * consecutive. */
ruga_status model_add_groups(ruga_context *context, mesh_parts *parts, const model_region *regions, size_t count,
                             const char *rest);

/* Makes the diagonals of a planar triangulation Delaunay by flipping them (Lawson 1977); x and y are the plane. */
ruga_status model_flip_to_delaunay(ruga_context *context, size_t triangle_count, uint32_t *triangles,
                                   size_t vertex_count, const double *x, const double *y);

/* From 0 to 1 while t goes from 0 to 1, with continuous curvature; 0 before and 1 after. */
static inline double model_ease(double t) {
    t = fmin(fmax(t, 0), 1);
    return t * t * t * (10 + t * (6 * t - 15));
}

#endif
