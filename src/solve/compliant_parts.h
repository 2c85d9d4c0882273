/* The private parts of a compliant solver, shared by its files.
 *
 * Every point has a row of the terms at it. Curvatures are linear in the offsets, so all of them add up to one matrix
 * Q, and with p = a + o the gradient at point i is
 *
 *     g_i = Σ_j s_ij (p_i - p_j) - b_i + foundation
 *     s_ij = k (1 - l / |p_i - p_j|) - Q_ij,   b_i = Σ_j -Q_ij (a_i - a_j)
 *
 * A step minimises an upper bound of the energy. For a spring, d = |p_i - p_j| and a displacement of at most s,
 *
 *     E(displacement) <= E + g . displacement + ½ k (along² + β across²),    β = max(0, 1 - l / (d + s))
 *
 * since E - bound = ½ k (across² (1 - β) - 2 l (R - (d + along))) with R - (d + along) = across² / (R + d + along), and
 * R + d + along <= 2 (d + s). So a block of k (u uᵀ + β (I - u uᵀ)) bounds it while the other end is fixed.
 */
#ifndef SOLVE_COMPLIANT_PARTS_H
#define SOLVE_COMPLIANT_PARTS_H

#include <math.h>

#include "base/isa.h"
#include "solve/compliant.h"
#include "solve/sweeps_point.h"

#define COMPLIANT_LANES 16    /* points of a slice: a multiple of what any register holds */
#define COMPLIANT_TINY 1e-12f /* m, below any length */
#define COMPLIANT_REACH 0.1f  /* of a spring's length: displacement up to which the bound holds */
#define COMPLIANT_FLOOR 1e-4f /* of a block's trace, added to make it invertible */

/* The terms at each point. */
typedef struct compliant_rows {
    uint32_t *spring_offsets; /* (points + 1) */
    uint32_t *spring_slots;   /* (springs x 2) its entries at its two points */
    uint32_t *spring_others;
    float *stiffness, *lengths;
    float *spring_links;    /* -Q_ij of a spring's points */
    uint32_t *link_offsets; /* (points + 1) */
    uint32_t *link_others;
    float *links;            /* -Q_ij of points without a spring */
    float *diagonal;         /* (points) Q_ii */
    float *reaches;          /* (points) m */
    uint32_t *hinge_offsets; /* (points + 1) */
    uint32_t *hinge_corners; /* 4 hinge + corner */
} compliant_rows;

/* The points connected by any term; some may be listed twice. */
typedef struct compliant_graph {
    uint32_t *offsets; /* (points + 1) */
    uint32_t *others;
} compliant_graph;

/* Points for lanes. A breadth-first search gives levels, and whole levels make tiles, so that a tile is connected only
 * with the one before and the one after it: tiles of even number can be processed at the same time, and then those of
 * odd number. Within a tile there are slices of COMPLIANT_LANES points that are not connected and have about the same
 * number of springs and links. Points are in slots, by slices; entry k of a slice has one number per lane. Missing
 * entries of a lane connect its point to itself with 0. */
typedef struct compliant_slices {
    size_t tile_count, count; /* tiles, slices */
    uint32_t *tile_offsets;   /* (tiles + 1) slices */
    uint32_t *order;          /* (slots) the point of a slot; UINT32_MAX: none */
    uint32_t *slots;          /* (points) */
    uint32_t *spring_offsets; /* (slices + 1) entries */
    uint32_t *spring_others;  /* (entries x lanes) slots */
    float *stiffness, *lengths, *spring_links;
    uint32_t *link_offsets; /* (slices + 1) entries */
    uint32_t *link_others;
    float *links;
    float *diagonal, *reaches, *foundations; /* (slots) */
    compliant_hinge *hinges;                 /* between slots */
} compliant_slices;

struct compliant {
    ruga_context *context;
    compliant_def def; /* its arrays are copies */
    compliant_spring *springs;
    compliant_hinge *hinges;
    compliant_curvature *curvatures;
    float *foundations;
    compliant_rows rows;

    /* Plain. */
    uint32_t *order; /* points by colour */
    float *bias;     /* (points x 4) b */

