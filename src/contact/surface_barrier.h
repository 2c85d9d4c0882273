/* The surface of a body in equilibrium: an energy against itself and against other surfaces, and a limit of steps
 * (contact/barrier_pairs.h). There is no friction.
 *
 *     begin       where others are at the start of the substep; vertices that intersect already pass until it ends
 *     advance     others move as far as the surface leaves them room; between two of these the body yields
 *     limit       the greatest part of a step without contact
 */
#ifndef CONTACT_SURFACE_BARRIER_H
#define CONTACT_SURFACE_BARRIER_H

#include "contact/surface.h"
#include "energy/energy.h"

typedef struct surface_barrier surface_barrier;

typedef struct surface_barrier_def {
    ruga_context *context;
    const ruga_mesh *mesh; /* its triangles are the surface */
    size_t point_count;
    const ruga_map *visible;       /* vertices from points, the owner's; NULL: vertex i is point i */
    const unsigned char *collides; /* (vertices) NULL: all do */
    const unsigned char *moves;    /* (vertices) 0: a pin holds it, and it feels nothing; NULL: all do */
    const double *stiffness;       /* (vertices) N/m: κ at this reach */
    double reach;                  /* m, positive; at most half of the mean edge is used, with κ as much larger */
} surface_barrier_def;

/* The surface of another object, over a substep. */
typedef struct surface_barrier_other {
    const ruga_mesh *mesh;
    const ruga_vec3 *from, *to; /* (vertices) m */
} surface_barrier_other;

ruga_status surface_barrier_create(const surface_barrier_def *def, surface_barrier **out);
void surface_barrier_destroy(surface_barrier *self); /* NULL is fine */
energy_term *surface_barrier_term(surface_barrier *self);

/* Vertices that do not collide, beside those of the def; NULL: none. Before the first solve. */
void surface_barrier_mask(surface_barrier *self, const unsigned char *collides);

/* Of the next solve, from these points; self_too: it collides with itself. passing: vertices that intersect, and pass.
 * Allocates when the other meshes are not those of the last solve. */
ruga_status surface_barrier_begin(surface_barrier *self, const ruga_vec3 *points, int self_too,
                                  const surface_barrier_other *others, size_t other_count, size_t *passing);
int surface_barrier_has_moving(const surface_barrier *self); /* whether others have a displacement */
/* Moves others as far as the surface lets them. Returns the part of their displacements that is left: 0 at the end. */
double surface_barrier_advance(surface_barrier *self, const ruga_vec3 *points);
/* The greatest part, at most 1, of the displacements of points without a contact. */
double surface_barrier_limit(surface_barrier *self, const ruga_vec3 *from, const ruga_vec3 *to);
/* Of the solve: the first search that failed. */
ruga_status surface_barrier_status(const surface_barrier *self);
/* Pairs within their reach, of the last linearisation. */
size_t surface_barrier_touch_count(const surface_barrier *self);

#endif
