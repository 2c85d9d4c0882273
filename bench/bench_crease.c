/* The cost of creases: cotton with springs and axial bending (Patkar et al. 2015, section 3), 1 m long, contact off.
 *
 *   stabilisation_overhead   the pattern of a knife-pleated skirt, laid flat: 39 x 150 quads of an annulus sector with
 *                            60 radial cuts, 11,700 triangles that become 16,380, held by its waist; `semi_implicit`.
 *                            The binding does the same work for any angle of the folds. Time of all that the binding
 *                            does in a step, which is both stabilisations, over the rest of the step.
 *                            The paper's run without stabilisation was 15 to 20 % faster, that is 0.18 to 0.25 over it.
 *                            The same for the paper's own form, pre- and post-stabilisation, is printed.
 *   remesh_vs_crease         see crease_remesh.c
 *   prepare_vs_step          a paper plane of 8,000 triangles: cutting, binding, and making and factoring what a
 *                            `semi_implicit` substep solves with, over one such substep, the mean of those of a frame.
 *                            The growth up to a million triangles is printed, with --quick up to 128 thousand.
 */
#include "crease_sheets.h"
#include "solve/bound_project.h"

#define PI 3.14159265358979323846

/* ---- The skirt. */

enum { SKIRT_COLUMNS = 150, SKIRT_ROWS = 39, SKIRT_CUTS = 60, SKIRT_STEPS = 20 };

/* A sector of 300 degrees, from the waist at 0.25 m to the hem at 0.75 m. */
static vec3 skirt_place(double i, double j, const double *unused) {
    double angle = i * 300 * PI / 180, radius = 0.25 + 0.5 * j;
    (void)unused;
    return (vec3){radius * cos(angle), 0, radius * sin(angle)};
}

typedef struct skirt {
    ruga_mesh *mesh;
    crease c;
    uint32_t waist[SKIRT_COLUMNS + 1];
    double dt, damping_time;
    world *bound, *apart;
    crease_exact *exact;
    bound *space;
    bound_fit fit;
    bound_projection projection;
    vec3 *points, *changes;       /* what is stabilised alone */
    vec3 *positions, *velocities; /* the state that every repetition starts from */
    double iterations[2];         /* of a step, bound and apart */
} skirt;

static void start_from(const skirt *s, world *w) {
    body *b = world_body(w, 0);
    memcpy(b->positions, s->positions, b->point_count * sizeof *b->positions);
    memcpy(b->velocities, s->velocities, b->point_count * sizeof *b->velocities);
}

static void start_bound(void *user) { start_from(user, ((skirt *)user)->bound); }
static void start_apart(void *user) { start_from(user, ((skirt *)user)->apart); }

static void step_bound(void *user) {
    skirt *s = user;
    step_sheet(s->bound, s->dt, 1, SKIRT_STEPS);
    s->iterations[0] = sheet_measure(s->bound, "iterations") / SKIRT_STEPS;
}

static void step_apart(void *user) {
    skirt *s = user;
    step_sheet(s->apart, s->dt, 1, SKIRT_STEPS);
    s->iterations[1] = sheet_measure(s->apart, "iterations") / SKIRT_STEPS;
}

/* All that the binding does in these steps: a projection for each iteration of conjugate gradients, and the first part
 * of one that finds that they have converged. Among them is the division by the masses of all points, which steps
 * without a binding have, too. */
static void stabilise(void *user) {
    skirt *s = user;
    const int iterations = (int)ceil(s->iterations[0] * SKIRT_STEPS);
    for (int k = 0; k < SKIRT_STEPS + iterations; k++) {
        bound_project_begin(s->space, &s->fit, &s->projection, s->points);
        if (k < iterations) bound_project_end(s->space, &s->fit, &s->projection, s->points, s->changes);
    }
}

/* The paper's form: pre-stabilisation before positions move, post-stabilisation after. */
static void stabilise_exact(void *user) {
    skirt *s = user;
    const body *b = world_body(s->apart, 0);
    for (int k = 0; k < SKIRT_STEPS; k++) {
        crease_exact_pre(s->exact, b->positions, s->dt, s->points);
        crease_exact_post(s->exact, s->points);
    }
}

