/* Making maps from the inside. */
#ifndef LINALG_MAP_H
#define LINALG_MAP_H

#include "base/memory.h"
#include "ruga/map.h"

/* Takes over three arrays from memory_allocate; sorts each row by column and adds up repeated columns. On failure they
 * are released. */
ruga_status map_from_rows(ruga_context *context, size_t rows, size_t columns, size_t *offsets, uint32_t *indices,
                          double *weights, ruga_map **out);

#endif
