#include "base/memory.h"

#include <stdint.h>
#include <string.h>

void *memory_allocate(ruga_context *context, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) return NULL;
    return context->def.allocator.allocate(context->def.allocator.user, bytes ? bytes : 1);
}

void *memory_allocate_zeroed(ruga_context *context, size_t count, size_t size) {
    void *memory = memory_allocate(context, count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void memory_release(ruga_context *context, void *memory) {
    if (memory) context->def.allocator.release(context->def.allocator.user, memory);
}

void memory_release_all(ruga_context *context, void *const *pointers, size_t count) {
    for (size_t i = 0; i < count; i++) memory_release(context, pointers[i]);
}

void *memory_copy(ruga_context *context, const void *source, size_t count, size_t size) {
    void *copy = memory_allocate(context, count, size);
    if (copy && count > 0) memcpy(copy, source, count * size);
    return copy;
}

char *memory_copy_text(ruga_context *context, const char *text) {
    return memory_copy(context, text, strlen(text) + 1, 1);
}

/* The word before the aligned memory holds what the allocator gave. */
void *memory_allocate_aligned(ruga_context *context, size_t count, size_t size) {
    const size_t alignment = 64, extra = alignment + sizeof(void *);
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - extra) return NULL;
    unsigned char *given = memory_allocate(context, bytes + extra, 1);
    if (!given) return NULL;
    uintptr_t aligned = ((uintptr_t)given + extra - 1) & ~(uintptr_t)(alignment - 1);
    unsigned char *memory = given + (aligned - (uintptr_t)given);
    memcpy(memory - sizeof(void *), &given, sizeof(void *));
    return memory;
}

void *memory_allocate_aligned_zeroed(ruga_context *context, size_t count, size_t size) {
    void *memory = memory_allocate_aligned(context, count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void memory_release_aligned(ruga_context *context, void *memory) {
    if (!memory) return;
    void *given;
    memcpy(&given, (unsigned char *)memory - sizeof(void *), sizeof(void *));
    memory_release(context, given);
}

ruga_status array_grow(ruga_context *context, void **items, size_t count, size_t *capacity, size_t more,
                       size_t item_size) {
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < 8) wanted = 8;
    if (count > SIZE_MAX - more) return fail_memory(context, SIZE_MAX);
    if (wanted < count + more) wanted = count + more;
    void *grown = memory_allocate(context, wanted, item_size);
    if (!grown) return fail_memory(context, wanted > SIZE_MAX / item_size ? SIZE_MAX : wanted * item_size);
    if (count > 0) memcpy(grown, *items, count * item_size);
    memory_release(context, *items);
    *items = grown;
    *capacity = wanted;
    return RUGA_OK;
}

#define ARENA_ALIGNMENT 16
#define ARENA_BLOCK 16384
#define ARENA_MAX_BLOCK ((size_t)1 << 20) /* blocks double up to this */

struct arena_block {
    struct arena_block *next;
    size_t capacity;
    _Alignas(ARENA_ALIGNMENT) unsigned char bytes[];
};

arena arena_make(ruga_context *context) { return (arena){.context = context}; }

void *arena_allocate(arena *a, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX / 2) return NULL;
    bytes = (bytes + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
    if (!a->blocks || a->blocks->capacity - a->used < bytes) {
        size_t capacity = a->blocks ? 2 * a->blocks->capacity : ARENA_BLOCK;
        if (capacity > ARENA_MAX_BLOCK) capacity = ARENA_MAX_BLOCK;
        if (capacity < bytes) capacity = bytes;
        struct arena_block *block = memory_allocate(a->context, 1, sizeof *block + capacity);
        if (!block) return NULL;
        block->next = a->blocks;
        block->capacity = capacity;
        a->blocks = block;
        a->used = 0;
    }
    void *memory = a->blocks->bytes + a->used;
    a->used += bytes;
    return memory;
}

char *arena_copy_text(arena *a, const char *text, size_t length) {
    char *copy = arena_allocate(a, length + 1, 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

void arena_release(arena *a) {
    while (a->blocks) {
        struct arena_block *next = a->blocks->next;
        memory_release(a->context, a->blocks);
        a->blocks = next;
    }
    a->used = 0;
}
