/* A leaf of solve/sweeps_layout.h: the points of each packet, the owner of each constraint, the constraints of each
 * row. */
#include "solve/sweeps_layout.h"

#define DEGREES 64u   /* greater numbers of neighbours are not distinguished */
#define LEAST_FILL 12 /* least number of points for which a packet pays off */
#define SPARE 0.01    /* fraction of free places in rows, so that constraints find one */

_Static_assert(4 * SWEEP_PACKET * (SWEEP_LEAF_POINTS / LEAST_FILL + 1) < UINT16_MAX, "places of a leaf fit 16 bits");

struct sweep_leaf_workspace {
    size_t count, constraint_count, packet_count;
    size_t remaining_count; /* points in no packet */
    uint32_t *local;        /* (points of all) a point's number in its leaf */
    /* By constraint of the leaf. */
    uint32_t (*ends)[2];
    uint8_t *owner;               /* which end */
    uint32_t *offsets, *incident; /* constraints of each point */
    /* By point of the leaf, in one block. */
    uint32_t *by_point;
    uint32_t *owned, *capacity, *found_by, *queue, *degrees, *blocked, *remaining, *sorted;
    uint32_t *in_seam;        /* has constraints outside of the leaf */
    uint32_t *placed, *sizes; /* points of the packets, one after the other; number of points of each */
    uint32_t stamp;
};

void sweep_leaf_workspace_release(ruga_context *context, sweep_leaf_workspace *w) {
    if (!w) return;
    RELEASE_ALL(context, w->local, w->ends, w->owner, w->offsets, w->incident, w->by_point, w);
}

static ruga_status allocate(ruga_context *context, size_t point_count, size_t leaf_points, size_t leaf_constraints,
                            sweep_leaf_workspace *w) {
    TRY(NEW(context, &w->local, point_count));
    TRY(NEW(context, &w->ends, leaf_constraints));
    TRY(NEW(context, &w->owner, leaf_constraints));
    TRY(NEW(context, &w->offsets, leaf_points + 1));
    TRY(NEW(context, &w->incident, 2 * leaf_constraints));
    uint32_t **by_point[] = {&w->owned,     &w->capacity, &w->found_by, &w->queue, &w->degrees, &w->blocked,
                             &w->remaining, &w->sorted,   &w->placed,   &w->sizes, &w->in_seam};
    size_t arrays = sizeof by_point / sizeof *by_point;
    TRY(NEW(context, &w->by_point, arrays * leaf_points));
    for (size_t k = 0; k < arrays; k++) *by_point[k] = w->by_point + k * leaf_points;
    return RUGA_OK;
}

ruga_status sweep_leaf_workspace_make(ruga_context *context, size_t point_count, size_t leaf_points,
                                      size_t leaf_constraints, sweep_leaf_workspace **out) {
    sweep_leaf_workspace *w;
    TRY(NEW_ZEROED(context, &w, 1));
    ruga_status status = allocate(context, point_count, leaf_points, leaf_constraints, w);
    if (RUGA_FAILED(status))
        sweep_leaf_workspace_release(context, w);
    else
        *out = w;
    return status;
}

static uint32_t owner_of(const sweep_leaf_workspace *w, uint32_t c) { return w->ends[c][w->owner[c]]; }
static uint32_t other_of(const sweep_leaf_workspace *w, uint32_t c) { return w->ends[c][!w->owner[c]]; }

/* Numbers the leaf's points and constraints from 0. */
static void number_leaf(sweep_leaf_workspace *w, const sweep_graph *graph, const uint32_t *points,
                        const uint32_t *members) {
    for (size_t i = 0; i < w->count; i++) w->local[points[i]] = (uint32_t)i;
    memset(w->offsets, 0, (w->count + 1) * sizeof *w->offsets);
    for (size_t c = 0; c < w->constraint_count; c++)
        for (int k = 0; k < 2; k++) {
            w->ends[c][k] = w->local[graph->constraints[members[c]].points[k]];
            w->offsets[w->ends[c][k]]++;
        }
    for (size_t i = 1; i <= w->count; i++) w->offsets[i] += w->offsets[i - 1];
    for (size_t c = w->constraint_count; c-- > 0;)
        for (int k = 0; k < 2; k++) w->incident[--w->offsets[w->ends[c][k]]] = (uint32_t)c;
    for (size_t i = 0; i < w->count; i++)
        w->in_seam[i] = graph->offsets[points[i] + 1] - graph->offsets[points[i]] > w->offsets[i + 1] - w->offsets[i];
}

/* ---- Packets. */

/* A random order: the points of a packet are then far from each other, and so are consecutive packets, whose execution
 * overlaps. */
