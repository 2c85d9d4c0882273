/* Demo: pictures. Scalars in colours, curves and points on surfaces, two sides. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo.h"

static const double pi = 3.14159265358979323846;

/* ---- Curvature of a torus, where theory knows it: R to the middle of the tube, r the tube, t the angle around it.
 * Mean (R + 2 r cos t) / (2 r (R + r cos t)), Gaussian cos t / (r (R + r cos t)). */
static const double torus_radius = 0.4, torus_tube = 0.17;

static void torus_curvature(ruga_vec3 p, double *mean, double *gauss) {
    double R = torus_radius, r = torus_tube, out = sqrt(p.x * p.x + p.z * p.z);
    double cosine = fmax(-1, fmin(1, (out - R) / r));
    *mean = (R + 2 * r * cosine) / (2 * r * (R + r * cosine));
    *gauss = cosine / (r * (R + r * cosine));
}

static int make_curvature(demo *d) {
    const demo_parameter parameters[] = {
        {"radius", torus_radius}, {"tube", torus_tube}, {"sectors", 160}, {"sides", 64}, {NULL, 0}};
    ruga_mesh *torus = NULL;
    int code = demo_model(d, "torus", parameters, &torus);
    if (code) return code;
    double *mean = malloc(torus->vertex_count * sizeof *mean), *gauss = malloc(torus->vertex_count * sizeof *gauss);
    if (!mean || !gauss) code = session_no_memory(d->s);
    for (size_t v = 0; !code && v < torus->vertex_count; v++) torus_curvature(torus->positions[v], &mean[v], &gauss[v]);

    ruga_render_mesh looks[] = {ruga_render_mesh_default(torus), ruga_render_mesh_default(torus)};
    looks[0].scalar_values = mean;
    looks[0].scalar_label = "mean curvature (1/m)";
    looks[1].scalar_values = gauss;
    looks[1].scalar_label = "Gaussian curvature (1/m²)";
    looks[1].diverging = 1;
    ruga_panel panels[] = {
        {.caption = "sequential colours", .mesh_count = 1, .meshes = &looks[0], .camera = demo_camera(30, 38)},
        {.caption = "diverging around zero", .mesh_count = 1, .meshes = &looks[1], .camera = demo_camera(30, 38)}};
    ruga_render_def def = demo_def(1800, 720, panels, 2, 2);
    if (!code) code = demo_still(d, &def, "curvature.png");
    free(mean);
    free(gauss);
    ruga_mesh_destroy(torus);
    return code;
}

/* ---- Curves and points on surfaces. */
enum { KNOT_POINTS = 600, SPIRAL_POINTS = 900, SCATTERED = 160 };

/* A torus knot: around the axis `around` times while it winds `winds` times around the tube, from a first angle on. */
static void fill_knot(ruga_vec3 *points, int around, int winds, double first) {
    for (int i = 0; i < KNOT_POINTS; i++) {
        double t = 2 * pi * i / KNOT_POINTS, a = around * t, w = winds * t + first;
        double out = torus_radius + torus_tube * cos(w);
        points[i] = (ruga_vec3){out * cos(a), torus_tube * sin(w), out * sin(a)};
    }
}

/* A spiral from pole to pole, and points spread by the golden angle. */
static void fill_sphere(ruga_vec3 *spiral, ruga_vec3 *scattered, double radius) {
    for (int i = 0; i < SPIRAL_POINTS; i++) {
        double t = (double)i / (SPIRAL_POINTS - 1), polar = pi * t, a = 14 * pi * t;
        spiral[i] = (ruga_vec3){radius * sin(polar) * cos(a), radius * cos(polar), radius * sin(polar) * sin(a)};
    }
    for (int i = 0; i < SCATTERED; i++) {
        double y = 1 - 2 * (i + 0.5) / SCATTERED, out = sqrt(1 - y * y), a = i * pi * (3 - sqrt(5.0));
        scattered[i] = (ruga_vec3){radius * out * cos(a), radius * y, radius * out * sin(a)};
    }
}

