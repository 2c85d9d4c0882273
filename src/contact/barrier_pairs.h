/* Contact in statics: pairs of a surface with itself and with others, their energy, and a limit of steps.
 *
 * A vertex and a triangle, or two edges, push each other apart when their distance d is below a reach d̂. Their energy
 * is the barrier of Li et al. 2020 (contact/barrier.h). With the weights w and the direction n of the gap,
 * d = n · Σ w x, force i is -b' w_i n. Its definite Hessian is b'' w_i w_j n nᵀ. The true one has b' ∇²d beside it,
 * which is never positive: barrier_bend.
 *
 * The nearest points of two edges jump where these are parallel. There the energy is b times m(c / ε), m(y) = y (2 -
 * y), for c = |e × f|² below ε = 1e-3 times its greatest value at rest, as in the same paper. It holds such edges
 * parallel with the stiffness b m' of c, whose Gauss and Newton's Hessian is 2 JᵀJ, J = d(e × f).
 *
 * The energy alone does not keep a long step from passing through. Each step is limited by continuous collision
 * (contact/ccd.h) along the straight line to its end: a surface without intersections stays without.
 *
 * The reach is at most half of an edge: beyond, neighbours would repel each other, and a search would find all of them.
 * Within the surface it is also at most half of the distance at rest (contact/thickness.h), so that a surface at rest
 * has no energy. Triangles that intersect or touch at rest never collide.
 *
 * A surface may intersect although no step leads there: it starts so, or another one moves through it. The vertices of
 * triangles that intersect then pass through everything until they are free again.
 *
 * Part 0 of the contact mesh is the surface that is solved for. Nothing in a solve moves the others.
 */
#ifndef CONTACT_BARRIER_PAIRS_H
#define CONTACT_BARRIER_PAIRS_H

#include "contact/broad.h"
#include "geom/bvh.h"
#include "geom/intersections.h"
#include "math/vec3.h"

#define BARRIER_PAIR_BLOCK 512
#define BARRIER_EDGE_PART 0.5 /* of the mean edge: the most that the reach can be */
#define BARRIER_REST_PART 0.5 /* of the distance at rest (contact_surface.rest_part) */

/* A pair within its reach. */
typedef struct barrier_term {
    uint32_t vertices[4]; /* of the surface that is solved for; the others' have no weight */
    double weights[4];
    vec3 normal;
    vec3 turns[2];    /* N: b dm/de and b dm/df of edges that are nearly parallel */
    double force;     /* N: -b' */
    double curvature; /* N/m: b'' */
    /* Of edges that are nearly parallel: 2 b m', N/m³; else 0. e and f; those of others do not move. */
    double turning;
    vec3 edges[2];
    int moves[2];
    uint32_t pair; /* its number */
} barrier_term;
typedef ARRAY(barrier_term) barrier_terms;

typedef struct barrier_pairs {
    ruga_context *context;
    double reach;          /* m: d̂ */
    unsigned char *passes; /* (vertices of part 0) 1: it passes through everything */
    contact_mesh *mesh;    /* of the vertices that collide, those of part 0 first; `from` and `to` are the caller's */
    broad *broad;
    bvh *tree;
    /* All pairs within the margin, anywhere on the trajectories from found[0] to found[1]. */
    contact_pairs pairs;
    ARRAY(double) reaches; /* (pairs) m */
    ARRAY(double) parts;   /* (pairs) 1, of the last limit: the part of the step before they meet */
    vec3 *found[2];        /* (vertices of mesh) m */
    int is_found;
    intersection_array crossings; /* of the last search for them */
} barrier_pairs;

/* From pairs that are zero; count: vertices of the surface that is solved for. Release them also after a failure. */
ruga_status barrier_pairs_init(ruga_context *context, size_t count, double reach, barrier_pairs *out);
void barrier_pairs_release(barrier_pairs *p);
/* collides: (vertices) cleared at triangles that intersect or touch at rest. */
ruga_status barrier_pairs_mask(barrier_pairs *p, const ruga_mesh *mesh, unsigned char *collides);
/* The contact mesh of these surfaces, again; the first one is solved for. */
ruga_status barrier_pairs_take(barrier_pairs *p, contact_surface *const *surfaces, size_t count);

static inline int barrier_pairs_is_own(const barrier_pairs *p, uint32_t vertex) {
    return p->mesh->part_of[vertex] == 0;
}
/* Vertices of part 0 in the contact mesh. */
static inline size_t barrier_pairs_own_count(const barrier_pairs *p) {
    return p->mesh->part_count > 1 ? p->mesh->parts[1].first_vertex : p->mesh->vertex_count;
}
/* The trajectories of a pair. */
static inline void barrier_pairs_trajectories(const barrier_pairs *p, const contact_pair *pair, vec3 from[4],
                                              vec3 to[4]) {
    for (int k = 0; k < 4; k++) {
        from[k] = p->mesh->from[pair->vertices[k]];
        to[k] = p->mesh->to[pair->vertices[k]];
    }
}

/* All pairs on the trajectories from mesh->from to mesh->to. Pairs of vertices that pass are none, nor are those whose
 * vertices can't move: all inverse masses are 0. On failure there are no pairs. */
ruga_status barrier_pairs_search(barrier_pairs *p);
/* Whether the pairs that were found include those of these trajectories. */
int barrier_pairs_cover(const barrier_pairs *p);

/* The energy at mesh->from. stiffness: (vertices of part 0) N/m, κ of a pair is the mean of its own vertices' times the
 * factor. terms: (pairs) out, without force beyond the reach; NULL: not wanted. */
double barrier_pairs_energy(const barrier_pairs *p, const double *stiffness, double factor, barrier_term *terms);
/* How the distance of a pair curves. With g = Σ w x and the weights that make ½ |g|² least over the places s on both
 * elements, its second derivative is w_i w_j I - B C⁻¹ Bᵀ, where B has the columns w_i t + w'_i g and C the products
 * t · t' of the derivatives t of g by those s that are not at an end of an element. ∇²d is that less w_i w_j n nᵀ, over
 * d. */
typedef struct barrier_bend {
    uint32_t vertices[4]; /* numbers in their surfaces */
    int own[4];           /* 1: of the surface that is solved for */
    double weights[4];
    vec3 gap;          /* m, g */
    int count;         /* of s */
    int axes[2][2];    /* w' is 1 at the first of these corners and -1 at the second */
    vec3 tangents[2];  /* m */
    double inverse[3]; /* 1/m², C⁻¹: 00, 01, 11 */
} barrier_bend;
/* At mesh->from. */
void barrier_pairs_bend(const barrier_pairs *p, size_t pair, barrier_bend *out);
/* out += scale ∇²d in, of the four corners. */
void barrier_bend_product(const barrier_bend *bend, const vec3 in[4], double scale, vec3 out[4]);

/* The part of the trajectories before pairs come nearer than a tenth of their reach. */
double barrier_pairs_limit(barrier_pairs *p);

/* Triangles that intersect at mesh->to. */
ruga_status barrier_pairs_find_crossings(barrier_pairs *p);
/* Marks the corners of the two triangles of an intersection that belong to part 0, (vertices); returns whether one was
 * marked before. Two triangles of other surfaces do not matter: they count as marked. */
int barrier_pairs_mark_crossing(const barrier_pairs *p, size_t i, unsigned char *marks, int is_set);

#endif
