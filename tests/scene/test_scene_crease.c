/* Creases in scenes: they fold with contact on, resume to the same bits, and name mistakes. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/support.h"

/* A sheet of 1 m by 1 m around the origin, facing up; `more` stands in the scene, `body` in the cloth. */
static const char *crease_scene(const char *more, const char *body, const char *crease) {
    static char text[4000];
    snprintf(text, sizeof text,
             "{\"time\": {\"fps\": 24, \"frames\": 60, \"substeps\": 2}, %s \"objects\": [{\"name\": \"sheet\", "
             "\"mesh\": {\"kind\": \"sheet\", \"columns\": 10, \"rows\": 10, \"triangulation\": 2}, "
             "\"material\": \"cotton\", \"body\": {\"kind\": \"cloth\"%s}, \"hooks\": [{\"kind\": \"crease\", %s}]}]}",
             more, body, crease);
    return text;
}

#define HELD ", \"pins\": [{\"kind\": \"fixed\", \"box_to\": [2, 2, -0.49]}]"
#define CROSS "\"lines\": [[[-0.5, 0, 0.08], [0.5, 0, -0.13]], [[0.03, 0, -0.5], [-0.09, 0, 0.5]]]"

static ruga_description *describe(ruga_context *context, const char *text) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    return d;
}

