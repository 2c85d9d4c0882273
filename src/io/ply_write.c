/* Writes PLY, as text or binary of either byte order. Everything that the reader makes of a file is written so that it
 * is read back as it was: types, labels (in comments), values of corners (in lists). Positions are floats when floats
 * hold them exactly, else doubles. */
#include <math.h>
#include <string.h>

#include "base/wraps.h"
#include "io/ply.h"
#include "io/text_out.h"

typedef struct ply_writer {
    const io_target *target;
    ruga_context *context;
    int is_ascii, is_big_endian;
    ruga_attribute *attributes; /* values turned where the axes ask for it */
    size_t attribute_count;
    void **turned; /* (attribute_count) memory to release, or NULL */
    char **names;  /* (attribute_count) as a property's name can hold them */
    int positions_are_doubles;
    size_t longest_face; /* corners */
    text_out text;
    int row_begun; /* text: a blank stands before the next number */
} ply_writer;

/* ---- Names. */

/* Characters that end a word, and the first letter of reserved names, become %41. */
static ruga_status encode_name(ruga_context *context, const char *name, int is_reserved, char **out) {
    static const char digits[] = "0123456789ABCDEF";
    const size_t length = strlen(name);
    TRY(NEW(context, out, 3 * length + 1));
    char *at = *out;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)name[i];
        if (c <= ' ' || c == '%' || c == 127 || (is_reserved && i == 0)) {
            *at++ = '%';
            *at++ = digits[c >> 4];
            *at++ = digits[c & 15];
        } else {
            *at++ = (char)c;
        }
    }
    *at = 0;
    return RUGA_OK;
}

static const ply_known_name *find_known(const ruga_attribute *attribute) {
    for (const ply_known_name *known = ply_known_names; known->attribute; known++)
        if (strcmp(known->attribute, attribute->name) == 0 && known->components == attribute->components) return known;
    return NULL;
}

/* A single number must not look like one of several: a last "_0" is hidden as well. */
static int needs_hiding(const ruga_attribute *attribute) {
    const size_t length = strlen(attribute->name);
    if (attribute->domain == RUGA_DOMAIN_CORNER || attribute->components > 1) return 0;
    return ply_name_is_reserved(attribute->name) || (length > 2 && strcmp(attribute->name + length - 2, "_0") == 0);
}

/* ---- Numbers. */

/* The sign is extended by a difference that may wrap. */
WRAPS static size_t print_scalar(ruga_scalar type, const void *value, char *text) {
    float f32;
    double f64;
    if (type == RUGA_F32) {
        memcpy(&f32, value, sizeof f32);
        return number_print_float(f32, text);
    }
    if (type == RUGA_F64) {
        memcpy(&f64, value, sizeof f64);
        return number_print(f64, text);
    }
    uint64_t bits = 0;
    const size_t size = ruga_scalar_size(type);
    memcpy(&bits, value, size);
    const int is_signed = type == RUGA_I8 || type == RUGA_I16 || type == RUGA_I32;
    const uint64_t top = (uint64_t)1 << (8 * size - 1);
    return number_print_whole(is_signed ? (int64_t)((bits ^ top) - top) : (int64_t)bits, text);
}

static void put_scalar(ply_writer *w, ruga_scalar type, const void *value) {
    char *to = text_reserve(&w->text, NUMBER_CAPACITY + 1);
    const size_t size = ruga_scalar_size(type);
    if (w->is_ascii) {
        if (w->row_begun) *to = ' ';
        w->text.used += (size_t)w->row_begun + print_scalar(type, value, to + w->row_begun);
        w->row_begun = 1;
        return;
    }
    if (w->is_big_endian)
        for (size_t i = 0; i < size; i++) to[i] = ((const char *)value)[size - 1 - i];
    else
        memcpy(to, value, size);
    w->text.used += size;
}

