/* Reads PLY: vertices, faces (polygons, triangle strips), edges, polylines and tets, with every scalar property as an
 * attribute in its own type. Values of corners stand in lists beside a face's vertices: `texcoord`, as MeshLab writes
 * it, for texture coordinates, corner_<name> for others.
 *
 * Rows are decoded from a window into their final arrays, so that a large file passes through the cache once. */
#include <math.h>
#include <string.h>

#include "io/ply.h"
#include "io/ply_kernels.h"

/* Where scalars of a row go. */
typedef enum column_kind { COLUMN_COPY, COLUMN_POSITION, COLUMN_VERTEX } column_kind;

typedef struct ply_column {
    column_kind kind;
    size_t property;
    ruga_scalar type;
    size_t offset;     /* in the row; of elements without lists */
    unsigned char *to; /* the first row's */
    size_t stride;     /* bytes from one row's to the next */
} ply_column;

/* Values of corners, as they come. */
typedef struct corner_sink {
    size_t property;
    const char *name;
    ruga_scalar type;
    uint32_t components; /* 0: not known yet */
    size_t value_count;
    ARRAY(unsigned char) values;
    ARRAY(uint32_t) indices; /* by corner */
} corner_sink;

typedef struct place {
    size_t offset, count;
} place;

typedef struct ply_reader {
    ruga_context *context;
    const char *name;
    ply_header header;
    ply_input input; /* of the file */
    ply_input *rows; /* source of the rows of the current element */
    int swap;        /* their byte order is not the machine's */
    mesh_parts *parts;
    size_t vertex_count;
    const ply_element *element; /* the current one */
    size_t list;                /* its property vertex_indices; SIZE_MAX: none */
    size_t lists_begin;         /* of lines and tets, in face_vertices */
    ARRAY(ply_column) columns;
    ARRAY(corner_sink) corners;
    ARRAY(place) places; /* (properties) of the current row, from its start */
    ARRAY(uint32_t) face_vertices, offsets;
    int has_polygons; /* offsets are kept */
    size_t face_count, skipped_faces;
    int odd_corners; /* a corner list of a wrong length was reported */
} ply_reader;

/* ---- Scalars. */

static void copy_scalar(unsigned char *to, const unsigned char *from, size_t size, int swap) {
    if (!swap || size == 1) {
        memcpy(to, from, size);
        return;
    }
    for (size_t i = 0; i < size; i++) to[i] = from[size - 1 - i];
}

static double get_double(ruga_scalar type, const unsigned char *from, int swap) {
    union {
        unsigned char bytes[8];
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        float f32;
        double f64;
    } value;
    copy_scalar(value.bytes, from, ruga_scalar_size(type), swap);
    switch (type) {
        case RUGA_U8: return value.u8;
        case RUGA_I8: return value.i8;
        case RUGA_U16: return value.u16;
        case RUGA_I16: return value.i16;
        case RUGA_U32: return value.u32;
        case RUGA_I32: return value.i32;
        case RUGA_F32: return (double)value.f32;
        default: return value.f64;
    }
}

/* A vertex's number; UINT32_MAX if there is no such vertex. */
static uint32_t get_vertex(const ply_reader *r, ruga_scalar type, const unsigned char *from) {
    double number = get_double(type, from, r->swap);
    return number >= 0 && number < (double)r->vertex_count ? (uint32_t)number : UINT32_MAX;
}

static ruga_status fail_vertex(const ply_reader *r, uint64_t row, ruga_scalar type, const unsigned char *from) {
    return fail_input(r->context, "%s: %s %llu refers to vertex %.0f, but the file has %zu (counted from 0)", r->name,
                      r->element->name, (unsigned long long)row, get_double(type, from, r->swap), r->vertex_count);
}

/* ---- Which properties become which attribute. */

