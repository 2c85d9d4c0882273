#include <math.h>

#include "io/gltf_fixture.h"

static const float square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const uint16_t two_triangles[6] = {0, 1, 2, 0, 2, 3};

static void assert_corners(const ruga_mesh *mesh, const uint32_t *expected, size_t count) {
    assert_int_equal(mesh->corner_count, count);
    assert_memory_equal(mesh->face_vertices, expected, count * sizeof *expected);
}

/* A square of two triangles in one primitive, with more attributes as text. */
static const char *square_with(const char *attributes) {
    static char text[1024];
    glb_floats(g, "VEC3", 4, square);
    glb_indices(g, 6, two_triangles);
    snprintf(text, sizeof text,
             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0%s},\"indices\":1}]}]," ONE_NODE, attributes);
    return text;
}

/* ---- Accessors. */

static void positions_and_indices_are_as_in_the_file(void **state) {
    (void)state;
    static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    ruga_mesh *mesh = read_ok(square_with(""));
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->split_count, 0);
    assert_null(mesh->split_vertex);
    assert_corners(mesh, corners, 6);
    for (size_t v = 0; v < 4; v++) assert_at(mesh, v, square[3 * v], square[3 * v + 1], square[3 * v + 2]);
    ruga_mesh_destroy(mesh);
}

