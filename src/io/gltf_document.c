/* The container of a glTF file: GLB chunks or JSON text, and the bytes of buffers: the GLB's own chunk, data URIs, and
 * files beside it. Buffers are loaded when something asks for them. */
#include <stdio.h>
#include <string.h>

#include "io/gltf.h"

#define GLB_MAGIC 0x46546c67u  /* "glTF" */
#define CHUNK_JSON 0x4e4f534au /* "JSON" */
#define CHUNK_BIN 0x004e4942u  /* "BIN\0" */

ruga_status gltf_fail(const gltf_document *doc, const json_value *at, const char *format, ...) {
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!at) return fail_input(doc->context, "%s: %s", doc->name, text);
    return fail_input(doc->context, "%s:%u:%u: %s", doc->name, at->line, at->column, text);
}

/* ---- JSON. */

const json_value *gltf_item(const gltf_document *doc, const char *array, uint32_t index) {
    const json_value *items = json_member(doc->root, array);
    return items && items->type == JSON_ARRAY ? json_item(items, index) : NULL;
}

size_t gltf_count(const gltf_document *doc, const char *array) {
    const json_value *items = json_member(doc->root, array);
    return items && items->type == JSON_ARRAY ? items->count : 0;
}

const char *gltf_text(const json_value *object, const char *key) {
    const json_value *value = json_member(object, key);
    return value && value->type == JSON_STRING ? value->text : NULL;
}

ruga_status gltf_whole(const gltf_document *doc, const json_value *object, const char *key, uint64_t missing,
                       uint64_t high, uint64_t *out) {
    const json_value *value = json_member(object, key);
    int64_t number = 0;
    *out = missing;
    if (!value) return RUGA_OK;
    /* Doubles hold whole numbers up to 2^53. */
    double limit = high > (1ull << 53) ? 0x1p53 : (double)high;
    if (!json_whole(value, 0, limit, &number))
        return gltf_fail(doc, value, "\"%s\" must be a whole number from 0 to %.0f", key, limit);
    *out = (uint64_t)number;
    return RUGA_OK;
}

ruga_status gltf_index(const gltf_document *doc, const json_value *object, const char *key, const char *array,
                       uint32_t *out) {
    const json_value *value = json_member(object, key);
    size_t count = gltf_count(doc, array);
    int64_t number = 0;
    *out = GLTF_NONE;
    if (!value) return RUGA_OK;
    if (!json_whole(value, 0, 4294967294.0, &number))
        return gltf_fail(doc, value, "\"%s\" must be a whole number, an index into \"%s\"", key, array);
    if ((uint64_t)number >= count)
        return gltf_fail(doc, value, "\"%s\" is %lld, but the file has %zu %s", key, (long long)number, count, array);
    *out = (uint32_t)number;
    return RUGA_OK;
}

ruga_status gltf_numbers(const gltf_document *doc, const json_value *object, const char *key, size_t count, double *out,
                         int *found) {
    const json_value *value = json_member(object, key);
    *found = value != NULL;
    if (!value) return RUGA_OK;
    if (value->type != JSON_ARRAY || value->count != count)
        return gltf_fail(doc, value, "\"%s\" must be %zu numbers", key, count);
    const json_value *item = value->first;
    for (size_t i = 0; i < count; i++, item = item->next) {
        if (item->type != JSON_NUMBER) return gltf_fail(doc, item, "\"%s\" must be %zu numbers", key, count);
        out[i] = item->number;
    }
    return RUGA_OK;
}

/* ---- The container. */

