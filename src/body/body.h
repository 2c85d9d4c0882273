/* A body: points that move, and their mesh.
 *
 *     predict   accepted positions, velocities ──▶ candidate ones (forces, integrator, the parts' forces)
 *     surface   for contact, filled with candidates
 *     accept    candidate ones and the surface's impulses ──▶ accepted positions and velocities
 *
 * A body has a mesh that is simulated, whose vertices are its points, and a mesh that is seen: usually the same one.
 * Prepared data is const; a step changes only the arrays below and the state that `save` saves.
 */
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "base/memory.h"
#include "body/part.h"
#include "solve/coupled.h"

/* An unknown of a binding that keeps its value until a time. */
typedef struct body_lock {
    uint32_t unknown;
    double until; /* s: free in substeps that begin then or later */
} body_lock;

static inline int body_is_locked(double until, const substep *s) { return s->time - s->dt < until - 1e-6 * s->dt; }

/* The simulated mesh, where it is not the visible one. All zero: the visible mesh is simulated. All pointers are the
 * owner's and must outlive the body, or its next rebuild. */
typedef struct body_simulated {
    const ruga_mesh *mesh;   /* its vertices are the points; NULL: the visible mesh */
    const ruga_map *visible; /* visible vertices = W points; NULL: vertex i is point i, further points are copies */
    const double
        *shares; /* (triangles, of flesh: tets) 1, of the material, for mass, stiffness and air; NULL: 1 each */
    const ruga_map *bound;         /* T: points from unknowns; NULL: not bound */
    const uint32_t *vertex_of;     /* (points) the visible vertex that it is, or a copy of; NULL: not known */
    const unsigned char *collides; /* (points) 0: it never collides; NULL: all do */
    const ruga_vec3 *start;        /* (points) m, where it begins; NULL: at rest */
    size_t lock_count;
    const body_lock *locks; /* (lock_count) */
} body_simulated;

/* Another mesh for a body that runs: what is seen, and what is simulated. */
typedef struct body_change {
    const ruga_mesh *mesh; /* seen from now on; must outlive the body, or its next rebuild */
    body_simulated simulated;
    const ruga_map *points_from_old;   /* new points = W old points */
    const ruga_map *vertices_from_old; /* new vertices = W old vertices, of the visible mesh; NULL: not known */
} body_change;

typedef struct body_interface {
    ruga_status (*predict)(body *b, const substep *s);
    /* Optional: predict in two parts, so that bodies that touch are solved together in between. `begin` leaves
     * out->solver NULL when the body can't in this substep; then predict is called. Candidates are valid after
     * `finish`. */
    ruga_status (*begin)(body *b, const substep *s, coupled_member *out);
    ruga_status (*finish)(body *b, const substep *s);
    /* The collision surface, with `candidate`, `velocities` and `accepted` as predict and the parts left them and its
     * impulses zero; NULL (or no function) when nothing collides with it. Called between before_contact and accept, of
     * bodies with masses even when there is no contact; and before that, for a common solve of bodies that touch, with
     * candidates that are not final. */
    contact_surface *(*surface)(body *b);
    integrator_kind (*integrator)(const body *b); /* of its inner forces; NULL: it has none */
    /* surface: the one that contact resolved, the body's own or that of a part; NULL: none. */
    ruga_status (*accept)(body *b, const substep *s, const contact_surface *surface);
    /* Moves the body to its place at this time, at rest, if it follows a motion. Its parts correct its candidates
     * before contact, as in a step. No function: it stays where it is. */
    ruga_status (*settle)(body *b, const substep *s);
    /* The vertices of `mesh` from points, accepted or candidate ones; no function: vertex i is point i. */
    void (*visible)(const body *b, const ruga_vec3 *points, ruga_vec3 *vertices);
    /* Another mesh from now on; the world raises the revision. Nothing changes on failure. No function: it can't. */
    ruga_status (*rebuild)(body *b, const body_change *change);
    /* (point_count) changes of the velocities, m/s, at the end of the predicted substep, which further impulses, N s,
     * during it cause through the body's implicit step. No function: it can't. */
    ruga_status (*respond)(body *b, const substep *s, const ruga_vec3 *impulses, ruga_vec3 *changes);
    /* Prepares for a part that is about to join `parts`, or refuses it with the reason; may be NULL. */
    ruga_status (*take_part)(body *b, const part *p);
    int takes_energies; /* parts may give their forces as an energy alone (part.h) */
    /* Factors of the values by its material and its def, from now on. No function: it has no stiffness, or no mass. */
    ruga_status (*set_stiffness)(body *b, double factor);
    ruga_status (*set_mass)(body *b, double factor);
    void (*save)(const body *b, state_writer *writer); /* beyond positions and velocities; may be NULL */
    ruga_status (*load)(body *b, state_reader *reader);
    void (*destroy)(body *b); /* releases all, the body too; not the mesh, not the parts */
} body_interface;

/* The properties of a body for contact, which its surface takes over. */
typedef struct body_touch {
    int collides;     /* 0: contact ignores it */
    int self;         /* it collides with itself too; ignored for bodies that nothing moves */
    double thickness; /* m */
    double friction;  /* 1 */
} body_touch;

