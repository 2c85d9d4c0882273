/* Normals and masses. */
#include "base/threads.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#define NORMAL_CHUNK 65536 /* triangles at a time, so that scratch memory is bounded */
#define NORMAL_BLOCK 1024
#define PI 3.14159265358979323846

/* ---- Vertex normals: the normal of each triangle counts with its angle at the vertex (Thürmer and Wüthrich 1998).
 * Angles are found in parallel; the sums run in the order of the triangles, whatever the number of threads. */

typedef struct corner_weights {
    vec3 normal;     /* of unit length, or zero */
    double angle[3]; /* rad */
} corner_weights;

typedef struct normal_task {
    const vec3 *positions;
    const uint32_t *triangles; /* of the chunk */
    corner_weights *weights;
} normal_task;

/* The angle between two sides. */
static double angle_between(vec3 a, vec3 b) { return atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b)); }

static corner_weights triangle_weights(vec3 p, vec3 q, vec3 r) {
    corner_weights w = {{0, 0, 0}, {0, 0, 0}};
    vec3 a = vec3_sub(q, p), b = vec3_sub(r, q), c = vec3_sub(p, r);

    /* Sides of about unit length keep products of very small and very large triangles within range. */
    double size = fmax(fmax(fabs(a.x) + fabs(a.y) + fabs(a.z), fabs(b.x) + fabs(b.y) + fabs(b.z)), 1e-300);
    a = vec3_scale(a, 1 / size);
    b = vec3_scale(b, 1 / size);
    c = vec3_scale(c, 1 / size);
    vec3 normal = vec3_cross(a, b);
    double length = vec3_length(normal);
    if (!(length > 0) || !isfinite(length)) return w;
    w.normal = vec3_scale(normal, 1 / length);
    w.angle[0] = angle_between(a, vec3_scale(c, -1));
    w.angle[1] = angle_between(b, vec3_scale(a, -1));
    w.angle[2] = fmax(0, PI - w.angle[0] - w.angle[1]);
    return w;
}

static void weigh_triangles(void *argument, size_t begin, size_t end) {
    const normal_task *task = argument;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *v = task->triangles + 3 * t;
        task->weights[t] = triangle_weights(task->positions[v[0]], task->positions[v[1]], task->positions[v[2]]);
    }
}

static size_t normals_chunk(const ruga_mesh *mesh) {
    return mesh->triangle_count < NORMAL_CHUNK ? mesh->triangle_count : NORMAL_CHUNK;
}

size_t mesh_normals_scratch(const ruga_mesh *mesh) { return normals_chunk(mesh) * sizeof(corner_weights); }

void mesh_normals(const ruga_mesh *mesh, const ruga_vec3 *positions, void *scratch, ruga_vec3 *normals) {
    size_t chunk = normals_chunk(mesh);
    normal_task task = {.positions = positions ? positions : mesh->positions, .weights = scratch};
    for (size_t v = 0; v < mesh->vertex_count; v++) normals[v] = (vec3){0, 0, 0};
    for (size_t begin = 0; begin < mesh->triangle_count; begin += chunk) {
        size_t count = mesh->triangle_count - begin < chunk ? mesh->triangle_count - begin : chunk;
        task.triangles = mesh->triangles + 3 * begin;
        parallel_for(mesh->context, count, NORMAL_BLOCK, weigh_triangles, &task);
        for (size_t t = 0; t < count; t++)
            for (size_t k = 0; k < 3; k++) {
                vec3 *normal = &normals[task.triangles[3 * t + k]];
                *normal = vec3_add_scaled(*normal, task.weights[t].normal, task.weights[t].angle[k]);
            }
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) normals[v] = vec3_normalise(normals[v]);
}

ruga_status ruga_mesh_normals(const ruga_mesh *mesh, const ruga_vec3 *positions, ruga_vec3 *normals) {
    ruga_context *context = mesh->context;
    unsigned char *scratch;
    TRY(NEW(context, &scratch, mesh_normals_scratch(mesh)));
    mesh_normals(mesh, positions, scratch, normals);
    memory_release(context, scratch);
    return RUGA_OK;
}

/* ---- Areas, volumes, masses. */

double mesh_triangle_area(const ruga_mesh *mesh, size_t triangle) {
    const vec3 *p = mesh->positions;
    const uint32_t *v = mesh->triangles + 3 * triangle;
    return 0.5 * vec3_length(vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]])));
}

const uint8_t tet_sides[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

double tet_volume(const ruga_vec3 *p, const uint32_t *v) {
    vec3 a = vec3_sub(p[v[1]], p[v[0]]), b = vec3_sub(p[v[2]], p[v[0]]), c = vec3_sub(p[v[3]], p[v[0]]);
    return vec3_dot(vec3_cross(a, b), c) / 6;
}

double mesh_tet_volume(const ruga_mesh *mesh, size_t tet) { return tet_volume(mesh->positions, mesh->tets + 4 * tet); }

ruga_status ruga_mesh_masses(const ruga_mesh *mesh, double density, double *masses) {
    if (!(density >= 0) || !isfinite(density))
        return fail_argument(mesh->context, "the density is %g, it must be finite and not negative", density);
    for (size_t v = 0; v < mesh->vertex_count; v++) masses[v] = 0;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        double share = density * fabs(mesh_tet_volume(mesh, t)) / 4;
        for (size_t k = 0; k < 4; k++) masses[mesh->tets[4 * t + k]] += share;
    }
    if (mesh->tet_count > 0) return RUGA_OK;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double share = density * mesh_triangle_area(mesh, t) / 3;
        for (size_t k = 0; k < 3; k++) masses[mesh->triangles[3 * t + k]] += share;
    }
    return RUGA_OK;
}
