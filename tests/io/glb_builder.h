/* A tiny builder of GLB files for tests: numbers go into the buffer, each with its accessor; the rest of the JSON is
 * given as text. */
#ifndef TESTS_IO_GLB_BUILDER_H
#define TESTS_IO_GLB_BUILDER_H

#include <stdio.h>

#include "support/support.h"

enum { GLB_I8 = 5120, GLB_U8 = 5121, GLB_I16 = 5122, GLB_U16 = 5123, GLB_U32 = 5125, GLB_F32 = 5126 };

typedef struct glb {
    unsigned char buffer[1 << 16];
    size_t size;
    char views[1 << 14], accessors[1 << 14];
    int view_count, accessor_count;
} glb;

/* Puts bytes at a multiple of 4; returns the buffer view. */
static inline int glb_view(glb *g, const void *bytes, size_t size, int stride) {
    char line[160], strided[40] = "";
    if (stride) snprintf(strided, sizeof strided, ",\"byteStride\":%d", stride);
    snprintf(line, sizeof line, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu%s}", g->view_count ? "," : "",
             g->size, size, strided);
    strcat(g->views, line);
    memcpy(g->buffer + g->size, bytes, size);
    g->size = (g->size + size + 3) / 4 * 4;
    return g->view_count++;
}

/* An accessor by its text without braces; returns its index. */
static inline int glb_accessor_text(glb *g, const char *text) {
    snprintf(g->accessors + strlen(g->accessors), sizeof g->accessors - strlen(g->accessors), "%s{%s}",
             g->accessor_count ? "," : "", text);
    return g->accessor_count++;
}

static inline int glb_accessor(glb *g, const char *type, int component, size_t count, const void *bytes, size_t size,
                               const char *more) {
    char text[256];
    int view = glb_view(g, bytes, size, 0);
    snprintf(text, sizeof text, "\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s", view,
             component, count, type, more);
    return glb_accessor_text(g, text);
}

/* Floats: count elements of a type. */
static inline int glb_floats(glb *g, const char *type, size_t count, const float *values) {
    size_t components = type[0] == 'S'   ? 1
                        : type[0] == 'M' ? (size_t)(type[3] - '0') * (size_t)(type[3] - '0')
                                         : (size_t)(type[3] - '0');
    return glb_accessor(g, type, GLB_F32, count, values, count * components * 4, "");
}

static inline int glb_indices(glb *g, size_t count, const uint16_t *values) {
    return glb_accessor(g, "SCALAR", GLB_U16, count, values, 2 * count, "");
}

static inline void glb_put_u32(unsigned char *at, size_t value) {
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static inline unsigned char *glb_pack(const char *json, const void *buffer, size_t buffer_size, size_t *size) {
    size_t text = strlen(json), padded = (text + 3) / 4 * 4;
    *size = 12 + 8 + padded + (buffer_size ? 8 + buffer_size : 0);
    unsigned char *bytes = malloc(*size + 1);
    memcpy(bytes, "glTF", 4);
    glb_put_u32(bytes + 4, 2);
    glb_put_u32(bytes + 8, *size);
    glb_put_u32(bytes + 12, padded);
    memcpy(bytes + 16, "JSON", 4);
    memset(bytes + 20, ' ', padded);
    memcpy(bytes + 20, json, text);
    if (buffer_size > 0) {
        glb_put_u32(bytes + 20 + padded, buffer_size);
        memcpy(bytes + 24 + padded, "BIN", 4);
        memcpy(bytes + 28 + padded, buffer, buffer_size);
    }
    bytes[*size] = 0;
    return bytes;
}

/* `rest`: the members besides asset, buffers, bufferViews and accessors. The bytes are malloc'ed. */
static inline unsigned char *glb_finish(const glb *g, const char *rest, size_t *size) {
    size_t room = sizeof g->views + sizeof g->accessors + strlen(rest) + 256;
    char *json = malloc(room);
    snprintf(json, room,
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[%s],"
             "\"accessors\":[%s],%s}",
             g->size, g->views, g->accessors, rest);
    unsigned char *bytes = glb_pack(json, g->buffer, g->size, size);
    free(json);
    return bytes;
}

static inline ruga_status glb_read(ruga_context *context, const glb *g, const char *rest, const char *mesh,
                                   ruga_mesh **out) {
    size_t size;
    unsigned char *bytes = glb_finish(g, rest, &size);
    ruga_file_def def = ruga_file_def_default();
    def.mesh = mesh;
    ruga_status status = ruga_mesh_read_memory(context, "test.glb", bytes, size, &def, out);
    free(bytes);
    return status;
}

static inline void glb_save(const glb *g, const char *rest, const char *path) {
    size_t size;
    unsigned char *bytes = glb_finish(g, rest, &size);
    write_test_file(path, bytes, size);
    free(bytes);
}

#endif
