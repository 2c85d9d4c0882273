/* Inside of a sculpt: its stages and what they keep.
 *
 *     curves ──▶ cut ──▶ lines ──▶ levels ──▶ fine piece ──▶ influences ──▶ positions
 *                         │  k_r, L̃                             │
 *                         └── governing curves ─────────────────┘
 *
 *   cut         a piece of the mesh around the base and region curves, with all of them as edges; depends on the curves alone
 *   lines       particles, their deflections, and a smooth curve through them for each stroke
 *   levels      how often triangles have to be divided so that the base curve follows the governing one within ε
 *   fine piece  the piece of the mesh that strokes reach, cut, refined there; then the whole mesh by one cut that does the same; depends on
 *               the cut, the levels, radii and modes
 *   influences  for each vertex in a region: which strokes, how much, from where along the curve; depends on the fine piece, radii and modes
 *   positions   one sum over influences
 *
 * All but the one cut of the whole mesh costs as much as there is in reach of the strokes. Pieces keep the order of the mesh (mesh/piece.h):
 * how large they are changes no bit of the result.
 */
#ifndef WRINKLE_SCULPT_H
#define WRINKLE_SCULPT_H

#include "base/isa.h"
#include "geom/curve_cut.h"
#include "geom/geodesic.h"
#include "math/vec3.h"
#include "mesh/piece.h"
#include "ruga/sculpt.h"
#include "solve/governing_curve.h"

/* How often each stage was done since the sculpt was made. */
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
    double *arcs;  /* (count + 1) m, along it; the last is that of the first again */
    double length; /* m */
    int closed;
} sculpt_drawn;

ruga_status sculpt_drawn_make(const ruga_curve *curve, const ruga_mesh *mesh, sculpt_drawn *out);
void sculpt_drawn_release(sculpt_drawn *drawn);
/* The distance (m) from the nearest place between two arcs, about, and that place's arc. */
double sculpt_drawn_nearest(const sculpt_drawn *drawn, vec3 point, double from, double to, double *arc);

/* The vertices of a path, and how far along the drawn curve each is. */
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
void sculpt_path_measure(sculpt_path *path, const vec3 *positions,
                         const sculpt_drawn *drawn); /* fills arcs and length */

/* ---- Lines. */

/* A stroke's base curve as particles: where they are along it, and how far they go. */
typedef struct sculpt_line {
    size_t count;             /* particles */
    double length;            /* m, L: of the base path at rest */
    vec3 *points, *normals;   /* (count) on the undeformed surface */
    double *deflections;      /* (count) m */
    double *rest_deflections; /* (count) m, of the last update */
    double *shape;            /* (count) m, that it keeps in motion */
    double shape_length;      /* 1, L̃ / L for which it has the shape */
    double shape_reached;     /* 1, what it has of it */
    double *slopes;           /* (count) of the smooth curve through them, by knots */
    double *factors;          /* (count) scratch of them */
    double reached, energy;
    size_t wrinkles;
} sculpt_line;

ruga_status sculpt_line_make(ruga_context *context, size_t particles, sculpt_line *out);
void sculpt_line_release(ruga_context *context, sculpt_line *line);
/* Spreads the particles evenly over a path by its arcs at rest, whatever the positions are now; the length has to be set. */
void sculpt_line_place(sculpt_line *line, const sculpt_path *path, const vec3 *positions, const vec3 *normals);
double sculpt_line_chord(const sculpt_line *line); /* m, the length of its polygon */
/* After the deflections changed. */
void sculpt_line_smooth(sculpt_line *line);
/* m, at a part of the way along, [0, 1]. */
double sculpt_line_deflection(const sculpt_line *line, double part);

/* How many times the edges of a path have to be halved so that it follows the deflected line within the tolerance, at most `most`; and so that edges
 * would that go `stride` (m) along it. *error: what is left of the path's, m. */
int sculpt_line_level(const sculpt_line *line, const sculpt_path *path, const vec3 *positions, const vec3 *normals,
                      double stride, double tolerance, int most, double *error);

