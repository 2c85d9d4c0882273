/* Demo: wavelengths of embedded shells, measured (Rémillard and Kry 2013, figures 6 and 7). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "section_shell.h"

#define INTERIOR 1e4 /* Pa */
#define POISSON 0.3
#define LOAD 1.6 /* of the critical strain of a free wave */

static ruga_skin skin_of(double thickness, double ratio) {
    return (ruga_skin){thickness, INTERIOR * ratio, POISSON, INTERIOR, POISSON};
}

/* The strain at which a wave of a free skin buckles: h² k² / 12. */
static double critical_strain(const ruga_skin *skin) {
    return pow(2 * DEMO_PI * skin->thickness / ruga_skin_wavelength(skin), 2) / 12;
}

/* ---- Figure 6: shell and dense volume. */

enum { THICKNESSES = 2, RATIOS = 2, PAIRS = THICKNESSES * RATIOS };

/* A flat skin, slowly pressed together along x beyond buckling; its wavelength, m. */
static int press_skin(demo *d, const ruga_skin *skin, double waves, skinned *out, double *found) {
    const double lambda = ruga_skin_wavelength(skin), edges = d->draft ? 5 : 8;
    const demo_parameter size[] = {
        {"width", waves * lambda},   {"length", 3.3 * lambda}, {"columns", ceil(waves * edges)},
        {"rows", ceil(3.3 * edges)}, {"triangulation", 2},     {NULL, 0}};
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    ruga_mesh *slab = NULL;
    ruga_vec3 *carrier = NULL;
    def.thickness = ruga_param_constant(skin->thickness);
    def.stiffness = ruga_param_constant(skin->stiffness);
    def.interior_stiffness = ruga_param_constant(skin->interior_stiffness);
    def.tolerance = 1e-3;
    def.foundation = 1; /* twice the critical strain of a free wave is that of the skin then */
    int code = demo_model(d, "sheet", size, &slab);
    if (!code) code = skinned_make(d, slab, &def, out);
    if (!code) code = DEMO_NEW(d, carrier, slab->vertex_count);
    for (int f = 0; f < (d->draft ? 1 : 5) && !code; f++) {
        const double strain = (1.9 + 0.15 * f) * critical_strain(skin);
        for (size_t v = 0; v < slab->vertex_count; v++) {
            carrier[v] = slab->positions[v];
            carrier[v].x *= 1 - strain;
        }
        code = demo_code(d, ruga_embedded_shell_update(out->shell, carrier));
        if (!code) code = session_interrupted(d->s);
    }
    if (!code) *found = ruga_embedded_shell_measure_wavelength(out->shell);
    if (!code) code = demo_moment(d, out->smooth, &out->now);
    if (!code) ruga_map_apply(out->map, ruga_embedded_shell_positions(out->shell), out->now.positions);
    return code;
}

static int press_volume(demo *d, const ruga_skin *skin, double waves, ruga_mesh **mesh, double *found) {
    ruga_dense_slab_def def = ruga_dense_slab_def_default();
    ruga_dense_slab_report report;
    def.skin = *skin;
    def.waves = waves;
    def.columns = d->draft ? 4 : 8;
    int code = demo_code(d, ruga_dense_slab_solve(d->s->context, &def, &report, mesh));
    if (!code) *found = report.wavelength;
    if (!code) code = demo_keep(d, DEMO_MESH, *mesh);
    return code ? code : session_interrupted(d->s);
}

static int plot_pairs(demo *d, double thickness[], double predicted[PAIRS], double shell[PAIRS], double dense[PAIRS]) {
    ruga_plot_series series[2 * THICKNESSES + 1];
    double line[2] = {12, 48}, theory[2] = {1, 1}, over[2][PAIRS];
    char names[2 * THICKNESSES][64];
    static const ruga_colour colours[THICKNESSES] = {{0.12f, 0.40f, 0.66f}, {0.80f, 0.40f, 0.12f}};
    for (int i = 0; i < PAIRS; i++) {
        over[0][i] = shell[i] / predicted[i];
        over[1][i] = dense[i] / predicted[i];
    }
    for (int t = 0; t < THICKNESSES; t++) {
        snprintf(names[2 * t], sizeof names[0], "shell, h = %.2g mm", 1e3 * thickness[t]);
        snprintf(names[2 * t + 1], sizeof names[0], "volume, h = %.2g mm", 1e3 * thickness[t]);
        for (int k = 0; k < 2; k++)
            series[2 * t + k] = (ruga_plot_series){.name = names[2 * t + k],
                                                   .x = predicted + RATIOS * t,
                                                   .y = over[k] + RATIOS * t,
                                                   .count = RATIOS,
                                                   .kind = RUGA_PLOT_POINTS,
                                                   .own_colour = 1,
                                                   .colour = colours[t]};
    }
    series[2 * THICKNESSES] = (ruga_plot_series){.name = "equation 3",
                                                 .x = line,
                                                 .y = theory,
                                                 .count = 2,
                                                 .kind = RUGA_PLOT_LINE,
                                                 .own_colour = 1,
                                                 .colour = {0.6f, 0.6f, 0.6f}};
    ruga_plot_def def =
        demo_plot(NULL, "wavelength by equation 3 (mm)", "measured, over equation 3", series, 2 * THICKNESSES + 1);
    return demo_write_plot(d, &def, "shell-volume-plot.png", "shell-volume-plot.svg");
}

