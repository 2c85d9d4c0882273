/* Named looks of strokes, in one table: values that go together. Lengths are relative, so that they fit any size. */
#ifndef WRINKLE_SCULPT_LOOKS_H
#define WRINKLE_SCULPT_LOOKS_H

#include "ruga/sculpt.h"

/* X(name, identifier, shape, stiffness, length, wrinkles, spread, vary, taper, asymmetry) */
#define STROKE_LOOKS(X)                                                          \
    X("forehead", FOREHEAD, RUGA_SHAPE_WRINKLES, 10, 1.10, 5, 1.0, 0.35, 0, 0)   \
    X("crows-feet", CROWS_FEET, RUGA_SHAPE_WRINKLES, 8, 1.12, 5, 0.6, 0.5, 0, 0) \
    X("curtain", CURTAIN, RUGA_SHAPE_WRINKLES, 20, 1.45, 9, 1.2, 0.25, 0, 0)     \
    X("skirt", SKIRT, RUGA_SHAPE_WRINKLES, 3, 1.45, 24, 0.95, 0.25, 0, 0)        \
    X("sleeve", SLEEVE, RUGA_SHAPE_WRINKLES, 15, 1.12, 5, 0.4, 0.6, 0, 0)        \
    X("shoe", SHOE, RUGA_SHAPE_WRINKLES, 12, 1.08, 4, 0.9, 0.4, 0, 0)            \
    X("line", LINE, RUGA_SHAPE_FURROW, 10, 1.15, 3, 0.09, 0.4, 0.4, 0)           \
    X("nasolabial", NASOLABIAL, RUGA_SHAPE_FURROW, 10, 1.16, 3, 0.25, 0.2, 0.5, 0.9)

#define STROKE_LOOK_NUMBER(name, identifier, shape, stiffness, length, wrinkles, spread, vary, taper, asymmetry) \
    STROKE_LOOK_##identifier,
enum stroke_look { STROKE_LOOKS(STROKE_LOOK_NUMBER) STROKE_LOOK_COUNT };

/* Puts the values of a look into a def, and more particles if it has too few for the wrinkles. */
void stroke_look_apply(enum stroke_look look, ruga_stroke_def *def);

#endif
