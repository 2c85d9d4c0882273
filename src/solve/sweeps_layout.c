/* The layout of the fast path: the tree, its leaves, batches at its seams, and the nodes that apply limits. */
#include "solve/sweeps_layout.h"

#define OPEN_BATCHES 64 /* batches that are filled at the same time; one bit each */

/* Memory for the construction of a layout. */
typedef struct layout_maker {
    sweep_layout *layout;
    const sweep_terms *terms;
    sweep_graph graph;
    uint32_t *points;  /* (point_count) as the tree has them */
    uint32_t *leaf_of; /* (point_count) */
    uint32_t *slot_of; /* (point_count) */
    uint32_t *starts;  /* (nodes + 1) the constraints of each node, in: */
    uint32_t *members; /* (constraint_count) */
    uint32_t *node_of; /* (the greater count of terms) */
    uint64_t *open;    /* (point_count) the open batches that contain a point */
    sweep_leaf_workspace *leaf_workspace;
    sweep_indices loose; /* of the current node */
} layout_maker;

static int is_idle(const sweep_constraint *c) { return c->points[0] == c->points[1]; }

static ruga_status make_graph(ruga_context *context, size_t point_count, const sweep_terms *terms, sweep_graph *graph) {
    graph->point_count = point_count;
    graph->constraints = terms->constraints;
    TRY(NEW_ZEROED(context, &graph->offsets, point_count + 1));
    TRY(NEW(context, &graph->incident, 2 * terms->constraint_count));
    for (size_t k = 0; k < terms->constraint_count; k++)
        for (int end = 0; end < 2 && !is_idle(&terms->constraints[k]); end++)
            graph->offsets[terms->constraints[k].points[end]]++;
    for (size_t i = 1; i <= point_count; i++) graph->offsets[i] += graph->offsets[i - 1];
    for (size_t k = terms->constraint_count; k-- > 0;)
        for (int end = 0; end < 2 && !is_idle(&terms->constraints[k]); end++)
            graph->incident[--graph->offsets[terms->constraints[k].points[end]]] = (uint32_t)k;
    return RUGA_OK;
}

/* The lowest node that contains all points of a term. */
static uint32_t node_of_points(const layout_maker *m, const uint32_t *points, size_t count) {
    const sweep_node *nodes = m->layout->nodes.items;
    uint32_t node = m->leaf_of[points[0]];
    for (size_t k = 1; k < count; k++)
        for (uint32_t other = m->leaf_of[points[k]]; other != node;) {
            if (nodes[node].depth >= nodes[other].depth)
                node = nodes[node].parent;
            else
                other = nodes[other].parent;
        }
    return node;
}

/* Groups terms by node: members from starts[n] on are those of node n, in their order; idle ones come last. */
static void group_by_node(layout_maker *m, size_t count) {
    size_t nodes = m->layout->nodes.count;
    memset(m->starts, 0, (nodes + 2) * sizeof *m->starts);
    for (size_t k = 0; k < count; k++) m->starts[(m->node_of[k] == SWEEP_NONE ? nodes : m->node_of[k]) + 1]++;
    for (size_t n = 1; n <= nodes + 1; n++) m->starts[n] += m->starts[n - 1];
    for (size_t k = 0; k < count; k++) {
        size_t node = m->node_of[k] == SWEEP_NONE ? nodes : m->node_of[k];
        m->members[m->starts[node]++] = (uint32_t)k;
    }
    memmove(m->starts + 1, m->starts, (nodes + 1) * sizeof *m->starts);
    m->starts[0] = 0;
}

/* ---- Batches: a constraint goes into the first open batch that has neither of its ends. */
typedef struct open_batch {
    size_t count;
    uint32_t members[SWEEP_ROW];
} open_batch;

static void close_batch(layout_maker *m, open_batch *batches, size_t which) {
    open_batch *batch = &batches[which];
    for (size_t k = 0; k < batch->count; k++)
        for (int end = 0; end < 2; end++)
            m->open[m->terms->constraints[batch->members[k]].points[end]] &= ~(UINT64_C(1) << which);
    sweep_indices *out = batch->count == SWEEP_ROW ? &m->layout->batch_sources : &m->layout->single_sources;
    for (size_t k = 0; k < batch->count; k++) out->items[out->count++] = batch->members[k];
    batch->count = 0;
}

