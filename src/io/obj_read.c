/* Reads OBJ, after Wavefront's "Object Files (.obj)": vertices (with colours, as many programs append them), texture
 * coordinates and normals, polygons, polylines, groups, objects, materials' names and smoothing groups.
 *
 * One pass over the bytes. A face may refer to a vertex that follows it, so indices are compared with the counts at the
 * end; if one is wrong, the text is read again with known counts, to find its line. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/io.h"
#include "io/label_set.h"

#define NONE UINT32_MAX

/* A property of faces that holds until the next statement: group, object, … */
typedef struct state_run {
    size_t begin; /* first face */
    int32_t value;
} state_run;
typedef struct face_state {
    label_set labels;
    ARRAY(state_run) runs;
} face_state;

enum { STATE_OBJECT, STATE_GROUP, STATE_MATERIAL, STATE_LIBRARY, STATE_SMOOTHING, STATE_COUNT };
static const char *const state_names[STATE_COUNT] = {"object", "group", "material", "material_library", "smoothing"};

typedef ARRAY(uint32_t) index_array;
typedef ARRAY(double) number_array;
typedef ARRAY(ruga_vec3) point_array;

typedef struct obj_reader {
    ruga_context *context;
    const char *name;
    const char *begin, *at, *end;
    unsigned line;
    arena texts;
    point_array positions, normals;
    ARRAY(float) colours; /* (positions x 4), from the first colour on */
    uint32_t colour_components;
    number_array uvs;                                  /* pairs */
    number_array third_uvs;                            /* (uvs), from the first that is not zero on */
    index_array face_vertices, face_uvs, face_normals; /* by corner; the latter two from their first use on */
    index_array offsets;                               /* from the first face that is not a triangle */
    int has_offsets;
    size_t face_count;
    index_array line_vertices, line_offsets;
    int in_line;                     /* an `l`, not a face, is being read */
    const char *owner;               /* name of the last group or object; NULL: none */
    ARRAY(const char *) line_owners; /* (lines) */
    ARRAY(unsigned) line_places;     /* (lines) line numbers in the text */
    face_state states[STATE_COUNT];
    uint32_t highest[3]; /* highest index of vertex, uv, normal so far; from 1 */
    uint32_t limits[3];  /* counts, if known */
    size_t skipped_faces, points, weights;
    size_t bad_normals;          /* corners that refer to no normal: they cost the normals, not the file */
    unsigned bad_normal_line;    /* of the first */
    ARRAY(const char *) unknown; /* statements that were reported */
} obj_reader;

static const char *const index_nouns[3] = {"vertex", "texture coordinate", "normal"};

/* ---- Lines. */

/* Skips blanks and joined lines; 1 at the end of the line. */
static int at_line_end(obj_reader *r) {
    for (; r->at < r->end; r->at++) {
        const char c = *r->at;
        if (c == ' ' || c == '\t' || c == '\r') continue;
        if (c != '\\') return c == '\n' || c == '#';
        const char *next = r->at + 1;
        if (next < r->end && *next == '\r') next++;
        if (next >= r->end || *next != '\n') return 0;
        r->at = next;
        r->line++;
    }
    return 1;
}

static void skip_line(obj_reader *r) {
    while (!at_line_end(r)) r->at++;
    const char *newline = r->at < r->end ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;
    r->at = newline ? newline : r->end;
}

static ruga_status fail_here(const obj_reader *r, const char *expected) {
    int length = 0;
    while (r->at + length < r->end && length < 40 && (unsigned char)r->at[length] > ' ') length++;
    return fail_input(r->context, "%s:%u: expected %s, but found \"%.*s\"", r->name, r->line, expected, length, r->at);
}

