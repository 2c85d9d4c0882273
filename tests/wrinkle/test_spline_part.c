/* The detail "spline": smooth surfaces through key nodes, and waves of the paper where they are compressed; coherent
 * waves are in test_spline_waves.c. */
#include "wrinkle/spline_part.h"

#include "math/spline_surface.h"
#include "part_support.h"
#include "support/subdivided.h"

#define PI 3.14159265358979323846

static ruga_spline_def spline_defaults(void) {
    ruga_spline_def def;
    ruga_section_defaults(ruga_scene_section_find("objects.details.spline"), &def);
    def.waves = SPLINE_SEGMENTS;
    return def;
}

static part *make_spline(const ruga_mesh *mesh, ruga_spline_def def) {
    part *d = NULL;
    assert_ok(mesh->context, spline_part_create(mesh, &def, &d));
    return d;
}

static const spline_order orders[2] = {SPLINE_TOGETHER, SPLINE_ROWS_FIRST};

static ruga_spline_def def_of(size_t rows, size_t columns) {
    ruga_spline_def def = spline_defaults();
    def.rows = (int)rows;
    def.columns = (int)columns;
    return def;
}

/* A sheet of n by n key nodes, with its points scaled along x and z and bent up a little: (count) points. */
static ruga_vec3 *compressed(const ruga_mesh *mesh, double along_x, double along_z, double bend) {
    ruga_vec3 *points = copy_points(mesh->positions, mesh->vertex_count);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 *p = &points[v];
        p->y += bend * sin(2 * p->x + 3 * p->z);
        p->x *= along_x;
        p->z *= along_z;
    }
    return points;
}

/* The surface of the part's splines without waves. */
static ruga_vec3 *smooth_surface(const part *d, const ruga_vec3 *points, size_t key_rows, size_t key_columns,
                                 size_t rows, size_t columns, spline_kind kind) {
    spline_surface_def def = {kind, key_rows, key_columns, rows, columns, 0};
    spline_surface *s = NULL;
    assert_ok(d->context, spline_surface_create(d->context, &def, &s));
    ruga_vec3 *nodes = calloc(2 * rows * columns, sizeof *nodes);
    assert_non_null(nodes);
    spline_surface_evaluate(s, points, nodes, nodes + rows * columns);
    spline_surface_destroy(s);
    return nodes;
}

/* ---- One wave. */

static const spline_envelope envelopes[2] = {SPLINE_ENVELOPE_SMOOTH, SPLINE_ENVELOPE_PAPER};

static void a_wave_is_at_most_a_quarter_of_what_is_missing(void **state) {
    (void)state;
    test_random random = {1};
    ruga_spline_def def = spline_defaults();
    double greatest = 0;
    for (int i = 0; i < 200000; i++) {
        def.envelope = (int)envelopes[i % 2];
        def.frequency = random_between(&random, 0, 200);
        def.threshold = i % 3 ? 0 : random_between(&random, 0, 0.3);
        def.limit = i % 5 ? INFINITY : random_between(&random, 0, 0.1);
        double rest = random_between(&random, 0.1, 2), distance = random_between(&random, 0, 1.2 * rest);
        spline_wave wave = spline_wave_make(&def, rest, distance);
        double height = fabs(spline_wave_height(&def, wave, random_unit(&random))), missing = fmax(rest - distance, 0);
        assert_at_most(height, missing / 4);
        assert_at_most(height, def.limit);
        if (missing > 0) greatest = fmax(greatest, height / missing);
    }
    assert_less(0.2499, greatest);
}

/* Equation 14 as printed. */
static void the_paper_s_envelope_is_equation_14(void **state) {
    (void)state;
    ruga_spline_def def = spline_defaults();
    def.envelope = SPLINE_ENVELOPE_PAPER;
    def.frequency = 30;
    for (double t = 0; t <= 1; t += 0.01) {
        double w = 0.5 - 2 * (t - 0.5) * (t - 0.5), a = (0.1 - 0.07) / 2, f = 30 * (0.1 - 0.07) / 0.1;
        double height = spline_wave_height(&def, spline_wave_make(&def, 0.1, 0.07), t);
        assert_near(height, w * a * sin(f * t), 1e-16);
    }
}

