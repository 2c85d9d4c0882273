/* Creases of flesh: pushes and anchors that fade, follow a muscle and are tied; factors, threads, checkpoints, and
 * meshes that can't be cut. */
#include "scene/folded_block.h"

/* How far the vertices near the line are below the top of the block: within `part` of its middle, or beyond. */
static double sunk(const ruga_scene *scene, double from, double to) {
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
    double most = 0;
    for (size_t v = 0; v < frame->vertex_count; v++) {
        vec3 p = mesh->positions[v];
        if (fabs(p.x - 0.025) > 0.06 || p.y < 0.299 || fabs(p.z) < from || fabs(p.z) > to) continue;
        most = fmax(most, p.y - frame->positions[v].y);
    }
    return most;
}

static ruga_scene *run_block(ruga_context *context, const char *hook, const char *body, int frames) {
    ruga_scene *scene = make_folded_block(context, &(folded_block){.hook = hook, .body = body, .press = -1});
    run_frames(context, scene, frames);
    assert_at_most(scene_measure(scene, "block.residual"), 1e-5);
    return scene;
}

#define PULL(more) ", \"anchors\": {\"kind\": \"anchors\", \"depth\": 0.12, \"pull\": 0.6" more "}"

/* The line is on the sides too, 0.28 m long each: with a fade of a quarter of it the sides fold less. */
static void pushes_and_pulls_fade_towards_the_ends_of_a_line(void **state) {
    static const char *const hooks[2][2] = {{", \"push\": 15", ", \"push\": 15, \"push_fade\": 0.5"},
                                            {PULL(""), PULL("") ", \"push_fade\": 0.5"}};
    for (int k = 0; k < 2; k++) {
        double ends[2], middle[2];
        for (int fade = 0; fade < 2; fade++) {
            ruga_scene *scene = run_block(*state, hooks[k][fade], NULL, 2);
            const ruga_frame *frame = ruga_scene_frame(scene, 0);
            const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
            ends[fade] = 0;
            for (size_t v = 0; v < frame->vertex_count; v++) { /* of the sides, near the ends of the line */
                vec3 p = mesh->positions[v];
                if (fabs(p.x - 0.025) > 0.06 || fabs(p.z) < 0.299 || p.y > 0.15 || p.y < 0) continue;
                ends[fade] = fmax(ends[fade], fabs(p.z) - fabs(frame->positions[v].z));
            }
            middle[fade] = sunk(scene, 0, 0.11);
            ruga_scene_destroy(scene);
        }
        print_message("%s: middle %g and %g, ends %g and %g m\n", k ? "pull" : "push", middle[0], middle[1], ends[0],
                      ends[1]);
        assert_less_case(1e-3, ends[0], "hook %d", k);
        assert_less_case(ends[1], 0.4 * ends[0], "hook %d", k); /* a third of the fade's length from the end */
        assert_less_case(0.7 * middle[0], middle[1], "hook %d", k);
    }
}

/* Push and pull are times the activation: none without it, more with more, and no more than 1. */
static void folds_follow_a_muscle(void **state) {
    static const char *const hooks[2] = {", \"push\": 15, \"muscle\": 0", PULL("") ", \"muscle\": 0"};
    static const char body[] =
        ", \"muscles\": [{\"box_from\": [-1, -1, -1], \"box_to\": [1, 1, 1], \"direction\": [1, 0, 0], "
        "\"stress\": 1e-6, \"keys\": [{\"time\": 0, "
        "\"activation\": 0}, {\"time\": 0.1, \"activation\": 0}, {\"time\": 0.2, "
        "\"activation\": 0.5}, {\"time\": 0.3, \"activation\": 1}, {\"time\": 0.4, "
        "\"activation\": 2}]}]";
    for (int k = 0; k < 2; k++) {
        ruga_scene *scene = run_block(*state, hooks[k], body, 0);
        double depths[4];
        for (int f = 0; f < 4; f++) {
            run_frames(*state, scene, f == 0 ? 2 : 1);
            depths[f] = sunk(scene, 0, 0.11);
        }
        print_message("%g %g %g %g m\n", depths[0], depths[1], depths[2], depths[3]);
        assert_less_case(fabs(depths[0]), 1e-6, "hook %d", k);
        assert_less_case(2e-3, depths[1], "hook %d", k);
        assert_less_case(1.4 * depths[1], depths[2], "hook %d", k);
        assert_near_case(depths[3], depths[2], 0.02 * depths[2], "hook %d", k);
        ruga_scene_destroy(scene);
    }
}

