/* The rounds of repulsion: Gauss-Seidel over rows with impulses that add up.
 *
 *     find        rows: pairs within their thickness, vertices at planes, each with its geometry at the start
 *     recall      impulses of the last substep, so that what rests is at rest at once
 *     rounds      each row in turn: the normal impulse that brings its approach to the target, never pulling; then the slip impulse
 *                 that ends the slip, within Coulomb's cone. Rows whose vertices did not change are passed over
 *     keep        impulses for the next substep
 *
 * Friction at rest and sliding: a row is held by friction at rest until that does not suffice. Whether it does is asked
 * once, when the impulses have settled, so that a row whose normal impulse is still growing does not let go.
 *
 * Energy: with targets of zero, a visit to a row is a step down of the kinetic energy, as a function of the row's impulses, so the
 * rounds add none. The impulses recalled might: they are then scaled to where the energy is least.
 */
#include "contact/repulsion.h"

#include <string.h>

#include "base/threads.h"
#include "contact/repulsion_parts.h"

enum { ROW_BLOCK = 256, VERTEX_BLOCK = 4096 };
/* When a vertex changed last: never, too little to count, before the rounds, in a round. */
enum { UNCHANGED = 0, HARDLY_CHANGED = 1, FIRST_ROUND = 3 };
#define SETTLED 1e-6 /* of the greatest thickness in a substep: changes of velocity below this are none */

/* ---- Making. */

static ruga_status check_law(ruga_context *context, const repulsion_law *law) {
    if (!(law->spring >= 0 && law->spring <= 1))
        return fail_with(context, RUGA_ERROR_INPUT,
                         "contact: the part of an overlap that a substep removes is %g; it must be from 0 to 1",
                         law->spring);
    if (!(law->static_ratio >= 1) || !isfinite(law->static_ratio))
        return fail_with(context, RUGA_ERROR_INPUT,
                         "contact: friction at rest is %g of that of sliding; it must be finite and at least 1",
                         law->static_ratio);
    if (law->rounds < 1)
        return fail_with(context, RUGA_ERROR_INPUT, "contact: there are %d rounds of repulsion; give at least 1",
                         law->rounds);
    for (size_t i = 0; i < law->plane_count; i++)
        if (law->planes[i].kind != COLLIDER_PLANE)
            return fail_with(context, RUGA_ERROR_INPUT,
                             "contact: collider %zu of %zu is not a plane; give others as meshes", i, law->plane_count);
    return RUGA_OK;
}

ruga_status repulsion_create(ruga_context *context, const repulsion_law *law, repulsion **out) {
    TRY(check_law(context, law));
    repulsion *r = ALLOCATE_ZEROED(context, repulsion, 1);
    collider *planes = memory_copy(context, law->planes, law->plane_count, sizeof *planes);
    if (!r || !planes) {
        memory_release(context, r);
        memory_release(context, planes);
        return fail_memory(context, sizeof *r + law->plane_count * sizeof *planes);
    }
    r->context = context;
    r->law = *law;
    r->law.planes = planes;
    *out = r;
    return RUGA_OK;
}

void repulsion_destroy(repulsion *r) {
    if (!r) return;
    ruga_context *context = r->context;
    ARRAY_RELEASE(context, &r->past);
    ARRAY_RELEASE(context, &r->next);
    ARRAY_RELEASE(context, &r->touches);
    ARRAY_RELEASE(context, &r->rows);
    ARRAY_RELEASE(context, &r->plane_rows);
    ARRAY_RELEASE(context, &r->flags);
    ARRAY_RELEASE(context, &r->vertices);
    ARRAY_RELEASE(context, &r->changed);
    ARRAY_RELEASE(context, &r->impulses);
    memory_release(context, (void *)r->law.planes);
    memory_release(context, r);
}

/* ---- Rows and vertices of this substep. */

