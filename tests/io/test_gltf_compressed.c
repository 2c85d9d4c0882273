/* Compressed glTF: the mesh is that of the uncompressed file, and damaged data is an error that names the file. The
 * data is made by the encoders of the libraries that decode it. */
#include "io/gltf_fixture.h"
#include "ruga/decode.h"
#ifdef RUGA_HAS_MESHOPT
#include <meshoptimizer.h>
#endif
#ifdef RUGA_HAS_DRACO
#include "support/draco_encode.h"
#endif

enum { COLUMNS = 9, ROWS = 7, POINTS = COLUMNS * ROWS, CORNERS = 6 * (COLUMNS - 1) * (ROWS - 1) };

static float points[3 * POINTS], uvs[2 * POINTS], weights[4 * POINTS];
static uint8_t joints[4 * POINTS];
static uint32_t corners[CORNERS];

static int begin_sheet(void **state) {
    size_t used = 0;
    begin(state);
    ruga_decode_use(context);
    for (size_t v = 0; v < POINTS; v++) {
        const float x = (float)(v % COLUMNS), y = (float)(v / COLUMNS);
        points[3 * v] = 0.1f * x, points[3 * v + 1] = 0.13f * y, points[3 * v + 2] = 0.02f * sinf(x + 2 * y);
        uvs[2 * v] = x / (COLUMNS - 1), uvs[2 * v + 1] = y / (ROWS - 1);
        joints[4 * v] = (uint8_t)(v % 2);
        weights[4 * v] = 1;
    }
    for (uint32_t r = 0; r + 1 < ROWS; r++)
        for (uint32_t c = 0; c + 1 < COLUMNS; c++) {
            const uint32_t a = r * COLUMNS + c, b = a + COLUMNS, two[6] = {a, a + 1, b, b, a + 1, b + 1};
            for (int k = 0; k < 6; k++) corners[used++] = two[k];
        }
    return 0;
}

static void assert_sheet(const ruga_mesh *mesh, double tolerance) {
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX);
    assert_int_equal(mesh->vertex_count, POINTS);
    assert_int_equal(mesh->triangle_count, CORNERS / 3);
    assert_non_null(uv);
    for (size_t v = 0; v < POINTS; v++) {
        assert_near(mesh->positions[v].x, (double)points[3 * v], tolerance);
        assert_near(mesh->positions[v].y, (double)points[3 * v + 1], tolerance);
        assert_near(mesh->positions[v].z, (double)points[3 * v + 2], tolerance);
        assert_near(((const double *)uv->values)[2 * v], (double)uvs[2 * v], tolerance);
    }
    assert_memory_equal(mesh->face_vertices, corners, sizeof corners);
}

