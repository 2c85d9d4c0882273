/* Creases: how they are cut, and the laws of their binding. */
#include "ruga/model.h"
#include "wrinkle/crease_support.h"

/* ---- Drawings. */
#define LINE(a, b, c, d) \
    { 2, {a, b, c, d}, 0 }
static const drawing one[] = {LINE(-0.0, 0.41, 1, 0.57)};
static const drawing cross[] = {LINE(0, 0.4201, 1, 0.6327), LINE(0.5314, 0, 0.4086, 1)};
static const drawing pleats[] = {LINE(0, 0.4, 1, 0.43), LINE(0, 0.42, 1, 0.45), LINE(0, 0.44, 1, 0.47),
                                 LINE(0, 0.46, 1, 0.49)};
static const drawing miura[] = {LINE(0.47, 0.52, 1, 0.52), LINE(0.47, 0.52, 0.694, 1), LINE(0.47, 0.52, 0, 0.52),
                                LINE(0.47, 0.52, 0.7124, 0)};
static const drawing tee[] = {LINE(0, 0.42, 1, 0.63), LINE(0.47, 0.5199, 0.41, 1)};
static const drawing wye[] = {LINE(0.47, 0.52, 1, 0.6), LINE(0.47, 0.52, 0.2, 1), LINE(0.47, 0.52, 0.25, 0)};
static const drawing tips[] = {LINE(0.23, 0.41, 0.77, 0.57)};
static const drawing ring[] = {
    {8, {0.7, 0.5, 0.64, 0.64, 0.5, 0.7, 0.36, 0.64, 0.3, 0.5, 0.36, 0.36, 0.5, 0.3, 0.64, 0.36}, 1}};
static const drawing corner[] = {{3, {0, 0.3, 0.52, 0.41, 0.7, 1}, 0}};
static const drawing halves[] = {LINE(0, 0.42, 0.47, 0.53), LINE(0.47, 0.53, 1, 0.55)};
static const drawing sharp[] = {{3, {0.4, 1, 0.513, 0.221, 0.62, 1}, 0}};
static const drawing loop[] = {{5, {0, 0.61, 0.81, 0.6, 0.8, 0.2, 0.51, 0.21, 0.5, 1}, 0}};
static const drawing grid[] = {LINE(0, 0.5, 1, 0.5), LINE(0.5, 0, 0.5, 1)};
typedef struct pattern {
    const char *name;
    const drawing *drawings;
    size_t count, lines, pieces;
} pattern;
static const pattern patterns[] = {
    {"one", one, 1, 1, 2},       {"cross", cross, 2, 2, 4},   {"pleats", pleats, 4, 4, 5}, {"miura", miura, 4, 4, 4},
    {"tee", tee, 2, 2, 3},       {"wye", wye, 3, 3, 3},       {"tips", tips, 1, 1, 1},     {"ring", ring, 1, 1, 2},
    {"corner", corner, 1, 1, 2}, {"halves", halves, 2, 1, 2}, {"grid", grid, 2, 2, 4},     {"sharp", sharp, 1, 2, 2},
    {"loop", loop, 1, 2, 3},
};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

/* ---- Cutting. */

static void cuts_give_the_expected_pieces_and_keep_the_area(void **state) {
    for (int p = 0; p < PATTERNS; p++)
        for (int k = 0; k < 2; k++) {
            creased s;
            creased_make(*state, k ? 17 : 10, k ? 0.2 : 0, patterns[p].drawings, patterns[p].count, &s);
            const virtual_nodes *nodes = &s.c.nodes;
            assert_int_equal(s.c.lines.line_count, patterns[p].lines);
            fail_if(creased_piece_count(nodes->simulated) != patterns[p].pieces, "%s: %zu pieces", patterns[p].name,
                    creased_piece_count(nodes->simulated));
            double *sums = calloc(s.mesh->triangle_count, sizeof *sums);
            for (size_t t = 0; t < nodes->simulated->triangle_count; t++) {
                assert_less(0, nodes->shares[t]);
                sums[nodes->triangle_parent[t]] += nodes->shares[t];
            }
            for (size_t t = 0; t < s.mesh->triangle_count; t++)
                assert_near_case(sums[t], 1, 1e-12, "%s", patterns[p].name);
            free(sums);
            creased_release(&s);
        }
}

