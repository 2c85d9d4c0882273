/* USD's text: numbers in the shortest form that reads back as the same, quoted strings, identifiers.
 * Identifiers are kept to ASCII: readers before USD 24.03 refuse other letters. */
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "io/usda.h"

void usda_put_vector(text_out *text, const float v[3]) {
    char *at = text_reserve(text, 4 * NUMBER_CAPACITY), *begin = at;
    for (int k = 0; k < 3; k++) {
        *at++ = k == 0 ? '(' : ',';
        if (k > 0) *at++ = ' ';
        at += number_print_float(v[k], at);
    }
    *at++ = ')';
    text->used += (size_t)(at - begin);
}

/* One character of a quoted string; returns how many bytes it had. */
static size_t put_character(text_out *text, const unsigned char *at, size_t left) {
    static const char digits[] = "0123456789abcdef";
    const size_t length = utf8_length(at, left);
    char bytes[5] = {0};
    if (length == 0)
        text_put(text, "\xef\xbf\xbd");
    else if (*at == '"' || *at == '\\')
        text_put(text, *at == '"' ? "\\\"" : "\\\\");
    else if (*at == '\n')
        text_put(text, "\\n");
    else if (*at < ' ' || *at == 127)
        text_put(text, (char[]){'\\', 'x', digits[*at >> 4], digits[*at & 15], 0});
    else
        text_put(text, memcpy(bytes, at, length));
    return length > 0 ? length : 1;
}

void usda_put_quoted(text_out *text, const char *words) {
    const unsigned char *at = (const unsigned char *)words, *end = at + strlen(words);
    text_put(text, "\"");
    while (at < end) at += put_character(text, at, (size_t)(end - at));
    text_put(text, "\"");
}

/* ---- Names. */

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Each character that is not allowed becomes one _. Returns the length. */
static size_t make_identifier(const char *wanted, size_t length, char *out) {
    size_t used = 0;
    if (length > 0 && number_is_digit(wanted[0])) out[used++] = '_';
    for (size_t i = 0; i < length;) {
        const size_t step = utf8_length((const unsigned char *)wanted + i, length - i);
        out[used++] = is_letter(wanted[i]) || number_is_digit(wanted[i]) ? wanted[i] : '_';
        i += step > 0 ? step : 1;
    }
    out[used] = 0;
    return used;
}

ruga_status usda_name(usda_names *names, const char *wanted, size_t length, const char *otherwise, const char **out) {
    if (length == 0) length = strlen(wanted = otherwise);
    char *name = NULL;
    TRY(ARENA_NEW(&names->memory, &name, length + 2 + NUMBER_CAPACITY));
    const size_t used = make_identifier(wanted, length, name), count = names->taken.labels.count;
    for (size_t n = count;; n++) {
        int32_t label = 0;
        TRY(label_set_find(names->memory.context, &names->taken, name, &label));
        if ((size_t)label == count) break; /* nobody had it */
        name[used] = '_';
        (void)number_print_whole((int64_t)n, name + used + 1);
    }
    *out = name;
    return RUGA_OK;
}

void usda_names_release(usda_names *names) {
    label_set_release(names->memory.context, &names->taken);
    arena_release(&names->memory);
}
