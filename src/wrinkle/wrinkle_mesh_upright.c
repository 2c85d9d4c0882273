/* Upright triangles: no triangle of the fine mesh turns its back on the base.
 *
 * Where the base closes up, as in the crook of an elbow, neighbouring offsets may cross: triangles between them turn
 * inside out, and the layer lies over itself like shingles. So after the solver each triangle is compared with the base
 * triangle that it lies on (a fine mesh of its own: with its place on the attached surface). Where it is turned, its
 * vertices go back on the path
 *
 *     flat triangle (share 0) - attached surface (share 1) - offset (share 2)
 *
 * just as far as needed, and their neighbours by not much less, so that no step remains. On the flat triangle nothing
 * is turned, so this ends. The shares are continuous in the offsets, with the exception of triangles that turn in the
 * middle of the path but not at its end.
 *
 * Only the output changes. The solver's state has the offsets before this, so that updates converge as before. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/threads.h"
#include "geom/seams.h"
#include "wrinkle/wrinkle_mesh.h"

#define LEAST_COSINE 0.25f /* between the normals of a triangle and of the base: 75 degrees, so that folds stay open */
#define FULL 2.0f          /* share of a vertex at its offset */
#define ON_SURFACE 1.0f    /* share of a vertex on the attached surface */
#define GRADE 0.2f         /* greatest difference of the shares of neighbours */
#define GRADE_SWEEPS 8
#define HALVINGS 10
#define SOFT_ROUNDS 12 /* then the vertices of a turned triangle go to the surface, and to the flat triangle */
#define MOST_ROUNDS 1000

struct wrinkle_upright {
    ruga_context *context;
    vertex_rings rings;   /* of slots; each compared triangle once */
    size_t step_count;    /* of all rings */
    uint32_t *bases;      /* (steps x 8) base triangles; NULL: compared with the attached surface */
    uint32_t *base_of;    /* (fine triangles) NO_INDEX: not compared; NULL like bases */
    float *base_normals;  /* (base triangles x 4) of any length */
    uint8_t *found;       /* (steps) a bit for each turned triangle */
    uint8_t *is_compared; /* (fine triangles) */
    float *shares;        /* (fine vertices) */
    float *ends, *flats;  /* (fine vertices x 4) of those with a share below 2: offset and flat triangle */
    uint8_t *is_touched;  /* (fine vertices) */
    uint32_t *touched;    /* (fine vertices) those with a share below 2 */
    uint32_t *turned;     /* (fine triangles) */
    uint32_t *marks;      /* (fine triangles) the round in which it was listed */
    uint32_t mark;
    size_t touched_count, turned_count;
};

/* ---- The base triangle under each fine triangle. */

typedef struct corner_set {
    uint32_t vertices[4];
    int count;
} corner_set;

static void corner_set_add(corner_set *set, uint32_t vertex) {
    for (int k = 0; k < set->count; k++)
        if (set->vertices[k] == vertex) return;
    if (set->count < 4) set->vertices[set->count++] = vertex;
}

