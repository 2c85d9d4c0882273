/* The mannequin: its body against human measures, its motions against mechanics, and both against themselves. */
#include "model/mannequin.h"

#include <math.h>

#include "geom/intersections.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "support/support.h"

static ruga_context *context;
static ruga_mesh *body; /* with default values */

static int set_up(void **state) {
    (void)state;
    context = context_plain(2);
    assert_ok(context, ruga_model_make(context, "mannequin", NULL, &body));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_mesh_destroy(body);
    ruga_context_destroy(context);
    return 0;
}

/* A section's defaults with one of them changed; NULL: none. */
static void values_with(const ruga_section *section, const char *name, double value, double *values) {
    ruga_section_defaults(section, values);
    for (size_t i = 0; name && i < section->field_count; i++)
        if (strcmp(section->fields[i].name, name) == 0) values[i] = value;
}

static ruga_motion *motion_of(double height, const char *action, const char *name, double value) {
    double values[16], acted[16];
    values_with(ruga_model_find("mannequin"), "height", height, values);
    values_with(ruga_action_find(action), name, value, acted);
    ruga_motion *motion = NULL;
    assert_ok(context, ruga_model_motion(context, "mannequin", values, action, acted, &motion));
    return motion;
}

static vec3 *sample(ruga_motion *motion, double time, vec3 *positions) {
    assert_ok(context, ruga_motion_sample(motion, time, positions));
    return positions;
}

static vec3 *room(void) {
    vec3 *positions = malloc(body->vertex_count * sizeof *positions);
    assert_non_null(positions);
    return positions;
}

static double lowest(const vec3 *positions) {
    double low = positions[0].y;
    for (size_t i = 0; i < body->vertex_count; i++) low = fmin(low, positions[i].y);
    return low;
}

static double largest_distance(const vec3 *a, const vec3 *b, vec3 shift) {
    double largest = 0;
    for (size_t i = 0; i < body->vertex_count; i++)
        largest = fmax(largest, vec3_length(vec3_sub(vec3_add(a[i], shift), b[i])));
    return largest;
}

static size_t intersections(size_t vertex_count, const vec3 *positions, size_t triangle_count,
                            const uint32_t *triangles) {
    intersection_array found = {0};
    assert_ok(context,
              intersections_find(context, vertex_count, positions, triangle_count, triangles, NULL, NULL, &found));
    size_t count = found.count;
    ARRAY_RELEASE(context, &found);
    return count;
}

/* ---- The body. */

static void it_is_one_closed_body_with_the_volume_and_the_size_of_a_human(void **state) {
    (void)state;
    ruga_mesh_summary summary;
    assert_ok(context, ruga_mesh_summarise(body, &summary));
    assert_true(summary.closed && summary.manifold && summary.oriented);
    assert_int_equal(summary.euler, 2);
    assert_int_equal(summary.components, 1);
    assert_in_range(body->triangle_count, 9000, 11000);
    assert_less(0.06, summary.volume);
    assert_less(summary.volume, 0.08);
    assert_less(1.5, summary.area);
    assert_less(summary.area, 2); /* 1.8 m² by Du Bois's formula for such a body */
    assert_near(summary.low.y, 0, 1e-12);
    assert_near(summary.high.y, 1.75, 1e-12);
    assert_less(-summary.low.z, summary.high.z); /* toes to the front */
}

static void it_is_its_own_mirror_image(void **state) {
    (void)state;
    size_t middle = 0, next;
    for (size_t i = 0; i < body->vertex_count; i++) middle += fabs(body->positions[i].x) < 1e-9;
    next = (body->vertex_count + middle) / 2;
    for (size_t i = 0; i < (body->vertex_count + middle) / 2; i++) {
        vec3 p = body->positions[i], mirrored = {-p.x, p.y, p.z};
        if (fabs(p.x) < 1e-9) continue;
        assert_less_case(vec3_distance(mirrored, body->positions[next++]), 1e-12, "i %zu", i);
    }
    assert_int_equal(next, body->vertex_count);
}

static void twice_the_height_is_twice_of_all(void **state) {
    (void)state;
    double values[16];
    values_with(ruga_model_find("mannequin"), "height", 3.5, values);
    ruga_mesh *giant = NULL;
    assert_ok(context, ruga_model_make(context, "mannequin", values, &giant));
    assert_int_equal(giant->vertex_count, body->vertex_count);
    for (size_t i = 0; i < body->vertex_count; i++)
        assert_less_case(vec3_distance(giant->positions[i], vec3_scale(body->positions[i], 2)), 1e-12, "i %zu", i);
    ruga_mesh_destroy(giant);
}

