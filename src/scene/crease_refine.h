/* Edges that several creases cross: kept, refined or refused. */
#ifndef SCENE_CREASE_REFINE_H
#define SCENE_CREASE_REFINE_H

#include "body/kind.h"
#include "ruga/curve.h"

/* As the choices of the field "several". */
typedef enum crease_several { SEVERAL_KEEP, SEVERAL_REFINE, SEVERAL_REJECT } crease_several;

/* An edge of b->mesh may be crossed by one curve, or by several that cross each other in one of its triangles. REJECT
 * reports, about `value`, two curves and the triangle where this is not so; REFINE divides triangles into four until it
 * is so: b->mesh becomes the finer mesh, with the vertices of before first, and the curves are carried to it. */
ruga_status crease_treat_several(build *b, int choice, const void *value, ruga_curve **curves, size_t count);

#endif
