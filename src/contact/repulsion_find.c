/* Which pairs touch, and which of them are redundant.
 *
 * The nearest point of a triangle is often on its border only because the triangle ends there: a vertex over one of two
 * coplanar triangles is also near the other one, whose gap leans sideways, and repulsion along that gap would stop the
 * vertex from sliding across. Such a gap counts only where it is the smallest nearby: over all triangles that share the
 * edge or corner at which it ends, and over the edges from the vertex. Of several with the same gap one counts. Edges
 * whose nearest points are their ends are covered by vertex-triangle pairs.
 */
#include "base/threads.h"
#include "contact/repulsion_parts.h"
#include "contact/thickness.h"

enum { PAIR_BLOCK = 512, VERTEX_BLOCK = 4096 };
#define CERTAINLY 1.000001 /* 1, factor beyond rounding */
#define SAME_GAP 1e-9      /* 1, relative difference of equal distances */
#define AT_THICKNESS 0.01  /* 1, of the thickness: tolerance for being at it */
#define PLANE_REACH 2.0    /* 1, thicknesses from a plane within which a vertex gets a row, since others may push it */

typedef struct find_task {
    repulsion *r;
    const contact_mesh *mesh;
    const contact_pairs *pairs;
    const unsigned char *ignored;
    size_t plane;
    pair_reach reach;
} find_task;

static void gather(const contact_mesh *m, const contact_pair *pair, vec3 x[4]) {
    for (int k = 0; k < 4; k++) x[k] = m->from[pair->vertices[k]];
}

/* ---- How near a pair may be at the start to count. */

static vec3 motion_of(const contact_mesh *m, uint32_t vertex) { return vec3_sub(m->to[vertex], m->from[vertex]); }

/* m: a bound of how far the parts of a pair approach each other. */
static double greatest_approach(const contact_mesh *m, const contact_pair *pair) {
    int second = pair->kind == PAIR_EDGE_EDGE ? 2 : 1;
    double most = 0;
    for (int i = 0; i < second; i++)
        for (int k = second; k < 4; k++) {
            vec3 relative = vec3_sub(motion_of(m, pair->vertices[i]), motion_of(m, pair->vertices[k]));
            most = fmax(most, vec3_length2(relative));
        }
    return sqrt(most);
}

/* m. Nearest points that approach by more than the length of an element are not those that meet: then as if they did
 * not approach. */
static double touch_distance(const find_task *task, const touch *t) {
    const contact_pair *pair = task->pairs->items + t->pair;
    const contact_mesh *m = task->mesh;
    double distance = task->reach.thicknesses * t->thickness, approach = 0;
    if (!task->reach.approaching) return distance;
    for (int k = 0; k < 4; k++)
        approach -= t->gap.weights[k] * vec3_dot(t->gap.direction, motion_of(m, pair->vertices[k]));
    double length = vec3_distance(m->from[pair->vertices[2]], m->from[pair->vertices[3]]);
    return approach > 0 && approach <= length ? distance + approach : distance;
}

/* ---- A cheap test for candidates that may be within the full thickness. */

/* Whether two numbers each, or one and three, are farther apart than the distance. */
static int is_apart(double a, double b, double c, double d, int is_edges, double distance) {
    double low = is_edges && b < a ? b : a, high = is_edges && b > a ? b : a;
    double other_low = c < d ? c : d, other_high = c < d ? d : c;
    if (!is_edges && b < other_low) other_low = b;
    if (!is_edges && b > other_high) other_high = b;
    return other_low - high > distance || low - other_high > distance;
}

static int boxes_are_apart(const contact_pair *pair, const vec3 x[4], double distance) {
    int is_edges = pair->kind == PAIR_EDGE_EDGE;
    return is_apart(x[0].x, x[1].x, x[2].x, x[3].x, is_edges, distance) ||
           is_apart(x[0].y, x[1].y, x[2].y, x[3].y, is_edges, distance) ||
           is_apart(x[0].z, x[1].z, x[2].z, x[3].z, is_edges, distance);
}

/* Along the normal of the triangle, or of both edges. */
static int planes_are_apart(const contact_pair *pair, const vec3 x[4], double distance) {
    int is_edges = pair->kind == PAIR_EDGE_EDGE;
    vec3 a = is_edges ? vec3_sub(x[1], x[0]) : vec3_sub(x[2], x[1]);
    vec3 b = is_edges ? vec3_sub(x[3], x[2]) : vec3_sub(x[3], x[1]);
    vec3 normal = vec3_cross(a, b);
    double height = vec3_dot(normal, vec3_sub(x[0], x[3]));
    return height * height > CERTAINLY * distance * distance * vec3_length2(normal);
}

