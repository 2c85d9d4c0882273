/* The cloth's step; its header has the order of things. */
#include "body/cloth.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "contact/respond.h"
#include "mesh/topology.h"
#include "solve/stretch_limit.h"

#define POINT_BLOCK 2048
#define CLOTH_TAG STATE_TAG('C', 'L', 'T', 'H')
#define CLOTH_VERSION 2 /* holds since 2 */
#define HOLD_NUMBERS (sizeof(contact_hold) / sizeof(double))
#define STATIC_FRICTION 1.2 /* at rest over sliding */

/* What depends on the mesh. */
typedef struct cloth_parts {
    spring_network *network;
    topology *fans;
    double *masses, *inverse_masses; /* (points) kg, 1/kg: 0 where pinned */
    integrator *solver;
    cloth_pins pins;
    vec3 *forces;                             /* (points) N */
    vec3 *air_scratch;                        /* (triangles); NULL without air */
    vec3 *impulses;                           /* (points) N s */
    vec3 *stage_positions, *stage_velocities; /* (points) of steps within a substep; NULL if it is one */
    contact_hold *holds, *stage_holds; /* (points) what stopped them last; NULL if the integrator holds nothing */
} cloth_parts;

typedef struct cloth {
    body base;
    cloth_def def; /* its pins' arrays are not kept; its changes are a copy */
    cloth_parts parts;
    contact_surface surface;
    double stiffness_factor, mass_factor; /* of the owner */
    cloth_change change;                  /* of the def, now */
    double step;                          /* s, that the next step within a substep tries; 0: the whole */
    size_t elastic, kinetic, iterations, steps, residual, elongation, contacts; /* measures */
} cloth;

/* Positions and velocities at one time. */
typedef struct moment {
    vec3 *positions, *velocities;
} moment;

cloth_def cloth_def_default(void) {
    return (cloth_def){.material = {.stretch = 5000, .shear = 500, .bend = 6e-6, .phases = {1, 1, 0}},
                       .density = 0.12,
                       .integrator = integrator_def_default(),
                       .air = {.drag = 0.6, .lift = 0.6, .form = AIR_LIFT_SMOOTH},
                       .thickness = 0.001,
                       .friction = 0.5,
                       .limit_rounds = 20,
                       .most_steps = 64};
}

double cloth_damping_time(const ruga_mesh *mesh, double ratio, double stretch, double density) {
    double area = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corners = mesh->triangles + 3 * t;
        vec3 a = mesh->positions[corners[0]];
        area += vec3_length(
                    vec3_cross(vec3_sub(mesh->positions[corners[1]], a), vec3_sub(mesh->positions[corners[2]], a))) /
                2;
    }
    double mass = mesh->vertex_count > 0 ? density * area / (double)mesh->vertex_count : 0;
    return 2 * ratio * sqrt(mass / 2 / stretch);
}

/* ---- Making. */

static ruga_status check_number(ruga_context *context, const char *name, const char *unit, double value,
                                int zero_allowed) {
    if (isfinite(value) && (value > 0 || (zero_allowed && value == 0))) return RUGA_OK;
    return fail_with(context, RUGA_ERROR_INPUT, "the cloth's %s is %g %s; it must be finite and %s", name, value, unit,
                     zero_allowed ? "not negative" : "positive");
}

static ruga_status check_def(ruga_context *context, const cloth_def *def) {
    TRY(check_number(context, "density", "kg/m2", def->density, 0));
    TRY(check_number(context, "thickness", "m", def->thickness, 1));
    TRY(check_number(context, "friction", "", def->friction, 1));
    TRY(check_number(context, "drag", def->air_on_points ? "kg/m" : "kg/m3", def->air.drag, 1));
    TRY(check_number(context, "lift", def->air_on_points ? "kg/m" : "kg/m3", def->air.lift, 1));
    TRY(check_number(context, "stretch limit", "", def->stretch_limit, 1));
    TRY(check_number(context, "adaptive change of length", "", def->adaptive, 1));
    TRY(check_number(context, "number of rounds", "", def->limit_rounds, def->stretch_limit == 0));
    return check_number(context, "greatest number of steps", "", def->most_steps, def->adaptive == 0);
}

static void release_parts(ruga_context *context, cloth_parts *parts) {
    integrator_destroy(parts->solver);
    spring_network_destroy(parts->network);
    topology_destroy(parts->fans);
    cloth_pins_release(&parts->pins);
    void *arrays[] = {parts->masses,           parts->inverse_masses, parts->forces,
                      parts->air_scratch,      parts->impulses,       parts->stage_positions,
                      parts->stage_velocities, parts->holds,          parts->stage_holds};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) memory_release(context, arrays[k]);
    *parts = (cloth_parts){0};
}

