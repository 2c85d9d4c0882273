/* Subdivision: counts by formula, surfaces that stay where they are or go to their limit, and everything that a mesh
 * carries comes along. */
#include "ruga/subdivide.h"

#include <math.h>

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"
#include "support/shapes.h"

typedef struct fine {
    ruga_mesh *mesh;
    ruga_map *map;
} fine;

static ruga_subdivide_def make_def(ruga_subdivision kind, int n, double length) {
    ruga_subdivide_def def = ruga_subdivide_def_default();
    def.kind = kind;
    def.n = n;
    def.length = length;
    return def;
}

/* Rows sum to 1, and the fine positions are what the map gives, to the last bit. */
static void assert_map_is_true(const ruga_mesh *coarse, fine f) {
    assert_int_equal(f.map->rows, f.mesh->vertex_count);
    assert_int_equal(f.map->columns, coarse->vertex_count);
    for (size_t r = 0; r < f.map->rows; r++) {
        double sum = 0;
        for (size_t i = f.map->offsets[r]; i < f.map->offsets[r + 1]; i++) sum += f.map->weights[i];
        assert_true(fabs(sum - 1) < 1e-14);
    }
    ruga_vec3 *mapped = malloc((f.map->rows + 1) * sizeof *mapped);
    ruga_map_apply(f.map, coarse->positions, mapped);
    assert_memory_equal(mapped, f.mesh->positions, f.map->rows * sizeof *mapped);
    free(mapped);
}

static fine subdivide(const ruga_mesh *mesh, ruga_subdivision kind, int n, double length) {
    ruga_subdivide_def def = make_def(kind, n, length);
    fine f = {0};
    assert_ok(mesh->context, ruga_mesh_subdivide(mesh, &def, &f.mesh, &f.map));
    assert_map_is_true(mesh, f);
    assert_null(f.mesh->face_offsets);
    return f;
}

static void release(fine f) {
    ruga_mesh_destroy(f.mesh);
    ruga_map_destroy(f.map);
}

static ruga_mesh_summary summarise(const ruga_mesh *mesh) {
    ruga_mesh_summary s;
    assert_ok(mesh->context, ruga_mesh_summarise(mesh, &s));
    return s;
}

static void assert_same_surface(const ruga_mesh *coarse, const ruga_mesh *finer) {
    ruga_mesh_summary a = summarise(coarse), b = summarise(finer);
    assert_true(fabs(a.area - b.area) <= 1e-12 * a.area);
    assert_true(fabs(a.volume - b.volume) <= 1e-12 * a.area);
    assert_int_equal(a.euler, b.euler);
    assert_int_equal(a.boundary_loops, b.boundary_loops);
    assert_int_equal(a.components, b.components);
    assert_int_equal(a.closed, b.closed);
    assert_int_equal(a.manifold, b.manifold);
    assert_int_equal(a.oriented, b.oriented);
    assert_int_equal(a.genus, b.genus);
}

static size_t shape_count(void) { return 6; }

static ruga_mesh *shape(ruga_context *context, size_t i) {
    switch (i) {
        case 0: return shape_sheet(context, 3, 2);
        case 1: return shape_cylinder(context, 5, 2);
        case 2: return shape_torus(context, 5, 4);
        case 3: return shape_icosahedron(context);
        case 4: return shape_disc(context, 7);
        default: return shape_loaded_sheet(context);
    }
}

/* ---- Regular. */

static void regular_counts_are_by_formula_and_the_surface_stays(void **state) {
    for (size_t i = 0; i < shape_count(); i++)
        for (int n = 1; n <= 7; n++) {
            ruga_mesh *mesh = shape(*state, i);
            size_t vertices = mesh->vertex_count, edges = summarise(mesh).edges, triangles = mesh->triangle_count;
            fine f = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, n, 0);
            size_t parts = (size_t)n;
            assert_int_equal(f.mesh->triangle_count, parts * parts * triangles);
            assert_int_equal(f.mesh->vertex_count, vertices + edges * (parts - 1) +
                                                       triangles * (parts - 1) * (parts - (parts > 1 ? 2 : 1)) / 2);
            assert_memory_equal(f.mesh->positions, mesh->positions, vertices * sizeof(ruga_vec3));
            assert_same_surface(mesh, f.mesh);
            release(f);
            ruga_mesh_destroy(mesh);
        }
}

