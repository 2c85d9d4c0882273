/* A flat sheet of cloth, pressed together by a tenth, has settled in wrinkles. Then every point is shaken by a
 * millimetre, more or less, and the solvers go back: from the same start to the same end, through errors of all
 * lengths. (From a start that is far from any rest they might choose different folds.)
 *
 * The reference remembers nothing from one iteration to the next, so that it may be stopped and looked at. The
 * accelerated solver starts again with every call: each point of its curve is a run of its own. */
#include "wrinkle_mesh_settle.h"

#include <math.h>

#include "mesh/topology.h"
#include "ruga/model.h"
#include "ruga/plot.h"
#include "ruga/wrinkle_mesh.h"
#include "solve/compliant_material.h"

#define WAVELENGTH 0.04 /* m */
#define COMPRESSION 0.1
#define SHAKE 1e-3            /* m, to either side in each direction */
#define REST_ITERATIONS 20000 /* accelerated; nothing moves after them but by rounding */
#define QUICK_REST 8000       /* with --quick; check_rest sees that they are enough */
#define GOAL 0.01
#define CURVE 48             /* looks */
#define MOST_ITERATIONS 9000 /* of the reference, which needs about 5,000 */
#define QUICK_ITERATIONS 500 /* of the plain loop with --quick: it needs seven times as many */

typedef struct settle {
    size_t count;
    compliant *solvers[2]; /* plain, accelerated */
    float *anchors, *normals;
    float *start, *end, *points; /* (count x 4) */
    double start_distance;       /* m */
} settle;

/* ---- The energy. */

typedef struct terms {
    compliant_spring *springs;
    compliant_curvature *curvatures;
    float *foundations;
} terms;

static terms allocate_terms(const topology *t) {
    terms made = {malloc(t->edge_count * sizeof *made.springs), malloc(t->pair_count * sizeof *made.curvatures),
                  malloc(t->vertex_count * sizeof *made.foundations)};
    bench_require(made.springs && made.curvatures && made.foundations, "no memory");
    return made;
}

/* Of the sheet as it is in `points`. */
static compliant_def make_terms(const ruga_mesh *mesh, const topology *t, const float *points, const terms *made) {
    sheet at_rest = {.edges = t,
                     .triangles = mesh->triangles,
                     .points = points,
                     .material = sheet_material_make(WAVELENGTH, SHEET_CRITICAL_STRAIN)};
    sheet_springs(&at_rest, made->springs);
    sheet_curvatures(&at_rest, made->curvatures);
    sheet_foundations(&at_rest, made->foundations);
    return (compliant_def){.point_count = t->vertex_count,
                           .spring_count = t->edge_count,
                           .springs = made->springs,
                           .curvature_count = t->pair_count,
                           .curvatures = made->curvatures,
                           .foundations = made->foundations,
                           .slide_stiffness = 1};
}

static void make_solvers(const ruga_mesh *mesh, settle *s) {
    ruga_context *context = mesh->context;
    topology *t = NULL;
    bench_require(!RUGA_FAILED(topology_build(context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &t)),
                  ruga_context_message(context));
    terms made = allocate_terms(t);
    compliant_def def = make_terms(mesh, t, s->points, &made);
    for (int i = 0; i < 2; i++) {
        def.method = i ? COMPLIANT_ACCELERATED : COMPLIANT_PLAIN;
        bench_require(!RUGA_FAILED(compliant_create(context, &def, &s->solvers[i])), ruga_context_message(context));
    }
    printf("  %zu points, %zu springs, %zu curvatures\n", def.point_count, def.spring_count, def.curvature_count);
    free(made.springs);
    free(made.curvatures);
    free(made.foundations);
    topology_destroy(t);
}

/* ---- Rest, and the return to it. */

static void run(settle *s, int method, int iterations) {
    sweep_limits limits = {.anchors = s->anchors, .normals = s->normals};
    compliant_run(s->solvers[method], &limits, iterations, s->points);
}

static void copy(const settle *s, float *to, const float *from) { memcpy(to, from, 4 * s->count * sizeof *to); }

/* Anchors on the compressed sheet; the points come along. */
static void press_to(const ruga_mesh *mesh, settle *s, double compression) {
    const double radius = sheet_radius(WAVELENGTH, SHEET_GREATEST_STRAIN);
    for (size_t i = 0; i < s->count; i++) {
        ruga_vec3 p = mesh->positions[i];
        p.x *= 1 - compression;
        const float anchor[4] = {(float)p.x, (float)p.y, (float)p.z, (float)radius};
        for (size_t k = 0; k < 3; k++) s->points[4 * i + k] += anchor[k] - s->anchors[4 * i + k];
        memcpy(s->anchors + 4 * i, anchor, sizeof anchor);
    }
}

