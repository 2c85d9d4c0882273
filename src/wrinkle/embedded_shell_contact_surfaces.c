/* Surfaces of other objects, which move in substeps beside the skin; and the state of contact. */
#include <math.h>

#include "contact/ccd.h"
#include "wrinkle/embedded_shell_contact.h"

#define NEAR_PART 0.5     /* of the reach: other surfaces that come nearer than that need substeps, */
#define SURFACE_STEP 0.25 /* of the reach each */
#define MOST_SURFACE_STEPS 50

/* ---- Other surfaces. */

static int has_surfaces(const other_surfaces *o, const ruga_shell_surface *surfaces, size_t count) {
    size_t first = 0;
    if (count != o->meshes.count) return 0;
    for (size_t k = 0; k < count; k++) {
        if (surfaces[k].mesh != o->meshes.items[k] || first != o->firsts.items[k]) return 0;
        first += surfaces[k].mesh->vertex_count;
    }
    return first == o->count;
}

/* Memory and places of other meshes than before; now: where the surfaces are, or were when the state was saved. */
static ruga_status take_surfaces(shell_contact *c, const ruga_shell_surface *surfaces, size_t count) {
    other_surfaces *o = &c->others;
    o->meshes.count = o->firsts.count = o->count = 0;
    for (size_t k = 0; k < count; k++) {
        TRY(ARRAY_ADD(c->context, &o->meshes, surfaces[k].mesh));
        TRY(ARRAY_ADD(c->context, &o->firsts, o->count));
        o->count += surfaces[k].mesh->vertex_count;
    }
    RELEASE_ALL(c->context, o->now, o->from, o->to, o->masses);
    o->now = o->from = o->to = NULL;
    o->masses = NULL;
    TRY(NEW_EACH(c->context, o->count, &o->now, &o->from, &o->to));
    TRY(NEW_ZEROED(c->context, &o->masses, o->count));
    const int is_remembered = o->count && o->remembered.count == o->count;
    for (size_t k = 0; k < count; k++)
        memcpy(o->now + o->firsts.items[k], surfaces[k].positions,
               surfaces[k].mesh->vertex_count * sizeof *surfaces[k].positions);
    if (is_remembered) memcpy(o->now, o->remembered.items, o->count * sizeof *o->now);
    o->remembered.count = 0;
    return shell_contact_build(c);
}

ruga_status ruga_embedded_shell_set_surfaces(ruga_embedded_shell *shell, const ruga_shell_surface *surfaces,
                                             size_t count) {
    shell_contact *c = shell->contact;
    if (!c) return RUGA_OK;
    for (size_t k = 0; k < count; k++)
        for (size_t v = 0; v < surfaces[k].mesh->vertex_count; v++)
            if (!vec3_is_finite(surfaces[k].positions[v]))
                return fail_input(shell->context, "shell: vertex %zu of surface %zu is not finite", v, k);
    if (!has_surfaces(&c->others, surfaces, count)) TRY(take_surfaces(c, surfaces, count));
    other_surfaces *o = &c->others;
    for (size_t k = 0; k < count; k++)
        memcpy(o->to + o->firsts.items[k], surfaces[k].positions,
               surfaces[k].mesh->vertex_count * sizeof *surfaces[k].positions);
    if (o->count) memcpy(o->from, o->now, o->count * sizeof *o->now);
    return RUGA_OK;
}

static int is_mixed(const shell_contact *c, const contact_pair *pair) {
    return barrier_pairs_is_own(&c->pairs, pair->vertices[0]) != barrier_pairs_is_own(&c->pairs, pair->vertices[3]);
}

/* The motion of a frame, without the mean motion of the carrier, which makes the search slow. */
static void gather_motion(const ruga_embedded_shell *shell, const vec3 *carrier) {
    const shell_contact *c = shell->contact;
    const contact_mesh *m = c->pairs.mesh;
    vec3 mean = {0, 0, 0};
    for (size_t v = 0; v < shell->count; v++)
        mean = vec3_add_scaled(mean, vec3_sub(carrier[v], shell->carrier[v]), 1 / (double)shell->count);
    for (size_t i = 0; i < m->vertex_count; i++) {
        m->from[i] = shell_contact_place(c, shell->x, c->others.now, i);
        const vec3 step = vec3_sub(shell_contact_place(c, carrier, c->others.to, i),
                                   shell_contact_place(c, shell->carrier, c->others.now, i));
        m->to[i] = vec3_add(m->from[i], vec3_sub(step, mean));
    }
}

