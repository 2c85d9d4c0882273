/* Rows of a compliant solver: for every point its springs, and the sums of curvatures between it and others. */
#include "solve/compliant_parts.h"

#include <stdlib.h>
#include <string.h>

/* Turns counts at [i + 1] into offsets, and copies these. The caller releases the copy. */
static ruga_status sum_up(ruga_context *context, uint32_t *offsets, size_t count, uint32_t **copy) {
    for (size_t i = 0; i < count; i++) offsets[i + 1] += offsets[i];
    return NEW_COPY(context, copy, offsets, count + 1);
}

static ruga_status build_springs(ruga_context *context, const compliant_def *def, compliant_rows *rows) {
    size_t points = def->point_count, slots = 2 * def->spring_count;
    uint32_t *ends;
    TRY(NEW_ZEROED(context, &rows->spring_offsets, points + 1));
    TRY(NEW(context, &rows->spring_slots, slots));
    TRY(NEW(context, &rows->spring_others, slots));
    TRY(NEW(context, &rows->stiffness, slots));
    TRY(NEW(context, &rows->lengths, slots));
    TRY(NEW(context, &rows->spring_links, slots));
    for (size_t s = 0; s < def->spring_count; s++)
        for (int end = 0; end < 2; end++) rows->spring_offsets[def->springs[s].points[end] + 1]++;
    TRY(sum_up(context, rows->spring_offsets, points, &ends));
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

/* The index of a point in others[begin, end), or `end`. */
static size_t find_slot(const uint32_t *others, size_t begin, size_t end, uint32_t point) {
    while (begin < end && others[begin] != point) begin++;
    return begin;
}

/* Sorts the others of each point, removes duplicates, the point itself and points with a spring, and closes the
 * gaps. */
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
    uint32_t *ends;
    TRY(NEW_ZEROED(context, &rows->link_offsets, points + 1));
    TRY(NEW(context, &rows->link_others, 12 * def->curvature_count));
    for (size_t k = 0; k < def->curvature_count; k++)
        for (int a = 0; a < 4; a++) rows->link_offsets[def->curvatures[k].points[a] + 1] += 3;
    TRY(sum_up(context, rows->link_offsets, points, &ends));
    for (size_t k = 0; k < def->curvature_count; k++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                if (a != b) rows->link_others[ends[def->curvatures[k].points[a]]++] = def->curvatures[k].points[b];
    memory_release(context, ends);
    tidy_links(rows, points);
    TRY(NEW(context, &rows->links, rows->link_offsets[points]));
    TRY(NEW(context, &rows->diagonal, points));
    return NEW(context, &rows->reaches, points);
}

static ruga_status build_hinges(ruga_context *context, const compliant_def *def, compliant_rows *rows) {
    uint32_t *ends;
    TRY(NEW_ZEROED(context, &rows->hinge_offsets, def->point_count + 1));
    TRY(NEW(context, &rows->hinge_corners, 4 * def->hinge_count));
    for (size_t k = 0; k < 4 * def->hinge_count; k++) rows->hinge_offsets[def->hinges[k / 4].points[k % 4] + 1]++;
    TRY(sum_up(context, rows->hinge_offsets, def->point_count, &ends));
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
    RELEASE_ALL(context, rows->spring_offsets, rows->spring_slots, rows->spring_others, rows->stiffness, rows->lengths,
                rows->spring_links, rows->link_offsets, rows->link_others, rows->links, rows->diagonal, rows->reaches,
                rows->hinge_offsets, rows->hinge_corners);
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

/* The entry of -Q_ij. */
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

void compliant_rows_fill(const compliant_def *def, compliant_rows *rows) {
    fill_springs(def, rows);
    fill_links(def, rows);
    /* Rows of Q add up to 0, so that Q_ii = Σ_j -Q_ij. */
    for (size_t i = 0; i < def->point_count; i++) {
        float sum = 0;
        for (size_t e = rows->spring_offsets[i]; e < rows->spring_offsets[i + 1]; e++) sum += rows->spring_links[e];
        for (size_t e = rows->link_offsets[i]; e < rows->link_offsets[i + 1]; e++) sum += rows->links[e];
        rows->diagonal[i] = sum;
    }
}
