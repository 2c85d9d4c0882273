/* The detail "spline": waves that are coherent in time. */
#include "math/spline_surface.h"
#include "part_support.h"
#include "wrinkle/spline_part.h"

#define PI 3.14159265358979323846
enum { CELLS = 12, NODES = 85, ALL = NODES * NODES }; /* seven nodes to a cell */

static part *make_spline(const ruga_mesh *mesh, size_t rows, size_t columns, double amplitude) {
    ruga_spline_def def;
    part *d = NULL;
    ruga_section_defaults(ruga_scene_section_find("objects.details.spline"), &def);
    assert_int_equal(def.waves, SPLINE_COHERENT);
    def.rows = (int)rows;
    def.columns = (int)columns;
    def.amplitude = ruga_param_constant(amplitude);
    assert_ok(mesh->context, spline_part_create(mesh, &def, &d));
    return d;
}

/* A sheet in the plane y = 0, pressed together by a share along a direction. */
static ruga_vec3 *pressed(const ruga_mesh *mesh, double share, double angle) {
    ruga_vec3 *points = copy_points(mesh->positions, mesh->vertex_count);
    ruga_vec3 n = {cos(angle), 0, sin(angle)};
    for (size_t v = 0; v < mesh->vertex_count; v++)
        points[v] = vec3_add_scaled(points[v], n, -share * vec3_dot(n, points[v]));
    return points;
}

static void without_compression_the_surface_is_exactly_the_smooth_one(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 9, 9);
    part *d = make_spline(sheet, 50, 50, 1), *smooth = make_spline(sheet, 50, 50, 0);
    ruga_vec3 *points = pressed(sheet, -0.2, 0.7);
    part_update(d, sheet->positions, 0, 0, NULL);
    assert_memory_equal(d->positions, d->output->positions, 2500 * sizeof *d->positions);
    part_update(d, points, 0, 0, NULL);
    part_update(smooth, points, 0, 0, NULL);
    assert_memory_equal(d->positions, smooth->positions, 2500 * sizeof *d->positions);
    assert_true(d->measures.items[0].value == 0 && d->measures.items[1].value == 0);
    free(points);
    part_destroy(d);
    part_destroy(smooth);
    ruga_mesh_destroy(sheet);
}

/* A row in the middle of the sheet is as long as at rest, but for what lets waves begin gently. */
static void waves_bring_the_length_back(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, CELLS, CELLS);
    part *d = make_spline(sheet, NODES, NODES, 1);
    for (double share = 0.02; share < 0.35; share += 0.04) {
        ruga_vec3 *points = pressed(sheet, share, 0);
        double missing = 0, regained = 0;
        part_update(d, points, 0, 0, NULL);
        for (size_t j = 0; j < NODES; j++)
            for (size_t i = 0; i + 1 < NODES; i++) {
                const ruga_vec3 *row = d->positions + j * NODES, *rest = d->output->positions + j * NODES;
                double flat = (1 - share) * vec3_distance(rest[i], rest[i + 1]);
                missing += vec3_distance(rest[i], rest[i + 1]) - flat;
                regained += vec3_distance(row[i], row[i + 1]) - flat;
            }
        assert_near_case(regained / missing, share < 0.05 ? 0.6 : 0.8, 0.2, "pressed by %g", share);
        free(points);
    }
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

/* The mean of (gradient)(gradient)T has its greater eigenvector where the sheet is pressed. */
static void crests_run_across_the_strongest_compression(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, CELLS, CELLS);
    part *d = make_spline(sheet, NODES, NODES, 1);
    for (double angle = 0; angle < PI; angle += 0.13) {
        ruga_vec3 *points = pressed(sheet, 0.15, angle);
        double xx = 0, xz = 0, zz = 0;
        part_update(d, points, 0, 0, NULL);
        for (size_t j = 1; j < NODES; j++)
            for (size_t i = 1; i < NODES; i++) {
                const ruga_vec3 *p = d->positions + j * NODES + i, *r = d->output->positions + j * NODES + i;
                double along = (p->y - p[-1].y) / vec3_distance(*r, r[-1]);
                double up = (p->y - p[-NODES].y) / vec3_distance(*r, r[-NODES]);
                ruga_vec3 u = vec3_normalise(vec3_sub(*r, r[-1])), w = vec3_normalise(vec3_sub(*r, r[-NODES]));
                double x = along * u.x + up * w.x, z = along * u.z + up * w.z;
                xx += x * x;
                xz += x * z;
                zz += z * z;
            }
        double found = 0.5 * atan2(2 * xz, xx - zz);
        assert_less_case(fabs(sin(found - angle)), sin(10 * PI / 180), "pressed along %g rad", angle);
        free(points);
    }
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

