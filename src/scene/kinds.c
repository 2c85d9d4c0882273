#include "scene/kinds.h"

#define SECTION_OF(name) &(name).section,
const ruga_section *const edit_sections[] = {EDIT_KINDS(SECTION_OF) NULL};
const ruga_section *const body_sections[] = {BODY_KINDS(SECTION_OF) NULL};
const ruga_section *const inside_sections[] = {INSIDE_KINDS(SECTION_OF) NULL};
const ruga_section *const on_top_sections[] = {ON_TOP_KINDS(SECTION_OF) NULL};

#define ADDRESS_OF(name) &(name),
const kind *const scene_kinds[] = {EDIT_KINDS(ADDRESS_OF) BODY_KINDS(ADDRESS_OF) INSIDE_KINDS(ADDRESS_OF)
                                       ON_TOP_KINDS(ADDRESS_OF) NULL};

static const kind *find_in(const kind *const *list, const ruga_section *section, kind_role role) {
    for (size_t i = 0; list && list[i]; i++)
        if (&list[i]->section == section && list[i]->role == role) return list[i];
    return NULL;
}

int ruga_scene_body_has_dynamics(const ruga_section *section) {
    const kind *found = section ? find_in(scene_kinds, section, KIND_BODY) : NULL;
    return found && (found->flags & KIND_HAS_DYNAMICS);
}

const kind *kind_find(const kind *const *more, const ruga_section *section, kind_role role) {
    const kind *found = find_in(more, section, role);
    return found ? found : find_in(scene_kinds, section, role);
}
