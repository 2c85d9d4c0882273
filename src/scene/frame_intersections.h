/* Triangles of a scene's objects that intersect in the current frame, of those that contact should keep apart. */
#ifndef SCENE_FRAME_INTERSECTIONS_H
#define SCENE_FRAME_INTERSECTIONS_H

#include "geom/bvh.h"
#include "geom/intersections.h"
#include "ruga/scene.h"

/* An object as a part of all objects as one mesh. */
typedef struct crossing_part {
    size_t object;
    size_t first_vertex, first_triangle; /* the next part's, or the counts, end them */
    uint64_t revision;                   /* of the frame's topology */
    int moving;                          /* by forces */
    int self;                            /* its own pairs count */
    unsigned char *collides;             /* (its vertices) 0: faces that have it do not count; NULL: all do */
} crossing_part;

typedef struct scene_crossings {
    size_t part_count, vertex_count, triangle_count;
    crossing_part *parts;    /* (part_count) */
    unsigned char *excluded; /* (objects x objects) pairs that the user excluded */
    ruga_vec3 *positions;    /* (vertex_count) m */
    uint32_t *triangles;     /* (triangle_count x 3) */
    bvh *tree;               /* over the triangles; NULL: not made yet */
    int is_searched;         /* `found` is of `positions` */
    intersection_array all;  /* also those that do not count */
    ARRAY(ruga_scene_intersection) found;
} scene_crossings;

/* Takes from the def who passes through whom. */
ruga_status crossings_prepare(ruga_scene *scene, const ruga_scene_def *def);
void crossings_release(ruga_scene *scene);

/* How many more pairs of triangles would intersect if an object's surface were this one; masks are ignored. */
ruga_status crossings_added(const ruga_scene *scene, size_t object, const ruga_mesh *mesh, const ruga_vec3 *positions,
                            size_t *count);

/* "12 pairs of triangles of "cloth" and "ball" intersect, as at (0.1, 0.2, 0.3)", for the pair of objects with the most
 * intersections, and the number of the others. count is above zero. */
void crossings_describe(const ruga_scene *scene, const ruga_scene_intersection *found, size_t count, char *text,
                        size_t size);

#endif
