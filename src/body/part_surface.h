/* A collision surface with an accepted state of its own, for parts to embed.
 *
 * Its vertices are W times the body's points, but where contact moved them they differ from W x, and no map can express
 * that (Patkar et al. 2015, section 5). So the surface keeps what contact resolved, bit for bit: it stays free of
 * intersections, and it is the mesh to show. The next candidate is W x again, reached from the surface's own accepted
 * positions, and the body gets the impulses through Wᵀ.
 *
 *     body's candidates ──W──▶ fill ──▶ contact ──▶ keep ──▶ accepted
 *                                          └──impulses──Wᵀ──▶ body: accept
 *
 * Masses. Contact answers a displacement d of vertex v with the impulse m_v d / dt, and the body moves its points by
 * dt M⁻¹ Wᵀ of these, so W x moves by W M⁻¹ Wᵀ D d, with D the masses m_v. It must not move further than contact
 * asked, in no pattern d, or contact adds energy: the largest eigenvalue of M⁻¹ Wᵀ D W must not exceed 1. The largest
 * row sum of absolute values bounds it:
 *
 *     1/m_i Σ_v |W_vi| m_v F_v ≤ 1    for every free point i,    F_v = Σ_free j |W_vj|
 *
 *     m_v = min_free i of row v (m_i / c_i) / F_v,               c_i = Σ_v |W_vi|
 *
 * meets the bound. Where all m_i / c_i are alike it is sharp: a surface that is pushed as a whole, as cloth on a table,
 * carries W x along exactly. A single vertex carries along only a part, m_v Σ_i W_vi² / m_i, and contact asks for the
 * rest in the next substeps. Pins count as infinite masses: their points take no part in row sums, a vertex near them
 * is heavier, and no force moves one that depends on pins alone.
 */
#ifndef BODY_PART_SURFACE_H
#define BODY_PART_SURFACE_H

#include "body/body.h"

typedef struct part_surface {
    ruga_context *context;
    contact_surface surface; /* for contact */
    ruga_vec3 *accepted;     /* (vertices) m: the state */
    ruga_vec3 *velocities;   /* (vertices) m/s */
    double *inverse_masses;  /* (vertices) 1/kg */
    uint64_t mass_revision;  /* of the body, that these are of */
    double *column_sums;     /* (points) 1, c_i */
    unsigned char *collides; /* (vertices) 0: made of a point that does not; NULL: all do */
} part_surface;

/* Mesh and map (NULL: vertex i is point i) are kept, not copied. It starts at W times the body's accepted points.
 * After a failure part_surface_release may be called. */
ruga_status part_surface_init(part_surface *p, const body *b, const ruga_mesh *mesh, const ruga_map *map);
void part_surface_release(part_surface *p); /* one that is all zero too */

/* For `surface`: fills candidates and velocities from the body's, and all else. */
contact_surface *part_surface_fill(part_surface *p, const body *b);
/* For after_contact: the candidates, as contact left them, become the accepted positions. */
void part_surface_keep(part_surface *p);
/* For settle: W times the body's accepted points. */
void part_surface_settle(part_surface *p, const body *b);
/* For rebuild: another mesh and map, for the rebuilt body; accepted positions are from_old times the old ones.
 * Nothing changes on failure. */
ruga_status part_surface_rebuild(part_surface *p, const body *b, const ruga_mesh *mesh, const ruga_map *map,
                                 const ruga_map *from_old);
/* The surface of a body whose points are its vertices; sets the impulses to zero, (points) each. */
contact_surface part_surface_of_points(const body *b, const double *inverse_masses, ruga_vec3 *impulses);

void part_surface_save(const part_surface *p, state_writer *writer);
ruga_status part_surface_load(part_surface *p, state_reader *reader);

#endif
