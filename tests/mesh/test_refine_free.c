#include <math.h>

#include "mesh/refine_free.h"
#include "support/shapes.h"

/* A cut with room for everything, filled by the test. */
typedef struct test_cut {
    topology *topo;
    free_cut cut;
} test_cut;

static void cut_make(ruga_context *context, const ruga_mesh *mesh, test_cut *t) {
    assert_ok(context, topology_build(context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &t->topo));
    t->cut = (free_cut){.topo = t->topo,
                        .edge_offsets = calloc(t->topo->edge_count + 1, sizeof(uint32_t)),
                        .edge_places = calloc(2 * t->topo->edge_count + 1, sizeof(double)),
                        .inner_offsets = calloc(mesh->triangle_count + 1, sizeof(uint32_t)),
                        .inner_points = calloc(mesh->triangle_count + 1, sizeof(inner_point)),
                        .child_offsets = calloc(mesh->triangle_count + 1, sizeof(uint32_t)),
                        .children = calloc(12 * mesh->triangle_count, sizeof(uint32_t))};
}

static void cut_free(test_cut *t) {
    void *all[] = {t->cut.edge_offsets, t->cut.edge_places,   t->cut.inner_offsets,
                   t->cut.inner_points, t->cut.child_offsets, t->cut.children};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    topology_destroy(t->topo);
}

static void add_children(free_cut *c, size_t triangle, const uint32_t *children, uint32_t count) {
    memcpy(c->children + 3 * (size_t)c->child_offsets[triangle], children, 3 * count * sizeof *children);
    c->child_offsets[triangle + 1] = c->child_offsets[triangle] + count;
}

/* Every edge at its middle, every triangle in four. */
static void cut_all_edges(const ruga_mesh *mesh, free_cut *c) {
    const uint32_t children[] = {0, 3, 5, 3, 4, 5, 3, 1, 4, 5, 4, 2};
    for (size_t e = 0; e < c->topo->edge_count; e++) {
        c->edge_offsets[e + 1] = (uint32_t)e + 1;
        c->edge_places[e] = 0.5;
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) add_children(c, t, children, 4);
}

/* Every triangle in three, at a point inside. */
static void cut_insides(const ruga_mesh *mesh, free_cut *c) {
    const uint32_t children[] = {0, 1, 3, 1, 2, 3, 2, 0, 3};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        c->inner_offsets[t + 1] = (uint32_t)t + 1;
        c->inner_points[t] = (inner_point){{0.5, 0.3, 0.2}};
        add_children(c, t, children, 3);
    }
}

/* Values of an attribute by element; for corners, by triangle and vertex. */
static void assert_corner_values(const ruga_mesh *a, const ruga_attribute *of_a, const ruga_mesh *b,
                                 const ruga_attribute *of_b) {
    for (size_t t = 0; t < a->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            size_t in_b = 0;
            while (b->triangles[3 * t + in_b] != a->triangles[3 * t + k]) in_b++;
            for (uint32_t c = 0; c < of_a->components; c++)
                assert_near_case(ruga_attribute_get(of_a, mesh_triangle_corner(a, t, k), c),
                                 ruga_attribute_get(of_b, mesh_triangle_corner(b, t, in_b), c), 1e-6,
                                 "t %zu, k %zu, c %u", t, k, c);
        }
}

/* The triangles of b are those of a, except for their first corner and their order within a parent. */
static int same_triangle(const uint32_t *a, const uint32_t *b) {
    for (int r = 0; r < 3; r++)
        if (a[0] == b[r] && a[1] == b[(r + 1) % 3] && a[2] == b[(r + 2) % 3]) return 1;
    return 0;
}

