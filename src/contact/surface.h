/* The surfaces that contact works on: all that it gets from bodies.
 *
 * A surface is a mesh of its own with a map to the points of its body and accepted positions of its own, since those
 * of a crease's collision mesh are a state that no map can express (Patkar et al. 2015, section 5).
 *
 *     body: predict ──▶ candidate, velocities ──▶ contact: resolves ──▶ candidate, impulses ──▶ body: accept
 *
 * Contact returns momentum as impulses on the vertices of a surface. Its body passes them to its points through the
 * map's transpose. Nothing else is returned.
 */
#ifndef CONTACT_SURFACE_H
#define CONTACT_SURFACE_H

#include "ruga/map.h"

/* The static or kinematic surface that stopped a vertex in a substep. A body may keep its next solve from moving the
 * vertex into it. */
typedef struct contact_hold {
    ruga_vec3 normal;   /* unit, outwards; zero: nothing stopped it */
    ruga_vec3 velocity; /* m/s, of the surface there */
    double grip;        /* 1, friction against it */
} contact_hold;

/* A pair of elements that touch, as a solve of several bodies sees it. With the velocities v of its four vertices,
 *
 *     approach = normal · Σ w v,    slip k = tangent k · Σ w v + Σ turn_k (normal · v)
 *
 * where turns take out the slip of a pair that rotates as a whole, so that impulses conserve angular momentum. */
typedef struct contact_row {
    uint32_t surfaces[4]; /* indices of the surfaces that were given to contact */
    uint32_t vertices[4]; /* their numbers in the surfaces */
    ruga_vec3 normal;
    ruga_vec3 tangents[2]; /* unit, or zero: no friction along it */
    double weights[4], turns[2][4];
    double target;   /* m/s, least approach after the solve; positive ones move apart */
    double friction; /* 1, greatest slip impulse over normal impulse */
    double
        impulse[3];  /* N s: before the solve that of the last substep, after it the solve's; the first not negative */
    uint32_t source; /* of the pair in contact */
    uint32_t solved; /* the solve had it */
} contact_row;

typedef struct contact_surface {
    const char *name;             /* of its object, for messages; the world sets it */
    const ruga_mesh *mesh;        /* triangles */
    uint64_t revision;            /* of the mesh's topology: another one is another mesh */
    const ruga_map *map;          /* surface vertices = W body points; NULL: vertex i is point i */
    const ruga_vec3 *accepted;    /* (vertices) m, at the start of the substep, free of intersections */
    ruga_vec3 *candidate;         /* (vertices) m, at its end; contact makes them free of intersections */
    const ruga_vec3 *velocities;  /* (vertices) m/s, at its end as predicted */
    const double *inverse_masses; /* (vertices) 1/kg; 0: no force moves it */
    /* (vertices) 0: the vertex and its triangles never collide; NULL: all do. Another mask needs another revision.
     * Vertices without a triangle never collide. */
    const unsigned char *collides;
    /* (link_count x 2) vertices that a seam joins: elements at both of them keep only link_thickness, m, and still
     * never intersect. Other links need another revision. */
    const uint32_t *links;
    size_t link_count;
    double link_thickness;
    ruga_vec3 *impulses; /* (vertices) N s, zero before contact; exerted by it on each vertex */
    /* (vertices) in: the holds that the body's solve used; out: those of this substep. NULL: not wanted */
    contact_hold *holds;
    double thickness; /* m; two surfaces keep the larger of both as distance */
    double friction;  /* 1; the larger of both counts */
    /* 1: within the surface a pair keeps at most that part of its distance at rest; 0: 1. Below 1 a surface can fold
     * sharply, however thick it is. */
    double rest_part;
    int self; /* collides with itself too; ignored for kinematic surfaces */
} contact_surface;

#endif
