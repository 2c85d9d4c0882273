/* The plan of a sweep: which runs there are, their names and their scenes. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "scenes.h"
#include "sweep.h"

enum { LONGEST_NAME = 96, MOST_FINDINGS = 20 };

/* ---- Memory: blocks that live as long as the sweep. */
struct sweep_text {
    struct sweep_text *next;
    char bytes[];
};

static void *keep(sweep *w, size_t size) {
    struct sweep_text *block = calloc(1, sizeof *block + size);
    if (!block) return NULL;
    block->next = w->texts;
    w->texts = block;
    return block->bytes;
}

static const char *keep_text(sweep *w, const char *text) {
    char *copy = keep(w, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

void sweep_release(sweep *w) {
    while (w->texts) {
        struct sweep_text *next = w->texts->next;
        free(w->texts);
        w->texts = next;
    }
    *w = (sweep){.directory = ""};
}

/* ---- Paths and words. */
const char *sweep_file(const sweep *w, const char *folder, const char *name, const char *ending, sweep_path out) {
    snprintf(out, SWEEP_PATH, "%s/%s%s%s", w->directory, folder, name ? name : "", ending);
    return out;
}

int sweep_output(session *s, const sweep *w, const char *folder, const char *name, const char *ending, sweep_path out) {
    struct stat info;
    sweep_file(w, folder, name, ending, out);
    if (lstat(out, &info) != 0 || S_ISREG(info.st_mode)) return 0;
    if (!S_ISLNK(info.st_mode)) return session_error(s, EXIT_FAILED, "%s: is not a plain file; remove it", out);
    return session_error(s, EXIT_FAILED, "%s: is a link; writing it would change a file elsewhere. Remove the link",
                         out);
}

FILE *sweep_read(const char *path) {
    struct stat info;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file >= 0 && (fstat(file, &info) != 0 || !S_ISREG(info.st_mode))) {
        close(file);
        errno = EINVAL;
        file = -1;
    }
    return file < 0 ? NULL : fdopen(file, "rb");
}

int sweep_is_directory(const char *path) {
    char marker[SWEEP_PATH];
    snprintf(marker, sizeof marker, "%s/sweep.txt", path);
    return access(marker, F_OK) == 0;
}

/* The last words of a key: so many, separated by dots. */
static const char *last_words(const char *key, int words) {
    const char *at = key + strlen(key);
    while (at > key)
        if (*--at == '.' && --words == 0) return at + 1;
    return key;
}

const char *sweep_short_key(const sweep *w, size_t key, char *text, size_t size) {
    int words = 1;
    for (size_t k = 0; k < w->key_count; k++)
        while (k != key && words < 8 && strcmp(last_words(w->keys[k], words), last_words(w->keys[key], words)) == 0)
            words++;
    snprintf(text, size, "%s", last_words(w->keys[key], words));
    return text;
}

const char *sweep_describe(const sweep *w, const sweep_run *run, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0; k < w->key_count && used < size; k++) {
        char word[128];
        if (!run->values[k][0]) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s %s", used ? ", " : "",
                                 sweep_short_key(w, k, word, sizeof word), run->values[k]);
    }
    if (!used) snprintf(text, size, "the scene itself");
    return text;
}

/* ---- Names. A name depends on the values of its run alone, so that it stays the same when a sweep grows. */
static uint64_t hash_text(uint64_t hash, const char *text) { /* FNV-1a, with the zero at the end */
    do hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    while (*text++);
    return hash;
}

static int is_plain(const char *text) {
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-")] == 0;
}

/* Letters, digits and .+- as they are; other runs of characters become '_'. Returns whether different texts have
 * different results: so it is for plain words, and lists of them, such as [0,0,5]. */
static int add_words(char *name, size_t *used, const char *text) {
    int faithful = is_plain(text), gap = 0;
    if (!faithful && text[0] == '[' && strchr(text, ',')) {
        size_t inside = strlen(text) - 2;
        faithful = text[inside + 1] == ']' && strcspn(text + 1, "[] {}\"_\t") == inside;
    }
    for (; *text && *used < LONGEST_NAME; text++) {
        char one[2] = {*text, 0};
        if (!is_plain(one) && !(*text == '_')) {
            gap = 1;
            continue;
        }
        if (gap && *used && name[*used - 1] != '=') name[(*used)++] = '_';
        gap = 0;
        name[(*used)++] = *text;
    }
    return faithful;
}

