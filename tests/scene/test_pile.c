/* A pile of cloth settles. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/support.h"

enum { PILED = 8, VERTICES = 81 }; /* sheets, and vertices of each */
#define HEIGHT_ERROR 0.005         /* of the height, within half a second */
enum { SECOND = 24, LANDED = 6 };  /* frames per second; the frame after the last sheet landed */
#define SHEET_MASS (0.12 * 0.25)   /* kg, of cotton */
#define GRAVITY 9.81               /* m/s2 */
#define MOST_RISE 0.01             /* of the energy at the start, in a substep */

/* Eight sheets, each turned against the one below. */
static ruga_scene *small_pile(ruga_context *context, int fps, const char *substeps) {
    char text[4000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "{\"time\": {\"fps\": %d, \"frames\": 60%s}, \"contact\": {}, "
                                 "\"colliders\": [{\"kind\": \"plane\", \"friction\": 0.4}], \"objects\": [",
                                 fps, substeps);
    for (int k = 0; k < PILED; k++)
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            "%s{\"name\": \"sheet%d\", \"mesh\": {\"kind\": \"sheet\", \"width\": 0.5, \"length\": 0.5, "
            "\"columns\": 8, \"rows\": 8}, \"move\": [0, %.3f, 0], \"turn\": [0, %d, 0], \"body\": "
            "{\"kind\": \"cloth\", \"integrator\": \"implicit\", \"thickness\": 0.004}}",
            k > 0 ? ", " : "", k + 1, 0.02 + 0.015 * k, 37 * k % 90);
    snprintf(text + at, sizeof text - at, "]}");
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "small pile", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

/* J, kinetic and elastic, of all sheets. */
static double pile_energy(const ruga_scene *scene) {
    static const char *const kinds[] = {"kinetic", "elastic"};
    double sum = 0;
    for (int k = 0; k < 2 * PILED; k++) {
        char name[40];
        snprintf(name, sizeof name, "sheet%d.%s_energy", k / 2 + 1, kinds[k % 2]);
        sum += scene_measure(scene, name);
    }
    return sum;
}

/* m: the mean height of a sheet. Counts the vertices that moved faster than 1 mm/s since `before`, which becomes the
 * current frame. */
static double sheet_height(const ruga_scene *scene, size_t sheet, vec3 *before, size_t *moving) {
    const ruga_frame *frame = ruga_scene_frame(scene, sheet);
    double sum = 0;
    for (size_t i = 0; i < frame->vertex_count; i++) {
        *moving += SECOND * vec3_distance(frame->positions[i], before[i]) > 1e-3;
        before[i] = frame->positions[i];
        sum += frame->positions[i].y;
    }
    return sum / (double)frame->vertex_count;
}

/* Two seconds after landing 99 % of the vertices move slower than 1 mm/s, and the stack keeps its height; until then
 * layers that the landing pressed recover their thickness. After landing it never has more energy than the fall gave
 * it. */
static void a_small_pile_settles(void **state) {
    skip_when_sanitized();
    ruga_context *context = *state;
    static vec3 before[PILED][VERTICES];
    ruga_scene *scene = small_pile(context, SECOND, "");
    double given = 0, settled = 0;
    for (int f = 1; f <= LANDED + 2 * SECOND + SECOND / 2; f++) {
        assert_ok(context, ruga_scene_step(scene));
        double energy = pile_energy(scene);
        if (f < LANDED) given = fmax(given, energy);
        if (f > LANDED) assert_less(energy, given);
        size_t moving = 0;
        double height = 0;
        for (size_t k = 0; k < PILED; k++) height = sheet_height(scene, k, before[k], &moving);
        if (f < LANDED + 2 * SECOND) continue;
        if (f == LANDED + 2 * SECOND) {
            settled = height;
            assert_less((double)moving, 0.01 * PILED * VERTICES);
        }
        assert_near_case(height, settled, HEIGHT_ERROR * settled, "frame %d", f);
    }
    ruga_scene_destroy(scene);
}

/* Landing adds no energy: kinetic, elastic and potential energy together do not rise in any substep. Each frame is one
 * of the default substeps here. */
static void landing_adds_no_energy(void **state) {
    skip_when_sanitized();
    ruga_context *context = *state;
    static vec3 before[PILED][VERTICES];
    ruga_scene *scene = small_pile(context, 4 * SECOND, ", \"substeps\": 1");
    double last = INFINITY, first = 0;
    for (int f = 1; f <= 4 * LANDED; f++) {
        assert_ok(context, ruga_scene_step(scene));
        double energy = pile_energy(scene);
        size_t moving = 0;
        for (size_t k = 0; k < PILED; k++) energy += SHEET_MASS * GRAVITY * sheet_height(scene, k, before[k], &moving);
        if (f == 1) first = energy;
        assert_less_case(energy, last + MOST_RISE * first, "substep %d", f);
        last = energy;
    }
    assert_less(last, 0.3 * first);
    ruga_scene_destroy(scene);
}

/* Nor in steps as long as a frame, in which cloth turns so far that a linear step stretches it: such a step is
 * repeated, and never ends with more energy than its first solve. Without that search the sheet gets 150 times the
 * energy of its fall. */
static void long_steps_add_little_energy(void **state) {
    skip_when_sanitized();
    ruga_context *context = *state;
    static const char text[] =
        "{\"time\": {\"fps\": 60, \"frames\": 20, \"substeps\": 1}, \"contact\": {}, \"objects\": ["
        "{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 64, \"rows\": 64, "
        "\"triangulation\": 1}, \"move\": [0.013, 0.207, -0.021], \"body\": {\"kind\": \"cloth\", "
        "\"integrator\": \"implicit\", \"elements\": \"springs\", \"bending\": \"springs\", \"drag\": 0, "
        "\"tolerance\": 0.01}}, "
        "{\"name\": \"ball\", \"mesh\": {\"kind\": \"sphere\", \"radius\": 0.2, \"frequency\": 16}, "
        "\"body\": \"static\"}]}";
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "ball", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    double most = 0;
    for (int f = 1; f <= 20; f++) {
        assert_ok(context, ruga_scene_step(scene));
        most = fmax(most, scene_measure(scene, "sheet.elastic_energy"));
    }
    assert_less(most, 0.2);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_small_pile_settles), cmocka_unit_test(landing_adds_no_energy),
                                       cmocka_unit_test(long_steps_add_little_energy)};
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
