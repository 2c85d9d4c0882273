/* Distances of nodes from cutting surfaces: see tet_cut.h.
 *
 * A line is a chain of segments γ(u) with normals n(u), linear in between; its cutting surface is γ(u) - t n(u). For a
 * node p the place u on a segment is where p + t n(u), with t = (γ(u) - p) · n(u), lies straight beside it. A
 * fixed-point iteration finds it, which converges while t is below the radius of curvature. The segment nearest to p
 * counts. Each segment is compared with the nodes that tets connect with its triangle within reach, so that other parts
 * of the body that are near in space alone are not seen. */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "geom/surface_path.h"
#include "geom/tet_cut_parts.h"

#define ROUNDS 12   /* of the fixed-point iteration */
#define BEYOND 1.75 /* edges beyond the depth that nodes are measured */

/* ---- The tets at each vertex. */

ruga_status tet_fans_make(const ruga_mesh *mesh, tet_fans *out) {
    size_t vertices = mesh->vertex_count, corners = 4 * mesh->tet_count;
    TRY(NEW_ZEROED(mesh->context, &out->offsets, vertices + 2));
    TRY(NEW(mesh->context, &out->tets, corners));
    for (size_t i = 0; i < corners; i++) out->offsets[mesh->tets[i] + 2]++;
    for (size_t v = 0; v < vertices; v++) out->offsets[v + 2] += out->offsets[v + 1];
    for (size_t i = 0; i < corners; i++) out->tets[out->offsets[mesh->tets[i] + 1]++] = (uint32_t)(i / 4);
    return RUGA_OK;
}

static int tet_has(const uint32_t *tet, uint32_t v) { return tet[0] == v || tet[1] == v || tet[2] == v || tet[3] == v; }

uint32_t tet_fans_find(const ruga_mesh *mesh, const tet_fans *fans, const uint32_t *side, uint32_t other) {
    for (uint32_t i = fans->offsets[side[0]]; i < fans->offsets[side[0] + 1]; i++) {
        uint32_t t = fans->tets[i];
        const uint32_t *tet = mesh->tets + 4 * (size_t)t;
        if (t != other && tet_has(tet, side[1]) && tet_has(tet, side[2])) return t;
    }
    return NONE;
}

/* ---- A line as segments. */

typedef struct segment {
    vec3 at[2], normals[2];
    double along[2];
    int is_end[2]; /* of an open line */
    uint32_t corners[3];
} segment;

typedef struct measurer {
    const ruga_mesh *mesh;
    const tet_fans *fans;
    const vec3 *normals;
    const cut_line *line;
    uint32_t number; /* of the line */
    double reach;    /* m, from the middle of a segment */
    uint32_t *firsts;
    tet_places *places;
    ARRAY(segment) segments;
    vec3 directions[2]; /* of an open line at its ends, over half an edge */
    uint32_t *stamps;   /* (vertices) */
    uint32_t stamp;
    ARRAY(uint32_t) queue;
} measurer;

/* σ of a point of the trace, by the places of the vertices that it lies between. */
static double trace_along(const measurer *m, ruga_surface_point at, double before) {
    double sum = 0, weight = 0, first = NAN;
    for (int k = 0; k < 3; k++) {
        const cut_place *place =
            at.weights[k] > 0 ? cut_line_place(m->line, m->mesh->triangles[3 * (size_t)at.triangle + (size_t)k]) : NULL;
        if (!place) continue;
        double along = place->along;
        if (m->line->closed && isnan(first)) first = isnan(before) ? along : before;
        if (m->line->closed) along -= round((along - first) / m->line->length) * m->line->length;
        sum += at.weights[k] * along;
        weight += at.weights[k];
    }
    return weight > 0 ? sum / weight : before;
}

static vec3 trace_normal(const measurer *m, ruga_surface_point at) {
    vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        sum = vec3_add_scaled(sum, m->normals[m->mesh->triangles[3 * (size_t)at.triangle + (size_t)k]], at.weights[k]);
    return vec3_normalise(sum);
}

/* The corners of the triangle that two points of the trace lie on: those that have a weight. */
static int common_triangle(const measurer *m, const ruga_surface_point *a, const ruga_surface_point *b,
                           uint32_t corners[3]) {
    int count = 0;
    for (int i = 0; i < 6; i++) {
        const ruga_surface_point *at = i < 3 ? a : b;
        uint32_t v = m->mesh->triangles[3 * (size_t)at->triangle + (size_t)(i % 3)];
        int is_known = !(at->weights[i % 3] > 0);
        for (int k = 0; k < count; k++) is_known |= corners[k] == v;
        if (is_known) continue;
        if (count == 3) return 0;
        corners[count++] = v;
    }
    return count == 3;
}

