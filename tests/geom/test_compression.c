/* Lines of strongest compression: they run across it, over fields whose lines are known. */
#include <math.h>

#include "math/vec3.h"
#include "support/creased.h"

enum { CELLS = 24 };

typedef struct traced {
    ruga_mesh *mesh;
    vec3 *positions;
    ruga_curve **curves;
    size_t count;
} traced;

static void traced_make(ruga_context *context, traced *out) {
    *out = (traced){.mesh = creased_sheet(context, CELLS, 0.2)};
    out->positions = malloc(out->mesh->vertex_count * sizeof *out->positions);
    memcpy(out->positions, out->mesh->positions, out->mesh->vertex_count * sizeof *out->positions);
}

static void traced_release(ruga_context *context, traced *t) {
    ruga_curves_destroy(context, t->curves, t->count);
    ruga_mesh_destroy(t->mesh);
    free(t->positions);
}

/* Positions of the points of a curve, at rest; free them. */
static vec3 *points_of(const traced *t, size_t curve) {
    vec3 *points = malloc(t->curves[curve]->point_count * sizeof *points);
    ruga_curve_points(t->curves[curve], t->mesh, NULL, points);
    return points;
}

static void a_sheet_compressed_along_a_direction_has_lines_across_it(void **state) {
    for (double angle = 0; angle < 3; angle += 0.5) {
        traced t;
        traced_make(*state, &t);
        vec3 d = {cos(angle), 0, sin(angle)}, across = {-sin(angle), 0, cos(angle)};
        for (size_t v = 0; v < t.mesh->vertex_count; v++)
            t.positions[v] = vec3_add_scaled(t.positions[v], d, -0.1 * vec3_dot(t.positions[v], d));
        assert_ok(*state, ruga_curves_from_compression(t.mesh, t.positions, NULL, &t.curves, &t.count));
        assert_at_most(2, t.count);
        for (size_t c = 0; c < t.count; c++) {
            vec3 *points = points_of(&t, c);
            for (size_t i = 1; i < t.curves[c]->point_count; i++)
                assert_less_case(fabs(vec3_dot(vec3_sub(points[i], points[0]), d)), 0.02, "angle %g, line %zu", angle,
                                 c);
            double length = fabs(vec3_dot(vec3_sub(points[t.curves[c]->point_count - 1], points[0]), across));
            assert_less(0.45, length); /* 2 separations of 6 edges */
            free(points);
        }
        traced_release(*state, &t);
    }
}

/* Compressed along the radius about the middle: circles. Compressed along circles: rays. */
static void radial_and_circular_compression_give_circles_and_rays(void **state) {
    for (int is_ray = 0; is_ray < 2; is_ray++) {
        traced t;
        size_t ran = 0;
        traced_make(*state, &t);
        vec3 centre = {0.5, 0, -0.5};
        for (size_t v = 0; v < t.mesh->vertex_count; v++) {
            vec3 r = vec3_sub(t.positions[v], centre);
            double length = vec3_length(r);
            /* Radial strain -0.4 r, circular strain -0.2 r: circles. A cone, whose rays keep their length, is
             * compressed along circles only: rays. */
            double scale = is_ray ? 0.8 : 1 - 0.2 * length;
            t.positions[v] = vec3_add_scaled(centre, r, scale);
            if (is_ray) t.positions[v].y = 0.6 * length; /* a cone: rays keep their length */
        }
        ruga_compression_def def = ruga_compression_def_default();
        def.threshold = 0.05;
        assert_ok(*state, ruga_curves_from_compression(t.mesh, t.positions, &def, &t.curves, &t.count));
        for (size_t c = 0; c < t.count; c++) {
            vec3 *points = points_of(&t, c);
            for (size_t i = 1; i < t.curves[c]->point_count; i++) {
                vec3 step = vec3_sub(points[i], points[i - 1]), r = vec3_sub(points[i], centre);
                if (vec3_length(step) < 0.01 || vec3_length(r) < 0.2) continue;
                double cosine = fabs(vec3_dot(vec3_normalise(step), vec3_normalise(r)));
                ran++;
                if (is_ray)
                    assert_less_case(0.9, cosine, "ray %zu", c);
                else
                    assert_less_case(cosine, 0.35, "circle %zu", c);
            }
            free(points);
        }
        assert_ran(ran, 50);
        traced_release(*state, &t);
    }
}

static void lines_keep_their_separation(void **state) {
    traced t;
    size_t pairs = 0;
    traced_make(*state, &t);
    for (size_t v = 0; v < t.mesh->vertex_count; v++) t.positions[v].x *= 0.9;
    ruga_compression_def def = ruga_compression_def_default();
    def.separation = 0.2;
    assert_ok(*state, ruga_curves_from_compression(t.mesh, t.positions, &def, &t.curves, &t.count));
    for (size_t a = 0; a < t.count; a++)
        for (size_t b = 0; b < a; b++) {
            vec3 *p = points_of(&t, a), *q = points_of(&t, b);
            for (size_t i = 0; i < t.curves[a]->point_count; i++)
                for (size_t j = 0; j < t.curves[b]->point_count; j++)
                    assert_less(0.5 * def.separation, vec3_distance(p[i], q[j]) + 1.0 / CELLS);
            pairs++;
            free(p);
            free(q);
        }
    assert_ran(pairs, 3);
    assert_at_most(t.count, 7);
    traced_release(*state, &t);
}

