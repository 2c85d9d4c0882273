/* Wrinkle meshes: the laws of an update, whatever solver it has. */
#include "wrinkle_mesh_support.h"

/* All solvers and terms. */
typedef struct method {
    const char *name;
    ruga_wrinkle_solver solver;
    int reference;
    double wavelength;
    ruga_wrinkle_bend bend;
} method;

static const method methods[] = {{"projection", RUGA_WRINKLE_PROJECTION, 0, 0, RUGA_WRINKLE_BEND_OPPOSITE},
                                 {"plain projection", RUGA_WRINKLE_PROJECTION, 1, 0, RUGA_WRINKLE_BEND_OPPOSITE},
                                 {"projection, dihedral", RUGA_WRINKLE_PROJECTION, 0, 0, RUGA_WRINKLE_BEND_DIHEDRAL},
                                 {"compliant", RUGA_WRINKLE_COMPLIANT, 0, 0, RUGA_WRINKLE_BEND_OPPOSITE},
                                 {"plain compliant", RUGA_WRINKLE_COMPLIANT, 1, 0, RUGA_WRINKLE_BEND_OPPOSITE},
                                 {"compliant, dihedral", RUGA_WRINKLE_COMPLIANT, 0, 0, RUGA_WRINKLE_BEND_DIHEDRAL},
                                 {"compliant, curvature", RUGA_WRINKLE_COMPLIANT, 0, 0, RUGA_WRINKLE_BEND_CURVATURE},
                                 {"wavelength", RUGA_WRINKLE_COMPLIANT, 0, 0.2, RUGA_WRINKLE_BEND_OPPOSITE},
                                 {"chosen wavelength", RUGA_WRINKLE_COMPLIANT, 0, NAN, RUGA_WRINKLE_BEND_OPPOSITE}};
enum { METHODS = sizeof methods / sizeof *methods };

static ruga_wrinkle_mesh_def def_of(const method *chosen, double pre_stretch) {
    ruga_wrinkle_mesh_def def = def_with(chosen->solver, pre_stretch);
    def.reference = chosen->reference;
    def.wavelength = chosen->wavelength;
    def.bend = chosen->bend;
    return def;
}

static const ruga_wrinkle_surface surfaces[] = {RUGA_WRINKLE_PN, RUGA_WRINKLE_LINEAR, RUGA_WRINKLE_LOOP};

/* ---- At rest. */

static void at_rest_with_pre_stretch_1_offsets_stay_exactly_zero(void **state) {
    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 3; k++) {
            ruga_wrinkle_mesh_def def = def_of(&methods[i], 1);
            def.surface = surfaces[k];
            wrinkled w = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
            for (int frame = 0; frame < 3; frame++) update(w);
            fail_if(rms_offset(w) != 0, "%s moves at rest", methods[i].name);
            wrinkled_release(w);
        }
}

static void a_mesh_off_the_surface_rests_where_it_was_made(void **state) {
    ruga_mesh *base = shape_torus(*state, 16, 12), *fine = shape_torus(*state, 37, 29);
    for (int i = 0; i < METHODS; i++) {
        ruga_wrinkle_mesh_def def = def_of(&methods[i], 1);
        ruga_wrinkle_mesh *mesh = NULL;
        assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
        wrinkled w = wrinkled_on(base, fine, mesh);
        update(w);
        assert_true(rms_offset(w) == 0);
        for (size_t v = 0; v < fine->vertex_count; v++)
            assert_less(vec3_distance(w.positions[v], fine->positions[v]), 1e-6);
        free(w.moved), free(w.positions), free(w.normals);
        ruga_wrinkle_mesh_destroy(mesh);
    }
    ruga_mesh_destroy(base);
    ruga_mesh_destroy(fine);
}

static void below_1_an_undeformed_plane_has_no_wrinkles_and_above_it_does(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    for (int i = 0; i < METHODS; i++) {
        ruga_wrinkle_mesh_def def = def_of(&methods[i], 0.9);
        wrinkled w = wrinkle_regular(shape_sheet(*state, 10, 10), 4, &def);
        for (int frame = 0; frame < 5; frame++) update(w);
        assert_true(greatest_height(w) == 0);
        wrinkled_release(w);

        def = def_of(&methods[i], 1.1);
        w = wrinkle_regular(shape_sheet(*state, 10, 10), 4, &def);
        for (int frame = 0; frame < 20; frame++) update(w);
        fail_if(!(greatest_height(w) > 0.2 * ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius),
                "%s: no wrinkles, heights up to %g m", methods[i].name, greatest_height(w));
        wrinkled_release(w);
    }
}

/* ---- Motion. */

/* Turned about a skew axis and carried away. */
static ruga_vec3 carried(ruga_vec3 p, double angle, double far) {
    const vec3 axis = vec3_normalise(vec3_make(0.3, 1, -0.5));
    vec3 along = vec3_scale(axis, vec3_dot(axis, p)), across = vec3_sub(p, along), side = vec3_cross(axis, across);
    vec3 turned = vec3_add(along, vec3_add(vec3_scale(across, cos(angle)), vec3_scale(side, sin(angle))));
    return vec3_add(turned, vec3_make(far, -2 * far, 0.5 * far));
}

static void carry(wrinkled w, const ruga_vec3 *from, double angle, double far) {
    for (size_t v = 0; v < w.base->vertex_count; v++) w.moved[v] = carried(from[v], angle, far);
}

