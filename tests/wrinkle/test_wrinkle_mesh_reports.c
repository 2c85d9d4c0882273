/* Reports of a wrinkle mesh, and warnings of results that may not be intended. */
#include <stdio.h>

#include "wrinkle_mesh_support.h"

typedef struct messages {
    int warnings;
    char first[1024], last[1024];
} messages;

static void store_message(void *user, ruga_log_level level, const char *message) {
    messages *h = user;
    h->warnings += level == RUGA_LOG_WARNING;
    strncpy(h->last, message, sizeof h->last - 1);
    if (!h->first[0]) strncpy(h->first, message, sizeof h->first - 1);
}

static ruga_context *context_with_log(messages *h) {
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    def.log = store_message;
    def.log_user = h;
    ruga_context *context = NULL;
    assert_status(ruga_context_create(&def, &context), RUGA_OK);
    return context;
}

/* ---- Warnings. */

static void radii_above_half_an_edge_and_waves_too_short_for_the_mesh_give_warnings(void **state) {
    (void)state;
    messages h = {0};
    ruga_context *context = context_with_log(&h);
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    double radii[13 * 13];
    for (size_t v = 0; v < 13 * 13; v++) radii[v] = 0.01;
    def.radius = ruga_param_array(radii, 13 * 13);
    wrinkled w = wrinkle_regular(shape_sheet(context, 4, 4), 3, &def);
    assert_int_equal(ruga_wrinkle_mesh_get_report(w.mesh).wide_count, 0);
    assert_int_equal(h.warnings, 0);
    wrinkled_release(w);
    const size_t wide[] = {77, 78, 30, 90, 91};
    for (size_t i = 0; i < 5; i++) radii[wide[i]] = 0.3 - 0.02 * (double)i;
    w = wrinkle_regular(shape_sheet(context, 4, 4), 3, &def);
    ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(w.mesh);
    assert_int_equal(report.wide_count, 5);
    for (size_t i = 0; i < RUGA_WRINKLE_WIDEST; i++) {
        assert_int_equal(report.widest_vertices[i], wide[i]);
        assert_less(4, report.widest_ratios[i]);
        assert_less(report.widest_ratios[i], 8);
    }
    assert_less(0.299, report.greatest_radius);
    assert_less(report.greatest_radius, 0.301);
    assert_int_equal(h.warnings, 1);
    assert_non_null(strstr(h.last, "vertex 77 ("));
    assert_non_null(strstr(h.last, ", 90 ("));
    assert_null(strstr(h.last, ", 91 ("));
    wrinkled_release(w);

    def.radius = ruga_param_constant(NAN);
    def.wavelength = 0.2; /* two edges */
    w = wrinkle_regular(shape_sheet(context, 4, 4), 3, &def);
    assert_int_equal(h.warnings, 2);
    assert_non_null(strstr(h.last, "wavelength"));
    wrinkled_release(w);
    ruga_context_destroy(context);
}

static void a_fine_mesh_much_smaller_than_its_base_gives_a_warning(void **state) {
    (void)state;
    messages h = {0};
    ruga_context *context = context_with_log(&h);
    const ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    const double scales[] = {0.9, 1 / 2.54}; /* inches that are centimetres */
    for (int k = 0; k < 2; k++) {
        ruga_mesh *base = shape_sheet(context, 6, 6), *whole = shape_sheet(context, 24, 24);
        ruga_vec3 points[25 * 25];
        for (size_t v = 0; v < 25 * 25; v++) points[v] = vec3_scale(whole->positions[v], scales[k]);
        ruga_mesh *fine = shape_make(context, 25 * 25, points, whole->triangle_count, NULL, whole->triangles);
        ruga_mesh_destroy(whole);
        ruga_wrinkle_mesh *mesh = NULL, *copy = NULL;
        assert_status(ruga_wrinkle_mesh_create(base, fine, &def, &mesh), RUGA_OK);
        assert_status(ruga_wrinkle_mesh_copy(mesh, &copy), RUGA_OK);
        assert_int_equal(h.warnings, k);
        ruga_wrinkle_mesh_destroy(copy);
        ruga_wrinkle_mesh_destroy(mesh);
        ruga_mesh_destroy(fine);
        ruga_mesh_destroy(base);
    }
    assert_non_null(strstr(h.last, "unit"));
    ruga_context_destroy(context);
}