static void cutting_all_edges_is_regular_subdivision(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_loaded_sheet(context), *by_cut, *by_rule;
    ruga_map *map, *rule_map;
    test_cut t;
    ruga_subdivide_def def = ruga_subdivide_def_default();
    assert_ok(context, ruga_mesh_subdivide(mesh, &def, &by_rule, &rule_map));
    cut_make(context, mesh, &t);
    cut_all_edges(mesh, &t.cut);
    assert_ok(context, free_cut_apply(mesh, &t.cut, &by_cut, &map));
    assert_int_equal(by_cut->vertex_count, by_rule->vertex_count);
    assert_memory_equal(by_cut->positions, by_rule->positions, by_rule->vertex_count * sizeof(ruga_vec3));
    assert_int_equal(by_cut->triangle_count, by_rule->triangle_count);
    size_t found = 0;
    for (size_t i = 0; i < by_cut->triangle_count; i++)
        for (size_t j = i / 4 * 4; j < i / 4 * 4 + 4; j++)
            found += (size_t)same_triangle(by_cut->triangles + 3 * i, by_rule->triangles + 3 * j);
    assert_int_equal(found, by_cut->triangle_count);
    assert_int_equal(by_cut->edge_count, by_rule->edge_count);
    assert_memory_equal(by_cut->edges, by_rule->edges, 2 * by_rule->edge_count * sizeof(uint32_t));
    assert_int_equal(by_cut->line_count, by_rule->line_count);
    assert_memory_equal(by_cut->line_vertices, by_rule->line_vertices,
                        by_rule->line_offsets[by_rule->line_count] * sizeof(uint32_t));
    assert_int_equal(by_cut->attribute_count, by_rule->attribute_count);
    size_t compared = 0;
    for (size_t i = 0; i < by_cut->attribute_count; i++) {
        const ruga_attribute *a = &by_cut->attributes[i], *b = &by_rule->attributes[i];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->domain, b->domain);
        assert_int_equal(a->label_count, b->label_count);
        if (a->domain == RUGA_DOMAIN_CORNER) continue;
        compared++;
        for (size_t e = 0; e < mesh_domain_size(by_cut, a->domain); e++)
            for (uint32_t k = 0; k < a->components; k++)
                assert_near_case(ruga_attribute_get(a, e, k), ruga_attribute_get(b, e, k), 1e-6, "i %zu, e %zu, k %u",
                                 i, e, k);
    }
    assert_ran(compared, 2);
    ruga_map_destroy(map);
    ruga_map_destroy(rule_map);
    ruga_mesh_destroy(by_cut);
    ruga_mesh_destroy(by_rule);
    cut_free(&t);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* A linear function given at vertices and at corners is the same function after any cut. */
