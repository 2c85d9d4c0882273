/* The tables of models and of their motions. */
#include "model/model.h"

#include <math.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define MAX_CELLS 4096
#define MAX_FIELDS 16

/* Row i of a model's table: number i of its values. */
#define NUMBER(i, name, unit, preset, low, high, words) \
    { name, RUGA_FIELD_NUMBER, (i) * sizeof(double), unit, preset, low, high, .help = words }
#define WHOLE(i, name, unit, preset, low, high, words) \
    { name, RUGA_FIELD_NUMBER, (i) * sizeof(double), unit, preset, low, high, .step = 1, .help = words }

static const ruga_field sheet_fields[] = {
    NUMBER(0, "width", "m", "1", 1e-6, 1e6, "extent along x"),
    NUMBER(1, "length", "m", "1", 1e-6, 1e6, "extent along z, or y when upright"),
    WHOLE(2, "columns", "1", "20", 1, MAX_CELLS, "cells along the width"),
    WHOLE(3, "rows", "1", "20", 1, MAX_CELLS, "cells along the length"),
    WHOLE(4, "triangulation", "1", "0", 0, 2,
          "0: parallel diagonals, 1: alternating, 2: irregular (jittered, Delaunay)"),
    WHOLE(5, "quads", "1", "0", 0, 1, "1: faces are quadrilaterals (not for irregular sheets)"),
    WHOLE(6, "upright", "1", "0", 0, 1, "1: stands in the xy plane facing z, 0: lies flat facing up"),
    WHOLE(7, "seed", "1", "1", 0, 1e9, "seed of the irregular triangulation"),
};

static const ruga_field disc_fields[] = {
    NUMBER(0, "radius", "m", "0.5", 1e-6, 1e6, "radius of the border"),
    WHOLE(1, "rings", "1", "12", 1, 2048, "rings of triangles around the centre; ring k has 6 k points"),
};

static const ruga_field annulus_fields[] = {
    NUMBER(0, "inner", "m", "0.25", 1e-6, 1e6, "inner radius"),
    NUMBER(1, "outer", "m", "0.5", 1e-6, 1e6, "outer radius"),
    NUMBER(2, "angle", "degree", "270", 1e-3, 360, "angle of the sector; 360 closes the ring"),
    WHOLE(3, "rings", "1", "8", 1, MAX_CELLS, "cells along the radius"),
    WHOLE(4, "sectors", "1", "48", 3, MAX_CELLS, "cells along the angle"),
    WHOLE(5, "quads", "1", "0", 0, 1, "1: faces are quadrilaterals"),
};

static const ruga_field cylinder_fields[] = {
    NUMBER(0, "radius", "m", "0.25", 1e-6, 1e6, "radius of the wall"),
    NUMBER(1, "height", "m", "1", 1e-6, 1e6, "extent along y"),
    WHOLE(2, "sectors", "1", "32", 3, MAX_CELLS, "cells around"),
    WHOLE(3, "rings", "1", "20", 1, MAX_CELLS, "cells along the height"),
    WHOLE(4, "caps", "1", "0", 0, 1, "1: closes both ends"),
    WHOLE(5, "quads", "1", "0", 0, 1, "1: faces of the wall are quadrilaterals (not with caps)"),
};

static const ruga_field sphere_fields[] = {
    NUMBER(0, "radius", "m", "0.5", 1e-6, 1e6, "radius of the sphere"),
    WHOLE(1, "frequency", "1", "12", 1, 256, "subdivisions of an icosahedron's edge: 20 n^2 triangles"),
};

static const ruga_field torus_fields[] = {
    NUMBER(0, "radius", "m", "0.4", 1e-6, 1e6, "from the centre to the middle of the tube"),
    NUMBER(1, "tube", "m", "0.15", 1e-6, 1e6, "radius of the tube"),
    WHOLE(2, "sectors", "1", "64", 3, MAX_CELLS, "cells around"),
    WHOLE(3, "sides", "1", "24", 3, MAX_CELLS, "cells around the tube"),
    WHOLE(4, "quads", "1", "0", 0, 1, "1: faces are quadrilaterals"),
};

static const ruga_field pillow_fields[] = {
    NUMBER(0, "width", "m", "0.5", 1e-6, 1e6, "extent along x"),
    NUMBER(1, "length", "m", "0.5", 1e-6, 1e6, "extent along z"),
    NUMBER(2, "puff", "m", "0.08", 0, 1e6, "height of the middle of each sheet; 0: both are flat and coincide"),
    WHOLE(3, "columns", "1", "24", 2, MAX_CELLS, "cells along the width"),
    WHOLE(4, "rows", "1", "24", 2, MAX_CELLS, "cells along the length"),
};

