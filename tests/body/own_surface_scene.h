/* A hard scene for surfaces with a state of their own: a coarse cloth falls on a ball that moves and turns, over a
 * floor, and on itself; a finer mesh collides and is shown. */
#ifndef TESTS_OWN_SURFACE_SCENE_H
#define TESTS_OWN_SURFACE_SCENE_H

#include <math.h>
#include <stdio.h>

#include "body/bodies.h"
#include "body/cloth.h"
#include "contact/solver.h"
#include "geom/intersections.h"
#include "own_surface_part.h"
#include "support/shapes.h"
#include "support/subdivided.h"
#include "system/world.h"

#define SHELL_FRAME (1.0 / 60)
#define SHELL_SUBSTEPS 2

/* The real solver, and a copy of the first surface as it left it. */
typedef struct recording_contact {
    contact base;
    contact *inner;
    vec3 *resolved;
    vec3 impulse; /* N s, sum over the first surface */
} recording_contact;

static inline ruga_status recording_resolve(contact *c, contact_surface *const *surfaces, size_t count, double dt) {
    recording_contact *self = (recording_contact *)c;
    self->inner->time = c->time;
    TRY(self->inner->interface->resolve(self->inner, surfaces, count, dt));
    size_t vertices = surfaces[0]->mesh->vertex_count;
    self->resolved = realloc(self->resolved, vertices * sizeof *self->resolved);
    memcpy(self->resolved, surfaces[0]->candidate, vertices * sizeof *self->resolved);
    self->impulse = (vec3){0, 0, 0};
    for (size_t v = 0; v < vertices; v++) self->impulse = vec3_add(self->impulse, surfaces[0]->impulses[v]);
    return RUGA_OK;
}

static inline void recording_save(const contact *c, state_writer *writer) {
    const contact *inner = ((const recording_contact *)c)->inner;
    inner->interface->save(inner, writer);
}
static inline ruga_status recording_load(contact *c, state_reader *reader) {
    contact *inner = ((recording_contact *)c)->inner;
    return inner->interface->load(inner, reader);
}
static inline void recording_destroy(contact *c) {
    recording_contact *self = (recording_contact *)c;
    self->inner->interface->destroy(self->inner);
    free(self->resolved);
    free(self);
}

static inline recording_contact *recording_create(ruga_context *context, const contact_def *def) {
    static const contact_interface interface = {
        .resolve = recording_resolve, .save = recording_save, .load = recording_load, .destroy = recording_destroy};
    recording_contact *self = calloc(1, sizeof *self);
    self->base = (contact){.interface = &interface, .context = context};
    assert_ok(context, contact_create(context, def, &self->inner));
    return self;
}

typedef enum shell_place {
    SHELL_ON_POINTS, /* a part on a body whose vertices are its points */
    SHELL_ON_MAPPED, /* a part on a body whose own surface is a finer mesh already */
    SHELL_IS_BODY    /* no part: the body's own surface is the finer mesh */
} shell_place;

typedef struct shell_scene {
    ruga_context *context;
    ruga_mesh *sheet, *ball;
    fine finer; /* the body's visible mesh and its map, unless vertices are points */
    world *w;
    body *cloth;
    shell *shell;
    recording_contact *contact;
} shell_scene;

static inline ruga_mesh *shell_ball(ruga_context *context, double radius) {
    ruga_mesh *rough = shape_icosahedron(context);
    fine finer = subdivide(rough, RUGA_SUBDIVIDE_REGULAR, 4, 0);
    ruga_vec3 *positions = malloc(finer.mesh->vertex_count * sizeof *positions);
    for (size_t v = 0; v < finer.mesh->vertex_count; v++)
        positions[v] = vec3_scale(vec3_normalise(finer.mesh->positions[v]), radius);
    ruga_mesh *ball = shape_make(context, finer.mesh->vertex_count, positions, finer.mesh->triangle_count, NULL,
                                 finer.mesh->triangles);
    free(positions);
    fine_release(finer);
    ruga_mesh_destroy(rough);
    return ball;
}

/* side x side squares, above the ball, not quite flat. */
static inline ruga_mesh *shell_sheet(ruga_context *context, size_t side) {
    ruga_mesh *flat = shape_sheet(context, side, side);
    ruga_vec3 *positions = malloc(flat->vertex_count * sizeof *positions);
    for (size_t v = 0; v < flat->vertex_count; v++) {
        positions[v] = flat->positions[v];
        positions[v].y += 0.3 + 0.02 * sin(7 * positions[v].x) * cos(5 * positions[v].z);
    }
    ruga_mesh *sheet = shape_make(context, flat->vertex_count, positions, flat->triangle_count, NULL, flat->triangles);
    free(positions);
    ruga_mesh_destroy(flat);
    return sheet;
}

