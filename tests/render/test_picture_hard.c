/* Pictures of what is empty, extreme, broken or refused. */
#include "math/vec3.h"
#include "render/picture_support.h"

static const ruga_vec3 origin = {0, 0, 0};

static void empty_pictures_are_background(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_panel panel = {.camera = ruga_camera_default()};
    for (size_t count = 0; count < 2; count++) {
        ruga_render_def def = small_def(&panel, count);
        def.background = (ruga_colour){0.2f, 0.4f, 0.6f}, def.ground = 1;
        ruga_image *image = render(context, &def);
        for (int i = 0; i < 160 * 120; i++) assert_true(pixel_is(image, i % 160, i / 160, 51, 102, 153, 0));
        ruga_image_destroy(image);
    }
    ruga_context_destroy(context);
}

static void letters_are_light_on_a_dark_background(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_panel panel = {.caption = "IIIIII", .camera = ruga_camera_default()};
    ruga_render_def def = small_def(&panel, 1);
    def.background = (ruga_colour){0, 0, 0};
    ruga_image *image = render(context, &def);
    int brightest = 0;
    for (int i = 0; i < 160 * 120; i++) brightest = image->pixels[3 * i] > brightest ? image->pixels[3 * i] : brightest;
    assert_less(200, brightest);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static int warnings;
static void count_warning(void *user, ruga_log_level level, const char *message) {
    (void)user;
    (void)message;
    warnings += level == RUGA_LOG_WARNING;
}

static void triangles_that_are_not_finite_are_left_out_with_one_warning(void **state) {
    (void)state;
    ruga_context_def settings = ruga_context_def_default();
    settings.log = count_warning;
    ruga_context *context;
    assert_status(ruga_context_create(&settings, &context), RUGA_OK);
    ruga_mesh *square = make_square(context, 4);
    ruga_vec3 positions[25];
    memcpy(positions, square->positions, sizeof positions);
    positions[0].x = NAN, positions[24].y = INFINITY;
    ruga_frame frame = {.vertex_count = 25, .positions = positions};
    ruga_render_mesh item = ruga_render_mesh_default(square);
    item.frame = &frame;
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default()};
    ruga_render_def def = small_def(&panel, 1);
    ruga_image *image;
    warnings = 0;
    assert_status(ruga_render(context, &def, &image), RUGA_WARNING_INPUT);
    assert_int_equal(warnings, 1);
    assert_less(1000, all_drawn(image));
    ruga_image_destroy(image);
    // Nothing finite at all is an empty picture.
    for (int i = 0; i < 25; i++) positions[i].z = NAN;
    assert_status(ruga_render(context, &def, &image), RUGA_WARNING_INPUT);
    assert_int_equal(all_drawn(image), 0);
    ruga_image_destroy(image);
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

static void extreme_sizes_and_values_are_drawn_or_left_out(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *square = make_square(context, 2);
    ruga_vec3 positions[9];
    double values[9];
    ruga_frame frame = {.vertex_count = 9, .positions = positions};
    ruga_render_mesh item = ruga_render_mesh_default(square);
    item.frame = &frame, item.scalar_values = values, item.wireframe = 1;
    ruga_render_curve curve = {positions, 9, {1, 0, 0}, 9, 1};
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .curve_count = 1, .curves = &curve};
    ruga_render_def def = small_def(&panel, 1);
    def.ground = 1;
    const double sizes[] = {0, 1e-320, 1e-200, 1e-90, 1e-30, 1e30, 1e90, 1e200, 1e308};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int k = 0; k < 9; k++) {
            vec3 p = square->positions[k];
            positions[k] = vec3_scale(p, sizes[i]);
            values[k] = p.x * sizes[i];
        }
        for (int given = 0; given < 2; given++) {
            panel.camera = given ? camera_at(1e50, 30) : ruga_camera_default();
            ruga_image *image = NULL;
            assert_ok(context, ruga_render(context, &def, &image));
            // Where the size can be computed with, the square is seen.
            if (!given && sizes[i] >= 1e-90 && sizes[i] <= 1e90)
                assert_less_case(2000, drawn_pixels(image, 0, 90, 0, 120), "i %zu, given %d", i, given);
            ruga_image_destroy(image);
        }
    }
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

static int cancel_at_half(void *user, const char *stage, double fraction) {
    (void)stage;
    double *last = user;
    assert_at_most(*last, fraction);
    assert_at_most(fraction, 1);
    *last = fraction;
    return fraction > 0.5;
}

static void progress_rises_and_can_cancel(void **state) {
    (void)state;
    double last = 0;
    ruga_context_def settings = ruga_context_def_default();
    settings.progress = cancel_at_half, settings.progress_user = &last;
    ruga_context *context;
    assert_status(ruga_context_create(&settings, &context), RUGA_OK);
    everything e;
    assert_ok(context, make_everything(context, &e));
    ruga_image *image = NULL;
    e.def.width = 800, e.def.height = 600, e.def.occlusion_samples = 0, e.def.samples = 1;
    assert_status(ruga_render(context, &e.def, &image), RUGA_ERROR_CANCELLED);
    assert_null(image);
    assert_less(0.5, last);
    assert_less(last, 0.7);
    free_everything(&e);
    ruga_context_destroy(context);
}

