/* The terms of the solvers: lengths and bends as constraints (section 3.1), or as energies of a material that does not
 * depend on the mesh, so that neither the number of iterations nor the resolution changes the result. */
#include <math.h>

#include "base/threads.h"
#include "solve/compliant_material.h"
#include "solve/sweeps_point.h"
#include "wrinkle/wrinkle_mesh.h"

#define PLATE (1.0 / 12) /* bending of a plate over its stiffness and the square of its thickness */
#define LIMIT_ROUNDS \
    4 /* parts of an update; after each, points of the compliant solver are moved outside of their planes */

static int is_compliant(const ruga_wrinkle_mesh *w) { return w->def.solver == RUGA_WRINKLE_COMPLIANT; }
static int has_wavelength(const ruga_wrinkle_mesh *w) { return !isnan(w->wavelength); }

static ruga_wrinkle_bend bend_kind(const ruga_wrinkle_mesh *w) {
    return is_compliant(w) && has_wavelength(w) ? RUGA_WRINKLE_BEND_CURVATURE : w->def.bend;
}

/* ---- Memory. */

static ruga_status create_compliant_terms(ruga_wrinkle_mesh *w, ruga_wrinkle_bend bend) {
    ruga_context *context = w->context;
    const size_t bends = w->bend_count, vertices = w->fine->vertex_count;
    TRY(NEW_ALIGNED_ZEROED(context, &w->springs, w->length_count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->bend_scales, vertices));
    if (has_wavelength(w)) TRY(NEW_ALIGNED_ZEROED(context, &w->foundations, vertices));
    if (bends == 0) return RUGA_OK;
    if (bend == RUGA_WRINKLE_BEND_DIHEDRAL) return NEW_ALIGNED_ZEROED(context, &w->compliant_hinges, bends);
    if (bend == RUGA_WRINKLE_BEND_CURVATURE) return NEW_ALIGNED_ZEROED(context, &w->curvatures, bends);
    return RUGA_OK;
}

/* Whether bending is zero and stays so. */
static int never_bends(const ruga_wrinkle_mesh *w) {
    if (w->spare.block) return 0;
    for (size_t v = 0; v < w->fine->vertex_count; v++)
        if (WRINKLE_VALUE(w, bending)[v] > 0) return 0;
    return 1;
}

ruga_status wrinkle_terms_create(ruga_wrinkle_mesh *w) {
    ruga_wrinkle_bend bend = bend_kind(w);
    if (!is_compliant(w) && bend == RUGA_WRINKLE_BEND_CURVATURE)
        return fail_argument(
            w->context,
            "wrinkle mesh: bending by curvature needs the compliant solver; with projection choose opposite "
            "vertices or dihedral angles");
    w->bend_count = never_bends(w) ? 0 : w->topo->pair_count;
    w->length_count = w->topo->edge_count + (bend == RUGA_WRINKLE_BEND_OPPOSITE ? w->bend_count : 0);
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->edge_rests, w->topo->edge_count));
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->bend_rests, w->bend_count));
    if (is_compliant(w)) return create_compliant_terms(w, bend);
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->constraints, w->length_count));
    return bend == RUGA_WRINKLE_BEND_DIHEDRAL ? NEW_ALIGNED_ZEROED(w->context, &w->hinges, w->bend_count) : RUGA_OK;
}

float wrinkle_material_strain(const ruga_wrinkle_mesh *w) {
    return is_compliant(w) && has_wavelength(w) ? (float)SHEET_CRITICAL_STRAIN : 0;
}

/* ---- Values. */

static double pair_bending(const ruga_wrinkle_mesh *w, const uint32_t *pair) {
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += WRINKLE_VALUE(w, bending)[pair[k]];
    return 0.25 * sum;
}

