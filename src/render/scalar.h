/* The numbers that a mesh shows in colours. */
#ifndef RENDER_SCALAR_H
#define RENDER_SCALAR_H

#include "base/context.h"
#include "ruga/render.h"

typedef struct scalar_field {
    int shown;            /* 0: the mesh has plain colours */
    const double *values; /* (vertex_count), or NULL: the attribute's */
    const ruga_attribute *attribute;
    int diverging;
    double low, high;  /* low < high */
    const char *label; /* NULL: none */
} scalar_field;

/* Finds the values and their range. Diverging ranges are symmetric unless given. */
ruga_status scalar_field_find(ruga_context *context, const ruga_render_mesh *item, scalar_field *out);
double scalar_field_at(const scalar_field *field, size_t vertex);
/* Where a value lies in the colour map, [0, 1]; NaN for NaN. A diverging map has zero at 0.5. */
double scalar_field_place(const scalar_field *field, double value);
int scalar_field_same_legend(const scalar_field *a, const scalar_field *b);

#endif
