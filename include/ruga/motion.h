/* Ruga: what changes with time: frames, motions and parameters. */
#ifndef RUGA_MOTION_H
#define RUGA_MOTION_H

#include "ruga/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One moment of a mesh: all that writers and pictures ever see. The memory belongs to whoever made the frame. */
typedef struct ruga_frame {
    double time;                /* s */
    uint64_t topology_revision; /* rises when the mesh behind the frame is another one */
    size_t vertex_count;
    const ruga_vec3 *positions; /* (vertex_count) m */
    const ruga_vec3 *normals;   /* (vertex_count) unit, or NULL */
    size_t attribute_count;
    const ruga_attribute *attributes; /* that change with time; they come before the mesh's of the same name */
} ruga_frame;

/* ---- Motion: positions as a function of time, whatever they come from. */
typedef struct ruga_motion ruga_motion;

RUGA_API void ruga_motion_destroy(ruga_motion *motion); /* NULL is fine */

typedef struct ruga_motion_info {
    size_t vertex_count;
    double start, end;   /* s; before and after, the first and the last positions hold */
    size_t sample_count; /* stored samples, 0 for a continuous motion (a function, a skin) */
    double rate;         /* samples a second, 0 where not even or not stored */
} ruga_motion_info;

RUGA_API ruga_motion_info ruga_motion_get_info(const ruga_motion *motion);

/* The time of a stored sample, s, which may not be evenly spaced; the end's, past the last. */
RUGA_API double ruga_motion_sample_time(const ruga_motion *motion, size_t sample);

/* Positions at a time, s, interpolated linearly between stored samples (a stored sample's own time gives exactly it).
 * Not const: a cache reads and keeps samples. One motion is for one thread at a time. */
RUGA_API ruga_status ruga_motion_sample(ruga_motion *motion, double time, ruga_vec3 *positions);

/* A function of the caller's; it fills (vertex_count) positions and returns a status. */
typedef ruga_status ruga_motion_function(void *user, double time, ruga_vec3 *positions);
RUGA_API ruga_status ruga_motion_from_function(ruga_context *context, size_t vertex_count, double start, double end,
                                               ruga_motion_function *function, void *user, ruga_motion **out);

/* Samples in memory, copied: (sample_count x vertex_count), evenly spaced by 1 / rate from `start`. */
RUGA_API ruga_status ruga_motion_from_samples(ruga_context *context, size_t vertex_count, size_t sample_count,
                                              const ruga_vec3 *samples, double start, double rate, ruga_motion **out);

/* ---- Parameters: a number per vertex that may be painted and may change with time. */
typedef enum ruga_param_kind {
    RUGA_PARAM_CONSTANT = 0,
    RUGA_PARAM_ATTRIBUTE, /* component 0 of the mesh's vertex attribute of that name */
    RUGA_PARAM_ARRAY,     /* the caller's, (vertex_count) */
    RUGA_PARAM_KEYS,      /* keyframes of the others, interpolated linearly, held before the first and after the last */
    RUGA_PARAM_GROUP      /* 1 at the vertices of the faces whose attribute "group" has that label, 0 elsewhere */
} ruga_param_kind;

typedef struct ruga_param ruga_param;
typedef struct ruga_param_key {
    double time; /* s, strictly rising */
    const ruga_param *value;
} ruga_param_key;

struct ruga_param {
    ruga_param_kind kind;
    double constant;
    const char *attribute; /* ATTRIBUTE, GROUP: the name */
    double from, to; /* ATTRIBUTE, GROUP: 0 becomes `from` and 1 becomes `to`, linearly; equal: values as they are */
    const double *array;
    size_t array_count;
    const char *file; /* ARRAY without `array`: a text with a number a line; only scenes read it (ruga/scene.h) */
    size_t key_count;
    const ruga_param_key *keys;
    double low, high; /* allowed range; values outside are an error that names the vertex. Equal: no limits */
    const char *unit; /* "m", "1", "N/m"; for messages */
};

RUGA_API ruga_param ruga_param_constant(double value);
RUGA_API ruga_param ruga_param_attribute(const char *name); /* the name is not copied */
RUGA_API ruga_param ruga_param_group(const char *name);     /* the name is not copied */
RUGA_API ruga_param ruga_param_array(const double *values, size_t count);
RUGA_API ruga_param ruga_param_keys(const ruga_param_key *keys, size_t count);

/* The values at a time for all vertices of a mesh. `name` is what messages call the parameter. */
RUGA_API ruga_status ruga_param_evaluate(const ruga_param *param, const char *name, const ruga_mesh *mesh, double time,
                                         double *values);

#ifdef __cplusplus
}
#endif
#endif
