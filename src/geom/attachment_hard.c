#include "geom/attachment_hard.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "geom/float_normals.h"
#include "geom/pn.h"
#include "mesh/mesh.h"

#define BLOCK 256 /* patches or points per task */

/* The smooth vertices on the other side of a patch's edges, edge k from corner k to k + 1: at its start and its end.
 * NO_INDEX at a hard edge: the control point is on the straight edge. */
typedef struct hard_patch {
    uint32_t triangle;
    uint32_t across[3][2];
    uint8_t is_hard[3];
} hard_patch;

struct hard_patches {
    ruga_context *context;
    const hard_edges *smooth;
    float_normals *normal_maker;
    float *base, *normals; /* (smooth vertices x 4) */
    size_t patch_count;
    hard_patch *patches;
    uint32_t *patch_of;  /* (triangles) NO_INDEX: no hard edge */
    vec3 (*bends)[3][2]; /* (patch_count) see geom/pn.h */
    size_t point_count;
    uint32_t *points; /* (point_count) on these patches */
    const attach_pass *pass;
};

/* ---- Making. */

/* The smooth vertex at a vertex (the lowest of its seam) in the triangle on the other side of an edge; NO_INDEX: an
 * edge of three or more triangles, which stays straight. */
static uint32_t vertex_across(const ruga_mesh *base, const uint32_t *lowest, const hard_edges *s, size_t edge,
                              size_t triangle, uint32_t vertex) {
    if (topology_edge_size(s->topo, edge) != 2) return NO_INDEX;
    const uint32_t *pair = s->topo->edge_triangles + s->topo->edge_offsets[edge];
    const size_t other = pair[0] == triangle ? pair[1] : pair[0];
    for (size_t k = 0; k < 3; k++)
        if (lowest[base->triangles[3 * other + k]] == vertex) return s->lowest[s->triangles[3 * other + k]];
    return NO_INDEX;
}

static hard_patch make_patch(const ruga_mesh *base, const uint32_t *lowest, const hard_edges *s, size_t triangle) {
    hard_patch patch = {.triangle = (uint32_t)triangle};
    for (size_t k = 0; k < 3; k++) {
        const uint32_t edge = s->topo->triangle_edges[3 * triangle + k];
        patch.is_hard[k] = s->hard[edge];
        for (size_t end = 0; end < 2; end++) {
            const uint32_t vertex = lowest[base->triangles[3 * triangle + (k + end) % 3]];
            patch.across[k][end] = s->hard[edge] && !s->corners[vertex]
                                       ? vertex_across(base, lowest, s, edge, triangle, vertex)
                                       : NO_INDEX;
        }
    }
    return patch;
}

static ruga_status make_patches(const ruga_mesh *base, const uint32_t *lowest, hard_patches *h) {
    const hard_edges *s = h->smooth;
    TRY(NEW(h->context, &h->patch_of, base->triangle_count));
    for (size_t t = 0; t < base->triangle_count; t++) {
        const uint32_t *edges = s->topo->triangle_edges + 3 * t;
        const int is_hard = s->hard[edges[0]] || s->hard[edges[1]] || s->hard[edges[2]];
        h->patch_of[t] = is_hard ? (uint32_t)h->patch_count++ : NO_INDEX;
    }
    TRY(NEW(h->context, &h->patches, h->patch_count));
    TRY(NEW(h->context, &h->bends, h->patch_count));
    for (size_t t = 0; t < base->triangle_count; t++)
        if (h->patch_of[t] != NO_INDEX) h->patches[h->patch_of[t]] = make_patch(base, lowest, s, t);
    return RUGA_OK;
}

ruga_status hard_patches_find_points(hard_patches *h, const bound_points *points) {
    if (!h->patch_of) return RUGA_OK;
    size_t count = 0;
    uint32_t *found;
    for (size_t i = 0; i < points->count; i++) count += h->patch_of[points->triangle_of[i]] != NO_INDEX;
    TRY(NEW(h->context, &found, count));
    memory_release(h->context, h->points);
    h->points = found;
    h->point_count = count;
    for (size_t i = 0; i < points->count; i++)
        if (h->patch_of[points->triangle_of[i]] != NO_INDEX) *found++ = (uint32_t)i;
    return RUGA_OK;
}

static ruga_status fill(const ruga_mesh *base, const uint32_t *lowest, int curved, const bound_points *points,
                        hard_patches *h) {
    const hard_edges *s = h->smooth;
    TRY(NEW_ALIGNED_ZEROED(h->context, &h->base, 4 * s->split_count));
    TRY(NEW_ALIGNED_ZEROED(h->context, &h->normals, 4 * s->split_count));
    TRY(float_normals_create(h->context, s->split_count, base->triangle_count, s->triangles, NORMALS_BY_ANGLE,
                             &h->normal_maker));
    if (!curved) return RUGA_OK;
    TRY(make_patches(base, lowest, h));
    return hard_patches_find_points(h, points);
}

ruga_status hard_patches_create(const ruga_mesh *base, const uint32_t *lowest, const hard_edges *smooth, int curved,
                                const bound_points *points, hard_patches **out) {
    hard_patches *h;
    TRY(NEW_ZEROED(base->context, &h, 1));
    h->context = base->context;
    h->smooth = smooth;
    RETURN_MADE(fill(base, lowest, curved, points, h), h, out, hard_patches_destroy(h));
}

