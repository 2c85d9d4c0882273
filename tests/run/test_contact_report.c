/* The report of contact: the start with a picture, the log of every frame, the summary at the end. */
#include "ruga/render.h"
#include "run/run.h"
#include "run_fixture.h"

/* A cloth across a ball. */
static const char crossing_scene[] =
    "{\"time\": {\"frames\": 4, \"start_frame\": 1}, \"contact\": {}, \"objects\": ["
    "{\"name\": \"ball\", \"mesh\": {\"kind\": \"sphere\", \"radius\": 0.2, \"frequency\": 4}},"
    "{\"name\": \"cloth\", \"move\": [0, 0.11, 0], \"mesh\": {\"kind\": \"sheet\", \"columns\": 8, \"rows\": 8, "
    "\"width\": 0.6, \"length\": 0.6}, \"body\": {\"kind\": \"cloth\", \"thickness\": 0.005}}]}";

/* The last warning that the run gave. */
typedef struct recorded_log {
    char text[1024];
    int warnings;
} recorded_log;

static void record_log(void *user, ruga_log_level level, const char *message) {
    recorded_log *h = user;
    if (level != RUGA_LOG_WARNING) return;
    h->warnings++;
    snprintf(h->text, sizeof h->text, "%s", message);
}

static ruga_context *recording_context(recorded_log *h, int has_pictures) {
    ruga_context *context = NULL;
    ruga_context_def def = ruga_context_def_default();
    def.log = record_log;
    def.log_user = h;
    assert_int_equal(ruga_context_create(&def, &context), RUGA_OK);
    if (has_pictures) ruga_render_run_starts(context);
    return context;
}

static ruga_description *describe_text(ruga_context *context, const char *text) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    return d;
}

static ruga_description *describe_crossing(ruga_context *context, const char *start) {
    ruga_description *d = describe_text(context, crossing_scene);
    if (start) assert_ok(context, ruga_description_set(d, "contact.start", start));
    return d;
}

/* A build without pictures says the rest. */
static int pictures_are_made(ruga_context *context) {
    ruga_render_def def = ruga_render_def_default();
    ruga_panel panel = {.camera = ruga_camera_default()};
    ruga_image *image = NULL;
    def.width = def.height = 16;
    def.panel_count = 1;
    def.panels = &panel;
    ruga_status status = ruga_render(context, &def, &image);
    ruga_image_destroy(image);
    return status != RUGA_ERROR_UNSUPPORTED;
}

static void assert_picture(ruga_context *context, const char *directory) {
    char path[1024];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/start-intersections.png", directory);
    char *bytes = read_test_file(path, &size);
    assert_int_equal(bytes != NULL, pictures_are_made(context));
    if (bytes) {
        assert_less(1000, size);
        assert_true(memcmp(bytes, "\x89PNG", 4) == 0);
    }
    free(bytes);
}

