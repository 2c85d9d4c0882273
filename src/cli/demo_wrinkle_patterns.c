/* Demo: patterns of wrinkle meshes on bases by formula: surfaces, painted pre-stretch, directions, wavelengths. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo_wrinkle.h"

static const double pi = 3.14159265358979323846;

int demo_paint_fine(demo *d, const ruga_mesh *base, int n, demo_paint *paint, double **values, size_t *count) {
    ruga_subdivide_def cut = ruga_subdivide_def_default();
    cut.n = n;
    ruga_mesh *fine = NULL;
    ruga_status status = ruga_mesh_subdivide(base, &cut, &fine, NULL);
    if (RUGA_FAILED(status)) return session_failed_output(d->s, status);
    *count = fine->vertex_count;
    *values = malloc((fine->vertex_count + 1) * sizeof **values);
    for (size_t i = 0; *values && i < fine->vertex_count; i++) (*values)[i] = paint(fine->positions[i]);
    ruga_mesh_destroy(fine);
    return *values ? 0 : session_no_memory(d->s);
}

int demo_deform_mesh(demo *d, const ruga_mesh *mesh, demo_deform *deform, double amount, ruga_vec3 **positions) {
    *positions = malloc((mesh->vertex_count + 1) * sizeof **positions);
    if (!*positions) return session_no_memory(d->s);
    for (size_t i = 0; i < mesh->vertex_count; i++) (*positions)[i] = deform(mesh->positions[i], amount);
    return 0;
}

/* ---- Surfaces: figure 5. A coarse arm, bent. */

enum { SURFACES = 4 };

typedef struct surface_scene {
    ruga_mesh *arm;
    moment present;
    wrinkled worn[SURFACES - 1];
    ruga_render_mesh looks[SURFACES];
    ruga_panel panels[SURFACES];
} surface_scene;

static int bend_arm(demo *d, const double *values, double angle, const ruga_mesh *arm, moment *present) {
    const double way[] = {angle, 2, 1, 1};
    ruga_motion *motion = NULL;
    int code = moment_create(d->s, arm, present);
    ruga_status status = ruga_model_motion(d->s->context, "arm", values, "bend", way, &motion);
    if (!code && RUGA_FAILED(status)) code = session_failed_output(d->s, status);
    if (!code) code = moment_sample(d->s, motion, 1, present);
    ruga_motion_destroy(motion);
    return code;
}

static int surface_worn(demo *d, surface_scene *scene, ruga_wrinkle_surface surface, wrinkled *worn) {
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.surface = surface;
    def.wavelength = 0.03;
    def.radius = ruga_param_attribute("elbow");
    int code = wrinkled_make(d, scene->arm, 9, &def, worn);
    return code ? code : wrinkled_settle(d, worn, scene->present.frame.positions);
}

int demo_make_wrinkle_surfaces(demo *d) {
    static const double values[] = {0.66, 24, 12, 0.32};
    static const demo_parameter coarse[] = {{"rings", 24}, {"sectors", 12}, {"blend", 0.32}, {NULL, 0}};
    static const char *const captions[SURFACES] = {"the base: 552 triangles", "linear", "Bézier patches",
                                                   "Loop's surface"};
    static const ruga_wrinkle_surface kinds[SURFACES - 1] = {RUGA_WRINKLE_LINEAR, RUGA_WRINKLE_PN, RUGA_WRINKLE_LOOP};
    surface_scene *scene = calloc(1, sizeof *scene);
    if (!scene) return session_no_memory(d->s);
    int code = demo_model(d, "arm", coarse, &scene->arm);
    if (!code) code = bend_arm(d, values, 62, scene->arm, &scene->present);
    for (int i = 0; i < SURFACES && !code; i++) {
        if (i) code = surface_worn(d, scene, kinds[i - 1], &scene->worn[i - 1]);
        if (code) break;
        scene->looks[i] = i ? demo_cloth_look(&scene->worn[i - 1]) : demo_wire(scene->arm);
        if (!i) scene->looks[0].frame = &scene->present.frame;
        scene->looks[i].front = (ruga_colour){0.85f, 0.66f, 0.55f};
        scene->panels[i] =
            (ruga_panel){.caption = captions[i],
                         .mesh_count = 1,
                         .meshes = &scene->looks[i],
                         .camera = demo_eye((ruga_vec3){-0.26, 0.5, 0.6}, (ruga_vec3){-0.02, 0.05, 0}, 24)};
    }
    ruga_render_def def = demo_def(1800, 520, scene->panels, SURFACES, SURFACES);
    if (!code) code = demo_still(d, &def, "wrinkle_surfaces.png");
    for (int i = 0; i < SURFACES - 1; i++) wrinkled_release(&scene->worn[i]);
    moment_release(&scene->present);
    ruga_mesh_destroy(scene->arm);
    free(scene);
    return code;
}

