/* Pins of a scene: vertices that are held where they are, moved along a path, or tied to another object. */
#ifndef BODY_PIN_KINDS_H
#define BODY_PIN_KINDS_H

#include "body/cloth_pins.h"
#include "body/kind.h"

extern const ruga_section *const pin_kinds[]; /* for the row of a table; NULL-terminated */

/* The pins of a list of variants, in the arena, for vertices of b->mesh. With a map to the visible vertices, only those
 * that are points of their own are held. Errors are reported, also a vertex that is pinned twice. */
ruga_status pins_make(build *b, const ruga_list *list, const ruga_map *visible, const cloth_pin_def **out,
                      size_t *count);

#endif
