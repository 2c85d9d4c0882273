#include <math.h>

#include "base/json.h"
#include "io/glb_builder.h"
#include "math/vec3.h"
#include "support/file_systems.h"

static ruga_context *context;
static char log_text[4096];

static void keep_log(void *user, ruga_log_level level, const char *message) {
    (void)user, (void)level;
    snprintf(log_text + strlen(log_text), sizeof log_text - strlen(log_text), "%s\n", message);
}

static int begin(void **state) {
    (void)state;
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    def.log = keep_log;
    log_text[0] = 0;
    assert_int_equal(ruga_context_create(&def, &context), RUGA_OK);
    return 0;
}

static int end(void **state) {
    (void)state;
    ruga_context_destroy(context);
    return 0;
}

/* ---- Meshes to write. */

/* A quad and a triangle that share an edge, with attributes of all kinds; two lines; a loose vertex. */
static ruga_mesh *rich_mesh(ruga_context *c) {
    static const float positions[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0.1f, 0, 1, 0, 2, 2, 2, 0.3f, 5, -1};
    static const uint32_t sizes[2] = {4, 3}, corners[7] = {0, 1, 2, 3, 1, 4, 2};
    static const uint32_t line_sizes[3] = {2, 3, 2}, lines[7] = {0, 1, 2, 3, 4, 3, 0};
    static const double mass[6] = {1, 2, 3, 4, 5, 1.0 / 3};
    static const uint8_t colour[18] = {255, 0, 1, 2, 3, 4, 5, 6, 7};
    static const uint16_t number[6] = {7, 8, 9, 10, 11, 65535};
    static const int32_t material[2] = {1, 0}, group[2] = {0, 0};
    static const char *const names[2] = {"silk", "wool"};
    static const float uv[14] = {0, 0, 1, 0, 1, 1, 0, 1, 0.5f, 0, 1, 0, 1, 1};
    static const float normals[9] = {0, 0, 1, 0, 0, 2, 0, 0, 0};
    static const uint32_t normal_of[7] = {0, 0, 0, 1, 1, 2, UINT32_MAX};
    static const double five[30] = {0};
    ruga_attribute attributes[] = {
        {.name = "mass", .type = RUGA_F64, .components = 1, .count = 6, .values = mass},
        {.name = "colour", .type = RUGA_U8, .components = 3, .normalised = 1, .count = 6, .values = colour},
        {.name = "number", .type = RUGA_U16, .components = 1, .count = 6, .values = number},
        {.name = "material",
         .domain = RUGA_DOMAIN_FACE,
         .type = RUGA_I32,
         .components = 1,
         .count = 2,
         .values = material,
         .label_count = 2,
         .labels = names},
        {.name = "group",
         .domain = RUGA_DOMAIN_FACE,
         .type = RUGA_I32,
         .components = 1,
         .count = 2,
         .values = group,
         .label_count = 2,
         .labels = names},
        {.name = "uv", .domain = RUGA_DOMAIN_CORNER, .type = RUGA_F32, .components = 2, .count = 7, .values = uv},
        {.name = "uv2", .domain = RUGA_DOMAIN_CORNER, .type = RUGA_F32, .components = 2, .count = 7, .values = uv},
        {.name = "normal",
         .domain = RUGA_DOMAIN_CORNER,
         .type = RUGA_F32,
         .components = 3,
         .count = 3,
         .values = normals,
         .indices = normal_of},
        {.name = "five", .type = RUGA_F64, .components = 5, .count = 6, .values = five}};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 6, 0, RUGA_F32};
    def.face_count = 2;
    def.face_sizes = sizes;
    def.face_vertices = corners;
    def.line_count = 3;
    def.line_sizes = line_sizes;
    def.line_vertices = lines;
    def.attribute_count = sizeof attributes / sizeof *attributes;
    def.attributes = attributes;
    ruga_mesh *mesh = NULL;
    return RUGA_FAILED(ruga_mesh_create(c, &def, &mesh)) ? NULL : mesh;
}

