/* Soups: random triangles that start apart and have random displacements, for the guarantee of contact. */
#ifndef TESTS_SOUP_H
#define TESTS_SOUP_H

#include "contact/solver.h"
#include "support/support.h"

/* The objects beside the triangles that forces move. */
typedef enum soup_others { SOUP_NONE, SOUP_STATIC, SOUP_RIGID, SOUP_DEFORMING } soup_others;

typedef struct soup_case {
    soup_others kind;
    size_t moving, kinematic;             /* triangles, 64 in all at most */
    double size, displacement, thickness; /* m */
} soup_case;

typedef struct soup_result {
    double pinched, in_zones;
    uint64_t hash; /* of all ends */
} soup_result;

/* A few steps of random displacements, with this many rounds of impacts before zones. Fails where an intersection is
 * not reported. */
soup_result run_soup(ruga_context *context, const soup_case *c, uint64_t seed, int steps, int rounds);

#endif
