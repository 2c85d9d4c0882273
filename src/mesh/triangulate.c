/* Triangulation of polygons: quads by their better diagonal, strictly convex polygons by a fan, all others by clipping
 * ears (Meisters 1975; Eberly, "Triangulation by ear clipping") in the plane of Newell's normal.
 *
 * An ear is tested only against the reflex corners near it, which a grid finds, and after a cut only its two neighbours
 * are tested again. So outlines of a hundred thousand corners are fast. */
#include "mesh/triangulate.h"

#include <string.h>

#include "math/vec3.h"

#define MAX_ROUNDS 256 /* a simple outline needs one or two */
#define NONE UINT32_MAX

typedef struct corner2 {
    double x, y;
    uint32_t previous, next; /* in the polygon that is left */
    uint32_t next_in_cell;   /* NONE: the last */
    uint8_t queued, waits, removed, reflex, listed;
} corner2;

typedef struct ear_clipper {
    size_t count;     /* corners of the whole polygon */
    corner2 *corners; /* (count) */
    uint32_t *queue;  /* ring of (count) corners that may be ears */
    size_t queue_begin, queue_count;
    int flat_too; /* whether corners without an angle may be cut off */

    /* Reflex corners, those that are not strictly convex, in the cells of a grid over the outline. */
    size_t side;     /* cells along x and along y, side² <= count */
    uint32_t *cells; /* (side²) the first corner in each; NONE: empty */
    double low_x, low_y, scale_x, scale_y;
} ear_clipper;

void triangulator_release(triangulator *t) {
    memory_release(t->context, t->memory);
    t->memory = NULL;
    t->capacity = 0;
}

/* Whether both triangles of a quad a b c d, cut along a c, have the same orientation. */
static int diagonal_is_inside(vec3 a, vec3 b, vec3 c, vec3 d) {
    vec3 ac = vec3_sub(c, a);
    vec3 first = vec3_cross(vec3_sub(b, a), ac), second = vec3_cross(ac, vec3_sub(d, a));
    return vec3_dot(first, second) > 0;
}

/* The diagonal that is inside; if both are, the first one unless the other is clearly shorter, so that rounding does
 * not make grids irregular. */
static void cut_quad(const vec3 *positions, const uint32_t *quad, uint32_t *out) {
    static const uint32_t cuts[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}};
    vec3 p[4];
    for (int k = 0; k < 4; k++) p[k] = positions[quad[k]];
    int first = diagonal_is_inside(p[0], p[1], p[2], p[3]), second = diagonal_is_inside(p[1], p[2], p[3], p[0]);
    double length2 = vec3_length2(vec3_sub(p[2], p[0])), other2 = vec3_length2(vec3_sub(p[3], p[1]));
    int choice = first == second ? other2 < length2 * (1 - 1e-6) : second;
    memcpy(out, cuts[choice], sizeof cuts[0]);
}

/* Projects along the axis that the normal is closest to, so that the polygon is counter-clockwise in (x, y). */
static void project(const vec3 *positions, const uint32_t *polygon, ear_clipper *clipper) {
    /* Newell's normal, relative to a corner, for precision far from the origin. */
    vec3 origin = positions[polygon[0]], n = {0, 0, 0};
    for (size_t i = 1; i + 1 < clipper->count; i++)
        n = vec3_add(n,
                     vec3_cross(vec3_sub(positions[polygon[i]], origin), vec3_sub(positions[polygon[i + 1]], origin)));
    double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
    int axis = ax > ay && ax > az ? 0 : ay > az ? 1 : 2;
    double sign = (axis == 0 ? n.x : axis == 1 ? n.y : n.z) < 0 ? -1 : 1;
    for (size_t i = 0; i < clipper->count; i++) {
        vec3 p = vec3_sub(positions[polygon[i]], origin);
        corner2 *corner = &clipper->corners[i];
        *corner = (corner2){.next_in_cell = NONE};
        corner->x = axis == 0 ? p.y : axis == 1 ? p.z : p.x;
        corner->y = sign * (axis == 0 ? p.z : axis == 1 ? p.x : p.y);
        corner->next = i + 1 < clipper->count ? (uint32_t)(i + 1) : 0;
        corner->previous = (uint32_t)(i > 0 ? i : clipper->count) - 1;
    }
}

