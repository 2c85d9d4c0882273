/* Surfaces for tests of contact, with all their arrays: no body needed. */
#ifndef TESTS_SURFACES_H
#define TESTS_SURFACES_H

#include "contact/contact_interface.h"
#include "geom/intersections.h"
#include "support/support.h"

typedef struct test_surface {
    contact_surface surface;
    ruga_vec3 *accepted, *candidate, *velocities, *impulses;
    double *inverse_masses;
    contact_hold *holds;
} test_surface;

/* At rest where the mesh is; every vertex has this mass, 0: none is moved by forces. The mesh is kept. */
void test_surface_init(test_surface *s, const char *name, const ruga_mesh *mesh, double mass, double thickness);
void test_surface_release(test_surface *s);
/* The candidates become the accepted positions, and the impulses zero. */
void test_surface_accept(test_surface *s);
/* Candidates are the accepted positions moved by this, m. */
void test_surface_move(test_surface *s, ruga_vec3 displacement);

/* Sums over the vertices that have a mass: of m (candidate - accepted), and of its moment about the origin at
 * accepted. */
ruga_vec3 test_surfaces_momentum(const test_surface *const *surfaces, size_t count);
ruga_vec3 test_surfaces_moment(const test_surface *const *surfaces, size_t count);

/* Pairs of triangles that intersect at the candidates, not counting those that no force moves. */
size_t test_surfaces_intersections(ruga_context *context, const test_surface *const *surfaces, size_t count);

/* Value of a measure of contact. */
double test_contact_measure(const contact *c, const char *name);

#endif
