/* Creased sheets as plates: statics by steps of the integrator `implicit` from rest, with vertices that are moved. */
#ifndef TESTS_CREASE_SUPPORT_H
#define TESTS_CREASE_SUPPORT_H

#include <math.h>

#include "energy/hinge.h"
#include "energy/membrane.h"
#include "energy/spring_mesh.h"
#include "mesh/topology.h"
#include "solve/bound.h"
#include "solve/integrator.h"
#include "support/creased.h"
#include "wrinkle/crease.h"

typedef struct drawing {
    size_t count;
    double points[16];
    int closed;
} drawing;
#define LINE(a, b, c, d) \
    { 2, {a, b, c, d}, 0 }

typedef struct creased {
    ruga_mesh *mesh;
    ruga_curve *curves[8];
    size_t count;
    crease c;
} creased;

static inline void creased_make(ruga_context *context, size_t n, double jitter, const drawing *drawings, size_t count,
                                creased *out) {
    crease_def def = crease_def_default();
    *out = (creased){.mesh = creased_sheet(context, n, jitter), .count = count};
    for (size_t i = 0; i < count; i++)
        out->curves[i] = creased_curve(out->mesh, drawings[i].points, drawings[i].count, drawings[i].closed);
    assert_ok(context, crease_make(out->mesh, (const ruga_curve *const *)out->curves, count, &def, &out->c));
}

static inline void creased_release(creased *s) {
    crease_release(&s->c);
    for (size_t i = 0; i < s->count; i++) ruga_curve_destroy(s->curves[i]);
    ruga_mesh_destroy(s->mesh);
}

/* ---- The bound space. */

/* The unknowns whose points are nearest to given ones, weighted by the masses; returns the distance that is left, m. */
static inline double fit_unknowns(const crease *c, const double *masses, const vec3 *x, vec3 *y) {
    ruga_context *context = c->context;
    bound *space;
    bound_matrix mass = {0};
    size_t points = c->bound->rows;
    vec3 *weighted = malloc(points * sizeof *weighted);
    double most = 0;
    assert_ok(context, bound_create(context, c->bound, &space));
    assert_ok(context, bound_matrix_make(space, NULL, NULL, &mass));
    assert_ok(context, bound_matrix_factor(space, &mass, NULL, masses, 0, NULL));
    for (size_t i = 0; i < points; i++) weighted[i] = vec3_scale(x[i], masses[i]);
    memset(y, 0, c->bound->columns * sizeof *y);
    ruga_map_apply_transpose_add(c->bound, weighted, y);
    bound_matrix_solve(&mass, 0, NULL, NULL, y);
    ruga_map_apply(c->bound, y, weighted);
    for (size_t i = 0; i < points; i++) most = fmax(most, vec3_distance(weighted[i], x[i]));
    bound_matrix_release(context, &mass);
    bound_destroy(space);
    free(weighted);
    return most;
}

/* ---- Plates. */

typedef struct plate {
    ruga_context *context;
    const ruga_mesh *mesh;
    membrane *stretch;
    hinges *bend;
    double *masses;
    vec3 *x, *v, *zero;
    integrator *solver;
    size_t pin_count;
    uint32_t *pins;
    vec3 *targets, *pin_velocities;
} plate;

