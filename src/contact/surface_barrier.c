/* Surfaces in equilibrium; the header has the calls, contact/barrier_pairs.h the equations. */
#include "contact/surface_barrier.h"

#include <math.h>
#include <string.h>

#include "contact/barrier_pairs.h"
#include "linalg/map.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#define MOST_HALVINGS 30 /* of a step that is too long for a search */

struct surface_barrier {
    energy_term base;
    surface_barrier_def def;
    contact_surface surface;
    barrier_pairs pairs;
    unsigned char *collides; /* (vertices) */
    double *masses;          /* (vertices) 0 where a pin holds it, else 1 */
    double *stiffness;       /* (vertices) N/m */
    vec3 *rest;              /* (vertices) m */
    /* Other surfaces, one after the other. */
    ARRAY(const ruga_mesh *) meshes;
    ARRAY(size_t) firsts;
    size_t other_count;
    ARRAY(vec3) now, to;       /* (other_count) m: where they are, and where they go */
    ARRAY(double) fixed;       /* (other_count) all 0 */
    double left;               /* 1, of their displacements */
    double weight;             /* of the last linearisation */
    barrier_terms terms;       /* of the last measurement that wanted them */
    barrier_terms touches;     /* of the last linearisation, */
    ARRAY(barrier_bend) bends; /* and how their distances curve; none: the Hessian is the definite one */
    ruga_status status;
};

static const energy_interface interface_of_surfaces;

/* ---- Making. */

static double mean_edge(const ruga_mesh *mesh) {
    double sum = 0;
    for (size_t c = 0; c < 3 * mesh->triangle_count; c++) {
        const size_t next = c % 3 == 2 ? c - 2 : c + 1;
        sum += vec3_distance(mesh->positions[mesh->triangles[c]], mesh->positions[mesh->triangles[next]]);
    }
    return mesh->triangle_count ? sum / (double)(3 * mesh->triangle_count) : 0;
}

static ruga_status make(surface_barrier *self, const surface_barrier_def *def) {
    ruga_context *context = def->context;
    const ruga_mesh *mesh = def->mesh;
    const size_t count = mesh->vertex_count;
    const double edge = mean_edge(mesh), reach = edge > 0 ? fmin(def->reach, BARRIER_EDGE_PART * edge) : def->reach;
    TRY(NEW_ZEROED(context, &self->collides, count));
    TRY(NEW_EACH(context, count, &self->masses, &self->stiffness));
    TRY(NEW(context, &self->rest, count));
    for (size_t c = 0; c < 3 * mesh->triangle_count; c++) self->collides[mesh->triangles[c]] = 1;
    for (size_t v = 0; v < count; v++) {
        if (def->collides && !def->collides[v]) self->collides[v] = 0;
        self->masses[v] = !def->moves || def->moves[v];
        self->stiffness[v] = def->stiffness[v] * (def->reach / reach);
        self->rest[v] = mesh->positions[v];
    }
    TRY(barrier_pairs_init(context, count, reach, &self->pairs));
    TRY(barrier_pairs_mask(&self->pairs, mesh, self->collides));
    self->surface = (contact_surface){.name = "surface",
                                      .mesh = mesh,
                                      .accepted = self->rest,
                                      .candidate = self->rest,
                                      .inverse_masses = self->masses,
                                      .collides = self->collides,
                                      .thickness = reach,
                                      .rest_part = BARRIER_REST_PART};
    return RUGA_OK;
}

ruga_status surface_barrier_create(const surface_barrier_def *def, surface_barrier **out) {
    surface_barrier *self;
    TRY(NEW_ZEROED(def->context, &self, 1));
    self->base =
        (energy_term){.interface = &interface_of_surfaces, .context = def->context, .point_count = def->point_count};
    self->def = *def;
    self->def.collides = self->def.moves = NULL;
    self->def.stiffness = NULL;
    RETURN_MADE(make(self, def), self, out, surface_barrier_destroy(self));
}

void surface_barrier_destroy(surface_barrier *self) {
    if (!self) return;
    ruga_context *context = self->base.context;
    barrier_pairs_release(&self->pairs);
    RELEASE_ALL(context, self->meshes.items, self->firsts.items, self->now.items, self->to.items, self->fixed.items,
                self->terms.items, self->touches.items, self->bends.items);
    RELEASE_ALL(context, self->collides, self->masses, self->stiffness, self->rest, self);
}

energy_term *surface_barrier_term(surface_barrier *self) { return &self->base; }
ruga_status surface_barrier_status(const surface_barrier *self) { return self->status; }
size_t surface_barrier_touch_count(const surface_barrier *self) { return self->touches.count; }

