/* Pins: points of a cloth that are held. */
#ifndef BODY_CLOTH_PINS_H
#define BODY_CLOTH_PINS_H

#include "body/body.h"
#include "ruga/scene.h"

/* Some vertices that are held together: where they are at rest, along a path, or on the visible mesh of another body,
 * which carries them as it moves and turns. The other body has to be stepped before the cloth. */
typedef struct cloth_pin_def {
    size_t count;
    const uint32_t *vertices; /* (count) copied */
    size_t key_count;         /* 0: no path */
    const ruga_pin_key *keys; /* (key_count) copied */
    const body *leader;       /* NULL: none; the owner's */
} cloth_pin_def;

typedef struct cloth_pin_group {
    size_t begin, end; /* of the pins */
    size_t key_count;
    ruga_pin_key *keys;
    const body *leader;
    const ruga_mesh *leader_mesh; /* that the pins are tied to, and its revision: another one ties them again */
    uint64_t leader_revision;
    ruga_map *map;      /* pins = W leader's vertices, and an offset in the frame of a triangle */
    uint32_t *frames;   /* (pins x 3) the triangle's corners */
    ruga_vec3 *offsets; /* (pins) m, along the frame's axes */
    ruga_vec3 *visible; /* (leader's vertices) m; NULL: they are its points */
} cloth_pin_group;

typedef struct cloth_pins {
    ruga_context *context;
    size_t count;
    uint32_t *vertices;    /* (count) of the mesh, each once */
    uint32_t *points;      /* (count) that are simulated: the vertices, unless they were carried */
    ruga_vec3 *rest;       /* (count) m, where they are at rest */
    ruga_vec3 *targets;    /* (count) m, their places at the end of the current substep */
    ruga_vec3 *velocities; /* (count) m/s, to get there */
    size_t group_count;
    cloth_pin_group *groups;
} cloth_pins;

/* RUGA_ERROR_INPUT names a vertex that the mesh does not have or that is pinned twice, and keys out of order. */
ruga_status cloth_pins_make(const ruga_mesh *mesh, const cloth_pin_def *defs, size_t def_count, cloth_pins *out);
/* The same where the cloth begins elsewhere than at rest: vertices = W start. Either may be NULL. */
ruga_status cloth_pins_make_from(const ruga_mesh *mesh, const ruga_map *visible, const ruga_vec3 *start,
                                 const cloth_pin_def *defs, size_t def_count, cloth_pins *out);
void cloth_pins_release(cloth_pins *pins);

/* Carries pins from the vertices of the mesh to simulated points: vertices = W points. RUGA_ERROR_INPUT names a pinned
 * vertex that is not one point alone. */
ruga_status cloth_pins_carry(cloth_pins *pins, const ruga_map *vertices_from_points);

/* Fills `targets` for the end of a substep; leaders have been predicted. Pins on a leader that became another mesh are
 * tied to the places at rest on that mesh first, so that they depend on the current mesh alone. */
ruga_status cloth_pins_place(cloth_pins *pins, double time);

/* The same vertices, which have the same numbers, of another mesh. */
ruga_status cloth_pins_on_mesh(const cloth_pins *pins, const ruga_mesh *mesh, cloth_pins *out);

#endif
