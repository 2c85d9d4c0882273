/* The allocator of contexts that are given none: malloc for small pieces. Large ones are mapped in pages of 2 MB where
 * the system has them, since the faults on small pages would cost more than reading a file into them does; a few that
 * were released are kept for the next, so that reading one mesh after another touches no new pages at all. */
#ifndef BASE_DEFAULT_ALLOCATOR_H
#define BASE_DEFAULT_ALLOCATOR_H

#include <pthread.h>

#include "ruga/context.h"

#define KEPT_BLOCKS 8
#define KEPT_BYTES ((size_t)96 << 20) /* in all */

/* Released blocks of one context. */
typedef struct kept_blocks {
    pthread_mutex_t lock;
    struct block_header *blocks[KEPT_BLOCKS];
    size_t count, bytes;
} kept_blocks;

void kept_blocks_init(kept_blocks *kept);
void kept_blocks_release(kept_blocks *kept);

/* The user pointer is a kept_blocks, or NULL to keep none; a piece may be released with another than it was made with. */
ruga_allocator default_allocator(kept_blocks *kept);

#endif
