/* Making, changing and running a compliant solver. */
#include "solve/compliant.h"

#include <string.h>

#include "solve/compliant_parts.h"

static ruga_status copy_terms(compliant *c, const compliant_def *def) {
    ruga_context *context = c->context;
    c->springs = memory_copy(context, def->springs, def->spring_count, sizeof *c->springs);
    c->curvatures = memory_copy(context, def->curvatures, def->curvature_count, sizeof *c->curvatures);
    if (!c->springs || !c->curvatures) return fail_memory(context, def->spring_count * sizeof *c->springs);
    if (def->hinge_count > 0) {
        c->hinges = memory_copy(context, def->hinges, def->hinge_count, sizeof *c->hinges);
        if (!c->hinges) return fail_memory(context, def->hinge_count * sizeof *c->hinges);
    }
    if (def->foundations) {
        c->foundations = memory_copy(context, def->foundations, def->point_count, sizeof *c->foundations);
        if (!c->foundations) return fail_memory(context, def->point_count * sizeof *c->foundations);
    }
    return RUGA_OK;
}

static void point_to_own(compliant *c) {
    c->def.springs = c->springs;
    c->def.hinges = c->hinges;
    c->def.curvatures = c->curvatures;
    c->def.foundations = c->foundations;
}

static float *floats_make(ruga_context *context, size_t count) {
    float *made = memory_allocate_aligned(context, count, sizeof(float));
    if (made) memset(made, 0, count * sizeof *made);
    return made;
}

static ruga_status make_plain(compliant *c, const compliant_graph *graph) {
    c->bias = floats_make(c->context, 4 * c->def.point_count);
    if (!c->bias) return fail_memory(c->context, 4 * c->def.point_count * sizeof(float));
    return compliant_order(c->context, graph, c->def.point_count, &c->order);
}

static ruga_status make_accelerated(compliant *c, const compliant_graph *graph) {
    ruga_context *context = c->context;
    TRY(compliant_slices_build(context, &c->def, &c->rows, graph, &c->slices));
    size_t slots = COMPLIANT_LANES * c->slices.count, tiles = c->slices.tile_count;
    c->iterates = floats_make(context, 4 * slots);
    c->ahead = floats_make(context, 4 * slots);
    c->anchors = floats_make(context, 4 * slots);
    c->normals = floats_make(context, 3 * slots);
    c->biases = floats_make(context, 3 * slots);
    c->blocks = floats_make(context, 7 * slots);
    c->tile_dots = ALLOCATE_ZEROED(context, double, tiles);
    c->tile_ways = ALLOCATE_ZEROED(context, float, tiles);
    if (!c->iterates || !c->ahead || !c->anchors || !c->normals || !c->biases || !c->blocks || !c->tile_dots ||
        !c->tile_ways)
        return fail_memory(context, 7 * slots * sizeof(float));
    return RUGA_OK;
}

static ruga_status make_parts(compliant *c, const compliant_def *def) {
    TRY(copy_terms(c, def));
    point_to_own(c);
    TRY(compliant_rows_build(c->context, &c->def, &c->rows));
    compliant_graph graph = {0};
    ruga_status status = compliant_graph_build(c->context, &c->def, &c->rows, &graph);
    if (!RUGA_FAILED(status))
        status = def->method == COMPLIANT_PLAIN ? make_plain(c, &graph) : make_accelerated(c, &graph);
    compliant_graph_release(c->context, &graph);
    return status;
}

ruga_status compliant_create(ruga_context *context, const compliant_def *def, compliant **out) {
    compliant *c = ALLOCATE_ZEROED(context, compliant, 1);
    if (!c) return fail_memory(context, sizeof *c);
    c->context = context;
    c->def = *def;
    ruga_status status = make_parts(c, def);
    if (RUGA_FAILED(status)) {
        compliant_destroy(c);
        return status;
    }
    *out = c;
    return RUGA_OK;
}

void compliant_destroy(compliant *c) {
    if (!c) return;
    ruga_context *context = c->context;
    compliant_rows_release(context, &c->rows);
    memory_release(context, c->springs);
    memory_release(context, c->hinges);
    memory_release(context, c->curvatures);
    memory_release(context, c->foundations);
    memory_release(context, c->order);
    memory_release(context, c->tile_dots);
    memory_release(context, c->tile_ways);
    compliant_slices_release(context, &c->slices);
    memory_release_aligned(context, c->bias);
    memory_release_aligned(context, c->anchors);
    memory_release_aligned(context, c->normals);
    memory_release_aligned(context, c->biases);
    memory_release_aligned(context, c->blocks);
    memory_release_aligned(context, c->iterates);
    memory_release_aligned(context, c->ahead);
    memory_release(context, c);
}

/* Copies the numbers of terms between the same points. */
void compliant_set(compliant *c, const compliant_def *def) {
    size_t springs = c->def.spring_count, hinges = c->def.hinge_count, curvatures = c->def.curvature_count;
    if (springs > 0) memcpy(c->springs, def->springs, springs * sizeof *c->springs);
    if (hinges > 0) memcpy(c->hinges, def->hinges, hinges * sizeof *c->hinges);
    if (curvatures > 0) memcpy(c->curvatures, def->curvatures, curvatures * sizeof *c->curvatures);
    if (c->foundations) memcpy(c->foundations, def->foundations, c->def.point_count * sizeof *c->foundations);
    c->def.slide_stiffness = def->slide_stiffness;
    compliant_rows_fill(&c->def, &c->rows);
    if (c->def.method == COMPLIANT_ACCELERATED) compliant_slices_fill(&c->def, &c->rows, &c->slices);
}

float compliant_run(compliant *c, const sweep_limits *limits, int iterations, float *points) {
    static const sweep_limits none = {0};
    if (!limits) limits = &none;
    /* Every step starts from within the limits. */
    for (size_t i = 0; i < c->def.point_count; i++) sweep_limit_point(limits, i, points + 4 * i);
    if (iterations <= 0) return 0;
    return c->def.method == COMPLIANT_PLAIN ? compliant_run_plain(c, limits, iterations, points)
                                            : compliant_run_accelerated(c, limits, iterations, points);
}

float compliant_length(const float *a, const float *b) {
    float d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrtf(compliant_dot(d, d));
}

float compliant_angle(const compliant_hinge *hinge, const float *points) {
    return (float)compliant_hinge_angle(hinge, points, NULL);
}
