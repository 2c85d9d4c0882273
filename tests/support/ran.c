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

static int function_ran(const assert_site *site) {
    for (const assert_site *s = __start_assert_sites; s < __stop_assert_sites; s++)
        if (s->ran && strcmp(s->file, site->file) == 0 && strcmp(s->function, site->function) == 0) return 1;
    return 0;
}

int assert_sites_check(const char *file_end) {
    int found = 0;
    for (const assert_site *s = __start_assert_sites; s < __stop_assert_sites; s++) {
        if (s->ran || !ends_with(s->file, file_end) || !function_ran(s)) continue;
        fprintf(stderr, "%s:%ld: this assert of %s never ran\n", s->file, s->line, s->function);
        found++;
    }
    return found;
}
