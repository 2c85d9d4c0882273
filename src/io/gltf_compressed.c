/* Compressed glTF: buffer views of EXT_meshopt_compression and primitives of KHR_draco_mesh_compression. The decoders
 * belong to the context; here the file's numbers are checked, and room is made.
 *
 * A file may also have the same content uncompressed, for programs without a decoder: that is read where it is there.
 *
 * After the specifications of both extensions in the Khronos glTF registry. */
#include <string.h>

#include "io/gltf.h"

#define MESHOPT "EXT_meshopt_compression"
#define DRACO GLTF_DRACO

static const json_value *extension_of(const json_value *object, const char *name) {
    const json_value *found = json_member(json_member(object, "extensions"), name);
    return found && found->type == JSON_OBJECT ? found : NULL;
}

/* The remedy differs for a command that was built without a decoder and for a program that does not use one. */
static ruga_status fail_without_decoder(const gltf_document *doc, const json_value *at, const char *extension,
                                        const char *package) {
    return fail_unsupported(doc->context,
                            "%s:%u:%u: the geometry is compressed (%s), and there is no decoder: build Ruga with %s "
                            "(tools/setup.sh build; in C, link libruga_decode and call ruga_decode_use), or export the "
                            "file again without compression",
                            doc->name, at->line, at->column, extension, package);
}

static ruga_status fail_decoding(const gltf_document *doc, const json_value *at, const char *extension,
                                 ruga_status status, const char *message) {
    if (status == RUGA_ERROR_MEMORY)
        return fail_with(doc->context, RUGA_ERROR_MEMORY, "%s:%u:%u: out of memory while %s is decoded", doc->name,
                         at->line, at->column, extension);
    return gltf_fail(doc, at, "data of %s can't be decoded: %s", extension, message);
}

int gltf_is_fallback(const json_value *buffer) {
    const json_value *flag = json_member(extension_of(buffer, MESHOPT), "fallback");
    return flag && flag->type == JSON_BOOLEAN && flag->number != 0;
}

/* The bytes that an object with "buffer", "byteOffset" and "byteLength" names. */
static ruga_status find_bytes(gltf_document *doc, const json_value *json, const unsigned char **bytes, size_t *size) {
    uint32_t buffer;
    uint64_t offset, length;
    TRY(gltf_index(doc, json, "buffer", "buffers", &buffer));
    if (buffer == GLTF_NONE) return gltf_fail(doc, json, "compressed data needs a \"buffer\"");
    TRY(gltf_whole(doc, json, "byteOffset", 0, UINT64_MAX, &offset));
    TRY(gltf_whole(doc, json, "byteLength", 0, UINT64_MAX, &length));
    TRY(gltf_buffer_load(doc, buffer, 0));
    const gltf_buffer *from = &doc->buffers[buffer];
    if (length > from->size || offset > from->size - length)
        return gltf_fail(doc, json, "compressed data is at bytes %llu to %llu, but buffer %u has %llu bytes",
                         (unsigned long long)offset, (unsigned long long)(offset + length), buffer,
                         (unsigned long long)from->size);
    if (length == 0) return gltf_fail(doc, json, "compressed data has no bytes");
    *bytes = from->bytes + offset;
    *size = (size_t)length;
    return RUGA_OK;
}

/* ---- Views: meshopt. */

/* The number of a word in a list; the first stands for an absent member. */
static ruga_status read_word(const gltf_document *doc, const json_value *json, const char *key,
                             const char *const *words, int *out) {
    const json_value *value = json_member(json, key);
    *out = 0;
    if (!value) return RUGA_OK;
    for (int i = 0; words[i] && value->type == JSON_STRING; i++) {
        *out = i;
        if (strcmp(words[i], value->text) == 0) return RUGA_OK;
    }
    return gltf_fail(doc, value, "unknown \"%s\" of %s", key, MESHOPT);
}

