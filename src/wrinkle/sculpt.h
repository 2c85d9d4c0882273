/* The private parts of a sculpt: its stages and their results.
 *
 *     curves ──▶ cut ──▶ lines ──▶ levels ──▶ fine piece ──▶ influences ──▶ positions
 *                         │  k_r, L̃                             │
 *                         └── governing curves ─────────────────┘
 *
 *   cut         a piece of the mesh around the base and region curves, with all of them as edges; depends on the curves
 *   lines       particles, their deflections, and a smooth curve through them for each stroke
 *   levels      how often triangles must be divided so that the base curve follows the governing one within ε
 *   fine piece  the piece of the mesh that strokes reach, cut and refined; then the whole mesh with the same cut;
 *               depends on the cut, the levels, radii and modes
 *   influences  for each vertex in a region: which strokes, how much, and from which place along the curve; depends on
 *               the fine piece, radii and modes
 *   positions   one sum over influences
 *
 * The cost of all stages but the one cut of the whole mesh depends on the reach of the strokes. Pieces keep the order
 * of the mesh (mesh/piece.h): their size changes no bit of the result.
 */
#ifndef WRINKLE_SCULPT_H
#define WRINKLE_SCULPT_H

#include "base/isa.h"
#include "geom/curve_cut.h"
#include "geom/geodesic.h"
#include "geom/hard_edges.h"
#include "math/vec3.h"
#include "mesh/cut_room.h"
#include "mesh/piece.h"
#include "ruga/sculpt.h"
#include "solve/governing_curve.h"

/* How often each stage ran since the sculpt was created. */
typedef struct sculpt_counts {
    size_t cuts, governed /* strokes */, surfaces;
} sculpt_counts;

sculpt_counts sculpt_get_counts(const ruga_sculpt *sculpt);

/* ---- Paths. */

/* A curve as it was drawn. */
typedef struct sculpt_drawn {
    ruga_context *context;
    size_t count;
    vec3 *points;  /* (count) */
    double *arcs;  /* (count + 1) m, along it; the last one is back at the first point */
    double length; /* m */
    int closed;
} sculpt_drawn;

ruga_status sculpt_drawn_make(const ruga_curve *curve, const ruga_mesh *mesh, sculpt_drawn *out);
void sculpt_drawn_release(sculpt_drawn *drawn);
/* The distance (m) to the nearest place between about two arcs, and the arc of that place. */
double sculpt_drawn_nearest(const sculpt_drawn *drawn, vec3 point, double from, double to, double *arc);

/* The vertices of a path, and their arcs along the drawn curve. */
typedef struct sculpt_path {
    size_t count;
    uint32_t *vertices;
    double *arcs;  /* (count) m, never falling */
    double length; /* m, also back to the first of a closed one */
    int closed;
} sculpt_path;

ruga_status sculpt_path_make(ruga_context *context, const uint32_t *vertices, size_t count, int closed,
                             sculpt_path *out);
ruga_status sculpt_path_copy(ruga_context *context, const sculpt_path *path, sculpt_path *out);
void sculpt_path_release(ruga_context *context, sculpt_path *path);
/* Fills arcs and length. */
void sculpt_path_measure(sculpt_path *path, const vec3 *positions, const sculpt_drawn *drawn);

/* ---- Lines. */

/* A stroke's base curve as particles: their places and deflections. */
typedef struct sculpt_line {
    size_t count;              /* particles */
    int closed;                /* the last particle is the first again */
    double length;             /* m, L: of the base path at rest */
    vec3 *points, *normals;    /* (count) on the undeformed surface */
    double *deflections;       /* (count) m */
    double *rest_deflections;  /* (count) m, of the last update */
    double *shape;             /* (count) m, deflections that are scaled in motion */
    double shape_length;       /* 1, L̃ / L of the shape: the target, */
    double shape_reached;      /* 1, and the value reached */
    double *slopes;            /* (count) m per particle, of the smooth curve through them */
    double *factors, *closing; /* (count) scratch memory for the slopes */
    double reached, energy;
    size_t wrinkles;
} sculpt_line;

