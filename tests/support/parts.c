#include "support/parts.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/threads.h"
#include "linalg/map.h"
#include "math/vec3.h"
#include "mesh/topology.h"

#define TAG_NUMBER STATE_TAG('N', 'M', 'B', 'R')
#define POINT_BLOCK 1024

void call_log_add(call_log *log, const char *owner, const char *what) {
    if (!log) return;
    int written = snprintf(log->text + log->length, sizeof log->text - log->length, "%s.%s ", owner, what);
    if (written > 0 && log->length + (size_t)written < sizeof log->text) log->length += (size_t)written;
}

void call_log_clear(call_log *log) { *log = (call_log){0}; }

/* The state of every part is one number. */
static void save_number(state_writer *writer, uint64_t number) {
    state_begin(writer, TAG_NUMBER, 1);
    state_put_u64(writer, &number, 1);
    state_end(writer);
}

static ruga_status load_number(state_reader *reader, uint64_t *number) {
    state_reader entry;
    TRY(state_enter(reader, TAG_NUMBER, 1, NULL, &entry));
    return state_get_u64(&entry, number, 1);
}

/* ---- Body. */

typedef struct test_body {
    body base;
    test_body_def def;
    test_random random; /* its state */
    topology *edges;
    double *rest_lengths; /* (edges) m */
    double *masses;       /* (points) kg */
    vec3 *forces;         /* (points) N */
    contact_surface surface;
    vec3 *surface_points; /* (4 x surface vertices): accepted, candidate, velocities, impulses */
    double *inverse_masses;
    size_t kinetic, potential, substeps; /* measures */
} test_body;

typedef struct air_task {
    const test_body *self;
    const substep *s;
} air_task;

static void weight_and_air(void *argument, size_t begin, size_t end) {
    const air_task *task = argument;
    const test_body *self = task->self;
    for (size_t i = begin; i < end; i++) {
        vec3 air = environment_wind(task->s->environment, self->base.positions[i], task->s->time);
        vec3 force = vec3_scale(task->s->environment->gravity, self->masses[i]);
        self->forces[i] = vec3_add_scaled(force, vec3_sub(air, self->base.velocities[i]), self->def.drag);
    }
}

static double spring_energy(const test_body *self, size_t edge, vec3 *force) {
    const uint32_t *v = self->edges->edge_vertices + 2 * edge;
    vec3 along = vec3_sub(self->base.positions[v[1]], self->base.positions[v[0]]);
    double length = vec3_length(along), stretch = length - self->rest_lengths[edge];
    *force = vec3_scale(along, length > 0 ? self->def.stiffness * stretch / length : 0);
    return self->def.stiffness * stretch * stretch / 2;
}

static void add_springs_and_stirring(test_body *self) {
    for (size_t e = 0; e < self->edges->edge_count; e++) {
        const uint32_t *v = self->edges->edge_vertices + 2 * e;
        vec3 force;
        spring_energy(self, e, &force);
        self->forces[v[0]] = vec3_add(self->forces[v[0]], force);
        self->forces[v[1]] = vec3_sub(self->forces[v[1]], force);
    }
    for (size_t i = 0; self->def.stir > 0 && i < self->base.point_count; i++)
        self->forces[i] = vec3_add(self->forces[i], random_vec3(&self->random, -self->def.stir, self->def.stir));
}

static ruga_status body_predict(body *b, const substep *s) {
    test_body *self = (test_body *)b;
    call_log_add(self->def.log, self->def.name, "predict");
    air_task task = {self, s};
    parallel_for(b->context, b->point_count, POINT_BLOCK, weight_and_air, &task);
    add_springs_and_stirring(self);
    TRY(body_part_forces(b, s, b->positions, b->velocities, self->forces));
    for (size_t i = 0; i < b->point_count; i++) {
        b->candidate_velocities[i] = vec3_add_scaled(b->velocities[i], self->forces[i], s->dt / self->masses[i]);
        b->candidate_positions[i] = vec3_add_scaled(b->positions[i], b->candidate_velocities[i], s->dt);
    }
    if (self->def.break_at > 0 && s->time >= self->def.break_at) b->candidate_velocities[1].y = NAN;
    return RUGA_OK;
}

