/* The command on a terminal: the progress bar, and Ctrl-C, which leaves nothing half written. */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/ruga_command.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Work without an end for a test: two frames of a cache, stretched to millions. */
static const char *const endless_conversion[] = {"convert", "still.pc2",  "long.mdd", "--rate",
                                                 "0.001",   "--out-rate", "10000",    NULL};
static const char *const endless_picture[] = {"render",      "sheet.obj", "-o",        "long.png",  "--width",
                                              "4000",        "--height",  "4000",      "--samples", "16",
                                              "--occlusion", "16",        "--threads", "1",         NULL};
static const char *const endless_film[] = {"render",  "sheet.obj", "-o",       "long.mp4", "--turntable", "100000",
                                           "--width", "64",        "--height", "48",       NULL};

static int set_up(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    assert_ruga(0, NULL, "make sheet -o sheet.obj -q");
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path("sheet.obj"), NULL, &mesh));
    ruga_file_def def = ruga_file_def_default();
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("still.pc2"), &def, &writer));
    ruga_frame frame = {.vertex_count = mesh->vertex_count, .positions = mesh->positions};
    assert_ok(context, ruga_motion_writer_append(writer, &frame));
    assert_ok(context, ruga_motion_writer_append(writer, &frame));
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
    return 0;
}

/* Appends the command's output to `text` until `part` appears, the command ends or the time limit. Returns whether
 * it appeared. */
static int read_until(int fd, const char *part, double seconds, char *text, size_t size) {
    double end = now() + seconds;
    while (now() < end) {
        if (part && strstr(text, part)) return 1;
        struct pollfd poll_fd = {fd, POLLIN, 0};
        if (poll(&poll_fd, 1, 100) <= 0) continue;
        size_t used = strlen(text);
        ssize_t got = read(fd, text + used, size - 1 - used);
        if (got <= 0) break;
        text[used + (size_t)got] = 0;
        /* Only the end of a long talk matters. */
        if (used + (size_t)got > size / 2) memmove(text, text + size / 4, strlen(text + size / 4) + 1);
    }
    return part && strstr(text, part) != NULL;
}

/* A pipe whose reading end the command does not inherit: it would keep the pipe open. */
static void open_pipe(int ends[2]) {
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
}

/* Whether the command's temporary file is there: more than the two inputs. */
static int has_begun(void) { return test_folder_entry_count() > 2; }

/* Seconds after which something that has to come has not come; a busy machine takes its time. */
enum { PATIENCE = 120 };

/* Interrupts a command in the middle of its work, and returns its output. */
static int interrupt(const char *const *arguments, int wait_for_file, int signal_number, char *text, size_t size) {
    int ends[2];
    open_pipe(ends);
    int process = ruga_start(arguments, ends[1]);
    close(ends[1]);
    double end = now() + PATIENCE;
    while (wait_for_file && !has_begun() && now() < end) usleep(10000);
    command_wait_for_work(process, 0.3);
    kill(process, signal_number);
    text[0] = 0;
    read_until(ends[0], NULL, PATIENCE, text, size);
    close(ends[0]);
    return command_wait(process);
}

static void an_interrupted_conversion_leaves_nothing_behind(void **state) {
    (void)state;
    char text[4096];
    assert_int_equal(interrupt(endless_conversion, 1, SIGINT, text, sizeof text), 130);
    assert_non_null(strstr(text, "ruga: error: interrupted"));
    assert_int_equal(test_folder_entry_count(), 2);
}

static void an_interrupted_picture_leaves_nothing_behind(void **state) {
    (void)state;
    char text[4096];
    assert_int_equal(interrupt(endless_picture, 0, SIGINT, text, sizeof text), 130);
    assert_non_null(strstr(text, "ruga: error: interrupted"));
    assert_int_equal(test_folder_entry_count(), 2);
}

static void an_interrupted_film_leaves_nothing_behind(void **state) {
    (void)state;
    if (system("command -v ffmpeg >/dev/null 2>&1") != 0) skip();
    char text[4096];
    assert_int_equal(interrupt(endless_film, 0, SIGINT, text, sizeof text), 130);
    assert_non_null(strstr(text, "ruga: error: interrupted"));
    assert_int_equal(test_folder_entry_count(), 2);
}

