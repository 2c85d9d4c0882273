/* Lines to cut a mesh along, by the signed distances of its vertices from drawn curves.
 *
 *     curves ──▶ signed distance s and place σ of the vertices nearby ──▶ zeros on edges ──▶ one segment per triangle
 *
 * A line crosses an edge where the linear interpolant of the distances at its ends is zero, not where the curve does (a
 * shift of at most κ e² / 8 for a curvature κ and edges of length e). So the distances of all vertices belong to one
 * straight segment in every triangle, which is what creases without gaps need (Patkar et al. 2015, figure 4; the shift
 * is not in the paper).
 *
 * Distances. s is positive on the left of the curve, seen from the front of the faces; σ is the length along the curve
 * at the nearest point. Beyond its ends a curve continues straight.
 *
 * Vertices. No line passes through a vertex. All curves are moved by the part in the surface of the same small vector,
 * at most CUT_SHIFT mean edges long, the best of a fixed list; distances that are still below CUT_LEAST edges become
 * that. Straight lines stay straight, and lines that meet in a point still do so. Curves that run along the border,
 * nearer than the shift, are refused before.
 *
 * Ends. A line ends
 *     BORDER   at the border of the mesh, if the curve ends within CUT_REACH edges of it
 *     STAR     where ends of at least three curves lie within CUT_REACH edges of each other: at one point inside a
 *              triangle, in which all rays of the star are straight
 *     STEM     on another line, if the curve ends within CUT_REACH edges of it
 *     TIP      inside the mesh: the piece in the curve's last triangle is left out, and the line continues to the
 *              vertex opposite the edge where it enters that triangle (figure 4, right), whose distance becomes 0
 * Two curves whose ends meet alone become one line.
 *
 * Parts. A curve that crosses itself or turns too sharply to be one line is divided, at corners below 75 degrees and
 * halfway around loops, into lines that meet there in a star of two rays. Around a loop the rays are straight, and the
 * fold continues through the star; at a sharp corner it fades to 0.
 */
#ifndef GEOM_CUT_LINES_H
#define GEOM_CUT_LINES_H

#include "base/memory.h"
#include "math/vec2.h"
#include "ruga/curve.h"

#define CUT_SHIFT 0.01  /* mean edges */
#define CUT_LEAST 0.001 /* mean edges */
#define CUT_REACH 0.25  /* mean edges */

typedef enum cut_end { CUT_BORDER, CUT_STAR, CUT_STEM, CUT_TIP } cut_end;

/* A corner of a triangle that the line cuts. */
typedef struct cut_place {
    uint32_t vertex;
    double distance; /* m, s */
    double along;    /* m, σ: may be negative, or above the length, beyond the ends */
} cut_place;

/* Where a point of a line is on the curve that it comes from. */
typedef struct cut_mark {
    double along;   /* m, σ */
    uint32_t curve; /* a line may be made of several */
    double part;    /* 1, of the curve's length: 0 at its first point */
} cut_mark;

typedef struct cut_line {
    uint32_t number; /* of the line among all that were made; cut_lines_select keeps it */
    size_t curve;    /* the first of the curves that it is made of; both parts of a divided curve have the same */
    int closed;      /* σ and σ + length are the same place */
    double length;   /* m */
    double edge;     /* m, mean edge of the triangles that it cuts */
    cut_end ends[2];
    uint32_t stars[2]; /* of ends that are STAR */
    uint32_t bars[2];  /* of ends that are STEM: the line that it ends on */
    size_t place_count;
    cut_place *places; /* (place_count) rising vertices */
    ruga_curve *trace; /* one segment per triangle */
    size_t mark_count;
    cut_mark *marks; /* (mark_count) rising σ */
} cut_line;

/* A line that ends at a star. `direction` leads away from it, in the plane of the star's triangle. */
typedef struct cut_ray {
    uint32_t line;
    int end; /* 0: the line starts here; 1: it ends here */
    vec2 direction;
} cut_ray;

typedef struct cut_star {
    ruga_surface_point at;
    ruga_vec3 position; /* m */
    size_t ray_count;
    cut_ray *rays; /* (ray_count) */
} cut_star;

typedef struct cut_lines {
    ruga_context *context;
    double edge; /* m, mean edge of the mesh */
    size_t line_count;
    cut_line *lines;
    size_t star_count;
    cut_star *stars;
} cut_lines;

/* RUGA_ERROR_INPUT, with the curve's name and the place, for a curve that crosses no edge, comes too near to itself, or
 * meets an edge of three triangles. */
ruga_status cut_lines_make(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count, cut_lines *out);
void cut_lines_release(cut_lines *lines);
/* Leaves out lines whose flag, (line_count), is 0. A line that ends on another needs it, and all lines that meet in a
 * star are wanted or none is. */
void cut_lines_select(cut_lines *lines, const unsigned char *wanted);

/* The place of a vertex beside a line; NULL: the line cuts no triangle at it. */
const cut_place *cut_line_place(const cut_line *line, uint32_t vertex);

/* The curve that a place along a line belongs to, and the place along that, 0 to 1. */
uint32_t cut_line_curve(const cut_line *line, double along, double *part);

#endif
