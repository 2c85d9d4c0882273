/* The list of all kinds of edits, bodies and parts. Each is a descriptor next to its tool (body/kind.h). To add
 * one is to add a row here. The order is that of the written reference. */
#ifndef SCENE_KINDS_H
#define SCENE_KINDS_H

#include "body/kind.h"

#define EDIT_KINDS(ROW)      \
    ROW(subdivide_edit_kind) \
    ROW(sculpt_edit_kind)

#define BODY_KINDS(ROW)     \
    ROW(static_body_kind)   \
    ROW(animated_body_kind) \
    ROW(rigid_body_kind)    \
    ROW(cloth_body_kind)    \
    ROW(lattice_body_kind)  \
    ROW(flesh_body_kind)

#define INSIDE_KINDS(ROW)  \
    ROW(collide_part_kind) \
    ROW(seam_part_kind)    \
    ROW(attach_part_kind)  \
    ROW(crease_part_kind)

#define ON_TOP_KINDS(ROW)    \
    ROW(subdivide_part_kind) \
    ROW(displace_part_kind)  \
    ROW(jiggle_part_kind)    \
    ROW(spline_part_kind)    \
    ROW(wrinkle_part_kind)   \
    ROW(shell_part_kind)     \
    ROW(sculpt_part_kind)

#define DECLARE_KIND(name) extern const kind name;
EDIT_KINDS(DECLARE_KIND)
BODY_KINDS(DECLARE_KIND)
INSIDE_KINDS(DECLARE_KIND)
ON_TOP_KINDS(DECLARE_KIND)
#undef DECLARE_KIND

/* All kinds, and their sections by role, for the tables; each NULL-terminated. */
extern const kind *const scene_kinds[];
extern const ruga_section *const edit_sections[], *const body_sections[], *const inside_sections[],
                                                                              *const on_top_sections[];

/* The kind of a section and a role, among `more` (NULL-terminated, or NULL) and scene_kinds; NULL: there is none. */
const kind *kind_find(const kind *const *more, const ruga_section *section, kind_role role);

#endif