static ruga_status make_segments(measurer *m) {
    const ruga_curve *trace = m->line->trace;
    size_t count = trace->point_count - !trace->closed;
    double along = NAN;
    for (size_t i = 0; i < count; i++) {
        const ruga_surface_point *ends[2] = {&trace->points[i], &trace->points[(i + 1) % trace->point_count]};
        segment s = {.is_end = {!trace->closed && i == 0, !trace->closed && i + 1 == count}};
        for (int k = 0; k < 2; k++) {
            s.at[k] = surface_point_at(m->mesh, NULL, *ends[k]);
            s.normals[k] = trace_normal(m, *ends[k]);
            s.along[k] = along = trace_along(m, *ends[k], along);
        }
        if (!common_triangle(m, ends[0], ends[1], s.corners))
            return fail_input(m->mesh->context,
                              "curve \"%s\" passes through a vertex of the mesh at (%g, %g, %g); move it a little",
                              trace->name, s.at[0].x, s.at[0].y, s.at[0].z);
        TRY(ARRAY_ADD(m->mesh->context, &m->segments, s));
    }
    return RUGA_OK;
}

static void find_directions(measurer *m) {
    size_t count = m->segments.count;
    for (int end = 0; end < 2 && count > 0; end++) {
        vec3 at = m->segments.items[end ? count - 1 : 0].at[end], far = at;
        for (size_t i = 0; i < count && vec3_distance(far, at) < 0.5 * m->line->edge; i++)
            far = m->segments.items[end ? count - 1 - i : i].at[!end];
        m->directions[end] = vec3_normalise(vec3_sub(at, far)); /* out of the line */
    }
}

/* ---- Nodes beside a segment. */

static vec3 segment_normal(const segment *s, double u) {
    return vec3_normalise(vec3_mix(s->normals[0], s->normals[1], u));
}

static vec3 side_of(const segment *s) {
    return vec3_normalise(vec3_cross(vec3_add(s->normals[0], s->normals[1]), vec3_sub(s->at[1], s->at[0])));
}

/* The segment before or behind one, at a corner of the line. */
static const segment *neighbour_of(const measurer *m, size_t i, int behind) {
    size_t count = m->segments.count;
    return &m->segments.items[behind ? (i + 1) % count : (i + count - 1) % count];
}

static tet_place place_beside(const measurer *m, size_t index, vec3 p) {
    const segment *s = &m->segments.items[index];
    vec3 d = vec3_sub(s->at[1], s->at[0]), normal, foot;
    double u = 0.5, at = 0.5, below = 0;
    for (int round = 0; round <= ROUNDS; round++) {
        at = fmin(1, fmax(0, u));
        normal = segment_normal(s, at);
        foot = vec3_mix(s->at[0], s->at[1], at);
        below = vec3_dot(vec3_sub(foot, p), normal);
        u = vec3_dot(vec3_sub(vec3_add_scaled(p, normal, below), s->at[0]), d) / vec3_length2(d);
    }
    vec3 off = vec3_sub(p, vec3_add_scaled(foot, normal, -below)), side = side_of(s);
    tet_place out = {.line = m->number, .below = below, .reach = vec3_distance(p, foot)};
    int end = u > 1, is_beyond = u < 0 || u > 1;
    out.along = s->along[0] + at * (s->along[1] - s->along[0]);
    if (is_beyond && s->is_end[end]) {
        vec3 direction = m->directions[end];
        side = vec3_normalise(end ? vec3_cross(normal, direction) : vec3_cross(direction, normal));
        out.distance = vec3_dot(off, side);
        out.along += (end ? 1 : -1) * vec3_dot(off, direction);
        return out;
    }
    if (is_beyond) side = vec3_add(side, side_of(neighbour_of(m, index, end)));
    out.distance = copysign(vec3_length(off), vec3_dot(off, side));
    return out;
}

