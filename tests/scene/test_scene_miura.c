/* A Miura sheet folds up from flat: by formula, and from a FOLD file. */
#include <math.h>
#include <stdio.h>

#include "io/fold.h"
#include "math/vec3.h"
#include "support/support.h"

#define DEGREE (3.14159265358979323846 / 180)
enum { COLUMNS = 4, ROWS = 4 };
#define WIDTH 1.0
#define HEIGHT 0.8
#define ANGLE 65.0
#define FOLD 120.0

static const char *sheet_scene(const char *gravity, const char *pins, const char *creases) {
    static char text[3000];
    snprintf(
        text, sizeof text,
        "{\"time\": {\"fps\": 24, \"frames\": 60, \"substeps\": 2}, \"gravity\": %s, \"materials\": "
        "[{\"name\": \"card\", \"like\": \"paper\", \"stretch\": 2000, \"bend\": 0.002}], \"objects\": [{\"name\": "
        "\"sheet\", \"mesh\": {\"kind\": \"sheet\", \"width\": 1, \"length\": 0.8, \"columns\": 20, \"rows\": 16, "
        "\"triangulation\": 2}, \"material\": \"card\", \"body\": {\"kind\": \"cloth\", \"pins\": [%s]}, "
        "\"hooks\": [{\"kind\": \"crease\", %s, \"start\": 0, \"end\": 1.5}]}]}",
        gravity, pins, creases);
    return text;
}
static const char *miura_scene(const char *creases) { return sheet_scene("[0, 0, 0]", "", creases); }
#define BY_FORMULA "\"pattern\": {\"kind\": \"miura\", \"columns\": 4, \"rows\": 4, \"angle\": 65, \"fold\": 120}"

static ruga_scene *make_scene(ruga_context *context, const char *text) {
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

/* The normal of the face in a row and a column: the mean over triangles whose middles are near the face's. */
static vec3 face_normal(const ruga_scene *scene, int row, int column) {
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    double u = (column + 0.5) * WIDTH / COLUMNS - WIDTH / 2, v = (row + 0.5) * HEIGHT / ROWS - HEIGHT / 2;
    vec3 sum = {0, 0, 0};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *p = mesh->triangles + 3 * t;
        vec3 middle = vec3_scale(
            vec3_add(vec3_add(mesh->positions[p[0]], mesh->positions[p[1]]), mesh->positions[p[2]]), 1.0 / 3);
        if (fabs(middle.x - u) > 0.05 || fabs(-middle.z - v) > 0.05) continue; /* v leads to -z */
        vec3 a = frame->positions[p[0]];
        sum = vec3_add(sum, vec3_cross(vec3_sub(frame->positions[p[1]], a), vec3_sub(frame->positions[p[2]], a)));
    }
    return vec3_normalise(sum);
}

static double between(vec3 a, vec3 b) { return atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b)); }

/* Angles across a zigzag and across a straight crease, in the middle of the sheet. */
static void find_folds(const ruga_scene *scene, double *zigzag, double *straight) {
    vec3 face = face_normal(scene, 1, 1);
    *zigzag = between(face, face_normal(scene, 1, 2));
    *straight = between(face, face_normal(scene, 2, 1));
}

/* The fold of straight creases between rigid faces, for one of the zigzags. */
static double agreeing(double zigzag) { return 2 * atan(cos(ANGLE * DEGREE) * tan(zigzag / 2)); }

static void a_miura_sheet_folds_up_without_locking(void **state) {
    skip_when_sanitized();
    ruga_scene *scene = make_scene(*state, miura_scene(BY_FORMULA));
    double zigzag = 0, straight = 0, strain = 0, gap = 0;
    for (int f = 1; f <= 60; f++) {
        assert_ok(*state, ruga_scene_step(scene));
        strain = fmax(strain, scene_measure(scene, "sheet.elongation_p99"));
        gap = fmax(gap, scene_measure(scene, "sheet.crease.crease_gap"));
        if (f % 12 != 0) continue;
        /* On the path too the faces stay flat: the folds agree. */
        find_folds(scene, &zigzag, &straight);
        assert_near_case(straight / DEGREE, agreeing(zigzag) / DEGREE, 2.5, "frame %d", f);
    }
    assert_near(zigzag / DEGREE, FOLD, 2);
    assert_near(straight / DEGREE, agreeing(FOLD * DEGREE) / DEGREE, 2);
    assert_less(scene_measure(scene, "sheet.elongation_p99"), 0.006);
    assert_less(strain, 0.03);
    assert_less(gap, 0.01 * 0.05); /* edges are 0.05 m long */
    ruga_scene_destroy(scene);
}

