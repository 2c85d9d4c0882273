/* Wrinkle meshes: create, update, settle (Müller and Chentanez 2010, section 4). wrinkle_mesh.h has the design. */
#include "wrinkle/wrinkle_mesh.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/threads.h"
#include "field/values.h"
#include "geom/hard_edges.h"
#include "geom/seams.h"
#include "linalg/map.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#define ROUNDING (4 * FLT_EPSILON) /* of the object's size: displacement of a point by rounding */
#define CHUNK 64                   /* iterations of settling between two checks of convergence */
#define SETTLE_TOLERANCE 1e-3
#define SETTLE_ITERATIONS 10000
/* How far offsets follow a change of compression before the solver; found by trial: the least hysteresis. Projection
 * alone hardly shrinks a wave. With a direction map, waves along other directions are not to grow, so offsets only
 * shrink. */
#define COMPLIANT_GROWTH 0.4f
#define COMPLIANT_SHRINKAGE 0.7f
#define PROJECTION_FOLLOWS 1.0f

/* The table has the defaults, but for two values that scenes leave absent (NaN): in C they are numbers. A scene without
 * a wavelength gets one that suits its mesh; a program that asks for none gets none. */
ruga_wrinkle_mesh_def ruga_wrinkle_mesh_def_default(void) {
    ruga_wrinkle_def values;
    ruga_section_defaults(wrinkle_section(), &values);
    values.mesh.cookie = RUGA_COOKIE;
    values.mesh.wavelength = 0;
    values.mesh.reach = INFINITY;
    return values.mesh;
}

void ruga_wrinkle_mesh_destroy(ruga_wrinkle_mesh *w) {
    if (!w) return;
    ruga_context *context = w->context;
    void *arrays[] = {w->edge_scales,   w->bind_normals, w->radii,        w->unattached,     w->lowest,
                      w->welded,        w->edge_rests,   w->bend_rests,   w->edges_around,   w->bind_points,
                      w->bend_scales,   w->constraints,  w->hinges,       w->springs,        w->compliant_hinges,
                      w->curvatures,    w->foundations,  w->courses,      w->boxes,          w->base_points,
                      w->base_normals,  w->made_normals, w->frames,       w->rest_frames,    w->kept_frames,
                      w->seed_points,   w->rests,        w->strains,      w->around_offsets, w->arounds,
                      w->slots,         w->outputs,      w->triangles,    w->anchors,        w->anchor_normals,
                      w->rest_offsets,  w->offsets,      w->points,       w->normals,        w->before,
                      w->kept,          w->seeds,        w->gates,        w->slacks,         w->tolerances,
                      w->plane_offsets, w->planes,       w->values.block, w->spare.block,    w->flat_shares,
                      w->base_mask,     w->mask,         w->last_strains, w->rates,          w->corner_rates,
                      w->wave_factors,  w->exact_base,   w->full_radii,   w->rooms,          w->corner_rooms};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) memory_release_aligned(context, arrays[k]);
    wrinkle_collide_destroy(w->collide);
    wrinkle_upright_destroy(w->upright);
    sweeps_destroy(w->fast);
    compliant_destroy(w->minimiser);
    attachment_destroy(w->attached);
    float_normals_destroy(w->normal_maker);
    float_normals_destroy(w->base_normal_maker);
    topology_destroy(w->topo);
    ruga_map_destroy(w->map);
    ruga_mesh_destroy(w->base);
    ruga_mesh_destroy(w->fine);
    memory_release(context, w);
}

/* By the ranges of the table. */
static ruga_status check_def(ruga_context *context, const ruga_wrinkle_mesh_def *def) {
    char message[400];
    ruga_wrinkle_def values;
    if (def->cookie != RUGA_COOKIE)
        return fail_argument(context, "wrinkle mesh: the def was not made by ruga_wrinkle_mesh_def_default");
    if (isnan(def->reach)) return fail_argument(context, "wrinkle mesh: the reach is NaN; give 0 or more, or INFINITY");
    ruga_section_defaults(wrinkle_section(), &values);
    values.mesh = *def;
    if (def->reach == INFINITY) values.mesh.reach = NAN; /* absent */
    ruga_status status = values_check(context, wrinkle_section(), &values, NULL);
    if (status != RUGA_ERROR_ARGUMENT) return status;
    snprintf(message, sizeof message, "%s", ruga_context_message(context));
    return fail_argument(context, "wrinkle mesh: %s", message);
}

