/* Runs: what a directory holds is what stepping the scene gives; stopping, resuming, replacing, locking. */
#include "run_fixture.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

static char first_path[512], second_path[512];

static int set_up(void **state) {
    (void)state;
    test_folder_remove();
    snprintf(first_path, sizeof first_path, "%s", test_path("first"));
    snprintf(second_path, sizeof second_path, "%s", test_path("second"));
    return 0;
}

static const char *path_in(const char *directory, const char *name) {
    static char paths[4][1024];
    static int next = 0;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static int exists(const char *directory, const char *name) { return test_file_exists(path_in(directory, name)); }

static int count_files(const char *directory) {
    int count = 0;
    DIR *folder = opendir(directory);
    assert_non_null(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count - 2;
}

static void assert_file_has(const char *path, const char *part) {
    char *text = read_test_file(path, NULL);
    assert_non_null(text);
    fail_if(!strstr(text, part), "%s does not hold \"%s\": %s", path, part, text);
    free(text);
}

/* ---- Files. */

static void assert_positions_near(const ruga_vec3 *a, const ruga_vec3 *b, size_t count) {
    for (size_t k = 0; k < count; k++) {
        assert_near_case(a[k].x, b[k].x, 1e-5, "vertex %zu", k);
        assert_near_case(a[k].y, b[k].y, 1e-5, "vertex %zu", k);
        assert_near_case(a[k].z, b[k].z, 1e-5, "vertex %zu", k);
    }
}

static void assert_frames_are_the_scenes(ruga_context *context, const ruga_description *d, size_t object,
                                         const char *mesh_path, const char *cache_path, const ruga_file_def *def) {
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_mesh_read(context, mesh_path, def, &mesh));
    assert_ok(context, ruga_motion_read(context, cache_path, mesh, def, &motion));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    assert_int_equal(mesh->vertex_count, ruga_scene_object_mesh(scene, object)->vertex_count);
    assert_positions_near(mesh->positions, ruga_scene_object_mesh(scene, object)->positions, mesh->vertex_count);
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    for (int i = 0; i < FRAMES; i++) {
        assert_ok(context, ruga_scene_step(scene));
        const ruga_frame *frame = ruga_scene_frame(scene, object);
        assert_ok(context, ruga_motion_sample(motion, frame->time, positions));
        assert_positions_near(positions, frame->positions, mesh->vertex_count);
    }
    free(positions);
    ruga_scene_destroy(scene);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
}

static ruga_file_def def_of(const ruga_run_record *record) {
    ruga_file_def def = ruga_file_def_default();
    def.unit = record->unit;
    def.up = (ruga_axis)record->up;
    def.rate = record->fps;
    return def;
}

static void a_cache_holds_the_scenes_frames(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, NULL);
    run_whole(context, d, first_path);
    ruga_run_record *record = NULL;
    assert_true(ruga_path_is_run(first_path));
    assert_ok(context, ruga_run_record_read(context, first_path, &record));
    assert_int_equal(record->object_count, 2);
    assert_string_equal(record->objects[1].name, "box #1.2");
    assert_string_equal(record->version, ruga_version());
    assert_string_equal(record->isa, ruga_isa_name(ruga_context_isa(context)));
    assert_true(record->complete && record->threads == 1);
    assert_int_equal(record->frames_done, FRAMES);
    assert_int_equal(record->start_frame, 7);
    const ruga_file_def def = def_of(record);
    assert_equal(def.unit, 0.01);
    assert_true(def.up == RUGA_AXIS_Z);
    assert_equal(def.rate, 30);
    for (size_t i = 0; i < 2; i++)
        assert_frames_are_the_scenes(context, d, i, record->objects[i].mesh, record->objects[i].cache, &def);
    ruga_run_record_destroy(context, record);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void a_sequence_holds_the_scenes_frames(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    static const char *const formats[] = {"[\"obj\"]", "[\"ply\"]"}, *const names[] = {"flag.0007.obj",
                                                                                       "flag.0011.ply"};
    for (int i = 0; i < 2; i++) {
        ruga_description *d = describe(context, "output.formats", formats[i], NULL);
        run_whole(context, d, first_path);
        assert_true(exists(first_path, names[i]));
        assert_false(exists(first_path, "flag.pc2"));
        ruga_run_record *record = NULL;
        assert_ok(context, ruga_run_record_read(context, first_path, &record));
        ruga_file_def def = def_of(record);
        def.start = record->start_frame / record->fps;
        assert_frames_are_the_scenes(context, d, 0, record->objects[0].mesh, record->objects[0].cache, &def);
        ruga_run_record_destroy(context, record);
        ruga_description_destroy(d);
        remove_run(first_path);
    }
    ruga_context_destroy(context);
}

/* glTF is in metres with y up, whatever the other files are in. */
static void glb_and_usd_are_assembled_from_the_cache(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, "output.formats", "[\"glb\", \"usda\"]", NULL);
    run_whole(context, d, first_path);
    assert_false(exists(first_path, "flag.pc2"));
    assert_false(exists(first_path, ".flag.pc2.part"));
    assert_file_has(path_in(first_path, "flag.usda"), "metersPerUnit = 0.01");
    assert_file_has(path_in(first_path, "flag.usda"), "startTimeCode = 7");
    assert_file_has(path_in(first_path, "flag.usda"), "endTimeCode = 11");
    assert_file_has(path_in(first_path, "flag.usda"), "normals.timeSamples");
    ruga_run_record *record = NULL;
    assert_ok(context, ruga_run_record_read(context, first_path, &record));
    const ruga_file_def def = ruga_file_def_default();
    assert_frames_are_the_scenes(context, d, 0, record->objects[0].cache, record->objects[0].cache, &def);
    ruga_run_record_destroy(context, record);
    ruga_description_destroy(d);

    d = describe(context, "output.formats", "[\"usda\"]", "output.up", "x", NULL);
    ruga_run *run = NULL;
    assert_status(ruga_run_create(context, d, second_path, 0, &run), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "does not support x as the up axis");
    assert_false(test_file_exists(second_path));
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void a_run_without_formats_writes_only_tables(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, "output.formats", "[]", NULL);
    run_whole(context, d, path_in(first_path, "deep/er"));
    assert_int_equal(count_files(path_in(first_path, "deep/er")), 6);
    ruga_run_record *record = NULL;
    assert_ok(context, ruga_run_record_read(context, path_in(first_path, "deep/er"), &record));
    assert_null(record->objects[0].mesh);
    assert_null(record->objects[0].cache);
    assert_int_equal(record->frames_done, FRAMES);
    ruga_run_record_destroy(context, record);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void a_run_of_no_frames_is_done_at_once(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, "output.formats", "[\"pc2\", \"glb\"]", "time.frames", "0", NULL);
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, first_path, 0, &run));
    assert_ok(context, ruga_run_next(run));
    assert_true(ruga_run_is_done(run));
    ruga_run_destroy(run);
    ruga_run_record *record = NULL;
    assert_ok(context, ruga_run_record_read(context, first_path, &record));
    assert_true(record->complete && record->frames_done == 0);
    ruga_run_record_destroy(context, record);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void tables_hold_the_scenes_measures(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, NULL);
    run_whole(context, d, first_path);
    ruga_run_record *record = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_run_record_read(context, first_path, &record));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    const size_t count = ruga_scene_measure_count(scene);
    assert_int_equal(record->measure_count, count + 1);
    double *values = malloc(count * sizeof *values);
    int times = 0;
    for (size_t i = 0; i < record->measure_count; i++) times += record->measures[i].is_time;
    assert_string_equal(record->measures[times - 1].name, "time.write");
    for (int frame = 0; frame < FRAMES; frame++) {
        assert_ok(context, ruga_scene_step(scene));
        ruga_scene_measures(scene, values);
        for (size_t i = 0; i < count; i++) {
            const ruga_measure expected = ruga_scene_measure_info(scene, i);
            const size_t k = i + !expected.is_time;
            const double found = record->values[(size_t)frame * record->measure_count + k];
            assert_string_equal(record->measures[k].name, expected.name);
            assert_string_equal(record->measures[k].unit, expected.unit);
            if (expected.is_time)
                assert_at_most_case(0, found, "frame %d, measure %s", frame, expected.name);
            else
                assert_equal_case(found, values[i], "frame %d, measure %s", frame, expected.name);
        }
    }
    free(values);
    ruga_scene_destroy(scene);
    ruga_run_record_destroy(context, record);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void frames_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    for (int threads = 1; threads <= 5; threads += 4) {
        ruga_context *context = context_plain(threads);
        ruga_description *d = describe(context, NULL);
        ruga_run *run = NULL;
        const char *path = threads == 1 ? first_path : second_path;
        assert_ok(context, ruga_run_create(context, d, path, 0, &run));
        assert_int_equal(ruga_run_frame_count(run), FRAMES);
        for (int i = 0; i < 3; i++) assert_ok(context, ruga_run_next(run));
        assert_int_equal(ruga_run_frames_done(run), 3);
        assert_int_equal(ruga_scene_frame_number(ruga_run_scene(run)), 9);
        ruga_run_destroy(run);
        ruga_description_destroy(d);
        ruga_context_destroy(context);

        /* Resumed with another number. */
        context = context_plain(6 - threads);
        resume_whole(context, path);
        ruga_context_destroy(context);
    }
    assert_same_file(first_path, second_path, "flag.pc2");
    assert_same_file(first_path, second_path, "box__1_2.pc2");
    assert_same_file(first_path, second_path, "measures.csv");
}

