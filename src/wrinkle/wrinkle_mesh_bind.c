/* Binding: the attachment of the fine mesh, and its lengths in the bind pose. Lengths are measured on the attached
 * points, by the same loops as in an update: so a pre-stretch of 1 at rest leaves nothing to do. */
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "wrinkle/wrinkle_mesh.h"

#define ON_SURFACE 1e-6 /* of the base's size: smaller rest offsets are ignored */
#define FAR_OFF 0.5     /* of the smaller mesh's size: at greater distances the meshes do not match */

/* ---- Meshes that do not match. */

static ruga_status check_finite(const ruga_mesh *mesh, const char *which) {
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (!vec3_is_finite(mesh->positions[v]))
            return fail_input(mesh->context, "wrinkle mesh: vertex %zu of the %s mesh is not finite; repair the mesh",
                              v, which);
    return RUGA_OK;
}

double wrinkle_size(const ruga_mesh *mesh) {
    vec3 low, high;
    vec3_bounds(mesh->positions, mesh->vertex_count, &low, &high);
    return vec3_distance(low, high);
}

static double distance_to_base(const ruga_wrinkle_mesh *w, size_t vertex) {
    double weights[3];
    const uint32_t *corner = w->base->triangles + 3 * (size_t)attachment_triangle(w->attached, vertex, weights);
    vec3 point = {0, 0, 0};
    for (int k = 0; k < 3; k++) point = vec3_add_scaled(point, w->base->positions[corner[k]], weights[k]);
    return vec3_distance(point, w->fine->positions[vertex]);
}

/* Vertices out of reach are not attached. Without a reach, a mesh that is far away is in another place or unit. */
static ruga_status find_unattached(ruga_wrinkle_mesh *w) {
    size_t worst = 0;
    double greatest = -1;
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        double distance = distance_to_base(w, v);
        if (distance > greatest) worst = v, greatest = distance;
        w->unattached[v] = distance > w->def.reach;
        w->unattached_count += w->unattached[v];
    }
    if (w->unattached_count == w->fine->vertex_count)
        return fail_input(w->context,
                          "wrinkle mesh: all %zu fine vertices are farther from the base than the reach of %g m (the "
                          "farthest is vertex %zu, %g m); set a greater reach",
                          w->unattached_count, w->def.reach, worst, greatest);
    double base = wrinkle_size(w->base), fine = wrinkle_size(w->fine);
    if (isinf(w->def.reach) && greatest > FAR_OFF * fmin(base, fine))
        return fail_input(
            w->context,
            "wrinkle mesh: fine vertex %zu is %g m from the base, which is %g m across (the fine mesh is %g m); "
            "bring both to the same place and unit, or set a reach beyond which vertices are not attached",
            worst, greatest, base, fine);
    return RUGA_OK;
}

/* ---- The base at rest. */

static void store_rests(ruga_wrinkle_mesh *w) {
    for (size_t t = 0; t < w->base->triangle_count; t++) {
        const uint32_t *corner = w->base->triangles + 3 * t;
        vec3 a = w->base->positions[corner[0]];
        vec3 e = vec3_sub(w->base->positions[corner[1]], a), f = vec3_sub(w->base->positions[corner[2]], a);
        double length = vec3_length(e), across = vec3_length(vec3_cross(e, f)) / length;
        w->rests[t] =
            (wrinkle_rest){(float)(1 / length), (float)(vec3_dot(e, f) / (length * length)), (float)(1 / across)};
    }
}

/* Vertices off the surface keep their offset from it, in the frame of their base triangle. Returns whether there are
 * any. */
static int store_rest_offsets(ruga_wrinkle_mesh *w) {
    double greatest = 0;
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        const float *anchor = w->anchors + 4 * v, *frame = w->frames + 9 * (size_t)w->triangles[v];
        const double *position = &w->fine->positions[v].x;
        double away[3];
        for (int k = 0; k < 3; k++) away[k] = position[k] - w->origin[k] - (double)anchor[k];
        for (int c = 0; c < 3; c++) {
            double along = 0;
            for (int k = 0; k < 3; k++) along += (double)frame[3 * c + k] * away[k];
            w->rest_offsets[4 * v + (size_t)c] = (float)along;
            greatest = fmax(greatest, fabs(along));
        }
    }
    return greatest > ON_SURFACE * (double)w->extent;
}

/* ---- Masked regions. */

static void carry_mask(ruga_wrinkle_mesh *w) {
    for (size_t v = 0; w->mask && v < w->fine->vertex_count; v++) {
        double weights[3], sum = 0;
        const uint32_t *corner = w->base->triangles + 3 * (size_t)attachment_triangle(w->attached, v, weights);
        for (int k = 0; k < 3; k++) sum += weights[k] * w->base_mask[corner[k]];
        w->mask[v] = fmin(1, fmax(0, sum));
    }
}

/* ---- Flat regions. */

#define CURVED_RADIUS 0.25 /* of the greatest radius: from there on vertices are on the curved surface */

/* 1, of the curved surface, rising smoothly with t. */
static double curved_share(double t) { return t >= 1 ? 1 : t * t * (3 - 2 * t); }

