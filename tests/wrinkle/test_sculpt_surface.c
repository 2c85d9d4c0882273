/* Laws of what a sculpt's surface is made of: refinement, smoothing, regions and their blend. */
#include "linalg/map.h"
#include "wrinkle/sculpt_support.h"

/* ---- Refinement. */

static sculpt_refining refining_of(ruga_context *context, ruga_mesh *mesh) {
    sculpt_refining r = {.context = context, .mesh = mesh};
    map_builder builder;
    assert_ok(context, map_builder_make(context, mesh->vertex_count, mesh->vertex_count, &builder));
    map_builder_copy_rows(&builder, mesh->vertex_count);
    assert_ok(context, map_builder_finish_rising(&builder, mesh->vertex_count, &r.map));
    assert_ok(context, topology_build(context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &r.topo));
    assert_ok(context, NEW_ZEROED(context, &r.levels, mesh->triangle_count));
    assert_ok(context, NEW_ZEROED(context, &r.parents, mesh->triangle_count));
    return r;
}

/* rad, the least angle of all triangles. */
static double least_angle(const ruga_mesh *mesh) {
    double least = INFINITY;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        const uint32_t *t = mesh->triangles + i / 3 * 3;
        vec3 at = mesh->positions[t[i % 3]], a = vec3_sub(mesh->positions[t[(i + 1) % 3]], at),
             b = vec3_sub(mesh->positions[t[(i + 2) % 3]], at);
        least = fmin(least, atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b)));
    }
    return least;
}

/* One triangle six times, all others not at all: right angles of 45° are halved at worst, wherever the levels end. */
static void refinement_keeps_angles(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int level = 1; level <= 6; level++) {
        sculpt_refining r = refining_of(context, shape_sheet(context, 10, 10));
        r.levels[101] = (uint8_t)level;
        assert_ok(context, sculpt_refine(&r, NULL, 0));
        assert_less(0.999 * atan2(1, 3), least_angle(r.mesh));
        assert_at_most(199u + (1u << 2 * level), r.mesh->triangle_count);
        ruga_mesh_summary summary;
        assert_ok(context, ruga_mesh_summarise(r.mesh, &summary));
        assert_int_equal(summary.boundary_loops, 1);
        assert_true(summary.manifold);
        sculpt_refining_release(&r);
    }
    ruga_context_destroy(context);
}

/* A triangle two of whose edges are cut by its neighbours: what is left beside the corner between them is cut along its
 * shorter diagonal. */
static void quadrilaterals_are_cut_along_their_shorter_diagonal(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int leans_left = 0; leans_left < 2; leans_left++) {
        vec3 a = {0, 0, 0}, b = {1, 0, 0}, c = {leans_left ? -0.5 : 0.2, 0.5, 0};
        const ruga_vec3 positions[] = {a, b, c, {0.5, -0.5, 0}, {1, 0.8, 0}};
        const uint32_t faces[] = {0, 1, 2, 1, 0, 3, 2, 1, 4};
        sculpt_refining r = refining_of(context, shape_make(context, 5, positions, 3, NULL, faces));
        r.levels[1] = r.levels[2] = 1;
        assert_ok(context, sculpt_refine(&r, NULL, 0));
        assert_int_equal(r.mesh->triangle_count, 11);
        vec3 below = vec3_mix(a, b, 0.5), beside = vec3_mix(b, c, 0.5);
        uint32_t at_below = 0, at_beside = 0;
        for (uint32_t v = 0; v < r.mesh->vertex_count; v++) {
            if (vec3_distance(r.mesh->positions[v], below) < 1e-12) at_below = v;
            if (vec3_distance(r.mesh->positions[v], beside) < 1e-12) at_beside = v;
        }
        assert_int_equal(topology_find_edge(r.topo, 0, at_beside) != NO_INDEX, leans_left);
        assert_int_equal(topology_find_edge(r.topo, 2, at_below) != NO_INDEX, !leans_left);
        sculpt_refining_release(&r);
    }
    ruga_context_destroy(context);
}