static void every_component_type_is_read(void **state) {
    (void)state;
    static const uint8_t u8[] = {0, 51, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const int8_t i8[] = {-128, -127, 127, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const uint16_t u16[] = {0, 13107, 65535, 0, 0, 0, 0, 0, 0};
    static const int16_t i16[] = {-32768, -32767, 32767, 0, 0, 0, 0, 0, 0};
    static const double normalised[4][3] = {{0, 0.2, 1}, {-1, -1, 1}, {0, 0.2, 1}, {-1, -1, 1}};
    static const double plain[4][3] = {{0, 51, 255}, {-128, -127, 127}, {0, 13107, 65535}, {-32768, -32767, 32767}};
    static const int types[4] = {GLB_U8, GLB_I8, GLB_U16, GLB_I16};
    const void *const bytes[4] = {u8, i8, u16, i16};
    for (int k = 0; k < 8; k++) {
        memset(g, 0, sizeof *g);
        int t = k / 2, small = t < 2;
        char accessor[160];
        /* Elements of small types begin at multiples of four bytes, so that the stride is larger than they are. */
        unsigned char rows[24] = {0};
        for (size_t v = 0; v < 3; v++)
            memcpy(rows + v * (small ? 4 : 8), (const char *)bytes[t] + v * (small ? 3 : 6), small ? 3 : 6);
        int view = glb_view(g, rows, small ? 12 : 24, small ? 4 : 8);
        snprintf(accessor, sizeof accessor,
                 "\"bufferView\":%d,\"componentType\":%d,\"count\":3,\"type\":\"VEC3\",\"normalized\":%s", view,
                 types[t], k % 2 ? "true" : "false");
        glb_accessor_text(g, accessor);
        ruga_mesh *mesh = read_ok(
            "\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"meshes\":[{\"primitives\":[{"
            "\"attributes\":{\"POSITION\":0}}]}]," ONE_NODE);
        const double *expected = k % 2 ? normalised[t] : plain[t];
        assert_at(mesh, 0, expected[0], expected[1], expected[2]);
        ruga_mesh_destroy(mesh);
    }
}

static void indices_of_every_unsigned_type_agree(void **state) {
    (void)state;
    static const uint8_t u8[] = {0, 2, 1};
    static const uint16_t u16[] = {0, 2, 1};
    static const uint32_t u32[] = {0, 2, 1};
    const void *const bytes[] = {u8, u16, u32};
    static const int types[] = {GLB_U8, GLB_U16, GLB_U32};
    for (int t = 0; t < 3; t++) {
        memset(g, 0, sizeof *g);
        glb_floats(g, "VEC3", 3, triangle);
        glb_accessor(g, "SCALAR", types[t], 3, bytes[t], (size_t)3 << t, "");
        ruga_mesh *mesh =
            read_ok("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]," ONE_NODE);
        assert_corners(mesh, u32, 3);
        ruga_mesh_destroy(mesh);
    }
}

static void interleaved_attributes_are_taken_apart(void **state) {
    (void)state;
    static const float rows[3][5] = {{0, 0, 0, 0.25f, 0.5f}, {1, 0, 0, 0.75f, 0.5f}, {0, 1, 0, 0.25f, 1}};
    glb_view(g, rows, sizeof rows, 20);
    glb_accessor_text(g, "\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"");
    glb_accessor_text(g, "\"bufferView\":0,\"byteOffset\":12,\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"");
    ruga_mesh *mesh =
        read_ok("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1}}]}]," ONE_NODE);
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX);
    assert_non_null(uv);
    for (size_t v = 0; v < 3; v++) {
        assert_at(mesh, v, rows[v][0], rows[v][1], rows[v][2]);
        assert_equal_case(ruga_attribute_get(uv, v, 0), (double)rows[v][3], "v %zu", v);
        assert_equal_case(ruga_attribute_get(uv, v, 1), 1 - (double)rows[v][4], "v %zu", v);
    }
    ruga_mesh_destroy(mesh);
}

static void sparse_elements_replace_dense_ones(void **state) {
    (void)state;
    static const uint8_t at[] = {0, 2};
    static const float values[6] = {5, 6, 7, 8, 9, 10};
    char text[400];
    int dense = glb_view(g, triangle, sizeof triangle, 0), indices = glb_view(g, at, 2, 0);
    int replaced = glb_view(g, values, sizeof values, 0);
    snprintf(text, sizeof text,
             "\"bufferView\":%d,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":2,"
             "\"indices\":{\"bufferView\":%d,\"componentType\":5121},\"values\":{\"bufferView\":%d}}",
             dense, indices, replaced);
    glb_accessor_text(g, text);
    ruga_mesh *mesh = read_ok("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]," ONE_NODE);
    assert_at(mesh, 0, 5, 6, 7);
    assert_at(mesh, 1, 1, 0, 0);
    assert_at(mesh, 2, 8, 9, 10);
    ruga_mesh_destroy(mesh);
}

static void an_accessor_without_a_view_is_zero_but_for_sparse_elements(void **state) {
    (void)state;
    static const uint16_t at[] = {1, 2};
    static const float values[6] = {1, 0, 0, 0, 1, 0};
    static const uint8_t numbers[] = {1, 2, 3};
    char text[400];
    int indices = glb_view(g, at, 4, 0), replaced = glb_view(g, values, sizeof values, 0);
    snprintf(text, sizeof text,
             "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":2,"
             "\"indices\":{\"bufferView\":%d,\"componentType\":5123},\"values\":{\"bufferView\":%d}}",
             indices, replaced);
    glb_accessor_text(g, text);
    /* An attribute of bytes, and one of whole numbers, all zero but one. */
    int small = glb_view(g, numbers, 3, 0), first = glb_view(g, at, 2, 0);
    snprintf(text, sizeof text,
             "\"componentType\":5121,\"count\":3,\"type\":\"SCALAR\",\"sparse\":{\"count\":1,"
             "\"indices\":{\"bufferView\":%d,\"componentType\":5123},\"values\":{\"bufferView\":%d}}",
             first, small);
    glb_accessor_text(g, text);
    glb_accessor_text(g, "\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"");
    ruga_mesh *mesh =
        read_ok("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"_ID\":1},\"indices\":2}]}]," ONE_NODE);
    static const uint32_t corners[3] = {0, 0, 0};
    assert_at(mesh, 0, 0, 0, 0);
    assert_at(mesh, 2, 0, 1, 0);
    assert_corners(mesh, corners, 3);
    const ruga_attribute *id = ruga_mesh_attribute(mesh, "ID", RUGA_DOMAIN_VERTEX);
    assert_equal(ruga_attribute_get(id, 1, 0), 1);
    assert_equal(ruga_attribute_get(id, 0, 0), 0);
    ruga_mesh_destroy(mesh);
}

/* ---- Primitives. */

static void strips_and_fans_become_triangles_of_one_orientation(void **state) {
    (void)state;
    static const float zigzag[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0};
    static const uint32_t strip[9] = {0, 1, 2, 1, 3, 2, 2, 3, 4}, fan[9] = {1, 2, 0, 2, 3, 0, 3, 4, 0};
    glb_floats(g, "VEC3", 5, zigzag);
    ruga_mesh *mesh = read_ok("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":5}]}]," ONE_NODE);
    assert_corners(mesh, strip, 9);
    ruga_mesh_destroy(mesh);
    mesh = read_ok("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":6}]}]," ONE_NODE);
    assert_corners(mesh, fan, 9);
    ruga_mesh_destroy(mesh);
}

