/* Which points of a compliant solver are connected by terms, and colours for them. */
#include <string.h>

#include "solve/compliant_parts.h"

ruga_status compliant_graph_build(ruga_context *context, const compliant_def *def, const compliant_rows *rows,
                                  compliant_graph *graph) {
    size_t points = def->point_count;
    TRY(NEW(context, &graph->offsets, points + 1));
    graph->offsets[0] = 0;
    for (size_t i = 0; i < points; i++)
        graph->offsets[i + 1] = graph->offsets[i] + (rows->spring_offsets[i + 1] - rows->spring_offsets[i]) +
                                (rows->link_offsets[i + 1] - rows->link_offsets[i]) +
                                4 * (rows->hinge_offsets[i + 1] - rows->hinge_offsets[i]);
    TRY(NEW(context, &graph->others, graph->offsets[points]));
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
    RELEASE_ALL(context, graph->offsets, graph->others);
}

uint32_t compliant_colour(const compliant_graph *graph, size_t point_count, uint32_t *taken, uint32_t *colours) {
    /* Colour 0 means none in these loops; taken[k] is the last point with a neighbour of colour k. */
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
    uint32_t *colours, *order;
    TRY(NEW(context, &colours, 2 * point_count + 1));
    ruga_status status = NEW(context, &order, point_count);
    if (!RUGA_FAILED(status)) {
        uint32_t colour_count = compliant_colour(graph, point_count, colours + point_count, colours), next = 0;
        for (uint32_t colour = 0; colour < colour_count; colour++)
            for (size_t i = 0; i < point_count; i++)
                if (colours[i] == colour) order[next++] = (uint32_t)i;
        *out = order;
    }
    memory_release(context, colours);
    return status;
}
