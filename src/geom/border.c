/* Borders by name and by points, and the match of two of them by length. */
#include "geom/border.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "math/vec3.h"
#include "mesh/mesh.h"

#define FARTHEST 2.0     /* mean edges, of a point from the border that it means */
#define AT_VERTEX 1e-9   /* 1, of an edge: nearer places are its end */
#define MOST_NAMES 60    /* that a message lists */
#define LONGEST_LIST 900 /* bytes of that list */

void border_release(ruga_context *context, border *b) {
    ARRAY_RELEASE(context, &b->vertices);
    *b = (border){0};
}

double border_length(const ruga_mesh *mesh, const border *b) {
    double length = 0;
    for (size_t i = 1; i < b->vertices.count; i++)
        length += vec3_distance(mesh->positions[b->vertices.items[i - 1]], mesh->positions[b->vertices.items[i]]);
    return length;
}

/* ---- Edges become a line. */

typedef ARRAY(uint32_t) edge_list; /* two vertices each */

static ruga_status add_edge(ruga_context *context, edge_list *edges, uint32_t a, uint32_t b) {
    TRY(ARRAY_RESERVE(context, edges, 2));
    edges->items[edges->count++] = a;
    edges->items[edges->count++] = b;
    return RUGA_OK;
}

static int is_border(const topology *topo, uint32_t a, uint32_t b) {
    uint32_t edge = topology_find_edge(topo, a, b);
    return edge != NO_INDEX && topology_edge_size(topo, edge) == 1;
}

/* 1: the triangle at the border edge runs from a to b, -1: from b to a, 0: no border edge. */
static int edge_direction(const ruga_mesh *mesh, const topology *topo, uint32_t a, uint32_t b) {
    if (!is_border(topo, a, b)) return 0;
    uint32_t triangle = topo->edge_triangles[topo->edge_offsets[topology_find_edge(topo, a, b)]];
    const uint32_t *v = mesh->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; k++)
        if (v[k] == a && v[(k + 1) % 3] == b) return 1;
    return -1;
}

static void find_direction(const ruga_mesh *mesh, const topology *topo, border *b) {
    int sum = 0, count = (int)b->vertices.count - 1;
    for (int i = 0; i < count; i++) sum += edge_direction(mesh, topo, b->vertices.items[i], b->vertices.items[i + 1]);
    b->direction = sum == count ? 1 : sum == -count ? -1 : 0;
}

/* The edges at each vertex: at most two of a line. */
typedef struct line_ends {
    uint32_t others[2];
    uint32_t count;
} line_ends;

static ruga_status fail_shape(const ruga_mesh *mesh, const char *name, const char *what) {
    return fail_input(mesh->context, "the border \"%s\" %s; name edges that form one line, from end to end or closed",
                      name, what);
}

static ruga_status walk_line(const ruga_mesh *mesh, const char *name, const edge_list *edges, line_ends *at,
                             border *out) {
    uint32_t start = edges->items[0];
    size_t end_count = 0;
    for (size_t i = 0; i < edges->count; i++) {
        line_ends *ends = &at[edges->items[i]];
        if (ends->count == 2) return fail_shape(mesh, name, "branches");
        ends->others[ends->count++] = edges->items[i ^ 1];
    }
    for (size_t i = edges->count; i-- > 0;)
        if (at[edges->items[i]].count == 1) start = edges->items[i], end_count++;
    out->closed = end_count == 0;
    TRY(ARRAY_RESERVE(mesh->context, &out->vertices, edges->count / 2 + 1));
    uint32_t before = NO_INDEX, v = start;
    do {
        out->vertices.items[out->vertices.count++] = v;
        uint32_t next = at[v].others[0] != before || at[v].count == 1 ? at[v].others[0] : at[v].others[1];
        if (at[v].count == 1 && before != NO_INDEX) break;
        before = v;
        v = next;
    } while (v != start);
    if (out->closed) out->vertices.items[out->vertices.count++] = start;
    return out->vertices.count == edges->count / 2 + 1 ? RUGA_OK : fail_shape(mesh, name, "has several pieces");
}

static ruga_status line_from_edges(const ruga_mesh *mesh, const topology *topo, const char *name,
                                   const edge_list *edges, border *out) {
    line_ends *at = NULL;
    if (edges->count == 0) return fail_shape(mesh, name, "has no edge on the border of the mesh");
    TRY(NEW_ZEROED(mesh->context, &at, mesh->vertex_count));
    ruga_status status = walk_line(mesh, name, edges, at, out);
    memory_release(mesh->context, at);
    if (RUGA_FAILED(status))
        border_release(mesh->context, out);
    else
        find_direction(mesh, topo, out);
    return status;
}

