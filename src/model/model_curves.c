/* Curves on models: each point of a flat curve is projected onto the visible surface. */
#include "model/model_curves.h"

#include <string.h>

#include "base/context.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#define BUST 0.371 /* m, height of the bust's preset */
#define SHOE 0.29  /* m, length of the shoe's */

/* A pair of curves: the left one and its mirror image. */
#define PAIR(model, name, ax, ay, bx, by, cx, cy, dx, dy)              \
    {model, "left_" name, {{ax, ay}, {bx, by}, {cx, cy}, {dx, dy}}}, { \
        model, "right_" name, {                                        \
            {-(ax), ay}, {-(bx), by}, {-(cx), cy}, { -(dx), dy }       \
        }                                                              \
    }

/* Folds run across a curve: that of the forehead goes from between the brows to the hair, that of the shoe along the
 * foot. The curves "…_region" show how far the folds reach. */
static const model_curve curves[] = {
    {"bust", "forehead", {{0, 0.290}, {0, 0.303}, {0, 0.316}, {0, 0.330}}},
    {"bust", "forehead_region", {{0, 0.309}, {0.014, 0.309}, {0.028, 0.309}, {0.040, 0.308}}},
    PAIR("bust", "crow_feet", 0.0607, 0.2700, 0.0613, 0.2651, 0.0629, 0.2597, 0.0655, 0.2535),
    PAIR("bust", "crow_feet_region", 0.0624, 0.2620, 0.0639, 0.2616, 0.0654, 0.2612, 0.0669, 0.2608),
    {"shoe", "toe_creases", {{-0.004, 0.074}, {-0.004, 0.090}, {-0.004, 0.105}, {-0.004, 0.120}}},
    {"shoe", "toe_creases_region", {{-0.004, 0.096}, {0.008, 0.096}, {0.020, 0.095}, {0.030, 0.094}}},
};

size_t model_curve_count(void) { return sizeof curves / sizeof *curves; }
const model_curve *model_curve_get(size_t curve) { return curve < model_curve_count() ? &curves[curve] : NULL; }

const model_curve *model_curve_find(const char *model, const char *name) {
    for (size_t i = 0; i < model_curve_count(); i++)
        if (strcmp(curves[i].model, model) == 0 && strcmp(curves[i].name, name) == 0) return &curves[i];
    return NULL;
}

/* The view of a model: z is the depth, towards the eye. Rotated, never mirrored. */
static vec3 seen(vec3 p, int from_above) { return from_above ? vec3_make(p.z, p.x, p.y) : p; }
static vec3 unseen(vec3 p, int from_above) { return from_above ? vec3_make(p.y, p.z, p.x) : p; }

static vec3 bezier(const model_curve *curve, double t, double scale, int from_above) {
    double s = 1 - t, weights[4] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t}, sum[2] = {0, 0};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++) sum[i] += weights[k] * curve->points[k][i] * scale;
    return vec3_make(sum[from_above], sum[!from_above], 0);
}

/* Moves p onto a triangle if it lies inside in the view, and the triangle is nearer to the eye. */
static void meet_triangle(const vec3 c[3], vec3 *p) {
    double area[3], sum = 0, depth = 0;
    for (int k = 0; k < 3; k++) {
        vec3 a = c[(k + 1) % 3], b = c[(k + 2) % 3];
        area[k] = (a.x - p->x) * (b.y - p->y) - (b.x - p->x) * (a.y - p->y);
        if (area[k] < 0) return;
        sum += area[k];
        depth += area[k] * c[k].z;
    }
    if (sum > 0) p->z = fmax(p->z, depth / sum);
}

ruga_status model_curve_trace(const ruga_mesh *mesh, const model_curve *curve, size_t count, ruga_vec3 *points) {
    int from_above = strcmp(curve->model, "shoe") == 0;
    vec3 low = mesh->positions[0], high = low;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        low = vec3_min(low, mesh->positions[i]);
        high = vec3_max(high, mesh->positions[i]);
    }
    double scale = from_above ? (high.z - low.z) / SHOE : (high.y - low.y) / BUST;
    for (size_t i = 0; i < count; i++) {
        points[i] = bezier(curve, (double)i / (double)(count - 1), scale, from_above);
        points[i].z = -INFINITY;
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        vec3 corners[3];
        for (size_t k = 0; k < 3; k++) corners[k] = seen(mesh->positions[mesh->triangles[3 * t + k]], from_above);
        for (size_t i = 0; i < count; i++) meet_triangle(corners, &points[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (isinf(points[i].z))
            return fail_argument(mesh->context, "point %zu of the curve %s misses the mesh; it must be a %s", i,
                                 curve->name, curve->model);
        points[i] = unseen(points[i], from_above);
    }
    return RUGA_OK;
}
