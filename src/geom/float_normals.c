/* Float normals: the rings of the vertices are laid out once, eight vertices side by side; see float_normals_kernels.h.
 *
 * Corners at a vertex are chained where one triangle's last edge is another's first, so that a closed fan of k
 * triangles takes k + 1 steps instead of 2 k. Corners that can't be chained start a new chain. */
#include "geom/float_normals.h"

#include "base/sort.h"
#include "base/threads.h"
#include "geom/float_normals_kernels.h"

#define WINDOW 512 /* vertices that are sorted by their number of steps */
#define BLOCK (WINDOW / NORMAL_LANES)

struct float_normals {
    ruga_context *context;
    normal_weight weight;
    size_t group_count;
    uint32_t *vertices, *offsets, *neighbours; /* as in normal_rings */
};

/* ---- Rings of single vertices. */

typedef struct ring_maker {
    const uint32_t *triangles;
    uint32_t *corner_offsets; /* (vertices + 1) into corners */
    uint32_t *corners;        /* (3 triangles) 3 triangle + k, rising at each vertex; NO_CORNER once it is in a chain */
    uint32_t *step_offsets;   /* (vertices + 1) into steps */
    uint32_t *steps;
    uint32_t *leaves; /* (vertices) 1 + the place of the corner whose first edge leads there; 0: none */
    uint8_t *arrives; /* (vertices) whether a corner's last edge leads there */
} ring_maker;

#define NO_CORNER UINT32_MAX

static ruga_status maker_make(ruga_context *context, size_t vertex_count, size_t triangle_count, ring_maker *m) {
    TRY(NEW_ZEROED(context, &m->corner_offsets, vertex_count + 1));
    TRY(NEW(context, &m->corners, 3 * triangle_count));
    TRY(NEW_ZEROED(context, &m->step_offsets, vertex_count + 1));
    TRY(NEW(context, &m->steps, 9 * triangle_count)); /* at most three per corner */
    return NEW_EACH_ZEROED(context, vertex_count, &m->leaves, &m->arrives);
}

/* Sorts the corners by vertex. */
static void sort_corners(ring_maker *m, size_t vertex_count, size_t triangle_count) {
    for (size_t c = 0; c < 3 * triangle_count; c++) m->corner_offsets[m->triangles[c] + 1]++;
    for (size_t v = 0; v < vertex_count; v++) m->corner_offsets[v + 1] += m->corner_offsets[v];
    for (size_t c = 0; c < 3 * triangle_count; c++) {
        uint32_t v = m->triangles[c];
        m->corners[m->corner_offsets[v] + m->leaves[v]++] = (uint32_t)c;
    }
    for (size_t v = 0; v < vertex_count; v++) m->leaves[v] = 0;
}

/* The vertex k corners after a corner in its triangle. */
static uint32_t corner_vertex(const ring_maker *m, uint32_t corner, uint32_t k) {
    return m->triangles[corner - corner % 3 + (corner % 3 + k) % 3];
}

