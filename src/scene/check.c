/* ruga_description_check: a build that collects findings, and the findings that need no build: materials, times,
 * surroundings without effect. The scene that was built is kept for running the description. */
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "scene/build.h"
#include "scene/checked.h"
#include "scene/frame_intersections.h"
#include "scene/tables.h"

static ruga_status warn(builder *b, const void *value, const char *text) {
    return build_found(&b->base, value, RUGA_WARNING_INPUT, "%s", text);
}

/* ---- Materials. */

static ruga_status check_material(builder *b, size_t i) {
    const ruga_scene_def *def = b->base.scene;
    const ruga_material_def *materials = def->materials.items, *m = &materials[i];
    if (!m->name) return RUGA_OK;
    if (material_find(&b->materials, m->name) != i)
        return build_found(&b->base, &m->name, RUGA_ERROR_INPUT,
                           "there is another material \"%s\"; give each a name of its own", m->name);
    if (material_is_reported_elsewhere(&b->materials, i)) return RUGA_OK;
    ruga_material_def whole;
    ruga_status status = material_get(&b->materials, m->name, &whole);
    return build_about(&b->base, m->like ? (const void *)&m->like : &m->name, status);
}

ruga_status check_before(builder *b) {
    const ruga_scene_def *def = b->base.scene;
    if (def->time.frames <= 0)
        TRY(warn(b, &def->time.frames, "no frames will be written; 1 writes the first frame only"));
    for (size_t i = 0; i < def->materials.count; i++) {
        if (i % 256 == 0) TRY(report_progress(b->base.context, "checking", (double)i / (double)def->materials.count));
        TRY(check_material(b, i));
    }
    if (def->objects.count == 0 && !b->errors) TRY(warn(b, &def->objects, "there are no objects, so nothing happens"));
    return RUGA_OK;
}

/* ---- Bodies that have dynamics. */

static double shortest_edge(const ruga_mesh *mesh) {
    double shortest = INFINITY;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t from = mesh->triangles[i], to = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        shortest = fmin(shortest, vec3_distance(mesh->positions[from], mesh->positions[to]));
    }
    return shortest;
}

static ruga_status check_thickness(builder *b) {
    const ruga_object_def *object = b->base.object;
    double thickness = b->base.body->touch.thickness, shortest = shortest_edge(b->base.mesh);
    /* Where it is written: the object's contact, or the body's own field. */
    const ruga_field *own = ruga_section_field(object->body.section, "thickness");
    const void *place = isnan(object->contact.thickness) && object->body.values && own
                            ? (const void *)((const char *)object->body.values + own->offset)
                            : &object->contact.thickness;
    if (!(thickness > 0))
        return warn(b, place,
                    "it collides without a thickness: it gets 0.001 times its mean edge; give it one, such as 0.001 m");
    /* The short edges of creases need no thickness: both sides may come near. */
    if (!object->contact.self || thickness <= shortest || body_is_given(&b->base.body->given)) return RUGA_OK;
    return build_found(
        &b->base, place, RUGA_WARNING_INPUT,
        "the thickness is %.4g m, more than the shortest edge of the mesh, %.4g m: parts that are nearer "
        "to each other at rest keep that distance; cloth folds better with a thickness below its edges",
        thickness, shortest);
}

/* Vertices that begin inside a collider are moved onto it in the first step, or contact deals with them. */
static ruga_status check_colliders_around(builder *b) {
    static const char *const then[] = {"they are put on its surface in the first step",
                                       "contact.start chooses what happens where it intersects them",
                                       "contact pushes them out, a little in every step"};
    const environment *e = world_environment(b->made->world);
    const ruga_mesh *mesh = b->base.mesh;
    int by_contact = b->base.scene->contact.on && b->base.object->contact.collides;
    for (size_t k = 0; k < e->collider_count; k++) {
        size_t inside = 0;
        for (size_t i = 0; i < mesh->vertex_count; i++) {
            ruga_vec3 normal;
            inside += collider_distance(&e->colliders[k], mesh->positions[i], &normal) < 0;
        }
        if (inside > 0)
            TRY(build_found(&b->base, &b->base.object->body, RUGA_WARNING_INPUT,
                            "%zu of its %zu vertices begin inside colliders[%zu]; %s", inside, mesh->vertex_count, k,
                            then[by_contact ? 1 + (e->colliders[k].kind == COLLIDER_PLANE) : 0]));
    }
    return RUGA_OK;
}

ruga_status check_dynamic_body(builder *b) {
    if (b->base.scene->contact.on && b->base.object->contact.collides) TRY(check_thickness(b));
    return check_colliders_around(b);
}

