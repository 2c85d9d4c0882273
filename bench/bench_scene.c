/* The cost of scenes and runs on top of the work itself.
 *
 *   startup_vs_true   wall time of `ruga run` on a small scene of one frame, over that of `ruga --version`
 *   first_frame_vs_build
 *                     wall time from the start of `ruga run` until frame 0 is written, over that of building the scene
 *                     once and searching it for intersections once; `drape` with a sheet of 224 x 224 cells
 *   overhead          instructions of stepping through a scene, over those of calling motion and details directly,
 *                     minus one; both give bit-identical positions, which is checked
 *   write_overhead    wall time of a run that writes a point cache, over that of one that writes no frames, minus one;
 *                     100 thousand vertices; both keep checkpoints, as every run does
 *   sweep_efficiency  wall time of `ruga sweep` with 16 small runs on two processes, over half of the
 *                     sum of 16 single `ruga run`, one thread each. The sweep checks, plans, runs and writes its
 *                     table and CSV; plots and pictures are left out, since single runs draw none
 *
 * Instructions are counted by the machine where it lets us (perf_event_open), else by valgrind, as the difference
 * between N and 2N steps, so that what comes before the first step does not count. */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#endif

#include "base/state.h"
#include "bench.h"
#include "math/vec3.h"
#include "ruga/ruga.h"
#include "wrinkle/displace_part.h"
#include "wrinkle/jiggle_part.h"
#include "wrinkle/subdivide_part.h"

#define PATH_SIZE 4096
#define SAMPLES 12 /* of the motion, which then begins again */
#define FPS 24
#define STEPS 6 /* N */

extern char **environ;

static char folder[PATH_SIZE / 2];

/* folder/name; four rotating static buffers. */
static const char *path_of(const char *name) {
    static char paths[4][PATH_SIZE];
    static int next = 0;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* ---- The scene: a sheet that ripples by a point cache, subdivided, displaced, loose in a steady wind
 * (gusts would only add to the work that both ways have to do). */

static const char scene_text[] =
    "{\n"
    "  \"time\": {\"fps\": 24, \"start_frame\": 0, \"frames\": 72},\n"
    "  \"wind\": {\"velocity\": [2, 0, 1]},\n"
    "  \"objects\": [{\n"
    "    \"name\": \"sheet\",\n"
    "    \"mesh\": \"sheet.ply\",\n"
    "    \"body\": {\"kind\": \"animated\", \"motion\": \"sheet.pc2\", \"cycle\": true},\n"
    "    \"details\": [\n"
    "      {\"kind\": \"subdivide\", \"n\": 2},\n"
    "      {\"kind\": \"displace\", \"amount\": 0.01},\n"
    "      {\"kind\": \"jiggle\", \"frequency\": 3, \"damping\": 0.2, \"air\": 1}\n"
    "    ]\n"
    "  }]\n"
    "}\n";
static const char scene_name[] = "animated (PC2), subdivide 2, displace, jiggle in wind";

static const char small_text[] =
    "{\"time\": {\"frames\": 1}, \"objects\": [{\"name\": \"ball\", \"mesh\": "
    "{\"kind\": \"sphere\", \"frequency\": 4}, \"details\": [{\"kind\": \"displace\", \"amount\": 0.01}]}]}\n";

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(path_of(name), "w");
    bench_require(file && fputs(text, file) >= 0 && fclose(file) == 0, "a file can't be written");
}