static int fits(const ruga_meshopt_view *v) {
    const size_t stride = v->stride;
    if (v->mode != RUGA_MESHOPT_ATTRIBUTES && v->filter != RUGA_MESHOPT_NONE) return 0;
    if (v->mode == RUGA_MESHOPT_TRIANGLES && v->count % 3 != 0) return 0;
    if (v->mode != RUGA_MESHOPT_ATTRIBUTES) return stride == 2 || stride == 4;
    if (v->filter == RUGA_MESHOPT_OCTAHEDRAL) return stride == 4 || stride == 8;
    if (v->filter == RUGA_MESHOPT_QUATERNION) return stride == 8;
    return stride > 0 && stride % 4 == 0 && stride <= 256;
}

static ruga_status read_view(gltf_document *doc, const json_value *json, ruga_meshopt_view *out) {
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES", NULL};
    static const char *const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", NULL};
    uint64_t count, stride;
    int mode, filter;
    TRY(gltf_whole(doc, json, "count", 0, UINT32_MAX - 1, &count));
    TRY(gltf_whole(doc, json, "byteStride", 0, 256, &stride));
    TRY(read_word(doc, json, "mode", modes, &mode));
    TRY(read_word(doc, json, "filter", filters, &filter));
    *out = (ruga_meshopt_view){.count = (size_t)count,
                               .stride = (size_t)stride,
                               .mode = (ruga_meshopt_mode)mode,
                               .filter = (ruga_meshopt_filter)filter};
    if (count == 0 || !json_member(json, "mode") || !fits(out))
        return gltf_fail(doc, json, "mode, filter, %llu elements and a stride of %llu bytes do not fit each other",
                         (unsigned long long)count, (unsigned long long)stride);
    TRY(find_bytes(doc, json, &out->bytes, &out->size));
    return gltf_charge(doc, json, count * (stride + 3) / 4);
}

static ruga_status decode_view(gltf_document *doc, const json_value *json, gltf_buffer *out) {
    const ruga_decoders *decoders = doc->context->decoders;
    ruga_meshopt_view view;
    char message[RUGA_DECODER_MESSAGE] = "";
    unsigned char *bytes = NULL;
    if (!decoders || !decoders->meshopt) return fail_without_decoder(doc, json, MESHOPT, "libmeshoptimizer-dev");
    TRY(read_view(doc, json, &view));
    TRY(NEW(doc->context, &bytes, view.count * view.stride));
    const ruga_status status = decoders->meshopt(&view, bytes, message);
    if (RUGA_FAILED(status)) {
        memory_release(doc->context, bytes);
        return fail_decoding(doc, json, MESHOPT, status, message);
    }
    *out = (gltf_buffer){.bytes = bytes, .owned = bytes, .size = view.count * view.stride, .decoded_from = json};
    return RUGA_OK;
}

ruga_status gltf_decode_view(gltf_document *doc, uint32_t view, uint32_t *out) {
    const json_value *json = gltf_item(doc, "bufferViews", view), *extension = extension_of(json, MESHOPT);
    const size_t place = doc->buffer_count + view;
    uint32_t buffer;
    *out = GLTF_NONE;
    if (!extension) return RUGA_OK;
    TRY(gltf_index(doc, json, "buffer", "buffers", &buffer));
    if (!gltf_is_required(doc, MESHOPT) && !gltf_is_fallback(gltf_item(doc, "buffers", buffer))) return RUGA_OK;
    if (!doc->buffers[place].bytes) TRY(decode_view(doc, extension, &doc->buffers[place]));
    *out = (uint32_t)place;
    return RUGA_OK;
}

void gltf_forget_views(gltf_document *doc) {
    const size_t count = gltf_count(doc, "bufferViews");
    for (size_t i = 0; i < count; i++) {
        gltf_buffer *buffer = &doc->buffers[doc->buffer_count + i];
        memory_release(doc->context, buffer->owned);
        *buffer = (gltf_buffer){0};
    }
}

/* ---- Primitives: Draco. */

static gltf_buffer *accessor_buffer(const gltf_document *doc, uint32_t accessor) {
    return &doc->buffers[doc->buffer_count + gltf_count(doc, "bufferViews") + accessor];
}