static ruga_mesh *rewritten(const ruga_mesh *mesh, const ruga_frame *frame, const char *name) {
    ruga_mesh *back = NULL;
    assert_ok(context, ruga_mesh_write(mesh, frame, test_path(name), NULL));
    assert_ok(context, ruga_mesh_read(context, test_path(name), NULL, &back));
    return back;
}

static void assert_same_attributes(const ruga_mesh *a, const ruga_mesh *b) {
    assert_int_equal(a->attribute_count, b->attribute_count);
    for (size_t i = 0; i < a->attribute_count; i++) {
        const ruga_attribute *x = &a->attributes[i], *y = ruga_mesh_attribute(b, x->name, x->domain);
        assert_non_null(y);
        assert_int_equal(x->type, y->type);
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->normalised, y->normalised);
        assert_memory_equal(x->values, y->values, x->count * x->components * ruga_scalar_size(x->type));
        assert_int_equal(x->label_count, y->label_count);
    }
}

static void assert_same_mesh(const ruga_mesh *a, const ruga_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_memory_equal(a->face_vertices, b->face_vertices, a->corner_count * sizeof(uint32_t));
    assert_int_equal(a->split_count, b->split_count);
    if (a->split_count > 0) {
        assert_memory_equal(a->split_vertex, b->split_vertex, a->split_count * sizeof(uint32_t));
        assert_memory_equal(a->corner_split, b->corner_split, a->corner_count * sizeof(uint32_t));
    }
    assert_same_attributes(a, b);
}

/* ---- Round trips. */

static void floats_come_back_bit_for_bit(void **state) {
    (void)state;
    test_random random = {3};
    enum { N = 500 };
    float positions[3 * N];
    uint32_t corners[3 * N];
    for (size_t i = 0; i < 3 * N; i++) {
        positions[i] = (float)random_between(&random, -1e3, 1e3);
        corners[i] = (uint32_t)random_between(&random, 0, N);
    }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, N, 0, RUGA_F32};
    def.face_count = N;
    def.face_vertices = corners;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    static const char *const names[] = {"a.glb", "a.gltf"};
    for (int i = 0; i < 2; i++) {
        ruga_mesh *back = rewritten(mesh, NULL, names[i]);
        assert_same_mesh(mesh, back);
        ruga_mesh_destroy(back);
    }
    ruga_mesh_destroy(mesh);
}

static void what_was_split_is_split_again_in_the_same_order(void **state) {
    (void)state;
    /* The vertices of the seam come first, the loose one in between. */
    static const float points[21] = {1, 0, 0, 0, 1, 0, 1, 0, 0, 9, 9, 9, 0, 0, 0, 0, 1, 0, 1, 1, 0};
    static const uint16_t indices[6] = {4, 0, 1, 2, 6, 5};
    static const float uv[14] = {1, 0, 0, 1, 0.5f, 0, 7, 7, 0, 0, 0, 0.5f, 0.5f, 0.5f};
    static const float heat[7] = {2, 3, 2, 9, 1, 3, 4};
    glb *g = calloc(1, sizeof *g);
    ruga_mesh *mesh = NULL;
    glb_floats(g, "VEC3", 7, points);
    glb_indices(g, 6, indices);
    glb_floats(g, "VEC2", 7, uv);
    glb_floats(g, "SCALAR", 7, heat);
    assert_ok(context, glb_read(context, g,
                                "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":2,"
                                "\"_HEAT\":3},\"indices\":1}]}]",
                                NULL, &mesh));
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(mesh->split_count, 7);
    static const char *const names[] = {"split.glb", "split.gltf"};
    for (int i = 0; i < 2; i++) {
        ruga_mesh *back = rewritten(mesh, NULL, names[i]);
        assert_same_mesh(mesh, back);
        ruga_mesh_destroy(back);
    }
    ruga_mesh_destroy(mesh);
    free(g);
}

static int holds(const unsigned char *bytes, size_t size, const void *part, size_t part_size) {
    for (size_t i = 0; i + part_size <= size; i++)
        if (memcmp(bytes + i, part, part_size) == 0) return 1;
    return 0;
}

