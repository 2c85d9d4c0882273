/* Which properties of a PLY element stand together for one attribute. */
#include <string.h>

#include "base/number.h"
#include "io/ply.h"

size_t ply_find_property(const ply_element *element, const char *name) {
    for (size_t i = 0; i < element->properties.count; i++)
        if (strcmp(element->properties.items[i].name, name) == 0) return i;
    return SIZE_MAX;
}

static int is_scalar_of_type(const ply_element *element, size_t property, ruga_scalar type) {
    return property != SIZE_MAX && !element->properties.items[property].is_list &&
           element->properties.items[property].type == type;
}

/* The group that begins with this property, if it is one of the field's usual names. */
int ply_find_known_group(const ply_element *element, size_t first, ply_group *group) {
    const ply_property *property = &element->properties.items[first];
    for (const ply_known_name *known = ply_known_names; known->attribute; known++) {
        if (strcmp(known->properties[0], property->name) != 0) continue;
        int whole = 1;
        for (uint32_t i = 0; i < known->components; i++) {
            group->properties[i] = ply_find_property(element, known->properties[i]);
            whole &= is_scalar_of_type(element, group->properties[i], property->type);
        }
        if (!whole) continue;
        group->name = known->attribute;
        group->name_length = strlen(known->attribute);
        group->components = known->components;
        return 1;
    }
    return 0;
}

/* name_0, name_1, … of one type, one behind the other. */
int ply_find_numbered_group(const ply_element *element, size_t first, ply_group *group) {
    const ply_property *property = &element->properties.items[first];
    const size_t length = strlen(property->name);
    if (length < 3 || strcmp(property->name + length - 2, "_0") != 0) return 0;
    const size_t base = length - 1;
    uint32_t count = 1;
    group->properties[0] = first;
    for (; count < 256 && first + count < element->properties.count; count++) {
        const char *name = element->properties.items[first + count].name;
        char number[NUMBER_CAPACITY];
        number_print_whole(count, number);
        if (strncmp(name, property->name, base) != 0 || strcmp(name + base, number) != 0) break;
        if (!is_scalar_of_type(element, first + count, property->type)) break;
        group->properties[count] = first + count;
    }
    group->name = property->name;
    group->name_length = length - 2;
    group->components = count;
    return count > 1;
}
