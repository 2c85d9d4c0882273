/* Contact of the skin with surfaces of other objects, which move: a ball that is pressed into a sheet. */
#include <math.h>

#include "energy/sheets.h"
#include "geom/intersections.h"
#include "support/support.h"
#include "wrinkle/embedded_shell.h"

/* A skin of 2 mm whose waves are 3.8 cm long, with 8 edges a wave, 11 cm wide; and a ball of 2 cm. */
enum { SIDE = 24, POINTS = (SIDE + 1) * (SIDE + 1), MOST = 2000 };
#define RADIUS 0.02

typedef struct pressed {
    ruga_mesh *mesh, *ball;
    ruga_embedded_shell *shell;
    vec3 middle; /* of the sheet */
    vec3 places[MOST];
    vec3 carrier[POINTS];
} pressed;

static ruga_embedded_shell *make_shell(const ruga_mesh *mesh) {
    const ruga_skin leather = ruga_skin_preset_get(0)->skin;
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    ruga_embedded_shell *shell = NULL;
    def.thickness = ruga_param_constant(leather.thickness);
    def.stiffness = ruga_param_constant(leather.stiffness);
    def.interior_stiffness = ruga_param_constant(leather.interior_stiffness);
    def.tolerance = 1e-3;
    assert_ok(mesh->context, ruga_embedded_shell_create(mesh, &def, &shell));
    return shell;
}

static pressed make_pressed(ruga_context *context) {
    const ruga_skin leather = ruga_skin_preset_get(0)->skin;
    const double edge = ruga_skin_wavelength(&leather) / 8, ball[] = {RADIUS, 8};
    pressed p = {.mesh = quad_sheet(context, SIDE, SIDE, edge, edge)};
    assert_ok(context, ruga_model_make(context, "sphere", ball, &p.ball));
    assert_at_most(p.ball->vertex_count, MOST);
    p.shell = make_shell(p.mesh);
    p.middle = vec3_scale(vec3_add(p.mesh->positions[0], p.mesh->positions[POINTS - 1]), 0.5);
    return p;
}

static void release(pressed *p) {
    ruga_embedded_shell_destroy(p->shell);
    ruga_mesh_destroy(p->mesh);
    ruga_mesh_destroy(p->ball);
}

/* The lowest point of the ball at a height above the sheet's middle; everything moved by some vector. */
static void place_ball(pressed *p, double height, vec3 by) {
    const vec3 at = vec3_add(vec3_add(p->middle, by), (vec3){0.0007, height + RADIUS, 0.0004});
    for (size_t v = 0; v < p->ball->vertex_count; v++) p->places[v] = vec3_add(p->ball->positions[v], at);
    for (size_t v = 0; v < POINTS; v++) p->carrier[v] = vec3_add(p->mesh->positions[v], by);
}

static void update(pressed *p, ruga_embedded_shell *shell) {
    const ruga_shell_surface ball = {p->ball, p->places};
    assert_ok(p->mesh->context, ruga_embedded_shell_set_surfaces(shell, &ball, 1));
    assert_status(ruga_embedded_shell_update(shell, p->carrier), RUGA_OK);
}

/* Pairs of triangles, of the skin and of the ball, that intersect. */
static size_t count_intersections(const pressed *p) {
    const size_t skin = p->mesh->triangle_count, count = skin + p->ball->triangle_count;
    vec3 *places = calloc(POINTS + p->ball->vertex_count, sizeof *places);
    uint32_t *triangles = calloc(3 * count, sizeof *triangles);
    intersection_array found = {0};
    memcpy(places, p->shell->x, POINTS * sizeof *places);
    memcpy(places + POINTS, p->places, p->ball->vertex_count * sizeof *places);
    memcpy(triangles, p->mesh->triangles, 3 * skin * sizeof *triangles);
    for (size_t k = 0; k < 3 * p->ball->triangle_count; k++) triangles[3 * skin + k] = POINTS + p->ball->triangles[k];
    assert_ok(p->mesh->context, intersections_find(p->mesh->context, POINTS + p->ball->vertex_count, places, count,
                                                   triangles, NULL, NULL, &found));
    const size_t all = found.count;
    ARRAY_RELEASE(p->mesh->context, &found);
    free(places);
    free(triangles);
    return all;
}

static double lowest(const pressed *p) {
    double low = INFINITY;
    for (size_t v = 0; v < POINTS; v++) low = fmin(low, p->shell->x[v].y - p->middle.y);
    return low;
}

/* ---- Laws. */

static void forces_of_a_surface_are_minus_the_derivative(void **state) {
    pressed p = make_pressed(*state);
    static vec3 gradient[POINTS];
    double largest = 0, error = 0;
    place_ball(&p, 0.0008, (vec3){0, 0, 0});
    const ruga_shell_surface ball = {p.ball, p.places};
    assert_ok(*state, ruga_embedded_shell_set_surfaces(p.shell, &ball, 1));
    vec3 *x = p.shell->x;
    memset(gradient, 0, sizeof gradient);
    assert_less(0, shell_contact_gradient(p.shell, x, gradient));
    for (size_t i = 0; i < POINTS; i++) largest = fmax(largest, vec3_length(gradient[i]));
    assert_less(0, largest);
    for (size_t i = 0; i < POINTS; i += SANITIZED ? 7 : 1)
        for (int axis = 0; axis < 3; axis++) {
            double *at = &(&x[i].x)[axis], kept = *at, ends[2];
            for (int k = 0; k < 2; k++) {
                *at = kept + (k ? 1e-9 : -1e-9);
                ends[k] = shell_contact_energy(p.shell, x);
            }
            *at = kept;
            error = fmax(error, fabs((ends[1] - ends[0]) / 2e-9 - (&gradient[i].x)[axis]));
        }
    assert_less(error, 1e-5 * largest);
    release(&p);
}