static void carry(const ruga_map *map, const vec3 *points, size_t count, vec3 *out) {
    if (map)
        ruga_map_apply(map, points, out);
    else
        memcpy(out, points, count * sizeof *out);
}

static contact_surface *body_surface(body *b) {
    test_body *self = (test_body *)b;
    call_log_add(self->def.log, self->def.name, "surface");
    size_t count = b->mesh->vertex_count;
    vec3 *accepted = self->surface_points, *candidate = accepted + count, *velocities = candidate + count;
    carry(self->def.embedding, b->positions, count, accepted);
    carry(self->def.embedding, b->candidate_positions, count, candidate);
    carry(self->def.embedding, b->candidate_velocities, count, velocities);
    memset(velocities + count, 0, count * sizeof *velocities);
    self->surface = (contact_surface){.mesh = b->mesh,
                                      .map = self->def.embedding,
                                      .accepted = accepted,
                                      .candidate = candidate,
                                      .velocities = velocities,
                                      .inverse_masses = self->inverse_masses,
                                      .impulses = velocities + count};
    return &self->surface;
}

static void measure_energy(test_body *self, const substep *s) {
    const body *b = &self->base;
    double kinetic = 0, potential = 0;
    vec3 force;
    for (size_t i = 0; i < b->point_count; i++) {
        kinetic += self->masses[i] * vec3_length2(b->velocities[i]) / 2;
        potential -= self->masses[i] * vec3_dot(s->environment->gravity, b->positions[i]);
    }
    for (size_t e = 0; e < self->edges->edge_count; e++) potential += spring_energy(self, e, &force);
    self->base.measures.items[self->kinetic].value = kinetic;
    self->base.measures.items[self->potential].value = potential;
    self->base.measures.items[self->substeps].value += 1;
}

static ruga_status body_accept(body *b, const substep *s, const contact_surface *surface) {
    test_body *self = (test_body *)b;
    call_log_add(self->def.log, self->def.name, "accept");
    TRY(body_accept_impulses(b, surface, s->dt));
    measure_energy(self, s);
    return RUGA_OK;
}

static void body_visible(const body *b, const vec3 *points, vec3 *vertices) {
    ruga_map_apply(((const test_body *)b)->def.embedding, points, vertices);
}

/* Makes all that depends on the number of points: springs at their length on `mesh`, masses, the surface. */
static ruga_status make_points(test_body *self, const ruga_mesh *mesh) {
    ruga_context *context = self->base.context;
    size_t points = mesh->vertex_count, vertices = self->base.mesh->vertex_count;
    TRY(topology_build(context, points, mesh->triangle_count, mesh->triangles, &self->edges));
    TRY(NEW(context, &self->rest_lengths, self->edges->edge_count));
    TRY(NEW(context, &self->masses, points));
    TRY(NEW(context, &self->forces, points));
    TRY(NEW(context, &self->surface_points, 4 * vertices));
    TRY(NEW_ZEROED(context, &self->inverse_masses, vertices));
    for (size_t i = 0; i < points; i++) self->masses[i] = self->def.mass;
    for (size_t e = 0; e < self->edges->edge_count; e++) {
        const uint32_t *v = self->edges->edge_vertices + 2 * e;
        self->rest_lengths[e] = vec3_distance(mesh->positions[v[0]], mesh->positions[v[1]]);
    }
    /* A vertex made of points with weights w feels an impulse as one of mass 1 / sum(w² / m). */
    const ruga_map *map = self->def.embedding;
    for (size_t v = 0; v < vertices; v++) {
        if (!map) self->inverse_masses[v] = 1 / self->def.mass;
        for (size_t i = map ? map->offsets[v] : 0; map && i < map->offsets[v + 1]; i++)
            self->inverse_masses[v] += map->weights[i] * map->weights[i] / self->def.mass;
    }
    self->base.masses = self->masses;
    return RUGA_OK;
}