/* ---- Pieces. */

/* Finds the triangles that strokes can touch; made once for a mesh. */
typedef struct sculpt_finder {
    const ruga_mesh *mesh;
    const topology *topo;
    size_t count;
    uint32_t *triangles;                       /* (count) taken so far; room for all */
    uint8_t *taken;                            /* (the mesh's triangles) */
    uint32_t *vertex_visits, *triangle_visits; /* (the mesh's) the last visit that came by */
    uint32_t visit;
    uint32_t *queue;  /* (the mesh's vertices) */
    uint32_t *places; /* (the mesh's vertices) NO_INDEX */
} sculpt_finder;

ruga_status sculpt_finder_make(const ruga_mesh *mesh, const topology *topo, sculpt_finder *out);
void sculpt_finder_release(ruga_context *context, sculpt_finder *f);
/* Takes triangles: all; those that a curve's points are on; at least all that have a place within the radius (m) of it along the surface;
 * those that share a vertex with any taken before, so many times. */
void sculpt_finder_take_all(sculpt_finder *f);
void sculpt_finder_take_curve(sculpt_finder *f, const ruga_curve *curve);
void sculpt_finder_take_near(sculpt_finder *f, const ruga_curve *curve, const sculpt_drawn *drawn, double radius);
void sculpt_finder_grow(sculpt_finder *f, int rings);
/* What was taken, as a piece; none is taken afterwards. */
ruga_status sculpt_finder_cut_out(sculpt_finder *f, mesh_piece *out);

/* ---- The fine piece. */

/* Some vertices of a mesh, and all triangles that have one of them. */
typedef struct sculpt_patch {
    size_t vertex_count, triangle_count;
    uint32_t *vertices, *triangles;
} sculpt_patch;

/* A piece on its way to the fine one. */
typedef struct sculpt_refining {
    ruga_context *context;
    ruga_mesh *mesh;   /* so far */
    ruga_map *map;     /* its positions from those of the piece */
    topology *topo;    /* of it */
    uint32_t *parents; /* (its triangles) of the piece */
    uint8_t *levels;   /* (its triangles) how often each is still to be cut */
    free_cut cut;      /* of one level */
} sculpt_refining;

/* Triangle t into 4^levels[t] triangles, conforming, graded. paths: vertex lists of the piece, which become those of the fine one. */
ruga_status sculpt_refine(sculpt_refining *r, sculpt_path **paths, size_t path_count);
void sculpt_refining_release(sculpt_refining *r);

typedef struct sculpt_surface {
    ruga_context *context;
    /* The whole result. */
    ruga_mesh *mesh; /* its positions are the sculpted ones */
    ruga_map *map;   /* undeformed = W (the original's vertices), before smoothing */
    vec3 *normals;   /* (vertices) of the sculpted positions */
    /* The part in reach; all arrays below are over its vertices, unless they say else. */
    mesh_piece piece;   /* of the original */
    ruga_mesh *fine;    /* cut and refined; its positions are those before smoothing */
    ruga_map *fine_map; /* from the piece */
    topology *topo;     /* of the fine one */
    uint32_t *numbers;  /* in the result */
    vec3 *original;     /* (the piece's vertices) scratch: of the mesh, there */
    vec3 *rest;         /* undeformed, smoothed */
    vec3 *ways;         /* along which strokes move it: the original's normals, mixed */
    vec3 *sculpted;     /* positions */
    vec3 *sculpted_normals;
    sculpt_patch renewed; /* vertices whose normals are not the mesh's: new ones, and others of their triangles */
    uint32_t *smoothed;   /* vertices that the umbrella moves */
    size_t smoothed_count;
    double *smoothed_weights;     /* (smoothed_count) ν */
    uint32_t *smoothed_triangles; /* (smoothed_triangle_count) at them */
    size_t smoothed_triangle_count;
    uint32_t *ringed; /* (ringed_count) those and their neighbours */
    size_t ringed_count;
    vec3 *flat;         /* undeformed, not smoothed */
    vec3 *flat_normals; /* of it, where it is smoothed */
    double *shares;     /* 1, of the smoothing that each takes */
    vec3 *umbrellas;    /* scratch of it */
    uint8_t *kept;      /* 1: on a curve or a border */
} sculpt_surface;

