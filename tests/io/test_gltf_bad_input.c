#include <math.h>

#include "io/gltf_fixture.h"
#include "support/file_systems.h"

/* ---- Buffers elsewhere. */

static const char triangle_base64[] = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";

static void write_gltf(const char *path, const char *uri) {
    char text[700];
    int size = snprintf(text, sizeof text,
                        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"%s\",\"byteLength\":36}],"
                        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
                        "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
                        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
                        uri);
    write_test_file(path, text, (size_t)size);
}

static ruga_status read_with_uri(const char *uri, ruga_mesh **mesh) {
    write_gltf(test_path("uri.gltf"), uri);
    return ruga_mesh_read(context, test_path("uri.gltf"), NULL, mesh);
}

static void buffers_come_from_data_and_from_files_beside(void **state) {
    (void)state;
    char data[200];
    ruga_mesh *mesh = NULL;
    snprintf(data, sizeof data, "data:application/octet-stream;base64,%s", triangle_base64);
    write_test_file(test_path("the points.bin"), triangle, sizeof triangle);
    const char *const uris[] = {data, "the%20points.bin", "./the points.bin"};
    for (int i = 0; i < 3; i++) {
        assert_ok(context, read_with_uri(uris[i], &mesh));
        assert_at(mesh, 2, 0, 1, 0);
        ruga_mesh_destroy(mesh);
    }
}

static void buffers_outside_the_folder_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "../secret.bin", "/etc/hostname", "a/../../b", "%2e%2e/secret.bin", "..\\\\b", "..", "bad%2", "zero%00", ""};
    ruga_mesh *mesh = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_status(read_with_uri(bad[i], &mesh), RUGA_ERROR_INPUT);
        assert_message_has(context, "must be in the file's own folder");
    }
    assert_status(read_with_uri("https://example.org/a.bin", &mesh), RUGA_ERROR_UNSUPPORTED);
    assert_status(read_with_uri("missing.bin", &mesh), RUGA_ERROR_FILE);
    assert_message_has(context, "missing.bin");
    assert_status(read_with_uri("data:,plain", &mesh), RUGA_ERROR_INPUT);
    assert_status(read_with_uri("data:a;base64,AA*A", &mesh), RUGA_ERROR_INPUT);
    assert_status(read_with_uri("data:a;base64,AAAAA", &mesh), RUGA_ERROR_INPUT);
    assert_status(read_with_uri("data:a;base64,AAAA", &mesh), RUGA_ERROR_INPUT);
    assert_message_has(context, "should have 36 bytes, but has only 3");
    char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"a.bin\",\"byteLength\":36}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";
    assert_status(ruga_mesh_read_memory(context, "memory.gltf", text, strlen(text), NULL, &mesh), RUGA_ERROR_INPUT);
    assert_message_has(context, "can't be read from memory");
}

/* ---- Bad input. */

static void extensions_that_hide_the_mesh_are_named(void **state) {
    (void)state;
    static const char *const names[] = {"KHR_meshopt_compression", "ACME_compression", "ACME_folds"};
    static const char *const places[] = {
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"extensions\":{\"%s\":{}}}]}]," ONE_NODE,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}],\"extensions\":{\"%s\":{}}}]," ONE_NODE};
    glb_floats(g, "VEC3", 3, triangle);
    for (int i = 0; i < 6; i++) {
        char rest[400], mesh[300];
        snprintf(mesh, sizeof mesh, i % 2 ? places[1] : places[0], names[i / 2]);
        snprintf(rest, sizeof rest, "\"extensionsRequired\":[\"%s\"],%s", names[i / 2], mesh);
        assert_refused(rest, RUGA_ERROR_UNSUPPORTED, names[i / 2]);
        /* Without being required, it is something beside the mesh. */
        ruga_mesh_destroy(read_ok(mesh));
    }
    /* So does an accessor's. */
    glb_accessor(g, "VEC3", GLB_F32, 3, triangle, sizeof triangle, ",\"extensions\":{\"ACME_folds\":{}}");
    assert_refused(
        "\"extensionsRequired\":[\"ACME_folds\"],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":1}}]}]," ONE_NODE,
        RUGA_ERROR_UNSUPPORTED, "ACME_folds");
}

