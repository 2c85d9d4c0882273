/* The stage `predict`: every body by itself, or bodies that touch in one solve (solve/coupled.h).
 *
 *     begin      bodies that can be solved with others prepare their systems; all others predict
 *     rows       contact finds the pairs that touch at the start of the substep
 *     groups     bodies that touch, perhaps through others, form a group; each group is one solve
 *     finish     candidates of the bodies that began
 */
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "system/objects.h"

void common_solve_release(ruga_context *context, common_solve *c) {
    coupled_destroy(c->solver);
    RELEASE_ALL(context, c->members.items, c->objects.items, c->member_of.items, c->rows.items, c->sorted.items,
                c->held.items, c->groups.items, c->group.items, c->place.items);
}

/* ---- Surfaces. */

/* The surface of the part that has one, with or without contact; else the body's, which contact alone needs. */
static void gather_surface(world *w, world_object *o, const substep *s) {
    body *b = o->body;
    o->surface = NULL;
    if (b->interface->surface && w->contact) o->surface = b->interface->surface(b);
    for (size_t i = 0; i < o->parts.count; i++) {
        part *p = o->parts.items[i];
        contact_surface *surface = p->interface->surface ? p->interface->surface(p, b, s) : NULL;
        if (surface) o->surface = surface;
    }
    if (!w->contact || !o->surface || !b->touch.collides) return;
    o->surface->name = o->name;
    w->surfaces.items[w->surfaces.count++] = o->surface;
}

void gather_surfaces(world *w, const substep *s) {
    w->surfaces.count = 0;
    for (size_t i = 0; i < w->objects.count; i++) gather_surface(w, &w->objects.items[i], s);
}

/* ---- Members. */

static int has_own_surface(const world_object *o) {
    for (size_t i = 0; i < o->parts.count; i++)
        if (o->parts.items[i]->interface->surface) return 0;
    return 1;
}

static ruga_status begin_or_predict(world *w, size_t object, const substep *s) {
    world_object *o = &w->objects.items[object];
    body *b = o->body;
    coupled_member member = {0};
    if (w->contact && w->contact->interface->find_rows && b->interface->begin && b->touch.collides &&
        has_own_surface(o))
        TRY(b->interface->begin(b, s, &member));
    if (!member.solver) return b->interface->predict(b, s);
    common_solve *c = &w->common;
    c->members.items[c->members.count++] = member;
    c->objects.items[c->objects.count++] = (uint32_t)object;
    return RUGA_OK;
}

static ruga_status begin_bodies(world *w, const substep *s) {
    common_solve *c = &w->common;
    c->members.count = c->objects.count = 0;
    for (size_t k = 0; k < w->others.count; k++) w->others.items[k].is_predicted = 0;
    /* Bodies that no force moves go first: they push flesh in equilibrium aside. */
    for (int moved = 0; moved < 2; moved++)
        for (size_t i = 0; i < w->objects.count; i++) {
            const body *b = w->objects.items[i].body;
            if ((b->masses != NULL) != moved) continue;
            TRY(object_note(w, &w->objects.items[i], NULL, begin_or_predict(w, i, s)));
            for (size_t k = 0; k < w->others.count; k++)
                if (w->others.items[k].owner == b) w->others.items[k].is_predicted = 1;
        }
    return RUGA_OK;
}

/* ---- Rows. */

static ruga_status match_surfaces(world *w) {
    common_solve *c = &w->common;
    c->member_of.count = 0;
    TRY(ARRAY_RESERVE(w->context, &c->member_of, w->surfaces.count));
    for (size_t i = 0; i < w->surfaces.count; i++) {
        c->member_of.items[i] = COUPLED_NONE;
        for (size_t m = 0; m < c->members.count; m++)
            if (w->objects.items[c->objects.items[m]].surface == w->surfaces.items[i])
                c->member_of.items[i] = (uint32_t)m;
    }
    return RUGA_OK;
}

/* Whether a vertex is held by its own body's solve already (contact_hold). */
static int is_held(const contact_surface *surface, uint32_t vertex) {
    return surface->holds && vec3_length2(surface->holds[vertex].normal) > 0;
}

/* The velocity of a vertex without the solve that moves it, m/s: of bound cloth, whose unknowns are changes, its own;
 * and of a mapped surface, the one that brings the vertex to where its points are. */
