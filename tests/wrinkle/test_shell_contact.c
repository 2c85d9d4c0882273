/* Contact of the skin in statics: its energy, folds that touch, obstacles, clusters that yield. */
#include "energy/sheets.h"
#include "geom/intersections.h"
#include "support/support.h"
#include "wrinkle/embedded_shell.h"

#define PI 3.14159265358979323846

/* A skin of 2 mm whose waves are 3.8 cm long, with 8 edges a wave. */
enum { SIDE = 40, ACROSS = 6, POINTS = (SIDE + 1) * (ACROSS + 1) };
static vec3 carrier[POINTS];

static ruga_mesh *make_sheet_of(ruga_context *context, size_t side) {
    const ruga_skin leather = ruga_skin_preset_get(0)->skin;
    const double edge = ruga_skin_wavelength(&leather) / 8;
    return quad_sheet(context, side, ACROSS, edge, edge);
}

static ruga_mesh *make_sheet(ruga_context *context) { return make_sheet_of(context, SIDE); }

/* For folds: two waves long under sanitizers. */
static ruga_mesh *make_small_sheet(ruga_context *context) { return make_sheet_of(context, SANITIZED ? 16 : SIDE); }

static ruga_embedded_shell_def leather_def(void) {
    const ruga_skin leather = ruga_skin_preset_get(0)->skin;
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    def.thickness = ruga_param_constant(leather.thickness);
    def.stiffness = ruga_param_constant(leather.stiffness);
    def.interior_stiffness = ruga_param_constant(leather.interior_stiffness);
    def.tolerance = 1e-4;
    return def;
}

static ruga_embedded_shell *make(const ruga_mesh *mesh, const ruga_embedded_shell_def *def) {
    ruga_embedded_shell *shell = NULL;
    assert_ok(mesh->context, ruga_embedded_shell_create(mesh, def, &shell));
    return shell;
}

static size_t count_intersections(const ruga_embedded_shell *shell) {
    intersection_array found = {0};
    assert_ok(shell->context,
              intersections_find(shell->context, shell->count, ruga_embedded_shell_positions(shell),
                                 shell->mesh->triangle_count, shell->mesh->triangles, NULL, NULL, &found));
    const size_t count = found.count;
    ARRAY_RELEASE(shell->context, &found);
    return count;
}

/* Both sides of a sheet, folded along its middle: at 0 degrees it is flat, at 90 both sides lie on each other. Along x
 * it is shorter than at rest. The fold is a valley. */
static void fold(const ruga_mesh *mesh, double degrees, double compression, vec3 *out) {
    const double middle = mesh->positions[mesh->vertex_count - 1].x / 2, c = cos(degrees * PI / 180),
                 s = sin(degrees * PI / 180);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const double along = (mesh->positions[i].x - middle) * (1 - compression);
        out[i] = (vec3){middle + c * along, s * fabs(along), mesh->positions[i].z};
    }
}

/* ---- The energy. */

