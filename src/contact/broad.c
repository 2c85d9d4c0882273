/* The broad phase: clusters of triangles walk through the tree, and the pairs they find are sorted. See
 * broad_clusters.h. */
#include "contact/broad.h"

#include <stdatomic.h>
#include <string.h>

#include "base/sort.h"
#include "base/threads.h"
#include "contact/broad_clusters.h"

enum {
    FIT_BLOCK = 512,    /* clusters */
    WALKING_BLOCK = 64, /* clusters that walk */
    WALK_BLOCK = 8      /* nodes */
};

/* Flags of a part that decide with which parts it collides. */
enum { PART_SELF = 1, PART_MOVES = 2, PART_EXCLUDES = 4 };

struct broad {
    ruga_context *context;
    const contact_mesh *mesh;
    uint32_t *elements; /* (element_count x 3) vertices: each part's triangles, then its vertices without triangle */
    uint32_t *element_triangles; /* (element_count) UINT32_MAX: none */
    size_t element_count;
    bvh *tree;
    broad_clusters clusters;
    size_t exclusion_count;
    uint64_t *exclusions;      /* lower part, then higher one; rising */
    unsigned char *part_flags; /* (parts) */

    /* The current call. */
    const ruga_vec3 *from, *to;
    double margin;
    vec3 drift;      /* m, the mean displacement of moving parts: boxes are around what is left of their motion */
    vec3 *ends;      /* (vertices) to, less the drift */
    int only_marked; /* pairs with something marked; else all */
    broad_marks marks;
    unsigned char *active; /* (clusters) those that walk, */
    uint32_t *walking;     /* their numbers */
    size_t walking_count;
    unsigned char *node_walks; /* (nodes) those with clusters that walk, */
    uint32_t *walkers;         /* and their numbers */
    size_t walker_count;
    atomic_size_t found;   /* keys so far */
    broad_keys *blocks;    /* (nodes / WALK_BLOCK + 1) what they found */
    ruga_status *statuses; /* likewise */
    broad_order order;
};

/* ---- Parts */

static uint64_t exclusion_key(uint32_t p, uint32_t q) { return p < q ? (uint64_t)p << 32 | q : (uint64_t)q << 32 | p; }

static int parts_collide(const broad *b, uint32_t p, uint32_t q) {
    unsigned either = b->part_flags[p] | b->part_flags[q];
    if (!(either & PART_MOVES) || (p == q && !(either & PART_SELF))) return 0;
    return !(either & PART_EXCLUDES) || !keys_contain(b->exclusions, b->exclusion_count, exclusion_key(p, q));
}

static void update_parts(broad *b) {
    for (size_t i = 0; i < b->mesh->part_count; i++) {
        const contact_part *part = b->mesh->parts + i;
        b->part_flags[i] = (unsigned char)((b->part_flags[i] & PART_EXCLUDES) | (part->self ? PART_SELF : 0) |
                                           (part->moving ? PART_MOVES : 0));
    }
}

/* ---- Boxes */

/* An error for the first vertex with an unusable coordinate. */
static ruga_status check_positions(const contact_mesh *m, const ruga_vec3 *positions, const char *when) {
    for (size_t i = 0; i < m->vertex_count; i++) {
        const contact_part *part = m->parts + m->part_of[i];
        ruga_vec3 p = positions[i];
        if (!bvh_is_usable(p))
            return fail_with(m->context, RUGA_ERROR_INPUT,
                             "the surface of '%s' has vertex %u at (%g, %g, %g) %s, but contact needs coordinates "
                             "that are finite and within %g m; check the mesh and what moves it",
                             part->name ? part->name : "", m->numbers[i], p.x, p.y, p.z, when, BVH_LARGEST);
    }
    return RUGA_OK;
}

/* Turns a failed refit into an error that names surface and vertex. */
static ruga_status explain(const broad *b, ruga_status status, const ruga_vec3 *from, const ruga_vec3 *to) {
    if (status != RUGA_ERROR_INPUT) return status;
    TRY(check_positions(b->mesh, from, "at the start of a step"));
    TRY(check_positions(b->mesh, to, "at the end of a step"));
    return status;
}

