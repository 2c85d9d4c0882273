/* A kind describes a tool to scenes. The descriptor is next to the tool, with its table of fields (in src/scene if its
 * values are curves from files); the list of all kinds is src/scene/kinds.h. CONTRIBUTING.md has a complete example.
 *
 *     section    name, help and fields of its values (ruga/field.h); the rows point into a struct of the API
 *     role       where it stands in a scene
 *     flags      what other code has to know about it
 *     make       one function by its role: an edited mesh, a body or a part from the values
 *     check      warnings about values that work but are odd
 *
 * A scene is built once, and the build collects findings (ruga_description_check) or ends at the first error
 * (ruga_scene_create). Makers serve both: they report through the build below and return a status.
 */
#ifndef BODY_KIND_H
#define BODY_KIND_H

#include "base/memory.h"
#include "body/bodies.h"
#include "body/body.h"
#include "field/rows.h"
#include "ruga/scene.h"

typedef enum kind_role {
    KIND_EDIT,   /* key "edits": another rest mesh, before anything moves */
    KIND_BODY,   /* key "body" */
    KIND_INSIDE, /* key "hooks": a part that acts inside the body */
    KIND_ON_TOP  /* key "details": a part that shows a mesh on top of the moving one */
} kind_role;

enum {
    KIND_HAS_DYNAMICS = 1, /* a body that forces and contact move; its material makes it */
    KIND_FEELS_WIND = 2,   /* these three let the check warn about surroundings without effect */
    KIND_FEELS_GRAVITY = 4,
    KIND_FEELS_COLLIDERS = 8,
    KIND_KEEPS_MESH =
        16,         /* a part that shows the vertices of the mesh below, moved; later parts can be checked without it */
    KIND_CUTS = 32, /* a part that may cut its body: only such kinds have `cut` or call build_change_later, and
                       pictures show the edges of what they cut sharp */
    KIND_IS_SOLID = 64,             /* a body of tets: cuts go into it */
    KIND_SHOWS_MATERIAL = 128,      /* pictures give it the finish of its object's material */
    KIND_LANDS_IN_SHORT_STEPS = 256 /* a body for which frames with contact have several substeps by default */
};

/* ---- The build, as makers see it. */
typedef struct build build;

typedef struct build_interface {
    ruga_status (*found)(build *b, const void *value, ruga_status status, const char *message);
    ruga_status (*find_body)(build *b, const char *object, const body **out);
    ruga_status (*find_material)(build *b, const char *preset, ruga_material_def *out);
    ruga_status (*read_mesh)(build *b, const char *path, double unit, int up, const ruga_mesh **out);
    ruga_status (*keep)(build *b, ruga_mesh *mesh, ruga_map *map);
    ruga_status (*change_later)(build *b, double time, const body_change *change);
} build_interface;

struct build {
    const build_interface *interface;
    ruga_context *context;
    arena *memory;                   /* lives as long as the scene */
    const ruga_scene_def *scene;     /* the whole def */
    const ruga_object_def *object;   /* the object in the making */
    const ruga_variant *variant;     /* the kind in the making: findings are about it unless they name a value */
    const void *values;              /* its struct: the user's, or the defaults */
    const ruga_mesh *mesh;           /* so far: at rest, as the kind gets it */
    const ruga_mesh *uncut;          /* the mesh before a part cut it, whose vertices are the first; NULL: none did */
    const ruga_mesh *cut_mesh;       /* and after it */
    const ruga_map *from_uncut;      /* vertices of the latter from those of the former */
    body *body;                      /* of the object, for parts; NULL: it could not be made */
    body_simulated simulated;        /* for the body: what parts that cut from the start made */
    const void *cut;                 /* of the part that cut, for itself; in the arena; NULL: none did */
    ruga_motion *motion;             /* of the object's mesh; NULL: none */
    int owns_motion;                 /* the build has to destroy the motion; a body that takes it over clears this */
    const body_transform *placement; /* from the mesh's file into the scene; NULL: they are the same */
    ruga_file_def file;              /* unit, axis and mesh of the object's file; the defaults without one */
    const char *mesh_path;           /* of the object's file; NULL: none */
    ruga_mesh_file *mesh_file;       /* that file while it is open: for read_motion; NULL: none, or a run */
    const char *model;               /* the formula of the mesh; NULL: none */
    int incomplete;                  /* the reader of the description reported errors: values may be missing */
    size_t errors;                   /* reported about the kind in the making */
};

/* Reports an error, or a warning (RUGA_WARNING_INPUT), about the value at an address of the def. A build that collects
 * returns RUGA_OK, and the maker continues as far as it can; else an error is returned. Makers that reported errors
 * return RUGA_OK and make nothing. */
