/* The rounds of repulsion: Gauss-Seidel over rows with accumulated impulses.
 *
 * A visit gives a row the normal impulse that brings its approach to the target, never pulling; then the slip impulse
 * that stops the slip, within Coulomb's cone. Rows whose vertices did not change since their last visit are skipped.
 *
 * Static and kinetic friction: a row is held by static friction until that does not suffice. This is checked once, when
 * the impulses have settled, so that a row whose normal impulse is still growing is not released.
 *
 * Energy: with targets of zero, a visit decreases the kinetic energy as a function of the row's impulses, so the rounds
 * add none. The recalled impulses might: they are then scaled to the minimum of the energy.
 *
 * Threads: space is cut into slabs along its longest axis, always the same number of them. Rows of different slabs
 * share no moving vertex, so slabs are visited in parallel; the rows between slabs follow, in their order.
 */
#include <string.h>

#include "base/threads.h"
#include "contact/repulsion_parts.h"

enum { ROW_BLOCK = 512, VERTEX_BLOCK = 4096, BINS = 256 };
enum { FEW_TOUCHES = 1000, SAMPLE = 16 }; /* fewer are one slab; every so many-th touch is used to place the slabs */
/* When a vertex changed last: 0 for never, HARDLY_CHANGED for less than the tolerance, else the round. */
enum { HARDLY_CHANGED = 1, FIRST_ROUND = 3 };

/* ---- Slabs. */

typedef struct slab_cut {
    repulsion *r;
    const contact_mesh *mesh;
    const contact_pairs *pairs;
    vec3 axis;
    double low, scale;         /* bin = (axis . x - low) * scale */
    unsigned char slabs[BINS]; /* of the bins */
} slab_cut;

static vec3 place_of(const slab_cut *cut, size_t touch_index) {
    const touch *t = cut->r->touches.items + touch_index;
    return cut->mesh->from[cut->pairs->items[t->pair].vertices[0]];
}

static size_t bin_of(const slab_cut *cut, vec3 place) {
    double bin = (vec3_dot(cut->axis, place) - cut->low) * cut->scale;
    return bin > 0 ? bin < BINS - 1 ? (size_t)bin : BINS - 1 : 0;
}

