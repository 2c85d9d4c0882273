/* Forces and the sweep that follows in one go, held against the two passes one after the other. */
#include <math.h>

#include "energy/spring_mesh.h"
#include "support/shapes.h"

/* A large sheet in motion, and what a step of it needs. */
typedef struct fixture {
    ruga_context *context;
    ruga_mesh *mesh;
    spring_network *network;
    double *masses;
    unsigned char *held;
    vec3 *x, *v, *out;
    spring_value *first;
} fixture;

/* The sheet of side x side points with its vertices renumbered: vertex i becomes i x stride, modulo their number. */
static ruga_mesh *make_mesh(ruga_context *context, size_t side, size_t stride) {
    ruga_mesh *sheet = shape_sheet(context, side - 1, side - 1), *mesh = NULL;
    size_t count = sheet->vertex_count, corners = 3 * sheet->triangle_count;
    assert_int_equal(count, side * side);
    vec3 *positions = malloc(count * sizeof *positions);
    uint32_t *triangles = malloc(corners * sizeof *triangles);
    for (size_t i = 0; i < count; i++) positions[i * stride % count] = sheet->positions[i];
    for (size_t k = 0; k < corners; k++) triangles[k] = (uint32_t)(sheet->triangles[k] * stride % count);
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, count, 0, RUGA_F64};
    def.face_count = sheet->triangle_count;
    def.face_vertices = triangles;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    ruga_mesh_destroy(sheet);
    free(positions);
    free(triangles);
    return mesh;
}

static fixture make(size_t side, size_t stride, int threads, int axial) {
    fixture f = {.context = context_plain(threads)};
    f.mesh = make_mesh(f.context, side, stride);
    const size_t count = f.mesh->vertex_count;
    spring_material material = {.stretch = 80,
                                .shear = 20,
                                .bend = 1e-3,
                                .damping_time = 0.01,
                                .phases = {axial ? 0.2 : 1, axial ? 3 : 1, 0.25},
                                .axial = axial};
    assert_ok(f.context, spring_network_of_mesh(f.mesh, &material, &f.network));
    f.masses = malloc(count * sizeof *f.masses);
    assert_ok(f.context, ruga_mesh_masses(f.mesh, 0.1, f.masses));
    f.held = calloc(count, 1);
    f.x = malloc(count * sizeof *f.x);
    f.v = malloc(count * sizeof *f.v);
    f.first = memory_allocate_aligned(f.context, count, sizeof *f.first);
    memset(f.first, 0, count * sizeof *f.first);
    f.out = calloc(count, sizeof *f.out);
    test_random random = {11};
    for (size_t i = 0; i < count; i++) {
        f.x[i] = vec3_add(f.mesh->positions[i], random_vec3(&random, -0.1 / (double)side, 0.1 / (double)side));
        f.v[i] = random_vec3(&random, -1, 1);
        f.held[i] = i % 1000 == 7;
        if (f.held[i]) f.first[i].v = (vec3){(double)i, 1, 2};
    }
    return f;
}

static void release(fixture *f) {
    void *arrays[] = {f->masses, f->held, f->x, f->v, f->out};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
    memory_release_aligned(f->context, f->first);
    spring_network_destroy(f->network);
    ruga_mesh_destroy(f->mesh);
    ruga_context_destroy(f->context);
}

static double run(fixture *f, int fused) {
    spring_force_pass forces = {.positions = f->x,
                                .velocities = f->v,
                                .viscosity = 0.02,
                                .damped = 1,
                                .gain = 0.02,
                                .masses = f->masses,
                                .weights = spring_network_weights(f->network, 0.02),
                                .held = f->held,
                                .values = f->first};
    spring_sweep_pass sweep = {.in = f->first,
                               .first = f->first,
                               .weights = forces.weights,
                               .over = 1,
                               .base = f->v,
                               .shift = {0, -0.2, 0},
                               .out = f->out};
    if (fused) return spring_network_forces_and_sweep(f->network, &forces, &sweep);
    double energy = spring_network_forces(f->network, &forces);
    spring_network_sweep(f->network, &sweep);
    return energy;
}

static void assert_same(size_t side, size_t stride, int axial) {
    fixture plain = make(side, stride, 1, axial);
    const size_t bytes = plain.mesh->vertex_count * sizeof(vec3);
    double energy = run(&plain, 0), fused_energy = 0;
    static const int threads[] = {1, 2, 7};
    for (size_t t = 0; t < 3; t++) {
        fixture fused = make(side, stride, threads[t], axial);
        double found = run(&fused, 1);
        assert_memory_equal(plain.first, fused.first, plain.mesh->vertex_count * sizeof *plain.first);
        assert_memory_equal(plain.out, fused.out, bytes);
        assert_near(found, energy, 1e-12 * energy);
        if (t == 0) fused_energy = found;
        assert_memory_equal(&found, &fused_energy, sizeof found);
        release(&fused);
    }
    release(&plain);
}

static void fused_passes_are_bit_identical_to_separate_ones(void **state) {
    (void)state;
    assert_same(190, 1, 0); /* several tiles, the last one short */
    assert_same(190, 1, 1);
    assert_same(30, 1, 0);
}

static void neighbours_far_from_each_other_in_memory_make_no_difference(void **state) {
    (void)state;
    skip_when_sanitized();
    assert_same(190, 17389, 0);
}

static void held_points_keep_what_they_have(void **state) {
    (void)state;
    fixture f = make(190, 1, 2, 1);
    run(&f, 1);
    for (size_t i = 0; i < f.mesh->vertex_count; i++)
        assert_int_equal(f.held[i] != 0, vec3_distance(f.first[i].v, (vec3){(double)i, 1, 2}) == 0);
    release(&f);
}

/* The tiles rely on this. */
static void no_spring_leads_beyond_its_blocks_reach(void **state) {
    (void)state;
    fixture f = make(40, 3, 1, 0);
    const spring_network *n = f.network;
    for (size_t i = 0; i < n->point_count; i++) {
        const uint32_t *reach = n->reach + 2 * (i / SPRING_BLOCK);
        assert_at_most(reach[0], i);
        assert_at_most(i, reach[1]);
        assert_less(reach[1], n->point_count);
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++)
            assert_true(n->others[e] >= reach[0] && n->others[e] <= reach[1]);
    }
    release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_passes_are_bit_identical_to_separate_ones),
        cmocka_unit_test(neighbours_far_from_each_other_in_memory_make_no_difference),
        cmocka_unit_test(held_points_keep_what_they_have),
        cmocka_unit_test(no_spring_leads_beyond_its_blocks_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
