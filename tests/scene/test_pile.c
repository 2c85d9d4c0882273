/* A pile of cloth settles. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/support.h"

enum { PILED = 8, VERTICES = 81 }; /* sheets, and vertices of each */
#define HEIGHT_ERROR 0.005         /* of the height, from two frames after landing on */
enum { SECOND = 24, LANDED = 6 };  /* frames per second; the frame after the last sheet landed */
#define SHEET_MASS (0.12 * 0.25)   /* kg, of cotton */
#define GRAVITY 9.81               /* m/s2 */
#define MOST_RISE 0.001            /* of the energy at the start, all rises together */
#define THICKNESS 0.004            /* m */
#define STACK_ERROR 0.06           /* of the height that the layers' thickness adds up to */

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

/* At the default substeps: from two frames after landing on the stack is as high as its layers are thick, and keeps its
 * height; two seconds after landing 99 % of the vertices move slower than 1 mm/s. After landing it never has more
 * energy than the fall gave it. */
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
        if (f < LANDED + 2) continue;
        if (f == LANDED + 2) {
            settled = height;
            assert_near(height, PILED * THICKNESS, STACK_ERROR * PILED * THICKNESS);
        }
        assert_near_case(height, settled, HEIGHT_ERROR * settled, "frame %d", f);
        if (f >= LANDED + 2 * SECOND) assert_less_case((double)moving, 0.01 * PILED * VERTICES, "frame %d", f);
    }
    ruga_scene_destroy(scene);
}

/* Landing adds no energy: kinetic, elastic and potential energy together hardly rise in any frame at the default
 * substeps, and all rises together stay small. */
static void landing_adds_no_energy(void **state) {
    skip_when_sanitized();
    ruga_context *context = *state;
    static vec3 before[PILED][VERTICES];
    ruga_scene *scene = small_pile(context, SECOND, "");
    double last = INFINITY, first = 0, risen = 0;
    assert_int_equal(ruga_scene_substeps(scene), 4);
    for (int f = 1; f <= 4 * LANDED; f++) {
        assert_ok(context, ruga_scene_step(scene));
        double energy = pile_energy(scene);
        size_t moving = 0;
        for (size_t k = 0; k < PILED; k++) energy += SHEET_MASS * GRAVITY * sheet_height(scene, k, before[k], &moving);
        if (f == 1) first = energy;
        risen += fmax(0, energy - last);
        last = energy;
    }
    assert_less(risen, MOST_RISE * first);
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

/* Steps of at most 1/96 s where cloth collides, unless their number is given. */
static void substeps_follow_from_the_frame_rate(void **state) {
    static const struct {
        int fps, substeps;
        const char *given;
    } cases[] = {{24, 4, ""}, {25, 4, ""}, {60, 2, ""}, {96, 1, ""}, {240, 1, ""}, {24, 7, ", \"substeps\": 7"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ruga_scene *scene = small_pile(*state, cases[k].fps, cases[k].given);
        assert_equal_case(ruga_scene_substeps(scene), cases[k].substeps, "%d frames per second", cases[k].fps);
        ruga_scene_destroy(scene);
    }
}

static void substeps_are_one_where_no_cloth_collides(void **state) {
    static const char *const changes[][2] = {{"contact", "false"}, {"objects[0].contact", "false"}};
    static const char text[] =
        "{\"contact\": {}, \"objects\": [{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\"}, "
        "\"body\": \"cloth\"}, {\"name\": \"ball\", \"move\": [0, -3, 0], \"mesh\": {\"kind\": "
        "\"sphere\"}, \"body\": \"static\"}]}";
    for (size_t k = 0; k <= sizeof changes / sizeof changes[0]; k++) {
        ruga_description *d = NULL;
        ruga_scene *scene = NULL;
        assert_ok(*state, ruga_description_read_memory(*state, "sheet", text, strlen(text), &d));
        if (k > 0) assert_ok(*state, ruga_description_set(d, changes[k - 1][0], changes[k - 1][1]));
        assert_ok(*state, ruga_scene_create(*state, ruga_description_get(d), &scene));
        assert_equal_case(ruga_scene_substeps(scene), k > 0 ? 1 : 4, "case %zu", k);
        ruga_scene_destroy(scene);
        ruga_description_destroy(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_small_pile_settles), cmocka_unit_test(landing_adds_no_energy),
                                       cmocka_unit_test(substeps_follow_from_the_frame_rate),
                                       cmocka_unit_test(substeps_are_one_where_no_cloth_collides),
                                       cmocka_unit_test(long_steps_add_little_energy)};
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
