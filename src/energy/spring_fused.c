/* Forces and the sweep that follows, fused.
 *
 * Large networks do not fit into the caches, and waiting for the springs' numbers to come from memory is most of the
 * cost of a separate sweep. So points are cut into tiles. Within one, forces are found block after block, and a block
 * is swept as soon as the last point that it has a spring to has got its force: a few blocks later, where the points
 * are in an order that has neighbours near each other. Blocks with springs across a tile's border are swept when all
 * tiles are done. Each point is computed by the same kernel from the same numbers as in two passes, so its bits are the
 * same, whatever the number of threads.
 */
#include "base/threads.h"
#include "energy/spring_kernels.h"

#define FUSED_FROM 32768 /* points: fewer fit into the caches, and tiles would be too few for many threads */
#define TILE_COUNT 32    /* at least, but for networks with small tiles */
#define LEAST_TILE 4096  /* points */
#define MOST_TILE 65536

typedef struct fused_task {
    const spring_network *network;
    const spring_force_pass *forces;
    const spring_sweep_pass *sweep;
    size_t tile; /* points, a multiple of SPRING_BLOCK */
} fused_task;

static size_t tile_size(size_t point_count) {
    size_t tile = point_count / TILE_COUNT;
    tile = tile < LEAST_TILE ? LEAST_TILE : tile > MOST_TILE ? MOST_TILE : tile;
    return (tile + SPRING_BLOCK - 1) / SPRING_BLOCK * SPRING_BLOCK;
}

static size_t block_end(size_t begin, size_t end) { return begin + SPRING_BLOCK < end ? begin + SPRING_BLOCK : end; }

/* Whether all springs of the block that begins here stay within its tile. */
static int is_inner(const spring_network *n, size_t block, size_t begin, size_t end) {
    const uint32_t *reach = n->reach + 2 * (block / SPRING_BLOCK);
    return reach[0] >= begin && reach[1] < end;
}

/* Returns the energy of the tile's springs. */
static double run_tile(void *argument, size_t begin, size_t end) {
    const fused_task *task = argument;
    const spring_network *n = task->network;
    double energy = 0;
    for (size_t block = begin, next = begin; block < end; block += SPRING_BLOCK) {
        size_t known = block_end(block, end);
        energy += spring_force_range(n, task->forces, block, known);
        for (; next < known; next += SPRING_BLOCK) {
            if (!is_inner(n, next, begin, end)) continue;
            if (n->reach[2 * (next / SPRING_BLOCK) + 1] >= known) break;
            spring_sweep_range(n, task->sweep, next, block_end(next, end));
        }
    }
    return energy;
}

static void sweep_borders(void *argument, size_t begin, size_t end) {
    const fused_task *task = argument;
    for (size_t block = begin; block < end; block += SPRING_BLOCK)
        if (!is_inner(task->network, block, begin, end))
            spring_sweep_range(task->network, task->sweep, block, block_end(block, end));
}

double spring_network_forces_and_sweep(const spring_network *network, const spring_force_pass *forces,
                                       const spring_sweep_pass *sweep) {
    if (network->point_count < FUSED_FROM) {
        double energy = spring_network_forces(network, forces);
        spring_network_sweep(network, sweep);
        return energy;
    }
    fused_task task = {network, forces, sweep, tile_size(network->point_count)};
    double axial = spring_axial_forces(network, forces->positions);
    double springs = parallel_sum(network->context, network->point_count, task.tile, run_tile, &task);
    parallel_for(network->context, network->point_count, task.tile, sweep_borders, &task);
    return network->factor * (axial + springs);
}