/* Two bytes of indices, whatever the machine's. */
static void add_accessor(const char *more, int component, size_t count, const char *type) {
    char text[200];
    snprintf(text, sizeof text, "%s\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"", more, component, count, type);
    glb_accessor_text(g, text);
}

static void assert_file_refused(const unsigned char *bytes, size_t size, const char *part) {
    ruga_mesh *mesh = NULL;
    const ruga_status status = ruga_mesh_read_memory(context, "packed.glb", bytes, size, NULL, &mesh);
    assert_true(RUGA_FAILED(status));
    assert_null(mesh);
    assert_message_has(context, "packed.glb");
    assert_message_has(context, part);
}

static ruga_status read_compressed(ruga_context *c, void *user) {
    ruga_mesh *mesh = NULL;
    ruga_decode_use(c);
    TRY(ruga_mesh_read(c, user, NULL, &mesh));
    ruga_mesh_destroy(mesh);
    return RUGA_OK;
}

/* Every change of one byte of the compressed data, at the end of the file, and every cut give a mesh or an error; reads
 * of foreign memory are found by the sanitizers. `last`: bytes after which it begins. */
static void assert_damage_is_found(const char *rest, size_t first, size_t last, size_t step) {
    size_t errors = 0, tries = 0;
    for (size_t at = first; at < last; at += step)
        for (int bit = 0; bit < 8; bit += 3, tries++) {
            ruga_mesh *mesh = NULL;
            g->buffer[at] = (unsigned char)(g->buffer[at] ^ 1 << bit);
            if (RUGA_FAILED(glb_read(context, g, rest, NULL, &mesh))) {
                assert_message_has(context, "test.glb");
                errors++;
            }
            ruga_mesh_destroy(mesh);
            g->buffer[at] = (unsigned char)(g->buffer[at] ^ 1 << bit);
        }
    assert_less(20, (double)tries);
    assert_less(0, (double)errors);
}

/* ---- Draco. */

#define DRACO_REST                                                                                                 \
    "\"extensionsUsed\":[\"KHR_draco_mesh_compression\"],\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]," \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"indices\":2,\"extensions\":" \
    "{\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1}}}}]}]," ONE_NODE

#ifdef RUGA_HAS_DRACO
/* Returns the bytes of compressed data; the numbers of the accessors can be wrong by something. */
static size_t add_draco(int sequential, int bits, int metadata, int more_vertices, int more_corners) {
    const draco_input in = {.vertex_count = POINTS,
                            .triangle_count = CORNERS / 3,
                            .corners = corners,
                            .positions = points,
                            .uvs = uvs,
                            .sequential = sequential,
                            .bits = bits,
                            .metadata = metadata};
    size_t size, vertex_count, triangle_count;
    unsigned char *bytes = draco_encode(&in, &size, &vertex_count, &triangle_count);
    assert_non_null(bytes);
    glb_view(g, bytes, size, 0);
    free(bytes);
    const size_t count = (size_t)((int)vertex_count + more_vertices);
    add_accessor("", GLB_F32, count, "VEC3");
    add_accessor("", GLB_F32, count, "VEC2");
    add_accessor("", GLB_U16, (size_t)(3 * (int)triangle_count + more_corners), "SCALAR");
    return size;
}
#endif

static void draco_without_loss_gives_the_very_mesh(void **state) {
    (void)state;
#ifndef RUGA_HAS_DRACO
    skip();
#else
    for (int metadata = 0; metadata < 2; metadata++) {
        memset(g, 0, sizeof *g);
        add_draco(1, 0, metadata, 0, 0);
        ruga_mesh *mesh = read_ok(DRACO_REST);
        assert_sheet(mesh, 0);
        ruga_mesh_destroy(mesh);
    }
#endif
}

/* The edgebreaker changes the order: each vertex is found again near its place, and so is each triangle. */
static void draco_with_loss_stays_within_its_bits(void **state) {
    (void)state;
#ifndef RUGA_HAS_DRACO
    skip();
#else
    const double step = 0.8 / ((1 << 12) - 1); /* of the widest extent, by 12 bits */
    size_t found[POINTS], count = 0;
    double area = 0, before = 0;
    add_draco(0, 12, 0, 0, 0);
    ruga_mesh *mesh = read_ok(DRACO_REST);
    assert_int_equal(mesh->vertex_count, POINTS);
    for (size_t v = 0; v < POINTS; v++) {
        found[v] = 0;
        for (size_t w = 0; w < POINTS; w++)
            found[v] += fabs(mesh->positions[w].x - (double)points[3 * v]) < step &&
                        fabs(mesh->positions[w].y - (double)points[3 * v + 1]) < step;
        count += found[v];
        assert_int_equal(found[v], 1);
    }
    assert_int_equal(count, POINTS);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->face_vertices + 3 * t;
        const ruga_vec3 *p = mesh->positions;
        area += (p[c[1]].x - p[c[0]].x) * (p[c[2]].y - p[c[0]].y) - (p[c[1]].y - p[c[0]].y) * (p[c[2]].x - p[c[0]].x);
        before += 0.1 * 0.13;
    }
    assert_int_equal(mesh->triangle_count, CORNERS / 3);
    assert_near(area, before, 1e-3);
    ruga_mesh_destroy(mesh);
#endif
}

