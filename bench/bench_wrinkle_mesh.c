/* The cost of wrinkle meshes: a square metre of irregular cloth, 32,768 fine triangles on 2,048 coarse ones, ten
 * iterations, as in Müller and Chentanez 2010, who report 5 ms. Constraints are the edges and the opposite vertices of
 * neighbouring triangles. The fine mesh is an irregular triangulation of its own, bound by closest points.
 *
 *   coloured_vs_fast_1    the plain scalar loop with its constraints in the order of a greedy colouring over the fast
 *                         path, constraints only, one thread
 *   coloured_vs_fast_2    the same over the fast path on two threads
 *   bullet_vs_fast_1      the same constraints as links of a Bullet soft body, in the order in which they were made,
 *                         over the fast path, one thread; with its links shuffled and reordered beside it
 *   rest_vs_coloured      a whole update and the reading of its result less the fast path's constraints, one thread,
 *                         over the plain loop by colours: attachments, normals, limits of points, copies
 *   update_ms_1, _2       a whole update and the reading of its result, on one and two threads, ms; compliant_ms_1, _2:
 *                         the same of the compliant form
 *   compliant_vs_projection  an update with the compliant solver over one with projection, one thread
 *   settle_vs_update      wrinkle_mesh_settle.h: the first settle of a bent arm over an update, one thread; _1m: with a
 *                         million triangles, not with --quick
 *   settle_gain           wrinkle_mesh_settle.h; the curve of distances against time is drawn to
 *                         wrinkle_mesh_settle.svg in the current folder, or where --plot says
 *   skirt_ms_1, _2        an update of a skirt of 112,000 triangles, five iterations
 *   growth_32k_1m, _2     time per triangle of an update of 1,048,576 triangles over that of 32,768, on one and on two
 *                         threads, which then share the bandwidth of the memory
 *
 * Parts, for --only: constraints, updates, settle, first, million, skirt, growth.
 *
 * One-thread comparisons are of the processor's time, all others of the wall's. */
#include <math.h>

#include "base/memory.h"
#include "bench.h"
#include "mesh/topology.h"
#include "ruga/ruga.h"
#include "ruga/wrinkle_mesh.h"
#include "solve/sweeps.h"
#include "wrinkle_mesh_settle.h"

#ifdef BENCH_BULLET
#include "bullet_links.h"
#endif

#define BASE_CELLS 32 /* 2,048 triangles */
#define PARTS 4       /* of an edge of the base: 32,768 fine triangles */
#define ITERATIONS 10
#define RUNS 5 /* of ten iterations each, timed together: one takes about as long as a switch of programs */
#define TURNS 41
#define QUICK_TURNS 7
#define PRE_STRETCH 0.9f
#define BENDING 0.5f
#define WAVELENGTH 0.08 /* m, of the compliant ones */
#define SKIRT_ITERATIONS 5

static ruga_context *make_context(int threads) {
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = threads;
    ruga_context *context = NULL;
    bench_require(!RUGA_FAILED(ruga_context_create(&def, &context)), "no context; check RUGA_ISA");
    return context;
}

static int turns(const bench_setup *bench) { return bench->quick ? QUICK_TURNS : TURNS; }

/* ---- The cloth. */

static ruga_mesh *make_sheet(ruga_context *context, size_t columns, size_t rows) {
    const double values[8] = {(double)columns / (double)rows, 1, (double)columns, (double)rows, 2, 0, 1, 1};
    ruga_mesh *mesh = NULL;
    bench_require(ruga_model_find("sheet")->field_count == 8, "a sheet has other parameters than it had");
    bench_require(!RUGA_FAILED(ruga_model_make(context, "sheet", values, &mesh)), ruga_context_message(context));
    bench_require(mesh->triangle_count == 2 * columns * rows, "a sheet has other triangles than it had");
    return mesh;
}

/* The sheet pressed together along its width and swung out of its plane. */
static ruga_vec3 press(ruga_vec3 p, double compression, double phase) {
    return (ruga_vec3){p.x * (1 - compression), p.y, p.z + 0.1 * sin(4 * p.x + 3 * p.y + phase)};
}

/* ---- Constraints only. */

typedef struct work {
    size_t point_count, constraint_count;
    sweep_constraint *constraints, *coloured; /* in the mesh's order, and by colours */
    sweeps *fast[2];                          /* on one and on two threads */
    float *start, *points;                    /* (point_count x 4) */
    float *slots;                             /* (slots x 4) */
} work;

