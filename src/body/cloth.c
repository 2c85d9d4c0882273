/* The step of cloth; the header has its order. */
#include "body/cloth.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "body/cloth_parts.h"
#include "body/cloth_strain.h"
#include "body/dynamics.h"
#include "contact/respond.h"
#include "mesh/mesh.h"
#include "solve/stretch_limit.h"

#define CLOTH_TAG STATE_TAG('C', 'L', 'T', 'H')
#define CLOTH_VERSION 7     /* reports before the surface since 7; of holds only those points that are held since 5 */
#define STATIC_FRICTION 1.2 /* at rest over sliding */

typedef struct cloth {
    body base;
    cloth_def def; /* its pins' arrays are not kept; its changes are a copy */
    cloth_parts parts;
    contact_surface surface;
    int surface_is_late;                  /* without contact the mapped surface is settled once a frame */
    double stiffness_factor, mass_factor; /* of the owner */
    ruga_cloth_key change;                /* of the def, now */
    double step;                          /* s, that the next step within a substep tries; 0: the whole */
    int has_stiff_parts;                  /* a part's forces have a derivative */
    int springs_are_set;                  /* springs differ from those of the mesh */
    int said_not_converged;               /* the log has it once per run */
    cloth_said said;                      /* the same */
    /* A step that has begun. */
    part_call call;
    integrator_step begun;
    integrator_report report;
    size_t elastic, kinetic, iterations, steps, residual, elongation, elongation_p99, contacts; /* measures */
} cloth;

/* Positions and velocities at one time. */
typedef struct moment {
    vec3 *positions, *velocities;
} moment;

/* ---- Making. */

/* The parts become the body's; its points are those of the simulated mesh. */
static void use_parts(cloth *self, const cloth_parts *parts, const body_simulated *given) {
    body *b = &self->base;
    b->given = *given;
    self->parts = *parts;
    self->springs_are_set = 0;
    b->simulated = parts->simulated.mesh;
    b->shares = parts->simulated.shares;
    b->collides = parts->simulated.collides;
    b->masses = parts->masses;
    b->inverse_masses = parts->inverse_masses;
    b->mass_revision++;
}

/* The def with integrator and elements chosen, by its owner or for its mesh and parts. */
static ruga_status resolve_def(const cloth *self, const ruga_mesh *mesh, const body_simulated *simulated,
                               cloth_def *out) {
    cloth_choice choice;
    TRY(cloth_choose(&self->def, mesh, simulated->bound || self->has_stiff_parts, &choice));
    *out = self->def;
    out->values.integrator = choice.integrator;
    out->values.elements = choice.elements;
    out->values.bending = choice.bending;
    return RUGA_OK;
}

static void report_implicit(const cloth *self, const char *why) {
    const char *name = self->base.name ? self->base.name : self->def.name;
    log_info(self->base.context, "object \"%s\": the integrator is \"implicit\", because %s and none was chosen",
             name ? name : self->base.kind, why);
}

static ruga_status make_parts(const cloth *self, const ruga_mesh *mesh, const body_simulated *simulated,
                              cloth_parts *parts) {
    cloth_def def;
    TRY(resolve_def(self, mesh, simulated, &def));
    if (simulated->bound && self->def.values.integrator == INTEGRATOR_AUTO) report_implicit(self, "the cloth is bound");
    return cloth_parts_make(mesh, &def, simulated, self->stiffness_factor * self->change.stiffness,
                            self->mass_factor * self->change.mass, parts);
}

static void add_measures(cloth *self) {
    measure_list *list = &self->base.measures;
    self->elastic = measure_add(list, "elastic_energy", "J");
    self->kinetic = measure_add(list, "kinetic_energy", "J");
    self->iterations = measure_add(list, "iterations", "1");
    self->steps = measure_add(list, "steps", "1");
    self->residual = measure_add(list, "residual", "1");
    self->elongation = measure_add(list, "elongation", "1");
    self->elongation_p99 = measure_add(list, "elongation_p99", "1");
    self->contacts = measure_add(list, "contacts", "1");
}

/* ---- One step within a substep. */

