/* See flesh_face.h. */
#include "flesh_face.h"

#include "ruga/ruga.h"

#define QUICK_SPACING 0.025 /* relative to the height: 68 thousand tets */
#define SPACING 0.0172      /* 199 thousand */

typedef struct face {
    ruga_scene *scene;
    void *start; /* the state at rest */
    size_t start_size;
} face;

typedef struct both_faces {
    const bench_setup *bench;
    face creased, whole;
} both_faces;

/* Two lines over the forehead, 6 cm long. */
static const char creases[] =
    ", \"hooks\": [{\"kind\": \"crease\", \"depth\": %s, \"lines\": ["
    "[[-0.03, 0.3, 0.09], [-0.015, 0.3, 0.1], [0.015, 0.3, 0.1], [0.03, 0.3, 0.09]],"
    "[[-0.03, 0.318, 0.08], [-0.015, 0.318, 0.09], [0.015, 0.318, 0.09], [0.03, 0.318, 0.08]]"
    "]}]";

static face make_face(const bench_setup *bench, const char *activation, int is_creased) {
    char text[2048], hooks[512];
    face f = {0};
    ruga_description *description = NULL;
    snprintf(hooks, sizeof hooks, creases, bench->quick ? "1.5" : "2.5");
    snprintf(text, sizeof text,
             "{\"time\": {\"fps\": 1, \"frames\": 2}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"face\","
             " \"mesh\": {\"kind\": \"head\", \"spacing\": %g}, \"body\": {\"kind\": \"flesh\","
             " \"integrator\": \"quasistatic\", \"young\": 20000, \"poisson\": 0.45, \"tolerance\": 1e-5,"
             " \"pins\": [{\"kind\": \"fixed\", \"where\": \"skull | eyes\"}],"
             " \"muscles\": [{\"where\": \"frontalis\", \"direction\": [0, 0.95, -0.3], \"stress\": 33000,"
             " \"keys\": [{\"time\": 0, \"activation\": 0}, {\"time\": 1, \"activation\": %s}]}]}%s}]}",
             bench->quick ? QUICK_SPACING : SPACING, activation, is_creased ? hooks : "");
    bench_ok(bench, ruga_description_read_memory(bench->context, "face", text, strlen(text), &description));
    bench_ok(bench, ruga_scene_create(bench->context, ruga_description_get(description), &f.scene));
    ruga_description_destroy(description);
    bench_ok(bench, ruga_scene_step(f.scene)); /* the frame at rest */
    bench_ok(bench, ruga_scene_save(f.scene, &f.start, &f.start_size));
    return f;
}

static void release_face(const bench_setup *bench, face *f) {
    ruga_scene_destroy(f->scene);
    ruga_free(bench->context, f->start);
}

static void restore(const bench_setup *bench, face *f) {
    bench_ok(bench, ruga_scene_restore(f->scene, f->start, f->start_size));
}

static void restore_creased(void *user) { restore(((both_faces *)user)->bench, &((both_faces *)user)->creased); }
static void restore_whole(void *user) { restore(((both_faces *)user)->bench, &((both_faces *)user)->whole); }

static void step_creased(void *user) {
    both_faces *f = user;
    bench_ok(f->bench, ruga_scene_step(f->creased.scene));
}

static void step_whole(void *user) {
    both_faces *f = user;
    bench_ok(f->bench, ruga_scene_step(f->whole.scene));
}

static double measure_of(const ruga_scene *scene, const char *name) {
    double values[64];
    const size_t count = ruga_scene_measure_count(scene);
    bench_require(count <= 64, "too many measures");
    ruga_scene_measures(scene, values);
    for (size_t k = 0; k < count; k++)
        if (strstr(ruga_scene_measure_info(scene, k).name, name)) return values[k];
    bench_require(0, "a measure is missing");
    return 0;
}

static void print_solve(const char *name, const ruga_scene *scene) {
    const double residual = measure_of(scene, "residual");
    printf("  %s: %.0f Newton steps, %.0f iterations, residual %.2g\n", name, measure_of(scene, "newton_steps"),
           measure_of(scene, "iterations"), residual);
    bench_require(residual <= 1e-5, "a frame did not converge");
}

static double compare_frames(const bench_setup *bench, const char *activation) {
    both_faces f = {
        .bench = bench, .creased = make_face(bench, activation, 1), .whole = make_face(bench, activation, 0)};
    printf("a face of %zu tets raises its brows: one frame to %s of the muscle, with two creases and without\n",
           ruga_scene_object_mesh(f.whole.scene, 0)->tet_count, activation);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "with creases",
                                                        .a = step_creased,
                                                        .a_before = restore_creased,
                                                        .b_name = "without",
                                                        .b = step_whole,
                                                        .b_before = restore_whole,
                                                        .user = &f,
                                                        .processor_time = bench->threads == 1,
                                                        .repetitions = 5});
    print_solve("with creases", f.creased.scene);
    print_solve("without", f.whole.scene);
    release_face(bench, &f.creased);
    release_face(bench, &f.whole);
    return r.ratio - 1;
}

void compare_creases(const bench_setup *bench) {
    bench_figure("crease_overhead", compare_frames(bench, "0.1"));
    if (!bench->quick) printf("the whole motion in one frame: %.3f\n", compare_frames(bench, "1"));
}
