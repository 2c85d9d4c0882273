/* Values that change while a scene runs. */
#include "field/values.h"
#include "scene/scene.h"
#include "scene/surroundings.h"

typedef ruga_status factor_function(body *b, double factor);

static ruga_status find_body(ruga_scene *scene, size_t object, body **out) {
    size_t count = world_object_count(scene->world);
    if (object >= count)
        return fail_argument(scene->context, "there is no object number %zu; the scene has %zu", object, count);
    *out = world_body(scene->world, object);
    return RUGA_OK;
}

static ruga_status set_factor(body *b, factor_function *set, const char *what, double factor) {
    if (set) return set(b, factor);
    return fail_argument(b->context,
                         "object \"%s\" is %s: it has no %s to change; choose one with dynamics, such as cloth",
                         b->name, b->kind, what);
}

ruga_status ruga_scene_set_stiffness(ruga_scene *scene, size_t object, double factor) {
    body *b = NULL;
    TRY(find_body(scene, object, &b));
    return set_factor(b, b->interface->set_stiffness, "stiffness", factor);
}

ruga_status ruga_scene_set_mass(ruga_scene *scene, size_t object, double factor) {
    body *b = NULL;
    TRY(find_body(scene, object, &b));
    return set_factor(b, b->interface->set_mass, "mass", factor);
}

ruga_status ruga_scene_set_wind(ruga_scene *scene, const ruga_wind_def *def) {
    if (!def) return fail_argument(scene->context, "there is no wind to set");
    TRY(values_check(scene->context, ruga_scene_section_find("wind"), def, NULL));
    world_environment(scene->world)->wind = wind_make(def);
    return RUGA_OK;
}

int ruga_scene_substeps(const ruga_scene *scene) { return scene->time.substeps; }

ruga_status ruga_scene_set_substeps(ruga_scene *scene, int substeps) {
    if (substeps < 1) return fail_argument(scene->context, "a frame can't have %d substeps; give at least 1", substeps);
    scene->time.substeps = substeps;
    return RUGA_OK;
}
