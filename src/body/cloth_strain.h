/* How far a cloth is stretched: a measure of every frame.
 *
 * A membrane is measured in every direction of its triangles, shear included; springs are measured along the sides of
 * the mesh's faces. The diagonals of quads do not count: woven cloth shears without being stretched.
 */
#ifndef BODY_CLOTH_STRAIN_H
#define BODY_CLOTH_STRAIN_H

#include "body/cloth_parts.h"

typedef struct cloth_elongation {
    double most;     /* 1, the greatest; 0: nothing is stretched */
    double p99;      /* 1, that one in a hundred exceeds, rounded up to 0.0005, up to 1 */
    uint32_t vertex; /* where it is greatest: a point of the simulated mesh */
} cloth_elongation;

size_t cloth_strain_count(const cloth_parts *parts);
cloth_elongation cloth_measure_elongation(const cloth_parts *parts, const vec3 *positions);

/* Whether a run has reported elongations of both kinds. */
typedef struct cloth_said {
    int stretched, limit;
} cloth_said;

/* Too long for any fabric, and longer than the strain limit: each is reported once. */
void cloth_report_elongation(const body *b, const cloth_parts *parts, const substep *s, const cloth_elongation *e,
                             cloth_said *said);

/* Whether a spring changes its length by more than the limit, as a part of its rest length. */
int cloth_changes_more(const cloth_parts *parts, const vec3 *from, const vec3 *to, double limit);

#endif
