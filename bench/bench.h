/* Shared by the benchmarks: the fair comparison of two methods for the same work, and how figures are printed.
 *
 * The two run in turn, A B A B …, so that whatever disturbs the machine disturbs both; a ratio is taken within each
 * turn, and the figure is the median of the ratios. The first turn is not counted: it warms caches.
 *
 *     bench_setup bench = bench_init(argc, argv, "closest points and refitting");
 *     bench_result r = bench_compare(&bench, &(bench_pair){.a_name = "Embree", .a = run_embree, .b_name = "Ruga",
 *                                                          .b = run_ours, .user = &scene});
 *     bench_figure("closest_point_vs_embree", r.ratio);
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/timer.h"
#include "ruga/context.h"

typedef struct bench_setup {
    int quick;        /* --quick: ends within 45 s, fewer repetitions (5 at least) */
    int threads;      /* --threads N, 1 if not said */
    const char *plot; /* --plot FILE, of benchmarks that draw one; NULL if not said */
    const char *log;  /* --log FILE, of benchmarks that can continue from one; NULL if not said */
    const char *only; /* --only PART, of benchmarks that ask bench_wants; NULL if not said */
    int found;        /* whether there was that part */
    ruga_context *context;
} bench_setup;

typedef void bench_function(void *user);

typedef struct bench_pair {
    const char *a_name, *b_name;
    bench_function *a, *b;
    bench_function *a_before, *b_before; /* untimed, before each repetition; may be NULL */
    void *user;
    /* of this process instead of the wall's: one thread, no files; other programs disturb it less */
    int processor_time;
    int repetitions; /* 0: 5 with --quick, else 15; never fewer than 5 */
    int b_runs;      /* of B in each turn, 0: one; their mean counts, where A takes so many times longer */
    double items;    /* queries, bytes, … that one repetition treats; 0: none are printed */
    const char *item_name;
} bench_pair;

typedef struct bench_result {
    double a, b;  /* s, medians */
    double ratio; /* the median of a / b within each turn: how many times faster b is */
} bench_result;

/* Ends the program with a message when something that a benchmark takes for granted does not hold. */
static inline void bench_require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "benchmark failed: %s\n", what);
    exit(1);
}

static inline void bench_ok(const bench_setup *bench, ruga_status status) {
    bench_require(!RUGA_FAILED(status), ruga_context_message(bench->context));
}

/* Whether a part of the benchmark is to be run: all are without --only. */
static inline int bench_wants(bench_setup *bench, const char *part) {
    const int is_it = bench->only && !strcmp(bench->only, part);
    bench->found |= is_it;
    return is_it || !bench->only;
}

/* Reads --quick, --threads N, --plot FILE, --log FILE and --only PART, makes the context and prints what runs. */
static inline bench_setup bench_init(int argc, char **argv, const char *what) {
    bench_setup bench = {.threads = 1};
    setvbuf(stdout, NULL, _IOLBF, 0); /* what is there so far is seen, in a pipe, too */
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            bench.quick = 1;
        } else if (!strcmp(argv[i], "--threads") && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            bench.threads = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "--plot") && i + 1 < argc) {
            bench.plot = argv[++i];
        } else if (!strcmp(argv[i], "--log") && i + 1 < argc) {
            bench.log = argv[++i];
        } else if (!strcmp(argv[i], "--only") && i + 1 < argc) {
            bench.only = argv[++i];
        } else {
            fprintf(stderr, "usage: %s [--quick] [--threads N] [--plot FILE.svg] [--log FILE] [--only PART]\n",
                    argv[0]);
            exit(2);
        }
    }
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = bench.threads;
    bench_require(!RUGA_FAILED(ruga_context_create(&def, &bench.context)), "no context; check RUGA_ISA");
    printf("%s: %d thread%s, %s\n", what, bench.threads, bench.threads == 1 ? "" : "s",
           ruga_isa_name(ruga_context_isa(bench.context)));
    return bench;
}

static inline void bench_end(bench_setup *bench) {
    bench_require(!bench->only || bench->found, "there is no part with the name after --only");
    ruga_context_destroy(bench->context);
    bench->context = NULL;
}

static inline int bench_rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. */
static inline double bench_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, bench_rising);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static inline double bench_now(int processor_time) {
    struct timespec now;
    if (!processor_time || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return timer_now();
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double bench_time(bench_function *before, bench_function *run, void *user, int processor_time) {
    if (before) before(user);
    double start = bench_now(processor_time);
    run(user);
    return bench_now(processor_time) - start;
}

/* The mean of several. */
static inline double bench_time_mean(bench_function *before, bench_function *run, void *user, int processor_time,
                                     int runs) {
    double sum = 0;
    for (int i = 0; i < runs; i++) sum += bench_time(before, run, user, processor_time);
    return sum / runs;
}

/* One line of the table: name, time, items a second. */
static inline void bench_row(const char *name, double seconds, double items, const char *item_name) {
    printf("  %-28s %10.3f ms", name, seconds * 1e3);
    if (items > 0) printf("  %12.4g %s/s", items / seconds, item_name ? item_name : "items");
    printf("\n");
}

static inline bench_result bench_compare(const bench_setup *bench, const bench_pair *pair) {
    enum { MOST = 101 };
    double a[MOST], b[MOST], ratios[MOST];
    int count = pair->repetitions > 0 ? pair->repetitions : bench->quick ? 5 : 15;
    count = count < 5 ? 5 : count > MOST ? MOST : count;
    const int processor = pair->processor_time;
    bench_time(pair->a_before, pair->a, pair->user, processor);
    bench_time(pair->b_before, pair->b, pair->user, processor);
    for (int i = 0; i < count; i++) {
        a[i] = bench_time(pair->a_before, pair->a, pair->user, processor);
        b[i] = bench_time_mean(pair->b_before, pair->b, pair->user, processor, pair->b_runs > 0 ? pair->b_runs : 1);
        ratios[i] = a[i] / b[i];
    }
    bench_result result = {bench_median(a, count), bench_median(b, count), bench_median(ratios, count)};
    bench_row(pair->a_name, result.a, pair->items, pair->item_name);
    bench_row(pair->b_name, result.b, pair->items, pair->item_name);
    printf("  ratio %.3f (median of %d turns, %.3f to %.3f)\n", result.ratio, count, ratios[0], ratios[count - 1]);
    return result;
}

/* A number within [-1, 1] that only looks random. */
static inline double bench_scatter(uint32_t i) {
    uint32_t x = (i + 1) * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    return (double)(x ^ x >> 13) / 2147483648.0 - 1;
}

/* A figure that others read: `figure <name> <value>`, alone on its line. */
static inline void bench_figure(const char *name, double value) { printf("figure %s %.4g\n", name, value); }

#endif