/* The rest of the line, without blanks around it. */
static ruga_status read_rest(obj_reader *r, const char **text) {
    (void)at_line_end(r);
    const char *newline = r->at < r->end ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;
    const char *end = newline ? newline : r->end, *last = end;
    while (last > r->at && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r')) last--;
    char *copy;
    TRY(ARENA_TEXT_OF(&r->texts, &copy, r->at, (size_t)(last - r->at)));
    r->at = end;
    *text = copy;
    return RUGA_OK;
}

/* ---- Numbers. */

static inline int ends_number(char c) { return (unsigned char)c <= ' ' || c == '#' || c == '\\'; }

static ruga_status read_number(obj_reader *r, double *value) {
    const char *next = number_parse(r->at, r->end, value);
    if (next == r->at || !ends_number(*next)) return fail_here(r, "a number");
    if (!isfinite(*value)) return fail_here(r, "a finite number");
    r->at = next;
    return RUGA_OK;
}

/* Up to `most` numbers to the line's end. */
static ruga_status read_numbers(obj_reader *r, size_t least, size_t most, double *values, size_t *count) {
    *count = 0;
    while (!at_line_end(r)) {
        if (*count == most) return fail_input(r->context, "%s:%u: more than %zu numbers", r->name, r->line, most);
        TRY(read_number(r, &values[(*count)++]));
    }
    if (*count < least)
        return fail_input(r->context, "%s:%u: %zu numbers, but at least %zu are needed", r->name, r->line, *count,
                          least);
    return RUGA_OK;
}

/* Fast path for the common line: `least` to `most` numbers separated by blanks. Returns their count; 0, without moving,
 * for other lines, which read_numbers reads. The zero after the text ends loops. */
static inline size_t scan_numbers(obj_reader *r, size_t least, size_t most, double *values) {
    const char *at = r->at;
    size_t count = 0;
    while (*at == ' ') {
        while (*at == ' ') at++;
        if (count == most) break;
        const char *next = number_parse(at, r->end, &values[count]);
        if (next == at) return 0;
        count++;
        at = next;
    }
    if (*at == '\r') at++;
    if (*at != '\n' || count < least) return 0;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return 0;
    r->at = at;
    return count;
}

/* ---- Vertices. */

/* The first time, room by the size of the text: a point takes about 30 bytes, and faces as much again. */
static ruga_status reserve_points(const obj_reader *r, point_array *array) {
    return ARRAY_RESERVE(r->context, array, array->capacity ? 1 : (size_t)(r->end - r->at) / 64 + 8);
}

/* The first colour makes all before it white. */
static ruga_status add_colour(obj_reader *r, const double *values, size_t count) {
    const size_t wanted = 4 * r->positions.count;
    TRY(ARRAY_RESERVE(r->context, &r->colours, wanted - r->colours.count));
    while (r->colours.count < wanted) r->colours.items[r->colours.count++] = 1;
    float *colour = r->colours.items + wanted - 4;
    for (size_t i = 0; i < count; i++) colour[i] = (float)values[i];
    if (count > r->colour_components) r->colour_components = (uint32_t)count;
    return RUGA_OK;
}

static ruga_status read_vertex(obj_reader *r) {
    double v[7];
    size_t count = scan_numbers(r, 3, 3, v);
    if (count == 0) TRY(read_numbers(r, 3, 7, v, &count));
    if (r->positions.capacity == r->positions.count) TRY(reserve_points(r, &r->positions));
    r->positions.items[r->positions.count++] = (ruga_vec3){v[0], v[1], v[2]};
    if (count >= 6) return add_colour(r, v + 3, count - 3);
    r->weights += count > 3;
    return RUGA_OK;
}

static ruga_status read_uv(obj_reader *r) {
    double v[3] = {0, 0, 0};
    size_t count = scan_numbers(r, 1, 2, v);
    if (count == 0) TRY(read_numbers(r, 1, 3, v, &count));
    TRY(ARRAY_RESERVE(r->context, &r->uvs, 2));
    r->uvs.items[r->uvs.count++] = v[0];
    r->uvs.items[r->uvs.count++] = v[1];
    if (v[2] == 0) return RUGA_OK;
    const size_t wanted = r->uvs.count / 2;
    TRY(ARRAY_RESERVE(r->context, &r->third_uvs, wanted - r->third_uvs.count));
    while (r->third_uvs.count < wanted) r->third_uvs.items[r->third_uvs.count++] = 0;
    r->third_uvs.items[wanted - 1] = v[2];
    return RUGA_OK;
}

static ruga_status read_normal(obj_reader *r) {
    double v[3];
    size_t count = scan_numbers(r, 3, 3, v);
    if (count == 0) TRY(read_numbers(r, 3, 3, v, &count));
    if (r->normals.capacity == r->normals.count) TRY(reserve_points(r, &r->normals));
    r->normals.items[r->normals.count++] = (ruga_vec3){v[0], v[1], v[2]};
    return RUGA_OK;
}

/* ---- Faces and lines. */

static size_t count_of(const obj_reader *r, int kind) {
    return kind == 0 ? r->positions.count : kind == 1 ? r->uvs.count / 2 : r->normals.count;
}

static ruga_status note_bad_normal(obj_reader *r, uint32_t *index) {
    if (r->bad_normals++ == 0) r->bad_normal_line = r->line;
    *index = NONE;
    return RUGA_OK;
}

/* A negative number counts back from the last one so far. */
static ruga_status resolve_negative(obj_reader *r, int kind, uint64_t back, uint32_t *index) {
    const size_t count = count_of(r, kind);
    const int is_wrong = back == 0 || back > count;
    if (is_wrong && kind == 2) return note_bad_normal(r, index);
    if (is_wrong)
        return fail_input(r->context, "%s:%u: the %s refers to %s -%llu, but only %zu come before it", r->name, r->line,
                          r->in_line ? "line" : "face", index_nouns[kind], (unsigned long long)back, count);
    *index = (uint32_t)(count - back);
    return RUGA_OK;
}

static ruga_status fail_index(const obj_reader *r, int kind, uint64_t value) {
    const unsigned long long number = value;
    const char *element = r->in_line ? "line" : "face";
    if (value == 0)
        return fail_input(r->context, "%s:%u: the %s refers to %s 0, but they are counted from 1", r->name, r->line,
                          element, index_nouns[kind]);
    if (r->limits[kind] == NONE - 1)
        return fail_input(r->context, "%s:%u: the %s refers to %s %llu, which is beyond 2^32", r->name, r->line,
                          element, index_nouns[kind], number);
    return fail_input(r->context, "%s:%u: the %s refers to %s %llu, but the file has %u", r->name, r->line, element,
                      index_nouns[kind], number, r->limits[kind]);
}

/* One number of a corner; `index` counts from 0. */
static inline ruga_status read_index(obj_reader *r, int kind, uint32_t *index) {
    const char *at = r->at, *end = r->end;
    const int negative = at < end && *at == '-';
    at += negative;
    const char *digits = at;
    uint64_t value = 0;
    while (at < end && number_is_digit(*at) && value < (uint64_t)1 << 40) value = 10 * value + (uint64_t)(*at++ - '0');
    if (at == digits) return fail_here(r, "the number of a vertex");
    if (negative) {
        TRY(resolve_negative(r, kind, value, index));
        r->at = at;
        return RUGA_OK;
    }
    const int is_wrong = value == 0 || value > r->limits[kind];
    if (is_wrong && kind != 2) return fail_index(r, kind, value);
    if (is_wrong) {
        r->at = at;
        return note_bad_normal(r, index);
    }
    if (value > r->highest[kind]) r->highest[kind] = (uint32_t)value;
    *index = (uint32_t)value - 1;
    r->at = at;
    return RUGA_OK;
}

/* v, v/vt, v//vn or v/vt/vn. */
static inline ruga_status read_corner(obj_reader *r, uint32_t corner[3]) {
    corner[1] = corner[2] = NONE;
    TRY(read_index(r, 0, &corner[0]));
    if (r->at < r->end && *r->at == '/') {
        r->at++;
        const int has_uv = r->at < r->end && *r->at != '/' && !ends_number(*r->at);
        if (has_uv) TRY(read_index(r, 1, &corner[1]));
        if (r->at < r->end && *r->at == '/') {
            r->at++;
            const int has_normal = r->at < r->end && !ends_number(*r->at);
            if (has_normal) TRY(read_index(r, 2, &corner[2]));
        }
    }
    if (r->at < r->end && !ends_number(*r->at)) return fail_here(r, "a blank after a corner");
    return RUGA_OK;
}

/* Corners up to `wanted` that have no entry have none. */
static ruga_status pad(const obj_reader *r, index_array *array, size_t wanted) {
    if (array->capacity < wanted) TRY(ARRAY_RESERVE(r->context, array, wanted - array->count));
    while (array->count < wanted) array->items[array->count++] = NONE;
    return RUGA_OK;
}

/* An index of an optional array: from the first corner on that has one, all have an entry. */
static ruga_status append_optional(obj_reader *r, index_array *array, uint32_t index) {
    if (index == NONE && array->count == 0) return RUGA_OK;
    TRY(pad(r, array, r->face_vertices.count));
    array->items[array->count - 1] = index;
    return RUGA_OK;
}

/* A face of fewer than three vertices has no area: it is left out. */
static ruga_status end_face(obj_reader *r, size_t begin) {
    const size_t size = r->face_vertices.count - begin;
    if (size < 3) {
        r->face_vertices.count = begin;
        if (r->face_uvs.count > begin) r->face_uvs.count = begin;
        if (r->face_normals.count > begin) r->face_normals.count = begin;
        r->skipped_faces++;
        return RUGA_OK;
    }
    if (size != 3 && !r->has_offsets) {
        r->has_offsets = 1;
        TRY(ARRAY_RESERVE(r->context, &r->offsets, r->face_count + 1));
        for (size_t i = 0; i <= r->face_count; i++) r->offsets.items[r->offsets.count++] = (uint32_t)(3 * i);
    }
    r->face_count++;
    if (!r->has_offsets) return RUGA_OK;
    return ARRAY_ADD(r->context, &r->offsets, (uint32_t)r->face_vertices.count);
}

/* ---- Fast path for common faces: up to eight corners with positive numbers, all in one form. */

#define FAST_CORNERS 8
#define FAST_MARGIN 40 /* bytes: more than a corner of three numbers and eight bytes behind it */

/* A positive number of at most seven digits, eight bytes at a time; `at` itself if there is none or it is longer. */
static inline const char *scan_index(const char *at, uint32_t *value) {
    uint64_t eight;
    memcpy(&eight, at, 8);
    const unsigned run = number_digit_run(eight);
    if (run == 0 || run == 8) return at;
    *value = (uint32_t)number_eight_digits(eight << (64 - 8 * run));
    return at + run;
}

typedef struct scanned_face {
    size_t size;
    int has_uvs, has_normals;
    uint32_t numbers[3][FAST_CORNERS]; /* from 1 */
} scanned_face;

static inline const char *scan_corner(const char *at, scanned_face *face) {
    const size_t i = face->size;
    const char *next = scan_index(at, &face->numbers[0][i]);
    int has_uv = 0, has_normal = 0;
    if (next == at) return at;
    if (*next == '/') {
        const char *uv = ++next;
        next = scan_index(uv, &face->numbers[1][i]);
        has_uv = next > uv;
        if (*next == '/') {
            const char *normal = ++next;
            next = scan_index(normal, &face->numbers[2][i]);
            has_normal = next > normal;
        }
    }
    if (i > 0 && (has_uv != face->has_uvs || has_normal != face->has_normals)) return at;
    face->has_uvs = has_uv;
    face->has_normals = has_normal;
    face->size++;
    return next;
}

/* 0, without moving, for other lines, and near the end of the text, where eight bytes may not be available. */
static inline int scan_face(obj_reader *r, scanned_face *face) {
    const char *at = r->at, *safe_end = r->end - FAST_MARGIN;
    face->size = 0;
    face->has_uvs = face->has_normals = 0;
    if (r->end - r->at < FAST_MARGIN) return 0;
    while (*at == ' ') {
        while (*at == ' ') at++;
        if (*at == '\n' || *at == '\r') break;
        if (face->size == FAST_CORNERS || at > safe_end) return 0;
        const char *next = scan_corner(at, face);
        if (next == at) return 0;
        at = next;
    }
    if (*at == '\r') at++;
    if (*at != '\n' || face->size < 3) return 0;
    r->at = at;
    return 1;
}

/* A number 0 wraps, and is wrong like those that are too large. */
WRAPS static inline ruga_status append_scanned(obj_reader *r, index_array *array, const scanned_face *face, int kind) {
    if (array->capacity - array->count < FAST_CORNERS)
        TRY(ARRAY_RESERVE(r->context, array, array->capacity ? FAST_CORNERS : (size_t)(r->end - r->at) / 6 + 64));
    uint32_t *to = array->items + array->count, highest = r->highest[kind];
    int is_wrong = 0;
    for (size_t i = 0; i < face->size; i++) {
        const uint32_t number = face->numbers[kind][i];
        to[i] = number - 1;
        highest = number > highest ? number : highest;
        is_wrong |= number - 1 >= r->limits[kind];
    }
    for (size_t i = 0; is_wrong && i < face->size; i++) {
        if (face->numbers[kind][i] - 1 < r->limits[kind]) continue;
        if (kind != 2) return fail_index(r, kind, face->numbers[kind][i]);
        TRY(note_bad_normal(r, &to[i]));
    }
    r->highest[kind] = highest;
    array->count += face->size;
    return RUGA_OK;
}

/* Numbers of an optional array; corners before it that have none are marked so. */
static ruga_status append_scanned_optional(obj_reader *r, index_array *array, const scanned_face *face, int kind,
                                           int given, size_t begin) {
    const size_t wanted = given ? begin : begin + face->size;
    if (array->count < wanted) TRY(pad(r, array, wanted));
    return given ? append_scanned(r, array, face, kind) : RUGA_OK;
}

static ruga_status append_face(obj_reader *r, const scanned_face *face) {
    const size_t begin = r->face_vertices.count;
    if (begin >= NONE - 2 * FAST_CORNERS)
        return fail_input(r->context, "%s:%u: more than 2^32 corners", r->name, r->line);
    TRY(append_scanned(r, &r->face_vertices, face, 0));
    if (face->has_uvs || r->face_uvs.count > 0)
        TRY(append_scanned_optional(r, &r->face_uvs, face, 1, face->has_uvs, begin));
    if (face->has_normals || r->face_normals.count > 0)
        TRY(append_scanned_optional(r, &r->face_normals, face, 2, face->has_normals, begin));
    return end_face(r, begin);
}

static ruga_status read_face(obj_reader *r) {
    scanned_face face;
    if (scan_face(r, &face)) return append_face(r, &face);
    const size_t begin = r->face_vertices.count;
    while (!at_line_end(r)) {
        uint32_t corner[3] = {0, NONE, NONE};
        TRY(read_corner(r, corner));
        if (r->face_vertices.count >= NONE - 1)
            return fail_input(r->context, "%s:%u: more than 2^32 corners", r->name, r->line);
        TRY(ARRAY_ADD(r->context, &r->face_vertices, corner[0]));
        TRY(append_optional(r, &r->face_uvs, corner[1]));
        TRY(append_optional(r, &r->face_normals, corner[2]));
    }
    return end_face(r, begin);
}

static ruga_status read_line(obj_reader *r) {
    const size_t begin = r->line_vertices.count;
    r->in_line = 1;
    while (!at_line_end(r)) {
        uint32_t corner[3] = {0, NONE, NONE};
        TRY(read_corner(r, corner));
        TRY(ARRAY_ADD(r->context, &r->line_vertices, corner[0]));
    }
    r->in_line = 0;
    if (r->line_vertices.count - begin < 2) {
        r->line_vertices.count = begin;
        r->skipped_faces++;
        return RUGA_OK;
    }
    TRY(ARRAY_RESERVE(r->context, &r->line_offsets, 2));
    if (r->line_offsets.count == 0) r->line_offsets.items[r->line_offsets.count++] = 0;
    TRY(ARRAY_RESERVE(r->context, &r->line_owners, 1));
    TRY(ARRAY_RESERVE(r->context, &r->line_places, 1));
    r->line_offsets.items[r->line_offsets.count++] = (uint32_t)r->line_vertices.count;
    r->line_owners.items[r->line_owners.count++] = r->owner;
    r->line_places.items[r->line_places.count++] = r->line;
    return RUGA_OK;
}

/* ---- Names. */

/* All faces from here on have this value. */
static ruga_status set_state(obj_reader *r, int kind, int32_t value) {
    face_state *state = &r->states[kind];
    const size_t last = state->runs.count;
    if (last > 0 && state->runs.items[last - 1].begin == r->face_count) state->runs.count--;
    return ARRAY_ADD(r->context, &state->runs, (state_run){r->face_count, value});
}

/* A statement without a name ends the one before. */
static ruga_status read_name(obj_reader *r, int kind) {
    const char *text = NULL;
    int32_t label = -1;
    TRY(read_rest(r, &text));
    if (*text) TRY(label_set_find(r->context, &r->states[kind].labels, text, &label));
    if (kind == STATE_GROUP || kind == STATE_OBJECT) r->owner = *text ? text : NULL;
    return set_state(r, kind, label);
}

static ruga_status read_smoothing(obj_reader *r) {
    const char *text = NULL;
    int64_t value = 0;
    TRY(read_rest(r, &text));
    const char *end = text + strlen(text);
    const int off = !*text || strcmp(text, "off") == 0;
    if (!off && (number_parse_whole(text, end, &value) != end || value < 0 || value > INT32_MAX))
        return fail_input(r->context, "%s:%u: smoothing group \"%.40s\" is neither a number nor off", r->name, r->line,
                          text);
    return set_state(r, STATE_SMOOTHING, (int32_t)value);
}

/* ---- Statements. */

/* An unknown line with control bytes is not text. */
static ruga_status check_text(const obj_reader *r, const char *line) {
    for (const char *at = line; at < r->end && *at != '\n'; at++) {
        const unsigned char byte = (unsigned char)*at;
        if ((byte < ' ' && !isspace(byte)) || byte == 0x7f)
            return fail_input(r->context, "%s:%u: not an OBJ file: found the byte 0x%02x, which is not text", r->name,
                              r->line, byte);
    }
    return RUGA_OK;
}

static ruga_status report_unknown(obj_reader *r, const char *word, size_t length) {
    for (size_t i = 0; i < r->unknown.count; i++)
        if (strlen(r->unknown.items[i]) == length && memcmp(r->unknown.items[i], word, length) == 0) return RUGA_OK;
    if (r->unknown.count >= 100) return RUGA_OK;
    TRY(check_text(r, word));
    char *copy;
    TRY(ARENA_TEXT_OF(&r->texts, &copy, word, length));
    TRY(ARRAY_ADD(r->context, &r->unknown, copy));
    log_info(r->context, "%s:%u: unknown statement \"%s\" is ignored", r->name, r->line, copy);
    return RUGA_OK;
}

static int word_is(const char *word, size_t length, const char *statement) {
    return strlen(statement) == length && memcmp(word, statement, length) == 0;
}

static ruga_status read_statement(obj_reader *r) {
    const char *word = r->at;
    while (r->at < r->end && (unsigned char)*r->at > ' ' && *r->at != '\\') r->at++;
    const size_t length = (size_t)(r->at - word);
    if (length == 1) switch (*word) {
            case 'v': return read_vertex(r);
            case 'f': return read_face(r);
            case 'l': return read_line(r);
            case 'g': return read_name(r, STATE_GROUP);
            case 'o': return read_name(r, STATE_OBJECT);
            case 's': return read_smoothing(r);
            case 'p':
                r->points++;
                skip_line(r);
                return RUGA_OK;
            default: break;
        }
    if (word_is(word, length, "vt")) return read_uv(r);
    if (word_is(word, length, "vn")) return read_normal(r);
    if (word_is(word, length, "usemtl")) return read_name(r, STATE_MATERIAL);
    if (word_is(word, length, "mtllib")) return read_name(r, STATE_LIBRARY);
    TRY(report_unknown(r, word, length < 40 ? length : 40));
    skip_line(r);
    return RUGA_OK;
}

/* Passes blanks and a comment. */
static ruga_status finish_line(obj_reader *r) {
    if (!at_line_end(r)) return fail_here(r, "the end of the line");
    if (r->at == r->end || *r->at == '\n') return RUGA_OK;
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = newline ? newline : r->end;
    return RUGA_OK;
}

static ruga_status read_text(obj_reader *r) {
    r->line = 1;
    if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
    while (r->at < r->end) {
        if (r->at[0] == 'v' && r->at[1] == ' ') {
            r->at++;
            TRY(read_vertex(r));
        } else if (r->at[0] == 'f' && r->at[1] == ' ') {
            r->at++;
            TRY(read_face(r));
        } else if (!at_line_end(r)) {
            TRY(read_statement(r));
        }
        if (*r->at != '\n') TRY(finish_line(r));
        if (r->at < r->end) r->at++;
        r->line++;
        if ((r->line & 0xffff) == 0)
            TRY(report_progress(r->context, "reading", (double)(r->at - r->begin) / (double)(r->end - r->begin)));
    }
    return RUGA_OK;
}

/* ---- From the reader's arrays to parts. */

static ruga_status hand_over_state(obj_reader *r, int kind, mesh_parts *parts) {
    const face_state *state = &r->states[kind];
    if (state->runs.count == 0) return RUGA_OK;
    int32_t *values = NULL;
    TRY(NEW(r->context, &values, r->face_count));
    int32_t value = kind == STATE_SMOOTHING ? 0 : -1;
    for (size_t face = 0, run = 0; face < r->face_count; face++) {
        while (run < state->runs.count && state->runs.items[run].begin <= face) value = state->runs.items[run++].value;
        values[face] = value;
    }
    TRY(mesh_parts_add(r->context, parts, state_names[kind], RUGA_DOMAIN_FACE, RUGA_I32, 1, r->face_count, values,
                       NULL));
    if (state->labels.labels.count == 0) return RUGA_OK;
    return mesh_parts_set_labels(r->context, parts, state->labels.labels.items, state->labels.labels.count);
}

/* Indices of corners; corners after the last one with an index have none. */
static ruga_status take_indices(obj_reader *r, index_array *array, uint32_t **out) {
    if (!array->items) TRY(ARRAY_RESERVE(r->context, array, 1));
    TRY(pad(r, array, r->face_vertices.count));
    *out = array->items;
    array->items = NULL;
    return RUGA_OK;
}

static ruga_status hand_over_uvs(obj_reader *r, mesh_parts *parts) {
    const size_t count = r->uvs.count / 2;
    if (count == 0) return RUGA_OK;
    double *values = r->uvs.items;
    uint32_t components = 2;
    if (r->third_uvs.count > 0) {
        components = 3;
        TRY(NEW(r->context, &values, 3 * count));
        for (size_t i = 0; i < count; i++) {
            values[3 * i] = r->uvs.items[2 * i];
            values[3 * i + 1] = r->uvs.items[2 * i + 1];
            values[3 * i + 2] = i < r->third_uvs.count ? r->third_uvs.items[i] : 0;
        }
    } else {
        r->uvs.items = NULL;
    }
    uint32_t *indices = NULL;
    TRY_OR(take_indices(r, &r->face_uvs, &indices), memory_release(r->context, values));
    return mesh_parts_add(r->context, parts, "uv", RUGA_DOMAIN_CORNER, RUGA_F64, components, count, values, indices);
}

static ruga_status hand_over_normals(obj_reader *r, mesh_parts *parts) {
    if (r->normals.count == 0) return RUGA_OK;
    uint32_t *indices = NULL;
    TRY(take_indices(r, &r->face_normals, &indices));
    void *values = r->normals.items;
    r->normals.items = NULL;
    return mesh_parts_add(r->context, parts, "normal", RUGA_DOMAIN_CORNER, RUGA_F64, 3, r->normals.count, values,
                          indices);
}

static ruga_status hand_over_colours(obj_reader *r, mesh_parts *parts) {
    if (r->colours.count == 0) return RUGA_OK;
    const size_t count = r->positions.count, components = r->colour_components;
    float *values = NULL;
    TRY(NEW(r->context, &values, components * count));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < components; k++)
            values[components * i + k] = 4 * i + k < r->colours.count ? r->colours.items[4 * i + k] : 1;
    return mesh_parts_add(r->context, parts, "colour", RUGA_DOMAIN_VERTEX, RUGA_F32, (uint32_t)components, count,
                          values, NULL);
}

