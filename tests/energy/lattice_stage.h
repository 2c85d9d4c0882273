/* A lattice over a solid, with its energy. */
#ifndef TESTS_LATTICE_STAGE_H
#define TESTS_LATTICE_STAGE_H

#include "energy/lattice_energy.h"
#include "geom/lattice_cells.h"
#include "geom/lattice_shapes.h"

typedef struct lattice_stage {
    ruga_mesh *mesh;
    lattice_cells *cells;
    lattice_energy *energy;
    size_t count; /* of nodes */
    vec3 *x, *out, *other;
} lattice_stage;

static inline lattice_elements elements_of(const lattice_cells *l) {
    return (lattice_elements){.element_count = l->element_count,
                              .corner_count = l->corner_count,
                              .node_count = l->node_count,
                              .nodes = l->element_nodes,
                              .offsets = l->offsets,
                              .weights = l->weights,
                              .shapes = l->shapes,
                              .gradients = l->gradients};
}

/* Takes over the mesh. */
static inline lattice_stage lattice_stage_make(ruga_mesh *mesh, double spacing, int is_linear,
                                               lattice_material material) {
    lattice_stage s = {.mesh = mesh};
    assert_ok(mesh->context, lattice_cells_create(mesh, &(lattice_cells_def){spacing, is_linear}, &s.cells));
    lattice_elements elements = elements_of(s.cells);
    assert_ok(mesh->context, lattice_energy_create(mesh->context, &elements, &material, &s.energy));
    s.count = s.cells->node_count;
    s.x = calloc(s.count, sizeof *s.x);
    s.out = calloc(s.count, sizeof *s.out);
    s.other = calloc(s.count, sizeof *s.other);
    assert_true(s.x && s.out && s.other);
    memcpy(s.x, s.cells->nodes, s.count * sizeof *s.x);
    return s;
}

static inline void lattice_stage_release(lattice_stage *s) {
    lattice_energy_destroy(s->energy);
    lattice_cells_destroy(s->cells);
    ruga_mesh_destroy(s->mesh);
    free(s->x);
    free(s->out);
    free(s->other);
}

#endif