static void draco_keeps_the_skin(void **state) {
    (void)state;
#ifndef RUGA_HAS_DRACO
    skip();
#else
    const draco_input in = {.vertex_count = POINTS,
                            .triangle_count = CORNERS / 3,
                            .corners = corners,
                            .positions = points,
                            .joints = joints,
                            .sequential = 1};
    size_t size, vertex_count, triangle_count;
    unsigned char *bytes = draco_encode(&in, &size, &vertex_count, &triangle_count);
    glb_view(g, bytes, size, 0);
    free(bytes);
    add_accessor("", GLB_F32, POINTS, "VEC3");
    add_accessor("", GLB_U8, POINTS, "VEC4");
    add_accessor("", GLB_U16, CORNERS, "SCALAR");
    glb_floats(g, "VEC4", POINTS, weights); /* accessor 3 is not compressed */
    ruga_mesh *mesh = read_ok(
        "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"skins\":[{\"joints\":[1,2]}],\"meshes\":[{"
        "\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":3},\"indices\":2,"
        "\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":{\"POSITION\":0,"
        "\"JOINTS_0\":1}}}}]}],\"nodes\":[{\"mesh\":0,\"skin\":0},{},{\"translation\":[0,0,5]}]");
    assert_int_equal(mesh->joint_count, 2);
    for (size_t v = 0; v < POINTS; v++) /* odd vertices follow the second joint */
        assert_near(mesh->positions[v].z, (double)points[3 * v + 2] + (v % 2 ? 5 : 0), 1e-6);
    ruga_mesh_destroy(mesh);
#endif
}

static void damaged_draco_data_is_refused(void **state) {
    (void)state;
#ifndef RUGA_HAS_DRACO
    skip();
#else
    const size_t size = add_draco(0, 10, 0, 0, 0);
    assert_damage_is_found(DRACO_REST, 0, size, 3);
    /* Cut off: the view is shorter. */
    for (size_t length = 0; length < size; length += 5) {
        char rest[1200];
        snprintf(g->views, sizeof g->views, "{\"buffer\":0,\"byteLength\":%zu}", length);
        snprintf(rest, sizeof rest, "%s", DRACO_REST);
        assert_refused(rest, RUGA_ERROR_INPUT, "test.glb:");
    }
#endif
}

/* The header of the data says how much memory it takes: it must agree with the accessors, which are limited. */
static void draco_data_of_another_size_is_refused(void **state) {
    (void)state;
#ifndef RUGA_HAS_DRACO
    skip();
#else
    static const int more[4][3] = {{1, 1, 0}, {0, -1, 0}, {0, 0, 3}, {1, 0, -3}};
    for (int i = 0; i < 4; i++) {
        memset(g, 0, sizeof *g);
        add_draco(more[i][0], 12, 0, more[i][1], more[i][2]);
        assert_refused(DRACO_REST, RUGA_ERROR_INPUT, "triangles");
    }
    /* A billion triangles in the header. */
    memset(g, 0, sizeof *g);
    add_draco(1, 0, 0, 0, 0);
    const unsigned char huge[5] = {0xff, 0xff, 0xff, 0xff, 0x03};
    memcpy(g->buffer + 11, huge, sizeof huge);
    assert_refused(DRACO_REST, RUGA_ERROR_INPUT, "its header says");
#endif
}

/* ---- Meshopt. */

#define MESHOPT_REST(more)                                                                                 \
    "\"extensionsUsed\":[\"EXT_meshopt_compression\"],\"extensionsRequired\":[\"EXT_meshopt_compression\"" \
    "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1" more                 \
    "},\"indices\":2}]}]," ONE_NODE

#ifdef RUGA_HAS_MESHOPT
/* A view whose buffer is the one without bytes, number 1: so `rest` begins with nothing, and the file has two. */
static void add_packed_view(const unsigned char *bytes, size_t size, size_t count, size_t stride, const char *words) {
    char view[320];
    const size_t offset = g->size;
    memcpy(g->buffer + g->size, bytes, size);
    g->size = (g->size + size + 3) / 4 * 4;
    snprintf(view, sizeof view,
             "%s{\"buffer\":0,\"byteLength\":%zu,%s\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,"
             "\"byteOffset\":%zu,\"byteLength\":%zu,\"byteStride\":%zu,\"count\":%zu,%s}}}",
             g->view_count ? "," : "", count * stride, "", offset, size, stride, count, words);
    strcat(g->views, view);
    g->view_count++;
}

static void add_packed_vertices(const void *values, size_t count, size_t stride, const char *words) {
    unsigned char bytes[8192];
    const size_t size = meshopt_encodeVertexBuffer(bytes, sizeof bytes, values, count, stride);
    assert_less(0, (double)size);
    add_packed_view(bytes, size, count, stride, words);
}

