/* Edges that several creases cross: kept, refined or rejected. */
#include "scene/crease_scenes.h"

static const char *several_scene(const char *solver, const char *crease) {
    static char text[3000];
    snprintf(text, sizeof text,
             "{\"time\": {\"fps\": 24, \"frames\": 60, \"substeps\": %d}, \"objects\": [{\"name\": \"sheet\", "
             "\"mesh\": {\"kind\": \"sheet\", \"columns\": 5, \"rows\": 5, \"triangulation\": 2}, \"material\": "
             "\"cotton\", \"body\": {\"kind\": \"cloth\", \"elements\": \"springs\", \"integrator\": \"%s\", \"pins\": "
             "[{\"kind\": \"fixed\", \"box_to\": [2, 2, -0.49]}]}, \"hooks\": [{\"kind\": \"crease\", %s}]}]}",
             strcmp(solver, "implicit") == 0 ? 2 : 400, solver, crease);
    return text;
}

/* Edges are 0.2 m long; the first two lines are 0.07 m apart, the third crosses both. */
#define LINES                                                                                                          \
    "\"lines\": [{\"name\": \"one\", \"points\": [[-0.5, 0, 0.03], [0.5, 0, 0.03]]}, {\"name\": \"two\", \"points\": " \
    "[[-0.5, 0, 0.1], [0.5, 0, 0.1]]}, {\"name\": \"across\", \"points\": [[0.04, 0, -0.5], [0.06, 0, 0.5]]}]"

/* With the copies of cut triangles. */
static const ruga_mesh *simulated(const ruga_scene *scene) { return world_body(scene->world, 0)->simulated; }

/* Original vertices come first, in their order. */
static void check_first_vertices(const ruga_scene *kept, const ruga_scene *refined) {
    const ruga_mesh *a = simulated(kept), *b = simulated(refined);
    assert_less(a->vertex_count, b->vertex_count);
    for (size_t v = 0; v < 36; v++) assert_memory_equal(&a->positions[v], &b->positions[v], sizeof *a->positions);
}

/* The vertex of the mesh that a simulated point is a copy of. */
static uint32_t vertex_of(const ruga_map *map, uint32_t point) {
    for (size_t e = map->offsets[point]; e < map->offsets[point + 1]; e++)
        if (map->weights[e] == 1) return map->indices[e]; /* fold vectors have weights below the edge's length */
    return UINT32_MAX;
}

/* The largest number of cuts through one edge of the mesh. */
static int most_cuts(const ruga_scene *scene) {
    const body_simulated *s = &world_body(scene->world, 0)->given;
    size_t count = s->visible->rows, used = 0;
    uint32_t(*edges)[2] = calloc(count, sizeof *edges);
    int most = 0;
    for (size_t v = 0; v < count; v++) {
        uint32_t low = UINT32_MAX, high = 0;
        size_t entries = s->visible->offsets[v + 1] - s->visible->offsets[v];
        for (size_t e = s->visible->offsets[v]; e < s->visible->offsets[v + 1]; e++) {
            uint32_t vertex = vertex_of(s->bound, s->visible->indices[e]);
            low = vertex < low ? vertex : low;
            high = vertex > high ? vertex : high;
        }
        if (entries == 1) continue;
        edges[used][0] = low;
        edges[used++][1] = high;
    }
    for (size_t i = 0; i < used; i++) {
        int alike = 0;
        for (size_t k = 0; k < used; k++) alike += memcmp(edges[i], edges[k], sizeof edges[i]) == 0;
        most = alike > most ? alike : most;
    }
    free(edges);
    return most;
}

#define PARALLEL "\"lines\": [[[-0.5, 0, 0.03], [0.5, 0, 0.03]], [[-0.5, 0, 0.1], [0.5, 0, 0.1]]]"

