/* Deterministic loops over threads. Work is cut into blocks whose size does not depend on the number of threads, and
 * reductions add the blocks up in order: the result is bit-identical for any number of threads. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/context.h"

typedef struct thread_pool thread_pool;
ruga_status thread_pool_create(ruga_context *context, int thread_count, thread_pool **out);
void thread_pool_destroy(thread_pool *pool); /* NULL is fine */

int machine_core_count(void); /* that this process may use */

/* Runs task(argument, i) for every i below count. */
void parallel_tasks(ruga_context *context, size_t count, ruga_task_function *task, void *argument)
    FOR_RENDER(parallel_tasks);

/* Calls body(argument, begin, end) for blocks of `block` items that cover [0, count). */
typedef void range_function(void *argument, size_t begin, size_t end);
void parallel_for(ruga_context *context, size_t count, size_t block, range_function *body, void *argument);

/* The sum of body(argument, begin, end) over the blocks, added in their order. Allocates nothing: count / block may be
 * anything. */
typedef double range_sum_function(void *argument, size_t begin, size_t end);
double parallel_sum(ruga_context *context, size_t count, size_t block, range_sum_function *body, void *argument);

/* For loops that wait for another thread: lets the core's other work go first. */
static inline void pause_shortly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

#endif
