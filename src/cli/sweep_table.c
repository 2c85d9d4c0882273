/* Tables of values for sweeps: lists of --set, and CSV files. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

const char *sweep_cell(const sweep_table *table, size_t row, size_t column) {
    return table->cells[row * table->column_count + column];
}

void sweep_table_release(sweep_table *table) {
    free(table->text);
    free(table->cells);
    *table = (sweep_table){0};
}

static int add_cell(session *s, sweep_table *table, size_t count, char *cell) {
    /* The room doubles at powers of two. */
    if ((count & (count - 1)) == 0) {
        const char **larger = realloc(table->cells, (count ? 2 * count : 1) * sizeof *larger);
        if (!larger) return session_no_memory(s);
        table->cells = larger;
    }
    table->cells[count] = cell;
    return 0;
}

/* The end of a value: a comma outside of brackets, braces and quotes, or the end of the line. NULL: one of them is
 * not closed. */
static char *find_end(char *at) {
    int depth = 0, quoted = 0;
    for (; *at && *at != '\n'; at++) {
        if (quoted && *at == '\\' && at[1] && at[1] != '\n')
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && (*at == '[' || *at == '{'))
            depth++;
        else if (!quoted && (*at == ']' || *at == '}'))
            depth--;
        else if (*at == ',' && !quoted && depth <= 0)
            break;
    }
    return quoted || depth > 0 ? NULL : at;
}

static char *trim(char *from, char *end) {
    while (from < end && isspace((unsigned char)*from)) from++;
    while (end > from && isspace((unsigned char)end[-1])) end--;
    *end = 0;
    return from;
}

/* ---- --set. */
int sweep_table_split(session *s, const char *text, sweep_table *out) {
    *out = (sweep_table){.column_count = 1, .text = strdup(text)};
    if (!out->text) return session_no_memory(s);
    char *at = strchr(out->text, '=');
    if (!at || at == out->text)
        return session_error(s, EXIT_USAGE, "--set takes KEY=A,B,C, such as time.substeps=2,4,8, not '%s'", text);
    int code = add_cell(s, out, 0, trim(out->text, at++));
    for (int more = 1; more && !code;) {
        char *end = find_end(at);
        if (!end || *end == '\n')
            return session_error(s, EXIT_USAGE, "--set %s: a bracket or a quote is not closed", text);
        more = *end == ',';
        char *value = trim(at, end);
        if (!*value)
            return session_error(s, EXIT_USAGE, "--set %s: value %zu is empty; give values with commas between them",
                                 text, out->row_count + 1);
        code = add_cell(s, out, ++out->row_count, value);
        at = end + 1;
    }
    return code;
}

/* ---- CSV. */
/* Removes the quotes of a cell in place; returns the first character after it, NULL if the quote is not closed. */
static char *unquote(char *at) {
    char *to = at;
    for (char *from = at + 1; *from; from++) {
        if (*from == '"' && from[1] != '"') {
            *to = 0;
            return from + 1;
        }
        from += *from == '"';
        *to++ = *from;
    }
    return NULL;
}

/* One line, of which `at` is the first character; the cells go to the table. Returns the line after it. */
static char *read_line(session *s, sweep_table *table, char *at, size_t *cell_count, size_t *columns, int *code) {
    for (*columns = 1;; ++*columns) {
        at += strspn(at, " \t");
        char *cell = at, *end;
        const int quoted = *at == '"';
        if (quoted) {
            end = unquote(at);
            if (end) end += strspn(end, " \t\r");
            if (end && *end && *end != ',' && *end != '\n') end = NULL;
        } else
            end = find_end(at);
        if (!end) {
            *code = EXIT_INPUT;
            return NULL;
        }
        char stop = *end;
        if (!quoted) cell = trim(at, end);
        *code = add_cell(s, table, (*cell_count)++, cell);
        at = end + (stop != 0);
        if (*code || stop != ',') return at;
    }
}

static int parse(session *s, const char *path, sweep_table *table) {
    char *at = table->text;
    size_t cells = 0, line = 0;
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
    while (*at) {
        line++;
        if (*at == '#' || strspn(at, " \t\r") == strcspn(at, "\n")) {
            at += strcspn(at, "\n");
            at += *at == '\n';
            continue;
        }
        size_t columns = 0;
        int code = 0;
        at = read_line(s, table, at, &cells, &columns, &code);
        if (code == EXIT_INPUT)
            return session_error(s, code, "%s:%zu: a quote or a bracket is not closed, or text follows a quote", path,
                                 line);
        if (code) return code;
        if (!table->column_count) {
            table->column_count = columns;
            continue;
        }
        if (columns != table->column_count)
            return session_error(s, EXIT_INPUT, "%s:%zu: %zu cells, but the first line has %zu keys", path, line,
                                 columns, table->column_count);
        table->row_count++;
    }
    if (table->row_count == 0)
        return session_error(s, EXIT_INPUT, "%s: has no rows; the first line has the keys, each further line one run",
                             path);
    return 0;
}

static int read_whole(session *s, const char *path, char **text) {
    FILE *file = fopen(path, "rb");
    size_t size = 0, capacity = 0;
    *text = NULL;
    if (!file) return session_error(s, EXIT_INPUT, "%s: can't be read: %s", path, strerror(errno));
    do {
        if (capacity - size < 4096) {
            char *larger = realloc(*text, capacity = 2 * capacity + 8192);
            if (!larger) {
                fclose(file);
                return session_no_memory(s);
            }
            *text = larger;
        }
        size += fread(*text + size, 1, capacity - size - 1, file);
    } while (!feof(file) && !ferror(file) && size < (size_t)64 << 20);
    int failed = ferror(file);
    (*text)[size] = 0;
    fclose(file);
    if (failed) return session_error(s, EXIT_INPUT, "%s: can't be read: %s", path, strerror(errno));
    return strlen(*text) == size ? 0 : session_error(s, EXIT_INPUT, "%s: is no text", path);
}

int sweep_table_read(session *s, const char *path, sweep_table *out) {
    *out = (sweep_table){0};
    int code = read_whole(s, path, &out->text);
    return code ? code : parse(s, path, out);
}
