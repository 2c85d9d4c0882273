/* Making the springs, masses, pins and arrays of a cloth. */
#include "body/cloth_parts.h"

#include <string.h>

#include "body/cloth_strain.h"
#include "linalg/map.h"

void cloth_parts_release(ruga_context *context, cloth_parts *parts) {
    integrator_destroy(parts->solver);
    spring_network_destroy(parts->network);
    membrane_destroy(parts->membrane);
    hinges_destroy(parts->hinges);
    topology_destroy(parts->fans);
    cloth_pins_release(&parts->pins);
    if (parts->surface.context) part_surface_release(&parts->surface);
    ruga_map_destroy(parts->own_visible);
    ruga_map_destroy(parts->own_vertices);
    RELEASE_ALL(context, parts->masses, parts->inverse_masses, parts->forces, parts->air_scratch, parts->impulses,
                parts->stage_positions, parts->stage_velocities, parts->strains, parts->holds, parts->stage_holds,
                parts->vertex_holds);
    *parts = (cloth_parts){0};
}

int cloth_has_air(const cloth_def *def) { return def->values.drag > 0 || def->values.lift > 0; }

static ruga_status allocate_parts(ruga_context *context, const cloth_def *def, cloth_parts *parts) {
    size_t count = parts->simulated.mesh->vertex_count, inner = def->values.adaptive > 0 ? count : 0;
    TRY(NEW(context, &parts->masses, count));
    TRY(NEW(context, &parts->inverse_masses, count));
    TRY(NEW(context, &parts->forces, count));
    TRY(NEW(context, &parts->impulses, count));
    TRY(NEW(context, &parts->stage_positions, inner));
    TRY(NEW(context, &parts->stage_velocities, inner));
    TRY(NEW(context, &parts->strains, cloth_strain_count(parts)));
    return NEW(context, &parts->air_scratch, cloth_has_air(def) ? parts->simulated.mesh->triangle_count : 0);
}

/* Inverse masses become 0 at pinned points and those that are bound to pinned ones alone, 1 elsewhere. */
static ruga_status mark_pinned(cloth_parts *parts) {
    const ruga_map *bound = parts->simulated.bound;
    ruga_context *context = parts->simulated.mesh->context;
    double *inverse = parts->inverse_masses;
    for (size_t i = 0; i < parts->simulated.mesh->vertex_count; i++) inverse[i] = 1;
    for (size_t k = 0; k < parts->pins.count; k++) inverse[parts->pins.points[k]] = 0;
    if (!bound) return RUGA_OK;
    unsigned char *unknowns;
    TRY(NEW_ZEROED(context, &unknowns, bound->columns));
    for (size_t k = 0; k < parts->pins.count; k++) {
        uint32_t i = parts->pins.points[k];
        if (bound->offsets[i] < bound->offsets[i + 1]) unknowns[bound->indices[bound->offsets[i]]] = 1;
    }
    for (size_t i = 0; i < bound->rows; i++) {
        inverse[i] = 0;
        for (size_t e = bound->offsets[i]; e < bound->offsets[i + 1]; e++)
            if (!unknowns[bound->indices[e]]) inverse[i] = 1;
    }
    memory_release(context, unknowns);
    return RUGA_OK;
}

ruga_status cloth_parts_set_masses(cloth_parts *parts, double density) {
    const body_simulated *simulated = &parts->simulated;
    TRY(spring_mesh_masses(simulated->mesh, density, simulated->shares, parts->masses));
    for (size_t i = 0; i < simulated->mesh->vertex_count; i++)
        parts->inverse_masses[i] = parts->inverse_masses[i] > 0 ? 1 / parts->masses[i] : 0;
    return RUGA_OK;
}

static ruga_status check_simulated(const ruga_mesh *mesh, const cloth_def *def, const body_simulated *simulated) {
    ruga_context *context = mesh->context;
    size_t points = simulated->mesh ? simulated->mesh->vertex_count : mesh->vertex_count;
    if (simulated->visible && (simulated->visible->rows != mesh->vertex_count || simulated->visible->columns != points))
        return fail_with(context, RUGA_ERROR_INPUT,
                         "a map of %zu x %zu can't show %zu simulated points as %zu vertices", simulated->visible->rows,
                         simulated->visible->columns, points, mesh->vertex_count);
    if (!simulated->visible && points < mesh->vertex_count)
        return fail_with(context, RUGA_ERROR_INPUT, "%zu points are simulated for %zu visible vertices without a map",
                         points, mesh->vertex_count);
    if (simulated->bound && def->values.stretch_limit > 0)
        return fail_with(
            context, RUGA_ERROR_INPUT,
            "bound cloth can't have a stretch limit: it would move single points out of the binding; set the "
            "limit to 0, or raise the stiffness");
    return RUGA_OK;
}