static sweep_constraint make_constraint(const ruga_mesh *mesh, uint32_t a, uint32_t b, float stiffness) {
    ruga_vec3 p = mesh->positions[a], q = mesh->positions[b];
    double length = sqrt((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z));
    return (sweep_constraint){{a, b}, PRE_STRETCH * (float)length, stiffness};
}

/* Edges, then opposite vertices, each in the order of the mesh. */
static void list_constraints(const ruga_mesh *mesh, work *w) {
    topology *t = NULL;
    bench_require(
        !RUGA_FAILED(topology_build(mesh->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &t)),
        ruga_context_message(mesh->context));
    w->constraint_count = t->edge_count + t->pair_count;
    w->constraints = malloc(w->constraint_count * sizeof *w->constraints);
    bench_require(w->constraints != NULL, "no memory");
    for (size_t e = 0; e < t->edge_count; e++)
        w->constraints[e] = make_constraint(mesh, t->edge_vertices[2 * e], t->edge_vertices[2 * e + 1], 1);
    for (size_t p = 0; p < t->pair_count; p++)
        w->constraints[t->edge_count + p] = make_constraint(mesh, t->pairs[4 * p + 2], t->pairs[4 * p + 3], BENDING);
    topology_destroy(t);
}

/* Greedy colouring: each constraint gets the first colour that neither of its ends has yet, and those of a colour stay
 * in the order of the mesh. Neighbours in the list then share no point, and the processor works on several at once. */
static int colour_constraints(work *w) {
    enum { COLOURS = 64 };
    uint64_t *used = calloc(w->point_count, sizeof *used);
    uint8_t *colours = malloc(w->constraint_count);
    size_t begin[COLOURS + 1] = {0};
    w->coloured = malloc(w->constraint_count * sizeof *w->coloured);
    bench_require(used && colours && w->coloured, "no memory");
    for (size_t i = 0; i < w->constraint_count; i++) {
        const uint32_t *ends = w->constraints[i].points;
        uint64_t taken = used[ends[0]] | used[ends[1]];
        int colour = 0;
        while (colour < COLOURS && taken >> colour & 1) colour++;
        bench_require(colour < COLOURS, "too few colours");
        used[ends[0]] |= (uint64_t)1 << colour;
        used[ends[1]] |= (uint64_t)1 << colour;
        colours[i] = (uint8_t)colour;
        begin[colour + 1]++;
    }
    int count = 0;
    while (count < COLOURS && begin[count + 1]) count++;
    for (int c = 0; c < count; c++) begin[c + 1] += begin[c];
    for (size_t i = 0; i < w->constraint_count; i++) w->coloured[begin[colours[i]]++] = w->constraints[i];
    free(used);
    free(colours);
    return count;
}

static void place_points(const ruga_mesh *mesh, work *w) {
    w->start = calloc(4 * w->point_count, sizeof *w->start);
    w->points = calloc(4 * w->point_count, sizeof *w->points);
    bench_require(w->start && w->points, "no memory");
    for (size_t i = 0; i < w->point_count; i++) {
        ruga_vec3 p = press(mesh->positions[i], 0.2, 0);
        const double point[3] = {p.x, p.y, p.z + 1e-3 * bench_scatter((uint32_t)i)};
        for (int k = 0; k < 3; k++) w->start[4 * i + (size_t)k] = (float)point[k];
    }
}

static void begin_plain(void *user) {
    work *w = user;
    memcpy(w->points, w->start, 4 * w->point_count * sizeof *w->points);
}

/* Padding has points of its own, somewhere. */
static void begin_fast(void *user) {
    work *w = user;
    const uint32_t *order = sweeps_order(w->fast[0]);
    for (size_t i = 0; i < sweeps_slot_count(w->fast[0]); i++) {
        size_t from = order[i] == UINT32_MAX ? 0 : order[i];
        memcpy(w->slots + 4 * i, w->start + 4 * from, 4 * sizeof *w->slots);
    }
}

static sweep_terms only(const work *w, const sweep_constraint *constraints) {
    return (sweep_terms){.constraint_count = w->constraint_count, .constraints = constraints};
}

static void run_plain(work *w, const sweep_constraint *constraints) {
    sweep_terms terms = only(w, constraints);
    sweeps_plain(&terms, NULL, ITERATIONS, w->points, w->point_count);
}

