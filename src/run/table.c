/* Tables of a run as CSV by RFC 4180: "frame,time.predict [s]", then one line per frame. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "run/run.h"

/* ---- Writing. */

/* A name, quoted where CSV requires it. */
static ruga_status write_name(file *f, const ruga_measure *column) {
    const int quoted = strpbrk(column->name, ",\"\r\n") != NULL;
    TRY(file_write(f, quoted ? ",\"" : ",", quoted ? 2 : 1));
    for (const char *at = column->name; *at; at++) {
        if (*at == '"') TRY(file_write(f, "\"", 1));
        TRY(file_write(f, *at == '\n' || *at == '\r' ? " " : at, 1));
    }
    return file_print(f, " [%s]%s", column->unit, quoted ? "\"" : "");
}

ruga_status table_write_names(file *f, const ruga_measure *columns, size_t count) {
    TRY(file_write(f, "frame", 5));
    for (size_t i = 0; i < count; i++) TRY(write_name(f, &columns[i]));
    return file_write(f, "\n", 1);
}

ruga_status table_write_row(file *f, int frame, const double *values, size_t count) {
    char text[NUMBER_CAPACITY + 1];
    TRY(file_write(f, text, number_print_whole(frame, text)));
    text[0] = ',';
    for (size_t i = 0; i < count; i++) TRY(file_write(f, text, 1 + number_print(values[i], text + 1)));
    return file_write(f, "\n", 1);
}

/* ---- Reading. */

typedef struct table_reader {
    ruga_context *context;
    const char *path;
    const char *at, *end; /* of the whole lines */
    size_t line;          /* from 1 */
    arena *memory;
} table_reader;

static ruga_status fail_line(const table_reader *r, const char *what) {
    return fail_input(r->context, "%s:%zu: %s", r->path, r->line, what);
}

/* Copies the next field of a line without its quotes. Stops before the ',' or the end of the line. */
static ruga_status next_name(table_reader *r, char **out) {
    const int quoted = *r->at == '"';
    const size_t room = strcspn(r->at, quoted ? "\n" : ",\n") + 1;
    char *text = NULL;
    TRY(ARENA_NEW(r->memory, &text, room));
    *out = text;
    int open = quoted;
    for (r->at += quoted; *r->at != '\n' && (quoted || *r->at != ','); r->at++) {
        open = quoted && (*r->at != '"' || *++r->at == '"');
        if (quoted && !open) break;
        *text++ = *r->at;
    }
    *text = 0;
    if (open || (*r->at != ',' && *r->at != '\n'))
        return fail_line(r, "text follows the closing quotation mark of a name, or the mark is missing");
    return RUGA_OK;
}

/* "time.predict [s]" */
static ruga_status take_name(const table_reader *r, char *text, int is_time, ruga_measure *out) {
    char *unit = NULL;
    for (char *at = text; (at = strstr(at, " [")) != NULL; at++) unit = at;
    const size_t length = unit ? strlen(unit) : 0;
    if (length < 3 || unit[length - 1] != ']')
        return fail_line(r, "expected the name of a column with its unit, such as: energy [J]");
    unit[0] = unit[length - 1] = 0;
    *out = (ruga_measure){.name = text, .unit = unit + 2, .is_time = is_time};
    return RUGA_OK;
}

static ruga_status read_names(table_reader *r, int is_time, run_table *out) {
    size_t count = 0;
    for (const char *at = r->at; *at != '\n'; at++) count += *at == ',';
    TRY(ARENA_NEW(r->memory, &out->columns, count + 1));
    if (strncmp(r->at, "frame", 5) != 0 || (r->at[5] != ',' && r->at[5] != '\n'))
        return fail_line(r, "expected a table whose first column is: frame");
    r->at += 5;
    while (*r->at == ',') {
        char *text = NULL;
        r->at++;
        TRY(next_name(r, &text));
        TRY(take_name(r, text, is_time, &out->columns[out->column_count++]));
    }
    r->at++;
    return RUGA_OK;
}

static ruga_status read_row(table_reader *r, int frame, size_t count, double *values) {
    int64_t number = 0;
    const char *next = number_parse_whole(r->at, r->end, &number);
    if (next == r->at || number != frame)
        return fail_input(r->context, "%s:%zu: expected the line of frame %d", r->path, r->line, frame);
    r->at = next;
    for (size_t i = 0; i < count; i++) {
        next = *r->at == ',' ? number_parse(r->at + 1, r->end, &values[i]) : r->at;
        if (next <= r->at + 1)
            return fail_input(r->context, "%s:%zu: expected a number in column %zu of %zu", r->path, r->line, i + 2,
                              count + 1);
        r->at = next;
    }
    if (*r->at != '\n') return fail_line(r, "this line has more values than the table has columns");
    r->at++;
    return RUGA_OK;
}

static ruga_status read_rows(table_reader *r, int start_frame, run_table *out) {
    size_t rows = 0;
    for (const char *at = r->at; at < r->end; at++) rows += *at == '\n';
    double *values = NULL;
    TRY(NEW(r->context, &values, rows * out->column_count));
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < rows && !RUGA_FAILED(status); i++) {
        r->line++;
        status = read_row(r, start_frame + (int)i, out->column_count, values + i * out->column_count);
    }
    TRY_OR(status, memory_release(r->context, values));
    out->row_count = rows;
    out->values = values;
    return RUGA_OK;
}

static ruga_status read_text(table_reader *r, int start_frame, int is_time, run_table *out) {
    while (r->end > r->at && r->end[-1] != '\n') r->end--;
    if (r->end == r->at) return RUGA_OK;
    if (memchr(r->at, 0, (size_t)(r->end - r->at))) return fail_line(r, "expected a table, but found a zero byte");
    TRY(read_names(r, is_time, out));
    return read_rows(r, start_frame, out);
}

ruga_status table_read(ruga_context *context, const char *path, int start_frame, int is_time, arena *memory,
                       run_table *out) {
    *out = (run_table){0};
    int found = 0;
    uint64_t file_bytes;
    TRY(file_look(context, path, &found, &file_bytes));
    if (!found) return RUGA_OK;
    unsigned char *text = NULL;
    size_t size = 0;
    TRY(file_read_whole(context, path, &text, &size));
    table_reader reader = {context, path, (const char *)text, (const char *)text + size, 1, memory};
    ruga_status status = read_text(&reader, start_frame, is_time, out);
    memory_release(context, text);
    return status;
}
