/* The energy of an embedded shell: membrane, bending with rest angles, and the foundation. */
#include "base/threads.h"
#include "mesh/mesh.h"
#include "wrinkle/embedded_shell.h"

#define VERTEX_BLOCK 2048
#define LEAST_AREA 1e-3 /* of a triangle at rest: down to it the gradient is that of the energy */

/* ---- Making. */

/* The mean of a vertex value over each triangle, over `unit`. */
static void spread_shares(const ruga_mesh *mesh, const double *values, double unit, double *out) {
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        out[t] = (values[c[0]] + values[c[1]] + values[c[2]]) / (3 * unit);
    }
}

static double mean_of(const ruga_embedded_shell *shell, const double *values) {
    double sum = 0, area = 0;
    for (size_t i = 0; i < shell->count; i++) {
        sum += shell->areas[i] * values[i];
        area += shell->areas[i];
    }
    return sum / area;
}

static ruga_status make_terms(ruga_embedded_shell *shell, vec3 *warps, double *shares) {
    const ruga_mesh *mesh = shell->mesh;
    const double nu = shell->def.poisson;
    /* The material is isotropic: any direction serves as the warp. */
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        warps[t] = vec3_sub(mesh->positions[c[1]], mesh->positions[c[0]]);
    }
    shell->mean_stretch = mean_of(shell, shell->stretch);
    const membrane_material stretch = {.warp = shell->mean_stretch,
                                       .weft = shell->mean_stretch,
                                       .poisson = nu,
                                       .shear = shell->mean_stretch / (2 * (1 + nu)),
                                       .collapse = shell->mean_stretch};
    spread_shares(mesh, shell->stretch, shell->mean_stretch, shares);
    TRY(membrane_create(mesh, &stretch, warps, shares, &shell->membrane));
    const hinge_material bend = {.bend = mean_of(shell, shell->bend), .least_area = LEAST_AREA};
    spread_shares(mesh, shell->bend, bend.bend, shares);
    TRY(hinges_create(mesh, &bend, shares, &shell->hinges));
    return hinge_pairs_create(shell->hinges, &shell->pairs);
}

static ruga_status make_matrix(ruga_embedded_shell *shell) {
    block_pattern *pattern = NULL;
    TRY(block_pattern_create(shell->context, shell->count, &pattern));
    ruga_status status = membrane_interface.add_pattern(&shell->membrane->base, pattern);
    if (!RUGA_FAILED(status)) status = hinges_interface.add_pattern(&shell->hinges->base, pattern);
    if (!RUGA_FAILED(status)) status = hinge_pairs_add_pattern(shell->pairs, pattern);
    if (!RUGA_FAILED(status)) status = block_matrix_create(pattern, &shell->hessian);
    block_pattern_destroy(pattern);
    return status;
}

ruga_status shell_make_energy(ruga_embedded_shell *shell) {
    ruga_context *context = shell->context;
    vec3 *warps = NULL;
    double *shares = NULL;
    ruga_status status = NEW(context, &warps, shell->mesh->triangle_count);
    if (!RUGA_FAILED(status)) status = NEW(context, &shares, shell->mesh->triangle_count);
    if (!RUGA_FAILED(status)) status = make_terms(shell, warps, shares);
    RELEASE_ALL(context, warps, shares);
    TRY(status);
    return make_matrix(shell);
}

/* ---- Value and gradient. */

typedef struct foundation_task {
    const ruga_embedded_shell *shell;
    const vec3 *x;
    vec3 *out;
} foundation_task;

static double foundation_block(void *argument, size_t begin, size_t end) {
    const foundation_task *task = argument;
    const ruga_embedded_shell *shell = task->shell;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        vec3 d = vec3_sub(task->x[i], shell->carrier[i]);
        sum += shell->foundation[i] * vec3_length2(d) / 2;
        if (task->out) task->out[i] = vec3_add_scaled(task->out[i], d, shell->foundation[i]);
    }
    return sum;
}

