/* Attributes across a map, for meshes that are rebuilt. */
#include "mesh/carry.h"

#include <math.h>

#include "linalg/map.h"
#include "math/vec3.h"
#include "support/shapes.h"
#include "support/subdivided.h"

/* The same vertices, faces and edges without attributes, or with some. */
static ruga_mesh *copy_bare(const ruga_mesh *mesh, size_t attribute_count, const ruga_attribute *attributes) {
    ruga_mesh_def def = ruga_mesh_def_default();
    uint32_t *sizes = malloc((mesh->face_count + 1) * sizeof *sizes);
    for (size_t f = 0; f < mesh->face_count; f++)
        sizes[f] = (uint32_t)(mesh_face_end(mesh, f) - mesh_face_begin(mesh, f));
    def.positions = (ruga_view){(void *)(uintptr_t)mesh->positions, mesh->vertex_count, 0, RUGA_F64};
    def.face_count = mesh->face_count;
    def.face_sizes = sizes;
    def.face_vertices = mesh->face_vertices;
    def.edge_count = mesh->edge_count;
    def.edges = mesh->edges;
    def.attribute_count = attribute_count;
    def.attributes = attributes;
    ruga_mesh *copy = NULL;
    assert_ok(mesh->context, ruga_mesh_create(mesh->context, &def, &copy));
    free(sizes);
    return copy;
}

static const ruga_attribute *get(const ruga_mesh *mesh, const char *name, ruga_domain domain) {
    const ruga_attribute *attribute = ruga_mesh_attribute(mesh, name, domain);
    assert_non_null(attribute);
    return attribute;
}

static int has_value(const ruga_attribute *a, size_t element) {
    return !a->indices || a->indices[element] != UINT32_MAX;
}

/* Values of the largest weight may differ where several weights are the largest. */
static int is_label_of_vertices(const ruga_attribute *a) {
    return a->domain == RUGA_DOMAIN_VERTEX && a->type == RUGA_I32;
}

static void assert_same_values(const ruga_mesh *mesh, const ruga_attribute *a, const ruga_attribute *b) {
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->components, b->components);
    assert_int_equal(a->normalised, b->normalised);
    assert_int_equal(a->label_count, b->label_count);
    for (size_t i = 0; i < a->label_count; i++) assert_string_equal(a->labels[i], b->labels[i]);
    for (size_t i = 0; i < mesh_domain_size(mesh, a->domain); i++) {
        assert_int_equal(has_value(a, i), has_value(b, i));
        for (uint32_t k = 0; k < a->components && !is_label_of_vertices(a); k++) {
            double x = ruga_attribute_get(a, i, k), y = ruga_attribute_get(b, i, k);
            double near = a->normalised ? 2.0 / 255 : 1e-6; /* bytes are rounded in every round of a subdivision */
            fail_if(!(fabs(x - y) < near), "%s of element %zu is %.9g, not %.9g", a->name, i, y, x);
        }
    }
}

static void carrying_gives_the_attributes_of_a_subdivision(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    for (int n = 1; n <= 5; n++) {
        fine f =
            n < 5 ? subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, n, 0) : subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 2, 0.3);
        ruga_mesh *bare = copy_bare(f.mesh, 0, NULL);
        assert_ok(*state, mesh_carry_attributes(mesh, f.map, bare));
        assert_int_equal(bare->attribute_count, mesh->attribute_count);
        for (size_t i = 0; i < mesh->attribute_count; i++) {
            assert_string_equal(bare->attributes[i].name, mesh->attributes[i].name);
            /* Several rounds normalise normals each time. */
            int is_normal = !strcmp(mesh->attributes[i].name, "normal");
            if (n < 5 || !is_normal) assert_same_values(bare, &f.mesh->attributes[i], &bare->attributes[i]);
        }
        /* Corners share values as before: no new seams. */
        assert_int_equal(get(bare, "uv", RUGA_DOMAIN_CORNER)->count, get(f.mesh, "uv", RUGA_DOMAIN_CORNER)->count);
        ruga_mesh_destroy(bare);
        fine_release(f);
    }
    ruga_mesh_destroy(mesh);
}

