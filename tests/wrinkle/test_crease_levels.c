/* The two-level preconditioner in steps of creased cloth: the same solutions as block Jacobi, in far fewer
 * iterations. */
#include "wrinkle/crease_support.h"

/* A swinging sheet with two creases that cross, pinned along one side. */
typedef struct swing {
    creased sheet;
    plate cloth;
    crease_fold *folds;
    size_t fold_count;
    uint32_t *square_points;
    vec3 *square_vectors;
} swing;

static const drawing crossed[] = {{2, {0, 0.4201, 1, 0.6327}, 0}, {2, {0.5314, 0, 0.4086, 1}, 0}};

static void swing_make(ruga_context *context, size_t n, integrator_preconditioner preconditioner, double tolerance,
                       swing *out) {
    creased_make(context, n, 0.2, crossed, 2, &out->sheet);
    const virtual_nodes *nodes = &out->sheet.c.nodes;
    plate *p = &out->cloth;
    plate_make(nodes->simulated, nodes->shares, out->sheet.c.bound, 5000, 1e-4, NULL, p);
    integrator_destroy(p->solver);
    energy_term *terms[2] = {&p->stretch->base, &p->bend->base};
    integrator_def def = integrator_def_default();
    def.kind = INTEGRATOR_IMPLICIT;
    def.tolerance = tolerance;
    def.most_iterations = 20000;
    def.preconditioner = preconditioner;
    integrator_system system = {.context = context,
                                .point_count = p->mesh->vertex_count,
                                .masses = p->masses,
                                .energy_count = 2,
                                .energies = terms,
                                .bound = out->sheet.c.bound};
    assert_ok(context, integrator_create(&def, &system, &p->solver));
    memset(p->v, 0, p->mesh->vertex_count * sizeof *p->v);
    for (uint32_t i = 0; i < out->sheet.mesh->vertex_count; i++)
        if (out->sheet.mesh->positions[i].x < 1e-9) p->pins[p->pin_count++] = i;
    assert_ok(context, crease_folds_make(&out->sheet.c, &out->fold_count, &out->folds));
    out->square_points = malloc(6 * out->fold_count * sizeof *out->square_points);
    out->square_vectors = malloc(6 * out->fold_count * sizeof *out->square_vectors);
    for (size_t i = 0; i < 6 * out->fold_count; i++) {
        const crease_fold *fold = &out->folds[i / 6];
        out->square_points[i] = i % 6 < 3 ? fold->left[i % 3] : fold->right[i % 3];
    }
}

static void swing_release(swing *s) {
    memory_release(s->cloth.context, s->folds);
    free(s->square_points);
    free(s->square_vectors);
    plate_release(&s->cloth);
    creased_release(&s->sheet);
}

/* Springs against the folds, N m per metre and radian. */
#define FOLD_STIFFNESS 0.5

static ruga_status fold_squares(void *user, block_squares *out) {
    swing *s = user;
    for (size_t i = 0; i < s->fold_count; i++) {
        vec3 *vectors = s->square_vectors + 6 * i;
        crease_fold_angle(&s->folds[i], s->cloth.x, vectors);
        for (int k = 0; k < 6; k++) vectors[k] = vec3_scale(vectors[k], sqrt(FOLD_STIFFNESS * s->folds[i].length));
    }
    *out = (block_squares){s->fold_count, 6, s->square_points, s->square_vectors, NULL};
    return RUGA_OK;
}

static ruga_status fold_product(void *user, const vec3 *direction, vec3 *product) {
    block_squares squares;
    fold_squares(user, &squares);
    for (size_t e = 0; e < squares.count; e++) {
        double along = 0;
        for (size_t k = 6 * e; k < 6 * e + 6; k++) along += vec3_dot(squares.vectors[k], direction[squares.points[k]]);
        for (size_t k = 6 * e; k < 6 * e + 6; k++)
            product[squares.points[k]] = vec3_add_scaled(product[squares.points[k]], squares.vectors[k], -along);
    }
    return RUGA_OK;
}

static ruga_status fold_blocks(void *user, mat3 *blocks) {
    block_squares squares;
    fold_squares(user, &squares);
    for (size_t k = 0; k < 6 * squares.count; k++)
        mat3_add_outer(&blocks[squares.points[k]], -1, squares.vectors[k], squares.vectors[k]);
    return RUGA_OK;
}

