#include "contact/contours.h"

#include "base/sort.h"
#include "math/vec3.h"

#define LONGEST_PUSH 1.0 /* of the greatest thickness, in a substep */
#define CLEAR 0.1        /* |∮ n ds| over ∮ ds, from which on a direction is clear */

/* ---- Pairs of triangles form a contour where the same piercing ends both. */

static size_t first_of(penetration *p, size_t pair) {
    contour_pair *pairs = p->contours.items;
    while (pairs[pair].up != pair) pair = pairs[pair].up = pairs[pairs[pair].up].up;
    return pair;
}

static void add_end(penetration *p, size_t pair, vec3 point) {
    contour_pair *c = &p->contours.items[pair];
    if (c->end_count < 2) c->ends[c->end_count++] = point;
}

static void link_pairs(penetration *p, const intersecting_pairs *set, const contact_mesh *m) {
    const topology *topo = set->topology;
    for (size_t i = 0; i < set->piercings.count; i++) {
        uint32_t edge = (uint32_t)(set->piercings.items[i] >> 32), triangle = (uint32_t)set->piercings.items[i];
        double along;
        vec3 point = intersecting_pairs_point(set, m, edge, triangle, &along);
        size_t first = NO_PAIR;
        for (uint32_t k = topo->edge_offsets[edge]; k < topo->edge_offsets[edge + 1]; k++) {
            size_t pair = intersecting_pairs_place(set, topo->edge_triangles[k], triangle);
            if (pair == NO_PAIR) continue;
            add_end(p, pair, point);
            if (first == NO_PAIR)
                first = first_of(p, pair);
            else
                p->contours.items[first_of(p, pair)].up = first;
        }
    }
}

/* ---- Integrals along the contours. */

/* The side of a pair that is kinematic, 0 or 1; -1: none or both. */
static int kinematic_side(const contact_mesh *m, const intersecting_pair *pair) {
    int moves[2];
    for (int k = 0; k < 2; k++) moves[k] = m->parts[m->part_of[m->triangles[3 * (size_t)pair->triangles[k]]]].moving;
    return moves[0] == moves[1] ? -1 : moves[0];
}

static int has_penetrating_vertex(const trajectories *t, uint32_t triangle) {
    for (size_t c = 3 * (size_t)triangle; c < 3 * (size_t)triangle + 3; c++) {
        uint64_t key = (uint64_t)t->mesh->triangles[c] << 32 | PASS_KINEMATIC;
        if (keys_contain(t->passing.items, t->passing.count, key)) return 1;
    }
    return 0;
}

static void add_to_contour(penetration *p, const intersecting_pairs *set, const trajectories *t, size_t pair) {
    const contact_mesh *m = t->mesh;
    const contour_pair *own = &p->contours.items[pair];
    const uint32_t *triangles = set->pairs.items[pair].triangles;
    int side = kinematic_side(m, &set->pairs.items[pair]);
    if (side < 0 || !set->pairs.items[pair].push || own->end_count < 2) return;
    contour_pair *whole = &p->contours.items[first_of(p, pair)];
    double length = vec3_distance(own->ends[0], own->ends[1]);
    whole->length += length;
    whole->normals = vec3_add_scaled(whole->normals, contact_mesh_normal(m, triangles[side]), length);
    for (size_t c = 3 * (size_t)triangles[side]; c < 3 * (size_t)triangles[side] + 3; c++) {
        uint32_t v = m->triangles[c];
        whole->along = vec3_add_scaled(whole->along, vec3_sub(m->to[v], m->from[v]), length / 3);
    }
}

/* ---- Pushes. */

static ruga_status push_pair(penetration *p, const intersecting_pairs *set, const trajectories *t, size_t pair) {
    const contour_pair *whole = &p->contours.items[first_of(p, pair)];
    int side = kinematic_side(t->mesh, &set->pairs.items[pair]);
    double sum = vec3_length(whole->normals);
    if (side < 0 || !set->pairs.items[pair].push || !(sum > 0)) return RUGA_OK;
    uint32_t triangle = set->pairs.items[pair].triangles[1 - side];
    const uint32_t *v = t->mesh->triangles + 3 * (size_t)triangle;
    if (has_penetrating_vertex(t, triangle)) return RUGA_OK;
    double push = LONGEST_PUSH * t->most * fmin(1, sum / (CLEAR * whole->length));
    TRY(ARRAY_RESERVE(p->context, &p->found, 3));
    for (int k = 0; k < 3; k++)
        p->found.items[p->found.count++] = (penetrating_vertex){v[k], push, vec3_scale(whole->normals, 1 / sum),
                                                                vec3_scale(whole->along, 1 / whole->length)};
    return RUGA_OK;
}

ruga_status contours_find(penetration *p, const intersecting_pairs *set, const trajectories *t) {
    size_t count = set->pairs.count;
    p->contours.count = 0;
    TRY(ARRAY_RESERVE(p->context, &p->contours, count));
    for (size_t i = 0; i < count; i++) p->contours.items[p->contours.count++] = (contour_pair){.up = i};
    link_pairs(p, set, t->mesh);
    for (size_t i = 0; i < count; i++) add_to_contour(p, set, t, i);
    for (size_t i = 0; i < count; i++) TRY(push_pair(p, set, t, i));
    return RUGA_OK;
}
