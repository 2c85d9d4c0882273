/* Round models of nearly equal triangles: disc, sphere and capsule. */
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "model/model.h"
#include "ruga/subdivide.h"

#define TWO_PI 6.283185307179586476925

/* ---- Disc: one vertex in the middle, 6 k in ring k. values: radius, rings. */
static uint32_t disc_vertex(size_t ring, size_t i) {
    return ring == 0 ? 0 : (uint32_t)(1 + 3 * ring * (ring - 1) + i % (6 * ring));
}

/* The band between rings k - 1 and k: each sixth has k triangles on the outer ring and k - 1 on the inner one. */
static uint32_t *disc_band(size_t k, uint32_t *corners) {
    for (size_t sixth = 0; sixth < 6; sixth++)
        for (size_t i = 0; i < k; i++) {
            size_t outer = sixth * k + i, inner = sixth * (k - 1) + i;
            *corners++ = disc_vertex(k - 1, inner);
            *corners++ = disc_vertex(k, outer);
            *corners++ = disc_vertex(k, outer + 1);
            if (i + 1 == k) continue;
            *corners++ = disc_vertex(k - 1, inner);
            *corners++ = disc_vertex(k, outer + 1);
            *corners++ = disc_vertex(k - 1, inner + 1);
        }
    return corners;
}

ruga_status model_disc(ruga_context *context, const double *values, mesh_parts *parts) {
    size_t rings = (size_t)values[1], vertices = 1 + 3 * rings * (rings + 1);
    TRY(mesh_parts_allocate(context, parts, vertices, 6 * rings * rings));
    float *uv;
    TRY(NEW(context, &uv, 2 * vertices));
    parts->positions[0] = vec3_make(0, 0, 0);
    uv[0] = uv[1] = 0.5f;
    uint32_t *corners = parts->face_vertices;
    for (size_t k = 1; k <= rings; k++) {
        for (size_t i = 0; i < 6 * k; i++) {
            double angle = TWO_PI * (double)i / (double)(6 * k), r = (double)k / (double)rings;
            uint32_t n = disc_vertex(k, i);
            parts->positions[n] = vec3_make(values[0] * r * cos(angle), 0, -values[0] * r * sin(angle));
            uv[2 * n] = (float)(0.5 + 0.5 * r * cos(angle));
            uv[2 * n + 1] = (float)(0.5 + 0.5 * r * sin(angle));
        }
        corners = disc_band(k, corners);
    }
    return model_add_uv(context, parts, vertices, uv, NULL);
}

/* ---- Sphere: a subdivided icosahedron with a vertex at each pole, projected. values: radius, frequency. */
static void icosahedron(ruga_vec3 positions[12], uint32_t triangles[60]) {
    const double height = 1 / sqrt(5.0), ring = 2 / sqrt(5.0);
    positions[0] = vec3_make(0, 1, 0);
    positions[11] = vec3_make(0, -1, 0);
    for (uint32_t i = 0; i < 5; i++) {
        double upper = TWO_PI * i / 5, lower = upper + TWO_PI / 10;
        positions[1 + i] = vec3_make(ring * sin(upper), height, ring * cos(upper));
        positions[6 + i] = vec3_make(ring * sin(lower), -height, ring * cos(lower));
        uint32_t a = 1 + i, b = 1 + (i + 1) % 5, c = 6 + i, d = 6 + (i + 1) % 5;
        uint32_t corners[12] = {0, a, b, a, c, b, b, c, d, c, 11, d};
        memcpy(triangles + 12 * i, corners, sizeof corners);
    }
}

static ruga_status refined_icosahedron(ruga_context *context, int frequency, ruga_mesh **out) {
    ruga_vec3 positions[12];
    uint32_t triangles[60];
    icosahedron(positions, triangles);
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){.data = positions, .count = 12, .type = RUGA_F64};
    def.face_count = 20;
    def.face_vertices = triangles;
    ruga_mesh *coarse = NULL;
    TRY(ruga_mesh_create(context, &def, &coarse));
    ruga_subdivide_def finer = ruga_subdivide_def_default();
    finer.n = frequency;
    ruga_status status = ruga_mesh_subdivide(coarse, &finer, out, NULL);
    ruga_mesh_destroy(coarse);
    return status;
}

/* Longitude and latitude, by corner: triangles that cross the seam continue beyond 1, and a pole has a UV for each
 * triangle, in the middle of it. */
static void sphere_corner_uv(const mesh_parts *parts, double radius, size_t triangle, float uv[6]) {
    double u[3], v[3];
    int pole = -1;
    for (int k = 0; k < 3; k++) {
        vec3 p = parts->positions[parts->face_vertices[3 * triangle + (size_t)k]];
        if (hypot(p.x, p.z) < 1e-9 * radius) pole = k;
        u[k] = atan2(p.x, p.z) / TWO_PI + 0.5;
        v[k] = 0.5 + asin(fmax(-1, fmin(1, p.y / radius))) * 2 / TWO_PI;
    }
    double highest = 0;
    for (int k = 0; k < 3; k++)
        if (k != pole) highest = fmax(highest, u[k]);
    for (int k = 0; k < 3; k++)
        if (u[k] < highest - 0.5) u[k] += 1;
    if (pole >= 0) u[pole] = (u[(pole + 1) % 3] + u[(pole + 2) % 3]) / 2;
    for (int k = 0; k < 3; k++) {
        uv[2 * k] = (float)u[k];
        uv[2 * k + 1] = (float)v[k];
    }
}

