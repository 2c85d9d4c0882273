/* Typed access to the bytes of buffers: strides, normalised integers, padded matrices, sparse elements. */
#include <string.h>

#include "io/gltf.h"
#include "io/gltf_kernels.h"

/* ---- Opening: every number is checked against the bytes there are. */

/* glTF's number of each scalar type; 0: it has none. */
const uint32_t gltf_component_numbers[8] = {
    [RUGA_I8] = 5120, [RUGA_U8] = 5121, [RUGA_I16] = 5122, [RUGA_U16] = 5123, [RUGA_U32] = 5125, [RUGA_F32] = 5126};

static int scalar_from_component(uint64_t component, ruga_scalar *type) {
    for (int i = 0; i < 8; i++)
        if (component == gltf_component_numbers[i] && component != 0) {
            *type = (ruga_scalar)i;
            return 1;
        }
    return 0;
}

static uint32_t scalar_bytes(ruga_scalar type) { return (uint32_t)ruga_scalar_size(type); }

static int shape_from_text(const char *text, gltf_accessor *a) {
    static const struct {
        const char *name;
        uint32_t components, rows;
    } shapes[] = {{"SCALAR", 1, 1}, {"VEC2", 2, 2}, {"VEC3", 3, 3}, {"VEC4", 4, 4},
                  {"MAT2", 4, 2},   {"MAT3", 9, 3}, {"MAT4", 16, 4}};
    for (size_t i = 0; text && i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(text, shapes[i].name) != 0) continue;
        a->components = shapes[i].components;
        a->rows = shapes[i].rows;
        a->row_bytes = a->rows * scalar_bytes(a->type);
        /* The columns of a matrix begin at multiples of four bytes. */
        if (a->components > a->rows) a->row_bytes = (a->row_bytes + 3) / 4 * 4;
        return 1;
    }
    return 0;
}

/* Bytes from the start of an element to the end of its last scalar. */
static uint64_t element_span(const gltf_accessor *a) {
    return (uint64_t)(a->components / a->rows - 1) * a->row_bytes + a->rows * scalar_bytes(a->type);
}

static size_t element_size(const gltf_accessor *a) { return (size_t)a->components * scalar_bytes(a->type); }

/* The buffer view's place, with `offset` bytes more, for `count` elements of `span` bytes; stride 0: `natural`. */
typedef struct view_request {
    const json_value *at;
    uint64_t offset, count, span, natural;
    int strided;
} view_request;

static ruga_status open_view(gltf_document *doc, uint32_t view, const view_request *r, uint32_t *buffer,
                             uint64_t *offset, uint64_t *stride) {
    const json_value *json = gltf_item(doc, "bufferViews", view);
    uint64_t view_offset, view_length, view_stride;
    TRY(gltf_check_extensions(doc, json));
    TRY(gltf_index(doc, json, "buffer", "buffers", buffer));
    if (*buffer == GLTF_NONE) return gltf_fail(doc, json, "buffer view %u names no buffer", view);
    TRY(gltf_whole(doc, json, "byteOffset", 0, UINT64_MAX, &view_offset));
    TRY(gltf_whole(doc, json, "byteLength", 0, UINT64_MAX, &view_length));
    TRY(gltf_whole(doc, json, "byteStride", 0, 65536, &view_stride));
    uint32_t decoded;
    TRY(gltf_decode_view(doc, view, &decoded));
    if (decoded != GLTF_NONE) *buffer = decoded, view_offset = 0;
    *stride = r->strided && view_stride > 0 ? view_stride : r->natural;
    *offset = view_offset + r->offset;
    if (r->count == 0) return RUGA_OK;
    /* All numbers are below 2^53, counts below 2^32 and strides below 2^17: nothing overflows. */
    uint64_t end = r->offset + (r->count - 1) * *stride + r->span;
    if (end > view_length)
        return gltf_fail(doc, r->at, "%llu elements end at byte %llu, but buffer view %u has %llu bytes",
                         (unsigned long long)r->count, (unsigned long long)end, view, (unsigned long long)view_length);
    TRY(gltf_buffer_load(doc, *buffer, 1));
    if (view_length > doc->buffers[*buffer].size || view_offset > doc->buffers[*buffer].size - view_length)
        return gltf_fail(doc, json, "buffer view %u has bytes %llu to %llu, but buffer %u has %llu bytes", view,
                         (unsigned long long)view_offset, (unsigned long long)(view_offset + view_length), *buffer,
                         (unsigned long long)doc->buffers[*buffer].size);
    return RUGA_OK;
}

