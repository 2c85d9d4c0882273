/* Muscles of a scene: the table of their values, and the vertices that they choose. */
#include "body/muscle_kinds.h"

/* ---- The tables. */

static const ruga_field muscle_key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_muscle_key, time), .unit = "s",
     .help = "must be later than that of the key before"},
    {"activation", RUGA_FIELD_NUMBER, AT(ruga_muscle_key, activation), .unit = "1", RANGE(0, 1000),
     .help = "factor of the stress: 0 relaxed, 1 tense"},
};
static const ruga_section muscle_key_section =
    SECTION("key", ruga_muscle_key, muscle_key_fields, .help = "The activation of a muscle at a time.");
static const ruga_section *const muscle_key_sections[] = {&muscle_key_section, NULL};

static const ruga_field muscle_fields[] = {
    {"where", RUGA_FIELD_PARAM, AT(ruga_muscle_def, where), .unit = "1", .preset = "0",
     .help = "the material nearest to vertices where this is above 0.5: a selector (docs/selectors.md), a group, a "
             "painted attribute or a file of numbers"},
    {"box_from", RUGA_FIELD_VECTOR, AT(ruga_muscle_def, box_from), .unit = "m", .preset = "null",
     .help = "the material within a box of the scene, at rest: its least x, y and z; if absent, and box_to is given, "
             "it has no end on that side"},
    {"box_to", RUGA_FIELD_VECTOR, AT(ruga_muscle_def, box_to), .unit = "m", .preset = "null",
     .help = "the box's greatest x, y and z; if absent, and box_from is given, it has no end on that side"},
    {"direction", RUGA_FIELD_VECTOR, AT(ruga_muscle_def, direction), .unit = "1",
     .help = "along which it contracts, at rest; of any length"},
    {"stress", RUGA_FIELD_NUMBER, AT(ruga_muscle_def, stress), .unit = "Pa", .preset = "10000", RANGE(0, 1e12),
     .help = "tension at activation 1; a stress of half of young shortens the material by roughly a third"},
    {"keys", RUGA_FIELD_LIST, AT(ruga_muscle_def, keys), .preset = "", .sections = muscle_key_sections,
     .help = "keyframes of the activation; linear between two, constant before the first and after the last. They may "
             "be absent on a lattice that has shapes"},
};
static const ruga_section muscle_section = SECTION("muscle", ruga_muscle_def, muscle_fields,
                                                   .help =
                                                       "An active stress along a direction, in a part of the "
                                                       "material.");
const ruga_section *const muscle_sections[] = {&muscle_section, NULL};

/* ---- Making. */

static ruga_status choose_vertices(build *b, const ruga_muscle_def *from, const unsigned char **out) {
    const ruga_field *row = ruga_section_field(&muscle_section, "where");
    ruga_param where;
    double *values = NULL;
    unsigned char *chosen = NULL;
    size_t errors = b->errors;
    TRY(build_param_of(b, row, &from->where, b->mesh, &where));
    if (b->errors > errors) return RUGA_OK;
    TRY(ARENA_NEW(b->memory, &chosen, b->mesh->vertex_count + 1));
    TRY(NEW(b->context, &values, b->mesh->vertex_count));
    ruga_status status = ruga_param_evaluate(&where, "where", b->mesh, 0, values);
    for (size_t v = 0; !RUGA_FAILED(status) && v < b->mesh->vertex_count; v++) chosen[v] = values[v] > 0.5;
    memory_release(b->context, values);
    *out = chosen;
    return build_about(b, &from->where, status);
}

ruga_status muscles_make(build *b, const ruga_list *list, const muscle_def **out, size_t *count) {
    const ruga_muscle_def *from = list->items;
    muscle_def *muscles = NULL;
    TRY(ARENA_NEW(b->memory, &muscles, list->count + 1));
    for (size_t k = 0; k < list->count; k++) {
        muscles[k] = (muscle_def){.direction = from[k].direction,
                                  .stress = from[k].stress,
                                  .box_from = from[k].box_from,
                                  .box_to = from[k].box_to,
                                  .key_count = from[k].keys.count,
                                  .keys = from[k].keys.items};
        if (from[k].keys.count > 0) TRY(build_check_keys(b, &from[k].keys, sizeof(ruga_muscle_key)));
        TRY(choose_vertices(b, &from[k], &muscles[k].chosen));
    }
    *count = list->count;
    *out = muscles;
    return RUGA_OK;
}

_Static_assert(offsetof(ruga_muscle_key, time) == 0, "build_check_keys wants the time first");