/* Whatever an extension does to nodes, materials, textures or other meshes, this mesh is there. */
static void extensions_of_other_things_do_not_matter(void **state) {
    (void)state;
    glb_floats(g, "VEC3", 3, triangle);
    ruga_mesh *mesh = read_ok(
        "\"extensionsRequired\":[\"ACME_glow\",\"ACME_nodes\",\"KHR_draco_mesh_compression\"],"
        "\"materials\":[{\"extensions\":{\"ACME_glow\":{}}}],\"extensions\":{\"ACME_nodes\":{}},"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"material\":0}]},"
        "{\"primitives\":[{\"attributes\":{},\"extensions\":{\"KHR_draco_mesh_compression\":{}}}]}],"
        "\"nodes\":[{\"mesh\":0,\"extensions\":{\"ACME_nodes\":{}}}]");
    assert_int_equal(mesh->vertex_count, 3);
    ruga_mesh_destroy(mesh);
}

static void a_file_cut_anywhere_is_refused(void **state) {
    (void)state;
    size_t size;
    glb_floats(g, "VEC3", 3, triangle);
    unsigned char *bytes = glb_finish(g, SEAM_MESH(""), &size);
    for (size_t cut = 0; cut < size; cut++) {
        ruga_mesh *mesh = NULL;
        assert_status(ruga_mesh_read_memory(context, "cut.glb", bytes, cut, NULL, &mesh), RUGA_ERROR_INPUT);
        assert_null(mesh);
        write_test_file(test_path("cut.glb"), bytes, cut);
        assert_status(ruga_mesh_read(context, test_path("cut.glb"), NULL, &mesh), RUGA_ERROR_INPUT);
        /* With a header that agrees with what is left, the chunks are what does not fit. */
        if (cut < 20) continue;
        unsigned char *shorter = malloc(cut);
        memcpy(shorter, bytes, cut);
        glb_put_u32(shorter + 8, cut);
        assert_status(ruga_mesh_read_memory(context, "cut.glb", shorter, cut, NULL, &mesh), RUGA_ERROR_INPUT);
        free(shorter);
    }
    free(bytes);
}

static void wrong_headers_and_chunks_are_refused(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
        ruga_status status;
    } wrong[] = {{4, 1, RUGA_ERROR_UNSUPPORTED},    {4, 3, RUGA_ERROR_UNSUPPORTED},     {8, 10, RUGA_ERROR_INPUT},
                 {8, UINT32_MAX, RUGA_ERROR_INPUT}, {12, UINT32_MAX, RUGA_ERROR_INPUT}, {12, 4, RUGA_ERROR_INPUT},
                 {12, 0, RUGA_ERROR_INPUT},         {16, 0, RUGA_ERROR_INPUT}};
    size_t size;
    ruga_mesh *mesh = NULL;
    glb_floats(g, "VEC3", 3, triangle);
    unsigned char *bytes = glb_finish(g, SEAM_MESH(""), &size), *copy = malloc(size);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(copy, bytes, size);
        glb_put_u32(copy + wrong[i].at, wrong[i].value);
        assert_status(ruga_mesh_read_memory(context, "a.glb", copy, size, NULL, &mesh), wrong[i].status);
    }
    /* A second chunk of another kind is skipped, and then the buffer has no bytes. */
    memcpy(copy, bytes, size);
    size_t chunk = size - g->size - 8;
    glb_put_u32(copy + chunk + 4, 0x12345678);
    assert_status(ruga_mesh_read_memory(context, "a.glb", copy, size, NULL, &mesh), RUGA_ERROR_INPUT);
    assert_message_has(context, "no BIN chunk");
    free(copy);
    free(bytes);
}

