/* The loops over slices of the accelerated compliant solver, one version per instruction set; all give the same bits. */
#ifndef SOLVE_COMPLIANT_KERNELS_H
#define SOLVE_COMPLIANT_KERNELS_H

#include "solve/compliant_parts.h"

/* A run. Points are in slots. */
typedef struct compliant_pass {
    compliant *solver;
    const sweep_limits *limits; /* in the order of points */
    float *points;              /* given ones, and the result */
    int has_normals;            /* whether limits or foundations ask for normals */
    float momentum;
} compliant_pass;

/* What curvatures would pull if every point were where solver->ahead has it: the bias, at anchors. */
ISA_DECLARE(void, compliant_bias, (const compliant_pass *pass, size_t begin, size_t end));
/* Inverse blocks at solver->ahead. */
ISA_DECLARE(void, compliant_blocks, (const compliant_pass *pass, size_t begin, size_t end));
/* Slices [begin, end), one after another: steps of points in solver->ahead. Returns Σ (before - after) . (after - iterate), and in *way
 * the square of the longest way from an iterate. */
ISA_DECLARE(double, compliant_advance, (const compliant_pass *pass, size_t begin, size_t end, float *way));
/* What was made becomes the iterates, and goes ahead by its way times the momentum. */
ISA_DECLARE(void, compliant_extrapolate, (const compliant_pass *pass, size_t begin, size_t end));

#endif
