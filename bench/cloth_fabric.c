/* The cost of fabric: a membrane against springs, and a strain limit against none.
 *
 *   membrane_vs_springs   time of one implicit step (backward Euler, conjugate gradients to 1e-3) with a membrane over
 *                         that with springs, for one square metre of cotton on 10 thousand points of a triangle mesh,
 *                         dt 1/96 s: a curtain, held at its upper corners, after half a second. Both bend by
 *                         hinges, the default of implicit cloth
 *   strain_limit_cost     time of a frame of the scene `twist`, contact included, with a strain limit over one without,
 *                         from one state: after TWIST_FRAMES frames with the limit, the preset's, when the cloth is
 *                         a rope. With --quick after QUICK_FRAMES, when few triangles have reached the limit
 */
#include "cloth_fabric.h"

#include "body/cloth.h"
#include "cloth_sheet.h"
#include "ruga/ruga.h"
#include "system/world.h"

#define DT (1.0 / 96)
#define TWIST_LIMIT 0.03 /* cotton's */
enum { SIDE = 100, STATE_STEPS = 48, TWIST_FRAMES = 72, QUICK_FRAMES = 12 };

/* ---- Membrane and springs. */

typedef struct fabric {
    ruga_mesh *mesh;
    world *worlds[2]; /* springs, membrane */
    ruga_vec3 *positions[2], *velocities[2];
} fabric;

static world *make_curtain(const ruga_mesh *mesh, int elements) {
    const uint32_t corners[2] = {SIDE * (SIDE - 1), SIDE * SIDE - 1};
    const cloth_pin_def pin = {.count = 2, .vertices = corners};
    cloth_def def = cloth_def_default();
    def.values.elements = elements;
    def.values.integrator = INTEGRATOR_IMPLICIT;
    def.values.iterations = 100000;
    def.values.drag = def.values.lift = 0;
    def.material.poisson = 0.2;
    def.material.damping = 0.05;
    def.pins = &pin;
    def.pin_def_count = 1;
    world *w = NULL;
    body *b = NULL;
    size_t object;
    ruga_status status = world_create(mesh->context, &w);
    if (!RUGA_FAILED(status)) status = cloth_create(mesh, &def, &b);
    if (!RUGA_FAILED(status)) status = world_add_object(w, "curtain", b, &object);
    if (!RUGA_FAILED(status)) world_environment(w)->gravity = (ruga_vec3){0, -9.81, 1};
    if (!RUGA_FAILED(status)) status = world_settle(w, 0, 0);
    bench_require(!RUGA_FAILED(status), ruga_context_message(mesh->context));
    return w;
}

static void step(world *w) {
    bench_require(!RUGA_FAILED(world_step(w, world_time(w) + DT, 1, 0, 0)), "a step of the world failed");
}

/* Each begins every repetition where it was after STATE_STEPS. */
static void reset(fabric *f, int which) {
    body *b = world_body(f->worlds[which], 0);
    memcpy(b->positions, f->positions[which], b->point_count * sizeof *b->positions);
    memcpy(b->velocities, f->velocities[which], b->point_count * sizeof *b->velocities);
}

static void reset_springs(void *user) { reset(user, 0); }
static void reset_membrane(void *user) { reset(user, 1); }
static void step_springs(void *user) { step(((fabric *)user)->worlds[0]); }
static void step_membrane(void *user) { step(((fabric *)user)->worlds[1]); }

static double iterations_of(world *w) {
    const measure_list *list = &world_body(w, 0)->measures;
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->items[k].name, "iterations") == 0) return list->items[k].value;
    return 0;
}

static void measure_membrane(const bench_setup *bench) {
    fabric f = {0};
    const double values[8] = {1, 1, SIDE - 1, SIDE - 1, 1, 0, 1, 1};
    bench_ok(bench, ruga_model_make(bench->context, "sheet", values, &f.mesh));
    bench_require(f.mesh->vertex_count == SIDE * SIDE, "a sheet has a different number of points");
    f.worlds[0] = make_curtain(f.mesh, CLOTH_SPRINGS);
    f.worlds[1] = make_curtain(f.mesh, CLOTH_MEMBRANE);
    const size_t bytes = f.mesh->vertex_count * sizeof *f.positions[0];
    for (int which = 0; which < 2; which++) {
        for (int k = 0; k < STATE_STEPS; k++) step(f.worlds[which]);
        const body *b = world_body(f.worlds[which], 0);
        f.positions[which] = malloc(bytes);
        f.velocities[which] = malloc(bytes);
        bench_require(f.positions[which] && f.velocities[which], "no memory");
        memcpy(f.positions[which], b->positions, bytes);
        memcpy(f.velocities[which], b->velocities, bytes);
    }
    printf("membrane and springs: %zu points, %zu triangles; cotton, dt 1/96 s; 1 thread; 1 step\n",
           f.mesh->vertex_count, f.mesh->triangle_count);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "membrane",
                                                        .a_before = reset_membrane,
                                                        .a = step_membrane,
                                                        .b_name = "springs",
                                                        .b_before = reset_springs,
                                                        .b = step_springs,
                                                        .user = &f,
                                                        .processor_time = bench->threads == 1,
                                                        .items = (double)f.mesh->vertex_count,
                                                        .item_name = "points"});
    printf("  iterations: membrane %.0f, springs %.0f\n", iterations_of(f.worlds[1]), iterations_of(f.worlds[0]));
    bench_figure("membrane_vs_springs", r.ratio);
    for (int k = 0; k < 2; k++) {
        world_destroy(f.worlds[k]);
        free(f.positions[k]);
        free(f.velocities[k]);
    }
    ruga_mesh_destroy(f.mesh);
}

