/* The step of flesh; the header has its order. */
#include "body/flesh.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "body/dynamics.h"
#include "body/flesh_parts.h"
#include "contact/contact_interface.h"
#include "energy/air.h"
#include "solve/frequency.h"

#define FLESH_TAG STATE_TAG('F', 'L', 'S', 'H')
#define FLESH_VERSION 2
#define MOST_HALVINGS 20      /* of a step that would add energy */
#define ENERGY_ROUNDING 1e-12 /* of it */

typedef struct flesh {
    body base;
    ruga_flesh_def values; /* without its lists */
    flesh_parts parts;
    contact_surface surface;
    int is_masked;       /* contact in equilibrium knows which vertices collide */
    int surface_is_late; /* without contact the mapped surface is settled once a frame */
    double mass_factor;
    double stable_step; /* s, of semi-implicit steps; 0: not known yet */
    int said_not_converged, said_inverted, said_unstable, said_passing; /* the log has it once per run */
    /* A step that has begun. */
    part_call call;
    integrator_step begun;
    integrator_report report;
    equilibrium_report statics;
    void (*watch)(void *user, const equilibrium_progress *progress);
    void *watch_user;
    size_t elastic, kinetic, newton_steps, iterations, residual, inverted; /* measures */
} flesh;

static int is_quasistatic(const flesh *self) { return self->values.integrator == FLESH_QUASISTATIC; }

tet_energy *flesh_energy_of(body *b) { return ((flesh *)b)->parts.tets; }
int flesh_is_quasistatic(const body *b) { return is_quasistatic((const flesh *)b); }
const cloth_pins *flesh_pins(const body *b) { return &((const flesh *)b)->parts.pins; }
size_t flesh_energies(body *b, energy_term *out[3]) { return flesh_parts_energies(&((flesh *)b)->parts, out); }
const equilibrium_report *flesh_report(const body *b) { return &((const flesh *)b)->statics; }

void flesh_watch(body *b, void (*watch)(void *user, const equilibrium_progress *progress), void *user) {
    ((flesh *)b)->watch = watch;
    ((flesh *)b)->watch_user = user;
}

/* ---- Forces. */

static ruga_vec3 wind_at(void *user, ruga_vec3 point) {
    const substep *s = user;
    return environment_wind(s->environment, point, s->time);
}

static int has_outer_forces(const flesh *self) { return body_has_forces(&self->base) || flesh_has_air(&self->values); }

/* Of parts and air. */
static ruga_status find_outer_forces(flesh *self, const substep *s) {
    body *b = &self->base;
    flesh_parts *parts = &self->parts;
    memset(parts->forces, 0, b->point_count * sizeof *parts->forces);
    TRY(body_part_forces(b, s, b->positions, b->velocities, parts->forces));
    if (!flesh_has_air(&self->values)) return RUGA_OK;
    const air_surface surface = {.triangles = b->simulated->triangles,
                                 .shares = parts->triangle_shares,
                                 .topo = parts->fans,
                                 .scratch = parts->air_scratch,
                                 .masses = is_quasistatic(self) ? NULL : parts->masses,
                                 .dt = s->dt};
    const air_law law = {self->values.drag, self->values.lift, AIR_LIFT_SMOOTH};
    substep at = *s;
    air_add_forces(b->context, &law, &surface, wind_at, &at, b->positions, b->velocities, parts->forces);
    return RUGA_OK;
}

static void activate_muscles(flesh *self, double time) {
    for (size_t k = 0; k < self->parts.muscle_count; k++)
        tet_energy_activate(self->parts.tets, k, fmax(0, number_keys_at(&self->parts.muscles[k], time)));
}

/* Energies of parts, after the muscles: some follow them. */
static ruga_status update_energies(flesh *self, const substep *s) {
    const body *b = &self->base;
    energy_term *energy;
    for (size_t k = 0; k < b->part_count; k++)
        if (b->parts[k]->interface->energy) TRY(b->parts[k]->interface->energy(b->parts[k], b, s, &energy));
    return RUGA_OK;
}

/* ---- Steps in time. */

