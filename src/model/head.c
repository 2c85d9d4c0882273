/* The bone inside the bust, and the flesh between them: tets with vertex attributes for pins and muscles.
 *
 *     skull                 1 at the bone, else 0
 *     eyes                  1 at the eyeballs, which do not move, else 0
 *     frontalis             the muscle that raises the brows, below the skin of the forehead
 *     zygomaticus_left      the muscle from a corner of the mouth to the cheekbone, at +x,
 *     zygomaticus_right     and at -x
 *
 * Muscles are 1 along their middle and fall to 0 at their border. docs/flesh.md lists their directions. */
#include "geom/tet_fill.h"
#include "math/vec3.h"
#include "model/bust.h"
#include "model/implicit.h"
#include "model/sculpture.h"

enum { SKULL_HEIGHT, SKULL_CELLS };
enum { HEAD_HEIGHT, HEAD_CELLS, HEAD_SPACING };

/* ---- The bone. */

ruga_status model_skull(ruga_context *context, const double *values, mesh_parts *parts) {
    const implicit_def def = {.function = skull_distance,
                              .low = {0, BUST_BASE - 0.01, -0.15},
                              .high = {0.15, 0.24, 0.13},
                              .cell = BUST_TALL / values[SKULL_CELLS],
                              .rounds = 10,
                              .soften = 5,
                              .slope = 3};
    TRY(implicit_mesh(context, &def, parts));
    /* Where it is in the bust, which stands on y = 0. */
    double scale = values[SKULL_HEIGHT] / BUST_TALL;
    for (size_t i = 0; i < parts->vertex_count; i++) {
        parts->positions[i].y -= BUST_BASE;
        parts->positions[i] = vec3_scale(parts->positions[i], scale);
    }
    return model_add_box_uv(context, parts, parts->positions, values[SKULL_HEIGHT], 2);
}

/* ---- Muscles. */

/* 1 on the segment from a to b, falling to 0 at the radius. */
static double along(vec3 p, vec3 a, vec3 b, double radius) {
    vec3 d = vec3_sub(b, a);
    double t = fmin(fmax(vec3_dot(vec3_sub(p, a), d) / vec3_length2(d), 0), 1);
    return sculpt_ridge(vec3_distance(p, vec3_add_scaled(a, d, t)) / radius);
}

static double frontalis(vec3 p) {
    double x = fabs(p.x) / 0.052, y = (p.y - 0.166) / 0.038;
    return p.z > 0.02 ? sculpt_ridge(x * x) * sculpt_ridge(y * y) : 0;
}

/* From the cheekbone to the corner of the mouth; side: 1 or -1. */
static double zygomaticus(vec3 p, double side) {
    return along(vec3_make(side * p.x, p.y, p.z), vec3_make(0.052, 0.088, 0.058), vec3_make(0.027, 0.047, 0.084),
                 0.016);
}

enum { SKULL, EYES, FRONTALIS, ZYGOMATICUS_LEFT, ZYGOMATICUS_RIGHT, ATTRIBUTE_COUNT };
static const char *const attribute_names[ATTRIBUTE_COUNT] = {"skull", "eyes", "frontalis", "zygomaticus_left",
                                                             "zygomaticus_right"};

/* p in metres of an adult (bust.h), spacing too. */
static double attribute_at(int attribute, vec3 p, double spacing) {
    switch (attribute) {
        case SKULL: return skull_distance(p) < 0.25 * spacing;
        case EYES: return vec3_distance(vec3_make(fabs(p.x), p.y, p.z), vec3_make(0.0322, 0.1145, 0.0652)) < 0.0215;
        case FRONTALIS: return frontalis(p);
        case ZYGOMATICUS_LEFT: return zygomaticus(p, 1);
        default: return zygomaticus(p, -1);
    }
}