static void linear_functions_stay_linear(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *plain = shape_sheet(context, 4, 3), *mesh, *fine;
    double *at_vertices = malloc(plain->vertex_count * sizeof(double));
    double *at_corners = malloc(3 * plain->triangle_count * sizeof(double));
    for (size_t v = 0; v < plain->vertex_count; v++)
        at_vertices[v] = 2 + 3 * plain->positions[v].x - plain->positions[v].z;
    for (size_t i = 0; i < 3 * plain->triangle_count; i++) at_corners[i] = at_vertices[plain->triangles[i]];
    const ruga_attribute attributes[] = {{.name = "f",
                                          .domain = RUGA_DOMAIN_VERTEX,
                                          .type = RUGA_F64,
                                          .components = 1,
                                          .count = plain->vertex_count,
                                          .values = at_vertices},
                                         {.name = "g",
                                          .domain = RUGA_DOMAIN_CORNER,
                                          .type = RUGA_F64,
                                          .components = 1,
                                          .count = 3 * plain->triangle_count,
                                          .values = at_corners},
                                         {.name = "h",
                                          .domain = RUGA_DOMAIN_CORNER,
                                          .type = RUGA_F64,
                                          .components = 1,
                                          .count = plain->vertex_count,
                                          .values = at_vertices,
                                          .indices = plain->triangles}};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)plain->positions, plain->vertex_count, 0, RUGA_F64};
    def.face_count = plain->triangle_count;
    def.face_vertices = plain->triangles;
    def.attribute_count = 3;
    def.attributes = attributes;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    for (int kind_of_cut = 0; kind_of_cut < 2; kind_of_cut++) {
        test_cut t;
        ruga_map *map;
        cut_make(context, mesh, &t);
        if (kind_of_cut == 0)
            cut_all_edges(mesh, &t.cut);
        else
            cut_insides(mesh, &t.cut);
        assert_ok(context, free_cut_apply(mesh, &t.cut, &fine, &map));
        const ruga_attribute *f = ruga_mesh_attribute(fine, "f", RUGA_DOMAIN_VERTEX);
        for (size_t v = 0; v < fine->vertex_count; v++)
            assert_less_case(fabs(ruga_attribute_get(f, v, 0) - 2 - 3 * fine->positions[v].x + fine->positions[v].z),
                             1e-12, "kind_of_cut %d, v %zu", kind_of_cut, v);
        const char *names[] = {"g", "h"};
        for (size_t n = 0; n < 2; n++) {
            const ruga_attribute *g = ruga_mesh_attribute(fine, names[n], RUGA_DOMAIN_CORNER);
            for (size_t i = 0; i < 3 * fine->triangle_count; i++)
                assert_near_case(ruga_attribute_get(g, i, 0), ruga_attribute_get(f, fine->triangles[i], 0), 1e-12,
                                 "kind_of_cut %d, n %zu, i %zu", kind_of_cut, n, i);
        }
        /* There are as many shared values as vertices: no new seams. */
        assert_int_equal(ruga_mesh_attribute(fine, "h", RUGA_DOMAIN_CORNER)->count, fine->vertex_count);
        assert_corner_values(fine, ruga_mesh_attribute(fine, "g", RUGA_DOMAIN_CORNER), fine,
                             ruga_mesh_attribute(fine, "h", RUGA_DOMAIN_CORNER));
        ruga_map_destroy(map);
        ruga_mesh_destroy(fine);
        cut_free(&t);
    }
    free(at_vertices);
    free(at_corners);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(plain);
    ruga_context_destroy(context);
}

/* Two triangles whose common edge is cut at a third and at two thirds. */
static void cut_edge_twice(const ruga_mesh *mesh, free_cut *c) {
    uint32_t cut = topology_find_edge(c->topo, 1, 2);
    for (uint32_t e = 0; e < c->topo->edge_count; e++) c->edge_offsets[e + 1] = e >= cut ? 2 : 0;
    c->edge_places[0] = 1.0 / 3;
    c->edge_places[1] = 2.0 / 3;
    /* Points 3 and 4 count from the lower vertex, whatever the direction of the triangle. */
    for (size_t t = 0; t < 2; t++) {
        uint32_t low = 0, high = 0, apex = 0;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t v = mesh->triangles[3 * t + k];
            *(v == 1 ? &low : v == 2 ? &high : &apex) = k;
        }
        const uint32_t up[] = {low, 3, apex, 3, 4, apex, 4, high, apex},
                       down[] = {high, 4, apex, 4, 3, apex, 3, low, apex};
        add_children(c, t, (low + 1) % 3 == high ? up : down, 3);
    }
}

/* A line along the diagonal in both directions, an edge, and values that two triangles share at one end of it only: a
 * seam that ends there stays, with the values on both sides. */