static void flag_pairs(void *argument, size_t begin, size_t end) {
    const find_task *task = argument;
    for (size_t i = begin; i < end; i++) {
        const contact_pair *pair = task->pairs->items + i;
        double distance = task->reach.thicknesses * pair_full_thickness(task->mesh, pair);
        if (task->reach.approaching) distance += greatest_approach(task->mesh, pair);
        vec3 x[4];
        gather(task->mesh, pair, x);
        int is_off = (task->ignored && task->ignored[i]) || boxes_are_apart(pair, x, distance) ||
                     planes_are_apart(pair, x, distance);
        task->r->flags.items[i] = !is_off;
    }
}

/* ---- Their gaps, without redundant ones. */

/* Whether pair_thickness may be below that of the parts: a seam joins the elements, or they are near at rest. */
static int keeps_less(const contact_mesh *m, const contact_pair *pair, double thickness) {
    vec3 x[4];
    for (int k = 0; k < 4; k++) x[k] = m->rest[pair->vertices[k]];
    return m->part_of[pair->vertices[0]] == m->part_of[pair->vertices[3]] &&
           (pair_is_sewn(m, pair) ||
            !boxes_are_apart(pair, x, thickness / m->parts[m->part_of[pair->vertices[0]]].rest_part));
}

static void measure_touches(void *argument, size_t begin, size_t end) {
    const find_task *task = argument;
    for (size_t i = begin; i < end; i++) {
        touch *t = task->r->touches.items + i;
        const contact_pair *pair = task->pairs->items + t->pair;
        vec3 x[4];
        gather(task->mesh, pair, x);
        t->gap = gap_of((pair_kind)pair->kind, x);
        t->thickness = pair_full_thickness(task->mesh, pair);
        if (t->gap.distance < touch_distance(task, t) && keeps_less(task->mesh, pair, t->thickness))
            t->thickness = pair_thickness(task->mesh, pair);
    }
}

/* Whether the triangle of `other` has all corners that the gap of `pair` ends at. */
static int shares_corners(const contact_pair *pair, const pair_gap *gap, const contact_pair *other) {
    for (int k = 1; k < 4; k++) {
        uint32_t corner = pair->vertices[k];
        int is_there = other->vertices[1] == corner || other->vertices[2] == corner || other->vertices[3] == corner;
        if (fabs(gap->weights[k]) >= AT_BORDER && !is_there) return 0;
    }
    return 1;
}

/* Whether another pair of the same vertex covers this one. The pairs of a vertex are consecutive. */
static int is_redundant(const find_task *task, size_t index) {
    const touch *touches = task->r->touches.items, *t = touches + index;
    const contact_pair *pairs = task->pairs->items, *pair = pairs + t->pair;
    size_t first = index, end = index + 1;
    while (first > 0 && pairs[touches[first - 1].pair].kind == PAIR_VERTEX_TRIANGLE &&
           pairs[touches[first - 1].pair].elements[0] == pair->elements[0])
        first--;
    while (end < task->r->touches.count && pairs[touches[end].pair].kind == PAIR_VERTEX_TRIANGLE &&
           pairs[touches[end].pair].elements[0] == pair->elements[0])
        end++;
    for (size_t i = first; i < end; i++) {
        double nearer = t->gap.distance - touches[i].gap.distance, same = SAME_GAP * t->gap.distance;
        if (i == index || !(i < index ? nearer >= -same : nearer > same)) continue;
        if (shares_corners(pair, &t->gap, pairs + touches[i].pair)) return 1;
    }
    return 0;
}

/* Whether no edge from the vertex comes nearer to the end of its gap. */
static int is_nearest_in_ring(const contact_mesh *m, const contact_pair *pair, const pair_gap *gap) {
    uint32_t vertex = pair->vertices[0];
    for (uint32_t k = m->ring_offsets[vertex]; k < m->ring_offsets[vertex + 1]; k++) {
        vec3 edge = vec3_sub(m->from[m->ring_vertices[k]], m->from[vertex]);
        double along = vec3_dot(edge, gap->direction);
        if (along < 0 && along * along > SAME_GAP * SAME_GAP * vec3_length2(edge)) return 0;
    }
    return 1;
}

