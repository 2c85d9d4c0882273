/* Texts of lengths: a line for each frame, a number for each stroke. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sculpting.h"

#define BETWEEN ",; \t\r\n"
enum { MAX_LINE = 65536, MAX_COLUMNS = 4096, FIRST_ROOM = 64 };

typedef struct length_reader {
    session *s;
    const char *path;
    const ruga_strokes *strokes;
    size_t line;
    size_t columns;             /* 0: not known yet */
    size_t owners[MAX_COLUMNS]; /* stroke of each column */
    size_t room;                /* frames */
    length_table *table;
} length_reader;

static int fail_line(const length_reader *r, const char *what, const char *found) {
    return session_error(r->s, EXIT_INPUT, "%s:%zu: %s '%.60s'", r->path, r->line, what, found);
}

/* ---- Whose a column is. */

static int find_stroke(const length_reader *r, const char *name, size_t *out) {
    size_t count = ruga_strokes_count(r->strokes);
    for (*out = 0; *out < count; ++*out)
        if (strcmp(ruga_strokes_get(r->strokes, *out).name, name) == 0) return 0;
    return fail_line(r, "there is no stroke called", name);
}

static int read_names(length_reader *r, char *line) {
    for (char *rest = NULL, *word = strtok_r(line, ",;\t\r\n", &rest); word; word = strtok_r(NULL, ",;\t\r\n", &rest)) {
        while (*word == ' ' || *word == '"') word++;
        size_t length = strlen(word);
        while (length > 0 && strchr(" \"", word[length - 1])) word[--length] = 0;
        if (r->columns == MAX_COLUMNS) return fail_line(r, "too many columns at", word);
        int code = find_stroke(r, word, &r->owners[r->columns]);
        if (code) return code;
        r->columns++;
    }
    return 0;
}

static int take_order(length_reader *r, size_t columns) {
    if (columns != 1 && columns != r->table->strokes)
        return session_error(r->s, EXIT_INPUT,
                             "%s:%zu: %zu numbers; expected one for all strokes, or one for each of the %zu", r->path,
                             r->line, columns, r->table->strokes);
    r->columns = columns;
    for (size_t i = 0; i < columns; i++) r->owners[i] = i;
    return 0;
}

/* ---- Numbers. */

static int make_room(length_reader *r) {
    length_table *t = r->table;
    if (t->frames < r->room) return 0;
    r->room = r->room ? 2 * r->room : FIRST_ROOM;
    double *values = realloc(t->values, (r->room * t->strokes + 1) * sizeof *values);
    if (!values) return session_no_memory(r->s);
    t->values = values;
    return 0;
}

static int read_numbers(length_reader *r, char *line, double *numbers, size_t *count) {
    *count = 0;
    for (char *rest = NULL, *word = strtok_r(line, BETWEEN, &rest); word; word = strtok_r(NULL, BETWEEN, &rest)) {
        char *end;
        double number = strtod(word, &end);
        if (*end || !isfinite(number) || number < 0 || number > 100)
            return fail_line(r, "expected lengths over those of the curves, from 0 to 100, but found", word);
        if (*count == MAX_COLUMNS) return fail_line(r, "too many numbers at", word);
        numbers[(*count)++] = number;
    }
    return 0;
}

static int read_frame(length_reader *r, char *line) {
    double numbers[MAX_COLUMNS];
    size_t count;
    int code = read_numbers(r, line, numbers, &count);
    if (!code && r->columns == 0) code = take_order(r, count);
    if (!code && count != r->columns)
        code = session_error(r->s, EXIT_INPUT, "%s:%zu: %zu numbers, but the lines before have %zu", r->path, r->line,
                             count, r->columns);
    if (!code) code = make_room(r);
    if (code) return code;
    double *frame = r->table->values + r->table->frames++ * r->table->strokes;
    for (size_t i = 0; i < r->table->strokes; i++) frame[i] = count == 1 && r->owners[0] == 0 ? numbers[0] : NAN;
    for (size_t i = 0; i < count; i++) frame[r->owners[i]] = numbers[i];
    return 0;
}

static int is_number(const char *line) {
    char *end;
    line += strspn(line, BETWEEN);
    strtod(line, &end);
    return end != line && (!*end || strchr(BETWEEN, *end));
}

static int read_line(length_reader *r, char *line) {
    line[strcspn(line, "#")] = 0;
    if (!line[strspn(line, BETWEEN)]) return 0;
    if (r->columns == 0 && !is_number(line)) return read_names(r, line);
    return read_frame(r, line);
}

static int read_lines(length_reader *r, FILE *file) {
    static char line[MAX_LINE];
    int code = 0;
    while (!code && fgets(line, sizeof line, file)) {
        r->line++;
        if (!strchr(line, '\n') && !feof(file)) return fail_line(r, "the line is too long:", line);
        code = read_line(r, line);
    }
    if (!code && r->table->frames == 0)
        code = session_error(r->s, EXIT_INPUT, "%s: has no numbers; it takes a line for each frame", r->path);
    return code;
}

int length_table_read(session *s, const char *path, const ruga_strokes *strokes, length_table *out) {
    *out = (length_table){.strokes = ruga_strokes_count(strokes)};
    FILE *file = fopen(path, "r");
    if (!file) return session_error(s, EXIT_INPUT, "%s: can't be read: there is no such file, or it may not be", path);
    length_reader *r = calloc(1, sizeof *r);
    int code = r ? 0 : session_no_memory(s);
    if (!code) {
        *r = (length_reader){.s = s, .path = path, .strokes = strokes, .table = out};
        code = read_lines(r, file);
    }
    free(r);
    fclose(file);
    return code;
}

void length_table_release(length_table *table) {
    free(table->values);
    *table = (length_table){0};
}
