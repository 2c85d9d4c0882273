/* Part "shell": an embedded thin shell (ruga/embedded_shell.h) on a moving mesh. Its carrier is the mesh of the frames
 * that come in, and it shows the same vertices, moved.
 *
 * It starts settled, as if the first frame had always been held. Every later frame continues from the one before.
 *
 * One way, it is solved once a frame. In two directions it lies directly on a simulated body, is solved at the end of
 * each substep, and acts on the body's points with its forces and their derivative. */
#ifndef WRINKLE_SHELL_PART_H
#define WRINKLE_SHELL_PART_H

#include "body/part.h"
#include "ruga/scene.h"

/* b: the body below, which a two-way coupling acts on; NULL: none. Memory that the parameters point to must outlive the
 * part. RUGA_ERROR_INPUT: a two-way coupling on a body that forces don't move. Measures: amplitude (m, root mean square
 * of the distance from the carrier), energy (J), residual (1), newton_steps, linear_iterations, stalled (1: the frame
 * did not converge). */
ruga_status shell_part_create(const ruga_mesh *input, const ruga_shell_def *def, const body *b, part **out);

int part_is_shell(const part *p);
ruga_embedded_shell_report shell_part_report(const part *p);
ruga_embedded_shell *shell_part_shell(const part *p);

#endif