/* ---- Painted pre-stretch, and a base that intersects itself: figure 9. */

/* A sleeve that is turned and pushed together. */
static ruga_vec3 turn_sleeve(ruga_vec3 p, double amount) {
    double along = p.y / 0.5, angle = amount * along, squeeze = 1 - 0.05 * exp(-4 * along * along);
    return (ruga_vec3){squeeze * (p.x * cos(angle) - p.z * sin(angle)), 0.86 * p.y,
                       squeeze * (p.x * sin(angle) + p.z * cos(angle))};
}

/* Below 1 in a round patch at the front. */
static double clear_patch(ruga_vec3 p) {
    double away = hypot(p.y, 0.18 * atan2(p.x, p.z)), t = fmin(fmax((away - 0.1) / 0.08, 0), 1);
    return 0.8 + 0.2 * t * t * (3 - 2 * t);
}

enum { PAINT_PANELS = 4 };

typedef struct paint_scene {
    ruga_mesh *sleeve, *arm;
    ruga_vec3 *turned;
    double *pre_stretch; /* painted */
    size_t paint_count;
    moment bent;
    wrinkled worn[3]; /* plain and painted sleeve, arm */
    ruga_render_mesh looks[PAINT_PANELS];
    ruga_panel panels[PAINT_PANELS];
} paint_scene;

static int paint_sleeves(demo *d, paint_scene *scene) {
    static const demo_parameter cells[] = {
        {"radius", 0.18}, {"height", 0.9}, {"sectors", 40}, {"rings", 32}, {NULL, 0}};
    int code = demo_model(d, "cylinder", cells, &scene->sleeve);
    if (!code) code = demo_deform_mesh(d, scene->sleeve, turn_sleeve, 0.55, &scene->turned);
    if (!code) code = demo_paint_fine(d, scene->sleeve, 4, clear_patch, &scene->pre_stretch, &scene->paint_count);
    for (int i = 0; i < 2 && !code; i++) {
        ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
        def.wavelength = 0.06;
        def.pre_stretch = i ? ruga_param_array(scene->pre_stretch, scene->paint_count) : ruga_param_constant(1);
        code = wrinkled_make(d, scene->sleeve, 4, &def, &scene->worn[i]);
        if (!code) code = wrinkled_settle(d, &scene->worn[i], scene->turned);
    }
    return code;
}

static int fold_arm(demo *d, paint_scene *scene) {
    int code = demo_model(d, "arm", NULL, &scene->arm);
    if (!code) code = bend_arm(d, NULL, 130, scene->arm, &scene->bent);
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.wavelength = 0.02;
    def.radius = ruga_param_attribute("elbow");
    if (!code) code = wrinkled_make(d, scene->arm, 4, &def, &scene->worn[2]);
    return code ? code : wrinkled_settle(d, &scene->worn[2], scene->bent.frame.positions);
}

int demo_make_wrinkle_paint(demo *d) {
    static const char *const captions[PAINT_PANELS] = {"s = 1", "s painted: 0.8 in a patch",
                                                       "a base that intersects itself", "its wrinkle mesh"};
    paint_scene *scene = calloc(1, sizeof *scene);
    if (!scene) return session_no_memory(d->s);
    int code = paint_sleeves(d, scene);
    if (!code) code = fold_arm(d, scene);
    for (int i = 0; i < PAINT_PANELS && !code; i++) {
        scene->looks[i] = i == 2 ? demo_wire(scene->arm) : demo_cloth_look(&scene->worn[i == 3 ? 2 : i]);
        if (i == 2) scene->looks[i].frame = &scene->bent.frame;
        if (i > 1) scene->looks[i].front = (ruga_colour){0.85f, 0.66f, 0.55f};
        scene->panels[i] =
            (ruga_panel){.caption = captions[i],
                         .mesh_count = 1,
                         .meshes = &scene->looks[i],
                         .camera = i < 2 ? demo_eye((ruga_vec3){0.35, 0.12, 2.1}, (ruga_vec3){0, 0, 0}, 27)
                                         : demo_eye((ruga_vec3){-0.3, 0.14, 0.5}, (ruga_vec3){-0.01, 0.02, 0}, 26)};
    }
    ruga_render_def def = demo_def(1800, 620, scene->panels, PAINT_PANELS, PAINT_PANELS);
    if (!code) code = demo_still(d, &def, "wrinkle_paint.png");
    for (int i = 0; i < 3; i++) wrinkled_release(&scene->worn[i]);
    moment_release(&scene->bent);
    free(scene->turned);
    free(scene->pre_stretch);
    ruga_mesh_destroy(scene->sleeve);
    ruga_mesh_destroy(scene->arm);
    free(scene);
    return code;
}

