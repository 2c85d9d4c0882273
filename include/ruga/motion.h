/* Ruga: frames, motions and parameters, which change with time. */
#ifndef RUGA_MOTION_H
#define RUGA_MOTION_H

#include "ruga/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The state of a mesh at one time, for writers and pictures. The memory belongs to the maker of the frame. */
typedef struct ruga_frame {
    double time;                /* s */
    uint64_t topology_revision; /* increases when the mesh is replaced by another one */
    size_t vertex_count;
    const ruga_vec3 *positions; /* (vertex_count) m */
    const ruga_vec3 *normals;   /* (vertex_count) unit, or NULL */
    size_t attribute_count;
    const ruga_attribute *attributes; /* those that change with time; they override the mesh's of the same name */
} ruga_frame;

/* ---- Motion: positions as a function of time, from any source. */
typedef struct ruga_motion ruga_motion;

RUGA_API void ruga_motion_destroy(ruga_motion *motion); /* NULL is fine */

typedef struct ruga_motion_info {
    size_t vertex_count;
    double start, end;   /* s; before and after, the first and last positions are held */
    size_t sample_count; /* stored samples; 0: a continuous motion (a function, a skin) */
    double rate; /* samples per second, of a continuous motion its keys' frame rate; 0: not evenly spaced, or unknown */
} ruga_motion_info;

RUGA_API ruga_motion_info ruga_motion_get_info(const ruga_motion *motion);

/* The time of a stored sample, s; the end's, past the last. Samples may be unevenly spaced. */
RUGA_API double ruga_motion_sample_time(const ruga_motion *motion, size_t sample);

/* Positions at a time, s, linear between stored samples and exact at their times. Not const, since a motion may cache
 * samples: use a motion from one thread at a time. */
RUGA_API ruga_status ruga_motion_sample(ruga_motion *motion, double time, ruga_vec3 *positions);

/* From the caller's function, which fills (vertex_count) positions and returns a status. */
typedef ruga_status ruga_motion_function(void *user, double time, ruga_vec3 *positions);
RUGA_API ruga_status ruga_motion_from_function(ruga_context *context, size_t vertex_count, double start, double end,
                                               ruga_motion_function *function, void *user, ruga_motion **out);

/* From samples in memory, copied: (sample_count x vertex_count), evenly spaced by 1 / rate from `start`. */
RUGA_API ruga_status ruga_motion_from_samples(ruga_context *context, size_t vertex_count, size_t sample_count,
                                              const ruga_vec3 *samples, double start, double rate, ruga_motion **out);

/* ---- Parameters: a number per vertex, which can be painted and can change with time. */
typedef enum ruga_param_kind {
    RUGA_PARAM_CONSTANT = 0,
    RUGA_PARAM_ATTRIBUTE, /* component 0 of the mesh's vertex attribute of that name */
    RUGA_PARAM_ARRAY,     /* the caller's array (vertex_count) */
    RUGA_PARAM_KEYS,  /* keyframes of the others; linear between them, constant before the first and after the last */
    RUGA_PARAM_GROUP, /* 1 at the vertices of faces with that label in the attribute "group", 0 elsewhere */
    /* The weights of a selector, 0 to 1 (ruga/selector.h). Evaluating it allocates memory; scenes do so once. */
    RUGA_PARAM_SELECTOR
} ruga_param_kind;

typedef struct ruga_param ruga_param;
typedef struct ruga_param_key {
    double time; /* s, strictly increasing */
    const ruga_param *value;
} ruga_param_key;

struct ruga_param {
    ruga_param_kind kind;
    double constant;
    const char *attribute; /* ATTRIBUTE, GROUP: the name; SELECTOR: its text */
    double from, to;       /* of these three: maps 0 to `from` and 1 to `to`, linearly; equal: no mapping */
    const double *array;
    size_t array_count;
    const char
        *file; /* ARRAY without `array`: a text file with a number per line; only scenes read it (ruga/scene.h) */
    size_t key_count;
    const ruga_param_key *keys;
    double low, high; /* allowed range; a value outside is an error that names the vertex. Equal: no limits */
    const char *unit; /* "m", "1", "N/m"; for messages */
};

RUGA_API ruga_param ruga_param_constant(double value);
RUGA_API ruga_param ruga_param_attribute(const char *name); /* the name is not copied */
RUGA_API ruga_param ruga_param_group(const char *name);     /* the name is not copied */
RUGA_API ruga_param ruga_param_selector(const char *text);  /* the text is not copied */
RUGA_API ruga_param ruga_param_array(const double *values, size_t count);
RUGA_API ruga_param ruga_param_keys(const ruga_param_key *keys, size_t count);

/* The values at a time for all vertices of a mesh. Messages call the parameter `name`. */
RUGA_API ruga_status ruga_param_evaluate(const ruga_param *param, const char *name, const ruga_mesh *mesh, double time,
                                         double *values);

#ifdef __cplusplus
}
#endif
#endif
