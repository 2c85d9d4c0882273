/* The distance that a pair keeps. */
#ifndef CONTACT_THICKNESS_H
#define CONTACT_THICKNESS_H

#include "contact/contact_mesh.h"
#include "contact/pairs.h"

/* m: the larger thickness of the two parts. */
static inline double pair_full_thickness(const contact_mesh *m, const contact_pair *p) {
    double a = m->parts[m->part_of[p->vertices[0]]].thickness, b = m->parts[m->part_of[p->vertices[3]]].thickness;
    return a > b ? a : b;
}

/* The same, but within a part at most the distance that the pair has in the rest mesh: a thickness above the shortest edge
 * does not push neighbours apart. */
static inline double pair_thickness(const contact_mesh *m, const contact_pair *p) {
    double thickness = pair_full_thickness(m, p);
    if (m->part_of[p->vertices[0]] != m->part_of[p->vertices[3]]) return thickness;
    ruga_vec3 rest[4];
    for (int k = 0; k < 4; k++) rest[k] = m->rest[p->vertices[k]];
    double distance = gap_of((pair_kind)p->kind, rest).distance;
    return distance < thickness ? distance : thickness;
}

#endif
