/* Multilevel separators (Karypis and Kumar 1998; Hendrickson and Rothberg 1998). The graph is made coarser by merging
 * vertices along heavy edges until few are left, and the best of several separators is taken there. Then each finer
 * graph in turn improves it by moves of single vertices (Fiduccia and Mattheyses 1982; Ashcraft and Liu 1996 for vertex
 * separators): a vertex of the separator joins one side and draws in its neighbours of the other side. */
#include "linalg/separator.h"

#define COARSEST 70  /* vertices of the coarsest graph, about */
#define STARTS 6     /* separators that are tried there */
#define PASSES 8     /* rounds of moves at most, on each level */
#define PATIENCE 120 /* moves that make it no smaller before a round ends */
#define MOST_LEVELS 40
#define LARGEST_SIDE 0.58 /* of the whole weight */
#define NO_VERTEX UINT32_MAX

/* A graph with its vertices in the coarser one. */
typedef struct level {
    weighted_graph graph;
    uint32_t *coarser;    /* (count) */
    unsigned char *sides; /* (count) */
} level;

typedef struct separation {
    arena memory;
    level levels[MOST_LEVELS];
    int level_count;
    double whole; /* weight of all vertices */
    /* Scratch, for the finest graph. */
    uint32_t *order, *place; /* (count) vertices of the separator, and where they are in that list */
    uint32_t *drawn[2]; /* (count) weight of neighbours on the left and on the right, of the separator's vertices */
    uint32_t *stamps;   /* (count) round in which a vertex was moved */
    uint32_t *log;      /* (2 count) vertices that moved and where they came from */
    size_t list_count, log_count;
    double sizes[3]; /* weights of the sides and of the separator */
    uint32_t round;
    uint64_t random;
} separation;

static uint32_t next_random(separation *s, uint32_t below) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((s->random >> 33) % below);
}

/* ---- Coarser graphs. */

/* Matches every vertex with the free neighbour along its heaviest edge; (count) partners, itself: none. */
static void match_vertices(separation *s, const weighted_graph *g, uint32_t *partners) {
    double most = 3 * s->whole / (2 * COARSEST);
    for (uint32_t v = 0; v < g->count; v++) {
        s->order[v] = v;
        partners[v] = NO_VERTEX;
    }
    for (uint32_t v = g->count; v > 1; v--) {
        uint32_t other = next_random(s, v), held = s->order[v - 1];
        s->order[v - 1] = s->order[other];
        s->order[other] = held;
    }
    for (uint32_t k = 0; k < g->count; k++) {
        uint32_t v = s->order[k], best = v, heaviest = 0;
        if (partners[v] != NO_VERTEX) continue;
        for (uint32_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            uint32_t u = g->others[e];
            if (partners[u] != NO_VERTEX || g->weights[u] + g->weights[v] > most) continue;
            if (g->edge_weights[e] < heaviest || (g->edge_weights[e] == heaviest && g->weights[u] >= g->weights[best]))
                continue;
            best = u;
            heaviest = g->edge_weights[e];
        }
        partners[v] = best;
        partners[best] = v;
    }
}

/* The edges of a coarse vertex, from its one or two fine ones, to be added up by `place`. Returns where they end. */
static uint32_t gather_edges(separation *s, const level *fine, weighted_graph *out, uint32_t coarse, uint32_t v,
                             uint32_t filled) {
    const weighted_graph *g = &fine->graph;
    uint32_t begin = out->offsets[coarse];
    for (uint32_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
        uint32_t other = fine->coarser[g->others[e]];
        if (other == coarse) continue;
        uint32_t at = s->place[other];
        if (at < begin || at >= filled || out->others[at] != other) {
            at = s->place[other] = filled++;
            out->others[at] = other;
            out->edge_weights[at] = 0;
        }
        out->edge_weights[at] += g->edge_weights[e];
    }
    return filled;
}

static ruga_status add_level(separation *s, uint32_t count, size_t edges) {
    level *l = &s->levels[s->level_count];
    *l = (level){.graph = {.count = count}};
    TRY(ARENA_NEW(&s->memory, &l->graph.offsets, count + 1));
    TRY(ARENA_NEW(&s->memory, &l->graph.others, edges));
    TRY(ARENA_NEW(&s->memory, &l->graph.edge_weights, edges));
    TRY(ARENA_NEW(&s->memory, &l->graph.weights, count));
    TRY(ARENA_NEW(&s->memory, &l->coarser, count));
    TRY(ARENA_NEW(&s->memory, &l->sides, count));
    s->level_count++;
    return RUGA_OK;
}

