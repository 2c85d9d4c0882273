/* Ten thousand sets of random strokes, cut into random meshes: any size, thin triangles, rough, with holes; always
 * valid. */
#include "geom/curve_support.h"

static double pick(test_random *random, const double *values, size_t count) {
    return values[random_bits(random) % count];
}

static void ten_thousand_random_strokes_are_cut(void **state) {
    (void)state;
    static const double sizes[] = {1, 1, 1e-6, 1e6}, stretches[] = {1, 1, 1, 0.1, 1e-3};
    ruga_context *context = context_plain(1);
    for (uint64_t seed = 1; seed <= 10000; seed++) {
        test_random random = {seed};
        double size = pick(&random, sizes, 4);
        vec3 scale = {size * pick(&random, stretches, 5), size * pick(&random, stretches, 5), size};
        ruga_mesh *mesh = random_mesh(context, &random);
        if (seed % 2) mesh = roughened_mesh(mesh, &random);
        mesh = scaled_mesh(mesh, scale);
        cut_random_strokes(mesh, &random, seed);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ten_thousand_random_strokes_are_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
