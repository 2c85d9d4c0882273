/* Rings of triangles around vertices; see vertex_rings.h. */
#include "geom/vertex_rings.h"

#include "base/sort.h"

#define WINDOW ((size_t)RING_LANES * RING_BLOCK) /* vertices that are sorted by their number of steps */
#define LARGEST_FAN 8                            /* triangles; larger ones are not looked for first */
#define NO_CORNER UINT32_MAX

/* ---- Rings of single vertices. */

typedef struct ring_maker {
    const uint32_t *triangles;
    const uint32_t *owners;   /* (triangles) the vertex whose ring has it; NULL: all three have */
    uint32_t *corner_offsets; /* (vertices + 1) into corners */
    uint32_t *corners;        /* (3 triangles) 3 triangle + k, rising at each vertex; NO_CORNER once it is in a chain */
    uint32_t *step_offsets;   /* (vertices + 1) into steps */
    uint32_t *steps;
    uint32_t *closed; /* (as steps) triangles */
    uint32_t *leaves; /* (vertices) 1 + the place of the corner whose first edge leads there; 0: none */
    uint8_t *arrives; /* (vertices) whether a corner's last edge leads there */
} ring_maker;

static ruga_status maker_make(ruga_context *context, size_t vertex_count, size_t triangle_count, ring_maker *m) {
    TRY(NEW_ZEROED(context, &m->corner_offsets, vertex_count + 1));
    TRY(NEW(context, &m->corners, 3 * triangle_count));
    TRY(NEW_ZEROED(context, &m->step_offsets, vertex_count + 1));
    TRY(NEW_EACH(context, 9 * triangle_count, &m->steps, &m->closed)); /* at most three per corner */
    return NEW_EACH_ZEROED(context, vertex_count, &m->leaves, &m->arrives);
}

static int has_corner(const ring_maker *m, size_t corner) {
    return !m->owners || m->owners[corner / 3] == m->triangles[corner];
}

/* Sorts the corners by vertex. */
static void sort_corners(ring_maker *m, size_t vertex_count, size_t triangle_count) {
    for (size_t c = 0; c < 3 * triangle_count; c++)
        if (has_corner(m, c)) m->corner_offsets[m->triangles[c] + 1]++;
    for (size_t v = 0; v < vertex_count; v++) m->corner_offsets[v + 1] += m->corner_offsets[v];
    for (size_t c = 0; c < 3 * triangle_count; c++) {
        uint32_t v = m->triangles[c];
        if (has_corner(m, c)) m->corners[m->corner_offsets[v] + m->leaves[v]++] = (uint32_t)c;
    }
    for (size_t v = 0; v < vertex_count; v++) m->leaves[v] = 0;
}

/* The vertex k corners after a corner in its triangle. */
static uint32_t corner_vertex(const ring_maker *m, uint32_t corner, uint32_t k) {
    return m->triangles[corner - corner % 3 + (corner % 3 + k) % 3];
}

static uint32_t add_step(ring_maker *m, uint32_t step, uint32_t vertex, uint32_t closed) {
    m->steps[step] = vertex;
    m->closed[step] = closed;
    return step + 1;
}

/* Appends the chain that starts with the corner at a place, if it is in none yet. */
static uint32_t walk(ring_maker *m, uint32_t v, uint32_t place, uint32_t step) {
    if (m->corners[place] == NO_CORNER) return step;
    if (step > m->step_offsets[v]) step = add_step(m, step, v, NO_RING_TRIANGLE);
    step = add_step(m, step, corner_vertex(m, m->corners[place], 1), NO_RING_TRIANGLE);
    while (m->corners[place] != NO_CORNER) {
        uint32_t end = corner_vertex(m, m->corners[place], 2);
        step = add_step(m, step, end, m->corners[place] / 3);
        m->corners[place] = NO_CORNER;
        if (m->leaves[end] > 0) place = m->leaves[end] - 1;
    }
    return step;
}

