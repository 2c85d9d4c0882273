/* Pleats: isometric, closed but for the gap, and with the counts of the paper. */
#include "geom/pleats.h"

#include <math.h>

#include "math/vec3.h"
#include "ruga/model.h"
#include "support/support.h"

static ruga_mesh *annulus(ruga_context *context, double rings, double sectors) {
    ruga_mesh *mesh = NULL;
    const double values[] = {0.355, 0.8, 330, rings, sectors, 0};
    assert_ok(context, ruga_model_make(context, "annulus", values, &mesh));
    return mesh;
}

static void assert_folded(ruga_context *context, const pleats_def *def, size_t creases) {
    ruga_mesh *mesh = annulus(context, 6, 300);
    pleats p;
    assert_ok(context, pleats_make(context, mesh->positions, mesh->vertex_count, def, &p));
    assert_int_equal(p.count, creases);
    /* Within a piece distances do not change, and creases turn by their fold vectors. */
    for (size_t i = 0; i <= p.count; i++) {
        assert_less(p.angles[i], p.angles[i + 1]);
        assert_near(acos(vec3_dot(p.rays[i], p.rays[i + 1])), p.angles[i + 1] - p.angles[i], 1e-9);
    }
    int signs[2] = {0, 0};
    for (size_t i = 0; i < p.count; i++) {
        double angle = pleats_angle(&p, i);
        assert_near(vec3_length(pleats_vector(&p, i)), 2 * sin(fabs(angle) / 2), 1e-9);
        assert_less(def->oval == 1 ? 2 : 1, fabs(angle)); /* nearly flat */
        signs[angle > 0]++;
    }
    assert_at_most(abs(signs[0] - signs[1]), 1);
    /* Both ends are as far apart as was asked for, at the waist. */
    vec3 first = pleats_fold(&p, (vec3){p.inner, 0, 0});
    vec3 last = pleats_fold(&p, (vec3){p.inner * cos(p.sector), 0, -p.inner * sin(p.sector)});
    assert_near(vec3_distance(first, last), def->gap, 0.15 * def->gap);
    pleats_release(&p);
    ruga_mesh_destroy(mesh);
}

static void knife_pleats_fold_without_strain_and_close(void **state) {
    assert_folded(*state, &(pleats_def){0, 30, 0.01, 0.01, 1}, 60);
    assert_folded(*state, &(pleats_def){0, 16, 0.02, 0.001, 1}, 32);
}

static void box_pleats_fold_without_strain_and_close(void **state) {
    assert_folded(*state, &(pleats_def){1, 35, 0.005, 0.005, 1}, 139);
    assert_folded(*state, &(pleats_def){1, 12, 0.01, 0.005, 1}, 47);
}

/* A waist that is not round: without strain, too, closed, and with the axes of the ellipse. */
static void pleats_fold_around_an_oval_waist(void **state) {
    const pleats_def box = {1, 35, 0.005, 0.001, 0.75}, knife = {0, 30, 0.01, 0.001, 1.2};
    assert_folded(*state, &box, 139);
    assert_folded(*state, &knife, 60);
    ruga_mesh *mesh = annulus(*state, 6, 300);
    pleats p;
    double most[2] = {0, 0};
    assert_ok(*state, pleats_make(*state, mesh->positions, mesh->vertex_count, &box, &p));
    for (size_t i = 0; i < p.count; i++) {
        double ray[2] = {fabs(p.rays[i].x / p.rays[i].y), fabs(p.rays[i].z / p.rays[i].y)};
        for (int k = 0; k < 2; k++) most[k] = fmax(most[k], ray[k]);
    }
    assert_near(most[1] / most[0], 0.75, 0.01);
    pleats_release(&p);
    ruga_mesh_destroy(mesh);
}

/* From one crease to the next the cone may widen or narrow by much of a pleat: a fixed-point search finds no crease. */
static void wide_pleats_close_around_narrow_ovals(void **state) {
    assert_folded(*state, &(pleats_def){0, 20, 0.015, 0.001, 0.8}, 40);
    assert_folded(*state, &(pleats_def){0, 40, 0.006, 0.001, 0.5}, 80);
    assert_folded(*state, &(pleats_def){0, 40, 0.006, 0.001, 2}, 80);
    assert_folded(*state, &(pleats_def){1, 35, 0.005, 0.005, 0.3}, 139);
    assert_folded(*state, &(pleats_def){1, 20, 0.006, 0.001, 3}, 79);
    ruga_mesh *mesh = annulus(*state, 6, 300);
    pleats p; /* closes, but some of its creases are turned over */
    assert_status(pleats_make(*state, mesh->positions, mesh->vertex_count, &(pleats_def){0, 20, 0.015, 0.001, 0.5}, &p),
                  RUGA_ERROR_INPUT);
    assert_message_has(*state, "pass through each other; take more depth");
    pleats_release(&p);
    ruga_mesh_destroy(mesh);
}

static void pleats_that_do_not_close_are_refused(void **state) {
    ruga_mesh *mesh = annulus(*state, 2, 12);
    pleats p;
    assert_status(pleats_make(*state, mesh->positions, mesh->vertex_count, &(pleats_def){0, 30, 0.1, 0.01, 1}, &p),
                  RUGA_ERROR_INPUT);
    assert_message_has(*state, "fewer pleats");
    pleats_release(&p);
    assert_status(pleats_make(*state, mesh->positions, mesh->vertex_count, &(pleats_def){0, 12, 0.02, 0.001, 1}, &p),
                  RUGA_ERROR_INPUT);
    assert_message_has(*state, "pass through each other; take more depth");
    pleats_release(&p);
    vec3 *raised = (vec3 *)(uintptr_t)mesh->positions;
    raised[0].y = 1;
    assert_status(pleats_make(*state, mesh->positions, mesh->vertex_count, &(pleats_def){0, 30, 0.01, 0.01, 1}, &p),
                  RUGA_ERROR_INPUT);
    assert_message_has(*state, "flat sector");
    pleats_release(&p);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knife_pleats_fold_without_strain_and_close),
        cmocka_unit_test(box_pleats_fold_without_strain_and_close),
        cmocka_unit_test(pleats_fold_around_an_oval_waist),
        cmocka_unit_test(wide_pleats_close_around_narrow_ovals),
        cmocka_unit_test(pleats_that_do_not_close_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
