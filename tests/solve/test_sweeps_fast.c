/* The fast path against the plain loop: the same bits in the same order, with every instruction set, any number of
 * threads and any task system; in another order, the same wrinkles. */
#include "base/isa.h"
#include "base/memory.h"
#include "solve/sweeps_layout.h"
#include "sweeps_cases.h"

/* ---- Points and limits in slots. */
typedef struct slotted {
    sweeps *s;
    size_t slots;
    float *points, *anchors, *normals;
    uint32_t *offsets;
    sweep_limits limits;
    const sweep_limits *used; /* NULL: none */
} slotted;

static float *to_slots(const slotted *x, ruga_context *context, const float *values) {
    float *out = memory_allocate_aligned(context, 4 * x->slots + 16, sizeof(float));
    const uint32_t *order = sweeps_order(x->s);
    for (size_t i = 0; i < x->slots; i++)
        for (size_t k = 0; k < 4; k++) out[4 * i + k] = order[i] == UINT32_MAX ? 0 : values[4 * (size_t)order[i] + k];
    return out;
}

static slotted slotted_make(ruga_context *context, const network *net, const test_limits *t) {
    slotted x = {0};
    sweep_terms terms = network_terms(net);
    assert_ok(context, sweeps_create(context, net->count, &terms, &x.s));
    x.slots = sweeps_slot_count(x.s);
    x.points = to_slots(&x, context, net->points);
    if (!t) return x;
    x.limits = t->limits;
    x.used = &x.limits;
    if (t->limits.anchors) x.limits.anchors = x.anchors = to_slots(&x, context, t->anchors);
    if (t->limits.normals) x.limits.normals = x.normals = to_slots(&x, context, t->normals);
    if (!t->limits.planes) return x;
    /* Planes are shared: the offsets of a slot need not follow those of the one before. Here each has copies of its
     * own. */
    x.offsets = calloc(x.slots + 1, sizeof(uint32_t));
    float *planes = memory_allocate_aligned(context, 8 * net->count + 16, sizeof(float));
    for (size_t i = 0; i < x.slots; i++) {
        uint32_t point = sweeps_order(x.s)[i];
        x.offsets[i + 1] = x.offsets[i];
        for (uint32_t e = point == UINT32_MAX ? 0 : t->offsets[point]; point != UINT32_MAX && e < t->offsets[point + 1];
             e++)
            memcpy(planes + 4 * (size_t)x.offsets[i + 1]++, t->planes + 4 * (size_t)e, 4 * sizeof(float));
    }
    x.limits.plane_offsets = x.offsets;
    x.limits.planes = planes;
    return x;
}

static void slotted_run(slotted *x, int iterations) {
    if (x->used) x->limits.anchors = x->anchors;
    sweeps_run(x->s, x->used ? &x->limits : NULL, iterations, x->points);
}

static void slotted_release(slotted *x, ruga_context *context) {
    if (x->offsets) memory_release_aligned(context, (void *)(uintptr_t)x->limits.planes);
    memory_release_aligned(context, x->points);
    memory_release_aligned(context, x->anchors);
    memory_release_aligned(context, x->normals);
    free(x->offsets);
    sweeps_destroy(x->s);
}

/* The plain loop in the order in which the fast path visits. */
static float *plain_in_order(const network *net, const sweeps *s, const sweep_limits *limits, int iterations) {
    sweep_constraint *constraints = malloc((net->constraint_count + 1) * sizeof *constraints);
    sweep_hinge *hinges = malloc((net->hinge_count + 1) * sizeof *hinges);
    for (size_t k = 0; k < net->constraint_count; k++) constraints[k] = net->constraints[sweeps_constraint_order(s)[k]];
    for (size_t k = 0; k < net->hinge_count; k++) hinges[k] = net->hinges[sweeps_hinge_order(s)[k]];
    float *points = malloc((4 * net->count + 1) * sizeof(float));
    memcpy(points, net->points, 4 * net->count * sizeof(float));
    sweep_terms terms = {net->constraint_count, constraints, net->hinge_count, hinges};
    sweeps_plain(&terms, limits, iterations, points, net->count);
    free(constraints);
    free(hinges);
    return points;
}