/* All chains around a vertex: open fans from their first edge, then closed ones. */
static void walk_around(ring_maker *m, uint32_t v) {
    uint32_t begin = m->corner_offsets[v], end = m->corner_offsets[v + 1], step = m->step_offsets[v];
    for (uint32_t i = begin; i < end; i++) {
        m->leaves[corner_vertex(m, m->corners[i], 1)] = i + 1;
        m->arrives[corner_vertex(m, m->corners[i], 2)] = 1;
    }
    for (uint32_t i = begin; i < end; i++)
        if (m->corners[i] != NO_CORNER && !m->arrives[corner_vertex(m, m->corners[i], 1)]) step = walk(m, v, i, step);
    for (uint32_t i = begin; i < end; i++) step = walk(m, v, i, step);
    for (uint32_t s = m->step_offsets[v]; s < step; s++) {
        m->leaves[m->steps[s]] = 0;
        m->arrives[m->steps[s]] = 0;
    }
    m->step_offsets[v + 1] = step;
}

/* ---- Groups of eight. */

static uint32_t ring_size(const ring_maker *m, uint32_t v) { return m->step_offsets[v + 1] - m->step_offsets[v]; }

/* Vertices with a ring, or all without owners; those of each window are sorted by their number of steps. The last group
 * repeats its last vertex. */
static void list_vertices(const ring_maker *m, size_t vertex_count, vertex_rings *rings) {
    size_t count = 0;
    for (size_t begin = 0; begin < vertex_count; begin += WINDOW) {
        uint64_t keys[WINDOW];
        size_t key_count = 0;
        for (size_t v = begin; v < vertex_count && v < begin + WINDOW; v++) {
            const uint32_t size = ring_size(m, (uint32_t)v);
            if (size > 0 || !m->owners) keys[key_count++] = (uint64_t)size << 32 | v;
        }
        sort_keys(keys, key_count);
        for (size_t i = 0; i < key_count; i++) rings->vertices[count++] = (uint32_t)keys[i];
    }
    rings->group_count = (count + RING_LANES - 1) / RING_LANES;
    for (size_t i = count; i < RING_LANES * rings->group_count; i++) rings->vertices[i] = rings->vertices[count - 1];
}

/* A vertex that is repeated closes its triangles again. */
static void fill_group(const ring_maker *m, size_t group, vertex_rings *rings) {
    const size_t begin = rings->offsets[group], steps = rings->offsets[group + 1] - begin;
    for (size_t k = 0; k < RING_LANES; k++) {
        const uint32_t v = rings->vertices[RING_LANES * group + k], size = ring_size(m, v), from = m->step_offsets[v];
        for (size_t s = 0; s < steps; s++) {
            const size_t to = RING_LANES * (begin + s) + k;
            rings->neighbours[to] = s < size ? m->steps[from + s] : v;
            if (rings->closed) rings->closed[to] = s < size ? m->closed[from + s] : NO_RING_TRIANGLE;
        }
    }
}

static ruga_status lay_out(const ring_maker *m, size_t vertex_count, vertex_rings *rings) {
    TRY(NEW(rings->context, &rings->vertices, vertex_count + RING_LANES));
    list_vertices(m, vertex_count, rings);
    TRY(NEW(rings->context, &rings->offsets, rings->group_count + 1));
    rings->offsets[0] = 0;
    for (size_t g = 0; g < rings->group_count; g++) {
        uint32_t most = 0;
        for (size_t k = 0; k < RING_LANES; k++) {
            uint32_t size = ring_size(m, rings->vertices[RING_LANES * g + k]);
            if (size > most) most = size;
        }
        rings->offsets[g + 1] = rings->offsets[g] + most;
    }
    const size_t steps = RING_LANES * (size_t)rings->offsets[rings->group_count];
    TRY(NEW(rings->context, &rings->neighbours, steps));
    if (m->owners) TRY(NEW(rings->context, &rings->closed, steps));
    for (size_t g = 0; g < rings->group_count; g++) fill_group(m, g, rings);
    return RUGA_OK;
}