static ruga_status find_stable_step(flesh *self, const substep *s) {
    body *b = &self->base;
    energy_term *energies[3];
    part_call call = {b, s, b->positions};
    const frequency_system system = {.context = b->context,
                                     .point_count = b->point_count,
                                     .masses = self->parts.masses,
                                     .energy_count = flesh_energies(b, energies),
                                     .energies = energies,
                                     .force_product = part_call_product,
                                     .user = &call};
    double omega = 0;
    TRY(greatest_frequency(&system, b->positions, &omega));
    self->stable_step = 2 / omega;
    return RUGA_OK;
}

static ruga_status check_stable(flesh *self, const substep *s) {
    if (self->values.integrator != FLESH_SEMI_IMPLICIT || self->said_unstable) return RUGA_OK;
    if (self->stable_step == 0) TRY(find_stable_step(self, s));
    dynamics_report_unstable(&self->base, s, "semi-implicit", self->stable_step, &self->said_unstable);
    return RUGA_OK;
}

static integrator_step step_of(const flesh *self, part_call *call) {
    const cloth_pins *pins = &self->parts.pins;
    integrator_step step = {.dt = call->s->dt,
                            .gravity = call->s->environment->gravity,
                            .positions = self->base.positions,
                            .velocities = self->base.velocities,
                            .pin_count = self->parts.pins_are_points ? pins->count : 0,
                            .pins = pins->points,
                            .pin_velocities = pins->velocities,
                            .holds = self->parts.holds,
                            .hold_impulses = self->parts.impulses,
                            .bound_velocities = self->base.velocities};
    dynamics_use_parts(call, 1, &step);
    return step;
}

/* Velocities with the effect of outer forces. */
static ruga_status push_velocities(flesh *self, const substep *s) {
    const body *b = &self->base;
    if (!has_outer_forces(self)) return RUGA_OK;
    TRY(find_outer_forces(self, s));
    vec3 *forces = self->parts.forces;
    for (size_t i = 0; i < b->point_count; i++)
        forces[i] = vec3_add_scaled(b->velocities[i], forces[i], s->dt / self->parts.masses[i]);
    self->begun.velocities = forces;
    return RUGA_OK;
}

static ruga_status place_pins(flesh *self, const substep *s) {
    cloth_pins *pins = &self->parts.pins;
    const vec3 *x = self->base.positions;
    TRY(cloth_pins_place(pins, s->time));
    for (size_t k = 0; self->parts.pins_are_points && k < pins->count; k++)
        pins->velocities[k] = vec3_scale(vec3_sub(pins->targets[k], x[pins->points[k]]), 1 / s->dt);
    return RUGA_OK;
}

static ruga_status begin_step(flesh *self, const substep *s) {
    const body_simulated *simulated = &self->parts.simulated;
    TRY(check_stable(self, s));
    TRY(place_pins(self, s));
    activate_muscles(self, s->time);
    TRY(update_energies(self, s));
    integrator_unlock(self->parts.solver);
    for (size_t k = 0; k < simulated->lock_count; k++)
        if (body_is_locked(simulated->locks[k].until, s))
            integrator_lock(self->parts.solver, simulated->locks[k].unknown);
    self->call = (part_call){&self->base, s, self->base.positions};
    self->begun = step_of(self, &self->call);
    return push_velocities(self, s);
}

static void move_points(body *b, double dt) {
    for (size_t i = 0; i < b->point_count; i++)
        b->candidate_positions[i] = vec3_add_scaled(b->positions[i], b->candidate_velocities[i], dt);
}

static void set_pins(flesh *self) {
    const cloth_pins *pins = &self->parts.pins;
    for (size_t k = 0; self->parts.pins_are_points && k < pins->count; k++)
        self->base.candidate_positions[pins->points[k]] = pins->targets[k];
}

/* The function that backward Euler minimises, but for damping: M |v' - u|² / 2 + U(x + h v'), J, with u of free fall
 * and outer forces. Candidates are those of α v'. */
static double merit_of(flesh *self, const substep *s, double length) {
    body *b = &self->base;
    const flesh_parts *parts = &self->parts;
    energy_term *energies[3];
    double sum = 0;
    for (size_t i = 0; i < b->point_count; i++) {
        vec3 u = vec3_add_scaled(self->begun.velocities[i], self->begun.gravity, s->dt);
        vec3 v = vec3_scale(b->candidate_velocities[i], length);
        if (parts->inverse_masses[i] > 0) sum += parts->masses[i] / 2 * vec3_length2(vec3_sub(v, u));
        b->candidate_positions[i] = vec3_add_scaled(b->positions[i], v, s->dt);
    }
    set_pins(self);
    for (size_t k = 0, count = flesh_energies(b, energies); k < count; k++)
        sum += energies[k]->interface->value(energies[k], b->candidate_positions);
    for (size_t k = 0; k < parts->further.count; k++)
        sum += parts->further.items[k]->interface->value(parts->further.items[k], b->candidate_positions);
    return sum;
}

