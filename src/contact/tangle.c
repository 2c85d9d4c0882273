#include "contact/tangle.h"

#include "base/sort.h"
#include "math/vec3.h"

#define LONGEST_PUSH 0.5 /* of the greatest thickness, in a substep */
#define FLATTEST 0.1     /* sine of the angle between edge and triangle, at least */
#define TANGLE_TAG STATE_TAG('T', 'N', 'G', 'L')
#define TANGLE_VERSION 1

/* ---- Making. */

static void release_tables(tangle *t) {
    topology_destroy(t->topology);
    memory_release(t->context, t->edge_numbers);
    t->topology = NULL;
    t->edge_numbers = NULL;
}

void tangle_release(tangle *t) {
    if (!t->context) return;
    release_tables(t);
    ARRAY_RELEASE(t->context, &t->pairs);
    ARRAY_RELEASE(t->context, &t->near);
    ARRAY_RELEASE(t->context, &t->found);
    ARRAY_RELEASE(t->context, &t->piercings);
    ARRAY_RELEASE(t->context, &t->flags);
}

void tangle_reset(tangle *t) {
    release_tables(t);
    t->pairs.count = t->near.count = 0;
}

/* Edges of the topology and of the contact mesh have the same order; the latter has none from a vertex to itself. */
static ruga_status make_tables(tangle *t, const contact_mesh *m) {
    if (t->topology) return RUGA_OK;
    topology *made;
    TRY(topology_build(t->context, m->vertex_count, m->triangle_count, m->triangles, &made));
    size_t count = made->edge_count;
    t->edge_numbers = ALLOCATE(t->context, uint32_t, count);
    if (!t->edge_numbers) {
        topology_destroy(made);
        return fail_memory(t->context, count * sizeof *t->edge_numbers);
    }
    uint32_t next = 0;
    for (size_t e = 0; e < count; e++) {
        t->edge_numbers[e] = next;
        next += made->edge_vertices[2 * e] != made->edge_vertices[2 * e + 1];
    }
    t->topology = made;
    return RUGA_OK;
}

/* ---- What intersects. */

/* Whether contact looks at pairs of these triangles. */
static int pair_counts(const tangle *t, const contact_mesh *m, const uint32_t triangles[2]) {
    uint32_t p = m->part_of[m->triangles[3 * (size_t)triangles[0]]],
             q = m->part_of[m->triangles[3 * (size_t)triangles[1]]];
    if (p == q ? !(m->parts[p].self && m->parts[p].moving) : !(m->parts[p].moving || m->parts[q].moving)) return 0;
    for (size_t i = 0; i < t->exclusion_count; i++) {
        const uint32_t *parts = t->exclusions[i].parts;
        if ((parts[0] == p && parts[1] == q) || (parts[0] == q && parts[1] == p)) return 0;
    }
    return 1;
}

static uint64_t triangles_key(const uint32_t triangles[2]) { return (uint64_t)triangles[0] << 32 | triangles[1]; }

ruga_status tangle_look(tangle *t, const contact_mesh *m, const vec3 *positions) {
    TRY(intersections_find(t->context, m->vertex_count, positions, m->triangle_count, m->triangles, NULL, NULL,
                           &t->found));
    size_t count = 0;
    for (size_t i = 0; i < t->found.count; i++)
        if (pair_counts(t, m, t->found.items[i].triangles)) t->found.items[count++] = t->found.items[i];
    t->found.count = count;
    return RUGA_OK;
}

/* Old and new list are sorted alike: those that were there keep what is done with them. */
ruga_status tangle_take(tangle *t, uint32_t push) {
    size_t count = t->found.count, old = 0;
    t->flags.count = 0;
    TRY(ARRAY_RESERVE(t->context, &t->flags, count));
    for (size_t i = 0; i < count; i++) {
        uint64_t key = triangles_key(t->found.items[i].triangles);
        while (old < t->pairs.count && triangles_key(t->pairs.items[old].triangles) < key) old++;
        int kept = old < t->pairs.count && triangles_key(t->pairs.items[old].triangles) == key;
        t->flags.items[i] = kept ? t->pairs.items[old].push : push;
    }
    t->pairs.count = 0;
    TRY(ARRAY_RESERVE(t->context, &t->pairs, count));
    for (size_t i = 0; i < count; i++) {
        const uint32_t *triangles = t->found.items[i].triangles;
        t->pairs.items[t->pairs.count++] = (tangled){{triangles[0], triangles[1]}, t->flags.items[i]};
    }
    return RUGA_OK;
}

