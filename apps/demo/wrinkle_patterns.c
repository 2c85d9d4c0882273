/* Demo: patterns of wrinkle meshes on bases by formula: surfaces, painted pre-stretch, directions, wavelengths. */
#include <math.h>
#include <stdio.h>

#include "section_wrinkle.h"

/* Dark enough that slight waves show in their shading. */
static const ruga_colour sheet_colour = {0.30f, 0.45f, 0.56f};

int demo_paint_fine(demo *d, const ruga_mesh *base, int n, demo_paint *paint, double **values, size_t *count) {
    ruga_subdivide_def cut = ruga_subdivide_def_default();
    cut.n = n;
    ruga_mesh *fine = NULL;
    int code = demo_code(d, ruga_mesh_subdivide(base, &cut, &fine, NULL));
    if (!code) code = demo_keep(d, DEMO_MESH, fine);
    if (code) return code;
    *count = fine->vertex_count;
    code = DEMO_NEW(d, *values, *count);
    for (size_t i = 0; i < *count && !code; i++) (*values)[i] = paint(fine->positions[i]);
    return code;
}

/* The positions of a mesh after a deformation, a function of the positions at rest. */
typedef ruga_vec3 deform_function(ruga_vec3 place, double amount);
static int deform_mesh(demo *d, const ruga_mesh *mesh, deform_function *deform, double amount, ruga_vec3 **positions) {
    int code = DEMO_NEW(d, *positions, mesh->vertex_count);
    for (size_t i = 0; i < mesh->vertex_count && !code; i++) (*positions)[i] = deform(mesh->positions[i], amount);
    return code;
}

/* ---- Surfaces: figure 5. A coarse arm, bent. */

static int bend_arm(demo *d, const double *values, double angle, const ruga_mesh *arm, moment *out) {
    const double bend[] = {angle, 2, 1, 1};
    ruga_motion *motion = NULL;
    int code = demo_moment(d, arm, out);
    if (!code) code = demo_code(d, ruga_model_motion(d->s->context, "arm", values, "bend", bend, &motion));
    if (!code) code = demo_keep(d, DEMO_MOTION, motion);
    return code ? code : moment_sample(d->s, motion, 1, out);
}

int demo_make_wrinkle_surfaces(demo *d) {
    enum { SURFACES = 3 };
    static const double values[] = {0.66, 24, 12, 0.32};
    static const demo_parameter coarse[] = {{"rings", 24}, {"sectors", 12}, {"blend", 0.32}, {NULL, 0}};
    static const char *const captions[SURFACES] = {"linear", "Bézier patches", "Loop's surface"};
    static const ruga_wrinkle_surface kinds[SURFACES] = {RUGA_WRINKLE_LINEAR, RUGA_WRINKLE_PN, RUGA_WRINKLE_LOOP};
    ruga_camera camera = demo_eye((ruga_vec3){-0.26, 0.5, 0.6}, (ruga_vec3){-0.02, 0.05, 0}, 24);
    ruga_mesh *arm = NULL;
    moment bent;
    wrinkled worn[SURFACES];
    gallery g = {0};
    int code = demo_model(d, "arm", coarse, &arm);
    if (!code) code = bend_arm(d, values, 62, arm, &bent);
    if (code) return code;
    ruga_render_mesh base = demo_wire(arm);
    base.frame = &bent.frame;
    gallery_add(&g, "the base: 552 triangles", base, camera);
    for (int i = 0; i < SURFACES && !code; i++) {
        ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
        def.surface = kinds[i];
        def.wavelength = 0.03;
        def.radius = ruga_param_attribute("elbow");
        code = wrinkled_make(d, arm, 9, &def, &worn[i]);
        if (!code) code = wrinkled_settle(d, &worn[i], bent.positions);
        if (!code) gallery_add(&g, captions[i], wrinkled_look(&worn[i]), camera);
    }
    for (size_t i = 0; i < g.count; i++) g.looks[i].front = demo_skin;
    ruga_render_def def = demo_def(1800, 520, g.panels, g.count, 4);
    return code ? code : demo_still(d, &def, "wrinkle_surfaces.png");
}

/* ---- Painted pre-stretch, and a base that intersects itself: figure 9. */

/* A sleeve that is twisted and compressed. */
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

static int paint_sleeves(demo *d, wrinkled worn[2]) {
    static const demo_parameter cells[] = {
        {"radius", 0.18}, {"height", 0.9}, {"sectors", 40}, {"rings", 32}, {NULL, 0}};
    ruga_mesh *sleeve = NULL;
    ruga_vec3 *turned = NULL;
    double *painted = NULL;
    size_t count = 0;
    int code = demo_model(d, "cylinder", cells, &sleeve);
    if (!code) code = deform_mesh(d, sleeve, turn_sleeve, 0.55, &turned);
    if (!code) code = demo_paint_fine(d, sleeve, 4, clear_patch, &painted, &count);
    for (int i = 0; i < 2 && !code; i++) {
        ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
        def.wavelength = 0.06;
        def.pre_stretch = i ? ruga_param_array(painted, count) : ruga_param_constant(1);
        code = wrinkled_make(d, sleeve, 4, &def, &worn[i]);
        if (!code) code = wrinkled_settle(d, &worn[i], turned);
    }
    return code;
}

