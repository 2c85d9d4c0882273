// A stranger's program in C++: subdivides a sheet and sees that the map gives the positions.
#include <ruga/ruga.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    ruga_context *context = nullptr;
    ruga_mesh *coarse = nullptr;
    ruga_mesh *fine = nullptr;
    ruga_map *map = nullptr;
    ruga_subdivide_def def = ruga_subdivide_def_default();
    if (RUGA_FAILED(ruga_context_create(nullptr, &context))) return 1;
    if (RUGA_FAILED(ruga_model_make(context, "sheet", nullptr, &coarse)) ||
        RUGA_FAILED(ruga_mesh_subdivide(coarse, &def, &fine, &map))) {
        std::fprintf(stderr, "%s\n", ruga_context_message(context));
        return 1;
    }

    std::vector<ruga_vec3> mapped(fine->vertex_count);
    ruga_map_apply(map, coarse->positions, mapped.data());
    double worst = 0;
    for (std::size_t i = 0; i < mapped.size(); i++) {
        worst = std::fmax(worst, std::fabs(mapped[i].x - fine->positions[i].x));
        worst = std::fmax(worst, std::fabs(mapped[i].y - fine->positions[i].y));
        worst = std::fmax(worst, std::fabs(mapped[i].z - fine->positions[i].z));
    }
    std::printf("ruga %s: %zu vertices, %g m apart\n", ruga_version(), fine->vertex_count, worst);
    bool right = fine->triangle_count == 4 * coarse->triangle_count && worst < 1e-12;
    ruga_map_destroy(map);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(coarse);
    ruga_context_destroy(context);
    return right ? 0 : 1;
}