static void a_frame_in_between_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    ruga_description *d = describe(context, "output.checkpoint", "0", NULL);
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, first_path, 0, &run));
    for (int i = 0; i < 2; i++) assert_ok(context, ruga_run_next(run));
    const long before = counter.allocations;
    for (int i = 0; i < 2; i++) assert_ok(context, ruga_run_next(run));
    assert_int_equal(counter.allocations, before);
    ruga_run_destroy(run);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

/* As when a crease opens: a cache holds frames of one mesh only. */
static void a_mesh_that_changes_is_refused_by_caches(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, NULL);
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, first_path, 0, &run));
    assert_ok(context, ruga_run_next(run));
    run->output.revisions[0]--;
    assert_status(ruga_run_next(run), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context,
                       "object \"flag\": its mesh changes at frame 8, and the formats pc2, glb and usda have one mesh");
    ruga_run_destroy(run);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* ---- Existing files. */

static void a_run_is_replaced_only_when_asked(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, "output.formats", "[\"pc2\", \"obj\", \"glb\"]", NULL);
    run_whole(context, d, first_path);
    write_test_file(path_in(first_path, "mine.txt"), "mine", 4);
    write_test_file(path_in(first_path, "flag.0012.obj"), "mine", 4); /* past the last frame */
    write_test_file(path_in(first_path, "flag.0007.ply"), "mine", 4); /* of a format that was not written */
    const int before = count_files(first_path);
    ruga_run *run = NULL;
    assert_status(ruga_run_create(context, d, first_path, 0, &run), RUGA_ERROR_INPUT);
    assert_message_has(context, "ruga resume");
    assert_message_has(context, "--replace");
    assert_int_equal(count_files(first_path), before);

    /* A shorter run in fewer formats leaves nothing of the former behind, and what is of others alone. */
    ruga_description_destroy(d);
    d = describe(context, "time.frames", "1", NULL);
    assert_ok(context, ruga_run_create(context, d, first_path, 1, &run));
    assert_ok(context, next_until_done(run));
    ruga_run_destroy(run);
    assert_false(exists(first_path, "flag.0007.obj"));
    assert_false(exists(first_path, "flag.glb"));
    assert_true(exists(first_path, "flag.pc2"));
    assert_true(exists(first_path, "mine.txt") && exists(first_path, "flag.0012.obj"));
    assert_true(exists(first_path, "flag.0007.ply"));
    assert_int_equal(count_files(first_path), 3 + 6 + 4);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* As a power cut may leave it, before anything was flushed: resuming says what to do, and that works. */
