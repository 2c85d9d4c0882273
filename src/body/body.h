/* A body: what moves.
 *
 *     predict   accepted positions, velocities ──▶ candidate ones (forces, integrator, the hooks' forces)
 *     surface   what contact sees, filled with candidates
 *     accept    candidate ones and the surface's impulses ──▶ accepted positions and velocities
 *
 * A body has points, which are simulated, and a mesh, whose vertices are seen: usually the same. What is prepared is
 * const; a step changes only the arrays below and what `save` saves.
 */
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "body/hook.h"
#include "contact/surface.h"

typedef struct body body;

typedef struct body_interface {
    ruga_status (*predict)(body *b, const substep *s);
    /* The collision surface, with `candidate`, `velocities` and `accepted` as predict and the hooks left them and its impulses
     * zero; NULL (or no function) when nothing collides with it. Called once a substep between the hooks and accept, of
     * bodies with masses even when there is no contact. */
    contact_surface *(*surface)(body *b);
    ruga_status (*accept)(body *b, const substep *s);
    /* Goes to where it is at this time by itself, and stands still there: what follows a motion. Its hooks set its
     * candidate positions right, as in a step. No function: it stays where it is. */
    ruga_status (*settle)(body *b, const substep *s);
    /* The mesh's vertices from the accepted points; no function: vertex i is point i. */
    void (*visible)(const body *b, ruga_vec3 *positions);
    /* Another mesh from now on; its points are W times the old ones (rows: new points). The world raises the revision.
     * No function: it can't. */
    ruga_status (*rebuild)(body *b, const ruga_mesh *mesh, const ruga_map *from_old);
    void (*save)(const body *b, state_writer *writer); /* beyond positions and velocities; may be NULL */
    ruga_status (*load)(body *b, state_reader *reader);
    void (*destroy)(body *b); /* releases all, the body too; not the mesh, not the hooks */
} body_interface;

/* How contact sees a body: what its surface is filled with. */
typedef struct body_touch {
    int collides;     /* 0: it is not seen */
    int self;         /* it collides with itself too; not asked of bodies that nothing moves */
    double thickness; /* m */
    double friction;  /* 1 */
} body_touch;

/* Implementations put it first in a struct of their own. */
struct body {
    const body_interface *interface;
    ruga_context *context;
    const char *kind;      /* "animated"; static text */
    const ruga_mesh *mesh; /* at rest; the owner's */
    uint64_t revision;     /* of the topology */
    size_t point_count;
    ruga_vec3 *positions;            /* (point_count) m, accepted */
    ruga_vec3 *velocities;           /* (point_count) m/s, accepted */
    ruga_vec3 *candidate_positions;  /* (point_count) m */
    ruga_vec3 *candidate_velocities; /* (point_count) m/s */
    const double *masses;            /* (point_count) kg; NULL: kinematic, moved by nothing but itself */
    size_t hook_count;
    hook **hooks; /* in their order; the owner's */
    measure_list measures;
    body_touch touch; /* the owner may change it before the first step */
};

/* For implementations: allocates the arrays of points and fills them with positions (NULL: the mesh's) at rest; and
 * releases them. `mesh` is kept, not copied. It collides, with itself too, without thickness and friction of its own. */
ruga_status body_init(body *b, const body_interface *interface, ruga_context *context, const char *kind,
                      const ruga_mesh *mesh, size_t point_count, const ruga_vec3 *positions);
void body_release(body *b);

/* For rebuild: other arrays of points, W times the old ones, and the mesh. Nothing changes on failure. */
ruga_status body_rebuild_points(body *b, const ruga_mesh *mesh, const ruga_map *from_old);

/* accept for bodies whose points have masses: takes the candidates, and hands the surface's impulses back to the points:
 * v += M⁻¹ Wᵀ I, x += dt M⁻¹ Wᵀ I (for a surface whose vertices are the points, x is its candidate to the bit). surface may be NULL. */
ruga_status body_accept_impulses(body *b, const contact_surface *surface, double dt);

/* The sum of all hooks' forces, added to (point_count) forces. */
ruga_status body_hook_forces(body *b, const substep *s, const ruga_vec3 *positions, const ruga_vec3 *velocities,
                             ruga_vec3 *forces);

#endif
