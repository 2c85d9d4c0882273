#include "contact/trajectories.h"

#include <string.h>

#include "base/sort.h"
#include "base/threads.h"
#include "contact/ccd.h"
#include "contact/thickness.h"
#include "math/vec3.h"

#define PAIR_BLOCK 512
#define MARGIN 0.6 /* of the greatest thickness; at least twice the separation is used */
#define FAR_PART 4 /* if more than one in so many vertices is far, everything is searched again */

enum { CHANGED = 1, FAR = 2, PENETRATING = 4 };

static ruga_status allocate(trajectories *t, size_t count) {
    TRY(NEW(t->context, &t->found_to, count));
    TRY(NEW_ZEROED(t->context, &t->marks, count));
    TRY(ARRAY_RESERVE(t->context, &t->changed, count));
    TRY(ARRAY_RESERVE(t->context, &t->far, count));
    return ARRAY_RESERVE(t->context, &t->penetrating, count);
}

ruga_status trajectories_init(trajectories *t, contact_mesh *mesh, broad *b, double separation, const collider *planes,
                              size_t plane_count) {
    *t = (trajectories){.context = mesh->context,
                        .mesh = mesh,
                        .broad = b,
                        .separation = separation,
                        .planes = planes,
                        .plane_count = plane_count};
    for (size_t i = 0; i < mesh->part_count; i++) t->most = fmax(t->most, mesh->parts[i].thickness);
    ruga_status status = allocate(t, mesh->vertex_count);
    if (RUGA_FAILED(status)) trajectories_release(t);
    return status;
}

void trajectories_release(trajectories *t) {
    if (!t->context) return;
    RELEASE_ALL(t->context, t->found_to, t->marks, t->ignored.items, t->near.items, t->candidates.items,
                t->collisions.items, t->changed.items, t->far.items, t->penetrating.items, t->passing.items,
                t->of_far.items, t->times.items);
    *t = (trajectories){0};
}

/* ---- Changed vertices. */

static void clear_marks(trajectories *t, vertex_array *vertices, unsigned mark) {
    for (size_t i = 0; i < vertices->count; i++) t->marks[vertices->items[i]] &= (unsigned char)~mark;
    vertices->count = 0;
}

static void add_mark(trajectories *t, vertex_array *vertices, uint32_t vertex, unsigned mark) {
    if (t->marks[vertex] & mark) return;
    t->marks[vertex] |= (unsigned char)mark;
    vertices->items[vertices->count++] = vertex;
}

static unsigned marks_of(const trajectories *t, const contact_pair *p) {
    const uint32_t *v = p->vertices;
    return t->marks[v[0]] | t->marks[v[1]] | t->marks[v[2]] | t->marks[v[3]];
}

void trajectories_change(trajectories *t, uint32_t vertex) { add_mark(t, &t->changed, vertex, CHANGED); }

ruga_status trajectories_mark_penetrating(trajectories *t, uint32_t vertex, uint32_t class) {
    TRY(ARRAY_RESERVE(t->context, &t->passing, 1));
    t->passing.items[t->passing.count++] = (uint64_t)vertex << 32 | class;
    add_mark(t, &t->penetrating, vertex, PENETRATING);
    return RUGA_OK;
}

void trajectories_sort_penetrating(trajectories *t) { sort_keys(t->passing.items, t->passing.count); }

void trajectories_clear_penetrating(trajectories *t) {
    clear_marks(t, &t->penetrating, PENETRATING);
    t->passing.count = 0;
}

void trajectories_recheck(trajectories *t) {
    for (size_t i = 0; i < t->collisions.count; i++) {
        const contact_pair *p = &t->collisions.items[i].pair;
        if (!(marks_of(t, p) & CHANGED)) trajectories_change(t, p->vertices[0]);
    }
}

/* ---- Searches. */

/* m: distance within which candidates are found. A greater one finds more pairs, a smaller one needs more searches. */
static double margin(const trajectories *t) { return fmax(MARGIN, 2 * t->separation) * t->most; }

/* After a search with a margin. */
static void keep_ends(trajectories *t, double margin) {
    const contact_mesh *m = t->mesh;
    if (m->vertex_count > 0) memcpy(t->found_to, m->to, m->vertex_count * sizeof *m->to);
    t->found_margin = margin;
    clear_marks(t, &t->far, FAR);
}