/* ---- By name. */

static const ruga_attribute *border_labels(const ruga_mesh *mesh) {
    const ruga_attribute *a = ruga_mesh_attribute(mesh, BORDER_ATTRIBUTE, RUGA_DOMAIN_EDGE);
    return a && a->label_count > 0 ? a : NULL;
}

static ruga_status labelled_edges(const ruga_mesh *mesh, const char *name, edge_list *edges) {
    const ruga_attribute *a = border_labels(mesh);
    for (size_t e = 0; a && e < mesh->edge_count; e++) {
        double label = ruga_attribute_get(a, e, 0);
        if (label >= 0 && label < (double)a->label_count && strcmp(a->labels[(size_t)label], name) == 0)
            TRY(add_edge(mesh->context, edges, mesh->edges[2 * e], mesh->edges[2 * e + 1]));
    }
    return RUGA_OK;
}

static ruga_status edges_of_line(const ruga_mesh *mesh, const char *name, edge_list *edges) {
    if (strncmp(name, "line ", 5) != 0 || name[5] < '0' || name[5] > '9') return RUGA_OK;
    unsigned long line = strtoul(name + 5, NULL, 10);
    if (line >= mesh->line_count) return RUGA_OK;
    for (size_t i = mesh->line_offsets[line] + 1; i < mesh->line_offsets[line + 1]; i++)
        if (mesh->line_vertices[i - 1] != mesh->line_vertices[i])
            TRY(add_edge(mesh->context, edges, mesh->line_vertices[i - 1], mesh->line_vertices[i]));
    return RUGA_OK;
}

static ruga_status marked_edges(const ruga_mesh *mesh, const topology *topo, const ruga_attribute *a,
                                edge_list *edges) {
    for (size_t e = 0; e < topo->edge_count; e++) {
        const uint32_t *v = topo->edge_vertices + 2 * e;
        if (topology_edge_size(topo, e) == 1 && ruga_attribute_get(a, v[0], 0) > 0.5 &&
            ruga_attribute_get(a, v[1], 0) > 0.5)
            TRY(add_edge(mesh->context, edges, v[0], v[1]));
    }
    return RUGA_OK;
}

static void list_name(char *text, size_t *length, size_t *count, const char *name) {
    if (++*count > MOST_NAMES || *length + strlen(name) + 8 > LONGEST_LIST) return;
    *length += (size_t)sprintf(text + *length, "%s\"%s\"", *length > 0 ? ", " : "", name);
}

static ruga_status fail_unknown(const ruga_mesh *mesh, const char *name) {
    char text[LONGEST_LIST + 16] = "", line[32];
    size_t length = 0, count = 0;
    const ruga_attribute *a = border_labels(mesh);
    for (size_t i = 0; a && i < a->label_count; i++) list_name(text, &length, &count, a->labels[i]);
    for (size_t i = 0; i < mesh->line_count; i++) {
        snprintf(line, sizeof line, "line %zu", i);
        list_name(text, &length, &count, line);
    }
    for (size_t i = 0; i < mesh->attribute_count; i++)
        if (mesh->attributes[i].domain == RUGA_DOMAIN_VERTEX && mesh->attributes[i].components == 1)
            list_name(text, &length, &count, mesh->attributes[i].name);
    if (count == 0)
        return fail_input(mesh->context,
                          "the mesh has no border \"%.100s\", and names none: give a list of points near the border, "
                          "or an attribute of vertices that marks it",
                          name);
    return fail_input(mesh->context, "the mesh has no border \"%.100s\"; it has %s%s", name, text,
                      count > MOST_NAMES ? ", …" : "");
}

static ruga_status named_edges(const ruga_mesh *mesh, const topology *topo, const char *name, edge_list *edges) {
    TRY(labelled_edges(mesh, name, edges));
    if (edges->count > 0) return RUGA_OK;
    TRY(edges_of_line(mesh, name, edges));
    if (edges->count > 0) return RUGA_OK;
    const ruga_attribute *a = ruga_mesh_attribute(mesh, name, RUGA_DOMAIN_VERTEX);
    if (!a || a->components != 1) return fail_unknown(mesh, name);
    return marked_edges(mesh, topo, a, edges);
}

