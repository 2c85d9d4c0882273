/* Measures: named numbers that a body, a part or a contact solver reports about the last frame. */
#ifndef BASE_MEASURE_H
#define BASE_MEASURE_H

#include <stddef.h>

enum { MEASURE_CAPACITY = 16 };

typedef struct measure {
    const char *name; /* "energy"; static text */
    const char *unit; /* "J", "1" */
    double value;     /* of the last frame; zeroed by the step at the beginning of each, so that counts add up */
} measure;

typedef struct measure_list {
    size_t count; /* fixed once the owner is made */
    measure items[MEASURE_CAPACITY];
} measure_list;

/* Adds a measure when its owner is made; gives its place. Asserts that there is room. */
size_t measure_add(measure_list *list, const char *name, const char *unit);
void measure_clear(measure_list *list); /* all values to zero */

#endif