/* ---- Vertices from points. */

/* Where the vertices of the contact mesh are. */
static void gather(const surface_barrier *self, const vec3 *points, const vec3 *others, vec3 *out) {
    const contact_mesh *m = self->pairs.mesh;
    for (size_t i = 0; i < m->vertex_count; i++)
        out[i] = m->part_of[i] == 0 ? map_row_of(self->def.visible, points, m->numbers[i])
                                    : others[self->firsts.items[m->part_of[i] - 1] + m->numbers[i]];
}

static void note(surface_barrier *self, ruga_status status) {
    if (RUGA_FAILED(status) && !RUGA_FAILED(self->status)) self->status = status;
}

/* ---- Other surfaces. */

static int has_meshes(const surface_barrier *self, const surface_barrier_other *others, size_t count) {
    if (!self->pairs.mesh || count != self->meshes.count) return 0;
    for (size_t k = 0; k < count; k++)
        if (others[k].mesh != self->meshes.items[k]) return 0;
    return 1;
}

static ruga_status build(surface_barrier *self, contact_surface *given, contact_surface **surfaces) {
    surfaces[0] = &self->surface;
    for (size_t k = 0; k < self->meshes.count; k++) {
        const size_t first = self->firsts.items[k];
        given[k] = (contact_surface){.name = "other",
                                     .mesh = self->meshes.items[k],
                                     .accepted = self->now.items + first,
                                     .candidate = self->now.items + first,
                                     .inverse_masses = self->fixed.items + first};
        surfaces[1 + k] = &given[k];
    }
    return barrier_pairs_take(&self->pairs, surfaces, 1 + self->meshes.count);
}

static ruga_status take_others(surface_barrier *self, const surface_barrier_other *others, size_t count) {
    ruga_context *context = self->base.context;
    contact_surface *given = NULL, **surfaces = NULL;
    self->meshes.count = self->firsts.count = self->other_count = 0;
    for (size_t k = 0; k < count; k++) {
        TRY(ARRAY_ADD(context, &self->meshes, others[k].mesh));
        TRY(ARRAY_ADD(context, &self->firsts, self->other_count));
        self->other_count += others[k].mesh->vertex_count;
    }
    TRY(ARRAY_RESERVE(context, &self->now, self->other_count + 1));
    TRY(ARRAY_RESERVE(context, &self->to, self->other_count + 1));
    TRY(ARRAY_RESERVE(context, &self->fixed, self->other_count + 1));
    memset(self->fixed.items, 0, self->other_count * sizeof *self->fixed.items);
    for (size_t k = 0; k < count; k++)
        memcpy(self->now.items + self->firsts.items[k], others[k].from,
               others[k].mesh->vertex_count * sizeof *others[k].from);
    TRY(NEW(context, &given, count + 1));
    ruga_status status = NEW(context, &surfaces, count + 1);
    if (!RUGA_FAILED(status)) status = build(self, given, surfaces);
    RELEASE_ALL(context, given, surfaces);
    return status;
}

void surface_barrier_mask(surface_barrier *self, const unsigned char *collides) {
    for (size_t v = 0; collides && v < self->def.mesh->vertex_count; v++) self->collides[v] &= collides[v] != 0;
}

ruga_status surface_barrier_begin(surface_barrier *self, const ruga_vec3 *points, int self_too,
                                  const surface_barrier_other *others, size_t other_count, size_t *passing) {
    barrier_pairs *p = &self->pairs;
    self->status = RUGA_OK;
    self->left = 0;
    self->base.revision++;
    if (self->surface.self != self_too || !has_meshes(self, others, other_count)) {
        self->surface.self = self_too;
        TRY(take_others(self, others, other_count));
    }
    for (size_t k = 0; k < other_count; k++) {
        const size_t count = others[k].mesh->vertex_count, first = self->firsts.items[k];
        memcpy(self->now.items + first, others[k].from, count * sizeof *others[k].from);
        memcpy(self->to.items + first, others[k].to, count * sizeof *others[k].to);
        if (memcmp(others[k].from, others[k].to, count * sizeof *others[k].to) != 0) self->left = 1;
    }
    memset(p->passes, 0, self->def.mesh->vertex_count);
    p->is_found = 0;
    gather(self, points, self->now.items, p->mesh->to);
    TRY(barrier_pairs_find_crossings(p));
    for (size_t i = 0; i < p->crossings.count; i++) barrier_pairs_mark_crossing(p, i, p->passes, 1);
    *passing = 0;
    for (size_t v = 0; v < self->def.mesh->vertex_count; v++) *passing += p->passes[v];
    return RUGA_OK;
}

