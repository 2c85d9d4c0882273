/* Shared by the makers of all kinds: findings, parameters, keys. */
#include "body/kind.h"

#include <stdio.h>
#include <string.h>

#include "body/param_file.h"
#include "math/vec3.h"
#include "mesh/carry.h"
#include "mesh/param.h"

ruga_status build_found(build *b, const void *value, ruga_status status, const char *format, ...) {
    char message[sizeof b->context->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (RUGA_FAILED(status)) b->errors++;
    return b->interface->found(b, value, status, message);
}

static int ends_build(ruga_status status) { return status == RUGA_ERROR_MEMORY || status == RUGA_ERROR_CANCELLED; }

ruga_status build_about(build *b, const void *value, ruga_status status) {
    if (!RUGA_FAILED(status) || ends_build(status)) return status;
    return build_found(b, value, status, "%s", ruga_context_message(b->context));
}

extent_text build_extent(const ruga_mesh *mesh) {
    extent_text out = {"the mesh has no vertices"};
    vec3 low, high;
    if (mesh->vertex_count == 0) return out;
    vec3_bounds(mesh->positions, mesh->vertex_count, &low, &high);
    snprintf(out.text, sizeof out.text, "the mesh reaches from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m", low.x,
             low.y, low.z, high.x, high.y, high.z);
    return out;
}

/* ---- Parameters. */

/* Files and selectors become arrays. Numbers of elements are those of the mesh as the user knows it, before a cut. */
static ruga_status load_param(const build *b, const ruga_param *param, const ruga_mesh *mesh, ruga_param *out) {
    if (b->uncut && mesh == b->cut_mesh) {
        ruga_param whole;
        TRY(param_load(b->memory, param, b->uncut->vertex_count, &whole));
        TRY(param_resolve_selectors(b->memory, b->uncut, 1, &whole));
        TRY(param_carry(b->context, &whole, b->from_uncut, b->memory, out));
    } else {
        TRY(param_load(b->memory, param, mesh->vertex_count, out));
    }
    return param_resolve_selectors(b->memory, mesh, 0, out);
}

ruga_status build_param_of(build *b, const ruga_field *field, const ruga_param *param, const ruga_mesh *mesh,
                           ruga_param *out) {
    ruga_status status = load_param(b, param, mesh, out);
    param_limit(field, out);
    /* The reader of a description has reported a value that must be given. */
    if (param_is_absent(param) && !field->preset && b->incomplete) b->errors++;
    if (RUGA_FAILED(status) || param_is_absent(param)) return build_about(b, param, status);
    double *values = NULL;
    TRY(NEW(b->context, &values, mesh->vertex_count));
    status = param_prepare(out, field->name, mesh, values);
    memory_release(b->context, values);
    if (!RUGA_FAILED(status) || ends_build(status)) return status;
    /* The message begins with the name, which the path of the finding ends in. */
    const char *message = ruga_context_message(b->context);
    size_t length = strlen(field->name);
    if (strncmp(message, field->name, length) == 0 && strncmp(message + length, ": ", 2) == 0) message += length + 2;
    return build_found(b, param, status, "%s", message);
}

ruga_status build_param(build *b, const ruga_param *param, const ruga_mesh *mesh, ruga_param *out) {
    const ruga_section *section = b->variant->section;
    size_t offset = (size_t)((const char *)param - (const char *)b->values), i = 0;
    while (i < section->field_count && section->fields[i].offset != offset) i++;
    if (i == section->field_count)
        return fail_argument(b->context, "kind \"%s\" loads a parameter that has no row in its table", section->name);
    return build_param_of(b, &section->fields[i], param, mesh, out);
}

ruga_status build_params(build *b, const ruga_mesh *mesh, void *copy) {
    const ruga_section *section = b->variant->section;
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *row = &section->fields[i];
        const ruga_param *given = row_param(row, b->values);
        if (given) TRY(build_param_of(b, row, given, mesh, row_param(row, copy)));
    }
    return RUGA_OK;
}

/* ---- Keys. */

ruga_status build_check_keys(build *b, const ruga_list *keys, size_t size) {
    if (keys->count == 0 && !b->incomplete)
        return build_found(b, keys, RUGA_ERROR_INPUT, "there are no keys; give at least one");
    for (size_t k = 1; k < keys->count; k++) {
        const double *before = (const double *)((const char *)keys->items + (k - 1) * size);
        const double *time = (const double *)((const char *)keys->items + k * size);
        if (!(*time > *before))
            TRY(build_found(b, time, RUGA_ERROR_INPUT,
                            "the key is at %g s, but the one before it is at %g s; times must rise", *time, *before));
    }
    return RUGA_OK;
}

/* ---- Values. */

const char *const axis_choices[] = {"y", "z", "x", NULL};
_Static_assert(RUGA_AXIS_Y == 0 && RUGA_AXIS_Z == 1 && RUGA_AXIS_X == 2, "in the order of ruga_axis");

ruga_status variant_values(arena *memory, const ruga_variant *variant, const void **out) {
    static const char nothing = 0;
    *out = variant->values ? variant->values : &nothing;
    if (variant->values || variant->section->size == 0) return RUGA_OK;
    char *values = NULL;
    TRY(ARENA_NEW(memory, &values, variant->section->size));
    ruga_section_defaults(variant->section, values);
    *out = values;
    return RUGA_OK;
}
