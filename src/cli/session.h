/* One run of the command: its context, what it prints and where, how it ends.
 *
 * Results go to standard output, everything else in single lines to standard error. Every way to fail is one of the
 * exit codes; Ctrl-C asks the library to stop, which leaves nothing half written.
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

typedef struct session {
    ruga_context *context;
    int quiet, json;
    progress_bar bar;
    const char *stop_note; /* what is said when stopping takes long; NULL: nothing, or it was said */
    double stop_seen;      /* s, when Ctrl-C was noticed; 0: not yet */
    int output_error;      /* errno of the first write to standard output that failed */
} session;

/* --help, --version, --threads, --quiet, --json: every command has them. */
extern const option common_options[];
extern const size_t common_option_count;

/* 0, or an exit code; the error is said. */
int session_open(session *s, const arguments *a);
/* Flushes what was printed and gives the code to exit with: `code`, unless standard output could not take it. */
int session_close(session *s, int code);

/* ---- Ways to fail: one line on standard error, and the exit code to return. */
int session_error(session *s, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int session_failed_input(session *s, ruga_status status);  /* while reading: a file that can't be read is bad input */
int session_failed_output(session *s, ruga_status status); /* while working or writing */
/* While taking the value of an option, which the message then names. */
int session_failed_usage(session *s, ruga_status status, const char *option_name);
int session_no_memory(session *s); /* for memory of our own */
/* Whether Ctrl-C was pressed; long loops of our own ask. Says so once, with the exit code to return. */
int session_interrupted(session *s);
/* The exit code of a Ctrl-C that was pressed, 0 if none was; says nothing, for those who say more. */
int session_interrupt_code(void);

/* ---- Things to say. */
void session_print(session *s, const char *format, ...) __attribute__((format(printf, 2, 3))); /* results */
void session_remark(session *s, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* results, unless --quiet or --json */
void session_note(session *s, const char *format, ...) __attribute__((format(printf, 2, 3))); /* standard error */
void session_write(session *s, const void *bytes, size_t size);

/* A writer for --json; finish prints, releases and returns the exit code. */
int session_json_begin(session *s, ruga_json_writer **out);
int session_json_finish(session *s, ruga_json_writer *writer);

/* "1,234,567" in one of eight rotating buffers. */
const char *with_commas(uint64_t number);
/* "0.0123", "12.3", "12345": three digits, and as many as there are before the point, likewise. */
const char *with_digits(double number);
/* "12.3 MB", likewise. */
const char *with_bytes(uint64_t size);

#endif