static void triangles_that_only_join_strips_are_no_faces(void **state) {
    (void)state;
    static const uint16_t joined[8] = {0, 1, 2, 2, 0, 0, 2, 3};
    static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    glb_floats(g, "VEC3", 4, square);
    glb_indices(g, 8, joined);
    ruga_mesh *mesh =
        read_ok("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":5}]}]," ONE_NODE);
    assert_int_equal(mesh->face_count, 2);
    assert_memory_equal(mesh->face_vertices, corners, 3 * sizeof(uint32_t));
    ruga_mesh_destroy(mesh);
}

static void segments_loops_and_strips_become_lines(void **state) {
    (void)state;
    static const uint32_t offsets[5] = {0, 2, 4, 9, 13};
    static const uint32_t vertices[13] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 1, 2, 3};
    glb_floats(g, "VEC3", 4, square);
    ruga_mesh *mesh = read_ok(
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":1},"
        "{\"attributes\":{\"POSITION\":0},\"mode\":2},{\"attributes\":{\"POSITION\":0},"
        "\"mode\":3},{\"attributes\":{\"POSITION\":0},\"mode\":0}]}]," ONE_NODE);
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->face_count, 0);
    assert_int_equal(mesh->line_count, 4);
    assert_memory_equal(mesh->line_offsets, offsets, sizeof offsets);
    assert_memory_equal(mesh->line_vertices, vertices, sizeof vertices);
    ruga_mesh_destroy(mesh);
}

static void primitives_with_the_same_accessors_share_vertices_and_others_follow(void **state) {
    (void)state;
    static const float above[9] = {0, 0, 1, 1, 0, 1, 0, 1, 1};
    static const uint32_t corners[9] = {0, 1, 2, 0, 2, 3, 4, 5, 6};
    glb_floats(g, "VEC3", 4, square);
    glb_indices(g, 3, two_triangles);
    glb_indices(g, 3, two_triangles + 3);
    glb_floats(g, "VEC3", 3, above);
    ruga_mesh *mesh = read_ok(
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,"
        "\"material\":1},{\"attributes\":{\"POSITION\":0},\"indices\":2},"
        "{\"attributes\":{\"POSITION\":3},\"material\":0}]}],"
        "\"materials\":[{\"name\":\"silk\"},{\"name\":\"wool\"}]," ONE_NODE);
    assert_int_equal(mesh->vertex_count, 7);
    assert_int_equal(mesh->split_count, 0);
    assert_corners(mesh, corners, 9);
    const ruga_attribute *material = ruga_mesh_attribute(mesh, "material", RUGA_DOMAIN_FACE);
    assert_int_equal(material->label_count, 2);
    assert_string_equal(material->labels[0], "wool");
    assert_string_equal(material->labels[1], "silk");
    static const int32_t values[3] = {0, -1, 1};
    assert_memory_equal(material->values, values, sizeof values);
    ruga_mesh_destroy(mesh);
}

