#include "support/support.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void *counting_allocate(void *user, size_t size) {
    counting_allocator *counter = user;
    long index = counter->allocations++;
    int fails =
        counter->fail_at >= 0 && (index == counter->fail_at || (counter->fail_after_too && index > counter->fail_at));
    if (fails) return NULL;
    void *memory = malloc(size);
    if (memory) counter->live++;
    return memory;
}

static void counting_release(void *user, void *memory) {
    counting_allocator *counter = user;
    if (memory) counter->live--;
    free(memory);
}

ruga_context *context_counting(counting_allocator *counter) {
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    def.allocator = (ruga_allocator){counting_allocate, counting_release, counter};
    ruga_context *context = NULL;
    return RUGA_FAILED(ruga_context_create(&def, &context)) ? NULL : context;
}

ruga_context *context_plain(int threads) {
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = threads;
    ruga_context *context = NULL;
    assert_int_equal(ruga_context_create(&def, &context), RUGA_OK);
    return context;
}

static int set_up_threads(void **state, int threads) {
    *state = context_plain(threads);
    return 0;
}

int set_up_context(void **state) { return set_up_threads(state, 1); }
int set_up_context_of_two(void **state) { return set_up_threads(state, 2); }
int set_up_context_of_all(void **state) { return set_up_threads(state, 0); }

int tear_down_context(void **state) {
    ruga_context_destroy(*state);
    return 0;
}

double scene_measure(const ruga_scene *scene, const char *name) {
    size_t count = ruga_scene_measure_count(scene), found = 0;
    while (found < count && strcmp(ruga_scene_measure_info(scene, found).name, name) != 0) found++;
    fail_if(found == count, "there is no measure %s", name);
    double *values = malloc(count * sizeof *values), value;
    ruga_scene_measures(scene, values);
    value = values[found];
    free(values);
    return value;
}

void(assert_message_has)(const ruga_context *context, const char *part) {
    fail_if(!strstr(ruga_context_message(context), part), "the message \"%s\" does not hold \"%s\"",
            ruga_context_message(context), part);
}

int numbers_agree(numbers_relation relation, double a, double b, double tolerance) {
    if (relation == NUMBERS_LESS) return a < b;
    if (relation == NUMBERS_AT_MOST) return a <= b;
    if (relation == NUMBERS_EQUAL) return a == b;
    return a == b || fabs(a - b) <= tolerance;
}

void numbers_fail(const assert_site *site, numbers_relation relation, const char *a_text, const char *b_text, double a,
                  double b, double tolerance, const char *case_format, ...) {
    static const char *const expected[] = {"is not near", "is not less than", "is more than", "is not equal to"};
    char case_text[512];
    va_list arguments;
    va_start(arguments, case_format);
    vsnprintf(case_text, sizeof case_text, case_format, arguments);
    va_end(arguments);
    char allowed[64] = "";
    if (relation == NUMBERS_NEAR) snprintf(allowed, sizeof allowed, ", tolerance %.9g", tolerance);
    assert_note(site);
    print_error("ERROR: %s:%ld: %s %s %s: %.17g and %.17g, difference %.9g%s%s%s\n", site->file, site->line, a_text,
                expected[relation], b_text, a, b, a - b, allowed, case_text[0] ? "; case: " : "", case_text);
    _fail(site->file, (int)site->line);
}

void assert_ran_(size_t count, size_t least, const char *text, const char *file, int line) {
    fail_if(count < least, "%s:%d: %s: asserts ran %zu times, expected at least %zu", file, line, text, count, least);
}

