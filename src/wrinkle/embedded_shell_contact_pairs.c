/* The contact mesh of a skin and the surfaces of other objects, and the search for pairs and intersections. */
#include <math.h>

#include "base/threads.h"
#include "mesh/mesh.h"
#include "wrinkle/embedded_shell_contact.h"

#define EDGE_PART 0.5 /* of the mean edge: the most that the reach can be */
#define REST_PART 0.5 /* of the distance at rest */
#define MARGIN 1.5    /* of the reach: within it pairs are searched for */

/* ---- Making. */

/* Triangles that have a point in common at rest do not collide, nor do vertices without a triangle. */
static ruga_status mask_intersections(ruga_embedded_shell *shell, shell_contact *c) {
    const ruga_mesh *mesh = shell->mesh;
    for (size_t v = 0; v < shell->count; v++) c->collides[v] = shell->areas[v] > 0;
    TRY(intersections_find(c->context, mesh->vertex_count, mesh->positions, mesh->triangle_count, mesh->triangles, NULL,
                           NULL, &c->crossings));
    for (size_t i = 0; i < c->crossings.count; i++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++)
                c->collides[mesh->triangles[3 * (size_t)c->crossings.items[i].triangles[side] + (size_t)k]] = 0;
    return RUGA_OK;
}

static double mean_thickness(const ruga_embedded_shell *shell) {
    double sum = 0, area = 0;
    for (size_t v = 0; v < shell->count; v++) {
        sum += shell->areas[v] * shell->thickness[v];
        area += shell->areas[v];
    }
    return sum / area;
}

static void release_mesh(shell_contact *c) {
    broad_destroy(c->broad);
    bvh_destroy(c->tree);
    contact_mesh_destroy(c->mesh);
    RELEASE_ALL(c->context, c->found[0], c->found[1]);
    c->broad = NULL;
    c->tree = NULL;
    c->mesh = NULL;
    c->found[0] = c->found[1] = NULL;
    c->is_found = 0;
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
    TRY(contact_mesh_create(c->context, surfaces, 1 + o->meshes.count, &c->mesh));
    TRY(NEW_EACH(c->context, c->mesh->vertex_count, &c->found[0], &c->found[1]));
    TRY(broad_create(c->mesh, NULL, 0, &c->broad));
    return bvh_build(c->context, c->mesh->vertex_count, c->mesh->from, c->mesh->triangle_count, 3, c->mesh->triangles,
                     &c->tree);
}

