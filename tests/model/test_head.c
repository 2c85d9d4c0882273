/* The skull and the flesh of the bust: one inside the other, with attributes that choose bone and muscles. */
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "model/bust.h"
#include "support/support.h"

static ruga_mesh *make(ruga_context *context, const char *model, const double *values) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, model, values, &mesh));
    return mesh;
}

/* In metres of an adult, from a model of the default height. */
static vec3 shape_place(vec3 p) { return vec3_make(p.x, p.y + BUST_BASE, p.z); }

static void the_skull_is_inside_the_bust(void **state) {
    ruga_mesh *skull = make(*state, "skull", (double[]){BUST_TALL, 60});
    ruga_mesh_summary summary;
    assert_ok(*state, ruga_mesh_summarise(skull, &summary));
    assert_true(summary.closed && summary.manifold && summary.oriented);
    assert_int_equal(summary.components, 1);
    assert_less(0.002, summary.volume);
    double nearest = -1;
    for (size_t v = 0; v < skull->vertex_count; v++)
        nearest = fmax(nearest, bust_distance(shape_place(skull->positions[v])));
    assert_less(nearest, -0.7 * SKULL_LEAST_DEPTH);
    ruga_mesh_destroy(skull);
}

static double value_at(const ruga_mesh *mesh, const char *name, size_t v) {
    const ruga_attribute *attribute = ruga_mesh_attribute(mesh, name, RUGA_DOMAIN_VERTEX);
    assert_non_null(attribute);
    return ruga_attribute_get(attribute, v, 0);
}

/* The number of vertices above one half and their centroid. */
static size_t centre(const ruga_mesh *mesh, const char *name, vec3 *middle) {
    size_t count = 0;
    *middle = (vec3){0, 0, 0};
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double value = value_at(mesh, name, v);
        assert_at_most(0, value);
        assert_at_most(value, 1);

        if (value <= 0.5) continue;
        count++;
        *middle = vec3_add(*middle, mesh->positions[v]);
    }
    *middle = vec3_scale(*middle, 1 / fmax((double)count, 1));
    return count;
}

static void flesh_is_between_skull_and_skin(void **state) {
    ruga_mesh *head = make(*state, "head", (double[]){BUST_TALL, 80, 0.02});
    double spacing = 0.02 * BUST_TALL;
    ruga_mesh_summary summary;
    assert_ok(*state, ruga_mesh_summarise(head, &summary));
    assert_true(summary.closed && summary.manifold && summary.oriented);
    assert_int_equal(summary.components, 2); /* the outside, and the bone's cavity */
    for (size_t t = 0; t < head->tet_count; t++) assert_less(0, mesh_tet_volume(head, t));
    size_t held = 0, inner = 0;
    for (size_t v = 0; v < head->vertex_count; v++)
        assert_less_case(-0.5 * spacing, skull_distance(shape_place(head->positions[v])), "vertex %zu", v);
    /* All vertices of the cavity are at the bone. */
    for (size_t i = 0; i < 3 * head->triangle_count; i++) {
        uint32_t v = head->triangles[i];
        if (bust_distance(shape_place(head->positions[v])) > -0.5 * SKULL_LEAST_DEPTH) continue;
        inner++;
        held += value_at(head, "skull", v) == 1;
    }
    assert_ran(inner, 3000);
    assert_less(0.97 * (double)inner, held);
    ruga_mesh_destroy(head);
}

static void muscles_are_where_they_belong(void **state) {
    ruga_mesh *head = make(*state, "head", (double[]){BUST_TALL, 80, 0.02});
    vec3 forehead, left, right, eyes, bone;
    assert_less(50, centre(head, "frontalis", &forehead));
    assert_less(10, centre(head, "zygomaticus_left", &left));
    assert_less(10, centre(head, "zygomaticus_right", &right));
    assert_less(50, centre(head, "eyes", &eyes));
    assert_less(1000, centre(head, "skull", &bone));
    assert_near(forehead.x, 0, 0.004);
    assert_near(forehead.y, 0.31, 0.01);
    assert_near(left.x, 0.04, 0.01);
    assert_near(left.y, 0.21, 0.015);
    assert_near(right.x, -left.x, 0.004);
    assert_near(right.y, left.y, 0.004);
    assert_near(eyes.y, 0.2595, 0.006);
    ruga_mesh_destroy(head);
}

/* Twice as high: the same tets, twice as large, with the same attributes. */
static void the_size_changes_nothing_else(void **state) {
    ruga_mesh *head = make(*state, "head", (double[]){BUST_TALL, 40, 0.025});
    ruga_mesh *giant = make(*state, "head", (double[]){2 * BUST_TALL, 40, 0.025});
    assert_int_equal(head->tet_count, giant->tet_count);
    assert_int_equal(head->vertex_count, giant->vertex_count);
    for (size_t v = 0; v < head->vertex_count; v++) {
        assert_less(vec3_distance(vec3_scale(head->positions[v], 2), giant->positions[v]), 1e-9);
        assert_near(value_at(head, "frontalis", v), value_at(giant, "frontalis", v), 1e-6);
    }
    ruga_mesh_destroy(head);
    ruga_mesh_destroy(giant);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_skull_is_inside_the_bust),
        cmocka_unit_test(flesh_is_between_skull_and_skin),
        cmocka_unit_test(muscles_are_where_they_belong),
        cmocka_unit_test(the_size_changes_nothing_else),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_all, tear_down_context);
}