ruga_status sculpt_line_make(ruga_context *context, size_t particles, sculpt_line *out);
void sculpt_line_release(ruga_context *context, sculpt_line *line);
/* Places the particles on a straight line as long as the line's length: across a furrow. */
void sculpt_line_place_across(sculpt_line *line);
/* Places the particles uniformly along a path, by its arcs at rest; the line's length must be set. */
void sculpt_line_place(sculpt_line *line, const sculpt_path *path, const vec3 *positions, const vec3 *normals);
double sculpt_line_chord(const sculpt_line *line); /* m, the length of its polygon */
/* Call it after the deflections changed. */
void sculpt_line_smooth(sculpt_line *line);
/* m, at a fraction of the length, [0, 1]. */
double sculpt_line_deflection(const sculpt_line *line, double part);

/* How often the edges of a path must be halved so that it follows the deflected line within the tolerance, at most
 * `most` times; also for edges that extend by `stride` (m) along it. *error: the remaining error of the path, m. */
int sculpt_line_level(const sculpt_line *line, const sculpt_path *path, const vec3 *positions, const vec3 *normals,
                      double stride, double tolerance, int most, double *error);
/* The same from edges of a `stride` alone, for furrows. */
int sculpt_line_level_across(const sculpt_line *line, double stride, double tolerance, int most, double *error);

/* ---- Pieces. */

/* Finds the triangles that strokes can touch; made once per mesh. */
typedef struct sculpt_finder {
    const ruga_mesh *mesh;
    const topology *topo;
    size_t count;
    uint32_t *triangles;                       /* (count) taken so far; allocated for all */
    uint8_t *taken;                            /* (the mesh's triangles) */
    uint32_t *vertex_visits, *triangle_visits; /* (the mesh's) the last visit that reached it */
    uint32_t visit;
    uint32_t *queue;  /* (the mesh's vertices) */
    uint32_t *places; /* (the mesh's vertices) NO_INDEX */
} sculpt_finder;

ruga_status sculpt_finder_make(const ruga_mesh *mesh, const topology *topo, sculpt_finder *out);
void sculpt_finder_release(ruga_context *context, sculpt_finder *f);
/* Take triangles: all; those with points of a curve; at least all that have a place within the radius (m) of it along
 * the surface; those that share a vertex with any taken before, repeatedly. */
void sculpt_finder_take_all(sculpt_finder *f);
/* (When memory runs out, triangles stay taken, which makes the next piece larger and changes nothing else.) */
void sculpt_finder_take_curve(sculpt_finder *f, const ruga_curve *curve);
ruga_status sculpt_finder_take_near(sculpt_finder *f, const ruga_curve *curve, const sculpt_drawn *drawn,
                                    double radius);
void sculpt_finder_grow(sculpt_finder *f, int rings);
/* Makes a piece of the taken triangles, and clears them. */
ruga_status sculpt_finder_cut_out(sculpt_finder *f, mesh_piece *out);

/* ---- The fine piece. */

/* Some vertices of a mesh, and all triangles that contain one of them. */
typedef struct sculpt_patch {
    size_t vertex_count, triangle_count;
    uint32_t *vertices, *triangles;
} sculpt_patch;

void sculpt_patch_release(ruga_context *context, sculpt_patch *patch);

/* A piece that is being refined. */
typedef struct sculpt_refining {
    ruga_context *context;
    ruga_mesh *mesh;
    ruga_map *map; /* from the positions of the piece */
    topology *topo;
    uint32_t *parents; /* (its triangles) of the piece */
    uint8_t *levels;   /* (its triangles) remaining refinements */
    free_cut cut;      /* of one level */
} sculpt_refining;

/* Divides triangle t into 4^levels[t] triangles, conforming and graded. paths: vertex lists of the piece, which become
 * those of the fine one. */
ruga_status sculpt_refine(sculpt_refining *r, sculpt_path **paths, size_t path_count);
void sculpt_refining_release(sculpt_refining *r);

/* ---- Smooth refinement: see sculpt_smooth.c. */

#define SCULPT_HARD_ANGLE 50.0 /* degrees between facets: sharper edges of meshes without normals are hard */

enum { SMOOTH_SOFT, SMOOTH_HARD, SMOOTH_STRAIGHT };

