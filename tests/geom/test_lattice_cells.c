/* Lattices over meshes: exact volumes, the laws of their shape functions, superimposed elements, bad meshes. */
#include "geom/lattice_cells.h"

#include "geom/lattice_shapes.h"
#include "mesh/mesh.h"

static lattice_cells *make_lattice(const ruga_mesh *mesh, double spacing, int is_linear) {
    lattice_cells *l = NULL;
    assert_ok(mesh->context, lattice_cells_create(mesh, &(lattice_cells_def){spacing, is_linear}, &l));
    return l;
}

static ruga_mesh *model(ruga_context *context, const char *name) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, name, NULL, &mesh));
    return mesh;
}

static double extent(const ruga_mesh *mesh) {
    vec3 low, high;
    vec3_bounds(mesh->positions, mesh->vertex_count, &low, &high);
    return vec3_distance(low, high);
}

/* Volume and first moment of a closed mesh, by the divergence theorem. */
static double mesh_volume(const ruga_mesh *mesh, vec3 *moment) {
    double sum = 0;
    *moment = (vec3){0, 0, 0};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        vec3 p[3];
        for (size_t k = 0; k < 3; k++) p[k] = mesh->positions[mesh->triangles[3 * t + k]];
        double volume = vec3_dot(p[0], vec3_cross(p[1], p[2])) / 6;
        sum += volume;
        *moment = vec3_add_scaled(*moment, vec3_add(p[0], vec3_add(p[1], p[2])), volume / 4);
    }
    return sum;
}

/* ---- Volumes. */

/* Volumes, first moments, and the sum of nodes, of a mesh that is closed. */
static void check_sums(const ruga_mesh *mesh, double spacing, int is_linear) {
    lattice_cells *l = make_lattice(mesh, spacing, is_linear);
    vec3 moment, sum = {0, 0, 0}, by_nodes = {0, 0, 0};
    double volume = mesh_volume(mesh, &moment), weights = 0, nodes = 0, elements = 0, size = extent(mesh);
    assert_near_case(l->report.volume, volume, 1e-12 * volume, "spacing %g", spacing);
    assert_equal(l->report.open_borders, 0);
    for (size_t q = 0; q < l->offsets[l->element_count]; q++) {
        assert_less(0, l->weights[q]);
        weights += l->weights[q];
        sum = vec3_add_scaled(sum, l->places[q], l->weights[q]);
    }
    for (size_t i = 0; i < l->node_count; i++) {
        assert_less(0, l->node_volumes[i]);
        nodes += l->node_volumes[i];
        by_nodes = vec3_add_scaled(by_nodes, l->nodes[i], l->node_volumes[i]);
    }
    for (size_t e = 0; e < l->element_count; e++) elements += l->volumes[e];
    assert_near_case(weights / volume, 1, 1e-10, "spacing %g", spacing);
    assert_near_case(nodes / volume, 1, 1e-10, "spacing %g", spacing);
    assert_near_case(elements / volume, 1, 1e-10, "spacing %g", spacing);
    assert_less_case(vec3_distance(sum, moment), 1e-10 * volume * size, "spacing %g", spacing);
    assert_less_case(vec3_distance(by_nodes, moment), 1e-10 * volume * size, "spacing %g", spacing);
    lattice_cells_destroy(l);
}

static void volumes_and_centres_of_mass_are_those_of_the_mesh(void **state) {
    static const char *const names[] = {"sphere", "torus", "pillow", "bar", "slab", "capsule", "funnel"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        ruga_mesh *mesh = model(*state, names[k]);
        double size = extent(mesh);
        for (int round = 0; round < 3; round++) check_sums(mesh, size / (2 + 3.7 * round), round % 2);
        ruga_mesh_destroy(mesh);
    }
}

static void detailed_models_are_sliced_exactly(void **state) {
    skip_unless_long();
    static const char *const names[] = {"bust", "shoe", "arm"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        ruga_mesh *mesh = model(*state, names[k]);
        check_sums(mesh, extent(mesh) / 9, 0);
        ruga_mesh_destroy(mesh);
    }
}