/* Labels and the sign of normalisation that our own comments keep; colours are normalised by their name. */
static ruga_status apply_remarks(ply_reader *r) {
    ruga_attribute *attribute = &r->parts->attributes.items[r->parts->attributes.count - 1];
    if (strcmp(attribute->name, "colour") == 0 && attribute->type < RUGA_F32) attribute->normalised = 1;
    size_t count = 0;
    const char **labels = NULL;
    TRY(NEW(r->context, &labels, r->header.remarks.count));
    for (size_t i = 0; i < r->header.remarks.count; i++) {
        const ply_remark *remark = &r->header.remarks.items[i];
        if (remark->domain != attribute->domain || strcmp(remark->attribute, attribute->name) != 0) continue;
        if (remark->label)
            labels[count++] = remark->label;
        else
            attribute->normalised = 1;
    }
    ruga_status status = RUGA_OK;
    if (count > 0) status = mesh_parts_set_labels(r->context, r->parts, labels, count);
    memory_release(r->context, labels);
    return status;
}

static ruga_status add_column(ply_reader *r, column_kind kind, size_t property, unsigned char *to, size_t stride) {
    TRY(ARRAY_RESERVE(r->context, &r->columns, 1));
    ply_column column = {kind, property, r->element->properties.items[property].type, 0, to, stride};
    for (size_t i = 0; i < property; i++) column.offset += ruga_scalar_size(r->element->properties.items[i].type);
    r->columns.items[r->columns.count++] = column;
    return RUGA_OK;
}

static int has_attribute(const mesh_parts *parts, ruga_domain domain, const char *name) {
    for (size_t i = 0; i < parts->attributes.count; i++)
        if (parts->attributes.items[i].domain == domain && strcmp(parts->attributes.items[i].name, name) == 0) return 1;
    return 0;
}

static ruga_status add_attribute(ply_reader *r, ruga_domain domain, const ply_group *group) {
    char name[256];
    if (group->name_length >= sizeof name)
        return fail_input(r->context, "%s: a property's name is longer than 255 letters", r->name);
    memcpy(name, group->name, group->name_length);
    name[group->name_length] = 0;
    ply_name_decode(name, name);
    if (has_attribute(r->parts, domain, name)) /* two names may be one once they are decoded */
        return fail_input(r->context, "%s: element %s has \"%s\" twice", r->name, r->element->name, name);
    const ruga_scalar type = r->element->properties.items[group->properties[0]].type;
    const size_t size = ruga_scalar_size(type), stride = size * group->components;
    unsigned char *values;
    TRY(NEW_SIZED_ZEROED(r->context, &values, (size_t)r->element->count, stride));
    TRY(mesh_parts_add(r->context, r->parts, name, domain, type, group->components, (size_t)r->element->count, values,
                       NULL));
    TRY(apply_remarks(r));
    for (uint32_t i = 0; i < group->components; i++)
        TRY(add_column(r, COLUMN_COPY, group->properties[i], values + i * size, stride));
    return RUGA_OK;
}

/* An attribute for every scalar property that is not marked as used. */
static ruga_status plan_attributes(ply_reader *r, ruga_domain domain, unsigned char *used) {
    const ply_element *element = r->element;
    for (size_t i = 0; i < element->properties.count; i++) {
        const ply_property *property = &element->properties.items[i];
        if (property->is_list && !used[i] && domain != RUGA_DOMAIN_FACE)
            log_info(r->context, "%s: the list %s of element %s is left out", r->name, property->name, element->name);
        if (used[i] || property->is_list) continue;
        ply_group group = {0};
        int known = ply_find_known_group(element, i, &group) && !has_attribute(r->parts, domain, group.name);
        for (uint32_t k = 0; known && k < group.components; k++) known = !used[group.properties[k]];
        if (!known && !ply_find_numbered_group(element, i, &group)) {
            group = (ply_group){.name = property->name, .name_length = strlen(property->name), .components = 1};
            group.properties[0] = i;
        }
        for (uint32_t k = 0; k < group.components; k++) used[group.properties[k]] = 1;
        TRY(add_attribute(r, domain, &group));
    }
    return RUGA_OK;
}