/* v runs up inside and down in the file, whose bits come back. */
static void texture_coordinates_are_turned_over_and_back(void **state) {
    (void)state;
    enum { N = 300 };
    test_random random = {5};
    float points[3 * N], uv[2 * N];
    unsigned char small[4 * N] = {0}; /* two bytes and two that fill the row */
    uint16_t words[2 * N];
    for (size_t i = 0; i < 3 * N; i++) points[i] = (float)random_unit(&random);
    for (size_t i = 0; i < 2 * N; i++) {
        uv[i] = (float)random_between(&random, -2, 3);
        small[i / 2 * 4 + i % 2] = (unsigned char)random_bits(&random);
        words[i] = (uint16_t)random_bits(&random);
    }
    glb *g = calloc(1, sizeof *g);
    glb_floats(g, "VEC3", N, points);
    glb_floats(g, "VEC2", N, uv);
    glb_view(g, small, sizeof small, 4);
    glb_accessor_text(g, "\"bufferView\":2,\"componentType\":5121,\"normalized\":true,\"count\":300,\"type\":\"VEC2\"");
    glb_accessor(g, "VEC2", GLB_U16, N, words, sizeof words, ",\"normalized\":true");
    ruga_mesh *mesh = NULL;
    assert_ok(context, glb_read(context, g,
                                "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1,"
                                "\"TEXCOORD_1\":2,\"TEXCOORD_2\":3}}]}]",
                                NULL, &mesh));
    const ruga_attribute *real = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX);
    const ruga_attribute *bytes = ruga_mesh_attribute(mesh, "uv1", RUGA_DOMAIN_VERTEX);
    const ruga_attribute *halves = ruga_mesh_attribute(mesh, "uv2", RUGA_DOMAIN_VERTEX);
    assert_true(real && bytes && halves);
    for (size_t i = 0; i < N; i++) {
        assert_equal_case(ruga_attribute_get(real, i, 0), (double)uv[2 * i], "i %zu", i);
        assert_equal_case(ruga_attribute_get(real, i, 1), 1 - (double)uv[2 * i + 1], "i %zu", i);
        assert_near_case(ruga_attribute_get(bytes, i, 1), 1 - small[4 * i + 1] / 255.0, 1e-12, "i %zu", i);
        assert_near_case(ruga_attribute_get(halves, i, 1), 1 - words[2 * i + 1] / 65535.0, 1e-12, "i %zu", i);
    }
    ruga_file_def def = ruga_file_def_default();
    def.format = RUGA_FORMAT_GLB;
    void *written = NULL;
    size_t size = 0;
    assert_ok(context, ruga_mesh_write_memory(mesh, NULL, &def, &written, &size));
    assert_true(holds(written, size, uv, sizeof uv));
    assert_true(holds(written, size, small, sizeof small));
    assert_true(holds(written, size, words, sizeof words));
    ruga_free(context, written);
    ruga_mesh_destroy(mesh);
    free(g);
}

static void new_splits_come_after_the_vertices(void **state) {
    (void)state;
    ruga_mesh *mesh = rich_mesh(context), *back = rewritten(mesh, NULL, "rich.glb");
    /* Vertex 1 has two texture coordinates; 2 has two normals. Each vertex keeps its number. */
    assert_int_equal(back->vertex_count, 6);
    assert_int_equal(back->split_count, 8);
    for (uint32_t v = 0; v < 6; v++) {
        assert_int_equal(back->split_vertex[v], v);
        assert_equal_case(vec3_distance(back->positions[v], mesh->positions[v]), 0, "v %u", v);
    }
    /* Every triangle's corners have the values they had; wool's triangles come first, as they are used first. */
    static const char *const names[] = {"uv", "_uv2"};
    for (int n = 0; n < 2; n++) {
        const ruga_attribute *uv = ruga_mesh_attribute(mesh, n ? "uv2" : "uv", RUGA_DOMAIN_CORNER);
        const ruga_attribute *again = ruga_mesh_attribute(back, names[n], RUGA_DOMAIN_CORNER);
        assert_non_null(again);
        for (size_t t = 0; t < 3; t++)
            for (size_t k = 0; k < 3; k++) {
                size_t corner = mesh->triangle_corners[3 * t + k];
                assert_int_equal(back->face_vertices[3 * t + k], mesh->face_vertices[corner]);
                for (uint32_t c = 0; c < 2; c++)
                    assert_equal_case(ruga_attribute_get(uv, corner, c), ruga_attribute_get(again, 3 * t + k, c),
                                      "n %d, t %zu, k %zu, c %u", n, t, k, c);
            }
    }
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(back);
}