/* ---- Directions. A flat sheet that is compressed in all directions alike. */

enum { DIRECTIONS = 3 };

static ruga_vec3 shrink(ruga_vec3 p, double amount) { return (ruga_vec3){(1 - amount) * p.x, p.y, (1 - amount) * p.z}; }

/* Degrees in UVs, where u is along x and v against z. */
static double slanted(ruga_vec3 p) {
    (void)p;
    return 30;
}
static double around(ruga_vec3 p) { return 180 / pi * atan2(-p.z, p.x) + 90; }

/* The fine mesh is irregular, so that it has no directions of its own. */
static int make_directed(demo *d, const ruga_mesh *sheet, demo_paint *paint, wrinkled *out) {
    static const demo_parameter cells[] = {{"columns", 128}, {"rows", 128}, {"triangulation", 2}, {NULL, 0}};
    ruga_mesh *fine = NULL;
    int code = demo_model(d, "sheet", cells, &fine);
    if (code) return code;
    double *angles = malloc(fine->vertex_count * sizeof *angles);
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.wavelength = 0.05;
    def.pre_stretch = ruga_param_constant(1);
    for (size_t i = 0; angles && paint && i < fine->vertex_count; i++) angles[i] = paint(fine->positions[i]);
    if (paint) def.direction = ruga_param_array(angles, fine->vertex_count);
    def.direction_weight = ruga_param_constant(paint ? 1 : 0);
    code = angles ? wrinkled_make_on(d, sheet, fine, &def, out) : session_no_memory(d->s);
    free(angles);
    return code;
}

int demo_make_wrinkle_direction(demo *d) {
    static const demo_parameter coarse[] = {{"columns", 32}, {"rows", 32}, {NULL, 0}};
    static const char *const captions[DIRECTIONS] = {"none", "at 30 degrees", "around the middle"};
    static demo_paint *const paints[DIRECTIONS] = {NULL, slanted, around};
    ruga_mesh *sheet = NULL;
    ruga_vec3 *small = NULL;
    wrinkled worn[DIRECTIONS] = {0};
    ruga_render_mesh looks[DIRECTIONS];
    ruga_panel panels[DIRECTIONS];
    int code = demo_model(d, "sheet", coarse, &sheet);
    if (!code) code = demo_deform_mesh(d, sheet, shrink, 0.07, &small);
    for (int i = 0; i < DIRECTIONS && !code; i++) {
        code = make_directed(d, sheet, paints[i], &worn[i]);
        if (!code) code = wrinkled_settle(d, &worn[i], small);
        if (code) break;
        looks[i] = demo_cloth_look(&worn[i]);
        panels[i] =
            (ruga_panel){.caption = captions[i], .mesh_count = 1, .meshes = &looks[i], .camera = demo_camera(0, 62)};
    }
    ruga_render_def def = demo_def(1800, 600, panels, DIRECTIONS, DIRECTIONS);
    if (!code) code = demo_still(d, &def, "wrinkle_direction.png");
    for (int i = 0; i < DIRECTIONS; i++) wrinkled_release(&worn[i]);
    free(small);
    ruga_mesh_destroy(sheet);
    return code;
}

/* ---- Wavelengths over resolutions. A strip that is compressed along x by a tenth. */

enum { RESOLUTIONS = 3, WAYS = 2 };
static const int cells_along[RESOLUTIONS] = {72, 144, 288};
static const double target = 0.075; /* m */

static ruga_vec3 compress(ruga_vec3 p, double amount) { return (ruga_vec3){(1 - amount) * p.x, p.y, p.z}; }

/* The wavelength of the heights of a grid's rows, m: that of the mean wave number of their power spectrum, without what is as
 * long as the strip. */
static double measure_wavelength(const wrinkled *w, size_t columns, size_t rows, double length) {
    double power_sum = 0, weighted = 0;
    for (size_t k = 3; k <= columns / 4; k++) {
        double power = 0;
        for (size_t j = rows / 4; j <= 3 * rows / 4; j++) {
            double c = 0, s = 0;
            for (size_t i = 0; i < columns; i++) {
                double angle = 2 * pi * (double)(k * i) / (double)columns;
                c += w->positions[j * (columns + 1) + i].y * cos(angle);
                s += w->positions[j * (columns + 1) + i].y * sin(angle);
            }
            power += c * c + s * s;
        }
        power_sum += power;
        weighted += power * (double)k;
    }
    return power_sum > 0 ? length * power_sum / weighted : NAN;
}