static void fit_clusters(void *argument, size_t begin, size_t end) {
    broad *b = argument;
    ISA_SELECT(b->context->isa, broad_fit)(b->tree, &b->clusters, begin, end);
}

static void fit_walking(void *argument, size_t begin, size_t end) {
    const broad *b = argument;
    for (size_t i = begin; i < end; i++) fit_clusters(argument, b->walking[i], (size_t)b->walking[i] + 1);
}

/* Pairs come as near in a frame that moves with the surfaces, and there the boxes of cloth that falls or is carried
 * along are small. */
static void find_drift(broad *b, const ruga_vec3 *from, const ruga_vec3 *to) {
    const contact_mesh *m = b->mesh;
    vec3 sum = {0, 0, 0};
    size_t count = 0;
    for (size_t i = 0; i < m->vertex_count; i++) {
        if (!(b->part_flags[m->part_of[i]] & PART_MOVES)) continue;
        sum = vec3_add(sum, vec3_sub(to[i], from[i]));
        count++;
    }
    b->drift = vec3_scale(sum, count > 0 ? 1 / (double)count : 0);
}

static void set_ends(broad *b, const ruga_vec3 *to) {
    for (size_t i = 0; i < b->mesh->vertex_count; i++) b->ends[i] = vec3_sub(to[i], b->drift);
}

static ruga_status fit_all(broad *b, const ruga_vec3 *from, const ruga_vec3 *to, double margin) {
    b->from = NULL;  // until all boxes are fitted
    find_drift(b, from, to);
    set_ends(b, to);
    ruga_status status = bvh_refit(b->tree, from, b->ends, margin / 2);
    if (status == RUGA_ERROR_INPUT) {  // the drift may be what is not usable
        b->drift = (vec3){0, 0, 0};
        set_ends(b, to);
        status = bvh_refit(b->tree, from, b->ends, margin / 2);
    }
    if (RUGA_FAILED(status)) return explain(b, status, from, to);
    b->from = from;
    b->to = to;
    b->margin = margin;
    parallel_for(b->context, b->clusters.count, FIT_BLOCK, fit_clusters, b);
    return RUGA_OK;
}

void broad_follow(broad *b, ruga_vec3 change) { b->drift = vec3_add(b->drift, change); }

/* After vertices of the clusters that walk changed. */
static ruga_status fit_changed(broad *b, const uint32_t *changed, size_t changed_count) {
    bvh_frame before = b->tree->frame;
    for (size_t i = 0; i < changed_count; i++) b->ends[changed[i]] = vec3_sub(b->to[changed[i]], b->drift);
    ruga_status status = bvh_refit_changed(b->tree, changed, changed_count);
    if (RUGA_FAILED(status)) {
        b->from = NULL;  // the boxes are not usable
        return explain(b, status, b->tree->positions, b->to);
    }
    vec3 shift = vec3_sub(b->tree->frame.centre, before.centre);
    if (before.exponent != b->tree->frame.exponent || shift.x != 0 || shift.y != 0 || shift.z != 0)
        parallel_for(b->context, b->clusters.count, FIT_BLOCK, fit_clusters, b);
    else
        parallel_for(b->context, b->walking_count, WALKING_BLOCK, fit_walking, b);
    return RUGA_OK;
}

/* ---- Walks */

typedef struct walk_sink {
    broad *broad;
    broad_keys *keys;
    ruga_status status;
} walk_sink;

/* Reserves room for more keys. Refuses more pairs than any sane state has, before memory is exhausted; whether there
 * are so many does not depend on which thread counts them first. */
static ruga_status reserve_keys(walk_sink *sink, size_t count) {
    broad *b = sink->broad;
    size_t most = ((size_t)1 << 24) + 64 * (b->mesh->vertex_count + b->mesh->edge_count);
    if (atomic_fetch_add(&b->found, count) + count > most)
        return fail_with(
            b->context, RUGA_ERROR_INPUT,
            "more than %zu pairs of vertices, edges and triangles may touch in one step: the surfaces are all in one "
            "place, move too far in a step, or have a thickness far above the length of their edges; try a smaller "
            "thickness or more substeps",
            most);
    return ARRAY_RESERVE(b->context, sink->keys, count);
}

