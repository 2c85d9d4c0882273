/* Pairs of hinges that share a triangle, as elements of five points. */
#include "energy/hinge_pairs.h"

#include <assert.h>

#include "mesh/topology.h"

enum { CORNERS = 5 };

typedef struct hinge_pair {
    uint32_t first, second; /* hinges */
    double coupling;        /* N m */
    /* Corner of the element for each corner of the second hinge; those of the first come first. */
    uint8_t places[4];
} hinge_pair;

struct hinge_pairs {
    const hinges *h;
    size_t count;
    hinge_pair *pairs; /* (count) */
    uint32_t *points;  /* (count x CORNERS) */
};

/* Whether hinge k lists its pair with another one: each pair is found from both ends. */
static int is_listed(const hinge *h, size_t k, int j) { return h->others[j] != NO_INDEX && h->others[j] > k; }

/* The fifth point is the one that the first hinge lacks. If it lacks none, a point stands there twice, and the second
 * place gets nothing. */
static void place_corners(const hinges *h, hinge_pair *pair, uint32_t *points) {
    const uint32_t *first = h->points + 4 * (size_t)pair->first, *second = h->points + 4 * (size_t)pair->second;
    memcpy(points, first, 4 * sizeof *points);
    points[4] = first[0];
    for (int c = 0; c < 4; c++) {
        int at = 0;
        while (at < 4 && first[at] != second[c]) at++;
        pair->places[c] = (uint8_t)at;
        if (at == 4) points[4] = second[c];
    }
}

static ruga_status make(const hinges *h, hinge_pairs *p) {
    size_t count = 0;
    for (size_t k = 0; k < h->count; k++)
        for (int j = 0; j < 4; j++) count += (size_t)is_listed(&h->hinges[k], k, j);
    TRY(NEW(h->base.context, &p->pairs, count));
    TRY(NEW(h->base.context, &p->points, CORNERS * count));
    for (size_t k = 0; k < h->count; k++)
        for (int j = 0; j < 4; j++) {
            const hinge *own = &h->hinges[k];
            if (!is_listed(own, k, j)) continue;
            p->pairs[p->count] = (hinge_pair){(uint32_t)k, own->others[j], own->couplings[j], {0}};
            place_corners(h, &p->pairs[p->count], p->points + CORNERS * p->count);
            p->count++;
        }
    return RUGA_OK;
}

ruga_status hinge_pairs_create(const hinges *h, hinge_pairs **out) {
    hinge_pairs *p;
    TRY(NEW_ZEROED(h->base.context, &p, 1));
    p->h = h;
    RETURN_MADE(make(h, p), p, out, hinge_pairs_destroy(p));
}

void hinge_pairs_destroy(hinge_pairs *p) {
    if (p) RELEASE_ALL(p->h->base.context, p->pairs, p->points, p);
}

ruga_status hinge_pairs_add_pattern(const hinge_pairs *p, block_pattern *pattern) {
    return block_pattern_add_elements(pattern, p, 0, CORNERS, p->count, p->points);
}

static void pair_matrix(const void *user, size_t index, mat3 *blocks) {
    const hinge_pairs *p = user;
    const hinges *h = p->h;
    const hinge_pair *pair = &p->pairs[index];
    const vec3 *from = h->gradients + 4 * (size_t)pair->second;
    const double weight = h->full_weight * pair->coupling * h->slopes[pair->first] * h->slopes[pair->second];
    vec3 first[CORNERS] = {{0, 0, 0}}, second[CORNERS] = {{0, 0, 0}};
    for (int c = 0; c < 4; c++) {
        first[c] = vec3_scale(h->gradients[4 * (size_t)pair->first + (size_t)c], weight);
        second[pair->places[c]] = from[c];
    }
    for (size_t a = 0; a < CORNERS; a++)
        for (size_t b = a; b < CORNERS; b++) {
            mat3 *block = &blocks[CORNERS * a + b];
            *block = (mat3){0};
            mat3_add_outer(block, 1, first[a], second[b]);
            mat3_add_outer(block, 1, second[a], first[b]);
        }
}

void hinge_pairs_add_matrix(const hinge_pairs *p, double scale, block_matrix *matrix) {
    assert(p->h->is_full);
    block_matrix_add_elements(matrix, p, 0, scale, pair_matrix, p);
}