static void attributes_that_some_primitives_lack_are_filled(void **state) {
    (void)state;
    static const float above[9] = {0, 0, 1, 1, 0, 1, 0, 1, 1};
    static const float rgb[12] = {0.5f, 0, 0, 0, 0.5f, 0, 0, 0, 0.5f, 1, 1, 1};
    static const uint8_t rgba[12] = {0, 51, 102, 153, 0, 0, 0, 0, 0, 0, 0, 0};
    glb_floats(g, "VEC3", 4, square);
    glb_indices(g, 6, two_triangles);
    glb_floats(g, "VEC3", 3, above);
    glb_floats(g, "VEC3", 4, rgb);
    glb_accessor(g, "VEC4", GLB_U8, 3, rgba, 12, ",\"normalized\":true");
    glb_floats(g, "SCALAR", 3, triangle + 1);
    ruga_mesh *mesh = read_ok(
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"COLOR_0\":3},"
        "\"indices\":1},{\"attributes\":{\"POSITION\":2,\"COLOR_0\":4,\"_HEAT\":5,"
        "\"COLOR_1\":4}}]}]," ONE_NODE);
    const ruga_attribute *colour = ruga_mesh_attribute(mesh, "colour", RUGA_DOMAIN_VERTEX);
    assert_int_equal(colour->type, RUGA_F32);
    assert_int_equal(colour->components, 4);
    assert_equal(ruga_attribute_get(colour, 0, 0), 0.5);
    assert_equal(ruga_attribute_get(colour, 0, 3), 1);
    assert_near(ruga_attribute_get(colour, 4, 3), 0.6, 1e-6);
    const ruga_attribute *heat = ruga_mesh_attribute(mesh, "HEAT", RUGA_DOMAIN_VERTEX);
    assert_equal(ruga_attribute_get(heat, 3, 0), 0);
    assert_equal(ruga_attribute_get(heat, 6, 0), (double)triangle[3]);
    const ruga_attribute *second = ruga_mesh_attribute(mesh, "colour1", RUGA_DOMAIN_VERTEX);
    assert_int_equal(second->type, RUGA_U8);
    assert_equal(ruga_attribute_get(second, 0, 0), 1);
    assert_near(ruga_attribute_get(second, 4, 1), 0.2, 1e-12);
    ruga_mesh_destroy(mesh);
}

static void own_attributes_keep_their_types_and_names(void **state) {
    (void)state;
    static const int8_t i8[4] = {-1, 2, -3, 4};
    static const float many[64] = {7};
    static const uint8_t padded[4 * 8] = {1, 2, 0, 0, 3, 4, 0, 0};
    const char *rest = square_with(",\"_MASS\":2,\"_uv\":3,\"__x\":4,\"_M\":5");
    glb_accessor(g, "SCALAR", GLB_I8, 4, i8, 4, "");
    glb_floats(g, "VEC2", 4, many);
    glb_floats(g, "MAT4", 4, many);
    glb_accessor(g, "MAT2", GLB_U8, 4, padded, 32, "");
    ruga_mesh *mesh = read_ok(rest);
    const ruga_attribute *mass = ruga_mesh_attribute(mesh, "MASS", RUGA_DOMAIN_VERTEX);
    assert_int_equal(mass->type, RUGA_I8);
    assert_equal(ruga_attribute_get(mass, 2, 0), -3);
    assert_non_null(ruga_mesh_attribute(mesh, "_uv", RUGA_DOMAIN_VERTEX));
    assert_int_equal(ruga_mesh_attribute(mesh, "__x", RUGA_DOMAIN_VERTEX)->components, 16);
    const ruga_attribute *matrix = ruga_mesh_attribute(mesh, "M", RUGA_DOMAIN_VERTEX);
    for (uint32_t c = 0; c < 4; c++) assert_equal_case(ruga_attribute_get(matrix, 0, c), c + 1, "c %u", c);
    ruga_mesh_destroy(mesh);
}

/* ---- Nodes. */

static void a_matrix_and_its_parts_say_the_same(void **state) {
    (void)state;
    const char *mesh_text = "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]";
    static const char *const nodes[2] = {
        "\"nodes\":[{\"children\":[1],\"translation\":[1,2,3]},{\"mesh\":0,\"rotation\":[0,0,0.70710678118654752,"
        "0.70710678118654752],\"scale\":[2,3,4]}]",
        "\"nodes\":[{\"children\":[1],\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,1,2,3,1]},{\"mesh\":0,"
        "\"matrix\":[0,2,0,0,-3,0,0,0,0,0,4,0,0,0,0,1]}]"};
    glb_floats(g, "VEC3", 3, triangle);
    for (int i = 0; i < 2; i++) {
        char rest[600];
        snprintf(rest, sizeof rest, "%s,%s", mesh_text, nodes[i]);
        ruga_mesh *mesh = read_ok(rest);
        assert_at(mesh, 0, 1, 2, 3);
        assert_at(mesh, 1, 1, 4, 3);
        assert_at(mesh, 2, -2, 2, 3);
        ruga_mesh_destroy(mesh);
    }
}