/* ---- Rows. */

/* One scalar of `count` rows that lie `width` bytes apart, into rows `first` and on. */
static void decode_column(const ply_reader *r, const ply_column *column, const unsigned char *from, size_t width,
                          size_t count, size_t first) {
    unsigned char *to = column->to + first * column->stride;
    const size_t size = ruga_scalar_size(column->type);
    if (column->kind == COLUMN_POSITION) {
        for (size_t i = 0; i < count; i++, from += width, to += column->stride)
            *(double *)(void *)to = get_double(column->type, from, r->swap);
    } else if (column->kind == COLUMN_VERTEX) {
        for (size_t i = 0; i < count; i++, from += width, to += column->stride)
            *(uint32_t *)(void *)to = get_vertex(r, column->type, from);
    } else if (size == 4 && !r->swap) {
        for (size_t i = 0; i < count; i++, from += width, to += column->stride) memcpy(to, from, 4);
    } else {
        for (size_t i = 0; i < count; i++, from += width, to += column->stride) copy_scalar(to, from, size, r->swap);
    }
}

/* Finds every property of the row at the window's begin, which then holds the whole row. */
static ruga_status locate_row(ply_reader *r, size_t *size) {
    size_t at = 0;
    for (size_t i = 0; i < r->element->properties.count; i++) {
        const ply_property *property = &r->element->properties.items[i];
        size_t count = 1;
        if (property->is_list) {
            const size_t count_size = ruga_scalar_size(property->count_type);
            TRY(ply_fill(r->rows, at + count_size));
            double number = get_double(property->count_type, r->rows->at + at, r->swap);
            if (number < 0)
                return fail_input(r->context, "%s: element %s has a list of %.0f numbers", r->name, r->element->name,
                                  number);
            at += count_size;
            count = (size_t)number; /* below 2³², so that its size can't overflow */
        }
        r->places.items[i] = (place){at, count};
        at += count * ruga_scalar_size(property->type);
        TRY(ply_fill(r->rows, at));
    }
    *size = at;
    return RUGA_OK;
}

static void decode_row(const ply_reader *r, size_t index) {
    for (size_t c = 0; c < r->columns.count; c++) {
        const ply_column *column = &r->columns.items[c];
        decode_column(r, column, r->rows->at + r->places.items[column->property].offset, 0, 1, index);
    }
}

/* Calls a function for every row; NULL: skips the rows. */
typedef ruga_status row_function(ply_reader *r, uint64_t row);

static ruga_status each_row(ply_reader *r, row_function *function) {
    for (uint64_t i = 0; i < r->element->count; i++) {
        size_t size = 0;
        TRY(locate_row(r, &size));
        if (function) TRY(function(r, i));
        r->rows->at += size;
    }
    return RUGA_OK;
}

static ruga_status decode_listed_row(ply_reader *r, uint64_t row) {
    decode_row(r, (size_t)row);
    return RUGA_OK;
}

/* Elements whose rows become columns and nothing else. */
static ruga_status read_columns(ply_reader *r) {
    const size_t width = r->element->least_row;
    if (r->element->has_list) return each_row(r, decode_listed_row);
    for (size_t done = 0; done < r->element->count;) {
        TRY(ply_fill(r->rows, width));
        size_t now = ply_available(r->rows) / width;
        if (now > r->element->count - done) now = (size_t)r->element->count - done;
        for (size_t c = 0; c < r->columns.count; c++)
            decode_column(r, &r->columns.items[c], r->rows->at + r->columns.items[c].offset, width, now, done);
        r->rows->at += now * width;
        done += now;
    }
    return RUGA_OK;
}

/* ---- Vertices. */