static ruga_scene *make_scene(ruga_context *context, const char *text) {
    ruga_description *d = describe(context, text);
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

static void a_pinned_sheet_swings_and_shows_its_creases(void **state) {
    ruga_scene *scene = make_scene(*state, crease_scene("", HELD, CROSS));
    double gap = 0;
    for (int f = 0; f < 48; f++) {
        assert_ok(*state, ruga_scene_step(scene));
        gap = fmax(gap, scene_measure(scene, "sheet.crease.crease_gap"));
    }
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    assert_less(121, frame->vertex_count);
    assert_less(0, gap);
    assert_less(gap, 0.05 * 0.1); /* edges are 0.1 m long */
    assert_less(frame->positions[120].y, 0.2);
    ruga_scene_destroy(scene);
}

/* Every stiffness and every mass times the same factor change no motion, but for the tolerance of the solver, so
 * creases follow the factor. Creases that did not would be softer by the factor beside the rest. */
static void creases_follow_the_factor_of_stiffness(void **state) {
    static const char *const folds[2] = {
        "\"angle\": 60, \"stiffness\": 0.02, \"lines\": [[[-0.5, 0, 0.08], [0.5, 0, -0.13]]]",
        "\"angle\": 60, \"stiffness\": 0.0025, \"lines\": [[[-0.5, 0, 0.08], [0.5, 0, -0.13]]]"};
    ruga_scene *scenes[3];
    double apart[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        scenes[k] =
            make_scene(*state, crease_scene("", HELD ", \"drag\": 0, \"lift\": 0, \"tolerance\": 1e-8", folds[k / 2]));
        if (k == 1) assert_ok(*state, ruga_scene_set_stiffness(scenes[k], 0, 8));
        if (k == 1) assert_ok(*state, ruga_scene_set_mass(scenes[k], 0, 8));
        for (int f = 0; f < 12; f++) assert_ok(*state, ruga_scene_step(scenes[k]));
        const ruga_frame *first = ruga_scene_frame(scenes[0], 0), *frame = ruga_scene_frame(scenes[k], 0);
        for (size_t v = 0; v < frame->vertex_count; v++)
            apart[k] = fmax(apart[k], vec3_distance(first->positions[v], frame->positions[v]));
    }
    print_message("apart: %g m with factors, %g m with softer creases\n", apart[1], apart[2]);
    assert_less(apart[1], 0.1 * apart[2]);
    for (int k = 0; k < 3; k++) ruga_scene_destroy(scenes[k]);
}

/* Face 31 of a sheet of 4 by 4 cells has the vertices 18, 23 and 24, in a corner, whether the sheet is cut or not. */
static void pins_are_chosen_on_the_mesh_before_it_is_cut(void **state) {
    static const char format[] =
        "{\"time\": {\"frames\": 4}, \"objects\": [{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", "
        "\"columns\": 4, \"rows\": 4}, \"body\": {\"kind\": \"cloth\", \"pins\": [{\"kind\": \"fixed\", %s}]}, "
        "\"hooks\": [%s]}]}";
    static const char crease[] = "{\"kind\": \"crease\", \"lines\": [[[-0.5, 0, -0.4], [0.5, 0, 0.1]]]}";
    char text[600];
    for (int cut = 0; cut < 2; cut++) {
        size_t held = 0;
        snprintf(text, sizeof text, format, "\"where\": \"faces:31\"", cut ? crease : "");
        ruga_scene *scene = make_scene(*state, text);
        ruga_vec3 *start = malloc(25 * sizeof *start);
        assert_ok(*state, ruga_scene_step(scene)); /* the start itself */
        memcpy(start, ruga_scene_frame(scene, 0)->positions, 25 * sizeof *start);
        assert_ok(*state, ruga_scene_step(scene));
        const ruga_frame *frame = ruga_scene_frame(scene, 0);
        assert_int_equal(frame->vertex_count > 25, cut);
        for (size_t v = 0; v < 25; v++)
            if (memcmp(&start[v], &frame->positions[v], sizeof *start) == 0) held |= (size_t)1 << v;
        assert_int_equal(held, 1 << 18 | 1 << 23 | 1 << 24);
        free(start);
        ruga_scene_destroy(scene);

        snprintf(text, sizeof text, format, "\"vertices\": \"26, 0\"", cut ? crease : "");
        ruga_description *d = describe(*state, text);
        scene = NULL;
        assert_status(ruga_scene_create(*state, ruga_description_get(d), &scene), RUGA_ERROR_INPUT);
        assert_message_has(*state, "the mesh has only 25");
        ruga_description_destroy(d);
    }
}

/* A sheet of 6 by 6 cells after a creased one of 4 by 4 has its own 49 vertices. */
static void pins_of_an_object_after_a_cut_one_are_on_its_own_mesh(void **state) {
    static const char text[] =
        "{\"time\": {\"frames\": 2}, \"objects\": [{\"name\": \"cut\", \"mesh\": {\"kind\": \"sheet\", "
        "\"columns\": 4, \"rows\": 4}, \"body\": {\"kind\": \"cloth\"}, \"hooks\": [{\"kind\": \"crease\", "
        "\"lines\": [[[-0.5, 0, -0.4], [0.5, 0, 0.1]]]}]}, {\"name\": \"whole\", \"mesh\": {\"kind\": \"sheet\", "
        "\"columns\": 6, \"rows\": 6}, \"body\": {\"kind\": \"cloth\", "
        "\"pins\": [{\"kind\": \"fixed\", \"vertices\": \"48\"}]}}]}";
    ruga_scene *scene = make_scene(*state, text);
    assert_ok(*state, ruga_scene_step(scene));
    ruga_vec3 start = ruga_scene_frame(scene, 1)->positions[48];
    assert_ok(*state, ruga_scene_step(scene));
    assert_int_equal(ruga_scene_frame(scene, 1)->vertex_count, 49);
    assert_memory_equal(&start, &ruga_scene_frame(scene, 1)->positions[48], sizeof start);
    ruga_scene_destroy(scene);
}

static void folds_reach_their_angle_with_contact(void **state) {
    ruga_scene *scene = make_scene(
        *state, crease_scene("\"gravity\": [0, 0, 0], \"contact\": {},", "",
                             "\"lines\": [[[-0.5, 0, 0.02], [0.5, 0, -0.03]]], \"angle\": -70, \"stiffness\": 0.3, "
                             "\"start\": 0, \"end\": 1"));
    for (int f = 0; f < 60; f++) {
        const ruga_scene_intersection *found;
        size_t count;
        assert_ok(*state, ruga_scene_step(scene));
        assert_ok(*state, ruga_scene_intersections(scene, &found, &count));
        assert_int_equal(count, 0);
    }
    assert_near(scene_measure(scene, "sheet.crease.mountain"), -70, 5);
    assert_near(scene_measure(scene, "sheet.crease.valley"), 0, 5);
    ruga_scene_destroy(scene);
}

/* A pattern of a mountain and a valley without angles: both fold flat, steadily. */
static void mountains_and_valleys_without_angles_fold_flat_over_the_time(void **state) {
    static const char fold[] =
        "{\"vertices_coords\": [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0.33], [1, 0.35], [0, 0.67], [1, 0.65]], "
        "\"edges_vertices\": [[0, 1], [1, 5], [5, 7], [7, 2], [2, 3], [3, 6], [6, 4], [4, 0], [4, 5], [6, 7]], "
        "\"edges_assignment\": [\"B\", \"B\", \"B\", \"B\", \"B\", \"B\", \"B\", \"B\", \"M\", \"V\"]}";
    char crease[400];
    write_test_file(test_path("letter.fold"), fold, strlen(fold));
    snprintf(crease, sizeof crease, "\"curves\": \"%s\", \"start\": 0, \"end\": 2", test_path("letter.fold"));
    ruga_scene *scene = make_scene(*state, crease_scene("\"gravity\": [0, 0, 0],", "", crease));
    for (int f = 0; f < 60; f++) {
        assert_ok(*state, ruga_scene_step(scene));
        double t = fmin(1, f / 48.0), wanted = 180 * t * t * (3 - 2 * t);
        double valley = scene_measure(scene, "sheet.crease.valley"),
               mountain = scene_measure(scene, "sheet.crease.mountain");
        assert_near_case(valley, wanted, 12, "frame %d", f);
        assert_near_case(mountain, -wanted, 12, "frame %d", f);
    }
    ruga_scene_destroy(scene);
}

/* Beside a flat fold, whose half angle has an infinite tangent, the others follow the time, too. */
static void folds_beside_a_flat_one_follow_the_time(void **state) {
    static const char fold[] =
        "{\"vertices_coords\": [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0.33], [1, 0.35], [0, 0.67], [1, 0.65]], "
        "\"edges_vertices\": [[0, 1], [1, 5], [5, 7], [7, 2], [2, 3], [3, 6], [6, 4], [4, 0], [4, 5], [6, 7]], "
        "\"edges_assignment\": [\"B\", \"B\", \"B\", \"B\", \"B\", \"B\", \"B\", \"B\", \"M\", \"V\"], "
        "\"edges_foldAngle\": [0, 0, 0, 0, 0, 0, 0, 0, -60, 180]}";
    char crease[400];
    write_test_file(test_path("half.fold"), fold, strlen(fold));
    snprintf(crease, sizeof crease, "\"curves\": \"%s\", \"start\": 0, \"end\": 2", test_path("half.fold"));
    ruga_scene *scene = make_scene(*state, crease_scene("\"gravity\": [0, 0, 0],", "", crease));
    for (int f = 0; f < 60; f++) {
        assert_ok(*state, ruga_scene_step(scene));
        double t = fmin(1, f / 48.0), progress = t * t * (3 - 2 * t);
        assert_near_case(scene_measure(scene, "sheet.crease.valley"), 180 * progress, 12, "frame %d", f);
        assert_near_case(scene_measure(scene, "sheet.crease.mountain"), -60 * progress, 8, "frame %d", f);
    }
    ruga_scene_destroy(scene);
}

/* The pose of folded pleats has no strain, wherever the object is placed, and whatever its size. */
static void pleats_begin_closed_and_without_strain_at_any_scale(void **state) {
    static const char *const placed[] = {"", "\"scale\": 2,",
                                         "\"scale\": 0.3, \"turn\": [20, 50, 0], \"move\": [1, 2, 3],"};
    static const double scales[] = {1, 2, 0.3};
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"sheet\", %s \"mesh\": {\"kind\": \"annulus\", "
                 "\"inner\": 0.355, \"outer\": 0.8, \"angle\": 330, \"rings\": 4, \"sectors\": 100}, \"body\": "
                 "\"cloth\", \"hooks\": [{\"kind\": \"crease\", \"pattern\": {\"kind\": \"knife\", \"count\": 20, "
                 "\"depth\": 0.015}}]}]}",
                 placed[k]);
        ruga_scene *scene = make_scene(*state, text);
        for (int f = 0; f < 2; f++) assert_ok(*state, ruga_scene_step(scene)); /* the start, and a frame */
        assert_less(150, scene_measure(scene, "sheet.crease.valley"));
        assert_less_case(scene_measure(scene, "sheet.crease.crease_gap"), 1e-5 * scales[k], "%s", placed[k]);
        assert_less_case(scene_measure(scene, "sheet.elongation"), 1e-4, "%s", placed[k]);
        ruga_scene_destroy(scene);
    }
}