/* One-sided slopes: with the smooth envelope zero at both ends; as printed −2 A sin f at t = 1. */
static void the_smooth_envelope_ends_without_a_slope_and_the_printed_one_with(void **state) {
    (void)state;
    ruga_spline_def def = spline_defaults();
    const double step = 1e-7;
    for (double distance = 0.3; distance < 1; distance += 0.05)
        for (int k = 0; k < 2; k++) {
            def.envelope = (int)envelopes[k];
            spline_wave wave = spline_wave_make(&def, 1, distance);
            double begin = spline_wave_height(&def, wave, step) / step;
            double end = -spline_wave_height(&def, wave, 1 - step) / step;
            double expected = k == 0 ? 0 : -2 * wave.amplitude * sin(wave.frequency);
            assert_near(begin, 0, 1e-5);
            assert_near(end, expected, 1e-5);
        }
}

/* Height as a function of the distance, over the threshold too, is as steep as A' w + A w f' allows and no steeper. */
static void waves_come_and_go_without_a_jump(void **state) {
    (void)state;
    ruga_spline_def def = spline_defaults();
    for (int k = 0; k < 4; k++) {
        def.envelope = (int)envelopes[k % 2];
        def.threshold = k < 2 ? 0 : 0.1;
        for (double t = 0.05; t < 1; t += 0.1) {
            double step = 1e-4, before = 0;
            size_t flat = 0;
            for (double distance = 1.1; distance > 0; distance -= step) {
                double height = spline_wave_height(&def, spline_wave_make(&def, 1, distance), t);
                double steepest = 0.25 + 0.25 * fmax(1 - distance, 0) * def.frequency;
                assert_near_case(height, before, step * steepest * (1 + 1e-6), "k %d, t %g, at %g", k, t, distance);
                before = height;
                if (!(distance >= 1 - def.threshold)) continue;
                assert_equal_case(height, 0, "k %d, t %g, at %g", k, t, distance);
                flat++;
            }
            assert_ran(flat, 990);
        }
    }
}

/* ---- Surfaces. */

static void without_compression_the_surface_is_exactly_the_smooth_one(void **state) {
    const spline_kind kinds[2] = {SPLINE_NATURAL, SPLINE_CATMULL_ROM};
    ruga_mesh *sheet = shape_sheet(*state, 9, 9);
    for (int k = 0; k < 4; k++) {
        ruga_spline_def def = def_of(50, 50);
        def.curve = (int)kinds[k % 2];
        def.order = (int)orders[k / 2];
        part *d = make_spline(sheet, def);
        part_update(d, sheet->positions, 0, 0, NULL);
        assert_memory_equal(d->positions, d->output->positions, 2500 * sizeof *d->positions);
        ruga_vec3 *points = compressed(sheet, 1.01, 1.3, 0.5);
        ruga_vec3 *smooth = smooth_surface(d, points, 10, 10, 50, 50, kinds[k % 2]);
        part_update(d, points, 0, 0, NULL);
        assert_memory_equal(d->positions, smooth, 2500 * sizeof *smooth);
        assert_true(d->measures.items[0].value == 0 && d->measures.items[1].value == 0);
        free(points);
        free(smooth);
        part_destroy(d);
    }
    ruga_mesh_destroy(sheet);
}

/* Rotation by 0.7 rad about (2, 3, 6) / 7, and a displacement. */
static ruga_vec3 moved(ruga_vec3 p) {
    const ruga_vec3 axis = {2.0 / 7, 3.0 / 7, 6.0 / 7}, move = {0.3, -0.7, 1.9};
    ruga_vec3 across = vec3_cross(axis, p), along = vec3_scale(axis, vec3_dot(axis, p));
    ruga_vec3 turned = vec3_add(along, vec3_add_scaled(vec3_scale(across, sin(0.7)), vec3_sub(p, along), cos(0.7)));
    return vec3_add(turned, move);
}

