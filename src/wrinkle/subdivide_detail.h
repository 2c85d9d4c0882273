/* Detail "subdivide": a finer mesh, carried by the coarse one through a map. */
#ifndef WRINKLE_SUBDIVIDE_DETAIL_H
#define WRINKLE_SUBDIVIDE_DETAIL_H

#include "body/detail.h"
#include "ruga/subdivide.h"

ruga_status detail_subdivide_create(const ruga_mesh *input, const ruga_subdivide_def *def, detail **out);

#endif
