/* FOLD files: what is read, what contradicts itself, which creases patterns have, and the Miura fold. */
#include "io/fold.h"

#include <math.h>
#include <stdio.h>

#include "io/curves.h"
#include "math/vec3.h"
#include "support/support.h"

#define DEGREE (3.14159265358979323846 / 180)

/* A square with one diagonal. */
#define SQUARE "\"vertices_coords\": [[0, 0], [1, 0], [1, 1], [0, 1]]"
#define EDGES "\"edges_vertices\": [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]"
#define KINDS "\"edges_assignment\": [\"B\", \"B\", \"B\", \"B\", \"V\"]"
#define ANGLES "\"edges_foldAngle\": [0, 0, null, 0, 90]"

static ruga_status read_text(ruga_context *context, const char *text, fold_pattern *out) {
    return fold_read(context, "test.fold", text, strlen(text), out);
}

static void a_pattern_has_its_edges_and_angles(void **state) {
    static const char *const texts[] = {
        "{" SQUARE ", " EDGES ", " KINDS ", " ANGLES ", \"faces_vertices\": [[0, 1, 2], [0, 2, 3]]}",
        /* In another frame, whose class says so; upright; with an unknown key. */
        "{\"file_spec\": 1.1, " SQUARE ", " EDGES
        ", \"edges_assignment\": [\"B\", \"B\", \"B\", \"B\", \"U\"], "
        "\"file_frames\": [{\"frame_classes\": [\"creasePattern\"], \"vertices_coords\": [[0, 0, 0], [1, 0, "
        "0], [1, 0, -1], [0, 0, -1]], " EDGES ", " ANGLES "}]}",
    };
    for (int k = 0; k < 2; k++) {
        fold_pattern p;
        assert_ok(*state, read_text(*state, texts[k], &p));
        assert_int_equal(p.vertex_count, 4);
        assert_int_equal(p.edge_count, 5);
        assert_int_equal(p.edges[4].kind, FOLD_VALLEY);
        assert_equal(p.edges[4].angle, 90);
        assert_equal(p.vertices[2].x, 1);
        assert_equal(p.vertices[2].y, 1);
        assert_true(isnan(p.edges[2].angle));
        fold_release(&p);
    }
}

static void files_that_contradict_themselves_are_refused(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[]", "expected an object"},
        {"{}", "is this a FOLD file"},
        {"{" SQUARE "}", "is this a FOLD file"},
        {"{" SQUARE ", " EDGES "}", "neither"},
        {"{" SQUARE ", " EDGES ", \"edges_assignment\": [\"B\", \"V\"]}", "5 edges have 2 assignments"},
        {"{" SQUARE ", " EDGES ", \"edges_foldAngle\": [1]}", "5 edges have 1 fold angles"},
        {"{" SQUARE ", " EDGES ", " KINDS ", \"edges_foldAngle\": [0, 0, 0, 0, -90]}",
         "a valley, but its fold angle is -90 degrees; mountains are negative"},
        {"{" SQUARE ", " EDGES ", " KINDS ", \"edges_foldAngle\": [0, 3, 0, 0, 90]}",
         "on the border, but its fold angle is 3 degrees; give it the angle 0"},
        {"{" SQUARE ", " EDGES ", " KINDS ", \"edges_foldAngle\": [0, 0, 0, 0, 181]}", "-180 to 180"},
        {"{" SQUARE ", " EDGES ", \"edges_assignment\": [\"B\", \"B\", \"B\", \"B\", \"M\"], " ANGLES "}",
         "a mountain"},
        {"{" SQUARE ", " EDGES ", \"edges_assignment\": [\"B\", \"B\", \"B\", \"B\", \"C\"]}",
         "cuts are not supported"},
        {"{" SQUARE ", " EDGES ", \"edges_assignment\": [\"B\", \"B\", \"B\", \"B\", \"X\"]}", "B, M, V, F, J or U"},
        {"{" SQUARE ", \"edges_vertices\": [[0, 4]], \"edges_assignment\": [\"M\"]}", "from 0 to 3"},
        {"{" SQUARE ", \"edges_vertices\": [[0, 0.5]], \"edges_assignment\": [\"M\"]}", "from 0 to 3"},
        {"{" SQUARE ", \"edges_vertices\": [[2, 2]], \"edges_assignment\": [\"M\"]}", "no length"},
        {"{" SQUARE ", \"edges_vertices\": [[0, 2], [2, 0]], \"edges_assignment\": [\"M\", \"V\"]}",
         "joins the same vertices as edge 0"},
        {"{" SQUARE ", \"edges_vertices\": [[0, 2], [1, 3]], \"edges_assignment\": [\"M\", \"V\"]}", "common vertex"},
        {"{\"vertices_coords\": [[0, 0], [1, 0], [1, 1], [0.5, 0]], \"edges_vertices\": [[0, 1], [2, 3]], "
         "\"edges_assignment\": [\"M\", \"V\"]}",
         "common vertex"},
        {"{\"vertices_coords\": [[0, 0, 0], [1, 0, 1], [1, 1, 0]], \"edges_vertices\": [[0, 1]], "
         "\"edges_assignment\": [\"M\"]}",
         "not in a plane"},
        {"{\"vertices_coords\": [[0, 0], [1, 0], [2, 0]], \"edges_vertices\": [[0, 1]], \"edges_assignment\": [\"M\"]}",
         "three vertices"},
        {"{\"vertices_coords\": [[0], [1, 0], [2, 0]], \"edges_vertices\": [[0, 1]], \"edges_assignment\": [\"M\"]}",
         "two or three"},
        {"{" SQUARE ", " EDGES ", " KINDS ", \"faces_vertices\": [[0, 1, 9]]}", "face 0"},
        {"{" SQUARE ", " EDGES ", " KINDS ", \"faces_vertices\": [[0, 1, 3]]}", "no edge"},
        {"{" SQUARE ", \"edges_vertices\": 3, \"edges_assignment\": []}", "expected a list"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fold_pattern p;
        assert_status(read_text(*state, cases[i].text, &p), RUGA_ERROR_INPUT);
        assert_message_has(*state, cases[i].message);
        assert_message_has(*state, "test.fold:1:");
    }
}

