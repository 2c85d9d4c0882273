/* Boxes: bar and slab, as a surface or filled with tetrahedra. Kuhn's six per cell all share the diagonal from the
 * lowest to the highest corner, so that neighbouring cells fit. Body-centred cells have a vertex in their middle and
 * four tets across each face between two cells, two at a face of the surface: twelve per cell inside, and no direction
 * that is preferred. */
#include <string.h>

#include "math/vec3.h"
#include "model/model.h"

enum { SURFACE_ONLY, SIX_TETS, BODY_CENTRED }; /* the value "solid" */

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
                int is_vertex = b->solid != SURFACE_ONLY;
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

static size_t cell_count(const box *b) { return b->cells[0] * b->cells[1] * b->cells[2]; }

/* The middle of a cell; these vertices follow those of the lattice. */
static uint32_t centre_of(const box *b, const size_t at[3]) {
    return (uint32_t)(lattice_count(b) + (at[2] * b->cells[1] + at[1]) * b->cells[0] + at[0]);
}

static void place_centres(const box *b, ruga_vec3 *positions) {
    size_t at[3];
    for (at[2] = 0; at[2] < b->cells[2]; at[2]++)
        for (at[1] = 0; at[1] < b->cells[1]; at[1]++)
            for (at[0] = 0; at[0] < b->cells[0]; at[0]++) {
                double p[3];
                for (int k = 0; k < 3; k++) p[k] = (((double)at[k] + 0.5) / (double)b->cells[k] - 0.5) * b->size[k];
                positions[centre_of(b, at)] = vec3_make(p[0], p[1], p[2]);
            }
}

/* The tets at the face of a cell at the low end of an axis; `at` is the cell behind it, past the end for the last. */
static uint32_t *fill_face(const box *b, int axis, const size_t at[3], uint32_t *tets) {
    int p = (axis + 1) % 3, q = (axis + 2) % 3, is_low = at[axis] == 0, is_high = at[axis] == b->cells[axis];
    static const unsigned char ring[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    size_t walk[3] = {at[0], at[1], at[2]}, below[3] = {at[0], at[1], at[2]};
    uint32_t corners[4];
    for (int k = 0; k < 4; k++) {
        walk[p] = at[p] + ring[k][0];
        walk[q] = at[q] + ring[k][1];
        corners[k] = b->number[lattice_index(b, walk)];
    }
    if (!is_low) below[axis]--;
    if (is_low || is_high) {
        /* Two tets on the triangles of the surface. */
        uint32_t top = centre_of(b, is_low ? at : below);
        for (int k = 1; k < 3; k++, tets += 4)
            memcpy(tets, (uint32_t[]){corners[0], corners[is_low ? k : k + 1], corners[is_low ? k + 1 : k], top}, 16);
        return tets;
    }
    uint32_t low = centre_of(b, below), high = centre_of(b, at);
    for (int k = 0; k < 4; k++, tets += 4) memcpy(tets, (uint32_t[]){low, high, corners[k], corners[(k + 1) % 4]}, 16);
    return tets;
}

static void fill_centred(const box *b, uint32_t *tets) {
    size_t at[3];
    for (at[2] = 0; at[2] <= b->cells[2]; at[2]++)
        for (at[1] = 0; at[1] <= b->cells[1]; at[1]++)
            for (at[0] = 0; at[0] <= b->cells[0]; at[0]++)
                for (int axis = 0; axis < 3; axis++) {
                    int p = (axis + 1) % 3, q = (axis + 2) % 3;
                    if (at[p] < b->cells[p] && at[q] < b->cells[q]) tets = fill_face(b, axis, at, tets);
                }
}

static ruga_status fill_inside(ruga_context *context, const box *b, size_t sides, mesh_parts *parts) {
    size_t cells = cell_count(b);
    /* Each face inside, of which there are (6 cells - sides) / 2, has four tets. */
    parts->tet_count = b->solid == SIX_TETS ? 6 * cells : 2 * (6 * cells - sides) + 2 * sides;
    TRY(NEW(context, &parts->tets, 4 * parts->tet_count));
    if (b->solid == SIX_TETS) {
        fill_tets(b, parts->tets);
        return RUGA_OK;
    }
    place_centres(b, parts->positions);
    fill_centred(b, parts->tets);
    return RUGA_OK;
}

static ruga_status fill_box(ruga_context *context, box *b, mesh_parts *parts) {
    const size_t *n = b->cells;
    size_t sides = 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
    size_t vertices = number_points(b) + (b->solid == BODY_CENTRED ? cell_count(b) : 0);
    TRY(mesh_parts_allocate(context, parts, vertices, 2 * sides));
    place_points(b, parts->positions);
    if (b->solid) TRY(fill_inside(context, b, sides, parts));
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
    box b = {{along, across, across}, {values[0], values[1], values[2]}, (int)values[5], NULL};
    return make_box(context, b, parts);
}

/* values: width, length, thickness, cells, layers, solid. */
ruga_status model_slab(ruga_context *context, const double *values, mesh_parts *parts) {
    size_t along = (size_t)values[3], layers = (size_t)values[4];
    box b = {{along, layers, along}, {values[0], values[2], values[1]}, (int)values[5], NULL};
    return make_box(context, b, parts);
}
