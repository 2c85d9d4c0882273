/* Laws of sculpts in motion. */
#include <stdio.h>

#include "wrinkle/sculpt_support.h"

/* A sheet with two strokes that cross, and room for what is posed. */
typedef struct moving {
    test_sculpt t;
    size_t count; /* fine vertices */
    ruga_vec3 *out, *before;
} moving;

/* After the strokes were added. */
static void update_moving(moving *m) {
    m->count = test_update(&m->t)->vertex_count;
    m->out = malloc(m->count * sizeof *m->out);
    m->before = malloc(m->count * sizeof *m->before);
}

static void open_moving(moving *m, ruga_context *context) {
    test_sculpt_open(&m->t, context, jittered_sheet(context, 12, 1));
    ruga_stroke_def def = test_stroke(test_line(&m->t, -0.35, 0.02, 0.35, -0.03), 0.15);
    def.refine = 1;
    test_add(&m->t, &def);
    def.curve = test_line(&m->t, 0.1, -0.3, 0.05, 0.3);
    def.seed = 2;
    test_add(&m->t, &def);
    update_moving(m);
}

static void close_moving(moving *m) {
    free(m->out);
    free(m->before);
    test_sculpt_close(&m->t);
}

static void pose(moving *m, const ruga_vec3 *positions, const double *lengths) {
    assert_ok(m->t.context,
              ruga_sculpt_pose(m->t.sculpt, positions ? positions : m->t.mesh->positions, lengths, m->out));
}

static double highest(const moving *m) {
    double height = 0;
    for (size_t v = 0; v < m->count; v++) height = fmax(height, fabs(m->out[v].y));
    return height;
}

static void at_rest_it_is_the_result_of_the_update(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double lengths[] = {1.3, 1.3};
    moving m;
    open_moving(&m, context);
    const ruga_vec3 *updated = ruga_sculpt_mesh(m.t.sculpt)->positions;
    pose(&m, NULL, lengths);
    assert_memory_equal(m.out, updated, m.count * sizeof *m.out);
    /* And nearly at rest nearly so. */
    ruga_vec3 *nudged = malloc(m.t.mesh->vertex_count * sizeof *nudged);
    memcpy(nudged, m.t.mesh->positions, m.t.mesh->vertex_count * sizeof *nudged);
    nudged[0].y += 1e-13;
    pose(&m, nudged, lengths);
    double greatest = 0;
    for (size_t v = 0; v < m.count; v++) greatest = fmax(greatest, vec3_distance(m.out[v], updated[v]));
    print_message("posed all but at rest: within %g m\n", greatest);
    assert_less(greatest, 1e-9);
    free(nudged);
    close_moving(&m);
    ruga_context_destroy(context);
}

/* A sphere with a stroke that is refined: it is smoothed, and has normals in all directions. */
static void open_sphere(moving *m, ruga_context *context) {
    const ruga_vec3 points[] = {{-0.3, 0.1, 0.4}, {0.3, 0.05, 0.4}};
    ruga_mesh *sphere;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &sphere));
    test_sculpt_open(&m->t, context, sphere);
    ruga_stroke_def def = test_stroke(test_curve_through(&m->t, points, 2, 0), 0.2);
    test_add(&m->t, &def);
    update_moving(m);
}

/* On a curved surface too, bit for bit. */
static void without_length_it_is_the_surface_that_wrinkles_are_on(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double length = 1;
    moving m;
    open_sphere(&m, context);
    const sculpt_surface *surface = &m.t.sculpt->surface;
    pose(&m, NULL, &length);
    size_t smoothed = 0;
    for (size_t v = 0; v < surface->fine->vertex_count; v++) {
        assert_memory_equal(&m.out[surface->numbers[v]], &surface->rest[v], sizeof *m.out);
        smoothed += vec3_distance(surface->rest[v], surface->flat[v]) > 1e-6;
    }
    assert_less(20, smoothed);
    close_moving(&m);
    ruga_context_destroy(context);
}

static void no_more_length_means_no_wrinkle(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    moving m;
    open_moving(&m, context);
    const double lengths[] = {1, 0.5};
    pose(&m, NULL, lengths);
    assert_true(highest(&m) == 0);
    pose(&m, NULL, NULL); /* nothing is compressed */
    assert_less(highest(&m), 1e-9);
    close_moving(&m);
    ruga_context_destroy(context);
}

/* Up and down in small steps: no step moves anything by much more than its share, and the same lengths give the same
 * shape. */
