/* The heat method of Crane, Weischedel and Wardetzky 2013 as CGAL has it, in its default mode: over an intrinsic
 * Delaunay triangulation, which is the more accurate one, with Eigen's sparse Cholesky factors. */
#include "cgal_heat.h"

#include <exception>
#include <memory>
#include <vector>

#include <CGAL/Heat_method_3/Surface_mesh_geodesic_distances_3.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>

typedef CGAL::Simple_cartesian<double> kernel;
typedef CGAL::Surface_mesh<kernel::Point_3> surface;
typedef surface::Vertex_index vertex_index;
typedef CGAL::Heat_method_3::Surface_mesh_geodesic_distances_3<surface> heat_method;

struct cgal_heat {
    surface mesh;
    std::vector<vertex_index> vertices;
    surface::Property_map<vertex_index, double> distances;
    std::unique_ptr<heat_method> method;
};

static bool fill_mesh(cgal_heat &heat, size_t vertex_count, const double *p, size_t triangle_count, const uint32_t *t) {
    for (size_t i = 0; i < vertex_count; i++)
        heat.vertices.push_back(heat.mesh.add_vertex(kernel::Point_3(p[3 * i], p[3 * i + 1], p[3 * i + 2])));
    for (size_t i = 0; i < triangle_count; i++) {
        const std::vector<vertex_index> &v = heat.vertices;
        if (heat.mesh.add_face(v[t[3 * i]], v[t[3 * i + 1]], v[t[3 * i + 2]]) == surface::null_face()) return false;
    }
    return true;
}

cgal_heat *cgal_heat_create(size_t vertex_count, const double *positions, size_t triangle_count,
                            const uint32_t *triangles) {
    try {
        auto heat = std::make_unique<cgal_heat>();
        if (!fill_mesh(*heat, vertex_count, positions, triangle_count, triangles)) return nullptr;
        heat->distances = heat->mesh.add_property_map<vertex_index, double>("v:distance", 0).first;
        heat->method = std::make_unique<heat_method>(heat->mesh);
        return heat.release();
    } catch (const std::exception &) {
        return nullptr;
    }
}

void cgal_heat_destroy(cgal_heat *heat) { delete heat; }

void cgal_heat_solve(cgal_heat *heat, const uint32_t *sources, size_t source_count, double *distances) {
    heat->method->clear_sources();
    for (size_t i = 0; i < source_count; i++) heat->method->add_source(heat->vertices[sources[i]]);
    heat->method->estimate_geodesic_distances(heat->distances);
    for (size_t i = 0; i < heat->vertices.size(); i++) distances[i] = heat->distances[heat->vertices[i]];
}