/* A part of NULL: nothing is wrong. The accessors are those below. */
#define PRIMITIVE(text) "\"meshes\":[{\"primitives\":[{" text "}]}]," ONE_NODE
static const struct {
    const char *rest, *part;
} malformed[] = {
    {"\"meshes\":[]", "no mesh"},
    {"\"meshes\":[{}]," ONE_NODE, "no primitives"},
    {"\"meshes\":[{\"primitives\":[]}]," ONE_NODE, "no primitives"},
    {PRIMITIVE("\"attributes\":{}"), "no POSITION"},
    {PRIMITIVE("\"mode\":4"), "no POSITION"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":99}"), "\"POSITION\" is 99, but the file has"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":-1}"), "must be a whole number"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0.5}"), "must be a whole number"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0},\"mode\":7"), "from 0 to 6"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0},\"mode\":0"), "has only points"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0},\"indices\":1"), "names vertex 9, but it has 3 vertices"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0},\"indices\":2"), "4 indices; triangles need 3 each"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0},\"indices\":0"), "must be SCALAR"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0},\"indices\":2,\"mode\":1"), NULL},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":1"), "names vertex 9"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0},\"mode\":1"), "lines need 2 each"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":3}"), "must be VEC3"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":4}"), "is at (nan, 0, 0)"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":5}"), "end at byte"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":6}"), "byteOffset"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":7}"), "end at byte"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":8}"), "expand to more than"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":9}"), "componentType 5124"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":10}"), "needs a \"type\""},
    {PRIMITIVE("\"attributes\":{\"POSITION\":11}"), "sparse element 0 of accessor 11 is for element 9"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":12}"), "do not increase"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":13}"), "needs \"indices\" and \"values\""},
    {PRIMITIVE("\"attributes\":{\"POSITION\":14}"), "5121, 5123 or 5125"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":15}"), "need a \"bufferView\""},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0,\"NORMAL\":3}"), "NORMAL (accessor 3) has 4 elements"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0,\"COLOR_0\":16}"), "must be VEC3 or VEC4"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":0}"), "has 3 components, but 2 are expected"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0,\"_A\":2}"), "has 4 elements, but POSITION has 3"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":0,\"POSITION\":0}"), "POSITION"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":17}"), "names no buffer"},
    {PRIMITIVE("\"attributes\":{\"POSITION\":18}"), "but buffer 0 has"},
    {"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}},{\"attributes\":{\"POSITION\":0},"
     "\"targets\":[{\"POSITION\":0}]}]}]," ONE_NODE,
     "has 1 morph targets, but those before have 0"},
    {"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":1}]",
     "\"mesh\" is 1, but the file has 1 meshes"},
    {"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0,\"scale\":[1]}]",
     "\"scale\" must be 3 numbers"},
    {"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0,"
     "\"scale\":[1,1,\"1\"]}]",
     "\"scale\" must be 3 numbers"},
    {"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0,"
     "\"scale\":[1e200,1e200,1e200]},{\"children\":[0],\"scale\":[1e200,1e200,1e200]}]",
     "which is not finite; look for a scale that is too large"},
    {"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0,\"children\":3}]",
     "must be a list of nodes"},
    {"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}],"
     "\"scenes\":[{\"nodes\":[4]}]",
     "the scene has a node that is not one"},
    {"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0,\"skin\":0}]",
     "\"skin\" is 0, but the file has 0 skins"},
};

static void add_malformed_accessors(void) {
    static const uint16_t bad_index[3] = {0, 9, 1}, four[4] = {0, 1, 2, 0}, sparse[2] = {9, 9}, falling[2] = {1, 1};
    float not_finite[9] = {0, 0, 0, 0};
    not_finite[3] = NAN;
    glb_floats(g, "VEC3", 3, triangle);
    glb_indices(g, 3, bad_index);
    glb_indices(g, 4, four);
    glb_floats(g, "VEC2", 4, triangle);
    glb_floats(g, "VEC3", 3, not_finite);
    glb_accessor_text(g, "\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"");
    glb_accessor_text(g, "\"bufferView\":0,\"byteOffset\":-12,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"");
    glb_accessor_text(g, "\"bufferView\":0,\"componentType\":5126,\"count\":4294967294,\"type\":\"VEC3\"");
    glb_accessor_text(g, "\"componentType\":5126,\"count\":4294967294,\"type\":\"VEC3\"");
    glb_accessor_text(g, "\"bufferView\":0,\"componentType\":5124,\"count\":3,\"type\":\"VEC3\"");
    glb_accessor_text(g, "\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC5\"");
    int nine = glb_view(g, sparse, 4, 0), same = glb_view(g, falling, 4, 0);
    const char *const parts[5] = {
        "\"indices\":{\"bufferView\":%d,\"componentType\":5123},\"values\":{\"bufferView\":0}",
        "\"indices\":{\"bufferView\":%d,\"componentType\":5123},\"values\":{\"bufferView\":0}", "\"indices\":{}",
        "\"indices\":{\"bufferView\":%d,\"componentType\":5126},\"values\":{\"bufferView\":0}",
        "\"indices\":{\"componentType\":5123},\"values\":{\"bufferView\":0}"};
    for (int i = 0; i < 5; i++) {
        char text[300], part[160];
        snprintf(part, sizeof part, parts[i], i == 1 ? same : nine);
        snprintf(text, sizeof text, "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":2,%s}",
                 part);
        glb_accessor_text(g, text);
    }
    glb_floats(g, "VEC2", 3, triangle);
    char text[200];
    sprintf(g->views + strlen(g->views), ",{\"byteLength\":36},{\"buffer\":0,\"byteOffset\":100000,\"byteLength\":36}");
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "\"bufferView\":%d,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"",
                 g->view_count++);
        glb_accessor_text(g, text);
    }
}

