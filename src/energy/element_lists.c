/* Corners of elements by point, and sums over them. */
#include "energy/element_lists.h"

#include "base/threads.h"

#define POINT_BLOCK 1024

ruga_status element_lists_make(ruga_context *context, size_t point_count, size_t count, size_t size,
                               const uint32_t *points, element_lists *out) {
    *out = (element_lists){.context = context, .point_count = point_count};
    size_t corners = count * size;
    ruga_status status = NEW_ZEROED(context, &out->offsets, point_count + 2);
    if (!RUGA_FAILED(status)) status = NEW(context, &out->corners, corners);
    if (RUGA_FAILED(status)) {
        element_lists_release(out);
        return status;
    }
    /* Filling turns begins into ends, which are the begins of the next. */
    for (size_t c = 0; c < corners; c++) out->offsets[points[c] + 2]++;
    for (size_t i = 2; i <= point_count + 1; i++) out->offsets[i] += out->offsets[i - 1];
    for (size_t c = 0; c < corners; c++) out->corners[out->offsets[points[c] + 1]++] = (uint32_t)c;
    return RUGA_OK;
}

void element_lists_release(element_lists *lists) {
    if (!lists->context) return;
    RELEASE_ALL(lists->context, lists->offsets, lists->corners);
    *lists = (element_lists){0};
}

typedef struct add_task {
    const element_lists *lists;
    const vec3 *values;
    double scale;
    vec3 *out;
} add_task;

static void add_points(void *argument, size_t begin, size_t end) {
    const add_task *task = argument;
    const element_lists *l = task->lists;
    for (size_t i = begin; i < end; i++) {
        vec3 sum = {0, 0, 0};
        for (size_t e = l->offsets[i]; e < l->offsets[i + 1]; e++) sum = vec3_add(sum, task->values[l->corners[e]]);
        task->out[i] = vec3_add_scaled(task->out[i], sum, task->scale);
    }
}

void element_lists_add(const element_lists *lists, const vec3 *values, double scale, vec3 *out) {
    add_task task = {lists, values, scale, out};
    parallel_for(lists->context, lists->point_count, POINT_BLOCK, add_points, &task);
}
