/* Part "attach": places of a cloth that are tied to another place of it, or to another object.
 *
 * Within one cloth the ties are in its implicit step: momentum is conserved exactly. A tie to another object ends where
 * that object is at the end of the substep, and is implicit in this cloth. Kinematic objects do not notice it.
 *
 * Another cloth was predicted before this one, without the tie. Its response to impulses at its places is linear, Δv =
 * A⁻¹ I with the matrix A of its implicit step (body_interface, respond). A tie that pulls with the impulse j moves its
 * place by h S j, where the 3 x 3 matrix S is the answer there when all ties of the part pull alike. So the solve of
 * this cloth takes the tie and the other cloth in series, with the stiffness (1/k + h² S)⁻¹. Then the other cloth gets
 * the opposite of the impulses that the solve found, spread by A⁻¹, in the same substep. S bounds the answers of ties
 * to each other from above: the coupling is stable whichever cloth is heavier. The rest, which S leaves out, is a gap
 * that shrinks with h². It takes four more solves of the other cloth per substep. Momentum is conserved up to the
 * tolerance of the solves. */
#ifndef BODY_ATTACH_PART_H
#define BODY_ATTACH_PART_H

#include "body/body.h"

/* A place of this cloth, and one of the other. */
typedef struct attach_pair {
    uint32_t points[2][3]; /* vertices of the visible meshes */
    double weights[2][3];  /* sum 1 each */
} attach_pair;

typedef struct attach_part_def {
    const char *name;         /* for messages; copied */
    body *other;              /* stepped before this one; NULL: the same cloth */
    const attach_pair *pairs; /* (pair_count) copied */
    size_t pair_count;
    double start, end; /* s */
    double gap;        /* m, that is left; NaN: the thickness of contact, the larger of both */
    double stiffness;  /* N/m, of a tie */
} attach_part_def;

/* Measures: the greatest gap at the end of the frame. */
ruga_status attach_part_create(body *b, const attach_part_def *def, part **out);

#endif
