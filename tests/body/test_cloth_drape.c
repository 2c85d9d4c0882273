/* The drape of fabric: a disc that is held between two smaller plates, as in Cusick's drape meter, hangs down around
 * them. Its drape coefficient is the area of its shadow beyond the plates, as a part of what it is when flat. */
#include <math.h>
#include <string.h>

#include "body/cloth.h"
#include "mesh/mesh.h"
#include "ruga/scene.h"
#include "support/shapes.h"
#include "system/world.h"

#define PLATE 0.09  /* m, radius */
#define FABRIC 0.15 /* m, radius */
#define PI 3.14159265358979323846

enum { PIXELS = 600, FOLDS = 5 };

/* ---- Meshes: n cells along the radius. */

static ruga_mesh *disc_of_triangles(ruga_context *context, int n) {
    const double values[2] = {FABRIC, n};
    ruga_mesh *mesh;
    assert_ok(context, ruga_model_make(context, "disc", values, &mesh));
    return mesh;
}

/* Points near the borders of plate and fabric are moved onto them. */
static vec3 grid_point(int n, int i, int j) {
    double cell = FABRIC / n, x = (i - n - 1) * cell, z = (j - n - 1) * cell, r = hypot(x, z);
    double to = fabs(r - PLATE) < 0.45 * cell ? PLATE : fabs(r - FABRIC) < 0.45 * cell ? FABRIC : r;
    return r > 0 ? (vec3){x * to / r, 0, z * to / r} : (vec3){0, 0, 0};
}

static int is_on_disc(vec3 p) { return hypot(p.x, p.z) < FABRIC + 1e-9; }

typedef struct face_list {
    size_t count, corner_count;
    uint32_t sizes[8192], corners[32768];
} face_list;

/* A square of the grid, or the part of it that is on the disc, if that has an area. */
static void add_square(const vec3 *grid, const uint32_t square[4], double cell, face_list *faces) {
    uint32_t *out = faces->corners + faces->corner_count, size = 0;
    assert_at_most(faces->corner_count + 4, 32768);
    for (int k = 0; k < 4; k++)
        if (is_on_disc(grid[square[k]])) out[size++] = square[k];
    if (size < 3) return;
    vec3 a = vec3_sub(grid[out[1]], grid[out[0]]), b = vec3_sub(grid[out[2]], grid[out[0]]);
    if (size == 3 && vec3_length(vec3_cross(a, b)) < 0.1 * cell * cell) return;
    faces->sizes[faces->count++] = size;
    faces->corner_count += size;
}

/* A grid of squares along warp and weft, cut off at the border: quads, and triangles at the border. */
static ruga_mesh *disc_of_quads(ruga_context *context, int n) {
    enum { MOST = 64 };
    static vec3 grid[MOST * MOST], points[MOST * MOST];
    static face_list faces;
    static uint32_t numbers[MOST * MOST];
    uint32_t w = 2 * (uint32_t)n + 3, count = 0;
    assert_at_most(w, MOST);
    faces.count = faces.corner_count = 0;
    for (uint32_t i = 0; i < w * w; i++) grid[i] = grid_point(n, (int)(i % w), (int)(i / w));
    for (uint32_t j = 0; j + 1 < w; j++)
        for (uint32_t i = 0; i + 1 < w; i++) {
            uint32_t a = j * w + i;
            const uint32_t square[4] = {a, a + w, a + w + 1, a + 1};
            add_square(grid, square, FABRIC / n, &faces);
        }
    memset(numbers, 0xff, sizeof numbers);
    for (size_t k = 0; k < faces.corner_count; k++) {
        uint32_t *number = &numbers[faces.corners[k]];
        if (*number == UINT32_MAX) {
            points[count] = grid[faces.corners[k]];
            *number = count++;
        }
        faces.corners[k] = *number;
    }
    return shape_make(context, count, points, faces.count, faces.sizes, faces.corners);
}

/* ---- The drape coefficient. */