static void rigid_motions_move_the_wrinkles_along(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 7, 5);
    for (int k = 0; k < 4; k++) {
        ruga_spline_def def = def_of(31, 44);
        def.envelope = (int)envelopes[k % 2];
        def.order = (int)orders[k / 2];
        part *d = make_spline(sheet, def);
        ruga_vec3 *points = compressed(sheet, 0.8, 0.9, 0.2);
        part_update(d, points, 0, 0, NULL);
        assert_less(1e-3, d->measures.items[1].value);
        ruga_vec3 *here = copy_points(d->positions, 31 * 44), *normals = copy_points(d->normals, 31 * 44);
        for (size_t v = 0; v < sheet->vertex_count; v++) points[v] = moved(points[v]);
        part_update(d, points, 0, 0, NULL);
        ruga_vec3 origin = moved((ruga_vec3){0, 0, 0});
        for (size_t v = 0; v < 31 * 44; v++) {
            assert_less(vec3_distance(moved(here[v]), d->positions[v]), 1e-13);
            assert_less(vec3_distance(vec3_sub(moved(normals[v]), origin), d->normals[v]), 1e-9);
        }
        free(points);
        free(here);
        free(normals);
        part_destroy(d);
    }
    ruga_mesh_destroy(sheet);
}

static void key_nodes_that_are_nodes_stay_exactly_where_they_are(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 6, 4); /* 7 columns, 5 rows */
    ruga_vec3 *points = compressed(sheet, 0.7, 0.8, 0.3);
    for (size_t k = 2; k < 18; k++) {
        size_t steps = k / 2;
        ruga_spline_def def = def_of(4 * steps + 1, 6 * steps + 1);
        def.order = (int)orders[k % 2];
        part *d = make_spline(sheet, def);
        part_update(d, points, 0, 0, NULL);
        for (size_t j = 0; j < 5; j++)
            for (size_t i = 0; i < 7; i++) {
                ruga_vec3 node = d->positions[j * steps * (6 * steps + 1) + i * steps];
                assert_true(vec3_distance(node, points[j * 7 + i]) == 0);
            }
        part_destroy(d);
    }
    free(points);
    ruga_mesh_destroy(sheet);
}

/* The turn of a row of nodes at the key nodes, per step: it vanishes with the step where the curve is smooth. */
static double greatest_turn(ruga_mesh *sheet, const ruga_vec3 *points, spline_envelope envelope, size_t steps) {
    ruga_spline_def def = def_of(2, 8 * steps + 1);
    def.envelope = (int)envelope;
    part *d = make_spline(sheet, def);
    part_update(d, points, 0, 0, NULL);
    double greatest = 0;
    for (size_t k = 1; k < 8; k++) {
        const ruga_vec3 *p = d->positions + k * steps;
        ruga_vec3 before = vec3_normalise(vec3_sub(p[0], p[-1])), after = vec3_normalise(vec3_sub(p[1], p[0]));
        greatest = fmax(greatest, vec3_distance(before, after));
    }
    part_destroy(d);
    return greatest;
}

static void curves_go_smoothly_through_key_nodes_unless_the_paper_s_kink_is_wanted(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 8, 3);
    ruga_vec3 *points = compressed(sheet, 0.83, 1, 0.1);
    double coarse = greatest_turn(sheet, points, SPLINE_ENVELOPE_SMOOTH, 100);
    double finest = greatest_turn(sheet, points, SPLINE_ENVELOPE_SMOOTH, 1000);
    assert_less(finest, 0.12 * coarse);
    assert_less(finest, 0.01);
    assert_less(0.1, greatest_turn(sheet, points, SPLINE_ENVELOPE_PAPER, 1000));
    free(points);
    ruga_mesh_destroy(sheet);
}

/* From stretched through the threshold to strongly compressed and back, in small steps: no node ever goes further in a
 * step than a bound times what the key nodes go. */