/* A triangle of the mesh with new vertices. Normals are numbered: the piece's vertices, then sectors. */
typedef struct smooth_host {
    uint32_t triangle, normals[3];
    uint32_t across[3][2]; /* of hard sides: on the other side, at both ends; NO_INDEX: straight there */
    uint8_t sides[3];      /* SMOOTH_… */
    double bend;           /* cosine of its facet angle, or of a lower bound: see sculpt_smooth_settle */
    double reach;          /* m, how far points may move, over that angle */
    int is_exact;          /* whether bend is the facet angle itself */
    double crease;         /* cosine of the greatest angle across edges near it, or of one at least as small */
    int is_crease_exact;
} smooth_host;

/* A new vertex on the smooth surface. */
typedef struct smooth_point {
    uint32_t vertex, host;
    double weights[3]; /* of the host's corners */
    double share;      /* 1, of the displacement */
} smooth_point;

typedef struct sculpt_smooth {
    ruga_context *context;
    const ruga_mesh *mesh;
    const topology *topo; /* of the mesh */
    size_t piece_count;   /* vertices of the piece */
    ARRAY(smooth_host) hosts;
    ARRAY(smooth_point) points;
    const uint8_t *hard;                         /* (edges of the mesh) */
    ARRAY(uint32_t) triangles;                   /* fine ones with points */
    vec3 *facets;                                /* (triangles) scratch memory: their unit normals */
    uint32_t *listed;                            /* (fine triangles) among the triangles; NO_INDEX: not there */
    ARRAY(uint32_t) sector_corners, sector_ends; /* corners: 3 x triangle + corner, one sector after the other */
    vec3 *normals;                               /* (piece_count + sectors) */
    vec3 (*bends)[3][2];                         /* (hosts) see geom/pn.h */
    uint32_t *place_of;                          /* (fine vertices) among the points; NO_INDEX: none */
} sculpt_smooth;

typedef struct sculpt_smooth_def {
    const ruga_mesh *mesh, *fine;
    const hard_edges *hard; /* of the mesh, as all its seams are open */
    const mesh_piece *piece;
    const ruga_map *fine_map;
    const uint32_t *parents; /* (fine triangles) of the piece */
    size_t cut_vertices;     /* fine vertices before refinement */
} sculpt_smooth_def;

/* On failure what was made must be released. */
ruga_status sculpt_smooth_make(const sculpt_smooth_def *def, sculpt_smooth *out);
void sculpt_smooth_release(sculpt_smooth *s);
/* positions: of the mesh's vertices; normals: of the piece's; flat, out: of the fine ones, of which only the points
 * are written. */
void sculpt_smooth_apply(sculpt_smooth *s, const vec3 *positions, const vec3 *normals, const vec3 *flat, vec3 *out);
/* The same at rest. Reduces the shares, for all poses, where a vertex would move by more than a quarter of a side times
 * the angle between the facets of the mesh there, a triangle would turn by more than that angle, or two neighbours
 * would meet at a greater angle than the facets of the mesh do across edges there. topo: of the fine mesh. */
void sculpt_smooth_settle(sculpt_smooth *s, const ruga_mesh *fine, const topology *topo, const vec3 *positions,
                          const vec3 *normals, const vec3 *flat, vec3 *rest);

typedef struct sculpt_surface {
    ruga_context *context;
    /* Has the arrays of the whole result when there is none; old vertices are then those of the mesh. */
    cut_room *room;
    const ruga_mesh *plain;
    const vec3 *plain_normals; /* (the mesh's vertices) */
    /* The whole result. */
    ruga_mesh *mesh; /* its positions are the sculpted ones */
    ruga_map *map;   /* undeformed = W (the original's vertices), before smoothing */
    vec3 *normals;   /* (vertices) of the sculpted positions */
    /* The part in reach; all arrays below are over its vertices unless noted. */
    mesh_piece piece;    /* of the original */
    ruga_mesh *fine;     /* cut and refined; its positions are those before smoothing */
    ruga_map *fine_map;  /* from the piece */
    topology *topo;      /* of the fine one */
    uint32_t *numbers;   /* in the result */
    vec3 *original;      /* (the piece's vertices) scratch memory: values of the mesh */
    vec3 *piece_normals; /* (the piece's vertices) scratch memory */
    vec3 *rest;          /* undeformed, smooth */
    vec3 *directions;    /* of the deflections: the original's normals, interpolated */
    vec3 *sculpted;      /* positions */
    vec3 *sculpted_normals;
    vec3 *flat; /* undeformed, not smoothed */
    vec3 *sums; /* scratch memory for normals */
    sculpt_smooth smooth;
} sculpt_surface;

