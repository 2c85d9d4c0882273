/* Text in Ruga's own stroke font. UTF-8; a letter that the font lacks, and a byte that is not UTF-8, is drawn as a
 * box. */
#ifndef PLOT_LETTERING_H
#define PLOT_LETTERING_H

#include "base/context.h"
#include "plot/drawing.h"

typedef enum text_align { TEXT_LEFT = 0, TEXT_CENTRE, TEXT_RIGHT } text_align;

typedef struct text_style {
    double size; /* pixels of an em; capitals are about 0.73 of it high */
    ruga_colour colour;
    text_align align;
    int upwards; /* runs from bottom to top, as beside an axis */
} text_style;

/* Pixels from the start of the first letter to the end of the last. */
double text_width(const char *text, double size) FOR_RENDER(text_width);
/* The strokes of a text, a letter at a time. `at` is on the baseline: the start, the middle or the end of the text, by
 * its alignment. thinnest: the least width of the pen. */
typedef void text_stroke_function(void *user, const pen_stroke *segments, size_t count);
void text_strokes(const char *text, plot_point at, const text_style *style, double thinnest, text_stroke_function *emit,
                  void *user) FOR_RENDER(text_strokes);
/* The next letter's code; moves on. 0 at the end; 0xfffd for bytes that are not UTF-8. */
uint32_t text_next(const char **text);

#endif
