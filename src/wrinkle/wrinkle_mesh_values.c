/* Painted parameters and their results: radii, and through terms and seeds everything else. */
#include <math.h>

#include "mesh/param.h"
#include "solve/compliant_material.h"
#include "wrinkle/wrinkle_mesh.h"

#define PROJECTION_STRAIN 0.1 /* compression at which waves limited by their radius alone have the wanted length */
#define PROJECTION_BENDING 0.1
#define SURPLUS 0.05 /* of the length, for each 1 of strength above 1 */

ruga_status wrinkle_values_create(ruga_context *context, size_t count, wrinkle_values *out) {
    double *block;
    TRY(NEW_ALIGNED_ZEROED(context, &block, WRINKLE_VALUES * count));
    *out = (wrinkle_values){block, block + count, block + 2 * count, block + 3 * count, block + 4 * count};
    return RUGA_OK;
}

int wrinkle_values_change(const ruga_wrinkle_mesh_def *def) {
    return param_changes(&def->radius) || param_changes(&def->pre_stretch) || param_changes(&def->bending) ||
           param_changes(&def->direction) || param_changes(&def->direction_weight);
}

/* ---- Evaluation. */

static int is_unset(const ruga_param *param) { return param->kind == RUGA_PARAM_CONSTANT && isnan(param->constant); }

/* The allowed range of a parameter. */
typedef struct value_rule {
    const char *name, *allowed;
    double low, high;
    int low_excluded;
    double unset; /* the value of a NaN constant; NaN: not allowed */
} value_rule;

static ruga_status evaluate(const ruga_wrinkle_mesh *w, const ruga_param *param, const value_rule *rule, double time,
                            int prepare, double *out) {
    const size_t count = w->fine->vertex_count;
    if (is_unset(param) && !isnan(rule->unset)) {
        for (size_t v = 0; v < count; v++) out[v] = rule->unset;
        return RUGA_OK;
    }
    if (prepare) TRY(param_prepare(param, rule->name, w->fine, out));
    TRY(ruga_param_evaluate(param, rule->name, w->fine, time, out));
    for (size_t v = 0; v < count; v++)
        if (!(out[v] >= rule->low && out[v] <= rule->high) || (rule->low_excluded && out[v] == rule->low))
            return fail_input(w->context, "%s: fine vertex %zu has %.9g; %s", rule->name, v, out[v], rule->allowed);
    return RUGA_OK;
}

ruga_status wrinkle_values_evaluate(const ruga_wrinkle_mesh *w, double time, int prepare, const wrinkle_values *out) {
    const ruga_wrinkle_mesh_def *def = &w->def;
    const double bending = isnan(w->wavelength) ? PROJECTION_BENDING : 1;
    const value_rule radius = {"wrinkle mesh: radius", "give 0 m or more", 0, 1e15, 0, 1};
    const value_rule stretch = {"wrinkle mesh: pre_stretch", "it must be above 0", 0, 1e6, 1, NAN};
    const value_rule bend = {"wrinkle mesh: bending", "it must be from 0 to 1", 0, 1, 0, bending};
    const value_rule scaled = {"wrinkle mesh: bending", "it must be at least 0", 0, 1e6, 0, bending};
    const value_rule direction = {"wrinkle mesh: direction", "give an angle in degrees", -1e9, 1e9, 0, NAN};
    const value_rule weight = {"wrinkle mesh: direction_weight", "it must be from 0 to 1", 0, 1, 0, NAN};
    TRY(evaluate(w, &def->radius, &radius, time, prepare, out->radius));
    TRY(evaluate(w, &def->pre_stretch, &stretch, time, prepare, out->pre_stretch));
    TRY(evaluate(w, &def->bending, isnan(w->wavelength) ? &bend : &scaled, time, prepare, out->bending));
    TRY(evaluate(w, &def->direction, &direction, time, prepare, out->direction));
    return evaluate(w, &def->direction_weight, &weight, time, prepare, out->weight);
}

ruga_status ruga_wrinkle_mesh_set_time(ruga_wrinkle_mesh *w, double time) {
    if (isnan(time)) return fail_argument(w->context, "wrinkle mesh: the time is NaN; give a time in s");
    if (!w->spare.radius) return RUGA_OK;
    TRY(wrinkle_values_evaluate(w, time, 0, &w->spare));
    wrinkle_values now = w->spare;
    w->spare = w->values;
    w->values = now;
    wrinkle_values_apply(w);
    return RUGA_OK;
}

/* ---- Results. */

double wrinkle_edge_stretch(const ruga_wrinkle_mesh *w, size_t edge) {
    const uint32_t *end = w->topo->edge_vertices + 2 * edge;
    double mean = 0.5 * (w->values.pre_stretch[end[0]] + w->values.pre_stretch[end[1]]);
    mean += SURPLUS * fmax(0, w->def.strength - 1);
    return w->edge_scales ? mean * w->edge_scales[edge] : mean;
}

double wrinkle_radius_value(const ruga_wrinkle_mesh *w, size_t vertex) {
    return w->values.radius[vertex] * (w->mask ? w->mask[vertex] : 1);
}

int wrinkle_is_painted(const ruga_param *param) {
    for (size_t k = 0; param->kind == RUGA_PARAM_KEYS && k < param->key_count; k++)
        if (wrinkle_is_painted(param->keys[k].value)) return 1;
    return param->kind != RUGA_PARAM_KEYS && param->kind != RUGA_PARAM_CONSTANT;
}

/* The radius, m, of a value of 1. */
static void find_radius_unit(ruga_wrinkle_mesh *w) {
    const int has_wave = !isnan(w->wavelength), unset = is_unset(&w->def.radius);
    const int scaled = unset || (has_wave && wrinkle_is_painted(&w->def.radius));
    if (!scaled)
        w->radius_origin = RUGA_WRINKLE_RADIUS_GIVEN;
    else if (!has_wave)
        w->radius_origin = RUGA_WRINKLE_RADIUS_FINE_EDGES;
    else
        w->radius_origin = unset ? RUGA_WRINKLE_RADIUS_WAVE : RUGA_WRINKLE_RADIUS_PAINTED;
    const double strain = w->def.solver == RUGA_WRINKLE_COMPLIANT ? SHEET_GREATEST_STRAIN : PROJECTION_STRAIN;
    w->radius_unit = !scaled ? 1 : has_wave ? sheet_radius(w->wavelength, strain) : 0.5 * w->mean_edge;
    if (scaled) w->radius_unit *= fmax(1, w->def.strength);
}

void wrinkle_values_apply(ruga_wrinkle_mesh *w) {
    find_radius_unit(w);
    const int by_wave = w->radius_origin == RUGA_WRINKLE_RADIUS_WAVE || w->radius_origin == RUGA_WRINKLE_RADIUS_PAINTED;
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        const uint32_t one = w->lowest[v];
        const double factor = by_wave ? wrinkle_wave_factor(w, one) : 1;
        w->radii[v] = w->unattached[one] ? INFINITY : (float)(w->radius_unit * factor * wrinkle_radius_value(w, one));
        w->anchors[4 * (size_t)w->slots[v] + 3] = w->radii[v];
        if (w->full_radii) w->full_radii[w->slots[v]] = w->radii[v];
    }
    wrinkle_seeds_store(w);
    wrinkle_terms_fill(w);
    wrinkle_courses_fill(w);
    wrinkle_terms_hand_over(w);
}