/* Twice the signed area of a triangle. */
static double area2(const corner2 *a, const corner2 *b, const corner2 *c) {
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static double corner_turn(const ear_clipper *clipper, uint32_t i) {
    const corner2 *corners = clipper->corners, *corner = &corners[i];
    return area2(&corners[corner->previous], corner, &corners[corner->next]);
}

/* Whether every corner turns left. An outline with several turns passes too; there is no good triangulation of it. */
static int is_strictly_convex(const ear_clipper *clipper) {
    for (uint32_t i = 0; i < clipper->count; i++)
        if (!(corner_turn(clipper, i) > 0)) return 0;
    return 1;
}

/* ---- The grid. */

/* The row or column of a coordinate; NaN is in the first. */
static size_t cell_index(const ear_clipper *clipper, double distance, double scale) {
    double place = distance * scale;
    if (!(place > 0)) return 0;
    return place < (double)clipper->side ? (size_t)place : clipper->side - 1;
}

/* Adds a corner that is not strictly convex to its cell. Others are removed when their cell is next visited. */
static void update_reflex(ear_clipper *clipper, uint32_t i) {
    corner2 *corner = &clipper->corners[i];
    corner->reflex = !(corner_turn(clipper, i) > 0);
    if (!corner->reflex || corner->listed) return;
    size_t column = cell_index(clipper, corner->x - clipper->low_x, clipper->scale_x);
    size_t row = cell_index(clipper, corner->y - clipper->low_y, clipper->scale_y);
    uint32_t *cell = &clipper->cells[row * clipper->side + column];
    corner->next_in_cell = *cell;
    corner->listed = 1;
    *cell = i;
}

static void build_grid(ear_clipper *clipper) {
    double low_x = INFINITY, low_y = INFINITY, high_x = -INFINITY, high_y = -INFINITY;
    size_t reflex_count = 0;
    for (uint32_t i = 0; i < clipper->count; i++) {
        const corner2 *corner = &clipper->corners[i];
        low_x = fmin(low_x, corner->x);
        low_y = fmin(low_y, corner->y);
        high_x = fmax(high_x, corner->x);
        high_y = fmax(high_y, corner->y);
        reflex_count += !(corner_turn(clipper, i) > 0);
    }
    clipper->side = (size_t)sqrt((double)reflex_count);
    if (clipper->side == 0) clipper->side = 1;
    clipper->low_x = low_x;
    clipper->low_y = low_y;
    clipper->scale_x = (double)clipper->side / (high_x - low_x);
    clipper->scale_y = (double)clipper->side / (high_y - low_y);
    for (size_t i = 0; i < clipper->side * clipper->side; i++) clipper->cells[i] = NONE;
    for (uint32_t i = 0; i < clipper->count; i++) update_reflex(clipper, i);
}

/* ---- Ears. */

static int same_place(const corner2 *a, const corner2 *b) { return a->x == b->x && a->y == b->y; }

/* Whether p is within the triangle, border included. Points at a and c don't count, since bridges to holes start there;
 * points at b do, since an outline that touches itself there would be cut wrongly. */
static int is_inside(const corner2 *a, const corner2 *b, const corner2 *c, const corner2 *p) {
    if (same_place(p, a) || same_place(p, c)) return 0;
    return area2(a, b, p) >= 0 && area2(b, c, p) >= 0 && area2(c, a, p) >= 0;
}

/* Whether no reflex corner of a cell is within the ear. Removes corners that are no longer reflex. */
static int ear_is_empty_in_cell(ear_clipper *clipper, uint32_t *cell, const corner2 *b) {
    corner2 *corners = clipper->corners;
    const corner2 *a = &corners[b->previous], *c = &corners[b->next];
    for (uint32_t *link = cell; *link != NONE;) {
        corner2 *p = &corners[*link];
        if (!p->reflex || p->removed) {
            *link = p->next_in_cell;
            p->listed = 0;
            continue;
        }
        if (p != a && p != b && p != c && is_inside(a, b, c, p)) return 0;
        link = &p->next_in_cell;
    }
    return 1;
}

static int ear_is_empty(ear_clipper *clipper, uint32_t i) {
    const corner2 *b = &clipper->corners[i], *a = &clipper->corners[b->previous], *c = &clipper->corners[b->next];
    double low_x = fmin(a->x, fmin(b->x, c->x)), high_x = fmax(a->x, fmax(b->x, c->x));
    double low_y = fmin(a->y, fmin(b->y, c->y)), high_y = fmax(a->y, fmax(b->y, c->y));
    size_t column_begin = cell_index(clipper, low_x - clipper->low_x, clipper->scale_x);
    size_t column_end = cell_index(clipper, high_x - clipper->low_x, clipper->scale_x);
    size_t row_begin = cell_index(clipper, low_y - clipper->low_y, clipper->scale_y);
    size_t row_end = cell_index(clipper, high_y - clipper->low_y, clipper->scale_y);
    for (size_t row = row_begin; row <= row_end; row++)
        for (size_t column = column_begin; column <= column_end; column++)
            if (!ear_is_empty_in_cell(clipper, &clipper->cells[row * clipper->side + column], b)) return 0;
    return 1;
}

static void write_ear(const ear_clipper *clipper, uint32_t i, uint32_t *out) {
    out[0] = clipper->corners[i].previous;
    out[1] = i;
    out[2] = clipper->corners[i].next;
}

static void cut_ear(ear_clipper *clipper, uint32_t i) {
    corner2 *corners = clipper->corners;
    uint32_t previous = corners[i].previous, next = corners[i].next;
    corners[previous].next = next;
    corners[next].previous = previous;
    corners[i].removed = 1;
    update_reflex(clipper, previous);
    update_reflex(clipper, next);
}

static void enqueue(ear_clipper *clipper, uint32_t i) {
    corner2 *corner = &clipper->corners[i];
    if (corner->queued) return;
    corner->queued = 1;
    clipper->queue[(clipper->queue_begin + clipper->queue_count++) % clipper->count] = i;
}

static uint32_t dequeue(ear_clipper *clipper) {
    uint32_t i = clipper->queue[clipper->queue_begin];
    clipper->queue_begin = (clipper->queue_begin + 1) % clipper->count;
    clipper->queue_count--;
    clipper->corners[i].queued = 0;
    return i;
}

/* Tries the next corner of the queue. The corner after a cut is postponed, which spreads the cuts. */
static int try_ear(ear_clipper *clipper, uint32_t *out) {
    uint32_t i = dequeue(clipper);
    corner2 *corner = &clipper->corners[i];
    if (corner->removed) return 0;
    if (corner->waits) {
        corner->waits = 0;
        enqueue(clipper, i);
        return 0;
    }
    double turn = corner_turn(clipper, i);
    if (!(turn > 0 || (clipper->flat_too && turn == 0)) || !ear_is_empty(clipper, i)) return 0;
    write_ear(clipper, i, out);
    cut_ear(clipper, i);
    enqueue(clipper, corner->previous);
    enqueue(clipper, corner->next);
    clipper->corners[corner->next].waits = 1;
    return 1;
}

/* Cuts ears, in rounds over all remaining corners. A round that finds none is followed by one that may cut flat
 * corners; if that finds none either, the outline crosses itself, and the rest becomes a fan. */
static void clip_ears(ear_clipper *clipper, uint32_t *out) {
    build_grid(clipper);
    size_t left = clipper->count;
    uint32_t start = 0;
    for (size_t round = 0; left > 2 && round < MAX_ROUNDS; round++) {
        size_t cuts = 0;
        uint32_t i = start;
        do {
            enqueue(clipper, i);
            i = clipper->corners[i].next;
        } while (i != start);
        while (clipper->queue_count > 0 && left - cuts > 2) cuts += (size_t)try_ear(clipper, out + 3 * cuts);
        if (cuts == 0 && clipper->flat_too) break;
        clipper->flat_too = cuts == 0;
        left -= cuts;
        out += 3 * cuts;
        while (clipper->corners[start].removed) start = clipper->corners[start].next;
    }
    for (; left > 2; left--, out += 3) {
        uint32_t i = clipper->corners[start].next;
        write_ear(clipper, i, out);
        cut_ear(clipper, i);
    }
}

ruga_status triangulate(triangulator *t, const ruga_vec3 *positions, const uint32_t *polygon, size_t count,
                        uint32_t *out) {
    if (count == 3) {
        for (uint32_t k = 0; k < 3; k++) out[k] = k;
        return RUGA_OK;
    }
    if (count == 4) {
        cut_quad(positions, polygon, out);
        return RUGA_OK;
    }
    if (t->capacity < count) {
        size_t capacity = count + count / 2;
        triangulator_release(t);
        TRY(NEW_SIZED(t->context, &t->memory, capacity, sizeof(corner2) + 2 * sizeof(uint32_t)));
        t->capacity = capacity;
    }
    ear_clipper clipper = {.count = count, .corners = t->memory};
    clipper.queue = (uint32_t *)(clipper.corners + count);
    clipper.cells = clipper.queue + count;
    project(positions, polygon, &clipper);
    if (is_strictly_convex(&clipper)) {
        for (uint32_t k = 0; k + 2 < count; k++) {
            out[3 * k] = 0;
            out[3 * k + 1] = k + 1;
            out[3 * k + 2] = k + 2;
        }
    } else {
        clip_ears(&clipper, out);
    }
    return RUGA_OK;
}