/* A polygon that is not cut keeps all its corners' values. */
static void the_identity_keeps_every_value(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state), *bare = copy_bare(mesh, 0, NULL);
    map_builder b;
    ruga_map *map;
    assert_ok(*state, map_builder_make(*state, mesh->vertex_count, mesh->vertex_count, &b));
    map_builder_copy_rows(&b, mesh->vertex_count);
    assert_ok(*state, map_builder_finish(&b, mesh->vertex_count, &map));
    assert_ok(*state, mesh_carry_attributes(mesh, map, bare));
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        const ruga_attribute *a = &mesh->attributes[i], *c = &bare->attributes[i];
        assert_int_equal(a->count, c->count);
        assert_memory_equal(a->values, c->values, a->count * a->components * ruga_scalar_size(a->type));
        assert_same_values(mesh, a, c);
    }
    ruga_map_destroy(map);
    ruga_mesh_destroy(bare);
    ruga_mesh_destroy(mesh);
}

/* An icosahedron with a field of vertices and one of corners. */
static ruga_mesh *ball_with_fields(ruga_context *context, const double *of_vertices, const double *of_corners) {
    ruga_mesh *plain = shape_icosahedron(context);
    const ruga_attribute fields[2] = {{.name = "a",
                                       .domain = RUGA_DOMAIN_VERTEX,
                                       .type = RUGA_F64,
                                       .components = 1,
                                       .count = plain->vertex_count,
                                       .values = of_vertices},
                                      {.name = "b",
                                       .domain = RUGA_DOMAIN_CORNER,
                                       .type = RUGA_F64,
                                       .components = 1,
                                       .count = plain->corner_count,
                                       .values = of_corners}};
    ruga_mesh *mesh = copy_bare(plain, 2, fields);
    ruga_mesh_destroy(plain);
    return mesh;
}

static void constants_stay_constant_exactly(void **state) {
    double constant[60];
    for (size_t i = 0; i < 60; i++) constant[i] = 0.1;
    ruga_mesh *mesh = ball_with_fields(*state, constant, constant);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 2, 0);
    ruga_mesh *bare = copy_bare(f.mesh, 0, NULL);
    assert_ok(*state, mesh_carry_attributes(mesh, f.map, bare));
    for (size_t v = 0; v < bare->vertex_count; v++)
        assert_equal_case(ruga_attribute_get(get(bare, "a", RUGA_DOMAIN_VERTEX), v, 0), 0.1, "v %zu", v);
    for (size_t c = 0; c < bare->corner_count; c++)
        assert_equal_case(ruga_attribute_get(get(bare, "b", RUGA_DOMAIN_CORNER), c, 0), 0.1, "c %zu", c);
    ruga_mesh_destroy(bare);
    fine_release(f);
    ruga_mesh_destroy(mesh);
}

static double field_at(vec3 p) { return 2 * p.x - 3 * p.y + 0.5 * p.z + 7; }

static void linear_fields_stay_linear(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state);
    double of_vertices[12], of_corners[60];
    for (size_t v = 0; v < 12; v++) of_vertices[v] = field_at(ball->positions[v]);
    for (size_t c = 0; c < 60; c++) of_corners[c] = field_at(ball->positions[ball->face_vertices[c]]);
    ruga_mesh *mesh = ball_with_fields(*state, of_vertices, of_corners);
    for (int n = 2; n <= 7; n++) {
        fine f = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, n, 0);
        ruga_mesh *bare = copy_bare(f.mesh, 0, NULL);
        assert_ok(*state, mesh_carry_attributes(mesh, f.map, bare));
        for (size_t c = 0; c < bare->corner_count; c++) {
            uint32_t v = bare->face_vertices[c];
            double wanted = field_at(bare->positions[v]);
            assert_near_case(ruga_attribute_get(get(bare, "a", RUGA_DOMAIN_VERTEX), v, 0), wanted, 1e-13, "n %d, c %zu",
                             n, c);
            assert_near_case(ruga_attribute_get(get(bare, "b", RUGA_DOMAIN_CORNER), c, 0), wanted, 1e-13, "n %d, c %zu",
                             n, c);
        }
        ruga_mesh_destroy(bare);
        fine_release(f);
    }
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(ball);
}

