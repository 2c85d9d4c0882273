/* The bust as a model.
 *
 * The lattice of its surface is mapped by an inversion in a sphere about a point in front of the face, and a mirror.
 * Both keep all angles, so triangles stay regular, but their size grows with the square of their distance from that
 * point: those of the face are the smallest, a third of those at the back. */
#include "model/bust.h"

#include "math/vec3.h"
#include "model/implicit.h"

#define FOCUS_Y 0.09 /* m, the point in front of the face */
#define FOCUS_Z 0.36
#define REACH 0.26    /* m, distance from it at which lengths of lattice and bust agree */
#define LATTICE 0.210 /* m, about its height in the lattice */

/* Regions by name; the rest is the head. */
static const model_region regions[] = {
    {"ears", {0.078, 0.243, -0.004}, {0.014, 0.036, 0.03}},
    {"nose", {0, 0.229, 0.115}, {0.02, 0.03, 0.032}},
    {"eyes", {0.033, 0.259, 0.085}, {0.021, 0.013, 0.03}},
    {"brows", {0.031, 0.278, 0.085}, {0.03, 0.008, 0.04}},
    {"mouth", {0, 0.191, 0.1}, {0.031, 0.015, 0.03}},
    {"chin", {0, 0.163, 0.09}, {0.03, 0.018, 0.03}},
    {"cheeks", {0.045, 0.215, 0.06}, {0.034, 0.045, 0.045}},
    {"forehead", {0, 0.310, 0.07}, {0.056, 0.035, 0.06}},
    {"neck", {0, 0, 0}, {0.3, 0.165, 0.075}},
};

/* From the lattice to the bust; the map is its own inverse. */
static vec3 place_of(vec3 q) {
    vec3 d = vec3_make(q.x, q.y - FOCUS_Y, FOCUS_Z - q.z);
    double scale = REACH * REACH / vec3_length2(d);
    return vec3_make(d.x * scale, FOCUS_Y + d.y * scale, FOCUS_Z + d.z * scale);
}

/* The distance in the scale of the lattice. */
static double lattice_distance(vec3 q) {
    vec3 d = vec3_make(q.x, q.y - FOCUS_Y, FOCUS_Z - q.z);
    return bust_distance(place_of(q)) * vec3_length2(d) / (REACH * REACH);
}

ruga_status model_bust(ruga_context *context, const double *values, mesh_parts *parts) {
    const implicit_def def = {.function = lattice_distance,
                              .low = {0, -0.1, FOCUS_Z + 0.06},
                              .high = {0.11, 0.2, FOCUS_Z + 0.30},
                              .cell = LATTICE / values[BUST_CELLS],
                              .rounds = 10,
                              .soften = 5,
                              .slope = 2};
    TRY(implicit_mesh(context, &def, parts));
    for (size_t i = 0; i < parts->vertex_count; i++) parts->positions[i] = place_of(parts->positions[i]);
    vec3 size = model_stand(parts->positions, parts->vertex_count);
    TRY(model_add_groups(context, parts, regions, sizeof regions / sizeof *regions, "head"));
    TRY(model_add_box_uv(context, parts, parts->positions, size.y, 2));
    for (size_t i = 0; i < parts->vertex_count; i++)
        parts->positions[i] = vec3_scale(parts->positions[i], values[BUST_HEIGHT] / size.y);
    return RUGA_OK;
}
