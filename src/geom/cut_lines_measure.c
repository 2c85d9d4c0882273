/* Signed distances of vertices from curves: see cut_lines.h.
 *
 * Every segment of a curve is compared with the vertices within two rings of its triangle, so that other layers of the
 * mesh that are near in space alone are not seen. */
#include <math.h>

#include "geom/cut_lines_parts.h"

ruga_status strand_measure_lengths(const liner *l, strand *s) {
    s->along.count = 0;
    TRY(ARRAY_RESERVE(l->context, &s->along, s->points.count));
    double sum = 0;
    for (size_t i = 0; i < s->points.count; i++) {
        s->along.items[s->along.count++] = sum;
        if (i < strand_segments(s)) sum += vec3_distance(s->at.items[i], s->at.items[strand_next(s, i)]);
    }
    s->length = sum;
    return RUGA_OK;
}

/* To the left of a segment, in the surface. */
static vec3 segment_side(const strand *s, size_t i) {
    size_t j = strand_next(s, i);
    vec3 normal = vec3_add(s->normals.items[i], s->normals.items[j]);
    return vec3_normalise(vec3_cross(normal, vec3_sub(s->at.items[j], s->at.items[i])));
}

/* The same at an open end, by the direction of the last half edge: single segments may be very short. */
static vec3 end_side(const liner *l, const strand *s, int end) {
    size_t last = s->points.count - 1, at = end ? last : 0, i = at;
    do i = end ? i - 1 : i + 1;
    while (i > 0 && i < last && vec3_distance(s->at.items[i], s->at.items[at]) < 0.5 * l->edge);
    vec3 along = vec3_sub(s->at.items[end ? at : i], s->at.items[end ? i : at]);
    return vec3_normalise(vec3_cross(s->normals.items[at], along));
}

static ruga_status compare_vertex(liner *l, strand *s, uint32_t segment, uint32_t vertex) {
    if (l->stamps[vertex] == l->stamp) return RUGA_OK;
    l->stamps[vertex] = l->stamp;
    vec3 a = s->at.items[segment], d = vec3_sub(s->at.items[strand_next(s, segment)], a);
    vec3 to = vec3_sub(l->mesh->positions[vertex], a);
    double part = vec3_dot(to, d) / vec3_length2(d), inside = fmin(1, fmax(0, part));
    double reach = vec3_length(vec3_add_scaled(to, d, -inside));
    if (l->slots[vertex] == NONE) {
        l->slots[vertex] = (uint32_t)s->near.count;
        return ARRAY_ADD(l->context, &s->near, (strand_place){vertex, segment, part, reach, 0, 0, {0, 0, 0}});
    }
    strand_place *place = &s->near.items[l->slots[vertex]];
    if (reach < place->reach * (1 - 1e-12)) *place = (strand_place){vertex, segment, part, reach, 0, 0, {0, 0, 0}};
    return RUGA_OK;
}

static ruga_status compare_rings(liner *l, strand *s, uint32_t segment, uint32_t triangle) {
    const topology *topo = l->topo;
    for (int k = 0; k < 3; k++) {
        uint32_t corner = l->mesh->triangles[3 * (size_t)triangle + (size_t)k];
        for (uint32_t i = topo->ring_offsets[corner]; i < topo->ring_offsets[corner + 1]; i++) {
            uint32_t near = topo->ring_vertices[i];
            TRY(compare_vertex(l, s, segment, near));
            for (uint32_t j = topo->ring_offsets[near]; j < topo->ring_offsets[near + 1]; j++)
                TRY(compare_vertex(l, s, segment, topo->ring_vertices[j]));
        }
    }
    return RUGA_OK;
}

