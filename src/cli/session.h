/* One call of the command: its context, its output and its exit code.
 *
 * Results go to standard output; errors, warnings and notes go to standard error, one line each. Ctrl-C asks the
 * library to stop, which leaves no unfinished file behind.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "options.h"
#include "progress.h"

enum exit_code {
    EXIT_FINE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_FOUND = 4,
    EXIT_INTERRUPTED = 128
};

/* Returns from the calling function with the exit code of `expression`, unless it is 0. */
#define TRY_CODE(expression)             \
    do {                                 \
        int try_code_ = (expression);    \
        if (try_code_) return try_code_; \
    } while (0)

typedef struct session {
    ruga_context *context;
    int quiet, json, verbose;
    double begun;        /* s, of seconds_now */
    char stages[24][32]; /* of the library, that --verbose has printed; "": none yet */
    progress_bar bar;
    int resumable;         /* the command itself reports Ctrl-C, with how to resume */
    const char *stop_note; /* printed when stopping takes long; NULL: nothing, or it was printed */
    double stop_seen;      /* s, when Ctrl-C was noticed; 0: not yet */
    int output_error;      /* errno of the first write to standard output that failed */
    int is_silent;         /* what the library logs is neither printed nor counted */
    size_t warnings;       /* of the library, so far */
    int lenient;           /* errors are printed as warnings: the command continues without that part */
    struct trial *trial;   /* substeps of a scene are counted, and stopped when its time is over; NULL: none */
} session;

/* A scene is stepped to see how long it takes. */
typedef struct trial {
    double end;         /* s, of seconds_now: no substep begins later */
    int most;           /* substeps */
    int begun;          /* substeps, so far */
    double first, last; /* s, when the first and the last of them began */
} trial;

/* --help, --version, --threads, --quiet, --verbose, --json: every command has them. */
extern const option common_options[6];

/* Before the options are read: whether errors are printed as JSON. */
void session_begin(session *s, int argc, char **argv);
/* 0, or an exit code after printing the error. */
int session_open(session *s, const arguments *a);
/* Flushes standard output and returns the exit code: `code`, unless writing to standard output failed. */
int session_close(session *s, int code);

/* Texts are printed with their control characters as \x1b: names come from files and scenes, and a terminal obeys them.
 * Results keep their ends of lines. */

/* One line on standard error, which says itself what it is. With --json it is {"kind": "text"}, as are all lines that
 * go there; an error has "exit_code", too. kind: "error", "warning" or "note". */
void session_line(session *s, const char *kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- Errors: one line on standard error, and the exit code to return. */
int session_error(session *s, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The exit code of a status of the library: 0 unless it failed, else the code after printing the library's message. */
int input_code(session *s, ruga_status status);  /* while reading: a file that can't be read is bad input */
int output_code(session *s, ruga_status status); /* while working or writing */
/* While reading the value of an option; the message names the option. */
int usage_code(session *s, ruga_status status, const char *option_name);
int session_no_memory(session *s); /* when malloc fails in the command itself */
/* "no model 'shet'; did you mean 'sheet'?"; without a similar name, the message lists those that exist. */
int session_unknown(session *s, const char *what, const char *name, const char *const *names, size_t count);
/* The exit code after Ctrl-C, 0 without; long loops call it. Prints a message unless the session is resumable. */
int session_interrupted(session *s);
int session_interrupt_code(void); /* the same without a message */

/* ---- Output. */
void session_print(session *s, const char *format, ...) __attribute__((format(printf, 2, 3))); /* results */
void session_remark(session *s, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* results, unless --quiet or --json */
void session_note(session *s, const char *format, ...) __attribute__((format(printf, 2, 3))); /* standard error */
void session_warning(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void session_detail(session *s, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* a note with the time so far, with --verbose only */
void session_write(session *s, const void *bytes, size_t size);

/* Bytes that this process had at most so far. */
uint64_t peak_memory(void);

/* "1,234,567" in one of eight rotating buffers. */
const char *with_commas(uint64_t number);
/* "0.0123", "12.3", "12345": three digits, and as many as there are before the point, likewise. */
const char *with_digits(double number);
/* "12.3 MB", likewise. */
const char *with_bytes(uint64_t size);

#endif