/* Renders a changed copy of a good def and expects a message. */
#define EXPECT_REFUSED(change, part)                                              \
    do {                                                                          \
        everything e;                                                             \
        assert_ok(context, make_everything(context, &e));                         \
        change;                                                                   \
        ruga_image *image = NULL;                                                 \
        assert_status(ruga_render(context, &e.def, &image), RUGA_ERROR_ARGUMENT); \
        assert_null(image);                                                       \
        assert_message_has(context, part);                                        \
        free_everything(&e);                                                      \
    } while (0)

static void senseless_arguments_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_frame frame = {.vertex_count = 3};
    EXPECT_REFUSED(e.def.cookie = 0, "ruga_render_def_default");
    EXPECT_REFUSED(e.def.width = 15, "width is 15");
    EXPECT_REFUSED(e.def.height = 16385, "height is 16385");
    EXPECT_REFUSED(e.def.columns = -1, "columns");
    EXPECT_REFUSED(e.def.samples = 0, "samples is 0");
    EXPECT_REFUSED(e.def.occlusion_samples = 257, "occlusion samples is 257");
    EXPECT_REFUSED(e.def.panel_count = 2000, "2000 panels");
    EXPECT_REFUSED(e.def.panels = NULL, "NULL");
    EXPECT_REFUSED(e.def.background.r = NAN, "background");
    EXPECT_REFUSED(e.panels[1].meshes = NULL, "panel 1");
    EXPECT_REFUSED(e.items[1].mesh = NULL, "mesh 1 is NULL");
    EXPECT_REFUSED(e.items[0].frame = &frame, "3 vertices");
    EXPECT_REFUSED(e.items[0].shading = (ruga_shading)7, "shading 7");
    EXPECT_REFUSED(e.items[0].front.g = 2, "colour");
    EXPECT_REFUSED(e.items[0].wire_width = -1, "width -1");
    EXPECT_REFUSED(e.items[0].crease_angle = NAN, "crease angle");
    EXPECT_REFUSED(e.items[2].scalar_high = NAN, "range");
    EXPECT_REFUSED(e.curve.width = -2, "curve 0");
    EXPECT_REFUSED(e.points.points = NULL, "point set 0");
    EXPECT_REFUSED(e.panels[0].camera.zoom = 1e-9, "zoom");
    EXPECT_REFUSED(e.panels[0].camera.fov = 180, "field of view");
    EXPECT_REFUSED(e.panels[0].camera.azimuth = NAN, "azimuth");
    EXPECT_REFUSED(e.panels[0].camera.given = 1, "eye and target apart");
    ruga_camera camera;
    ruga_render_def def = ruga_render_def_default();
    assert_status(ruga_render_fit(context, &def, 0, &camera), RUGA_ERROR_ARGUMENT);
    ruga_context_destroy(context);
}

static void a_camera_along_its_up_still_looks(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *ball = make_ball(context, 12, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    const ruga_vec3 eyes[2] = {{0, 5, 0}, {0, 0, 5}}, ups[2] = {{0, 1, 0}, {0, 0, 0}};
    for (int i = 0; i < 2; i++) {
        ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = camera_at(5, 40)};
        panel.camera.eye = eyes[i], panel.camera.up = ups[i];
        ruga_render_def def = small_def(&panel, 1);
        ruga_image *image = render(context, &def);
        assert_less_case(1000, all_drawn(image), "i %d", i);
        ruga_image_destroy(image);
    }
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

static void floating_point_stays_as_it_was(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    everything e;
    assert_ok(context, make_everything(context, &e));
    ruga_image *image = render(context, &e.def);
    // Ray tracers like to flush the smallest numbers to zero; the host must not notice.
    volatile float small = 1e-38f, tenth = 0.1f;
    assert_less(0, small * tenth);
    ruga_image_destroy(image);
    free_everything(&e);
    ruga_context_destroy(context);
}

static ruga_status render_everything(ruga_context *context, void *user) {
    (void)user;
    everything e;
    TRY(make_everything(context, &e));
    e.def.width = e.def.height = 40, e.def.samples = 1, e.def.occlusion_samples = 1;
    e.items[1].smooth = 1;  // in vain, since it meets the ball
    ruga_image *image = NULL;
    ruga_camera camera;
    ruga_status status = ruga_render_fit(context, &e.def, 0, &camera);
    if (!RUGA_FAILED(status)) status = ruga_render(context, &e.def, &image);
    if (RUGA_FAILED(status))
        assert_null(image);
    else
        assert_less(0, (double)image->faceted);
    ruga_image_destroy(image);
    free_everything(&e);
    return status;
}

static void every_allocation_of_a_picture_may_fail(void **state) {
    (void)state;
    assert_less(20, assert_every_allocation_may_fail(render_everything, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_pictures_are_background),
        cmocka_unit_test(letters_are_light_on_a_dark_background),
        cmocka_unit_test(triangles_that_are_not_finite_are_left_out_with_one_warning),
        cmocka_unit_test(extreme_sizes_and_values_are_drawn_or_left_out),
        cmocka_unit_test(progress_rises_and_can_cancel),
        cmocka_unit_test(senseless_arguments_are_refused),
        cmocka_unit_test(a_camera_along_its_up_still_looks),
        cmocka_unit_test(floating_point_stays_as_it_was),
        cmocka_unit_test(every_allocation_of_a_picture_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
