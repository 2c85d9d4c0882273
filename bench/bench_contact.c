/* The cost of contact: a square metre of cotton that falls over a ball and folds, colliding with the ball and with
 * itself; dt 1/60 s, a thickness of a fifth of an edge.
 *
 *   contact_vs_implicit   the contact of a step over a step of the implicit integrator (backward Euler, CG to 1e-3) in
 *                         the same step of the same cloth, 32 thousand triangles, two threads
 *   contact_ms            the same contact, in ms
 *   threads_2             contact by one thread over contact by two, 32 thousand triangles, the same steps; same bits
 *   growth_exponent       slope of log time of contact over log triangles, 8 to 524 thousand, two threads: a drape of 8
 *                         thousand whose edges are cut into 2, 4 and 8, and the step with them, so that as many edges
 *                         are passed in a step (full run only)
 *   bullet_vs_ours        a frame of the same drape in Bullet's soft bodies with self-collision over ours, all of a
 *                         frame, one thread
 *   intersections         that our drape ends with, counted exactly, cloth and ball; Bullet's are printed beside it
 *
 * The first three begin with the same state, deep in contact. The ball is a mesh of five thousand triangles, for Bullet
 * a sphere by formula, which is less work. */
#include "base/state.h"
#include "bench.h"
#include "body/bodies.h"
#include "body/cloth.h"
#include "contact/solver.h"
#include "geom/intersections.h"
#include "ruga/ruga.h"
#include "system/world.h"

#ifdef BENCH_BULLET
#include "bullet_drape.h"
#endif

#define DT (1.0 / 60)
#define BALL_RADIUS 0.2
#define BALL_FREQUENCY 16    /* 5,120 triangles */
#define START_HEIGHT 0.205   /* m, of the sheet */
#define TOLERANCE 1e-3       /* of the conjugate gradients */
#define ROUGH_TOLERANCE 1e-2 /* against Bullet, whose ten rounds over the links are no nearer; and of the largest */
#define FRICTION 0.3
#define CELLS 128       /* 32,768 triangles */
#define REPETITIONS 9   /* 5 with --quick */
#define GROWTH_CELLS 64 /* 8,192 triangles; cut into up to 524,288 */
#define DRAPE_STEPS 45

static const environment surroundings = {.gravity = {0, -9.81, 0}};

/* ---- The drape. */

typedef struct drape {
    ruga_mesh *sheet, *ball;
    world *world;
    contact *contact; /* the world's */
    double thickness, dt;
} drape;

static ruga_mesh *make_model(ruga_context *context, const char *name, const double *values) {
    ruga_mesh *mesh = NULL;
    bench_require(!RUGA_FAILED(ruga_model_make(context, name, values, &mesh)), ruga_context_message(context));
    return mesh;
}

/* The same mesh, higher up and a little aside: nothing about the drape is symmetric. */
static ruga_mesh *lift(ruga_mesh *mesh, double height) {
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    bench_require(positions != NULL, "no memory");
    for (size_t i = 0; i < mesh->vertex_count; i++)
        positions[i] = vec3_add(mesh->positions[i], (ruga_vec3){0.013, height, -0.021});
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, mesh->vertex_count, 0, RUGA_F64};
    def.face_count = mesh->triangle_count;
    def.face_vertices = mesh->triangles;
    ruga_mesh *lifted = NULL;
    bench_require(!RUGA_FAILED(ruga_mesh_create(mesh->context, &def, &lifted)), ruga_context_message(mesh->context));
    free(positions);
    ruga_mesh_destroy(mesh);
    return lifted;
}

static cloth_def cotton(const drape *d, double tolerance) {
    cloth_def def = cloth_def_default();
    def.values.elements = CLOTH_SPRINGS; /* as Bullet's cloth, which has links for bending, too */
    def.values.bending = BENDING_SPRINGS;
    def.values.integrator = INTEGRATOR_IMPLICIT;
    def.values.tolerance = tolerance;
    def.values.iterations = 100000;
    def.damping_time = cloth_damping_time(d->sheet, 0.05, def.material.stretch, def.material.density);
    def.values.drag = def.values.lift = 0;
    def.values.thickness = d->thickness;
    def.material.friction = FRICTION;
    return def;
}

static ruga_status fill_world(drape *d, double tolerance) {
    ruga_context *context = d->sheet->context;
    body *sheet = NULL, *ball = NULL;
    size_t object;
    cloth_def def = cotton(d, tolerance);
    contact_def law = contact_def_default();
    ruga_status status = world_create(context, &d->world);
    if (!RUGA_FAILED(status)) status = cloth_create(d->sheet, &def, &sheet);
    if (!RUGA_FAILED(status)) status = world_add_object(d->world, "sheet", sheet, &object);
    if (!RUGA_FAILED(status)) status = body_static_create(d->ball, &ball);
    if (!RUGA_FAILED(status)) status = world_add_object(d->world, "ball", ball, &object);
    if (!RUGA_FAILED(status)) status = contact_create(context, &law, &d->contact);
    if (!RUGA_FAILED(status)) status = world_set_contact(d->world, d->contact);
    if (RUGA_FAILED(status)) return status;
    *world_environment(d->world) = surroundings;
    return world_settle(d->world, 0, 0);
}

