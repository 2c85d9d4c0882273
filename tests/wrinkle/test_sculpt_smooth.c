/* Smooth refinement: without wrinkles, a refined patch lies on a smooth surface through the mesh's vertices. */
#include "wrinkle/sculpt_bare.h"

/* The refined patch of a stroke whose wrinkles are posed away. */
typedef struct bare_patch {
    test_sculpt sculpt;
    const ruga_mesh *mesh; /* the original */
    const sculpt_surface *surface;
    vec3 *bare; /* (fine vertices) undeformed */
    bare_surface view;
} bare_patch;

static void open_patch(bare_patch *p, ruga_context *context, ruga_mesh *mesh, ruga_vec3 from, ruga_vec3 to,
                       double radius) {
    const ruga_vec3 points[] = {from, to};
    test_sculpt_open(&p->sculpt, context, mesh);
    ruga_stroke_def def = test_stroke(test_curve_through(&p->sculpt, points, 2, 0), radius);
    def.refine = 2;
    def.tolerance = 1e-7;
    test_add(&p->sculpt, &def);
    const ruga_mesh *result = test_update(&p->sculpt);
    double none = 1;
    p->mesh = mesh;
    p->surface = &p->sculpt.sculpt->surface;
    vec3 *whole = malloc(result->vertex_count * sizeof *whole);
    assert_ok(context, ruga_sculpt_pose(p->sculpt.sculpt, mesh->positions, &none, whole));
    p->bare = malloc(p->surface->fine->vertex_count * sizeof *p->bare);
    for (size_t v = 0; v < p->surface->fine->vertex_count; v++) p->bare[v] = whole[p->surface->numbers[v]];
    free(whole);
    p->view = bare_of(p->sculpt.sculpt);
    p->view.bare = p->bare;
    assert_ran(p->surface->smooth.points.count, 50);
}

static void close_patch(bare_patch *p) {
    free(p->bare);
    test_sculpt_close(&p->sculpt);
}

/* Flat refinement obeys the law too, but not the tests below. */
static void a_bare_patch_stays_near_the_mesh(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    bare_patch p;
    ruga_mesh *arm;
    assert_ok(context, ruga_model_make(context, "arm", NULL, &arm));
    open_patch(&p, context, arm, (ruga_vec3){-0.05, 0.045, 0}, (ruga_vec3){0.05, 0.045, 0}, 0.05);
    double furthest = 0, greatest_turn = 0;
    assert_bare_law(&p.view, &furthest, &greatest_turn);
    print_message("off by up to %.3f of a side, turned by up to %.1f degrees\n", furthest, greatest_turn * 57.3);
    assert_less(0.01, furthest);
    close_patch(&p);
    ruga_context_destroy(context);
}

/* On a coarse sphere, the patch and its border included: new vertices lie on the sphere, and the facets turn less than
 * those that they replace. */
static void the_patch_and_its_border_are_smooth(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    bare_patch p;
    ruga_mesh *ball;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &ball));
    double radius = vec3_length(ball->positions[0]);
    open_patch(&p, context, ball, (ruga_vec3){-0.3 * radius, 0.1 * radius, 0.9 * radius},
               (ruga_vec3){0.3 * radius, 0.1 * radius, 0.9 * radius}, 0.3 * radius);
    double flat = 0, smooth = 0;
    for (size_t i = 0; i < p.surface->smooth.points.count; i++) {
        uint32_t v = p.surface->smooth.points.items[i].vertex;
        flat = fmax(flat, fabs(vec3_length(p.surface->flat[v]) - radius));
        smooth = fmax(smooth, fabs(vec3_length(p.bare[v]) - radius));
    }
    double mean_before, mean_after;
    double before = sharpest(&p.view, p.surface->flat, &mean_before), after = sharpest(&p.view, p.bare, &mean_after);
    print_message("off the sphere: %.2g of flat; edges %.2f of flat, the sharpest %.2f\n", smooth / flat,
                  mean_after / mean_before, after / before);
    assert_less(smooth, 0.1 * flat);
    assert_less(mean_after, 0.6 * mean_before);
    assert_at_most(after, before);
    close_patch(&p);
    ruga_context_destroy(context);
}