static void put_indices(ply_writer *w, const uint32_t *indices, size_t count) {
    for (size_t i = 0; i < count; i++) put_scalar(w, RUGA_U32, &indices[i]);
}

static ruga_status end_row(ply_writer *w) {
    if (w->is_ascii) text_put_char(&w->text, '\n');
    w->row_begun = 0;
    return w->text.status;
}

/* Where an element has no value, all bits are set: no number for reals, -1 for whole ones. */
static void put_value(ply_writer *w, const ruga_attribute *attribute, size_t element) {
    static const uint64_t none = UINT64_MAX;
    const uint32_t index = attribute->indices ? attribute->indices[element] : 0;
    const int is_none = index == UINT32_MAX;
    const size_t size = ruga_scalar_size(attribute->type), i = attribute->indices ? index : element;
    const unsigned char *values = attribute->values;
    for (uint32_t k = 0; k < attribute->components; k++)
        put_scalar(w, attribute->type, is_none ? (const void *)&none : values + (i * attribute->components + k) * size);
}

static void put_values(ply_writer *w, ruga_domain domain, size_t element) {
    for (size_t i = 0; i < w->attribute_count; i++)
        if (w->attributes[i].domain == domain) put_value(w, &w->attributes[i], element);
}

/* ---- The header. */

static const char *list_count_type(size_t longest) { return longest <= UINT8_MAX ? "uchar" : "uint"; }

static size_t longest_face(const ruga_mesh *mesh) {
    size_t longest = 3;
    for (size_t i = 0; mesh->face_offsets && i < mesh->face_count; i++) {
        size_t size = mesh_face_end(mesh, i) - mesh_face_begin(mesh, i);
        if (size > longest) longest = size;
    }
    return longest;
}

static ruga_status write_remarks(ply_writer *w, const ruga_attribute *attribute, const char *name) {
    const char *domain = ply_domain_names[attribute->domain];
    if (attribute->normalised && strcmp(attribute->name, "colour") != 0)
        text_print(&w->text, "comment ruga normalised %s %s\n", domain, name);
    for (size_t i = 0; i < attribute->label_count; i++) {
        char *label = NULL;
        TRY(encode_name(w->context, attribute->labels[i], 0, &label));
        text_print(&w->text, "comment ruga label %s %s %s\n", domain, name, label);
        memory_release(w->context, label);
    }
    return RUGA_OK;
}

static void declare_attributes(ply_writer *w, ruga_domain domain) {
    for (size_t i = 0; i < w->attribute_count; i++) {
        const ruga_attribute *a = &w->attributes[i];
        const ply_known_name *known = find_known(a);
        for (uint32_t k = 0; a->domain == domain && k < a->components; k++) {
            text_print(&w->text, "property %s %s", ply_type_names[a->type], known ? known->properties[k] : w->names[i]);
            if (!known && a->components > 1) text_print(&w->text, "_%u", k);
            text_put_char(&w->text, '\n');
        }
    }
}

static void declare_corners(ply_writer *w, size_t longest) {
    for (size_t i = 0; i < w->attribute_count; i++) {
        const ruga_attribute *a = &w->attributes[i];
        if (a->domain != RUGA_DOMAIN_CORNER) continue;
        const int is_uv = a->components == 2 && strcmp(a->name, "uv") == 0;
        text_print(&w->text, "property list %s %s %s%s\n", list_count_type(longest * a->components),
                   ply_type_names[a->type], is_uv ? "texcoord" : "corner_", is_uv ? "" : w->names[i]);
    }
}

/* 1 if there is such an element at all. */
static int declare_element(ply_writer *w, const char *name, size_t count) {
    if (count == 0) return 0;
    text_print(&w->text, "element %s ", name);
    text_put_whole(&w->text, (int64_t)count);
    text_put_char(&w->text, '\n');
    return 1;
}

