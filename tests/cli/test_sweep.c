/* ruga sweep: combinations and tables, local processes that are stopped and killed, retries, chunks, and Slurm, for
 * which shell scripts stand in. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/ruga_command.h"

static ruga_context *context;

static void write_text(const char *name, const char *text) { write_test_file(test_path(name), text, strlen(text)); }

/* A sheet that is shaken and swings. */
static const char scene[] =
    "{\"time\": {\"frames\": 4}, \"objects\": [{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"rows\": 6,\n"
    " \"columns\": 6}, \"body\": {\"kind\": \"rigid\",\n"
    " \"keys\": [{\"time\": 0}, {\"time\": 0.2, \"move\": [0.3, 0, 0]}]},\n"
    " \"details\": [{\"kind\": \"jiggle\", \"frequency\": 2}]}], \"output\": {\"checkpoint\": 2}}\n";

/* Long enough to be stopped in the middle, with many checkpoints; under sanitizers a frame takes four times as long. */
#ifdef RUGA_SANITIZED
#define LONG_FRAMES "700"
#else
#define LONG_FRAMES "2500"
#endif
static const char long_scene[] =
    "{\"time\": {\"frames\": " LONG_FRAMES
    "}, \"objects\": [{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"rows\": 40,\n"
    " \"columns\": 40}, \"body\": {\"kind\": \"rigid\",\n"
    " \"keys\": [{\"time\": 0}, {\"time\": 0.2, \"move\": [0.3, 0, 0]}]},\n"
    " \"details\": [{\"kind\": \"jiggle\", \"frequency\": 2}]}], \"output\": {\"formats\": [], \"checkpoint\": 20}}\n";

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    write_text("small.json", scene);
    write_text("long.json", long_scene);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    test_folder_remove();
    ruga_context_destroy(context);
    return 0;
}

static int exists(const char *name) { return access(test_path(name), F_OK) == 0; }

static void assert_holds(const char *name, const char *part) {
    char *text = read_test_file(test_path(name), NULL);
    fail_if(!text || !strstr(text, part), "%s: no \"%s\" in: %s", name, part, text ? text : "nothing");
    free(text);
}

/* The state hash of a single run. */
static void single_hash(const char *arguments, char hash[32]) {
    json_document *run = ruga_json(context, 0, "run %s -o single.run --replace", arguments);
    snprintf(hash, 32, "%s", json_text_at(run, "state_hash"));
    json_destroy(run);
}

static json_document *sweep_json(int code, const char *arguments) {
    return ruga_json(context, code, "sweep %s --no-pictures", arguments);
}

/* ---- Combinations. */
static void every_combination_has_the_hash_of_a_single_run(void **state) {
    (void)state;
    static const char *const singles[] = {
        "--set objects[0].body.keys[1].move=[0.3,0,0] --set objects[0].details[0].frequency=1",
        "--set objects[0].body.keys[1].move=[0.3,0,0] --set objects[0].details[0].frequency=2",
        "--set objects[0].body.keys[1].move=[0,-0.2,0.1] --set objects[0].details[0].frequency=1",
        "--set objects[0].body.keys[1].move=[0,-0.2,0.1] --set objects[0].details[0].frequency=2"};
    json_document *sweep = ruga_json(context, 0,
                                     "sweep small.json --set 'objects[0].body.keys[1].move=[0.3,0,0],[0,-0.2,0.1]' "
                                     "--set objects[0].details[0].frequency=1,2 -o all");
    assert_int_equal((int)json_number_at(sweep, "complete"), 4);
    for (int i = 0; i < 4; i++) {
        char arguments[256], hash[32], path[32];
        snprintf(arguments, sizeof arguments, "small.json %s", singles[i]);
        single_hash(arguments, hash);
        snprintf(path, sizeof path, "runs.%d.state_hash", i);
        assert_string_equal(json_text_at(sweep, path), hash);
        assert_true(i == 0 || strcmp(json_text_at(sweep, "runs.0.state_hash"), hash) != 0);
    }
    assert_string_equal(json_text_at(sweep, "runs.3.name"), "move=0_-0.2_0.1,frequency=2");
    assert_string_equal(json_text_at(sweep, "runs.3.state"), "complete");
    assert_int_equal((int)json_number_at(sweep, "runs.3.frames"), 4);
    json_destroy(sweep);
    /* The run directories are ordinary ones, and everything was collected. */
    assert_true(exists("all/runs/move=0_-0.2_0.1,frequency=2/run.json"));
    assert_true(exists("all/sheet.png"));
    assert_true(exists("all/plots/seconds-against-objects_0_.details_0_.frequency.svg"));
    assert_true(exists("all/plots/seconds-against-objects_0_.body.keys_1_.move.png"));
    assert_true(exists("all/plots/sheet.jiggle.energy-against-objects_0_.body.keys_1_.move.svg"));
    assert_holds(
        "all/sweep.csv",
        "run,name,\"objects[0].body.keys[1].move\",\"objects[0].details[0].frequency\",state,exit_code,frames,seconds,state_hash,");
    assert_holds("all/sweep.csv", "sheet.jiggle.energy [J/kg] last");
    assert_holds("all/sweep.csv", "3,\"move=0_-0.2_0.1,frequency=2\",\"[0,-0.2,0.1]\",2,complete,0,4,");
}

