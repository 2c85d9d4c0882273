/* Parameters: a number per vertex, from a constant, an attribute, an array, or keyframes of these. All values are
 * checked before the first is handed out. */
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"
#include "ruga/motion.h"
#include "ruga/text.h"

#define MAX_SUGGESTIONS 64

ruga_param ruga_param_constant(double value) { return (ruga_param){.kind = RUGA_PARAM_CONSTANT, .constant = value}; }

ruga_param ruga_param_attribute(const char *name) {
    return (ruga_param){.kind = RUGA_PARAM_ATTRIBUTE, .attribute = name};
}

ruga_param ruga_param_group(const char *name) { return (ruga_param){.kind = RUGA_PARAM_GROUP, .attribute = name}; }

ruga_param ruga_param_array(const double *values, size_t count) {
    return (ruga_param){.kind = RUGA_PARAM_ARRAY, .array = values, .array_count = count};
}

ruga_param ruga_param_keys(const ruga_param_key *keys, size_t count) {
    return (ruga_param){.kind = RUGA_PARAM_KEYS, .keys = keys, .key_count = count};
}

/* Where a value that does not change with time comes from. */
typedef struct value_source {
    const ruga_param *param;
    const ruga_attribute *attribute;
} value_source;

static double source_value(const value_source *source, size_t vertex) {
    switch (source->param->kind) {
        case RUGA_PARAM_ATTRIBUTE: return ruga_attribute_get(source->attribute, vertex, 0);
        case RUGA_PARAM_ARRAY: return source->param->array[vertex];
        default: return source->param->constant;
    }
}

static ruga_status fail_attribute(const char *name, const char *wanted, const ruga_mesh *mesh) {
    const char *names[MAX_SUGGESTIONS];
    size_t count = 0;
    for (size_t i = 0; i < mesh->attribute_count && count < MAX_SUGGESTIONS; i++)
        if (mesh->attributes[i].domain == RUGA_DOMAIN_VERTEX) names[count++] = mesh->attributes[i].name;
    const char *nearest = ruga_nearest_word(wanted, names, count);
    if (nearest)
        return fail_with(mesh->context, RUGA_ERROR_INPUT,
                         "%s: the mesh has no vertex attribute \"%s\"; did you mean \"%s\"?", name, wanted, nearest);
    return fail_with(mesh->context, RUGA_ERROR_INPUT, "%s: the mesh has no vertex attribute \"%s\" (it has %zu others)",
                     name, wanted, count);
}

static ruga_status resolve(const ruga_param *param, const char *name, const ruga_mesh *mesh, value_source *out) {
    *out = (value_source){.param = param};
    switch (param->kind) {
        case RUGA_PARAM_CONSTANT: return RUGA_OK;
        case RUGA_PARAM_ATTRIBUTE:
            if (!param->attribute)
                return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: the attribute's name is NULL", name);
            out->attribute = ruga_mesh_attribute(mesh, param->attribute, RUGA_DOMAIN_VERTEX);
            return out->attribute ? RUGA_OK : fail_attribute(name, param->attribute, mesh);
        case RUGA_PARAM_ARRAY:
            if (param->array_count == mesh->vertex_count && (param->array || mesh->vertex_count == 0)) return RUGA_OK;
            return fail_with(mesh->context, RUGA_ERROR_ARGUMENT,
                             "%s: the array has %zu values, but the mesh has %zu vertices", name, param->array_count,
                             mesh->vertex_count);
        case RUGA_PARAM_KEYS:
            return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: a keyframe can't hold keyframes itself", name);
    }
    return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: a parameter of unknown kind %d", name, (int)param->kind);
}

static ruga_status check_value(const ruga_param *param, const char *name, const ruga_mesh *mesh, size_t vertex,
                               double value) {
    const char *unit = param->unit && strcmp(param->unit, "1") ? param->unit : "", *space = *unit ? " " : "";
    if (!isfinite(value))
        return fail_with(mesh->context, RUGA_ERROR_INPUT, "%s: vertex %zu has %g, a finite number is needed", name,
                         vertex, value);
    if (param->low == param->high || (value >= param->low && value <= param->high)) return RUGA_OK;
    return fail_with(mesh->context, RUGA_ERROR_INPUT, "%s: vertex %zu has %.9g%s%s, allowed is %.9g to %.9g%s%s", name,
                     vertex, value, space, unit, param->low, param->high, space, unit);
}

/* All keys rise; *first and *t tell between which two the time is. */
static ruga_status locate_keys(const ruga_param *param, const char *name, const ruga_mesh *mesh, double time,
                               size_t *first, double *t) {
    if (param->key_count == 0 || !param->keys)
        return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: there are no keyframes", name);
    *first = 0;
    *t = 0;
    for (size_t k = 0; k < param->key_count; k++) {
        double now = param->keys[k].time;
        if (!param->keys[k].value)
            return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: keyframe %zu has no value", name, k);
        if (!isfinite(now) || (k > 0 && !(now > param->keys[k - 1].time)))
            return fail_with(mesh->context, RUGA_ERROR_ARGUMENT,
                             "%s: keyframe %zu is at %g s, times must be finite and rise", name, k, now);
        if (time >= now) *first = k;
    }
    double begin = param->keys[*first].time;
    if (*first + 1 < param->key_count && time > begin) *t = (time - begin) / (param->keys[*first + 1].time - begin);
    return RUGA_OK;
}

/* The two sources between which the value is mixed; the same one twice when there is nothing to mix. */
static ruga_status resolve_pair(const ruga_param *param, const char *name, const ruga_mesh *mesh, double time,
                                value_source pair[2], double *t) {
    *t = 0;
    if (param->kind != RUGA_PARAM_KEYS) {
        TRY(resolve(param, name, mesh, &pair[0]));
        pair[1] = pair[0];
        return RUGA_OK;
    }
    size_t first = 0;
    TRY(locate_keys(param, name, mesh, time, &first, t));
    TRY(resolve(param->keys[first].value, name, mesh, &pair[0]));
    return resolve(param->keys[*t > 0 ? first + 1 : first].value, name, mesh, &pair[1]);
}

static double pair_value(const value_source pair[2], double t, size_t vertex) {
    double a = source_value(&pair[0], vertex);
    return t > 0 ? (1 - t) * a + t * source_value(&pair[1], vertex) : a;
}

/* Values at keyframes have limits of their own beside those of the whole. */
static ruga_status check_pair(const ruga_param *param, const char *name, const ruga_mesh *mesh,
                              const value_source pair[2], double t, size_t vertex) {
    for (int k = 0; k < (t > 0 ? 2 : 1); k++)
        TRY(check_value(pair[k].param, name, mesh, vertex, source_value(&pair[k], vertex)));
    return check_value(param, name, mesh, vertex, pair_value(pair, t, vertex));
}

ruga_status ruga_param_evaluate(const ruga_param *param, const char *name, const ruga_mesh *mesh, double time,
                                double *values) {
    if (!param || !mesh) return RUGA_ERROR_ARGUMENT;
    if (!name) name = "parameter";
    if (isnan(time)) return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: asked for the time NaN", name);
    value_source pair[2];
    double t;
    TRY(resolve_pair(param, name, mesh, time, pair, &t));
    for (size_t v = 0; v < mesh->vertex_count; v++) TRY(check_pair(param, name, mesh, pair, t, v));
    for (size_t v = 0; v < mesh->vertex_count; v++) values[v] = pair_value(pair, t, v);
    return RUGA_OK;
}
