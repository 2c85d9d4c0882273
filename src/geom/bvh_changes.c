/* Refitting after a few vertices moved: the nodes above their leaves, from the last to the first. */
#include "base/sort.h"
#include "geom/bvh_tree.h"

enum { LEAF_CORNERS = 3 * BVH_LEAF_SIZE };

/* ---- Ways up */

/* Whether a leaf names a vertex at none of the corners before. */
static int is_new(const uint32_t *vertices, int corner) {
    for (int i = 0; i < corner; i++)
        if (vertices[i] == vertices[corner]) return 0;
    return 1;
}

static void fill_leaves(const bvh *tree, bvh_paths *paths) {
    // Counts, then starts, then each leaf into its places; going backwards leaves the starts behind.
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

static void fill_parents(const bvh *tree, bvh_paths *paths) {
    if (tree->node_count) paths->node_parents[0] = 0;
    for (size_t i = 0; i < tree->node_count; i++)
        for (uint32_t k = 0; k < tree->nodes[i].count; k++) {
            uint32_t child = tree->nodes[i].child[k];
            if (child & BVH_LEAF)
                paths->leaf_parents[child & ~BVH_LEAF] = (uint32_t)i;
            else
                paths->node_parents[child] = (uint32_t)i;
        }
}

ruga_status bvh_prepare_changes(bvh *tree) {
    ruga_context *context = tree->context;
    bvh_paths *paths = ALLOCATE_ZEROED(context, bvh_paths, 1);
    if (!paths) return fail_memory(context, sizeof *paths);
    size_t corner_count = LEAF_CORNERS * tree->leaf_count;
    paths->leaf_offsets = ALLOCATE_ZEROED(context, uint32_t, tree->vertex_count + 1);
    paths->leaves = ALLOCATE(context, uint32_t, corner_count);
    paths->leaf_parents = ALLOCATE(context, uint32_t, tree->leaf_count);
    paths->node_parents = ALLOCATE(context, uint32_t, tree->node_count);
    paths->touched = ALLOCATE(context, uint32_t, tree->node_count);
    paths->is_touched = ALLOCATE_ZEROED(context, unsigned char, tree->node_count);
    if (!paths->leaf_offsets || !paths->leaves || !paths->leaf_parents || !paths->node_parents || !paths->touched ||
        !paths->is_touched) {
        bvh_paths_destroy(context, paths);
        return fail_memory(context, corner_count * sizeof *paths->leaves);
    }
    fill_leaves(tree, paths);
    fill_parents(tree, paths);
    bvh_paths_destroy(context, tree->paths);
    tree->paths = paths;
    return RUGA_OK;
}

void bvh_paths_destroy(ruga_context *context, bvh_paths *paths) {
    if (!paths) return;
    memory_release(context, paths->leaf_offsets);
    memory_release(context, paths->leaves);
    memory_release(context, paths->leaf_parents);
    memory_release(context, paths->node_parents);
    memory_release(context, paths->touched);
    memory_release(context, paths->is_touched);
    memory_release(context, paths);
}

/* ---- Refitting */

/* Converts a vertex; whether it is usable and within the frame. */
static int convert_vertex(const bvh *tree, const ruga_vec3 *positions, float *points, uint32_t vertex) {
    bvh_extent extent =
        ISA_SELECT(tree->context->isa, bvh_convert_points)(&tree->frame, positions, points, vertex, (size_t)vertex + 1);
    int fits = extent.usable;
    for (int k = 0; k < 3; k++) fits = fits && extent.low[k] >= -BVH_FRAME_REACH && extent.high[k] <= BVH_FRAME_REACH;
    return fits;
}

/* Adds the nodes above a vertex that are not among the touched ones yet. */
static size_t touch(bvh_paths *paths, uint32_t vertex, size_t count) {
    for (uint32_t i = paths->leaf_offsets[vertex]; i < paths->leaf_offsets[vertex + 1]; i++)
        for (uint32_t node = paths->leaf_parents[paths->leaves[i]]; !paths->is_touched[node];
             node = paths->node_parents[node]) {
            paths->is_touched[node] = 1;
            paths->touched[count++] = node;
        }
    return count;
}

ruga_status bvh_refit_changed(bvh *tree, const uint32_t *vertices, size_t count) {
    // Where most moved, or some left the frame, the whole tree is done.
    int fits = count <= tree->vertex_count / 4;
    for (size_t i = 0; i < count && fits; i++) {
        fits = convert_vertex(tree, tree->positions, tree->points, vertices[i]);
        if (fits && tree->end) fits = convert_vertex(tree, tree->end, tree->end_points, vertices[i]);
    }
    if (!fits) return bvh_refit(tree, tree->positions, tree->end, tree->margin);

    bvh_paths *paths = tree->paths;
    size_t touched = 0;
    for (size_t i = 0; i < count; i++) touched = touch(paths, vertices[i], touched);
    sort_indices(paths->touched, touched);
    for (size_t i = touched; i-- > 0;) {
        uint32_t node = paths->touched[i];
        ISA_SELECT(tree->context->isa, bvh_refit_nodes)(tree, node, (size_t)node + 1);
        paths->is_touched[node] = 0;
    }
    return RUGA_OK;
}