static int has_air(const cloth_def *def) { return def->air.drag > 0 || def->air.lift > 0; }

static ruga_status allocate_parts(const ruga_mesh *mesh, const cloth_def *def, cloth_parts *parts) {
    ruga_context *context = mesh->context;
    size_t count = mesh->vertex_count, inner = def->adaptive > 0 ? count : 0;
    parts->masses = ALLOCATE(context, double, count);
    parts->inverse_masses = ALLOCATE(context, double, count);
    parts->forces = ALLOCATE(context, vec3, count);
    parts->impulses = ALLOCATE(context, vec3, count);
    parts->stage_positions = ALLOCATE(context, vec3, inner);
    parts->stage_velocities = ALLOCATE(context, vec3, inner);
    parts->air_scratch = ALLOCATE(context, vec3, has_air(def) ? mesh->triangle_count : 0);
    int all = parts->masses && parts->inverse_masses && parts->forces && parts->impulses && parts->stage_positions &&
              parts->stage_velocities && parts->air_scratch;
    return all ? RUGA_OK : fail_memory(context, count * sizeof(vec3));
}

/* For integrators that hold points off what stopped them. */
static ruga_status allocate_holds(const ruga_mesh *mesh, const cloth_def *def, cloth_parts *parts) {
    size_t count = mesh->vertex_count;
    if (!integrator_holds(def->integrator.kind)) return RUGA_OK;
    parts->holds = ALLOCATE_ZEROED(mesh->context, contact_hold, count);
    parts->stage_holds = ALLOCATE(mesh->context, contact_hold, def->adaptive > 0 ? count : 0);
    return parts->holds && parts->stage_holds ? RUGA_OK : fail_memory(mesh->context, count * sizeof(contact_hold));
}

/* Masses are positive: the network's mesh has no vertex without a triangle, and no triangle without an area. */
static ruga_status make_masses(const ruga_mesh *mesh, double density, cloth_parts *parts) {
    TRY(ruga_mesh_masses(mesh, density, parts->masses));
    for (size_t i = 0; i < mesh->vertex_count; i++) parts->inverse_masses[i] = 1 / parts->masses[i];
    for (size_t k = 0; k < parts->pins.count; k++) parts->inverse_masses[parts->pins.points[k]] = 0;
    return RUGA_OK;
}

static ruga_status make_parts(const ruga_mesh *mesh, const cloth_def *def, double stiffness, double mass,
                              cloth_parts *parts) {
    TRY(spring_network_of_mesh(mesh, &def->material, &parts->network));
    TRY(spring_network_set_factor(parts->network, stiffness));
    TRY(allocate_parts(mesh, def, parts));
    TRY(allocate_holds(mesh, def, parts));
    TRY(make_masses(mesh, mass * def->density, parts));
    TRY(integrator_create(&def->integrator, parts->network, parts->masses, &parts->solver));
    if (!has_air(def)) return RUGA_OK;
    TRY(topology_build(mesh->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &parts->fans));
    topology_keep_fans(parts->fans);
    return RUGA_OK;
}

static void add_measures(cloth *self) {
    measure_list *list = &self->base.measures;
    self->elastic = measure_add(list, "elastic_energy", "J");
    self->kinetic = measure_add(list, "kinetic_energy", "J");
    self->iterations = measure_add(list, "iterations", "1");
    self->steps = measure_add(list, "steps", "1");
    self->residual = measure_add(list, "residual", "1");
    self->elongation = measure_add(list, "elongation", "1");
    self->contacts = measure_add(list, "contacts", "1");
}

/* ---- One step within a substep. */

static ruga_vec3 wind_at(void *user, ruga_vec3 point) {
    const substep *s = user;
    return environment_wind(s->environment, point, s->time);
}

/* Forces beside springs and gravity. */
static ruga_status outer_forces(cloth *self, const substep *s, moment now) {
    body *b = &self->base;
    memset(self->parts.forces, 0, b->point_count * sizeof *self->parts.forces);
    TRY(body_hook_forces(b, s, now.positions, now.velocities, self->parts.forces));
    if (!has_air(&self->def)) return RUGA_OK;
    air_surface surface = {.triangles = b->mesh->triangles,
                           .topo = self->parts.fans,
                           .scratch = self->parts.air_scratch,
                           .on_points = self->def.air_on_points,
                           .masses = self->parts.masses,
                           .dt = s->dt};
    substep at = *s;
    air_add_forces(b->context, &self->def.air, &surface, wind_at, &at, now.positions, now.velocities,
                   self->parts.forces);
    return RUGA_OK;
}

