/* The header has the formulas. Computed in double, rounded once. */
#include "solve/compliant_material.h"

#include "math/vec3.h"

#define SOFTER 0.95      /* of K along crests, at weight 1 */
#define STIFFER 8        /* times B across them, at weight 1 */
#define AGREED_ANGLE 0.5 /* rad, at which opposite springs and hinges store the same energy */

sheet_material sheet_material_make(double wavelength, double critical_strain) {
    double scale = wavelength / 6.283185307179586, membrane = 1;
    double foundation = critical_strain * membrane / (2 * scale * scale);
    return (sheet_material){membrane, foundation * scale * scale * scale * scale, foundation};
}

double sheet_radius(double wavelength, double strain) { return wavelength * sqrt(strain) / 3.141592653589793; }

static vec3 vertex_at(const sheet *s, uint32_t i) {
    const float *p = s->points + 4 * (size_t)i;
    return (vec3){(double)p[0], (double)p[1], (double)p[2]};
}

static double triangle_area(const sheet *s, size_t t) {
    const uint32_t *corners = s->triangles + 3 * t;
    vec3 a = vertex_at(s, corners[0]);
    return 0.5 * vec3_length(vec3_cross(vec3_sub(vertex_at(s, corners[1]), a), vec3_sub(vertex_at(s, corners[2]), a)));
}

/* w (u . d)² between two vertices, of a unit vector u. */
static double along_crests(const sheet *s, uint32_t i, uint32_t j, vec3 u) {
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        const float *d = s->directions + 4 * (size_t)(k == 0 ? i : j);
        double part = u.x * (double)d[0] + u.y * (double)d[1] + u.z * (double)d[2];
        sum += 0.5 * (double)d[3] * part * part;
    }
    return sum;
}

void sheet_springs(const sheet *s, compliant_spring *springs) {
    const topology *t = s->edges;
    for (size_t e = 0; e < t->edge_count; e++) {
        uint32_t i = t->edge_vertices[2 * e], j = t->edge_vertices[2 * e + 1];
        double area = 0;
        for (size_t k = t->edge_offsets[e]; k < t->edge_offsets[e + 1]; k++)
            area += triangle_area(s, t->edge_triangles[k]) / 3;
        vec3 d = vec3_sub(vertex_at(s, j), vertex_at(s, i));
        double squared = vec3_length2(d), k = squared > 0 ? 8.0 / 3 * s->material.membrane * area / squared : 0;
        if (s->directions) k *= 1 - SOFTER * along_crests(s, i, j, vec3_normalise(d));
        springs[e] = (compliant_spring){
            {i, j}, compliant_length(s->points + 4 * (size_t)i, s->points + 4 * (size_t)j), (float)k};
    }
}

/* Two triangles at an edge, at rest. */
typedef struct flap {
    uint32_t points[4]; /* the edge's, then the opposite ones */
    vec3 edge;
    double length, area;  /* of the edge, of both triangles */
    double cotangents[4]; /* at the first end in both triangles, at the second end in both */
    double bending;       /* B here */
} flap;

static double cotangent(vec3 a, vec3 b) {
    double sine = vec3_length(vec3_cross(a, b));
    return sine > 0 ? vec3_dot(a, b) / sine : 0;
}

/* B between the ends of an edge, scaled by the direction map. */
static double bending_at(const sheet *s, const flap *f, vec3 across) {
    double b = s->material.bending;
    if (s->bending) b *= 0.5 * (double)(s->bending[f->points[0]] + s->bending[f->points[1]]);
    if (!s->directions) return b;
    vec3 t = vec3_normalise(vec3_add_scaled(across, f->edge, -vec3_dot(across, f->edge) / vec3_length2(f->edge)));
    double w =
        0.5 * (double)(s->directions[4 * (size_t)f->points[0] + 3] + s->directions[4 * (size_t)f->points[1] + 3]);
    double along = along_crests(s, f->points[0], f->points[1], t);
    return w > 0 ? b * (1 + STIFFER * along * along / w) : b;
}

static flap flap_at(const sheet *s, size_t pair) {
    flap f;
    for (int k = 0; k < 4; k++) f.points[k] = s->edges->pairs[4 * pair + (size_t)k];
    vec3 x[4];
    for (int k = 0; k < 4; k++) x[k] = vertex_at(s, f.points[k]);
    f.edge = vec3_sub(x[1], x[0]);
    f.length = vec3_length(f.edge);
    f.area = 0;
    for (int side = 0; side < 2; side++) {
        vec3 from_first = vec3_sub(x[2 + side], x[0]), from_second = vec3_sub(x[2 + side], x[1]);
        f.area += 0.5 * vec3_length(vec3_cross(f.edge, from_first));
        f.cotangents[side] = cotangent(f.edge, from_first);
        f.cotangents[2 + side] = cotangent(vec3_scale(f.edge, -1), from_second);
    }
    f.bending = f.length > 0 && f.area > 0 ? bending_at(s, &f, vec3_sub(x[3], x[2])) : 0;
    return f;
}

static double over(double a, double b) { return b > 0 ? a / b : 0; }

void sheet_curvatures(const sheet *s, compliant_curvature *curvatures) {
    for (size_t k = 0; k < s->edges->pair_count; k++) {
        flap f = flap_at(s, k);
        const double *c = f.cotangents;
        compliant_curvature *out = curvatures + k;
        double coefficients[4] = {c[2] + c[3], c[0] + c[1], -c[0] - c[2], -c[1] - c[3]};
        for (int x = 0; x < 4; x++) {
            out->points[x] = f.points[x];
            out->coefficients[x] = (float)coefficients[x];
        }
        out->stiffness = (float)over(f.bending, f.area);
    }
}

void sheet_hinges(const sheet *s, compliant_hinge *hinges) {
    for (size_t k = 0; k < s->edges->pair_count; k++) {
        flap f = flap_at(s, k);
        compliant_hinge *out = hinges + k;
        for (int x = 0; x < 4; x++) out->points[x] = f.points[x];
        out->stiffness = (float)over(f.bending * f.length * f.length, f.area);
        out->rest_angle = compliant_angle(out, s->points);
    }
}

void sheet_foundations(const sheet *s, float *foundations) {
    for (size_t i = 0; i < s->edges->vertex_count; i++) {
        double area = 0;
        for (size_t k = s->edges->fan_offsets[i]; k < s->edges->fan_offsets[i + 1]; k++)
            area += triangle_area(s, s->edges->fan_triangles[k]) / 3;
        foundations[i] = (float)(s->material.foundation * area);
    }
}

/* With a height h on both sides of the edge, an angle θ shortens the opposite points' distance 2 h by h θ² / 4 (cos θ/2
 * ≈ 1 - θ²/8): the energy is of fourth order, so it hardly resists slight bends. The stiffness is chosen so that it
 * stores the energy of a hinge at θ = 1/2, about the angle at an edge of a wave that has five edges and a compression
 * of 0.1. */
void sheet_opposites(const sheet *s, compliant_spring *springs) {
    for (size_t k = 0; k < s->edges->pair_count; k++) {
        flap f = flap_at(s, k);
        uint32_t i = f.points[2], j = f.points[3];
        double angular = over(f.bending * f.length * f.length, f.area);
        double shortening = AGREED_ANGLE * over(f.area, f.length) / 4; /* over θ */
        springs[k] = (compliant_spring){{i, j},
                                        compliant_length(s->points + 4 * (size_t)i, s->points + 4 * (size_t)j),
                                        (float)over(angular, shortening * shortening)};
    }
}