/* A ring of edges around a cylinder. */
static void closed_paths_stay_closed(void **state) {
    (void)state;
    enum { AROUND = 12, LEVELS = 2 };
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_cylinder(context, AROUND, 4);
    uint32_t ring[AROUND];
    size_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count && count < AROUND; v++)
        if (mesh->positions[v].y == mesh->positions[0].y) ring[count++] = v;
    assert_int_equal(count, AROUND);
    sculpt_refining r = refining_of(context, mesh);
    sculpt_path path, *paths[] = {&path};
    assert_ok(context, sculpt_path_make(context, ring, count, 1, &path));
    for (size_t i = 0; i < count; i++) path.arcs[i] = (double)i;
    path.length = AROUND;
    memset(r.levels, LEVELS, mesh->triangle_count);
    assert_ok(context, sculpt_refine(&r, paths, 1));
    assert_int_equal(path.count, AROUND << LEVELS);
    for (size_t i = 0; i < path.count; i++) {
        uint32_t a = path.vertices[i], b = path.vertices[(i + 1) % path.count];
        assert_true(topology_find_edge(r.topo, a, b) != NO_INDEX);
        assert_near(path.arcs[i], (double)i / (1 << LEVELS), 1e-12);
    }
    sculpt_path_release(context, &path);
    sculpt_refining_release(&r);
    ruga_context_destroy(context);
}

/* ---- Regions. */

/* A vertex beyond an end is nearest to it, and does not move; which place is nearest is known to about an edge, here
 * 3.3 cm. */
static void regions_end_with_their_strokes(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 30, 1));
    ruga_stroke_def def = test_stroke(test_line(&t, -0.2, 0, 0.2, 0), 0.15);
    def.refine = 0;
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    double *shares = malloc(result->vertex_count * sizeof *shares);
    ruga_sculpt_regions(t.sculpt, shares);
    size_t within = 0, beyond = 0;
    for (size_t v = 0; v < result->vertex_count; v++) {
        beyond += fabs(result->positions[v].x) > 0.24;
        if (fabs(result->positions[v].x) > 0.24) assert_true(shares[v] == 0);
        within += shares[v] > 0;
    }
    assert_ran(beyond, 100);
    assert_less(0, within);
    assert_int_equal(within, ruga_sculpt_stroke_info(t.sculpt, 0).region_vertices);
    free(shares);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* f w_i / Σ w with w = (f / D)² and f = min(1, Σ f_i), rounded, against distances in the plane: strokes
 * merge instead of diluting each other. */
static void overlapping_regions_are_blended_by_squares(void **state) {
    (void)state;
    static const double lines[2][4] = {{-0.35, -0.06, 0.35, -0.06}, {-0.35, 0.06, 0.35, 0.06}};
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 40, 1));
    for (int i = 0; i < 2; i++) {
        const double *l = lines[i];
        ruga_stroke_def def = test_stroke(test_line(&t, l[0], l[1], l[2], l[3]), 0.2);
        def.refine = 0;
        test_add(&t, &def);
    }
    test_update(&t);
    const sculpt_field *f = &t.sculpt->field;
    size_t shared = 0;
    double least = 1;
    for (size_t i = 0; i < f->vertex_count; i++) {
        vec3 at = t.sculpt->surface.rest[f->vertices[i]];
        const sculpt_influence *two = f->influences + f->offsets[i];
        if (f->offsets[i + 1] - f->offsets[i] != 2 || fabs(at.x) > 0.25) continue;
        double felt[2], w[2];
        for (int k = 0; k < 2; k++) {
            const double *l = lines[two[k].stroke];
            double distance = line_distance(at, l[0], l[1], l[2], l[3], NULL);
            felt[k] = sculpt_attenuate(RUGA_ATTENUATION_BELL, distance / 0.2);
            w[k] = felt[k] * felt[k] / (distance * distance + 1e-12);
        }
        double most = fmin(1, felt[0] + felt[1]);
        assert_at_most(most - 0.14, two[0].weight + two[1].weight);
        assert_at_most(two[0].weight + two[1].weight, most + 1e-3);
        for (int k = 0; k < 2; k++)
            assert_near(two[k].weight, w[k] * (two[0].weight + two[1].weight) / (w[0] + w[1]), 0.02);
        least = fmin(least, fabs(at.z) < 0.005 ? two[0].weight + two[1].weight : 1);
        shared++;
    }
    assert_less(100, shared);
    assert_less(0.95, least); /* midway; the mean of both attenuations is 0.83 */
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* Levels of triangles whose three corners are as far from the path as `from` to `to` (of the radius). */
static void assert_levels_between(const ruga_mesh *mesh, const uint8_t *levels, double from, double to, int expected) {
    size_t seen = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        int inside = 1;
        for (int k = 0; k < 3; k++) {
            ruga_vec3 p = mesh->positions[mesh->triangles[3 * t + (size_t)k]];
            inside &= fabs(p.z) > from && fabs(p.z) < to && fabs(p.x) < 0.3;
        }
        if (!inside) continue;
        assert_int_equal(levels[t], expected);
        seen++;
    }
    assert_less(0, seen);
}

