/* Singular values with rotations: they multiply to the matrix, for every matrix. */
#include "math/svd.h"

#include "math/svd_kernels.h"
#include "support/support.h"

static void check_svd(const mat3 *f, const char *name) {
    svd3 s = svd3_of(f);
    double scale = 0, worst = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            const double *u0 = &s.u[0].x, *v0 = &s.v[0].x;
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += u0[3 * k + r] * s.values[k] * v0[3 * k + c];
            scale = fmax(scale, fabs(f->at[r][c]));
            worst = fmax(worst, fabs(sum - f->at[r][c]));
        }
    assert_at_most_case(worst, 1e-14 * scale, "%s", name);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            assert_near_case(vec3_dot(s.u[i], s.u[j]), i == j, 1e-13, "%s", name);
            assert_near_case(vec3_dot(s.v[i], s.v[j]), i == j, 1e-13, "%s", name);
        }
    assert_near_case(vec3_dot(s.u[0], vec3_cross(s.u[1], s.u[2])), 1, 1e-13, "%s", name);
    assert_near_case(vec3_dot(s.v[0], vec3_cross(s.v[1], s.v[2])), 1, 1e-13, "%s", name);
    assert_at_most_case(s.values[1], s.values[0] * (1 + 1e-15), "%s", name);
    assert_at_most_case(fabs(s.values[2]), s.values[1] * (1 + 1e-12) + 1e-15 * scale, "%s", name);
}

static void random_matrices_of_every_rank_are_products_of_rotations_and_values(void **state) {
    (void)state;
    test_random random = {2};
    for (int round = 0; round < 3000; round++) {
        mat3 f;
        double size = pow(10, random_between(&random, -8, 8));
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) f.at[r][c] = size * random_between(&random, -1, 1);
        for (int c = 0; c < 3; c++) {
            if (round % 5 == 1) f.at[2][c] = f.at[0][c] + f.at[1][c];
            if (round % 5 == 2) f.at[1][c] = 2 * (f.at[2][c] = -f.at[0][c]);
            if (round % 5 == 3) f.at[c][2] *= 1e-9;
        }
        check_svd(&f, "random");
    }
}

static void special_matrices_too(void **state) {
    (void)state;
    check_svd(&(mat3){{{0}}}, "zero");
    check_svd(&(mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, "one");
    check_svd(&(mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}}, "mirror");
    check_svd(&(mat3){{{-2, 0, 0}, {0, -2, 0}, {0, 0, -2}}}, "mirrored thrice");
    check_svd(&(mat3){{{0, 0, 3}, {0, 0, 0}, {0, 0, 0}}}, "one entry");
    svd3 s = svd3_of(&(mat3){{{1, 0, 0}, {0, -0.25, 0}, {0, 0, 3}}});
    assert_near(s.values[0], 3, 1e-15);
    assert_near(s.values[1], 1, 1e-15);
    assert_near(s.values[2], -0.25, 1e-15);
}

static int is_there(ruga_isa isa) {
    ruga_context_def def = ruga_context_def_default();
    ruga_context *probe;
    def.isa = isa;
    if (RUGA_FAILED(ruga_context_create(&def, &probe))) return 0;
    ruga_context_destroy(probe);
    return 1;
}

/* Random ones beside those that end early, are singular, or have no direction. */
static mat3 any_matrix(test_random *random, int which) {
    mat3 f = {{{0}}};
    double size = pow(10, random_between(random, -8, 8));
    for (int k = 0; k < 9; k++) f.at[k / 3][k % 3] = size * random_between(random, -1, 1);
    for (int k = 0; k < 3; k++) {
        if (which % 7 == 1) f.at[2][k] = f.at[0][k];
        if (which % 7 == 2) f.at[1][k] = f.at[2][k] = 0;
        if (which % 7 == 3) f.at[k][0] = f.at[k][1] = 0;
    }
    if (which % 7 == 4) f = (mat3){{{0}}};
    if (which % 7 == 5) f = (mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, which % 2 ? 1 : -1}}};
    return f;
}

static void four_at_a_time_get_the_bits_of_one_with_every_instruction_set(void **state) {
    (void)state;
    static const ruga_isa sets[] = {RUGA_ISA_SCALAR, RUGA_ISA_SSE4, RUGA_ISA_AVX2, RUGA_ISA_AVX512};
    int runs = 0;
    for (int k = 0; k < 4; k++) {
        test_random random = {5};
        if (!is_there(sets[k])) continue;
        runs++;
        for (int round = 0; round < 500; round++) {
            mat3 f[4];
            svd3 four[4];
            for (int i = 0; i < 4; i++) f[i] = any_matrix(&random, 3 * round + 5 * i);
            ISA_SELECT(sets[k], svd3_four)(f, four);
            for (int i = 0; i < 4; i++) {
                svd3 one = svd3_of(&f[i]);
                for (int n = 0; n < 21; n++)
                    assert_equal_case((&four[i].u[0].x)[n], (&one.u[0].x)[n], "set %d round %d", k, round);
            }
        }
    }
    assert_less(0, runs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_of_every_rank_are_products_of_rotations_and_values),
        cmocka_unit_test(special_matrices_too),
        cmocka_unit_test(four_at_a_time_get_the_bits_of_one_with_every_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