/* Points snapped to vertices, as of an artist: the curve runs along edges, and the shift moves it beside them. */
static void curves_along_edges_are_cut(void **state) {
    const ruga_vec3 ends[][2] = {{{0.5, 0, -0.5}, {-0.5, 0, 0.5}}, {{-0.5, 0, 0.5}, {0.5, 0, -0.5}},
                                 {{-0.5, 0, 0.1}, {0.5, 0, 0.1}},  {{0.5, 0, 0.1}, {-0.5, 0, 0.1}},
                                 {{0.3, 0, -0.5}, {0.3, 0, 0.5}},  {{0.3, 0, 0.5}, {0.3, 0, -0.5}}};
    for (int triangulation = 0; triangulation < 2; triangulation++)
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
            const double values[] = {1, 1, 20, 20, triangulation, 0, 0, 1};
            ruga_mesh *mesh = NULL;
            ruga_curve *curve = NULL;
            crease c;
            crease_def def = crease_def_default();
            ruga_curve_def drawn = ruga_curve_def_default();
            assert_ok(*state, ruga_model_make(*state, "sheet", values, &mesh));
            assert_ok(*state, ruga_curve_from_points(mesh, ends[i], 2, &drawn, &curve));
            assert_ok(*state, crease_make(mesh, (const ruga_curve *const *)&curve, 1, &def, &c));
            assert_int_equal(creased_piece_count(c.nodes.simulated), 2);
            assert_int_equal(c.lines.lines[0].ends[0], CUT_BORDER);
            assert_int_equal(c.lines.lines[0].ends[1], CUT_BORDER);
            crease_release(&c);
            ruga_curve_destroy(curve);
            ruga_mesh_destroy(mesh);
        }
}

static void vertices_come_first_and_at_rest_all_maps_agree(void **state) {
    for (int p = 0; p < PATTERNS; p++) {
        creased s;
        creased_make(*state, 12, 0.2, patterns[p].drawings, patterns[p].count, &s);
        const ruga_mesh *simulated = s.c.nodes.simulated, *visible = s.c.cut.mesh;
        vec3 *y = calloc(s.c.bound->columns, sizeof *y), *x = malloc(simulated->vertex_count * sizeof *x),
             *seen = malloc(visible->vertex_count * sizeof *seen);
        memcpy(y, s.mesh->positions, s.mesh->vertex_count * sizeof *y);
        ruga_map_apply(s.c.bound, y, x);
        ruga_map_apply(s.c.nodes.visible, x, seen);
        for (size_t i = 0; i < s.mesh->vertex_count; i++) {
            assert_less(vec3_distance(visible->positions[i], s.mesh->positions[i]), 1e-300);
            assert_less(vec3_distance(seen[i], s.mesh->positions[i]), 1e-300);
        }
        for (size_t i = 0; i < simulated->vertex_count; i++)
            assert_less(vec3_distance(x[i], simulated->positions[i]), 1e-300);
        for (size_t i = 0; i < visible->vertex_count; i++)
            assert_less_case(vec3_distance(seen[i], visible->positions[i]), 1e-10, "%s", patterns[p].name);
        free(y);
        free(x);
        free(seen);
        creased_release(&s);
    }
}

/* Creases that cross inside a triangle and, on a mesh of 5 x 5 cells with curves along x and z through its middle, on
 * an edge: the place of the crossing has an embedded node in four sectors, other places in two, and there is no gap. */