/* Sign and place of a vertex whose nearest segment is known. */
static void finish_place(const liner *l, const strand *s, strand_place *place) {
    size_t i = place->segment, last = s->points.count - 1;
    vec3 to = l->mesh->positions[place->vertex];
    double length = vec3_distance(s->at.items[i], s->at.items[strand_next(s, i)]);
    place->along = s->along.items[i] + fmin(1, fmax(0, place->part)) * length;
    int before = place->part <= 0, behind = place->part >= 1;
    const double moved = CUT_SHIFT * l->edge; /* an end on a sharp edge may have been shifted beyond it */
    const int starts = !s->closed && i == 0 && place->part * length <= moved,
              ends = !s->closed && i + 1 == last && (1 - place->part) * length <= moved;
    if (starts || ends) {
        const size_t at = ends ? last : 0;
        const vec3 off = vec3_sub(to, s->at.items[at]), normal = s->normals.items[at];
        place->side = end_side(l, s, ends);
        place->distance = vec3_dot(off, place->side);
        /* Over a sharp edge the surface leaves the plane of the end. */
        const double beyond = fabs(vec3_dot(off, normal));
        place->along = s->along.items[at] + vec3_dot(off, vec3_cross(place->side, normal)) + (ends ? beyond : -beyond);
        return;
    }
    size_t count = s->points.count, corner = before ? i : strand_next(s, i);
    place->side = segment_side(s, i);
    if (before || behind) {
        size_t other = before ? (i + count - 1) % count : strand_next(s, i);
        place->side = vec3_normalise(vec3_add(place->side, segment_side(s, other)));
    }
    vec3 foot =
        before || behind ? s->at.items[corner] : vec3_mix(s->at.items[i], s->at.items[strand_next(s, i)], place->part);
    place->distance = copysign(place->reach, vec3_dot(vec3_sub(to, foot), place->side));
}

ruga_status strand_measure(liner *l, strand *s) {
    s->near.count = 0;
    TRY(strand_measure_lengths(l, s));
    for (uint32_t i = 0; i < strand_segments(s); i++) {
        size_t j = strand_next(s, i);
        if (!(vec3_distance(s->at.items[i], s->at.items[j]) > 0)) continue;
        l->stamp++;
        TRY(compare_rings(l, s, i, s->points.items[i].triangle));
        if (s->points.items[j].triangle != s->points.items[i].triangle)
            TRY(compare_rings(l, s, i, s->points.items[j].triangle));
    }
    for (size_t k = 0; k < s->near.count; k++) finish_place(l, s, &s->near.items[k]);
    return RUGA_OK;
}

void strand_forget(liner *l, const strand *s) {
    for (size_t k = 0; k < s->near.count; k++) l->slots[s->near.items[k].vertex] = NONE;
}

/* ---- The shift off the vertices. */

enum { SHIFTS = 48 };

/* Shift k of a fixed list: none, then directions of a spiral over the sphere, with growing lengths. */
static vec3 shift_of(const liner *l, int k) {
    if (k == 0) return (vec3){0, 0, 0};
    double z = 1 - (2 * k - 1) / (double)(SHIFTS - 1), turn = 2.399963229728653 * k, r = sqrt(1 - z * z);
    double length = CUT_SHIFT * l->edge * (0.4 + 0.6 * k / (SHIFTS - 1.0));
    return (vec3){length * r * cos(turn), length * z, length * r * sin(turn)};
}

/* The smallest distance of a vertex from any strand after a shift. */
static double least_distance(const liner *l, vec3 shift) {
    double least = INFINITY;
    for (size_t i = 0; i < l->strands.count; i++) {
        const strand *s = &l->strands.items[i];
        for (size_t k = 0; k < s->near.count; k++)
            least = fmin(least, fabs(s->near.items[k].distance - vec3_dot(s->near.items[k].side, shift)));
    }
    return least;
}

ruga_status strands_shift(liner *l) {
    for (size_t i = 0; i < l->strands.count; i++) {
        TRY(strand_measure(l, &l->strands.items[i]));
        strand_forget(l, &l->strands.items[i]);
    }
    int best = 0;
    double most = least_distance(l, shift_of(l, 0));
    for (int k = 1; k < SHIFTS && !(most >= CUT_LEAST * l->edge && best == 0); k++) {
        double least = least_distance(l, shift_of(l, k));
        if (!(least > most)) continue;
        most = least;
        best = k;
    }
    /* Within the surface: a shift along the normal would add to all distances, which bends straight lines. */
    for (size_t i = 0; i < l->strands.count; i++)
        for (size_t k = 0; k < l->strands.items[i].at.count; k++) {
            vec3 shift = shift_of(l, best), normal = l->strands.items[i].normals.items[k];
            shift = vec3_add_scaled(shift, normal, -vec3_dot(shift, normal));
            l->strands.items[i].at.items[k] = vec3_add(l->strands.items[i].at.items[k], shift);
        }
    return RUGA_OK;
}