/* The codec of triangles may turn them and must not change them. */
static void add_packed_indices(int as_triangles) {
    unsigned char bytes[8192];
    const size_t size = as_triangles ? meshopt_encodeIndexBuffer(bytes, sizeof bytes, corners, CORNERS)
                                     : meshopt_encodeIndexSequence(bytes, sizeof bytes, corners, CORNERS);
    assert_less(0, (double)size);
    add_packed_view(bytes, size, CORNERS, 2, as_triangles ? "\"mode\":\"TRIANGLES\"" : "\"mode\":\"INDICES\"");
}

static void add_meshopt(int as_triangles) {
    add_packed_vertices(points, POINTS, 12, "\"mode\":\"ATTRIBUTES\"");
    add_packed_vertices(uvs, POINTS, 8, "\"mode\":\"ATTRIBUTES\",\"filter\":\"NONE\"");
    add_packed_indices(as_triangles);
    add_accessor("\"bufferView\":0,", GLB_F32, POINTS, "VEC3");
    add_accessor("\"bufferView\":1,", GLB_F32, POINTS, "VEC2");
    add_accessor("\"bufferView\":2,", GLB_U16, CORNERS, "SCALAR");
}

static void turn_to_smallest_first(uint32_t *triangles) {
    for (size_t c = 0; c < CORNERS; c += 3)
        while (triangles[c] > triangles[c + 1] || triangles[c] > triangles[c + 2]) {
            const uint32_t first = triangles[c];
            triangles[c] = triangles[c + 1], triangles[c + 1] = triangles[c + 2], triangles[c + 2] = first;
        }
}
#endif

static void meshopt_gives_the_very_mesh(void **state) {
    (void)state;
#ifndef RUGA_HAS_MESHOPT
    skip();
#else
    for (int as_triangles = 0; as_triangles < 2; as_triangles++) {
        memset(g, 0, sizeof *g);
        add_meshopt(as_triangles);
        ruga_mesh *mesh = read_ok(MESHOPT_REST(""));
        if (as_triangles) {
            uint32_t read[CORNERS];
            memcpy(read, mesh->face_vertices, sizeof read);
            turn_to_smallest_first(read);
            turn_to_smallest_first(corners);
            assert_memory_equal(read, corners, sizeof corners);
            memcpy(corners, mesh->face_vertices, sizeof corners);
        }
        assert_sheet(mesh, 0);
        ruga_mesh_destroy(mesh);
    }
#endif
}

/* As gltfpack writes: positions of 16 bits that the node scales, normals by the octahedron, uvs by exponents. */
static void meshopt_filters_and_quantised_positions_are_read(void **state) {
    (void)state;
#ifndef RUGA_HAS_MESHOPT
    skip();
#else
    uint16_t quantised[4 * POINTS] = {0};
    float normals[4 * POINTS] = {0};
    unsigned char packed_normals[4 * POINTS], packed_uvs[8 * POINTS];
    for (size_t v = 0; v < POINTS; v++) {
        for (size_t k = 0; k < 3; k++) quantised[4 * v + k] = (uint16_t)lrintf((points[3 * v + k] + 1) / 2 * 65535);
        const float z = cosf((float)v), y = sinf((float)v);
        normals[4 * v + 1] = y, normals[4 * v + 2] = z;
    }
    meshopt_encodeFilterOct(packed_normals, POINTS, 4, 8, normals);
    meshopt_encodeFilterExp(packed_uvs, POINTS, 8, 20, uvs);
    add_packed_vertices(quantised, POINTS, 8, "\"mode\":\"ATTRIBUTES\"");
    add_packed_vertices(packed_uvs, POINTS, 8, "\"mode\":\"ATTRIBUTES\",\"filter\":\"EXPONENTIAL\"");
    add_packed_indices(0);
    add_packed_vertices(packed_normals, POINTS, 4, "\"mode\":\"ATTRIBUTES\",\"filter\":\"OCTAHEDRAL\"");
    char *stride = strstr(g->views, "\"extensions\""); /* 6 of every 8 bytes are used */
    memmove(stride + 15, stride, strlen(stride) + 1);
    memcpy(stride, "\"byteStride\":8,", 15);
    add_accessor("\"bufferView\":0,\"normalized\":true,", GLB_U16, POINTS, "VEC3");
    add_accessor("\"bufferView\":1,", GLB_F32, POINTS, "VEC2");
    add_accessor("\"bufferView\":2,", GLB_U16, CORNERS, "SCALAR");
    add_accessor("\"bufferView\":3,\"normalized\":true,", GLB_I8, POINTS, "VEC3");
    char *stride_of_normals = strstr(strstr(g->views, "OCTAHEDRAL") - 160, "\"extensions\"");
    memmove(stride_of_normals + 15, stride_of_normals, strlen(stride_of_normals) + 1);
    memcpy(stride_of_normals, "\"byteStride\":4,", 15);
    ruga_mesh *mesh = read_ok(
        "\"extensionsRequired\":[\"EXT_meshopt_compression\",\"KHR_mesh_quantization\"],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1,"
        "\"NORMAL\":3},\"indices\":2}]}],\"nodes\":[{\"mesh\":0,\"scale\":[2,2,2],"
        "\"translation\":[-1,-1,-1]}]");
    assert_sheet(mesh, 1.01 * 2 / 65535 / 2 + 1e-6);
    const ruga_attribute *normal = ruga_mesh_attribute(mesh, "normal", RUGA_DOMAIN_VERTEX);
    assert_non_null(normal);
    for (size_t v = 0; v < POINTS; v++)
        for (size_t k = 0; k < 3; k++)
            assert_near((double)((const float *)normal->values)[3 * v + k], (double)normals[4 * v + k], 0.02);
    ruga_mesh_destroy(mesh);
#endif
}

