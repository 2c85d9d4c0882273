/* Shared by all bodies: their arrays of points, how impulses come back to them, and the sums over their parts. */
#include "body/body.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "math/vec3.h"

#define POINT_BLOCK 4096

/* ---- The arrays of points. */

typedef struct point_arrays {
    vec3 *positions, *velocities, *candidate_positions, *candidate_velocities;
} point_arrays;

static void release_arrays(ruga_context *context, const point_arrays *arrays) {
    RELEASE_ALL(context, arrays->positions, arrays->velocities, arrays->candidate_positions,
                arrays->candidate_velocities);
}

/* After a failure the caller releases the arrays that were allocated. */
static ruga_status allocate_arrays(ruga_context *context, size_t count, point_arrays *out) {
    *out = (point_arrays){0};
    TRY(NEW(context, &out->positions, count));
    TRY(NEW_ZEROED(context, &out->velocities, count));
    TRY(NEW(context, &out->candidate_positions, count));
    return NEW_ZEROED(context, &out->candidate_velocities, count);
}

static point_arrays arrays_of(const body *b) {
    return (point_arrays){b->positions, b->velocities, b->candidate_positions, b->candidate_velocities};
}

static void set_arrays(body *b, size_t count, const point_arrays *arrays) {
    b->point_count = count;
    b->positions = arrays->positions;
    b->velocities = arrays->velocities;
    b->candidate_positions = arrays->candidate_positions;
    b->candidate_velocities = arrays->candidate_velocities;
}

ruga_status body_init(body *b, const body_interface *interface, const char *kind, const ruga_mesh *mesh,
                      const ruga_mesh *simulated) {
    if (!simulated) simulated = mesh;
    point_arrays arrays;
    TRY_OR(allocate_arrays(mesh->context, simulated->vertex_count, &arrays), release_arrays(mesh->context, &arrays));
    *b = (body){.interface = interface,
                .context = mesh->context,
                .kind = kind,
                .mesh = mesh,
                .simulated = simulated,
                .stiffness_factor = 1,
                .touch = {.collides = 1, .self = 1}};
    set_arrays(b, simulated->vertex_count, &arrays);
    if (b->point_count > 0) {
        memcpy(b->positions, simulated->positions, b->point_count * sizeof *b->positions);
        memcpy(b->candidate_positions, simulated->positions, b->point_count * sizeof *b->positions);
    }
    return RUGA_OK;
}

void body_release(body *b) {
    point_arrays arrays = arrays_of(b);
    release_arrays(b->context, &arrays);
    set_arrays(b, 0, &(point_arrays){0});
    ARRAY_RELEASE(b->context, &b->links);
    ARRAY_RELEASE(b->context, &b->rings);
    ARRAY_RELEASE(b->context, &b->squares);
}

static int is_linked(const body *b, uint32_t point, uint32_t other) {
    for (size_t k = 0; k + 1 < b->links.count; k += 2) {
        const uint32_t *link = b->links.items + k;
        if ((link[0] == point && link[1] == other) || (link[0] == other && link[1] == point)) return 1;
    }
    return 0;
}

static ruga_status add_link(body *b, uint32_t point, uint32_t other) {
    if (point == other || is_linked(b, point, other)) return RUGA_OK;
    TRY(ARRAY_RESERVE(b->context, &b->links, 2));
    b->links.items[b->links.count++] = point;
    b->links.items[b->links.count++] = other;
    return RUGA_OK;
}

/* Links `other` to everything that `point` is linked to. */
static ruga_status share_links(body *b, uint32_t point, uint32_t other) {
    size_t count = b->links.count;
    for (size_t k = 0; k < count; k++)
        if (b->links.items[k] == point) TRY(add_link(b, b->links.items[k ^ 1], other));
    return RUGA_OK;
}

/* The point after this one in the ring of those that it is one with; itself if it is alone. */
static uint32_t next_in_ring(const body *b, uint32_t point) {
    return point < b->rings.count ? b->rings.items[point] : point;
}

