/* All surfaces as one mesh: vertices, edges and triangles of the parts one after the other, numbered through. */
#include "contact/contact_mesh.h"

#include <string.h>

#include "base/threads.h"
#include "math/vec3.h"
#include "mesh/topology.h"

enum { VERTEX_BLOCK = 4096 };

static size_t part_end(const contact_mesh *m, size_t part) {
    return part + 1 < m->part_count ? m->parts[part + 1].first_vertex : m->vertex_count;
}

/* ---- Every substep */

typedef struct exchange {
    contact_mesh *mesh;
    contact_surface *const *surfaces;
    double dt;
    /* Vertices [begin, end) of a surface, which are those of the mesh from `first` on. */
    void (*run)(const struct exchange *e, const contact_surface *surface, size_t first, size_t begin, size_t end);
} exchange;

/* Cuts a range of the mesh's vertices into those of its surfaces. */
static void exchange_block(void *argument, size_t begin, size_t end) {
    const exchange *e = argument;
    while (begin < end) {
        uint32_t part = e->mesh->part_of[begin];
        size_t first = e->mesh->parts[part].first_vertex, stop = part_end(e->mesh, part);
        stop = stop < end ? stop : end;
        e->run(e, e->surfaces[part], first, begin - first, stop - first);
        begin = stop;
    }
}

static void take_range(const exchange *e, const contact_surface *s, size_t first, size_t begin, size_t end) {
    memcpy(e->mesh->from + first + begin, s->accepted + begin, (end - begin) * sizeof *s->accepted);
    memcpy(e->mesh->to + first + begin, s->candidate + begin, (end - begin) * sizeof *s->candidate);
    memcpy(e->mesh->inverse_masses + first + begin, s->inverse_masses + begin,
           (end - begin) * sizeof *s->inverse_masses);
}

static void give_range(const exchange *e, const contact_surface *s, size_t first, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        vec3 to = e->mesh->to[first + i], change = vec3_sub(to, s->candidate[i]);
        double inverse_mass = e->mesh->inverse_masses[first + i];
        s->candidate[i] = to;
        if (inverse_mass == 0 || (change.x == 0 && change.y == 0 && change.z == 0)) continue;
        s->impulses[i] = vec3_add(s->impulses[i], vec3_scale(change, 1 / (inverse_mass * e->dt)));
    }
}

static int is_moving(const contact_mesh *m, size_t part) {
    for (size_t i = m->parts[part].first_vertex; i < part_end(m, part); i++)
        if (m->inverse_masses[i] != 0) return 1;
    return 0;
}

void contact_mesh_take(contact_mesh *m, contact_surface *const *surfaces) {
    exchange e = {m, surfaces, 0, take_range};
    parallel_for(m->context, m->vertex_count, VERTEX_BLOCK, exchange_block, &e);
    for (size_t i = 0; i < m->part_count; i++) {
        contact_part *part = m->parts + i;
        part->name = surfaces[i]->name;
        part->thickness = surfaces[i]->thickness;
        part->friction = surfaces[i]->friction;
        part->self = surfaces[i]->self;
        part->moving = is_moving(m, i);
    }
}

void contact_mesh_give(const contact_mesh *m, contact_surface *const *surfaces, double dt) {
    exchange e = {(contact_mesh *)m, surfaces, dt, give_range};
    parallel_for(m->context, m->vertex_count, VERTEX_BLOCK, exchange_block, &e);
}

int contact_mesh_fits(const contact_mesh *m, contact_surface *const *surfaces, size_t count) {
    if (count != m->part_count) return 0;
    for (size_t i = 0; i < count; i++)
        if (m->parts[i].mesh != surfaces[i]->mesh || m->parts[i].revision != surfaces[i]->revision) return 0;
    return 1;
}

/* ---- Making */

/* Where each part begins. */
static ruga_status count_all(contact_mesh *m, contact_surface *const *surfaces, topology *const *topologies) {
    for (size_t i = 0; i < m->part_count; i++) {
        const ruga_mesh *mesh = surfaces[i]->mesh;
        const topology *topo = topologies[i];
        m->parts[i] = (contact_part){.name = surfaces[i]->name,
                                     .mesh = mesh,
                                     .revision = surfaces[i]->revision,
                                     .first_vertex = m->vertex_count,
                                     .first_edge = m->edge_count,
                                     .first_triangle = m->triangle_count};
        if (!topo) continue;
        m->vertex_count += mesh->vertex_count;
        m->triangle_count += mesh->triangle_count;
        for (size_t k = 0; k < topo->edge_count; k++)
            m->edge_count += topo->edge_vertices[2 * k] != topo->edge_vertices[2 * k + 1];
    }
    if (m->vertex_count + m->edge_count + m->triangle_count >= UINT32_MAX)
        return fail_with(m->context, RUGA_ERROR_INPUT,
                         "the surfaces that collide have %zu vertices, %zu edges and %zu triangles, but contact holds "
                         "fewer than %u in all",
                         m->vertex_count, m->edge_count, m->triangle_count, UINT32_MAX);
    return RUGA_OK;
}