static void assert_same_points(const slotted *x, const float *points) {
    for (size_t i = 0; i < x->slots; i++) {
        uint32_t point = sweeps_order(x->s)[i];
        for (size_t k = 0; k < 4 && point != UINT32_MAX; k++)
            fail_if(!(x->points[4 * i + k] == points[4 * (size_t)point + k]), /* -0 is 0, NaN is nothing */
                    "point %u, coordinate %zu: %.9g, not %.9g", point, k, (double)x->points[4 * i + k],
                    (double)points[4 * (size_t)point + k]);
    }
}

static ruga_context *context_with(ruga_isa isa, int threads) {
    ruga_context_def def = ruga_context_def_default();
    ruga_context *context;
    def.isa = isa;
    def.thread_count = threads;
    assert_true(ruga_context_create(&def, &context) == RUGA_OK);
    return context;
}

static void fast_is_plain_in_its_order_with_every_instruction_set(void **state) {
    (void)state;
    for (ruga_isa isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
        if (isa_choose(isa) != isa) continue; /* not on this machine */
        ruga_context *context = context_with(isa, 2);
        for (int which = 0; which < NETWORKS; which++) {
            network net = network_case(which);
            for (limits_kind kind = LIMITS_NONE; kind < LIMITS_KINDS; kind++) {
                test_limits t = limits_make(&net, kind);
                slotted x = slotted_make(context, &net, kind == LIMITS_NONE ? NULL : &t);
                float *plain = plain_in_order(&net, x.s, kind == LIMITS_NONE ? NULL : &t.limits, 4);
                slotted_run(&x, 4);
                assert_same_points(&x, plain);
                free(plain);
                slotted_release(&x, context);
                limits_release(&t);
            }
            network_release(&net);
        }
        ruga_context_destroy(context);
    }
}

/* ---- Threads. */

static void one_after_the_other(void *user, size_t count, ruga_task_function *task, void *argument) {
    ++*(int *)user;
    for (size_t i = 0; i < count; i++) task(argument, i);
}
static void last_one_first(void *user, size_t count, ruga_task_function *task, void *argument) {
    ++*(int *)user;
    for (size_t i = count; i-- > 0;) task(argument, i);
}

/* Points after some iterations in a network of several leaves, with all limits and hinges. */
static float *points_with(ruga_context *context, int which, size_t *count) {
    network net = network_case(which);
    test_limits t = limits_make(&net, LIMITS_ALL);
    slotted x = slotted_make(context, &net, &t);
    slotted_run(&x, 3);
    slotted_run(&x, 4);
    float *points = calloc(4 * net.count, sizeof(float));
    for (size_t i = 0; i < x.slots; i++)
        if (sweeps_order(x.s)[i] != UINT32_MAX)
            memcpy(points + 4 * (size_t)sweeps_order(x.s)[i], x.points + 4 * i, 4 * sizeof(float));
    *count = net.count;
    slotted_release(&x, context);
    limits_release(&t);
    network_release(&net);
    return points;
}

static void bits_do_not_depend_on_threads_or_tasks(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    for (int which = 2; which < 8; which++) {
        float *first = NULL;
        for (int k = 0; k < 6; k++) {
            ruga_context_def def = ruga_context_def_default();
            ruga_context *context;
            int calls = 0;
            def.thread_count = k < 4 ? threads[k] : 5;
            if (k >= 4) {
                def.parallel_for = k == 4 ? one_after_the_other : last_one_first;
                def.parallel_for_user = &calls;
            }
            assert_true(ruga_context_create(&def, &context) == RUGA_OK);
            size_t count;
            float *points = points_with(context, which, &count);
            if (first) assert_memory_equal(first, points, 4 * count * sizeof(float));
            if (k >= 4 && which == 2) assert_less(0, calls);
            if (first) free(points);
            first = first ? first : points;
            ruga_context_destroy(context);
        }
        free(first);
    }
}

typedef struct two_at_once {
    ruga_context *context;
    float *points;
    size_t count;
} two_at_once;

static void *run_one_of_two(void *argument) {
    two_at_once *one = argument;
    one->points = points_with(one->context, 2, &one->count);
    return NULL;
}

static void two_may_run_at_once_in_one_context(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    two_at_once both[2] = {{.context = context}, {.context = context}};
    pthread_t threads[2];
    for (int k = 0; k < 2; k++) assert_int_equal(pthread_create(&threads[k], NULL, run_one_of_two, &both[k]), 0);
    for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
    assert_memory_equal(both[0].points, both[1].points, 4 * both[0].count * sizeof(float));
    for (int k = 0; k < 2; k++) free(both[k].points);
    ruga_context_destroy(context);
}