static void sigterm_and_sighup_interrupt_too(void **state) {
    (void)state;
    char text[4096];
    assert_int_equal(interrupt(endless_conversion, 1, SIGTERM, text, sizeof text), 143);
    assert_int_equal(test_folder_entry_count(), 2);
}

/* Starts the command on its own terminal. */
static int start_on_terminal(const char *const *arguments, int *fd, const char *extra) {
    struct winsize window = {.ws_row = 24, .ws_col = 80};
    const int parent = getpid();
    int process = forkpty(fd, NULL, NULL, &window);
    assert_at_most(0, process);
    if (process > 0) return process;
    become_command(parent);
    const char *list[32] = {RUGA_COMMAND};
    size_t count = 1;
    for (size_t i = 0; arguments[i]; i++) list[count++] = arguments[i];
    if (extra) list[count] = extra;
    if (chdir(test_folder()) == 0) execv(RUGA_COMMAND, (char *const *)(uintptr_t)list);
    _exit(127);
}

static void a_terminal_shows_progress_with_the_time_left_and_erases_it(void **state) {
    (void)state;
    static char text[1 << 16];
    int fd;
    text[0] = 0;
    double begun = now();
    int process = start_on_terminal(endless_conversion, &fd, NULL);
    assert_true(read_until(fd, "\r\033[Kconverting ", PATIENCE, text, sizeof text));
    assert_at_most(1, now() - begun);
    assert_true(read_until(fd, " left", PATIENCE, text, sizeof text));

    /* Ctrl-C as the terminal sends it; the line is erased before the message. */
    assert_int_equal(write(fd, "\003", 1), 1);
    read_until(fd, "removed", PATIENCE, text, sizeof text);
    assert_non_null(strstr(text, "\r\033[Kruga: error: interrupted"));
    assert_int_equal(command_wait(process), 130);
    close(fd);
    assert_int_equal(test_folder_entry_count(), 2);
}

/* A triangle that stays where it is for millions of frames: a cache of zeros, which takes no room on the disk. */
static void write_endless_cache(void) {
    static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const struct {
        char magic[12];
        int32_t version, points;
        float start, rate;
        int32_t samples;
    } header = {"POINTCACHE2", 1, 3, 0, 1, 10000000};
    write_test_file(test_path("triangle.obj"), triangle, sizeof triangle - 1);
    write_test_file(test_path("endless.pc2"), &header, sizeof header);
    assert_int_equal(truncate(test_path("endless.pc2"), 32 + 36 * (off_t)header.samples), 0);
}

static void the_progress_of_intersections_shows_the_frame(void **state) {
    (void)state;
    skip_unless_long();
    static const char *const search[] = {"intersections", "triangle.obj", "--cache", "endless.pc2", NULL};
    static char text[1 << 16];
    int fd;
    text[0] = 0;
    write_endless_cache();
    int process = start_on_terminal(search, &fd, NULL);
    assert_true(read_until(fd, "\r\033[Kframe ", PATIENCE, text, sizeof text));
    assert_true(read_until(fd, " of 10000000 ", PATIENCE, text, sizeof text));
    assert_int_equal(write(fd, "\003", 1), 1);
    read_until(fd, "removed", PATIENCE, text, sizeof text);
    assert_non_null(strstr(text, "ruga: error: interrupted"));
    assert_int_equal(command_wait(process), 130);
    close(fd);
    assert_int_equal(remove(test_path("triangle.obj")), 0);
    assert_int_equal(remove(test_path("endless.pc2")), 0);
}

/* How often the bar is drawn: at most ten times a second. */
static void the_bar_is_drawn_at_most_ten_times_a_second(void **state) {
    (void)state;
    skip_when_sanitized();
    static char text[1 << 16];
    int fd, drawn = 0;
    text[0] = 0;
    double begun = now();
    int process = start_on_terminal(endless_conversion, &fd, NULL);
    assert_true(read_until(fd, "converting", PATIENCE, text, sizeof text));
    read_until(fd, NULL, 1, text, sizeof text);
    /* It is first drawn after a second. All that was read was drawn by now, however late this test gets to read it. */
    double seconds = now() - begun - 1;
    kill(process, SIGINT);
    for (const char *at = text; (at = strstr(at, "converting")); at++) drawn++;
    assert_at_most(1, drawn);
    assert_at_most(drawn, 10 * seconds + 1);
    read_until(fd, "removed", PATIENCE, text, sizeof text);
    command_wait(process);
    close(fd);
}

