/* Minimisers of compliant solvers: the same one for both methods, any number of iterations a call, any number of
 * threads. */
#include "compliant_sheet.h"
#include "solve/compliant_parts.h"

#define CELLS 20
#define SPACING 0.05
#define WAVELENGTH 0.4
#define SQUEEZED 64 /* cells along each side: several tiles */

/* A sheet that has buckled under a compression of 6 % and settled. */
static test_sheet *buckled_make(ruga_context *context, sheet_kind kind) {
    test_sheet *s = test_sheet_make(context, kind, CELLS, CELLS, SPACING);
    test_sheet_dress(s, sheet_material_make(WAVELENGTH, SHEET_CRITICAL_STRAIN), 1);
    for (size_t i = 0; i < s->count; i++) s->anchors[4 * i + 3] = (float)sheet_radius(WAVELENGTH, 0.25);
    test_sheet_squeeze(s, 0.94, 1);
    test_sheet_seed(s, WAVELENGTH, 0.01 * WAVELENGTH);
    compliant *c = NULL;
    assert_ok(context, compliant_create(context, &s->def, &c));
    compliant_run(c, &s->limits, 3000, s->points);
    compliant_destroy(c);
    return s;
}

static compliant *solver_of(test_sheet *s, compliant_method method) {
    compliant *c = NULL;
    compliant_def def = s->def;
    def.method = method;
    assert_ok(s->context, compliant_create(s->context, &def, &c));
    return c;
}

static float *points_copy(const test_sheet *s) {
    float *copy = malloc(4 * s->count * sizeof *copy);
    memcpy(copy, s->points, 4 * s->count * sizeof *copy);
    return copy;
}

static double distance(const float *a, const float *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < 4 * count; i++) {
        if (i % 4 == 3) continue;
        double d = (double)a[i] - (double)b[i];
        sum += d * d;
    }
    return sqrt(sum);
}

/* The base moves on by a little; offsets stay. */
static void move_on(test_sheet *s, double x) {
    float *offsets = points_copy(s);
    for (size_t i = 0; i < 4 * s->count; i++) offsets[i] -= s->anchors[i];
    test_sheet_squeeze(s, x, 1);
    for (size_t i = 0; i < 4 * s->count; i++)
        if (i % 4 < 3) s->points[i] = s->anchors[i] + offsets[i];
    free(offsets);
}

/* From a settled frame, a little further: then both are in one basin. */
static void both_methods_meet_the_same_minimiser(void **state) {
    skip_when_sanitized();
    test_sheet *s = buckled_make(*state, SHEET_SQUARES);
    move_on(s, 0.925);
    float *start = points_copy(s), *plain = points_copy(s), *accelerated = points_copy(s);
    compliant *p = solver_of(s, COMPLIANT_PLAIN), *a = solver_of(s, COMPLIANT_ACCELERATED);
    compliant_run(p, &s->limits, 8000, plain);
    compliant_run(a, &s->limits, 8000, accelerated);
    double start_energy = compliant_energy(p, &s->limits, start, NULL);
    double plain_energy = compliant_energy(p, &s->limits, plain, NULL);
    double accelerated_energy = compliant_energy(p, &s->limits, accelerated, NULL);
    assert_less(1e-3, distance(start, accelerated, s->count));
    double apart = distance(plain, accelerated, s->count), moved = distance(start, accelerated, s->count);
    fail_if(!(apart < 5e-3 * moved), "%g apart after %g", apart, moved);
    assert_near(plain_energy, accelerated_energy, 1e-3 * (start_energy - accelerated_energy));
    compliant_destroy(p), compliant_destroy(a);
    free(start), free(plain), free(accelerated);
    test_sheet_destroy(s);
}

static void the_minimiser_does_not_depend_on_iterations_a_call(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    test_sheet *s = buckled_make(*state, SHEET_SQUARES);
    move_on(s, 0.936);
    for (int method = 0; method < 2; method++) {
        float *start = points_copy(s), *long_run = points_copy(s), *short_runs = points_copy(s);
        compliant *c = solver_of(s, method == 0 ? COMPLIANT_PLAIN : COMPLIANT_ACCELERATED);
        compliant_run(c, &s->limits, 6000, long_run);
        for (int k = 0; k < 600; k++) compliant_run(c, &s->limits, 10, short_runs);
        double moved = distance(start, long_run, s->count);
        if (method == 0) assert_memory_equal(long_run, short_runs, 4 * s->count * sizeof(float));
        fail_if(!(distance(long_run, short_runs, s->count) < 0.02 * moved), "method %d: %g of %g", method,
                distance(long_run, short_runs, s->count), moved);
        compliant_destroy(c);
        free(start), free(long_run), free(short_runs);
    }
    test_sheet_destroy(s);
}

