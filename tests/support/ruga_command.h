/* Runs the command `ruga` as a user does: through a shell, in the test's folder. */
#ifndef TESTS_COMMAND_H
#define TESTS_COMMAND_H

#include "base/json.h"
#include "support/support.h"

typedef struct command_result {
    int code;        /* exit code; 128 + n when signal n ended it */
    char *out, *err; /* what it printed, zero-terminated */
} command_result;

/* Arguments as in a shell, with the folder of the test as the working directory. Release with command_release. */
command_result command_run(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define ruga_run(...) command_run(RUGA_COMMAND, __VA_ARGS__)
void command_release(command_result *result);

/* Runs and releases; asserts the exit code, and that standard error holds `part` in a single line (NULL: nothing). */
void command_assert(const char *program, int code, const char *part, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define assert_ruga(...) command_assert(RUGA_COMMAND, __VA_ARGS__)

/* Runs `ruga … --json`, asserts success (or `code`) and that the output is JSON, which the caller destroys. */

json_document *command_json(const char *program, ruga_context *context, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define ruga_json(...) command_json(RUGA_COMMAND, __VA_ARGS__)
/* A number at a path of keys separated by dots, "before.vertices"; array items by number. Fails if there is none. */
double json_number_at(const json_document *document, const char *path);
const char *json_text_at(const json_document *document, const char *path);

/* A mesh and its motion that a command wrote into the test's folder, and room for a moment of it. */
typedef struct outcome {
    ruga_mesh *mesh;
    ruga_motion *motion;
    ruga_vec3 *positions; /* (vertices) */
} outcome;

outcome open_outcome(ruga_context *context, const char *mesh, const char *motion);
void close_outcome(outcome *o);

/* In a child process that is about to become a command: Ctrl-C interrupts it, and it is killed when the test program
 * ends, whatever ends it, so that a test that fails or runs out of time leaves no command behind (Linux only). */
void become_command(int parent);
/* Starts the command without a shell: its standard output and standard error go to `output_fd`. Returns the process. */
int command_start(const char *program, const char *const *arguments, int output_fd);
#define ruga_start(arguments, output_fd) command_start(RUGA_COMMAND, arguments, output_fd)
/* Waits for it: exit code, or 128 + signal. */
int command_wait(int process);
/* Waits until a command has computed for so many seconds, on however busy a machine; for 2 minutes at most. */
void command_wait_for_work(int process, double seconds);

#endif