/* ---- Piercings and events. */

static void sort_unique(key_array *keys) {
    sort_keys(keys->items, keys->count);
    size_t count = 0;
    for (size_t i = 0; i < keys->count; i++)
        if (i == 0 || keys->items[i] != keys->items[i - 1]) keys->items[count++] = keys->items[i];
    keys->count = count;
}

/* edge: of the topology. */
static int pierces(const tangle *t, const contact_mesh *m, uint32_t edge, uint32_t triangle) {
    const uint32_t *e = t->topology->edge_vertices + 2 * (size_t)edge, *v = m->triangles + 3 * (size_t)triangle;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            if (e[i] == v[k]) return 0;
    const vec3 segment[3] = {m->from[e[0]], m->from[e[1]], m->from[e[1]]};
    const vec3 corners[3] = {m->from[v[0]], m->from[v[1]], m->from[v[2]]};
    return triangles_intersect(segment, corners);
}

static ruga_status find_piercings(tangle *t, const contact_mesh *m) {
    t->piercings.count = 0;
    TRY(ARRAY_RESERVE(t->context, &t->piercings, 6 * t->pairs.count));
    for (size_t i = 0; i < t->pairs.count; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t a = t->pairs.items[i].triangles[side], b = t->pairs.items[i].triangles[1 - side];
            for (int k = 0; k < 3; k++) {
                uint32_t edge = t->topology->triangle_edges[3 * (size_t)a + (size_t)k];
                if (pierces(t, m, edge, b)) t->piercings.items[t->piercings.count++] = (uint64_t)edge << 32 | b;
            }
        }
    sort_unique(&t->piercings);
    return RUGA_OK;
}

static uint64_t vertex_key(uint32_t vertex, uint32_t triangle) {
    return pair_key(&(contact_pair){.kind = PAIR_VERTEX_TRIANGLE, .elements = {vertex, triangle}});
}

static uint64_t edge_key(const tangle *t, uint32_t a, uint32_t b) {
    return pair_key(&(contact_pair){.kind = PAIR_EDGE_EDGE, .elements = {t->edge_numbers[a], t->edge_numbers[b]}});
}

static uint32_t ring_size(const topology *topo, uint32_t v) {
    return topo->ring_offsets[v + 1] - topo->ring_offsets[v];
}
static uint32_t wing_size(const topology *topo, uint32_t e) {
    return topo->edge_offsets[e + 1] - topo->edge_offsets[e];
}

/* How many of the n piercings of an event there are. */
static uint32_t count_vertex(const tangle *t, uint32_t vertex, uint32_t triangle) {
    const topology *topo = t->topology;
    uint32_t count = 0;
    for (uint32_t i = topo->ring_offsets[vertex]; i < topo->ring_offsets[vertex + 1]; i++) {
        uint64_t edge = topology_find_edge(topo, vertex, topo->ring_vertices[i]);
        count += (uint32_t)keys_have(t->piercings.items, t->piercings.count, edge << 32 | triangle);
    }
    return count;
}

static uint32_t count_edge(const tangle *t, uint32_t edge, uint32_t other) {
    const topology *topo = t->topology;
    uint32_t count = 0;
    for (uint32_t i = topo->edge_offsets[other]; i < topo->edge_offsets[other + 1]; i++)
        count +=
            (uint32_t)keys_have(t->piercings.items, t->piercings.count, (uint64_t)edge << 32 | topo->edge_triangles[i]);
    return count;
}

ruga_status tangle_let(const tangle *t, tangle_events which, ways *w) {
    const topology *topo = t->topology;
    key_array *let = &w->let;
    let->count = 0;
    if (which == TANGLE_NONE) return RUGA_OK;
    TRY(ARRAY_RESERVE(t->context, let, 5 * t->piercings.count));
    for (size_t i = 0; i < t->piercings.count; i++) {
        uint32_t edge = (uint32_t)(t->piercings.items[i] >> 32), triangle = (uint32_t)t->piercings.items[i];
        for (int k = 0; k < 2; k++) {
            uint32_t v = topo->edge_vertices[2 * (size_t)edge + (size_t)k];
            if (which == TANGLE_ALL || 2 * count_vertex(t, v, triangle) >= ring_size(topo, v))
                let->items[let->count++] = vertex_key(v, triangle);
        }
        for (int k = 0; k < 3; k++) {
            uint32_t other = topo->triangle_edges[3 * (size_t)triangle + (size_t)k];
            if (which == TANGLE_ALL || 2 * (count_edge(t, edge, other) + count_edge(t, other, edge)) >=
                                           wing_size(topo, edge) + wing_size(topo, other))
                let->items[let->count++] = edge_key(t, edge, other);
        }
    }
    sort_unique(let);
    return RUGA_OK;
}