typedef struct repulsion_task {
    repulsion *r;
    contact_mesh *mesh;
    const contact_pairs *pairs;
    double dt;
} repulsion_task;

static void make_rows(void *argument, size_t begin, size_t end) {
    const repulsion_task *task = argument;
    repulsion *r = task->r;
    for (size_t i = begin; i < end; i++) {
        const touch *t = r->touches.items + i;
        r->rows.items[i] = row_of(r, task->mesh, task->pairs->items + t->pair, t, task->dt);
    }
}

static void take_vertices(void *argument, size_t begin, size_t end) {
    const repulsion_task *task = argument;
    const contact_mesh *m = task->mesh;
    for (size_t i = begin; i < end; i++) {
        vec3 velocity = vec3_scale(vec3_sub(m->to[i], m->from[i]), 1 / task->dt);
        task->r->vertices.items[i] = (moving_vertex){velocity, m->inverse_masses[i]};
        task->r->changed.items[i] = UNCHANGED;
    }
}

/* Only those whose velocity a row changed. */
static void give_vertices(void *argument, size_t begin, size_t end) {
    const repulsion_task *task = argument;
    const repulsion *r = task->r;
    for (size_t i = begin; i < end; i++)
        if (r->changed.items[i] != UNCHANGED && r->vertices.items[i].inverse_mass > 0)
            task->mesh->to[i] = vec3_add_scaled(task->mesh->from[i], r->vertices.items[i].velocity, task->dt);
}

static ruga_status find_rows(repulsion *r, const repulsion_task *task, const unsigned char *ignored) {
    size_t vertex_count = task->mesh->vertex_count;
    TRY(find_touches(r, task->mesh, task->pairs, ignored));
    TRY(find_plane_rows(r, task->mesh, task->dt));
    r->rows.count = r->next.count = r->vertices.count = r->changed.count = r->impulses.count = 0;
    TRY(ARRAY_RESERVE(r->context, &r->rows, r->touches.count));
    TRY(ARRAY_RESERVE(r->context, &r->next, r->touches.count + r->plane_rows.count));
    TRY(ARRAY_RESERVE(r->context, &r->vertices, vertex_count));
    TRY(ARRAY_RESERVE(r->context, &r->changed, vertex_count));
    TRY(ARRAY_RESERVE(r->context, &r->impulses, vertex_count));
    r->rows.count = r->touches.count;
    return RUGA_OK;
}

/* ---- Impulses of the last substep. */

static void add_row_impulses(const pair_row *row, vec3 *impulses) {
    const double *slip = row->slip_impulse;
    vec3 whole = vec3_scale(row->normal, row->impulse);
    for (int k = 0; k < 2; k++) whole = vec3_add_scaled(whole, row->tangents[k], slip[k]);
    for (int i = 0; i < 4; i++) {
        vec3 *impulse = impulses + row->vertices[i];
        double turn = row->turns[0][i] * slip[0] + row->turns[1][i] * slip[1];
        *impulse = vec3_add_scaled(vec3_add_scaled(*impulse, whole, row->weights[i]), row->normal, turn);
    }
}

/* Sums up the impulses of all rows; returns what they do along the present motion, beyond what targets ask, J: the energy falls by
 * that, at first. */
static double sum_impulses(repulsion *r) {
    double gain = 0;
    for (size_t i = 0; i < r->rows.count; i++) {
        const pair_row *row = r->rows.items + i;
        if (!(row->impulse > 0)) continue;
        double approach, slip[2];
        row_motion(row, r->vertices.items, &approach, slip);
        gain +=
            row->impulse * (row->target - approach) - row->slip_impulse[0] * slip[0] - row->slip_impulse[1] * slip[1];
        add_row_impulses(row, r->impulses.items);
    }
    for (size_t i = 0; i < r->plane_rows.count; i++) {
        const plane_row *row = r->plane_rows.items + i;
        vec3 v = r->vertices.items[row->vertex].velocity, normal = r->law.planes[row->plane].axes[1];
        vec3 whole = vec3_add_scaled(row->slip_impulse, normal, row->impulse);
        gain += row->impulse * row->target - vec3_dot(whole, v);
        r->impulses.items[row->vertex] = vec3_add(r->impulses.items[row->vertex], whole);
    }
    return gain;
}

