/* Memory: all of it comes from the context's allocator. Sizes are checked for overflow. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

#include "base/context.h"

/* count * size bytes; NULL when there is none, when the product overflows. Zero elements still give memory. */
void *memory_allocate(ruga_context *context, size_t count, size_t size);
void *memory_allocate_zeroed(ruga_context *context, size_t count, size_t size);
void memory_release(ruga_context *context, void *memory); /* NULL is fine */
char *memory_copy_text(ruga_context *context, const char *text);
void *memory_copy(ruga_context *context, const void *source, size_t count, size_t size);

/* Typed: double *x = ALLOCATE(context, double, n); */
#define ALLOCATE(context, type, count) ((type *)memory_allocate((context), (count), sizeof(type)))
#define ALLOCATE_ZEROED(context, type, count) ((type *)memory_allocate_zeroed((context), (count), sizeof(type)))

/* Memory aligned to 64 bytes, for vector kernels. */
void *memory_allocate_aligned(ruga_context *context, size_t count, size_t size);
void memory_release_aligned(ruga_context *context, void *memory);

/* ---- Growing arrays: a struct with these three fields, in any type.
 *      typedef ARRAY(uint32_t) index_array;   index_array a = {0};
 *      TRY(ARRAY_RESERVE(context, &a, 1));    a.items[a.count++] = 7;
 */
#define ARRAY(type)             \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

/* Makes room for `more` items after the present ones; grows by half at least. */
#define ARRAY_RESERVE(context, array, more)                                                                    \
    ((array)->capacity - (array)->count >= (size_t)(more)                                                      \
         ? RUGA_OK                                                                                             \
         : array_grow((context), (void **)&(array)->items, (array)->count, &(array)->capacity, (size_t)(more), \
                      sizeof *(array)->items))
#define ARRAY_RELEASE(context, array)              \
    do {                                           \
        memory_release((context), (array)->items); \
        (array)->items = NULL;                     \
        (array)->count = (array)->capacity = 0;    \
    } while (0)

ruga_status array_grow(ruga_context *context, void **items, size_t count, size_t *capacity, size_t more,
                       size_t item_size);

/* ---- Arena: many small pieces that are released all at once. */
typedef struct arena {
    ruga_context *context;
    struct arena_block *blocks;
    size_t used; /* bytes of the newest block */
} arena;

arena arena_make(ruga_context *context);
void *arena_allocate(arena *a, size_t count, size_t size); /* aligned to 16; NULL when there is no memory */
char *arena_copy_text(arena *a, const char *text, size_t length);
void arena_release(arena *a);

#endif
