/* The broad phase by trees over vertices, triangles and edges, whose boxes cover the ways. */
#include "contact/broad.h"

#include <string.h>

#include "geom/bvh.h"

struct broad {
    const contact_mesh *mesh;
    bvh *vertices, *triangles, *edges;
    uint32_t *vertex_numbers; /* (vertices) 0, 1, 2, … */
    unsigned char *changed;   /* (vertices) */
    size_t exclusion_count;
    broad_exclusion *exclusions;
    pair_array overlaps;
};

/* Whether pairs between two parts count. */
static int parts_collide(const broad *b, uint32_t p, uint32_t q) {
    if (p == q && !b->mesh->parts[p].self) return 0;
    for (size_t i = 0; i < b->exclusion_count; i++) {
        const uint32_t *parts = b->exclusions[i].parts;
        if ((parts[0] == p && parts[1] == q) || (parts[0] == q && parts[1] == p)) return 0;
    }
    return 1;
}

static int pair_counts(const broad *b, const contact_pair *pair, int changed_only) {
    const uint32_t *v = pair->vertices;
    size_t split = pair->kind == PAIR_VERTEX_TRIANGLE ? 1 : 2;
    double inverse_mass = 0;
    int changed = !changed_only;
    for (size_t i = 0; i < 4; i++) {
        inverse_mass += b->mesh->inverse_masses[v[i]];
        changed |= b->changed[v[i]];
    }
    if (inverse_mass == 0 || !changed) return 0;
    for (size_t i = 0; i < split; i++)
        for (size_t k = split; k < 4; k++)
            if (v[i] == v[k]) return 0;
    return parts_collide(b, b->mesh->part_of[v[0]], b->mesh->part_of[v[3]]);
}

static contact_pair make_pair(const contact_mesh *m, pair_kind kind, uint32_t a, uint32_t b) {
    contact_pair pair = {.kind = (uint32_t)kind, .elements = {a, b}};
    if (kind == PAIR_VERTEX_TRIANGLE) {
        pair.vertices[0] = a;
        memcpy(pair.vertices + 1, m->triangles + 3 * (size_t)b, 3 * sizeof *m->triangles);
    } else {
        memcpy(pair.vertices, m->edges + 2 * (size_t)a, 2 * sizeof *m->edges);
        memcpy(pair.vertices + 2, m->edges + 2 * (size_t)b, 2 * sizeof *m->edges);
    }
    return pair;
}

static ruga_status add_pairs(const broad *b, pair_kind kind, int changed_only, contact_pairs *pairs) {
    TRY(ARRAY_RESERVE(b->mesh->context, pairs, b->overlaps.count / 2));
    for (size_t i = 0; i < b->overlaps.count; i += 2) {
        contact_pair pair = make_pair(b->mesh, kind, b->overlaps.items[i], b->overlaps.items[i + 1]);
        if (pair_counts(b, &pair, changed_only)) pairs->items[pairs->count++] = pair;
    }
    return RUGA_OK;
}

static ruga_status find(broad *b, const ruga_vec3 *from, const ruga_vec3 *to, double margin, int changed_only,
                        contact_pairs *pairs) {
    pairs->count = 0;
    TRY(bvh_refit(b->vertices, from, to, margin / 2));
    TRY(bvh_refit(b->triangles, from, to, margin / 2));
    TRY(bvh_refit(b->edges, from, to, margin / 2));
    TRY(bvh_overlaps(b->vertices, b->triangles, &b->overlaps));
    TRY(add_pairs(b, PAIR_VERTEX_TRIANGLE, changed_only, pairs));
    TRY(bvh_self_overlaps(b->edges, &b->overlaps));
    return add_pairs(b, PAIR_EDGE_EDGE, changed_only, pairs);
}

ruga_status broad_find(broad *b, const ruga_vec3 *from, const ruga_vec3 *to, double margin, contact_pairs *pairs) {
    return find(b, from, to, margin, 0, pairs);
}

ruga_status broad_find_changed(broad *b, const ruga_vec3 *from, const ruga_vec3 *to, double margin,
                               const uint32_t *changed, size_t changed_count, contact_pairs *pairs) {
    for (size_t i = 0; i < changed_count; i++) b->changed[changed[i]] = 1;
    ruga_status status = find(b, from, to, margin, 1, pairs);
    for (size_t i = 0; i < changed_count; i++) b->changed[changed[i]] = 0;
    return status;
}

static ruga_status fill(broad *b, const broad_exclusion *exclusions) {
    const contact_mesh *m = b->mesh;
    b->vertex_numbers = ALLOCATE(m->context, uint32_t, m->vertex_count);
    b->changed = ALLOCATE_ZEROED(m->context, unsigned char, m->vertex_count);
    b->exclusions = memory_copy(m->context, exclusions, b->exclusion_count, sizeof *exclusions);
    if (!b->vertex_numbers || !b->changed || !b->exclusions)
        return fail_memory(m->context, m->vertex_count * sizeof *b->vertex_numbers);
    for (size_t i = 0; i < m->vertex_count; i++) b->vertex_numbers[i] = (uint32_t)i;
    TRY(bvh_build(m->context, m->vertex_count, m->rest, m->vertex_count, 1, b->vertex_numbers, &b->vertices));
    TRY(bvh_build(m->context, m->vertex_count, m->rest, m->triangle_count, 3, m->triangles, &b->triangles));
    return bvh_build(m->context, m->vertex_count, m->rest, m->edge_count, 2, m->edges, &b->edges);
}

ruga_status broad_create(const contact_mesh *m, const broad_exclusion *exclusions, size_t exclusion_count,
                         broad **out) {
    broad *b = ALLOCATE_ZEROED(m->context, broad, 1);
    if (!b) return fail_memory(m->context, sizeof *b);
    b->mesh = m;
    b->exclusion_count = exclusion_count;
    ruga_status status = fill(b, exclusions);
    if (RUGA_FAILED(status)) {
        broad_destroy(b);
        return status;
    }
    *out = b;
    return RUGA_OK;
}

void broad_destroy(broad *b) {
    if (!b) return;
    ruga_context *context = b->mesh->context;
    bvh_destroy(b->vertices);
    bvh_destroy(b->triangles);
    bvh_destroy(b->edges);
    memory_release(context, b->vertex_numbers);
    memory_release(context, b->changed);
    memory_release(context, b->exclusions);
    ARRAY_RELEASE(context, &b->overlaps);
    memory_release(context, b);
}
