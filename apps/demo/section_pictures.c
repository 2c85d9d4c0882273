/* Demo: pictures. Scalars in colours, curves and points on surfaces, two sides, defects, a plot. */
#include <math.h>

#include "demo.h"

/* ---- Curvature of a torus, where theory knows it: R to the middle of the tube, r the tube, t the angle around it.
 * Mean (R + 2 r cos t) / (2 r (R + r cos t)), Gaussian cos t / (r (R + r cos t)). */
#define TORUS_RADIUS 0.4 /* m */
#define TORUS_TUBE 0.17  /* m */

static void torus_curvature(ruga_vec3 p, double *mean, double *gauss) {
    double R = TORUS_RADIUS, r = TORUS_TUBE, out = sqrt(p.x * p.x + p.z * p.z);
    double cosine = fmax(-1, fmin(1, (out - R) / r));
    *mean = (R + 2 * r * cosine) / (2 * r * (R + r * cosine));
    *gauss = cosine / (r * (R + r * cosine));
}

static const demo_parameter torus_parameters[] = {
    {"radius", TORUS_RADIUS}, {"tube", TORUS_TUBE}, {"sectors", 160}, {"sides", 64}, {NULL, 0}};

static int make_curvature(demo *d) {
    gallery g = {0};
    ruga_mesh *torus = NULL;
    double *mean, *gauss;
    int code = demo_model(d, "torus", torus_parameters, &torus);
    if (!code) code = DEMO_NEW(d, mean, torus->vertex_count);
    if (!code) code = DEMO_NEW(d, gauss, torus->vertex_count);
    if (code) return code;
    for (size_t v = 0; v < torus->vertex_count; v++) torus_curvature(torus->positions[v], &mean[v], &gauss[v]);
    ruga_render_mesh look = ruga_render_mesh_default(torus);
    look.scalar_values = mean;
    look.scalar_label = "mean curvature (1/m)";
    gallery_add(&g, "sequential colours", look, demo_camera(30, 38));
    look.scalar_values = gauss;
    look.scalar_label = "Gaussian curvature (1/m²)";
    look.diverging = 1;
    gallery_add(&g, "diverging around zero", look, demo_camera(30, 38));
    ruga_render_def def = demo_def(1800, 720, g.panels, g.count, 2);
    return demo_still(d, &def, "curvature.png");
}

/* ---- Curves and points on surfaces. */
enum { KNOT_POINTS = 600, SPIRAL_POINTS = 900, SCATTERED = 160 };

/* A torus knot: around the axis `around` times while it winds `winds` times around the tube, from a first angle on. */
static void fill_knot(ruga_vec3 *points, int around, int winds, double first) {
    for (int i = 0; i < KNOT_POINTS; i++) {
        double t = 2 * DEMO_PI * i / KNOT_POINTS, a = around * t, w = winds * t + first;
        double out = TORUS_RADIUS + TORUS_TUBE * cos(w);
        points[i] = (ruga_vec3){out * cos(a), TORUS_TUBE * sin(w), out * sin(a)};
    }
}

/* A spiral from pole to pole, and points spread by the golden angle. */
static void fill_sphere(ruga_vec3 *spiral, ruga_vec3 *scattered, double radius) {
    for (int i = 0; i < SPIRAL_POINTS; i++) {
        double t = (double)i / (SPIRAL_POINTS - 1), polar = DEMO_PI * t, a = 14 * DEMO_PI * t;
        spiral[i] = (ruga_vec3){radius * sin(polar) * cos(a), radius * cos(polar), radius * sin(polar) * sin(a)};
    }
    for (int i = 0; i < SCATTERED; i++) {
        double y = 1 - 2 * (i + 0.5) / SCATTERED, out = sqrt(1 - y * y), a = i * DEMO_PI * (3 - sqrt(5.0));
        scattered[i] = (ruga_vec3){radius * out * cos(a), radius * y, radius * out * sin(a)};
    }
}