static ruga_status allocate_all(contact_mesh *m, ruga_vec3 **rest) {
    m->part_of = ALLOCATE(m->context, uint32_t, m->vertex_count);
    m->triangles = ALLOCATE(m->context, uint32_t, 3 * m->triangle_count);
    m->edges = ALLOCATE(m->context, uint32_t, 2 * m->edge_count);
    m->ring_offsets = ALLOCATE_ZEROED(m->context, uint32_t, m->vertex_count + 1);
    m->ring_vertices = ALLOCATE(m->context, uint32_t, 2 * m->edge_count);
    m->inverse_masses = ALLOCATE(m->context, double, m->vertex_count);
    m->from = ALLOCATE(m->context, ruga_vec3, m->vertex_count);
    m->to = ALLOCATE(m->context, ruga_vec3, m->vertex_count);
    m->rest = *rest = ALLOCATE(m->context, ruga_vec3, m->vertex_count);
    if (!m->part_of || !m->triangles || !m->edges || !m->ring_offsets || !m->ring_vertices || !m->inverse_masses ||
        !m->from || !m->to || !m->rest)
        return fail_memory(m->context, m->vertex_count * sizeof *m->from);
    return RUGA_OK;
}

static double diagonal(const ruga_mesh *mesh) {
    vec3 low = mesh->positions[0], high = low;
    for (size_t i = 1; i < mesh->vertex_count; i++) {
        low = vec3_min(low, mesh->positions[i]);
        high = vec3_max(high, mesh->positions[i]);
    }
    return vec3_distance(low, high);
}

static void fill_part(contact_mesh *m, size_t index, const topology *topo, ruga_vec3 *rest) {
    contact_part *part = m->parts + index;
    const ruga_mesh *mesh = part->mesh;
    uint32_t first = (uint32_t)part->first_vertex, *edge = m->edges + 2 * part->first_edge;
    part->size = diagonal(mesh);
    for (size_t i = 0; i < mesh->vertex_count; i++) m->part_of[first + i] = (uint32_t)index;
    memcpy(rest + first, mesh->positions, mesh->vertex_count * sizeof *rest);
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        m->triangles[3 * part->first_triangle + i] = first + mesh->triangles[i];
    for (size_t i = 0; i < topo->edge_count; i++) {
        uint32_t a = topo->edge_vertices[2 * i], b = topo->edge_vertices[2 * i + 1];
        if (a == b) continue;
        *edge++ = first + a;
        *edge++ = first + b;
    }
    uint32_t *ring = m->ring_vertices + 2 * part->first_edge;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        for (uint32_t k = topo->ring_offsets[i]; k < topo->ring_offsets[i + 1]; k++)
            *ring++ = first + topo->ring_vertices[k];
        m->ring_offsets[first + i + 1] = (uint32_t)(ring - m->ring_vertices);
    }
}

static ruga_status fill_all(contact_mesh *m, contact_surface *const *surfaces, topology **topologies) {
    for (size_t i = 0; i < m->part_count; i++) {
        const ruga_mesh *mesh = surfaces[i]->mesh;
        if (!mesh->triangle_count) continue;
        TRY(topology_build(m->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, topologies + i));
    }
    ruga_vec3 *rest;
    TRY(count_all(m, surfaces, topologies));
    TRY(allocate_all(m, &rest));
    for (size_t i = 0; i < m->part_count; i++)
        if (topologies[i]) fill_part(m, i, topologies[i], rest);
    contact_mesh_take(m, surfaces);
    return RUGA_OK;
}

ruga_status contact_mesh_create(ruga_context *context, contact_surface *const *surfaces, size_t count,
                                contact_mesh **out) {
    contact_mesh *m = ALLOCATE_ZEROED(context, contact_mesh, 1);
    if (!m) return fail_memory(context, sizeof *m);
    m->context = context;
    m->part_count = count;
    m->parts = ALLOCATE_ZEROED(context, contact_part, count);
    topology **topologies = ALLOCATE_ZEROED(context, topology *, count);
    ruga_status status =
        m->parts && topologies ? fill_all(m, surfaces, topologies) : fail_memory(context, count * sizeof *m->parts);
    for (size_t i = 0; topologies && i < count; i++) topology_destroy(topologies[i]);
    memory_release(context, topologies);
    if (RUGA_FAILED(status)) {
        contact_mesh_destroy(m);
        return status;
    }
    *out = m;
    return RUGA_OK;
}

void contact_mesh_destroy(contact_mesh *m) {
    if (!m) return;
    memory_release(m->context, m->parts);
    memory_release(m->context, m->part_of);
    memory_release(m->context, m->triangles);
    memory_release(m->context, m->edges);
    memory_release(m->context, m->ring_offsets);
    memory_release(m->context, m->ring_vertices);
    memory_release(m->context, m->inverse_masses);
    memory_release(m->context, m->from);
    memory_release(m->context, m->to);
    memory_release(m->context, (void *)m->rest);
    memory_release(m->context, m);
}
