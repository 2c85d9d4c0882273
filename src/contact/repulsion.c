/* Repulsion, step by step:
 *
 *     find        touches: pairs within their thickness, and vertices at planes
 *     rows        each touch with its geometry at the start, and its impulses of the last substep
 *     rounds      impulses until approach and slip reach their targets
 *     keep        impulses for the next substep
 */
#include "contact/repulsion.h"

#include <string.h>

#include "base/threads.h"
#include "contact/repulsion_parts.h"

enum { ROW_BLOCK = 256, VERTEX_BLOCK = 4096 };
#define SETTLED 1e-6 /* of the greatest thickness per substep: smaller changes of velocity are ignored */

/* ---- Making. */

static ruga_status check_law(ruga_context *context, const repulsion_law *law) {
    if (!(law->spring >= 0 && law->spring <= 1))
        return fail_with(context, RUGA_ERROR_INPUT,
                         "contact: the fraction of an overlap that a substep removes is %g; it must be from 0 to 1",
                         law->spring);
    if (!(law->static_ratio >= 1) || !isfinite(law->static_ratio))
        return fail_with(context, RUGA_ERROR_INPUT,
                         "contact: static friction is %g times kinetic friction; it must be finite and at least 1",
                         law->static_ratio);
    if (law->rounds < 1)
        return fail_with(context, RUGA_ERROR_INPUT, "contact: %d rounds of repulsion; at least 1 is needed",
                         law->rounds);
    for (size_t i = 0; i < law->plane_count; i++)
        if (law->planes[i].kind != COLLIDER_PLANE)
            return fail_with(context, RUGA_ERROR_INPUT,
                             "contact: collider %zu of %zu is not a plane; use meshes for other shapes", i,
                             law->plane_count);
    return RUGA_OK;
}

ruga_status repulsion_create(ruga_context *context, const repulsion_law *law, repulsion **out) {
    TRY(check_law(context, law));
    repulsion *r;
    collider *planes = NULL;
    TRY(NEW_ZEROED(context, &r, 1));
    ruga_status status = NEW_COPY(context, &planes, law->planes, law->plane_count);
    r->context = context;
    r->law = *law;
    r->law.planes = planes;
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &r->plane_ends, law->plane_count);
    if (RUGA_FAILED(status))
        repulsion_destroy(r);
    else
        *out = r;
    return status;
}

void repulsion_destroy(repulsion *r) {
    if (!r) return;
    RELEASE_ALL(r->context, r->past.items, r->next.items, r->touches.items, r->rows.items, r->plane_rows.items,
                r->flags.items, r->solve_rows.items, r->vertices.items, r->changed.items, r->impulses.items,
                r->order.items, (void *)r->law.planes, r->plane_ends, r);
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
        const touch *t = r->touches.items + r->order.items[i];
        r->rows.items[i] = row_of(r, task->mesh, task->pairs->items + t->pair, t, task->dt);
        recall_row(r, r->rows.items + i, task->dt);
    }
}

static void take_vertices(void *argument, size_t begin, size_t end) {
    const repulsion_task *task = argument;
    const contact_mesh *m = task->mesh;
    for (size_t i = begin; i < end; i++) {
        vec3 velocity = vec3_scale(vec3_sub(m->to[i], m->from[i]), 1 / task->dt);
        task->r->vertices.items[i] = (moving_vertex){velocity, m->inverse_masses[i]};
        task->r->changed.items[i] = 0;
    }
}

/* Only those whose velocity a row changed. */
static void give_vertices(void *argument, size_t begin, size_t end) {
    const repulsion_task *task = argument;
    const repulsion *r = task->r;
    for (size_t i = begin; i < end; i++)
        if (r->changed.items[i] > 0)
            task->mesh->to[i] = vec3_add_scaled(task->mesh->from[i], r->vertices.items[i].velocity, task->dt);
}

ruga_status repulsion_begin(repulsion *r, const contact_mesh *m, const contact_pairs *pairs,
                            const unsigned char *ignored, pair_reach reach, double dt) {
    repulsion_task task = {r, (contact_mesh *)m, pairs, dt};
    TRY(find_touches(r, m, pairs, ignored, reach));
    r->rows.count = r->order.count = 0;
    TRY(ARRAY_RESERVE(r->context, &r->rows, r->touches.count));
    TRY(ARRAY_RESERVE(r->context, &r->order, r->touches.count));
    r->rows.count = r->touches.count;
    match_touches(r, pairs);
    order_touches(r, m, pairs);
    parallel_for(r->context, r->rows.count, ROW_BLOCK, make_rows, &task);
    r->has_begun = 1;
    return RUGA_OK;
}

/* ---- Rows for a solve of several bodies. */

static contact_row solve_row_of(const contact_mesh *m, const pair_row *row, uint32_t source) {
    contact_row out = {.target = row->target,
                       .friction = row->limit,
                       .impulse = {row->impulse, row->slip_impulse[0], row->slip_impulse[1]},
                       .source = source};
    for (int i = 0; i < 4; i++) {
        uint32_t v = row->vertices[i];
        out.surfaces[i] = m->part_of[v];
        out.vertices[i] = m->numbers[v];
    }
    out.normal = row->normal;
    memcpy(out.tangents, row->tangents, sizeof out.tangents);
    memcpy(out.weights, row->weights, sizeof out.weights);
    memcpy(out.turns, row->turns, sizeof out.turns);
    return out;
}