/* Takes a refined piece over, with the vertex lists on it, also on failure. cut_vertices: how many its vertices were before it was refined.
 * topo: of the mesh; plain: it, as far as the result is to carry it. rest and the normals are not filled yet. */
typedef struct sculpt_surface_def {
    const ruga_mesh *plain;
    const topology *topo;
    mesh_piece *piece;
    sculpt_refining *refined;
    size_t cut_vertices;
    sculpt_path **paths;
    size_t path_count;
} sculpt_surface_def;

ruga_status sculpt_surface_make(const sculpt_surface_def *def, sculpt_surface *out);
void sculpt_surface_release(sculpt_surface *s);

/* The undeformed fine piece over the original's positions: mapped (`flat`), then smoothed by the shares. */
void sculpt_surface_lay(sculpt_surface *s, const vec3 *original, vec3 *rest);
/* The same at rest, with less of the smoothing where it would turn triangles over, here and in all poses. */
void sculpt_surface_settle(sculpt_surface *s, const vec3 *original);
/* Normals at the rows of a map: those of its columns, mixed. The facets of a coarse mesh have normals that jump, and folds along them would
 * turn over. */
void sculpt_mix_normals(const ruga_map *map, const vec3 *normals, vec3 *out);
/* Values of some of the piece's vertices, or (list: NULL) of all, go to their places in the result. */
void sculpt_surface_spread(const sculpt_surface *s, const vec3 *values, const uint32_t *list, size_t count, vec3 *out);
/* Numbers of those that are 1, rising. */
ruga_status sculpt_list_marked(ruga_context *context, const uint8_t *marks, size_t count, uint32_t **list,
                               size_t *list_count);

/* Normals of some vertices by angle, as ruga_mesh_normals has them. triangles: all that have one of the vertices; sums: (vertices of
 * the mesh) scratch. */
void sculpt_normals(const ruga_mesh *mesh, const vec3 *positions, const uint32_t *vertices, size_t count,
                    const uint32_t *triangles, size_t triangle_count, vec3 *sums, vec3 *normals);

/* The vertices from old_count on, and those that share a triangle with one. */
ruga_status sculpt_patch_of_new(const ruga_mesh *mesh, size_t old_count, sculpt_patch *out);
void sculpt_patch_release(ruga_context *context, sculpt_patch *patch);
/* sums: (vertices of the mesh) scratch; the normals themselves will do where those off the patch don't matter. */
void sculpt_patch_normals(const sculpt_patch *patch, const ruga_mesh *mesh, const vec3 *positions, vec3 *sums,
                          vec3 *normals);

/* ---- Influences. */

/* What a stroke is to the fine surface. */
typedef struct sculpt_reach {
    const sculpt_path *base, *region; /* region: mode II, else NULL */
    double radius;                    /* m */
    ruga_attenuation attenuation;
    const sculpt_drawn *drawn; /* the base curve */
    double stride;             /* m, the length of the mesh's edges where it is */
    double fixed_part;         /* of the way along it, at either end: what never moves */
} sculpt_reach;

/* A stroke's part in a vertex: deflection += weight * (the line's deflection at `part`). */
typedef struct sculpt_influence {
    uint32_t stroke; /* place in the list of strokes */
    double weight;   /* 1 */
    double part;     /* of the way along the base curve */
} sculpt_influence;

typedef struct sculpt_field {
    ruga_context *context;
    size_t vertex_count;
    uint32_t *vertices; /* (vertex_count) that some stroke moves, rising */
    uint32_t *offsets;  /* (vertex_count + 1) into influences */
    sculpt_influence *influences;
    size_t around_count;
    uint32_t *around; /* (around_count) those and their neighbours: whose normals change */
    size_t triangle_count;
    uint32_t *triangles; /* (triangle_count) at them */
} sculpt_field;