static void a_run_whose_plan_is_broken_is_replaced(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, NULL);
    ruga_run *run = NULL;
    static const char *const broken[] = {"", "{\"ruga_run\": 1, \"ver"};
    run_whole(context, d, second_path);
    for (int i = 0; i < 2; i++) {
        run_whole(context, d, first_path);
        write_test_file(path_in(first_path, "run.json"), broken[i], strlen(broken[i]));
        write_test_file(path_in(first_path, "mine.txt"), "x", 1);
        assert_status(ruga_run_create(context, d, first_path, 0, &run), RUGA_ERROR_INPUT);
        assert_status(ruga_run_resume(context, first_path, &run), RUGA_ERROR_INPUT);
        assert_message_has(context, "start again with: ruga run ");
        assert_ok(context, ruga_run_create(context, d, first_path, 1, &run));
        assert_ok(context, next_until_done(run));
        ruga_run_destroy(run);
        run = NULL;
        assert_true(exists(first_path, "mine.txt"));
        remove(path_in(first_path, "mine.txt"));
        assert_same_run(first_path, second_path);
        remove_run(first_path);
    }
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void files_of_others_are_never_overwritten(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, NULL);
    static const char *const names[] = {"flag.obj", "scene.json", "flag.pc2", "log.txt"};
    for (size_t i = 0; i < 4; i++) {
        assert_ok(context, directory_make(context, first_path));
        write_test_file(path_in(first_path, names[i]), "mine", 4);
        ruga_run *run = NULL;
        for (int replace = 0; replace < 2; replace++) {
            assert_status(ruga_run_create(context, d, first_path, replace, &run), RUGA_ERROR_INPUT);
            assert_message_has(context, names[i]);
            assert_message_has(context, "choose another directory");
        }
        assert_file_has(path_in(first_path, names[i]), "mine");
        assert_int_equal(count_files(first_path), 1);
        remove_run(first_path);
    }
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void two_runs_cannot_write_into_one_directory(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, NULL);
    ruga_run *run = NULL, *other = NULL;
    assert_ok(context, ruga_run_create(context, d, first_path, 0, &run));
    assert_status(ruga_run_resume(context, first_path, &other), RUGA_ERROR_FILE);
    assert_message_has(context, "a run is being written to this directory by process");
    for (int replace = 0; replace < 2; replace++) {
        assert_status(ruga_run_create(context, d, first_path, replace, &other), RUGA_ERROR_FILE);
        assert_message_has(context, "a run is being written to this directory by process");
        assert_status(ruga_run_directory_check(context, first_path, replace), RUGA_ERROR_FILE);
        assert_message_has(context, "a run is being written to this directory by process");
    }
    assert_null(other);
    assert_ok(context, next_until_done(run));
    ruga_run_destroy(run);
    assert_false(exists(first_path, "lock"));
    /* The directory can be asked beforehand, which changes nothing. */
    assert_status(ruga_run_directory_check(context, first_path, 0), RUGA_ERROR_INPUT);
    assert_message_has(context, "this directory already has a run");
    assert_ok(context, ruga_run_directory_check(context, first_path, 1));
    assert_ok(context, ruga_run_directory_check(context, second_path, 0));
    assert_true(exists(first_path, "run.json") && !exists(second_path, "run.json") && !exists(second_path, "lock"));
    assert_status(ruga_run_directory_check(context, NULL, 0), RUGA_ERROR_ARGUMENT);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void a_directory_that_cannot_be_made_is_reported(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, NULL);
    ruga_run *run = NULL;
    write_test_file(test_path("file"), "x", 1);
    assert_status(ruga_run_create(context, d, test_path("file"), 0, &run), RUGA_ERROR_FILE);
    assert_message_has(context, "file: this folder can't be made: a part of this path is a file");
    assert_status(ruga_run_create(context, d, test_path("file/below"), 0, &run), RUGA_ERROR_FILE);
    assert_status(ruga_run_create(context, d, "", 0, &run), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_run_create(context, d, NULL, 0, &run), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_run_create(context, NULL, first_path, 0, &run), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_run_resume(context, NULL, &run), RUGA_ERROR_ARGUMENT);
    char *long_path = calloc(6000, 1);
    memset(long_path, 'x', 5000);
    assert_status(ruga_run_create(context, d, long_path, 0, &run), RUGA_ERROR_ARGUMENT);
    assert_false(ruga_path_is_run(long_path));
    free(long_path);
    assert_null(run);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* ---- Resuming. */

