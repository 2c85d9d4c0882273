/* Signs of determinants: a filter, then integers.
 *
 * The sign does not change when all coordinates of an axis are multiplied by a power of two, each axis by its own. So
 * the coordinates of an axis become integers in units of the least bit that any of them has, and differences, products
 * and sums of integers are exact. Coordinates of like size need two or three words; the widest that doubles can be take
 * 2098 bits each, and three times that for the product. */
#include "math/exact.h"

#include <string.h>

/* Relative errors of the filters, in units of the sum of the absolute products: 3 and 7 roundings, and a little more
 * than the roundings of the sum itself. The error of underflow is far below LEAST times the factor that it meets. */
#define BOUND_2D 0x1p-51
#define BOUND_3D 0x1p-50
#define LEAST 1e-300

/* ---- Integers of many words */

enum { WORD_BITS = 32, COORDINATE_WORDS = 67, MOST_WORDS = 3 * COORDINATE_WORDS + 2 };

typedef struct integer {
    int sign;  /* -1, 0 or 1 */
    int count; /* words in use; the last is not 0 */
    uint32_t words[MOST_WORDS];
} integer;

static void integer_trim(integer *a) {
    while (a->count && !a->words[a->count - 1]) a->count--;
    if (!a->count) a->sign = 0;
}

/* value in units of 2^unit, of which it is a multiple. */
static void integer_from(double value, int unit, integer *out) {
    int exponent;
    double fraction = frexp(fabs(value), &exponent);
    uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
    out->sign = (value > 0) - (value < 0);
    out->count = 0;
    if (!mantissa) return;

    /* A number of little size may have fewer digits than its mantissa has room for. */
    int shift = exponent - 53 - unit;
    if (shift < 0) mantissa >>= -shift, shift = 0;
    int words = shift / WORD_BITS, bits = shift % WORD_BITS;
    memset(out->words, 0, (size_t)words * sizeof *out->words);
    out->words[words] = (uint32_t)(mantissa << bits);
    out->words[words + 1] = (uint32_t)(mantissa << bits >> WORD_BITS);
    out->words[words + 2] = bits ? (uint32_t)(mantissa >> (2 * WORD_BITS - bits)) : 0;
    out->count = words + 3;
    integer_trim(out);
}

static int compare_sizes(const integer *a, const integer *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count; i-- > 0;)
        if (a->words[i] != b->words[i]) return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

/* |a| + |b| where a has at least as many words. */
static void add_sizes(const integer *a, const integer *b, integer *out) {
    uint64_t carry = 0;
    for (int i = 0; i < a->count; i++) {
        carry += (uint64_t)a->words[i] + (i < b->count ? b->words[i] : 0);
        out->words[i] = (uint32_t)carry;
        carry >>= WORD_BITS;
    }
    out->words[a->count] = (uint32_t)carry;
    out->count = a->count + 1;
}

/* |a| - |b| where |a| >= |b|. */
static void subtract_sizes(const integer *a, const integer *b, integer *out) {
    uint64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        uint64_t word = (uint64_t)a->words[i] - (i < b->count ? b->words[i] : 0) - borrow;
        out->words[i] = (uint32_t)word;
        borrow = word >> 63;
    }
    out->count = a->count;
}

/* a + sign b; out may be a or b. */
static void integer_add(const integer *a, const integer *b, int sign, integer *out) {
    int b_sign = sign * b->sign, order = compare_sizes(a, b);
    const integer *larger = order >= 0 ? a : b, *smaller = order >= 0 ? b : a;
    int larger_sign = order >= 0 ? a->sign : b_sign;
    if (a->sign * b_sign >= 0)
        add_sizes(larger, smaller, out);
    else
        subtract_sizes(larger, smaller, out);
    out->sign = larger_sign;
    integer_trim(out);
}

/* out is neither a nor b. */
static void integer_multiply(const integer *a, const integer *b, integer *out) {
    out->sign = a->sign * b->sign;
    out->count = 0;
    if (!out->sign) return;
    out->count = a->count + b->count;
    memset(out->words, 0, (size_t)out->count * sizeof *out->words);
    for (int i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (int k = 0; k < b->count; k++) {
            carry += (uint64_t)a->words[i] * b->words[k] + out->words[i + k];
            out->words[i + k] = (uint32_t)carry;
            carry >>= WORD_BITS;
        }
        out->words[i + b->count] = (uint32_t)carry;
    }
    integer_trim(out);
}

