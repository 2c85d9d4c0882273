/* The surroundings of all bodies: gravity, wind, colliders. */
#ifndef BODY_ENVIRONMENT_H
#define BODY_ENVIRONMENT_H

#include "contact/collider.h"

typedef struct wind {
    ruga_vec3 velocity; /* m/s, the mean */
    double gust;        /* 1, part of the mean speed */
    double gust_size;   /* m */
    double gust_time;   /* s */
    uint64_t seed;
    /* NULL, or the caller's own, instead of all of the above. Called from several threads. */
    ruga_vec3 (*function)(void *user, ruga_vec3 point, double time);
    void *user;
} wind;

/* The surface of an object, as the last substep left it: what skins and quasistatic flesh can't pass. */
typedef struct environment_surface {
    const void *owner; /* its body */
    const ruga_mesh *mesh;
    const ruga_vec3 *positions; /* (vertices) m */
    int is_predicted;           /* the body has candidates of the current substep */
} environment_surface;

typedef struct environment {
    ruga_vec3 gravity; /* m/s² */
    wind wind;
    size_t collider_count;
    const collider *colliders;
    size_t surface_count; /* of objects that collide; none without contact */
    const environment_surface *surfaces;
    const struct contact *contact; /* NULL: none */
} environment;

/* Velocity of the air, m/s. Gusts are smooth noise (C¹) in space and time with mean zero and each component within
 * gust x |velocity|; they are carried along by the mean wind. */
ruga_vec3 environment_wind(const environment *e, ruga_vec3 point, double time);

#endif