static double add_foundation(const ruga_embedded_shell *shell, const vec3 *x, vec3 *out) {
    if (!shell->foundation) return 0;
    foundation_task task = {shell, x, out};
    return parallel_sum(shell->context, shell->count, VERTEX_BLOCK, foundation_block, &task);
}

double shell_energy(const ruga_embedded_shell *shell, const vec3 *x) {
    return membrane_interface.value(&shell->membrane->base, x) + hinges_interface.value(&shell->hinges->base, x) +
           add_foundation(shell, x, NULL) + shell_yield_energy(shell, x, NULL) + shell_contact_energy(shell, x);
}

void shell_elastic_gradient(const ruga_embedded_shell *shell, const vec3 *x, vec3 *out) {
    memset(out, 0, shell->count * sizeof *out);
    membrane_interface.add_gradient(&shell->membrane->base, x, 1, out);
    hinges_interface.add_gradient(&shell->hinges->base, x, 1, out);
    shell_contact_gradient(shell, x, out);
}

double shell_gradient(const ruga_embedded_shell *shell, const vec3 *x, vec3 *out) {
    memset(out, 0, shell->count * sizeof *out);
    return membrane_interface.add_gradient(&shell->membrane->base, x, 1, out) +
           hinges_interface.add_gradient(&shell->hinges->base, x, 1, out) + add_foundation(shell, x, out) +
           shell_yield_energy(shell, x, out) + shell_contact_gradient(shell, x, out);
}

double shell_residual(const ruga_embedded_shell *shell, const vec3 *x, const vec3 *multipliers, vec3 *gradient,
                      vec3 *constraints) {
    double forces = 0, drift = 0;
    shell_gradient(shell, x, gradient);
    if (shell->rows) {
        if (multipliers) ruga_map_apply_transpose_add(shell->rows, multipliers, gradient);
        for (size_t k = 0; k < shell->rows->rows; k++) {
            vec3 sum = {0, 0, 0};
            for (size_t e = shell->rows->offsets[k]; e < shell->rows->offsets[k + 1]; e++) {
                uint32_t i = shell->rows->indices[e];
                sum = vec3_add_scaled(sum, vec3_sub(x[i], shell->carrier[i]), shell->rows->weights[e]);
            }
            constraints[k] = sum;
            drift += vec3_length2(sum);
        }
    }
    for (size_t i = 0; i < shell->count; i++) forces += vec3_length2(gradient[i]);
    return sqrt(forces + shell->mean_stretch * shell->mean_stretch * drift);
}

/* ---- The Hessian. */

/* Of membrane and bending; with is_definite a semidefinite matrix near it, without the couplings of hinges. */
static ruga_status linearise_skin(ruga_embedded_shell *shell, const vec3 *x, int is_definite) {
    const energy_weights weights = {1, 0};
    TRY(membrane_interface.linearise(&shell->membrane->base, x, weights, is_definite));
    TRY(hinges_interface.linearise(&shell->hinges->base, x, weights, is_definite));
    block_matrix_clear(shell->hessian);
    membrane_interface.add_matrix(&shell->membrane->base, 1, shell->hessian);
    hinges_interface.add_matrix(&shell->hinges->base, 1, shell->hessian);
    if (!is_definite) hinge_pairs_add_matrix(shell->pairs, 1, shell->hessian);
    shell_contact_linearise(shell, x, is_definite);
    return shell_contact_status(shell);
}

ruga_status shell_linearise(ruga_embedded_shell *shell, const vec3 *x) {
    TRY(linearise_skin(shell, x, 0));
    if (shell->foundation) block_matrix_add_diagonal(shell->hessian, shell->foundation, NULL);
    return RUGA_OK;
}

ruga_status shell_linearise_definite(ruga_embedded_shell *shell, const vec3 *x) { return linearise_skin(shell, x, 1); }

void shell_multiply(const ruga_embedded_shell *shell, const vec3 *in, vec3 *out) {
    block_matrix_multiply(shell->hessian, in, out);
    shell_yield_add_product(shell, in, out);
    shell_contact_add_product(shell, in, out);
}
