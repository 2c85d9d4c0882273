#include "contact/contact_mesh.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "math/vec3.h"
#include "mesh/topology.h"

enum { VERTEX_BLOCK = 4096 };

/* ---- Every substep */

typedef struct exchange {
    contact_mesh *mesh;
    contact_surface *const *surfaces;
    double dt;
} exchange;

static void take_range(void *argument, size_t begin, size_t end) {
    const exchange *e = argument;
    contact_mesh *m = e->mesh;
    for (size_t i = begin; i < end; i++) {
        const contact_surface *s = e->surfaces[m->part_of[i]];
        size_t k = m->numbers[i];
        m->from[i] = s->accepted[k];
        m->to[i] = s->candidate[k];
        m->inverse_masses[i] = s->inverse_masses[k];
    }
}

static void give_range(void *argument, size_t begin, size_t end) {
    const exchange *e = argument;
    const contact_mesh *m = e->mesh;
    for (size_t i = begin; i < end; i++) {
        const contact_surface *s = e->surfaces[m->part_of[i]];
        size_t k = m->numbers[i];
        vec3 change = vec3_sub(m->to[i], s->candidate[k]);
        s->candidate[k] = m->to[i];
        if (m->inverse_masses[i] == 0 || (change.x == 0 && change.y == 0 && change.z == 0)) continue;
        s->impulses[k] = vec3_add(s->impulses[k], vec3_scale(change, 1 / (m->inverse_masses[i] * e->dt)));
    }
}

void contact_mesh_take(contact_mesh *m, contact_surface *const *surfaces) {
    exchange e = {m, surfaces, 0};
    parallel_for(m->context, m->vertex_count, VERTEX_BLOCK, take_range, &e);
    for (size_t i = 0; i < m->part_count; i++) {
        contact_part *part = m->parts + i;
        part->name = surfaces[i]->name;
        part->thickness = surfaces[i]->thickness;
        part->friction = surfaces[i]->friction;
        part->link_thickness = surfaces[i]->link_thickness;
        part->rest_part = surfaces[i]->rest_part > 0 ? surfaces[i]->rest_part : 1;
        part->self = surfaces[i]->self;
        part->moving = 0;
        size_t end = i + 1 < m->part_count ? part[1].first_vertex : m->vertex_count;
        for (size_t k = part->first_vertex; k < end && !part->moving; k++) part->moving = m->inverse_masses[k] != 0;
    }
}

void contact_mesh_give(const contact_mesh *m, contact_surface *const *surfaces, double dt) {
    exchange e = {(contact_mesh *)m, surfaces, dt};
    parallel_for(m->context, m->vertex_count, VERTEX_BLOCK, give_range, &e);
}

int contact_mesh_fits(const contact_mesh *m, contact_surface *const *surfaces, size_t count) {
    if (count != m->part_count) return 0;
    for (size_t i = 0; i < count; i++)
        if (m->parts[i].mesh != surfaces[i]->mesh || m->parts[i].revision != surfaces[i]->revision ||
            m->parts[i].collides != surfaces[i]->collides)
            return 0;
    return 1;
}

/* ---- Invalid trajectories */

static double sum_coordinates(void *argument, size_t begin, size_t end) {
    const contact_mesh *m = argument;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += m->from[i].x + m->from[i].y + m->from[i].z + m->to[i].x + m->to[i].y + m->to[i].z;
    return sum;
}

static ruga_status check_finite(const contact_mesh *m) {
    if (isfinite(parallel_sum(m->context, m->vertex_count, VERTEX_BLOCK, sum_coordinates, (void *)m))) return RUGA_OK;
    for (size_t i = 0; i < m->vertex_count; i++) {
        if (vec3_is_finite(m->from[i]) && vec3_is_finite(m->to[i])) continue;
        const contact_part *part = &m->parts[m->part_of[i]];
        vec3 x = vec3_is_finite(m->from[i]) ? m->to[i] : m->from[i];
        return fail_with(m->context, RUGA_ERROR_INPUT,
                         "object \"%s\": vertex %u of its collision surface is not finite: (%g, %g, %g); check the "
                         "motion or the forces that move it, or use more substeps",
                         part->name ? part->name : "?", m->numbers[i], x.x, x.y, x.z);
    }
    return RUGA_OK;
}

static double length_after(const contact_mesh *m, size_t edge) {
    return vec3_distance(m->to[m->edges[2 * edge]], m->to[m->edges[2 * edge + 1]]);
}

