/* Filling surfaces with tets: laws over many shapes, convergence, the embedding, bad surfaces. */
#include "geom/tet_fill.h"

#include "geom/embed.h"
#include "geom/lattice_shapes.h"
#include "geom/tet_stuff.h"
#include "mesh/mesh.h"

static ruga_mesh *model(ruga_context *context, const char *name) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, name, NULL, &mesh));
    return mesh;
}

static ruga_mesh *filled(const ruga_mesh *mesh, double spacing, tet_fill_report *report) {
    ruga_mesh *tets = NULL;
    assert_ok(mesh->context, tet_fill_make(mesh, &(tet_fill_def){.spacing = spacing}, &tets, report));
    return tets;
}

/* ---- Laws. */

static void check_laws(const ruga_mesh *mesh, const char *name, double spacing) {
    tet_fill_report report;
    ruga_mesh *tets = filled(mesh, spacing, &report);
    ruga_mesh_summary summary;
    double volume = 0, least, most;
    for (size_t t = 0; t < tets->tet_count; t++) {
        assert_less_case(0, mesh_tet_volume(tets, t), "%s, tet %zu", name, t);
        volume += mesh_tet_volume(tets, t);
    }
    assert_near_case(report.volume, volume, 1e-9 * volume, "%s", name);
    assert_ok(mesh->context, tet_angles(tets, &least, &most));
    assert_equal_case(report.least_angle, least, "%s", name);
    assert_equal_case(report.most_angle, most, "%s", name);
    assert_less_case(STUFF_LEAST_ANGLE, least, "%s", name);
    assert_less_case(most, STUFF_MOST_ANGLE, "%s", name);
    assert_ok(mesh->context, ruga_mesh_summarise(tets, &summary));
    assert_true(summary.closed && summary.manifold && summary.oriented);
    assert_equal_case(summary.loose_vertices, 0, "%s", name);
    assert_near_case(summary.volume, volume, 1e-9 * volume, "%s", name);
    assert_equal_case(report.overlaps, 0, "%s", name);
    assert_equal_case(report.pieces, 1, "%s", name);
    assert_equal_case(report.shells, report.surface_shells, "%s", name);
    /* The surface is cut by the spacing: off by curvature spacing² / 8, more at sharp edges. */
    assert_less_case(fabs(report.volume / report.surface_volume - 1), 0.04, "%s", name);
    assert_less_case(report.distance, report.spacing, "%s", name);
    ruga_mesh_destroy(tets);
}

static void tets_are_positive_and_enclosed_by_a_closed_manifold(void **state) {
    static const char *const names[] = {"sphere", "torus", "bar",  "slab",      "capsule", "pillow",
                                        "arm",    "shoe",  "bust", "mannequin", "funnel"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k += SANITIZED ? 3 : 1) {
        ruga_mesh *mesh = model(*state, names[k]);
        check_laws(mesh, names[k], 0);
        ruga_mesh_destroy(mesh);
    }
}

/* Surfaces that lie on points and lines of the lattice. */
static void surfaces_on_the_lattice_are_filled(void **state) {
    static const double spacings[] = {1, 0.5, 0.25, 1.0 / 3, 0.2};
    ruga_mesh *mesh = shape_box(*state, 3, 2, 4, (vec3){3, 2, 4});
    for (size_t k = 0; k < 5; k++) {
        check_laws(mesh, "box", spacings[k]);
        tet_fill_report report;
        ruga_mesh *tets = filled(mesh, spacings[k], &report);
        assert_at_most_case(report.volume, 24 + 1e-9, "spacing %g", spacings[k]);
        ruga_mesh_destroy(tets);
    }
    ruga_mesh_destroy(mesh);
}

/* Blocks that touch at an edge and at a corner: the tets do so nowhere. */
static void touching_blocks_become_manifold(void **state) {
    static const int n[3] = {2, 2, 2};
    ruga_mesh *mesh = shape_blocks(*state, n, (vec3){1, 1, 1}, "#  # ## ");
    static const double spacings[] = {0.5, 0.31, 0.2, 0.111};
    for (size_t k = 0; k < 4; k++) {
        ruga_mesh_summary summary;
        ruga_mesh *tets = filled(mesh, spacings[k], NULL);
        assert_ok(*state, ruga_mesh_summarise(tets, &summary));
        assert_true(summary.closed && summary.manifold && summary.oriented);
        ruga_mesh_destroy(tets);
    }
    ruga_mesh_destroy(mesh);
}