/* The layer of a dense slab, or what is below it, as a mesh of its own. */
static int part_of_slab(demo *d, const ruga_mesh *slab, int layer, ruga_render_mesh *out) {
    const ruga_attribute *skin = ruga_mesh_attribute(slab, "skin", RUGA_DOMAIN_VERTEX);
    uint32_t *faces = NULL;
    ruga_mesh *part = NULL;
    size_t count = 0;
    int code = DEMO_NEW(d, faces, 3 * slab->triangle_count);
    for (size_t t = 0; t < slab->triangle_count && !code; t++) {
        int is_layer = 1;
        for (size_t k = 0; k < 3; k++) is_layer &= ruga_attribute_get(skin, slab->triangles[3 * t + k], 0) > 0.5;
        if (is_layer == layer) memcpy(faces + 3 * count++, slab->triangles + 3 * t, 3 * sizeof *faces);
    }
    if (!code) code = demo_mesh(d, slab->positions, slab->vertex_count, NULL, faces, count, &part);
    *out = ruga_render_mesh_default(part);
    out->crease_angle = 60;
    return code;
}

/* Both as they are pressed together, with heights of the skin in colours. */
static int show_slabs(demo *d, skinned *skin, const ruga_mesh *slab) {
    const ruga_camera camera = demo_camera(14, 22);
    ruga_render_mesh looks[3];
    double *heights = NULL;
    moment view;
    int code = DEMO_NEW(d, heights, skin->smooth->vertex_count);
    for (int layer = 0; layer < 2 && !code; layer++) code = part_of_slab(d, slab, layer, &looks[1 + layer]);
    if (code) return code;
    looks[0] = skinned_look(skin, &view, demo_skin);
    for (size_t v = 0; v < skin->smooth->vertex_count; v++) heights[v] = 1e3 * skin->now.positions[v].y;
    looks[0].scalar_values = heights;
    looks[0].diverging = 1;
    looks[0].scalar_label = "height (mm)";
    looks[1].front = looks[1].back = (ruga_colour){0.86f, 0.82f, 0.70f};
    looks[2].front = looks[2].back = (ruga_colour){0.62f, 0.36f, 0.24f};
    const ruga_panel panels[2] = {{.caption = "shell", .mesh_count = 1, .meshes = looks, .camera = camera},
                                  {.caption = "dense volume", .mesh_count = 2, .meshes = looks + 1, .camera = camera}};
    ruga_render_def picture = demo_def(1600, 760, panels, 2, 1);
    return demo_still(d, &picture, "shell-volume.png");
}

int demo_make_shell_volume(demo *d) {
    static double thickness[THICKNESSES] = {0.0007, 0.0014}, ratios[RATIOS] = {100, 400};
    double predicted[PAIRS], shell[PAIRS], dense[PAIRS];
    skinned *skins = NULL;
    ruga_mesh *volume = NULL;
    int code = DEMO_NEW(d, skins, PAIRS);
    for (int i = PAIRS; i-- > 0 && !code;) {
        const ruga_skin skin = skin_of(thickness[i / RATIOS], ratios[i % RATIOS]);
        const double waves =
            d->draft ? 3.4 : 9.6 + 0.4 * i; /* ends of the volume round to whole waves: lengths differ */
        predicted[i] = 1e3 * ruga_skin_wavelength(&skin);
        code = press_skin(d, &skin, waves, &skins[i], &shell[i]);
        if (!code) code = press_volume(d, &skin, waves, &volume, &dense[i]);
    }
    for (int i = 0; i < PAIRS && !code; i++) shell[i] *= 1e3, dense[i] *= 1e3;
    if (!code) code = plot_pairs(d, thickness, predicted, shell, dense);
    if (code) return code;
    return show_slabs(d, &skins[0], volume);
}