static ruga_mesh *make_sheet(bench_setup *bench, size_t n) {
    const size_t row = n + 1;
    double *positions = malloc(row * row * 3 * sizeof *positions);
    uint32_t *triangles = malloc(n * n * 6 * sizeof *triangles), *t = triangles;
    bench_require(positions && triangles, "no memory");
    for (size_t i = 0; i < row * row; i++) {
        positions[3 * i] = (float)((double)(i % row) / (double)n);
        positions[3 * i + 1] = 0;
        positions[3 * i + 2] = (float)((double)(i / row) / (double)n);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++, t += 6) {
            const uint32_t a = (uint32_t)(j * row + i), b = a + 1, c = a + (uint32_t)row, d = c + 1;
            memcpy(t, (uint32_t[6]){a, c, b, b, c, d}, 6 * sizeof *t);
        }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, row * row, 0, RUGA_F64};
    def.face_count = 2 * n * n;
    def.face_vertices = triangles;
    ruga_mesh *mesh = NULL;
    bench_ok(bench, ruga_mesh_create(bench->context, &def, &mesh));
    free(positions);
    free(triangles);
    return mesh;
}

/* The sheet of n by n squares and its motion, as files. */
static void write_sheet(bench_setup *bench, size_t n) {
    ruga_mesh *mesh = make_sheet(bench, n);
    ruga_vec3 *moved = malloc(mesh->vertex_count * sizeof *moved);
    ruga_motion_writer *writer = NULL;
    bench_require(moved != NULL, "no memory");
    bench_ok(bench, ruga_mesh_write(mesh, NULL, path_of("sheet.ply"), NULL));
    bench_ok(bench, ruga_motion_writer_create(mesh, path_of("sheet.pc2"), NULL, &writer));
    for (int s = 0; s < SAMPLES; s++) {
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            ruga_vec3 p = mesh->positions[v];
            p.y = 0.05 * sin(6.28 * (2 * p.x + p.z - (double)s / (SAMPLES - 1)));
            moved[v] = p;
        }
        ruga_frame frame = {.time = (double)s / FPS, .vertex_count = mesh->vertex_count, .positions = moved};
        bench_ok(bench, ruga_motion_writer_append(writer, &frame));
    }
    bench_ok(bench, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    free(moved);
}

static ruga_description *read_scene(bench_setup *bench) {
    ruga_description *description = NULL;
    bench_ok(bench, ruga_description_read(bench->context, path_of("scene.json"), &description));
    return description;
}

/* ---- Processes. */

/* Runs a program with its output in the file, or nowhere; it has to end with 0. */
static void run_program(const char *const *arguments, const char *output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output ? output : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!output) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t process;
    int status = 1, error = posix_spawnp(&process, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!error) waitpid(process, &status, 0);
    if (error || status != 0) fprintf(stderr, "%s %s ended with status %d\n", arguments[0], arguments[1], status);
    bench_require(!error && status == 0, "a program that is measured failed");
}

/* ---- startup_vs_true. */

static void remove_small_run(void *user) {
    (void)user;
    const char *const arguments[] = {"rm", "-rf", path_of("small.run"), NULL};
    run_program(arguments, NULL);
}

static void run_small_scene(void *user) {
    (void)user;
    const char *const arguments[] = {RUGA_COMMAND, "run", path_of("small.json"), "-o", path_of("small.run"),
                                     "--quiet",    NULL};
    run_program(arguments, NULL);
}

static void print_version(void *user) {
    (void)user;
    const char *const arguments[] = {RUGA_COMMAND, "--version", NULL};
    run_program(arguments, NULL);
}

static void measure_startup(bench_setup *bench) {
    write_text("small.json", small_text);
    printf("starting: a static sphere of 162 vertices with displace; one frame, into a fresh directory\n");
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "ruga run",
                                                        .a = run_small_scene,
                                                        .a_before = remove_small_run,
                                                        .b_name = "ruga --version",
                                                        .b = print_version,
                                                        .repetitions = bench->quick ? 41 : 101});
    bench_figure("startup_vs_true", r.ratio);
}

/* ---- first_frame_vs_build. */

/* Before scenes were kept between check and run: built three times, searched three times. Measured as below. */
#define FIRST_FRAME_BEFORE 3.1
#define FINE_COLUMNS "objects[sheet].mesh.columns=224"
#define FINE_ROWS "objects[sheet].mesh.rows=224"