static const ruga_field bar_fields[] = {
    NUMBER(0, "length", "m", "1", 1e-6, 1e6, "extent along x"),
    NUMBER(1, "height", "m", "0.2", 1e-6, 1e6, "extent along y"),
    NUMBER(2, "depth", "m", "0.2", 1e-6, 1e6, "extent along z"),
    WHOLE(3, "cells", "1", "20", 1, 1024, "cells along the length"),
    WHOLE(4, "cells_across", "1", "4", 1, 1024, "cells along height and depth"),
    WHOLE(5, "solid", "1", "0", 0, 2,
          "1: filled with tetrahedra, six per cell; 2: twelve per cell around its middle; 0: surface only"),
};

static const ruga_field slab_fields[] = {
    NUMBER(0, "width", "m", "1", 1e-6, 1e6, "extent along x"),
    NUMBER(1, "length", "m", "1", 1e-6, 1e6, "extent along z"),
    NUMBER(2, "thickness", "m", "0.05", 1e-6, 1e6, "extent along y"),
    WHOLE(3, "cells", "1", "20", 1, 1024, "cells along width and length"),
    WHOLE(4, "layers", "1", "2", 1, 1024, "cells along the thickness"),
    WHOLE(5, "solid", "1", "0", 0, 2,
          "1: filled with tetrahedra, six per cell; 2: twelve per cell around its middle; 0: surface only"),
};

static const ruga_field capsule_fields[] = {
    NUMBER(0, "radius", "m", "0.1", 1e-6, 1e6, "radius of the rod and its round ends"),
    NUMBER(1, "length", "m", "0.5", 1e-6, 1e6, "distance along y between the centres of the round ends"),
    WHOLE(2, "rings", "1", "6", 1, 256, "rings of triangles from pole to rod; 6 times as many cells around"),
};

static const ruga_field funnel_fields[] = {
    NUMBER(0, "mouth", "m", "0.4", 1e-6, 1e6, "radius of the mouth, to the middle of the wall"),
    NUMBER(1, "throat", "m", "0.08", 1e-6, 1e6, "radius of the tube, to the middle of the wall"),
    NUMBER(2, "depth", "m", "0.35", 1e-6, 1e6, "height of the cone"),
    NUMBER(3, "tube", "m", "0.25", 1e-6, 1e6, "length of the tube below the cone"),
    NUMBER(4, "thickness", "m", "0.024", 1e-6, 1e6, "thickness of the wall, whose two rims are round"),
    NUMBER(5, "fillet", "m", "0.1", 1e-6, 1e6, "radius of the bend between cone and tube, to the middle of the wall"),
    WHOLE(6, "sectors", "1", "64", 3, MAX_CELLS, "cells around"),
    WHOLE(7, "sides", "1", "96", 16, MAX_CELLS,
          "cells around the cross-section of the wall: down the inside and up the outside"),
};

static const ruga_field skirt_fields[] = {
    NUMBER(0, "waist", "m", "0.137", 1e-6, 1e6, "radius of the waist, along x"),
    NUMBER(1, "hem", "m", "0.42", 1e-6, 1e6, "radius of the hem"),
    NUMBER(2, "length", "m", "0.6", 1e-6, 1e6, "from the waist to the hem, along the cloth"),
    NUMBER(3, "depth", "1", "0.77", 0.01, 100, "depth of the waist: its extent along z over that along x"),
    NUMBER(4, "top", "m", "1.1", -1e6, 1e6, "height of the waist; the default fits the mannequin"),
    WHOLE(5, "columns", "1", "96", 3, MAX_CELLS, "cells around"),
    WHOLE(6, "rows", "1", "32", 1, MAX_CELLS, "cells from the hem to the waist"),
    WHOLE(7, "quads", "1", "0", 0, 1, "1: faces are quadrilaterals"),
};