static int name_run(session *s, sweep *w, sweep_run *run) {
    char name[LONGEST_NAME + 32] = "";
    size_t used = 0;
    int faithful = 1;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t k = 0; k < w->key_count; k++) {
        char key[128];
        hash = hash_text(hash_text(hash, w->keys[k]), run->values[k]);
        if (!run->values[k][0]) continue;
        if (used && used < LONGEST_NAME) name[used++] = ',';
        add_words(name, &used, sweep_short_key(w, k, key, sizeof key));
        if (used < LONGEST_NAME) name[used++] = '=';
        faithful &= add_words(name, &used, run->values[k]);
    }
    if (!used) used = (size_t)snprintf(name, sizeof name, "scene");
    if (!faithful || used >= LONGEST_NAME)
        snprintf(name + used, sizeof name - used, "-%08x", (unsigned)(hash ^ hash >> 32));
    run->name = keep_text(w, name);
    return run->name ? 0 : session_no_memory(s);
}

static sweep_run *find_run(const sweep *w, const char *name, size_t among) {
    for (size_t i = 0; i < among; i++)
        if (strcmp(w->runs[i].name, name) == 0) return &w->runs[i];
    return NULL;
}

/* ---- Reading and writing the plan. */
static int fail_read(session *s, const char *path) {
    return session_error(s, EXIT_INPUT, "%s: can't be read: %s", path,
                         errno == EINVAL ? "it is not a plain file" : strerror(errno));
}

static int read_facts(session *s, sweep *w) {
    sweep_path path;
    char line[SWEEP_PATH];
    FILE *file = sweep_read(sweep_file(w, "sweep.txt", NULL, "", path));
    if (!file) return fail_read(s, path);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "scene ", 6) == 0) snprintf(w->scene, sizeof w->scene, "%.2100s", line + 6);
        if (strncmp(line, "isa ", 4) == 0) snprintf(w->isa, sizeof w->isa, "%.15s", line + 4);
    }
    fclose(file);
    if (w->scene[0] && w->isa[0]) return 0;
    return session_error(s, EXIT_INPUT,
                         "%s: names no scene or no instruction set; remove the directory and start again", path);
}

static int take_plan(session *s, sweep *w, const sweep_table *table) {
    if (table->column_count < 3 || strcmp(sweep_cell(table, 0, 1), "name") != 0)
        return session_error(s, EXIT_INPUT,
                             "%s/plan.csv: is not the plan of a sweep; remove the directory and start again",
                             w->directory);
    w->key_count = table->column_count - 2;
    w->keys = keep(w, w->key_count * sizeof *w->keys);
    w->runs = keep(w, table->row_count * sizeof *w->runs);
    const char **values = keep(w, table->row_count * w->key_count * sizeof *values);
    if (!w->keys || !w->runs || !values) return session_no_memory(s);
    for (size_t k = 0; k < w->key_count; k++)
        if (!(w->keys[k] = keep_text(w, sweep_cell(table, 0, k + 2)))) return session_no_memory(s);
    for (size_t i = 0; i < table->row_count; i++) {
        sweep_run *run = &w->runs[w->run_count++];
        run->values = values + i * w->key_count;
        run->chosen = 1;
        if (!(run->name = keep_text(w, sweep_cell(table, i + 1, 1)))) return session_no_memory(s);
        if (!run->name[0] || run->name[0] == '.' || strchr(run->name, '/'))
            return session_error(s, EXIT_INPUT, "%s/plan.csv: '%s' is not the name of a run", w->directory, run->name);
        for (size_t k = 0; k < w->key_count; k++)
            if (!(run->values[k] = keep_text(w, sweep_cell(table, i + 1, k + 2)))) return session_no_memory(s);
    }
    return 0;
}