/* An anchor that is fixed takes no flesh with it; one that is tied lifts what it pulls at. */
static void tied_anchors_pull_in_less_than_fixed_ones(void **state) {
    ruga_scene *fixed = run_block(*state, PULL(", \"ground\": \"fixed\""), NULL, 2);
    ruga_scene *tied = run_block(*state, PULL(", \"ground\": \"tied\""), NULL, 2);
    print_message("fixed %g, tied %g m\n", sunk(fixed, 0, 0.11), sunk(tied, 0, 0.11));
    assert_less(2e-3, sunk(tied, 0, 0.11));
    assert_less(sunk(tied, 0, 0.11), 0.9 * sunk(fixed, 0, 0.11));
    ruga_scene_destroy(fixed);
    ruga_scene_destroy(tied);
}

/* Without loads of given size, every stiffness times a factor changes no equilibrium, and the energy by the factor:
 * those of the crack, of folds, of anchors and against jumps of the fold too. */
static void a_factor_of_stiffness_is_that_of_creases_too(void **state) {
    const folded_block block = {.hook = ", \"angle\": 30, \"stiffness\": 3" PULL(""), .press = 0.05};
    ruga_scene *soft = make_folded_block(*state, &block), *stiff = make_folded_block(*state, &block);
    assert_ok(*state, ruga_scene_set_stiffness(stiff, 0, 50));
    run_frames(*state, soft, 3);
    run_frames(*state, stiff, 3);
    const double energy = scene_measure(soft, "block.elastic_energy");
    assert_less(0.1, energy);
    assert_near(scene_measure(stiff, "block.elastic_energy"), 50 * energy, 1e-4 * 50 * energy);
    assert_less(frames_apart(soft, stiff), 1e-4);
    ruga_scene_destroy(soft);
    ruga_scene_destroy(stiff);
}

static void threads_do_not_change_bits(void **state) {
    (void)state;
    const char *hook =
        ", \"push\": 10, \"angle\": 20, \"anchors\": {\"kind\": \"anchors\", \"depth\": 0.12, "
        "\"pull\": 0.4, \"ground\": \"following\"}";
    for (int k = 0; k < 2; k++) {
        ruga_scene *first = NULL;
        ruga_context *contexts[3];
        for (int threads = 1; threads <= 3; threads++) {
            ruga_context *context = contexts[threads - 1] = context_plain(threads);
            ruga_scene *scene =
                make_folded_block(context, &(folded_block){.integrator = k ? "implicit" : "quasistatic", .hook = hook});
            run_frames(context, scene, 2);
            if (!first) {
                first = scene;
                continue;
            }
            assert_equal(frames_apart(first, scene), 0);
            ruga_scene_destroy(scene);
        }
        ruga_scene_destroy(first);
        for (int threads = 0; threads < 3; threads++) ruga_context_destroy(contexts[threads]);
    }
}

/* A checkpoint of an earlier form is refused by its name. */
static void checkpoints_of_an_earlier_form_are_refused(void **state) {
    ruga_scene *scene = make_folded_block(*state, &(folded_block){0});
    unsigned char *bytes = NULL;
    size_t size, found = 0;
    run_frames(*state, scene, 1);
    assert_ok(*state, ruga_scene_save(scene, (void **)&bytes, &size));
    for (size_t i = 0; i + 8 <= size; i++)
        if (memcmp(bytes + i, "FLSH", 4) == 0) {
            bytes[i + 4] = 1;
            found++;
        }
    assert_equal(found, 1);
    assert_status(ruga_scene_restore(scene, bytes, size), RUGA_ERROR_INPUT);
    assert_message_has(*state, "\"FLSH\" of the saved state has version 1");
    ruga_free(*state, bytes);
    ruga_scene_destroy(scene);
}

/* ---- Meshes. */