static const ruga_field tshirt_fields[] = {
    NUMBER(0, "width", "m", "0.46", 1e-6, 1e6, "width of front and back at the armpits: half of the girth"),
    NUMBER(1, "hem", "m", "0.53", 1e-6, 1e6, "width of front and back at the hem"),
    NUMBER(2, "length", "m", "0.66", 1e-6, 1e6, "from the neck to the hem"),
    NUMBER(3, "shoulders", "m", "0.38", 1e-6, 1e6, "from one end of the shoulder lines to the other"),
    NUMBER(4, "armhole", "m", "0.265", 1e-6, 1e6, "depth of the armhole, from the shoulder to the armpit"),
    NUMBER(5, "neck", "m", "0.17", 1e-6, 1e6, "width of the neckline"),
    NUMBER(6, "neck_depth", "m", "0.09", 0, 1e6, "depth of the neckline at the front"),
    NUMBER(7, "sleeve", "m", "0.26", 1e-6, 1e6, "length of a sleeve, from the shoulder to its hem"),
    NUMBER(8, "sleeve_width", "m", "0.39", 1e-6, 1e6, "girth of a sleeve at the armpit"),
    NUMBER(9, "arms", "degree", "30", 0, 90, "angle of the arms that the sleeves are bent around, as the mannequin's"),
    NUMBER(10, "size", "1", "1", 1e-3, 1e3, "scales everything: height of the mannequin over 1.75 m"),
    NUMBER(11, "cell", "m", "0.016", 1e-4, 1e3, "size of a cell"),
    WHOLE(12, "quads", "1", "0", 0, 1, "1: faces are quadrilaterals"),
};

static const ruga_field mannequin_fields[] = {
    NUMBER(0, "height", "m", "1.75", 1e-3, 1e3, "from the soles to the top of the head"),
    WHOLE(1, "cells", "1", "80", 60, 256, "cells along the height; n cells give about 1.55 n^2 triangles"),
    NUMBER(2, "arms", "degree", "30", 8, 90,
           "angle of the arms from straight down; below 12 they almost touch the hips"),
};

static const ruga_field arm_fields[] = {
    NUMBER(0, "length", "m", "0.66", 1e-6, 1e6, "from the shoulder to the knuckles"),
    WHOLE(1, "rings", "1", "43", 8, MAX_CELLS, "rings of triangles along the arm"),
    WHOLE(2, "sectors", "1", "24", 6, MAX_CELLS, "cells around"),
    NUMBER(3, "blend", "1", "0.21", 0.01, 1,
           "fraction of the length over which the skin blends from the upper arm to the forearm"),
};

static const ruga_field bust_fields[] = {
    NUMBER(0, "height", "m", "0.371", 1e-3, 1e3, "from the base to the top of the head"),
    WHOLE(1, "cells", "1", "128", 40, 512, "cells along the height; n cells give about 4 n^2 triangles"),
};

static const ruga_field ball_fields[] = {
    NUMBER(0, "radius", "m", "0.5", 1e-6, 1e6, "radius of the surface"),
    WHOLE(1, "cells", "1", "16", 3, 160, "cells along the diameter; n cells give about 6.3 n^3 tetrahedra"),
};

static const ruga_field skull_fields[] = {
    NUMBER(0, "height", "m", "0.371", 1e-3, 1e3, "height of the bust that contains it"),
    WHOLE(1, "cells", "1", "90", 40, 256, "cells along the height"),
};

static const ruga_field head_fields[] = {
    NUMBER(0, "height", "m", "0.371", 1e-3, 1e3, "from the base to the top of the head"),
    WHOLE(1, "cells", "1", "128", 40, 512, "cells of the filled bust along its height"),
    NUMBER(2, "spacing", "1", "0.02", 0.003, 0.025,
           "size of the tetrahedra over the height; 0.02 gives about 130 000 of them"),
};

static const ruga_field shoe_fields[] = {
    NUMBER(0, "length", "m", "0.29", 1e-3, 1e3, "from the heel to the tip"),
    WHOLE(1, "cells", "1", "120", 60, 512, "cells along the length; n cells give about 3 n^2 triangles"),
};

static const ruga_field walk_fields[] = {
    NUMBER(0, "period", "s", "1.1", 0.1, 1000, "duration of a cycle: two steps"),
    NUMBER(1, "stride", "1", "0.56", 0, 0.75, "distance per cycle, in body heights"),
    WHOLE(2, "cycles", "1", "3", 1, 10000, "number of cycles"),
    NUMBER(3, "arms", "degree", "14", 7, 60,
           "angle of the arms from the body; small angles leave no room for a sleeve"),
    WHOLE(4, "travel", "1", "1", 0, 1, "1: moves along z; 0: stays in place, as on a treadmill"),
    WHOLE(5, "steady", "1", "0", 0, 1,
          "1: full stride from the first frame to the last, for looping; 0: starts and ends on both feet"),
};

