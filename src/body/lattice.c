/* The step of lattices; the header has its order. */
#include "body/lattice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/threads.h"
#include "body/dynamics.h"
#include "body/lattice_estimate.h"
#include "body/part_surface.h"
#include "energy/anchors.h"
#include "geom/embed.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"
#include "solve/frequency.h"
#include "solve/integrator.h"

#define LATTICE_TAG STATE_TAG('L', 'A', 'T', 'T')
#define LATTICE_VERSION 2
#define QUASISTATIC_INERTIA 1e-3 /* of the masses: keeps a step definite, and short where nothing holds the lattice */
#define FAR_FROM_SHAPE 0.7       /* of its distance from rest: what is left */

enum { LATTICE_IMPLICIT, LATTICE_SYMPLECTIC, LATTICE_QUASISTATIC }; /* ruga_lattice_def.integrator */

typedef struct lattice {
    body base;
    ruga_lattice_def values;
    lattice_cells *cells;
    ruga_mesh *nodes; /* the control nodes, without faces */
    lattice_energy *energy;
    anchors *anchors; /* NULL: no pins */
    cloth_pins pins;
    size_t muscle_count, shape_count;
    number_keys *muscles, *shapes;
    double *shape_activations; /* (shapes x muscles) 1, at weight 1 */
    double *masses;            /* (nodes) kg */
    double *inertia;           /* (nodes) kg, in the solves: the masses, or those of quasistatic steps */
    double stiffness_factor, mass_factor;
    double stable_step; /* s, of symplectic steps; 0: not known yet */
    integrator *solver;
    vec3 *forces; /* (nodes) of parts, then velocities with their effect */
    part_surface surface;
    contact_hold *holds;                                  /* (vertices); NULL: symplectic */
    int said_not_converged, said_inverted, said_unstable; /* the log has it once per run */
    /* A step that has begun. */
    part_call call;
    integrator_step begun;
    integrator_report report;
    size_t elastic, kinetic, iterations, residual, inverted; /* measures */
} lattice;

const lattice_cells *lattice_cells_of(const body *b) { return ((const lattice *)b)->cells; }
const ruga_map *lattice_embedding(const body *b) { return ((const lattice *)b)->cells->embedding; }
lattice_energy *lattice_energy_of(body *b) { return ((lattice *)b)->energy; }

size_t lattice_energies(body *b, energy_term *out[2]) {
    lattice *self = (lattice *)b;
    out[0] = &self->energy->base;
    if (!self->anchors) return 1;
    out[1] = &self->anchors->base;
    return 2;
}

static int is_quasistatic(const lattice *self) { return self->values.integrator == LATTICE_QUASISTATIC; }

/* ---- A step. */

static void activate_muscles(lattice *self, double time) {
    for (size_t k = 0; k < self->muscle_count; k++) {
        double activation = number_keys_at(&self->muscles[k], time);
        for (size_t s = 0; s < self->shape_count; s++)
            activation += number_keys_at(&self->shapes[s], time) * self->shape_activations[s * self->muscle_count + k];
        lattice_energy_activate(self->energy, k, fmax(0, activation));
    }
}

/* Velocities with the effect of the parts' forces. Quasistatic steps begin at rest. */
static ruga_status pushed_velocities(lattice *self, const substep *s, const vec3 **out) {
    body *b = &self->base;
    const int is_static = is_quasistatic(self);
    *out = b->velocities;
    if (!body_has_forces(b) && !is_static) return RUGA_OK;
    memset(self->forces, 0, b->point_count * sizeof *self->forces);
    TRY(body_part_forces(b, s, b->positions, b->velocities, self->forces));
    for (size_t i = 0; i < b->point_count; i++) {
        vec3 from = is_static ? (vec3){0, 0, 0} : b->velocities[i];
        self->forces[i] = vec3_add_scaled(from, self->forces[i], s->dt / self->inertia[i]);
    }
    *out = self->forces;
    return RUGA_OK;
}

