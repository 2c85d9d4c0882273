#include "session.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const option common_options[] = {
    WHOLE_ROW("threads", "N", NULL, NULL, 1, 256,
              "number of threads; the result does not depend on it. Default: the number of cores"),
    FLAG_ROW("quiet", 'q', "print only errors and the results of info, stats and lists"),
    FLAG_ROW("verbose", 'v', "also print each stage of the work and its time"),
    FLAG_ROW("json", 0, "print the result as JSON, and errors and warnings too"),
    FLAG_ROW("version", 'V', "print the version; with --json also instruction sets and build options"),
    FLAG_ROW("help", 'h', "print this help"),
};

/* ---- Ctrl-C. The handler resets itself, so that a second one ends the process at once. */
static volatile sig_atomic_t caught_signal = 0;

static void on_signal(int number) { caught_signal = number; }

/* A signal that the caller ignores stays ignored: nohup, and '&' in scripts. */
static void install_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, former;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &former) == 0 && former.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    /* A closed pipe and a file beyond its size limit are ordinary errors of writing. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* ---- Text that may contain anything: names from files and scenes. */

typedef enum text_use {
    FOR_LINE,   /* without ends of lines */
    FOR_RESULT, /* with them */
    FOR_JSON    /* within a string of JSON */
} text_use;

/* Bytes of the character at the start of a text; 0 for a control character: those of ASCII, and those of Latin-1 in
 * UTF-8 or as single bytes. */
static size_t character_length(const char *text, text_use use) {
    const unsigned char c = (unsigned char)text[0];
    if (use == FOR_RESULT && (c == '\n' || c == '\t')) return 1;
    if (c < 0x20 || c == 0x7f) return 0;
    size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80) length = 1;
    if (use == FOR_JSON && (c == '"' || c == '\\' || (length == 1 && c >= 0x80))) return 0;
    if (length == 1) return (c & 0xe0) != 0x80;
    return c == 0xc2 && (unsigned char)text[1] < 0xa0 ? 0 : length;
}

/* Prints a text with its control characters as \x1b, so that no file can send commands to the terminal. 0, or -1. */
static int print_clean(FILE *stream, const char *text, text_use use) {
    int failed = 0;
    while (*text && !failed) {
        size_t plain = 0, length;
        while (text[plain] && (length = character_length(text + plain, use)) > 0) plain += length;
        failed = fwrite(text, 1, plain, stream) != plain;
        text += plain;
        if (!*text) break;
        const unsigned char c = (unsigned char)*text++;
        const char *format = use != FOR_JSON ? "\\x%02x" : c == '"' || c == '\\' ? "\\%c" : "\\u%04x";
        failed |= fprintf(stream, format, c) < 0;
    }
    return failed ? -1 : 0;
}

static int print_formatted(FILE *stream, text_use use, const char *format, va_list list) {
    char small[2048], *text = small;
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(small, sizeof small, format, list);
    if (length >= (int)sizeof small && (text = malloc((size_t)length + 1)) != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    const int result = length < 0 ? -1 : print_clean(stream, text ? text : small, use);
    if (text != small) free(text);
    return result;
}

/* ---- Callbacks of the library. */
static void print_message(session *s, const char *kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void on_log(void *user, ruga_log_level level, const char *message) {
    session *s = user;
    if (s->is_silent) return;
    s->warnings += level == RUGA_LOG_WARNING;
    if (!s->quiet) print_message(s, level == RUGA_LOG_WARNING ? "warning" : "note", "%s", message);
}

/* With --verbose: each stage of the library once, when it begins. */
static void print_stage(session *s, const char *stage) {
    enum { MOST = sizeof s->stages / sizeof s->stages[0] };
    size_t i = 0;
    while (i < MOST && s->stages[i][0] && strncmp(s->stages[i], stage, sizeof s->stages[i] - 1) != 0) i++;
    if (i == MOST || s->stages[i][0]) return;
    snprintf(s->stages[i], sizeof s->stages[i], "%s", stage);
    session_detail(s, "%s", stage);
}

#define STOP_PATIENCE 0.5 /* s after Ctrl-C, until stop_note is printed */

/* Whether the trial is over. */
static int count_substep(trial *t) {
    const double now = seconds_now();
    if (t->begun++ == 0) t->first = now;
    t->last = now;
    return t->begun > t->most || now > t->end;
}

static int on_progress(void *user, const char *stage, double fraction) {
    session *s = user;
    if (s->trial && strcmp(stage, "stepping") == 0 && count_substep(s->trial)) return 1;
    if (s->verbose) print_stage(s, stage);
    if (!caught_signal) {
        progress_report(&s->bar, stage, fraction);
        return 0;
    }
    double now = seconds_now();
    if (s->stop_seen == 0)
        s->stop_seen = now;
    else if (s->stop_note && now - s->stop_seen > STOP_PATIENCE) {
        session_note(s, "%s", s->stop_note);
        s->stop_note = NULL;
    }
    return 1;
}

/* "--json" is never the value of another option, so that looking for the word is enough. */
void session_begin(session *s, int argc, char **argv) {
    *s = (session){.begun = seconds_now()};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) s->json |= strcmp(argv[i], "--json") == 0;
}

int session_open(session *s, const arguments *a) {
    *s = (session){.quiet = option_given(a, "quiet") > 0, .json = option_given(a, "json") > 0, .begun = s->begun};
    s->verbose = !s->quiet && option_given(a, "verbose");
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
            "RUGA_ISA=%s: unknown instruction set, or not supported by this machine; use auto, scalar, sse4, avx2 or "
            "avx512",
            getenv("RUGA_ISA") ? getenv("RUGA_ISA") : "");
    if (RUGA_FAILED(status)) return session_error(s, EXIT_FAILED, "%s", ruga_status_name(status));
    ruga_render_run_starts(s->context);
    ruga_decode_use(s->context);
    session_detail(s, "ruga %s, %s instructions, %d threads", ruga_version(),
                   ruga_isa_name(ruga_context_isa(s->context)), ruga_context_thread_count(s->context));
    return 0;
}