static void a_start_that_intersects_is_refused_with_a_picture(void **state) {
    (void)state;
    recorded_log h = {0};
    ruga_context *context = recording_context(&h, 1);
    ruga_description *d = describe_crossing(context, NULL);
    const char *directory = test_path("refused");
    ruga_run *run = NULL;
    assert_status(ruga_run_create(context, d, directory, 0, &run), RUGA_ERROR_INPUT);
    assert_null(run);
    assert_message_has(context, "of \"ball\" and \"cloth\" intersect, as at (");
    assert_message_has(context, "set contact.start to \"untangle\"");
    assert_picture(context, directory);
    /* The directory has no run, and nothing stops the next one. */
    assert_false(ruga_path_is_run(directory));
    assert_ok(context, ruga_description_set(d, "objects[cloth].move", "[0, 0.3, 0]"));
    run_whole(context, d, directory);
    assert_int_equal(h.warnings, 0);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void intersections_are_in_the_log_and_at_the_end(void **state) {
    (void)state;
    recorded_log h = {0};
    ruga_context *context = recording_context(&h, 1);
    ruga_description *d = describe_crossing(context, "go_on");
    const char *directory = test_path("continued");
    run_whole(context, d, directory);
    assert_picture(context, directory);
    assert_non_null(strstr(h.text, "intersections, in 4 frames from 1 to 4"));
    char path[1024];
    snprintf(path, sizeof path, "%s/log.txt", directory);
    char *log = read_test_file(path, NULL);
    assert_non_null(strstr(log, "before the first frame"));
    for (int frame = 1; frame <= 4; frame++) {
        char line[64];
        snprintf(line, sizeof line, "frame %d: ", frame);
        assert_non_null(strstr(log, line));
    }
    free(log);
    /* Replacing the run removes the picture too. */
    ruga_run *run = NULL;
    assert_ok(context, ruga_description_set(d, "objects[cloth].move", "[0, 0.3, 0]"));
    assert_ok(context, ruga_run_create(context, d, directory, 1, &run));
    snprintf(path, sizeof path, "%s/start-intersections.png", directory);
    assert_null(read_test_file(path, NULL));
    ruga_run_destroy(run);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* Frames of before a stop are in the sum. */
static void a_resumed_run_sums_up_all_its_frames(void **state) {
    (void)state;
    recorded_log h = {0};
    ruga_context *context = recording_context(&h, 0);
    ruga_description *d = describe_crossing(context, "go_on");
    const char *directory = test_path("resumed");
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, directory, 0, &run));
    assert_ok(context, ruga_run_next(run));
    assert_ok(context, ruga_run_next(run));
    assert_ok(context, ruga_run_checkpoint(run));
    ruga_run_destroy(run);
    resume_whole(context, directory);
    assert_non_null(strstr(h.text, "intersections, in 4 frames from 1 to 4"));
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* A cloth between a floor and a plate that comes down through it. */
static const char pinching_scene[] =
    "{\"time\": {\"frames\": 5, \"substeps\": 2}, \"contact\": {\"cuts\": 1}, \"objects\": ["
    "{\"name\": \"floor\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 2, \"rows\": 2}},"
    "{\"name\": \"plate\", \"move\": [0, 0.04, 0], \"mesh\": {\"kind\": \"sheet\", \"columns\": 3, \"rows\": 3}, "
    "\"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 0.1, \"move\": [0, -0.06, 0]}]}},"
    "{\"name\": \"cloth\", \"move\": [0, 0.02, 0], \"mesh\": {\"kind\": \"sheet\", \"columns\": 4, \"rows\": 4, "
    "\"width\": 0.4, \"length\": 0.4}, \"body\": {\"kind\": \"cloth\", \"thickness\": 0.005}}]}";

static void pinched_pairs_are_in_the_log_and_at_the_end(void **state) {
    (void)state;
    recorded_log h = {0};
    ruga_context *context = recording_context(&h, 1);
    ruga_description *d = describe_text(context, pinching_scene);
    const char *directory = test_path("pinching");
    run_whole(context, d, directory);
    char path[1024];
    snprintf(path, sizeof path, "%s/log.txt", directory);
    char *log = read_test_file(path, NULL);
    const char *line = strstr(log, " pairs pinched where bodies leave no room\n");
    const char *sum = strstr(log, " pairs pinched where bodies leave no room, in ");
    assert_true(line && sum && line < sum);
    free(log);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* The limit of work is never reached in silence: the log names the first moment, each frame, and the sum. */
static void the_limit_of_work_is_in_the_log_and_at_the_end(void **state) {
    (void)state;
    recorded_log h = {0};
    ruga_context *context = recording_context(&h, 1);
    ruga_description *d = describe_text(context, pinching_scene);
    assert_ok(context, ruga_description_set(d, "contact.work", "1"));
    const char *directory = test_path("limited");
    run_whole(context, d, directory);
    char path[1024];
    snprintf(path, sizeof path, "%s/log.txt", directory);
    char *log = read_test_file(path, NULL);
    const char *first = strstr(log, "contact reached its limit of work at ");
    const char *line = strstr(log, " substeps in which contact reached its limit of work (contact.work)\n");
    const char *sum = strstr(log, " substeps in which contact reached its limit of work (contact.work), in ");
    fail_if(!(first && line && sum && first < line && line < sum), "the log says: %s", log);
    assert_null(strstr(first + 1, "contact reached its limit of work at "));
    free(log);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void strict_contact_stops_at_the_first_pinched_pair_and_says_where(void **state) {
    (void)state;
    recorded_log h = {0};
    ruga_context *context = recording_context(&h, 1);
    ruga_description *d = describe_text(context, pinching_scene);
    ruga_run *run = NULL;
    ruga_status status = RUGA_OK;
    assert_ok(context, ruga_description_set(d, "contact.strict", "true"));
    assert_ok(context, ruga_run_create(context, d, test_path("strict"), 0, &run));
    while (!RUGA_FAILED(status) && !ruga_run_is_done(run)) status = ruga_run_next(run);
    assert_status(status, RUGA_ERROR_INPUT);
    assert_message_has(context, "pinched");
    assert_message_has(context, "of \"cloth\"");
    assert_null(strstr(ruga_context_message(context), "resume"));
    ruga_run_destroy(run);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* Colliders are no objects: the frames' own check does not see them, contact does. */
static void intersections_with_a_collider_are_reported_in_every_frame(void **state) {
    (void)state;
    recorded_log h = {0};
    ruga_context *context = recording_context(&h, 1);
    ruga_description *d = describe_text(
        context,
        "{\"time\": {\"frames\": 4}, \"contact\": {\"start\": \"go_on\"}, \"gravity\": [0, 0, 0],"
        "\"colliders\": [{\"kind\": \"box\", \"size\": [0.3, 0.3, 0.3]}], \"objects\": [{\"name\": \"cloth\", "
        "\"mesh\": {\"kind\": \"sheet\", \"columns\": 8, \"rows\": 8}, \"body\": {\"kind\": \"cloth\", "
        "\"thickness\": 0.005}}]}");
    run_whole(context, d, test_path("collider"));
    assert_non_null(strstr(h.text, "intersections that contact ignores, from the start or pinched, in "));
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_that_intersects_is_refused_with_a_picture),
        cmocka_unit_test(intersections_are_in_the_log_and_at_the_end),
        cmocka_unit_test(a_resumed_run_sums_up_all_its_frames),
        cmocka_unit_test(pinched_pairs_are_in_the_log_and_at_the_end),
        cmocka_unit_test(the_limit_of_work_is_in_the_log_and_at_the_end),
        cmocka_unit_test(strict_contact_stops_at_the_first_pinched_pair_and_says_where),
        cmocka_unit_test(intersections_with_a_collider_are_reported_in_every_frame),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