/* ---- The strain limit in a twisted cloth. */

typedef struct twist {
    const bench_setup *bench;
    ruga_scene *scenes[2]; /* with the limit, without */
    void *state;
    size_t size;
} twist;

static ruga_scene *make_twist(const bench_setup *bench, int limited) {
    const ruga_scene_template *t = NULL;
    for (size_t k = 0; (t = ruga_scene_template_get(k)) && strcmp(t->name, "twist") != 0;) k++;
    bench_require(t != NULL, "there is no scene \"twist\"");
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    bench_ok(bench, ruga_description_read_memory(bench->context, "twist", t->text, strlen(t->text), &d));
    char material[100];
    snprintf(material, sizeof material, "{\"name\": \"fabric\", \"like\": \"cotton\", \"strain_limit\": %g}",
             limited ? TWIST_LIMIT : 0);
    bench_ok(bench, ruga_description_set(d, "materials[0]", material));
    bench_ok(bench, ruga_description_set(d, "objects[2].material", "fabric"));
    bench_ok(bench, ruga_scene_create(bench->context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

static void restore(const twist *t, int which) {
    bench_ok(t->bench, ruga_scene_restore(t->scenes[which], t->state, t->size));
}

static void restore_limited(void *user) { restore(user, 0); }
static void restore_free(void *user) { restore(user, 1); }
static void step_limited(void *user) {
    const twist *t = user;
    bench_ok(t->bench, ruga_scene_step(t->scenes[0]));
}
static void step_free(void *user) {
    const twist *t = user;
    bench_ok(t->bench, ruga_scene_step(t->scenes[1]));
}

static double measure_named(const ruga_scene *scene, const char *name) {
    double values[256];
    const size_t count = ruga_scene_measure_count(scene);
    bench_require(count <= 256, "a scene has too many measures");
    ruga_scene_measures(scene, values);
    for (size_t k = 0; k < count; k++)
        if (strcmp(ruga_scene_measure_info(scene, k).name, name) == 0) return values[k];
    return 0;
}

static int twist_frames(const bench_setup *bench) { return bench->quick ? QUICK_FRAMES : TWIST_FRAMES; }

/* The state that both start from, by two threads, which gives the same bits. */
static void make_state(twist *t) {
    bench_setup by_two = *t->bench;
    void *state;
    by_two.context = make_context(2, (ruga_allocator){0});
    ruga_scene *scene = make_twist(&by_two, 1);
    for (int f = 0; f < twist_frames(t->bench); f++) bench_ok(&by_two, ruga_scene_step(scene));
    bench_ok(&by_two, ruga_scene_save(scene, &state, &t->size));
    bench_require((t->state = malloc(t->size)) != NULL, "no memory");
    memcpy(t->state, state, t->size);
    ruga_free(by_two.context, state);
    ruga_scene_destroy(scene);
    ruga_context_destroy(by_two.context);
}

static void measure_limit(const bench_setup *bench) {
    twist t = {.bench = bench, .scenes = {make_twist(bench, 1), make_twist(bench, 0)}};
    make_state(&t);
    printf("strain limit: the scene \"twist\" after %d frames; 1 thread; 1 frame of 8 substeps\n", twist_frames(bench));
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "with the strain limit",
                                                        .a_before = restore_limited,
                                                        .a = step_limited,
                                                        .b_name = "without",
                                                        .b_before = restore_free,
                                                        .b = step_free,
                                                        .user = &t,
                                                        .processor_time = bench->threads == 1});
    printf("  iterations: with %.0f, without %.0f; elongation %.3g, %.3g (limit %g), p99 %.3g, %.3g\n",
           measure_named(t.scenes[0], "cloth.iterations"), measure_named(t.scenes[1], "cloth.iterations"),
           measure_named(t.scenes[0], "cloth.elongation"), measure_named(t.scenes[1], "cloth.elongation"), TWIST_LIMIT,
           measure_named(t.scenes[0], "cloth.elongation_p99"), measure_named(t.scenes[1], "cloth.elongation_p99"));
    bench_require(measure_named(t.scenes[0], "cloth.elongation") > TWIST_LIMIT, "the strain limit was not reached");
    bench_figure("strain_limit_cost", r.ratio);
    free(t.state);
    for (int k = 0; k < 2; k++) ruga_scene_destroy(t.scenes[k]);
}

void measure_fabric(const bench_setup *bench) {
    measure_membrane(bench);
    measure_limit(bench);
}