/* Times s, and times the mean factor of the four edges around. */
static double opposite_length(const ruga_wrinkle_mesh *w, size_t bend) {
    const uint32_t *pair = w->topo->pairs + 4 * bend;
    double stretch = 0.5 * (WRINKLE_VALUE(w, pre_stretch)[pair[2]] + WRINKLE_VALUE(w, pre_stretch)[pair[3]]),
           around = 0;
    for (int k = 0; w->edge_scales && k < 4; k++)
        around += 0.25 * w->edge_scales[topology_find_edge(w->topo, pair[k % 2], pair[2 + k / 2])];
    return stretch * (w->edge_scales ? around : 1) * (double)w->bend_rests[bend];
}

static void fill_sweep_terms(ruga_wrinkle_mesh *w) {
    const size_t edges = w->topo->edge_count;
    for (size_t e = 0; e < edges; e++) {
        const uint32_t *end = w->topo->edge_vertices + 2 * e;
        w->constraints[e] =
            (sweep_constraint){{end[0], end[1]}, (float)(wrinkle_edge_stretch(w, e) * (double)w->edge_rests[e]), 1};
    }
    for (size_t b = 0; b < w->bend_count; b++) {
        const uint32_t *pair = w->topo->pairs + 4 * b;
        float stiffness = (float)pair_bending(w, pair);
        if (w->hinges)
            w->hinges[b] = (sweep_hinge){{pair[0], pair[1], pair[2], pair[3]}, w->bend_rests[b], stiffness};
        else
            w->constraints[edges + b] = (sweep_constraint){{pair[2], pair[3]}, (float)opposite_length(w, b), stiffness};
    }
}

/* A material whose wrinkles have the wavelength; or a plate as thick as the average edge. */
static sheet_material find_material(const ruga_wrinkle_mesh *w) {
    if (has_wavelength(w)) return sheet_material_make(w->wavelength, SHEET_CRITICAL_STRAIN);
    return (sheet_material){.membrane = 1, .bending = PLATE * w->mean_edge * w->mean_edge};
}

static double square(double x) { return x * x; }

/* At a wavelength that varies by f, λ = 2π (B / F)^¼ and the strain of buckling 2 √(B F) / K: B varies by f², F by its
 * inverse. */
static void fill_compliant_terms(ruga_wrinkle_mesh *w) {
    const sheet s = {.edges = w->topo,
                     .triangles = w->welded,
                     .points = w->bind_points,
                     .bending = w->bend_scales,
                     .material = find_material(w)};
    for (size_t v = 0; v < w->fine->vertex_count; v++)
        w->bend_scales[v] = (float)(WRINKLE_VALUE(w, bending)[v] * square(wrinkle_wave_factor(w, v)));
    const size_t edges = w->topo->edge_count;
    sheet_springs(&s, w->springs);
    if (w->length_count > edges) sheet_opposites(&s, w->springs + edges);
    if (w->curvatures) sheet_curvatures(&s, w->curvatures);
    if (w->compliant_hinges) sheet_hinges(&s, w->compliant_hinges);
    if (w->foundations) sheet_foundations(&s, w->foundations);
    for (size_t e = 0; e < edges; e++) w->springs[e].length *= (float)wrinkle_edge_stretch(w, e);
    for (size_t b = 0; edges + b < w->length_count; b++) w->springs[edges + b].length = (float)opposite_length(w, b);
    for (size_t v = 0; w->foundations && v < w->fine->vertex_count; v++)
        w->foundations[v] = w->unattached[v] ? 0 : w->foundations[v] / (float)square(wrinkle_wave_factor(w, v));
}

void wrinkle_terms_fill(ruga_wrinkle_mesh *w) {
    if (is_compliant(w))
        fill_compliant_terms(w);
    else
        fill_sweep_terms(w);
}

/* ---- The solver. */

static sweep_terms sweep_terms_of(const ruga_wrinkle_mesh *w) {
    return (sweep_terms){w->length_count, w->constraints, w->hinges ? w->bend_count : 0, w->hinges};
}

