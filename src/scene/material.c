/* Materials by name: a scene's own, then the presets; what one leaves open comes from the one it is like. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/name_advice.h"
#include "field/words.h"
#include "scene/material.h"

#define MAX_NAMES 256 /* that are compared with an unknown one */
#define CIRCLE_NAMES 6

/* The material that `like` leads to. */
enum { LIKE_NOTHING = -1, LIKE_PRESET = -2, LIKE_UNKNOWN = -3 };

typedef enum material_state { NEW_MATERIAL, ON_PATH, WHOLE, UNKNOWN, CIRCLE } material_state;

struct material_entry {
    const ruga_material_def *def;
    const ruga_material_def *preset; /* with LIKE_PRESET */
    int64_t like;                    /* the number of another entry, or LIKE_… */
    material_state state;
    size_t culprit; /* UNKNOWN: the entry that is like a name which is not there; CIRCLE: the first one of the circle */
    ruga_material_def whole;
};

/* ---- Finding. */

static const ruga_material_def *find_preset(const char *name) {
    for (size_t i = 0; i < ruga_material_preset_count(); i++)
        if (strcmp(ruga_material_preset_get(i)->values.name, name) == 0) return &ruga_material_preset_get(i)->values;
    return NULL;
}

/* By name; of equal names the first of the scene comes first. */
static int compare_entries(const material_table *t, uint32_t a, uint32_t b) {
    const char *x = t->entries[a].def->name, *y = t->entries[b].def->name;
    int order = strcmp(x ? x : "", y ? y : "");
    return order ? order : (a > b) - (a < b);
}

static void merge_sort(const material_table *t, uint32_t *items, uint32_t *room, size_t count) {
    if (count < 2) return;
    const size_t half = count / 2;
    merge_sort(t, items, room, half);
    merge_sort(t, items + half, room, count - half);
    memcpy(room, items, count * sizeof *room);
    for (size_t k = 0, a = 0, b = half; k < count; k++)
        items[k] = b == count || (a < half && compare_entries(t, room[a], room[b]) < 0) ? room[a++] : room[b++];
}

size_t material_find(const material_table *t, const char *name) {
    size_t low = 0, high = t->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *other = t->entries[t->order[middle]].def->name;
        if (strcmp(other ? other : "", name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == t->count) return MATERIAL_NONE;
    const char *found = t->entries[t->order[low]].def->name;
    return found && strcmp(found, name) == 0 ? t->order[low] : MATERIAL_NONE;
}

static ruga_status fail_unknown(const material_table *t, const char *name) {
    const char *names[MAX_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < ruga_material_preset_count(); i++) names[count++] = ruga_material_preset_get(i)->values.name;
    for (size_t i = 0; i < t->count && count < MAX_NAMES; i++)
        if (t->entries[i].def->name) names[count++] = t->entries[i].def->name;
    name_advice advice;
    advise_name(name, names, count, advice);
    return fail_input(t->context, "there is no material \"%s\"; %s; \"materials\" can define others", name, advice);
}

/* "a" is like "b" is like "a". Of a long circle the first names are listed, with their number. */
static ruga_status fail_circle(const material_table *t, size_t first) {
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "\"%.40s\"", t->entries[first].def->name), i = first, count = 0;
    do {
        i = (size_t)t->entries[i].like;
        if (count++ < CIRCLE_NAMES)
            used += (size_t)snprintf(text + used, sizeof text - used, " is like \"%.40s\"", t->entries[i].def->name);
    } while (i != first);
    if (count > CIRCLE_NAMES) snprintf(text + used, sizeof text - used, ", … (%zu in all)", count);
    return fail_input(t->context, "materials are like each other in a circle: %s; give one of them numbers", text);
}

static double *material_number(ruga_material_def *m, size_t i) {
    double *const numbers[] = {&m->density, &m->thickness, &m->stretch,      &m->bend,        &m->poisson,
                               &m->damping, &m->friction,  &m->strain_limit, &m->shear_ratio, &m->bend_friction};
    return i < sizeof numbers / sizeof numbers[0] ? numbers[i] : NULL;
}

/* Numbers that are still open are taken from another. */
static void fill_from(ruga_material_def *out, const ruga_material_def *other) {
    ruga_material_def source = *other;
    for (size_t i = 0; material_number(out, i); i++)
        if (isnan(*material_number(out, i))) *material_number(out, i) = *material_number(&source, i);
}

static ruga_status check_whole(ruga_context *context, const char *name, ruga_material_def *m) {
    static const char *const names[] = {"density", "thickness", "stretch",      "bend",        "poisson",
                                        "damping", "friction",  "strain_limit", "shear_ratio", "bend_friction"};
    for (size_t i = 0; material_number(m, i); i++)
        if (isnan(*material_number(m, i)))
            return fail_input(context,
                              "material \"%s\" has no %s; give it, or say what it is like: \"like\": \"cotton\"", name,
                              names[i]);
    return RUGA_OK;
}