ruga_status border_by_name(const ruga_mesh *mesh, const topology *topo, const char *name, border *out) {
    edge_list edges = {0};
    *out = (border){0};
    ruga_status status = named_edges(mesh, topo, name, &edges);
    if (!RUGA_FAILED(status)) status = line_from_edges(mesh, topo, name, &edges, out);
    ARRAY_RELEASE(mesh->context, &edges);
    return status;
}

/* ---- By points. */

/* A vertex of a boundary loop: its loop, and its place in it. */
typedef struct loop_place {
    uint32_t loop, at;
} loop_place;

static ruga_status find_place(const ruga_mesh *mesh, const topology *topo, vec3 point, size_t number, loop_place *out) {
    double nearest = INFINITY;
    for (uint32_t loop = 0; loop < topo->loop_count; loop++)
        for (uint32_t i = topo->loop_offsets[loop]; i < topo->loop_offsets[loop + 1]; i++) {
            double distance = vec3_distance(point, mesh->positions[topo->loop_vertices[i]]);
            if (!(distance < nearest)) continue;
            nearest = distance;
            *out = (loop_place){loop, i - topo->loop_offsets[loop]};
        }
    if (nearest <= FARTHEST * topology_mean_edge(topo, mesh->positions)) return RUGA_OK;
    return fail_input(mesh->context,
                      "point %zu of the border, (%g, %g, %g), is %g m from the nearest border vertex; give points near "
                      "the border of the mesh as it stands in the scene",
                      number, point.x, point.y, point.z, nearest);
}

/* Steps from the first place, along the loop or against it. */
static uint32_t steps_to(loop_place first, loop_place place, uint32_t size, int forward) {
    return forward ? (place.at + size - first.at) % size : (first.at + size - place.at) % size;
}

static int passes_in_order(const loop_place *places, size_t count, uint32_t size, int forward) {
    uint32_t before = 0;
    for (size_t i = 1; i < count; i++) {
        uint32_t steps = steps_to(places[0], places[i], size, forward);
        if (steps <= before) return 0;
        before = steps;
    }
    return 1;
}

static ruga_status take_steps(const ruga_mesh *mesh, const topology *topo, loop_place first, uint32_t steps,
                              int forward, border *out) {
    uint32_t begin = topo->loop_offsets[first.loop], size = topo->loop_offsets[first.loop + 1] - begin;
    out->vertices.count = 0;
    TRY(ARRAY_RESERVE(mesh->context, &out->vertices, (size_t)steps + 1));
    for (uint32_t i = 0; i <= steps; i++) {
        uint32_t at = forward ? (first.at + i) % size : (first.at + size - i) % size;
        out->vertices.items[out->vertices.count++] = topo->loop_vertices[begin + at];
    }
    return RUGA_OK;
}

static ruga_status walk_loop(const ruga_mesh *mesh, const topology *topo, const loop_place *places, size_t count,
                             border *out) {
    loop_place first = places[0], last = places[count - 1];
    uint32_t size = topo->loop_offsets[first.loop + 1] - topo->loop_offsets[first.loop];
    for (size_t i = 1; i < count; i++) {
        if (places[i].loop != first.loop)
            return fail_input(mesh->context,
                              "points 0 and %zu of the border are on different borders of the mesh; give points of one",
                              i);
    }
    int forward = passes_in_order(places, count, size, 1);
    if (!forward && !passes_in_order(places, count, size, 0))
        return fail_input(mesh->context,
                          "the points of the border do not follow each other along it, or two of them are nearest to "
                          "one vertex; give them in their order along the border, at least an edge apart");
    TRY(take_steps(mesh, topo, first, steps_to(first, last, size, forward), forward, out));
    if (count > 2) return RUGA_OK;
    double one = border_length(mesh, out);
    TRY(take_steps(mesh, topo, first, steps_to(first, last, size, !forward), !forward, out));
    if (border_length(mesh, out) < one) return RUGA_OK;
    return take_steps(mesh, topo, first, steps_to(first, last, size, forward), forward, out);
}

ruga_status border_by_points(const ruga_mesh *mesh, const topology *topo, const ruga_vec3 *points, size_t count,
                             border *out) {
    loop_place *places = NULL;
    *out = (border){0};
    if (count < 2) return fail_input(mesh->context, "a border needs two points at least, not %zu", count);
    if (topo->loop_count == 0) return fail_input(mesh->context, "the mesh is closed: it has no border to be sewn");
    TRY(NEW_ZEROED(mesh->context, &places, count));
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < count && !RUGA_FAILED(status); i++)
        status = find_place(mesh, topo, points[i], i, &places[i]);
    if (!RUGA_FAILED(status)) status = walk_loop(mesh, topo, places, count, out);
    memory_release(mesh->context, places);
    if (RUGA_FAILED(status))
        border_release(mesh->context, out);
    else
        find_direction(mesh, topo, out);
    return status;
}