    /* Accelerated. By slot (x 4): the last iterates, and the points with momentum, which the next sweep changes in
     * place. */
    compliant_slices slices;
    float *iterates, *ahead;
    /* By slice, with one number per lane. */
    float *anchors;    /* (slices x 4 x lanes) with radii */
    float *normals;    /* (slices x 3 x lanes) */
    float *biases;     /* (slices x 3 x lanes) */
    float *blocks;     /* (slices x 7 x lanes) results of compliant_invert */
    double *tile_dots; /* (tiles) */
    float *tile_moves; /* (tiles) m² */
    /* Of settling: tiles that wait; m, the sum of the greatest displacements in each sweep of a call; the path below
     * which tiles wait; further calls in which they do. */
    unsigned char *waits;
    double *tile_paths;
    double waiting_path;
    int calls_that_wait;
    /* Of the last run: t of Nesterov's momentum, the momentum that the next sweep starts with, and sweeps so far. */
    double *tile_paces;  /* (tiles) */
    float *tile_momenta; /* (tiles) */
    int sweeps;
};

ruga_status compliant_rows_build(ruga_context *context, const compliant_def *def, compliant_rows *rows);
void compliant_rows_fill(const compliant_def *def, compliant_rows *rows);
void compliant_rows_release(ruga_context *context, compliant_rows *rows);
ruga_status compliant_graph_build(ruga_context *context, const compliant_def *def, const compliant_rows *rows,
                                  compliant_graph *graph);
void compliant_graph_release(ruga_context *context, compliant_graph *graph);
/* Colours of points from 0 on, (points): points of one colour are not connected. `taken`: (points + 1), scratch
 * memory. */
uint32_t compliant_colour(const compliant_graph *graph, size_t point_count, uint32_t *taken, uint32_t *colours);

/* Points ordered by colour. */
ruga_status compliant_order(ruga_context *context, const compliant_graph *graph, size_t point_count, uint32_t **out);

ruga_status compliant_slices_build(ruga_context *context, const compliant_def *def, const compliant_rows *rows,
                                   const compliant_graph *graph, compliant_slices *slices);
void compliant_slices_fill(const compliant_def *def, const compliant_rows *rows, compliant_slices *slices);
void compliant_slices_release(ruga_context *context, compliant_slices *slices);

float compliant_run_plain(compliant *c, const sweep_limits *limits, int iterations, float *points);
/* continued: nothing has changed since the last run. */
float compliant_run_accelerated(compliant *c, const sweep_limits *limits, int iterations, int continued, float *points);

int compliant_settle_accelerated(compliant *c, const sweep_limits *limits, int iterations, float *points);

/* The angle of a hinge and its gradients at the four points. Zero where a triangle has no area. */
double compliant_hinge_angle(const compliant_hinge *hinge, const float *points, double gradients[4][3]);
/* The gradient of a hinge's energy at one of its corners, and in pull[3] an estimate of its second derivative there. */
void compliant_hinge_pull(const compliant_hinge *hinge, const float *points, int corner, float pull[4]);

static inline float compliant_dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* H + k (u uᵀ + β (I - u uᵀ)); H as xx, yy, zz, xy, xz, yz; u = d / length. */
static inline void compliant_add_spring(float h[6], const float d[3], float length, float inverse_length, float rest,
                                        float k, float reach) {
    float excess = length + reach - rest, across = excess > 0 ? k * excess / (length + reach) : 0;
    float along = (k - across) * inverse_length * inverse_length;
    h[0] += across + along * d[0] * d[0];
    h[1] += across + along * d[1] * d[1];
    h[2] += across + along * d[2] * d[2];
    h[3] += along * d[0] * d[1];
    h[4] += along * d[0] * d[2];
    h[5] += along * d[1] * d[2];
}

/* H + k ((1 - τ) n nᵀ + τ I). */
static inline void compliant_add_foundation(float h[6], const float *n, float k, float slide) {
    float held = n ? k * slide : k, rest = k - held;
    h[0] += held, h[1] += held, h[2] += held;
    if (!n) return;
    h[0] += rest * n[0] * n[0];
    h[1] += rest * n[1] * n[1];
    h[2] += rest * n[2] * n[2];
    h[3] += rest * n[0] * n[1];
    h[4] += rest * n[0] * n[2];
    h[5] += rest * n[1] * n[2];
}