static int has_corner(const uint32_t *triangle, uint32_t vertex) {
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

/* The lowest base triangle with these corners, of which there are two at least. */
static uint32_t find_triangle(const topology *base, const uint32_t *triangles, const corner_set *set) {
    const uint32_t first = set->vertices[0];
    if (set->count != 3) return NO_INDEX;
    for (uint32_t k = base->fan_offsets[first]; k < base->fan_offsets[first + 1]; k++) {
        const uint32_t t = base->fan_triangles[k], *own = triangles + 3 * (size_t)t;
        if (has_corner(own, set->vertices[1]) && has_corner(own, set->vertices[2])) return t;
    }
    return NO_INDEX;
}

/* A fine triangle lies on the base triangle whose corners have weights in its vertices. */
static uint32_t base_under(const ruga_wrinkle_mesh *w, const topology *base, const uint32_t *lowest,
                           const uint32_t *welded, size_t triangle) {
    corner_set set = {.count = 0};
    for (size_t k = 0; k < 3; k++) {
        double weights[3];
        const size_t slot = w->slots[w->welded[3 * triangle + k]];
        const uint32_t *own = w->base->triangles + 3 * (size_t)attachment_triangle(w->attached, slot, weights);
        for (int i = 0; i < 3; i++)
            if (fabs(weights[i]) > 1e-6) corner_set_add(&set, lowest[own[i]]);
    }
    return find_triangle(base, welded, &set);
}

static ruga_status find_bases(const ruga_wrinkle_mesh *w, wrinkle_upright *u) {
    const size_t corners = 3 * w->base->triangle_count;
    uint32_t *lowest, *welded = NULL;
    topology *base = NULL;
    TRY(NEW(u->context, &u->base_of, w->fine->triangle_count));
    TRY(NEW_ALIGNED_ZEROED(u->context, &u->base_normals, 4 * w->base->triangle_count));
    TRY(NEW(u->context, &lowest, w->base->vertex_count));
    ruga_status status = NEW(u->context, &welded, corners);
    if (!RUGA_FAILED(status)) status = seams_find(w->base, lowest);
    for (size_t c = 0; !RUGA_FAILED(status) && c < corners; c++) welded[c] = lowest[w->base->triangles[c]];
    if (!RUGA_FAILED(status))
        status = topology_build_neighbours(u->context, w->base->vertex_count, w->base->triangle_count, welded, &base);
    for (size_t t = 0; !RUGA_FAILED(status) && t < w->fine->triangle_count; t++)
        u->base_of[t] = base_under(w, base, lowest, welded, t);
    topology_destroy(base);
    RELEASE_ALL(u->context, lowest, welded);
    return status;
}

/* ---- Making. */

/* Triangles with a vertex beyond the reach of the base have no place on it. */
static void mark_compared(const ruga_wrinkle_mesh *w, wrinkle_upright *u) {
    for (size_t t = 0; t < w->fine->triangle_count; t++) {
        const uint32_t *v = w->welded + 3 * t;
        const int is_free = w->unattached[v[0]] || w->unattached[v[1]] || w->unattached[v[2]];
        u->is_compared[t] = !is_free && !(u->base_of && u->base_of[t] == NO_INDEX);
    }
}

static ruga_status make_rings(const ruga_wrinkle_mesh *w, wrinkle_upright *u) {
    const size_t triangles = w->fine->triangle_count;
    uint32_t *corners;
    TRY(NEW(u->context, &corners, 3 * triangles));
    for (size_t c = 0; c < 3 * triangles; c++) corners[c] = w->slots[w->welded[c]];
    ruga_status status = vertex_rings_cover(u->context, w->slot_count, triangles, corners, u->is_compared, &u->rings);
    memory_release(u->context, corners);
    TRY(status);
    u->step_count = u->rings.offsets[u->rings.group_count];
    TRY(NEW_ZEROED(u->context, &u->found, u->step_count));
    if (!u->base_of) return RUGA_OK;
    TRY(NEW(u->context, &u->bases, RING_LANES * u->step_count));
    for (size_t i = 0; i < RING_LANES * u->step_count; i++) {
        const uint32_t triangle = u->rings.closed[i];
        u->bases[i] = triangle == NO_RING_TRIANGLE ? 0 : u->base_of[triangle];
    }
    return RUGA_OK;
}

ruga_status wrinkle_upright_create(ruga_wrinkle_mesh *w) {
    const size_t vertices = w->fine->vertex_count, triangles = w->fine->triangle_count;
    wrinkle_upright *u;
    if (!w->def.upright) return RUGA_OK;
    TRY(NEW_ZEROED(w->context, &u, 1));
    w->upright = u; /* released with it */
    u->context = w->context;
    TRY(NEW_ZEROED(u->context, &u->is_compared, triangles));
    if (w->map && w->base->tet_count == 0) TRY(find_bases(w, u));
    mark_compared(w, u);
    TRY(make_rings(w, u));
    TRY(NEW_EACH_ZEROED(u->context, vertices, &u->shares, &u->is_touched, &u->touched));
    TRY(NEW_EACH_ZEROED(u->context, 4 * vertices, &u->ends, &u->flats));
    TRY(NEW_EACH_ZEROED(u->context, triangles, &u->turned, &u->marks));
    for (size_t v = 0; v < vertices; v++) u->shares[v] = FULL;
    return RUGA_OK;
}

void wrinkle_upright_destroy(wrinkle_upright *u) {
    if (!u) return;
    memory_release_aligned(u->context, u->base_normals);
    vertex_rings_release(&u->rings);
    RELEASE_ALL(u->context, u->bases, u->base_of, u->found, u->is_compared, u->shares, u->ends, u->flats, u->is_touched,
                u->touched, u->turned, u->marks, u);
}

/* ---- Which triangles are turned. */

typedef struct normal3 {
    float x, y, z;
} normal3;

static normal3 normal_of(const float *p, const float *q, const float *s) {
    const float a[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, b[3] = {s[0] - p[0], s[1] - p[1], s[2] - p[2]};
    return (normal3){a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

static float dot(normal3 a, normal3 b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }

static normal3 reference_of(const ruga_wrinkle_mesh *w, const wrinkle_upright *u, size_t triangle) {
    if (u->base_of) {
        const float *n = u->base_normals + 4 * (size_t)u->base_of[triangle];
        return (normal3){n[0], n[1], n[2]};
    }
    const uint32_t *v = w->welded + 3 * triangle;
    return normal_of(w->anchors + 4 * (size_t)w->slots[v[0]], w->anchors + 4 * (size_t)w->slots[v[1]],
                     w->anchors + 4 * (size_t)w->slots[v[2]]);
}

/* Where either has no area nothing is turned. */
static int is_turned_to(normal3 own, normal3 reference) {
    return dot(own, reference) < LEAST_COSINE * sqrtf(dot(own, own) * dot(reference, reference));
}

static int is_turned(const ruga_wrinkle_mesh *w, const wrinkle_upright *u, size_t triangle) {
    const uint32_t *v = w->welded + 3 * triangle;
    return is_turned_to(normal_of(w->points + 4 * (size_t)w->slots[v[0]], w->points + 4 * (size_t)w->slots[v[1]],
                                  w->points + 4 * (size_t)w->slots[v[2]]),
                        reference_of(w, u, triangle));
}

static void measure_base_normals(void *argument, size_t begin, size_t end) {
    const ruga_wrinkle_mesh *w = argument;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *v = w->base->triangles + 3 * t;
        const normal3 n = normal_of(w->base_points + 4 * (size_t)v[0], w->base_points + 4 * (size_t)v[1],
                                    w->base_points + 4 * (size_t)v[2]);
        float *out = w->upright->base_normals + 4 * t;
        out[0] = n.x, out[1] = n.y, out[2] = n.z;
    }
}

static void find_groups(void *argument, size_t begin, size_t end) {
    const ruga_wrinkle_mesh *w = argument;
    const wrinkle_upright *u = w->upright;
    const wrinkle_turn_pass pass = {&u->rings, u->bases,     u->bases ? u->base_normals : w->anchors,
                                    w->points, LEAST_COSINE, u->found};
    ISA_SELECT(w->context->isa, wrinkle_find_turned)(&pass, begin, end);
}

/* Lists the turned triangles, each once. */
static void find_turned(ruga_wrinkle_mesh *w, wrinkle_upright *u) {
    if (u->bases) parallel_for(w->context, w->base->triangle_count, WRINKLE_BLOCK, measure_base_normals, w);
    parallel_for(w->context, u->rings.group_count, RING_BLOCK, find_groups, w);
    u->mark++;
    u->turned_count = 0;
    for (size_t s = 0; s < u->step_count; s++)
        for (size_t k = 0; u->found[s] != 0 && k < RING_LANES; k++) {
            const uint32_t triangle = u->rings.closed[RING_LANES * s + k];
            if (!(u->found[s] >> k & 1) || triangle == NO_RING_TRIANGLE || u->marks[triangle] == u->mark) continue;
            u->marks[triangle] = u->mark;
            u->turned[u->turned_count++] = triangle;
        }
    sort_indices(u->turned, u->turned_count);
}

/* ---- Vertices on their paths. */

static void touch(const ruga_wrinkle_mesh *w, wrinkle_upright *u, uint32_t v) {
    if (u->is_touched[v]) return;
    const size_t slot = w->slots[v];
    double weights[3];
    u->is_touched[v] = 1;
    u->touched[u->touched_count++] = v;
    memcpy(u->ends + 4 * (size_t)v, w->points + 4 * slot, 4 * sizeof *u->ends);
    if (!u->base_of) {
        memcpy(u->flats + 4 * (size_t)v, w->anchors + 4 * slot, 4 * sizeof *u->flats);
        return;
    }
    const uint32_t *corner = w->base->triangles + 3 * (size_t)attachment_triangle(w->attached, slot, weights);
    for (size_t k = 0; k < 3; k++) {
        double sum = 0;
        for (size_t i = 0; i < 3; i++) sum += weights[i] * (double)w->base_points[4 * (size_t)corner[i] + k];
        u->flats[4 * (size_t)v + k] = (float)sum;
    }
}

/* The point of a vertex at a share. */
static void point_at(const ruga_wrinkle_mesh *w, const wrinkle_upright *u, uint32_t v, float share, float *point) {
    const float *flat = u->flats + 4 * (size_t)v, *anchor = w->anchors + 4 * (size_t)w->slots[v];
    const float *end = u->ends + 4 * (size_t)v;
    for (int k = 0; k < 3; k++)
        point[k] = share >= ON_SURFACE ? anchor[k] + (share - ON_SURFACE) * (end[k] - anchor[k])
                                       : flat[k] + share * (anchor[k] - flat[k]);
}

/* The shares of three vertices that go back together: first to the surface, t from 1 to 0; then to the triangle. */
static void shares_at(const float from[3], int stage, float t, float out[3]) {
    for (int k = 0; k < 3; k++) {
        const float surface = from[k] < ON_SURFACE ? from[k] : ON_SURFACE;
        out[k] = stage == 0 ? surface + t * (from[k] - surface) : t * surface;
    }
}

static int is_turned_at(const ruga_wrinkle_mesh *w, const wrinkle_upright *u, const uint32_t *v, const float shares[3],
                        normal3 reference) {
    float points[3][3];
    for (int k = 0; k < 3; k++) point_at(w, u, v[k], shares[k], points[k]);
    return is_turned_to(normal_of(points[0], points[1], points[2]), reference);
}

/* How far the vertices of a turned triangle may go: the shares after this. */
static void go_back(const ruga_wrinkle_mesh *w, const wrinkle_upright *u, size_t triangle, int round, float out[3]) {
    const uint32_t *v = w->welded + 3 * triangle;
    const normal3 reference = reference_of(w, u, triangle);
    float from[3], trial[3], low = 0, high = 1;
    for (int k = 0; k < 3; k++) from[k] = u->shares[v[k]];
    shares_at(from, 0, 0, out);
    const int stage = is_turned_at(w, u, v, out, reference);
    shares_at(from, stage, 0, out);
    for (int i = 0; i < HALVINGS && round < SOFT_ROUNDS; i++) {
        const float middle = 0.5f * (low + high);
        shares_at(from, stage, middle, trial);
        if (is_turned_at(w, u, v, trial, reference))
            high = middle;
        else
            low = middle, memcpy(out, trial, sizeof trial);
    }
}

/* The neighbours of vertices that went back follow them. */
static void grade(const ruga_wrinkle_mesh *w, wrinkle_upright *u, size_t begin) {
    for (size_t i = begin; i < u->touched_count; i++) {
        const uint32_t v = u->touched[i];
        const float most = u->shares[v] + GRADE;
        for (uint32_t k = w->topo->ring_offsets[v]; most < FULL && k < w->topo->ring_offsets[v + 1]; k++) {
            const uint32_t other = w->topo->ring_vertices[k];
            if (!(u->shares[other] > most) || w->unattached[other]) continue;
            touch(w, u, other);
            u->shares[other] = most;
        }
    }
}

/* Moves the touched vertices and lists the turned triangles around them. */
static void place_touched(ruga_wrinkle_mesh *w, wrinkle_upright *u) {
    for (size_t i = 0; i < u->touched_count; i++) {
        const uint32_t v = u->touched[i];
        point_at(w, u, v, u->shares[v], w->points + 4 * (size_t)w->slots[v]);
    }
    u->mark++;
    u->turned_count = 0;
    for (size_t i = 0; i < u->touched_count; i++) {
        const uint32_t v = u->touched[i];
        for (uint32_t k = w->topo->fan_offsets[v]; k < w->topo->fan_offsets[v + 1]; k++) {
            const uint32_t t = w->topo->fan_triangles[k];
            if (u->marks[t] == u->mark) continue;
            u->marks[t] = u->mark;
            if (u->is_compared[t] && is_turned(w, u, t)) u->turned[u->turned_count++] = t;
        }
    }
}

static void reset(wrinkle_upright *u) {
    for (size_t i = 0; i < u->touched_count; i++) {
        u->shares[u->touched[i]] = FULL;
        u->is_touched[u->touched[i]] = 0;
    }
    u->touched_count = 0;
}

void wrinkle_upright_apply(ruga_wrinkle_mesh *w) {
    wrinkle_upright *u = w->upright;
    if (!u) return;
    reset(u);
    find_turned(w, u);
    for (int round = 0; u->turned_count > 0 && round < MOST_ROUNDS; round++) {
        for (size_t i = 0; i < u->turned_count; i++) {
            const uint32_t *v = w->welded + 3 * (size_t)u->turned[i];
            float shares[3];
            for (int k = 0; k < 3; k++) touch(w, u, v[k]);
            go_back(w, u, u->turned[i], round, shares);
            for (int k = 0; k < 3; k++)
                if (shares[k] < u->shares[v[k]]) u->shares[v[k]] = shares[k];
        }
        for (int sweep = 0; sweep < GRADE_SWEEPS && round < SOFT_ROUNDS; sweep++) grade(w, u, 0);
        place_touched(w, u);
    }
}

size_t wrinkle_upright_count(const wrinkle_upright *u) { return u ? u->touched_count : 0; }