static void a_complete_run_is_done_when_it_is_resumed(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, NULL);
    run_whole(context, d, first_path);
    run_whole(context, d, second_path);
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_resume(context, first_path, &run));
    assert_true(ruga_run_is_done(run));
    assert_int_equal(ruga_run_frames_done(run), FRAMES);
    assert_int_equal(ruga_scene_frame_number(ruga_run_scene(run)), 11);
    assert_status(ruga_run_next(run), RUGA_ERROR_ARGUMENT);
    ruga_run_destroy(run);
    assert_same_run(first_path, second_path);
    ruga_run_destroy(NULL);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void only_what_is_a_run_is_resumed(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_run *run = NULL;
    assert_false(ruga_path_is_run(first_path));
    assert_false(ruga_path_is_run(""));
    assert_false(ruga_path_is_run(NULL));
    assert_status(ruga_run_resume(context, first_path, &run), RUGA_ERROR_INPUT);
    assert_message_has(context, "there is no run of that name");
    assert_false(test_file_exists(first_path));
    ruga_context_destroy(context);
}

/* Puts another text in place of one that run.json holds. */
static void edit_file(const char *path, const char *from, const char *to) {
    size_t size;
    char *text = read_test_file(path, &size), *at = text ? strstr(text, from) : NULL;
    assert_non_null(at);
    char *edited = calloc(size + strlen(to) + 1, 1);
    memcpy(edited, text, (size_t)(at - text));
    strcpy(edited + (at - text), to);
    strcat(edited, at + strlen(from));
    write_test_file(path, edited, strlen(edited));
    free(edited);
    free(text);
}

