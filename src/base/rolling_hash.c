/* Four lanes of multiplications and rotations over blocks of 32 bytes, as in XXH64 (Y. Collet, "xxHash fast digest
 * algorithm", 2012-2023, whose rounds and primes these are), so that the processor works on all four at once: more than
 * 10 bytes per nanosecond. */
#include "base/rolling_hash.h"

#include <string.h>

#include "base/hash.h"

#define PRIME_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME_2 UINT64_C(0xc2b2ae3d27d4eb4f)

static uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

/* Little endian; compilers make one load of it. */
static uint64_t load_u64(const unsigned char *at) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void add_blocks(uint64_t lanes[4], const unsigned char *at, size_t count) {
    uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
    for (size_t i = 0; i < count; i++, at += ROLLING_HASH_BLOCK) {
        a = rotate(a + load_u64(at) * PRIME_2, 31) * PRIME_1;
        b = rotate(b + load_u64(at + 8) * PRIME_2, 31) * PRIME_1;
        c = rotate(c + load_u64(at + 16) * PRIME_2, 31) * PRIME_1;
        d = rotate(d + load_u64(at + 24) * PRIME_2, 31) * PRIME_1;
    }
    lanes[0] = a, lanes[1] = b, lanes[2] = c, lanes[3] = d;
}

void rolling_hash_add(rolling_hash *hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    const size_t used = (size_t)(hash->size % ROLLING_HASH_BLOCK);
    if (size == 0) return;
    if (hash->size == 0)
        for (uint64_t i = 0; i < 4; i++) hash->lanes[i] = mix_bits(PRIME_1 + i);
    hash->size += size;

    /* Complete the block that was begun. */
    if (used > 0) {
        const size_t missing = ROLLING_HASH_BLOCK - used, taken = size < missing ? size : missing;
        memcpy(hash->rest + used, at, taken);
        if (taken < missing) return;
        add_blocks(hash->lanes, hash->rest, 1);
        at += taken;
        size -= taken;
    }
    const size_t blocks = size / ROLLING_HASH_BLOCK;
    add_blocks(hash->lanes, at, blocks);
    memcpy(hash->rest, at + blocks * ROLLING_HASH_BLOCK, size % ROLLING_HASH_BLOCK);
}

uint64_t rolling_hash_value(const rolling_hash *hash) {
    rolling_hash end = *hash;
    const size_t used = (size_t)(end.size % ROLLING_HASH_BLOCK);
    if (used > 0) {
        memset(end.rest + used, 0, ROLLING_HASH_BLOCK - used);
        add_blocks(end.lanes, end.rest, 1);
    }
    uint64_t value = end.size;
    for (int i = 0; i < 4; i++) value = mix_bits(value ^ end.lanes[i]) * PRIME_1;
    return mix_bits(value);
}
