/* A body that stays where its mesh has it, whatever its parts made of it in the substep before. */
#include <string.h>

#include "base/memory.h"
#include "body/bodies.h"
#include "body/kind.h"
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
    kinematic *self = NULL;
    TRY(NEW(mesh->context, &self, 1));
    RETURN_MADE(kinematic_init(self, &interface, "static", mesh), &self->base, out,
                memory_release(mesh->context, self));
}

/* ---- The kind. */

static ruga_status make_body(build *b, const void *values, body **out) {
    (void)values;
    return body_static_create(b->mesh, out);
}

const kind static_body_kind = {
    .section = {.name = "static", .help = "Stays where it is."}, .role = KIND_BODY, .make_body = make_body};
