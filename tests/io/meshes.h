/* For tests of formats: a small mesh that has everything, and comparisons of meshes. */
#ifndef TESTS_IO_MESHES_H
#define TESTS_IO_MESHES_H

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "support/file_systems.h"
#include "support/support.h"

/* Five vertices, a quad and two triangles, with attributes of every domain and type, edges and a polyline. */
static inline ruga_mesh *make_rich_mesh(ruga_context *context) {
    static const double positions[15] = {0.1, 0, -0.0, 1, 1.0 / 3, 0, 1, 1e-300, 1, 0, 2e10, 1, 0.5, 0.25, -7};
    static const uint32_t sizes[3] = {4, 3, 3}, faces[10] = {0, 1, 2, 3, 0, 4, 1, 1, 4, 2};
    static const uint32_t edges[4] = {0, 4, 2, 1}, line_sizes[2] = {3, 2}, lines[5] = {0, 4, 2, 3, 1};
    static const double uvs[12] = {0, 0, 1, 0, 1, 1, 0, 1, 0.1, 1.0 / 7, 9, 9};
    static const uint32_t uv_indices[10] = {3, 2, 1, 0, 4, 4, UINT32_MAX, 2, 1, 0};
    static const double normals[9] = {0, 0, 1, 0, 1, 0, 0.6, 0.8, 0};
    static const uint32_t normal_indices[10] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2};
    static const uint8_t colours[20] = {0, 1, 2, 3, 255, 254, 128, 127, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 10, 20};
    static const int32_t groups[3] = {1, 0, -1}, materials[3] = {0, 0, 1}, smoothing[3] = {0, 3, 3};
    static const float weights[10] = {0.1f, 1e-30f, 3, -4.5f, 5, 6, 7, 8, 9, 1e30f};
    static const int8_t i8[3] = {-128, 127, 0};
    static const uint16_t u16[2] = {0, 65535};
    static const int16_t i16[5] = {-32768, 32767, -1, 0, 1};
    static const uint32_t u32[5] = {0, 1, 4294967295u, 7, 8};
    static const double f64[2] = {1.0 / 3, -1e-200};
    static const char *const group_labels[2] = {"left sleeve", "body"}, *const material_labels[2] = {"red", "blue"};
    const ruga_attribute attributes[] = {
        {"colour", RUGA_DOMAIN_VERTEX, RUGA_U8, 4, 1, 5, colours, NULL, 0, NULL},
        {"uv", RUGA_DOMAIN_CORNER, RUGA_F64, 2, 0, 6, uvs, uv_indices, 0, NULL},
        {"normal", RUGA_DOMAIN_CORNER, RUGA_F64, 3, 0, 3, normals, normal_indices, 0, NULL},
        {"group", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, 3, groups, NULL, 2, group_labels},
        {"material", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, 3, materials, NULL, 2, material_labels},
        {"smoothing", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, 3, smoothing, NULL, 0, NULL},
        {"weight", RUGA_DOMAIN_VERTEX, RUGA_F32, 2, 0, 5, weights, NULL, 0, NULL},
        {"x", RUGA_DOMAIN_VERTEX, RUGA_I16, 1, 0, 5, i16, NULL, 0, NULL},
        {"rest length", RUGA_DOMAIN_VERTEX, RUGA_U32, 1, 0, 5, u32, NULL, 0, NULL},
        {"signed_0", RUGA_DOMAIN_FACE, RUGA_I8, 1, 1, 3, i8, NULL, 0, NULL},
        {"sharpness", RUGA_DOMAIN_EDGE, RUGA_F64, 1, 0, 2, f64, NULL, 0, NULL},
        {"kind", RUGA_DOMAIN_EDGE, RUGA_U16, 1, 0, 2, u16, NULL, 0, NULL},
    };
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 5, 0, RUGA_F64};
    def.face_count = 3;
    def.face_sizes = sizes;
    def.face_vertices = faces;
    def.edge_count = 2;
    def.edges = edges;
    def.line_count = 2;
    def.line_sizes = line_sizes;
    def.line_vertices = lines;
    def.attribute_count = sizeof attributes / sizeof attributes[0];
    def.attributes = attributes;
    ruga_mesh *mesh = NULL;
    return RUGA_FAILED(ruga_mesh_create(context, &def, &mesh)) ? NULL : mesh;
}

/* A strip of n triangles, positions alone; random ones that floats hold. */
static inline ruga_mesh *make_strip(ruga_context *context, size_t triangles) {
    test_random random = {7};
    float *positions = malloc(3 * sizeof(float) * (triangles + 2));
    uint32_t *indices = malloc(3 * sizeof(uint32_t) * triangles);
    for (size_t i = 0; i < 3 * (triangles + 2); i++) positions[i] = (float)random_between(&random, -1, 1);
    for (size_t i = 0; i < triangles; i++)
        for (size_t k = 0; k < 3; k++) indices[3 * i + k] = (uint32_t)(i + k);
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, triangles + 2, 0, RUGA_F32};
    def.face_count = triangles;
    def.face_vertices = indices;
    ruga_mesh *mesh = NULL;
    ruga_status status = ruga_mesh_create(context, &def, &mesh);
    free(positions);
    free(indices);
    return RUGA_FAILED(status) ? NULL : mesh;
}

