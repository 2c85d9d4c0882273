/* Waves of compliant sheets: as long as they are meant to be, whatever the triangles, and where a direction map wants
 * them. */
#include "compliant_sheet.h"
#include "support/spectrum.h"

#define PI 3.141592653589793

/* Settles a sheet from heights of waves of a length. */
static void settle(test_sheet *s, double seeded, int iterations) {
    compliant *c = NULL;
    assert_ok(s->context, compliant_create(s->context, &s->def, &c));
    test_sheet_seed(s, seeded, 0.02 * seeded);
    compliant_run(c, &s->limits, iterations, s->points);
    compliant_destroy(c);
}

/* Heights over the sheet at rest. */
typedef struct heights {
    double *x, *y, *z, rms;
    size_t count;
} heights;

static heights heights_of(const test_sheet *s) {
    heights h = {calloc(s->count, sizeof(double)), calloc(s->count, sizeof(double)), calloc(s->count, sizeof(double)),
                 0, s->count};
    for (size_t i = 0; i < s->count; i++) {
        h.x[i] = (double)s->rest[4 * i];
        h.y[i] = (double)s->rest[4 * i + 1];
        h.z[i] = (double)s->points[4 * i + 2];
        h.rms += h.z[i] * h.z[i];
    }
    h.rms = sqrt(h.rms / (double)s->count);
    return h;
}

static void heights_release(heights *h) { free(h->x), free(h->y), free(h->z); }

/* The dominating wave of a strip of eight wavelengths. */
static double strip_wavelength(ruga_context *context, sheet_kind kind, int cells, double wavelength, double strain,
                               double seeded) {
    double spacing = wavelength / cells;
    test_sheet *s = test_sheet_make(context, kind, 8 * (size_t)cells, (size_t)cells, spacing);
    test_sheet_dress(s, sheet_material_make(wavelength, SHEET_CRITICAL_STRAIN), 1);
    for (size_t i = 0; i < s->count; i++) s->anchors[4 * i + 3] = (float)sheet_radius(wavelength, 0.25);
    test_sheet_squeeze(s, 1 - strain, 1);
    settle(s, seeded, 100 * cells);
    heights h = heights_of(s);
    assert_less(0.01 * wavelength, h.rms);
    wave found = dominating_wave(h.x, h.y, h.z, h.count, wavelength / 2.5, 2.5 * wavelength, 1);
    heights_release(&h);
    test_sheet_destroy(s);
    return found.length;
}

/* λ = 2π (B / F)^¼, which the material is made for: over three resolutions and three kinds of triangles, also from
 * seeds of other waves. */
static void wavelength_is_the_wanted_one_at_every_resolution(void **state) {
    skip_when_sanitized();
    for (int kind = 0; kind < SHEET_KINDS; kind++)
        for (int cells = 6; cells <= 14; cells += 4)
            for (int seed = 0; seed < 2; seed++) {
                double found = strip_wavelength(*state, (sheet_kind)kind, cells, 0.2, 0.05, seed == 0 ? 0.2 : 0.16);
                fail_if(fabs(found / 0.2 - 1) > 0.15, "kind %d, %d cells: %.3f of the wavelength", kind, cells,
                        found / 0.2);
            }
}

static void a_sheet_below_its_critical_strain_stays_flat(void **state) {
    test_sheet *s = test_sheet_make(*state, SHEET_EQUILATERAL, 64, 8, 0.025);
    test_sheet_dress(s, sheet_material_make(0.2, 0.02), 1);
    double rms[2];
    for (int k = 0; k < 2; k++) {
        test_sheet_squeeze(s, k == 0 ? 0.985 : 0.96, 1);
        settle(s, 0.2, 1000);
        heights h = heights_of(s);
        rms[k] = h.rms;
        heights_release(&h);
    }
    assert_less(rms[0], 1e-4 * 0.2);
    assert_less(0.01 * 0.2, rms[1]);
    test_sheet_destroy(s);
}

/* λ = πr/√ε within a fifth: without a foundation, and with next to no bending, waves grow longer until the radius stops
 * them. */
