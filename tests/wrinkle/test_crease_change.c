/* Creases that are added and removed: maps from one cut of a mesh to another. */
#include "wrinkle/crease_random.h"

/* A choice of lines that may stand alone: a star has all its rays, a line that ends on another has that one. */
static int choose(const cut_lines *lines, test_random *random, unsigned char *wanted) {
    int any = 0;
    for (size_t i = 0; i < lines->line_count; i++) wanted[i] = random_unit(random) < 0.6;
    for (size_t round = 0; round <= lines->line_count; round++) {
        for (size_t i = 0; i < lines->star_count; i++) {
            int all = 1;
            for (size_t r = 0; r < lines->stars[i].ray_count; r++) all &= wanted[lines->stars[i].rays[r].line];
            for (size_t r = 0; r < lines->stars[i].ray_count; r++)
                wanted[lines->stars[i].rays[r].line] &= (unsigned char)all;
        }
        for (size_t i = 0; i < lines->line_count; i++)
            for (int end = 0; end < 2 && !lines->lines[i].closed; end++)
                if (lines->lines[i].ends[end] == CUT_STEM) wanted[i] &= wanted[lines->lines[i].bars[end]];
    }
    for (size_t i = 0; i < lines->line_count; i++) any |= wanted[i];
    return any;
}

/* A random part of all lines as creases; returns whether there are any. */
static ruga_status make_some(const ruga_mesh *mesh, ruga_curve **curves, size_t count, test_random *random, crease *out,
                             int *any) {
    crease_def def = crease_def_default();
    cut_lines lines;
    unsigned char wanted[16];
    ruga_status status = cut_lines_make(mesh, (const ruga_curve *const *)curves, count, &lines);
    *any = 0;
    if (RUGA_FAILED(status)) return status;
    if (!choose(&lines, random, wanted)) {
        cut_lines_release(&lines);
        return RUGA_OK;
    }
    cut_lines_select(&lines, wanted);
    status = crease_make_of_lines(mesh, &lines, &def, out);
    *any = !RUGA_FAILED(status);
    return status;
}

static vec3 *random_unknowns(const ruga_mesh *mesh, const crease *c, test_random *random, int folds) {
    vec3 *y = malloc(c->bound->columns * sizeof *y);
    for (size_t i = 0; i < c->bound->columns; i++) {
        y[i] = i < mesh->vertex_count ? vec3_add(mesh->positions[i], random_vec3(random, -0.1, 0.1)) : (vec3){0, 0, 0};
        if (i >= mesh->vertex_count && folds) y[i] = random_vec3(random, -1, 1);
    }
    return y;
}

/* Unknowns after the change: vertices and the fold vectors of lines that stay. */
static vec3 *changed_unknowns(const ruga_mesh *mesh, const crease *from, const crease *to, const vec3 *y) {
    vec3 *out = calloc(to->bound->columns, sizeof *out);
    memcpy(out, y, mesh->vertex_count * sizeof *out);
    for (size_t i = 0; i < to->lines.line_count; i++)
        for (size_t k = 0; from && k < from->lines.line_count; k++) {
            const crease_ridge *old = &from->ridges[k], *new = &to->ridges[i];
            if (from->lines.lines[k].number != to->lines.lines[i].number) continue;
            assert_int_equal(old->knot_count, new->knot_count);
            for (size_t e = 0; e < old->offsets[old->knot_count]; e++)
                if (new->weights[e] != 0) out[new->unknowns[e]] = y[old->unknowns[e]];
        }
    return out;
}

static vec3 *apply(const ruga_map *map, const vec3 *x) {
    vec3 *out = malloc((map->rows + 1) * sizeof *out);
    ruga_map_apply(map, x, out);
    return out;
}

static double farthest(const vec3 *a, const vec3 *b, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, vec3_distance(a[i], b[i]));
    return most;
}

typedef struct change_case {
    const ruga_mesh *mesh;
    const crease *from, *to; /* NULL: whole */
    ruga_map *points, *vertices;
} change_case;