static int is_in_ring(const body *b, uint32_t ring, uint32_t point) {
    uint32_t at = ring;
    do
        if (at == point) return 1;
    while ((at = next_in_ring(b, at)) != ring);
    return 0;
}

/* Two rings that exchange their next points are one. */
static ruga_status join_rings(body *b, uint32_t point, uint32_t other) {
    if (is_in_ring(b, point, other)) return RUGA_OK;
    const size_t count = (size_t)(point > other ? point : other) + 1;
    if (count > b->rings.count) TRY(ARRAY_RESERVE(b->context, &b->rings, count - b->rings.count));
    for (; b->rings.count < count; b->rings.count++) b->rings.items[b->rings.count] = (uint32_t)b->rings.count;
    uint32_t next = b->rings.items[point];
    b->rings.items[point] = b->rings.items[other];
    b->rings.items[other] = next;
    return RUGA_OK;
}

/* Links each point of one ring to each of another, and, where they become one, to all that the other's are linked to:
 * the links of one point of a ring are always those of all. */
ruga_status body_add_link(body *b, uint32_t point, uint32_t other, int one) {
    uint32_t a = point;
    do {
        uint32_t c = other;
        do {
            if (one) TRY(share_links(b, a, c));
            if (one) TRY(share_links(b, c, a));
            TRY(add_link(b, a, c));
        } while ((c = next_in_ring(b, c)) != other);
    } while ((a = next_in_ring(b, a)) != point);
    return one ? join_rings(b, point, other) : RUGA_OK;
}

ruga_status body_rebuild_points(body *b, const ruga_mesh *mesh, const ruga_map *from_old) {
    if (from_old->columns != b->point_count)
        return fail_argument(b->context, "a %s body of %zu points can't be rebuilt by a map that takes %zu", b->kind,
                             b->point_count, from_old->columns);
    point_arrays old = arrays_of(b), arrays;
    TRY_OR(allocate_arrays(b->context, from_old->rows, &arrays), release_arrays(b->context, &arrays));
    ruga_map_apply(from_old, old.positions, arrays.positions);
    ruga_map_apply(from_old, old.velocities, arrays.velocities);
    ruga_map_apply(from_old, old.candidate_positions, arrays.candidate_positions);
    ruga_map_apply(from_old, old.candidate_velocities, arrays.candidate_velocities);
    release_arrays(b->context, &old);
    set_arrays(b, from_old->rows, &arrays);
    b->mesh = b->simulated = mesh;
    b->shares = NULL;
    b->collides = NULL;
    b->links.count = 0;
    b->rings.count = 0;
    return RUGA_OK;
}

int body_is_given(const body_simulated *s) { return s->mesh || s->visible || s->shares || s->bound || s->collides; }

ruga_status body_refuse_given(const body *b, const body_simulated *simulated) {
    if (!body_is_given(simulated)) return RUGA_OK;
    return fail_unsupported(
        b->context,
        "a body of kind %s can't have a simulated mesh of its own, nor shares or bound points; use cloth or flesh",
        b->kind);
}

void body_make_visible(const body *b, const ruga_vec3 *points, ruga_vec3 *vertices) {
    if (b->interface->visible)
        b->interface->visible(b, points, vertices);
    else if (b->point_count > 0)
        memcpy(vertices, points, b->point_count * sizeof *vertices);
}

/* ---- Accepting. */

double body_inverse_mass(const body *b, size_t point) {
    if (b->inverse_masses) return b->inverse_masses[point];
    return b->masses && b->masses[point] > 0 ? 1 / b->masses[point] : 0;
}

typedef struct hand_back_task {
    body *b;
    const vec3 *impulses; /* (points) N s; may be the array of accepted positions, which is written last */
    const vec3 *resolved; /* (points) m, with the impulses in them already; NULL: they move the candidates */
    double dt;
} hand_back_task;