/* Pixels of a picture from above that a triangle covers. */
static void draw_triangle(const vec3 p[3], unsigned char *picture) {
    double side = 2.1 * FABRIC, x[3], z[3];
    for (int k = 0; k < 3; k++) {
        x[k] = (p[k].x / side + 0.5) * PIXELS;
        z[k] = (p[k].z / side + 0.5) * PIXELS;
    }
    double twice = (x[1] - x[0]) * (z[2] - z[0]) - (z[1] - z[0]) * (x[2] - x[0]);
    if (twice == 0) return;
    for (int j = (int)fmin(fmin(z[0], z[1]), z[2]); j <= (int)fmax(fmax(z[0], z[1]), z[2]); j++)
        for (int i = (int)fmin(fmin(x[0], x[1]), x[2]); i <= (int)fmax(fmax(x[0], x[1]), x[2]); i++) {
            double at_x = i + 0.5, at_z = j + 0.5;
            double a = ((x[1] - at_x) * (z[2] - at_z) - (z[1] - at_z) * (x[2] - at_x)) / twice;
            double b = ((x[2] - at_x) * (z[0] - at_z) - (z[2] - at_z) * (x[0] - at_x)) / twice;
            assert_at_most(0, i);
            assert_at_most(0, j);
            assert_less(i, PIXELS);
            assert_less(j, PIXELS);

            if (a >= -1e-9 && b >= -1e-9 && a + b <= 1 + 1e-9) picture[j * PIXELS + i] = 1;
        }
}

static double drape_coefficient(const ruga_mesh *mesh, const vec3 *positions) {
    static unsigned char picture[PIXELS * PIXELS];
    size_t covered = 0;
    memset(picture, 0, sizeof picture);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        const vec3 corners[3] = {positions[c[0]], positions[c[1]], positions[c[2]]};
        draw_triangle(corners, picture);
    }
    for (size_t i = 0; i < sizeof picture; i++) covered += picture[i];
    double shadow = (double)covered * pow(2.1 * FABRIC / PIXELS, 2), plate = PI * PLATE * PLATE;
    return (shadow - plate) / (PI * FABRIC * FABRIC - plate);
}

/* ---- Draping. */

/* A little wave along the border, so that the number of folds does not depend on rounding: fabric has several stable
 * drapes. */
static void start_folds(body *b) {
    for (size_t i = 0; i < b->point_count; i++) {
        vec3 *p = &b->positions[i];
        double beyond = hypot(p->x, p->z) - PLATE;
        if (beyond > 1e-6) p->y += 0.05 * beyond * cos(FOLDS * atan2(p->z, p->x));
    }
}

/* A fabric of a preset, in thick air so that it soon rests, with or without the friction of its yarns. */
static double drape_of(ruga_mesh *mesh, int elements, const char *material, int rubs, int frames, double *speed) {
    ruga_context *context = mesh->context;
    cloth_def def = cloth_def_default();
    static uint32_t held[4096];
    cloth_pin_def pins = {.vertices = held};
    for (size_t k = 0; k < ruga_material_preset_count(); k++)
        if (strcmp(ruga_material_preset_get(k)->values.name, material) == 0)
            def.material = ruga_material_preset_get(k)->values;
    if (!rubs) def.material.bend_friction = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (hypot(mesh->positions[i].x, mesh->positions[i].z) < PLATE + 1e-6) held[pins.count++] = (uint32_t)i;
    def.values.elements = elements;
    def.values.quads = 1;
    def.values.integrator = INTEGRATOR_IMPLICIT;
    def.values.shear = NAN;
    def.values.warp = (vec3){1, 0, 0};
    def.values.drag = 3;
    def.values.lift = 0;
    def.pins = &pins;
    def.pin_def_count = 1;
    body *b;
    world *w;
    size_t object;
    assert_ok(context, cloth_create(mesh, &def, &b));
    assert_ok(context, world_create(context, &w));
    assert_ok(context, world_add_object(w, "fabric", b, &object));
    world_environment(w)->gravity = (vec3){0, -9.81, 0};
    assert_ok(context, world_settle(w, 0, 1));
    start_folds(b);
    for (int f = 1; f <= frames; f++) assert_ok(context, world_step(w, f / 24.0, 2, 1, 1));
    double coefficient = drape_coefficient(mesh, b->positions), squares = 0;
    for (size_t i = 0; i < b->point_count; i++) squares += vec3_length2(b->velocities[i]);
    *speed = sqrt(squares / (double)b->point_count);
    world_destroy(w);
    return coefficient;
}