/* The share of the corners whose mask is not 0. */
static double unmasked(const ruga_wrinkle_mesh *w, size_t vertex) {
    double weights[3], sum = 0;
    if (!w->base_mask) return 1;
    const uint32_t *corner = w->base->triangles + 3 * (size_t)attachment_triangle(w->attached, vertex, weights);
    for (int k = 0; k < 3; k++) sum += w->base_mask[corner[k]] > 0 ? weights[k] : 0;
    return sum > 1 - ON_SURFACE ? 1 : sum;
}

/* A vertex that may not move stays on the triangles of the base, which an artist has approved; between these and the
 * wrinkles the surface changes gradually. Radii that change with time would change the lengths at rest. */
static ruga_status find_flat_shares(ruga_wrinkle_mesh *w) {
    const size_t count = w->fine->vertex_count;
    double greatest = 0, least = 1;
    if (w->spare.block || w->def.surface == RUGA_WRINKLE_LINEAR || (w->base->tet_count > 0 && !w->map)) return RUGA_OK;
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->flat_shares, count));
    for (size_t v = 0; v < count; v++) greatest = fmax(greatest, WRINKLE_VALUE(w, radius)[v]);
    for (size_t v = 0; v < count; v++) {
        const uint32_t one = w->lowest[v];
        const double t = greatest > 0 ? WRINKLE_VALUE(w, radius)[one] / (CURVED_RADIUS * greatest) : 0;
        w->flat_shares[v] = (float)(curved_share(t) * curved_share(unmasked(w, one)));
        least = fmin(least, (double)w->flat_shares[v]);
    }
    if (least < 1) return RUGA_OK;
    memory_release_aligned(w->context, w->flat_shares);
    w->flat_shares = NULL;
    return RUGA_OK;
}

/* Gives the shares to the attachment, in the order of its points. */
static ruga_status flatten(ruga_wrinkle_mesh *w, size_t count, const uint32_t *order) {
    if (!w->flat_shares) return RUGA_OK;
    float *shares;
    TRY(NEW(w->context, &shares, count));
    for (size_t i = 0; i < count; i++) shares[i] = order[i] == UINT32_MAX ? 1 : w->flat_shares[order[i]];
    ruga_status status = attachment_flatten(w->attached, shares);
    memory_release(w->context, shares);
    return status;
}

/* The normals of vertices on flat triangles are those of the base, mixed with those of the fine mesh where these are
 * partly curved; not on hard edges, where the base has a normal for each side. */
void wrinkle_flatten_normals(ruga_wrinkle_mesh *w) {
    for (size_t v = 0; w->flat_shares && v < w->fine->vertex_count; v++) {
        const size_t slot = w->slots[v];
        const float share = w->flat_shares[v], *from = w->anchor_normals + 4 * slot;
        if (w->lowest[v] != v || !(share < 1) || attachment_on_hard_edge(w->attached, slot)) continue;
        float *n = w->normals + 4 * slot, squared = 0;
        for (int k = 0; k < 3; k++) n[k] = share * n[k] + (1 - share) * from[k], squared += n[k] * n[k];
        for (int k = 0; k < 3 && squared > 0; k++) n[k] /= sqrtf(squared);
    }
}

/* ---- Order of the points. */

static void release_points(ruga_wrinkle_mesh *w) {
    void *arrays[] = {w->triangles, w->anchors,     w->anchor_normals, w->offsets, w->points, w->normals,
                      w->before,    w->seed_points, w->kept,           w->seeds,   w->gates,  w->tolerances};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) memory_release_aligned(w->context, arrays[k]);
    w->triangles = NULL;
    w->anchors = w->anchor_normals = w->offsets = w->points = w->normals = w->before = w->kept = w->tolerances =
        w->gates = w->seed_points = NULL;
    w->seeds = NULL;
}

/* Makes the arrays with one entry per slot; the rest offsets follow the order. */
static ruga_status order_points(ruga_wrinkle_mesh *w, size_t count, const uint32_t *order) {
    ruga_context *context = w->context;
    release_points(w);
    w->slot_count = count;
    TRY(attachment_reorder(w->attached, count, order));
    TRY(flatten(w, count, order));
    TRY(NEW_ALIGNED_ZEROED(context, &w->triangles, count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->anchors, 4 * count));
    if (w->def.side == RUGA_WRINKLE_OUTSIDE || w->def.normal_only || w->foundations || w->flat_shares)
        TRY(NEW_ALIGNED_ZEROED(context, &w->anchor_normals, 4 * count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->offsets, 4 * count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->points, 4 * count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->normals, 4 * count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->before, 4 * count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->kept, 4 * count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->seed_points, 4 * count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->seeds, count));
    TRY(NEW_ALIGNED_ZEROED(context, &w->gates, count + WRINKLE_TOGETHER));
    TRY(NEW_ALIGNED_ZEROED(context, &w->tolerances, count + WRINKLE_TOGETHER));
    float *rests = NULL;
    if (w->rest_offsets) TRY(NEW_ALIGNED_ZEROED(context, &rests, 4 * count));
    for (size_t i = 0; i < count; i++) {
        double weights[3];
        w->triangles[i] = attachment_triangle(w->attached, i, weights);
        if (order[i] == UINT32_MAX) continue;
        w->slots[order[i]] = (uint32_t)i;
        if (rests) memcpy(rests + 4 * i, w->rest_offsets + 4 * (size_t)order[i], 4 * sizeof *rests);
    }
    for (size_t v = 0; v < w->fine->vertex_count; v++) w->slots[v] = w->slots[w->lowest[v]];
    wrinkle_output *output = w->outputs;
    for (size_t i = 0; i < count; i++)
        if (order[i] != UINT32_MAX) *output++ = (wrinkle_output){order[i], w->slots[order[i]]};
    memory_release_aligned(context, w->rest_offsets);
    w->rest_offsets = rests;
    return RUGA_OK;
}

