/* Report and warnings: radii and waves that may not turn out as intended.
 *
 * A wave needs five average edges of the fine mesh. With each edge of the base divided into n parts, these are 1/n of
 * the base's: waves of λ over base edges of l need n ≥ 5 l / λ, and waves of the chosen length, 1.5 l, need four. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "wrinkle/wrinkle_mesh.h"

#define CHOSEN_EDGES 1.5 /* average edges of the base per chosen wave */
#define OTHER_UNIT \
    0.4 /* of the base's size: a smaller fine mesh may be in another unit, such as inches instead of cm */
#define HUGE_RADIUS 0.25 /* of the base's size: greater ones are more likely a mask from 0 to 1, or in another unit */
#define TINY_FACTOR 0.1  /* of the radius for the wavelength: smaller painted radii are more likely in metres */

double wrinkle_average_edge(const ruga_mesh *mesh) {
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles + 3 * t;
        for (int k = 0; k < 3; k++)
            sum += vec3_distance(mesh->positions[corner[k]], mesh->positions[corner[(k + 1) % 3]]);
    }
    return sum / (3 * (double)mesh->triangle_count);
}

double wrinkle_chosen_wavelength(const ruga_mesh *base) { return CHOSEN_EDGES * wrinkle_average_edge(base); }

/* ---- The report. */

/* Inserts a vertex into the list of the worst, if it is one of them. */
static void rank_wide(ruga_wrinkle_mesh_report *report, size_t vertex, double ratio) {
    size_t at = RUGA_WRINKLE_WIDEST;
    while (at > 0 && ratio > report->widest_ratios[at - 1]) at--;
    for (size_t i = RUGA_WRINKLE_WIDEST; i-- > at + 1;) {
        report->widest_ratios[i] = report->widest_ratios[i - 1];
        report->widest_vertices[i] = report->widest_vertices[i - 1];
    }
    if (at == RUGA_WRINKLE_WIDEST) return;
    report->widest_ratios[at] = ratio;
    report->widest_vertices[at] = vertex;
}

static void report_radii(const ruga_wrinkle_mesh *w, ruga_wrinkle_mesh_report *report) {
    report->least_radius = w->unattached_count < w->fine->vertex_count ? INFINITY : 0;
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        if (w->unattached[v]) continue;
        double radius = (double)w->radii[v], ratio = radius / (0.5 * (double)w->edges_around[v]);
        report->greatest_radius = fmax(report->greatest_radius, radius);
        report->least_radius = fmin(report->least_radius, radius);
        if (!(w->edges_around[v] > 0 && ratio > 1 + 1e-6)) continue;
        report->wide_count++;
        rank_wide(report, v, ratio);
    }
}

static void report_lengths(const ruga_wrinkle_mesh *w, ruga_wrinkle_mesh_report *report) {
    for (size_t e = 0; e < w->topo->edge_count; e++) {
        const float *p = w->points + 4 * (size_t)w->slots[w->topo->edge_vertices[2 * e]];
        const float *q = w->points + 4 * (size_t)w->slots[w->topo->edge_vertices[2 * e + 1]];
        double x = (double)(q[0] - p[0]), y = (double)(q[1] - p[1]), z = (double)(q[2] - p[2]);
        double wanted = w->springs ? (double)w->springs[e].length : (double)w->constraints[e].length;
        if (wanted > 0)
            report->length_error = fmax(report->length_error, fabs(sqrt(x * x + y * y + z * z) / wanted - 1));
    }
}

ruga_wrinkle_mesh_report ruga_wrinkle_mesh_get_report(const ruga_wrinkle_mesh *w) {
    ruga_wrinkle_mesh_report report = {.base_vertices = w->base->vertex_count,
                                       .fine_vertices = w->fine->vertex_count,
                                       .fine_triangles = w->fine->triangle_count,
                                       .edges = w->topo->edge_count,
                                       .bends = w->bend_count,
                                       .unattached = w->unattached_count};
    double sum = 0;
    report.lowered = wrinkle_upright_count(w->upright);
    wrinkle_collide_report(w->collide, &report);
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        const float *o = w->offsets + 4 * (size_t)w->slots[v];
        for (int k = 0; k < 3; k++) sum += (double)o[k] * (double)o[k];
    }
    report.rms_offset = fmin(1, w->def.strength) * sqrt(sum / (double)w->fine->vertex_count);
    report.wavelength = w->wavelength;
    report.wave_origin = w->wave_origin;
    report.radius_origin = w->radius_origin;
    report.radius_unit = w->radius_unit;
    report_radii(w, &report);
    report_lengths(w, &report);
    return report;
}

/* ---- Warnings. */