/* ---- Convergence. */

static void the_volume_converges_with_the_square_of_the_spacing(void **state) {
    skip_when_sanitized();
    static const char *const names[] = {"sphere", "torus", "capsule", "arm"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        ruga_mesh *mesh = model(*state, names[k]);
        tet_fill_report report;
        ruga_mesh_destroy(filled(mesh, 0, &report));
        double spacing = report.spacing * 2, errors[3];
        for (int i = 0; i < 3; i++, spacing /= 2) {
            ruga_mesh_destroy(filled(mesh, spacing, &report));
            errors[i] = fabs(report.volume / report.surface_volume - 1);
        }
        /* Theory: a quarter each time. */
        assert_less_case(errors[1], 0.36 * errors[0], "%s", names[k]);
        assert_less_case(errors[2], 0.36 * errors[1], "%s", names[k]);
        ruga_mesh_destroy(mesh);
    }
}

static void the_estimate_is_near(void **state) {
    ruga_mesh *mesh = model(*state, "sphere");
    tet_fill_report report;
    ruga_mesh *tets = filled(mesh, 0.05, &report);
    assert_near((double)tets->tet_count / tet_fill_estimate(report.surface_volume, 0.05), 1, 0.1);
    ruga_mesh_destroy(tets);
    tets = filled(mesh, 0, &report);
    assert_near((double)tets->tet_count, TET_FILL_DEFAULT_TETS, 0.1 * TET_FILL_DEFAULT_TETS);
    ruga_mesh_destroy(tets);
    ruga_mesh_destroy(mesh);
}

/* ---- Threads, embedding, memory. */

static void the_number_of_threads_changes_nothing(void **state) {
    skip_when_sanitized();
    ruga_mesh *first = NULL, *mesh;
    (void)state;
    ruga_context *contexts[3];
    ruga_mesh *tets[3];
    for (int k = 0; k < 3; k++) {
        contexts[k] = context_plain(k + 1);
        mesh = model(contexts[k], "shoe");
        tets[k] = filled(mesh, 0.01, NULL);
        ruga_mesh_destroy(mesh);
    }
    first = tets[0];
    for (int k = 1; k < 3; k++) {
        assert_int_equal(tets[k]->tet_count, first->tet_count);
        assert_int_equal(tets[k]->vertex_count, first->vertex_count);
        assert_memory_equal(tets[k]->tets, first->tets, 4 * first->tet_count * sizeof *first->tets);
        assert_memory_equal(tets[k]->positions, first->positions, first->vertex_count * sizeof *first->positions);
    }
    for (int k = 0; k < 3; k++) {
        ruga_mesh_destroy(tets[k]);
        ruga_context_destroy(contexts[k]);
    }
}

static void the_embedding_reproduces_the_surface(void **state) {
    skip_when_sanitized();
    ruga_mesh *mesh = model(*state, "bust"), *tets = filled(mesh, 0, NULL);
    ruga_map *map;
    double worst = 0, largest = 0;
    assert_ok(*state, embed_in_tets(tets, mesh->positions, mesh->vertex_count, &map));
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        vec3 sum = {0, 0, 0};
        for (size_t k = map->offsets[v]; k < map->offsets[v + 1]; k++) {
            sum = vec3_add_scaled(sum, tets->positions[map->indices[k]], map->weights[k]);
            largest = fmax(largest, fabs(map->weights[k]));
        }
        worst = fmax(worst, vec3_distance(sum, mesh->positions[v]));
    }
    assert_less(worst, 1e-12);
    assert_less(largest, 4); /* extrapolated by less than the size of a tet or two */
    ruga_map_destroy(map);
    ruga_mesh_destroy(tets);
    ruga_mesh_destroy(mesh);
}

static ruga_status fill_small(ruga_context *context, void *user) {
    ruga_mesh *tets = NULL, *mesh = NULL;
    (void)user;
    TRY(ruga_model_make(context, "sphere", NULL, &mesh));
    ruga_status status = tet_fill_make(mesh, &(tet_fill_def){.spacing = 0.3}, &tets, NULL);
    if (RUGA_FAILED(status)) assert_null(tets);
    ruga_mesh_destroy(tets);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(20, assert_every_allocation_may_fail(fill_small, NULL));
}