static void flag_touches(void *argument, size_t begin, size_t end) {
    const find_task *task = argument;
    for (size_t i = begin; i < end; i++) {
        const touch *t = task->r->touches.items + i;
        const contact_pair *pair = task->pairs->items + t->pair;
        int counts = t->gap.distance < touch_distance(task, t);
        if (counts && ends_at_border(&t->gap))
            counts = pair->kind == PAIR_VERTEX_TRIANGLE && is_nearest_in_ring(task->mesh, pair, &t->gap) &&
                     !is_redundant(task, i);
        task->r->flags.items[i] = (unsigned char)counts;
    }
}

static size_t count_flags(const repulsion *r, size_t count) {
    size_t flagged = 0;
    for (size_t i = 0; i < count; i++) flagged += r->flags.items[i];
    return flagged;
}

ruga_status find_touches(repulsion *r, const contact_mesh *m, const contact_pairs *pairs, const unsigned char *ignored,
                         pair_reach reach) {
    find_task task = {.r = r, .mesh = m, .pairs = pairs, .ignored = ignored, .reach = reach};
    r->flags.count = 0;
    TRY(ARRAY_RESERVE(r->context, &r->flags, pairs->count));
    parallel_for(r->context, pairs->count, PAIR_BLOCK, flag_pairs, &task);
    r->touches.count = 0;
    TRY(ARRAY_RESERVE(r->context, &r->touches, count_flags(r, pairs->count)));
    for (size_t i = 0; i < pairs->count; i++)
        if (r->flags.items[i]) r->touches.items[r->touches.count++] = (touch){.pair = (uint32_t)i, .past = NO_PAST};

    parallel_for(r->context, r->touches.count, PAIR_BLOCK, measure_touches, &task);
    parallel_for(r->context, r->touches.count, PAIR_BLOCK, flag_touches, &task);
    size_t kept = 0;
    for (size_t i = 0; i < r->touches.count; i++)
        if (r->flags.items[i]) r->touches.items[kept++] = r->touches.items[i];
    r->touches.count = kept;
    return RUGA_OK;
}

/* ---- Planes. */

static void flag_vertices(void *argument, size_t begin, size_t end) {
    const find_task *task = argument;
    const contact_mesh *m = task->mesh;
    const collider *plane = task->r->law.planes + task->plane;
    for (size_t i = begin; i < end; i++) {
        vec3 normal;
        double reach = PLANE_REACH * m->parts[m->part_of[i]].thickness;
        int is_near = collider_distance(plane, m->from[i], &normal) < reach ||
                      collider_distance(plane, m->to[i], &normal) < reach;
        task->r->flags.items[i] = m->inverse_masses[i] > 0 && is_near;
    }
}

/* A vertex beyond the thickness may come as near as that; a nearer one is pushed out by a fraction of the overlap. */
static plane_row plane_row_of(const repulsion *r, const contact_mesh *m, size_t plane, size_t vertex, double dt) {
    vec3 normal;
    const contact_part *part = m->parts + m->part_of[vertex];
    const collider *c = r->law.planes + plane;
    double overlap = part->thickness - collider_distance(c, m->from[vertex], &normal);
    double friction = fmax(part->friction, c->friction);
    return (plane_row){.vertex = (uint32_t)vertex,
                       .plane = (uint32_t)plane,
                       .target = overlap > 0 ? push_speed(&r->law, overlap, dt) : overlap / dt,
                       .friction = friction,
                       .limit = fmin(r->law.static_ratio, RATIO_AT_ONCE) * friction,
                       .touches = overlap > -AT_THICKNESS * part->thickness};
}

ruga_status find_plane_rows(repulsion *r, const contact_mesh *m, double dt) {
    r->plane_rows.count = r->flags.count = 0;
    TRY(ARRAY_RESERVE(r->context, &r->flags, m->vertex_count));
    for (size_t plane = 0; plane < r->law.plane_count; plane++) {
        find_task task = {.r = r, .mesh = m, .plane = plane};
        parallel_for(r->context, m->vertex_count, VERTEX_BLOCK, flag_vertices, &task);
        TRY(ARRAY_RESERVE(r->context, &r->plane_rows, count_flags(r, m->vertex_count)));
        for (size_t i = 0; i < m->vertex_count; i++)
            if (r->flags.items[i]) r->plane_rows.items[r->plane_rows.count++] = plane_row_of(r, m, plane, i, dt);
        r->plane_ends[plane] = r->plane_rows.count;
    }
    return RUGA_OK;
}
