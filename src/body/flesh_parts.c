/* Making the energies, masses, pins and arrays of flesh, and refusing meshes that can't be flesh. */
#include "body/flesh_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geom/embed.h"
#include "linalg/map.h"
#include "mesh/mesh.h"
#include "solve/bound.h"

#define REACH 2.0 /* of the thickness: within it colliders and surfaces push quasistatic flesh */

void flesh_parts_release(ruga_context *context, flesh_parts *parts) {
    integrator_destroy(parts->solver);
    equilibrium_destroy(parts->statics);
    obstacles_destroy(parts->obstacles);
    surface_barrier_destroy(parts->touching);
    anchors_destroy(parts->anchors);
    spring_network_destroy(parts->skin);
    tet_energy_destroy(parts->tets);
    topology_destroy(parts->fans);
    if (parts->pins.context) cloth_pins_release(&parts->pins);
    if (parts->surface.context) part_surface_release(&parts->surface);
    ruga_map_destroy(parts->own_visible);
    ruga_map_destroy(parts->own_vertices);
    for (size_t k = 0; parts->muscles && k < parts->muscle_count; k++) memory_release(context, parts->muscles[k].keys);
    ARRAY_RELEASE(context, &parts->further);
    ARRAY_RELEASE(context, &parts->others);
    ARRAY_RELEASE(context, &parts->other_ends);
    RELEASE_ALL(context, parts->masses, parts->inverse_masses, parts->triangle_shares, parts->outer, parts->forces,
                parts->impulses, parts->air_scratch, parts->holds, parts->locks, parts->muscles, parts->vertex_holds);
    *parts = (flesh_parts){0};
}

int flesh_has_air(const ruga_flesh_def *values) { return values->drag > 0 || values->lift > 0; }

size_t flesh_parts_energies(const flesh_parts *parts, energy_term *out[3]) {
    size_t count = 0;
    out[count++] = &parts->tets->base;
    if (parts->skin) out[count++] = &parts->skin->base;
    if (parts->anchors) out[count++] = &parts->anchors->base;
    return count;
}

/* ---- Meshes that can't be flesh. */

static ruga_status check_vertices(const ruga_mesh *mesh, const uint32_t *piece) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (!vec3_is_finite(mesh->positions[v])) return fail_input(mesh->context, "vertex %zu is not finite", v);
        if (piece[v] == NO_INDEX)
            return fail_input(mesh->context,
                              "vertex %zu is in no tet, so it would have no mass; remove such vertices from the flesh",
                              v);
        if (piece[v] != piece[0])
            return fail_input(mesh->context,
                              "the tets are not connected: vertices %u and %zu belong to different pieces; make each "
                              "piece an object of its own, or join them",
                              0, v);
    }
    return RUGA_OK;
}

static uint32_t root_of(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
}