/* Fast path for x, y, z as floats and no other properties: the usual large file. */
static ruga_status read_plain_vertices(ply_reader *r) {
    void (*convert)(const unsigned char *, size_t, double *) = ISA_SELECT(r->context->isa, ply_floats_to_doubles);
    double *to = &r->parts->positions[0].x;
    for (size_t done = 0; done < r->element->count;) {
        TRY(ply_fill(r->rows, 12));
        size_t now = ply_available(r->rows) / 12;
        if (now > r->element->count - done) now = (size_t)r->element->count - done;
        convert(r->rows->at, 3 * now, to + 3 * done);
        r->rows->at += 12 * now;
        done += now;
    }
    return RUGA_OK;
}

static ruga_status plan_vertices(ply_reader *r, unsigned char *used) {
    static const char *const names[3] = {"x", "y", "z"};
    TRY(NEW(r->context, &r->parts->positions, r->vertex_count));
    r->parts->vertex_count = r->vertex_count;
    for (size_t i = 0; i < 3; i++) {
        size_t property = ply_find_property(r->element, names[i]);
        if (property == SIZE_MAX || r->element->properties.items[property].is_list)
            return fail_input(r->context, "%s: element vertex has no scalar property %s", r->name, names[i]);
        used[property] = 1;
        unsigned char *to = (unsigned char *)r->parts->positions + i * sizeof(double);
        TRY(add_column(r, COLUMN_POSITION, property, to, sizeof(ruga_vec3)));
    }
    return plan_attributes(r, RUGA_DOMAIN_VERTEX, used);
}

static ruga_status read_vertices(ply_reader *r, unsigned char *used) {
    TRY(plan_vertices(r, used));
    int plain = r->element->properties.count == 3 && !r->element->has_list && !r->swap;
    for (size_t i = 0; i < 3; i++)
        plain = plain && r->columns.items[i].type == RUGA_F32 && r->columns.items[i].property == i;
    return plain ? read_plain_vertices(r) : read_columns(r);
}

/* ---- Faces. */

/* Offsets are kept from the first face that is not a triangle. */
static ruga_status end_face(ply_reader *r, size_t size) {
    if (size != 3 && !r->has_polygons) {
        r->has_polygons = 1;
        TRY(ARRAY_RESERVE(r->context, &r->offsets, r->face_count + 1));
        for (size_t i = 0; i <= r->face_count; i++) r->offsets.items[r->offsets.count++] = (uint32_t)(3 * i);
    }
    r->face_count++;
    if (!r->has_polygons) return RUGA_OK;
    return ARRAY_ADD(r->context, &r->offsets, (uint32_t)r->face_vertices.count);
}

/* The vertices of the current row's list. */
static ruga_status append_vertices(ply_reader *r, uint64_t row) {
    const place at = r->places.items[r->list];
    const ruga_scalar type = r->element->properties.items[r->list].type;
    if (r->face_vertices.count + at.count >= UINT32_MAX)
        return fail_input(r->context, "%s: its faces have more than 2^32 corners", r->name);
    TRY(ARRAY_RESERVE(r->context, &r->face_vertices, at.count));
    const unsigned char *from = r->rows->at + at.offset;
    for (size_t i = 0; i < at.count; i++, from += ruga_scalar_size(type)) {
        uint32_t vertex = get_vertex(r, type, from);
        if (vertex == UINT32_MAX) return fail_vertex(r, row, type, from);
        r->face_vertices.items[r->face_vertices.count++] = vertex;
    }
    return RUGA_OK;
}

/* A corner without a value is marked by a real that is no number. */
static int is_no_value(const corner_sink *sink, const unsigned char *from, int swap) {
    return sink->type >= RUGA_F32 && isnan(get_double(sink->type, from, swap));
}

