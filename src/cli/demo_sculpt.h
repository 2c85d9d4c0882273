/* Demo: what the files of the section on sculpting share. */
#ifndef CLI_DEMO_SCULPT_H
#define CLI_DEMO_SCULPT_H

#include "demo.h"
#include "ruga/sculpt.h"

enum { SCULPTURE_STROKES = 8 };

/* A curve on the result: where it was drawn, and where wrinkles have taken it. */
typedef struct traced_line {
    size_t count;
    ruga_vec3 *drawn, *wrinkled; /* (count) */
} traced_line;

/* A mesh with strokes on it. */
typedef struct sculpture {
    demo *d;
    const ruga_mesh *mesh;
    ruga_sculpt *sculpt;
    size_t stroke_count;
    ruga_curve *bases[SCULPTURE_STROKES], *regions[SCULPTURE_STROKES]; /* regions may be NULL */
    traced_line lines[SCULPTURE_STROKES], region_lines[SCULPTURE_STROKES];
} sculpture;

int sculpture_open(demo *d, const ruga_mesh *mesh, sculpture *out);
void sculpture_close(sculpture *s);
/* Takes the curves; region may be NULL. */
int sculpture_add(sculpture *s, ruga_curve *base, ruga_curve *region, const ruga_stroke_def *def);
/* Computes the result and its lines. */
int sculpture_update(sculpture *s);
ruga_render_mesh sculpture_look(const sculpture *s);

/* Curves to draw: the base curves as drawn or wrinkled, then the region curves as drawn. Returns how many; out: (2 SCULPTURE_STROKES). */
size_t sculpture_curves(const sculpture *s, int wrinkled, int with_regions, ruga_render_curve *out);
/* Moves the wrinkled base curves towards a camera (m), so that what is in front of them by less hides nothing: they look the same otherwise. */
void sculpture_lift(sculpture *s, const ruga_camera *camera, double by);
/* n particles at equal steps along a line. */
void line_particles(const traced_line *line, int wrinkled, size_t n, ruga_vec3 *particles);

/* ---- Drawing. */
int demo_draw(demo *d, const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, ruga_curve **out);

typedef enum sketch_side { SKETCH_FRONT, SKETCH_ABOVE } sketch_side;
/* A cubic Bézier curve as it is seen from a side, drawn as a stroke through a camera. points: m; x and y from the front, x and z from
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
int demo_make_sculpt_skirt(demo *d);
int demo_make_sculpt_shoe(demo *d);

#endif