static void driven_wrinkles_come_and_go_without_a_jump(void **state) {
    (void)state;
    enum { STEPS = 120 };
    ruga_context *context = context_plain(1);
    moving m;
    open_moving(&m, context);
    double greatest = 0, top = 0;
    ruga_vec3 *middle = malloc(m.count * sizeof *middle);
    for (int i = 0; i <= 2 * STEPS; i++) {
        int at = i <= STEPS ? i : 2 * STEPS - i;
        const double lengths[] = {1 + 0.3 * at / STEPS, 1 + 0.4 * at / STEPS};
        pose(&m, NULL, lengths);
        for (size_t v = 0; i > 0 && v < m.count; v++) greatest = fmax(greatest, vec3_distance(m.out[v], m.before[v]));
        memcpy(m.before, m.out, m.count * sizeof *m.out);
        top = fmax(top, highest(&m));
        if (i == STEPS / 2) memcpy(middle, m.out, m.count * sizeof *m.out);
        if (i == 2 * STEPS - STEPS / 2) assert_memory_equal(middle, m.out, m.count * sizeof *m.out);
    }
    print_message("wrinkles of %.3f m in %d steps, none above %.4f m\n", top, STEPS, greatest);
    assert_less(0.04, top);
    assert_less(greatest, 0.15 * top);
    assert_true(highest(&m) == 0);
    free(middle);
    close_moving(&m);
    ruga_context_destroy(context);
}

/* A stroke that has no wrinkles at rest is driven as others are, alone and where it crosses one that has. */
static void strokes_without_wrinkles_at_rest_come_and_go_too(void **state) {
    (void)state;
    enum { STEPS = 60 };
    ruga_context *context = context_plain(1);
    for (int with_other = 0; with_other < 2; with_other++) {
        moving m;
        open_moving(&m, context);
        ruga_stroke_def def = test_stroke(m.t.curves[0], 0.15);
        def.refine = 1;
        def.length = 1;
        assert_ok(context, ruga_sculpt_set(m.t.sculpt, 0, &def));
        if (!with_other) assert_ok(context, ruga_sculpt_remove(m.t.sculpt, 1));
        size_t count = test_update(&m.t)->vertex_count;
        assert_at_most(count, m.count);
        m.count = count;
        double greatest = 0, top = 0;
        for (int i = 0; i <= STEPS; i++) {
            const double lengths[] = {1 + 0.3 * i / STEPS, with_other ? 1 + 0.2 * i / STEPS : 1};
            pose(&m, NULL, lengths);
            for (size_t v = 0; i > 0 && v < m.count; v++)
                greatest = fmax(greatest, vec3_distance(m.out[v], m.before[v]));
            if (i == 0) assert_true(highest(&m) == 0);
            memcpy(m.before, m.out, m.count * sizeof *m.out);
            top = fmax(top, highest(&m));
        }
        print_message("wrinkles of %.3f m in %d steps, none above %.4f m\n", top, STEPS, greatest);
        assert_less(0.04, top);
        assert_less(greatest, 0.2 * top);
        close_moving(&m);
    }
    ruga_context_destroy(context);
}

/* Alone, it has the heights that it would have been given at rest. */
static void a_driven_length_gives_the_shape_of_that_length(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    double tops[2];
    for (int i = 0; i < 2; i++) {
        moving m;
        test_sculpt_open(&m.t, context, jittered_sheet(context, 12, 1));
        ruga_stroke_def def = test_stroke(test_line(&m.t, -0.35, 0.02, 0.35, -0.03), 0.15);
        def.refine = 0;
        def.length = i == 0 ? 1 : 1.3;
        test_add(&m.t, &def);
        update_moving(&m);
        const double length = 1.3;
        pose(&m, NULL, &length);
        tops[i] = highest(&m);
        close_moving(&m);
    }
    assert_less(0.03, tops[1]);
    assert_near(tops[0], tops[1], 1e-6);
    ruga_context_destroy(context);
}

/* The sheet pressed together along x to 75 %: the curve along x has a third too much length. */
static void compression_is_measured(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    moving m;
    open_moving(&m, context);
    ruga_vec3 *pressed = malloc(m.t.mesh->vertex_count * sizeof *pressed);
    for (size_t v = 0; v < m.t.mesh->vertex_count; v++) {
        pressed[v] = m.t.mesh->positions[v];
        pressed[v].x *= 0.75;
    }
    pose(&m, pressed, NULL);
    double measured = highest(&m);
    memcpy(m.before, m.out, m.count * sizeof *m.out);
    const ruga_vec3 a = {-0.35, 0, 0.02}, b = {0.35, 0, -0.03}, c = {0.1, 0, -0.3}, d = {0.05, 0, 0.3};
    const double lengths[] = {
        vec3_distance(a, b) / hypot(0.75 * 0.7, 0.05),
        vec3_distance(c, d) / hypot(0.75 * 0.05, 0.6),
    };
    pose(&m, pressed, lengths);
    assert_less(0.03, measured);
    for (size_t v = 0; v < m.count; v++) assert_less(vec3_distance(m.out[v], m.before[v]), 2e-3);
    /* Stretched there is none. */
    for (size_t v = 0; v < m.t.mesh->vertex_count; v++) pressed[v] = vec3_scale(m.t.mesh->positions[v], 1.2);
    pose(&m, pressed, NULL);
    assert_true(highest(&m) == 0);
    free(pressed);
    close_moving(&m);
    ruga_context_destroy(context);
}