/* ---- Lengths. */

static double distance(const float *points, uint32_t a, uint32_t b) {
    const float *p = points + 4 * (size_t)a, *q = points + 4 * (size_t)b;
    float x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
    return (double)sqrtf((x * x + y * y) + z * z);
}

static void measure_lengths(ruga_wrinkle_mesh *w) {
    const topology *topo = w->topo;
    double sum = 0;
    for (size_t e = 0; e < topo->edge_count; e++) {
        double length = distance(w->points, topo->edge_vertices[2 * e], topo->edge_vertices[2 * e + 1]);
        w->edge_rests[e] = (float)length;
        for (size_t k = 0; k < 2; k++) w->edges_around[topo->edge_vertices[2 * e + k]] += (float)length;
        sum += length;
    }
    w->mean_edge = sum / (double)topo->edge_count;
    for (size_t v = 0; v < topo->vertex_count; v++) {
        uint32_t edges = topo->ring_offsets[v + 1] - topo->ring_offsets[v];
        if (edges > 0) w->edges_around[v] /= (float)edges;
    }
    for (size_t b = 0; b < w->bend_count; b++) {
        const uint32_t *pair = topo->pairs + 4 * b;
        w->bend_rests[b] =
            w->hinges ? sweep_hinge_angle(pair, w->points) : (float)distance(w->points, pair[2], pair[3]);
    }
}

/* ---- The bind pose. */

/* The bind pose, with the points in the order of the fine mesh. */
static ruga_status take_bind_pose(ruga_wrinkle_mesh *w) {
    ruga_view positions = {(void *)(uintptr_t)w->base->positions, w->base->vertex_count, 0, RUGA_F64};
    TRY(wrinkle_take_base(w, &positions, w->def.bind_normals.data ? &w->def.bind_normals : NULL));
    attachment_rest_frames(w->attached, w->rest_frames);
    memcpy(w->frames, w->rest_frames, 9 * w->base->triangle_count * sizeof *w->frames);
    wrinkle_attach(w);
    if (!w->map) {
        TRY(NEW_ALIGNED_ZEROED(w->context, &w->rest_offsets, 4 * w->slot_count));
        if (!store_rest_offsets(w)) {
            memory_release_aligned(w->context, w->rest_offsets);
            w->rest_offsets = NULL;
        }
    }
    wrinkle_place(w);
    return RUGA_OK;
}

ruga_status wrinkle_bind(ruga_wrinkle_mesh *w) {
    static const attachment_kind kinds[] = {ATTACH_PN, ATTACH_LINEAR, ATTACH_LOOP};
    const attachment_kind kind = kinds[w->def.surface];
    const size_t count = w->fine->vertex_count;
    TRY(check_finite(w->base, "base"));
    TRY(check_finite(w->fine, "fine"));
    if (w->map) {
        TRY(attachment_create_from_map(w->base, kind, w->def.crease_angle, w->map, &w->attached));
    } else {
        TRY(attachment_create(w->base, kind, w->def.crease_angle, count, w->fine->positions, &w->attached));
        TRY(find_unattached(w));
    }
    store_rests(w);
    carry_mask(w);
    TRY(find_flat_shares(w));

    uint32_t *order;
    TRY(NEW(w->context, &order, count));
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    ruga_status status = order_points(w, count, order);
    memory_release(w->context, order);
    TRY(status);
    TRY(take_bind_pose(w));
    memcpy(w->bind_points, w->points, 4 * count * sizeof *w->points);
    measure_lengths(w);
    return wrinkle_courses_create(w);
}

ruga_status wrinkle_order_for_solver(ruga_wrinkle_mesh *w) {
    if (w->fast) TRY(order_points(w, sweeps_slot_count(w->fast), sweeps_order(w->fast)));
    size_t count = 3 * w->fine->triangle_count;
    uint32_t *triangles;
    TRY(NEW(w->context, &triangles, count));
    for (size_t c = 0; c < count; c++) triangles[c] = w->slots[w->fine->triangles[c]];
    ruga_status status = float_normals_create(w->context, w->slot_count, w->fine->triangle_count, triangles,
                                              NORMALS_BY_AREA, &w->normal_maker);
    memory_release(w->context, triangles);
    return status;
}