static integrator_step step_of(part_call *call) {
    const double weight = is_quasistatic((const lattice *)call->b) ? 1 / QUASISTATIC_INERTIA : 1;
    integrator_step step = {.dt = call->s->dt,
                            .gravity = vec3_scale(call->s->environment->gravity, weight),
                            .positions = call->b->positions,
                            .velocities = call->b->velocities};
    dynamics_use_parts(call, 0, &step);
    return step;
}

/* Symplectic steps are stable below 2 / ω, and damping C = τ K lowers it to (√(1 + (τ ω / 2)²) - τ ω / 2) times
 * that. */
static ruga_status find_stable_step(lattice *self, const substep *s) {
    body *b = &self->base;
    energy_term *energies[2];
    part_call call = {b, s, b->positions};
    const frequency_system system = {.context = b->context,
                                     .point_count = b->point_count,
                                     .masses = self->masses,
                                     .energy_count = lattice_energies(b, energies),
                                     .energies = energies,
                                     .force_product = part_call_product,
                                     .user = &call};
    double omega = 0;
    TRY(greatest_frequency(&system, b->positions, &omega));
    double half = self->values.damping * omega / 2;
    self->stable_step = 2 / omega * (sqrt(1 + half * half) - half);
    return RUGA_OK;
}

static ruga_status check_stable(lattice *self, const substep *s) {
    if (self->values.integrator != LATTICE_SYMPLECTIC || self->said_unstable) return RUGA_OK;
    if (self->stable_step == 0) TRY(find_stable_step(self, s));
    dynamics_report_unstable(&self->base, s, "symplectic", self->stable_step, &self->said_unstable);
    return RUGA_OK;
}

static ruga_status begin_step(lattice *self, const substep *s) {
    TRY(check_stable(self, s));
    TRY(cloth_pins_place(&self->pins, s->time));
    activate_muscles(self, s->time);
    self->call = (part_call){&self->base, s, self->base.positions};
    self->begun = step_of(&self->call);
    return pushed_velocities(self, s, &self->begun.velocities);
}

static void report_solve(lattice *self, const substep *s) {
    const integrator_report *report = &self->report;
    body *b = &self->base;
    measure *measures = b->measures.items;
    measures[self->elastic].value = report->elastic_energy;
    measures[self->iterations].value += report->iterations;
    measures[self->residual].value = fmax(measures[self->residual].value, report->residual);
    dynamics_report_solve(b, s, report, self->values.tolerance, &self->said_not_converged);
}

static void move_points(body *b, double dt) {
    for (size_t i = 0; i < b->point_count; i++)
        b->candidate_positions[i] = vec3_add_scaled(b->positions[i], b->candidate_velocities[i], dt);
}

static ruga_status lattice_predict(body *b, const substep *s) {
    lattice *self = (lattice *)b;
    TRY(begin_step(self, s));
    TRY(integrator_solve(self->solver, &self->begun, b->candidate_velocities, &self->report));
    report_solve(self, s);
    move_points(b, s->dt);
    return RUGA_OK;
}

static ruga_status lattice_begin(body *b, const substep *s, coupled_member *out) {
    lattice *self = (lattice *)b;
    if (b->is_asked || !integrator_can_couple(self->solver)) return RUGA_OK;
    TRY(begin_step(self, s));
    TRY(integrator_begin(self->solver, &self->begun, b->candidate_velocities, &self->report));
    move_points(b, s->dt);
    *out = (coupled_member){self->solver, &self->report, self->cells->embedding};
    return RUGA_OK;
}

static ruga_status lattice_finish(body *b, const substep *s) {
    report_solve((lattice *)b, s);
    move_points(b, s->dt);
    return RUGA_OK;
}

static ruga_status lattice_respond(body *b, const substep *s, const ruga_vec3 *impulses, ruga_vec3 *changes) {
    part_call call = {b, s, b->positions};
    integrator_step step = step_of(&call);
    return integrator_respond(((lattice *)b)->solver, &step, impulses, changes);
}