/* With faces and attributes, so that parameters find the attributes they are painted on. */
static ruga_status copy_mesh(ruga_context *context, const ruga_mesh *mesh, ruga_mesh **out) {
    ruga_mesh_def def = ruga_mesh_def_default();
    uint32_t *sizes = NULL;
    if (mesh->face_offsets) {
        TRY(NEW(context, &sizes, mesh->face_count));
        for (size_t f = 0; f < mesh->face_count; f++) sizes[f] = mesh->face_offsets[f + 1] - mesh->face_offsets[f];
    }
    def.positions = (ruga_view){(void *)(uintptr_t)mesh->positions, mesh->vertex_count, 0, RUGA_F64};
    def.face_count = mesh->face_count;
    def.face_sizes = sizes;
    def.face_vertices = mesh->face_vertices;
    def.edge_count = mesh->edge_count;
    def.edges = mesh->edges;
    def.tet_count = mesh->tet_count;
    def.tets = mesh->tets;
    def.attribute_count = mesh->attribute_count;
    def.attributes = mesh->attributes;
    ruga_status status = ruga_mesh_create(context, &def, out);
    memory_release(context, sizes);
    return status;
}

static ruga_status create_base_arrays(ruga_wrinkle_mesh *w) {
    ruga_context *context = w->context;
    const size_t vertices = w->base->vertex_count, triangles = w->base->triangle_count;
    w->base_blocks = wrinkle_view_blocks(vertices);
    TRY(NEW_ALIGNED_ZEROED(context, &w->boxes, 6 * w->base_blocks));
    TRY(NEW_ALIGNED_ZEROED(context, &w->base_points, 4 * vertices));
    TRY(NEW_ALIGNED_ZEROED(context, &w->base_normals, 4 * vertices));
    TRY(NEW_ALIGNED_ZEROED(context, &w->made_normals, 4 * vertices));
    TRY(NEW_ALIGNED_ZEROED(context, &w->frames, 9 * triangles + 4));
    TRY(NEW_ALIGNED_ZEROED(context, &w->rest_frames, 9 * triangles));
    TRY(NEW_ALIGNED_ZEROED(context, &w->kept_frames, 9 * triangles));
    TRY(NEW_ALIGNED_ZEROED(context, &w->rests, triangles));
    TRY(NEW_ALIGNED_ZEROED(context, &w->strains, triangles));
    TRY(NEW_ALIGNED_ZEROED(context, &w->slacks, triangles));
    return float_normals_create(context, vertices, triangles, w->base->triangles, NORMALS_BY_ANGLE,
                                &w->base_normal_maker);
}

/* Joins the fine mesh across seams, so that no wrinkle tears them open. A triangle between two joined vertices has no
 * area and keeps its own vertices. */
static ruga_status weld(ruga_wrinkle_mesh *w) {
    const ruga_mesh *fine = w->fine;
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->lowest, fine->vertex_count));
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->welded, 3 * fine->triangle_count));
    TRY(seams_find(fine, w->lowest));
    for (size_t t = 0; t < fine->triangle_count; t++) {
        const uint32_t *own = fine->triangles + 3 * t;
        uint32_t a = w->lowest[own[0]], b = w->lowest[own[1]], c = w->lowest[own[2]];
        const uint32_t one[3] = {a, b, c};
        memcpy(w->welded + 3 * t, a == b || b == c || c == a ? own : one, sizeof one);
    }
    return topology_build(w->context, fine->vertex_count, fine->triangle_count, w->welded, &w->topo);
}

static ruga_status create_fine_arrays(ruga_wrinkle_mesh *w) {
    ruga_context *context = w->context;
    const size_t count = w->fine->vertex_count;
    TRY(weld(w));
    TRY(wrinkle_values_create(w, &w->values));
    if (wrinkle_values_change(&w->def)) TRY(wrinkle_values_create(w, &w->spare));
    TRY(NEW_ALIGNED_ZEROED(context, &w->radii, count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->unattached, count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->edges_around, count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->bind_points, 4 * count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->outputs, count));
    return NEW_ALIGNED_ZEROED(context, &w->slots, count);
}

