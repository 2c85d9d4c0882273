/* Refits after a few vertices moved: the nodes above their leaves, from the last to the first. */
#include "base/sort.h"
#include "geom/bvh_tree.h"

enum { LEAF_CORNERS = 3 * BVH_LEAF_SIZE };

/* ---- Links to the root */

/* Whether none of the corners before has the same vertex. */
static int is_new(const uint32_t *vertices, int corner) {
    for (int i = 0; i < corner; i++)
        if (vertices[i] == vertices[corner]) return 0;
    return 1;
}

static void fill_leaves(const bvh *tree, bvh_paths *paths) {
    // Counts, then ends; filling backwards turns the ends into starts.
    for (size_t i = 0; i < tree->leaf_count; i++) {
        const uint32_t *vertices = tree->leaves[i].vertex[0];
        for (int k = 0; k < LEAF_CORNERS; k++)
            if (is_new(vertices, k)) paths->leaf_offsets[vertices[k]]++;
    }
    for (size_t i = 1; i <= tree->vertex_count; i++) paths->leaf_offsets[i] += paths->leaf_offsets[i - 1];
    for (size_t i = tree->leaf_count; i-- > 0;) {
        const uint32_t *vertices = tree->leaves[i].vertex[0];
        for (int k = 0; k < LEAF_CORNERS; k++)
            if (is_new(vertices, k)) paths->leaves[--paths->leaf_offsets[vertices[k]]] = (uint32_t)i;
    }
}

static ruga_status make_paths(const bvh *tree, bvh_paths *paths) {
    ruga_context *context = tree->context;
    TRY(NEW_ZEROED(context, &paths->leaf_offsets, tree->vertex_count + 1));
    TRY(NEW(context, &paths->leaves, LEAF_CORNERS * tree->leaf_count));
    TRY(NEW(context, &paths->leaf_parents, tree->leaf_count));
    TRY(NEW_EACH(context, tree->node_count, &paths->node_parents, &paths->touched));
    TRY(NEW_ZEROED(context, &paths->is_touched, tree->node_count));
    fill_leaves(tree, paths);
    if (tree->node_count) paths->node_parents[0] = 0;
    for (size_t i = 0; i < tree->node_count; i++)
        for (uint32_t k = 0; k < tree->nodes[i].count; k++) {
            uint32_t child = tree->nodes[i].child[k];
            if (child & BVH_LEAF)
                paths->leaf_parents[child & ~BVH_LEAF] = (uint32_t)i;
            else
                paths->node_parents[child] = (uint32_t)i;
        }
    return RUGA_OK;
}

ruga_status bvh_prepare_changes(bvh *tree) {
    bvh_paths *paths;
    TRY(NEW_ZEROED(tree->context, &paths, 1));
    ruga_status status = make_paths(tree, paths);
    bvh_paths_destroy(tree->context, RUGA_FAILED(status) ? paths : tree->paths);
    if (!RUGA_FAILED(status)) tree->paths = paths;
    return status;
}

void bvh_paths_destroy(ruga_context *context, bvh_paths *paths) {
    if (paths)
        RELEASE_ALL(context, paths->leaf_offsets, paths->leaves, paths->leaf_parents, paths->node_parents,
                    paths->touched, paths->is_touched, paths);
}

/* ---- Refitting */

/* Converts a vertex; returns whether it is usable and within the frame. */
static int convert_vertex(const bvh *tree, const ruga_vec3 *positions, float *points, uint32_t vertex) {
    bvh_extent extent =
        ISA_SELECT(tree->context->isa, bvh_convert_points)(&tree->frame, positions, points, vertex, (size_t)vertex + 1);
    int fits = extent.usable;
    for (int k = 0; k < 3; k++) fits = fits && extent.low[k] >= -BVH_FRAME_REACH && extent.high[k] <= BVH_FRAME_REACH;
    return fits;
}

ruga_status bvh_refit_changed(bvh *tree, const uint32_t *vertices, size_t count) {
    // If most vertices moved, or some left the frame, the whole tree is refitted.
    int fits = count <= tree->vertex_count / 4;
    for (size_t i = 0; i < count && fits; i++) {
        fits = convert_vertex(tree, tree->positions, tree->points, vertices[i]);
        if (fits && tree->end) fits = convert_vertex(tree, tree->end, tree->end_points, vertices[i]);
    }
    if (!fits) return bvh_refit(tree, tree->positions, tree->end, tree->margin);

    bvh_paths *paths = tree->paths;
    size_t touched = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = paths->leaf_offsets[vertices[i]]; k < paths->leaf_offsets[vertices[i] + 1]; k++)
            for (uint32_t node = paths->leaf_parents[paths->leaves[k]]; !paths->is_touched[node];
                 node = paths->node_parents[node]) {
                paths->is_touched[node] = 1;
                paths->touched[touched++] = node;
            }
    sort_indices(paths->touched, touched);
    for (size_t i = touched; i-- > 0;) {
        uint32_t node = paths->touched[i];
        ISA_SELECT(tree->context->isa, bvh_refit_nodes)(tree, node, (size_t)node + 1);
        paths->is_touched[node] = 0;
    }
    return RUGA_OK;
}