static ruga_status check_connected(const ruga_mesh *mesh) {
    uint32_t *parents = NULL;
    TRY(NEW(mesh->context, &parents, mesh->vertex_count));
    for (size_t v = 0; v < mesh->vertex_count; v++) parents[v] = NO_INDEX;
    for (size_t c = 0; c < 4 * mesh->tet_count; c++) parents[mesh->tets[c]] = mesh->tets[c];
    for (size_t c = 0; c < 4 * mesh->tet_count; c++) {
        uint32_t a = root_of(parents, mesh->tets[c - c % 4]), b = root_of(parents, mesh->tets[c]);
        parents[a > b ? a : b] = a > b ? b : a;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (parents[v] != NO_INDEX) parents[v] = root_of(parents, v);
    ruga_status status = check_vertices(mesh, parents);
    memory_release(mesh->context, parents);
    return status;
}

/* The triangle beyond the edge at v that is not `edge`, which becomes that edge. */
static uint32_t next_around(const topology *topo, uint32_t v, uint32_t triangle, uint32_t *edge) {
    for (size_t k = 0; k < 3; k++) {
        const uint32_t e = topo->triangle_edges[3 * (size_t)triangle + k];
        const uint32_t *ends = topo->edge_vertices + 2 * (size_t)e, *at = topo->edge_triangles + topo->edge_offsets[e];
        if (e == *edge || (ends[0] != v && ends[1] != v)) continue;
        *edge = e;
        return at[0] == triangle ? at[1] : at[0];
    }
    return triangle;
}

/* The triangles at a vertex are one fan: no tets meet there in the vertex alone. All edges have two triangles. */
static ruga_status check_fan(const ruga_mesh *mesh, const topology *topo, uint32_t v) {
    const uint32_t *fan = topo->fan_triangles + topo->fan_offsets[v];
    const uint32_t size = topo->fan_offsets[v + 1] - topo->fan_offsets[v];
    uint32_t edge = NO_INDEX, count = 0, at = size > 0 ? fan[0] : 0;
    while (count < size && (count == 0 || at != fan[0])) {
        at = next_around(topo, v, at, &edge);
        count++;
    }
    if (count == size) return RUGA_OK;
    return fail_input(mesh->context,
                      "the surface of the tets is not manifold: it meets itself at vertex %u, around which only %u of "
                      "%u triangles are connected; tets have to meet in whole sides, not in a vertex alone",
                      v, count, size);
}

static ruga_status check_surface(const ruga_mesh *mesh) {
    topology *topo;
    ruga_status status = RUGA_OK;
    TRY(topology_build_mesh(mesh, &topo));
    for (size_t e = 0; e < topo->edge_count && !RUGA_FAILED(status); e++)
        if (topology_edge_size(topo, e) != 2)
            status =
                fail_input(mesh->context,
                           "the surface of the tets is not manifold: the edge between vertices %u and %u has %u "
                           "triangles instead of 2; tets have to meet in whole sides, not in an edge alone",
                           topo->edge_vertices[2 * e], topo->edge_vertices[2 * e + 1], topology_edge_size(topo, e));
    for (uint32_t v = 0; v < mesh->vertex_count && !RUGA_FAILED(status); v++) status = check_fan(mesh, topo, v);
    topology_destroy(topo);
    return status;
}

ruga_status flesh_check_mesh(const ruga_mesh *mesh) {
    TRY(tet_energy_check_rest(mesh));
    TRY(check_connected(mesh));
    return check_surface(mesh);
}

static ruga_status check_simulated(const ruga_mesh *mesh, const body_simulated *simulated) {
    const size_t points = simulated->mesh ? simulated->mesh->vertex_count : mesh->vertex_count;
    const ruga_map *visible = simulated->visible, *binding = simulated->bound;
    if (visible && (visible->rows != mesh->vertex_count || visible->columns != points))
        return fail_input(mesh->context, "a map of %zu x %zu can't show %zu simulated points as %zu vertices",
                          visible->rows, visible->columns, points, mesh->vertex_count);
    if (!visible && points < mesh->vertex_count)
        return fail_input(mesh->context, "%zu points are simulated for %zu visible vertices without a map", points,
                          mesh->vertex_count);
    if (binding && binding->rows != points)
        return fail_input(mesh->context, "a binding of %zu points does not fit %zu simulated points", binding->rows,
                          points);
    return simulated->mesh ? RUGA_OK : flesh_check_mesh(mesh);
}

/* ---- Energies. */

typedef struct side {
    uint32_t vertices[3]; /* rising */
    uint32_t triangle;
} side;

static void sort_three(uint32_t v[3]) {
    for (int k = 0; k < 3; k++) {
        int i = k < 2 ? k : 0;
        if (v[i] <= v[i + 1]) continue;
        uint32_t t = v[i];
        v[i] = v[i + 1];
        v[i + 1] = t;
    }
}

static int compare_sides(const void *a, const void *b) {
    const side *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->vertices[k] != q->vertices[k]) return p->vertices[k] < q->vertices[k] ? -1 : 1;
    return 0;
}