static ruga_status hand_over(obj_reader *r, mesh_parts *parts) {
    TRY(hand_over_colours(r, parts));
    TRY(hand_over_uvs(r, parts));
    TRY(hand_over_normals(r, parts));
    for (int i = 0; i < STATE_COUNT; i++) TRY(hand_over_state(r, i, parts));
    parts->vertex_count = r->positions.count;
    parts->positions = r->positions.items;
    parts->face_count = r->face_count;
    parts->corner_count = r->face_vertices.count;
    parts->face_vertices = r->face_vertices.items;
    parts->face_offsets = r->offsets.items;
    parts->line_count = r->line_offsets.count ? r->line_offsets.count - 1 : 0;
    parts->line_offsets = r->line_offsets.items;
    parts->line_vertices = r->line_vertices.items;
    r->positions.items = NULL;
    r->face_vertices.items = r->offsets.items = r->line_offsets.items = r->line_vertices.items = NULL;
    return RUGA_OK;
}

static void release_reader(obj_reader *r) {
    ruga_context *context = r->context;
    RELEASE_ALL(context, r->positions.items, r->colours.items, r->uvs.items, r->third_uvs.items, r->normals.items,
                r->face_vertices.items, r->face_uvs.items, r->face_normals.items, r->offsets.items,
                r->line_vertices.items, r->line_offsets.items, r->line_owners.items, r->line_places.items,
                r->unknown.items);
    for (int i = 0; i < STATE_COUNT; i++) {
        label_set_release(context, &r->states[i].labels);
        memory_release(context, r->states[i].runs.items);
    }
    arena_release(&r->texts);
}