static void radii_alone_set_the_wavelength(void **state) {
    const int cells = 12;
    for (int k = 0; k < 2; k++) {
        double strain = k == 0 ? 0.06 : 0.12, wavelength = 0.2, radius = sheet_radius(wavelength, strain);
        test_sheet *s = test_sheet_make(*state, SHEET_IRREGULAR, 8 * (size_t)cells, 6, wavelength / cells);
        test_sheet_dress(s, (sheet_material){1, 1e-4 * wavelength * wavelength, 0}, 0);
        for (size_t i = 0; i < s->count; i++) {
            size_t column = i % s->columns;
            s->anchors[4 * i + 3] = column == 0 || column + 1 == s->columns ? 0 : (float)radius;
        }
        test_sheet_squeeze(s, 1 - strain, 1);
        settle(s, 0.7 * wavelength, 1500);
        heights h = heights_of(s);
        wave found = dominating_wave(h.x, h.y, h.z, h.count, wavelength / 2.5, 2.5 * wavelength, 1);
        fail_if(fabs(found.length / wavelength - 1) > 0.2, "strain %g: %.3f of the wavelength", strain,
                found.length / wavelength);
        heights_release(&h);
        test_sheet_destroy(s);
    }
}

/* A square sheet with a direction map of one angle and weight, compressed; its heights. */
static heights directed_heights(ruga_context *context, double angle, double weight, double x, double y) {
    test_sheet *s = test_sheet_make(context, SHEET_IRREGULAR, 40, 40, 0.025);
    s->directions = calloc(4 * s->count, sizeof(float));
    for (size_t i = 0; i < s->count; i++) {
        s->directions[4 * i] = (float)cos(angle);
        s->directions[4 * i + 1] = (float)sin(angle);
        s->directions[4 * i + 3] = (float)weight;
    }
    test_sheet_dress(s, sheet_material_make(0.2, SHEET_CRITICAL_STRAIN), 1);
    for (size_t i = 0; i < s->count; i++) s->anchors[4 * i + 3] = (float)sheet_radius(0.2, 0.25);
    test_sheet_squeeze(s, x, y);
    settle(s, 0.2, 800);
    heights h = heights_of(s);
    test_sheet_destroy(s);
    return h;
}

/* Under compression from all sides waves have no direction of their own: their crests take the painted one. */
static void crests_turn_to_the_painted_direction(void **state) {
    skip_when_sanitized();
    for (int k = 0; k < 4; k++) {
        double angle = PI * k / 4, across = angle + PI / 2;
        heights h = directed_heights(*state, angle, 1, 0.94, 0.94);
        wave found = dominating_wave(h.x, h.y, h.z, h.count, 0.1, 0.4, 0);
        double off = fabs(remainder(found.direction - across, PI));
        double power = power_towards(h.x, h.y, h.z, h.count, 0.1, 0.4, across, PI / 6);
        fail_if(off > PI / 6 || power < 0.8 || h.rms < 0.01 * 0.2,
                "angle %.0f°: %.0f° off, %.2f of the power, height %.3f", angle * 180 / PI, off * 180 / PI, power,
                h.rms);
        heights_release(&h);
    }
}

/* Compression along the painted direction would give crests across it. */
static void waves_across_the_painted_direction_are_flattened(void **state) {
    heights free_waves = directed_heights(*state, 0, 0, 0.93, 1), flat = directed_heights(*state, 0, 1, 0.93, 1);
    heights kept = directed_heights(*state, PI / 2, 1, 0.93, 1);
    assert_less(flat.rms, 0.05 * free_waves.rms);
    assert_less(0.8 * free_waves.rms, kept.rms);
    heights_release(&free_waves), heights_release(&flat), heights_release(&kept);
}

