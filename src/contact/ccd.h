/* Continuous collision that misses nothing: whether the parts of a pair come nearer than a separation on their straight
 * trajectories from one moment to another. */
#ifndef CONTACT_CCD_H
#define CONTACT_CCD_H

#include "contact/pairs.h"

/* The greatest number of intervals that the time is cut into. */
#define CCD_PIECES 1024

/* 0: at every time in [0, 1] the distance, in exact arithmetic, is at least the separation, and positive.
 * 1: that could not be shown. It holds at every time up to *time (0 when it can't be shown of any), and at *time the
 *    distance is below 1.25 x separation: no false alarm is worse than that. There are two exceptions: a few roundings
 *    (2^-44 of the largest coordinate of a difference between the parts, at both ends); and when a pair stays so near
 *    for so long while its direction rotates that CCD_PIECES intervals of time do not reach the end, the search stops
 *    there, and at some time up to *time the distance is below the separation plus 1 / CCD_PIECES of the longest
 *    displacement of a vertex relative to one of the other part. That takes parts that are nearer than about 1e-6
 *    times their size.
 *
 * A pair that starts nearer than twice the separation is tested with half of its distance at the start instead (less
 * the roundings above): resting contact is no collision. A pair that starts within these roundings of touching is
 * always a collision at time 0. Common motion of both parts costs nothing, however far it is. separation is in m, not
 * negative; positions are finite, at any scale. *time is set for collisions only. */
int ccd_pair(pair_kind kind, const ruga_vec3 from[4], const ruga_vec3 to[4], double separation, double *time);

#endif
