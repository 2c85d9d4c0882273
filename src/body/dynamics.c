/* The common part of bodies with a step in time; the header has the contract. */
#include "body/dynamics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/threads.h"
#include "field/values.h"

#define HOLD_NUMBERS (sizeof(contact_hold) / sizeof(double))

ruga_status dynamics_check_number(ruga_context *context, const char *kind, const char *name, const char *unit,
                                  double value, int zero_allowed) {
    if (isfinite(value) && (value > 0 || (zero_allowed && value == 0))) return RUGA_OK;
    return fail_input(context, "the %s's %s is %g %s; it must be finite and %s", kind, name, value, unit,
                      zero_allowed ? "not negative" : "positive");
}

ruga_status dynamics_check_values(ruga_context *context, const ruga_section *table, const void *values) {
    char message[400];
    ruga_status status = values_check(context, table, values, NULL);
    if (status != RUGA_ERROR_ARGUMENT) return status;
    snprintf(message, sizeof message, "%s", ruga_context_message(context));
    return fail_input(context, "%s: %s", table->name, message);
}

/* ---- Forces of parts. */

ruga_status part_call_product(void *user, const vec3 *direction, vec3 *product) {
    const part_call *call = user;
    return body_part_force_product(call->b, call->s, call->positions, direction, product);
}

static ruga_status part_call_blocks(void *user, mat3 *blocks) {
    const part_call *call = user;
    return body_part_force_blocks(call->b, call->s, call->positions, blocks);
}

static ruga_status part_call_squares(void *user, block_squares *out) {
    const part_call *call = user;
    return body_part_force_squares(call->b, call->s, call->positions, out);
}

void dynamics_use_parts(part_call *call, int squares, integrator_step *step) {
    step->user = call;
    if (!body_has_force_products(call->b)) return;
    step->force_product = part_call_product;
    step->force_blocks = part_call_blocks;
    if (!squares) return;
    step->force_squares = part_call_squares;
    step->squares_are_whole = body_squares_are_whole(call->b);
}

void dynamics_report_unstable(const body *b, const substep *s, const char *steps, double stable, int *said) {
    if (s->dt <= stable || *said) return;
    *said = 1;
    log_warning(b->context,
                "object \"%s\": %s steps of %.3g s are not stable, the limit is about %.3g s; use %.0f times as many "
                "substeps, or the integrator implicit",
                body_name(b), steps, s->dt, stable, ceil(s->dt / stable));
}

/* ---- After a solve. */

void dynamics_report_solve(const body *b, const substep *s, const integrator_report *report, double tolerance,
                           int *said) {
    if (report->converged || *said) return;
    *said = 1;
    log_warning(
        b->context,
        "object \"%s\": the solve of the substep that ends at %g s stopped after %d iterations with a relative "
        "residual of %g, above the tolerance of %g; use more substeps, or raise \"iterations\" or \"tolerance\" "
        "(further ones are not reported)",
        body_name(b), s->time, report->iterations, report->residual, tolerance);
}

static double kinetic_energy(void *argument, size_t begin, size_t end) {
    const body *b = argument;
    double energy = 0;
    for (size_t i = begin; i < end; i++) energy += b->masses[i] * vec3_length2(b->velocities[i]);
    return energy / 2;
}

double dynamics_kinetic_energy(const body *b) {
    return parallel_sum(b->context, b->point_count, DYNAMICS_BLOCK, kinetic_energy, (body *)(uintptr_t)b);
}

static int has_impulses(const contact_surface *surface) {
    for (size_t i = 0; i < surface->mesh->vertex_count; i++)
        if (vec3_length2(surface->impulses[i]) > 0) return 1;
    return 0;
}

ruga_status dynamics_accept_bound(body *b, integrator *solver, size_t pin_count, const uint32_t *pins, double dt,
                                  const contact_surface *surface, vec3 *changes) {
    size_t count = b->point_count;
    if (!solver || !has_impulses(surface)) return body_accept_impulses(b, NULL, dt);
    memset(changes, 0, count * sizeof *changes);
    if (surface->map)
        ruga_map_apply_transpose_add(surface->map, surface->impulses, changes);
    else
        memcpy(changes, surface->impulses, count * sizeof *changes);
    TRY(integrator_answer(solver, pin_count, pins, changes, changes));
    for (size_t i = 0; i < count; i++) {
        b->velocities[i] = vec3_add(b->candidate_velocities[i], changes[i]);
        b->positions[i] = vec3_add_scaled(b->candidate_positions[i], changes[i], dt);
    }
    return RUGA_OK;
}

/* ---- Holds of contact. */

/* The point that a visible vertex is alone; SIZE_MAX: none. */
static size_t point_of_vertex(const ruga_map *visible, size_t vertex) {
    if (!visible) return vertex;
    size_t row = visible->offsets[vertex];
    return visible->offsets[vertex + 1] == row + 1 && visible->weights[row] == 1 ? visible->indices[row] : SIZE_MAX;
}

void holds_to_vertices(const ruga_map *visible, size_t vertex_count, const contact_hold *of_points,
                       contact_hold *of_vertices) {
    for (size_t v = 0; of_vertices && v < vertex_count; v++) {
        size_t point = point_of_vertex(visible, v);
        if (point != SIZE_MAX) of_vertices[v] = of_points[point];
    }
}

void holds_to_points(const ruga_map *visible, size_t vertex_count, const contact_hold *of_vertices, size_t point_count,
                     contact_hold *of_points) {
    if (!of_points) return;
    for (size_t i = 0; i < point_count; i++) of_points[i] = (contact_hold){0};
    for (size_t v = 0; v < vertex_count; v++) {
        size_t point = point_of_vertex(visible, v);
        if (point != SIZE_MAX) of_points[point] = of_vertices[v];
    }
}

static int is_held(const contact_hold *hold) { return vec3_length2(hold->normal) > 0; }

void holds_save(const contact_hold *holds, size_t count, state_writer *writer) {
    uint64_t held = 0;
    for (size_t i = 0; holds && i < count; i++) held += is_held(&holds[i]) ? 1 : 0;
    state_put_u64(writer, &held, 1);
    for (size_t i = 0; held > 0 && i < count; i++) {
        const uint32_t number = (uint32_t)i;
        if (!is_held(&holds[i])) continue;
        state_put_u32(writer, &number, 1);
        state_put_f64(writer, &holds[i].normal.x, HOLD_NUMBERS);
    }
}

ruga_status holds_load(ruga_context *context, state_reader *entry, const char *what, size_t count,
                       contact_hold *holds) {
    uint64_t held = 0;
    TRY(state_get_u64(entry, &held, 1));
    if (held > count)
        return fail_input(context, "the saved state is damaged: holds of %llu of %zu %s", (unsigned long long)held,
                          count, what);
    if (holds && count > 0) memset(holds, 0, count * sizeof *holds);
    for (uint64_t k = 0; k < held; k++) {
        uint32_t number;
        contact_hold hold;
        TRY(state_get_u32(entry, &number, 1));
        TRY(state_get_f64(entry, &hold.normal.x, HOLD_NUMBERS));
        if (number >= count)
            return fail_input(context, "the saved state is damaged: a hold of number %u of %zu %s", number, count,
                              what);
        if (holds) holds[number] = hold;
    }
    return RUGA_OK;
}
