/* The history of contacts, from substep to substep. It has the order of the pairs, so that both are matched in one
 * pass. Two arrays take turns. */
#include <math.h>

#include "base/threads.h"
#include "contact/repulsion_parts.h"

enum { ROW_BLOCK = 512 };
#define SLID 0.94 /* of the limit of friction: slipping rows of the common solve have it within 5 % */
#define HISTORY_TAG STATE_TAG('R', 'P', 'L', 'S')
#define HISTORY_VERSION 1
#define PAST_WORDS 5   /* of a saved contact, u32 */
#define PAST_NUMBERS 7 /* f64 */

static int order_of(const past_contact *past, uint32_t kind, uint32_t first, uint32_t second) {
    if (past->kind != kind) return past->kind < kind ? -1 : 1;
    if (past->elements[0] != first) return past->elements[0] < first ? -1 : 1;
    if (past->elements[1] != second) return past->elements[1] < second ? -1 : 1;
    return 0;
}

/* The index of a contact; *at advances, since contacts are looked up in their order. */
static uint32_t past_index(const past_contacts *past, size_t *at, uint32_t kind, uint32_t first, uint32_t second) {
    while (*at < past->count && order_of(past->items + *at, kind, first, second) < 0) ++*at;
    int is_there = *at < past->count && order_of(past->items + *at, kind, first, second) == 0;
    return is_there ? (uint32_t)*at : NO_PAST;
}

void match_touches(repulsion *r, const contact_pairs *pairs) {
    size_t at = 0;
    for (size_t i = 0; i < r->touches.count; i++) {
        touch *t = r->touches.items + i;
        const contact_pair *pair = pairs->items + t->pair;
        t->past = past_index(&r->past, &at, pair->kind, pair->elements[0], pair->elements[1]);
    }
}

static double recalled_scale(const repulsion *r, double dt) { return r->past_dt > 0 ? dt / r->past_dt : 0; }

void recall_row(const repulsion *r, pair_row *row, double dt) {
    uint32_t index = r->touches.items[row->touch].past;
    if (index == NO_PAST) return;
    const past_contact *past = r->past.items + index;
    double scale = recalled_scale(r, dt);
    if (past->slides == SLIDES) row->limit = row->friction;
    if (past->slides == SLIDES_NOT && past->impulse > 0) row->limit = r->law.static_ratio * row->friction;
    row->impulse = scale * past->impulse;
    for (int k = 0; k < 2; k++) row->slip_impulse[k] = scale * vec3_dot(row->tangents[k], past->slip_impulse);
}

void recall_plane_rows(repulsion *r, double dt) {
    size_t at = 0;
    double scale = recalled_scale(r, dt);
    for (size_t i = 0; i < r->plane_rows.count; i++) {
        plane_row *row = r->plane_rows.items + i;
        uint32_t index = past_index(&r->past, &at, PAST_PLANE, row->plane, row->vertex);
        if (index == NO_PAST) continue;
        const past_contact *past = r->past.items + index;
        if (past->slides == SLIDES) row->limit = row->friction;
        if (past->slides == SLIDES_NOT && past->impulse > 0) row->limit = r->law.static_ratio * row->friction;
        row->impulse = scale * past->impulse;
        row->slip_impulse = vec3_scale(past->slip_impulse, scale);
    }
}

/* The common solve lets a row slide with the friction that it had, so that one that slid is known by its impulses. */
static contact_slide slide_of(const pair_row *row) {
    const double *s = row->solved;
    if (row_slides(row)) return SLIDES;
    return s[0] > 0 && hypot(s[1], s[2]) >= SLID * row->limit * s[0] ? SLID_IN_SOLVE : SLIDES_NOT;
}

typedef struct keep_task {
    const repulsion *r;
    const contact_pairs *pairs;
    past_contact *kept;
} keep_task;

static void keep_pair_rows(void *argument, size_t begin, size_t end) {
    const keep_task *task = argument;
    for (size_t i = begin; i < end; i++) {
        const pair_row *row = task->r->rows.items + i;
        const contact_pair *pair = task->pairs->items + task->r->touches.items[row->touch].pair;
        vec3 slip_impulse = {0, 0, 0};
        for (int k = 0; k < 2; k++)
            slip_impulse = vec3_add_scaled(slip_impulse, row->tangents[k], row->slip_impulse[k] + row->solved[k + 1]);
        task->kept[row->touch] = (past_contact){.kind = pair->kind,
                                                .elements = {pair->elements[0], pair->elements[1]},
                                                .slides = slide_of(row),
                                                .side = row->side,
                                                .impulse = row->impulse + row->solved[0],
                                                .slip_impulse = slip_impulse,
                                                .normal = row->normal};
    }
}