/* A wave needs five edges: n >= 5 l / λ parts of a base edge l. One less gives a warning with the number that is
 * needed. */
static void the_division_that_a_wavelength_needs_is_named(void **state) {
    (void)state;
    messages h = {0};
    ruga_context *context = context_with_log(&h);
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
    ruga_mesh *sheet = shape_sheet(context, 4, 4);
    double sum = 0; /* of the sides of all triangles, one like the other */
    for (int k = 0; k < 3; k++)
        sum += vec3_distance(sheet->positions[sheet->triangles[k]], sheet->positions[sheet->triangles[(k + 1) % 3]]);
    ruga_mesh_destroy(sheet);
    const double wavelengths[] = {0.2, 0.5, 1, NAN};
    for (int k = 0; k < 4; k++) {
        double edge = sum / 3, wanted = isnan(wavelengths[k]) ? 1.5 * edge : wavelengths[k];
        int needed = (int)ceil(5 * edge / wanted - 1e-9);
        if (k == 3) assert_int_equal(needed, 4);
        def.wavelength = wavelengths[k];
        for (int n = needed - 1; n <= needed; n++) {
            h = (messages){0};
            wrinkled w = wrinkle_regular(shape_sheet(context, 4, 4), n, &def);
            assert_int_equal(h.warnings, n < needed);
            ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(w.mesh);
            wrinkled_release(w);
            if (k == 3)
                assert_int_equal(report.wave_origin,
                                 n < needed ? RUGA_WRINKLE_WAVE_FINE_EDGES : RUGA_WRINKLE_WAVE_BASE_EDGES);
            if (n == needed) continue;
            char cure[80];
            snprintf(cure, sizeof cure, "divide each edge of the base into %d parts, not %d", needed, n);
            fail_if(!strstr(h.last, cure), "\"%s\" is not in \"%s\"", cure, h.last);
        }
    }
    ruga_context_destroy(context);
}

/* A mask from 0 to 1 as metres, and metres as a factor, are likely mistakes. */
static void radii_that_may_be_in_another_unit_give_a_warning(void **state) {
    (void)state;
    messages h = {0};
    ruga_context *context = context_with_log(&h);
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
    double mask[17 * 17];
    const struct {
        double wavelength, value;
        const char *warning;
    } cases[] = {
        {NAN, 1, NULL}, {NAN, 0.004, "a factor of the"}, {0.4, 0.004, "a factor of the"}, {0, 1, "is in metres"}};
    for (int k = 0; k < 4; k++) {
        for (size_t v = 0; v < 17 * 17; v++) mask[v] = cases[k].value * (double)(v % 2);
        h = (messages){0};
        def.wavelength = cases[k].wavelength;
        def.radius = ruga_param_array(mask, 17 * 17);
        wrinkled w = wrinkle_regular(shape_sheet(context, 4, 4), 4, &def);
        assert_int_equal(h.warnings > 0, cases[k].warning != NULL);
        fail_if(cases[k].warning && !strstr(h.first, cases[k].warning), "case %d: \"%s\"", k, h.first);
        wrinkled_release(w);
    }
    ruga_context_destroy(context);
}

/* ---- Reports. */

