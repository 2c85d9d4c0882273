/* The header of a PLY file, and the window on its bytes. */
#include <string.h>

#include "base/number.h"
#include "io/ply.h"

#define PLY_CHUNK 262144           /* bytes read at a time: they stay in the second-level cache */
#define PLY_MOST_HEADER (1u << 26) /* bytes */
#define PLY_MOST_WORDS 8
#define PLY_MOST_PROPERTIES 4096 /* of an element, and elements: far beyond any use, and names are compared with all */

const char *const ply_type_names[8] = {"uchar", "char", "ushort", "short", "uint", "int", "float", "double"};
static const char *const sized_type_names[8] = {"uint8",  "int8",  "uint16",  "int16",
                                                "uint32", "int32", "float32", "float64"};
const char *const ply_domain_names[4] = {"vertex", "face", "edge", "corner"};

const ply_known_name ply_known_names[] = {{"normal", 3, {"nx", "ny", "nz"}},
                                          {"colour", 4, {"red", "green", "blue", "alpha"}},
                                          {"colour", 3, {"red", "green", "blue"}},
                                          {"colour", 3, {"diffuse_red", "diffuse_green", "diffuse_blue"}},
                                          {"uv", 2, {"s", "t"}},
                                          {"uv", 2, {"u", "v"}},
                                          {"uv", 2, {"texture_u", "texture_v"}},
                                          {NULL, 0, {NULL}}};

/* ---- The window. */

ruga_status ply_report(const ply_input *input, uint64_t remaining) {
    return report_progress(input->context, "reading", 1 - (double)remaining / (double)input->size);
}

ruga_status ply_fill(ply_input *input, size_t need) {
    const size_t left = ply_available(input);
    if (left >= need) return RUGA_OK;
    if (need - left > input->unread)
        return fail_input(input->context, "%s: cut short: %zu more bytes were expected, but it has %llu", input->name,
                          need, (unsigned long long)ply_remaining(input));
    if (need > input->capacity || !input->buffer) {
        size_t capacity = need > PLY_CHUNK ? need : PLY_CHUNK;
        unsigned char *larger = NULL;
        TRY(NEW(input->context, &larger, capacity));
        if (left > 0) memcpy(larger, input->at, left);
        memory_release(input->context, input->buffer);
        input->buffer = larger;
        input->capacity = capacity;
    } else if (left > 0) {
        memmove(input->buffer, input->at, left);
    }
    TRY(ply_report(input, left + input->unread));
    const size_t room = input->capacity - left;
    const size_t size = room < input->unread ? room : (size_t)input->unread;
    input->at = input->end = input->buffer;
    TRY(file_read(input->stream, input->buffer + left, size));
    input->end = input->buffer + left + size;
    input->unread -= size;
    return RUGA_OK;
}

/* ---- Names. */

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

size_t ply_name_decode(const char *name, char *out) {
    size_t length = 0;
    for (const char *at = name; *at; at++) {
        int high = *at == '%' ? hex_value(at[1]) : -1, low = high >= 0 ? hex_value(at[2]) : -1;
        if (low >= 0 && (high | low) != 0) {
            out[length++] = (char)(16 * high + low);
            at += 2;
        } else {
            out[length++] = *at;
        }
    }
    out[length] = 0;
    return length;
}

int ply_name_is_reserved(const char *name) {
    static const char *const own[] = {"x",       "y",       "z",       "vertex_indices", "vertex_index",
                                      "vertex1", "vertex2", "texcoord"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(name, own[i]) == 0) return 1;
    for (const ply_known_name *known = ply_known_names; known->attribute; known++)
        for (uint32_t i = 0; i < known->components; i++)
            if (strcmp(name, known->properties[i]) == 0) return 1;
    return 0;
}

/* ---- The text. */

/* One line, split into words; `rests` are the texts from each word to the end of the line. */
typedef struct header_line {
    unsigned number;
    size_t count;
    const char *words[PLY_MOST_WORDS];
    const char *rests[PLY_MOST_WORDS];
} header_line;

typedef struct header_reader {
    ply_input *input;
    ply_header *header;
    header_line line;
} header_reader;

static ruga_status copy_text(header_reader *r, const char *text, size_t length, char **out) {
    return ARENA_TEXT_OF(&r->header->texts, out, text, length);
}