static void without_compression_there_is_an_error_with_the_strongest(void **state) {
    traced t;
    traced_make(*state, &t);
    assert_status(ruga_curves_from_compression(t.mesh, t.positions, NULL, &t.curves, &t.count), RUGA_ERROR_INPUT);
    assert_message_has(*state, "no triangle is compressed by 2 %");
    /* Stretched and turned: still none. */
    for (size_t v = 0; v < t.mesh->vertex_count; v++)
        t.positions[v] = (vec3){1.2 * t.positions[v].z, 1.1 * t.positions[v].x, 0};
    assert_status(ruga_curves_from_compression(t.mesh, t.positions, NULL, &t.curves, &t.count), RUGA_ERROR_INPUT);
    for (size_t v = 0; v < t.mesh->vertex_count; v++) t.positions[v] = t.mesh->positions[v];
    for (size_t v = 0; v < t.mesh->vertex_count; v++) t.positions[v].x *= 0.99;
    assert_status(ruga_curves_from_compression(t.mesh, t.positions, NULL, &t.curves, &t.count), RUGA_ERROR_INPUT);
    assert_message_has(*state, "the greatest compression is 1 %");
    ruga_compression_def def = ruga_compression_def_default();
    def.threshold = 2;
    assert_status(ruga_curves_from_compression(t.mesh, t.positions, &def, &t.curves, &t.count), RUGA_ERROR_ARGUMENT);
    t.positions[7].y = NAN;
    assert_status(ruga_curves_from_compression(t.mesh, t.positions, NULL, &t.curves, &t.count), RUGA_ERROR_INPUT);
    assert_message_has(*state, "vertex 7");
    traced_release(*state, &t);
}

static void the_same_frame_gives_the_same_lines_and_they_can_be_creased(void **state) {
    traced a, b;
    ruga_creases *creases = NULL;
    traced_make(*state, &a);
    traced_make(*state, &b);
    for (size_t v = 0; v < a.mesh->vertex_count; v++)
        a.positions[v].x = b.positions[v].x *= 0.9 + 0.05 * a.mesh->positions[v].z;
    assert_ok(*state, ruga_curves_from_compression(a.mesh, a.positions, NULL, &a.curves, &a.count));
    assert_ok(*state, ruga_curves_from_compression(b.mesh, b.positions, NULL, &b.curves, &b.count));
    assert_int_equal(a.count, b.count);
    for (size_t c = 0; c < a.count; c++) {
        assert_int_equal(a.curves[c]->point_count, b.curves[c]->point_count);
        for (size_t i = 0; i < a.curves[c]->point_count; i++) {
            assert_int_equal(a.curves[c]->points[i].triangle, b.curves[c]->points[i].triangle);
            assert_memory_equal(a.curves[c]->points[i].weights, b.curves[c]->points[i].weights, 3 * sizeof(double));
        }
    }
    assert_ok(*state, ruga_creases_create(a.mesh, (const ruga_curve *const *)a.curves, a.count, NULL, &creases));
    assert_int_equal(creases->crease_count, a.count);
    ruga_creases_destroy(creases);
    traced_release(*state, &a);
    traced_release(*state, &b);
}

static ruga_status trace_once(ruga_context *context, void *user) {
    ruga_mesh *mesh = NULL;
    ruga_curve **curves = NULL;
    size_t count = 0;
    vec3 points[9], moved[9];
    const uint32_t triangles[24] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 3, 4, 7, 3, 7, 6, 4, 5, 8, 4, 8, 7};
    (void)user;
    for (int i = 0; i < 9; i++) {
        points[i] = (vec3){i % 3, 0, -i / 3};
        moved[i] = (vec3){0.9 * (i % 3), 0, -i / 3};
    }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){points, 9, 0, RUGA_F64};
    def.face_count = 8;
    def.face_vertices = triangles;
    ruga_compression_def wanted = ruga_compression_def_default();
    wanted.shortest = 0.1;
    ruga_status status = ruga_mesh_create(context, &def, &mesh);
    if (!RUGA_FAILED(status)) status = ruga_curves_from_compression(mesh, moved, &wanted, &curves, &count);
    ruga_curves_destroy(context, curves, count);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_ran(assert_every_allocation_may_fail(trace_once, NULL), 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_compressed_along_a_direction_has_lines_across_it),
        cmocka_unit_test(radial_and_circular_compression_give_circles_and_rays),
        cmocka_unit_test(lines_keep_their_separation),
        cmocka_unit_test(without_compression_there_is_an_error_with_the_strongest),
        cmocka_unit_test(the_same_frame_gives_the_same_lines_and_they_can_be_creased),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