/* Nodes on rows and columns of key nodes are as high as others: no slots along the grid. */
static void heights_do_not_know_the_grid(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, CELLS, CELLS);
    part *d = make_spline(sheet, NODES, NODES, 1);
    ruga_vec3 *points = pressed(sheet, 0.2, 0.5);
    double on = 0, off = 0;
    size_t on_count = 0;
    part_update(d, points, 0, 0, NULL);
    for (size_t k = 0; k < ALL; k++) {
        int is_on = k % NODES % (NODES / CELLS) == 0 || k / NODES % (NODES / CELLS) == 0;
        *(is_on ? &on : &off) += d->positions[k].y * d->positions[k].y;
        on_count += (size_t)is_on;
    }
    assert_near(sqrt(on / (double)on_count) / sqrt(off / (double)(ALL - on_count)), 1, 0.1);
    free(points);
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

/* Cloth in the wind: travelling bends, and compression that runs through it and turns. */
static void flutter(const ruga_vec3 *rest, size_t count, double time, ruga_vec3 *out) {
    for (size_t v = 0; v < count; v++) {
        ruga_vec3 p = rest[v];
        double x = p.x - 0.1 * (0.5 + 0.5 * sin(2 * p.z - 4 * time)) * p.x;
        double z = p.z - 0.08 * (1 + sin(3 * p.x - 5 * time)) * p.z + 0.1 * sin(2 * time) * p.x;
        out[v] = (ruga_vec3){x, 0.15 * sin(4 * p.x - 6 * time), z};
    }
}

/* spline_coherence: the mean correlation of the heights of a frame with those of the next, at 24 frames per second. */
static void wrinkles_are_coherent_from_frame_to_frame(void **state) {
    enum { FRAMES = 96 };
    ruga_mesh *sheet = shape_sheet(*state, CELLS, CELLS);
    part *d = make_spline(sheet, NODES, NODES, 1), *smooth = make_spline(sheet, NODES, NODES, 0);
    ruga_vec3 *points = copy_points(sheet->positions, sheet->vertex_count);
    double *heights = calloc(2 * ALL, sizeof *heights), sum = 0, least = 1;
    size_t swapped = 0, seen = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        double *now = heights + frame % 2 * ALL, *then = heights + (frame + 1) % 2 * ALL, aa = 0, ab = 0, bb = 0;
        flutter(sheet->positions, sheet->vertex_count, frame / 24.0, points);
        part_update(d, points, frame / 24.0, 1 / 24.0, NULL);
        part_update(smooth, points, frame / 24.0, 1 / 24.0, NULL);
        for (size_t k = 0; k < ALL; k++) {
            /* Its own normals have waves; those of the smooth part are the directions of the heights nearly. */
            now[k] = vec3_dot(vec3_sub(d->positions[k], smooth->positions[k]), smooth->normals[k]);
            aa += then[k] * then[k];
            ab += then[k] * now[k];
            bb += now[k] * now[k];
            if (frame == 0 || fmin(fabs(now[k]), fabs(then[k])) < 0.005) continue;
            seen++;
            swapped += now[k] * then[k] < 0;
        }
        if (frame == 0) continue;
        sum += ab / sqrt(aa * bb);
        least = fmin(least, ab / sqrt(aa * bb));
    }
    print_message("spline_coherence %.4f, least %.4f, crests that become troughs %.4f %%\n", sum / (FRAMES - 1), least,
                  100.0 * (double)swapped / (double)seen);
    assert_less(0.97, sum / (FRAMES - 1));
    assert_less((double)swapped, 0.001 * (double)seen);
    assert_less(50000, (double)seen);
    free(heights);
    free(points);
    part_destroy(d);
    part_destroy(smooth);
    ruga_mesh_destroy(sheet);
}

