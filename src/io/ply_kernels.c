#include "io/ply_kernels.h"

#include <string.h>

#define ROW 13   /* bytes */
#define BLOCK 64 /* rows at a time: they stay in the first-level cache between the two passes */

void ISA_NAME(ply_floats_to_doubles)(const unsigned char *from, size_t count, double *to) {
    for (size_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, from + 4 * i, 4);
        to[i] = (double)value;
    }
}

/* Sixteen bytes are copied a row; the next row overwrites the four too many. The last row of all does without. */
static int copy_block(const unsigned char *from, size_t rows, uint32_t *to) {
    unsigned differs = 0;
    for (size_t i = 0; i + 1 < rows; i++) {
        differs |= from[ROW * i] ^ 3u;
        memcpy(to + 3 * i, from + ROW * i + 1, 16);
    }
    differs |= from[ROW * (rows - 1)] ^ 3u;
    memcpy(to + 3 * (rows - 1), from + ROW * (rows - 1) + 1, 12);
    return !differs;
}

static uint32_t greatest(const uint32_t *values, size_t count) {
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) most = values[i] > most ? values[i] : most;
    return most;
}

size_t ISA_NAME(ply_copy_triangles)(const unsigned char *from, size_t rows, uint32_t *to, uint32_t *highest) {
    uint32_t most = *highest;
    size_t done = 0;
    while (done < rows) {
        size_t now = rows - done < BLOCK ? rows - done : BLOCK;
        if (!copy_block(from + ROW * done, now, to + 3 * done)) break;
        uint32_t here = greatest(to + 3 * done, 3 * now);
        most = here > most ? here : most;
        done += now;
    }
    /* Within the block that holds another polygon, row by row. */
    while (done < rows && from[ROW * done] == 3) {
        uint32_t here = greatest(to + 3 * done, 3);
        most = here > most ? here : most;
        done++;
    }
    *highest = most;
    return done;
}