static int make_curves(demo *d) {
    static ruga_vec3 knots[2][KNOT_POINTS], spiral[SPIRAL_POINTS], scattered[SCATTERED];
    const demo_parameter parameters[] = {
        {"radius", torus_radius}, {"tube", torus_tube}, {"sectors", 160}, {"sides", 64}, {NULL, 0}};
    const demo_parameter fine[] = {{"frequency", 32}, {NULL, 0}};
    fill_knot(knots[0], 2, 5, 0);
    fill_knot(knots[1], 2, 5, pi / 2);
    fill_sphere(spiral, scattered, 0.5);
    ruga_mesh *torus = NULL, *sphere = NULL;
    int code = demo_model(d, "torus", parameters, &torus);
    if (!code) code = demo_model(d, "sphere", fine, &sphere);
    if (!code) {
        ruga_colour red = {0.75f, 0.22f, 0.17f}, blue = {0.12f, 0.35f, 0.60f}, dark = {0.15f, 0.15f, 0.17f};
        ruga_render_mesh looks[] = {ruga_render_mesh_default(torus), ruga_render_mesh_default(sphere)};
        ruga_render_curve curves[] = {{knots[0], KNOT_POINTS, red, 7, 1},
                                      {knots[1], KNOT_POINTS, blue, 7, 1},
                                      {spiral, SPIRAL_POINTS, blue, 6, 0}};
        ruga_render_points points = {scattered, SCATTERED, dark, 13};
        ruga_panel panels[] = {{.caption = "two torus knots (2, 5)",
                                .mesh_count = 1,
                                .meshes = &looks[0],
                                .curve_count = 2,
                                .curves = curves,
                                .camera = demo_camera(30, 45)},
                               {.caption = "a spiral, and points by the golden angle",
                                .mesh_count = 1,
                                .meshes = &looks[1],
                                .curve_count = 1,
                                .curves = &curves[2],
                                .point_set_count = 1,
                                .point_sets = &points,
                                .camera = demo_camera(30, 25)}};
        ruga_render_def def = demo_def(1800, 860, panels, 2, 2);
        code = demo_still(d, &def, "curves.png");
    }
    ruga_mesh_destroy(sphere);
    ruga_mesh_destroy(torus);
    return code;
}

/* ---- Two sides. */
static int make_two_sided(demo *d) {
    static const demo_parameter open[] = {
        {"height", 0.45}, {"radius", 0.28}, {"sectors", 96}, {"rings", 24}, {NULL, 0}};
    ruga_mesh *cylinder = NULL;
    int code = demo_model(d, "cylinder", open, &cylinder);
    if (code) return code;
    ruga_render_mesh look = ruga_render_mesh_default(cylinder);
    ruga_panel panel = {.mesh_count = 1, .meshes = &look, .camera = demo_camera(25, 32)};
    ruga_render_def def = demo_def(1800, 860, &panel, 1, 1);
    def.ground = 1;
    code = demo_still(d, &def, "two_sided.png");
    ruga_mesh_destroy(cylinder);
    return code;
}

/* ---- A broken mesh with its defects marked: a flipped triangle, a fin, a bow tie, slivers. */
typedef struct broken {
    const char *caption;
    size_t point_count, face_count;
    ruga_vec3 points[10];
    uint32_t faces[8][3];
} broken;