static void add_to_batch(layout_maker *m, open_batch *batches, uint32_t member) {
    const uint32_t *ends = m->terms->constraints[member].points;
    uint64_t taken = m->open[ends[0]] | m->open[ends[1]];
    if (taken == UINT64_MAX) {
        size_t fullest = 0;
        for (size_t b = 1; b < OPEN_BATCHES; b++)
            if (batches[b].count > batches[fullest].count) fullest = b;
        close_batch(m, batches, fullest);
        taken = m->open[ends[0]] | m->open[ends[1]];
    }
    size_t which = 0;
    while (taken >> which & 1) which++;
    for (int end = 0; end < 2; end++) m->open[ends[end]] |= UINT64_C(1) << which;
    batches[which].members[batches[which].count++] = member;
    if (batches[which].count == SWEEP_ROW) close_batch(m, batches, which);
}

static ruga_status add_batches(layout_maker *m, sweep_node *node, const uint32_t *members, size_t count) {
    sweep_layout *layout = m->layout;
    TRY(ARRAY_RESERVE(layout->context, &layout->batch_sources, count));
    TRY(ARRAY_RESERVE(layout->context, &layout->single_sources, count));
    open_batch batches[OPEN_BATCHES];
    for (size_t b = 0; b < OPEN_BATCHES; b++) batches[b].count = 0;
    node->batches.begin = (uint32_t)(layout->batch_sources.count / SWEEP_ROW);
    node->singles.begin = (uint32_t)layout->single_sources.count;
    for (size_t k = 0; k < count; k++) add_to_batch(m, batches, members[k]);
    for (size_t b = 0; b < OPEN_BATCHES; b++) close_batch(m, batches, b);
    node->batches.end = (uint32_t)(layout->batch_sources.count / SWEEP_ROW);
    node->singles.end = (uint32_t)layout->single_sources.count;
    return RUGA_OK;
}

/* ---- Nodes. */

static ruga_status list_leaves(layout_maker *m) {
    sweep_layout *layout = m->layout;
    TRY(ARRAY_RESERVE(layout->context, &layout->leaves, layout->nodes.count));
    if (m->graph.point_count == 0) layout->leaves.items[layout->leaves.count++] = 0;
    for (size_t k = 0; k < m->graph.point_count;) {
        uint32_t leaf = m->leaf_of[m->points[k]];
        layout->leaves.items[layout->leaves.count++] = leaf;
        k = layout->nodes.items[leaf].points.end;
    }
    return RUGA_OK;
}

static ruga_status make_nodes(layout_maker *m) {
    sweep_layout *layout = m->layout;
    size_t most_points = 0, most_members = 0;
    for (size_t k = 0; k < layout->leaves.count; k++) {
        size_t n = layout->leaves.items[k], members = m->starts[n + 1] - m->starts[n];
        size_t points = layout->nodes.items[n].points.end - layout->nodes.items[n].points.begin;
        most_points = points > most_points ? points : most_points;
        most_members = members > most_members ? members : most_members;
    }
    TRY(sweep_leaf_workspace_make(layout->context, m->graph.point_count, most_points, most_members,
                                  &m->leaf_workspace));
    /* Leaves first, in their order, so that the slots of neighbours are close. */
    for (size_t k = 0; k < layout->leaves.count; k++) {
        size_t n = layout->leaves.items[k];
        sweep_node *node = &layout->nodes.items[n];
        m->loose.count = 0;
        TRY(sweep_leaf_make(layout, m->leaf_workspace, &m->graph, m->points + node->points.begin,
                            node->points.end - node->points.begin, m->members + m->starts[n],
                            m->starts[n + 1] - m->starts[n], node, &m->loose));
        TRY(add_batches(m, node, m->loose.items, m->loose.count));
    }
    for (size_t n = layout->nodes.count; n-- > 0;)
        if (!layout->nodes.items[n].is_leaf)
            TRY(add_batches(m, &layout->nodes.items[n], m->members + m->starts[n], m->starts[n + 1] - m->starts[n]));
    for (size_t i = 0; i < layout->order.count; i++)
        if (layout->order.items[i] != SWEEP_NONE) m->slot_of[layout->order.items[i]] = (uint32_t)i;
    return RUGA_OK;
}

/* ---- The data of the kernels, in slots. */