static ruga_mesh *make_ball(ruga_context *context) {
    const double values[2] = {BALL_RADIUS, BALL_FREQUENCY};
    return make_model(context, "sphere", values);
}

static drape make_drape(ruga_context *context, size_t cells, double tolerance) {
    const double sheet[8] = {1, 1, (double)cells, (double)cells, 1, 0, 0, 1};
    drape d = {.thickness = 0.2 / (double)cells, .dt = DT};
    d.sheet = lift(make_model(context, "sheet", sheet), START_HEIGHT + d.thickness);
    d.ball = make_ball(context);
    bench_require(d.sheet->triangle_count == 2 * cells * cells, "a sheet has other triangles than it had");
    bench_require(!RUGA_FAILED(fill_world(&d, tolerance)), ruga_context_message(context));
    return d;
}

static void release_drape(drape *d) {
    world_destroy(d->world);
    ruga_mesh_destroy(d->sheet);
    ruga_mesh_destroy(d->ball);
}

static void step_drape(drape *d) {
    bench_require(!RUGA_FAILED(world_step(d->world, world_time(d->world) + d->dt, 1, 0, 0)),
                  ruga_context_message(d->sheet->context));
}

static double contact_seconds(const drape *d) { return world_stage_seconds(d->world)[STAGE_CONTACT]; }

/* Puts a drape where another one of the same mesh is. */
static void go_where(drape *d, const drape *other) {
    body *to = world_body(d->world, 0);
    const body *from = world_body(other->world, 0);
    memcpy(to->positions, from->positions, from->point_count * sizeof *from->positions);
    memcpy(to->velocities, from->velocities, from->point_count * sizeof *from->velocities);
}

static void print_measures(const drape *d) {
    printf("  in the last step:");
    for (size_t i = 0; i < d->contact->measures.count; i++)
        printf(" %s %g%s", d->contact->measures.items[i].name, d->contact->measures.items[i].value,
               i + 1 < d->contact->measures.count ? "," : "\n");
}

#ifdef BENCH_BULLET
/* Intersecting pairs of triangles, of the sheet with itself and with the ball; `positions` of the sheet. */
static size_t count_intersections(const drape *d, const ruga_vec3 *positions) {
    const ruga_mesh *a = d->sheet, *b = d->ball;
    size_t vertices = a->vertex_count + b->vertex_count, triangles = a->triangle_count + b->triangle_count, count = 0;
    ruga_vec3 *all = malloc(vertices * sizeof *all);
    uint32_t *corners = malloc(3 * triangles * sizeof *corners);
    bench_require(all && corners, "no memory");
    memcpy(all, positions, a->vertex_count * sizeof *all);
    memcpy(all + a->vertex_count, b->positions, b->vertex_count * sizeof *all);
    memcpy(corners, a->triangles, 3 * a->triangle_count * sizeof *corners);
    for (size_t i = 0; i < 3 * b->triangle_count; i++)
        corners[3 * a->triangle_count + i] = b->triangles[i] + (uint32_t)a->vertex_count;
    intersection_array found = {0};
    bench_require(!RUGA_FAILED(intersections_find(a->context, vertices, all, triangles, corners, NULL, NULL, &found)),
                  ruga_context_message(a->context));
    count = found.count;
    ARRAY_RELEASE(a->context, &found);
    free(all);
    free(corners);
    return count;
}
#endif

static ruga_context *make_context(int threads) {
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = threads;
    ruga_context *context = NULL;
    bench_require(!RUGA_FAILED(ruga_context_create(&def, &context)), "no context");
    return context;
}

/* ---- Contact and an implicit step, side by side in the same steps; and the same steps by one thread, in turn. */

/* Steps of one drape. */
typedef struct steps {
    double contact[REPETITIONS], implicit[REPETITIONS], ratio[REPETITIONS];
} steps;

static void take_step(drape *d, int i, steps *out) {
    step_drape(d);
    out->contact[i] = contact_seconds(d);
    out->implicit[i] = world_stage_seconds(d->world)[STAGE_PREDICT];
    out->ratio[i] = out->contact[i] / out->implicit[i];
}