/* Finds the end of the header; reads more bytes as necessary. */
static ruga_status find_end(ply_input *input, size_t *size) {
    static const char mark[] = "end_header";
    size_t seen = 0;
    for (;;) {
        const unsigned char *text = input->at;
        const size_t available = ply_available(input);
        for (; seen + sizeof mark - 1 < available; seen++) {
            if (memcmp(text + seen, mark, sizeof mark - 1) != 0 || (seen > 0 && text[seen - 1] != '\n')) continue;
            const unsigned char *newline = memchr(text + seen, '\n', available - seen);
            if (!newline) break;
            *size = (size_t)(newline + 1 - text);
            return RUGA_OK;
        }
        if (input->unread == 0 || available > PLY_MOST_HEADER)
            return fail_input(input->context, "%s: not a complete PLY file: end_header is missing", input->name);
        const size_t more = input->unread < available + 1 ? (size_t)input->unread : available + 1;
        TRY(ply_fill(input, available + more));
    }
}

/* Words are cut out of a copy in the arena, so that they end in zero. */
static ruga_status cut_line(header_reader *r, const char *begin, size_t length) {
    char *whole = NULL, *copy = NULL;
    header_line *line = &r->line;
    while (length > 0 && (begin[length - 1] == '\r' || begin[length - 1] == ' ' || begin[length - 1] == '\t')) length--;
    TRY(copy_text(r, begin, length, &whole));
    TRY(copy_text(r, begin, length, &copy));
    line->count = 0;
    for (size_t i = 0; i < length && copy[i] && line->count < PLY_MOST_WORDS; i++) {
        if (copy[i] == ' ' || copy[i] == '\t') continue;
        line->words[line->count] = copy + i;
        line->rests[line->count++] = whole + i;
        while (i < length && copy[i] != ' ' && copy[i] != '\t') i++;
        copy[i < length ? i : length] = 0;
    }
    return RUGA_OK;
}

static ruga_status fail_line(const header_reader *r, const char *expected) {
    return fail_input(r->input->context, "%s:%u: \"%s\", but expected %s", r->input->name, r->line.number,
                      r->line.count ? r->line.rests[0] : "", expected);
}

static int find_type(const char *word, ruga_scalar *type) {
    for (int i = 0; i < 8; i++)
        if (strcmp(word, ply_type_names[i]) == 0 || strcmp(word, sized_type_names[i]) == 0) {
            *type = (ruga_scalar)i;
            return 1;
        }
    return 0;
}

static ruga_status read_format(header_reader *r) {
    const header_line *line = &r->line;
    if (line->count != 3 || strcmp(line->words[2], "1.0") != 0) return fail_line(r, "format … 1.0");
    r->header->is_ascii = strcmp(line->words[1], "ascii") == 0;
    r->header->is_big_endian = strcmp(line->words[1], "binary_big_endian") == 0;
    if (!r->header->is_ascii && !r->header->is_big_endian && strcmp(line->words[1], "binary_little_endian") != 0)
        return fail_line(r, "ascii, binary_little_endian or binary_big_endian");
    return RUGA_OK;
}

static ruga_status read_element(header_reader *r) {
    const header_line *line = &r->line;
    int64_t count = -1;
    if (line->count == 3) {
        const char *end = line->words[2] + strlen(line->words[2]);
        if (number_parse_whole(line->words[2], end, &count) != end) count = -1;
    }
    if (count < 0) return fail_line(r, "element, a name and a count");
    if (r->header->elements.count >= PLY_MOST_PROPERTIES) return fail_line(r, "at most 4096 elements");
    if (ply_header_find(r->header, line->words[1])) return fail_line(r, "each element once");
    TRY(ARRAY_RESERVE(r->input->context, &r->header->elements, 1));
    r->header->elements.items[r->header->elements.count++] =
        (ply_element){.name = line->words[1], .count = (uint64_t)count};
    return RUGA_OK;
}

