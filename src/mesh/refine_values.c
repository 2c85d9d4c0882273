/* Values of attributes on the way to a finer mesh. */
#include "mesh/refine_values.h"

#include <math.h>
#include <string.h>

/* ---- Single values. */

static int is_mixed(const ruga_attribute *a) { return a->type == RUGA_F32 || a->type == RUGA_F64 || a->normalised; }

static int is_floating(const ruga_attribute *a) { return a->type == RUGA_F32 || a->type == RUGA_F64; }

/* How many leading components are a direction of unit length. */
static uint32_t direction_size(const ruga_attribute *a) {
    if (!is_floating(a)) return 0;
    if (a->components == 3 && !strcmp(a->name, "normal")) return 3;
    return a->components == 4 && !strcmp(a->name, "tangent") ? 3 : 0;
}

static void normalise_direction(const ruga_attribute *a, void *values, size_t first) {
    double length2 = 0;
    for (size_t k = 0; k < 3; k++) {
        double x = mesh_scalar_get(a->type, values, first + k);
        length2 += x * x;
    }
    if (!(length2 > 0)) return;
    for (size_t k = 0; k < 3; k++)
        mesh_scalar_set(a->type, values, first + k, mesh_scalar_get(a->type, values, first + k) / sqrt(length2));
}

/* Integers, and what has a direction: normalised integers are mixed, others are those of the nearest point. */
static void mix_any(const ruga_attribute *a, double sum, const uint32_t point[3], const double weights[3], void *values,
                    size_t out) {
    size_t nearest = 0;
    for (size_t k = 1; k < 3; k++)
        if (weights[k] > weights[nearest]) nearest = k;
    uint32_t direction = direction_size(a);
    for (uint32_t c = 0; c < a->components; c++) {
        double value = mesh_scalar_get(a->type, a->values, (size_t)point[nearest] * a->components + c);
        if (is_mixed(a) && (direction == 0 || c < direction)) {
            value = 0;
            for (size_t k = 0; k < 3; k++)
                if (weights[k] > 0)
                    value += weights[k] * mesh_scalar_get(a->type, a->values, (size_t)point[k] * a->components + c);
            value /= sum;
        }
        mesh_scalar_set(a->type, values, out * a->components + c, value);
    }
    if (direction > 0) normalise_direction(a, values, out * a->components);
}

/* A value of weight 0 takes no part: it need not be finite. */
static void mix_floats(const ruga_attribute *a, double sum, const uint32_t point[3], const double weights[3],
                       float *out) {
    const float *values = a->values;
    for (size_t c = 0, n = a->components; c < n; c++) {
        double value = 0;
        for (size_t k = 0; k < 3; k++)
            if (weights[k] > 0) value += weights[k] * (double)values[point[k] * n + c];
        out[c] = (float)(value / sum);
    }
}

static void mix_doubles(const ruga_attribute *a, double sum, const uint32_t point[3], const double weights[3],
                        double *out) {
    const double *values = a->values;
    for (size_t c = 0, n = a->components; c < n; c++) {
        double value = 0;
        for (size_t k = 0; k < 3; k++)
            if (weights[k] > 0) value += weights[k] * values[point[k] * n + c];
        out[c] = value / sum;
    }
}

void mix_value(const ruga_attribute *a, double sum, const uint32_t point[3], const double weights[3], void *values,
               size_t out) {
    if (!is_floating(a) || direction_size(a) > 0)
        mix_any(a, sum, point, weights, values, out);
    else if (a->type == RUGA_F32)
        mix_floats(a, sum, point, weights, (float *)values + out * a->components);
    else
        mix_doubles(a, sum, point, weights, (double *)values + out * a->components);
}

/* ---- Adding what was made to the parts. */

size_t value_size(const ruga_attribute *a) { return ruga_scalar_size(a->type) * a->components; }

ruga_status add_like(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, size_t count, void *values,
                     uint32_t *indices) {
    TRY(mesh_parts_add(context, parts, a->name, a->domain, a->type, a->components, count, values, indices));
    parts->attributes.items[parts->attributes.count - 1].normalised = a->normalised;
    return a->label_count > 0 ? mesh_parts_set_labels(context, parts, a->labels, a->label_count) : RUGA_OK;
}

void *grow_values(ruga_context *context, const ruga_attribute *a, size_t more) {
    unsigned char *values = memory_allocate(context, a->count + more, value_size(a));
    if (values && a->count > 0) memcpy(values, a->values, a->count * value_size(a));
    return values;
}

ruga_status add_picked(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, size_t count,
                       const uint32_t *origin) {
    if (a->indices) {
        uint32_t *indices = ALLOCATE(context, uint32_t, count);
        void *values = indices ? grow_values(context, a, 0) : NULL;
        for (size_t i = 0; values && i < count; i++) indices[i] = a->indices[origin[i]];
        return add_like(context, parts, a, a->count, values, indices);
    }
    size_t size = value_size(a);
    unsigned char *values = memory_allocate(context, count, size);
    for (size_t i = 0; values && i < count; i++)
        memcpy(values + i * size, (const unsigned char *)a->values + (size_t)origin[i] * size, size);
    return add_like(context, parts, a, count, values, NULL);
}
