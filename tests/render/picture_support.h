/* Shared by the tests of pictures: small meshes, a scene with everything, and questions about pixels. */
#ifndef TESTS_PICTURE_SUPPORT_H
#define TESTS_PICTURE_SUPPORT_H

#include <math.h>

#include "support/support.h"

/* A sphere of quads and triangles by latitude and longitude, seen from outside; y up. */
static inline ruga_mesh *make_ball(ruga_context *context, int rings, double radius, ruga_vec3 centre) {
    int around = 2 * rings;
    size_t count = 0, corner = 0, face = 0;
    ruga_vec3 *positions = calloc((size_t)((rings - 1) * around + 2), sizeof *positions);
    uint32_t *sizes = calloc((size_t)(rings * around), sizeof *sizes);
    uint32_t *corners = calloc((size_t)(4 * rings * around), sizeof *corners);
    const double pi = 3.14159265358979323846;
    for (int i = 1; i < rings; i++)
        for (int k = 0; k < around; k++) {
            double a = pi * i / rings, b = 2 * pi * k / around;
            positions[count++] = (ruga_vec3){centre.x + radius * sin(a) * sin(b), centre.y + radius * cos(a),
                                             centre.z + radius * sin(a) * cos(b)};
        }
    uint32_t top = (uint32_t)count, bottom = top + 1;
    positions[count++] = (ruga_vec3){centre.x, centre.y + radius, centre.z};
    positions[count++] = (ruga_vec3){centre.x, centre.y - radius, centre.z};
    for (int i = 0; i < rings; i++)
        for (int k = 0; k < around; k++) {
            uint32_t a = (uint32_t)((i - 1) * around + k), b = (uint32_t)((i - 1) * around + (k + 1) % around);
            uint32_t c = b + (uint32_t)around, d = a + (uint32_t)around;
            uint32_t upper[3] = {top, d, c}, middle[4] = {a, d, c, b}, lower[3] = {a, bottom, b};
            const uint32_t *from = i == 0 ? upper : i == rings - 1 ? lower : middle;
            sizes[face] = i == 0 || i == rings - 1 ? 3 : 4;
            memcpy(corners + corner, from, sizes[face] * sizeof *corners);
            corner += sizes[face++];
        }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, count, 0, RUGA_F64};
    def.face_count = face, def.face_sizes = sizes, def.face_vertices = corners;
    ruga_mesh *mesh = NULL;
    ruga_status status = ruga_mesh_create(context, &def, &mesh);
    free(positions), free(sizes), free(corners);
    return RUGA_FAILED(status) ? NULL : mesh;
}

/* A square of n x n quads in the plane z = 0, |x|, |y| <= 1, facing +z. */
static inline ruga_mesh *make_square(ruga_context *context, int n) {
    ruga_vec3 *positions = calloc((size_t)((n + 1) * (n + 1)), sizeof *positions);
    uint32_t *sizes = calloc((size_t)(n * n), sizeof *sizes), *corners = calloc((size_t)(4 * n * n), sizeof *corners);
    for (int y = 0; y <= n; y++)
        for (int x = 0; x <= n; x++) positions[y * (n + 1) + x] = (ruga_vec3){2.0 * x / n - 1, 2.0 * y / n - 1, 0};
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            uint32_t a = (uint32_t)(y * (n + 1) + x), *to = corners + 4 * (y * n + x);
            to[0] = a, to[1] = a + 1, to[2] = a + (uint32_t)n + 2, to[3] = a + (uint32_t)n + 1;
            sizes[y * n + x] = 4;
        }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, (size_t)((n + 1) * (n + 1)), 0, RUGA_F64};
    def.face_count = (size_t)(n * n), def.face_sizes = sizes, def.face_vertices = corners;
    ruga_mesh *mesh = NULL;
    ruga_status status = ruga_mesh_create(context, &def, &mesh);
    free(positions), free(sizes), free(corners);
    return RUGA_FAILED(status) ? NULL : mesh;
}

