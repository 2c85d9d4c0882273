/* Rows of a compliant solver: for every point its springs, and what curvatures add up to between it and others. */
#include "solve/compliant_parts.h"

#include <stdlib.h>
#include <string.h>

/* Turns counts, which are at [i + 1], into offsets. */
static void sum_up(uint32_t *offsets, size_t count) {
    for (size_t i = 0; i < count; i++) offsets[i + 1] += offsets[i];
}

static ruga_status build_springs(ruga_context *context, const compliant_def *def, compliant_rows *rows) {
    size_t points = def->point_count;
    rows->spring_offsets = ALLOCATE_ZEROED(context, uint32_t, points + 1);
    rows->spring_slots = ALLOCATE(context, uint32_t, 2 * def->spring_count);
    if (!rows->spring_offsets || !rows->spring_slots) return fail_memory(context, points * sizeof(uint32_t));
    for (size_t s = 0; s < def->spring_count; s++)
        for (int end = 0; end < 2; end++) rows->spring_offsets[def->springs[s].points[end] + 1]++;
    sum_up(rows->spring_offsets, points);

    size_t slots = rows->spring_offsets[points];
    rows->spring_others = ALLOCATE(context, uint32_t, slots);
    rows->stiffness = ALLOCATE(context, float, slots);
    rows->lengths = ALLOCATE(context, float, slots);
    rows->spring_links = ALLOCATE(context, float, slots);
    uint32_t *ends = memory_copy(context, rows->spring_offsets, points + 1, sizeof *ends);
    if (!rows->spring_others || !rows->stiffness || !rows->lengths || !rows->spring_links || !ends) {
        memory_release(context, ends);
        return fail_memory(context, slots * sizeof(float));
    }
    for (size_t s = 0; s < def->spring_count; s++)
        for (int end = 0; end < 2; end++) {
            uint32_t slot = ends[def->springs[s].points[end]]++;
            rows->spring_others[slot] = def->springs[s].points[1 - end];
            rows->spring_slots[2 * s + (size_t)end] = slot;
        }
    memory_release(context, ends);
    return RUGA_OK;
}

