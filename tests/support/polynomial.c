/* Roots by Descartes' rule: the signs of the Bernstein coefficients over an interval change as often as there are
 * roots inside, or twice, four times ... more often; halving the interval ends that where every root is simple. */
#include "support/polynomial.h"

#include <stdlib.h>

static rational zero(void) { return rational_ratio(0, 1); }
static rational half_way(rational a, rational b) { return rational_mul(rational_add(a, b), rational_ratio(1, 2)); }

/* Without leading zeros. */
static polynomial trimmed(polynomial p) {
    while (p.degree >= 0 && rational_sign(p.coefficients[p.degree]) == 0) p.degree--;
    return p;
}

static rational coefficient(const polynomial *p, int power) {
    return power <= p->degree ? p->coefficients[power] : zero();
}

polynomial polynomial_line(rational at_0, rational at_1) {
    return trimmed((polynomial){1, {at_0, rational_sub(at_1, at_0)}});
}

polynomial polynomial_add(const polynomial *a, const polynomial *b) {
    polynomial sum = {.degree = a->degree > b->degree ? a->degree : b->degree};
    for (int k = 0; k <= sum.degree; k++) sum.coefficients[k] = rational_add(coefficient(a, k), coefficient(b, k));
    return trimmed(sum);
}

polynomial polynomial_sub(const polynomial *a, const polynomial *b) {
    polynomial difference = {.degree = a->degree > b->degree ? a->degree : b->degree};
    for (int k = 0; k <= difference.degree; k++)
        difference.coefficients[k] = rational_sub(coefficient(a, k), coefficient(b, k));
    return trimmed(difference);
}

polynomial polynomial_mul(const polynomial *a, const polynomial *b) {
    polynomial product = {.degree = -1};
    if (a->degree < 0 || b->degree < 0) return product;
    product.degree = a->degree + b->degree;
    if (product.degree > POLYNOMIAL_MOST) abort();
    for (int k = 0; k <= product.degree; k++) product.coefficients[k] = zero();
    for (int i = 0; i <= a->degree; i++)
        for (int j = 0; j <= b->degree; j++)
            product.coefficients[i + j] =
                rational_add(product.coefficients[i + j], rational_mul(a->coefficients[i], b->coefficients[j]));
    return product;
}

rational polynomial_at(const polynomial *p, rational x) {
    rational value = zero();
    for (int k = p->degree; k >= 0; k--) value = rational_add(rational_mul(value, x), p->coefficients[k]);
    return value;
}

int polynomial_sign_at(const polynomial *p, rational x) { return rational_sign(polynomial_at(p, x)); }

static polynomial derivative(const polynomial *p) {
    polynomial d = {.degree = p->degree - 1};
    for (int k = 0; k <= d.degree; k++)
        d.coefficients[k] = rational_mul(p->coefficients[k + 1], rational_ratio(k + 1, 1));
    return d;
}

static polynomial scaled_to_one(polynomial p) {
    if (p.degree < 0) return p;
    rational lead = p.coefficients[p.degree];
    if (rational_sign(lead) < 0) lead = rational_negate(lead);
    for (int k = 0; k <= p.degree; k++) p.coefficients[k] = rational_div(p.coefficients[k], lead);
    return p;
}

/* a = quotient b + remainder; the quotient may be NULL. */
static polynomial remainder_of(polynomial a, const polynomial *b, polynomial *quotient) {
    polynomial q = {.degree = a.degree - b->degree};
    while (a.degree >= b->degree) {
        int shift = a.degree - b->degree;
        rational factor = rational_div(a.coefficients[a.degree], b->coefficients[b->degree]);
        q.coefficients[shift] = factor;
        for (int k = 0; k <= b->degree; k++)
            a.coefficients[k + shift] =
                rational_sub(a.coefficients[k + shift], rational_mul(factor, b->coefficients[k]));
        int before = a.degree;
        a = trimmed(a);
        for (int k = before - 1; k > a.degree && k >= b->degree; k--) q.coefficients[k - b->degree] = zero();
    }
    if (quotient) *quotient = q;
    return a;
}

static polynomial common_divisor(polynomial a, polynomial b) {
    while (b.degree >= 0) {
        polynomial rest = scaled_to_one(remainder_of(a, &b, NULL));
        a = b, b = rest;
    }
    return a;
}

/* Each root once. */
static polynomial without_repetition(const polynomial *p) {
    polynomial once, repeated = common_divisor(*p, derivative(p));
    remainder_of(*p, &repeated, &once);
    return once;
}

