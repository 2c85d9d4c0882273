/* The colliders of a run as meshes: planes as large discs, spheres and capsules of rings, boxes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"
#include "vectors.h"

static const double pi = 3.14159265358979323846;

enum { SECTORS = 64, RINGS = 16 }; /* of a half sphere */
#define PLANE_REACH 1.5            /* radius of the drawn disc of a plane over the size of the objects */

/* Of an axis without length: upwards. */
static ruga_vec3 collider_unit(ruga_vec3 v) { return vec_unit(v, (ruga_vec3){0, 1, 0}); }

/* Two directions across a third, all right angles: right x up = along. */
static void make_axes(ruga_vec3 along, ruga_vec3 *right, ruga_vec3 *up) {
    ruga_vec3 other = fabs(along.x) < 0.9 ? (ruga_vec3){1, 0, 0} : (ruga_vec3){0, 0, 1};
    *right = collider_unit(vec_add(other, -vec_dot(other, along), along));
    *up = vec_cross(along, *right);
}

/* Faces of so many corners each as the mesh of a subject. */
static int set_mesh(session *s, subject *who, const ruga_vec3 *points, size_t point_count, const uint32_t *corners,
                    size_t face_count, uint32_t face_size) {
    uint32_t *sizes = malloc(face_count * sizeof *sizes);
    if (!sizes) return session_no_memory(s);
    for (size_t i = 0; i < face_count; i++) sizes[i] = face_size;
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)points, point_count, 0, RUGA_F64};
    def.face_count = face_count;
    def.face_sizes = sizes;
    def.face_vertices = corners;
    int code = output_code(s, ruga_mesh_create(s->context, &def, &who->mesh));
    free(sizes);
    return code;
}

/* ---- Planes: a disc below the middle of the objects. */
static int make_plane(session *s, const ruga_plane_def *def, ruga_vec3 middle, double reach, subject *who) {
    ruga_vec3 right, up, normal = collider_unit(def->normal), points[SECTORS];
    uint32_t corners[SECTORS];
    make_axes(normal, &right, &up);
    ruga_vec3 centre = vec_add(middle, -vec_dot(vec_add(middle, -1, def->point), normal), normal);
    for (uint32_t k = 0; k < SECTORS; k++) {
        double turn = 2 * pi * k / SECTORS;
        points[k] = vec_add(vec_add(centre, reach * cos(turn), right), reach * sin(turn), up);
        corners[k] = k;
    }
    who->role = SUBJECT_PLANE;
    who->normal = normal;
    return set_mesh(s, who, points, SECTORS, corners, 1, SECTORS);
}

/* ---- Spheres and capsules: rings around the axis from pole to pole. A capsule has its middle ring twice, once at
 * each end of the axis. */
static void fill_rings(ruga_vec3 from, ruga_vec3 to, double radius, size_t rows, ruga_vec3 *points) {
    ruga_vec3 along = collider_unit(vec_add(to, -1, from)), right, up;
    make_axes(along, &right, &up);
    for (size_t r = 0; r < rows; r++) {
        int upper = r > RINGS || rows == 2 * RINGS + 1;
        size_t step = r > RINGS && rows > 2 * RINGS + 1 ? r - 1 : r;
        double angle = pi * ((double)step / (2 * RINGS) - 0.5);
        ruga_vec3 centre = vec_add(upper ? to : from, radius * sin(angle), along);
        for (size_t k = 0; k < SECTORS; k++) {
            double turn = 2 * pi * (double)k / SECTORS, out = radius * cos(angle);
            points[r * SECTORS + k] = vec_add(vec_add(centre, out * cos(turn), right), out * sin(turn), up);
        }
    }
}