static void every_truncation_is_refused(void **state) {
    static const char text[] = "{" SQUARE ", " EDGES ", " KINDS ", " ANGLES ", \"faces_vertices\": [[0, 1, 2]]}";
    for (size_t size = 0; size + 1 < sizeof text; size++) {
        fold_pattern p;
        assert_status(fold_read(*state, "t", text, size, &p), RUGA_ERROR_INPUT);
    }
}

/* ---- Creases. */

/* A grid of 3 x 3 squares: six creases that pass straight through, unless one piece has another angle. */
static void straight_creases_pass_through_plain_crossings(void **state) {
    for (int bent = 0; bent < 2; bent++) {
        vec2 vertices[16];
        fold_edge edges[24];
        size_t count = 0;
        for (uint32_t i = 0; i < 16; i++) vertices[i] = (vec2){i % 4, i / 4};
        for (uint32_t i = 0; i < 16; i++) {
            int is_border = i / 4 == 0 || i / 4 == 3, is_side = i % 4 == 0 || i % 4 == 3;
            if (i % 4 < 3) edges[count++] = (fold_edge){{i, i + 1}, is_border ? FOLD_BORDER : FOLD_VALLEY, 30};
            if (i / 4 < 3) edges[count++] = (fold_edge){{i + 4, i}, is_side ? FOLD_BORDER : FOLD_MOUNTAIN, -30};
        }
        fold_pattern p = {*state, 16, vertices, count, edges};
        fold_creases creases;
        for (size_t e = 0; e < count && bent; e++)
            if (edges[e].ends[0] == 5 && edges[e].ends[1] == 6) edges[e].angle = 50;
        assert_ok(*state, fold_find_creases(&p, &creases));
        /* The piece ends at two crossings, where then all creases end: one is three, two are halved. */
        assert_int_equal(creases.creases.count, bent ? 8 : 4);
        size_t pieces = 0;
        for (size_t i = 0; i < creases.creases.count; i++) pieces += creases.creases.items[i].count - 1;
        assert_int_equal(pieces, 12);
        fold_creases_release(&creases);
    }
}

/* ---- Miura. */

static void make_miura(ruga_context *context, double angle, double fold, fold_pattern *out) {
    fold_miura def = {.columns = 5, .rows = 4, .angle = angle, .fold = fold, .width = 5, .height = 4};
    assert_ok(context, fold_make_miura(context, &def, out));
}

static double turn_of(vec2 d) { return atan2(d.y, d.x); }

/* Rotations about the four creases of a vertex, in their order, by their fold angles: the identity, since the faces
 * between them are rigid and close around it. */
static void folds_of_a_miura_pattern_close_around_every_vertex(void **state) {
    for (int k = 0; k < 3; k++) {
        fold_pattern p;
        size_t inside = 0;
        make_miura(*state, 55 + 15 * k, 40 + 60 * k, &p);
        for (uint32_t v = 0; v < p.vertex_count; v++) {
            const fold_edge *around[4];
            double turns[4];
            size_t count = 0, border = 0;
            for (size_t e = 0; e < p.edge_count; e++) {
                const fold_edge *edge = &p.edges[e];
                if (edge->ends[0] != v && edge->ends[1] != v) continue;
                vec2 a = p.vertices[v], b = p.vertices[edge->ends[edge->ends[0] == v]];
                border += edge->kind == FOLD_BORDER;
                size_t at = count++;
                for (; at > 0 && turns[at - 1] > turn_of((vec2){b.x - a.x, b.y - a.y}); at--) {
                    turns[at] = turns[at - 1];
                    around[at] = around[at - 1];
                }
                turns[at] = turn_of((vec2){b.x - a.x, b.y - a.y});
                around[at] = edge;
            }
            if (border > 0) continue;
            assert_int_equal(count, 4);
            inside++;
            for (int axis = 0; axis < 3; axis++) {
                const vec3 start = {axis == 0, axis == 1, axis == 2};
                vec3 x = start;
                for (size_t i = count; i-- > 0;) {
                    vec3 t = {cos(turns[i]), sin(turns[i]), 0};
                    double c = cos(around[i]->angle * DEGREE), s = sin(around[i]->angle * DEGREE);
                    x = vec3_add(vec3_add(vec3_scale(x, c), vec3_scale(vec3_cross(t, x), s)),
                                 vec3_scale(t, (1 - c) * vec3_dot(t, x)));
                }
                assert_less(vec3_distance(x, start), 1e-12);
            }
        }
        assert_int_equal(inside, 3 * 4);
        fold_release(&p);
    }
}

