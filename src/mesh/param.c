/* Parameters: a number per vertex, from a constant, an attribute, an array, a group of faces, or keyframes of these. All
 * values are checked before the first is handed out, and nothing is allocated.
 *
 * Vertices are treated in windows. Who belongs to a group is marked bit by bit for a window at a time, in one pass over the
 * faces, so that the marks fit on the stack whatever the size of the mesh. */
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"
#include "mesh/param.h"
#include "ruga/text.h"

#define MAX_SUGGESTIONS 64
#define WINDOW ((size_t)1 << 17) /* vertices */

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
    const ruga_attribute *attribute; /* of the vertices, or the faces' groups */
    double label;                    /* of the group among the attribute's values */
    uint64_t members[WINDOW / 64];   /* bit v - begin: vertex v of the window belongs to the group */
} value_source;

static double plain_value(const value_source *source, size_t begin, size_t vertex) {
    const ruga_param *param = source->param;
    switch (param->kind) {
        case RUGA_PARAM_ATTRIBUTE: return ruga_attribute_get(source->attribute, vertex, 0);
        case RUGA_PARAM_GROUP: return (double)(source->members[(vertex - begin) / 64] >> ((vertex - begin) % 64) & 1);
        case RUGA_PARAM_ARRAY: return param->array[vertex];
        default: return param->constant;
    }
}

/* Between the two ends, which it meets exactly, and never past them by a rounding. What is not a number stays so. */
static double mix(double a, double b, double t) {
    double value = (1 - t) * a + t * b, low = fmin(a, b), high = fmax(a, b);
    if (t < 0 || t > 1) return value;
    return value < low ? low : value > high ? high : value;
}

static double source_value(const value_source *source, size_t begin, size_t vertex) {
    const ruga_param *param = source->param;
    double value = plain_value(source, begin, vertex);
    int is_mapped = param->kind == RUGA_PARAM_ATTRIBUTE || param->kind == RUGA_PARAM_GROUP;
    return is_mapped && param->from != param->to ? mix(param->from, param->to, value) : value;
}

