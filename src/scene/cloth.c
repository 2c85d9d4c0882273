/* From an object's cloth and pins to their defs. */
#include "scene/cloth.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ruga/text.h"
#include "scene/object.h"
#include "scene/tables.h"

#define SHEAR_OF_STRETCH 0.1 /* woven cloth shears far more easily than it stretches */

/* ---- The cloth. */

static void take_integrator(const ruga_cloth_def *values, integrator_def *out) {
    out->kind = (integrator_kind)values->integrator;
    out->sweeps = values->sweeps + values->sweeps % 2;
    out->conserve = values->conserve_momentum;
    out->tolerance = values->tolerance;
    out->most_iterations = values->iterations;
}

static void take_material(const ruga_cloth_def *values, const ruga_material_def *material, const ruga_mesh *mesh,
                          cloth_def *out) {
    double stretch = material->stretch;
    out->material = (spring_material){
        .stretch = stretch,
        .shear = isnan(values->shear) ? SHEAR_OF_STRETCH * stretch : values->shear,
        .bend = material->bend,
        .damping_time = stretch > 0 ? cloth_damping_time(mesh, material->damping, stretch, material->density) : 0,
        .phases = {values->compression_soft, values->compression_hard, values->compression_limit},
        .axial = values->axial_bending,
        .quads = values->quads,
    };
    out->density = material->density;
    out->friction = material->friction;
}

ruga_status cloth_def_from(const ruga_scene_def *scene, const ruga_object_def *object, const ruga_cloth_def *values,
                           const ruga_mesh *mesh, cloth_def *out) {
    ruga_material_def material;
    TRY(material_resolve(mesh->context, scene, object->material ? object->material : "cotton", &material));
    *out = cloth_def_default();
    take_integrator(values, &out->integrator);
    take_material(values, &material, mesh, out);
    out->air = (air_law){values->drag, values->lift, (air_lift)values->lift_form};
    out->air_on_points = values->air_on_points;
    out->thickness = values->thickness;
    out->stretch_limit = values->stretch_limit;
    out->limit_rounds = values->limit_rounds;
    out->adaptive = values->adaptive;
    out->most_steps = values->most_steps;
    return RUGA_OK;
}

ruga_status cloth_take_changes(arena *memory, const ruga_cloth_def *values, cloth_def *out) {
    const ruga_cloth_key *given = values->changes.items;
    size_t count = values->changes.count;
    cloth_change *changes = arena_allocate(memory, count, sizeof *changes);
    if (!changes) return fail_memory(memory->context, count * sizeof *changes);
    for (size_t k = 0; k < count; k++) changes[k] = (cloth_change){given[k].time, given[k].stiffness, given[k].mass};
    out->change_count = count;
    out->changes = changes;
    return RUGA_OK;
}

/* ---- Which vertices. */

_Static_assert(offsetof(ruga_pin_fixed_def, choice) == 0 && offsetof(ruga_pin_path_def, choice) == 0 &&
                   offsetof(ruga_pin_follow_def, choice) == 0,
               "every kind of pin begins with its choice");
const ruga_pin_choice *pin_choice(const void *values) { return values; }

static ruga_status mark_where(arena *memory, const ruga_param *where, const ruga_mesh *mesh, unsigned char *chosen) {
    ruga_param loaded;
    TRY(param_load(memory, where, mesh->vertex_count, &loaded));
    double *values = ALLOCATE(mesh->context, double, mesh->vertex_count);
    if (!values) return fail_memory(mesh->context, mesh->vertex_count * sizeof *values);
    ruga_status status = ruga_param_evaluate(&loaded, "where", mesh, 0, values);
    for (size_t i = 0; !RUGA_FAILED(status) && i < mesh->vertex_count; i++) chosen[i] |= values[i] > 0.5;
    memory_release(mesh->context, values);
    return status;
}

/* An absent corner is not a number, and so on neither side of anything. */
static void mark_box(ruga_vec3 from, ruga_vec3 to, const ruga_mesh *mesh, unsigned char *chosen) {
    if (isnan(from.x) && isnan(to.x)) return;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        ruga_vec3 p = mesh->positions[i];
        int outside = p.x < from.x || p.y < from.y || p.z < from.z || p.x > to.x || p.y > to.y || p.z > to.z;
        chosen[i] |= !outside;
    }
}

/* Takes a number off a text; 0 if there is none. */
static int take_number(const char **text, unsigned long *out) {
    if (!isdigit((unsigned char)**text)) return 0;
    char *end;
    *out = strtoul(*text, &end, 10);
    *text = end;
    return 1;
}

static const char *skip(const char *text, const char *characters) { return text + strspn(text, characters); }