static ruga_status compare_node(measurer *m, size_t index, uint32_t node) {
    tet_place place = place_beside(m, index, m->mesh->positions[node]);
    tet_place *old = (tet_place *)tet_place_of(m->places, m->firsts, node, m->number);
    if (!old) {
        place.next = m->firsts[node];
        m->firsts[node] = (uint32_t)m->places->count;
        return ARRAY_ADD(m->mesh->context, m->places, place);
    }
    place.next = old->next;
    if (place.reach < old->reach * (1 - 1e-12)) *old = place;
    return RUGA_OK;
}

static ruga_status visit(measurer *m, uint32_t node, vec3 middle) {
    if (m->stamps[node] == m->stamp || vec3_distance(m->mesh->positions[node], middle) > m->reach) return RUGA_OK;
    m->stamps[node] = m->stamp;
    return ARRAY_ADD(m->mesh->context, &m->queue, node);
}

/* The nodes around a segment, breadth first. */
static ruga_status compare_nodes(measurer *m, size_t index) {
    const segment *s = &m->segments.items[index];
    vec3 middle = vec3_mix(s->at[0], s->at[1], 0.5);
    m->stamp++;
    m->queue.count = 0;
    for (int k = 0; k < 3; k++) TRY(visit(m, s->corners[k], middle));
    for (size_t i = 0; i < m->queue.count; i++) {
        uint32_t node = m->queue.items[i];
        TRY(compare_node(m, index, node));
        for (uint32_t f = m->fans->offsets[node]; f < m->fans->offsets[node + 1]; f++)
            for (int k = 0; k < 4; k++) TRY(visit(m, m->mesh->tets[4 * (size_t)m->fans->tets[f] + (size_t)k], middle));
    }
    return RUGA_OK;
}

/* Vertices beside the line on the surface have its own distances; other nodes keep away from the cut. */
static void finish_places(measurer *m, size_t first) {
    double least = TET_CUT_INNER * m->line->edge;
    for (size_t i = first; i < m->places->count; i++) {
        tet_place *p = &m->places->items[i];
        if (fabs(p->distance) < least) p->distance = copysign(least, p->distance);
    }
    for (size_t k = 0; k < m->line->place_count; k++) {
        const cut_place *own = &m->line->places[k];
        tet_place *p = (tet_place *)tet_place_of(m->places, m->firsts, own->vertex, m->number);
        if (!p) continue;
        p->distance = own->distance;
        p->along = own->along;
    }
}

/* ---- All together. */

static int compare_sides(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(uint32_t)); }

static ruga_status keep_sides(const measurer *m, tet_line *out) {
    TRY(NEW(m->mesh->context, &out->sides, m->segments.count));
    for (size_t i = 0; i < m->segments.count; i++) {
        memcpy(out->sides[i], m->segments.items[i].corners, sizeof out->sides[i]);
        sort_indices(out->sides[i], 3);
    }
    out->side_count = m->segments.count;
    qsort(out->sides, out->side_count, sizeof *out->sides, compare_sides);
    return RUGA_OK;
}

static ruga_status run(measurer *m, double depth, tet_line *out) {
    ruga_context *context = m->mesh->context;
    size_t first = m->places->count;
    TRY(NEW_ZEROED(context, &m->stamps, m->mesh->vertex_count));
    TRY(make_segments(m));
    find_directions(m);
    for (size_t i = 0; i < m->segments.count; i++)
        if (vec3_distance(m->segments.items[i].at[0], m->segments.items[i].at[1]) > 1e-9 * m->line->edge)
            TRY(compare_nodes(m, i));
    finish_places(m, first);
    out->depth = depth;
    out->begin = m->segments.items[0].along[0];
    out->end = m->segments.items[m->segments.count - 1].along[1];
    return keep_sides(m, out);
}

ruga_status tet_measure_line(const ruga_mesh *mesh, const tet_fans *fans, const vec3 *normals, const cut_lines *lines,
                             uint32_t line, double depth, uint32_t *firsts, tet_places *places, tet_line *out) {
    const cut_line *l = &lines->lines[line];
    measurer m = {.mesh = mesh,
                  .fans = fans,
                  .normals = normals,
                  .line = l,
                  .number = line,
                  .reach = depth * l->edge + BEYOND * l->edge,
                  .firsts = firsts,
                  .places = places};
    ruga_status status = run(&m, depth * l->edge, out);
    memory_release(mesh->context, m.stamps);
    ARRAY_RELEASE(mesh->context, &m.segments);
    ARRAY_RELEASE(mesh->context, &m.queue);
    return status;
}