/* ---- Resolving: each once. */

/* A scene's own material may be called like a preset, and then be like it: the preset is looked up past it. */
static void follow_like(material_table *t, size_t i) {
    material_entry *m = &t->entries[i];
    m->like = LIKE_NOTHING;
    if (!m->def->like) return;
    const int is_itself = m->def->name && strcmp(m->def->like, m->def->name) == 0;
    const size_t own = is_itself ? MATERIAL_NONE : material_find(t, m->def->like);
    m->preset = own == MATERIAL_NONE ? find_preset(m->def->like) : NULL;
    m->like = own != MATERIAL_NONE ? (int64_t)own : m->preset ? LIKE_PRESET : is_itself ? (int64_t)i : LIKE_UNKNOWN;
}

/* The circle that entry i is in: the first of its entries is the culprit of all. */
static void close_circle(material_table *t, size_t i) {
    size_t first = i;
    for (size_t k = (size_t)t->entries[i].like; k != i; k = (size_t)t->entries[k].like)
        if (k < first) first = k;
    size_t k = i;
    do {
        t->entries[k].state = CIRCLE;
        t->entries[k].culprit = first;
        k = (size_t)t->entries[k].like;
    } while (k != i);
}

/* An entry whose `like` has been resolved. */
static void complete(material_table *t, size_t i) {
    material_entry *m = &t->entries[i];
    m->state = m->like == LIKE_UNKNOWN ? UNKNOWN : WHOLE;
    m->culprit = i;
    m->whole = *m->def;
    if (m->preset) fill_from(&m->whole, m->preset);
    if (m->like < 0) return;
    const material_entry *next = &t->entries[m->like];
    m->state = next->state;
    m->culprit = next->culprit;
    fill_from(&m->whole, &next->whole);
}

/* Walks along `like` to an entry that is known or on the path already, and back. */
static void resolve_from(material_table *t, size_t begin, uint32_t *path) {
    size_t length = 0;
    int64_t i = (int64_t)begin;
    while (i >= 0 && t->entries[i].state == NEW_MATERIAL) {
        t->entries[i].state = ON_PATH;
        path[length++] = (uint32_t)i;
        i = t->entries[i].like;
    }
    if (i >= 0 && t->entries[i].state == ON_PATH) close_circle(t, (size_t)i);
    while (length-- > 0)
        if (t->entries[path[length]].state == ON_PATH) complete(t, path[length]);
}

ruga_status material_table_make(arena *memory, const ruga_scene_def *def, material_table *out) {
    const ruga_material_def *materials = def->materials.items;
    uint32_t *room = NULL;
    *out = (material_table){.context = memory->context, .count = def->materials.count};
    TRY(ARENA_NEW(memory, &out->entries, out->count + 1));
    TRY(ARENA_NEW(memory, &out->order, out->count + 1));
    TRY(ARENA_NEW(memory, &room, out->count + 1));
    for (size_t i = 0; i < out->count; i++) {
        out->entries[i] = (material_entry){.def = &materials[i]};
        out->order[i] = (uint32_t)i;
    }
    merge_sort(out, out->order, room, out->count);
    for (size_t i = 0; i < out->count; i++) follow_like(out, i);
    for (size_t i = 0; i < out->count; i++) resolve_from(out, i, room);
    return RUGA_OK;
}

int material_is_reported_elsewhere(const material_table *t, size_t i) {
    return t->entries[i].state != WHOLE && t->entries[i].culprit != i;
}

ruga_status material_get(const material_table *t, const char *name, ruga_material_def *out) {
    const size_t i = material_find(t, name);
    const ruga_material_def *preset = i == MATERIAL_NONE ? find_preset(name) : NULL;
    if (i == MATERIAL_NONE && !preset) return fail_unknown(t, name);
    ruga_material_def result = preset ? *preset : t->entries[i].whole;
    if (!preset && t->entries[i].state == CIRCLE) return fail_circle(t, t->entries[i].culprit);
    if (!preset && t->entries[i].state == UNKNOWN) return fail_unknown(t, t->entries[t->entries[i].culprit].def->like);
    result.like = NULL;
    if (isnan(result.strain_limit)) result.strain_limit = 0;
    if (isnan(result.shear_ratio)) result.shear_ratio = 0.1;
    if (isnan(result.bend_friction)) result.bend_friction = 0;
    TRY(check_whole(t->context, name, &result));
    *out = result;
    return RUGA_OK;
}