static void a_sweep_grows_and_complete_runs_are_not_repeated(void **state) {
    (void)state;
    json_destroy(sweep_json(0, "small.json --set objects[0].details[0].frequency=1,2 -o grows"));
    assert_holds("grows/results/frequency=2.txt", "attempts 1");
    json_document *sweep = sweep_json(0, "small.json --set objects[0].details[0].frequency=3,2 -o grows");
    assert_int_equal((int)json_number_at(sweep, "complete"), 3);
    assert_string_equal(json_text_at(sweep, "runs.2.name"), "frequency=3");
    json_destroy(sweep);
    json_destroy(sweep_json(0, "grows"));
    assert_holds("grows/results/frequency=2.txt", "attempts 1");
    assert_holds("grows/results/frequency=3.txt", "attempts 1");
}

static void a_table_has_one_run_per_row(void **state) {
    (void)state;
    write_text("trials.csv",
               "# three trials\nobjects[0].details[0].frequency, gravity\r\n1,\"[0,-9,0]\"\n\n2,[0,-1,0]\n3,\n");
    json_document *sweep = sweep_json(0, "small.json --table trials.csv --set time.frames=2 -o rows");
    assert_int_equal((int)json_number_at(sweep, "complete"), 3);
    assert_string_equal(json_text_at(sweep, "runs.1.name"), "frequency=2,gravity=0_-1_0,frames=2");
    assert_string_equal(json_text_at(sweep, "runs.2.name"), "frequency=3,frames=2");
    assert_int_equal((int)json_number_at(sweep, "runs.2.frames"), 2);
    char hash[32];
    single_hash("small.json --set objects[0].details[0].frequency=3 --set time.frames=2", hash);
    assert_string_equal(json_text_at(sweep, "runs.2.state_hash"), hash);
    json_destroy(sweep);
    write_text("ragged.csv", "objects[0].details[0].frequency,gravity\n1\n");
    assert_ruga(3, "ragged.csv:2: 1 cells, but the first line has 2 keys", "sweep small.json --table ragged.csv");
    write_text("open.csv", "objects[0].details[0].frequency\n\"1\n");
    assert_ruga(3, "open.csv:2: a quote", "sweep small.json --table open.csv");
    write_text("empty.csv", "objects[0].details[0].frequency\n");
    assert_ruga(3, "empty.csv: has no rows", "sweep small.json --table empty.csv");
}

static void a_key_never_has_the_heading_of_another_column(void **state) {
    (void)state;
    command_result said =
        ruga_run("sweep small.json --set time.frames=1,2 --set objects[0].details[0].frequency=1 -o headings");
    assert_int_equal(said.code, 0);
    fail_if(!strstr(said.out, "  time.frames  frequency  state "), "%s", said.out);
    command_release(&said);
}

static void different_values_have_different_names(void **state) {
    (void)state;
    json_document *sweep =
        ruga_json(context, 0, "sweep small.json --set 'objects[0].name=a_b,\"a b\",a-b' --list -o names");
    assert_string_equal(json_text_at(sweep, "runs.2.name"), "name=a-b");
    const char *one = json_text_at(sweep, "runs.0.name"), *other = json_text_at(sweep, "runs.1.name");
    assert_int_equal(strncmp(one, "name=a_b-", 9), 0);
    assert_int_equal(strncmp(other, "name=a_b-", 9), 0);
    assert_string_not_equal(one, other);
    assert_int_equal((int)json_number_at(sweep, "waiting"), 3);
    json_destroy(sweep);
}

