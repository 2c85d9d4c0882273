/* A body that stays where its mesh has it, whatever its hooks made of it in the substep before. */
#include <string.h>

#include "base/memory.h"
#include "body/bodies.h"
#include "body/kinematic.h"

static ruga_status static_predict(body *b, const substep *s) {
    (void)s;
    if (b->point_count == 0) return RUGA_OK;
    memcpy(b->candidate_positions, b->mesh->positions, b->point_count * sizeof *b->candidate_positions);
    memset(b->candidate_velocities, 0, b->point_count * sizeof *b->candidate_velocities);
    return RUGA_OK;
}

static void static_destroy(body *b) {
    kinematic_release((kinematic *)b);
    memory_release(b->context, b);
}

ruga_status body_static_create(const ruga_mesh *mesh, body **out) {
    static const body_interface interface = {.predict = static_predict,
                                             .surface = kinematic_surface,
                                             .accept = kinematic_accept,
                                             .settle = kinematic_settle,
                                             .rebuild = kinematic_rebuild,
                                             .destroy = static_destroy};
    kinematic *self = ALLOCATE(mesh->context, kinematic, 1);
    if (!self) return fail_memory(mesh->context, sizeof *self);
    ruga_status status = kinematic_init(self, &interface, "static", mesh);
    if (RUGA_FAILED(status)) {
        memory_release(mesh->context, self);
        return status;
    }
    *out = &self->base;
    return RUGA_OK;
}
