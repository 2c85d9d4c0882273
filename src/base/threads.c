/* A pool of threads that works on one job at a time.
 *
 * The thread that brings a job owns the pool until it is done and works along; a caller that finds the pool taken, such
 * as a task with its own loop, runs its job alone, so that nothing ever waits for itself. Workers join a job under
 * the lock and leave it under the lock: one that wakes late finds the job closed and never touches it.
 *
 * A job is cut into one slice per thread. Each works through its own and then helps with the others', so that loops
 * over the same points, one after another, find most of them in the cache of the same core.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/threads.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/memory.h"

#define MAX_CORES 256
#define SPIN_ROUNDS 2000 /* some ten microseconds: the time between two loops of a step */
#define SUM_BLOCKS 512   /* blocks whose sums are held at once */

/* One of the pool's threads, and its slice of the job: the tasks from `next` on. No two slices share a cache line. */
typedef struct pool_thread {
    thread_pool *pool;
    pthread_t thread;
    size_t end;
    atomic_size_t next;
    char apart[96];
} pool_thread;

struct thread_pool {
    ruga_context *context;
    int spins; /* rounds to spin before sleeping; 0 when there are more threads than cores */
    int worker_count;
    pool_thread *threads; /* (worker_count + 1) the caller, then the workers */

    atomic_flag taken; /* by the thread that brought the current job */
    pthread_mutex_t lock;
    pthread_cond_t wake, left;
    atomic_uint job_number; /* changes with each job and at the end */
    int open, stopping;     /* whether the current job may be joined; under the lock */
    atomic_int active;      /* workers within the current job; changed under the lock */

    /* The job. */
    ruga_task_function *task;
    void *argument;
};

int machine_core_count(void) {
    long count = 0;
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
#endif
    if (count < 1) count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > MAX_CORES ? MAX_CORES : (int)count;
}

static void run_slice(const thread_pool *pool, pool_thread *slice) {
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&slice->next, 1, memory_order_relaxed);
        if (i >= slice->end) return;
        pool->task(pool->argument, i);
    }
}

/* Its own slice first, then those after it. */
static void run_job(thread_pool *pool, pool_thread *own) {
    pool_thread *last = pool->threads + pool->worker_count;
    for (pool_thread *slice = own; slice <= last; slice++) run_slice(pool, slice);
    for (pool_thread *slice = pool->threads; slice < own; slice++) run_slice(pool, slice);
}

/* Waits for a job other than the one last seen; spins first, since loops often follow each other closely. */
static void wait_for_job(thread_pool *pool, unsigned *seen) {
    for (int i = 0; i < pool->spins && atomic_load_explicit(&pool->job_number, memory_order_relaxed) == *seen; i++)
        pause_shortly();
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->job_number) == *seen) pthread_cond_wait(&pool->wake, &pool->lock);
    *seen = atomic_load(&pool->job_number);
}

static void *worker_main(void *argument) {
    pool_thread *own = argument;
    thread_pool *pool = own->pool;
    unsigned seen = 0;
    for (;;) {
        wait_for_job(pool, &seen);
        int stopping = pool->stopping, joins = pool->open;
        if (joins) atomic_fetch_add(&pool->active, 1);
        pthread_mutex_unlock(&pool->lock);
        if (stopping) return NULL;
        if (!joins) continue;
        run_job(pool, own);
        pthread_mutex_lock(&pool->lock);
        if (atomic_fetch_sub(&pool->active, 1) == 1) pthread_cond_signal(&pool->left);
        pthread_mutex_unlock(&pool->lock);
    }
}

/* Workers leave signals to the caller's threads. With fewer workers than wanted, as many as the system grants, every
 * result is the same. */
static void start_workers(thread_pool *pool, int count) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (pool_thread *worker = pool->threads + 1; pool->worker_count < count; worker++, pool->worker_count++) {
        worker->pool = pool;
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

ruga_status thread_pool_create(ruga_context *context, int thread_count, thread_pool **out) {
    thread_pool *pool;
    TRY(NEW_ZEROED(context, &pool, 1));
    TRY_OR(NEW_ZEROED(context, &pool->threads, (size_t)thread_count), memory_release(context, pool));
    pool->context = context;
    pool->spins = thread_count <= machine_core_count() ? SPIN_ROUNDS : 0;
    atomic_flag_clear(&pool->taken);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->left, NULL);
    start_workers(pool, thread_count - 1);
    *out = pool;
    return RUGA_OK;
}