static void forces_are_minus_the_derivative(void **state) {
    ruga_mesh *mesh = make_sheet(*state);
    const ruga_embedded_shell_def def = leather_def();
    ruga_embedded_shell *shell = make(mesh, &def);
    vec3 *x = calloc(POINTS, sizeof *x), *gradient = calloc(POINTS, sizeof *gradient);
    test_random random = {7};
    assert_true(shell_contact_energy(shell, mesh->positions) == 0);
    fold(mesh, 89, 0, x);
    for (size_t i = 0; i < POINTS; i++) x[i] = vec3_add(x[i], random_vec3(&random, -1e-4, 1e-4));
    const double energy = shell_contact_gradient(shell, x, gradient);
    assert_less(0, energy);
    assert_less(50, (double)shell_contact_count(shell));
    double largest = 0, sum_error = 0;
    vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
    for (size_t i = 0; i < POINTS; i++) {
        largest = fmax(largest, vec3_length(gradient[i]));
        sum = vec3_add(sum, gradient[i]);
        moment = vec3_add(moment, vec3_cross(x[i], gradient[i]));
    }
    assert_less(vec3_length(sum), 1e-10 * largest);
    assert_less(vec3_length(moment), 1e-10 * largest);
    for (size_t i = 0; i < POINTS; i += 7)
        for (int axis = 0; axis < 3; axis++) {
            double *at = &(&x[i].x)[axis], kept = *at, ends[2];
            for (int k = 0; k < 2; k++) {
                *at = kept + (k ? 1e-9 : -1e-9);
                ends[k] = shell_contact_energy(shell, x);
            }
            *at = kept;
            sum_error = fmax(sum_error, fabs((ends[1] - ends[0]) / 2e-9 - (&gradient[i].x)[axis]));
        }
    assert_less(sum_error, 1e-5 * largest);
    free(x);
    free(gradient);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* ---- Folds. */

static void watch_descent(void *watcher, double merit) {
    double *last = watcher;
    if (isnan(merit))
        merit = INFINITY;
    else
        assert_at_most(merit, *last * (1 + 1e-12));
    *last = merit;
}

/* Frames of a carrier that folds from one angle to another; returns the intersections of all of them. */
static size_t fold_in_frames(ruga_embedded_shell *shell, int frames, double from, double to, double compression) {
    size_t found = 0;
    for (int k = 1; k <= frames; k++) {
        fold(shell->mesh, from + (to - from) * k / frames, compression * k / frames, carrier);
        assert_status(ruga_embedded_shell_update(shell, carrier), RUGA_OK);
        found += count_intersections(shell);
    }
    return found;
}

/* The sides of a valley close to 3 degrees from each other, and both are compressed by 30 %: their wrinkles meet. */
static void a_deep_fold_does_not_intersect(void **state) {
    ruga_mesh *mesh = make_small_sheet(*state);
    ruga_embedded_shell_def def = leather_def();
    ruga_embedded_shell *shell = make(mesh, &def);
    assert_int_equal(fold_in_frames(shell, 10, 0, 87, 0.3), 0);
    assert_less(FEWER(100), (double)ruga_embedded_shell_get_report(shell).contacts);
    ruga_embedded_shell_destroy(shell);
    def.contact = 0;
    shell = make(mesh, &def);
    assert_less(FEWER(100), (double)fold_in_frames(shell, 10, 0, 87, 0.3));
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* The sides of the carrier pass through each other. Those of the skin do not: its clusters yield. When the carrier
 * opens again, they are all where it wants them. */
static void clusters_yield_where_the_carrier_intersects(void **state) {
    skip_unless_long();
    ruga_mesh *mesh = make_small_sheet(*state);
    const ruga_embedded_shell_def def = leather_def();
    ruga_embedded_shell *shell = make(mesh, &def);
    double last = INFINITY;
    assert_int_equal(fold_in_frames(shell, 6, 0, 90, 0), 0);
    shell->watch = watch_descent;
    shell->watcher = &last;
    assert_int_equal(fold_in_frames(shell, 1, 90, 93, 0), 0);
    shell->watch = NULL;
    const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(shell);
    assert_less(0, (double)r.yielding_clusters);
    assert_less(0.001, r.greatest_yield);
    assert_int_equal(fold_in_frames(shell, 3, 93, 80, 0), 0);
    const ruga_embedded_shell_report after = ruga_embedded_shell_get_report(shell);
    assert_int_equal(after.yielding_clusters, 0);
    assert_less(after.constraint_error, 1e-8 * after.mean_edge);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* From one end of a sheet: each time the clusters beside those that yield do, too, until all of them do. */
static void yielding_spreads_by_a_cluster_at_a_time(void **state) {
    ruga_mesh *mesh = make_sheet(*state);
    const ruga_embedded_shell_def def = leather_def();
    ruga_embedded_shell *shell = make(mesh, &def);
    const double reach = 2 * 2 * ruga_embedded_shell_get_report(shell).wavelength / PI; /* across a cluster */
    unsigned char marks[POINTS] = {0};
    double last = 0;
    size_t count = 0;
    int rounds = 0;
    marks[0] = 1;
    for (; count < shell->rows->rows && rounds < 100; rounds++) {
        double farthest = 0;
        shell_yield_at(shell, marks);
        assert_less((double)count, (double)shell->soft_count);
        count = shell->soft_count;
        shell_yield_mark(shell, marks);
        for (size_t v = 0; v < POINTS; v++)
            if (marks[v]) farthest = fmax(farthest, vec3_distance(mesh->positions[v], mesh->positions[0]));
        assert_less(farthest, last + 1.01 * reach);
        last = farthest;
    }
    assert_ran(rounds, 3);
    shell_yield_none(shell);
    shell_yield_mark(shell, memset(marks, 0, sizeof marks));
    for (size_t v = 0; v < POINTS; v++) assert_int_equal(marks[v], 0);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

static void contact_does_not_depend_on_threads_or_a_restart(void **state) {
    (void)state;
    skip_unless_long();
    static vec3 results[3][POINTS];
    for (int run = 0; run < 3; run++) {
        ruga_context *context = context_plain(run == 1 ? 3 : 1);
        ruga_mesh *mesh = make_small_sheet(context);
        const ruga_embedded_shell_def def = leather_def();
        ruga_embedded_shell *shell = make(mesh, &def);
        fold_in_frames(shell, 4, 0, 90, 0);
        if (run == 2) {
            void *bytes = NULL;
            size_t size = 0;
            assert_ok(context, ruga_embedded_shell_save(shell, &bytes, &size));
            ruga_embedded_shell_destroy(shell);
            shell = make(mesh, &def);
            assert_ok(context, ruga_embedded_shell_load(shell, bytes, size));
            ruga_free(context, bytes);
        }
        fold_in_frames(shell, 1, 90, 91, 0);
        assert_less(0, (double)ruga_embedded_shell_get_report(shell).contacts);
        memcpy(results[run], ruga_embedded_shell_positions(shell), shell->count * sizeof results[0][0]);
        ruga_embedded_shell_destroy(shell);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
    assert_memory_equal(results[1], results[0], sizeof results[0]);
    assert_memory_equal(results[2], results[0], sizeof results[0]);
}

/* ---- Obstacles. */

static double height_above_floor(void *user, ruga_vec3 point, ruga_vec3 *normal) {
    *normal = (ruga_vec3){0, 1, 0};
    return point.y - *(const double *)user;
}

/* A plate of 0.4 mm, a fifth of the skin's thickness, 1 cm below. */
static double height_above_plate(void *user, ruga_vec3 point, ruga_vec3 *normal) {
    (void)user;
    *normal = (ruga_vec3){0, point.y > -0.01 ? 1 : -1, 0};
    return fabs(point.y + 0.01) - 0.0002;
}

/* Trajectories of any length end in front of it, though their ends are free. */
static void no_step_leads_through_a_thin_obstacle(void **state) {
    ruga_mesh *mesh = make_sheet(*state);
    const ruga_embedded_shell_def def = leather_def();
    ruga_embedded_shell *shell = make(mesh, &def);
    ruga_embedded_shell_set_obstacle(shell, height_above_plate, NULL);
    for (double depth = 0.012; depth < 0.15; depth *= 1.3) {
        for (size_t i = 0; i < POINTS; i++)
            carrier[i] = (vec3){mesh->positions[i].x + 0.3 * depth, -depth, mesh->positions[i].z};
        const double part = shell_contact_limit(shell, mesh->positions, carrier);
        assert_less_case(part * depth, 0.01 - 0.0002, "depth %g", depth);
        assert_less_case(0.002, part * depth, "depth %g", depth);
    }
    for (size_t i = 0; i < POINTS; i++) carrier[i].y = -0.005; /* whose trajectory is free */
    assert_equal(shell_contact_limit(shell, mesh->positions, carrier), 1);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* A wrinkled skin that its carrier presses onto a floor, and 4 mm into it. */
static void a_skin_stays_above_a_floor(void **state) {
    ruga_mesh *mesh = make_sheet(*state);
    const ruga_embedded_shell_def def = leather_def();
    ruga_embedded_shell *shell = make(mesh, &def);
    double level = -0.008, least = INFINITY;
    for (int k = 1; k <= 6; k++) {
        for (size_t i = 0; i < POINTS; i++) {
            carrier[i] = mesh->positions[i];
            carrier[i].x *= 1 - 0.01 * k;
            carrier[i].y -= 0.002 * k;
        }
        ruga_embedded_shell_set_obstacle(shell, height_above_floor, &level);
        assert_status(ruga_embedded_shell_update(shell, carrier), RUGA_OK);
        for (size_t i = 0; i < POINTS; i++) least = fmin(least, shell->x[i].y - level);
        assert_int_equal(count_intersections(shell), 0);
    }
    assert_less(0, least);
    const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(shell);
    assert_less(0, (double)r.contacts);
    assert_less(0.004, r.greatest_yield);
    /* The floor carries the skin: its carrier is pushed upwards. */
    vec3 forces[POINTS] = {{0, 0, 0}};
    double sum = 0;
    assert_ok(*state, ruga_embedded_shell_add_forces(shell, forces));
    for (size_t i = 0; i < POINTS; i++) sum += forces[i].y;
    assert_less(0, sum);
    /* A skin that an update finds below it passes through. */
    level = 1;
    ruga_embedded_shell_set_obstacle(shell, height_above_floor, &level);
    assert_status(ruga_embedded_shell_update(shell, mesh->positions), RUGA_OK);
    assert_int_equal(ruga_embedded_shell_get_report(shell).contacts, 0);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* A body whose first frame is far from its rest pose, with an edge in the floor: the skin goes there with it. */
static void a_first_frame_in_a_floor_does_not_hold_the_skin_back(void **state) {
    ruga_mesh *mesh = make_sheet(*state);
    const ruga_embedded_shell_def def = leather_def();
    ruga_embedded_shell *shell = make(mesh, &def);
    double level = -2.006, farthest = 0;
    for (size_t i = 0; i < POINTS; i++) {
        vec3 p = mesh->positions[i];
        carrier[i] = (vec3){0.98 * p.x, p.y - 2 + 0.1 * p.x - 0.012, p.z};
    }
    ruga_embedded_shell_set_obstacle(shell, height_above_floor, &level);
    assert_status(ruga_embedded_shell_update(shell, carrier), RUGA_OK);
    for (size_t i = 0; i < POINTS; i++) farthest = fmax(farthest, vec3_distance(shell->x[i], carrier[i]));
    assert_less(farthest, 0.01);
    assert_less(0, (double)ruga_embedded_shell_get_report(shell).passing_vertices);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* ---- State. */

/* A strip whose ends cross like the ends of a loop. */
static void make_loop(const ruga_mesh *mesh, double compression, vec3 *out) {
    const double length = mesh->positions[POINTS - 1].x, lead = 0.2 * length, r = 0.6 * length / (1.5 * PI);
    for (size_t i = 0; i < POINTS; i++) {
        const double along = mesh->positions[i].x, a = fmin((along - lead) / r, 1.5 * PI);
        vec3 p = {along - lead, 0, mesh->positions[i].z};
        if (a > 0) p = (vec3){r * sin(a), r * (1 - cos(a)) - (along - lead - r * a), p.z};
        out[i] = vec3_scale(p, 1 - compression);
    }
}

/* Vertices that pass because their body crosses itself in its first frame still do after a restart. */
static void a_restart_knows_which_vertices_pass(void **state) {
    ruga_mesh *mesh = make_sheet(*state);
    const ruga_embedded_shell_def def = leather_def();
    static vec3 forces[2][POINTS], moved[2][POINTS];
    for (int restarts = 0; restarts < 2; restarts++) {
        ruga_embedded_shell *shell = make(mesh, &def);
        make_loop(mesh, 0, carrier);
        assert_ok(*state, ruga_embedded_shell_update(shell, carrier));
        assert_less(0, (double)ruga_embedded_shell_get_report(shell).passing_vertices);
        if (restarts) {
            void *bytes = NULL;
            size_t size = 0;
            assert_ok(*state, ruga_embedded_shell_save(shell, &bytes, &size));
            ruga_embedded_shell_destroy(shell);
            shell = make(mesh, &def);
            assert_ok(*state, ruga_embedded_shell_load(shell, bytes, size));
            ruga_free(*state, bytes);
        }
        memset(forces[restarts], 0, sizeof forces[0]);
        assert_ok(*state, ruga_embedded_shell_add_forces(shell, forces[restarts]));
        make_loop(mesh, 0.01, carrier);
        assert_ok(*state, ruga_embedded_shell_update(shell, carrier));
        memcpy(moved[restarts], ruga_embedded_shell_positions(shell), sizeof moved[0]);
        ruga_embedded_shell_destroy(shell);
    }
    assert_memory_equal(forces[0], forces[1], sizeof forces[0]);
    assert_memory_equal(moved[0], moved[1], sizeof moved[0]);
    ruga_mesh_destroy(mesh);
}

/* ---- Bad input. */

/* A mesh that intersects itself is reported; its parts pass through each other there, and wrinkle all the same. */
static void a_mesh_that_intersects_itself_is_reported(void **state) {
    ruga_mesh *flat = make_sheet(*state), *mesh = NULL;
    fold(flat, 0, 0, carrier);
    for (size_t i = 0; i < POINTS; i++)
        if (i % (SIDE + 1) > 30)
            carrier[i] =
                (vec3){2 * carrier[30].x - carrier[i].x, 0.3 * (carrier[i].x - carrier[30].x) - 0.003, carrier[i].z};
    ruga_mesh_def made = ruga_mesh_def_default();
    made.positions = (ruga_view){carrier, POINTS, 0, RUGA_F64};
    made.face_count = flat->triangle_count;
    made.face_vertices = flat->triangles;
    assert_ok(*state, ruga_mesh_create(*state, &made, &mesh));
    const ruga_embedded_shell_def def = leather_def();
    ruga_embedded_shell *shell = make(mesh, &def);
    assert_less(0, (double)ruga_embedded_shell_get_report(shell).self_intersections);
    for (size_t i = 0; i < POINTS; i++) carrier[i].x *= 0.95;
    assert_status(ruga_embedded_shell_update(shell, carrier), RUGA_OK);
    assert_less(1e-4, ruga_embedded_shell_get_report(shell).amplitude);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(flat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_minus_the_derivative),
        cmocka_unit_test(a_deep_fold_does_not_intersect),
        cmocka_unit_test(clusters_yield_where_the_carrier_intersects),
        cmocka_unit_test(yielding_spreads_by_a_cluster_at_a_time),
        cmocka_unit_test(contact_does_not_depend_on_threads_or_a_restart),
        cmocka_unit_test(no_step_leads_through_a_thin_obstacle),
        cmocka_unit_test(a_skin_stays_above_a_floor),
        cmocka_unit_test(a_first_frame_in_a_floor_does_not_hold_the_skin_back),
        cmocka_unit_test(a_restart_knows_which_vertices_pass),
        cmocka_unit_test(a_mesh_that_intersects_itself_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