static void mistakes_are_found_before_anything_runs(void **state) {
    (void)state;
    command_result wrong =
        ruga_run("sweep small.json --set objects[0].details[0].frequency=1,0,-3 --set tiem.fps=24,30 -o wrong");
    assert_int_equal(wrong.code, 3);
    assert_non_null(strstr(wrong.err, "tiem.fps=24: error: "));
    assert_non_null(strstr(wrong.err, "objects[0].details[0].frequency=-3: error: "));
    assert_non_null(strstr(wrong.err, "6 of 6 combinations have errors; nothing was run"));
    command_release(&wrong);
    assert_false(exists("wrong"));
    command_result missing = ruga_run("sweep small.json --set 'objects[0].mesh=none.obj,\"small.json\"' -o wrong");
    assert_int_equal(missing.code, 3);
    assert_non_null(strstr(missing.err, "none.obj"));
    command_release(&missing);
    assert_false(exists("wrong"));
    assert_ruga(2, "give the values to vary: --set KEY=A,B,C", "sweep small.json");
    assert_ruga(2, "--set takes KEY=A,B,C", "sweep small.json --set time.fps");
    assert_ruga(2, "value 1 is empty", "sweep small.json --set time.fps=");
    assert_ruga(2, "value 2 is empty", "sweep small.json --set time.fps=24,,30");
    assert_ruga(2, "is not closed", "sweep small.json --set 'gravity=[0,1'");
    assert_ruga(2, "the key time.fps is given twice", "sweep small.json --set time.fps=24 --set time.fps=30");
    assert_ruga(2, "run 0 and run 1 have the same values", "sweep small.json --set time.fps=24,24");
    assert_ruga(2, "10201 combinations are more than 10000; vary less at once, or allow it with --many",
                "sweep small.json --set time.fps=$(seq -s, 101) --set objects[0].details[0].frequency=$(seq -s, 101)");
    assert_ruga(3, "none.json: can't be read", "sweep none.json --set time.fps=24");
    assert_ruga(2, "expected one scene", "sweep --set time.fps=24");
}

static void a_directory_of_something_else_is_refused(void **state) {
    (void)state;
    write_text("other.json", scene);
    assert_ruga(0, NULL, "sweep small.json --set objects[0].details[0].frequency=1 -o mine --no-pictures -q");
    assert_ruga(3, "holds a sweep over other keys, objects[0].details[0].frequency",
                "sweep small.json --set time.fps=24 -o mine");
    assert_ruga(3, "holds a sweep of another scene",
                "sweep other.json --set objects[0].details[0].frequency=1 -o mine");
    assert_int_equal(mkdir(test_path("taken"), 0777), 0);
    write_text("taken/precious.txt", "precious");
    assert_ruga(3, "holds other files and no sweep",
                "sweep small.json --set objects[0].details[0].frequency=1 -o taken");
    assert_holds("taken/precious.txt", "precious");
    assert_ruga(2, "is a sweep with its own values", "sweep mine --set objects[0].details[0].frequency=1");
    assert_ruga(2, "--only 7: no such run", "sweep mine --only 7");
    assert_ruga(2, "--chunk takes I/N", "sweep mine --chunk 5/4");
}

/* A sweep that others made may hold links in place of its files: their targets stay as they are. */
static void links_in_a_sweep_are_not_followed(void **state) {
    (void)state;
    skip_unless_long();
    static const char *const names[] = {"sweep.csv", "sheet.png", "plots/seconds-against-time.frames.svg",
                                        "plots/seconds-against-time.frames.png", "results/frames=2.txt"};
    assert_ruga(0, NULL, "sweep small.json --set time.frames=2,3 -o linked -q --jobs 1");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[256], target[512];
        snprintf(name, sizeof name, "linked/%s", names[i]);
        write_text("victim", "mine");
        snprintf(target, sizeof target, "%s", test_path("victim"));
        assert_int_equal(rename(test_path(name), test_path("kept")), 0);
        assert_int_equal(symlink(target, test_path(name)), 0);
        command_result r = ruga_run("sweep linked --jobs 1");
        assert_int_equal(r.code, 1);
        fail_if(!strstr(r.err, "is a link; writing it would change a file elsewhere"), "%s: %s", name, r.err);
        command_release(&r);
        size_t size;
        char *bytes = read_test_file(target, &size);
        fail_if(!bytes || size != 4, "%s was followed", name);
        free(bytes);
        assert_int_equal(rename(test_path("kept"), test_path(name)), 0);
    }
}

