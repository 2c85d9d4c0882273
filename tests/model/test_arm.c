/* The arm: its shape against that of a real arm, its motion against skinning theory. */
#include <math.h>

#include "geom/intersections.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "model/model.h"
#include "support/support.h"

static ruga_context *context;
static ruga_mesh *arm;       /* with default values */
static vec3 *before, *bent;  /* (vertex_count) scratch */
static const float *forearm; /* (vertex_count) its attribute */

static const float *values_of(const ruga_mesh *mesh, const char *name) {
    const ruga_attribute *found = ruga_mesh_attribute(mesh, name, RUGA_DOMAIN_VERTEX);
    assert_non_null(found);
    assert_true(found->type == RUGA_F32 && found->components == 1);
    return found->values;
}

static int set_up(void **state) {
    (void)state;
    context = context_plain(2);
    assert_ok(context, ruga_model_make(context, "arm", NULL, &arm));
    before = malloc(arm->vertex_count * sizeof *before);
    bent = malloc(arm->vertex_count * sizeof *bent);
    assert_true(before && bent);
    forearm = values_of(arm, "forearm");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    free(before);
    free(bent);
    ruga_mesh_destroy(arm);
    ruga_context_destroy(context);
    return 0;
}

/* The default arm at its largest bend, in 2 s. */
static void bend(double angle, double volume) {
    const double values[] = {angle, 2, 1, volume};
    ruga_motion *motion = NULL;
    assert_ok(context, ruga_model_motion(context, "arm", NULL, "bend", values, &motion));
    assert_ok(context, ruga_motion_sample(motion, 1, bent));
    ruga_motion_destroy(motion);
}

static vec3 turned(vec3 p, double degrees) {
    double angle = degrees * (3.14159265358979323846 / 180), c = cos(angle), s = sin(angle);
    return vec3_make(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
}

static void it_is_one_closed_body_with_the_size_of_an_arm(void **state) {
    (void)state;
    ruga_mesh_summary summary;
    assert_ok(context, ruga_mesh_summarise(arm, &summary));
    assert_true(summary.closed && summary.manifold && summary.oriented && summary.components == 1);
    assert_in_range(arm->triangle_count, 1900, 2100);
    assert_near(summary.high.x - summary.low.x, 0.66, 1e-12);
    assert_less(2.5e-3, summary.volume);
    assert_less(summary.volume, 4e-3); /* arm and hand: 5 % of 70 kg of about water */
    assert_less(summary.low.x, 0);
    assert_less(-summary.low.x, summary.high.x); /* the elbow is at 0, the forearm's side longer */
}

/* UVs of its faces: u runs around, v along the arm. */
static void uvs_go_around_and_along(void **state) {
    (void)state;
    const ruga_attribute *uv = ruga_mesh_attribute(arm, "uv", RUGA_DOMAIN_CORNER);
    assert_non_null(uv);
    const float *values = uv->values;
    for (size_t t = 0; t < arm->triangle_count; t++) {
        double low = 2, high = -1;
        for (size_t k = 0; k < 3; k++) {
            size_t corner = 3 * t + k, at = uv->indices ? uv->indices[corner] : corner;
            low = fmin(low, values[2 * at]);
            high = fmax(high, values[2 * at]);
            double along = (arm->positions[arm->triangles[corner]].x + 0.3) / 0.66;
            assert_near_case(values[2 * at + 1], along, 0.06, "t %zu, k %zu", t, k);
        }
        assert_at_most_case(0, low, "t %zu", t);
        assert_at_most_case(high, 1, "t %zu", t);
        assert_less_case(high - low, 1.0 / 23, "t %zu", t); /* no triangle goes back over the seam */
    }
}

static void weights_rise_smoothly_from_the_upper_arm_to_the_forearm(void **state) {
    (void)state;
    const float *elbow = values_of(arm, "elbow");
    size_t upper = 0, lower = 0, outside = 0, middle = 0;
    for (size_t i = 0; i < arm->vertex_count; i++) {
        double x = arm->positions[i].x;
        assert_at_most_case(0, forearm[i], "i %zu", i);
        assert_at_most_case(forearm[i], 1, "i %zu", i);
        assert_at_most_case(0, elbow[i], "i %zu", i);
        assert_at_most_case(elbow[i], 1, "i %zu", i);
        if (x < -0.07) {
            upper++;
            assert_equal_case(forearm[i], 0, "i %zu", i);
        } else if (x > 0.07) {
            lower++;
            assert_equal_case(forearm[i], 1, "i %zu", i);
        } else if (fabs(x) < 0.01) {
            middle++;
            assert_near_case(forearm[i], 0.5, 1.876 / (0.21 * 0.66) * fabs(x) + 1e-5, "i %zu", i);
            assert_less_case(0.49, elbow[i], "i %zu", i);
        }
        if (fabs(x) > 0.105) {
            outside++;
            assert_equal_case(elbow[i], 0, "i %zu", i);
        }
        for (size_t k = 0; k < arm->vertex_count; k += 37) /* the steepest is 15/8 over the width of the blend */
            assert_near_case(forearm[i], forearm[k], 1.876 / (0.21 * 0.66) * fabs(x - arm->positions[k].x) + 1e-5,
                             "i %zu, k %zu", i, k);
    }
    assert_ran(upper, 100);
    assert_ran(lower, 100);
    assert_ran(outside, 100);
    assert_ran(middle, 1);
}

static void each_bone_moves_its_own_vertices_rigidly(void **state) {
    (void)state;
    size_t upper = 0, lower = 0;
    for (int k = 0; k < 3; k++) {
        double angle = 50.0 * (k + 1);
        bend(angle, 0.5 * k);
        for (size_t i = 0; i < arm->vertex_count; i++) {
            vec3 p = arm->positions[i];
            if (forearm[i] == 0) {
                upper++;
                assert_less_case(vec3_distance(bent[i], p), 1e-12, "k %d, i %zu", k, i);
            } else if (forearm[i] == 1) {
                lower++;
                assert_less_case(vec3_distance(bent[i], turned(p, angle)), 1e-12, "k %d, i %zu", k, i);
            }
        }
    }
    assert_ran(upper, 300);
    assert_ran(lower, 300);
}

/* With linear blending the points where both bones have the same weight approach the axis by cos(angle / 2). */
static void volume_is_kept_or_lost_as_the_blend_has_it(void **state) {
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        bend(100, keeps);
        for (size_t i = 0; i < arm->vertex_count; i++) {
            vec3 p = arm->positions[i];
            double rest = hypot(p.x, p.y), now = hypot(bent[i].x, bent[i].y), w = forearm[i];
            double angle = 100 * 3.14159265358979323846 / 180;
            double linear = rest * sqrt((1 - w) * (1 - w) + w * w + 2 * w * (1 - w) * cos(angle));
            assert_near_case(now, keeps ? rest : linear, 1e-8, "keeps %d, i %zu", keeps, i);
            assert_equal_case(bent[i].z, p.z, "keeps %d, i %zu", keeps, i);
        }
    }
}