static int set_directory(session *s, sweep *w, const char *directory) {
    char *whole = realpath(directory, NULL);
    if (!whole) return session_error(s, EXIT_INPUT, "%s: %s", directory, strerror(errno));
    int fits = snprintf(w->directory, sizeof w->directory, "%s", whole) < (int)sizeof w->directory;
    free(whole);
    return fits ? 0 : session_error(s, EXIT_INPUT, "%s: the path is too long", directory);
}

int sweep_open(session *s, const char *directory, sweep *out) {
    *out = (sweep){.directory = ""};
    sweep_path path;
    sweep_table table = {0};
    int code = set_directory(s, out, directory);
    if (!code) code = read_facts(s, out);
    /* A table that the user gives may come through a pipe, but not this one. */
    FILE *plan = code ? NULL : sweep_read(sweep_file(out, "plan.csv", NULL, "", path));
    if (!code && !plan) code = fail_read(s, path);
    if (plan) fclose(plan);
    if (!code) code = sweep_table_read(s, path, &table);
    if (!code) code = take_plan(s, out, &table);
    sweep_table_release(&table);
    return code;
}

static void write_cell(FILE *stream, const char *text) {
    int quoted = text[strcspn(text, ",\"\n[{# ")] != 0;
    fputs(quoted ? ",\"" : ",", stream);
    for (; *text; text++) fprintf(stream, quoted && *text == '"' ? "\"\"" : "%c", *text);
    if (quoted) fputc('"', stream);
}

static int write_plan(session *s, const sweep *w) {
    sweep_path path;
    text_file file;
    int code = sweep_output(s, w, "plan.csv", NULL, "", path);
    if (!code) code = text_file_begin(s, &file, path);
    if (code) return code;
    fprintf(file.stream, "run,name");
    for (size_t k = 0; k < w->key_count; k++) write_cell(file.stream, w->keys[k]);
    for (size_t i = 0; i < w->run_count; i++) {
        fprintf(file.stream, "\n%zu", i);
        write_cell(file.stream, w->runs[i].name);
        for (size_t k = 0; k < w->key_count; k++) write_cell(file.stream, w->runs[i].values[k]);
    }
    fprintf(file.stream, "\n");
    code = text_file_end(s, &file);
    if (code) return code;
    /* Last, because it makes the directory a sweep. */
    code = sweep_output(s, w, "sweep.txt", NULL, "", path);
    if (!code) code = text_file_begin(s, &file, path);
    if (code) return code;
    fprintf(file.stream, "ruga sweep 1\nversion %s\nscene %s\nisa %s\n", ruga_version(), w->scene, w->isa);
    return text_file_end(s, &file);
}

/* ---- Combinations. */
static int take_keys(session *s, sweep *w, const sweep_table *axes, size_t axis_count) {
    for (size_t a = 0; a < axis_count; a++) w->key_count += axes[a].column_count;
    w->keys = keep(w, w->key_count * sizeof *w->keys);
    if (!w->keys) return session_no_memory(s);
    size_t k = 0;
    for (size_t a = 0; a < axis_count; a++)
        for (size_t c = 0; c < axes[a].column_count; c++) {
            const char *key = sweep_cell(&axes[a], 0, c);
            if (!key[0]) return session_error(s, EXIT_INPUT, "column %zu of the table has no key", c + 1);
            for (size_t i = 0; i < k; i++)
                if (strcmp(w->keys[i], key) == 0)
                    return session_error(s, EXIT_USAGE,
                                         "the key %s is given twice; list all its values together: "
                                         "--set %s=A,B,C",
                                         key, key);
            if (!(w->keys[k++] = keep_text(w, key))) return session_no_memory(s);
        }
    return 0;
}

