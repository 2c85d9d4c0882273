/* Creases that are cut and removed while a scene runs: no jumps, the same bits after resuming, parts that follow,
 * contact, and mistakes. */
#include "scene/crease_scenes.h"

#define HELD ", \"pins\": [{\"kind\": \"fixed\", \"box_to\": [2, 2, -0.49]}]"
#define FIRST "{\"name\": \"first\", \"points\": [[-0.5, 0, 0.12], [0.5, 0, 0.17]]%s}"
#define SECOND "{\"name\": \"second\", \"points\": [[0.06, 0, -0.5], [0.02, 0, 0.5]]%s}"

/* A sheet of 1 m by 1 m around the origin, facing up; `more` stands in the scene, `cloth` in its body, `object` in the
 * object. */
static const char *sheet_scene(const char *more, const char *cloth, const char *object, const char *hooks) {
    static char text[4][4000];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(text[turn], sizeof text[turn],
             "{\"time\": {\"fps\": 24, \"frames\": 60, \"substeps\": 2}, %s \"objects\": [{\"name\": \"sheet\", "
             "\"mesh\": {\"kind\": \"sheet\", \"columns\": 10, \"rows\": 10, \"triangulation\": 2}, "
             "\"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", \"integrator\": \"implicit\", \"tolerance\": "
             "1e-6%s}%s, \"hooks\": [%s]}]}",
             more, cloth, object, hooks);
    return text[turn];
}

/* The hook with both lines; each may have more fields. */
static const char *both(const char *first, const char *second, const char *more) {
    static char text[4][1000], format[1000];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(format, sizeof format, "{\"kind\": \"crease\", \"lines\": [%s, %s]%s}", FIRST, SECOND, more);
    snprintf(text[turn], sizeof text[turn], format, first, second);
    return text[turn];
}

static const char *one(const char *first) {
    static char text[4][1000];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(text[turn], sizeof text[turn], "{\"kind\": \"crease\", \"lines\": [" FIRST "]}", first);
    return text[turn];
}

static void run(ruga_scene *scene, int frames) {
    for (int f = 0; f < frames; f++)
        fail_if(RUGA_FAILED(ruga_scene_step(scene)), "step %d: %s", f, ruga_context_message(scene->context));
}

static double distance(const ruga_scene *a, const ruga_scene *b) {
    const ruga_frame *fa = ruga_scene_frame(a, 0), *fb = ruga_scene_frame(b, 0);
    double most = 0;
    for (size_t v = 0; v < 121; v++) most = fmax(most, vec3_distance(fa->positions[v], fb->positions[v]));
    return most;
}

static double kinetic(const body *b) {
    double sum = 0;
    for (size_t i = 0; i < b->point_count; i++) sum += 0.5 * b->masses[i] * vec3_length2(b->velocities[i]);
    return sum;
}

static double mass(const body *b) {
    double sum = 0;
    for (size_t i = 0; i < b->point_count; i++) sum += b->masses[i];
    return sum;
}

static double elastic(const ruga_scene *scene) { return scene_measure(scene, "sheet.elastic_energy"); }

/* Of the pose as it is: by a step so short that nothing moves, after which the state is restored. */
static double elastic_now(ruga_context *context, ruga_scene *scene) {
    void *bytes;
    size_t size;
    assert_ok(context, ruga_scene_save(scene, &bytes, &size));
    assert_ok(context, world_step(scene->world, world_time(scene->world) + 1e-9, 1, 1, 1));
    double energy = elastic(scene);
    assert_ok(context, ruga_scene_restore(scene, bytes, size));
    ruga_free(context, bytes);
    return energy;
}

/* Makes the change that is due, before the next step. Vertices of the mesh keep positions and velocities bit for bit,
 * and the mass stays. Returns the change of the kinetic energy over it. */