static ruga_status allocate_terms(sweep_layout *layout, size_t hinge_count) {
    ruga_context *context = layout->context;
    TRY(NEW_ALIGNED(context, &layout->rows, layout->row_sources.count / SWEEP_PACKET));
    TRY(NEW_ALIGNED(context, &layout->row_stiffness, layout->row_sources.count));
    TRY(NEW_ALIGNED(context, &layout->batches, layout->batch_sources.count / SWEEP_ROW));
    TRY(NEW(context, &layout->singles, layout->single_sources.count));
    TRY(NEW(context, &layout->hinges, hinge_count));
    TRY(NEW(context, &layout->constraint_order, layout->constraint_count));
    return NEW(context, &layout->hinge_order, hinge_count);
}

static void write_packet(const layout_maker *m, const sweep_packet *packet, uint32_t first_slot) {
    const sweep_layout *layout = m->layout;
    for (size_t row = packet->row; row < packet->row + packet->row_count; row++)
        for (size_t k = 0; k < SWEEP_PACKET; k++) {
            uint32_t slot = packet->slot + (uint32_t)k, other = slot;
            uint32_t source = layout->row_sources.items[row * SWEEP_PACKET + k];
            if (source != SWEEP_NONE)
                other = m->slot_of[sweep_other_end(&m->terms->constraints[source], layout->order.items[slot])];
            layout->rows[row].others[k / SWEEP_ROW][k % SWEEP_ROW] = (uint16_t)sweep_place(other - first_slot);
        }
}

static void write_terms(layout_maker *m) {
    sweep_layout *layout = m->layout;
    for (size_t n = 0; n < layout->nodes.count; n++) {
        /* The slots of a leaf begin with those of its first packet. */
        sweep_range range = layout->nodes.items[n].packets;
        const sweep_packet *packets = layout->packets.items;
        for (size_t p = range.begin; p < range.end; p++) write_packet(m, &packets[p], packets[range.begin].slot);
    }
    for (size_t k = 0; k < layout->batch_sources.count; k++)
        for (int end = 0; end < 2; end++)
            layout->batches[k / SWEEP_ROW].ends[end][k % SWEEP_ROW] =
                sweep_place(m->slot_of[m->terms->constraints[layout->batch_sources.items[k]].points[end]]);
    for (size_t k = 0; k < layout->single_sources.count; k++)
        for (int end = 0; end < 2; end++)
            layout->singles[k].ends[end] =
                sweep_place(m->slot_of[m->terms->constraints[layout->single_sources.items[k]].points[end]]);
}

static uint32_t *copy_range(uint32_t *out, const uint32_t *sources, size_t begin, size_t end) {
    for (size_t k = begin; k < end; k++)
        if (sources[k] != SWEEP_NONE) *out++ = sources[k];
    return out;
}

/* Leaves, then seams, children before their parents; idle constraints come last. */
static void list_constraints(layout_maker *m) {
    sweep_layout *layout = m->layout;
    uint32_t *out = layout->constraint_order;
    for (size_t n = layout->nodes.count; n-- > 0;) {
        const sweep_node *node = &layout->nodes.items[n];
        for (size_t p = node->packets.begin; p < node->packets.end; p++) {
            const sweep_packet *packet = &layout->packets.items[p];
            size_t begin = (size_t)packet->row * SWEEP_PACKET;
            out = copy_range(out, layout->row_sources.items, begin, begin + (size_t)packet->row_count * SWEEP_PACKET);
        }
        out = copy_range(out, layout->batch_sources.items, (size_t)node->batches.begin * SWEEP_ROW,
                         (size_t)node->batches.end * SWEEP_ROW);
        out = copy_range(out, layout->single_sources.items, node->singles.begin, node->singles.end);
    }
    size_t idle = m->starts[layout->nodes.count];
    memcpy(out, m->members + idle, (layout->constraint_count - idle) * sizeof *out);
}

/* ---- Limits and hinges. */

static ruga_status list_limits(layout_maker *m, int ending, const uint32_t *last_node) {
    sweep_layout *layout = m->layout;
    size_t count = m->graph.point_count, nodes = layout->nodes.count;
    uint32_t *slots;
    TRY(NEW(layout->context, &layout->limit_slots[ending], count));
    slots = layout->limit_slots[ending];
    memset(m->starts, 0, (nodes + 2) * sizeof *m->starts);
    for (size_t i = 0; i < count; i++) m->starts[last_node[i] + 1]++;
    for (size_t n = 0; n < nodes; n++) {
        m->starts[n + 1] += m->starts[n];
        layout->nodes.items[n].limits[ending] = (sweep_range){m->starts[n], m->starts[n + 1]};
    }
    for (size_t i = 0; i < layout->order.count; i++) {
        uint32_t point = layout->order.items[i];
        if (point != SWEEP_NONE) slots[m->starts[last_node[point]]++] = (uint32_t)i;
    }
    return RUGA_OK;
}

