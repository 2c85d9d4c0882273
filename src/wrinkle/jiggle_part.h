/* Part "jiggle": a damped oscillator at each vertex, which is pulled towards the vertex of the input and pushed by the
 * wind.
 *
 *     x'' = ω² (y − x) + 2 ζ ω (y' − x') + a (wind − x'),     output = y + weight (x − y)
 *
 * where y is the input, which moves along straight lines from frame to frame, and the wind is constant during a frame.
 * The solution is exact, so it is stable at any step, and independent of the frame rate while the input moves straight.
 */
#ifndef WRINKLE_JIGGLE_PART_H
#define WRINKLE_JIGGLE_PART_H

#include "body/part.h"
#include "ruga/scene.h"

/* Memory that the parameters point to must outlive the part. Measures: energy (J/kg, mean over vertices), offset (m,
 * greatest). */
ruga_status jiggle_part_create(const ruga_mesh *input, const ruga_jiggle_def *def, part **out);

#endif
