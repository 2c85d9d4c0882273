/* Words to write the rows of tables with. */
#ifndef SCENE_ROWS_H
#define SCENE_ROWS_H

#include <stddef.h>

#include "ruga/field.h"

/* AT gives a row its place in the struct of the table that is being written. */
#define AT(type, member) .offset = offsetof(type, member)
#define RANGE(lowest, highest) .low = (lowest), .high = (highest)
#define SECTION(section_name, type, table, ...) \
    { .name = section_name, .size = sizeof(type), .fields = table, .field_count = RUGA_FIELD_COUNT(table), __VA_ARGS__ }

#endif