static void remove_drape_run(void *user) {
    (void)user;
    const char *const arguments[] = {"rm", "-rf", path_of("drape.run"), NULL};
    run_program(arguments, NULL);
}

/* A run of frame 0 alone. */
static void run_first_frame(void *user) {
    (void)user;
    const char *const arguments[] = {RUGA_COMMAND,
                                     "run",
                                     path_of("drape.json"),
                                     "-o",
                                     path_of("drape.run"),
                                     "--frames",
                                     "1",
                                     "--threads",
                                     "1",
                                     "--set",
                                     FINE_COLUMNS,
                                     "--set",
                                     FINE_ROWS,
                                     "--quiet",
                                     NULL};
    run_program(arguments, NULL);
}

static void build_and_search(void *user) {
    bench_setup *bench = user;
    ruga_description *description = NULL;
    ruga_scene *scene = NULL;
    size_t count;
    bench_ok(bench, ruga_description_read(bench->context, path_of("drape.json"), &description));
    bench_ok(bench, ruga_description_set(description, "objects[sheet].mesh.columns", "224"));
    bench_ok(bench, ruga_description_set(description, "objects[sheet].mesh.rows", "224"));
    bench_ok(bench, ruga_scene_create(bench->context, ruga_description_get(description), &scene));
    bench_ok(bench, ruga_scene_intersections(scene, NULL, &count));
    bench_require(count == 0, "the sheet intersects something at the start");
    ruga_scene_destroy(scene);
    ruga_description_destroy(description);
}

/* The text of a scene of `ruga new`. */
static const char *find_template(const char *name) {
    size_t i = 0;
    while (ruga_scene_template_get(i) && strcmp(ruga_scene_template_get(i)->name, name) != 0) i++;
    bench_require(ruga_scene_template_get(i) != NULL, "a scene of ruga new is missing");
    return ruga_scene_template_get(i)->text;
}

static void measure_first_frame(bench_setup *bench) {
    write_text("drape.json", find_template("drape"));
    printf("first frame: drape, 224 x 224 cells, one thread; %.3g before scenes were built once\n", FIRST_FRAME_BEFORE);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "ruga run, frame 0",
                                                        .a = run_first_frame,
                                                        .a_before = remove_drape_run,
                                                        .b_name = "build and search",
                                                        .b = build_and_search,
                                                        .user = bench,
                                                        .repetitions = bench->quick ? 5 : 7});
    bench_figure("first_frame_vs_build", r.ratio);
}

/* ---- overhead: the two ways to the same positions. */

static const ruga_frame *step_scene(ruga_scene *scene, bench_setup *bench) {
    bench_ok(bench, ruga_scene_step(scene));
    return ruga_scene_frame(scene, 0);
}

typedef struct direct {
    ruga_mesh *mesh;
    ruga_motion *motion;
    ruga_vec3 *positions;
    part *parts[3];
    environment environment;
    int frame; /* the next */
    ruga_frame out;
} direct;

static void direct_make(direct *d, bench_setup *bench) {
    const ruga_subdivide_def finer = ruga_subdivide_def_default();
    const ruga_param amount = ruga_param_constant(0.01);
    const ruga_jiggle_def loose = {.frequency = ruga_param_constant(3),
                                   .damping = ruga_param_constant(0.2),
                                   .weight = ruga_param_constant(1),
                                   .air = ruga_param_constant(1)};
    d->environment.wind = (wind){.velocity = {2, 0, 1}};
    bench_ok(bench, ruga_mesh_read(bench->context, path_of("sheet.ply"), NULL, &d->mesh));
    bench_ok(bench, ruga_motion_read(bench->context, path_of("sheet.pc2"), d->mesh, NULL, &d->motion));
    bench_ok(bench, subdivide_part_create(d->mesh, &finer, &d->parts[0]));
    bench_ok(bench, displace_part_create(d->parts[0]->output, &amount, &d->parts[1]));
    bench_ok(bench, jiggle_part_create(d->parts[1]->output, &loose, &d->parts[2]));
    d->positions = malloc(d->mesh->vertex_count * sizeof *d->positions);
    bench_require(d->positions != NULL, "no memory");
}

