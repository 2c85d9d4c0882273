/* Masks and parameters of creased cloth: numbers of vertices and faces are those of the mesh before it is cut, and the
 * part that collides stays the same when creases are cut or removed later. */
#include "scene/crease_scenes.h"

/* A sheet of 4 by 4 cells; face 31 has the vertices 18, 23 and 24. `object` and `details` stand in the object. */
static const char *sheet(const char *object, const char *line, const char *details) {
    static char text[2000];
    snprintf(text, sizeof text,
             "{\"time\": {\"fps\": 24, \"frames\": 9, \"substeps\": 2}, \"contact\": {}, \"objects\": [{\"name\": "
             "\"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 4, \"rows\": 4}%s, \"body\": {\"kind\": "
             "\"cloth\", \"integrator\": \"implicit\"}, \"hooks\": [{\"kind\": \"crease\", \"lines\": "
             "[{\"points\": [[-0.5, 0, -0.4], [0.5, 0, -0.1]]%s}]}], \"details\": [%s]}]}",
             object, line, details);
    return text;
}

#define WHERE(selector) ", \"contact\": {\"where\": \"" selector "\"}"

/* The first 25 vertices that collide, as bits. */
static size_t colliding(const body *b) {
    size_t bits = 0;
    for (size_t v = 0; v < 25; v++) bits |= (size_t)(!b->collides || b->collides[v]) << v;
    return bits;
}

static void contact_masks_are_chosen_on_the_mesh_before_it_is_cut(void **state) {
    ruga_scene *scene = crease_scene_make(*state, sheet(WHERE("faces:31"), "", ""));
    assert_less(25, world_body(scene->world, 0)->mesh->vertex_count);
    assert_int_equal(colliding(world_body(scene->world, 0)), 1 << 18 | 1 << 23 | 1 << 24);
    ruga_scene_destroy(scene);

    /* All vertices: those of the cut are between them, and collide too. */
    scene = crease_scene_make(*state, sheet(WHERE("vertices:0-24"), "", ""));
    const body *b = world_body(scene->world, 0);
    for (size_t i = 0; i < b->point_count; i++) assert_equal_case(!b->collides || b->collides[i], 1, "point %zu", i);
    ruga_scene_destroy(scene);
}

/* The vertices that a detail lifts. `detail`: one that displaces. */
static size_t lifted(ruga_context *context, const char *object, const char *detail) {
    ruga_scene *scene = crease_scene_make(context, sheet(object, "", detail));
    size_t bits = 0;
    assert_ok(context, ruga_scene_step(scene));
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    assert_less(25, frame->vertex_count);
    for (size_t v = 0; v < 25; v++) bits |= (size_t)(fabs(frame->positions[v].y) > 0.005) << v;
    ruga_scene_destroy(scene);
    return bits;
}

static void parameters_are_chosen_on_the_mesh_before_it_is_cut(void **state) {
    const size_t face = 1 << 18 | 1 << 23 | 1 << 24;
#define DISPLACE(amount) "{\"kind\": \"displace\", \"amount\": " amount "}"
#define SELECT(what) "{\"select\": \"" what "\", \"from\": 0, \"to\": 0.01}"
    assert_int_equal(lifted(*state, "", DISPLACE(SELECT("faces:31"))), face);
    assert_int_equal(lifted(*state, "", DISPLACE(SELECT("!faces:31 & vertices:0-24"))), 0x1ffffff & ~face);
    assert_int_equal(lifted(*state, "", DISPLACE("{\"keys\": [[0, " SELECT("vertices:7") "], [1, 0.01]]}")), 1 << 7);
    /* Selectors without numbers see the mesh that is cut, as a box does. */
    assert_int_equal(lifted(*state, "", DISPLACE(SELECT("box:0.2,-,0.2,-,-,-"))), 1 << 3 | 1 << 4 | 1 << 8 | 1 << 9);
    /* On the result of a detail, numbers are those of its own mesh. */
    assert_int_equal(lifted(*state, "", "{\"kind\": \"subdivide\", \"n\": 1}, " DISPLACE(SELECT("vertices:3"))),
                     1 << 3);
}

/* The half x <= 0 collides: with creases, after they are cut, and after they are removed. Of its border, x = 0, those
 * vertices do not that a vertex of the cut with x > 0 is made of. */
static void the_part_that_collides_stays_when_creases_are_cut_and_removed(void **state) {
    static const char *const lines[] = {", \"cut\": 0.1", ", \"remove\": 0.1", ", \"cut\": 0.1, \"remove\": 0.2"};
    for (size_t k = 0; k < 3; k++) {
        ruga_scene *scene = crease_scene_make(*state, sheet(WHERE("box:-,-,-,0,-,-"), lines[k], ""));
        const body *b = world_body(scene->world, 0);
        const size_t changes = k < 2 ? 1 : 2;
        size_t expected = 0, border = 0, checked = 0;
        for (size_t v = 0; v < 25; v++) {
            expected |= (size_t)(b->mesh->positions[v].x <= 0) << v;
            border |= (size_t)(b->mesh->positions[v].x == 0) << v;
        }
        for (int f = 0; f < 8; f++) {
            assert_ok(*state, ruga_scene_step(scene));
            assert_int_equal(colliding(b) | border, expected);
            for (size_t i = 25; i < b->point_count; i++) { /* copies of vertices away from the border */
                if (!(b->mesh->positions[b->given.vertex_of[i]].x < 0)) continue;
                assert_true(b->collides[i]);
                checked++;
            }
        }
        assert_int_equal(b->revision, changes);
        assert_less(0, checked);
        ruga_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_masks_are_chosen_on_the_mesh_before_it_is_cut),
        cmocka_unit_test(parameters_are_chosen_on_the_mesh_before_it_is_cut),
        cmocka_unit_test(the_part_that_collides_stays_when_creases_are_cut_and_removed),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
