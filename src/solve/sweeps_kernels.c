/* Rows, batches and limits, in registers of points (math/simd_quads.h): four registers at a time, so that one square
 * root and one division serve as many constraints as a register has numbers. */
#include "solve/sweeps_kernels.h"

#include "math/simd_quads.h"
#include "solve/sweeps_point.h"

#define STEP (4 * QUADS) /* constraints, or points, at a time */
#define ROWS_AHEAD 12    /* rows between the current one and the one that is prefetched: some hundred nanoseconds */
#define POINTS_AHEAD 256 /* points, for the prefetch of anchors */

/* Inlined into its loop even where compilers find it long. */
#define WITHIN static inline __attribute__((always_inline))

/* The points of a step. */
typedef struct quads4 {
    f32q a, b, c, d;
} quads4;

static inline quads4 load4(const float *p) {
    return (quads4){f32q_load(p), f32q_load(p + 16), f32q_load(p + 32), f32q_load(p + 48)};
}
static inline void store4(float *p, quads4 v) {
    f32q_store(p, v.a);
    f32q_store(p + 16, v.b);
    f32q_store(p + 32, v.c);
    f32q_store(p + 48, v.d);
}
/* places: uint16_t or uint32_t */
#define gather4(p, places)                                                                  \
    (quads4) {                                                                              \
        f32q_gather(p, places), f32q_gather(p, (places) + 4), f32q_gather(p, (places) + 8), \
            f32q_gather(p, (places) + 12)                                                   \
    }
#define scatter4(p, places, v)                                                                                   \
    (f32q_scatter(p, places, (v).a), f32q_scatter(p, (places) + 4, (v).b), f32q_scatter(p, (places) + 8, (v).c), \
     f32q_scatter(p, (places) + 12, (v).d))
static inline quads4 add4(quads4 p, quads4 q) {
    return (quads4){f32q_add(p.a, q.a), f32q_add(p.b, q.b), f32q_add(p.c, q.c), f32q_add(p.d, q.d)};
}
static inline quads4 sub4(quads4 p, quads4 q) {
    return (quads4){f32q_sub(p.a, q.a), f32q_sub(p.b, q.b), f32q_sub(p.c, q.c), f32q_sub(p.d, q.d)};
}
static inline quads4 mul4(quads4 p, quads4 q) {
    return (quads4){f32q_mul(p.a, q.a), f32q_mul(p.b, q.b), f32q_mul(p.c, q.c), f32q_mul(p.d, q.d)};
}
/* Copies a number per point, by position, to all coordinates of the point. */
static inline quads4 spread4(f32q f) {
    return (quads4){f32q_spread(f, 0), f32q_spread(f, 1), f32q_spread(f, 2), f32q_spread(f, 3)};
}
static inline f32q sums4(quads4 v) { return f32q_sums(v.a, v.b, v.c, v.d); }
static inline quads4 with_fourth4(quads4 p, quads4 q) {
    return (quads4){f32q_with_fourth(p.a, q.a), f32q_with_fourth(p.b, q.b), f32q_with_fourth(p.c, q.c),
                    f32q_with_fourth(p.d, q.d)};
}

/* ---- Constraints. */

/* Displacements of the near ends: the vectors to the far ends times half the stiffness times (1 - length /
 * distance). */
static inline quads4 moves(quads4 gap, f32q half_stiffness, f32q half_lengths) {
    f32q squared = f32q_max(f32q_lengths2(gap.a, gap.b, gap.c, gap.d), f32q_set(SWEEP_LEAST_SQUARED));
    f32q shrunk = f32q_div(half_lengths, f32q_sqrt(squared));
    return mul4(gap, spread4(f32q_sub(half_stiffness, shrunk)));
}

/* The data of a packet. */
typedef struct packet_pass {
    const sweep_row *rows;
    const float *stiffness; /* of its rows; NULL: one of `two`, by the sign of the length */
    f32q two[2];
    float *points; /* of the leaf */
} packet_pass;

