/* Detail "wrinkle": a wrinkle mesh (ruga/wrinkle_mesh.h) as a layer on a moving mesh. Its base is the mesh of the frames that
 * come in; what goes out is the fine mesh.
 *
 * It begins settled: where a scene starts, wrinkles are there at once, as if the frame had stood there for ever. From then on
 * every frame is one update, so that wrinkles go on from those of the frame before; with `settle` every frame is settled by
 * itself instead, and does not depend on those before it. */
#ifndef WRINKLE_WRINKLE_DETAIL_H
#define WRINKLE_WRINKLE_DETAIL_H

#include "body/detail.h"
#include "ruga/wrinkle_mesh.h"

typedef struct wrinkle_detail_def {
    ruga_wrinkle_mesh_def mesh;
    const ruga_mesh *fine;        /* bound by closest points; NULL: the input is subdivided */
    ruga_subdivide_def subdivide; /* without `fine` */
    int settle;                   /* every frame by itself */
} wrinkle_detail_def;

wrinkle_detail_def wrinkle_detail_def_default(void); /* each edge of the input in four parts */

/* What the parameters and `fine` point to must outlive the detail. Its state is the wrinkle mesh's.
 * Measures: offset (m, root mean square), length_error (1, greatest of an edge), iterations. */
ruga_status detail_wrinkle_create(const ruga_mesh *input, const wrinkle_detail_def *def, detail **out);

int detail_is_wrinkle(const detail *d);
/* What its wrinkle mesh tells of itself. */
ruga_wrinkle_mesh_report wrinkle_detail_report(const detail *d);

#endif