uint64_t peak_memory(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
    return (uint64_t)usage.ru_maxrss;
#else
    return (uint64_t)usage.ru_maxrss * 1024;
#endif
}

int session_close(session *s, int code) {
    progress_erase(&s->bar);
    if (fflush(stdout) != 0 && !s->output_error) s->output_error = errno ? errno : EIO;
    /* A reader that closes the pipe early, such as head, is no failure. */
    if (s->output_error && s->output_error != EPIPE && (code == EXIT_FINE || code == EXIT_FOUND))
        code = session_error(s, EXIT_FAILED, "standard output: %s", strerror(s->output_error));
    session_detail(s, "exit code %d, %s of memory at most", code, with_bytes(peak_memory()));
    ruga_context_destroy(s->context);
    return code;
}

/* ---- Errors. */

/* A line of text, after `prefix`; or a line of JSON, with an exit code unless it is -1. */
static void print_line(session *s, const char *kind, const char *prefix, int code, const char *format, va_list list) {
    progress_erase(&s->bar);
    fflush(stdout);
    if (s->json) {
        fprintf(stderr, "{\"%s\": \"", kind);
        print_formatted(stderr, FOR_JSON, format, list);
        fputc('"', stderr);
        if (code >= 0) fprintf(stderr, ", \"exit_code\": %d", code);
        fputs("}\n", stderr);
        return;
    }
    if (prefix) fprintf(stderr, "ruga: %s: ", prefix);
    print_formatted(stderr, FOR_LINE, format, list);
    fputc('\n', stderr);
}

static void print_message(session *s, const char *kind, const char *format, ...) {
    va_list list;
    va_start(list, format);
    print_line(s, kind, kind, -1, format, list);
    va_end(list);
}

void session_line(session *s, const char *kind, const char *format, ...) {
    va_list list;
    va_start(list, format);
    print_line(s, kind, NULL, -1, format, list);
    va_end(list);
}

int session_error(session *s, int code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const char *kind = s->lenient ? "warning" : "error";
    print_line(s, kind, kind, s->lenient ? -1 : code, format, list);
    va_end(list);
    return code;
}

int session_interrupt_code(void) { return caught_signal ? EXIT_INTERRUPTED + caught_signal : 0; }

int session_interrupted(session *s) {
    int code = session_interrupt_code();
    if (!code || s->resumable) return code;
    return session_error(s, code, "interrupted; unfinished files were removed");
}

static int status_code(session *s, ruga_status status, int file_code) {
    if (!RUGA_FAILED(status)) return 0;
    if (caught_signal && (status == RUGA_ERROR_CANCELLED || status == RUGA_ERROR_FILE)) return session_interrupted(s);
    const char *message = ruga_context_message(s->context);
    int code = status == RUGA_ERROR_FILE                                     ? file_code
               : status == RUGA_ERROR_INPUT                                  ? EXIT_INPUT
               : status == RUGA_ERROR_UNSUPPORTED && file_code == EXIT_INPUT ? EXIT_INPUT
               : status == RUGA_ERROR_ARGUMENT                               ? EXIT_USAGE
                                                                             : EXIT_FAILED;
    return session_error(s, code, "%s", *message ? message : ruga_status_name(status));
}

int input_code(session *s, ruga_status status) { return status_code(s, status, EXIT_INPUT); }
int output_code(session *s, ruga_status status) { return status_code(s, status, EXIT_FAILED); }

int usage_code(session *s, ruga_status status, const char *option_name) {
    if (!RUGA_FAILED(status)) return 0;
    if (status == RUGA_ERROR_MEMORY) return session_no_memory(s);
    return session_error(s, EXIT_USAGE, "--%s: %s", option_name, ruga_context_message(s->context));
}

int session_no_memory(session *s) { return session_error(s, EXIT_FAILED, "out of memory"); }

int session_unknown(session *s, const char *what, const char *name, const char *const *names, size_t count) {
    char rest[4096];
    suggest(rest, sizeof rest, name, names, count, "");
    if (!rest[0] && count > 0) {
        size_t used = (size_t)snprintf(rest, sizeof rest, count == 1 ? "; there is %s" : "; there are %s", names[0]);
        for (size_t i = 1; i < count && used < sizeof rest; i++)
            used += (size_t)snprintf(rest + used, sizeof rest - used, i + 1 < count ? ", %s" : " and %s", names[i]);
    }
    return session_error(s, EXIT_USAGE, "no %s '%.100s'%s", what, name, rest);
}

/* ---- Output. */
static void print_list(session *s, const char *format, va_list list) {
    progress_erase(&s->bar);
    if (print_formatted(stdout, FOR_RESULT, format, list) < 0 && !s->output_error) s->output_error = errno;
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
    print_line(s, "note", "note", -1, format, list);
    va_end(list);
}

void session_warning(session *s, const char *format, ...) {
    s->warnings++;
    if (s->quiet) return;
    va_list list;
    va_start(list, format);
    print_line(s, "warning", "warning", -1, format, list);
    va_end(list);
}

void session_detail(session *s, const char *format, ...) {
    if (!s->verbose) return;
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_message(s, "note", "%.3f s: %s", seconds_now() - s->begun, text);
}

void session_write(session *s, const void *bytes, size_t size) {
    if (fwrite(bytes, 1, size, stdout) != size && !s->output_error) s->output_error = errno;
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
