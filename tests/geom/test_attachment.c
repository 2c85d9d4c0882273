/* Attachments on triangles: linear and PN. */
#include <string.h>

#include "attached.h"

static void put(float *points, size_t i, vec3 p) {
    points[4 * i] = (float)p.x, points[4 * i + 1] = (float)p.y, points[4 * i + 2] = (float)p.z;
}

/* A rotation about an axis, and a translation. */
typedef struct motion {
    vec3 columns[3], shift;
} motion;

static motion some_motion(void) {
    double c = cos(0.7), s = sin(0.7), d = cos(-1.1), e = sin(-1.1);
    return (motion){{{c, s * d, s * e}, {-s, c * d, c * e}, {0, -e, d}}, {0.3, -0.2, 0.5}};
}

static vec3 turned(const motion *m, vec3 p) {
    vec3 q = vec3_scale(m->columns[0], p.x);
    return vec3_add_scaled(vec3_add_scaled(q, m->columns[1], p.y), m->columns[2], p.z);
}

static vec3 moved(const motion *m, vec3 p) { return vec3_add(turned(m, p), m->shift); }

/* Vlachos et al. 2001 by its control points, in double. */
static vec3 patch_point(const vec3 x[3], const vec3 n[3], const double u[3]) {
    vec3 sum = {0, 0, 0}, edges = {0, 0, 0}, corners = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        sum = vec3_add_scaled(sum, x[i], u[i] * u[i] * u[i]);
        corners = vec3_add_scaled(corners, x[i], 1.0 / 3);
        for (int j = 0; j < 3; j++) {
            if (i == j) continue;
            double w = vec3_dot(vec3_sub(x[j], x[i]), n[i]);
            vec3 b = vec3_scale(vec3_add_scaled(vec3_add(vec3_scale(x[i], 2), x[j]), n[i], -w), 1.0 / 3);
            sum = vec3_add_scaled(sum, b, 3 * u[i] * u[i] * u[j]);
            edges = vec3_add_scaled(edges, b, 1.0 / 6);
        }
    }
    vec3 middle = vec3_add_scaled(edges, vec3_sub(edges, corners), 0.5);
    return vec3_add_scaled(sum, middle, 6 * u[0] * u[1] * u[2]);
}

static void a_patch_is_the_bezier_triangle_of_its_control_points(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_random random = {2};
    for (int round = 0; round < 30; round++) {
        vec3 x[3], n[3];
        for (int k = 0; k < 3; k++) {
            x[k] = random_vec3(&random, -1, 1);
            n[k] = vec3_normalise(random_vec3(&random, -1, 1));
        }
        ruga_mesh *base = shape_make(context, 3, x, 1, NULL, (uint32_t[3]){0, 1, 2});
        attachment *a = attach_subdivided(base, ATTACH_PN, 7);
        float *positions = floats_of(x, 3), *normals = floats_of(n, 3);
        for (int k = 0; k < 3; k++) put(normals, (size_t)k, vec3_scale(n[k], 0.1 + 3 * k)); /* of any length */
        applied r = apply(a, positions, normals);
        assert_int_equal(r.count, 36);
        for (size_t i = 0; i < r.count; i++) {
            double u[3];
            assert_int_equal(attachment_triangle(a, i, u), 0);
            assert_less_case(vec3_distance(point_of(r.points, i), patch_point(x, n, u)), 1e-6, "round %d, i %zu", round,
                             i);
            vec3 mixed = vec3_scale(n[0], u[0]);
            for (int k = 1; k < 3; k++) mixed = vec3_add_scaled(mixed, n[k], u[k]);
            assert_less_case(vec3_distance(point_of(r.normals, i), vec3_normalise(mixed)), 1e-5, "round %d, i %zu",
                             round, i);
        }
        applied_release(&r);
        free(positions);
        free(normals);
        attachment_destroy(a);
        ruga_mesh_destroy(base);
    }
    ruga_context_destroy(context);
}