typedef struct hook_call {
    body *b;
    const substep *s;
    const vec3 *positions;
} hook_call;

static ruga_status hook_product(void *user, const vec3 *direction, vec3 *product) {
    const hook_call *call = user;
    for (size_t i = 0; i < call->b->hook_count; i++) {
        hook *h = call->b->hooks[i];
        if (h->interface->force_product)
            TRY(h->interface->force_product(h, call->b, call->s, call->positions, direction, product));
    }
    return RUGA_OK;
}

static int hooks_have_products(const body *b) {
    for (size_t i = 0; i < b->hook_count; i++)
        if (b->hooks[i]->interface->force_product) return 1;
    return 0;
}

typedef struct push_task {
    const vec3 *velocities;
    const double *masses;
    vec3 *forces;
    double dt;
} push_task;

/* Forces become the velocities that they lead to. */
static void push_points(void *argument, size_t begin, size_t end) {
    const push_task *task = argument;
    for (size_t i = begin; i < end; i++)
        task->forces[i] = vec3_add_scaled(task->velocities[i], task->forces[i], task->dt / task->masses[i]);
}

/* Velocities with what outer forces add to them in the step. */
static ruga_status pushed_velocities(cloth *self, const substep *s, moment now, const vec3 **out) {
    const body *b = &self->base;
    *out = now.velocities;
    if (b->hook_count == 0 && !has_air(&self->def)) return RUGA_OK;
    TRY(outer_forces(self, s, now));
    push_task task = {now.velocities, self->parts.masses, self->parts.forces, s->dt};
    parallel_for(b->context, b->point_count, POINT_BLOCK, push_points, &task);
    *out = self->parts.forces;
    return RUGA_OK;
}

static ruga_status solve_velocities(cloth *self, const substep *s, moment now, vec3 *velocities) {
    const cloth_pins *pins = &self->parts.pins;
    hook_call call = {&self->base, s, now.positions};
    integrator_step step = {.dt = s->dt,
                            .gravity = s->environment->gravity,
                            .positions = now.positions,
                            .pin_count = pins->count,
                            .pins = pins->points,
                            .pin_velocities = pins->velocities,
                            .holds = self->parts.holds,
                            .hold_impulses = self->parts.impulses,
                            .force_product = hooks_have_products(&self->base) ? hook_product : NULL,
                            .user = &call};
    TRY(pushed_velocities(self, s, now, &step.velocities));
    integrator_report report;
    TRY(integrator_solve(self->parts.solver, &step, velocities, &report));
    measure *measures = self->base.measures.items;
    measures[self->elastic].value = report.elastic_energy;
    measures[self->iterations].value += report.iterations;
    measures[self->residual].value = fmax(measures[self->residual].value, report.residual);
    return RUGA_OK;
}

typedef struct move_task {
    const vec3 *from;
    moment to;
    double dt;
} move_task;

static void move_points(void *argument, size_t begin, size_t end) {
    const move_task *task = argument;
    for (size_t i = begin; i < end; i++)
        task->to.positions[i] = vec3_add_scaled(task->from[i], task->to.velocities[i], task->dt);
}

static void follow_positions(void *argument, size_t begin, size_t end) {
    const move_task *task = argument;
    for (size_t i = begin; i < end; i++)
        task->to.velocities[i] = vec3_scale(vec3_sub(task->to.positions[i], task->from[i]), 1 / task->dt);
}

/* Forgets what did not press on its point in the solve. */
static void forget_loose_holds(cloth *self) {
    const cloth_parts *parts = &self->parts;
    for (size_t i = 0; parts->holds && i < self->base.point_count; i++)
        if (!(vec3_dot(parts->holds[i].normal, parts->impulses[i]) > 0)) parts->holds[i] = (contact_hold){0};
}

static void meet_colliders(cloth *self, const substep *s, moment from, moment to) {
    forget_loose_holds(self);
    if (s->environment->collider_count == 0 || self->def.colliders_by_contact) return;
    respond_law law = {self->def.thickness, STATIC_FRICTION};
    respond_points points = {.count = self->base.point_count,
                             .accepted = from.positions,
                             .candidate = to.positions,
                             .velocities = to.velocities,
                             .inverse_masses = self->parts.inverse_masses,
                             .holds = self->parts.holds,
                             .dt = s->dt};
    self->base.measures.items[self->contacts].value += (double)respond_to_colliders(
        self->base.context, &law, s->environment->colliders, s->environment->collider_count, &points);
}