/* Springs against the folds, as a step knows them: UNKNOWN ones are not in the two levels. */
typedef enum fold_springs { NO_SPRINGS, KNOWN, UNKNOWN } fold_springs;

/* One step of its fall; returns iterations. */
static int swing_step(swing *s, fold_springs springs, integrator_report *report) {
    plate *p = &s->cloth;
    size_t n = p->mesh->vertex_count;
    vec3 *before = malloc(n * sizeof *before);
    memcpy(before, p->v, n * sizeof *before);
    memset(p->pin_velocities, 0, p->pin_count * sizeof *p->pin_velocities);
    integrator_step step = {.dt = 0.01,
                            .gravity = {0, -9.81, 0},
                            .positions = p->x,
                            .velocities = before,
                            .bound_velocities = before,
                            .pin_count = p->pin_count,
                            .pins = p->pins,
                            .pin_velocities = p->pin_velocities,
                            .force_product = springs ? fold_product : NULL,
                            .force_blocks = springs ? fold_blocks : NULL,
                            .force_squares = springs == KNOWN ? fold_squares : NULL,
                            .user = s};
    *report = (integrator_report){0};
    assert_ok(p->context, integrator_solve(p->solver, &step, p->v, report));
    assert_true(report->converged);
    for (size_t i = 0; i < n; i++) p->x[i] = vec3_add_scaled(p->x[i], p->v[i], step.dt);
    free(before);
    return report->iterations;
}

static void both_preconditioners_give_one_solution_and_two_levels_need_few_iterations(void **state) {
    skip_when_sanitized();
    enum { STEPS = 12 };
    for (int with_folds = 0; with_folds < 2; with_folds++) {
        swing by[2];
        int iterations[2] = {0, 0};
        double off = 0, fastest = 0;
        for (int k = 0; k < 2; k++) {
            swing_make(*state, 24, k ? PRECONDITION_TWO_LEVEL : PRECONDITION_BLOCKS, 1e-8, &by[k]);
            for (int step = 0; step < STEPS; step++) {
                integrator_report report;
                iterations[k] += swing_step(&by[k], with_folds ? KNOWN : NO_SPRINGS, &report);
                assert_int_equal(report.is_two_level, k);
            }
        }
        for (size_t i = 0; i < by[0].cloth.mesh->vertex_count; i++) {
            off = fmax(off, vec3_distance(by[0].cloth.v[i], by[1].cloth.v[i]));
            fastest = fmax(fastest, vec3_length(by[0].cloth.v[i]));
        }
        assert_less_case(0.5, fastest, "folds %d", with_folds);
        assert_less_case(off, 1e-5 * fastest, "folds %d", with_folds);
        assert_less_case(4.0 * iterations[1], (double)iterations[0], "folds %d", with_folds);
        for (int k = 0; k < 2; k++) swing_release(&by[k]);
    }
}

/* Without the folds' squares the two levels still converge, but need more iterations. */
static void squares_of_folds_spare_iterations(void **state) {
    int iterations[2] = {0, 0};
    for (int known = 0; known < 2; known++) {
        swing s;
        integrator_report report;
        swing_make(*state, 24, PRECONDITION_TWO_LEVEL, 1e-6, &s);
        for (int step = 0; step < 5; step++) iterations[known] += swing_step(&s, known ? KNOWN : UNKNOWN, &report);
        swing_release(&s);
    }
    assert_less(1.2 * iterations[1], (double)iterations[0]);
}

static void steps_have_the_same_bits_for_any_number_of_threads(void **state) {
    vec3 *first = NULL;
    (void)state;
    for (int threads = 1; threads < 4; threads++) {
        ruga_context *context = context_plain(threads);
        swing s;
        integrator_report report;
        swing_make(context, 24, PRECONDITION_TWO_LEVEL, 1e-4, &s);
        for (int step = 0; step < 4; step++) swing_step(&s, KNOWN, &report);
        size_t bytes = s.cloth.mesh->vertex_count * sizeof *first;
        if (threads == 1) {
            first = malloc(bytes);
            memcpy(first, s.cloth.x, bytes);
        }
        assert_memory_equal(first, s.cloth.x, bytes);
        swing_release(&s);
        ruga_context_destroy(context);
    }
    free(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_preconditioners_give_one_solution_and_two_levels_need_few_iterations),
        cmocka_unit_test(squares_of_folds_spare_iterations),
        cmocka_unit_test(steps_have_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
