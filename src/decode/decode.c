#include "ruga/decode.h"

#include <stddef.h>

#include "decode/decoders.h"

const ruga_decoders *ruga_decode_decoders(void) {
    static const ruga_decoders decoders = {
#ifdef RUGA_HAS_MESHOPT
        .meshopt = decode_meshopt,
#endif
#ifdef RUGA_HAS_DRACO
        .draco = decode_draco,
#endif
    };
    return &decoders;
}

void ruga_decode_use(ruga_context *context) { ruga_context_set_decoders(context, ruga_decode_decoders()); }