/* g + the gradient of a foundation. */
static inline void compliant_add_hold(float g[3], const float o[3], const float *n, float k, float slide) {
    float along = n ? k * (1 - slide) * compliant_dot(o, n) : 0, held = n ? k * slide : k;
    for (int x = 0; x < 3; x++) g[x] += held * o[x] + (n ? along * n[x] : 0);
}

/* The inverse of H + a floor, xx, yy, zz, xy, xz, yz, and 1 / a bound of H. Along n only, if given. */
static inline void compliant_invert(const float h[6], const float *n, float inverse[7]) {
    float trace = h[0] + h[1] + h[2], floor = COMPLIANT_FLOOR * trace, bound = trace > 0 ? 1 / trace : 0;
    float a = h[0] + floor, b = h[1] + floor, c = h[2] + floor;
    if (n) {
        float stiff = a * n[0] * n[0] + b * n[1] * n[1] + c * n[2] * n[2] +
                      2 * (h[3] * n[0] * n[1] + h[4] * n[0] * n[2] + h[5] * n[1] * n[2]);
        float answer = stiff > 0 ? 1 / stiff : 0;
        for (int x = 0; x < 3; x++) inverse[x] = answer * n[x] * n[x];
        inverse[3] = answer * n[0] * n[1];
        inverse[4] = answer * n[0] * n[2];
        inverse[5] = answer * n[1] * n[2];
        inverse[6] = answer;
        return;
    }
    /* Scaled by the trace, so that products of three stay within the range of floats. */
    a *= bound, b *= bound, c *= bound;
    float p = h[3] * bound, q = h[4] * bound, r = h[5] * bound;
    float xx = b * c - r * r, xy = q * r - p * c, xz = p * r - q * b;
    float determinant = a * xx + p * xy + q * xz, scale = determinant > 0 ? bound / determinant : 0;
    inverse[0] = xx * scale;
    inverse[1] = (a * c - q * q) * scale;
    inverse[2] = (a * b - p * p) * scale;
    inverse[3] = xy * scale;
    inverse[4] = xz * scale;
    inverse[5] = (p * q - a * r) * scale;
    inverse[6] = bound;
}

/* Whether a point is within its limits, except for the line of `along_normals`. */
static inline int compliant_within(const sweep_limits *limits, size_t i, const float p[3]) {
    if (limits->anchors) {
        const float *a = limits->anchors + 4 * i;
        float o[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
        if (!(compliant_dot(o, o) <= a[3] * a[3])) return 0;
        if (limits->one_sided && limits->normals && compliant_dot(o, limits->normals + 4 * i) < 0) return 0;
    }
    if (limits->plane_offsets)
        for (size_t e = limits->plane_offsets[i]; e < limits->plane_offsets[i + 1]; e++)
            if (compliant_dot(p, limits->planes + 4 * e) < limits->planes[4 * e + 3]) return 0;
    return 1;
}

/* A step by the bound of a block, projected into the limits, for a point whose step by the block would leave them. */
static inline void compliant_step_limited(const sweep_limits *limits, size_t i, float bound, float reach,
                                          const float g[3], const float *p, float out[3]) {
    float squared = compliant_dot(g, g) * bound * bound;
    float scale = squared > reach * reach ? bound * reach / sqrtf(squared) : bound;
    for (int x = 0; x < 3; x++) out[x] = p[x] - scale * g[x];
    sweep_limit_point(limits, i, out);
}

/* One step of a point at p with gradient g and an inverse block. */
static inline void compliant_step(const sweep_limits *limits, size_t i, const float inverse[7], float reach,
                                  const float g[3], const float *p, float out[3]) {
    float move[3] = {inverse[0] * g[0] + inverse[3] * g[1] + inverse[4] * g[2],
                     inverse[3] * g[0] + inverse[1] * g[1] + inverse[5] * g[2],
                     inverse[4] * g[0] + inverse[5] * g[1] + inverse[2] * g[2]};
    float squared = compliant_dot(move, move);
    float scale = squared > reach * reach ? reach / sqrtf(squared) : 1;
    for (int x = 0; x < 3; x++) out[x] = p[x] - scale * move[x];
    if (!compliant_within(limits, i, out)) compliant_step_limited(limits, i, inverse[6], reach, g, p, out);
}

#endif