/* From one moment to another; s is the step within the substep, `left` of the substep at its begin. */
static ruga_status take_step(cloth *self, const substep *s, double left, moment from, moment to) {
    const body *b = &self->base;
    cloth_pins *pins = &self->parts.pins;
    for (size_t k = 0; k < pins->count; k++)
        pins->velocities[k] = vec3_scale(vec3_sub(pins->targets[k], from.positions[pins->points[k]]), 1 / left);
    TRY(solve_velocities(self, s, from, to.velocities));
    move_task task = {from.positions, to, s->dt};
    parallel_for(b->context, b->point_count, POINT_BLOCK, move_points, &task);
    if (self->def.stretch_limit > 0) {
        double most = limit_stretch(self->parts.network, self->parts.inverse_masses, self->def.stretch_limit,
                                    self->def.limit_rounds, to.positions);
        measure *elongation = &self->base.measures.items[self->elongation];
        elongation->value = fmax(elongation->value, most);
        parallel_for(b->context, b->point_count, POINT_BLOCK, follow_positions, &task);
    }
    meet_colliders(self, s, from, to);
    return RUGA_OK;
}

/* ---- The substep. */

typedef struct change_task {
    const spring_network *network;
    const vec3 *from, *to;
    double limit;
} change_task;

/* How many springs change their length by more than the limit, as a part of their rest length. */
static double count_changes(void *argument, size_t begin, size_t end) {
    const change_task *task = argument;
    const spring_network *n = task->network;
    size_t count = 0;
    for (size_t i = begin; i < end; i++)
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            uint32_t j = n->others[e];
            if (j <= i || n->rest_lengths[e] == 0) continue;
            double change = vec3_distance(task->to[i], task->to[j]) - vec3_distance(task->from[i], task->from[j]);
            count += !(fabs(change) <= task->limit * n->rest_lengths[e]);
        }
    return (double)count;
}

static int changes_more(const cloth *self, moment from, moment to, double limit) {
    change_task task = {self->parts.network, from.positions, to.positions, limit};
    return parallel_sum(self->base.context, self->base.point_count, POINT_BLOCK, count_changes, &task) > 0;
}

static void swap_stage(cloth *self) {
    moment stage = {self->parts.stage_positions, self->parts.stage_velocities};
    self->parts.stage_positions = self->base.candidate_positions;
    self->parts.stage_velocities = self->base.candidate_velocities;
    self->base.candidate_positions = stage.positions;
    self->base.candidate_velocities = stage.velocities;
}

/* Steps whose length adapts; each leads to the candidates, from the moment before them. */
static ruga_status adaptive_steps(cloth *self, const substep *s) {
    body *b = &self->base;
    moment from = {b->positions, b->velocities};
    double least = s->dt / self->def.most_steps, left = s->dt;
    size_t held = b->point_count * sizeof(contact_hold);
    if (!(self->step > 0 && self->step < s->dt)) self->step = s->dt;
    while (left > 0) {
        /* What would be left of the substep after this step is either nothing or worth a step. */
        substep step = *s;
        step.dt = self->step > 0.75 * left ? left : self->step;
        step.time = s->time - left + step.dt;
        moment to = {b->candidate_positions, b->candidate_velocities};
        if (self->parts.holds) memcpy(self->parts.stage_holds, self->parts.holds, held);
        TRY(take_step(self, &step, left, from, to));
        if (step.dt > least * (1 + 1e-9) && changes_more(self, from, to, self->def.adaptive)) {
            self->step = fmax(step.dt / 2, least);
            if (self->parts.holds) memcpy(self->parts.holds, self->parts.stage_holds, held);
            continue;
        }
        self->base.measures.items[self->steps].value++;
        if (!changes_more(self, from, to, self->def.adaptive / 4))
            self->step = fmin(2 * fmax(step.dt, self->step), s->dt);
        left -= step.dt;
        if (left <= s->dt * 1e-12) break;
        swap_stage(self);
        from = (moment){self->parts.stage_positions, self->parts.stage_velocities};
    }
    return RUGA_OK;
}

/* ---- Stiffness and mass. */

static ruga_status use_stiffness(cloth *self) {
    return spring_network_set_factor(self->parts.network, self->stiffness_factor * self->change.stiffness);
}

