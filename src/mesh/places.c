#include "mesh/places.h"

#include <string.h>

#include "base/hash.h"
#include "math/vec3.h"

static uint64_t hash_point(vec3 p) {
    double parts[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; /* -0 becomes 0 */
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) {
        uint64_t bits;
        memcpy(&bits, &parts[k], sizeof bits);
        hash = mix_bits(hash ^ bits) + (uint64_t)k;
    }
    return hash;
}

ruga_status places_find(ruga_context *context, size_t count, const ruga_vec3 *positions, uint32_t *lowest) {
    size_t mask = 15;
    while (mask < 2 * count) mask = 2 * mask + 1;
    uint32_t *slots;
    TRY(NEW(context, &slots, mask + 1));
    memset(slots, 0xff, (mask + 1) * sizeof *slots);
    for (size_t i = 0; i < count; i++) {
        vec3 p = positions[i];
        lowest[i] = (uint32_t)i;
        if (!vec3_is_finite(p)) continue;
        size_t slot = hash_point(p) & mask;
        for (; slots[slot] != UINT32_MAX; slot = (slot + 1) & mask) {
            vec3 q = positions[slots[slot]];
            if (p.x == q.x && p.y == q.y && p.z == q.z) break;
        }
        if (slots[slot] == UINT32_MAX) slots[slot] = (uint32_t)i;
        lowest[i] = slots[slot];
    }
    memory_release(context, slots);
    return RUGA_OK;
}