/* Nor do pipes make it wait, or get its output; a log with a second name is not written. */
static void a_sweep_reads_and_writes_plain_files_only(void **state) {
    (void)state;
    static const char *const names[] = {
        "sweep.txt", "plan.csv", "sweep.csv", "results/frames=2.txt", "scenes/frames=2.json", "logs/frames=2.txt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[256];
        assert_ruga(0, NULL, "sweep small.json --set time.frames=2 -o piped -q --slurm");
        snprintf(name, sizeof name, "piped/%s", names[i]);
        remove(test_path(name));
        assert_int_equal(mkfifo(test_path(name), 0666), 0);
        command_result r = command_run("timeout", "-k 1 30 %s sweep piped --jobs 1 --no-pictures", RUGA_COMMAND);
        fail_if(r.code != 1 && r.code != 3, "%s: exit code %d, %s", name, r.code, r.err);
        fail_if(!strstr(r.err, names[i]) && !strstr(r.out, names[i]), "%s: %s", name, r.err);
        command_release(&r);
        command_result removal = command_run("rm", "-r piped");
        command_release(&removal);
    }
    assert_ruga(0, NULL, "sweep small.json --set time.frames=2 -o named -q --slurm");
    write_text("victim", "mine");
    char target[512];
    snprintf(target, sizeof target, "%s", test_path("victim"));
    assert_int_equal(link(target, test_path("named/logs/frames=2.txt")), 0);
    command_result r = ruga_run("sweep named --jobs 1 --no-pictures");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.err, "logs/frames=2.txt: has several names"));
    command_release(&r);
    assert_holds("victim", "mine");
}

static void a_changed_scene_is_run_again_only_if_asked(void **state) {
    (void)state;
    write_text("edited.json", scene);
    json_destroy(sweep_json(0, "edited.json --set objects[0].details[0].frequency=1,2 -o edited"));
    write_text("edited.json", long_scene);
    assert_ruga(3, "the scene was changed since 2 of the runs were planned; --replace runs them again",
                "sweep edited.json --set objects[0].details[0].frequency=1 -o edited");
    json_document *sweep = sweep_json(0, "edited.json --set objects[0].details[0].frequency=1 -o edited --replace");
    assert_int_equal((int)json_number_at(sweep, "runs.0.frames"), atoi(LONG_FRAMES));
    assert_int_equal((int)json_number_at(sweep, "runs.1.frames"), atoi(LONG_FRAMES));
    json_destroy(sweep);
}

/* ---- Stopped and killed. */
static int start_sweep(const char *directory) {
    const char *const arguments[] = {"sweep", "long.json", "--set",         "objects[0].details[0].frequency=1,2,3",
                                     "-o",    directory,   "--no-pictures", "--jobs",
                                     "2",     NULL};
    int null = open("/dev/null", O_WRONLY);
    int process = ruga_start(arguments, null);
    close(null);
    return process;
}

/* Waits until a run of a sweep has a checkpoint. */
static void wait_for_checkpoint(const char *directory) {
    char path[2][256];
    snprintf(path[0], sizeof path[0], "%s/runs/frequency=1/checkpoint", directory);
    snprintf(path[1], sizeof path[1], "%s/runs/frequency=1/checkpoint.new", directory);
    for (int i = 0; i < 10000 && !exists(path[0]) && !exists(path[1]); i++)
        nanosleep(&(struct timespec){0, 2000000}, NULL);
}

/* The sweep continues from there, and the result is that of single runs, which are run once. */
static void assert_continues(const char *directory) {
    static char hashes[3][32];
    json_document *sweep = sweep_json(0, directory);
    assert_int_equal((int)json_number_at(sweep, "complete"), 3);
    for (int i = 0; i < 3; i++) {
        char arguments[128], path[32];
        snprintf(arguments, sizeof arguments, "long.json --set objects[0].details[0].frequency=%d", i + 1);
        if (!hashes[i][0]) single_hash(arguments, hashes[i]);
        snprintf(path, sizeof path, "runs.%d.state_hash", i);
        assert_string_equal(json_text_at(sweep, path), hashes[i]);
    }
    json_destroy(sweep);
}

