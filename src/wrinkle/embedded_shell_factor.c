/* The preconditioner of the fast path: a factor of
 *
 *     [G Hᵀ; H -ε],   G = K + τ diag(D k⁴ A)
 *
 * for the Hessian K. Clusters touch few vertices each, so all of it is one sparse factor (linalg/block_llt.h), whatever
 * their number. It is made exactly where G is definite on the null space of H: at an equilibrium that is stable, with
 * τ = 0, though K alone would buckle. Elsewhere τ grows until it is. Rows that touch most vertices, as those of
 * eigenvectors, would fill that factor: they have a factor of G and a dense one of the Schur complement S = H G⁻¹ Hᵀ
 * instead, and G itself has to be definite. */
#include <math.h>

#include "linalg/block_llt_schur.h"
#include "wrinkle/embedded_shell.h"

#define LEAST_SHIFT 0.02 /* τ, other than 0 */
#define SOFTNESS 1e-12   /* ε, over 1 / E h */
#define DENSE_SHARE 0.25 /* of the vertices: from there on a row counts as wide */
#define DENSE_ROWS 24    /* more wide rows than these would fill the factor */

struct shell_factor {
    ruga_context *context;
    block_llt *factor;  /* of the saddle point, or of G */
    block_llt *schur;   /* of S; NULL: the clusters are in `factor`, or there are none */
    double *complement; /* (clusters x clusters x 9) S by rows, its blocks column by column */
    block_llt_schur *maker;
    uint32_t *row_offsets; /* (clusters + 1) of H */
    double softness;       /* m/N: ε */
    vec3 *scratch;         /* (count) */
    vec3 *means;           /* (clusters) scratch */
    double *weights;       /* of H, scaled for clusters that yield */
};

static ruga_status make_dense(ruga_context *context, size_t count, block_llt **out) {
    uint32_t *offsets = NULL, *others = NULL;
    ruga_status status = NEW(context, &offsets, count + 1);
    if (!RUGA_FAILED(status)) status = NEW(context, &others, count * count);
    if (!RUGA_FAILED(status)) {
        for (size_t i = 0; i <= count; i++) offsets[i] = (uint32_t)(i * count);
        for (size_t i = 0; i < count * count; i++) others[i] = (uint32_t)(i % count);
        status = block_llt_create(context, count, offsets, others, out);
    }
    RELEASE_ALL(context, offsets, others);
    return status;
}

/* Whether many rows touch a large part of the vertices. */
static int is_dense(const ruga_embedded_shell *shell) {
    size_t wide = 0;
    for (size_t k = 0; k < shell->rows->rows; k++)
        wide += (double)(shell->rows->offsets[k + 1] - shell->rows->offsets[k]) > DENSE_SHARE * (double)shell->count;
    return wide > DENSE_ROWS;
}

static ruga_status make(ruga_embedded_shell *shell, shell_factor_kind kind, shell_factor *f) {
    ruga_context *context = shell->context;
    const block_matrix *m = shell->hessian;
    const size_t clusters = shell->rows ? shell->rows->rows : 0;
    f->softness = SOFTNESS / shell->mean_stretch;
    TRY(NEW(context, &f->scratch, shell->count));
    if (!clusters) return block_llt_create(context, shell->count, m->offsets, m->columns, &f->factor);
    TRY(NEW(context, &f->row_offsets, clusters + 1));
    TRY(NEW(context, &f->weights, shell->rows->offsets[clusters]));
    for (size_t k = 0; k <= clusters; k++) f->row_offsets[k] = (uint32_t)shell->rows->offsets[k];
    const block_llt_rows rows = {clusters, f->row_offsets, shell->rows->indices};
    if (kind == SHELL_FACTOR_AUTO) kind = is_dense(shell) ? SHELL_FACTOR_DENSE : SHELL_FACTOR_SPARSE;
    if (kind == SHELL_FACTOR_SPARSE)
        return block_llt_create_saddle(context, shell->count, m->offsets, m->columns, &rows, &f->factor);
    TRY(block_llt_create(context, shell->count, m->offsets, m->columns, &f->factor));
    TRY(NEW(context, &f->complement, 9 * clusters * clusters));
    TRY(NEW(context, &f->means, clusters));
    TRY(block_llt_schur_create(f->factor, clusters, f->row_offsets, shell->rows->indices, &f->maker));
    return make_dense(context, clusters, &f->schur);
}

ruga_status shell_factor_create(ruga_embedded_shell *shell, shell_factor_kind kind, shell_factor **out) {
    shell_factor *f;
    TRY(NEW_ZEROED(shell->context, &f, 1));
    f->context = shell->context;
    RETURN_MADE(make(shell, kind, f), f, out, shell_factor_destroy(f));
}

void shell_factor_destroy(shell_factor *f) {
    if (!f) return;
    block_llt_schur_destroy(f->maker);
    block_llt_destroy(f->factor);
    block_llt_destroy(f->schur);
    RELEASE_ALL(f->context, f->complement, f->row_offsets, f->scratch, f->means, f->weights, f);
}

int shell_factor_make(ruga_embedded_shell *shell, shell_factor *f, double shift) {
    const double *blocks = shell->hessian->blocks;
    shell->report.factorisations++;
    if (!shell->rows) return block_llt_factor(f->factor, blocks, shift, shell->shifts);
    if (!f->schur) {
        shell_yield_scale(shell, f->softness, f->weights);
        return block_llt_factor_saddle(f->factor, blocks, shift, shell->shifts, f->weights, f->softness);
    }
    if (!block_llt_factor(f->factor, blocks, shift, shell->shifts)) return 0;
    block_llt_schur_make(f->maker, shell->rows->weights, f->complement);
    const size_t clusters = shell->rows->rows;
    for (size_t k = 0; shell->soft_count && k < clusters; k++)
        for (size_t i = 0; i < 9; i += 4) f->complement[9 * (k * clusters + k) + i] += shell->softness[k];
    return block_llt_factor(f->schur, f->complement, 0, NULL);
}

/* From shift to shift, upwards: 0 if none makes it definite. */
int shell_factor_search(ruga_embedded_shell *shell, shell_factor *f, double most, double *shift) {
    for (; *shift <= most; *shift = fmax(4 * *shift, LEAST_SHIFT))
        if (shell_factor_make(shell, f, *shift)) return 1;
    return 0;
}

void shell_factor_solve(ruga_embedded_shell *shell, shell_factor *f, vec3 *z, vec3 *y) {
    if (!shell->rows) {
        block_llt_solve(f->factor, z);
    } else if (!f->schur) {
        block_llt_solve_saddle(f->factor, z, y);
    } else {
        /* y = S⁻¹ (H G⁻¹ z - y), z = G⁻¹ (z - Hᵀy) */
        memcpy(f->scratch, z, shell->count * sizeof *z);
        block_llt_solve(f->factor, f->scratch);
        ruga_map_apply(shell->rows, f->scratch, f->means);
        for (size_t k = 0; k < shell->rows->rows; k++) f->means[k] = vec3_sub(y[k], f->means[k]);
        block_llt_solve(f->schur, f->means);
        ruga_map_apply_transpose_add(shell->rows, f->means, z);
        for (size_t k = 0; k < shell->rows->rows; k++) y[k] = vec3_scale(f->means[k], -1);
        block_llt_solve(f->factor, z);
    }
}
