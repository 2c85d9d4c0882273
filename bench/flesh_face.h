/* The cost of creases in flesh:
 *
 *   crease_overhead   the model head, 199 thousand tets (68 thousand with --quick), raises its brows by a muscle in one
 *                     quasistatic frame from rest, to ‖F‖ = 1e-5 ‖F₀‖: with two creases across the forehead, over the
 *                     same without them, minus one. The frame has a tenth of the motion, as in 0.4 s of film. Both have
 *                     solved it once before, so that no solver is made in the time. The paper has 0.20. The same with
 *                     the whole motion in one frame is printed.
 */
#ifndef BENCH_FLESH_FACE_H
#define BENCH_FLESH_FACE_H

#include "bench.h"

void compare_creases(const bench_setup *bench);

#endif