static ruga_status use_mass(cloth *self) {
    integrator_masses_changed(self->parts.solver);
    return make_masses(self->base.mesh, self->mass_factor * self->change.mass * self->def.density, &self->parts);
}

/* As the def has them at this time. */
static ruga_status change_with_time(cloth *self, double time) {
    cloth_change before = self->change;
    self->change = cloth_changes_at(self->def.changes, self->def.change_count, time);
    if (self->change.stiffness != before.stiffness) TRY(use_stiffness(self));
    return self->change.mass != before.mass ? use_mass(self) : RUGA_OK;
}

static ruga_status cloth_predict(body *b, const substep *s) {
    cloth *self = (cloth *)b;
    cloth_pins *pins = &self->parts.pins;
    TRY(change_with_time(self, s->time));
    cloth_pins_place(pins, s->time);
    if (self->def.adaptive > 0) {
        TRY(adaptive_steps(self, s));
    } else {
        moment from = {b->positions, b->velocities}, to = {b->candidate_positions, b->candidate_velocities};
        TRY(take_step(self, s, s->dt, from, to));
        b->measures.items[self->steps].value++;
    }
    for (size_t k = 0; k < pins->count; k++) b->candidate_positions[pins->points[k]] = pins->targets[k];
    return RUGA_OK;
}

static contact_surface *cloth_surface(body *b) {
    cloth *self = (cloth *)b;
    self->surface = (contact_surface){.mesh = b->mesh,
                                      .revision = b->revision,
                                      .accepted = b->positions,
                                      .candidate = b->candidate_positions,
                                      .velocities = b->candidate_velocities,
                                      .inverse_masses = self->parts.inverse_masses,
                                      .impulses = self->parts.impulses,
                                      .holds = self->parts.holds,
                                      .thickness = b->touch.thickness,
                                      .friction = b->touch.friction,
                                      .self = b->touch.self};
    if (b->point_count > 0) memset(self->parts.impulses, 0, b->point_count * sizeof *self->parts.impulses);
    return &self->surface;
}

/* What contact exerts on pinned points, the pins bear. */
static double kinetic_energy(void *argument, size_t begin, size_t end) {
    const body *b = argument;
    double energy = 0;
    for (size_t i = begin; i < end; i++) energy += b->masses[i] * vec3_length2(b->velocities[i]);
    return energy / 2;
}

static ruga_status cloth_accept(body *b, const substep *s) {
    cloth *self = (cloth *)b;
    for (size_t k = 0; k < self->parts.pins.count; k++)
        self->parts.impulses[self->parts.pins.points[k]] = (vec3){0, 0, 0};
    TRY(body_accept_impulses(b, &self->surface, s->dt));
    b->measures.items[self->kinetic].value = parallel_sum(b->context, b->point_count, POINT_BLOCK, kinetic_energy, b);
    return RUGA_OK;
}

/* ---- Changes, state, end. */

ruga_status cloth_set_stiffness(body *b, double factor) {
    cloth *self = (cloth *)b;
    TRY(spring_network_set_factor(self->parts.network, factor));
    self->stiffness_factor = factor;
    return use_stiffness(self);
}

ruga_status cloth_set_mass(body *b, double factor) {
    cloth *self = (cloth *)b;
    if (!(factor > 0) || !isfinite(factor))
        return fail_with(b->context, RUGA_ERROR_ARGUMENT, "the mass can't become %g times what it was", factor);
    self->mass_factor = factor;
    return use_mass(self);
}

const spring_network *cloth_network(const body *b) { return ((const cloth *)b)->parts.network; }

/* Pins keep their vertices, which have the same numbers on another mesh. */
static ruga_status pins_on_mesh(const cloth_pins *pins, const ruga_mesh *mesh, cloth_pins *out) {
    cloth_pin_def *defs = ALLOCATE_ZEROED(pins->context, cloth_pin_def, pins->group_count);
    if (!defs) return fail_memory(pins->context, pins->group_count * sizeof *defs);
    for (size_t g = 0; g < pins->group_count; g++) {
        const cloth_pin_group *group = &pins->groups[g];
        defs[g] = (cloth_pin_def){.count = group->end - group->begin,
                                  .vertices = pins->points + group->begin,
                                  .key_count = group->key_count,
                                  .keys = group->keys,
                                  .leader = group->leader};
    }
    ruga_status status = cloth_pins_make(mesh, defs, pins->group_count, out);
    memory_release(pins->context, defs);
    return status;
}

