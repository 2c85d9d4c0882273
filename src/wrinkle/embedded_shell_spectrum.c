/* Global spectral constraints (section 3.2): the rows of H are the smoothest functions on the surface.
 *
 * They are the lowest eigenvectors of K v = ε M v with vertex areas M and the cotangent Laplacian
 *
 *     vᵀ K v = ∫ (λ/2π)² |∇v|²
 *
 * in units of the wavelength λ of the skin, which may vary. A wave of length ℓ has ε = (λ/ℓ)², so the waves that are
 * longer than λ are those below 1: they follow the carrier, and shorter ones are free. On an area A there are about
 * ∫ π/λ² dA of them. Row k is v_kᵀ M / √A, so that the first of a connected surface is the mean. All rows touch all
 * vertices: H is dense. */
#include <math.h>

#include "linalg/lanczos.h"
#include "linalg/ldl.h"
#include "linalg/map.h"
#include "wrinkle/embedded_shell.h"

#define CUT_OFF 1.0
#define TOLERANCE 1e-8   /* of eigenvectors */
#define SPARE_MODES 1.15 /* looked for, over the estimate: boundaries add some */
#define MORE_MODES 1.5   /* where it was too low */

typedef struct spectrum {
    const ruga_embedded_shell *shell;
    uint32_t *offsets, *columns; /* of K beside the diagonal: entries of one edge are repeated */
    double *entries, *diagonal, *masses;
    ldl *factor;
    double shift;
    vec3 *side;
    double *values, *vectors; /* (wanted) and (wanted x vertices) */
} spectrum;

static void spectrum_release(spectrum *s) {
    ldl_destroy(s->factor);
    RELEASE_ALL(s->shell->context, s->offsets, s->columns, s->entries, s->diagonal, s->masses, s->side, s->values,
                s->vectors);
}

static double cotangent(vec3 corner, vec3 a, vec3 b) {
    const vec3 u = vec3_sub(a, corner), v = vec3_sub(b, corner);
    return vec3_dot(u, v) / vec3_length(vec3_cross(u, v));
}

static void add_triangle(spectrum *s, const uint32_t corners[3], uint32_t *fronts) {
    const ruga_embedded_shell *shell = s->shell;
    const vec3 *x = shell->mesh->positions;
    double length = 0;
    for (int k = 0; k < 3; k++) length += shell_cluster_wavelength(shell, corners[k]) / (3 * 2 * SHELL_PI);
    for (int k = 0; k < 3; k++) {
        const uint32_t a = corners[k], b = corners[(k + 1) % 3], opposite = corners[(k + 2) % 3];
        const double weight = 0.5 * length * length * cotangent(x[opposite], x[a], x[b]);
        for (int end = 0; end < 2; end++) {
            const uint32_t from = end ? b : a;
            s->columns[fronts[from]] = end ? a : b;
            s->entries[fronts[from]++] = -weight;
            s->diagonal[from] += weight;
        }
    }
}

/* K, M, and the factor of K + shift M. Vertices without triangles are functions of their own. */
static ruga_status make_pencil(spectrum *s) {
    const ruga_embedded_shell *shell = s->shell;
    const ruga_mesh *mesh = shell->mesh;
    ruga_context *context = shell->context;
    const size_t n = shell->count;
    double area = 0;
    uint32_t *fronts = NULL;
    TRY(NEW_ZEROED(context, &s->offsets, n + 1));
    TRY(NEW(context, &s->columns, 6 * mesh->triangle_count));
    TRY(NEW(context, &s->entries, 6 * mesh->triangle_count));
    TRY(NEW_ZEROED(context, &s->diagonal, n));
    TRY(NEW(context, &s->masses, n));
    TRY(NEW(context, &s->side, n));
    for (size_t i = 0; i < n; i++) area += shell->areas[i];
    for (size_t i = 0; i < n; i++) s->masses[i] = shell->areas[i] > 0 ? shell->areas[i] : area / (double)n;
    for (size_t c = 0; c < 3 * mesh->triangle_count; c++) s->offsets[mesh->triangles[c] + 1] += 2;
    for (size_t i = 0; i < n; i++) s->offsets[i + 1] += s->offsets[i];
    TRY(NEW_COPY(context, &fronts, s->offsets, n));
    for (size_t t = 0; t < mesh->triangle_count; t++) add_triangle(s, mesh->triangles + 3 * t, fronts);
    memory_release(context, fronts);
    s->shift = CUT_OFF / 10;
    for (size_t i = 0; i < n; i++) s->diagonal[i] += s->shift * s->masses[i];
    TRY(ldl_create(context, n, s->offsets, s->columns, &s->factor));
    return ldl_factor(s->factor, s->entries, s->diagonal);
}