void hard_patches_destroy(hard_patches *h) {
    if (!h) return;
    float_normals_destroy(h->normal_maker);
    memory_release_aligned(h->context, h->base);
    memory_release_aligned(h->context, h->normals);
    RELEASE_ALL(h->context, h->patches, h->patch_of, h->bends, h->points, h);
}

/* ---- Frame after frame. */

void hard_patches_begin(hard_patches *h, attach_pass *pass) {
    const hard_edges *s = h->smooth;
    for (size_t v = 0; v < s->split_count; v++)
        memcpy(h->base + 4 * v, pass->base + 4 * (size_t)s->origin[v], 4 * sizeof *h->base);
    if (pass->normals) {
        float_normals_apply(h->normal_maker, h->base, h->normals);
        for (size_t v = 0; v < pass->vertex_count; v++)
            if (s->whole[v]) memcpy(h->normals + 4 * v, pass->normals + 4 * v, 4 * sizeof *h->normals);
        pass->normals = h->normals;
    }
    pass->base = h->base;
    pass->triangles = s->triangles;
    pass->vertex_count = s->split_count;
}

static vec3 get(const float *values, uint32_t at) {
    const float *v = values + 4 * (size_t)at;
    return (vec3){v[0], v[1], v[2]};
}

static vec3 bend(const attach_pass *pass, uint32_t from, uint32_t to, int is_hard, uint32_t across) {
    const vec3 along = vec3_sub(get(pass->base, to), get(pass->base, from)), normal = get(pass->unit_normals, from);
    if (!is_hard) return pn_bend(along, normal);
    if (across == NO_INDEX) return (vec3){0, 0, 0};
    return pn_bend_hard(along, normal, get(pass->unit_normals, across));
}

static void bend_patches(void *argument, size_t begin, size_t end) {
    const hard_patches *h = argument;
    for (size_t i = begin; i < end; i++) {
        const hard_patch *patch = &h->patches[i];
        const uint32_t *v = h->pass->triangles + 3 * (size_t)patch->triangle;
        for (size_t k = 0; k < 3; k++) {
            const size_t next = (k + 1) % 3;
            const uint32_t *across = patch->across[k];
            h->bends[i][k][0] = bend(h->pass, v[k], v[next], patch->is_hard[k], across[0]);
            h->bends[i][next][1] = bend(h->pass, v[next], v[k], patch->is_hard[k], across[1]);
        }
    }
}

static void place_points(void *argument, size_t begin, size_t end) {
    const hard_patches *h = argument;
    const attach_pass *pass = h->pass;
    for (size_t i = begin; i < end; i++) {
        const size_t point = h->points[i], triangle = pass->triangle_of[point];
        const float *u = pass->weights + 4 * point;
        const uint32_t *v = pass->triangles + 3 * triangle;
        const double weights[3] = {u[0], u[1], u[2]};
        vec3 flat = {0, 0, 0};
        for (size_t k = 0; k < 3; k++) flat = vec3_add_scaled(flat, get(pass->base, v[k]), weights[k]);
        const vec3 x = vec3_add(flat, pn_displacement((const vec3(*)[2])h->bends[h->patch_of[triangle]], weights));
        const float placed[3] = {(float)x.x, (float)x.y, (float)x.z};
        memcpy(pass->points + 4 * point, placed, sizeof placed);
    }
}

void hard_patches_apply(hard_patches *h, const attach_pass *pass) {
    if (!h->patch_of) return;
    h->pass = pass;
    parallel_for(h->context, h->patch_count, BLOCK, bend_patches, h);
    parallel_for(h->context, h->point_count, BLOCK, place_points, h);
    h->pass = NULL;
}

/* ---- Points on flat triangles. */

ruga_status flat_points_make(ruga_context *context, size_t count, const float *shares, flat_points *out) {
    size_t flat = 0;
    *out = (flat_points){0};
    for (size_t i = 0; i < count; i++) flat += shares[i] < 1;
    TRY(NEW(context, &out->points, flat));
    ruga_status status = NEW(context, &out->shares, flat);
    if (RUGA_FAILED(status)) {
        flat_points_release(context, out);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        if (!(shares[i] < 1)) continue;
        out->points[out->count] = (uint32_t)i;
        out->shares[out->count++] = shares[i];
    }
    return RUGA_OK;
}

void flat_points_release(ruga_context *context, flat_points *flat) {
    RELEASE_ALL(context, flat->points, flat->shares);
    *flat = (flat_points){0};
}

void flat_points_apply(const flat_points *flat, const uint32_t *triangles, const bound_points *bound, const float *base,
                       float *points) {
    for (size_t i = 0; i < flat->count; i++) {
        const size_t point = flat->points[i];
        const float *u = bound->weights + 4 * point, share = flat->shares[i];
        const uint32_t *v = triangles + 3 * (size_t)bound->triangle_of[point];
        for (size_t k = 0; k < 3; k++) {
            const float linear = (u[0] * base[4 * (size_t)v[0] + k] + u[1] * base[4 * (size_t)v[1] + k]) +
                                 u[2] * base[4 * (size_t)v[2] + k];
            points[4 * point + k] = share > 0 ? linear + share * (points[4 * point + k] - linear) : linear;
        }
    }
}
