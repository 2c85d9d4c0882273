/* A detail: what wrinkles on top of a moving mesh. Details of an object form a chain; each takes the frame of the one
 * before it. */
#ifndef BODY_DETAIL_H
#define BODY_DETAIL_H

#include "base/measure.h"
#include "base/state.h"
#include "body/environment.h"
#include "contact/surface.h"
#include "ruga/motion.h"

typedef struct detail detail;
struct body;

typedef struct detail_interface {
    /* Brings `positions` up to date with the frame before. dt is the time since the last update, s. May use and fill
     * normals. */
    ruga_status (*update)(detail *d, const ruga_frame *in, double dt, const environment *e);
    /* Starts anew from this single frame, as if it had stood there for ever. No function: update with dt = 0 does it. */
    ruga_status (*settle)(detail *d, const ruga_frame *in, const environment *e);
    /* What contact should see instead of the body's own surface, filled from the body's candidates, with impulses zero and
     * a map from the body's points, and what the body's `touch` says; no function, or NULL: the body's. The body has to have a surface of its points. */
    contact_surface *(*surface)(detail *d, const struct body *b);
    /* The mesh before it became another; new input = W old input. No function: it can't. */
    ruga_status (*rebuild)(detail *d, const ruga_mesh *in, const ruga_map *from_old);
    /* Beyond positions and normals, which are saved for it. NULL: it is a function of the frame before alone, and an update
     * with dt = 0 makes it again to the last bit. */
    void (*save)(const detail *d, state_writer *writer);
    ruga_status (*load)(detail *d, state_reader *reader);
    void (*destroy)(detail *d);
} detail_interface;

/* Implementations put it first in a struct of their own. */
struct detail {
    const detail_interface *interface;
    ruga_context *context;
    const char *kind;                /* "displace"; static text */
    const ruga_mesh *input;          /* the mesh of the frames that come in; the owner's */
    const ruga_mesh *output;         /* of those that go out: `input`, or the detail's own */
    ruga_vec3 *positions;            /* (output vertices) m */
    ruga_vec3 *normals;              /* (output vertices), or NULL when the detail does not make them */
    const ruga_map *output_from_old; /* after a rebuild: new output = W old output; NULL: the input's */
    measure_list measures;
};

/* For implementations: fills in everything, with (output vertices) positions that are the output's at rest; and releases
 * them. Meshes are kept, not copied. */
ruga_status detail_init(detail *d, const detail_interface *interface, const char *kind, const ruga_mesh *input,
                        const ruga_mesh *output);
void detail_release(detail *d);

/* RUGA_ERROR_ARGUMENT unless the frame has as many vertices as the input, and the time since the last is not negative. */
ruga_status detail_check_frame(const detail *d, const ruga_frame *in, double dt);

#endif