/* p(x + shift) */
static polynomial shifted(polynomial p, rational shift) {
    for (int i = 0; i < p.degree; i++)
        for (int k = p.degree - 1; k >= i; k--)
            p.coefficients[k] = rational_add(p.coefficients[k], rational_mul(shift, p.coefficients[k + 1]));
    return p;
}

/* How often the Bernstein coefficients between low and high change sign. */
static int sign_changes(const polynomial *p, rational low, rational high) {
    polynomial q = shifted(*p, low), reversed = q;
    rational factor = rational_ratio(1, 1), width = rational_sub(high, low);
    for (int k = 0; k <= q.degree; k++) {
        reversed.coefficients[q.degree - k] = rational_mul(q.coefficients[k], factor);
        factor = rational_mul(factor, width);
    }
    reversed = shifted(reversed, rational_ratio(1, 1));
    int changes = 0, last = 0;
    for (int k = 0; k <= reversed.degree; k++) {
        int sign = rational_sign(reversed.coefficients[k]);
        changes += sign * last < 0;
        if (sign) last = sign;
    }
    return changes;
}

/* Roots strictly between low and high; from the count-th on. */
static int isolate(const polynomial *p, rational low, rational high, root *roots, int count) {
    int changes = sign_changes(p, low, high);
    if (changes == 1) roots[count] = (root){*p, low, high};
    if (changes <= 1) return count + changes;
    rational middle = half_way(low, high);
    count = isolate(p, low, middle, roots, count);
    if (polynomial_sign_at(p, middle) == 0) roots[count++] = (root){*p, middle, middle};
    return isolate(p, middle, high, roots, count);
}

int polynomial_roots(const polynomial *p, rational low, rational high, root *roots) {
    if (p->degree < 1) return 0;
    polynomial once = sign_changes(p, low, high) > 1 ? without_repetition(p) : *p;
    int count = isolate(&once, low, high, roots, 0);
    if (polynomial_sign_at(&once, high) == 0) roots[count++] = (root){once, high, high};
    return count;
}

/* Halves the bounds of a root. */
static void narrow(root *r) {
    rational middle = half_way(r->low, r->high);
    if (polynomial_sign_at(&r->of, middle) == 0)
        r->low = r->high = middle;
    else if (sign_changes(&r->of, r->low, middle) > 0)
        r->high = middle;
    else
        r->low = middle;
}

int polynomial_sign_at_root(const polynomial *p, root *at) {
    if (p->degree < 0) return 0;
    for (int k = 0;; k++) {
        if (rational_compare(at->low, at->high) == 0) return polynomial_sign_at(p, at->high);
        if (sign_changes(p, at->low, at->high) == 0) return polynomial_sign_at(p, half_way(at->low, at->high));
        /* A root that both have in common is asked for only when they do not fall apart quickly. It is simple, so
         * that signs change an odd number of times when it is there. */
        if (k == 3) {
            polynomial common = common_divisor(at->of, *p);
            if (sign_changes(&common, at->low, at->high) % 2) return 0;
        }
        narrow(at);
    }
}

polynomial3 polynomial3_line(rational3 at_0, rational3 at_1) {
    return (polynomial3){polynomial_line(at_0.x, at_1.x), polynomial_line(at_0.y, at_1.y),
                         polynomial_line(at_0.z, at_1.z)};
}

polynomial3 polynomial3_sub(const polynomial3 *a, const polynomial3 *b) {
    return (polynomial3){polynomial_sub(&a->x, &b->x), polynomial_sub(&a->y, &b->y), polynomial_sub(&a->z, &b->z)};
}

/* ab' - a'b, a component of a cross product. */
static polynomial minor(const polynomial *a, const polynomial *b, const polynomial *a2, const polynomial *b2) {
    polynomial first = polynomial_mul(a, b2), second = polynomial_mul(a2, b);
    return polynomial_sub(&first, &second);
}

polynomial3 polynomial3_cross(const polynomial3 *a, const polynomial3 *b) {
    return (polynomial3){minor(&a->y, &b->y, &a->z, &b->z), minor(&a->z, &b->z, &a->x, &b->x),
                         minor(&a->x, &b->x, &a->y, &b->y)};
}

polynomial polynomial3_dot(const polynomial3 *a, const polynomial3 *b) {
    polynomial x = polynomial_mul(&a->x, &b->x), y = polynomial_mul(&a->y, &b->y), z = polynomial_mul(&a->z, &b->z);
    polynomial sum = polynomial_add(&x, &y);
    return polynomial_add(&sum, &z);
}