static ruga_status cloth_rebuild(body *b, const ruga_mesh *mesh, const ruga_map *from_old) {
    cloth *self = (cloth *)b;
    cloth_parts parts = {0};
    if (from_old->rows != mesh->vertex_count)
        return fail_with(b->context, RUGA_ERROR_ARGUMENT, "a map of %zu rows makes no cloth of %zu vertices",
                         from_old->rows, mesh->vertex_count);
    ruga_status status = pins_on_mesh(&self->parts.pins, mesh, &parts.pins);
    if (!RUGA_FAILED(status))
        status = make_parts(mesh, &self->def, self->stiffness_factor * self->change.stiffness,
                            self->mass_factor * self->change.mass, &parts);
    if (!RUGA_FAILED(status)) status = body_rebuild_points(b, mesh, from_old);
    if (RUGA_FAILED(status)) {
        release_parts(b->context, &parts);
        return status;
    }
    release_parts(b->context, &self->parts);
    self->parts = parts;
    b->masses = parts.masses;
    return RUGA_OK;
}

static void cloth_save(const body *b, state_writer *writer) {
    const cloth *self = (const cloth *)b;
    double values[3] = {self->stiffness_factor, self->mass_factor, self->step};
    state_begin(writer, CLOTH_TAG, CLOTH_VERSION);
    state_put_f64(writer, values, 3);
    uint64_t held = self->parts.holds ? b->point_count : 0;
    state_put_u64(writer, &held, 1);
    if (held > 0) state_put_f64(writer, &self->parts.holds->normal.x, HOLD_NUMBERS * held);
    state_end(writer);
}

static ruga_status cloth_load(body *b, state_reader *reader) {
    cloth *self = (cloth *)b;
    state_reader entry;
    uint32_t version;
    double values[3];
    TRY(state_enter(reader, CLOTH_TAG, CLOTH_VERSION, &version, &entry));
    TRY(state_get_f64(&entry, values, 3));
    TRY(cloth_set_stiffness(b, values[0]));
    TRY(cloth_set_mass(b, values[1]));
    self->step = values[2];
    uint64_t held = 0;
    if (version > 1) TRY(state_get_u64(&entry, &held, 1));
    if (self->parts.holds) memset(self->parts.holds, 0, b->point_count * sizeof *self->parts.holds);
    if (held != b->point_count || !self->parts.holds) return RUGA_OK;
    return state_get_f64(&entry, &self->parts.holds->normal.x, HOLD_NUMBERS * b->point_count);
}

static void cloth_destroy(body *b) {
    cloth *self = (cloth *)b;
    ruga_context *context = b->context;
    release_parts(context, &self->parts);
    memory_release(context, (void *)self->def.changes);
    body_release(b);
    memory_release(context, self);
}

ruga_status cloth_create(const ruga_mesh *mesh, const cloth_def *def, body **out) {
    static const body_interface interface = {.predict = cloth_predict,
                                             .surface = cloth_surface,
                                             .accept = cloth_accept,
                                             .rebuild = cloth_rebuild,
                                             .save = cloth_save,
                                             .load = cloth_load,
                                             .destroy = cloth_destroy};
    ruga_context *context = mesh->context;
    TRY(check_def(context, def));
    cloth *self = ALLOCATE_ZEROED(context, cloth, 1);
    if (!self) return fail_memory(context, sizeof *self);
    ruga_status status = body_init(&self->base, &interface, context, "cloth", mesh, mesh->vertex_count, NULL);
    if (RUGA_FAILED(status)) {
        memory_release(context, self);
        return status;
    }
    self->def = *def;
    self->def.changes = NULL;
    self->stiffness_factor = self->mass_factor = 1;
    self->change = (cloth_change){0, 1, 1};
    cloth_change *changes = NULL;
    status = cloth_changes_copy(context, def->changes, def->change_count, &changes);
    self->def.changes = changes;
    if (!RUGA_FAILED(status)) status = cloth_pins_make(mesh, def->pins, def->pin_def_count, &self->parts.pins);
    if (!RUGA_FAILED(status)) status = make_parts(mesh, def, 1, 1, &self->parts);
    if (RUGA_FAILED(status)) {
        cloth_destroy(&self->base);
        return status;
    }
    self->base.masses = self->parts.masses;
    self->base.touch.thickness = def->thickness;
    self->base.touch.friction = def->friction;
    add_measures(self);
    *out = &self->base;
    return RUGA_OK;
}