static inline void assert_same_positions(const ruga_mesh *a, const ruga_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof(ruga_vec3));
}

static inline void assert_same_faces(const ruga_mesh *a, const ruga_mesh *b) {
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_memory_equal(a->face_vertices, b->face_vertices, a->corner_count * sizeof(uint32_t));
    assert_int_equal(a->face_offsets == NULL, b->face_offsets == NULL);
    if (a->face_offsets) assert_memory_equal(a->face_offsets, b->face_offsets, (a->face_count + 1) * sizeof(uint32_t));
}

static inline void assert_same_lines(const ruga_mesh *a, const ruga_mesh *b) {
    assert_int_equal(a->line_count, b->line_count);
    if (a->line_count == 0) return;
    assert_memory_equal(a->line_offsets, b->line_offsets, (a->line_count + 1) * sizeof(uint32_t));
    assert_memory_equal(a->line_vertices, b->line_vertices, a->line_offsets[a->line_count] * sizeof(uint32_t));
}

static inline size_t element_count(const ruga_mesh *mesh, ruga_domain domain) {
    return domain == RUGA_DOMAIN_VERTEX ? mesh->vertex_count
           : domain == RUGA_DOMAIN_FACE ? mesh->face_count
           : domain == RUGA_DOMAIN_EDGE ? mesh->edge_count
                                        : mesh->corner_count;
}

static inline int has_value(const ruga_attribute *attribute, size_t element) {
    return !attribute->indices || attribute->indices[element] != UINT32_MAX;
}

/* Values by element: equal as numbers, and absent where absent. */
static inline void assert_same_values(const ruga_mesh *mesh, const ruga_attribute *a, const ruga_attribute *b) {
    fail_if(!b, "attribute \"%s\" is lost", a->name);
    assert_int_equal(a->components, b->components);
    for (size_t i = 0; i < element_count(mesh, a->domain); i++) {
        assert_int_equal(has_value(a, i), has_value(b, i));
        for (uint32_t k = 0; k < a->components; k++) {
            double x = ruga_attribute_get(a, i, k), y = ruga_attribute_get(b, i, k);
            fail_if(x != y, "%s: element %zu has %.17g, then %.17g", a->name, i, x, y);
        }
    }
}

static inline void assert_equal_labels(const ruga_attribute *a, const ruga_attribute *b) {
    for (size_t i = 0; i < a->label_count; i++)
        fail_if(strcmp(a->labels[i], b->labels[i]), "%s: label %zu is %s, then %s", a->name, i, a->labels[i],
                b->labels[i]);
}

/* Type, labels and the sign of normalisation as well. */
static inline void assert_same_attribute(const ruga_mesh *mesh, const ruga_attribute *a, const ruga_attribute *b) {
    assert_same_values(mesh, a, b);
    fail_if(a->type != b->type || a->normalised != b->normalised, "%s: another type", a->name);
    assert_int_equal(a->label_count, b->label_count);
    assert_equal_labels(a, b);
}

/* The same names, however they are numbered. */
static inline void assert_same_labels(const ruga_mesh *mesh, const ruga_attribute *a, const ruga_attribute *b) {
    fail_if(!b, "attribute \"%s\" is lost", a->name);
    size_t labelled = 0;
    for (size_t i = 0; i < element_count(mesh, a->domain); i++) {
        int x = (int)ruga_attribute_get(a, i, 0), y = (int)ruga_attribute_get(b, i, 0);
        assert_int_equal(x < 0, y < 0);
        if (x < 0) continue;
        assert_string_equal(a->labels[x], b->labels[y]);
        labelled++;
    }
    assert_ran(labelled, 1);
}

/* A context on files in memory that fail on demand. */
typedef struct fragile_files {
    ruga_context *context, *keeper; /* the keeper holds the memory files */
    memory_file_system *memory;
    failing_file_system failing;
} fragile_files;

static inline void fragile_files_open(fragile_files *files) {
    files->keeper = context_plain(1);
    files->context = context_plain(1);
    assert_ok(files->keeper, memory_file_system_create(files->keeper, &files->memory));
    failing_file_system_init(&files->failing, memory_file_system_interface(files->memory));
    files->context->file_system = &files->failing.interface;
}

static inline void fragile_files_close(fragile_files *files) {
    ruga_context_destroy(files->context);
    memory_file_system_destroy(files->memory);
    ruga_context_destroy(files->keeper);
}

#endif