/* A fine mesh that is small enough to be within the base is near it in any unit. */
static void warn_of_unit(const ruga_wrinkle_mesh *w) {
    double base = wrinkle_size(w->base), fine = wrinkle_size(w->fine);
    if (w->map || fine >= OTHER_UNIT * base) return;
    log_warning(
        w->context,
        "wrinkle mesh: the fine mesh is %.3g m across and the base %.3g m. If it should cover more than a small "
        "part of the base, check its unit",
        fine, base);
}

static void warn_of_width(const ruga_wrinkle_mesh *w, const ruga_wrinkle_mesh_report *report) {
    char worst[40 * RUGA_WRINKLE_WIDEST] = "";
    for (size_t i = 0, length = 0; i < RUGA_WRINKLE_WIDEST && i < report->wide_count; i++)
        length += (size_t)snprintf(worst + length, sizeof worst - length, "%s%zu (%.3g times that)", i > 0 ? ", " : "",
                                   report->widest_vertices[i], report->widest_ratios[i]);
    log_warning(
        w->context,
        "wrinkle mesh: at %zu of %zu fine vertices the radius exceeds half the average edge around, so wrinkles may "
        "intersect each other; most at vertex %s. Use smaller radii there to avoid it",
        report->wide_count, report->fine_vertices, worst);
}

static void warn_of_coarseness(const ruga_wrinkle_mesh *w, int n) {
    char cure[120];
    const double wanted =
        w->wave_origin == RUGA_WRINKLE_WAVE_GIVEN ? w->wavelength : wrinkle_chosen_wavelength(w->base);
    if (n > 0)
        snprintf(cure, sizeof cure, "divide each edge of the base into %.0f parts, not %d",
                 ceil(n * WRINKLE_WAVE_EDGES * w->mean_edge / wanted - 1e-6), n);
    else
        snprintf(cure, sizeof cure, "use a fine mesh with edges of %.3g m on average", wanted / WRINKLE_WAVE_EDGES);
    if (w->wave_origin == RUGA_WRINKLE_WAVE_FINE_EDGES)
        log_warning(
            w->context,
            "wrinkle mesh: the fine mesh is too coarse for waves of 1.5 edges of the base, %.3g m: a wave needs %d "
            "average edges. The waves are %.3g m long, which may be coarse where the base bends; %s",
            wanted, WRINKLE_WAVE_EDGES, w->wavelength, cure);
    else if (w->wave_origin == RUGA_WRINKLE_WAVE_GIVEN && wanted < WRINKLE_WAVE_EDGES * w->mean_edge * (1 - 1e-6))
        log_warning(
            w->context,
            "wrinkle mesh: a wavelength of %g m is %.2g average edges of the fine mesh, but a wave needs %d; %s, or "
            "set a wavelength of %.2g m",
            wanted, wanted / w->mean_edge, WRINKLE_WAVE_EDGES, cure, WRINKLE_WAVE_EDGES * w->mean_edge);
}

/* Painted radii are metres or a factor: the numbers show which is more likely. */
static void warn_of_radius_unit(const ruga_wrinkle_mesh *w, const ruga_wrinkle_mesh_report *report) {
    const double size = wrinkle_size(w->base), greatest = report->greatest_radius;
    if (w->radius_origin == RUGA_WRINKLE_RADIUS_PAINTED && greatest > 0 && greatest < TINY_FACTOR * w->radius_unit)
        log_warning(
            w->context,
            "wrinkle mesh: the painted radius is at most %.3g. It is a factor of the %.3g m that waves of %.3g m "
            "need, so radii are up to %.3g m. If you meant metres, paint 1 for the full radius, or set a "
            "wavelength of 0",
            greatest / w->radius_unit, w->radius_unit, w->wavelength, greatest);
    if (w->radius_origin == RUGA_WRINKLE_RADIUS_GIVEN && greatest > HUGE_RADIUS * size)
        log_warning(
            w->context, "wrinkle mesh: radii of up to %.3g m on a base that is %.3g m across. %s", greatest, size,
            wrinkle_is_painted(&w->def.radius)
                ? "Without a wavelength a painted radius is in metres; set a wavelength to use a mask from 0 to 1 as "
                  "a factor"
                : "Radii are in metres; check the number");
}

/* Waves of a given wavelength need greater radii, so there is no warning of these. */
void wrinkle_mesh_warn(const ruga_wrinkle_mesh *w, int n) {
    warn_of_unit(w);
    warn_of_coarseness(w, n);
    ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(w);
    warn_of_radius_unit(w, &report);
    if (w->wave_origin != RUGA_WRINKLE_WAVE_GIVEN && w->radius_origin == RUGA_WRINKLE_RADIUS_GIVEN &&
        report.wide_count > 0)
        warn_of_width(w, &report);
}
