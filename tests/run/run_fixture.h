/* For tests of runs: a small scene with a memory (springs that swing on), runs of it, and directories
 * compared byte by byte. */
#ifndef TESTS_SCENE_RUN_FIXTURE_H
#define TESTS_SCENE_RUN_FIXTURE_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "base/memory.h"
#include "run/run.h"
#include "support/file_systems.h"
#include "support/support.h"

#define FRAMES 5

/* All files flushed at every checkpoint; frames written beside the next step, or not. */
#define FLUSHING \
    { 0, SIZE_MAX }
#define BESIDE \
    { 0, 0 }

/* Two objects, one of them with a name that no file should have. Times are no round numbers of seconds. */
static const char small_scene[] =
    "{\"time\": {\"fps\": 30, \"start_frame\": 7, \"frames\": 5, \"substeps\": 2, \"preroll\": 1},"
    " \"wind\": {\"velocity\": [4, 1, 0], \"gust\": 0.5},"
    " \"objects\": [{\"name\": \"flag\","
    "   \"mesh\": {\"kind\": \"sheet\", \"columns\": 3, \"rows\": 2, \"upright\": 1},"
    "   \"details\": [{\"kind\": \"jiggle\", \"frequency\": 3, \"damping\": 0.2, \"air\": 2}]},"
    "  {\"name\": \"box #1.2\","
    "   \"mesh\": {\"kind\": \"sheet\", \"columns\": 1, \"rows\": 2},"
    "   \"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 0.5, \"turn\": [0, 90, 0]}]},"
    "   \"details\": [{\"kind\": \"jiggle\", \"frequency\": 2}]}],"
    " \"output\": {\"formats\": [\"pc2\"], \"checkpoint\": 2, \"unit\": \"cm\", \"up\": \"z\"}}";

/* The small scene with some values changed: path, value, …, NULL. */
static inline ruga_description *describe(ruga_context *context, ...) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "small", small_scene, strlen(small_scene), &d));
    va_list arguments;
    va_start(arguments, context);
    for (const char *path; (path = va_arg(arguments, const char *));)
        assert_ok(context, ruga_description_set(d, path, va_arg(arguments, const char *)));
    va_end(arguments);
    return d;
}

static inline ruga_status next_until_done(ruga_run *run) {
    while (!ruga_run_is_done(run)) TRY(ruga_run_next(run));
    return RUGA_OK;
}

/* A whole run; its directory is a test path. */
static inline void run_whole(ruga_context *context, const ruga_description *d, const char *directory) {
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, directory, 0, &run));
    assert_ok(context, next_until_done(run));
    ruga_run_destroy(run);
}

static inline void resume_whole(ruga_context *context, const char *directory) {
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_resume(context, directory, &run));
    assert_ok(context, next_until_done(run));
    ruga_run_destroy(run);
}

/* ---- Directories. */

/* Whether a file's bytes depend on when and how it was run. */
static inline int is_of_the_moment(const char *name) {
    return strcmp(name, "log.txt") == 0 || strcmp(name, "timings.csv") == 0;
}

/* A checkpoint has one of two names, by the time since the last that was flushed. */
static inline int is_checkpoint(const char *name) { return strncmp(name, "checkpoint", 10) == 0; }

static inline void assert_same_file(const char *a, const char *b, const char *name) {
    char paths[2][1024];
    size_t sizes[2];
    snprintf(paths[0], sizeof paths[0], "%s/%s", a, name);
    snprintf(paths[1], sizeof paths[1], "%s/%s", b, name);
    char *bytes[2] = {read_test_file(paths[0], &sizes[0]), read_test_file(paths[1], &sizes[1])};
    fail_if(!bytes[0] || !bytes[1], "%s is not in both of %s and %s", name, a, b);
    fail_if(!is_of_the_moment(name) && (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0),
            "%s differs between %s and %s", name, a, b);
    free(bytes[0]);
    free(bytes[1]);
}

static inline int count_and_compare(const char *a, const char *b) {
    int count = 0;
    DIR *folder = opendir(a);
    fail_if(!folder, "%s is no directory", a);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || is_checkpoint(entry->d_name)) continue;
        assert_same_file(a, b, entry->d_name);
        count++;
    }
    closedir(folder);
    return count;
}

/* The same files with the same bytes, but for times. */
static inline void assert_same_run(const char *a, const char *b) {
    const int compared = count_and_compare(a, b);
    assert_int_equal(compared, count_and_compare(b, a));
    assert_ran(compared, 3);
}

/* Removes a directory of files. */
static inline void remove_run(const char *directory) {
    DIR *folder = opendir(directory);
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) remove(path);
    }
    closedir(folder);
    assert_int_equal(remove(directory), 0);
}

static inline int remove_folder(void **state) {
    (void)state;
    test_folder_remove();
    return 0;
}

#endif
