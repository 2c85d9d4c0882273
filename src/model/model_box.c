/* Boxes: bar and slab, as a surface or filled with tetrahedra (Kuhn's six per cell: all share the diagonal from the
 * lowest to the highest corner, so that neighbouring cells fit). */
#include <string.h>

#include "math/vec3.h"
#include "model/model.h"

typedef struct box {
    size_t cells[3]; /* along x, y, z */
    double size[3];  /* m */
    int solid;
    uint32_t *number; /* of each lattice point, when only the surface has vertices */
} box;

static size_t lattice_count(const box *b) { return (b->cells[0] + 1) * (b->cells[1] + 1) * (b->cells[2] + 1); }

static size_t lattice_index(const box *b, const size_t at[3]) {
    return (at[2] * (b->cells[1] + 1) + at[1]) * (b->cells[0] + 1) + at[0];
}

/* Numbers the lattice points that get a vertex, in lattice order, and returns their count. */
static size_t number_points(box *b) {
    const size_t *n = b->cells;
    uint32_t next = 0;
    size_t at[3];
    for (at[2] = 0; at[2] <= n[2]; at[2]++)
        for (at[1] = 0; at[1] <= n[1]; at[1]++)
            for (at[0] = 0; at[0] <= n[0]; at[0]++) {
                int is_vertex = b->solid;
                for (int k = 0; k < 3; k++) is_vertex |= at[k] == 0 || at[k] == n[k];
                b->number[lattice_index(b, at)] = is_vertex ? next++ : UINT32_MAX;
            }
    return next;
}

static void place_points(const box *b, ruga_vec3 *positions) {
    size_t at[3];
    for (at[2] = 0; at[2] <= b->cells[2]; at[2]++)
        for (at[1] = 0; at[1] <= b->cells[1]; at[1]++)
            for (at[0] = 0; at[0] <= b->cells[0]; at[0]++) {
                uint32_t n = b->number[lattice_index(b, at)];
                double p[3];
                for (int k = 0; k < 3; k++) p[k] = ((double)at[k] / (double)b->cells[k] - 0.5) * b->size[k];
                if (n != UINT32_MAX) positions[n] = vec3_make(p[0], p[1], p[2]);
            }
}

/* One side of the box: the plane where `axis` is at its low or high end. p and q are the two other axes, ordered so
 * that p x q points outwards. Diagonals run from the lowest to the highest corner of a cell, as Kuhn's tetrahedra do.
 * Each side has its own cell in a 3 x 2 atlas. */
static size_t fill_side(const box *b, int axis, int high, size_t corner, uint32_t *vertices, float *uv) {
    int p = high ? (axis + 1) % 3 : (axis + 2) % 3, q = high ? (axis + 2) % 3 : (axis + 1) % 3;
    static const unsigned char offsets[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    size_t at[3];
    for (size_t j = 0; j < b->cells[q]; j++)
        for (size_t i = 0; i < b->cells[p]; i++)
            for (int k = 0; k < 6; k++, corner++) {
                at[axis] = high ? b->cells[axis] : 0;
                at[p] = i + offsets[k][0];
                at[q] = j + offsets[k][1];
                vertices[corner] = b->number[lattice_index(b, at)];
                uv[2 * corner] = (float)((axis + (double)at[p] / (double)b->cells[p]) / 3);
                uv[2 * corner + 1] = (float)((high + (double)at[q] / (double)b->cells[q]) / 2);
            }
    return corner;
}

/* The six tetrahedra of a cell: paths along the three axes in every order; odd orders are reversed. */
static void fill_tets(const box *b, uint32_t *tets) {
    static const unsigned char orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    size_t at[3];
    for (at[2] = 0; at[2] < b->cells[2]; at[2]++)
        for (at[1] = 0; at[1] < b->cells[1]; at[1]++)
            for (at[0] = 0; at[0] < b->cells[0]; at[0]++)
                for (int t = 0; t < 6; t++, tets += 4) {
                    size_t walk[3] = {at[0], at[1], at[2]};
                    tets[0] = b->number[lattice_index(b, walk)];
                    for (int k = 0; k < 3; k++) {
                        walk[orders[t][k]]++;
                        tets[1 + k] = b->number[lattice_index(b, walk)];
                    }
                    if (t < 3) continue;
                    uint32_t second = tets[1];
                    tets[1] = tets[2];
                    tets[2] = second;
                }
}

static ruga_status fill_box(ruga_context *context, box *b, mesh_parts *parts) {
    const size_t *n = b->cells;
    size_t cells = n[0] * n[1] * n[2], sides = 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
    TRY(mesh_parts_allocate(context, parts, number_points(b), 2 * sides));
    place_points(b, parts->positions);
    if (b->solid) {
        TRY(NEW(context, &parts->tets, 24 * cells));
        parts->tet_count = 6 * cells;
        fill_tets(b, parts->tets);
    }
    float *uv;
    TRY(NEW(context, &uv, 2 * parts->corner_count));
    size_t corner = 0;
    for (int side = 0; side < 6; side++) corner = fill_side(b, side / 2, side % 2, corner, parts->face_vertices, uv);
    return mesh_parts_add(context, parts, "uv", RUGA_DOMAIN_CORNER, RUGA_F32, 2, parts->corner_count, uv, NULL);
}

static ruga_status make_box(ruga_context *context, box b, mesh_parts *parts) {
    if (lattice_count(&b) > (size_t)1 << 28)
        return fail_argument(context, "%zu lattice points are too many; use fewer cells", lattice_count(&b));
    TRY(NEW(context, &b.number, lattice_count(&b)));
    ruga_status status = fill_box(context, &b, parts);
    memory_release(context, b.number);
    return status;
}

/* values: length, height, depth, cells, cells_across, solid. */
ruga_status model_bar(ruga_context *context, const double *values, mesh_parts *parts) {
    size_t along = (size_t)values[3], across = (size_t)values[4];
    box b = {{along, across, across}, {values[0], values[1], values[2]}, values[5] != 0, NULL};
    return make_box(context, b, parts);
}

/* values: width, length, thickness, cells, layers, solid. */
ruga_status model_slab(ruga_context *context, const double *values, mesh_parts *parts) {
    size_t along = (size_t)values[3], layers = (size_t)values[4];
    box b = {{along, layers, along}, {values[0], values[2], values[1]}, values[5] != 0, NULL};
    return make_box(context, b, parts);
}
