/* Runs one file of a folder's tests: test_<folder> NAME; or a long test, which is a program by itself. Each file has a
 * main of its own, which the build calls main_of_<name>; the table of them is made by the build. Without a name, or
 * with one that is not there, the program lists them. */
#include <stdio.h>
#include <string.h>

#include "support/support.h"

#define ROW(name) int main_of_##name(void);
#include RUGA_TESTS_OF_PROGRAM
#undef ROW

typedef struct unit {
    const char *name;
    int (*run)(void);
} unit;

static const unit files[] = {
#define ROW(name) {#name, main_of_##name},
#include RUGA_TESTS_OF_PROGRAM
#undef ROW
};

/* An assert that never ran fails, too (ran.h); not with sanitizers, where some tests do less. */
static int run(const unit *u) {
    char file[200];
    int failed = u->run();
    snprintf(file, sizeof file, "/" RUGA_TEST_KIND "_%s.c", u->name);
    return failed || SANITIZED ? failed : assert_sites_check(file, 0, !assert_skipped) > 0;
}

int main(int argc, char **argv) {
    size_t count = sizeof files / sizeof *files;
    for (size_t i = 0; argc == 2 && i < count; i++)
        if (strcmp(files[i].name, argv[1]) == 0) return run(&files[i]);

    fprintf(stderr, "usage: %s NAME, one of:\n", argv[0]);
    for (size_t i = 0; i < count; i++) fprintf(stderr, "    %s\n", files[i].name);
    return 2;
}