/* A triangle of the surface has the share of the tet that it is a side of. */
static ruga_status share_triangles(const ruga_mesh *mesh, const double *shares, double *out) {
    side *sides = NULL;
    TRY(NEW(mesh->context, &sides, mesh->triangle_count));
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        sides[t].triangle = (uint32_t)t;
        memcpy(sides[t].vertices, mesh->triangles + 3 * t, sizeof sides[t].vertices);
        sort_three(sides[t].vertices);
        out[t] = 1;
    }
    qsort(sides, mesh->triangle_count, sizeof *sides, compare_sides);
    for (size_t s = 0; s < 4 * mesh->tet_count; s++) {
        side wanted = {{0}, 0};
        for (int k = 0; k < 3; k++) wanted.vertices[k] = mesh->tets[s / 4 * 4 + tet_sides[s % 4][k]];
        sort_three(wanted.vertices);
        const side *found = bsearch(&wanted, sides, mesh->triangle_count, sizeof *sides, compare_sides);
        if (found) out[found->triangle] = shares[s / 4];
    }
    memory_release(mesh->context, sides);
    return RUGA_OK;
}

static ruga_status make_skin(const flesh_def *def, flesh_parts *parts) {
    const ruga_flesh_def *v = &def->values;
    const double damping = v->integrator == FLESH_QUASISTATIC ? 0 : v->damping;
    if (!(v->skin > 0)) return RUGA_OK;
    const spring_material material = {.stretch = v->skin,
                                      .bend = v->skin_bend,
                                      .damping_time = damping,
                                      .phases = {1, 1, 0},
                                      .axial = v->skin_bend > 0,
                                      .shares = parts->triangle_shares};
    return spring_network_of_mesh(parts->simulated.mesh, &material, &parts->skin);
}

static ruga_status make_energies(const flesh_def *def, flesh_parts *parts) {
    const ruga_flesh_def *v = &def->values;
    const ruga_mesh *points = parts->simulated.mesh;
    const double damping = v->integrator == FLESH_QUASISTATIC ? 0 : v->damping;
    static const elastic_law laws[] = {ELASTIC_NEO_HOOKEAN, ELASTIC_COROTATED, ELASTIC_INVERTIBLE};
    const tet_material material = {laws[v->material], v->young, v->poisson, damping};
    TRY(tet_energy_create(points, &material, parts->simulated.shares, &parts->tets));
    if (parts->simulated.shares) {
        TRY(NEW(points->context, &parts->triangle_shares, points->triangle_count));
        TRY(share_triangles(points, parts->simulated.shares, parts->triangle_shares));
    }
    return make_skin(def, parts);
}

/* ---- Muscles. */

/* Vertices of the visible mesh that each tet is nearest to: its corners, where the tets are the mesh's own or copies of
 * them. */
static ruga_status find_nearest(const ruga_mesh *mesh, const flesh_parts *parts, const vec3 *places, ruga_map **out) {
    const ruga_mesh *points = parts->simulated.mesh;
    const uint32_t *vertex_of = parts->simulated.vertex_of;
    map_builder rows;
    if (points != mesh && !vertex_of) return embed_in_surface(mesh, places, points->tet_count, out, NULL);
    TRY(map_builder_make(mesh->context, points->tet_count, 4 * points->tet_count, &rows));
    for (size_t c = 0; c < 4 * points->tet_count; c++) {
        map_builder_put(&rows, points != mesh ? vertex_of[points->tets[c]] : points->tets[c], 0.25);
        if (c % 4 == 3) map_builder_end_row(&rows);
    }
    return map_builder_finish(&rows, mesh->vertex_count, out);
}

static ruga_status set_fibres(const ruga_mesh *mesh, const flesh_def *def, const vec3 *places, flesh_parts *parts) {
    ruga_context *context = mesh->context;
    ruga_map *nearest = NULL;
    muscle_fibre *fibres = NULL;
    size_t count = 0;
    TRY(find_nearest(mesh, parts, places, &nearest));
    ruga_status status = muscles_find_fibres(context, def->muscles, def->muscle_count, nearest, places,
                                             parts->simulated.mesh->tet_count, &fibres, &count);
    if (!RUGA_FAILED(status)) status = tet_energy_set_fibres(parts->tets, count, fibres, def->muscle_count);
    ruga_map_destroy(nearest);
    memory_release(context, fibres);
    return status;
}

