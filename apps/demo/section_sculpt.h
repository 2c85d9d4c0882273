/* Demo: helpers and items of the section on sculpting. */
#ifndef DEMO_SCULPT_H
#define DEMO_SCULPT_H

#include "demo.h"
#include "ruga/sculpt.h"

enum { SCULPTURE_STROKES = 16 };

/* A curve on the result: as drawn, and wrinkled. */
typedef struct traced_line {
    size_t count;
    ruga_vec3 *drawn, *wrinkled; /* (count) */
} traced_line;

/* A mesh with strokes on it. Its memory belongs to the demo. */
typedef struct sculpture {
    demo *d;
    const ruga_mesh *mesh;
    ruga_sculpt *sculpt;
    size_t stroke_count;
    const ruga_curve *bases[SCULPTURE_STROKES], *regions[SCULPTURE_STROKES]; /* regions may be NULL */
    traced_line lines[SCULPTURE_STROKES], region_lines[SCULPTURE_STROKES];
} sculpture;

/* A stroke that starts with so many wrinkles; 0 keeps the default radius or number of wrinkles. */
ruga_stroke_def demo_stroke(double radius, double length, int wrinkles, int refine);

/* A stroke with the values of a look. */
ruga_stroke_def demo_look(const char *name);

int sculpture_open(demo *d, const ruga_mesh *mesh, sculpture *out);
/* With the strokes of a file. */
int sculpture_read(demo *d, const ruga_mesh *mesh, const char *file, sculpture *out);
/* Adds a stroke through points of the surface, or along a given curve; the region may be NULL. */
int sculpture_add(sculpture *s, ruga_curve *base, ruga_curve *region, const ruga_stroke_def *def);
int sculpture_draw(sculpture *s, const ruga_vec3 *points, size_t count, const ruga_stroke_def *def);
/* Computes the result and its lines. */
int sculpture_update(sculpture *s);

/* Adds a panel with the result, or with `look` if it is not NULL, and with curves. */
typedef enum shown_curves { CURVES_NONE, CURVES_DRAWN, CURVES_WRINKLED } shown_curves; /* drawn: with the regions */
ruga_panel *gallery_sculpture(gallery *g, const char *caption, const ruga_render_mesh *look, const sculpture *s,
                              shown_curves curves, ruga_camera camera);
/* Renders a gallery in one row, fine enough for curves. */
int gallery_still(demo *d, const gallery *g, int width, int height, int columns, const char *file);

/* The base curves as drawn or wrinkled, then the region curves as drawn. Returns how many; out: (2
 * SCULPTURE_STROKES). */
size_t sculpture_curves(const sculpture *s, int wrinkled, int with_regions, ruga_render_curve *out);
/* Moves the wrinkled base curves towards a camera by so much, m, so that the surface does not hide them. */
void sculpture_lift(sculpture *s, const ruga_camera *camera, double by);
/* n particles at equal steps along a line. */
void line_particles(const traced_line *line, int wrinkled, size_t n, ruga_vec3 *particles);

/* ---- Drawing. */
int demo_draw(demo *d, const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, ruga_curve **out);

typedef enum sketch_side { SKETCH_FRONT, SKETCH_ABOVE } sketch_side;
/* A cubic Bézier curve that is drawn through a camera from one side. points: m; x and y from the front, x and z from
 * above. */
typedef struct sketch {
    double points[4][2];
} sketch;
int demo_sketch(demo *d, const ruga_mesh *mesh, sketch_side side, const sketch *what, ruga_curve **out);

int demo_make_sculpt_process(demo *d);
int demo_make_sculpt_family(demo *d);
int demo_make_sculpt_ends(demo *d);
int demo_make_sculpt_refine(demo *d);
int demo_make_sculpt_blend(demo *d);
int demo_make_sculpt_crossing(demo *d);
int demo_make_sculpt_curtain(demo *d);
int demo_make_sculpt_curtains(demo *d);
int demo_make_sculpt_forehead(demo *d);
int demo_make_sculpt_face(demo *d);
int demo_make_sculpt_skirt(demo *d);
int demo_make_sculpt_shoe(demo *d);

#endif
