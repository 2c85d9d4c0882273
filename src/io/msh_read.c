/* Reads Gmsh .msh, versions 2.2 and 4.1, text and binary of either byte order, after "MSH file format" and "MSH file
 * format version 2" of the Gmsh reference manual: $Nodes and $Elements; other sections are skipped. */
#include <string.h>

#include "io/solid.h"

typedef enum msh_kind { MSH_UNKNOWN, MSH_IGNORED, MSH_FACE, MSH_TET, MSH_VOLUME, MSH_CURVED } msh_kind;

/* Types of elements by their number, with the number of their nodes. */
static const struct {
    unsigned char kind, nodes;
} msh_types[] = {{MSH_UNKNOWN, 0}, {MSH_IGNORED, 2}, {MSH_FACE, 3},    {MSH_FACE, 4},    {MSH_TET, 4},
                 {MSH_VOLUME, 8},  {MSH_VOLUME, 6},  {MSH_VOLUME, 5},  {MSH_IGNORED, 3}, {MSH_CURVED, 6},
                 {MSH_CURVED, 9},  {MSH_CURVED, 10}, {MSH_VOLUME, 0},  {MSH_VOLUME, 0},  {MSH_VOLUME, 0},
                 {MSH_IGNORED, 1}, {MSH_CURVED, 8},  {MSH_VOLUME, 0},  {MSH_VOLUME, 0},  {MSH_VOLUME, 0},
                 {MSH_CURVED, 0},  {MSH_CURVED, 0},  {MSH_CURVED, 0},  {MSH_CURVED, 0},  {MSH_CURVED, 0},
                 {MSH_CURVED, 0},  {MSH_IGNORED, 4}, {MSH_IGNORED, 5}, {MSH_IGNORED, 6}, {MSH_CURVED, 0},
                 {MSH_CURVED, 0},  {MSH_CURVED, 0}};

typedef struct msh_reader {
    solid_in in;
    int version; /* 2 or 4; 0: not known yet */
    int binary;
    int has_nodes, has_elements;
} msh_reader;

static ruga_status check_type(const msh_reader *r, int64_t type) {
    const int64_t known = sizeof msh_types / sizeof msh_types[0];
    msh_kind kind = MSH_UNKNOWN;
    if (type > 0 && type < known) kind = (msh_kind)msh_types[type].kind;
    if (kind == MSH_UNKNOWN) return solid_fail(&r->in, "unknown element type %lld", (long long)type);
    if (kind == MSH_VOLUME)
        return solid_fail(&r->in,
                          "element type %lld is a hexahedron, prism or pyramid; only tets are read: mesh the volume "
                          "without recombination",
                          (long long)type);
    if (kind == MSH_CURVED)
        return solid_fail(&r->in,
                          "element type %lld has a higher order; only straight elements are read: set "
                          "Mesh.ElementOrder = 1",
                          (long long)type);
    return RUGA_OK;
}

static ruga_status read_element(msh_reader *r, int64_t type, unsigned bytes) {
    int64_t ignored;
    if (msh_types[type].kind != MSH_IGNORED)
        return solid_add_element(&r->in, bytes, msh_types[type].kind == MSH_TET, msh_types[type].nodes);
    for (unsigned k = 0; k < msh_types[type].nodes; k++)
        TRY(solid_whole(&r->in, "a vertex of an element", bytes, &ignored));
    return RUGA_OK;
}

/* ---- The header, and lines between binary data. */

/* Binary data begins after the end of the current line. */
static ruga_status end_line(msh_reader *r) {
    solid_in *in = &r->in;
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == '\r')) in->at++;
    if (in->at == in->end || *in->at != '\n') return solid_fail(in, "expected the end of the line before binary data");
    in->at++;
    return RUGA_OK;
}

static ruga_status read_version(msh_reader *r) {
    const char *word;
    size_t length = solid_word(&r->in, &word);
    if (solid_word_is(word, length, "4.1")) r->version = 4;
    if (solid_word_is(word, length, "2.2") || solid_word_is(word, length, "2.1") || solid_word_is(word, length, "2"))
        r->version = 2;
    if (r->version) return RUGA_OK;
    return solid_fail(&r->in, "version %.*s of the format is not read; save the mesh as version 4.1 or 2.2",
                      (int)(length < 20 ? length : 20), word);
}