static int make_capsule(session *s, ruga_vec3 from, ruga_vec3 to, double radius, subject *who) {
    ruga_vec3 axis = vec_add(to, -1, from);
    size_t rows = 2 * RINGS + 1 + (vec_dot(axis, axis) > 0), quads = (rows - 1) * SECTORS;
    ruga_vec3 *points = malloc(rows * SECTORS * sizeof *points);
    uint32_t *corners = malloc(4 * quads * sizeof *corners);
    int code = points && corners ? 0 : session_no_memory(s);
    if (!code) {
        fill_rings(from, to, radius, rows, points);
        for (size_t i = 0; i < quads; i++) {
            uint32_t row = (uint32_t)(i / SECTORS * SECTORS), k = (uint32_t)(i % SECTORS), next = (k + 1) % SECTORS;
            const uint32_t quad[] = {row + k, row + next, row + SECTORS + next, row + SECTORS + k};
            memcpy(&corners[4 * i], quad, sizeof quad);
        }
        who->role = SUBJECT_ROUND;
        code = set_mesh(s, who, points, rows * SECTORS, corners, quads, 4);
    }
    free(points);
    free(corners);
    return code;
}

/* ---- Boxes, turned about x, then y, then z. */
static ruga_vec3 turn_point(ruga_vec3 p, ruga_vec3 degrees) {
    double a = degrees.x * pi / 180, b = degrees.y * pi / 180, c = degrees.z * pi / 180;
    p = (ruga_vec3){p.x, p.y * cos(a) - p.z * sin(a), p.y * sin(a) + p.z * cos(a)};
    p = (ruga_vec3){p.x * cos(b) + p.z * sin(b), p.y, p.z * cos(b) - p.x * sin(b)};
    return (ruga_vec3){p.x * cos(c) - p.y * sin(c), p.x * sin(c) + p.y * cos(c), p.z};
}

static int make_box(session *s, const ruga_box_def *def, subject *who) {
    static const uint32_t corners[] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    ruga_vec3 points[8];
    for (int i = 0; i < 8; i++) {
        ruga_vec3 corner = {(i & 1 ? 0.5 : -0.5) * def->size.x, (i & 2 ? 0.5 : -0.5) * def->size.y,
                            (i & 4 ? 0.5 : -0.5) * def->size.z};
        points[i] = vec_add(def->centre, 1, turn_point(corner, def->turn));
    }
    who->role = SUBJECT_FLAT;
    return set_mesh(s, who, points, 8, corners, 6, 4);
}

/* ---- All of them. */
static int add_collider(session *s, const char *word, const ruga_variant *collider, ruga_vec3 middle, double reach,
                        picture *p) {
    const char *kind = collider->section->name;
    subject *who;
    TRY_CODE(picture_add(s, p, word, kind, &who));
    who->in_run = 1;
    if (strcmp(kind, "plane") == 0) return make_plane(s, collider->values, middle, reach, who);
    if (strcmp(kind, "box") == 0) return make_box(s, collider->values, who);
    if (strcmp(kind, "sphere") == 0) {
        const ruga_sphere_def *def = collider->values;
        return make_capsule(s, def->centre, def->centre, def->radius, who);
    }
    if (strcmp(kind, "capsule") == 0) {
        const ruga_capsule_def *def = collider->values;
        return make_capsule(s, def->from, def->to, def->radius, who);
    }
    p->subject_count--;
    session_note(s, "colliders of the kind '%s' are not drawn", kind);
    return 0;
}

int run_add_colliders(session *s, const char *directory, picture *p) {
    char path[4200];
    snprintf(path, sizeof path, "%s/scene.json", directory);
    ruga_description *description = NULL;
    ruga_vec3 low, high;
    int code = input_code(s, ruga_description_read(s->context, path, &description));
    if (!code) code = picture_bounds(s, p, directory, &low, &high);
    if (!code) {
        const ruga_list *colliders = &ruga_description_get(description)->colliders;
        ruga_vec3 middle = {0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
        double reach = PLANE_REACH * vec_length(vec_add(high, -1, low));
        for (size_t i = 0; !code && i < colliders->count; i++)
            code = add_collider(s, directory, (const ruga_variant *)colliders->items + i, middle, reach, p);
    }
    ruga_description_destroy(description);
    return code;
}