static int is_torn(const contact_mesh *m, size_t edge) {
    const contact_part *part = &m->parts[m->part_of[m->edges[2 * edge]]];
    return part->moving && !(length_after(m, edge) <= CONTACT_MOST_STRETCH * part->size);
}

static double count_torn(void *argument, size_t begin, size_t end) {
    size_t count = 0;
    for (size_t e = begin; e < end; e++) count += (size_t)is_torn(argument, e);
    return (double)count;
}

ruga_status contact_mesh_check_trajectories(const contact_mesh *m) {
    TRY(check_finite(m));
    if (!(parallel_sum(m->context, m->edge_count, VERTEX_BLOCK, count_torn, (void *)m) > 0)) return RUGA_OK;
    size_t e = 0;
    while (!is_torn(m, e)) e++;
    /* The message names the end with the longer trajectory. */
    uint32_t a = m->edges[2 * e], b = m->edges[2 * e + 1];
    uint32_t v = vec3_distance(m->from[b], m->to[b]) > vec3_distance(m->from[a], m->to[a]) ? b : a;
    const contact_part *part = &m->parts[m->part_of[v]];
    return fail_with(m->context, RUGA_ERROR_INPUT,
                     "object \"%s\": vertex %u would move to (%g, %g, %g) in one substep, which makes an edge %.3g m "
                     "long, but the whole object measures %.3g m: it explodes; use an implicit integrator, more "
                     "substeps, less stiffness or pins that move less per frame",
                     part->name ? part->name : "?", m->numbers[v], m->to[v].x, m->to[v].y, m->to[v].z,
                     length_after(m, e), part->size);
}

/* ---- Making */

/* The vertices and triangles of a surface that collide. */
typedef struct piece {
    size_t vertex_count, triangle_count;
    const uint32_t *triangles; /* (triangle_count x 3) of these vertices */
    uint32_t *vertices;        /* (vertex_count) in the surface; NULL: all */
    uint32_t *kept_triangles;  /* `triangles`, where not all collide */
    topology *topo;            /* NULL: a mesh without triangles */
} piece;

static void release_pieces(ruga_context *context, piece *pieces, size_t count) {
    for (size_t i = 0; pieces && i < count; i++) {
        topology_destroy(pieces[i].topo);
        RELEASE_ALL(context, pieces[i].vertices, pieces[i].kept_triangles);
    }
    memory_release(context, pieces);
}

/* Vertices collide unless the mask (NULL: none) has 0 for them, or no triangle has them. Marks those that do; returns
 * their number. */
static size_t mark_colliding(const ruga_mesh *mesh, const unsigned char *collides, uint32_t *marks) {
    size_t count = 0;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) marks[mesh->triangles[i]] = 1;
    for (size_t v = 0; v < mesh->vertex_count; v++) count += marks[v] = marks[v] && (!collides || collides[v]);
    return count;
}

/* The vertices that are marked, and the triangles that have no others. The marks become the vertices' numbers. */
static ruga_status pick_marked(ruga_context *context, const ruga_mesh *mesh, size_t count, uint32_t *marks, piece *p) {
    TRY(NEW(context, &p->vertices, count));
    TRY(NEW(context, &p->kept_triangles, 3 * mesh->triangle_count));
    p->vertex_count = p->triangle_count = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (marks[v]) p->vertices[p->vertex_count] = (uint32_t)v;
        marks[v] = marks[v] ? (uint32_t)p->vertex_count++ : NO_INDEX;
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corners = mesh->triangles + 3 * t;
        uint32_t *kept = p->kept_triangles + 3 * p->triangle_count;
        for (size_t k = 0; k < 3; k++) kept[k] = marks[corners[k]];
        p->triangle_count += kept[0] != NO_INDEX && kept[1] != NO_INDEX && kept[2] != NO_INDEX;
    }
    p->triangles = p->kept_triangles;
    return RUGA_OK;
}

/* Leaves out the vertices that do not collide, and their triangles. */
static ruga_status apply_mask(ruga_context *context, const ruga_mesh *mesh, const unsigned char *collides, piece *p) {
    uint32_t *marks = NULL;
    TRY(NEW_ZEROED(context, &marks, mesh->vertex_count));
    size_t count = mark_colliding(mesh, collides, marks);
    ruga_status status = RUGA_OK;
    if (count < mesh->vertex_count) status = pick_marked(context, mesh, count, marks, p);
    memory_release(context, marks);
    return status;
}

