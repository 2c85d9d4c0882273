/* Curves on models: each point of a flat curve goes to the place of the surface that is seen there. */
#include "mesh/model_curves.h"

#include <string.h>

#include "base/context.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#define BUST 0.371 /* m, height of the bust's preset */
#define SHOE 0.29  /* m, length of the shoe's */

/* Of lines that come in pairs the left one; the right one has the prefix "right_". */
#define ACROSS(model, name, x, y, rise)                                                      \
    {                                                                                        \
        model, name, {                                                                       \
            {-(x), (y)}, {-0.4 * (x), (y) + (rise)}, {0.4 * (x), (y) + (rise)}, { (x), (y) } \
        }                                                                                    \
    }
#define PAIR(model, name, ax, ay, bx, by, cx, cy, dx, dy)              \
    {model, "left_" name, {{ax, ay}, {bx, by}, {cx, cy}, {dx, dy}}}, { \
        model, "right_" name, {                                        \
            {-(ax), ay}, {-(bx), by}, {-(cx), cy}, { -(dx), dy }       \
        }                                                              \
    }

static const model_curve curves[] = {
    ACROSS("bust", "forehead_low", 0.044, 0.295, 0.006),
    ACROSS("bust", "forehead_middle", 0.044, 0.306, 0.006),
    ACROSS("bust", "forehead_high", 0.042, 0.317, 0.006),
    PAIR("bust", "frown", 0.006, 0.271, 0.0065, 0.276, 0.007, 0.281, 0.006, 0.286),
    PAIR("bust", "crow_foot_high", 0.0515, 0.264, 0.055, 0.267, 0.058, 0.270, 0.060, 0.274),
    PAIR("bust", "crow_foot_middle", 0.0520, 0.260, 0.056, 0.261, 0.060, 0.262, 0.063, 0.264),
    PAIR("bust", "crow_foot_low", 0.0515, 0.256, 0.055, 0.254, 0.059, 0.252, 0.062, 0.250),
    PAIR("bust", "fold_of_the_cheek", 0.0205, 0.224, 0.027, 0.216, 0.034, 0.205, 0.036, 0.190),
    {"shoe", "toe_crease_back", {{-0.036, 0.074}, {-0.015, 0.080}, {0.010, 0.080}, {0.031, 0.074}}},
    {"shoe", "toe_crease_middle", {{-0.038, 0.085}, {-0.016, 0.090}, {0.009, 0.090}, {0.031, 0.085}}},
    {"shoe", "toe_crease_front", {{-0.039, 0.096}, {-0.017, 0.100}, {0.008, 0.100}, {0.030, 0.096}}},
};

size_t model_curve_count(void) { return sizeof curves / sizeof *curves; }
const model_curve *model_curve_get(size_t curve) { return curve < model_curve_count() ? &curves[curve] : NULL; }

const model_curve *model_curve_find(const char *model, const char *name) {
    for (size_t i = 0; i < model_curve_count(); i++)
        if (strcmp(curves[i].model, model) == 0 && strcmp(curves[i].name, name) == 0) return &curves[i];
    return NULL;
}

/* How a model is looked at: p with the depth as its z, towards the eye. Turned, never mirrored. */
static vec3 seen(vec3 p, int from_above) { return from_above ? vec3_make(p.z, p.x, p.y) : p; }
static vec3 unseen(vec3 p, int from_above) { return from_above ? vec3_make(p.y, p.z, p.x) : p; }

static vec3 bezier(const model_curve *curve, double t, double scale, int from_above) {
    double s = 1 - t, weights[4] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t}, sum[2] = {0, 0};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++) sum[i] += weights[k] * curve->points[k][i] * scale;
    return vec3_make(sum[from_above], sum[!from_above], 0);
}

/* Moves p to the front of a triangle when it is seen inside and that is nearer to the eye. */
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
            return fail_with(mesh->context, RUGA_ERROR_ARGUMENT,
                             "point %zu of the curve %s is beside the mesh, which is not a %s", i, curve->name,
                             curve->model);
        points[i] = unseen(points[i], from_above);
    }
    return RUGA_OK;
}