/* ---- Bits. */

static void run_frames(int threads, int resume_at, const char *text, ruga_vec3 *out, size_t *count) {
    ruga_context *own = context_plain(threads);
    ruga_scene *scene = make_scene(own, text);
    for (int f = 0; f < 24; f++) {
        if (f == resume_at) {
            void *bytes;
            size_t size;
            assert_ok(own, ruga_scene_save(scene, &bytes, &size));
            ruga_scene_destroy(scene);
            scene = make_scene(own, text);
            assert_ok(own, ruga_scene_restore(scene, bytes, size));
            ruga_free(own, bytes);
        }
        assert_ok(own, ruga_scene_step(scene));
    }
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    *count = frame->vertex_count;
    memcpy(out, frame->positions, frame->vertex_count * sizeof *out);
    ruga_scene_destroy(scene);
    ruga_context_destroy(own);
}

static void plastic_creases_are_bit_identical_for_any_threads_and_after_resuming(void **state) {
    static ruga_vec3 one[1000], other[1000];
    size_t count, again;
    (void)state;
    const char *text = crease_scene("", HELD, CROSS ", \"stiffness\": 0.001, \"yield\": 2");
    run_frames(1, -1, text, one, &count);
    run_frames(2, -1, text, other, &again);
    assert_int_equal(count, again);
    assert_memory_equal(one, other, count * sizeof *one);
    run_frames(3, 12, text, other, &again);
    assert_memory_equal(one, other, count * sizeof *one);
}