int shell_contact_substeps(const ruga_embedded_shell *shell, const vec3 *carrier) {
    shell_contact *c = shell->contact;
    if (!c || !c->others.count) return 1;
    gather_motion(shell, carrier);
    if (RUGA_FAILED(shell_contact_search(c))) return 1; /* the solve will search again, and report it */
    double most = 0;
    for (size_t i = 0; i < c->pairs.pairs.count; i++) {
        const contact_pair *pair = &c->pairs.pairs.items[i];
        vec3 from[4], to[4], step = {0, 0, 0};
        double time = 1;
        barrier_pairs_trajectories(&c->pairs, pair, from, to);
        if (!is_mixed(c, pair) || !ccd_pair((pair_kind)pair->kind, from, to, NEAR_PART * c->pairs.reach, &time))
            continue;
        const pair_gap gap = gap_of((pair_kind)pair->kind, from);
        for (int k = 0; k < 4; k++) step = vec3_add_scaled(step, vec3_sub(to[k], from[k]), gap.weights[k]);
        most = fmax(most, vec3_length(step));
    }
    c->pairs.is_found = 0;
    return (int)fmin(MOST_SURFACE_STEPS, fmax(1, ceil(most / (SURFACE_STEP * c->pairs.reach))));
}

size_t shell_contact_move_surfaces(ruga_embedded_shell *shell, double part) {
    shell_contact *c = shell->contact;
    if (!c || !c->others.count) return 0;
    const contact_mesh *m = c->pairs.mesh;
    other_surfaces *o = &c->others;
    size_t count = 0;
    int moves = 0;
    shell_contact_gather(c, shell->x, m->from);
    for (size_t i = 0; i < o->count; i++) {
        const vec3 next = part < 1 ? vec3_add_scaled(o->from[i], vec3_sub(o->to[i], o->from[i]), part) : o->to[i];
        moves |= memcmp(&next, &o->now[i], sizeof next) != 0;
        o->now[i] = next;
    }
    if (!moves) return 0;
    shell_contact_gather(c, shell->x, m->to);
    const ruga_status status = shell_contact_search(c);
    shell_contact_note(c, status);
    if (RUGA_FAILED(status)) return 0;
    for (size_t i = 0; i < c->pairs.pairs.count; i++) {
        const contact_pair *pair = &c->pairs.pairs.items[i];
        vec3 from[4], to[4];
        double time = 1;
        barrier_pairs_trajectories(&c->pairs, pair, from, to);
        if (!is_mixed(c, pair) || !ccd_pair((pair_kind)pair->kind, from, to, 0, &time)) continue;
        for (int k = 0; k < 4; k++) {
            if (!barrier_pairs_is_own(&c->pairs, pair->vertices[k])) continue;
            unsigned char *passes = &c->pairs.passes[m->numbers[pair->vertices[k]]];
            count += !*passes;
            *passes = 1;
        }
    }
    c->pairs.is_found = 0;
    return count;
}

int shell_contact_has_surfaces(const ruga_embedded_shell *shell) {
    return shell->contact && shell->contact->others.count > 0;
}

void shell_contact_return_surfaces(ruga_embedded_shell *shell) {
    other_surfaces *o = shell->contact ? &shell->contact->others : NULL;
    if (o && o->count) memcpy(o->now, o->from, o->count * sizeof *o->now);
}

/* ---- State. */

void shell_contact_save(const ruga_embedded_shell *shell, state_writer *writer) {
    if (!shell->contact) return;
    state_put_bytes(writer, shell->contact->pairs.passes, shell->count);
    state_put_bytes(writer, shell->contact->inside, shell->count);
    const other_surfaces *o = &shell->contact->others;
    state_put_bytes(writer, o->now, o->count * sizeof *o->now);
}

static ruga_status load_marks(state_reader *reader, size_t count, ruga_context *context, unsigned char *out) {
    const void *bytes;
    size_t size;
    TRY(state_get_bytes(reader, &bytes, &size));
    if (size != count) return fail_input(context, "shell: the saved state is damaged");
    for (size_t v = 0; v < count; v++) out[v] = ((const unsigned char *)bytes)[v] != 0;
    return RUGA_OK;
}

/* Where the other surfaces were: the next frame moves them from there. */
static ruga_status load_others(state_reader *reader, shell_contact *c) {
    other_surfaces *o = &c->others;
    const void *bytes;
    size_t size;
    TRY(state_get_bytes(reader, &bytes, &size));
    const size_t count = size / sizeof *o->now;
    o->remembered.count = 0;
    TRY(ARRAY_RESERVE(c->context, &o->remembered, count + 1));
    memcpy(o->remembered.items, bytes, count * sizeof *o->now);
    for (size_t i = 0; i < count; i++)
        if (!vec3_is_finite(o->remembered.items[i])) return fail_input(c->context, "shell: the saved state is damaged");
    o->remembered.count = count;
    if (count && count == o->count) memcpy(o->now, o->remembered.items, count * sizeof *o->now);
    return RUGA_OK;
}

ruga_status shell_contact_load(ruga_embedded_shell *shell, state_reader *reader) {
    shell_yield_none(shell);
    if (!shell->contact) return RUGA_OK;
    shell_contact_forget(shell);
    TRY(load_marks(reader, shell->count, shell->context, shell->contact->pairs.passes));
    TRY(load_marks(reader, shell->count, shell->context, shell->contact->inside));
    return load_others(reader, shell->contact);
}
