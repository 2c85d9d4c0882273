/* Part "seam": two borders of one cloth, which ties pull together and then hold.
 *
 *     border ──match by length──▶ ties (energy/ties.h) ──▶ implicit step of the cloth
 *                  └──▶ links (body_add_link) ──▶ contact lets both sides come near, and still keeps them apart
 *
 * Each vertex of the border with more vertices is tied to a place on the other. The rest length of a tie goes smoothly
 * from its first gap to SEAM_CLOSED times the thickness of contact: the sides of a closed seam never touch, so that
 * nothing intersects, and contact, which keeps half of that distance, does not work against the seam. A seam has no
 * state: it is a function of time. Its borders are those of the visible mesh (body/vertex_space.h). */
#ifndef BODY_SEAM_PART_H
#define BODY_SEAM_PART_H

#include "body/body.h"
#include "geom/border.h"
#include "ruga/scene.h"

#define SEAM_CLOSED (2 * BODY_LINK_THICKNESS) /* of the thickness of contact: the gap of a closed seam without load */

typedef struct seam_part_def {
    const char *name;            /* for messages; copied */
    const border_match *matches; /* (match_count) on the body's mesh; copied */
    size_t match_count;
    double start, end; /* s */
    double stiffness;  /* N/m² */
} seam_part_def;

/* Adds its links to the body, whose first gaps are those of its positions now. Measures: the greatest gap at the end of
 * the frame. */
ruga_status seam_part_create(body *b, const seam_part_def *def, part **out);

/* The time at which a scene begins, pre-roll included, s. */
double seam_first_time(const ruga_time_def *time);
/* 0 before `start`, 1 after `end`, and a smooth rise without a jump of velocity between them. */
double seam_progress(double start, double end, double time);

#endif
