/* Rows of tables: macros to write them, and the parameters that they hold. */
#ifndef FIELD_ROWS_H
#define FIELD_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "ruga/field.h"

/* AT is the place of a row's value in the struct of its section. */
#define AT(type, member) .offset = offsetof(type, member)
#define RANGE(lowest, highest) .low = (lowest), .high = (highest)
#define SECTION(section_name, type, table, ...) \
    { .name = section_name, .size = sizeof(type), .fields = table, .field_count = RUGA_FIELD_COUNT(table), __VA_ARGS__ }

/* The parameter that a row has in its struct; NULL: the row holds something else. */
static inline ruga_param *row_param(const ruga_field *row, const void *values) {
    return row->kind == RUGA_FIELD_PARAM ? (ruga_param *)((uintptr_t)values + row->offset) : NULL;
}

#endif
