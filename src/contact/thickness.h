/* The distance that a pair keeps. */
#ifndef CONTACT_THICKNESS_H
#define CONTACT_THICKNESS_H

#include <math.h>

#include "contact/contact_mesh.h"
#include "contact/pairs.h"

/* m: the larger thickness of the two parts. */
static inline double pair_full_thickness(const contact_mesh *m, const contact_pair *p) {
    double a = m->parts[m->part_of[p->vertices[0]]].thickness, b = m->parts[m->part_of[p->vertices[3]]].thickness;
    return a > b ? a : b;
}

/* Whether a seam joins a vertex of one element to a vertex of the other. */
static inline int pair_is_sewn(const contact_mesh *m, const contact_pair *p) {
    if (!m->link_offsets) return 0;
    const int first = p->kind == PAIR_EDGE_EDGE ? 2 : 1;
    for (int i = 0; i < first; i++)
        for (uint32_t e = m->link_offsets[p->vertices[i]]; e < m->link_offsets[p->vertices[i] + 1]; e++)
            for (int k = first; k < 4; k++)
                if (m->link_vertices[e] == p->vertices[k]) return 1;
    return 0;
}

/* The same, but across a seam the seam's thickness, and within a part at most the pair's distance in the rest mesh, or
 * the given part of it: a thickness above the shortest edge does not push neighbours apart. */
static inline double pair_thickness(const contact_mesh *m, const contact_pair *p) {
    double thickness = pair_full_thickness(m, p);
    if (m->part_of[p->vertices[0]] != m->part_of[p->vertices[3]]) return thickness;
    if (pair_is_sewn(m, p)) thickness = fmin(thickness, m->parts[m->part_of[p->vertices[0]]].link_thickness);
    ruga_vec3 rest[4];
    for (int k = 0; k < 4; k++) rest[k] = m->rest[p->vertices[k]];
    double distance = m->parts[m->part_of[p->vertices[0]]].rest_part * gap_of((pair_kind)p->kind, rest).distance;
    return distance < thickness ? distance : thickness;
}

#endif
