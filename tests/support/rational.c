/* Values live in blocks that never move, so a handle is a plain pointer; releasing them only rewinds the count. */
#include "support/rational.h"

#include <stdlib.h>

#define BLOCK_SIZE 4096
#define MAX_BLOCKS 4096

static __mpq_struct *blocks[MAX_BLOCKS];
static size_t value_count, made_count;

static void clear_all(void) {
    for (size_t i = 0; i < made_count; i++) mpq_clear(&blocks[i / BLOCK_SIZE][i % BLOCK_SIZE]);
    for (size_t i = 0; i < MAX_BLOCKS; i++) free(blocks[i]);
}

static mpq_ptr take(void) {
    size_t block = value_count / BLOCK_SIZE;
    if (block >= MAX_BLOCKS) abort();
    if (!blocks[block]) {
        if (block == 0) atexit(clear_all);
        blocks[block] = malloc(BLOCK_SIZE * sizeof *blocks[block]);
        if (!blocks[block]) abort();
    }
    mpq_ptr value = &blocks[block][value_count++ % BLOCK_SIZE];
    if (value_count > made_count) {
        mpq_init(value);
        made_count = value_count;
    }
    return value;
}

void rational_release_all(void) { value_count = 0; }

rational rational_from(double value) {
    mpq_ptr r = take();
    mpq_set_d(r, value);
    return r;
}

rational rational_ratio(long numerator, unsigned long denominator) {
    mpq_ptr r = take();
    mpq_set_si(r, numerator, denominator);
    mpq_canonicalize(r);
    return r;
}

rational rational_add(rational a, rational b) {
    mpq_ptr r = take();
    mpq_add(r, a, b);
    return r;
}

rational rational_sub(rational a, rational b) {
    mpq_ptr r = take();
    mpq_sub(r, a, b);
    return r;
}

rational rational_mul(rational a, rational b) {
    mpq_ptr r = take();
    mpq_mul(r, a, b);
    return r;
}

rational rational_div(rational a, rational b) {
    mpq_ptr r = take();
    mpq_div(r, a, b);
    return r;
}

rational rational_negate(rational a) {
    mpq_ptr r = take();
    mpq_neg(r, a);
    return r;
}

int rational_sign(rational a) { return mpq_sgn(a); }

int rational_compare(rational a, rational b) {
    int order = mpq_cmp(a, b);
    return (order > 0) - (order < 0);
}

double rational_to_double(rational a) { return mpq_get_d(a); }

rational3 rational3_from(ruga_vec3 a) {
    return (rational3){rational_from(a.x), rational_from(a.y), rational_from(a.z)};
}

rational3 rational3_add(rational3 a, rational3 b) {
    return (rational3){rational_add(a.x, b.x), rational_add(a.y, b.y), rational_add(a.z, b.z)};
}

rational3 rational3_sub(rational3 a, rational3 b) {
    return (rational3){rational_sub(a.x, b.x), rational_sub(a.y, b.y), rational_sub(a.z, b.z)};
}

rational3 rational3_scale(rational3 a, rational s) {
    return (rational3){rational_mul(a.x, s), rational_mul(a.y, s), rational_mul(a.z, s)};
}

rational3 rational3_mix(rational3 a, rational3 b, rational t) {
    return rational3_add(a, rational3_scale(rational3_sub(b, a), t));
}

rational rational3_dot(rational3 a, rational3 b) {
    return rational_add(rational_add(rational_mul(a.x, b.x), rational_mul(a.y, b.y)), rational_mul(a.z, b.z));
}

/* ab' - a'b, a component of a cross product. */
static rational minor(rational a, rational b, rational a2, rational b2) {
    return rational_sub(rational_mul(a, b2), rational_mul(a2, b));
}

rational3 rational3_cross(rational3 a, rational3 b) {
    return (rational3){minor(a.y, b.y, a.z, b.z), minor(a.z, b.z, a.x, b.x), minor(a.x, b.x, a.y, b.y)};
}

rational rational3_determinant(rational3 a, rational3 b, rational3 c) {
    return rational3_dot(a, rational3_cross(b, c));
}

int rational3_is_zero(rational3 a) {
    return rational_sign(a.x) == 0 && rational_sign(a.y) == 0 && rational_sign(a.z) == 0;
}

int rational3_equal(rational3 a, rational3 b) {
    return mpq_equal(a.x, b.x) && mpq_equal(a.y, b.y) && mpq_equal(a.z, b.z);
}

ruga_vec3 rational3_to_vec3(rational3 a) {
    return (ruga_vec3){rational_to_double(a.x), rational_to_double(a.y), rational_to_double(a.z)};
}