static ruga_status find_near(tangle *t, const contact_mesh *m) {
    t->near.count = 0;
    TRY(ARRAY_RESERVE(t->context, &t->near, 15 * t->pairs.count));
    for (size_t i = 0; i < t->pairs.count; i++) {
        const uint32_t *pair = t->pairs.items[i].triangles;
        for (size_t side = 0; side < 2; side++)
            for (size_t k = 0; k < 3; k++)
                t->near.items[t->near.count++] = vertex_key(m->triangles[3 * (size_t)pair[side] + k], pair[1 - side]);
        for (size_t k = 0; k < 9; k++)
            t->near.items[t->near.count++] = edge_key(t, t->topology->triangle_edges[3 * (size_t)pair[0] + k / 3],
                                                      t->topology->triangle_edges[3 * (size_t)pair[1] + k % 3]);
    }
    sort_unique(&t->near);
    return RUGA_OK;
}

ruga_status tangle_prepare(tangle *t, const contact_mesh *m) {
    t->near.count = t->piercings.count = 0;
    if (t->pairs.count == 0) return RUGA_OK;
    TRY(make_tables(t, m));
    TRY(find_piercings(t, m));
    return find_near(t, m);
}

/* ---- Pushing apart. */

/* Where to an edge has to move, against the triangle that it pierces, for the contour to get shorter: each triangle at the edge
 * has a piece of it, which begins at the point of piercing and goes in the direction r; moved by d, the point moves along
 * the triangle by d - e (n·d) / (n·e). */
static vec3 contour_gradient(const tangle *t, const contact_mesh *m, uint32_t edge, vec3 along, vec3 normal) {
    const topology *topo = t->topology;
    vec3 gradient = {0, 0, 0};
    double sine = vec3_dot(along, normal);
    if (fabs(sine) < FLATTEST) sine = sine < 0 ? -FLATTEST : FLATTEST;
    for (uint32_t i = topo->edge_offsets[edge]; i < topo->edge_offsets[edge + 1]; i++) {
        const uint32_t *v = m->triangles + 3 * (size_t)topo->edge_triangles[i];
        vec3 a = m->from[v[0]], b = m->from[v[1]], c = m->from[v[2]];
        vec3 own = vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), r = vec3_normalise(vec3_cross(normal, own));
        vec3 inward =
            vec3_sub(vec3_scale(vec3_add(a, vec3_add(b, c)), 1.0 / 3), m->from[topo->edge_vertices[2 * (size_t)edge]]);
        inward = vec3_add_scaled(inward, along, -vec3_dot(inward, along));
        if (vec3_dot(r, inward) < 0) r = vec3_scale(r, -1);
        gradient = vec3_add(gradient, vec3_add_scaled(r, normal, -vec3_dot(along, r) / sine));
    }
    return vec3_normalise(gradient);
}

/* The point where an edge goes through a triangle, by the weights of both, and where to the edge has to go. */
typedef struct piercing {
    uint32_t vertices[5];
    double weights[5];
    vec3 direction;
} piercing;

static piercing make_piercing(const tangle *t, const contact_mesh *m, uint32_t edge, uint32_t triangle) {
    const uint32_t *e = t->topology->edge_vertices + 2 * (size_t)edge, *v = m->triangles + 3 * (size_t)triangle;
    piercing p = {.vertices = {e[0], e[1], v[0], v[1], v[2]}};
    vec3 a = m->from[v[0]], normal = vec3_cross(vec3_sub(m->from[v[1]], a), vec3_sub(m->from[v[2]], a));
    double begin = vec3_dot(normal, vec3_sub(m->from[e[0]], a)), end = vec3_dot(normal, vec3_sub(m->from[e[1]], a));
    double s = begin != end ? fmin(1, fmax(0, begin / (begin - end))) : 0.5;
    const vec3 at[4] = {vec3_mix(m->from[e[0]], m->from[e[1]], s), a, m->from[v[1]], m->from[v[2]]};
    pair_gap gap = gap_of(PAIR_VERTEX_TRIANGLE, at);
    p.weights[0] = 1 - s;
    p.weights[1] = s;
    for (int k = 1; k < 4; k++) p.weights[k + 1] = gap.weights[k];
    vec3 along = vec3_normalise(vec3_sub(m->from[e[1]], m->from[e[0]]));
    p.direction = contour_gradient(t, m, edge, along, vec3_normalise(normal));
    return p;
}