static void a_rigid_motion_of_the_base_moves_the_result_rigidly(void **state) {
    skip_when_sanitized();
    for (int i = 0; i < METHODS; i++) {
        ruga_wrinkle_mesh_def def = def_of(&methods[i], 1);
        wrinkled still = wrinkle_regular(shape_sheet(*state, 8, 8), 4, &def);
        wrinkled moving = wrinkle_regular(shape_sheet(*state, 8, 8), 4, &def);
        for (int frame = 0; frame < 4; frame++) {
            squeeze(still, 0.85);
            update(still);
            carry(moving, still.moved, 0, 0);
            update(moving);
        }
        carry(moving, still.moved, 2, 1000);
        update(moving);
        update(still);
        double worst = 0, radius = ruga_wrinkle_mesh_get_report(still.mesh).greatest_radius;
        for (size_t v = 0; v < still.fine->vertex_count; v++)
            worst = fmax(worst, vec3_distance(moving.positions[v], carried(still.positions[v], 2, 1000)));
        fail_if(!(worst < 2e-2 * radius), "%s: %g of a radius apart", methods[i].name, worst / radius);
        wrinkled_release(still);
        wrinkled_release(moving);
    }
}

/* Whether an update comes that changes nothing. */
static int update_until_still(wrinkled w, int frames) {
    size_t bytes = w.fine->vertex_count * sizeof *w.positions;
    ruga_vec3 *before = malloc(bytes);
    int same = 0;
    for (update(w); frames > 0 && !same; frames--) {
        memcpy(before, w.positions, bytes);
        update(w);
        same = memcmp(before, w.positions, bytes) == 0;
    }
    free(before);
    return same;
}

static void a_thousand_turns_leave_no_drift(void **state) {
    skip_when_sanitized();
    const int some[] = {0, 3, 7};
    for (int k = 0; k < 3; k++) {
        const int i = some[k];
        ruga_wrinkle_mesh_def def = def_of(&methods[i], 1);
        wrinkled w = wrinkle_regular(shape_sheet(*state, 3, 3), 3, &def);
        squeeze(w, 0.85);
        settle(w, 1e-5, 30000);
        assert_true(update_until_still(w, 20000));
        ruga_vec3 *pose = malloc(w.base->vertex_count * sizeof *pose);
        ruga_vec3 *before = malloc(w.fine->vertex_count * sizeof *before);
        memcpy(pose, w.moved, w.base->vertex_count * sizeof *pose);
        memcpy(before, w.positions, w.fine->vertex_count * sizeof *before);
        for (int turn = 1; turn <= 1000; turn++) {
            carry(w, pose, 2 * PI * turn * 0.381966, 0);
            update(w);
        }
        carry(w, pose, 0, 0);
        update(w);
        double worst = 0, radius = ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius;
        for (size_t v = 0; v < w.fine->vertex_count; v++) worst = fmax(worst, vec3_distance(before[v], w.positions[v]));
        fail_if(!(worst < 1e-2 * radius), "%s: %g of a radius off", methods[i].name, worst / radius);
        free(pose);
        free(before);
        wrinkled_release(w);
    }
}

static void once_settled_the_same_frame_changes_no_bit(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    for (int i = 0; i < METHODS; i++) {
        ruga_wrinkle_mesh_def def = def_of(&methods[i], 1);
        wrinkled w = wrinkle_regular(shape_sheet(*state, 4, 4), 3, &def);
        squeeze(w, 0.85);
        fail_if(!update_until_still(w, 20000), "%s never lies still", methods[i].name);
        assert_less(0, rms_offset(w));
        size_t bytes = w.fine->vertex_count * sizeof *w.positions;
        ruga_vec3 *before = malloc(bytes);
        memcpy(before, w.positions, bytes);
        for (int again = 0; again < 3; again++) {
            update(w);
            assert_memory_equal(before, w.positions, bytes);
        }
        free(before);
        wrinkled_release(w);
    }
}

/* ---- Limits. */

static void no_vertex_leaves_its_radius_or_crosses_its_plane(void **state) {
    for (int i = 0; i < METHODS; i++)
        for (int side = 0; side < 2; side++) {
            ruga_wrinkle_mesh_def def = def_of(&methods[i], 1.05), flat = def;
            def.side = side ? RUGA_WRINKLE_OUTSIDE : RUGA_WRINKLE_BOTH_SIDES;
            wrinkled w = wrinkle_regular(shape_cylinder(*state, 12, 5), 3, &def);
            flat.iterations = 0;
            flat.pre_stretch = ruga_param_constant(1e-3); /* never seeded: the attachment points themselves */
            wrinkled a = wrinkle_regular(shape_cylinder(*state, 12, 5), 3, &flat);
            double radius = ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius;
            for (int frame = 0; frame < 12; frame++) {
                for (size_t v = 0; v < w.base->vertex_count; v++) {
                    ruga_vec3 p = w.base->positions[v];
                    p.y *= 1 - 0.03 * frame;
                    a.moved[v] = w.moved[v] = carried(p, 0.4 * frame, 0.1 * frame);
                }
                update(w);
                update(a);
                for (size_t v = 0; v < w.fine->vertex_count; v++) {
                    vec3 o = vec3_sub(w.positions[v], a.positions[v]);
                    assert_less(vec3_length(o), radius * (1 + 1e-4) + 1e-6);
                    if (side) assert_less(-0.02 * radius, vec3_dot(o, a.normals[v]));
                }
            }
            wrinkled_release(w);
            wrinkled_release(a);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_with_pre_stretch_1_offsets_stay_exactly_zero),
        cmocka_unit_test(a_mesh_off_the_surface_rests_where_it_was_made),
        cmocka_unit_test(below_1_an_undeformed_plane_has_no_wrinkles_and_above_it_does),
        cmocka_unit_test(a_rigid_motion_of_the_base_moves_the_result_rigidly),
        cmocka_unit_test(a_thousand_turns_leave_no_drift),
        cmocka_unit_test(once_settled_the_same_frame_changes_no_bit),
        cmocka_unit_test(no_vertex_leaves_its_radius_or_crosses_its_plane),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