static double change_now(ruga_context *context, ruga_scene *scene) {
    const body *b = world_body(scene->world, 0);
    static vec3 positions[121], velocities[121], shown[121];
    double before = kinetic(b), weight = mass(b);
    uint64_t revision = b->revision;
    memcpy(positions, b->positions, sizeof positions);
    memcpy(velocities, b->velocities, sizeof velocities);
    memcpy(shown, ruga_scene_frame(scene, 0)->positions, sizeof shown);
    assert_ok(context, scene_make_changes(scene));
    b = world_body(scene->world, 0);
    assert_int_equal(b->revision, revision + 1);
    assert_int_equal(ruga_scene_frame(scene, 0)->topology_revision, revision + 1);
    assert_memory_equal(b->positions, positions, sizeof positions);
    assert_memory_equal(b->velocities, velocities, sizeof velocities);
    assert_memory_equal(ruga_scene_frame(scene, 0)->positions, shown, sizeof shown);
    assert_near(mass(b), weight, 1e-12 * weight);
    if (b->given.bound) {
        assert_less(distance_from_bound(b, b->positions), 1e-12);
        assert_less(distance_from_bound(b, b->velocities), 1e-11);
    }
    return (kinetic(b) - before) / before;
}

/* ---- No jumps. */

/* A swing; frame 12 is that of 0.5 s, in which the border moves by some 0.1 m. */
static void creases_are_cut_without_a_jump(void **state) {
    static const char *const befores[] = {"", ", \"cut\": 0.5"};
    for (int whole = 0; whole < 2; whole++) {
        ruga_scene *never = crease_scene_make(*state, sheet_scene("", HELD, "", whole ? "" : one("")));
        ruga_scene *later =
            crease_scene_make(*state, sheet_scene("", HELD, "", both(befores[whole], ", \"cut\": 0.5", "")));
        run(never, 13);
        run(later, 13);
        /* The same up to the tolerance of solves: the part may add forces. */
        assert_less(distance(never, later), 1e-5);
        assert_near(change_now(*state, later), 0, 1e-12);
        assert_near(elastic_now(*state, later), elastic_now(*state, never), 1e-3 * elastic_now(*state, never));
        run(never, 1);
        run(later, 1);
        assert_less(1e-5, distance(never, later));
        assert_less(distance(never, later), 1e-3);
        ruga_scene_destroy(never);
        ruga_scene_destroy(later);
    }
}

static double steepest(const ruga_scene *scene) {
    return fmax(-scene_measure(scene, "sheet.crease.mountain"), scene_measure(scene, "sheet.crease.valley"));
}

/* The fold φ of a removed crease becomes a bend over one edge: edges across it are shortened by at most φ²/8, so that
 * the elastic energy rises by at most ½ Y (φ²/8)² e L, with the stretch stiffness Y, edges e and the length L. */
static void creases_are_removed_without_a_jump(void **state) {
    ruga_scene *stays = crease_scene_make(*state, sheet_scene("", HELD, "", one("")));
    ruga_scene *goes = crease_scene_make(*state, sheet_scene("", HELD, "", one(", \"remove\": 0.5")));
    const double stretch = 5000, edge = 0.1 * sqrt(2), length = 1; /* of cotton; of diagonals; of the crease */
    run(stays, 13);
    run(goes, 13);
    assert_less(distance(stays, goes), 1e-5);
    double fold = steepest(stays) * 3.14159265 / 180;
    assert_less(0.1, fold);
    assert_less(fabs(change_now(*state, goes)), 0.01);
    assert_null(world_body(goes->world, 0)->given.mesh);
    double rise = elastic_now(*state, goes) - elastic_now(*state, stays);
    assert_less(0, rise);
    assert_less(rise, 0.5 * stretch * pow(fold * fold / 8, 2) * edge * length);
    run(stays, 1);
    run(goes, 1);
    /* In one frame, in which the border moves by 0.1 m. */
    assert_less(distance(stays, goes), 0.005);
    ruga_scene_destroy(stays);
    ruga_scene_destroy(goes);
}

/* A crease that was flat leaves nothing behind. */
static void a_flat_crease_goes_without_any_trace(void **state) {
    ruga_scene *goes = crease_scene_make(
        *state, sheet_scene("\"gravity\": [0, 0, 0], ", "", "", both("", ", \"remove\": 0.1", ", \"stiffness\": 0.1")));
    run(goes, 12);
    const ruga_frame *frame = ruga_scene_frame(goes, 0);
    for (size_t v = 0; v < frame->vertex_count; v++) assert_near(frame->positions[v].y, 0, 1e-12);
    assert_less(elastic(goes), 1e-20);
    ruga_scene_destroy(goes);
}

