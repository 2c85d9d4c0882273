/* Tiles and slices of a compliant solver; compliant_parts.h says what they are. */
#include <stdlib.h>
#include <string.h>

#include "solve/compliant_parts.h"

#define NO_POINT UINT32_MAX
#define TILE_POINTS 1024 /* at least, so that few lanes stay empty; their numbers fit in the second cache */

/* A point, its place in the search, and how much pulls at it. */
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

/* Adds what a search finds from queue[head] to queue[level_end] on to the queue, and returns its new end. */
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

/* The tile of each point: levels of a search, several to a tile. Returns how many tiles there are. */
static uint32_t find_tiles(const compliant_graph *graph, size_t points, uint32_t *queue, placed_point *places) {
    size_t head = 0, tail = 0, tile_begin = 0, seed = 0;
    uint32_t tile = 0;
    for (size_t i = 0; i < points; i++) places[i].tile = NO_POINT;
    while (head < points) {
        /* A level is complete; a piece of the graph that hangs on nothing found so far starts a level of its own. */
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

/* Places in their order, cut into slices where a tile or colour ends. With `order`, fills it and the tiles' offsets. */
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
    slices->order = ALLOCATE(context, uint32_t, COMPLIANT_LANES * slices->count);
    slices->slots = ALLOCATE(context, uint32_t, points);
    slices->tile_offsets = ALLOCATE(context, uint32_t, slices->tile_count + 1);
    if (!slices->order || !slices->slots || !slices->tile_offsets)
        return fail_memory(context, COMPLIANT_LANES * slices->count * sizeof(uint32_t));
    for (size_t slot = 0; slot < COMPLIANT_LANES * slices->count; slot++) slices->order[slot] = NO_POINT;
    slices->tile_offsets[slices->tile_count] = (uint32_t)slices->count;
    cut_slices(places, points, slices);
    return RUGA_OK;
}

static ruga_status order_points(ruga_context *context, const compliant_rows *rows, const compliant_graph *graph,
                                size_t points, compliant_slices *slices) {
    placed_point *places = ALLOCATE(context, placed_point, points);
    uint32_t *scratch = ALLOCATE(context, uint32_t, 2 * points + 1);
    ruga_status status = places && scratch ? place_points(context, rows, graph, points, places, scratch, slices)
                                           : fail_memory(context, points * sizeof *places);
    memory_release(context, places);
    memory_release(context, scratch);
    return status;
}

/* Entries of each slice: as many as the fullest of its points has. */
static uint32_t *count_entries(ruga_context *context, const compliant_slices *slices, const uint32_t *offsets) {
    uint32_t *entries = ALLOCATE_ZEROED(context, uint32_t, slices->count + 1);
    if (!entries) return NULL;
    for (size_t k = 0; k < slices->count; k++) {
        uint32_t most = 0;
        for (size_t lane = 0; lane < COMPLIANT_LANES; lane++) {
            uint32_t i = slices->order[COMPLIANT_LANES * k + lane];
            if (i != NO_POINT && offsets[i + 1] - offsets[i] > most) most = offsets[i + 1] - offsets[i];
        }
        entries[k + 1] = entries[k] + most;
    }
    return entries;
}

static ruga_status make_entries(ruga_context *context, compliant_slices *slices) {
    size_t springs = COMPLIANT_LANES * (size_t)slices->spring_offsets[slices->count];
    size_t links = COMPLIANT_LANES * (size_t)slices->link_offsets[slices->count];
    size_t slots = COMPLIANT_LANES * slices->count;
    slices->spring_others = memory_allocate_aligned(context, springs, sizeof(uint32_t));
    slices->stiffness = memory_allocate_aligned(context, springs, sizeof(float));
    slices->lengths = memory_allocate_aligned(context, springs, sizeof(float));
    slices->spring_links = memory_allocate_aligned(context, springs, sizeof(float));
    slices->link_others = memory_allocate_aligned(context, links, sizeof(uint32_t));
    slices->links = memory_allocate_aligned(context, links, sizeof(float));
    slices->diagonal = memory_allocate_aligned(context, slots, sizeof(float));
    slices->reaches = memory_allocate_aligned(context, slots, sizeof(float));
    slices->foundations = memory_allocate_aligned(context, slots, sizeof(float));
    if (!slices->spring_others || !slices->stiffness || !slices->lengths || !slices->spring_links ||
        !slices->link_others || !slices->links || !slices->diagonal || !slices->reaches || !slices->foundations)
        return fail_memory(context, springs * sizeof(float));
    return RUGA_OK;
}

ruga_status compliant_slices_build(ruga_context *context, const compliant_def *def, const compliant_rows *rows,
                                   const compliant_graph *graph, compliant_slices *slices) {
    TRY(order_points(context, rows, graph, def->point_count, slices));
    slices->spring_offsets = count_entries(context, slices, rows->spring_offsets);
    slices->link_offsets = count_entries(context, slices, rows->link_offsets);
    if (!slices->spring_offsets || !slices->link_offsets)
        return fail_memory(context, (slices->count + 1) * sizeof(uint32_t));
    TRY(make_entries(context, slices));
    slices->hinges = ALLOCATE(context, compliant_hinge, def->hinge_count);
    if (!slices->hinges) return fail_memory(context, def->hinge_count * sizeof *slices->hinges);
    compliant_slices_fill(def, rows, slices);
    return RUGA_OK;
}

/* Nothing that pulls, at any lane of a slice. */
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

/* What pulls at one point, into its lane. */
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

void compliant_slices_release(ruga_context *context, compliant_slices *slices) {
    memory_release(context, slices->order);
    memory_release(context, slices->tile_offsets);
    memory_release(context, slices->hinges);
    memory_release(context, slices->slots);
    memory_release(context, slices->spring_offsets);
    memory_release(context, slices->link_offsets);
    memory_release_aligned(context, slices->spring_others);
    memory_release_aligned(context, slices->stiffness);
    memory_release_aligned(context, slices->lengths);
    memory_release_aligned(context, slices->spring_links);
    memory_release_aligned(context, slices->link_others);
    memory_release_aligned(context, slices->links);
    memory_release_aligned(context, slices->diagonal);
    memory_release_aligned(context, slices->reaches);
    memory_release_aligned(context, slices->foundations);
}