static ruga_status append_corners(ply_reader *r, corner_sink *sink, size_t corners) {
    const place at = r->places.items[sink->property];
    const size_t size = ruga_scalar_size(sink->type);
    if (sink->components == 0 && at.count > 0 && at.count % corners == 0 && at.count / corners <= 256)
        sink->components = (uint32_t)(at.count / corners);
    const int fits = at.count > 0 && at.count == corners * sink->components;
    if (!fits && at.count > 0 && !r->odd_corners++)
        log_warning(r->context, "%s: a list %s has %zu numbers for %zu corners; such faces get no values", r->name,
                    r->element->properties.items[sink->property].name, at.count, corners);
    TRY(ARRAY_RESERVE(r->context, &sink->indices, corners));
    if (fits) TRY(ARRAY_RESERVE(r->context, &sink->values, at.count * size));
    const unsigned char *from = r->rows->at + at.offset;
    for (size_t i = 0; i < corners; i++) {
        if (!fits || is_no_value(sink, from + i * sink->components * size, r->swap)) {
            sink->indices.items[sink->indices.count++] = UINT32_MAX;
            continue;
        }
        for (size_t k = 0; k < sink->components; k++, sink->values.count += size)
            copy_scalar(sink->values.items + sink->values.count, from + (i * sink->components + k) * size, size,
                        r->swap);
        sink->indices.items[sink->indices.count++] = (uint32_t)sink->value_count++;
    }
    return RUGA_OK;
}

static size_t find_indices(const ply_element *element) {
    size_t property = ply_find_property(element, "vertex_indices");
    if (property == SIZE_MAX) property = ply_find_property(element, "vertex_index");
    if (property != SIZE_MAX && !element->properties.items[property].is_list) return SIZE_MAX;
    return property;
}

/* A face of fewer than three vertices has no area: it is left out. */
static ruga_status read_face(ply_reader *r, uint64_t row) {
    const size_t size = r->places.items[r->list].count;
    if (size < 3) {
        r->skipped_faces++;
        return RUGA_OK;
    }
    TRY(append_vertices(r, row));
    decode_row(r, r->face_count);
    for (size_t i = 0; i < r->corners.count; i++) TRY(append_corners(r, &r->corners.items[i], size));
    return end_face(r, size);
}

/* Rows of 13 bytes, as long as all are triangles; leaves the input at the first other row. */
static ruga_status read_plain_triangles(ply_reader *r, size_t *done) {
    size_t (*copy)(const unsigned char *, size_t, uint32_t *, uint32_t *) =
        ISA_SELECT(r->context->isa, ply_copy_triangles);
    const size_t count = (size_t)r->element->count;
    while (*done < count) {
        TRY(ply_fill(r->rows, 1));
        if (ply_available(r->rows) < 13 && ply_remaining(r->rows) >= 13) TRY(ply_fill(r->rows, 13));
        size_t now = ply_available(r->rows) / 13;
        if (now > count - *done) now = count - *done;
        uint32_t *to = r->face_vertices.items + 3 * *done, highest = 0;
        size_t copied = copy(r->rows->at, now, to, &highest);
        for (size_t i = 0; copied > 0 && highest >= r->vertex_count && i < 3 * copied; i++)
            if (to[i] >= r->vertex_count)
                return fail_vertex(r, *done + i / 3, r->element->properties.items[0].type,
                                   r->rows->at + i / 3 * 13 + 1 + i % 3 * 4);
        r->rows->at += 13 * copied;
        *done += copied;
        r->face_count = *done;
        r->face_vertices.count = 3 * *done;
        if (copied < now || now == 0) return RUGA_OK;
    }
    return RUGA_OK;
}

static int faces_are_plain(const ply_reader *r) {
    const ply_property *property = &r->element->properties.items[0];
    return r->element->properties.count == 1 && !r->swap && ruga_scalar_size(property->count_type) == 1 &&
           (property->type == RUGA_I32 || property->type == RUGA_U32);
}

static ruga_status plan_faces(ply_reader *r, unsigned char *used) {
    TRY(plan_attributes(r, RUGA_DOMAIN_FACE, used));
    for (size_t i = 0; i < r->element->properties.count; i++) {
        const ply_property *property = &r->element->properties.items[i];
        if (!property->is_list || used[i]) continue;
        const char *name = strncmp(property->name, "corner_", 7) == 0 ? property->name + 7 : NULL;
        if (strcmp(property->name, "texcoord") == 0) name = "uv";
        if (!name) {
            log_info(r->context, "%s: the list %s of faces is unknown and ignored", r->name, property->name);
            continue;
        }
        TRY(ARRAY_ADD(r->context, &r->corners, (corner_sink){.property = i, .name = name, .type = property->type}));
    }
    return RUGA_OK;
}