/* The solve is one step of Newton's method for backward Euler, from the start of the step. Where flesh is far from
 * equilibrium, as when it is inverted, a whole step may add energy: then it is shortened until it does not. */
static void shorten_step(flesh *self, const substep *s) {
    body *b = &self->base;
    double length = 1;
    if (self->values.integrator != FLESH_IMPLICIT || body_has_force_products(b)) return;
    double whole = merit_of(self, s, 1), start = merit_of(self, s, 0), now = whole;
    for (int k = 0; k < MOST_HALVINGS && !(now <= start * (1 + ENERGY_ROUNDING)); k++) {
        length /= 2;
        now = merit_of(self, s, length);
    }
    if (length == 1) return;
    for (size_t i = 0; i < b->point_count; i++)
        if (self->parts.inverse_masses[i] > 0)
            b->candidate_velocities[i] = vec3_scale(b->candidate_velocities[i], length);
}

/* To the end of the step whose velocities were solved. */
static void end_step(flesh *self, const substep *s) {
    body *b = &self->base;
    const flesh_parts *parts = &self->parts;
    measure *measures = b->measures.items;
    measures[self->elastic].value = self->report.elastic_energy;
    measures[self->iterations].value += self->report.iterations;
    measures[self->residual].value = fmax(measures[self->residual].value, self->report.residual);
    dynamics_report_solve(b, s, &self->report, integrator_tolerance(parts->solver), &self->said_not_converged);
    move_points(b, s->dt);
    set_pins(self);
    /* Forgets holds that did not press on their points in the solve. */
    for (size_t i = 0; i < b->point_count; i++)
        if (!(vec3_dot(parts->holds[i].normal, parts->impulses[i]) > 0)) parts->holds[i] = (contact_hold){0};
}

/* ---- Equilibria. */

static ruga_status find_loads(flesh *self, const substep *s) {
    const body *b = &self->base;
    const vec3 g = s->environment->gravity;
    vec3 *forces = self->parts.forces;
    TRY(find_outer_forces(self, s));
    for (size_t i = 0; i < b->point_count; i++) forces[i] = vec3_add_scaled(forces[i], g, self->parts.masses[i]);
    return RUGA_OK;
}

static void report_statics(flesh *self, const substep *s) {
    const body *b = &self->base;
    const equilibrium_report *report = &self->statics;
    if (report->converged || self->said_not_converged) return;
    self->said_not_converged = 1;
    log_warning(
        b->context,
        "object \"%s\": no equilibrium at %g s: after %d Newton steps forces of %.3g N are left, %.2g times those at "
        "the start or, if larger, on the pins, which is above the tolerance; the flesh stays where it was. Use more "
        "substeps, let muscles and pins act more slowly, hold it with more pins, or raise \"newton_steps\" (further "
        "ones are not reported; the measure \"residual\" has them)",
        body_name(b), s->time, report->steps, report->force, report->residual);
}

/* The limit of the solver's steps. */
static double limit_by_contact(void *user, const vec3 *from, const vec3 *to) {
    const flesh_parts *parts = &((const flesh *)user)->parts;
    const double length = parts->obstacles ? obstacles_limit(parts->obstacles, from, to) : 1;
    return parts->touching ? fmin(length, surface_barrier_limit(parts->touching, from, to)) : length;
}

static int has_moving_others(const flesh_parts *parts) {
    return parts->touching && surface_barrier_has_moving(parts->touching);
}

static double advance_others(void *user, const vec3 *x) {
    return surface_barrier_advance(((const flesh *)user)->parts.touching, x);
}

/* Whether the user lets it pass through an object, or through itself. */
static int passes_through(const flesh *self, const substep *s, const body *other) {
    const contact *c = s->environment->contact;
    return c && c->interface->excludes && c->interface->excludes(c, body_name(&self->base), body_name(other));
}