static void regular_triangles_are_all_similar(void **state) {
    const ruga_vec3 points[3] = {{0, 0, 0}, {3, 0, 0}, {1, 2, 1}};
    const uint32_t face[3] = {0, 1, 2};
    ruga_mesh *mesh = shape_make(*state, 3, points, 1, NULL, face);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 5, 0);
    for (size_t t = 0; t < 25; t++)
        assert_true(fabs(mesh_triangle_area(f.mesh, t) * 25 - mesh_triangle_area(mesh, 0)) < 1e-13);
    ruga_validation *validation;
    assert_ok(*state, ruga_mesh_validate(f.mesh, &validation));
    assert_int_equal(validation->defect_count, 0);
    ruga_validation_destroy(f.mesh, validation);
    release(f);
    ruga_mesh_destroy(mesh);
}

static void regular_in_two_steps_is_regular_at_once(void **state) {
    ruga_mesh *mesh = shape_icosahedron(*state);
    fine two = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0), six = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 6, 0);
    fine three = subdivide(two.mesh, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    assert_int_equal(three.mesh->vertex_count, six.mesh->vertex_count);
    ruga_mesh_summary a = summarise(three.mesh), b = summarise(six.mesh);
    assert_true(a.edges == b.edges && fabs(a.longest_edge - b.longest_edge) < 1e-14);
    release(two);
    release(three);
    release(six);
    ruga_mesh_destroy(mesh);
}

/* ---- What is carried along, on two squares of 1 m whose UVs have a seam at x = 1. */

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

/* UVs are the plane's own coordinates on either side; each side has one value a point, so the seam is the old one only. */
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
        assert_true(fabs(ruga_attribute_get(uv, c, 0) - u) < 1e-6);
        assert_true(fabs(ruga_attribute_get(uv, c, 1) + p.z) < 1e-6);
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
        assert_true(ruga_attribute_get(shade, f, 0) == 10);
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        int value = (int)ruga_attribute_get(part, v, 0);
        assert_true(value >= 7 && value <= 12);
    }
    for (size_t c = 0; c < mesh->corner_count; c++) {
        double length2 = 0;
        for (uint32_t k = 0; k < 3; k++) length2 += pow(ruga_attribute_get(normal, c, k), 2);
        assert_true(fabs(length2 - 1) < 1e-6);
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
            assert_true(fabs(ruga_attribute_get(weight, v, 0) - expected[v]) < 1e-6);
        release(f);
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
        assert_true(a.x == 1 && b.x == 1 && fabs(a.z - b.z - 0.25) < 1e-15);
        assert_true(ruga_attribute_get(crease, e, 0) == 0.5);
        if (e > 0) assert_int_equal(f.mesh->edges[2 * e], f.mesh->edges[2 * e - 1]);
    }
    assert_int_equal(f.mesh->edges[8], 0);
    assert_int_equal(f.mesh->edges[9], 5);
    assert_true(ruga_attribute_get(crease, 4, 0) == 0.25);
    assert_int_equal(f.mesh->line_count, 2);
    assert_int_equal(f.mesh->line_offsets[1], 9);
    assert_int_equal(f.mesh->line_offsets[2], 11);
    for (size_t i = 0; i < 9; i++) {
        vec3 p = f.mesh->positions[f.mesh->line_vertices[i]];
        assert_true(fabs(p.x - 0.25 * (double)i) < 1e-15 && p.z == 0);
    }
    release(f);
    ruga_mesh_destroy(mesh);
}