/* Sheets of the same material bend alike: a roll of radius R has ½ B / R² an area, by curvatures and by hinges. */
static void a_roll_has_the_energy_of_its_material(void **state) {
    const double bending = 0.3, radius = 2;
    for (int kind = 0; kind < SHEET_KINDS; kind++)
        for (int turned = 0; turned < 2; turned++) {
            test_sheet *s = test_sheet_make(*state, (sheet_kind)kind, 40, 40, 0.01);
            test_sheet_dress(s, (sheet_material){0, bending, 0}, 0);
            for (size_t i = 0; i < s->count; i++) {
                double at = (double)s->rest[4 * i + (size_t)turned];
                s->points[4 * i + (size_t)turned] = (float)(radius * sin(at / radius));
                s->points[4 * i + 2] = (float)(radius * (1 - cos(at / radius)));
            }
            compliant_hinge *hinges = calloc(s->edges->pair_count, sizeof *hinges);
            sheet_hinges(&s->sheet, hinges);
            compliant *by_curvature = NULL, *by_hinges = NULL;
            assert_ok(*state, compliant_create(*state, &s->def, &by_curvature));
            s->def.curvature_count = 0;
            s->def.hinges = hinges;
            s->def.hinge_count = s->edges->pair_count;
            assert_ok(*state, compliant_create(*state, &s->def, &by_hinges));
            double area = 0.4 * 0.4 * (kind == SHEET_EQUILATERAL ? sqrt(0.75) : 1);
            double expected = 0.5 * bending * area / (radius * radius);
            double curved = compliant_energy(by_curvature, &s->limits, s->points, NULL) / expected;
            double hinged = compliant_energy(by_hinges, &s->limits, s->points, NULL) / expected;
            double bound = kind == SHEET_EQUILATERAL ? 0.08 : 0.4;
            fail_if(fabs(curved - 1) > bound || fabs(hinged - 1) > bound,
                    "kind %d turned %d: curvatures %.3f, hinges %.3f", kind, turned, curved, hinged);
            compliant_destroy(by_curvature), compliant_destroy(by_hinges);
            free(hinges);
            test_sheet_destroy(s);
        }
}

/* Compressed in one direction with the other held: ½ K ε² an area. */
static void a_squeezed_sheet_has_the_energy_of_its_material(void **state) {
    for (int kind = 0; kind < SHEET_KINDS; kind++)
        for (int turned = 0; turned < 2; turned++) {
            test_sheet *s = test_sheet_make(*state, (sheet_kind)kind, 40, 40, 0.01);
            test_sheet_dress(s, (sheet_material){2, 0, 0}, 0);
            for (size_t i = 0; i < s->count; i++) s->points[4 * i + (size_t)turned] *= 0.99f;
            compliant *c = NULL;
            assert_ok(*state, compliant_create(*state, &s->def, &c));
            double area = 0.4 * 0.4 * (kind == SHEET_EQUILATERAL ? sqrt(0.75) : 1);
            double ratio = compliant_energy(c, &s->limits, s->points, NULL) / (0.5 * 2 * 1e-4 * area);
            double bound = kind == SHEET_EQUILATERAL ? 0.03 : 0.15;
            fail_if(fabs(ratio - 1) > bound, "kind %d turned %d: %.3f", kind, turned, ratio);
            compliant_destroy(c);
            test_sheet_destroy(s);
        }
}

/* The paper's bending: springs between opposite vertices flatten a fold. */
static void opposite_springs_straighten_a_fold(void **state) {
    double folds[2];
    for (int bent = 0; bent < 2; bent++) {
        test_sheet *s = test_sheet_make(*state, SHEET_SQUARES, 20, 4, 0.05);
        test_sheet_dress(s, (sheet_material){1, bent ? 1e-4 : 0, 0}, 0);
        size_t edges = s->edges->edge_count, pairs = s->edges->pair_count;
        compliant_spring *springs = calloc(edges + pairs, sizeof *springs);
        memcpy(springs, s->springs, edges * sizeof *springs);
        sheet_opposites(&s->sheet, springs + edges);
        s->def.springs = springs;
        s->def.spring_count = edges + pairs;
        s->def.curvature_count = 0;
        for (size_t i = 0; i < s->count; i++) {
            float *p = s->points + 4 * i;
            p[2] = 0.8f * fabsf(p[0] - 0.5f);
            p[0] = 0.5f + 0.6f * (p[0] - 0.5f);
        }
        compliant *c = NULL;
        assert_ok(*state, compliant_create(*state, &s->def, &c));
        compliant_run(c, NULL, 20000, s->points);
        folds[bent] = (double)(s->points[2] - s->points[4 * 10 + 2]);
        compliant_destroy(c);
        free(springs);
        test_sheet_destroy(s);
    }
    fail_if(folds[0] < 0.3 || folds[1] > 0.5 * folds[0], "a fold of 0.4 m: %g without and %g with bending", folds[0],
            folds[1]);
}

