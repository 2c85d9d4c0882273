/* The energy of compliant solvers: its gradient, its symmetries, and what it makes of input without sense. */
#include "compliant_sheet.h"

#define COUNT 12

/* Random points with every kind of term between them. */
typedef struct term_soup {
    compliant_spring springs[20];
    compliant_curvature curvatures[10];
    compliant_hinge hinges[10];
    float foundations[COUNT], anchors[4 * COUNT], normals[4 * COUNT], points[4 * COUNT];
    sweep_limits limits;
    compliant_def def;
} term_soup;

static void choose_points(test_random *random, uint32_t *points, size_t count) {
    for (size_t k = 0; k < count; k++) {
        int again = 1;
        while (again) {
            points[k] = (uint32_t)(random_bits(random) % COUNT);
            again = 0;
            for (size_t m = 0; m < k; m++) again |= points[m] == points[k];
        }
    }
}

static void soup_make(term_soup *s, uint64_t seed) {
    test_random random = {seed};
    memset(s, 0, sizeof *s);
    for (size_t k = 0; k < 20; k++) {
        choose_points(&random, s->springs[k].points, 2);
        s->springs[k].length = (float)random_between(&random, 0.3, 1.5);
        s->springs[k].stiffness = (float)random_between(&random, 0.5, 3);
    }
    for (size_t k = 0; k < 10; k++) {
        float *c = s->curvatures[k].coefficients;
        choose_points(&random, s->curvatures[k].points, 4);
        for (int x = 0; x < 3; x++) c[x] = (float)random_between(&random, -2, 2);
        c[3] = -c[0] - c[1] - c[2];
        s->curvatures[k].stiffness = (float)random_between(&random, 0.1, 1);
        choose_points(&random, s->hinges[k].points, 4);
        s->hinges[k].rest_angle = (float)random_between(&random, -1, 1);
        s->hinges[k].stiffness = (float)random_between(&random, 0.1, 1);
    }
    for (size_t i = 0; i < COUNT; i++) {
        ruga_vec3 n = random_vec3(&random, -1, 1);
        double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
        float normal[3] = {(float)(n.x / length), (float)(n.y / length), (float)(n.z / length)};
        memcpy(s->normals + 4 * i, normal, sizeof normal);
        for (int x = 0; x < 3; x++) {
            s->anchors[4 * i + (size_t)x] = (float)random_between(&random, -1, 1);
            s->points[4 * i + (size_t)x] = s->anchors[4 * i + (size_t)x] + (float)random_between(&random, -0.3, 0.3);
        }
        s->anchors[4 * i + 3] = INFINITY;
        s->foundations[i] = (float)random_between(&random, 0, 2);
    }
    s->limits = (sweep_limits){.anchors = s->anchors, .normals = s->normals};
    s->def = (compliant_def){.method = COMPLIANT_PLAIN, .point_count = COUNT, .slide_stiffness = 0.3f};
}

enum { SPRINGS = 1, CURVATURES = 2, HINGES = 4, FOUNDATIONS = 8 };

static void soup_choose(term_soup *s, int kinds) {
    s->def.springs = s->springs, s->def.spring_count = kinds & SPRINGS ? 20 : 0;
    s->def.curvatures = s->curvatures, s->def.curvature_count = kinds & CURVATURES ? 10 : 0;
    s->def.hinges = s->hinges, s->def.hinge_count = kinds & HINGES ? 10 : 0;
    s->def.foundations = kinds & FOUNDATIONS ? s->foundations : NULL;
}

static compliant *soup_solver(ruga_context *context, const term_soup *s, compliant_method method) {
    compliant_def def = s->def;
    compliant *c = NULL;
    def.method = method;
    assert_ok(context, compliant_create(context, &def, &c));
    return c;
}

static void gradient_is_the_difference_of_energies(void **state) {
    for (uint64_t seed = 1; seed < 6; seed++)
        for (int kinds = 1; kinds < 16; kinds++) {
            term_soup s;
            double gradient[3 * COUNT];
            soup_make(&s, seed);
            soup_choose(&s, kinds);
            compliant *c = soup_solver(*state, &s, COMPLIANT_PLAIN);
            compliant_energy(c, &s.limits, s.points, gradient);
            for (size_t i = 0; i < COUNT; i++)
                for (size_t x = 0; x < 3; x++) {
                    /* Steps between floats, so that no rounding of points comes in. */
                    float at = s.points[4 * i + x], low = at - 0x1p-14f, high = at + 0x1p-14f;
                    s.points[4 * i + x] = high;
                    double difference = compliant_energy(c, &s.limits, s.points, NULL);
                    s.points[4 * i + x] = low;
                    difference -= compliant_energy(c, &s.limits, s.points, NULL);
                    s.points[4 * i + x] = at;
                    double slope = difference / ((double)high - (double)low);
                    assert_at_most(fabs(slope - gradient[3 * i + x]), 2e-4 * (1 + fabs(slope)));
                }
            compliant_destroy(c);
        }
}

static void energy_does_not_rise_over_a_plain_step(void **state) {
    for (uint64_t seed = 1; seed < 12; seed++)
        for (int kinds = 1; kinds < 16; kinds++)
            for (int limited = 0; limited < 4; limited++) {
                term_soup s;
                soup_make(&s, seed);
                soup_choose(&s, kinds);
                for (size_t i = 0; limited > 0 && i < COUNT; i++) s.anchors[4 * i + 3] = 0.2f;
                s.limits.one_sided = limited == 2;
                s.limits.along_normals = limited == 3;
                compliant *c = soup_solver(*state, &s, COMPLIANT_PLAIN);
                compliant_run(c, &s.limits, 0, s.points);
                double before = compliant_energy(c, &s.limits, s.points, NULL);
                for (int k = 0; k < 60; k++) {
                    compliant_run(c, &s.limits, 1, s.points);
                    double after = compliant_energy(c, &s.limits, s.points, NULL);
                    fail_if(after > before + 1e-6 * (1 + before), "seed %d kinds %d limits %d step %d: %.9g to %.9g",
                            (int)seed, kinds, limited, k, before, after);
                    before = after;
                }
                compliant_destroy(c);
            }
}

static void points_without_sense_give_no_nan(void **state) {
    for (int method = 0; method < 2; method++) {
        term_soup s;
        soup_make(&s, 3);
        soup_choose(&s, SPRINGS | CURVATURES | HINGES | FOUNDATIONS);
        for (int k = 0; k < 10; k++) s.springs[k].length = 0;
        for (size_t i = 0; i < COUNT; i++) {
            if (i % 2 == 0) memset(s.points + 4 * i, 0, 3 * sizeof(float));
            s.anchors[4 * i + 3] = i % 3 == 0 ? 0 : i % 3 == 1 ? 0.1f : INFINITY;
        }
        compliant *c = soup_solver(*state, &s, method == 0 ? COMPLIANT_PLAIN : COMPLIANT_ACCELERATED);
        for (int k = 0; k < 20; k++) {
            assert_true(isfinite(compliant_run(c, &s.limits, 5, s.points)));
            for (size_t i = 0; i < 4 * COUNT; i++) assert_true(isfinite(s.points[i]));
        }
        for (size_t i = 0; i < COUNT; i += 3)
            assert_memory_equal(s.points + 4 * i, s.anchors + 4 * i, 3 * sizeof(float));
        compliant_destroy(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_the_difference_of_energies),
        cmocka_unit_test(energy_does_not_rise_over_a_plain_step),
        cmocka_unit_test(points_without_sense_give_no_nan),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
