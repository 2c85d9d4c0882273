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
    memory_release(motion->context, self->points);
    memory_release(motion->context, self);
}

static double carried_sample_time(const ruga_motion *motion, size_t sample) {
    return ruga_motion_sample_time(((const carried_motion *)motion)->inner, sample);
}

ruga_status motion_carry(ruga_motion *inner, int own, ruga_map *map, ruga_motion **out) {
    static const motion_interface interface = {carried_sample, carried_destroy, carried_sample_time};
    ruga_context *context = map->context;
    carried_motion *self = ALLOCATE_ZEROED(context, carried_motion, 1);
    ruga_vec3 *points = ALLOCATE(context, ruga_vec3, map->columns);
    if (!self || !points) {
        size_t size = map->columns * sizeof *points;
        memory_release(context, self);
        memory_release(context, points);
        if (own) ruga_motion_destroy(inner);
        ruga_map_destroy(map);
        return fail_memory(context, size);
    }
    self->base = (ruga_motion){&interface, context, ruga_motion_get_info(inner)};
    self->base.info.vertex_count = map->rows;
    self->inner = inner;
    self->own = own;
    self->map = map;
    self->points = points;
    *out = &self->base;
    return RUGA_OK;
}