static void wrinkles_come_and_go_without_a_jump(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 5, 5);
    for (int k = 0; k < 2; k++) {
        ruga_spline_def def = def_of(36, 36);
        def.threshold = 0.05;
        def.order = (int)orders[k];
        part *d = make_spline(sheet, def);
        double step = 1e-3;
        ruga_vec3 *before = NULL;
        for (double scale = 1.05; scale > 0.5; scale -= step) {
            ruga_vec3 *points = compressed(sheet, scale, scale, 0.2);
            part_update(d, points, 0, 0, NULL);
            if (before) assert_less(greatest_distance(before, d->positions, 36 * 36), 10 * step);
            free(before);
            before = copy_points(d->positions, 36 * 36);
            free(points);
        }
        free(before);
        part_destroy(d);
    }
    ruga_mesh_destroy(sheet);
}

/* Where rows wave all alike and columns do not, the order does not matter. */
static void a_flat_sheet_compressed_along_its_rows_is_the_same_in_both_orders(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 6, 5);
    ruga_vec3 *points = compressed(sheet, 0.8, 1, 0), *both = compressed(sheet, 0.8, 0.9, 0.1);
    ruga_spline_def def = def_of(29, 40);
    part *together = make_spline(sheet, def);
    def.order = SPLINE_ROWS_FIRST;
    part *rows_first = make_spline(sheet, def);
    part_update(together, points, 0, 0, NULL);
    part_update(rows_first, points, 0, 0, NULL);
    assert_less(0.005, together->measures.items[1].value);
    assert_less(greatest_distance(together->positions, rows_first->positions, 29 * 40), 1e-15);
    part_update(together, both, 0, 0, NULL);
    part_update(rows_first, both, 0, 0, NULL);
    double apart = greatest_distance(together->positions, rows_first->positions, 29 * 40);
    assert_less(1e-6, apart);
    assert_less(apart, 0.01);
    free(points);
    free(both);
    part_destroy(together);
    part_destroy(rows_first);
    ruga_mesh_destroy(sheet);
}

static double row_length(const part *d, size_t row, size_t columns) {
    double length = 0;
    for (size_t i = 1; i < columns; i++)
        length += vec3_distance(d->positions[row * columns + i], d->positions[row * columns + i - 1]);
    return length;
}

/* Waves give back a part of the length that a row lost by compression. */
static void waves_bring_the_length_back_towards_that_at_rest(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 5, 3);
    part *d = make_spline(sheet, def_of(4, 301));
    double before = 0;
    for (double scale = 0.95; scale > 0.55; scale -= 0.05) {
        ruga_vec3 *points = compressed(sheet, scale, 1, 0);
        part_update(d, points, 0, 0, NULL);
        double length = row_length(d, 2, 301), regained = (length - scale) / (1 - scale);
        assert_less(scale, length);
        assert_near(1, length, 1 - scale);
        assert_less(before, regained); /* the more is missing, the greater the part that comes back */
        before = regained;
        free(points);
    }
    assert_less(0.5, before);
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

/* Waves a row has: changes of sign of the height of a flat sheet. */
static size_t sign_changes(const part *d, size_t columns) {
    size_t changes = 0;
    double last = 0;
    for (size_t i = 0; i < columns; i++) {
        double y = d->positions[columns + i].y;
        if (fabs(y) < 1e-9) continue;
        changes += last * y < 0;
        last = y;
    }
    return changes;
}

static void the_closer_the_points_the_more_wrinkles(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 4, 3);
    part *d = make_spline(sheet, def_of(4, 801));
    size_t before = 0;
    for (double scale = 0.97; scale > 0.5; scale -= 0.1) {
        ruga_vec3 *points = compressed(sheet, scale, 1, 0);
        part_update(d, points, 0, 0, NULL);
        size_t changes = sign_changes(d, 801);
        assert_at_most(before, changes);
        before = changes;
        free(points);
    }
    /* Half the length is missing: f = 20 rad, six zeros within each of the four segments, and sin 20 > 0 leaves no
     * more. */
    assert_at_most(16, before);
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