/* Waves that the wrinkles grow from. */
static void seed(const ruga_mesh *mesh, settle *s) {
    for (size_t i = 0; i < s->count; i++)
        s->points[4 * i + 2] = (float)(1e-3 * cos(2 * 3.14159265358979 / WAVELENGTH * mesh->positions[i].x));
}

static void shake(settle *s) {
    for (size_t i = 0; i < 3 * s->count; i++)
        s->points[4 * (i / 3) + i % 3] += (float)(SHAKE * bench_scatter((uint32_t)i));
}

/* m, root mean square. */
static double distance(const settle *s, const float *a, const float *b) {
    double sum = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < 3; k++) sum += pow((double)a[4 * i + k] - (double)b[4 * i + k], 2);
    return sqrt(sum / (double)s->count);
}

static settle make_settle(const ruga_mesh *mesh, int rest_iterations) {
    settle s = {.count = mesh->vertex_count};
    float **arrays[] = {&s.anchors, &s.normals, &s.start, &s.end, &s.points};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = calloc(4 * s.count, sizeof(float));
        bench_require(*arrays[k] != NULL, "no memory");
    }
    press_to(mesh, &s, 0);
    make_solvers(mesh, &s);
    for (size_t i = 0; i < s.count; i++) s.normals[4 * i + 2] = 1;
    press_to(mesh, &s, COMPRESSION);
    seed(mesh, &s);
    run(&s, 1, rest_iterations);
    copy(&s, s.end, s.points);
    shake(&s);
    copy(&s, s.start, s.points);
    s.start_distance = distance(&s, s.start, s.end);
    return s;
}

static void release_settle(settle *s) {
    for (int i = 0; i < 2; i++) compliant_destroy(s->solvers[i]);
    float *arrays[] = {s->anchors, s->normals, s->start, s->end, s->points};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
}

/* ---- Distance against iterations. */

typedef struct curve {
    size_t count;
    double x[CURVE], y[CURVE]; /* iterations, later seconds; distance over that at the start */
    double goal;               /* x where it is GOAL, or where it was stopped */
    int was_stopped;
} curve;

static double distance_now(const settle *s) { return distance(s, s->points, s->end) / s->start_distance; }

/* The next number of iterations to look at: a quarter more. */
static int next_look(int iterations) { return iterations + (iterations + 3) / 4; }

/* The iterations between the last two looks at which the goal was passed; distances fall as powers. */
static void find_goal(curve *c) {
    size_t n = c->count;
    c->goal = c->x[n - 1];
    c->was_stopped = !(c->y[n - 1] <= GOAL);
    if (c->was_stopped) return;
    double part = log(c->y[n - 2] / GOAL) / log(c->y[n - 2] / c->y[n - 1]);
    c->goal = c->x[n - 2] + part * (c->x[n - 1] - c->x[n - 2]);
}

static curve follow(settle *s, int method, int most) {
    curve c = {.count = 1, .y = {1}};
    copy(s, s->points, s->start);
    for (int done = 0, look = 1; c.count < CURVE && look < most && c.y[c.count - 1] > GOAL;
         c.count++, look = next_look(look)) {
        if (method == 1) copy(s, s->points, s->start), done = 0;
        run(s, method, look - done);
        done = look;
        c.x[c.count] = look;
        c.y[c.count] = distance_now(s);
    }
    find_goal(&c);
    return c;
}

/* ---- Time. */

typedef struct contest {
    settle *s;
    int iterations[2];
} contest;

static void begin(void *user) {
    settle *s = ((contest *)user)->s;
    copy(s, s->points, s->start);
}
static void run_plain(void *user) { run(((contest *)user)->s, 0, ((contest *)user)->iterations[0]); }
static void run_accelerated(void *user) { run(((contest *)user)->s, 1, ((contest *)user)->iterations[1]); }