static void missing_values_stay_missing_and_others_are_mixed(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    const ruga_attribute *tag = get(f.mesh, "tag", RUGA_DOMAIN_CORNER),
                         *sparse = get(f.mesh, "sparse", RUGA_DOMAIN_VERTEX);
    const ruga_attribute *plain = get(f.mesh, "plain", RUGA_DOMAIN_CORNER),
                         *colour = get(f.mesh, "colour", RUGA_DOMAIN_VERTEX);
    size_t missing = 0;
    for (size_t c = 0; c < f.mesh->corner_count; c++) {
        vec3 p = f.mesh->positions[f.mesh->face_vertices[c]];
        int right = is_right(f.mesh, c / 3);
        if (tag->indices[c] == UINT32_MAX) {
            missing++;
            assert_true(right && p.x > 1 && p.z < 0);
        } else {
            assert_true(fabs(ruga_attribute_get(tag, c, 0) - (right ? 20 : 10 + 10 * p.x)) < 1e-12);
        }
        if (!right && p.z == 0) assert_true(fabs(ruga_attribute_get(plain, c, 0) - p.x) < 1e-12);
    }
    assert_true(missing > 0);
    assert_true(used_values(tag, f.mesh->corner_count) <= tag->count);
    for (size_t v = 0; v < f.mesh->vertex_count; v++) {
        vec3 p = f.mesh->positions[v];
        if (p.x == 2 && p.z == 0) assert_int_equal(sparse->indices[v], UINT32_MAX);
        if (p.x == 0) assert_true(ruga_attribute_get(sparse, v, 0) == 10);
        if (p.x == 0.5 && p.z == 0) assert_true(fabs(ruga_attribute_get(sparse, v, 0) - 15) < 1e-12);
        if (p.x == 0.5 && p.z == 0) assert_true(fabs(ruga_attribute_get(colour, v, 0) - 0.5) < 0.003);
    }
    release(f);
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
        release(f);
    }
    ruga_mesh_destroy(mesh);
}

/* ---- Loop. */

static void loop_keeps_the_topology(void **state) {
    for (size_t i = 0; i < shape_count(); i++) {
        ruga_mesh *mesh = shape(*state, i);
        ruga_mesh_summary before = summarise(mesh);
        for (int rounds = 0; rounds <= 3; rounds++) {
            fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, rounds, 0);
            ruga_mesh_summary after = summarise(f.mesh);
            assert_int_equal(f.mesh->triangle_count, mesh->triangle_count << (2 * rounds));
            assert_true(after.euler == before.euler && after.boundary_loops == before.boundary_loops);
            assert_true(after.manifold && after.oriented && after.closed == before.closed);
            for (size_t k = 0; k < f.map->offsets[f.map->rows]; k++) assert_true(f.map->weights[k] > 0);
            if (rounds == 0)
                assert_memory_equal(f.mesh->positions, mesh->positions, mesh->vertex_count * sizeof(ruga_vec3));
            release(f);
        }
        ruga_mesh_destroy(mesh);
    }
}

/* Inside a regular grid an affine function of the place is reproduced: new points lie in the middles of edges, and old
 * ones stay. The grid is sheared, so that this is no symmetry. */
static void loop_reproduces_affine_functions_on_a_regular_plane(void **state) {
    ruga_mesh *flat = shape_sheet(*state, 6, 6);
    ruga_vec3 sheared[49];
    for (size_t v = 0; v < 49; v++) {
        vec3 p = flat->positions[v];
        sheared[v] = (vec3){p.x + 0.3 * p.z, 2 * p.x - p.z + 1, 0.7 * p.z};
    }
    ruga_mesh *mesh = shape_make(*state, 49, sheared, flat->face_count, NULL, flat->face_vertices);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 1, 0), linear = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    size_t inside = 0;
    for (size_t v = 0; v < f.mesh->vertex_count; v++) {
        vec3 p = linear.mesh->positions[v];
        double z = p.z / 0.7, x = p.x - 0.3 * z;
        if (x < 1e-9 || x > 1 - 1e-9 || z < -1 + 1e-9 || z > -1e-9) continue;
        assert_true(vec3_distance(p, f.mesh->positions[v]) < 1e-14);
        inside++;
    }
    assert_int_equal(inside, 11 * 11);
    release(f);
    release(linear);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(flat);
}

/* A vertex of valence k tends to the point that Loop's limit mask gives: the ring with 1 / (k + 3 / (8 beta)) each. */
static void loop_tends_to_its_limit_surface(void **state) {
    ruga_mesh *mesh = shape_icosahedron(*state);
    double c = 3.0 / 8 + cos(2 * acos(-1) / 5) / 4, beta = (5.0 / 8 - c * c) / 5, share = 1 / (5 + 3 / (8 * beta));
    topology *topo;
    assert_ok(*state, topology_build(*state, 12, 20, mesh->triangles, &topo));
    double previous = 1;
    for (int rounds = 1; rounds <= 5; rounds++) {
        fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, rounds, 0);
        double worst = 0;
        for (size_t v = 0; v < 12; v++) {
            vec3 limit = vec3_scale(mesh->positions[v], 1 - 5 * share);
            for (size_t i = topo->ring_offsets[v]; i < topo->ring_offsets[v + 1]; i++)
                limit = vec3_add_scaled(limit, mesh->positions[topo->ring_vertices[i]], share);
            worst = fmax(worst, vec3_distance(limit, f.mesh->positions[v]));
        }
        assert_true(worst < 0.45 * previous);
        previous = worst;
        release(f);
    }
    assert_true(previous < 2e-3);
    topology_destroy(topo);
    ruga_mesh_destroy(mesh);
}