/* Keeps the highest of the nodes of a point's terms; all of them are above its leaf. */
static void raise_points(const layout_maker *m, const uint32_t *points, size_t count, uint32_t node, uint32_t *last) {
    for (size_t k = 0; k < count; k++)
        if (m->layout->nodes.items[node].depth < m->layout->nodes.items[last[points[k]]].depth) last[points[k]] = node;
}

/* Hinges by node, those of a node in rounds whose hinges share no points. */
static void order_hinges(layout_maker *m) {
    sweep_layout *layout = m->layout;
    const sweep_hinge *hinges = m->terms->hinges;
    group_by_node(m, layout->hinge_count);
    memset(m->open, 0, m->graph.point_count * sizeof *m->open);
    size_t written = 0;
    for (size_t n = layout->nodes.count; n-- > 0;) {
        uint32_t *members = m->members + m->starts[n];
        size_t left = m->starts[n + 1] - m->starts[n];
        layout->nodes.items[n].hinges.begin = (uint32_t)written;
        for (uint64_t round = written + 1; left > 0; round++) {
            size_t kept = 0;
            for (size_t k = 0; k < left; k++) {
                const uint32_t *points = hinges[members[k]].points;
                int waits = 0;
                for (int c = 0; c < 4; c++) waits |= m->open[points[c]] == round;
                for (int c = 0; c < 4 && !waits; c++) m->open[points[c]] = round;
                if (waits)
                    members[kept++] = members[k];
                else
                    layout->hinge_order[written++] = members[k];
            }
            left = kept;
        }
        layout->nodes.items[n].hinges.end = (uint32_t)written;
    }
    for (size_t k = 0; k < layout->hinge_count; k++)
        for (int c = 0; c < 4; c++) layout->hinges[k].points[c] = m->slot_of[hinges[layout->hinge_order[k]].points[c]];
}

static ruga_status make_limits_and_hinges(layout_maker *m) {
    sweep_layout *layout = m->layout;
    size_t count = m->graph.point_count;
    uint32_t *last = m->points; /* the tree's order is not needed any more */
    memcpy(last, m->leaf_of, count * sizeof *last);
    for (size_t k = 0; k < layout->constraint_count; k++)
        if (m->node_of[k] != SWEEP_NONE) raise_points(m, m->terms->constraints[k].points, 2, m->node_of[k], last);
    TRY(list_limits(m, SWEEP_AFTER_CONSTRAINTS, last));

    memcpy(last, m->leaf_of, count * sizeof *last);
    for (size_t k = 0; k < layout->hinge_count; k++) {
        m->node_of[k] = node_of_points(m, m->terms->hinges[k].points, 4);
        raise_points(m, m->terms->hinges[k].points, 4, m->node_of[k], last);
    }
    order_hinges(m);
    return list_limits(m, SWEEP_AFTER_HINGES, last);
}

/* ---- The whole layout. */

static ruga_status make_tree(layout_maker *m, size_t point_count) {
    ruga_context *context = m->layout->context;
    size_t constraints = m->terms->constraint_count, hinges = m->terms->hinge_count;
    TRY(make_graph(context, point_count, m->terms, &m->graph));
    size_t terms = constraints > hinges ? constraints : hinges;
    TRY(NEW(context, &m->points, point_count));
    TRY(NEW(context, &m->leaf_of, point_count));
    TRY(NEW(context, &m->slot_of, point_count));
    TRY(NEW_ZEROED(context, &m->open, point_count));
    TRY(NEW(context, &m->members, terms));
    TRY(NEW(context, &m->node_of, terms));
    TRY(sweep_tree_make(context, &m->graph, &m->layout->nodes, m->points, m->leaf_of));
    return NEW(context, &m->starts, m->layout->nodes.count + 2);
}

static ruga_status make_layout(layout_maker *m, size_t point_count) {
    TRY(make_tree(m, point_count));
    for (size_t k = 0; k < m->terms->constraint_count; k++) {
        const sweep_constraint *c = &m->terms->constraints[k];
        m->node_of[k] = is_idle(c) ? SWEEP_NONE : node_of_points(m, c->points, 2);
    }
    group_by_node(m, m->terms->constraint_count);
    TRY(list_leaves(m));
    TRY(make_nodes(m));
    TRY(allocate_terms(m->layout, m->terms->hinge_count));
    write_terms(m);
    list_constraints(m);
    return make_limits_and_hinges(m);
}

