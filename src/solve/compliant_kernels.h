/* Loops over slices of the accelerated compliant solver, one version per instruction set; all give the same bits. */
#ifndef SOLVE_COMPLIANT_KERNELS_H
#define SOLVE_COMPLIANT_KERNELS_H

#include "solve/compliant_parts.h"

/* A run of the solver. */
typedef struct compliant_pass {
    compliant *solver;
    const sweep_limits *limits; /* in the order of points */
    float *points;              /* in and out */
    int has_normals;            /* limits or foundations need normals */
    float momentum;
} compliant_pass;

/* Copies limits and points to slots: vectors of a slice component by component, anchors also as points to `ahead`. */
ISA_DECLARE(void, compliant_enter, (const compliant_pass *pass, size_t begin, size_t end));
/* The bias: gradients of curvatures with the points of solver->ahead, which are the anchors. */
ISA_DECLARE(void, compliant_bias, (const compliant_pass *pass, size_t begin, size_t end));
/* Inverse blocks at solver->ahead. */
ISA_DECLARE(void, compliant_blocks, (const compliant_pass *pass, size_t begin, size_t end));
/* Steps of the points in solver->ahead, slices [begin, end) one after another. Returns Σ (before - after) . (after -
 * iterate), and in *move the greatest squared displacement from an iterate. */
ISA_DECLARE(double, compliant_advance, (const compliant_pass *pass, size_t begin, size_t end, float *move));
/* `ahead` becomes the iterates, and moves on by its displacement times the momentum. */
ISA_DECLARE(void, compliant_extrapolate, (const compliant_pass *pass, size_t begin, size_t end));

#endif
