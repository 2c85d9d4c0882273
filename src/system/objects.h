/* The inside of a world: objects, and what the files of this folder share. */
#ifndef SYSTEM_OBJECTS_H
#define SYSTEM_OBJECTS_H

#include "base/memory.h"
#include "system/world.h"

/* A body with what hangs on it. */
typedef struct world_object {
    char *name;
    body *body;
    ARRAY(hook *) hooks; /* the body's list is this one */
    ARRAY(detail *) details;
    ruga_vec3 *visible;    /* (body's mesh) m, of a body whose vertices are not its points; else NULL */
    ruga_vec3 *normals;    /* (mesh of the frames), made when first wanted */
    void *normals_scratch; /* the same */
    ruga_frame frame;      /* what the world gives out */
    contact_surface *own;  /* the body's, in this substep; NULL: none */
    contact_surface *seen; /* what contact sees: own, or a detail's */
} world_object;

struct world {
    ruga_context *context;
    environment environment;
    contact *contact; /* NULL: none */
    ARRAY(world_object) objects;
    ARRAY(contact_surface *) surfaces; /* of this substep; room for all objects */
    double time;                       /* s */
    double frame_length;               /* s; 0: whatever */
    int want_normals;
    int substep, substeps; /* which one is at work, from 1, and of how many; substep 0: none */
    ruga_status warning;   /* the first of this step */
    double seconds[STAGE_COUNT];
};

/* The mesh behind an object's frames. */
const ruga_mesh *object_mesh(const world_object *o);

/* Adds the object's name to the message of a failure, and what part of it failed (NULL: the body). Returns status. */
ruga_status object_note(world *w, const world_object *o, const char *part, ruga_status status);

/* The frame of the body alone, and what a detail makes of the frame before it. */
ruga_frame object_body_frame(world_object *o, double time);
ruga_frame detail_frame(const detail *d, const ruga_frame *in);

/* Brings all details up to date with the body without letting time pass, where they have no state of their own. */
ruga_status object_refresh(world *w, world_object *o);

/* Makes the frame that the world gives out, after the details. */
ruga_status object_make_frame(world *w, world_object *o);

/* Forgets what depends on the number of vertices; the next frame makes it anew. */
ruga_status object_resize(world *w, world_object *o);

#endif