/* Vertices and faces that lie exactly on planes between cells; holes, cavities and blocks that touch along edges. */
static void blocks_on_planes_have_their_volume(void **state) {
    test_random random = {11};
    for (int round = 0; round < 40; round++) {
        char filled[64];
        const int n[3] = {4, 4, 4};
        int count = 0;
        for (int i = 0; i < 64; i++) {
            filled[i] = random_unit(&random) < 0.2 + 0.02 * round ? '#' : '.';
            count += filled[i] == '#';
        }
        if (count == 0) continue;
        ruga_mesh *mesh = shape_blocks(*state, n, (vec3){0.1, 0.2, 0.3}, filled);
        for (int spacing = 1; spacing < 5; spacing++) {
            lattice_cells *l = make_lattice(mesh, 0.1 * spacing, 0);
            double sum = 0;
            for (size_t q = 0; q < l->offsets[l->element_count]; q++) sum += l->weights[q];
            assert_near_case(sum, 0.006 * count, 1e-12, "round %d, spacing %d", round, spacing);
            assert_near_case(l->report.volume, 0.006 * count, 1e-12, "round %d", round);
            lattice_cells_destroy(l);
        }
        ruga_mesh_destroy(mesh);
    }
}

static void a_cavity_and_a_tunnel_belong_to_the_material_around_them(void **state) {
    static const char cavity[] =
        "###"
        "###"
        "###"
        "###"
        "#.#"
        "###"
        "###"
        "###"
        "###";
    static const char tunnel[] =
        "###"
        "#.#"
        "###"
        "###"
        "#.#"
        "###"
        "###"
        "#.#"
        "###";
    const int n[3] = {3, 3, 3};
    const char *const solids[2] = {cavity, tunnel};
    for (int k = 0; k < 2; k++)
        for (int cells = 1; cells <= 2; cells++) {
            ruga_mesh *mesh = shape_blocks(*state, n, (vec3){1, 1, 1}, solids[k]);
            lattice_cells *l = make_lattice(mesh, 3.0 / cells, 0);
            assert_equal_case(l->element_count, cells * cells * cells, "solid %d", k);
            assert_equal_case(l->report.shared_cells, 0, "solid %d", k);
            for (size_t q = 0; q < l->offsets[l->element_count]; q++) assert_less(0, l->weights[q]);
            lattice_cells_destroy(l);
            ruga_mesh_destroy(mesh);
        }
}

/* ---- Shape functions. */

static void shape_functions_are_a_partition_of_unity_and_reproduce_places(void **state) {
    ruga_mesh *mesh = model(*state, "torus");
    test_random random = {3};
    for (int is_linear = 0; is_linear < 2; is_linear++) {
        lattice_cells *l = make_lattice(mesh, extent(mesh) / 6, is_linear);
        for (int round = 0; round < 200; round++) {
            size_t e = (size_t)(random_unit(&random) * (double)l->element_count);
            vec3 place = {l->origin.x + l->cell.x * (l->cells[e][0] + random_unit(&random)),
                          l->origin.y + l->cell.y * (l->cells[e][1] + random_unit(&random)),
                          l->origin.z + l->cell.z * (l->cells[e][2] + random_unit(&random))};
            double values[LATTICE_CORNERS], sum = 0;
            vec3 gradients[LATTICE_CORNERS], at = {0, 0, 0}, slope = {0, 0, 0};
            lattice_cells_shape(l, e, place, values, gradients);
            for (size_t i = 0; i < l->corner_count; i++) {
                assert_at_most(0, values[i]);
                sum += values[i];
                slope = vec3_add(slope, gradients[i]);
                at = vec3_add_scaled(at, l->nodes[l->element_nodes[e * l->corner_count + i]], values[i]);
            }
            assert_near(sum, 1, 1e-14);
            assert_less(vec3_length(slope), 1e-11);
            assert_less(vec3_distance(at, place), 1e-12);
        }
        lattice_cells_destroy(l);
    }
    ruga_mesh_destroy(mesh);
}