static ruga_status add_attributes(ruga_context *context, double scale, double spacing, mesh_parts *parts) {
    for (int a = 0; a < ATTRIBUTE_COUNT; a++) {
        float *values;
        TRY(NEW(context, &values, parts->vertex_count));
        for (size_t v = 0; v < parts->vertex_count; v++) {
            vec3 p = vec3_scale(parts->positions[v], 1 / scale);
            p.y += BUST_BASE;
            values[v] = (float)attribute_at(a, p, spacing / scale);
        }
        TRY(mesh_parts_add(context, parts, attribute_names[a], RUGA_DOMAIN_VERTEX, RUGA_F32, 1, parts->vertex_count,
                           values, NULL));
    }
    return RUGA_OK;
}

/* ---- Flesh: what is inside the bust and outside the bone. */

/* Adds the bone to the bust, turned inside out. */
static ruga_status join(ruga_context *context, const mesh_parts *bust, const mesh_parts *bone, mesh_parts *both) {
    TRY(mesh_parts_allocate(context, both, bust->vertex_count + bone->vertex_count,
                            bust->face_count + bone->face_count));
    memcpy(both->positions, bust->positions, bust->vertex_count * sizeof *both->positions);
    memcpy(both->positions + bust->vertex_count, bone->positions, bone->vertex_count * sizeof *both->positions);
    memcpy(both->face_vertices, bust->face_vertices, bust->corner_count * sizeof *both->face_vertices);
    for (size_t i = 0; i < bone->corner_count; i++)
        both->face_vertices[bust->corner_count + i] =
            (uint32_t)bust->vertex_count + bone->face_vertices[i / 3 * 3 + 2 - i % 3];
    return RUGA_OK;
}

static ruga_status make_surfaces(ruga_context *context, const double *values, mesh_parts *both) {
    const double bust_values[] = {values[HEAD_HEIGHT], values[HEAD_CELLS]};
    const double bone_values[] = {values[HEAD_HEIGHT], fmax(40, fmin(256, round(0.7 * values[HEAD_CELLS])))};
    mesh_parts bust = {0}, bone = {0};
    ruga_status status = model_bust(context, bust_values, &bust);
    if (!RUGA_FAILED(status)) status = model_skull(context, bone_values, &bone);
    if (!RUGA_FAILED(status)) status = join(context, &bust, &bone, both);
    mesh_parts_release(context, &bust);
    mesh_parts_release(context, &bone);
    return status;
}

static ruga_status copy_tets(ruga_context *context, const ruga_mesh *mesh, mesh_parts *parts) {
    TRY(NEW_COPY(context, &parts->positions, mesh->positions, mesh->vertex_count));
    TRY(NEW_COPY(context, &parts->face_vertices, mesh->face_vertices, mesh->corner_count));
    TRY(NEW_COPY(context, &parts->tets, mesh->tets, 4 * mesh->tet_count));
    parts->vertex_count = mesh->vertex_count;
    parts->face_count = mesh->face_count;
    parts->corner_count = mesh->corner_count;
    parts->tet_count = mesh->tet_count;
    return RUGA_OK;
}

ruga_status model_head(ruga_context *context, const double *values, mesh_parts *parts) {
    double height = values[HEAD_HEIGHT], spacing = values[HEAD_SPACING] * height;
    mesh_parts both = {0};
    ruga_mesh *surface, *tets = NULL;
    TRY_OR(make_surfaces(context, values, &both), mesh_parts_release(context, &both));
    TRY(mesh_from_parts(context, &both, &surface));
    ruga_status status = tet_fill_make(surface, &(tet_fill_def){.spacing = spacing}, &tets, NULL);
    ruga_mesh_destroy(surface);
    if (!RUGA_FAILED(status)) status = copy_tets(context, tets, parts);
    ruga_mesh_destroy(tets);
    TRY(status);
    TRY(add_attributes(context, height / BUST_TALL, spacing, parts));
    return model_add_box_uv(context, parts, parts->positions, height, 2);
}
