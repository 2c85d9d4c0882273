/* The kinds of pins: their tables, and how they choose vertices. */
#include "body/pin_kinds.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The table of pins. */

/* How every kind of pin says which vertices it holds. */
// clang-format off
#define CHOICE_ROWS(type) \
    {"where", RUGA_FIELD_PARAM, AT(type, choice.where), .unit = "1", .preset = "0", \
     .help = "holds the vertices where this is above 0.5: a selector (docs/selectors.md), a group, a painted " \
             "attribute or a file of numbers"}, \
    {"box_from", RUGA_FIELD_VECTOR, AT(type, choice.box_from), .unit = "m", .preset = "null", \
     .help = "holds the vertices within a box of the scene, at rest: its least x, y and z; if absent, and " \
             "box_to is given, it has no end on that side"}, \
    {"box_to", RUGA_FIELD_VECTOR, AT(type, choice.box_to), .unit = "m", .preset = "null", \
     .help = "the box's greatest x, y and z; if absent, and box_from is given, it has no end on that side"}, \
    {"vertices", RUGA_FIELD_TEXT, AT(type, choice.vertices), .preset = "null", \
     .help = "holds vertices by their numbers, from 0, and spans of them, as 0-20, 441"}
// clang-format on

static const ruga_field pin_fixed_fields[] = {CHOICE_ROWS(ruga_pin_fixed_def)};
static const ruga_section pin_fixed_section =
    SECTION("fixed", ruga_pin_fixed_def, pin_fixed_fields, .help = "Holds vertices where they are at rest.");

static const ruga_field pin_key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_pin_key, time), .unit = "s",
     .help = "must be later than that of the key before"},
    {"move", RUGA_FIELD_VECTOR, AT(ruga_pin_key, move), .unit = "m", .preset = "0,0,0",
     .help = "displacement from the place at rest"},
};
static const ruga_section pin_key_section =
    SECTION("key", ruga_pin_key, pin_key_fields, .help = "A displacement at a time.");
static const ruga_section *const pin_key_sections[] = {&pin_key_section, NULL};

static const ruga_field pin_path_fields[] = {
    CHOICE_ROWS(ruga_pin_path_def),
    {"keys", RUGA_FIELD_LIST, AT(ruga_pin_path_def, keys), .sections = pin_key_sections,
     .help = "keyframes; linear between two, constant before the first and after the last"},
};
static const ruga_section pin_path_section =
    SECTION("path", ruga_pin_path_def, pin_path_fields, .help = "Moves vertices along a path, through keyframes.");

static const ruga_field pin_follow_fields[] = {
    CHOICE_ROWS(ruga_pin_follow_def),
    {"object", RUGA_FIELD_NAME, AT(ruga_pin_follow_def, object), .names = "objects",
     .help = "object that carries the vertices as it moves and turns; it must precede this one in the list of objects"},
};
static const ruga_section pin_follow_section =
    SECTION("follow", ruga_pin_follow_def, pin_follow_fields,
            .help = "Ties vertices to the nearest place on another object: a flag to its pole, a sleeve to an arm.");

const ruga_section *const pin_kinds[] = {&pin_fixed_section, &pin_path_section, &pin_follow_section, NULL};

/* ---- Chosen vertices. */

_Static_assert(offsetof(ruga_pin_fixed_def, choice) == 0 && offsetof(ruga_pin_path_def, choice) == 0 &&
                   offsetof(ruga_pin_follow_def, choice) == 0,
               "every kind of pin begins with its choice");

static ruga_status mark_where(const ruga_param *where, const ruga_mesh *mesh, unsigned char *chosen) {
    double *values = NULL;
    TRY(NEW(mesh->context, &values, mesh->vertex_count));
    ruga_status status = ruga_param_evaluate(where, "where", mesh, 0, values);
    for (size_t i = 0; !RUGA_FAILED(status) && i < mesh->vertex_count; i++) chosen[i] |= values[i] > 0.5;
    memory_release(mesh->context, values);
    return status;
}

/* An absent corner is not a number, and so on neither side of anything. */
static void mark_box(ruga_vec3 from, ruga_vec3 to, const ruga_mesh *mesh, unsigned char *chosen) {
    if (isnan(from.x) && isnan(to.x)) return;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        ruga_vec3 p = mesh->positions[i];
        int outside = p.x < from.x || p.y < from.y || p.z < from.z || p.x > to.x || p.y > to.y || p.z > to.z;
        chosen[i] |= !outside;
    }
}

/* Takes a number off a text; 0 if there is none. */
static int take_number(const char **text, unsigned long *out) {
    if (!isdigit((unsigned char)**text)) return 0;
    char *end;
    *out = strtoul(*text, &end, 10);
    *text = end;
    return 1;
}

static const char *skip(const char *text, const char *characters) { return text + strspn(text, characters); }