static void a_mirror_turns_faces_over_and_normals_stay_outside(void **state) {
    (void)state;
    static const float normals[9] = {0.6f, 0, 0.8f, 0, 0, 1, 0, 0, 1};
    static const float tangents[12] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
    static const uint32_t turned[3] = {0, 2, 1};
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "VEC3", 3, normals);
    glb_floats(g, "VEC4", 3, tangents);
    ruga_mesh *mesh = read_ok(
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,"
        "\"TANGENT\":2}}]}],\"nodes\":[{\"mesh\":0,\"scale\":[-2,1,1]}]");
    assert_corners(mesh, turned, 3);
    assert_at(mesh, 1, -2, 0, 0);
    const ruga_attribute *normal = ruga_mesh_attribute(mesh, "normal", RUGA_DOMAIN_VERTEX);
    /* A plane with the normal (0.6, 0, 0.8), stretched twofold and mirrored, has a normal along (-0.3, 0, 0.8). */
    double length = sqrt(0.3 * 0.3 + 0.8 * 0.8);
    assert_near(ruga_attribute_get(normal, 0, 0), -0.3 / length, 1e-6);
    assert_near(ruga_attribute_get(normal, 0, 2), 0.8 / length, 1e-6);
    const ruga_attribute *tangent = ruga_mesh_attribute(mesh, "tangent", RUGA_DOMAIN_VERTEX);
    assert_equal(ruga_attribute_get(tangent, 0, 0), -1);
    assert_equal(ruga_attribute_get(tangent, 0, 3), -1);
    ruga_mesh_destroy(mesh);
}

static void cycles_and_second_parents_are_refused(void **state) {
    (void)state;
    const char *mesh_text = "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],";
    char rest[400];
    glb_floats(g, "VEC3", 3, triangle);
    snprintf(rest, sizeof rest, "%s%s", mesh_text,
             "\"nodes\":[{\"mesh\":0},{\"children\":[2]},{\"children\":[3]},{\"children\":[1]}]");
    assert_refused(rest, RUGA_ERROR_INPUT, "is its own ancestor");
    snprintf(rest, sizeof rest, "%s%s", mesh_text, "\"nodes\":[{\"mesh\":0,\"children\":[0]}]");
    assert_refused(rest, RUGA_ERROR_INPUT, "node 0 is its own ancestor");
    snprintf(rest, sizeof rest, "%s%s", mesh_text, "\"nodes\":[{\"mesh\":0},{\"children\":[0]},{\"children\":[0]}]");
    assert_refused(rest, RUGA_ERROR_INPUT, "node 0 is a child of node 1 and of node 2");
    snprintf(rest, sizeof rest, "%s%s", mesh_text, "\"nodes\":[{\"mesh\":0,\"children\":[7]}]");
    assert_refused(rest, RUGA_ERROR_INPUT, "not one of the 1 nodes");
}