double sculpt_attenuate(ruga_attenuation attenuation, double x); /* equations 6 and 7 */

/* Also sets the surface's shares of smoothing. */
ruga_status sculpt_field_make(sculpt_surface *s, const sculpt_reach *reaches, size_t count, sculpt_field *out);
void sculpt_field_release(sculpt_field *field);
/* positions = rest + deflection along normals at the field's vertices; others are left alone. Both may be the same array. */
void sculpt_field_apply(const sculpt_field *field, const sculpt_line *const *lines, const vec3 *rest,
                        const vec3 *normals, vec3 *positions);

/* Measures of all vertices from a stroke's curves. */
typedef struct sculpt_measures {
    double *distances, *places; /* (vertices) m, from the base curve and along it */
    double *region_distances;   /* (vertices) m; mode II */
} sculpt_measures;

ruga_status sculpt_measures_make(ruga_context *context, size_t vertices, sculpt_measures *out);
void sculpt_measures_release(ruga_context *context, sculpt_measures *m);

/* The greatest distance of one path from another, m, and how often triangles have to be divided that a stroke moves: `level` times at its curve,
 * less often where less of its deflection is left. Both on a cut mesh; measures are scratch. */
double sculpt_greatest_distance(geodesic *g, const sculpt_path *from, const sculpt_path *to, sculpt_measures *m);
void sculpt_mark_levels(geodesic *g, const ruga_mesh *mesh, const sculpt_reach *reach, int level, sculpt_measures *m,
                        uint8_t *levels);

/* ---- Arms: parts of one curve that compete. */

/* A vertex takes `share` of its deflection from a place. */
typedef struct sculpt_arm {
    uint32_t vertex;
    double place; /* m, along the base curve */
    double share; /* 1 */
} sculpt_arm;

typedef struct sculpt_arms {
    ruga_context *context;
    size_t vertex_count;
    double *mixes; /* (vertices) 1, the sum of the shares of a vertex's arms; the rest is that of its nearest place */
    ARRAY(sculpt_arm) items;
} sculpt_arms;

typedef struct sculpt_arms_def {
    geodesic *geodesics;
    const topology *topo;
    const vec3 *positions;           /* (vertices) undeformed */
    const double *felt;              /* (vertices) 1, how much the stroke is felt; 0: outside of its region */
    const sculpt_measures *measures; /* from the base curve */
    const geodesic_sources *near;    /* that they were made from: vertices beside the curve with exact distances */
    double length, period;           /* m, of the base curve; period 0: it is open */
    double radius, limit;            /* m, of the region; how far from the base curve it goes, INFINITY in mode II */
    size_t steps;                    /* of its particles */
} sculpt_arms_def;

ruga_status sculpt_arms_make(ruga_context *context, size_t vertices, sculpt_arms *out);
void sculpt_arms_release(sculpt_arms *arms);
/* Of one stroke. */
ruga_status sculpt_arms_find(const sculpt_arms_def *def, sculpt_arms *out);

/* ---- The object. */

typedef struct sculpt_stroke {
    int used;            /* was not removed */
    ruga_stroke_def def; /* its name and curves are the stroke's own */
    int shape_is_stale;  /* stiffness, length, start … changed since the deflections were found */
    int failed;          /* could not be done, and is left out; its info has the message */
    int cuts_alone;      /* its curves are known to cut the mesh, were there no others */
    ruga_stroke_info info;
    char *message;
    /* Of an active stroke: */
    sculpt_drawn drawn;
    sculpt_path cut_base, cut_region;   /* on the cut piece */
    sculpt_path fine_base, fine_region; /* on the fine one */
    sculpt_line line;
    double chord;  /* m, the length of its particles' polygon at rest */
    double stride; /* m, the length of the mesh's edges where the curve is */
    double extent; /* m, how far they go along it */
    int level;
} sculpt_stroke;

