/* Reads and writes Medit .mesh as text, after P. Frey, "MEDIT: an interactive mesh visualization software", 2001, and
 * the files of Gmsh, TetGen and CGAL: vertices, tets, triangles and quads. Other keywords are skipped. */
#include <string.h>

#include "io/solid.h"

/* ---- Reading. */

static int begins_keyword(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/* Skips what belongs to a keyword that is not read. */
static void skip_values(solid_in *in) {
    const char *word;
    for (size_t length = solid_peek(in, &word); length > 0 && !begins_keyword(*word); length = solid_peek(in, &word))
        in->at += length;
}

static ruga_status read_vertices(solid_in *in) {
    size_t count;
    TRY(solid_count(in, "the number of vertices", 0, 6, &count));
    for (size_t i = 0; i < count; i++) {
        ruga_vec3 p;
        double reference;
        TRY(solid_real(in, "a coordinate", &p.x));
        TRY(solid_real(in, "a coordinate", &p.y));
        TRY(solid_real(in, "a coordinate", &p.z));
        TRY(solid_real(in, "the reference of a vertex", &reference));
        TRY(solid_add_vertex(in, (int64_t)in->positions.count + 1, p));
    }
    return RUGA_OK;
}

static ruga_status read_elements(solid_in *in, int is_tet, unsigned corners) {
    size_t count;
    TRY(solid_count(in, "the number of elements", 0, 2 * (size_t)corners, &count));
    for (size_t i = 0; i < count; i++) {
        double reference;
        TRY(solid_add_element(in, 0, is_tet, corners));
        TRY(solid_real(in, "the reference of an element", &reference));
    }
    return RUGA_OK;
}

static ruga_status refuse(solid_in *in, const char *word, size_t length) {
    int64_t count;
    TRY(solid_whole(in, "the number of elements", 0, &count));
    if (count == 0) return RUGA_OK;
    return solid_fail(in, "the file has %.*s; only Tetrahedra are read: mesh the volume with tets",
                      (int)(length < 40 ? length : 40), word);
}

static ruga_status read_dimension(solid_in *in) {
    int64_t dimension;
    TRY(solid_whole(in, "the dimension", 0, &dimension));
    if (dimension == 3) return RUGA_OK;
    return solid_fail(in, "the dimension is %lld; only meshes in space, of dimension 3, are read",
                      (long long)dimension);
}

static ruga_status read_keyword(solid_in *in, const char *word, size_t length) {
    static const struct {
        const char *name;
        int is_tet;
        unsigned corners;
    } elements[] = {{"Triangles", 0, 3}, {"Quadrilaterals", 0, 4}, {"Tetrahedra", 1, 4}};
    static const char *const refused[] = {"Hexahedra", "Hexaedra", "Prisms", "Pyramids"};
    if (solid_word_is(word, length, "Dimension")) return read_dimension(in);
    if (solid_word_is(word, length, "Vertices")) return read_vertices(in);
    for (size_t k = 0; k < sizeof elements / sizeof elements[0]; k++)
        if (solid_word_is(word, length, elements[k].name))
            return read_elements(in, elements[k].is_tet, elements[k].corners);
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++)
        if (solid_word_is(word, length, refused[k])) return refuse(in, word, length);
    if (!begins_keyword(*word)) {
        in->at = word;
        return solid_fail(in, "expected a keyword such as Vertices, but found \"%.*s\"",
                          (int)(length < 40 ? length : 40), word);
    }
    skip_values(in);
    return RUGA_OK;
}

static ruga_status read_all(solid_in *in) {
    const char *word;
    int64_t version;
    size_t length = solid_word(in, &word);
    if (!solid_word_is(word, length, "MeshVersionFormatted")) {
        in->at = in->begin;
        return solid_fail(in,
                          "a Medit file begins with MeshVersionFormatted; this is none, or a binary one: save it as "
                          "text");
    }
    TRY(solid_whole(in, "the version", 0, &version));
    for (length = solid_word(in, &word); length > 0; length = solid_word(in, &word)) {
        if (solid_word_is(word, length, "End")) return RUGA_OK;
        TRY(read_keyword(in, word, length));
    }
    return RUGA_OK;
}

ruga_status medit_read(const io_source *source, mesh_parts *parts) {
    solid_in in;
    solid_open(source, &in);
    ruga_status status = read_all(&in);
    if (!RUGA_FAILED(status)) status = solid_finish(&in, parts);
    solid_release(&in);
    return status;
}

/* ---- Writing. */

static void put_element(text_out *text, const uint32_t *vertices, unsigned corners) {
    for (unsigned k = 0; k < corners; k++) {
        text_put_whole(text, (int64_t)vertices[k] + 1);
        text_put_char(text, ' ');
    }
    text_put(text, "0\n");
}

static void put_title(text_out *text, const char *title, size_t count) {
    text_print(text, "\n%s\n", title);
    text_put_whole(text, (int64_t)count);
    text_put_char(text, '\n');
}

static ruga_status write_vertices(solid_out *out) {
    text_out *text = &out->text;
    text_put(text, "MeshVersionFormatted 2\nDimension 3\n");
    put_title(text, "Vertices", out->mesh->vertex_count);
    for (size_t i = 0; i < out->mesh->vertex_count; i++) {
        const ruga_vec3 p = solid_position(out, i);
        const double numbers[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; k++) {
            text_put_double(text, numbers[k]);
            text_put_char(text, ' ');
        }
        text_put(text, "0\n");
        TRY(text->status);
        TRY(io_report_written(out->target, i, 0));
    }
    return RUGA_OK;
}

/* Faces of so many corners, in their order. */
static ruga_status write_faces(solid_out *out, const char *title, unsigned corners) {
    unsigned here;
    size_t count = 0;
    for (size_t f = 0; f < out->face_count; f++) {
        (void)solid_face(out, f, &here);
        count += here == corners;
    }
    if (count == 0) return RUGA_OK;
    put_title(&out->text, title, count);
    for (size_t f = 0; f < out->face_count; f++) {
        const uint32_t *vertices = solid_face(out, f, &here);
        if (here == corners) put_element(&out->text, vertices, corners);
        TRY(out->text.status);
    }
    return RUGA_OK;
}

static ruga_status write_all(solid_out *out) {
    TRY(write_vertices(out));
    TRY(write_faces(out, "Triangles", 3));
    TRY(write_faces(out, "Quadrilaterals", 4));
    if (out->mesh->tet_count > 0) put_title(&out->text, "Tetrahedra", out->mesh->tet_count);
    for (size_t t = 0; t < out->mesh->tet_count; t++) {
        put_element(&out->text, out->mesh->tets + 4 * t, 4);
        TRY(out->text.status);
    }
    text_put(&out->text, "\nEnd\n");
    return text_flush(&out->text);
}

ruga_status medit_write(const io_target *target) {
    solid_out out;
    ruga_status status = solid_out_open(target, "a Medit file", &out);
    if (!RUGA_FAILED(status)) solid_note_losses(&out, "a Medit file");
    if (!RUGA_FAILED(status)) status = write_all(&out);
    solid_out_close(&out);
    return status;
}