/* The angle between neighbouring triangles over their distance is a curvature: it settles, while the angle goes to 0. */
static double worst_bend(const ruga_mesh *mesh) {
    topology *topo;
    assert_ok(mesh->context,
              topology_build(mesh->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &topo));
    double worst = 0;
    for (size_t i = 0; i < topo->pair_count; i++) {
        const uint32_t *q = topo->pairs + 4 * i;
        vec3 a = mesh->positions[q[0]], e = vec3_sub(mesh->positions[q[1]], a);
        vec3 first = vec3_cross(e, vec3_sub(mesh->positions[q[2]], a));
        vec3 second = vec3_cross(vec3_sub(mesh->positions[q[3]], a), e);
        worst = fmax(worst, atan2(vec3_length(vec3_cross(first, second)), vec3_dot(first, second)));
    }
    topology_destroy(topo);
    return worst;
}

static void loop_smooths_until_curvature_settles(void **state) {
    ruga_mesh *mesh = shape_icosahedron(*state);
    double bend = worst_bend(mesh);
    for (int rounds = 1; rounds <= 5; rounds++) {
        fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, rounds, 0);
        double now = worst_bend(f.mesh);
        assert_true(now < 0.62 * bend && now > 0.35 * bend);
        bend = now;
        release(f);
    }
    ruga_mesh_destroy(mesh);
}

static void loop_boundaries_are_curves_of_their_own(void **state) {
    ruga_mesh *mesh = shape_cylinder(*state, 6, 3);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 2, 0);
    topology *topo;
    assert_ok(*state, topology_build(*state, f.mesh->vertex_count, f.mesh->triangle_count, f.mesh->triangles, &topo));
    for (size_t i = 0; i < topo->loop_offsets[topo->loop_count]; i++) {
        uint32_t v = topo->loop_vertices[i];
        double y = f.mesh->positions[v].y;
        assert_true(y == 0 || y == 1);
        for (size_t k = f.map->offsets[v]; k < f.map->offsets[v + 1]; k++)
            assert_true(mesh->positions[f.map->indices[k]].y == y);
    }
    topology_destroy(topo);
    release(f);
    ruga_mesh_destroy(mesh);
}

static void loop_refuses_what_it_has_no_rules_for(void **state) {
    const ruga_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
    const uint32_t three[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4}, twice[6] = {0, 1, 2, 1, 3, 1};
    ruga_subdivide_def def = make_def(RUGA_SUBDIVIDE_LOOP, 1, 0);
    ruga_mesh *out = NULL, *mesh = shape_make(*state, 5, points, 3, NULL, three);
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "edge (0, 1) has 3 triangles");
    ruga_mesh_destroy(mesh);
    mesh = shape_make(*state, 5, points, 2, NULL, twice);
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "face 1 names a vertex twice");
    assert_null(out);
    ruga_mesh_destroy(mesh);
}

/* Where two fans touch, and at a vertex without triangles, the vertex is left alone. */
static void loop_leaves_bow_ties_and_loose_vertices_alone(void **state) {
    const ruga_vec3 points[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {7, 7, 7}};
    const uint32_t tie[6] = {0, 1, 2, 0, 3, 4};
    ruga_mesh *mesh = shape_make(*state, 6, points, 2, NULL, tie);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 2, 0);
    assert_memory_equal(&f.mesh->positions[0], &points[0], sizeof points[0]);
    assert_memory_equal(&f.mesh->positions[5], &points[5], sizeof points[0]);
    release(f);
    ruga_mesh_destroy(mesh);
}

