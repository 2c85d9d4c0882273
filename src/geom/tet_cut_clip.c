/* Simplices divided by planes: see tet_cut_parts.h. A corner where a function is 0 counts as its left; shards that have
 * no size because of it are left out. */
#include <math.h>

#include "geom/tet_cut_parts.h"

#define LEAST_SIZE 1e-14 /* of the whole */

/* The size of a simplex over that of the whole: the determinant of its weights. */
static double size_of(const tet_shard *s, int corners) {
    double m[4][4], size = 1;
    for (int i = 0; i < corners; i++)
        for (int j = 0; j < corners; j++) m[i][j] = s->corners[i][j];
    for (int k = 0; k < corners; k++) {
        int best = k;
        for (int i = k + 1; i < corners; i++)
            if (fabs(m[i][k]) > fabs(m[best][k])) best = i;
        if (m[best][k] == 0) return 0;
        for (int j = 0; j < corners; j++) {
            double swap = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = swap;
        }
        size *= m[k][k];
        for (int i = k + 1; i < corners; i++)
            for (int j = corners; j-- > k;) m[i][j] -= m[i][k] / m[k][k] * m[k][j];
    }
    return fabs(size);
}

typedef struct clipper {
    ruga_context *context;
    int corners;
    tet_shards *out;
    uint32_t bits;
} clipper;

static ruga_status add_shard(const clipper *c, const double *const corners[4]) {
    tet_shard s = {.bits = c->bits};
    for (int i = 0; i < c->corners; i++)
        for (int j = 0; j < c->corners; j++) s.corners[i][j] = corners[i][j];
    s.size = size_of(&s, c->corners);
    return s.size > LEAST_SIZE ? ARRAY_ADD(c->context, c->out, s) : RUGA_OK;
}

/* A prism between two triangles, or in the plane a quadrilateral between two edges. */
static ruga_status add_prism(const clipper *c, const double *const a[3], const double *const b[3]) {
    if (c->corners == 3) {
        TRY(add_shard(c, (const double *const[4]){a[0], a[1], b[1], NULL}));
        return add_shard(c, (const double *const[4]){a[0], b[0], b[1], NULL});
    }
    TRY(add_shard(c, (const double *const[4]){a[0], a[1], a[2], b[2]}));
    TRY(add_shard(c, (const double *const[4]){a[0], a[1], b[1], b[2]}));
    return add_shard(c, (const double *const[4]){a[0], b[0], b[1], b[2]});
}

static void zero_between(const tet_shard *s, const double *values, int a, int b, int corners, double *out) {
    double t = values[a] / (values[a] - values[b]);
    for (int j = 0; j < corners; j++) out[j] = (1 - t) * s->corners[a][j] + t * s->corners[b][j];
}

/* One corner on its own side, all others on the other one. */
static ruga_status split_one(clipper *c, const tet_shard *s, const double *values, int lone, uint32_t lone_bit,
                             uint32_t other_bit) {
    double zeros[3][4];
    const double *a[4] = {s->corners[lone]}, *far[3], *near[3];
    int count = 0;
    for (int i = 0; i < c->corners; i++) {
        if (i == lone) continue;
        zero_between(s, values, lone, i, c->corners, zeros[count]);
        near[count] = a[count + 1] = zeros[count];
        far[count++] = s->corners[i];
    }
    c->bits = s->bits | lone_bit;
    TRY(add_shard(c, a));
    c->bits = s->bits | other_bit;
    return add_prism(c, near, far);
}

/* Two corners of a tet on each side. */
static ruga_status split_two(clipper *c, const tet_shard *s, const double *values, const int left[2],
                             const int right[2], uint32_t bit) {
    double zeros[2][2][4];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) zero_between(s, values, left[i], right[j], 4, zeros[i][j]);
    c->bits = s->bits | bit;
    TRY(add_prism(c, (const double *const[3]){s->corners[left[0]], zeros[0][0], zeros[0][1]},
                  (const double *const[3]){s->corners[left[1]], zeros[1][0], zeros[1][1]}));
    c->bits = s->bits;
    return add_prism(c, (const double *const[3]){s->corners[right[0]], zeros[0][0], zeros[1][0]},
                     (const double *const[3]){s->corners[right[1]], zeros[0][1], zeros[1][1]});
}

static ruga_status split(clipper *c, const tet_shard *s, const double *function, uint32_t bit) {
    double values[4];
    int left[4], right[4], lefts = 0, rights = 0;
    for (int i = 0; i < c->corners; i++) {
        values[i] = 0;
        for (int j = 0; j < c->corners; j++) values[i] += s->corners[i][j] * function[j];
        if (values[i] < 0)
            right[rights++] = i;
        else
            left[lefts++] = i;
    }
    if (lefts == 0 || rights == 0) {
        tet_shard whole = *s;
        if (rights == 0) whole.bits |= bit;
        return ARRAY_ADD(c->context, c->out, whole);
    }
    if (rights == 1) return split_one(c, s, values, right[0], 0, bit);
    if (lefts == 1) return split_one(c, s, values, left[0], bit, 0);
    return split_two(c, s, values, left, right, bit);
}

ruga_status tet_clip(ruga_context *context, int corners, size_t count, const double (*values)[4], tet_shards *out) {
    tet_shards from = {0};
    tet_shard whole = {.size = 1};
    for (int i = 0; i < corners; i++) whole.corners[i][i] = 1;
    out->count = 0;
    ruga_status status = ARRAY_ADD(context, out, whole);
    for (size_t k = 0; k < count && !RUGA_FAILED(status); k++) {
        from.count = 0;
        clipper c = {.context = context, .corners = corners, .out = out};
        status = ARRAY_RESERVE(context, &from, out->count);
        if (RUGA_FAILED(status)) break;
        memcpy(from.items, out->items, out->count * sizeof *from.items);
        from.count = out->count;
        out->count = 0;
        for (size_t i = 0; i < from.count && !RUGA_FAILED(status); i++)
            status = split(&c, &from.items[i], values[k], 1u << k);
    }
    ARRAY_RELEASE(context, &from);
    return status;
}