/* Where the file has the content uncompressed, too, no decoder is needed. */
static void uncompressed_content_is_read_where_it_is_there(void **state) {
    (void)state;
    static const char view[] =
        "{\"buffer\":0,\"byteLength\":36,\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,\"byteLength\":36,"
        "\"byteStride\":12,\"count\":3,\"mode\":\"ATTRIBUTES\"}}}";
    glb_floats(g, "VEC3", 3, triangle);
    strcpy(g->views, view);
    ruga_context_set_decoders(context, NULL);
    ruga_mesh *mesh = read_ok(
        "\"extensionsUsed\":[\"EXT_meshopt_compression\",\"KHR_draco_mesh_compression\"],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"extensions\":{"
        "\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":{\"POSITION\":0}}}}]}]," ONE_NODE);
    assert_at(mesh, 1, 1, 0, 0);
    ruga_mesh_destroy(mesh);
}

static void damaged_meshopt_data_is_refused(void **state) {
    (void)state;
#ifndef RUGA_HAS_MESHOPT
    skip();
#else
    static const char *const wrong[][2] = {
        {"\"byteStride\":12,\"count\":63", "\"byteStride\":10,\"count\":63"},
        {"\"byteStride\":12,\"count\":63", "\"byteStride\":12,\"count\":99"},
        {"\"byteStride\":12,\"count\":63", "\"byteStride\":12,\"count\":00"},
        {"\"mode\":\"INDICES\"", "\"mode\":\"INDICIA\""},
        {"\"filter\":\"NONE\"", "\"filter\":\"TWIN\""},
    };
    add_meshopt(0);
    assert_damage_is_found(MESHOPT_REST(""), 0, g->size, 7);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char *place = strstr(g->views, wrong[i][0]);
        assert_non_null(place);
        memcpy(place, wrong[i][1], strlen(wrong[i][1]));
        assert_refused(MESHOPT_REST(""), RUGA_ERROR_INPUT, "test.glb:");
        memcpy(place, wrong[i][0], strlen(wrong[i][0]));
    }
    /* A count that takes all memory is refused before any is taken. */
    char *place = strstr(g->views, "\"count\":63");
    memmove(place + 17, place + 10, strlen(place + 10) + 1);
    memcpy(place, "\"count\":630000000", 17);
    assert_refused(MESHOPT_REST(""), RUGA_ERROR_INPUT, "expand");
#endif
}

/* ---- Both. */

