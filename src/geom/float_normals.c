/* Float normals: each vertex gathers from its ring, eight vertices side by side. */
#include "geom/float_normals.h"

#include "base/threads.h"
#include "geom/float_normals_kernels.h"

struct float_normals {
    ruga_context *context;
    normal_weight weight;
    vertex_rings rings;
};

ruga_status float_normals_create(ruga_context *context, size_t vertex_count, size_t triangle_count,
                                 const uint32_t *triangles, normal_weight weight, float_normals **out) {
    float_normals *n;
    TRY(NEW_ZEROED(context, &n, 1));
    n->context = context;
    n->weight = weight;
    ruga_status status = vertex_rings_build(context, vertex_count, triangle_count, triangles, &n->rings);
    RETURN_MADE(status, n, out, float_normals_destroy(n));
}

void float_normals_destroy(float_normals *n) {
    if (!n) return;
    vertex_rings_release(&n->rings);
    memory_release(n->context, n);
}

/* ---- Frame after frame. */

typedef struct normals_task {
    void (*kernel)(const vertex_rings *, const float *, float *, size_t, size_t);
    const vertex_rings *rings;
    const float *points;
    float *normals;
} normals_task;

static void run_groups(void *argument, size_t begin, size_t end) {
    const normals_task *task = argument;
    task->kernel(task->rings, task->points, task->normals, begin, end);
}

void float_normals_apply(const float_normals *n, const float *points, float *normals) {
    ruga_isa isa = n->context->isa;
    normals_task task = {
        .kernel = n->weight == NORMALS_BY_AREA ? ISA_SELECT(isa, normals_by_area) : ISA_SELECT(isa, normals_by_angle),
        .rings = &n->rings,
        .points = points,
        .normals = normals};
    parallel_for(n->context, n->rings.group_count, RING_BLOCK, run_groups, &task);
}