/* The owners from `first` on in every group of four of half a row. */
WITHIN quads4 row_step(const packet_pass *pass, size_t row, size_t half, size_t first, quads4 owners) {
    const uint16_t *places = pass->rows[row].others[half] + first;
    quads4 others = gather4(pass->points, places);
    f32q lengths = f32q_load(pass->rows[row].half_lengths[half] + 4 * first);
    f32q stiffness = pass->stiffness ? f32q_load(pass->stiffness + row * SWEEP_PACKET + half * SWEEP_ROW + 4 * first)
                                     : f32q_by_sign(lengths, pass->two[1], pass->two[0]);
    quads4 move = moves(sub4(others, owners), stiffness, pass->stiffness ? lengths : f32q_size(lengths));
    scatter4(pass->points, places, sub4(others, move));
    return add4(owners, move);
}

/* Prefetches memory. The address need not be valid. */
static inline void fetch(uintptr_t place, size_t size) {
    for (size_t k = 0; k < size; k += 64) __builtin_prefetch((const void *)(place + k));
}

WITHIN void run_packet(const packet_pass *pass, size_t row_count, float *owners) {
    /* For meshes that exceed the cache: prefetches as many points of the next leaf. */
    fetch((uintptr_t)owners + SWEEP_LEAF_POINTS * 4 * sizeof(float), SWEEP_PACKET * 4 * sizeof(float));
#if QUADS == 4
    /* All owners stay in registers. */
    quads4 half0 = load4(owners), half1 = load4(owners + 4 * SWEEP_ROW);
    for (size_t r = 0; r < row_count; r++) {
        fetch((uintptr_t)(pass->rows + r) + ROWS_AHEAD * sizeof *pass->rows, sizeof *pass->rows);
        half0 = row_step(pass, r, 0, 0, half0);
        half1 = row_step(pass, r, 1, 0, half1);
    }
    store4(owners, half0);
    store4(owners + 4 * SWEEP_ROW, half1);
#else
    for (size_t r = 0; r < row_count; r++) {
        fetch((uintptr_t)(pass->rows + r) + ROWS_AHEAD * sizeof *pass->rows, sizeof *pass->rows);
        for (size_t half = 0; half < SWEEP_HALVES; half++)
            for (size_t first = 0; first < 4; first += QUADS) {
                float *near = owners + 4 * (half * SWEEP_ROW + first);
                store4(near, row_step(pass, r, half, first, load4(near)));
            }
    }
#endif
}

static void run_packets(const sweep_layout *layout, sweep_range range, float *points) {
    for (size_t p = range.begin; p < range.end; p++) {
        const sweep_packet *packet = &layout->packets.items[p];
        const float *stiffness = layout->row_stiffness + (size_t)packet->row * SWEEP_PACKET;
        const packet_pass pass = {.rows = layout->rows + packet->row,
                                  .stiffness = layout->has_two_stiffnesses ? NULL : stiffness,
                                  .two = {f32q_set(layout->half_stiffness[0]), f32q_set(layout->half_stiffness[1])},
                                  .points = points + sweep_place(layout->packets.items[range.begin].slot)};
        run_packet(&pass, packet->row_count, points + sweep_place(packet->slot));
    }
}

static void run_batch(const sweep_batch *batch, float *points) {
    for (size_t first = 0; first < 4; first += QUADS) {
        quads4 near = gather4(points, batch->ends[0] + first), far = gather4(points, batch->ends[1] + first);
        quads4 move = moves(sub4(far, near), f32q_load(batch->half_stiffness + 4 * first),
                            f32q_load(batch->half_lengths + 4 * first));
        scatter4(points, batch->ends[0] + first, add4(near, move));
        scatter4(points, batch->ends[1] + first, sub4(far, move));
    }
}

void ISA_NAME(sweep_node_constraints)(const sweep_layout *layout, const sweep_node *node, float *points) {
    run_packets(layout, node->packets, points);
    for (size_t b = node->batches.begin; b < node->batches.end; b++) run_batch(&layout->batches[b], points);
    for (size_t k = node->singles.begin; k < node->singles.end; k++) {
        const sweep_single *single = &layout->singles[k];
        sweep_distance(points + single->ends[0], points + single->ends[1], single->half_length, single->half_stiffness);
    }
}

/* ---- Limits. */

