/* Finding rows and columns in a mesh. */
#include "mesh/grid.h"

#include <math.h>

#include "mesh/mesh.h"
#include "support/shapes.h"

/* A grid by formula, its vertices in any order, each cell cut by its own diagonal or not at all. */
typedef struct grid_shape {
    size_t rows, columns;
    int closed, quads;
    uint64_t seed;      /* of the order; 0: row by row */
    int cut;            /* 0, 1: parallel diagonals; 2: random ones */
    uint32_t order[64]; /* vertex of (row, column) */
} grid_shape;

static void shuffle(grid_shape *g, test_random *random) {
    size_t count = g->rows * g->columns;
    for (size_t i = 0; i < count; i++) g->order[i] = (uint32_t)i;
    for (size_t i = count - 1; g->seed && i > 0; i--) {
        size_t j = (size_t)(random_unit(random) * (double)(i + 1));
        uint32_t swap = g->order[i];
        g->order[i] = g->order[j];
        g->order[j] = swap;
    }
}

static ruga_mesh *make_grid(ruga_context *context, grid_shape *g) {
    test_random random = {g->seed + 1};
    ruga_vec3 positions[64];
    uint32_t faces[6 * 64], sizes[2 * 64];
    size_t corner = 0, face = 0, cells = g->columns - (g->closed ? 0 : 1);
    shuffle(g, &random);
    for (size_t j = 0; j < g->rows; j++)
        for (size_t i = 0; i < g->columns; i++) {
            double x = (double)i, turn = 6.283185307179586 * x / (double)g->columns, size = (double)g->columns / 6.28;
            positions[g->order[j * g->columns + i]] =
                g->closed ? (ruga_vec3){size * cos(turn), (double)j, -size * sin(turn)} : (ruga_vec3){x, (double)j, 0};
        }
    for (size_t j = 0; j + 1 < g->rows; j++)
        for (size_t i = 0; i < cells; i++) {
            size_t next = (i + 1) % g->columns, here = j * g->columns, there = here + g->columns;
            const uint32_t q[4] = {g->order[here + i], g->order[here + next], g->order[there + next],
                                   g->order[there + i]};
            int cut = g->cut == 2 ? random_unit(&random) < 0.5 : g->cut;
            const uint32_t t[6] = {q[0], q[1], q[cut ? 3 : 2], q[cut ? 1 : 0], q[2], q[3]};
            memcpy(faces + corner, g->quads ? q : t, (g->quads ? 4 : 6) * sizeof *faces);
            corner += g->quads ? 4 : 6;
            for (int k = 0; k < (g->quads ? 1 : 2); k++) sizes[face++] = g->quads ? 4 : 3;
        }
    return shape_make(context, g->rows * g->columns, positions, face, sizes, faces);
}

/* Every step along a row of the found grid is (1, 0, 0), along a column (0, 1, 0); or turned by quarters. */
static void assert_is_grid(const ruga_mesh *mesh, const mesh_grid *g, const grid_shape *shape) {
    assert_int_equal(g->rows * g->columns, mesh->vertex_count);
    assert_int_equal(g->closed, shape->closed);
    assert_true((g->rows == shape->rows && g->columns == shape->columns) ||
                (!shape->closed && g->rows == shape->columns && g->columns == shape->rows));
    const ruga_vec3 *p = mesh->positions;
    for (size_t j = 0; j + 1 < g->rows; j++)
        for (size_t i = 0; i + 1 < g->columns; i++) {
            const uint32_t *v = g->vertices + j * g->columns + i;
            ruga_vec3 a = p[v[0]], right = p[v[1]], up = p[v[g->columns]], across = p[v[g->columns + 1]];
            if (shape->closed) {
                assert_near_case(fabs(up.y - a.y), 1, 1e-12, "j %zu, i %zu", j, i);
                assert_near_case(up.x, a.x, 1e-12, "j %zu, i %zu", j, i);
                assert_equal_case(right.y, a.y, "j %zu, i %zu", j, i);
                continue;
            }
            double dx = right.x - a.x, dy = right.y - a.y;
            assert_equal_case(fabs(dx) + fabs(dy), 1, "j %zu, i %zu", j, i);
            assert_equal_case(up.x - a.x, -dy, "j %zu, i %zu", j, i);
            assert_equal_case(up.y - a.y, dx, "j %zu, i %zu", j, i); /* up is right turned by a quarter */
            assert_equal_case(across.x - right.x, up.x - a.x, "j %zu, i %zu", j, i);
            assert_equal_case(across.y - right.y, up.y - a.y, "j %zu, i %zu", j, i);
        }
}

static void sheets_and_tubes_are_found_whatever_their_order_and_diagonals(void **state) {
    for (size_t rows = 2; rows < 6; rows++)
        for (size_t columns = 2; columns < 8; columns++)
            for (uint64_t seed = 0; seed < 4; seed++)
                for (int k = 0; k < 8; k++) {
                    grid_shape shape = {.rows = rows, .columns = columns, .seed = seed, .cut = k % 4};
                    shape.closed = k >= 4;
                    shape.quads = shape.cut == 3;
                    if (shape.closed && columns < 4) continue;
                    ruga_mesh *mesh = make_grid(*state, &shape);
                    mesh_grid found;
                    assert_ok(*state, mesh_grid_find(mesh, &found));
                    assert_is_grid(mesh, &found, &shape);
                    mesh_grid_release(*state, &found);
                    ruga_mesh_destroy(mesh);
                }
}

