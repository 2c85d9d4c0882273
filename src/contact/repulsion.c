/* Repulsion, step by step:
 *
 *     find        touches: pairs within their thickness, and vertices at planes
 *     rows        each touch with its geometry at the start, and the impulses that it had in the last substep
 *     rounds      impulses until approach and slip are as they should be
 *     keep        impulses for the next substep
 */
#include "contact/repulsion.h"

#include <string.h>

#include "base/threads.h"
#include "contact/repulsion_parts.h"

enum { ROW_BLOCK = 256, VERTEX_BLOCK = 4096 };
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
    size_t *plane_ends = ALLOCATE_ZEROED(context, size_t, law->plane_count);
    if (!r || !planes || !plane_ends) {
        memory_release(context, r);
        memory_release(context, planes);
        memory_release(context, plane_ends);
        return fail_memory(context, sizeof *r + law->plane_count * sizeof *planes);
    }
    r->context = context;
    r->law = *law;
    r->law.planes = planes;
    r->plane_ends = plane_ends;
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
    ARRAY_RELEASE(context, &r->order);
    memory_release(context, (void *)r->law.planes);
    memory_release(context, r->plane_ends);
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

static ruga_status find_rows(repulsion *r, const repulsion_task *task, const unsigned char *ignored) {
    size_t vertex_count = task->mesh->vertex_count;
    TRY(find_touches(r, task->mesh, task->pairs, ignored));
    TRY(find_plane_rows(r, task->mesh, task->dt));
    r->rows.count = r->next.count = r->order.count = 0;
    r->vertices.count = r->changed.count = r->impulses.count = 0;
    TRY(ARRAY_RESERVE(r->context, &r->rows, r->touches.count));
    TRY(ARRAY_RESERVE(r->context, &r->order, r->touches.count));
    TRY(ARRAY_RESERVE(r->context, &r->next, r->touches.count + r->plane_rows.count));
    TRY(ARRAY_RESERVE(r->context, &r->vertices, vertex_count));
    TRY(ARRAY_RESERVE(r->context, &r->changed, vertex_count));
    TRY(ARRAY_RESERVE(r->context, &r->impulses, vertex_count));
    r->rows.count = r->touches.count;
    return RUGA_OK;
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
    order_touches(r, m, pairs);
    parallel_for(r->context, r->rows.count, ROW_BLOCK, make_rows, &task);
    recall_plane_rows(r, dt);
    parallel_for(r->context, m->vertex_count, VERTEX_BLOCK, take_vertices, &task);
    run_rounds(r, m, SETTLED * greatest_thickness(m) / dt);
    parallel_for(r->context, m->vertex_count, VERTEX_BLOCK, give_vertices, &task);
    keep_rows(r, pairs, dt);
    *touching = r->rows.count;
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
        if (row->touches || row->impulse > 0) hold_vertex(r->impulses.items, holds, row->vertex, row->impulse, hold);
    }
}