/* Five nodes to a cell can't show sixteen waves in it: no more than a wave in four nodes is left. */
static void waves_that_the_nodes_cannot_show_are_not_made(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 4, 3);
    ruga_spline_def def = def_of(4, 21);
    def.frequency = 200;
    part *d = make_spline(sheet, def);
    ruga_vec3 *points = compressed(sheet, 0.5, 1, 0);
    part_update(d, points, 0, 0, NULL);
    assert_less(0.01, d->measures.items[1].value);
    /* f = 5 π / 2: heights at t = 1/5 … 4/5 are w A (1, 0, −1, 0). */
    for (size_t i = 0; i < 20; i++) {
        double t = (double)(i % 5) / 5, w = 2 * t * (1 - t), expected = 2 * w * w * 0.0625 * sin(2.5 * PI * t);
        assert_near(d->positions[21 + i].y, expected, 1e-12);
    }
    free(points);
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

/* The same sheet with rows and columns swapped faces the other side: its waves are the same, on the other side. */
static void rows_and_columns_are_treated_alike(void **state) {
    enum { N = 6 };
    ruga_mesh *sheet = shape_sheet(*state, N - 1, N - 1);
    ruga_vec3 *points = compressed(sheet, 0.8, 0.9, 0.2), *rest = copy_points(sheet->positions, N * N);
    ruga_vec3 swapped_rest[N * N], swapped[N * N];
    for (size_t k = 0; k < N * N; k++) {
        swapped_rest[k] = rest[k % N * N + k / N];
        swapped[k] = points[k % N * N + k / N];
    }
    ruga_mesh *other = shape_make(*state, N * N, swapped_rest, 0, NULL, (const uint32_t[]){0});
    ruga_spline_def def = def_of(23, 31), other_def = def_of(31, 23);
    def.key_rows = def.key_columns = other_def.key_rows = other_def.key_columns = N;
    part *d = make_spline(sheet, def), *e = make_spline(other, other_def);
    part_update(d, points, 0, 0, NULL);
    part_update(e, swapped, 0, 0, NULL);
    ruga_vec3 *smooth = smooth_surface(d, points, N, N, 23, 31, SPLINE_NATURAL);
    double greatest = 0;
    for (size_t j = 0; j < 23; j++)
        for (size_t i = 0; i < 31; i++) {
            ruga_vec3 s = smooth[j * 31 + i], a = vec3_sub(d->positions[j * 31 + i], s);
            ruga_vec3 b = vec3_sub(e->positions[i * 23 + j], s);
            assert_less(vec3_length(vec3_add(a, b)), 1e-14);
            greatest = fmax(greatest, vec3_length(a));
        }
    assert_less(0.005, greatest);
    free(points);
    free(rest);
    free(smooth);
    part_destroy(d);
    part_destroy(e);
    ruga_mesh_destroy(sheet);
    ruga_mesh_destroy(other);
}

/* ---- Tubes. */

static void a_tube_stays_closed_and_every_cell_waves_alike(void **state) {
    ruga_mesh *tube = shape_cylinder(*state, 12, 4);
    part *d = make_spline(tube, def_of(17, 60));
    ruga_vec3 *points = copy_points(tube->positions, tube->vertex_count);
    for (size_t v = 0; v < tube->vertex_count; v++) {
        points[v].x *= 0.8;
        points[v].z *= 0.8;
    }
    part_update(d, points, 0, 0, NULL);
    assert_less(0.005, d->measures.items[1].value);
    for (size_t j = 0; j < 17; j++)
        for (size_t i = 0; i < 60; i++) {
            ruga_vec3 p = d->positions[j * 60 + i], q = d->positions[j * 60 + (i + 5) % 60];
            assert_near(hypot(p.x, p.z), hypot(q.x, q.z), 1e-13);
            assert_near(p.y, q.y, 1e-13);
            double turn = acos(fmin((p.x * q.x + p.z * q.z) / (hypot(p.x, p.z) * hypot(q.x, q.z)), 1));
            assert_near(turn, 2 * PI / 12, 1e-9);
        }
    assert_int_equal(d->output->vertex_count, 17 * 60);
    assert_int_equal(d->output->face_count, 16 * 60);
    assert_non_null(ruga_mesh_attribute(d->output, "uv", RUGA_DOMAIN_CORNER));
    free(points);
    part_destroy(d);
    ruga_mesh_destroy(tube);
}