static void print_implicit(const drape *d, steps *two, int count) {
    const double triangles = (double)d->sheet->triangle_count;
    printf("contact and an implicit step: %zu triangles over a ball of %zu; cotton; dt 1/60 s; 2 threads\n",
           d->sheet->triangle_count, d->ball->triangle_count);
    double median = bench_median(two->contact, count);
    bench_row("contact", median, triangles, "triangles");
    bench_row("implicit, CG to 1e-3", bench_median(two->implicit, count), triangles, "triangles");
    print_measures(d);
    bench_figure("contact_vs_implicit", bench_median(two->ratio, count));
    bench_figure("contact_ms", median * 1e3);
}

static void measure_steps(const bench_setup *bench, const drape *start) {
    const int count = bench->quick ? 5 : REPETITIONS;
    ruga_context *context = make_context(1);
    drape one = make_drape(context, CELLS, TOLERANCE), two = make_drape(start->sheet->context, CELLS, TOLERANCE);
    steps of_one, of_two;
    double ratio[REPETITIONS];
    go_where(&one, start);
    go_where(&two, start);
    step_drape(&one);
    step_drape(&two);
    for (int i = 0; i < count; i++) {
        take_step(&one, i, &of_one);
        take_step(&two, i, &of_two);
        ratio[i] = of_one.contact[i] / of_two.contact[i];
    }
    const body *x = world_body(one.world, 0), *y = world_body(two.world, 0);
    bench_require(!memcmp(x->positions, y->positions, x->point_count * sizeof *x->positions),
                  "one thread and two gave different positions");
    print_implicit(&two, &of_two, count);
    printf("contact by one thread and by two: %zu triangles; cotton; dt 1/60 s\n", one.sheet->triangle_count);
    bench_row("1 thread", bench_median(of_one.contact, count), (double)one.sheet->triangle_count, "triangles");
    bench_row("2 threads", bench_median(of_two.contact, count), (double)one.sheet->triangle_count, "triangles");
    bench_figure("threads_2", bench_median(ratio, count));
    release_drape(&one);
    release_drape(&two);
    ruga_context_destroy(context);
}

/* ---- Growth. */

/* The drape with every edge cut into n: the same surface, of smaller triangles, and as much thinner. */
static drape refine(const drape *coarse, int n) {
    ruga_context *context = coarse->sheet->context;
    ruga_subdivide_def cut = ruga_subdivide_def_default();
    ruga_map *map = NULL;
    cut.n = n;
    drape d = {.thickness = coarse->thickness / n, .dt = DT / n, .ball = make_ball(context)};
    bench_require(!RUGA_FAILED(ruga_mesh_subdivide(coarse->sheet, &cut, &d.sheet, &map)) &&
                      !RUGA_FAILED(fill_world(&d, ROUGH_TOLERANCE)),
                  ruga_context_message(context));
    const body *from = world_body(coarse->world, 0);
    body *to = world_body(d.world, 0);
    ruga_map_apply(map, from->positions, to->positions);
    ruga_map_apply(map, from->velocities, to->velocities);
    ruga_map_destroy(map);
    return d;
}

static double refined_time(const drape *coarse, int n) {
    drape d = refine(coarse, n);
    double seconds[REPETITIONS];
    for (int i = 0; i < 2; i++) step_drape(&d);
    for (int i = 0; i < REPETITIONS; i++) {
        step_drape(&d);
        seconds[i] = contact_seconds(&d);
    }
    double median = bench_median(seconds, REPETITIONS);
    printf("  %zu triangles:\n", d.sheet->triangle_count);
    bench_row("contact", median, (double)d.sheet->triangle_count, "triangles");
    print_measures(&d);
    release_drape(&d);
    return median;
}

static void measure_growth(ruga_context *context) {
    static const int parts[] = {1, 2, 4, 8};
    enum { COUNT = sizeof parts / sizeof parts[0] };
    drape coarse = make_drape(context, GROWTH_CELLS, TOLERANCE);
    for (int i = 0; i < DRAPE_STEPS; i++) step_drape(&coarse);
    printf(
        "growth of contact with the mesh: cotton; dt 1/60 s at the coarsest, as much shorter as edges are; 2 "
        "threads\n");
    double x[COUNT], y[COUNT], mean_x = 0, mean_y = 0, above = 0, below = 0;
    for (int i = 0; i < COUNT; i++) {
        x[i] = log((double)coarse.sheet->triangle_count * parts[i] * parts[i]);
        y[i] = log(refined_time(&coarse, parts[i]));
        mean_x += x[i] / COUNT;
        mean_y += y[i] / COUNT;
    }
    for (int i = 0; i < COUNT; i++) {
        above += (x[i] - mean_x) * (y[i] - mean_y);
        below += (x[i] - mean_x) * (x[i] - mean_x);
    }
    bench_figure("growth_exponent", above / below);
    release_drape(&coarse);
}

