/* What the tests of pictures share: small meshes and questions about pixels. */
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

#endif