static void flush(broad_walk *walk, pair_kind kind) {
    walk_sink *sink = walk->user;
    const broad *b = walk->broad;
    const contact_mesh *m = b->mesh;
    broad_candidate *candidates = walk->candidates[kind];
    size_t count = walk->counts[kind];
    walk->counts[kind] = 0;
    count = ISA_SELECT(m->context->isa, broad_filter)(kind, b->from, b->to, b->margin, candidates, count);
    if (RUGA_FAILED(sink->status)) return;
    sink->status = reserve_keys(sink, count);
    if (RUGA_FAILED(sink->status)) return;
    uint32_t base = kind == PAIR_EDGE_EDGE ? (uint32_t)m->vertex_count : 0;
    for (size_t i = 0; i < count; i++)
        sink->keys->items[sink->keys->count++] =
            (uint64_t)(base + candidates[i].elements[0]) << 32 | candidates[i].elements[1];
}

static void walk_block(void *argument, size_t begin, size_t end) {
    broad *b = argument;
    walk_sink sink = {b, b->blocks + begin / WALK_BLOCK, RUGA_OK};
    broad_walk walk;
    walk.broad = b;
    walk.tree = b->tree;
    walk.clusters = &b->clusters;
    walk.active = b->active;
    walk.marks = b->only_marked ? &b->marks : NULL;
    walk.collide = parts_collide;
    walk.flush = flush;
    walk.user = &sink;
    walk.counts[0] = walk.counts[1] = 0;
    sink.keys->count = 0;
    for (size_t i = begin; i < end && !RUGA_FAILED(sink.status); i++)
        ISA_SELECT(b->context->isa, broad_meet)(&walk, b->walkers[i]);
    flush(&walk, PAIR_VERTEX_TRIANGLE);
    flush(&walk, PAIR_EDGE_EDGE);
    b->statuses[begin / WALK_BLOCK] = sink.status;
}

/* Lets a cluster, and the node that contains it, walk. */
static void add_walker(broad *b, uint32_t cluster) {
    if (b->active[cluster]) return;
    b->active[cluster] = 1;
    b->walking[b->walking_count++] = cluster;
    uint32_t node = b->tree->paths->leaf_parents[cluster];
    if (!b->node_walks[node]) b->walkers[b->walker_count++] = node;
    b->node_walks[node] = 1;
}

static void clear_walkers(broad *b) {
    for (size_t i = 0; i < b->walking_count; i++) b->active[b->walking[i]] = 0;
    for (size_t i = 0; i < b->walker_count; i++) b->node_walks[b->walkers[i]] = 0;
    b->walking_count = b->walker_count = 0;
}

static ruga_status walk_all(broad *b, contact_pairs *pairs) {
    ruga_context *context = b->context;
    size_t block_count = (b->walker_count + WALK_BLOCK - 1) / WALK_BLOCK;
    atomic_store(&b->found, 0);
    parallel_for(context, b->walker_count, WALK_BLOCK, walk_block, b);
    for (size_t i = 0; i < block_count; i++) TRY(b->statuses[i]);
    return broad_order_pairs(&b->order, b->mesh, b->blocks, block_count, pairs);
}

ruga_status broad_find(broad *b, const ruga_vec3 *from, const ruga_vec3 *to, double margin, contact_pairs *pairs) {
    pairs->count = 0;
    update_parts(b);
    TRY(fit_all(b, from, to, margin));
    for (uint32_t i = 0; i < b->clusters.count; i++)
        if (b->mesh->parts[b->clusters.parts[i]].moving) add_walker(b, i);
    b->only_marked = 0;
    ruga_status status = walk_all(b, pairs);
    clear_walkers(b);
    return status;
}