ruga_status trajectories_find_near(trajectories *t, pair_reach reach) {
    const vec3 *to = reach.approaching ? t->mesh->to : t->mesh->from;
    double distance = reach.thicknesses * t->most;
    t->near_fits = 0;
    TRY(broad_find(t->broad, t->mesh->from, to, distance, &t->near));
    t->near_fits = reach.approaching && distance >= margin(t);
    if (t->near_fits) keep_ends(t, distance);
    return RUGA_OK;
}

static ruga_status search(trajectories *t) {
    const contact_mesh *m = t->mesh;
    t->from_near = 0;
    TRY(broad_find(t->broad, m->from, m->to, margin(t), &t->candidates));
    keep_ends(t, margin(t));
    return RUGA_OK;
}

/* A change that the ends of all moving surfaces share leaves their pairs as near as they were. It does not leave pairs
 * with kinematic surfaces so: these count as far. */
static void follow_mean(trajectories *t) {
    const contact_mesh *m = t->mesh;
    vec3 sum = {0, 0, 0};
    size_t count = 0;
    for (size_t v = 0; v < m->vertex_count; v++) {
        if (!m->parts[m->part_of[v]].moving) continue;
        sum = vec3_add(sum, vec3_sub(m->to[v], t->found_to[v]));
        count++;
    }
    vec3 mean = vec3_scale(sum, count > 0 ? 1 / (double)count : 0);
    broad_follow(t->broad, mean);
    for (size_t v = 0; v < m->vertex_count; v++) {
        if (m->parts[m->part_of[v]].moving)
            t->found_to[v] = vec3_add(t->found_to[v], mean);
        else
            add_mark(t, &t->far, (uint32_t)v, FAR);
    }
}

ruga_status trajectories_find(trajectories *t) {
    t->from_near = t->near_fits;
    if (t->near_fits)
        follow_mean(t);
    else
        TRY(search(t));
    t->near_fits = 0;
    clear_marks(t, &t->changed, CHANGED);
    t->all_changed = 1;
    return RUGA_OK;
}

/* Two vertices that each moved by the slack bring a pair from the margin to the separation, not nearer. */
static ruga_status find_far(trajectories *t) {
    const contact_mesh *m = t->mesh;
    double slack = 0.499 * (t->found_margin - t->separation * t->most);
    size_t before = t->far.count, count = t->all_changed ? m->vertex_count : t->changed.count;
    t->of_far.count = 0;
    if (t->from_near && !t->all_changed) return search(t);  // a round of impulses: more will follow
    for (size_t i = 0; i < count; i++) {
        uint32_t v = t->all_changed ? (uint32_t)i : t->changed.items[i];
        if (!(vec3_distance(m->to[v], t->found_to[v]) <= slack)) add_mark(t, &t->far, v, FAR);
    }
    if (t->far.count > m->vertex_count / FAR_PART) return search(t);
    if (t->far.count > before) sort_indices(t->far.items, t->far.count);
    if (t->far.count == 0) return RUGA_OK;
    return broad_find_changed(t->broad, m->from, m->to, t->found_margin, t->far.items, t->far.count, &t->of_far);
}

/* ---- Checks of pairs. */

int trajectories_collide(const trajectories *t, const contact_pair *p, double *time) {
    const contact_mesh *m = t->mesh;
    vec3 from[4], to[4];
    if (p->kind == PAIR_PLANE) {
        const collider *plane = &t->planes[p->elements[1]];
        *time = 1;
        return plane_height(plane, m->to[p->vertices[0]]) < trajectories_plane_floor(t, p->vertices[0], plane);
    }
    for (int k = 0; k < 4; k++) from[k] = m->from[p->vertices[k]], to[k] = m->to[p->vertices[k]];
    double full = pair_full_thickness(m, p);
    if (!ccd_pair((pair_kind)p->kind, from, to, t->separation * full, time)) return 0;
    /* The thickness of neighbours is rarely needed: a pair that keeps the full one keeps a smaller one too. */
    double thickness = pair_thickness(m, p);
    return !(thickness < full) || ccd_pair((pair_kind)p->kind, from, to, t->separation * thickness, time);
}

typedef struct check_task {
    const trajectories *t;
    const contact_pairs *pairs;
    int without_far; /* pairs with far vertices are checked elsewhere */
    trajectories_skip *skip;
    const void *argument;
} check_task;

