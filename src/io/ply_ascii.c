/* Rows of a PLY file from text: each number is put down in its property's type, as a binary file would have it, so
 * that only one reader has to know what rows mean. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "io/ply.h"

typedef struct text_reader {
    ply_input *input;
    const char *at, *end;
    unsigned line;
    const ply_element *element;
    ARRAY(unsigned char) rows;
} text_reader;

static void skip_blanks(text_reader *r) {
    for (; r->at < r->end; r->at++) {
        if (*r->at == '\n')
            r->line++;
        else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r')
            return;
    }
}

static ruga_status fail_number(const text_reader *r, const char *begin, const ply_property *property,
                               const char *type) {
    int length = 0;
    while (begin + length < r->end && length < 40 && (unsigned char)begin[length] > ' ') length++;
    return fail_input(r->input->context, "%s:%u: property %s of element %s: \"%.*s\" is not a valid %s", r->input->name,
                      r->line, property->name, r->element->name, length, begin, type);
}

/* Whole numbers may be written with a fraction of zero. */
static int fits_whole(ruga_scalar type, double value) {
    static const double low[6] = {0, -128, 0, -32768, 0, -2147483648.0};
    static const double high[6] = {255, 127, 65535, 32767, 4294967295.0, 2147483647};
    return value == floor(value) && value >= low[type] && value <= high[type];
}

/* An infinity that is not spelt out is a number too large. */
static int fits_real(ruga_scalar type, double value, const char *text) {
    const char *digits = text + (*text == '-' || *text == '+');
    const int spelt = !number_is_digit(*digits) && *digits != '.';
    if (spelt) return 1;
    return isfinite(value) && (type == RUGA_F64 || isfinite((float)value));
}

static void put_scalar(ruga_scalar type, double value, unsigned char *to) {
    const float real = (float)(type == RUGA_F32 ? value : 0);
    const int64_t whole = type < RUGA_F32 ? (int64_t)value : 0;
    switch (type) {
        case RUGA_F32: memcpy(to, &real, 4); break;
        case RUGA_F64: memcpy(to, &value, 8); break;
        default: memcpy(to, &whole, ruga_scalar_size(type)); break;
    }
}

static ruga_status read_scalar(text_reader *r, const ply_property *property, ruga_scalar type, double *value) {
    skip_blanks(r);
    const char *begin = r->at;
    if (begin == r->end)
        return fail_input(r->input->context, "%s:%u: cut short within element %s", r->input->name, r->line,
                          r->element->name);
    r->at = number_parse(begin, r->end, value);
    int good = r->at > begin && (r->at == r->end || (unsigned char)*r->at <= ' ');
    if (good) good = type < RUGA_F32 ? fits_whole(type, *value) : fits_real(type, *value, begin);
    if (!good) return fail_number(r, begin, property, ply_type_names[type]);
    TRY(ARRAY_RESERVE(r->input->context, &r->rows, 8));
    put_scalar(type, *value, r->rows.items + r->rows.count);
    r->rows.count += ruga_scalar_size(type);
    return RUGA_OK;
}

static ruga_status read_property(text_reader *r, const ply_property *property) {
    double value = 0;
    if (!property->is_list) return read_scalar(r, property, property->type, &value);
    double count = 0;
    TRY(read_scalar(r, property, property->count_type, &count));
    if (count < 0) return fail_number(r, "-1", property, "count of a list");
    for (double i = 0; i < count; i++) TRY(read_scalar(r, property, property->type, &value));
    return RUGA_OK;
}

static ruga_status read_row(text_reader *r) {
    for (size_t i = 0; i < r->element->properties.count; i++) TRY(read_property(r, &r->element->properties.items[i]));
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) r->at++;
    if (r->at == r->end || *r->at == '\n') return RUGA_OK;
    return fail_input(r->input->context, "%s:%u: there is more on this line than element %s has properties",
                      r->input->name, r->line, r->element->name);
}

ruga_status ply_rows_from_text(ply_input *text, const ply_element *element, unsigned *line, unsigned char **bytes,
                               size_t *size) {
    text_reader reader = {.input = text, .line = *line, .element = element};
    reader.at = (const char *)text->at;
    reader.end = (const char *)text->end;
    ruga_status status = ARRAY_RESERVE(text->context, &reader.rows, 8);
    const uint64_t rows = element->properties.count > 0 ? element->count : 0;
    for (uint64_t i = 0; i < rows && !RUGA_FAILED(status); i++) {
        status = read_row(&reader);
        if ((i & 0xffff) == 0xffff && !RUGA_FAILED(status))
            status = ply_report(text, (uint64_t)(reader.end - reader.at));
    }
    TRY_OR(status, ARRAY_RELEASE(text->context, &reader.rows));
    text->at = (const unsigned char *)reader.at;
    *line = reader.line;
    *bytes = reader.rows.items;
    *size = reader.rows.count;
    return RUGA_OK;
}
