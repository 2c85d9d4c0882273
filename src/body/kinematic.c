#include "body/kinematic.h"

#include <string.h>

#include "base/memory.h"
#include "body/part_surface.h"

static ruga_status make_surface(ruga_context *context, size_t count, double **inverse_masses, ruga_vec3 **impulses) {
    double *masses;
    ruga_vec3 *pushes;
    TRY(NEW_ZEROED(context, &masses, count));
    TRY_OR(NEW_ZEROED(context, &pushes, count), memory_release(context, masses));
    *inverse_masses = masses;
    *impulses = pushes;
    return RUGA_OK;
}

ruga_status kinematic_init(kinematic *k, const body_interface *interface, const char *kind, const ruga_mesh *mesh) {
    ruga_context *context = mesh->context;
    double *inverse_masses = NULL;
    ruga_vec3 *impulses = NULL;
    TRY(make_surface(context, mesh->vertex_count, &inverse_masses, &impulses));
    TRY_OR(body_init(&k->base, interface, kind, mesh, NULL), RELEASE_ALL(context, inverse_masses, impulses));
    k->inverse_masses = inverse_masses;
    k->impulses = impulses;
    k->surface = (contact_surface){0};
    return RUGA_OK;
}

void kinematic_release(kinematic *k) {
    RELEASE_ALL(k->base.context, k->inverse_masses, k->impulses);
    body_release(&k->base);
}

contact_surface *kinematic_surface(body *b) {
    kinematic *k = (kinematic *)b;
    k->surface = part_surface_of_points(b, k->inverse_masses, k->impulses);
    k->surface.self = 0;
    return &k->surface;
}

ruga_status kinematic_accept(body *b, const substep *s, const contact_surface *surface) {
    (void)surface;
    return body_accept_impulses(b, NULL, s->dt);
}

ruga_status kinematic_settle(body *b, const substep *s) {
    TRY(b->interface->predict(b, s));
    if (b->point_count > 0) memset(b->candidate_velocities, 0, b->point_count * sizeof *b->candidate_velocities);
    for (size_t i = 0; i < b->part_count; i++) {
        part *p = b->parts[i];
        if (p->interface->before_contact) TRY(p->interface->before_contact(p, b, s));
    }
    return body_accept_impulses(b, NULL, s->dt);
}

ruga_status kinematic_rebuild(body *b, const body_change *change) {
    kinematic *k = (kinematic *)b;
    const ruga_mesh *mesh = change->mesh;
    const ruga_map *from_old = change->points_from_old;
    TRY(body_refuse_given(b, &change->simulated));
    if (from_old->rows != mesh->vertex_count)
        return fail_argument(b->context,
                             "a %s body can't be rebuilt: the mesh has %zu vertices, but the map gives %zu points",
                             b->kind, mesh->vertex_count, from_old->rows);
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
