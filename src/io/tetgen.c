/* Reads and writes TetGen's pair of text files, after H. Si, "TetGen 1.5: a quality tetrahedral mesh generator", 2013:
 * NAME.node has the vertices, NAME.ele the tets. Either name stands for both. Vertices are numbered from 0 or 1. */
#include <string.h>
#include <strings.h>

#include "io/solid.h"

enum { ENDING_ROOM = 8 };

static int ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

/* The name of the other file, from the context's memory. */
static ruga_status other_name(ruga_context *context, const char *path, char **out) {
    size_t length = strlen(path);
    const int is_ele = ends_with(path, ".ele");
    if (is_ele || ends_with(path, ".node")) length -= is_ele ? 4 : 5;
    TRY(NEW(context, out, length + ENDING_ROOM));
    memcpy(*out, path, length);
    strcpy(*out + length, is_ele ? ".node" : ".ele");
    return RUGA_OK;
}

/* ---- Reading. */

static ruga_status skip_numbers(solid_in *in, int64_t count) {
    double ignored;
    for (int64_t k = 0; k < count; k++) TRY(solid_real(in, "an attribute", &ignored));
    return RUGA_OK;
}

static ruga_status read_small(solid_in *in, const char *what, int64_t *out) {
    TRY(solid_whole(in, what, 0, out));
    return *out >= 0 && *out <= 1000 ? RUGA_OK : solid_fail(in, "%s is %lld", what, (long long)*out);
}

static ruga_status read_nodes(solid_in *in) {
    int64_t dimension, attributes, markers, tag;
    size_t count;
    TRY(solid_count(in, "the number of vertices", 0, 1, &count));
    TRY(read_small(in, "the dimension", &dimension));
    TRY(read_small(in, "the number of attributes", &attributes));
    TRY(read_small(in, "the number of markers", &markers));
    if (dimension != 3) return solid_fail(in, "the dimension is %lld, but must be 3", (long long)dimension);
    for (size_t i = 0; i < count; i++) {
        ruga_vec3 p;
        TRY(solid_whole(in, "the number of a vertex", 0, &tag));
        TRY(solid_real(in, "a coordinate", &p.x));
        TRY(solid_real(in, "a coordinate", &p.y));
        TRY(solid_real(in, "a coordinate", &p.z));
        TRY(skip_numbers(in, attributes + markers));
        TRY(solid_add_vertex(in, tag, p));
    }
    return RUGA_OK;
}

static ruga_status read_tets(solid_in *in) {
    int64_t corners, attributes, tag;
    size_t count;
    TRY(solid_count(in, "the number of tets", 0, 1, &count));
    TRY(read_small(in, "the number of vertices of a tet", &corners));
    TRY(read_small(in, "the number of attributes", &attributes));
    if (corners != 4)
        return solid_fail(in, "tets have %lld vertices; only those with 4 are read: run TetGen without -o2",
                          (long long)corners);
    for (size_t i = 0; i < count; i++) {
        TRY(solid_whole(in, "the number of a tet", 0, &tag));
        TRY(solid_add_element(in, 0, 1, 4));
        TRY(skip_numbers(in, attributes));
    }
    return RUGA_OK;
}

static void set_text(solid_in *in, const char *name, const unsigned char *bytes, size_t size) {
    in->name = name;
    in->begin = in->at = (const char *)bytes;
    in->end = in->begin + size;
}

ruga_status tetgen_read(const io_source *source, mesh_parts *parts) {
    if (!source->directory)
        return fail_unsupported(source->context,
                                "%s: TetGen's mesh is a pair of files, .node and .ele, which can't be read from memory",
                                source->name);
    char *name = NULL;
    unsigned char *bytes = NULL;
    size_t size = 0;
    solid_in in;
    const int is_ele = ends_with(source->name, ".ele");
    TRY(other_name(source->context, source->name, &name));
    solid_open(source, &in);
    ruga_status status = file_read_whole(source->context, name, &bytes, &size);
    if (!RUGA_FAILED(status) && is_ele) set_text(&in, name, bytes, size);
    if (!RUGA_FAILED(status)) status = read_nodes(&in);
    if (is_ele)
        set_text(&in, source->name, source->bytes, source->size);
    else
        set_text(&in, name, bytes, size);
    if (!RUGA_FAILED(status)) status = read_tets(&in);
    if (!RUGA_FAILED(status)) status = solid_finish(&in, parts);
    solid_release(&in);
    RELEASE_ALL(source->context, bytes, name);
    return status;
}

/* ---- Writing. Vertices and tets count from 1. */

static ruga_status write_nodes(solid_out *out) {
    text_out *text = &out->text;
    text_put_whole(text, (int64_t)out->mesh->vertex_count);
    text_put(text, " 3 0 0\n");
    for (size_t i = 0; i < out->mesh->vertex_count; i++) {
        const ruga_vec3 p = solid_position(out, i);
        const double numbers[3] = {p.x, p.y, p.z};
        text_put_whole(text, (int64_t)i + 1);
        for (int k = 0; k < 3; k++) {
            text_put_char(text, ' ');
            text_put_double(text, numbers[k]);
        }
        text_put_char(text, '\n');
        TRY(text->status);
    }
    return text_flush(text);
}

static ruga_status write_tets(solid_out *out) {
    text_out *text = &out->text;
    text_put_whole(text, (int64_t)out->mesh->tet_count);
    text_put(text, " 4 0\n");
    for (size_t t = 0; t < out->mesh->tet_count; t++) {
        text_put_whole(text, (int64_t)t + 1);
        for (size_t k = 0; k < 4; k++) {
            text_put_char(text, ' ');
            text_put_whole(text, (int64_t)out->mesh->tets[4 * t + k] + 1);
        }
        text_put_char(text, '\n');
        TRY(text->status);
    }
    return text_flush(text);
}

/* One file of the pair, which is open; the notes are about both. */
static ruga_status write_one(const io_target *target, int is_ele) {
    solid_out out;
    ruga_status status = solid_out_open(target, "a TetGen file", &out);
    if (!RUGA_FAILED(status) && is_ele) solid_note_losses(&out, "a TetGen file");
    if (!RUGA_FAILED(status)) status = is_ele ? write_tets(&out) : write_nodes(&out);
    solid_out_close(&out);
    return status;
}

ruga_status tetgen_write(const io_target *target, const char *path) {
    ruga_context *context = target->context;
    if (!path) return fail_unsupported(context, "TetGen's mesh is a pair of files, which can't be written to memory");
    if (target->mesh->tet_count == 0)
        return fail_input(context, "%s: the mesh has no tets; write its surface as OBJ or PLY", path);
    char *name = NULL;
    file *other = NULL;
    const int is_ele = ends_with(path, ".ele");
    io_target beside = *target;
    TRY(other_name(context, path, &name));
    ruga_status status = file_create(context, name, &other);
    beside.out = other;
    if (!RUGA_FAILED(status)) status = write_one(&beside, !is_ele);
    if (!RUGA_FAILED(status)) status = write_one(target, is_ele);
    if (!RUGA_FAILED(status)) status = file_commit(other);
    file_close(other);
    memory_release(context, name);
    return status;
}