int surface_barrier_has_moving(const surface_barrier *self) { return self->left > 0; }

double surface_barrier_advance(surface_barrier *self, const ruga_vec3 *points) {
    barrier_pairs *p = &self->pairs;
    if (!(self->left > 0)) return 0;
    gather(self, points, self->now.items, p->mesh->from);
    gather(self, points, self->to.items, p->mesh->to);
    const ruga_status status = barrier_pairs_search(p);
    note(self, status);
    if (RUGA_FAILED(status)) return self->left;
    const double part = barrier_pairs_limit(p);
    for (size_t i = 0; i < self->other_count; i++)
        self->now.items[i] = part < 1 ? vec3_mix(self->now.items[i], self->to.items[i], part) : self->to.items[i];
    self->left = part < 1 ? self->left * (1 - part) : 0;
    self->base.revision++;
    return self->left;
}

/* ---- The energy. */

/* J; with `wants_terms` those within reach, into `terms`. */
static double measure(surface_barrier *self, const vec3 *points, int wants_terms) {
    barrier_pairs *p = &self->pairs;
    if (!p->mesh) return 0;
    self->terms.count = 0;
    gather(self, points, self->now.items, p->mesh->from);
    memcpy(p->mesh->to, p->mesh->from, p->mesh->vertex_count * sizeof *p->mesh->to);
    ruga_status status = barrier_pairs_cover(p) ? RUGA_OK : barrier_pairs_search(p);
    if (!RUGA_FAILED(status) && wants_terms) status = ARRAY_RESERVE(self->base.context, &self->terms, p->pairs.count);
    if (status != RUGA_ERROR_INPUT) note(self, status); /* of input: no place that can be searched, nor accepted */
    if (RUGA_FAILED(status)) return INFINITY;
    const double sum = barrier_pairs_energy(p, self->stiffness, 1, wants_terms ? self->terms.items : NULL);
    for (size_t i = 0; wants_terms && i < p->pairs.count; i++)
        if (self->terms.items[i].curvature > 0 || self->terms.items[i].turning > 0)
            self->terms.items[self->terms.count++] = self->terms.items[i];
    return sum;
}

static double value(const energy_term *term, const vec3 *positions) {
    return measure((surface_barrier *)(uintptr_t)term, positions, 0);
}

static double add_gradient(const energy_term *term, const vec3 *positions, double scale, vec3 *out) {
    surface_barrier *self = (surface_barrier *)(uintptr_t)term;
    const double sum = measure(self, positions, 1);
    for (size_t i = 0; i < self->terms.count; i++) {
        const barrier_term *t = &self->terms.items[i];
        for (int k = 0; k < 4; k++) {
            if (t->weights[k] != 0)
                map_add_row(self->def.visible, t->vertices[k], t->normal, -scale * t->force * t->weights[k], out);
            map_add_row(self->def.visible, t->vertices[k], t->turns[k / 2], k % 2 ? scale : -scale, out);
        }
    }
    return sum;
}

/* ---- The Hessian. */

static ruga_status linearise(energy_term *term, const vec3 *positions, energy_weights weights, int definite) {
    surface_barrier *self = (surface_barrier *)term;
    measure(self, positions, 1);
    self->weight = weights.stiffness;
    self->touches.count = 0;
    TRY(ARRAY_RESERVE(term->context, &self->touches, self->terms.count));
    self->touches.count = self->terms.count;
    if (self->terms.count)
        memcpy(self->touches.items, self->terms.items, self->terms.count * sizeof *self->terms.items);
    self->bends.count = 0;
    for (size_t i = 0; i < self->touches.count && !definite; i++) {
        barrier_bend bend;
        barrier_pairs_bend(&self->pairs, self->touches.items[i].pair, &bend);
        TRY(ARRAY_ADD(term->context, &self->bends, bend));
    }
    return self->status;
}

/* b' ∇²d. */
static void add_bend(const surface_barrier *self, const barrier_bend *bend, double scale, const vec3 *direction,
                     vec3 *out) {
    vec3 in[4], product[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 4; k++)
        in[k] = bend->own[k] ? map_row_of(self->def.visible, direction, bend->vertices[k]) : (vec3){0, 0, 0};
    barrier_bend_product(bend, in, scale, product);
    for (int k = 0; k < 4; k++)
        if (bend->own[k]) map_add_row(self->def.visible, bend->vertices[k], product[k], 1, out);
}