/* Takes over a refined piece, also on failure. cut_vertices: the number of its vertices
 * before it was refined. hard: of the mesh; plain: the mesh without attributes that the result must not have. `rest`
 * and the normals are not filled yet. */
typedef struct sculpt_surface_def {
    const ruga_mesh *plain;
    const vec3 *normals; /* (the mesh's vertices) */
    const hard_edges *hard;
    cut_room *room; /* of `plain` */
    mesh_piece *piece;
    sculpt_refining *refined;
    size_t cut_vertices;
} sculpt_surface_def;

ruga_status sculpt_surface_make(const sculpt_surface_def *def, sculpt_surface *out);
void sculpt_surface_release(sculpt_surface *s);

/* The vertices whose normals are not the mesh's, new ones and others of their triangles; without some that get others
 * anyway. */
ruga_status sculpt_list_renewed(const sculpt_surface *s, const uint32_t *except, size_t except_count,
                                sculpt_patch *out);

/* The undeformed fine piece from the original's positions: mapped (`flat`), then smoothed. normals: (the piece's
 * vertices). is_at_rest: the first time. */
void sculpt_surface_lay(sculpt_surface *s, const vec3 *original, const vec3 *normals, int is_at_rest, vec3 *rest);
/* Interpolates normals by a map. The facets of a coarse mesh have normals that jump; folds along those would turn
 * over. */
void sculpt_mix_normals(const ruga_map *map, const vec3 *normals, vec3 *out);
/* Copies values of some of the piece's vertices, or (list: NULL) of all, to the result. */
void sculpt_surface_spread(const sculpt_surface *s, const vec3 *values, const uint32_t *list, size_t count, vec3 *out);
/* The indices of marks that are 1, rising. */
ruga_status sculpt_list_marked(ruga_context *context, const uint8_t *marks, size_t count, uint32_t **list,
                               size_t *list_count);

/* Normals of some vertices weighted by angle, as in ruga_mesh_normals. triangles: all that contain one of the vertices;
 * sums: (vertices of the mesh) scratch memory. */
void sculpt_normals(const ruga_mesh *mesh, const vec3 *positions, const uint32_t *vertices, size_t count,
                    const uint32_t *triangles, size_t triangle_count, vec3 *sums, vec3 *normals);

/* ---- Influences. */

/* The shape of a furrow along its curve and across it. */
typedef struct sculpt_furrow {
    double taper, asymmetry, vary;
    int seed;
} sculpt_furrow;

/* 1, factor of the profile at a fraction of the curve's length and, across it, at -1…1 of the radius, left above 0. */
double sculpt_furrow_weight(const sculpt_furrow *f, int is_closed, double part, double across);

/* A stroke on the fine surface. */
typedef struct sculpt_reach {
    const sculpt_path *base, *region; /* region: mode II, else NULL */
    double radius;                    /* m */
    ruga_attenuation attenuation;
    const sculpt_drawn *drawn;   /* the base curve */
    double stride;               /* m, length of the mesh's edges at the curve */
    double fixed_part;           /* fraction of its length at either end that never moves, unless it is closed */
    const sculpt_furrow *furrow; /* NULL: wrinkles across the curve */
} sculpt_reach;

/* The influence of a stroke on a vertex: deflection += weight * (the line's deflection at `part`). */
typedef struct sculpt_influence {
    uint32_t stroke; /* index in the list of active strokes */
    double weight;   /* 1 */
    double part;     /* fraction of the base curve's length */
} sculpt_influence;

typedef struct sculpt_field {
    ruga_context *context;
    size_t vertex_count;
    uint32_t *vertices; /* (vertex_count) moved by some stroke, rising */
    uint32_t *offsets;  /* (vertex_count + 1) into influences */
    sculpt_influence *influences;
    size_t around_count;
    uint32_t *around; /* (around_count) these and their neighbours: their normals change */
    size_t triangle_count;
    uint32_t *triangles; /* (triangle_count) at these */
} sculpt_field;

double sculpt_attenuate(ruga_attenuation attenuation, double x); /* equations 6 and 7 */