static ruga_status build(ruga_context *context, size_t vertex_count, size_t triangle_count, const uint32_t *triangles,
                         const uint32_t *owners, vertex_rings *out) {
    *out = (vertex_rings){.context = context};
    if (triangle_count > UINT32_MAX / 9)
        return fail_input(context, "%zu triangles are too many for normals, %u is the limit", triangle_count,
                          UINT32_MAX / 9);
    ring_maker maker = {.triangles = triangles, .owners = owners};
    ruga_status status = maker_make(context, vertex_count, triangle_count, &maker);
    if (!RUGA_FAILED(status)) {
        sort_corners(&maker, vertex_count, triangle_count);
        for (size_t v = 0; v < vertex_count; v++) walk_around(&maker, (uint32_t)v);
        status = lay_out(&maker, vertex_count, out);
    }
    RELEASE_ALL(context, maker.corner_offsets, maker.corners, maker.step_offsets, maker.steps, maker.closed,
                maker.leaves, maker.arrives);
    TRY_OR(status, vertex_rings_release(out));
    return status;
}

ruga_status vertex_rings_build(ruga_context *context, size_t vertex_count, size_t triangle_count,
                               const uint32_t *triangles, vertex_rings *out) {
    return build(context, vertex_count, triangle_count, triangles, NULL, out);
}

/* ---- Each triangle once. */

/* Vertices with many triangles that have no owner become their owners first. */
static ruga_status choose_owners(ruga_context *context, size_t vertex_count, size_t triangle_count,
                                 const uint32_t *triangles, const uint8_t *chosen, uint32_t *owners) {
    uint32_t *offsets, *fans = NULL;
    TRY(NEW_ZEROED(context, &offsets, vertex_count + 2));
    TRY_OR(NEW(context, &fans, 3 * triangle_count), memory_release(context, offsets));
    for (size_t c = 0; c < 3 * triangle_count; c++) offsets[triangles[c] + 2]++;
    for (size_t v = 0; v < vertex_count; v++) offsets[v + 2] += offsets[v + 1];
    for (size_t c = 0; c < 3 * triangle_count; c++) fans[offsets[triangles[c] + 1]++] = (uint32_t)(c / 3);
    for (size_t t = 0; t < triangle_count; t++) owners[t] = NO_RING_TRIANGLE;
    for (uint32_t least = LARGEST_FAN; least > 0; least--)
        for (size_t v = 0; v < vertex_count; v++) {
            uint32_t count = 0;
            for (uint32_t k = offsets[v]; k < offsets[v + 1]; k++)
                count += owners[fans[k]] == NO_RING_TRIANGLE && (!chosen || chosen[fans[k]]);
            for (uint32_t k = offsets[v]; count >= least && k < offsets[v + 1]; k++)
                if (owners[fans[k]] == NO_RING_TRIANGLE && (!chosen || chosen[fans[k]])) owners[fans[k]] = (uint32_t)v;
        }
    RELEASE_ALL(context, offsets, fans);
    return RUGA_OK;
}

ruga_status vertex_rings_cover(ruga_context *context, size_t vertex_count, size_t triangle_count,
                               const uint32_t *triangles, const uint8_t *chosen, vertex_rings *out) {
    uint32_t *owners;
    *out = (vertex_rings){.context = context};
    TRY(NEW(context, &owners, triangle_count));
    ruga_status status = choose_owners(context, vertex_count, triangle_count, triangles, chosen, owners);
    if (!RUGA_FAILED(status)) status = build(context, vertex_count, triangle_count, triangles, owners, out);
    memory_release(context, owners);
    return status;
}

void vertex_rings_release(vertex_rings *rings) {
    if (rings->context) RELEASE_ALL(rings->context, rings->vertices, rings->offsets, rings->neighbours, rings->closed);
    *rings = (vertex_rings){0};
}