static void a_written_pattern_is_read_again(void **state) {
    fold_pattern p, q;
    char *text;
    size_t size;
    make_miura(*state, 60, 100, &p);
    assert_ok(*state, fold_write(&p, "Miura", &text, &size));
    assert_ok(*state, fold_read(*state, "written.fold", text, size, &q));
    assert_int_equal(p.edge_count, q.edge_count);
    assert_memory_equal(p.vertices, q.vertices, p.vertex_count * sizeof *p.vertices);
    for (size_t e = 0; e < p.edge_count; e++) {
        assert_int_equal(p.edges[e].kind, q.edges[e].kind);
        assert_equal(p.edges[e].angle, q.edges[e].angle);
    }
    memory_release(*state, text);
    fold_release(&p);
    fold_release(&q);
}

/* examples/fold/miura.fold is what the formula gives; RUGA_WRITE_EXAMPLES writes it. */
static void the_example_file_is_the_formula(void **state) {
    static const char path[] = RUGA_SOURCE_FOLDER "/examples/fold/miura.fold";
    fold_miura def = {.columns = 6, .rows = 5, .angle = 65, .fold = 120, .width = 5, .height = 4};
    fold_pattern p;
    char *text;
    size_t size, length;
    assert_ok(*state, fold_make_miura(*state, &def, &p));
    assert_ok(*state, fold_write(&p, "Miura fold, 6 x 5 parallelograms of 65 degrees", &text, &size));
    if (getenv("RUGA_WRITE_EXAMPLES")) write_test_file(path, text, size);
    char *bytes = read_test_file(path, &length);
    assert_non_null(bytes);
    fold_pattern q;
    assert_ok(*state, fold_read(*state, path, bytes, length, &q));
    assert_int_equal(p.vertex_count, q.vertex_count);
    assert_int_equal(p.edge_count, q.edge_count);
    for (size_t v = 0; v < p.vertex_count; v++)
        assert_near(hypot(p.vertices[v].x - q.vertices[v].x, p.vertices[v].y - q.vertices[v].y), 0, 1e-12);
    for (size_t e = 0; e < p.edge_count; e++) assert_near(p.edges[e].angle, q.edges[e].angle, 1e-9);
    free(bytes);
    memory_release(*state, text);
    fold_release(&p);
    fold_release(&q);
}

static void zigzags_that_touch_are_refused(void **state) {
    fold_miura def = {.columns = 40, .rows = 4, .angle = 30, .fold = 90, .width = 1, .height = 1};
    fold_pattern p;
    assert_status(fold_make_miura(*state, &def, &p), RUGA_ERROR_INPUT);
    assert_message_has(*state, "fewer columns");
}

static ruga_status read_once(ruga_context *context, void *user) {
    static const char text[] = "{" SQUARE ", " EDGES ", " KINDS ", " ANGLES ", \"faces_vertices\": [[0, 1, 2]]}";
    fold_miura def = {.columns = 3, .rows = 3, .angle = 60, .fold = 90, .width = 1, .height = 1};
    fold_pattern p, q;
    fold_creases creases;
    char *written;
    size_t size;
    (void)user;
    TRY(read_text(context, text, &p));
    fold_release(&p);
    TRY(fold_make_miura(context, &def, &q));
    ruga_status status = fold_find_creases(&q, &creases);
    if (!RUGA_FAILED(status)) {
        fold_creases_release(&creases);
        status = fold_write(&q, "t", &written, &size);
        if (!RUGA_FAILED(status)) memory_release(context, written);
    }
    fold_release(&q);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_ran(assert_every_allocation_may_fail(read_once, NULL), 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_has_its_edges_and_angles),
        cmocka_unit_test(files_that_contradict_themselves_are_refused),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(straight_creases_pass_through_plain_crossings),
        cmocka_unit_test(folds_of_a_miura_pattern_close_around_every_vertex),
        cmocka_unit_test(a_written_pattern_is_read_again),
        cmocka_unit_test(the_example_file_is_the_formula),
        cmocka_unit_test(zigzags_that_touch_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
