/* How the carrier feels its skin: forces, and their derivative for implicit steps (section 6.2).
 *
 * The skin x minimises E while H x = H p. The least energy Ê(p) has the gradient of the elastic energy at x,
 *
 *     L = E_elastic(x) + ½ Σ w |x - p|² + μᵀH (x - p),   dÊ/dp = ∂L/∂p = -w (x - p) - Hᵀμ = ∂E_elastic/∂x
 *
 * the last because ∂L/∂x = 0. So the carrier feels F = -∂E_elastic/∂x, as in equation 11, and contact's forces
 * alike, which E_elastic includes here. Without an obstacle the forces sum to zero; their
 * moment at p is that at x, which is zero, less Σ (x - p) × F = Σ_k (H (x - p))_k × μ_k, which is zero on the
 * constraints.
 *
 * Derivative, equation 14: the skin moves with the carrier, dF = -K dp. As x is free to buckle, the true derivative is
 *
 *     d²Ê/dp² = Hᵀ S⁻¹ H,   S = H K⁻¹ Hᵀ       dpᵀ (d²Ê/dp²) dp = min { dxᵀ K dx : H dx = H dp } <= dpᵀ K dp
 *
 * so that K is an upper bound: steps with it are stable, and approach the same rest state, with more damping. K is made
 * definite, term by term: it need not be where the skin is compressed, and conjugate gradients need it. */
#include "wrinkle/embedded_shell.h"

ruga_status ruga_embedded_shell_linearise(ruga_embedded_shell *shell) {
    return shell_linearise_definite(shell, shell->x);
}

void ruga_embedded_shell_multiply(const ruga_embedded_shell *shell, const ruga_vec3 *directions, ruga_vec3 *products) {
    block_matrix_multiply(shell->hessian, directions, products);
}

/* block += a b (K + Kᵀ) / 2 for K stored by columns. */
static void add_symmetric(double weight, const double *k, double *block) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) block[3 * r + c] += weight * (k[3 * c + r] + k[3 * r + c]) / 2;
}

/* Points that two vertices depend on both, and the blocks that this makes. */
static void add_pair(const ruga_map *map, size_t v, size_t w, double scale, const double *k, double *blocks) {
    size_t a = map->offsets[v], b = map->offsets[w];
    while (a < map->offsets[v + 1] && b < map->offsets[w + 1]) {
        const uint32_t i = map->indices[a], j = map->indices[b];
        if (i == j) add_symmetric(scale * map->weights[a] * map->weights[b], k, blocks + 9 * (size_t)i);
        a += i <= j;
        b += j <= i;
    }
}

void ruga_embedded_shell_add_blocks(const ruga_embedded_shell *shell, const ruga_map *map, double *blocks) {
    const block_matrix *m = shell->hessian;
    for (size_t v = 0; v < shell->count; v++) {
        const double *own = m->blocks + BLOCK_NUMBERS * (size_t)m->diagonals[v];
        if (!map) {
            add_symmetric(1, own, blocks + 9 * v);
            continue;
        }
        add_pair(map, v, v, 1, own, blocks);
        for (uint32_t e = m->diagonals[v] + 1; e < m->offsets[v + 1]; e++)
            add_pair(map, v, m->columns[e], 2, m->blocks + BLOCK_NUMBERS * (size_t)e, blocks);
    }
}