long assert_every_allocation_may_fail(allocation_run *run, void *user) {
    const long all_below = 50, stride = getenv("RUGA_LONG_CASES") ? 1 : SANITIZED ? 7 : 3;
    for (long n = 0; n < 1000000; n += n < all_below ? 1 : stride) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = context_counting(&counter);
        assert_non_null(context);
        long before = counter.live;
        counter.allocations = 0;
        counter.fail_at = n;
        ruga_status status = run(context, user);
        int failed_one = counter.allocations > n;
        counter.fail_at = -1;
        fail_if(counter.live != before, "allocation %ld failed and %ld pieces leaked", n, counter.live - before);
        fail_if(failed_one && status != RUGA_ERROR_MEMORY, "allocation %ld failed, but the status was \"%s\" (%s)", n,
                ruga_status_name(status), ruga_context_message(context));
        if (!failed_one) assert_ok(context, status);
        long made = counter.allocations;
        ruga_context_destroy(context);
        assert_int_equal(counter.live, 0);
        if (!failed_one) return made;
    }
    fail_msg("there is no end of allocations");
    return -1;
}

uint64_t random_bits(test_random *random) {
    uint64_t before = random->state, z = random->state += 0x9e3779b97f4a7c15u;
    assert_note_random(before, random->state);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double random_unit(test_random *random) { return (double)(random_bits(random) >> 11) * 0x1p-53; }
double random_between(test_random *random, double low, double high) { return low + (high - low) * random_unit(random); }

ruga_vec3 random_vec3(test_random *random, double low, double high) {
    double x = random_between(random, low, high), y = random_between(random, low, high);
    return (ruga_vec3){x, y, random_between(random, low, high)};
}

static char folder[256];
static pid_t folder_owner; /* its children have the name, but not the folder */

/* Ends the program by the signal that it got. Another process removes the folder once the program and the commands
 * that it started are gone. */
static void end_without_folder(int number) {
    const pid_t program = getpid();
    if (program == folder_owner && fork() == 0) {
        while (getppid() == program) nanosleep(&(struct timespec){0, 10000000}, NULL);
        nanosleep(&(struct timespec){0, 200000000}, NULL);
        execl("/bin/sh", "sh", "-c", "rm -rf \"$0\" \"$0.out\" \"$0.err\"", folder, (char *)NULL);
        _exit(127);
    }
    signal(number, SIG_DFL);
    raise(number);
}

const char *test_folder(void) {
    if (!folder[0]) {
        const char *base = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%.200s/ruga-test-XXXXXX", base && *base ? base : P_tmpdir);
        assert_non_null(mkdtemp(folder));
        folder_owner = getpid();
        const int ends[] = {SIGINT, SIGTERM, SIGHUP};
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            if (signal(ends[i], end_without_folder) == SIG_IGN) signal(ends[i], SIG_IGN);
    }
    return folder;
}

const char *test_path(const char *name) {
    static char paths[4][512];
    static int next = 0;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder(), name);
    return path;
}

void write_test_file(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

char *read_test_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t capacity = 4096, count = 0, got;
    char *bytes = malloc(capacity + 1);
    while ((got = fread(bytes + count, 1, capacity - count, f)) > 0) {
        count += got;
        if (count == capacity) bytes = realloc(bytes, (capacity *= 2) + 1);
    }
    fclose(f);
    bytes[count] = 0;
    if (size) *size = count;
    return bytes;
}

int test_file_exists(const char *path) { return access(path, F_OK) == 0; }

/* Calls remove on every entry below a folder when asked to; counts the files. */
static size_t walk(const char *path, int delete) {
    size_t count = 0;
    DIR *directory = opendir(path);
    if (!directory) return 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        char inner[1024];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        struct stat info;
        if (lstat(inner, &info) == 0 && S_ISDIR(info.st_mode))
            count += walk(inner, delete);
        else
            count++;
        if (delete) remove(inner);
    }
    closedir(directory);
    return count;
}

size_t test_folder_entry_count(void) { return walk(test_folder(), 0); }

void test_folder_remove(void) {
    if (!folder[0]) return;
    walk(folder, 1);
    rmdir(folder);
    folder[0] = 0;
}

int tear_down_test_folder(void **state) {
    (void)state;
    test_folder_remove();
    return 0;
}
