/* Fills a closed surface with tets of nearly equal size (geom/tet_stuff.h).
 *
 * Inside is where the surface's winding number is positive; it is exact at every point of the lattice. So overlapping
 * closed parts are filled once. Open borders are closed by fans (geom/closed_surface.h). Parts that are thinner than
 * about the spacing, and gaps that are narrower, are lost: the report says how far the tets are from the surface.
 *
 * The vertices of the tets' surface lie on the given surface, but for points that are kept to make it manifold, which
 * are off by less than 0.4 spacing. So the volume's error falls with spacing². Sharp edges are bevelled. */
#ifndef GEOM_TET_FILL_H
#define GEOM_TET_FILL_H

#include "ruga/fill.h"

enum { TET_FILL_DEFAULT_TETS = 30000, TET_FILL_MOST_TETS = 40000000 };

typedef struct tet_fill_def {
    double spacing;   /* m, between the points of each cubic lattice: the length of the long edges; 0: so that there are
                         about TET_FILL_DEFAULT_TETS tets */
    size_t most_tets; /* the estimate is at most this; 0: TET_FILL_MOST_TETS */
} tet_fill_def;

typedef ruga_fill_report tet_fill_report;

/* The number of tets that a spacing makes, approximately: 12 volume / spacing³. */
double tet_fill_estimate(double volume, double spacing);

/* Tets of positive volume with their surface as triangles; every vertex is used. Warns of open borders, overlaps and
 * lost parts. RUGA_ERROR_INPUT, with what to do: no triangles, vertices that are not finite, faces not oriented alike,
 * edges with three triangles, a surface that is inside out or without volume, a spacing that is negative, not finite,
 * larger than the mesh or its parts, or so small that there are more than most_tets. report may be NULL. */
ruga_status tet_fill_make(const ruga_mesh *surface, const tet_fill_def *def, ruga_mesh **tets, tet_fill_report *report);

/* The least and the largest dihedral angle of a mesh's tets, degrees; 180 and 0 without tets. */
ruga_status tet_angles(const ruga_mesh *mesh, double *least, double *most);

#endif
