#include <stdio.h>
#include <string.h>

#include "support/ran.h"

/* The linker puts the sites of all files side by side, and these at both ends; there may be none. */
extern assert_site __start_assert_sites[] __attribute__((weak));
extern assert_site __stop_assert_sites[] __attribute__((weak));

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Another assert of the function ran, for the same compiled file. */
static int function_ran(const assert_site *site) {
    for (const assert_site *s = __start_assert_sites; s < __stop_assert_sites; s++)
        if (s->ran && strcmp(s->base, site->base) == 0 && strcmp(s->file, site->file) == 0 &&
            strcmp(s->function, site->function) == 0)
            return 1;
    return 0;
}

int assert_sites_check(const char *end, int of_header, int all) {
    int found = 0;
    for (const assert_site *s = __start_assert_sites; s < __stop_assert_sites; s++) {
        int is_own = strcmp(s->file, s->base) == 0;
        if (s->ran || !ends_with(of_header ? s->file : s->base, end)) continue;
        if (!(all && is_own) && !function_ran(s)) continue;
        fprintf(stderr, "%s:%ld: this assert of %s never ran\n", s->file, s->line, s->function);
        found++;
    }
    return found;
}

int assert_skipped;

/* ---- Where a failure is. */

/* Numbers from one random state. */
static _Thread_local struct {
    uint64_t first, next;
    unsigned long taken;
} stream;

void assert_note_random(uint64_t state_before, uint64_t state_after) {
    if (stream.taken == 0 || state_before != stream.next) {
        stream.first = state_before;
        stream.taken = 0;
    }
    stream.next = state_after;
    stream.taken++;
}

void assert_note(const assert_site *site) {
    if (site && site->ran > 1) print_error("run %ld of the assert at %s:%ld\n", site->ran, site->file, site->line);
    if (stream.taken > 0)
        print_error("random numbers: %lu were taken from the state 0x%llx\n", stream.taken,
                    (unsigned long long)stream.first);
}
