/* The inside of a context, and the one way to fail. */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <pthread.h>
#include <stdarg.h>

#include "ruga/context.h"

struct file_system;
struct thread_pool;

struct ruga_context {
    ruga_context_def def;
    ruga_isa isa;
    int thread_count;
    struct thread_pool *pool;              /* NULL while the caller's parallel_for is used, or for one thread */
    const struct file_system *file_system; /* the disk; tests put others here */
    /* Hears of each file that is opened for reading or found to be there; NULL: nobody does. */
    void (*file_found)(void *user, const char *path);
    void *file_found_user;
    pthread_mutex_t message_lock;
    char message[1024];
};

/* Every public def carries it, so that one that was not made by its default function is caught. */
#define RUGA_COOKIE 0x52554741u

/* Stores a message and returns the status, so that a failure is one line: return fail_with(context, …). */
ruga_status fail_with(ruga_context *context, ruga_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The message of every allocation that failed. */
ruga_status fail_memory(ruga_context *context, size_t size);

void log_info(ruga_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_warning(ruga_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* RUGA_ERROR_CANCELLED, with its message, when the caller wants to stop; else RUGA_OK. */
ruga_status report_progress(ruga_context *context, const char *stage, double fraction);

/* Returns from the calling function when `expression` fails. */
#define TRY(expression)                                   \
    do {                                                  \
        ruga_status try_status_ = (expression);           \
        if (RUGA_FAILED(try_status_)) return try_status_; \
    } while (0)

#endif