static int make_curves(demo *d) {
    static ruga_vec3 knots[2][KNOT_POINTS], spiral[SPIRAL_POINTS], scattered[SCATTERED];
    static const demo_parameter fine[] = {{"frequency", 32}, {NULL, 0}};
    const ruga_colour red = {0.75f, 0.22f, 0.17f}, blue = {0.12f, 0.35f, 0.60f}, dark = {0.15f, 0.15f, 0.17f};
    gallery g = {0};
    fill_knot(knots[0], 2, 5, 0);
    fill_knot(knots[1], 2, 5, DEMO_PI / 2);
    fill_sphere(spiral, scattered, 0.5);
    ruga_mesh *torus = NULL, *sphere = NULL;
    int code = demo_model(d, "torus", torus_parameters, &torus);
    if (!code) code = demo_model(d, "sphere", fine, &sphere);
    if (code) return code;
    ruga_panel *panel = gallery_add(&g, "two torus knots (2, 5)", ruga_render_mesh_default(torus), demo_camera(30, 45));
    g.curves[0][panel->curve_count++] = (ruga_render_curve){knots[0], KNOT_POINTS, red, 7, 1};
    g.curves[0][panel->curve_count++] = (ruga_render_curve){knots[1], KNOT_POINTS, blue, 7, 1};
    panel = gallery_add(&g, "a spiral, and points by the golden angle", ruga_render_mesh_default(sphere),
                        demo_camera(30, 25));
    g.curves[1][panel->curve_count++] = (ruga_render_curve){spiral, SPIRAL_POINTS, blue, 6, 0};
    ruga_render_points points = {scattered, SCATTERED, dark, 13};
    panel->point_set_count = 1;
    panel->point_sets = &points;
    ruga_render_def def = demo_def(1800, 860, g.panels, g.count, 2);
    return demo_still(d, &def, "curves.png");
}

/* ---- Two sides. */
static int make_two_sided(demo *d) {
    static const demo_parameter open[] = {
        {"height", 0.45}, {"radius", 0.28}, {"sectors", 96}, {"rings", 24}, {NULL, 0}};
    gallery g = {0};
    ruga_mesh *cylinder = NULL;
    TRY_CODE(demo_model(d, "cylinder", open, &cylinder));
    gallery_add(&g, NULL, ruga_render_mesh_default(cylinder), demo_camera(25, 32));
    ruga_render_def def = demo_def(1800, 860, g.panels, g.count, 1);
    def.ground = 1;
    return demo_still(d, &def, "two_sided.png");
}

/* ---- A broken mesh with its defects marked: a flipped triangle, a fin, a bow tie, slivers. */
typedef struct broken {
    const char *caption;
    size_t point_count, face_count;
    ruga_vec3 points[10];
    uint32_t faces[8][3];
} broken;

static const broken broken_meshes[] = {
    {"inconsistent orientation",
     5,
     4,
     {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0.25}},
     {{0, 1, 4}, {1, 2, 4}, {3, 2, 4}, {3, 0, 4}}},
    {"three triangles at one edge",
     5,
     3,
     {{0, 0, 0}, {1, 0, 0}, {0.5, 0.8, 0.1}, {0.5, -0.8, 0.1}, {0.5, 0.1, 0.75}},
     {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}},
    {"two fans meet in a vertex",
     7,
     4,
     {{0, 0, 0},
      {0.9, -0.3, 0.1},
      {1, 0.2, -0.1},
      {0.7, 0.6, 0.1},
      {-0.9, -0.4, 0.1},
      {-1, 0.1, -0.1},
      {-0.7, 0.6, 0.1}},
     {{0, 1, 2}, {0, 2, 3}, {0, 5, 4}, {0, 6, 5}}},
    {"a triangle without area",
     6,
     4,
     {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}, {0.75, 0.25, 0}},
     {{0, 1, 5}, {0, 5, 3}, {1, 4, 5}, {2, 3, 5}}},
};

enum { BROKEN_COUNT = sizeof broken_meshes / sizeof broken_meshes[0], MAX_MARKS = GALLERY_CURVES };

/* The defects that the validator lists: points for vertices, lines for edges and the sides of faces. */
typedef struct marks {
    ruga_vec3 points[MAX_MARKS], ends[MAX_MARKS][3];
    size_t point_count;
    ruga_render_points drawn;
} marks;

static const ruga_colour mark_colour = {0.85f, 0.13f, 0.10f};

static void mark_defect(marks *m, const ruga_mesh *mesh, const ruga_defect *defect, ruga_panel *panel,
                        ruga_render_curve *curves) {
    const uint32_t edge[2] = {(uint32_t)defect->element, (uint32_t)defect->other};
    int is_edge = defect->kind == RUGA_DEFECT_NON_MANIFOLD_EDGE || defect->kind == RUGA_DEFECT_ORIENTATION;
    if (is_edge || defect->kind == RUGA_DEFECT_DEGENERATE_FACE) {
        const uint32_t *vertices = is_edge ? edge : &mesh->triangles[3 * defect->element];
        size_t count = is_edge ? 2 : 3, i = panel->curve_count;
        if (i == MAX_MARKS) return;
        for (size_t k = 0; k < count; k++) m->ends[i][k] = mesh->positions[vertices[k]];
        curves[panel->curve_count++] = (ruga_render_curve){m->ends[i], count, mark_colour, 9, count > 2};
    } else if (m->point_count < MAX_MARKS)
        m->points[m->point_count++] = mesh->positions[defect->element];
}