static void a_killed_sweep_continues_to_the_same_bits(void **state) {
    (void)state;
    int process = start_sweep("killed");
    wait_for_checkpoint("killed");
    kill(process, SIGKILL);
    assert_int_equal(command_wait(process), 128 + SIGKILL);
    assert_continues("killed");
}

static void ctrl_c_stops_all_runs_so_that_they_resume(void **state) {
    (void)state;
    int process = start_sweep("stopped");
    wait_for_checkpoint("stopped");
    kill(process, SIGINT);
    assert_int_equal(command_wait(process), 130);
    json_document *list = ruga_json(context, 0, "sweep stopped --list");
    assert_int_equal((int)json_number_at(list, "running"), 0);
    assert_int_equal((int)json_number_at(list, "failed"), 0);
    assert_at_most(1, json_number_at(list, "stopped"));
    json_destroy(list);
    assert_continues("stopped");
}

static void a_failed_run_is_listed_and_retried(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sheet --rows 3 --columns 3 -o one.obj -q");
    assert_ruga(0, NULL, "make sheet --rows 4 --columns 4 -o two.obj -q");
    json_destroy(ruga_json(context, 0, "sweep small.json --set 'objects[0].mesh=one.obj,two.obj' -o fails --list"));
    char *mesh = read_test_file(test_path("two.obj"), NULL);
    write_text("two.obj", "f 1 2 3\n");
    command_result failed = ruga_run("sweep fails --no-pictures");
    assert_int_equal(failed.code, 1);
    assert_non_null(strstr(failed.out, "run 1 failed: "));
    assert_non_null(strstr(failed.out, "two.obj"));
    assert_non_null(strstr(failed.out, "/logs/mesh=two.obj.txt"));
    assert_non_null(strstr(failed.err, "1 of 2 runs failed; try them again with: ruga sweep "));
    command_release(&failed);
    assert_holds("fails/logs/mesh=two.obj.txt", "two.obj");
    assert_holds("fails/sweep.csv", ",failed,3,");
    /* Not by itself; and then with --retry. */
    write_text("two.obj", mesh);
    free(mesh);
    json_destroy(sweep_json(1, "fails"));
    assert_holds("fails/results/mesh=two.obj.txt", "attempts 1");
    json_document *sweep = sweep_json(0, "fails --retry");
    assert_int_equal((int)json_number_at(sweep, "complete"), 2);
    json_destroy(sweep);
    assert_holds("fails/results/mesh=one.obj.txt", "attempts 1");
    assert_holds("fails/results/mesh=two.obj.txt", "attempts 2");
}

/* ---- Farms. */
static void chunks_share_the_work_and_the_last_call_collects(void **state) {
    (void)state;
    command_result first =
        ruga_run("sweep small.json --set objects[0].details[0].frequency=1,2,3,4,5 -o farm --chunk 1/2");
    assert_int_equal(first.code, 0);
    assert_non_null(strstr(first.err, "ALF_PROGRESS 100%"));
    command_release(&first);
    assert_true(exists("farm/results/frequency=5.txt"));
    assert_false(exists("farm/results/frequency=2.txt"));
    assert_false(exists("farm/sweep.csv"));
    command_result only = ruga_run("sweep farm --only 1");
    assert_int_equal(only.code, 0);
    assert_non_null(strstr(only.err, "ALF_PROGRESS 25%"));
    command_release(&only);
    assert_ruga(0, NULL, "sweep farm --only frequency=4 -q --progress none");
    json_document *sweep = sweep_json(0, "farm");
    assert_int_equal((int)json_number_at(sweep, "complete"), 5);
    json_destroy(sweep);
    assert_true(exists("farm/sweep.csv"));
    assert_holds("farm/results/frequency=4.txt", "attempts 1");
}

static void chunks_that_plan_at_the_same_time_agree(void **state) {
    (void)state;
    char line[2048];
    snprintf(line, sizeof line,
             "cd '%s' && for i in 1 2 3 4; do '%s' sweep small.json --set objects[0].details[0].frequency=1,2,3,4 "
             "-o together --chunk "
             "$i/4 -q --progress none & p=\"$p $!\"; done; for i in $p; do wait $i || exit 1; done",
             test_folder(), RUGA_COMMAND);
    assert_int_equal(system(line), 0);
    json_document *sweep = sweep_json(0, "together");
    assert_int_equal((int)json_number_at(sweep, "complete"), 4);
    json_destroy(sweep);
}