static ruga_status read_header(msh_reader *r) {
    solid_in *in = &r->in;
    int64_t type, size, one;
    TRY(read_version(r));
    TRY(solid_whole(in, "the file type", 0, &type));
    TRY(solid_whole(in, "the size of numbers", 0, &size));
    if (type != 0 && type != 1) return solid_fail(in, "the file type is %lld, but must be 0 or 1", (long long)type);
    if (size != 8) return solid_fail(in, "numbers have %lld bytes; only 8 are read", (long long)size);
    r->binary = type == 1;
    if (!r->binary) return RUGA_OK;
    TRY(end_line(r));
    in->is_binary = 1;
    ruga_status status = solid_whole(in, "the number 1", 4, &one);
    if (!RUGA_FAILED(status) && one != 1) {
        in->is_swapped = one == 1 << 24;
        if (!in->is_swapped) status = solid_fail(in, "the number that states the byte order must be 1");
    }
    in->is_binary = 0;
    return status;
}

/* ---- Vertices. */

static ruga_status read_position(msh_reader *r, ruga_vec3 *out) {
    TRY(solid_real(&r->in, "a coordinate", &out->x));
    TRY(solid_real(&r->in, "a coordinate", &out->y));
    return solid_real(&r->in, "a coordinate", &out->z);
}

static ruga_status read_nodes_2(msh_reader *r, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int64_t tag;
        ruga_vec3 position;
        TRY(solid_whole(&r->in, "the number of a vertex", 4, &tag));
        TRY(read_position(r, &position));
        TRY(solid_add_vertex(&r->in, tag, position));
    }
    return RUGA_OK;
}

/* A block has all its tags first, and then the positions, with parameters on the entity if it says so. */
static ruga_status read_node_block(msh_reader *r) {
    solid_in *in = &r->in;
    int64_t dimension, entity, parametric, tag;
    size_t count, first = in->positions.count;
    double ignored;
    TRY(solid_whole(in, "the dimension of an entity", 4, &dimension));
    TRY(solid_whole(in, "the number of an entity", 4, &entity));
    TRY(solid_whole(in, "whether vertices have parameters", 4, &parametric));
    if (dimension < 0 || dimension > 3)
        return solid_fail(in, "an entity of dimension %lld; 0 to 3 are possible", (long long)dimension);
    TRY(solid_count(in, "the number of vertices of a block", 8, 8, &count));
    for (size_t i = 0; i < count; i++) {
        TRY(solid_whole(in, "the number of a vertex", 8, &tag));
        TRY(solid_add_vertex(in, tag, (ruga_vec3){0, 0, 0}));
    }
    for (size_t i = 0; i < count; i++) {
        TRY(read_position(r, &in->positions.items[first + i]));
        for (int64_t k = 0; parametric && k < dimension; k++) TRY(solid_real(in, "a parameter", &ignored));
    }
    return RUGA_OK;
}

/* ---- Elements. */

/* One element of version 2 after its type: tags, nodes. */
static ruga_status read_element_2(msh_reader *r, int64_t type, int64_t tag_count) {
    int64_t ignored;
    for (int64_t k = 0; k < tag_count; k++) TRY(solid_whole(&r->in, "a tag of an element", 4, &ignored));
    return read_element(r, type, 4);
}

static ruga_status check_tags(const msh_reader *r, int64_t count) {
    if (count >= 0 && count <= 1 << 20) return RUGA_OK;
    return solid_fail(&r->in, "an element has %lld tags", (long long)count);
}

static ruga_status read_elements_2(msh_reader *r, size_t count) {
    solid_in *in = &r->in;
    int64_t number, type, tags, follow = 0;
    for (size_t i = 0; i < count;) {
        if (!r->binary) TRY(solid_whole(in, "the number of an element", 4, &number));
        TRY(solid_whole(in, "the type of an element", 4, &type));
        TRY(check_type(r, type));
        if (r->binary) TRY(solid_whole(in, "the number of elements of a block", 4, &follow));
        TRY(solid_whole(in, "the number of tags", 4, &tags));
        TRY(check_tags(r, tags));
        size_t block = r->binary ? (size_t)(follow > 0 ? follow : 0) : 1;
        if (block == 0 || block > count - i)
            return solid_fail(in, "a block of %lld elements, of which %zu are left", (long long)follow, count - i);
        for (size_t k = 0; k < block; k++, i++) {
            if (r->binary) TRY(solid_whole(in, "the number of an element", 4, &number));
            TRY(read_element_2(r, type, tags));
        }
    }
    return RUGA_OK;
}