static uint32_t load_whole(ruga_scalar type, const unsigned char *bytes) {
    uint32_t value = bytes[0];
    if (type != RUGA_U8) value |= (uint32_t)bytes[1] << 8;
    if (type == RUGA_U32) value |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return value;
}

static uint32_t sparse_index(const gltf_accessor *a, uint64_t i) {
    return load_whole(a->sparse_type, a->sparse_indices + i * scalar_bytes(a->sparse_type));
}

/* Indices must rise and stay below the count. */
static ruga_status check_sparse_indices(const gltf_document *doc, const json_value *sparse, const gltf_accessor *a) {
    for (uint64_t i = 0; i < a->sparse_count; i++) {
        uint32_t index = sparse_index(a, i);
        if (index >= a->count)
            return gltf_fail(doc, sparse, "sparse element %llu of accessor %u is for element %u of %llu",
                             (unsigned long long)i, a->index, index, (unsigned long long)a->count);
        if (i > 0 && index <= sparse_index(a, i - 1))
            return gltf_fail(doc, sparse, "sparse indices of accessor %u do not increase at element %llu", a->index,
                             (unsigned long long)i);
    }
    return RUGA_OK;
}

static ruga_status open_sparse_part(gltf_document *doc, const json_value *json, uint64_t count, uint64_t size,
                                    const unsigned char **bytes) {
    uint32_t view = GLTF_NONE, buffer;
    uint64_t offset, stride;
    view_request request = {.at = json, .count = count, .span = size, .natural = size};
    TRY(gltf_index(doc, json, "bufferView", "bufferViews", &view));
    if (view == GLTF_NONE) return gltf_fail(doc, json, "sparse elements need a \"bufferView\"");
    TRY(gltf_whole(doc, json, "byteOffset", 0, UINT64_MAX, &request.offset));
    TRY(open_view(doc, view, &request, &buffer, &offset, &stride));
    TRY(gltf_buffer_load(doc, buffer, 0));
    *bytes = doc->buffers[buffer].bytes + offset;
    return RUGA_OK;
}

static ruga_status open_sparse(gltf_document *doc, const json_value *sparse, gltf_accessor *a) {
    const json_value *indices = json_member(sparse, "indices"), *values = json_member(sparse, "values");
    uint64_t component;
    TRY(gltf_whole(doc, sparse, "count", 0, a->count, &a->sparse_count));
    if (a->sparse_count == 0) return RUGA_OK;
    if (!indices || !values) return gltf_fail(doc, sparse, "\"sparse\" needs \"indices\" and \"values\"");
    TRY(gltf_whole(doc, indices, "componentType", 0, 65535, &component));
    if (component != 5121 && component != 5123 && component != 5125)
        return gltf_fail(doc, indices, "sparse indices must be of componentType 5121, 5123 or 5125");
    scalar_from_component(component, &a->sparse_type);
    TRY(open_sparse_part(doc, indices, a->sparse_count, scalar_bytes(a->sparse_type), &a->sparse_indices));
    TRY(open_sparse_part(doc, values, a->sparse_count, (uint64_t)(a->components / a->rows) * a->row_bytes,
                         &a->sparse_values));
    return check_sparse_indices(doc, sparse, a);
}

static ruga_status open_dense(gltf_document *doc, uint32_t view, gltf_accessor *a) {
    uint64_t packed = (uint64_t)(a->components / a->rows) * a->row_bytes;
    view_request request = {.at = a->json, .count = a->count, .span = element_span(a), .natural = packed, .strided = 1};
    TRY(gltf_whole(doc, a->json, "byteOffset", 0, UINT64_MAX, &request.offset));
    TRY(open_view(doc, view, &request, &a->buffer, &a->offset, &a->stride));
    if (a->count == 0) return RUGA_OK;
    /* Only what lies densely is worth reading piece by piece. */
    int streaming = a->stride == packed && !json_member(a->json, "sparse");
    TRY(gltf_buffer_load(doc, a->buffer, streaming));
    if (doc->buffers[a->buffer].bytes) a->bytes = doc->buffers[a->buffer].bytes + a->offset;
    return RUGA_OK;
}

