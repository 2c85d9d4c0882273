/* The laws of traced pictures. */
#include "render/colour.h"
#include "render/layout.h"
#include "render/picture_support.h"
#include "render/scalar.h"
#include "render/view.h"

#define PI 3.14159265358979323846

static const ruga_vec3 origin = {0, 0, 0};

static void silhouette_of_a_sphere_has_the_area_of_theory(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 64, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    item.front = (ruga_colour){0, 0, 0};
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = camera_at(5, 40)};
    ruga_render_def def = small_def(&panel, 1);
    def.width = 400, def.height = 300, def.samples = 16, def.occlusion_samples = 0;
    ruga_image *on_white = render(context, &def);
    def.background = (ruga_colour){0, 0, 0};
    ruga_image *on_black = render(context, &def);
    // The cone that touches the sphere has the tangent 1/sqrt(d² - 1). A pixel is covered as far as its light does not
    // depend on the background.
    double focal = 150 / tan(20 * PI / 180), radius = focal / sqrt(5.0 * 5.0 - 1), cover = 0;
    for (int i = 0; i < 400 * 300; i++)
        cover += 1 - (double)colour_decode(on_white->pixels[3 * i + 1] / 255.0f) +
                 (double)colour_decode(on_black->pixels[3 * i + 1] / 255.0f);
    assert_near(cover / (PI * radius * radius), 1, 0.01);
    ruga_image_destroy(on_white);
    ruga_image_destroy(on_black);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

static void picture_does_not_depend_on_threads(void **state) {
    (void)state;
    ruga_image *images[3];
    ruga_context *contexts[3];
    const int threads[3] = {1, 2, 5};
    for (int i = 0; i < 3; i++) {
        everything e;
        contexts[i] = context_plain(threads[i]);
        assert_ok(contexts[i], make_everything(contexts[i], &e));
        images[i] = render(contexts[i], &e.def);
        free_everything(&e);
    }
    size_t size = 3 * (size_t)images[0]->width * (size_t)images[0]->height;
    assert_memory_equal(images[0]->pixels, images[1]->pixels, size);
    assert_memory_equal(images[0]->pixels, images[2]->pixels, size);
    for (int i = 0; i < 3; i++) {
        ruga_image_destroy(images[i]);
        ruga_context_destroy(contexts[i]);
    }
}

static void symmetric_scene_gives_a_symmetric_silhouette(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 24, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default()};
    panel.camera.azimuth = 0, panel.camera.elevation = 0;
    ruga_render_def def = small_def(&panel, 1);
    def.occlusion_samples = 0;
    ruga_image *image = render(context, &def);
    for (int y = 0; y < image->height; y++) {
        int left = (int)drawn_pixels(image, 0, image->width / 2, y, y + 1);
        int right = (int)drawn_pixels(image, image->width / 2, image->width, y, y + 1);
        assert_at_most_case(abs(left - right), 2, "y %d", y);
    }
    // The key light comes from the upper left.
    assert_less(pixel_at(image, 160 - 62, 120 - 42)[1] + 15, pixel_at(image, 62, 42)[1]);
    ruga_image_destroy(image);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

static void framing_is_tight_and_holds_every_vertex(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_random random = {3};
    ruga_mesh *square = make_square(context, 4);
    ruga_vec3 positions[25];
    ruga_frame frame = {.vertex_count = 25, .positions = positions};
    ruga_render_mesh item = ruga_render_mesh_default(square);
    item.frame = &frame;
    for (int trial = 0; trial < 60; trial++) {
        double size = pow(10, random_between(&random, -6, 6));
        for (int i = 0; i < 25; i++) positions[i] = random_vec3(&random, 3 * size, 5 * size);
        ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default()};
        panel.camera.azimuth = random_between(&random, -360, 360);
        panel.camera.elevation = random_between(&random, -90, 90);
        panel.camera.steady = trial % 2;
        ruga_render_def def = small_def(&panel, 1);
        ruga_camera camera;
        assert_ok(context, ruga_render_fit(context, &def, 0, &camera));
        assert_true(camera.given);
        view v = view_make(&camera, def.width, def.height);
        double reach = 0;
        for (int turn = 0; turn < (panel.camera.steady ? 12 : 1); turn++) {
            // A steady camera holds the thing however it is turned about the middle of its box.
            view_bounds bounds = view_bounds_empty();
            for (int i = 0; i < 25; i++) view_bounds_add(&bounds, positions[i]);
            vec3 c = view_bounds_centre(&bounds);
            double cs = cos(turn * PI / 6), sn = sin(turn * PI / 6);
            for (int i = 0; i < 25; i++) {
                vec3 d = vec3_sub(positions[i], c),
                     p = {c.x + cs * d.x + sn * d.z, positions[i].y, c.z - sn * d.x + cs * d.z};
                double x, y, depth = view_project(&v, p, &x, &y);
                assert_less_case(0, depth, "trial %d, turn %d, i %d", trial, turn, i);
                reach = fmax(reach, fmax(fabs(x / 80 - 1), fabs(y / 60 - 1)));
            }
        }
        assert_less_case(reach, 0.93, "trial %d", trial);
        if (!panel.camera.steady) assert_less_case(0.9, reach, "trial %d", trial);
    }
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