static void make_skirt(const bench_setup *bench, double damping, skirt *s) {
    ruga_curve *curves[SKIRT_CUTS];
    *s = (skirt){.mesh = make_grid(bench->context, SKIRT_COLUMNS, SKIRT_ROWS, skirt_place, NULL)};
    for (int k = 0; k < SKIRT_CUTS; k++) {
        double at = (2.5 * k + 1.25) / SKIRT_COLUMNS;
        curves[k] = draw_curve(s->mesh, (vec3[2]){skirt_place(at, 0, NULL), skirt_place(at, 1, NULL)}, 2);
    }
    s->c = cut_along(s->mesh, curves, SKIRT_CUTS);
    for (int k = 0; k < SKIRT_CUTS; k++) ruga_curve_destroy(curves[k]);
    bench_require(s->mesh->triangle_count == 11700 && s->c.nodes.simulated->triangle_count == 16380,
                  "the skirt is not that of the paper");
    for (uint32_t i = 0; i <= SKIRT_COLUMNS; i++) s->waist[i] = i;
    cloth_def def = cotton(s->mesh, INTEGRATOR_SEMI_IMPLICIT);
    s->damping_time = damping / COTTON_DAMPING * def.damping_time;
    s->dt = 2e-5;
    sheet_def sheet = {.mesh = s->mesh,
                       .creases = &s->c,
                       .is_bound = 1,
                       .kind = INTEGRATOR_SEMI_IMPLICIT,
                       .damping_time = s->damping_time,
                       .pin_count = SKIRT_COLUMNS + 1,
                       .pins = s->waist};
    s->bound = make_sheet_world(&sheet);
    sheet.is_bound = 0;
    s->apart = make_sheet_world(&sheet);
    body *b = world_body(s->bound, 0);
    bench_ok(bench, crease_exact_create(&s->c, b->masses, &s->exact));
    bench_ok(bench, bound_create(bench->context, s->c.bound, &s->space));
    bench_ok(bench, bound_fit_make(s->space, &s->fit));
    bench_ok(bench, bound_fit_factor(s->space, &s->fit, b->masses, SKIRT_COLUMNS + 1, s->waist));
    bench_ok(bench, bound_projection_make(s->space, &s->fit, &s->projection));
    bound_projection_factor(s->space, &s->fit, b->masses, &s->projection);
    step_sheet(s->bound, s->dt, 10, bench->quick ? 100 : 1000);
    s->positions = copy_points(b->positions, b->point_count);
    s->velocities = copy_points(b->velocities, b->point_count);
    s->points = copy_points(b->velocities, b->point_count);
    s->changes = copy_points(NULL, b->point_count);
}

static void release_skirt(skirt *s) {
    world_destroy(s->bound);
    world_destroy(s->apart);
    crease_exact_destroy(s->exact);
    bound_projection_release(s->mesh->context, &s->projection);
    bound_fit_release(s->mesh->context, &s->fit);
    bound_destroy(s->space);
    crease_release(&s->c);
    ruga_mesh_destroy(s->mesh);
    free(s->points);
    free(s->changes);
    free(s->positions);
    free(s->velocities);
}

/* The time of `stabilise` over the rest of the step that contains it, or that it comes on top of. */
static double overhead(const bench_setup *bench, skirt *s, bench_function *run, int is_inside) {
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = is_inside ? "projections" : "exact form",
                                                        .a = run,
                                                        .b_name = is_inside ? "steps, bound" : "steps, not joined",
                                                        .b_before = is_inside ? start_bound : start_apart,
                                                        .b = is_inside ? step_bound : step_apart,
                                                        .user = s,
                                                        .processor_time = bench->threads == 1,
                                                        .repetitions = bench->quick ? 9 : 31});
    return is_inside ? r.ratio / (1 - r.ratio) : r.ratio;
}

static double measure_damped(const bench_setup *bench, double damping) {
    skirt s;
    make_skirt(bench, damping, &s);
    start_bound(&s);
    step_bound(&s);
    printf(
        "stabilisation: knife-pleated skirt, 11,700 triangles cut into 16,380, %zu points, %zu unknowns; cotton, "
        "damping %g of critical (%.2g s); semi_implicit, dt %.1g s; %d thread%s; %d steps\n",
        s.c.bound->rows, s.c.bound->columns, damping, s.damping_time, s.dt, bench->threads,
        bench->threads == 1 ? "" : "s", SKIRT_STEPS);
    double ridge = overhead(bench, &s, stabilise, 1), exact = overhead(bench, &s, stabilise_exact, 0);
    printf("  conjugate gradients: %.1f iterations a step, bound; %.1f, not joined\n", s.iterations[0],
           s.iterations[1]);
    printf("  overhead: ridge %.4g; exact form %.4g, by %zu equations\n", ridge, exact, crease_exact_count(s.exact));
    release_skirt(&s);
    return ridge;
}

static void measure_skirt(const bench_setup *bench) {
    measure_damped(bench, 10 * COTTON_DAMPING);
    bench_figure("stabilisation_overhead", measure_damped(bench, COTTON_DAMPING));
}

/* ---- The plane. */

/* A sheet of 0.21 m by 0.336 m; sizes: unused. */
static vec3 plane_place(double i, double j, const double *unused) {
    (void)unused;
    return (vec3){0.21 * i, 0, 0.336 * j};
}

typedef struct plane {
    ruga_context *context;
    ruga_mesh *mesh;
    ruga_curve *curves[5];
    crease c;
    world *w;
    double dt;
} plane;