static ruga_status read_element_block(msh_reader *r) {
    solid_in *in = &r->in;
    int64_t dimension, entity, type, number;
    size_t count;
    TRY(solid_whole(in, "the dimension of an entity", 4, &dimension));
    TRY(solid_whole(in, "the number of an entity", 4, &entity));
    TRY(solid_whole(in, "the type of elements", 4, &type));
    TRY(check_type(r, type));
    TRY(solid_count(in, "the number of elements of a block", 8, 2, &count));
    for (size_t i = 0; i < count; i++) {
        TRY(solid_whole(in, "the number of an element", 8, &number));
        TRY(read_element(r, type, 8));
    }
    return RUGA_OK;
}

/* ---- Sections. */

/* The content of $Nodes or $Elements. */
static ruga_status read_section(msh_reader *r, int is_nodes) {
    solid_in *in = &r->in;
    size_t count, before = in->positions.count;
    int64_t total, ignored;
    int *seen = is_nodes ? &r->has_nodes : &r->has_elements;
    if (*seen) return solid_fail(in, "there is a second section $%s", is_nodes ? "Nodes" : "Elements");
    *seen = 1;
    if (r->version == 2) {
        TRY(solid_count(in, is_nodes ? "the number of vertices" : "the number of elements", 4, 2, &count));
        if (r->binary) TRY(end_line(r));
        in->is_binary = r->binary;
        return is_nodes ? read_nodes_2(r, count) : read_elements_2(r, count);
    }
    if (r->binary) TRY(end_line(r));
    in->is_binary = r->binary;
    TRY(solid_count(in, "the number of blocks", 8, 2, &count));
    TRY(solid_whole(in, "the number of vertices or elements", 8, &total));
    for (int k = 0; k < 2; k++) TRY(solid_whole(in, "the range of numbers", 8, &ignored));
    for (size_t i = 0; i < count; i++) TRY(is_nodes ? read_node_block(r) : read_element_block(r));
    if (is_nodes && (uint64_t)total != in->positions.count - before)
        return solid_fail(in, "%zu vertices in blocks, but %lld were announced", in->positions.count - before,
                          (long long)total);
    return RUGA_OK;
}

/* The word $EndName has to follow; its name is that of the section. */
static ruga_status expect_end(msh_reader *r, const char *name, size_t length) {
    const char *word;
    size_t found = solid_word(&r->in, &word);
    if (found == length + 3 && memcmp(word, "$End", 4) == 0 && memcmp(word + 4, name + 1, length - 1) == 0)
        return RUGA_OK;
    return solid_fail(&r->in, "expected $End%.*s after the content of this section", (int)length - 1, name + 1);
}

/* To the line $EndName; what is between may be binary. */
static ruga_status skip_section(msh_reader *r, const char *name, size_t length) {
    solid_in *in = &r->in;
    while (in->at < in->end) {
        const char *dollar = memchr(in->at, '$', (size_t)(in->end - in->at));
        if (!dollar) break;
        in->at = dollar + 1;
        size_t left = (size_t)(in->end - dollar);
        if (left < length + 3 || memcmp(dollar, "$End", 4) != 0 || memcmp(dollar + 4, name + 1, length - 1) != 0)
            continue;
        in->at = dollar + length + 3;
        return RUGA_OK;
    }
    in->at = name;
    return solid_fail(in, "the section %.*s has no end", (int)(length < 40 ? length : 40), name);
}

static ruga_status read_sections(msh_reader *r) {
    solid_in *in = &r->in;
    const char *word;
    for (size_t length = solid_word(in, &word); length > 0; length = solid_word(in, &word)) {
        if (*word != '$') {
            in->at = word;
            return solid_fail(in, "expected a section such as $Nodes, but found \"%.*s\"",
                              (int)(length < 40 ? length : 40), word);
        }
        int is_nodes = solid_word_is(word, length, "$Nodes"), is_header = solid_word_is(word, length, "$MeshFormat");
        ruga_status status = RUGA_OK;
        if (is_header && !r->version) {
            status = read_header(r);
        } else if (is_nodes || solid_word_is(word, length, "$Elements")) {
            if (!r->version) return solid_fail(in, "$MeshFormat has to come first; the file is older than version 2");
            status = read_section(r, is_nodes);
        } else {
            TRY(skip_section(r, word, length));
            continue;
        }
        TRY(status);
        in->is_binary = 0;
        TRY(expect_end(r, word, length));
    }
    if (!r->version) return solid_fail(in, "there is no $MeshFormat, so it is no Gmsh file");
    return RUGA_OK;
}

ruga_status msh_read(const io_source *source, mesh_parts *parts) {
    msh_reader reader = {0};
    solid_open(source, &reader.in);
    ruga_status status = read_sections(&reader);
    if (!RUGA_FAILED(status)) status = solid_finish(&reader.in, parts);
    solid_release(&reader.in);
    return status;
}
