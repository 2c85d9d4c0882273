/* Random meshes through every format and back, many times: polygons, seams, attributes of random types. */
#include "meshes.h"

enum { ROUNDS = 100000 };

typedef struct random_mesh {
    size_t vertex_count, face_count, corner_count;
    float *positions; /* floats, which every format holds exactly */
    uint32_t *sizes, *corners;
    float *uvs;
    size_t uv_count;
    uint32_t *uv_indices;
    int32_t *materials;
    float *heat;
} random_mesh;

static float random_float(test_random *random) {
    return (float)random_between(random, -1, 1) * (float)pow(10, (double)(int)(random_bits(random) % 12) - 6);
}

/* Faces of 3 to 6 corners on distinct vertices; texture coordinates that several corners share. */
static random_mesh random_mesh_make(test_random *random, size_t most_corners) {
    random_mesh m = {.vertex_count = 6 + random_bits(random) % 40, .face_count = 1 + random_bits(random) % 30};
    m.positions = malloc(3 * m.vertex_count * sizeof(float));
    m.heat = malloc(m.vertex_count * sizeof(float));
    m.sizes = malloc(m.face_count * sizeof(uint32_t));
    m.corners = malloc(6 * m.face_count * sizeof(uint32_t));
    m.materials = malloc(m.face_count * sizeof(int32_t));
    for (size_t i = 0; i < 3 * m.vertex_count; i++) m.positions[i] = random_float(random);
    for (size_t i = 0; i < m.vertex_count; i++) m.heat[i] = random_float(random);
    for (size_t f = 0; f < m.face_count; f++) {
        m.sizes[f] = (uint32_t)(3 + random_bits(random) % (most_corners - 2));
        m.materials[f] = (int32_t)(random_bits(random) % 3);
        uint32_t first = (uint32_t)(random_bits(random) % m.vertex_count);
        for (uint32_t k = 0; k < m.sizes[f]; k++) m.corners[m.corner_count++] = (first + k) % (uint32_t)m.vertex_count;
    }
    m.uv_count = 1 + random_bits(random) % m.corner_count;
    m.uvs = malloc(2 * m.uv_count * sizeof(float));
    m.uv_indices = malloc(m.corner_count * sizeof(uint32_t));
    /* Of few digits, so that glTF's 1 - v is exact in floats too. */
    for (size_t i = 0; i < 2 * m.uv_count; i++) m.uvs[i] = (float)(random_bits(random) % 4096) / 1024 - 2;
    for (size_t c = 0; c < m.corner_count; c++) m.uv_indices[c] = (uint32_t)(random_bits(random) % m.uv_count);
    return m;
}

static void random_mesh_release(random_mesh *m) {
    void *all[] = {m->positions, m->heat, m->sizes, m->corners, m->materials, m->uvs, m->uv_indices};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static ruga_mesh *random_mesh_build(ruga_context *context, const random_mesh *m) {
    static const char *const labels[3] = {"silk", "denim blue", "ruga-3"};
    const ruga_attribute attributes[] = {
        {"uv", RUGA_DOMAIN_CORNER, RUGA_F32, 2, 0, m->uv_count, m->uvs, m->uv_indices, 0, NULL},
        {"material", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, m->face_count, m->materials, NULL, 3, labels},
        {"heat", RUGA_DOMAIN_VERTEX, RUGA_F32, 1, 0, m->vertex_count, m->heat, NULL, 0, NULL},
    };
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){m->positions, m->vertex_count, 0, RUGA_F32};
    def.face_count = m->face_count;
    def.face_sizes = m->sizes;
    def.face_vertices = m->corners;
    def.attribute_count = 3;
    def.attributes = attributes;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

static ruga_mesh *through(const ruga_mesh *mesh, ruga_format format, const char *name) {
    ruga_file_def def = ruga_file_def_default();
    def.format = format;
    void *bytes = NULL;
    size_t size = 0;
    ruga_mesh *copy = NULL;
    assert_ok(mesh->context, ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size));
    assert_ok(mesh->context, ruga_mesh_read_memory(mesh->context, name, bytes, size, NULL, &copy));
    ruga_free(mesh->context, bytes);
    return copy;
}

/* OBJ knows no types: floats are written as the shortest text that is the same float, and read as doubles. */
static void assert_same_floats(const ruga_mesh *mesh, const ruga_attribute *a, const ruga_attribute *b) {
    assert_non_null(b);
    for (size_t i = 0; i < element_count(mesh, a->domain); i++)
        for (uint32_t k = 0; k < a->components; k++)
            assert_equal_case((float)ruga_attribute_get(a, i, k), (float)ruga_attribute_get(b, i, k), "i %zu, k %u", i,
                              k);
}