/* Marks the edges and triangles of a cluster that have a changed vertex. */
static void mark_cluster(broad *b, uint32_t cluster) {
    const broad_clusters *c = &b->clusters;
    const bvh_leaf *leaf = b->tree->leaves + cluster;
    const unsigned char *marks = b->marks.vertices;
    for (uint32_t g = c->edge_starts[cluster]; g < c->edge_starts[cluster + 1]; g++) {
        const broad_edges *group = c->edges + g;
        unsigned bits = 0;
        for (unsigned i = 0; i < BROAD_LANES && group->edge[i] != UINT32_MAX; i++)
            bits |= (unsigned)(marks[group->vertices[0][i]] | marks[group->vertices[1][i]]) << i;
        b->marks.edges[g] = (unsigned char)bits;
    }
    unsigned bits = 0;
    for (unsigned i = 0; i < BVH_LEAF_SIZE; i++)
        bits |= (unsigned)(marks[leaf->vertex[0][i]] | marks[leaf->vertex[1][i]] | marks[leaf->vertex[2][i]]) << i;
    b->marks.triangles[cluster] = (unsigned char)bits;
}

static void mark_walking(void *argument, size_t begin, size_t end) {
    broad *b = argument;
    for (size_t i = begin; i < end; i++) mark_cluster(b, b->walking[i]);
}

/* Lets the clusters with changed vertices walk. */
static void mark_changed(broad *b, const uint32_t *changed, size_t changed_count) {
    const bvh_paths *paths = b->tree->paths;
    for (size_t i = 0; i < changed_count; i++) {
        uint32_t vertex = changed[i];
        b->marks.vertices[vertex] = 1;
        for (uint32_t k = paths->leaf_offsets[vertex]; k < paths->leaf_offsets[vertex + 1]; k++)
            add_walker(b, paths->leaves[k]);
    }
    parallel_for(b->context, b->walking_count, WALKING_BLOCK, mark_walking, b);
}

static void clear_marks(broad *b, const uint32_t *changed, size_t changed_count) {
    const broad_clusters *c = &b->clusters;
    for (size_t i = 0; i < changed_count; i++) b->marks.vertices[changed[i]] = 0;
    for (size_t i = 0; i < b->walking_count; i++) {
        uint32_t cluster = b->walking[i];
        b->marks.triangles[cluster] = 0;
        for (uint32_t g = c->edge_starts[cluster]; g < c->edge_starts[cluster + 1]; g++) b->marks.edges[g] = 0;
    }
}

ruga_status broad_find_changed(broad *b, const ruga_vec3 *from, const ruga_vec3 *to, double margin,
                               const uint32_t *changed, size_t changed_count, contact_pairs *pairs) {
    pairs->count = 0;
    update_parts(b);
    mark_changed(b, changed, changed_count);
    int same = b->from == from && b->to == to && b->margin == margin;
    ruga_status status = same ? fit_changed(b, changed, changed_count) : fit_all(b, from, to, margin);
    b->only_marked = 1;
    if (!RUGA_FAILED(status)) status = walk_all(b, pairs);
    clear_marks(b, changed, changed_count);
    clear_walkers(b);
    return status;
}

/* ---- Making */

/* Triangles of each part, and its vertices without any; part_ends: where each part's elements end. */
static void list_elements(broad *b, unsigned char *has_triangle, uint32_t *part_ends) {
    const contact_mesh *m = b->mesh;
    for (size_t i = 0; i < 3 * m->triangle_count; i++) has_triangle[m->triangles[i]] = 1;
    size_t triangle = 0, vertex = 0, next = 0;
    for (size_t i = 0; i < m->part_count; i++) {
        int last = i + 1 == m->part_count;
        size_t triangle_end = last ? m->triangle_count : m->parts[i + 1].first_triangle;
        size_t vertex_end = last ? m->vertex_count : m->parts[i + 1].first_vertex;
        for (; triangle < triangle_end; triangle++, next++) {
            memcpy(b->elements + 3 * next, m->triangles + 3 * triangle, 3 * sizeof *m->triangles);
            b->element_triangles[next] = (uint32_t)triangle;
        }
        for (; vertex < vertex_end; vertex++) {
            if (has_triangle[vertex]) continue;
            for (size_t k = 0; k < 3; k++) b->elements[3 * next + k] = (uint32_t)vertex;
            b->element_triangles[next++] = UINT32_MAX;
        }
        part_ends[i] = (uint32_t)next;
    }
    b->element_count = next;
}

