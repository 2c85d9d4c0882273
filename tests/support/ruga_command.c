#include "support/ruga_command.h"

#include <signal.h>
#include <stdio.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"

static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

static command_result run_list(const char *program, const char *format, va_list list) {
    char arguments[4096], line[8192], out[600], err[600];
    vsnprintf(arguments, sizeof arguments, format, list);
    snprintf(out, sizeof out, "%s.out", test_folder());
    snprintf(err, sizeof err, "%s.err", test_folder());
    snprintf(line, sizeof line, "cd '%s' && { '%s' %s ; } >'%s' 2>'%s' </dev/null", test_folder(), program, arguments,
             out, err);
    int status = system(line);
    command_result result = {exit_code(status), read_test_file(out, NULL), read_test_file(err, NULL)};
    unlink(out);
    unlink(err);
    assert_non_null(result.out);
    assert_non_null(result.err);
    return result;
}

command_result command_run(const char *program, const char *format, ...) {
    va_list list;
    va_start(list, format);
    command_result result = run_list(program, format, list);
    va_end(list);
    return result;
}

void command_release(command_result *result) {
    free(result->out);
    free(result->err);
}

void command_assert(const char *program, int code, const char *part, const char *format, ...) {
    va_list list;
    va_start(list, format);
    command_result result = run_list(program, format, list);
    va_end(list);
    fail_if(result.code != code, "ruga %s: exit code %d, not %d: %s", format, result.code, code, result.err);
    const char *newline = strchr(result.err, '\n');
    fail_if(!part && result.err[0], "ruga %s: says \"%s\"", format, result.err);
    fail_if(part && !strstr(result.err, part), "ruga %s: \"%s\" does not hold \"%s\"", format, result.err, part);
    fail_if(part && (!newline || newline[1]), "ruga %s: not one line: \"%s\"", format, result.err);
    fail_if(part && code && strncmp(result.err, "ruga: error: ", 13) != 0, "ruga %s: %s", format, result.err);
    command_release(&result);
}

json_document *command_json(const char *program, ruga_context *context, int code, const char *format, ...) {
    char with_json[2048];
    snprintf(with_json, sizeof with_json, "%s --json", format);
    va_list list;
    va_start(list, format);
    command_result result = run_list(program, with_json, list);
    va_end(list);
    fail_if(result.code != code, "ruga %s: exit code %d: %s", format, result.code, result.err);
    json_document *document = NULL;
    assert_ok(context, json_parse(context, format, result.out, strlen(result.out), 0, &document));
    command_release(&result);
    return document;
}

static const json_value *value_at(const json_document *document, const char *path) {
    const json_value *value = json_root(document);
    char key[128];
    for (const char *at = path; *at && value;) {
        size_t length = strcspn(at, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        value = value->type == JSON_ARRAY ? json_item(value, (size_t)atol(key)) : json_member(value, key);
        at += length + (at[length] == '.');
    }
    fail_if(!value, "no \"%s\" in the JSON", path);
    return value;
}

double json_number_at(const json_document *document, const char *path) {
    const json_value *value = value_at(document, path);
    assert_true(value->type == JSON_NUMBER || value->type == JSON_BOOLEAN);
    return value->number;
}

const char *json_text_at(const json_document *document, const char *path) {
    const json_value *value = value_at(document, path);
    assert_int_equal(value->type, JSON_STRING);
    return value->text;
}

outcome open_outcome(ruga_context *context, const char *mesh, const char *motion) {
    outcome o = {0};
    assert_ok(context, ruga_mesh_read(context, test_path(mesh), NULL, &o.mesh));
    assert_ok(context, ruga_motion_read(context, test_path(motion), o.mesh, NULL, &o.motion));
    o.positions = malloc(o.mesh->vertex_count * sizeof *o.positions);
    return o;
}

void close_outcome(outcome *o) {
    free(o->positions);
    ruga_motion_destroy(o->motion);
    ruga_mesh_destroy(o->mesh);
}

void become_command(int parent) {
    signal(SIGINT, SIG_DFL); /* a shell starts its background jobs with Ctrl-C ignored, and children inherit that */
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(127); /* it ended before */
}

int command_start(const char *program, const char *const *arguments, int output_fd) {
    const char *list[32] = {program};
    const int parent = getpid();
    for (size_t i = 0; arguments[i] && i < 30; i++) list[i + 1] = arguments[i];
    int process = fork();
    assert_at_most(0, process);
    if (process > 0) return process;
    become_command(parent);
    dup2(output_fd, STDOUT_FILENO);
    dup2(output_fd, STDERR_FILENO);
    if (chdir(test_folder()) == 0) execv(program, (char *const *)(uintptr_t)list);
    _exit(127);
}

int command_wait(int process) {
    int status = 0;
    assert_int_equal(waitpid(process, &status, 0), process);
    return exit_code(status);
}

void command_wait_for_work(int process, double seconds) {
    clockid_t clock;
    struct timespec computed;
    for (int i = 0; i < 24000 && clock_getcpuclockid(process, &clock) == 0; i++) {
        if (clock_gettime(clock, &computed) != 0) return;
        if ((double)computed.tv_sec + 1e-9 * (double)computed.tv_nsec >= seconds) return;
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
}