ruga_status build_found(build *b, const void *value, ruga_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A failed call becomes an error about a value, with its message. Only a lack of memory and cancelling end every
 * build. */
ruga_status build_about(build *b, const void *value, ruga_status status);

/* The extent of a mesh for messages: "the mesh reaches from (0, 0, 0) to (1, 2, 0) m". */
typedef struct extent_text {
    char text[160];
} extent_text;
extent_text build_extent(const ruga_mesh *mesh);

/* A parameter of the values: files are read, the limits of its row are set, and it is evaluated on `mesh` at all its
 * keys, so that every error is found before the first frame. On a mesh that was cut, numbers of vertices and faces and
 * painted arrays are those of the mesh before. */
ruga_status build_param(build *b, const ruga_param *param, const ruga_mesh *mesh, ruga_param *out);
/* The same for all parameters of the values, by the rows of the kind's table; `copy` is a copy of the values. */
ruga_status build_params(build *b, const ruga_mesh *mesh, void *copy);
/* The same for a parameter of a nested struct. */
ruga_status build_param_of(build *b, const ruga_field *field, const ruga_param *param, const ruga_mesh *mesh,
                           ruga_param *out);
/* Times of keys must rise; `size` is that of a key, a struct that begins with the time. There must be at least one. */
ruga_status build_check_keys(build *b, const ruga_list *keys, size_t size);

/* The body of an object that stands before this one; NULL if it could not be made, which is reported there. */
static inline ruga_status build_find_body(build *b, const char *object, const body **out) {
    return b->interface->find_body(b, object, out);
}
/* The object's material with every number filled in, or a preset if it has none. If it can't be found, which is
 * reported at its own place, b->errors rises. */
static inline ruga_status build_find_material(build *b, const char *preset, ruga_material_def *out) {
    return b->interface->find_material(b, preset, out);
}
/* A mesh from a file, put in its place as the object is; it lives as long as the scene. NaN and -1: as the object's
 * file. */
static inline ruga_status build_read_mesh(build *b, const char *path, double unit, int up, const ruga_mesh **out) {
    return b->interface->read_mesh(b, path, unit, up, out);
}

/* The scene takes over a mesh and a map (each may be NULL) and keeps them until its end, also on failure. */
static inline ruga_status build_keep(build *b, ruga_mesh *mesh, ruga_map *map) {
    return b->interface->keep(b, mesh, map);
}

/* The body of the object in the making becomes another mesh while the scene runs: before the first frame step that
 * begins at this time or later. For make_part of kinds with KIND_CUTS; in the order of the times. Meshes and maps of
 * the change are kept. */
static inline ruga_status build_change_later(build *b, double time, const body_change *change) {
    return b->interface->change_later(b, time, change);
}

/* The values of a variant: its own, or its section's defaults, in the arena. */
ruga_status variant_values(arena *memory, const ruga_variant *variant, const void **out);

extern const char *const axis_choices[]; /* of rows that hold a ruga_axis */

/* ---- The descriptor. Of the makers a kind has the one of its role. */
typedef struct kind {
    ruga_section section;
    kind_role role;
    unsigned flags; /* KIND_… */
    /* EDIT: the edited mesh, and the map from the vertices of b->mesh to its own. */
    ruga_status (*edit)(build *b, const void *values, ruga_mesh **out, ruga_map **map);
    /* BODY, optional: the motion of b->mesh, which is as it was read: not placed and not edited yet. */
    ruga_status (*read_motion)(build *b, const void *values, ruga_motion **out);
    /* INSIDE, optional: a cut that is known from the start, made before the body. Changes b->simulated, and may replace
     * b->mesh by one whose first vertices are those of before, to show the cut, with `uncut`, `cut_mesh` and
     * `from_uncut`; build_keep keeps meshes and maps. Pins hold vertices that are points of their own. b->cut is left
     * for make_part. */
    ruga_status (*cut)(build *b, const void *values);
    /* BODY: on b->mesh, placed and edited. A body with dynamics simulates b->simulated. */
    ruga_status (*make_body)(build *b, const void *values, body **out);
    /* INSIDE, ON_TOP: on b->mesh, the mesh of the frames below. */
    ruga_status (*make_part)(build *b, const void *values, part **out);
    /* Optional: warnings about a body or a part that was made. Called only if the build collects. */
    ruga_status (*check)(build *b, const void *values);
    /* BODY, ON_TOP, optional: its finish in pictures; RUGA_FINISH_PLAIN, or no function: that of the parts above it.
     * values: NULL: the defaults. */
    ruga_finish (*finish)(const void *values);
} kind;

#endif
