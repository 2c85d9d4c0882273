/* The private parts of the broad phase.
 *
 * There is one tree over the triangles of all parts, arranged by the rest meshes, so that its leaves are patches of up
 * to four triangles of one part wherever they have moved since. A leaf is a cluster: it owns its triangles, and every
 * vertex and every edge is owned by one of the clusters that contain it. Clusters whose boxes overlap are compared,
 * each two once:
 *
 *     cluster A                  cluster B
 *     vertices  ───────────────▶ triangles      floats in the tree's frame, rounded outwards: eight boxes at a time
 *     triangles ◀─────────────── vertices       pairs that remain are decided in double, four at a time: by the boxes
 *     edges     ◀──────────────▶ edges          and by a few axes along which the two may be apart
 *
 * So the pairs that are found depend on the positions alone: not on the tree, its frame or its history.
 *
 * A vertex without triangles is an element of the tree too, with three times the same corner. It is in a cluster that
 * has no triangle for it.
 */
#ifndef CONTACT_BROAD_CLUSTERS_H
#define CONTACT_BROAD_CLUSTERS_H

#include "base/isa.h"
#include "contact/contact_mesh.h"
#include "contact/pairs.h"
#include "geom/bvh_tree.h"

enum { BROAD_LANES = 8 };

/* A cluster's box and those of its triangles, in the frame; the box of a lane without triangle is empty. */
typedef struct broad_cluster {
    float low[3][BVH_LEAF_SIZE], high[3][BVH_LEAF_SIZE];
    float all_low[4], all_high[4];
} broad_cluster;

/* Up to eight edges of a cluster; the boxes of lanes without one are empty. */
typedef struct broad_edges {
    float low[3][BROAD_LANES], high[3][BROAD_LANES];
    uint32_t vertices[2][BROAD_LANES];
    uint32_t edge[BROAD_LANES];
    uint32_t unused[BROAD_LANES];
} broad_edges;

typedef struct broad_vertex {
    float low[3];
    uint32_t vertex;
    float high[3];
    uint32_t unused;
} broad_vertex;

/* Cluster i owns the vertices from vertex_starts[i] and the groups of edges from edge_starts[i] on. */
typedef struct broad_clusters {
    size_t count;
    broad_cluster *boxes;    /* (count) */
    broad_edges *edges;      /* (edge_starts[count]) */
    broad_vertex *vertices;  /* (vertex_starts[count]) */
    uint32_t *vertex_starts; /* (count + 1) */
    uint32_t *edge_starts;   /* (count + 1) */
    uint32_t *triangles;     /* (count x 4) UINT32_MAX: none */
    uint32_t *parts;         /* (count) */
} broad_clusters;

/* Makes clusters of the leaves of a tree; element_triangles: the triangle of each element, UINT32_MAX: none. Boxes are
 * not made yet. */
ruga_status broad_clusters_fill(const contact_mesh *m, const bvh *tree, const uint32_t *element_triangles,
                                broad_clusters *clusters);
void broad_clusters_release(ruga_context *context, broad_clusters *clusters);

/* A possible pair. */
typedef struct broad_candidate {
    uint32_t vertices[4]; /* as in a contact_pair */
    uint32_t elements[2];
} broad_candidate;

/* Changed elements, for searches restricted to them. Bits are lanes. */
typedef struct broad_marks {
    unsigned char *vertices;  /* (vertices) whether they changed */
    unsigned char *edges;     /* (groups of edges) bits of those with a changed vertex */
    unsigned char *triangles; /* (clusters) likewise */
} broad_marks;

/* Two clusters make at most 2 x 12 x 4 candidates of one kind and 12 x 12 of the other. */
enum { BROAD_BUFFER = 512, BROAD_MOST = 144 };

/* A walk of clusters through the tree. */
typedef struct broad_walk {
    const struct broad *broad;
    const bvh *tree;
    const broad_clusters *clusters;
    const unsigned char *active; /* (count) those that walk */
    /* NULL: each two clusters that walk are compared once, by the first of them. Else the clusters that walk have
     * marked elements, which are compared with everything; where both are marked, edges by the first of the two, and
     * triangles by their vertex. */
    const broad_marks *marks;
    int (*collide)(const struct broad *b, uint32_t part, uint32_t other);
    void (*flush)(struct broad_walk *walk, pair_kind kind); /* makes room for BROAD_MOST candidates at least */
    void *user;
    size_t counts[2];
    broad_candidate candidates[2][BROAD_BUFFER]; /* by pair_kind */
} broad_walk;

/* ---- Kernels */
/* Boxes of the clusters [begin, end), after the tree was refitted. */
ISA_DECLARE(void, broad_fit, (const bvh *tree, broad_clusters *clusters, size_t begin, size_t end));
/* Compares the clusters of a node that walk with those that they overlap. */
ISA_DECLARE(void, broad_meet, (broad_walk * walk, uint32_t node));
/* Keeps candidates whose boxes, each grown by half the margin, overlap, unless they are shown to stay apart by more
 * than the margin; returns how many it kept. */
ISA_DECLARE(size_t, broad_filter,
            (pair_kind kind, const ruga_vec3 *from, const ruga_vec3 *to, double margin, broad_candidate *candidates,
             size_t count));

/* ---- Order */
/* Keys of pairs: vertex, or vertex_count + edge, then the other element. */
typedef ARRAY(uint64_t) broad_keys;
/* First elements fall into buckets; blocks of found keys are counted in chunks. */
enum { BROAD_BUCKETS = 256, BROAD_CHUNKS = 64 };
typedef struct broad_order {
    broad_keys keys, sorted;
    uint32_t *starts; /* (vertices and edges) */
    uint32_t histogram[BROAD_CHUNKS][BROAD_BUCKETS];
} broad_order;
/* The keys of all blocks, fewer than 2^32, sorted, as pairs. */
ruga_status broad_order_pairs(broad_order *order, const contact_mesh *m, const broad_keys *blocks, size_t block_count,
                              contact_pairs *pairs);

#endif