static void loop_carries_uvs_linearly_across_the_seam(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 2, 0), linear = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 4, 0);
    const ruga_attribute *uv = get(f.mesh, "uv", RUGA_DOMAIN_CORNER),
                         *other = get(linear.mesh, "uv", RUGA_DOMAIN_CORNER);
    assert_int_equal(uv->count, other->count);
    assert_int_equal(used_values(uv, f.mesh->corner_count), used_values(other, linear.mesh->corner_count));
    release(f);
    release(linear);
    ruga_mesh_destroy(mesh);
}

/* ---- Long edges. */

static double smallest_angle(const ruga_mesh *mesh) {
    double smallest = 4;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        size_t t = i / 3 * 3;
        vec3 a = mesh->positions[mesh->triangles[i]], b = mesh->positions[mesh->triangles[t + (i + 1) % 3]];
        vec3 c = mesh->positions[mesh->triangles[t + (i + 2) % 3]], u = vec3_sub(b, a), w = vec3_sub(c, a);
        smallest = fmin(smallest, atan2(vec3_length(vec3_cross(u, w)), vec3_dot(u, w)));
    }
    return smallest;
}

static void no_edge_is_longer_and_the_surface_stays(void **state) {
    for (size_t i = 0; i < shape_count(); i++) {
        ruga_mesh *mesh = shape(*state, i);
        ruga_mesh_summary before = summarise(mesh);
        for (double part = 1.1; part > 0.08; part *= 0.6) {
            double length = part * before.longest_edge;
            fine f = subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, length);
            ruga_mesh_summary after = summarise(f.mesh);
            assert_true(after.longest_edge <= length * (1 + 1e-14));
            assert_true(after.shortest_edge >= fmin(0.2 * length, before.shortest_edge));
            assert_same_surface(mesh, f.mesh);
            assert_memory_equal(f.mesh->positions, mesh->positions, mesh->vertex_count * sizeof(ruga_vec3));
            assert_true(smallest_angle(f.mesh) >= 0.5 * smallest_angle(mesh) - 1e-12);
            if (part > 1) assert_int_equal(f.mesh->triangle_count, mesh->triangle_count);
            release(f);
        }
        ruga_mesh_destroy(mesh);
    }
}

static void only_long_edges_are_split(void **state) {
    const ruga_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {9, 0.5, 0}};
    const uint32_t faces[9] = {0, 1, 2, 1, 3, 2, 1, 4, 3};
    ruga_mesh *mesh = shape_make(*state, 5, points, 3, NULL, faces);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, 1.5);
    for (size_t t = 0; t < 2; t++) assert_memory_equal(f.mesh->triangles + 3 * t, faces + 3 * t, 3 * sizeof(uint32_t));
    assert_true(f.mesh->triangle_count > 10);
    assert_same_surface(mesh, f.mesh);
    release(f);
    ruga_mesh_destroy(mesh);
}

static void needles_and_non_manifold_fans_are_split_without_gaps(void **state) {
    const ruga_vec3 points[6] = {{0, 0, 0}, {10, 0, 0}, {0, 1e-3, 0}, {5, 0, 0.01}, {3, -1, 0}, {20, 0, 0}};
    const uint32_t faces[15] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 1, 5, 0, 2, 2, 4};
    ruga_mesh *mesh = shape_make(*state, 6, points, 5, NULL, faces);
    ruga_mesh_summary before = summarise(mesh);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, 0.5);
    ruga_mesh_summary after = summarise(f.mesh);
    assert_true(after.longest_edge <= 0.5 * (1 + 1e-14));
    assert_true(fabs(after.area - before.area) < 1e-12);
    assert_int_equal(after.euler, before.euler);
    release(f);
    ruga_mesh_destroy(mesh);
}

static void uvs_are_right_after_splitting_long_edges(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    for (double length = 1.2; length > 0.1; length *= 0.7) {
        fine f = subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, length);
        assert_uvs_are_right(f.mesh);
        assert_faces_and_vertices_are_right(f.mesh);
        release(f);
    }
    ruga_mesh_destroy(mesh);
}

