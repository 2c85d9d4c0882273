/* The command meets hostile texts, ignored signals and outputs that can't be written. */
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/ruga_command.h"

/* ---- Texts. */

static void put_file(const char *name, const char *text) { write_test_file(test_path(name), text, strlen(text)); }

/* Names with ESC, BEL, DEL and the control characters of Latin-1, in UTF-8 and as a byte; JSON takes \u001b and
 * \u009b. */
static void control_characters_from_files_never_reach_the_terminal(void **state) {
    (void)state;
    put_file("hostile.json",
             "{\"time\": {\"frames\": 1}, \"objects\": [{\"name\": \"a\\u001b]0;owned\\u0007\\u009b31m\\u007f\", "
             "\"mesh\": {\"kind\": \"sheet\"}, \"nonsense\\u001b[2J\": 1}]}");
    put_file("hostile.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\ng \x1b[31mred\x9b\nf 1 2 3\n");
    static const char *const commands[] = {"check hostile.json", "run hostile.json -o hostile.run", "info hostile.obj",
                                           "info \"$(printf 'no\\033file.obj')\"",
                                           "convert hostile.obj \"$(printf 'out\\033.obj')\""};
    int escaped = 0;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        command_result r = ruga_run("%s", commands[i]);
        for (int k = 0; k < 2; k++)
            for (const char *at = k ? r.err : r.out; *at; at++) {
                const unsigned char c = (unsigned char)*at;
                fail_if((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || (c >= 0x80 && c < 0xa0),
                        "%s printed the byte 0x%02x", commands[i], c);
            }
        escaped += strstr(r.err, "\\x1b") || strstr(r.out, "\\x1b");
        command_release(&r);
    }
    assert_at_most(4, escaped);
}

/* Letters of other scripts are no control characters, though bytes of theirs are in that range. */
static void other_scripts_are_printed_as_they_are(void **state) {
    (void)state;
    command_result r = ruga_run("info 'Ärmel 袖 👕.obj'");
    assert_non_null(strstr(r.err, "Ärmel 袖 👕.obj: "));
    command_release(&r);
}

/* ---- Signals. */

static void a_signal_that_was_ignored_stays_ignored(void **state) {
    (void)state;
    assert_ruga(0, NULL, "new shake -o scene.json --force -q");
    command_result r = command_run(
        "sh",
        "-c 'trap \"\" HUP INT; \"$0\" run scene.json --frames 200 --formats none -o kept.run -q & child=$!; "
        "while [ ! -s kept.run/measures.csv ]; do sleep 0.01; done; kill -HUP $child; kill -INT $child; "
        "wait $child' %s",
        RUGA_COMMAND);
    assert_int_equal(r.code, 0);
    command_release(&r);
}

/* ---- Outputs. */

/* Every command reads whole before it writes, so that a mistake would replace the only copy. */
static void no_command_writes_over_a_file_that_it_reads(void **state) {
    (void)state;
    static const char *const commands[] = {
        "convert kept.obj kept.obj",
        "convert kept.obj -o kept.obj --unit cm",
        "convert kept.obj ./kept.obj",
        "convert walk.pc2 --cache kept.obj -o kept.obj",
        "convert part_####.obj part_####.obj",
        "subdivide kept.obj -o kept.obj",
        "subdivide kept.obj -o link.obj",
        "fill kept.obj -o kept.obj",
        "render kept.obj -o kept.obj",
        "sculpt kept.obj lines.json -o kept.obj",
        "sculpt kept.obj kept.obj -o x.obj --preview kept.obj",
        "crease kept.obj lines.json -o lines.json",
        "crease lines.obj kept.obj -o kept.pc2",
        "trace kept.obj -o kept.obj",
        "wrinkle kept.obj --cache walk.pc2 -o kept.pc2",
        "wrinkle walk.glb --fine kept.obj -o kept.pc2",
        "wrinkle kept.obj --delta kept.obj -o x.glb",
        "shell kept.obj -o kept.obj",
        "flesh kept.obj -o kept.obj",
        "intersections kept.obj --picture kept.obj",
    };
    static const char *const twice[] = {
        "make bust -o new.obj --curves new.obj",
        "wrinkle kept.obj --delta new.glb -o new.glb",
        "sculpt kept.obj lines.json -o new.png --preview new.png",
    };
    assert_ruga(0, NULL, "make sheet --columns 2 --rows 2 -o kept.obj -q");
    fail_if(symlink(test_path("kept.obj"), test_path("link.obj")) != 0, "no link can be made");
    char *before = read_test_file(test_path("kept.obj"), NULL);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        assert_ruga(2, "is read, so it can't be written; choose another name", "%s", commands[i]);
    for (size_t i = 0; i < sizeof twice / sizeof twice[0]; i++)
        assert_ruga(2, "two results would be written to it; choose another name", "%s", twice[i]);
    char *after = read_test_file(test_path("kept.obj"), NULL);
    assert_string_equal(before, after);
    assert_false(test_file_exists(test_path("new.obj")));
    /* Words that name a model or a template are no files, and a cache alone needs no mesh beside it. */
    assert_ruga(0, NULL, "make sheet -o sheet --format obj -q");
    assert_ruga(0, NULL, "make sheet -o sheet --format obj -q");
    assert_ruga(0, NULL, "make mannequin --action walk -o walked.glb -q");
    assert_ruga(0, NULL, "convert walked.glb walked.obj --frame 0 -q");
    assert_ruga(0, NULL, "convert walked.glb walked.pc2 --frames 0:1 -q");
    free(before);
    free(after);
}