static void release_points(test_body *self) {
    ruga_context *context = self->base.context;
    topology_destroy(self->edges);
    memory_release(context, self->rest_lengths);
    memory_release(context, self->masses);
    memory_release(context, self->forces);
    memory_release(context, self->surface_points);
    memory_release(context, self->inverse_masses);
    self->edges = NULL;
    self->rest_lengths = self->masses = self->inverse_masses = NULL;
    self->forces = self->surface_points = NULL;
}

static ruga_status body_rebuild(body *b, const body_change *change) {
    test_body *self = (test_body *)b;
    call_log_add(self->def.log, self->def.name, "rebuild");
    TRY(body_refuse_given(b, &change->simulated));
    TRY(body_rebuild_points(b, change->mesh, change->points_from_old));
    release_points(self);
    return make_points(self, change->mesh);
}

static void body_save(const body *b, state_writer *writer) {
    save_number(writer, ((const test_body *)b)->random.state);
}
static ruga_status body_load(body *b, state_reader *reader) {
    return load_number(reader, &((test_body *)b)->random.state);
}

static void body_destroy(body *b) {
    release_points((test_body *)b);
    body_release(b);
    memory_release(b->context, b);
}

ruga_status test_body_create(const ruga_mesh *mesh, const test_body_def *def, body **out) {
    static const body_interface plain = {.predict = body_predict,
                                         .surface = body_surface,
                                         .accept = body_accept,
                                         .rebuild = body_rebuild,
                                         .save = body_save,
                                         .load = body_load,
                                         .destroy = body_destroy};
    static const body_interface embedded = {.predict = body_predict,
                                            .surface = body_surface,
                                            .accept = body_accept,
                                            .visible = body_visible,
                                            .save = body_save,
                                            .load = body_load,
                                            .destroy = body_destroy};
    const ruga_mesh *points = def->coarse ? def->coarse : mesh;
    test_body *self;
    TRY(NEW_ZEROED(mesh->context, &self, 1));
    self->def = *def;
    self->random.state = 1;
    ruga_status status = body_init(&self->base, def->coarse ? &embedded : &plain, "test", mesh, def->coarse);
    if (RUGA_FAILED(status)) {
        memory_release(mesh->context, self);
        return status;
    }
    status = make_points(self, points);
    if (RUGA_FAILED(status)) {
        body_destroy(&self->base);
        return status;
    }
    for (size_t i = 0; i < self->base.point_count; i++) self->base.velocities[i] = def->velocity;
    self->kinetic = measure_add(&self->base.measures, "kinetic", "J");
    self->potential = measure_add(&self->base.measures, "potential", "J");
    self->substeps = measure_add(&self->base.measures, "substeps", "1");
    *out = &self->base;
    return RUGA_OK;
}

vec3 test_momentum(const body *b) {
    vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < b->point_count; i++) sum = vec3_add_scaled(sum, b->velocities[i], b->masses[i]);
    return sum;
}

vec3 test_angular_momentum(const body *b) {
    vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < b->point_count; i++)
        sum = vec3_add_scaled(sum, vec3_cross(b->positions[i], b->velocities[i]), b->masses[i]);
    return sum;
}

/* ---- Hook. */

typedef struct test_hook {
    part base;
    test_hook_def def;
    uint64_t substeps; /* its state */
    size_t calls;      /* measure */
} test_hook;

static test_hook *hook_called(part *h, const char *what) {
    test_hook *self = (test_hook *)h;
    call_log_add(self->def.log, self->def.name, what);
    h->measures.items[self->calls].value += 1;
    return self;
}

static ruga_status hook_force(part *h, const body *b, const substep *s, const vec3 *positions, const vec3 *velocities,
                              vec3 *forces) {
    (void)s, (void)positions, (void)velocities;
    test_hook *self = hook_called(h, "force");
    double swing = (double)(self->substeps % 5) / 2 - 1;
    for (size_t i = 0; i < b->point_count; i++) forces[i] = vec3_add_scaled(forces[i], self->def.force, swing);
    return RUGA_OK;
}