int demo_make_wrinkle_paint(demo *d) {
    ruga_camera front = demo_eye((ruga_vec3){0.35, 0.12, 2.1}, (ruga_vec3){0, 0, 0}, 27);
    ruga_camera side = demo_eye((ruga_vec3){-0.3, 0.14, 0.5}, (ruga_vec3){-0.01, 0.02, 0}, 26);
    ruga_mesh *arm = NULL;
    moment bent;
    wrinkled sleeves[2], elbow;
    gallery g = {0};
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.wavelength = 0.02;
    def.radius = ruga_param_attribute("elbow");
    int code = paint_sleeves(d, sleeves);
    if (!code) code = demo_model(d, "arm", NULL, &arm);
    if (!code) code = bend_arm(d, NULL, 130, arm, &bent);
    if (!code) code = wrinkled_make(d, arm, 4, &def, &elbow);
    if (!code) code = wrinkled_settle(d, &elbow, bent.positions);
    if (code) return code;
    gallery_add(&g, "s = 1", wrinkled_look(&sleeves[0]), front);
    gallery_add(&g, "s painted: 0.8 in a patch", wrinkled_look(&sleeves[1]), front);
    gallery_add(&g, "a base that intersects itself", demo_wire(arm), side);
    gallery_add(&g, "its wrinkle mesh", wrinkled_look(&elbow), side);
    g.looks[2].frame = &bent.frame;
    g.looks[2].front = g.looks[3].front = demo_skin;
    ruga_render_def still = demo_def(1800, 620, g.panels, g.count, 4);
    return demo_still(d, &still, "wrinkle_paint.png");
}

/* ---- Directions. A flat sheet that is compressed equally in all directions. */

enum { DIRECTIONS = 3 };

static ruga_vec3 shrink(ruga_vec3 p, double amount) { return (ruga_vec3){(1 - amount) * p.x, p.y, (1 - amount) * p.z}; }

/* Degrees in UVs, where u is along x and v against z. */
static double slanted(ruga_vec3 p) {
    (void)p;
    return 30;
}
static double around(ruga_vec3 p) { return 180 / DEMO_PI * atan2(-p.z, p.x) + 90; }

/* The fine mesh is irregular, so that it has no directions of its own. */
static int make_directed(demo *d, const ruga_mesh *sheet, demo_paint *paint, wrinkled *out) {
    static const demo_parameter cells[] = {{"columns", 128}, {"rows", 128}, {"triangulation", 2}, {NULL, 0}};
    ruga_mesh *fine = NULL;
    double *angles;
    int code = demo_model(d, "sheet", cells, &fine);
    if (!code) code = DEMO_NEW(d, angles, fine->vertex_count);
    if (code) return code;
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.wavelength = 0.05;
    def.pre_stretch = ruga_param_constant(1);
    for (size_t i = 0; paint && i < fine->vertex_count; i++) angles[i] = paint(fine->positions[i]);
    if (paint) def.direction = ruga_param_array(angles, fine->vertex_count);
    def.direction_weight = ruga_param_constant(paint ? 1 : 0);
    return wrinkled_make_on(d, sheet, fine, &def, out);
}

int demo_make_wrinkle_direction(demo *d) {
    static const demo_parameter coarse[] = {{"columns", 32}, {"rows", 32}, {NULL, 0}};
    static const char *const captions[DIRECTIONS] = {"none", "at 30 degrees", "around the middle"};
    static demo_paint *const paints[DIRECTIONS] = {NULL, slanted, around};
    ruga_mesh *sheet = NULL;
    ruga_vec3 *small = NULL;
    wrinkled worn[DIRECTIONS];
    gallery g = {0};
    int code = demo_model(d, "sheet", coarse, &sheet);
    if (!code) code = deform_mesh(d, sheet, shrink, 0.07, &small);
    for (int i = 0; i < DIRECTIONS && !code; i++) {
        code = make_directed(d, sheet, paints[i], &worn[i]);
        if (!code) code = wrinkled_settle(d, &worn[i], small);
        if (!code) gallery_add(&g, captions[i], wrinkled_look(&worn[i]), demo_camera(0, 62));
    }
    for (size_t i = 0; i < g.count; i++) g.looks[i].front = sheet_colour;
    ruga_render_def def = demo_def(1800, 600, g.panels, g.count, DIRECTIONS);
    return code ? code : demo_still(d, &def, "wrinkle_direction.png");
}

/* ---- Wavelengths over resolutions. A strip that is compressed along x by a tenth. */

enum { RESOLUTIONS = 3, SOLVERS = 2 }; /* projection with radii of half an edge; compliant with a wavelength */
static const int cells_along[RESOLUTIONS] = {72, 144, 288};
static const double target = 0.075; /* m */

static ruga_vec3 compress(ruga_vec3 p, double amount) { return (ruga_vec3){(1 - amount) * p.x, p.y, p.z}; }

