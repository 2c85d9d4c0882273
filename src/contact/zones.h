/* Rigid impact zones: vertices that impulses could not keep apart move as one piece.
 *
 * Vertices of colliding pairs join a zone; zones merge until nothing collides (Provot 1997; Bridson, Fedkiw and
 * Anderson 2002, section 7.5). The displacement of a zone is an affine function of its start,
 *
 *     free       u = t + w x (x - c), with the momentum and the angular momentum of the displacements it replaces. At
 *                the fraction s the zone is (I + s [w]) x + …, and det (I + s [w]) = 1 + s² |w|² > 0; no distance
 *                gets smaller
 *     carried    x -> R x + b, if everything kinematic that it touches moves so. At the fraction s,
 *                |(1 - s) x + s R x| is at least cos (angle / 2) |x|
 *     parted     the surfaces that it touches deform, or move differently: each vertex follows mostly the nearest one,
 *                by a smooth field u(x). That is injective where |u(x) - u(y)| < |x - y|, so for short enough
 *                displacements
 *
 * Pairs within a free or a carried zone can't collide and are not checked, except where a carried zone touches
 * kinematic surfaces. In a parted zone every pair is checked. Pairs that still collide have no solution within this
 * piece of the substep and are stuck.
 *
 * Kinematic vertices do not join zones: two zones on one collider stay separate.
 */
#ifndef CONTACT_ZONES_H
#define CONTACT_ZONES_H

#include "contact/trajectories.h"

typedef enum zone_kind { ZONE_FREE, ZONE_CARRIED, ZONE_PARTED } zone_kind;

/* A point of a kinematic surface or a plane that a zone touches. */
typedef struct zone_place {
    ruga_vec3 point, displacement; /* m */
} zone_place;

typedef struct zones {
    ruga_context *context;
    size_t vertex_count;
    uint32_t *zone_of;      /* (vertices) the zone's lowest vertex at first; UINT32_MAX: none */
    uint32_t *next, *last;  /* (vertices) members of a zone as a list; of zones: its end */
    uint32_t *size;         /* (vertices) of zones: members */
    unsigned char *kind;    /* (vertices) of zones: zone_kind */
    unsigned char *state;   /* (vertices) of zones: whether its displacement has to be found again */
    ruga_vec3 *base;        /* (vertices) m, the ends that the zones replace */
    vertex_array members;   /* of all zones */
    contact_pairs contacts; /* collisions that joined zones */
    key_array order;        /* contacts by zone */
    key_array known;        /* pairs of the contacts, rising */
    int idle;               /* rounds in which no zone grew */
    double spread;          /* m, greatest difference of displacements among the surfaces that a parted zone touches */
    ARRAY(zone_place) places;
    vertex_array anchors;  /* kinematic vertices that a zone touches */
    collision_array stuck; /* pairs that still collide */
} zones;

ruga_status zones_init(zones *z, ruga_context *context, size_t vertex_count);
void zones_release(zones *z);

/* Makes zones of the collisions of the last check, until nothing collides except stuck pairs. If the surfaces that a
 * parted zone touches move more differently than `widest` (m), it gives up and all collisions are stuck. */
ruga_status zones_resolve(zones *z, trajectories *t, double widest);

#endif