ruga_status sculpt_field_make(const sculpt_surface *s, const sculpt_reach *reaches, size_t count, sculpt_field *out);
void sculpt_field_release(sculpt_field *field);
/* positions = rest + deflection along directions, at the field's vertices only. Both may be the same array. */
void sculpt_field_apply(const sculpt_field *field, const sculpt_line *const *lines, const vec3 *rest,
                        const vec3 *directions, vec3 *positions);

/* Distances of all vertices from a stroke's curves. */
typedef struct sculpt_measures {
    double *distances, *places; /* (vertices) m, from the base curve, and the arc of the nearest place */
    double *region_distances;   /* (vertices) m; mode II */
} sculpt_measures;

ruga_status sculpt_measures_make(ruga_context *context, size_t vertices, sculpt_measures *out);
void sculpt_measures_release(ruga_context *context, sculpt_measures *m);

/* The greatest distance of one path from another, m. And the levels of triangles that a stroke moves: `level` at its
 * curve, lower where less of its deflection is left. Both on a cut mesh; `m` is scratch memory. */
double sculpt_greatest_distance(geodesic *g, const sculpt_path *from, const sculpt_path *to, sculpt_measures *m);
void sculpt_mark_levels(geodesic *g, const ruga_mesh *mesh, const sculpt_reach *reach, int level, sculpt_measures *m,
                        uint8_t *levels);

/* ---- Arms: parts of one curve that influence the same vertex. */

/* A vertex gets `share` of its deflection from a place. */
typedef struct sculpt_arm {
    uint32_t vertex;
    double place; /* m, along the base curve */
    double share; /* 1 */
} sculpt_arm;

typedef struct sculpt_arms {
    ruga_context *context;
    size_t vertex_count;
    double *mixes; /* (vertices) 1, sum of the shares of a vertex's arms; its nearest place has the rest */
    ARRAY(sculpt_arm) items;
} sculpt_arms;

typedef struct sculpt_arms_def {
    geodesic *geodesics;
    const topology *topo;
    const vec3 *positions;           /* (vertices) undeformed */
    const double *strength;          /* (vertices) 1, attenuation of the stroke; 0: outside of its region */
    const sculpt_measures *measures; /* from the base curve */
    const geodesic_sources *near;    /* their sources: vertices beside the curve with exact distances */
    double length, period;           /* m, of the base curve; period 0: it is open */
    double radius, limit; /* m, of the region; its greatest distance from the base curve, INFINITY in mode II */
    size_t steps;         /* between its particles */
} sculpt_arms_def;

ruga_status sculpt_arms_make(ruga_context *context, size_t vertices, sculpt_arms *out);
void sculpt_arms_release(sculpt_arms *arms);
/* Of one stroke. */
ruga_status sculpt_arms_find(const sculpt_arms_def *def, sculpt_arms *out);

/* ---- The sculpt. */

typedef struct sculpt_stroke {
    int used;            /* not removed */
    ruga_stroke_def def; /* its name and curves are the stroke's own */
    int shape_is_stale;  /* stiffness, length, start … changed since the deflections were computed */
    int failed;          /* not applied; its info has the message */
    int cuts_alone;      /* its curves are known to cut the mesh without the others */
    ruga_stroke_info info;
    char *message;
    /* Of an active stroke: */
    sculpt_drawn drawn;
    sculpt_path cut_base, cut_region;   /* on the cut piece */
    sculpt_path fine_base, fine_region; /* on the fine one */
    sculpt_line line;
    double chord;  /* m, length of its particles' polygon at rest */
    double stride; /* m, length of the mesh's edges at the curve */
    double extent; /* m, their extent along it */
    int level;
    sculpt_furrow furrow;
} sculpt_stroke;

/* A ridge, the groove, a ridge: an odd seed begins upwards. */
enum { FURROW_SPANS = 3 };
static inline int stroke_is_furrow(const sculpt_stroke *k) { return k->def.shape == RUGA_SHAPE_FURROW; }
/* m, of a stroke whose radius does not come from a region curve. */
double sculpt_stroke_radius(const sculpt_stroke *k);
/* Places a stroke's particles. */
void sculpt_stroke_place(sculpt_stroke *k, const vec3 *positions, const vec3 *normals);