/* Objects that contact does not move, and where those go whose candidates are known. */
static ruga_status find_others(flesh *self, const substep *s) {
    const environment *e = s->environment;
    flesh_parts *parts = &self->parts;
    size_t vertices = 0;
    parts->others.count = 0;
    for (size_t i = 0; i < e->surface_count; i++) vertices += e->surfaces[i].mesh->vertex_count;
    TRY(ARRAY_RESERVE(self->base.context, &parts->other_ends, vertices));
    vertices = 0;
    for (size_t i = 0; i < e->surface_count; i++) {
        const environment_surface *at = &e->surfaces[i];
        const body *other = at->owner;
        vec3 *ends = parts->other_ends.items + vertices;
        if (other == &self->base || body_yields(other) || passes_through(self, s, other)) continue;
        if (at->is_predicted)
            body_make_visible(other, other->candidate_positions, ends);
        else
            memcpy(ends, at->positions, at->mesh->vertex_count * sizeof *ends);
        vertices += at->mesh->vertex_count;
        TRY(ARRAY_ADD(self->base.context, &parts->others, ((surface_barrier_other){at->mesh, at->positions, ends})));
    }
    return RUGA_OK;
}

static ruga_status begin_contact(flesh *self, const substep *s) {
    const body *b = &self->base;
    flesh_parts *parts = &self->parts;
    size_t passing;
    if (parts->obstacles) {
        obstacles_set(parts->obstacles, s->environment->collider_count, s->environment->colliders);
        TRY(obstacles_check(parts->obstacles, b->positions));
    }
    if (!parts->touching || !b->touch.collides) return RUGA_OK;
    if (!self->is_masked)
        surface_barrier_mask(parts->touching, parts->is_mapped ? parts->surface.surface.collides : b->collides);
    self->is_masked = 1;
    TRY(find_others(self, s));
    const int self_too = b->touch.self && !passes_through(self, s, b);
    TRY(surface_barrier_begin(parts->touching, b->positions, self_too, parts->others.items, parts->others.count,
                              &passing));
    if (passing == 0 || self->said_passing) return RUGA_OK;
    self->said_passing = 1;
    log_warning(
        b->context,
        "object \"%s\": %zu vertices intersect the flesh itself or another object at %g s; they pass until they "
        "are free. Move the objects apart, or take more substeps (further ones are not reported)",
        body_name(b), passing, s->time - s->dt);
    return RUGA_OK;
}

static void watch_solver(void *user, const equilibrium_progress *progress) {
    const flesh *self = user;
    if (self->watch) self->watch(self->watch_user, progress);
}

static ruga_status find_equilibrium(flesh *self, const substep *s) {
    body *b = &self->base;
    flesh_parts *parts = &self->parts;
    const cloth_pins *pins = &parts->pins;
    size_t lock_count = 0;
    TRY(begin_contact(self, s));
    for (size_t k = 0; k < parts->simulated.lock_count; k++)
        if (body_is_locked(parts->simulated.locks[k].until, s))
            parts->locks[lock_count++] = parts->simulated.locks[k].unknown;
    const equilibrium_load load = {.forces = parts->forces,
                                   .pin_count = parts->pins_are_points ? pins->count : 0,
                                   .pins = pins->points,
                                   .pin_targets = pins->targets,
                                   .lock_count = lock_count,
                                   .locks = parts->locks,
                                   .limit = parts->obstacles || parts->touching ? limit_by_contact : NULL,
                                   .advance = has_moving_others(parts) ? advance_others : NULL,
                                   .watch = watch_solver,
                                   .user = self};
    TRY(place_pins(self, s));
    activate_muscles(self, s->time);
    TRY(update_energies(self, s));
    TRY(find_loads(self, s));
    memcpy(b->candidate_positions, b->positions, b->point_count * sizeof *b->positions);
    TRY(equilibrium_solve(parts->statics, &load, b->candidate_positions, &self->statics));
    return parts->touching ? surface_barrier_status(parts->touching) : RUGA_OK;
}