static ruga_status take_edge_scales(ruga_wrinkle_mesh *w) {
    const double *given = w->def.edge_pre_stretch;
    w->def.edge_pre_stretch = NULL; /* the caller may release it */
    if (!given) return RUGA_OK;
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->edge_scales, w->topo->edge_count));
    for (size_t e = 0; e < w->topo->edge_count; e++) {
        const uint32_t *end = w->topo->edge_vertices + 2 * e;
        if (!(given[e] > 0 && isfinite(given[e])))
            return fail_input(
                w->context,
                "wrinkle mesh: edge_pre_stretch of edge %zu of the fine mesh (vertices %u and %u) is %g; it must "
                "be above 0",
                e, end[0], end[1], given[e]);
        w->edge_scales[e] = given[e];
    }
    return RUGA_OK;
}

/* Copies the caller's normals, also for copies of the wrinkle mesh. */
static ruga_status take_bind_normals(ruga_wrinkle_mesh *w) {
    ruga_view *view = &w->def.bind_normals;
    if (!view->data) return RUGA_OK;
    TRY(wrinkle_check_view(w->context, "bind_normals", view, w->base->vertex_count));
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->bind_normals, 3 * view->count));
    wrinkle_copy_view(view, w->bind_normals);
    *view = (ruga_view){w->bind_normals, view->count, 0, RUGA_F64};
    return RUGA_OK;
}

static ruga_status take_base_mask(ruga_wrinkle_mesh *w) {
    const double *given = w->def.base_mask;
    const size_t count = w->base->vertex_count;
    if (!given) return RUGA_OK;
    for (size_t v = 0; v < count; v++)
        if (!(given[v] >= 0 && given[v] <= 1))
            return fail_input(w->context, "wrinkle mesh: base_mask of base vertex %zu is %g; it must be from 0 to 1", v,
                              given[v]);
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->base_mask, count));
    memcpy(w->base_mask, given, count * sizeof *given);
    w->def.base_mask = w->base_mask;
    return NEW_ALIGNED_ZEROED(w->context, &w->mask, w->fine->vertex_count);
}

/* A chosen wavelength depends on the base, and on the fine mesh only if that is too coarse. Projection without a
 * wavelength is the paper's method. */
static void find_wavelength(ruga_wrinkle_mesh *w) {
    const double asked = w->def.wavelength;
    w->wavelength = asked > 0 ? asked : NAN;
    w->wave_origin = asked > 0 ? RUGA_WRINKLE_WAVE_GIVEN : RUGA_WRINKLE_WAVE_NONE;
    if (!isnan(asked) || w->def.solver == RUGA_WRINKLE_PROJECTION) return;
    const double chosen = wrinkle_chosen_wavelength(w->base),
                 least = WRINKLE_WAVE_EDGES * wrinkle_average_edge(w->fine);
    w->wavelength = fmax(chosen, least);
    w->wave_origin = least > chosen ? RUGA_WRINKLE_WAVE_FINE_EDGES : RUGA_WRINKLE_WAVE_BASE_EDGES;
}

/* Everything that does not change afterwards; later calls need the results of earlier ones. */
static ruga_status build(ruga_wrinkle_mesh *w, const ruga_wrinkle_mesh *original) {
    find_wavelength(w);
    TRY(create_base_arrays(w));
    TRY(create_fine_arrays(w));
    TRY(take_edge_scales(w));
    TRY(take_bind_normals(w));
    TRY(take_base_mask(w));
    if (original)
        memcpy(w->values.block, original->values.block, w->values.size * sizeof(double));
    else
        TRY(wrinkle_values_evaluate(w, 0, 1, &w->values));
    TRY(wrinkle_terms_create(w));
    TRY(wrinkle_bind(w));
    TRY(wrinkle_variation_create(w));
    wrinkle_values_apply(w);
    TRY(wrinkle_solver_create(w));
    TRY(wrinkle_order_for_solver(w));
    wrinkle_seeds_create(w);
    TRY(wrinkle_planes_create(w));
    TRY(wrinkle_squeeze_create(w));
    TRY(wrinkle_calm_create(w));
    TRY(wrinkle_upright_create(w));
    TRY(wrinkle_collide_create(w));
    wrinkle_values_apply(w);
    return RUGA_OK;
}