/* ---- Orders. */

/* Compressed, with a little disorder to start from: it wrinkles as far as the balls let it. */
static network compressed_sheet(test_limits *t) {
    network net = network_sheet(48, 32, 1, 0.1f, 0);
    test_random random = {41};
    for (size_t i = 0; i < net.count; i++) {
        net.points[4 * i] *= 0.85f;
        net.points[4 * i + 2] = (float)random_between(&random, -0.01, 0.01);
    }
    *t = limits_make(&net, LIMITS_BALLS);
    for (size_t i = 0; i < 4 * net.count; i++) t->anchors[i] = i % 4 == 3 ? 0.5f : i % 4 == 2 ? 0 : net.points[i];
    return net;
}

/* Squared errors of edges, root mean square of heights, and the mean square of their slopes along x, which is that of
 * the waves' numbers. */
typedef struct wrinkles {
    double energy, offset, slope;
} wrinkles;

static wrinkles wrinkles_of(const network *net, const float *points) {
    wrinkles w = {0};
    for (size_t k = 0; k < net->constraint_count; k++) {
        const sweep_constraint *c = &net->constraints[k];
        double error = distance_of(points + 4 * c->points[0], points + 4 * c->points[1]) - c->length;
        w.energy += c->stiffness * error * error;
    }
    for (size_t i = 0; i < net->count; i++) {
        double z = points[4 * i + 2], next = (i + 1) % 49 ? points[4 * (i + 1) + 2] : z;
        w.offset += z * z;
        w.slope += (next - z) * (next - z);
    }
    w.slope = sqrt(w.slope / w.offset);
    w.offset = sqrt(w.offset / (double)net->count);
    return w;
}

static void other_orders_give_the_same_wrinkles(void **state) {
    test_limits t;
    network net = compressed_sheet(&t);
    slotted x = slotted_make(*state, &net, &t);
    slotted_run(&x, 600);
    float *fast = calloc(4 * net.count, sizeof(float));
    for (size_t i = 0; i < x.slots; i++)
        if (sweeps_order(x.s)[i] != UINT32_MAX)
            memcpy(fast + 4 * (size_t)sweeps_order(x.s)[i], x.points + 4 * i, 4 * sizeof(float));
    wrinkles flat = wrinkles_of(&net, net.points), ours = wrinkles_of(&net, fast);
    sweep_terms terms = network_terms(&net);
    sweeps_plain(&terms, &t.limits, 600, net.points, net.count);
    wrinkles plain = wrinkles_of(&net, net.points);
    /* The remaining energy is that of a state which depends on the order, where constraints contradict each
     * other; what the wrinkles have taken of it does not. */
    assert_less(plain.energy, 0.02 * flat.energy);
    assert_less(ours.energy, 0.02 * flat.energy);
    assert_less(0.2, plain.offset);
    assert_near((flat.energy - ours.energy) / (flat.energy - plain.energy), 1, 0.005);
    assert_near(ours.offset / plain.offset, 1, 0.03);
    assert_near(ours.slope / plain.slope, 1, 0.03);
    free(fast);
    slotted_release(&x, *state);
    limits_release(&t);
    network_release(&net);
}

static void orders_name_everything_once(void **state) {
    for (int which = 0; which < NETWORKS; which++) {
        network net = network_case(which);
        slotted x = slotted_make(*state, &net, NULL);
        size_t size = net.count + net.constraint_count + net.hinge_count;
        int *seen = calloc(size + 1, sizeof(int)), *of_constraints = seen + net.count;
        int *of_hinges = of_constraints + net.constraint_count;
        for (size_t i = 0; i < x.slots; i++)
            if (sweeps_order(x.s)[i] != UINT32_MAX) seen[sweeps_order(x.s)[i]]++;
        for (size_t k = 0; k < net.constraint_count; k++) of_constraints[sweeps_constraint_order(x.s)[k]]++;
        for (size_t k = 0; k < net.hinge_count; k++) of_hinges[sweeps_hinge_order(x.s)[k]]++;
        for (size_t i = 0; i < size; i++) assert_int_equal(seen[i], 1);
        free(seen);
        slotted_release(&x, *state);
        network_release(&net);
    }
}