static uint32_t read_u32(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Bytes of the file, from memory or from the stream. */
static ruga_status read_at(const io_source *source, uint64_t offset, size_t size, unsigned char *out) {
    if (source->bytes) {
        memcpy(out, source->bytes + offset, size);
        return RUGA_OK;
    }
    TRY(file_seek(source->stream, offset));
    return file_read(source->stream, out, size);
}

static ruga_status parse_json(const io_source *source, uint64_t offset, size_t size, gltf_document *doc) {
    if (source->bytes)
        return json_parse(doc->context, doc->name, (const char *)source->bytes + offset, size, 0, &doc->json);
    unsigned char *text = NULL;
    TRY(NEW(doc->context, &text, size));
    ruga_status status = read_at(source, offset, size, text);
    if (!RUGA_FAILED(status)) status = json_parse(doc->context, doc->name, (const char *)text, size, 0, &doc->json);
    memory_release(doc->context, text);
    return status;
}

typedef struct glb_chunk {
    uint64_t offset;
    uint32_t size, type;
} glb_chunk;

static ruga_status read_chunk(const io_source *source, gltf_document *doc, uint64_t at, uint64_t end, glb_chunk *out) {
    unsigned char head[8];
    if (end - at < 8)
        return gltf_fail(doc, NULL, "GLB chunk at byte %llu is cut off: its header takes 8 bytes, but %llu are left",
                         (unsigned long long)at, (unsigned long long)(end - at));
    TRY(read_at(source, at, 8, head));
    *out = (glb_chunk){at + 8, read_u32(head), read_u32(head + 4)};
    if (out->size > end - out->offset)
        return gltf_fail(doc, NULL, "GLB chunk at byte %llu says it has %u bytes, but %llu are left",
                         (unsigned long long)at, out->size, (unsigned long long)(end - out->offset));
    return RUGA_OK;
}

static ruga_status open_glb(const io_source *source, gltf_document *doc) {
    unsigned char head[12];
    if (source->size < 20) return gltf_fail(doc, NULL, "GLB file is cut off after %zu bytes", source->size);
    TRY(read_at(source, 0, 12, head));
    uint32_t version = read_u32(head + 4);
    uint64_t end = read_u32(head + 8);
    if (version != 2)
        return fail_unsupported(doc->context, "%s: GLB version %u; only version 2 can be read", doc->name, version);
    if (end > source->size || end < 20)
        return gltf_fail(doc, NULL, "GLB header says %llu bytes, but the file has %zu", (unsigned long long)end,
                         source->size);
    glb_chunk chunk;
    TRY(read_chunk(source, doc, 12, end, &chunk));
    if (chunk.type != CHUNK_JSON) return gltf_fail(doc, NULL, "the first GLB chunk is not JSON");
    TRY(parse_json(source, chunk.offset, chunk.size, doc));
    /* The second chunk, if there is one, is buffer 0; later ones are for extensions. */
    uint64_t next = chunk.offset + chunk.size;
    next += (4 - next % 4) % 4;
    if (next >= end) return RUGA_OK;
    TRY(read_chunk(source, doc, next, end, &chunk));
    if (chunk.type != CHUNK_BIN) return RUGA_OK;
    doc->has_chunk = 1;
    doc->chunk = source->bytes ? source->bytes + chunk.offset : NULL;
    doc->chunk_offset = chunk.offset;
    doc->chunk_size = chunk.size;
    return RUGA_OK;
}

/* Extensions that change nothing that is read here, or that are read. */
static int is_known_extension(const char *name) {
    static const char *const known[] = {"KHR_mesh_quantization",      "KHR_materials_variants",
                                        "EXT_mesh_features",          "EXT_structural_metadata",
                                        "KHR_draco_mesh_compression", "EXT_meshopt_compression"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0) return 1;
    return 0;
}

int gltf_is_required(const gltf_document *doc, const char *name) {
    const json_value *required = json_member(doc->root, "extensionsRequired");
    for (const json_value *item = required && required->type == JSON_ARRAY ? required->first : NULL; item;
         item = item->next)
        if (item->type == JSON_STRING && strcmp(item->text, name) == 0) return 1;
    return 0;
}

ruga_status gltf_check_extensions(const gltf_document *doc, const json_value *object) {
    const json_value *extensions = json_member(object, "extensions");
    for (const json_value *item = extensions && extensions->type == JSON_OBJECT ? extensions->first : NULL; item;
         item = item->next) {
        if (is_known_extension(item->key) || !gltf_is_required(doc, item->key)) continue;
        const char *advice = strstr(item->key, "compression") ? "export the file again without compression"
                                                              : "export the file again without it";
        return fail_unsupported(doc->context,
                                "%s:%u:%u: the geometry needs the extension \"%.100s\", which Ruga does not have; %s",
                                doc->name, item->key_line, item->key_column, item->key, advice);
    }
    return RUGA_OK;
}

static ruga_status check_asset(const gltf_document *doc) {
    if (doc->root->type != JSON_OBJECT) return gltf_fail(doc, doc->root, "a glTF file must be a JSON object");
    const json_value *asset = json_member(doc->root, "asset");
    const char *version = gltf_text(asset, "version");
    if (!version) return gltf_fail(doc, doc->root, "no \"asset\" with a \"version\": this is not a glTF 2.0 file");
    if (strncmp(version, "2.", 2) != 0)
        return fail_unsupported(doc->context, "%s: glTF version %.20s; only version 2 can be read", doc->name, version);
    return RUGA_OK;
}

/* With those that are decoded. */
static size_t all_buffers(const gltf_document *doc) {
    return doc->buffer_count + gltf_count(doc, "bufferViews") + gltf_count(doc, "accessors");
}

static ruga_status open_parts(const io_source *source, gltf_document *doc) {
    unsigned char magic[4] = {0};
    if (source->size >= 4) TRY(read_at(source, 0, 4, magic));
    if (read_u32(magic) == GLB_MAGIC)
        TRY(open_glb(source, doc));
    else
        TRY(parse_json(source, 0, source->size, doc));
    doc->root = json_root(doc->json);
    TRY(check_asset(doc));
    doc->buffer_count = gltf_count(doc, "buffers");
    return NEW_ZEROED(doc->context, &doc->buffers, all_buffers(doc));
}

ruga_status gltf_document_open(const io_source *source, gltf_document *doc) {
    *doc = (gltf_document){.context = source->context,
                           .name = source->name,
                           .directory = source->directory,
                           .stream = source->bytes ? NULL : source->stream,
                           .apart = source->def && source->def->apart};
    ruga_status status = open_parts(source, doc);
    if (RUGA_FAILED(status)) gltf_document_close(doc);
    return status;
}

void gltf_document_close(gltf_document *doc) {
    const size_t count = doc->buffers ? all_buffers(doc) : 0;
    for (size_t i = 0; i < count; i++) memory_release(doc->context, doc->buffers[i].owned);
    RELEASE_ALL(doc->context, doc->buffers, doc->scratch);
    json_destroy(doc->json);
    *doc = (gltf_document){0};
}

ruga_status gltf_charge(gltf_document *doc, const json_value *at, uint64_t scalars) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < doc->buffer_count; i++) bytes += doc->buffers[i].size;
    doc->charged += scalars;
    if (doc->charged <= GLTF_FREE_SCALARS + GLTF_SCALARS_A_BYTE * bytes) return RUGA_OK;
    return gltf_fail(
        doc, at, "the file's %llu bytes of buffers expand to more than %llu numbers; check the counts of its accessors",
        (unsigned long long)bytes, (unsigned long long)(doc->charged - scalars));
}