static void lengths_that_can_not_be_reached_are_refused(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 1, 1), *out = NULL;
    ruga_subdivide_def def = make_def(RUGA_SUBDIVIDE_LONG_EDGES, 0, 1e-6);
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "triangles");
    ruga_mesh_destroy(mesh);

    /* Neighbouring numbers have no middle. */
    double next = nextafter(1, 2);
    const ruga_vec3 close[3] = {{1, 1, 1}, {next, 1, 1}, {1, next, 1}};
    const uint32_t face[3] = {0, 1, 2};
    mesh = shape_make(*state, 3, close, 1, NULL, face);
    def.length = 1e-17;
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "too short");
    ruga_mesh_destroy(mesh);

    const ruga_vec3 broken[3] = {{1, 1, 1}, {2, NAN, 1}, {1, 2, 1}};
    mesh = shape_make(*state, 3, broken, 1, NULL, face);
    def.length = 0.1;
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "vertex 1 is not finite");
    assert_null(out);
    ruga_mesh_destroy(mesh);
}

/* ---- All kinds. */

static void wrong_arguments_are_refused(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 1, 1), *tet = shape_tet(*state), *out = NULL;
    const ruga_subdivide_def wrong[] = {
        make_def(RUGA_SUBDIVIDE_REGULAR, 0, 0),    make_def(RUGA_SUBDIVIDE_REGULAR, 257, 0),
        make_def(RUGA_SUBDIVIDE_LOOP, -1, 0),      make_def(RUGA_SUBDIVIDE_LOOP, 9, 0),
        make_def(RUGA_SUBDIVIDE_LONG_EDGES, 0, 0), make_def(RUGA_SUBDIVIDE_LONG_EDGES, 0, NAN),
        make_def((ruga_subdivision)7, 1, 1),       {0}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_status(ruga_mesh_subdivide(mesh, &wrong[i], &out, NULL), RUGA_ERROR_ARGUMENT);
    ruga_subdivide_def def = ruga_subdivide_def_default();
    assert_status(ruga_mesh_subdivide(tet, &def, &out, NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "tets");
    assert_status(ruga_mesh_subdivide(NULL, &def, &out, NULL), RUGA_ERROR_ARGUMENT);
    assert_null(out);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(tet);
}

static void a_result_that_is_too_large_is_refused(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 120, 120), *out = NULL;
    ruga_subdivide_def def = make_def(RUGA_SUBDIVIDE_REGULAR, 256, 0);
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "limit");
    assert_null(out);
    ruga_mesh_destroy(mesh);
}

static void nothing_stays_nothing(void **state) {
    ruga_mesh *mesh = shape_make(*state, 0, NULL, 0, NULL, NULL);
    for (int kind = 0; kind < 3; kind++) {
        fine f = subdivide(mesh, (ruga_subdivision)kind, 2, 0.1);
        assert_int_equal(f.mesh->vertex_count + f.mesh->triangle_count, 0);
        release(f);
    }
    ruga_mesh_destroy(mesh);
}

static void the_same_mesh_gives_the_same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        fine results[2];
        ruga_context *contexts[2];
        for (int i = 0; i < 2; i++) {
            contexts[i] = context_plain(i ? 3 : 1);
            ruga_mesh *mesh = shape_torus(contexts[i], 20, 12);
            results[i] = subdivide(mesh, (ruga_subdivision)kind, 2, 0.2);
            ruga_mesh_destroy(mesh);
        }
        const ruga_mesh *a = results[0].mesh, *b = results[1].mesh;
        assert_int_equal(a->vertex_count, b->vertex_count);
        assert_int_equal(a->triangle_count, b->triangle_count);
        assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof(ruga_vec3));
        assert_memory_equal(a->triangles, b->triangles, 3 * a->triangle_count * sizeof(uint32_t));
        for (int i = 0; i < 2; i++) {
            release(results[i]);
            ruga_context_destroy(contexts[i]);
        }
    }
}

enum { soup_vertices = 14, soup_faces = 25, soup_values = 9 };

/* Polygons that share vertices at random, some of them twice in one face. A corner attribute is there twice: with random
 * indices into few values (or none), and plain. */
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

/* Whatever the mesh is like, the surface stays and shared values are the ones that plain corners have. */
static void any_soup_keeps_its_surface_and_its_corners_values(void **state) {
    test_random random = {77};
    for (int round = 0; round < 60; round++) {
        ruga_mesh *mesh = random_soup(*state, &random);
        double area = summarise(mesh).area;
        fine f = round % 2 ? subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 1 + round % 6, 0)
                           : subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, random_between(&random, 0.2, 2));
        const ruga_attribute *indexed = get(f.mesh, "indexed", RUGA_DOMAIN_CORNER);
        const ruga_attribute *plain = get(f.mesh, "plain", RUGA_DOMAIN_CORNER);
        assert_true(fabs(summarise(f.mesh).area - area) <= 1e-12 * area);
        for (size_t c = 0; c < f.mesh->corner_count; c++)
            if (indexed->indices[c] != UINT32_MAX)
                assert_true(fabs(ruga_attribute_get(indexed, c, 0) - ruga_attribute_get(plain, c, 0)) < 1e-12);
        release(f);
        ruga_mesh_destroy(mesh);
    }
}