/* Appends the chain that starts with the corner at a place, if it is in none yet. */
static uint32_t walk(ring_maker *m, uint32_t v, uint32_t place, uint32_t step) {
    if (m->corners[place] == NO_CORNER) return step;
    if (step > m->step_offsets[v]) m->steps[step++] = v;
    m->steps[step++] = corner_vertex(m, m->corners[place], 1);
    while (m->corners[place] != NO_CORNER) {
        uint32_t end = corner_vertex(m, m->corners[place], 2);
        m->steps[step++] = end;
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

static ruga_status lay_out(const ring_maker *m, size_t vertex_count, float_normals *n) {
    n->group_count = (vertex_count + NORMAL_LANES - 1) / NORMAL_LANES;
    TRY(NEW(n->context, &n->vertices, NORMAL_LANES * n->group_count));
    TRY(NEW(n->context, &n->offsets, n->group_count + 1));
    /* Sorts the vertices of each window by their number of steps. The last group repeats its last vertex. */
    for (size_t begin = 0; begin < vertex_count; begin += WINDOW) {
        uint64_t keys[WINDOW];
        size_t count = vertex_count - begin < WINDOW ? vertex_count - begin : WINDOW;
        for (size_t i = 0; i < count; i++) keys[i] = (uint64_t)ring_size(m, (uint32_t)(begin + i)) << 32 | (begin + i);
        sort_keys(keys, count);
        for (size_t i = 0; i < count; i++) n->vertices[begin + i] = (uint32_t)keys[i];
    }
    for (size_t i = vertex_count; i < NORMAL_LANES * n->group_count; i++)
        n->vertices[i] = n->vertices[vertex_count - 1];
    n->offsets[0] = 0;
    for (size_t g = 0; g < n->group_count; g++) {
        uint32_t most = 0;
        for (size_t k = 0; k < NORMAL_LANES; k++) {
            uint32_t size = ring_size(m, n->vertices[NORMAL_LANES * g + k]);
            if (size > most) most = size;
        }
        n->offsets[g + 1] = n->offsets[g] + most;
    }
    TRY(NEW(n->context, &n->neighbours, NORMAL_LANES * (size_t)n->offsets[n->group_count]));
    for (size_t g = 0; g < n->group_count; g++)
        for (size_t k = 0; k < NORMAL_LANES; k++) {
            uint32_t v = n->vertices[NORMAL_LANES * g + k], size = ring_size(m, v);
            uint32_t *out = n->neighbours + NORMAL_LANES * (size_t)n->offsets[g] + k;
            for (uint32_t s = 0; s < n->offsets[g + 1] - n->offsets[g]; s++)
                out[NORMAL_LANES * (size_t)s] = s < size ? m->steps[m->step_offsets[v] + s] : v;
        }
    return RUGA_OK;
}

ruga_status float_normals_create(ruga_context *context, size_t vertex_count, size_t triangle_count,
                                 const uint32_t *triangles, normal_weight weight, float_normals **out) {
    if (triangle_count > UINT32_MAX / 9)
        return fail_input(context, "%zu triangles are too many for normals, %u is the limit", triangle_count,
                          UINT32_MAX / 9);
    float_normals *n;
    TRY(NEW(context, &n, 1));
    *n = (float_normals){.context = context, .weight = weight};
    ring_maker maker = {.triangles = triangles};
    ruga_status status = maker_make(context, vertex_count, triangle_count, &maker);
    if (!RUGA_FAILED(status)) {
        sort_corners(&maker, vertex_count, triangle_count);
        for (size_t v = 0; v < vertex_count; v++) walk_around(&maker, (uint32_t)v);
        status = lay_out(&maker, vertex_count, n);
    }
    RELEASE_ALL(context, maker.corner_offsets, maker.corners, maker.step_offsets, maker.steps, maker.leaves,
                maker.arrives);
    RETURN_MADE(status, n, out, float_normals_destroy(n));
}

void float_normals_destroy(float_normals *n) {
    if (n) RELEASE_ALL(n->context, n->vertices, n->offsets, n->neighbours, n);
}

/* ---- Frame after frame. */

typedef struct normals_task {
    void (*kernel)(const normal_rings *, const float *, float *, size_t, size_t);
    normal_rings rings;
    const float *points;
    float *normals;
} normals_task;

static void run_groups(void *argument, size_t begin, size_t end) {
    const normals_task *task = argument;
    task->kernel(&task->rings, task->points, task->normals, begin, end);
}

void float_normals_apply(const float_normals *n, const float *points, float *normals) {
    ruga_isa isa = n->context->isa;
    normals_task task = {
        .kernel = n->weight == NORMALS_BY_AREA ? ISA_SELECT(isa, normals_by_area) : ISA_SELECT(isa, normals_by_angle),
        .rings = {n->vertices, n->offsets, n->neighbours},
        .points = points,
        .normals = normals};
    parallel_for(n->context, n->group_count, BLOCK, run_groups, &task);
}