static void attributes_survive_as_glTF_can_hold_them(void **state) {
    (void)state;
    ruga_mesh *mesh = rich_mesh(context), *back = rewritten(mesh, NULL, "rich.glb");
    assert_non_null(strstr(log_text, "32-bit floats: mass"));
    assert_non_null(strstr(log_text, "can't hold these attributes: group, five"));
    const ruga_attribute *mass = ruga_mesh_attribute(back, "mass", RUGA_DOMAIN_VERTEX);
    assert_int_equal(mass->type, RUGA_F32);
    assert_equal(ruga_attribute_get(mass, 5, 0), (double)(float)(1.0 / 3));
    const ruga_attribute *number = ruga_mesh_attribute(back, "number", RUGA_DOMAIN_VERTEX);
    assert_int_equal(number->type, RUGA_U16);
    assert_equal(ruga_attribute_get(number, 5, 0), 65535);
    const ruga_attribute *colour = ruga_mesh_attribute(back, "colour", RUGA_DOMAIN_VERTEX);
    assert_int_equal(colour->type, RUGA_U8);
    assert_true(colour->normalised);
    assert_equal(ruga_attribute_get(colour, 0, 0), 1);
    const ruga_attribute *material = ruga_mesh_attribute(back, "material", RUGA_DOMAIN_FACE);
    assert_string_equal(material->labels[(int)ruga_attribute_get(material, 0, 0)], "wool");
    assert_string_equal(material->labels[(int)ruga_attribute_get(material, 1, 0)], "wool");
    assert_string_equal(material->labels[(int)ruga_attribute_get(material, 2, 0)], "silk");
    /* Normals are of unit length in glTF, whatever they were. */
    const ruga_attribute *normal = ruga_mesh_attribute(back, "normal", RUGA_DOMAIN_CORNER);
    for (size_t i = 0; i < normal->count; i++) {
        const float *n = (const float *)normal->values + 3 * i;
        assert_equal_case(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, "i %zu", i);
    }
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(back);
}

static void lines_survive(void **state) {
    (void)state;
    ruga_mesh *mesh = rich_mesh(context), *back = rewritten(mesh, NULL, "rich.glb");
    static const uint32_t offsets[4] = {0, 2, 4, 7}, vertices[7] = {0, 1, 3, 0, 2, 3, 4};
    assert_int_equal(back->line_count, 3);
    assert_memory_equal(back->line_offsets, offsets, sizeof offsets);
    assert_memory_equal(back->line_vertices, vertices, sizeof vertices);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(back);
}

static void large_meshes_have_wide_indices(void **state) {
    (void)state;
    double values[16];
    ruga_mesh *mesh = NULL;
    const ruga_section *info = ruga_model_find("sheet");
    assert_non_null(info);
    assert_at_most(info->size, sizeof values);
    ruga_section_defaults(info, values);
    for (size_t i = 0; i < info->field_count; i++)
        if (info->fields[i].step == 1 && info->fields[i].high >= 300) values[i] = 300;
    assert_ok(context, ruga_model_make(context, "sheet", values, &mesh));
    assert_less(65536, mesh->vertex_count);
    ruga_mesh *back = rewritten(mesh, NULL, "large.glb");
    assert_int_equal(back->vertex_count, mesh->vertex_count);
    assert_memory_equal(back->face_vertices, mesh->face_vertices, mesh->corner_count * sizeof(uint32_t));
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(back);
}