/* The strength below 1, turned triangles, self-collision and normals: for the output alone; the state stays that of the
 * solver. */
static ruga_status make_output(ruga_wrinkle_mesh *w) {
    const float strength = (float)w->def.strength;
    for (size_t i = 0; strength < 1 && i < w->slot_count; i++) {
        if (isinf(w->anchors[4 * i + 3])) continue; /* unattached */
        for (size_t k = 0; k < 3; k++) {
            float *x = w->points + 4 * i + k;
            *x = w->anchors[4 * i + k] + strength * (*x - w->anchors[4 * i + k]);
        }
    }
    wrinkle_upright_apply(w);
    TRY(wrinkle_collide_apply(w));
    float_normals_apply(w->normal_maker, w->points, w->normals);
    wrinkle_flatten_normals(w);
    return RUGA_OK;
}

ruga_status wrinkle_create(const ruga_mesh *base, const ruga_mesh *fine, const ruga_map *map,
                           const ruga_wrinkle_mesh_def *def, const ruga_wrinkle_mesh *original,
                           ruga_wrinkle_mesh **out) {
    ruga_context *context = base->context;
    ruga_wrinkle_mesh *w;
    TRY(check_def(context, def));
    if (base->triangle_count == 0 || fine->triangle_count == 0)
        return fail_input(context, "wrinkle mesh: the %s mesh has no faces; choose one with faces",
                          base->triangle_count == 0 ? "base" : "fine");
    TRY(NEW_ZEROED(context, &w, 1));
    w->context = context;
    w->def = *def;
    ruga_status status = copy_mesh(context, base, &w->base);
    if (!RUGA_FAILED(status)) status = copy_mesh(context, fine, &w->fine);
    if (!RUGA_FAILED(status) && map) status = map_copy(map, &w->map);
    if (!RUGA_FAILED(status)) status = build(w, original);
    TRY_OR(status, ruga_wrinkle_mesh_destroy(w));
    wrinkle_attach(w);
    wrinkle_place(w);
    status = make_output(w);
    RETURN_MADE(status, w, out, ruga_wrinkle_mesh_destroy(w));
}

ruga_status ruga_wrinkle_mesh_create(const ruga_mesh *base, const ruga_mesh *fine, const ruga_wrinkle_mesh_def *def,
                                     ruga_wrinkle_mesh **out) {
    return wrinkle_mesh_create_mapped(base, fine, NULL, 0, def, out);
}

ruga_status wrinkle_mesh_create_mapped(const ruga_mesh *base, const ruga_mesh *fine, const ruga_map *map, int n,
                                       const ruga_wrinkle_mesh_def *def, ruga_wrinkle_mesh **out) {
    TRY(wrinkle_create(base, fine, map, def, NULL, out));
    wrinkle_mesh_warn(*out, n);
    return RUGA_OK;
}

ruga_status ruga_wrinkle_mesh_create_subdivided(const ruga_mesh *base, const ruga_subdivide_def *subdivide,
                                                const ruga_wrinkle_mesh_def *def, ruga_mesh **fine,
                                                ruga_wrinkle_mesh **out) {
    ruga_mesh *mesh = NULL;
    ruga_map *map = NULL;
    if (subdivide->kind == RUGA_SUBDIVIDE_LOOP)
        return fail_argument(
            base->context,
            "wrinkle mesh: Loop subdivision moves the base's vertices; subdivide regularly or by long edges, "
            "and choose the surface Loop");
    TRY(ruga_mesh_subdivide(base, subdivide, &mesh, &map));
    const int n = subdivide->kind == RUGA_SUBDIVIDE_REGULAR ? subdivide->n : 0;
    ruga_status status = wrinkle_mesh_create_mapped(base, mesh, map, n, def, out);
    ruga_map_destroy(map);
    RETURN_MADE(status, mesh, fine, ruga_mesh_destroy(mesh));
}

/* ---- A frame. */

static void measure_strains(void *argument, size_t begin, size_t end) {
    const ruga_wrinkle_mesh *w = argument;
    const wrinkle_strain_pass pass = {w->base->triangles, w->base_points, w->rests, w->strains, w->slacks};
    ISA_SELECT(w->context->isa, wrinkle_measure_strains)(&pass, begin, end);
}