/* Folds: along the middle, from the nose to both sides, and one for each wing. */
static void draw_plane(plane *p) {
    const double folds[5][4] = {{0.503, 0, 0.503, 1},
                                {0.503, 0.003, 0, 0.3143},
                                {0.503, 0.003, 1, 0.3143},
                                {0.353, 0, 0.353, 1},
                                {0.653, 0, 0.653, 1}};
    for (int k = 0; k < 5; k++)
        p->curves[k] = draw_curve(
            p->mesh,
            (vec3[2]){plane_place(folds[k][0], folds[k][1], NULL), plane_place(folds[k][2], folds[k][3], NULL)}, 2);
}

enum {
    PLANE_STEPS = 20
}; /* of a frame: its measures and its visible mesh are a twentieth of what is timed with each */
static const uint32_t plane_held = 0;

/* Cutting, the binding, and the fit with its factors and the projection that the step solves with. */
static void prepare_plane(void *user) {
    plane *p = user;
    crease c = cut_along(p->mesh, p->curves, 5);
    double *masses = malloc(c.bound->rows * sizeof *masses);
    bound *space = NULL;
    bound_fit fit = {0};
    bound_projection projection = {0};
    ruga_status status = masses ? RUGA_OK : RUGA_ERROR_MEMORY;
    if (!RUGA_FAILED(status)) status = spring_mesh_masses(c.nodes.simulated, 0.12, c.nodes.shares, masses);
    if (!RUGA_FAILED(status)) status = bound_create(p->context, c.bound, &space);
    if (!RUGA_FAILED(status)) status = bound_fit_make(space, &fit);
    if (!RUGA_FAILED(status)) status = bound_fit_factor(space, &fit, masses, 1, &plane_held);
    if (!RUGA_FAILED(status)) status = bound_projection_make(space, &fit, &projection);
    bench_require(!RUGA_FAILED(status), ruga_context_message(p->context));
    bound_projection_factor(space, &fit, masses, &projection);
    bound_projection_release(p->context, &projection);
    bound_fit_release(p->context, &fit);
    bound_destroy(space);
    free(masses);
    crease_release(&c);
}

static void step_plane(void *user) {
    plane *p = user;
    step_sheet(p->w, p->dt, 1, PLANE_STEPS);
}

static void make_plane(const bench_setup *bench, size_t scale, plane *p) {
    *p = (plane){.context = bench->context, .dt = 2e-5 / (double)scale};
    p->mesh = make_grid(bench->context, 50 * scale, 80 * scale, plane_place, NULL);
    draw_plane(p);
    p->c = cut_along(p->mesh, p->curves, 5);
    sheet_def sheet = {.mesh = p->mesh,
                       .creases = &p->c,
                       .is_bound = 1,
                       .kind = INTEGRATOR_SEMI_IMPLICIT,
                       .damping_time = cotton(p->mesh, INTEGRATOR_SEMI_IMPLICIT).damping_time,
                       .pin_count = 1,
                       .pins = &plane_held};
    p->w = make_sheet_world(&sheet);
    step_sheet(p->w, p->dt, 1, 10);
}

static void release_plane(plane *p) {
    world_destroy(p->w);
    crease_release(&p->c);
    for (int k = 0; k < 5; k++) ruga_curve_destroy(p->curves[k]);
    ruga_mesh_destroy(p->mesh);
}

static void measure_plane(const bench_setup *bench) {
    plane p;
    make_plane(bench, 1, &p);
    printf(
        "preparation: paper plane, %zu triangles cut into %zu (the paper: 8,716), %zu creases; cotton, semi_implicit, "
        "dt %.1g s; %d thread%s\n",
        p.mesh->triangle_count, p.c.nodes.simulated->triangle_count, p.c.lines.line_count, p.dt, bench->threads,
        bench->threads == 1 ? "" : "s");
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "cut, bind, factor",
                                                        .a = prepare_plane,
                                                        .b_name = "frame of 20 substeps",
                                                        .b = step_plane,
                                                        .user = &p,
                                                        .processor_time = bench->threads == 1,
                                                        .repetitions = bench->quick ? 9 : 31});
    release_plane(&p);
    for (size_t scale = 2; scale <= (bench->quick ? 4 : 11); scale += scale < 4 ? scale : 7) {
        make_plane(bench, scale, &p);
        bench_function *runs[2] = {prepare_plane, step_plane};
        double seconds[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            double all[5];
            for (int i = 0; i < 5; i++) all[i] = bench_time(NULL, runs[k], &p, bench->threads == 1);
            seconds[k] = bench_median(all, 5) / (k == 1 ? PLANE_STEPS : 1);
        }
        printf("  %9zu triangles: prepared in %9.3f ms, a substep %8.3f ms, ratio %.3g; %.3g us a triangle\n",
               p.mesh->triangle_count, 1e3 * seconds[0], 1e3 * seconds[1], seconds[0] / seconds[1],
               1e6 * seconds[0] / (double)p.mesh->triangle_count);
        release_plane(&p);
    }
    bench_figure("prepare_vs_step", r.ratio * PLANE_STEPS);
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "creases");
    measure_skirt(&bench);
    measure_remesh(&bench);
    measure_plane(&bench);
    bench_end(&bench);
    return 0;
}
