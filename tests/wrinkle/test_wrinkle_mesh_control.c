/* Wrinkle meshes under control: what each parameter does, given once, painted, or with keys. */
#include "wrinkle_mesh_support.h"

static const ruga_wrinkle_solver solvers[] = {RUGA_WRINKLE_PROJECTION, RUGA_WRINKLE_COMPLIANT};

/* s = 0.9 and radii of half an average edge as in the paper, ten iterations, a bending of 0.1. */
static void defaults_are_the_papers(void **state) {
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default(), said = def;
    assert_true(def.pre_stretch.constant == 0.9 && def.iterations == 10);
    assert_true(def.surface == RUGA_WRINKLE_PN && def.bend == RUGA_WRINKLE_BEND_OPPOSITE);
    wrinkled w = wrinkle_regular(shape_torus(*state, 8, 6), 2, &def);
    const uint32_t *ends = ruga_wrinkle_mesh_edges(w.mesh);
    ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(w.mesh);
    double mean = 0;
    read_fine(w);
    for (size_t e = 0; e < report.edges; e++)
        mean += vec3_distance(w.positions[ends[2 * e]], w.positions[ends[2 * e + 1]]) / (double)report.edges;
    assert_near(report.greatest_radius / (0.5 * mean), 1, 1e-5);
    said.bending = ruga_param_constant(0.1);
    wrinkled other = wrinkle_regular(shape_torus(*state, 8, 6), 2, &said);
    squeeze(w, 0.8);
    squeeze(other, 0.8);
    update(w);
    update(other);
    assert_less(0, rms_offset(w));
    assert_memory_equal(w.positions, other.positions, w.fine->vertex_count * sizeof *w.positions);
    wrinkled_release(w);
    wrinkled_release(other);
}

/* One s for all, painted at every vertex, or of every edge. */
static void pre_stretch_is_one_wherever_it_is_given(void **state) {
    const double pre_stretch = 1.0625;
    for (int s = 0; s < 2; s++) {
        ruga_wrinkle_mesh_def def = def_with(solvers[s], pre_stretch);
        wrinkled all = wrinkle_regular(shape_torus(*state, 8, 6), 3, &def);
        size_t edges = ruga_wrinkle_mesh_get_report(all.mesh).edges, most = edges + all.fine->vertex_count;
        double *same = malloc(most * sizeof *same);
        for (size_t k = 0; k < most; k++) same[k] = pre_stretch;
        def.pre_stretch = ruga_param_array(same, all.fine->vertex_count);
        wrinkled painted = wrinkle_regular(shape_torus(*state, 8, 6), 3, &def);
        def.pre_stretch = ruga_param_constant(1);
        def.edge_pre_stretch = same;
        wrinkled by_edge = wrinkle_regular(shape_torus(*state, 8, 6), 3, &def);
        for (int frame = 0; frame < 3; frame++) {
            update(all);
            update(painted);
            update(by_edge);
        }
        assert_less(0, rms_offset(all));
        assert_memory_equal(all.positions, painted.positions, all.fine->vertex_count * sizeof *all.positions);
        assert_memory_equal(all.positions, by_edge.positions, all.fine->vertex_count * sizeof *all.positions);
        free(same);
        wrinkled_release(all);
        wrinkled_release(painted);
        wrinkled_release(by_edge);
    }
}

/* A base that is as much shorter everywhere as its lengths are leaves nothing to do, bends included. */
static void a_plane_shrunk_by_its_pre_stretch_is_at_rest(void **state) {
    for (int s = 0; s < 2; s++)
        for (int bend = 0; bend < 2; bend++) {
            ruga_wrinkle_mesh_def def = def_with(solvers[s], 0.9);
            def.bend = (ruga_wrinkle_bend)bend;
            def.bending = ruga_param_constant(1);
            wrinkled w = wrinkle_regular(shape_sheet(*state, 4, 4), 3, &def);
            for (size_t v = 0; v < w.base->vertex_count; v++) w.moved[v] = vec3_scale(w.base->positions[v], 0.9);
            for (int frame = 0; frame < 20; frame++) update(w);
            fail_if(!(rms_offset(w) < 1e-5), "solver %d, bend %d: offsets of %g m", s, bend, rms_offset(w));
            wrinkled_release(w);
        }
}

