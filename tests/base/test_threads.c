#include <math.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/threads.h"
#include "base/timer.h"
#include "support/support.h"

static const int thread_counts[] = {1, 2, 5, 7};
#define COUNTS (sizeof thread_counts / sizeof *thread_counts)

/* Numbers whose sum depends on the order of adding. */
static double uneven(size_t i) { return sin((double)i * 1.7) * pow(10, (double)(i % 13) - 6); }

static double sum_range(void *argument, size_t begin, size_t end) {
    (void)argument;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += uneven(i);
    return sum;
}

static void sums_are_bit_identical_for_any_thread_count(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 99, 100, 101, 20000, 123457}, blocks[] = {1, 7, 100, 1000000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            double expected = 0;
            for (size_t t = 0; t < COUNTS; t++) {
                ruga_context *context = context_plain(thread_counts[t]);
                double sum = parallel_sum(context, counts[c], blocks[b], sum_range, NULL);
                if (t == 0) expected = sum;
                assert_memory_equal(&sum, &expected, sizeof sum);
                ruga_context_destroy(context);
            }
        }
}

static void a_sum_is_that_of_its_blocks_in_order(void **state) {
    (void)state;
    ruga_context *context = context_plain(5);
    double expected = 0;
    for (size_t begin = 0; begin < 100003; begin += 37)
        expected += sum_range(NULL, begin, begin + 37 < 100003 ? begin + 37 : 100003);
    double sum = parallel_sum(context, 100003, 37, sum_range, NULL);
    assert_memory_equal(&sum, &expected, sizeof sum);
    ruga_context_destroy(context);
}

/* How often each item was visited, and what the blocks looked like. */
typedef struct visits {
    atomic_uchar *seen;
    size_t count, block;
    atomic_int wrong_blocks;
} visits;

static void visit_range(void *argument, size_t begin, size_t end) {
    visits *v = argument;
    if (begin % v->block != 0 || end <= begin || end > v->count || (end != v->count && end - begin != v->block))
        atomic_fetch_add(&v->wrong_blocks, 1);
    for (size_t i = begin; i < end; i++) atomic_fetch_add(&v->seen[i], 1);
}

static void assert_visits(ruga_context *context, size_t count, size_t block) {
    visits v = {.seen = calloc(count + 1, sizeof *v.seen), .count = count, .block = block};
    parallel_for(context, count, block, visit_range, &v);
    assert_int_equal(v.wrong_blocks, 0);
    for (size_t i = 0; i < count; i++) assert_int_equal(v.seen[i], 1);
    free(v.seen);
}

static void every_item_is_visited_once_in_blocks_that_do_not_depend_on_threads(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNTS; t++) {
        ruga_context *context = context_plain(thread_counts[t]);
        const size_t counts[] = {0, 1, 2, 63, 64, 65, 10000};
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t block = 1; block < 200; block += 21) assert_visits(context, counts[c], block);
        ruga_context_destroy(context);
    }
}

static void count_call(void *argument, size_t index) {
    (void)index;
    atomic_fetch_add((atomic_long *)argument, 1);
}

static void many_short_jobs_follow_each_other(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNTS; t++) {
        ruga_context *context = context_plain(thread_counts[t]);
        atomic_long calls = 0;
        for (int i = 0; i < 3000; i++) parallel_tasks(context, (size_t)(i % 9), count_call, &calls);
        long expected = 0;
        for (int i = 0; i < 3000; i++) expected += i % 9;
        assert_int_equal(calls, expected);
        ruga_context_destroy(context);
    }
}

typedef struct nested {
    ruga_context *context;
    atomic_long calls;
} nested;

static void run_inner(void *argument, size_t index) {
    nested *n = argument;
    parallel_tasks(n->context, index % 5 + 1, count_call, &n->calls);
}

static void a_loop_within_a_loop_does_not_wait_for_itself(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNTS; t++) {
        nested n = {.context = context_plain(thread_counts[t])};
        parallel_tasks(n.context, 1000, run_inner, &n);
        assert_int_equal(n.calls, 3000);
        ruga_context_destroy(n.context);
    }
}