static ruga_status make_muscles(const ruga_mesh *mesh, const flesh_def *def, flesh_parts *parts) {
    const ruga_mesh *points = parts->simulated.mesh;
    vec3 *places = NULL;
    if (def->muscle_count == 0) return RUGA_OK;
    TRY(NEW_ZEROED(mesh->context, &parts->muscles, def->muscle_count));
    parts->muscle_count = def->muscle_count;
    TRY(muscles_copy_keys(mesh->context, def->muscles, def->muscle_count, 0, parts->muscles));
    TRY(NEW_ZEROED(mesh->context, &places, points->tet_count));
    for (size_t c = 0; c < 4 * points->tet_count; c++)
        places[c / 4] = vec3_add_scaled(places[c / 4], points->positions[points->tets[c]], 0.25);
    ruga_status status = set_fibres(mesh, def, places, parts);
    memory_release(mesh->context, places);
    return status;
}

/* ---- Pins. */

static int is_point(const ruga_map *visible, size_t vertex) {
    if (!visible) return 1;
    size_t row = visible->offsets[vertex];
    return visible->offsets[vertex + 1] == row + 1 && visible->weights[row] == 1;
}

/* Springs are `hold` times as stiff as the tets under a vertex's share of the surface: k = hold E area / size. */
static ruga_status make_anchors(const ruga_mesh *mesh, const flesh_def *def, flesh_parts *parts) {
    ruga_context *context = mesh->context;
    const cloth_pins *pins = &parts->pins;
    const ruga_mesh *points = parts->simulated.mesh;
    double *areas = NULL, *stiffness = NULL, volume = 0;
    ruga_status status = NEW_ZEROED(context, &areas, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = NEW(context, &stiffness, pins->count);
    for (size_t t = 0; t < points->tet_count; t++) volume += mesh_tet_volume(points, t);
    if (!RUGA_FAILED(status)) {
        double size = cbrt(6 * volume / (double)points->tet_count);
        for (size_t c = 0; c < 3 * mesh->triangle_count; c++)
            areas[mesh->triangles[c]] += mesh_triangle_area(mesh, c / 3) / 3;
        for (size_t k = 0; k < pins->count; k++)
            stiffness[k] =
                def->values.hold * def->values.young * fmax(areas[pins->vertices[k]], 1e-6 * size * size) / size;
        status = anchors_create(parts->simulated.visible, pins->count, pins->vertices, stiffness, pins->targets,
                                &parts->anchors);
    }
    RELEASE_ALL(context, areas, stiffness);
    return status;
}

static ruga_status make_pins(const ruga_mesh *mesh, const flesh_def *def, flesh_parts *parts) {
    const body_simulated *simulated = &parts->simulated;
    cloth_pins *pins = &parts->pins;
    TRY(cloth_pins_make_from(mesh, simulated->visible, simulated->start, def->pins, def->pin_def_count, pins));
    parts->pins_are_points = 1;
    for (size_t k = 0; k < pins->count; k++) parts->pins_are_points &= is_point(simulated->visible, pins->vertices[k]);
    if (!parts->pins_are_points) return make_anchors(mesh, def, parts);
    return simulated->visible ? cloth_pins_carry(pins, simulated->visible) : RUGA_OK;
}

/* ---- Masses. */

/* Inverse masses become 0 at pinned points and those that are bound to pinned ones alone, 1 elsewhere. */
static ruga_status mark_pinned(flesh_parts *parts, int is_static) {
    const ruga_map *t = parts->simulated.bound;
    ruga_context *context = parts->simulated.mesh->context;
    double *inverse = parts->inverse_masses;
    unsigned char *unknowns = NULL;
    for (size_t i = 0; i < parts->simulated.mesh->vertex_count; i++) inverse[i] = !is_static;
    if (is_static || !parts->pins_are_points) return RUGA_OK;
    for (size_t k = 0; k < parts->pins.count; k++) inverse[parts->pins.points[k]] = 0;
    if (!t) return RUGA_OK;
    TRY(NEW_ZEROED(context, &unknowns, t->columns));
    for (size_t k = 0; k < parts->pins.count; k++) {
        uint32_t i = parts->pins.points[k];
        if (t->offsets[i] < t->offsets[i + 1]) unknowns[t->indices[t->offsets[i]]] = 1;
    }
    for (size_t i = 0; i < t->rows; i++) {
        inverse[i] = 0;
        for (size_t e = t->offsets[i]; e < t->offsets[i + 1]; e++)
            if (!unknowns[t->indices[e]]) inverse[i] = 1;
    }
    memory_release(context, unknowns);
    return RUGA_OK;
}

void flesh_parts_set_masses(flesh_parts *parts, double density) {
    const ruga_mesh *points = parts->simulated.mesh;
    memset(parts->masses, 0, points->vertex_count * sizeof *parts->masses);
    for (size_t c = 0; c < 4 * points->tet_count; c++)
        parts->masses[points->tets[c]] += density * parts->tets->rest[c / 4].volume / 4; /* with the tet's share */
    for (size_t i = 0; i < points->vertex_count; i++)
        parts->inverse_masses[i] = parts->inverse_masses[i] > 0 ? 1 / parts->masses[i] : 0;
}

ruga_status flesh_parts_set_stiffness(flesh_parts *parts, double factor) {
    TRY(tet_energy_set_factor(parts->tets, factor));
    if (parts->anchors) {
        parts->anchors->factor = factor;
        parts->anchors->base.revision++;
    }
    return parts->skin ? spring_network_set_factor(parts->skin, factor) : RUGA_OK;
}

/* ---- Solvers. */

/* All energies, those of parts too. */
static ruga_status gather_energies(flesh_parts *parts, energy_term ***out, size_t *count) {
    energy_term *own[3];
    *count = flesh_parts_energies(parts, own);
    TRY(NEW(parts->simulated.mesh->context, out, *count + parts->further.count + 2));
    memcpy(*out, own, *count * sizeof *own);
    if (parts->obstacles) (*out)[(*count)++] = obstacles_term(parts->obstacles);
    if (parts->touching) (*out)[(*count)++] = surface_barrier_term(parts->touching);
    for (size_t k = 0; k < parts->further.count; k++) (*out)[(*count)++] = parts->further.items[k];
    return RUGA_OK;
}

static ruga_status make_statics(const ruga_flesh_def *v, energy_term *const *energies, size_t count,
                                const flesh_parts *parts, equilibrium **out) {
    const ruga_mesh *points = parts->simulated.mesh;
    const equilibrium_system system = {.context = points->context,
                                       .point_count = points->vertex_count,
                                       .energy_count = count,
                                       .energies = energies,
                                       .bound = parts->simulated.bound};
    const equilibrium_def chosen = {.tolerance = isnan(v->tolerance) ? FLESH_FORCE_TOLERANCE : v->tolerance,
                                    .most_steps = v->newton_steps,
                                    .most_iterations = v->iterations};
    return equilibrium_create(&chosen, &system, out);
}

static ruga_status make_integrator(const ruga_flesh_def *v, energy_term *const *energies, size_t count,
                                   const flesh_parts *parts, integrator **out) {
    const ruga_mesh *points = parts->simulated.mesh;
    const integrator_system system = {.context = points->context,
                                      .point_count = points->vertex_count,
                                      .masses = parts->masses,
                                      .energy_count = count,
                                      .energies = energies,
                                      .bound = parts->simulated.bound};
    integrator_def chosen = integrator_def_default();
    chosen.kind = v->integrator == FLESH_SEMI_IMPLICIT ? INTEGRATOR_SEMI_IMPLICIT : INTEGRATOR_IMPLICIT;
    chosen.tolerance = isnan(v->tolerance) ? FLESH_STEP_TOLERANCE : v->tolerance;
    chosen.most_iterations = v->iterations;
    return integrator_create(&chosen, &system, out);
}

/* The solver of all energies, in place of the one before. */
static ruga_status make_solver(const ruga_flesh_def *v, flesh_parts *parts) {
    energy_term **energies = NULL;
    size_t count;
    integrator *solver = NULL;
    equilibrium *statics = NULL;
    TRY(gather_energies(parts, &energies, &count));
    ruga_status status = v->integrator == FLESH_QUASISTATIC ? make_statics(v, energies, count, parts, &statics)
                                                            : make_integrator(v, energies, count, parts, &solver);
    memory_release(parts->simulated.mesh->context, (void *)energies);
    TRY(status);
    integrator_destroy(parts->solver);
    equilibrium_destroy(parts->statics);
    parts->solver = solver;
    parts->statics = statics;
    return RUGA_OK;
}

ruga_status flesh_parts_add_energy(const ruga_flesh_def *values, energy_term *energy, flesh_parts *parts) {
    TRY(ARRAY_ADD(parts->simulated.mesh->context, &parts->further, energy));
    return make_solver(values, parts);
}

static ruga_status make_holds(const ruga_mesh *mesh, flesh_parts *parts) {
    TRY(NEW_ZEROED(mesh->context, &parts->holds, parts->simulated.mesh->vertex_count));
    return parts->is_mapped ? NEW_ZEROED(mesh->context, &parts->vertex_holds, mesh->vertex_count) : RUGA_OK;
}

/* Refuses pins that are bound to other points, before the first step. */
static ruga_status check_bound_pins(const flesh_parts *parts) {
    bound *space;
    uint32_t *unknowns = NULL;
    if (!parts->simulated.bound || !parts->pins_are_points) return RUGA_OK;
    TRY(bound_create(parts->simulated.mesh->context, parts->simulated.bound, &space));
    ruga_status status = NEW(space->context, &unknowns, parts->simulated.bound->columns);
    if (!RUGA_FAILED(status)) status = bound_find_pins(space, parts->pins.count, parts->pins.points, unknowns);
    memory_release(space->context, unknowns);
    bound_destroy(space);
    return status;
}

/* ---- The surface. */

/* Points inside never collide: only the surface of tets does. */
static ruga_status mark_outer(flesh_parts *parts) {
    const ruga_mesh *points = parts->simulated.mesh;
    TRY(NEW_ZEROED(points->context, &parts->outer, points->vertex_count));
    for (size_t c = 0; c < 3 * points->triangle_count; c++) parts->outer[points->triangles[c]] = 1;
    const unsigned char *given = parts->simulated.collides;
    for (size_t i = 0; given && i < points->vertex_count; i++) parts->outer[i] &= given[i] != 0;
    return RUGA_OK;
}

static ruga_status make_surface(const ruga_mesh *mesh, flesh_parts *parts) {
    const ruga_mesh *points = parts->simulated.mesh;
    const body_simulated *simulated = &parts->simulated;
    parts->vertices = simulated->visible;
    if (simulated->bound && parts->vertices)
        TRY(ruga_map_compose(parts->vertices, simulated->bound, &parts->own_vertices));
    if (simulated->bound) parts->vertices = parts->own_vertices ? parts->own_vertices : simulated->bound;
    if (!parts->is_mapped) return mark_outer(parts);
    body rest = {.kind = "flesh",
                 .point_count = points->vertex_count,
                 .positions = (vec3 *)points->positions,
                 .collides = simulated->collides};
    return part_surface_init(&parts->surface, &rest, mesh, simulated->visible);
}

static ruga_status map_first_points(const ruga_mesh *mesh, flesh_parts *parts) {
    map_builder rows;
    if (parts->simulated.visible || parts->simulated.mesh->vertex_count == mesh->vertex_count) return RUGA_OK;
    TRY(map_builder_make(mesh->context, mesh->vertex_count, mesh->vertex_count, &rows));
    map_builder_copy_rows(&rows, mesh->vertex_count);
    TRY(map_builder_finish_rising(&rows, parts->simulated.mesh->vertex_count, &parts->own_visible));
    parts->simulated.visible = parts->own_visible;
    return RUGA_OK;
}

/* ---- Contact in equilibrium. */

/* Vertices that collide, and of these the ones that contact pushes: not those whose points are all pinned, which could
 * not move aside. */
static void mark_pushed(const ruga_mesh *mesh, const flesh_parts *parts, unsigned char *collides,
                        unsigned char *pushed) {
    const unsigned char *given = parts->simulated.visible ? NULL : parts->simulated.collides;
    for (size_t c = 0; c < 3 * mesh->triangle_count; c++) {
        const uint32_t v = mesh->triangles[c];
        collides[v] = pushed[v] = !given || given[v];
    }
    for (size_t k = 0; parts->pins_are_points && k < parts->pins.count; k++) pushed[parts->pins.vertices[k]] = 0;
}

/* κ: a layer of the flesh as thick as the reach, under the vertex's share of the surface. */
static void find_contact_stiffness(const ruga_mesh *mesh, double young, double reach, double *stiffness) {
    for (size_t c = 0; c < 3 * mesh->triangle_count; c++)
        stiffness[mesh->triangles[c]] += young * mesh_triangle_area(mesh, c / 3) / 3 / reach;
}

static ruga_status make_barriers(const ruga_mesh *mesh, const flesh_def *def, double reach, const double *stiffness,
                                 const unsigned char *collides, const unsigned char *pushed, flesh_parts *parts) {
    const obstacles_def outer = {.context = mesh->context,
                                 .point_count = parts->simulated.mesh->vertex_count,
                                 .visible = parts->simulated.visible,
                                 .vertex_count = mesh->vertex_count,
                                 .collides = pushed,
                                 .stiffness = stiffness,
                                 .reach = reach};
    const surface_barrier_def own = {.context = mesh->context,
                                     .mesh = mesh,
                                     .point_count = parts->simulated.mesh->vertex_count,
                                     .visible = parts->simulated.visible,
                                     .collides = collides,
                                     .moves = pushed,
                                     .stiffness = stiffness,
                                     .reach = reach};
    if (def->feels_colliders) TRY(obstacles_create(&outer, &parts->obstacles));
    return def->feels_surfaces ? surface_barrier_create(&own, &parts->touching) : RUGA_OK;
}

static ruga_status make_contact(const ruga_mesh *mesh, const flesh_def *def, flesh_parts *parts) {
    ruga_context *context = mesh->context;
    const double reach = REACH * def->values.thickness;
    double *stiffness = NULL;
    unsigned char *collides = NULL, *pushed = NULL;
    if (def->values.integrator != FLESH_QUASISTATIC || !(reach > 0)) return RUGA_OK;
    if (!def->feels_colliders && !def->feels_surfaces) return RUGA_OK;
    ruga_status status = NEW_ZEROED(context, &stiffness, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = NEW_EACH_ZEROED(context, mesh->vertex_count, &collides, &pushed);
    if (!RUGA_FAILED(status)) {
        find_contact_stiffness(mesh, def->values.young, reach, stiffness);
        mark_pushed(mesh, parts, collides, pushed);
        status = make_barriers(mesh, def, reach, stiffness, collides, pushed, parts);
    }
    RELEASE_ALL(context, stiffness, collides, pushed);
    return status;
}

static ruga_status make_air(const flesh_def *def, flesh_parts *parts) {
    const ruga_mesh *points = parts->simulated.mesh;
    if (!flesh_has_air(&def->values)) return RUGA_OK;
    TRY(NEW(points->context, &parts->air_scratch, points->triangle_count));
    TRY(topology_build(points->context, points->vertex_count, points->triangle_count, points->triangles, &parts->fans));
    topology_keep_fans(parts->fans);
    return RUGA_OK;
}

/* ---- All. */

ruga_status flesh_parts_make(const ruga_mesh *mesh, const flesh_def *def, flesh_parts *parts) {
    const body_simulated *simulated = &def->simulated;
    const int is_static = def->values.integrator == FLESH_QUASISTATIC;
    TRY(check_simulated(mesh, simulated));
    parts->simulated = *simulated;
    parts->is_mapped = simulated->mesh || simulated->visible || simulated->bound;
    if (!simulated->mesh) parts->simulated.mesh = mesh;
    const size_t count = parts->simulated.mesh->vertex_count;
    TRY(map_first_points(mesh, parts));
    TRY(make_energies(def, parts));
    TRY(make_muscles(mesh, def, parts));
    TRY(make_pins(mesh, def, parts));
    TRY(check_bound_pins(parts));
    TRY(NEW_EACH(mesh->context, count, &parts->masses, &parts->inverse_masses));
    TRY(NEW_EACH_ZEROED(mesh->context, count, &parts->forces, &parts->impulses));
    TRY(NEW(mesh->context, &parts->locks, simulated->lock_count));
    TRY(mark_pinned(parts, is_static));
    flesh_parts_set_masses(parts, def->values.density);
    if (!is_static) TRY(make_holds(mesh, parts));
    TRY(make_contact(mesh, def, parts));
    TRY(make_solver(&def->values, parts));
    TRY(make_surface(mesh, parts));
    return make_air(def, parts);
}