/* ---- Bad surfaces. */

static void assert_refused(const ruga_mesh *mesh, tet_fill_def def, const char *text) {
    ruga_mesh *tets = NULL;
    assert_status(tet_fill_make(mesh, &def, &tets, NULL), RUGA_ERROR_INPUT);
    assert_message_has(mesh->context, text);
    assert_null(tets);
}

/* A mesh with other positions, or other faces. */
static ruga_mesh *changed(const ruga_mesh *mesh, const ruga_vec3 *positions, size_t triangles, const uint32_t *faces) {
    return shape_make(mesh->context, mesh->vertex_count, positions ? positions : mesh->positions, triangles, NULL,
                      faces);
}

static void surfaces_that_have_no_inside_are_refused(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state), *sheet = shape_sheet(*state, 3, 3);
    assert_refused(sheet, (tet_fill_def){.spacing = 0.1}, "encloses 0 m³");
    uint32_t faces[63];
    memcpy(faces, ball->triangles, 60 * sizeof *faces);
    for (size_t t = 0; t < 20; t++) {
        uint32_t swap = faces[3 * t];
        faces[3 * t] = faces[3 * t + 1], faces[3 * t + 1] = swap;
    }
    ruga_mesh *bad = changed(ball, NULL, 20, faces);
    assert_refused(bad, (tet_fill_def){0}, "inside out");
    ruga_mesh_destroy(bad);
    uint32_t swap = faces[0]; /* one triangle as before */
    faces[0] = faces[1], faces[1] = swap;
    bad = changed(ball, NULL, 20, faces);
    assert_refused(bad, (tet_fill_def){0}, "face opposite sides");
    ruga_mesh_destroy(bad);
    bad = changed(ball, NULL, 0, faces);
    assert_refused(bad, (tet_fill_def){0}, "no faces");
    ruga_mesh_destroy(bad);
    ruga_mesh_destroy(sheet);
    ruga_mesh_destroy(ball);
}

static void broken_surfaces_are_refused(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state);
    /* A wall inside: three triangles at some edges. */
    uint32_t faces[63];
    memcpy(faces, ball->triangles, 60 * sizeof *faces);
    const uint32_t *t = ball->triangles;
    uint32_t far = 0;
    while (far == t[0] || far == t[1] || far == t[2]) far++;
    faces[60] = t[0], faces[61] = t[1], faces[62] = far;
    ruga_mesh *bad = changed(ball, NULL, 21, faces);
    assert_refused(bad, (tet_fill_def){.spacing = 0.2}, "three or more triangles");
    ruga_mesh_destroy(bad);
    ruga_vec3 positions[12];
    memcpy(positions, ball->positions, sizeof positions);
    positions[5].y = NAN;
    bad = changed(ball, positions, 20, ball->triangles);
    assert_refused(bad, (tet_fill_def){.spacing = 0.2}, "vertex 5 is not finite");
    ruga_mesh_destroy(bad);
    ruga_mesh_destroy(ball);
}

static void spacings_that_do_not_fit_are_refused_with_one_that_does(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state), *slab = shape_box(*state, 8, 1, 8, (vec3){8, 0.3, 8});
    assert_refused(ball, (tet_fill_def){.spacing = -1}, "must be positive");
    assert_refused(ball, (tet_fill_def){.spacing = NAN}, "must be positive");
    assert_refused(ball, (tet_fill_def){.spacing = INFINITY}, "must be positive");
    assert_refused(ball, (tet_fill_def){.spacing = 3}, "larger than the thinnest extent");
    assert_refused(ball, (tet_fill_def){.spacing = 1e-5}, "use a spacing of");
    assert_refused(slab, (tet_fill_def){.spacing = 1}, "larger than the thinnest extent");
    assert_refused(ball, (tet_fill_def){.spacing = 0.05, .most_tets = 10000}, "use a spacing of 0.15 m or more");
    ruga_mesh *tets = NULL; /* and that does */
    assert_ok(*state, tet_fill_make(ball, &(tet_fill_def){0.15, 10000}, &tets, NULL));
    ruga_mesh_destroy(tets);
    ruga_mesh_destroy(slab);
    ruga_mesh_destroy(ball);
}