/* ---- Matching. */

/* A border as it is run through: from vertex `start`, forwards or backwards. */
typedef struct run_through {
    const ruga_mesh *mesh;
    const border *b;
    size_t start;
    int backwards;
} run_through;

static uint32_t vertex_at(const run_through *r, size_t i) {
    size_t last = r->b->vertices.count - 1;
    if (r->b->closed)
        i = (r->start + (r->backwards ? last - i : i)) % last;
    else if (r->backwards)
        i = last - i;
    return r->b->vertices.items[i];
}

static vec3 place_at(const run_through *r, size_t i) { return r->mesh->positions[vertex_at(r, i)]; }

/* Matches every vertex of `fine`; a closed border's last one is its first again. Returns the sum of squared distances;
 * matches: NULL, only that is wanted. */
static double match_run(const run_through *fine, const run_through *coarse, double fine_length, double coarse_length,
                        border_match *matches) {
    size_t count = fine->b->vertices.count - (fine->b->closed ? 1 : 0), segments = coarse->b->vertices.count - 1, k = 0;
    double at = 0, begin = 0, sum = 0;
    double edge = vec3_distance(place_at(coarse, 0), place_at(coarse, 1));
    for (size_t i = 0; i < count; i++) {
        if (i > 0) at += vec3_distance(place_at(fine, i - 1), place_at(fine, i));
        double target = i + 1 == fine->b->vertices.count ? coarse_length : at / fine_length * coarse_length;
        while (k + 1 < segments && target > begin + edge) {
            begin += edge;
            k++;
            edge = vec3_distance(place_at(coarse, k), place_at(coarse, k + 1));
        }
        double t = edge > 0 ? (target - begin) / edge : 0;
        t = t < AT_VERTEX ? 0 : t > 1 - AT_VERTEX ? 1 : t;
        vec3 place = vec3_mix(place_at(coarse, k), place_at(coarse, k + 1), t);
        sum += vec3_length2(vec3_sub(place_at(fine, i), place));
        if (!matches) continue;
        double share = 0;
        size_t last = fine->b->vertices.count - 1;
        if (i > 0 || fine->b->closed)
            share += vec3_distance(place_at(fine, i), place_at(fine, i > 0 ? i - 1 : last - 1));
        if (i < last) share += vec3_distance(place_at(fine, i), place_at(fine, i + 1));
        matches[i] =
            (border_match){vertex_at(fine, i), {vertex_at(coarse, k), vertex_at(coarse, k + 1)}, {1 - t, t}, share / 2};
    }
    return sum;
}

ruga_status border_match_all(const ruga_mesh *mesh, const border *a, const border *b, border_sense sense,
                             border_matches *out, int *reversed, int *crossed) {
    int a_is_fine = a->vertices.count >= b->vertices.count;
    run_through fine = {mesh, a_is_fine ? a : b, 0, 0}, coarse = {mesh, a_is_fine ? b : a, 0, 0}, best = coarse;
    double fine_length = border_length(mesh, fine.b), coarse_length = border_length(mesh, coarse.b);
    double least[2] = {INFINITY, INFINITY};
    run_through at[2] = {coarse, coarse};
    size_t starts = coarse.b->closed ? coarse.b->vertices.count - 1 : 1;
    for (int backwards = 0; backwards < 2; backwards++)
        for (size_t start = 0; start < starts; start++) {
            run_through r = {mesh, coarse.b, start, backwards};
            double sum = match_run(&fine, &r, fine_length, coarse_length, NULL);
            if (sum < least[backwards]) least[backwards] = sum, at[backwards] = r;
        }
    int backwards = sense == BORDER_NEAREST ? least[1] < least[0] : sense == BORDER_REVERSE;
    best = at[backwards];
    if (reversed) *reversed = backwards;
    if (crossed) *crossed = least[!backwards] < least[backwards];
    size_t count = fine.b->vertices.count - (fine.b->closed ? 1 : 0);
    out->count = 0;
    TRY(ARRAY_RESERVE(mesh->context, out, count));
    match_run(&fine, &best, fine_length, coarse_length, out->items);
    out->count = count;
    return RUGA_OK;
}