static void hand_back(void *argument, size_t begin, size_t end) {
    const hand_back_task *task = argument;
    body *b = task->b;
    for (size_t i = begin; i < end; i++) {
        vec3 change = vec3_scale(task->impulses[i], body_inverse_mass(b, i));
        b->velocities[i] = vec3_add(b->candidate_velocities[i], change);
        b->positions[i] =
            task->resolved ? task->resolved[i] : vec3_add_scaled(b->candidate_positions[i], change, task->dt);
    }
}

ruga_status body_accept_impulses(body *b, const contact_surface *surface, double dt) {
    if (b->point_count == 0) return RUGA_OK;
    if (!surface || !b->masses) {
        memcpy(b->positions, b->candidate_positions, b->point_count * sizeof *b->positions);
        memcpy(b->velocities, b->candidate_velocities, b->point_count * sizeof *b->velocities);
        return RUGA_OK;
    }
    hand_back_task task = {b, surface->impulses, surface->candidate, dt};
    if (surface->map) {
        /* The accepted positions are about to be replaced: until then they hold the points' impulses. */
        memset(b->positions, 0, b->point_count * sizeof *b->positions);
        ruga_map_apply_transpose_add(surface->map, surface->impulses, b->positions);
        task.impulses = b->positions;
        task.resolved = NULL;
    }
    parallel_for(b->context, b->point_count, POINT_BLOCK, hand_back, &task);
    return RUGA_OK;
}

/* ---- Parts. */

int body_has_forces(const body *b) {
    for (size_t i = 0; i < b->part_count; i++)
        if (b->parts[i]->interface->force) return 1;
    return 0;
}

ruga_status body_part_forces(body *b, const substep *s, const ruga_vec3 *positions, const ruga_vec3 *velocities,
                             ruga_vec3 *forces) {
    for (size_t i = 0; i < b->part_count; i++) {
        part *p = b->parts[i];
        if (p->interface->force) TRY(p->interface->force(p, b, s, positions, velocities, forces));
    }
    return RUGA_OK;
}

int body_has_force_products(const body *b) {
    for (size_t i = 0; i < b->part_count; i++)
        if (b->parts[i]->interface->force_product) return 1;
    return 0;
}

int body_squares_are_whole(const body *b) {
    for (size_t i = 0; i < b->part_count; i++)
        if (b->parts[i]->interface->force_product && !b->parts[i]->interface->squares_are_whole) return 0;
    return 1;
}

ruga_status body_part_force_product(body *b, const substep *s, const ruga_vec3 *positions, const ruga_vec3 *direction,
                                    ruga_vec3 *product) {
    for (size_t i = 0; i < b->part_count; i++) {
        part *p = b->parts[i];
        if (p->interface->force_product) TRY(p->interface->force_product(p, b, s, positions, direction, product));
    }
    return RUGA_OK;
}

ruga_status body_part_force_blocks(body *b, const substep *s, const ruga_vec3 *positions, mat3 *blocks) {
    for (size_t i = 0; i < b->part_count; i++) {
        part *p = b->parts[i];
        if (p->interface->force_blocks) TRY(p->interface->force_blocks(p, b, s, positions, blocks));
    }
    return RUGA_OK;
}

ruga_status body_part_force_squares(body *b, const substep *s, const ruga_vec3 *positions, block_squares *out) {
    *out = (block_squares){0};
    b->squares.count = 0;
    TRY(ARRAY_RESERVE(b->context, &b->squares, b->part_count));
    for (size_t i = 0; i < b->part_count; i++) {
        part *p = b->parts[i];
        if (!p->interface->force_squares) continue;
        block_squares *list = &b->squares.items[b->squares.count];
        TRY(p->interface->force_squares(p, b, s, positions, list));
        list->next = NULL;
        if (b->squares.count > 0) list[-1].next = list;
        b->squares.count++;
    }
    if (b->squares.count > 0) *out = b->squares.items[0];
    return RUGA_OK;
}
