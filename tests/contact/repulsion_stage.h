/* A stage for repulsion alone: surfaces of free points, gravity, the broad phase and nothing else. */
#ifndef TESTS_CONTACT_REPULSION_STAGE_H
#define TESTS_CONTACT_REPULSION_STAGE_H

#include "contact/broad.h"
#include "contact/repulsion.h"
#include "math/vec3.h"
#include "support/shapes.h"

enum { STAGE_MOST = 8 };

typedef struct stage_surface {
    contact_surface surface;
    ruga_mesh *mesh;
    vec3 *accepted, *candidate, *velocities, *impulses;
    double *inverse_masses;
} stage_surface;

typedef struct stage {
    ruga_context *context;
    size_t count;
    stage_surface surfaces[STAGE_MOST];
    contact_surface *pointers[STAGE_MOST];
    contact_mesh *mesh;
    broad *finder;
    contact_pairs pairs;
    repulsion *repulsion;
    vec3 gravity; /* m/s² */
    double dt;    /* s */
    size_t touching;
} stage;

/* Takes the mesh. mass: kg, of each point; 0: nothing moves it. */
static inline stage_surface *stage_add(stage *s, ruga_mesh *mesh, double mass, double thickness, double friction) {
    stage_surface *a = s->surfaces + s->count;
    size_t n = mesh->vertex_count;
    *a = (stage_surface){.mesh = mesh};
    a->accepted = calloc(n, sizeof(vec3)), a->candidate = calloc(n, sizeof(vec3));
    a->velocities = calloc(n, sizeof(vec3)), a->impulses = calloc(n, sizeof(vec3));
    a->inverse_masses = calloc(n, sizeof(double));
    memcpy(a->accepted, mesh->positions, n * sizeof(vec3));
    memcpy(a->candidate, mesh->positions, n * sizeof(vec3));
    for (size_t i = 0; i < n; i++) a->inverse_masses[i] = mass > 0 ? 1 / mass : 0;
    a->surface = (contact_surface){.name = "surface",
                                   .mesh = mesh,
                                   .accepted = a->accepted,
                                   .candidate = a->candidate,
                                   .velocities = a->velocities,
                                   .inverse_masses = a->inverse_masses,
                                   .impulses = a->impulses,
                                   .thickness = thickness,
                                   .friction = friction,
                                   .self = 1};
    s->pointers[s->count++] = &a->surface;
    return a;
}

static inline repulsion_law stage_law(void) { return (repulsion_law){.spring = 0.1, .static_ratio = 1, .rounds = 20}; }

/* All surfaces are there. */
static inline void stage_open(stage *s, const repulsion_law *law) {
    if (s->dt == 0) s->dt = 1.0 / 240;
    assert_ok(s->context, contact_mesh_create(s->context, s->pointers, s->count, &s->mesh));
    assert_ok(s->context, broad_create(s->mesh, NULL, 0, &s->finder));
    assert_ok(s->context, repulsion_create(s->context, law, &s->repulsion));
}

static inline void stage_close(stage *s) {
    for (size_t i = 0; i < s->count; i++) {
        stage_surface *a = s->surfaces + i;
        ruga_mesh_destroy(a->mesh);
        free(a->accepted), free(a->candidate), free(a->velocities), free(a->impulses), free(a->inverse_masses);
    }
    repulsion_destroy(s->repulsion);
    broad_destroy(s->finder);
    contact_mesh_destroy(s->mesh);
    ARRAY_RELEASE(s->context, &s->pairs);
}

/* Repulsion on the surfaces' trajectories accepted -> candidate. */
static inline void stage_resolve(stage *s) {
    double margin = 0;
    contact_mesh_take(s->mesh, s->pointers);
    for (size_t i = 0; i < s->count; i++) margin = fmax(margin, s->surfaces[i].surface.thickness);
    assert_ok(s->context, broad_find(s->finder, s->mesh->from, s->mesh->to, margin, &s->pairs));
    assert_ok(s->context, repulsion_apply(s->repulsion, s->mesh, &s->pairs, NULL, s->dt, &s->touching));
}

/* A substep: gravity, repulsion, accept. Surfaces that nothing moves go with their velocities. */
static inline void stage_step(stage *s) {
    for (size_t i = 0; i < s->count; i++) {
        stage_surface *a = s->surfaces + i;
        for (size_t k = 0; k < a->mesh->vertex_count; k++) {
            if (a->inverse_masses[k] > 0) a->velocities[k] = vec3_add_scaled(a->velocities[k], s->gravity, s->dt);
            a->candidate[k] = vec3_add_scaled(a->accepted[k], a->velocities[k], s->dt);
            a->impulses[k] = (vec3){0, 0, 0};
        }
    }
    stage_resolve(s);
    contact_mesh_give(s->mesh, s->pointers, s->dt);
    for (size_t i = 0; i < s->count; i++) {
        stage_surface *a = s->surfaces + i;
        for (size_t k = 0; k < a->mesh->vertex_count; k++) {
            a->velocities[k] = vec3_add_scaled(a->velocities[k], a->impulses[k], a->inverse_masses[k]);
            a->accepted[k] = a->candidate[k];
        }
    }
}

/* A sheet of n by n squares and a given size, centred over the origin at a height, and turned about the x axis. */
static inline ruga_mesh *sheet_at(ruga_context *context, size_t n, double size, double height, double angle) {
    ruga_mesh *flat = shape_sheet(context, n, n), *mesh;
    vec3 *x = calloc(flat->vertex_count, sizeof *x);
    for (size_t i = 0; i < flat->vertex_count; i++) {
        vec3 p = flat->positions[i];
        double u = size * (p.x - 0.5), v = size * (p.z + 0.5);
        x[i] = vec3_make(u, height * cos(angle) - v * sin(angle), height * sin(angle) + v * cos(angle));
    }
    mesh = shape_make(context, flat->vertex_count, x, flat->triangle_count, NULL, flat->triangles);
    free(x);
    ruga_mesh_destroy(flat);
    return mesh;
}

/* The mean of vectors. */
static inline vec3 mean_of(const vec3 *x, size_t count) {
    vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < count; i++) sum = vec3_add(sum, x[i]);
    return vec3_scale(sum, 1 / (double)count);
}

#endif
