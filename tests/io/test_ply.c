/* PLY: every encoding and type, the names that other programs use, and an answer to everything that is wrong. */
#include "meshes.h"

static ruga_mesh *read_bytes(ruga_context *context, const void *bytes, size_t size) {
    ruga_mesh *mesh = NULL;
    ruga_status status = ruga_mesh_read_memory(context, "skirt.ply", bytes, size, NULL, &mesh);
    fail_if(RUGA_FAILED(status), "%s", ruga_context_message(context));
    return mesh;
}

static ruga_mesh *read_text(ruga_context *context, const char *text) { return read_bytes(context, text, strlen(text)); }

static void assert_refused(ruga_context *context, const char *text, const char *message) {
    ruga_mesh *mesh = NULL;
    assert_status(ruga_mesh_read_memory(context, "skirt.ply", text, strlen(text), NULL, &mesh), RUGA_ERROR_INPUT);
    assert_null(mesh);
    assert_message_has(context, message);
}

#define HEAD "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define THREE "0 0 0\n1 0 0\n0 1 0\n"

/* A number in a type and a byte order, as a file has it. */
static size_t put(unsigned char *to, ruga_scalar type, int is_big, double value) {
    const float f32 = (float)value;
    const int64_t whole = type < RUGA_F32 ? (int64_t)value : 0;
    const size_t size = ruga_scalar_size(type);
    unsigned char bytes[8];
    memcpy(bytes, type == RUGA_F64 ? (const void *)&value : type == RUGA_F32 ? (const void *)&f32 : &whole, size);
    for (size_t i = 0; i < size; i++) to[i] = bytes[is_big ? size - 1 - i : i];
    return size;
}

static const char *const type_names[2][8] = {
    {"uchar", "char", "ushort", "short", "uint", "int", "float", "double"},
    {"uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"}};

