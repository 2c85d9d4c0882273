/* Meshes that become others while a scene runs. A change is made between two steps, in the order of the object's list:
 * the body's revision counts those that were made, so that a state that is restored continues with the right one. */
#include "geom/bvh.h"
#include "geom/intersections.h"
#include "mesh/mesh.h"
#include "scene/scene.h"

/* The change that an object makes next; NULL: none is left. */
static scene_change *next_change(const ruga_scene *scene, size_t object) {
    uint64_t made = world_body(scene->world, object)->revision;
    for (size_t i = 0; i < scene->changes.count; i++)
        if (scene->changes.items[i].object == object && made-- == 0) return &scene->changes.items[i];
    return NULL;
}

/* The surface that an object would show after a change. */
static ruga_status show_change(const ruga_scene *scene, const scene_change *c, ruga_vec3 **out) {
    const body *b = world_body(scene->world, c->object);
    ruga_vec3 *now;
    TRY(NEW(scene->context, &now, b->mesh->vertex_count));
    body_make_visible(b, b->positions, now);
    ruga_status status = NEW(scene->context, out, c->change.mesh->vertex_count);
    if (!RUGA_FAILED(status)) ruga_map_apply(c->change.vertices_from_old, now, *out);
    memory_release(scene->context, now);
    return status;
}

/* A change is due before the first step that begins at its time or later. */
static int is_due(const ruga_scene *scene, const scene_change *c) {
    return world_time(scene->world) > c->time - 1e-6 / scene->time.fps;
}

static ruga_status make_change(ruga_scene *scene, scene_change *c, int *is_made) {
    const char *name = world_object_name(scene->world, c->object);
    const body *b = world_body(scene->world, c->object);
    size_t before = b->mesh->vertex_count, intersections = 0;
    *is_made = 1;
    if (scene->keeps_apart && b->touch.collides) {
        ruga_vec3 *positions = NULL;
        TRY(show_change(scene, c, &positions));
        ruga_status status = crossings_added(scene, c->object, c->change.mesh, positions, &intersections);
        memory_release(scene->context, positions);
        TRY(status);
    }
    if (intersections > 0) {
        *is_made = 0;
        if (!c->is_reported)
            log_warning(scene->context,
                        "object \"%s\": its creases should change at %g s, but %zu pairs of triangles would intersect; "
                        "the change waits until they do not: flatten a fold before you remove its crease",
                        name, c->time, intersections);
        c->is_reported = 1;
        return RUGA_OK;
    }
    TRY(world_change(scene->world, c->object, &c->change));
    log_info(scene->context, "object \"%s\": its creases change at %g s: from %zu to %zu vertices", name,
             world_time(scene->world), before, c->change.mesh->vertex_count);
    return RUGA_OK;
}

ruga_status scene_make_changes(ruga_scene *scene) {
    for (size_t i = 0; i < scene->changes.count; i++) {
        size_t object = scene->changes.items[i].object;
        int is_made = 1;
        if (i > 0 && scene->changes.items[i - 1].object == object) continue;
        for (scene_change *c; is_made && (c = next_change(scene, object)) && is_due(scene, c);)
            TRY(make_change(scene, c, &is_made));
    }
    return RUGA_OK;
}