/* Onto lines: the same as sweep_limit_line. */
static inline quads4 to_lines(quads4 p, quads4 a, quads4 n, int one_sided) {
    f32q radius = f32q_fourths(a.a, a.b, a.c, a.d), zero = f32q_set(0);
    f32q least = one_sided ? zero : f32q_sub(zero, radius);
    f32q height = f32q_min(f32q_max(sums4(mul4(sub4(p, a), n)), least), radius);
    return add4(a, mul4(spread4(height), n));
}

/* Into balls, as sweep_limit_ball. A scale of 2 marks points that are inside, which do not change. */
static inline f32q inside_stays(f32q scale, f32q p, f32q moved) {
    return f32q_select_gt(scale, f32q_set(1.5f), p, moved);
}
static inline quads4 to_balls(quads4 p, quads4 a) {
    quads4 offset = sub4(p, a);
    f32q squared = f32q_lengths2(offset.a, offset.b, offset.c, offset.d), radius = f32q_fourths(a.a, a.b, a.c, a.d);
    f32q scale = f32q_div(radius, f32q_sqrt(squared));
    quads4 scales = spread4(f32q_select_gt(squared, f32q_mul(radius, radius), scale, f32q_set(2)));
    quads4 moved = add4(a, mul4(offset, scales));
    return (quads4){inside_stays(scales.a, p.a, moved.a), inside_stays(scales.b, p.b, moved.b),
                    inside_stays(scales.c, p.c, moved.c), inside_stays(scales.d, p.d, moved.d)};
}

/* To outer sides, as sweep_limit_side. */
static inline quads4 to_sides(quads4 p, quads4 a, quads4 n) {
    f32q depth = f32q_min(sums4(mul4(sub4(p, a), n)), f32q_set(0));
    return sub4(p, mul4(spread4(depth), n));
}

static inline quads4 limited(const sweep_limits *limits, quads4 p, quads4 a, quads4 n) {
    quads4 moved;
    if (limits->normals && limits->along_normals) {
        moved = to_lines(p, a, n, limits->one_sided);
    } else {
        moved = to_balls(p, a);
        if (limits->normals && limits->one_sided) moved = to_sides(moved, a, n);
    }
    return with_fourth4(moved, p);
}

/* Points that are consecutive in memory; their order in registers does not matter here. */
static inline quads4 load_run(const float *p) {
    return (quads4){f32q_load(p), f32q_load(p + STEP), f32q_load(p + 2 * STEP), f32q_load(p + 3 * STEP)};
}
static inline void store_run(float *p, quads4 v) {
    f32q_store(p, v.a);
    f32q_store(p + STEP, v.b);
    f32q_store(p + 2 * STEP, v.c);
    f32q_store(p + 3 * STEP, v.d);
}

static void limit_step(const sweep_limits *limits, const uint32_t *slots, float *points) {
    size_t first = sweep_place(slots[0]);
    if (slots[STEP - 1] - slots[0] == STEP - 1) {
        quads4 p = load_run(points + first), a = load_run(limits->anchors + first);
        quads4 n = limits->normals ? load_run(limits->normals + first) : a;
        fetch((uintptr_t)(limits->anchors + first) + POINTS_AHEAD * 4 * sizeof(float), STEP * 4 * sizeof(float));
        store_run(points + first, limited(limits, p, a, n));
        return;
    }
    uint32_t places[16];
    for (size_t k = 0; k < 4; k++)
        for (size_t q = 0; q < QUADS; q++) places[4 * k + q] = sweep_place(slots[QUADS * k + q]);
    quads4 p = gather4(points, places), a = gather4(limits->anchors, places);
    quads4 n = limits->normals ? gather4(limits->normals, places) : a;
    scatter4(points, places, limited(limits, p, a, n));
}

void ISA_NAME(sweep_slot_limits)(const sweep_limits *limits, const uint32_t *slots, size_t slot_count, float *points) {
    size_t k = 0;
    for (; limits->anchors && k + STEP <= slot_count; k += STEP) limit_step(limits, slots + k, points);
    for (; limits->anchors && k < slot_count; k++)
        sweep_limit_anchored(limits, slots[k], points + sweep_place(slots[k]));
    for (k = 0; limits->plane_offsets && k < slot_count; k++)
        sweep_limit_planes(limits, slots[k], points + sweep_place(slots[k]));
}