static ruga_status hook_before_contact(part *h, body *b, const substep *s) {
    (void)s;
    test_hook *self = hook_called(h, "before_contact");
    for (size_t i = 0; i < b->point_count; i++) {
        b->candidate_positions[i] = vec3_add(b->candidate_positions[i], self->def.shift);
        b->candidate_velocities[i] = vec3_add(b->candidate_velocities[i], self->def.shift);
    }
    if (!RUGA_FAILED(self->def.fail)) return self->def.fail;
    return fail_with(h->context, self->def.fail, "the test's hook fails");
}

static ruga_status hook_after_velocities(part *h, body *b, const substep *s) {
    (void)s;
    test_hook *self = hook_called(h, "after_velocities");
    for (size_t i = 0; i < b->point_count; i++) b->velocities[i] = vec3_scale(b->velocities[i], 1 - self->def.slow);
    self->substeps++;
    return RUGA_OK;
}

static ruga_status hook_rebuild(part *h, const body *b, const part_change *change) {
    (void)b, (void)change;
    hook_called(h, "rebuild");
    return RUGA_OK;
}

static void hook_save(const part *h, state_writer *writer) { save_number(writer, ((const test_hook *)h)->substeps); }
static ruga_status hook_load(part *h, state_reader *reader) { return load_number(reader, &((test_hook *)h)->substeps); }
static void hook_destroy(part *h) { memory_release(h->context, h); }

ruga_status test_hook_create(ruga_context *context, const test_hook_def *def, part **out) {
    static const part_interface interface = {.force = hook_force,
                                             .before_contact = hook_before_contact,
                                             .after_velocities = hook_after_velocities,
                                             .rebuild = hook_rebuild,
                                             .save = hook_save,
                                             .load = hook_load,
                                             .destroy = hook_destroy};
    test_hook *self;
    TRY(NEW_ZEROED(context, &self, 1));
    self->base = (part){.interface = &interface, .context = context, .kind = "push"};
    self->def = *def;
    self->calls = measure_add(&self->base.measures, "calls", "1");
    *out = &self->base;
    return RUGA_OK;
}

/* ---- Detail. */

typedef struct test_detail {
    part base;
    part_interface interface; /* without `surface`, unless it has one */
    test_detail_def def;
    double age; /* s, its state */
    contact_surface surface;
    vec3 *surface_points;   /* (4 x surface vertices): accepted, candidate, velocities, impulses */
    double *inverse_masses; /* (surface vertices) 1/kg */
    size_t age_measure;
} test_detail;

static void rise(test_detail *self, const ruga_frame *in, double follow) {
    part *d = &self->base;
    double lift = self->def.delay > 0 ? self->def.lift * self->age : self->def.lift;
    for (size_t i = 0; i < in->vertex_count; i++) {
        vec3 aim = vec3_add(in->positions[i], (vec3){0, lift, 0});
        d->positions[i] = follow < 1 ? vec3_mix(d->positions[i], aim, follow) : aim;
        if (d->normals) d->normals[i] = (vec3){0, 0, 1};
    }
    if (self->def.break_at > 0 && in->time >= self->def.break_at) d->positions[2].x = INFINITY;
    d->measures.items[self->age_measure].value = self->age;
}

static ruga_status detail_update(part *d, const body *b, const substep *s, const ruga_frame *in) {
    (void)b;
    test_detail *self = (test_detail *)d;
    call_log_add(self->def.log, self->def.name, "update");
    self->age += s->dt;
    rise(self, in, self->def.delay > 0 ? s->dt / (s->dt + self->def.delay) : 1);
    return RUGA_OK;
}

static ruga_status detail_settle(part *d, const body *b, const substep *s, const ruga_frame *in) {
    (void)b, (void)s;
    test_detail *self = (test_detail *)d;
    call_log_add(self->def.log, self->def.name, "settle");
    self->age = 0;
    rise(self, in, 1);
    return RUGA_OK;
}