static void direct_release(direct *d) {
    for (int k = 3; k-- > 0;) d->parts[k]->interface->destroy(d->parts[k]);
    ruga_motion_destroy(d->motion);
    ruga_mesh_destroy(d->mesh);
    free(d->positions);
}

static const ruga_frame *step_direct(direct *d, bench_setup *bench) {
    const double time = (double)d->frame / FPS, before = (double)(d->frame - 1) / FPS;
    const ruga_motion_info info = ruga_motion_get_info(d->motion);
    bench_ok(bench, ruga_motion_sample(d->motion, fmod(time, info.end - info.start), d->positions));
    d->out = (ruga_frame){.time = time, .vertex_count = d->mesh->vertex_count, .positions = d->positions};
    for (int k = 0; k < 3; k++) {
        part *layer = d->parts[k];
        int is_settling = d->frame == 0 && layer->interface->settle;
        double dt = d->frame == 0 ? 0 : time - before;
        const substep s = {.time = time, .dt = dt, .blend = 1, .environment = &d->environment};
        bench_ok(bench, is_settling ? layer->interface->settle(layer, NULL, &s, &d->out)
                                    : layer->interface->update(layer, NULL, &s, &d->out));
        d->out.vertex_count = layer->output->vertex_count;
        d->out.positions = layer->positions;
    }
    d->frame++;
    return &d->out;
}

/* ---- overhead: counting. */

/* A counter of this process's own instructions; -1: the machine has none for us. */
static int open_counter(void) {
#ifdef __linux__
    struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_HW_INSTRUCTIONS,
                                         .disabled = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
#else
    return -1;
#endif
}

static void switch_counter(int counter, int on) {
#ifdef __linux__
    if (counter >= 0) ioctl(counter, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
#else
    (void)counter, (void)on;
#endif
}

/* The part of this program that is counted: prints the instructions of the steps after the first (-1 if it can't count
 * them), the vertices, and a hash of where they are at the end. */
static int run_counted(int argc, char **argv) {
    bench_require(argc == 5, "wrong arguments");
    const int is_scene = !strcmp(argv[2], "scene"), steps = atoi(argv[3]);
    snprintf(folder, sizeof folder, "%s", argv[4]);
    bench_setup bench = {.threads = 1};
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    bench_require(!RUGA_FAILED(ruga_context_create(&def, &bench.context)), "no context");
    ruga_scene *scene = NULL;
    direct d = {0};
    if (is_scene) {
        ruga_description *description = read_scene(&bench);
        bench_ok(&bench, ruga_scene_create(bench.context, ruga_description_get(description), &scene));
        ruga_description_destroy(description);
    } else {
        direct_make(&d, &bench);
    }

    const ruga_frame *frame = is_scene ? step_scene(scene, &bench) : step_direct(&d, &bench);
    int counter = open_counter();
    switch_counter(counter, 1);
    for (int i = 0; i < steps; i++) frame = is_scene ? step_scene(scene, &bench) : step_direct(&d, &bench);
    switch_counter(counter, 0);

    int64_t instructions = -1;
    if (counter >= 0 && read(counter, &instructions, sizeof instructions) != sizeof instructions) instructions = -1;
    uint64_t hash = state_hash(frame->positions, frame->vertex_count * sizeof *frame->positions, 0);
    printf("%lld %zu %016llx\n", (long long)instructions, frame->vertex_count, (unsigned long long)hash);
    ruga_scene_destroy(scene);
    if (!is_scene) direct_release(&d);
    ruga_context_destroy(bench.context);
    return 0;
}

typedef struct count_result {
    double instructions; /* -1: not counted */
    size_t vertex_count;
    char hash[32];
} count_result;

/* The number in front of which a log of valgrind's says "refs:"; it has commas in it. */
static double parse_log(const char *path) {
    FILE *file = fopen(path, "r");
    char line[1024];
    double number = 0;
    while (file && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, "refs:");
        if (!at) continue;
        number = 0;
        for (at += strlen("refs:"); *at && *at != '\n' && *at != '('; at++)
            if (*at >= '0' && *at <= '9') number = 10 * number + (*at - '0');
        break;
    }
    if (file) fclose(file);
    bench_require(number > 0, "valgrind did not say how many instructions there were");
    return number;
}

