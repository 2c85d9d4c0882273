/* Writes PLY, as text or binary of either byte order. Everything that the reader makes of a file is written so that it
 * is read back as it was: types, labels (in comments), values of corners (in lists). Positions are floats when floats
 * hold them exactly, else doubles. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "io/ply.h"

#define PLY_WRITE_BUFFER 65536

typedef struct ply_writer {
    const io_target *target;
    ruga_context *context;
    int is_ascii, is_big_endian;
    ruga_attribute *attributes; /* values turned where the axes ask for it */
    size_t attribute_count;
    void **turned; /* (attribute_count) memory to release, or NULL */
    char **names;  /* (attribute_count) as a property's name can hold them */
    int positions_are_doubles;
    int indices_are_unsigned;
    unsigned char *buffer;
    size_t used;
    int row_begun; /* text: a blank stands before the next number */
} ply_writer;

/* ---- Names. */

/* Letters that end a word, or what a reader would take for something else, become %41. */
static char *encode_name(ruga_context *context, const char *name, int is_reserved) {
    static const char digits[] = "0123456789ABCDEF";
    const size_t length = strlen(name);
    char *encoded = memory_allocate(context, 3 * length + 1, 1), *at = encoded;
    if (!encoded) return NULL;
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
    return encoded;
}

static const ply_known_name *find_known(const ruga_attribute *attribute) {
    for (const ply_known_name *known = ply_known_names; known->attribute; known++)
        if (strcmp(known->attribute, attribute->name) == 0 && known->components == attribute->components) return known;
    return NULL;
}

static int is_uv_of_corners(const ruga_attribute *attribute) {
    return attribute->domain == RUGA_DOMAIN_CORNER && attribute->components == 2 && strcmp(attribute->name, "uv") == 0;
}

/* A single number must not look like one of several: a last "_0" is hidden as well. */
static int needs_hiding(const ruga_attribute *attribute) {
    const size_t length = strlen(attribute->name);
    if (attribute->domain == RUGA_DOMAIN_CORNER || attribute->components > 1) return 0;
    return ply_name_is_reserved(attribute->name) || (length > 2 && strcmp(attribute->name + length - 2, "_0") == 0);
}

/* ---- Numbers. */

static ruga_status flush(ply_writer *w) {
    size_t used = w->used;
    w->used = 0;
    return file_write(w->target->out, w->buffer, used);
}

