/* The inside of a world: objects, and what the files of this folder share. */
#ifndef SYSTEM_OBJECTS_H
#define SYSTEM_OBJECTS_H

#include "base/memory.h"
#include "system/world.h"

/* Meshes, maps and arrays that came with a saved state. */
typedef struct loaded_topology {
    ruga_mesh *mesh, *simulated;
    ruga_map *visible, *bound;
    double *shares;
    unsigned char *collides;
    size_t lock_count;
    body_lock *locks; /* (lock_count) */
} loaded_topology;
void loaded_topology_release(ruga_context *context, loaded_topology *t);

/* A body with its parts. */
typedef struct world_object {
    char *name;
    body *body;
    ARRAY(part *) parts;                 /* the body's list is this one */
    ruga_vec3 *visible;                  /* (body's mesh) m, of a body whose vertices are not its points; else NULL */
    ruga_vec3 *normals;                  /* (mesh of the frames), made when first wanted */
    void *normals_scratch;               /* the same */
    ruga_frame frame;                    /* what the world gives out */
    const ruga_mesh *first_mesh;         /* that the body was made with */
    body_simulated first_simulated;      /* the same */
    ruga_map *from_first;                /* current points = W first ones; NULL until the first rebuild */
    ruga_map *vertices_from_first;       /* of the visible mesh; NULL: as the points, or not known */
    uint64_t topology;                   /* hash of the current meshes; 0 until the first rebuild */
    int first_is_mapped;                 /* the first mesh's vertices were not the points */
    int is_torn;                         /* a rebuild failed between its parts: some are on the mesh before */
    ARRAY(loaded_topology) loaded;       /* that came with saved states; the last is the body's, if it is of them */
    const unsigned char *first_collides; /* the owner's mask of the first points; NULL: none */
    unsigned char *collides;             /* (points) the same for the current ones; NULL: they are the first */
    contact_surface *surface;            /* of this substep, the body's own or a part's; NULL: none */
} world_object;

/* The common solve of bodies that touch (coupling.c). */
typedef struct common_solve {
    coupled *solver;                 /* made when first needed */
    ARRAY(coupled_member) members;   /* of this substep, by objects */
    ARRAY(uint32_t) objects;         /* (members) */
    ARRAY(uint32_t) member_of;       /* (surfaces) COUPLED_NONE: no solve moves it, or its vertices are not points */
    ARRAY(coupled_row) rows, sorted; /* of members; by groups */
    ARRAY(contact_row) held;         /* rows of holds, which no unknown of a solve can take */
    ARRAY(uint32_t) groups;          /* (members) the first member that it touches, perhaps through others */
    ARRAY(coupled_member) group;     /* scratch */
    ARRAY(uint32_t) place;           /* (members) in its group */
} common_solve;

struct world {
    ruga_context *context;
    environment environment;
    contact *contact; /* NULL: none */
    ARRAY(world_object) objects;
    ARRAY(contact_surface *) surfaces; /* of this substep; room for all objects */
    ARRAY(environment_surface) others; /* of the environment, likewise */
    common_solve common;               /* of bodies that touch */
    double time;                       /* s */
    double frame_length;               /* s; 0: whatever */
    int want_normals;
    int substep, substeps; /* which one is at work, from 1, and of how many; substep 0: none */
    ruga_status warning;   /* the first of this step */
    double seconds[STAGE_COUNT];
};

#define TAG_TOPOLOGY STATE_TAG('T', 'O', 'P', 'O') /* in saved states */

/* The mesh behind an object's frames. */
const ruga_mesh *object_mesh(const world_object *o);

/* Adds the object's name to the message of a failure, and the kind of the part that failed (NULL: the body). Returns
 * status. */
ruga_status object_note(world *w, const world_object *o, const char *kind, ruga_status status);

/* The frame of the body alone, and what a part makes of the frame below it. */
ruga_frame object_body_frame(world_object *o, double time);
ruga_frame part_frame(const part *p, const ruga_frame *in);

/* Updates all parts that have no state of their own, with dt = 0, and puts the object's frame together. */
ruga_status object_refresh(world *w, world_object *o);

/* Makes the frame that the world gives out, after the parts. */
ruga_status object_make_frame(world *w, world_object *o);

/* The topology of an object whose revision is not 0, and how it gets to that of a saved state, `reader` an object's
 * entry. */
void object_save_topology(const world_object *o, state_writer *writer);
ruga_status object_load_topology(world *w, world_object *o, uint64_t revision, state_reader *reader);

/* Drops all that depends on the number of vertices; the next frame makes it again. */
ruga_status object_resize(world *w, world_object *o);

/* coupling.c: the stage `predict`, and the surfaces of a substep. */
ruga_status predict_bodies(world *w, const substep *s);
void gather_surfaces(world *w, const substep *s);
void common_solve_release(ruga_context *context, common_solve *c);

/* Fails if a change of its mesh failed between its parts. */
ruga_status object_check_whole(world *w, const world_object *o);

#endif