/* The block's mesh and further points and a tet, in a file. */
static const char *write_mesh(ruga_context *context, size_t points, const vec3 *more, size_t tets,
                              const uint32_t *tet) {
    const double values[6] = {1, 0.6, 0.6, 10, 6, 1};
    static char mesh[300];
    ruga_mesh *bar = NULL, *whole = NULL;
    ruga_mesh_def def = ruga_mesh_def_default();
    assert_ok(context, ruga_model_make(context, "bar", values, &bar));
    vec3 *x = calloc(bar->vertex_count + points, sizeof *x);
    uint32_t *all = calloc(4 * (bar->tet_count + tets), sizeof *all);
    assert_true(x && all);
    memcpy(x, bar->positions, bar->vertex_count * sizeof *x);
    for (size_t k = 0; k < points; k++) x[bar->vertex_count + k] = more[k];
    memcpy(all, bar->tets, 4 * bar->tet_count * sizeof *all);
    for (size_t k = 0; k < 4 * tets; k++) /* from 1000 on: the further points */
        all[4 * bar->tet_count + k] = tet[k] < 1000 ? tet[k] : (uint32_t)(bar->vertex_count + tet[k] - 1000);
    def.positions = (ruga_view){x, bar->vertex_count + points, 0, RUGA_F64};
    def.tet_count = bar->tet_count + tets;
    def.tets = all;
    assert_ok(context, ruga_mesh_create(context, &def, &whole));
    const char *path = test_path("body.mesh");
    assert_ok(context, ruga_mesh_write(whole, NULL, path, NULL));
    snprintf(mesh, sizeof mesh, "\"%s\"", path);
    ruga_mesh_destroy(whole);
    ruga_mesh_destroy(bar);
    free(x);
    free(all);
    return mesh;
}

/* Two vertices of an edge of the block at its greatest y and x, rising along z. */
static void find_corner(ruga_context *context, uint32_t corner[2]) {
    const double values[6] = {1, 0.6, 0.6, 10, 6, 1};
    ruga_mesh *bar = NULL;
    assert_ok(context, ruga_model_make(context, "bar", values, &bar));
    for (uint32_t v = 0; v < bar->vertex_count; v++) {
        const vec3 p = bar->positions[v];
        if (p.x < 0.499 || p.y < 0.299) continue;
        if (fabs(p.z - 0.3) < 1e-6) corner[1] = v;
        if (fabs(p.z - 0.2) < 1e-6) corner[0] = v;
    }
    ruga_mesh_destroy(bar);
}

static void meshes_that_can_not_be_cut_are_refused_as_they_were_given(void **state) {
    static const vec3 away[4] = {{0, 2, 0}, {1, 2, 0}, {0, 3, 0}, {0, 2, 1}};
    static const vec3 near[3] = {{0.8, 0.6, 0.3}, {0.6, 0.7, 0.5}, {0.8, 0.5, 0.6}};
    uint32_t c[2];
    find_corner(*state, c);
    const struct {
        size_t points, tets;
        const vec3 *more;
        uint32_t tet[4];
        const char *part;
    } cases[] = {{0, 0, NULL, {0}, NULL},
                 {1, 0, away, {0}, "is in no tet"},
                 {4, 1, away, {1000, 1001, 1002, 1003}, "different pieces"},
                 {2, 1, near, {c[0], c[1], 1000, 1001}, "triangles instead of 2"},
                 {3, 1, near, {c[1], 1000, 1001, 1002}, "it meets itself at vertex"},
                 {4, 1, away, {1000, 1002, 1001, 1003}, "swap two of its vertices"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint32_t tet[4];
        memcpy(tet, cases[k].tet, sizeof tet);
        /* Positive, but for the last. */
        for (int turned = 0; turned < 2; turned++) {
            ruga_scene *scene;
            const char *mesh = write_mesh(*state, cases[k].points, cases[k].more, cases[k].tets, tet);
            ruga_status status = try_folded_block(*state, &(folded_block){.mesh = mesh}, &scene);
            if (!cases[k].part) {
                assert_ok(*state, status);
                ruga_scene_destroy(scene);
                break;
            }
            assert_true(RUGA_FAILED(status));
            assert_null(scene);
            if (!turned && k < 5 && strstr(ruga_context_message(*state), "swap two of its")) {
                tet[2] = cases[k].tet[3];
                tet[3] = cases[k].tet[2];
                continue;
            }
            assert_message_has(*state, cases[k].part);
            if (k == 5) assert_message_has(*state, "tet 2160 "); /* of the file, not of the cut mesh */
            break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushes_and_pulls_fade_towards_the_ends_of_a_line),
        cmocka_unit_test(folds_follow_a_muscle),
        cmocka_unit_test(tied_anchors_pull_in_less_than_fixed_ones),
        cmocka_unit_test(a_factor_of_stiffness_is_that_of_creases_too),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(checkpoints_of_an_earlier_form_are_refused),
        cmocka_unit_test(meshes_that_can_not_be_cut_are_refused_as_they_were_given),
    };
    int failed = cmocka_run_group_tests(tests, set_up_context, tear_down_context);
    test_folder_remove();
    return failed;
}