static void shuffle(uint32_t *items, size_t count) {
    uint32_t state = 1;
    for (size_t i = count; i > 1; i--) {
        state = state * 1664525u + 1013904223u;
        size_t k = (size_t)((uint64_t)state * i >> 32);
        uint32_t item = items[i - 1];
        items[i - 1] = items[k];
        items[k] = item;
    }
}

/* The order of the remaining points: first those in no seam, so that they have packets of their own and limits apply to
 * whole packets; then those with most remaining neighbours, since they get harder to place. */
static uint32_t rank_of(const sweep_leaf_workspace *w, uint32_t point) {
    uint32_t degree = w->degrees[point] < DEGREES ? w->degrees[point] : DEGREES - 1;
    return (w->in_seam[point] ? 2u * DEGREES : DEGREES) - 1 - degree;
}

static void sort_remaining(sweep_leaf_workspace *w) {
    uint32_t starts[2 * DEGREES + 1] = {0};
    for (size_t k = 0; k < w->remaining_count; k++) starts[rank_of(w, w->remaining[k]) + 1]++;
    for (size_t k = 1; k <= 2 * DEGREES; k++) starts[k] += starts[k - 1];
    for (size_t k = 0; k < w->remaining_count; k++) w->sorted[starts[rank_of(w, w->remaining[k])]++] = w->remaining[k];
}

/* Chooses up to 32 unconnected ones of the remaining points; returns how many. */
static size_t choose_packet(sweep_leaf_workspace *w, uint32_t *chosen) {
    sort_remaining(w);
    w->stamp++;
    size_t count = 0;
    for (size_t k = 0; k < w->remaining_count && count < SWEEP_PACKET; k++) {
        uint32_t point = w->sorted[k];
        if (w->blocked[point] == w->stamp) continue;
        chosen[count++] = point;
        w->blocked[point] = w->stamp;
        for (size_t e = w->offsets[point]; e < w->offsets[point + 1]; e++) {
            uint32_t c = w->incident[e], other = w->ends[c][0] == point ? w->ends[c][1] : w->ends[c][0];
            w->blocked[other] = w->stamp;
        }
    }
    return count;
}

/* Removes chosen points from the remaining ones. */
static void drop_chosen(sweep_leaf_workspace *w, const uint32_t *chosen, size_t count) {
    w->stamp++;
    for (size_t k = 0; k < count; k++) {
        w->blocked[chosen[k]] = w->stamp;
        for (size_t e = w->offsets[chosen[k]]; e < w->offsets[chosen[k] + 1]; e++) {
            uint32_t c = w->incident[e];
            w->degrees[w->ends[c][0] == chosen[k] ? w->ends[c][1] : w->ends[c][0]]--;
        }
    }
    size_t kept = 0;
    for (size_t k = 0; k < w->remaining_count; k++)
        if (w->blocked[w->remaining[k]] != w->stamp) w->remaining[kept++] = w->remaining[k];
    w->remaining_count = kept;
}

static void choose_packets(sweep_leaf_workspace *w) {
    for (size_t i = 0; i < w->count; i++) {
        w->degrees[i] = w->offsets[i + 1] - w->offsets[i];
        w->remaining[i] = (uint32_t)i;
    }
    shuffle(w->remaining, w->count);
    w->packet_count = 0;
    w->remaining_count = w->count;
    while (w->remaining_count > 0) {
        uint32_t *chosen = w->placed + (w->count - w->remaining_count);
        size_t count = choose_packet(w, chosen);
        if (count < LEAST_FILL) break;
        w->sizes[w->packet_count++] = (uint32_t)count;
        drop_chosen(w, chosen, count);
    }
}

/* ---- Owners: the points of a packet own nearly equal numbers; a packet has as many rows as its busiest point. */

/* Equal numbers of rows for all packets, or one more, with one place per row for each point. The first packets get
 * more: their points have most neighbours. */
static void set_capacities(sweep_leaf_workspace *w) {
    size_t placed = w->count - w->remaining_count, wanted = (size_t)((1 + SPARE) * (double)w->constraint_count);
    size_t rows = placed > 0 ? wanted / placed : 0, more = wanted - rows * placed, at = 0;
    for (size_t k = 0; k < w->remaining_count; k++) w->capacity[w->remaining[k]] = 0;
    for (size_t p = 0; p < w->packet_count; p++) {
        for (size_t k = 0; k < w->sizes[p]; k++)
            w->capacity[w->placed[at + k]] = (uint32_t)(at < more ? rows + 1 : rows);
        at += w->sizes[p];
    }
}

