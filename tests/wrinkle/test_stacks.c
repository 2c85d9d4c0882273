/* Details on top of each other, in every order. */
#include "part_support.h"
#include "support/subdivided.h"
#include "wrinkle/displace_part.h"
#include "wrinkle/jiggle_part.h"
#include "wrinkle/subdivide_part.h"

#define DEPTH 3
/* With nothing painted, s and j side by side may change places (see below): those orders are neighbours here. */
static const char orders[6][DEPTH + 1] = {"sjd", "jsd", "dsj", "djs", "sdj", "jds"};

typedef struct stack {
    part *details[DEPTH];
    size_t count;
} stack;

static part *make_layer(const ruga_mesh *mesh, char kind, double weight) {
    const ruga_param amount = ruga_param_constant(0.05);
    const ruga_subdivide_def finer = subdivide_def(RUGA_SUBDIVIDE_REGULAR, 2, 0);
    const ruga_jiggle_def loose = {.frequency = ruga_param_constant(2),
                                   .damping = ruga_param_constant(0.1),
                                   .weight = ruga_param_constant(weight),
                                   .air = ruga_param_constant(0.5)};
    part *d = NULL;
    if (kind == 's') assert_ok(mesh->context, subdivide_part_create(mesh, &finer, &d));
    if (kind == 'd') assert_ok(mesh->context, displace_part_create(mesh, &amount, &d));
    if (kind == 'j') assert_ok(mesh->context, jiggle_part_create(mesh, &loose, &d));
    assert_non_null(d);
    return d;
}

/* kinds: s, d and j; others are left out. */
static stack stack_make(const ruga_mesh *mesh, const char *kinds, double weight) {
    stack s = {0};
    for (; *kinds; kinds++) {
        if (!strchr("sdj", *kinds)) continue;
        s.details[s.count] = make_layer(mesh, *kinds, weight);
        mesh = s.details[s.count++]->output;
    }
    return s;
}

static void stack_destroy(stack *s) {
    while (s->count > 0) part_destroy(s->details[--s->count]);
}

static const part *stack_run(stack *s, const ruga_mesh *mesh, int frames) {
    const environment e = {.wind = {.velocity = {2, 0, 1}}};
    ruga_vec3 *moved = copy_points(mesh->positions, mesh->vertex_count);
    for (int i = 0; i < frames; i++) {
        move_points(mesh->positions, mesh->vertex_count, i / 24.0, moved);
        const ruga_vec3 *in = moved;
        for (size_t k = 0; k < s->count; k++) {
            if (i == 0) {
                part_settle(s->details[k], in, 0, &e);
            } else {
                part_update(s->details[k], in, i / 24.0, 1 / 24.0, &e);
            }
            in = s->details[k]->positions;
        }
    }
    free(moved);
    return s->details[s->count - 1];
}

static void every_order_works_and_they_differ(void **state) {
    ruga_mesh *mesh = shape_torus(*state, 16, 10);
    ruga_vec3 *results[6];
    size_t count = 0;
    for (int o = 0; o < 6; o++) {
        stack s = stack_make(mesh, orders[o], 1);
        const part *last = stack_run(&s, mesh, 12);
        count = last->output->vertex_count;
        assert_int_equal(count, 4 * mesh->vertex_count);
        for (size_t v = 0; v < count; v++) assert_true(vec3_is_finite(last->positions[v]));
        results[o] = copy_points(last->positions, count);
        stack_destroy(&s);
    }
    /* The same parts, so near each other; but a sum is not its parts in any order. */
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < a; b++) {
            double apart = greatest_distance(results[a], results[b], count);
            assert_less(apart, 0.2);
            assert_true((apart > 1e-9 || (a < 4 && a / 2 == b / 2)));
        }
    for (int o = 0; o < 6; o++) free(results[o]);
    ruga_mesh_destroy(mesh);
}

static void a_jiggle_without_weight_is_not_there_wherever_it_stands(void **state) {
    const char *const without[6] = {"s-d", "-sd", "ds-", "d-s", "sd-", "-ds"};
    ruga_mesh *mesh = shape_torus(*state, 16, 10);
    for (int o = 0; o < 6; o++) {
        stack a = stack_make(mesh, orders[o], 0), b = stack_make(mesh, without[o], 0);
        const part *x = stack_run(&a, mesh, 5), *y = stack_run(&b, mesh, 5);
        assert_memory_equal(x->positions, y->positions, x->output->vertex_count * sizeof(ruga_vec3));
        stack_destroy(&a);
        stack_destroy(&b);
    }
    ruga_mesh_destroy(mesh);
}

/* Oscillators with the same parameters everywhere and a steady wind are linear: mixing before is mixing after. */
static void a_jiggle_and_a_subdivision_may_change_places_when_nothing_is_painted(void **state) {
    ruga_mesh *mesh = shape_torus(*state, 16, 10);
    stack a = stack_make(mesh, "sj", 1), b = stack_make(mesh, "js", 1);
    const part *x = stack_run(&a, mesh, 24), *y = stack_run(&b, mesh, 24);
    assert_less(greatest_distance(x->positions, y->positions, x->output->vertex_count), 1e-13);
    stack_destroy(&a);
    stack_destroy(&b);
    ruga_mesh_destroy(mesh);
}

static void stacks_give_the_same_bits_with_any_number_of_threads(void **state) {
    (void)state;
    const int threads[3] = {1, 2, 5};
    ruga_vec3 *first = NULL;
    for (int i = 0; i < 3; i++) {
        ruga_context *context = context_plain(threads[i]);
        ruga_mesh *mesh = shape_torus(context, 60, 50);
        stack s = stack_make(mesh, "sdj", 0.5);
        const part *last = stack_run(&s, mesh, 5);
        if (!first) first = copy_points(last->positions, last->output->vertex_count);
        assert_memory_equal(first, last->positions, last->output->vertex_count * sizeof *first);
        stack_destroy(&s);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
    free(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_works_and_they_differ),
        cmocka_unit_test(a_jiggle_without_weight_is_not_there_wherever_it_stands),
        cmocka_unit_test(a_jiggle_and_a_subdivision_may_change_places_when_nothing_is_painted),
        cmocka_unit_test(stacks_give_the_same_bits_with_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