/* Three at the same time: each has to be watched for longer than the second after which a bar would appear. */
static void quiet_json_and_pipes_show_no_progress(void **state) {
    (void)state;
    skip_unless_long();
    enum { QUIET, JSON, PIPE, ALL };
    static const char *const extras[] = {"--quiet", "--json"}, *const outputs[] = {"a.mdd", "b.mdd", "c.mdd"};
    static char text[ALL][1 << 12];
    int process[ALL], fd[ALL];
    for (int i = 0; i < ALL; i++) {
        const char *const arguments[] = {"convert", "still.pc2",  outputs[i], "--rate",
                                         "0.001",   "--out-rate", "10000",    NULL};
        text[i][0] = 0;
        if (i != PIPE) {
            process[i] = start_on_terminal(arguments, &fd[i], extras[i]);
            continue;
        }
        int ends[2];
        open_pipe(ends);
        process[i] = ruga_start(arguments, ends[1]);
        close(ends[1]);
        fd[i] = ends[0];
    }
    for (int i = 0; i < ALL; i++) command_wait_for_work(process[i], 0.1);
    for (int i = 0; i < ALL; i++) {
        int shown = read_until(fd[i], "converting", i == 0 ? 1.5 : 0.1, text[i], sizeof text[i]);
        kill(process[i], SIGINT);
        assert_false(shown);
        if (i == PIPE) assert_null(strchr(text[i], '\r'));
        read_until(fd[i], "removed", PATIENCE, text[i], sizeof text[i]);
        assert_int_equal(command_wait(process[i]), 130);
        close(fd[i]);
    }
    assert_int_equal(test_folder_entry_count(), 2);
}

static void the_progress_of_a_run_shows_the_frame(void **state) {
    (void)state;
    static const char *const endless_run[] = {"run",       "scene.json", "--frames",  "1000000", "-o", "endless.run",
                                              "--formats", "none",       "--threads", "1",       NULL};
    static char text[1 << 16];
    int fd;
    text[0] = 0;
    assert_ruga(0, NULL, "new shake -o scene.json -q");
    int process = start_on_terminal(endless_run, &fd, NULL);
    assert_true(read_until(fd, "\r\033[Kframe ", PATIENCE, text, sizeof text));
    assert_true(read_until(fd, " of 1000000  [", PATIENCE, text, sizeof text));
    assert_true(read_until(fd, " left", PATIENCE, text, sizeof text));
    assert_int_equal(write(fd, "\003", 1), 1);
    read_until(fd, "ruga resume endless.run", PATIENCE, text, sizeof text);
    assert_non_null(strstr(text, "\r\033[Kruga: error: interrupted after "));
    assert_non_null(strstr(text, " of 1000000 frames; continue with: ruga resume endless.run"));
    assert_int_equal(command_wait(process), 130);
    close(fd);
}

/* Results that a reader no longer wants are no failure, and are not complained about. */
static void a_closed_pipe_ends_quietly(void **state) {
    (void)state;
    static const char *const to_stdout[] = {"make", "sheet", "--rows", "300", "--format", "obj", "-o", "-", NULL};
    int ends[2];
    open_pipe(ends);
    int process = ruga_start(to_stdout, ends[1]);
    close(ends[1]);
    char first[16];
    assert_less(0, read(ends[0], first, sizeof first));
    close(ends[0]);
    assert_int_equal(command_wait(process), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_conversion_leaves_nothing_behind),
        cmocka_unit_test(an_interrupted_picture_leaves_nothing_behind),
        cmocka_unit_test(an_interrupted_film_leaves_nothing_behind),
        cmocka_unit_test(sigterm_and_sighup_interrupt_too),
        cmocka_unit_test(a_terminal_shows_progress_with_the_time_left_and_erases_it),
        cmocka_unit_test(the_progress_of_intersections_shows_the_frame),
        cmocka_unit_test(the_bar_is_drawn_at_most_ten_times_a_second),
        cmocka_unit_test(quiet_json_and_pipes_show_no_progress),
        cmocka_unit_test(a_closed_pipe_ends_quietly),
        cmocka_unit_test(the_progress_of_a_run_shows_the_frame),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down_test_folder);
}