static const ruga_field jump_fields[] = {
    NUMBER(0, "height", "m", "0.28", 0.01, 100, "how far the hips rise in the air"),
    NUMBER(1, "crouch", "1", "0.2", 0.05, 0.25, "depth of the crouch before the jump, over the height of the hips"),
    NUMBER(2, "arms", "degree", "30", 28, 60, "angle of the arms from the body"),
};

static const ruga_field bend_fields[] = {
    NUMBER(0, "angle", "degree", "100", 0, 150,
           "largest angle of the elbow; above 110 the inner side intersects itself"),
    NUMBER(1, "period", "s", "2", 0.1, 1000, "duration of a cycle, from straight to straight"),
    WHOLE(2, "cycles", "1", "1", 1, 10000, "number of cycles"),
    NUMBER(3, "volume", "1", "1", 0, 1,
           "0: linear blend of the two bones, which thins the elbow; 1: a blend that keeps its thickness"),
};

static const ruga_field press_fields[] = {
    NUMBER(0, "width", "1", "0.05", 0, 0.9, "fraction of its width by which it is compressed"),
    NUMBER(1, "length", "1", "0", 0, 0.9, "fraction of its length, after that"),
    NUMBER(2, "duration", "s", "1", 0.001, 1000, "duration of each"),
};

#define MODEL(model, text)                                                                                      \
    {                                                                                                           \
        .name = #model, .help = text, .size = COUNT(model##_fields) * sizeof(double), .fields = model##_fields, \
        .field_count = COUNT(model##_fields)                                                                    \
    }

const ruga_section model_sections[] = {
    MODEL(sheet, "a rectangle of cloth, regular or irregular"),
    MODEL(disc, "a round sheet"),
    MODEL(annulus, "a sector of a ring, flat: a skirt's pattern"),
    MODEL(cylinder, "a tube along y, open or closed"),
    MODEL(sphere, "a sphere of nearly equal triangles"),
    MODEL(torus, "a ring with a round tube"),
    MODEL(pillow, "two sheets sewn together along their border"),
    MODEL(bar, "a long box, for bending"),
    MODEL(slab, "a flat box, for example skin over flesh"),
    MODEL(capsule, "a rod with round ends, of nearly equal triangles"),
    MODEL(funnel, "a cone that narrows to a tube, with a thick wall and round rims"),
    MODEL(skirt, "a tube that widens from waist to hem"),
    MODEL(tshirt, "four flat pieces of a T-shirt around the mannequin"),
    MODEL(bust, "a head with face and neck, closed, finest in the face"),
    MODEL(shoe, "a left shoe, closed: the opening is a cavity"),
    MODEL(mannequin, "a closed human body with joints, which can walk and jump"),
    MODEL(arm, "a closed arm of two bones, with an elbow that can bend"),
    MODEL(ball, "a sphere filled with tetrahedra"),
    MODEL(skull, "the bone inside the bust, with the core of neck and shoulders"),
    MODEL(head, "the flesh of the bust around the skull: tets, with muscles"),
};

static model_maker *const makers[] = {model_sheet,     model_disc,   model_annulus, model_cylinder, model_sphere,
                                      model_torus,     model_pillow, model_bar,     model_slab,     model_capsule,
                                      model_funnel,    model_skirt,  model_tshirt,  model_bust,     model_shoe,
                                      model_mannequin, model_arm,    model_ball,    model_skull,    model_head};
_Static_assert(COUNT(model_sections) == COUNT(makers) && COUNT(makers) == MODEL_COUNT, "a maker for each model");

const ruga_section action_sections[] = {
    MODEL(walk, "walks forwards"),
    MODEL(jump, "crouches, jumps and lands"),
    MODEL(bend, "bends its elbow"),
    MODEL(press, "is compressed in its plane"),
};

static action_maker *const action_makers[] = {action_walk, action_jump, action_bend, action_press};
static const char *const actors[] = {"mannequin", "mannequin", "arm", "sheet"};
_Static_assert(COUNT(action_sections) == COUNT(action_makers) && COUNT(action_makers) == ACTION_COUNT &&
                   COUNT(actors) == ACTION_COUNT,
               "a maker and an actor for each action");
_Static_assert(COUNT(walk_fields) <= ACTION_MAX_FIELDS && COUNT(jump_fields) <= ACTION_MAX_FIELDS &&
                   COUNT(bend_fields) <= ACTION_MAX_FIELDS && COUNT(press_fields) <= ACTION_MAX_FIELDS,
               "room for all");

static const ruga_section *find_section(const ruga_section *sections, size_t count, const char *name) {
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(sections[i].name, name) == 0) return &sections[i];
    return NULL;
}

