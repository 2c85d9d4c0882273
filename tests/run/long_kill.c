/* The command itself is killed at random times, and resumed, until a larger run is done: each ends in the same
 * bytes. */
#include "run_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/ruga_command.h"

enum { ROUNDS = 25 };

static char whole_path[512], killed_path[512];

/* The output of the commands goes to a file, which is shown if one of them fails. */
static int open_sayings(void) {
    int output = open(test_path("said"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_at_most(0, output);
    return output;
}

static void expect_success(int code) {
    if (code == 0) return;
    char *said = read_test_file(test_path("said"), NULL);
    fail_msg("the command ended with %d; all of them said: %s", code, said ? said : "nothing");
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether a process has ended; it is still to be waited for. */
static int has_ended(int process) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == process;
}

/* Starts the command and kills it after a while, s; 1 when it came through before. */
static int run_for(const char *const *arguments, double seconds, int output) {
    const double begin = seconds_now();
    const struct timespec pause = {0, 200000};
    int process = ruga_start(arguments, output);
    while (!has_ended(process) && seconds_now() - begin < seconds) nanosleep(&pause, NULL);
    kill(process, SIGKILL);
    const int code = command_wait(process);
    if (code == 128 + SIGKILL) return 0;
    expect_success(code);
    return 1;
}

#define SIZES "--set", "objects[0].mesh.columns=200", "--set", "objects[0].mesh.rows=120", "--frames", "20"
#define OUTPUT "--formats", "pc2,ply,glb,usda", "--checkpoint", "3"

/* How long it takes undisturbed, s. */
static double run_undisturbed(int output) {
    const char *const arguments[] = {"run", "scene.json", "-o", "whole", SIZES, OUTPUT, NULL};
    const double begin = seconds_now();
    expect_success(command_wait(ruga_start(arguments, output)));
    return seconds_now() - begin;
}

static void a_command_killed_at_random_times_becomes_the_same(void **state) {
    (void)state;
    const char *const begin[] = {"run", "scene.json", "-o", "killed", SIZES, OUTPUT, NULL};
    const char *const resume[] = {"resume", "killed", NULL};
    const int output = open_sayings();
    snprintf(whole_path, sizeof whole_path, "%s", test_path("whole"));
    snprintf(killed_path, sizeof killed_path, "%s", test_path("killed"));
    write_test_file(test_path("scene.json"), small_scene, strlen(small_scene));
    double whole = run_undisturbed(output);
    test_random random = {7};
    int kills = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int done = 0;
        while (!done) {
            /* Now and then it is let through, so that it ends even where checkpoints are far apart. */
            const double seconds = random_unit(&random) < 0.15 ? 20 * whole : random_between(&random, 0, 1.2 * whole);
            const double now = seconds_now();
            const int is_new = !ruga_path_is_run(killed_path);
            done = run_for(is_new ? begin : resume, seconds, output);
            kills += !done;
            /* A machine that was busy at first is no reason to kill too late ever after. */
            if (done && is_new && seconds_now() - now < whole) whole = seconds_now() - now;
        }
        assert_same_run(whole_path, killed_path);
        remove_run(killed_path);
    }
    assert_less(ROUNDS / 2, kills);
    close(output);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_command_killed_at_random_times_becomes_the_same)};
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