/* Passes one of a point's constraints on, along a chain of owners that ends at one with a free place. */
static int relieve_point(sweep_leaf_workspace *w, uint32_t start) {
    size_t head = 0, tail = 0;
    w->stamp++;
    w->queue[tail++] = start;
    w->blocked[start] = w->stamp;
    while (head < tail) {
        uint32_t point = w->queue[head++];
        for (size_t e = w->offsets[point]; e < w->offsets[point + 1]; e++) {
            uint32_t c = w->incident[e], other = other_of(w, c);
            if (owner_of(w, c) != point || w->blocked[other] == w->stamp) continue;
            w->blocked[other] = w->stamp;
            w->found_by[other] = c;
            w->queue[tail++] = other;
            if (w->owned[other] >= w->capacity[other]) continue;
            w->owned[other]++;
            w->owned[start]--;
            for (uint32_t at = other; at != start;) {
                uint32_t given = w->found_by[at];
                at = owner_of(w, given);
                w->owner[given] = !w->owner[given];
            }
            return 1;
        }
    }
    return 0;
}

static void choose_owners(sweep_leaf_workspace *w) {
    memset(w->owned, 0, w->count * sizeof *w->owned);
    for (size_t c = 0; c < w->constraint_count; c++) {
        uint32_t a = w->ends[c][0], b = w->ends[c][1];
        w->owner[c] = w->capacity[b] + w->owned[a] > w->capacity[a] + w->owned[b];
        w->owned[owner_of(w, (uint32_t)c)]++;
    }
    for (size_t i = 0; i < w->count; i++)
        while (w->owned[i] > w->capacity[i] && relieve_point(w, (uint32_t)i)) {
        }
}

/* ---- Rows: the constraints of 16 owners get colours, so that neither an owner nor another end has one twice. */
typedef struct row_table {
    const sweep_leaf_workspace *leaf;
    uint32_t *rows; /* (colours x 16) constraints of the leaf */
    size_t colours;
} row_table;

/* The owner, other than `except`, whose constraint of this colour ends at `other`; SWEEP_ROW: none. */
static size_t lane_at(const row_table *t, size_t colour, uint32_t other, size_t except) {
    for (size_t lane = 0; lane < SWEEP_ROW; lane++) {
        uint32_t c = t->rows[colour * SWEEP_ROW + lane];
        if (lane != except && c != SWEEP_NONE && other_of(t->leaf, c) == other) return lane;
    }
    return SWEEP_ROW;
}

/* Swaps two colours along the chain of constraints that starts at `other` with colour a: then a is free there. The
 * chain never reaches an owner without a. */
static void swap_chain(row_table *t, uint32_t other, size_t a, size_t b) {
    size_t lane = SWEEP_ROW;
    while ((lane = lane_at(t, a, other, lane)) != SWEEP_ROW) {
        uint32_t *at_a = &t->rows[a * SWEEP_ROW + lane], *at_b = &t->rows[b * SWEEP_ROW + lane], next = *at_b;
        *at_b = *at_a;
        *at_a = next;
        if (next == SWEEP_NONE) return;
        other = other_of(t->leaf, next);
    }
}

/* Kőnig: as many colours as constraints at the busiest end are enough. Returns 0 if this constraint is one too many. */
static int place_in_row(row_table *t, size_t lane, uint32_t c) {
    size_t at_owner = t->colours, at_other = t->colours;
    uint32_t other = other_of(t->leaf, c);
    for (size_t colour = 0; colour < t->colours; colour++) {
        int owner_free = t->rows[colour * SWEEP_ROW + lane] == SWEEP_NONE;
        int other_free = lane_at(t, colour, other, SWEEP_ROW) == SWEEP_ROW;
        if (owner_free) at_owner = colour;
        if (other_free) at_other = colour;
        if (owner_free && other_free) break;
    }
    if (at_owner == t->colours || at_other == t->colours) return 0;
    if (at_owner != at_other) swap_chain(t, other, at_owner, at_other);
    t->rows[at_owner * SWEEP_ROW + lane] = c;
    return 1;
}

/* The number of rows of a packet with the least cost of rows and left-over constraints: one outside of rows costs about
 * as much as two places in them. */
static size_t row_count_of(const sweep_leaf_workspace *w, const uint32_t *chosen, size_t count) {
    size_t most = 0, best = 0, least_cost = SIZE_MAX;
    for (size_t k = 0; k < count; k++) most = w->owned[chosen[k]] > most ? w->owned[chosen[k]] : most;
    for (size_t rows = 0; rows <= most; rows++) {
        size_t cost = rows * SWEEP_PACKET;
        for (size_t k = 0; k < count; k++) cost += w->owned[chosen[k]] > rows ? 2 * (w->owned[chosen[k]] - rows) : 0;
        if (cost < least_cost) best = rows;
        if (cost < least_cost) least_cost = cost;
    }
    return best;
}

