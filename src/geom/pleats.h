/* Pleats of a skirt, as Patkar, Jin and Fedkiw 2015 make them in section 8: a flat sector of an annulus is cut along
 * radii, folded by rotating its pieces, and closed to a frustum.
 *
 * All radii meet in the centre of the annulus, and so do the folded pieces: each is a plane wedge whose tip is the apex
 * of a cone, and its angle there stays that of the sector. The creases of a folded skirt are therefore directions u_i
 * on the unit sphere, and neighbours are as far apart there as they are in the sector. That is all: a pose of this kind
 * has no strain. Creases alternate between two polar angles, `depth` apart at the waist, so that layers do not touch:
 *
 *     knife   outer ──7/10──▶ inner ◀──3/10── outer …        two creases a pleat, the layers lie like shingles
 *     box     outer ──▶ outer ◀── inner ──▶ inner ◀── outer   four creases a pleat: 0.35, 0.15, 0.35, 0.15
 *
 * with the polar angle at which the pleats close around the axis, up to a gap for the seam. Around an oval it depends
 * on the azimuth, tan θ(φ) = tan θ(0) b / √(b² cos² φ + sin² φ): a horizontal plane cuts the cone in an ellipse, whose
 * axes have the ratio b. Creases are then found one after the other. The waist, as far from the apex everywhere, is a
 * little rounder, and lower where the cone is narrow.
 */
#ifndef GEOM_PLEATS_H
#define GEOM_PLEATS_H

#include "ruga/mesh.h"

typedef struct pleats_def {
    int is_box;
    int count;    /* of pleats */
    double depth; /* m, between outer and inner creases at the waist */
    double gap;   /* m, between both ends of the sector at the waist */
    double oval;  /* 1, extent along z over that along x, of the folded cone cut at one height */
} pleats_def;

typedef struct pleats {
    ruga_context *context;
    double inner, outer, sector; /* m, m, rad: of the flat pattern */
    size_t count;                /* of creases: 2 a pleat; of box pleats 4, but one is where the ends meet */
    double *angles;              /* (count + 2) rad, in the sector: one before and one behind all creases, too */
    ruga_vec3 *rays;             /* (count + 2) unit, of the folded skirt, from the apex */
    ruga_vec3 apex;              /* m: the waist is near y = 0 */
} pleats;

/* positions: of a flat sector of an annulus around the origin in the plane y = 0, that begins on the x axis, as the
 * model "annulus" makes it. RUGA_ERROR_INPUT for others, and for pleats that can't close. */
ruga_status pleats_make(ruga_context *context, const ruga_vec3 *positions, size_t count, const pleats_def *def,
                        pleats *out);
void pleats_release(pleats *p);

/* Both ends of crease i, flat. */
void pleats_ends(const pleats *p, size_t crease, ruga_vec3 out[2]);
/* A point of the flat pattern, folded. */
ruga_vec3 pleats_fold(const pleats *p, ruga_vec3 flat);
/* The fold vector of a crease (wrinkle/crease.h), and its angle, rad: positive a valley, seen from the front. */
ruga_vec3 pleats_vector(const pleats *p, size_t crease);
double pleats_angle(const pleats *p, size_t crease);

#endif