static void run_mesh_order(void *user) {
    work *w = user;
    for (int i = 0; i < RUNS; i++) run_plain(w, w->constraints);
}

static void run_coloured(void *user) {
    work *w = user;
    for (int i = 0; i < RUNS; i++) run_plain(w, w->coloured);
}

static void run_fast_1(void *user) {
    work *w = user;
    for (int i = 0; i < RUNS; i++) sweeps_run(w->fast[0], NULL, ITERATIONS, w->slots);
}

static void run_fast_2(void *user) {
    work *w = user;
    for (int i = 0; i < RUNS; i++) sweeps_run(w->fast[1], NULL, ITERATIONS, w->slots);
}

/* The fast path does what the plain loop does in the same order, on any number of threads. */
static void check_fast(work *w) {
    const uint32_t *order = sweeps_constraint_order(w->fast[0]), *slots = sweeps_order(w->fast[0]);
    const size_t slot_count = sweeps_slot_count(w->fast[0]);
    sweep_constraint *ordered = malloc(w->constraint_count * sizeof *ordered);
    float *first = malloc(4 * slot_count * sizeof *first);
    bench_require(ordered && first, "no memory");
    for (size_t i = 0; i < w->constraint_count; i++) ordered[i] = w->constraints[order[i]];
    begin_plain(w);
    run_plain(w, ordered);
    begin_fast(w);
    sweeps_run(w->fast[0], NULL, ITERATIONS, w->slots);
    memcpy(first, w->slots, 4 * slot_count * sizeof *first);
    begin_fast(w);
    sweeps_run(w->fast[1], NULL, ITERATIONS, w->slots);
    double apart = 0;
    for (size_t i = 0; i < slot_count; i++)
        for (size_t k = 0; k < 3 && slots[i] != UINT32_MAX; k++) {
            bench_require(w->slots[4 * i + k] == first[4 * i + k], "two threads give other bits than one");
            apart = fmax(apart, fabs((double)first[4 * i + k] - (double)w->points[4 * slots[i] + k]));
        }
    printf("  fast path and plain loop in the same order are %.2g m apart at most\n", apart);
    bench_require(apart < 1e-5, "the fast path does not do what the plain loop does");
    free(ordered);
    free(first);
}

static work make_work(const ruga_mesh *mesh, ruga_context *const contexts[2]) {
    work w = {.point_count = mesh->vertex_count};
    list_constraints(mesh, &w);
    int colours = colour_constraints(&w);
    place_points(mesh, &w);
    sweep_terms terms = only(&w, w.constraints);
    for (int i = 0; i < 2; i++)
        bench_require(!RUGA_FAILED(sweeps_create(contexts[i], w.point_count, &terms, &w.fast[i])),
                      ruga_context_message(contexts[i]));
    w.slots = memory_allocate_aligned(contexts[0], 4 * sweeps_slot_count(w.fast[0]), sizeof *w.slots);
    bench_require(w.slots != NULL, "no memory");
    printf("  %zu points in %zu slots, %zu constraints, %d colours\n", w.point_count, sweeps_slot_count(w.fast[0]),
           w.constraint_count, colours);
    return w;
}

static void release_work(ruga_context *context, work *w) {
    for (int i = 0; i < 2; i++) sweeps_destroy(w->fast[i]);
    memory_release_aligned(context, w->slots);
    free(w->constraints);
    free(w->coloured);
    free(w->start);
    free(w->points);
}

static bench_pair compare(const bench_setup *bench, work *w, const char *name, bench_function *other, int threads) {
    return (bench_pair){.a_name = name,
                        .b_name = threads == 1 ? "fast path, 1 thread" : "fast path, 2 threads",
                        .a = other,
                        .b = threads == 1 ? run_fast_1 : run_fast_2,
                        .a_before = begin_plain,
                        .b_before = begin_fast,
                        .user = w,
                        .processor_time = threads == 1,
                        .repetitions = turns(bench),
                        .items = (double)w->constraint_count * ITERATIONS * RUNS,
                        .item_name = "constraints"};
}

static void measure_constraints(const bench_setup *bench, work *w) {
    bench_pair mesh_order = compare(bench, w, "plain, in the mesh's order", run_mesh_order, 1);
    bench_pair one = compare(bench, w, "plain, by colours", run_coloured, 1);
    bench_pair two = compare(bench, w, "plain, by colours", run_coloured, 2);
    bench_compare(bench, &mesh_order);
    bench_figure("coloured_vs_fast_1", bench_compare(bench, &one).ratio);
    bench_figure("coloured_vs_fast_2", bench_compare(bench, &two).ratio);
}

