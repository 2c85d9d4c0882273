/* Contours along which cloth and kinematic surfaces intersect, each as a whole.
 *
 * A body may stick in cloth whose vertices are all outside: between them, where triangles are large. Depths
 * (penetration.h) do not see that, and pushes of single piercings (intersecting_pairs.h) pull a stiff sheet in all
 * directions at once. So each contour also moves its triangles of cloth as one, along ∮ n ds, n the normal of the body.
 * Where a plane cuts a sphere of radius R at the height h above its middle, the contour is a circle of radius r, and
 * this is 2 π r h / R at right angles to the plane: the shorter path out. Where it is small against the length of the
 * contour, as around an arm that is inside its sleeve, no direction is better than another, and the push is smaller.
 *
 * Triangles with a vertex on the wrong side are left to the depths.
 */
#ifndef CONTACT_CONTOURS_H
#define CONTACT_CONTOURS_H

#include "contact/penetration.h"

/* After the depths: adds the vertices of contours to p->found. They may pass nothing. */
ruga_status contours_find(penetration *p, const intersecting_pairs *set, const trajectories *t);

#endif