ruga_status shell_contact_build(shell_contact *c) {
    contact_surface *given = NULL, **surfaces = NULL;
    release_mesh(c);
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
    TRY(NEW_ZEROED(context, &c->passes, shell->count));
    TRY(mask_intersections(shell, c));
    for (size_t v = 0; v < shell->count; v++) c->masses[v] = 1;
    c->reach = fmin(mean_thickness(shell), EDGE_PART * shell->mean_edge);
    c->surface = (contact_surface){.name = "skin",
                                   .mesh = shell->mesh,
                                   .accepted = shell->mesh->positions,
                                   .candidate = shell->x,
                                   .inverse_masses = c->masses,
                                   .collides = c->collides,
                                   .thickness = c->reach,
                                   .rest_part = REST_PART,
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
    release_mesh(c);
    RELEASE_ALL(c->context, c->others.meshes.items, c->others.firsts.items, c->others.now, c->others.from, c->others.to,
                c->others.masses, c->others.remembered.items);
    RELEASE_ALL(c->context, c->collides, c->passes, c->inside, c->masses, c->pairs.items, c->reaches.items,
                c->terms.items, c->values.items, c->crossings.items, c);
}

void ruga_embedded_shell_set_obstacle(ruga_embedded_shell *shell, ruga_shell_obstacle *distance, void *user) {
    if (!shell->contact) return;
    shell->contact->obstacle = distance;
    shell->contact->user = user;
}

/* ---- Pairs. */

void shell_contact_gather(const shell_contact *c, const vec3 *x, vec3 *out) {
    for (size_t i = 0; i < c->mesh->vertex_count; i++) out[i] = shell_contact_place(c, x, c->others.now, i);
}

static int is_within(size_t count, const vec3 *a, const vec3 *b, double distance) {
    for (size_t i = 0; i < count; i++)
        if (!(vec3_length2(vec3_sub(a[i], b[i])) <= distance * distance)) return 0;
    return 1;
}

/* Whether the pairs that were found include all within the reach at these positions. */
static int is_covered(const shell_contact *c, const vec3 *positions) {
    const double slack = 0.499 * (MARGIN - 1) * c->reach;
    return c->is_found && (is_within(c->mesh->vertex_count, positions, c->found[0], slack) ||
                           is_within(c->mesh->vertex_count, positions, c->found[1], slack));
}

/* Whether a pair comes within its reach anywhere on the trajectories, or as far beside them as pairs are used. */
static int can_touch(const shell_contact *c, const contact_pair *pair, double reach) {
    const contact_mesh *m = c->mesh;
    vec3 from[4], moved[4];
    double turned = 0;
    for (int k = 0; k < 4; k++) {
        from[k] = m->from[pair->vertices[k]];
        moved[k] = vec3_sub(m->to[pair->vertices[k]], from[k]);
        turned = fmax(turned, vec3_distance(moved[k], moved[0]));
    }
    return !(gap_of((pair_kind)pair->kind, from).distance > reach + (MARGIN - 1) * c->reach + 2 * turned);
}

/* -1: the pair can't touch, as most neighbours on a fine mesh, whose reach is short. */
static void measure_reaches(void *argument, size_t begin, size_t end) {
    shell_contact *c = argument;
    for (size_t i = begin; i < end; i++) {
        const double reach = pair_thickness(c->mesh, &c->pairs.items[i]);
        c->reaches.items[i] = can_touch(c, &c->pairs.items[i], reach) ? reach : -1;
    }
}

static int pair_passes(const shell_contact *c, const contact_pair *pair) {
    int any = 0;
    for (int k = 0; k < 4; k++)
        any |= shell_contact_is_skin(c, pair->vertices[k]) && c->passes[c->mesh->numbers[pair->vertices[k]]];
    return any;
}

ruga_status shell_contact_search(shell_contact *c) {
    const contact_mesh *m = c->mesh;
    c->is_found = 0;
    c->pairs.count = 0; /* on failure there are none */
    TRY(broad_find(c->broad, m->from, m->to, MARGIN * c->reach, &c->pairs));
    c->reaches.count = 0;
    TRY(ARRAY_RESERVE(c->context, &c->reaches, c->pairs.count));
    parallel_for(c->context, c->pairs.count, SHELL_PAIR_BLOCK, measure_reaches, c);
    size_t kept = 0;
    for (size_t i = 0; i < c->pairs.count; i++) {
        if (c->reaches.items[i] < 0 || pair_passes(c, &c->pairs.items[i])) continue;
        c->reaches.items[kept] = c->reaches.items[i];
        c->pairs.items[kept++] = c->pairs.items[i];
    }
    c->pairs.count = kept;
    c->terms.count = c->values.count = 0;
    TRY(ARRAY_RESERVE(c->context, &c->terms, c->pairs.count + m->vertex_count));
    TRY(ARRAY_RESERVE(c->context, &c->values, c->pairs.count));
    if (m->vertex_count) {
        memcpy(c->found[0], m->from, m->vertex_count * sizeof *m->from);
        memcpy(c->found[1], m->to, m->vertex_count * sizeof *m->to);
    }
    c->is_found = 1;
    return RUGA_OK;
}

ruga_status shell_contact_find(shell_contact *c) {
    return is_covered(c, c->mesh->from) && is_covered(c, c->mesh->to) ? RUGA_OK : shell_contact_search(c);
}

void shell_contact_note(shell_contact *c, ruga_status status) {
    if (RUGA_FAILED(status) && !RUGA_FAILED(c->status)) c->status = status;
}

void shell_contact_forget(ruga_embedded_shell *shell) {
    if (!shell->contact) return;
    shell->contact->is_found = 0;
    shell->contact->status = RUGA_OK;
}

ruga_status shell_contact_status(const ruga_embedded_shell *shell) {
    return shell->contact ? shell->contact->status : RUGA_OK;
}

/* ---- Intersections. */

/* Triangles that intersect at x. */
static ruga_status find_crossings(shell_contact *c, const vec3 *x) {
    shell_contact_gather(c, x, c->mesh->to);
    TRY(bvh_refit(c->tree, c->mesh->to, NULL, 0));
    return intersections_find(c->context, c->mesh->vertex_count, c->mesh->to, c->mesh->triangle_count,
                              c->mesh->triangles, NULL, c->tree, &c->crossings);
}

/* Marks the corners of the two triangles of an intersection that belong to the skin, (count); returns whether one was
 * marked before. Two triangles of other surfaces do not matter: they count as marked. */
static int mark_crossing(const shell_contact *c, size_t i, unsigned char *marks, int is_set) {
    int skin = 0, marked = 0;
    for (size_t k = 0; k < 6; k++) {
        const uint32_t v = c->mesh->triangles[3 * (size_t)c->crossings.items[i].triangles[k / 3] + k % 3];
        if (!shell_contact_is_skin(c, v)) continue;
        skin = 1;
        marked |= marks[c->mesh->numbers[v]];
        if (is_set) marks[c->mesh->numbers[v]] = 1;
    }
    return marked || !skin;
}

int shell_contact_is_free(const ruga_embedded_shell *shell, const vec3 *x) {
    shell_contact *c = shell->contact;
    if (!c) return 1;
    for (size_t i = 0; c->obstacle && i < shell_contact_skin_count(c); i++) {
        const uint32_t v = c->mesh->numbers[i];
        vec3 normal;
        if (!c->inside[v] && !(c->obstacle(c->user, x[v], &normal) > 0)) return 0;
    }
    const ruga_status status = find_crossings(c, x);
    shell_contact_note(c, status);
    for (size_t i = 0; i < c->crossings.count; i++)
        if (!mark_crossing(c, i, c->passes, 0)) return 0;
    return !RUGA_FAILED(status);
}

size_t shell_contact_ignore_penetrating(ruga_embedded_shell *shell, const vec3 *x) {
    shell_contact *c = shell->contact;
    size_t count = 0;
    vec3 normal;
    if (!c) return 0;
    memset(c->passes, 0, shell->count);
    memset(c->inside, 0, shell->count);
    c->is_found = 0;
    if (!x) return 0;
    const ruga_status status = find_crossings(c, x);
    shell_contact_note(c, status);
    for (size_t i = 0; i < c->crossings.count; i++) mark_crossing(c, i, c->passes, 1);
    for (size_t v = 0; v < shell->count; v++) {
        c->inside[v] = c->obstacle && c->collides[v] && !(c->obstacle(c->user, x[v], &normal) > 0);
        count += c->passes[v] || c->inside[v];
    }
    return count;
}
