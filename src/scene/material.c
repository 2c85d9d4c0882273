/* Materials by name: a scene's own, then the presets; what one leaves open comes from the one it is like. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "ruga/text.h"
#include "scene/field.h"
#include "scene/tables.h"

#define MAX_NAMES 256

/* A scene's own material may be called like a preset, and then be like it: the preset is looked up past it. */
static const ruga_material_def *find_material(const ruga_scene_def *def, const char *name, int own) {
    const ruga_material_def *materials = def->materials.items;
    for (size_t i = 0; own && i < def->materials.count; i++)
        if (materials[i].name && strcmp(materials[i].name, name) == 0) return &materials[i];
    for (size_t i = 0; i < ruga_material_preset_count(); i++)
        if (strcmp(ruga_material_preset_get(i)->values.name, name) == 0) return &ruga_material_preset_get(i)->values;
    return NULL;
}

static ruga_status fail_unknown(ruga_context *context, const ruga_scene_def *def, const char *name) {
    const char *names[MAX_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < ruga_material_preset_count(); i++) names[count++] = ruga_material_preset_get(i)->values.name;
    const ruga_material_def *materials = def->materials.items;
    for (size_t i = 0; i < def->materials.count && count < MAX_NAMES; i++)
        if (materials[i].name) names[count++] = materials[i].name;
    const char *nearest = ruga_nearest_word(name, names, count);
    if (nearest)
        return fail_with(context, RUGA_ERROR_INPUT, "there is no material \"%s\"; did you mean \"%s\"?", name, nearest);
    return fail_with(context, RUGA_ERROR_INPUT,
                     "there is no material \"%s\"; define it in \"materials\" or take a preset such as \"cotton\"",
                     name);
}

/* "a is like b is like a". */
static ruga_status fail_cycle(ruga_context *context, const ruga_scene_def *def, const ruga_material_def *first) {
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "\"%s\"", first->name);
    const ruga_material_def *m = first;
    do {
        m = find_material(def, m->like, 1);
        if (used < sizeof text) used += (size_t)snprintf(text + used, sizeof text - used, " is like \"%s\"", m->name);
    } while (m != first && used < sizeof text);
    return fail_with(context, RUGA_ERROR_INPUT,
                     "materials are like each other in a circle: %s; give one of them numbers", text);
}

static double *material_number(ruga_material_def *m, size_t i) {
    double *const numbers[] = {&m->density, &m->thickness, &m->stretch, &m->bend,
                               &m->poisson, &m->damping,   &m->friction};
    return i < sizeof numbers / sizeof numbers[0] ? numbers[i] : NULL;
}

/* Numbers that are still open are taken from another. */
static void fill_from(ruga_material_def *out, const ruga_material_def *other) {
    ruga_material_def source = *other;
    for (size_t i = 0; material_number(out, i); i++)
        if (isnan(*material_number(out, i))) *material_number(out, i) = *material_number(&source, i);
}

static ruga_status check_whole(ruga_context *context, const char *name, ruga_material_def *m) {
    static const char *const names[] = {"density", "thickness", "stretch", "bend", "poisson", "damping", "friction"};
    for (size_t i = 0; material_number(m, i); i++)
        if (isnan(*material_number(m, i)))
            return fail_with(context, RUGA_ERROR_INPUT,
                             "material \"%s\" has no %s; give it, or say what it is like: \"like\": \"cotton\"", name,
                             names[i]);
    return RUGA_OK;
}

ruga_status material_resolve(ruga_context *context, const ruga_scene_def *def, const char *name,
                             ruga_material_def *out) {
    const ruga_material_def *first = find_material(def, name, 1), *m = first;
    if (!m) return fail_unknown(context, def, name);
    ruga_material_def result = *m;
    for (size_t steps = 0; m->like; steps++) {
        int is_itself = strcmp(m->like, m->name) == 0; /* then the preset of its name is meant */
        const ruga_material_def *next = find_material(def, m->like, !is_itself);
        if (steps > def->materials.count || (is_itself && !next)) return fail_cycle(context, def, m);
        if (!next) return fail_unknown(context, def, m->like);
        fill_from(&result, next);
        m = next;
    }
    result.name = first->name;
    result.like = NULL;
    TRY(check_whole(context, name, &result));
    *out = result;
    return RUGA_OK;
}
