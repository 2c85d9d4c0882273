/* The shortest way over a surface: see trace_row.h.
 *
 * The shortest row of triangles, by their centroids, is laid flat, and a thread is pulled tight in it: the funnel of D. T. Lee and F. P. Preparata,
 * "Euclidean shortest paths in the presence of rectilinear barriers", 1984. Where the thread bends around a vertex, the row is led past
 * the vertex's other side, and stays there if that makes the thread shorter. */
#include "geom/trace_row.h"

#include <math.h>

enum { MAX_PULLS = 4000 };
#define SHORTER (1 - 1e-12)
#define AT_END 1e-9 /* of an edge: what crosses it there goes through its end */

/* ---- The shortest row of triangles. */

static vec3 centroid(const tracer *t, uint32_t triangle) {
    return surface_point_at(t->mesh, NULL, (ruga_surface_point){triangle, {1.0 / 3, 1.0 / 3, 1.0 / 3}});
}

/* A binary heap of triangles by their costs; entries that have become better are put in again. */
static ruga_status queue_push(tracer *t, uint32_t triangle) {
    TRY(ARRAY_RESERVE(t->context, &t->queue, 1));
    size_t at = t->queue.count++;
    while (at > 0 && t->costs[t->queue.items[(at - 1) / 2]] > t->costs[triangle]) {
        t->queue.items[at] = t->queue.items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    t->queue.items[at] = triangle;
    return RUGA_OK;
}

static uint32_t queue_pop(tracer *t) {
    uint32_t least = t->queue.items[0], last = t->queue.items[--t->queue.count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < t->queue.count) {
        if (child + 1 < t->queue.count && t->costs[t->queue.items[child + 1]] < t->costs[t->queue.items[child]])
            child++;
        if (t->costs[t->queue.items[child]] >= t->costs[last]) break;
        t->queue.items[at] = t->queue.items[child];
        at = child;
    }
    t->queue.items[at] = last;
    return least;
}

/* Row of triangles from one of those of `from` to the first that has `to`; empty when there is none. */
static ruga_status find_row(tracer *t, ruga_surface_point from, ruga_surface_point to) {
    for (size_t i = 0; i < t->mesh->triangle_count; i++) t->costs[i] = INFINITY;
    t->queue.count = t->row.count = 0;
    const uint32_t *starts;
    size_t start_count;
    trace_triangles_of(t, &from, &starts, &start_count);
    for (size_t i = 0; i < start_count; i++) {
        t->costs[starts[i]] = 0;
        t->parents[starts[i]] = NO_INDEX;
        TRY(queue_push(t, starts[i]));
    }
    while (t->queue.count > 0) {
        uint32_t triangle = queue_pop(t);
        if (triangle_has_point(t, triangle, to)) {
            size_t count = 0;
            for (uint32_t at = triangle; at != NO_INDEX; at = t->parents[at]) count++;
            TRY(ARRAY_RESERVE(t->context, &t->row, count));
            t->row.count = count;
            for (uint32_t at = triangle; at != NO_INDEX; at = t->parents[at]) t->row.items[--count] = at;
            return RUGA_OK;
        }
        for (int k = 0; k < 3; k++) {
            uint32_t next = trace_across(t, triangle, k);
            if (next == NO_INDEX) continue;
            double cost = t->costs[triangle] + vec3_distance(centroid(t, triangle), centroid(t, next));
            if (!(cost < t->costs[next])) continue;
            t->costs[next] = cost;
            t->parents[next] = triangle;
            TRY(queue_push(t, next));
        }
    }
    return RUGA_OK;
}

/* ---- Laying a row flat. */

static row_point minus(row_point a, row_point b) { return (row_point){a.x - b.x, a.y - b.y}; }
static double cross(row_point a, row_point b) { return a.x * b.y - a.y * b.x; }
static double dot(row_point a, row_point b) { return a.x * b.x + a.y * b.y; }

/* Where the third vertex of a triangle lies beside the edge of a gate: ahead of it, side 1, or behind, -1. */
static row_point lay_flat(const tracer *t, const row_gate *gate, uint32_t vertex, double side) {
    const vec3 *p = t->mesh->positions;
    vec3 edge = vec3_sub(p[gate->right_vertex], p[gate->left_vertex]), to = vec3_sub(p[vertex], p[gate->left_vertex]);
    double length2 = vec3_length2(edge), along = vec3_dot(edge, to) / length2;
    double height = side * vec3_length(vec3_cross(edge, to)) / length2;
    row_point flat = minus(gate->right, gate->left);
    return (row_point){gate->left.x + along * flat.x - height * flat.y,
                       gate->left.y + along * flat.y + height * flat.x};
}

static uint32_t third_vertex(const tracer *t, uint32_t triangle, const row_gate *gate) {
    const uint32_t *v = t->mesh->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 2; k++)
        if (v[k] != gate->left_vertex && v[k] != gate->right_vertex) return v[k];
    return v[2];
}

