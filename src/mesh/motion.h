/* The interface of motions, for formats that implement their own. */
#ifndef MESH_MOTION_H
#define MESH_MOTION_H

#include "base/memory.h"
#include "ruga/motion.h"

typedef struct motion_interface {
    ruga_status (*sample)(ruga_motion *motion, double time, ruga_vec3 *positions); /* time is within [start, end] */
    void (*destroy)(ruga_motion *motion); /* frees what the implementation added, and the motion itself */
    double (*sample_time)(const ruga_motion *motion, size_t sample); /* NULL: samples are at start + i / rate */
} motion_interface;

/* The first member of each implementation's struct. */
struct ruga_motion {
    const motion_interface *interface;
    ruga_context *context;
    ruga_motion_info info;
};

/* Interpolation between two stored samples: a at t = 0, b at t = 1; exactly a and b there. */
void motion_mix(size_t count, const ruga_vec3 *a, const ruga_vec3 *b, double t, ruga_vec3 *out);

#endif