/* Corner values become attributes; indices are dropped where every corner has its own. */
static ruga_status finish_corners(ply_reader *r) {
    for (size_t i = 0; i < r->corners.count; i++) {
        corner_sink *sink = &r->corners.items[i];
        char name[256];
        if (sink->components == 0 || strlen(sink->name) >= sizeof name) continue;
        ply_name_decode(sink->name, name);
        if (has_attribute(r->parts, RUGA_DOMAIN_CORNER, name)) continue;
        uint32_t *indices = sink->indices.items;
        if (sink->value_count == sink->indices.count) {
            memory_release(r->context, indices);
            indices = NULL;
        }
        void *values = sink->values.items;
        sink->values.items = NULL;
        sink->indices.items = NULL;
        TRY(mesh_parts_add(r->context, r->parts, name, RUGA_DOMAIN_CORNER, sink->type, sink->components,
                           sink->value_count, values, indices));
        TRY(apply_remarks(r));
    }
    return RUGA_OK;
}

static ruga_status check_list(const ply_reader *r) {
    if (r->list != SIZE_MAX && r->element->properties.items[r->list].type < RUGA_F32) return RUGA_OK;
    return fail_input(r->context, "%s: element %s has no list vertex_indices of whole numbers", r->name,
                      r->element->name);
}

static ruga_status read_faces(ply_reader *r, unsigned char *used) {
    TRY(check_list(r));
    used[r->list] = 1;
    TRY(plan_faces(r, used));
    size_t done = 0;
    const uint64_t most = ply_remaining(r->rows) / 13;
    if (faces_are_plain(r) && most > 0) {
        TRY(ARRAY_RESERVE(r->context, &r->face_vertices, 3 * (most < r->element->count ? most : r->element->count)));
        TRY(read_plain_triangles(r, &done));
    }
    for (; done < r->element->count; done++) {
        size_t size = 0;
        TRY(locate_row(r, &size));
        TRY(read_face(r, done));
        r->rows->at += size;
    }
    for (size_t i = 0; i < r->parts->attributes.count; i++)
        if (r->parts->attributes.items[i].domain == RUGA_DOMAIN_FACE)
            r->parts->attributes.items[i].count = r->face_count;
    return finish_corners(r);
}

/* Every other triangle of a strip is reversed; a negative number starts a new strip. */
static ruga_status read_strip(ply_reader *r, uint64_t row) {
    const place at = r->places.items[r->list];
    const ruga_scalar type = r->element->properties.items[r->list].type;
    const size_t size = ruga_scalar_size(type);
    uint32_t last[2] = {0, 0};
    size_t length = 0;
    for (size_t i = 0; i < at.count; i++) {
        const unsigned char *from = r->rows->at + at.offset + i * size;
        if (get_double(type, from, r->swap) < 0) {
            length = 0;
            continue;
        }
        const uint32_t vertex = get_vertex(r, type, from);
        if (vertex == UINT32_MAX) return fail_vertex(r, row, type, from);
        if (length >= 2 && last[0] != last[1] && last[0] != vertex && last[1] != vertex) {
            TRY(ARRAY_RESERVE(r->context, &r->face_vertices, 3));
            uint32_t *triangle = r->face_vertices.items + r->face_vertices.count;
            triangle[0] = last[length % 2];
            triangle[1] = last[1 - length % 2];
            triangle[2] = vertex;
            r->face_vertices.count += 3;
            TRY(end_face(r, 3));
        }
        last[0] = last[1];
        last[1] = vertex;
        length++;
    }
    return RUGA_OK;
}

/* ---- Edges, polylines, tets. */