static ruga_status predict_equilibrium(flesh *self, const substep *s) {
    body *b = &self->base;
    measure *measures = b->measures.items;
    const equilibrium_report *report = &self->statics;
    TRY(find_equilibrium(self, s));
    report_statics(self, s);
    if (!report->converged) memcpy(b->candidate_positions, b->positions, b->point_count * sizeof *b->positions);
    for (size_t i = 0; i < b->point_count; i++)
        b->candidate_velocities[i] = vec3_scale(vec3_sub(b->candidate_positions[i], b->positions[i]), 1 / s->dt);
    if (report->converged) measures[self->elastic].value = report->energy;
    measures[self->newton_steps].value += report->steps;
    measures[self->iterations].value += report->iterations;
    measures[self->residual].value = fmax(measures[self->residual].value, report->residual);
    return RUGA_OK;
}

/* ---- The substep. */

static ruga_status flesh_predict(body *b, const substep *s) {
    flesh *self = (flesh *)b;
    if (is_quasistatic(self)) return predict_equilibrium(self, s);
    TRY(begin_step(self, s));
    TRY(integrator_solve(self->parts.solver, &self->begun, b->candidate_velocities, &self->report));
    shorten_step(self, s);
    end_step(self, s);
    return RUGA_OK;
}

static ruga_status flesh_begin(body *b, const substep *s, coupled_member *out) {
    flesh *self = (flesh *)b;
    if (is_quasistatic(self) || b->is_asked || !integrator_can_couple(self->parts.solver)) return RUGA_OK;
    TRY(begin_step(self, s));
    TRY(integrator_begin(self->parts.solver, &self->begun, b->candidate_velocities, &self->report));
    move_points(b, s->dt);
    *out = (coupled_member){self->parts.solver, &self->report, self->parts.vertices};
    return RUGA_OK;
}

static ruga_status flesh_finish(body *b, const substep *s) {
    end_step((flesh *)b, s);
    return RUGA_OK;
}

static ruga_status flesh_respond(body *b, const substep *s, const ruga_vec3 *impulses, ruga_vec3 *changes) {
    flesh *self = (flesh *)b;
    part_call call = {b, s, b->positions};
    if (is_quasistatic(self))
        return fail_unsupported(b->context, "quasistatic flesh has no step in time; use the integrator implicit");
    integrator_step step = step_of(self, &call);
    return integrator_respond(self->parts.solver, &step, impulses, changes);
}

static integrator_kind flesh_integrator(const body *b) {
    return ((const flesh *)b)->values.integrator == FLESH_SEMI_IMPLICIT ? INTEGRATOR_SEMI_IMPLICIT
                                                                        : INTEGRATOR_IMPLICIT;
}

/* ---- Contact. */

static contact_surface *mapped_surface(flesh *self) {
    flesh_parts *parts = &self->parts;
    contact_surface *surface = part_surface_fill(&parts->surface, &self->base);
    surface->holds = parts->vertex_holds;
    holds_to_vertices(parts->simulated.visible, surface->mesh->vertex_count, parts->holds, parts->vertex_holds);
    return surface;
}

static contact_surface *flesh_surface(body *b) {
    flesh *self = (flesh *)b;
    const flesh_parts *parts = &self->parts;
    if (parts->is_mapped) return mapped_surface(self);
    self->surface = part_surface_of_points(b, parts->inverse_masses, parts->impulses);
    self->surface.holds = parts->holds;
    return &self->surface;
}

static void report_inverted(flesh *self, const substep *s) {
    body *b = &self->base;
    size_t count = tet_energy_inverted(self->parts.tets, b->positions);
    b->measures.items[self->inverted].value = (double)count;
    if (count == 0 || self->said_inverted) return;
    self->said_inverted = 1;
    log_warning(
        b->context,
        "object \"%s\": frame %g: %zu of %zu tets are inverted; flesh recovers by itself, but let pins and colliders "
        "move it less, make it stiffer, or use more substeps (further frames are not reported; the measure "
        "\"inverted\" has them)",
        body_name(b), s->frame, count, self->parts.tets->tet_count);
}

/* A mapped surface keeps what contact resolved, and points that are vertices their holds. */
static void keep_surface(flesh *self, const substep *s, const contact_surface *surface) {
    body *b = &self->base;
    flesh_parts *parts = &self->parts;
    if (surface == &parts->surface.surface) {
        part_surface_keep(&parts->surface);
        holds_to_points(parts->simulated.visible, b->mesh->vertex_count, parts->vertex_holds, b->point_count,
                        parts->holds);
    } else if (s->is_last) {
        part_surface_settle(&parts->surface, b);
    }
    self->surface_is_late = surface != &parts->surface.surface && !s->is_last;
}

