/* The shortest path over a surface: see shortest_path.h.
 *
 * The shortest row of triangles, by their centroids, is unfolded into the plane, and the shortest path in it is found
 * by the funnel algorithm of D. T. Lee and F. P. Preparata, "Euclidean shortest paths in the presence of rectilinear
 * barriers", 1984. Where the path bends around a vertex, the row is rerouted past the other side of the vertex, and
 * kept if the path becomes shorter. */
#include "geom/shortest_path.h"

#include <math.h>

enum { MAX_PULLS = 4000 };
#define SHORTER (1 - 1e-12)
#define AT_END 1e-9 /* of an edge: a path that crosses it this close to its end goes through the end */

/* ---- The shortest row of triangles. */

static vec3 centroid(const tracer *t, uint32_t triangle) {
    return surface_point_at(t->mesh, NULL, (ruga_surface_point){triangle, {1.0 / 3, 1.0 / 3, 1.0 / 3}});
}

/* A binary heap of triangles by their costs. A triangle whose cost decreases is added again. */
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

/* The row of triangles from one that contains `from` to the first that contains `to`; empty when there is none. */
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

/* ---- Unfolding a row. */

/* Unfolds the third vertex of a triangle at a gate: ahead of it (side 1) or behind (-1). */
static vec2 lay_flat(const tracer *t, const row_gate *gate, uint32_t vertex, double side) {
    const vec3 *p = t->mesh->positions;
    vec3 edge = vec3_sub(p[gate->right_vertex], p[gate->left_vertex]), to = vec3_sub(p[vertex], p[gate->left_vertex]);
    double length2 = vec3_length2(edge), along = vec3_dot(edge, to) / length2;
    double height = side * vec3_length(vec3_cross(edge, to)) / length2;
    vec2 flat = vec2_sub(gate->right, gate->left);
    return (vec2){gate->left.x + along * flat.x - height * flat.y, gate->left.y + along * flat.y + height * flat.x};
}

static uint32_t third_vertex(const tracer *t, uint32_t triangle, const row_gate *gate) {
    const uint32_t *v = t->mesh->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 2; k++)
        if (v[k] != gate->left_vertex && v[k] != gate->right_vertex) return v[k];
    return v[2];
}

/* A point of a triangle at a gate, whose third vertex is at `third`. */
static vec2 place_at_gate(const tracer *t, const row_gate *gate, uint32_t triangle, vec2 third,
                          ruga_surface_point point) {
    ruga_surface_point here = surface_point_in(t, triangle, point);
    vec2 at = {0, 0};
    for (int k = 0; k < 3; k++) {
        uint32_t v = t->mesh->triangles[3 * (size_t)triangle + (size_t)k];
        vec2 corner = v == gate->left_vertex ? gate->left : v == gate->right_vertex ? gate->right : third;
        at = (vec2){at.x + here.weights[k] * corner.x, at.y + here.weights[k] * corner.y};
    }
    return at;
}

/* The gates from each triangle of the row to the next, and the positions of both ends. */
static ruga_status lay_row(tracer *t, const row_array *row, ruga_surface_point from, ruga_surface_point to,
                           vec2 ends[2]) {
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
            vec2 behind = lay_flat(t, &gate, third_vertex(t, row->items[0], &gate), -1);
            ends[0] = place_at_gate(t, &gate, row->items[0], behind, from);
        } else {
            /* One end is shared with the gate before, the other is the third vertex. */
            const row_gate *before = &t->gates.items[i - 1];
            uint32_t vertex = third_vertex(t, row->items[i], before);
            vec2 third = lay_flat(t, before, vertex, 1);
            int keeps_left = a == before->left_vertex || b == before->left_vertex;
            gate.left = keeps_left ? before->left : third, gate.right = keeps_left ? third : before->right;
            gate.left_vertex = keeps_left ? before->left_vertex : vertex;
            gate.right_vertex = keeps_left ? vertex : before->right_vertex;
        }
        t->gates.items[t->gates.count++] = gate;
    }
    const row_gate *last = &t->gates.items[count - 1];
    vec2 ahead = lay_flat(t, last, third_vertex(t, row->items[count], last), 1);
    ends[1] = place_at_gate(t, last, row->items[count], ahead, to);
    return RUGA_OK;
}

/* ---- The shortest path in a row. */

static ruga_status add_bend(tracer *t, size_t gate, uint32_t vertex, vec2 at) {
    return ARRAY_ADD(t->context, &t->bends, (row_bend){gate, vertex, at});
}

/* The funnel: everything between its left and right side is visible from its apex. Where the sides cross, the path
 * bends. */
