/* Colliders and wind from their defs. */
#include "scene/surroundings.h"

#include "math/vec3.h"
#include "scene/tables.h"

ruga_status collider_make(build *b, const ruga_variant *variant, const void *values, collider *out) {
    if (variant->section == &plane_section) {
        const ruga_plane_def *p = values;
        *out = (collider){COLLIDER_PLANE, .point = p->point, .friction = p->friction};
        out->axes[1] = vec3_normalise(p->normal);
        if (vec3_length2(out->axes[1]) == 0)
            return build_found(b, &p->normal, RUGA_ERROR_INPUT, "the normal is zero; it has to point to the free side");
    } else if (variant->section == &sphere_section) {
        const ruga_sphere_def *s = values;
        *out = (collider){COLLIDER_SPHERE, .point = s->centre, .radius = s->radius, .friction = s->friction};
    } else if (variant->section == &capsule_section) {
        const ruga_capsule_def *c = values;
        *out = (collider){COLLIDER_CAPSULE, c->from, c->to, .radius = c->radius, .friction = c->friction};
    } else if (variant->section == &box_section) {
        const ruga_box_def *box = values;
        *out = (collider){COLLIDER_BOX, .point = box->centre, .half = vec3_scale(box->size, 0.5),
                          .friction = box->friction};
        body_turn_columns(box->turn, out->axes);
    } else {
        return fail_argument(b->context, "unknown kind of collider \"%s\"", variant->section->name);
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