/* Adds the graph of the merged vertices; none if hardly any could be merged. */
static ruga_status coarsen(separation *s) {
    level *fine = &s->levels[s->level_count - 1];
    const weighted_graph *g = &fine->graph;
    uint32_t *partners = s->stamps, count = 0, filled = 0;
    match_vertices(s, g, partners);
    for (uint32_t v = 0; v < g->count; v++)
        if (partners[v] >= v) fine->coarser[v] = fine->coarser[partners[v]] = count++;
    if (count > g->count - g->count / 10) return RUGA_OK;
    TRY(add_level(s, count, g->offsets[g->count]));
    weighted_graph *out = &s->levels[s->level_count - 1].graph;
    for (uint32_t c = 0; c < count; c++) s->place[c] = NO_VERTEX;
    for (uint32_t v = 0; v < g->count; v++) {
        uint32_t partner = partners[v], coarse = fine->coarser[v];
        if (partner < v) continue;
        out->offsets[coarse] = filled;
        out->weights[coarse] = g->weights[v] + (partner > v ? g->weights[partner] : 0);
        filled = gather_edges(s, fine, out, coarse, v, filled);
        if (partner > v) filled = gather_edges(s, fine, out, coarse, partner, filled);
    }
    out->offsets[count] = filled;
    return RUGA_OK;
}

/* ---- Moves. */