static void units_axes_and_frames_are_written(void **state) {
    (void)state;
    static const ruga_vec3 positions[6] = {{1, 2, 3}}, normals[6] = {{0, 1, 0}};
    ruga_frame frame = {.vertex_count = 6, .positions = positions, .normals = normals};
    ruga_mesh *mesh = rich_mesh(context), *back = NULL;
    ruga_file_def def = ruga_file_def_default();
    def.unit = 0.01;
    def.up = RUGA_AXIS_Z;
    assert_ok(context, ruga_mesh_write(mesh, &frame, test_path("z.glb"), &def));
    assert_ok(context, ruga_mesh_read(context, test_path("z.glb"), NULL, &back));
    assert_less(vec3_distance(back->positions[0], vec3_make(100, -300, 200)), 1e-4);
    const ruga_attribute *normal = ruga_mesh_attribute(back, "normal", RUGA_DOMAIN_CORNER);
    if (!normal) normal = ruga_mesh_attribute(back, "normal", RUGA_DOMAIN_VERTEX);
    assert_equal(((const float *)normal->values)[2], 1);
    ruga_mesh_destroy(back);
    assert_ok(context, ruga_mesh_read(context, test_path("z.glb"), &def, &back));
    assert_less(vec3_distance(back->positions[0], positions[0]), 1e-6);
    ruga_mesh_destroy(back);
    ruga_mesh_destroy(mesh);
}

static void what_glTF_cannot_hold_is_refused(void **state) {
    (void)state;
    ruga_mesh *mesh = NULL;
    ruga_vec3 positions[6] = {{0}};
    ruga_frame frame = {.vertex_count = 6, .positions = positions};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, 2, 0, RUGA_F64};
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    assert_status(ruga_mesh_write(mesh, NULL, test_path("none.glb"), NULL), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "none.glb: the mesh has neither faces nor lines");
    ruga_mesh_destroy(mesh);
    mesh = rich_mesh(context);
    positions[4].y = 1e300;
    assert_status(ruga_mesh_write(mesh, &frame, test_path("none.glb"), NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "none.glb: vertex 4");
    assert_false(test_file_exists(test_path("none.glb")));
    ruga_mesh_destroy(mesh);
}

/* ---- The structure that the specification asks for. */

static json_document *parse_glb(const char *path, unsigned char **bytes, size_t *size) {
    json_document *document = NULL;
    uint32_t length;
    *bytes = (unsigned char *)read_test_file(path, size);
    assert_non_null(*bytes);
    memcpy(&length, *bytes + 12, 4);
    assert_ok(context, json_parse(context, path, (const char *)*bytes + 20, length, 0, &document));
    return document;
}

static uint64_t number(const json_value *object, const char *key) {
    const json_value *value = json_member(object, key);
    return value ? (uint64_t)value->number : 0;
}

static void views_lie_within_the_buffer_at_multiples_of_four(void **state) {
    (void)state;
    ruga_mesh *mesh = rich_mesh(context);
    unsigned char *bytes;
    size_t size;
    uint32_t word[7];
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("rich.glb"), NULL));
    json_document *document = parse_glb(test_path("rich.glb"), &bytes, &size);
    memcpy(word, bytes, 20);
    assert_int_equal(word[2], size);
    assert_int_equal(word[3] % 4, 0);
    memcpy(word + 5, bytes + 20 + word[3], 8);
    assert_int_equal(word[5], size - 28 - word[3]);
    const json_value *root = json_root(document);
    assert_int_equal(number(json_item(json_member(root, "buffers"), 0), "byteLength"), word[5]);
    uint64_t ends = 0;
    const json_value *views = json_member(root, "bufferViews");
    for (size_t i = 0; i < views->count; i++) {
        const json_value *view = json_item(views, i);
        assert_int_equal(number(view, "byteOffset") % 4, 0);
        assert_int_equal(number(view, "byteStride") % 4, 0);
        assert_at_most_case(ends, number(view, "byteOffset"), "i %zu", i);
        ends = number(view, "byteOffset") + number(view, "byteLength");
        assert_at_most_case(ends, word[5], "i %zu", i);
    }
    /* The bounds of the positions are those of the numbers in the buffer. */
    const json_value *positions = json_item(json_member(root, "accessors"), 0);
    assert_equal(json_item(json_member(positions, "min"), 2)->number, -1);
    assert_equal(json_item(json_member(positions, "max"), 1)->number, 5);
    json_destroy(document);
    free(bytes);
    ruga_mesh_destroy(mesh);
}

