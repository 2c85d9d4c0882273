/* The shoe as a model. */
#include "model/shoe.h"

#include "math/vec3.h"
#include "model/implicit.h"

#define SHAPE 0.288 /* m, length of the shape, about */

/* Regions by name; the rest is the quarters of the upper. */
static const model_region regions[] = {
    {"sole", {0, 0, 0.04}, {0.08, 0.02, 0.2}},
    {"sole", {0, 0, -0.07}, {0.08, 0.032, 0.06}},
    {"tongue", {0, 0.1, 0.0}, {0.03, 0.022, 0.04}},
    {"laces", {0, 0.083, 0.036}, {0.019, 0.03, 0.033}},
    {"toe_bend", {-0.003, 0.05, 0.09}, {0.055, 0.06, 0.024}},
    {"toes", {-0.01, 0.03, 0.16}, {0.07, 0.06, 0.065}},
};

/* Bends the shape to the inside of a left foot, and its toes up slightly. */
static vec3 bend(vec3 p) {
    double ahead = fmax(p.z - 0.09, 0);
    return vec3_make(p.x - 0.4 * p.z * p.z, p.y + 1.2 * ahead * ahead, p.z);
}

ruga_status model_shoe(ruga_context *context, const double *values, mesh_parts *parts) {
    const implicit_def def = {.function = shoe_distance,
                              .low = {0, -0.01, -0.115},
                              .high = {0.06, 0.14, 0.195},
                              .cell = SHAPE / values[SHOE_CELLS],
                              .rounds = 10,
                              .soften = 4,
                              .slope = 2};
    TRY(implicit_mesh(context, &def, parts));
    for (size_t i = 0; i < parts->vertex_count; i++) parts->positions[i] = bend(parts->positions[i]);
    vec3 size = model_stand(parts->positions, parts->vertex_count);
    TRY(model_add_groups(context, parts, regions, sizeof regions / sizeof *regions, "quarters"));
    TRY(model_add_box_uv(context, parts, parts->positions, SHAPE, 1));
    for (size_t i = 0; i < parts->vertex_count; i++)
        parts->positions[i] = vec3_scale(parts->positions[i], values[SHOE_LENGTH] / size.z);
    return RUGA_OK;
}