/* ---- Bullet. */

#ifdef BENCH_BULLET

#define BULLET_SUBSTEPS 4   /* of a frame; with 2 its cloth sinks 9 cm into the ball, with 1 it falls through */
#define BULLET_SECONDS 10.0 /* that --quick gives both */

static bullet_drape *make_bullet(const drape *d) {
    bullet_drape_def def = {.vertex_count = d->sheet->vertex_count,
                            .triangle_count = d->sheet->triangle_count,
                            .positions = &d->sheet->positions->x,
                            .triangles = d->sheet->triangles,
                            .mass = cloth_def_default().material.density,
                            .radius = BALL_RADIUS,
                            .thickness = d->thickness,
                            .friction = FRICTION};
    return bullet_drape_create(&def);
}

typedef struct race {
    drape ours;
    bullet_drape *bullet;
    double our_seconds[DRAPE_STEPS], their_seconds[DRAPE_STEPS], ratios[DRAPE_STEPS];
    int frames;
} race;

/* m, that the highest point of a cloth is below the ball's. */
static double sunk(const ruga_vec3 *positions, size_t count) {
    double highest = positions[0].y;
    for (size_t i = 1; i < count; i++) highest = fmax(highest, positions[i].y);
    return BALL_RADIUS - highest;
}

/* Both from the start, frame by frame in turn; with --quick as far as they get, but into the folds. */
static void run_race(const bench_setup *bench, race *r) {
    double begin = bench_now(0);
    for (r->frames = 0; r->frames < DRAPE_STEPS; r->frames++) {
        if (bench->quick && r->frames >= 20 && bench_now(0) - begin > BULLET_SECONDS) break;
        double start = bench_now(1);
        bullet_drape_step(r->bullet, DT, BULLET_SUBSTEPS);
        double middle = bench_now(1);
        step_drape(&r->ours);
        r->our_seconds[r->frames] = bench_now(1) - middle;
        r->their_seconds[r->frames] = middle - start;
        r->ratios[r->frames] = r->their_seconds[r->frames] / r->our_seconds[r->frames];
    }
}

static void print_intersections(const race *r) {
    ruga_vec3 *positions = malloc(r->ours.sheet->vertex_count * sizeof *positions);
    bench_require(positions != NULL, "no memory");
    bench_require(bullet_drape_read(r->bullet, &positions->x) == r->ours.sheet->vertex_count,
                  "Bullet's cloth has other points");
    size_t ours = count_intersections(&r->ours, world_body(r->ours.world, 0)->positions);
    printf("  intersecting pairs of triangles at the end: Bullet %zu, Ruga %zu\n",
           count_intersections(&r->ours, positions), ours);
    const size_t count = r->ours.sheet->vertex_count;
    printf("  sunk into the ball: Bullet %.3g cm, Ruga %.3g cm\n", 100 * fmax(sunk(positions, count), 0),
           100 * fmax(sunk(world_body(r->ours.world, 0)->positions, count), 0));
    bench_figure("intersections", (double)ours);
    free(positions);
}

static void measure_bullet(const bench_setup *bench) {
    printf(
        "the whole drape in Bullet (%d substeps) and here (implicit, CG to %g): %d triangles; cotton; dt 1/60 s; 1 "
        "thread\n",
        BULLET_SUBSTEPS, ROUGH_TOLERANCE, 2 * CELLS * CELLS);
    ruga_context *context = make_context(1);
    race r = {.ours = make_drape(context, CELLS, ROUGH_TOLERANCE)};
    r.bullet = make_bullet(&r.ours);
    run_race(bench, &r);
    int counted = r.frames / 2, first = r.frames - counted;
    printf("  %d frames, the last %d count\n", r.frames, counted);
    bench_row("Bullet", bench_median(r.their_seconds + first, counted), 0, NULL);
    bench_row("Ruga", bench_median(r.our_seconds + first, counted), 0, NULL);
    print_intersections(&r);
    bench_figure("bullet_vs_ours", bench_median(r.ratios + first, counted));
    bullet_drape_destroy(r.bullet);
    release_drape(&r.ours);
    ruga_context_destroy(context);
}

#else

static void measure_bullet(const bench_setup *bench) {
    (void)bench;
    printf("Bullet: left out, it was not there when this was built (on Debian: libbullet-dev)\n");
}

#endif

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "contact");
    ruga_context *context = make_context(2);
    drape start = make_drape(context, CELLS, TOLERANCE);
    for (int i = 0; i < DRAPE_STEPS; i++) step_drape(&start);
    measure_steps(&bench, &start);
    release_drape(&start);
    measure_bullet(&bench);
    if (!bench.quick) measure_growth(context);
    ruga_context_destroy(context);
    bench_end(&bench);
    return 0;
}
