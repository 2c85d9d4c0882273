/* Subdivision carries all attributes of a mesh. */
#include "mesh/refine.h"

#include <math.h>

#include "math/vec3.h"
#include "support/shapes.h"
#include "support/subdivided.h"

/* ---- Attributes on two squares of 1 m whose UVs have a seam at x = 1. */

static const ruga_attribute *get(const ruga_mesh *mesh, const char *name, ruga_domain domain) {
    const ruga_attribute *attribute = ruga_mesh_attribute(mesh, name, domain);
    assert_non_null(attribute);
    return attribute;
}

static int is_right(const ruga_mesh *mesh, size_t face) {
    const uint32_t *v = mesh->face_vertices + 3 * face;
    return mesh->positions[v[0]].x + mesh->positions[v[1]].x + mesh->positions[v[2]].x > 3;
}

static size_t used_values(const ruga_attribute *attribute, size_t corner_count) {
    uint8_t *used = calloc(attribute->count + 1, 1);
    size_t count = 0;
    for (size_t c = 0; c < corner_count; c++)
        if (attribute->indices[c] != UINT32_MAX && !used[attribute->indices[c]]++) count++;
    free(used);
    return count;
}

/* UVs are the coordinates of the plane; each side of the seam has one value per point, so there are no new seams. */
static void assert_uvs_are_right(const ruga_mesh *mesh) {
    const ruga_attribute *uv = get(mesh, "uv", RUGA_DOMAIN_CORNER);
    size_t left = 0, right = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        left += mesh->positions[v].x <= 1;
        right += mesh->positions[v].x >= 1;
    }
    for (size_t c = 0; c < mesh->corner_count; c++) {
        vec3 p = mesh->positions[mesh->face_vertices[c]];
        double u = is_right(mesh, c / 3) ? p.x + 4 : p.x;
        assert_near_case(ruga_attribute_get(uv, c, 0), u, 1e-6, "c %zu", c);
        assert_less_case(fabs(ruga_attribute_get(uv, c, 1) + p.z), 1e-6, "c %zu", c);
    }
    assert_int_equal(uv->count, left + right);
    assert_int_equal(used_values(uv, mesh->corner_count), left + right);
}

static void assert_faces_and_vertices_are_right(const ruga_mesh *mesh) {
    const ruga_attribute *group = get(mesh, "group", RUGA_DOMAIN_FACE), *part = get(mesh, "part", RUGA_DOMAIN_VERTEX);
    const ruga_attribute *shade = get(mesh, "shade", RUGA_DOMAIN_FACE);
    const ruga_attribute *normal = get(mesh, "normal", RUGA_DOMAIN_CORNER);
    assert_int_equal(group->label_count, 2);
    for (size_t f = 0; f < mesh->face_count; f++) {
        assert_int_equal((int)ruga_attribute_get(group, f, 0), is_right(mesh, f) ? 0 : 1);
        assert_equal_case(ruga_attribute_get(shade, f, 0), 10, "f %zu", f);
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        int value = (int)ruga_attribute_get(part, v, 0);
        assert_at_most_case(7, value, "v %zu", v);
        assert_at_most_case(value, 12, "v %zu", v);
    }
    for (size_t c = 0; c < mesh->corner_count; c++) {
        double length2 = 0;
        for (uint32_t k = 0; k < 3; k++) length2 += pow(ruga_attribute_get(normal, c, k), 2);
        assert_near_case(length2, 1, 1e-6, "c %zu", c);
    }
}

