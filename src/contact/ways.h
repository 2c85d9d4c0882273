/* The ways of all vertices in a substep, and which pairs collide on them.
 *
 * Candidates are found once, with a margin to spare: as long as the ends of ways move no farther than that, they are asked again
 * without another search. Pairs of what moved farther are searched for.
 */
#ifndef CONTACT_WAYS_H
#define CONTACT_WAYS_H

#include "contact/broad.h"
#include "contact/collider.h"

/* A vertex and a plane: the elements; all four vertices are the one. */
enum { PAIR_PLANE = 2 };

typedef struct collision {
    contact_pair pair;
    double time; /* 1, part of the way; of planes: the end */
} collision;
typedef ARRAY(collision) collision_array;
typedef ARRAY(uint64_t) key_array;
typedef ARRAY(uint32_t) vertex_array;

typedef struct ways {
    ruga_context *context;
    contact_mesh *mesh; /* from -> to; who changes `to` says so by ways_change */
    broad *broad;
    double separation; /* 1, part of the thickness that nothing comes nearer than */
    double most;       /* m, the greatest thickness */
    size_t plane_count;
    const collider *planes;
    key_array let;              /* pairs that do not count: their pair_key, rising */
    contact_pairs near;         /* all within the greatest thickness at the start, and more */
    contact_pairs candidates;   /* all that come within the separation on their ways, and more */
    collision_array collisions; /* of the last check, in an order that does not depend on threads */

    /* Inside. */
    ruga_vec3 *found_to;  /* (vertices) m, the ends that the candidates were found with */
    unsigned char *marks; /* (vertices) */
    vertex_array astray;  /* vertices that pass kinematic surfaces freely */
    vertex_array changed; /* since the last check */
    int all_changed;
    vertex_array far;     /* rising: beyond what the candidates cover */
    contact_pairs of_far; /* their pairs */
    ARRAY(double) times;  /* of each pair asked: when it collides, or -1 */
} ways;

/* The mesh and the trees are the caller's and outlive it; planes are colliders of that kind, the caller's too. */
ruga_status ways_init(ways *w, contact_mesh *mesh, broad *b, double separation, const collider *planes,
                      size_t plane_count);
void ways_release(ways *w);

/* What tells pairs apart, in one number. */
static inline uint64_t pair_key(const contact_pair *p) {
    uint64_t a = p->elements[0], b = p->elements[1];
    if (p->kind == PAIR_EDGE_EDGE && a > b) a = p->elements[1], b = p->elements[0];
    return (uint64_t)p->kind << 62 | a << 31 | b;
}
/* Whether a key is among those, which rise. */
int keys_have(const uint64_t *keys, size_t count, uint64_t key);
enum { WAYS_MOST_ELEMENTS = 0x7fffffff }; /* of a kind, in a mesh, so that keys are unique */

/* Finds what is near at the start. */
ruga_status ways_find_near(ways *w);
/* Finds the candidates of the present ways, all of which count as changed. */
ruga_status ways_find(ways *w);
/* The way of a vertex has another end. */
void ways_change(ways *w, uint32_t vertex);

/* The collisions of all pairs with a changed vertex, but for those to let be and those to skip. */
typedef int ways_skip(const void *argument, const contact_pair *p); /* from several threads at once */
ruga_status ways_check(ways *w, ways_skip *skip, const void *argument);
/* Collisions of the last check whose vertices did not change since are asked again by the next one. */
void ways_ask_again(ways *w);
/* Whether one pair collides, and when. */
int ways_collide(const ways *w, const contact_pair *p, double *time);

/* Pairs of collisions do not count from now on. */
ruga_status ways_let(ways *w, const collision_array *collisions);

/* A vertex passes all surfaces freely that no force moves, until they are cleared. */
void ways_mark_astray(ways *w, uint32_t vertex);
void ways_clear_astray(ways *w);
/* Whether a pair is of such a vertex and such a surface. */
int ways_pass(const ways *w, const contact_pair *p);

/* m: how far from a plane a vertex has to be at the end; it may stay where it was if that is less, and half as far if that
 * is nearer than twice the separation: as pairs. */
double ways_plane_floor(const ways *w, uint32_t vertex, const collider *plane);
static inline double plane_height(const collider *plane, ruga_vec3 x) {
    return (x.x - plane->point.x) * plane->axes[1].x + (x.y - plane->point.y) * plane->axes[1].y +
           (x.z - plane->point.z) * plane->axes[1].z;
}

#endif