/* ---- Buffers. */

static int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    return -1;
}

/* Decodes into out, which has room for 3 bytes for each 4 letters. Returns how many there were, or -1. */
static int64_t base64_decode(const char *text, size_t length, unsigned char *out) {
    while (length > 0 && text[length - 1] == '=') length--;
    if (length % 4 == 1) return -1;
    size_t size = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = base64_digit(text[i]);
        if (digit < 0) return -1;
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 == 0) continue;
        out[size++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    return (int64_t)size;
}

static ruga_status load_data_uri(const gltf_document *doc, const json_value *uri, gltf_buffer *buffer) {
    const char *comma = strchr(uri->text, ',');
    if (!comma || comma - uri->text < 7 || strncmp(comma - 7, ";base64", 7) != 0)
        return gltf_fail(doc, uri, "a data URI must be base64: \"data:application/octet-stream;base64,…\"");
    const char *digits = comma + 1;
    size_t length = uri->length - (size_t)(digits - uri->text);
    TRY(NEW(doc->context, &buffer->owned, length / 4 * 3 + 3));
    int64_t size = base64_decode(digits, length, buffer->owned);
    if (size < 0) return gltf_fail(doc, uri, "the data URI is not valid base64");
    buffer->bytes = buffer->owned;
    buffer->size = (uint64_t)size;
    return RUGA_OK;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Undoes %20 and the like; 0 when that is malformed or hides a zero byte. */
static int percent_decode(const char *uri, char *out) {
    for (; *uri; uri++) {
        if (*uri != '%') {
            *out++ = *uri;
            continue;
        }
        int high = hex_digit(uri[1]), low = high < 0 ? -1 : hex_digit(uri[2]);
        if (low < 0 || high * 16 + low == 0) return 0;
        *out++ = (char)(high * 16 + low);
        uri += 2;
    }
    *out = 0;
    return 1;
}

/* A file may name only files in its own folder and below it, so that a foreign one can't reach for others. */
static int path_stays_below(const char *path) {
    if (path[0] == '/' || path[0] == 0 || strchr(path, '\\')) return 0;
    for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == 0)) return 0;
    return 1;
}