static ruga_status flesh_accept(body *b, const substep *s, const contact_surface *surface) {
    flesh *self = (flesh *)b;
    if (self->parts.simulated.bound && surface)
        TRY(dynamics_accept_bound(b, self->parts.solver, self->parts.pins_are_points ? self->parts.pins.count : 0,
                                  self->parts.pins.points, s->dt, surface, self->parts.forces));
    else
        TRY(body_accept_impulses(b, surface, s->dt));
    if (self->parts.is_mapped) keep_surface(self, s, surface);
    if (!s->is_last) return RUGA_OK;
    if (!is_quasistatic(self)) b->measures.items[self->kinetic].value = dynamics_kinetic_energy(b);
    report_inverted(self, s);
    return RUGA_OK;
}

/* The accepted vertices of a mapped surface are those that contact resolved. */
static void flesh_visible(const body *b, const ruga_vec3 *points, ruga_vec3 *vertices) {
    const flesh *self = (const flesh *)b;
    const flesh_parts *parts = &self->parts;
    if (parts->is_mapped && points == b->positions && !self->surface_is_late)
        memcpy(vertices, parts->surface.accepted, b->mesh->vertex_count * sizeof *vertices);
    else if (parts->simulated.visible)
        ruga_map_apply(parts->simulated.visible, points, vertices);
    else
        memcpy(vertices, points, b->mesh->vertex_count * sizeof *vertices);
}

/* An equilibrium needs the energy of every stiff force. Vertices of the surface that are moved alone crush the tets
 * below. */
static ruga_status flesh_take_part(body *b, const part *p) {
    flesh *self = (flesh *)b;
    if (p->moves_points_singly)
        return fail_unsupported(b->context,
                                "the hook \"%s\" moves vertices one by one, which crushes flesh; %s: set "
                                "\"contact\": true",
                                p->kind, p->instead ? p->instead : "use contact");
    if (p->interface->energy) {
        energy_term *energy;
        if (self->values.integrator == FLESH_SEMI_IMPLICIT)
            return fail_unsupported(
                b->context, "the forces of \"%s\" are stiff; use the integrator implicit or quasistatic", p->kind);
        TRY(p->interface->energy((part *)(uintptr_t)p, b, NULL, &energy));
        return flesh_parts_add_energy(&self->values, energy, &self->parts);
    }
    if (!b->refuses_stiff_forces || !p->interface->force_product) return RUGA_OK;
    return fail_unsupported(
        b->context,
        "the forces of \"%s\" are stiff, and quasistatic flesh applies forces of parts as they are at the start of a "
        "substep, which is not stable; use the integrator implicit",
        p->kind);
}

/* ---- Changes and state. */

static ruga_status flesh_set_stiffness(body *b, double factor) {
    flesh *self = (flesh *)b;
    TRY(flesh_parts_set_stiffness(&self->parts, factor));
    self->stable_step = 0;
    b->stiffness_factor = factor;
    return RUGA_OK;
}

static ruga_status flesh_set_mass(body *b, double factor) {
    flesh *self = (flesh *)b;
    TRY(check_positive(b->context, "mass factor", factor));
    self->stable_step = 0;
    self->mass_factor = factor;
    flesh_parts_set_masses(&self->parts, factor * self->values.density);
    b->mass_revision++;
    if (self->parts.solver) integrator_masses_changed(self->parts.solver);
    return RUGA_OK;
}

/* Activations follow from the time: pins and muscles are placed at the beginning of every substep. */
static void flesh_save(const body *b, state_writer *writer) {
    const flesh *self = (const flesh *)b;
    const flesh_parts *parts = &self->parts;
    double factors[2] = {b->stiffness_factor, self->mass_factor};
    state_begin(writer, FLESH_TAG, FLESH_VERSION);
    state_put_f64(writer, factors, 2);
    holds_save(parts->holds, b->point_count, writer);
    holds_save(parts->vertex_holds, b->mesh->vertex_count, writer);
    if (parts->is_mapped) part_surface_save(&parts->surface, writer);
    state_end(writer);
}