static void a_chain_of_fifty_thousand_nodes_is_fine(void **state) {
    (void)state;
    const size_t count = 50000;
    char *rest = malloc(count * 64 + 256);
    size_t used =
        (size_t)sprintf(rest, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[");
    for (size_t i = 0; i + 1 < count; i++)
        used += (size_t)sprintf(rest + used, "{\"children\":[%zu],\"translation\":[1,0,0]},", i + 1);
    sprintf(rest + used, "{\"mesh\":0}]");
    glb_floats(g, "VEC3", 3, triangle);
    ruga_mesh *mesh = read_ok(rest);
    assert_at(mesh, 0, (double)count - 1, 0, 0);
    ruga_mesh_destroy(mesh);
    free(rest);
}

#define THREE_MESHES                                                                                           \
    "\"meshes\":[{\"name\":\"cloth\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]},"       \
    "{\"name\":\"body\",\"primitives\":[{\"attributes\":{\"POSITION\":2}}]}],"                                 \
    "\"nodes\":[{\"name\":\"skirt\",\"mesh\":0},{\"name\":\"Anna\",\"mesh\":1},{\"name\":\"Bert\",\"mesh\":1," \
    "\"translation\":[5,0,0]}]"

static void add_three_meshes(void) {
    glb_floats(g, "VEC3", 4, square);
    glb_indices(g, 6, two_triangles);
    glb_floats(g, "VEC3", 3, triangle);
}

static void one_mesh_of_several_is_chosen_by_node_mesh_or_number(void **state) {
    (void)state;
    static const char *const wanted[] = {"skirt", "cloth", "0", "Anna", "2", "Bert"};
    static const size_t faces[] = {2, 2, 2, 1, 1, 1};
    static const double x[] = {0, 0, 0, 0, 5, 5};
    add_three_meshes();
    for (int i = 0; i < 6; i++) {
        ruga_mesh *mesh = NULL;
        assert_ok(context, glb_read(context, g, THREE_MESHES, wanted[i], &mesh));
        assert_int_equal(mesh->face_count, faces[i]);
        assert_at(mesh, 0, x[i], 0, 0);
        ruga_mesh_destroy(mesh);
    }
}

static void an_ambiguous_choice_lists_the_meshes(void **state) {
    (void)state;
    ruga_mesh *mesh = NULL;
    add_three_meshes();
    assert_refused(THREE_MESHES, RUGA_ERROR_INPUT, "3 meshes: \"skirt\" (0), \"Anna\" (1), \"Bert\" (2)");
    assert_status(glb_read(context, g, THREE_MESHES, "body", &mesh), RUGA_ERROR_INPUT);
    assert_message_has(context, "meshes 1 and 2 are both called \"body\"");
    assert_status(glb_read(context, g, THREE_MESHES, "hat", &mesh), RUGA_ERROR_INPUT);
    assert_message_has(context, "no mesh \"hat\"; it has \"skirt\" (0), ");
    assert_status(glb_read(context, g, THREE_MESHES, "3", &mesh), RUGA_ERROR_INPUT);
}

static void only_what_the_scene_shows_is_there_to_choose(void **state) {
    (void)state;
    add_three_meshes();
    ruga_mesh *mesh = read_ok(THREE_MESHES ",\"scene\":1,\"scenes\":[{\"nodes\":[0]},{\"nodes\":[2]}]");
    assert_at(mesh, 0, 5, 0, 0);
    ruga_mesh_destroy(mesh);
    mesh = read_ok("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":2}}]}]");
    assert_int_equal(mesh->vertex_count, 3);
    ruga_mesh_destroy(mesh);
}

static void the_list_names_every_mesh_with_its_triangles(void **state) {
    (void)state;
    char *text = NULL;
    add_three_meshes();
    glb_save(g, THREE_MESHES, test_path("three.glb"));
    assert_ok(context, ruga_file_list_meshes(context, test_path("three.glb"), &text));
    assert_string_equal(text, "0 skirt 2\n1 Anna 1\n2 Bert 1\n");
    ruga_free(context, text);
}

/* From the file and from memory; joints of several skins once, in the order of the nodes. */
static void names_are_listed_line_by_line(void **state) {
    (void)state;
    static const char *const expected[] = {"walk\n\n", "two words\n", "Anna\nBert\n"};
    size_t size;
    add_three_meshes();
    unsigned char *bytes = glb_finish(g,
                                      THREE_MESHES
                                      ",\"animations\":[{\"name\":\"walk\"},{}],\"materials\":[{"
                                      "\"name\":\"two\\nwords\"}],\"skins\":[{\"joints\":[2,1,77]},"
                                      "{\"joints\":[1]},{}]",
                                      &size);
    write_test_file(test_path("named.glb"), bytes, size);
    for (int i = 0; i < RUGA_FILE_NAMES_COUNT; i++)
        for (int memory = 0; memory < 2; memory++) {
            char *text = NULL;
            assert_ok(context, ruga_file_list_names(context, test_path("named.glb"), memory ? bytes : NULL, size,
                                                    (ruga_file_names)i, &text));
            assert_string_equal(text, expected[i]);
            ruga_free(context, text);
        }
    free(bytes);
}

/* ---- Welding. */