static void its_triangles_are_not_slivers(void **state) {
    (void)state;
    size_t sharp = 0;
    for (size_t c = 0; c < 3 * body->triangle_count; c++) {
        vec3 a = body->positions[body->triangles[c]];
        vec3 u = vec3_sub(body->positions[body->triangles[c - c % 3 + (c + 1) % 3]], a);
        vec3 v = vec3_sub(body->positions[body->triangles[c - c % 3 + (c + 2) % 3]], a);
        double angle = atan2(vec3_length(vec3_cross(u, v)), vec3_dot(u, v)) * (180 / 3.14159265358979323846);
        assert_less_case(10, angle, "c %zu", c);
        sharp += angle < 20;
    }
    assert_less(sharp, body->triangle_count / 200);
}

static void it_does_not_intersect_itself_whatever_its_arms_and_cells(void **state) {
    (void)state;
    static const double cases[][2] = {{80, 30}, {80, 8}, {80, 90}, {60, 30}, {111, 45}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double values[] = {1.75, cases[i][0], cases[i][1]};
        ruga_mesh *mesh = NULL;
        ruga_mesh_summary summary;
        assert_ok(context, ruga_model_make(context, "mannequin", values, &mesh));
        assert_ok(context, ruga_mesh_summarise(mesh, &summary));
        assert_true(summary.manifold && summary.euler == 2 && summary.components == 1);
        assert_int_equal(intersections(mesh->vertex_count, mesh->positions, mesh->triangle_count, mesh->triangles), 0);
        ruga_mesh_destroy(mesh);
    }
}

/* With default values there is room between skirt and body all around. */
static void the_skirt_fits_with_a_gap(void **state) {
    (void)state;
    ruga_mesh *skirt = NULL;
    assert_ok(context, ruga_model_make(context, "skirt", NULL, &skirt));
    double nearest = 1, farthest_at_waist = 0, top = 0;
    for (size_t i = 0; i < skirt->vertex_count; i++) top = fmax(top, skirt->positions[i].y);
    for (size_t i = 0; i < skirt->vertex_count; i++) {
        double distance = mannequin_distance(skirt->positions[i]);
        nearest = fmin(nearest, distance);
        if (skirt->positions[i].y > top - 1e-6) farthest_at_waist = fmax(farthest_at_waist, distance);
    }
    assert_less(0.004, nearest); /* more than cloth of 3 mm needs */
    assert_less(0, farthest_at_waist);
    assert_less(farthest_at_waist, 0.015); /* it does not stand off */
    ruga_mesh_destroy(skirt);
}

/* ---- Motions. */

static void motions_start_and_end_as_the_mesh_stands(void **state) {
    (void)state;
    vec3 *positions = room();
    size_t motions = 0;
    for (size_t k = 0; k < ruga_action_count(); k++) {
        if (strcmp(ruga_action_actor(k), "mannequin") != 0) continue;
        motions++;
        ruga_motion *motion = motion_of(1.75, ruga_action_get(k)->name, NULL, 0);
        ruga_motion_info info = ruga_motion_get_info(motion);
        assert_int_equal(info.vertex_count, body->vertex_count);
        assert_equal_case(info.start, 0, "k %zu", k);
        assert_less_case(1, info.end, "k %zu", k);
        sample(motion, 0, positions);
        assert_less_case(largest_distance(body->positions, positions, vec3_make(0, 0, 0)), 1e-12, "k %zu", k);
        sample(motion, info.end, positions);
        vec3 shift = vec3_sub(positions[0], body->positions[0]);
        assert_less_case(largest_distance(body->positions, positions, shift), 1e-9, "k %zu", k);
        ruga_motion_destroy(motion);
    }
    assert_ran(motions, 2);
    assert_null(ruga_action_get(ruga_action_count()));
    free(positions);
}

/* Velocities have no jumps: the mean velocities just before and after a time differ by no more than muscles can
 * accelerate. */