/* pinned: two corners hold. */
static inline shell_scene shell_scene_make_on(ruga_context *context, shell_place place, size_t side,
                                              const shell_def *def, int pinned) {
    static const collider floor_below = {
        .kind = COLLIDER_PLANE, .point = {0, -0.35, 0}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .friction = 0.4};
    static const ruga_rigid_key keys[4] = {{0, {0.45, 0, -0.55}, {0, 0, 0}},
                                           {1.5, {0.45, 0, -0.55}, {0, 90, 0}},
                                           {3, {0.75, 0.15, -0.3}, {60, 270, 0}},
                                           {5, {0.2, 0, -0.7}, {0, 540, 40}}};
    shell_scene s = {.context = context, .sheet = shell_sheet(context, side), .ball = shell_ball(context, 0.2)};
    const ruga_mesh *seen = s.sheet;
    const uint32_t corners[2] = {0, (uint32_t)side};
    const cloth_pin_def pins = {.count = 2, .vertices = corners};
    cloth_def cloth = cloth_def_default();
    cloth.values.integrator = INTEGRATOR_IMPLICIT;
    cloth.material.stretch = 400;
    cloth.values.thickness = 0.006;
    cloth.colliders_by_contact = 1;
    cloth.pin_def_count = pinned ? 1 : 0;
    cloth.pins = &pins;
    if (place != SHELL_ON_POINTS) {
        s.finer = subdivide(s.sheet, RUGA_SUBDIVIDE_REGULAR, 2, 0);
        seen = s.finer.mesh;
        cloth.simulated = (body_simulated){.mesh = s.sheet, .visible = s.finer.map};
    }
    size_t object;
    assert_ok(context, world_create(context, &s.w));
    assert_ok(context, cloth_create(seen, &cloth, &s.cloth));
    assert_ok(context, world_add_object(s.w, "sheet", s.cloth, &object));
    if (place != SHELL_IS_BODY) {
        part *p = NULL;
        assert_ok(context, shell_create(s.cloth, seen, def, &p));
        assert_ok(context, world_add_part(s.w, object, p));
        s.shell = (shell *)p;
    }
    body *ball;
    assert_ok(context, body_rigid_create(s.ball, (vec3){0, 0, 0}, keys, 4, &ball));
    ball->touch.thickness = 0.004;
    ball->touch.friction = 0.5;
    assert_ok(context, world_add_object(s.w, "ball", ball, &object));
    contact_def touch = contact_def_default();
    touch.collider_count = 1;
    touch.colliders = &floor_below;
    s.contact = recording_create(context, &touch);
    assert_ok(context, world_set_contact(s.w, &s.contact->base));
    world_environment(s.w)->gravity = (vec3){0, -9.81, 0};
    assert_ok(context, world_settle(s.w, 0, 1));
    return s;
}

static inline shell_scene shell_scene_make(ruga_context *context, size_t side, const shell_def *def, int pinned) {
    return shell_scene_make_on(context, SHELL_ON_POINTS, side, def, pinned);
}

static inline void shell_scene_release(shell_scene *s) {
    world_destroy(s->w);
    if (s->finer.mesh) fine_release(s->finer);
    ruga_mesh_destroy(s->sheet);
    ruga_mesh_destroy(s->ball);
}

/* Pairs of triangles that intersect, of the sheet with itself and with the ball; `positions` are the sheet's. */
static inline size_t shell_intersections(const shell_scene *s, const vec3 *positions) {
    const ruga_mesh *a = world_mesh(s->w, 0), *b = s->ball;
    size_t vertices = a->vertex_count + b->vertex_count, triangles = a->triangle_count + b->triangle_count;
    vec3 *all = malloc(vertices * sizeof *all);
    uint32_t *corners = malloc(3 * triangles * sizeof *corners);
    memcpy(all, positions, a->vertex_count * sizeof *all);
    memcpy(all + a->vertex_count, world_frame(s->w, 1)->positions, b->vertex_count * sizeof *all);
    memcpy(corners, a->triangles, 3 * a->triangle_count * sizeof *corners);
    for (size_t i = 0; i < 3 * b->triangle_count; i++)
        corners[3 * a->triangle_count + i] = b->triangles[i] + (uint32_t)a->vertex_count;
    intersection_array found = {0};
    assert_ok(s->context, intersections_find(s->context, vertices, all, triangles, corners, NULL, NULL, &found));
    size_t count = found.count;
    ARRAY_RELEASE(s->context, &found);
    free(all);
    free(corners);
    return count;
}

static inline void shell_step(shell_scene *s, int frame) {
    assert_ok(s->context, world_step(s->w, frame * SHELL_FRAME, SHELL_SUBSTEPS, 1, 1));
}

typedef struct shell_run {
    double apart;    /* m, greatest distance between the shown surface and W x */
    int intersected; /* frames in which W x intersects */
} shell_run;

/* The law, frame by frame: the shown surface is what contact resolved, bit for bit, and never intersects. */
static inline shell_run shell_check_frames(shell_scene *s, int frames) {
    shell_run run = {0, 0};
    size_t count = world_mesh(s->w, 0)->vertex_count;
    vec3 *mapped = malloc(count * sizeof *mapped);
    assert_int_equal(shell_intersections(s, world_frame(s->w, 0)->positions), 0);
    for (int f = 1; f <= frames; f++) {
        shell_step(s, f);
        const ruga_frame *frame = world_frame(s->w, 0);
        assert_memory_equal(frame->positions, s->contact->resolved, count * sizeof *frame->positions);
        if (s->shell)
            assert_memory_equal(s->shell->surface.accepted, s->contact->resolved, count * sizeof *frame->positions);
        size_t crossing = shell_intersections(s, frame->positions);
        fail_if(crossing > 0, "frame %d: %zu pairs of triangles intersect", f, crossing);
        ruga_map_apply(s->shell ? s->shell->map : s->finer.map, s->cloth->positions, mapped);
        for (size_t v = 0; v < count; v++) run.apart = fmax(run.apart, vec3_distance(mapped[v], frame->positions[v]));
        run.intersected += shell_intersections(s, mapped) > 0;
    }
    free(mapped);
    return run;
}

#endif