/* Numbers and spans with commas or blanks between them: "0-20, 441". */
static ruga_status mark_vertices(const char *text, const ruga_mesh *mesh, unsigned char *chosen) {
    for (const char *at = skip(text, ", "); *at; at = skip(at, ", ")) {
        unsigned long from, to;
        const char *item = at;
        int good = take_number(&at, &from);
        to = from;
        if (good && *(at = skip(at, " ")) == '-') {
            at = skip(at + 1, " ");
            good = take_number(&at, &to);
        }
        if (!good || to < from)
            return fail_with(mesh->context, RUGA_ERROR_INPUT,
                             "\"%.40s\" in the vertices of a pin is no number and no span of rising numbers, such as "
                             "\"0-20, 441\"",
                             item);
        if (to >= mesh->vertex_count)
            return fail_with(mesh->context, RUGA_ERROR_INPUT,
                             "vertex %lu is to be pinned, but the mesh has only %zu, from 0 to %zu", to,
                             mesh->vertex_count, mesh->vertex_count - 1);
        memset(chosen + from, 1, to - from + 1);
    }
    return RUGA_OK;
}

static ruga_status mark_chosen(arena *memory, const ruga_pin_choice *choice, const ruga_mesh *mesh,
                               unsigned char *chosen) {
    TRY(mark_where(memory, &choice->where, mesh, chosen));
    mark_box(choice->box_from, choice->box_to, mesh, chosen);
    return choice->vertices ? mark_vertices(choice->vertices, mesh, chosen) : RUGA_OK;
}

static ruga_status list_chosen(arena *memory, const unsigned char *chosen, size_t vertex_count, cloth_pin_def *out) {
    size_t count = 0;
    for (size_t i = 0; i < vertex_count; i++) count += chosen[i];
    if (count == 0)
        return fail_with(
            memory->context, RUGA_ERROR_INPUT,
            "the pin chooses no vertex: give it \"where\", a box that reaches the mesh as it stands in the "
            "scene, or \"vertices\"");
    uint32_t *vertices = arena_allocate(memory, count, sizeof *vertices);
    if (!vertices) return fail_memory(memory->context, count * sizeof *vertices);
    for (size_t i = 0, at = 0; i < vertex_count; i++)
        if (chosen[i]) vertices[at++] = (uint32_t)i;
    out->count = count;
    out->vertices = vertices;
    return RUGA_OK;
}

ruga_status pin_choose(arena *memory, const ruga_pin_choice *choice, const ruga_mesh *mesh, cloth_pin_def *out) {
    unsigned char *chosen = ALLOCATE_ZEROED(mesh->context, unsigned char, mesh->vertex_count);
    if (!chosen) return fail_memory(mesh->context, mesh->vertex_count);
    ruga_status status = mark_chosen(memory, choice, mesh, chosen);
    if (!RUGA_FAILED(status)) status = list_chosen(memory, chosen, mesh->vertex_count, out);
    memory_release(mesh->context, chosen);
    return status;
}

/* ---- Where they go. */

ruga_status pin_path(arena *memory, const ruga_pin_path_def *values, cloth_pin_def *out) {
    const ruga_pin_key *given = values->keys.items;
    size_t count = values->keys.count;
    cloth_path_key *keys = arena_allocate(memory, count, sizeof *keys);
    if (!keys) return fail_memory(memory->context, count * sizeof *keys);
    for (size_t k = 0; k < count; k++) keys[k] = (cloth_path_key){given[k].time, given[k].move};
    out->key_count = count;
    out->keys = keys;
    return RUGA_OK;
}

static ruga_status fail_unknown_object(ruga_context *context, const ruga_scene_def *scene, const char *name) {
    enum { MOST_NAMES = 256 };
    const char *names[MOST_NAMES];
    size_t count = 0;
    const ruga_object_def *objects = scene->objects.items;
    for (size_t i = 0; i < scene->objects.count && count < MOST_NAMES; i++)
        if (objects[i].name) names[count++] = objects[i].name;
    const char *nearest = ruga_nearest_word(name, names, count);
    if (nearest)
        return fail_with(context, RUGA_ERROR_INPUT, "there is no object \"%s\" to follow; did you mean \"%s\"?", name,
                         nearest);
    return fail_with(context, RUGA_ERROR_INPUT,
                     "there is no object \"%s\" to follow; give the name of one of the objects", name);
}

ruga_status pin_leader(ruga_context *context, const ruga_scene_def *scene, size_t own, const char *name, size_t *out) {
    const ruga_object_def *objects = scene->objects.items;
    size_t i = 0;
    while (i < scene->objects.count && !(objects[i].name && strcmp(objects[i].name, name) == 0)) i++;
    if (i == scene->objects.count) return fail_unknown_object(context, scene, name);
    if (i == own)
        return fail_with(context, RUGA_ERROR_INPUT, "the pin follows its own object, which can't lead itself");
    if (i > own)
        return fail_with(context, RUGA_ERROR_INPUT,
                         "the pin follows \"%s\", which stands after \"%s\" in the list of objects; what leads has to "
                         "stand before what follows it",
                         name, objects[own].name ? objects[own].name : "");
    *out = i;
    return RUGA_OK;
}