/* Of the tolerance of cloth whose bending has friction: it settles by forces that are weaker than the error at 1, which
 * makes discs of denim creep by 20 mm/s. Bound steps are solved as finely without it. */
#define FRICTION_TOLERANCE 0.1

/* Friction is stiff, so only `implicit` has it. */
static double cloth_bend_friction(const cloth_def *def) {
    return def->values.integrator == INTEGRATOR_IMPLICIT ? def->material.bend_friction : 0;
}

/* The strain limit is stiff, so only `implicit` has it. */
static void use_limit(const ruga_mesh *mesh, const cloth_def *def, cloth_parts *parts) {
    const spring_material springs = cloth_springs(def, mesh);
    int is_on = parts->integrator == INTEGRATOR_IMPLICIT && def->material.strain_limit > 0;
    parts->strain_limit = is_on ? def->material.strain_limit : 0;
    if (parts->membrane) parts->membrane->material.limit = parts->strain_limit;
    parts->network->hard = is_on ? springs.hard / springs.stretch : 0;
}

ruga_status cloth_parts_make_solver(const ruga_mesh *mesh, const cloth_def *def, cloth_parts *parts) {
    ruga_context *context = mesh->context;
    energy_term *fabric[2] = {parts->membrane ? &parts->membrane->base : &parts->network->base};
    size_t fabric_count = 1;
    if (parts->hinges) fabric[fabric_count++] = &parts->hinges->base;
    size_t count = parts->simulated.mesh->vertex_count;
    integrator_system system = {.context = context,
                                .point_count = count,
                                .masses = parts->masses,
                                .energy_count = fabric_count,
                                .energies = fabric,
                                .bound = parts->simulated.bound};
    integrator_def chosen = cloth_integrator(def);
    if (parts->hinges && parts->hinges->friction && !parts->simulated.bound) chosen.tolerance *= FRICTION_TOLERANCE;
    if (integrator_holds(chosen.kind) && !parts->holds) {
        TRY(NEW_ZEROED(context, &parts->holds, count));
        TRY(NEW(context, &parts->stage_holds, def->values.adaptive > 0 ? count : 0));
        if (parts->is_mapped) TRY(NEW_ZEROED(context, &parts->vertex_holds, mesh->vertex_count));
    }
    integrator *solver;
    TRY(integrator_create(&chosen, &system, &solver));
    integrator_destroy(parts->solver);
    parts->solver = solver;
    parts->integrator = chosen.kind;
    use_limit(mesh, def, parts);
    return RUGA_OK;
}

ruga_status cloth_parts_set_stiffness(cloth_parts *parts, double factor) {
    TRY(spring_network_set_factor(parts->network, factor));
    if (parts->membrane) TRY(membrane_set_factor(parts->membrane, factor));
    return parts->hinges ? hinges_set_factor(parts->hinges, factor) : RUGA_OK;
}

static ruga_status make_membrane(const ruga_mesh *mesh, const cloth_def *def, cloth_parts *parts) {
    const ruga_mesh *points = parts->simulated.mesh;
    const double *shares = parts->simulated.shares;
    const membrane_material material = cloth_membrane(def, mesh);
    vec3 *warps;
    TRY(NEW(mesh->context, &warps, points->triangle_count));
    ruga_status status = warp_of_mesh(points, def->values.warp, warps, &parts->warp);
    if (!RUGA_FAILED(status)) status = membrane_create(points, &material, warps, shares, &parts->membrane);
    memory_release(mesh->context, warps);
    return status;
}

/* Springs, or a membrane with the edges of its triangles for lengths. */
static ruga_status make_energies(const ruga_mesh *mesh, const cloth_def *def, cloth_parts *parts) {
    spring_material material = cloth_springs(def, mesh);
    material.shares = parts->simulated.shares;
    const hinge_material bending = {
        .bend = def->material.bend, .damping_time = material.damping_time, .friction = cloth_bend_friction(def)};
    int is_membrane = def->values.elements == CLOTH_MEMBRANE,
        bends = is_membrane || def->values.bending == BENDING_HINGES;
    if (is_membrane) material.limit = material.quads = 0;
    if (bends) material.bend = material.axial = 0;
    TRY(spring_network_of_mesh(parts->simulated.mesh, &material, &parts->network));
    if (is_membrane) TRY(make_membrane(mesh, def, parts));
    if (!bends || !(bending.bend > 0)) return RUGA_OK;
    return hinges_create(parts->simulated.mesh, &bending, material.shares, &parts->hinges);
}

