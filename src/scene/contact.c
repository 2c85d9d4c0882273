/* From the rows of contact to its def. */
#include "scene/contact.h"

#include <math.h>
#include <string.h>

#include "ruga/text.h"
#include "scene/tables.h"

/* ---- Objects. */

ruga_status touch_from(ruga_context *context, const ruga_scene_def *scene, const ruga_object_def *object,
                       body_touch *touch) {
    const ruga_object_contact_def *values = &object->contact;
    ruga_material_def material;
    touch->collides = values->collides;
    touch->self = values->self;
    if (!isnan(values->thickness)) touch->thickness = values->thickness;
    if (object->material && object->body.section != &body_cloth_section) {
        TRY(material_resolve(context, scene, object->material, &material));
        touch->friction = material.friction;
    }
    if (!isnan(values->friction)) touch->friction = values->friction;
    return RUGA_OK;
}

/* ---- Exclusions. */

ruga_status exclusion_check(ruga_context *context, const ruga_scene_def *scene, const char *name) {
    enum { MOST_NAMES = 256 };
    const char *names[MOST_NAMES];
    size_t count = 0;
    const ruga_object_def *objects = scene->objects.items;
    for (size_t i = 0; i < scene->objects.count; i++) {
        if (!objects[i].name) continue;
        if (strcmp(objects[i].name, name) == 0) return RUGA_OK;
        if (count < MOST_NAMES) names[count++] = objects[i].name;
    }
    const char *nearest = ruga_nearest_word(name, names, count);
    if (nearest)
        return fail_with(context, RUGA_ERROR_INPUT, "there is no object \"%s\" to exclude; did you mean \"%s\"?", name,
                         nearest);
    return fail_with(context, RUGA_ERROR_INPUT,
                     "there is no object \"%s\" to exclude; give the name of one of the objects", name);
}

static int collides(const ruga_scene_def *scene, const char *name) {
    const ruga_object_def *objects = scene->objects.items;
    for (size_t i = 0; i < scene->objects.count; i++)
        if (objects[i].name && strcmp(objects[i].name, name) == 0) return objects[i].contact.collides;
    return 0;
}

static ruga_status take_exclusions(arena *memory, const ruga_scene_def *scene, contact_def *out) {
    const ruga_exclusion_def *given = scene->contact.exclusions.items;
    size_t count = scene->contact.exclusions.count;
    contact_exclusion *exclusions = arena_allocate(memory, count + 1, sizeof *exclusions);
    if (!exclusions) return fail_memory(memory->context, count * sizeof *exclusions);
    for (size_t i = 0; i < count; i++) {
        TRY(exclusion_check(memory->context, scene, given[i].object));
        TRY(exclusion_check(memory->context, scene, given[i].other));
        if (collides(scene, given[i].object) && collides(scene, given[i].other))
            exclusions[out->exclusion_count++] = (contact_exclusion){{given[i].object, given[i].other}};
    }
    out->exclusions = exclusions;
    return RUGA_OK;
}

ruga_status contact_def_from(arena *memory, const ruga_scene_def *scene, contact_def *out) {
    const ruga_contact_def *values = &scene->contact;
    *out = contact_def_default();
    out->exclusion_count = 0;
    out->repulsion.spring = values->spring;
    out->repulsion.static_ratio = values->friction_at_rest;
    out->repulsion.rounds = values->rounds;
    out->separation = values->separation;
    out->impact_rounds = values->impact_rounds;
    out->most_cuts = values->cuts;
    out->strict = values->strict;
    out->start = (contact_start)values->start;
    return take_exclusions(memory, scene, out);
}