/* Two equilateral triangles folded by θ: ½ k (2 h - 2 h cos θ/2)² is 4 θ² of the hinge's ½ B l² / (A1 + A2) θ², to
 * first order, so that both store the same at half a radian and the spring next to nothing at small angles. */
static void opposite_springs_store_a_fourth_power_of_the_angle(void **state) {
    const double angles[] = {0.02, 0.1, 0.25, 0.5}, edge = 0.1, height = edge * sqrt(0.75);
    test_sheet *s = test_sheet_make(*state, SHEET_EQUILATERAL, 6, 6, edge);
    test_sheet_dress(s, (sheet_material){1, 2e-4, 0}, 0);
    compliant_spring *opposites = calloc(s->edges->pair_count, sizeof *opposites);
    compliant_hinge *hinges = calloc(s->edges->pair_count, sizeof *hinges);
    sheet_opposites(&s->sheet, opposites);
    sheet_hinges(&s->sheet, hinges);
    for (size_t k = 0; k < s->edges->pair_count; k++) {
        assert_near((double)opposites[k].length, 2 * height, 1e-6);
        for (int i = 0; i < 4; i++) {
            double shortening = 2 * height * (1 - cos(angles[i] / 2));
            double spring = (double)opposites[k].stiffness * shortening * shortening;
            double hinge = (double)hinges[k].stiffness * angles[i] * angles[i];
            fail_if(fabs(spring / hinge / (4 * angles[i] * angles[i]) - 1) > 0.02, "%g rad: %g J against %g J",
                    angles[i], spring, hinge);
        }
    }
    free(opposites), free(hinges);
    test_sheet_destroy(s);
}