static void plot_curves(ruga_context *context, const curve curves[2], const char *path) {
    ruga_plot_series series[2] = {{.name = "coloured Gauss-Seidel, one thread"}, {.name = "accelerated, two threads"}};
    for (int i = 0; i < 2; i++) {
        series[i].x = curves[i].x + 1;
        series[i].y = curves[i].y + 1;
        series[i].count = curves[i].count - 1;
        series[i].kind = RUGA_PLOT_BOTH;
    }
    ruga_plot_reference goal = {.value = GOAL, .label = "1 %"};
    ruga_plot_def def = ruga_plot_def_default();
    def.title = "Wrinkles that settle";
    def.x_label = "time (s)";
    def.y_label = "distance to rest, over that at the start";
    def.x_log = def.y_log = 1;
    def.series_count = 2;
    def.series = series;
    def.reference_count = 1;
    def.references = &goal;
    bench_require(!RUGA_FAILED(ruga_plot_write_svg(context, &def, path)), ruga_context_message(context));
    printf("  plot: %s\n", path);
}

static void check_rest(settle *s) {
    copy(s, s->points, s->end);
    run(s, 0, 100);
    double moved = distance_now(s);
    printf("  shaken by %.3g m; a hundred iterations of the reference leave the rest by %.2g of that\n",
           s->start_distance, moved);
    bench_require(moved < GOAL / 10, "the two solvers settle in different places");
}

void measure_settle(const bench_setup *bench, const ruga_mesh *mesh, const char *plot) {
    settle s = make_settle(mesh, bench->quick ? QUICK_REST : REST_ITERATIONS);
    check_rest(&s);
    curve curves[2] = {follow(&s, 0, bench->quick ? QUICK_ITERATIONS : MOST_ITERATIONS),
                       follow(&s, 1, MOST_ITERATIONS)};
    bench_require(!curves[1].was_stopped && (bench->quick || !curves[0].was_stopped), "a solver did not settle");
    contest c = {&s, {20, (int)ceil(curves[1].goal)}};
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "plain, 20 iterations",
                                                        .b_name = "accelerated, to 1 %",
                                                        .a = run_plain,
                                                        .b = run_accelerated,
                                                        .a_before = begin,
                                                        .b_before = begin,
                                                        .user = &c});
    const double each[2] = {r.a / c.iterations[0], r.b / c.iterations[1]};
    for (int i = 0; i < 2; i++) {
        printf("  %s: %s after %.0f iterations, %.2f ms\n", i ? "accelerated, 2 threads" : "plain, 1 thread",
               curves[i].was_stopped ? "stopped" : "1 %", curves[i].goal, 1e3 * curves[i].goal * each[i]);
        for (size_t k = 0; k < curves[i].count; k++) curves[i].x[k] *= each[i];
    }
    plot_curves(mesh->context, curves, plot);
    if (curves[0].was_stopped) printf("  the plain loop was stopped: settle_gain is a lower bound\n");
    bench_figure("settle_gain", r.ratio * curves[0].goal / c.iterations[0]);
    release_settle(&s);
}

/* ---- The first frame: an arm at 120 degrees, settled from rest. */

enum { ARM_PARTS = 4, LOOK = 32, MOST_LOOKS = 256 };

typedef struct first_frame {
    ruga_wrinkle_mesh *wrinkles;
    ruga_view pose, read;
    ruga_vec3 *base, *now;
    ruga_vec3 *start, *end; /* (fine vertices) */
    size_t count;
    int most; /* iterations until it is settled; 0: as many as it takes */
    int iterations;
} first_frame;

/* Returns whether it has converged; *done: iterations. */
static int settle_counted(first_frame *f, double tolerance, int iterations, int *done) {
    const ruga_status status = ruga_wrinkle_mesh_settle(f->wrinkles, &f->pose, NULL, tolerance, iterations, done);
    bench_require(!RUGA_FAILED(status), "an arm did not settle");
    return status == RUGA_OK;
}

static void settle_first(first_frame *f, double tolerance, int iterations) {
    int done = 0;
    (void)settle_counted(f, tolerance, iterations, &done);
}

static void take_positions(first_frame *f, ruga_vec3 *out) {
    f->read.data = out;
    bench_require(!RUGA_FAILED(ruga_wrinkle_mesh_read(f->wrinkles, &f->read, NULL)), "reading failed");
}

static double distance_squared(const first_frame *f, const ruga_vec3 *a) {
    double sum = 0;
    for (size_t v = 0; v < f->count; v++)
        sum += pow(a[v].x - f->end[v].x, 2) + pow(a[v].y - f->end[v].y, 2) + pow(a[v].z - f->end[v].z, 2);
    return sum;
}