/* The map and its derivative at one place on a face, seen from both elements. */
static void jump_across(const lattice_cells *l, size_t a, size_t b, vec3 place, const vec3 *q, double *jump,
                        double *kink) {
    vec3 at[2] = {{0, 0, 0}, {0, 0, 0}}, slope[2][3] = {{{0, 0, 0}}};
    const size_t elements[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        double values[LATTICE_CORNERS];
        vec3 gradients[LATTICE_CORNERS];
        lattice_cells_shape(l, elements[k], place, values, gradients);
        for (size_t i = 0; i < l->corner_count; i++) {
            vec3 node = q[l->element_nodes[elements[k] * l->corner_count + i]];
            at[k] = vec3_add_scaled(at[k], node, values[i]);
            slope[k][0] = vec3_add_scaled(slope[k][0], node, gradients[i].x);
            slope[k][1] = vec3_add_scaled(slope[k][1], node, gradients[i].y);
            slope[k][2] = vec3_add_scaled(slope[k][2], node, gradients[i].z);
        }
    }
    *jump = vec3_distance(at[0], at[1]);
    *kink = 0;
    for (int c = 0; c < 3; c++) *kink = fmax(*kink, vec3_distance(slope[0][c], slope[1][c]));
}

static void quadratic_elements_join_smoothly_and_linear_ones_with_a_kink(void **state) {
    ruga_mesh *mesh = shape_box(*state, 4, 3, 2, (vec3){4, 3, 2});
    test_random random = {8};
    for (int is_linear = 0; is_linear < 2; is_linear++) {
        lattice_cells *l = make_lattice(mesh, 1, is_linear);
        vec3 q[200];
        size_t faces = 0;
        double kinks = 0;
        assert_equal(l->element_count, 24);
        assert_equal(l->node_count, is_linear ? 60 : 120);
        assert_at_most(l->node_count, 200);
        for (size_t i = 0; i < l->node_count; i++)
            q[i] = vec3_add(l->nodes[i], (vec3){random_unit(&random), random_unit(&random), random_unit(&random)});
        for (size_t a = 0; a < l->element_count; a++)
            for (size_t b = 0; b < l->element_count; b++) {
                uint32_t *c = l->cells[a], *d = l->cells[b];
                if (d[0] != c[0] + 1 || d[1] != c[1] || d[2] != c[2]) continue;
                double jump, kink;
                vec3 place = {d[0], d[1] + random_unit(&random), d[2] + random_unit(&random)};
                jump_across(l, a, b, place, q, &jump, &kink);
                assert_less(jump, 1e-13);
                if (!is_linear) assert_less(kink, 1e-12);
                kinks += kink;
                faces++;
            }
        assert_ran(faces, 18);
        if (is_linear) assert_less(1, kinks);
        lattice_cells_destroy(l);
    }
    ruga_mesh_destroy(mesh);
}

static void the_embedding_gives_the_vertices_at_rest(void **state) {
    skip_when_sanitized();
    static const char *const names[] = {"pillow", "bust", "torus"};
    for (size_t k = 0; k < 3; k++) {
        ruga_mesh *mesh = model(*state, names[k]);
        double size = extent(mesh);
        lattice_cells *l = make_lattice(mesh, size / 8, 0);
        vec3 *x = malloc(mesh->vertex_count * sizeof *x);
        assert_non_null(x);
        ruga_map_apply(l->embedding, l->nodes, x);
        for (size_t v = 0; v < mesh->vertex_count; v++)
            assert_less_case(vec3_distance(x[v], mesh->positions[v]), 1e-13 * size, "%s, vertex %zu", names[k], v);
        free(x);
        lattice_cells_destroy(l);
        ruga_mesh_destroy(mesh);
    }
}

/* ---- Superimposed elements. */