/* The skin is compressed inside the elbow and stretched outside, which causes wrinkles. */
static void the_inner_side_is_compressed_and_the_outer_stretched(void **state) {
    (void)state;
    double least = 1, most = 1;
    bend(100, 1);
    for (size_t c = 0; c < 3 * arm->triangle_count; c++) {
        size_t a = arm->triangles[c], b = arm->triangles[c - c % 3 + (c + 1) % 3];
        vec3 rest = vec3_sub(arm->positions[b], arm->positions[a]);
        double ratio = vec3_distance(bent[b], bent[a]) / vec3_length(rest);
        if (arm->positions[a].y > 0.025 && fabs(rest.x) > 0.01) least = fmin(least, ratio);
        if (arm->positions[a].y < -0.025) most = fmax(most, ratio);
    }
    assert_less(0.1, least);
    assert_less(least, 0.5);
    assert_less(1.4, most);
    assert_less(most, 2.2);
}

static void it_does_not_intersect_itself_up_to_a_hundred_degrees(void **state) {
    (void)state;
    for (int k = 0; k <= 7; k++) {
        bend(k < 7 ? 16.5 * k : 135, 1);
        intersection_array found = {0};
        assert_ok(context, intersections_find(context, arm->vertex_count, bent, arm->triangle_count, arm->triangles,
                                              NULL, NULL, &found));
        if (k < 7)
            assert_equal_case(found.count, 0, "k %d", k);
        else
            assert_less(0, found.count);
        ARRAY_RELEASE(context, &found);
    }
}