/* ---- Bullet. */

#ifdef BENCH_BULLET

typedef struct race {
    work *ours;
    bullet_links *bullet;
} race;

static void begin_race_bullet(void *user) {
    race *r = user;
    bullet_links_place(r->bullet, r->ours->start);
}

static void begin_race_ours(void *user) { begin_fast(((race *)user)->ours); }

static void run_race_bullet(void *user) {
    for (int i = 0; i < RUNS; i++) bullet_links_solve(((race *)user)->bullet, ITERATIONS);
}

static void run_race_ours(void *user) { run_fast_1(((race *)user)->ours); }

/* How far lengths are off after ten iterations, as a root mean square: both do the same work. */
static double length_error(const work *w, const float *points) {
    double sum = 0;
    for (size_t i = 0; i < w->constraint_count; i++) {
        const float *p = points + 4 * (size_t)w->constraints[i].points[0];
        const float *q = points + 4 * (size_t)w->constraints[i].points[1];
        double length = sqrt(pow(q[0] - p[0], 2) + pow(q[1] - p[1], 2) + pow(q[2] - p[2], 2));
        sum += pow(length / w->constraints[i].length - 1, 2);
    }
    return sqrt(sum / (double)w->constraint_count);
}

static void check_bullet(work *w, bullet_links *bullet) {
    const double before = length_error(w, w->start);
    bullet_links_place(bullet, w->start);
    bullet_links_solve(bullet, ITERATIONS);
    bullet_links_read(bullet, w->points);
    const double theirs = length_error(w, w->points);
    begin_plain(w);
    run_plain(w, w->constraints);
    const double plain = length_error(w, w->points);
    printf(
        "  lengths are off by %.3f %% before, by %.3f %% after ten iterations of Bullet, %.3f %% of the plain loop\n",
        100 * before, 100 * theirs, 100 * plain);
    bench_require(theirs < 1.5 * plain && plain < 1.5 * theirs, "Bullet's links do other work than the plain loop");
}

static double race_bullet(const bench_setup *bench, work *w, const bullet_link *links, bullet_order order,
                          const char *name) {
    race r = {w, bullet_links_create(w->point_count, w->start, links, w->constraint_count, order)};
    if (order == BULLET_ORDER_DEFAULT) check_bullet(w, r.bullet);
    bench_pair pair = compare(bench, w, name, run_race_bullet, 1);
    pair.a_before = begin_race_bullet;
    pair.b_before = begin_race_ours;
    pair.b = run_race_ours;
    pair.user = &r;
    double ratio = bench_compare(bench, &pair).ratio;
    bullet_links_destroy(r.bullet);
    return ratio;
}

static void measure_bullet(const bench_setup *bench, work *w) {
    bullet_link *links = malloc(w->constraint_count * sizeof *links);
    bench_require(links != NULL, "no memory");
    for (size_t i = 0; i < w->constraint_count; i++) {
        const sweep_constraint *c = &w->constraints[i];
        links[i] = (bullet_link){{c->points[0], c->points[1]}, c->length, c->stiffness};
    }
    double ratio = race_bullet(bench, w, links, BULLET_ORDER_DEFAULT, "Bullet, links as made");
    race_bullet(bench, w, links, BULLET_ORDER_SHUFFLED, "Bullet, links shuffled");
    race_bullet(bench, w, links, BULLET_ORDER_REORDERED, "Bullet, links reordered");
    bench_figure("bullet_vs_fast_1", ratio);
    free(links);
}

#else

static void measure_bullet(const bench_setup *bench, work *w) {
    (void)bench, (void)w;
    printf("Bullet: left out, it was not there when this was built (on Debian: libbullet-dev)\n");
}

#endif

/* ---- Whole updates: from the base's positions in the caller's buffer to the fine mesh's positions and normals in
 * others. */

typedef struct engine {
    ruga_wrinkle_mesh *wrinkles;
    size_t base_count, fine_count, triangle_count;
    float *poses[2]; /* (base_count x 3): two frames that follow each other */
    float *positions, *normals;
    int runs, frame;
} engine;