static void two_sweeps_in_one_directory_share_the_work(void **state) {
    (void)state;
    skip_unless_long();
    char line[2048];
    snprintf(line, sizeof line,
             "cd '%s' && for i in 1 2; do '%s' sweep long.json --set objects[0].details[0].frequency=1,2,3 "
             "-o shared -q --no-pictures & "
             "p=\"$p $!\"; done; for i in $p; do wait $i || exit 1; done",
             test_folder(), RUGA_COMMAND);
    assert_int_equal(system(line), 0);
    assert_continues("shared");
    assert_holds("shared/results/frequency=1.txt", "attempts 1");
    assert_holds("shared/results/frequency=3.txt", "attempts 1");
}

static void the_instruction_set_is_pinned(void **state) {
    (void)state;
    assert_ruga(0, NULL,
                "sweep small.json --set objects[0].details[0].frequency=1,2 -o pinned --isa scalar --only 0 -q");
    assert_holds("pinned/sweep.txt", "isa scalar");
    /* On a machine with another one, too. */
    assert_ruga(0, NULL, "sweep pinned --no-pictures -q");
    assert_holds("pinned/runs/frequency=1/run.json", "scalar");
    assert_holds("pinned/runs/frequency=2/run.json", "scalar");
    assert_ruga(2, "this sweep uses the instruction set scalar",
                "sweep small.json --set objects[0].details[0].frequency=1 -o pinned --isa sse4");
}

/* ---- Slurm. */
/* Stand-ins: a job is a process that does the tasks of an array one by one. The first task is killed once and
 * started again, as after a requeue. */
static const char sbatch_script[] =
    "#!/bin/sh\n"
    "[ \"$1\" = --parsable ] || exit 1\n"
    "echo 'sbatch: a remark that is no number' >&2\n"
    "list=$(sed -n 's/^#SBATCH --array=//p' \"$2\")\n"
    "grep -q '^#SBATCH --time=1:00' \"$2\" || exit 1\n"
    "(   for part in $(echo $list | tr , ' '); do for i in $(seq ${part%-*} ${part#*-}); do\n"
    "        export SLURM_ARRAY_TASK_ID=$i\n"
    "        if [ $i = 0 ]; then sh \"$2\" & task=$!; sleep 0.3; kill -9 $task; wait $task; fi\n"
    "        sh \"$2\"\n"
    "    done; done; rm job\n"
    ") >tasks.txt 2>&1 </dev/null &\n"
    "echo $! >job\n"
    "echo '42;cluster'\n";
static const char squeue_script[] =
    "#!/bin/sh\n"
    "[ -e job ] && { echo '42_0 RUNNING'; exit 0; }\n"
    "echo 'slurm_load_jobs error: Invalid job id specified'; exit 1\n";
static const char sacct_script[] = "#!/bin/sh\necho '42_0|COMPLETED'; echo '42_1|TIMEOUT'\n";

static void write_script(const char *name, const char *text) {
    write_text(name, text);
    assert_int_equal(chmod(test_path(name), 0755), 0);
}

/* Runs a sweep with the stand-ins in front of the path. */
static command_result sweep_with_slurm(const char *arguments) {
    char program[1200];
    snprintf(program, sizeof program, "%s/with_slurm", test_folder());
    write_script("sbatch", sbatch_script);
    write_script("squeue", squeue_script);
    write_script("sacct", sacct_script);
    char text[3000];
    snprintf(text, sizeof text, "#!/bin/sh\nPATH='%s':$PATH exec '%s' \"$@\"\n", test_folder(), RUGA_COMMAND);
    write_script("with_slurm", text);
    return command_run(program, "sweep %s", arguments);
}

static void a_submitted_sweep_is_followed_and_collected(void **state) {
    (void)state;
    command_result result = sweep_with_slurm(
        "long.json --set objects[0].details[0].frequency=1,2,3 -o cluster --submit --sbatch --time=1:00 "
        "--interval 0.1 --no-pictures");
    fail_if(result.code, "exit code %d: %s", result.code, result.err);
    assert_non_null(strstr(result.err, "as job 42"));
    assert_non_null(strstr(result.err, "ALF_PROGRESS 100%"));
    command_release(&result);
    assert_holds("cluster/sweep.sbatch", "#SBATCH --array=0-2\n");
    assert_holds("cluster/sweep.sbatch", "#SBATCH --requeue\n");
    assert_holds("cluster/slurm.txt", "42\n");
    assert_continues("cluster");
}

