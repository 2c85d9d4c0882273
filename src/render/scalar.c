#include "render/scalar.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* A vertex attribute; those of the frame come first. */
static const ruga_attribute *find_attribute(const ruga_render_mesh *item) {
    for (size_t i = 0; item->frame && i < item->frame->attribute_count; i++) {
        const ruga_attribute *attribute = &item->frame->attributes[i];
        if (attribute->domain == RUGA_DOMAIN_VERTEX && !strcmp(attribute->name, item->scalar)) return attribute;
    }
    return ruga_mesh_attribute(item->mesh, item->scalar, RUGA_DOMAIN_VERTEX);
}

double scalar_field_at(const scalar_field *field, size_t vertex) {
    return field->values ? field->values[vertex] : ruga_attribute_get(field->attribute, vertex, 0);
}

#define LARGEST 1e100 /* beyond it a value is treated as infinite: ranges must not overflow */

/* The range of the values; of none [0, 1]. */
static void range_of_data(scalar_field *field, size_t vertex_count) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < vertex_count; i++) {
        double value = scalar_field_at(field, i);
        if (fabs(value) < LARGEST) low = fmin(low, value), high = fmax(high, value);
    }
    if (low > high) low = 0, high = 1;
    if (field->diverging) {
        high = fmax(fabs(low), fabs(high));
        low = -high;
    }
    field->low = low, field->high = high;
}

/* Numbers that hardly differ get a range around them that can be drawn. */
static void widen_range(scalar_field *field) {
    double largest = fmax(fabs(field->low), fabs(field->high));
    if (field->high - field->low > fmax(1e-12 * largest, 1 / LARGEST)) return;
    double around = largest > 10 / LARGEST ? 0.1 * largest : 1;
    field->low -= around, field->high += around;
}

ruga_status scalar_field_find(ruga_context *context, const ruga_render_mesh *item, scalar_field *out) {
    *out = (scalar_field){.diverging = item->diverging, .label = item->scalar_label};
    if (!item->scalar && !item->scalar_values) return RUGA_OK;
    out->shown = 1;
    out->values = item->scalar_values;
    if (!out->values && !(out->attribute = find_attribute(item)))
        return fail_input(context,
                          "the mesh has no vertex attribute \"%s\" to be shown in colours; give the name of one",
                          item->scalar);
    if (!out->label) out->label = item->scalar;
    if (!(fabs(item->scalar_low) < LARGEST && fabs(item->scalar_high) < LARGEST) ||
        item->scalar_low > item->scalar_high)
        return fail_argument(
            context,
            "the range of colours is %g to %g; the second number must be greater, or equal for the range of "
            "the data",
            item->scalar_low, item->scalar_high);
    out->low = item->scalar_low, out->high = item->scalar_high;
    if (!(out->low < out->high)) range_of_data(out, item->mesh->vertex_count);
    widen_range(out);
    return RUGA_OK;
}

double scalar_field_place(const scalar_field *field, double value) {
    if (!field->diverging) return (value - field->low) / (field->high - field->low);
    double reach = fmax(fabs(field->low), fabs(field->high));
    return 0.5 + 0.5 * value / reach;
}

int scalar_field_same_legend(const scalar_field *a, const scalar_field *b) {
    int same_label = a->label == b->label || (a->label && b->label && !strcmp(a->label, b->label));
    return a->shown && b->shown && same_label && a->low == b->low && a->high == b->high &&
           !a->diverging == !b->diverging;
}