static ruga_vec3 wind_at(void *user, ruga_vec3 point) {
    const substep *s = user;
    return environment_wind(s->environment, point, s->time);
}

/* Forces of parts and air. */
static ruga_status outer_forces(cloth *self, const substep *s, moment now) {
    body *b = &self->base;
    memset(self->parts.forces, 0, b->point_count * sizeof *self->parts.forces);
    TRY(body_part_forces(b, s, now.positions, now.velocities, self->parts.forces));
    if (!cloth_has_air(&self->def)) return RUGA_OK;
    air_surface surface = {.triangles = b->simulated->triangles,
                           .shares = b->shares,
                           .topo = self->parts.fans,
                           .scratch = self->parts.air_scratch,
                           .on_points = self->def.values.air_on_points,
                           .masses = self->parts.masses,
                           .dt = s->dt};
    const ruga_cloth_def *values = &self->def.values;
    const air_law law = {values->drag, values->lift, (air_lift)values->lift_form};
    substep at = *s;
    air_add_forces(b->context, &law, &surface, wind_at, &at, now.positions, now.velocities, self->parts.forces);
    return RUGA_OK;
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

/* Velocities with the effect of outer forces in the step. */
static ruga_status pushed_velocities(cloth *self, const substep *s, moment now, const vec3 **out) {
    const body *b = &self->base;
    *out = now.velocities;
    if (!body_has_forces(b) && !cloth_has_air(&self->def)) return RUGA_OK;
    TRY(outer_forces(self, s, now));
    push_task task = {now.velocities, self->parts.masses, self->parts.forces, s->dt};
    parallel_for(b->context, b->point_count, DYNAMICS_BLOCK, push_points, &task);
    *out = self->parts.forces;
    return RUGA_OK;
}

static integrator_step step_from(const cloth *self, moment now, part_call *call) {
    const cloth_pins *pins = &self->parts.pins;
    integrator_step step = {.dt = call->s->dt,
                            .gravity = call->s->environment->gravity,
                            .positions = now.positions,
                            .pin_count = pins->count,
                            .pins = pins->points,
                            .pin_velocities = pins->velocities,
                            .holds = self->parts.holds,
                            .hold_impulses = self->parts.impulses,
                            .bound_velocities = now.velocities};
    dynamics_use_parts(call, 1, &step);
    return step;
}

static ruga_status cloth_respond(body *b, const substep *s, const ruga_vec3 *impulses, ruga_vec3 *changes) {
    const cloth *self = (const cloth *)b;
    part_call call = {b, s, b->positions};
    integrator_step step = step_from(self, (moment){b->positions, b->velocities}, &call);
    return integrator_respond(self->parts.solver, &step, impulses, changes);
}

/* The step that the integrator solves; `left` of the substep at its start. */
static ruga_status begin_step(cloth *self, const substep *s, double left, moment now) {
    cloth_pins *pins = &self->parts.pins;
    for (size_t k = 0; k < pins->count; k++)
        pins->velocities[k] = vec3_scale(vec3_sub(pins->targets[k], now.positions[pins->points[k]]), 1 / left);
    const body_simulated *simulated = &self->parts.simulated;
    integrator_unlock(self->parts.solver);
    for (size_t k = 0; k < simulated->lock_count; k++)
        if (body_is_locked(simulated->locks[k].until, s))
            integrator_lock(self->parts.solver, simulated->locks[k].unknown);
    if (self->parts.hinges) hinges_set_velocities(self->parts.hinges, now.positions, now.velocities);
    self->call = (part_call){&self->base, s, now.positions};
    self->begun = step_from(self, now, &self->call);
    return pushed_velocities(self, s, now, &self->begun.velocities);
}

static void measure_solve(cloth *self, const substep *s) {
    const integrator_report *report = &self->report;
    measure *measures = self->base.measures.items;
    dynamics_report_solve(&self->base, s, report, integrator_tolerance(self->parts.solver), &self->said_not_converged);
    measures[self->elastic].value = report->elastic_energy;
    measures[self->iterations].value += report->iterations;
    measures[self->residual].value = fmax(measures[self->residual].value, report->residual);
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

/* Replaces changes of points by those that the binding allows, weighted by the masses; points that never collide keep
 * their place. */
static ruga_status bind_changes(cloth *self, vec3 *changes) {
    const cloth_parts *parts = &self->parts;
    const unsigned char *collides = self->base.collides;
    for (size_t i = 0; collides && i < self->base.point_count; i++)
        if (!collides[i]) changes[i] = (vec3){0, 0, 0};
    if (!parts->simulated.bound) return RUGA_OK;
    for (size_t i = 0; i < self->base.point_count; i++) changes[i] = vec3_scale(changes[i], parts->masses[i]);
    return integrator_answer(parts->solver, parts->pins.count, parts->pins.points, changes, changes);
}

/* After colliders moved single points, whose velocities before are in the array of forces. */
static ruga_status bind_response(cloth *self, double dt, moment from, moment to) {
    vec3 *before = self->parts.forces, *changes = self->parts.impulses;
    size_t count = self->base.point_count;
    for (size_t i = 0; i < count; i++)
        changes[i] = vec3_sub(to.positions[i], vec3_add_scaled(from.positions[i], before[i], dt));
    TRY(bind_changes(self, changes));
    for (size_t i = 0; i < count; i++)
        to.positions[i] = vec3_add(vec3_add_scaled(from.positions[i], before[i], dt), changes[i]);
    for (size_t i = 0; i < count; i++) changes[i] = vec3_sub(to.velocities[i], before[i]);
    TRY(bind_changes(self, changes));
    for (size_t i = 0; i < count; i++) to.velocities[i] = vec3_add(before[i], changes[i]);
    return RUGA_OK;
}

static ruga_status meet_colliders(cloth *self, const substep *s, moment from, moment to) {
    const cloth_parts *parts = &self->parts;
    /* Forgets holds that did not press on their points in the solve. */
    for (size_t i = 0; parts->holds && i < self->base.point_count; i++)
        if (!(vec3_dot(parts->holds[i].normal, parts->impulses[i]) > 0)) parts->holds[i] = (contact_hold){0};
    if (s->environment->collider_count == 0 || self->def.colliders_by_contact) return RUGA_OK;
    const unsigned char *collides = self->base.collides;
    int is_bound = parts->simulated.bound || collides;
    if (is_bound) memcpy(parts->forces, to.velocities, self->base.point_count * sizeof *parts->forces);
    respond_law law = {self->def.values.thickness, STATIC_FRICTION};
    respond_points points = {.count = self->base.point_count,
                             .accepted = from.positions,
                             .candidate = to.positions,
                             .velocities = to.velocities,
                             .inverse_masses = parts->inverse_masses,
                             .holds = parts->holds,
                             .dt = s->dt};
    self->base.measures.items[self->contacts].value += (double)respond_to_colliders(
        self->base.context, &law, s->environment->colliders, s->environment->collider_count, &points);
    /* Points that do not collide are not held either. */
    for (size_t i = 0; parts->holds && collides && i < self->base.point_count; i++)
        if (!collides[i]) parts->holds[i] = (contact_hold){0};
    return is_bound ? bind_response(self, s->dt, from, to) : RUGA_OK;
}

/* To the moment whose velocities were solved. */
static ruga_status end_step(cloth *self, const substep *s, moment from, moment to) {
    const body *b = &self->base;
    measure_solve(self, s);
    move_task task = {from.positions, to, s->dt};
    parallel_for(b->context, b->point_count, DYNAMICS_BLOCK, move_points, &task);
    if (self->def.values.stretch_limit > 0) {
        double most = limit_stretch(self->parts.network, self->parts.inverse_masses, self->def.values.stretch_limit,
                                    self->def.values.limit_rounds, to.positions);
        measure *elongation = &self->base.measures.items[self->elongation];
        elongation->value = fmax(elongation->value, most);
        parallel_for(b->context, b->point_count, DYNAMICS_BLOCK, follow_positions, &task);
    }
    return meet_colliders(self, s, from, to);
}

/* From one moment to another; s is the step within the substep, `left` of the substep at its start. */
static ruga_status take_step(cloth *self, const substep *s, double left, moment from, moment to) {
    TRY(begin_step(self, s, left, from));
    TRY(integrator_solve(self->parts.solver, &self->begun, to.velocities, &self->report));
    return end_step(self, s, from, to);
}

/* ---- The substep. */

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
    double least = s->dt / self->def.values.most_steps, left = s->dt;
    size_t held = b->point_count * sizeof(contact_hold);
    if (!(self->step > 0 && self->step < s->dt)) self->step = s->dt;
    while (left > 0) {
        /* The rest of the substep after this step is either nothing or worth a step. */
        substep step = *s;
        step.dt = self->step > 0.75 * left ? left : self->step;
        step.time = s->time - left + step.dt;
        moment to = {b->candidate_positions, b->candidate_velocities};
        if (self->parts.holds) memcpy(self->parts.stage_holds, self->parts.holds, held);
        TRY(take_step(self, &step, left, from, to));
        if (step.dt > least * (1 + 1e-9) &&
            cloth_changes_more(&self->parts, from.positions, to.positions, self->def.values.adaptive)) {
            self->step = fmax(step.dt / 2, least);
            if (self->parts.holds) memcpy(self->parts.holds, self->parts.stage_holds, held);
            continue;
        }
        self->base.measures.items[self->steps].value++;
        if (!cloth_changes_more(&self->parts, from.positions, to.positions, self->def.values.adaptive / 4))
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
    self->base.stiffness_factor = self->stiffness_factor * self->change.stiffness;
    return cloth_parts_set_stiffness(&self->parts, self->base.stiffness_factor);
}

static ruga_status use_mass(cloth *self) {
    integrator_masses_changed(self->parts.solver);
    self->base.mass_revision++;
    return cloth_parts_set_masses(&self->parts, self->mass_factor * self->change.mass * self->def.material.density);
}

/* As the def has them at this time. */
static ruga_status change_with_time(cloth *self, double time) {
    ruga_cloth_key before = self->change;
    self->change = cloth_changes_at(self->def.values.changes.items, self->def.values.changes.count, time);
    if (self->change.stiffness != before.stiffness) TRY(use_stiffness(self));
    return self->change.mass != before.mass ? use_mass(self) : RUGA_OK;
}

static void place_pins(body *b) {
    const cloth_pins *pins = &((cloth *)b)->parts.pins;
    for (size_t k = 0; k < pins->count; k++) b->candidate_positions[pins->points[k]] = pins->targets[k];
}

static ruga_status cloth_predict(body *b, const substep *s) {
    cloth *self = (cloth *)b;
    TRY(change_with_time(self, s->time));
    TRY(cloth_pins_place(&self->parts.pins, s->time));
    if (self->def.values.adaptive > 0) {
        TRY(adaptive_steps(self, s));
    } else {
        moment from = {b->positions, b->velocities}, to = {b->candidate_positions, b->candidate_velocities};
        TRY(take_step(self, s, s->dt, from, to));
        b->measures.items[self->steps].value++;
    }
    place_pins(b);
    return RUGA_OK;
}

static ruga_status cloth_begin(body *b, const substep *s, coupled_member *out) {
    cloth *self = (cloth *)b;
    if (self->def.values.adaptive > 0 || b->is_asked || !integrator_can_couple(self->parts.solver)) return RUGA_OK;
    TRY(change_with_time(self, s->time));
    TRY(cloth_pins_place(&self->parts.pins, s->time));
    TRY(begin_step(self, s, s->dt, (moment){b->positions, b->velocities}));
    TRY(integrator_begin(self->parts.solver, &self->begun, b->candidate_velocities, &self->report));
    move_task guess = {b->positions, {b->candidate_positions, b->candidate_velocities}, s->dt};
    parallel_for(b->context, b->point_count, DYNAMICS_BLOCK, move_points, &guess);
    *out = (coupled_member){self->parts.solver, &self->report, self->parts.vertices};
    return RUGA_OK;
}

static ruga_status cloth_finish(body *b, const substep *s) {
    cloth *self = (cloth *)b;
    moment from = {b->positions, b->velocities}, to = {b->candidate_positions, b->candidate_velocities};
    TRY(end_step(self, s, from, to));
    b->measures.items[self->steps].value++;
    place_pins(b);
    return RUGA_OK;
}

/* ---- Contact. */

static void add_links(const body *b, contact_surface *surface) {
    surface->links = b->links.items;
    surface->link_count = b->links.count / 2;
    surface->link_thickness = BODY_LINK_THICKNESS * b->touch.thickness;
}

static contact_surface *mapped_surface(cloth *self) {
    cloth_parts *parts = &self->parts;
    contact_surface *surface = part_surface_fill(&parts->surface, &self->base);
    surface->holds = parts->vertex_holds;
    add_links(&self->base, surface);
    holds_to_vertices(parts->simulated.visible, surface->mesh->vertex_count, parts->holds, parts->vertex_holds);
    return surface;
}

static contact_surface *cloth_surface(body *b) {
    cloth *self = (cloth *)b;
    if (self->parts.is_mapped) return mapped_surface(self);
    self->surface = part_surface_of_points(b, self->parts.inverse_masses, self->parts.impulses);
    self->surface.holds = self->parts.holds;
    add_links(b, &self->surface);
    return &self->surface;
}

static void measure_elongation(cloth *self, const substep *s) {
    body *b = &self->base;
    cloth_elongation e = cloth_measure_elongation(&self->parts, b->positions);
    measure *measures = b->measures.items;
    measures[self->elongation].value = fmax(measures[self->elongation].value, e.most);
    measures[self->elongation_p99].value = e.p99;
    cloth_report_elongation(b, &self->parts, s, &e, &self->said);
}

static ruga_status cloth_accept(body *b, const substep *s, const contact_surface *surface) {
    cloth *self = (cloth *)b;
    cloth_parts *parts = &self->parts;
    if (parts->simulated.bound && surface)
        TRY(dynamics_accept_bound(b, parts->solver, parts->pins.count, parts->pins.points, s->dt, surface,
                                  parts->forces));
    else
        TRY(body_accept_impulses(b, surface, s->dt));
    if (parts->is_mapped && surface == &parts->surface.surface) {
        part_surface_keep(&parts->surface);
        holds_to_points(parts->simulated.visible, b->mesh->vertex_count, parts->vertex_holds, b->point_count,
                        parts->holds);
    } else if (parts->is_mapped && s->is_last) {
        part_surface_settle(&parts->surface, b);
    }
    self->surface_is_late = surface != &parts->surface.surface && !s->is_last;
    if (!s->is_last) return RUGA_OK;
    b->measures.items[self->kinetic].value = dynamics_kinetic_energy(b);
    measure_elongation(self, s);
    return RUGA_OK;
}

/* The accepted vertices of a mapped surface are those that contact resolved. */
static void mapped_visible(const body *b, const ruga_vec3 *points, ruga_vec3 *vertices) {
    const cloth *self = (const cloth *)b;
    const cloth_parts *parts = &self->parts;
    if (points == b->positions && !self->surface_is_late)
        memcpy(vertices, parts->surface.accepted, b->mesh->vertex_count * sizeof *vertices);
    else if (parts->simulated.visible)
        ruga_map_apply(parts->simulated.visible, points, vertices);
    else
        memcpy(vertices, points, b->mesh->vertex_count * sizeof *vertices);
}

/* ---- Changes. */

ruga_status cloth_set_stiffness(body *b, double factor) {
    cloth *self = (cloth *)b;
    TRY(spring_network_set_factor(self->parts.network, factor));
    self->stiffness_factor = factor;
    return use_stiffness(self);
}

ruga_status cloth_set_mass(body *b, double factor) {
    cloth *self = (cloth *)b;
    TRY(check_positive(b->context, "mass factor", factor));
    self->mass_factor = factor;
    return use_mass(self);
}

static ruga_status fail_no_springs(const body *b) {
    return fail_with(b->context, RUGA_ERROR_UNSUPPORTED,
                     "the cloth is a membrane and has no springs to set; make it with \"elements\": \"springs\"");
}

ruga_status cloth_set_spring(body *b, uint32_t from, uint32_t to, spring_kind kind, double rest_length,
                             double stiffness) {
    cloth *self = (cloth *)b;
    if (self->parts.membrane) return fail_no_springs(b);
    TRY(spring_network_set_spring(self->parts.network, from, to, kind, rest_length, stiffness));
    self->springs_are_set = 1;
    return RUGA_OK;
}

ruga_status cloth_set_axial(body *b, size_t index, double rest_length, double stiffness) {
    cloth *self = (cloth *)b;
    if (self->parts.membrane) return fail_no_springs(b);
    TRY(spring_network_set_axial(self->parts.network, index, rest_length, stiffness));
    self->springs_are_set = 1;
    return RUGA_OK;
}

cloth_fabric cloth_fabric_of(const body *b) {
    const cloth *self = (const cloth *)b;
    const cloth_parts *parts = &self->parts;
    return (cloth_fabric){.elements = parts->membrane ? CLOTH_MEMBRANE : CLOTH_SPRINGS,
                          .integrator = (int)parts->integrator,
                          .warp = parts->warp,
                          .strain_limit = parts->strain_limit,
                          .quadless = cloth_part_without_quads(&self->def, b->simulated)};
}

static integrator_kind integrator_of(const body *b) { return ((const cloth *)b)->parts.integrator; }

const spring_network *cloth_network(const body *b) { return ((const cloth *)b)->parts.network; }

/* The integrators that are chosen because they are stable at any step must not take stiff forces explicitly. */
static ruga_status cloth_take_part(body *b, const part *p) {
    cloth *self = (cloth *)b;
    integrator_kind chosen = (integrator_kind)self->def.values.integrator;
    if (!p->interface->force_product) return RUGA_OK;
    if (chosen == INTEGRATOR_APPROXIMATE_IMPLICIT || chosen == INTEGRATOR_FILTER)
        return fail_with(
            b->context, RUGA_ERROR_UNSUPPORTED,
            "the forces of \"%s\" are stiff, and the integrator %s would integrate them explicitly, which is not "
            "stable; use implicit, or auto, which chooses it",
            p->kind, integrator_name(chosen));
    int had = self->has_stiff_parts || self->parts.simulated.bound || self->parts.membrane || self->parts.hinges;
    self->has_stiff_parts = 1;
    if (had || chosen != INTEGRATOR_AUTO) return RUGA_OK;
    cloth_def def;
    ruga_status status = resolve_def(self, b->mesh, &self->parts.simulated, &def);
    if (!RUGA_FAILED(status)) status = cloth_parts_make_solver(b->mesh, &def, &self->parts);
    if (RUGA_FAILED(status))
        self->has_stiff_parts = 0;
    else
        report_implicit(self, "a part has stiff forces");
    return status;
}

static const body_interface plain_interface, mapped_interface;

static ruga_status make_other_parts(const cloth *self, const body_change *change, cloth_parts *parts) {
    TRY(cloth_pins_on_mesh(&self->parts.pins, change->mesh, &parts->pins));
    TRY(make_parts(self, change->mesh, &change->simulated, parts));
    return cloth_parts_carry_visible(&self->parts, &self->base, change, parts);
}

static ruga_status cloth_rebuild(body *b, const body_change *change) {
    cloth *self = (cloth *)b;
    cloth_parts parts = {0};
    const ruga_map *from_old = change->points_from_old;
    const ruga_mesh *points = change->simulated.mesh ? change->simulated.mesh : change->mesh;
    if (from_old->rows != points->vertex_count || from_old->columns != b->point_count)
        return fail_with(b->context, RUGA_ERROR_ARGUMENT,
                         "a map of %zu x %zu can't make cloth of %zu points from one of %zu", from_old->rows,
                         from_old->columns, points->vertex_count, b->point_count);
    ruga_status status = make_other_parts(self, change, &parts);
    if (!RUGA_FAILED(status)) status = body_rebuild_points(b, change->mesh, from_old);
    if (RUGA_FAILED(status)) {
        cloth_parts_release(b->context, &parts);
        return status;
    }
    if (parts.is_mapped && !change->vertices_from_old) part_surface_settle(&parts.surface, b);
    cloth_parts_carry_state(&self->parts, change, &parts, b->positions);
    cloth_parts_release(b->context, &self->parts);
    b->interface = parts.is_mapped ? &mapped_interface : &plain_interface;
    use_parts(self, &parts, &change->simulated);
    return RUGA_OK;
}

/* ---- State. */

static void cloth_save(const body *b, state_writer *writer) {
    const cloth *self = (const cloth *)b;
    const spring_network *n = self->parts.network;
    double values[3] = {self->stiffness_factor, self->mass_factor, self->step};
    uint64_t set = self->springs_are_set ? n->entry_count : 0;
    state_begin(writer, CLOTH_TAG, CLOTH_VERSION);
    state_put_f64(writer, values, 3);
    holds_save(self->parts.holds, b->point_count, writer);
    state_put_u64(writer, &set, 1);
    if (set > 0) {
        state_put_f64(writer, n->rest_lengths, set);
        state_put_f64(writer, n->stiffness, set);
        for (size_t k = 0; k < n->axial_count; k++) {
            double axial[2] = {n->axial[k].rest_length, n->axial[k].stiffness};
            state_put_f64(writer, axial, 2);
        }
    }
    holds_save(self->parts.vertex_holds, b->mesh->vertex_count, writer);
    const uint64_t said = (uint64_t)(self->said_not_converged != 0) | (uint64_t)(self->said.stretched != 0) << 1 |
                          (uint64_t)(self->said.limit != 0) << 2;
    state_put_u64(writer, &said, 1);
    if (self->parts.is_mapped) part_surface_save(&self->parts.surface, writer);
    state_end(writer);
}

/* Springs as the mesh makes them, after some were set one by one. */
static ruga_status reset_springs(cloth *self) {
    spring_network *n = self->parts.network, *made;
    if (!self->springs_are_set) return RUGA_OK;
    spring_material material = cloth_springs(&self->def, self->base.mesh);
    material.shares = self->parts.simulated.shares;
    TRY(spring_network_of_mesh(self->base.simulated, &material, &made));
    memcpy(n->rest_lengths, made->rest_lengths, n->entry_count * sizeof *n->rest_lengths);
    memcpy(n->stiffness, made->stiffness, n->entry_count * sizeof *n->stiffness);
    if (n->axial_count > 0) memcpy(n->axial, made->axial, n->axial_count * sizeof *n->axial);
    spring_network_destroy(made);
    spring_network_refresh(n);
    self->springs_are_set = 0;
    return RUGA_OK;
}

static ruga_status load_springs(cloth *self, state_reader *entry) {
    spring_network *n = self->parts.network;
    uint64_t set = 0;
    TRY(state_get_u64(entry, &set, 1));
    if (set > 0 && set != n->entry_count)
        return fail_with(
            n->context, RUGA_ERROR_INPUT,
            "the saved cloth has %llu entries of springs, but the mesh makes %zu; use the scene that it was "
            "saved from",
            (unsigned long long)set, n->entry_count);
    if (set > 0) {
        TRY(state_get_f64(entry, n->rest_lengths, set));
        TRY(state_get_f64(entry, n->stiffness, set));
        for (size_t k = 0; k < n->axial_count; k++) {
            double axial[2];
            TRY(state_get_f64(entry, axial, 2));
            n->axial[k].rest_length = axial[0];
            n->axial[k].stiffness = axial[1];
        }
        spring_network_refresh(n);
        self->springs_are_set = 1;
    }
    return RUGA_OK;
}

static ruga_status cloth_load(body *b, state_reader *reader) {
    cloth *self = (cloth *)b;
    state_reader entry;
    double values[3];
    uint32_t version;
    TRY(state_enter(reader, CLOTH_TAG, CLOTH_VERSION, &version, &entry));
    TRY(state_refuse_older(reader, CLOTH_TAG, version, CLOTH_VERSION));
    TRY(state_get_f64(&entry, values, 3));
    TRY(cloth_set_stiffness(b, values[0]));
    TRY(cloth_set_mass(b, values[1]));
    self->step = values[2];
    TRY(holds_load(b->context, &entry, "points", b->point_count, self->parts.holds));
    TRY(reset_springs(self));
    TRY(load_springs(self, &entry));
    TRY(holds_load(b->context, &entry, "vertices", b->mesh->vertex_count, self->parts.vertex_holds));
    uint64_t said;
    TRY(state_get_u64(&entry, &said, 1));
    self->said_not_converged = (int)(said & 1);
    self->said = (cloth_said){.stretched = (int)(said >> 1 & 1), .limit = (int)(said >> 2 & 1)};
    return self->parts.is_mapped ? part_surface_load(&self->parts.surface, &entry) : RUGA_OK;
}

static void cloth_destroy(body *b) {
    cloth *self = (cloth *)b;
    ruga_context *context = b->context;
    cloth_parts_release(context, &self->parts);
    memory_release(context, self->def.values.changes.items);
    body_release(b);
    memory_release(context, self);
}

/* ---- Create. */

#define CLOTH_INTERFACE                                                                                   \
    .predict = cloth_predict, .begin = cloth_begin, .finish = cloth_finish, .integrator = integrator_of,  \
    .surface = cloth_surface, .accept = cloth_accept, .rebuild = cloth_rebuild, .respond = cloth_respond, \
    .take_part = cloth_take_part, .set_stiffness = cloth_set_stiffness, .set_mass = cloth_set_mass,       \
    .save = cloth_save, .load = cloth_load, .destroy = cloth_destroy
static const body_interface plain_interface = {CLOTH_INTERFACE};
static const body_interface mapped_interface = {CLOTH_INTERFACE, .visible = mapped_visible};

static void place_at_start(cloth *self) {
    body *b = &self->base;
    if (!b->given.start) return;
    memcpy(b->positions, b->given.start, b->point_count * sizeof *b->positions);
    memcpy(b->candidate_positions, b->given.start, b->point_count * sizeof *b->positions);
    if (self->parts.is_mapped) part_surface_settle(&self->parts.surface, b);
}

static ruga_status make_cloth(cloth *self, const ruga_mesh *mesh, const cloth_def *def) {
    cloth_parts parts = {0};
    const ruga_list *changes = &def->values.changes;
    ruga_cloth_key *copy;
    TRY(cloth_changes_copy(mesh->context, changes->items, changes->count, &copy));
    self->def.values.changes.items = copy;
    const body_simulated *simulated = &def->simulated;
    ruga_status status =
        cloth_pins_make_from(mesh, simulated->visible, simulated->start, def->pins, def->pin_def_count, &parts.pins);
    if (!RUGA_FAILED(status)) status = make_parts(self, mesh, &def->simulated, &parts);
    if (RUGA_FAILED(status)) {
        cloth_parts_release(mesh->context, &parts);
        return status;
    }
    use_parts(self, &parts, &def->simulated);
    place_at_start(self);
    return RUGA_OK;
}

ruga_status cloth_create(const ruga_mesh *mesh, const cloth_def *def, body **out) {
    ruga_context *context = mesh->context;
    const body_simulated *simulated = &def->simulated;
    int is_mapped = simulated->mesh || simulated->visible || simulated->bound;
    TRY(cloth_check_def(context, def));
    cloth *self;
    TRY(NEW_ZEROED(context, &self, 1));
    ruga_status status =
        body_init(&self->base, is_mapped ? &mapped_interface : &plain_interface, "cloth", mesh, simulated->mesh);
    if (RUGA_FAILED(status)) {
        memory_release(context, self);
        return status;
    }
    self->def = *def;
    self->def.values.changes.items = NULL;
    self->def.damping_time = cloth_springs(def, mesh).damping_time;
    self->stiffness_factor = self->mass_factor = 1;
    self->change = (ruga_cloth_key){0, 1, 1};
    status = make_cloth(self, mesh, def);
    if (RUGA_FAILED(status)) {
        cloth_destroy(&self->base);
        return status;
    }
    self->base.touch.thickness = def->values.thickness;
    self->base.touch.friction = def->material.friction;
    add_measures(self);
    *out = &self->base;
    return RUGA_OK;
}