static void a_run_of_another_program_is_not_resumed(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, NULL);
    ruga_run *run = NULL;
    const char *isa = ruga_isa_name(ruga_context_isa(context));
    const char *plan = path_in(first_path, "run.json"), *scene = path_in(first_path, "scene.json");
    assert_ok(context, ruga_run_create(context, d, first_path, 0, &run));
    assert_ok(context, ruga_run_next(run));
    ruga_run_destroy(run);
    run = NULL;

    edit_file(plan, isa, "neon");
    assert_status(ruga_run_resume(context, first_path, &run), RUGA_ERROR_INPUT);
    assert_message_has(context, "RUGA_ISA=neon");
    edit_file(plan, "neon", isa);
    edit_file(plan, ruga_version(), "0.0.7");
    assert_status(ruga_run_resume(context, first_path, &run), RUGA_ERROR_INPUT);
    assert_message_has(context, "Ruga 0.0.7 started this run");
    edit_file(plan, "0.0.7", ruga_version());
    edit_file(plan, "\"frames\": 5", "\"frames\": 6");
    assert_status(ruga_run_resume(context, first_path, &run), RUGA_ERROR_INPUT);
    edit_file(plan, "\"frames\": 6", "\"frames\": 5");
    edit_file(scene, "\"frames\": 5", "\"frames\": 6");
    assert_status(ruga_run_resume(context, first_path, &run), RUGA_ERROR_INPUT);
    assert_message_has(context, "this file has changed since the run started");
    edit_file(scene, "\"frames\": 6", "\"frames\": 5");
    assert_null(run);
    resume_whole(context, first_path);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* A checkpoint that is broken, of another run, or counts on more than a power cut left, is not used. */