static integrator_kind lattice_integrator(const body *b) {
    return ((const lattice *)b)->values.integrator == LATTICE_SYMPLECTIC ? INTEGRATOR_EXPLICIT : INTEGRATOR_IMPLICIT;
}

/* ---- Contact. */

static contact_surface *lattice_surface(body *b) {
    lattice *self = (lattice *)b;
    contact_surface *surface = part_surface_fill(&self->surface, b);
    surface->holds = self->holds;
    surface->collides = b->collides; /* of the vertices, as the owner gave it */
    return surface;
}

static void report_inverted(lattice *self, const substep *s) {
    body *b = &self->base;
    size_t count = lattice_energy_inverted(self->energy, b->positions);
    b->measures.items[self->inverted].value = (double)count;
    if (count == 0 || self->said_inverted) return;
    self->said_inverted = 1;
    log_warning(
        b->context,
        "object \"%s\": frame %g: the lattice is inverted at %zu of %zu quadrature points; it recovers by itself, "
        "but let pins and colliders move it less, make it stiffer, or use more substeps (further frames are not "
        "reported; the measure \"inverted\" has them)",
        body_name(b), s->frame, count, self->cells->offsets[self->cells->element_count]);
}

static ruga_status lattice_accept(body *b, const substep *s, const contact_surface *surface) {
    lattice *self = (lattice *)b;
    TRY(body_accept_impulses(b, surface, s->dt));
    if (surface == &self->surface.surface)
        part_surface_keep(&self->surface);
    else
        part_surface_settle(&self->surface, b);
    b->measures.items[self->kinetic].value = dynamics_kinetic_energy(b);
    if (s->is_last) report_inverted(self, s);
    return RUGA_OK;
}

/* The accepted vertices are those that contact resolved. */
static void lattice_visible(const body *b, const ruga_vec3 *points, ruga_vec3 *vertices) {
    const lattice *self = (const lattice *)b;
    if (points == b->positions)
        memcpy(vertices, self->surface.accepted, b->mesh->vertex_count * sizeof *vertices);
    else
        ruga_map_apply(self->cells->embedding, points, vertices);
}

/* Parts that correct points one by one, or sew them, do not support nodes. */
static ruga_status lattice_take_part(body *b, const part *p) {
    if (!p->instead) return RUGA_OK;
    return fail_unsupported(
        b->context, "the hook \"%s\" acts on the vertices of cloth, and a lattice has control nodes instead; %s",
        p->kind, p->instead);
}

/* ---- Changes and state. */

static void set_masses(lattice *self) {
    for (size_t i = 0; i < self->cells->node_count; i++) {
        self->masses[i] = self->mass_factor * self->values.density * self->cells->node_volumes[i];
        self->inertia[i] = (is_quasistatic(self) ? QUASISTATIC_INERTIA : 1) * self->masses[i];
    }
    self->base.mass_revision++;
}

static ruga_status lattice_set_stiffness(body *b, double factor) {
    lattice *self = (lattice *)b;
    TRY(lattice_energy_set_factor(self->energy, factor));
    if (self->anchors) {
        self->anchors->factor = factor;
        self->anchors->base.revision++;
    }
    self->stable_step = 0;
    self->stiffness_factor = factor;
    return RUGA_OK;
}

static ruga_status lattice_set_mass(body *b, double factor) {
    lattice *self = (lattice *)b;
    TRY(check_positive(b->context, "mass factor", factor));
    self->stable_step = 0;
    self->mass_factor = factor;
    set_masses(self);
    integrator_masses_changed(self->solver);
    return RUGA_OK;
}

static void lattice_save(const body *b, state_writer *writer) {
    const lattice *self = (const lattice *)b;
    double factors[2] = {self->stiffness_factor, self->mass_factor};
    state_begin(writer, LATTICE_TAG, LATTICE_VERSION);
    state_put_f64(writer, factors, 2);
    holds_save(self->holds, b->mesh->vertex_count, writer);
    part_surface_save(&self->surface, writer);
    state_end(writer);
}