/* ---- Figure 7: a sweep over thickness and ratio, and its lines of equal wavelength. */

enum { SIDE = 4, LEVELS = 5, MOST_SEGMENTS = SIDE * SIDE * LEVELS * 2 };

typedef struct sweep_grid {
    int side;
    double thickness[SIDE], ratios[SIDE], found[SIDE][SIDE]; /* m, 1, m */
} sweep_grid;

/* Lengths in waves and seeds differ, so that no run repeats another at a different scale. */
static int write_table(demo *d, const sweep_grid *g) {
    char text[8192];
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         "objects[slab].details[0].thickness, objects[slab].details[0].stiffness, "
                         "objects[slab].body.action.width, objects[slab].mesh.width, "
                         "objects[slab].mesh.length, objects[slab].mesh.seed, objects[slab].details[0].seed\n");
    for (int i = 0; i < g->side * g->side; i++) {
        const ruga_skin skin = skin_of(g->thickness[i / g->side], g->ratios[i % g->side]);
        const double lambda = ruga_skin_wavelength(&skin);
        used += (size_t)snprintf(text + used, sizeof text - used, "%.7g, %.7g, %.7g, %.7g, %.7g, %d, %d\n",
                                 skin.thickness, skin.stiffness, LOAD * critical_strain(&skin),
                                 (14.3 + 0.17 * i) * lambda, 3.3 * lambda, 1 + i, 5 + 3 * i);
    }
    return write_text_file(d->s, demo_path(d, "shell-sweep.csv"), text, used);
}

/* The end of a cell of a table: the comma after it, or the end of the line. Commas within quotes belong to it. */
static char *cell_end(char *cell) {
    for (int quoted = 0; *cell && *cell != '\n' && (quoted || *cell != ','); cell++) quoted ^= *cell == '"';
    return cell;
}

/* The cell of a row, from 0; NULL: there is none. Cuts the row. */
static char *cell_at(char *row, int place) {
    for (; place > 0; place--) {
        row = cell_end(row);
        if (*row != ',') return NULL;
        row++;
    }
    *cell_end(row) = 0;
    return row;
}

/* The column with this name, without its quotes; -1: there is none. */
static int find_column(const char *header, const char *name) {
    char copy[8192], *cell;
    for (int place = 0;; place++) {
        snprintf(copy, sizeof copy, "%s", header);
        if (!(cell = cell_at(copy, place))) return -1;
        if (strncmp(cell + (*cell == '"'), name, strlen(name)) == 0) return place;
    }
}

/* The number in a column of a row; NaN: there is none. */
static double number_at(const char *row, int column) {
    char copy[8192];
    snprintf(copy, sizeof copy, "%s", row);
    const char *cell = column < 0 ? NULL : cell_at(copy, column);
    return cell && *cell ? strtod(cell, NULL) : NAN;
}

static int place_of(const double *values, int count, double value) {
    for (int i = 0; i < count; i++)
        if (fabs(values[i] / value - 1) < 1e-4) return i;
    return -1;
}

/* Of sweep.csv, which may have runs of an earlier demo, too. */
static int read_found(demo *d, const char *path, sweep_grid *g) {
    FILE *file = fopen(demo_path(d, path), "r");
    char line[8192] = "";
    int columns[3] = {-1, -1, -1}, missing = 0;
    if (file && fgets(line, sizeof line, file)) {
        columns[0] = find_column(line, "objects[slab].details[0].thickness");
        columns[1] = find_column(line, "objects[slab].details[0].stiffness");
        columns[2] = find_column(line, "slab.shell.wavelength [m] last");
    }
    for (int i = 0; i < SIDE * SIDE; i++) g->found[i / SIDE][i % SIDE] = NAN;
    while (file && fgets(line, sizeof line, file)) {
        const int t = place_of(g->thickness, g->side, number_at(line, columns[0]));
        const int r = place_of(g->ratios, g->side, number_at(line, columns[1]) / INTERIOR);
        if (t >= 0 && r >= 0) g->found[t][r] = number_at(line, columns[2]);
    }
    if (file) fclose(file);
    for (int i = 0; i < g->side * g->side; i++) missing += isnan(g->found[i / g->side][i % g->side]);
    return missing ? session_error(d->s, EXIT_FAILED, "%s: %d of %d wavelengths are missing", path, missing,
                                   g->side * g->side)
                   : 0;
}

/* A line of equal wavelength as segments with gaps: (x, y, NaN) … */
typedef struct contour {
    double x[3 * MOST_SEGMENTS], y[3 * MOST_SEGMENTS];
    size_t count;
} contour;

