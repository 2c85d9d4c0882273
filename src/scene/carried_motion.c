/* A motion of a coarse mesh moves the fine mesh that was made of it: through the map between their points. */
#include "mesh/motion.h"
#include "scene/object.h"

typedef struct carried_motion {
    ruga_motion base;
    ruga_motion *inner;
    int own;
    ruga_map *map;
    ruga_vec3 *points; /* (map's columns) of the inner motion */
} carried_motion;

static ruga_status carried_sample(ruga_motion *motion, double time, ruga_vec3 *positions) {
    carried_motion *self = (carried_motion *)motion;
    TRY(ruga_motion_sample(self->inner, time, self->points));
    ruga_map_apply(self->map, self->points, positions);
    return RUGA_OK;
}

static void carried_destroy(ruga_motion *motion) {
    carried_motion *self = (carried_motion *)motion;
    if (self->own) ruga_motion_destroy(self->inner);
    ruga_map_destroy(self->map);
    RELEASE_ALL(motion->context, self->points, self);
}

static double carried_sample_time(const ruga_motion *motion, size_t sample) {
    return ruga_motion_sample_time(((const carried_motion *)motion)->inner, sample);
}

ruga_status motion_carry(ruga_motion *inner, int own, ruga_map *map, ruga_motion **out) {
    static const motion_interface interface = {carried_sample, carried_destroy, carried_sample_time};
    ruga_context *context = map->context;
    carried_motion *self = NULL;
    ruga_vec3 *points = NULL;
    ruga_status status = NEW_ZEROED(context, &self, 1);
    if (!RUGA_FAILED(status)) status = NEW(context, &points, map->columns);
    if (RUGA_FAILED(status)) {
        memory_release(context, self);
        if (own) ruga_motion_destroy(inner);
        ruga_map_destroy(map);
        return status;
    }
    *self = (carried_motion){{&interface, context, ruga_motion_get_info(inner)}, inner, own, map, points};
    self->base.info.vertex_count = map->rows;
    *out = &self->base;
    return RUGA_OK;
}
