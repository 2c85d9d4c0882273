#include "support/shapes.h"

#include <math.h>

#define PI 3.14159265358979323846

ruga_mesh *shape_make(ruga_context *context, size_t vertex_count, const ruga_vec3 *positions, size_t face_count,
                      const uint32_t *sizes, const uint32_t *faces) {
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)positions, vertex_count, 0, RUGA_F64};
    def.face_count = face_count;
    def.face_sizes = sizes;
    def.face_vertices = faces;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

ruga_mesh *shape_with_uvs(ruga_mesh *plain, ruga_domain domain, const double *uvs) {
    const ruga_attribute uv = {.name = "uv",
                               .domain = domain,
                               .type = RUGA_F64,
                               .components = 2,
                               .count = domain == RUGA_DOMAIN_CORNER ? plain->corner_count : plain->vertex_count,
                               .values = uvs};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)plain->positions, plain->vertex_count, 0, RUGA_F64};
    def.face_count = plain->face_count;
    def.face_vertices = plain->face_vertices;
    def.attribute_count = 1;
    def.attributes = &uv;
    ruga_mesh *mesh = NULL;
    assert_ok(plain->context, ruga_mesh_create(plain->context, &def, &mesh));
    ruga_mesh_destroy(plain);
    return mesh;
}

typedef ruga_vec3 place_function(double u, double v);

static ruga_vec3 place_on_sheet(double u, double v) { return (ruga_vec3){u, 0, -v}; }

static ruga_vec3 place_on_cylinder(double u, double v) { return (ruga_vec3){sin(2 * PI * u), v, cos(2 * PI * u)}; }

static ruga_vec3 place_on_torus(double u, double v) {
    double r = 2 + cos(2 * PI * v);
    return (ruga_vec3){r * sin(2 * PI * u), sin(2 * PI * v), r * cos(2 * PI * u)};
}

static ruga_mesh *make_grid(ruga_context *context, size_t nx, size_t ny, int wrap_x, int wrap_y,
                            place_function *place) {
    size_t columns = wrap_x ? nx : nx + 1, rows = wrap_y ? ny : ny + 1;
    ruga_vec3 *positions = malloc(columns * rows * sizeof *positions);
    uint32_t *faces = malloc(6 * nx * ny * sizeof *faces), *face = faces;
    for (size_t j = 0; j < rows; j++)
        for (size_t i = 0; i < columns; i++)
            positions[j * columns + i] = place((double)i / (double)nx, (double)j / (double)ny);
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++) {
            size_t right = (i + 1) % columns, up = (j + 1) % rows;
            uint32_t a = (uint32_t)(j * columns + i), b = (uint32_t)(j * columns + right);
            uint32_t c = (uint32_t)(up * columns + right), d = (uint32_t)(up * columns + i);
            const uint32_t two[6] = {a, b, c, a, c, d};
            memcpy(face, two, sizeof two);
            face += 6;
        }
    ruga_mesh *mesh = shape_make(context, columns * rows, positions, 2 * nx * ny, NULL, faces);
    free(positions);
    free(faces);
    return mesh;
}

ruga_mesh *shape_sheet(ruga_context *context, size_t nx, size_t ny) {
    return make_grid(context, nx, ny, 0, 0, place_on_sheet);
}

ruga_mesh *shape_sheet_with_uvs(ruga_context *context, size_t nx, size_t ny) {
    ruga_mesh *plain = shape_sheet(context, nx, ny);
    double *uvs = malloc(2 * plain->vertex_count * sizeof *uvs);
    for (size_t v = 0; v < plain->vertex_count; v++) {
        uvs[2 * v] = plain->positions[v].x;
        uvs[2 * v + 1] = -plain->positions[v].z;
    }
    ruga_mesh *sheet = shape_with_uvs(plain, RUGA_DOMAIN_VERTEX, uvs);
    free(uvs);
    return sheet;
}
ruga_mesh *shape_cylinder(ruga_context *context, size_t nx, size_t ny) {
    return make_grid(context, nx, ny, 1, 0, place_on_cylinder);
}
ruga_mesh *shape_torus(ruga_context *context, size_t nx, size_t ny) {
    return make_grid(context, nx, ny, 1, 1, place_on_torus);
}

ruga_mesh *shape_disc(ruga_context *context, size_t n) {
    ruga_vec3 *positions = malloc((n + 1) * sizeof *positions);
    uint32_t *faces = malloc(3 * n * sizeof *faces);
    positions[0] = (ruga_vec3){0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        double angle = 2 * PI * (double)i / (double)n;
        positions[i + 1] = (ruga_vec3){sin(angle), 0, cos(angle)};
        faces[3 * i] = 0;
        faces[3 * i + 1] = (uint32_t)(i + 1);
        faces[3 * i + 2] = (uint32_t)((i + 1) % n + 1);
    }
    ruga_mesh *mesh = shape_make(context, n + 1, positions, n, NULL, faces);
    free(positions);
    free(faces);
    return mesh;
}

ruga_mesh *shape_icosahedron(ruga_context *context) {
    static const int8_t corners[12][3] = {{-1, 2, 0},  {1, 2, 0},  {-1, -2, 0}, {1, -2, 0}, {0, -1, 2},  {0, 1, 2},
                                          {0, -1, -2}, {0, 1, -2}, {2, 0, -1},  {2, 0, 1},  {-2, 0, -1}, {-2, 0, 1}};
    static const uint32_t faces[60] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                       4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                       6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
    double golden = (1 + sqrt(5)) / 2, radius = sqrt(1 + golden * golden);
    ruga_vec3 positions[12];
    for (size_t i = 0; i < 12; i++) {
        double p[3];
        for (size_t k = 0; k < 3; k++) {
            double x = corners[i][k];
            p[k] = (fabs(x) > 1.5 ? (x > 0 ? golden : -golden) : x) / radius;
        }
        positions[i] = (ruga_vec3){p[0], p[1], p[2]};
    }
    return shape_make(context, 12, positions, 20, NULL, faces);
}

