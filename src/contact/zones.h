/* Rigid impact zones: what impulses could not part moves as one piece.
 *
 * Vertices of pairs that collide join a zone; zones merge until nothing collides (Provot 1997; Bridson, Fedkiw and Anderson 2002,
 * section 7.5). The way of a zone is an affine image of where it was,
 *
 *     free       u = t + w x (x - c), with the momentum and the angular momentum of the ways it replaces. At the part s of the
 *                way the zone is (I + s [w]) x + …, and det (I + s [w]) = 1 + s² |w|² > 0; no distance gets smaller
 *     carried    x -> R x + b, when everything kinematic that it touches moves so. At the part s, |(1 - s) x + s R x| is at
 *                least cos (angle / 2) |x|
 *     parted     what it touches deforms, or moves in different ways: each vertex goes with what is nearest to it in the graph of
 *                collisions
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

/* A collision that joined a zone. */
typedef struct zone_contact {
    contact_pair pair;
    double weights[4]; /* of the gap at the time of impact */
} zone_contact;

typedef struct zones {
    ruga_context *context;
    size_t vertex_count;
    uint32_t *zone_of;     /* (vertices) the zone's lowest vertex at first; UINT32_MAX: none */
    uint32_t *next, *last; /* (vertices) members of a zone as a list; of zones: its end */
    uint32_t *size;        /* (vertices) of zones: members */
    unsigned char *kind;   /* (vertices) of zones: zone_kind */
    unsigned char *state;  /* (vertices) of zones: whether the way has to be found anew */
    ruga_vec3 *base;       /* (vertices) m, the ends that the zones replace */
    ruga_vec3 *carried;    /* (vertices) m, of parted zones: the displacements that their vertices take over */
    uint32_t *shares;      /* (vertices) and from how many */
    vertex_array members;  /* of all zones */
    ARRAY(zone_contact) contacts;
    key_array order;       /* contacts by zone */
    key_array known;       /* pairs of the contacts, rising */
    int idle;              /* rounds in which no zone grew */
    vertex_array anchors;  /* kinematic vertices that a zone touches */
    collision_array stuck; /* pairs that collide in spite of all */
} zones;

ruga_status zones_init(zones *z, ruga_context *context, size_t vertex_count);
void zones_release(zones *z);

/* Makes zones of the collisions of the last check, and goes on until nothing collides but what is stuck. */
ruga_status zones_resolve(zones *z, ways *w);

#endif
