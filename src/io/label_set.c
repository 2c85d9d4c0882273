#include "io/label_set.h"

#include <string.h>

#include "base/wraps.h"

WRAPS static size_t hash_text(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (size_t)(hash ^ hash >> 32);
}

static void place_label(label_set *set, size_t label) {
    size_t slot = hash_text(set->labels.items[label]) & (set->slot_count - 1);
    while (set->slots[slot]) slot = (slot + 1) & (set->slot_count - 1);
    set->slots[slot] = (uint32_t)label + 1;
}

static ruga_status grow_slots(ruga_context *context, label_set *set) {
    const size_t count = set->slot_count ? 2 * set->slot_count : 16;
    uint32_t *slots = NULL;
    TRY(NEW_ZEROED(context, &slots, count));
    memory_release(context, set->slots);
    set->slots = slots;
    set->slot_count = count;
    for (size_t i = 0; i < set->labels.count; i++) place_label(set, i);
    return RUGA_OK;
}

ruga_status label_set_find(ruga_context *context, label_set *set, const char *text, int32_t *label) {
    if (2 * set->labels.count + 2 > set->slot_count) TRY(grow_slots(context, set));
    for (size_t slot = hash_text(text);; slot++) {
        const uint32_t found = set->slots[slot & (set->slot_count - 1)];
        if (!found) break;
        if (strcmp(set->labels.items[found - 1], text) == 0) {
            *label = (int32_t)found - 1;
            return RUGA_OK;
        }
    }
    TRY(ARRAY_ADD(context, &set->labels, text));
    place_label(set, set->labels.count - 1);
    *label = (int32_t)set->labels.count - 1;
    return RUGA_OK;
}

void label_set_release(ruga_context *context, label_set *set) {
    ARRAY_RELEASE(context, &set->labels);
    memory_release(context, set->slots);
}
