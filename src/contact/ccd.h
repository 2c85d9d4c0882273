/* Continuous collision that misses nothing: whether the parts of a pair come nearer than a separation on their straight
 * ways from one moment to another. */
#ifndef CONTACT_CCD_H
#define CONTACT_CCD_H

#include "contact/pairs.h"

/* 0: at every time in [0, 1] the distance, in exact arithmetic, is at least the separation, and so positive.
 * 1: that could not be shown. At every time before *time it is (*time is 0 when that can't be shown of any); and some time in
 *    [0, 1] the distance is below 1.25 x separation plus a few roundings of the coordinates: no false alarm is worse than that.
 *
 * A pair that starts nearer than twice the separation is asked about half of the distance that it starts at instead: resting
 * contact is no collision. One that starts within rounding of touching is a collision at time 0, always.
 * separation is in m, not negative; positions are finite. */
int ccd_pair(pair_kind kind, const ruga_vec3 from[4], const ruga_vec3 to[4], double separation, double *time);

#endif
