#include "render/shaded_mesh.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/mesh.h"
#include "render/view.h"

#define PI 3.14159265358979323846

const ruga_vec3 *surface_item_positions(const ruga_render_mesh *item) {
    return item->frame ? item->frame->positions : item->mesh->positions;
}

void surface_release(ruga_context *context, surface *s) {
    RELEASE_ALL(context, s->positions, s->triangles, s->normals, s->edges);
    if (s->item) loop_smooth_release(s->item->mesh->context, &s->fine);
    *s = (surface){0};
}

/* Which of a triangle's sides are edges of its face: those between corners that follow each other in the face. */
static uint8_t face_edges(const ruga_mesh *mesh, size_t triangle) {
    size_t face = mesh_triangle_face(mesh, triangle);
    size_t begin = mesh_face_begin(mesh, face), end = mesh_face_end(mesh, face);
    unsigned edges = 0;
    for (size_t k = 0; k < 3; k++) {
        size_t a = mesh_triangle_corner(mesh, triangle, k), b = mesh_triangle_corner(mesh, triangle, (k + 1) % 3);
        size_t after_a = a + 1 < end ? a + 1 : begin, after_b = b + 1 < end ? b + 1 : begin;
        if (after_a == b || after_b == a) edges |= 1u << k;
    }
    return (uint8_t)edges;
}

/* Keeps the triangles whose vertices are finite, and where they came from. */
static size_t keep_finite(const ruga_mesh *mesh, const ruga_vec3 *positions, surface *s) {
    size_t kept = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        if (!view_can_show(positions[v[0]]) || !view_can_show(positions[v[1]]) || !view_can_show(positions[v[2]]))
            continue;
        memcpy(s->triangles + 3 * kept, v, 3 * sizeof *v);
        s->edges[kept++] = face_edges(mesh, t);
    }
    return kept;
}

static void place_vertices(const ruga_vec3 *positions, const placement *place, surface *s) {
    for (size_t i = 0; i < s->vertex_count; i++) {
        vec3 p = view_can_show(positions[i]) ? placement_apply(place, positions[i]) : (vec3){0, 0, 0};
        float *q = s->positions + 3 * i;
        q[0] = (float)p.x, q[1] = (float)p.y, q[2] = (float)p.z;
    }
    s->positions[3 * s->vertex_count] = 0;
}

/* ---- Normals at corners: of all triangles around the vertex that are no sharper than the crease angle to this one,
 * weighted by their angles there. */

typedef struct corner_fans {
    uint32_t *offsets; /* (vertex_count + 1) into corners */
    uint32_t *corners; /* (3 x triangle_count) 3t + k, by vertex */
    vec3 *faces;       /* (triangle_count) unit normals */
    double *angles;    /* (3 x triangle_count) */
} corner_fans;

static void corner_fans_release(ruga_context *context, corner_fans *fans) {
    RELEASE_ALL(context, fans->offsets, fans->corners, fans->faces, fans->angles);
}

static double angle_between(vec3 a, vec3 b) { return atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b)); }