/* Fold vectors that stay are kept, others are 0 or gone. */
static void check_points(const change_case *c, test_random *random, int round) {
    vec3 *y = c->from ? random_unknowns(c->mesh, c->from, random, 1) : malloc(c->mesh->vertex_count * sizeof *y);
    for (size_t i = 0; !c->from && i < c->mesh->vertex_count; i++) y[i] = random_vec3(random, -1, 1);
    vec3 *x = c->from ? apply(c->from->bound, y) : y, *moved = apply(c->points, x);
    if (c->to) {
        vec3 *next = changed_unknowns(c->mesh, c->from, c->to, y), *expected = apply(c->to->bound, next);
        assert_less_case(farthest(moved, expected, c->points->rows), 1e-12, "round %d", round);
        free(next);
        free(expected);
    }
    /* Vertices of the mesh stay, bit-identical. */
    assert_memory_equal(moved, x, c->mesh->vertex_count * sizeof *x);
    free(moved);
    if (x != y) free(x);
    free(y);
}

/* Without folds, every cut shows the same surface, and new vertices lie on it. */
static void check_vertices(const change_case *c, test_random *random, int round) {
    vec3 *y = c->from ? random_unknowns(c->mesh, c->from, random, 0) : malloc(c->mesh->vertex_count * sizeof *y);
    for (size_t i = 0; !c->from && i < c->mesh->vertex_count; i++) y[i] = random_vec3(random, -1, 1);
    vec3 *x = c->from ? apply(c->from->bound, y) : y, *seen = c->from ? apply(c->from->nodes.visible, x) : x;
    vec3 *moved = apply(c->vertices, seen);
    if (c->to) {
        vec3 *next = changed_unknowns(c->mesh, c->from, c->to, y), *points = apply(c->to->bound, next);
        vec3 *expected = apply(c->to->nodes.visible, points);
        assert_less_case(farthest(moved, expected, c->vertices->rows), 1e-8, "round %d", round);
        free(next);
        free(points);
        free(expected);
    }
    assert_memory_equal(moved, seen, c->mesh->vertex_count * sizeof *seen);
    free(moved);
    if (seen != x) free(seen);
    if (x != y) free(x);
    free(y);
}

static void random_changes_keep_folds_and_surfaces(void **state) {
    skip_unless_long();
    test_random random = {7};
    int checked = 0, refused = 0;
    for (int round = 0; round < FEWER(700); round++) {
        ruga_mesh *mesh = random_mesh(*state, &random);
        ruga_curve *curves[8] = {0};
        crease made[2] = {{0}, {0}};
        int any[2] = {0, 0};
        size_t count = random_curves(mesh, &random, curves);
        ruga_status status = make_some(mesh, curves, count, &random, &made[0], &any[0]);
        if (!RUGA_FAILED(status)) status = make_some(mesh, curves, count, &random, &made[1], &any[1]);
        if (!RUGA_FAILED(status)) {
            change_case c = {.mesh = mesh, .from = any[0] ? &made[0] : NULL, .to = any[1] ? &made[1] : NULL};
            status = crease_change_maps(mesh, c.from, c.to, &c.points, &c.vertices);
            if (RUGA_FAILED(status)) {
                refused++;
                assert_status(status, RUGA_ERROR_INPUT);
            } else {
                checked++;
                check_points(&c, &random, round);
                check_vertices(&c, &random, round);
                ruga_map_destroy(c.points);
                ruga_map_destroy(c.vertices);
            }
        }
        for (int k = 0; k < 2; k++)
            if (any[k]) crease_release(&made[k]);
        for (size_t i = 0; i < count; i++) ruga_curve_destroy(curves[i]);
        ruga_mesh_destroy(mesh);
    }
    assert_ran(checked, FEWER(400));
    assert_at_most(refused, 0.02 * checked);
}

