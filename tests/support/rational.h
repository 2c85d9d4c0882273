/* Rational numbers, by GMP: the arithmetic that never errs, against which tests hold predicates and root finders.
 * A value is a handle that stays good until rational_release_all; values can't be changed, so they are passed about
 * like numbers. For one thread at a time. */
#ifndef TESTS_RATIONAL_H
#define TESTS_RATIONAL_H

#include <gmp.h>

#include "ruga/mesh.h"

typedef mpq_srcptr rational;

/* Ends all values made so far; their memory is used again. Call it once a case. */
void rational_release_all(void);

rational rational_from(double value); /* exactly; finite */
rational rational_ratio(long numerator, unsigned long denominator);
rational rational_add(rational a, rational b);
rational rational_sub(rational a, rational b);
rational rational_mul(rational a, rational b);
rational rational_div(rational a, rational b); /* b is not 0 */
rational rational_negate(rational a);
int rational_sign(rational a);                /* -1, 0 or 1 */
int rational_compare(rational a, rational b); /* the sign of a - b */
double rational_to_double(rational a);        /* rounded towards zero */

typedef struct rational3 {
    rational x, y, z;
} rational3;

rational3 rational3_from(ruga_vec3 a);
rational3 rational3_add(rational3 a, rational3 b);
rational3 rational3_sub(rational3 a, rational3 b);
rational3 rational3_scale(rational3 a, rational s);
rational3 rational3_mix(rational3 a, rational3 b, rational t); /* a + t (b - a) */
rational rational3_dot(rational3 a, rational3 b);
rational3 rational3_cross(rational3 a, rational3 b);
rational rational3_determinant(rational3 a, rational3 b, rational3 c); /* a · (b × c) */
int rational3_is_zero(rational3 a);
int rational3_equal(rational3 a, rational3 b);
ruga_vec3 rational3_to_vec3(rational3 a); /* rounded towards zero */

#endif
