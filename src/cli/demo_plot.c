/* Demo: plots. What is measured stands beside what theory says. */
#include <math.h>

#include "demo.h"

static const double pi = 3.14159265358979323846;

enum { SPHERES = 8, THEORY = 2 };

/* How far the area and the volume of the faceted sphere lie below those of the true one, as parts of these. */
static int measure_sphere(demo *d, double frequency, double *area_error, double *volume_error) {
    const double radius = 0.5;
    const demo_parameter parameters[] = {{"frequency", frequency}, {"radius", radius}, {NULL, 0}};
    ruga_mesh *sphere = NULL;
    ruga_mesh_summary summary;
    int code = demo_model(d, "sphere", parameters, &sphere);
    if (code) return code;
    ruga_status status = ruga_mesh_summarise(sphere, &summary);
    ruga_mesh_destroy(sphere);
    if (RUGA_FAILED(status)) return session_failed_output(d->s, status);
    *area_error = 1 - summary.area / (4 * pi * radius * radius);
    *volume_error = 1 - summary.volume / (4 * pi * radius * radius * radius / 3);
    return 0;
}

int demo_make_plot(demo *d) {
    double frequency[SPHERES], area[SPHERES], volume[SPHERES];
    int code = 0;
    for (int i = 0; i < SPHERES && !code; i++) {
        frequency[i] = exp2(i);
        code = measure_sphere(d, frequency[i], &area[i], &volume[i]);
    }
    if (code) return code;

    // Second order: the error falls with the square of the edges' length, here drawn through the last points.
    double ends[THEORY] = {1, frequency[SPHERES - 1]}, theory[2][THEORY];
    for (int i = 0; i < THEORY; i++) {
        double finer = ends[i] / frequency[SPHERES - 1];
        theory[0][i] = area[SPHERES - 1] / (finer * finer);
        theory[1][i] = volume[SPHERES - 1] / (finer * finer);
    }
    ruga_plot_series series[] = {
        {.name = "volume", .x = frequency, .y = volume, .count = SPHERES, .kind = RUGA_PLOT_POINTS},
        {.name = "area", .x = frequency, .y = area, .count = SPHERES, .kind = RUGA_PLOT_POINTS},
        {.name = "slope \u22122", .x = ends, .y = theory[0], .count = THEORY, .dashed = 1, .own_colour = 1},
        {.x = ends, .y = theory[1], .count = THEORY, .dashed = 1, .own_colour = 1}};
    series[2].colour = series[3].colour = (ruga_colour){0.35f, 0.35f, 0.38f};
    ruga_plot_def def = ruga_plot_def_default();
    def.title = "A faceted sphere converges with second order";
    def.x_label = "edges along a side of the icosahedron";
    def.y_label = "relative error";
    def.x_log = def.y_log = 1;
    def.series = series, def.series_count = sizeof series / sizeof series[0];
    return demo_write_plot(d, &def, "convergence.png", "convergence.svg");
}
