/* Woven membranes: triangles with a warp and a weft.
 *
 * Baraff and Witkin 1998, section 4: at rest every triangle has two directions at right angles in its plane, the warp
 * and the weft. Where the points are now, they have become
 *
 *     [u v] = [x1 - x0, x2 - x0] R⁻¹,   R = [X1 - X0, X2 - X0] in coordinates along warp and weft
 *
 * with |u| = |v| = 1 and u · v = 0 at rest. Strains are those of the yarns and of the angle between them,
 *
 *     e = |u| - 1,   f = |v| - 1,   g = u · v
 *
 * and the energy per area at rest is that of an orthotropic sheet under plane stress,
 *
 *     (Y e² + 2 ν √(Y Z) e f + Z f²) / 2 (1 - ν²) + G g² / 2
 *
 * A strip that is pulled along its warp, with free sides, has the tension Y e per width: Y is the material's `stretch`,
 * Young's modulus times thickness, as with springs (energy/spring_mesh.h). Z is the same along the weft, ν Poisson's
 * ratio as the geometric mean of both directions, G the stiffness against shear, as that of quads. Baraff and Witkin
 * have no ν, and scale energies with the square of the area, so that their stiffness depends on the mesh; here it does
 * not. Tension stays linear in the strain, and a yarn resists until it has no length, where the Green strain of other
 * membranes lets go.
 *
 * Strain limit. Beyond an elongation e0 in any direction, along the yarns or across them, a second stiffness K acts:
 * the tension K r(e - e0), where r(x) grows from 0 with a slope that rises from 0 to 1 over LIMIT_RAMP
 * (energy/principal_limit.h). Below a fifth of its area a triangle may resist likewise (energy/collapse.h).
 *
 * Hessian. With tensions s = dU/de, t = dU/df, and q = dU/dg it is, in the space of u and v,
 *
 *     [s/|u|  q ; q  t/|v|] ⊗ I                               turning of the yarns
 *     + (Y' - s/|u|) d dᵀ, (Z' - t/|v|) c cᵀ, and N between   stretching; d and c are the directions of u and v
 *     + G' times the square of (v · δu + u · δv)              shear
 *
 * `definite` takes the nearest positive semidefinite 2 x 2 matrix in the first line, which leaves out the buckling of
 * yarns in compression, and keeps the second definite. The strain limit's is definite as it is. Damping acts on the
 * rates of e, f and g, by damping_time times the stiffness without the limit: turning and moving as a whole cost
 * nothing.
 */
#ifndef ENERGY_MEMBRANE_H
#define ENERGY_MEMBRANE_H

#include "energy/element_lists.h"
#include "energy/energy.h"

typedef struct membrane_material {
    double warp, weft;   /* N/m: Y, Z */
    double poisson;      /* 1: ν, within (-1, 1) */
    double shear;        /* N/m: G */
    double damping_time; /* s */
    double limit;        /* 1: e0; 0: there is no limit */
    double hard;         /* N/m: K, with a limit */
    double collapse;     /* N/m: K of energy/collapse.h; 0: triangles may lose all of their area */
} membrane_material;

typedef struct membrane_triangle {
    double inverse[2][2]; /* 1/m: R⁻¹ */
    double area;          /* m², at rest, times the triangle's share of the material */
} membrane_triangle;

/* W of a triangle in the space of u and v: symmetric uu and vv (xx, yy, zz, xy, xz, yz), and uv by rows. */
typedef struct membrane_block {
    double uu[6], vv[6], uv[9];
} membrane_block;

typedef struct membrane {
    energy_term base;
    membrane_material material;
    double plane_warp, plane_weft, plane_both; /* N/m: Y, Z and ν √(Y Z), over 1 - ν² */
    double factor;                             /* 1, of every stiffness and damping */
    size_t triangle_count;
    uint32_t *points;             /* (triangle_count x 3) */
    membrane_triangle *triangles; /* (triangle_count) */
    element_lists lists;
    vec3 *corner_vectors;   /* (triangle_count x 3) scratch of sums */
    membrane_block *blocks; /* (triangle_count) W; NULL: not linearised yet */
} membrane;

/* warps: (triangles) directions of the warp, whose part in the plane of the triangle counts (energy/warp.h). shares:
 * (triangles), or NULL for 1 each. RUGA_ERROR_INPUT names the number of the material, or the triangle without area or
 * with a warp across its plane, that is not allowed. */
ruga_status membrane_create(const ruga_mesh *mesh, const membrane_material *material, const vec3 *warps,
                            const double *shares, membrane **out);
void membrane_destroy(membrane *m); /* NULL is fine */

/* Every stiffness and damping becomes `factor` times its original value. */
ruga_status membrane_set_factor(membrane *m, double factor);

/* Strains of a triangle's yarns, |u| - 1 and |v| - 1, and the shear between them. */
typedef struct membrane_strain {
    double warp, weft, shear;
} membrane_strain;
membrane_strain membrane_strain_of(const membrane *m, size_t triangle, const vec3 *positions);
/* The greatest elongation of a triangle in any direction. */
double membrane_elongation(const membrane *m, size_t triangle, const vec3 *positions);

extern const energy_interface membrane_interface;

#endif