/* A camera on the z axis that looks at the origin. */
static inline ruga_camera camera_at(double distance, double fov) {
    ruga_camera camera = ruga_camera_default();
    camera.given = 1, camera.eye = (ruga_vec3){0, 0, distance}, camera.fov = fov;
    return camera;
}

static inline const uint8_t *pixel_at(const ruga_image *image, int x, int y) {
    return image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

static inline int pixel_is(const ruga_image *image, int x, int y, int r, int g, int b, int within) {
    const uint8_t *p = pixel_at(image, x, y);
    return abs(p[0] - r) <= within && abs(p[1] - g) <= within && abs(p[2] - b) <= within;
}

/* Pixels that are not exactly white. */
static inline size_t drawn_pixels(const ruga_image *image, int left, int right, int top, int bottom) {
    size_t count = 0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) count += (size_t)!pixel_is(image, x, y, 255, 255, 255, 0);
    return count;
}

static inline size_t all_drawn(const ruga_image *image) {
    return drawn_pixels(image, 0, image->width, 0, image->height);
}

/* A def for tests: small, few rays. */
static inline ruga_render_def small_def(const ruga_panel *panels, size_t count) {
    ruga_render_def def = ruga_render_def_default();
    def.width = 160, def.height = 120, def.samples = 4, def.occlusion_samples = 4;
    def.background = (ruga_colour){1, 1, 1};
    def.panels = panels, def.panel_count = count;
    return def;
}

static inline ruga_image *render(ruga_context *context, const ruga_render_def *def) {
    ruga_image *image = NULL;
    assert_ok(context, ruga_render(context, def, &image));
    assert_non_null(image);
    return image;
}

/* A scene with everything in it. */
typedef struct everything {
    ruga_mesh *ball, *square;
    double values[2048];
    ruga_render_mesh items[3];
    ruga_vec3 line[4];
    ruga_render_curve curve;
    ruga_render_points points;
    ruga_panel panels[2];
    ruga_render_def def;
} everything;

static inline ruga_status make_everything(ruga_context *context, everything *e) {
    memset(e, 0, sizeof *e);
    e->ball = make_ball(context, 12, 1, (ruga_vec3){0, 0, 0});
    e->square = e->ball ? make_square(context, 6) : NULL;
    if (!e->square) {
        ruga_mesh_destroy(e->ball);
        return RUGA_ERROR_MEMORY;
    }
    for (size_t i = 0; i < e->ball->vertex_count; i++) e->values[i] = e->ball->positions[i].y;
    for (int i = 0; i < 3; i++) e->items[i] = ruga_render_mesh_default(i == 1 ? e->square : e->ball);
    e->items[0].wireframe = 1;
    e->items[2].smooth = 1, e->items[2].scalar_values = e->values, e->items[2].scalar_label = "height (m)";
    for (int i = 0; i < 4; i++) e->line[i] = (ruga_vec3){sin(i), cos(i), 1};
    e->curve = (ruga_render_curve){e->line, 4, {1, 0, 0}, 8, 1};
    e->points = (ruga_render_points){e->line, 4, {0, 0, 1}, 20};
    e->panels[0] = (ruga_panel){.caption = "one", .mesh_count = 2, .meshes = e->items, .camera = ruga_camera_default()};
    e->panels[0].curve_count = 1, e->panels[0].curves = &e->curve;
    e->panels[0].point_set_count = 1, e->panels[0].point_sets = &e->points;
    e->panels[1] = (ruga_panel){.mesh_count = 1, .meshes = e->items + 2, .camera = ruga_camera_default()};
    e->def = small_def(e->panels, 2);
    e->def.ground = 1, e->def.title = "all";
    return RUGA_OK;
}

static inline void free_everything(everything *e) {
    ruga_mesh_destroy(e->ball);
    ruga_mesh_destroy(e->square);
}

#endif
