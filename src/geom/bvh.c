/* Trees: building, refitting and closest points. bvh_tree.h shows the layout. */
#include "geom/bvh.h"

#include <float.h>

#include "base/threads.h"
#include "geom/bvh_tree.h"

enum { POINT_BLOCK = 4096, QUERY_BLOCK = 256 };

static const char *const element_names[] = {"point", "edge", "triangle"};

/* ---- The frame */

/* The box of all vertices of elements; an error for the first element with a vertex that is out of range. */
static ruga_status measure(const bvh *tree, const ruga_vec3 *positions, vec3 *low, vec3 *high) {
    size_t arity = (size_t)tree->arity;
    for (size_t i = 0; i < tree->count * arity; i++) {
        vec3 p = positions[tree->elements[i]];
        if (!bvh_is_usable(p))
            return fail_input(tree->context,
                              "%s %zu has vertex %u at (%g, %g, %g), but coordinates must be finite and within %g",
                              element_names[arity - 1], i / arity, tree->elements[i], p.x, p.y, p.z, BVH_LARGEST);
        *low = vec3_min(*low, p);
        *high = vec3_max(*high, p);
    }
    return RUGA_OK;
}

static ruga_status choose_frame(const bvh *tree, const ruga_vec3 *positions, const ruga_vec3 *end, bvh_frame *frame) {
    vec3 low = {DBL_MAX, DBL_MAX, DBL_MAX}, high = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    TRY(measure(tree, positions, &low, &high));
    if (end) TRY(measure(tree, end, &low, &high));
    *frame = (bvh_frame){.scale = 1};
    if (!tree->count) return RUGA_OK;

    frame->centre = vec3_add(vec3_scale(low, 0.5), vec3_scale(high, 0.5));
    vec3 half = vec3_sub(vec3_scale(high, 0.5), vec3_scale(low, 0.5));
    double extent = fmax(half.x, fmax(half.y, half.z));
    int exponent = 0;
    if (extent > 0) frexp(extent, &exponent);
    frame->exponent = exponent < -1000 ? 1000 : exponent > 1000 ? -1000 : -exponent;
    frame->scale = ldexp(1, frame->exponent);
    return RUGA_OK;
}

/* ---- Points in the frame */

typedef struct conversion {
    bvh *tree;
    const ruga_vec3 *positions;
    float *points;
    bvh_extent *extents;
} conversion;

static void convert_block(void *argument, size_t begin, size_t end) {
    conversion *c = argument;
    c->extents[begin / POINT_BLOCK] =
        ISA_SELECT(c->tree->context->isa, bvh_convert_points)(&c->tree->frame, c->positions, c->points, begin, end);
}

/* Converts into the current frame. Returns whether it still fits: all points usable, within it, and not much
 * smaller. */
static int convert(bvh *tree, const ruga_vec3 *positions, float *points) {
    conversion c = {tree, positions, points, tree->extents};
    parallel_for(tree->context, tree->vertex_count, POINT_BLOCK, convert_block, &c);
    float largest = 0, widest = 0;
    for (int axis = 0; axis < 3; axis++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i * POINT_BLOCK < tree->vertex_count; i++) {
            if (!tree->extents[i].usable) return 0;
            low = fminf(low, tree->extents[i].low[axis]);
            high = fmaxf(high, tree->extents[i].high[axis]);
        }
        largest = fmaxf(largest, fmaxf(-low, high));
        widest = fmaxf(widest, high - low);
    }
    return largest <= BVH_FRAME_REACH && widest >= 0.25f;
}

/* ---- Refitting */

typedef struct refit_job {
    bvh *tree;
    void (*refit_nodes)(bvh *tree, size_t begin, size_t end);
} refit_job;

static void refit_piece(void *argument, size_t index) {
    refit_job *job = argument;
    uint32_t begin = job->tree->pieces[index];
    job->refit_nodes(job->tree, begin, begin + job->tree->nodes[begin].size);
}

static void refit_boxes(bvh *tree) {
    refit_job job = {tree, ISA_SELECT(tree->context->isa, bvh_refit_nodes)};
    parallel_tasks(tree->context, tree->piece_count, refit_piece, &job);
    for (size_t i = 0; i < tree->top_count; i++) job.refit_nodes(tree, tree->top[i], (size_t)tree->top[i] + 1);
}

ruga_status bvh_refit(bvh *tree, const ruga_vec3 *positions, const ruga_vec3 *end, double margin) {
    if (!(margin >= 0)) return fail_argument(tree->context, "the margin is %g m, it must not be negative", margin);
    if (end && !tree->end_points) TRY(NEW_ALIGNED(tree->context, &tree->end_points, 4 * tree->vertex_count));
    int fits = convert(tree, positions, tree->points) && (!end || convert(tree, end, tree->end_points));
    if (!fits) {
        bvh_frame frame;
        TRY(choose_frame(tree, positions, end, &frame));
        tree->frame = frame;
        convert(tree, positions, tree->points);
        if (end) convert(tree, end, tree->end_points);
    }
    tree->positions = positions;
    tree->end = end;
    tree->margin = margin;
    refit_boxes(tree);
    return RUGA_OK;
}

/* ---- Making */

