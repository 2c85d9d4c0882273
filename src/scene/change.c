/* What may change while a scene runs. */
#include <string.h>

#include "body/cloth.h"
#include "scene/scene.h"
#include "scene/surroundings.h"
#include "scene/values.h"

static ruga_status find_cloth(ruga_scene *scene, size_t object, body **out) {
    size_t count = world_object_count(scene->world);
    if (object >= count)
        return fail_with(scene->context, RUGA_ERROR_ARGUMENT, "there is no object number %zu; the scene has %zu",
                         object, count);
    *out = world_body(scene->world, object);
    if (strcmp((*out)->kind, "cloth") == 0) return RUGA_OK;
    return fail_with(scene->context, RUGA_ERROR_ARGUMENT, "object \"%s\" is %s, not cloth",
                     world_object_name(scene->world, object), (*out)->kind);
}

ruga_status ruga_scene_set_stiffness(ruga_scene *scene, size_t object, double factor) {
    body *cloth = NULL;
    TRY(find_cloth(scene, object, &cloth));
    return cloth_set_stiffness(cloth, factor);
}

ruga_status ruga_scene_set_mass(ruga_scene *scene, size_t object, double factor) {
    body *cloth = NULL;
    TRY(find_cloth(scene, object, &cloth));
    return cloth_set_mass(cloth, factor);
}

ruga_status ruga_scene_set_wind(ruga_scene *scene, const ruga_wind_def *def) {
    if (!def) return fail_with(scene->context, RUGA_ERROR_ARGUMENT, "there is no wind to set");
    TRY(values_check(scene->context, ruga_scene_section_find("wind"), def));
    world_environment(scene->world)->wind = wind_make(def);
    return RUGA_OK;
}

ruga_status ruga_scene_set_substeps(ruga_scene *scene, int substeps) {
    if (substeps < 1)
        return fail_with(scene->context, RUGA_ERROR_ARGUMENT, "a frame can't have %d substeps; give at least 1",
                         substeps);
    scene->time.substeps = substeps;
    return RUGA_OK;
}
