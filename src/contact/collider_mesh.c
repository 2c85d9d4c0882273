#include "contact/collider_mesh.h"

#include <stdio.h>

#include "base/memory.h"
#include "math/vec3.h"
#include "ruga/model.h"

#define SPHERE_PARTS 16  /* of an icosahedron's edge: 5120 triangles */
#define CAPSULE_RINGS 10 /* from a pole to the rod; 60 sectors */
#define BOX_CELLS 6      /* along each side */
#define SHORTEST 1e-6    /* of the radius: a shorter capsule is a sphere */

/* ---- Shapes in a frame of their own. */

static double capsule_length(const collider *c) { return vec3_distance(c->point, c->other); }

static const char *shape_name(const collider *c) {
    if (c->kind == COLLIDER_BOX) return "box";
    return c->kind == COLLIDER_CAPSULE ? "capsule" : "sphere";
}

static ruga_status make_shape(ruga_context *context, const collider *c, ruga_mesh **out) {
    if (c->kind == COLLIDER_BOX) {
        const double bar[6] = {2 * c->half.x, 2 * c->half.y, 2 * c->half.z, BOX_CELLS, BOX_CELLS, 0};
        return ruga_model_make(context, "bar", bar, out);
    }
    if (c->kind == COLLIDER_CAPSULE && capsule_length(c) > SHORTEST * c->radius) {
        const double capsule[3] = {c->radius, capsule_length(c), CAPSULE_RINGS};
        return ruga_model_make(context, "capsule", capsule, out);
    }
    const double sphere[2] = {c->radius, SPHERE_PARTS};
    return ruga_model_make(context, "sphere", sphere, out);
}

/* ---- The frame. */

typedef struct frame {
    vec3 centre, axes[3];
} frame;

static frame frame_of(const collider *c, const ruga_mesh *shape) {
    frame f = {c->point, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (c->kind == COLLIDER_BOX)
        for (int k = 0; k < 3; k++) f.axes[k] = c->axes[k];
    if (c->kind == COLLIDER_CAPSULE) {
        f.centre = vec3_mix(c->point, c->other, 0.5);
        double length = capsule_length(c);
        if (length > 0) f.axes[1] = vec3_scale(vec3_sub(c->other, c->point), 1 / length);
        vec3 beside = fabs(f.axes[1].x) < 0.6 ? (vec3){1, 0, 0} : (vec3){0, 0, 1};
        f.axes[2] = vec3_normalise(vec3_cross(beside, f.axes[1]));
        f.axes[0] = vec3_cross(f.axes[1], f.axes[2]);
    }
    /* Models need not be centred at the origin: the middle of their box is the centre. */
    vec3 low, high;
    vec3_bounds(shape->positions, shape->vertex_count, &low, &high);
    vec3 middle = vec3_mix(low, high, 0.5);
    f.centre = vec3_add_scaled(f.centre, f.axes[0], -middle.x);
    f.centre = vec3_add_scaled(f.centre, f.axes[1], -middle.y);
    f.centre = vec3_add_scaled(f.centre, f.axes[2], -middle.z);
    return f;
}

/* ---- The surface. */

static ruga_status make_surface(collider_surface *s, const collider *c, const ruga_mesh *shape) {
    size_t count = shape->vertex_count;
    TRY(NEW(s->context, &s->positions, count));
    TRY(NEW_ZEROED(s->context, &s->zeros, count));
    TRY(NEW_ZEROED(s->context, &s->inverse_masses, count));
    frame f = frame_of(c, shape);
    for (size_t i = 0; i < count; i++) {
        vec3 x = shape->positions[i];
        vec3 along = vec3_add_scaled(vec3_scale(f.axes[0], x.x), f.axes[1], x.y);
        s->positions[i] = vec3_add(f.centre, vec3_add_scaled(along, f.axes[2], x.z));
    }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){s->positions, count, 0, RUGA_F64};
    def.face_count = shape->triangle_count;
    def.face_vertices = shape->triangles;
    TRY(ruga_mesh_create(s->context, &def, &s->mesh));
    s->surface = (contact_surface){.mesh = s->mesh,
                                   .accepted = s->mesh->positions,
                                   .candidate = s->positions,
                                   .velocities = s->zeros,
                                   .inverse_masses = s->inverse_masses,
                                   .impulses = s->zeros,
                                   .friction = c->friction};
    return RUGA_OK;
}

ruga_status collider_surface_make(ruga_context *context, const collider *c, size_t number, collider_surface *out) {
    collider_surface s = {.context = context};
    ruga_mesh *shape = NULL;
    ruga_status status = make_shape(context, c, &shape);
    if (!RUGA_FAILED(status)) status = make_surface(&s, c, shape);
    ruga_mesh_destroy(shape);
    if (RUGA_FAILED(status)) {
        collider_surface_release(&s);
        return status;
    }
    snprintf(s.name, sizeof s.name, "the %s that is collider %zu", shape_name(c), number);
    *out = s;
    return RUGA_OK;
}

void collider_surface_release(collider_surface *s) {
    if (!s->context) return;
    ruga_mesh_destroy(s->mesh);
    RELEASE_ALL(s->context, s->positions, s->zeros, s->inverse_masses);
    *s = (collider_surface){0};
}