static void each_edge_has_one_cut_at_the_end(void **state) {
    ruga_scene *kept = crease_scene_make(*state, several_scene("implicit", PARALLEL));
    ruga_scene *refined = crease_scene_make(*state, several_scene("implicit", PARALLEL ", \"several\": \"refine\""));
    assert_int_equal(most_cuts(kept), 2);
    assert_int_equal(most_cuts(refined), 1);
    ruga_scene_destroy(kept);
    ruga_scene_destroy(refined);
}

static void meshes_are_refined_around_such_edges(void **state) {
    ruga_scene *kept = crease_scene_make(*state, several_scene("implicit", LINES));
    ruga_scene *refined = crease_scene_make(*state, several_scene("implicit", LINES ", \"several\": \"refine\""));
    check_first_vertices(kept, refined);
    /* Where it was not necessary, the mesh is as coarse as before. */
    assert_less((double)simulated(refined)->triangle_count, 4.0 * (double)simulated(kept)->triangle_count);
    for (int f = 0; f < 24; f++) {
        assert_ok(*state, ruga_scene_step(kept));
        assert_ok(*state, ruga_scene_step(refined));
    }
    for (int k = 0; k < 2; k++) {
        const body *b = world_body((k ? refined : kept)->world, 0);
        assert_less(distance_from_bound(b, b->positions), 1e-10);
    }
    assert_int_equal(ruga_scene_crease_count(refined, 0), 3);
    ruga_scene_destroy(kept);
    ruga_scene_destroy(refined);
    /* Nothing to do: the same mesh. */
    const char *single = "\"lines\": [[[-0.5, 0, 0.03], [0.5, 0, 0.05]], [[0.04, 0, -0.5], [0.06, 0, 0.5]]]";
    char text[400];
    kept = crease_scene_make(*state, several_scene("implicit", single));
    snprintf(text, sizeof text, "%s, \"several\": \"refine\"", single);
    refined = crease_scene_make(*state, several_scene("implicit", text));
    assert_int_equal(simulated(kept)->vertex_count, simulated(refined)->vertex_count);
    ruga_scene_destroy(kept);
    ruga_scene_destroy(refined);
}

/* The paper's form on a refined mesh: the gap stays closed. */
static void the_exact_form_takes_a_refined_mesh(void **state) {
    ruga_scene *scene = crease_scene_make(
        *state, several_scene("semi_implicit", LINES ", \"several\": \"refine\", \"form\": \"exact\""));
    for (int f = 0; f < 6; f++) assert_ok(*state, ruga_scene_step(scene));
    assert_less(scene_measure(scene, "sheet.crease.crease_gap"), 1e-9);
    ruga_scene_destroy(scene);
}

static void check_fails(ruga_context *context, const char *crease, const char *first, const char *second) {
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    const char *text = several_scene("implicit", crease);
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    assert_status(ruga_scene_create(context, ruga_description_get(d), &scene), RUGA_ERROR_INPUT);
    assert_message_has(context, first);
    assert_message_has(context, second);
    ruga_description_destroy(d);
}

static void they_are_rejected_by_name(void **state) {
    check_fails(*state, LINES ", \"several\": \"reject\"", "curves \"one\" and \"two\"", "triangle");
    ruga_scene_destroy(crease_scene_make(
        *state, several_scene("implicit",
                              "\"several\": \"reject\", \"lines\": [[[-0.5, 0, 0.03], [0.5, 0, 0.05]], "
                              "[[0.04, 0, -0.5], [0.06, 0, 0.5]]]")));
}

/* Lines that are too near for five divisions. */
static void refining_ends(void **state) {
    check_fails(*state,
                "\"several\": \"refine\", \"lines\": [[[-0.5, 0, 0.03], [0.5, 0, 0.03]], [[-0.5, 0, 0.032], [0.5, 0, "
                "0.032]]]",
                "refined 5 times", "\"keep\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_edge_has_one_cut_at_the_end),
                                       cmocka_unit_test(meshes_are_refined_around_such_edges),
                                       cmocka_unit_test(the_exact_form_takes_a_refined_mesh),
                                       cmocka_unit_test(they_are_rejected_by_name), cmocka_unit_test(refining_ends)};
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
