/* Mixing bits for hash tables. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

/* One to one, and every bit of the result depends on every bit of x (the finaliser of SplitMix64). */
static inline uint64_t mix_bits(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
