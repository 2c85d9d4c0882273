/* Exact intersection test of two triangles in any position. */
#ifndef GEOM_TRIANGLE_PAIR_H
#define GEOM_TRIANGLE_PAIR_H

#include "math/vec3.h"

/* The common vertices of two triangles stand first in both, in the same order. */
typedef struct triangle_pair {
    vec3 a[3], b[3];
    int common; /* 0…3 vertices, which have the same positions in both */
} triangle_pair;

/* Fast test in doubles with error bounds: 1 if they certainly have nothing in common but their common vertices and
 * edge; 0 if undecided. */
int pair_is_apart(const triangle_pair *pair);

/* Whether they have a point in common that is not a common vertex or on a common edge; touching counts. Exact. `point`
 * receives an approximate position if they do. */
int pair_intersects(const triangle_pair *pair, vec3 *point);

#endif
