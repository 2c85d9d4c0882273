#include "body/vertex_space.h"

#include <string.h>

ruga_status vertex_space_init(const body *b, vertex_space *out) {
    *out = (vertex_space){.context = b->context, .map = body_vertex_map(b)};
    if (!out->map) return RUGA_OK;
    TRY(NEW_EACH(b->context, out->map->rows, &out->positions, &out->directions, &out->sums));
    return NEW(b->context, &out->blocks, out->map->rows);
}

void vertex_space_release(vertex_space *s) {
    if (s->context) RELEASE_ALL(s->context, s->positions, s->directions, s->sums, s->blocks);
    *s = (vertex_space){0};
}

static const ruga_vec3 *apply(const vertex_space *s, const ruga_vec3 *points, ruga_vec3 *vertices) {
    if (!s->map) return points;
    ruga_map_apply(s->map, points, vertices);
    return vertices;
}

const ruga_vec3 *vertex_space_positions(const vertex_space *s, const ruga_vec3 *points) {
    return apply(s, points, s->positions);
}

const ruga_vec3 *vertex_space_directions(const vertex_space *s, const ruga_vec3 *points) {
    return apply(s, points, s->directions);
}

ruga_vec3 *vertex_space_open(const vertex_space *s, ruga_vec3 *points) {
    if (!s->map) return points;
    memset(s->sums, 0, s->map->rows * sizeof *s->sums);
    return s->sums;
}

void vertex_space_close(const vertex_space *s, ruga_vec3 *points) {
    if (s->map) ruga_map_apply_transpose_add(s->map, s->sums, points);
}

mat3 *vertex_space_open_blocks(const vertex_space *s, mat3 *points) {
    if (!s->map) return points;
    memset(s->blocks, 0, s->map->rows * sizeof *s->blocks);
    return s->blocks;
}

/* The diagonal blocks of Wᵀ B W, without the entries between vertices. */
void vertex_space_close_blocks(const vertex_space *s, mat3 *points) {
    const ruga_map *map = s->map;
    for (size_t v = 0; map && v < map->rows; v++)
        for (size_t k = map->offsets[v]; k < map->offsets[v + 1]; k++) {
            double square = map->weights[k] * map->weights[k];
            for (int e = 0; e < 9; e++)
                points[map->indices[k]].at[e / 3][e % 3] += square * s->blocks[v].at[e / 3][e % 3];
        }
}