static void assert_smooth(ruga_motion *motion, double most) {
    const double step = 1e-4;
    double end = ruga_motion_get_info(motion).end;
    vec3 *before = room(), *here = room(), *after = room();
    for (double time = step; time < end - step; time += end / 300) {
        sample(motion, time - step, before);
        sample(motion, time, here);
        sample(motion, time + step, after);
        for (size_t i = 0; i < body->vertex_count; i += 7) {
            vec3 change = vec3_sub(vec3_add(before[i], after[i]), vec3_scale(here[i], 2));
            assert_at_most_case(vec3_length(change) / (step * step), most, "m/s² of vertex %zu at %g s", i, time);
        }
    }
    free(before);
    free(here);
    free(after);
}

static void velocities_are_continuous(void **state) {
    (void)state;
    skip_when_sanitized();
    ruga_motion *walk = motion_of(1.75, "walk", NULL, 0), *jump = motion_of(1.75, "jump", NULL, 0);
    assert_smooth(walk, 150);
    assert_smooth(jump, 400);
    ruga_motion_destroy(walk);
    ruga_motion_destroy(jump);
}

static void walking_feet_stay_on_the_ground(void **state) {
    (void)state;
    ruga_motion *walk = motion_of(1.75, "walk", NULL, 0);
    vec3 *positions = room();
    double end = ruga_motion_get_info(walk).end;
    for (int k = 0; k <= 100; k++) {
        double low = lowest(sample(walk, end * k / 100, positions));
        assert_near_case(low, 0, 0.012, "lowest point, m, at %g s", end * k / 100);
    }
    free(positions);
    ruga_motion_destroy(walk);
}

/* Between heel strike and heel lift the sole of the left foot does not move at all. */
static void a_foot_that_stands_does_not_slip(void **state) {
    (void)state;
    ruga_motion *walk = motion_of(1.75, "walk", "cycles", 4);
    vec3 *first = room(), *later = room();
    sample(walk, 1.1 * (1.45 + 0.13), first);
    sample(walk, 1.1 * (1.45 + 0.27), later);
    size_t soles = 0;
    for (size_t i = 0; i < body->vertex_count; i++) {
        if (body->positions[i].y > 0.01 || body->positions[i].x < 0) continue;
        assert_less_case(vec3_distance(first[i], later[i]), 0.002, "i %zu", i);
        soles++;
    }
    assert_less(20, soles);
    free(first);
    free(later);
    ruga_motion_destroy(walk);
}

/* In place the feet move back as fast as the body would move; the last frame of a steady walk is its first. */
static void a_steady_walk_in_place_is_a_cycle(void **state) {
    (void)state;
    const double values[] = {1.2, 0.5, 1, 14, 0, 1};
    ruga_motion *walk = NULL;
    assert_ok(context, ruga_model_motion(context, "mannequin", NULL, "walk", values, &walk));
    vec3 *first = room(), *later = room();
    sample(walk, 0, first);
    sample(walk, 1.2, later);
    assert_less(largest_distance(first, later, vec3_make(0, 0, 0)), 1e-9);
    assert_less(0.2, largest_distance(first, sample(walk, 0.6, later), vec3_make(0, 0, 0)));
    free(first);
    free(later);
    ruga_motion_destroy(walk);
}

static void a_longer_walk_goes_further_by_whole_strides(void **state) {
    (void)state;
    vec3 *positions = room();
    double distance[2];
    for (int k = 0; k < 2; k++) {
        ruga_motion *walk = motion_of(1.75, "walk", "cycles", k ? 5 : 2);
        distance[k] = sample(walk, 1e9, positions)[0].z - body->positions[0].z;
        ruga_motion_destroy(walk);
    }
    assert_near(distance[1] - distance[0], 3 * 0.56 * 1.75, 0.002);
    free(positions);
}

static size_t top_vertex(void) {
    size_t top = 0;
    for (size_t i = 0; i < body->vertex_count; i++)
        if (body->positions[i].y > body->positions[top].y) top = i;
    return top;
}