/* Bit for bit; a run that only starts again loses its momentum and ends elsewhere. */
static void a_continued_run_is_one_long_run(void **state) {
    test_sheet *s = test_sheet_make(*state, SHEET_SQUARES, 24, 24, SPACING);
    test_sheet_dress(s, sheet_material_make(WAVELENGTH, SHEET_CRITICAL_STRAIN), 1);
    for (size_t i = 0; i < s->count; i++) s->anchors[4 * i + 3] = (float)sheet_radius(WAVELENGTH, 0.25);
    test_sheet_squeeze(s, 0.94, 1);
    test_sheet_seed(s, WAVELENGTH, 0.01 * WAVELENGTH);
    for (int method = 0; method < 2; method++) {
        const size_t size = 4 * s->count * sizeof(float);
        float *at_once = points_copy(s), *continued = points_copy(s), *again = points_copy(s);
        compliant *c = solver_of(s, method == 0 ? COMPLIANT_PLAIN : COMPLIANT_ACCELERATED);
        compliant_run(c, &s->limits, 61, at_once);
        compliant_run(c, &s->limits, 20, continued);
        for (int k = 0; k < 41; k += k == 0 ? 1 : 20) compliant_continue(c, &s->limits, k == 0 ? 1 : 20, continued);
        for (int k = 0; k < 61; k += k == 0 ? 1 : 20) compliant_run(c, &s->limits, k == 0 ? 1 : 20, again);
        assert_memory_equal(at_once, continued, size);
        if (method == 1) assert_memory_not_equal(at_once, again, size);
        compliant_destroy(c);
        free(at_once), free(continued), free(again);
    }
    test_sheet_destroy(s);
}

/* Moves the first eighth of a strip towards the rest; points come along. */
static void press_end(test_sheet *s, float compression) {
    const float border = (float)SPACING * (float)s->columns / 8;
    for (size_t i = 0; i < s->count; i++) {
        float *x = s->anchors + 4 * i, moved = compression * (border - *x);
        if (moved > 0) *x += moved, s->points[4 * i] += moved;
    }
}

/* A long strip has buckled at one end, and is compressed further there. The rest soon waits, and the energy becomes
 * that of one long run without waiting. */
static void parts_that_wait_do_not_change_the_minimum(void **state) {
    enum { LONG = 192, CALLS = 30 };
    skip_when_sanitized();
    test_sheet *s = test_sheet_make(*state, SHEET_SQUARES, LONG, CELLS, SPACING);
    test_sheet_dress(s, sheet_material_make(WAVELENGTH, SHEET_CRITICAL_STRAIN), 1);
    for (size_t i = 0; i < s->count; i++) s->anchors[4 * i + 3] = (float)sheet_radius(WAVELENGTH, 0.25);
    press_end(s, 0.06f);
    test_sheet_seed(s, WAVELENGTH, 0.01 * WAVELENGTH);
    compliant *c = solver_of(s, COMPLIANT_ACCELERATED);
    assert_at_most(3, c->slices.tile_count);
    compliant_run(c, &s->limits, 3000, s->points);
    press_end(s, 0.015f);
    float *end = points_copy(s);
    const double start_energy = compliant_energy(c, &s->limits, s->points, NULL);
    compliant_run(c, &s->limits, 4000, end);
    compliant_run(c, &s->limits, 64, s->points);
    int waited = 0, all = 0;
    for (int calls = 0; calls < CALLS || !all; calls++) {
        all = compliant_settle(c, &s->limits, 64, s->points);
        waited += !all;
    }
    const double end_energy = compliant_energy(c, &s->limits, end, NULL);
    assert_at_most(2, waited);
    assert_near(compliant_energy(c, &s->limits, s->points, NULL), end_energy, 0.01 * (start_energy - end_energy));
    compliant_destroy(c);
    free(end);
    test_sheet_destroy(s);
}

