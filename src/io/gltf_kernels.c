#include "io/gltf_kernels.h"

#include <string.h>

#include "base/wraps.h"

static uint64_t bits_of(double value) {
    uint64_t bits;
    value += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The lower half of a double that was a float is nearly empty, and a product carries nothing downwards: without the
 * upper half brought there too, the points of a regular sheet would fall into few slots. */
static uint64_t folded(uint64_t bits) { return bits ^ bits >> 32; }

/* Odd numbers without pattern, from the fractional parts of the golden ratio, √2 and √3. */
#define HASH_X 0x9e3779b97f4a7c15u
#define HASH_Y 0x6a09e667f3bcc909u
#define HASH_Z 0xbb67ae8584caa73bu
#define EXPONENT 0x7ff0000000000000u

WRAPS int ISA_NAME(gltf_hash_positions)(const ruga_vec3 *positions, size_t count, uint32_t *hashes) {
    uint64_t finite = 1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = bits_of(positions[i].x), y = bits_of(positions[i].y), z = bits_of(positions[i].z);
        uint64_t h = folded(x) * HASH_X + folded(y) * HASH_Y + folded(z) * HASH_Z;
        finite &= ((x & EXPONENT) != EXPONENT) & ((y & EXPONENT) != EXPONENT) & ((z & EXPONENT) != EXPONENT);
        h ^= h >> 32;
        hashes[i] = (uint32_t)(h * HASH_X >> 32);
    }
    return (int)finite;
}

void ISA_NAME(gltf_floats_to_doubles)(const unsigned char *from, size_t count, double *to) {
    for (size_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, from + 4 * i, 4);
        to[i] = (double)value;
    }
}

uint32_t ISA_NAME(gltf_largest)(const uint32_t *values, size_t count) {
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++) largest = values[i] > largest ? values[i] : largest;
    return largest;
}
