/* A description becomes a scene: surroundings, objects, contact. */
#include "scene/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "field/values.h"
#include "scene/contact.h"
#include "scene/kinds.h"
#include "scene/object.h"
#include "scene/surroundings.h"
#include "scene/tables.h"

#define CONTACT_RATE 96.0 /* substeps per second at least, where cloth collides and none are given */

/* ---- Services for makers. */

static ruga_status found(build *base, const void *value, ruga_status status, const char *message) {
    builder *b = (builder *)base;
    const size_t before = b->errors;
    if (RUGA_FAILED(status)) b->errors++;
    if (b->findings) return description_found(b->findings, value, status, "%s", message);
    if (!RUGA_FAILED(status)) return RUGA_OK;
    /* The first error ends the build. Callers that it passes report it again, about the thing they made. */
    if (before > 0) return status;
    char path[256], copy[sizeof base->context->message];
    snprintf(copy, sizeof copy, "%s", message); /* it may be the context's own */
    if (base->object) {
        values_path(ruga_scene_section_find("objects"), base->object, value, path, sizeof path);
        return fail_with(base->context, status, "object \"%s\": %s%s%s", base->object->name, path, path[0] ? ": " : "",
                         copy);
    }
    values_path(&scene_section, base->scene, value, path, sizeof path);
    return fail_with(base->context, status, "%s%s%s", path, path[0] ? ": " : "", copy);
}

static ruga_status find_body(build *base, const char *name, const body **out) {
    builder *b = (builder *)base;
    size_t leader;
    *out = NULL;
    TRY(object_before(base->context, base->scene, b->index, name, &leader));
    if (b->world_objects[leader] != NOT_MADE) *out = world_body(b->made->world, b->world_objects[leader]);
    return RUGA_OK;
}

static ruga_status find_material(build *base, const char *preset, ruga_material_def *out) {
    builder *b = (builder *)base;
    if (!base->object->material) return material_get(&b->materials, preset, out);
    *out = b->material;
    if (!b->has_material) base->errors++;
    return RUGA_OK;
}

static ruga_status read_mesh(build *base, const char *path, double unit, int up, const ruga_mesh **out) {
    builder *b = (builder *)base;
    ruga_file_def def = base->file;
    object_mesh read = {0};
    def.mesh = NULL;
    if (!isnan(unit)) def.unit = unit;
    if (up >= 0) def.up = (ruga_axis)up;
    TRY(ARRAY_RESERVE(base->context, &b->made->meshes, 1));
    TRY(ruga_mesh_read(base->context, path, &def, &read.made));
    read.mesh = read.made;
    TRY_OR(object_mesh_place(base->object, &read), ruga_mesh_destroy(read.made));
    *out = b->made->meshes.items[b->made->meshes.count++] = read.made;
    return RUGA_OK;
}

static ruga_status keep(build *base, ruga_mesh *mesh, ruga_map *map) {
    ruga_scene *scene = ((builder *)base)->made;
    ruga_status status = ARRAY_RESERVE(base->context, &scene->meshes, 1);
    if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(base->context, &scene->maps, 1);
    if (RUGA_FAILED(status)) {
        ruga_mesh_destroy(mesh);
        ruga_map_destroy(map);
        return status;
    }
    if (mesh) scene->meshes.items[scene->meshes.count++] = mesh;
    if (map) scene->maps.items[scene->maps.count++] = map;
    return RUGA_OK;
}

static ruga_status change_later(build *base, double time, const body_change *change) {
    builder *b = (builder *)base;
    if (!(b->kind->flags & KIND_CUTS))
        return fail_argument(base->context, "the kind \"%s\" changes its body's mesh, but has no flag KIND_CUTS",
                             b->kind->section.name);
    scene_change added = {.object = b->world_objects[b->index], .time = time, .change = *change};
    if (b->mask && change->vertices_from_old) {
        TRY(touch_mask_carry(base, change->vertices_from_old, &b->mask));
        TRY(touch_mask_simulated(base, change->mesh, b->mask, &added.change.simulated));
    }
    return ARRAY_ADD(base->context, &b->made->changes, added);
}

/* ---- Surroundings. */

static ruga_status make_surroundings(builder *b) {
    const ruga_scene_def *def = b->base.scene;
    const ruga_variant *variants = def->colliders.items;
    environment made = {.gravity = def->gravity, .wind = wind_make(&def->wind)};
    collider *colliders = NULL;
    TRY(ARENA_NEW(b->base.memory, &colliders, def->colliders.count + 1));
    for (size_t i = 0; i < def->colliders.count; i++) {
        const void *values;
        if (!variants[i].section) continue; /* the reader reported it */
        TRY(variant_values(b->base.memory, &variants[i], &values));
        collider *next = &colliders[made.collider_count];
        size_t errors = b->errors;
        TRY(collider_make(&b->base, &variants[i], values, next));
        if (b->errors == errors) made.collider_count++;
    }
    made.colliders = colliders;
    *world_environment(b->made->world) = made;
    return RUGA_OK;
}

/* ---- Contact. */