static ruga_status write_header(ply_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    text_out *text = &w->text;
    const char *real = w->positions_are_doubles ? "double" : "float";
    const char *index = mesh->vertex_count > INT32_MAX ? "uint" : "int";
    text_print(text, "ply\nformat %s 1.0\ncomment written by Ruga\n",
               w->is_ascii        ? "ascii"
               : w->is_big_endian ? "binary_big_endian"
                                  : "binary_little_endian");
    for (size_t i = 0; i < w->attribute_count; i++) TRY(write_remarks(w, &w->attributes[i], w->names[i]));
    if (!declare_element(w, "vertex", mesh->vertex_count)) text_put(text, "element vertex 0\n");
    text_print(text, "property %s x\nproperty %s y\nproperty %s z\n", real, real, real);
    declare_attributes(w, RUGA_DOMAIN_VERTEX);
    if (declare_element(w, "face", mesh->face_count)) {
        text_print(text, "property list %s %s vertex_indices\n", list_count_type(w->longest_face), index);
        declare_corners(w, w->longest_face);
        declare_attributes(w, RUGA_DOMAIN_FACE);
    }
    if (declare_element(w, "edge", mesh->edge_count)) {
        text_print(text, "property %s vertex1\nproperty %s vertex2\n", index, index);
        declare_attributes(w, RUGA_DOMAIN_EDGE);
    }
    if (declare_element(w, "line", mesh->line_count)) text_print(text, "property list uint %s vertex_indices\n", index);
    if (declare_element(w, "tetrahedron", mesh->tet_count))
        text_print(text, "property list uchar %s vertex_indices\n", index);
    text_put(text, "end_header\n");
    return text->status;
}

/* ---- Rows. */

static ruga_status write_vertices(ply_writer *w) {
    const io_target *target = w->target;
    const ruga_vec3 *positions = io_target_positions(target);
    for (size_t i = 0; i < target->mesh->vertex_count; i++) {
        const ruga_vec3 p = io_convert_point_out(&target->conversion, positions[i]);
        const double doubles[3] = {p.x, p.y, p.z};
        const float floats[3] = {(float)p.x, (float)p.y, (float)p.z};
        for (int k = 0; k < 3; k++)
            if (w->positions_are_doubles)
                put_scalar(w, RUGA_F64, &doubles[k]);
            else
                put_scalar(w, RUGA_F32, &floats[k]);
        put_values(w, RUGA_DOMAIN_VERTEX, i);
        TRY(end_row(w));
        TRY(io_report_written(target, i, 0));
    }
    return RUGA_OK;
}

static void put_count(ply_writer *w, size_t count, size_t longest) {
    const uint8_t small = (uint8_t)count;
    const uint32_t large = (uint32_t)count;
    if (longest <= UINT8_MAX)
        put_scalar(w, RUGA_U8, &small);
    else
        put_scalar(w, RUGA_U32, &large);
}

/* Values of one face's corners; an empty list when none has one, or when the type can't say "none". */
static void put_corners(ply_writer *w, const ruga_attribute *a, size_t begin, size_t end) {
    size_t missing = 0;
    for (size_t c = begin; a->indices && c < end; c++) missing += a->indices[c] == UINT32_MAX;
    const int is_empty = missing == end - begin || (missing > 0 && a->type < RUGA_F32);
    put_count(w, is_empty ? 0 : (end - begin) * a->components, w->longest_face * a->components);
    for (size_t c = begin; c < end && !is_empty; c++) put_value(w, a, c);
}

static ruga_status write_faces(ply_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    for (size_t i = 0; i < mesh->face_count; i++) {
        const size_t begin = mesh_face_begin(mesh, i), end = mesh_face_end(mesh, i);
        put_count(w, end - begin, w->longest_face);
        put_indices(w, mesh->face_vertices + begin, end - begin);
        for (size_t k = 0; k < w->attribute_count; k++)
            if (w->attributes[k].domain == RUGA_DOMAIN_CORNER) put_corners(w, &w->attributes[k], begin, end);
        put_values(w, RUGA_DOMAIN_FACE, i);
        TRY(end_row(w));
        TRY(io_report_written(w->target, mesh->vertex_count, i));
    }
    return RUGA_OK;
}