static void add_point(contour *c, double x, double y) {
    c->x[c->count] = x;
    c->y[c->count++] = y;
}

static double between(double a, double b, double part) { return a * pow(b / a, part); }

/* Where the logarithm of the wavelength, linear in those of thickness and ratio, has a level within a triangle of the
 * grid. */
static void cross_triangle(const sweep_grid *g, const int at[3][2], double level, contour *c) {
    size_t begin = c->count;
    for (int k = 0; k < 3; k++) {
        const int *p = at[k], *q = at[(k + 1) % 3];
        const double a = log(g->found[p[0]][p[1]] / level), b = log(g->found[q[0]][q[1]] / level);
        if ((a > 0) == (b > 0)) continue;
        add_point(c, 1e3 * between(g->thickness[p[0]], g->thickness[q[0]], a / (a - b)),
                  between(g->ratios[p[1]], g->ratios[q[1]], a / (a - b)));
    }
    if (c->count > begin) add_point(c, NAN, NAN);
}

static void find_contours(const sweep_grid *g, const double *levels, contour *c) {
    for (int l = 0; l < LEVELS; l++)
        for (int i = 0; i + 1 < g->side; i++)
            for (int j = 0; j + 1 < g->side; j++) {
                const int low[3][2] = {{i, j}, {i + 1, j}, {i, j + 1}},
                          high[3][2] = {{i + 1, j + 1}, {i, j + 1}, {i + 1, j}};
                cross_triangle(g, low, levels[l], c);
                cross_triangle(g, high, levels[l], c);
            }
}

static int plot_sweep(demo *d, const sweep_grid *g) {
    static const double levels[LEVELS] = {0.01, 0.015, 0.02, 0.03, 0.04};
    sweep_grid *theory = NULL;
    contour *lines = NULL;
    double x[SIDE * SIDE], y[SIDE * SIDE];
    int code = DEMO_NEW(d, theory, 1);
    if (!code) code = DEMO_NEW(d, lines, 2);
    if (code) return code;
    *theory = *g;
    for (int i = 0; i < g->side * g->side; i++) {
        const int t = i / g->side, r = i % g->side;
        const ruga_skin skin = skin_of(g->thickness[t], g->ratios[r]);
        theory->found[t][r] = ruga_skin_wavelength(&skin);
        x[i] = 1e3 * g->thickness[t];
        y[i] = g->ratios[r];
    }
    find_contours(theory, levels, &lines[0]);
    find_contours(g, levels, &lines[1]);
    const ruga_plot_series series[] = {
        {.name = "simulations",
         .x = x,
         .y = y,
         .count = (size_t)(g->side * g->side),
         .kind = RUGA_PLOT_POINTS,
         .own_colour = 1,
         .colour = {0.6f, 0.6f, 0.6f}},
        {.name = "equation 3",
         .x = lines[0].x,
         .y = lines[0].y,
         .count = lines[0].count,
         .own_colour = 1,
         .colour = {0.25f, 0.62f, 0.30f}},
        {.name = "measured",
         .x = lines[1].x,
         .y = lines[1].y,
         .count = lines[1].count,
         .own_colour = 1,
         .colour = {0.16f, 0.38f, 0.75f}},
    };
    ruga_plot_def def = demo_plot("Lines of equal wavelength: 10, 15, 20, 30 and 40 mm", "thickness of the skin (mm)",
                                  "stiffness of skin over interior", series, 3);
    def.x_log = def.y_log = 1;
    def.x_low = 0.4;
    def.x_high = 1.8;
    return demo_write_plot(d, &def, "shell-sweep.png", "shell-sweep.svg");
}

int demo_make_shell_sweep(demo *d) {
    sweep_grid *g = NULL;
    char lines[512];
    int code = DEMO_NEW(d, g, 1);
    if (code) return code;
    g->side = d->draft ? 2 : SIDE;
    for (int i = 0; i < g->side; i++) {
        g->thickness[i] = between(0.0005, 0.0015, (double)i / (g->side - 1));
        g->ratios[i] = between(60, 960, (double)i / (g->side - 1));
    }
    /* A draft has a sweep of its own, so that the whole one does not meet other values. */
    snprintf(lines, sizeof lines, "%s%s", d->item->commands,
             d->draft ? "-draft --set objects[slab].mesh.columns=60 --set objects[slab].mesh.rows=14" : "");
    code = write_table(d, g);
    if (!code) code = demo_commands(d, lines);
    if (!code) code = read_found(d, d->draft ? "shell-sweep.sweep-draft/sweep.csv" : "shell-sweep.sweep/sweep.csv", g);
    return code ? code : plot_sweep(d, g);
}