ruga_status cloth_parts_make(const ruga_mesh *mesh, const cloth_def *def, const body_simulated *simulated,
                             double stiffness, double mass, cloth_parts *parts) {
    TRY(check_simulated(mesh, def, simulated));
    parts->simulated = *simulated;
    parts->is_mapped = simulated->mesh || simulated->visible || simulated->bound;
    if (!simulated->mesh) parts->simulated.mesh = mesh;
    const ruga_mesh *points = parts->simulated.mesh;
    if (!simulated->visible && points->vertex_count != mesh->vertex_count) {
        map_builder rows;
        TRY(map_builder_make(mesh->context, mesh->vertex_count, mesh->vertex_count, &rows));
        map_builder_copy_rows(&rows, mesh->vertex_count);
        TRY(map_builder_finish_rising(&rows, points->vertex_count, &parts->own_visible));
        parts->simulated.visible = parts->own_visible;
    }
    if (simulated->visible) TRY(cloth_pins_carry(&parts->pins, simulated->visible));

    TRY(make_energies(mesh, def, parts));
    TRY(cloth_parts_set_stiffness(parts, stiffness));
    TRY(allocate_parts(mesh->context, def, parts));
    TRY(mark_pinned(parts));
    TRY(cloth_parts_set_masses(parts, mass * def->material.density));
    TRY(cloth_parts_make_solver(mesh, def, parts));
    if (simulated->bound) {
        /* Refuses pins that are bound to other points. */
        memset(parts->impulses, 0, points->vertex_count * sizeof *parts->impulses);
        TRY(integrator_answer(parts->solver, parts->pins.count, parts->pins.points, parts->impulses, parts->impulses));
    }
    parts->vertices = parts->simulated.visible;
    if (simulated->bound && parts->vertices)
        TRY(ruga_map_compose(parts->vertices, simulated->bound, &parts->own_vertices));
    if (simulated->bound) parts->vertices = parts->own_vertices ? parts->own_vertices : simulated->bound;
    if (parts->is_mapped) {
        body rest = {.kind = "cloth",
                     .point_count = points->vertex_count,
                     .positions = (vec3 *)points->positions,
                     .collides = simulated->collides};
        TRY(part_surface_init(&parts->surface, &rest, mesh, parts->simulated.visible));
    }
    if (!cloth_has_air(def)) return RUGA_OK;
    TRY(topology_build(mesh->context, points->vertex_count, points->triangle_count, points->triangles, &parts->fans));
    topology_keep_fans(parts->fans);
    return RUGA_OK;
}

/* ---- Another mesh. */

ruga_status cloth_parts_carry_visible(const cloth_parts *old, const body *b, const body_change *change,
                                      cloth_parts *parts) {
    const ruga_map *map = change->vertices_from_old;
    if (!parts->is_mapped || !map) return RUGA_OK;
    if (map->rows != change->mesh->vertex_count || map->columns != b->mesh->vertex_count)
        return fail_argument(b->context, "a map of %zu x %zu can't make %zu visible vertices from %zu", map->rows,
                             map->columns, change->mesh->vertex_count, b->mesh->vertex_count);
    ruga_map_apply(map, old->is_mapped ? old->surface.accepted : b->positions, parts->surface.accepted);
    return RUGA_OK;
}

void cloth_parts_carry_state(const cloth_parts *old, const body_change *change, const cloth_parts *parts,
                             vec3 *positions) {
    const ruga_map *points = change->points_from_old;
    for (size_t i = 0; old->holds && parts->holds && i < points->rows; i++) {
        size_t row = points->offsets[i];
        if (points->offsets[i + 1] == row + 1 && points->weights[row] == 1 && points->indices[row] == i)
            parts->holds[i] = old->holds[i];
    }
    if (old->is_mapped && !parts->is_mapped && change->vertices_from_old)
        ruga_map_apply(change->vertices_from_old, old->surface.accepted, positions);
}
