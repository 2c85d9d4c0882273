/* Muscles: some of the material of a body, with fibres along a direction (energy/fibre.h) and an activation over
 * time. */
#ifndef BODY_MUSCLES_H
#define BODY_MUSCLES_H

#include "base/memory.h"
#include "energy/fibre.h"
#include "ruga/map.h"
#include "ruga/scene.h"

typedef struct muscle_def {
    ruga_vec3 direction;         /* 1, at rest; of any length */
    double stress;               /* Pa, at activation 1 */
    const unsigned char *chosen; /* (vertices) material nearest to these belongs to it; NULL: none by vertices */
    ruga_vec3 box_from, box_to;  /* m: or material in this box, at rest; NaN: without end; both NaN: no box */
    size_t key_count;
    const ruga_muscle_key *keys; /* (key_count) rising */
} muscle_def;

/* Keys of a muscle or a shape: numbers over time, linear between two, constant before the first and after the last. */
typedef struct number_keys {
    size_t count;
    ruga_muscle_key *keys;
} number_keys;
double number_keys_at(const number_keys *keys, double time); /* 0 without keys */

_Static_assert(sizeof(ruga_muscle_key) == sizeof(ruga_shape_key) &&
                   offsetof(ruga_shape_key, weight) == offsetof(ruga_muscle_key, activation),
               "keys of muscles and of shapes are alike");

/* Copies the keys of muscles, (count) out, all zero before; also after a failure their owner releases `keys` of each.
 * RUGA_ERROR_INPUT names a muscle without keys, unless something else activates it, without a direction, or with a
 * stress that is not allowed. */
ruga_status muscles_copy_keys(ruga_context *context, const muscle_def *muscles, size_t count, int may_lack_keys,
                              number_keys *out);

/* The fibres of all muscles in (points) of the material, quadrature points or tets, at places at rest, m; in the order
 * of the points. nearest: (points x vertices) by which vertices choose points. *out is the caller's. RUGA_ERROR_INPUT
 * names a muscle without material. */
ruga_status muscles_find_fibres(ruga_context *context, const muscle_def *muscles, size_t count, const ruga_map *nearest,
                                const vec3 *places, size_t points, muscle_fibre **out, size_t *found);

#endif