static void without_a_decoder_the_message_names_the_remedy(void **state) {
    (void)state;
    size_t size;
    glb_view(g, triangle, sizeof triangle, 0);
    add_accessor("", GLB_F32, 3, "VEC3");
    add_accessor("", GLB_F32, 3, "VEC2");
    add_accessor("", GLB_U16, 3, "SCALAR");
    ruga_context_set_decoders(context, NULL);
    unsigned char *bytes = glb_finish(g, DRACO_REST, &size);
    assert_file_refused(bytes, size, "libdraco-dev");
    assert_message_has(context, "KHR_draco_mesh_compression");
    assert_message_has(context, "without compression");
    assert_message_has(context, "ruga_decode_use");
    free(bytes);
    memset(g, 0, sizeof *g);
    strcpy(g->views, "{\"buffer\":0,\"byteLength\":36,\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0}}}");
    add_accessor("\"bufferView\":0,", GLB_F32, 3, "VEC3");
    memcpy(g->buffer, triangle, sizeof triangle);
    g->size = sizeof triangle;
    bytes = glb_finish(g,
                       "\"extensionsRequired\":[\"EXT_meshopt_compression\"],\"meshes\":[{\"primitives\":[{"
                       "\"attributes\":{\"POSITION\":0}}]}]," ONE_NODE,
                       &size);
    assert_file_refused(bytes, size, "libmeshoptimizer-dev");
    free(bytes);
}

/* `convert` and `wrinkle` keep what they do not understand: a compressed file is copied as it is, and a mesh in the
 * place of a compressed one is an ordinary one. */
static void compressed_files_are_copied_and_written_into(void **state) {
    (void)state;
#if !defined RUGA_HAS_DRACO || !defined RUGA_HAS_MESHOPT
    skip();
#else
    for (int draco = 0; draco < 2; draco++) {
        ruga_file_def def = ruga_file_def_default();
        ruga_mesh *mesh = NULL;
        memset(g, 0, sizeof *g);
        if (draco)
            add_draco(1, 0, 0, 0, 0);
        else
            add_meshopt(0);
        glb_save(g, draco ? DRACO_REST : MESHOPT_REST(""), test_path("packed.glb"));
        assert_ok(context, ruga_file_copy(context, test_path("packed.glb"), test_path("copy.glb"), NULL));
        assert_ok(context, ruga_mesh_read(context, test_path("copy.glb"), NULL, &mesh));
        assert_sheet(mesh, 0);
        char origin[512];
        snprintf(origin, sizeof origin, "%s", test_path("packed.glb"));
        def.origin = origin;
        assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("written.glb"), &def));
        ruga_mesh_destroy(mesh);
        if (draco) { /* nothing is left to decode */
            size_t size;
            char *bytes = read_test_file(test_path("written.glb"), &size);
            assert_null(strstr(bytes + 20, "KHR_draco"));
            free(bytes);
            ruga_context_set_decoders(context, NULL);
        }
        assert_ok(context, ruga_mesh_read(context, test_path("written.glb"), NULL, &mesh));
        assert_sheet(mesh, 0);
        ruga_mesh_destroy(mesh);
        ruga_decode_use(context);
    }
#endif
}

static void every_allocation_may_fail(void **state) {
    (void)state;
#if !defined RUGA_HAS_DRACO || !defined RUGA_HAS_MESHOPT
    skip();
#else
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("packed.glb"));
    add_draco(1, 0, 0, 0, 0);
    glb_save(g, DRACO_REST, path);
    assert_less(15, assert_every_allocation_may_fail(read_compressed, path));
    memset(g, 0, sizeof *g);
    add_meshopt(0);
    glb_save(g, MESHOPT_REST(""), path);
    assert_less(15, assert_every_allocation_may_fail(read_compressed, path));
#endif
}

#define COMPRESSED_TEST(name) cmocka_unit_test_setup_teardown(name, begin_sheet, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        COMPRESSED_TEST(draco_without_loss_gives_the_very_mesh),
        COMPRESSED_TEST(draco_with_loss_stays_within_its_bits),
        COMPRESSED_TEST(draco_keeps_the_skin),
        COMPRESSED_TEST(damaged_draco_data_is_refused),
        COMPRESSED_TEST(draco_data_of_another_size_is_refused),
        COMPRESSED_TEST(meshopt_gives_the_very_mesh),
        COMPRESSED_TEST(meshopt_filters_and_quantised_positions_are_read),
        COMPRESSED_TEST(uncompressed_content_is_read_where_it_is_there),
        COMPRESSED_TEST(damaged_meshopt_data_is_refused),
        COMPRESSED_TEST(without_a_decoder_the_message_names_the_remedy),
        COMPRESSED_TEST(compressed_files_are_copied_and_written_into),
        COMPRESSED_TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
