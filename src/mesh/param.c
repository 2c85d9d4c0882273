/* Parameters: a number per vertex, from a constant, an attribute, an array, a group of faces, a selector, or keyframes
 * of these. All values are checked before the first is written, and only the weights of selectors are allocated.
 *
 * Vertices are processed in windows. The members of a group are marked bit by bit for one window at a time, in one pass
 * over the faces, so that the marks fit on the stack whatever the size of the mesh. */
#include <math.h>
#include <string.h>

#include "base/name_advice.h"
#include "mesh/mesh.h"
#include "mesh/param.h"
#include "mesh/selector.h"

#define MAX_SUGGESTIONS 64
#define WINDOW ((size_t)1 << 17) /* vertices */

ruga_param ruga_param_constant(double value) { return (ruga_param){.kind = RUGA_PARAM_CONSTANT, .constant = value}; }

ruga_param ruga_param_attribute(const char *name) {
    return (ruga_param){.kind = RUGA_PARAM_ATTRIBUTE, .attribute = name};
}

ruga_param ruga_param_group(const char *name) { return (ruga_param){.kind = RUGA_PARAM_GROUP, .attribute = name}; }

ruga_param ruga_param_selector(const char *text) {
    return (ruga_param){.kind = RUGA_PARAM_SELECTOR, .attribute = text};
}

ruga_param ruga_param_array(const double *values, size_t count) {
    return (ruga_param){.kind = RUGA_PARAM_ARRAY, .array = values, .array_count = count};
}

ruga_param ruga_param_keys(const ruga_param_key *keys, size_t count) {
    return (ruga_param){.kind = RUGA_PARAM_KEYS, .keys = keys, .key_count = count};
}

/* The source of a value that does not change with time. */
typedef struct value_source {
    const ruga_param *param;
    const ruga_attribute *attribute; /* of the vertices, or the faces' groups */
    double label;                    /* of the group among the attribute's values */
    double *weights;                 /* (vertices) of the selector; NULL: none */
    uint64_t members[WINDOW / 64];   /* bit v - begin: vertex v of the window belongs to the group */
} value_source;

static double plain_value(const value_source *source, size_t begin, size_t vertex) {
    const ruga_param *param = source->param;
    switch (param->kind) {
        case RUGA_PARAM_SELECTOR: return source->weights[vertex];
        case RUGA_PARAM_ATTRIBUTE: return ruga_attribute_get(source->attribute, vertex, 0);
        case RUGA_PARAM_GROUP: return (double)(source->members[(vertex - begin) / 64] >> ((vertex - begin) % 64) & 1);
        case RUGA_PARAM_ARRAY: return param->array[vertex];
        default: return param->constant;
    }
}

/* Linear between two ends: exact at the ends and never beyond them. NaN stays NaN. */
static double mix(double a, double b, double t) {
    double value = (1 - t) * a + t * b, low = fmin(a, b), high = fmax(a, b);
    if (t < 0 || t > 1) return value;
    return value < low ? low : value > high ? high : value;
}