static void everything_is_carried_by_regular_subdivision(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    for (int n = 1; n <= 4; n++) {
        fine f = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, n, 0);
        assert_int_equal(f.mesh->attribute_count, mesh->attribute_count);
        for (size_t i = 0; i < mesh->attribute_count; i++)
            assert_string_equal(f.mesh->attributes[i].name, mesh->attributes[i].name);
        assert_uvs_are_right(f.mesh);
        assert_faces_and_vertices_are_right(f.mesh);

        /* A vertex attribute is mapped like the positions. */
        const ruga_attribute *weight = get(f.mesh, "weight", RUGA_DOMAIN_VERTEX);
        const double coarse[6] = {0, 1, 2, 3, 4, 5};
        double expected[200];
        ruga_map_apply_scalars(f.map, coarse, 1, expected);
        for (size_t v = 0; v < f.mesh->vertex_count; v++)
            assert_near_case(ruga_attribute_get(weight, v, 0), expected[v], 1e-6, "n %d, v %zu", n, v);
        fine_release(f);
    }
    ruga_mesh_destroy(mesh);
}

static void edges_and_lines_run_through_the_new_points(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 4, 0);
    const ruga_attribute *crease = get(f.mesh, "crease", RUGA_DOMAIN_EDGE);
    assert_int_equal(f.mesh->edge_count, 4 + 1);
    for (size_t e = 0; e < 4; e++) {
        vec3 a = f.mesh->positions[f.mesh->edges[2 * e]], b = f.mesh->positions[f.mesh->edges[2 * e + 1]];
        assert_equal_case(a.x, 1, "e %zu", e);
        assert_equal_case(b.x, 1, "e %zu", e);
        assert_near_case(a.z - b.z, 0.25, 1e-15, "e %zu", e);
        assert_equal_case(ruga_attribute_get(crease, e, 0), 0.5, "e %zu", e);
        if (e > 0) assert_int_equal(f.mesh->edges[2 * e], f.mesh->edges[2 * e - 1]);
    }
    assert_int_equal(f.mesh->edges[8], 0);
    assert_int_equal(f.mesh->edges[9], 5);
    assert_equal(ruga_attribute_get(crease, 4, 0), 0.25);
    assert_int_equal(f.mesh->line_count, 2);
    assert_int_equal(f.mesh->line_offsets[1], 9);
    assert_int_equal(f.mesh->line_offsets[2], 14);
    for (size_t i = 0; i < 9; i++) {
        vec3 p = f.mesh->positions[f.mesh->line_vertices[i]];
        assert_near_case(p.x, 0.25 * (double)i, 1e-15, "i %zu", i);
        assert_equal_case(p.z, 0, "i %zu", i);
    }
    for (size_t i = 0; i < 5; i++) {
        vec3 p = f.mesh->positions[f.mesh->line_vertices[9 + i]];
        assert_near_case(p.x, 1 - 0.25 * (double)i, 1e-15, "i %zu", i);
        assert_equal_case(p.z, -1, "i %zu", i);
    }
    fine_release(f);
    ruga_mesh_destroy(mesh);
}

static void missing_values_stay_missing_and_others_are_mixed(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    const ruga_attribute *tag = get(f.mesh, "tag", RUGA_DOMAIN_CORNER),
                         *sparse = get(f.mesh, "sparse", RUGA_DOMAIN_VERTEX);
    const ruga_attribute *plain = get(f.mesh, "plain", RUGA_DOMAIN_CORNER),
                         *colour = get(f.mesh, "colour", RUGA_DOMAIN_VERTEX);
    size_t missing = 0, on_border = 0, without = 0, constant = 0, mixed = 0;
    for (size_t c = 0; c < f.mesh->corner_count; c++) {
        vec3 p = f.mesh->positions[f.mesh->face_vertices[c]];
        int right = is_right(f.mesh, c / 3);
        if (tag->indices[c] == UINT32_MAX) {
            missing++;
            assert_true(right);
            assert_less_case(1, p.x, "c %zu", c);
            assert_less_case(p.z, 0, "c %zu", c);
        } else {
            assert_near_case(ruga_attribute_get(tag, c, 0), (right ? 20 : 10 + 10 * p.x), 1e-12, "c %zu", c);
        }
        if (!right && p.z == 0) {
            on_border++;
            assert_near_case(ruga_attribute_get(plain, c, 0), p.x, 1e-12, "c %zu", c);
        }
    }
    assert_ran(on_border, 3);
    assert_less(0, missing);
    assert_at_most(used_values(tag, f.mesh->corner_count), tag->count);
    for (size_t v = 0; v < f.mesh->vertex_count; v++) {
        vec3 p = f.mesh->positions[v];
        if (p.x == 2 && p.z == 0) {
            without++;
            assert_int_equal(sparse->indices[v], UINT32_MAX);
        } else if (p.x == 0) {
            constant++;
            assert_equal_case(ruga_attribute_get(sparse, v, 0), 10, "v %zu", v);
        } else if (p.x == 0.5 && p.z == 0) {
            mixed++;
            assert_near_case(ruga_attribute_get(sparse, v, 0), 15, 1e-12, "v %zu", v);
            assert_near_case(ruga_attribute_get(colour, v, 0), 0.5, 0.003, "v %zu", v);
        }
    }
    assert_ran(without, 1);
    assert_ran(constant, 3);
    assert_ran(mixed, 1);
    fine_release(f);
    ruga_mesh_destroy(mesh);
}