static ruga_status lattice_load(body *b, state_reader *reader) {
    lattice *self = (lattice *)b;
    state_reader entry;
    uint32_t version;
    double factors[2];
    TRY(state_enter(reader, LATTICE_TAG, LATTICE_VERSION, &version, &entry));
    TRY(state_refuse_older(reader, LATTICE_TAG, version, LATTICE_VERSION));
    TRY(state_get_f64(&entry, factors, 2));
    TRY(lattice_set_stiffness(b, factors[0]));
    TRY(lattice_set_mass(b, factors[1]));
    TRY(holds_load(b->context, &entry, "vertices", b->mesh->vertex_count, self->holds));
    return part_surface_load(&self->surface, &entry);
}

static void lattice_destroy(body *b) {
    lattice *self = (lattice *)b;
    ruga_context *context = b->context;
    for (size_t k = 0; self->muscles && k < self->muscle_count; k++) memory_release(context, self->muscles[k].keys);
    for (size_t k = 0; self->shapes && k < self->shape_count; k++) memory_release(context, self->shapes[k].keys);
    integrator_destroy(self->solver);
    anchors_destroy(self->anchors);
    if (self->pins.context) cloth_pins_release(&self->pins);
    lattice_energy_destroy(self->energy);
    if (self->surface.context) part_surface_release(&self->surface);
    RELEASE_ALL(context, self->muscles, self->shapes, self->shape_activations, self->masses, self->inertia,
                self->forces, self->holds);
    if (self->base.interface) body_release(b);
    ruga_mesh_destroy(self->nodes);
    lattice_cells_destroy(self->cells);
    memory_release(context, self);
}

int body_is_lattice(const body *b) { return b->interface->destroy == lattice_destroy; }

/* ---- Making. */

double lattice_spacing(const ruga_mesh *mesh, double spacing) {
    vec3 low, high;
    if (!isnan(spacing) || mesh->vertex_count == 0) return spacing;
    vec3_bounds(mesh->positions, mesh->vertex_count, &low, &high);
    return fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z)) / LATTICE_CELLS;
}

lattice_def lattice_def_default(void) {
    lattice_def def = {.values = {0}};
    ruga_section_defaults(lattice_section(), &def.values);
    return def;
}

static ruga_status make_energy(lattice *self) {
    const lattice_cells *l = self->cells;
    const lattice_elements elements = {.element_count = l->element_count,
                                       .corner_count = l->corner_count,
                                       .node_count = l->node_count,
                                       .nodes = l->element_nodes,
                                       .offsets = l->offsets,
                                       .weights = l->weights,
                                       .shapes = l->shapes,
                                       .gradients = l->gradients};
    const int is_static = is_quasistatic(self);
    const lattice_material material = {self->values.young, self->values.poisson, is_static ? 0 : self->values.damping};
    return lattice_energy_create(l->context, &elements, &material, &self->energy);
}

