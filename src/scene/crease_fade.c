/* Distances from creases as an attribute: see crease_fade.h. */
#include "scene/crease_fade.h"

#include <math.h>

#include "geom/geodesic.h"
#include "math/vec3.h"
#include "mesh/carry.h"
#include "mesh/topology.h"

/* Vertices of all creases and borders, in pieces. */
typedef struct source_list {
    ARRAY(uint32_t) vertices;
    ARRAY(uint8_t) breaks;
} source_list;

static ruga_status add_source(ruga_context *context, uint32_t vertex, int is_first, source_list *list) {
    TRY(ARRAY_ADD(context, &list->vertices, vertex));
    return ARRAY_ADD(context, &list->breaks, (uint8_t)is_first);
}

static ruga_status list_sources(const curve_cut *cut, const topology *topo, source_list *out) {
    ruga_context *context = cut->mesh->context;
    for (size_t i = 0; i < cut->path_count; i++)
        for (size_t k = 0; k < cut->paths[i].count; k++)
            TRY(add_source(context, cut->paths[i].vertices[k], k == 0, out));
    for (size_t i = 0; i < topo->loop_count; i++)
        for (uint32_t k = topo->loop_offsets[i]; k < topo->loop_offsets[i + 1]; k++)
            TRY(add_source(context, topo->loop_vertices[k], k == topo->loop_offsets[i], out));
    return RUGA_OK;
}

/* Lengths along the pieces, which are far apart from each other. */
#define APART 1000.0 /* of the distance */
static void measure_sources(const ruga_mesh *mesh, const source_list *list, double fade, double *parameters) {
    for (size_t i = 1; i < list->vertices.count; i++) {
        const uint32_t *v = list->vertices.items + i;
        double length = vec3_distance(mesh->positions[v[0]], mesh->positions[v[-1]]);
        parameters[i] = parameters[i - 1] + (list->breaks.items[i] ? APART * fade : length);
    }
}

static ruga_status find_distances(const ruga_mesh *mesh, const topology *topo, const source_list *list, double fade,
                                  double *distances) {
    geodesic *march = NULL;
    double *parameters = NULL;
    TRY(geodesic_create(mesh->context, topo, mesh->triangles, mesh->positions, &march));
    ruga_status status = NEW_ZEROED(mesh->context, &parameters, list->vertices.count);
    if (!RUGA_FAILED(status)) {
        measure_sources(mesh, list, fade, parameters);
        const geodesic_sources sources = {.count = list->vertices.count,
                                          .vertices = list->vertices.items,
                                          .parameters = parameters,
                                          .breaks = list->breaks.items};
        geodesic_distances(march, &sources, fade, distances, NULL, NULL, NULL);
    }
    memory_release(mesh->context, parameters);
    geodesic_destroy(march);
    return status;
}

static ruga_status add_values(ruga_mesh *mesh, const double *distances, double fade) {
    float *values;
    mesh_parts parts = {0};
    TRY(NEW(mesh->context, &values, mesh->vertex_count));
    for (size_t v = 0; v < mesh->vertex_count; v++) values[v] = (float)fmin(1, distances[v] / fade);
    ruga_status status = mesh_parts_add(mesh->context, &parts, "off_creases", RUGA_DOMAIN_VERTEX, RUGA_F32, 1,
                                        mesh->vertex_count, values, NULL);
    if (!RUGA_FAILED(status)) status = mesh_append_attributes(mesh, &parts);
    if (RUGA_FAILED(status)) mesh_parts_release(mesh->context, &parts);
    return status;
}

ruga_status crease_add_fade(curve_cut *cut, double fade) {
    ruga_context *context = cut->mesh->context;
    topology *topo = NULL;
    source_list list = {0};
    double *distances = NULL;
    TRY(topology_build_mesh(cut->mesh, &topo));
    ruga_status status = list_sources(cut, topo, &list);
    if (!RUGA_FAILED(status)) status = NEW(context, &distances, cut->mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = find_distances(cut->mesh, topo, &list, fade, distances);
    if (!RUGA_FAILED(status)) status = add_values(cut->mesh, distances, fade);
    RELEASE_ALL(context, distances, list.vertices.items, list.breaks.items);
    topology_destroy(topo);
    return status;
}