/* The head's height at three times around the highest point, for any height of the body. */
static void in_the_air_the_body_falls_by_gravity(void **state) {
    (void)state;
    static const double heights[] = {1.75, 3.5, 0.9};
    vec3 *positions = room();
    size_t head = top_vertex();
    for (int h = 0; h < 3; h++) {
        ruga_motion *jump = motion_of(heights[h], "jump", NULL, 0);
        double end = ruga_motion_get_info(jump).end, apex = 0, highest = 0;
        for (double t = 0; t < end; t += end / 250) {
            double y = sample(jump, t, positions)[head].y;
            if (y > highest) highest = y, apex = t;
        }
        const double step = 0.1;
        double y[3];
        for (int k = 0; k < 3; k++) y[k] = sample(jump, apex + (k - 1) * step, positions)[head].y;
        assert_less_case(fabs((y[0] + y[2] - 2 * y[1]) / (step * step) + 9.81), 1e-6, "h %d", h);
        assert_near_case(highest - heights[h], 0.28, 0.01 * heights[h], "h %d", h);
        assert_less_case(0.2, lowest(sample(jump, apex, positions)), "h %d", h);
        ruga_motion_destroy(jump);
    }
    free(positions);
}

static void no_pose_intersects_itself(void **state) {
    (void)state;
    skip_when_sanitized();
    ruga_motion *motions[] = {motion_of(1.75, "walk", NULL, 0), motion_of(1.75, "walk", "arms", 7),
                              motion_of(1.75, "jump", NULL, 0)};
    vec3 *positions = room();
    for (size_t m = 0; m < sizeof motions / sizeof *motions; m++) {
        double end = ruga_motion_get_info(motions[m]).end;
        for (int k = 0; k < 24; k++) {
            sample(motions[m], end * k / 24, positions);
            size_t found = intersections(body->vertex_count, positions, body->triangle_count, body->triangles);
            fail_if(found, "motion %zu: %zu intersections at %g s", m, found, end * k / 24);
        }
        ruga_motion_destroy(motions[m]);
    }
    free(positions);
}

static void the_number_of_threads_changes_no_bit(void **state) {
    (void)state;
    ruga_context *alone = context_plain(1);
    ruga_mesh *mesh = NULL;
    assert_ok(alone, ruga_model_make(alone, "mannequin", NULL, &mesh));
    assert_int_equal(mesh->vertex_count, body->vertex_count);
    assert_memory_equal(mesh->positions, body->positions, body->vertex_count * sizeof(vec3));
    assert_memory_equal(mesh->triangles, body->triangles, 3 * body->triangle_count * sizeof(uint32_t));
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(alone);
}

static void models_without_actions_are_named(void **state) {
    (void)state;
    ruga_motion *motion = NULL;
    assert_status(ruga_model_motion(context, "disc", NULL, "walk", NULL, &motion), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "disc");
    assert_status(ruga_model_motion(context, "mannequin", NULL, "fly", NULL, &motion), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "fly");
    const double bad[] = {-1, 0, 0};
    assert_status(ruga_model_motion(context, "mannequin", NULL, "jump", bad, &motion), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "height is -1");
    assert_status(ruga_model_motion(context, "mannequin", bad, "jump", NULL, &motion), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_model_motion(context, NULL, NULL, "jump", NULL, &motion), RUGA_ERROR_ARGUMENT);
    assert_null(motion);
    assert_true(ruga_model_can_act("mannequin") && !ruga_model_can_act("disc") && !ruga_model_can_act(NULL));
}

static ruga_status make_motion(ruga_context *used, void *user) {
    (void)user;
    static const double values[] = {1.75, 60, 30};
    ruga_motion *motion = NULL;
    TRY(ruga_model_motion(used, "mannequin", values, "walk", NULL, &motion));
    ruga_motion_destroy(motion);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(8, assert_every_allocation_may_fail(make_motion, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_one_closed_body_with_the_volume_and_the_size_of_a_human),
        cmocka_unit_test(it_is_its_own_mirror_image),
        cmocka_unit_test(twice_the_height_is_twice_of_all),
        cmocka_unit_test(its_triangles_are_not_slivers),
        cmocka_unit_test(it_does_not_intersect_itself_whatever_its_arms_and_cells),
        cmocka_unit_test(the_skirt_fits_with_a_gap),
        cmocka_unit_test(motions_start_and_end_as_the_mesh_stands),
        cmocka_unit_test(velocities_are_continuous),
        cmocka_unit_test(walking_feet_stay_on_the_ground),
        cmocka_unit_test(a_foot_that_stands_does_not_slip),
        cmocka_unit_test(a_steady_walk_in_place_is_a_cycle),
        cmocka_unit_test(a_longer_walk_goes_further_by_whole_strides),
        cmocka_unit_test(in_the_air_the_body_falls_by_gravity),
        cmocka_unit_test(no_pose_intersects_itself),
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(models_without_actions_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