static ruga_wrinkle_mesh_def way_def(int way) {
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.pre_stretch = ruga_param_constant(1);
    if (way == 0)
        def.solver = RUGA_WRINKLE_PROJECTION;
    else
        def.wavelength = target;
    return def;
}

typedef struct strip_scene {
    ruga_mesh *base;
    ruga_vec3 *short_base;
    wrinkled worn[WAYS * RESOLUTIONS];
    char captions[WAYS * RESOLUTIONS][64];
    ruga_render_mesh looks[WAYS * RESOLUTIONS];
    ruga_panel panels[WAYS * RESOLUTIONS];
    double wavelengths[WAYS][RESOLUTIONS], edges[RESOLUTIONS]; /* m */
} strip_scene;

static int make_strip(demo *d, strip_scene *scene, int way, int resolution) {
    size_t columns = (size_t)cells_along[resolution], rows = columns / 3;
    const demo_parameter cells[] = {{"width", 0.9},         {"length", 0.3},      {"columns", (double)columns},
                                    {"rows", (double)rows}, {"triangulation", 1}, {NULL, 0}};
    int i = way * RESOLUTIONS + resolution;
    ruga_mesh *fine = NULL;
    int code = demo_model(d, "sheet", cells, &fine);
    if (code) return code;
    ruga_wrinkle_mesh_def def = way_def(way);
    code = wrinkled_make_on(d, scene->base, fine, &def, &scene->worn[i]);
    if (!code) code = wrinkled_settle(d, &scene->worn[i], scene->short_base);
    if (code) return code;
    scene->edges[resolution] = 0.9 / (double)columns;
    scene->wavelengths[way][resolution] = measure_wavelength(&scene->worn[i], columns, rows, 0.9);
    snprintf(scene->captions[i], sizeof scene->captions[i], "%s, %zu triangles",
             way ? "wavelength 75 mm" : "radius of half an edge", scene->worn[i].fine->triangle_count);
    scene->looks[i] = demo_cloth_look(&scene->worn[i]);
    scene->panels[i] = (ruga_panel){
        .caption = scene->captions[i], .mesh_count = 1, .meshes = &scene->looks[i], .camera = demo_camera(15, 38)};
    return 0;
}

static int plot_wavelengths(demo *d, const strip_scene *scene) {
    double x[RESOLUTIONS], y[WAYS][RESOLUTIONS];
    for (int i = 0; i < RESOLUTIONS; i++) {
        x[i] = 1e3 * scene->edges[i];
        for (int way = 0; way < WAYS; way++) y[way][i] = 1e3 * scene->wavelengths[way][i];
    }
    const ruga_plot_series series[] = {
        {.name = "radius of half an edge, projection", .x = x, .y = y[0], .count = RESOLUTIONS, .kind = RUGA_PLOT_BOTH},
        {.name = "wavelength given, compliant", .x = x, .y = y[1], .count = RESOLUTIONS, .kind = RUGA_PLOT_BOTH}};
    const ruga_plot_reference reference = {.value = 1e3 * target, .label = "what was asked for"};
    ruga_plot_def def = ruga_plot_def_default();
    def.x_label = "edge of the fine mesh (mm)";
    def.y_label = "wavelength along the sheet (mm)";
    def.x_log = def.y_log = 1;
    def.series = series;
    def.series_count = WAYS;
    def.references = &reference;
    def.reference_count = 1;
    return demo_write_plot(d, &def, "wrinkle_wavelength_plot.png", "wrinkle_wavelength_plot.svg");
}

int demo_make_wrinkle_wavelength(demo *d) {
    static const demo_parameter cells[] = {{"width", 0.9}, {"length", 0.3}, {"columns", 24}, {"rows", 8}, {NULL, 0}};
    strip_scene *scene = calloc(1, sizeof *scene);
    if (!scene) return session_no_memory(d->s);
    int code = demo_model(d, "sheet", cells, &scene->base);
    if (!code) code = demo_deform_mesh(d, scene->base, compress, 0.1, &scene->short_base);
    for (int i = 0; i < WAYS * RESOLUTIONS && !code; i++) code = make_strip(d, scene, i / RESOLUTIONS, i % RESOLUTIONS);
    ruga_render_def def = demo_def(1800, 700, scene->panels, WAYS * RESOLUTIONS, RESOLUTIONS);
    def.shared_camera = 1;
    if (!code) code = demo_still(d, &def, "wrinkle_wavelength.png");
    if (!code) code = plot_wavelengths(d, scene);
    for (int i = 0; i < WAYS * RESOLUTIONS; i++) wrinkled_release(&scene->worn[i]);
    free(scene->short_base);
    ruga_mesh_destroy(scene->base);
    free(scene);
    return code;
}
