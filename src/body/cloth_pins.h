/* Pins: points of a cloth that are held. */
#ifndef BODY_CLOTH_PINS_H
#define BODY_CLOTH_PINS_H

#include "body/body.h"

/* A place on a path; linear between, held before the first and after the last. */
typedef struct cloth_path_key {
    double time;    /* s, strictly rising */
    ruga_vec3 move; /* m, from where the points are at rest */
} cloth_path_key;

/* Some vertices that are held alike: where they are at rest, along a path, or on another body's mesh, which carries them as
 * it moves and turns. The other body has to be stepped before the cloth, and its vertices have to be its points. */
typedef struct cloth_pin_def {
    size_t count;
    const uint32_t *vertices;   /* (count) copied */
    size_t key_count;           /* 0: no path */
    const cloth_path_key *keys; /* (key_count) copied */
    const body *leader;         /* NULL: none; the owner's */
} cloth_pin_def;

typedef struct cloth_pin_group {
    size_t begin, end; /* of the pins */
    size_t key_count;
    cloth_path_key *keys;
    const body *leader;
    ruga_map *map;      /* pins = W leader's points, and an offset in the frame of a triangle */
    uint32_t *frames;   /* (pins x 3) the triangle's corners */
    ruga_vec3 *offsets; /* (pins) m, along the frame's axes */
} cloth_pin_group;

typedef struct cloth_pins {
    ruga_context *context;
    size_t count;
    uint32_t *points;      /* (count) each once */
    ruga_vec3 *rest;       /* (count) m, where they are at rest */
    ruga_vec3 *targets;    /* (count) m, where they go in the present substep */
    ruga_vec3 *velocities; /* (count) m/s, to get there */
    size_t group_count;
    cloth_pin_group *groups;
} cloth_pins;

/* RUGA_ERROR_INPUT names a vertex that the mesh does not have or that is pinned twice, and keys out of order. */
ruga_status cloth_pins_make(const ruga_mesh *mesh, const cloth_pin_def *defs, size_t def_count, cloth_pins *out);
void cloth_pins_release(cloth_pins *pins);

/* Fills `targets` for the end of a substep; leaders have been predicted. */
void cloth_pins_place(cloth_pins *pins, double time);

#endif