static ruga_status build(bvh *tree, const ruga_vec3 *positions, size_t group_count, const uint32_t *group_ends) {
    size_t arity = (size_t)tree->arity;
    for (size_t i = 0; i < tree->count * arity; i++)
        if (tree->elements[i] >= tree->vertex_count)
            return fail_input(tree->context, "%s %zu names vertex %u, but there are %zu", element_names[arity - 1],
                              i / arity, tree->elements[i], tree->vertex_count);
    TRY(choose_frame(tree, positions, NULL, &tree->frame));
    TRY(NEW_ALIGNED(tree->context, &tree->points, 4 * tree->vertex_count));
    TRY(NEW(tree->context, &tree->extents, tree->vertex_count / POINT_BLOCK + 1));
    convert(tree, positions, tree->points);
    TRY(bvh_arrange(tree, group_count, group_ends));
    refit_boxes(tree);
    return RUGA_OK;
}

ruga_status bvh_build_triangles(const ruga_mesh *mesh, bvh **out) {
    return bvh_build(mesh->context, mesh->vertex_count, mesh->positions, mesh->triangle_count, 3, mesh->triangles, out);
}

ruga_status bvh_build(ruga_context *context, size_t vertex_count, const ruga_vec3 *positions, size_t count, int arity,
                      const uint32_t *elements, bvh **out) {
    return bvh_build_groups(context, vertex_count, positions, count, arity, elements, 0, NULL, out);
}

ruga_status bvh_build_groups(ruga_context *context, size_t vertex_count, const ruga_vec3 *positions, size_t count,
                             int arity, const uint32_t *elements, size_t group_count, const uint32_t *group_ends,
                             bvh **out) {
    if (arity < 1 || arity > 3)
        return fail_argument(context, "elements have %d vertices; a tree takes 1, 2 or 3", arity);
    if (count >= BVH_LEAF) return fail_input(context, "%zu elements, but a tree holds fewer than %u", count, BVH_LEAF);
    bvh *tree;
    TRY(NEW(context, &tree, 1));
    *tree = (bvh){.context = context,
                  .vertex_count = vertex_count,
                  .positions = positions,
                  .count = count,
                  .arity = arity,
                  .elements = elements};
    RETURN_MADE(build(tree, positions, group_count, group_ends), tree, out, bvh_destroy(tree));
}

void bvh_destroy(bvh *tree) {
    if (!tree) return;
    ruga_context *context = tree->context;
    memory_release_aligned(context, tree->nodes);
    memory_release_aligned(context, tree->leaves);
    memory_release_aligned(context, tree->node_boxes);
    memory_release_aligned(context, tree->points);
    memory_release_aligned(context, tree->end_points);
    RELEASE_ALL(context, tree->extents, tree->pieces, tree->top);
    bvh_paths_destroy(context, tree->paths);
    memory_release(context, tree);
}

/* ---- Closest points */

/* The frame's scale; for a query so far away that its squares would overflow in it, a smaller one. */
static double query_scale(const bvh *tree, vec3 query) {
    vec3 n = vec3_sub(query, tree->frame.centre);
    double reach = fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z)));
    if (reach * tree->frame.scale < 0x1p60) return tree->frame.scale;
    int exponent;
    frexp(reach, &exponent);
    return ldexp(1, -exponent);
}

/* Answers up to four queries: finds their elements one by one, then makes the hits together. */
static void answer(const bvh *tree, const vec3 *queries, size_t count, double max_distance, bvh_hit *hits) {
    const bvh_hit none = {.element = UINT32_MAX, .distance = INFINITY};
    vec3 usable[4];
    double scales[4];
    uint32_t elements[4];
    int found[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        usable[i] = i < count && vec3_is_finite(queries[i]) ? queries[i] : (vec3){0, 0, 0};
        scales[i] = query_scale(tree, usable[i]);
        elements[i] = 0;
        if (i >= count || !vec3_is_finite(queries[i])) continue;
        double limit = max_distance * scales[i];
        uint32_t element = ISA_SELECT(tree->context->isa, bvh_closest_element)(tree, usable[i], scales[i],
                                                                               limit * limit * (1 + 0x1p-48));
        found[i] = element != UINT32_MAX;
        elements[i] = found[i] ? element : 0;
    }
    bvh_hit made[4];
    ISA_SELECT(tree->context->isa, bvh_make_hits)(tree, usable, scales, elements, made);
    for (size_t i = 0; i < count; i++) {
        for (int k = 2; k >= tree->arity; k--) {
            made[i].barycentric[k - 1] += made[i].barycentric[k];
            made[i].barycentric[k] = 0;
        }
        hits[i] = found[i] && made[i].distance <= max_distance ? made[i] : none;
    }
}

bvh_hit bvh_closest_point(const bvh *tree, ruga_vec3 query, double max_distance) {
    bvh_hit hit = {.element = UINT32_MAX, .distance = INFINITY};
    if (tree->count && max_distance >= 0) answer(tree, &query, 1, max_distance, &hit);
    return hit;
}

typedef struct query_job {
    const bvh *tree;
    const ruga_vec3 *queries;
    double max_distance;
    bvh_hit *hits;
} query_job;

/* In groups of four, which share bvh_make_hits. */
static void query_block(void *argument, size_t begin, size_t end) {
    const query_job *job = argument;
    for (size_t i = begin; i < end; i += 4)
        answer(job->tree, job->queries + i, end - i < 4 ? end - i : 4, job->max_distance, job->hits + i);
}

void bvh_closest_points(const bvh *tree, const ruga_vec3 *queries, size_t count, double max_distance, bvh_hit *hits) {
    if (!tree->count || !(max_distance >= 0)) {
        for (size_t i = 0; i < count; i++) hits[i] = (bvh_hit){.element = UINT32_MAX, .distance = INFINITY};
        return;
    }
    query_job job = {tree, queries, max_distance, hits};
    parallel_for(tree->context, count, QUERY_BLOCK, query_block, &job);
}