static void a_seam_is_welded_and_the_files_vertices_are_remembered(void **state) {
    (void)state;
    static const float uv[12] = {0, 0, 1, 0, 0, 1, 0.5f, 0, 0.5f, 0.5f, 0, 0.5f};
    static const float heat[6] = {1, 2, 3, 2, 4, 3};
    static const uint32_t welded[6] = {0, 1, 2, 1, 3, 2}, split[6] = {0, 1, 2, 3, 4, 5};
    glb_floats(g, "VEC3", 6, seam);
    glb_floats(g, "VEC2", 6, uv);
    glb_floats(g, "SCALAR", 6, heat);
    ruga_mesh *mesh = read_ok(SEAM_MESH(",\"TEXCOORD_0\":1,\"_HEAT\":2"));
    assert_int_equal(mesh->vertex_count, 4);
    assert_corners(mesh, welded, 6);
    assert_int_equal(mesh->split_count, 6);
    assert_memory_equal(mesh->split_vertex, welded, sizeof welded);
    assert_memory_equal(mesh->corner_split, split, sizeof split);
    assert_at(mesh, 3, 1, 1, 0);
    /* Values that differ across the seam belong to corners, others to vertices. */
    const ruga_attribute *corner = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER);
    assert_ptr_equal(corner->indices, mesh->corner_split);
    assert_int_equal(corner->count, 6);
    for (uint32_t i = 0; i < 12; i++)
        assert_equal_case(((const double *)corner->values)[i], i % 2 ? 1 - (double)uv[i] : (double)uv[i], "i %u", i);
    const ruga_attribute *vertex = ruga_mesh_attribute(mesh, "HEAT", RUGA_DOMAIN_VERTEX);
    assert_int_equal(vertex->count, 4);
    for (size_t v = 0; v < 4; v++) assert_equal_case(ruga_attribute_get(vertex, v, 0), (double)(v + 1), "v %zu", v);
    ruga_mesh_destroy(mesh);
}

static void welding_does_not_depend_on_the_number_of_equals(void **state) {
    (void)state;
    /* Random lattice points, many of them equal: compare with the definition. */
    enum { COUNT = 900 };
    test_random random = {7};
    float points[3 * COUNT];
    const uint16_t numbers[2 * COUNT] = {0};
    for (int range = 1; range <= 64; range *= 4) {
        memset(g, 0, sizeof *g);
        for (size_t i = 0; i < 3 * COUNT; i++) points[i] = (float)(int)random_between(&random, 0, range) - 1;
        glb_floats(g, "VEC3", COUNT, points);
        /* Numbers of our own that join all vertices at a place, whether on a border or not. */
        glb_accessor(g, "VEC2", GLB_U16, COUNT, numbers, sizeof numbers, "");
        ruga_mesh *mesh = read_ok(SEAM_MESH(",\"_RUGA_VERTEX\":1"));
        assert_int_equal(mesh->attribute_count, 0);
        uint32_t expected[COUNT], next = 0;
        for (size_t i = 0; i < COUNT; i++) {
            size_t j = 0;
            while (memcmp(points + 3 * j, points + 3 * i, 12) != 0) j++;
            expected[i] = j < i ? expected[j] : next++;
        }
        assert_int_equal(mesh->vertex_count, next);
        assert_corners(mesh, expected, COUNT);
        ruga_mesh_destroy(mesh);
    }
}

/* Two triangles with a common edge, one more that touches them in a point, and a lining: the first two again, turned
 * over, at the very same places. */
static void only_matching_borders_are_welded(void **state) {
    (void)state;
    static const float coat[45] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, /* the coat */
                                   1, 1, 0, 2, 1, 0, 2, 2, 0,                            /* touches it at (1, 1) */
                                   0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    glb_floats(g, "VEC3", 15, coat);
    ruga_mesh *mesh = read_ok(SEAM_MESH(""));
    const uint32_t expected[15] = {0, 1, 2, 1, 3, 2, 4, 5, 6, 7, 8, 9, 9, 8, 10};
    assert_int_equal(mesh->vertex_count, 11);
    assert_corners(mesh, expected, 15);
    ruga_mesh_destroy(mesh);
    /* Nothing at all, if asked for. */
    size_t size;
    unsigned char *bytes = glb_finish(g, SEAM_MESH(""), &size);
    ruga_file_def def = ruga_file_def_default();
    def.apart = 1;
    assert_ok(context, ruga_mesh_read_memory(context, "coat.glb", bytes, size, &def, &mesh));
    assert_int_equal(mesh->vertex_count, 15);
    assert_int_equal(mesh->split_count, 0);
    ruga_mesh_destroy(mesh);
    free(bytes);
}