/* ---- Output, parameters. */

static void the_output_is_a_grid_of_any_size_with_the_input_s_uvs(void **state) {
    ruga_mesh *sheet = NULL;
    assert_ok(*state, ruga_model_make(*state, "sheet", NULL, &sheet));
    part *d = make_spline(sheet, def_of(23, 50));
    assert_int_equal(d->output->vertex_count, 23 * 50);
    assert_int_equal(d->output->face_count, 22 * 49);
    const ruga_attribute *uv = ruga_mesh_attribute(d->output, "uv", RUGA_DOMAIN_VERTEX);
    assert_non_null(uv);
    for (size_t j = 0; j < 23; j++)
        for (size_t i = 0; i < 50; i++) {
            assert_near(ruga_attribute_get(uv, j * 50 + i, 0), (double)i / 49, 1e-6);
            assert_near(ruga_attribute_get(uv, j * 50 + i, 1), (double)j / 22, 1e-6);
        }
    part_update(d, sheet->positions, 0, 0, NULL);
    ruga_vec3 normal = d->normals[0];
    for (size_t v = 0; v < 23 * 50; v++) assert_less(vec3_distance(d->normals[v], normal), 1e-12);
    assert_near(vec3_length(normal), 1, 1e-12);
    part_destroy(d);

    /* Five nodes to a cell when nothing is said; UVs of the grid where the input has none. */
    ruga_mesh *bare = shape_sheet(*state, 4, 2);
    d = make_spline(bare, spline_defaults());
    assert_int_equal(d->output->vertex_count, 21 * 11);
    uv = ruga_mesh_attribute(d->output, "uv", RUGA_DOMAIN_VERTEX);
    assert_true(uv && ruga_attribute_get(uv, 21 * 11 - 1, 1) == 1);
    part_destroy(d);
    ruga_mesh_destroy(bare);
    ruga_mesh_destroy(sheet);
}

static void amplitudes_may_be_painted_and_keyed_and_limited(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 6, 3);
    ruga_vec3 *points = compressed(sheet, 0.8, 1, 0);
    double painted[28];
    for (size_t v = 0; v < 28; v++) painted[v] = v % 7 < 3 ? 0 : 1; /* nothing left of the third key node */
    ruga_param none = ruga_param_constant(0), right = ruga_param_array(painted, 28);
    const ruga_param_key keys[2] = {{0, &none}, {1, &right}};
    ruga_spline_def def = def_of(13, 61);
    def.amplitude = ruga_param_keys(keys, 2);
    part *d = make_spline(sheet, def);
    double full = 0;
    for (int k = 0; k < 3; k++) {
        const double times[3] = {1, 0.5, 0}, parts[3] = {1, 0.5, 0};
        part_update(d, points, times[k], 0, NULL);
        for (size_t v = 0; v < 13 * 61; v++)
            if (v % 61 <= 20) assert_true(d->positions[v].y == 0);
        if (k == 0) full = d->measures.items[1].value;
        assert_near(d->measures.items[1].value, parts[k] * full, 1e-15);
    }
    assert_less(0.005, full);
    part_destroy(d);

    def = def_of(13, 61);
    def.limit = 0.001;
    def.amplitude = ruga_param_constant(5);
    d = make_spline(sheet, def);
    part_update(d, points, 0, 0, NULL);
    assert_at_most(d->measures.items[1].value, 0.001);
    assert_less(0.0009, d->measures.items[1].value);
    free(points);
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

/* The frame alone decides: after any other frame, the same frame gives the same bits. */
static void only_the_frame_counts(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 6, 3);
    part *d = make_spline(sheet, def_of(20, 30));
    ruga_vec3 *points = compressed(sheet, 0.8, 0.7, 0.1), *others = compressed(sheet, 0.6, 1, 0.7);
    part_update(d, points, 0, 0, NULL);
    ruga_vec3 *first = copy_points(d->positions, 600);
    part_update(d, others, 0.1, 0.1, NULL);
    assert_less(0.01, greatest_distance(first, d->positions, 600));
    part_settle(d, points, 0.2, NULL);
    assert_memory_equal(first, d->positions, 600 * sizeof *first);
    free(first);
    free(points);
    free(others);
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