static double source_value(const value_source *source, size_t begin, size_t vertex) {
    const ruga_param *param = source->param;
    return param_map(param, plain_value(source, begin, vertex));
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

/* what: "vertex attribute" or "group". */
static ruga_status fail_missing(const char *name, const char *what, const char *wanted, const ruga_mesh *mesh,
                                const char *const *names, size_t count) {
    name_advice advice;
    advise_name(wanted, names, count, advice);
    return fail_input(mesh->context, "%s: the mesh has no %s \"%s\"; %s", name, what, wanted, advice);
}

static ruga_status resolve_attribute(const ruga_param *param, const char *name, const ruga_mesh *mesh,
                                     value_source *out) {
    if (!param->attribute) return fail_argument(mesh->context, "%s: the attribute's name is NULL", name);
    out->attribute = ruga_mesh_attribute(mesh, param->attribute, RUGA_DOMAIN_VERTEX);
    if (out->attribute) return RUGA_OK;
    const char *names[MAX_SUGGESTIONS];
    size_t count = 0;
    for (size_t i = 0; i < mesh->attribute_count && count < MAX_SUGGESTIONS; i++)
        if (mesh->attributes[i].domain == RUGA_DOMAIN_VERTEX) names[count++] = mesh->attributes[i].name;
    return fail_missing(name, "vertex attribute", param->attribute, mesh, names, count);
}

static ruga_status resolve_group(const ruga_param *param, const char *name, const ruga_mesh *mesh, value_source *out) {
    if (!param->attribute) return fail_argument(mesh->context, "%s: the group's name is NULL", name);
    out->attribute = ruga_mesh_attribute(mesh, "group", RUGA_DOMAIN_FACE);
    for (size_t i = 0; out->attribute && i < out->attribute->label_count; i++) {
        if (strcmp(out->attribute->labels[i], param->attribute) != 0) continue;
        out->label = (double)i;
        return RUGA_OK;
    }
    if (!out->attribute)
        return fail_input(mesh->context, "%s: there is no group \"%s\": the faces of the mesh have no groups", name,
                          param->attribute);
    return fail_missing(name, "group", param->attribute, mesh, out->attribute->labels, out->attribute->label_count);
}

static ruga_status resolve_selector(const ruga_param *param, const char *name, const ruga_mesh *mesh,
                                    value_source *out) {
    if (!param->attribute) return fail_argument(mesh->context, "%s: the selector's text is NULL", name);
    double *weights;
    TRY(NEW(mesh->context, &weights, mesh->vertex_count));
    ruga_status status = param_select(param->attribute, mesh, weights);
    if (!RUGA_FAILED(status))
        out->weights = weights;
    else
        memory_release(mesh->context, weights);
    return status;
}

static ruga_status resolve_array(const ruga_param *param, const char *name, const ruga_mesh *mesh) {
    if (param->file && !param->array)
        return fail_argument(mesh->context, "%s: the values of \"%s\" have not been read; only scenes read files", name,
                             param->file);
    if (param->array_count == mesh->vertex_count && (param->array || mesh->vertex_count == 0)) return RUGA_OK;
    return fail_argument(mesh->context, "%s: the array has %zu values, but the mesh has %zu vertices", name,
                         param->array_count, mesh->vertex_count);
}

static ruga_status resolve(const ruga_param *param, const char *name, const ruga_mesh *mesh, value_source *out) {
    out->param = param;
    switch (param->kind) {
        case RUGA_PARAM_SELECTOR: return resolve_selector(param, name, mesh, out);
        case RUGA_PARAM_CONSTANT: return RUGA_OK;
        case RUGA_PARAM_ATTRIBUTE: return resolve_attribute(param, name, mesh, out);
        case RUGA_PARAM_ARRAY: return resolve_array(param, name, mesh);
        case RUGA_PARAM_GROUP: return resolve_group(param, name, mesh, out);
        case RUGA_PARAM_KEYS: return fail_argument(mesh->context, "%s: a keyframe can't hold keyframes itself", name);
    }
    return fail_argument(mesh->context, "%s: a parameter of unknown kind %d", name, (int)param->kind);
}

static ruga_status fail_value(const ruga_param *param, const char *name, const ruga_mesh *mesh, size_t vertex,
                              double value) {
    const char *unit = param->unit && strcmp(param->unit, "1") ? param->unit : "", *space = *unit ? " " : "";
    if (!isfinite(value))
        return fail_input(mesh->context, "%s: vertex %zu has %g, a finite number is needed", name, vertex, value);
    return fail_input(mesh->context, "%s: vertex %zu has %.9g%s%s, allowed is %.9g to %.9g%s%s", name, vertex, value,
                      space, unit, param->low, param->high, space, unit);
}

static int is_allowed(const ruga_param *param, double value) {
    return isfinite(value) && (param->low == param->high || (value >= param->low && value <= param->high));
}

/* Checks the keys; the time is at the fraction *t between keys *first and *first + 1. */
static ruga_status locate_keys(const ruga_param *param, const char *name, const ruga_mesh *mesh, double time,
                               size_t *first, double *t) {
    if (param->key_count == 0 || !param->keys) return fail_argument(mesh->context, "%s: there are no keyframes", name);
    *first = 0;
    *t = 0;
    for (size_t k = 0; k < param->key_count; k++) {
        double now = param->keys[k].time;
        if (!param->keys[k].value) return fail_argument(mesh->context, "%s: keyframe %zu has no value", name, k);
        if (!isfinite(now) || (k > 0 && !(now > param->keys[k - 1].time)))
            return fail_argument(mesh->context, "%s: keyframe %zu is at %g s, times must be finite and rise", name, k,
                                 now);
        if (time >= now) *first = k;
    }
    double begin = param->keys[*first].time;
    if (*first + 1 < param->key_count && time > begin) *t = (time - begin) / (param->keys[*first + 1].time - begin);
    return RUGA_OK;
}

/* The sources of a value: one, or the two keyframes around the time. */
typedef struct mixture {
    const ruga_param *param; /* the whole parameter */
    const char *name;
    const ruga_mesh *mesh;
    size_t count; /* of sources: 1 or 2 */
    double t;     /* weight of the second */
    value_source sources[2];
} mixture;

static ruga_status resolve_mixture(const ruga_param *param, const char *name, const ruga_mesh *mesh, double time,
                                   mixture *out) {
    out->param = param;
    out->name = name;
    out->mesh = mesh;
    out->count = 1;
    out->t = 0;
    out->sources[0].weights = out->sources[1].weights = NULL;
    if (param->kind != RUGA_PARAM_KEYS) return resolve(param, name, mesh, &out->sources[0]);
    size_t first = 0;
    TRY(locate_keys(param, name, mesh, time, &first, &out->t));
    TRY(resolve(param->keys[first].value, name, mesh, &out->sources[0]));
    if (!(out->t > 0)) return RUGA_OK;
    out->count = 2;
    return resolve(param->keys[first + 1].value, name, mesh, &out->sources[1]);
}

static void mixture_release(const mixture *m) {
    RELEASE_ALL(m->mesh->context, m->sources[0].weights, m->sources[1].weights);
}

static double mixture_value(const mixture *m, size_t begin, size_t vertex) {
    double a = source_value(&m->sources[0], begin, vertex);
    return m->count == 1 ? a : mix(a, source_value(&m->sources[1], begin, vertex), m->t);
}

/* Keyframes may have limits of their own besides those of the whole parameter. */
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

/* Checks all values, or writes them if `values` is given. */
static ruga_status pass_over_windows(mixture *m, double *values) {
    for (size_t begin = 0; begin < m->mesh->vertex_count; begin += WINDOW) {
        size_t end = m->mesh->vertex_count - begin < WINDOW ? m->mesh->vertex_count : begin + WINDOW;
        for (size_t k = 0; k < m->count; k++) mark_members(&m->sources[k], m->mesh, begin);
        if (!values) TRY(check_window(m, begin, end));
        for (size_t v = begin; values && v < end; v++) values[v] = mixture_value(m, begin, v);
    }
    return RUGA_OK;
}

/* Whether all vertices have the same value. */
static int is_uniform(const mixture *m) {
    for (size_t k = 0; k < m->count; k++)
        if (m->sources[k].param->kind != RUGA_PARAM_CONSTANT) return 0;
    return m->mesh->vertex_count > 0;
}

/* Checks all values, or writes them if `values` is given. */
static ruga_status pass(mixture *m, double *values) {
    if (!is_uniform(m)) return pass_over_windows(m, values);
    if (!values) return check_window(m, 0, 1);
    const double value = mixture_value(m, 0, 0);
    for (size_t v = 0; v < m->mesh->vertex_count; v++) values[v] = value;
    return RUGA_OK;
}

ruga_status ruga_param_evaluate(const ruga_param *param, const char *name, const ruga_mesh *mesh, double time,
                                double *values) {
    if (!param || !mesh) return RUGA_ERROR_ARGUMENT;
    if (!name) name = "parameter";
    if (isnan(time)) return fail_argument(mesh->context, "%s: the time is NaN", name);
    mixture m;
    ruga_status status = resolve_mixture(param, name, mesh, time, &m);
    if (!RUGA_FAILED(status)) status = pass(&m, NULL);
    if (!RUGA_FAILED(status)) status = pass(&m, values);
    mixture_release(&m);
    return status;
}

ruga_status param_prepare(const ruga_param *param, const char *name, const ruga_mesh *mesh, double *values) {
    int has_keys = param->kind == RUGA_PARAM_KEYS && param->key_count > 0 && param->keys;
    TRY(ruga_param_evaluate(param, name, mesh, has_keys ? param->keys[0].time : 0, values));
    for (size_t k = 1; has_keys && k < param->key_count; k++) {
        mixture m = {.param = param, .name = name, .mesh = mesh, .count = 1};
        ruga_status status = resolve(param->keys[k].value, name, mesh, &m.sources[0]);
        if (!RUGA_FAILED(status)) status = pass(&m, NULL);
        mixture_release(&m);
        TRY(status);
    }
    return RUGA_OK;
}

/* ---- Selectors. */

ruga_status param_select(const char *text, const ruga_mesh *mesh, double *weights) {
    const ruga_attribute *named = ruga_mesh_attribute(mesh, text, RUGA_DOMAIN_VERTEX);
    if (named) {
        for (size_t v = 0; v < mesh->vertex_count; v++) weights[v] = ruga_attribute_get(named, v, 0);
        return RUGA_OK;
    }
    ruga_selector *selector;
    TRY(ruga_selector_parse(mesh->context, text, &selector));
    ruga_status status = ruga_selector_weights(selector, mesh, weights);
    ruga_selector_destroy(selector);
    return status;
}

static int has_numbers(const selector_node *node) {
    for (const selector_node *child = node->first; child; child = child->next)
        if (has_numbers(child)) return 1;
    return node->kind == SELECT_VERTICES || node->kind == SELECT_FACES;
}

ruga_status param_has_numbers(const char *text, const ruga_mesh *mesh, int *out) {
    ruga_selector *selector;
    *out = 0;
    if (!text || ruga_mesh_attribute(mesh, text, RUGA_DOMAIN_VERTEX)) return RUGA_OK;
    TRY(ruga_selector_parse(mesh->context, text, &selector));
    *out = has_numbers(selector->root);
    ruga_selector_destroy(selector);
    return RUGA_OK;
}

double param_map(const ruga_param *param, double value) {
    return param_is_mapped(param) && param->from != param->to ? mix(param->from, param->to, value) : value;
}