/* Memory of a pose, kept for the next. */
typedef struct sculpt_pose_room {
    vec3 *original;          /* (the cut piece's vertices) */
    vec3 *normals;           /* (the cut piece's vertices, or the surface's piece's) */
    void *scratch;           /* for the normals */
    vec3 *cut, *cut_normals; /* (the cut's vertices) */
    vec3 *rest, *directions; /* (fine vertices) rest: undeformed, then sculpted */
    double *lengths;         /* (active) L̃ / L */
} sculpt_pose_room;

/* Memory for the minimisation of all strokes and their crossings. */
typedef struct sculpt_govern_room {
    governing_curve *curves;
    governing_crossing *crossings;
    size_t *places; /* (active) among the curves */
    governing_room minimiser;
} sculpt_govern_room;

struct ruga_sculpt {
    ruga_context *context;
    const ruga_mesh *mesh;
    ruga_mesh plain;            /* the mesh without normals and tangents, which wrinkles change */
    ruga_attribute *attributes; /* of `plain` */
    ARRAY(sculpt_stroke) strokes;
    ARRAY(size_t) order;  /* of the used ones */
    ARRAY(size_t) active; /* strokes of the last update, in their order */
    int curves_are_stale, regions_are_stale;
    sculpt_stroke *culprit; /* the stroke that caused an error; NULL: none in particular */
    vec3 *mesh_normals;     /* (the mesh's vertices) */
    cut_room room;          /* of `plain` */
    hard_edges hard;        /* with the mesh's topology: seams of split vertices are borders */
    double mesh_size;       /* m, its box's diagonal */
    sculpt_finder finder;
    int is_whole;         /* pieces are the whole mesh: the same result, slower */
    mesh_piece cut_piece; /* of the mesh, around all curves */
    curve_cut cut;        /* of that piece */
    vec3 *cut_normals;    /* (the cut's vertices) the original's, interpolated */
    sculpt_surface surface;
    sculpt_field field;
    sculpt_pose_room pose_room;
    const sculpt_line **lines; /* (active) */
    ARRAY(governing_crossing) crossings;
    sculpt_counts counts;
    sculpt_govern_room govern_room;
    size_t *groups; /* (active) group of strokes connected by crossings: the lowest index among them */
};

static inline sculpt_stroke *active_stroke(const ruga_sculpt *s, size_t i) {
    return &s->strokes.items[s->active.items[i]];
}

/* An error about one stroke; the others can be applied without it. */
ruga_status sculpt_blame(ruga_sculpt *s, sculpt_stroke *k, const char *what);

/* Stages: the cut of all active strokes, with their particles placed. */
ruga_status sculpt_make_cut(ruga_sculpt *s);
void sculpt_release_cut(ruga_sculpt *s);
/* Levels of all strokes; returns whether one changed. */
int sculpt_find_levels(ruga_sculpt *s);
/* The fine piece with its influences, and the result without wrinkles. */
ruga_status sculpt_make_surface(ruga_sculpt *s);
void sculpt_release_surface(ruga_sculpt *s);
/* Positions and normals from the current lines. */
void sculpt_apply(ruga_sculpt *s);
void sculpt_pose_room_release(ruga_sculpt *s);

const vec3 *sculpt_mesh_normals(const ruga_sculpt *s); /* (the mesh's vertices) unit, at rest */

/* The index of the point at which a closed curve begins, unless it begins as drawn; 0 for an open curve. */
size_t sculpt_first_point(const ruga_mesh *mesh, const ruga_curve *curve);

/* Whether a part of a curve is on an open edge of the mesh: the place where that begins, and the edge's vertices. */
int sculpt_runs_along_border(const ruga_sculpt *s, const ruga_curve *curve, vec3 *at, uint32_t edge[2]);

/* Of the active strokes, after their paths are cut and their particles placed. */
ruga_status sculpt_find_crossings(ruga_sculpt *s);
ruga_status sculpt_group_strokes(ruga_sculpt *s);
void sculpt_govern_room_release(ruga_sculpt *s);
/* lengths: (active) L̃ / L. is_posed: all strokes, scaled from their shapes at rest; else groups with a stale
 * stroke. */
ruga_status sculpt_govern(ruga_sculpt *s, const double *lengths, int is_posed);

/* ---- Loops, one version per instruction set; all give the same bits. */
/* angles: (count) within 2e-8 of those with sines and cosines in this ratio, sines >= 0; both 0: 0. */
ISA_DECLARE(void, sculpt_angles, (const double *sines, const double *cosines, double *angles, size_t count));

#endif