/* What a pose needs, kept for the next. */
typedef struct sculpt_pose_room {
    vec3 *original;          /* (the cut piece's vertices) */
    vec3 *normals;           /* (the cut piece's vertices, or the surface's piece's) */
    void *scratch;           /* of them */
    vec3 *cut, *cut_normals; /* (the cut's vertices) */
    vec3 *rest, *ways;       /* (fine vertices) undeformed, then sculpted */
    double *lengths;         /* (active) L̃ / L */
} sculpt_pose_room;

/* What the minimisation of strokes needs, kept for the next; room for all of them, and their crossings. */
typedef struct sculpt_govern_room {
    governing_curve *curves;
    governing_crossing *crossings;
    size_t *places; /* (active) among the curves */
    governing_room minimiser;
} sculpt_govern_room;

struct ruga_sculpt {
    ruga_context *context;
    const ruga_mesh *mesh;
    ruga_mesh plain;            /* the mesh without normals and tangents, which wrinkles would make wrong */
    ruga_attribute *attributes; /* of it */
    ARRAY(sculpt_stroke) strokes;
    ARRAY(size_t) order;  /* of the used ones */
    ARRAY(size_t) active; /* strokes of the last update, in their order */
    int curves_are_stale, regions_are_stale;
    sculpt_stroke *culprit; /* that an error is about; NULL: none in particular */
    vec3 *mesh_normals;     /* (the mesh's vertices) */
    topology *mesh_topology;
    double mesh_size; /* m, its box's diagonal */
    sculpt_finder finder;
    int is_whole;         /* pieces are the whole mesh: nothing but slower */
    mesh_piece cut_piece; /* of the mesh, around all curves */
    curve_cut cut;        /* of it */
    vec3 *cut_normals;    /* (the cut's vertices) the original's, mixed */
    sculpt_surface surface;
    sculpt_field field;
    sculpt_pose_room pose_room;
    const sculpt_line **lines; /* (active) */
    ARRAY(governing_crossing) crossings;
    sculpt_counts counts;
    sculpt_govern_room govern_room;
    size_t *groups; /* (active) of strokes that hang together by crossings: the lowest number among them */
};

static inline sculpt_stroke *active_stroke(const ruga_sculpt *s, size_t i) {
    return &s->strokes.items[s->active.items[i]];
}

/* An error about a stroke that the others may do without. */
ruga_status sculpt_blame(ruga_sculpt *s, sculpt_stroke *k, const char *what);

/* Stages: the cut of all strokes that take part, with their particles placed. */
ruga_status sculpt_make_cut(ruga_sculpt *s);
void sculpt_release_cut(ruga_sculpt *s);
/* Levels that strokes need now; returns whether one is new. */
int sculpt_find_levels(ruga_sculpt *s);
/* The fine piece with its influences, and the result without wrinkles. */
ruga_status sculpt_make_surface(ruga_sculpt *s);
void sculpt_release_surface(ruga_sculpt *s);
/* Positions and normals by the lines as they are. */
void sculpt_apply(ruga_sculpt *s);
void sculpt_pose_room_release(ruga_sculpt *s);

/* Whether a part of a curve lies on an open edge of the mesh: where that begins, and the edge's vertices. */
int sculpt_runs_along_border(const ruga_sculpt *s, const ruga_curve *curve, vec3 *at, uint32_t edge[2]);

/* Of the active strokes, once their paths are cut and their particles placed. */
ruga_status sculpt_find_crossings(ruga_sculpt *s);
ruga_status sculpt_group_strokes(ruga_sculpt *s);
void sculpt_govern_room_release(ruga_sculpt *s);
/* lengths: (active) L̃ / L. is_posed: all strokes, in their shapes at rest; else groups of which something is stale. */
ruga_status sculpt_govern(ruga_sculpt *s, const double *lengths, int is_posed);

/* ---- Loops, one version per instruction set; all give the same bits. */
/* angles: (count) within 2e-8 of those whose sines and cosines are as these, sines >= 0; both 0: 0. */
ISA_DECLARE(void, sculpt_angles, (const double *sines, const double *cosines, double *angles, size_t count));

#endif
