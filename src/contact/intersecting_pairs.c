#include "contact/intersecting_pairs.h"

#include "base/sort.h"
#include "math/vec3.h"

#define LONGEST_PUSH 1.0 /* of the greatest thickness, in a substep */
#define FLATTEST 0.1     /* sine of the angle between edge and triangle, at least */
#define INTERSECTING_TAG STATE_TAG('T', 'N', 'G', 'L')
#define INTERSECTING_VERSION 1

void intersecting_pairs_reset(intersecting_pairs *set) {
    topology_destroy(set->topology);
    memory_release(set->context, set->edge_numbers);
    set->topology = NULL;
    set->edge_numbers = NULL;
    set->pairs.count = set->near.count = 0;
}

void intersecting_pairs_release(intersecting_pairs *set) {
    if (!set->context) return;
    intersecting_pairs_reset(set);
    ARRAY_RELEASE(set->context, &set->pairs);
    ARRAY_RELEASE(set->context, &set->near);
    ARRAY_RELEASE(set->context, &set->found);
    ARRAY_RELEASE(set->context, &set->piercings);
    ARRAY_RELEASE(set->context, &set->flags);
}

/* Edges of the topology and of the contact mesh have the same order; the latter has none from a vertex to itself. */
static ruga_status make_tables(intersecting_pairs *set, const contact_mesh *m) {
    if (set->edge_numbers) return RUGA_OK;
    if (!set->topology)
        TRY(topology_build(set->context, m->vertex_count, m->triangle_count, m->triangles, &set->topology));
    const uint32_t *vertices = set->topology->edge_vertices;
    TRY(NEW(set->context, &set->edge_numbers, set->topology->edge_count));
    uint32_t next = 0;
    for (size_t e = 0; e < set->topology->edge_count; e++) {
        set->edge_numbers[e] = next;
        next += vertices[2 * e] != vertices[2 * e + 1];
    }
    return RUGA_OK;
}

/* ---- The list. */

/* Whether these triangles can collide. */
static int pair_counts(const intersecting_pairs *set, const contact_mesh *m, const uint32_t triangles[2]) {
    uint32_t p = m->part_of[m->triangles[3 * (size_t)triangles[0]]],
             q = m->part_of[m->triangles[3 * (size_t)triangles[1]]];
    if (p == q ? !(m->parts[p].self && m->parts[p].moving) : !(m->parts[p].moving || m->parts[q].moving)) return 0;
    for (size_t i = 0; i < set->exclusion_count; i++) {
        const uint32_t *parts = set->exclusions[i].parts;
        if ((parts[0] == p && parts[1] == q) || (parts[0] == q && parts[1] == p)) return 0;
    }
    return 1;
}

static uint64_t triangles_key(const uint32_t triangles[2]) { return (uint64_t)triangles[0] << 32 | triangles[1]; }

ruga_status intersecting_pairs_find(intersecting_pairs *set, const contact_mesh *m, const vec3 *positions) {
    TRY(intersections_find(set->context, m->vertex_count, positions, m->triangle_count, m->triangles, NULL, NULL,
                           &set->found));
    size_t count = 0;
    for (size_t i = 0; i < set->found.count; i++)
        if (pair_counts(set, m, set->found.items[i].triangles)) set->found.items[count++] = set->found.items[i];
    set->found.count = count;
    return RUGA_OK;
}

