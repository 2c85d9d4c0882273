/* Seams, buttons and patches of creased cloth: they close, and conserve momentum. */
#include "scene/crease_scenes.h"

#define SHEET(name, y, creases, more)                                                                         \
    "{\"name\": \"" name                                                                                      \
    "\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 8, \"rows\": 8, \"triangulation\": 2}, "                \
    "\"move\": [0, " y                                                                                        \
    ", 0], \"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", \"thickness\": 0.01, "                   \
    "\"drag\": 0, \"lift\": 0, \"tolerance\": 1e-8}, \"hooks\": [{\"kind\": \"crease\", \"lines\": [" creases \
    "]}" more "]}"
#define SCENE(objects)                                                                                      \
    "{\"time\": {\"fps\": 24, \"frames\": 200, \"substeps\": 4}, \"gravity\": [0, 0, 0], \"contact\": {}, " \
    "\"objects\": [" objects "]}"
#define CROSS(y) "[[-0.5, " y ", 0.03], [0.5, " y ", 0.01]], [[0.02, " y ", -0.5], [0.03, " y ", 0.5]]"

static vec3 momentum_of(const body *b, double *size) {
    vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < b->point_count; i++) {
        sum = vec3_add_scaled(sum, b->velocities[i], b->masses[i]);
        *size += b->masses[i] * vec3_length(b->velocities[i]);
    }
    return sum;
}

/* Both borders that are sewn have the end of a crease. */
static void a_seam_closes_a_creased_sheet_to_a_tube(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    ruga_scene *scene = crease_scene_make(
        *state, SCENE(SHEET("sheet", "0", CROSS("0"),
                            ", {\"kind\": \"seam\", \"name\": \"side\", \"from\": [[-0.5, 0, -0.5], [-0.5, 0, 0.5]], "
                            "\"to\": [[0.5, 0, -0.5], [0.5, 0, 0.5]], \"end\": 1.5}")));
    body *sheet = world_body(scene->world, 0);
    /* A flat sheet can't be sewn to itself; it begins with a bend. */
    for (size_t i = 0; i < sheet->point_count; i++)
        sheet->velocities[i].y = sheet->positions[i].x * sheet->positions[i].x;
    double size = 0, most = 0;
    vec3 before = momentum_of(sheet, &size);
    for (int f = 0; f < 48; f++) {
        step_without_intersections(*state, scene, 1);
        size = 0;
        most = fmax(most, vec3_distance(momentum_of(sheet, &size), before));
    }
    assert_less(scene_measure(scene, "sheet.seam.gap"), 0.01); /* of 1 m */
    assert_less(most, 1e-5 * vec3_length(before));
    ruga_scene_destroy(scene);
}

/* A button on a crease of one sheet, to one on a crease of the other. */
static void a_button_pulls_two_creased_sheets_together(void **state) {
    skip_unless_long();
    ruga_scene *scene = crease_scene_make(*state, SCENE(SHEET("lower", "0", CROSS("0"), "") ", " SHEET(
                                                      "upper", "0.2", CROSS("0.2"),
                                                      ", {\"kind\": \"attach\", \"object\": \"lower\", \"at\": "
                                                      "[0.025, 0.2, 0.2], \"to\": [0.025, 0, 0.2]}")));
    double size = 0;
    vec3 sum = {0, 0, 0};
    for (int f = 0; f < 36; f++) {
        step_without_intersections(*state, scene, 1);
        size = 0;
        sum = momentum_of(world_body(scene->world, 0), &size);
        sum = vec3_add(sum, momentum_of(world_body(scene->world, 1), &size));
    }
    assert_less(scene_measure(scene, "upper.attach.gap"), 0.02);
    assert_less(vec3_length(sum), 1e-4 * size);
    ruga_scene_destroy(scene);
}

/* A patch of a creased sheet hangs on a static body. */
static void a_patch_hangs_on_a_body(void **state) {
    const char *text =
        "{\"time\": {\"fps\": 24, \"frames\": 200, \"substeps\": 4}, \"contact\": {}, \"objects\": [{\"name\": "
        "\"rod\", \"mesh\": {\"kind\": \"bar\"}, \"move\": [0, 0.3, -0.5], \"body\": \"static\"}, " SHEET(
            "sheet", "0", CROSS("0"),
            ", {\"kind\": \"attach\", \"object\": \"rod\", \"where\": \"box:-,-,-,-,-,-0.45\", \"end\": 0.5}") "]}";
    ruga_scene *scene = crease_scene_make(*state, text);
    step_without_intersections(*state, scene, 48);
    assert_less(scene_measure(scene, "sheet.attach.gap"), 0.06);
    ruga_scene_destroy(scene);
}

#define SKIRT(seam)                                                                                               \
    "{\"time\": {\"fps\": 24, \"frames\": 9, \"substeps\": 4}, \"objects\": [{\"name\": \"skirt\", \"mesh\": "    \
    "{\"kind\": \"annulus\", \"inner\": 0.355, \"outer\": 0.8, \"angle\": 330, \"rings\": 10, \"sectors\": 60}, " \
    "\"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", \"pins\": [{\"kind\": \"fixed\", \"where\": "      \
    "\"waist\"}]}, \"hooks\": [{\"kind\": \"crease\", \"pattern\": {\"kind\": \"knife\", \"count\": 16, "         \
    "\"depth\": 0.02, \"gap\": 0.001}, \"preset\": \"cotton\"}" seam "]}]}"
#define SKIRT_SEAM                                                                                              \
    ", {\"kind\": \"seam\", \"from\": [[0.355, 0, 0], [0.8, 0, 0]], \"to\": [[0.307439, 0, 0.1775], [0.69282, " \
    "0, 0.4]], \"end\": 0.25}"

/* The preconditioner knows the ties of seams; without them the solve took 14 times as many iterations. */
static void a_seam_does_not_slow_the_solve(void **state) {
    const char *texts[2] = {SKIRT(""), SKIRT(SKIRT_SEAM)};
    double iterations[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        ruga_scene *scene = crease_scene_make(*state, texts[k]);
        for (int f = 0; f < 8; f++) {
            assert_ok(*state, ruga_scene_step(scene));
            iterations[k] += scene_measure(scene, "skirt.iterations");
        }
        ruga_scene_destroy(scene);
    }
    assert_less(iterations[1], 1.5 * iterations[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seam_closes_a_creased_sheet_to_a_tube),
        cmocka_unit_test(a_button_pulls_two_creased_sheets_together),
        cmocka_unit_test(a_patch_hangs_on_a_body),
        cmocka_unit_test(a_seam_does_not_slow_the_solve),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