static ruga_status flesh_load(body *b, state_reader *reader) {
    flesh *self = (flesh *)b;
    flesh_parts *parts = &self->parts;
    state_reader entry;
    uint32_t version;
    double factors[2];
    TRY(state_enter(reader, FLESH_TAG, FLESH_VERSION, &version, &entry));
    TRY(state_refuse_older(reader, FLESH_TAG, version, FLESH_VERSION));
    TRY(state_get_f64(&entry, factors, 2));
    TRY(flesh_set_stiffness(b, factors[0]));
    TRY(flesh_set_mass(b, factors[1]));
    TRY(holds_load(b->context, &entry, "points", b->point_count, parts->holds));
    TRY(holds_load(b->context, &entry, "vertices", b->mesh->vertex_count, parts->vertex_holds));
    return parts->is_mapped ? part_surface_load(&parts->surface, &entry) : RUGA_OK;
}

static void flesh_destroy(body *b) {
    flesh *self = (flesh *)b;
    ruga_context *context = b->context;
    flesh_parts_release(context, &self->parts);
    body_release(b);
    memory_release(context, self);
}

int body_is_flesh(const body *b) { return b->interface->destroy == flesh_destroy; }

/* ---- Making. */

flesh_def flesh_def_default(void) {
    flesh_def def = {.values = {0}};
    ruga_section_defaults(flesh_section(), &def.values);
    return def;
}

static void add_measures(flesh *self) {
    measure_list *list = &self->base.measures;
    self->elastic = measure_add(list, "elastic_energy", "J");
    self->kinetic = measure_add(list, "kinetic_energy", "J");
    self->newton_steps = measure_add(list, "newton_steps", "1");
    self->iterations = measure_add(list, "iterations", "1");
    self->residual = measure_add(list, "residual", "1");
    self->inverted = measure_add(list, "inverted", "1");
}

static void use_parts(flesh *self, const flesh_def *def) {
    body *b = &self->base;
    b->given = def->simulated;
    b->given.visible = self->parts.simulated.visible;
    b->collides = self->parts.is_mapped ? def->simulated.collides : self->parts.outer;
    b->masses = self->parts.masses;
    b->inverse_masses = self->parts.inverse_masses;
    b->young = def->values.young;
    b->poisson = def->values.poisson;
    b->refuses_stiff_forces = def->values.integrator == FLESH_QUASISTATIC;
    b->touch.thickness = def->values.thickness;
    b->touch.friction = def->values.friction;
    if (!def->simulated.start) return;
    memcpy(b->positions, def->simulated.start, b->point_count * sizeof *b->positions);
    memcpy(b->candidate_positions, def->simulated.start, b->point_count * sizeof *b->positions);
    if (self->parts.is_mapped) part_surface_settle(&self->parts.surface, b);
}

ruga_status flesh_create(const ruga_mesh *mesh, const flesh_def *def, body **out) {
    static const body_interface interface = {.predict = flesh_predict,
                                             .begin = flesh_begin,
                                             .finish = flesh_finish,
                                             .surface = flesh_surface,
                                             .integrator = flesh_integrator,
                                             .accept = flesh_accept,
                                             .visible = flesh_visible,
                                             .respond = flesh_respond,
                                             .take_part = flesh_take_part,
                                             .takes_energies = 1,
                                             .set_stiffness = flesh_set_stiffness,
                                             .set_mass = flesh_set_mass,
                                             .save = flesh_save,
                                             .load = flesh_load,
                                             .destroy = flesh_destroy};
    ruga_context *context = mesh->context;
    flesh *self;
    TRY(dynamics_check_values(context, flesh_section(), &def->values));
    TRY(NEW_ZEROED(context, &self, 1));
    ruga_status status = body_init(&self->base, &interface, "flesh", mesh, def->simulated.mesh);
    if (RUGA_FAILED(status)) {
        memory_release(context, self);
        return status;
    }
    self->values = def->values;
    self->values.pins = self->values.muscles = (ruga_list){0};
    self->mass_factor = 1;
    status = flesh_parts_make(mesh, def, &self->parts);
    if (RUGA_FAILED(status)) {
        flesh_destroy(&self->base);
        return status;
    }
    use_parts(self, def);
    add_measures(self);
    *out = &self->base;
    return RUGA_OK;
}