/* Slurm would replace %a, and a quote would end the path; the task's own line is quoted for the shell. */
static void any_name_of_a_directory_goes_into_the_script(void **state) {
    (void)state;
    static const char set[] = "small.json --set objects[0].details[0].frequency=1 --slurm -q -o";
    assert_ruga(0, NULL, "sweep %s \"50%%a 'x'\"", set);
    assert_holds("50%a 'x'/sweep.sbatch", "/50%%a 'x'/logs/slurm-%A_%a.txt\"\n");
    assert_holds("50%a 'x'/sweep.sbatch", "/50%a '\\''x'\\''' --only \"$SLURM_ARRAY_TASK_ID\"");
    assert_ruga(0, NULL, "sweep %s 'a\"b'", set);
    char *text = read_test_file(test_path("a\"b/sweep.sbatch"), NULL);
    assert_non_null(text);
    assert_null(strstr(text, "--output"));
    free(text);
}

static void a_task_without_a_result_gets_the_word_of_the_accounting(void **state) {
    (void)state;
    skip_unless_long();
    command_result written = sweep_with_slurm("small.json --set objects[0].details[0].frequency=1,2 -o lost --slurm");
    assert_int_equal(written.code, 0);
    assert_non_null(strstr(written.out, "submit it with sbatch"));
    command_release(&written);
    assert_holds("lost/sweep.sbatch", "export RUGA_ISA=");
    command_result result = sweep_with_slurm("lost --submit --sbatch --time=1:00 --interval 0.1");
    assert_int_equal(result.code, 0);
    command_release(&result);
    unlink(test_path("lost/results/frequency=2.txt"));
    char line[600];
    snprintf(line, sizeof line, "rm -r '%s/lost/runs/frequency=2'", test_folder());
    assert_int_equal(system(line), 0);
    write_script("sbatch", "#!/bin/sh\necho 42\n");
    char program[1200];
    snprintf(program, sizeof program, "%s/with_slurm", test_folder());
    result = command_run(program, "sweep lost --submit --interval 0.1 --no-pictures");
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.out, "Slurm: TIMEOUT"));
    assert_non_null(strstr(result.err, "1 of 2 runs are not complete; continue with"));
    command_release(&result);
    write_script("sbatch", "#!/bin/sh\necho 'sbatch: error: invalid partition' >&2; exit 1\n");
    command_assert(program, 1, "invalid partition", "sweep lost --submit --interval 0.1 -q");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_has_the_hash_of_a_single_run),
        cmocka_unit_test(a_sweep_grows_and_complete_runs_are_not_repeated),
        cmocka_unit_test(a_table_has_one_run_per_row),
        cmocka_unit_test(a_key_never_has_the_heading_of_another_column),
        cmocka_unit_test(different_values_have_different_names),
        cmocka_unit_test(mistakes_are_found_before_anything_runs),
        cmocka_unit_test(a_directory_of_something_else_is_refused),
        cmocka_unit_test(links_in_a_sweep_are_not_followed),
        cmocka_unit_test(a_sweep_reads_and_writes_plain_files_only),
        cmocka_unit_test(a_changed_scene_is_run_again_only_if_asked),
        cmocka_unit_test(a_killed_sweep_continues_to_the_same_bits),
        cmocka_unit_test(ctrl_c_stops_all_runs_so_that_they_resume),
        cmocka_unit_test(a_failed_run_is_listed_and_retried),
        cmocka_unit_test(chunks_share_the_work_and_the_last_call_collects),
        cmocka_unit_test(chunks_that_plan_at_the_same_time_agree),
        cmocka_unit_test(two_sweeps_in_one_directory_share_the_work),
        cmocka_unit_test(the_instruction_set_is_pinned),
        cmocka_unit_test(a_submitted_sweep_is_followed_and_collected),
        cmocka_unit_test(any_name_of_a_directory_goes_into_the_script),
        cmocka_unit_test(a_task_without_a_result_gets_the_word_of_the_accounting),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
