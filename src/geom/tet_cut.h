/* The virtual node algorithm on tetrahedra (Molino et al. 2004; Patkar et al. 2015, section 7).
 *
 *     lines on the surface ──inward normals──▶ cutting surfaces, some layers deep ──▶ pieces of tets ──▶ copies
 *
 * The surface of the mesh is cut first (geom/virtual_nodes.h); this continues the cuts into the volume. Each line is
 * extended along the inward normals. The nodes nearby get their signed distance s from that surface, and the surface
 * passes through an edge where the linear interpolant of s is zero: a plane in every tet, with a triangle or a
 * quadrilateral for its section. On the triangles of the mesh's surface s is that of the line, so that both cuts agree.
 *
 * A tet whose section lies within the depth is cut into pieces, one for each combination of sides. Each piece becomes a
 * copy of the whole tet with the piece's share of the volume. Two copies share their corners where their pieces touch
 * across a side of the tets: a vertex gets one copy for each connected part of the material around it. Where the cut
 * ends inside the body the parts are connected around its end, and the vertices there are not duplicated.
 *
 *     simulated   the vertices of the mesh first, in their order, then copies on the surface, then copies inside
 *
 * Copies on the surface are those of virtual_nodes: a crease binds them. Where the parts of a vertex are separated on
 * the surface and connected below, near the ends of a line, the copy on the surface is the vertex itself. Copies inside
 * are free: the crack stays open there.
 *
 * Lines may cross. They may not meet in a star or end on another line: RUGA_ERROR_INPUT names the curve.
 */
#ifndef GEOM_TET_CUT_H
#define GEOM_TET_CUT_H

#include "geom/cut_lines.h"
#include "geom/virtual_nodes.h"

#define TET_CUT_DEPTH 2.5        /* mean edges */
#define TET_CUT_INNER 0.05       /* mean edges: nearest that a node inside comes to a cut; it is moved there */
#define TET_CUT_MOST_LINES 8     /* in one tet */
#define TET_CUT_LEAST_SHARE 1e-7 /* of a tet's volume: smaller pieces get no copy, unless a vertex is in them */

/* Where a cut passes through a tet, between the copies on both sides. */
typedef struct tet_section {
    uint32_t line;
    uint32_t left[4], right[4]; /* simulated points: corners of the copies */
    double middle[4];           /* weights of the corners: the middle of the section; their sum is 1 */
    double across[2][4]; /* weights, sum 0: two vectors in the section. Their cross product, to the left, is its area */
    double area;         /* m², at rest */
} tet_section;

typedef struct tet_cut {
    ruga_context *context;
    ruga_mesh *simulated; /* tets, and the copies of the surface's triangles; vertex attributes of the mesh. To keep it,
                             take it and set this to NULL */
    size_t surface_count; /* copies on the surface */
    size_t inner_count;   /* copies inside, the last points */
    uint32_t *vertex_of;  /* (simulated vertices) the vertex of the mesh */
    uint32_t *point_of;   /* (simulated vertices of the surface's cut) the point here */
    uint32_t *tet_parent; /* (simulated tets) rising */
    double *shares;       /* (simulated tets) 1, above 0 */
    size_t section_count;
    tet_section *sections; /* (section_count) */
    double (*ranges)[2];   /* (lines) m, σ between which the surface is separated all along */
} tet_cut;

typedef struct tet_cut_def {
    double depth; /* mean edges of the line; infinite: through the body */
} tet_cut_def;
tet_cut_def tet_cut_def_default(void);

/* cut, surface: of the triangles of `mesh` along `lines`. RUGA_ERROR_INPUT names the curve and the place where a line
 * meets others, where the cut comes out of the body again, or where it is too shallow or too short to fold. */
ruga_status tet_cut_make(const ruga_mesh *mesh, const cut_lines *lines, const curve_cut *cut,
                         const virtual_nodes *surface, const tet_cut_def *def, tet_cut *out);
void tet_cut_release(tet_cut *cut);

#endif