static int compare_points(const void *a, const void *b) {
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

/* The slot of a point among others[begin, end), or `end`. */
static size_t find_slot(const uint32_t *others, size_t begin, size_t end, uint32_t point) {
    while (begin < end && others[begin] != point) begin++;
    return begin;
}

/* Sorts the others of each point, drops what is there twice, itself or a spring's, and closes the gaps. */
static void tidy_links(compliant_rows *rows, size_t points) {
    uint32_t *offsets = rows->link_offsets, *others = rows->link_others, begin = 0, kept = 0;
    for (size_t i = 0; i < points; i++) {
        uint32_t end = offsets[i + 1], first = kept;
        qsort(others + begin, end - begin, sizeof *others, compare_points);
        for (uint32_t e = begin; e < end; e++) {
            uint32_t other = others[e];
            int known = other == i || (kept > first && others[kept - 1] == other);
            size_t spring_end = rows->spring_offsets[i + 1];
            if (!known && find_slot(rows->spring_others, rows->spring_offsets[i], spring_end, other) == spring_end)
                others[kept++] = other;
        }
        begin = end;
        offsets[i + 1] = kept;
    }
}

static ruga_status build_links(ruga_context *context, const compliant_def *def, compliant_rows *rows) {
    size_t points = def->point_count;
    rows->link_offsets = ALLOCATE_ZEROED(context, uint32_t, points + 1);
    rows->link_others = ALLOCATE(context, uint32_t, 12 * def->curvature_count);
    uint32_t *ends = ALLOCATE(context, uint32_t, points + 1);
    if (!rows->link_offsets || !rows->link_others || !ends) {
        memory_release(context, ends);
        return fail_memory(context, 12 * def->curvature_count * sizeof(uint32_t));
    }
    for (size_t k = 0; k < def->curvature_count; k++)
        for (int a = 0; a < 4; a++) rows->link_offsets[def->curvatures[k].points[a] + 1] += 3;
    sum_up(rows->link_offsets, points);
    memcpy(ends, rows->link_offsets, (points + 1) * sizeof *ends);
    for (size_t k = 0; k < def->curvature_count; k++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                if (a != b) rows->link_others[ends[def->curvatures[k].points[a]]++] = def->curvatures[k].points[b];
    memory_release(context, ends);
    tidy_links(rows, points);
    rows->links = ALLOCATE(context, float, rows->link_offsets[points]);
    rows->diagonal = ALLOCATE(context, float, points);
    rows->reaches = ALLOCATE(context, float, points);
    if (!rows->links || !rows->diagonal || !rows->reaches) return fail_memory(context, points * sizeof(float));
    return RUGA_OK;
}

static ruga_status build_hinges(ruga_context *context, const compliant_def *def, compliant_rows *rows) {
    size_t points = def->point_count;
    rows->hinge_offsets = ALLOCATE_ZEROED(context, uint32_t, points + 1);
    rows->hinge_corners = ALLOCATE(context, uint32_t, 4 * def->hinge_count);
    uint32_t *ends = ALLOCATE(context, uint32_t, points + 1);
    if (!rows->hinge_offsets || !rows->hinge_corners || !ends) {
        memory_release(context, ends);
        return fail_memory(context, 4 * def->hinge_count * sizeof(uint32_t));
    }
    for (size_t k = 0; k < 4 * def->hinge_count; k++) rows->hinge_offsets[def->hinges[k / 4].points[k % 4] + 1]++;
    sum_up(rows->hinge_offsets, points);
    memcpy(ends, rows->hinge_offsets, (points + 1) * sizeof *ends);
    for (size_t k = 0; k < 4 * def->hinge_count; k++)
        rows->hinge_corners[ends[def->hinges[k / 4].points[k % 4]]++] = (uint32_t)k;
    memory_release(context, ends);
    return RUGA_OK;
}

ruga_status compliant_rows_build(ruga_context *context, const compliant_def *def, compliant_rows *rows) {
    TRY(build_springs(context, def, rows));
    TRY(build_links(context, def, rows));
    TRY(build_hinges(context, def, rows));
    compliant_rows_fill(def, rows);
    return RUGA_OK;
}

void compliant_rows_release(ruga_context *context, compliant_rows *rows) {
    memory_release(context, rows->spring_offsets);
    memory_release(context, rows->spring_slots);
    memory_release(context, rows->spring_others);
    memory_release(context, rows->stiffness);
    memory_release(context, rows->lengths);
    memory_release(context, rows->spring_links);
    memory_release(context, rows->link_offsets);
    memory_release(context, rows->link_others);
    memory_release(context, rows->links);
    memory_release(context, rows->diagonal);
    memory_release(context, rows->reaches);
    memory_release(context, rows->hinge_offsets);
    memory_release(context, rows->hinge_corners);
}

static void fill_springs(const compliant_def *def, compliant_rows *rows) {
    for (size_t e = 0; e < rows->spring_offsets[def->point_count]; e++)
        rows->stiffness[e] = rows->lengths[e] = rows->spring_links[e] = 0;
    for (size_t i = 0; i < def->point_count; i++) rows->reaches[i] = INFINITY;
    for (size_t s = 0; s < def->spring_count; s++)
        for (size_t end = 0; end < 2; end++) {
            const compliant_spring *spring = def->springs + s;
            uint32_t slot = rows->spring_slots[2 * s + end], i = spring->points[end];
            rows->stiffness[slot] = spring->stiffness;
            rows->lengths[slot] = spring->length;
            float reach = COMPLIANT_REACH * spring->length;
            if (reach > 0 && reach < rows->reaches[i]) rows->reaches[i] = reach;
        }
}

/* Where -Q_ij is kept. */
static float *link_between(compliant_rows *rows, uint32_t i, uint32_t j) {
    size_t end = rows->spring_offsets[i + 1], slot = find_slot(rows->spring_others, rows->spring_offsets[i], end, j);
    if (slot < end) return rows->spring_links + slot;
    return rows->links + find_slot(rows->link_others, rows->link_offsets[i], rows->link_offsets[i + 1], j);
}

static void fill_links(const compliant_def *def, compliant_rows *rows) {
    for (size_t e = 0; e < rows->link_offsets[def->point_count]; e++) rows->links[e] = 0;
    for (size_t k = 0; k < def->curvature_count; k++) {
        const compliant_curvature *c = def->curvatures + k;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                if (c->points[a] != c->points[b])
                    *link_between(rows, c->points[a], c->points[b]) -=
                        c->stiffness * c->coefficients[a] * c->coefficients[b];
    }
}

/* Rows of Q add up to 0, so that Q_ii = Σ_j -Q_ij. */
static void fill_diagonal(const compliant_def *def, compliant_rows *rows) {
    for (size_t i = 0; i < def->point_count; i++) {
        float sum = 0;
        for (size_t e = rows->spring_offsets[i]; e < rows->spring_offsets[i + 1]; e++) sum += rows->spring_links[e];
        for (size_t e = rows->link_offsets[i]; e < rows->link_offsets[i + 1]; e++) sum += rows->links[e];
        rows->diagonal[i] = sum;
    }
}

void compliant_rows_fill(const compliant_def *def, compliant_rows *rows) {
    fill_springs(def, rows);
    fill_links(def, rows);
    fill_diagonal(def, rows);
}
