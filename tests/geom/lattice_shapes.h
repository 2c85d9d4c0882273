/* Solids for lattices: unions of boxes on a grid, welded. */
#ifndef TESTS_LATTICE_SHAPES_H
#define TESTS_LATTICE_SHAPES_H

#include "math/vec3.h"
#include "support/shapes.h"

enum { BLOCK_MOST = 12 };

/* The surface of blocks nx x ny x nz of the given size, m, of which those with a '#' are filled: one character each, x
 * fastest, then y, then z. Blocks that touch along an edge or a corner alone share vertices. */
static ruga_mesh *shape_blocks(ruga_context *context, const int n[3], vec3 size, const char *filled) {
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    static const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const int steps[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    static uint32_t number[(BLOCK_MOST + 1) * (BLOCK_MOST + 1) * (BLOCK_MOST + 1)];
    static ruga_vec3 positions[sizeof number / sizeof number[0]];
    static uint32_t faces[6 * BLOCK_MOST * BLOCK_MOST * BLOCK_MOST * 6];
    size_t vertices = 0, count = 0;
    memset(number, 0xff, sizeof number);
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        int at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        for (int s = 0; s < 6 && filled[i] == '#'; s++) {
            int other[3], inside = 1;
            for (int a = 0; a < 3; a++) inside &= (other[a] = at[a] + steps[s][a]) >= 0 && other[a] < n[a];
            if (inside && filled[(other[2] * n[1] + other[1]) * n[0] + other[0]] == '#') continue;
            uint32_t quad[4];
            for (int k = 0; k < 4; k++) {
                int p[3];
                for (int a = 0; a < 3; a++) p[a] = at[a] + corner[sides[s][k]][a];
                uint32_t *v = &number[(p[2] * (BLOCK_MOST + 1) + p[1]) * (BLOCK_MOST + 1) + p[0]];
                if (*v == UINT32_MAX) {
                    *v = (uint32_t)vertices;
                    positions[vertices++] = (ruga_vec3){size.x * p[0], size.y * p[1], size.z * p[2]};
                }
                quad[k] = *v;
            }
            const uint32_t triangles[6] = {quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]};
            memcpy(faces + 3 * count, triangles, sizeof triangles);
            count += 2;
        }
    }
    return shape_make(context, vertices, positions, count, NULL, faces);
}

/* A box of nx x ny x nz blocks, (0, 0, 0) to `size`. */
static inline ruga_mesh *shape_box(ruga_context *context, int nx, int ny, int nz, vec3 size) {
    static char filled[BLOCK_MOST * BLOCK_MOST * BLOCK_MOST];
    const int n[3] = {nx, ny, nz};
    memset(filled, '#', sizeof filled);
    return shape_blocks(context, n, (vec3){size.x / nx, size.y / ny, size.z / nz}, filled);
}

#endif
