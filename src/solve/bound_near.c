/* Explicit bound steps where points depend on each other; the header has the formula. */
#include "solve/bound_near.h"

#include "math/vec3.h"

/* Whether an unknown is a point that depends on nothing else and moves nothing else. */
static int moves_alone(const bound *whole, uint32_t unknown) {
    const ruga_map *t = whole->transpose;
    return t->offsets[unknown + 1] == t->offsets[unknown] + 1 && whole->point_of[unknown] != NO_UNKNOWN;
}

/* The rows of T of all other points. Their unknowns are numbered as they are met. */
static ruga_status make_map(const bound *whole, bound_near *n) {
    const ruga_map *map = whole->map;
    size_t entries = 0;
    map_builder rows;
    for (size_t i = 0; i < n->point_count; i++) entries += map->offsets[n->points[i] + 1] - map->offsets[n->points[i]];
    TRY(map_builder_make(whole->context, n->point_count, entries, &rows));
    for (size_t i = 0; i < n->point_count; i++) {
        for (size_t e = map->offsets[n->points[i]]; e < map->offsets[n->points[i] + 1]; e++)
            map_builder_put(&rows, n->near_of[map->indices[e]], map->weights[e]);
        map_builder_end_row(&rows);
    }
    return map_builder_finish(&rows, n->unknown_count, &n->map);
}

ruga_status bound_near_make(const bound *whole, bound_near *out) {
    const ruga_map *map = whole->map;
    ruga_context *context = whole->context;
    *out = (bound_near){0};
    TRY(NEW(context, &out->near_of, map->columns));
    TRY(NEW(context, &out->points, map->rows));
    for (uint32_t j = 0; j < map->columns; j++)
        out->near_of[j] = moves_alone(whole, j) ? NO_UNKNOWN : (uint32_t)out->unknown_count++;
    for (uint32_t i = 0; i < map->rows; i++)
        if (out->near_of[map->indices[map->offsets[i]]] != NO_UNKNOWN || map->offsets[i + 1] > map->offsets[i] + 1)
            out->points[out->point_count++] = i;
    if (out->point_count == 0) return RUGA_OK;
    TRY(make_map(whole, out));
    TRY(bound_create(context, out->map, &out->space));
    TRY(bound_fit_make(out->space, &out->fit));
    TRY(NEW_EACH(context, out->unknown_count, &out->held, &out->held_changes, &out->changes));
    TRY(NEW(context, &out->masses, out->point_count));
    return NEW(context, &out->moves, out->point_count);
}

void bound_near_release(ruga_context *context, bound_near *n) {
    if (n->space) bound_fit_release(context, &n->fit);
    bound_destroy(n->space);
    ruga_map_destroy(n->map);
    RELEASE_ALL(context, n->points, n->near_of, n->held, n->held_changes, n->masses, n->moves, n->changes);
    *n = (bound_near){0};
}

ruga_status bound_near_factor(bound_near *n, const double *masses, size_t held_count, const uint32_t *held) {
    n->held_count = 0;
    if (!n->space) return RUGA_OK;
    for (size_t i = 0; i < n->point_count; i++) n->masses[i] = masses[n->points[i]];
    for (size_t k = 0; k < held_count; k++)
        if (n->near_of[held[k]] != NO_UNKNOWN) n->held[n->held_count++] = n->near_of[held[k]];
    return bound_fit_factor(n->space, &n->fit, n->masses, n->held_count, n->held);
}

void bound_near_project(bound_near *n, const vec3 *before, size_t held_count, const uint32_t *held,
                        const vec3 *held_changes, vec3 *velocities) {
    if (!n->space) return;
    for (size_t k = 0, next = 0; k < held_count; k++)
        if (n->near_of[held[k]] != NO_UNKNOWN) n->held_changes[next++] = held_changes[k];
    for (size_t i = 0; i < n->point_count; i++) {
        uint32_t p = n->points[i];
        n->moves[i] = vec3_scale(vec3_sub(velocities[p], before[p]), n->masses[i]);
    }
    bound_gather(n->space, n->moves, n->changes);
    bound_fit_solve(n->space, &n->fit, n->held_count, n->held, n->held_changes, n->changes, n->changes);
    bound_spread(n->space, n->changes, n->moves);
    for (size_t i = 0; i < n->point_count; i++) velocities[n->points[i]] = vec3_add(before[n->points[i]], n->moves[i]);
}