/* Positions, counts and indices of any type, in either byte order. */
static void every_type_serves_for_positions_counts_and_indices(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int run = 0; run < 8 * 6 * 2; run++) {
        const ruga_scalar real = (ruga_scalar)(run % 8), whole = (ruga_scalar)(run / 8 % 6);
        const int is_big = run / 48;
        unsigned char binary[600];
        size_t size = (size_t)sprintf(
            (char *)binary,
            "ply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty %s x\nproperty %s y\nproperty %s z\n"
            "element face 2\nproperty list %s %s vertex_index\nend_header\n",
            is_big ? "big" : "little", type_names[run % 2][real], type_names[0][real], type_names[1][real],
            type_names[run % 2][whole], type_names[1][whole]);
        for (int i = 0; i < 12; i++) size += put(binary + size, real, is_big, i);
        static const double faces[9] = {3, 0, 1, 2, 4, 3, 2, 1, 0};
        for (int i = 0; i < 9; i++) size += put(binary + size, whole, is_big, faces[i]);
        ruga_mesh *mesh = read_bytes(context, binary, size);
        assert_equal_case(mesh->positions[3].x, 9, "run %d", run);
        assert_equal_case(mesh->positions[3].z, 11, "run %d", run);
        assert_int_equal(mesh->face_count, 2);
        assert_int_equal(mesh->face_vertices[3], 3);
        assert_int_equal(mesh->face_vertices[6], 0);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* The fast paths agree with the plain one, whatever the instruction set and wherever a larger polygon stands. */
static void instruction_sets_agree(void **state) {
    (void)state;
    for (int isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
        ruga_context_def def = ruga_context_def_default();
        def.isa = (ruga_isa)isa;
        ruga_context *context;
        if (RUGA_FAILED(ruga_context_create(&def, &context))) continue;
        for (size_t odd = 0; odd <= 200; odd += odd < 140 ? 1 : 60) {
            unsigned char binary[8000];
            size_t size = (size_t)sprintf((char *)binary,
                                          "ply\nformat binary_little_endian 1.0\nelement vertex 210\n" XYZ
                                          "element face 200\nproperty list uchar int vertex_indices\nend_header\n");
            for (int i = 0; i < 630; i++) size += put(binary + size, RUGA_F32, 0, i * 0.25);
            for (size_t i = 0; i < 200; i++) {
                const size_t corners = i == odd ? 5 : 3;
                binary[size++] = (unsigned char)corners;
                for (size_t k = 0; k < corners; k++) size += put(binary + size, RUGA_I32, 0, (double)(i + k));
            }
            ruga_mesh *mesh = read_bytes(context, binary, size);
            assert_int_equal(mesh->face_count, 200);
            assert_int_equal(mesh->corner_count, odd < 200 ? 602 : 600);
            for (size_t i = 0, corner = 0; i < 200; i++)
                for (size_t k = 0; k < (i == odd ? 5u : 3u); k++)
                    assert_int_equal(mesh->face_vertices[corner++], i + k);
            assert_equal_case(mesh->positions[209].z, 629 * 0.25, "isa %d, odd %zu", isa, odd);
            ruga_mesh_destroy(mesh);
        }
        ruga_context_destroy(context);
    }
}

/* The names that Blender, MeshLab and scanners use. */
static void usual_names_become_usual_attributes(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh =
        read_text(context, HEAD
                  "comment made by hand\nobj_info scan 7\nelement vertex 3\n" XYZ
                  "property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty uchar green\n"
                  "property uchar blue\nproperty uchar alpha\nproperty float u\nproperty float v\nproperty double "
                  "confidence\nproperty short id_0\nproperty short id_1\nproperty float s\n"
                  "element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n"
                  "property list uchar uchar corner_colour\nproperty int flags\nproperty list uchar int odd\n"
                  "element camera 1\nproperty float view\nproperty list uchar int list\nend_header\n"
                  "0 0 0 0 0 1 255 0 0 128 0.5 0.25 0.125 1 2 3\n1 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
                  "0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
                  "3 0 1 2 6 0 0 1 0 0 1 9 255 0 0 0 255 0 0 0 255 7 0\n3 2 1 0 0 0 8 2 5 6\n0.5 2 1 1\n");
    const ruga_attribute *normal = ruga_mesh_attribute(mesh, "normal", RUGA_DOMAIN_VERTEX);
    assert_true(normal->components == 3 && normal->type == RUGA_F32);
    const ruga_attribute *colour = ruga_mesh_attribute(mesh, "colour", RUGA_DOMAIN_VERTEX);
    assert_true(colour->components == 4 && colour->normalised);
    assert_equal(ruga_attribute_get(colour, 0, 0), 1);
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX);
    assert_equal(ruga_attribute_get(uv, 0, 1), 0.25);
    assert_int_equal(ruga_mesh_attribute(mesh, "confidence", RUGA_DOMAIN_VERTEX)->type, RUGA_F64);
    assert_int_equal(ruga_mesh_attribute(mesh, "id", RUGA_DOMAIN_VERTEX)->components, 2);
    assert_equal(ruga_attribute_get(ruga_mesh_attribute(mesh, "s", RUGA_DOMAIN_VERTEX), 0, 0), 3);
    const ruga_attribute *corner_uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER);
    assert_int_equal(corner_uv->count, 3);
    assert_int_equal(corner_uv->indices[3], UINT32_MAX);
    const ruga_attribute *corner_colour = ruga_mesh_attribute(mesh, "colour", RUGA_DOMAIN_CORNER);
    assert_true(corner_colour->components == 3 && corner_colour->normalised);
    assert_equal(ruga_attribute_get(ruga_mesh_attribute(mesh, "flags", RUGA_DOMAIN_FACE), 1, 0), 8);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Every other triangle of a strip is turned round, -1 starts a new strip, triangles without area are left out. */
