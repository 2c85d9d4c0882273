/* Ruga: what a call can answer. */
#ifndef RUGA_STATUS_H
#define RUGA_STATUS_H

#if defined(_WIN32)
#define RUGA_API
#elif defined(__GNUC__)
#define RUGA_API __attribute__((visibility("default")))
#else
#define RUGA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is fine, negative is an error, positive is a warning: the call did its work, but something is worth
 * knowing. On an error no output parameter is written and no file is left half made; the context holds a message
 * that says which file, line or element it was, what was found, what was expected, and what to do. */
typedef enum ruga_status {
    RUGA_OK = 0,

    RUGA_ERROR_ARGUMENT = -1,    /* the caller's arguments make no sense */
    RUGA_ERROR_MEMORY = -2,      /* the allocator returned NULL */
    RUGA_ERROR_FILE = -3,        /* a file can't be opened, read, written, or the disk is full */
    RUGA_ERROR_INPUT = -4,       /* a file, or a mesh, is not what it should be */
    RUGA_ERROR_UNSUPPORTED = -5, /* valid, but this build or this format can't do it */
    RUGA_ERROR_CANCELLED = -6,   /* the progress callback asked to stop */

    RUGA_WARNING_INPUT = 1,         /* something odd was read and dealt with; the log says what */
    RUGA_WARNING_NOT_CONVERGED = 2, /* an iteration stopped at its limit */
    RUGA_WARNING_NOT_DEFINITE = 3   /* a matrix was not positive definite */
} ruga_status;

#define RUGA_FAILED(status) ((status) < 0)

/* A short name such as "out of memory"; never NULL. */
RUGA_API const char *ruga_status_name(ruga_status status);

#ifdef __cplusplus
}
#endif
#endif