/* bound NULL: free. The plate's hinges at the edges of `creases` (visible mesh) are taken out first. */
static inline void plate_make(const ruga_mesh *mesh, const double *shares, const ruga_map *bound_map, double stretch,
                              double bend, const curve_cut *creases, plate *out) {
    ruga_context *context = mesh->context;
    membrane_material fabric = {.warp = stretch, .weft = stretch, .poisson = 0.3, .shear = stretch / 2.6};
    hinge_material stiff = {.bend = bend};
    vec3 *warps = malloc(mesh->triangle_count * sizeof *warps);
    *out = (plate){.context = context, .mesh = mesh};
    for (size_t t = 0; t < mesh->triangle_count; t++) warps[t] = (vec3){1, 0, 0};
    assert_ok(context, membrane_create(mesh, &fabric, warps, shares, &out->stretch));
    free(warps);
    assert_ok(context, hinges_create(mesh, &stiff, shares, &out->bend));
    for (size_t p = 0; creases && p < creases->path_count; p++)
        for (size_t k = 0; k + 1 < creases->paths[p].count; k++)
            for (size_t h = 0; h < out->bend->count; h++) {
                const uint32_t *a = out->bend->points + 4 * h, *b = creases->paths[p].vertices + k;
                if (!((a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]))) continue;
                out->bend->hinges[h].stiffness = out->bend->hinges[h].bound = 0;
                for (int j = 0; j < 4; j++) {
                    uint32_t other = out->bend->hinges[h].others[j];
                    out->bend->hinges[h].couplings[j] = 0;
                    for (int i = 0; i < 4 && other != NO_INDEX; i++)
                        if (out->bend->hinges[other].others[i] == h) out->bend->hinges[other].couplings[i] = 0;
                }
            }
    size_t n = mesh->vertex_count;
    out->masses = malloc(n * sizeof *out->masses);
    out->x = malloc(n * sizeof *out->x);
    out->v = malloc(n * sizeof *out->v);
    out->zero = calloc(n, sizeof *out->zero);
    out->pins = malloc(n * sizeof *out->pins);
    out->targets = malloc(n * sizeof *out->targets);
    out->pin_velocities = malloc(n * sizeof *out->pin_velocities);
    memcpy(out->x, mesh->positions, n * sizeof *out->x);
    assert_ok(context, spring_mesh_masses(mesh, 0.1, shares, out->masses));
    integrator_def def = integrator_def_default();
    energy_term *terms[2] = {&out->stretch->base, &out->bend->base};
    def.kind = INTEGRATOR_IMPLICIT;
    def.tolerance = 1e-6;
    def.most_iterations = 4000;
    integrator_system system = {.context = context,
                                .point_count = n,
                                .masses = out->masses,
                                .energy_count = 2,
                                .energies = terms,
                                .bound = bound_map};
    assert_ok(context, integrator_create(&def, &system, &out->solver));
}

static inline void plate_release(plate *p) {
    integrator_destroy(p->solver);
    membrane_destroy(p->stretch);
    hinges_destroy(p->bend);
    free(p->masses);
    free(p->x);
    free(p->v);
    free(p->zero);
    free(p->pins);
    free(p->targets);
    free(p->pin_velocities);
}

static inline double plate_energy(const plate *p) {
    return p->stretch->base.interface->value(&p->stretch->base, p->x) +
           p->bend->base.interface->value(&p->bend->base, p->x);
}

/* Steps from rest, pins at their targets; returns how far a point moved in the last, m. */
static inline double plate_settle(plate *p, int steps, double dt) {
    double moved = 0;
    for (int k = 0; k < steps; k++) {
        for (size_t i = 0; i < p->pin_count; i++)
            p->pin_velocities[i] = vec3_scale(vec3_sub(p->targets[i], p->x[p->pins[i]]), 1 / dt);
        integrator_step step = {.dt = dt,
                                .positions = p->x,
                                .velocities = p->zero,
                                .bound_velocities = p->zero,
                                .pin_count = p->pin_count,
                                .pins = p->pins,
                                .pin_velocities = p->pin_velocities};
        integrator_report report;
        assert_ok(p->context, integrator_solve(p->solver, &step, p->v, &report));
        moved = 0;
        for (size_t i = 0; i < p->mesh->vertex_count; i++) {
            p->x[i] = vec3_add_scaled(p->x[i], p->v[i], dt);
            moved = fmax(moved, dt * vec3_length(p->v[i]));
        }
    }
    return moved;
}

/* ---- Folds. */

/* Turned about an axis by an angle. */
static inline vec3 turned(vec3 a, vec3 axis, double angle) {
    vec3 k = vec3_normalise(axis);
    vec3 out = vec3_add_scaled(vec3_scale(a, cos(angle)), vec3_cross(k, a), sin(angle));
    return vec3_add_scaled(out, k, vec3_dot(k, a) * (1 - cos(angle)));
}

static inline vec3 area_vector(const vec3 *x, const uint32_t *v) {
    return vec3_cross(vec3_sub(x[v[1]], x[v[0]]), vec3_sub(x[v[2]], x[v[0]]));
}

#endif
