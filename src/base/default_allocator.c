#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MADV_HUGEPAGE */
#endif
#include "base/default_allocator.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LARGE ((size_t)4 << 20) /* bytes from which on huge pages are worth it */
#define HUGE_PAGE ((size_t)2 << 20)

static void *default_allocate(void *user, size_t size) {
    (void)user;
#if defined(MADV_HUGEPAGE)
    void *memory;
    if (size >= LARGE) {
        if (size > PTRDIFF_MAX - HUGE_PAGE || posix_memalign(&memory, HUGE_PAGE, size) != 0) return NULL;
        madvise(memory, size & ~(HUGE_PAGE - 1), MADV_HUGEPAGE); /* advice: without huge pages it works as well */
        return memory;
    }
#endif
    return malloc(size);
}

static void default_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

ruga_allocator default_allocator(void) { return (ruga_allocator){default_allocate, default_release, NULL}; }