/* A pin is `hold` times as stiff as a cell under its vertex's share of the surface: k = hold E area / cell. */
static ruga_status make_anchors(lattice *self, const ruga_mesh *mesh, const lattice_def *def) {
    TRY(cloth_pins_make(mesh, def->pins, def->pin_def_count, &self->pins));
    if (self->pins.count == 0) return RUGA_OK;
    double *areas = NULL, *stiffness = NULL;
    vec3 cell = self->cells->cell;
    ruga_status status = NEW_ZEROED(mesh->context, &areas, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = NEW(mesh->context, &stiffness, self->pins.count);
    if (!RUGA_FAILED(status)) {
        for (size_t c = 0; c < 3 * mesh->triangle_count; c++)
            areas[mesh->triangles[c]] += mesh_triangle_area(mesh, c / 3) / 3;
        for (size_t k = 0; k < self->pins.count; k++)
            stiffness[k] =
                self->values.hold * self->values.young * areas[self->pins.vertices[k]] / cbrt(cell.x * cell.y * cell.z);
        status = anchors_create(self->cells->embedding, self->pins.count, self->pins.vertices, stiffness,
                                self->pins.targets, &self->anchors);
    }
    RELEASE_ALL(mesh->context, areas, stiffness);
    return status;
}

static ruga_status find_fibres(lattice *self, const lattice_def *def, const ruga_map *nearest, size_t points) {
    muscle_fibre *fibres = NULL;
    size_t count;
    TRY(muscles_find_fibres(self->base.context, def->muscles, def->muscle_count, nearest, self->cells->places, points,
                            &fibres, &count));
    ruga_status status = lattice_energy_set_fibres(self->energy, count, fibres, def->muscle_count);
    memory_release(self->base.context, fibres);
    return status;
}

static ruga_status make_muscles(lattice *self, const ruga_mesh *mesh, const lattice_def *def) {
    if (def->muscle_count == 0) return RUGA_OK;
    ruga_context *context = mesh->context;
    size_t points = self->cells->offsets[self->cells->element_count];
    ruga_map *nearest = NULL;
    TRY(NEW_ZEROED(context, &self->muscles, def->muscle_count));
    self->muscle_count = def->muscle_count;
    TRY(muscles_copy_keys(context, def->muscles, def->muscle_count, def->shape_count > 0, self->muscles));
    TRY(embed_in_surface(mesh, self->cells->places, points, &nearest, NULL));
    ruga_status status = find_fibres(self, def, nearest, points);
    ruga_map_destroy(nearest);
    return status;
}

/* ---- Shapes. */

size_t lattice_muscle_count(const body *b) { return ((const lattice *)b)->muscle_count; }

ruga_status lattice_estimate_muscles(body *b, size_t count, const vec3 *target, double limit, double *activations,
                                     double *residual) {
    lattice *self = (lattice *)b;
    const lattice_fit fit = {.energy = self->energy,
                             .anchors = self->anchors,
                             .embedding = self->cells->embedding,
                             .mesh = b->mesh,
                             .rest = self->cells->nodes,
                             .masses = self->masses};
    if (self->muscle_count == 0) return fail_input(b->context, "the lattice has no muscles, but shapes that need some");
    if (count > b->mesh->vertex_count)
        return fail_input(b->context, "the shape has %zu vertices, but the mesh has %zu", count, b->mesh->vertex_count);
    const vec3 *targets = self->anchors ? self->anchors->targets : NULL;
    if (self->anchors) self->anchors->targets = self->pins.rest;
    ruga_status status = lattice_estimate(&fit, count, target, limit, LATTICE_FIT_ROUNDS, activations, residual);
    if (self->anchors) self->anchors->targets = targets;
    return status;
}

static ruga_status make_shape(lattice *self, const lattice_shape_def *def, size_t index) {
    body *b = &self->base;
    double *activations = self->shape_activations + index * self->muscle_count, residual = 0;
    char text[400] = "";
    size_t used = 0;
    TRY(NEW_COPY(b->context, &self->shapes[index].keys, (const ruga_muscle_key *)(const void *)def->keys,
                 def->key_count));
    self->shapes[index].count = def->key_count;
    TRY(lattice_estimate_muscles(b, def->count, def->positions, def->limit, activations, &residual));
    for (size_t k = 0; k < self->muscle_count && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.3g", k ? ", " : "", activations[k]);
    log_info(b->context,
             "shape \"%s\": with the activations %s, %.0f %% of the distance from rest to the shape remains", def->name,
             text, 100 * residual);
    if (residual > FAR_FROM_SHAPE)
        log_warning(b->context,
                    "shape \"%s\": the muscles do not reach it: %.0f %% of the distance from rest remains; add muscles "
                    "where it moves, raise their stress, or the limit of %g",
                    def->name, 100 * residual, def->limit);
    return RUGA_OK;
}

static ruga_status make_shapes(lattice *self, const lattice_def *def) {
    ruga_context *context = self->base.context;
    if (def->shape_count == 0) return RUGA_OK;
    TRY(NEW_ZEROED(context, &self->shapes, def->shape_count));
    TRY(NEW(context, &self->shape_activations, def->shape_count * self->muscle_count));
    self->shape_count = def->shape_count;
    for (size_t s = 0; s < def->shape_count; s++) TRY(make_shape(self, &def->shapes[s], s));
    return RUGA_OK;
}

static ruga_status make_solver(lattice *self) {
    energy_term *energies[2];
    size_t count = lattice_energies(&self->base, energies);
    integrator_def def = integrator_def_default();
    def.kind = lattice_integrator(&self->base);
    def.tolerance = self->values.tolerance;
    def.most_iterations = self->values.iterations;
    def.newton = is_quasistatic(self) ? 1 : self->values.newton;
    const integrator_system system = {.context = self->base.context,
                                      .point_count = self->base.point_count,
                                      .masses = self->inertia,
                                      .energy_count = count,
                                      .energies = energies};
    return integrator_create(&def, &system, &self->solver);
}

static void add_measures(lattice *self) {
    measure_list *list = &self->base.measures;
    self->elastic = measure_add(list, "elastic_energy", "J");
    self->kinetic = measure_add(list, "kinetic_energy", "J");
    self->iterations = measure_add(list, "iterations", "1");
    self->residual = measure_add(list, "residual", "1");
    self->inverted = measure_add(list, "inverted", "1");
}

static ruga_status make_nodes(lattice *self, ruga_context *context) {
    mesh_parts parts = {.vertex_count = self->cells->node_count};
    TRY(NEW_COPY(context, &parts.positions, self->cells->nodes, self->cells->node_count));
    return mesh_from_parts(context, &parts, &self->nodes);
}

static ruga_status make(lattice *self, const ruga_mesh *mesh, const lattice_def *def) {
    static const body_interface interface = {.predict = lattice_predict,
                                             .begin = lattice_begin,
                                             .finish = lattice_finish,
                                             .surface = lattice_surface,
                                             .integrator = lattice_integrator,
                                             .accept = lattice_accept,
                                             .visible = lattice_visible,
                                             .respond = lattice_respond,
                                             .take_part = lattice_take_part,
                                             .set_stiffness = lattice_set_stiffness,
                                             .set_mass = lattice_set_mass,
                                             .save = lattice_save,
                                             .load = lattice_load,
                                             .destroy = lattice_destroy};
    ruga_context *context = mesh->context;
    lattice_cells_def cells = {lattice_spacing(mesh, def->values.spacing), def->values.elements == 1};
    TRY(dynamics_check_values(context, lattice_section(), &def->values));
    TRY(lattice_cells_create(mesh, &cells, &self->cells));
    TRY(make_nodes(self, context));
    TRY(body_init(&self->base, &interface, "lattice", mesh, self->nodes));
    self->base.embedding = self->cells->embedding;
    self->base.young = self->values.young;
    self->base.poisson = self->values.poisson;
    TRY(make_energy(self));
    TRY(make_anchors(self, mesh, def));
    TRY(make_muscles(self, mesh, def));
    TRY(NEW_EACH(context, self->cells->node_count, &self->masses, &self->inertia));
    TRY(NEW(context, &self->forces, self->cells->node_count));
    set_masses(self);
    self->base.masses = self->masses;
    TRY(make_shapes(self, def));
    TRY(make_solver(self));
    if (self->values.integrator != LATTICE_SYMPLECTIC) TRY(NEW_ZEROED(context, &self->holds, mesh->vertex_count));
    return part_surface_init(&self->surface, &self->base, mesh, self->cells->embedding);
}

ruga_status lattice_create(const ruga_mesh *mesh, const lattice_def *def, body **out) {
    lattice *self;
    TRY(NEW_ZEROED(mesh->context, &self, 1));
    self->base.context = mesh->context;
    self->values = def->values;
    self->stiffness_factor = self->mass_factor = 1;
    ruga_status status = make(self, mesh, def);
    if (RUGA_FAILED(status)) {
        lattice_destroy(&self->base);
        return status;
    }
    self->base.touch.thickness = def->values.thickness;
    self->base.touch.friction = def->values.friction;
    add_measures(self);
    *out = &self->base;
    return RUGA_OK;
}
