/* The interface of contact: one solver over the surfaces of all bodies at once. */
#ifndef CONTACT_CONTACT_INTERFACE_H
#define CONTACT_CONTACT_INTERFACE_H

#include "base/measure.h"
#include "base/state.h"
#include "contact/surface.h"

typedef struct contact contact;

typedef struct contact_interface {
    /* Optional, before `resolve` of the same substep: the pairs that touch at accepted positions, for a solve that
     * keeps them from approaching; and what that solve made of them, so that `resolve` continues from there. The rows
     * are the contact's, until then. `candidate`: where each surface would be without the solve. */
    ruga_status (*find_rows)(contact *c, contact_surface *const *surfaces, size_t count, double dt, contact_row **rows,
                             size_t *row_count);
    void (*take_rows)(contact *c);
    /* Changes `candidate` and adds to `impulses` of every surface it touches. Momentum is conserved among surfaces
     * whose inverse masses are not zero. */
    ruga_status (*resolve)(contact *c, contact_surface *const *surfaces, size_t count, double dt);
    /* Whether surfaces of these names pass through each other; twice the same name: a surface through itself. NULL:
     * none does. */
    int (*excludes)(const contact *c, const char *name, const char *other);
    /* The mesh of a surface was replaced: its elements have new numbers, and data kept for the old ones is invalid.
     * NULL: nothing is kept. */
    void (*forget)(contact *c);
    void (*save)(const contact *c, state_writer *writer); /* NULL: nothing to save */
    ruga_status (*load)(contact *c, state_reader *reader);
    void (*destroy)(contact *c);
} contact_interface;

/* Implementations put it first in a struct of their own. */
struct contact {
    const contact_interface *interface;
    ruga_context *context;
    measure_list measures; /* contacts, iterations, … of the last frame */
    double time;           /* s, of the end of the substep; set by the world, used in messages */
    int intersects;        /* after find_rows: surfaces intersect, and are being pushed apart */
};

#endif
