/* Polynomials in one variable over the rationals, their real roots, and signs at those, all exact. Values are like
 * those of rational.h: good until rational_release_all. */
#ifndef TESTS_POLYNOMIAL_H
#define TESTS_POLYNOMIAL_H

#include "support/rational.h"

#define POLYNOMIAL_MOST 8 /* the highest degree of a product */

typedef struct polynomial {
    int degree; /* -1: zero everywhere */
    rational coefficients[POLYNOMIAL_MOST + 1];
} polynomial;

polynomial polynomial_line(rational at_0, rational at_1);
polynomial polynomial_add(const polynomial *a, const polynomial *b);
polynomial polynomial_sub(const polynomial *a, const polynomial *b);
polynomial polynomial_mul(const polynomial *a, const polynomial *b);
rational polynomial_at(const polynomial *p, rational x);
int polynomial_sign_at(const polynomial *p, rational x);

/* A root: the only one of a polynomial between low and high, and not one of these; or when they are the same, that
 * number. */
typedef struct root {
    polynomial of;
    rational low, high;
} root;
/* All roots in (low, high], rising, each once; returns how many. `roots` has room for POLYNOMIAL_MOST. */
int polynomial_roots(const polynomial *p, rational low, rational high, root *roots);
int polynomial_sign_at_root(const polynomial *p, root *at); /* narrows the root's bounds */

typedef struct polynomial3 {
    polynomial x, y, z;
} polynomial3;
polynomial3 polynomial3_line(rational3 at_0, rational3 at_1);
polynomial3 polynomial3_sub(const polynomial3 *a, const polynomial3 *b);
polynomial3 polynomial3_cross(const polynomial3 *a, const polynomial3 *b);
polynomial polynomial3_dot(const polynomial3 *a, const polynomial3 *b);

#endif