static void solve(void *user, double *x) {
    const spectrum *s = user;
    for (size_t i = 0; i < s->shell->count; i++) s->side[i] = (vec3){x[i], 0, 0};
    ldl_solve(s->factor, s->side);
    for (size_t i = 0; i < s->shell->count; i++) x[i] = s->side[i].x;
}

/* The `wanted` lowest; returns how many of them are below the cut-off. */
static ruga_status find_lowest(spectrum *s, size_t wanted, size_t *below) {
    const ruga_embedded_shell *shell = s->shell;
    const lanczos_pencil pencil = {shell->context, shell->count, s->masses, s->shift, solve, s};
    lanczos_report report;
    RELEASE_ALL(shell->context, s->values, s->vectors);
    s->values = s->vectors = NULL;
    TRY(NEW(shell->context, &s->values, wanted));
    TRY(NEW(shell->context, &s->vectors, wanted * shell->count));
    TRY(lanczos_lowest(&pencil, wanted, TOLERANCE, s->values, s->vectors, &report));
    if (report.found < wanted)
        return fail_with(shell->context, RUGA_ERROR_INPUT,
                         "shell: only %zu of %zu smooth functions on the surface were found; it may have slivers. "
                         "Remesh it, or choose the constraints clusters",
                         report.found, wanted);
    for (*below = 0; *below < wanted && s->values[*below] < CUT_OFF;) ++*below;
    return RUGA_OK;
}

/* All that are below the cut-off, at least one. */
static ruga_status find_modes(spectrum *s, size_t *count) {
    const ruga_embedded_shell *shell = s->shell;
    double estimate = 0;
    for (size_t i = 0; i < shell->count; i++) {
        const double length = shell_cluster_wavelength(shell, i);
        estimate += shell->areas[i] * SHELL_PI / (length * length);
    }
    for (size_t wanted = 0;;) {
        estimate = wanted ? MORE_MODES * (double)wanted : SPARE_MODES * estimate + 8;
        wanted = estimate < (double)shell->count ? (size_t)estimate : shell->count;
        TRY(find_lowest(s, wanted, count));
        if (*count < wanted || wanted == shell->count) break;
    }
    if (*count == 0) *count = 1;
    return RUGA_OK;
}

static ruga_status make_map(const spectrum *s, size_t count, ruga_map **out) {
    const ruga_embedded_shell *shell = s->shell;
    map_builder builder;
    double area = 0;
    for (size_t i = 0; i < shell->count; i++) area += s->masses[i];
    TRY(map_builder_make(shell->context, count, count * shell->count, &builder));
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < shell->count; i++)
            map_builder_put(&builder, (uint32_t)i, s->vectors[k * shell->count + i] * s->masses[i] / sqrt(area));
        map_builder_end_row(&builder);
    }
    return map_builder_finish_rising(&builder, shell->count, out);
}

ruga_status shell_make_spectrum(ruga_embedded_shell *shell) {
    spectrum s = {.shell = shell};
    size_t count = 0;
    ruga_status status = make_pencil(&s);
    if (!RUGA_FAILED(status)) status = find_modes(&s, &count);
    if (!RUGA_FAILED(status)) status = make_map(&s, count, &shell->rows);
    spectrum_release(&s);
    return status;
}