/* ---- Frames. */

static void wave(const ruga_mesh *mesh, double time, ruga_vec3 *positions) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 p = mesh->positions[v];
        positions[v] =
            (ruga_vec3){p.x + 0.1 * sin(3 * p.z + time), p.y + 0.3 * sin(5 * p.x + 7 * time), p.z * (1 + time)};
    }
}

static ruga_status write_waves(const ruga_mesh *mesh, const char *path, size_t count) {
    ruga_motion_writer *writer = NULL;
    ruga_vec3 *positions = calloc(mesh->vertex_count, sizeof *positions);
    ruga_status status = ruga_motion_writer_create(mesh, path, NULL, &writer);
    for (size_t k = 0; k < count && !RUGA_FAILED(status); k++) {
        ruga_frame frame = {.time = 1 + (double)k / 24, .vertex_count = mesh->vertex_count, .positions = positions};
        wave(mesh, frame.time, positions);
        status = ruga_motion_writer_append(writer, &frame);
    }
    if (!RUGA_FAILED(status)) status = ruga_motion_writer_finish(writer);
    ruga_motion_writer_destroy(writer);
    free(positions);
    return status;
}

static void frames_come_back_as_stored_samples(void **state) {
    (void)state;
    static const char *const names[] = {"waves.glb", "waves.gltf"};
    for (int i = 0; i < 2; i++) {
        ruga_mesh *mesh = rich_mesh(context), *back = NULL;
        ruga_motion *motion = NULL;
        ruga_vec3 read[6], expected[6], next[6];
        assert_ok(context, write_waves(mesh, test_path(names[i]), 30));
        assert_ok(context, ruga_mesh_read(context, test_path(names[i]), NULL, &back));
        assert_ok(context, ruga_motion_read(context, test_path(names[i]), back, NULL, &motion));
        ruga_motion_info info = ruga_motion_get_info(motion);
        assert_int_equal(info.sample_count, 30);
        assert_equal_case(info.rate, 24, "i %d", i);
        assert_equal_case(info.start, 1, "i %d", i);
        for (size_t k = 0; k < 30; k++) {
            double time = 1 + (double)k / 24;
            assert_ok(context, ruga_motion_sample(motion, time, read));
            wave(mesh, time, expected);
            for (size_t v = 0; v < 6; v++)
                assert_less_case(vec3_distance(read[v], expected[v]), 1e-6, "i %d, k %zu, v %zu", i, k, v);
            if (k == 29) break;
            /* Half way between two frames. */
            assert_ok(context, ruga_motion_sample(motion, time + 0.5 / 24, read));
            wave(mesh, time + 1.0 / 24, next);
            for (size_t v = 0; v < 6; v++)
                assert_less_case(vec3_distance(read[v], vec3_mix(expected[v], next[v], 0.5)), 1e-5,
                                 "i %d, k %zu, v %zu", i, k, v);
        }
        /* The mesh in the file is the one at rest. */
        for (size_t v = 0; v < 6; v++)
            assert_equal_case(vec3_distance(back->positions[v], mesh->positions[v]), 0, "i %d, v %zu", i, v);
        ruga_motion_destroy(motion);
        ruga_mesh_destroy(back);
        ruga_mesh_destroy(mesh);
    }
}

