/* Rigid impact zones: what impulses could not part moves as one piece.
 *
 * Vertices of pairs that collide join a zone; zones merge until nothing collides (Provot 1997; Bridson, Fedkiw and Anderson 2002,
 * section 7.5). The way of a zone is an affine image of where it was,
 *
 *     free       u = t + w x (x - c), with the momentum and the angular momentum of the ways it replaces. At the part s of the
 *                way the zone is (I + s [w]) x + …, and det (I + s [w]) = 1 + s² |w|² > 0; no distance gets smaller
 *     carried    x -> R x + b, when everything kinematic that it touches moves so. At the part s, |(1 - s) x + s R x| is at
 *                least cos (angle / 2) |x|
 *     parted     what it touches deforms, or moves in different ways: the vertices follow it, each what is near it most, by a
 *                smooth field u(x). That is injective where |u(x) - u(y)| < |x - y|, so for ways that are short enough
 *
 * so what did not intersect within a free or a carried zone does not on its way, and is not asked; where a carried zone touches
 * kinematic things, it is. In a parted zone everything is asked, and may collide still: then there is no way out within this
 * piece of the substep, and the pairs are told as stuck.
 *
 * Kinematic vertices do not join zones; two zones on one collider stay two.
 */
#ifndef CONTACT_ZONES_H
#define CONTACT_ZONES_H

#include "contact/ways.h"

typedef enum zone_kind { ZONE_FREE, ZONE_CARRIED, ZONE_PARTED } zone_kind;

/* Something that no force moves, where a zone touches it. */
typedef struct zone_place {
    ruga_vec3 point, way; /* m */
} zone_place;

typedef struct zones {
    ruga_context *context;
    size_t vertex_count;
    uint32_t *zone_of;      /* (vertices) the zone's lowest vertex at first; UINT32_MAX: none */
    uint32_t *next, *last;  /* (vertices) members of a zone as a list; of zones: its end */
    uint32_t *size;         /* (vertices) of zones: members */
    unsigned char *kind;    /* (vertices) of zones: zone_kind */
    unsigned char *state;   /* (vertices) of zones: whether the way has to be found anew */
    ruga_vec3 *base;        /* (vertices) m, the ends that the zones replace */
    vertex_array members;   /* of all zones */
    contact_pairs contacts; /* collisions that joined zones */
    key_array order;        /* contacts by zone */
    key_array known;        /* pairs of the contacts, rising */
    int idle;               /* rounds in which no zone grew */
    double spread;          /* m, how differently what a parted zone touches moves, of the worst */
    ARRAY(zone_place) places;
    vertex_array anchors;  /* kinematic vertices that a zone touches */
    collision_array stuck; /* pairs that collide in spite of all */
} zones;

ruga_status zones_init(zones *z, ruga_context *context, size_t vertex_count);
void zones_release(zones *z);

/* Makes zones of the collisions of the last check, and goes on until nothing collides but what is stuck. What a parted zone
 * touches may move more differently than `widest` (m): then it is no use to go on, and all that collides is stuck. */
ruga_status zones_resolve(zones *z, ways *w, double widest);

#endif