static ruga_status find_bends(tracer *t, const vec2 ends[2]) {
    size_t count = t->gates.count, at_left = 0, at_right = 0;
    vec2 apex = ends[0], left = apex, right = apex;
    uint32_t left_vertex = NO_INDEX, right_vertex = NO_INDEX;
    t->bends.count = 0;
    for (size_t i = 0; i <= count; i++) {
        row_gate end = {.left = ends[1], .right = ends[1], .left_vertex = NO_INDEX, .right_vertex = NO_INDEX};
        const row_gate *gate = i < count ? &t->gates.items[i] : &end;
        vec2 to_left = vec2_sub(left, apex), to_right = vec2_sub(right, apex);
        vec2 new_left = vec2_sub(gate->left, apex), new_right = vec2_sub(gate->right, apex);
        int bends_left = vec2_cross(to_right, new_right) >= 0 && vec2_cross(to_left, new_right) > 0;
        int bends_right = !bends_left && vec2_cross(to_left, new_left) <= 0 && vec2_cross(to_right, new_left) < 0;
        if (bends_left || bends_right) {
            i = bends_left ? at_left : at_right;
            apex = bends_left ? left : right;
            TRY(add_bend(t, i, bends_left ? left_vertex : right_vertex, apex));
            left = right = apex;
            at_left = at_right = i;
            continue;
        }
        if (vec2_cross(to_right, new_right) >= 0) right = gate->right, right_vertex = gate->right_vertex, at_right = i;
        if (vec2_cross(to_left, new_left) <= 0) left = gate->left, left_vertex = gate->left_vertex, at_left = i;
    }
    return add_bend(t, count, NO_INDEX, ends[1]);
}

static ruga_status pull(tracer *t, const row_array *row, ruga_surface_point from, ruga_surface_point to, vec2 *start,
                        double *length) {
    vec2 ends[2];
    TRY(lay_row(t, row, from, to, ends));
    TRY(find_bends(t, ends));
    *start = ends[0];
    *length = 0;
    for (size_t i = 0; i < t->bends.count; i++) {
        vec2 step = vec2_sub(t->bends.items[i].at, i > 0 ? t->bends.items[i - 1].at : ends[0]);
        *length += sqrt(vec2_dot(step, step));
    }
    return RUGA_OK;
}

/* ---- The other side of a vertex. */

static int has_vertex(const tracer *t, uint32_t triangle, uint32_t vertex) {
    const uint32_t *v = t->mesh->triangles + 3 * (size_t)triangle;
    return v[0] == vertex || v[1] == vertex || v[2] == vertex;
}

static ruga_status add_triangle(tracer *t, row_array *row, uint32_t triangle) {
    return ARRAY_ADD(t->context, row, triangle);
}

/* The triangle across the other edge at the vertex: not `but`. */
static uint32_t turn_around(const tracer *t, uint32_t triangle, uint32_t vertex, uint32_t but) {
    const uint32_t *v = t->mesh->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; k++) {
        if (v[k] != vertex && v[(k + 1) % 3] != vertex) continue;
        uint32_t next = trace_across(t, triangle, k);
        if (next != but) return next;
    }
    return NO_INDEX;
}

/* Makes t->spare the row rerouted past the other side of the vertex at a gate; *there becomes 0 at a border. */
static ruga_status route_past(tracer *t, size_t gate, uint32_t vertex, int *there) {
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

/* Reroutes the row past vertices until no bend can be made shorter. */
static ruga_status tighten(tracer *t, ruga_surface_point from, ruga_surface_point to, vec2 *start) {
    double length, other;
    int pulls = 0;
    TRY(pull(t, &t->row, from, to, start, &length));
    for (size_t i = 0; i + 1 < t->bends.count && pulls < MAX_PULLS; i++) {
        row_bend bend = t->bends.items[i];
        int there;
        TRY(route_past(t, bend.gate, bend.vertex, &there));
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

/* ---- The path. */

/* The parameter, from the left end of a gate to the right, where the line from a to b crosses it. */
static double part_of_gate(const row_gate *gate, vec2 a, vec2 b) {
    vec2 ab = vec2_sub(b, a), across = vec2_sub(gate->right, gate->left), to = vec2_sub(a, gate->left);
    double slope = vec2_cross(across, ab);
    double part = slope != 0 ? vec2_cross(to, ab) / slope : vec2_dot(to, across) / vec2_dot(across, across);
    if (!(part >= AT_END)) return 0;
    return part > 1 - AT_END ? 1 : part;
}

ruga_status trace_shortest(tracer *t, ruga_surface_point from, ruga_surface_point to, surface_point_array *path,
                           int *found) {
    vec2 at;
    TRY(find_row(t, from, to));
    *found = t->row.count > 0;
    if (!*found) return RUGA_OK;
    TRY(tighten(t, from, to, &at));
    size_t bend = 0;
    for (size_t i = 0; i < t->gates.count; i++) {
        const row_gate *gate = &t->gates.items[i];
        double part = part_of_gate(gate, at, t->bends.items[bend].at);
        int leftwards = t->mesh->triangles[3 * (size_t)t->row.items[i] + (size_t)gate->edge] == gate->left_vertex;
        TRY(trace_append(t, path, trace_edge_point(t->row.items[i], gate->edge, leftwards ? part : 1 - part)));
        while (bend + 1 < t->bends.count && t->bends.items[bend].gate <= i) at = t->bends.items[bend++].at;
    }
    return trace_append(t, path, to);
}
