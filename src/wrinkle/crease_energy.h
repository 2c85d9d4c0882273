/* The energy of creases in a solid, over its simulated points: what acts between both sides of a cut and on its edge.
 *
 *     folds      ½ k (φ - φ0)²              against the angle between both sides of a cut triangle (crease.h)
 *     sections   ½ k V² / A where V < 0     against overlap of the crack: V = (m_left - m_right) · N, with the middles m
 *                                           of a section on both sides, N its area vector half way between them, and A
 *                                           its area at rest. A crack that opens costs nothing.
 *     links      ½ k |D_{j+1} - D_j|²       against jumps of the fold vector along a crease
 *     anchors    ½ k (|d| - r)²             springs from the edge of a fold to points inside, of length r
 *     pushes     -f · x                     constant forces on the edge
 *
 * The first two have Gauss and Newton's Hessian, anchors that of a spring without its negative part: all are positive
 * semidefinite.
 */
#ifndef WRINKLE_CREASE_ENERGY_H
#define WRINKLE_CREASE_ENERGY_H

#include "energy/energy.h"
#include "wrinkle/crease.h"

/* A spring from a mean of points to a fixed target, or, with weights that sum to 0, between two means. */
typedef struct anchor_spring {
    uint32_t first, count; /* into points and weights */
    double stiffness;      /* N/m */
    double rest;           /* m */
    vec3 target;           /* m */
    vec3 direction;        /* unit, of a spring without length */
    vec3 push;             /* N, on the mean of the first points: those of positive weight */
} anchor_spring;

typedef struct crease_energy crease_energy;

typedef struct crease_energy_def {
    ruga_context *context;
    size_t point_count;
    size_t fold_count, section_count, link_count, anchor_count;
    const crease_fold *folds;     /* (fold_count) these four are the owner's */
    const tet_section *sections;  /* (section_count) */
    const crease_link *links;     /* (link_count) */
    const crease_anchor *anchors; /* (anchor_count) */
    const ruga_map *visible;      /* rows of the anchors' vertices */
    int is_tied;                  /* anchor points move with their tets, which feel the springs */
    double crack;                 /* Pa/m, of sections */
    double evenness;              /* Pa, of links, times their size */
} crease_energy_def;

ruga_status crease_energy_create(const crease_energy_def *def, crease_energy **out);
void crease_energy_destroy(crease_energy *e); /* NULL is fine */
energy_term *crease_energy_term(crease_energy *e);

/* Of the current substep. */
void crease_energy_set_fold(crease_energy *e, size_t fold, double stiffness, double angle); /* N m, rad */
anchor_spring *crease_energy_anchor(crease_energy *e, size_t anchor); /* stiffness, rest, target and push may change */
/* After the change of any of these. */
void crease_energy_changed(crease_energy *e);

/* The greatest overlap of both sides of a crack, m. */
double crease_energy_overlap(const crease_energy *e, const vec3 *positions);

#endif