/* The longest extent of a sample of the touches. */
static void choose_axis(slab_cut *cut) {
    vec3 low = place_of(cut, 0), high = low;
    for (size_t i = 0; i < cut->r->touches.count; i += SAMPLE) {
        vec3 place = place_of(cut, i);
        low = vec3_min(low, place), high = vec3_max(high, place);
    }
    vec3 size = vec3_sub(high, low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    double length = axis == 0 ? size.x : axis == 1 ? size.y : size.z;
    cut->axis = vec3_make(axis == 0, axis == 1, axis == 2);
    cut->low = vec3_dot(cut->axis, low);
    cut->scale = length > 0 ? BINS / length : 0;
}

static void share_bins(slab_cut *cut) {
    size_t counts[BINS] = {0}, total = 0, before = 0;
    for (size_t i = 0; i < cut->r->touches.count; i += SAMPLE, total++) counts[bin_of(cut, place_of(cut, i))]++;
    for (size_t bin = 0; bin < BINS; before += counts[bin++]) cut->slabs[bin] = (unsigned char)(before * SLABS / total);
}

/* The slab that all moving vertices of a pair are in; SLABS when there is none. */
static size_t slab_of(const slab_cut *cut, const contact_pair *pair) {
    size_t slab = SLABS;
    int is_first = 1;
    for (int k = 0; k < 4; k++) {
        uint32_t v = pair->vertices[k];
        if (cut->mesh->inverse_masses[v] == 0) continue;
        size_t found = cut->slabs[bin_of(cut, cut->mesh->from[v])];
        if (!is_first && found != slab) return SLABS;
        slab = found, is_first = 0;
    }
    return slab;
}

static void flag_slabs(void *argument, size_t begin, size_t end) {
    const slab_cut *cut = argument;
    for (size_t i = begin; i < end; i++) {
        const contact_pair *pair = cut->pairs->items + cut->r->touches.items[i].pair;
        cut->r->flags.items[i] = (unsigned char)slab_of(cut, pair);
    }
}

/* Within a slab, touches keep their order. */
void order_touches(repulsion *r, const contact_mesh *m, const contact_pairs *pairs) {
    slab_cut cut = {.r = r, .mesh = m, .pairs = pairs};
    size_t count = r->touches.count, next[SLABS + 1] = {0}, *ends = r->slab_ends;
    if (count >= FEW_TOUCHES) {
        choose_axis(&cut);
        share_bins(&cut);
    }
    parallel_for(r->context, count, ROW_BLOCK, flag_slabs, &cut);
    memset(ends, 0, sizeof r->slab_ends);
    for (size_t i = 0; i < count; i++) ends[r->flags.items[i]]++;
    for (size_t k = 1; k <= SLABS; k++) next[k] = ends[k - 1], ends[k] += ends[k - 1];
    for (size_t i = 0; i < count; i++) r->order.items[next[r->flags.items[i]]++] = (uint32_t)i;
}

/* ---- Work on rows, by slabs. */

typedef struct round_task {
    repulsion *r;
    uint32_t round;
    double settled; /* m/s */
    double (*work)(const struct round_task *task, size_t begin, size_t end);
    double results[SLABS];
} round_task;

static void run_slab(void *argument, size_t slab) {
    round_task *task = argument;
    const size_t *ends = task->r->slab_ends;
    task->results[slab] = task->work(task, slab > 0 ? ends[slab - 1] : 0, ends[slab]);
}

/* The sum of `work` over all pair rows. */
static double over_rows(round_task *task, double (*work)(const round_task *task, size_t begin, size_t end)) {
    double sum = 0;
    task->work = work;
    parallel_tasks(task->r->context, SLABS, run_slab, task);
    for (size_t k = 0; k < SLABS; k++) sum += task->results[k];
    return sum + work(task, task->r->slab_ends[SLABS - 1], task->r->slab_ends[SLABS]);
}

typedef struct plane_task {
    const round_task *task;
    range_sum_function *work;
    size_t first;
} plane_task;

static double run_plane_block(void *argument, size_t begin, size_t end) {
    const plane_task *p = argument;
    return p->work((void *)p->task, p->first + begin, p->first + end);
}

/* The same for the vertices at planes: one plane after the other, since each plane has a vertex once. */
static double over_plane_rows(const round_task *task, range_sum_function *work) {
    plane_task p = {task, work, 0};
    double sum = 0;
    for (size_t k = 0; k < task->r->law.plane_count; p.first = task->r->plane_ends[k++])
        sum += parallel_sum(task->r->context, task->r->plane_ends[k] - p.first, ROW_BLOCK, run_plane_block, &p);
    return sum;
}

/* Kinematic vertices belong to no slab, and never change. */
static void mark_changed(repulsion *r, const uint32_t *vertices, int count, uint32_t round) {
    for (int k = 0; k < count; k++) {
        uint32_t *changed = r->changed.items + vertices[k];
        if (r->vertices.items[vertices[k]].inverse_mass > 0 && *changed < round) *changed = round;
    }
}

/* Whether a vertex changed in this round or the one before; in the first round all have. */
static int has_changed(const repulsion *r, const uint32_t *vertices, int count, uint32_t round) {
    int changed = round == FIRST_ROUND;
    for (int k = 0; k < count; k++) changed |= r->changed.items[vertices[k]] + 1 >= round;
    return changed;
}

/* ---- Impulses of the last substep. */

static void add_row_impulses(const pair_row *row, const moving_vertex *vertices, vec3 *impulses) {
    const double *slip = row->slip_impulse;
    vec3 whole = vec3_scale(row->normal, row->impulse);
    for (int k = 0; k < 2; k++) whole = vec3_add_scaled(whole, row->tangents[k], slip[k]);
    for (int i = 0; i < 4; i++) {
        vec3 *impulse = impulses + row->vertices[i];
        if (vertices[row->vertices[i]].inverse_mass == 0) continue;
        double turn = row->turns[0][i] * slip[0] + row->turns[1][i] * slip[1];
        *impulse = vec3_add_scaled(vec3_add_scaled(*impulse, whole, row->weights[i]), row->normal, turn);
    }
}

/* Adds up the recalled impulses. Returns J, the rate at which they decrease the energy at first: their work along the
 * current motion, relative to the targets. */
static double sum_rows(const round_task *task, size_t begin, size_t end) {
    repulsion *r = task->r;
    double gain = 0;
    for (size_t i = begin; i < end; i++) {
        const pair_row *row = r->rows.items + i;
        if (!(row->impulse > 0)) continue;
        double approach, slip[2];
        row_motion(row, r->vertices.items, &approach, slip);
        gain += row->impulse * (row->target - approach);
        gain -= row->slip_impulse[0] * slip[0] + row->slip_impulse[1] * slip[1];
        add_row_impulses(row, r->vertices.items, r->impulses.items);
    }
    return gain;
}

static double sum_plane_rows(void *argument, size_t begin, size_t end) {
    const repulsion *r = ((const round_task *)argument)->r;
    double gain = 0;
    for (size_t i = begin; i < end; i++) {
        const plane_row *row = r->plane_rows.items + i;
        vec3 v = r->vertices.items[row->vertex].velocity, normal = r->law.planes[row->plane].axes[1];
        vec3 whole = vec3_add_scaled(row->slip_impulse, normal, row->impulse);
        gain += row->impulse * row->target - vec3_dot(whole, v);
        r->impulses.items[row->vertex] = vec3_add(r->impulses.items[row->vertex], whole);
    }
    return gain;
}

static double sum_costs(void *argument, size_t begin, size_t end) {
    const repulsion *r = argument;
    double cost = 0;
    for (size_t i = begin; i < end; i++) cost += r->vertices.items[i].inverse_mass * vec3_length2(r->impulses.items[i]);
    return cost;
}

static void scale_rows(repulsion *r, double scale) {
    for (size_t i = 0; i < r->rows.count; i++) {
        pair_row *row = r->rows.items + i;
        row->impulse *= scale;
        for (int k = 0; k < 2; k++) row->slip_impulse[k] *= scale;
    }
    for (size_t i = 0; i < r->plane_rows.count; i++) {
        plane_row *row = r->plane_rows.items + i;
        row->impulse *= scale;
        row->slip_impulse = vec3_scale(row->slip_impulse, scale);
    }
}

/* Applies the recalled impulses. The energy is a parabola of their scale: if it is higher at scale 1 than at 0, they
 * are scaled to its minimum. */
static void start_warm(round_task *task, size_t vertex_count) {
    repulsion *r = task->r;
    double scale = 1;
    memset(r->impulses.items, 0, vertex_count * sizeof *r->impulses.items);
    double gain = over_rows(task, sum_rows) + over_plane_rows(task, sum_plane_rows);
    double cost = parallel_sum(r->context, vertex_count, VERTEX_BLOCK, sum_costs, r);
    if (!(cost > 0)) return;
    if (!(gain >= cost / 2)) {
        scale = gain > 0 ? gain / cost : 0;
        scale_rows(r, scale);
    }
    for (size_t i = 0; i < vertex_count; i++) {
        moving_vertex *v = r->vertices.items + i;
        vec3 impulse = r->impulses.items[i];
        if (vec3_length2(impulse) == 0) continue;
        v->velocity = vec3_add_scaled(v->velocity, impulse, scale * v->inverse_mass);
        r->changed.items[i] = HARDLY_CHANGED;
    }
}

/* ---- Rounds. A visit returns how much it changed approach and slip, m/s. */

static double visit_row(pair_row *row, moving_vertex *vertices) {
    moving_vertex *v[4];
    double approach, slip[2], turn[2] = {0, 0};
    for (int i = 0; i < 4; i++) v[i] = vertices + row->vertices[i];
    row_motion(row, vertices, &approach, slip);

    /* Along the normal; this changes the slip through the rotation. */
    double impulse = row->impulse + row->normal_mass * (row->target - approach);
    if (!(impulse > 0)) impulse = 0;
    double push = impulse - row->impulse;
    for (int i = 0; i < 4; i++) {
        double change = v[i]->inverse_mass * row->weights[i] * push;
        turn[0] += row->turns[0][i] * change;
        turn[1] += row->turns[1][i] * change;
    }

    double next[2], rub[2], most = row->limit * impulse;
    for (int k = 0; k < 2; k++) next[k] = row->slip_impulse[k] - row->slip_mass * (slip[k] + turn[k]);
    double size2 = next[0] * next[0] + next[1] * next[1];
    double scale = size2 > most * most ? most / sqrt(size2) : 1;
    for (int k = 0; k < 2; k++) rub[k] = next[k] * scale - row->slip_impulse[k];

    vec3 whole = vec3_scale(row->normal, push);
    for (int k = 0; k < 2; k++) whole = vec3_add_scaled(whole, row->tangents[k], rub[k]);
    for (int i = 0; i < 4; i++) {
        double along = row->turns[0][i] * rub[0] + row->turns[1][i] * rub[1], m = v[i]->inverse_mass;
        if (m == 0) continue;
        v[i]->velocity = vec3_add_scaled(v[i]->velocity, whole, m * row->weights[i]);
        v[i]->velocity = vec3_add_scaled(v[i]->velocity, row->normal, m * along);
    }
    row->impulse = impulse;
    for (int k = 0; k < 2; k++) row->slip_impulse[k] += rub[k];
    return (fabs(push) + fabs(rub[0]) + fabs(rub[1])) / row->normal_mass;
}

static double visit_plane_row(const repulsion *r, plane_row *row, moving_vertex *vertices) {
    moving_vertex *v = vertices + row->vertex;
    vec3 normal = r->law.planes[row->plane].axes[1];
    double mass = 1 / v->inverse_mass, approach = vec3_dot(normal, v->velocity);
    double impulse = fmax(row->impulse + mass * (row->target - approach), 0);
    double push = impulse - row->impulse, most = row->limit * impulse;
    vec3 slip = vec3_add_scaled(v->velocity, normal, -approach);
    vec3 next = vec3_add_scaled(row->slip_impulse, slip, -mass);
    double size = vec3_length(next);
    if (size > most) next = vec3_scale(next, most / size);
    vec3 whole = vec3_add_scaled(vec3_sub(next, row->slip_impulse), normal, push);
    v->velocity = vec3_add_scaled(v->velocity, whole, v->inverse_mass);
    row->impulse = impulse;
    row->slip_impulse = next;
    return vec3_length(whole) * v->inverse_mass;
}

/* Visits rows; returns how many of them changed. */
static double visit_rows(const round_task *task, size_t begin, size_t end) {
    repulsion *r = task->r;
    double count = 0;
    for (size_t i = begin; i < end; i++) {
        pair_row *row = r->rows.items + i;
        if (row->normal_mass == 0 || !has_changed(r, row->vertices, 4, task->round)) continue;
        double change = visit_row(row, r->vertices.items);
        int counts = change > task->settled;
        if (change > 0) mark_changed(r, row->vertices, 4, counts ? task->round : HARDLY_CHANGED);
        count += counts;
    }
    return count;
}

static double visit_plane_rows(void *argument, size_t begin, size_t end) {
    const round_task *task = argument;
    repulsion *r = task->r;
    double count = 0;
    for (size_t i = begin; i < end; i++) {
        plane_row *row = r->plane_rows.items + i;
        if (!has_changed(r, &row->vertex, 1, task->round)) continue;
        double change = visit_plane_row(r, row, r->vertices.items);
        int counts = change > task->settled;
        if (change > 0) mark_changed(r, &row->vertex, 1, counts ? task->round : HARDLY_CHANGED);
        count += counts;
    }
    return count;
}

/* Gives rows that static friction does not hold kinetic friction; returns how many. */
static double release_rows(const round_task *task, size_t begin, size_t end) {
    double count = 0;
    for (size_t i = begin; i < end; i++) {
        pair_row *row = task->r->rows.items + i;
        if (row->limit <= row->friction || !row_slides(row)) continue;
        row->limit = row->friction;
        mark_changed(task->r, row->vertices, 4, task->round);
        count++;
    }
    return count;
}

static double release_plane_rows(void *argument, size_t begin, size_t end) {
    const round_task *task = argument;
    double count = 0;
    for (size_t i = begin; i < end; i++) {
        plane_row *row = task->r->plane_rows.items + i;
        if (row->limit <= row->friction || !plane_row_slides(row)) continue;
        row->limit = row->friction;
        mark_changed(task->r, &row->vertex, 1, task->round);
        count++;
    }
    return count;
}

void run_rounds(repulsion *r, const contact_mesh *m, double settled) {
    round_task task = {.r = r, .settled = settled};
    uint32_t rounds = (uint32_t)r->law.rounds, end = FIRST_ROUND + rounds, latest = FIRST_ROUND + (rounds - 1) / 2;
    int released = 0;
    start_warm(&task, m->vertex_count);
    for (task.round = FIRST_ROUND; task.round < end; task.round++) {
        int is_settled = over_rows(&task, visit_rows) + over_plane_rows(&task, visit_plane_rows) == 0;
        if (!released && (is_settled || task.round >= latest)) {
            released = 1;
            if (over_rows(&task, release_rows) + over_plane_rows(&task, release_plane_rows) > 0) continue;
        }
        if (is_settled) return;
    }
}