typedef struct engine_setup {
    ruga_mesh *base, *fine; /* fine NULL: the base, each edge cut into PARTS */
    ruga_wrinkle_mesh_def def;
    int runs;
} engine_setup;

static void make_poses(const ruga_mesh *base, engine *e) {
    for (int frame = 0; frame < 2; frame++) {
        e->poses[frame] = malloc(3 * e->base_count * sizeof **e->poses);
        bench_require(e->poses[frame] != NULL, "no memory");
        for (size_t i = 0; i < e->base_count; i++) {
            ruga_vec3 p = press(base->positions[i], 0.2, 0.02 * frame);
            const double point[3] = {p.x, p.y, p.z};
            for (size_t k = 0; k < 3; k++) e->poses[frame][3 * i + k] = (float)point[k];
        }
    }
}

static ruga_status make_wrinkles(const engine_setup *setup, ruga_wrinkle_mesh **out) {
    if (setup->fine) return ruga_wrinkle_mesh_create(setup->base, setup->fine, &setup->def, out);
    ruga_subdivide_def cut = ruga_subdivide_def_default();
    cut.n = PARTS;
    ruga_mesh *fine = NULL;
    ruga_status status = ruga_wrinkle_mesh_create_subdivided(setup->base, &cut, &setup->def, &fine, out);
    ruga_mesh_destroy(fine);
    return status;
}

static engine make_engine(const engine_setup *setup) {
    engine e = {.base_count = setup->base->vertex_count, .runs = setup->runs};
    bench_require(!RUGA_FAILED(make_wrinkles(setup, &e.wrinkles)), ruga_context_message(setup->base->context));
    ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(e.wrinkles);
    e.fine_count = report.fine_vertices;
    e.triangle_count = report.fine_triangles;
    make_poses(setup->base, &e);
    e.positions = malloc(3 * e.fine_count * sizeof *e.positions);
    e.normals = malloc(3 * e.fine_count * sizeof *e.normals);
    bench_require(e.positions && e.normals, "no memory");
    return e;
}

static void release_engine(engine *e) {
    ruga_wrinkle_mesh_destroy(e->wrinkles);
    for (int i = 0; i < 2; i++) free(e->poses[i]);
    free(e->positions);
    free(e->normals);
}

static void run_engine(engine *e) {
    ruga_view positions = {e->positions, e->fine_count, 0, RUGA_F32},
              normals = {e->normals, e->fine_count, 0, RUGA_F32};
    for (int i = 0; i < e->runs; i++) {
        ruga_view base = {e->poses[e->frame++ % 2], e->base_count, 0, RUGA_F32};
        bench_require(!RUGA_FAILED(ruga_wrinkle_mesh_update(e->wrinkles, &base, NULL)), "an update failed");
        bench_require(!RUGA_FAILED(ruga_wrinkle_mesh_read(e->wrinkles, &positions, &normals)), "reading failed");
    }
}

typedef struct two_engines {
    engine a, b;
} two_engines;

static void run_engine_a(void *user) { run_engine(&((two_engines *)user)->a); }
static void run_engine_b(void *user) { run_engine(&((two_engines *)user)->b); }

static ruga_wrinkle_mesh_def wrinkle_def(ruga_wrinkle_solver solver, int iterations) {
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.solver = solver;
    def.iterations = iterations;
    def.bending.constant = BENDING;
    if (solver == RUGA_WRINKLE_COMPLIANT) def.wavelength = WAVELENGTH;
    return def;
}
/* The rest of an update besides its constraints: attachments, limits, normals, copies. Its time less that of the fast
 * path's constraints, within each turn. */
static void measure_rest(const bench_setup *bench, work *w, engine *e) {
    enum { MOST = 101 };
    double coloured[MOST], fast[MOST], update[MOST], ratios[MOST];
    const int count = turns(bench);
    for (int i = -1; i < count; i++) {
        int k = i < 0 ? 0 : i;
        coloured[k] = bench_time(begin_plain, run_coloured, w, 1);
        fast[k] = bench_time(begin_fast, run_fast_1, w, 1);
        update[k] = bench_time(NULL, run_engine_a, e, 1);
        ratios[k] = (update[k] - fast[k]) / coloured[k];
    }
    bench_row("plain, by colours", bench_median(coloured, count), 0, NULL);
    bench_row("fast path, 1 thread", bench_median(fast, count), 0, NULL);
    bench_row("whole update, 1 thread", bench_median(update, count), 0, NULL);
    double ratio = bench_median(ratios, count);
    printf("  update less constraints, over the plain loop %.3f (median of %d turns, %.3f to %.3f)\n", ratio, count,
           ratios[0], ratios[count - 1]);
    bench_figure("rest_vs_coloured", ratio);
}