static contact_surface *detail_surface(part *d, const body *b, const substep *s) {
    (void)s;
    test_detail *self = (test_detail *)d;
    call_log_add(self->def.log, self->def.name, "surface");
    const ruga_map *map = self->def.surface_map;
    size_t count = self->def.surface->vertex_count;
    vec3 *accepted = self->surface_points, *candidate = accepted + count, *velocities = candidate + count;
    carry(map, b->positions, count, accepted);
    carry(map, b->candidate_positions, count, candidate);
    carry(map, b->candidate_velocities, count, velocities);
    memset(velocities + count, 0, count * sizeof *velocities);
    for (size_t v = 0; v < count; v++) {
        self->inverse_masses[v] = map || !b->masses ? 0 : 1 / b->masses[v];
        for (size_t i = map ? map->offsets[v] : 0; map && b->masses && i < map->offsets[v + 1]; i++)
            self->inverse_masses[v] += map->weights[i] * map->weights[i] / b->masses[map->indices[i]];
    }
    self->surface = (contact_surface){.mesh = self->def.surface,
                                      .map = map,
                                      .accepted = accepted,
                                      .candidate = candidate,
                                      .velocities = velocities,
                                      .inverse_masses = self->inverse_masses,
                                      .impulses = velocities + count};
    return &self->surface;
}

static ruga_status detail_rebuild(part *d, const body *b, const part_change *change) {
    (void)b;
    const ruga_mesh *in = change->input;
    const ruga_map *from_old = change->input_from_old;
    call_log_add(((test_detail *)d)->def.log, ((test_detail *)d)->def.name, "rebuild");
    vec3 *positions, *normals = NULL;
    TRY(NEW(d->context, &positions, from_old->rows));
    ruga_status status = d->normals ? NEW_ZEROED(d->context, &normals, from_old->rows) : RUGA_OK;
    if (RUGA_FAILED(status)) {
        memory_release(d->context, positions);
        return status;
    }
    ruga_map_apply(from_old, d->positions, positions);
    memory_release(d->context, d->positions);
    memory_release(d->context, d->normals);
    d->positions = positions;
    d->normals = normals;
    d->input = d->output = in;
    return RUGA_OK;
}

static void detail_save(const part *d, state_writer *writer) {
    uint64_t bits;
    memcpy(&bits, &((const test_detail *)d)->age, sizeof bits);
    save_number(writer, bits);
}

static ruga_status detail_load(part *d, state_reader *reader) {
    uint64_t bits;
    TRY(load_number(reader, &bits));
    memcpy(&((test_detail *)d)->age, &bits, sizeof bits);
    return RUGA_OK;
}

static void detail_destroy(part *d) {
    test_detail *self = (test_detail *)d;
    memory_release(d->context, d->positions);
    memory_release(d->context, d->normals);
    memory_release(d->context, self->surface_points);
    memory_release(d->context, self->inverse_masses);
    memory_release(d->context, self);
}

static ruga_status detail_allocate(test_detail *self, size_t count, size_t surface_count) {
    ruga_context *context = self->base.context;
    TRY(NEW_ZEROED(context, &self->base.positions, count));
    if (self->def.gives_normals) TRY(NEW_ZEROED(context, &self->base.normals, count));
    TRY(NEW(context, &self->surface_points, 4 * surface_count));
    TRY(NEW(context, &self->inverse_masses, surface_count));
    return RUGA_OK;
}

ruga_status test_detail_create(const ruga_mesh *input, const test_detail_def *def, part **out) {
    static const part_interface delayed = {.update = detail_update,
                                           .settle = detail_settle,
                                           .surface = detail_surface,
                                           .rebuild = detail_rebuild,
                                           .save = detail_save,
                                           .load = detail_load,
                                           .destroy = detail_destroy};
    static const part_interface stateless = {
        .update = detail_update, .surface = detail_surface, .rebuild = detail_rebuild, .destroy = detail_destroy};
    ruga_context *context = input->context;
    test_detail *self;
    TRY(NEW_ZEROED(context, &self, 1));
    self->interface = def->delay > 0 ? delayed : stateless;
    if (!def->surface) self->interface.surface = NULL;
    self->base =
        (part){.interface = &self->interface, .context = context, .kind = "rise", .input = input, .output = input};
    self->def = *def;
    self->age_measure = measure_add(&self->base.measures, "age", "s");
    ruga_status status = detail_allocate(self, input->vertex_count, def->surface ? def->surface->vertex_count : 0);
    if (RUGA_FAILED(status)) {
        detail_destroy(&self->base);
        return status;
    }
    *out = &self->base;
    return RUGA_OK;
}