static compliant_def compliant_terms(const ruga_wrinkle_mesh *w) {
    size_t bends = w->bend_count;
    return (compliant_def){.method = w->def.reference ? COMPLIANT_PLAIN : COMPLIANT_ACCELERATED,
                           .point_count = w->fine->vertex_count,
                           .spring_count = w->length_count,
                           .springs = w->springs,
                           .hinge_count = w->compliant_hinges ? bends : 0,
                           .hinges = w->compliant_hinges,
                           .curvature_count = w->curvatures ? bends : 0,
                           .curvatures = w->curvatures,
                           .foundations = w->foundations,
                           .slide_stiffness = 1};
}

ruga_status wrinkle_solver_create(ruga_wrinkle_mesh *w) {
    if (is_compliant(w)) {
        compliant_def def = compliant_terms(w);
        return compliant_create(w->context, &def, &w->minimiser);
    }
    if (w->def.reference) return RUGA_OK;
    sweep_terms terms = sweep_terms_of(w);
    return sweeps_create(w->context, w->fine->vertex_count, &terms, &w->fast);
}

void wrinkle_terms_hand_over(ruga_wrinkle_mesh *w) {
    if (w->minimiser) {
        compliant_def def = compliant_terms(w);
        compliant_set(w->minimiser, &def);
    } else if (w->fast) {
        sweep_terms terms = sweep_terms_of(w);
        sweeps_set(w->fast, &terms);
    }
}

typedef struct limit_pass {
    const sweep_limits *limits;
    float *points;
} limit_pass;

static void limit_points(void *argument, size_t begin, size_t end) {
    const limit_pass *pass = argument;
    for (size_t i = begin; i < end; i++) sweep_limit_point(pass->limits, i, pass->points + 4 * i);
}

static void run_limits(ruga_wrinkle_mesh *w, const sweep_limits *limits) {
    limit_pass pass = {limits, w->points};
    parallel_for(w->context, w->slot_count, WRINKLE_BLOCK, limit_points, &pass);
}

/* The compliant solver handles balls and planes through anchors; the other planes are handled between parts of the
 * update. */
static void run_minimiser(ruga_wrinkle_mesh *w, const sweep_limits *limits, int iterations) {
    if (!w->planes) {
        compliant_run(w->minimiser, limits, iterations, w->points);
        return;
    }
    int part = (iterations + LIMIT_ROUNDS - 1) / LIMIT_ROUNDS;
    for (int done = 0; done < iterations; done += part) {
        compliant_run(w->minimiser, limits, iterations - done < part ? iterations - done : part, w->points);
        run_limits(w, limits);
    }
}

static sweep_limits solver_limits(const ruga_wrinkle_mesh *w) {
    return (sweep_limits){.anchors = w->anchors,
                          .normals = w->anchor_normals,
                          .one_sided = w->def.side == RUGA_WRINKLE_OUTSIDE,
                          .along_normals = w->def.normal_only,
                          .plane_offsets = w->plane_offsets,
                          .planes = w->planes};
}

void wrinkle_solver_run(ruga_wrinkle_mesh *w, int iterations) {
    const sweep_limits limits = solver_limits(w);
    if (iterations == 0) {
        run_limits(w, &limits);
    } else if (w->minimiser) {
        run_minimiser(w, &limits, iterations);
    } else if (w->fast) {
        sweeps_run(w->fast, &limits, iterations, w->points);
    } else {
        sweep_terms terms = sweep_terms_of(w);
        sweeps_plain(&terms, &limits, iterations, w->points, w->slot_count);
    }
    wrinkle_planes_meet(w);
}

int wrinkle_solver_settle(ruga_wrinkle_mesh *w, int iterations) {
    if (!w->minimiser || w->planes) {
        wrinkle_solver_run(w, iterations);
        return 1;
    }
    const sweep_limits limits = solver_limits(w);
    return compliant_settle(w->minimiser, &limits, iterations, w->points);
}