/* The same update on one and on two threads; times are of one update. */
static bench_result measure_threads(const bench_setup *bench, two_engines *engines) {
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "whole update, 1 thread",
                                                        .b_name = "whole update, 2 threads",
                                                        .a = run_engine_a,
                                                        .b = run_engine_b,
                                                        .user = engines,
                                                        .repetitions = turns(bench),
                                                        .items = (double)engines->a.triangle_count * engines->a.runs,
                                                        .item_name = "triangles"});
    r.a /= engines->a.runs;
    r.b /= engines->b.runs;
    return r;
}

/* A base and a fine mesh for each context: one and two threads. */
typedef struct subject {
    ruga_mesh *base[2], *fine[2]; /* fine NULL: the base's edges cut into PARTS */
} subject;

static subject make_sheets(ruga_context *const contexts[2], size_t columns, size_t rows) {
    subject s = {0};
    for (int i = 0; i < 2; i++) {
        s.base[i] = make_sheet(contexts[i], columns, rows);
        s.fine[i] = make_sheet(contexts[i], PARTS * columns, PARTS * rows);
    }
    return s;
}

static subject make_skirts(ruga_context *const contexts[2]) {
    const double values[8] = {0.155, 0.42, 0.6, 0.8, 1.1, 70, 50, 0};
    subject s = {0};
    for (int i = 0; i < 2; i++)
        bench_require(!RUGA_FAILED(ruga_model_make(contexts[i], "skirt", values, &s.base[i])),
                      ruga_context_message(contexts[i]));
    return s;
}

static void release_subject(subject *s) {
    for (int i = 0; i < 2; i++) {
        ruga_mesh_destroy(s->base[i]);
        ruga_mesh_destroy(s->fine[i]);
    }
}

static two_engines make_engines(const subject *s, const ruga_wrinkle_mesh_def *def) {
    two_engines engines = {0};
    engine *each[2] = {&engines.a, &engines.b};
    for (int i = 0; i < 2; i++) *each[i] = make_engine(&(engine_setup){s->base[i], s->fine[i], *def, RUNS});
    return engines;
}

static void release_engines(two_engines *engines) {
    release_engine(&engines->a);
    release_engine(&engines->b);
}

/* An update with each solver, everything else the same. */
static void measure_solvers(const bench_setup *bench, const subject *s) {
    const ruga_wrinkle_mesh_def projection = wrinkle_def(RUGA_WRINKLE_PROJECTION, ITERATIONS),
                                soft = wrinkle_def(RUGA_WRINKLE_COMPLIANT, ITERATIONS);
    two_engines engines = {make_engine(&(engine_setup){s->base[0], s->fine[0], soft, RUNS}),
                           make_engine(&(engine_setup){s->base[0], s->fine[0], projection, RUNS})};
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "compliant, 1 thread",
                                                        .b_name = "projection, 1 thread",
                                                        .a = run_engine_a,
                                                        .b = run_engine_b,
                                                        .user = &engines,
                                                        .processor_time = 1,
                                                        .repetitions = turns(bench)});
    bench_figure("compliant_vs_projection", r.ratio);
    release_engines(&engines);
}

static void measure_updates(const bench_setup *bench, work *w, const subject *s) {
    ruga_wrinkle_mesh_def def = wrinkle_def(RUGA_WRINKLE_PROJECTION, ITERATIONS);
    two_engines engines = make_engines(s, &def);
    ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(engines.a.wrinkles);
    bench_require(report.edges + report.bends == w->constraint_count, "an update has other constraints");
    printf("whole updates, projection: %zu triangles on %zu; %d updates of %d iterations\n", s->fine[0]->triangle_count,
           s->base[0]->triangle_count, RUNS, ITERATIONS);
    measure_rest(bench, w, &engines.a);
    bench_result projection = measure_threads(bench, &engines);
    release_engines(&engines);
    printf("whole updates, compliant: the same; wavelength %g m\n", WAVELENGTH);
    def = wrinkle_def(RUGA_WRINKLE_COMPLIANT, ITERATIONS);
    engines = make_engines(s, &def);
    bench_result soft = measure_threads(bench, &engines);
    release_engines(&engines);
    measure_solvers(bench, s);
    bench_figure("update_ms_1", projection.a * 1e3);
    bench_figure("update_ms_2", projection.b * 1e3);
    bench_figure("compliant_ms_1", soft.a * 1e3);
    bench_figure("compliant_ms_2", soft.b * 1e3);
}