static void grids_in_order_keep_it(void **state) {
    for (int k = 0; k < 3; k++) {
        grid_shape shape = {.rows = 5, .columns = 7, .cut = k};
        ruga_mesh *mesh = make_grid(*state, &shape);
        mesh_grid found, ordered;
        assert_ok(*state, mesh_grid_find(mesh, &found));
        assert_ok(*state, mesh_grid_of_order(mesh, 5, 7, &ordered));
        assert_true(found.rows == 5 && found.columns == 7 && !found.closed && !ordered.closed);
        assert_memory_equal(found.vertices, ordered.vertices, 35 * sizeof *found.vertices);
        mesh_grid_release(*state, &found);
        mesh_grid_release(*state, &ordered);
        ruga_mesh_destroy(mesh);
    }
}

static void the_models_sheet_and_cylinder_are_grids(void **state) {
    const char *const names[2] = {"sheet", "cylinder"};
    for (int k = 0; k < 2; k++) {
        ruga_mesh *mesh = NULL;
        mesh_grid found;
        assert_ok(*state, ruga_model_make(*state, names[k], NULL, &mesh));
        ruga_status status = mesh_grid_find(mesh, &found);
        assert_ok(*state, status);
        assert_int_equal(found.closed, k);
        assert_int_equal(found.vertices[0], 0);
        mesh_grid_release(*state, &found);
        ruga_mesh_destroy(mesh);
    }
}

static void assert_no_grid(ruga_context *context, ruga_mesh *mesh) {
    mesh_grid found = {.rows = 77};
    assert_status(mesh_grid_find(mesh, &found), RUGA_ERROR_INPUT);
    assert_message_has(context, "no grid");
    assert_int_equal(found.rows, 77);
    ruga_mesh_destroy(mesh);
}

static void meshes_that_are_no_grid_are_refused(void **state) {
    ruga_context *context = *state;
    assert_no_grid(context, shape_disc(context, 7));
    assert_no_grid(context, shape_icosahedron(context));
    assert_no_grid(context, shape_torus(context, 5, 4));
    const ruga_vec3 corners[7] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {5, 5, 5}, {6, 5, 5}, {6, 6, 5}};
    const uint32_t faces[9] = {0, 1, 2, 0, 2, 3, 4, 5, 6};
    assert_no_grid(context, shape_make(context, 3, corners, 1, NULL, faces));
    assert_no_grid(context, shape_make(context, 7, corners, 3, NULL, faces)); /* two pieces */
    assert_no_grid(context, shape_make(context, 5, corners, 2, NULL, faces)); /* a vertex without faces */
    assert_no_grid(context, shape_make(context, 4, corners, 0, NULL, faces));

    /* A sheet with one edge flipped: the same numbers of vertices and triangles, but no cells. */
    grid_shape shape = {.rows = 4, .columns = 4};
    ruga_mesh *mesh = make_grid(context, &shape);
    uint32_t triangles[54];
    memcpy(triangles, mesh->triangles, sizeof triangles);
    /* cells (1, 1) and (1, 2) share the side 6 – 10: flip it to 5 – 11 */
    for (size_t t = 0; t < 18; t++) {
        uint32_t *v = triangles + 3 * t;
        if (v[0] == 5 && v[1] == 6 && v[2] == 10) v[1] = 6, v[2] = 11;
        if (v[0] == 6 && v[1] == 11 && v[2] == 10) v[0] = 5, v[1] = 11, v[2] = 10;
    }
    ruga_vec3 *positions = malloc(16 * sizeof *positions);
    assert_non_null(positions);
    memcpy(positions, mesh->positions, 16 * sizeof *positions);
    ruga_mesh_destroy(mesh);
    assert_no_grid(context, shape_make(context, 16, positions, 18, NULL, triangles));
    free(positions);
}

static void rows_and_columns_must_fit_the_vertices(void **state) {
    grid_shape shape = {.rows = 4, .columns = 6};
    ruga_mesh *mesh = make_grid(*state, &shape);
    const size_t wrong[6][2] = {{4, 5}, {5, 5}, {1, 24}, {24, 1}, {0, 6}, {SIZE_MAX / 3, 6}};
    mesh_grid found;
    for (int k = 0; k < 6; k++)
        assert_status(mesh_grid_of_order(mesh, wrong[k][0], wrong[k][1], &found), RUGA_ERROR_INPUT);
    assert_message_has(*state, "do not fit a mesh of 24");
    assert_ok(*state, mesh_grid_of_order(mesh, 8, 3, &found));
    mesh_grid_release(*state, &found);
    ruga_mesh_destroy(mesh);
}

static ruga_status find(ruga_context *context, void *user) {
    ruga_mesh mesh = *(const ruga_mesh *)user;
    mesh.context = context;
    mesh_grid found, ordered = {0};
    TRY(mesh_grid_find(&mesh, &found));
    mesh_grid_release(context, &found);
    ruga_status status = mesh_grid_of_order(&mesh, 3, 4, &ordered);
    mesh_grid_release(context, &ordered);
    return status;
}

static void every_allocation_may_fail(void **state) {
    grid_shape shape = {.rows = 3, .columns = 4};
    ruga_mesh *mesh = make_grid(*state, &shape);
    assert_less(5, assert_every_allocation_may_fail(find, mesh));
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_and_tubes_are_found_whatever_their_order_and_diagonals),
        cmocka_unit_test(grids_in_order_keep_it),
        cmocka_unit_test(the_models_sheet_and_cylinder_are_grids),
        cmocka_unit_test(meshes_that_are_no_grid_are_refused),
        cmocka_unit_test(rows_and_columns_must_fit_the_vertices),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
