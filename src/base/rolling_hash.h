/* A hash of bytes that arrive piece by piece: its value depends on the bytes alone, not on the pieces. It finds damage,
 * not forgery. */
#ifndef BASE_ROLLING_HASH_H
#define BASE_ROLLING_HASH_H

#include <stddef.h>
#include <stdint.h>

#define ROLLING_HASH_BLOCK 32 /* bytes */

/* All zero: no bytes yet. */
typedef struct rolling_hash {
    uint64_t size; /* bytes so far */
    uint64_t lanes[4];
    unsigned char rest[ROLLING_HASH_BLOCK]; /* of a block that is not complete */
} rolling_hash;

void rolling_hash_add(rolling_hash *hash, const void *bytes, size_t size);
uint64_t rolling_hash_value(const rolling_hash *hash); /* the same on every machine */

#endif