static void a_split_mesh_is_animated_split(void **state) {
    (void)state;
    ruga_mesh *cylinder = NULL, *split = NULL, *back = NULL;
    ruga_motion *motion = NULL;
    assert_ok(context, ruga_model_make(context, "cylinder", NULL, &cylinder));
    split = rewritten(cylinder, NULL, "cylinder.glb");
    assert_less(split->vertex_count, split->split_count);
    assert_ok(context, write_waves(split, test_path("cylinder_waves.glb"), 4));
    assert_ok(context, ruga_mesh_read(context, test_path("cylinder_waves.glb"), NULL, &back));
    assert_int_equal(back->vertex_count, split->vertex_count);
    assert_int_equal(back->split_count, split->split_count);
    assert_memory_equal(back->split_vertex, split->split_vertex, split->split_count * sizeof(uint32_t));
    assert_ok(context, ruga_motion_read(context, test_path("cylinder_waves.glb"), back, NULL, &motion));
    assert_int_equal(ruga_motion_get_info(motion).vertex_count, split->vertex_count);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(back);
    ruga_mesh_destroy(split);
    ruga_mesh_destroy(cylinder);
}

static void the_size_is_known_before(void **state) {
    (void)state;
    static const char *const names[] = {"size.glb", "size.gltf"};
    static const ruga_format formats[] = {RUGA_FORMAT_GLB, RUGA_FORMAT_GLTF};
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, "torus", NULL, &mesh));
    for (int i = 0; i < 2; i++) {
        assert_ok(context, write_waves(mesh, test_path(names[i]), 20));
        size_t size = 0;
        free(read_test_file(test_path(names[i]), &size));
        double said = (double)ruga_motion_written_size(mesh, 20, formats[i]);
        assert_near_case(said / (double)size, 1, 0.01, "i %d", i);
        assert_ok(context, ruga_mesh_write(mesh, NULL, test_path(names[i]), NULL));
        free(read_test_file(test_path(names[i]), &size));
        assert_int_equal(ruga_motion_written_size(mesh, 0, formats[i]), size);
    }
    ruga_mesh_destroy(mesh);
}

static void frames_out_of_time_are_refused(void **state) {
    (void)state;
    static const double second[] = {0.5, 0.5 + 1e-12, 0.25, -1, NAN, INFINITY};
    ruga_mesh *mesh = rich_mesh(context);
    for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
        ruga_motion_writer *writer = NULL;
        ruga_frame frame = {.time = 0.5, .vertex_count = 6, .positions = mesh->positions};
        assert_ok(context, ruga_motion_writer_create(mesh, test_path("time.glb"), NULL, &writer));
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
        frame.time = second[i];
        assert_status(ruga_motion_writer_append(writer, &frame), RUGA_ERROR_ARGUMENT);
        ruga_motion_writer_destroy(writer);
        assert_false(test_file_exists(test_path("time.glb")));
    }
    ruga_mesh_destroy(mesh);
}

static void frames_may_bring_their_normals(void **state) {
    (void)state;
    ruga_mesh *mesh = rich_mesh(context);
    ruga_vec3 normals[6];
    ruga_motion_writer *writer = NULL;
    for (int v = 0; v < 6; v++) normals[v] = vec3_make(1, 0, 0);
    ruga_frame frame = {.time = 0, .vertex_count = 6, .positions = mesh->positions, .normals = normals};
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("normals.glb"), NULL, &writer));
    assert_ok(context, ruga_motion_writer_append(writer, &frame));
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    /* Normals at rest plus the target's differences are the frame's: the last accessor holds the differences. */
    unsigned char *bytes;
    size_t size;
    json_document *document = parse_glb(test_path("normals.glb"), &bytes, &size);
    const json_value *root = json_root(document), *accessors = json_member(root, "accessors");
    const json_value *primitive = json_item(json_member(json_item(json_member(root, "meshes"), 0), "primitives"), 0);
    size_t base = number(json_member(primitive, "attributes"), "NORMAL");
    size_t target = number(json_item(json_member(primitive, "targets"), 0), "NORMAL");
    const size_t index[2] = {base, target};
    float sum[3] = {0};
    uint32_t json_size;
    memcpy(&json_size, bytes + 12, 4);
    for (int i = 0; i < 2; i++) {
        const json_value *accessor = json_item(accessors, index[i]);
        const json_value *view = json_item(json_member(root, "bufferViews"), number(accessor, "bufferView"));
        float values[3];
        memcpy(values, bytes + 28 + json_size + number(view, "byteOffset") + number(accessor, "byteOffset"), 12);
        for (int c = 0; c < 3; c++) sum[c] += values[c];
    }
    assert_equal(sum[0], 1);
    assert_equal(sum[1], 0);
    assert_equal(sum[2], 0);
    json_destroy(document);
    free(bytes);
    ruga_mesh_destroy(mesh);
}

