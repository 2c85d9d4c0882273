/* Part "jiggle": a damped oscillator at each vertex, drawn to where the input has it, and blown at by the wind.
 *
 *     x'' = ω² (y − x) + 2 ζ ω (y' − x') + a (wind − x'),     output = y + weight (x − y)
 *
 * with y the input, which goes straight from frame to frame, and the wind held over a frame: solved exactly, so that
 * it is stable at any step and does not depend on the frame rate while the input goes straight.
 */
#ifndef WRINKLE_JIGGLE_PART_H
#define WRINKLE_JIGGLE_PART_H

#include "body/part.h"
#include "ruga/scene.h"

/* Memory that the parameters point to must outlive the part. Measures: energy (J/kg, mean over vertices), offset (m,
 * greatest). */
ruga_status jiggle_part_create(const ruga_mesh *input, const ruga_jiggle_def *def, part **out);

#endif