/* Painted radii are a factor wherever there is a wavelength, asked for or chosen; numbers, keyed or not, are metres. */
static void a_report_says_where_wavelength_and_radii_come_from(void **state) {
    double mask[17 * 17];
    for (size_t v = 0; v < 17 * 17; v++) mask[v] = 0.5 * (double)(v % 3);
    const ruga_param thin = ruga_param_constant(0.01), painted = ruga_param_array(mask, 17 * 17);
    const ruga_param_key thins[] = {{0, &thin}, {1, &thin}}, both[] = {{0, &painted}, {1, &thin}};
    const struct {
        double wavelength;
        ruga_param radius;
        ruga_wrinkle_wave_origin wave;
        ruga_wrinkle_radius_origin origin;
        double least, greatest; /* of what the wavelength needs; negative: m */
    } cases[] = {
        {0.5, ruga_param_constant(NAN), RUGA_WRINKLE_WAVE_GIVEN, RUGA_WRINKLE_RADIUS_WAVE, 1, 1},
        {0.5, painted, RUGA_WRINKLE_WAVE_GIVEN, RUGA_WRINKLE_RADIUS_PAINTED, 0, 1},
        {0.5, thin, RUGA_WRINKLE_WAVE_GIVEN, RUGA_WRINKLE_RADIUS_GIVEN, -0.01, -0.01},
        {0.5, ruga_param_keys(thins, 2), RUGA_WRINKLE_WAVE_GIVEN, RUGA_WRINKLE_RADIUS_GIVEN, -0.01, -0.01},
        {NAN, ruga_param_constant(NAN), RUGA_WRINKLE_WAVE_BASE_EDGES, RUGA_WRINKLE_RADIUS_WAVE, 1, 1},
        {NAN, painted, RUGA_WRINKLE_WAVE_BASE_EDGES, RUGA_WRINKLE_RADIUS_PAINTED, 0, 1},
        {NAN, ruga_param_keys(both, 2), RUGA_WRINKLE_WAVE_BASE_EDGES, RUGA_WRINKLE_RADIUS_PAINTED, 0, 1},
        {NAN, thin, RUGA_WRINKLE_WAVE_BASE_EDGES, RUGA_WRINKLE_RADIUS_GIVEN, -0.01, -0.01},
        {0, painted, RUGA_WRINKLE_WAVE_NONE, RUGA_WRINKLE_RADIUS_GIVEN, 0, -1},
        {0, ruga_param_constant(NAN), RUGA_WRINKLE_WAVE_NONE, RUGA_WRINKLE_RADIUS_FINE_EDGES, 1, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
        def.wavelength = cases[k].wavelength;
        def.radius = cases[k].radius;
        wrinkled w = wrinkle_regular(shape_sheet(*state, 4, 4), 4, &def);
        ruga_wrinkle_mesh_report r = ruga_wrinkle_mesh_get_report(w.mesh);
        wrinkled_release(w);
        assert_int_equal(r.wave_origin, cases[k].wave);
        assert_int_equal(r.radius_origin, cases[k].origin);
        /* The radius that waves need at the greatest compression, 0.25: λ √ε / π. */
        if (cases[k].wave != RUGA_WRINKLE_WAVE_NONE && cases[k].origin != RUGA_WRINKLE_RADIUS_GIVEN)
            assert_near(r.radius_unit / (r.wavelength * 0.5 / PI), 1, 1e-9);
        double least = cases[k].least < 0 ? -cases[k].least : cases[k].least * r.radius_unit;
        double greatest = cases[k].greatest < 0 ? -cases[k].greatest : cases[k].greatest * r.radius_unit;
        fail_if(!(fabs(r.least_radius - least) < 1e-6 && fabs(r.greatest_radius - greatest) < 1e-6),
                "case %zu: radii from %g to %g m, not %g to %g", k, r.least_radius, r.greatest_radius, least, greatest);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radii_above_half_an_edge_and_waves_too_short_for_the_mesh_give_warnings),
        cmocka_unit_test(a_fine_mesh_much_smaller_than_its_base_gives_a_warning),
        cmocka_unit_test(the_division_that_a_wavelength_needs_is_named),
        cmocka_unit_test(radii_that_may_be_in_another_unit_give_a_warning),
        cmocka_unit_test(a_report_says_where_wavelength_and_radii_come_from),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