static void the_motion_starts_and_ends_straight_and_is_smooth(void **state) {
    (void)state;
    const double values[] = {90, 3, 2, 1};
    ruga_motion *motion = NULL;
    assert_ok(context, ruga_model_motion(context, "arm", NULL, "bend", values, &motion));
    ruga_motion_info info = ruga_motion_get_info(motion);
    assert_equal(info.start, 0);
    assert_equal(info.end, 6);
    assert_true(info.vertex_count == arm->vertex_count);
    for (int cycle = 0; cycle < 3; cycle++) {
        assert_ok(context, ruga_motion_sample(motion, 3 * cycle, bent));
        for (size_t i = 0; i < arm->vertex_count; i++)
            assert_less_case(vec3_distance(bent[i], arm->positions[i]), 1e-12, "cycle %d, i %zu", cycle, i);
    }
    /* The fist, 0.36 m from the elbow, is never faster than half the angle times the frequency says. */
    assert_ok(context, ruga_motion_sample(motion, 0, before));
    for (double time = 0.01; time < 3; time += 0.01) {
        assert_ok(context, ruga_motion_sample(motion, time, bent));
        for (size_t i = 0; i < arm->vertex_count; i++)
            assert_less_case(vec3_distance(bent[i], before[i]), 0.01 * 0.37 * (1.5708 / 2) * (6.2832 / 3), "i %zu", i);
        memcpy(before, bent, arm->vertex_count * sizeof *bent);
    }
    ruga_motion_destroy(motion);
}

static void twice_the_length_is_twice_of_all(void **state) {
    (void)state;
    const double values[] = {1.32, 43, 24, 0.21}, action[] = {100, 2, 1, 1};
    ruga_mesh *giant = NULL;
    ruga_motion *motion = NULL;
    assert_ok(context, ruga_model_make(context, "arm", values, &giant));
    assert_ok(context, ruga_model_motion(context, "arm", values, "bend", action, &motion));
    assert_ok(context, ruga_motion_sample(motion, 1, before));
    bend(100, 1);
    for (size_t i = 0; i < arm->vertex_count; i++) {
        assert_less_case(vec3_distance(giant->positions[i], vec3_scale(arm->positions[i], 2)), 1e-12, "i %zu", i);
        assert_less_case(vec3_distance(before[i], vec3_scale(bent[i], 2)), 1e-12, "i %zu", i);
    }
    assert_memory_equal(values_of(giant, "forearm"), forearm, arm->vertex_count * sizeof *forearm);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(giant);
}

static void each_model_has_its_own_actions(void **state) {
    (void)state;
    ruga_motion *motion = NULL;
    assert_status(ruga_model_motion(context, "arm", NULL, "walk", NULL, &motion), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "arm has no action 'walk'");
    assert_status(ruga_model_motion(context, "mannequin", NULL, "bend", NULL, &motion), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "mannequin has no action 'bend'");
    const double far[] = {200, 2, 1, 1};
    assert_status(ruga_model_motion(context, "arm", NULL, "bend", far, &motion), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "angle is 200");
    assert_null(motion);
    assert_true(ruga_model_can_act("arm"));
    for (size_t i = 0; i < ruga_action_count(); i++) assert_true(ruga_model_can_act(ruga_action_actor(i)));
    assert_null(ruga_action_actor(ruga_action_count()));
}

static ruga_status make_all(ruga_context *used, void *user) {
    (void)user;
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    TRY(ruga_model_make(used, "arm", NULL, &mesh));
    ruga_mesh_destroy(mesh);
    TRY(ruga_model_motion(used, "arm", NULL, "bend", NULL, &motion));
    ruga_motion_destroy(motion);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(8, assert_every_allocation_may_fail(make_all, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_one_closed_body_with_the_size_of_an_arm),
        cmocka_unit_test(uvs_go_around_and_along),
        cmocka_unit_test(weights_rise_smoothly_from_the_upper_arm_to_the_forearm),
        cmocka_unit_test(each_bone_moves_its_own_vertices_rigidly),
        cmocka_unit_test(volume_is_kept_or_lost_as_the_blend_has_it),
        cmocka_unit_test(the_inner_side_is_compressed_and_the_outer_stretched),
        cmocka_unit_test(it_does_not_intersect_itself_up_to_a_hundred_degrees),
        cmocka_unit_test(the_motion_starts_and_ends_straight_and_is_smooth),
        cmocka_unit_test(twice_the_length_is_twice_of_all),
        cmocka_unit_test(each_model_has_its_own_actions),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
