/* Ruga: decoders of compressed glTF files (KHR_draco_mesh_compression, EXT_meshopt_compression).
 *
 * Everything in this header is in a library of its own, libruga_decode: link it beside libruga (pkg-config
 * ruga-decode). It needs Draco and meshoptimizer; libruga needs neither. Both libraries must be of the same version.
 */
#ifndef RUGA_DECODE_H
#define RUGA_DECODE_H

#include "ruga/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The decoders that this build has; the functions of those that it lacks are NULL. */
RUGA_API const ruga_decoders *ruga_decode_decoders(void);

/* From now on this context reads compressed files, with the decoders that this build has; files that need another are
 * refused with a message that names it. */
RUGA_API void ruga_decode_use(ruga_context *context);

#ifdef __cplusplus
}
#endif
#endif
