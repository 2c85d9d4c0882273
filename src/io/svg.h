/* Shapes of SVG as polylines: path data, lists of points, transforms. After the W3C's "Scalable Vector Graphics (SVG)
 * 1.1", chapters 7 to 9. */
#ifndef IO_SVG_H
#define IO_SVG_H

#include "base/memory.h"
#include "io/xml.h"

#define SVG_TOLERANCE 1e-4 /* of the unit square: distance of polylines from the exact curves */

/* x' = a x + c y + e, y' = b x + d y + f */
typedef struct svg_matrix {
    double a, b, c, d, e, f;
} svg_matrix;

svg_matrix svg_matrix_multiply(svg_matrix outer, svg_matrix inner); /* inner is applied first */
/* A list of translate, scale, rotate, skewX, skewY and matrix. RUGA_ERROR_INPUT for other text. */
ruga_status svg_parse_transform(ruga_context *context, xml_text text, svg_matrix *out);

typedef struct svg_piece {
    size_t begin; /* first point */
    int closed;
} svg_piece;

/* Draws polylines; `matrix` is applied to the points. */
typedef struct svg_pen {
    ruga_context *context;
    svg_matrix matrix;
    ARRAY(double) points; /* pairs */
    ARRAY(svg_piece) pieces;
} svg_pen;

void svg_pen_release(svg_pen *pen);
size_t svg_piece_end(const svg_pen *pen, size_t piece); /* behind its last point */

/* RUGA_ERROR_INPUT, without a line number, for invalid data. */
ruga_status svg_draw_path(svg_pen *pen, xml_text data);
ruga_status svg_draw_points(svg_pen *pen, xml_text points, int closed); /* of <polyline> and <polygon> */
ruga_status svg_draw_line(svg_pen *pen, const double ends[4]);
ruga_status svg_draw_ellipse(svg_pen *pen,
                             const double numbers[4]); /* centre x, y; radii; nothing unless they are > 0 */
/* x, y, width, height, and the radii of its corners, below 0 for those that are not given. */
ruga_status svg_draw_rectangle(svg_pen *pen, const double numbers[6]);

/* Up to `most` numbers with blanks or commas between; returns how many, or most + 1 when something else is there. */
size_t svg_parse_numbers(xml_text text, size_t most, double *numbers);

#endif
