/* Elastic materials: energies, stresses and their derivatives; the header has the equations. */
#include "energy/elastic.h"

#include <math.h>

#include "math/rigid_motion.h"

#define LEAST_SUM 1e-9        /* of two singular values: a twist is stiffer than any other mode there */
#define MARGIN 1e-12          /* of a determinant, over the trace */
#define LEAST_DIFFERENCE 1e-6 /* below it a flip is the limit of its quotient */

const unsigned char elastic_pairs[3][2] = {{1, 2}, {2, 0}, {0, 1}};

ruga_status elastic_check(ruga_context *context, double young, double poisson) {
    if (!(young > 0) || !isfinite(young))
        return fail_input(context, "the Young's modulus is %g Pa; it must be positive and finite", young);
    if (!(poisson > -1 && poisson < 0.5))
        return fail_input(context,
                          "the Poisson ratio is %g; it must be above -1 and below 0.5, where a material keeps its "
                          "volume exactly: take 0.45 or less for a nearly incompressible one",
                          poisson);
    return RUGA_OK;
}

elastic elastic_make(elastic_law law, double young, double poisson) {
    return (elastic){.law = law,
                     .shear = young / (2 * (1 + poisson)),
                     .bulk = young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

/* ---- Corotated. */

static double excess(const double s[3]) { return s[0] + s[1] + s[2] - 3; }

static double corotated_density(const elastic *e, const double s[3]) {
    double sum = 0, trace = excess(s);
    for (int k = 0; k < 3; k++) sum += (s[k] - 1) * (s[k] - 1);
    return e->shear * sum + e->bulk / 2 * trace * trace;
}

static void corotated_stress(const elastic *e, const double s[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = 2 * e->shear * (s[k] - 1) + e->bulk * excess(s);
}

static void corotated_tangent(const elastic *e, const double s[3], elastic_tangent *out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out->stretch[i][j] = e->bulk + (i == j ? 2 * e->shear : 0);
    for (int k = 0; k < 3; k++) {
        double sum = fmax(s[elastic_pairs[k][0]] + s[elastic_pairs[k][1]], LEAST_SUM);
        out->twists[k] = 2 * e->shear + 2 * (e->bulk * excess(s) - 2 * e->shear) / sum;
        out->flips[k] = 2 * e->shear;
    }
}

/* ---- Neo-Hookean: with J_k = ∂J/∂s_k and p = ∂Ψ/∂J, everything is a polynomial of s. */

static double volume_stress(const elastic *e, const double s[3]) {
    return (e->bulk + e->shear) * (s[0] * s[1] * s[2] - 1) - e->shear;
}

static double neo_hookean_density(const elastic *e, const double s[3]) {
    double j = s[0] * s[1] * s[2] - 1, squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    return e->shear / 2 * (squares - 3) - e->shear * j + (e->bulk + e->shear) / 2 * j * j;
}

static void neo_hookean_stress(const elastic *e, const double s[3], double out[3]) {
    double p = volume_stress(e, s);
    for (int k = 0; k < 3; k++) out[k] = e->shear * s[k] + p * s[elastic_pairs[k][0]] * s[elastic_pairs[k][1]];
}

static void neo_hookean_tangent(const elastic *e, const double s[3], elastic_tangent *out) {
    const double p = volume_stress(e, s), areas[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double second = i == j ? e->shear : p * s[3 - i - j];
            out->stretch[i][j] = (e->bulk + e->shear) * areas[i] * areas[j] + second;
        }
    for (int k = 0; k < 3; k++) {
        out->twists[k] = e->shear + p * s[k];
        out->flips[k] = e->shear - p * s[k];
    }
}

/* ---- Invertible: Neo-Hookean with logarithms at c, and its continuation by the depths s - c below the threshold. */

typedef struct clamped {
    double c[3], depths[3]; /* depths: 0, or negative */
    double log_j;           /* of c */
} clamped;

static clamped clamp_values(const double s[3]) {
    clamped out;
    for (int k = 0; k < 3; k++) {
        out.c[k] = fmax(s[k], ELASTIC_THRESHOLD);
        out.depths[k] = s[k] - out.c[k];
    }
    out.log_j = log(out.c[0] * out.c[1] * out.c[2]);
    return out;
}

static double log_stress(const elastic *e, const clamped *at, int k) {
    return e->shear * (at->c[k] - 1 / at->c[k]) + e->bulk * at->log_j / at->c[k];
}

static double invertible_density(const elastic *e, const double s[3]) {
    const clamped at = clamp_values(s);
    double out = -3 * e->shear / 2 - e->shear * at.log_j + e->bulk / 2 * at.log_j * at.log_j;
    for (int k = 0; k < 3; k++)
        out += e->shear / 2 * at.c[k] * at.c[k] + log_stress(e, &at, k) * at.depths[k] +
               (e->shear + e->bulk / 2) * at.depths[k] * at.depths[k];
    return out;
}

static void invertible_stress(const elastic *e, const double s[3], double out[3]) {
    const clamped at = clamp_values(s);
    for (int j = 0; j < 3; j++) {
        out[j] = log_stress(e, &at, j) + (2 * e->shear + e->bulk) * at.depths[j];
        for (int k = 0; k < 3 && at.depths[j] == 0; k++)
            if (k != j) out[j] += e->bulk / (at.c[j] * at.c[k]) * at.depths[k];
    }
}

static void invertible_stretch(const elastic *e, const clamped *at, double out[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = at->depths[i] < 0 && at->depths[j] < 0 ? 0 : e->bulk / (at->c[i] * at->c[j]);
    for (int i = 0; i < 3; i++) {
        double square = at->c[i] * at->c[i];
        out[i][i] = 2 * e->shear + e->bulk;
        if (at->depths[i] < 0) continue;
        out[i][i] = e->shear * (1 + 1 / square) + e->bulk * (1 - at->log_j) / square;
        for (int k = 0; k < 3; k++) out[i][i] -= e->bulk / (at->c[k] * square) * at->depths[k];
    }
}

static void invertible_tangent(const elastic *e, const double s[3], elastic_tangent *out) {
    const clamped at = clamp_values(s);
    double p[3];
    invertible_stretch(e, &at, out->stretch);
    invertible_stress(e, s, p);
    for (int k = 0; k < 3; k++) {
        int i = elastic_pairs[k][0], j = elastic_pairs[k][1];
        double difference = s[i] - s[j];
        out->twists[k] = (p[i] + p[j]) / fmax(s[i] + s[j], LEAST_SUM);
        out->flips[k] =
            fabs(difference) > LEAST_DIFFERENCE ? (p[i] - p[j]) / difference : out->stretch[i][i] - out->stretch[i][j];
    }
}

/* ---- All. */

double elastic_density(const elastic *e, const double s[3]) {
    switch (e->law) {
        case ELASTIC_NEO_HOOKEAN: return neo_hookean_density(e, s);
        case ELASTIC_INVERTIBLE: return invertible_density(e, s);
        default: return corotated_density(e, s);
    }
}

void elastic_stress(const elastic *e, const double s[3], double out[3]) {
    switch (e->law) {
        case ELASTIC_NEO_HOOKEAN: neo_hookean_stress(e, s, out); break;
        case ELASTIC_INVERTIBLE: invertible_stress(e, s, out); break;
        default: corotated_stress(e, s, out); break;
    }
}

/* By leading minors, with a margin for their rounding; most tets are. */
static int is_surely_definite(double a[3][3]) {
    const double size = a[0][0] + a[1][1] + a[2][2], minor = a[0][0] * a[1][1] - a[0][1] * a[0][1];
    const double last = a[2][2] * minor - a[1][2] * (a[0][0] * a[1][2] - a[0][1] * a[0][2]) +
                        a[0][2] * (a[0][1] * a[1][2] - a[1][1] * a[0][2]);
    return a[0][0] > MARGIN * size && minor > MARGIN * size * size && last > MARGIN * size * size * size;
}

/* The three eigenvalues of the stretches, above zero; corotated ones always are. */
static void project_stretch(double stretch[3][3]) {
    if (is_surely_definite(stretch)) return;
    double a[4][4] = {{0}}, vectors[4][4] = {{0}};
    for (int k = 0; k < 9; k++) a[k / 3][k % 3] = stretch[k / 3][k % 3];
    symmetric_eigen(3, a, vectors);
    if (a[0][0] >= 0 && a[1][1] >= 0 && a[2][2] >= 0) return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            stretch[i][j] = 0;
            for (int k = 0; k < 3; k++) stretch[i][j] += fmax(a[k][k], 0) * vectors[i][k] * vectors[j][k];
        }
}

void elastic_tangent_at(const elastic *e, const double s[3], int definite, elastic_tangent *out) {
    switch (e->law) {
        case ELASTIC_NEO_HOOKEAN: neo_hookean_tangent(e, s, out); break;
        case ELASTIC_INVERTIBLE: invertible_tangent(e, s, out); break;
        default: corotated_tangent(e, s, out); break;
    }
    if (!definite) return;
    if (e->law != ELASTIC_COROTATED) project_stretch(out->stretch);
    for (int k = 0; k < 3; k++) {
        out->twists[k] = fmax(out->twists[k], 0);
        out->flips[k] = fmax(out->flips[k], 0);
    }
}