/* Both sides are pushed at one point, so momentum and angular momentum stay. */
static void push_piercing(ways *w, const piercing *p) {
    const contact_mesh *m = w->mesh;
    double mobility = 0, way = 0;
    for (int k = 0; k < 5; k++) {
        uint32_t v = p->vertices[k];
        mobility += p->weights[k] * p->weights[k] * m->inverse_masses[v];
        way += p->weights[k] * vec3_dot(p->direction, vec3_sub(m->to[v], m->from[v]));
    }
    double lacking = LONGEST_PUSH * w->most - way;
    if (!(lacking > 0) || !(mobility > 0)) return;
    for (int k = 0; k < 5; k++) {
        uint32_t v = p->vertices[k];
        double share = p->weights[k] * m->inverse_masses[v] * lacking / mobility;
        if (share == 0) continue;
        m->to[v] = vec3_add_scaled(m->to[v], p->direction, share);
        ways_change(w, v);
    }
}

int tangle_is_to_part(const tangle *t, uint32_t edge, uint32_t triangle) {
    const topology *topo = t->topology;
    for (uint32_t i = topo->edge_offsets[edge]; i < topo->edge_offsets[edge + 1]; i++) {
        uint32_t other = topo->edge_triangles[i];
        uint32_t key[2] = {other < triangle ? other : triangle, other < triangle ? triangle : other};
        size_t low = 0, high = t->pairs.count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (triangles_key(t->pairs.items[middle].triangles) < triangles_key(key))
                low = middle + 1;
            else
                high = middle;
        }
        if (low < t->pairs.count && triangles_key(t->pairs.items[low].triangles) == triangles_key(key) &&
            t->pairs.items[low].push)
            return 1;
    }
    return 0;
}

void tangle_push(const tangle *t, ways *w) {
    for (size_t i = 0; i < t->piercings.count; i++) {
        uint32_t edge = (uint32_t)(t->piercings.items[i] >> 32), triangle = (uint32_t)t->piercings.items[i];
        if (!tangle_is_to_part(t, edge, triangle)) continue;
        piercing p = make_piercing(t, w->mesh, edge, triangle);
        push_piercing(w, &p);
    }
}

/* ---- State. */

void tangle_save(const tangle *t, state_writer *writer) {
    uint64_t count = t->pairs.count;
    state_begin(writer, TANGLE_TAG, TANGLE_VERSION);
    state_put_u64(writer, &count, 1);
    for (size_t i = 0; i < t->pairs.count; i++) {
        state_put_u32(writer, t->pairs.items[i].triangles, 2);
        state_put_u32(writer, &t->pairs.items[i].push, 1);
    }
    state_end(writer);
}

ruga_status tangle_load(tangle *t, state_reader *reader) {
    state_reader entry;
    uint32_t version;
    uint64_t count;
    TRY(state_enter(reader, TANGLE_TAG, TANGLE_VERSION, &version, &entry));
    TRY(state_get_u64(&entry, &count, 1));
    if (count > (uint64_t)(entry.end - entry.at) / (3 * sizeof(uint32_t)))
        return fail_with(t->context, RUGA_ERROR_INPUT,
                         "the saved state has fewer bytes than the %llu intersections that it tells of",
                         (unsigned long long)count);
    tangle_reset(t);
    TRY(ARRAY_RESERVE(t->context, &t->pairs, count));
    for (size_t i = 0; i < count; i++) {
        tangled *pair = &t->pairs.items[i];
        TRY(state_get_u32(&entry, pair->triangles, 2));
        TRY(state_get_u32(&entry, &pair->push, 1));
    }
    t->pairs.count = count;
    return RUGA_OK;
}

int tangle_fits(const tangle *t, const contact_mesh *m) {
    for (size_t i = 0; i < t->pairs.count; i++) {
        const uint32_t *pair = t->pairs.items[i].triangles;
        if (pair[0] >= pair[1] || pair[1] >= m->triangle_count) return 0;
        if (i > 0 && triangles_key(t->pairs.items[i - 1].triangles) >= triangles_key(pair)) return 0;
    }
    return 1;
}