/* Implementations put it first in a struct of their own. */
struct body {
    const body_interface *interface;
    ruga_context *context;
    const char *kind;           /* "animated"; static text */
    const char *name;           /* of its object, for messages; the world sets it; NULL: none yet */
    const ruga_mesh *mesh;      /* seen; at rest; the owner's */
    const ruga_mesh *simulated; /* its vertices are the points; at rest; `mesh` itself when both are the same */
    body_simulated given;       /* what its owner gave for the simulated mesh, as it was given */
    double young, poisson;      /* Pa and 1, of a solid's material; 0: it is none */
    double stiffness_factor;    /* 1, of the stiffness that it was made with, for energies of parts */
    int refuses_stiff_forces;   /* of parts: they are constant in a substep */
    const ruga_map *embedding;  /* of a body whose points are no mesh: vertices of `mesh` = W points; NULL: others */
    uint64_t revision;          /* of the topology */
    size_t point_count;
    ruga_vec3 *positions;            /* (point_count) m, accepted */
    ruga_vec3 *velocities;           /* (point_count) m/s, accepted */
    ruga_vec3 *candidate_positions;  /* (point_count) m */
    ruga_vec3 *candidate_velocities; /* (point_count) m/s */
    const double *masses;            /* (point_count) kg; NULL: kinematic, no force moves it */
    /* (point_count) 1/kg, 0 where a pin holds the point; NULL: 1 / masses. mass_revision rises with every change of
     * one of them, so that parts know when to factor again. */
    const double *inverse_masses;
    uint64_t mass_revision;
    /* (simulated triangles) 1, the share of each that is material: scales its mass, stiffness and air; NULL: all 1 */
    const double *shares;
    const unsigned char
        *collides; /* (point_count) 0: the point never collides; NULL: all do. Set before the first step */
    ARRAY(block_squares) squares; /* of parts' forces, in the solve */
    ARRAY(uint32_t) links; /* two points each, which a seam joins: contact lets them come nearer (contact/surface.h) */
    ARRAY(uint32_t) rings; /* of point i the next of those that seams make one with it; i if there is none */
    size_t part_count;
    part **parts; /* in their order; the owner's */
    measure_list measures;
    body_touch touch; /* the owner may change it before the first step */
    /* The surface whose impulses the body accepted last, until the next substep; NULL: none. Set by the world. */
    const contact_surface *accepted;
    int is_asked; /* parts of other bodies call `respond` in the middle of a substep */
};

/* For implementations: allocates the arrays of points and fills them with the simulated mesh (NULL: `mesh`) at rest;
 * and releases them. Meshes are kept, not copied. It collides, with itself too, without thickness and friction of its
 * own. */
ruga_status body_init(body *b, const body_interface *interface, const char *kind, const ruga_mesh *mesh,
                      const ruga_mesh *simulated);
void body_release(body *b);

/* For rebuild: other arrays of points, W times the old ones, and the mesh, which is simulated too. Shares and the mask
 * were of the old triangles and points: both become NULL. Nothing changes on failure. */
ruga_status body_rebuild_points(body *b, const ruga_mesh *mesh, const ruga_map *from_old);

/* Contact lets the elements at two points come as near as BODY_LINK_THICKNESS times the thickness: a seam joins them.
 * Points that become `one` (a seam joins them exactly) have all of their links in common, in whatever order they are
 * added: also with the points that these are one with, as where three pieces meet. Before the first step. */
#define BODY_LINK_THICKNESS 0.02
ruga_status body_add_link(body *b, uint32_t point, uint32_t other, int one);

/* Whether anything was given for the simulated mesh; RUGA_ERROR_UNSUPPORTED if so, for bodies that can't have it. */
int body_is_given(const body_simulated *simulated);
ruga_status body_refuse_given(const body *b, const body_simulated *simulated);

/* The inverse mass of a point, 1/kg: 0 where a pin holds it, and of points without mass. */
double body_inverse_mass(const body *b, size_t point);

/* Whether contact moves it: not bodies that follow a motion, nor those in equilibrium, which have no inertia. */
static inline int body_yields(const body *b) { return b->masses && !b->refuses_stiff_forces; }

/* How messages call it: its object's name, or else its kind. */
static inline const char *body_name(const body *b) { return b->name ? b->name : b->kind; }

/* W, the map from points to the vertices of the mesh; NULL: vertex i is point i. */
static inline const ruga_map *body_vertex_map(const body *b) { return b->embedding ? b->embedding : b->given.visible; }
/* The vertices of the mesh from points; a copy when they are the points. */
void body_make_visible(const body *b, const ruga_vec3 *points, ruga_vec3 *vertices);

/* accept for bodies whose points have masses: takes the candidates, and hands the surface's impulses back to the
 * points: v += M⁻¹ Wᵀ I, x += dt M⁻¹ Wᵀ I. M⁻¹ is 0 at pins: they absorb the impulses on their points. For a
 * surface whose vertices are the points, x is its candidate, bit for bit. surface may be NULL. */
ruga_status body_accept_impulses(body *b, const contact_surface *surface, double dt);

/* Whether a part of the body has forces; their sum, added to (point_count) forces; and, where parts have it, of the
 * product of their derivatives with a direction. */
int body_has_forces(const body *b);
ruga_status body_part_forces(body *b, const substep *s, const ruga_vec3 *positions, const ruga_vec3 *velocities,
                             ruga_vec3 *forces);
int body_has_force_products(const body *b);
ruga_status body_part_force_product(body *b, const substep *s, const ruga_vec3 *positions, const ruga_vec3 *direction,
                                    ruga_vec3 *product);
/* Squares of all parts that have them, valid until the next call; none: a count of 0. */
ruga_status body_part_force_squares(body *b, const substep *s, const ruga_vec3 *positions, block_squares *out);
/* Whether these are all of the derivative that the products have. */
int body_squares_are_whole(const body *b);
/* The same of the 3 x 3 blocks on the diagonal of their derivatives. */
ruga_status body_part_force_blocks(body *b, const substep *s, const ruga_vec3 *positions, mat3 *blocks);

#endif
