/* The decoders, each compiled where its library was found. */
#ifndef DECODE_DECODERS_H
#define DECODE_DECODERS_H

#include "ruga/io.h"

#ifdef __cplusplus
extern "C" {
#endif

ruga_status decode_meshopt(const ruga_meshopt_view *view, void *out, char *message);
ruga_status decode_draco(const ruga_draco_mesh *mesh, char *message);

#ifdef __cplusplus
}
#endif
#endif
