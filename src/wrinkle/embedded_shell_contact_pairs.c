/* The contact mesh of a skin and the surfaces of other objects, and the search for pairs and intersections. */
#include <math.h>

#include "base/threads.h"
#include "mesh/mesh.h"
#include "wrinkle/embedded_shell_contact.h"

/* ---- Making. */

/* Triangles that have a point in common at rest do not collide, nor do vertices without a triangle. */
static ruga_status mask_intersections(ruga_embedded_shell *shell, shell_contact *c) {
    const ruga_mesh *mesh = shell->mesh;
    for (size_t v = 0; v < shell->count; v++) c->collides[v] = shell->areas[v] > 0;
    return barrier_pairs_mask(&c->pairs, mesh, c->collides);
}

static double mean_thickness(const ruga_embedded_shell *shell) {
    double sum = 0, area = 0;
    for (size_t v = 0; v < shell->count; v++) {
        sum += shell->areas[v] * shell->thickness[v];
        area += shell->areas[v];
    }
    return sum / area;
}

/* Of the skin and the other surfaces. */
static ruga_status make_mesh(shell_contact *c, contact_surface *given, contact_surface **surfaces) {
    const other_surfaces *o = &c->others;
    surfaces[0] = &c->surface;
    for (size_t k = 0; k < o->meshes.count; k++) {
        const size_t first = o->firsts.items[k];
        given[k] = (contact_surface){.name = "obstacle",
                                     .mesh = o->meshes.items[k],
                                     .accepted = o->now + first,
                                     .candidate = o->now + first,
                                     .inverse_masses = o->masses + first};
        surfaces[1 + k] = &given[k];
    }
    return barrier_pairs_take(&c->pairs, surfaces, 1 + o->meshes.count);
}

ruga_status shell_contact_build(shell_contact *c) {
    contact_surface *given = NULL, **surfaces = NULL;
    ruga_status status = NEW(c->context, &given, c->others.meshes.count + 1);
    if (!RUGA_FAILED(status)) status = NEW(c->context, &surfaces, c->others.meshes.count + 1);
    if (!RUGA_FAILED(status)) status = make_mesh(c, given, surfaces);
    RELEASE_ALL(c->context, given, surfaces);
    return status;
}

static ruga_status make(ruga_embedded_shell *shell, shell_contact *c) {
    ruga_context *context = shell->context;
    TRY(NEW(context, &c->collides, shell->count));
    TRY(NEW(context, &c->masses, shell->count));
    TRY(NEW_ZEROED(context, &c->inside, shell->count));
    const double reach = fmin(mean_thickness(shell), BARRIER_EDGE_PART * shell->mean_edge);
    TRY(barrier_pairs_init(context, shell->count, reach, &c->pairs));
    TRY(mask_intersections(shell, c));
    for (size_t v = 0; v < shell->count; v++) c->masses[v] = 1;
    c->surface = (contact_surface){.name = "skin",
                                   .mesh = shell->mesh,
                                   .accepted = shell->mesh->positions,
                                   .candidate = shell->x,
                                   .inverse_masses = c->masses,
                                   .collides = c->collides,
                                   .thickness = reach,
                                   .rest_part = BARRIER_REST_PART,
                                   .self = 1};
    return shell_contact_build(c);
}

ruga_status shell_contact_create(ruga_embedded_shell *shell, shell_contact **out) {
    shell_contact *c;
    TRY(NEW_ZEROED(shell->context, &c, 1));
    c->context = shell->context;
    RETURN_MADE(make(shell, c), c, out, shell_contact_destroy(c));
}

void shell_contact_destroy(shell_contact *c) {
    if (!c) return;
    barrier_pairs_release(&c->pairs);
    RELEASE_ALL(c->context, c->others.meshes.items, c->others.firsts.items, c->others.now, c->others.from, c->others.to,
                c->others.masses, c->others.remembered.items);
    RELEASE_ALL(c->context, c->collides, c->inside, c->masses, c->terms.items, c);
}

void ruga_embedded_shell_set_obstacle(ruga_embedded_shell *shell, ruga_shell_obstacle *distance, void *user) {
    if (!shell->contact) return;
    shell->contact->obstacle = distance;
    shell->contact->user = user;
}

/* ---- Pairs. */

void shell_contact_gather(const shell_contact *c, const vec3 *x, vec3 *out) {
    for (size_t i = 0; i < c->pairs.mesh->vertex_count; i++) out[i] = shell_contact_place(c, x, c->others.now, i);
}

ruga_status shell_contact_search(shell_contact *c) {
    c->terms.count = 0;
    TRY(barrier_pairs_search(&c->pairs));
    return ARRAY_RESERVE(c->context, &c->terms, c->pairs.pairs.count + c->pairs.mesh->vertex_count);
}

ruga_status shell_contact_find(shell_contact *c) {
    return barrier_pairs_cover(&c->pairs) ? RUGA_OK : shell_contact_search(c);
}

void shell_contact_note(shell_contact *c, ruga_status status) {
    if (RUGA_FAILED(status) && !RUGA_FAILED(c->status)) c->status = status;
}

void shell_contact_forget(ruga_embedded_shell *shell) {
    if (!shell->contact) return;
    shell->contact->pairs.is_found = 0;
    shell->contact->status = RUGA_OK;
}

ruga_status shell_contact_status(const ruga_embedded_shell *shell) {
    return shell->contact ? shell->contact->status : RUGA_OK;
}

/* ---- Intersections. */

/* Triangles that intersect at x. */
static ruga_status find_crossings(shell_contact *c, const vec3 *x) {
    shell_contact_gather(c, x, c->pairs.mesh->to);
    return barrier_pairs_find_crossings(&c->pairs);
}

int shell_contact_is_free(const ruga_embedded_shell *shell, const vec3 *x) {
    shell_contact *c = shell->contact;
    if (!c) return 1;
    for (size_t i = 0; c->obstacle && i < barrier_pairs_own_count(&c->pairs); i++) {
        const uint32_t v = c->pairs.mesh->numbers[i];
        vec3 normal;
        if (!c->inside[v] && !(c->obstacle(c->user, x[v], &normal) > 0)) return 0;
    }
    const ruga_status status = find_crossings(c, x);
    shell_contact_note(c, status);
    for (size_t i = 0; i < c->pairs.crossings.count; i++)
        if (!barrier_pairs_mark_crossing(&c->pairs, i, c->pairs.passes, 0)) return 0;
    return !RUGA_FAILED(status);
}

size_t shell_contact_ignore_penetrating(ruga_embedded_shell *shell, const vec3 *x) {
    shell_contact *c = shell->contact;
    size_t count = 0;
    vec3 normal;
    if (!c) return 0;
    memset(c->pairs.passes, 0, shell->count);
    memset(c->inside, 0, shell->count);
    c->pairs.is_found = 0;
    if (!x) return 0;
    const ruga_status status = find_crossings(c, x);
    shell_contact_note(c, status);
    for (size_t i = 0; i < c->pairs.crossings.count; i++) barrier_pairs_mark_crossing(&c->pairs, i, c->pairs.passes, 1);
    for (size_t v = 0; v < shell->count; v++) {
        c->inside[v] = c->obstacle && c->collides[v] && !(c->obstacle(c->user, x[v], &normal) > 0);
        count += c->pairs.passes[v] || c->inside[v];
    }
    return count;
}
