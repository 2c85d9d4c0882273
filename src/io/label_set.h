/* Names in the order of their first use, found again by a hash table. */
#ifndef IO_LABEL_SET_H
#define IO_LABEL_SET_H

#include "base/memory.h"

typedef struct label_set {
    ARRAY(const char *) labels; /* the texts are the caller's */
    uint32_t *slots;            /* label + 1, or 0 */
    size_t slot_count;
} label_set;

/* The number of a name, which becomes the last if it is new. An empty set is all zero. */
ruga_status label_set_find(ruga_context *context, label_set *set, const char *text, int32_t *label);
void label_set_release(ruga_context *context, label_set *set);

#endif