static void scale_rows(repulsion *r, double scale) {
    for (size_t i = 0; i < r->rows.count; i++) {
        pair_row *row = r->rows.items + i;
        row->impulse *= scale;
        for (int k = 0; k < 2; k++) row->slip_impulse[k] *= scale;
    }
    for (size_t i = 0; i < r->plane_rows.count; i++) {
        plane_row *row = r->plane_rows.items + i;
        row->impulse *= scale;
        row->slip_impulse = vec3_scale(row->slip_impulse, scale);
    }
}

/* Applies what the rows recall. Along the way to it the energy is a parabola: where that has gone up at the end, the rows
 * go to its bottom only. */
static void start_warm(repulsion *r, size_t vertex_count) {
    double cost = 0, scale = 1;
    memset(r->impulses.items, 0, vertex_count * sizeof *r->impulses.items);
    double gain = sum_impulses(r);
    for (size_t i = 0; i < vertex_count; i++)
        cost += r->vertices.items[i].inverse_mass * vec3_length2(r->impulses.items[i]);
    if (!(cost > 0)) return;
    if (!(gain >= cost / 2)) {
        scale = fmax(gain, 0) / cost;
        scale_rows(r, scale);
    }
    for (size_t i = 0; i < vertex_count; i++) {
        moving_vertex *v = r->vertices.items + i;
        vec3 impulse = r->impulses.items[i];
        if (v->inverse_mass == 0 || vec3_length2(impulse) == 0) continue;
        v->velocity = vec3_add_scaled(v->velocity, impulse, scale * v->inverse_mass);
        r->changed.items[i] = HARDLY_CHANGED;
    }
}

/* ---- Rounds. A visit returns how much it changed approach and slip, m/s. */

static double visit_row(pair_row *row, moving_vertex *vertices) {
    moving_vertex *v[4];
    double approach, slip[2], turn[2] = {0, 0};
    for (int i = 0; i < 4; i++) v[i] = vertices + row->vertices[i];
    row_motion(row, vertices, &approach, slip);

    /* Along the normal; it changes the slip through the turning. */
    double impulse = row->impulse + row->normal_mass * (row->target - approach);
    if (!(impulse > 0)) impulse = 0;
    double push = impulse - row->impulse;
    for (int i = 0; i < 4; i++) {
        double change = v[i]->inverse_mass * row->weights[i] * push;
        turn[0] += row->turns[0][i] * change;
        turn[1] += row->turns[1][i] * change;
    }

    double next[2], rub[2], most = row->limit * impulse;
    for (int k = 0; k < 2; k++) next[k] = row->slip_impulse[k] - row->slip_mass * (slip[k] + turn[k]);
    double size2 = next[0] * next[0] + next[1] * next[1];
    double scale = size2 > most * most ? most / sqrt(size2) : 1;
    for (int k = 0; k < 2; k++) rub[k] = next[k] * scale - row->slip_impulse[k];

    vec3 whole = vec3_scale(row->normal, push);
    for (int k = 0; k < 2; k++) whole = vec3_add_scaled(whole, row->tangents[k], rub[k]);
    for (int i = 0; i < 4; i++) {
        double along = row->turns[0][i] * rub[0] + row->turns[1][i] * rub[1], m = v[i]->inverse_mass;
        v[i]->velocity = vec3_add_scaled(v[i]->velocity, whole, m * row->weights[i]);
        v[i]->velocity = vec3_add_scaled(v[i]->velocity, row->normal, m * along);
    }
    row->impulse = impulse;
    for (int k = 0; k < 2; k++) row->slip_impulse[k] += rub[k];
    return (fabs(push) + fabs(rub[0]) + fabs(rub[1])) / row->normal_mass;
}