/* Of edges that are nearly parallel: k JᵀJ. */
static void add_turning(const surface_barrier *self, const barrier_term *t, double k, const vec3 *direction,
                        vec3 *out) {
    const vec3 e = t->edges[0], f = t->edges[1];
    vec3 changes[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int side = 0; side < 2; side++)
        if (t->moves[side])
            changes[side] = vec3_sub(map_row_of(self->def.visible, direction, t->vertices[2 * side + 1]),
                                     map_row_of(self->def.visible, direction, t->vertices[2 * side]));
    const vec3 turn = vec3_add(vec3_cross(changes[0], f), vec3_cross(e, changes[1]));
    const vec3 back[2] = {vec3_cross(f, turn), vec3_cross(turn, e)};
    for (int i = 0; i < 4; i++)
        if (t->moves[i / 2]) map_add_row(self->def.visible, t->vertices[i], back[i / 2], i % 2 ? k : -k, out);
}

static void add_product(const energy_term *term, double scale, const vec3 *direction, vec3 *out) {
    const surface_barrier *self = (const surface_barrier *)term;
    for (size_t i = 0; i < self->touches.count; i++) {
        const barrier_term *t = &self->touches.items[i];
        double sum = 0;
        if (self->bends.count) add_bend(self, &self->bends.items[i], -scale * self->weight * t->force, direction, out);
        if (t->turning > 0) add_turning(self, t, scale * self->weight * t->turning, direction, out);
        for (int k = 0; k < 4; k++)
            if (t->weights[k] != 0)
                sum += t->weights[k] * vec3_dot(t->normal, map_row_of(self->def.visible, direction, t->vertices[k]));
        for (int k = 0; k < 4; k++)
            if (t->weights[k] != 0)
                map_add_row(self->def.visible, t->vertices[k], t->normal,
                            scale * self->weight * t->curvature * t->weights[k] * sum, out);
    }
}

/* Of the corner k of a pair, for a point with this weight. */
static void add_block(const barrier_term *t, int k, double size, double turning, double weight, mat3 *block) {
    const vec3 other = t->edges[1 - k / 2];
    mat3_add_outer(block, weight * weight * size, t->normal, t->normal);
    if (!(turning > 0)) return;
    mat3_add_identity(block, weight * weight * turning * vec3_length2(other));
    mat3_add_outer(block, -weight * weight * turning, other, other);
}

static void add_blocks(const energy_term *term, double scale, mat3 *blocks) {
    const surface_barrier *self = (const surface_barrier *)term;
    const ruga_map *map = self->def.visible;
    for (size_t i = 0; i < self->touches.count; i++) {
        const barrier_term *t = &self->touches.items[i];
        for (int k = 0; k < 4; k++) {
            const double size = scale * self->weight * t->curvature * t->weights[k] * t->weights[k];
            const uint32_t v = t->vertices[k];
            const double turning = t->turning > 0 && t->moves[k / 2] ? scale * self->weight * t->turning : 0;
            if (!map) add_block(t, k, size, turning, 1, &blocks[v]);
            for (size_t e = map ? map->offsets[v] : 0; map && e < map->offsets[v + 1]; e++)
                add_block(t, k, size, turning, map->weights[e], &blocks[map->indices[e]]);
        }
    }
}

static const energy_interface interface_of_surfaces = {.name = "surfaces",
                                                       .value = value,
                                                       .add_gradient = add_gradient,
                                                       .linearise = linearise,
                                                       .add_product = add_product,
                                                       .add_blocks = add_blocks};

/* ---- Limits. */

double surface_barrier_limit(surface_barrier *self, const ruga_vec3 *from, const ruga_vec3 *to) {
    barrier_pairs *p = &self->pairs;
    double taken = 1;
    if (!p->mesh) return 1;
    gather(self, from, self->now.items, p->mesh->from);
    gather(self, to, self->now.items, p->mesh->to);
    for (int k = 0; k < MOST_HALVINGS; k++) {
        const ruga_status status = barrier_pairs_cover(p) ? RUGA_OK : barrier_pairs_search(p);
        if (!RUGA_FAILED(status)) return taken * barrier_pairs_limit(p);
        if (status != RUGA_ERROR_INPUT) break;
        taken /= 2; /* of input: the end is too far away, and a shorter step will do */
        for (size_t i = 0; i < p->mesh->vertex_count; i++)
            p->mesh->to[i] = vec3_mix(p->mesh->from[i], p->mesh->to[i], 0.5);
    }
    note(self, RUGA_ERROR_INPUT);
    return 0;
}
