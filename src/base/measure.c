#include "base/measure.h"

#include <assert.h>

size_t measure_add(measure_list *list, const char *name, const char *unit) {
    assert(list->count < MEASURE_CAPACITY);
    list->items[list->count] = (measure){name, unit, 0};
    return list->count++;
}

void measure_clear(measure_list *list) {
    for (size_t i = 0; i < list->count; i++) list->items[i].value = 0;
}