ruga_status gltf_accessor_describe(gltf_document *doc, uint32_t index, gltf_accessor *a) {
    *a = (gltf_accessor){.index = index, .json = gltf_item(doc, "accessors", index), .buffer = GLTF_NONE};
    uint64_t component;
    TRY(gltf_check_extensions(doc, a->json));
    TRY(gltf_whole(doc, a->json, "componentType", 0, 65535, &component));
    if (!scalar_from_component(component, &a->type))
        return gltf_fail(doc, a->json, "accessor %u has the unknown componentType %llu", index,
                         (unsigned long long)component);
    if (!shape_from_text(gltf_text(a->json, "type"), a))
        return gltf_fail(doc, a->json, "accessor %u needs a \"type\" such as \"VEC3\"", index);
    const json_value *normalised = json_member(a->json, "normalized");
    a->normalised = normalised && normalised->type == JSON_BOOLEAN && normalised->number != 0 && a->type != RUGA_F32;
    return gltf_whole(doc, a->json, "count", 0, UINT32_MAX - 1, &a->count);
}

ruga_status gltf_accessor_open(gltf_document *doc, uint32_t index, gltf_accessor *a) {
    uint32_t view;
    TRY(gltf_accessor_describe(doc, index, a));
    TRY(gltf_index(doc, a->json, "bufferView", "bufferViews", &view));
    const json_value *sparse = json_member(a->json, "sparse");
    const uint32_t decoded = gltf_decoded_accessor(doc, index);
    if (decoded != GLTF_NONE) {
        a->buffer = decoded;
        a->stride = element_size(a);
        a->bytes = doc->buffers[decoded].bytes;
    } else if (view != GLTF_NONE) {
        TRY(open_dense(doc, view, a));
    }
    return sparse ? open_sparse(doc, sparse, a) : RUGA_OK;
}

/* ---- Elements. */

ruga_status gltf_accessor_next(gltf_document *doc, const gltf_accessor *a, uint64_t *at, const unsigned char **rows,
                               size_t *count) {
    uint64_t left = a->count - *at;
    *count = 0;
    if (left == 0 || a->buffer == GLTF_NONE) return RUGA_OK;
    if (a->bytes) {
        *rows = a->bytes + *at * a->stride;
        *count = left;
        *at = a->count;
        return RUGA_OK;
    }
    if (!doc->scratch) TRY(NEW(doc->context, &doc->scratch, GLTF_SCRATCH));
    uint64_t fits = GLTF_SCRATCH / a->stride, now = left < fits ? left : fits;
    TRY(file_seek(doc->stream, doc->buffers[a->buffer].stream_offset + a->offset + *at * a->stride));
    TRY(file_read(doc->stream, doc->scratch, now * a->stride));
    *rows = doc->scratch;
    *count = now;
    *at += now;
    return RUGA_OK;
}

static double load_number(const gltf_accessor *a, const unsigned char *bytes) {
    float real;
    switch (a->type) {
        case RUGA_U8: return a->normalised ? bytes[0] / 255.0 : bytes[0];
        case RUGA_I8: {
            double value = (int8_t)bytes[0];
            return a->normalised ? (value < -127 ? -1 : value / 127.0) : value;
        }
        case RUGA_U16: {
            double value = load_whole(RUGA_U16, bytes);
            return a->normalised ? value / 65535.0 : value;
        }
        case RUGA_I16: {
            double value = (int16_t)load_whole(RUGA_U16, bytes);
            return a->normalised ? (value < -32767 ? -1 : value / 32767.0) : value;
        }
        case RUGA_U32: return load_whole(RUGA_U32, bytes);
        default: memcpy(&real, bytes, sizeof real); return real;
    }
}

static const unsigned char *scalar_at(const gltf_accessor *a, const unsigned char *element, uint32_t component) {
    return element + component / a->rows * a->row_bytes + component % a->rows * scalar_bytes(a->type);
}

static const unsigned char *sparse_value(const gltf_accessor *a, uint64_t i) {
    return a->sparse_values + i * (a->components / a->rows) * a->row_bytes;
}

/* Puts `count` elements that lie `stride` bytes apart at `to`, as numbers of some type. */
typedef void load_function(const gltf_accessor *a, const unsigned char *rows, size_t stride, size_t count, void *to);