static void any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated(void **state) {
    (void)state;
    const int threads[4] = {1, 1, 2, 7};
    ruga_vec3 *first = NULL;
    for (int run = 0; run < 8; run++) {
        int k = run % 4, order = run / 4;
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = k == 0 ? context_counting(&counter) : context_plain(threads[k]);
        ruga_mesh *sheet = shape_sheet(context, 30, 20);
        ruga_spline_def def = def_of(150, 170);
        def.order = (int)orders[order];
        part *d = make_spline(sheet, def);
        ruga_vec3 *points = compressed(sheet, 0.8, 0.7, 0.1);
        long before = counter.allocations;
        part_update(d, points, 0, 0, NULL);
        part_update(d, points, 0.1, 0.1, NULL);
        assert_int_equal(counter.allocations, before);
        if (k == 0) {
            free(first);
            first = copy_points(d->positions, 150 * 170);
        }
        assert_memory_equal(first, d->positions, 150 * 170 * sizeof *first);
        free(points);
        part_destroy(d);
        ruga_mesh_destroy(sheet);
        ruga_context_destroy(context);
    }
    free(first);
}

static void wrong_input_is_refused_at_once(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 3, 3), *ball = shape_icosahedron(*state);
    part *d = NULL;
    ruga_spline_def wrong[9];
    const char *const messages[9] = {"threshold is 1", "threshold is -0.1", "frequency is -1",
                                     "limit is -1 m",  "give both",         "do not fit a mesh of 16",
                                     "1 rows and 10",  "all together",      "amplitude: vertex 0 has 10.5"};
    for (int k = 0; k < 9; k++) wrong[k] = def_of(10, 10);
    wrong[0].threshold = 1;
    wrong[1].threshold = -0.1;
    wrong[2].frequency = -1;
    wrong[3].limit = -1;
    wrong[4].key_rows = 4;
    wrong[5].key_rows = 4;
    wrong[5].key_columns = 5;
    wrong[6].rows = 1;
    wrong[7].rows = wrong[7].columns = 1000000;
    wrong[8].amplitude = ruga_param_constant(10.5);
    for (int k = 0; k < 9; k++) {
        assert_true(RUGA_FAILED(spline_part_create(sheet, &wrong[k], &d)));
        assert_message_has(*state, messages[k]);
        assert_null(d);
    }
    ruga_spline_def def = def_of(10, 10);
    assert_status(spline_part_create(ball, &def, &d), RUGA_ERROR_INPUT);
    assert_message_has(*state, "no grid");
    d = make_spline(sheet, def);
    ruga_frame in = frame_at(sheet, sheet->positions, 0);
    in.vertex_count++;
    assert_status(try_update(d, &in, 1), RUGA_ERROR_ARGUMENT);
    part_destroy(d);
    ruga_mesh_destroy(sheet);
    ruga_mesh_destroy(ball);
}

