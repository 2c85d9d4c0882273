/* H: what ties a shell to its carrier.
 *
 * Clusters (section 3.1): row k has the weights of equation 2,
 *
 *     α_i ~ A_i exp(-d_i² / 2σ²)   where d_i < 2σ,   σ = λ/π
 *
 * with the area A_i of each vertex, which the paper leaves out, so that the mean does not depend on the density of the
 * mesh; d is the geodesic distance from the centre. Rows sum to 1. */
#include <math.h>

#include "geom/geodesic.h"
#include "linalg/map.h"
#include "wrinkle/embedded_shell.h"

/* Of r, calibrated for the predicted wavelength on flat slabs: thicknesses of 0.55, 0.85 and 1.3 mm, stiffness ratios
 * of 120 and 900, four seeds each (bench/wavelength prints them), none of which is among the figures reported. */
#define RELAXED_SPACING 0.92
#define LEAST_FREE 0.1  /* of a row's weights that are not held, else it is left out */
#define HELD_WEIGHT 0.1 /* of a held vertex: alone it should not count as much as a cluster in residuals */
/* Clusters on a foundation are made for waves this much longer: of a wave of the skin their means leave nothing that
 * would shorten it, so that the foundation decides. */
#define FOUNDATION_SCALE 2

typedef struct row_maker {
    ruga_context *context;
    geodesic *g;
    double *distances; /* (vertices) */
    ARRAY(size_t) offsets;
    ARRAY(uint32_t) indices;
    ARRAY(double) weights;
} row_maker;

static void row_maker_release(row_maker *m) {
    geodesic_destroy(m->g);
    memory_release(m->context, m->distances);
    ARRAY_RELEASE(m->context, &m->offsets);
    ARRAY_RELEASE(m->context, &m->indices);
    ARRAY_RELEASE(m->context, &m->weights);
}

double shell_cluster_wavelength(const ruga_embedded_shell *shell, size_t vertex) {
    const double given = shell->def.cluster_wavelength;
    if (!isnan(given)) return given;
    return shell->wavelengths[vertex] * (shell->def.foundation > 0 ? FOUNDATION_SCALE : 1);
}

/* The corners of a centre's triangle are its sources, each with its own distance. */
static ruga_status add_cluster(const ruga_embedded_shell *shell, const shell_centre *centre, row_maker *m) {
    const uint32_t *c = shell->mesh->triangles + 3 * (size_t)centre->triangle;
    const double zeros[3] = {0, 0, 0};
    double from[3], sigma = 0, sum = 0;
    for (int k = 0; k < 3; k++) {
        from[k] = vec3_distance(shell->mesh->positions[c[k]], centre->place);
        sigma += shell_cluster_wavelength(shell, c[k]) / (3 * SHELL_PI);
    }
    const geodesic_sources sources = {.count = 3, .vertices = c, .parameters = zeros, .distances = from};
    const uint32_t *reached;
    size_t count, begin = m->indices.count;
    geodesic_distances(m->g, &sources, 2 * sigma, m->distances, NULL, &reached, &count);
    for (size_t k = 0; k < count; k++) {
        const double d = m->distances[reached[k]] / sigma;
        if (!(d < 2)) continue;
        const double weight = shell->areas[reached[k]] * exp(-d * d / 2);
        TRY(ARRAY_ADD(m->context, &m->indices, reached[k]));
        TRY(ARRAY_ADD(m->context, &m->weights, weight));
        sum += weight;
    }
    /* A mesh so coarse that no vertex is near the centre: the closest corner alone. */
    if (m->indices.count == begin) {
        const int best = from[0] <= from[1] && from[0] <= from[2] ? 0 : from[1] <= from[2] ? 1 : 2;
        TRY(ARRAY_ADD(m->context, &m->indices, c[best]));
        TRY(ARRAY_ADD(m->context, &m->weights, 1.0));
        sum = 1;
    }
    for (size_t k = begin; k < m->weights.count; k++) m->weights.items[k] /= sum;
    return ARRAY_ADD(m->context, &m->offsets, m->indices.count);
}

