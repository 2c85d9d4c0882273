/* Shared by the files of cut_lines: curves as they are measured. */
#ifndef GEOM_CUT_LINES_PARTS_H
#define GEOM_CUT_LINES_PARTS_H

#include "geom/cut_lines.h"
#include "geom/surface_path.h"

#define NONE UINT32_MAX

/* A vertex near a strand. */
typedef struct strand_place {
    uint32_t vertex;
    uint32_t segment; /* with the nearest point, at `part` of it, not limited to [0, 1] */
    double part;
    double reach;    /* m, distance from the segment */
    double distance; /* m, s */
    double along;    /* m, σ */
    vec3 side;       /* unit, ds/dx */
} strand_place;

/* A curve, or several whose ends meet. */
typedef struct strand {
    size_t curve;
    int closed;
    surface_point_array points;
    ARRAY(vec3) at;        /* (points) m, moved off the vertices */
    ARRAY(vec3) normals;   /* (points) unit, of their triangles */
    ARRAY(cut_mark) marks; /* (points) without `along` */
    ARRAY(double) along;   /* (points) m */
    vec3 low, high;        /* m, of `at` while ends are looked for */
    double length;
    cut_end ends[2];
    uint32_t stars[2]; /* of STAR */
    uint32_t bars[2];  /* of STEM: the strand that it ends on */
    ARRAY(strand_place) near;
    surface_point_array trace;
    ARRAY(uint32_t) triangles; /* that the trace passes */
    int is_traced;
} strand;

/* A piece of a trace in a triangle, for stems to end on. */
typedef struct trace_piece {
    uint32_t strand;
    ruga_surface_point from, to; /* both in the triangle */
    uint32_t next;               /* of the same triangle */
} trace_piece;

typedef ARRAY(strand) strand_array;
typedef ARRAY(cut_star) star_array;

typedef struct liner {
    ruga_context *context;
    const ruga_mesh *mesh;
    const ruga_curve *const *curves;
    tracer t;
    const topology *topo; /* the tracer's */
    double edge;          /* m, mean */
    strand_array strands;
    star_array stars;
    uint32_t *slots;  /* (vertices) place of the strand in hand, or NONE */
    uint32_t *stamps; /* (vertices) segment that was measured last */
    uint32_t stamp;
    ARRAY(trace_piece) pieces;
    uint32_t *first_pieces; /* (triangles) */
    unsigned char *divided; /* (curves) strands that begin with it are divided where they come near to themselves */
    size_t near_itself;     /* the curve of a strand that came too near to itself; SIZE_MAX: none did */
} liner;

static inline const char *strand_name(const liner *l, const strand *s) { return l->curves[s->curve]->name; }
static inline size_t strand_segments(const strand *s) { return s->points.count - (s->closed ? 0 : 1); }
static inline size_t strand_next(const strand *s, size_t i) { return i + 1 < s->points.count ? i + 1 : 0; }

/* ---- cut_lines_ends.c: what the ends of curves meet. */
ruga_status strands_find_ends(liner *l);

/* ---- cut_lines_divide.c: strands that come near to themselves, in parts that do not. */
ruga_status strands_divide(liner *l);
ruga_status strand_add_point(const liner *l, strand *s, ruga_surface_point point, vec3 at, vec3 normal, cut_mark mark);

/* ---- cut_lines_measure.c: distances of vertices. */
/* Lengths along the strand. */
ruga_status strand_measure_lengths(const liner *l, strand *s);
/* Its places, with l->slots set for them. */
ruga_status strand_measure(liner *l, strand *s);
void strand_forget(liner *l, const strand *s); /* the slots */
/* Moves all strands off the vertices. */
ruga_status strands_shift(liner *l);

/* ---- cut_lines_trace.c: from triangle to triangle along the zeros. l->slots are those of the strand. */
/* RUGA_ERROR_INPUT with the curve, the triangle and the problem. */
ruga_status strand_fail(const liner *l, const strand *s, uint32_t triangle, const char *problem);
/* The same for an edge of more than two triangles. */
ruga_status strand_check_edge(const liner *l, const strand *s, uint32_t edge);
ruga_status strand_trace(liner *l, uint32_t index);

#endif