static void outputs_are_tried_before_the_work(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sheet -o sheet.obj -q");
    put_file("file", "mine");
    /* The input does not exist, so that an error about the output shows what was tried first. */
    static const char *const commands[] = {"convert missing.obj no/folder/out.obj",
                                           "convert missing.obj -o no/folder/out.obj",
                                           "render missing.obj -o no/folder/out.png",
                                           "render missing.obj -o no/folder/out.mp4",
                                           "subdivide missing.obj -o no/folder/out.obj",
                                           "wrinkle missing.obj -o no/folder/out.glb",
                                           "sculpt missing.obj -o no/folder/out.obj",
                                           "sculpt missing.obj -o out.obj --preview no/folder/out.png",
                                           "intersections missing.obj --picture no/folder/out.png",
                                           "cloth flag -o no/folder/out.pc2",
                                           "make sheet -o no/folder/out.obj",
                                           "new shake -o no/folder/out.json"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        assert_ruga(1, "No such file or directory; make its folder first", "%s", commands[i]);
    assert_ruga(1, "file/out.run: can't be written: Not a directory", "run missing.json -o file/out.run");
    assert_ruga(1, "file/out: can't be written: Not a directory", "stats missing.run -o file/out");
    /* A folder where a file is to be, and the reverse. */
    assert_int_equal(mkdir(test_path("taken.glb"), 0777), 0);
    assert_ruga(1, "taken.glb: is a directory, not a file", "convert missing.obj taken.glb");
    assert_ruga(1, "taken.glb: is a directory, not a file", "wrinkle missing.obj -o taken.glb");
    assert_ruga(1, "file: is a file, not a folder", "run missing.json -o file");
    assert_ruga(1, "file: is a file, not a folder", "stats missing.run -o file");
    /* A directory that has a run, or something with the name of one. */
    assert_ruga(0, NULL, "new shake -o scene.json --force -q");
    assert_ruga(0, NULL, "run scene.json --frames 1 -o first.run -q");
    assert_ruga(3, "first.run: this directory already has a run", "run missing.json -o first.run");
    assert_ruga(3, "missing.json", "run missing.json -o first.run --replace");
    put_file("first.run/run.json", "{\"mine\": 1}");
    assert_ruga(3, "first.run/run.json: ", "run missing.json -o first.run --replace");
    /* Folders are made with their parents. */
    assert_ruga(0, NULL, "new shake -o scene.json --force -q");
    assert_ruga(0, NULL, "run scene.json --frames 1 -o deep/er/out.run -q");
}

/* ---- Exit codes. */

static void resume_has_the_exit_codes_of_run(void **state) {
    (void)state;
    assert_ruga(0, NULL, "new shake -o scene.json --force -q");
    assert_ruga(0, NULL, "run scene.json --frames 3 -o codes.run -q");
    char path[1024];
    snprintf(path, sizeof path, "%s", test_path("codes.run/log.txt"));
    remove(path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_ruga(1, "log.txt: is a directory", "resume codes.run");
    assert_int_equal(rmdir(path), 0);
    assert_ruga(3, "no run.json", "resume missing.run");
    assert_ruga(0, NULL, "resume codes.run -q");
}

/* ---- Damaged runs: a frame that was cut off after a kill, and a complete run. */

static void half_written_frames_are_written_again(void **state) {
    (void)state;
    assert_ruga(0, NULL, "new shake -o scene.json --force -q");
    assert_ruga(0, NULL, "run scene.json --frames 6 --checkpoint 2 --formats obj -o whole.run -q");
    assert_ruga(0, NULL, "check whole.run -q");
    command_result r =
        command_run("sh",
                    "-c '\"$0\" run scene.json --frames 6000 --checkpoint 2 --formats obj -o cut.run -q & "
                    "child=$!; until [ -e cut.run/*.0005.obj ] && [ -e cut.run/checkpoint ]; do sleep "
                    "0.01; done; kill -9 $child; wait $child; truncate -s 100 cut.run/*.0002.obj; "
                    "\"$0\" check cut.run' %s",
                    RUGA_COMMAND);
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, "####.obj is missing, incomplete or changed"));
    command_release(&r);
    r = command_run("sh", "-c 'truncate -s 100 whole.run/*.0002.obj; \"$0\" resume whole.run' %s", RUGA_COMMAND);
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, "missing, damaged or changed"));
    command_release(&r);
    assert_ruga(3, "missing, damaged or changed", "check whole.run");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_from_files_never_reach_the_terminal),
        cmocka_unit_test(other_scripts_are_printed_as_they_are),
        cmocka_unit_test(a_signal_that_was_ignored_stays_ignored),
        cmocka_unit_test(no_command_writes_over_a_file_that_it_reads),
        cmocka_unit_test(outputs_are_tried_before_the_work),
        cmocka_unit_test(resume_has_the_exit_codes_of_run),
        cmocka_unit_test(half_written_frames_are_written_again),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
