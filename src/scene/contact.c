#include "scene/contact.h"

#include <math.h>

#include "scene/object.h"
#include "scene/tables.h"

void touch_set(const ruga_object_def *object, const ruga_material_def *material, body_touch *touch) {
    const ruga_object_contact_def *values = &object->contact;
    touch->collides = values->collides;
    touch->self = values->self;
    if (!isnan(values->thickness)) touch->thickness = values->thickness;
    if (material) touch->friction = material->friction;
    if (!isnan(values->friction)) touch->friction = values->friction;
}

ruga_status touch_mask(build *b, const ruga_mesh *mesh, const unsigned char **out) {
    const ruga_param *where = &b->object->contact.where;
    const ruga_field *row = ruga_section_field(object_contact_sections[0], "where");
    ruga_param loaded;
    double *values = NULL;
    unsigned char *collides = NULL;
    size_t errors = b->errors, count = 0;
    *out = NULL;
    if (where->kind == RUGA_PARAM_CONSTANT && !(where->constant <= 0.5)) return RUGA_OK;
    TRY(build_param_of(b, row, where, mesh, &loaded));
    if (b->errors > errors) return RUGA_OK;
    TRY(ARENA_NEW(b->memory, &collides, mesh->vertex_count + 1));
    TRY(NEW(b->context, &values, mesh->vertex_count));
    ruga_status status = ruga_param_evaluate(&loaded, row->name, mesh, 0, values);
    for (size_t v = 0; !RUGA_FAILED(status) && v < mesh->vertex_count; v++) count += collides[v] = values[v] > 0.5;
    memory_release(b->context, values);
    if (RUGA_FAILED(status)) return build_about(b, where, status);
    if (count < mesh->vertex_count) *out = collides;
    if (count > 0) return RUGA_OK;
    return build_found(b, where, RUGA_ERROR_INPUT,
                       "no vertex is chosen to collide; %s: choose vertices of it, or use \"contact\": false for an "
                       "object that others pass through",
                       build_extent(mesh).text);
}

ruga_status touch_mask_simulated(build *b, const ruga_mesh *mesh, const unsigned char *mask,
                                 body_simulated *simulated) {
    const ruga_map *visible = simulated->visible;
    size_t points = simulated->mesh ? simulated->mesh->vertex_count : mesh->vertex_count;
    unsigned char *collides = NULL;
    TRY(ARENA_NEW(b->memory, &collides, points + 1));
    for (size_t i = 0; i < points; i++) collides[i] = simulated->collides ? simulated->collides[i] : 1;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (mask[v]) continue;
        if (!visible && v < points) collides[v] = 0;
        for (size_t k = visible ? visible->offsets[v] : 0; visible && k < visible->offsets[v + 1]; k++)
            if (visible->weights[k] != 0) collides[visible->indices[k]] = 0;
    }
    simulated->collides = collides;
    return RUGA_OK;
}

ruga_status touch_mask_carry(build *b, const ruga_map *vertices, const unsigned char **mask) {
    unsigned char *carried = NULL;
    TRY(ARENA_NEW(b->memory, &carried, vertices->rows + 1));
    for (size_t v = 0; v < vertices->rows; v++) {
        carried[v] = 1;
        for (size_t k = vertices->offsets[v]; k < vertices->offsets[v + 1]; k++)
            carried[v] &= vertices->weights[k] == 0 || (*mask)[vertices->indices[k]];
    }
    *mask = carried;
    return RUGA_OK;
}

/* An object of an exclusion; NULL: there is none of that name, or the reader reported that it has none. */
static ruga_status find_excluded(build *b, const char *const *name, const ruga_object_def **out) {
    size_t found;
    *out = NULL;
    if (!*name) return RUGA_OK;
    ruga_status status = object_find(b->context, b->scene, *name, "to exclude", &found);
    if (!RUGA_FAILED(status)) *out = (const ruga_object_def *)b->scene->objects.items + found;
    return build_about(b, name, status);
}

ruga_status contact_find_exclusions(build *b, contact_def *out) {
    const ruga_list *list = &b->scene->contact.exclusions;
    const ruga_exclusion_def *given = list->items;
    contact_exclusion *exclusions = NULL;
    TRY(ARENA_NEW(b->memory, &exclusions, list->count + 1));
    for (size_t i = 0; i < list->count; i++) {
        const ruga_object_def *object, *other;
        TRY(find_excluded(b, &given[i].object, &object));
        TRY(find_excluded(b, &given[i].other, &other));
        if (object && other && object->contact.collides && other->contact.collides)
            exclusions[out->exclusion_count++] = (contact_exclusion){{given[i].object, given[i].other}};
    }
    out->exclusions = exclusions;
    return RUGA_OK;
}
