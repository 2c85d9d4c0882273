/* Detail "jiggle": a damped oscillator at each vertex, drawn to where the input has it, and blown at by the wind.
 *
 *     x'' = ω² (y − x) + 2 ζ ω (y' − x') + a (wind − x'),     output = y + weight (x − y)
 *
 * with y the input, which goes straight from frame to frame, and the wind held over a frame: solved exactly, so that
 * it is stable at any step and does not depend on the frame rate while the input goes straight.
 */
#ifndef WRINKLE_JIGGLE_DETAIL_H
#define WRINKLE_JIGGLE_DETAIL_H

#include "body/detail.h"

typedef struct jiggle_def {
    ruga_param frequency; /* Hz, ω / 2π */
    ruga_param damping;   /* ζ */
    ruga_param weight;    /* within [0, 1] */
    ruga_param air;       /* a, 1/s */
} jiggle_def;

/* What the parameters point to must outlive the detail. Measures: energy (J/kg, mean over vertices), offset (m, greatest). */
ruga_status detail_jiggle_create(const ruga_mesh *input, const jiggle_def *def, detail **out);

#endif
