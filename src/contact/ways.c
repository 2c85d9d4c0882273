#include "contact/ways.h"

#include <string.h>

#include "base/sort.h"
#include "base/threads.h"
#include "contact/ccd.h"
#include "contact/thickness.h"
#include "math/vec3.h"

#define PAIR_BLOCK 512
#define MARGIN 0.6 /* of the greatest thickness, if that is twice the separation at least */
#define FAR_PART 4 /* one in so many vertices may be far before all is searched again */

enum { CHANGED = 1, FAR = 2, ASTRAY = 4 };

/* ---- Making. */

ruga_status ways_init(ways *w, contact_mesh *mesh, broad *b, double separation, const collider *planes,
                      size_t plane_count) {
    ruga_context *context = mesh->context;
    *w = (ways){.context = context,
                .mesh = mesh,
                .broad = b,
                .separation = separation,
                .planes = planes,
                .plane_count = plane_count};
    for (size_t i = 0; i < mesh->part_count; i++) w->most = fmax(w->most, mesh->parts[i].thickness);
    w->found_to = ALLOCATE(context, vec3, mesh->vertex_count);
    w->marks = ALLOCATE_ZEROED(context, unsigned char, mesh->vertex_count);
    ruga_status status = RUGA_OK;
    if (!w->found_to || !w->marks) status = fail_memory(context, mesh->vertex_count * sizeof *w->found_to);
    if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(context, &w->changed, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(context, &w->far, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(context, &w->astray, mesh->vertex_count);
    if (RUGA_FAILED(status)) ways_release(w);
    return status;
}

void ways_release(ways *w) {
    if (!w->context) return;
    memory_release(w->context, w->found_to);
    memory_release(w->context, w->marks);
    ARRAY_RELEASE(w->context, &w->let);
    ARRAY_RELEASE(w->context, &w->near);
    ARRAY_RELEASE(w->context, &w->candidates);
    ARRAY_RELEASE(w->context, &w->collisions);
    ARRAY_RELEASE(w->context, &w->changed);
    ARRAY_RELEASE(w->context, &w->far);
    ARRAY_RELEASE(w->context, &w->astray);
    ARRAY_RELEASE(w->context, &w->of_far);
    ARRAY_RELEASE(w->context, &w->times);
    *w = (ways){0};
}

int keys_have(const uint64_t *keys, size_t count, uint64_t key) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && keys[low] == key;
}

/* ---- What changed. */

static void forget_changes(ways *w) {
    for (size_t i = 0; i < w->changed.count; i++) w->marks[w->changed.items[i]] &= (unsigned char)~CHANGED;
    w->changed.count = 0;
    w->all_changed = 0;
}

static void forget_far(ways *w) {
    for (size_t i = 0; i < w->far.count; i++) w->marks[w->far.items[i]] &= (unsigned char)~FAR;
    w->far.count = 0;
}

/* m: what candidates come within. More finds more at once, less makes more searches needed when ends of ways move. */
static double margin(const ways *w) { return fmax(MARGIN, 2 * w->separation) * w->most; }

ruga_status ways_find_near(ways *w) { return broad_find(w->broad, w->mesh->from, w->mesh->from, w->most, &w->near); }

static ruga_status search(ways *w) {
    const contact_mesh *m = w->mesh;
    TRY(broad_find(w->broad, m->from, m->to, margin(w), &w->candidates));
    if (m->vertex_count > 0) memcpy(w->found_to, m->to, m->vertex_count * sizeof *m->to);
    forget_far(w);
    return RUGA_OK;
}

ruga_status ways_find(ways *w) {
    TRY(search(w));
    forget_changes(w);
    w->all_changed = 1;
    return RUGA_OK;
}

void ways_change(ways *w, uint32_t vertex) {
    if (w->marks[vertex] & CHANGED) return;
    w->marks[vertex] |= CHANGED;
    w->changed.items[w->changed.count++] = vertex;
}

void ways_ask_again(ways *w) {
    for (size_t i = 0; i < w->collisions.count; i++) {
        const uint32_t *v = w->collisions.items[i].pair.vertices;
        if (!((w->marks[v[0]] | w->marks[v[1]] | w->marks[v[2]] | w->marks[v[3]]) & CHANGED)) ways_change(w, v[0]);
    }
}

static void look_for_far(ways *w, uint32_t v, double slack) {
    if ((w->marks[v] & FAR) || vec3_distance(w->mesh->to[v], w->found_to[v]) <= slack) return;
    w->marks[v] |= FAR;
    w->far.items[w->far.count++] = v;
}

/* Two vertices that each moved by the slack bring a pair from the margin to the separation, not nearer. */
static ruga_status find_far(ways *w) {
    double slack = 0.499 * (margin(w) - w->separation * w->most);
    size_t before = w->far.count;
    if (w->all_changed) {
        for (size_t v = 0; v < w->mesh->vertex_count; v++) look_for_far(w, (uint32_t)v, slack);
    } else {
        for (size_t i = 0; i < w->changed.count; i++) look_for_far(w, w->changed.items[i], slack);
    }
    w->of_far.count = 0;
    if (w->far.count > w->mesh->vertex_count / FAR_PART) return search(w);
    if (w->far.count > before) sort_indices(w->far.items, w->far.count);
    if (w->far.count == 0) return RUGA_OK;
    return broad_find_changed(w->broad, w->mesh->from, w->mesh->to, margin(w), w->far.items, w->far.count, &w->of_far);
}

/* ---- Asking pairs. */

int ways_collide(const ways *w, const contact_pair *p, double *time) {
    const contact_mesh *m = w->mesh;
    vec3 from[4], to[4];
    if (p->kind == PAIR_PLANE) {
        const collider *plane = &w->planes[p->elements[1]];
        *time = 1;
        return plane_height(plane, m->to[p->vertices[0]]) < ways_plane_floor(w, p->vertices[0], plane);
    }
    for (int k = 0; k < 4; k++) from[k] = m->from[p->vertices[k]], to[k] = m->to[p->vertices[k]];
    double full = pair_full_thickness(m, p);
    if (!ccd_pair((pair_kind)p->kind, from, to, w->separation * full, time)) return 0;
    /* The thickness that neighbours have is rarely needed: who keeps the full one keeps a smaller one too. */
    double thickness = pair_thickness(m, p);
    return !(thickness < full) || ccd_pair((pair_kind)p->kind, from, to, w->separation * thickness, time);
}

typedef struct ask_task {
    ways *w;
    const contact_pairs *pairs;
    int but_far; /* pairs with far vertices are asked elsewhere */
    ways_skip *skip;
    const void *argument;
} ask_task;

static int is_let(const ways *w, const contact_pair *p) {
    return w->let.count > 0 && keys_have(w->let.items, w->let.count, pair_key(p));
}

int ways_pass(const ways *w, const contact_pair *p) {
    const contact_mesh *m = w->mesh;
    const uint32_t *v = p->vertices;
    if (!((w->marks[v[0]] | w->marks[v[1]] | w->marks[v[2]] | w->marks[v[3]]) & ASTRAY)) return 0;
    return !m->parts[m->part_of[v[0]]].moving || !m->parts[m->part_of[v[3]]].moving;
}

static void ask_pairs(void *argument, size_t begin, size_t end) {
    const ask_task *task = argument;
    const ways *w = task->w;
    for (size_t i = begin; i < end; i++) {
        const contact_pair *p = &task->pairs->items[i];
        const uint32_t *v = p->vertices;
        unsigned mark = w->marks[v[0]] | w->marks[v[1]] | w->marks[v[2]] | w->marks[v[3]];
        double time = -1;
        int asked = (w->all_changed || (mark & CHANGED)) && !(task->but_far && (mark & FAR)) && !ways_pass(w, p) &&
                    !is_let(w, p) && !(task->skip && task->skip(task->argument, p));
        w->times.items[i] = asked && ways_collide(w, p, &time) ? time : -1;
    }
}

static ruga_status ask(ways *w, const ask_task *task) {
    size_t count = task->pairs->count;
    w->times.count = 0;
    TRY(ARRAY_RESERVE(w->context, &w->times, count));
    parallel_for(w->context, count, PAIR_BLOCK, ask_pairs, (void *)task);
    for (size_t i = 0; i < count; i++) {
        if (!(w->times.items[i] >= 0)) continue;
        TRY(ARRAY_RESERVE(w->context, &w->collisions, 1));
        w->collisions.items[w->collisions.count++] = (collision){task->pairs->items[i], w->times.items[i]};
    }
    return RUGA_OK;
}

void ways_mark_astray(ways *w, uint32_t vertex) {
    if (w->marks[vertex] & ASTRAY) return;
    w->marks[vertex] |= ASTRAY;
    w->astray.items[w->astray.count++] = vertex;
}

void ways_clear_astray(ways *w) {
    for (size_t i = 0; i < w->astray.count; i++) w->marks[w->astray.items[i]] &= (unsigned char)~ASTRAY;
    w->astray.count = 0;
}

ruga_status ways_let(ways *w, const collision_array *collisions) {
    TRY(ARRAY_RESERVE(w->context, &w->let, collisions->count));
    for (size_t i = 0; i < collisions->count; i++) w->let.items[w->let.count++] = pair_key(&collisions->items[i].pair);
    sort_keys(w->let.items, w->let.count);
    return RUGA_OK;
}

/* ---- Planes. */

double ways_plane_floor(const ways *w, uint32_t vertex, const collider *plane) {
    const contact_mesh *m = w->mesh;
    double start = plane_height(plane, m->from[vertex]);
    double separation = w->separation * m->parts[m->part_of[vertex]].thickness;
    if (start <= 0) return start;
    return start < 2 * separation ? start / 2 : separation;
}

static ruga_status ask_planes(ways *w, uint32_t v, ways_skip *skip, const void *argument) {
    if (w->mesh->inverse_masses[v] == 0) return RUGA_OK;
    for (size_t i = 0; i < w->plane_count; i++) {
        contact_pair p = {{v, v, v, v}, PAIR_PLANE, {v, (uint32_t)i}};
        double time;
        if (!ways_collide(w, &p, &time) || (skip && skip(argument, &p)) || is_let(w, &p)) continue;
        TRY(ARRAY_RESERVE(w->context, &w->collisions, 1));
        w->collisions.items[w->collisions.count++] = (collision){p, time};
    }
    return RUGA_OK;
}

ruga_status ways_check(ways *w, ways_skip *skip, const void *argument) {
    w->collisions.count = 0;
    TRY(find_far(w));
    TRY(ask(w, &(ask_task){w, &w->candidates, 1, skip, argument}));
    TRY(ask(w, &(ask_task){w, &w->of_far, 0, skip, argument}));
    if (w->all_changed) {
        for (size_t v = 0; w->plane_count > 0 && v < w->mesh->vertex_count; v++)
            TRY(ask_planes(w, (uint32_t)v, skip, argument));
    } else {
        for (size_t i = 0; i < w->changed.count; i++) TRY(ask_planes(w, w->changed.items[i], skip, argument));
    }
    forget_changes(w);
    return RUGA_OK;
}