/* All combinations of the rows of the axes; the first axis changes last. */
static int combine(session *s, const sweep_table *axes, size_t axis_count, int many, sweep *w) {
    int code = take_keys(s, w, axes, axis_count);
    double product = 1;
    for (size_t a = 0; a < axis_count; a++) product *= (double)axes[a].row_count;
    if (code) return code;
    if (product > SWEEP_MANY && (!many || product > 1e7))
        return session_error(s, EXIT_USAGE, "%.0f combinations are more than %d; vary less at once%s", product,
                             SWEEP_MANY, product > 1e7 ? "" : ", or allow it with --many");
    w->run_count = (size_t)product;
    w->runs = keep(w, w->run_count * sizeof *w->runs);
    const char **values = keep(w, w->run_count * w->key_count * sizeof *values);
    if (!w->runs || !values) return session_no_memory(s);
    for (size_t i = 0; i < w->run_count && !code; i++) {
        sweep_run *run = &w->runs[i];
        size_t left = i, k = w->key_count;
        run->values = values + i * w->key_count;
        run->chosen = 1;
        for (size_t a = axis_count; a-- > 0; left /= axes[a].row_count)
            for (size_t c = axes[a].column_count; c-- > 0;) {
                const char *value = sweep_cell(&axes[a], 1 + left % axes[a].row_count, c);
                if (!(run->values[--k] = keep_text(w, value))) return session_no_memory(s);
            }
        code = name_run(s, w, run);
    }
    return code;
}

static int compare_names(const void *a, const void *b) {
    const sweep_run *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    return order ? order : (*x > *y) - (*x < *y);
}