/* Two triangles whose common edge is split in the file: six file vertices for four welded ones. */
static ruga_mesh *split_square(ruga_context *context) {
    const ruga_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {0, 0, -1}};
    const uint32_t faces[6] = {0, 1, 2, 0, 2, 3}, split_vertex[6] = {0, 1, 2, 0, 2, 3},
                   corner_split[6] = {0, 1, 2, 3, 4, 5};
    const float heat[6] = {0, 1, 2, 10, 12, 13};
    mesh_parts parts = {.vertex_count = 4, .face_count = 2, .corner_count = 6, .split_count = 6};
    parts.positions = memory_copy(context, points, 4, sizeof points[0]);
    parts.face_vertices = memory_copy(context, faces, 6, sizeof faces[0]);
    parts.split_vertex = memory_copy(context, split_vertex, 6, sizeof faces[0]);
    parts.corner_split = memory_copy(context, corner_split, 6, sizeof faces[0]);
    assert_ok(context, mesh_parts_add(context, &parts, "heat", RUGA_DOMAIN_CORNER, RUGA_F32, 1, 6,
                                      memory_copy(context, heat, 6, sizeof heat[0]), parts.corner_split));
    ruga_mesh *mesh;
    assert_ok(context, mesh_from_parts(context, &parts, &mesh));
    return mesh;
}