static void strips_become_triangles(void **state) {
    (void)state;
    static const uint32_t expected[9] = {0, 1, 2, 2, 1, 3, 4, 3, 0};
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = read_text(context, HEAD "element vertex 5\n" XYZ
                                              "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
                                              "0 0 0\n1 0 0\n0 1 0\n1 1 0\n2 2 0\n9 0 1 2 3 -1 4 3 0 0\n");
    assert_int_equal(mesh->triangle_count, 3);
    assert_memory_equal(mesh->triangles, expected, sizeof expected);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void numbers_of_text_may_have_any_spelling(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh =
        read_text(context, "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\n" XYZ
                           "property double heat\nelement face 1\nproperty list uchar int vertex_indices\n"
                           "end_header\r\n  0 0.0e0 .5 nan\r\n\r\n1 0\n 0 -inf\n+1e0 1. -1 inf\n3 0 1.0 2");
    assert_equal(mesh->positions[0].z, 0.5);
    assert_equal(mesh->positions[2].y, 1);
    const ruga_attribute *heat = ruga_mesh_attribute(mesh, "heat", RUGA_DOMAIN_VERTEX);
    assert_true(isnan(ruga_attribute_get(heat, 0, 0)));
    assert_equal(ruga_attribute_get(heat, 1, 0), -INFINITY);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Faces without area are left out, and their attributes with them. */
static void faces_without_area_are_left_out(void **state) {
    (void)state;
    static const char text[] =
        HEAD "element vertex 3\n" XYZ
             "element face 3\nproperty list uchar int vertex_indices\nproperty int id\nend_header\n" THREE
             "2 0 1 5\n3 0 1 2 6\n1 0 7\n";
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = NULL;
    assert_status(ruga_mesh_read_memory(context, "a.ply", text, sizeof text - 1, NULL, &mesh), RUGA_WARNING_INPUT);
    assert_int_equal(mesh->face_count, 1);
    const ruga_attribute *id = ruga_mesh_attribute(mesh, "id", RUGA_DOMAIN_FACE);
    assert_int_equal(id->count, 1);
    assert_equal(ruga_attribute_get(id, 0, 0), 6);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* More than 255 corners need a larger count. */
static void large_polygons_come_back(void **state) {
    (void)state;
    enum { COUNT = 300 };
    double positions[3 * COUNT];
    uint32_t corners[COUNT], size = COUNT;
    for (uint32_t i = 0; i < COUNT; i++) {
        positions[3 * i] = cos(i * 0.02), positions[3 * i + 1] = sin(i * 0.02), positions[3 * i + 2] = 0;
        corners[i] = i;
    }
    float uvs[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++) uvs[i] = (float)i;
    const ruga_attribute uv = {"uv", RUGA_DOMAIN_CORNER, RUGA_F32, 2, 0, COUNT, uvs, NULL, 0, NULL};
    ruga_context *context = context_plain(1);
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, COUNT, 0, RUGA_F64};
    def.face_count = 1;
    def.face_sizes = &size;
    def.face_vertices = corners;
    def.attribute_count = 1;
    def.attributes = &uv;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    ruga_file_def ply = ruga_file_def_default();
    ply.format = RUGA_FORMAT_PLY;
    void *bytes;
    size_t byte_count;
    assert_ok(context, ruga_mesh_write_memory(mesh, NULL, &ply, &bytes, &byte_count));
    ruga_mesh *copy = read_bytes(context, bytes, byte_count);
    assert_same_faces(mesh, copy);
    assert_same_attribute(mesh, &mesh->attributes[0], ruga_mesh_attribute(copy, "uv", RUGA_DOMAIN_CORNER));
    ruga_free(context, bytes);
    ruga_mesh_destroy(copy);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void positions_are_floats_only_where_floats_hold_them(void **state) {
    (void)state;
    static const double numbers[3] = {0.5, 0.1, 1e300};
    ruga_context *context = context_plain(1);
    for (int i = 0; i < 9; i++) {
        double positions[3] = {0, 0, 0}; /* each coordinate must be asked */
        positions[i % 3] = numbers[i / 3];
        ruga_mesh_def def = ruga_mesh_def_default();
        def.positions = (ruga_view){(void *)(uintptr_t)positions, 1, 0, RUGA_F64};
        ruga_mesh *mesh = NULL;
        assert_ok(context, ruga_mesh_create(context, &def, &mesh));
        ruga_file_def ply = ruga_file_def_default();
        ply.format = RUGA_FORMAT_PLY;
        void *bytes;
        size_t size;
        assert_ok(context, ruga_mesh_write_memory(mesh, NULL, &ply, &bytes, &size));
        ruga_mesh *copy = read_bytes(context, bytes, size);
        assert_same_positions(mesh, copy);
        char head[120] = {0};
        memcpy(head, bytes, size < 119 ? size : 119);
        assert_non_null(strstr(head, i < 3 ? "property float x" : "property double x"));
        ruga_free(context, bytes);
        ruga_mesh_destroy(copy);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

#define FACE "element face 1\nproperty list uchar int vertex_indices\n"

static void errors_are_reported_with_their_place(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "skirt.ply:1: not a PLY file: the first line is not \"ply\""},
        {"plyx\n", "not a PLY file"},
        {"ply\nformat ascii 1.0\nelement vertex 0\n", "end_header is missing"},
        {"ply\nend_header\n", "skirt.ply:2: \"end_header\", but expected format"},
        {"ply\nformat ascii 2.0\nend_header\n", "skirt.ply:2: \"format ascii 2.0\", but expected format"},
        {"ply\nformat binary_middle_endian 1.0\nend_header\n", "expected ascii, binary_little_endian"},
        {HEAD "end_header\n", "element vertex is missing"},
        {HEAD "element vertex -1\nend_header\n", "skirt.ply:3: \"element vertex -1\", but expected element"},
        {HEAD "element vertex 1 2\nend_header\n", "expected element, a name and a count"},
        {HEAD "element vertex 1\nelement vertex 1\nend_header\n", "each element once"},
        {HEAD "property float x\nend_header\n", "skirt.ply:3: \"property float x\", but expected an element first"},
        {HEAD "element vertex 1\nproperty half x\nend_header\n", "expected property, a type such as float"},
        {HEAD "element vertex 1\nproperty float x\nproperty float x\nend_header\n", "each property once"},
        {HEAD "element face 1\nproperty list float int a\nend_header\n", "a whole type for the list's count"},
        {HEAD "element face 1\nproperty list uchar what a\nend_header\n", "property list, two types and a name"},
        {HEAD "element vertex 1\nwhat is this\nend_header\n", "skirt.ply:4: \"what is this\", but expected element"},
        {HEAD "element vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n",
         "element vertex has no scalar property z"},
        {HEAD "element vertex 5000000000\n" XYZ "end_header\n", "too many"},
        {HEAD "element vertex 3\n" XYZ "end_header\n0 0 0\n1 0 0\n", "skirt.ply:10: cut short within element vertex"},
        {HEAD "element vertex 1\n" XYZ "end_header\n0 zero 0\n",
         "skirt.ply:8: property y of element vertex: \"zero\" is not a valid float"},
        {HEAD "element vertex 1\n" XYZ "end_header\n0 0 1e400\n", "\"1e400\" is not a valid float"},
        {HEAD "element vertex 1\n" XYZ "end_header\n0 0 1e39\n", "\"1e39\" is not a valid float"},
        {HEAD "element vertex 1\n" XYZ "end_header\n0 0 0 0\n", "skirt.ply:8: there is more on this line"},
        {HEAD "element vertex 3\n" XYZ FACE "end_header\n" THREE "3 0 1 3\n",
         "face 0 refers to vertex 3, but the file has 3"},
        {HEAD "element vertex 3\n" XYZ FACE "end_header\n" THREE "3 0 1 -2\n", "face 0 refers to vertex -2"},
        {HEAD "element vertex 3\n" XYZ FACE "end_header\n" THREE "300 0 1 2\n",
         "property vertex_indices of element face: \"300\" is not a valid uchar"},
        {HEAD "element vertex 3\n" XYZ FACE "end_header\n" THREE "3 0 1 0.5\n", "\"0.5\" is not a valid int"},
        {HEAD "element vertex 3\n" XYZ "element face 1\nproperty list char int vertex_indices\nend_header\n" THREE
              "-1 0 1 2\n",
         "is not a valid count of a list"},
        {HEAD "element vertex 3\n" XYZ "element face 1\nproperty int a\nend_header\n" THREE "1\n",
         "element face has no list vertex_indices"},
        {HEAD "element vertex 3\n" XYZ "element face 1\nproperty list uchar float vertex_indices\nend_header\n" THREE
              "3 0 1 2\n",
         "no list vertex_indices of whole numbers"},
        {HEAD "element vertex 3\n" XYZ "element edge 1\nproperty int vertex1\nend_header\n" THREE "1\n",
         "element edge has no scalar property vertex2"},
        {HEAD "element vertex 3\n" XYZ "element edge 2\nproperty int vertex1\nproperty int vertex2\nend_header\n" THREE
              "0 1\n0 3\n",
         "edge 1 refers to a vertex beyond the file's 3"},
        {HEAD "element vertex 3\n" XYZ
              "element tetrahedron 1\nproperty list uchar int vertex_indices\nend_header\n" THREE "3 0 1 2\n",
         "tetrahedron 0 has 3 vertices, but a tet has 4"},
        {HEAD "element vertex 3\n" XYZ
              "element tetrahedron 1\nproperty list uchar int vertex_indices\nend_header\n" THREE "4 0 1 2 3\n",
         "tetrahedron 0 refers to vertex 3"},
        {HEAD "element vertex 3\n" XYZ "element line 1\nproperty list uchar int vertex_indices\nend_header\n" THREE
              "2 0 7\n",
         "line 0 refers to vertex 7"},
        {HEAD "element vertex 3\n" XYZ "element tristrips 1\nproperty list uchar int vertex_indices\nend_header\n" THREE
              "3 0 1 7\n",
         "tristrips 0 refers to vertex 7"},
        {HEAD "element vertex 3\n" XYZ "element line 1\nproperty int a\nend_header\n" THREE "2\n",
         "element line has no list"},
    };
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) assert_refused(context, cases[i][0], cases[i][1]);
    ruga_context_destroy(context);
}

/* Counts that a file can't hold are refused before memory is asked for. */
static void binary_files_that_lie_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *header;
        unsigned char bytes[40];
        size_t size;
        const char *message;
    } cases[] = {
        {"element vertex 4000000000\n" XYZ,
         {0},
         12,
         "it declares 4000000000 rows of element vertex, but has bytes for 1"},
        {"element vertex 344444444\n", {0}, 12, "element vertex has no properties"},
        {"element vertex 1\n" XYZ "property uchar ny\nproperty uchar %6Ey\n", {0}, 14, "has \"ny\" twice"},
        {"element vertex 0\n" XYZ "element edge 344444444\n", {0}, 12, "element edge has no properties"},
        {"element vertex 0\n" XYZ "element face 9223372036854775807\nproperty list uchar int vertex_indices\n",
         {3},
         13,
         "cut short"},
        {"element vertex 1\n" XYZ FACE,
         {[12] = 3, 0, 0, 0, 0, 0, 0, 0, 0, 1},
         25,
         "face 0 refers to vertex 1, but the file has 1"},
        {"element vertex 1\n" XYZ FACE,
         {[12] = 3, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255},
         25,
         "face 0 refers to vertex -1"},
        {"element vertex 1\n" XYZ FACE, {[12] = 200}, 40, "cut short"},
        {"element vertex 1\n" XYZ "element face 1\nproperty list int int vertex_indices\n",
         {[12] = 255, 255, 255, 255},
         40,
         "a list of -1 numbers"},
        {"element vertex 1\n" XYZ "element face 1\nproperty list uint double vertex_index\n",
         {0},
         40,
         "no list vertex_indices"},
        {"element vertex 1\n" XYZ "element other 1\nproperty list uint double a\n",
         {[12] = 255, 255, 255, 255},
         40,
         "cut short"},
    };
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char binary[600];
        int size =
            snprintf(binary, sizeof binary, "ply\nformat binary_little_endian 1.0\n%send_header\n", cases[i].header);
        memcpy(binary + size, cases[i].bytes, cases[i].size);
        ruga_mesh *mesh = NULL;
        assert_status(ruga_mesh_read_memory(context, "a.ply", binary, (size_t)size + cases[i].size, NULL, &mesh),
                      RUGA_ERROR_INPUT);
        assert_message_has(context, cases[i].message);
    }
    ruga_context_destroy(context);
}