static ruga_status make_piece(ruga_context *context, const contact_surface *surface, piece *p) {
    const ruga_mesh *mesh = surface->mesh;
    *p = (piece){mesh->vertex_count, mesh->triangle_count, mesh->triangles, NULL, NULL, NULL};
    if (!mesh->triangle_count) return RUGA_OK;
    TRY(apply_mask(context, mesh, surface->collides, p));
    return topology_build(context, p->vertex_count, p->triangle_count, p->triangles, &p->topo);
}

/* Where each part begins. */
static ruga_status count_all(contact_mesh *m, contact_surface *const *surfaces, const piece *pieces) {
    for (size_t i = 0; i < m->part_count; i++) {
        const topology *topo = pieces[i].topo;
        m->parts[i] = (contact_part){.name = surfaces[i]->name,
                                     .mesh = surfaces[i]->mesh,
                                     .revision = surfaces[i]->revision,
                                     .collides = surfaces[i]->collides,
                                     .first_vertex = m->vertex_count,
                                     .first_edge = m->edge_count,
                                     .first_triangle = m->triangle_count};
        if (!topo) continue;
        m->vertex_count += pieces[i].vertex_count;
        m->triangle_count += pieces[i].triangle_count;
        for (size_t k = 0; k < topo->edge_count; k++)
            m->edge_count += topo->edge_vertices[2 * k] != topo->edge_vertices[2 * k + 1];
    }
    if (m->vertex_count + m->edge_count + m->triangle_count >= UINT32_MAX)
        return fail_with(m->context, RUGA_ERROR_INPUT,
                         "the surfaces that collide have %zu vertices, %zu edges and %zu triangles, but contact can "
                         "only handle fewer than %u in all; simplify the meshes or exclude some from contact",
                         m->vertex_count, m->edge_count, m->triangle_count, UINT32_MAX);
    return RUGA_OK;
}

static ruga_status allocate_all(contact_mesh *m, ruga_vec3 **rest) {
    TRY(NEW(m->context, &m->part_of, m->vertex_count));
    TRY(NEW(m->context, &m->numbers, m->vertex_count));
    TRY(NEW(m->context, &m->triangles, 3 * m->triangle_count));
    TRY(NEW(m->context, &m->edges, 2 * m->edge_count));
    TRY(NEW_ZEROED(m->context, &m->ring_offsets, m->vertex_count + 1));
    TRY(NEW(m->context, &m->ring_vertices, 2 * m->edge_count));
    TRY(NEW(m->context, &m->inverse_masses, m->vertex_count));
    TRY(NEW(m->context, &m->from, m->vertex_count));
    TRY(NEW(m->context, &m->to, m->vertex_count));
    TRY(NEW(m->context, rest, m->vertex_count));
    m->rest = *rest;
    return RUGA_OK;
}

static void fill_part(contact_mesh *m, size_t index, const piece *p, ruga_vec3 *rest) {
    contact_part *part = m->parts + index;
    const topology *topo = p->topo;
    uint32_t first = (uint32_t)part->first_vertex, *edge = m->edges + 2 * part->first_edge;
    vec3 low, high;
    vec3_bounds(part->mesh->positions, part->mesh->vertex_count, &low, &high);
    part->size = vec3_distance(low, high);
    for (size_t i = 0; i < p->vertex_count; i++) {
        m->part_of[first + i] = (uint32_t)index;
        m->numbers[first + i] = p->vertices ? p->vertices[i] : (uint32_t)i;
        rest[first + i] = part->mesh->positions[m->numbers[first + i]];
    }
    for (size_t i = 0; i < 3 * p->triangle_count; i++)
        m->triangles[3 * part->first_triangle + i] = first + p->triangles[i];
    for (size_t i = 0; i < topo->edge_count; i++) {
        uint32_t a = topo->edge_vertices[2 * i], b = topo->edge_vertices[2 * i + 1];
        if (a == b) continue;
        *edge++ = first + a;
        *edge++ = first + b;
    }
    uint32_t *ring = m->ring_vertices + 2 * part->first_edge;
    for (size_t i = 0; i < p->vertex_count; i++) {
        for (uint32_t k = topo->ring_offsets[i]; k < topo->ring_offsets[i + 1]; k++)
            *ring++ = first + topo->ring_vertices[k];
        m->ring_offsets[first + i + 1] = (uint32_t)(ring - m->ring_vertices);
    }
}