/* A tangent is a direction of unit length and a sign, which is not mixed. */
static void tangents_stay_unit_and_keep_their_signs(void **state) {
    (void)state;
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, -1}};
    const uint32_t face[] = {0, 1, 2};
    const double tangents[] = {1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1, 1};
    const ruga_attribute tangent = {.name = "tangent",
                                    .domain = RUGA_DOMAIN_VERTEX,
                                    .type = RUGA_F64,
                                    .components = 4,
                                    .count = 3,
                                    .values = (void *)(uintptr_t)tangents};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 3, 0, RUGA_F64};
    def.face_count = 1;
    def.face_vertices = face;
    def.attribute_count = 1;
    def.attributes = &tangent;
    ruga_mesh *mesh = NULL, *finer = NULL;
    ruga_subdivide_def subdivide = ruga_subdivide_def_default();
    subdivide.n = 5;
    ruga_context *context = context_plain(1);
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    assert_ok(context, ruga_mesh_subdivide(mesh, &subdivide, &finer, NULL));
    const ruga_attribute *carried = get(finer, "tangent", RUGA_DOMAIN_VERTEX);
    size_t positive = 0, negative = 0;
    for (size_t v = 0; v < finer->vertex_count; v++) {
        double x = ruga_attribute_get(carried, v, 0), y = ruga_attribute_get(carried, v, 1);
        double z = ruga_attribute_get(carried, v, 2);
        assert_near_case(x * x + y * y + z * z, 1, 1e-12, "v %zu", v);
        /* The sign is that of the corner it is nearest to. */
        vec3 p = finer->positions[v];
        double third = -p.z;
        if (third > 0.5) {
            positive++;
            assert_equal_case(ruga_attribute_get(carried, v, 3), 1, "v %zu", v);
        } else if (third < 0.25) {
            negative++;
            assert_equal_case(ruga_attribute_get(carried, v, 3), -1, "v %zu", v);
        }
    }
    assert_ran(positive, 1);
    assert_ran(negative, 2);
    ruga_mesh_destroy(finer);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void split_vertices_are_split_on(void **state) {
    ruga_mesh *mesh = split_square(*state);
    const ruga_subdivision kinds[3] = {RUGA_SUBDIVIDE_REGULAR, RUGA_SUBDIVIDE_LOOP, RUGA_SUBDIVIDE_LONG_EDGES};
    for (size_t i = 0; i < 3; i++) {
        fine f = subdivide(mesh, kinds[i], 2, 0.6);
        const ruga_attribute *heat = get(f.mesh, "heat", RUGA_DOMAIN_CORNER);
        assert_ptr_equal(heat->indices, f.mesh->corner_split);
        assert_int_equal(heat->count, f.mesh->split_count);
        assert_memory_equal(f.mesh->split_vertex, mesh->split_vertex, 6 * sizeof(uint32_t));
        for (size_t c = 0; c < f.mesh->corner_count; c++)
            assert_int_equal(f.mesh->split_vertex[f.mesh->corner_split[c]], f.mesh->face_vertices[c]);
        assert_int_equal(used_values(heat, f.mesh->corner_count), f.mesh->split_count);
        size_t on_seam = 0;
        for (size_t v = 0; v < f.mesh->vertex_count; v++) {
            const size_t begin = f.map->offsets[v], end = f.map->offsets[v + 1];
            int seam = 1;
            for (size_t k = begin; k < end; k++) seam &= f.map->indices[k] == 0 || f.map->indices[k] == 2;
            on_seam += (size_t)seam;
        }
        if (kinds[i] != RUGA_SUBDIVIDE_LOOP) assert_int_equal(f.mesh->split_count, f.mesh->vertex_count + on_seam);
        fine_release(f);
    }
    ruga_mesh_destroy(mesh);
}

static void loop_carries_uvs_linearly_across_the_seam(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 2, 0), linear = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 4, 0);
    const ruga_attribute *uv = get(f.mesh, "uv", RUGA_DOMAIN_CORNER),
                         *other = get(linear.mesh, "uv", RUGA_DOMAIN_CORNER);
    assert_int_equal(uv->count, other->count);
    assert_int_equal(used_values(uv, f.mesh->corner_count), used_values(other, linear.mesh->corner_count));
    fine_release(f);
    fine_release(linear);
    ruga_mesh_destroy(mesh);
}

static void uvs_are_right_after_splitting_long_edges(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    for (double length = 1.2; length > 0.1; length *= 0.7) {
        fine f = subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, length);
        assert_uvs_are_right(f.mesh);
        assert_faces_and_vertices_are_right(f.mesh);
        fine_release(f);
    }
    ruga_mesh_destroy(mesh);
}

enum { soup_vertices = 14, soup_faces = 25, soup_values = 9 };

/* Polygons with random vertices, some of them twice in one face, and two corner attributes: one with random indices
 * into few values (or none), and a plain one. */