/* Distributes the constraints of a packet's points over rows, one half after the other; the rest becomes loose. */
static ruga_status fill_rows(sweep_layout *layout, sweep_leaf_workspace *w, const uint32_t *members,
                             const uint32_t *chosen, size_t count, size_t rows, sweep_indices *loose) {
    size_t size = rows * SWEEP_PACKET;
    TRY(ARRAY_RESERVE(layout->context, &layout->row_sources, 2 * size + 1));
    uint32_t *out = layout->row_sources.items + layout->row_sources.count, *table = out + size;
    for (size_t half = 0; half < SWEEP_HALVES; half++) {
        row_table t = {w, table, rows};
        memset(table, 0xff, rows * SWEEP_ROW * sizeof *table);
        for (size_t k = half * SWEEP_ROW; k < count && k < (half + 1) * SWEEP_ROW; k++)
            for (size_t e = w->offsets[chosen[k]]; e < w->offsets[chosen[k] + 1]; e++) {
                uint32_t c = w->incident[e];
                if (owner_of(w, c) != chosen[k] || place_in_row(&t, k % SWEEP_ROW, c)) continue;
                TRY(ARRAY_RESERVE(layout->context, loose, 1));
                loose->items[loose->count++] = members[c];
            }
        for (size_t k = 0; k < rows * SWEEP_ROW; k++)
            out[(k / SWEEP_ROW * SWEEP_HALVES + half) * SWEEP_ROW + k % SWEEP_ROW] =
                table[k] == SWEEP_NONE ? SWEEP_NONE : members[table[k]];
    }
    layout->row_sources.count += size;
    return RUGA_OK;
}

static ruga_status add_packet(sweep_layout *layout, sweep_leaf_workspace *w, const uint32_t *points,
                              const uint32_t *members, const uint32_t *chosen, size_t count, sweep_indices *loose) {
    size_t rows = row_count_of(w, chosen, count);
    TRY(ARRAY_RESERVE(layout->context, &layout->packets, 1));
    TRY(ARRAY_RESERVE(layout->context, &layout->order, SWEEP_PACKET));
    layout->packets.items[layout->packets.count++] =
        (sweep_packet){.slot = (uint32_t)layout->order.count,
                       .row = (uint32_t)(layout->row_sources.count / SWEEP_PACKET),
                       .row_count = (uint32_t)rows};
    for (size_t k = 0; k < SWEEP_PACKET; k++)
        layout->order.items[layout->order.count++] = k < count ? points[chosen[k]] : SWEEP_NONE;
    return fill_rows(layout, w, members, chosen, count, rows, loose);
}

/* Points in no packet: they get slots, and their constraints are loose. */
static ruga_status add_rest(sweep_layout *layout, sweep_leaf_workspace *w, const uint32_t *points,
                            const uint32_t *members, sweep_indices *loose) {
    TRY(ARRAY_RESERVE(layout->context, &layout->order, w->remaining_count + SWEEP_PACKET));
    for (size_t k = 0; k < w->remaining_count; k++) {
        uint32_t point = w->remaining[k];
        layout->order.items[layout->order.count++] = points[point];
        TRY(ARRAY_RESERVE(layout->context, loose, w->owned[point]));
        for (size_t e = w->offsets[point]; e < w->offsets[point + 1]; e++)
            if (owner_of(w, w->incident[e]) == point) loose->items[loose->count++] = members[w->incident[e]];
    }
    while (layout->order.count % SWEEP_PACKET != 0) layout->order.items[layout->order.count++] = SWEEP_NONE;
    return RUGA_OK;
}

ruga_status sweep_leaf_make(sweep_layout *layout, sweep_leaf_workspace *w, const sweep_graph *graph,
                            const uint32_t *points, size_t point_count, const uint32_t *members, size_t member_count,
                            sweep_node *leaf, sweep_indices *loose) {
    w->count = point_count;
    w->constraint_count = member_count;
    w->stamp = 0;
    memset(w->blocked, 0, point_count * sizeof *w->blocked);
    number_leaf(w, graph, points, members);
    choose_packets(w);
    set_capacities(w);
    choose_owners(w);

    leaf->packets.begin = (uint32_t)layout->packets.count;
    const uint32_t *chosen = w->placed;
    for (size_t p = 0; p < w->packet_count; chosen += w->sizes[p++])
        TRY(add_packet(layout, w, points, members, chosen, w->sizes[p], loose));
    leaf->packets.end = (uint32_t)layout->packets.count;
    return add_rest(layout, w, points, members, loose);
}
