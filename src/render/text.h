/* Text in Ruga's own stroke font. UTF-8; a letter that the font lacks, and a byte that is not UTF-8, is drawn as a box. */
#ifndef RENDER_TEXT_H
#define RENDER_TEXT_H

#include "render/canvas.h"

typedef enum text_align { TEXT_LEFT = 0, TEXT_CENTRE, TEXT_RIGHT } text_align;

typedef struct text_style {
    double size; /* pixels of an em; capitals are about 0.73 of it high */
    ruga_colour colour;
    text_align align;
    int upwards; /* runs from bottom to top, as beside an axis */
} text_style;

/* Pixels from the start of the first letter to the end of the last. */
double text_width(const char *text, double size);
/* `at` is on the baseline: the start, the middle or the end of the text, as aligned. */
void text_draw(canvas *c, const char *text, canvas_point at, const text_style *style);
/* The same as strokes, a letter at a time, for what is no canvas. thinnest: the least width of the pen. */
typedef void text_stroke_function(void *user, const canvas_segment *segments, size_t count);
void text_strokes(const char *text, canvas_point at, const text_style *style, double thinnest,
                  text_stroke_function *emit, void *user);
/* The next letter's code; moves on. 0 at the end; 0xfffd for bytes that are not UTF-8. */
uint32_t text_next(const char **text);

#endif
