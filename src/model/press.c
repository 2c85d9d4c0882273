/* The motion of a sheet that is compressed in its plane, along its width and then along its length: what makes a
 * skin on it wrinkle. */
#include <string.h>

#include "math/vec3.h"
#include "mesh/motion.h"
#include "model/model.h"

enum { PRESS_WIDTH, PRESS_LENGTH, PRESS_DURATION };

typedef struct press_motion {
    ruga_motion base;
    vec3 *rest;                     /* (vertex_count) m */
    double width, length, duration; /* 1, 1, s */
} press_motion;

static double part_of(double time, double duration) { return fmin(1, fmax(0, time / duration)); }

/* A sheet lies flat or stands upright, so that one of y and z is 0. */
static ruga_status press_sample(ruga_motion *motion, double time, vec3 *positions) {
    const press_motion *self = (const press_motion *)motion;
    const double x = 1 - self->width * part_of(time, self->duration);
    const double y = 1 - self->length * part_of(time - (self->width > 0 ? self->duration : 0), self->duration);
    for (size_t i = 0; i < motion->info.vertex_count; i++)
        positions[i] = vec3_make(x * self->rest[i].x, y * self->rest[i].y, y * self->rest[i].z);
    return RUGA_OK;
}

static void press_destroy(ruga_motion *motion) {
    press_motion *self = (press_motion *)motion;
    RELEASE_ALL(motion->context, self->rest, motion);
}

ruga_status action_press(ruga_context *context, const double *values, const double *action_values, ruga_motion **out) {
    static const motion_interface interface = {.sample = press_sample, .destroy = press_destroy};
    mesh_parts parts = {0};
    press_motion *self;
    TRY_OR(model_sheet(context, values, &parts), mesh_parts_release(context, &parts));
    ruga_status status = NEW_ZEROED(context, &self, 1);
    if (!RUGA_FAILED(status)) {
        const int times = (action_values[PRESS_WIDTH] > 0) + (action_values[PRESS_LENGTH] > 0);
        self->base = (ruga_motion){
            &interface, context, {.vertex_count = parts.vertex_count, .end = times * action_values[PRESS_DURATION]}};
        self->width = action_values[PRESS_WIDTH];
        self->length = action_values[PRESS_LENGTH];
        self->duration = action_values[PRESS_DURATION];
        self->rest = parts.positions;
        parts.positions = NULL;
        *out = &self->base;
    }
    mesh_parts_release(context, &parts);
    return status;
}