enum { HELPED = 64 };

/* The first task ends only when all others have. */
static void wait_for_the_others(void *argument, size_t index) {
    atomic_int *done = argument;
    double end = timer_now() + 120;
    while (index == 0 && atomic_load(done) < HELPED - 1 && timer_now() < end) sched_yield();
    if (index > 0 || atomic_load(done) == HELPED - 1) atomic_fetch_add(done, 1);
}

static void whoever_is_done_helps_the_others(void **state) {
    (void)state;
    for (int threads = 2; threads <= 7; threads += 5) {
        ruga_context *context = context_plain(threads);
        atomic_int done = 0;
        parallel_tasks(context, HELPED, wait_for_the_others, &done);
        assert_int_equal(done, HELPED);
        ruga_context_destroy(context);
    }
}

static void *sum_often(void *argument) {
    ruga_context *context = argument;
    static double results[8];
    static atomic_int next;
    double sum = 0;
    for (int i = 0; i < 200; i++) sum = parallel_sum(context, 20000, 100, sum_range, NULL);
    double *result = &results[atomic_fetch_add(&next, 1) % 8];
    *result = sum;
    return result;
}

static void several_threads_share_a_context(void **state) {
    (void)state;
    ruga_context *context = context_plain(3);
    double expected = parallel_sum(context, 20000, 100, sum_range, NULL);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, sum_often, context), 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_memory_equal(result, &expected, sizeof expected);
    }
    ruga_context_destroy(context);
}

static void backwards(void *user, size_t count, ruga_task_function *task, void *argument) {
    ++*(int *)user;
    for (size_t i = count; i-- > 0;) task(argument, i);
}

static void the_engines_own_loop_is_used_and_gives_the_same(void **state) {
    (void)state;
    int calls = 0;
    ruga_context_def def = ruga_context_def_default();
    def.parallel_for = backwards;
    def.parallel_for_user = &calls;
    ruga_context *theirs = NULL, *ours = context_plain(2);
    assert_status(ruga_context_create(&def, &theirs), RUGA_OK);
    assert_null(theirs->pool);
    double a = parallel_sum(theirs, 100000, 10, sum_range, NULL), b = parallel_sum(ours, 100000, 10, sum_range, NULL);
    assert_memory_equal(&a, &b, sizeof a);
    assert_less(0, calls);
    assert_visits(theirs, 1000, 7);
    ruga_context_destroy(theirs);
    ruga_context_destroy(ours);
}

static void *fail_second(void *user, size_t size) { return ++*(int *)user == *((int *)user + 1) ? NULL : malloc(size); }
static void plain_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void a_pool_without_memory_is_an_error(void **state) {
    (void)state;
    for (int n = 1; n <= 3; n++) {
        int counter[2] = {0, n};
        ruga_context_def def = ruga_context_def_default();
        def.allocator = (ruga_allocator){fail_second, plain_release, counter};
        def.thread_count = 4;
        ruga_context *context = NULL;
        assert_status(ruga_context_create(&def, &context), RUGA_ERROR_MEMORY);
        assert_null(context);
    }
}

static void there_is_a_core_and_time_runs_forward(void **state) {
    (void)state;
    assert_in_range(machine_core_count(), 1, 256);
    double before = timer_now();
    while (timer_now() == before) continue;
    assert_less(before, timer_now());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_bit_identical_for_any_thread_count),
        cmocka_unit_test(a_sum_is_that_of_its_blocks_in_order),
        cmocka_unit_test(every_item_is_visited_once_in_blocks_that_do_not_depend_on_threads),
        cmocka_unit_test(many_short_jobs_follow_each_other),
        cmocka_unit_test(a_loop_within_a_loop_does_not_wait_for_itself),
        cmocka_unit_test(whoever_is_done_helps_the_others),
        cmocka_unit_test(several_threads_share_a_context),
        cmocka_unit_test(the_engines_own_loop_is_used_and_gives_the_same),
        cmocka_unit_test(a_pool_without_memory_is_an_error),
        cmocka_unit_test(there_is_a_core_and_time_runs_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