void wrinkle_strains_measure(ruga_wrinkle_mesh *w) {
    parallel_for(w->context, w->base->triangle_count, WRINKLE_BLOCK, measure_strains, w);
}

void wrinkle_attach(ruga_wrinkle_mesh *w) {
    wrinkle_strains_measure(w);
    wrinkle_squeeze_update(w);
    attachment_frames(w->attached, w->base_points, w->frames);
    attachment_apply(w->attached, w->base_points, w->base_normals, w->anchors, w->anchor_normals);
}

/* Rules of an update that settling does not have. */
typedef struct pass_rules {
    int keep_still; /* points that barely moved keep their offsets */
    int calm;       /* offsets change slowly */
} pass_rules;

static wrinkle_pass make_pass(const ruga_wrinkle_mesh *w, pass_rules rules) {
    return (wrinkle_pass){.frames = w->frames,
                          .triangles = w->triangles,
                          .strains = w->strains,
                          .last_strains = rules.calm && w->rates ? w->last_strains : NULL,
                          .rest_offsets = w->rest_offsets,
                          .slacks = w->slacks,
                          .gates = w->gates,
                          .full_radii = w->full_radii,
                          .rooms = w->rooms,
                          .seeds = w->seeds,
                          .seed_points = w->seed_points,
                          .rest_frames = w->rest_frames,
                          .waves = &w->waves,
                          .tolerances = w->tolerances,
                          .anchors = w->anchors,
                          .offsets = w->offsets,
                          .points = w->points,
                          .tolerance = ROUNDING * w->extent,
                          .growth = w->courses     ? 0
                                    : w->minimiser ? COMPLIANT_GROWTH
                                                   : PROJECTION_FOLLOWS,
                          .shrinkage = w->minimiser ? COMPLIANT_SHRINKAGE : PROJECTION_FOLLOWS,
                          .local = w->def.frame == RUGA_WRINKLE_FRAME_LOCAL,
                          .upwards = w->def.side != RUGA_WRINKLE_BOTH_SIDES,
                          .rates = rules.calm ? w->rates : NULL,
                          .keep_still = rules.keep_still};
}

typedef struct point_loop {
    wrinkle_pass pass;
    void (*kernel)(const wrinkle_pass *pass, size_t begin, size_t end);
} point_loop;

static void run_kernel(void *argument, size_t begin, size_t end) {
    const point_loop *loop = argument;
    loop->kernel(&loop->pass, begin, end);
}

static void place(ruga_wrinkle_mesh *w, pass_rules rules) {
    point_loop loop = {make_pass(w, rules), ISA_SELECT(w->context->isa, wrinkle_place_points)};
    parallel_for(w->context, w->slot_count, WRINKLE_BLOCK, run_kernel, &loop);
    wrinkle_courses_update(w);
    wrinkle_planes_update(w);
}

void wrinkle_place(ruga_wrinkle_mesh *w) { place(w, (pass_rules){0, 0}); }

/* Offsets and normals from the solved points. */
static void take_offsets(ruga_wrinkle_mesh *w, pass_rules rules) {
    point_loop loop = {make_pass(w, rules), ISA_SELECT(w->context->isa, wrinkle_return_points)};
    parallel_for(w->context, w->slot_count, WRINKLE_BLOCK, run_kernel, &loop);
}

static ruga_status finish(ruga_wrinkle_mesh *w, pass_rules rules) {
    take_offsets(w, rules);
    if (rules.calm && wrinkle_calm_has_planes(w)) {
        wrinkle_solver_run(w, 0);
        take_offsets(w, (pass_rules){1, 0});
    }
    TRY(make_output(w));
    wrinkle_calm_end(w);
    return RUGA_OK;
}

/* The state before an update, and after one that failed. The output is still that of the last frame. */
static void keep_state(ruga_wrinkle_mesh *w) {
    memcpy(w->kept, w->offsets, 4 * w->slot_count * sizeof *w->kept);
    memcpy(w->kept_frames, w->frames, 9 * w->base->triangle_count * sizeof *w->kept_frames);
}

