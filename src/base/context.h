/* The inside of a context, and the one way to fail. */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <pthread.h>
#include <stdarg.h>

#include "ruga/context.h"

struct file_system;
struct thread_pool;
struct ruga_scene;
struct ruga_scene_intersection;

struct ruga_context {
    ruga_context_def def;
    ruga_isa isa;
    int thread_count;
    struct thread_pool *pool;              /* NULL while the caller's parallel_for is used, or for one thread */
    const struct file_system *file_system; /* the disk; tests put others here */
    /* Of a run at work: files that are written there are its own, and links are not followed. NULL: none. */
    const char *own_folder;
    /* Called for each file that is opened for reading or looked for and found; NULL: none. */
    void (*file_found)(void *user, const char *path);
    void *file_found_user;
    /* Draws what intersects at the start of a run: a ruga_run_start_function; NULL: none. */
    ruga_status (*run_start)(void *user, const struct ruga_scene *scene, const struct ruga_scene_intersection *found,
                             size_t count, const char *path);
    void *run_start_user;
    const struct ruga_decoders *decoders; /* of compressed glTF; NULL: none */
    pthread_mutex_t message_lock;
    char message[1024];
};

/* Every public def carries it, so that one that was not made by its default function is caught. */
#define RUGA_COOKIE 0x52554741u

/* Marks a function of libruga that libruga_render calls. Its symbol is exported as ruga_private_<name>, so that users'
 * programs never clash with it. Only libruga_render of the same version may use it. */
#define FOR_RENDER(name) \
    __asm__(LABEL_TEXT(__USER_LABEL_PREFIX__) "ruga_private_" #name) __attribute__((visibility("default")))
#define LABEL_TEXT(prefix) LABEL_TEXT_OF(prefix)
#define LABEL_TEXT_OF(prefix) #prefix

/* Stores a message and returns the status, so that a failure is one line: return fail_with(context, …). */
ruga_status fail_with(ruga_context *context, ruga_status status, const char *format, ...) FOR_RENDER(fail_with)
    __attribute__((format(printf, 3, 4)));
/* The same for the statuses that most failures have: return fail_input(context, "%s: …", path). */
#define fail_argument(context, ...) fail_with((context), RUGA_ERROR_ARGUMENT, __VA_ARGS__)
#define fail_input(context, ...) fail_with((context), RUGA_ERROR_INPUT, __VA_ARGS__)
/* RUGA_OK, or an argument error that names the number. */
ruga_status check_positive(ruga_context *context, const char *name, double value);
#define fail_unsupported(context, ...) fail_with((context), RUGA_ERROR_UNSUPPORTED, __VA_ARGS__)
/* The message of every allocation that failed. */
ruga_status fail_memory(ruga_context *context, size_t size) FOR_RENDER(fail_memory);

void log_info(ruga_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_warning(ruga_context *context, const char *format, ...) FOR_RENDER(log_warning)
    __attribute__((format(printf, 2, 3)));

/* RUGA_ERROR_CANCELLED, with its message, when the caller wants to stop; else RUGA_OK. */
ruga_status report_progress(ruga_context *context, const char *stage, double fraction) FOR_RENDER(report_progress);

/* Returns from the calling function when `expression` fails. */
#define TRY(expression)                                   \
    do {                                                  \
        ruga_status try_status_ = (expression);           \
        if (RUGA_FAILED(try_status_)) return try_status_; \
    } while (0)
/* The same, after `clean_up`: a call that releases what was made before. */
#define TRY_OR(expression, clean_up)            \
    do {                                        \
        ruga_status try_status_ = (expression); \
        if (RUGA_FAILED(try_status_)) {         \
            clean_up;                           \
            return try_status_;                 \
        }                                       \
    } while (0)
/* The end of a function that makes something: returns the status of making it and gives it to *out, or destroys it if
 * that failed. */
#define RETURN_MADE(expression, made, out, destroy) \
    do {                                            \
        ruga_status made_status_ = (expression);    \
        if (RUGA_FAILED(made_status_))              \
            destroy;                                \
        else                                        \
            *(out) = (made);                        \
        return made_status_;                        \
    } while (0)

#endif
