/* Wrinkle meshes under control: what each parameter does, given once, painted, or with keys. */
#include "wrinkle_mesh_support.h"

static const ruga_wrinkle_solver solvers[] = {RUGA_WRINKLE_PROJECTION, RUGA_WRINKLE_COMPLIANT};

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
        assert_true(rms_offset(all) > 0);
        assert_memory_equal(all.positions, painted.positions, all.fine->vertex_count * sizeof *all.positions);
        assert_memory_equal(all.positions, by_edge.positions, all.fine->vertex_count * sizeof *all.positions);
        free(same);
        wrinkled_release(all);
        wrinkled_release(painted);
        wrinkled_release(by_edge);
    }
}

static int set_up(void **state) {
    *state = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    ruga_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pre_stretch_is_one_wherever_it_is_given),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
