/* Tiles and slices of a compliant solver; see compliant_parts.h. */
#include <stdlib.h>
#include <string.h>

#include "solve/compliant_parts.h"

#define NO_POINT UINT32_MAX
#define TILE_POINTS 1536 /* at least, so that few lanes are empty; their data fit the second-level cache */

/* A point, its tile and colour, and its numbers of terms. */
typedef struct placed_point {
    uint32_t tile, colour, springs, links, point;
} placed_point;

static int compare_places(const void *a, const void *b) {
    const placed_point *p = a, *q = b;
    if (p->tile != q->tile) return p->tile < q->tile ? -1 : 1;
    if (p->colour != q->colour) return p->colour < q->colour ? -1 : 1;
    if (p->springs != q->springs) return p->springs < q->springs ? -1 : 1;
    if (p->links != q->links) return p->links < q->links ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

/* Appends the new neighbours of queue[head] to queue[level_end - 1] to the queue, and returns its new end. */
static size_t search_level(const compliant_graph *graph, uint32_t *queue, size_t head, size_t level_end,
                           placed_point *places, uint32_t tile) {
    size_t tail = level_end;
    for (; head < level_end; head++)
        for (size_t e = graph->offsets[queue[head]]; e < graph->offsets[queue[head] + 1]; e++) {
            uint32_t other = graph->others[e];
            if (places[other].tile != NO_POINT) continue;
            places[other].tile = tile;
            queue[tail++] = other;
        }
    return tail;
}

/* The tile of each point: several levels of a search per tile. Returns the number of tiles. */
static uint32_t find_tiles(const compliant_graph *graph, size_t points, uint32_t *queue, placed_point *places) {
    size_t head = 0, tail = 0, tile_begin = 0, seed = 0;
    uint32_t tile = 0;
    for (size_t i = 0; i < points; i++) places[i].tile = NO_POINT;
    while (head < points) {
        /* A level is complete. A piece of the graph that is not connected with it starts a level of its own. */
        if (tail - tile_begin >= TILE_POINTS) {
            tile++;
            tile_begin = tail;
        }
        if (head == tail) {
            while (places[seed].tile != NO_POINT) seed++;
            places[seed].tile = tile;
            queue[tail++] = (uint32_t)seed;
        } else {
            size_t level_end = tail;
            tail = search_level(graph, queue, head, level_end, places, tile);
            head = level_end;
        }
    }
    return points > 0 ? places[queue[points - 1]].tile + 1 : 0;
}

/* Cuts the sorted places into slices where a tile or colour ends. If `order` is allocated, fills it and the tiles'
 * offsets. */
static size_t cut_slices(const placed_point *places, size_t points, compliant_slices *slices) {
    size_t slot = 0;
    for (size_t k = 0; k < points; k++) {
        const placed_point *p = places + k, *last = k > 0 ? p - 1 : NULL;
        int new_tile = !last || last->tile != p->tile;
        if (new_tile || last->colour != p->colour)
            slot = (slot + COMPLIANT_LANES - 1) / COMPLIANT_LANES * COMPLIANT_LANES;
        if (slices->order) {
            if (new_tile) slices->tile_offsets[p->tile] = (uint32_t)(slot / COMPLIANT_LANES);
            slices->order[slot] = p->point;
            slices->slots[p->point] = (uint32_t)slot;
        }
        slot++;
    }
    return (slot + COMPLIANT_LANES - 1) / COMPLIANT_LANES;
}

static ruga_status place_points(ruga_context *context, const compliant_rows *rows, const compliant_graph *graph,
                                size_t points, placed_point *places, uint32_t *scratch, compliant_slices *slices) {
    uint32_t *queue = scratch, *colours = scratch + points + 1;
    slices->tile_count = find_tiles(graph, points, queue, places);
    compliant_colour(graph, points, queue, colours);
    for (size_t i = 0; i < points; i++) {
        places[i].colour = colours[i];
        places[i].springs = rows->spring_offsets[i + 1] - rows->spring_offsets[i];
        places[i].links = rows->link_offsets[i + 1] - rows->link_offsets[i];
        places[i].point = (uint32_t)i;
    }
    qsort(places, points, sizeof *places, compare_places);
    slices->count = cut_slices(places, points, slices);
    TRY(NEW(context, &slices->slots, points));
    TRY(NEW(context, &slices->tile_offsets, slices->tile_count + 1));
    TRY(NEW(context, &slices->order, COMPLIANT_LANES * slices->count));
    for (size_t slot = 0; slot < COMPLIANT_LANES * slices->count; slot++) slices->order[slot] = NO_POINT;
    slices->tile_offsets[slices->tile_count] = (uint32_t)slices->count;
    cut_slices(places, points, slices);
    return RUGA_OK;
}

static ruga_status order_points(ruga_context *context, const compliant_rows *rows, const compliant_graph *graph,
                                size_t points, compliant_slices *slices) {
    placed_point *places;
    uint32_t *scratch = NULL;
    TRY(NEW(context, &places, points));
    ruga_status status = NEW(context, &scratch, 2 * points + 1);
    if (!RUGA_FAILED(status)) status = place_points(context, rows, graph, points, places, scratch, slices);
    RELEASE_ALL(context, places, scratch);
    return status;
}

/* Offsets of the entries of each slice: as many as its point with the most terms has. */
static ruga_status count_entries(ruga_context *context, const compliant_slices *slices, const uint32_t *offsets,
                                 uint32_t **out) {
    uint32_t *entries;
    TRY(NEW_ZEROED(context, out, slices->count + 1));
    entries = *out;
    for (size_t k = 0; k < slices->count; k++) {
        uint32_t most = 0;
        for (size_t lane = 0; lane < COMPLIANT_LANES; lane++) {
            uint32_t i = slices->order[COMPLIANT_LANES * k + lane];
            if (i != NO_POINT && offsets[i + 1] - offsets[i] > most) most = offsets[i + 1] - offsets[i];
        }
        entries[k + 1] = entries[k] + most;
    }
    return RUGA_OK;
}

ruga_status compliant_slices_build(ruga_context *context, const compliant_def *def, const compliant_rows *rows,
                                   const compliant_graph *graph, compliant_slices *s) {
    TRY(order_points(context, rows, graph, def->point_count, s));
    TRY(count_entries(context, s, rows->spring_offsets, &s->spring_offsets));
    TRY(count_entries(context, s, rows->link_offsets, &s->link_offsets));
    size_t springs = COMPLIANT_LANES * (size_t)s->spring_offsets[s->count];
    size_t links = COMPLIANT_LANES * (size_t)s->link_offsets[s->count], slots = COMPLIANT_LANES * s->count;
    TRY(NEW_ALIGNED(context, &s->spring_others, springs));
    TRY(NEW_ALIGNED(context, &s->stiffness, springs));
    TRY(NEW_ALIGNED(context, &s->lengths, springs));
    TRY(NEW_ALIGNED(context, &s->spring_links, springs));
    TRY(NEW_ALIGNED(context, &s->link_others, links));
    TRY(NEW_ALIGNED(context, &s->links, links));
    TRY(NEW_ALIGNED(context, &s->diagonal, slots));
    TRY(NEW_ALIGNED(context, &s->reaches, slots));
    TRY(NEW_ALIGNED(context, &s->foundations, slots));
    TRY(NEW(context, &s->hinges, def->hinge_count));
    compliant_slices_fill(def, rows, s);
    return RUGA_OK;
}

/* Connects the point of every lane of a slice to itself, with 0. */
static void clear_slice(compliant_slices *s, size_t k) {
    for (size_t e = s->spring_offsets[k]; e < s->spring_offsets[k + 1]; e++)
        for (size_t lane = 0; lane < COMPLIANT_LANES; lane++) {
            size_t at = COMPLIANT_LANES * e + lane;
            s->spring_others[at] = (uint32_t)(COMPLIANT_LANES * k + lane);
            s->stiffness[at] = s->lengths[at] = s->spring_links[at] = 0;
        }
    for (size_t e = s->link_offsets[k]; e < s->link_offsets[k + 1]; e++)
        for (size_t lane = 0; lane < COMPLIANT_LANES; lane++) {
            s->link_others[COMPLIANT_LANES * e + lane] = (uint32_t)(COMPLIANT_LANES * k + lane);
            s->links[COMPLIANT_LANES * e + lane] = 0;
        }
}

/* Copies the terms of a point to its lane. */
static void fill_lane(const compliant_rows *rows, compliant_slices *s, size_t slot, uint32_t point) {
    size_t at = COMPLIANT_LANES * (size_t)s->spring_offsets[slot / COMPLIANT_LANES] + slot % COMPLIANT_LANES;
    for (size_t e = rows->spring_offsets[point]; e < rows->spring_offsets[point + 1]; e++, at += COMPLIANT_LANES) {
        s->spring_others[at] = s->slots[rows->spring_others[e]];
        s->stiffness[at] = rows->stiffness[e];
        s->lengths[at] = rows->lengths[e];
        s->spring_links[at] = rows->spring_links[e];
    }
    at = COMPLIANT_LANES * (size_t)s->link_offsets[slot / COMPLIANT_LANES] + slot % COMPLIANT_LANES;
    for (size_t e = rows->link_offsets[point]; e < rows->link_offsets[point + 1]; e++, at += COMPLIANT_LANES) {
        s->link_others[at] = s->slots[rows->link_others[e]];
        s->links[at] = rows->links[e];
    }
}

void compliant_slices_fill(const compliant_def *def, const compliant_rows *rows, compliant_slices *s) {
    for (size_t k = 0; k < s->count; k++) clear_slice(s, k);
    for (size_t slot = 0; slot < COMPLIANT_LANES * s->count; slot++) {
        uint32_t point = s->order[slot];
        int real = point != NO_POINT;
        if (real) fill_lane(rows, s, slot, point);
        s->diagonal[slot] = real ? rows->diagonal[point] : 0;
        s->reaches[slot] = real ? rows->reaches[point] : 0;
        s->foundations[slot] = real && def->foundations ? def->foundations[point] : 0;
    }
    for (size_t k = 0; k < def->hinge_count; k++) {
        s->hinges[k] = def->hinges[k];
        for (int x = 0; x < 4; x++) s->hinges[k].points[x] = s->slots[def->hinges[k].points[x]];
    }
}

void compliant_slices_release(ruga_context *context, compliant_slices *s) {
    void *aligned[] = {s->spring_others, s->stiffness, s->lengths, s->spring_links, s->link_others,
                       s->links,         s->diagonal,  s->reaches, s->foundations};
    for (size_t k = 0; k < sizeof aligned / sizeof *aligned; k++) memory_release_aligned(context, aligned[k]);
    RELEASE_ALL(context, s->order, s->tile_offsets, s->hinges, s->slots, s->spring_offsets, s->link_offsets);
}