static vec3 given_velocity(const body *b, const contact_surface *surface, uint32_t vertex, double dt) {
    const ruga_map *map = surface->map;
    vec3 velocity = {0, 0, 0}, at = {0, 0, 0};
    if (!map && !b->given.bound) return velocity;
    for (size_t k = map ? map->offsets[vertex] : 0; k < (map ? map->offsets[vertex + 1] : 1); k++) {
        size_t point = map ? map->indices[k] : vertex;
        double weight = map ? map->weights[k] : 1;
        at = vec3_add_scaled(at, b->positions[point], weight);
        if (b->given.bound) velocity = vec3_add_scaled(velocity, b->velocities[point], weight);
    }
    return vec3_add_scaled(velocity, vec3_sub(at, surface->accepted[vertex]), 1 / dt);
}

/* A row for the common solve. 0 if it is not one: forces outside of it move a vertex, or a hold does the same. */
static int take_row(const world *w, contact_row *row, double dt, coupled_row *out) {
    const common_solve *c = &w->common;
    int moves = 0, holds = 0, is_kinematic = 0;
    *out = (coupled_row){.row = row};
    for (int i = 0; i < 4; i++) {
        uint32_t vertex = row->vertices[i], index = row->surfaces[i];
        /* Surfaces of contact's own colliders stand behind the world's, and are static. */
        const contact_surface *surface = index < w->surfaces.count ? w->surfaces.items[index] : NULL;
        out->members[i] = surface ? c->member_of.items[index] : COUPLED_NONE;
        out->vertices[i] = vertex;
        vec3 velocity = {0, 0, 0};
        if (out->members[i] != COUPLED_NONE) {
            moves = 1;
            holds |= is_held(surface, vertex);
            velocity = given_velocity(w->objects.items[c->objects.items[out->members[i]]].body, surface, vertex, dt);
        } else {
            is_kinematic = 1;
            if (!surface) continue;
            if (surface->inverse_masses && surface->inverse_masses[vertex] > 0) return 0;
            velocity = vec3_scale(vec3_sub(surface->candidate[vertex], surface->accepted[vertex]), 1 / dt);
        }
        double along = vec3_dot(row->normal, velocity);
        out->fixed[0] += row->weights[i] * along;
        for (int k = 0; k < 2; k++)
            out->fixed[k + 1] += row->weights[i] * vec3_dot(row->tangents[k], velocity) + row->turns[k][i] * along;
    }
    return moves && !(holds && is_kinematic);
}

/* Whether a vertex with a hold is a weighted sum of unknowns: then a row holds it. Others are held by their solve. */
static int needs_held_row(const ruga_map *vertices, const contact_surface *surface, size_t vertex) {
    if (!vertices || !is_held(surface, (uint32_t)vertex)) return 0;
    size_t begin = vertices->offsets[vertex];
    return vertices->offsets[vertex + 1] != begin + 1 || vertices->weights[begin] != 1;
}

/* A vertex that rests on a static or kinematic surface, as a row. */
static contact_row held_row(const contact_hold *hold) {
    vec3 n = hold->normal, axis = {fabs(n.x) < 0.6, fabs(n.x) >= 0.6, 0};
    contact_row row = {.normal = n, .weights = {1}, .friction = hold->grip};
    row.tangents[0] = vec3_normalise(vec3_cross(n, axis));
    row.tangents[1] = vec3_cross(n, row.tangents[0]);
    return row;
}

static void add_held_rows(world *w, size_t member, double dt) {
    common_solve *c = &w->common;
    const world_object *o = &w->objects.items[c->objects.items[member]];
    const contact_surface *surface = o->surface;
    const ruga_map *vertices = c->members.items[member].vertices;
    for (size_t v = 0; surface && surface->holds && vertices && v < surface->mesh->vertex_count; v++) {
        if (!needs_held_row(vertices, surface, v)) continue;
        const contact_hold *hold = &surface->holds[v];
        contact_row *row = &c->held.items[c->held.count++];
        *row = held_row(hold);
        vec3 given = vec3_sub(given_velocity(o->body, surface, (uint32_t)v, dt), hold->velocity);
        coupled_row *out = &c->rows.items[c->rows.count++];
        *out = (coupled_row){.row = row, .vertices = {(uint32_t)v}};
        for (int i = 0; i < 4; i++) out->members[i] = i == 0 ? (uint32_t)member : COUPLED_NONE;
        out->fixed[0] = vec3_dot(row->normal, given);
        for (int k = 0; k < 2; k++) out->fixed[k + 1] = vec3_dot(row->tangents[k], given);
    }
}

static ruga_status find_held_rows(world *w, double dt) {
    common_solve *c = &w->common;
    size_t count = 0;
    for (size_t m = 0; m < c->members.count; m++)
        if (c->members.items[m].vertices) count += c->members.items[m].vertices->rows;
    c->held.count = 0;
    TRY(ARRAY_RESERVE(w->context, &c->held, count));
    TRY(ARRAY_RESERVE(w->context, &c->rows, count));
    for (size_t m = 0; m < c->members.count; m++) add_held_rows(w, m, dt);
    return RUGA_OK;
}