static void lips_that_touch_but_move_apart_stay_apart(void **state) {
    (void)state;
    static const uint8_t joints[24] = {0};
    float weights[24] = {0}, deltas[18] = {0};
    for (int v = 0; v < 6; v++) weights[4 * v] = 1;
    weights[4 * 3] = 0.5f, weights[4 * 3 + 1] = 0.5f;
    glb_floats(g, "VEC3", 6, seam);
    glb_accessor(g, "VEC4", GLB_U8, 6, joints, sizeof joints, "");
    glb_floats(g, "VEC4", 6, weights);
    deltas[3 * 5 + 2] = 1;
    glb_floats(g, "VEC3", 6, deltas);
    /* Vertices 1 and 3 have other weights: only 2 and 5 are one. Without a skin the weights mean nothing. */
    ruga_mesh *mesh = read_ok(
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,"
        "\"WEIGHTS_0\":2}}]}],\"nodes\":[{\"mesh\":0,\"skin\":0},{}],\"skins\":[{\"joints\":[1,1]}]");
    assert_int_equal(mesh->vertex_count, 5);
    ruga_mesh_destroy(mesh);
    mesh = read_ok(SEAM_MESH(",\"JOINTS_0\":1,\"WEIGHTS_0\":2"));
    assert_int_equal(mesh->vertex_count, 4);
    ruga_mesh_destroy(mesh);
    /* A morph target that moves 5 and not 2. */
    mesh = read_ok(
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":3}]}]}]," ONE_NODE);
    assert_int_equal(mesh->vertex_count, 5);
    ruga_mesh_destroy(mesh);
    /* Both: nothing is welded any more. */
    mesh = read_ok(
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},"
        "\"targets\":[{\"POSITION\":3}]}]}],\"nodes\":[{\"mesh\":0,\"skin\":0},{}],"
        "\"skins\":[{\"joints\":[1,1]}]");
    assert_int_equal(mesh->vertex_count, 6);
    assert_int_equal(mesh->split_count, 0);
    ruga_mesh_destroy(mesh);
}

#define READ_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        READ_TEST(positions_and_indices_are_as_in_the_file),
        READ_TEST(every_component_type_is_read),
        READ_TEST(indices_of_every_unsigned_type_agree),
        READ_TEST(interleaved_attributes_are_taken_apart),
        READ_TEST(sparse_elements_replace_dense_ones),
        READ_TEST(an_accessor_without_a_view_is_zero_but_for_sparse_elements),
        READ_TEST(strips_and_fans_become_triangles_of_one_orientation),
        READ_TEST(triangles_that_only_join_strips_are_no_faces),
        READ_TEST(segments_loops_and_strips_become_lines),
        READ_TEST(primitives_with_the_same_accessors_share_vertices_and_others_follow),
        READ_TEST(attributes_that_some_primitives_lack_are_filled),
        READ_TEST(own_attributes_keep_their_types_and_names),
        READ_TEST(a_matrix_and_its_parts_say_the_same),
        READ_TEST(a_mirror_turns_faces_over_and_normals_stay_outside),
        READ_TEST(cycles_and_second_parents_are_refused),
        READ_TEST(a_chain_of_fifty_thousand_nodes_is_fine),
        READ_TEST(one_mesh_of_several_is_chosen_by_node_mesh_or_number),
        READ_TEST(an_ambiguous_choice_lists_the_meshes),
        READ_TEST(only_what_the_scene_shows_is_there_to_choose),
        READ_TEST(the_list_names_every_mesh_with_its_triangles),
        READ_TEST(names_are_listed_line_by_line),
        READ_TEST(a_seam_is_welded_and_the_files_vertices_are_remembered),
        READ_TEST(welding_does_not_depend_on_the_number_of_equals),
        READ_TEST(only_matching_borders_are_welded),
        READ_TEST(lips_that_touch_but_move_apart_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
