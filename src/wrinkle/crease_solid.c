/* Creases of a solid: the cut of its surface continues into its tets. See crease.h and geom/tet_cut.h. */
#include "base/memory.h"
#include "linalg/map.h"
#include "wrinkle/crease.h"

/* Copies on the surface that are points here, then copies inside, which no crease binds. */
static ruga_status carry_crossings(size_t vertices, const tet_cut *solid, virtual_nodes *nodes) {
    uint32_t *offsets = NULL, kept = 0, count = 0;
    TRY(NEW(nodes->context, &offsets, solid->surface_count + solid->inner_count + 1));
    offsets[0] = 0;
    for (uint32_t i = 0; i < nodes->virtual_count; i++) {
        if (solid->point_of[vertices + i] != vertices + kept) continue; /* connected below */
        for (uint32_t k = nodes->crossing_offsets[i]; k < nodes->crossing_offsets[i + 1]; k++)
            nodes->crossings[count++] = nodes->crossings[k];
        offsets[++kept] = count;
    }
    for (size_t i = 0; i < solid->inner_count; i++) offsets[++kept] = count;
    memory_release(nodes->context, nodes->crossing_offsets);
    nodes->crossing_offsets = offsets;
    nodes->virtual_count = kept;
    return RUGA_OK;
}

/* The same rows over other points. */
static ruga_status carry_visible(const tet_cut *solid, virtual_nodes *nodes) {
    const ruga_map *old = nodes->visible;
    map_builder rows;
    ruga_map *visible;
    TRY(map_builder_make(nodes->context, old->rows, old->offsets[old->rows], &rows));
    for (size_t i = 0; i < old->rows; i++) {
        for (size_t e = old->offsets[i]; e < old->offsets[i + 1]; e++)
            map_builder_put(&rows, solid->point_of[old->indices[e]], old->weights[e]);
        map_builder_end_row(&rows);
    }
    TRY(map_builder_finish(&rows, solid->simulated->vertex_count, &visible));
    ruga_map_destroy(nodes->visible);
    nodes->visible = visible;
    return RUGA_OK;
}

ruga_status crease_cut_solid(const ruga_mesh *mesh, double depth, crease *c) {
    const tet_cut_def def = {.depth = depth};
    virtual_nodes *nodes = &c->nodes;
    tet_cut *solid = &c->solid;
    if (mesh->tet_count == 0) return fail_input(c->context, "the mesh has no tets to cut; a solid needs them");
    TRY(tet_cut_make(mesh, &c->lines, &c->cut, nodes, &def, solid));
    TRY(carry_crossings(mesh->vertex_count, solid, nodes));
    TRY(carry_visible(solid, nodes));
    for (size_t i = 0; i < nodes->embedded_count; i++)
        for (int k = 0; k < 3; k++) nodes->embedded[i].points[k] = solid->point_of[nodes->embedded[i].points[k]];
    ruga_mesh_destroy(nodes->simulated);
    nodes->simulated = solid->simulated;
    solid->simulated = NULL;
    memory_release(c->context, nodes->vertex_of);
    nodes->vertex_of = solid->vertex_of;
    solid->vertex_of = NULL;
    return RUGA_OK;
}