static ruga_status make_tree(broad *b, unsigned char **has_triangle, uint32_t **part_ends) {
    const contact_mesh *m = b->mesh;
    size_t most = m->triangle_count + m->vertex_count;
    TRY(NEW(m->context, &b->elements, 3 * most));
    TRY(NEW(m->context, &b->element_triangles, most));
    TRY(NEW_ZEROED(m->context, has_triangle, m->vertex_count));
    TRY(NEW(m->context, part_ends, m->part_count));
    list_elements(b, *has_triangle, *part_ends);
    return bvh_build_groups(m->context, m->vertex_count, m->rest, b->element_count, 3, b->elements, m->part_count,
                            *part_ends, &b->tree);
}

static ruga_status copy_exclusions(broad *b, const broad_exclusion *exclusions) {
    const contact_mesh *m = b->mesh;
    TRY(NEW(m->context, &b->exclusions, b->exclusion_count));
    TRY(NEW_ZEROED(m->context, &b->part_flags, m->part_count));
    for (size_t i = 0; i < b->exclusion_count; i++) {
        b->exclusions[i] = exclusion_key(exclusions[i].parts[0], exclusions[i].parts[1]);
        for (size_t k = 0; k < 2; k++) b->part_flags[exclusions[i].parts[k]] = PART_EXCLUDES;
    }
    sort_keys(b->exclusions, b->exclusion_count);
    return RUGA_OK;
}

static ruga_status fill(broad *b, const broad_exclusion *exclusions) {
    const contact_mesh *m = b->mesh;
    unsigned char *has_triangle = NULL;
    uint32_t *part_ends = NULL;
    TRY(check_positions(m, m->rest, "at rest"));
    TRY(copy_exclusions(b, exclusions));
    ruga_status status = make_tree(b, &has_triangle, &part_ends);
    RELEASE_ALL(m->context, has_triangle, part_ends);
    TRY(status);
    TRY(bvh_prepare_changes(b->tree));
    TRY(broad_clusters_fill(m, b->tree, b->element_triangles, &b->clusters));
    size_t block_count = b->tree->node_count / WALK_BLOCK + 1;
    TRY(NEW(m->context, &b->ends, m->vertex_count));
    TRY(NEW_ZEROED(m->context, &b->marks.vertices, m->vertex_count));
    TRY(NEW_ZEROED(m->context, &b->marks.edges, b->clusters.edge_starts[b->clusters.count]));
    TRY(NEW_ZEROED(m->context, &b->marks.triangles, b->clusters.count));
    TRY(NEW_ZEROED(m->context, &b->active, b->clusters.count));
    TRY(NEW(m->context, &b->walking, b->clusters.count));
    TRY(NEW_ZEROED(m->context, &b->node_walks, b->tree->node_count));
    TRY(NEW(m->context, &b->walkers, b->tree->node_count));
    TRY(NEW_ZEROED(m->context, &b->blocks, block_count));
    TRY(NEW(m->context, &b->statuses, block_count));
    return NEW(m->context, &b->order.starts, m->vertex_count + m->edge_count);
}

ruga_status broad_create(const contact_mesh *m, const broad_exclusion *exclusions, size_t exclusion_count,
                         broad **out) {
    broad *b;
    TRY(NEW_ZEROED(m->context, &b, 1));
    b->context = m->context;
    b->mesh = m;
    b->exclusion_count = exclusion_count;
    ruga_status status = fill(b, exclusions);
    if (RUGA_FAILED(status))
        broad_destroy(b);
    else
        *out = b;
    return status;
}

void broad_destroy(broad *b) {
    if (!b) return;
    ruga_context *context = b->context;
    for (size_t i = 0; b->blocks && i < b->tree->node_count / WALK_BLOCK + 1; i++)
        ARRAY_RELEASE(context, b->blocks + i);
    broad_clusters_release(context, &b->clusters);
    bvh_destroy(b->tree);
    RELEASE_ALL(context, b->elements, b->element_triangles, b->exclusions, b->part_flags, b->ends, b->marks.vertices,
                b->marks.edges, b->marks.triangles, b->active, b->walking, b->node_walks, b->walkers, b->blocks,
                b->statuses, b->order.starts, b->order.keys.items, b->order.sorted.items, b);
}