static void a_flat_disc_covers_all_of_its_area(void **state) {
    ruga_mesh *meshes[2] = {disc_of_triangles(*state, 15), disc_of_quads(*state, 15)};
    for (int k = 0; k < 2; k++) {
        assert_near(drape_coefficient(meshes[k], meshes[k]->positions), 1, 0.015);
        ruga_mesh_destroy(meshes[k]);
    }
}

/* Triangles around the middle and quads along the yarns, each as a membrane and as springs: three resolutions each. */
static void a_fabric_drapes_alike_on_triangles_and_quads_of_both_elements_at_three_resolutions(void **state) {
    skip_unless_long();
    double least = INFINITY, most = 0;
    for (int n = 15; n <= 25; n += 5)
        for (int kind = 0; kind < 4; kind++) {
            double speed;
            ruga_mesh *mesh = kind > 1 ? disc_of_quads(*state, n) : disc_of_triangles(*state, n);
            double coefficient = drape_of(mesh, kind % 2 ? CLOTH_SPRINGS : CLOTH_MEMBRANE, "denim", 0, 18, &speed);
            assert_less_case(speed, 0.005, "%d cells, kind %d", n, kind);
            least = fmin(least, coefficient);
            most = fmax(most, coefficient);
            ruga_mesh_destroy(mesh);
        }
    assert_less(most - least, 0.05 * least);
    assert_less(0.7, least);
    assert_less(most, 0.9);
}

/* Friction holds discs higher, within f of their elastic curvature, and on all meshes alike. */
static void friction_raises_the_drape_alike_on_all_meshes(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    double least = INFINITY, most = 0, speed;
    for (int kind = 0; kind < 4; kind++) {
        const int n = kind % 2 ? 10 : 15;
        ruga_mesh *mesh = kind > 1 ? disc_of_quads(*state, n) : disc_of_triangles(*state, n);
        double coefficient = drape_of(mesh, kind % 2 ? CLOTH_SPRINGS : CLOTH_MEMBRANE, "denim", 1, 24, &speed);
        assert_less_case(speed, 0.005, "kind %d", kind);
        least = fmin(least, coefficient);
        most = fmax(most, coefficient);
        ruga_mesh_destroy(mesh);
    }
    assert_less(most - least, 0.05 * least);
    assert_less(0.8, least);
    assert_less(most, 0.9);
}

/* Bending length ∛(bend / weight per area): 29 mm of denim, 17 mm of cotton. */
static void fabric_with_a_greater_bending_length_drapes_less(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    double coefficients[2], speed;
    static const char *const materials[2] = {"denim", "cotton"};
    for (int k = 0; k < 2; k++) {
        ruga_mesh *mesh = disc_of_triangles(*state, 15);
        coefficients[k] = drape_of(mesh, CLOTH_MEMBRANE, materials[k], 1, 36, &speed);
        ruga_mesh_destroy(mesh);
    }
    assert_less(coefficients[1] + 0.1, coefficients[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_disc_covers_all_of_its_area),
        cmocka_unit_test(a_fabric_drapes_alike_on_triangles_and_quads_of_both_elements_at_three_resolutions),
        cmocka_unit_test(friction_raises_the_drape_alike_on_all_meshes),
        cmocka_unit_test(fabric_with_a_greater_bending_length_drapes_less),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