static count_result count(const char *program, const char *mode, int steps, int by_valgrind) {
    char log[PATH_SIZE], number[16];
    snprintf(log, sizeof log, "--log-file=%s", path_of("valgrind.log"));
    snprintf(number, sizeof number, "%d", steps);
    const char *const arguments[] = {"valgrind",
                                     "--tool=cachegrind",
                                     "--cache-sim=no",
                                     "--cachegrind-out-file=/dev/null",
                                     log,
                                     program,
                                     "--count",
                                     mode,
                                     number,
                                     folder,
                                     NULL};
    run_program(arguments + (by_valgrind ? 0 : 5), path_of("count.txt"));
    count_result result = {0};
    FILE *file = fopen(path_of("count.txt"), "r");
    int got = file ? fscanf(file, "%lf %zu %31s", &result.instructions, &result.vertex_count, result.hash) : 0;
    if (file) fclose(file);
    bench_require(got == 3, "a count can't be read");
    if (by_valgrind) result.instructions = parse_log(path_of("valgrind.log"));
    return result;
}

/* Instructions of a step. */
static double count_step(const char *program, const char *mode, int by_valgrind) {
    count_result once = count(program, mode, STEPS, by_valgrind);
    if (!by_valgrind) return once.instructions / STEPS;
    return (count(program, mode, 2 * STEPS, 1).instructions - once.instructions) / STEPS;
}

static void measure_overhead(bench_setup *bench, const char *program) {
    write_sheet(bench, 100);
    count_result by_scene = count(program, "scene", STEPS, 0), directly = count(program, "direct", STEPS, 0);
    bench_require(!strcmp(by_scene.hash, directly.hash), "the scene and the direct calls give different positions");
    int by_valgrind = by_scene.instructions < 0;
    printf("stepping: %zu vertices; %s; dt 1/%d s; 1 thread; counted by %s\n", by_scene.vertex_count, scene_name, FPS,
           by_valgrind ? "valgrind" : "the machine");
    double stepped = count_step(program, "scene", by_valgrind), called = count_step(program, "direct", by_valgrind);
    printf("  %-28s %12.4g instructions a step\n", "ruga_scene_step", stepped);
    printf("  %-28s %12.4g instructions a step\n", "motion and details directly", called);
    bench_figure("overhead", stepped / called - 1);
}

/* ---- write_overhead. */

typedef struct write_bench {
    bench_setup *bench;
    ruga_description *writing, *silent;
    size_t vertex_count;
} write_bench;

static void run_whole(write_bench *w, const ruga_description *description) {
    ruga_run *run = NULL;
    bench_ok(w->bench, ruga_run_create(w->bench->context, description, path_of("write.run"), 1, &run));
    while (!ruga_run_is_done(run)) bench_ok(w->bench, ruga_run_next(run));
    w->vertex_count = ruga_scene_object_mesh(ruga_run_scene(run), 0)->vertex_count;
    ruga_run_destroy(run);
}

static void run_writing(void *user) { run_whole(user, ((write_bench *)user)->writing); }
static void run_silent(void *user) { run_whole(user, ((write_bench *)user)->silent); }