/* A point of a triangle at a gate, whose third vertex lies at `third`. */
static row_point place_at_gate(const tracer *t, const row_gate *gate, uint32_t triangle, row_point third,
                               ruga_surface_point point) {
    ruga_surface_point here = surface_point_in(t, triangle, point);
    row_point at = {0, 0};
    for (int k = 0; k < 3; k++) {
        uint32_t v = t->mesh->triangles[3 * (size_t)triangle + (size_t)k];
        row_point corner = v == gate->left_vertex ? gate->left : v == gate->right_vertex ? gate->right : third;
        at = (row_point){at.x + here.weights[k] * corner.x, at.y + here.weights[k] * corner.y};
    }
    return at;
}

/* The gates from each triangle of the row to the next, and the places of both ends. */
static ruga_status lay_row(tracer *t, const row_array *row, ruga_surface_point from, ruga_surface_point to,
                           row_point ends[2]) {
    size_t count = row->count - 1;
    t->gates.count = 0;
    TRY(ARRAY_RESERVE(t->context, &t->gates, count));
    for (size_t i = 0; i < count; i++) {
        const uint32_t *v = t->mesh->triangles + 3 * (size_t)row->items[i];
        row_gate gate = {.edge = 0};
        while (trace_across(t, row->items[i], gate.edge) != row->items[i + 1]) gate.edge++;
        uint32_t a = v[gate.edge], b = v[(gate.edge + 1) % 3];
        if (i == 0) {
            gate.left_vertex = b, gate.right_vertex = a;
            gate.right.x = vec3_distance(t->mesh->positions[a], t->mesh->positions[b]);
            row_point behind = lay_flat(t, &gate, third_vertex(t, row->items[0], &gate), -1);
            ends[0] = place_at_gate(t, &gate, row->items[0], behind, from);
        } else {
            /* One end is that of the gate before, the other the vertex behind it. */
            const row_gate *before = &t->gates.items[i - 1];
            uint32_t vertex = third_vertex(t, row->items[i], before);
            row_point third = lay_flat(t, before, vertex, 1);
            int keeps_left = a == before->left_vertex || b == before->left_vertex;
            gate.left = keeps_left ? before->left : third, gate.right = keeps_left ? third : before->right;
            gate.left_vertex = keeps_left ? before->left_vertex : vertex;
            gate.right_vertex = keeps_left ? vertex : before->right_vertex;
        }
        t->gates.items[t->gates.count++] = gate;
    }
    const row_gate *last = &t->gates.items[count - 1];
    row_point ahead = lay_flat(t, last, third_vertex(t, row->items[count], last), 1);
    ends[1] = place_at_gate(t, last, row->items[count], ahead, to);
    return RUGA_OK;
}

/* ---- The thread. */

static ruga_status add_bend(tracer *t, size_t gate, uint32_t vertex, row_point at) {
    TRY(ARRAY_RESERVE(t->context, &t->bends, 1));
    t->bends.items[t->bends.count++] = (row_bend){gate, vertex, at};
    return RUGA_OK;
}

/* The funnel: from its apex all is seen between its left and its right. Where one side crosses the other, the thread bends. */
static ruga_status find_bends(tracer *t, const row_point ends[2]) {
    size_t count = t->gates.count, at_left = 0, at_right = 0;
    row_point apex = ends[0], left = apex, right = apex;
    uint32_t left_vertex = NO_INDEX, right_vertex = NO_INDEX;
    t->bends.count = 0;
    for (size_t i = 0; i <= count; i++) {
        row_gate end = {.left = ends[1], .right = ends[1], .left_vertex = NO_INDEX, .right_vertex = NO_INDEX};
        const row_gate *gate = i < count ? &t->gates.items[i] : &end;
        row_point to_left = minus(left, apex), to_right = minus(right, apex);
        row_point new_left = minus(gate->left, apex), new_right = minus(gate->right, apex);
        int bends_left = cross(to_right, new_right) >= 0 && cross(to_left, new_right) > 0;
        int bends_right = !bends_left && cross(to_left, new_left) <= 0 && cross(to_right, new_left) < 0;
        if (bends_left || bends_right) {
            i = bends_left ? at_left : at_right;
            apex = bends_left ? left : right;
            TRY(add_bend(t, i, bends_left ? left_vertex : right_vertex, apex));
            left = right = apex;
            at_left = at_right = i;
            continue;
        }
        if (cross(to_right, new_right) >= 0) right = gate->right, right_vertex = gate->right_vertex, at_right = i;
        if (cross(to_left, new_left) <= 0) left = gate->left, left_vertex = gate->left_vertex, at_left = i;
    }
    return add_bend(t, count, NO_INDEX, ends[1]);
}

static double thread_length(const tracer *t, row_point from) {
    double length = 0;
    for (size_t i = 0; i < t->bends.count; i++) {
        row_point way = minus(t->bends.items[i].at, from);
        length += sqrt(dot(way, way));
        from = t->bends.items[i].at;
    }
    return length;
}