/* The key nodes of a refined grid are the vertices that they were: the surface stays, with its painted amplitudes. */
static void the_surface_stays_when_the_grid_is_refined(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 4, 3);
    fine finer = subdivide(sheet, RUGA_SUBDIVIDE_LONG_EDGES, 2, 0.3);
    assert_less((double)sheet->vertex_count, (double)finer.mesh->vertex_count);
    ruga_map *same = identity_map(*state, sheet->vertex_count);
    ruga_vec3 *points = compressed(sheet, 0.7, 0.8, 0.1), *more = malloc(finer.mesh->vertex_count * sizeof *more);
    ruga_map_apply(finer.map, points, more);
    double painted[20];
    for (size_t v = 0; v < 20; v++) painted[v] = 0.2 + 0.03 * (double)v;
    for (int k = 0; k < 2; k++) {
        ruga_spline_def def = def_of(20, 30);
        def.order = (int)orders[k];
        def.amplitude = ruga_param_array(painted, sheet->vertex_count);
        part *d = make_spline(sheet, def);
        const ruga_mesh *output = d->output;
        part_update(d, points, 1, 0.1, NULL);
        ruga_vec3 *before = copy_points(d->positions, 600);
        const ruga_map *maps[2] = {same, finer.map};
        for (int i = 0; i < 2; i++) {
            assert_ok(*state, try_rebuild(d, i == 0 ? sheet : finer.mesh, maps[i]));
            assert_ptr_equal(d->output, output);
            assert_int_equal(d->output_from_old->rows, 600);
            assert_null(d->output_from_first);
            assert_memory_equal(d->positions, before, 600 * sizeof *before);
            part_update(d, i == 0 ? points : more, 1, 0, NULL);
            assert_memory_equal(d->positions, before, 600 * sizeof *before);
        }
        ruga_map *all = identity_map(*state, finer.mesh->vertex_count), less = *all;
        less.rows = 12;
        assert_status(try_rebuild(d, sheet, &less), RUGA_ERROR_UNSUPPORTED);
        assert_message_has(*state, "spline: vertex 12 of the grid is gone");
        ruga_map_destroy(all);
        part_destroy(d);
        free(before);
    }
    ruga_map_destroy(same);
    free(points);
    free(more);
    fine_release(finer);
    ruga_mesh_destroy(sheet);
}

static ruga_status make(ruga_context *context, void *user) {
    ruga_mesh mesh = *(const ruga_mesh *)user;
    mesh.context = context;
    ruga_spline_def def = def_of(7, 8);
    def.order = SPLINE_ROWS_FIRST;
    part *d = NULL;
    ruga_status status = spline_part_create(&mesh, &def, &d);
    ruga_map *same = identity_map(((const ruga_mesh *)user)->context, mesh.vertex_count);
    if (!RUGA_FAILED(status)) status = try_rebuild(d, &mesh, same);
    ruga_map_destroy(same);
    part_destroy(d);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 3, 3), *tube = shape_cylinder(*state, 6, 3);
    assert_less(20, assert_every_allocation_may_fail(make, sheet));
    assert_less(20, assert_every_allocation_may_fail(make, tube));
    ruga_mesh_destroy(sheet);
    ruga_mesh_destroy(tube);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_is_at_most_a_quarter_of_what_is_missing),
        cmocka_unit_test(the_paper_s_envelope_is_equation_14),
        cmocka_unit_test(the_smooth_envelope_ends_without_a_slope_and_the_printed_one_with),
        cmocka_unit_test(waves_come_and_go_without_a_jump),
        cmocka_unit_test(without_compression_the_surface_is_exactly_the_smooth_one),
        cmocka_unit_test(rigid_motions_move_the_wrinkles_along),
        cmocka_unit_test(key_nodes_that_are_nodes_stay_exactly_where_they_are),
        cmocka_unit_test(curves_go_smoothly_through_key_nodes_unless_the_paper_s_kink_is_wanted),
        cmocka_unit_test(wrinkles_come_and_go_without_a_jump),
        cmocka_unit_test(a_flat_sheet_compressed_along_its_rows_is_the_same_in_both_orders),
        cmocka_unit_test(waves_bring_the_length_back_towards_that_at_rest),
        cmocka_unit_test(the_closer_the_points_the_more_wrinkles),
        cmocka_unit_test(waves_that_the_nodes_cannot_show_are_not_made),
        cmocka_unit_test(rows_and_columns_are_treated_alike),
        cmocka_unit_test(a_tube_stays_closed_and_every_cell_waves_alike),
        cmocka_unit_test(the_output_is_a_grid_of_any_size_with_the_input_s_uvs),
        cmocka_unit_test(amplitudes_may_be_painted_and_keyed_and_limited),
        cmocka_unit_test(only_the_frame_counts),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated),
        cmocka_unit_test(the_surface_stays_when_the_grid_is_refined),
        cmocka_unit_test(wrong_input_is_refused_at_once),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