static void keep_plane_rows(void *argument, size_t begin, size_t end) {
    const keep_task *task = argument;
    for (size_t i = begin; i < end; i++) {
        const plane_row *row = task->r->plane_rows.items + i;
        task->kept[task->r->rows.count + i] = (past_contact){.kind = PAST_PLANE,
                                                             .elements = {row->plane, row->vertex},
                                                             .slides = plane_row_slides(row) ? SLIDES : SLIDES_NOT,
                                                             .impulse = row->impulse,
                                                             .slip_impulse = row->slip_impulse,
                                                             .normal = task->r->law.planes[row->plane].axes[1]};
    }
}

void keep_rows(repulsion *r, const contact_pairs *pairs, double dt) {
    past_contacts kept = r->next;
    keep_task task = {r, pairs, kept.items};
    parallel_for(r->context, r->rows.count, ROW_BLOCK, keep_pair_rows, &task);
    parallel_for(r->context, r->plane_rows.count, ROW_BLOCK, keep_plane_rows, &task);
    kept.count = r->rows.count + r->plane_rows.count;
    r->next = r->past;
    r->past = kept;
    r->past_dt = dt;
}

void repulsion_forget(repulsion *r) {
    r->has_begun = 0;
    r->past.count = 0;
    r->past_dt = 0;
}

/* ---- State. */

void repulsion_save(const repulsion *r, state_writer *writer) {
    const uint64_t count = r->past.count;
    state_begin(writer, HISTORY_TAG, HISTORY_VERSION);
    state_put_u64(writer, &count, 1);
    state_put_f64(writer, &r->past_dt, 1);
    for (size_t i = 0; i < r->past.count; i++) {
        const past_contact *p = r->past.items + i;
        const uint32_t words[PAST_WORDS] = {p->kind, p->elements[0], p->elements[1], p->slides, (uint32_t)p->side};
        const vec3 s = p->slip_impulse, n = p->normal;
        const double numbers[PAST_NUMBERS] = {p->impulse, s.x, s.y, s.z, n.x, n.y, n.z};
        state_put_u32(writer, words, PAST_WORDS);
        state_put_f64(writer, numbers, PAST_NUMBERS);
    }
    state_end(writer);
}

static ruga_status fail_state(const repulsion *r, uint64_t index, const char *what) {
    return fail_with(r->context, RUGA_ERROR_INPUT, "contact: the saved contact %llu %s; the state is damaged",
                     (unsigned long long)index, what);
}

static ruga_status load_contact(const repulsion *r, state_reader *entry, uint64_t index, past_contact *out) {
    uint32_t words[PAST_WORDS];
    double x[PAST_NUMBERS];
    TRY(state_get_u32(entry, words, PAST_WORDS));
    TRY(state_get_f64(entry, x, PAST_NUMBERS));
    *out = (past_contact){.kind = words[0],
                          .elements = {words[1], words[2]},
                          .slides = words[3],
                          .side = (int32_t)words[4],
                          .impulse = x[0],
                          .slip_impulse = {x[1], x[2], x[3]},
                          .normal = {x[4], x[5], x[6]}};
    if (out->kind > PAST_PLANE || out->slides > SLID_IN_SOLVE || out->side < -1 || out->side > 1)
        return fail_state(r, index, "has an unknown kind");
    for (int k = 0; k < PAST_NUMBERS; k++)
        if (!isfinite(x[k])) return fail_state(r, index, "has a number that is not finite");
    if (!(out->impulse >= 0)) return fail_state(r, index, "has a negative impulse");
    return RUGA_OK;
}

ruga_status repulsion_load(repulsion *r, state_reader *reader) {
    uint32_t version = 0;
    uint64_t count = 0;
    double past_dt = 0;
    state_reader entry;
    TRY(state_enter(reader, HISTORY_TAG, HISTORY_VERSION, &version, &entry));
    TRY(state_get_u64(&entry, &count, 1));
    TRY(state_get_f64(&entry, &past_dt, 1));
    if (!(past_dt >= 0) || !isfinite(past_dt))
        return fail_with(r->context, RUGA_ERROR_INPUT, "contact: the saved substep is %g s; the state is damaged",
                         past_dt);
    size_t size = PAST_WORDS * sizeof(uint32_t) + PAST_NUMBERS * sizeof(double);
    if (count > (uint64_t)(entry.end - entry.at) / size)
        return fail_with(r->context, RUGA_ERROR_INPUT,
                         "contact: the saved state ends before its %llu contacts; it is damaged",
                         (unsigned long long)count);
    r->next.count = 0;
    TRY(ARRAY_RESERVE(r->context, &r->next, count));
    for (uint64_t i = 0; i < count; i++) {
        past_contact *p = r->next.items + i;
        TRY(load_contact(r, &entry, i, p));
        if (i > 0 && order_of(p - 1, p->kind, p->elements[0], p->elements[1]) >= 0)
            return fail_state(r, i, "is out of order");
    }
    r->has_begun = 0;
    past_contacts loaded = r->next;
    loaded.count = (size_t)count;
    r->next = r->past;
    r->past = loaded;
    r->past_dt = past_dt;
    return RUGA_OK;
}