static void a_crossing_has_four_nodes_and_other_places_two(void **state) {
    static const ruga_vec3 ends[2][2] = {{{-0.5, 0, 0}, {0.5, 0, 0}}, {{0, 0, -0.5}, {0, 0, 0.5}}};
    const double values[] = {1, 1, 5, 5, 0, 0, 0, 1};
    for (int on_edge = 0; on_edge < 2; on_edge++) {
        creased s = {.count = 2};
        if (on_edge) {
            crease_def def = crease_def_default();
            ruga_curve_def drawn = ruga_curve_def_default();
            assert_ok(*state, ruga_model_make(*state, "sheet", values, &s.mesh));
            for (int k = 0; k < 2; k++)
                assert_ok(*state, ruga_curve_from_points(s.mesh, ends[k], 2, &drawn, &s.curves[k]));
            assert_ok(*state, crease_make(s.mesh, (const ruga_curve *const *)s.curves, 2, &def, &s.c));
        } else {
            creased_make(*state, 12, 0.2, cross, 2, &s);
        }
        const crease *c = &s.c;
        size_t vertices = s.mesh->vertex_count, crossings = 0;
        uint32_t crossing = 0;
        size_t *counts = calloc(c->cut.mesh->vertex_count, sizeof *counts);
        for (size_t i = 0; i < c->nodes.embedded_count; i++) counts[c->nodes.embedded[i].vertex]++;
        for (uint32_t v = 0; v < c->cut.mesh->vertex_count; v++) {
            if (v < vertices) assert_int_equal(counts[v], 0);
            if (v < vertices || counts[v] == 2) continue;
            assert_int_equal(counts[v], 4);
            crossing = v;
            crossings++;
        }
        assert_int_equal(crossings, 1);
        int corners = 0; /* of the crossing's parents that have a weight: two on an edge, else three */
        for (size_t i = 0; i < c->nodes.embedded_count; i++)
            for (int k = 0; k < 3 && c->nodes.embedded[i].vertex == crossing; k++)
                corners += fabs(c->nodes.embedded[i].weights[k]) > 1e-9;
        assert_int_equal(corners, on_edge ? 8 : 12);
        /* Fold vectors that are the same along each crease. */
        vec3 *y = calloc(c->bound->columns, sizeof *y), *x = malloc(c->bound->rows * sizeof *x);
        memcpy(y, s.mesh->positions, vertices * sizeof *y);
        for (int l = 0; l < 2; l++)
            for (size_t e = 0; e < c->ridges[l].offsets[c->ridges[l].knot_count]; e++)
                y[c->ridges[l].unknowns[e]] = (vec3){0.3 * l, 0.7 - l, 0.2};
        ruga_map_apply(c->bound, y, x);
        assert_less(crease_gap(c, x), 1e-12);
        free(counts);
        free(x);
        free(y);
        creased_release(&s);
    }
}

/* ---- Gaps. */

/* Fold vectors that are the same along each line; at tips and stems they are 0, so only lines without these. */
static void constant_folds_have_no_gap(void **state) {
    const int which[] = {0, 1, 2, 3, 5, 7, 8, 9, 10};
    for (size_t w = 0; w < sizeof which / sizeof which[0]; w++) {
        const pattern *p = &patterns[which[w]];
        creased s;
        creased_make(*state, 12, 0.2, p->drawings, p->count, &s);
        vec3 *y = calloc(s.c.bound->columns, sizeof *y), *x = malloc(s.c.bound->rows * sizeof *x);
        test_random random = {5};
        for (size_t i = s.mesh->vertex_count; i < s.c.bound->columns; i++) y[i] = random_vec3(&random, -1, 1);
        for (size_t l = 0; l < s.c.lines.line_count; l++) {
            const crease_ridge *r = &s.c.ridges[l];
            const cut_line *line = &s.c.lines.lines[l];
            int at_end = !line->closed && line->ends[1] == CUT_STAR;
            vec3 d = crease_fold_vector(&s.c, l, at_end ? line->length : 0, y);
            for (size_t k = 0; k < r->knot_count; k++) {
                int is_star = !line->closed && ((k == 0 && line->ends[0] == CUT_STAR) ||
                                                (k + 1 == r->knot_count && line->ends[1] == CUT_STAR));
                if (!is_star) y[r->unknowns[r->offsets[k]]] = d;
            }
        }
        ruga_map_apply(s.c.bound, y, x);
        assert_less_case(crease_gap(&s.c, x), 1e-9 * s.c.lines.edge, "%s", p->name);
        free(y);
        free(x);
        creased_release(&s);
    }
}