/* Between two lines side by side the one in between goes: its neighbour's copies are sums of three points. */
static void a_line_between_others_can_go(void **state) {
    const drawing drawings[] = {LINE(0, 0.41, 1, 0.41), LINE(0, 0.43, 1, 0.43), LINE(0, 0.45, 1, 0.45)};
    test_random random = {3};
    creased s;
    creased_make(*state, 6, 0, drawings, 3, &s);
    for (int left_out = 0; left_out < 3; left_out++) {
        crease_def def = crease_def_default();
        cut_lines lines;
        crease rest;
        change_case c = {.mesh = s.mesh, .from = &s.c, .to = &rest};
        assert_ok(*state, cut_lines_make(s.mesh, (const ruga_curve *const *)s.curves, 3, &lines));
        cut_lines_select(&lines, (const unsigned char[]){left_out != 0, left_out != 1, left_out != 2});
        assert_int_equal(lines.line_count, 2);
        assert_ok(*state, crease_make_of_lines(s.mesh, &lines, &def, &rest));
        assert_ok(*state, crease_change_maps(s.mesh, c.from, c.to, &c.points, &c.vertices));
        check_points(&c, &random, left_out);
        check_vertices(&c, &random, left_out);
        ruga_map_destroy(c.points);
        ruga_map_destroy(c.vertices);
        crease_release(&rest);
    }
    creased_release(&s);
}

/* Two ends meet on a bar, which is divided there: its parts are two lines of one curve, and stay while another goes. */
static void parts_of_a_divided_curve_stay(void **state) {
    const drawing drawings[] = {LINE(0, 0.52, 1, 0.52), LINE(0.52, 0.52, 0.8, 1), LINE(0.52, 0.52, 0.2, 1),
                                LINE(0, 0.2, 1, 0.2)};
    test_random random = {4};
    creased s;
    crease_def def = crease_def_default();
    cut_lines lines;
    crease rest;
    unsigned char wanted[5];
    creased_make(*state, 8, 0.1, drawings, 4, &s);
    assert_int_equal(s.c.lines.star_count, 1);
    assert_int_equal(s.c.lines.line_count, 5);
    assert_ok(*state, cut_lines_make(s.mesh, (const ruga_curve *const *)s.curves, 4, &lines));
    for (size_t i = 0; i < 5; i++) wanted[i] = lines.lines[i].curve != 3;
    cut_lines_select(&lines, wanted);
    assert_int_equal(lines.line_count, 4);
    assert_ok(*state, crease_make_of_lines(s.mesh, &lines, &def, &rest));
    for (int back = 0; back < 2; back++) {
        change_case c = {.mesh = s.mesh, .from = back ? &rest : &s.c, .to = back ? &s.c : &rest};
        assert_ok(*state, crease_change_maps(s.mesh, c.from, c.to, &c.points, &c.vertices));
        check_points(&c, &random, back);
        check_vertices(&c, &random, back);
        ruga_map_destroy(c.points);
        ruga_map_destroy(c.vertices);
    }
    crease_release(&rest);
    creased_release(&s);
}

typedef struct allocation_case {
    size_t first, second; /* lines of both cuts; 0: whole */
} allocation_case;

/* The creases are made without failures; the maps may fail. */
static ruga_status change_once(ruga_context *context, void *user) {
    static const drawing drawings[] = {LINE(0, 0.42, 1, 0.44), LINE(0.52, 0, 0.55, 1)};
    const allocation_case *which = user;
    size_t counts[2] = {which->first, which->second};
    ruga_context *plain = context_plain(1);
    creased made[2] = {0};
    ruga_map *moved = NULL, *seen = NULL;
    for (int k = 0; k < 2; k++) {
        creased_make(plain, 4, 0.1, drawings, counts[k] > 0 ? counts[k] : 1, &made[k]);
        made[k].c.context = context;
    }
    ruga_mesh mesh = *made[0].mesh;
    mesh.context = context;
    ruga_status status =
        crease_change_maps(&mesh, counts[0] ? &made[0].c : NULL, counts[1] ? &made[1].c : NULL, &moved, &seen);
    ruga_map_destroy(moved);
    ruga_map_destroy(seen);
    for (int k = 0; k < 2; k++) {
        made[k].c.context = plain;
        creased_release(&made[k]);
    }
    ruga_context_destroy(plain);
    return status;
}

static void every_allocation_may_fail(void **state) {
    allocation_case cases[] = {{0, 1}, {2, 0}, {1, 2}};
    (void)state;
    for (int i = 0; i < 3; i++) assert_ran(assert_every_allocation_may_fail(change_once, &cases[i]), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes_keep_folds_and_surfaces), cmocka_unit_test(a_line_between_others_can_go),
        cmocka_unit_test(parts_of_a_divided_curve_stay), cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
