#include "body/part_surface.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define SURFACE_TAG STATE_TAG('P', 'S', 'R', 'F')
#define SURFACE_VERSION 1
#define FOLD_PART 0.1 /* of distances at rest that the sides of a fold keep: it closes to 174 degrees without force */

contact_surface part_surface_of_points(const body *b, const double *inverse_masses, ruga_vec3 *impulses) {
    if (b->point_count > 0) memset(impulses, 0, b->point_count * sizeof *impulses);
    return (contact_surface){.mesh = b->mesh,
                             .revision = b->revision,
                             .accepted = b->positions,
                             .candidate = b->candidate_positions,
                             .velocities = b->candidate_velocities,
                             .inverse_masses = inverse_masses,
                             .collides = b->collides,
                             .impulses = impulses,
                             .thickness = b->touch.thickness,
                             .friction = b->touch.friction,
                             .self = b->touch.self};
}

/* ---- Making. */

static ruga_status allocate(part_surface *p, size_t vertices, size_t points) {
    TRY(NEW_EACH(p->context, vertices, &p->accepted, &p->velocities, &p->inverse_masses, &p->surface.candidate));
    TRY(NEW_ZEROED(p->context, &p->surface.impulses, vertices));
    return NEW_ZEROED(p->context, &p->column_sums, points);
}

static void apply(const part_surface *p, const vec3 *points, vec3 *vertices) {
    if (p->surface.map)
        ruga_map_apply(p->surface.map, points, vertices);
    else if (p->surface.mesh->vertex_count > 0)
        memcpy(vertices, points, p->surface.mesh->vertex_count * sizeof *vertices);
}

/* A vertex collides if all points that it is made of do. */
static ruga_status make_mask(part_surface *p, const body *b) {
    const ruga_map *map = p->surface.map;
    TRY(NEW(p->context, &p->collides, p->surface.mesh->vertex_count));
    for (size_t v = 0; v < p->surface.mesh->vertex_count; v++) {
        p->collides[v] = map ? 1 : b->collides[v];
        for (size_t k = map ? map->offsets[v] : 0; map && k < map->offsets[v + 1]; k++)
            p->collides[v] &= map->weights[k] == 0 || b->collides[map->indices[k]];
    }
    p->surface.collides = p->collides;
    return RUGA_OK;
}

ruga_status part_surface_init(part_surface *p, const body *b, const ruga_mesh *mesh, const ruga_map *map) {
    *p = (part_surface){.context = mesh->context, .surface = {.mesh = mesh, .map = map}};
    size_t rows = map ? map->rows : b->point_count, columns = map ? map->columns : b->point_count;
    if (rows != mesh->vertex_count || columns != b->point_count)
        return fail_argument(mesh->context,
                             "a collision surface of %zu vertices on a %s body of %zu points has a map of %zu x %zu",
                             mesh->vertex_count, b->kind, b->point_count, rows, columns);
    TRY(allocate(p, mesh->vertex_count, b->point_count));
    p->surface.accepted = p->accepted;
    p->surface.velocities = p->velocities;
    p->surface.inverse_masses = p->inverse_masses;
    p->mass_revision = UINT64_MAX;
    for (size_t k = 0; map && k < map->offsets[map->rows]; k++)
        p->column_sums[map->indices[k]] += fabs(map->weights[k]);
    part_surface_settle(p, b);
    return b->collides ? make_mask(p, b) : RUGA_OK;
}

void part_surface_release(part_surface *p) {
    void *arrays[] = {p->accepted,         p->velocities,  p->inverse_masses, p->surface.candidate,
                      p->surface.impulses, p->column_sums, p->collides};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) memory_release(p->context, arrays[k]);
    *p = (part_surface){.context = p->context};
}

/* ---- A substep. */

/* The header has the derivation. */
static double vertex_inverse_mass(const part_surface *p, const body *b, size_t v) {
    const ruga_map *map = p->surface.map;
    if (!map) return body_inverse_mass(b, v);
    double most = 0, weight = 0;
    for (size_t k = map->offsets[v]; k < map->offsets[v + 1]; k++) {
        double inverse_mass = body_inverse_mass(b, map->indices[k]);
        if (inverse_mass == 0 || map->weights[k] == 0) continue;
        most = fmax(most, p->column_sums[map->indices[k]] * inverse_mass);
        weight += fabs(map->weights[k]);
    }
    return weight * most;
}

contact_surface *part_surface_fill(part_surface *p, const body *b) {
    contact_surface *s = &p->surface;
    size_t count = s->mesh->vertex_count;
    if (p->mass_revision != b->mass_revision)
        for (size_t v = 0; v < count; v++) p->inverse_masses[v] = vertex_inverse_mass(p, b, v);
    p->mass_revision = b->mass_revision;
    apply(p, b->candidate_positions, s->candidate);
    apply(p, b->candidate_velocities, p->velocities);
    if (count > 0) memset(s->impulses, 0, count * sizeof *s->impulses);
    s->revision = b->revision;
    s->thickness = b->touch.thickness;
    s->friction = b->touch.friction;
    s->self = b->touch.self;
    s->rest_part = b->given.bound || b->given.mesh ? FOLD_PART : 1; /* cut along creases */
    return s;
}

void part_surface_keep(part_surface *p) {
    if (p->surface.mesh->vertex_count > 0)
        memcpy(p->accepted, p->surface.candidate, p->surface.mesh->vertex_count * sizeof *p->accepted);
}

void part_surface_settle(part_surface *p, const body *b) { apply(p, b->positions, p->accepted); }

/* ---- Another mesh, and the state. */

ruga_status part_surface_rebuild(part_surface *p, const body *b, const ruga_mesh *mesh, const ruga_map *map,
                                 const ruga_map *from_old) {
    if (from_old->rows != mesh->vertex_count || from_old->columns != p->surface.mesh->vertex_count)
        return fail_argument(p->context,
                             "a collision surface of %zu vertices can't become one of %zu by a map of %zu x %zu",
                             p->surface.mesh->vertex_count, mesh->vertex_count, from_old->rows, from_old->columns);
    part_surface other;
    TRY_OR(part_surface_init(&other, b, mesh, map), part_surface_release(&other));
    ruga_map_apply(from_old, p->accepted, other.accepted);
    part_surface_release(p);
    *p = other;
    return RUGA_OK;
}

void part_surface_save(const part_surface *p, state_writer *writer) {
    uint64_t count = p->surface.mesh->vertex_count;
    state_begin(writer, SURFACE_TAG, SURFACE_VERSION);
    state_put_u64(writer, &count, 1);
    state_put_f64(writer, (const double *)p->accepted, 3 * count);
    state_end(writer);
}

ruga_status part_surface_load(part_surface *p, state_reader *reader) {
    state_reader entry;
    uint64_t count = 0;
    TRY(state_enter(reader, SURFACE_TAG, SURFACE_VERSION, NULL, &entry));
    TRY(state_get_u64(&entry, &count, 1));
    if (count != p->surface.mesh->vertex_count)
        return fail_input(
            p->context,
            "the saved collision surface has %llu vertices, but the mesh has %zu; use the scene that it was "
            "saved from",
            (unsigned long long)count, p->surface.mesh->vertex_count);
    return state_get_f64(&entry, (double *)p->accepted, 3 * count);
}