/* A box has no smooth surface but itself. */
static void hard_edges_stay_hard(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    bare_patch p;
    ruga_mesh *box;
    assert_ok(context, ruga_model_make(context, "slab", NULL, &box));
    vec3 low, high;
    vec3_bounds(box->positions, box->vertex_count, &low, &high);
    vec3 middle = vec3_mix(low, high, 0.5), size = vec3_sub(high, low);
    /* Over the top, near its edge, which the region includes. */
    open_patch(&p, context, box, (ruga_vec3){middle.x - 0.3 * size.x, high.y, high.z - 0.1 * size.z},
               (ruga_vec3){middle.x + 0.3 * size.x, high.y, high.z - 0.1 * size.z}, 0.2 * size.z);
    for (size_t i = 0; i < p.surface->smooth.points.count; i++) {
        uint32_t v = p.surface->smooth.points.items[i].vertex;
        assert_at_most(vec3_distance(p.bare[v], p.surface->flat[v]), 1e-12 * size.x);
    }
    close_patch(&p);
    ruga_context_destroy(context);
}

enum { FOLD_CELLS = 8, FOLD_SIDE = FOLD_CELLS + 1 };

/* The normals of the faces, for all corners. */
static ruga_mesh *with_split_normals(ruga_mesh *plain) {
    ruga_mesh *out = NULL;
    const size_t corners = 3 * plain->triangle_count;
    vec3 *normals = malloc(corners * sizeof *normals);
    for (size_t c = 0; c < corners; c++) normals[c] = normal_of(plain->triangles + c / 3 * 3, plain->positions);
    const ruga_attribute normal = {.name = "normal",
                                   .domain = RUGA_DOMAIN_CORNER,
                                   .type = RUGA_F64,
                                   .components = 3,
                                   .count = corners,
                                   .values = normals};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)plain->positions, plain->vertex_count, 0, RUGA_F64};
    def.face_count = plain->triangle_count;
    def.face_vertices = plain->triangles;
    def.attribute_count = 1;
    def.attributes = &normal;
    assert_ok(plain->context, ruga_mesh_create(plain->context, &def, &out));
    free(normals);
    ruga_mesh_destroy(plain);
    return out;
}

/* A sheet of 2 m that is folded by 40 degrees along z = 0, and perhaps (fin) a third half upwards from there. */
static ruga_mesh *make_folded(ruga_context *context, int fin) {
    const size_t sheet = FOLD_SIDE * FOLD_SIDE, rows = FOLD_CELLS / 2;
    const double turn = fin ? 0 : 40 * acos(-1) / 180;
    vec3 *positions = malloc(2 * sheet * sizeof *positions);
    uint32_t *faces = malloc(12 * sheet * sizeof *faces);
    size_t vertices = sheet, corners = 0;
    for (size_t v = 0; v < sheet; v++) {
        const double z = 2.0 * (double)(v / FOLD_SIDE) / FOLD_CELLS - 1,
                     x = 2.0 * (double)(v % FOLD_SIDE) / FOLD_CELLS - 1;
        positions[v] = z <= 0 ? vec3_make(x, 0, z) : vec3_make(x, -z * sin(turn), z * cos(turn));
    }
    for (size_t r = 0; r < FOLD_CELLS + (fin ? rows : 0); r++)
        for (size_t c = 0; c < FOLD_CELLS; c++) {
            /* Rows of the fin begin at the fold. */
            size_t a = r * FOLD_SIDE + c, b = a + FOLD_SIDE;
            if (r == FOLD_CELLS) a = rows * FOLD_SIDE + c;
            const uint32_t cell[6] = {(uint32_t)a, (uint32_t)b,     (uint32_t)b + 1,
                                      (uint32_t)a, (uint32_t)b + 1, (uint32_t)a + 1};
            memcpy(faces + corners, cell, sizeof cell);
            corners += 6;
        }
    for (size_t r = 1; r <= rows && fin; r++)
        for (size_t c = 0; c < FOLD_SIDE; c++)
            positions[vertices++] = vec3_make(2.0 * (double)c / FOLD_CELLS - 1, 2.0 * (double)r / FOLD_CELLS, 0);
    ruga_mesh *mesh = shape_make(context, vertices, positions, corners / 3, NULL, faces);
    free(positions);
    free(faces);
    return mesh;
}