/* Marks the vertices of the window that faces of the group use. */
static void mark_members(value_source *source, const ruga_mesh *mesh, size_t begin) {
    if (source->param->kind != RUGA_PARAM_GROUP) return;
    memset(source->members, 0, sizeof source->members);
    for (size_t f = 0; f < mesh->face_count; f++) {
        if (ruga_attribute_get(source->attribute, f, 0) != source->label) continue;
        for (size_t c = mesh_face_begin(mesh, f); c < mesh_face_end(mesh, f); c++) {
            size_t bit = mesh->face_vertices[c] - begin; /* of vertices before the window: a huge number */
            if (bit < WINDOW) source->members[bit / 64] |= (uint64_t)1 << (bit % 64);
        }
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

static ruga_status fail_group(const char *name, const char *wanted, const ruga_mesh *mesh,
                              const ruga_attribute *groups) {
    if (!groups)
        return fail_with(mesh->context, RUGA_ERROR_INPUT,
                         "%s: there is no group \"%s\": the faces of the mesh have no groups", name, wanted);
    const char *nearest = ruga_nearest_word(wanted, groups->labels, groups->label_count);
    if (nearest)
        return fail_with(mesh->context, RUGA_ERROR_INPUT, "%s: the mesh has no group \"%s\"; did you mean \"%s\"?",
                         name, wanted, nearest);
    return fail_with(mesh->context, RUGA_ERROR_INPUT, "%s: the mesh has no group \"%s\" (it has %zu others)", name,
                     wanted, groups->label_count);
}

static ruga_status resolve_group(const ruga_param *param, const char *name, const ruga_mesh *mesh, value_source *out) {
    if (!param->attribute) return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: the group's name is NULL", name);
    out->attribute = ruga_mesh_attribute(mesh, "group", RUGA_DOMAIN_FACE);
    for (size_t i = 0; out->attribute && i < out->attribute->label_count; i++) {
        if (strcmp(out->attribute->labels[i], param->attribute) != 0) continue;
        out->label = (double)i;
        return RUGA_OK;
    }
    return fail_group(name, param->attribute, mesh, out->attribute);
}

static ruga_status resolve_array(const ruga_param *param, const char *name, const ruga_mesh *mesh) {
    if (param->file && !param->array)
        return fail_with(mesh->context, RUGA_ERROR_ARGUMENT,
                         "%s: the values of \"%s\" have not been read; only scenes read files", name, param->file);
    if (param->array_count == mesh->vertex_count && (param->array || mesh->vertex_count == 0)) return RUGA_OK;
    return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: the array has %zu values, but the mesh has %zu vertices",
                     name, param->array_count, mesh->vertex_count);
}

static ruga_status resolve(const ruga_param *param, const char *name, const ruga_mesh *mesh, value_source *out) {
    out->param = param;
    switch (param->kind) {
        case RUGA_PARAM_CONSTANT: return RUGA_OK;
        case RUGA_PARAM_ATTRIBUTE:
            if (!param->attribute)
                return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: the attribute's name is NULL", name);
            out->attribute = ruga_mesh_attribute(mesh, param->attribute, RUGA_DOMAIN_VERTEX);
            return out->attribute ? RUGA_OK : fail_attribute(name, param->attribute, mesh);
        case RUGA_PARAM_ARRAY: return resolve_array(param, name, mesh);
        case RUGA_PARAM_GROUP: return resolve_group(param, name, mesh, out);
        case RUGA_PARAM_KEYS:
            return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: a keyframe can't hold keyframes itself", name);
    }
    return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: a parameter of unknown kind %d", name, (int)param->kind);
}

static ruga_status fail_value(const ruga_param *param, const char *name, const ruga_mesh *mesh, size_t vertex,
                              double value) {
    const char *unit = param->unit && strcmp(param->unit, "1") ? param->unit : "", *space = *unit ? " " : "";
    if (!isfinite(value))
        return fail_with(mesh->context, RUGA_ERROR_INPUT, "%s: vertex %zu has %g, a finite number is needed", name,
                         vertex, value);
    return fail_with(mesh->context, RUGA_ERROR_INPUT, "%s: vertex %zu has %.9g%s%s, allowed is %.9g to %.9g%s%s", name,
                     vertex, value, space, unit, param->low, param->high, space, unit);
}

static int is_allowed(const ruga_param *param, double value) {
    return isfinite(value) && (param->low == param->high || (value >= param->low && value <= param->high));
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

/* What the value is mixed of: one source, or the two keyframes around the time. */
typedef struct mixture {
    const ruga_param *param; /* the whole */
    const char *name;
    const ruga_mesh *mesh;
    size_t count; /* of sources: 1 or 2 */
    double t;     /* part of the second */
    value_source sources[2];
} mixture;

static ruga_status resolve_mixture(const ruga_param *param, const char *name, const ruga_mesh *mesh, double time,
                                   mixture *out) {
    out->param = param;
    out->name = name;
    out->mesh = mesh;
    out->count = 1;
    out->t = 0;
    if (param->kind != RUGA_PARAM_KEYS) return resolve(param, name, mesh, &out->sources[0]);
    size_t first = 0;
    TRY(locate_keys(param, name, mesh, time, &first, &out->t));
    TRY(resolve(param->keys[first].value, name, mesh, &out->sources[0]));
    if (!(out->t > 0)) return RUGA_OK;
    out->count = 2;
    return resolve(param->keys[first + 1].value, name, mesh, &out->sources[1]);
}

static double mixture_value(const mixture *m, size_t begin, size_t vertex) {
    double a = source_value(&m->sources[0], begin, vertex);
    return m->count == 1 ? a : mix(a, source_value(&m->sources[1], begin, vertex), m->t);
}

/* Values at keyframes have limits of their own beside those of the whole. */
static ruga_status check_window(const mixture *m, size_t begin, size_t end) {
    for (size_t v = begin; v < end; v++) {
        for (size_t k = 0; k < m->count; k++) {
            double value = source_value(&m->sources[k], begin, v);
            if (!is_allowed(m->sources[k].param, value))
                return fail_value(m->sources[k].param, m->name, m->mesh, v, value);
        }
        double value = mixture_value(m, begin, v);
        if (!is_allowed(m->param, value)) return fail_value(m->param, m->name, m->mesh, v, value);
    }
    return RUGA_OK;
}

/* Checks all values, or hands them out. */
static ruga_status pass_over_windows(mixture *m, double *values) {
    for (size_t begin = 0; begin < m->mesh->vertex_count; begin += WINDOW) {
        size_t end = m->mesh->vertex_count - begin < WINDOW ? m->mesh->vertex_count : begin + WINDOW;
        for (size_t k = 0; k < m->count; k++) mark_members(&m->sources[k], m->mesh, begin);
        if (!values) TRY(check_window(m, begin, end));
        for (size_t v = begin; values && v < end; v++) values[v] = mixture_value(m, begin, v);
    }
    return RUGA_OK;
}

/* Whether one vertex speaks for all. */
static int is_uniform(const mixture *m) {
    for (size_t k = 0; k < m->count; k++)
        if (m->sources[k].param->kind != RUGA_PARAM_CONSTANT) return 0;
    return m->mesh->vertex_count > 0;
}

ruga_status ruga_param_evaluate(const ruga_param *param, const char *name, const ruga_mesh *mesh, double time,
                                double *values) {
    if (!param || !mesh) return RUGA_ERROR_ARGUMENT;
    if (!name) name = "parameter";
    if (isnan(time)) return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "%s: asked for the time NaN", name);
    mixture m;
    TRY(resolve_mixture(param, name, mesh, time, &m));
    if (is_uniform(&m)) {
        TRY(check_window(&m, 0, 1));
        const double value = mixture_value(&m, 0, 0);
        for (size_t v = 0; v < mesh->vertex_count; v++) values[v] = value;
        return RUGA_OK;
    }
    TRY(pass_over_windows(&m, NULL));
    return pass_over_windows(&m, values);
}

ruga_status param_prepare(const ruga_param *param, const char *name, const ruga_mesh *mesh, double *values) {
    for (size_t k = param_changes(param) && param->keys ? param->key_count - 1 : 0; k > 0; k--)
        TRY(ruga_param_evaluate(param, name, mesh, param->keys[k].time, values));
    return ruga_param_evaluate(param, name, mesh,
                               param->kind == RUGA_PARAM_KEYS && param->keys ? param->keys[0].time : 0, values);
}