/* Numbers and spans with commas or blanks between them: "0-20, 441". */
static ruga_status mark_vertices(const char *text, const ruga_mesh *mesh, unsigned char *chosen) {
    for (const char *at = skip(text, ", "); *at; at = skip(at, ", ")) {
        unsigned long from, to;
        const char *item = at;
        int good = take_number(&at, &from);
        to = from;
        if (good && *(at = skip(at, " ")) == '-') {
            at = skip(at + 1, " ");
            good = take_number(&at, &to);
        }
        if (!good || to < from)
            return fail_with(
                mesh->context, RUGA_ERROR_INPUT,
                "\"%.40s\" in the vertices of a pin is neither a number nor a rising span of numbers, such as "
                "\"0-20, 441\"",
                item);
        if (to >= mesh->vertex_count)
            return fail_with(mesh->context, RUGA_ERROR_INPUT,
                             "vertex %lu is to be pinned, but the mesh has only %zu, from 0 to %zu", to,
                             mesh->vertex_count, mesh->vertex_count - 1);
        memset(chosen + from, 1, to - from + 1);
    }
    return RUGA_OK;
}

/* Pins are chosen on the mesh as the user knows it, by its own vertices and faces, before creases cut it. */
static const ruga_mesh *mesh_of_pins(const build *b) { return b->uncut ? b->uncut : b->mesh; }

/* Vertices of a cut are between points and move with them: only points of their own can be held. */
static void unmark_embedded(const ruga_map *visible, size_t count, unsigned char *chosen) {
    for (size_t i = 0; visible && i < count; i++)
        if (visible->offsets[i + 1] != visible->offsets[i] + 1 || visible->weights[visible->offsets[i]] != 1)
            chosen[i] = 0;
}

/* The vertices that a pin chooses, in their order, in the arena. */
static ruga_status list_vertices(build *b, const ruga_pin_choice *choice, const ruga_param *where,
                                 const ruga_map *visible, unsigned char *chosen, cloth_pin_def *out) {
    const ruga_mesh *mesh = mesh_of_pins(b);
    uint32_t *vertices = NULL;
    size_t count = 0;
    TRY(mark_where(where, mesh, chosen));
    mark_box(choice->box_from, choice->box_to, mesh, chosen);
    if (choice->vertices) TRY(mark_vertices(choice->vertices, mesh, chosen));
    unmark_embedded(visible, mesh->vertex_count, chosen);
    for (size_t i = 0; i < mesh->vertex_count; i++) count += chosen[i];
    if (count == 0)
        return fail_with(
            b->context, RUGA_ERROR_INPUT,
            "the pin chooses no vertex; %s: give it \"where\", a box that contains vertices of the mesh, in "
            "coordinates of the scene, or \"vertices\"",
            build_extent(mesh).text);
    TRY(ARENA_NEW(b->memory, &vertices, count));
    for (size_t i = 0, at = 0; i < mesh->vertex_count; i++)
        if (chosen[i]) vertices[at++] = (uint32_t)i;
    out->count = count;
    out->vertices = vertices;
    return RUGA_OK;
}

/* ---- Making. */

static ruga_status make_pin(build *b, const ruga_variant *variant, const ruga_map *visible, cloth_pin_def *out) {
    const void *values;
    TRY(variant_values(b->memory, variant, &values));
    const ruga_pin_choice *choice = values; /* every kind of pin begins with it */
    ruga_param where;
    unsigned char *chosen = NULL;
    size_t errors = b->errors;
    TRY(build_param_of(b, ruga_section_field(variant->section, "where"), &choice->where, mesh_of_pins(b), &where));
    if (b->errors > errors) return RUGA_OK;
    TRY(NEW_ZEROED(b->context, &chosen, mesh_of_pins(b)->vertex_count));
    ruga_status status = list_vertices(b, choice, &where, visible, chosen, out);
    memory_release(b->context, chosen);
    TRY(build_about(b, choice->vertices ? (const void *)&choice->vertices : variant, status));
    if (variant->section == &pin_path_section) {
        const ruga_pin_path_def *path = values;
        out->key_count = path->keys.count;
        out->keys = path->keys.items;
        return build_check_keys(b, &path->keys, sizeof(ruga_pin_key));
    }
    if (variant->section == &pin_fixed_section) return RUGA_OK;
    if (variant->section != &pin_follow_section)
        return fail_argument(b->context, "unknown kind of pin \"%s\"", variant->section->name);
    const ruga_pin_follow_def *follow = values;
    if (!follow->object) return RUGA_OK;
    return build_about(b, &follow->object, build_find_body(b, follow->object, &out->leader));
}

ruga_status pins_make(build *b, const ruga_list *list, const ruga_map *visible, const cloth_pin_def **out,
                      size_t *count) {
    const ruga_variant *variants = list->items;
    cloth_pin_def *pins = NULL;
    unsigned char *held = NULL;
    size_t errors = b->errors;
    ruga_status status = RUGA_OK;
    TRY(ARENA_NEW(b->memory, &pins, list->count + 1));
    memset(pins, 0, (list->count + 1) * sizeof *pins);
    for (size_t i = 0; i < list->count; i++)
        if (variants[i].section) TRY(make_pin(b, &variants[i], visible, &pins[i]));
    *count = list->count;
    *out = pins;
    if (b->errors > errors) return RUGA_OK;
    TRY(NEW_ZEROED(b->context, &held, b->mesh->vertex_count));
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < pins[i].count && b->errors == errors && !RUGA_FAILED(status); k++) {
            uint32_t vertex = pins[i].vertices[k];
            if (held[vertex])
                status = build_found(b, list, RUGA_ERROR_INPUT, "vertex %u is pinned twice; a vertex can have one pin",
                                     vertex);
            held[vertex] = 1;
        }
    memory_release(b->context, held);
    return status;
}

_Static_assert(offsetof(ruga_pin_key, time) == 0, "build_check_keys wants the time first");
