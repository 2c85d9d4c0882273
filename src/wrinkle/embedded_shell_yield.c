/* Clusters that yield. A carrier may lead the skin into itself or into an obstacle, as a bent elbow does. Then no
 * skin without intersections has all means where the carrier wants them. The skin wins: clusters at the contact become
 * springs, as stiff as the interior below them. A disc of radius r that is pressed into a half space of modulus Ē
 * yields by 1 / 2 Ē r for each newton; with Ē = 4 D k³ (equation 3) and r = 2 λ/π = 4 / k that is
 *
 *     c = 1 / 32 D k²,     energy  Σ |H (x - p)|² / 2 c
 *
 * In the factor such a row is scaled by √(ε / c): then ε, the softness of every row, is c of this one. */
#include <math.h>

#include "wrinkle/embedded_shell.h"

/* m/N: c of a cluster, by its vertex of the greatest weight. */
static double compliance_of(const ruga_embedded_shell *shell, size_t row) {
    const ruga_map *rows = shell->rows;
    size_t most = rows->offsets[row];
    double sum = 0;
    for (size_t e = rows->offsets[row]; e < rows->offsets[row + 1]; e++) {
        sum += rows->weights[e];
        if (fabs(rows->weights[e]) > fabs(rows->weights[most])) most = e;
    }
    const uint32_t v = rows->indices[most];
    const double k = 2 * SHELL_PI / shell->wavelengths[v];
    return fmax(sum * sum, 1e-4) / (32 * shell->bend[v] * k * k);
}

void shell_yield_none(ruga_embedded_shell *shell) {
    if (!shell->softness) return;
    memset(shell->softness, 0, shell->rows->rows * sizeof *shell->softness);
    shell->soft_count = 0;
}

void shell_yield_all(ruga_embedded_shell *shell) {
    for (size_t k = 0; k < shell->rows->rows; k++) shell->softness[k] = compliance_of(shell, k);
    shell->soft_count = shell->rows->rows;
}

void shell_yield_at(ruga_embedded_shell *shell, const unsigned char *marks) {
    const ruga_map *rows = shell->rows;
    shell->soft_count = 0;
    for (size_t k = 0; k < rows->rows; k++) {
        int yields = 0;
        for (size_t e = rows->offsets[k]; e < rows->offsets[k + 1] && !yields; e++) yields = marks[rows->indices[e]];
        shell->softness[k] = yields ? compliance_of(shell, k) : 0;
        shell->soft_count += (size_t)yields;
    }
}

void shell_yield_mark(const ruga_embedded_shell *shell, unsigned char *marks) {
    const ruga_map *rows = shell->rows;
    for (size_t k = 0; k < rows->rows; k++)
        for (size_t e = rows->offsets[k]; e < rows->offsets[k + 1] && shell->softness[k] > 0; e++)
            marks[rows->indices[e]] = 1;
}

static vec3 gap_of_row(const ruga_embedded_shell *shell, size_t k, const vec3 *x, const vec3 *from) {
    const ruga_map *rows = shell->rows;
    vec3 sum = {0, 0, 0};
    for (size_t e = rows->offsets[k]; e < rows->offsets[k + 1]; e++) {
        const uint32_t i = rows->indices[e];
        sum = vec3_add_scaled(sum, from ? vec3_sub(x[i], from[i]) : x[i], rows->weights[e]);
    }
    return sum;
}

static void add_row(const ruga_embedded_shell *shell, size_t k, vec3 force, vec3 *out) {
    const ruga_map *rows = shell->rows;
    for (size_t e = rows->offsets[k]; e < rows->offsets[k + 1]; e++)
        out[rows->indices[e]] = vec3_add_scaled(out[rows->indices[e]], force, rows->weights[e]);
}

double shell_yield_energy(const ruga_embedded_shell *shell, const vec3 *x, vec3 *gradient) {
    double sum = 0;
    for (size_t k = 0; shell->soft_count && k < shell->rows->rows; k++) {
        if (!(shell->softness[k] > 0)) continue;
        const vec3 gap = gap_of_row(shell, k, x, shell->carrier);
        sum += vec3_length2(gap) / (2 * shell->softness[k]);
        if (gradient) add_row(shell, k, vec3_scale(gap, 1 / shell->softness[k]), gradient);
    }
    return sum;
}

void shell_yield_add_product(const ruga_embedded_shell *shell, const vec3 *in, vec3 *out) {
    for (size_t k = 0; shell->soft_count && k < shell->rows->rows; k++)
        if (shell->softness[k] > 0)
            add_row(shell, k, vec3_scale(gap_of_row(shell, k, in, NULL), 1 / shell->softness[k]), out);
}

void shell_yield_scale(const ruga_embedded_shell *shell, double softness, double *weights) {
    const ruga_map *rows = shell->rows;
    for (size_t k = 0; k < rows->rows; k++) {
        const double scale = shell->soft_count && shell->softness[k] > 0 ? sqrt(softness / shell->softness[k]) : 1;
        for (size_t e = rows->offsets[k]; e < rows->offsets[k + 1]; e++) weights[e] = scale * rows->weights[e];
    }
}