/* ---- Determinants */

/* The least bit of a number other than 0, as an exponent of two. */
static int least_bit(double value) {
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
    return exponent - 53 + __builtin_ctzll(mantissa);
}

/* The differences x[i] - x[0] for i from 1 on, in a unit of their own. */
static void differences(const double *x, int count, integer *out) {
    int unit = 1024;
    for (int i = 0; i < count; i++)
        if (x[i] != 0 && least_bit(x[i]) < unit) unit = least_bit(x[i]);
    integer first, other;
    integer_from(x[0], unit, &first);
    for (int i = 1; i < count; i++) {
        integer_from(x[i], unit, &other);
        integer_add(&other, &first, -1, &out[i - 1]);
    }
}

/* a d - b c. */
static void integer_minor(const integer *a, const integer *b, const integer *c, const integer *d, integer *out) {
    integer other;
    integer_multiply(a, d, out);
    integer_multiply(b, c, &other);
    integer_add(out, &other, -1, out);
}

static int sign2d(const double x[3], const double y[3]) {
    integer dx[2], dy[2], minor;
    differences(x, 3, dx);
    differences(y, 3, dy);
    integer_minor(&dx[0], &dy[0], &dx[1], &dy[1], &minor);
    return minor.sign;
}

static int sign3d(const double x[4], const double y[4], const double z[4]) {
    integer dx[3], dy[3], dz[3], minor, product, sum = {0};
    differences(x, 4, dx);
    differences(y, 4, dy);
    differences(z, 4, dz);
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        if (!dz[i].sign) continue;
        integer_minor(&dx[k], &dy[k], &dx[l], &dy[l], &minor);
        integer_multiply(&minor, &dz[i], &product);
        integer_add(&sum, &product, 1, &sum);
    }
    return sum.sign;
}

/* ---- Signs */

int orient2d(const double a[2], const double b[2], const double c[2]) {
    double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]);
    double determinant = left - right, bound = (fabs(left) + fabs(right)) * BOUND_2D + LEAST;
    if (determinant > bound) return 1;
    if (determinant < -bound) return -1;
    return sign2d((double[]){a[0], b[0], c[0]}, (double[]){a[1], b[1], c[1]});
}

int orient_along(int axis, vec3 a, vec3 b, vec3 c) {
    if (axis == 0) return orient2d((double[]){a.y, a.z}, (double[]){b.y, b.z}, (double[]){c.y, c.z});
    if (axis == 1) return orient2d((double[]){a.z, a.x}, (double[]){b.z, b.x}, (double[]){c.z, c.x});
    return orient2d((double[]){a.x, a.y}, (double[]){b.x, b.y}, (double[]){c.x, c.y});
}

/* Points in a plane of two axes have no volume: what lies flat is often met, and needs no integers. */
static int are_level(const double x[4]) { return x[0] == x[1] && x[0] == x[2] && x[0] == x[3]; }

int orient3d(vec3 a, vec3 b, vec3 c, vec3 d) {
    vec3 p = vec3_sub(b, a), q = vec3_sub(c, a), r = vec3_sub(d, a);
    double pq = p.x * q.y, qp = q.x * p.y, qr = q.x * r.y, rq = r.x * q.y, rp = r.x * p.y, pr = p.x * r.y;
    double determinant = (pq - qp) * r.z + (qr - rq) * p.z + (rp - pr) * q.z;
    double size =
        (fabs(pq) + fabs(qp)) * fabs(r.z) + (fabs(qr) + fabs(rq)) * fabs(p.z) + (fabs(rp) + fabs(pr)) * fabs(q.z);
    double bound = size * BOUND_3D + (fabs(p.z) + fabs(q.z) + fabs(r.z) + 1) * LEAST;
    if (determinant > bound) return 1;
    if (determinant < -bound) return -1;
    const double x[] = {a.x, b.x, c.x, d.x}, y[] = {a.y, b.y, c.y, d.y}, z[] = {a.z, b.z, c.z, d.z};
    return are_level(x) || are_level(y) || are_level(z) ? 0 : sign3d(x, y, z);
}

int are_collinear(vec3 a, vec3 b, vec3 c) {
    return orient_along(0, a, b, c) == 0 && orient_along(1, a, b, c) == 0 && orient_along(2, a, b, c) == 0;
}
