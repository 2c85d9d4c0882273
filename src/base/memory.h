/* Memory: all of it comes from the context's allocator. Sizes are checked for overflow. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <string.h>

#include "base/context.h"

/* count * size bytes; NULL when there is none, when the product overflows. Zero elements still give memory. */
void *memory_allocate(ruga_context *context, size_t count, size_t size) FOR_RENDER(memory_allocate);
void *memory_allocate_zeroed(ruga_context *context, size_t count, size_t size) FOR_RENDER(memory_allocate_zeroed);
void memory_release(ruga_context *context, void *memory) FOR_RENDER(memory_release); /* NULL is fine */
/* Releases each pointer of a list: RELEASE_ALL(context, a, b, c); NULL is fine. */
#define RELEASE_ALL(context, ...) \
    memory_release_all((context), (void *const[]){__VA_ARGS__}, sizeof(void *const[]){__VA_ARGS__} / sizeof(void *))
void memory_release_all(ruga_context *context, void *const *pointers, size_t count) FOR_RENDER(memory_release_all);
char *memory_copy_text(ruga_context *context, const char *text) FOR_RENDER(memory_copy_text);
void *memory_copy(ruga_context *context, const void *source, size_t count, size_t size);

/* Arrays, with a status: `TRY(NEW(context, &x, n))` makes x an array of n elements of its type. Without memory x is
 * NULL and the context's message says how much was wanted. Zero elements still give memory. `context` and `pointer` are
 * used more than once. */
#define NEW(context, pointer, count) \
    NEW_CHECKED(context, pointer, count, memory_allocate((context), (count), sizeof **(pointer)))
#define NEW_ZEROED(context, pointer, count) \
    NEW_CHECKED(context, pointer, count, memory_allocate_zeroed((context), (count), sizeof **(pointer)))
#define NEW_ALIGNED(context, pointer, count) \
    NEW_CHECKED(context, pointer, count, memory_allocate_aligned((context), (count), sizeof **(pointer)))
#define NEW_ALIGNED_ZEROED(context, pointer, count) \
    NEW_CHECKED(context, pointer, count, memory_allocate_aligned_zeroed((context), (count), sizeof **(pointer)))
#define NEW_COPY(context, pointer, source, count) \
    NEW_CHECKED(context, pointer, count, memory_copy((context), (source), (count), sizeof **(pointer)))
#define NEW_TEXT(context, pointer, text) \
    NEW_CHECKED(context, pointer, strlen(text) + 1, memory_copy_text((context), (text)))
/* The same for elements whose size the type of the pointer does not say; 1: bytes. */
#define NEW_SIZED(context, pointer, count, size) \
    SIZED_CHECKED(context, pointer, count, size, memory_allocate((context), (count), (size)))
#define NEW_SIZED_ZEROED(context, pointer, count, size) \
    SIZED_CHECKED(context, pointer, count, size, memory_allocate_zeroed((context), (count), (size)))
#define NEW_SIZED_COPY(context, pointer, source, count, size) \
    SIZED_CHECKED(context, pointer, count, size, memory_copy((context), (source), (count), (size)))
/* Two to four arrays of the same length: TRY(NEW_EACH(context, n, &x, &y)). */
#define NEW_EACH(context, count, ...) NEW_EACH_BY(NEW, context, count, __VA_ARGS__)
#define NEW_EACH_ZEROED(context, count, ...) NEW_EACH_BY(NEW_ZEROED, context, count, __VA_ARGS__)
#define NEW_EACH_BY(make, context, count, ...) \
    NEW_EACH_PICK(__VA_ARGS__, NEW_EACH_4, NEW_EACH_3, NEW_EACH_2, 0)(make, context, count, __VA_ARGS__)
#define NEW_EACH_PICK(a, b, c, d, picked, ...) picked
#define NEW_EACH_2(make, context, count, a, b) \
    (RUGA_FAILED(make(context, a, count)) ? RUGA_ERROR_MEMORY : make(context, b, count))
#define NEW_EACH_3(make, context, count, a, ...) \
    (RUGA_FAILED(make(context, a, count)) ? RUGA_ERROR_MEMORY : NEW_EACH_2(make, context, count, __VA_ARGS__))
#define NEW_EACH_4(make, context, count, a, ...) \
    (RUGA_FAILED(make(context, a, count)) ? RUGA_ERROR_MEMORY : NEW_EACH_3(make, context, count, __VA_ARGS__))
#define ARENA_NEW(arena_pointer, pointer, count) \
    NEW_CHECKED((arena_pointer)->context, pointer, count, arena_allocate((arena_pointer), (count), sizeof **(pointer)))
/* A copy of a text, which must not be the pointer's own. */
#define ARENA_TEXT(arena_pointer, pointer, text) ARENA_TEXT_OF(arena_pointer, pointer, text, strlen(text))
/* The same of its first `length` bytes. */
#define ARENA_TEXT_OF(arena_pointer, pointer, text, length)              \
    NEW_CHECKED((arena_pointer)->context, pointer, (size_t)(length) + 1, \
                arena_copy_text((arena_pointer), (text), (length)))
#define NEW_CHECKED(context, pointer, count, made) SIZED_CHECKED(context, pointer, count, sizeof **(pointer), made)
#define SIZED_CHECKED(context, pointer, count, size, made) \
    ((*(pointer) = (made)) ? RUGA_OK : fail_memory((context), (size_t)(count) * (size)))

/* Memory aligned to 64 bytes, for vector kernels. */
void *memory_allocate_aligned(ruga_context *context, size_t count, size_t size);
void *memory_allocate_aligned_zeroed(ruga_context *context, size_t count, size_t size);
void memory_release_aligned(ruga_context *context, void *memory);

/* ---- Growing arrays: a struct with these three fields, in any type.
 *      typedef ARRAY(uint32_t) index_array;   index_array a = {0};
 *      TRY(ARRAY_ADD(context, &a, 7));
 */
#define ARRAY(type)             \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

/* Makes room for `more` items after the existing ones; grows by half at least. */
#define ARRAY_RESERVE(context, array, more)                                                                    \
    ((array)->capacity - (array)->count >= (size_t)(more)                                                      \
         ? RUGA_OK                                                                                             \
         : array_grow((context), (void **)&(array)->items, (array)->count, &(array)->capacity, (size_t)(more), \
                      sizeof *(array)->items))
/* Adds a value at the end: TRY(ARRAY_ADD(context, &a, 7)). `array` is used more than once. */
#define ARRAY_ADD(context, array, ...)                                 \
    (RUGA_FAILED(ARRAY_RESERVE(context, array, 1)) ? RUGA_ERROR_MEMORY \
                                                   : ((array)->items[(array)->count++] = __VA_ARGS__, RUGA_OK))
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