/* ---- Surroundings. */

static ruga_status check_surroundings(builder *b) {
    const ruga_scene_def *def = b->base.scene;
    const ruga_wind_def *air = &def->wind;
    unsigned inside = b->flags[KIND_INSIDE], felt = inside | b->flags[KIND_BODY] | b->flags[KIND_ON_TOP];
    if (def->colliders.count > 0 && !(felt & KIND_FEELS_COLLIDERS))
        TRY(warn(b, &def->colliders,
                 "colliders have no effect: no object has a body such as \"cloth\" or \"lattice\", a hook such as "
                 "\"collide\", or a detail such as \"shell\""));
    if (def->colliders.count == 0 && (inside & KIND_FEELS_COLLIDERS))
        TRY(warn(b, &def->objects, "an object collides, but there is nothing in \"colliders\""));
    int blows = vec3_length2(air->velocity) > 0 || air->function;
    if (blows && !(felt & KIND_FEELS_WIND))
        TRY(warn(b, &air->velocity,
                 "the wind has no effect: no object has a body such as \"cloth\" or a detail such as \"jiggle\""));
    if (!blows && air->gust > 0)
        TRY(warn(b, &air->gust, "gusts are a fraction of the mean speed, which is 0; give the wind a velocity"));
    /* Gravity of the earth is the default; another one was asked for. */
    ruga_vec3 usual = ruga_scene_def_default().gravity;
    if (vec3_distance(usual, def->gravity) != 0 && !(felt & KIND_FEELS_GRAVITY))
        TRY(warn(b, &def->gravity, "gravity has no effect: it moves no object"));
    return RUGA_OK;
}

/* Files that hold every frame of an object need one number of vertices. */
ruga_status check_changes(builder *b) {
    const uint32_t caches = 1u << RUGA_OUTPUT_PC2 | 1u << RUGA_OUTPUT_GLB | 1u << RUGA_OUTPUT_USDA;
    const ruga_output_def *output = &b->base.scene->output;
    const ruga_scene *scene = b->made;
    for (size_t i = 0; i < scene->changes.count; i++) {
        size_t object = scene->changes.items[i].object;
        if (i > 0 && scene->changes.items[i - 1].object == object) continue;
        TRY(build_about(&b->base, &b->base.scene->objects, world_can_change(scene->world, object)));
        if (!b->findings || !(output->formats & caches)) continue;
        TRY(build_found(
            &b->base, &output->formats, RUGA_ERROR_INPUT,
            "object \"%s\" changes its number of vertices at %g s, which pc2, glb and usda can't store; choose "
            "obj or ply, or lock its creases by \"active\" instead of cutting them while the scene runs",
            world_object_name(scene->world, object), scene->changes.items[i].time));
    }
    return RUGA_OK;
}

/* ---- Contact. */

static int anything_collides(const builder *b) {
    const ruga_object_def *objects = b->base.scene->objects.items;
    for (size_t i = 0; i < b->base.scene->objects.count; i++) {
        const kind *k = kind_find(b->more_kinds, objects[i].body.section, KIND_BODY);
        if (k && (k->flags & KIND_HAS_DYNAMICS) && objects[i].contact.collides) return 1;
    }
    return 0;
}

static ruga_status check_start(builder *b) {
    static const char *const then[] = {
        "; a run stops there: move them apart, or choose \"go_on\" or \"untangle\"",
        "; they are ignored until they are apart",
        "; they are pushed apart",
    };
    const ruga_scene_def *def = b->base.scene;
    const ruga_scene_intersection *found;
    size_t count;
    TRY(scene_settle(b->made));
    TRY(ruga_scene_intersections(b->made, &found, &count));
    if (count == 0) return RUGA_OK;
    char text[400];
    crossings_describe(b->made, found, count, text, sizeof text);
    return build_found(&b->base, &def->contact.start, RUGA_WARNING_INPUT, "before the first frame %s%s", text,
                       then[def->contact.start]);
}

ruga_status check_after(builder *b) {
    const ruga_scene_def *def = b->base.scene;
    TRY(check_surroundings(b));
    if (!def->contact.on) return RUGA_OK;
    if (!anything_collides(b))
        return warn(b, &def->contact, "contact has no effect: no object with dynamics, such as cloth, collides");
    return b->errors ? RUGA_OK : build_about(&b->base, &def->objects, check_start(b));
}

/* ---- The description. */

ruga_status ruga_description_check(ruga_description *description) {
    TRY(checked_build(description));
    description_sort_findings(description);
    return description_verdict(description);
}
