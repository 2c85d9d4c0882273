#include "session.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const option common_options[] = {
    {.name = "threads",
     .kind = OPTION_WHOLE,
     .value = "N",
     .low = 1,
     .high = 256,
     .help = "threads to work with; results do not depend on it. As many as there are cores if not given"},
    {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .help = "say nothing but errors (and what info prints)"},
    {.name = "json", .kind = OPTION_FLAG, .help = "print the result as JSON, for machines"},
    {.name = "version", .kind = OPTION_FLAG, .help = "print the version"},
    {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .help = "print this help"},
};
const size_t common_option_count = OPTION_COUNT(common_options);

/* ---- Ctrl-C. The handler resets itself, so that a second one ends the process at once. */
static volatile sig_atomic_t caught_signal = 0;

static void on_signal(int number) { caught_signal = number; }

static void install_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    /* A reader that goes away, and a file that grows beyond its limit, are errors of writing like others. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* ---- What the library calls. */
static void on_log(void *user, ruga_log_level level, const char *message) {
    session *s = user;
    if (s->quiet) return;
    progress_erase(&s->bar);
    fprintf(stderr, "ruga: %s: %s\n", level == RUGA_LOG_WARNING ? "warning" : "note", message);
}

#define STOP_PATIENCE 0.5 /* s, after which one who pressed Ctrl-C is told why it takes so long */

static void notice_stop(session *s) {
    double now = seconds_now();
    if (s->stop_seen == 0)
        s->stop_seen = now;
    else if (s->stop_note && now - s->stop_seen > STOP_PATIENCE) {
        session_note(s, "%s", s->stop_note);
        s->stop_note = NULL;
    }
}

static int on_progress(void *user, const char *stage, double fraction) {
    session *s = user;
    if (caught_signal)
        notice_stop(s);
    else
        progress_report(&s->bar, stage, fraction);
    return caught_signal != 0;
}

int session_open(session *s, const arguments *a) {
    *s = (session){.quiet = option_given(a, "quiet") > 0, .json = option_given(a, "json") > 0};
    install_signals();
    progress_begin(&s->bar, !s->quiet && !s->json && isatty(STDERR_FILENO));

    ruga_context_def def = ruga_context_def_default();
    def.thread_count = option_given(a, "threads") ? option_whole(a, "threads") : 0;
    def.log = on_log;
    def.log_user = s;
    def.progress = on_progress;
    def.progress_user = s;
    ruga_status status = ruga_context_create(&def, &s->context);
    if (status == RUGA_ERROR_ARGUMENT)
        return session_error(
            s, EXIT_USAGE,
            "RUGA_ISA=%s: no such instruction set, or not on this machine; use auto, scalar, sse4, avx2 or "
            "avx512",
            getenv("RUGA_ISA") ? getenv("RUGA_ISA") : "");
    if (RUGA_FAILED(status)) return session_error(s, EXIT_FAILED, "%s", ruga_status_name(status));
    return 0;
}

int session_close(session *s, int code) {
    progress_erase(&s->bar);
    if (fflush(stdout) != 0 && !s->output_error) s->output_error = errno ? errno : EIO;
    /* A reader that has seen enough (head) is no failure. */
    if (s->output_error && s->output_error != EPIPE && (code == EXIT_FINE || code == EXIT_FOUND))
        code = session_error(s, EXIT_FAILED, "standard output: %s", strerror(s->output_error));
    ruga_context_destroy(s->context);
    return code;
}

/* ---- Ways to fail. */
static void print_line(session *s, const char *kind, const char *format, va_list list) {
    progress_erase(&s->bar);
    fflush(stdout);
    fprintf(stderr, "ruga: %s: ", kind);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
}

int session_error(session *s, int code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    print_line(s, "error", format, list);
    va_end(list);
    return code;
}

int session_interrupt_code(void) { return caught_signal ? EXIT_INTERRUPTED + caught_signal : 0; }

int session_interrupted(session *s) {
    int code = session_interrupt_code();
    return code ? session_error(s, code, "interrupted; unfinished files were removed") : 0;
}

static int session_failed(session *s, ruga_status status, int file_code) {
    if (caught_signal && (status == RUGA_ERROR_CANCELLED || status == RUGA_ERROR_FILE)) return session_interrupted(s);
    const char *message = ruga_context_message(s->context);
    int code = status == RUGA_ERROR_FILE       ? file_code
               : status == RUGA_ERROR_INPUT    ? EXIT_INPUT
               : status == RUGA_ERROR_ARGUMENT ? EXIT_USAGE
                                               : EXIT_FAILED;
    return session_error(s, code, "%s", *message ? message : ruga_status_name(status));
}

int session_failed_input(session *s, ruga_status status) { return session_failed(s, status, EXIT_INPUT); }
int session_failed_output(session *s, ruga_status status) { return session_failed(s, status, EXIT_FAILED); }

int session_failed_usage(session *s, ruga_status status, const char *option_name) {
    if (status == RUGA_ERROR_MEMORY) return session_no_memory(s);
    return session_error(s, EXIT_USAGE, "--%s: %s", option_name, ruga_context_message(s->context));
}

int session_no_memory(session *s) { return session_error(s, EXIT_FAILED, "out of memory"); }

/* ---- Things to say. */
static void print_list(session *s, const char *format, va_list list) {
    progress_erase(&s->bar);
    if (vprintf(format, list) < 0 && !s->output_error) s->output_error = errno;
}

void session_print(session *s, const char *format, ...) {
    va_list list;
    va_start(list, format);
    print_list(s, format, list);
    va_end(list);
}

void session_remark(session *s, const char *format, ...) {
    if (s->quiet || s->json) return;
    va_list list;
    va_start(list, format);
    print_list(s, format, list);
    va_end(list);
}

void session_note(session *s, const char *format, ...) {
    if (s->quiet) return;
    va_list list;
    va_start(list, format);
    print_line(s, "note", format, list);
    va_end(list);
}

void session_write(session *s, const void *bytes, size_t size) {
    if (fwrite(bytes, 1, size, stdout) != size && !s->output_error) s->output_error = errno;
}

int session_json_begin(session *s, ruga_json_writer **out) {
    ruga_status status = ruga_json_writer_create(s->context, 2, out);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

int session_json_finish(session *s, ruga_json_writer *writer) {
    const char *text;
    size_t size;
    ruga_status status = ruga_json_finish(writer, &text, &size);
    if (!RUGA_FAILED(status)) session_write(s, text, size);
    ruga_json_writer_destroy(writer);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

/* ---- Numbers for people. */
enum { BUFFERS = 8, BUFFER_SIZE = 40 };

static char *next_buffer(void) {
    static char buffers[BUFFERS][BUFFER_SIZE];
    static size_t next = 0;
    return buffers[next++ % BUFFERS];
}

const char *with_commas(uint64_t number) {
    char digits[32], *out = next_buffer(), *at = out;
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) *at++ = ',';
        *at++ = digits[i];
    }
    *at = 0;
    return out;
}

const char *with_digits(double number) {
    char *out = next_buffer();
    snprintf(out, BUFFER_SIZE, number >= 99.95 && number < 1e15 ? "%.0f" : "%.3g", number);
    return out;
}

const char *with_bytes(uint64_t size) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    char *out = next_buffer();
    double value = (double)size;
    int unit = 0;
    for (; value >= 1000 && unit < 4; unit++) value /= 1000;
    snprintf(out, BUFFER_SIZE, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return out;
}
