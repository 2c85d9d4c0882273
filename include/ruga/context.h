/* Ruga: the context, which owns what other libraries keep in globals.
 *
 * Everything starts with a context: where memory comes from, where messages go, how loops are spread over threads.
 * There are no globals anywhere, so several contexts can coexist. A context must outlive what was made with it.
 *
 * Threads: different objects of one context may be used from different threads at the same time, if its callbacks
 * allow it (the default ones do). ruga_context_message then holds the message of the last call that failed; read it
 * while none of them is in a call, or give each thread a context of its own.
 *
 * Pointers, here and in the other headers: none may be NULL unless stated, and arrays have at least the shape
 * written beside them.
 */
#ifndef RUGA_CONTEXT_H
#define RUGA_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "ruga/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_context ruga_context;

/* Memory. allocate returns memory aligned for any standard type, or NULL; release takes NULL too.
 * Both may be called from several threads at once. */
typedef struct ruga_allocator {
    void *(*allocate)(void *user, size_t size); /* size > 0, bytes */
    void (*release)(void *user, void *memory);
    void *user;
} ruga_allocator;

typedef enum ruga_log_level { RUGA_LOG_INFO = 0, RUGA_LOG_WARNING = 1 } ruga_log_level;

/* One line without a newline at its end. Errors are not logged: they are returned. */
typedef void ruga_log_function(void *user, ruga_log_level level, const char *message);

/* Called from time to time, from the thread that made the call. `stage` names the work, `fraction` is within [0, 1].
 * Return non-zero to cancel: the call then ends with RUGA_ERROR_CANCELLED. */
typedef int ruga_progress_function(void *user, const char *stage, double fraction);

/* Runs task(argument, i) once for every i in [0, count), in any order, on any threads, and returns when all are
 * done. */
typedef void ruga_task_function(void *argument, size_t index);
typedef void ruga_parallel_for_function(void *user, size_t count, ruga_task_function *task, void *argument);

/* The instruction sets that kernels are compiled for. One binary holds them all and chooses at run time. */
typedef enum ruga_isa {
    RUGA_ISA_AUTO = 0, /* the best this machine has, or what the environment variable RUGA_ISA names */
    RUGA_ISA_SCALAR = 1,
    RUGA_ISA_SSE4 = 2,
    RUGA_ISA_AVX2 = 3,
    RUGA_ISA_AVX512 = 4
} ruga_isa;

typedef struct ruga_context_def {
    uint32_t cookie;          /* set by ruga_context_def_default; detects a def without defaults */
    int thread_count;         /* 0: as many as the machine has cores; ignored with parallel_for */
    ruga_isa isa;             /* what this machine lacks is an error */
    ruga_allocator allocator; /* all NULL: malloc and free */
    ruga_log_function *log;   /* NULL: silent */
    void *log_user;
    ruga_progress_function *progress; /* NULL: none */
    void *progress_user;
    ruga_parallel_for_function *parallel_for; /* NULL: our own threads */
    void *parallel_for_user;
} ruga_context_def;

RUGA_API ruga_context_def ruga_context_def_default(void);

/* def may be NULL for all defaults. Fails with RUGA_ERROR_ARGUMENT (a def that was not made by
 * ruga_context_def_default, an instruction set that this machine lacks) or RUGA_ERROR_MEMORY. */
RUGA_API ruga_status ruga_context_create(const ruga_context_def *def, ruga_context **out);
RUGA_API void ruga_context_destroy(ruga_context *context); /* NULL is fine */

/* The message of the last error in this context, "" if there was none. Valid until the next call that fails. */
RUGA_API const char *ruga_context_message(const ruga_context *context);
RUGA_API int ruga_context_thread_count(const ruga_context *context);
RUGA_API ruga_isa ruga_context_isa(const ruga_context *context); /* never RUGA_ISA_AUTO */

RUGA_API const char *ruga_isa_name(ruga_isa isa); /* "scalar", "sse4", "avx2", "avx512", "auto" */
RUGA_API const char *ruga_version(void);          /* "0.1.0" */

/* Frees what a call handed out as plain memory (text, bytes). NULL is fine. */
RUGA_API void ruga_free(ruga_context *context, void *memory);

#ifdef __cplusplus
}
#endif
#endif