/* Weights may be negative where a map extrapolates. */
static void extrapolation_is_linear_and_labels_are_of_the_largest_weight(void **state) {
    const ruga_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                    moved[3] = {{-0.5, -0.5, 0}, {0.75, 0.125, 0}, {0, 1, 0}};
    const uint32_t triangle[3] = {0, 1, 2};
    const double field[3] = {field_at(corners[0]), field_at(corners[1]), field_at(corners[2])};
    const int32_t labels[3] = {5, 6, 7};
    const uint8_t colours[3] = {250, 10, 10};
    ruga_mesh *plain = shape_make(*state, 3, corners, 1, NULL, triangle),
              *to = shape_make(*state, 3, moved, 1, NULL, triangle);
    const ruga_attribute all[3] = {
        {.name = "f", .type = RUGA_F64, .components = 1, .count = 3, .values = field},
        {.name = "l", .type = RUGA_I32, .components = 1, .count = 3, .values = labels},
        {.name = "c", .type = RUGA_U8, .components = 1, .count = 3, .values = colours, .normalised = 1}};
    ruga_mesh *from = copy_bare(plain, 3, all);
    map_builder b;
    ruga_map *map;
    assert_ok(*state, map_builder_make(*state, 3, 9, &b));
    for (size_t v = 0; v < 3; v++) {
        map_builder_put(&b, 0, 1 - moved[v].x - moved[v].y);
        map_builder_put(&b, 1, moved[v].x);
        map_builder_put(&b, 2, moved[v].y);
        map_builder_end_row(&b);
    }
    assert_ok(*state, map_builder_finish(&b, 3, &map));
    assert_ok(*state, mesh_carry_attributes(from, map, to));
    const int wanted[3] = {5, 6, 7};
    for (size_t v = 0; v < 3; v++) {
        assert_near_case(ruga_attribute_get(get(to, "f", RUGA_DOMAIN_VERTEX), v, 0), field_at(moved[v]), 1e-13, "v %zu",
                         v);
        assert_int_equal((int)ruga_attribute_get(get(to, "l", RUGA_DOMAIN_VERTEX), v, 0), wanted[v]);
    }
    /* 2 x 250 - 10: more than a byte can hold. */
    assert_equal(ruga_attribute_get(get(to, "c", RUGA_DOMAIN_VERTEX), 0, 0), 1);
    ruga_map_destroy(map);
    ruga_mesh_destroy(from);
    ruga_mesh_destroy(plain);
    ruga_mesh_destroy(to);
}

/* A sheet that is split along an edge: vertices are copied, and every face keeps its group and its UVs. */
static void faces_of_split_vertices_keep_their_parents(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    size_t corner_count = mesh->corner_count;
    ruga_vec3 *positions = malloc(corner_count * sizeof *positions);
    uint32_t *faces = malloc(corner_count * sizeof *faces), sizes[2] = {4, 4};
    map_builder b;
    ruga_map *map;
    assert_ok(*state, map_builder_make(*state, corner_count, corner_count, &b));
    for (size_t c = 0; c < corner_count; c++) {
        positions[c] = mesh->positions[mesh->face_vertices[c]];
        faces[c] = (uint32_t)c;
        map_builder_put(&b, mesh->face_vertices[c], 1);
        map_builder_end_row(&b);
    }
    assert_ok(*state, map_builder_finish(&b, mesh->vertex_count, &map));
    ruga_mesh *split = shape_make(*state, corner_count, positions, 2, sizes, faces);
    assert_ok(*state, mesh_carry_attributes(mesh, map, split));
    size_t compared = 0;
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        const ruga_attribute *a = &mesh->attributes[i];
        if (a->domain != RUGA_DOMAIN_FACE && a->domain != RUGA_DOMAIN_CORNER) continue;
        assert_same_values(mesh, a, get(split, a->name, a->domain));
        compared++;
    }
    assert_ran(compared, 2);
    free(positions);
    free(faces);
    ruga_map_destroy(map);
    ruga_mesh_destroy(split);
    ruga_mesh_destroy(mesh);
}