static void a_wavelength_sets_the_radii(void **state) {
    const double strains[] = {0.1, 0.25}, wavelengths[] = {0.2, 0.5};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 2; k++) {
            ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
            def.wavelength = wavelengths[k];
            wrinkled w = wrinkle_regular(shape_sheet(*state, 6, 6), 4, &def);
            double expected = wavelengths[k] * sqrt(strains[s]) / PI;
            assert_near(ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius / expected, 1, 1e-5);
            wrinkled_release(w);
        }
}

/* Where the base has closed up to s < s0, wrinkles are no higher than s / s0 of their radius; without the limit they
 * are. Above s0 nothing changes. */
static void a_base_that_closes_up_leaves_less_room(void **state) {
    enum { FRAMES = 16 };
    for (int s = 0; s < 2; s++) {
        double heights[2][FRAMES], radius = 0;
        for (int limited = 0; limited < 2; limited++) {
            ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
            def.wavelength = 0.4;
            def.calm = 0;
            def.squeeze = limited ? 0.7 : 0;
            def.upright = 0;
            wrinkled w = wrinkle_regular(shape_sheet(*state, 6, 6), 4, &def);
            for (int frame = 0; frame < FRAMES; frame++) {
                squeeze_frame(w, frame);
                update(w);
                heights[limited][frame] = greatest_height(w);
            }
            radius = ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius;
            wrinkled_release(w);
        }
        for (int frame = 0; frame < FRAMES; frame++) {
            const double stretch = 1 - 0.04 * frame;
            if (stretch > 0.7) assert_near(heights[0][frame], heights[1][frame], 0);
            if (stretch < 0.7) assert_at_most(heights[1][frame], 1.0001 * radius * stretch / 0.7);
        }
        assert_less(0.9 * radius, heights[0][FRAMES - 1]);
    }
}

/* ---- Iterations. */

/* With projection the offsets are all that one iteration hands to the next. */
static void ten_iterations_are_ten_updates_of_one(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    def.calm = 0;
    wrinkled ten = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
    def.iterations = 1;
    wrinkled one = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
    squeeze(ten, 0.9);
    squeeze(one, 0.9);
    update(ten);
    for (int k = 0; k < 10; k++) update(one);
    double worst = 0, radius = ruga_wrinkle_mesh_get_report(ten.mesh).greatest_radius;
    for (size_t v = 0; v < ten.fine->vertex_count; v++)
        worst = fmax(worst, vec3_distance(ten.positions[v], one.positions[v]));
    fail_if(!(worst < 1e-3 * radius), "%g of a radius apart", worst / radius);
    wrinkled_release(ten);
    wrinkled_release(one);
}

static void the_more_iterations_the_nearer_is_the_minimiser(void **state) {
    const int iterations[] = {2, 10, 60, 2000};
    double distances[3] = {0};
    wrinkled w[4];
    for (int k = 3; k >= 0; k--) {
        ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 0.97);
        def.iterations = iterations[k];
        def.wavelength = 0.5;
        w[k] = wrinkle_regular(shape_torus(*state, 12, 9), 2, &def);
        squeeze(w[k], 1.05); /* under tension, where there is one minimum */
        update(w[k]);
        for (size_t v = 0; k < 3 && v < w[k].fine->vertex_count; v++)
            distances[k] = fmax(distances[k], vec3_distance(w[k].positions[v], w[3].positions[v]));
    }
    fail_if(!(distances[1] < 0.7 * distances[0] && distances[2] < 0.2 * distances[1]), "%g m, %g m, %g m away",
            distances[0], distances[1], distances[2]);
    for (int k = 0; k < 4; k++) wrinkled_release(w[k]);
}