static void polygons_with_seams_come_back_from_obj_and_ply(void **state) {
    (void)state;
    static const ruga_format formats[] = {RUGA_FORMAT_OBJ, RUGA_FORMAT_PLY, RUGA_FORMAT_PLY_ASCII, RUGA_FORMAT_PLY_BIG};
    ruga_context *context = context_plain(1);
    test_random random = {21};
    for (int round = 0; round < ROUNDS; round++) {
        random_mesh m = random_mesh_make(&random, 6);
        ruga_mesh *mesh = random_mesh_build(context, &m);
        int is_obj = round % 4 == 0;
        ruga_mesh *copy = through(mesh, formats[round % 4], is_obj ? "m.obj" : "m.ply");
        assert_same_positions(mesh, copy);
        assert_same_faces(mesh, copy);
        assert_same_floats(mesh, &mesh->attributes[0], ruga_mesh_attribute(copy, "uv", RUGA_DOMAIN_CORNER));
        assert_same_labels(mesh, &mesh->attributes[1], ruga_mesh_attribute(copy, "material", RUGA_DOMAIN_FACE));
        if (!is_obj)
            assert_same_attribute(mesh, &mesh->attributes[2], ruga_mesh_attribute(copy, "heat", RUGA_DOMAIN_VERTEX));
        ruga_mesh_destroy(copy);
        ruga_mesh_destroy(mesh);
        random_mesh_release(&m);
    }
    ruga_context_destroy(context);
}

/* Faces come back grouped by material, so that corners are compared by what they hold: vertex, texture coordinates. */
typedef struct corner_record {
    double x, y, z, u, v, material;
} corner_record;

static int compare_records(const void *a, const void *b) { return memcmp(a, b, sizeof(corner_record)); }

static corner_record *records_of(const ruga_mesh *mesh) {
    corner_record *records = calloc(mesh->corner_count, sizeof *records);
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER);
    const ruga_attribute *by_vertex = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX);
    const ruga_attribute *material = ruga_mesh_attribute(mesh, "material", RUGA_DOMAIN_FACE);
    assert_true((uv || by_vertex) && material);
    for (size_t c = 0; c < mesh->corner_count; c++) {
        uint32_t vertex = mesh->face_vertices[c];
        const char *label = material->labels[(int)ruga_attribute_get(material, c / 3, 0)];
        records[c] = (corner_record){mesh->positions[vertex].x,
                                     mesh->positions[vertex].y,
                                     mesh->positions[vertex].z,
                                     ruga_attribute_get(uv ? uv : by_vertex, uv ? c : vertex, 0),
                                     ruga_attribute_get(uv ? uv : by_vertex, uv ? c : vertex, 1),
                                     label[0]};
    }
    qsort(records, mesh->corner_count, sizeof *records, compare_records);
    return records;
}

static void triangles_with_seams_come_back_from_glb(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_random random = {22};
    for (int round = 0; round < ROUNDS; round++) {
        random_mesh m = random_mesh_make(&random, 3);
        ruga_mesh *mesh = random_mesh_build(context, &m), *once = through(mesh, RUGA_FORMAT_GLB, "m.glb");
        assert_int_equal(mesh->corner_count, once->corner_count);
        corner_record *before = records_of(mesh), *after = records_of(once);
        for (size_t c = 0; c < mesh->corner_count; c++)
            fail_if(memcmp(&before[c], &after[c], sizeof *before) != 0, "round %d: corner %zu differs", round, c);

        /* A second time nothing changes at all: neither order, nor seams. */
        ruga_mesh *twice = through(once, RUGA_FORMAT_GLB, "m.glb");
        assert_same_positions(once, twice);
        assert_same_faces(once, twice);
        assert_int_equal(once->split_count, twice->split_count);
        if (once->split_count > 0)
            assert_memory_equal(once->split_vertex, twice->split_vertex, once->split_count * sizeof(uint32_t));
        free(before);
        free(after);
        ruga_mesh_destroy(twice);
        ruga_mesh_destroy(once);
        ruga_mesh_destroy(mesh);
        random_mesh_release(&m);
    }
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_with_seams_come_back_from_obj_and_ply),
        cmocka_unit_test(triangles_with_seams_come_back_from_glb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