static void restore_state(ruga_wrinkle_mesh *w) {
    memcpy(w->offsets, w->kept, 4 * w->slot_count * sizeof *w->kept);
    memcpy(w->frames, w->kept_frames, 9 * w->base->triangle_count * sizeof *w->kept_frames);
}

ruga_status ruga_wrinkle_mesh_update(ruga_wrinkle_mesh *w, const ruga_view *positions, const ruga_view *normals) {
    TRY(wrinkle_take_base(w, positions, normals));
    if (w->collide) keep_state(w);
    wrinkle_attach(w);
    wrinkle_calm_begin(w);
    place(w, (pass_rules){1, 1});
    wrinkle_solver_run(w, w->def.iterations);
    TRY_OR(finish(w, (pass_rules){1, 1}), restore_state(w));
    return RUGA_OK;
}

/* ---- Settling. */

/* m, the greatest displacement of a point since `before` was filled. */
static double greatest_displacement(const ruga_wrinkle_mesh *w) {
    double greatest = 0;
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        const float *p = w->points + 4 * (size_t)w->slots[v], *q = w->before + 4 * (size_t)w->slots[v];
        double x = (double)(p[0] - q[0]), y = (double)(p[1] - q[1]), z = (double)(p[2] - q[2]);
        greatest = fmax(greatest, x * x + y * y + z * z);
    }
    return sqrt(greatest);
}

/* Iterates in chunks. */
static ruga_status iterate(ruga_wrinkle_mesh *w, double tolerance, int iterations, int *done) {
    /* The tolerance is relative to the greatest radius, or the average edge if that is smaller. Not to each vertex's
     * own radius: painted radii may be zero, where rounding alone moves a point by more than any fraction of them. */
    double greatest = 0;
    for (size_t v = 0; v < w->fine->vertex_count; v++) greatest = fmax(greatest, (double)w->radii[v]);
    const double least = tolerance * fmin(greatest, w->mean_edge);
    while (*done < iterations) {
        int chunk = iterations - *done < CHUNK ? iterations - *done : CHUNK;
        TRY(report_progress(w->context, "settling wrinkles", (double)*done / iterations));
        memcpy(w->before, w->points, 4 * w->slot_count * sizeof *w->points);
        int all = 1;
        if (*done == 0)
            wrinkle_solver_run(w, chunk);
        else
            all = wrinkle_solver_settle(w, chunk);
        *done += chunk;
        if (all && greatest_displacement(w) <= least) return RUGA_OK;
    }
    return RUGA_WARNING_NOT_CONVERGED;
}

static void flatten_offsets(ruga_wrinkle_mesh *w) {
    memset(w->offsets, 0, 4 * w->slot_count * sizeof *w->offsets);
    memcpy(w->frames, w->rest_frames, 9 * w->base->triangle_count * sizeof *w->frames);
}

ruga_status ruga_wrinkle_mesh_settle(ruga_wrinkle_mesh *w, const ruga_view *positions, const ruga_view *normals,
                                     double tolerance, int iterations, int *iterations_done) {
    if (!(tolerance >= 0) || iterations < 0)
        return fail_argument(w->context,
                             "wrinkle mesh: settle with tolerance %g and %d iterations; neither may be negative",
                             tolerance, iterations);
    if (tolerance == 0) tolerance = SETTLE_TOLERANCE;
    if (iterations == 0) iterations = SETTLE_ITERATIONS;
    TRY(wrinkle_take_base(w, positions, normals));
    int done = 0;
    keep_state(w);
    flatten_offsets(w);
    wrinkle_attach(w);
    wrinkle_place(w);
    ruga_status status = iterate(w, tolerance, iterations, &done);
    if (RUGA_FAILED(status)) {
        restore_state(w);
        wrinkle_attach(w);
        wrinkle_place(w);
        if (!w->collide) make_output(w);
        return status;
    }
    TRY_OR(finish(w, (pass_rules){0, 0}), restore_state(w));
    if (iterations_done) *iterations_done = done;
    return status;
}

ruga_status ruga_wrinkle_mesh_reset(ruga_wrinkle_mesh *w) {
    flatten_offsets(w);
    wrinkle_calm_reset(w);
    return RUGA_OK;
}

const uint32_t *ruga_wrinkle_mesh_edges(const ruga_wrinkle_mesh *w) { return w->topo->edge_vertices; }