static int make_defects(demo *d) {
    static marks found[BROKEN_COUNT];
    gallery g = {0};
    int code = 0;
    for (size_t i = 0; i < BROKEN_COUNT && !code; i++) {
        const broken *b = &broken_meshes[i];
        ruga_mesh *mesh = NULL;
        ruga_validation *validation = NULL;
        found[i] = (marks){.point_count = 0};
        code = demo_mesh(d, b->points, b->point_count, NULL, b->faces[0], b->face_count, &mesh);
        if (!code) code = demo_code(d, ruga_mesh_validate(mesh, &validation));
        if (code) break;
        ruga_panel *panel = gallery_add(&g, b->caption, demo_wire(mesh), demo_camera(20, 25));
        for (size_t k = 0; k < validation->defect_count; k++)
            mark_defect(&found[i], mesh, &validation->defects[k], panel, g.curves[i]);
        ruga_validation_destroy(mesh, validation);
        found[i].drawn = (ruga_render_points){found[i].points, found[i].point_count, mark_colour, 26};
        panel->point_set_count = 1;
        panel->point_sets = &found[i].drawn;
    }
    ruga_render_def def = demo_def(1800, 620, g.panels, g.count, BROKEN_COUNT);
    return code ? code : demo_still(d, &def, "defects.png");
}

/* ---- A plot: theory against measurement. */
enum { SPHERES = 8, THEORY = 2 };

/* Relative errors of the area and the volume of a faceted sphere. */
static int measure_sphere(demo *d, double frequency, double *area_error, double *volume_error) {
    const double radius = 0.5;
    const demo_parameter parameters[] = {{"frequency", frequency}, {"radius", radius}, {NULL, 0}};
    ruga_mesh *sphere = NULL;
    ruga_mesh_summary summary;
    int code = demo_model(d, "sphere", parameters, &sphere);
    if (!code) code = demo_code(d, ruga_mesh_summarise(sphere, &summary));
    if (code) return code;
    *area_error = 1 - summary.area / (4 * DEMO_PI * radius * radius);
    *volume_error = 1 - summary.volume / (4 * DEMO_PI * radius * radius * radius / 3);
    return 0;
}

static int make_plot(demo *d) {
    double frequency[SPHERES], area[SPHERES], volume[SPHERES];
    int code = 0;
    for (int i = 0; i < SPHERES && !code; i++) {
        frequency[i] = exp2(i);
        code = measure_sphere(d, frequency[i], &area[i], &volume[i]);
    }
    if (code) return code;

    // Second order: the error falls with the square of the edges' length; the line goes through the last points.
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
    ruga_plot_def def =
        demo_plot("A faceted sphere converges with second order", "edges along a side of the icosahedron",
                  "relative error", series, OPTION_COUNT(series));
    def.x_log = def.y_log = 1;
    return demo_write_plot(d, &def, "convergence.png", "convergence.svg");
}

static const demo_item items[] = {
    {.name = "curvature",
     .title = "Scalars in perceptual colours",
     .caption = "Mean and Gaussian curvature of a torus, by theory, with legends. Equal steps in value look equal.",
     .commands = "ruga demo curvature\n"
                 "ruga make pillow -o pillow.obj\n"
                 "ruga render pillow.obj --attribute y --label \"height (m)\" -o height.png",
     .files = {"curvature.png"},
     .make = make_curvature},
    {.is_long = 1,
     .name = "curves",
     .title = "Curves and points on surfaces",
     .caption = "Lines have a constant width in the picture and stay in front of their surface.",
     .files = {"curves.png"},
     .make = make_curves},
    {.is_long = 1,
     .name = "two-sided",
     .title = "Front and back",
     .caption = "The two sides of an open surface have different colours; soft light, and a shadow on the ground.",
     .commands = "ruga make cylinder --height 0.45 --radius 0.28 --sectors 96 --rings 24 -o open.obj\n"
                 "ruga render open.obj --azimuth 25 --elevation 32 --ground -o open.png",
     .files = {"two_sided.png"},
     .make = make_two_sided},
    {.name = "defects",
     .title = "Defects that validation finds",
     .caption = "Four broken meshes; the defects that the validator lists are red.",
     .commands = "ruga validate broken.obj --all",
     .files = {"defects.png"},
     .make = make_defects},
    {.name = "plot",
     .title = "Theory against measurement",
     .caption = "The errors of area and volume of a faceted sphere. Plots are PNG, and SVG with the same layout.",
     .files = {"convergence.png", "convergence.svg"},
     .half = 1,
     .make = make_plot},
};

const demo_section demo_pictures = {"pictures",
                                    "Pictures",
                                    "Framed automatically, lit softly, and fit for a paper.",
                                    items,
                                    sizeof items / sizeof items[0],
                                    1};