static void edges_are_followed_in_both_directions_and_seams_stay(void **state) {
    (void)state;
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    const uint32_t faces[] = {0, 2, 1, 1, 2, 3}, edges[] = {2, 1}, line[] = {1, 2, 1}, size = 3;
    const double f[] = {0, 3, 6, 9, 12}; /* vertex 2 is 6 in the first triangle, 12 in the second */
    const uint32_t seam[] = {0, 2, 1, 1, 4, 3};
    const ruga_attribute attribute = {.name = "h",
                                      .domain = RUGA_DOMAIN_CORNER,
                                      .type = RUGA_F64,
                                      .components = 1,
                                      .count = 5,
                                      .values = f,
                                      .indices = seam};
    ruga_context *context = context_plain(1);
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 4, 0, RUGA_F64};
    def.face_count = 2;
    def.face_vertices = faces;
    def.edge_count = 1;
    def.edges = edges;
    def.line_count = 1;
    def.line_sizes = &size;
    def.line_vertices = line;
    def.attribute_count = 1;
    def.attributes = &attribute;
    ruga_mesh *mesh, *fine;
    ruga_map *map;
    test_cut t;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    cut_make(context, mesh, &t);
    cut_edge_twice(mesh, &t.cut);
    assert_ok(context, free_cut_apply(mesh, &t.cut, &fine, &map));
    const uint32_t expected_line[] = {1, 4, 5, 2, 5, 4, 1}, expected_edges[] = {2, 5, 5, 4, 4, 1};
    assert_int_equal(fine->line_offsets[1], 7);
    assert_memory_equal(fine->line_vertices, expected_line, sizeof expected_line);
    assert_int_equal(fine->edge_count, 3);
    assert_memory_equal(fine->edges, expected_edges, sizeof expected_edges);
    const ruga_attribute *h = ruga_mesh_attribute(fine, "h", RUGA_DOMAIN_CORNER);
    for (size_t i = 0; i < 3 * fine->triangle_count; i++) {
        uint32_t v = fine->triangles[i];
        int first = i < 9;
        double at_2 = first ? 6 : 12, expected = v == 0 ? 0 : v == 3 ? 9 : 3;
        if (v == 2 || v > 3) expected = v == 2 ? at_2 : 3 + (at_2 - 3) * (v == 4 ? 1.0 / 3 : 2.0 / 3);
        assert_near_case(ruga_attribute_get(h, mesh_triangle_corner(fine, i / 3, i % 3), 0), expected, 1e-12, "i %zu",
                         i);
    }
    ruga_map_destroy(map);
    ruga_mesh_destroy(fine);
    cut_free(&t);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* One triangle in three, at a point inside. */
static void cut_inside_of(const ruga_mesh *mesh, size_t triangle, free_cut *c) {
    const uint32_t whole[] = {0, 1, 2}, three[] = {0, 1, 3, 1, 2, 3, 2, 0, 3};
    c->inner_points[0] = (inner_point){{0.5, 0.3, 0.2}};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        c->inner_offsets[t + 1] = t >= triangle;
        add_children(c, t, t == triangle ? three : whole, t == triangle ? 3 : 1);
    }
}

static void assert_same_values(const ruga_attribute *a, size_t in_a, const ruga_attribute *b, size_t in_b) {
    for (uint32_t k = 0; k < a->components; k++)
        assert_equal_case(ruga_attribute_get(a, in_a, k), ruga_attribute_get(b, in_b, k), "k %u", k);
}