static void meshes_fill_their_rows(void **state) {
    network net = network_sheet(90, 90, 1, 0.5f, 0);
    sweep_terms terms = network_terms(&net);
    sweep_layout layout;
    assert_ok(*state, sweep_layout_make(*state, net.count, &terms, &layout));
    size_t filled = 0;
    for (size_t k = 0; k < layout.row_sources.count; k++) filled += layout.row_sources.items[k] != SWEEP_NONE;
    assert_less(0.9 * (double)layout.row_sources.count, (double)filled);
    assert_less(0.9 * (double)net.constraint_count, (double)filled);
    assert_less((double)layout.order.count, 1.1 * (double)net.count);
    sweep_layout_release(&layout);
    network_release(&net);
}

/* ---- Values, memory. */

static void set_is_the_same_as_a_new_solver(void **state) {
    network net = network_case(7);
    slotted x = slotted_make(*state, &net, NULL);
    test_random random = {51};
    for (size_t k = 0; k < net.constraint_count; k++) {
        net.constraints[k].length *= (float)random_between(&random, 0.8, 1.2);
        net.constraints[k].stiffness = (float)random_unit(&random);
    }
    for (size_t k = 0; k < net.hinge_count; k++) {
        net.hinges[k].rest_angle = (float)random_between(&random, -1, 1);
        net.hinges[k].stiffness = (float)random_unit(&random);
    }
    slotted fresh = slotted_make(*state, &net, NULL);
    sweep_terms terms = network_terms(&net);
    sweeps_set(x.s, &terms);
    slotted_run(&x, 3);
    slotted_run(&fresh, 3);
    assert_memory_equal(x.points, fresh.points, 4 * x.slots * sizeof(float));
    slotted_release(&x, *state);
    slotted_release(&fresh, *state);
    network_release(&net);
}

static void coincident_points_and_zero_lengths_stay_finite(void **state) {
    network net = network_sheet(40, 40, 0, 0.5f, 0.5f);
    for (size_t i = 0; i < 4 * net.count; i++) net.points[i] = 0;
    for (size_t k = 0; k < net.constraint_count; k++) {
        if (k % 3 == 0) net.constraints[k].length = 0;
        if (k % 5 == 0) net.constraints[k].stiffness = 0;
    }
    net.points[0] = 1e-20f;
    net.points[80] = 1;
    slotted x = slotted_make(*state, &net, NULL);
    slotted_run(&x, 20);
    for (size_t i = 0; i < 4 * x.slots; i++) assert_true(isfinite(x.points[i]));
    slotted_release(&x, *state);
    network_release(&net);
}

static void a_run_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    network net = network_case(7);
    test_limits t = limits_make(&net, LIMITS_ALL);
    slotted x = slotted_make(context, &net, &t);
    sweep_terms terms = network_terms(&net);
    long before = counter.allocations;
    slotted_run(&x, 2);
    sweeps_set(x.s, &terms);
    slotted_run(&x, 1);
    assert_true(counter.allocations == before);
    slotted_release(&x, context);
    limits_release(&t);
    network_release(&net);
    ruga_context_destroy(context);
}

static ruga_status make_and_destroy(ruga_context *context, void *user) {
    sweep_terms terms = network_terms(user);
    sweeps *s = NULL;
    ruga_status status = sweeps_create(context, ((network *)user)->count, &terms, &s);
    assert_true(RUGA_FAILED(status) == !s);
    sweeps_destroy(s);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++) {
        network net = which ? network_fans(40) : network_sheet(60, 60, 1, 0.2f, 0.3f);
        assert_less(10, assert_every_allocation_may_fail(make_and_destroy, &net));
        network_release(&net);
    }
}

static void more_than_can_be_counted_is_an_error(void **state) {
    sweeps *s = NULL;
    sweep_terms none = {0}, many = {.constraint_count = (size_t)1 << 31};
    assert_status(sweeps_create(*state, (size_t)1 << 31, &none, &s), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(*state, "2147483648 points");
    assert_status(sweeps_create(*state, 3, &many, &s), RUGA_ERROR_UNSUPPORTED);
    assert_null(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_is_plain_in_its_order_with_every_instruction_set),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_tasks),
        cmocka_unit_test(two_may_run_at_once_in_one_context),
        cmocka_unit_test(other_orders_give_the_same_wrinkles),
        cmocka_unit_test(orders_name_everything_once),
        cmocka_unit_test(meshes_fill_their_rows),
        cmocka_unit_test(set_is_the_same_as_a_new_solver),
        cmocka_unit_test(coincident_points_and_zero_lengths_stay_finite),
        cmocka_unit_test(a_run_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(more_than_can_be_counted_is_an_error),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