/* A fork: a base of one row of blocks, and two prongs on it with a gap of one block. */
static const char fork_of_blocks[] =
    "#####"
    "#####"
    "##.##"
    "##.##"
    "##.##"
    "##.##"
    "##.##"
    "##.##"
    "##.##";

static void prongs_in_one_cell_have_elements_of_their_own(void **state) {
    const int n[3] = {5, 9, 1};
    ruga_mesh *mesh = shape_blocks(*state, n, (vec3){0.2, 0.5, 1}, fork_of_blocks);
    lattice_cells *l = make_lattice(mesh, 0.95, 0);
    /* Cells of 0.9 m: the base, where the prongs begin, and two prongs in each of the three cells above. */
    assert_equal(l->counts[1], 5);
    assert_equal(l->element_count, 8);
    assert_equal(l->report.shared_cells, 3);
    size_t prongs = 0, shared_at_top = 0;
    for (size_t a = 0; a < l->element_count; a++)
        for (size_t b = a + 1; b < l->element_count; b++) {
            if (l->cells[a][1] != 4 || l->cells[b][1] != 4) continue;
            prongs++;
            for (size_t i = 0; i < 27; i++)
                shared_at_top += l->element_nodes[27 * a + i] == l->element_nodes[27 * b + i];
        }
    /* Both are three cells above their common element, whose nodes reach two cells further: they share none. */
    assert_equal(prongs, 1);
    assert_equal(shared_at_top, 0);
    lattice_cells_destroy(l);
    ruga_mesh_destroy(mesh);
}

/* Lips that touch: the same blocks with a gap of nothing, made of two boxes that share no vertex. */
static void boxes_that_touch_stay_apart(void **state) {
    ruga_mesh *box = shape_box(*state, 2, 2, 2, (vec3){1, 1, 1});
    ruga_vec3 positions[100];
    uint32_t faces[300];
    size_t v = box->vertex_count, t = 3 * box->triangle_count;
    for (size_t i = 0; i < v; i++) {
        positions[i] = box->positions[i];
        positions[v + i] = vec3_add(box->positions[i], (vec3){0, 1, 0});
    }
    for (size_t i = 0; i < t; i++) {
        faces[i] = box->triangles[i];
        faces[t + i] = box->triangles[i] + (uint32_t)v;
    }
    ruga_mesh *mesh = shape_make(*state, 2 * v, positions, 2 * box->triangle_count, NULL, faces);
    for (int k = 0; k < 3; k++) {
        const double spacings[3] = {2, 0.7, 0.4};
        lattice_cells *l = make_lattice(mesh, spacings[k], 0);
        size_t common = 0;
        double sum = 0;
        unsigned char *lower = calloc(l->node_count, 1);
        assert_non_null(lower);
        for (size_t i = 0; i < v; i++)
            for (size_t e = l->embedding->offsets[i]; e < l->embedding->offsets[i + 1]; e++)
                lower[l->embedding->indices[e]] = 1;
        for (size_t i = v; i < 2 * v; i++)
            for (size_t e = l->embedding->offsets[i]; e < l->embedding->offsets[i + 1]; e++)
                common += lower[l->embedding->indices[e]];
        for (size_t e = 0; e < l->element_count; e++) sum += l->volumes[e];
        assert_equal_case(common, 0, "spacing %g", spacings[k]);
        assert_near(sum, 2, 1e-12);
        free(lower);
        lattice_cells_destroy(l);
    }
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(box);
}

/* ---- Meshes that are not closed, and bad ones. */

static void open_borders_are_closed_for_the_lattice_and_reported(void **state) {
    ruga_mesh *tube = shape_cylinder(*state, 32, 4);
    lattice_cells *l = make_lattice(tube, 0.5, 0);
    assert_equal(l->report.open_borders, 2);
    assert_equal(l->report.border_edges, 64);
    assert_equal(l->embedding->rows, tube->vertex_count);
    assert_near(l->report.volume, 16 * sin(acos(-1.0) / 16), 1e-9);
    lattice_cells_destroy(l);
    ruga_mesh_destroy(tube);
}

