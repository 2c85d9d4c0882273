/* Painted parameters and their results: radii, and through terms and seeds everything else. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/param.h"
#include "solve/compliant_material.h"
#include "wrinkle/wrinkle_mesh.h"

#define PROJECTION_STRAIN 0.1 /* compression at which waves limited by their radius alone have the wanted length */
#define PROJECTION_BENDING 0.1
#define SURPLUS 0.05 /* of the length, for each 1 of strength above 1 */

/* The parameter that a row of the table has in a def, and its slot; NULL: the row holds something else. */
static const ruga_param *param_of(const ruga_field *row, const ruga_wrinkle_mesh_def *def, size_t *slot) {
    const size_t begin = offsetof(ruga_wrinkle_def, mesh);
    if (row->kind != RUGA_FIELD_PARAM || row->offset < begin || row->offset >= begin + sizeof *def) return NULL;
    *slot = (row->offset - begin) / sizeof(ruga_param);
    return (const ruga_param *)((uintptr_t)def + (row->offset - begin));
}

ruga_status wrinkle_values_create(ruga_wrinkle_mesh *w, wrinkle_values *out) {
    const ruga_section *table = wrinkle_section();
    const size_t count = w->fine->vertex_count;
    size_t slot, used = 0;
    *out = (wrinkle_values){0};
    for (size_t i = 0; i < table->field_count; i++) out->size += param_of(&table->fields[i], &w->def, &slot) != NULL;
    out->size *= count;
    TRY(NEW_ALIGNED_ZEROED(w->context, &out->block, out->size));
    for (size_t i = 0; i < table->field_count; i++)
        if (param_of(&table->fields[i], &w->def, &slot)) out->arrays[slot] = out->block + count * used++;
    return RUGA_OK;
}

int wrinkle_values_change(const ruga_wrinkle_mesh_def *def) {
    const ruga_section *table = wrinkle_section();
    size_t slot;
    for (size_t i = 0; i < table->field_count; i++) {
        const ruga_param *param = param_of(&table->fields[i], def, &slot);
        if (param && param_changes(param)) return 1;
    }
    return 0;
}

/* ---- Evaluation. */

static int is_unset(const ruga_param *param) { return param->kind == RUGA_PARAM_CONSTANT && isnan(param->constant); }

/* An absent parameter depends on the wavelength, which no row knows: with one it is a factor of what that sets. */
static double absent_value(const ruga_wrinkle_mesh *w, size_t slot) {
    return slot == WRINKLE_SLOT(bending) && isnan(w->wavelength) ? PROJECTION_BENDING : 1;
}

/* Within the range of its row. */
static ruga_status evaluate(const ruga_wrinkle_mesh *w, const ruga_field *row, double time, int prepare,
                            const wrinkle_values *out) {
    char name[80];
    size_t slot;
    const ruga_param *given = param_of(row, &w->def, &slot);
    if (!given) return RUGA_OK;
    if (is_unset(given) && strcmp(row->preset, "null") == 0) {
        for (size_t v = 0; v < w->fine->vertex_count; v++) out->arrays[slot][v] = absent_value(w, slot);
        return RUGA_OK;
    }
    ruga_param limited = *given;
    limited.low = row->low;
    limited.high = row->high;
    limited.unit = row->unit;
    /* Without a wavelength it is the stiffness of constraints, of which 1 removes all of the error. */
    if (slot == WRINKLE_SLOT(bending) && isnan(w->wavelength)) limited.high = 1;
    snprintf(name, sizeof name, "wrinkle mesh: fine mesh: %s", row->name);
    if (prepare) TRY(param_prepare(&limited, name, w->fine, out->arrays[slot]));
    return ruga_param_evaluate(&limited, name, w->fine, time, out->arrays[slot]);
}

ruga_status wrinkle_values_evaluate(const ruga_wrinkle_mesh *w, double time, int prepare, const wrinkle_values *out) {
    const ruga_section *table = wrinkle_section();
    for (size_t i = 0; i < table->field_count; i++) TRY(evaluate(w, &table->fields[i], time, prepare, out));
    return RUGA_OK;
}

ruga_status ruga_wrinkle_mesh_set_time(ruga_wrinkle_mesh *w, double time) {
    if (isnan(time)) return fail_argument(w->context, "wrinkle mesh: the time is NaN; give a time in s");
    if (!w->spare.block) return RUGA_OK;
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
    double mean = 0.5 * (WRINKLE_VALUE(w, pre_stretch)[end[0]] + WRINKLE_VALUE(w, pre_stretch)[end[1]]);
    mean += SURPLUS * fmax(0, w->def.strength - 1);
    return w->edge_scales ? mean * w->edge_scales[edge] : mean;
}

double wrinkle_radius_value(const ruga_wrinkle_mesh *w, size_t vertex) {
    return WRINKLE_VALUE(w, radius)[vertex] * (w->mask ? w->mask[vertex] : 1);
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