static void sum_neighbours(separation *s, const level *l, uint32_t v) {
    const weighted_graph *g = &l->graph;
    s->drawn[0][v] = s->drawn[1][v] = 0;
    for (uint32_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
        if (l->sides[g->others[e]] != SIDE_BETWEEN) s->drawn[l->sides[g->others[e]]][v] += g->weights[g->others[e]];
}

static void enter_separator(separation *s, const level *l, uint32_t v) {
    l->sides[v] = SIDE_BETWEEN;
    s->place[v] = (uint32_t)s->list_count;
    s->order[s->list_count++] = v;
    sum_neighbours(s, l, v);
}

/* Lists the separator and weighs the sides. */
static void count_sides(separation *s, const level *l) {
    s->list_count = 0;
    s->sizes[0] = s->sizes[1] = s->sizes[2] = 0;
    for (uint32_t v = 0; v < l->graph.count; v++) {
        s->sizes[l->sides[v]] += l->graph.weights[v];
        if (l->sides[v] == SIDE_BETWEEN) enter_separator(s, l, v);
    }
}

static void note_move(separation *s, uint32_t v, unsigned char from) {
    s->log[2 * s->log_count] = v;
    s->log[2 * s->log_count++ + 1] = from;
}

/* A vertex of the separator joins a side; its neighbours on the other become the separator. */
static void move_vertex(separation *s, const level *l, uint32_t v, int side) {
    const weighted_graph *g = &l->graph;
    uint32_t last = s->order[--s->list_count];
    s->order[s->place[v]] = last;
    s->place[last] = s->place[v];
    l->sides[v] = (unsigned char)side;
    s->sizes[SIDE_BETWEEN] -= g->weights[v];
    s->sizes[side] += g->weights[v];
    s->stamps[v] = s->round;
    note_move(s, v, SIDE_BETWEEN);
    for (uint32_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
        uint32_t u = g->others[e];
        if (l->sides[u] == SIDE_BETWEEN) {
            s->drawn[side][u] += g->weights[v];
        } else if (l->sides[u] != side) {
            note_move(s, u, l->sides[u]);
            s->sizes[1 - side] -= g->weights[u];
            s->sizes[SIDE_BETWEEN] += g->weights[u];
            enter_separator(s, l, u);
            for (uint32_t k = g->offsets[u]; k < g->offsets[u + 1]; k++)
                if (l->sides[g->others[k]] == SIDE_BETWEEN) s->drawn[1 - side][g->others[k]] -= g->weights[u];
        }
    }
}

/* The move that leaves the smallest separator, to the lighter side among equals; NO_VERTEX: none is allowed. */
static uint32_t choose_move(const separation *s, const level *l, int *side) {
    uint32_t best = NO_VERTEX;
    double best_gain = 0;
    int lighter = s->sizes[SIDE_RIGHT] < s->sizes[SIDE_LEFT];
    for (size_t k = 0; k < s->list_count; k++) {
        uint32_t v = s->order[k];
        if (s->stamps[v] == s->round) continue;
        for (int to = 0; to < 2; to++) {
            double gain = (double)l->graph.weights[v] - s->drawn[1 - to][v];
            if (s->sizes[to] + l->graph.weights[v] > LARGEST_SIDE * s->whole && to != lighter) continue;
            if (best != NO_VERTEX && (gain < best_gain || (gain == best_gain && to != lighter))) continue;
            if (best != NO_VERTEX && gain == best_gain && *side == lighter) continue;
            best = v;
            best_gain = gain;
            *side = to;
        }
    }
    return best;
}

/* How good a separator is, less is better: its weight, and more for sides that are too uneven. */
static double cost_of(const separation *s) {
    double larger = s->sizes[0] > s->sizes[1] ? s->sizes[0] : s->sizes[1];
    double uneven = larger / s->whole - 0.5, beyond = larger / s->whole - LARGEST_SIDE;
    return s->sizes[SIDE_BETWEEN] * (1 + 0.5 * uneven) + (beyond > 0 ? 20 * beyond * s->whole : 0);
}

/* One round: moves until none helps for long, then back to the best of it. Whether it helped. */
static int move_round(separation *s, const level *l) {
    count_sides(s, l);
    double best = cost_of(s), first = best;
    size_t best_log = 0;
    int side = 0;
    s->log_count = 0;
    s->round++;
    for (int idle = 0; idle < PATIENCE && s->log_count < l->graph.count / 2; idle++) {
        uint32_t v = choose_move(s, l, &side);
        if (v == NO_VERTEX) break;
        move_vertex(s, l, v, side);
        double cost = cost_of(s);
        if (cost >= best) continue;
        best = cost;
        best_log = s->log_count;
        idle = 0;
    }
    while (s->log_count > best_log) {
        s->log_count--;
        l->sides[s->log[2 * s->log_count]] = (unsigned char)s->log[2 * s->log_count + 1];
    }
    return best < first;
}

static void improve(separation *s, const level *l) {
    for (uint32_t v = 0; v < l->graph.count; v++) s->stamps[v] = 0;
    s->round = 0;
    for (int pass = 0; pass < PASSES; pass++)
        if (!move_round(s, l)) break;
    count_sides(s, l);
}

/* ---- The coarsest graph. */

/* Grows the left side from a vertex until it has half of the weight; its border is the separator. */
static void grow_side(separation *s, const level *l, uint32_t start) {
    const weighted_graph *g = &l->graph;
    uint32_t *queue = s->log, head = 0, tail = 0, scan = 0;
    double weight = 0;
    memset(l->sides, SIDE_RIGHT, g->count);
    for (uint32_t v = 0; v < g->count; v++) s->place[v] = 0;
    s->place[start] = 1;
    queue[tail++] = start;
    while (weight < s->whole / 2) {
        if (head == tail) {
            while (s->place[scan]) scan++;
            s->place[scan] = 1;
            queue[tail++] = scan;
        }
        uint32_t v = queue[head++];
        l->sides[v] = SIDE_LEFT;
        weight += g->weights[v];
        for (uint32_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            uint32_t u = g->others[e];
            if (s->place[u]) continue;
            s->place[u] = 1;
            queue[tail++] = u;
        }
    }
    for (uint32_t v = 0; v < g->count; v++) {
        if (l->sides[v] != SIDE_LEFT) continue;
        for (uint32_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
            if (l->sides[g->others[e]] == SIDE_RIGHT) {
                l->sides[v] = SIDE_BETWEEN;
                break;
            }
    }
}

static ruga_status separate_coarsest(separation *s, const level *l) {
    unsigned char *best;
    double least = 0;
    TRY(ARENA_NEW(&s->memory, &best, l->graph.count));
    for (int k = 0; k < STARTS; k++) {
        grow_side(s, l, next_random(s, l->graph.count));
        improve(s, l);
        if (k > 0 && cost_of(s) >= least) continue;
        least = cost_of(s);
        memcpy(best, l->sides, l->graph.count);
    }
    memcpy(l->sides, best, l->graph.count);
    return RUGA_OK;
}

/* ---- All of it. */

static ruga_status make_scratch(separation *s, const weighted_graph *g) {
    TRY(ARENA_NEW(&s->memory, &s->order, g->count));
    TRY(ARENA_NEW(&s->memory, &s->place, g->count));
    TRY(ARENA_NEW(&s->memory, &s->drawn[0], g->count));
    TRY(ARENA_NEW(&s->memory, &s->drawn[1], g->count));
    TRY(ARENA_NEW(&s->memory, &s->stamps, g->count));
    return ARENA_NEW(&s->memory, &s->log, 4 * (size_t)g->count);
}

static ruga_status copy_finest(separation *s, const weighted_graph *g) {
    size_t edges = g->offsets[g->count];
    TRY(add_level(s, g->count, edges));
    weighted_graph *copy = &s->levels[0].graph;
    memcpy(copy->offsets, g->offsets, (g->count + 1) * sizeof *g->offsets);
    memcpy(copy->others, g->others, edges * sizeof *g->others);
    for (size_t e = 0; e < edges; e++) copy->edge_weights[e] = g->edge_weights ? g->edge_weights[e] : 1;
    for (size_t v = 0; v < g->count; v++) {
        copy->weights[v] = g->weights ? g->weights[v] : 1;
        s->whole += copy->weights[v];
    }
    return RUGA_OK;
}

static ruga_status separate(separation *s, const weighted_graph *g) {
    TRY(make_scratch(s, g));
    TRY(copy_finest(s, g));
    for (int before = 0; before < s->level_count && s->level_count < MOST_LEVELS;) {
        before = s->level_count;
        if (s->levels[before - 1].graph.count > COARSEST) TRY(coarsen(s));
    }
    TRY(separate_coarsest(s, &s->levels[s->level_count - 1]));
    for (int k = s->level_count - 2; k >= 0; k--) {
        level *l = &s->levels[k];
        for (uint32_t v = 0; v < l->graph.count; v++) l->sides[v] = s->levels[k + 1].sides[l->coarser[v]];
        improve(s, l);
    }
    return RUGA_OK;
}

ruga_status separate_graph(ruga_context *context, const weighted_graph *graph, unsigned char *sides) {
    separation s = {.memory = arena_make(context), .random = graph->count};
    ruga_status status = separate(&s, graph);
    if (!RUGA_FAILED(status)) memcpy(sides, s.levels[0].sides, graph->count);
    arena_release(&s.memory);
    return status;
}