static obj_reader begin_reader(const io_source *source, const size_t *limits) {
    obj_reader reader = {.context = source->context, .name = source->name, .texts = arena_make(source->context)};
    reader.begin = reader.at = (const char *)source->bytes;
    reader.end = reader.at + source->size;
    for (int i = 0; i < 3; i++) reader.limits[i] = limits && limits[i] < NONE - 1 ? (uint32_t)limits[i] : NONE - 1;
    return reader;
}

static ruga_status report_left_out(const obj_reader *r) {
    if (r->points > 0) log_info(r->context, "%s: %zu points (p) were left out", r->name, r->points);
    if (r->weights > 0) log_info(r->context, "%s: %zu weights of vertices were left out", r->name, r->weights);
    if (r->bad_normals > 0)
        log_warning(r->context,
                    "%s:%u: the face refers to a normal that the file does not have, like %zu corners in all; all "
                    "normals are left out, and smooth ones are used where normals are needed",
                    r->name, r->bad_normal_line, r->bad_normals);
    if (r->skipped_faces == 0) return r->bad_normals > 0 ? RUGA_WARNING_INPUT : RUGA_OK;
    log_warning(r->context, "%s: %zu faces with fewer than 3 vertices (lines: 2) were left out", r->name,
                r->skipped_faces);
    return RUGA_WARNING_INPUT;
}