/* The wavelength of the heights along a grid's rows, m: that of the mean wave number of their power spectrum,
 * without the three longest waves. */
static double measure_wavelength(const wrinkled *w, size_t columns, size_t rows, double length) {
    double power_sum = 0, weighted = 0;
    for (size_t k = 3; k <= columns / 4; k++) {
        double power = 0;
        for (size_t j = rows / 4; j <= 3 * rows / 4; j++) {
            double c = 0, s = 0;
            for (size_t i = 0; i < columns; i++) {
                double angle = 2 * DEMO_PI * (double)(k * i) / (double)columns;
                c += w->current.positions[j * (columns + 1) + i].y * cos(angle);
                s += w->current.positions[j * (columns + 1) + i].y * sin(angle);
            }
            power += c * c + s * s;
        }
        power_sum += power;
        weighted += power * (double)k;
    }
    return power_sum > 0 ? length * power_sum / weighted : NAN;
}

typedef struct strip_scene {
    ruga_mesh *base;
    ruga_vec3 *short_base;
    wrinkled worn[SOLVERS * RESOLUTIONS];
    char captions[SOLVERS * RESOLUTIONS][64];
    gallery shown;
    double wavelengths[SOLVERS][RESOLUTIONS], edges[RESOLUTIONS]; /* m */
} strip_scene;

static int make_strip(demo *d, strip_scene *scene, int solver, int resolution) {
    size_t columns = (size_t)cells_along[resolution], rows = columns / 3;
    const demo_parameter cells[] = {{"width", 0.9},         {"length", 0.3},      {"columns", (double)columns},
                                    {"rows", (double)rows}, {"triangulation", 1}, {NULL, 0}};
    int i = solver * RESOLUTIONS + resolution;
    wrinkled *worn = &scene->worn[i];
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.pre_stretch = ruga_param_constant(1);
    if (solver == 0)
        def.solver = RUGA_WRINKLE_PROJECTION;
    else
        def.wavelength = target;
    ruga_mesh *fine = NULL;
    int code = demo_model(d, "sheet", cells, &fine);
    if (!code) code = wrinkled_make_on(d, scene->base, fine, &def, worn);
    if (!code) code = wrinkled_settle(d, worn, scene->short_base);
    if (code) return code;
    scene->edges[resolution] = 0.9 / (double)columns;
    scene->wavelengths[solver][resolution] = measure_wavelength(worn, columns, rows, 0.9);
    snprintf(scene->captions[i], sizeof scene->captions[i], "%s, %zu triangles",
             solver ? "wavelength 75 mm" : "radius of half an edge", fine->triangle_count);
    gallery_add(&scene->shown, scene->captions[i], wrinkled_look(worn), demo_camera(15, 38));
    scene->shown.looks[scene->shown.count - 1].front = sheet_colour;
    return 0;
}

static int plot_wavelengths(demo *d, const strip_scene *scene) {
    double x[RESOLUTIONS], y[SOLVERS][RESOLUTIONS];
    for (int i = 0; i < RESOLUTIONS; i++) {
        x[i] = 1e3 * scene->edges[i];
        for (int k = 0; k < SOLVERS; k++) y[k][i] = 1e3 * scene->wavelengths[k][i];
    }
    const ruga_plot_series series[] = {
        {.name = "radius of half an edge, projection", .x = x, .y = y[0], .count = RESOLUTIONS, .kind = RUGA_PLOT_BOTH},
        {.name = "wavelength given, compliant", .x = x, .y = y[1], .count = RESOLUTIONS, .kind = RUGA_PLOT_BOTH}};
    const ruga_plot_reference reference = {.value = 1e3 * target, .label = "given wavelength"};
    ruga_plot_def def =
        demo_plot(NULL, "edge of the fine mesh (mm)", "wavelength along the sheet (mm)", series, SOLVERS);
    def.x_log = def.y_log = 1;
    def.references = &reference;
    def.reference_count = 1;
    return demo_write_plot(d, &def, "wrinkle_wavelength_plot.png", "wrinkle_wavelength_plot.svg");
}

int demo_make_wrinkle_wavelength(demo *d) {
    static const demo_parameter cells[] = {{"width", 0.9}, {"length", 0.3}, {"columns", 24}, {"rows", 8}, {NULL, 0}};
    strip_scene *scene;
    int code = DEMO_NEW(d, scene, 1);
    if (!code) code = demo_model(d, "sheet", cells, &scene->base);
    if (!code) code = deform_mesh(d, scene->base, compress, 0.1, &scene->short_base);
    for (int i = 0; i < SOLVERS * RESOLUTIONS && !code; i++)
        code = make_strip(d, scene, i / RESOLUTIONS, i % RESOLUTIONS);
    if (code) return code;
    ruga_render_def def = demo_def(1800, 700, scene->shown.panels, scene->shown.count, RESOLUTIONS);
    def.shared_camera = 1;
    code = demo_still(d, &def, "wrinkle_wavelength.png");
    return code ? code : plot_wavelengths(d, scene);
}