static void malformed_json_is_refused_with_what_is_wrong(void **state) {
    (void)state;
    add_malformed_accessors();
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        ruga_mesh *mesh = NULL;
        ruga_status status = glb_read(context, g, malformed[i].rest, NULL, &mesh);
        if (!malformed[i].part) {
            assert_ok(context, status);
            ruga_mesh_destroy(mesh);
            continue;
        }
        fail_if(status != RUGA_ERROR_INPUT, "not refused: %s", malformed[i].rest);
        fail_if(!strstr(ruga_context_message(context), malformed[i].part), "\"%s\" does not hold \"%s\"",
                ruga_context_message(context), malformed[i].part);
    }
}

static void what_is_no_gltf_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        ruga_status status;
    } wrong[] = {{"", RUGA_ERROR_INPUT},
                 {"[]", RUGA_ERROR_INPUT},
                 {"{}", RUGA_ERROR_INPUT},
                 {"{\"asset\":{\"version\":2}}", RUGA_ERROR_INPUT},
                 {"{\"asset\":{\"version\":\"1.0\"}}", RUGA_ERROR_UNSUPPORTED},
                 {"{\"asset\":{\"version\":\"2.0\"}}", RUGA_ERROR_INPUT},
                 {"{\"asset\":{\"version\":\"2.0\"},\"asset\":{}}", RUGA_ERROR_INPUT},
                 {"{\"asset\":{\"version\":\"2.0\"}} more", RUGA_ERROR_INPUT}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ruga_mesh *mesh = NULL;
        assert_status(ruga_mesh_read_memory(context, "a.gltf", wrong[i].text, strlen(wrong[i].text), NULL, &mesh),
                      wrong[i].status);
    }
}

/* Many primitives over the same positions, each with another attribute: every one is a block of its own. */
static void assert_primitives_are_too_many(int count, int accessor) {
    char *rest = malloc((size_t)count * 100 + 200);
    size_t used = (size_t)sprintf(rest, "\"meshes\":[{\"primitives\":[");
    for (int i = 0; i < count; i++)
        used += (size_t)sprintf(rest + used, "%s{\"attributes\":{\"POSITION\":%d,\"_A%d\":%d}}", i ? "," : "", accessor,
                                i, accessor);
    sprintf(rest + used, "]}]," ONE_NODE);
    assert_refused(rest, RUGA_ERROR_INPUT, "expand to more than");
    free(rest);
}

static void a_small_file_cannot_ask_for_all_memory(void **state) {
    (void)state;
    /* By their vertices, or by attributes, each of which takes room for the vertices of all primitives. */
    glb_accessor_text(g, "\"componentType\":5126,\"count\":50000,\"type\":\"VEC3\"");
    glb_accessor_text(g, "\"componentType\":5126,\"count\":300,\"type\":\"VEC3\"");
    assert_primitives_are_too_many(400, 0);
    assert_primitives_are_too_many(2000, 1);
}

/* ---- Memory and files that fail. */