static void creases_change_in_every_integrator(void **state) {
    static const char *const integrators[] = {"explicit", "semi_implicit", "implicit", "filter", "auto"};
    for (int k = 0; k < 5; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "{\"time\": {\"fps\": 24, \"frames\": 9, \"substeps\": %d}, \"objects\": [{\"name\": \"sheet\", "
                 "\"mesh\": {\"kind\": \"sheet\", \"columns\": 6, \"rows\": 6, \"triangulation\": 2}, "
                 "\"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", \"elements\": \"springs\", "
                 "\"integrator\": \"%s\", \"pins\": [{\"kind\": \"fixed\", \"box_to\": [2, 2, -0.49]}]}, "
                 "\"hooks\": [%s]}]}",
                 k < 2 ? 200 : 4, integrators[k], both(", \"cut\": 0.05", ", \"cut\": 0.1, \"remove\": 0.2", ""));
        ruga_scene *scene = crease_scene_make(*state, text);
        run(scene, 7);
        const body *b = world_body(scene->world, 0);
        assert_int_equal(b->revision, 3);
        assert_less_case(distance_from_bound(b, b->positions), 1e-10, "%s", integrators[k]);
        assert_less_case(scene_measure(scene, "sheet.elongation"), 0.05, "%s", integrators[k]);
        ruga_scene_destroy(scene);
    }
}

/* ---- State. */

#define SCHEDULE                                                                   \
    both(", \"remove\": 0.75", ", \"cut\": 0.25, \"active\": 0.35, \"angle\": 40", \
         ", \"yield\": 2, \"stiffness\": 0.02")

static void assert_same(const ruga_scene *a, const ruga_scene *b) {
    const ruga_frame *fa = ruga_scene_frame(a, 0), *fb = ruga_scene_frame(b, 0);
    uint64_t hashes[2];
    assert_int_equal(fa->vertex_count, fb->vertex_count);
    assert_memory_equal(fa->positions, fb->positions, fa->vertex_count * sizeof *fa->positions);
    assert_ok(a->context, ruga_scene_state_hash(a, &hashes[0]));
    assert_ok(b->context, ruga_scene_state_hash(b, &hashes[1]));
    assert_true(hashes[0] == hashes[1]);
}

/* From before, between and after the changes, into a new scene and into one that is at the end; with details on top. */
static void changes_resume_with_the_same_bits(void **state) {
    static const char *const details[] = {
        ", \"details\": [{\"kind\": \"subdivide\"}, {\"kind\": \"jiggle\", \"weight\": 0.5}]", ""};
    enum { FRAMES = 21, MOMENTS = 3 };
    static const int at[MOMENTS] = {4, 12, 19}; /* cut at frame 6, removed at frame 18 */
    for (int d = 0; d < (SANITIZED ? 1 : 2); d++) {
        const char *text = sheet_scene("", HELD, details[d], SCHEDULE);
        ruga_scene *whole = crease_scene_make(*state, text);
        struct {
            void *bytes;
            size_t size;
        } saved[MOMENTS];
        for (int k = 0, f = 0; k < MOMENTS; k++) {
            for (; f < at[k]; f++) run(whole, 1);
            assert_ok(*state, ruga_scene_save(whole, &saved[k].bytes, &saved[k].size));
        }
        run(whole, FRAMES - at[MOMENTS - 1]);
        assert_int_equal(world_body(whole->world, 0)->revision, 2);
        ruga_scene *elsewhere = NULL;
        for (int k = 0; k < MOMENTS; k++) {
            ruga_scene *fresh = crease_scene_make(*state, text);
            ruga_scene *const into[2] = {fresh, elsewhere};
            for (int i = 0; i < 2 && into[i]; i++) {
                assert_ok(*state, ruga_scene_restore(into[i], saved[k].bytes, saved[k].size));
                run(into[i], FRAMES - at[k]);
                assert_same(whole, into[i]);
            }
            if (elsewhere) ruga_scene_destroy(elsewhere);
            elsewhere = fresh;
            ruga_free(*state, saved[k].bytes);
        }
        ruga_scene_destroy(whole);
        ruga_scene_destroy(elsewhere);
    }
}