static const broken broken_meshes[] = {
    {"two triangles run the same way",
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

enum { BROKEN_COUNT = sizeof broken_meshes / sizeof broken_meshes[0], MAX_MARKS = 32 };

/* The defects as the validator lists them: points for vertices, lines for edges and the sides of faces. */
typedef struct marks {
    ruga_vec3 points[MAX_MARKS], ends[MAX_MARKS][3];
    ruga_render_curve curves[MAX_MARKS];
    size_t point_count, curve_count;
} marks;

static const ruga_colour mark_colour = {0.85f, 0.13f, 0.10f};

static void mark_curve(marks *m, const ruga_mesh *mesh, const uint32_t *vertices, size_t count) {
    if (m->curve_count == MAX_MARKS) return;
    ruga_vec3 *ends = m->ends[m->curve_count];
    for (size_t i = 0; i < count; i++) ends[i] = mesh->positions[vertices[i]];
    m->curves[m->curve_count++] = (ruga_render_curve){ends, count, mark_colour, 9, count > 2};
}

static void mark_defect(marks *m, const ruga_mesh *mesh, const ruga_defect *defect) {
    uint32_t edge[2] = {(uint32_t)defect->element, (uint32_t)defect->other};
    if (defect->kind == RUGA_DEFECT_NON_MANIFOLD_EDGE || defect->kind == RUGA_DEFECT_ORIENTATION)
        mark_curve(m, mesh, edge, 2);
    else if (defect->kind == RUGA_DEFECT_DEGENERATE_FACE)
        mark_curve(m, mesh, &mesh->triangles[3 * defect->element], 3);
    else if (m->point_count < MAX_MARKS)
        m->points[m->point_count++] = mesh->positions[defect->element];
}

static int mark_defects(demo *d, const ruga_mesh *mesh, marks *m) {
    ruga_validation *validation = NULL;
    ruga_status status = ruga_mesh_validate(mesh, &validation);
    if (RUGA_FAILED(status)) return session_failed_output(d->s, status);
    for (size_t i = 0; i < validation->defect_count; i++) mark_defect(m, mesh, &validation->defects[i]);
    ruga_validation_destroy(mesh, validation);
    return 0;
}

static int make_defects(demo *d) {
    static marks found[BROKEN_COUNT];
    ruga_mesh *meshes[BROKEN_COUNT] = {NULL};
    ruga_render_mesh looks[BROKEN_COUNT];
    ruga_render_points points[BROKEN_COUNT];
    ruga_panel panels[BROKEN_COUNT];
    int code = 0;
    for (size_t i = 0; i < BROKEN_COUNT && !code; i++) {
        const broken *b = &broken_meshes[i];
        found[i] = (marks){.point_count = 0};
        code = demo_mesh(d, b->points, b->point_count, NULL, b->faces[0], b->face_count, &meshes[i]);
        if (!code) code = mark_defects(d, meshes[i], &found[i]);
        if (code) break;
        looks[i] = demo_wire(meshes[i]);
        points[i] = (ruga_render_points){found[i].points, found[i].point_count, mark_colour, 26};
        panels[i] = (ruga_panel){.caption = b->caption,
                                 .mesh_count = 1,
                                 .meshes = &looks[i],
                                 .curve_count = found[i].curve_count,
                                 .curves = found[i].curves,
                                 .point_set_count = 1,
                                 .point_sets = &points[i],
                                 .camera = demo_camera(20, 25)};
    }
    ruga_render_def def = demo_def(1800, 620, panels, BROKEN_COUNT, BROKEN_COUNT);
    if (!code) code = demo_still(d, &def, "defects.png");
    for (size_t i = 0; i < BROKEN_COUNT; i++) ruga_mesh_destroy(meshes[i]);
    return code;
}

static const demo_item items[] = {
    {.name = "curvature",
     .title = "Scalars in perceptual colours",
     .caption = "Mean and Gaussian curvature of a torus, by theory, with legends. Equal steps in value look equal.",
     .commands = "ruga demo curvature\n"
                 "ruga make pillow -o pillow.obj\n"
                 "ruga render pillow.obj --attribute y --label \"height (m)\" -o height.png",
     .files = {"curvature.png"},
     .wide = 1,
     .make = make_curvature},
    {.name = "curves",
     .title = "Curves and points on surfaces",
     .caption = "Lines keep their width in the picture and stay in front of the surface that they lie on.",
     .files = {"curves.png"},
     .wide = 1,
     .make = make_curves},
    {.name = "two-sided",
     .title = "Front and back",
     .caption = "Both sides of an open surface have a colour of their own; soft light, and a shadow on the ground.",
     .commands = "ruga make cylinder --height 0.45 --radius 0.28 --sectors 96 --rings 24 -o open.obj\n"
                 "ruga render open.obj --azimuth 25 --elevation 32 --ground -o open.png",
     .files = {"two_sided.png"},
     .wide = 1,
     .make = make_two_sided},
    {.name = "defects",
     .title = "What validation finds",
     .caption = "Four broken meshes; what the validator lists is drawn in red.",
     .commands = "ruga validate broken.obj --all",
     .files = {"defects.png"},
     .wide = 1,
     .make = make_defects},
    {.name = "plot",
     .title = "Theory against measurement",
     .caption =
         "A table becomes a figure: how far area and volume of a faceted sphere are from the true ones. As PNG, and "
         "as SVG from the same layout.",
     .files = {"convergence.png", "convergence.svg"},
     .make = demo_make_plot},
};

const demo_section demo_pictures = {"pictures", "Pictures",
                                    "Framed by themselves, lit softly, drawn so that they can go into a paper.", items,
                                    sizeof items / sizeof items[0]};