static void zoom_magnifies_about_the_middle(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 24, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default()};
    ruga_render_def def = small_def(&panel, 1);
    def.occlusion_samples = 0;
    ruga_image *whole = render(context, &def);
    panel.camera.zoom = 0.5;
    ruga_image *half = render(context, &def);
    double ratio = (double)all_drawn(whole) / (double)all_drawn(half);
    assert_less(3.6, ratio);
    assert_less(ratio, 4.2);
    ruga_image_destroy(whole);
    ruga_image_destroy(half);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

static void shared_camera_shows_equal_things_equally_large(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *large = make_ball(context, 16, 1, origin), *small = make_ball(context, 16, 0.5, origin);
    ruga_render_mesh items[2] = {ruga_render_mesh_default(large), ruga_render_mesh_default(small)};
    ruga_panel panels[2] = {{.mesh_count = 1, .meshes = items, .camera = ruga_camera_default()},
                            {.mesh_count = 1, .meshes = items + 1, .camera = ruga_camera_default()}};
    ruga_render_def def = small_def(panels, 2);
    def.width = 240, def.columns = 2, def.occlusion_samples = 0;
    ruga_image *own = render(context, &def);
    def.shared_camera = 1;
    ruga_image *shared = render(context, &def);
    double alone = (double)drawn_pixels(own, 0, 118, 0, 120) / (double)drawn_pixels(own, 122, 240, 0, 120);
    double together = (double)drawn_pixels(shared, 0, 118, 0, 120) / (double)drawn_pixels(shared, 122, 240, 0, 120);
    assert_near(alone, 1, 0.05);
    assert_near(together / 4, 1, 0.15);
    ruga_image_destroy(own);
    ruga_image_destroy(shared);
    ruga_mesh_destroy(large);
    ruga_mesh_destroy(small);
    ruga_context_destroy(context);
}

static void wires_follow_faces_and_not_diagonals(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *square = make_square(context, 2);
    assert_int_equal(square->triangle_count, 8);
    ruga_render_mesh item = ruga_render_mesh_default(square);
    item.wireframe = 1, item.wire = (ruga_colour){1, 0, 0}, item.wire_width = 20;
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = camera_at(4, 2 * atan(0.3) * 180 / PI)};
    ruga_render_def def = small_def(&panel, 1);
    def.width = def.height = 240, def.occlusion_samples = 0;
    ruga_image *image = render(context, &def);
    // A unit is 100 pixels about (120, 120). Edges are red, the middles of the four quads are not, nor are diagonals.
    for (int k = -60; k <= 60; k += 7) {
        assert_true(pixel_is(image, 120, 120 + k, 255, 0, 0, 2));
        assert_true(pixel_is(image, 120 + k, 119, 255, 0, 0, 2));
    }
    size_t red = 0;
    for (int y = 0; y < 240; y++)
        for (int x = 0; x < 240; x++) red += (size_t)pixel_is(image, x, y, 255, 0, 0, 60);
    // Two whole middle lines of 20 * 240/1080 pixels and half a line at the four borders.
    double width = 20 * 0.5, expected = 2 * 200 * width + 4 * 200 * 0.5 * width;
    assert_near((double)red / expected, 1, 0.2);
    for (int k = -40; k <= 40; k += 80)
        for (int d = -15; d <= 15; d += 3)
            assert_false(pixel_is(image, 120 + k + d, 120 + (k > 0 ? 45 : -45) - d, 255, 0, 0, 100));
    ruga_image_destroy(image);
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

/* How many pixels are about of this colour. */
static size_t pixels_like(const ruga_image *image, int r, int g, int b) {
    size_t count = 0;
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) count += (size_t)pixel_is(image, x, y, r, g, b, 70);
    return count;
}

