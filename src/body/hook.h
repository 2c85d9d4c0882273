/* A hook: something inside a body that adds forces to it and sets its state right before and after. */
#ifndef BODY_HOOK_H
#define BODY_HOOK_H

#include "base/measure.h"
#include "base/state.h"
#include "body/environment.h"
#include "ruga/map.h"

typedef struct hook hook;
struct body;

/* One substep, as everything in it sees it. */
typedef struct substep {
    double time;  /* s, at its end */
    double dt;    /* s */
    double blend; /* of the pre-roll, at its end: 0 bind pose, 1 from the start frame on */
    const environment *environment;
} substep;

/* Every function but destroy may be NULL: then there is nothing to do. */
typedef struct hook_interface {
    /* Adds to (points) forces, N, at given positions and velocities. */
    ruga_status (*force)(hook *h, const struct body *b, const substep *s, const ruga_vec3 *positions,
                         const ruga_vec3 *velocities, ruga_vec3 *forces);
    /* product += (d force / d positions) direction, N. */
    ruga_status (*force_product)(hook *h, const struct body *b, const substep *s, const ruga_vec3 *positions,
                                 const ruga_vec3 *direction, ruga_vec3 *product);
    /* May change the body's candidate positions and velocities, before contact. */
    ruga_status (*before_positions)(hook *h, struct body *b, const substep *s);
    /* May change its accepted velocities. */
    ruga_status (*after_velocities)(hook *h, struct body *b, const substep *s);
    /* After the body was rebuilt on another mesh; old point j is W's column j. */
    ruga_status (*rebuild)(hook *h, struct body *b, const ruga_map *from_old);
    void (*save)(const hook *h, state_writer *writer);
    ruga_status (*load)(hook *h, state_reader *reader);
    void (*destroy)(hook *h);
} hook_interface;

/* Implementations put it first in a struct of their own. */
struct hook {
    const hook_interface *interface;
    ruga_context *context;
    const char *kind; /* "collide"; static text */
    measure_list measures;
};

#endif
