/* Part "subdivide": a finer mesh, carried by the coarse one through a map. */
#ifndef WRINKLE_SUBDIVIDE_PART_H
#define WRINKLE_SUBDIVIDE_PART_H

#include "body/part.h"
#include "ruga/subdivide.h"

ruga_status subdivide_part_create(const ruga_mesh *input, const ruga_subdivide_def *def, part **out);

#endif