/* A rigid motion of the whole sheet changes nothing for springs and hinges. */
static void springs_and_hinges_do_not_see_rigid_motions(void **state) {
    test_sheet *s = test_sheet_make(*state, SHEET_IRREGULAR, 10, 8, 0.05);
    test_sheet_dress(s, sheet_material_make(0.3, 0.02), 0);
    compliant_hinge *hinges = calloc(s->edges->pair_count, sizeof *hinges);
    sheet_hinges(&s->sheet, hinges);
    compliant_def def = {.method = COMPLIANT_PLAIN,
                         .point_count = s->count,
                         .springs = s->springs,
                         .spring_count = s->def.spring_count,
                         .hinges = hinges,
                         .hinge_count = s->edges->pair_count};
    compliant *c = NULL;
    assert_ok(*state, compliant_create(*state, &def, &c));
    test_sheet_start(s, 0.02);
    double before = compliant_energy(c, NULL, s->points, NULL), sum[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
    double *gradient = calloc(3 * s->count, sizeof *gradient);
    for (size_t i = 0; i < s->count; i++) {
        float *p = s->points + 4 * i, x = p[0], y = p[1], z = p[2];
        p[0] = 0.36f * x + 0.48f * y - 0.8f * z + 0.25f;
        p[1] = -0.8f * x + 0.6f * y - 0.5f;
        p[2] = 0.48f * x + 0.64f * y + 0.6f * z + 0.125f;
    }
    double after = compliant_energy(c, NULL, s->points, gradient);
    assert_less(0, before);
    assert_near(after, before, 1e-4 * before);
    /* Neither forces nor moments are left over. */
    double size = 0;
    for (size_t i = 0; i < s->count; i++) {
        const double *g = gradient + 3 * i;
        double p[3] = {(double)s->points[4 * i], (double)s->points[4 * i + 1], (double)s->points[4 * i + 2]};
        for (int x = 0; x < 3; x++) {
            sum[x] += g[x];
            turn[x] += p[(x + 1) % 3] * g[(x + 2) % 3] - p[(x + 2) % 3] * g[(x + 1) % 3];
            size += fabs(g[x]);
        }
    }
    for (int x = 0; x < 3; x++) {
        assert_near_case(sum[x], 0, 1e-9 * size, "x %d", x);
        assert_near_case(turn[x], 0, 1e-9 * size, "x %d", x);
    }
    compliant_destroy(c);
    free(gradient), free(hinges);
    test_sheet_destroy(s);
}

static void painted_bending_scales_what_bends(void **state) {
    test_sheet *s = test_sheet_make(*state, SHEET_IRREGULAR, 6, 6, 0.1);
    test_sheet_dress(s, sheet_material_make(0.5, 0.01), 1);
    compliant_curvature *scaled = calloc(s->edges->pair_count, sizeof *scaled);
    float *bending = calloc(s->count, sizeof *bending);
    for (size_t i = 0; i < s->count; i++) bending[i] = 0.25f;
    s->sheet.bending = bending;
    sheet_curvatures(&s->sheet, scaled);
    for (size_t k = 0; k < s->edges->pair_count; k++) {
        float ratio = scaled[k].stiffness / s->curvatures[k].stiffness;
        assert_near(ratio, 0.25f, 1e-5f);
    }
    free(scaled), free(bending);
    test_sheet_destroy(s);
}

/* Triangles without area, points on top of each other. */
static void a_sheet_without_area_makes_numbers(void **state) {
    test_sheet *s = test_sheet_make(*state, SHEET_SQUARES, 4, 4, 0.1);
    s->directions = calloc(4 * s->count, sizeof(float));
    for (size_t i = 0; i < s->count; i++) {
        s->rest[4 * i + 1] = 0;
        if (i % 2) s->rest[4 * i] = 0;
        s->directions[4 * i] = s->directions[4 * i + 3] = 1;
    }
    test_sheet_dress(s, sheet_material_make(0.3, 0.01), 1);
    compliant_hinge *hinges = calloc(s->edges->pair_count, sizeof *hinges);
    compliant_spring *opposites = calloc(s->edges->pair_count, sizeof *opposites);
    sheet_hinges(&s->sheet, hinges);
    sheet_opposites(&s->sheet, opposites);
    for (size_t k = 0; k < s->edges->pair_count; k++) {
        assert_true(isfinite(hinges[k].stiffness) && isfinite(hinges[k].rest_angle));
        assert_true(isfinite(opposites[k].stiffness) && isfinite(s->curvatures[k].stiffness));
        for (int x = 0; x < 4; x++) assert_true(isfinite(s->curvatures[k].coefficients[x]));
    }
    for (size_t e = 0; e < s->edges->edge_count; e++) assert_true(isfinite(s->springs[e].stiffness));
    settle(s, 0.3, 20);
    for (size_t i = 0; i < 4 * s->count; i++) assert_true(isfinite(s->points[i]));
    free(hinges), free(opposites);
    test_sheet_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wavelength_is_the_wanted_one_at_every_resolution),
        cmocka_unit_test(a_sheet_below_its_critical_strain_stays_flat),
        cmocka_unit_test(radii_alone_set_the_wavelength),
        cmocka_unit_test(crests_turn_to_the_painted_direction),
        cmocka_unit_test(waves_across_the_painted_direction_are_flattened),
        cmocka_unit_test(a_roll_has_the_energy_of_its_material),
        cmocka_unit_test(a_squeezed_sheet_has_the_energy_of_its_material),
        cmocka_unit_test(opposite_springs_straighten_a_fold),
        cmocka_unit_test(opposite_springs_store_a_fourth_power_of_the_angle),
        cmocka_unit_test(springs_and_hinges_do_not_see_rigid_motions),
        cmocka_unit_test(painted_bending_scales_what_bends),
        cmocka_unit_test(a_sheet_without_area_makes_numbers),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