static ruga_status read_property(header_reader *r) {
    const header_line *line = &r->line;
    if (r->header->elements.count == 0) return fail_line(r, "an element first");
    ply_element *element = &r->header->elements.items[r->header->elements.count - 1];
    ply_property property = {0};
    property.is_list = line->count == 5 && strcmp(line->words[1], "list") == 0;
    if (property.is_list) {
        if (!find_type(line->words[2], &property.count_type) || !find_type(line->words[3], &property.type))
            return fail_line(r, "property list, two types and a name");
        if (property.count_type >= RUGA_F32) return fail_line(r, "a whole type for the list's count");
    } else if (line->count != 3 || !find_type(line->words[1], &property.type)) {
        return fail_line(r, "property, a type such as float and a name");
    }
    property.name = line->words[line->count - 1];
    if (element->properties.count >= PLY_MOST_PROPERTIES) return fail_line(r, "at most 4096 properties of an element");
    for (size_t i = 0; i < element->properties.count; i++)
        if (strcmp(element->properties.items[i].name, property.name) == 0) return fail_line(r, "each property once");
    element->least_row += ruga_scalar_size(property.is_list ? property.count_type : property.type);
    element->has_list |= property.is_list;
    return ARRAY_ADD(r->input->context, &element->properties, property);
}

/* comment ruga label face group the label's text, or: comment ruga normalised vertex weight. */
static ruga_status read_comment(header_reader *r) {
    const header_line *line = &r->line;
    if (line->count < 5 || strcmp(line->words[1], "ruga") != 0) return RUGA_OK;
    const int is_label = strcmp(line->words[2], "label") == 0;
    if (!is_label && strcmp(line->words[2], "normalised") != 0) return RUGA_OK;
    for (int domain = 0; domain < 4; domain++) {
        if (strcmp(line->words[3], ply_domain_names[domain]) != 0) continue;
        ply_remark remark = {.domain = (ruga_domain)domain};
        const char *text = line->count > 5 ? line->rests[5] : "";
        char *name = NULL, *label = NULL;
        TRY(copy_text(r, line->words[4], strlen(line->words[4]), &name));
        TRY(copy_text(r, text, strlen(text), &label));
        ply_name_decode(line->words[4], name);
        ply_name_decode(text, label);
        remark.attribute = name;
        remark.label = is_label ? label : NULL;
        TRY(ARRAY_ADD(r->input->context, &r->header->remarks, remark));
    }
    return RUGA_OK;
}

static ruga_status read_line(header_reader *r) {
    const header_line *line = &r->line;
    if (line->count == 0) return RUGA_OK;
    const char *word = line->words[0];
    if (line->number == 1)
        return strcmp(word, "ply") == 0 ? RUGA_OK : fail_line(r, "ply as the first line of a PLY file");
    if (line->number == 2 && strcmp(word, "format") != 0) return fail_line(r, "format");
    if (strcmp(word, "format") == 0) return read_format(r);
    if (strcmp(word, "element") == 0) return read_element(r);
    if (strcmp(word, "property") == 0) return read_property(r);
    if (strcmp(word, "comment") == 0) return read_comment(r);
    if (strcmp(word, "obj_info") == 0 || strcmp(word, "end_header") == 0) return RUGA_OK;
    return fail_line(r, "element, property or comment");
}

ruga_status ply_header_read(ply_input *input, ply_header *header) {
    *header = (ply_header){.texts = arena_make(input->context)};
    const size_t first = input->unread < PLY_CHUNK ? (size_t)input->unread : PLY_CHUNK;
    if (input->stream) TRY(ply_fill(input, first));
    if (ply_available(input) < 4 || memcmp(input->at, "ply", 3) != 0 || (input->at[3] != '\n' && input->at[3] != '\r'))
        return fail_input(input->context, "%s:1: not a PLY file: the first line is not \"ply\"", input->name);
    size_t size = 0;
    TRY(find_end(input, &size));
    header_reader reader = {.input = input, .header = header};
    const char *at = (const char *)input->at, *end = at + size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        reader.line.number = ++header->line_count;
        TRY(cut_line(&reader, at, (size_t)(newline - at)));
        TRY(read_line(&reader));
        at = newline + 1;
    }
    if (header->line_count < 3) return fail_input(input->context, "%s:2: the header has no format", input->name);
    input->at += size;
    return RUGA_OK;
}

void ply_header_release(ruga_context *context, ply_header *header) {
    for (size_t i = 0; i < header->elements.count; i++) ARRAY_RELEASE(context, &header->elements.items[i].properties);
    ARRAY_RELEASE(context, &header->elements);
    ARRAY_RELEASE(context, &header->remarks);
    arena_release(&header->texts);
}

const ply_element *ply_header_find(const ply_header *header, const char *name) {
    for (size_t i = 0; i < header->elements.count; i++)
        if (strcmp(header->elements.items[i].name, name) == 0) return &header->elements.items[i];
    return NULL;
}