static void fails_with(const ruga_mesh *mesh, double spacing, const char *part) {
    lattice_cells *l = NULL;
    assert_status(lattice_cells_create(mesh, &(lattice_cells_def){spacing, 0}, &l), RUGA_ERROR_INPUT);
    assert_null(l);
    assert_message_has(mesh->context, part);
}

static void bad_meshes_and_spacings_are_named(void **state) {
    ruga_mesh *box = shape_box(*state, 1, 1, 1, (vec3){1, 1, 1}), *sheet = shape_sheet(*state, 2, 2);
    uint32_t faces[36];
    fails_with(box, 0, "must be positive");
    fails_with(box, NAN, "must be positive");
    fails_with(box, 1e-4, "make them larger");
    fails_with(sheet, 0.1, "along y");
    /* Inside out. */
    for (size_t i = 0; i < 36; i++) faces[i] = box->triangles[i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1];
    ruga_mesh *inverted = shape_make(*state, 8, box->positions, 12, NULL, faces);
    fails_with(inverted, 0.5, "inside out");
    /* One face turned. */
    for (size_t i = 3; i < 36; i++) faces[i] = box->triangles[i];
    ruga_mesh *turned = shape_make(*state, 8, box->positions, 12, NULL, faces);
    fails_with(turned, 0.5, "face opposite sides");
    ruga_mesh *faceless = shape_make(*state, 8, box->positions, 0, NULL, faces);
    fails_with(faceless, 0.5, "faces");
    ruga_mesh_destroy(faceless);
    ruga_mesh_destroy(turned);
    ruga_mesh_destroy(inverted);
    ruga_mesh_destroy(sheet);
    ruga_mesh_destroy(box);
}

static void parts_that_overlap_are_refused(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state);
    ruga_vec3 positions[24];
    uint32_t faces[120];
    for (size_t i = 0; i < 12; i++) {
        positions[i] = ball->positions[i];
        positions[12 + i] = vec3_add(ball->positions[i], (vec3){0.7, 0.13, 0.21});
    }
    for (size_t i = 0; i < 60; i++) {
        faces[i] = ball->triangles[i];
        faces[60 + i] = ball->triangles[i] + 12;
    }
    ruga_mesh *mesh = shape_make(*state, 24, positions, 40, NULL, faces);
    fails_with(mesh, 0.3, "intersects itself");
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(ball);
}

static ruga_status make_and_destroy(ruga_context *context, void *user) {
    (void)user;
    ruga_mesh *mesh = NULL;
    lattice_cells *l = NULL;
    ruga_status status = ruga_model_make(context, "cylinder", NULL, &mesh);
    if (!RUGA_FAILED(status)) status = lattice_cells_create(mesh, &(lattice_cells_def){extent(mesh) / 3, 0}, &l);
    lattice_cells_destroy(l);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(20, assert_every_allocation_may_fail(make_and_destroy, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_and_centres_of_mass_are_those_of_the_mesh),
        cmocka_unit_test(detailed_models_are_sliced_exactly),
        cmocka_unit_test(blocks_on_planes_have_their_volume),
        cmocka_unit_test(a_cavity_and_a_tunnel_belong_to_the_material_around_them),
        cmocka_unit_test(shape_functions_are_a_partition_of_unity_and_reproduce_places),
        cmocka_unit_test(quadratic_elements_join_smoothly_and_linear_ones_with_a_kink),
        cmocka_unit_test(the_embedding_gives_the_vertices_at_rest),
        cmocka_unit_test(prongs_in_one_cell_have_elements_of_their_own),
        cmocka_unit_test(boxes_that_touch_stay_apart),
        cmocka_unit_test(open_borders_are_closed_for_the_lattice_and_reported),
        cmocka_unit_test(bad_meshes_and_spacings_are_named),
        cmocka_unit_test(parts_that_overlap_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
