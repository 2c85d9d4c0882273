/* Ruga: closed surfaces filled with tetrahedra of nearly equal size, for soft bodies.
 *
 * A body-centred cubic lattice is fitted to the surface (Labelle and Shewchuk 2007, "Isosurface stuffing"). Its cuts
 * bound the dihedral angles, whatever the surface: a search over random and extreme cuts found 10.6 to 164.8 degrees.
 * The surface of the tets is a closed manifold. Its vertices lie on the given surface, so that the volume's error falls
 * with spacing². Sharp edges are bevelled; parts and gaps that are narrower than about the spacing are lost. */
#ifndef RUGA_FILL_H
#define RUGA_FILL_H

#include "ruga/map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_fill_def {
    uint32_t cookie;
    double spacing;   /* m, length of the longest regular edges; 0, the default: so that there are about 30 000 tets */
    size_t most_tets; /* a spacing that makes more is an error; 0, the default: 40 million */
} ruga_fill_def;

typedef struct ruga_fill_report {
    double spacing;                    /* m, as used */
    size_t open_borders, border_edges; /* of the surface, closed by fans of triangles from their middles */
    size_t overlaps;                   /* points of the lattice that are inside the surface more than once */
    size_t pieces;                     /* connected pieces of the tets */
    size_t shells, surface_shells;     /* connected pieces of the tets' surface and of the given one; a cavity is one */
    size_t kept;                       /* points off the surface by up to 0.4 spacing, to keep the tets manifold */
    double surface_volume, volume;     /* m³, of the surface, closed, and of the tets */
    double least_angle, most_angle;    /* degrees, of the dihedral angles */
    double distance;                   /* m, the largest of a vertex of the surface from the tets' surface */
    size_t bytes;                      /* estimate of the most memory that was used at once */
} ruga_fill_report;

RUGA_API ruga_fill_def ruga_fill_def_default(void);

/* Makes a mesh of tets with their surface as triangles; every vertex is used. Inside is where the winding number of the
 * surface is positive: overlapping closed parts are filled once, and a part that is turned inside out is a cavity.
 * Attributes are not carried over. Open borders, overlaps and lost parts are warnings in the log.
 * report: may be NULL.
 * Fails with RUGA_ERROR_INPUT, naming the place and what to do, for a surface without triangles or volume, that is
 * inside out, has faces that are not oriented alike, edges with three triangles or points that are not finite; and for
 * a spacing that is larger than the mesh or makes too many tets. */
RUGA_API ruga_status ruga_mesh_fill(const ruga_mesh *surface, const ruga_fill_def *def, ruga_mesh **tets,
                                    ruga_fill_report *report);

/* Points as weighted sums of the vertices of tets: ruga_map_apply(map, moved vertices, points) carries a fine mesh
 * along with the tets. A point in a tet gets the weights of its corners. A point outside is extrapolated from the
 * nearest tet: weights sum to 1, some are negative.
 * RUGA_ERROR_INPUT: a mesh without tets, a point that is not finite. */
RUGA_API ruga_status ruga_mesh_embed(const ruga_mesh *tets, const ruga_vec3 *points, size_t count, ruga_map **map);

/* The same by the triangles of a surface: each point gets the weights of its nearest place there. Map displacements
 * rather than positions, as points off the surface are moved onto it else:
 *     fine[i] = fine_at_rest[i] + mapped[i],   mapped: ruga_map_apply of moved[v] - mesh->positions[v]
 * Both sides of an edge of the surface stay apart, so that a fine mesh folds where the surface does.
 * RUGA_ERROR_INPUT: a mesh without triangles, a point that is not finite. */
RUGA_API ruga_status ruga_mesh_embed_surface(const ruga_mesh *surface, const ruga_vec3 *points, size_t count,
                                             ruga_map **map);

#ifdef __cplusplus
}
#endif
#endif