static void gaps_stay_below_their_bound(void **state) {
    for (int p = 0; p < PATTERNS; p++) {
        creased s;
        creased_make(*state, 12, 0.2, patterns[p].drawings, patterns[p].count, &s);
        vec3 *y = calloc(s.c.bound->columns, sizeof *y), *x = malloc(s.c.bound->rows * sizeof *x);
        test_random random = {5};
        for (size_t i = s.mesh->vertex_count; i < s.c.bound->columns; i++) y[i] = random_vec3(&random, -1, 1);
        ruga_map_apply(s.c.bound, y, x);
        double gap = crease_gap(&s.c, x), most = crease_gap_bound(&s.c, y);
        assert_at_most_case(gap, most, "%s", patterns[p].name);
        assert_less_case(0.2 * most, gap, "%s", patterns[p].name);
        free(y);
        free(x);
        creased_release(&s);
    }
}

/* Parts of one curve: its fold continues around a loop, and is 0 at a sharp corner. */
static void folds_where_a_curve_was_divided(void **state) {
    const drawing *drawings[] = {loop, sharp};
    for (int p = 0; p < 2; p++) {
        creased s;
        creased_make(*state, 12, 0.2, drawings[p], 1, &s);
        vec3 *y = calloc(s.c.bound->columns, sizeof *y);
        test_random random = {5};
        for (size_t i = s.mesh->vertex_count; i < s.c.bound->columns; i++) y[i] = random_vec3(&random, -1, 1);
        vec3 before = crease_fold_vector(&s.c, 0, s.c.lines.lines[0].length, y),
             after = crease_fold_vector(&s.c, 1, 0, y);
        assert_int_equal(s.c.lines.lines[0].ends[1], CUT_STAR);
        assert_int_equal(s.c.lines.lines[1].ends[0], CUT_STAR);
        assert_near(vec3_distance(before, after), 0, 1e-12);
        assert_true(p ? vec3_length(before) == 0 : vec3_length(before) > 0.01);
        free(y);
        creased_release(&s);
    }
}

/* ---- Memory. */

static ruga_status make_once(ruga_context *context, void *user) {
    const pattern *p = user;
    ruga_mesh *mesh = creased_sheet(context_plain(1), 4, 0.1);
    ruga_curve *curves[8];
    crease c;
    crease_def def = crease_def_default();
    ruga_context *plain = mesh->context;
    for (size_t i = 0; i < p->count; i++)
        curves[i] = creased_curve(mesh, p->drawings[i].points, p->drawings[i].count, p->drawings[i].closed);
    ruga_mesh copy = *mesh;
    copy.context = context;
    ruga_status status = crease_make(&copy, (const ruga_curve *const *)curves, p->count, &def, &c);
    if (!RUGA_FAILED(status)) crease_release(&c);
    for (size_t i = 0; i < p->count; i++) ruga_curve_destroy(curves[i]);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(plain);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (int p = 1; p < PATTERNS; p++)
        if (p < 8 || patterns[p].drawings == sharp)
            assert_ran(assert_every_allocation_may_fail(make_once, (void *)&patterns[p]), 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_give_the_expected_pieces_and_keep_the_area),
        cmocka_unit_test(curves_along_edges_are_cut),
        cmocka_unit_test(vertices_come_first_and_at_rest_all_maps_agree),
        cmocka_unit_test(a_crossing_has_four_nodes_and_other_places_two),
        cmocka_unit_test(constant_folds_have_no_gap),
        cmocka_unit_test(gaps_stay_below_their_bound),
        cmocka_unit_test(folds_where_a_curve_was_divided),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
