/* USD's text: numbers in the shortest form that reads back as the same, quoted strings, identifiers.
 * Identifiers are kept to ASCII: readers before USD 24.03 refuse other letters. */
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "io/usda.h"

#define USDA_BUFFER 65536

/* ---- Text. */

ruga_status usda_text_open(usda_text *text, ruga_context *context, file *out) {
    *text = (usda_text){.context = context, .out = out, .buffer = ALLOCATE(context, char, USDA_BUFFER)};
    return text->buffer ? RUGA_OK : fail_memory(context, USDA_BUFFER);
}

ruga_status usda_text_flush(usda_text *text) {
    if (!RUGA_FAILED(text->status)) text->status = file_write(text->out, text->buffer, text->used);
    text->flushed += text->used;
    text->used = 0;
    return text->status;
}

void usda_text_close(usda_text *text) {
    memory_release(text->context, text->buffer);
    text->buffer = NULL;
}

/* Room for a few numbers, or a few words. */
static char *reserve(usda_text *text, size_t size) {
    if (USDA_BUFFER - text->used < size) (void)usda_text_flush(text);
    return text->buffer + text->used;
}

void usda_put(usda_text *text, const char *words) {
    for (size_t left = strlen(words); left > 0;) {
        const size_t part = left < 256 ? left : 256;
        memcpy(reserve(text, part), words, part);
        text->used += part;
        words += part;
        left -= part;
    }
}

void usda_put_indent(usda_text *text, int depth) {
    for (int i = 0; i < depth; i++) usda_put(text, "    ");
}

void usda_put_line(usda_text *text, int depth, const char *words) {
    usda_put_indent(text, depth);
    usda_put(text, words);
    usda_put(text, "\n");
}

void usda_put_whole(usda_text *text, int64_t value) {
    text->used += number_print_whole(value, reserve(text, NUMBER_CAPACITY));
}

void usda_put_float(usda_text *text, float value) {
    text->used += number_print_float(value, reserve(text, NUMBER_CAPACITY));
}

void usda_put_double(usda_text *text, double value) {
    text->used += number_print(value, reserve(text, NUMBER_CAPACITY));
}

void usda_put_vector(usda_text *text, const float v[3]) {
    char *at = reserve(text, 4 * NUMBER_CAPACITY), *begin = at;
    for (int k = 0; k < 3; k++) {
        *at++ = k == 0 ? '(' : ',';
        if (k > 0) *at++ = ' ';
        at += number_print_float(v[k], at);
    }
    *at++ = ')';
    text->used += (size_t)(at - begin);
}

/* One character of a quoted string; returns how many bytes it had. */
static size_t put_character(usda_text *text, const unsigned char *at, size_t left) {
    static const char digits[] = "0123456789abcdef";
    const size_t length = utf8_length(at, left);
    char bytes[5] = {0};
    if (length == 0)
        usda_put(text, "\xef\xbf\xbd");
    else if (*at == '"' || *at == '\\')
        usda_put(text, *at == '"' ? "\\\"" : "\\\\");
    else if (*at == '\n')
        usda_put(text, "\\n");
    else if (*at < ' ' || *at == 127)
        usda_put(text, (char[]){'\\', 'x', digits[*at >> 4], digits[*at & 15], 0});
    else
        usda_put(text, memcpy(bytes, at, length));
    return length > 0 ? length : 1;
}

void usda_put_quoted(usda_text *text, const char *words) {
    const unsigned char *at = (const unsigned char *)words, *end = at + strlen(words);
    usda_put(text, "\"");
    while (at < end) at += put_character(text, at, (size_t)(end - at));
    usda_put(text, "\"");
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

/* FNV-1a. */
static uint64_t hash_name(const char *name) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash;
}

/* Where a name stands among the slots, or the empty slot where it would. */
static const char **find_slot(const usda_names *names, const char *name) {
    size_t at = (size_t)hash_name(name) & (names->slot_count - 1);
    while (names->slots[at] && strcmp(names->slots[at], name) != 0) at = (at + 1) & (names->slot_count - 1);
    return &names->slots[at];
}

/* At most half of the slots are full. Old slots stay in the arena. */
static int grow_slots(usda_names *names) {
    if (2 * names->count < names->slot_count) return 1;
    const usda_names old = *names;
    const size_t count = old.slot_count > 0 ? 2 * old.slot_count : 16;
    const char **slots = arena_allocate(&names->memory, count, sizeof *slots);
    if (!slots) return 0;
    for (size_t i = 0; i < count; i++) slots[i] = NULL;
    names->slots = slots;
    names->slot_count = count;
    for (size_t i = 0; i < old.slot_count; i++)
        if (old.slots[i]) *find_slot(names, old.slots[i]) = old.slots[i];
    return 1;
}

const char *usda_name(usda_names *names, const char *wanted, size_t length, const char *otherwise) {
    if (length == 0) length = strlen(wanted = otherwise);
    char *name = arena_allocate(&names->memory, length + 2 + NUMBER_CAPACITY, 1);
    if (!name || !grow_slots(names)) return NULL;
    const size_t used = make_identifier(wanted, length, name);
    const char **slot = find_slot(names, name);
    for (size_t n = names->count; *slot; n++) {
        name[used] = '_';
        (void)number_print_whole((int64_t)n, name + used + 1);
        slot = find_slot(names, name);
    }
    names->count++;
    return *slot = name;
}