/* A header larger than the first window. */
static void long_headers_are_read(void **state) {
    (void)state;
    enum { COMMENTS = 20000 };
    char *text = malloc(COMMENTS * 40 + 1000), *at = text + sprintf(text, HEAD);
    for (int i = 0; i < COMMENTS; i++) at += sprintf(at, "comment this is comment %d\n", i);
    at += sprintf(at, "element vertex 3\n" XYZ FACE "end_header\n" THREE "3 0 1 2\n");
    ruga_context *context = context_plain(1);
    const char *path = test_path("long.ply");
    write_test_file(path, text, (size_t)(at - text));
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_read(context, path, NULL, &mesh));
    assert_int_equal(mesh->triangle_count, 1);
    ruga_mesh_destroy(mesh);
    free(text);
    ruga_context_destroy(context);
}

/* Names are compared with all before them: a header of nothing but names must not take for ever. */
static void headers_have_a_limit_of_properties(void **state) {
    (void)state;
    enum { PROPERTIES = 5000 };
    char *text = malloc(PROPERTIES * 40 + 1000), *at = text + sprintf(text, HEAD "element vertex 0\n" XYZ);
    for (int i = 0; i < PROPERTIES; i++) at += sprintf(at, "property float p%d\n", i);
    sprintf(at, "end_header\n");
    ruga_context *context = context_plain(1);
    assert_refused(context, text, "at most 4096 properties");
    at = text + sprintf(text, HEAD);
    for (int i = 0; i < PROPERTIES; i++) at += sprintf(at, "element e%d 0\n", i);
    sprintf(at, "end_header\n");
    assert_refused(context, text, "at most 4096 elements");
    free(text);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_serves_for_positions_counts_and_indices),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(usual_names_become_usual_attributes),
        cmocka_unit_test(strips_become_triangles),
        cmocka_unit_test(numbers_of_text_may_have_any_spelling),
        cmocka_unit_test(faces_without_area_are_left_out),
        cmocka_unit_test(large_polygons_come_back),
        cmocka_unit_test(positions_are_floats_only_where_floats_hold_them),
        cmocka_unit_test(errors_are_reported_with_their_place),
        cmocka_unit_test(binary_files_that_lie_are_refused),
        cmocka_unit_test(long_headers_are_read),
        cmocka_unit_test(headers_have_a_limit_of_properties),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove();
    return failed;
}
