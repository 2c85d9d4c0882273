#include "scene/check_contact.h"

#include <math.h>

#include "math/vec3.h"
#include "scene/contact.h"
#include "scene/intersections.h"
#include "scene/object.h"
#include "scene/tables.h"

static ruga_status tell(ruga_description *d, const void *value, ruga_status status) {
    if (!RUGA_FAILED(status) || status == RUGA_ERROR_MEMORY || status == RUGA_ERROR_CANCELLED) return status;
    return description_found(d, value, status, "%s", ruga_context_message(d->context));
}

/* ---- Objects. */

static double shortest_edge(const ruga_mesh *mesh) {
    double shortest = INFINITY;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t from = mesh->triangles[i], to = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        shortest = fmin(shortest, vec3_distance(mesh->positions[from], mesh->positions[to]));
    }
    return shortest;
}

/* Where the thickness of a cloth is written, if it is. */
static const void *thickness_place(const ruga_object_def *object) {
    const ruga_cloth_def *cloth = object->body.values;
    return isnan(object->contact.thickness) && cloth ? (const void *)&cloth->thickness : &object->contact.thickness;
}

ruga_status check_touch(ruga_description *d, const ruga_object_def *object, const ruga_mesh *mesh) {
    if (!d->def.contact.on || !object->contact.collides || object->body.section != &body_cloth_section) return RUGA_OK;
    arena memory = arena_make(d->context);
    const ruga_cloth_def *cloth = variant_values(&memory, &object->body);
    body_touch touch = {.thickness = cloth ? cloth->thickness : 0};
    ruga_status status = cloth ? tell(d, thickness_place(object), touch_from(d->context, &d->def, object, &touch))
                               : fail_memory(d->context, sizeof *cloth);
    arena_release(&memory);
    TRY(status);
    if (!(touch.thickness > 0))
        return description_found(d, thickness_place(object), RUGA_WARNING_INPUT,
                                 "it collides without a thickness: it gets a thousandth of its mean edge; give it one, "
                                 "such as 0.001 m");
    double shortest = shortest_edge(mesh);
    if (!object->contact.self || touch.thickness <= shortest) return RUGA_OK;
    return description_found(d, thickness_place(object), RUGA_WARNING_INPUT,
                             "the thickness is %.4g m, more than the shortest edge of the mesh, %.4g m: parts that are "
                             "nearer to each other than that at rest keep only what they have there; a thickness below "
                             "the edges folds better",
                             touch.thickness, shortest);
}

/* ---- The scene. */

static ruga_status check_exclusions(ruga_description *d) {
    const ruga_exclusion_def *exclusions = d->def.contact.exclusions.items;
    for (size_t i = 0; i < d->def.contact.exclusions.count; i++) {
        const ruga_exclusion_def *e = &exclusions[i];
        if (e->object) TRY(tell(d, &e->object, exclusion_check(d->context, &d->def, e->object)));
        if (e->other) TRY(tell(d, &e->other, exclusion_check(d->context, &d->def, e->other)));
    }
    return RUGA_OK;
}

static int anything_falls(const ruga_scene_def *def) {
    const ruga_object_def *objects = def->objects.items;
    for (size_t i = 0; i < def->objects.count; i++)
        if (objects[i].body.section == &body_cloth_section && objects[i].contact.collides) return 1;
    return 0;
}

static ruga_status tell_start(ruga_description *d, ruga_scene *scene) {
    static const char *const then[] = {
        "; a run stops there: move them apart, or choose \"go_on\" or \"untangle\"",
        "; they are let be until they are apart",
        "; they are pushed apart",
    };
    const ruga_scene_intersection *found;
    size_t count;
    TRY(ruga_scene_intersections(scene, &found, &count));
    if (count == 0) return RUGA_OK;
    char text[400];
    crossings_describe(scene, found, count, text, sizeof text);
    return description_found(d, &d->def.contact.start, RUGA_WARNING_INPUT, "before the first frame %s%s", text,
                             then[d->def.contact.start]);
}

static ruga_status check_start(ruga_description *d) {
    ruga_scene *scene = NULL;
    TRY(tell(d, &d->def.objects, ruga_scene_create(d->context, &d->def, &scene)));
    ruga_status status = scene ? tell_start(d, scene) : RUGA_OK;
    ruga_scene_destroy(scene);
    return status;
}

ruga_status check_contact(ruga_description *d) {
    TRY(check_exclusions(d));
    if (!d->def.contact.on) return RUGA_OK;
    if (!anything_falls(&d->def))
        return description_found(d, &d->def.contact, RUGA_WARNING_INPUT,
                                 "nothing is kept apart: no object is cloth that collides");
    return description_has_errors(d) ? RUGA_OK : check_start(d);
}