static ruga_status make_contact(builder *b) {
    ruga_scene *scene = b->made;
    const ruga_scene_def *def = b->base.scene;
    contact_def of_contact = {.values = def->contact};
    contact *made = NULL;
    TRY(contact_find_exclusions(&b->base, &of_contact));
    if (b->errors) return RUGA_OK;
    TRY(crossings_prepare(scene, def));
    if (!def->contact.on) return RUGA_OK;
    const environment *surroundings = world_environment(scene->world);
    of_contact.collider_count = surroundings->collider_count;
    of_contact.colliders = surroundings->colliders;
    TRY(build_about(&b->base, &def->contact, contact_create(scene->context, &of_contact, &made)));
    scene->checks_frames = def->contact.check;
    scene->keeps_apart = 1;
    return made ? world_set_contact(scene->world, made) : RUGA_OK;
}

/* ---- The scene. */

static ruga_status check_values(const builder *b) {
    const ruga_section *more[64] = {0};
    size_t count = 0;
    for (; b->more_kinds && b->more_kinds[count] && count + 1 < sizeof more / sizeof more[0]; count++)
        more[count] = &b->more_kinds[count]->section;
    return values_check(b->base.context, &scene_section, b->base.scene, more);
}

static ruga_status make_all(builder *b) {
    ruga_scene *scene = b->made;
    const ruga_scene_def *def = b->base.scene;
    if (!b->findings) TRY(check_values(b)); /* the reader of a description has done so */
    TRY(world_create(scene->context, &scene->world));
    world_set_frame_length(scene->world, 1 / def->time.fps);
    TRY(material_table_make(b->base.memory, def, &b->materials));
    if (b->findings) TRY(check_before(b));
    TRY(make_surroundings(b));
    for (size_t i = 0; i < def->objects.count; i++) {
        TRY(report_progress(scene->context, "building", (double)i / (double)def->objects.count));
        TRY(build_object(b, i));
    }
    b->base.object = NULL;
    TRY(report_progress(scene->context, "building", 1));
    TRY(make_contact(b));
    TRY(check_changes(b));
    if (b->findings) TRY(check_after(b));
    if (b->errors) return RUGA_OK;
    return scene_list_measures(scene);
}

/* A body that collides and asks for short steps. */
static int needs_short_steps(const kind *const *more, const ruga_scene_def *def) {
    for (size_t i = 0; def->contact.on && i < def->objects.count; i++) {
        const ruga_object_def *object = (const ruga_object_def *)def->objects.items + i;
        const kind *k = object->body.section ? kind_find(more, object->body.section, KIND_BODY) : NULL;
        if (object->contact.collides && k && (k->flags & KIND_LANDS_IN_SHORT_STEPS)) return 1;
    }
    return 0;
}

/* Of a frame. In longer steps cloth that lands crosses several thicknesses at once: contact then stops its vertices
 * after the solve, which adds energy. */
static int choose_substeps(const kind *const *more, const ruga_scene_def *def) {
    if (def->time.substeps > 0) return def->time.substeps;
    return needs_short_steps(more, def) ? (int)fmax(1, ceil(CONTACT_RATE / def->time.fps - 1e-9)) : 1;
}

ruga_status scene_build(ruga_context *context, const ruga_scene_def *def, const kind *const *more_kinds,
                        ruga_description *findings, ruga_scene **out) {
    static const build_interface interface = {found, find_body, find_material, read_mesh, keep, change_later};
    *out = NULL;
    ruga_scene *scene = NULL;
    TRY(NEW_ZEROED(context, &scene, 1));
    scene->context = context;
    scene->memory = arena_make(context);
    scene->time = def->time;
    scene->time.substeps = choose_substeps(more_kinds, def);
    scene->frame = def->time.start_frame - 1;
    builder b = {.made = scene, .findings = findings, .more_kinds = more_kinds};
    b.base = (build){.interface = &interface,
                     .context = context,
                     .memory = &scene->memory,
                     .scene = def,
                     .incomplete = findings && description_has_errors(findings)};
    b.errors = (size_t)b.base.incomplete;
    ruga_status status = ARENA_NEW(&scene->memory, &b.world_objects, def->objects.count + 1);
    if (!RUGA_FAILED(status)) status = make_all(&b);
    if (!RUGA_FAILED(status) && !b.errors)
        *out = scene;
    else
        ruga_scene_destroy(scene);
    return status;
}

ruga_status scene_create_with_kinds(ruga_context *context, const ruga_scene_def *def, const kind *const *more_kinds,
                                    ruga_scene **out) {
    if (!context || !out) return RUGA_ERROR_ARGUMENT;
    if (!def || def->cookie != RUGA_COOKIE)
        return fail_argument(context, "a scene's def must be made by ruga_scene_def_default");
    ruga_scene *scene = NULL;
    TRY(scene_build(context, def, more_kinds, NULL, &scene));
    RETURN_MADE(scene_settle(scene), scene, out, ruga_scene_destroy(scene));
}

ruga_status ruga_scene_create(ruga_context *context, const ruga_scene_def *def, ruga_scene **out) {
    return scene_create_with_kinds(context, def, NULL, out);
}