static unsigned char *rich_file(size_t *size) {
    static const float uv[12] = {0, 0, 1, 0, 0, 1, 0.5f, 0, 0.5f, 0.5f, 0, 0.5f};
    static const uint16_t line[2] = {0, 4};
    static const uint8_t joints[24] = {0};
    static const uint8_t weights[24] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255};
    glb_floats(g, "VEC3", 6, seam);
    glb_floats(g, "VEC2", 6, uv);
    glb_indices(g, 2, line);
    glb_accessor(g, "VEC4", GLB_U8, 6, joints, 24, "");
    glb_accessor(g, "VEC4", GLB_U8, 6, weights, 24, ",\"normalized\":true");
    return glb_finish(g,
                      "\"meshes\":[{\"weights\":[0.5],\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1,"
                      "\"JOINTS_0\":3,\"WEIGHTS_0\":4},\"material\":0,\"targets\":[{\"POSITION\":0}]},"
                      "{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1,\"JOINTS_0\":3,\"WEIGHTS_0\":4},\"indices\":2,"
                      "\"mode\":1,\"targets\":[{\"POSITION\":0}]}]}],\"materials\":[{\"name\":\"silk\"}],"
                      "\"nodes\":[{\"mesh\":0,\"skin\":0},{}],\"skins\":[{\"joints\":[1]}]",
                      size);
}

static ruga_status read_and_release(ruga_context *c, void *user) {
    ruga_mesh *mesh = NULL;
    TRY(ruga_mesh_read(c, user, NULL, &mesh));
    ruga_mesh_destroy(mesh);
    return RUGA_OK;
}

static ruga_status list_and_release(ruga_context *c, void *user) {
    char *text = NULL;
    TRY(ruga_file_list_meshes(c, user, &text));
    ruga_free(c, text);
    for (int i = 0; i < RUGA_FILE_NAMES_COUNT; i++) {
        TRY(ruga_file_list_names(c, user, NULL, 0, (ruga_file_names)i, &text));
        ruga_free(c, text);
    }
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = rich_file(&size);
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("rich.glb"));
    write_test_file(path, bytes, size);
    assert_less(20, assert_every_allocation_may_fail(read_and_release, path));
    assert_less(3, assert_every_allocation_may_fail(list_and_release, path));
    write_test_file(test_path("the points.bin"), triangle, sizeof triangle);
    snprintf(path, sizeof path, "%s", test_path("uri.gltf"));
    write_gltf(path, "the%20points.bin");
    assert_less(10, assert_every_allocation_may_fail(read_and_release, path));
    free(bytes);
}

static void every_read_may_fail(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = rich_file(&size);
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("rich.glb"));
    write_test_file(path, bytes, size);
    failing_file_system failing;
    long fail = 0;
    for (;; fail++) {
        failing_file_system_init(&failing, file_system_disk());
        failing.fail_read = fail;
        const file_system *before = context->file_system;
        context->file_system = &failing.interface;
        ruga_status status = read_and_release(context, path);
        context->file_system = before;
        if (failing.reads <= fail) {
            assert_ok(context, status);
            break;
        }
        assert_status(status, RUGA_ERROR_FILE);
    }
    assert_less(3, fail);
    free(bytes);
}

static void a_stream_and_memory_give_the_same_mesh(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = rich_file(&size);
    ruga_mesh *a = NULL, *b = NULL;
    write_test_file(test_path("rich.glb"), bytes, size);
    assert_ok(context, ruga_mesh_read(context, test_path("rich.glb"), NULL, &a));
    assert_ok(context, ruga_mesh_read_memory(context, "rich.glb", bytes, size, NULL, &b));
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
    assert_memory_equal(a->face_vertices, b->face_vertices, a->corner_count * sizeof(uint32_t));
    /* The morph target moves each vertex by half of its position. */
    assert_at(a, 1, 1.5, 0, 0);
    assert_int_equal(a->line_count, 1);
    ruga_mesh_destroy(a);
    ruga_mesh_destroy(b);
    free(bytes);
}

#define BAD_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        BAD_TEST(buffers_come_from_data_and_from_files_beside),
        BAD_TEST(buffers_outside_the_folder_are_refused),
        BAD_TEST(extensions_that_hide_the_mesh_are_named),
        BAD_TEST(extensions_of_other_things_do_not_matter),
        BAD_TEST(a_file_cut_anywhere_is_refused),
        BAD_TEST(wrong_headers_and_chunks_are_refused),
        BAD_TEST(malformed_json_is_refused_with_what_is_wrong),
        BAD_TEST(what_is_no_gltf_is_refused),
        BAD_TEST(a_small_file_cannot_ask_for_all_memory),
        BAD_TEST(every_allocation_may_fail),
        BAD_TEST(every_read_may_fail),
        BAD_TEST(a_stream_and_memory_give_the_same_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