/* The soft modes that are left after some iterations are what acceleration is for. */
static void acceleration_needs_a_fifth_of_the_iterations(void **state) {
    skip_when_sanitized();
    test_sheet *s = buckled_make(*state, SHEET_IRREGULAR);
    move_on(s, 0.93);
    float *end = points_copy(s), *plain = points_copy(s), *accelerated = points_copy(s);
    compliant *p = solver_of(s, COMPLIANT_PLAIN), *a = solver_of(s, COMPLIANT_ACCELERATED);
    compliant_run(a, &s->limits, 8000, end);
    double moved = distance(end, plain, s->count);
    int needed[2] = {0, 0};
    for (; distance(end, plain, s->count) > 0.01 * moved && needed[0] < 8000; needed[0] += 10)
        compliant_run(p, &s->limits, 10, plain);
    while (distance(end, accelerated, s->count) > 0.01 * moved && needed[1] < 8000) {
        memcpy(accelerated, s->points, 4 * s->count * sizeof(float));
        needed[1] += 10;
        compliant_run(a, &s->limits, needed[1], accelerated);
    }
    fail_if(needed[0] < 5 * needed[1], "plain %d, accelerated %d iterations", needed[0], needed[1]);
    compliant_destroy(p), compliant_destroy(a);
    free(end), free(plain), free(accelerated);
    test_sheet_destroy(s);
}

/* A bumpy sheet, dressed at rest. */
static test_sheet *bumpy_make(ruga_context *context, size_t nx, size_t ny) {
    test_sheet *s = test_sheet_make(context, SHEET_IRREGULAR, nx, ny, SPACING);
    for (size_t i = 0; i < s->count; i++) {
        float *p = s->rest + 4 * i, slope = 0.5f * cosf(10 * p[0]), length = sqrtf(1 + slope * slope);
        p[2] = 0.05f * sinf(10 * p[0]);
        s->normals[4 * i] = -slope / length;
        s->normals[4 * i + 2] = 1 / length;
        memcpy(s->anchors + 4 * i, p, 3 * sizeof(float));
        s->anchors[4 * i + 3] = 0.01f;
    }
    memcpy(s->points, s->rest, 4 * s->count * sizeof(float));
    test_sheet_dress(s, sheet_material_make(WAVELENGTH, SHEET_CRITICAL_STRAIN), 0.25f);
    return s;
}

static void at_rest_nothing_moves_by_a_bit(void **state) {
    test_sheet *s = bumpy_make(*state, 13, 11);
    compliant_hinge *hinges = calloc(s->edges->pair_count, sizeof *hinges);
    sheet_hinges(&s->sheet, hinges);
    s->def.hinges = hinges;
    for (int method = 0; method < 2; method++)
        for (int bend = 0; bend < 2; bend++) {
            s->def.hinge_count = bend == 0 ? 0 : s->edges->pair_count;
            s->limits.one_sided = bend;
            compliant *c = solver_of(s, method == 0 ? COMPLIANT_PLAIN : COMPLIANT_ACCELERATED);
            assert_true(compliant_run(c, &s->limits, 30, s->points) == 0);
            assert_memory_equal(s->points, s->rest, 4 * s->count * sizeof(float));
            compliant_destroy(c);
        }
    free(hinges);
    test_sheet_destroy(s);
}

/* Runs a bumpy sheet of several tiles that is squeezed, with every kind of limit. */
static float *squeezed_run(ruga_context *context, int kind) {
    test_sheet *s = bumpy_make(context, SQUEEZED, SQUEEZED);
    uint32_t *offsets = calloc(s->count + 1, sizeof *offsets);
    float *planes = calloc(4 * s->count, sizeof *planes);
    for (size_t i = 0; i < s->count; i++) {
        planes[4 * i + 2] = 1;
        planes[4 * i + 3] = -0.004f;
        offsets[i + 1] = (uint32_t)(i + 1);
    }
    compliant_hinge *hinges = calloc(s->edges->pair_count, sizeof *hinges);
    sheet_hinges(&s->sheet, hinges);
    s->def.hinges = hinges;
    s->def.hinge_count = kind == 3 ? s->edges->pair_count : 0;
    s->limits.one_sided = kind == 1;
    s->limits.along_normals = kind == 2;
    if (kind == 4) s->limits.plane_offsets = offsets, s->limits.planes = planes;
    compliant *c = solver_of(s, COMPLIANT_ACCELERATED);
    test_sheet_squeeze(s, 0.9, 0.97);
    test_sheet_start(s, 0.002);
    compliant_run(c, &s->limits, 11, s->points);
    float *points = points_copy(s);
    compliant_destroy(c);
    free(offsets), free(planes), free(hinges);
    test_sheet_destroy(s);
    return points;
}

