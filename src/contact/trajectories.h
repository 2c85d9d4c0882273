/* The straight trajectories of all vertices in a substep, and the pairs that collide along them.
 *
 * The candidates are found once, with a margin. They are checked again without another search as long as no end of a
 * trajectory moves farther than the margin allows; vertices that move farther get a search of their own. If the pairs
 * that are near were found along trajectories, too, they are the first candidates.
 */
#ifndef CONTACT_TRAJECTORIES_H
#define CONTACT_TRAJECTORIES_H

#include "contact/broad.h"
#include "contact/collider.h"

/* A third kind of pair, a vertex and a plane: `elements` are these, all four `vertices` are the vertex. */
enum { PAIR_PLANE = 2 };

typedef struct collision {
    contact_pair pair;
    double time; /* 1, fraction of the trajectory; 1 for planes */
} collision;
typedef ARRAY(collision) collision_array;
typedef ARRAY(uint64_t) key_array;
typedef ARRAY(uint32_t) vertex_array;

typedef struct trajectories {
    ruga_context *context;
    contact_mesh *mesh; /* from -> to; call trajectories_change after changing `to` */
    broad *broad;
    double separation; /* 1, smallest distance that is allowed, as a fraction of the thickness */
    double most;       /* m, the greatest thickness */
    size_t plane_count;
    const collider *planes;
    key_array ignored;          /* pair_key of the pairs that are not checked, rising */
    contact_pairs near;         /* all pairs within the greatest thickness at the start, and some more */
    contact_pairs candidates;   /* all pairs that come within the separation, and some more */
    collision_array collisions; /* of the last check; the order does not depend on threads */
    uint64_t work;              /* pairs that were checked or pushed, in all; the same for any number of threads */

    /* Private. */
    ruga_vec3 *found_to;      /* (vertices) m, the ends that the candidates were found with */
    double found_margin;      /* m, likewise */
    int near_fits;            /* `near` was found along trajectories of the current substep, */
    int from_near;            /* and holds the candidates */
    unsigned char *marks;     /* (vertices) */
    vertex_array penetrating; /* vertices that may pass some surfaces */
    key_array passing;        /* vertex << 32 | pass_class of these surfaces, rising */
    vertex_array changed;     /* since the last check */
    int all_changed;
    vertex_array far;     /* rising: vertices that moved farther than the candidates' margin */
    contact_pairs of_far; /* their pairs */
    ARRAY(double) times;  /* per pair: time of its collision, or -1 */
} trajectories;

/* Mesh, broad phase and planes (colliders of that kind) belong to the caller and must outlive the object. */
ruga_status trajectories_init(trajectories *t, contact_mesh *mesh, broad *b, double separation, const collider *planes,
                              size_t plane_count);
void trajectories_release(trajectories *t);

/* A number that identifies a pair. */
static inline uint64_t pair_key(const contact_pair *p) {
    uint64_t a = p->elements[0], b = p->elements[1];
    if (p->kind == PAIR_EDGE_EDGE && a > b) a = p->elements[1], b = p->elements[0];
    return (uint64_t)p->kind << 62 | a << 31 | b;
}

/* Finds the pairs that are near at the start, or that become so along their trajectories; thicknesses are the
 * greatest here. */
ruga_status trajectories_find_near(trajectories *t, pair_reach reach);
/* Finds the candidates of the current trajectories; all vertices count as changed. The first time after
 * trajectories_find_near, the mesh may differ from its mesh in `to` alone. */
ruga_status trajectories_find(trajectories *t);
/* Marks a vertex whose trajectory has a new end. */
void trajectories_change(trajectories *t, uint32_t vertex);

/* Finds the collisions of all pairs with a changed vertex, except ignored pairs and those for which `skip` (may be
 * NULL; called from several threads) returns 1. */
typedef int trajectories_skip(const void *argument, const contact_pair *p);
ruga_status trajectories_check(trajectories *t, trajectories_skip *skip, const void *argument);
/* The next check includes the collisions of the last one even if their vertices have not changed since. */
void trajectories_recheck(trajectories *t);
/* Whether one pair collides, and when. */
int trajectories_collide(const trajectories *t, const contact_pair *p, double *time);

/* Ignores the pairs of these collisions from now on. */
ruga_status trajectories_ignore(trajectories *t, const collision_array *collisions);

/* The surfaces that a penetrating vertex may pass: one that moves, or all kinematic ones. */
#define PASS_KINEMATIC UINT32_MAX
static inline uint32_t pass_class(const contact_mesh *m, uint32_t vertex) {
    return m->parts[m->part_of[vertex]].moving ? m->part_of[vertex] : PASS_KINEMATIC;
}
/* Lets a vertex pass the surfaces of a class, until trajectories_clear_penetrating. After the last
 * one call trajectories_sort_penetrating. */
ruga_status trajectories_mark_penetrating(trajectories *t, uint32_t vertex, uint32_t class);
void trajectories_sort_penetrating(trajectories *t);
void trajectories_clear_penetrating(trajectories *t);
/* Whether a pair has a vertex that may pass the other element. */
int trajectories_may_pass(const trajectories *t, const contact_pair *p);

/* m: the least height above a plane that a vertex may end at. This is the separation; half the height at the start
 * where that is smaller, as for pairs; and the height at the start for a vertex that is not above the plane. */
double trajectories_plane_floor(const trajectories *t, uint32_t vertex, const collider *plane);
static inline double plane_height(const collider *plane, ruga_vec3 x) {
    return (x.x - plane->point.x) * plane->axes[1].x + (x.y - plane->point.y) * plane->axes[1].y +
           (x.z - plane->point.z) * plane->axes[1].z;
}

#endif