static void measure_writing(bench_setup *bench) {
    write_sheet(bench, 158);
    write_bench w = {.bench = bench, .writing = read_scene(bench), .silent = read_scene(bench)};
    const char *const frames = bench->quick ? "24" : "72";
    bench_ok(bench, ruga_description_set(w.silent, "output.formats", "[]"));
    bench_ok(bench, ruga_description_set(w.silent, "time.frames", frames));
    bench_ok(bench, ruga_description_set(w.writing, "time.frames", frames));
    run_silent(&w);
    printf("writing: %zu vertices; %s; dt 1/%d s; %d thread%s; %s frames\n", w.vertex_count, scene_name, FPS,
           bench->threads, bench->threads == 1 ? "" : "s", frames);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "a run that writes PC2",
                                                        .a = run_writing,
                                                        .b_name = "a run that writes no frames",
                                                        .b = run_silent,
                                                        .user = &w,
                                                        .items = atof(frames),
                                                        .item_name = "frames"});
    bench_figure("write_overhead", r.ratio - 1);
    ruga_description_destroy(w.writing);
    ruga_description_destroy(w.silent);
}

/* ---- sweep_efficiency. */

enum { SWEEP_PROCESSES = 2 };

/* Seeds of gusts, one run each. */
typedef struct sweep {
    int runs;
    const char *seeds;
} sweep;

static void remove_sweeps(void *user) {
    (void)user;
    const char *const arguments[] = {"rm", "-rf", path_of("swept"), path_of("singles"), NULL};
    run_program(arguments, NULL);
}

static void run_sweep(void *user) {
    const sweep *s = user;
    const char *const arguments[] = {
        RUGA_COMMAND, "sweep", path_of("flutter.json"), "--set", s->seeds, "-o", path_of("swept"), "--jobs", "2",
        "--threads",  "1",     "--no-pictures",         "-q",    NULL};
    run_program(arguments, NULL);
}

static void run_singles(void *user) {
    for (int i = 1; i <= ((const sweep *)user)->runs; i++) {
        char directory[32], seed[32];
        snprintf(directory, sizeof directory, "singles/%d", i);
        snprintf(seed, sizeof seed, "wind.seed=%d", i);
        const char *const arguments[] = {
            RUGA_COMMAND, "run", path_of("flutter.json"), "--set", seed, "-o", path_of(directory), "--threads", "1",
            "-q",         NULL};
        run_program(arguments, NULL);
    }
}

static void measure_sweep(bench_setup *bench) {
    const sweep s = bench->quick ? (sweep){8, "wind.seed=1,2,3,4,5,6,7,8"}
                                 : (sweep){16, "wind.seed=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"};
    write_text("flutter.json", find_template("flutter"));
    printf("sweeping: flutter, 1,617 vertices, 96 frames, %d runs with other gusts, %d processes; one thread each\n",
           s.runs, SWEEP_PROCESSES);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "ruga sweep",
                                                        .a = run_sweep,
                                                        .a_before = remove_sweeps,
                                                        .b_name = "ruga run, one by one",
                                                        .b = run_singles,
                                                        .user = (void *)(uintptr_t)&s,
                                                        .items = s.runs,
                                                        .item_name = "runs"});
    bench_figure("sweep_efficiency", SWEEP_PROCESSES * r.ratio);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "--count")) return run_counted(argc, argv);
    bench_setup bench = bench_init(argc, argv, "scenes and runs");
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/ruga-bench-XXXXXX", base && *base ? base : P_tmpdir);
    bench_require(mkdtemp(folder) != NULL, "no folder for temporary files");
    write_text("scene.json", scene_text);
    measure_startup(&bench);
    measure_first_frame(&bench);
    measure_overhead(&bench, argv[0]);
    measure_writing(&bench);
    measure_sweep(&bench);
    const char *const remove_all[] = {"rm", "-rf", folder, NULL};
    run_program(remove_all, NULL);
    bench_end(&bench);
    return 0;
}