static uint32_t find_group(uint32_t *groups, uint32_t m) {
    while (groups[m] != m) m = groups[m] = groups[groups[m]];
    return m;
}

static ruga_status find_groups(world *w) {
    common_solve *c = &w->common;
    c->groups.count = 0;
    TRY(ARRAY_RESERVE(w->context, &c->groups, c->members.count));
    for (uint32_t m = 0; m < c->members.count; m++) c->groups.items[m] = m;
    for (size_t r = 0; r < c->rows.count; r++) {
        uint32_t first = COUPLED_NONE;
        for (int i = 0; i < 4; i++) {
            uint32_t m = c->rows.items[r].members[i];
            if (m == COUPLED_NONE) continue;
            m = find_group(c->groups.items, m);
            if (first == COUPLED_NONE) first = m;
            /* The lower number is the group's. */
            uint32_t low = m < first ? m : first, high = m < first ? first : m;
            c->groups.items[high] = low;
            first = low;
        }
    }
    for (uint32_t m = 0; m < c->members.count; m++) c->groups.items[m] = find_group(c->groups.items, m);
    return RUGA_OK;
}

static ruga_status find_rows(world *w, const substep *s) {
    common_solve *c = &w->common;
    contact_row *rows = NULL;
    size_t count = 0;
    gather_surfaces(w, s);
    TRY(w->contact->interface->find_rows(w->contact, w->surfaces.items, w->surfaces.count, s->dt, &rows, &count));
    TRY(match_surfaces(w));
    c->rows.count = 0;
    TRY(ARRAY_RESERVE(w->context, &c->rows, count));
    for (size_t r = 0; r < count; r++)
        c->rows.count += (size_t)take_row(w, &rows[r], s->dt, &c->rows.items[c->rows.count]);
    TRY(find_held_rows(w, s->dt));
    return find_groups(w);
}

/* ---- Solving. */

static uint32_t group_of_row(const common_solve *c, const coupled_row *row) {
    for (int i = 0; i < 4; i++)
        if (row->members[i] != COUPLED_NONE) return c->groups.items[row->members[i]];
    return COUPLED_NONE;
}

static ruga_status solve_group(world *w, uint32_t group) {
    common_solve *c = &w->common;
    c->group.count = c->sorted.count = 0;
    for (uint32_t m = group; m < c->members.count; m++) {
        if (c->groups.items[m] != group) continue;
        c->place.items[m] = (uint32_t)c->group.count;
        c->group.items[c->group.count++] = c->members.items[m];
    }
    for (size_t r = 0; r < c->rows.count; r++) {
        if (group_of_row(c, &c->rows.items[r]) != group) continue;
        coupled_row *row = &c->sorted.items[c->sorted.count++];
        *row = c->rows.items[r];
        for (int i = 0; i < 4; i++)
            if (row->members[i] != COUPLED_NONE) row->members[i] = c->place.items[row->members[i]];
    }
    return coupled_solve(c->solver, c->group.items, c->group.count, c->sorted.items, c->sorted.count,
                         !w->contact->intersects);
}

static ruga_status solve_groups(world *w) {
    common_solve *c = &w->common;
    if (!c->solver) TRY(coupled_create(w->context, &c->solver));
    c->group.count = c->sorted.count = c->place.count = 0;
    TRY(ARRAY_RESERVE(w->context, &c->group, c->members.count));
    TRY(ARRAY_RESERVE(w->context, &c->place, c->members.count));
    TRY(ARRAY_RESERVE(w->context, &c->sorted, c->rows.count));
    for (uint32_t m = 0; m < c->members.count; m++)
        if (c->groups.items[m] == m)
            TRY(object_note(w, &w->objects.items[c->objects.items[m]], NULL, solve_group(w, m)));
    w->contact->interface->take_rows(w->contact);
    return RUGA_OK;
}

ruga_status predict_bodies(world *w, const substep *s) {
    common_solve *c = &w->common;
    TRY(begin_bodies(w, s));
    if (c->members.count == 0) return RUGA_OK;
    TRY(find_rows(w, s));
    TRY(solve_groups(w));
    for (size_t m = 0; m < c->members.count; m++) {
        world_object *o = &w->objects.items[c->objects.items[m]];
        TRY(object_note(w, o, NULL, o->body->interface->finish(o->body, s)));
    }
    return RUGA_OK;
}