static ruga_status read_edges(ply_reader *r, unsigned char *used) {
    static const char *const names[2] = {"vertex1", "vertex2"};
    mesh_parts *parts = r->parts;
    TRY(NEW(r->context, &parts->edges, 2 * (size_t)r->element->count));
    parts->edge_count = (size_t)r->element->count;
    for (size_t i = 0; i < 2; i++) {
        size_t property = ply_find_property(r->element, names[i]);
        if (property == SIZE_MAX || r->element->properties.items[property].is_list)
            return fail_input(r->context, "%s: element edge has no scalar property %s", r->name, names[i]);
        used[property] = 1;
        TRY(add_column(r, COLUMN_VERTEX, property, (unsigned char *)(parts->edges + i), 8));
    }
    TRY(plan_attributes(r, RUGA_DOMAIN_EDGE, used));
    TRY(read_columns(r));
    for (size_t i = 0; i < 2 * parts->edge_count; i++)
        if (parts->edges[i] == UINT32_MAX)
            return fail_input(r->context, "%s: edge %zu refers to a vertex beyond the file's %zu", r->name, i / 2,
                              r->vertex_count);
    return RUGA_OK;
}

static ruga_status read_line(ply_reader *r, uint64_t row) {
    if (r->places.items[r->list].count < 2) return RUGA_OK;
    TRY(append_vertices(r, row));
    r->parts->line_offsets[++r->parts->line_count] = (uint32_t)(r->face_vertices.count - r->lists_begin);
    return RUGA_OK;
}

static ruga_status read_tet(ply_reader *r, uint64_t row) {
    const size_t count = r->places.items[r->list].count;
    if (count == 4) return append_vertices(r, row);
    return fail_input(r->context, "%s: %s %llu has %zu vertices, but a tet has 4", r->name, r->element->name,
                      (unsigned long long)row, count);
}

/* The vertices of all rows. They follow those of faces for a moment. */
static ruga_status read_lists(ply_reader *r, row_function *read_row, uint32_t **out) {
    r->lists_begin = r->face_vertices.count;
    TRY(each_row(r, read_row));
    const size_t count = r->face_vertices.count - r->lists_begin;
    r->face_vertices.count = r->lists_begin;
    return NEW_COPY(r->context, out, count > 0 ? r->face_vertices.items + r->lists_begin : NULL, count);
}

/* ---- All elements. */

static int element_is(const ply_reader *r, const char *name) { return strcmp(r->element->name, name) == 0; }

static ruga_status skip_element(ply_reader *r) {
    log_info(r->context, "%s: element %s is unknown and ignored", r->name, r->element->name);
    if (r->element->properties.count == 0) return RUGA_OK;
    r->columns.count = 0;
    return read_columns(r);
}

static ruga_status read_kind(ply_reader *r, unsigned char *used) {
    const size_t count = (size_t)r->element->count;
    if (element_is(r, "vertex")) return read_vertices(r, used);
    if (element_is(r, "face")) return count > 0 ? read_faces(r, used) : RUGA_OK;
    if (element_is(r, "edge")) return count > 0 ? read_edges(r, used) : RUGA_OK;
    if (!element_is(r, "tristrips") && !element_is(r, "line") && !element_is(r, "tetrahedron")) return skip_element(r);
    TRY(check_list(r));
    if (element_is(r, "tristrips")) return each_row(r, read_strip);
    if (element_is(r, "tetrahedron")) {
        r->parts->tet_count = count;
        return read_lists(r, read_tet, &r->parts->tets);
    }
    TRY(NEW_ZEROED(r->context, &r->parts->line_offsets, count + 1));
    return read_lists(r, read_line, &r->parts->line_vertices);
}

/* Refuses counts that are too large for the rest of the file, before memory is allocated. */
static ruga_status check_count(const ply_reader *r) {
    const ply_element *element = r->element;
    const int is_known = element_is(r, "vertex") || element_is(r, "face") || element_is(r, "edge");
    if (element->least_row == 0 && element->count > 0 && is_known)
        return fail_input(r->context, "%s: element %s has no properties", r->name, element->name);
    const int fits = element->least_row == 0 || element->count <= ply_remaining(r->rows) / element->least_row;
    if (!fits)
        return fail_input(r->context,
                          "%s: cut short: it declares %llu rows of element %s, but has bytes for %llu at most", r->name,
                          (unsigned long long)element->count, element->name,
                          (unsigned long long)(ply_remaining(r->rows) / element->least_row));
    return RUGA_OK;
}