void thread_pool_destroy(thread_pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->stopping = 1;
    atomic_fetch_add(&pool->job_number, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i <= pool->worker_count; i++) pthread_join(pool->threads[i].thread, NULL);
    pthread_cond_destroy(&pool->left);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    RELEASE_ALL(pool->context, pool->threads, pool);
}

/* Slices are as long as each other but for one task. */
static void cut_job(thread_pool *pool, size_t count) {
    size_t slices = (size_t)pool->worker_count + 1, begin = 0;
    for (size_t k = 0; k < slices; k++) {
        size_t end = begin + count / slices + (k < count % slices);
        pool->threads[k].end = end;
        atomic_store(&pool->threads[k].next, begin);
        begin = end;
    }
}

static void open_job(thread_pool *pool, size_t count, ruga_task_function *task, void *argument) {
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->argument = argument;
    cut_job(pool, count);
    pool->open = 1;
    atomic_fetch_add(&pool->job_number, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

/* Nobody joins any more; returns when all who did have left. */
static void close_job(thread_pool *pool) {
    for (int i = 0; i < pool->spins && atomic_load_explicit(&pool->active, memory_order_relaxed) > 0; i++)
        pause_shortly();
    pthread_mutex_lock(&pool->lock);
    pool->open = 0;
    while (atomic_load(&pool->active) > 0) pthread_cond_wait(&pool->left, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void parallel_tasks(ruga_context *context, size_t count, ruga_task_function *task, void *argument) {
    thread_pool *pool = context->pool;
    if (context->def.parallel_for && count > 1) {
        context->def.parallel_for(context->def.parallel_for_user, count, task, argument);
    } else if (pool && count > 1 && !atomic_flag_test_and_set(&pool->taken)) {
        open_job(pool, count, task, argument);
        run_job(pool, pool->threads);
        close_job(pool);
        atomic_flag_clear(&pool->taken);
    } else {
        for (size_t i = 0; i < count; i++) task(argument, i);
    }
}

/* [0, count) in blocks. */
typedef struct block_range {
    size_t count, block, first_block;
    range_function *body;
    range_sum_function *sum_body;
    void *argument;
    double *sums; /* of the blocks from first_block on */
} block_range;

static size_t block_count(size_t count, size_t block) { return count / block + (count % block != 0); }

static size_t block_end(const block_range *range, size_t begin) {
    return range->count - begin < range->block ? range->count : begin + range->block;
}

static void run_block(void *argument, size_t index) {
    const block_range *range = argument;
    size_t begin = index * range->block;
    range->body(range->argument, begin, block_end(range, begin));
}

void parallel_for(ruga_context *context, size_t count, size_t block, range_function *body, void *argument) {
    if (block == 0) block = 1;
    block_range range = {.count = count, .block = block, .body = body, .argument = argument};
    parallel_tasks(context, block_count(count, block), run_block, &range);
}

static void sum_block(void *argument, size_t index) {
    const block_range *range = argument;
    size_t begin = (range->first_block + index) * range->block;
    range->sums[index] = range->sum_body(range->argument, begin, block_end(range, begin));
}

double parallel_sum(ruga_context *context, size_t count, size_t block, range_sum_function *body, void *argument) {
    if (block == 0) block = 1;
    double sums[SUM_BLOCKS], total = 0;
    block_range range = {.count = count, .block = block, .sum_body = body, .argument = argument, .sums = sums};
    size_t blocks = block_count(count, block);
    for (; range.first_block < blocks; range.first_block += SUM_BLOCKS) {
        size_t now = blocks - range.first_block < SUM_BLOCKS ? blocks - range.first_block : SUM_BLOCKS;
        parallel_tasks(context, now, sum_block, &range);
        for (size_t i = 0; i < now; i++) total += sums[i];
    }
    return total;
}
