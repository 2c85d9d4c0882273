/* The T-shirt: flat pieces whose borders fit each other, around the mannequin. */
#include <math.h>

#include "geom/border.h"
#include "math/vec3.h"
#include "support/support.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    return 0;
}

/* Two borders of every seam. */
static const char *const seams[][2] = {
    {"front left shoulder", "back left shoulder"},
    {"front right shoulder", "back right shoulder"},
    {"front left side", "back left side"},
    {"front right side", "back right side"},
    {"left sleeve front under", "left sleeve back under"},
    {"right sleeve front under", "right sleeve back under"},
    {"front left armhole", "left sleeve front cap"},
    {"back left armhole", "left sleeve back cap"},
    {"front right armhole", "right sleeve front cap"},
    {"back right armhole", "right sleeve back cap"},
};

static void the_borders_of_every_seam_fit(void **state) {
    (void)state;
    ruga_mesh *mesh;
    topology *topo;
    assert_ok(context, ruga_model_make(context, "tshirt", NULL, &mesh));
    assert_ok(context, topology_build_mesh(mesh, &topo));
    for (size_t i = 0; i < sizeof seams / sizeof *seams; i++) {
        border a, b;
        border_matches matches = {0};
        int reversed;
        assert_ok(context, border_by_name(mesh, topo, seams[i][0], &a));
        assert_ok(context, border_by_name(mesh, topo, seams[i][1], &b));
        assert_int_equal(a.vertices.count, b.vertices.count);
        assert_near_case(border_length(mesh, &a) / border_length(mesh, &b), 1, 0.01, "%s", seams[i][0]);
        assert_ok(context, border_match_all(mesh, &a, &b, BORDER_NEAREST, &matches, &reversed, NULL));
        /* The outer side of one piece continues in that of the other. */
        assert_int_equal(a.direction * b.direction * (reversed ? -1 : 1), -1);
        ARRAY_RELEASE(context, &matches);
        border_release(context, &a);
        border_release(context, &b);
    }
    topology_destroy(topo);
    ruga_mesh_destroy(mesh);
}

/* The least |x| of a border's vertices. */
static double least_reach(const ruga_mesh *mesh, const topology *topo, const char *name) {
    border b;
    assert_ok(context, border_by_name(mesh, topo, name, &b));
    double least = INFINITY;
    for (size_t i = 0; i < b.vertices.count; i++) least = fmin(least, fabs(mesh->positions[b.vertices.items[i]].x));
    border_release(context, &b);
    return least;
}

/* Else their lower edges are caught between front and back when these are sewn. */
static void sleeves_begin_beyond_the_armpits(void **state) {
    (void)state;
    ruga_mesh *mesh;
    topology *topo;
    assert_ok(context, ruga_model_make(context, "tshirt", NULL, &mesh));
    assert_ok(context, topology_build_mesh(mesh, &topo));
    for (size_t side = 2; side < 4; side++)
        for (size_t i = 0; i < 2; i++)
            for (size_t k = 0; k < 2; k++)
                assert_less_case(least_reach(mesh, topo, seams[side][i]) + 0.005,
                                 least_reach(mesh, topo, seams[side + 2][k]), "%s, %s", seams[side][i],
                                 seams[side + 2][k]);
    topology_destroy(topo);
    ruga_mesh_destroy(mesh);
}

/* UVs are the pattern: edges have the length that they have there, times one scale for all pieces. */
static void pieces_are_flat(void **state) {
    (void)state;
    ruga_mesh *mesh;
    assert_ok(context, ruga_model_make(context, "tshirt", NULL, &mesh));
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX);
    assert_non_null(uv);
    double scale = 0;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        double u = ruga_attribute_get(uv, a, 0) - ruga_attribute_get(uv, b, 0);
        double v = ruga_attribute_get(uv, a, 1) - ruga_attribute_get(uv, b, 1);
        double ratio = vec3_distance(mesh->positions[a], mesh->positions[b]) / hypot(u, v);
        if (i == 0) scale = ratio;
        assert_near_case(ratio / scale, 1, 0.01, "corner %zu", i); /* chords of the bent sleeves are a little shorter */
        for (uint32_t k = 0; k < 2; k++) assert_near_case(ruga_attribute_get(uv, a, k), 0.5, 0.5, "corner %zu", i);
    }
    ruga_mesh_summary summary;
    assert_ok(context, ruga_mesh_summarise(mesh, &summary));
    assert_int_equal(summary.components, 4);
    assert_int_equal(summary.boundary_loops, 4);
    assert_true(summary.oriented && summary.manifold);
    ruga_mesh_destroy(mesh);
}

static void sizes_without_a_shirt_are_refused(void **state) {
    (void)state;
    static const struct {
        size_t field;
        double value;
        const char *part;
    } cases[] = {{5, 0.5, "narrower"},
                 {4, 0.7, "less deep"},
                 {7, 0.05, "longer"},
                 {8, 1.2, "narrower"},
                 {11, 1e-4, "too small"}};
    const ruga_section *model = ruga_model_find("tshirt");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double values[16];
        ruga_mesh *mesh = NULL;
        ruga_section_defaults(model, values);
        values[cases[i].field] = cases[i].value;
        assert_status(ruga_model_make(context, "tshirt", values, &mesh), RUGA_ERROR_ARGUMENT);
        assert_message_has(context, cases[i].part);
    }
}

static void quads_have_the_same_points(void **state) {
    (void)state;
    ruga_mesh *a, *b;
    double values[16];
    ruga_section_defaults(ruga_model_find("tshirt"), values);
    assert_ok(context, ruga_model_make(context, "tshirt", values, &a));
    values[12] = 1;
    assert_ok(context, ruga_model_make(context, "tshirt", values, &b));
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(2 * b->face_count, a->face_count);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
    ruga_mesh_destroy(a);
    ruga_mesh_destroy(b);
}

static ruga_status make(ruga_context *in, void *user) {
    ruga_mesh *mesh = NULL;
    (void)user;
    ruga_status status = ruga_model_make(in, "tshirt", NULL, &mesh);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(20, assert_every_allocation_may_fail(make, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_borders_of_every_seam_fit),
        cmocka_unit_test(sleeves_begin_beyond_the_armpits),
        cmocka_unit_test(pieces_are_flat),
        cmocka_unit_test(sizes_without_a_shirt_are_refused),
        cmocka_unit_test(quads_have_the_same_points),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