static void threads_and_instruction_sets_change_no_bit(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        ruga_context *one = context_plain(1);
        float *expected = squeezed_run(one, kind);
        size_t size = (SQUEEZED + 1) * (SQUEEZED + 1) * 4 * sizeof(float);
        for (int threads = 2; threads <= 8; threads += threads == 2 ? 1 : 5) {
            ruga_context *many = context_plain(threads);
            float *found = squeezed_run(many, kind);
            assert_memory_equal(found, expected, size);
            free(found);
            ruga_context_destroy(many);
        }
        for (ruga_isa isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
            ruga_context_def def = ruga_context_def_default();
            ruga_context *context = NULL;
            def.thread_count = 1;
            def.isa = isa;
            if (RUGA_FAILED(ruga_context_create(&def, &context))) continue;
            float *found = squeezed_run(context, kind);
            assert_memory_equal(found, expected, size);
            free(found);
            ruga_context_destroy(context);
        }
        free(expected);
        ruga_context_destroy(one);
    }
}

/* Threads rely on this: tiles of one parity do not pull at each other, nor do the lanes of a slice. */
static void tiles_and_slices_keep_connected_points_apart(void **state) {
    test_sheet *s = bumpy_make(*state, SQUEEZED, SQUEEZED);
    compliant *c = solver_of(s, COMPLIANT_ACCELERATED);
    const compliant_slices *slices = &c->slices;
    assert_at_most(3, slices->tile_count);
    uint32_t *tiles = calloc(slices->count, sizeof *tiles);
    for (uint32_t t = 0; t < slices->tile_count; t++)
        for (size_t k = slices->tile_offsets[t]; k < slices->tile_offsets[t + 1]; k++) tiles[k] = t;
    for (size_t k = 0; k < s->def.curvature_count; k++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++) {
                uint32_t p = slices->slots[s->curvatures[k].points[a]] / COMPLIANT_LANES;
                uint32_t q = slices->slots[s->curvatures[k].points[b]] / COMPLIANT_LANES;
                assert_true(p != q);
                assert_at_most(tiles[p], tiles[q] + 1);
                assert_at_most(tiles[q], tiles[p] + 1);
            }
    for (size_t i = 0; i < s->count; i++) assert_int_equal(slices->order[slices->slots[i]], i);
    free(tiles);
    compliant_destroy(c);
    test_sheet_destroy(s);
}

static void no_point_leaves_its_limits(void **state) {
    for (int method = 0; method < 2; method++)
        for (int kind = 0; kind < 3; kind++) {
            test_sheet *s = bumpy_make(*state, 13, 11);
            s->limits.one_sided = kind == 1;
            s->limits.along_normals = kind == 2;
            compliant *c = solver_of(s, method == 0 ? COMPLIANT_PLAIN : COMPLIANT_ACCELERATED);
            test_sheet_squeeze(s, 0.8, 0.9);
            test_sheet_start(s, 0.01);
            for (int k = 0; k < 20; k++) {
                compliant_run(c, &s->limits, 3, s->points);
                for (size_t i = 0; i < s->count; i++) {
                    const float *a = s->anchors + 4 * i, *n = s->normals + 4 * i, *p = s->points + 4 * i;
                    double o[3], along = 0, squared = 0;
                    for (int x = 0; x < 3; x++) {
                        o[x] = (double)p[x] - (double)a[x];
                        along += o[x] * (double)n[x];
                        squared += o[x] * o[x];
                    }
                    assert_at_most(sqrt(squared), 0.01 * (1 + 1e-5) + 1e-7);
                    if (kind == 1) assert_at_most(-1e-7, along);
                    for (int x = 0; kind == 2 && x < 3; x++) assert_at_most(fabs(o[x] - along * (double)n[x]), 1e-6);
                }
            }
            compliant_destroy(c);
            test_sheet_destroy(s);
        }
}