size_t ruga_model_count(void) { return MODEL_COUNT; }
const ruga_section *ruga_model_get(size_t model) { return model < MODEL_COUNT ? &model_sections[model] : NULL; }

const ruga_section *ruga_model_find(const char *name) { return find_section(model_sections, MODEL_COUNT, name); }

size_t ruga_action_count(void) { return ACTION_COUNT; }
const ruga_section *ruga_action_get(size_t action) { return action < ACTION_COUNT ? &action_sections[action] : NULL; }

const ruga_section *ruga_action_find(const char *name) { return find_section(action_sections, ACTION_COUNT, name); }

const char *ruga_action_actor(size_t action) { return action < ACTION_COUNT ? actors[action] : NULL; }

int ruga_model_can_act(const char *name) {
    for (size_t i = 0; name && i < ACTION_COUNT; i++)
        if (strcmp(actors[i], name) == 0) return 1;
    return 0;
}

/* The given values, or the defaults; checks their limits. */
static ruga_status read_values(ruga_context *context, const ruga_section *section, const double *values, double *used) {
    if (values)
        memcpy(used, values, section->size);
    else
        ruga_section_defaults(section, used);
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *p = &section->fields[i];
        if (!(used[i] >= p->low && used[i] <= p->high))
            return fail_argument(context, "%s: %s is %g; it must be within %g and %g (%s)", section->name, p->name,
                                 used[i], p->low, p->high, p->unit);
        if (p->step == 1 && used[i] != floor(used[i]))
            return fail_argument(context, "%s: %s is %g; it must be a whole number", section->name, p->name, used[i]);
    }
    return RUGA_OK;
}

ruga_status ruga_model_make(ruga_context *context, const char *name, const double *values, ruga_mesh **out) {
    if (!context || !name || !out) return RUGA_ERROR_ARGUMENT;
    const ruga_section *model = ruga_model_find(name);
    if (!model) return fail_argument(context, "unknown model '%s'; ruga_model_get lists all", name);

    double used[MAX_FIELDS];
    TRY(read_values(context, model, values, used));
    mesh_parts parts = {0};
    TRY_OR(makers[model - model_sections](context, used, &parts), mesh_parts_release(context, &parts));
    return mesh_from_parts(context, &parts, out);
}

ruga_status ruga_model_motion(ruga_context *context, const char *name, const double *values, const char *action,
                              const double *action_values, ruga_motion **out) {
    if (!context || !name || !action || !out) return RUGA_ERROR_ARGUMENT;
    const ruga_section *model = ruga_model_find(name), *motion = ruga_action_find(action);
    if (!model || !ruga_model_can_act(name))
        return fail_argument(
            context, "'%s' is not a model that moves by itself; \"mannequin\", \"arm\" and \"sheet\" are", name);
    if (!motion || strcmp(actors[motion - action_sections], name) != 0)
        return fail_argument(context, "the %s has no action '%s'; ruga_action_get lists all", name, action);
    double used[MAX_FIELDS], acted[ACTION_MAX_FIELDS] = {0};
    TRY(read_values(context, model, values, used));
    TRY(read_values(context, motion, action_values, acted));
    return action_makers[motion - action_sections](context, used, acted, out);
}

ruga_status model_new_uv(ruga_context *context, size_t count, size_t index_count, float **uv, uint32_t **indices) {
    TRY(NEW(context, uv, 2 * count));
    *indices = NULL;
    ruga_status status = index_count > 0 ? NEW(context, indices, index_count) : RUGA_OK;
    if (RUGA_FAILED(status)) memory_release(context, *uv);
    return status;
}

ruga_status model_add_uv(ruga_context *context, mesh_parts *parts, size_t count, float *uv, uint32_t *indices) {
    ruga_domain domain = indices ? RUGA_DOMAIN_CORNER : RUGA_DOMAIN_VERTEX;
    return mesh_parts_add(context, parts, "uv", domain, RUGA_F32, 2, count, uv, indices);
}
