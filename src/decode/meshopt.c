/* EXT_meshopt_compression, by meshoptimizer. */
#include <meshoptimizer.h>
#include <stdio.h>

#include "decode/decoders.h"

static int decode(const ruga_meshopt_view *v, void *out) {
    switch (v->mode) {
        case RUGA_MESHOPT_TRIANGLES: return meshopt_decodeIndexBuffer(out, v->count, v->stride, v->bytes, v->size);
        case RUGA_MESHOPT_INDICES: return meshopt_decodeIndexSequence(out, v->count, v->stride, v->bytes, v->size);
        default: return meshopt_decodeVertexBuffer(out, v->count, v->stride, v->bytes, v->size);
    }
}

/* -1: of another version; -2 and -3: cut off, or not of the declared length. */
static const char *describe(int error) {
    return error == -1 ? "it does not begin as data of this mode and version" : "it is damaged or cut off";
}

ruga_status decode_meshopt(const ruga_meshopt_view *view, void *out, char *message) {
    const int error = decode(view, out);
    if (error != 0) {
        snprintf(message, RUGA_DECODER_MESSAGE, "%s", describe(error));
        return RUGA_ERROR_INPUT;
    }
    switch (view->filter) {
        case RUGA_MESHOPT_OCTAHEDRAL: meshopt_decodeFilterOct(out, view->count, view->stride); break;
        case RUGA_MESHOPT_QUATERNION: meshopt_decodeFilterQuat(out, view->count, view->stride); break;
        case RUGA_MESHOPT_EXPONENTIAL: meshopt_decodeFilterExp(out, view->count, view->stride); break;
        default: break;
    }
    return RUGA_OK;
}