/* ---- Contact. */

static void exchange(test_contact *self, contact_surface *const *surfaces, size_t sa, size_t i, size_t sb, size_t j) {
    contact_surface *a = surfaces[sa], *b = surfaces[sb];
    vec3 apart = vec3_sub(b->candidate[j], a->candidate[i]);
    double distance = vec3_length(apart), w = a->inverse_masses[i] + b->inverse_masses[j];
    if (!(distance < self->def.distance) || !(distance > 0) || !(w > 0)) return;
    vec3 normal = vec3_scale(apart, 1 / distance);
    vec3 va = vec3_add_scaled(a->velocities[i], a->impulses[i], a->inverse_masses[i]);
    vec3 vb = vec3_add_scaled(b->velocities[j], b->impulses[j], b->inverse_masses[j]);
    double approach = vec3_dot(vec3_sub(va, vb), normal);
    if (!(approach > 0)) return;
    vec3 impulse = vec3_scale(normal, approach / w);
    vec3 turning = vec3_cross(a->candidate[i], impulse), back = vec3_cross(b->candidate[j], impulse);
    a->impulses[i] = vec3_sub(a->impulses[i], impulse);
    b->impulses[j] = vec3_add(b->impulses[j], impulse);
    self->impulse[sa] = vec3_sub(self->impulse[sa], impulse);
    self->impulse[sb] = vec3_add(self->impulse[sb], impulse);
    self->turning[sa] = vec3_sub(self->turning[sa], turning);
    self->turning[sb] = vec3_add(self->turning[sb], back);
    self->base.measures.items[0].value += 1;
}

static ruga_status contact_resolve(contact *c, contact_surface *const *surfaces, size_t count, double dt) {
    test_contact *self = (test_contact *)c;
    call_log_add(self->def.log, "contact", "resolve");
    memset(self->impulse, 0, sizeof self->impulse);
    memset(self->turning, 0, sizeof self->turning);
    if (++self->resolved % 7 == 0) return RUGA_OK;
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++)
            for (size_t i = 0; i < surfaces[a]->mesh->vertex_count; i++)
                for (size_t j = 0; j < surfaces[b]->mesh->vertex_count; j++) exchange(self, surfaces, a, i, b, j);
    /* Where the impulses lead: the candidates move on only now, so that all impulses act at the same places. */
    for (size_t a = 0; a < count; a++)
        for (size_t i = 0; i < surfaces[a]->mesh->vertex_count; i++)
            surfaces[a]->candidate[i] = vec3_add_scaled(surfaces[a]->candidate[i], surfaces[a]->impulses[i],
                                                        dt * surfaces[a]->inverse_masses[i]);
    return RUGA_OK;
}

static void contact_save(const contact *c, state_writer *writer) {
    save_number(writer, ((const test_contact *)c)->resolved);
}
static ruga_status contact_load(contact *c, state_reader *reader) {
    return load_number(reader, &((test_contact *)c)->resolved);
}
static void contact_destroy(contact *c) { memory_release(c->context, c); }

ruga_status test_contact_create(ruga_context *context, const test_contact_def *def, contact **out) {
    static const contact_interface interface = {
        .resolve = contact_resolve, .save = contact_save, .load = contact_load, .destroy = contact_destroy};
    test_contact *self;
    TRY(NEW_ZEROED(context, &self, 1));
    self->base = (contact){.interface = &interface, .context = context};
    self->def = *def;
    measure_add(&self->base.measures, "contacts", "1");
    *out = &self->base;
    return RUGA_OK;
}