static ruga_status pull(tracer *t, const row_array *row, ruga_surface_point from, ruga_surface_point to,
                        row_point *start, double *length) {
    row_point ends[2];
    TRY(lay_row(t, row, from, to, ends));
    TRY(find_bends(t, ends));
    *start = ends[0];
    *length = thread_length(t, ends[0]);
    return RUGA_OK;
}

/* ---- The other side of a vertex. */

static int has_vertex(const tracer *t, uint32_t triangle, uint32_t vertex) {
    const uint32_t *v = t->mesh->triangles + 3 * (size_t)triangle;
    return v[0] == vertex || v[1] == vertex || v[2] == vertex;
}

static ruga_status add_triangle(tracer *t, row_array *row, uint32_t triangle) {
    TRY(ARRAY_RESERVE(t->context, row, 1));
    row->items[row->count++] = triangle;
    return RUGA_OK;
}

/* The triangle behind the edge at a vertex that does not lead to `but`. */
static uint32_t turn_around(const tracer *t, uint32_t triangle, uint32_t vertex, uint32_t but) {
    const uint32_t *v = t->mesh->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; k++) {
        if (v[k] != vertex && v[(k + 1) % 3] != vertex) continue;
        uint32_t next = trace_across(t, triangle, k);
        if (next != but) return next;
    }
    return NO_INDEX;
}

/* t->spare becomes the row with what turns around the vertex at a gate led past its other side; *there is 0 where there is none. */
static ruga_status lead_past(tracer *t, size_t gate, uint32_t vertex, int *there) {
    const row_array *row = &t->row;
    size_t first = gate, last = gate + 1;
    while (first > 0 && has_vertex(t, row->items[first - 1], vertex)) first--;
    while (last + 1 < row->count && has_vertex(t, row->items[last + 1], vertex)) last++;
    *there = 0;
    t->spare.count = 0;
    for (size_t i = 0; i <= first; i++) TRY(add_triangle(t, &t->spare, row->items[i]));
    uint32_t before = row->items[first + 1], at = row->items[first];
    size_t most = t->topo->fan_offsets[vertex + 1] - t->topo->fan_offsets[vertex];
    for (size_t steps = 0; at != row->items[last]; steps++) {
        uint32_t next = turn_around(t, at, vertex, before);
        if (next == NO_INDEX || steps > most) return RUGA_OK;
        before = at;
        at = next;
        TRY(add_triangle(t, &t->spare, at));
    }
    for (size_t i = last + 1; i < row->count; i++) TRY(add_triangle(t, &t->spare, row->items[i]));
    *there = 1;
    return RUGA_OK;
}

/* Leads the row past vertices until no bend can be made shorter. */
static ruga_status tighten(tracer *t, ruga_surface_point from, ruga_surface_point to, row_point *start) {
    double length, other;
    int pulls = 0;
    TRY(pull(t, &t->row, from, to, start, &length));
    for (size_t i = 0; i + 1 < t->bends.count && pulls < MAX_PULLS; i++) {
        row_bend bend = t->bends.items[i];
        int there;
        TRY(lead_past(t, bend.gate, bend.vertex, &there));
        if (!there) continue;
        pulls++;
        TRY(pull(t, &t->spare, from, to, start, &other));
        if (other < SHORTER * length) {
            row_array row = t->row;
            t->row = t->spare;
            t->spare = row;
            length = other;
            i = SIZE_MAX;
        } else
            TRY(pull(t, &t->row, from, to, start, &length));
    }
    return RUGA_OK;
}

/* ---- The way. */

/* How far from the left end of a gate to its right one the thread from a to b goes through it. */
static double part_of_gate(const row_gate *gate, row_point a, row_point b) {
    row_point way = minus(b, a), across = minus(gate->right, gate->left), to = minus(a, gate->left);
    double slope = cross(across, way);
    double part = slope != 0 ? cross(to, way) / slope : dot(to, across) / dot(across, across);
    if (!(part >= AT_END)) return 0;
    return part > 1 - AT_END ? 1 : part;
}

ruga_status trace_shortest(tracer *t, ruga_surface_point from, ruga_surface_point to, surface_point_array *way,
                           int *found) {
    row_point at;
    TRY(find_row(t, from, to));
    *found = t->row.count > 0;
    if (!*found) return RUGA_OK;
    TRY(tighten(t, from, to, &at));
    size_t bend = 0;
    for (size_t i = 0; i < t->gates.count; i++) {
        const row_gate *gate = &t->gates.items[i];
        double part = part_of_gate(gate, at, t->bends.items[bend].at);
        int leftwards = t->mesh->triangles[3 * (size_t)t->row.items[i] + (size_t)gate->edge] == gate->left_vertex;
        TRY(trace_append(t, way, trace_edge_point(t->row.items[i], gate->edge, leftwards ? part : 1 - part)));
        while (bend + 1 < t->bends.count && t->bends.items[bend].gate <= i) at = t->bends.items[bend++].at;
    }
    return trace_append(t, way, to);
}