/* m, of the polygon of a stroke's base path as it is posed. */
static double posed_length(const moving *m, size_t stroke) {
    const sculpt_path *path = &m->t.sculpt->strokes.items[stroke].fine_base;
    const uint32_t *numbers = m->t.sculpt->surface.numbers;
    double length = 0;
    for (size_t i = 0; i + 1 < path->count; i++)
        length += vec3_distance(m->out[numbers[path->vertices[i]]], m->out[numbers[path->vertices[i + 1]]]);
    return length;
}

/* A soft curve that is pressed together is as long as ever: what it loses in the plane it has in wrinkles. */
static void compressed_curves_keep_their_length(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    moving m;
    test_sculpt_open(&m.t, context, jittered_sheet(context, 16, 1));
    ruga_stroke_def def = test_stroke(test_line(&m.t, -0.35, 0.02, 0.35, -0.03), 0.15);
    def.stiffness = 0.1;
    def.length = 1.5;
    test_add(&m.t, &def);
    update_moving(&m);
    ruga_vec3 *pressed = malloc(m.t.mesh->vertex_count * sizeof *pressed);
    double rest = ruga_sculpt_stroke_info(m.t.sculpt, 0).drawn_length;
    for (int i = 0; i <= 6; i++) {
        for (size_t v = 0; v < m.t.mesh->vertex_count; v++) {
            pressed[v] = m.t.mesh->positions[v];
            pressed[v].x *= 1 - 0.05 * i;
        }
        pose(&m, pressed, NULL);
        double length = posed_length(&m, 0);
        assert_near(length, rest, 0.015 * rest);
        if (i > 0) assert_less(0.02, highest(&m));
    }
    free(pressed);
    close_moving(&m);
    ruga_context_destroy(context);
}

/* Turned about an axis through the origin and carried away. */
static ruga_vec3 carried(ruga_vec3 p) {
    const vec3 axis = vec3_normalise((vec3){1, -2, 0.5});
    const double angle = 0.8;
    vec3 turned = vec3_scale(p, cos(angle));
    turned = vec3_add_scaled(turned, vec3_cross(axis, p), sin(angle));
    turned = vec3_add_scaled(turned, axis, vec3_dot(axis, p) * (1 - cos(angle)));
    return vec3_add(turned, (vec3){3, -1, 2});
}

static void assert_carried(moving *m, const double *lengths) {
    ruga_vec3 *positions = malloc(m->t.mesh->vertex_count * sizeof *positions);
    for (size_t v = 0; v < m->t.mesh->vertex_count; v++) positions[v] = carried(m->t.mesh->positions[v]);
    pose(m, NULL, lengths);
    memcpy(m->before, m->out, m->count * sizeof *m->out);
    pose(m, positions, lengths);
    for (size_t v = 0; v < m->count; v++) assert_less(vec3_distance(carried(m->before[v]), m->out[v]), 1e-6);
    free(positions);
}

/* Turned and carried away as a whole, the shape is turned and carried with it. */
static void wrinkles_move_with_the_mesh(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double lengths[] = {1.3, 1.2};
    moving m;
    open_moving(&m, context);
    assert_carried(&m, lengths);
    close_moving(&m);
    open_sphere(&m, context);
    assert_carried(&m, lengths);
    close_moving(&m);
    ruga_context_destroy(context);
}

static void a_sculpt_that_is_not_up_to_date_is_not_posed(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    moving m;
    open_moving(&m, context);
    const double bad[] = {1.2, NAN};
    assert_status(ruga_sculpt_pose(m.t.sculpt, m.t.mesh->positions, bad, m.out), RUGA_ERROR_INPUT);
    assert_message_has(context, "stroke \"1\"");
    ruga_stroke_def def = test_stroke(m.t.curves[0], 0.15);
    def.refine = 1;
    def.stiffness = 20;
    assert_ok(context, ruga_sculpt_set(m.t.sculpt, 0, &def));
    assert_status(ruga_sculpt_pose(m.t.sculpt, m.t.mesh->positions, NULL, m.out), RUGA_ERROR_ARGUMENT);
    assert_ok(context, ruga_sculpt_remove(m.t.sculpt, 0));
    assert_status(ruga_sculpt_pose(m.t.sculpt, m.t.mesh->positions, NULL, m.out), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "ruga_sculpt_update");
    close_moving(&m);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_it_is_the_result_of_the_update),
        cmocka_unit_test(no_more_length_means_no_wrinkle),
        cmocka_unit_test(without_length_it_is_the_surface_that_wrinkles_are_on),
        cmocka_unit_test(driven_wrinkles_come_and_go_without_a_jump),
        cmocka_unit_test(strokes_without_wrinkles_at_rest_come_and_go_too),
        cmocka_unit_test(a_driven_length_gives_the_shape_of_that_length),
        cmocka_unit_test(compression_is_measured),
        cmocka_unit_test(compressed_curves_keep_their_length),
        cmocka_unit_test(wrinkles_move_with_the_mesh),
        cmocka_unit_test(a_sculpt_that_is_not_up_to_date_is_not_posed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
