/* Parts of geom/tet_cut.c. */
#ifndef GEOM_TET_CUT_PARTS_H
#define GEOM_TET_CUT_PARTS_H

#include "geom/tet_cut.h"
#include "math/vec3.h"

#define NONE UINT32_MAX

/* A node near a cutting surface. */
typedef struct tet_place {
    uint32_t line;
    uint32_t next;   /* of the same node */
    double distance; /* m, s: positive on the left */
    double along;    /* m, σ */
    double below;    /* m, along the inward normals */
    double reach;    /* m, from the nearest point of the line */
} tet_place;

/* The tets at each vertex. */
typedef struct tet_fans {
    uint32_t *offsets; /* (vertices + 1) */
    uint32_t *tets;    /* (4 tets) rising within a vertex */
} tet_fans;

ruga_status tet_fans_make(const ruga_mesh *mesh, tet_fans *out);
/* The tet with three vertices that is not `other`; NONE: there is none. */
uint32_t tet_fans_find(const ruga_mesh *mesh, const tet_fans *fans, const uint32_t *side, uint32_t other);

typedef ARRAY(tet_place) tet_places;

/* A line whose nodes are measured. */
typedef struct tet_line {
    uint32_t first;    /* place */
    double begin, end; /* m, σ of its trace */
    double depth;      /* m */
    size_t side_count;
    uint32_t (*sides)[3]; /* (side_count) triangles that it cuts, sorted vertices, in rising order */
} tet_line;

/* Places of nodes around one line. firsts: (vertices) the first place of each, NONE at the beginning. */
ruga_status tet_measure_line(const ruga_mesh *mesh, const tet_fans *fans, const vec3 *normals, const cut_lines *lines,
                             uint32_t line, double depth, uint32_t *firsts, tet_places *places, tet_line *out);

static inline const tet_place *tet_place_of(const tet_places *places, const uint32_t *firsts, uint32_t node,
                                            uint32_t line) {
    for (uint32_t i = firsts[node]; i != NONE; i = places->items[i].next)
        if (places->items[i].line == line) return &places->items[i];
    return NULL;
}

/* ---- Clipping: simplices of 3 or 4 corners, divided by linear functions. */
typedef struct tet_shard {
    double corners[4][4]; /* weights of the corners of the whole */
    uint32_t bits;        /* 1 << i: on the left of function i */
    double size;          /* 1, of the whole */
} tet_shard;
typedef ARRAY(tet_shard) tet_shards;

/* values: (count x corners) of the functions at the corners of the whole. Shards without size are left out. */
ruga_status tet_clip(ruga_context *context, int corners, size_t count, const double (*values)[4], tet_shards *out);

#endif
