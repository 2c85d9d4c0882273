/* The loops over slices of the accelerated compliant solver, one version per instruction set; all give the same bits. */
#ifndef SOLVE_COMPLIANT_KERNELS_H
#define SOLVE_COMPLIANT_KERNELS_H

#include "solve/compliant_parts.h"

/* One pass over all points, which are in slots. */
typedef struct compliant_pass {
    compliant *solver;
    const sweep_limits *limits; /* in the order of points */
    const float *points;        /* given ones, for the first pass */
    const float *from;          /* iterates before */
    const float *at;            /* where gradients are taken */
    float *to, *ahead;          /* iterates after, and where the next gradients are taken */
    float momentum;
} compliant_pass;

/* What curvatures would pull if every point were where pass->at has it: the bias, at anchors. */
ISA_DECLARE(void, compliant_bias, (const compliant_pass *pass, size_t begin, size_t end));
/* Inverse blocks at pass->at. */
ISA_DECLARE(void, compliant_blocks, (const compliant_pass *pass, size_t begin, size_t end));
/* A step of each point; returns Σ g . (to - from), and in *way the square of the longest way. */
ISA_DECLARE(double, compliant_advance, (const compliant_pass *pass, size_t begin, size_t end, float *way));

#endif
