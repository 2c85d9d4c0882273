/* Creased flesh of the size of the paper's face: a block of 2.5 million tets (98 thousand with --quick) is read from a
 * file, cut along a line over its top and down its sides, and solved to ‖F‖ = 1e-5 ‖F₀‖ in one quasistatic frame of
 * four substeps, in which one end is bent down and pressed in. Printed are the times of each and the most memory of the
 * process, which the figure `cut_gigabytes` is: 8 are allowed. */
#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/timer.h"
#include "bench.h"
#include "ruga/ruga.h"

#define MOST_GIGABYTES 8
enum { CELLS = 120, ACROSS = 59, QUICK_CELLS = 41, QUICK_ACROSS = 20, SUBSTEPS = 4 };

static double most_gigabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024e-9 * (double)usage.ru_maxrss;
}

static void write_block(const bench_setup *bench, const char *path) {
    const double values[6] = {1.2, 0.6, 0.6, bench->quick ? QUICK_CELLS : CELLS, bench->quick ? QUICK_ACROSS : ACROSS,
                              1};
    ruga_mesh *mesh = NULL;
    bench_ok(bench, ruga_model_make(bench->context, "bar", values, &mesh));
    bench_ok(bench, ruga_mesh_write(mesh, NULL, path, NULL));
    ruga_mesh_destroy(mesh);
}

static ruga_scene *read_and_cut(const bench_setup *bench, const char *path, const char *hooks) {
    char text[2048];
    ruga_description *description = NULL;
    ruga_scene *scene = NULL;
    snprintf(
        text, sizeof text,
        "{\"time\": {\"fps\": 1, \"frames\": 2, \"substeps\": %d}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": "
        "\"block\", \"mesh\": \"%s\", \"body\": {\"kind\": \"flesh\", \"integrator\": \"quasistatic\", \"poisson\": "
        "0.4, \"tolerance\": 1e-5, \"pins\": [{\"kind\": \"fixed\", \"box_to\": [-0.5999, 1, 1]}, {\"kind\": "
        "\"path\", \"box_from\": [0.5999, -1, -1], \"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [-0.06, -0.1, "
        "0]}]}]}, \"hooks\": [%s]}]}",
        SUBSTEPS, path, hooks);
    bench_ok(bench, ruga_description_read_memory(bench->context, "block", text, strlen(text), &description));
    bench_ok(bench, ruga_scene_create(bench->context, ruga_description_get(description), &scene));
    ruga_description_destroy(description);
    return scene;
}

static double measure_of(const ruga_scene *scene, const char *name) {
    double values[64];
    const size_t count = ruga_scene_measure_count(scene);
    bench_require(count <= 64, "too many measures");
    ruga_scene_measures(scene, values);
    for (size_t k = 0; k < count; k++)
        if (strcmp(ruga_scene_measure_info(scene, k).name, name) == 0) return values[k];
    bench_require(0, "a measure is missing");
    return 0;
}

int main(int argc, char **argv) {
    static const char crease[] =
        "{\"kind\": \"crease\", \"lines\": [[[0.03, 0.05, 0.3], [0.02, 0.3, 0.2], [0.03, 0.3, "
        "-0.2], [0.02, 0.05, -0.3]]]}";
    bench_setup bench = bench_init(argc, argv, "flesh_cut");
    const char *base = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/ruga-flesh-cut-%ld.msh", base && *base ? base : P_tmpdir, (long)getpid());
    write_block(&bench, path);
    double start = timer_now();
    ruga_scene *scene = read_and_cut(&bench, path, crease);
    unlink(path);
    const double tets = 6.0 * (bench.quick ? QUICK_CELLS * QUICK_ACROSS * QUICK_ACROSS : CELLS * ACROSS * ACROSS);
    printf("read and cut: %.2f s, %.2f GB\n", timer_now() - start, most_gigabytes());
    bench_ok(&bench, ruga_scene_step(scene)); /* the frame at rest */
    start = timer_now();
    bench_ok(&bench, ruga_scene_step(scene));
    const double seconds = timer_now() - start, steps = measure_of(scene, "block.newton_steps");
    printf(
        "solved %.0f tets in %d substeps: %.0f Newton steps, %.0f iterations (%.1f per step), residual %.2g, %.2f s, "
        "%.1f us per tet; crease_gap %.2g m\n",
        tets, SUBSTEPS, steps, measure_of(scene, "block.iterations"),
        measure_of(scene, "block.iterations") / (steps + SUBSTEPS), measure_of(scene, "block.residual"), seconds,
        1e6 * seconds / tets, measure_of(scene, "block.crease.crease_gap"));
    bench_require(measure_of(scene, "block.residual") <= 1e-5, "a substep did not converge");
    ruga_scene_destroy(scene);
    printf("%.0f bytes per tet\n", 1e9 * most_gigabytes() / tets);
    bench_figure("cut_gigabytes", most_gigabytes());
    bench_require(most_gigabytes() <= MOST_GIGABYTES, "the memory is more than 8 GB");
    bench_end(&bench);
    return 0;
}