static void measure_triangle(const surface *s, size_t t, corner_fans *fans) {
    vec3 p[3];
    for (size_t k = 0; k < 3; k++) p[k] = surface_position(s, s->triangles[3 * t + k]);
    fans->faces[t] = vec3_normalise(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
    for (size_t k = 0; k < 3; k++)
        fans->angles[3 * t + k] = angle_between(vec3_sub(p[(k + 1) % 3], p[k]), vec3_sub(p[(k + 2) % 3], p[k]));
}

/* Fills empty fans; when this fails the caller still releases what was made. */
static ruga_status corner_fans_fill(ruga_context *context, const surface *s, corner_fans *fans) {
    size_t corners = 3 * s->triangle_count;
    TRY(NEW_ZEROED(context, &fans->offsets, s->vertex_count + 2));
    TRY(NEW(context, &fans->corners, corners));
    TRY(NEW(context, &fans->faces, s->triangle_count));
    TRY(NEW(context, &fans->angles, corners));
    // Counted two ahead, so that filling leaves offsets where they belong.
    for (size_t c = 0; c < corners; c++) fans->offsets[s->triangles[c] + 2]++;
    for (size_t v = 2; v < s->vertex_count + 2; v++) fans->offsets[v] += fans->offsets[v - 1];
    for (size_t c = 0; c < corners; c++) fans->corners[fans->offsets[s->triangles[c] + 1]++] = (uint32_t)c;
    for (size_t t = 0; t < s->triangle_count; t++) measure_triangle(s, t, fans);
    return RUGA_OK;
}

static void store_normal(float *to, vec3 n) { to[0] = (float)n.x, to[1] = (float)n.y, to[2] = (float)n.z; }

static ruga_status make_corner_normals(ruga_context *context, double crease_angle, surface *s) {
    corner_fans fans = {0};
    TRY_OR(corner_fans_fill(context, s, &fans), corner_fans_release(context, &fans));
    double limit = cos(fmin(crease_angle, 180) * PI / 180) - 1e-9;
    for (size_t c = 0; c < 3 * s->triangle_count; c++) {
        vec3 own = fans.faces[c / 3], sum = {0, 0, 0};
        uint32_t vertex = s->triangles[c];
        for (uint32_t i = fans.offsets[vertex]; i < fans.offsets[vertex + 1]; i++) {
            uint32_t other = fans.corners[i];
            if (vec3_dot(own, fans.faces[other / 3]) >= limit)
                sum = vec3_add_scaled(sum, fans.faces[other / 3], fans.angles[other]);
        }
        store_normal(s->normals + 3 * c, vec3_normalise(sum));
    }
    corner_fans_release(context, &fans);
    return RUGA_OK;
}

static ruga_status make_normals(ruga_context *context, const ruga_render_mesh *item, surface *s) {
    if (item->shading == RUGA_SHADING_FLAT) return RUGA_OK;
    TRY(NEW(context, &s->normals, 9 * s->triangle_count));
    if (!item->frame || !item->frame->normals || s->fine.triangle_count)
        return make_corner_normals(context, item->crease_angle, s);
    for (size_t t = 0; t < s->triangle_count; t++) {
        vec3 p[3];
        for (size_t k = 0; k < 3; k++) p[k] = surface_position(s, s->triangles[3 * t + k]);
        const vec3 face = vec3_normalise(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
        for (size_t k = 0; k < 3; k++) {
            // In the bottom of a sharp fold a vertex may look away from its triangles, which would be black.
            const vec3 own = vec3_normalise(item->frame->normals[s->triangles[3 * t + k]]);
            store_normal(s->normals + 9 * t + 3 * k, vec3_dot(own, face) > 0 ? own : face);
        }
    }
    return RUGA_OK;
}

/* ---- Smoothing. */

#define SMOOTH_TRIANGLES 200000 /* at most, after smoothing */
#define SMOOTH_ROUNDS 2

static int smooth_rounds(const ruga_render_mesh *item) {
    int rounds = 0;
    if (!item->smooth || item->wireframe || item->shading == RUGA_SHADING_FLAT) return 0;
    for (size_t count = item->mesh->triangle_count; rounds < SMOOTH_ROUNDS && 4 * count <= SMOOTH_TRIANGLES; rounds++)
        count *= 4;
    return rounds;
}

/* The values at the vertices, to be interpolated; NULL if none are shown. */
static ruga_status copy_values(ruga_context *context, const surface *s, double **out) {
    *out = NULL;
    if (!s->field.shown) return RUGA_OK;
    TRY(NEW(context, out, s->item->mesh->vertex_count));
    for (size_t v = 0; v < s->item->mesh->vertex_count; v++) (*out)[v] = scalar_field_at(&s->field, v);
    return RUGA_OK;
}

/* Replaces what is drawn by a smooth surface, unless that one would intersect itself. */
static ruga_status smooth(surface *s) {
    const ruga_render_mesh *item = s->item;
    ruga_context *context = item->mesh->context;
    const int rounds = smooth_rounds(item);
    double *values;
    if (!rounds || s->faceted) return RUGA_OK;
    TRY(copy_values(context, s, &values));
    ruga_status status =
        loop_smooth_make(item->mesh, surface_item_positions(item), values, item->crease_angle, rounds, &s->fine);
    memory_release(context, values);
    if (!RUGA_FAILED(status) && s->fine.triangle_count) status = loop_smooth_intersects(context, &s->fine, &s->faceted);
    if (RUGA_FAILED(status) || s->faceted) loop_smooth_release(context, &s->fine);
    if (RUGA_FAILED(status) || !s->fine.triangle_count) return status;
    s->vertex_count = s->fine.vertex_count;
    s->rest = s->fine.rest;
    if (s->field.shown) s->field.values = s->fine.values;
    return RUGA_OK;
}

static ruga_status fill_smooth(ruga_context *context, const placement *place, surface *s) {
    const loop_smooth *fine = &s->fine;
    TRY(NEW(context, &s->positions, 3 * fine->vertex_count + 1));
    TRY(NEW(context, &s->triangles, 3 * fine->triangle_count));
    TRY(NEW_ZEROED(context, &s->edges, fine->triangle_count));
    place_vertices(fine->positions, place, s);
    memcpy(s->triangles, fine->triangles, 3 * fine->triangle_count * sizeof *s->triangles);
    s->triangle_count = fine->triangle_count;
    return make_normals(context, s->item, s);
}

static ruga_status fill(ruga_context *context, const placement *place, surface *s, size_t *left_out) {
    const ruga_mesh *mesh = s->item->mesh;
    TRY(smooth(s));
    if (s->fine.triangle_count) return fill_smooth(context, place, s);
    TRY(NEW(context, &s->positions, 3 * mesh->vertex_count + 1));
    TRY(NEW(context, &s->triangles, 3 * mesh->triangle_count));
    TRY(NEW(context, &s->edges, mesh->triangle_count));
    const ruga_vec3 *positions = surface_item_positions(s->item);
    place_vertices(positions, place, s);
    s->triangle_count = keep_finite(mesh, positions, s);
    *left_out += mesh->triangle_count - s->triangle_count;
    return make_normals(context, s->item, s);
}

/* faceted: it is not smoothed, since it would intersect something. */
static ruga_status surface_make(ruga_context *context, const ruga_render_mesh *item, const scalar_field *field,
                                const placement *place, double pixel_scale, int faceted, surface *out,
                                size_t *left_out) {
    surface s = {.item = item, .field = *field, .vertex_count = item->mesh->vertex_count, .faceted = faceted};
    s.rest = item->mesh->positions;
    s.finish = item->finish;
    s.scale = place->scale;
    s.front = colour_to_light(item->front);
    s.back = colour_to_light(item->back);
    s.wire = colour_to_light(item->wire);
    s.wire_radius = item->wireframe ? (float)(0.5 * item->wire_width * fmax(pixel_scale, 0.5)) : 0;
    RETURN_MADE(fill(context, place, &s, left_out), s, out, surface_release(context, &s));
}

/* Whether a smooth surface intersects another one. */
static ruga_status surfaces_meet(ruga_context *context, surface *smooth, const surface *other, int *out) {
    const loop_smooth *fine = &other->fine;
    const ruga_mesh *mesh = other->item->mesh;
    if (fine->triangle_count)
        return loop_smooth_meets(context, &smooth->fine, fine->positions, fine->triangles, fine->triangle_count, out);
    return loop_smooth_meets(context, &smooth->fine, surface_item_positions(other->item), mesh->triangles,
                             mesh->triangle_count, out);
}

/* Marks the smooth surfaces that intersect another one. */
static ruga_status mark_meeting(ruga_context *context, size_t count, surface *surfaces) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            surface *a = &surfaces[i], *b = &surfaces[k];
            int met = 0;
            if (i == k || !a->fine.triangle_count || (k < i && b->fine.triangle_count)) continue;
            TRY(surfaces_meet(context, a, b, &met));
            if (!met) continue;
            a->faceted = 1;
            b->faceted |= b->fine.triangle_count > 0;
        }
    return RUGA_OK;
}

ruga_status surfaces_make(ruga_context *context, const ruga_panel *panel, const scalar_field *fields,
                          const placement *place, double pixel_scale, surface *surfaces, size_t *left_out) {
    const size_t count = panel->mesh_count;
    for (size_t i = 0; i < count; i++)
        TRY(surface_make(context, &panel->meshes[i], &fields[i], place, pixel_scale, 0, &surfaces[i], left_out));
    // Facets lie elsewhere than the smooth surface, so that they may intersect others.
    for (int again = count > 1; again;) {
        TRY(mark_meeting(context, count, surfaces));
        again = 0;
        for (size_t i = 0; i < count; i++) {
            if (!surfaces[i].faceted || !surfaces[i].fine.triangle_count) continue;
            surface_release(context, &surfaces[i]);
            TRY(surface_make(context, &panel->meshes[i], &fields[i], place, pixel_scale, 1, &surfaces[i], left_out));
            again = 1;
        }
    }
    return RUGA_OK;
}