/* A scheme such as "https:" before the first slash. */
static int has_scheme(const char *uri) {
    size_t word = strcspn(uri, ":/");
    return uri[word] == ':';
}

ruga_status gltf_load_beside(const gltf_document *doc, const json_value *uri, const char *what, gltf_buffer *buffer) {
    if (has_scheme(uri->text))
        return fail_unsupported(
            doc->context,
            "%s:%u:%u: a %s at \"%.200s\" can't be fetched; save it next to the file and give its name alone",
            doc->name, uri->line, uri->column, what, uri->text);
    if (!doc->directory)
        return gltf_fail(doc, uri, "the %s is in another file, \"%.200s\", which can't be read from memory", what,
                         uri->text);
    size_t folder = strlen(doc->directory), room = folder + uri->length + 2;
    char *path = NULL;
    TRY(NEW(doc->context, &path, room));
    char *tail = path;
    if (folder > 0) {
        memcpy(path, doc->directory, folder);
        tail = path + folder;
        if (tail[-1] != '/') *tail++ = '/';
    }
    ruga_status status;
    if (!percent_decode(uri->text, tail) || !path_stays_below(tail)) {
        status = gltf_fail(doc, uri, "the %s \"%.200s\" must be in the file's own folder or below it", what, uri->text);
    } else {
        size_t size = 0;
        status = file_read_whole(doc->context, path, &buffer->owned, &size);
        buffer->bytes = buffer->owned;
        buffer->size = size;
    }
    memory_release(doc->context, path);
    return status;
}

/* The GLB's own chunk; from a stream only when it must be in memory. */
static ruga_status load_chunk(const gltf_document *doc, int streaming, gltf_buffer *buffer) {
    buffer->bytes = doc->chunk;
    buffer->size = doc->chunk_size;
    buffer->stream_offset = doc->chunk_offset;
    buffer->in_stream = !doc->chunk;
    if (doc->chunk || streaming) return RUGA_OK;
    unsigned char *bytes = NULL;
    TRY(NEW(doc->context, &bytes, doc->chunk_size));
    ruga_status status = file_seek(doc->stream, doc->chunk_offset);
    if (!RUGA_FAILED(status)) status = file_read(doc->stream, bytes, doc->chunk_size);
    TRY_OR(status, memory_release(doc->context, bytes));
    buffer->bytes = buffer->owned = bytes;
    buffer->in_stream = 0;
    return RUGA_OK;
}

ruga_status gltf_buffer_load(gltf_document *doc, uint32_t index, int streaming) {
    gltf_buffer *buffer = &doc->buffers[index];
    if (buffer->bytes || (streaming && buffer->in_stream)) return RUGA_OK;
    const json_value *json = gltf_item(doc, "buffers", index);
    const json_value *uri = json_member(json, "uri");
    uint64_t length;
    TRY(gltf_check_extensions(doc, json));
    TRY(gltf_whole(doc, json, "byteLength", 0, UINT64_MAX, &length));
    if (uri && uri->type != JSON_STRING) return gltf_fail(doc, uri, "\"uri\" must be text");
    if (!uri && (index != 0 || !doc->has_chunk))
        return gltf_fail(doc, json, "buffer %u has no \"uri\", and the file has no BIN chunk", index);
    if (!uri)
        TRY(load_chunk(doc, streaming, buffer));
    else if (strncmp(uri->text, "data:", 5) == 0)
        TRY(load_data_uri(doc, uri, buffer));
    else
        TRY(gltf_load_beside(doc, uri, "buffer", buffer));
    if (buffer->size < length)
        return gltf_fail(doc, json, "buffer %u should have %llu bytes, but has only %llu", index,
                         (unsigned long long)length, (unsigned long long)buffer->size);
    buffer->size = length;
    return RUGA_OK;
}