/* Once less where at most a quarter of the deflection is left, twice less where a sixteenth is; but never so coarse
 * that the bell does not show. The bell is 1/4 at 0.664 and 1/16 at 0.836 of the radius. */
static void less_is_refined_where_less_moves(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 80, 80);
    vec3 *p = (vec3 *)(uintptr_t)mesh->positions;
    double low_x = INFINITY, low_z = INFINITY;
    for (size_t v = 0; v < mesh->vertex_count; v++) low_x = fmin(low_x, p[v].x), low_z = fmin(low_z, p[v].z);
    for (size_t v = 0; v < mesh->vertex_count; v++) p[v] = (vec3){p[v].x - low_x - 0.5, 0, p[v].z - low_z - 0.5};
    uint32_t row[81];
    size_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (fabs(p[v].z) < 1e-9) row[count++] = v;
    assert_int_equal(count, 81);
    sculpt_path path;
    assert_ok(context, sculpt_path_make(context, row, count, 0, &path));
    for (size_t i = 0; i < count; i++) path.arcs[i] = (double)i / 80;
    path.length = 1;
    sculpt_refining r = refining_of(context, mesh);
    geodesic *g = NULL;
    sculpt_measures measures;
    assert_ok(context, geodesic_create(context, r.topo, mesh->triangles, mesh->positions, &g));
    assert_ok(context, sculpt_measures_make(context, mesh->vertex_count, &measures));
    for (int least = 0; least < 3; least++) {
        /* Edges of an eighth of the radius after `least` refinements. */
        sculpt_reach reach = {.base = &path, .radius = 0.4, .stride = 0.4 / 8 * (1 << least), .fixed_part = 0.02};
        memset(r.levels, 0, mesh->triangle_count);
        sculpt_mark_levels(g, mesh, &reach, 2, &measures, r.levels);
        assert_levels_between(mesh, r.levels, -1, 0.4 * 0.65, 2);
        assert_levels_between(mesh, r.levels, 0.4 * 0.68, 0.4 * 0.82, least > 1 ? least : 1);
        assert_levels_between(mesh, r.levels, 0.4 * 0.85, 0.4 * 0.99, least);
        assert_levels_between(mesh, r.levels, 0.4 * 1.01, 0.5, 0);
    }
    sculpt_measures_release(context, &measures);
    geodesic_destroy(g);
    sculpt_path_release(context, &path);
    sculpt_refining_release(&r);
    ruga_context_destroy(context);
}