ruga_status model_sphere(ruga_context *context, const double *values, mesh_parts *parts) {
    ruga_mesh *fine = NULL;
    TRY(refined_icosahedron(context, (int)values[1], &fine));
    ruga_status status = mesh_parts_allocate(context, parts, fine->vertex_count, fine->triangle_count);
    if (!RUGA_FAILED(status)) {
        memcpy(parts->face_vertices, fine->triangles, parts->corner_count * sizeof(uint32_t));
        for (size_t i = 0; i < fine->vertex_count; i++)
            parts->positions[i] = vec3_scale(vec3_normalise(fine->positions[i]), values[0]);
    }
    ruga_mesh_destroy(fine);
    TRY(status);

    float *uv;
    TRY(NEW(context, &uv, 2 * parts->corner_count));
    for (size_t t = 0; t < parts->face_count; t++) sphere_corner_uv(parts, values[0], t, uv + 6 * t);
    return mesh_parts_add(context, parts, "uv", RUGA_DOMAIN_CORNER, RUGA_F32, 2, parts->corner_count, uv, NULL);
}

/* ---- Capsule: two discs projected onto hemispheres, the lower one reversed, and a wall between their borders. values:
 * radius, length, rings. */
typedef struct capsule {
    double radius, half; /* m */
    size_t rings, sectors, rows;
    size_t disc; /* vertices of one */
} capsule;

static capsule capsule_of(const double *values) {
    capsule c = {.radius = values[0], .half = values[1] / 2, .rings = (size_t)values[2]};
    c.sectors = 6 * c.rings;
    c.disc = 1 + 3 * c.rings * (c.rings + 1);
    /* Cells of the wall are about as long as those of the ends; at most 4096 rows. */
    double rows = floor(values[1] / (values[0] * TWO_PI / 4) * values[2] + 0.5);
    c.rows = (size_t)fmin(fmax(rows, 1), 4096);
    return c;
}

/* Row 0 is the border of the lower hemisphere, the last row that of the upper one. */
static uint32_t capsule_wall_vertex(const capsule *c, size_t i, size_t j) {
    size_t column = i % c->sectors;
    if (j == 0 || j == c->rows) return (uint32_t)(j ? 0 : c->disc) + disc_vertex(c->rings, column);
    return (uint32_t)(2 * c->disc + (j - 1) * c->sectors + column);
}

static vec3 capsule_place(const capsule *c, double turn, double latitude, double height) {
    double out = c->radius * cos(latitude);
    return vec3_make(out * cos(turn * TWO_PI), height + c->radius * sin(latitude), -out * sin(turn * TWO_PI));
}

static void capsule_points(const capsule *c, vec3 *positions) {
    for (size_t k = 0; k <= c->rings; k++)
        for (size_t i = 0; i < (k ? 6 * k : 1); i++) {
            double latitude = TWO_PI / 4 * (1 - (double)k / (double)c->rings),
                   turn = k ? (double)i / (double)(6 * k) : 0;
            positions[disc_vertex(k, i)] = capsule_place(c, turn, latitude, c->half);
            positions[c->disc + disc_vertex(k, i)] = capsule_place(c, turn, -latitude, -c->half);
        }
    for (size_t j = 1; j < c->rows; j++)
        for (size_t i = 0; i < c->sectors; i++)
            positions[capsule_wall_vertex(c, i, j)] =
                capsule_place(c, (double)i / (double)c->sectors, 0, (2 * (double)j / (double)c->rows - 1) * c->half);
}

/* The ends are two round islands in the upper half of the UV square, as seen from outside. */
static void capsule_end(const capsule *c, int lower, const vec3 *positions, uint32_t *corners, float *uv) {
    uint32_t *end = corners;
    for (size_t k = 1; k <= c->rings; k++) end = disc_band(k, end);
    for (uint32_t *t = corners; t < end; t += 3) {
        if (lower) {
            uint32_t second = t[1];
            t[1] = t[2] + (uint32_t)c->disc;
            t[2] = second + (uint32_t)c->disc;
            t[0] += (uint32_t)c->disc;
        }
        for (size_t k = 0; k < 3; k++) {
            vec3 p = vec3_scale(positions[t[k]], 0.25 / c->radius);
            *uv++ = (float)((lower ? 0.75 : 0.25) + p.x);
            *uv++ = (float)(0.75 + (lower ? p.z : -p.z));
        }
    }
}

static void capsule_wall(const capsule *c, uint32_t *corners, float *uv) {
    static const unsigned char cell[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (size_t j = 0; j < c->rows; j++)
        for (size_t i = 0; i < c->sectors; i++)
            for (size_t k = 0; k < 6; k++) {
                size_t column = i + cell[k][0], row = j + cell[k][1];
                *corners++ = capsule_wall_vertex(c, column, row);
                *uv++ = (float)((double)column / (double)c->sectors);
                *uv++ = (float)(0.5 * (double)row / (double)c->rows);
            }
}

ruga_status model_capsule(ruga_context *context, const double *values, mesh_parts *parts) {
    capsule c = capsule_of(values);
    size_t end = 6 * c.rings * c.rings, wall = 2 * c.rows * c.sectors;
    TRY(mesh_parts_allocate(context, parts, 2 * c.disc + (c.rows - 1) * c.sectors, 2 * end + wall));
    float *uv;
    TRY(NEW(context, &uv, 2 * parts->corner_count));
    capsule_points(&c, parts->positions);
    capsule_end(&c, 0, parts->positions, parts->face_vertices, uv);
    capsule_end(&c, 1, parts->positions, parts->face_vertices + 3 * end, uv + 6 * end);
    capsule_wall(&c, parts->face_vertices + 6 * end, uv + 12 * end);
    return mesh_parts_add(context, parts, "uv", RUGA_DOMAIN_CORNER, RUGA_F32, 2, parts->corner_count, uv, NULL);
}