static void a_checkpoint_that_cannot_be_trusted_is_not_used(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, "output.formats", "[\"pc2\", \"obj\"]", NULL);
    run_whole(context, d, second_path);
    for (int kind = 0; kind < 6; kind++) {
        ruga_run *run = NULL;
        size_t size = 0;
        assert_ok(context, ruga_run_create(context, d, first_path, 0, &run));
        for (int i = 0; i < 3; i++) assert_ok(context, ruga_run_next(run));
        ruga_run_destroy(run);
        const char *saved = path_in(first_path, "checkpoint"), *cache = path_in(first_path, "flag.pc2.part");
        const char *table = path_in(first_path, "measures.csv");
        char *bytes = read_test_file(saved, &size);
        assert_non_null(bytes);
        if (kind == 0) write_test_file(saved, bytes, size - 1);
        if (kind == 1) write_test_file(saved, bytes, 20);
        if (kind == 2) bytes[size / 2] ^= 1, write_test_file(saved, bytes, size);
        if (kind == 3) assert_int_equal(truncate(cache, 100), 0);
        if (kind == 4) assert_int_equal(truncate(table, 10), 0);
        if (kind == 5) assert_int_equal(truncate(path_in(first_path, "flag.0008.obj"), 0), 0);
        free(bytes);
        assert_ok(context, ruga_run_resume(context, first_path, &run));
        assert_int_equal(ruga_run_frames_done(run), 0);
        assert_false(exists(first_path, "checkpoint"));
        assert_ok(context, next_until_done(run));
        ruga_run_destroy(run);
        assert_file_has(path_in(first_path, "log.txt"), "not used");
        assert_same_run(first_path, second_path);
        remove_run(first_path);
    }
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* The last that was flushed stays beside the younger one, and is fallen back to. */
static void the_last_flushed_checkpoint_is_fallen_back_to(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, "output.checkpoint", "1", NULL);
    run_whole(context, d, second_path);
    for (int cut = 0; cut < 2; cut++) {
        ruga_run *run = NULL;
        assert_ok(context, run_create(context, d, first_path, 0, &(run_habits)FLUSHING, &run));
        assert_ok(context, ruga_run_next(run));
        run->output.habits.flush_after = 1000;
        assert_ok(context, ruga_run_next(run));
        assert_ok(context, ruga_run_next(run));
        ruga_run_destroy(run);
        assert_true(exists(first_path, "checkpoint") && exists(first_path, "checkpoint.new"));
        if (cut) assert_int_equal(truncate(path_in(first_path, "flag.pc2.part"), 32 + 12 * 12 * 2), 0);
        assert_ok(context, ruga_run_resume(context, first_path, &run));
        assert_int_equal(ruga_run_frames_done(run), cut ? 1 : 3);
        assert_int_equal(exists(first_path, "checkpoint.new"), !cut);
        assert_ok(context, next_until_done(run));
        ruga_run_destroy(run);
        assert_same_run(first_path, second_path);
        remove_run(first_path);
    }
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* ---- Cancelling and the log. */

typedef struct listener {
    int calls, cancel_at; /* -1: never */
    int lines;
} listener;

static int record_progress(void *user, const char *stage, double fraction) {
    listener *l = user;
    assert_non_null(stage);
    assert_at_most(0, fraction);
    assert_at_most(fraction, 1);
    return l->calls++ == l->cancel_at;
}

static void record_line(void *user, ruga_log_level level, const char *message) {
    (void)level;
    (void)message;
    ((listener *)user)->lines++;
}

static ruga_context *context_listening(listener *l) {
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    def.progress = record_progress;
    def.progress_user = l;
    def.log = record_line;
    def.log_user = l;
    ruga_context *context = NULL;
    assert_int_equal(ruga_context_create(&def, &context), RUGA_OK);
    return context;
}

static void assert_stop_is_logged_once(int done) {
    char *log = read_test_file(path_in(first_path, "log.txt"), NULL), text[64];
    snprintf(text, sizeof text, "stopped after %d ", done);
    const char *at = strstr(log, text);
    assert_non_null(at);
    assert_null(strstr(at + strlen(text), "stopped after"));
    free(log);
}

/* Cancelled at each call of the progress function: the run is resumable from its last whole frame, which is never less
 * than what was done when it was cancelled. long_frames: as if each took so long that it is not waited for. */
