/* Pairs: a vertex and a triangle, or two edges, of colliding surfaces. Contact works on pairs only, and both kinds look
 * alike: four vertices whose weighted sum is the gap.
 *
 *     vertex-triangle   x0 = vertex, x1 x2 x3 = triangle        weights (1, -a, -b, -c),          a + b + c = 1
 *     edge-edge         x0 x1 = one edge, x2 x3 = the other     weights (1 - s, s, -(1 - t), -t)
 *
 *     gap vector = sum of weight x position, from the nearest point of the second part to that of the first
 *     relative velocity = sum of weight x velocity
 */
#ifndef CONTACT_PAIRS_H
#define CONTACT_PAIRS_H

#include "base/memory.h"
#include "ruga/mesh.h"

typedef enum pair_kind { PAIR_VERTEX_TRIANGLE, PAIR_EDGE_EDGE } pair_kind;

/* Vertices are those of the contact_mesh. */
typedef struct contact_pair {
    uint32_t vertices[4];
    uint32_t kind;        /* pair_kind */
    uint32_t elements[2]; /* vertex and triangle, or edge and edge, in the contact_mesh: they identify the pair */
} contact_pair;
typedef ARRAY(contact_pair) contact_pairs;

/* The nearest points of both parts. */
typedef struct pair_gap {
    double weights[4];
    double distance; /* m */
    /* Unit, along the gap vector. Where that is zero: the normal of triangle or edges, else any unit vector at right
     * angles to the longest of them. */
    ruga_vec3 direction;
} pair_gap;

/* Robust for everything: parallel edges, elements without length or area, tiny and huge scales. */
pair_gap gap_of(pair_kind kind, const ruga_vec3 positions[4]);

/* Which pairs count as near at the start of a substep. */
typedef struct pair_reach {
    double thicknesses; /* 1: nearer than so many of their own */
    int approaching;    /* and as much farther as they approach within the substep */
} pair_reach;

#endif