static double visit_plane_row(const repulsion *r, plane_row *row, moving_vertex *vertices) {
    moving_vertex *v = vertices + row->vertex;
    vec3 normal = r->law.planes[row->plane].axes[1];
    double mass = 1 / v->inverse_mass, approach = vec3_dot(normal, v->velocity);
    double impulse = fmax(row->impulse + mass * (row->target - approach), 0);
    double push = impulse - row->impulse, most = row->limit * impulse;
    vec3 slip = vec3_add_scaled(v->velocity, normal, -approach);
    vec3 next = vec3_add_scaled(row->slip_impulse, slip, -mass);
    double size = vec3_length(next);
    if (size > most) next = vec3_scale(next, most / size);
    vec3 whole = vec3_add_scaled(vec3_sub(next, row->slip_impulse), normal, push);
    v->velocity = vec3_add_scaled(v->velocity, whole, v->inverse_mass);
    row->impulse = impulse;
    row->slip_impulse = next;
    return vec3_length(whole) * v->inverse_mass;
}

/* Whether a vertex changed in this round or the one before; in the first round all did. */
static int is_stirred(const repulsion *r, const uint32_t *vertices, int count, uint32_t round) {
    int stirred = round == FIRST_ROUND;
    for (int k = 0; k < count; k++) stirred |= r->changed.items[vertices[k]] + 1 >= round;
    return stirred;
}

static void mark_changed(repulsion *r, const uint32_t *vertices, int count, uint32_t round) {
    for (int k = 0; k < count; k++) {
        uint32_t *changed = r->changed.items + vertices[k];
        *changed = *changed > round ? *changed : round;
    }
}

/* Returns the greatest change, m/s. */
static double sweep(repulsion *r, uint32_t round, double settled) {
    double greatest = 0;
    for (size_t i = 0; i < r->rows.count; i++) {
        pair_row *row = r->rows.items + i;
        if (row->normal_mass == 0 || !is_stirred(r, row->vertices, 4, round)) continue;
        double change = visit_row(row, r->vertices.items);
        greatest = change > greatest ? change : greatest;
        if (change > 0) mark_changed(r, row->vertices, 4, change > settled ? round : HARDLY_CHANGED);
    }
    for (size_t i = 0; i < r->plane_rows.count; i++) {
        plane_row *row = r->plane_rows.items + i;
        if (!is_stirred(r, &row->vertex, 1, round)) continue;
        double change = visit_plane_row(r, row, r->vertices.items);
        greatest = change > greatest ? change : greatest;
        if (change > 0) mark_changed(r, &row->vertex, 1, change > settled ? round : HARDLY_CHANGED);
    }
    return greatest;
}

/* Rows that friction at rest does not hold get that of sliding; returns whether there are any. */
static int let_go(repulsion *r, uint32_t round) {
    int is_any = 0;
    for (size_t i = 0; i < r->rows.count; i++) {
        pair_row *row = r->rows.items + i;
        if (row->limit <= row->friction || !row_slides(row)) continue;
        row->limit = row->friction;
        mark_changed(r, row->vertices, 4, round);
        is_any = 1;
    }
    for (size_t i = 0; i < r->plane_rows.count; i++) {
        plane_row *row = r->plane_rows.items + i;
        if (row->limit <= row->friction || !plane_row_slides(row)) continue;
        row->limit = row->friction;
        mark_changed(r, &row->vertex, 1, round);
        is_any = 1;
    }
    return is_any;
}