/* All elements, `size` bytes each in `out`: zeros, those that lie in the file, the sparse ones. */
static ruga_status load_all(gltf_document *doc, const gltf_accessor *a, load_function *load, size_t size, void *out) {
    const unsigned char *rows;
    unsigned char *to = out;
    size_t count = 0;
    if (a->buffer == GLTF_NONE) memset(to, 0, a->count * size);
    for (uint64_t at = 0, begin = 0;; begin = at) {
        TRY(gltf_accessor_next(doc, a, &at, &rows, &count));
        if (count == 0) break;
        load(a, rows, a->stride, count, to + begin * size);
    }
    for (uint64_t i = 0; i < a->sparse_count; i++) load(a, sparse_value(a, i), 0, 1, to + sparse_index(a, i) * size);
    return RUGA_OK;
}

/* Floats that follow each other without gaps. */
static int is_dense_float(const gltf_accessor *a, size_t stride) {
    return a->type == RUGA_F32 && stride == element_size(a);
}

static void load_doubles(const gltf_accessor *a, const unsigned char *rows, size_t stride, size_t count, void *out) {
    double *to = out;
    if (is_dense_float(a, stride)) {
        for (size_t i = 0; i < count * a->components; i++) {
            float value;
            memcpy(&value, rows + 4 * i, sizeof value);
            to[i] = value;
        }
        return;
    }
    for (; count > 0; count--, rows += stride)
        for (uint32_t c = 0; c < a->components; c++) *to++ = load_number(a, scalar_at(a, rows, c));
}

static void load_floats(const gltf_accessor *a, const unsigned char *rows, size_t stride, size_t count, void *out) {
    float *to = out;
    if (is_dense_float(a, stride)) {
        memcpy(to, rows, count * stride);
        return;
    }
    for (; count > 0; count--, rows += stride)
        for (uint32_t c = 0; c < a->components; c++) *to++ = (float)load_number(a, scalar_at(a, rows, c));
}

static void load_raw(const gltf_accessor *a, const unsigned char *rows, size_t stride, size_t count, void *out) {
    const size_t row = a->rows * scalar_bytes(a->type), size = element_size(a);
    unsigned char *to = out;
    if (stride == size) {
        memcpy(to, rows, count * size);
        return;
    }
    for (; count > 0; count--, rows += stride)
        for (uint32_t r = 0; r < a->components / a->rows; r++, to += row) memcpy(to, rows + r * a->row_bytes, row);
}

static void load_wholes(const gltf_accessor *a, const unsigned char *rows, size_t stride, size_t count, void *out) {
    const size_t n = a->components, size = scalar_bytes(a->type);
    uint32_t *to = out;
    if (a->type == RUGA_U32 && stride == n * size)
        memcpy(to, rows, count * n * size);
    else
        for (size_t i = 0; i < count * n; i++) to[i] = load_whole(a->type, rows + i / n * stride + i % n * size);
}

ruga_status gltf_accessor_doubles(gltf_document *doc, const gltf_accessor *a, double *out) {
    return load_all(doc, a, load_doubles, a->components * sizeof *out, out);
}

ruga_status gltf_accessor_floats(gltf_document *doc, const gltf_accessor *a, float *out) {
    return load_all(doc, a, load_floats, a->components * sizeof *out, out);
}

ruga_status gltf_accessor_raw(gltf_document *doc, const gltf_accessor *a, void *out) {
    return load_all(doc, a, load_raw, element_size(a), out);
}

/* Dense 32-bit numbers of a stream go right into place. */
static ruga_status read_in_place(gltf_document *doc, const gltf_accessor *a, uint32_t *out, uint32_t *largest) {
    const size_t piece = GLTF_SCRATCH / sizeof *out;
    TRY(file_seek(doc->stream, doc->buffers[a->buffer].stream_offset + a->offset));
    for (uint64_t begin = 0; begin < a->count; begin += piece) {
        size_t now = a->count - begin < piece ? a->count - begin : piece;
        TRY(file_read(doc->stream, out + begin, now * sizeof *out));
        uint32_t here = ISA_SELECT(doc->context->isa, gltf_largest)(out + begin, now);
        *largest = here > *largest ? here : *largest;
    }
    return RUGA_OK;
}

ruga_status gltf_accessor_whole(gltf_document *doc, const gltf_accessor *a, uint32_t *out, uint32_t *largest) {
    *largest = 0;
    if (a->buffer != GLTF_NONE && !a->bytes && a->count > 0 && a->type == RUGA_U32 && a->components == 1)
        return read_in_place(doc, a, out, largest);
    TRY(load_all(doc, a, load_wholes, a->components * sizeof *out, out));
    *largest = ISA_SELECT(doc->context->isa, gltf_largest)(out, a->count * a->components);
    return RUGA_OK;
}