static void curves_and_points_show_in_front_and_hide_behind(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 32, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    ruga_vec3 points[41];
    ruga_render_curve curve = {points, 41, {1, 0, 0}, 40, 0};
    ruga_render_points dot = {points + 20, 1, {0, 0, 1}, 120};
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = camera_at(6, 30)};
    ruga_render_def def = small_def(&panel, 1);
    def.occlusion_samples = 0;
    size_t red[2], blue[2];
    for (int behind = 0; behind < 2; behind++) {
        for (int i = 0; i <= 40; i++) {
            double a = (i - 20) / 20.0;
            points[i] = (ruga_vec3){sin(a), 0, behind ? -cos(a) : cos(a)};
        }
        panel.point_set_count = 0, panel.curve_count = 1, panel.curves = &curve;
        ruga_image *image = render(context, &def);
        red[behind] = pixels_like(image, 255, 0, 0);
        ruga_image_destroy(image);
        panel.curve_count = 0, panel.point_set_count = 1, panel.point_sets = &dot;
        image = render(context, &def);
        blue[behind] = pixels_like(image, 0, 0, 255);
        ruga_image_destroy(image);
    }
    // From -1 to 1 radian along the equator, 40 * 120/1080 pixels wide; a disc of 120 * 120/1080.
    double unit = 60 / tan(15 * PI / 180) / 5.2, length = 2 * sin(1) * unit;
    assert_near((double)red[0] / (length * 40 / 9), 1, 0.35);
    assert_near((double)blue[0] / (PI / 4 * 13.3 * 13.3), 1, 0.3);
    assert_int_equal(red[1], 0);
    assert_int_equal(blue[1], 0);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