static size_t print_scalar(ruga_scalar type, const void *value, char *text) {
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

static ruga_status put_scalar(ply_writer *w, ruga_scalar type, const void *value) {
    if (PLY_WRITE_BUFFER - w->used < NUMBER_CAPACITY + 1) TRY(flush(w));
    unsigned char *to = w->buffer + w->used;
    const size_t size = ruga_scalar_size(type);
    if (w->is_ascii) {
        if (w->row_begun) *to++ = ' ', w->used++;
        w->used += print_scalar(type, value, (char *)to);
        w->row_begun = 1;
    } else if (w->is_big_endian) {
        for (size_t i = 0; i < size; i++) to[i] = ((const unsigned char *)value)[size - 1 - i];
        w->used += size;
    } else {
        memcpy(to, value, size);
        w->used += size;
    }
    return RUGA_OK;
}

static ruga_status put_index(ply_writer *w, uint32_t index) { return put_scalar(w, RUGA_U32, &index); }

static ruga_status end_row(ply_writer *w) {
    if (!w->is_ascii) return RUGA_OK;
    if (w->used == PLY_WRITE_BUFFER) TRY(flush(w));
    w->buffer[w->used++] = '\n';
    w->row_begun = 0;
    return RUGA_OK;
}

/* Where an element has no value, all bits are set: no number for reals, -1 for whole ones. */
static ruga_status put_value(ply_writer *w, const ruga_attribute *attribute, size_t element) {
    static const uint64_t none = UINT64_MAX;
    const uint32_t index = attribute->indices ? attribute->indices[element] : 0;
    const int is_none = index == UINT32_MAX;
    const size_t size = ruga_scalar_size(attribute->type), i = attribute->indices ? index : element;
    const unsigned char *values = attribute->values;
    for (uint32_t k = 0; k < attribute->components; k++)
        TRY(put_scalar(w, attribute->type,
                       is_none ? (const void *)&none : values + (i * attribute->components + k) * size));
    return RUGA_OK;
}

static ruga_status put_values(ply_writer *w, ruga_domain domain, size_t element) {
    for (size_t i = 0; i < w->attribute_count; i++)
        if (w->attributes[i].domain == domain) TRY(put_value(w, &w->attributes[i], element));
    return RUGA_OK;
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

static const char *index_type(const ply_writer *w) { return w->indices_are_unsigned ? "uint" : "int"; }

static ruga_status write_remarks(const ply_writer *w, const ruga_attribute *attribute, const char *name) {
    file *out = w->target->out;
    const char *domain = ply_domain_names[attribute->domain];
    if (attribute->normalised && strcmp(attribute->name, "colour") != 0)
        TRY(file_print(out, "comment ruga normalised %s %s\n", domain, name));
    for (size_t i = 0; i < attribute->label_count; i++) {
        char *label = encode_name(w->context, attribute->labels[i], 0);
        if (!label) return fail_memory(w->context, 3 * strlen(attribute->labels[i]) + 1);
        ruga_status status = file_print(out, "comment ruga label %s %s %s\n", domain, name, label);
        memory_release(w->context, label);
        TRY(status);
    }
    return RUGA_OK;
}

static ruga_status declare_scalars(const ply_writer *w, const ruga_attribute *attribute, const char *name) {
    file *out = w->target->out;
    const char *type = ply_type_names[attribute->type];
    const ply_known_name *known = find_known(attribute);
    if (!known && attribute->components == 1) return file_print(out, "property %s %s\n", type, name);
    for (uint32_t i = 0; i < attribute->components; i++) {
        if (known)
            TRY(file_print(out, "property %s %s\n", type, known->properties[i]));
        else
            TRY(file_print(out, "property %s %s_%u\n", type, name, i));
    }
    return RUGA_OK;
}

static ruga_status declare_attributes(const ply_writer *w, ruga_domain domain) {
    for (size_t i = 0; i < w->attribute_count; i++)
        if (w->attributes[i].domain == domain) TRY(declare_scalars(w, &w->attributes[i], w->names[i]));
    return RUGA_OK;
}

static ruga_status declare_corners(const ply_writer *w, size_t longest) {
    for (size_t i = 0; i < w->attribute_count; i++) {
        const ruga_attribute *a = &w->attributes[i];
        if (a->domain != RUGA_DOMAIN_CORNER) continue;
        const int is_uv = is_uv_of_corners(a);
        TRY(file_print(w->target->out, "property list %s %s %s%s\n", list_count_type(longest * a->components),
                       ply_type_names[a->type], is_uv ? "texcoord" : "corner_", is_uv ? "" : w->names[i]));
    }
    return RUGA_OK;
}

static ruga_status write_header(const ply_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    file *out = w->target->out;
    const char *format = w->is_ascii ? "ascii" : w->is_big_endian ? "binary_big_endian" : "binary_little_endian";
    const char *real = w->positions_are_doubles ? "double" : "float", *index = index_type(w);
    TRY(file_print(out, "ply\nformat %s 1.0\ncomment written by Ruga\n", format));
    for (size_t i = 0; i < w->attribute_count; i++) TRY(write_remarks(w, &w->attributes[i], w->names[i]));
    TRY(file_print(out, "element vertex %zu\nproperty %s x\nproperty %s y\nproperty %s z\n", mesh->vertex_count, real,
                   real, real));
    TRY(declare_attributes(w, RUGA_DOMAIN_VERTEX));
    if (mesh->face_count > 0) {
        const size_t longest = longest_face(mesh);
        TRY(file_print(out, "element face %zu\nproperty list %s %s vertex_indices\n", mesh->face_count,
                       list_count_type(longest), index));
        TRY(declare_corners(w, longest));
        TRY(declare_attributes(w, RUGA_DOMAIN_FACE));
    }
    if (mesh->edge_count > 0) {
        TRY(file_print(out, "element edge %zu\nproperty %s vertex1\nproperty %s vertex2\n", mesh->edge_count, index,
                       index));
        TRY(declare_attributes(w, RUGA_DOMAIN_EDGE));
    }
    if (mesh->line_count > 0)
        TRY(file_print(out, "element line %zu\nproperty list uint %s vertex_indices\n", mesh->line_count, index));
    if (mesh->tet_count > 0)
        TRY(file_print(out, "element tetrahedron %zu\nproperty list uchar %s vertex_indices\n", mesh->tet_count,
                       index));
    return file_print(out, "end_header\n");
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
            TRY(w->positions_are_doubles ? put_scalar(w, RUGA_F64, &doubles[k]) : put_scalar(w, RUGA_F32, &floats[k]));
        TRY(put_values(w, RUGA_DOMAIN_VERTEX, i));
        TRY(end_row(w));
        TRY(io_report_written(target, i, 0));
    }
    return RUGA_OK;
}

static ruga_status put_count(ply_writer *w, size_t count, size_t longest) {
    const uint8_t small = (uint8_t)count;
    const uint32_t large = (uint32_t)count;
    return longest <= UINT8_MAX ? put_scalar(w, RUGA_U8, &small) : put_scalar(w, RUGA_U32, &large);
}

/* Values of one face's corners; an empty list when none has one, or when the type can't say "none". */
static ruga_status put_corners(ply_writer *w, const ruga_attribute *a, size_t begin, size_t end, size_t longest) {
    size_t missing = 0;
    for (size_t c = begin; a->indices && c < end; c++) missing += a->indices[c] == UINT32_MAX;
    const int is_empty = missing == end - begin || (missing > 0 && a->type < RUGA_F32);
    TRY(put_count(w, is_empty ? 0 : (end - begin) * a->components, longest * a->components));
    for (size_t c = begin; c < end && !is_empty; c++) TRY(put_value(w, a, c));
    return RUGA_OK;
}

static ruga_status write_faces(ply_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    const size_t longest = longest_face(mesh);
    for (size_t i = 0; i < mesh->face_count; i++) {
        const size_t begin = mesh_face_begin(mesh, i), end = mesh_face_end(mesh, i);
        TRY(put_count(w, end - begin, longest));
        for (size_t c = begin; c < end; c++) TRY(put_index(w, mesh->face_vertices[c]));
        for (size_t k = 0; k < w->attribute_count; k++)
            if (w->attributes[k].domain == RUGA_DOMAIN_CORNER)
                TRY(put_corners(w, &w->attributes[k], begin, end, longest));
        TRY(put_values(w, RUGA_DOMAIN_FACE, i));
        TRY(end_row(w));
        TRY(io_report_written(w->target, mesh->vertex_count, i));
    }
    return RUGA_OK;
}

static ruga_status write_edges(ply_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    for (size_t i = 0; i < mesh->edge_count; i++) {
        TRY(put_index(w, mesh->edges[2 * i]));
        TRY(put_index(w, mesh->edges[2 * i + 1]));
        TRY(put_values(w, RUGA_DOMAIN_EDGE, i));
        TRY(end_row(w));
    }
    return RUGA_OK;
}

static ruga_status write_lines(ply_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    for (size_t i = 0; i < mesh->line_count; i++) {
        TRY(put_index(w, mesh->line_offsets[i + 1] - mesh->line_offsets[i]));
        for (size_t k = mesh->line_offsets[i]; k < mesh->line_offsets[i + 1]; k++)
            TRY(put_index(w, mesh->line_vertices[k]));
        TRY(end_row(w));
    }
    return RUGA_OK;
}

static ruga_status write_tets(ply_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    for (size_t i = 0; i < mesh->tet_count; i++) {
        TRY(put_count(w, 4, 4));
        for (size_t k = 0; k < 4; k++) TRY(put_index(w, mesh->tets[4 * i + k]));
        TRY(end_row(w));
    }
    return RUGA_OK;
}

static ruga_status write_all(ply_writer *w) {
    TRY(write_header(w));
    TRY(write_vertices(w));
    TRY(write_faces(w));
    TRY(write_edges(w));
    TRY(write_lines(w));
    TRY(write_tets(w));
    return flush(w);
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
    w->turned[i] = memory_copy(w->context, attribute->values, attribute->count, size);
    if (!w->turned[i]) return fail_memory(w->context, attribute->count * size);
    io_turn_values(conversion, attribute, attribute->values, w->turned[i], 0);
    attribute->values = w->turned[i];
    return RUGA_OK;
}

static ruga_status prepare(ply_writer *w) {
    TRY(io_target_attributes(w->target, &w->attributes, &w->attribute_count));
    w->turned = ALLOCATE_ZEROED(w->context, void *, w->attribute_count);
    w->names = ALLOCATE_ZEROED(w->context, char *, w->attribute_count);
    w->buffer = ALLOCATE(w->context, unsigned char, PLY_WRITE_BUFFER);
    if (!w->turned || !w->names || !w->buffer) return fail_memory(w->context, PLY_WRITE_BUFFER);
    for (size_t i = 0; i < w->attribute_count; i++) {
        const ruga_attribute *attribute = &w->attributes[i];
        w->names[i] = encode_name(w->context, attribute->name, needs_hiding(attribute));
        if (!w->names[i]) return fail_memory(w->context, 3 * strlen(attribute->name) + 1);
        if (strlen(w->names[i]) > 200 || attribute->components > 256)
            return fail_with(w->context, RUGA_ERROR_UNSUPPORTED,
                             "attribute \"%.60s…\" has a name or a size that a PLY file can't hold", attribute->name);
        TRY(turn_attribute(w, i));
    }
    w->positions_are_doubles = !floats_suffice(w->target);
    w->indices_are_unsigned = w->target->mesh->vertex_count > INT32_MAX;
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
    memory_release(writer.context, writer.turned);
    memory_release(writer.context, writer.names);
    memory_release(writer.context, writer.buffer);
    memory_release(writer.context, writer.attributes);
    return status;
}
