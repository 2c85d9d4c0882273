/* Reading and writing, as far as the formats of tet meshes share it. */
#include "io/solid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"

/* ---- Words. */

void solid_open(const io_source *source, solid_in *out) {
    const char *begin = (const char *)source->bytes;
    *out = (solid_in){
        .context = source->context, .name = source->name, .begin = begin, .at = begin, .end = begin + source->size};
}

void solid_release(solid_in *in) {
    ARRAY_RELEASE(in->context, &in->positions);
    ARRAY_RELEASE(in->context, &in->tags);
    ARRAY_RELEASE(in->context, &in->tets);
    ARRAY_RELEASE(in->context, &in->corners);
    ARRAY_RELEASE(in->context, &in->sizes);
}

ruga_status solid_fail(const solid_in *in, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (in->is_binary) return fail_input(in->context, "%s: byte %zu: %s", in->name, (size_t)(in->at - in->begin), text);
    unsigned line = 1;
    for (const char *c = in->begin; c < in->at; c++) line += *c == '\n';
    return fail_input(in->context, "%s:%u: %s", in->name, line, text);
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static void skip_blanks(solid_in *in) {
    while (in->at < in->end && (is_blank(*in->at) || *in->at == '#')) {
        if (*in->at != '#') {
            in->at++;
            continue;
        }
        const char *newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
        in->at = newline ? newline : in->end;
    }
}

size_t solid_peek(solid_in *in, const char **word) {
    skip_blanks(in);
    const char *end = in->at;
    while (end < in->end && !is_blank(*end)) end++;
    *word = in->at;
    return (size_t)(end - in->at);
}

size_t solid_word(solid_in *in, const char **word) {
    size_t length = solid_peek(in, word);
    in->at += length;
    return length;
}

int solid_word_is(const char *word, size_t length, const char *expected) {
    return length == strlen(expected) && memcmp(word, expected, length) == 0;
}

/* ---- Numbers. */

static ruga_status take_bytes(solid_in *in, const char *what, unsigned count, unsigned char out[8]) {
    if ((size_t)(in->end - in->at) < count) return solid_fail(in, "the file ends before %s", what);
    for (unsigned k = 0; k < count; k++) out[k] = (unsigned char)in->at[in->is_swapped ? count - 1 - k : k];
    in->at += count;
    return RUGA_OK;
}

static ruga_status fail_word(solid_in *in, const char *what) {
    const char *word;
    size_t length = solid_peek(in, &word);
    if (length == 0) return solid_fail(in, "the file ends before %s", what);
    return solid_fail(in, "expected %s, but found \"%.*s\"", what, (int)(length < 40 ? length : 40), word);
}

ruga_status solid_whole(solid_in *in, const char *what, unsigned bytes, int64_t *out) {
    unsigned char raw[8] = {0};
    int32_t small;
    if (in->is_binary) {
        TRY(take_bytes(in, what, bytes, raw));
        memcpy(&small, raw, 4);
        memcpy(out, raw, 8);
        if (bytes == 4) *out = small;
        return RUGA_OK;
    }
    skip_blanks(in);
    const char *next = number_parse_whole(in->at, in->end, out);
    if (next == in->at || (next < in->end && !is_blank(*next))) return fail_word(in, what);
    in->at = next;
    return RUGA_OK;
}

ruga_status solid_real(solid_in *in, const char *what, double *out) {
    unsigned char raw[8];
    if (in->is_binary) {
        TRY(take_bytes(in, what, 8, raw));
        memcpy(out, raw, 8);
        return isfinite(*out) ? RUGA_OK : solid_fail(in, "%s is not finite", what);
    }
    skip_blanks(in);
    const char *next = number_parse(in->at, in->end, out);
    if (next == in->at || (next < in->end && !is_blank(*next)) || !isfinite(*out)) return fail_word(in, what);
    in->at = next;
    return RUGA_OK;
}

ruga_status solid_count(solid_in *in, const char *what, unsigned bytes, size_t least_each, size_t *out) {
    int64_t count;
    TRY(solid_whole(in, what, bytes, &count));
    if (count < 0 || (uint64_t)count > (uint64_t)(in->end - in->at) / least_each)
        return solid_fail(in, "%s is %lld, but the rest of the file has %zu bytes; it is damaged or cut short", what,
                          (long long)count, (size_t)(in->end - in->at));
    *out = (size_t)count;
    return RUGA_OK;
}

/* ---- Elements. */

static ruga_status check_tag(const solid_in *in, const char *what, int64_t tag) {
    if (tag >= 0 && tag < UINT32_MAX) return RUGA_OK;
    return solid_fail(in, "%s has the number %lld, which must be from 0 to %u; renumber the mesh", what, (long long)tag,
                      UINT32_MAX - 1);
}

ruga_status solid_add_vertex(solid_in *in, int64_t tag, ruga_vec3 position) {
    TRY(check_tag(in, "a vertex", tag));
    if (in->positions.count >= UINT32_MAX - 1) return solid_fail(in, "there are too many vertices");
    TRY(ARRAY_ADD(in->context, &in->tags, (uint64_t)tag << 32 | in->positions.count));
    return ARRAY_ADD(in->context, &in->positions, position);
}

ruga_status solid_add_element(solid_in *in, unsigned bytes, int is_tet, unsigned corners) {
    for (unsigned k = 0; k < corners; k++) {
        int64_t tag;
        TRY(solid_whole(in, "a vertex of an element", bytes, &tag));
        TRY(check_tag(in, "a vertex of an element", tag));
        if (is_tet)
            TRY(ARRAY_ADD(in->context, &in->tets, (uint32_t)tag));
        else
            TRY(ARRAY_ADD(in->context, &in->corners, (uint32_t)tag));
    }
    return is_tet ? RUGA_OK : ARRAY_ADD(in->context, &in->sizes, (unsigned char)corners);
}

/* ---- Tags become indices. */

static ruga_status sort_tags(solid_in *in) {
    uint64_t *tags = in->tags.items;
    size_t count = in->tags.count;
    int sorted = 1;
    for (size_t i = 1; i < count; i++) sorted &= tags[i - 1] < tags[i];
    if (!sorted) sort_keys(tags, count);
    for (size_t i = 1; i < count; i++)
        if (tags[i - 1] >> 32 == tags[i] >> 32)
            return fail_input(in->context, "%s: two vertices have the number %llu", in->name,
                              (unsigned long long)(tags[i] >> 32));
    return RUGA_OK;
}

static ruga_status resolve(const solid_in *in, const char *noun, uint32_t *tags, size_t count, size_t corners) {
    const uint64_t *keys = in->tags.items, first = in->tags.count > 0 ? keys[0] >> 32 : 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = (uint64_t)tags[i] << 32;
        /* Mostly they count up from the first. */
        size_t at = tags[i] >= first ? (size_t)(tags[i] - first) : 0;
        if (at >= in->tags.count || keys[at] >> 32 != tags[i]) at = keys_lower_bound(keys, in->tags.count, key);
        if (at == in->tags.count || keys[at] >> 32 != tags[i])
            return fail_input(in->context,
                              "%s: %s %zu refers to vertex %u, but the file has no vertex with that number; it has %zu "
                              "vertices",
                              in->name, noun, i / corners + 1, tags[i], in->tags.count);
        tags[i] = (uint32_t)keys[at];
    }
    return RUGA_OK;
}