/* ---- Bending. */

enum { SIDE = 32, POINTS = (SIDE + 1) * (SIDE + 1) };

/* Of a sheet of SIDE by SIDE squares, from one x to another: how much normals turn along edges; or how far diagonals of
 * squares, half of which are edges and half opposite vertices, are from their lengths. Root mean squares. */
static double unevenness(wrinkled w, int lengths, double low, double high) {
    double sum = 0;
    size_t count = 0;
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++) {
            size_t a = y * (SIDE + 1) + x, ends[3][2] = {{a, a + SIDE + 2}, {a + 1, a + SIDE + 1}, {a, a + 1}};
            if (w.fine->positions[a].x < low || w.fine->positions[a].x > high) continue;
            for (int k = lengths ? 0 : 2; k < (lengths ? 2 : 3); k++) {
                size_t p = ends[k][0], q = ends[k][1];
                double rest = vec3_distance(w.fine->positions[p], w.fine->positions[q]);
                double error = lengths ? vec3_distance(w.positions[p], w.positions[q]) / rest - 1
                                       : vec3_distance(w.normals[p], w.normals[q]);
                sum += error * error;
                count++;
            }
        }
    return sqrt(sum / (double)count);
}

/* Stiff on one side and soft on the other; at the time of another key the sides have changed. Angles get smaller by it,
 * opposite vertices keep their distances better. */
static void bending_counts_where_and_when_it_is_painted(void **state) {
    skip_unless_long();
    for (int s = 0; s < 2; s++)
        for (int bend = 0; bend < 2; bend++) {
            ruga_mesh *base = shape_sheet(*state, 8, 8), *fine = shape_sheet(*state, SIDE, SIDE);
            ruga_wrinkle_mesh *mesh = NULL;
            double left[POINTS], right[POINTS];
            for (size_t v = 0; v < POINTS; v++) {
                left[v] = fine->positions[v].x < 0.5;
                right[v] = 1 - left[v];
            }
            ruga_param first = ruga_param_array(left, POINTS), second = ruga_param_array(right, POINTS);
            const ruga_param_key keys[2] = {{0, &first}, {1, &second}};
            ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
            def.bend = (ruga_wrinkle_bend)bend;
            def.bending = ruga_param_keys(keys, 2);
            assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
            wrinkled w = wrinkled_on(base, fine, mesh);
            squeeze(w, 0.88);
            for (int side = 0; side < 2; side++) {
                assert_ok(*state, ruga_wrinkle_mesh_set_time(w.mesh, side));
                assert_ok(*state, ruga_wrinkle_mesh_reset(w.mesh));
                for (int frame = 0; frame < 30; frame++) update(w);
                int lengths = bend == RUGA_WRINKLE_BEND_OPPOSITE;
                double one = unevenness(w, lengths, 0, 0.4), other = unevenness(w, lengths, 0.6, 1);
                double stiff = side ? other : one, soft = side ? one : other;
                fail_if(!(stiff < (lengths ? 0.8 : 0.4) * soft), "solver %d, bend %d, side %d: stiff %g, soft %g", s,
                        bend, side, stiff, soft);
            }
            wrinkled_release(w);
        }
}

static void without_bending_every_kind_of_it_still_wrinkles(void **state) {
    for (int k = 0; k < 6; k++) {
        ruga_wrinkle_mesh_def def = def_with(k < 2 ? RUGA_WRINKLE_PROJECTION : RUGA_WRINKLE_COMPLIANT, 1);
        def.bend = (ruga_wrinkle_bend)(k < 2 ? k : (k - 2) % 3);
        def.wavelength = k == 5 ? 0.3 : 0;
        def.bending = ruga_param_constant(0);
        wrinkled w = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
        assert_int_equal(ruga_wrinkle_mesh_get_report(w.mesh).bends, 0);
        update(w);
        assert_true(rms_offset(w) == 0);
        squeeze(w, 0.9);
        for (int frame = 0; frame < 3; frame++) update(w);
        assert_less(0, rms_offset(w));
        wrinkled_release(w);
    }
}

