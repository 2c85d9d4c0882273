/* Which points of a compliant solver pull at each other, and colours for them. */
#include <string.h>

#include "solve/compliant_parts.h"

ruga_status compliant_graph_build(ruga_context *context, const compliant_def *def, const compliant_rows *rows,
                                  compliant_graph *graph) {
    size_t points = def->point_count;
    graph->offsets = ALLOCATE(context, uint32_t, points + 1);
    if (!graph->offsets) return fail_memory(context, (points + 1) * sizeof(uint32_t));
    graph->offsets[0] = 0;
    for (size_t i = 0; i < points; i++)
        graph->offsets[i + 1] = graph->offsets[i] + (rows->spring_offsets[i + 1] - rows->spring_offsets[i]) +
                                (rows->link_offsets[i + 1] - rows->link_offsets[i]) +
                                4 * (rows->hinge_offsets[i + 1] - rows->hinge_offsets[i]);
    graph->others = ALLOCATE(context, uint32_t, graph->offsets[points]);
    if (!graph->others) return fail_memory(context, graph->offsets[points] * sizeof(uint32_t));
    for (size_t i = 0; i < points; i++) {
        uint32_t *out = graph->others + graph->offsets[i];
        for (size_t e = rows->spring_offsets[i]; e < rows->spring_offsets[i + 1]; e++) *out++ = rows->spring_others[e];
        for (size_t e = rows->link_offsets[i]; e < rows->link_offsets[i + 1]; e++) *out++ = rows->link_others[e];
        for (size_t e = rows->hinge_offsets[i]; e < rows->hinge_offsets[i + 1]; e++)
            for (int k = 0; k < 4; k++) *out++ = def->hinges[rows->hinge_corners[e] / 4].points[k];
    }
    return RUGA_OK;
}

void compliant_graph_release(ruga_context *context, compliant_graph *graph) {
    memory_release(context, graph->offsets);
    memory_release(context, graph->others);
}

uint32_t compliant_colour(const compliant_graph *graph, size_t point_count, uint32_t *taken, uint32_t *colours) {
    /* Colour 0 is none while the work goes on; taken[k] is the last point next to which colour k was found. */
    uint32_t most = 0;
    for (size_t i = 0; i < point_count; i++) colours[i] = 0;
    for (size_t k = 0; k < point_count + 1; k++) taken[k] = UINT32_MAX;
    for (size_t i = 0; i < point_count; i++) {
        for (size_t e = graph->offsets[i]; e < graph->offsets[i + 1]; e++)
            taken[colours[graph->others[e]]] = (uint32_t)i;
        uint32_t colour = 1;
        while (taken[colour] == i) colour++;
        colours[i] = colour;
        if (colour > most) most = colour;
    }
    for (size_t i = 0; i < point_count; i++) colours[i]--;
    return most;
}

ruga_status compliant_order(ruga_context *context, const compliant_graph *graph, size_t point_count, uint32_t **out) {
    uint32_t *colours = ALLOCATE(context, uint32_t, point_count);
    uint32_t *taken = ALLOCATE(context, uint32_t, point_count + 1);
    uint32_t *order = ALLOCATE(context, uint32_t, point_count);
    if (!colours || !taken || !order) {
        memory_release(context, colours);
        memory_release(context, taken);
        memory_release(context, order);
        return fail_memory(context, point_count * sizeof(uint32_t));
    }
    uint32_t colour_count = compliant_colour(graph, point_count, taken, colours), next = 0;
    for (uint32_t colour = 0; colour < colour_count; colour++)
        for (size_t i = 0; i < point_count; i++)
            if (colours[i] == colour) order[next++] = (uint32_t)i;
    memory_release(context, colours);
    memory_release(context, taken);
    *out = order;
    return RUGA_OK;
}