/* Reads the text and checks all indices. */
static ruga_status read_checked(const io_source *source, obj_reader *reader) {
    TRY(read_text(reader));
    size_t counts[3];
    int wrong = 0;
    for (int i = 0; i < 3; i++) {
        counts[i] = count_of(reader, i);
        wrong |= reader->highest[i] > counts[i];
    }
    if (!wrong && reader->bad_normals == 0) return RUGA_OK;
    /* Reads again with the counts, to find the line: it fails, unless only normals are wrong. */
    obj_reader again = begin_reader(source, counts);
    ruga_status status = read_text(&again);
    reader->bad_normals = again.bad_normals;
    reader->bad_normal_line = again.bad_normal_line;
    if (again.bad_normals > 0) reader->normals.count = 0;
    release_reader(&again);
    return status;
}

ruga_status obj_read(const io_source *source, mesh_parts *parts) {
    obj_reader reader = begin_reader(source, NULL);
    ruga_status status = read_checked(source, &reader), odd = RUGA_OK;
    if (!RUGA_FAILED(status)) status = hand_over(&reader, parts);
    if (!RUGA_FAILED(status)) odd = report_left_out(&reader);
    release_reader(&reader);
    return RUGA_FAILED(status) ? status : odd;
}

ruga_status obj_read_lines(const io_source *source, const obj_lines_use *use) {
    obj_reader reader = begin_reader(source, NULL);
    ruga_status status = read_checked(source, &reader);
    const obj_lines lines = {.vertex_count = reader.positions.count,
                             .positions = reader.positions.items,
                             .count = reader.line_owners.count,
                             .offsets = reader.line_offsets.items,
                             .vertices = reader.line_vertices.items,
                             .owners = reader.line_owners.items,
                             .places = reader.line_places.items};
    if (!RUGA_FAILED(status)) status = use->take(use->user, &lines);
    release_reader(&reader);
    return status;
}