static ruga_status write_all(ply_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    TRY(write_header(w));
    TRY(write_vertices(w));
    TRY(write_faces(w));
    for (size_t i = 0; i < mesh->edge_count; i++) {
        put_indices(w, mesh->edges + 2 * i, 2);
        put_values(w, RUGA_DOMAIN_EDGE, i);
        TRY(end_row(w));
    }
    for (size_t i = 0; i < mesh->line_count; i++) {
        const uint32_t begin = mesh->line_offsets[i], count = mesh->line_offsets[i + 1] - begin;
        put_indices(w, &count, 1);
        put_indices(w, mesh->line_vertices + begin, count);
        TRY(end_row(w));
    }
    for (size_t i = 0; i < mesh->tet_count; i++) {
        put_count(w, 4, 4);
        put_indices(w, mesh->tets + 4 * i, 4);
        TRY(end_row(w));
    }
    return text_flush(&w->text);
}

/* ---- Preparing. */

static int floats_suffice(const io_target *target) {
    const ruga_vec3 *positions = io_target_positions(target);
    int suffice = 1;
    for (size_t i = 0; i < target->mesh->vertex_count && suffice; i++) {
        const ruga_vec3 p = io_convert_point_out(&target->conversion, positions[i]);
        suffice = (double)(float)p.x == p.x && (double)(float)p.y == p.y && (double)(float)p.z == p.z;
    }
    return suffice;
}

static ruga_status turn_attribute(ply_writer *w, size_t i) {
    ruga_attribute *attribute = &w->attributes[i];
    const io_conversion *conversion = &w->target->conversion;
    if (conversion->up == RUGA_AXIS_Y || !io_attribute_is_direction(attribute)) return RUGA_OK;
    const size_t size = ruga_scalar_size(attribute->type) * attribute->components;
    TRY(NEW_SIZED_COPY(w->context, &w->turned[i], attribute->values, attribute->count, size));
    io_turn_values(conversion, attribute, attribute->values, w->turned[i], 0);
    attribute->values = w->turned[i];
    return RUGA_OK;
}

static ruga_status prepare(ply_writer *w) {
    TRY(io_target_attributes(w->target, &w->attributes, &w->attribute_count));
    TRY(NEW_EACH_ZEROED(w->context, w->attribute_count, &w->turned, &w->names));
    TRY(text_open(&w->text, w->context, w->target->out));
    for (size_t i = 0; i < w->attribute_count; i++) {
        const ruga_attribute *attribute = &w->attributes[i];
        TRY(encode_name(w->context, attribute->name, needs_hiding(attribute), &w->names[i]));
        if (strlen(w->names[i]) > 200 || attribute->components > 256)
            return fail_unsupported(w->context, "attribute \"%.60s…\" has a name or a size that a PLY file can't hold",
                                    attribute->name);
        TRY(turn_attribute(w, i));
    }
    w->positions_are_doubles = !floats_suffice(w->target);
    w->longest_face = longest_face(w->target->mesh);
    return RUGA_OK;
}

ruga_status ply_write(const io_target *target, ruga_format format) {
    ply_writer writer = {.target = target, .context = target->context};
    writer.is_ascii = format == RUGA_FORMAT_PLY_ASCII;
    writer.is_big_endian = format == RUGA_FORMAT_PLY_BIG;
    ruga_status status = prepare(&writer);
    if (!RUGA_FAILED(status)) status = write_all(&writer);
    for (size_t i = 0; i < writer.attribute_count; i++) {
        if (writer.turned) memory_release(writer.context, writer.turned[i]);
        if (writer.names) memory_release(writer.context, writer.names[i]);
    }
    RELEASE_ALL(writer.context, writer.turned, writer.names, writer.attributes);
    text_close(&writer.text);
    return status;
}
