#include "body/param_file.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "mesh/param.h"

/* ---- A text with a number a line; lines that are empty or begin with # are skipped. */

typedef struct number_text {
    ruga_context *context;
    const char *path, *at, *end;
    size_t line;
} number_text;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* The next line that is neither empty nor a comment; 0 at the end. */
static int next_line(number_text *text, const char **begin, const char **end) {
    while (text->at < text->end) {
        const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
        const char *from = text->at, *to = newline ? newline : text->end;
        text->at = newline ? newline + 1 : text->end;
        text->line++;
        while (from < to && is_blank(*from)) from++;
        while (to > from && is_blank(to[-1])) to--;
        *begin = from;
        *end = to;
        if (from < to && *from != '#') return 1;
    }
    return 0;
}

static ruga_status parse_numbers(number_text *text, size_t count, double *values) {
    size_t found = 0;
    for (const char *begin, *end; next_line(text, &begin, &end); found++) {
        double value = 0;
        if (number_parse(begin, end, &value) != end || !isfinite(value))
            return fail_input(text->context, "%s:%zu: \"%.*s\" is not a number; each line needs one", text->path,
                              text->line, (int)(end - begin < 40 ? end - begin : 40), begin);
        if (found < count) values[found] = value;
    }
    if (found == count) return RUGA_OK;
    return fail_input(text->context,
                      "%s:%zu: the file has %zu numbers, but the mesh that they are for has %zu vertices", text->path,
                      text->line, found, count);
}

static ruga_status load_file(arena *memory, size_t vertex_count, ruga_param *param) {
    ruga_context *context = memory->context;
    double *values = NULL;
    TRY(ARENA_NEW(memory, &values, vertex_count + 1));
    unsigned char *bytes = NULL;
    size_t size = 0;
    TRY(file_read_whole(context, param->file, &bytes, &size));
    number_text text = {context, param->file, (const char *)bytes, (const char *)bytes + size, 0};
    ruga_status status = parse_numbers(&text, vertex_count, values);
    memory_release(context, bytes);
    param->array = values;
    param->array_count = vertex_count;
    return status;
}

static ruga_status copy_name(arena *memory, const char **name) {
    if (!*name) return RUGA_OK;
    *name = arena_copy_text(memory, *name, strlen(*name));
    return *name ? RUGA_OK : fail_memory(memory->context, 1);
}

/* One that holds no keys. */
static ruga_status load_plain(arena *memory, const ruga_param *param, size_t vertex_count, ruga_param *out) {
    *out = *param;
    TRY(copy_name(memory, &out->attribute));
    TRY(copy_name(memory, &out->unit));
    if (param->kind != RUGA_PARAM_ARRAY) return RUGA_OK;
    if (!param->array && param->file) return load_file(memory, vertex_count, out);
    if (!param->array || param->array_count != vertex_count) return RUGA_OK; /* evaluating it reports that */
    double *values = NULL;
    TRY(ARENA_NEW(memory, &values, vertex_count + 1));
    memcpy(values, param->array, vertex_count * sizeof *values);
    out->array = values;
    return RUGA_OK;
}

ruga_status param_load(arena *memory, const ruga_param *param, size_t vertex_count, ruga_param *out) {
    TRY(load_plain(memory, param, vertex_count, out));
    if (param->kind != RUGA_PARAM_KEYS || param->key_count == 0 || !param->keys) return RUGA_OK;
    ruga_param_key *keys = NULL;
    ruga_param *values = NULL;
    TRY(ARENA_NEW(memory, &keys, param->key_count));
    TRY(ARENA_NEW(memory, &values, param->key_count));
    for (size_t k = 0; k < param->key_count; k++) {
        keys[k] = param->keys[k];
        if (!keys[k].value) continue;
        TRY(load_plain(memory, keys[k].value, vertex_count, &values[k]));
        keys[k].value = &values[k];
    }
    out->keys = keys;
    return RUGA_OK;
}

static ruga_status resolve_selector(arena *memory, const ruga_mesh *mesh, int only_numbered, ruga_param *param) {
    double *values = NULL;
    if (param->kind != RUGA_PARAM_SELECTOR) return RUGA_OK;
    if (only_numbered) {
        int has_numbers;
        TRY(param_has_numbers(param->attribute, mesh, &has_numbers));
        if (!has_numbers) return RUGA_OK;
    }
    TRY(ARENA_NEW(memory, &values, mesh->vertex_count + 1));
    TRY(param_select(param->attribute, mesh, values));
    for (size_t v = 0; v < mesh->vertex_count; v++) values[v] = param_map(param, values[v]);
    param->kind = RUGA_PARAM_ARRAY;
    param->array = values;
    param->array_count = mesh->vertex_count;
    return RUGA_OK;
}

ruga_status param_resolve_selectors(arena *memory, const ruga_mesh *mesh, int only_numbered, ruga_param *param) {
    TRY(resolve_selector(memory, mesh, only_numbered, param));
    for (size_t k = 0; param->kind == RUGA_PARAM_KEYS && param->keys && k < param->key_count; k++)
        if (param->keys[k].value)
            TRY(resolve_selector(memory, mesh, only_numbered, (ruga_param *)param->keys[k].value));
    return RUGA_OK;
}

void param_limit(const ruga_field *field, ruga_param *param) {
    if (param->low == param->high) {
        param->low = field->low;
        param->high = field->high;
    }
    if (!param->unit) param->unit = field->unit;
}

int param_is_absent(const ruga_param *param) { return param->kind == RUGA_PARAM_CONSTANT && isnan(param->constant); }