/* Whole quads keep their corners and attributes; a cut one becomes triangles. */
static void faces_that_are_not_cut_stay_polygons(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_loaded_sheet(context), *fine;
    assert_at_most(2, mesh->face_count);
    assert_true(mesh->triangle_count == 2 * mesh->face_count);
    for (size_t triangle = 0; triangle < mesh->triangle_count; triangle++) {
        test_cut t;
        ruga_map *map;
        cut_make(context, mesh, &t);
        cut_inside_of(mesh, triangle, &t.cut);
        assert_ok(context, free_cut_apply(mesh, &t.cut, &fine, &map));
        /* A quad became the three triangles of one half and the other half. */
        size_t cut_face = mesh->triangle_faces[triangle];
        assert_int_equal(fine->face_count, mesh->face_count + 3);
        assert_int_equal(fine->triangle_count, mesh->triangle_count + 2);
        for (size_t f = 0, now = 0; f < mesh->face_count; now += f++ == cut_face ? 4 : 1) {
            size_t old_corner = mesh->face_offsets[f], corner = fine->face_offsets[now];
            assert_int_equal(fine->face_offsets[now + 1] - corner, f == cut_face ? 3 : 4);
            for (size_t k = 0; f != cut_face && k < 4; k++)
                assert_int_equal(fine->face_vertices[corner + k], mesh->face_vertices[old_corner + k]);
            for (size_t a = 0; a < mesh->attribute_count; a++) {
                const ruga_attribute *was = &mesh->attributes[a], *is = &fine->attributes[a];
                if (was->domain == RUGA_DOMAIN_FACE)
                    for (size_t i = 0; i < (f == cut_face ? 4 : 1); i++) assert_same_values(was, f, is, now + i);
                for (size_t k = 0; was->domain == RUGA_DOMAIN_CORNER && f != cut_face && k < 4; k++)
                    assert_same_values(was, old_corner + k, is, corner + k);
            }
        }
        /* Triangles are the children, in their order. */
        for (size_t i = 0; i < mesh->triangle_count; i++)
            for (size_t child = t.cut.child_offsets[i]; child < t.cut.child_offsets[i + 1]; child++)
                for (size_t k = 0; k < 3; k++)
                    assert_int_equal(fine->triangles[3 * child + k],
                                     free_cut_vertex(mesh, &t.cut, i, t.cut.children[3 * child + k]));
        ruga_map_destroy(map);
        ruga_mesh_destroy(fine);
        cut_free(&t);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Two quads with the file's vertices at their corners, used by attributes; 2 and 3 occur twice. */
static ruga_mesh *split_quads(ruga_context *context) {
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}, {0, 0, 2}, {1, 0, 2}};
    const uint32_t offsets[] = {0, 4, 8}, faces[] = {0, 2, 3, 1, 2, 4, 5, 3};
    const uint32_t splits[] = {0, 2, 3, 1, 6, 4, 5, 7}, of_split[] = {0, 1, 2, 3, 4, 5, 2, 3};
    const double f[] = {0, 1, 2, 3, 4, 5, 6, 7};
    mesh_parts parts = {.vertex_count = 6, .face_count = 2, .corner_count = 8, .split_count = 8};
    parts.positions = memory_copy(context, positions, 6, sizeof *positions);
    parts.face_offsets = memory_copy(context, offsets, 3, sizeof *offsets);
    parts.face_vertices = memory_copy(context, faces, 8, sizeof *faces);
    parts.corner_split = memory_copy(context, splits, 8, sizeof *splits);
    parts.split_vertex = memory_copy(context, of_split, 8, sizeof *of_split);
    for (int i = 0; i < 2; i++)
        assert_ok(context, mesh_parts_add(context, &parts, i ? "f" : "g", RUGA_DOMAIN_CORNER, RUGA_F64, 1, 8,
                                          memory_copy(context, f, 8, sizeof *f), parts.corner_split));
    ruga_mesh *mesh = NULL;
    assert_ok(context, mesh_from_parts(context, &parts, &mesh));
    return mesh;
}