uint32_t gltf_decoded_accessor(const gltf_document *doc, uint32_t accessor) {
    const gltf_buffer *buffer = accessor_buffer(doc, accessor);
    return buffer->bytes ? (uint32_t)(buffer - doc->buffers) : GLTF_NONE;
}

/* A primitive at work. */
typedef struct draco_reader {
    gltf_document *doc;
    const json_value *primitive, *extension;
    ruga_draco_mesh mesh;
    ruga_draco_array *arrays; /* (array_count) */
    uint32_t *accessors;      /* (array_count + 1) the last: that of the indices */
} draco_reader;

static ruga_status check_described(const draco_reader *r, const gltf_accessor *a, uint64_t count) {
    if (a->components > 4 || a->components != a->rows)
        return gltf_fail(r->doc, a->json, "accessor %u is a matrix, which %s can't hold", a->index, DRACO);
    if (a->count != count)
        return gltf_fail(r->doc, a->json, "accessor %u has %llu elements, but the compressed POSITION has %llu",
                         a->index, (unsigned long long)a->count, (unsigned long long)count);
    if (accessor_buffer(r->doc, a->index)->bytes)
        return gltf_fail(r->doc, a->json, "accessor %u belongs to two compressed primitives", a->index);
    return gltf_charge(r->doc, a->json, a->count * a->components);
}

/* Attributes of the extension that the primitive has an accessor for; others are of no use. */
static ruga_status describe_arrays(draco_reader *r) {
    const json_value *listed = json_member(r->extension, "attributes");
    const json_value *attributes = json_member(r->primitive, "attributes");
    for (const json_value *item = listed->first; item; item = item->next) {
        gltf_accessor a;
        int64_t id;
        uint32_t index;
        TRY(gltf_index(r->doc, attributes, item->key, "accessors", &index));
        if (index == GLTF_NONE) continue;
        if (!json_whole(item, 0, 4294967295.0, &id))
            return gltf_fail(r->doc, item, "\"%.60s\" must be the number of a Draco attribute", item->key);
        TRY(gltf_accessor_describe(r->doc, index, &a));
        TRY(check_described(r, &a, r->mesh.vertex_count));
        for (size_t k = 0; k < r->mesh.array_count; k++)
            if (r->accessors[k] == index) return gltf_fail(r->doc, item, "accessor %u is filled twice", index);
        r->accessors[r->mesh.array_count] = index;
        r->arrays[r->mesh.array_count++] = (ruga_draco_array){(uint32_t)id, a.type, a.components, NULL};
    }
    return RUGA_OK;
}

static ruga_status describe_mesh(draco_reader *r) {
    const json_value *listed = json_member(r->extension, "attributes");
    gltf_accessor positions, indices;
    uint32_t view, position, index;
    uint64_t mode;
    TRY(gltf_whole(r->doc, r->primitive, "mode", 4, 6, &mode));
    TRY(gltf_index(r->doc, r->extension, "bufferView", "bufferViews", &view));
    TRY(gltf_index(r->doc, r->primitive, "indices", "accessors", &index));
    TRY(gltf_index(r->doc, json_member(r->primitive, "attributes"), "POSITION", "accessors", &position));
    if (mode != 4 || view == GLTF_NONE || index == GLTF_NONE || !listed || listed->type != JSON_OBJECT)
        return gltf_fail(r->doc, r->extension,
                         "a primitive with %s needs triangles, \"indices\", \"bufferView\" and \"attributes\"", DRACO);
    TRY(find_bytes(r->doc, gltf_item(r->doc, "bufferViews", view), &r->mesh.bytes, &r->mesh.size));
    TRY(gltf_accessor_describe(r->doc, position, &positions));
    TRY(gltf_accessor_describe(r->doc, index, &indices));
    if (indices.components != 1 || indices.count % 3 != 0)
        return gltf_fail(r->doc, indices.json,
                         "the indices of a compressed primitive must be SCALAR, three a triangle");
    r->mesh.vertex_count = (size_t)positions.count;
    r->mesh.triangle_count = (size_t)indices.count / 3;
    TRY(check_described(r, &indices, indices.count));
    TRY(NEW(r->doc->context, &r->arrays, listed->count));
    TRY(NEW(r->doc->context, &r->accessors, listed->count + 1));
    TRY(describe_arrays(r));
    r->accessors[r->mesh.array_count] = index;
    return RUGA_OK;
}