static void the_mesh_is_the_same_without_its_map(void **state) {
    ruga_mesh *mesh = shape_icosahedron(*state), *out;
    ruga_subdivide_def def = make_def(RUGA_SUBDIVIDE_LOOP, 2, 0);
    assert_ok(*state, ruga_mesh_subdivide(mesh, &def, &out, NULL));
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 2, 0);
    assert_memory_equal(out->positions, f.mesh->positions, out->vertex_count * sizeof(ruga_vec3));
    release(f);
    ruga_mesh_destroy(out);
    ruga_mesh_destroy(mesh);
}

static int stop(void *user, const char *stage, double fraction) {
    (void)stage;
    assert_true(fraction >= 0 && fraction <= 1);
    ++*(int *)user;
    return 1;
}

static void a_cancelled_call_leaves_nothing(void **state) {
    (void)state;
    for (int kind = 1; kind < 3; kind++) {
        int calls = 0;
        ruga_context_def context_def = ruga_context_def_default();
        context_def.progress = stop;
        context_def.progress_user = &calls;
        ruga_context *context;
        assert_status(ruga_context_create(&context_def, &context), RUGA_OK);
        ruga_mesh *mesh = shape_icosahedron(context), *out = NULL;
        ruga_map *map = NULL;
        ruga_subdivide_def def = make_def((ruga_subdivision)kind, 3, 0.1);
        assert_status(ruga_mesh_subdivide(mesh, &def, &out, &map), RUGA_ERROR_CANCELLED);
        assert_int_equal(calls, 1);
        assert_null(out);
        assert_null(map);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
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
            allocation_case c = {meshes[i], make_def((ruga_subdivision)kind, kind == 0 ? 3 : 2, 0.8)};
            assert_true(assert_every_allocation_may_fail(subdivide_and_release, &c) > 50);
        }
    ruga_mesh_destroy(meshes[0]);
    ruga_mesh_destroy(meshes[1]);
}

static int set_up(void **state) {
    *state = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    ruga_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_counts_are_by_formula_and_the_surface_stays),
        cmocka_unit_test(regular_triangles_are_all_similar),
        cmocka_unit_test(regular_in_two_steps_is_regular_at_once),
        cmocka_unit_test(everything_is_carried_by_regular_subdivision),
        cmocka_unit_test(edges_and_lines_run_through_the_new_points),
        cmocka_unit_test(missing_values_stay_missing_and_others_are_mixed),
        cmocka_unit_test(split_vertices_are_split_on),
        cmocka_unit_test(loop_keeps_the_topology),
        cmocka_unit_test(loop_reproduces_affine_functions_on_a_regular_plane),
        cmocka_unit_test(loop_tends_to_its_limit_surface),
        cmocka_unit_test(loop_smooths_until_curvature_settles),
        cmocka_unit_test(loop_boundaries_are_curves_of_their_own),
        cmocka_unit_test(loop_refuses_what_it_has_no_rules_for),
        cmocka_unit_test(loop_leaves_bow_ties_and_loose_vertices_alone),
        cmocka_unit_test(loop_carries_uvs_linearly_across_the_seam),
        cmocka_unit_test(no_edge_is_longer_and_the_surface_stays),
        cmocka_unit_test(only_long_edges_are_split),
        cmocka_unit_test(needles_and_non_manifold_fans_are_split_without_gaps),
        cmocka_unit_test(uvs_are_right_after_splitting_long_edges),
        cmocka_unit_test(lengths_that_can_not_be_reached_are_refused),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_result_that_is_too_large_is_refused),
        cmocka_unit_test(nothing_stays_nothing),
        cmocka_unit_test(the_same_mesh_gives_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(any_soup_keeps_its_surface_and_its_corners_values),
        cmocka_unit_test(the_mesh_is_the_same_without_its_map),
        cmocka_unit_test(a_cancelled_call_leaves_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