/* An arm of so many segments along and around. */
static first_frame make_first(ruga_context *context, int along, int around, int most) {
    static const double bend[] = {120, 2, 1, 1};
    const double values[] = {0.66, along, around, 0.32};
    first_frame f = {.most = most};
    ruga_mesh *arm = NULL, *fine = NULL;
    ruga_motion *motion = NULL;
    ruga_subdivide_def parts = ruga_subdivide_def_default();
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    parts.n = ARM_PARTS;
    def.wavelength = NAN;
    def.pre_stretch.constant = 1;
    bench_require(!RUGA_FAILED(ruga_model_make(context, "arm", values, &arm)) &&
                      !RUGA_FAILED(ruga_model_motion(context, "arm", values, "bend", bend, &motion)) &&
                      !RUGA_FAILED(ruga_wrinkle_mesh_create_subdivided(arm, &parts, &def, &fine, &f.wrinkles)),
                  ruga_context_message(context));
    f.count = fine->vertex_count;
    ruga_vec3 **arrays[] = {&f.now, &f.start, &f.end};
    for (size_t k = 0; k < 3; k++) *arrays[k] = malloc(f.count * sizeof(ruga_vec3));
    f.base = malloc(arm->vertex_count * sizeof *f.base);
    bench_require(f.base && f.now && f.start && f.end, "no memory");
    bench_require(!RUGA_FAILED(ruga_motion_sample(motion, 1, f.base)), "no pose");
    f.pose = (ruga_view){f.base, arm->vertex_count, 0, RUGA_F64};
    f.read = (ruga_view){NULL, f.count, 0, RUGA_F64};
    printf("first frame, compliant: an arm of %zu triangles on %zu, bent by 120 degrees\n", fine->triangle_count,
           arm->triangle_count);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(arm);
    return f;
}

static int is_near(first_frame *f, double goal, int looks) {
    settle_first(f, 1e-9, LOOK * looks);
    take_positions(f, f->now);
    return distance_squared(f, f->now) <= goal;
}

/* The iterations after which the positions stay within 1 % of the settled ones, relative to the first iteration's. */
static void find_iterations(first_frame *f) {
    int done = 0;
    const int settled = settle_counted(f, 1e-6, f->most, &done);
    printf("  the settled positions: %s after %d iterations\n",
           settled ? "converged to 1e-6 of a radius" : "NOT converged, the best known,", done);
    take_positions(f, f->end);
    settle_first(f, 1e-6, 1);
    take_positions(f, f->start);
    const double goal = GOAL * GOAL * distance_squared(f, f->start);
    /* Every look settles from the start: twice as far until it is near enough, then between the last two. */
    int before = 0, after = 1;
    while (after < MOST_LOOKS && !is_near(f, goal, after)) before = after, after *= 2;
    bench_require(after < MOST_LOOKS, "an arm did not settle within 1 %");
    while (after - before > 1) {
        int middle = (before + after) / 2;
        if (is_near(f, goal, middle))
            after = middle;
        else
            before = middle;
    }
    f->iterations = LOOK * after;
}

static void run_first(void *user) { settle_first(user, 1e-9, ((first_frame *)user)->iterations); }

static void run_update(void *user) {
    first_frame *f = user;
    bench_require(!RUGA_FAILED(ruga_wrinkle_mesh_update(f->wrinkles, &f->pose, NULL)), "an update failed");
}

static void measure_first(const bench_setup *bench, first_frame f, const char *figure) {
    find_iterations(&f);
    printf("  within 1 %% of the settled positions after %d iterations\n", f.iterations);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "settle to 1 %, 1 thread",
                                                        .b_name = "update, 1 thread",
                                                        .a = run_first,
                                                        .b = run_update,
                                                        .user = &f,
                                                        .processor_time = 1,
                                                        .repetitions = f.most ? 1 : 5,
                                                        .b_runs = f.most ? 5 : 20});
    bench_figure(figure, r.ratio);
    ruga_wrinkle_mesh_destroy(f.wrinkles);
    ruga_vec3 *arrays[] = {f.base, f.now, f.start, f.end};
    for (size_t k = 0; k < 4; k++) free(arrays[k]);
}

void measure_first_settle(const bench_setup *bench, ruga_context *context) {
    measure_first(bench, make_first(context, 43, 24, 0), "settle_vs_update");
}

void measure_first_settle_million(const bench_setup *bench, ruga_context *context) {
    measure_first(bench, make_first(context, 240, 134, 3000), "settle_vs_update_1m");
}