/* ---- Vertices that hang on nothing. */

/* Its edges ask for half as much again: a vertex that hangs on nothing follows them, far beyond any radius or hold. */
static void an_unattached_vertex_goes_where_its_edges_want_it(void **state) {
    ruga_mesh *flat = shape_sheet(*state, 12, 12);
    ruga_vec3 *lifted = malloc(flat->vertex_count * sizeof *lifted);
    memcpy(lifted, flat->positions, flat->vertex_count * sizeof *lifted);
    const size_t high = 6 * 13 + 6;
    lifted[high].y = 0.3;
    for (int s = 0; s < 2; s++)
        for (int wave = 0; wave < 2; wave++) {
            ruga_mesh *base = shape_sheet(*state, 4, 4);
            ruga_mesh *fine =
                shape_make(*state, flat->vertex_count, lifted, flat->triangle_count, NULL, flat->triangles);
            ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
            def.reach = 0.1;
            def.wavelength = wave ? 0.1 : 0; /* short: a hold would be firm */
            def.radius = ruga_param_constant(0.01);
            def.bending = ruga_param_constant(0);
            ruga_wrinkle_mesh *mesh = NULL;
            assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
            size_t edges = ruga_wrinkle_mesh_get_report(mesh).edges;
            double *scales = malloc(edges * sizeof *scales);
            const uint32_t *ends = ruga_wrinkle_mesh_edges(mesh);
            for (size_t e = 0; e < edges; e++) scales[e] = ends[2 * e] == high || ends[2 * e + 1] == high ? 1.5 : 1;
            ruga_wrinkle_mesh_destroy(mesh);
            def.edge_pre_stretch = scales;
            assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
            wrinkled w = wrinkled_on(base, fine, mesh);
            for (int frame = 0; frame < 100; frame++) update(w);
            fail_if(!(fabs(w.positions[high].y - 0.46) < 0.02), /* its edges are 0.31 m to 0.32 m long at rest */
                    "solver %d, wave %d: %g m high", s, wave, w.positions[high].y);
            free(scales);
            wrinkled_release(w);
        }
    free(lifted);
    ruga_mesh_destroy(flat);
}

/* ---- Collisions. */

/* A pit of four steep walls: where they meet, three planes at once keep a point outside. */
static void the_walls_of_a_pit_keep_points_outside(void **state) {
    for (int s = 0; s < 2; s++) {
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1.15);
        def.side = RUGA_WRINKLE_NEIGHBOURHOOD;
        def.surface = RUGA_WRINKLE_LINEAR;
        def.radius = ruga_param_constant(0.05);
        wrinkled w = wrinkle_regular(shape_sheet(*state, 6, 6), 4, &def);
        for (size_t v = 0; v < w.base->vertex_count; v++) {
            ruga_vec3 p = w.base->positions[v];
            w.moved[v].y = 2 * fmax(fabs(p.x - 0.5), fabs(p.z + 0.5));
        }
        for (int frame = 0; frame < 12; frame++) update(w);
        double worst = 0;
        for (size_t v = 0; v < w.fine->vertex_count; v++) {
            ruga_vec3 p = w.positions[v];
            double above = (p.y - 2 * fmax(fabs(p.x - 0.5), fabs(p.z + 0.5))) / sqrt(5);
            worst = fmin(worst, above);
        }
        fail_if(!(worst > -2e-5), "solver %d: %g m inside", s, -worst);
        assert_less(0.01, rms_offset(w));
        wrinkled_release(w);
    }
}

/* ---- States. */

static void to_a_line(wrinkled w, double side) {
    for (size_t v = 0; v < w.base->vertex_count; v++) w.moved[v] = (ruga_vec3){side * w.base->positions[v].x, 0, 0};
}