/* Both in mode II, and the region curve on a piece of the mesh that is not connected with the stroke. */
static void a_region_curve_on_another_piece_moves_nothing_there(void **state) {
    (void)state;
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {5, 0, 0}, {6, 0, 0}, {5, 0, 1}};
    const uint32_t faces[] = {0, 2, 1, 3, 5, 4};
    const ruga_surface_point points[2][2] = {{{0, {0.7, 0.15, 0.15}}, {0, {0.2, 0.4, 0.4}}},
                                             {{1, {0.7, 0.15, 0.15}}, {1, {0.2, 0.4, 0.4}}}};
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, shape_make(context, 6, positions, 2, NULL, faces));
    ruga_curve curves[2];
    for (int i = 0; i < 2; i++)
        curves[i] = (ruga_curve){.name = "", .point_count = 2, .points = points[i], .context = context};
    ruga_stroke_def def = test_stroke(&curves[0], 0.3);
    def.region = &curves[1];
    def.mode = RUGA_REGION_BETWEEN;
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    assert_valid_sculpt(t.mesh, result);
    double *shares = malloc(result->vertex_count * sizeof *shares);
    ruga_sculpt_regions(t.sculpt, shares);
    size_t far = 0;
    for (size_t v = 0; v < result->vertex_count; v++) {
        far += result->positions[v].x > 3;
        if (result->positions[v].x > 3) assert_true(shares[v] == 0 && result->positions[v].y == 0);
    }
    assert_ran(far, 3);
    free(shares);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* The seam of a closed stroke is no place where its parts compete. */
static void a_ring_has_no_arms(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, shape_cylinder(context, 32, 12));
    double middle = 0.5 * (t.mesh->positions[0].y + t.mesh->positions[t.mesh->vertex_count - 1].y) + 0.01;
    const ruga_vec3 points[] = {{1, middle, 0.1}, {0, middle, 1}, {-1, middle, 0}, {0, middle, -1}};
    ruga_stroke_def def = test_stroke(test_curve_through(&t, points, 4, 1), 0.2);
    def.refine = 0;
    test_add(&t, &def);
    test_update(&t);
    const sculpt_field *f = &t.sculpt->field;
    assert_less(100, f->vertex_count);
    for (size_t i = 0; i < f->vertex_count; i++) assert_int_equal(f->offsets[i + 1] - f->offsets[i], 1);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* ---- Attributes. */

/* Those that wrinkles would make wrong go, others stay. */
static void normals_and_tangents_of_the_mesh_are_left_out(void **state) {
    (void)state;
    static const char *const names[] = {"normal", "tangent", "colour"};
    ruga_context *context = context_plain(1);
    ruga_mesh *plain = jittered_sheet(context, 6, 1), *mesh = NULL;
    ruga_attribute attributes[3];
    for (int i = 0; i < 3; i++)
        attributes[i] = (ruga_attribute){.name = names[i],
                                         .domain = RUGA_DOMAIN_VERTEX,
                                         .type = RUGA_F64,
                                         .components = 3,
                                         .count = plain->vertex_count,
                                         .values = plain->positions};
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){(void *)(uintptr_t)plain->positions, plain->vertex_count, 0, RUGA_F64};
    mesh_def.face_count = plain->triangle_count;
    mesh_def.face_vertices = plain->triangles;
    mesh_def.attribute_count = 3;
    mesh_def.attributes = attributes;
    assert_ok(context, ruga_mesh_create(context, &mesh_def, &mesh));
    ruga_mesh_destroy(plain);
    test_sculpt t;
    test_sculpt_open(&t, context, mesh);
    ruga_stroke_def def = test_stroke(test_line(&t, -0.2, 0, 0.2, 0), 0.15);
    def.refine = 1;
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    assert_int_equal(mesh->attribute_count, 3);
    assert_int_equal(result->attribute_count, 1);
    assert_string_equal(result->attributes[0].name, "colour");
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refinement_keeps_angles),
        cmocka_unit_test(quadrilaterals_are_cut_along_their_shorter_diagonal),
        cmocka_unit_test(closed_paths_stay_closed),
        cmocka_unit_test(regions_end_with_their_strokes),
        cmocka_unit_test(overlapping_regions_are_blended_by_squares),
        cmocka_unit_test(less_is_refined_where_less_moves),
        cmocka_unit_test(a_region_curve_on_another_piece_moves_nothing_there),
        cmocka_unit_test(a_ring_has_no_arms),
        cmocka_unit_test(normals_and_tangents_of_the_mesh_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