/* Heights over a ring have no jump where the tube closes. */
static void a_tube_stays_closed(void **state) {
    enum { AROUND = 96, ROWS = 33 };
    ruga_mesh *tube = shape_cylinder(*state, 16, 4);
    part *d = make_spline(tube, ROWS, AROUND, 1);
    ruga_vec3 *points = copy_points(tube->positions, tube->vertex_count);
    double seam = 0, elsewhere = 0;
    for (size_t v = 0; v < tube->vertex_count; v++) {
        points[v].x *= 0.85;
        points[v].z *= 0.85;
    }
    part_update(d, points, 0, 0, NULL);
    assert_less(0.005, d->measures.items[1].value);
    for (size_t j = 0; j < ROWS; j++)
        for (size_t i = 0; i < AROUND; i++) {
            ruga_vec3 p = d->positions[j * AROUND + i], q = d->positions[j * AROUND + (i + 1) % AROUND];
            double step = fabs(hypot(p.x, p.z) - hypot(q.x, q.z));
            if (i + 1 == AROUND)
                seam = fmax(seam, step);
            else
                elsewhere = fmax(elsewhere, step);
        }
    assert_at_most(seam, elsewhere);
    free(points);
    part_destroy(d);
    ruga_mesh_destroy(tube);
}

static void turns_and_threads_change_nothing_and_nothing_is_allocated(void **state) {
    (void)state;
    ruga_vec3 *first = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = threads == 1 ? context_counting(&counter) : context_plain(threads);
        ruga_mesh *sheet = shape_sheet(context, CELLS, CELLS);
        part *d = make_spline(sheet, NODES, NODES, 1);
        ruga_vec3 *points = pressed(sheet, 0.2, 0.5);
        long before = counter.allocations;
        part_update(d, points, 0, 0, NULL);
        assert_int_equal(counter.allocations, before);
        if (!first) first = copy_points(d->positions, ALL);
        assert_memory_equal(first, d->positions, ALL * sizeof *first);
        for (size_t v = 0; v < sheet->vertex_count; v++)
            points[v] = (ruga_vec3){1 - points[v].z, points[v].x, 2 - points[v].y};
        part_update(d, points, 0, 0, NULL);
        for (size_t k = 0; k < ALL; k++) {
            ruga_vec3 turned = {1 - first[k].z, first[k].x, 2 - first[k].y};
            assert_less(vec3_distance(turned, d->positions[k]), 1e-12);
        }
        free(points);
        part_destroy(d);
        ruga_mesh_destroy(sheet);
        ruga_context_destroy(context);
    }
    free(first);
}

static ruga_status make(ruga_context *context, void *user) {
    (void)user;
    ruga_mesh *sheet = NULL;
    part *d = NULL;
    const double values[8] = {1, 1, 3, 3, 1, 0, 0, 1};
    ruga_spline_def def;
    ruga_section_defaults(ruga_scene_section_find("objects.details.spline"), &def);
    ruga_status status = ruga_model_make(context, "sheet", values, &sheet);
    if (!RUGA_FAILED(status)) status = spline_part_create(sheet, &def, &d);
    part_destroy(d);
    ruga_mesh_destroy(sheet);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(20, assert_every_allocation_may_fail(make, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_compression_the_surface_is_exactly_the_smooth_one),
        cmocka_unit_test(waves_bring_the_length_back),
        cmocka_unit_test(crests_run_across_the_strongest_compression),
        cmocka_unit_test(heights_do_not_know_the_grid),
        cmocka_unit_test(wrinkles_are_coherent_from_frame_to_frame),
        cmocka_unit_test(a_tube_stays_closed),
        cmocka_unit_test(turns_and_threads_change_nothing_and_nothing_is_allocated),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