static void cancel_everywhere(int long_frames) {
    listener l = {.cancel_at = -1};
    ruga_context *context = context_listening(&l);
    for (int at = 0, cancelled = 1; cancelled; at++) {
        l = (listener){.cancel_at = -1};
        ruga_description *d = describe(context, "output.formats", "[\"pc2\", \"glb\"]", "output.checkpoint", "0", NULL);
        ruga_run *run = NULL;
        assert_ok(context, ruga_run_create(context, d, first_path, 0, &run));
        ruga_description_destroy(d);
        l = (listener){.cancel_at = at};
        ruga_status status = RUGA_OK;
        while (!RUGA_FAILED(status) && !ruga_run_is_done(run)) {
            if (long_frames) run->frame_seconds = 1000;
            status = ruga_run_next(run);
        }
        cancelled = status == RUGA_ERROR_CANCELLED;
        assert_true(cancelled || status == RUGA_OK);
        const int done = ruga_run_frames_done(run);
        if (cancelled) assert_message_has(context, "continue with: ruga resume");
        if (cancelled) assert_stop_is_logged_once(done);
        /* A run that was stopped between frames may also be stepped again. */
        const int resumes = cancelled && done < FRAMES && at % 2;
        if (resumes) assert_ok(context, next_until_done(run));
        ruga_run_destroy(run);
        if (cancelled && !resumes) {
            assert_ok(context, ruga_run_resume(context, first_path, &run));
            assert_int_equal(ruga_run_frames_done(run), done);
            assert_ok(context, next_until_done(run));
            ruga_run_destroy(run);
        }
        assert_same_run(first_path, second_path);
        remove_run(first_path);
    }
    assert_less(FRAMES, l.calls);
    ruga_context_destroy(context);
}

static void a_cancelled_run_resumes_after_its_last_complete_frame(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, "output.formats", "[\"pc2\", \"glb\"]", "output.checkpoint", "0", NULL);
    run_whole(context, d, second_path);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
    cancel_everywhere(0);
    cancel_everywhere(1);
}

static void the_log_has_the_history_of_the_run(void **state) {
    (void)state;
    listener l = {.cancel_at = -1};
    ruga_context *context = context_listening(&l);
    ruga_description *d = describe(context, NULL);
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, first_path, 0, &run));
    for (int i = 0; i < 3; i++) assert_ok(context, ruga_run_next(run));
    ruga_run_destroy(run);
    const char *log = path_in(first_path, "log.txt");
    size_t size;
    char *text = read_test_file(log, &size);
    write_test_file(log, text, size - 1); /* half a line */
    free(text);
    write_test_file(path_in(first_path, "checkpoint"), "broken", 6);
    const int before = l.lines;
    resume_whole(context, first_path);
    assert_int_equal(l.lines, before + 1); /* the warning came through */
    assert_ptr_equal(context->def.log, record_line);
    assert_file_has(log, "run: Ruga ");
    assert_file_has(log, "checkpoint after 2 of 5 frames\n");
    assert_file_has(log, "closed after 3 frames\n");
    assert_file_has(log, "warning: ");
    assert_file_has(log, "resume: Ruga ");
    assert_file_has(log, "done: 5 frames, ");
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

#define RUN_TEST(test) cmocka_unit_test_setup(test, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        RUN_TEST(a_cache_holds_the_scenes_frames),
        RUN_TEST(a_sequence_holds_the_scenes_frames),
        RUN_TEST(glb_and_usd_are_assembled_from_the_cache),
        RUN_TEST(a_run_without_formats_writes_only_tables),
        RUN_TEST(a_run_of_no_frames_is_done_at_once),
        RUN_TEST(tables_hold_the_scenes_measures),
        RUN_TEST(frames_do_not_depend_on_the_number_of_threads),
        RUN_TEST(a_frame_in_between_allocates_nothing),
        RUN_TEST(a_mesh_that_changes_is_refused_by_caches),
        RUN_TEST(a_run_is_replaced_only_when_asked),
        RUN_TEST(a_run_whose_plan_is_broken_is_replaced),
        RUN_TEST(files_of_others_are_never_overwritten),
        RUN_TEST(two_runs_cannot_write_into_one_directory),
        RUN_TEST(a_directory_that_cannot_be_made_is_reported),
        RUN_TEST(a_complete_run_is_done_when_it_is_resumed),
        RUN_TEST(only_what_is_a_run_is_resumed),
        RUN_TEST(a_run_of_another_program_is_not_resumed),
        RUN_TEST(a_checkpoint_that_cannot_be_trusted_is_not_used),
        RUN_TEST(the_last_flushed_checkpoint_is_fallen_back_to),
        RUN_TEST(a_cancelled_run_resumes_after_its_last_complete_frame),
        RUN_TEST(the_log_has_the_history_of_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