static void corners_are_exact_and_b0_is_of_the_second(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = shape_icosahedron(context);
    float *positions = floats_of(base->positions, base->vertex_count), *normals = mesh_float_normals(base);
    attachment *a = NULL;
    assert_ok(context, attachment_create(base, ATTACH_PN, 180, base->vertex_count, base->positions, &a));
    applied r = apply(a, positions, normals);
    for (size_t v = 0; v < r.count; v++) assert_memory_equal(r.points + 4 * v, positions + 4 * v, 3 * sizeof(float));
    applied_release(&r);
    attachment_destroy(a);
    /* Equation 1: (1 - b0 - b1) x0 + b0 x1 + b1 x2. */
    const uint32_t *v = base->triangles + 3 * 4;
    const vec3 *x = base->positions;
    vec3 point = vec3_add(vec3_add(vec3_scale(x[v[0]], 0.2), vec3_scale(x[v[1]], 0.3)), vec3_scale(x[v[2]], 0.5));
    assert_ok(context, attachment_create(base, ATTACH_LINEAR, 180, 1, &point, &a));
    double u[3];
    assert_int_equal(attachment_triangle(a, 0, u), 4);
    assert_near(u[0], 0.2, 1e-6);
    assert_near(u[1], 0.3, 1e-6);
    assert_near(u[2], 0.5, 1e-6);
    attachment_destroy(a);
    free(positions);
    free(normals);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

/* The points of each triangle by itself, as if it were alone. */
static applied apply_alone(const ruga_mesh *base, size_t t, const float *normals, int n) {
    vec3 x[3];
    float positions[12], own[12];
    for (size_t k = 0; k < 3; k++) {
        x[k] = base->positions[base->triangles[3 * t + k]];
        memcpy(own + 4 * k, normals + 4 * base->triangles[3 * t + k], 4 * sizeof *own);
        put(positions, k, x[k]);
        positions[4 * k + 3] = 0;
    }
    ruga_mesh *alone = shape_make(base->context, 3, x, 1, NULL, (uint32_t[3]){0, 1, 2});
    attachment *a = attach_subdivided(alone, ATTACH_PN, n);
    applied r = apply(a, positions, own);
    attachment_destroy(a);
    ruga_mesh_destroy(alone);
    return r;
}

static void neighbours_share_their_edges_bit_for_bit(void **state) {
    (void)state;
    enum { PARTS = 5 };
    ruga_context *context = context_plain(1);
    ruga_mesh *base = shape_torus(context, 7, 5);
    float *normals = mesh_float_normals(base);
    for (size_t i = 0; i < base->vertex_count; i++) normals[4 * i] += 0.3f; /* any shared normals */
    /* Every point of a triangle's edges is a point of its neighbour. */
    for (size_t t = 0; t < base->triangle_count; t += 7) {
        applied own = apply_alone(base, t, normals, PARTS);
        size_t met = 0;
        for (size_t other = 0; other < base->triangle_count; other++) {
            size_t shared = 0;
            for (size_t k = 0; k < 9; k++)
                shared += base->triangles[3 * t + k / 3] == base->triangles[3 * other + k % 3];
            if (shared != 2) continue;
            applied r = apply_alone(base, other, normals, PARTS);
            size_t same = 0;
            for (size_t i = 0; i < own.count; i++)
                for (size_t j = 0; j < r.count; j++) {
                    int point = memcmp(own.points + 4 * i, r.points + 4 * j, 16) == 0;
                    assert_int_equal(point, memcmp(own.normals + 4 * i, r.normals + 4 * j, 16) == 0);
                    same += (size_t)point;
                }
            assert_int_equal(same, PARTS + 1);
            met++;
            applied_release(&r);
        }
        assert_int_equal(met, 3);
        applied_release(&own);
    }
    free(normals);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void a_patch_of_equal_normals_is_its_triangle(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = shape_sheet(context, 5, 3);
    const motion m = some_motion();
    float *positions = floats_of(base->positions, base->vertex_count),
          *normals = floats_of(base->positions, base->vertex_count);
    for (size_t v = 0; v < base->vertex_count; v++) {
        put(positions, v, moved(&m, base->positions[v]));
        put(normals, v, turned(&m, vec3_make(0, 1, 0)));
    }
    attachment *curved = attach_subdivided(base, ATTACH_PN, 4), *flat = attach_subdivided(base, ATTACH_LINEAR, 4);
    applied a = apply(curved, positions, normals), b = apply(flat, positions, NULL);
    for (size_t i = 0; i < a.count; i++) {
        assert_less_case(vec3_distance(point_of(a.points, i), point_of(b.points, i)), 1e-7, "i %zu", i);
        assert_less_case(vec3_distance(point_of(a.normals, i), point_of(b.normals, i)), 1e-6, "i %zu", i);
    }
    applied_release(&a);
    applied_release(&b);
    attachment_destroy(curved);
    attachment_destroy(flat);
    free(positions);
    free(normals);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void points_and_normals_move_rigidly_with_the_base(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = shape_torus(context, 9, 6);
    const motion m = some_motion();
    float *positions = floats_of(base->positions, base->vertex_count), *normals = mesh_float_normals(base);
    float *moved_positions = floats_of(base->positions, base->vertex_count), *turned_normals = mesh_float_normals(base);
    for (size_t v = 0; v < base->vertex_count; v++) {
        put(moved_positions, v, moved(&m, base->positions[v]));
        put(turned_normals, v, turned(&m, point_of(normals, v)));
    }
    for (int kind = ATTACH_PN; kind <= ATTACH_LOOP; kind++) {
        attachment *a = attach_subdivided(base, (attachment_kind)kind, 3);
        applied before = apply(a, positions, normals), after = apply(a, moved_positions, turned_normals);
        for (size_t i = 0; i < before.count; i++) {
            assert_less_case(vec3_distance(moved(&m, point_of(before.points, i)), point_of(after.points, i)), 2e-6,
                             "kind %d, i %zu", kind, i);
            assert_less_case(vec3_distance(turned(&m, point_of(before.normals, i)), point_of(after.normals, i)), 1e-5,
                             "kind %d, i %zu", kind, i);
        }
        applied_release(&before);
        applied_release(&after);
        attachment_destroy(a);
    }
    free(positions);
    free(normals);
    free(moved_positions);
    free(turned_normals);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void patches_of_a_sphere_are_closer_to_it_than_triangles(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = shape_icosahedron(context);
    float *positions = floats_of(base->positions, base->vertex_count);
    double worst[2] = {0, 0};
    for (int kind = ATTACH_PN; kind <= ATTACH_LINEAR; kind++) {
        attachment *a = attach_subdivided(base, (attachment_kind)kind, 8);
        applied r = apply(a, positions, positions); /* a sphere's points are its normals */
        for (size_t i = 0; i < r.count; i++) {
            worst[kind] = fmax(worst[kind], fabs(1 - vec3_length(point_of(r.points, i))));
            assert_less_case(vec3_distance(point_of(r.normals, i), vec3_normalise(point_of(r.points, i))), 0.02,
                             "kind %d, i %zu", kind, i);
        }
        applied_release(&r);
        attachment_destroy(a);
    }
    assert_less(worst[ATTACH_PN], worst[ATTACH_LINEAR] / 3);
    free(positions);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void points_off_the_base_are_attached_to_the_closest_one(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = shape_sheet(context, 4, 4);
    float *positions = floats_of(base->positions, base->vertex_count);
    vec3 points[50];
    test_random random = {9};
    for (int i = 0; i < 50; i++) points[i] = random_vec3(&random, -0.6, 1.2);
    vec3 low = base->positions[0], high = low;
    for (size_t v = 0; v < base->vertex_count; v++) {
        low = vec3_min(low, base->positions[v]);
        high = vec3_max(high, base->positions[v]);
    }
    attachment *a = NULL;
    assert_ok(context, attachment_create(base, ATTACH_LINEAR, 180, 50, points, &a));
    applied r = apply(a, positions, NULL);
    for (size_t i = 0; i < 50; i++) {
        vec3 foot = vec3_make(fmin(fmax(points[i].x, low.x), high.x), 0, fmin(fmax(points[i].z, low.z), high.z));
        assert_less_case(vec3_distance(point_of(r.points, i), foot), 1e-6, "i %zu", i);
        assert_less_case(vec3_distance(point_of(r.normals, i), vec3_make(0, 1, 0)), 1e-6, "i %zu", i);
    }
    applied_release(&r);
    attachment_destroy(a);
    free(positions);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void another_order_moves_points_as_they_are(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = shape_icosahedron(context);
    float *positions = floats_of(base->positions, base->vertex_count);
    for (int kind = ATTACH_PN; kind <= ATTACH_LOOP; kind++) {
        attachment *a = attach_subdivided(base, (attachment_kind)kind, 3);
        applied before = apply(a, positions, positions);
        size_t count = before.count + 5;
        uint32_t *order = malloc(count * sizeof *order);
        for (size_t i = 0; i < count; i++) order[i] = i % 19 == 5 ? UINT32_MAX : (uint32_t)(i * 37 % before.count);
        assert_ok(context, attachment_reorder(a, count, order));
        applied after = apply(a, positions, positions);
        assert_int_equal(after.count, count);
        size_t empty = 0;
        for (size_t i = 0; i < count; i++) {
            double u[3];
            if (order[i] != UINT32_MAX) {
                assert_memory_equal(after.points + 4 * i, before.points + 4 * (size_t)order[i], 16);
                assert_memory_equal(after.normals + 4 * i, before.normals + 4 * (size_t)order[i], 16);
            } else {
                assert_int_equal(attachment_triangle(a, i, u), 0);
                empty++;
            }
        }
        assert_ran(empty, count / 19);
        assert_ran(count - empty, count / 2);
        order[3] = (uint32_t)count;
        assert_status(attachment_reorder(a, count, order), RUGA_ERROR_ARGUMENT);
        assert_message_has(context, "names point 97 at 3");
        assert_int_equal(attachment_count(a), count);
        assert_ok(context, attachment_reorder(a, 0, order));
        applied none = apply(a, positions, positions);
        assert_int_equal(none.count, 0);
        applied_release(&none);
        applied_release(&before);
        applied_release(&after);
        free(order);
        attachment_destroy(a);
    }
    free(positions);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

/* All zero if this machine lacks the instruction set. */
static applied apply_to_torus(attachment_kind kind, ruga_isa isa, int threads) {
    ruga_context *context = context_of(isa, threads);
    if (!context) return (applied){0};
    ruga_mesh *base = shape_torus(context, 41, 30);
    float *positions = floats_of(base->positions, base->vertex_count), *normals = mesh_float_normals(base);
    attachment *a = attach_subdivided(base, kind, 2);
    applied r = apply(a, positions, normals);
    attachment_destroy(a);
    free(positions);
    free(normals);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
    return r;
}

static void threads_and_instruction_sets_change_no_bit(void **state) {
    (void)state;
    for (int kind = ATTACH_PN; kind <= ATTACH_LOOP; kind++) {
        applied expected = apply_to_torus((attachment_kind)kind, RUGA_ISA_SCALAR, 1);
        for (int isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
            applied r = apply_to_torus((attachment_kind)kind, (ruga_isa)isa, 2 + isa % 3);
            if (!r.points) continue;
            assert_int_equal(r.count, expected.count);
            assert_memory_equal(r.points, expected.points, r.count * 16);
            assert_memory_equal(r.normals, expected.normals, r.count * 16);
            applied_release(&r);
        }
        applied_release(&expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_patch_is_the_bezier_triangle_of_its_control_points),
        cmocka_unit_test(corners_are_exact_and_b0_is_of_the_second),
        cmocka_unit_test(neighbours_share_their_edges_bit_for_bit),
        cmocka_unit_test(a_patch_of_equal_normals_is_its_triangle),
        cmocka_unit_test(points_and_normals_move_rigidly_with_the_base),
        cmocka_unit_test(patches_of_a_sphere_are_closer_to_it_than_triangles),
        cmocka_unit_test(points_off_the_base_are_attached_to_the_closest_one),
        cmocka_unit_test(another_order_moves_points_as_they_are),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