ruga_status repulsion_rows(repulsion *r, const contact_mesh *m, contact_row **rows, size_t *count) {
    r->solve_rows.count = 0;
    TRY(ARRAY_RESERVE(r->context, &r->solve_rows, r->rows.count));
    for (size_t i = 0; i < r->rows.count; i++)
        if (r->rows.items[i].normal_mass > 0)
            r->solve_rows.items[r->solve_rows.count++] = solve_row_of(m, r->rows.items + i, (uint32_t)i);
    *rows = r->solve_rows.items;
    *count = r->solve_rows.count;
    return RUGA_OK;
}

void repulsion_take_rows(repulsion *r) {
    for (size_t i = 0; i < r->rows.count; i++)
        if (r->rows.items[i].is_near) r->rows.items[i].normal_mass = r->rows.items[i].impulse = 0;
    for (size_t i = 0; i < r->solve_rows.count; i++) {
        const contact_row *solved = r->solve_rows.items + i;
        pair_row *row = r->rows.items + solved->source;
        if (!solved->solved) continue;
        row->impulse = row->slip_impulse[0] = row->slip_impulse[1] = row->normal_mass = 0;
        memcpy(row->solved, solved->impulse, sizeof row->solved);
    }
}

/* ---- The substep. */

static ruga_status reserve(repulsion *r, size_t vertex_count) {
    r->next.count = r->vertices.count = r->changed.count = r->impulses.count = 0;
    TRY(ARRAY_RESERVE(r->context, &r->next, r->touches.count + r->plane_rows.count));
    TRY(ARRAY_RESERVE(r->context, &r->vertices, vertex_count));
    TRY(ARRAY_RESERVE(r->context, &r->changed, vertex_count));
    return ARRAY_RESERVE(r->context, &r->impulses, vertex_count);
}

ruga_status repulsion_apply(repulsion *r, contact_mesh *m, const contact_pairs *pairs, const unsigned char *ignored,
                            double dt, size_t *touching) {
    repulsion_task task = {r, m, pairs, dt};
    double greatest_thickness = 0;
    for (size_t i = 0; i < m->part_count; i++) greatest_thickness = fmax(greatest_thickness, m->parts[i].thickness);
    if (!r->has_begun) TRY(repulsion_begin(r, m, pairs, ignored, (pair_reach){.thicknesses = 1}, dt));
    r->has_begun = 0;
    TRY(find_plane_rows(r, m, dt));
    TRY(reserve(r, m->vertex_count));
    recall_plane_rows(r, dt);
    parallel_for(r->context, m->vertex_count, VERTEX_BLOCK, take_vertices, &task);
    run_rounds(r, m, SETTLED * greatest_thickness / dt);
    parallel_for(r->context, m->vertex_count, VERTEX_BLOCK, give_vertices, &task);
    keep_rows(r, pairs, dt);
    *touching = 0;
    for (size_t i = 0; i < r->rows.count; i++) *touching += (size_t)!r->rows.items[i].is_near;
    for (size_t i = 0; i < r->plane_rows.count; i++) *touching += (size_t)r->plane_rows.items[i].touches;
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

/* Vertices [begin, end) of the row are the kinematic part. It holds each vertex of the other part that has a weight of
 * at least 0.5. */
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

typedef struct hold_task {
    const repulsion *r;
    contact_hold *holds;
} hold_task;

/* A held vertex is not pushed while it stays: for those it is enough to be near. */
static void clear_holds(void *argument, size_t begin, size_t end) {
    const hold_task *task = argument;
    for (size_t v = begin; v < end; v++) {
        task->r->impulses.items[v].x = vec3_length2(task->holds[v].normal) > 0 ? -1 : 0;
        task->holds[v] = (contact_hold){0};
    }
}

void repulsion_holds(const repulsion *r, const contact_mesh *m, contact_hold *holds) {
    hold_task task = {r, holds};
    parallel_for(r->context, m->vertex_count, VERTEX_BLOCK, clear_holds, &task);
    for (size_t i = 0; i < r->rows.count; i++) {
        const pair_row *row = r->rows.items + i;
        int split = row->kind == PAIR_VERTEX_TRIANGLE ? 1 : 2;
        if (row->is_near) continue;
        if (is_kinematic(row, m, 0, split)) hold_other_part(r, row, 0, split, holds);
        if (is_kinematic(row, m, split, 4)) hold_other_part(r, row, split, 4, holds);
    }
    for (size_t i = 0; i < r->plane_rows.count; i++) {
        const plane_row *row = r->plane_rows.items + i;
        contact_hold hold = {.normal = r->law.planes[row->plane].axes[1], .grip = row->friction};
        if (row->touches || row->impulse > 0) hold_vertex(r->impulses.items, holds, row->vertex, row->impulse, hold);
    }
}