/* Two rows with the same values are one run too many. */
static int check_names(session *s, const sweep *w) {
    const sweep_run **sorted = malloc((w->run_count + 1) * sizeof *sorted);
    int code = 0;
    if (!sorted) return session_no_memory(s);
    for (size_t i = 0; i < w->run_count; i++) sorted[i] = &w->runs[i];
    qsort(sorted, w->run_count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < w->run_count && !code; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            code = session_error(s, EXIT_USAGE, "run %zu and run %zu have the same values, %s; remove one",
                                 (size_t)(sorted[i - 1] - w->runs), (size_t)(sorted[i] - w->runs), sorted[i]->name);
    free(sorted);
    return code;
}

/* ---- Scenes. */
/* Messages that were printed: many runs have the same mistake. */
typedef struct seen_messages {
    char *texts[MOST_FINDINGS];
    size_t count, errors, more;
} seen_messages;

static void print_once(session *s, seen_messages *seen, const char *text, int is_error) {
    if (is_error) seen->errors++;
    for (size_t i = 0; i < seen->count; i++)
        if (strcmp(seen->texts[i], text) == 0) return;
    if (seen->count == MOST_FINDINGS || !(seen->texts[seen->count] = strdup(text))) {
        seen->more++;
        return;
    }
    seen->count++;
    session_line(s, is_error ? "error" : "warning", "%s", text);
}

static int describe_run(session *s, const sweep *w, const sweep_run *run, seen_messages *seen, ruga_description **out) {
    ruga_status status = ruga_description_read(s->context, w->scene, out);
    if (!*out) return input_code(s, status);
    for (size_t k = 0; k < w->key_count; k++) {
        if (!run->values[k][0]) continue;
        status = ruga_description_set(*out, w->keys[k], run->values[k]);
        if (status == RUGA_ERROR_MEMORY) return output_code(s, status);
        if (!RUGA_FAILED(status)) continue;
        char line[1024];
        snprintf(line, sizeof line, "%s=%.200s: error: %.600s", w->keys[k], run->values[k],
                 ruga_context_message(s->context));
        print_once(s, seen, line, 1);
    }
    return 0;
}

/* Whether a run has a value that no run before it has: such runs are built, which finds all that can be found. The
 * values of other runs are checked one by one; what is wrong about their combination, their own run reports. */
static int has_new_value(const sweep *w, size_t i, const size_t *firsts) {
    for (size_t k = 0; k < w->key_count; k++)
        if (firsts[i * w->key_count + k] == i) return 1;
    return i == 0;
}

typedef struct keyed_value {
    const char *value;
    size_t run;
} keyed_value;

static int compare_values(const void *a, const void *b) {
    const keyed_value *x = a, *y = b;
    int order = strcmp(x->value, y->value);
    return order ? order : (x->run > y->run) - (x->run < y->run);
}

/* For each value the first run that has it. */
static int find_firsts(session *s, const sweep *w, size_t *firsts) {
    keyed_value *sorted = malloc((w->run_count + 1) * sizeof *sorted);
    if (!sorted) return session_no_memory(s);
    for (size_t k = 0; k < w->key_count; k++) {
        for (size_t i = 0; i < w->run_count; i++) sorted[i] = (keyed_value){w->runs[i].values[k], i};
        qsort(sorted, w->run_count, sizeof *sorted, compare_values);
        size_t first = 0;
        for (size_t i = 0; i < w->run_count; i++) {
            if (i == 0 || strcmp(sorted[i].value, sorted[i - 1].value) != 0) first = sorted[i].run;
            firsts[sorted[i].run * w->key_count + k] = first;
        }
    }
    free(sorted);
    return 0;
}

static int check_run(session *s, const sweep *w, const sweep_run *run, int build, seen_messages *seen) {
    ruga_description *description = NULL;
    size_t errors = seen->errors;
    int code = describe_run(s, w, run, seen, &description);
    if (!code && build && seen->errors == errors) code = scene_check(s, description);
    for (size_t i = 0; description && i < ruga_description_finding_count(description) && !code; i++) {
        const ruga_finding *f = ruga_description_finding(description, i);
        char line[2048], place[32] = "";
        int is_error = RUGA_FAILED(f->status);
        if (!is_error && s->quiet) continue;
        if (f->line) snprintf(place, sizeof place, "%u:%u:", f->line, f->column);
        snprintf(line, sizeof line, "%.500s:%s %s: %.200s%s%.1000s", w->scene, place, is_error ? "error" : "warning",
                 f->path ? f->path : "", f->path && f->path[0] ? ": " : "", f->message);
        print_once(s, seen, line, is_error);
    }
    ruga_description_destroy(description);
    return code;
}

static int check_all(session *s, const sweep *w) {
    size_t *firsts = malloc((w->run_count * w->key_count + 1) * sizeof *firsts), wrong = 0;
    seen_messages seen = {.count = 0};
    int code = firsts ? find_firsts(s, w, firsts) : session_no_memory(s);
    for (size_t i = 0; i < w->run_count && !code; i++) {
        size_t errors = seen.errors;
        progress_part(&s->bar, "checking", i, w->run_count);
        code = session_interrupted(s);
        if (!code) code = check_run(s, w, &w->runs[i], has_new_value(w, i, firsts), &seen);
        wrong += seen.errors > errors;
    }
    progress_part(&s->bar, NULL, 0, 0);
    if (!code && seen.more) session_line(s, "note", "… and %zu more", seen.more);
    if (!code && wrong)
        code =
            session_error(s, EXIT_INPUT, "%zu of %zu combinations have errors; nothing was run", wrong, w->run_count);
    for (size_t i = 0; i < seen.count; i++) free(seen.texts[i]);
    free(firsts);
    return code;
}

static int is_same_text(const char *path, const char *text, size_t size) {
    FILE *file = sweep_read(path);
    char block[4096];
    size_t at = 0, got = 0;
    int same = file != NULL;
    while (same && (got = fread(block, 1, sizeof block, file)) > 0) {
        same = at + got <= size && memcmp(block, text + at, got) == 0;
        at += got;
    }
    if (file) fclose(file);
    return same && at == size;
}

/* Writes the scenes that are not there, or were changed. Without `write`, counts the changed ones only. */
static int write_scenes(session *s, const sweep *w, int write, size_t *changed) {
    seen_messages seen = {.count = 0};
    int code = 0;
    *changed = 0;
    for (size_t i = 0; i < w->run_count && !code; i++) {
        ruga_description *description = NULL;
        char *text = NULL;
        size_t size = 0;
        sweep_path path, result;
        sweep_file(w, "scenes/", w->runs[i].name, ".json", path);
        int exists = access(path, F_OK) == 0;
        code = session_interrupted(s);
        if (code || (!exists && !write)) continue;
        code = describe_run(s, w, &w->runs[i], &seen, &description);
        if (!code) code = output_code(s, ruga_description_write_memory(description, &text, &size));
        if (!code && (!exists || !is_same_text(path, text, size))) {
            *changed += exists != 0;
            if (write && exists) unlink(sweep_file(w, "results/", w->runs[i].name, ".txt", result));
            if (write) code = sweep_output(s, w, "scenes/", w->runs[i].name, ".json", path);
            if (write && !code) code = write_text_file(s, path, text, size);
        }
        ruga_free(s->context, text);
        ruga_description_destroy(description);
    }
    for (size_t i = 0; i < seen.count; i++) free(seen.texts[i]);
    return code;
}

/* ---- The instruction set. */
static int is_of_machine(ruga_isa isa) {
    ruga_context *context = NULL;
    ruga_context_def def = ruga_context_def_default();
    def.isa = isa;
    def.thread_count = 1;
    ruga_status status = ruga_context_create(&def, &context);
    ruga_context_destroy(context);
    return !RUGA_FAILED(status);
}

/* Runs resume only with the instruction set that began them. So all nodes have to have it. */
static void choose_isa(session *s, const sweep_wishes *wishes, sweep *w) {
    const char *why = "--isa chose it", *isa = wishes->isa;
    if (!isa && getenv("RUGA_ISA") && strcmp(getenv("RUGA_ISA"), "auto") != 0) {
        isa = ruga_isa_name(ruga_context_isa(s->context));
        why = "RUGA_ISA names it";
    } else if (!isa && wishes->for_slurm) {
        int avx2 = is_of_machine(RUGA_ISA_AVX2);
        isa = avx2 ? "avx2" : ruga_isa_name(ruga_context_isa(s->context));
        why = avx2 ? "nearly all nodes have it, so that a requeued run can resume on another; --isa changes it"
                   : "the widest of this machine; --isa changes it";
    } else if (!isa) {
        isa = ruga_isa_name(ruga_context_isa(s->context));
        why = "the widest of this machine; to move the sweep to other machines, choose one that all have: --isa";
    }
    snprintf(w->isa, sizeof w->isa, "%s", isa);
    session_note(s, "all runs use the instruction set %s: %s", w->isa, why);
}

/* ---- Together. */
static const char *const own_names[] = {"scenes", "runs", "results", "logs", ".", ".."};
enum { OWN_FOLDERS = 4 };

static int make_folders(session *s, const sweep *w) {
    sweep_path path;
    int code = 0;
    for (size_t i = 0; i < OWN_FOLDERS && !code; i++)
        code = make_folder(s, sweep_file(w, own_names[i], NULL, "", path));
    return code;
}

/* Whether a directory has anything but what a plan begins with. */
static int is_occupied(const char *directory) {
    DIR *list = opendir(directory);
    int occupied = 0;
    for (struct dirent *entry; list && !occupied && (entry = readdir(list));) {
        /* Also a temporary file of a plan that was killed while it was written. */
        occupied = strncmp(entry->d_name, "plan.csv", 8) != 0 && strncmp(entry->d_name, "sweep.txt.", 10) != 0;
        for (size_t i = 0; i < sizeof own_names / sizeof own_names[0]; i++)
            occupied &= strcmp(entry->d_name, own_names[i]) != 0;
    }
    if (list) closedir(list);
    return occupied;
}

/* A sweep grows by further values of the same keys of the same scene. */
static int check_same_sweep(session *s, const sweep *old, const sweep *wanted, const char *isa) {
    char keys[512] = "";
    int same = old->key_count == wanted->key_count;
    for (size_t k = 0; k < old->key_count; k++) {
        size_t used = strlen(keys);
        snprintf(keys + used, sizeof keys - used, "%s%s", k ? ", " : "", old->keys[k]);
        same = same && strcmp(old->keys[k], wanted->keys[k]) == 0;
    }
    if (strcmp(old->scene, wanted->scene) != 0)
        return session_error(s, EXIT_INPUT, "%s: holds a sweep of another scene, %s; choose another directory: -o DIR",
                             old->directory, old->scene);
    if (!same)
        return session_error(s, EXIT_INPUT, "%s: holds a sweep over other keys, %s; choose another directory: -o DIR",
                             old->directory, keys);
    if (isa && strcmp(isa, old->isa) != 0)
        return session_error(s, EXIT_USAGE,
                             "%s: this sweep uses the instruction set %s; choose another directory for %s: -o DIR",
                             old->directory, old->isa, isa);
    return 0;
}

/* Adds the runs of `wanted` that are not in the sweep yet, at the end, so that numbers stay what they are. */
static int add_runs(session *s, const sweep *wanted, sweep *w) {
    size_t before = w->run_count;
    sweep_run *runs = keep(w, (before + wanted->run_count) * sizeof *runs);
    if (!runs) return session_no_memory(s);
    memcpy(runs, w->runs, before * sizeof *runs);
    w->runs = runs;
    for (size_t i = 0; i < wanted->run_count; i++) {
        const sweep_run *from = &wanted->runs[i];
        if (find_run(w, from->name, before)) continue;
        sweep_run *run = &w->runs[w->run_count++];
        run->chosen = 1;
        run->name = keep_text(w, from->name);
        run->values = keep(w, w->key_count * sizeof *run->values);
        if (!run->name || !run->values) return session_no_memory(s);
        for (size_t k = 0; k < w->key_count; k++)
            if (!(run->values[k] = keep_text(w, from->values[k]))) return session_no_memory(s);
    }
    return 0;
}

/* Joins what is wanted with what is in the directory. */
static int join(session *s, const sweep_wishes *wishes, sweep *wanted, sweep *w) {
    if (!sweep_is_directory(wanted->directory)) {
        if (is_occupied(wanted->directory))
            return session_error(s, EXIT_INPUT, "%s: holds other files and no sweep; choose another directory: -o DIR",
                                 wanted->directory);
        choose_isa(s, wishes, wanted);
        *w = *wanted;
        *wanted = (sweep){.directory = ""};
        return 0;
    }
    size_t changed = 0;
    int code = sweep_open(s, wanted->directory, w);
    if (!code) code = check_same_sweep(s, w, wanted, wishes->isa);
    if (!code) code = add_runs(s, wanted, w);
    if (!code) code = write_scenes(s, w, 0, &changed);
    if (!code && changed && !wishes->replace)
        code = session_error(s, EXIT_INPUT,
                             "%s: the scene was changed since %zu of the runs were planned; --replace runs them again, "
                             "-o DIR starts another sweep",
                             w->directory, changed);
    return code;
}

int sweep_plan(session *s, const char *scene, const sweep_table *axes, size_t axis_count, const char *directory,
               const sweep_wishes *wishes, sweep *out) {
    *out = (sweep){.directory = ""};
    sweep wanted = {.directory = ""};
    char *whole = realpath(scene, NULL);
    if (!whole) return session_error(s, EXIT_INPUT, "%s: can't be read: %s", scene, strerror(errno));
    int code = snprintf(wanted.scene, sizeof wanted.scene, "%s", whole) < (int)sizeof wanted.scene
                   ? 0
                   : session_error(s, EXIT_INPUT, "%s: the path is too long", scene);
    free(whole);
    if (!code) code = combine(s, axes, axis_count, wishes->many, &wanted);
    if (!code) code = check_names(s, &wanted);
    if (!code) code = check_all(s, &wanted);
    if (!code) code = make_folder(s, directory);
    if (!code) code = set_directory(s, &wanted, directory);
    /* The chunks of a farm plan at the same time. Where a directory can't be locked, they write the same. */
    int lock = code ? -1 : open(wanted.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0) (void)flock(lock, LOCK_EX);
    size_t changed;
    if (!code) code = join(s, wishes, &wanted, out);
    if (!code) code = make_folders(s, out);
    if (!code) code = write_scenes(s, out, 1, &changed);
    if (!code) code = write_plan(s, out);
    if (lock >= 0) close(lock);
    sweep_release(&wanted);
    return code;
}
