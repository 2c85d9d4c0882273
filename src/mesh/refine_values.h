/* Values of attributes on the way to a finer mesh: mixing, picking, handing over. */
#ifndef MESH_REFINE_VALUES_H
#define MESH_REFINE_VALUES_H

#include "mesh/mesh.h"

size_t value_size(const ruga_attribute *a); /* bytes, of all components */

/* Value `out` of values becomes the mixture of three values of the attribute, by weights with this sum. */
void mix_value(const ruga_attribute *a, double sum, const uint32_t point[3], const double weights[3], void *values,
               size_t out);

/* Adds an attribute with the name, type and labels of another. values and indices are taken over, also on failure. */
ruga_status add_like(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, size_t count, void *values,
                     uint32_t *indices);

/* Old values and room for `more`; NULL when there is no memory. */
void *grow_values(ruga_context *context, const ruga_attribute *a, size_t more);

/* An element's value comes from another one's: of each child face, of each piece of an edge. */
ruga_status add_picked(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, size_t count,
                       const uint32_t *origin);

#endif