ruga_mesh *shape_tet(ruga_context *context) {
    static const ruga_vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t tet[4] = {0, 1, 2, 3};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)positions, 4, 0, RUGA_F64};
    def.tet_count = 1;
    def.tets = tet;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

/*  3---4---5   two squares of 1 m; the UVs have a seam along 1-4 */
/*  | 0 | 1 |                                                     */
/*  0---1---2                                                     */
static const ruga_vec3 loaded_positions[6] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, -1}, {1, 0, -1}, {2, 0, -1}};
static const uint32_t loaded_sizes[2] = {4, 4}, loaded_faces[8] = {0, 1, 4, 3, 1, 2, 5, 4};
static const uint32_t loaded_edges[4] = {1, 4, 0, 5}, loaded_line_sizes[2] = {3, 2}, loaded_lines[5] = {0, 1, 2, 4, 3};
static const float loaded_uv[16] = {0, 0, 1, 0, 1, 1, 0, 1, 5, 0, 6, 0, 6, 1, 5, 1},
                   loaded_weight[6] = {0, 1, 2, 3, 4, 5};
static const uint32_t loaded_uv_indices[8] = {0, 1, 2, 3, 4, 5, 6, 7},
                      loaded_tag_indices[8] = {0, 1, 1, 0, 1, 1, UINT32_MAX, 1};
static const int32_t loaded_part[6] = {7, 8, 9, 10, 11, 12}, loaded_group[2] = {1, 0};
static const double loaded_tags[2] = {10, 20}, loaded_plain[8] = {0, 1, 2, 3, 4, 5, 6, 7},
                    loaded_crease[2] = {0.5, 0.25};
static const uint32_t loaded_sparse_indices[6] = {0, 1, UINT32_MAX, 0, 1, 1}, loaded_material_indices[2] = {0, 0};
static const uint8_t loaded_colour[18] = {0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255};
static const float loaded_normals[6] = {0, 1, 0, 1, 0, 0};
static const uint32_t loaded_normal_indices[8] = {0, 0, 0, 0, 0, 1, 1, 0};
static const char *const loaded_labels[2] = {"left", "right"};
static const ruga_attribute loaded_attributes[] = {
    {.name = "uv",
     .domain = RUGA_DOMAIN_CORNER,
     .type = RUGA_F32,
     .components = 2,
     .count = 8,
     .values = loaded_uv,
     .indices = loaded_uv_indices},
    {.name = "weight",
     .domain = RUGA_DOMAIN_VERTEX,
     .type = RUGA_F32,
     .components = 1,
     .count = 6,
     .values = loaded_weight},
    {.name = "part",
     .domain = RUGA_DOMAIN_VERTEX,
     .type = RUGA_I32,
     .components = 1,
     .count = 6,
     .values = loaded_part},
    {.name = "group",
     .domain = RUGA_DOMAIN_FACE,
     .type = RUGA_I32,
     .components = 1,
     .count = 2,
     .values = loaded_group,
     .label_count = 2,
     .labels = loaded_labels},
    {.name = "tag",
     .domain = RUGA_DOMAIN_CORNER,
     .type = RUGA_F64,
     .components = 1,
     .count = 2,
     .values = loaded_tags,
     .indices = loaded_tag_indices},
    {.name = "plain",
     .domain = RUGA_DOMAIN_CORNER,
     .type = RUGA_F64,
     .components = 1,
     .count = 8,
     .values = loaded_plain},
    {.name = "crease",
     .domain = RUGA_DOMAIN_EDGE,
     .type = RUGA_F64,
     .components = 1,
     .count = 2,
     .values = loaded_crease},
    {.name = "sparse",
     .domain = RUGA_DOMAIN_VERTEX,
     .type = RUGA_F64,
     .components = 1,
     .count = 2,
     .values = loaded_tags,
     .indices = loaded_sparse_indices},
    {.name = "colour",
     .domain = RUGA_DOMAIN_VERTEX,
     .type = RUGA_U8,
     .components = 3,
     .normalised = 1,
     .count = 6,
     .values = loaded_colour},
    {.name = "normal",
     .domain = RUGA_DOMAIN_CORNER,
     .type = RUGA_F32,
     .components = 3,
     .count = 2,
     .values = loaded_normals,
     .indices = loaded_normal_indices},
    {.name = "shade",
     .domain = RUGA_DOMAIN_FACE,
     .type = RUGA_F64,
     .components = 1,
     .count = 2,
     .values = loaded_tags,
     .indices = loaded_material_indices},
};

ruga_mesh *shape_loaded_sheet(ruga_context *context) {
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)loaded_positions, 6, 0, RUGA_F64};
    def.face_count = 2;
    def.face_sizes = loaded_sizes;
    def.face_vertices = loaded_faces;
    def.edge_count = 2;
    def.edges = loaded_edges;
    def.line_count = 2;
    def.line_sizes = loaded_line_sizes;
    def.line_vertices = loaded_lines;
    def.attribute_count = sizeof loaded_attributes / sizeof loaded_attributes[0];
    def.attributes = loaded_attributes;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}