static ruga_status add_clusters(const ruga_embedded_shell *shell, const shell_centre_array *centres, row_maker *m) {
    TRY(geodesic_create(m->context, shell->topo, shell->mesh->triangles, shell->mesh->positions, &m->g));
    TRY(NEW(m->context, &m->distances, shell->count));
    TRY(ARRAY_ADD(m->context, &m->offsets, (size_t)0));
    for (size_t k = 0; k < centres->count; k++) TRY(add_cluster(shell, &centres->items[k], m));
    return RUGA_OK;
}

static double spacing_of(const ruga_embedded_shell_def *def) {
    if (!isnan(def->spacing)) return def->spacing;
    return def->centres == RUGA_SHELL_FARTHEST ? 1 : RELAXED_SPACING;
}

static ruga_status make_clusters(const ruga_embedded_shell *shell, shell_centre_array *centres, row_maker *m,
                                 double *radii) {
    for (size_t v = 0; v < shell->count; v++) radii[v] = 2 * shell_cluster_wavelength(shell, v) / SHELL_PI;
    TRY(shell_place_centres(shell, radii, spacing_of(&shell->def), centres));
    return add_clusters(shell, centres, m);
}

static ruga_status make_cluster_map(ruga_embedded_shell *shell) {
    ruga_context *context = shell->context;
    row_maker m = {.context = context};
    shell_centre_array centres = {0};
    double *radii = NULL;
    ruga_status status = NEW(context, &radii, shell->count);
    if (!RUGA_FAILED(status)) status = make_clusters(shell, &centres, &m, radii);
    if (!RUGA_FAILED(status)) {
        status = map_from_rows(context, centres.count, shell->count, m.offsets.items, m.indices.items, m.weights.items,
                               &shell->rows);
        m.offsets.items = NULL;
        m.indices.items = NULL;
        m.weights.items = NULL;
    }
    row_maker_release(&m);
    ARRAY_RELEASE(context, &centres);
    memory_release(context, radii);
    return status;
}

/* ---- Held vertices. */

/* A row without its held vertices, unless they are most of it. */
static void copy_free(const ruga_embedded_shell *shell, size_t row, map_builder *builder) {
    const ruga_map *rows = shell->rows;
    double all = 0, free = 0;
    for (size_t e = rows->offsets[row]; e < rows->offsets[row + 1]; e++) {
        all += fabs(rows->weights[e]);
        if (!shell->held[rows->indices[e]]) free += fabs(rows->weights[e]);
    }
    if (free < LEAST_FREE * all) return;
    for (size_t e = rows->offsets[row]; e < rows->offsets[row + 1]; e++)
        if (!shell->held[rows->indices[e]]) map_builder_put(builder, rows->indices[e], rows->weights[e] * (all / free));
    map_builder_end_row(builder);
}

/* A row of its own for each held vertex. These are where the carrier has them, so that the other rows need not have
 * them. */
static ruga_status hold_vertices(ruga_embedded_shell *shell) {
    const size_t rows = shell->rows ? shell->rows->rows : 0, entries = rows ? shell->rows->offsets[rows] : 0;
    map_builder builder;
    ruga_map *made = NULL;
    TRY(map_builder_make(shell->context, rows + shell->count, entries + shell->count, &builder));
    for (size_t k = 0; k < rows; k++) copy_free(shell, k, &builder);
    for (size_t i = 0; i < shell->count; i++) {
        if (!shell->held[i]) continue;
        map_builder_put(&builder, (uint32_t)i, HELD_WEIGHT);
        map_builder_end_row(&builder);
    }
    TRY(map_builder_finish_rising(&builder, shell->count, &made));
    ruga_map_destroy(shell->rows);
    shell->rows = made;
    return RUGA_OK;
}

ruga_status shell_make_rows(ruga_embedded_shell *shell) {
    if (shell->def.constraints == RUGA_SHELL_PENALTY && !shell->held) return RUGA_OK;
    if (shell->def.constraints == RUGA_SHELL_CLUSTERS) TRY(make_cluster_map(shell));
    if (shell->def.constraints == RUGA_SHELL_SPECTRAL) TRY(shell_make_spectrum(shell));
    shell->report.clusters = shell->rows ? shell->rows->rows : 0;
    if (shell->held) TRY(hold_vertices(shell));
    TRY(ruga_map_transpose(shell->rows, &shell->columns));
    return NEW_ZEROED(shell->context, &shell->multipliers, shell->rows->rows);
}
