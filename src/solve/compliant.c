/* Creates, changes and runs a compliant solver. */
#include "solve/compliant.h"

#include <string.h>

#include "solve/compliant_parts.h"

static ruga_status copy_terms(compliant *c, const compliant_def *def) {
    ruga_context *context = c->context;
    TRY(NEW_COPY(context, &c->springs, def->springs, def->spring_count));
    TRY(NEW_COPY(context, &c->curvatures, def->curvatures, def->curvature_count));
    if (def->hinge_count > 0) TRY(NEW_COPY(context, &c->hinges, def->hinges, def->hinge_count));
    if (def->foundations) TRY(NEW_COPY(context, &c->foundations, def->foundations, def->point_count));
    c->def.springs = c->springs;
    c->def.hinges = c->hinges;
    c->def.curvatures = c->curvatures;
    c->def.foundations = c->foundations;
    return RUGA_OK;
}

static ruga_status make_accelerated(compliant *c, const compliant_graph *graph) {
    ruga_context *context = c->context;
    TRY(compliant_slices_build(context, &c->def, &c->rows, graph, &c->slices));
    size_t slots = COMPLIANT_LANES * c->slices.count, tiles = c->slices.tile_count;
    TRY(NEW_ALIGNED_ZEROED(context, &c->iterates, 4 * slots));
    TRY(NEW_ALIGNED_ZEROED(context, &c->ahead, 4 * slots));
    TRY(NEW_ALIGNED_ZEROED(context, &c->anchors, 4 * slots));
    TRY(NEW_ALIGNED_ZEROED(context, &c->normals, 3 * slots));
    TRY(NEW_ALIGNED_ZEROED(context, &c->biases, 3 * slots));
    TRY(NEW_ALIGNED_ZEROED(context, &c->blocks, 7 * slots));
    TRY(NEW_ZEROED(context, &c->tile_dots, tiles));
    TRY(NEW_ZEROED(context, &c->waits, tiles));
    TRY(NEW_ZEROED(context, &c->tile_paths, tiles));
    TRY(NEW_ZEROED(context, &c->tile_paces, tiles));
    TRY(NEW_ZEROED(context, &c->tile_momenta, tiles));
    return NEW_ZEROED(context, &c->tile_moves, tiles);
}

static ruga_status make_parts(compliant *c, const compliant_def *def) {
    TRY(copy_terms(c, def));
    TRY(compliant_rows_build(c->context, &c->def, &c->rows));
    if (def->method == COMPLIANT_PLAIN) TRY(NEW_ALIGNED_ZEROED(c->context, &c->bias, 4 * def->point_count));
    compliant_graph graph = {0};
    ruga_status status = compliant_graph_build(c->context, &c->def, &c->rows, &graph);
    if (!RUGA_FAILED(status))
        status = def->method == COMPLIANT_PLAIN ? compliant_order(c->context, &graph, def->point_count, &c->order)
                                                : make_accelerated(c, &graph);
    compliant_graph_release(c->context, &graph);
    return status;
}

ruga_status compliant_create(ruga_context *context, const compliant_def *def, compliant **out) {
    compliant *c;
    TRY(NEW_ZEROED(context, &c, 1));
    c->context = context;
    c->def = *def;
    ruga_status status = make_parts(c, def);
    if (RUGA_FAILED(status))
        compliant_destroy(c);
    else
        *out = c;
    return status;
}

void compliant_destroy(compliant *c) {
    if (!c) return;
    ruga_context *context = c->context;
    compliant_rows_release(context, &c->rows);
    compliant_slices_release(context, &c->slices);
    void *aligned[] = {c->bias, c->anchors, c->normals, c->biases, c->blocks, c->iterates, c->ahead};
    for (size_t k = 0; k < sizeof aligned / sizeof *aligned; k++) memory_release_aligned(context, aligned[k]);
    RELEASE_ALL(context, c->springs, c->hinges, c->curvatures, c->foundations, c->order, c->tile_dots, c->tile_moves,
                c->waits, c->tile_paths, c->tile_paces, c->tile_momenta, c);
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
    if (c->def.method == COMPLIANT_ACCELERATED && iterations > 0)
        return compliant_run_accelerated(c, limits, iterations, 0, points);
    /* Every step starts from within the limits. */
    for (size_t i = 0; i < c->def.point_count; i++) sweep_limit_point(limits, i, points + 4 * i);
    return iterations > 0 ? compliant_run_plain(c, limits, iterations, points) : 0;
}

float compliant_continue(compliant *c, const sweep_limits *limits, int iterations, float *points) {
    if (c->def.method == COMPLIANT_PLAIN || c->sweeps == 0 || !limits)
        return compliant_run(c, limits, iterations, points);
    return iterations > 0 ? compliant_run_accelerated(c, limits, iterations, 1, points) : 0;
}

int compliant_settle(compliant *c, const sweep_limits *limits, int iterations, float *points) {
    if (c->def.method != COMPLIANT_PLAIN && c->sweeps > 0 && limits && iterations > 0)
        return compliant_settle_accelerated(c, limits, iterations, points);
    compliant_continue(c, limits, iterations, points);
    return 1;
}

float compliant_length(const float *a, const float *b) {
    float d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrtf(compliant_dot(d, d));
}

float compliant_angle(const compliant_hinge *hinge, const float *points) {
    return (float)compliant_hinge_angle(hinge, points, NULL);
}