static ruga_status read_element_rows(ply_reader *r) {
    const size_t properties = r->element->properties.count;
    r->columns.count = 0;
    r->places.count = 0;
    r->list = find_indices(r->element);
    TRY(check_count(r));
    TRY(ARRAY_RESERVE(r->context, &r->places, properties + 1));
    unsigned char *used = NULL;
    TRY(NEW_ZEROED(r->context, &used, properties));
    ruga_status status = read_kind(r, used);
    memory_release(r->context, used);
    return status;
}

static ruga_status read_text_element(ply_reader *r, unsigned *line) {
    unsigned char *bytes = NULL;
    size_t size = 0;
    TRY(ply_rows_from_text(&r->input, r->element, line, &bytes, &size));
    ply_input rows = {.context = r->context, .name = r->name, .at = bytes, .end = bytes + size};
    r->rows = &rows;
    ruga_status status = read_element_rows(r);
    r->rows = &r->input;
    memory_release(r->context, bytes);
    return status;
}

static ruga_status read_elements(ply_reader *r) {
    unsigned line = r->header.line_count + 1;
    const ply_element *vertices = ply_header_find(&r->header, "vertex");
    if (!vertices) return fail_input(r->context, "%s: element vertex is missing", r->name);
    if (vertices->count >= UINT32_MAX)
        return fail_input(r->context, "%s: %llu vertices are too many: 2^32 is the limit", r->name,
                          (unsigned long long)vertices->count);
    r->vertex_count = (size_t)vertices->count;
    r->swap = r->header.is_big_endian;
    if (r->header.is_ascii) TRY(ply_fill(&r->input, (size_t)ply_remaining(&r->input)));
    for (size_t i = 0; i < r->header.elements.count; i++) {
        r->element = &r->header.elements.items[i];
        r->rows = &r->input;
        TRY(r->header.is_ascii ? read_text_element(r, &line) : read_element_rows(r));
    }
    return RUGA_OK;
}

static void release_reader(ply_reader *r) {
    for (size_t i = 0; i < r->corners.count; i++)
        RELEASE_ALL(r->context, r->corners.items[i].values.items, r->corners.items[i].indices.items);
    RELEASE_ALL(r->context, r->corners.items, r->columns.items, r->places.items, r->face_vertices.items,
                r->offsets.items, r->input.buffer);
    ply_header_release(r->context, &r->header);
}

ruga_status ply_read(const io_source *source, mesh_parts *parts) {
    ply_reader reader = {.context = source->context, .name = source->name, .parts = parts};
    reader.input =
        (ply_input){.context = source->context, .name = source->name, .stream = source->stream, .size = source->size};
    if (source->stream) {
        reader.input.unread = source->size;
    } else {
        reader.input.at = source->bytes;
        reader.input.end = source->bytes + source->size;
    }
    ruga_status status = ply_header_read(&reader.input, &reader.header);
    if (!RUGA_FAILED(status)) status = read_elements(&reader);
    if (!RUGA_FAILED(status)) {
        parts->face_count = reader.face_count;
        parts->corner_count = reader.face_vertices.count;
        parts->face_vertices = reader.face_vertices.items;
        parts->face_offsets = reader.offsets.items;
        reader.face_vertices.items = reader.offsets.items = NULL;
    }
    const size_t skipped = reader.skipped_faces;
    release_reader(&reader);
    if (RUGA_FAILED(status) || skipped == 0) return status;
    log_warning(source->context, "%s: %zu faces with fewer than 3 vertices were left out", source->name, skipped);
    return RUGA_WARNING_INPUT;
}