static void run_rounds(repulsion *r, double settled) {
    uint32_t end = FIRST_ROUND + (uint32_t)r->law.rounds, ask = FIRST_ROUND + (uint32_t)(r->law.rounds - 1) / 2;
    int asked = 0;
    for (uint32_t round = FIRST_ROUND; round < end; round++) {
        int is_settled = sweep(r, round, settled) <= settled;
        if (!asked && (is_settled || round >= ask)) {
            asked = 1;
            if (let_go(r, round)) continue;
        }
        if (is_settled) return;
    }
}

static double greatest_thickness(const contact_mesh *m) {
    double greatest = 0;
    for (size_t i = 0; i < m->part_count; i++) greatest = fmax(greatest, m->parts[i].thickness);
    return greatest;
}

ruga_status repulsion_apply(repulsion *r, contact_mesh *m, const contact_pairs *pairs, const unsigned char *ignored,
                            double dt, size_t *touching) {
    repulsion_task task = {r, m, pairs, dt};
    TRY(find_rows(r, &task, ignored));
    match_touches(r, pairs);
    parallel_for(r->context, r->rows.count, ROW_BLOCK, make_rows, &task);
    parallel_for(r->context, m->vertex_count, VERTEX_BLOCK, take_vertices, &task);
    recall_rows(r, dt);
    start_warm(r, m->vertex_count);
    run_rounds(r, SETTLED * greatest_thickness(m) / dt);
    parallel_for(r->context, m->vertex_count, VERTEX_BLOCK, give_vertices, &task);
    keep_rows(r, pairs, dt);
    *touching = r->rows.count + r->plane_rows.count;
    return RUGA_OK;
}

/* ---- Holds. */

static int is_kinematic(const pair_row *row, const contact_mesh *m, int begin, int end) {
    for (int i = begin; i < end; i++)
        if (m->inverse_masses[row->vertices[i]] > 0) return 0;
    return 1;
}

static void hold_vertex(vec3 *scratch, contact_hold *holds, uint32_t vertex, double push, contact_hold hold) {
    if (!(push > scratch[vertex].x)) return;
    scratch[vertex].x = push;
    holds[vertex] = hold;
}

/* The kinematic part has the vertices [begin, end) of the row; it holds those of the other that are at least half of the point
 * it pushes. */
static void hold_other_part(const repulsion *r, const pair_row *row, int begin, int end, contact_hold *holds) {
    double sign = begin > 0 ? 1 : -1;
    contact_hold hold = {.normal = vec3_scale(row->normal, sign)};
    hold.grip = row->friction;
    for (int i = begin; i < end; i++)
        hold.velocity =
            vec3_add_scaled(hold.velocity, r->vertices.items[row->vertices[i]].velocity, fabs(row->weights[i]));
    for (int i = 0; i < 4; i++) {
        double share = fabs(row->weights[i]);
        if ((i < begin || i >= end) && share >= 0.5)
            hold_vertex(r->impulses.items, holds, row->vertices[i], share * row->impulse, hold);
    }
}

void repulsion_holds(const repulsion *r, const contact_mesh *m, contact_hold *holds) {
    /* What was held is pushed no more while it stays: near is enough for it. */
    for (size_t v = 0; v < m->vertex_count; v++) {
        r->impulses.items[v].x = vec3_length2(holds[v].normal) > 0 ? -1 : 0;
        holds[v] = (contact_hold){0};
    }
    for (size_t i = 0; i < r->rows.count; i++) {
        const pair_row *row = r->rows.items + i;
        int split = row->kind == PAIR_VERTEX_TRIANGLE ? 1 : 2;
        if (is_kinematic(row, m, 0, split)) hold_other_part(r, row, 0, split, holds);
        if (is_kinematic(row, m, split, 4)) hold_other_part(r, row, split, 4, holds);
    }
    for (size_t i = 0; i < r->plane_rows.count; i++) {
        const plane_row *row = r->plane_rows.items + i;
        contact_hold hold = {.normal = r->law.planes[row->plane].axes[1], .grip = row->friction};
        hold_vertex(r->impulses.items, holds, row->vertex, row->impulse, hold);
    }
}