/* Corners become numbers of the accessor's type, in place. */
static ruga_status narrow_corners(const draco_reader *r, ruga_scalar type) {
    const uint64_t high = type == RUGA_U8 ? UINT8_MAX : type == RUGA_U16 ? UINT16_MAX : UINT32_MAX;
    unsigned char *to = (unsigned char *)r->mesh.corners;
    for (size_t c = 0; c < 3 * r->mesh.triangle_count; c++) {
        const uint32_t corner = r->mesh.corners[c];
        if (corner >= r->mesh.vertex_count || corner > high)
            return gltf_fail(r->doc, r->extension, "a compressed triangle has vertex %u, but there are %zu vertices",
                             corner, r->mesh.vertex_count);
        if (type == RUGA_U8) to[c] = (unsigned char)corner;
        if (type == RUGA_U16) to[2 * c] = (unsigned char)corner, to[2 * c + 1] = (unsigned char)(corner >> 8);
    }
    return RUGA_OK;
}

static ruga_status call_decoder(draco_reader *r) {
    char message[RUGA_DECODER_MESSAGE] = "";
    ruga_context *context = r->doc->context;
    gltf_accessor indices;
    TRY(gltf_accessor_describe(r->doc, r->accessors[r->mesh.array_count], &indices));
    for (size_t i = 0; i < r->mesh.array_count; i++) {
        unsigned char *bytes = NULL;
        TRY(NEW(context, &bytes, r->mesh.vertex_count * r->arrays[i].components * ruga_scalar_size(r->arrays[i].type)));
        r->arrays[i].values = bytes;
    }
    TRY(NEW(context, &r->mesh.corners, 3 * r->mesh.triangle_count));
    r->mesh.arrays = r->arrays;
    const ruga_status status = context->decoders->draco(&r->mesh, message);
    if (RUGA_FAILED(status)) return fail_decoding(r->doc, r->extension, DRACO, status, message);
    return narrow_corners(r, indices.type);
}

/* Each array becomes the buffer of its accessor. */
static void hand_over(draco_reader *r) {
    for (size_t i = 0; i <= r->mesh.array_count; i++) {
        unsigned char *bytes = (unsigned char *)(i < r->mesh.array_count ? r->arrays[i].values : r->mesh.corners);
        *accessor_buffer(r->doc, r->accessors[i]) =
            (gltf_buffer){.bytes = bytes, .owned = bytes, .decoded_from = r->extension};
    }
}

static ruga_status decode_primitive(draco_reader *r) {
    ruga_context *context = r->doc->context;
    ruga_status status = describe_mesh(r);
    if (!RUGA_FAILED(status)) status = call_decoder(r);
    if (RUGA_FAILED(status)) {
        for (size_t i = 0; i < r->mesh.array_count; i++) memory_release(context, r->arrays[i].values);
        memory_release(context, r->mesh.corners);
    } else {
        hand_over(r);
    }
    RELEASE_ALL(context, r->arrays, r->accessors);
    return status;
}

ruga_status gltf_decode_primitive(gltf_document *doc, const json_value *primitive) {
    const ruga_decoders *decoders = doc->context->decoders;
    draco_reader r = {.doc = doc, .primitive = primitive, .extension = extension_of(primitive, DRACO)};
    uint32_t position;
    if (!r.extension) return RUGA_OK;
    TRY(gltf_index(doc, json_member(primitive, "attributes"), "POSITION", "accessors", &position));
    if (position == GLTF_NONE || json_member(gltf_item(doc, "accessors", position), "bufferView")) return RUGA_OK;
    if (accessor_buffer(doc, position)->decoded_from == r.extension) return RUGA_OK;
    if (!decoders || !decoders->draco) return fail_without_decoder(doc, r.extension, DRACO, "libdraco-dev");
    return decode_primitive(&r);
}

void ruga_context_set_decoders(ruga_context *context, const ruga_decoders *decoders) { context->decoders = decoders; }