static void elements_without_a_parent_have_no_value(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    ruga_mesh *far = shape_disc(*state, 3);
    map_builder b;
    ruga_map *map;
    assert_ok(*state, map_builder_make(*state, far->vertex_count, 0, &b));
    for (size_t v = 0; v < far->vertex_count; v++) map_builder_end_row(&b);
    assert_ok(*state, map_builder_finish(&b, mesh->vertex_count, &map));
    assert_ok(*state, mesh_carry_attributes(mesh, map, far));
    for (size_t f = 0; f < far->face_count; f++) {
        assert_equal_case(ruga_attribute_get(get(far, "group", RUGA_DOMAIN_FACE), f, 0), -1, "f %zu", f);
        assert_false(has_value(get(far, "uv", RUGA_DOMAIN_CORNER), 3 * f));
    }
    assert_equal(ruga_attribute_get(get(far, "weight", RUGA_DOMAIN_VERTEX), 0, 0), 0);
    ruga_map_destroy(map);
    ruga_mesh_destroy(far);
    ruga_mesh_destroy(mesh);
}

static void existing_attributes_are_kept(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    float *weights = calloc(f.mesh->vertex_count, sizeof *weights);
    weights[0] = 42;
    const ruga_attribute own = {
        .name = "weight", .type = RUGA_F32, .components = 1, .count = f.mesh->vertex_count, .values = weights};
    ruga_mesh *to = copy_bare(f.mesh, 1, &own);
    assert_ok(*state, mesh_carry_attributes(mesh, f.map, to));
    assert_int_equal(to->attribute_count, mesh->attribute_count);
    assert_equal(ruga_attribute_get(get(to, "weight", RUGA_DOMAIN_VERTEX), 0, 0), 42);

    /* A map of other meshes is refused. */
    assert_status(mesh_carry_attributes(f.mesh, f.map, to), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "the map takes 6 vertices");
    free(weights);
    ruga_mesh_destroy(to);
    fine_release(f);
    ruga_mesh_destroy(mesh);
}

static ruga_status run_carry(ruga_context *context, void *user) {
    ruga_mesh *from = user, *to = NULL;
    ruga_subdivide_def def = subdivide_def(RUGA_SUBDIVIDE_REGULAR, 2, 0);
    ruga_map *map = NULL;
    ruga_context *own = from->context;
    from->context = context;
    ruga_status status = ruga_mesh_subdivide(from, &def, &to, &map);
    if (!RUGA_FAILED(status)) {
        /* Removes the subdivision's own attributes, so that all are carried. */
        mesh_parts parts = {.corner_split = (uint32_t *)to->corner_split,
                            .attributes = {(ruga_attribute *)to->attributes, to->attribute_count, to->attribute_count}};
        mesh_parts_release(context, &parts);
        to->attributes = NULL;
        to->attribute_count = 0;
        to->corner_split = NULL;
        status = mesh_carry_attributes(from, map, to);
        assert_int_equal(to->attribute_count, RUGA_FAILED(status) ? 0 : from->attribute_count);
    }
    from->context = own;
    ruga_mesh_destroy(to);
    ruga_map_destroy(map);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    assert_less(40, assert_every_allocation_may_fail(run_carry, mesh));
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carrying_gives_the_attributes_of_a_subdivision),
        cmocka_unit_test(the_identity_keeps_every_value),
        cmocka_unit_test(constants_stay_constant_exactly),
        cmocka_unit_test(linear_fields_stay_linear),
        cmocka_unit_test(extrapolation_is_linear_and_labels_are_of_the_largest_weight),
        cmocka_unit_test(faces_of_split_vertices_keep_their_parents),
        cmocka_unit_test(elements_without_a_parent_have_no_value),
        cmocka_unit_test(existing_attributes_are_kept),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
