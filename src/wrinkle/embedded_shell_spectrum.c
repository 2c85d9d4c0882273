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

#include "linalg/block_llt.h"
#include "linalg/lanczos.h"
#include "linalg/map.h"
#include "wrinkle/embedded_shell.h"

#define CUT_OFF 1.0
#define TOLERANCE 1e-8   /* of eigenvectors */
#define SPARE_MODES 1.15 /* looked for, over the estimate: boundaries add some */
#define MORE_MODES 1.5   /* where it was too low */

typedef struct spectrum {
    const ruga_embedded_shell *shell;
    /* K + shift M, whose factor has blocks of 3 x 3: up to three neighbours are one of its points. */
    uint32_t *places; /* (vertices) 3 times the point, plus the place there */
    size_t points;
    block_matrix *matrix;
    block_llt *factor;
    double *masses;
    double shift;
    vec3 *side;               /* (points) */
    double *values, *vectors; /* (wanted) and (wanted x vertices) */
} spectrum;

static void spectrum_release(spectrum *s) {
    block_llt_destroy(s->factor);
    block_matrix_destroy(s->matrix);
    RELEASE_ALL(s->shell->context, s->places, s->masses, s->side, s->values, s->vectors);
}

static double cotangent(vec3 corner, vec3 a, vec3 b) {
    const vec3 u = vec3_sub(a, corner), v = vec3_sub(b, corner);
    return vec3_dot(u, v) / vec3_length(vec3_cross(u, v));
}

/* ---- The matrix. */

#define NO_PLACE UINT32_MAX

/* Every vertex that has no place yet takes two neighbours along that have none either. */
static void place_vertices(spectrum *s) {
    const topology *topo = s->shell->topo;
    for (size_t v = 0; v < s->shell->count; v++) s->places[v] = NO_PLACE;
    for (size_t v = 0; v < s->shell->count; v++) {
        if (s->places[v] != NO_PLACE) continue;
        uint32_t next = 3 * (uint32_t)s->points++;
        s->places[v] = next++;
        for (uint32_t e = topo->ring_offsets[v]; e < topo->ring_offsets[v + 1] && next % 3; e++)
            if (s->places[topo->ring_vertices[e]] == NO_PLACE) s->places[topo->ring_vertices[e]] = next++;
    }
}

/* The neighbours of points, from those of their vertices. offsets: (points + 1) zeros; others: (edges x 2). */
static void list_neighbours(const spectrum *s, uint32_t *offsets, uint32_t *others) {
    const topology *topo = s->shell->topo;
    const size_t n = s->shell->count;
    for (size_t v = 0; v < n; v++) offsets[s->places[v] / 3 + 1] += topo->ring_offsets[v + 1] - topo->ring_offsets[v];
    for (size_t i = 0; i < s->points; i++) offsets[i + 1] += offsets[i];
    for (size_t v = n; v-- > 0;)
        for (uint32_t e = topo->ring_offsets[v]; e < topo->ring_offsets[v + 1]; e++)
            others[--offsets[s->places[v] / 3 + 1]] = s->places[topo->ring_vertices[e]] / 3;
    /* Every end is at its row's begin now, which is the end of the row before. */
    for (size_t i = 0; i < s->points; i++) offsets[i] = offsets[i + 1];
    offsets[s->points] = topo->ring_offsets[n];
}

static ruga_status make_pattern(spectrum *s) {
    ruga_context *context = s->shell->context;
    uint32_t *offsets = NULL, *others = NULL;
    block_pattern *pattern = NULL;
    ruga_status status = NEW_ZEROED(context, &offsets, s->points + 1);
    if (!RUGA_FAILED(status)) status = NEW(context, &others, s->shell->topo->ring_offsets[s->shell->count]);
    if (!RUGA_FAILED(status)) status = block_pattern_create(context, s->points, &pattern);
    if (!RUGA_FAILED(status)) {
        list_neighbours(s, offsets, others);
        status = block_pattern_add_rows(pattern, offsets, offsets + 1, others);
    }
    if (!RUGA_FAILED(status)) status = block_matrix_create(pattern, &s->matrix);
    block_pattern_destroy(pattern);
    RELEASE_ALL(context, offsets, others);
    return status;
}

static void add_number(spectrum *s, uint32_t row, uint32_t column, double value) {
    const uint32_t at = s->places[row], beside = s->places[column];
    const size_t entry =
        at / 3 == beside / 3 ? s->matrix->diagonals[at / 3] : block_matrix_entry(s->matrix, at / 3, beside / 3);
    s->matrix->blocks[BLOCK_NUMBERS * entry + 3 * (beside % 3) + at % 3] += value;
}

static void add_triangle(spectrum *s, const uint32_t corners[3]) {
    const ruga_embedded_shell *shell = s->shell;
    const vec3 *x = shell->mesh->positions;
    double length = 0;
    for (int k = 0; k < 3; k++) length += shell_cluster_wavelength(shell, corners[k]) / (3 * 2 * SHELL_PI);
    for (int k = 0; k < 3; k++) {
        const uint32_t a = corners[k], b = corners[(k + 1) % 3], opposite = corners[(k + 2) % 3];
        const double weight = 0.5 * length * length * cotangent(x[opposite], x[a], x[b]);
        add_number(s, a, a, weight);
        add_number(s, b, b, weight);
        add_number(s, a, b, -weight);
        add_number(s, b, a, -weight);
    }
}

/* Vertices without triangles are functions of their own. */
static void fill_matrix(spectrum *s) {
    const ruga_embedded_shell *shell = s->shell;
    for (size_t i = 0; i < 3 * s->points; i++) /* places without a vertex keep these */
        s->matrix->blocks[BLOCK_NUMBERS * (size_t)s->matrix->diagonals[i / 3] + 4 * (i % 3)] = 1;
    for (size_t v = 0; v < shell->count; v++) add_number(s, (uint32_t)v, (uint32_t)v, s->shift * s->masses[v] - 1);
    for (size_t t = 0; t < shell->mesh->triangle_count; t++) add_triangle(s, shell->mesh->triangles + 3 * t);
}

/* K, M, and the factor of K + shift M. */
static ruga_status make_pencil(spectrum *s) {
    const ruga_embedded_shell *shell = s->shell;
    ruga_context *context = shell->context;
    const size_t n = shell->count;
    double area = 0;
    TRY(NEW(context, &s->places, n));
    TRY(NEW(context, &s->masses, n));
    place_vertices(s);
    TRY(NEW_ZEROED(context, &s->side, s->points));
    for (size_t i = 0; i < n; i++) area += shell->areas[i];
    for (size_t i = 0; i < n; i++) s->masses[i] = shell->areas[i] > 0 ? shell->areas[i] : area / (double)n;
    s->shift = CUT_OFF / 10;
    TRY(make_pattern(s));
    fill_matrix(s);
    TRY(block_llt_create(context, s->points, s->matrix->offsets, s->matrix->columns, &s->factor));
    if (!block_llt_factor(s->factor, s->matrix->blocks, 0, NULL)) return shell_fail_at_sliver(shell);
    return RUGA_OK;
}

static void solve(void *user, double *x) {
    const spectrum *s = user;
    double *side = &s->side->x;
    for (size_t i = 0; i < s->shell->count; i++) side[s->places[i]] = x[i];
    block_llt_solve(s->factor, s->side);
    for (size_t i = 0; i < s->shell->count; i++) x[i] = side[s->places[i]];
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