static void numbers_that_are_set_count_as_if_made_with_them(void **state) {
    for (int method = 0; method < 2; method++) {
        test_sheet *s = bumpy_make(*state, 13, 11);
        compliant_method which = method == 0 ? COMPLIANT_PLAIN : COMPLIANT_ACCELERATED;
        compliant *before = solver_of(s, which);
        for (size_t e = 0; e < s->def.spring_count; e++) s->springs[e].length *= 1.05f;
        for (size_t e = 0; e < s->def.curvature_count; e++) s->curvatures[e].stiffness *= 2;
        for (size_t i = 0; i < s->count; i++) s->foundations[i] *= 0.5f;
        s->def.slide_stiffness = 1;
        compliant_set(before, &s->def);
        compliant *after = solver_of(s, which);
        float *changed = points_copy(s), *made = points_copy(s);
        compliant_run(before, &s->limits, 40, changed);
        compliant_run(after, &s->limits, 40, made);
        assert_memory_equal(changed, made, 4 * s->count * sizeof(float));
        assert_memory_not_equal(changed, s->points, 4 * s->count * sizeof(float));
        compliant_destroy(before), compliant_destroy(after);
        free(changed), free(made);
        test_sheet_destroy(s);
    }
}

static ruga_status create_one(ruga_context *context, void *user) {
    const compliant_def *def = user;
    compliant *c = NULL;
    ruga_status status = compliant_create(context, def, &c);
    compliant_destroy(c);
    return status;
}

static void every_allocation_may_fail_and_runs_make_none(void **state) {
    test_sheet *s = bumpy_make(*state, 13, 11);
    compliant_hinge *hinges = calloc(s->edges->pair_count, sizeof *hinges);
    sheet_hinges(&s->sheet, hinges);
    s->def.hinges = hinges;
    s->def.hinge_count = s->edges->pair_count;
    for (int method = 0; method < 2; method++) {
        s->def.method = method == 0 ? COMPLIANT_PLAIN : COMPLIANT_ACCELERATED;
        assert_less(5, assert_every_allocation_may_fail(create_one, &s->def));

        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = context_counting(&counter);
        compliant *c = NULL;
        assert_ok(context, compliant_create(context, &s->def, &c));
        long made = counter.allocations;
        compliant_run(c, &s->limits, 20, s->points);
        compliant_set(c, &s->def);
        compliant_energy(c, &s->limits, s->points, NULL);
        assert_int_equal(counter.allocations, made);
        compliant_destroy(c);
        ruga_context_destroy(context);
    }
    free(hinges);
    test_sheet_destroy(s);
}

static void a_solver_of_nothing_is_fine(void **state) {
    for (int method = 0; method < 2; method++) {
        compliant_def def = {.method = method == 0 ? COMPLIANT_PLAIN : COMPLIANT_ACCELERATED, .point_count = 3};
        float points[12] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0}, before[12];
        memcpy(before, points, sizeof before);
        compliant *c = NULL;
        assert_ok(*state, compliant_create(*state, &def, &c));
        assert_true(compliant_run(c, NULL, 5, points) == 0);
        assert_true(compliant_energy(c, NULL, points, NULL) == 0);
        assert_memory_equal(points, before, sizeof before);
        compliant_destroy(c);
    }
    compliant_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_methods_meet_the_same_minimiser),
        cmocka_unit_test(the_minimiser_does_not_depend_on_iterations_a_call),
        cmocka_unit_test(parts_that_wait_do_not_change_the_minimum),
        cmocka_unit_test(a_continued_run_is_one_long_run),
        cmocka_unit_test(acceleration_needs_a_fifth_of_the_iterations),
        cmocka_unit_test(at_rest_nothing_moves_by_a_bit),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
        cmocka_unit_test(tiles_and_slices_keep_connected_points_apart),
        cmocka_unit_test(no_point_leaves_its_limits),
        cmocka_unit_test(numbers_that_are_set_count_as_if_made_with_them),
        cmocka_unit_test(every_allocation_may_fail_and_runs_make_none),
        cmocka_unit_test(a_solver_of_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