static void curves_that_pass_the_eye_are_cut_off(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_vec3 points[5] = {{-1, 0, 0}, {1, 0, 0}, {1, 0, 30}, {NAN, 0, 0}, {0.5, 0.5, 40}};
    ruga_render_curve curves[3] = {
        {points, 5, {1, 0, 0}, 60, 1}, {points, 1, {1, 0, 0}, 60, 1}, {NULL, 0, {1, 0, 0}, 60, 1}};
    ruga_panel panel = {.curve_count = 3, .curves = curves, .camera = camera_at(6, 30)};
    ruga_render_def def = small_def(&panel, 1);
    ruga_image *image = render(context, &def);
    assert_less(100, pixels_like(image, 255, 0, 0));
    assert_true(pixel_is(image, 80, 60, 255, 0, 0, 60));
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static void sides_have_their_own_colours(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *square = make_square(context, 3);
    ruga_render_mesh item = ruga_render_mesh_default(square);
    item.front = (ruga_colour){0.9f, 0.1f, 0.1f}, item.back = (ruga_colour){0.1f, 0.1f, 0.9f};
    for (int flat = 0; flat < 2; flat++) {
        item.shading = flat ? RUGA_SHADING_FLAT : RUGA_SHADING_SMOOTH;
        for (int behind = 0; behind < 2; behind++) {
            ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = camera_at(behind ? -5 : 5, 30)};
            ruga_render_def def = small_def(&panel, 1);
            ruga_image *image = render(context, &def);
            const uint8_t *p = pixel_at(image, 80, 60);
            assert_less_case(100, behind ? p[2] - p[0] : p[0] - p[2], "flat %d, behind %d", flat, behind);
            ruga_image_destroy(image);
        }
    }
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

static void smooth_shading_is_smooth_and_breaks_at_creases(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 8, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = camera_at(5, 30)};
    ruga_render_def def = small_def(&panel, 1);
    def.width = def.height = 200, def.samples = 1;
    // The largest step between neighbours near the middle, without occlusion, which is noisy.
    int step[4] = {0};
    for (int kind = 0; kind < 4; kind++) {
        item.shading = kind == 1 ? RUGA_SHADING_FLAT : RUGA_SHADING_SMOOTH;
        item.crease_angle = kind == 2 ? 5 : kind == 3 ? 180 : 50;
        def.occlusion_samples = 0;
        ruga_image *image = render(context, &def);
        for (int y = 70; y < 130; y++)
            for (int x = 70; x < 130; x++) {
                int d = abs(pixel_at(image, x, y)[1] - pixel_at(image, x + 1, y)[1]);
                step[kind] = d > step[kind] ? d : step[kind];
            }
        ruga_image_destroy(image);
    }
    assert_at_most(step[0], 5);
    assert_true(step[3] == step[0]);
    assert_at_most(8, step[1]);
    assert_at_most(8, step[2]);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

static void normals_of_the_frame_are_used(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *square = make_square(context, 1);
    ruga_vec3 left[4], away[4];
    for (int i = 0; i < 4; i++) left[i] = (ruga_vec3){-0.7, 0.5, 0.5}, away[i] = (ruga_vec3){0.9, -0.4, 0.2};
    ruga_frame frame = {.vertex_count = 4, .positions = square->positions, .normals = left};
    ruga_render_mesh item = ruga_render_mesh_default(square);
    item.frame = &frame;
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = camera_at(5, 30)};
    ruga_render_def def = small_def(&panel, 1);
    ruga_image *lit = render(context, &def);
    frame.normals = away;
    ruga_image *dark = render(context, &def);
    assert_less(pixel_at(dark, 80, 60)[1] + 30, pixel_at(lit, 80, 60)[1]);
    ruga_image_destroy(lit);
    ruga_image_destroy(dark);
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

/* A sweep: no line where the floor becomes the background, which darkens towards the top. */
static void ground_fades_to_a_background_that_darkens_upwards(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 16, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default()};
    panel.camera.zoom = 0.6, panel.camera.elevation = 8;
    ruga_render_def def = small_def(&panel, 1);
    def.occlusion_samples = 16;
    // One camera for both: with a ground, the framing leaves more room.
    assert_ok(context, ruga_render_fit(context, &def, 0, &panel.camera));
    ruga_image *bare = render(context, &def);
    def.ground = 1;
    ruga_image *ground = render(context, &def);
    size_t darker = 0, rim = 0;
    for (int y = 0; y < 120; y++)
        for (int x = 0; x < 160; x++) {
            int was = pixel_at(bare, x, y)[1], is = pixel_at(ground, x, y)[1];
            if (was == 255) darker += is < 215;
            if (x == 3 && y > 0) {
                rim++;
                assert_at_most_case(abs(is - pixel_at(ground, x, y - 1)[1]), 4, "row %d", y);
            }
        }
    assert_ran(rim, 119);
    int brightest = 0;
    for (int y = 0; y < 120; y++)
        if (pixel_at(ground, 3, y)[1] > brightest) brightest = pixel_at(ground, 3, y)[1];
    assert_less(pixel_at(ground, 3, 0)[1] + 4, brightest);
    assert_less(190, pixel_at(ground, 3, 0)[1]);
    assert_less(150, darker);
    // From below there is no ground.
    panel.camera = ruga_camera_default();
    panel.camera.elevation = -30;
    assert_ok(context, ruga_render_fit(context, &def, 0, &panel.camera));
    ruga_image *below = render(context, &def);
    def.ground = 0;
    ruga_image *same = render(context, &def);
    assert_memory_equal(below->pixels, same->pixels, 3 * 160 * 120);
    ruga_image_destroy(bare);
    ruga_image_destroy(ground);
    ruga_image_destroy(below);
    ruga_image_destroy(same);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

/* Largest step between pixels beside each other in a row. */
static int largest_step(const ruga_image *image, int y) {
    int largest = 0;
    for (int x = 1; x < image->width; x++) {
        const int step = abs(pixel_at(image, x, y)[1] - pixel_at(image, x - 1, y)[1]);
        if (step > largest) largest = step;
    }
    return largest;
}

/* Below the panels' captions and across the gaps between them the floor is one, however different their cameras are;
 * the background above darkens. */
static void ground_runs_on_across_panels(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 12, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    ruga_panel panels[3];
    for (int i = 0; i < 3; i++) {
        panels[i] = (ruga_panel){.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default(), .caption = "."};
        panels[i].camera.zoom = 0.5, panels[i].camera.elevation = 8 + 10 * i;
    }
    ruga_render_def def = small_def(panels, 3);
    def.width = 300, def.height = 100, def.columns = 3, def.ground = 1;
    ruga_image *image = render(context, &def);
    size_t rows = 0;
    for (int y = 0; y < 100; y++) {
        if (y > 10 && y < 97) continue;  // there are balls and captions
        assert_at_most_case(largest_step(image, y), 4, "row %d", y);
        rows++;
    }
    assert_ran(rows, 13);
    for (int x = 0; x < 300; x++) {
        assert_at_most_case(pixel_at(image, x, 99)[1], 240, "column %d", x);
        assert_at_most_case(pixel_at(image, x, 0)[1], 245, "column %d", x);
    }
    ruga_image_destroy(image);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

/* A thing larger than its panel is cut there; around it there is the floor alone. */
static void things_stay_in_their_panels(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 12, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    item.front = (ruga_colour){0, 0, 1};
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default(), .caption = "."};
    panel.camera.zoom = 3;
    ruga_render_def def = small_def(&panel, 1);
    def.ground = 1;
    ruga_image *image = render(context, &def);
    double widths[1] = {0};
    layout_panel place;
    layout_panels(&def, widths, NULL, &place);
    assert_int_equal(place.area_bottom, def.height);
    const int inside = place.top + place.height - 1;
    assert_less(pixel_at(image, 80, inside)[0] + 20, pixel_at(image, 80, inside)[2]);
    for (int y = place.top + place.height; y < 120; y++)  // a warm grey: never bluer than red
        assert_at_most_case(pixel_at(image, 20, y)[2], pixel_at(image, 20, y)[0], "row %d", y);
    ruga_image_destroy(image);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

static void hollows_are_darker_than_open_faces(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    // A square seen along its normal, once alone and once below a ball that stands close to it.
    ruga_mesh *square = make_square(context, 2), *ball = make_ball(context, 16, 0.28, (ruga_vec3){0.3, 0, 0.3});
    ruga_render_mesh items[2] = {ruga_render_mesh_default(square), ruga_render_mesh_default(ball)};
    ruga_panel panel = {.mesh_count = 1, .meshes = items, .camera = camera_at(6, 25)};
    ruga_render_def def = small_def(&panel, 1);
    def.occlusion_samples = 32;
    ruga_image *open = render(context, &def);
    panel.mesh_count = 2;
    ruga_image *near_ball = render(context, &def);
    int x = 80 - 1, y = 60;
    assert_less(pixel_at(near_ball, x, y)[1] + 5, pixel_at(open, x, y)[1]);
    ruga_image_destroy(open);
    ruga_image_destroy(near_ball);
    ruga_mesh_destroy(square);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

static void legend_has_the_colours_of_the_map(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *square = make_square(context, 8);
    double values[81];
    for (int i = 0; i < 81; i++) values[i] = square->positions[i].x;
    values[40] = NAN;
    ruga_render_mesh item = ruga_render_mesh_default(square);
    item.scalar_values = values, item.scalar_label = "position (m)";
    for (int diverging = 0; diverging < 2; diverging++) {
        item.diverging = diverging;
        ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = camera_at(6, 30)};
        ruga_render_def def = small_def(&panel, 1);
        def.width = 480, def.height = 360, def.occlusion_samples = 0;
        ruga_image *image = render(context, &def);
        scalar_field field;
        assert_ok(context, scalar_field_find(context, &item, &field));
        layout_style style = layout_style_of(&def);
        double width = legend_width(&field, &style);
        layout_panel place;
        layout_panels(&def, &width, NULL, &place);
        legend_bar bar = legend_bar_of(&place, place.legend_left, &style);
        colour_map map;
        colour_map_make(diverging, &map);
        for (double y = bar.top; y < bar.bottom; y += 11) {
            double t = (bar.bottom - y - 0.5) / (bar.bottom - bar.top);
            ruga_colour c = light_to_colour(colour_map_at(&map, t));
            assert_true(pixel_is(image, (int)(0.5 * (bar.left + bar.right)), (int)y, colour_byte(c.r), colour_byte(c.g),
                                 colour_byte(c.b), 1));
        }
        // The surface itself: left and right ends as in the map (shaded), the vertex without a value grey.
        int middle_x = place.left + place.width / 2;
        const uint8_t *grey = pixel_at(image, middle_x, 180);
        assert_less_case(abs(grey[0] - grey[1]), 3, "diverging %d", diverging);
        assert_less_case(abs(grey[1] - grey[2]), 3, "diverging %d", diverging);
        const uint8_t *right = pixel_at(image, middle_x + 100, 180), *left = pixel_at(image, middle_x - 100, 180);
        if (diverging) {
            assert_less_case(right[2] + 40, right[0], "diverging %d", diverging);
            assert_less_case(left[0] + 40, left[2], "diverging %d", diverging);
        } else
            assert_less_case(left[1] + 60, right[1], "diverging %d", diverging);
        // Numbers and label stand to the right of the bar.
        assert_less_case(150, drawn_pixels(image, (int)bar.right + 8, 480, 0, 360), "diverging %d", diverging);
        ruga_image_destroy(image);
    }
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

static void panels_stand_in_a_grid_with_captions_below(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 16, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    ruga_panel panels[6];
    for (int i = 0; i < 6; i++)
        panels[i] =
            (ruga_panel){.caption = "CAPTION", .mesh_count = 1, .meshes = &item, .camera = ruga_camera_default()};
    ruga_render_def def = small_def(panels, 6);
    def.width = 480, def.height = 360, def.columns = 3, def.occlusion_samples = 0, def.title = "TITLE";
    ruga_image *image = render(context, &def);
    double widths[6] = {0};
    layout_panel places[6];
    layout_panels(&def, widths, NULL, places);
    assert_less(50, drawn_pixels(image, 0, 480, 0, places[0].top));
    for (int i = 0; i < 6; i++) {
        layout_panel *p = &places[i];
        assert_true(p->top == places[i / 3 * 3].top && p->left == places[i % 3].left);
        // The ball in the middle, the letters below.
        size_t ball_pixels = drawn_pixels(image, p->left, p->left + p->width, p->top, p->top + p->height);
        double radius = 0.455 * (p->height < p->width ? p->height : p->width);
        assert_near_case((double)ball_pixels / (PI * radius * radius), 1, 0.08, "i %d", i);
        int below = p->top + p->height, end = i < 3 ? places[3].top : 360;
        assert_less_case(50, drawn_pixels(image, (int)p->cell_left, (int)p->cell_right, below, end), "i %d", i);
    }
    ruga_image_destroy(image);
    // A short last row stands in the middle.
    def.panel_count = 5;
    layout_panels(&def, widths, NULL, places);
    assert_near(places[3].cell_left, def.width - places[4].cell_right, 1e-6);
    assert_less(1, places[3].cell_left);
    def.panel_count = 6;
    // Chosen columns: a strip for a wide picture, a column for a high one.
    def.columns = 0, def.title = NULL;
    def.width = 1200, def.height = 150;
    layout_panels(&def, widths, NULL, places);
    assert_true(places[5].top == places[0].top);
    def.width = 150, def.height = 1600;
    layout_panels(&def, widths, NULL, places);
    assert_true(places[5].left == places[0].left);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

/* Two sheets, one wide and one high: columns share the width by what they show, unless panels have one camera. */
static void panels_follow_the_shape_of_what_they_show(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *square = make_square(context, 1);
    ruga_vec3 places[2][4];
    ruga_frame frames[2];
    ruga_render_mesh items[2];
    ruga_panel panels[2];
    for (int i = 0; i < 2; i++) {
        for (int v = 0; v < 4; v++) {
            places[i][v] = square->positions[v];
            places[i][v].x *= i ? 1 : 2;
        }
        frames[i] = (ruga_frame){.vertex_count = 4, .positions = places[i]};
        items[i] = ruga_render_mesh_default(square);
        items[i].frame = &frames[i];
        panels[i] = (ruga_panel){.mesh_count = 1, .meshes = &items[i], .camera = ruga_camera_default()};
        panels[i].camera.azimuth = panels[i].camera.elevation = 0;
    }
    ruga_render_def def = small_def(panels, 2);
    def.width = 600, def.height = 200, def.columns = 2, def.occlusion_samples = 0;
    for (int shared = 0; shared < 2; shared++) {
        def.shared_camera = shared;
        ruga_image *image = render(context, &def);
        int border = 0;  // right end of the first sheet
        for (int x = 0; x < 598; x++)
            if (drawn_pixels(image, x, x + 1, 90, 110) > 0 && drawn_pixels(image, x + 1, x + 2, 90, 110) == 0 &&
                border == 0)
                border = x;
        // Of 600 pixels two thirds are the first one's, of which it fills 0.91; or half, of which it fills 0.91.
        assert_near_case(border, shared ? 0.5 * 600 * 0.955 : 600 * 2.0 / 3 * 0.955, 8, "shared %d", shared);
        ruga_image_destroy(image);
    }
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

/* Held at the lowest point it is the ground that is there anyway; held lower, the shadow leaves the feet. */
static void ground_can_be_held(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 16, 1, origin);
    ruga_render_mesh look = ruga_render_mesh_default(ball);
    ruga_panel panel = {.mesh_count = 1, .meshes = &look, .camera = ruga_camera_default()};
    ruga_render_def def = small_def(&panel, 1);
    def.ground = 1;
    ruga_image *lowest = render(context, &def);
    double low = INFINITY;
    for (size_t i = 0; i < ball->vertex_count; i++) low = fmin(low, ball->positions[i].y);
    def.ground_height = low;
    ruga_image *held = render(context, &def);
    def.ground_height = low - 0.3;
    ruga_image *below = render(context, &def);
    size_t bytes = (size_t)held->width * (size_t)held->height * 3;
    assert_memory_equal(held->pixels, lowest->pixels, bytes);
    assert_memory_not_equal(below->pixels, lowest->pixels, bytes);
    def.ground_height = INFINITY;
    ruga_image *none = NULL;
    assert_status(ruga_render(context, &def, &none), RUGA_ERROR_ARGUMENT);
    ruga_image_destroy(lowest);
    ruga_image_destroy(held);
    ruga_image_destroy(below);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

static double mean_error(const ruga_image *a, const ruga_image *b) {
    double sum = 0;
    const size_t count = 3 * (size_t)a->width * (size_t)a->height;
    for (size_t i = 0; i < count; i++) {
        double d = (double)a->pixels[i] - (double)b->pixels[i];
        sum += d * d;
    }
    return sum / (double)count;
}

static void filtered_picture_is_nearer_to_one_of_many_rays(void **state) {
    (void)state;
    skip_when_sanitized();
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 24, 0.7, (ruga_vec3){0.4, 0, 0.8}), *square = make_square(context, 2);
    ruga_render_mesh items[2] = {ruga_render_mesh_default(ball), ruga_render_mesh_default(square)};
    ruga_panel panel = {.mesh_count = 2, .meshes = items, .camera = ruga_camera_default()};
    ruga_render_def def = small_def(&panel, 1);
    def.ground = 1, def.occlusion_samples = 256;
    ruga_image *many = render(context, &def);
    def.occlusion_samples = 6;
    ruga_image *filtered = render(context, &def);
    def.no_filter = 1;
    ruga_image *plain = render(context, &def);
    // At least 3 dB: half the square of the error.
    assert_less(2 * mean_error(filtered, many), mean_error(plain, many));
    // The noise of another picture of a film is another one, of the same size.
    def.number = 7;
    ruga_image *next = render(context, &def);
    assert_less(0.5 * mean_error(plain, many), mean_error(next, plain));
    assert_near(mean_error(next, many) / mean_error(plain, many), 1, 0.2);
    ruga_image *all[4] = {many, filtered, plain, next};
    for (int i = 0; i < 4; i++) ruga_image_destroy(all[i]);
    ruga_mesh_destroy(ball);
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

/* Bands of rows, which large pictures are traced in, leave no seam. */
static void a_picture_of_several_bands_is_one(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 8, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = camera_at(3, 40)};
    ruga_render_def def = small_def(&panel, 1);
    // A row of 16,384 pixels: the least band has 64 rows.
    def.width = 16384, def.height = 90, def.samples = 1, def.occlusion_samples = 2;
    ruga_image *wide = render(context, &def);
    int step = 0;
    for (int x = 8192 - 20; x < 8192 + 20; x++)
        for (int y = 60; y < 68; y++) {
            int d = abs(pixel_at(wide, x, y)[1] - pixel_at(wide, x, y + 1)[1]);
            step = d > step ? d : step;
        }
    assert_at_most(step, 12);
    ruga_image_destroy(wide);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

/* The light of a square's middle, seen from the front, by a finish; turned so that the rim light is behind it. */
static int middle_by_finish(ruga_context *context, ruga_mesh *square, ruga_finish finish, double azimuth) {
    ruga_render_mesh item = ruga_render_mesh_default(square);
    item.finish = finish;
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default()};
    panel.camera.azimuth = azimuth;
    ruga_render_def def = small_def(&panel, 1);
    ruga_image *image = render(context, &def);
    int value = pixel_at(image, 80, 60)[0];
    ruga_image_destroy(image);
    return value;
}

static void finishes_differ_as_their_materials_do(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *square = make_square(context, 3);
    // Seen from behind the lights, paper and cloth let some of it through; seen flat, cloth has a sheen.
    for (int k = 0; k < RUGA_FINISH_COUNT; k++) {
        int value = middle_by_finish(context, square, (ruga_finish)k, 0);
        assert_less_case(20, value, "finish %d", k);
        assert_less_case(value, 255, "finish %d", k);
    }
    int plain = middle_by_finish(context, square, RUGA_FINISH_PLAIN, 60);
    assert_less(plain + 3, middle_by_finish(context, square, RUGA_FINISH_PAPER, 60));
    plain = middle_by_finish(context, square, RUGA_FINISH_PLAIN, 68);
    assert_less(plain + 3, middle_by_finish(context, square, RUGA_FINISH_CLOTH, 68));
    ruga_render_mesh item = ruga_render_mesh_default(square);
    item.finish = RUGA_FINISH_COUNT;
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default()};
    ruga_render_def def = small_def(&panel, 1);
    ruga_image *none = NULL;
    assert_status(ruga_render(context, &def, &none), RUGA_ERROR_ARGUMENT);
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

/* A ball under a roof that hides both lights, which the picture shows from its edge. */
typedef struct roofed {
    ruga_mesh *ball, *roof;
    ruga_vec3 places[4];
    ruga_frame frame;
    ruga_render_mesh items[2];
    ruga_panel panel;
} roofed;

static ruga_image *render_roofed(ruga_context *context, roofed *r, ruga_finish finish, ruga_colour colour) {
    r->ball = make_ball(context, 32, 1, origin), r->roof = make_square(context, 1);
    for (int v = 0; v < 4; v++)
        r->places[v] = (ruga_vec3){12 * r->roof->positions[v].x, 1.35, 12 * r->roof->positions[v].y};
    r->frame = (ruga_frame){.vertex_count = 4, .positions = r->places};
    r->items[0] = ruga_render_mesh_default(r->ball), r->items[1] = ruga_render_mesh_default(r->roof);
    r->items[1].frame = &r->frame, r->items[0].finish = finish, r->items[0].front = colour;
    r->panel = (ruga_panel){.mesh_count = 2, .meshes = r->items, .camera = camera_at(6, 18)};
    ruga_render_def def = small_def(&r->panel, 1);
    def.samples = 4, def.occlusion_samples = 16;
    ruga_image *image = render(context, &def);
    ruga_mesh_destroy(r->ball);
    ruga_mesh_destroy(r->roof);
    return image;
}

/* Light wraps around the edge of skin's own shadow, but not into a shadow that something else casts. The sky is blue:
 * red light is of a lamp. */
static void wrapped_light_stays_out_of_cast_shadows(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    roofed r;
    ruga_image *image = render_roofed(context, &r, RUGA_FINISH_SKIN, (ruga_colour){0.8f, 0.8f, 0.8f});
    int drawn = 0;
    for (int y = 30; y < 110; y++)
        for (int x = 40; x < 120; x++) {
            const uint8_t *p = pixel_at(image, x, y);
            if (p[0] == 255) continue;
            drawn++;
            assert_at_most(p[0], p[2] + 3);
        }
    assert_less(2000, drawn);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

/* Dark cloth in the shade has a colour, not black, and its folds still differ. */
static void shadows_do_not_clip(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    roofed r;
    ruga_image *image = render_roofed(context, &r, RUGA_FINISH_CLOTH, (ruga_colour){0.35f, 0.12f, 0.08f});
    int darkest = 255, brightest = 0;
    for (int y = 30; y < 110; y++)
        for (int x = 40; x < 120; x++) {
            const uint8_t *p = pixel_at(image, x, y);
            const int luma = (54 * p[0] + 183 * p[1] + 19 * p[2]) / 256;
            if (p[0] == 255) continue;
            darkest = luma < darkest ? luma : darkest, brightest = luma > brightest ? luma : brightest;
        }
    assert_less(24, darkest);
    assert_less(darkest + 8, brightest);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

/* Rows of panels meet in the plain background: no line between them. */
static void ground_runs_on_across_rows(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *ball = make_ball(context, 8, 1, origin);
    ruga_render_mesh item = ruga_render_mesh_default(ball);
    ruga_panel panels[2];
    for (int i = 0; i < 2; i++)
        panels[i] = (ruga_panel){.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default()};
    ruga_render_def def = small_def(panels, 2);
    def.width = 200, def.height = 400, def.columns = 1, def.ground = 1;
    def.background = (ruga_colour){0.8f, 0.8f, 0.8f};
    ruga_image *image = render(context, &def);
    for (int y = 150; y < 250; y++)
        for (int x = 4; x < 200; x += 192)
            assert_at_most(abs(pixel_at(image, x, y)[1] - pixel_at(image, x, y + 1)[1]), 4);
    ruga_image_destroy(image);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

/* Panels with given cameras share the width by the aspects that the caller gives: without, they are of one width. */
static void panels_with_cameras_follow_their_aspects(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *square = make_square(context, 1);
    ruga_render_mesh item = ruga_render_mesh_default(square);
    ruga_panel panels[2];
    for (int i = 0; i < 2; i++) panels[i] = (ruga_panel){.mesh_count = 1, .meshes = &item, .camera = camera_at(8, 30)};
    ruga_render_def def = small_def(panels, 2);
    def.width = 600, def.height = 200, def.columns = 2, def.occlusion_samples = 0;
    for (int given = 0; given < 2; given++) {
        panels[0].aspect = given ? 2 : 0, panels[1].aspect = given ? 1 : 0;
        ruga_image *image = render(context, &def);
        double sum = 0, count = 0;  // of the first square's columns
        for (int x = 0; x < (given ? 400 : 300); x++)
            if (drawn_pixels(image, x, x + 1, 98, 102) > 0) sum += x, count++;
        assert_near_case(sum / count, given ? 200 : 150, 6, "given %d", given);
        ruga_image_destroy(image);
    }
    panels[0].aspect = -1;
    ruga_image *none = NULL;
    assert_status(ruga_render(context, &def, &none), RUGA_ERROR_ARGUMENT);
    ruga_mesh_destroy(square);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrapped_light_stays_out_of_cast_shadows),
        cmocka_unit_test(shadows_do_not_clip),
        cmocka_unit_test(ground_runs_on_across_rows),
        cmocka_unit_test(panels_with_cameras_follow_their_aspects),
        cmocka_unit_test(filtered_picture_is_nearer_to_one_of_many_rays),
        cmocka_unit_test(a_picture_of_several_bands_is_one),
        cmocka_unit_test(finishes_differ_as_their_materials_do),
        cmocka_unit_test(silhouette_of_a_sphere_has_the_area_of_theory),
        cmocka_unit_test(picture_does_not_depend_on_threads),
        cmocka_unit_test(symmetric_scene_gives_a_symmetric_silhouette),
        cmocka_unit_test(framing_is_tight_and_holds_every_vertex),
        cmocka_unit_test(zoom_magnifies_about_the_middle),
        cmocka_unit_test(shared_camera_shows_equal_things_equally_large),
        cmocka_unit_test(wires_follow_faces_and_not_diagonals),
        cmocka_unit_test(curves_and_points_show_in_front_and_hide_behind),
        cmocka_unit_test(curves_that_pass_the_eye_are_cut_off),
        cmocka_unit_test(sides_have_their_own_colours),
        cmocka_unit_test(smooth_shading_is_smooth_and_breaks_at_creases),
        cmocka_unit_test(normals_of_the_frame_are_used),
        cmocka_unit_test(ground_fades_to_a_background_that_darkens_upwards),
        cmocka_unit_test(ground_runs_on_across_panels),
        cmocka_unit_test(things_stay_in_their_panels),
        cmocka_unit_test(ground_can_be_held),
        cmocka_unit_test(hollows_are_darker_than_open_faces),
        cmocka_unit_test(legend_has_the_colours_of_the_map),
        cmocka_unit_test(panels_stand_in_a_grid_with_captions_below),
        cmocka_unit_test(panels_follow_the_shape_of_what_they_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