static void changes_are_bit_identical_for_any_threads(void **state) {
    skip_when_sanitized();
    const char *text = sheet_scene("", HELD, "", SCHEDULE);
    ruga_scene *one_thread = crease_scene_make(*state, text);
    run(one_thread, 24);
    for (int threads = 2; threads < 4; threads++) {
        ruga_context *own = context_plain(threads);
        ruga_scene *scene = crease_scene_make(own, text);
        run(scene, 24);
        assert_same(one_thread, scene);
        ruga_scene_destroy(scene);
        ruga_context_destroy(own);
    }
    ruga_scene_destroy(one_thread);
}

/* The rest angles of a crease that yielded are those of before; a crossing divides one of its folds. */
static void plastic_folds_continue(void **state) {
    ruga_scene *scene = crease_scene_make(
        *state, sheet_scene("", HELD, "", both(", \"yield\": 1, \"stiffness\": 0.001", ", \"cut\": 0.5", "")));
    ruga_crease_report before, after;
    run(scene, 13);
    assert_int_equal(ruga_scene_crease_count(scene, 0), 1);
    assert_ok(*state, ruga_scene_crease(scene, 0, 0, &before));
    assert_less(3, fabs(before.target));
    assert_ok(*state, scene_make_changes(scene));
    assert_int_equal(ruga_scene_crease_count(scene, 0), 2);
    assert_ok(*state, ruga_scene_crease(scene, 0, 0, &after));
    assert_string_equal(after.name, "first");
    assert_near(after.target, before.target, 1e-6);
    assert_near(after.fold, before.fold, 1e-6);
    ruga_scene_destroy(scene);
}

/* ---- Contact. */

#define BALL "\"colliders\": [{\"kind\": \"sphere\", \"centre\": [0, -0.4, 0], \"radius\": 0.3}], \"contact\": {}, "

static void changes_keep_contact_free_of_intersections(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    const char *hooks = both(", \"cut\": 0.3, \"angle\": -50", ", \"cut\": 0.4, \"remove\": 0.8", "");
    ruga_scene *scene = crease_scene_make(*state, sheet_scene(BALL, "", "", hooks));
    step_without_intersections(*state, scene, 30);
    assert_int_equal(world_body(scene->world, 0)->revision, 3);
    ruga_scene_destroy(scene);
}

static void count_waits(void *user, ruga_log_level level, const char *message) {
    if (level == RUGA_LOG_WARNING && strstr(message, "the change waits until they do not")) ++*(int *)user;
}

/* A sheet is folded over the border of a standing one; without its ridge it would be cut by it. */
static void a_removal_that_would_intersect_waits(void **state) {
    static const char *const text =
        "{\"time\": {\"fps\": 24, \"frames\": 60, \"substeps\": 4}, \"gravity\": [0, 0, 0], \"contact\": "
        "{}, \"objects\": [{\"name\": \"blade\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 3, "
        "\"rows\": 3}, \"turn\": [90, 0, 0], \"move\": [0, -0.505, 0], \"body\": {\"kind\": \"static\"}}, "
        "{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 8, \"rows\": 8, \"triangulation\": 2}, "
        "\"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", \"pins\": [{\"kind\": \"fixed\", \"vertices\": "
        "\"40\"}]}, \"hooks\": [{\"kind\": \"crease\", \"angle\": {\"keys\": [[0, 0], [0.8, -100], [1.2, -100], [1.8, "
        "0]]}, \"remove\": 1.1, \"lines\": [[[-0.5, 0, 0.01], [0.5, 0, -0.01]]]}]}]}";
    int waited = 0, warnings = 0;
    ruga_context_def def = ruga_context_def_default();
    ruga_context *context = NULL;
    (void)state;
    def.log = count_waits;
    def.log_user = &warnings;
    assert_ok(NULL, ruga_context_create(&def, &context));
    ruga_scene *scene = crease_scene_make(context, text);
    const body *sheet = world_body(scene->world, 1);
    for (int f = 0; f < 48; f++) {
        const ruga_scene_intersection *found;
        size_t count;
        assert_ok(context, ruga_scene_step(scene));
        assert_ok(context, ruga_scene_intersections(scene, &found, &count));
        assert_int_equal(count, 0);
        waited += ruga_scene_time(scene) > 1.2 && sheet->revision == 0;
    }
    assert_ran(waited, 3);
    assert_int_equal(sheet->revision, 1);
    assert_int_equal(warnings, 1); /* it is reported once */
    ruga_scene_destroy(scene);
    ruga_context_destroy(context);
}

