/* A part: anything that is attached to a body. It may act inside the body (forces, candidates, velocities), collide in
 * its place, show a mesh on top of it, or all of these.
 *
 *     for each substep:   force ──▶ before_contact ──▶ surface ──▶ after_contact ──▶ after_velocities (──▶ update)
 *     for each frame:     update
 *
 * The parts of an object form one list; the step calls them in its order. Parts with `update` form a chain: each
 * takes the frame of the one below it. A part without `update` shows nothing of its own and passes the frame below
 * through.
 */
#ifndef BODY_PART_H
#define BODY_PART_H

#include "base/measure.h"
#include "base/state.h"
#include "body/substep.h"
#include "contact/surface.h"
#include "energy/energy.h"
#include "linalg/block_congruence.h"
#include "math/mat3.h"
#include "ruga/map.h"
#include "ruga/motion.h"

typedef struct part part;
typedef struct body body;

/* A change of the mesh below a part, because the body was cut or refined. `input` is the new one, that of the frame
 * below. The input that the part was made with lives as long as the part; others may be gone. */
typedef struct part_change {
    const ruga_mesh *input;
    const ruga_map *points_from_old;  /* new points of the body = W old points */
    const ruga_map *input_from_old;   /* new input = W old input; NULL, of parts without `update`: not known */
    const ruga_map *input_from_first; /* new input = W the input that the part was made with; NULL: it is that one */
} part_change;

/* When update is called. A part of each substep lies below all parts of each frame. */
typedef enum part_rate { PART_EACH_FRAME, PART_EACH_SUBSTEP } part_rate;

/* Every function but destroy may be NULL. */
typedef struct part_interface {
    /* Adds to (points) forces, N, at given positions and velocities. */
    ruga_status (*force)(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *velocities,
                         vec3 *forces);
    /* product += (df/dx) direction, N, at the same positions as the last force_blocks, if the part has them. A part
     * with this function has stiff forces: only the integrator `implicit` takes them implicitly; cloth without a
     * chosen integrator then uses it, and refuses the part where one was chosen that would be unstable. Its conjugate
     * gradients need a symmetric df/dx whose negative is positive semidefinite: dᵀ (df/dx) d <= 0 for every direction
     * d. Project it where it is not (energy/energy.h), as springs in compression do; the force itself stays exact. The
     * cloth reports a solve that this made fail. */
    ruga_status (*force_product)(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *direction,
                                 vec3 *product);
    /* blocks += the diagonal 3 x 3 blocks of the same df/dx, N/m; (points) blocks. For the preconditioner. Called
     * before the products and squares of a step: a part may keep what they share. */
    ruga_status (*force_blocks)(part *p, const body *b, const substep *s, const vec3 *positions, mat3 *blocks);
    /* The same df/dx, or a part of it, as the negative of a sum of squares, N/m, for the preconditioner of bodies that
     * are bound to a subspace. The arrays are the part's; the points are the same at every call. */
    ruga_status (*force_squares)(part *p, const body *b, const substep *s, const vec3 *positions, block_squares *out);
    int squares_are_whole; /* the squares are all of df/dx: bodies that are not bound take them, too */
    /* Its stiff forces as an energy over the body's points, instead of `force` and its derivatives, for bodies that
     * solve by energies: flesh, in steps and in equilibria. Other bodies refuse a part that has no `force`. The energy
     * is the part's, and always the same. s brings it up to the time of a substep; NULL: the part joins the body. */
    ruga_status (*energy)(part *p, const body *b, const substep *s, energy_term **out);
    /* May change the body's candidate positions and velocities. */
    ruga_status (*before_contact)(part *p, body *b, const substep *s);
    /* The collision surface instead of the body's own, filled from the body's candidates, with impulses zero, a map
     * from the body's points, and the values of the body's `touch` (part_surface.h makes one). Called at least
     * once a substep, without contact too: the last call counts. NULL: none, the body's is used. One part of an object
     * may have this function: world_add_part refuses a second one. */
    contact_surface *(*surface)(part *p, const body *b, const substep *s);
    /* After the body accepted; the candidates of the part's surface are the positions that contact resolved. */
    ruga_status (*after_contact)(part *p, body *b, const substep *s);
    /* May change the body's accepted velocities. */
    ruga_status (*after_velocities)(part *p, body *b, const substep *s);
    /* Brings `positions` up to date with the frame below. s->time is that of the frame, s->dt the time since the last
     * update. May use and fill normals. */
    ruga_status (*update)(part *p, const body *b, const substep *s, const ruga_frame *in);
    /* Starts from this single frame, as if it had always been held; s->dt is 0. Called of parts without `update`
     * too. NULL: update with dt = 0 does it. */
    ruga_status (*settle)(part *p, const body *b, const substep *s, const ruga_frame *in);
    /* After the body was rebuilt on another mesh: state and painted values continue. A part with a mesh of its own sets
     * output_from_old and output_from_first. Painted values and curves are carried from the first input, so that they
     * do not depend on the changes in between. After a failure the part can only be destroyed. NULL: a part with
     * `update` can't follow, others have nothing to do. */
    ruga_status (*rebuild)(part *p, const body *b, const part_change *change);
    /* Beyond positions and normals, which are saved for a part that has `save`. NULL: no state; `update`, if there is
     * one, is a function of the frame below alone, and with dt = 0 makes it again, bit-identical. */
    void (*save)(const part *p, state_writer *writer);
    ruga_status (*load)(part *p, state_reader *reader);
    void (*destroy)(part *p);
} part_interface;

/* Implementations put it first in a struct of their own. */
struct part {
    const part_interface *interface;
    ruga_context *context;
    const char *kind; /* "collide"; static text */
    part_rate rate;
    measure_list measures;

    /* Of parts with `update`. */
    const ruga_mesh *input;  /* the mesh of the frames below; the owner's */
    const ruga_mesh *output; /* of the frames it makes: `input`, or the part's own */
    ruga_vec3 *positions;    /* (output vertices) m */
    ruga_vec3 *normals;      /* (output vertices), or NULL when the part does not make them */
    /* After a rebuild, of a part with a mesh of its own: new output = W old output, and W that of the first input;
     * NULL: the output is that again. */
    const ruga_map *output_from_old, *output_from_first;
    /* Of a part that acts on single points which are vertices, as those of cloth: what to use instead on a body with
     * other points, which refuses it; NULL: any body takes it. */
    const char *instead;
    int moves_points_singly; /* without a force: that would crush the tets below a surface */
    /* Bodies whose points it knows by number, so that they can't become another mesh; NULL: none. */
    const body *numbered[2];
};

/* For implementations with `update`: fills in everything, with (output vertices) positions that are the output's at
 * rest; and releases them. Meshes are kept, not copied. */
ruga_status part_init(part *p, const part_interface *interface, const char *kind, const ruga_mesh *input,
                      const ruga_mesh *output);
void part_release(part *p);

/* For rebuild: another input and output; positions and normals are from_old times the old ones. */
ruga_status part_follow(part *p, const ruga_mesh *input, const ruga_mesh *output, const ruga_map *from_old);

/* For update and settle: RUGA_ERROR_ARGUMENT unless the frame is one of the input's and s->dt is finite and not
 * negative. */
ruga_status part_check_frame(const part *p, const substep *s, const ruga_frame *in);

#define PART_FOR_CLOTH "use a body of cloth" /* a part's `instead` */

#endif