/* The vertex of the contact mesh that a surface's vertex is; NO_INDEX: it does not collide. Numbers rise in a part. */
static uint32_t contact_vertex(const contact_mesh *m, size_t part, uint32_t number) {
    size_t low = m->parts[part].first_vertex,
           end = part + 1 < m->part_count ? m->parts[part + 1].first_vertex : m->vertex_count;
    for (size_t high = end; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (m->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && m->numbers[low] == number ? (uint32_t)low : NO_INDEX;
}

/* Counts links at both of their vertices (stored NULL), or stores them, which moves each offset to the next one's. */
static void visit_links(contact_mesh *m, contact_surface *const *surfaces, uint32_t *stored) {
    for (size_t i = 0; i < m->part_count; i++)
        for (size_t k = 0; k < surfaces[i]->link_count; k++) {
            uint32_t a = contact_vertex(m, i, surfaces[i]->links[2 * k]);
            uint32_t b = contact_vertex(m, i, surfaces[i]->links[2 * k + 1]);
            if (a == NO_INDEX || b == NO_INDEX) continue;
            if (stored) {
                stored[m->link_offsets[a]++] = b;
                stored[m->link_offsets[b]++] = a;
            } else {
                m->link_offsets[a]++;
                m->link_offsets[b]++;
            }
        }
}

static ruga_status make_links(contact_mesh *m, contact_surface *const *surfaces) {
    size_t count = 0;
    for (size_t i = 0; i < m->part_count; i++) count += surfaces[i]->link_count;
    if (count == 0) return RUGA_OK;
    TRY(NEW_ZEROED(m->context, &m->link_offsets, m->vertex_count + 1));
    TRY(NEW(m->context, &m->link_vertices, 2 * count));
    visit_links(m, surfaces, NULL);
    uint32_t begin = 0;
    for (size_t v = 0; v <= m->vertex_count; v++) {
        uint32_t here = m->link_offsets[v];
        m->link_offsets[v] = begin;
        begin += here;
    }
    visit_links(m, surfaces, m->link_vertices);
    /* Every offset stands at the end of its vertex now. */
    for (size_t v = m->vertex_count; v > 0; v--) m->link_offsets[v] = m->link_offsets[v - 1];
    m->link_offsets[0] = 0;
    return RUGA_OK;
}

static ruga_status fill_all(contact_mesh *m, contact_surface *const *surfaces, piece *pieces) {
    for (size_t i = 0; i < m->part_count; i++) TRY(make_piece(m->context, surfaces[i], &pieces[i]));
    ruga_vec3 *rest;
    TRY(count_all(m, surfaces, pieces));
    TRY(allocate_all(m, &rest));
    for (size_t i = 0; i < m->part_count; i++)
        if (pieces[i].topo) fill_part(m, i, &pieces[i], rest);
    TRY(make_links(m, surfaces));
    contact_mesh_take(m, surfaces);
    return RUGA_OK;
}

ruga_status contact_mesh_create(ruga_context *context, contact_surface *const *surfaces, size_t count,
                                contact_mesh **out) {
    contact_mesh *m;
    piece *pieces = NULL;
    TRY(NEW_ZEROED(context, &m, 1));
    m->context = context;
    ruga_status status = NEW_ZEROED(context, &m->parts, count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &pieces, count);
    if (!RUGA_FAILED(status)) {
        m->part_count = count;
        status = fill_all(m, surfaces, pieces);
    }
    release_pieces(context, pieces, count);
    if (RUGA_FAILED(status))
        contact_mesh_destroy(m);
    else
        *out = m;
    return status;
}

void contact_mesh_destroy(contact_mesh *m) {
    if (!m) return;
    RELEASE_ALL(m->context, m->parts, m->part_of, m->numbers, m->triangles, m->edges, m->ring_offsets, m->ring_vertices,
                m->link_offsets, m->link_vertices, m->inverse_masses, m->from, m->to, (void *)m->rest, m);
}

vec3 contact_mesh_normal(const contact_mesh *m, uint32_t triangle) {
    const uint32_t *v = m->triangles + 3 * (size_t)triangle;
    return vec3_normalise(vec3_cross(vec3_sub(m->from[v[1]], m->from[v[0]]), vec3_sub(m->from[v[2]], m->from[v[0]])));
}
