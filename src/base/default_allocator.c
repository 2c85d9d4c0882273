#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MADV_HUGEPAGE */
#endif
#include "base/default_allocator.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The sanitizers watch malloc, so it serves everything while they do. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define ONLY_MALLOC
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || !defined(MADV_HUGEPAGE)
#define ONLY_MALLOC
#endif

#define LARGE ((size_t)4 << 20) /* bytes from which on a piece is mapped */
#define HUGE_PAGE ((size_t)2 << 20)
#define ROUNDING ((size_t)64 << 10)

/* Lies before every piece. */
typedef struct block_header {
    _Alignas(16) size_t mapped; /* bytes of the mapping that starts here; 0 for what malloc gave */
} block_header;

/* Of a mapping the piece starts on a cache line. */
#define MAPPED_OFFSET 64

void kept_blocks_init(kept_blocks *kept) {
    *kept = (kept_blocks){.count = 0};
    pthread_mutex_init(&kept->lock, NULL);
}

#ifdef ONLY_MALLOC

void kept_blocks_release(kept_blocks *kept) { pthread_mutex_destroy(&kept->lock); }

static void *default_allocate(void *user, size_t size) {
    (void)user;
    return malloc(size);
}

static void default_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

#else

static block_header *header_of(void *memory) { return (block_header *)memory - 1; }
static void unmap(block_header *start, size_t size) { munmap(start, size); }

void kept_blocks_release(kept_blocks *kept) {
    for (size_t i = 0; i < kept->count; i++) unmap(kept->blocks[i], kept->blocks[i]->mapped);
    kept->count = 0;
    pthread_mutex_destroy(&kept->lock);
}

/* The smallest kept mapping that holds `size` bytes and wastes no more than a quarter; NULL if there is none. */
static block_header *take_kept(kept_blocks *kept, size_t size) {
    pthread_mutex_lock(&kept->lock);
    size_t best = kept->count;
    for (size_t i = 0; i < kept->count; i++) {
        size_t mapped = kept->blocks[i]->mapped;
        int fits = mapped >= size && mapped - size <= size / 4;
        if (fits && (best == kept->count || mapped < kept->blocks[best]->mapped)) best = i;
    }
    block_header *block = NULL;
    if (best < kept->count) {
        block = kept->blocks[best];
        kept->blocks[best] = kept->blocks[--kept->count];
        kept->bytes -= block->mapped;
    }
    pthread_mutex_unlock(&kept->lock);
    return block;
}

/* Whether there was room to keep it. */
static int keep(kept_blocks *kept, block_header *block) {
    pthread_mutex_lock(&kept->lock);
    int has_room = kept->count < KEPT_BLOCKS && block->mapped <= KEPT_BYTES - kept->bytes;
    if (has_room) {
        kept->blocks[kept->count++] = block;
        kept->bytes += block->mapped;
    }
    pthread_mutex_unlock(&kept->lock);
    return has_room;
}

/* A mapping that starts on a huge page: one that is larger by a page is cut at both ends. */
static block_header *map(size_t size) {
    unsigned char *given = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (given == MAP_FAILED) return NULL;
    size_t before = (HUGE_PAGE - ((uintptr_t)given & (HUGE_PAGE - 1))) & (HUGE_PAGE - 1);
    if (before > 0) munmap(given, before);
    munmap(given + before + size, HUGE_PAGE - before);
    madvise(given + before, size, MADV_HUGEPAGE); /* advice: without huge pages it works as well */
    block_header *block = (block_header *)(void *)(given + before);
    block->mapped = size;
    return block;
}

static void *allocate_mapped(kept_blocks *kept, size_t size) {
    size_t rounded = (size + MAPPED_OFFSET + ROUNDING - 1) & ~(ROUNDING - 1);
    block_header *block = kept ? take_kept(kept, rounded) : NULL;
    if (!block) block = map(rounded);
    if (!block) return NULL;
    void *memory = (unsigned char *)block + MAPPED_OFFSET;
    header_of(memory)->mapped = block->mapped;
    return memory;
}

static void *default_allocate(void *user, size_t size) {
    if (size > PTRDIFF_MAX - 2 * HUGE_PAGE) return NULL;
    if (size >= LARGE) return allocate_mapped(user, size);
    block_header *block = malloc(sizeof *block + size);
    if (!block) return NULL;
    block->mapped = 0;
    return block + 1;
}

static void default_release(void *user, void *memory) {
    if (!memory) return;
    block_header *header = header_of(memory);
    if (header->mapped == 0) {
        free(header);
        return;
    }
    block_header *block = (block_header *)(void *)((unsigned char *)memory - MAPPED_OFFSET);
    if (!user || !keep(user, block)) unmap(block, block->mapped);
}

#endif

ruga_allocator default_allocator(kept_blocks *kept) {
    return (ruga_allocator){default_allocate, default_release, kept};
}
