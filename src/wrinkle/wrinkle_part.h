/* Part "wrinkle": a wrinkle mesh (ruga/wrinkle_mesh.h) as a layer on a moving mesh. Its base is the mesh of its input
 * frames; its output is the fine mesh.
 *
 * It starts settled: the first frame of a scene has its wrinkles, as if that frame had always been held. Every later
 * frame is one update, so wrinkles continue from the frame before. With `settle`, every frame is settled by itself and
 * does not depend on earlier frames. */
#ifndef WRINKLE_WRINKLE_PART_H
#define WRINKLE_WRINKLE_PART_H

#include "body/part.h"
#include "ruga/scene.h"

/* fine: bound by closest points; NULL: the input is subdivided. Memory that the parameters and `fine` point to must
 * outlive the part. Its state is the wrinkle mesh's. Measures: offset (m, root mean square), length_error (1,
 * greatest of an edge), iterations. */
ruga_status wrinkle_part_create(const ruga_mesh *input, const ruga_mesh *fine, const ruga_wrinkle_def *def, part **out);

int part_is_wrinkle(const part *p);
/* The report of its wrinkle mesh. */
ruga_wrinkle_mesh_report wrinkle_part_report(const part *p);

#endif