static void open_borders_are_closed_and_reported(void **state) {
    ruga_mesh *tube = model(*state, "cylinder"); /* radius 0.25 m, height 1 m */
    tet_fill_report report;
    ruga_mesh *tets = filled(tube, 0.04, &report);
    assert_equal(report.open_borders, 2);
    assert_near(report.volume, M_PI * 0.0625, 0.02);
    ruga_mesh_destroy(tets);
    ruga_mesh_destroy(tube);
}

/* Two balls that overlap: their union is filled, once. */
static void overlaps_are_filled_once_and_reported(void **state) {
    ruga_mesh *ball = model(*state, "sphere");
    size_t n = ball->vertex_count, m = ball->triangle_count;
    ruga_vec3 *positions = malloc(2 * n * sizeof *positions);
    uint32_t *faces = malloc(6 * m * sizeof *faces);
    vec3 low, high;
    vec3_bounds(ball->positions, n, &low, &high);
    double r = (high.x - low.x) / 2;
    for (size_t v = 0; v < n; v++) {
        positions[v] = positions[n + v] = ball->positions[v];
        positions[n + v].x += r;
    }
    for (size_t i = 0; i < 3 * m; i++)
        faces[i] = ball->triangles[i], faces[3 * m + i] = ball->triangles[i] + (uint32_t)n;
    ruga_mesh *two = shape_make(*state, 2 * n, positions, 2 * m, NULL, faces);
    tet_fill_report report;
    ruga_mesh *tets = filled(two, r / 10, &report);
    assert_less(0, report.overlaps);
    assert_equal(report.surface_shells, 2);
    assert_equal(report.shells, 1);
    assert_equal(report.pieces, 1);
    /* Minus two caps of height r / 2: 5 π r³ / 24 each. */
    assert_near(report.volume / (r * r * r), 8 * M_PI / 3 - 5 * M_PI / 12, 0.08);
    ruga_mesh_destroy(tets);
    ruga_mesh_destroy(two);
    ruga_mesh_destroy(ball);
    free(positions);
    free(faces);
}

/* A ball in a ball, turned inside out: the tets have a cavity. */
static void a_surface_that_is_turned_inside_out_is_a_cavity(void **state) {
    ruga_mesh *ball = model(*state, "sphere");
    size_t n = ball->vertex_count, m = ball->triangle_count;
    ruga_vec3 *positions = malloc(2 * n * sizeof *positions);
    uint32_t *faces = malloc(6 * m * sizeof *faces);
    for (size_t v = 0; v < n; v++) {
        positions[v] = ball->positions[v];
        positions[n + v] = vec3_scale(ball->positions[v], 0.5);
    }
    for (size_t i = 0; i < 3 * m; i++) {
        faces[i] = ball->triangles[i];
        faces[3 * m + i] = (uint32_t)n + ball->triangles[i / 3 * 3 + 2 - i % 3];
    }
    ruga_mesh *two = shape_make(*state, 2 * n, positions, 2 * m, NULL, faces);
    check_laws(two, "hollow ball", 0.04);
    tet_fill_report report;
    ruga_mesh *tets = filled(two, 0.04, &report);
    assert_equal(report.shells, 2);
    ruga_mesh_destroy(tets);
    ruga_mesh_destroy(two);
    ruga_mesh_destroy(ball);
    free(positions);
    free(faces);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tets_are_positive_and_enclosed_by_a_closed_manifold),
        cmocka_unit_test(surfaces_on_the_lattice_are_filled),
        cmocka_unit_test(touching_blocks_become_manifold),
        cmocka_unit_test(the_volume_converges_with_the_square_of_the_spacing),
        cmocka_unit_test(the_estimate_is_near),
        cmocka_unit_test(the_number_of_threads_changes_nothing),
        cmocka_unit_test(the_embedding_reproduces_the_surface),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(surfaces_that_have_no_inside_are_refused),
        cmocka_unit_test(broken_surfaces_are_refused),
        cmocka_unit_test(spacings_that_do_not_fit_are_refused_with_one_that_does),
        cmocka_unit_test(open_borders_are_closed_and_reported),
        cmocka_unit_test(overlaps_are_filled_once_and_reported),
        cmocka_unit_test(a_surface_that_is_turned_inside_out_is_a_cavity),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
