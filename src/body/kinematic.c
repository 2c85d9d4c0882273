#include "body/kinematic.h"

#include <string.h>

#include "base/memory.h"

static ruga_status make_surface(ruga_context *context, size_t count, double **inverse_masses, ruga_vec3 **impulses) {
    double *masses = ALLOCATE_ZEROED(context, double, count);
    ruga_vec3 *pushes = ALLOCATE_ZEROED(context, ruga_vec3, count);
    if (!masses || !pushes) {
        memory_release(context, masses);
        memory_release(context, pushes);
        return fail_memory(context, count * sizeof *pushes);
    }
    *inverse_masses = masses;
    *impulses = pushes;
    return RUGA_OK;
}

ruga_status kinematic_init(kinematic *k, const body_interface *interface, const char *kind, const ruga_mesh *mesh) {
    ruga_context *context = mesh->context;
    double *inverse_masses = NULL;
    ruga_vec3 *impulses = NULL;
    TRY(make_surface(context, mesh->vertex_count, &inverse_masses, &impulses));
    ruga_status status = body_init(&k->base, interface, context, kind, mesh, mesh->vertex_count, NULL);
    if (RUGA_FAILED(status)) {
        memory_release(context, inverse_masses);
        memory_release(context, impulses);
        return status;
    }
    k->inverse_masses = inverse_masses;
    k->impulses = impulses;
    k->surface = (contact_surface){0};
    return RUGA_OK;
}

void kinematic_release(kinematic *k) {
    memory_release(k->base.context, k->inverse_masses);
    memory_release(k->base.context, k->impulses);
    body_release(&k->base);
}

contact_surface *kinematic_surface(body *b) {
    kinematic *k = (kinematic *)b;
    k->surface = (contact_surface){.mesh = b->mesh,
                                   .revision = b->revision,
                                   .accepted = b->positions,
                                   .candidate = b->candidate_positions,
                                   .velocities = b->candidate_velocities,
                                   .inverse_masses = k->inverse_masses,
                                   .impulses = k->impulses,
                                   .thickness = b->touch.thickness,
                                   .friction = b->touch.friction};
    if (b->point_count > 0) memset(k->impulses, 0, b->point_count * sizeof *k->impulses);
    return &k->surface;
}

ruga_status kinematic_accept(body *b, const substep *s) { return body_accept_impulses(b, NULL, s->dt); }

ruga_status kinematic_settle(body *b, const substep *s) {
    TRY(b->interface->predict(b, s));
    if (b->point_count > 0) memset(b->candidate_velocities, 0, b->point_count * sizeof *b->candidate_velocities);
    for (size_t i = 0; i < b->hook_count; i++) {
        hook *h = b->hooks[i];
        if (h->interface->before_positions) TRY(h->interface->before_positions(h, b, s));
    }
    return body_accept_impulses(b, NULL, s->dt);
}

ruga_status kinematic_rebuild(body *b, const ruga_mesh *mesh, const ruga_map *from_old) {
    kinematic *k = (kinematic *)b;
    if (from_old->rows != mesh->vertex_count)
        return fail_with(b->context, RUGA_ERROR_ARGUMENT,
                         "a %s body can't be rebuilt: the mesh has %zu vertices, but the map gives %zu points", b->kind,
                         mesh->vertex_count, from_old->rows);
    double *inverse_masses = NULL;
    ruga_vec3 *impulses = NULL;
    TRY(make_surface(b->context, from_old->rows, &inverse_masses, &impulses));
    ruga_status status = body_rebuild_points(b, mesh, from_old);
    memory_release(b->context, RUGA_FAILED(status) ? inverse_masses : k->inverse_masses);
    memory_release(b->context, RUGA_FAILED(status) ? impulses : k->impulses);
    if (RUGA_FAILED(status)) return status;
    k->inverse_masses = inverse_masses;
    k->impulses = impulses;
    return RUGA_OK;
}
