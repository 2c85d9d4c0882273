/* The skin of flesh: it stiffens a block by what its springs store, and makes it buckle when it is pressed together. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/support.h"

enum { CELLS = 24 };
#define LENGTH 0.24
#define WIDTH 0.08

/* A block on a sliding floor: its ends, and between them its bottom, are pressed together evenly by `press`. */
static ruga_scene *make_block(ruga_context *context, double skin, double bend, double press, int frames) {
    static char pins[6000], text[8000];
    size_t used = 0;
    for (int i = -CELLS / 2; i <= CELLS / 2; i++) {
        const double x = i * LENGTH / CELLS;
        used += (size_t)snprintf(pins + used, sizeof pins - used,
                                 "%s{\"kind\": \"path\", \"where\": \"box:%g,-,-,%g,%s,-\", \"keys\": [{\"time\": 0}, "
                                 "{\"time\": 1, \"move\": [%g, 0, 0]}]}",
                                 used > 0 ? ", " : "", x - 0.001, x + 0.001, abs(i) == CELLS / 2 ? "-" : "-0.039",
                                 -x * press / LENGTH);
    }
    snprintf(
        text, sizeof text,
        "{\"time\": {\"fps\": %d}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"block\", \"mesh\": {\"kind\": "
        "\"bar\", \"length\": 0.24, \"height\": 0.08, \"depth\": 0.08, \"cells\": %d, \"cells_across\": 6, "
        "\"solid\": 2}, \"body\": {\"kind\": \"flesh\", \"integrator\": \"quasistatic\", \"young\": 20000, "
        "\"poisson\": 0.4, \"skin\": %g, \"skin_bend\": %g, \"newton_steps\": 200, \"pins\": [%s]}}]}",
        frames, CELLS, skin, bend, pins);
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "skin", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    for (int f = 0; f <= frames; f++) assert_ok(context, ruga_scene_step(scene));
    assert_at_most(scene_measure(scene, "block.residual"), 1e-5);
    return scene;
}

/* How far the middle of the top differs from the mean of its neighbours along the block, at most, m. */
static double roughness(const ruga_scene *scene) {
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
    double heights[CELLS + 1] = {0}, most = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const vec3 p = mesh->positions[v];
        const double place = (p.x + LENGTH / 2) / LENGTH * CELLS;
        if (p.y < WIDTH / 2 - 1e-6 || fabs(p.z) > 1e-6 || fabs(place - round(place)) > 1e-3) continue;
        heights[lround(place)] = frame->positions[v].y;
    }
    for (int i = 4; i + 4 <= CELLS; i++) most = fmax(most, fabs(heights[i] - (heights[i - 2] + heights[i + 2]) / 2));
    return most;
}

/* At small strain e a skin adds the energy of a membrane, k e² / 2 per area of the four sides, with k Young's modulus
 * times thickness. */
static void a_skin_stiffens_a_block(void **state) {
    const double press = 0.002, strain = press / LENGTH, area = 4 * WIDTH * LENGTH;
    double energies[2];
    for (int k = 0; k < 2; k++) {
        ruga_scene *scene = make_block(*state, k ? 1500 : 0, 0, press, 1);
        energies[k] = scene_measure(scene, "block.elastic_energy");
        ruga_scene_destroy(scene);
    }
    const double membrane = 1500 * strain * strain / 2 * area;
    print_message("the skin adds %.3f of a membrane's energy\n", (energies[1] - energies[0]) / membrane);
    assert_near(energies[1] - energies[0], membrane, 0.25 * membrane);
}

/* Pressed together by a sixth, a block with a soft skin stays smooth; a skin ten times as stiff folds it. */
static void a_stiff_skin_makes_a_pressed_block_buckle(void **state) {
    double rough[2];
    for (int k = 0; k < 2; k++) {
        ruga_scene *scene = make_block(*state, k ? 1500 : 150, 0.002, 0.04, 6);
        rough[k] = roughness(scene);
        ruga_scene_destroy(scene);
    }
    print_message("roughness %g and %g mm\n", 1e3 * rough[0], 1e3 * rough[1]);
    assert_less(rough[0], 0.001);
    assert_less(0.005, rough[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_skin_stiffens_a_block),
        cmocka_unit_test(a_stiff_skin_makes_a_pressed_block_buckle),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