/* Both lists have the same order; pairs that were in the old one keep their `push`. */
ruga_status intersecting_pairs_store(intersecting_pairs *set, uint32_t push) {
    size_t count = set->found.count, old = 0;
    set->flags.count = 0;
    TRY(ARRAY_RESERVE(set->context, &set->flags, count));
    for (size_t i = 0; i < count; i++) {
        uint64_t key = triangles_key(set->found.items[i].triangles);
        while (old < set->pairs.count && triangles_key(set->pairs.items[old].triangles) < key) old++;
        int kept = old < set->pairs.count && triangles_key(set->pairs.items[old].triangles) == key;
        set->flags.items[i] = kept ? set->pairs.items[old].push : push;
    }
    set->pairs.count = 0;
    TRY(ARRAY_RESERVE(set->context, &set->pairs, count));
    for (size_t i = 0; i < count; i++) {
        const uint32_t *triangles = set->found.items[i].triangles;
        set->pairs.items[set->pairs.count++] = (intersecting_pair){{triangles[0], triangles[1]}, set->flags.items[i]};
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
static int pierces(const intersecting_pairs *set, const contact_mesh *m, uint32_t edge, uint32_t triangle) {
    const uint32_t *e = set->topology->edge_vertices + 2 * (size_t)edge, *v = m->triangles + 3 * (size_t)triangle;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            if (e[i] == v[k]) return 0;
    const vec3 segment[3] = {m->from[e[0]], m->from[e[1]], m->from[e[1]]};
    const vec3 corners[3] = {m->from[v[0]], m->from[v[1]], m->from[v[2]]};
    return triangles_intersect(segment, corners);
}

static ruga_status find_piercings(intersecting_pairs *set, const contact_mesh *m) {
    set->piercings.count = 0;
    TRY(ARRAY_RESERVE(set->context, &set->piercings, 6 * set->pairs.count));
    for (size_t i = 0; i < set->pairs.count; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t a = set->pairs.items[i].triangles[side], b = set->pairs.items[i].triangles[1 - side];
            for (int k = 0; k < 3; k++) {
                uint32_t edge = set->topology->triangle_edges[3 * (size_t)a + (size_t)k];
                if (pierces(set, m, edge, b)) set->piercings.items[set->piercings.count++] = (uint64_t)edge << 32 | b;
            }
        }
    sort_unique(&set->piercings);
    return RUGA_OK;
}

static uint64_t vertex_key(uint32_t vertex, uint32_t triangle) {
    return pair_key(&(contact_pair){.kind = PAIR_VERTEX_TRIANGLE, .elements = {vertex, triangle}});
}

static uint64_t edge_key(const intersecting_pairs *set, uint32_t a, uint32_t b) {
    return pair_key(&(contact_pair){.kind = PAIR_EDGE_EDGE, .elements = {set->edge_numbers[a], set->edge_numbers[b]}});
}

/* Whether at least half of the edges at a vertex pierce a triangle. */
static int most_edges_pierce(const intersecting_pairs *set, uint32_t vertex, uint32_t triangle) {
    const topology *topo = set->topology;
    uint32_t begin = topo->ring_offsets[vertex], end = topo->ring_offsets[vertex + 1], count = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint64_t edge = topology_find_edge(topo, vertex, topo->ring_vertices[i]);
        count += (uint32_t)keys_contain(set->piercings.items, set->piercings.count, edge << 32 | triangle);
    }
    return 2 * count >= end - begin;
}

/* The same for each of two edges and the triangles at the other. */
static int most_triangles_are_pierced(const intersecting_pairs *set, const uint32_t edges[2]) {
    const topology *topo = set->topology;
    uint32_t count = 0, all = 0;
    for (int side = 0; side < 2; side++) {
        uint64_t edge = edges[side];
        uint32_t begin = topo->edge_offsets[edges[1 - side]], end = topo->edge_offsets[edges[1 - side] + 1];
        for (uint32_t i = begin; i < end; i++)
            count += (uint32_t)keys_contain(set->piercings.items, set->piercings.count,
                                            edge << 32 | topo->edge_triangles[i]);
        all += end - begin;
    }
    return 2 * count >= all;
}

ruga_status intersecting_pairs_allow(const intersecting_pairs *set, crossing_events which, trajectories *t) {
    const topology *topo = set->topology;
    key_array *allowed = &t->ignored;
    allowed->count = 0;
    if (which == CROSSING_NONE) return RUGA_OK;
    TRY(ARRAY_RESERVE(set->context, allowed, 5 * set->piercings.count));
    for (size_t i = 0; i < set->piercings.count; i++) {
        uint32_t edge = (uint32_t)(set->piercings.items[i] >> 32), triangle = (uint32_t)set->piercings.items[i];
        for (int k = 0; k < 2; k++) {
            uint32_t v = topo->edge_vertices[2 * (size_t)edge + (size_t)k];
            if (which == CROSSING_ALL || most_edges_pierce(set, v, triangle))
                allowed->items[allowed->count++] = vertex_key(v, triangle);
        }
        for (int k = 0; k < 3; k++) {
            uint32_t edges[2] = {edge, topo->triangle_edges[3 * (size_t)triangle + (size_t)k]};
            if (which == CROSSING_ALL || most_triangles_are_pierced(set, edges))
                allowed->items[allowed->count++] = edge_key(set, edges[0], edges[1]);
        }
    }
    sort_unique(allowed);
    return RUGA_OK;
}

static ruga_status find_near(intersecting_pairs *set, const contact_mesh *m) {
    set->near.count = 0;
    TRY(ARRAY_RESERVE(set->context, &set->near, 15 * set->pairs.count));
    for (size_t i = 0; i < set->pairs.count; i++) {
        const uint32_t *pair = set->pairs.items[i].triangles;
        for (size_t side = 0; side < 2; side++)
            for (size_t k = 0; k < 3; k++)
                set->near.items[set->near.count++] =
                    vertex_key(m->triangles[3 * (size_t)pair[side] + k], pair[1 - side]);
        for (size_t k = 0; k < 9; k++)
            set->near.items[set->near.count++] =
                edge_key(set, set->topology->triangle_edges[3 * (size_t)pair[0] + k / 3],
                         set->topology->triangle_edges[3 * (size_t)pair[1] + k % 3]);
    }
    sort_unique(&set->near);
    return RUGA_OK;
}

ruga_status intersecting_pairs_prepare(intersecting_pairs *set, const contact_mesh *m) {
    set->near.count = set->piercings.count = 0;
    if (set->pairs.count == 0) return RUGA_OK;
    TRY(make_tables(set, m));
    TRY(find_piercings(set, m));
    return find_near(set, m);
}

/* ---- Pushing apart. */

/* The direction in which an edge has to move, relative to the triangle that it pierces, to make the contour shorter.
 * Each triangle at the edge has a piece of the contour, which begins at the piercing and has the direction r; when the
 * edge moves by d, the piercing moves along the triangle by d - e (n·d) / (n·e). */
static vec3 contour_gradient(const intersecting_pairs *set, const contact_mesh *m, uint32_t edge, vec3 along,
                             vec3 normal) {
    const topology *topo = set->topology;
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

/* Pushes both sides at the point where the edge pierces the triangle, which conserves momentum and angular momentum. */
static void push_piercing(const intersecting_pairs *set, uint32_t edge, uint32_t triangle, trajectories *t) {
    const contact_mesh *m = t->mesh;
    const uint32_t *e = set->topology->edge_vertices + 2 * (size_t)edge, *v = m->triangles + 3 * (size_t)triangle;
    double s;
    vec3 point = intersecting_pairs_point(set, m, edge, triangle, &s), a = m->from[v[0]];
    vec3 normal = vec3_cross(vec3_sub(m->from[v[1]], a), vec3_sub(m->from[v[2]], a));
    const vec3 at[4] = {point, a, m->from[v[1]], m->from[v[2]]};
    pair_gap gap = gap_of(PAIR_VERTEX_TRIANGLE, at);
    const uint32_t vertices[5] = {e[0], e[1], v[0], v[1], v[2]};
    const double weights[5] = {1 - s, s, gap.weights[1], gap.weights[2], gap.weights[3]};
    vec3 along = vec3_normalise(vec3_sub(m->from[e[1]], m->from[e[0]]));
    vec3 direction = contour_gradient(set, m, edge, along, vec3_normalise(normal));

    double mobility = 0, moved = 0;
    for (int k = 0; k < 5; k++) {
        mobility += weights[k] * weights[k] * m->inverse_masses[vertices[k]];
        moved += weights[k] * vec3_dot(direction, vec3_sub(m->to[vertices[k]], m->from[vertices[k]]));
    }
    double lacking = LONGEST_PUSH * t->most - moved;
    if (!(lacking > 0) || !(mobility > 0)) return;
    for (int k = 0; k < 5; k++) {
        double share = weights[k] * m->inverse_masses[vertices[k]] * lacking / mobility;
        if (share == 0) continue;
        m->to[vertices[k]] = vec3_add_scaled(m->to[vertices[k]], direction, share);
        trajectories_change(t, vertices[k]);
    }
}

size_t intersecting_pairs_place(const intersecting_pairs *set, uint32_t a, uint32_t b) {
    uint64_t key = triangles_key((uint32_t[2]){a < b ? a : b, a < b ? b : a});
    size_t low = 0, high = set->pairs.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (triangles_key(set->pairs.items[middle].triangles) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->pairs.count && triangles_key(set->pairs.items[low].triangles) == key ? low : NO_PAIR;
}

int intersecting_pairs_must_separate(const intersecting_pairs *set, uint32_t edge, uint32_t triangle) {
    const topology *topo = set->topology;
    for (uint32_t i = topo->edge_offsets[edge]; i < topo->edge_offsets[edge + 1]; i++) {
        size_t place = intersecting_pairs_place(set, topo->edge_triangles[i], triangle);
        if (place != NO_PAIR && set->pairs.items[place].push) return 1;
    }
    return 0;
}

vec3 intersecting_pairs_point(const intersecting_pairs *set, const contact_mesh *m, uint32_t edge, uint32_t triangle,
                              double *along) {
    const uint32_t *e = set->topology->edge_vertices + 2 * (size_t)edge, *v = m->triangles + 3 * (size_t)triangle;
    vec3 a = m->from[v[0]], normal = vec3_cross(vec3_sub(m->from[v[1]], a), vec3_sub(m->from[v[2]], a));
    double begin = vec3_dot(normal, vec3_sub(m->from[e[0]], a)), end = vec3_dot(normal, vec3_sub(m->from[e[1]], a));
    *along = begin != end ? fmin(1, fmax(0, begin / (begin - end))) : 0.5;
    return vec3_mix(m->from[e[0]], m->from[e[1]], *along);
}

void intersecting_pairs_push(const intersecting_pairs *set, trajectories *t) {
    for (size_t i = 0; i < set->piercings.count; i++) {
        uint32_t edge = (uint32_t)(set->piercings.items[i] >> 32), triangle = (uint32_t)set->piercings.items[i];
        if (intersecting_pairs_must_separate(set, edge, triangle)) push_piercing(set, edge, triangle, t);
    }
}

/* ---- State. */

void intersecting_pairs_save(const intersecting_pairs *set, state_writer *writer) {
    uint64_t count = set->pairs.count;
    state_begin(writer, INTERSECTING_TAG, INTERSECTING_VERSION);
    state_put_u64(writer, &count, 1);
    for (size_t i = 0; i < set->pairs.count; i++) {
        state_put_u32(writer, set->pairs.items[i].triangles, 2);
        state_put_u32(writer, &set->pairs.items[i].push, 1);
    }
    state_end(writer);
}

ruga_status intersecting_pairs_load(intersecting_pairs *set, state_reader *reader) {
    state_reader entry;
    uint32_t version;
    uint64_t count;
    TRY(state_enter(reader, INTERSECTING_TAG, INTERSECTING_VERSION, &version, &entry));
    TRY(state_get_u64(&entry, &count, 1));
    if (count > (uint64_t)(entry.end - entry.at) / (3 * sizeof(uint32_t)))
        return fail_with(set->context, RUGA_ERROR_INPUT,
                         "the saved state ends before its %llu intersections of contact; it is damaged",
                         (unsigned long long)count);
    intersecting_pairs_reset(set);
    TRY(ARRAY_RESERVE(set->context, &set->pairs, count));
    for (size_t i = 0; i < count; i++) {
        intersecting_pair *pair = &set->pairs.items[i];
        TRY(state_get_u32(&entry, pair->triangles, 2));
        TRY(state_get_u32(&entry, &pair->push, 1));
    }
    set->pairs.count = count;
    return RUGA_OK;
}

int intersecting_pairs_fit(const intersecting_pairs *set, const contact_mesh *m) {
    for (size_t i = 0; i < set->pairs.count; i++) {
        const uint32_t *pair = set->pairs.items[i].triangles;
        if (pair[0] >= pair[1] || pair[1] >= m->triangle_count) return 0;
        if (i > 0 && triangles_key(set->pairs.items[i - 1].triangles) >= triangles_key(pair)) return 0;
    }
    return 1;
}