/* ---- Mistakes. */

static void check_finds(ruga_context *context, const char *text, const char *message) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    assert_true(RUGA_FAILED(ruga_description_check(d)));
    int found = 0;
    for (size_t i = 0; i < ruga_description_finding_count(d); i++)
        found |= strstr(ruga_description_finding(d, i)->message, message) != NULL;
    fail_if(!found, "no finding has \"%s\": %s", message, ruga_description_finding(d, 0)->message);
    ruga_description_destroy(d);
}

#define OBJ "\"output\": {\"formats\": [\"obj\"]}, "

static void mistakes_are_found_by_the_check(void **state) {
    static const struct {
        const char *output, *first, *second, *more, *message;
    } cases[] = {
        {"\"output\": {\"formats\": [\"pc2\"]}, ", "", ", \"cut\": 1", "", "choose obj or ply"},
        {"\"output\": {\"formats\": [\"obj\", \"glb\"]}, ", "", ", \"remove\": 1", "", "\"active\""},
        {OBJ, "", ", \"cut\": 1, \"remove\": 0.5", "", "\"second\" is removed at 0.5 s, but cut at 1 s"},
        {OBJ, "", ", \"remove\": -1", "", "would never be there"},
        {OBJ, "", ", \"cut\": 1, \"set\": 0.5", "", "set it later"},
        {OBJ, "", ", \"cut\": 1", ", \"form\": \"exact\"", "need the form \"ridge\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_finds(*state,
                    sheet_scene(cases[i].output, HELD, "", both(cases[i].first, cases[i].second, cases[i].more)),
                    cases[i].message);
    /* Creases that depend on each other. */
    check_finds(
        *state,
        sheet_scene(OBJ, HELD, "",
                    "{\"kind\": \"crease\", \"lines\": [{\"name\": \"bar\", \"points\": [[-0.5, 0, 0.02], [0.5, "
                    "0, 0.03]], \"remove\": 1}, {\"name\": \"stem\", \"points\": [[0.02, 0, -0.5], [0.04, 0, "
                    "0.02]]}]}"),
        "the first ends on the second");
    check_finds(*state,
                sheet_scene(OBJ, HELD, "",
                            "{\"kind\": \"crease\", \"lines\": [[[-0.5, 0, 0.02], [0.03, 0, 0.03]], {\"points\": "
                            "[[0.03, 0, 0.03], [0.5, 0, -0.2]], \"cut\": 1}]}"),
                "become one crease");
    check_finds(*state,
                sheet_scene(OBJ, HELD, "",
                            "{\"kind\": \"seam\", \"from\": [[-0.5, 0, -0.5], [-0.5, 0, 0.5]], \"to\": [[0.5, 0, "
                            "-0.5], [0.5, 0, 0.5]]}, {\"kind\": \"crease\", \"cut\": 1, \"lines\": [[[0.02, 0, "
                            "-0.5], [0.03, 0, 0.5]]]}"),
                "sewn or attached");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creases_are_cut_without_a_jump),
        cmocka_unit_test(creases_are_removed_without_a_jump),
        cmocka_unit_test(a_flat_crease_goes_without_any_trace),
        cmocka_unit_test(creases_change_in_every_integrator),
        cmocka_unit_test(changes_resume_with_the_same_bits),
        cmocka_unit_test(changes_are_bit_identical_for_any_threads),
        cmocka_unit_test(plastic_folds_continue),
        cmocka_unit_test(changes_keep_contact_free_of_intersections),
        cmocka_unit_test(a_removal_that_would_intersect_waits),
        cmocka_unit_test(mistakes_are_found_by_the_check),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
