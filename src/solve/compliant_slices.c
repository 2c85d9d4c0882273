/* Slices of a compliant solver: points of about as many springs and links side by side, one a lane. */
#include <stdlib.h>
#include <string.h>

#include "solve/compliant_parts.h"

#define NO_POINT UINT32_MAX

/* A point and how much pulls at it. */
typedef struct loaded_point {
    uint32_t springs, links, point;
} loaded_point;

static int compare_loads(const void *a, const void *b) {
    const loaded_point *p = a, *q = b;
    if (p->springs != q->springs) return p->springs < q->springs ? -1 : 1;
    if (p->links != q->links) return p->links < q->links ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

/* Points are sorted by what pulls at them within what a thread works on at a time, so that neighbours stay near each other. */
static ruga_status order_points(ruga_context *context, const compliant_rows *rows, size_t points,
                                compliant_slices *slices) {
    size_t slots = slices->count * COMPLIANT_LANES;
    slices->order = ALLOCATE(context, uint32_t, slots);
    slices->slots = ALLOCATE(context, uint32_t, points);
    if (!slices->order || !slices->slots) return fail_memory(context, slots * sizeof(uint32_t));
    for (size_t begin = 0; begin < slots; begin += COMPLIANT_BLOCK) {
        loaded_point loads[COMPLIANT_BLOCK];
        size_t end = slots - begin < COMPLIANT_BLOCK ? slots : begin + COMPLIANT_BLOCK, count = 0;
        for (size_t i = begin; i < end && i < points; i++)
            loads[count++] = (loaded_point){rows->spring_offsets[i + 1] - rows->spring_offsets[i],
                                            rows->link_offsets[i + 1] - rows->link_offsets[i], (uint32_t)i};
        qsort(loads, count, sizeof *loads, compare_loads);
        for (size_t slot = begin; slot < end; slot++)
            slices->order[slot] = slot - begin < count ? loads[slot - begin].point : NO_POINT;
    }
    for (size_t slot = 0; slot < slots; slot++)
        if (slices->order[slot] != NO_POINT) slices->slots[slices->order[slot]] = (uint32_t)slot;
    return RUGA_OK;
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
                                   compliant_slices *slices) {
    slices->count = (def->point_count + COMPLIANT_LANES - 1) / COMPLIANT_LANES;
    TRY(order_points(context, rows, def->point_count, slices));
    slices->spring_offsets = count_entries(context, slices, rows->spring_offsets);
    slices->link_offsets = count_entries(context, slices, rows->link_offsets);
    if (!slices->spring_offsets || !slices->link_offsets)
        return fail_memory(context, (slices->count + 1) * sizeof(uint32_t));
    TRY(make_entries(context, slices));
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
}

void compliant_slices_release(ruga_context *context, compliant_slices *slices) {
    memory_release(context, slices->order);
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