/* ---- Failures. */

static ruga_status write_rich(ruga_context *c, void *user) {
    ruga_mesh *mesh = rich_mesh(c);
    if (!mesh) return RUGA_ERROR_MEMORY;
    ruga_status status = ruga_mesh_write(mesh, NULL, user, NULL);
    if (!RUGA_FAILED(status)) status = write_waves(mesh, user, 3);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("memory.glb"));
    assert_less(40, assert_every_allocation_may_fail(write_rich, path));
    snprintf(path, sizeof path, "%s", test_path("memory.gltf"));
    assert_less(40, assert_every_allocation_may_fail(write_rich, path));
}

/* Runs with a file system that fails at a byte or a call; nothing may be left then. */
static void assert_nothing_is_left(const char *path, int animated) {
    memory_file_system *files = NULL;
    failing_file_system failing;
    const file_system *disk = context->file_system;
    ruga_mesh *mesh = rich_mesh(context);
    for (uint64_t byte = 0;; byte += SANITIZED ? 7 : 1) {
        assert_ok(context, memory_file_system_create(context, &files));
        failing_file_system_init(&failing, memory_file_system_interface(files));
        failing.fail_at_byte = byte;
        context->file_system = &failing.interface;
        ruga_status status = animated ? write_waves(mesh, path, 3) : ruga_mesh_write(mesh, NULL, path, NULL);
        context->file_system = disk;
        size_t left = memory_file_system_count(files);
        memory_file_system_destroy(files);
        if (!RUGA_FAILED(status)) {
            assert_int_equal(left, 1);
            break;
        }
        assert_status(status, RUGA_ERROR_FILE);
        assert_int_equal(left, 0);
    }
    ruga_mesh_destroy(mesh);
}

static void a_disk_that_fills_leaves_nothing(void **state) {
    (void)state;
    assert_nothing_is_left("a.glb", 0);
    assert_nothing_is_left("a.gltf", 0);
    assert_nothing_is_left("a.glb", 1);
    assert_nothing_is_left("a.gltf", 1);
}

static int stop(void *user, const char *stage, double fraction) {
    (void)user, (void)stage, (void)fraction;
    return 1;
}

static void writing_frames_can_be_cancelled(void **state) {
    (void)state;
    ruga_mesh *mesh = rich_mesh(context);
    context->def.progress = stop;
    assert_status(write_waves(mesh, test_path("cancelled.glb"), 3), RUGA_ERROR_CANCELLED);
    assert_false(test_file_exists(test_path("cancelled.glb")));
    ruga_mesh_destroy(mesh);
}

#define WRITE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        WRITE_TEST(floats_come_back_bit_for_bit),
        WRITE_TEST(what_was_split_is_split_again_in_the_same_order),
        WRITE_TEST(texture_coordinates_are_turned_over_and_back),
        WRITE_TEST(new_splits_come_after_the_vertices),
        WRITE_TEST(attributes_survive_as_glTF_can_hold_them),
        WRITE_TEST(lines_survive),
        WRITE_TEST(large_meshes_have_wide_indices),
        WRITE_TEST(units_axes_and_frames_are_written),
        WRITE_TEST(what_glTF_cannot_hold_is_refused),
        WRITE_TEST(views_lie_within_the_buffer_at_multiples_of_four),
        WRITE_TEST(frames_come_back_as_stored_samples),
        WRITE_TEST(a_split_mesh_is_animated_split),
        WRITE_TEST(the_size_is_known_before),
        WRITE_TEST(frames_out_of_time_are_refused),
        WRITE_TEST(frames_may_bring_their_normals),
        WRITE_TEST(every_allocation_may_fail),
        WRITE_TEST(a_disk_that_fills_leaves_nothing),
        WRITE_TEST(writing_frames_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
