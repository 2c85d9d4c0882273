/* Energies: the inner forces of a body, as integrators and solvers see them.
 *
 * The total energy of a body is a sum of terms U(x) over its points: springs (energy/spring_network.h), membranes,
 * hinges, lattices, tetrahedra (energy/tet_energy.h). Each has forces -dU/dx, the Hessian H = d²U/dx², and damping
 * forces -C v. A solver first linearises a term where the points are, and then multiplies as often as it needs to by
 *
 *     W = stiffness H + damping C
 *
 * with weights of its choice: h² and h for a step of backward Euler, 0 and h for damping alone, 1 and 0 for Newton's
 * method. With `definite`, H is replaced by a positive semidefinite matrix near it, so that M + W is definite for every
 * mass matrix M. C is always positive semidefinite.
 *
 * Every function loops over threads by base/threads.h and gives the same bits for any number of them.
 */
#ifndef ENERGY_ENERGY_H
#define ENERGY_ENERGY_H

#include "linalg/block_matrix.h"

typedef struct energy_weights {
    double stiffness, damping; /* of H and of C */
} energy_weights;

typedef struct energy_term energy_term;

typedef struct energy_interface {
    const char *name; /* for messages: "springs" */
    /* U, J. */
    double (*value)(const energy_term *term, const vec3 *positions);
    /* out += scale dU/dx, for (points) positions; returns U. */
    double (*add_gradient)(const energy_term *term, const vec3 *positions, double scale, vec3 *out);
    /* Prepares W for the next two functions, which use it until the next call. Allocates at most in the first call. */
    ruga_status (*linearise)(energy_term *term, const vec3 *positions, energy_weights weights, int definite);
    /* out += scale W direction. */
    void (*add_product)(const energy_term *term, double scale, const vec3 *direction, vec3 *out);
    /* out += W t after `linearise` at `from`, where t turns each element by its rotation from there to `to`. Neighbours
     * turn differently, so that t is no move of points. NULL: no element turns. */
    void (*add_turned)(const energy_term *term, const vec3 *from, const vec3 *to, vec3 *out);
    /* blocks += scale times the 3 x 3 blocks on the diagonal of W; (points) blocks. */
    void (*add_blocks)(const energy_term *term, double scale, mat3 *blocks);
    /* Both or neither, for preconditioners that need W as a matrix (linalg/block_matrix.h). The first adds which points
     * are coupled: block_pattern_add_elements with the term as the owner, or block_pattern_add_rows; it depends on what
     * the term was made of alone. The second, after `linearise`: matrix += scale W, for a matrix whose pattern holds
     * the term's. */
    ruga_status (*add_pattern)(const energy_term *term, block_pattern *pattern);
    void (*add_matrix)(const energy_term *term, double scale, block_matrix *matrix);
} energy_interface;

/* Implementations put it first in a struct of their own. */
struct energy_term {
    const energy_interface *interface;
    ruga_context *context;
    size_t point_count;
    int is_damped;     /* C is not zero */
    uint64_t revision; /* rises whenever a parameter changes: a matrix that was kept must be made again */
};

#endif