static ruga_status make_offsets(solid_in *in, mesh_parts *parts) {
    if (parts->corner_count == 3 * parts->face_count) return RUGA_OK;
    TRY(NEW(in->context, &parts->face_offsets, parts->face_count + 1));
    parts->face_offsets[0] = 0;
    for (size_t f = 0; f < parts->face_count; f++)
        parts->face_offsets[f + 1] = parts->face_offsets[f] + in->sizes.items[f];
    return RUGA_OK;
}

ruga_status solid_finish(solid_in *in, mesh_parts *parts) {
    size_t tets = in->tets.count / 4, faces = in->sizes.count;
    if (tets == 0 && faces == 0)
        return fail_input(in->context, "%s: has neither tets nor triangles; mesh the volume before you save it",
                          in->name);
    TRY(sort_tags(in));
    TRY(resolve(in, "tet", in->tets.items, in->tets.count, 4));
    if (tets == 0) TRY(resolve(in, "face corner", in->corners.items, in->corners.count, 1));
    parts->vertex_count = in->positions.count;
    parts->positions = in->positions.items;
    in->positions.items = NULL;
    if (tets > 0) {
        parts->tet_count = tets;
        parts->tets = in->tets.items;
        in->tets.items = NULL;
        return RUGA_OK;
    }
    parts->face_count = faces;
    parts->corner_count = in->corners.count;
    parts->face_vertices = in->corners.items;
    in->corners.items = NULL;
    return make_offsets(in, parts);
}

/* ---- Writing. */

static int has_polygons(const ruga_mesh *mesh) {
    for (size_t f = 0; f < mesh->face_count; f++)
        if (mesh_face_end(mesh, f) - mesh_face_begin(mesh, f) > 4) return 1;
    return 0;
}

void solid_note_losses(const solid_out *out, const char *format_name) {
    ruga_context *context = out->target->context;
    const ruga_mesh *mesh = out->mesh;
    const char *path = file_path(out->target->out);
    if (out->as_triangles)
        log_info(context, "%s: %s has no polygons of more than four corners; triangles are written", path, format_name);
    for (size_t i = 0; i < mesh->attribute_count; i++)
        log_info(context, "%s: %s can't hold attribute \"%s\"; it is left out", path, format_name,
                 mesh->attributes[i].name);
    if (mesh->line_count > 0 || mesh->edge_count > 0)
        log_info(context, "%s: edges and polylines are left out of %s", path, format_name);
}

ruga_status solid_out_open(const io_target *target, const char *format_name, solid_out *out) {
    const ruga_mesh *mesh = target->mesh;
    *out = (solid_out){.target = target, .mesh = mesh, .positions = io_target_positions(target)};
    if (mesh->tet_count == 0) {
        out->as_triangles = has_polygons(mesh);
        out->face_count = out->as_triangles ? mesh->triangle_count : mesh->face_count;
        if (out->face_count == 0)
            return fail_input(target->context, "%s: the mesh has neither tets nor faces, so it can't be written as %s",
                              file_path(target->out), format_name);
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        ruga_vec3 p = solid_position(out, i);
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
            return fail_input(target->context, "%s: vertex %zu is not finite, which %s can't hold",
                              file_path(target->out), i, format_name);
    }
    return text_open(&out->text, target->context, target->out);
}

void solid_out_close(solid_out *out) { text_close(&out->text); }

const uint32_t *solid_face(const solid_out *out, size_t face, unsigned *corners) {
    *corners = 3;
    if (out->as_triangles) return out->mesh->triangles + 3 * face;
    size_t begin = mesh_face_begin(out->mesh, face);
    *corners = (unsigned)(mesh_face_end(out->mesh, face) - begin);
    return out->mesh->face_vertices + begin;
}

ruga_vec3 solid_position(const solid_out *out, size_t vertex) {
    return io_convert_point_out(&out->target->conversion, out->positions[vertex]);
}