/* The sheet is flat, so distances over it are straight. Front marching is exact to 0.15 edges on this mesh. */
static void an_attribute_rises_with_the_distance_from_creases_and_borders(void **state) {
    ruga_scene *scene =
        make_scene(*state, crease_scene("", HELD, "\"lines\": [[[-0.5, 0, 0.08], [0.5, 0, -0.13]]], \"fade\": 0.25"));
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
    const ruga_attribute *values = ruga_mesh_attribute(mesh, "off_creases", RUGA_DOMAIN_VERTEX);
    int between = 0;
    assert_non_null(values);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 p = mesh->positions[v];
        double border = 0.5 - fmax(fabs(p.x), fabs(p.z));
        double crease = fabs(0.21 * (p.x + 0.5) + p.z - 0.08) / hypot(1, 0.21), distance = fmin(border, crease);
        double found = ruga_attribute_get(values, v, 0);
        between += found > 0.1 && found < 0.9;
        assert_near_case(found, fmin(1, distance / 0.25), 0.06, "vertex %zu", v);
    }
    assert_less(50, between);
    ruga_scene_destroy(scene);
}

/* ---- Mistakes. */

static void mistakes_are_named(void **state) {
    static const struct {
        const char *crease, *message;
    } cases[] = {
        {"\"angle\": 3", "there are no creases"},
        {"\"lines\": [[[0.01, 0, 0.01], [0.012, 0, 0.01]]]", "shorter than a triangle"},
        {"\"lines\": [[[3, 0, 0], [4, 0, 0]]]", "crease 0"},
        {CROSS ", \"start\": 2, \"end\": 1", "start"},
        {CROSS ", \"fade\": 0.1, \"cut\": 1", "no attribute off_creases"},
        {"\"lines\": [[[-0.5, 0, 0.1], [0.5, 0, 0.1]], [[-0.5, 0, 0.1], [0.5, 0, 0.1]]]", "run along each other"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ruga_description *d = describe(*state, crease_scene("", "", cases[i].crease));
        ruga_scene *scene = NULL;
        assert_true(RUGA_FAILED(ruga_scene_create(*state, ruga_description_get(d), &scene)));
        assert_null(scene);
        assert_message_has(*state, cases[i].message);
        ruga_description_destroy(d);
    }
}

static ruga_status build_once(ruga_context *context, void *user) {
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    const char *text = user;
    ruga_status status = ruga_description_read_memory(context, "scene", text, strlen(text), &d);
    if (!RUGA_FAILED(status)) status = ruga_scene_create(context, ruga_description_get(d), &scene);
    /* The second step has a change if there is one. */
    for (int f = 0; f < 2 && !RUGA_FAILED(status) && strstr(text, "remove"); f++) status = ruga_scene_step(scene);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    const char *text = crease_scene("", HELD, CROSS ", \"stiffness\": 0.001, \"yield\": 2, \"fade\": 0.1");
    assert_ran(assert_every_allocation_may_fail(build_once, (void *)text), 100);
}

static void every_allocation_of_a_change_may_fail(void **state) {
    (void)state;
    skip_when_sanitized();
    static const char *const text =
        "{\"time\": {\"fps\": 24, \"frames\": 60, \"substeps\": 1}, \"contact\": {}, \"objects\": [{\"name\": "
        "\"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 3, \"rows\": 3, \"triangulation\": 2}, "
        "\"contact\": {\"where\": \"!vertices:0-3\"}, \"material\": \"cotton\", \"body\": {\"kind\": "
        "\"cloth\", \"integrator\": \"implicit\"}, \"hooks\": "
        "[{\"kind\": \"crease\", \"several\": \"refine\", \"lines\": [[[-0.5, 0, 0.05], [0.5, 0, 0.07]], "
        "{\"points\": [[-0.5, 0, 0.14], [0.5, 0, 0.16]], \"remove\": 0.01}, {\"points\": [[0.02, 0, -0.5], [0.04, "
        "0, 0.5]], \"cut\": 0.01}]}]}]}";
    assert_ran(assert_every_allocation_may_fail(build_once, (void *)text), 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pinned_sheet_swings_and_shows_its_creases),
        cmocka_unit_test(creases_follow_the_factor_of_stiffness),
        cmocka_unit_test(pins_are_chosen_on_the_mesh_before_it_is_cut),
        cmocka_unit_test(pins_of_an_object_after_a_cut_one_are_on_its_own_mesh),
        cmocka_unit_test(folds_reach_their_angle_with_contact),
        cmocka_unit_test(mountains_and_valleys_without_angles_fold_flat_over_the_time),
        cmocka_unit_test(folds_beside_a_flat_one_follow_the_time),
        cmocka_unit_test(pleats_begin_closed_and_without_strain_at_any_scale),
        cmocka_unit_test(plastic_creases_are_bit_identical_for_any_threads_and_after_resuming),
        cmocka_unit_test(an_attribute_rises_with_the_distance_from_creases_and_borders),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_of_a_change_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