/* m, the greatest distance of the bare patch from the flat triangles of a mesh, near the fold of it. */
static double rounds_off(ruga_context *context, ruga_mesh *mesh) {
    bare_patch p;
    open_patch(&p, context, mesh, (ruga_vec3){-0.6, 0, -0.4}, (ruga_vec3){0.6, 0, -0.4}, 0.7);
    double greatest = 0;
    for (size_t v = 0; v < p.surface->fine->vertex_count; v++)
        greatest = fmax(greatest, vec3_distance(p.bare[v], p.surface->flat[v]));
    close_patch(&p);
    return greatest;
}

/* Split normals mean a hard edge, however small its angle. */
static void split_normals_keep_edges_hard(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    assert_less(0.005, rounds_off(context, make_folded(context, 0)));
    assert_at_most(rounds_off(context, with_split_normals(make_folded(context, 0))), 1e-12);
    ruga_context_destroy(context);
}

/* A faceted export of a curved surface has split normals at all edges, which does not make them hard. Those of a box
 * are sharp. */
static void normals_of_facets_do_not_make_edges_hard(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *balls[2], *box;
    double off[2];
    for (int i = 0; i < 2; i++) {
        bare_patch p;
        assert_ok(context, ruga_model_make(context, "sphere", NULL, &balls[i]));
        if (i == 1) balls[i] = with_split_normals(balls[i]);
        double radius = vec3_length(balls[i]->positions[0]);
        open_patch(&p, context, balls[i], (ruga_vec3){-0.3 * radius, 0.1 * radius, 0.9 * radius},
                   (ruga_vec3){0.3 * radius, 0.1 * radius, 0.9 * radius}, 0.3 * radius);
        off[i] = 0;
        for (size_t v = 0; v < p.surface->fine->vertex_count; v++)
            off[i] = fmax(off[i], fabs(vec3_length(p.bare[v]) - radius));
        assert_int_equal(p.sculpt.sculpt->hard.hard_count, 0);
        close_patch(&p);
    }
    assert_near(off[0], off[1], 1e-12);
    assert_ok(context, ruga_model_make(context, "slab", NULL, &box));
    test_sculpt t;
    test_sculpt_open(&t, context, with_split_normals(box));
    assert_less(0, t.sculpt->hard.hard_count);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* Three flat sheets that meet along an edge stay flat: none is bent by the normals of the others. */
static void sheets_that_share_an_edge_do_not_bend_each_other(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    assert_at_most(rounds_off(context, make_folded(context, 1)), 1e-12);
    ruga_context_destroy(context);
}

/* Sheets that touch at their borders must not come apart. */
static void borders_stay_straight(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    bare_patch p;
    open_patch(&p, context, shape_cylinder(context, 24, 8), (ruga_vec3){0.1, 0.05, 0.995}, (ruga_vec3){0.1, 0.9, 0.995},
               0.6);
    topology *topo;
    assert_ok(context, topology_build_mesh(p.surface->fine, &topo));
    size_t on_border = 0;
    for (size_t l = 0; l < topo->loop_count; l++)
        for (uint32_t i = topo->loop_offsets[l]; i < topo->loop_offsets[l + 1]; i++) {
            uint32_t v = topo->loop_vertices[i];
            on_border += v >= p.surface->piece.mesh->vertex_count;
            assert_memory_equal(&p.bare[v], &p.surface->flat[v], sizeof p.bare[v]);
        }
    assert_less(0, on_border);
    topology_destroy(topo);
    close_patch(&p);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_patch_stays_near_the_mesh),
        cmocka_unit_test(the_patch_and_its_border_are_smooth),
        cmocka_unit_test(hard_edges_stay_hard),
        cmocka_unit_test(split_normals_keep_edges_hard),
        cmocka_unit_test(normals_of_facets_do_not_make_edges_hard),
        cmocka_unit_test(sheets_that_share_an_edge_do_not_bend_each_other),
        cmocka_unit_test(borders_stay_straight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