static void whole_polygons_keep_attributes_that_share_the_splits(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = split_quads(context), *fine;
    ruga_map *map;
    test_cut t;
    cut_make(context, mesh, &t);
    cut_inside_of(mesh, 3, &t.cut);
    assert_ok(context, free_cut_apply(mesh, &t.cut, &fine, &map));
    assert_int_equal(fine->face_count, 5);
    for (size_t i = 0; i < fine->attribute_count; i++) {
        assert_ptr_equal(fine->attributes[i].indices, fine->corner_split);
        for (size_t k = 0; k < 4; k++) assert_same_values(&mesh->attributes[i], k, &fine->attributes[i], k);
    }
    ruga_map_destroy(map);
    ruga_mesh_destroy(fine);
    cut_free(&t);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static ruga_status cut_polygons_once(ruga_context *context, void *user) {
    test_cut *t = user;
    ruga_mesh *mesh = NULL, *fine;
    ruga_map *map;
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}, {0, 0, 2}, {1, 0, 2}};
    const uint32_t sizes[] = {4, 4}, faces[] = {0, 2, 3, 1, 2, 4, 5, 3};
    const double f[] = {1, 2, 3, 4, 5, 6, 7, 8};
    ruga_attribute corners = {
        .name = "f", .domain = RUGA_DOMAIN_CORNER, .type = RUGA_F64, .components = 1, .count = 8, .values = f};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 6, 0, RUGA_F64};
    def.face_count = 2;
    def.face_sizes = sizes;
    def.face_vertices = faces;
    def.attribute_count = 1;
    def.attributes = &corners;
    TRY(ruga_mesh_create(context, &def, &mesh));
    ruga_status status = free_cut_apply(mesh, &t->cut, &fine, &map);
    if (!RUGA_FAILED(status)) {
        assert_int_equal(fine->face_count, 5);
        ruga_mesh_destroy(fine);
        ruga_map_destroy(map);
    }
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail_with_polygons(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}, {0, 0, 2}, {1, 0, 2}};
    const uint32_t sizes[] = {4, 4}, faces[] = {0, 2, 3, 1, 2, 4, 5, 3};
    ruga_mesh *mesh = shape_make(context, 6, positions, 2, sizes, faces);
    test_cut t;
    cut_make(context, mesh, &t);
    cut_inside_of(mesh, 1, &t.cut);
    assert_less(20, assert_every_allocation_may_fail(cut_polygons_once, &t));
    cut_free(&t);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void tets_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_tet(context), *fine;
    ruga_map *map;
    test_cut t;
    cut_make(context, mesh, &t);
    cut_insides(mesh, &t.cut);
    assert_status(free_cut_apply(mesh, &t.cut, &fine, &map), RUGA_ERROR_INPUT);
    assert_message_has(context, "tets");
    cut_free(&t);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static ruga_status apply_once(ruga_context *context, void *user) {
    test_cut *t = user;
    ruga_mesh *mesh = NULL, *fine;
    ruga_map *map;
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    const uint32_t faces[] = {0, 2, 1, 1, 2, 3}, edges[] = {1, 2}, line[] = {0, 2, 3}, size = 3;
    const double f[] = {1, 2, 3, 4};
    const ruga_attribute attributes[] = {
        {.name = "f", .domain = RUGA_DOMAIN_VERTEX, .type = RUGA_F64, .components = 1, .count = 4, .values = f},
        {.name = "h",
         .domain = RUGA_DOMAIN_CORNER,
         .type = RUGA_F64,
         .components = 1,
         .count = 4,
         .values = f,
         .indices = faces}};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 4, 0, RUGA_F64};
    def.face_count = 2;
    def.face_vertices = faces;
    def.edge_count = 1;
    def.edges = edges;
    def.line_count = 1;
    def.line_sizes = &size;
    def.line_vertices = line;
    def.attribute_count = 2;
    def.attributes = attributes;
    TRY(ruga_mesh_create(context, &def, &mesh));
    ruga_status status = free_cut_apply(mesh, &t->cut, &fine, &map);
    if (!RUGA_FAILED(status)) {
        ruga_mesh_destroy(fine);
        ruga_map_destroy(map);
    }
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const uint32_t faces[] = {0, 2, 1, 1, 2, 3};
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    ruga_mesh *mesh = shape_make(context, 4, positions, 2, NULL, faces);
    test_cut t;
    cut_make(context, mesh, &t);
    cut_all_edges(mesh, &t.cut);
    assert_less(20, assert_every_allocation_may_fail(apply_once, &t));
    cut_free(&t);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cutting_all_edges_is_regular_subdivision),
        cmocka_unit_test(linear_functions_stay_linear),
        cmocka_unit_test(edges_are_followed_in_both_directions_and_seams_stay),
        cmocka_unit_test(faces_that_are_not_cut_stay_polygons),
        cmocka_unit_test(whole_polygons_keep_attributes_that_share_the_splits),
        cmocka_unit_test(every_allocation_may_fail_with_polygons),
        cmocka_unit_test(tets_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