static int is_ignored(const trajectories *t, const contact_pair *p) {
    return t->ignored.count > 0 && keys_contain(t->ignored.items, t->ignored.count, pair_key(p));
}

int trajectories_may_pass(const trajectories *t, const contact_pair *p) {
    const contact_mesh *m = t->mesh;
    if (!(marks_of(t, p) & PENETRATING)) return 0;
    const int first = p->kind == PAIR_EDGE_EDGE ? 2 : 1;
    for (int k = 0; k < 4; k++) {
        uint32_t other = pass_class(m, p->vertices[k < first ? 3 : 0]);
        uint64_t key = (uint64_t)p->vertices[k] << 32 | other;
        if (keys_contain(t->passing.items, t->passing.count, key)) return 1;
    }
    return 0;
}

static void check_range(void *argument, size_t begin, size_t end) {
    const check_task *task = argument;
    const trajectories *t = task->t;
    for (size_t i = begin; i < end; i++) {
        const contact_pair *p = &task->pairs->items[i];
        unsigned marks = marks_of(t, p);
        double time = -1;
        int counts = (t->all_changed || (marks & CHANGED)) && !(task->without_far && (marks & FAR)) &&
                     !trajectories_may_pass(t, p) && !is_ignored(t, p) &&
                     !(task->skip && task->skip(task->argument, p));
        t->times.items[i] = counts && trajectories_collide(t, p, &time) ? time : -1;
    }
}

static ruga_status check_pairs(trajectories *t, const check_task *task) {
    size_t count = task->pairs->count;
    t->times.count = 0;
    t->work += count;
    TRY(ARRAY_RESERVE(t->context, &t->times, count));
    parallel_for(t->context, count, PAIR_BLOCK, check_range, (void *)task);
    for (size_t i = 0; i < count; i++) {
        if (!(t->times.items[i] >= 0)) continue;
        TRY(ARRAY_RESERVE(t->context, &t->collisions, 1));
        t->collisions.items[t->collisions.count++] = (collision){task->pairs->items[i], t->times.items[i]};
    }
    return RUGA_OK;
}

double trajectories_plane_floor(const trajectories *t, uint32_t vertex, const collider *plane) {
    const contact_mesh *m = t->mesh;
    double start = plane_height(plane, m->from[vertex]);
    double separation = t->separation * m->parts[m->part_of[vertex]].thickness;
    if (start <= 0) return start;
    return start < 2 * separation ? start / 2 : separation;
}

static ruga_status check_planes(trajectories *t, uint32_t v, trajectories_skip *skip, const void *argument) {
    if (t->mesh->inverse_masses[v] == 0) return RUGA_OK;
    for (size_t i = 0; i < t->plane_count; i++) {
        contact_pair p = {{v, v, v, v}, PAIR_PLANE, {v, (uint32_t)i}};
        double time;
        if (!trajectories_collide(t, &p, &time) || (skip && skip(argument, &p)) || is_ignored(t, &p)) continue;
        TRY(ARRAY_RESERVE(t->context, &t->collisions, 1));
        t->collisions.items[t->collisions.count++] = (collision){p, time};
    }
    return RUGA_OK;
}

ruga_status trajectories_check(trajectories *t, trajectories_skip *skip, const void *argument) {
    t->collisions.count = 0;
    TRY(find_far(t));
    TRY(check_pairs(t, &(check_task){t, t->from_near ? &t->near : &t->candidates, 1, skip, argument}));
    TRY(check_pairs(t, &(check_task){t, &t->of_far, 0, skip, argument}));
    size_t count = t->plane_count == 0 ? 0 : t->all_changed ? t->mesh->vertex_count : t->changed.count;
    for (size_t i = 0; i < count; i++)
        TRY(check_planes(t, t->all_changed ? (uint32_t)i : t->changed.items[i], skip, argument));
    clear_marks(t, &t->changed, CHANGED);
    t->all_changed = 0;
    return RUGA_OK;
}

ruga_status trajectories_ignore(trajectories *t, const collision_array *collisions) {
    TRY(ARRAY_RESERVE(t->context, &t->ignored, collisions->count));
    for (size_t i = 0; i < collisions->count; i++)
        t->ignored.items[t->ignored.count++] = pair_key(&collisions->items[i].pair);
    sort_keys(t->ignored.items, t->ignored.count);
    return RUGA_OK;
}
