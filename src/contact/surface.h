/* The surfaces that contact works on: all that it sees of bodies.
 *
 * A surface is a mesh of its own with a map to the points of its body and accepted positions of its own, since those
 * of a crease's collision mesh are a state that no map can express (Patkar et al. 2015, section 5).
 *
 *     body: predict ──▶ candidate, velocities ──▶ contact: resolves ──▶ candidate, impulses ──▶ body: accept
 *
 * Momentum is handed back as impulses: what contact does to a surface's vertices, its body gives to its points through the
 * map's transpose. Nothing else flows back.
 */
#ifndef CONTACT_SURFACE_H
#define CONTACT_SURFACE_H

#include "ruga/map.h"

/* What stopped a vertex in a substep without being moved by it: a collider, a kinematic surface. A body may keep its next solve
 * from going into it. */
typedef struct contact_hold {
    ruga_vec3 normal;   /* unit, outwards; zero: nothing did */
    ruga_vec3 velocity; /* m/s, of what stopped it, there */
    double grip;        /* 1, friction against it */
} contact_hold;

typedef struct contact_surface {
    const char *name;             /* of its object, for messages; the world sets it */
    const ruga_mesh *mesh;        /* triangles */
    uint64_t revision;            /* of the mesh's topology: another one is another mesh */
    const ruga_map *map;          /* surface vertices = W body points; NULL: vertex i is point i */
    const ruga_vec3 *accepted;    /* (vertices) m, at the start of the substep, free of intersections */
    ruga_vec3 *candidate;         /* (vertices) m, at its end; contact makes them free of intersections */
    const ruga_vec3 *velocities;  /* (vertices) m/s, at its end as predicted */
    const double *inverse_masses; /* (vertices) 1/kg; 0: moved by nothing */
    ruga_vec3 *impulses;          /* (vertices) N s, zero before contact; what it exerted on each vertex */
    contact_hold
        *holds;       /* (vertices) in: what the body's solve was held by; out: what stops it now. NULL: not wanted */
    double thickness; /* m; two surfaces keep the larger one of theirs as distance */
    double friction;  /* 1; two surfaces rub with the larger one of theirs */
    int self;         /* collides with itself too; not asked of surfaces that nothing moves */
} contact_surface;

#endif