static void a_fold_file_of_it_is_the_same_sheet(void **state) {
    fold_miura def = {.columns = COLUMNS, .rows = ROWS, .angle = ANGLE, .fold = FOLD, .width = 5, .height = 4};
    fold_pattern pattern;
    char *text, creases[600], path[400];
    size_t size;
    assert_ok(*state, fold_make_miura(*state, &def, &pattern));
    assert_ok(*state, fold_write(&pattern, "Miura", &text, &size));
    snprintf(path, sizeof path, "%s", test_path("miura.fold"));
    write_test_file(path, text, size);
    snprintf(creases, sizeof creases, "\"curves\": \"%s\"", path);
    ruga_scene *read = make_scene(*state, miura_scene(creases)), *made = make_scene(*state, miura_scene(BY_FORMULA));
    for (int k = 0; k < 8; k++) {
        assert_ok(*state, ruga_scene_step(read));
        assert_ok(*state, ruga_scene_step(made));
    }
    const ruga_frame *a = ruga_scene_frame(read, 0), *b = ruga_scene_frame(made, 0);
    assert_int_equal(a->vertex_count, b->vertex_count);
    double most = 0, moved = 0;
    for (size_t v = 0; v < a->vertex_count; v++) {
        most = fmax(most, vec3_distance(a->positions[v], b->positions[v]));
        moved = fmax(moved, fabs(b->positions[v].y));
    }
    assert_less(0.01, moved);
    assert_less(most, 1e-3 * moved);
    ruga_scene_destroy(read);
    ruga_scene_destroy(made);
    memory_release(*state, text);
    fold_release(&pattern);
}

/* A FOLD file with one edge across the sheet; returns the field of it. */
static const char *one_edge(const char *assignment) {
    static char creases[600];
    static const char text[] =
        "{\"vertices_coords\": [[0, 0], [5, 0], [5, 2], [5, 4], [0, 4], [0, 2]], \"edges_vertices\": [[0, 1], [1, 2], "
        "[2, 3], [3, 4], [4, 5], [5, 0], [2, 5]], \"edges_assignment\": [\"B\", \"B\", \"B\", \"B\", \"B\", \"B\", "
        "\"%s\"]}";
    char file[600], path[400];
    snprintf(file, sizeof file, text, assignment);
    snprintf(path, sizeof path, "%s", test_path("one.fold"));
    write_test_file(path, file, strlen(file));
    snprintf(creases, sizeof creases, "\"curves\": \"%s\"", path);
    return creases;
}

/* Mountains and valleys without angles fold flat, or by the hook's angle. */
static void assignments_alone_take_the_angle_of_all(void **state) {
    skip_when_sanitized();
    static const char *const kinds[] = {"M", "V"};
    const double mountains[] = {-50, 0}, valleys[] = {0, 50};
    for (int k = 0; k < 2; k++) {
        char creases[700];
        snprintf(creases, sizeof creases, "%s, \"angle\": 50", one_edge(kinds[k]));
        ruga_scene *scene = make_scene(*state, miura_scene(creases));
        for (int i = 0; i < 48; i++) assert_ok(*state, ruga_scene_step(scene));
        assert_near(scene_measure(scene, "sheet.crease.mountain"), mountains[k], 2);
        assert_near(scene_measure(scene, "sheet.crease.valley"), valleys[k], 2);
        ruga_scene_destroy(scene);
    }
}

static int tear_down(void **state) {
    test_folder_remove();
    return tear_down_context(state);
}

/* One half is held, the other one hangs: an unassigned edge folds whatever the stiffness of the others is, and a flat
 * one with that stiffness does not. */
static void unassigned_edges_fold_freely(void **state) {
    static const char held[] = "{\"kind\": \"fixed\", \"box_to\": [10, 10, -0.01]}";
    double folds[2];
    for (int k = 0; k < 2; k++) {
        char creases[700];
        snprintf(creases, sizeof creases, "%s, \"stiffness\": 1",
                 k ? "\"lines\": [{\"points\": [[-0.5, 0, 0], [0.5, 0, 0]]}]" : one_edge("U"));
        ruga_scene *scene = make_scene(*state, sheet_scene("[0, -2, 0]", held, creases));
        for (int i = 0; i < 24; i++) assert_ok(*state, ruga_scene_step(scene));
        folds[k] = fmax(-scene_measure(scene, "sheet.crease.mountain"), scene_measure(scene, "sheet.crease.valley"));
        ruga_scene_destroy(scene);
    }
    assert_less(45, folds[0]);
    assert_less(folds[1], 5);
}

static void angles_of_a_pattern_have_no_keys(void **state) {
    char creases[700];
    ruga_description *d = NULL;
    snprintf(creases, sizeof creases, "%s, \"angle\": {\"keys\": [[0, 0], [1, 45]]}", one_edge("V"));
    const char *text = miura_scene(creases);
    assert_ok(*state, ruga_description_read_memory(*state, "scene", text, strlen(text), &d));
    (void)ruga_description_check(d);
    assert_int_equal(ruga_description_finding_count(d), 1);
    assert_non_null(strstr(ruga_description_finding(d, 0)->message, "keep their proportions"));
    ruga_description_destroy(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miura_sheet_folds_up_without_locking),
        cmocka_unit_test(a_fold_file_of_it_is_the_same_sheet),
        cmocka_unit_test(assignments_alone_take_the_angle_of_all),
        cmocka_unit_test(unassigned_edges_fold_freely),
        cmocka_unit_test(angles_of_a_pattern_have_no_keys),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down);
}