static ruga_mesh *random_soup(ruga_context *context, test_random *random) {
    ruga_vec3 points[soup_vertices];
    uint32_t sizes[soup_faces], corners[7 * soup_faces], indices[7 * soup_faces];
    double values[soup_values], plain[7 * soup_faces];
    size_t count = 0;
    for (size_t v = 0; v < soup_vertices; v++) points[v] = random_vec3(random, -1, 1);
    for (size_t i = 0; i < soup_values; i++) values[i] = random_between(random, -1, 1);
    for (size_t f = 0; f < soup_faces; f++) {
        sizes[f] = 3 + (uint32_t)(random_bits(random) % 4) * (random_bits(random) % 3 == 0);
        for (uint32_t k = 0; k < sizes[f]; k++, count++) {
            corners[count] = (uint32_t)(random_bits(random) % soup_vertices);
            uint32_t value = (uint32_t)(random_bits(random) % (soup_values + 1));
            indices[count] = value == soup_values ? UINT32_MAX : value;
            plain[count] = value == soup_values ? 0 : values[value];
        }
    }
    const ruga_attribute attributes[2] = {{.name = "indexed",
                                           .domain = RUGA_DOMAIN_CORNER,
                                           .type = RUGA_F64,
                                           .components = 1,
                                           .count = soup_values,
                                           .values = values,
                                           .indices = indices},
                                          {.name = "plain",
                                           .domain = RUGA_DOMAIN_CORNER,
                                           .type = RUGA_F64,
                                           .components = 1,
                                           .count = count,
                                           .values = plain}};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){points, soup_vertices, 0, RUGA_F64};
    def.face_count = soup_faces;
    def.face_sizes = sizes;
    def.face_vertices = corners;
    def.attribute_count = 2;
    def.attributes = attributes;
    ruga_mesh *mesh;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

/* For any mesh the surface stays, and shared values equal those of plain corners. */
static void any_soup_keeps_its_surface_and_its_corners_values(void **state) {
    test_random random = {77};
    size_t compared = 0;
    for (int round = 0; round < 60; round++) {
        ruga_mesh *mesh = random_soup(*state, &random);
        double area = summary_of(mesh).area;
        fine f = round % 2 ? subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 1 + round % 6, 0)
                           : subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, random_between(&random, 0.2, 2));
        const ruga_attribute *indexed = get(f.mesh, "indexed", RUGA_DOMAIN_CORNER);
        const ruga_attribute *plain = get(f.mesh, "plain", RUGA_DOMAIN_CORNER);
        assert_near_case(summary_of(f.mesh).area, area, 1e-12 * area, "round %d", round);
        for (size_t c = 0; c < f.mesh->corner_count; c++) {
            if (indexed->indices[c] == UINT32_MAX) continue;
            compared++;
            assert_near_case(ruga_attribute_get(indexed, c, 0), ruga_attribute_get(plain, c, 0), 1e-12,
                             "round %d, c %zu", round, c);
        }
        fine_release(f);
        ruga_mesh_destroy(mesh);
    }
    assert_ran(compared, 1000);
}

typedef struct allocation_case {
    const ruga_mesh *mesh;
    ruga_subdivide_def def;
} allocation_case;

static ruga_status subdivide_and_release(ruga_context *context, void *user) {
    const allocation_case *c = user;
    ruga_mesh mesh = *c->mesh, *out = NULL;
    ruga_map *map = NULL;
    mesh.context = context;
    ruga_status status = ruga_mesh_subdivide(&mesh, &c->def, &out, &map);
    ruga_mesh_destroy(out);
    ruga_map_destroy(map);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_mesh *meshes[2] = {shape_loaded_sheet(*state), split_square(*state)};
    for (size_t i = 0; i < 2; i++)
        for (int kind = 0; kind < 3; kind++) {
            allocation_case c = {meshes[i], subdivide_def((ruga_subdivision)kind, kind == 0 ? 3 : 2, 0.8)};
            assert_less_case(50, assert_every_allocation_may_fail(subdivide_and_release, &c), "i %zu, kind %d", i,
                             kind);
        }
    ruga_mesh_destroy(meshes[0]);
    ruga_mesh_destroy(meshes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_carried_by_regular_subdivision),
        cmocka_unit_test(edges_and_lines_run_through_the_new_points),
        cmocka_unit_test(missing_values_stay_missing_and_others_are_mixed),
        cmocka_unit_test(tangents_stay_unit_and_keep_their_signs),
        cmocka_unit_test(split_vertices_are_split_on),
        cmocka_unit_test(loop_carries_uvs_linearly_across_the_seam),
        cmocka_unit_test(uvs_are_right_after_splitting_long_edges),
        cmocka_unit_test(any_soup_keeps_its_surface_and_its_corners_values),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
