/* Colliders and wind from their defs. */
#include "scene/surroundings.h"

#include "math/vec3.h"
#include "scene/object.h"
#include "scene/tables.h"

static ruga_status make_plane(ruga_context *context, const ruga_plane_def *values, size_t i, collider *out) {
    *out = (collider){.kind = COLLIDER_PLANE, .point = values->point, .friction = values->friction};
    out->axes[1] = vec3_normalise(values->normal);
    if (vec3_length2(out->axes[1]) > 0) return RUGA_OK;
    return fail_with(context, RUGA_ERROR_INPUT, "colliders[%zu].normal is zero; it has to point to the free side", i);
}

ruga_status collider_make(arena *memory, const ruga_variant *variant, size_t i, collider *out) {
    const void *values = variant_values(memory, variant);
    if (!values) return fail_memory(memory->context, variant->section->size);
    if (variant->section == &plane_section) return make_plane(memory->context, values, i, out);
    if (variant->section == &sphere_section) {
        const ruga_sphere_def *s = values;
        *out = (collider){COLLIDER_SPHERE, .point = s->centre, .radius = s->radius, .friction = s->friction};
    } else if (variant->section == &capsule_section) {
        const ruga_capsule_def *c = values;
        *out = (collider){COLLIDER_CAPSULE, c->from, c->to, .radius = c->radius, .friction = c->friction};
    } else {
        const ruga_box_def *b = values;
        *out = (collider){COLLIDER_BOX, .point = b->centre, .half = vec3_scale(b->size, 0.5), .friction = b->friction};
        body_turn_columns(b->turn, out->axes);
    }
    return RUGA_OK;
}

wind wind_make(const ruga_wind_def *def) {
    return (wind){.velocity = def->velocity,
                  .gust = def->gust,
                  .gust_size = def->gust_size,
                  .gust_time = def->gust_time,
                  .seed = (uint64_t)def->seed,
                  .function = def->function,
                  .user = def->user};
}