/* By three quarters of a thickness a frame, 7 mm deep: the skin is dented, and nothing intersects.
 * When the ball is gone, the skin is flat again, up to the tolerance. */
static void a_ball_that_is_pressed_into_a_skin_never_passes_it(void **state) {
    skip_when_sanitized();
    pressed p = make_pressed(*state);
    for (int k = 0; k <= 6; k++) {
        place_ball(&p, 0.002 - 0.0015 * k, (vec3){0, 0, 0});
        update(&p, p.shell);
        const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(p.shell);
        assert_int_equal(count_intersections(&p), 0);
        assert_int_equal(r.passing_vertices, 0);
        assert_null(r.stalled);
        assert_less(lowest(&p), fmin(1e-9, 0.002 - 0.0015 * k));
    }
    assert_less(0, (double)ruga_embedded_shell_get_report(p.shell).contacts);
    place_ball(&p, 0.05, (vec3){0, 0, 0});
    update(&p, p.shell);
    assert_int_equal(count_intersections(&p), 0);
    assert_int_equal(ruga_embedded_shell_get_report(p.shell).yielding_clusters, 0);
    assert_less(-3e-4, lowest(&p));
    release(&p);
}

/* 20 cm in one frame is too far: the vertices that it passes are counted. Without a jump they are none. */
static void a_ball_that_jumps_through_the_skin_is_reported(void **state) {
    skip_unless_long();
    pressed p = make_pressed(*state);
    place_ball(&p, 0.1, (vec3){0, 0, 0});
    update(&p, p.shell);
    update(&p, p.shell);
    assert_int_equal(ruga_embedded_shell_get_report(p.shell).passing_vertices, 0);
    place_ball(&p, -0.1 - 2 * RADIUS, (vec3){0, 0, 0});
    for (size_t v = 0; v < POINTS; v++) p.carrier[v].x *= 1 - 1e-4; /* the skin is not fresh */
    update(&p, p.shell);
    place_ball(&p, 0.1, (vec3){0, 0, 0});
    update(&p, p.shell);
    assert_less(0, (double)ruga_embedded_shell_get_report(p.shell).passing_vertices);
    assert_null(ruga_embedded_shell_get_report(p.shell).stalled);
    release(&p);
}

/* A body and an object that move together, far, need no substeps and no passing. */
static void what_moves_with_the_body_does_not_pass(void **state) {
    pressed p = make_pressed(*state);
    place_ball(&p, 0.0005, (vec3){0, 0, 0});
    update(&p, p.shell);
    for (int k = 1; k < 4; k++) {
        place_ball(&p, 0.0005, (vec3){0.3 * k, 0.2 * k, -0.4 * k});
        update(&p, p.shell);
        const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(p.shell);
        assert_int_equal(count_intersections(&p), 0);
        assert_int_equal(r.passing_vertices, 0);
        assert_int_equal(r.substeps, 1);
    }
    release(&p);
}

static void a_restart_knows_where_the_surfaces_were(void **state) {
    skip_when_sanitized();
    pressed p = make_pressed(*state);
    ruga_embedded_shell *other = make_shell(p.mesh);
    void *bytes = NULL;
    size_t size;
    for (int k = 0; k < 5; k++) {
        place_ball(&p, 0.002 - 0.0015 * k, (vec3){0, 0, 0});
        if (k == 3) {
            assert_ok(*state, ruga_embedded_shell_save(p.shell, &bytes, &size));
            assert_ok(*state, ruga_embedded_shell_load(other, bytes, size));
            ruga_free(*state, bytes);
        }
        update(&p, p.shell);
        if (k < 3) continue;
        update(&p, other);
        assert_memory_equal(p.shell->x, other->x, POINTS * sizeof *other->x);
    }
    ruga_embedded_shell_destroy(other);
    release(&p);
}

static void a_surface_that_is_not_finite_is_an_error(void **state) {
    pressed p = make_pressed(*state);
    place_ball(&p, 0.01, (vec3){0, 0, 0});
    p.places[7].y = NAN;
    const ruga_shell_surface ball = {p.ball, p.places};
    assert_status(ruga_embedded_shell_set_surfaces(p.shell, &ball, 1), RUGA_ERROR_INPUT);
    release(&p);
}

static int set_up(void **state) {
    *state = context_plain(2);
    return 0;
}

static int tear_down(void **state) {
    ruga_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_a_surface_are_minus_the_derivative),
        cmocka_unit_test(a_ball_that_is_pressed_into_a_skin_never_passes_it),
        cmocka_unit_test(a_ball_that_jumps_through_the_skin_is_reported),
        cmocka_unit_test(what_moves_with_the_body_does_not_pass),
        cmocka_unit_test(a_restart_knows_where_the_surfaces_were),
        cmocka_unit_test(a_surface_that_is_not_finite_is_an_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