static void measure_skirt(const bench_setup *bench, ruga_context *const contexts[2]) {
    subject s = make_skirts(contexts);
    ruga_wrinkle_mesh_def def = wrinkle_def(RUGA_WRINKLE_PROJECTION, SKIRT_ITERATIONS);
    two_engines engines = make_engines(&s, &def);
    printf("skirt, projection: %zu triangles on %zu; %d updates of %d iterations\n", engines.a.triangle_count,
           s.base[0]->triangle_count, RUNS, SKIRT_ITERATIONS);
    bench_result r = measure_threads(bench, &engines);
    release_engines(&engines);
    release_subject(&s);
    bench_figure("skirt_ms_1", r.a * 1e3);
    bench_figure("skirt_ms_2", r.b * 1e3);
}

/* ---- Growth: a million triangles against 32 thousand, of the same density of base to fine. */

static void measure_growth(const bench_setup *bench, ruga_context *const contexts[2], const subject *small) {
    subject large = make_sheets(contexts, 8 * BASE_CELLS, 4 * BASE_CELLS);
    ruga_wrinkle_mesh_def def = wrinkle_def(RUGA_WRINKLE_PROJECTION, ITERATIONS);
    for (int i = 0; i < 2; i++) {
        two_engines engines = {make_engine(&(engine_setup){large.base[i], large.fine[i], def, 1}),
                               make_engine(&(engine_setup){small->base[i], small->fine[i], def, 2 * RUNS})};
        double scale = (double)engines.b.runs * (double)engines.b.triangle_count / (double)engines.a.triangle_count;
        printf("growth, projection: one update of %zu triangles, %d of %zu; %d iterations; %d thread%s\n",
               engines.a.triangle_count, engines.b.runs, engines.b.triangle_count, ITERATIONS, i + 1, i ? "s" : "");
        bench_result r = bench_compare(bench, &(bench_pair){.a_name = "a million triangles",
                                                            .b_name = "32 thousand triangles",
                                                            .a = run_engine_a,
                                                            .b = run_engine_b,
                                                            .user = &engines,
                                                            .processor_time = i == 0});
        bench_figure(i ? "growth_32k_1m_2" : "growth_32k_1m", r.ratio * scale);
        release_engines(&engines);
    }
    release_subject(&large);
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "wrinkle meshes");
    ruga_context *contexts[2] = {make_context(1), make_context(2)};
    subject sheets = make_sheets(contexts, BASE_CELLS, BASE_CELLS);
    const int constraints = bench_wants(&bench, "constraints"), updates = bench_wants(&bench, "updates");
    if (constraints || updates) {
        printf("constraints only: irregular sheet of %zu triangles; %d times %d iterations\n",
               sheets.fine[0]->triangle_count, RUNS, ITERATIONS);
        work w = make_work(sheets.fine[0], contexts);
        check_fast(&w);
        if (constraints) measure_constraints(&bench, &w);
        if (constraints) measure_bullet(&bench, &w);
        if (updates) measure_updates(&bench, &w, &sheets);
        release_work(contexts[0], &w);
    }
    if (bench_wants(&bench, "settle")) {
        printf("settling, compliant: %zu triangles; reference on 1 thread, accelerated on 2\n",
               sheets.fine[1]->triangle_count);
        measure_settle(&bench, sheets.fine[1], bench.plot ? bench.plot : "wrinkle_mesh_settle.svg");
    }
    if (bench_wants(&bench, "first")) measure_first_settle(&bench, contexts[0]);
    if (bench_wants(&bench, "million") && !bench.quick) measure_first_settle_million(&bench, contexts[0]);
    if (bench_wants(&bench, "skirt")) measure_skirt(&bench, contexts);
    if (bench_wants(&bench, "growth")) measure_growth(&bench, contexts, &sheets);
    release_subject(&sheets);
    for (int i = 0; i < 2; i++) ruga_context_destroy(contexts[i]);
    bench_end(&bench);
    return 0;
}
