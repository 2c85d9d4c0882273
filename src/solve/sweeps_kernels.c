/* Rows, batches and limits, in registers of points (math/simd_quads.h): four registers at a time, so that one root and one
 * quotient serve as many constraints as a register has numbers. */
#include "solve/sweeps_kernels.h"

#include "math/simd_quads.h"
#include "solve/sweeps_point.h"

#define STEP (4 * QUADS) /* constraints at a time */

/* Half the stiffness times (1 - length / distance), by position. */
static inline f32q factors(f32q squared, const float *half_stiffness, const float *half_lengths) {
    f32q distance = f32q_sqrt(f32q_max(squared, f32q_set(SWEEP_LEAST_SQUARED)));
    return f32q_sub(f32q_load(half_stiffness), f32q_div(f32q_load(half_lengths), distance));
}

/* One register of near ends and one of far ends, part k of a step. */
#define MOVE_ENDS(k)                                                                 \
    do {                                                                             \
        f32q move = f32q_mul(way##k, f32q_spread(factor, k));                        \
        f32q_scatter(points, others + 4 * (k), f32q_sub(far##k, move));              \
        f32q_store(owners + 16 * (k), f32q_add(f32q_load(owners + 16 * (k)), move)); \
    } while (0)

/* STEP constraints of a row: those whose owners are `first` to first + QUADS - 1 of each four. */
static inline void row_step(const sweep_row *row, size_t first, float *owners, float *points) {
    const uint32_t *others = row->others + first;
    f32q far0 = f32q_gather(points, others), far1 = f32q_gather(points, others + 4);
    f32q far2 = f32q_gather(points, others + 8), far3 = f32q_gather(points, others + 12);
    f32q way0 = f32q_sub(far0, f32q_load(owners)), way1 = f32q_sub(far1, f32q_load(owners + 16));
    f32q way2 = f32q_sub(far2, f32q_load(owners + 32)), way3 = f32q_sub(far3, f32q_load(owners + 48));
    f32q factor =
        factors(f32q_lengths2(way0, way1, way2, way3), row->half_stiffness + 4 * first, row->half_lengths + 4 * first);
    MOVE_ENDS(0);
    MOVE_ENDS(1);
    MOVE_ENDS(2);
    MOVE_ENDS(3);
}
#undef MOVE_ENDS

static void packet_rows(const sweep_row *rows, size_t row_count, float *owners, float *points) {
    for (size_t r = 0; r < row_count; r++)
        for (size_t first = 0; first < 4; first += QUADS)
            row_step(&rows[r], first, owners + 4 * (r % SWEEP_HALVES * SWEEP_ROW + first), points);
}

static void batch_step(const sweep_batch *batch, size_t first, float *points) {
    f32q near[4], far[4], way[4];
    for (size_t k = 0; k < 4; k++) {
        near[k] = f32q_gather(points, batch->ends[0] + first + 4 * k);
        far[k] = f32q_gather(points, batch->ends[1] + first + 4 * k);
        way[k] = f32q_sub(far[k], near[k]);
    }
    f32q factor = factors(f32q_lengths2(way[0], way[1], way[2], way[3]), batch->half_stiffness + 4 * first,
                          batch->half_lengths + 4 * first);
    f32q spread[4] = {f32q_spread(factor, 0), f32q_spread(factor, 1), f32q_spread(factor, 2), f32q_spread(factor, 3)};
    for (size_t k = 0; k < 4; k++) {
        f32q move = f32q_mul(way[k], spread[k]);
        f32q_scatter(points, batch->ends[0] + first + 4 * k, f32q_add(near[k], move));
        f32q_scatter(points, batch->ends[1] + first + 4 * k, f32q_sub(far[k], move));
    }
}

void ISA_NAME(sweep_node_constraints)(const sweep_layout *layout, const sweep_node *node, float *points) {
    for (size_t p = node->packets.begin; p < node->packets.end; p++) {
        const sweep_packet *packet = &layout->packets.items[p];
        packet_rows(layout->rows + packet->row, packet->row_count, points + 4 * (size_t)packet->slot, points);
    }
    for (size_t b = node->batches.begin; b < node->batches.end; b++)
        for (size_t first = 0; first < 4; first += QUADS) batch_step(&layout->batches[b], first, points);
    for (size_t k = node->singles.begin; k < node->singles.end; k++) {
        const sweep_single *single = &layout->singles[k];
        sweep_distance(points + 4 * (size_t)single->ends[0], points + 4 * (size_t)single->ends[1], single->half_length,
                       single->half_stiffness);
    }
}

void ISA_NAME(sweep_slot_limits)(const sweep_limits *limits, const uint32_t *slots, size_t slot_count, float *points) {
    for (size_t k = 0; k < slot_count; k++) sweep_limit_point(limits, slots[k], points + 4 * (size_t)slots[k]);
}