ruga_status sweep_layout_make(ruga_context *context, size_t point_count, const sweep_terms *terms,
                              sweep_layout *layout) {
    *layout = (sweep_layout){
        .context = context, .constraint_count = terms->constraint_count, .hinge_count = terms->hinge_count};
    layout_maker m = {.layout = layout, .terms = terms};
    ruga_status status = make_layout(&m, point_count);
    RELEASE_ALL(context, m.graph.offsets, m.graph.incident, m.points, m.leaf_of, m.slot_of, m.starts, m.members,
                m.node_of, m.open, m.loose.items);
    sweep_leaf_workspace_release(context, m.leaf_workspace);
    if (!RUGA_FAILED(status)) sweep_layout_fill(layout, terms);
    return status;
}

void sweep_layout_release(sweep_layout *layout) {
    ruga_context *context = layout->context;
    memory_release_aligned(context, layout->rows);
    memory_release_aligned(context, layout->row_stiffness);
    memory_release_aligned(context, layout->batches);
    RELEASE_ALL(context, layout->nodes.items, layout->leaves.items, layout->order.items, layout->packets.items,
                layout->row_sources.items, layout->batch_sources.items, layout->single_sources.items, layout->singles,
                layout->hinges, layout->constraint_order, layout->hinge_order, layout->limit_slots[0],
                layout->limit_slots[1]);
}

/* Whether there are at most two stiffnesses besides 0, and only positive lengths, so that a sign can select the
 * stiffness. */
static void find_stiffnesses(sweep_layout *layout, const sweep_terms *terms) {
    float *found = layout->half_stiffness;
    size_t count = 0;
    layout->has_two_stiffnesses = 0;
    for (size_t k = 0; k < terms->constraint_count; k++) {
        float half = 0.5f * terms->constraints[k].stiffness;
        if (half != 0 && !(half * terms->constraints[k].length > 0)) return;
        if (half == 0 || (count > 0 && half == found[0]) || (count > 1 && half == found[1])) continue;
        if (count == 2) return;
        found[count++] = half;
    }
    for (; count < 2; count++) found[count] = 0;
    layout->has_two_stiffnesses = 1;
}

static void fill_rows(sweep_layout *layout, const sweep_terms *terms) {
    find_stiffnesses(layout, terms);
    for (size_t k = 0; k < layout->row_sources.count; k++) {
        float *lengths = layout->rows[k / SWEEP_PACKET].half_lengths[k % SWEEP_PACKET / SWEEP_ROW];
        size_t at = sweep_position(k % SWEEP_ROW);
        uint32_t source = layout->row_sources.items[k];
        const sweep_constraint *c = source == SWEEP_NONE ? NULL : &terms->constraints[source];
        float half = c ? 0.5f * c->stiffness : 0, length = c ? half * c->length : 0;
        int is_second = layout->has_two_stiffnesses && length > 0 && half != layout->half_stiffness[0];
        lengths[at] = is_second ? -length : length;
        layout->row_stiffness[k - k % SWEEP_ROW + at] = half;
    }
}

void sweep_layout_fill(sweep_layout *layout, const sweep_terms *terms) {
    fill_rows(layout, terms);
    for (size_t k = 0; k < layout->batch_sources.count; k++) {
        sweep_batch *batch = &layout->batches[k / SWEEP_ROW];
        size_t at = sweep_position(k % SWEEP_ROW);
        const sweep_constraint *c = &terms->constraints[layout->batch_sources.items[k]];
        batch->half_stiffness[at] = 0.5f * c->stiffness;
        batch->half_lengths[at] = 0.5f * c->stiffness * c->length;
    }
    for (size_t k = 0; k < layout->single_sources.count; k++) {
        const sweep_constraint *c = &terms->constraints[layout->single_sources.items[k]];
        layout->singles[k].half_stiffness = 0.5f * c->stiffness;
        layout->singles[k].half_length = 0.5f * c->stiffness * c->length;
    }
    for (size_t k = 0; k < layout->hinge_count; k++) {
        layout->hinges[k].rest_angle = terms->hinges[layout->hinge_order[k]].rest_angle;
        layout->hinges[k].stiffness = terms->hinges[layout->hinge_order[k]].stiffness;
    }
}