static void turned_over(wrinkled w) {
    for (size_t v = 0; v < w.base->vertex_count; v++) {
        ruga_vec3 p = w.base->positions[v];
        w.moved[v] = (ruga_vec3){0.9 * p.x, -p.y, -p.z};
    }
}

/* Frames that triangles keep while they have no area, pre-stretches of edges and the time of keys belong to the state
 * or the copy; a reset has none of them. */
static void copies_and_states_hold_all_that_an_update_starts_from(void **state) {
    ruga_mesh *fine = shape_torus(*state, 16, 12), *base = shape_torus(*state, 8, 6);
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    ruga_param small = ruga_param_constant(0.05), great = ruga_param_constant(0.2);
    const ruga_param_key keys[2] = {{0, &small}, {1, &great}};
    double scales[3 * 2 * 16 * 12];
    for (size_t e = 0; e < sizeof scales / sizeof *scales; e++) scales[e] = e % 3 == 0 ? 1.2 : 0.95;
    def.radius = ruga_param_keys(keys, 2);
    def.edge_pre_stretch = scales;
    ruga_wrinkle_mesh *made[4] = {NULL};
    wrinkled w[4];
    for (int k = 0; k < 4; k++) {
        if (k == 1)
            assert_ok(*state, ruga_wrinkle_mesh_copy(made[0], &made[1]));
        else
            assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &made[k]));
        w[k] = wrinkled_on(base, fine, made[k]);
        if (k > 0) continue;
        assert_ok(*state, ruga_wrinkle_mesh_set_time(made[0], 0.5));
        turned_over(w[0]);
        update(w[0]);
    }
    void *bytes = NULL;
    size_t size = 0, all = fine->vertex_count * sizeof(ruga_vec3);
    assert_ok(*state, ruga_wrinkle_mesh_save(made[0], &bytes, &size));
    assert_ok(*state, ruga_wrinkle_mesh_load(made[2], bytes, size));
    for (int k = 2; k < 4; k++) assert_ok(*state, ruga_wrinkle_mesh_set_time(made[k], 0.5));
    for (int k = 0; k < 4; k++) {
        to_a_line(w[k], 0.9);
        update(w[k]);
    }
    assert_memory_equal(w[0].positions, w[1].positions, all);
    assert_memory_equal(w[0].positions, w[2].positions, all);
    assert_true(memcmp(w[0].positions, w[3].positions, all) != 0); /* it has not been turned over */
    for (int k = 0; k < 4; k += 3) {
        assert_ok(*state, ruga_wrinkle_mesh_reset(made[k]));
        update(w[k]);
    }
    assert_memory_equal(w[0].positions, w[3].positions, all);
    for (int k = 0; k < 4; k++) {
        free(w[k].moved), free(w[k].positions), free(w[k].normals);
        ruga_wrinkle_mesh_destroy(made[k]);
    }
    ruga_free(*state, bytes);
    ruga_mesh_destroy(base);
    ruga_mesh_destroy(fine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_papers),
        cmocka_unit_test(pre_stretch_is_one_wherever_it_is_given),
        cmocka_unit_test(a_plane_shrunk_by_its_pre_stretch_is_at_rest),
        cmocka_unit_test(a_wavelength_sets_the_radii),
        cmocka_unit_test(a_base_that_closes_up_leaves_less_room),
        cmocka_unit_test(ten_iterations_are_ten_updates_of_one),
        cmocka_unit_test(the_more_iterations_the_nearer_is_the_minimiser),
        cmocka_unit_test(bending_counts_where_and_when_it_is_painted),
        cmocka_unit_test(without_bending_every_kind_of_it_still_wrinkles),
        cmocka_unit_test(an_unattached_vertex_goes_where_its_edges_want_it),
        cmocka_unit_test(the_walls_of_a_pit_keep_points_outside),
        cmocka_unit_test(copies_and_states_hold_all_that_an_update_starts_from),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
