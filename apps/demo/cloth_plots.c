/* Demo: plots of cloth. Scenes are made in memory and stepped through the public headers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scenes.h"
#include "section_cloth.h"

/* A scene from a text; if a mesh is given, all objects have it and its motion. */
static int make_scene(demo *d, const char *text, const ruga_mesh *mesh, ruga_motion *motion, ruga_scene **out) {
    ruga_description *description = NULL;
    int code = scene_describe(d->s, "demo", text, &description);
    if (!code) {
        ruga_scene_def def = *ruga_description_get(description);
        ruga_object_def objects[2];
        memcpy(objects, def.objects.items, def.objects.count * sizeof *objects);
        for (size_t i = 0; i < def.objects.count && mesh; i++) {
            objects[i].given_mesh = mesh;
            objects[i].given_motion = motion;
        }
        def.objects.items = objects;
        code = demo_code(d, ruga_scene_create(d->s->context, &def, out));
    }
    ruga_description_destroy(description);
    return code;
}

static int step_scene(demo *d, ruga_scene *scene) {
    ruga_status status = ruga_scene_step(scene);
    return RUGA_FAILED(status) ? output_code(d->s, status) : session_interrupted(d->s);
}

/* ---- The pair of splines (figure 5). A ribbon of two rows of key nodes is bent along a curve, some closer than at
 * rest; its first row is the spline. */

enum { CONTROLS = 10, NODES_OF_SEGMENT = 160, NODES = (CONTROLS - 1) * NODES_OF_SEGMENT + 1 };
#define REST_LENGTH 0.1 /* m */
#define THRESHOLD "0.1"

static const char pair_text[] =
    "{\"objects\": ["
    "{\"name\": \"cubic\", \"mesh\": \"sheet\", \"body\": \"animated\", \"details\":"
    " [{\"kind\": \"spline\", \"rows\": 2, \"columns\": 1441, \"amplitude\": 0}]},"
    "{\"name\": \"wrinkled\", \"mesh\": \"sheet\", \"body\": \"animated\", \"details\":"
    " [{\"kind\": \"spline\", \"rows\": 2, \"columns\": 1441, \"waves\": \"segments\", "
    "\"frequency\": 70, \"threshold\": " THRESHOLD "}]}]}";

/* The control points, by the distance and direction from the previous one. */
static ruga_status bend_ribbon(void *user, double time, ruga_vec3 *positions) {
    static const double parts[CONTROLS - 1] = {1, 0.95, 0.55, 0.7, 1, 0.85, 0.42, 0.65, 1};
    (void)user, (void)time;
    double x = 0, y = 0;
    for (int i = 0; i < CONTROLS; i++) {
        positions[i] = (ruga_vec3){x, y, 0};
        positions[CONTROLS + i] = (ruga_vec3){x, y, -REST_LENGTH};
        if (i == CONTROLS - 1) break;
        double angle = 0.9 * cos(0.75 * i);
        x += parts[i] * REST_LENGTH * cos(angle);
        y += parts[i] * REST_LENGTH * sin(angle);
    }
    return RUGA_OK;
}

static int make_ribbon(demo *d, ruga_mesh **mesh) {
    ruga_vec3 points[2 * CONTROLS];
    uint32_t sizes[CONTROLS - 1], vertices[4 * (CONTROLS - 1)];
    for (uint32_t i = 0; i < CONTROLS; i++) {
        points[i] = (ruga_vec3){i * REST_LENGTH, 0, 0};
        points[CONTROLS + i] = (ruga_vec3){i * REST_LENGTH, 0, -REST_LENGTH};
        if (i == CONTROLS - 1) break;
        const uint32_t quad[4] = {i, i + 1, CONTROLS + i + 1, CONTROLS + i};
        memcpy(vertices + 4 * i, quad, sizeof quad);
        sizes[i] = 4;
    }
    return demo_mesh(d, points, 2 * CONTROLS, sizes, vertices, CONTROLS - 1, mesh);
}

static int plot_pair(demo *d, const ruga_scene *scene) {
    static double x[2][NODES], y[2][NODES];
    const double apart = 0.27;
    double control_x[2 * CONTROLS], control_y[2 * CONTROLS];
    for (size_t k = 0; k < 2; k++) {
        const ruga_vec3 *nodes = ruga_scene_frame(scene, k)->positions;
        for (size_t i = 0; i < NODES; i++) {
            x[k][i] = nodes[i].x;
            y[k][i] = nodes[i].y + (k == 0 ? apart : 0);
        }
        for (size_t i = 0; i < CONTROLS; i++) {
            control_x[k * CONTROLS + i] = x[k][i * NODES_OF_SEGMENT];
            control_y[k * CONTROLS + i] = y[k][i * NODES_OF_SEGMENT];
        }
    }
    ruga_plot_series series[] = {{.name = "a: cubic spline", .x = x[0], .y = y[0], .count = NODES},
                                 {.name = "b: wrinkled cubic spline", .x = x[1], .y = y[1], .count = NODES},
                                 {.name = "control points",
                                  .x = control_x,
                                  .y = control_y,
                                  .count = 2 * CONTROLS,
                                  .kind = RUGA_PLOT_POINTS,
                                  .own_colour = 1,
                                  .colour = {0.2f, 0.2f, 0.22f}}};
    ruga_plot_def def = demo_plot("Control points: 0.1 m apart at rest; waves from 0.09 m on", "x (m)", "y (m)", series,
                                  OPTION_COUNT(series));
    /* The same scale in x and y. */
    def.height = 1000;
    def.x_low = -0.03;
    def.x_high = 0.6;
    def.y_low = -0.08;
    def.y_high = 0.43;
    return demo_write_plot(d, &def, "spline_pair.png", "spline_pair.svg");
}

int demo_make_spline_pair(demo *d) {
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    ruga_scene *scene = NULL;
    int code = make_ribbon(d, &mesh);
    if (!code)
        code = demo_code(d, ruga_motion_from_function(d->s->context, 2 * CONTROLS, 0, 1, bend_ribbon, NULL, &motion));
    if (!code) code = demo_keep(d, DEMO_MOTION, motion);
    if (!code) code = make_scene(d, pair_text, mesh, motion, &scene);
    if (!code) code = demo_keep(d, DEMO_SCENE, scene);
    if (!code) code = step_scene(d, scene);
    return code ? code : plot_pair(d, scene);
}

/* ---- Velocity changes (figure 8). A flag is simulated with sweeps; each step is also made by the filter, from the
 * same state. */

enum { SIDE = 10, FLAG = SIDE * SIDE, RATE = 60, STEPS = 240, EVERY = 24, SHOWN = 3 * FLAG * (STEPS / EVERY) };

static const char flag_format[] =
    "{\"time\": {\"fps\": 60, \"substeps\": 1},"
    " \"wind\": {\"velocity\": [6, 0, 1], \"gust\": 0.4, \"gust_size\": 0.5, \"gust_time\": 0.5, \"seed\": 3},"
    " \"materials\": [{\"name\": \"flag\", \"like\": \"cotton\", \"stretch\": %d}],"
    " \"objects\": [{\"name\": \"flag\", \"material\": \"flag\","
    " \"mesh\": {\"kind\": \"sheet\", \"columns\": 9, \"rows\": 9, \"quads\": 1, \"upright\": 1},"
    " \"body\": {\"kind\": \"cloth\", \"integrator\": \"%s\", \"sweeps\": %d,"
    " \"pins\": [{\"kind\": \"path\", \"box_to\": [-0.499, 10, 10], \"keys\": [{\"time\": 0},"
    " {\"time\": 0.5, \"move\": [0, 0, 0.4]}, {\"time\": 1.5, \"move\": [0, 0, -0.4]},"
    " {\"time\": 2.5, \"move\": [0, 0, 0.4]}, {\"time\": 3.5, \"move\": [0, 0, -0.4]}]}]}}]}";

typedef struct comparison {
    ruga_scene *sweeps, *filter;
    ruga_vec3 before[FLAG], now[FLAG]; /* m, of the last two steps */
    ruga_vec3 change[2][FLAG];         /* m/s, by sweeps and by the filter */
    double product, squares[2];
    double shown[2][SHOWN]; /* m/s, components of the filter and of the sweeps */
    size_t shown_count;
} comparison;

static int comparison_make(demo *d, int stretch, int sweeps, comparison *c) {
    char text[2048];
    *c = (comparison){0};
    snprintf(text, sizeof text, flag_format, stretch, "approximate_implicit", sweeps);
    int code = make_scene(d, text, NULL, NULL, &c->sweeps);
    snprintf(text, sizeof text, flag_format, stretch, "filter", sweeps);
    if (!code) code = make_scene(d, text, NULL, NULL, &c->filter);
    /* The first frame is the rest state. */
    if (!code) code = step_scene(d, c->sweeps);
    if (!code) memcpy(c->now, ruga_scene_frame(c->sweeps, 0)->positions, sizeof c->now);
    memcpy(c->before, c->now, sizeof c->before);
    return code;
}

static void comparison_release(comparison *c) {
    ruga_scene_destroy(c->sweeps);
    ruga_scene_destroy(c->filter);
}

/* v(t + h) - v(t), from positions. */
static void find_changes(comparison *c, size_t which, const ruga_vec3 *next) {
    for (size_t i = 0; i < FLAG; i++)
        c->change[which][i] = (ruga_vec3){RATE * (next[i].x - 2 * c->now[i].x + c->before[i].x),
                                          RATE * (next[i].y - 2 * c->now[i].y + c->before[i].y),
                                          RATE * (next[i].z - 2 * c->now[i].z + c->before[i].z)};
}

static void add_changes(comparison *c, int show) {
    for (size_t i = 0; i < FLAG; i++) {
        if (i % SIDE == 0) continue; /* pinned */
        ruga_vec3 p = c->change[0][i], q = c->change[1][i];
        c->product += vec_dot(p, q);
        c->squares[0] += vec_dot(p, p);
        c->squares[1] += vec_dot(q, q);
        if (!show || c->shown_count + 3 > SHOWN) continue;
        const double by_sweeps[3] = {p.x, p.y, p.z}, by_filter[3] = {q.x, q.y, q.z};
        for (int k = 0; k < 3; k++) {
            c->shown[0][c->shown_count] = by_filter[k];
            c->shown[1][c->shown_count++] = by_sweeps[k];
        }
    }
}

static int comparison_step(demo *d, comparison *c, int show) {
    void *state = NULL;
    size_t size;
    ruga_status status = ruga_scene_save(c->sweeps, &state, &size);
    if (!RUGA_FAILED(status)) status = ruga_scene_restore(c->filter, state, size);
    ruga_free(d->s->context, state);
    int code = RUGA_FAILED(status) ? output_code(d->s, status) : step_scene(d, c->sweeps);
    if (!code) code = step_scene(d, c->filter);
    if (code) return code;
    const ruga_vec3 *next = ruga_scene_frame(c->sweeps, 0)->positions;
    find_changes(c, 0, next);
    find_changes(c, 1, ruga_scene_frame(c->filter, 0)->positions);
    add_changes(c, show);
    memcpy(c->before, c->now, sizeof c->before);
    memcpy(c->now, next, sizeof c->now);
    return 0;
}

/* Makes the scenes and follows them for so many steps. */
static int compare(demo *d, int stretch, int sweeps, int steps, comparison *c) {
    int code = comparison_make(d, stretch, sweeps, c);
    for (int k = 1; k <= steps && !code; k++) code = comparison_step(d, c, k % EVERY == 0);
    return code;
}

static double correlation(const comparison *c) { return c->product / sqrt(c->squares[0] * c->squares[1]); }

/* As in the paper: a line from each point along its change of velocity. */
static int draw_changes(demo *d, const comparison *c) {
    static const char *const captions[2] = {"equation 10: two sweeps", "the full solution: filter"};
    static ruga_vec3 lines[2][FLAG][2];
    ruga_render_curve curves[2][FLAG];
    ruga_render_points points = {c->before, FLAG, {0.25f, 0.33f, 0.42f}, 6};
    ruga_frame frame = {.vertex_count = FLAG, .positions = c->before};
    ruga_render_mesh flag = demo_wire(ruga_scene_object_mesh(c->sweeps, 0));
    flag.frame = &frame;
    flag.front = flag.back = (ruga_colour){0.86f, 0.89f, 0.92f};
    flag.wire = (ruga_colour){0.7f, 0.74f, 0.78f};
    ruga_panel panels[2];
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < FLAG; i++) {
            const double scale = 0.5; /* s */
            ruga_vec3 from = c->before[i], by = c->change[k][i];
            lines[k][i][0] = from;
            lines[k][i][1] = vec_add(from, scale, by);
            curves[k][i] = (ruga_render_curve){lines[k][i], 2, {0.75f, 0.3f, 0.2f}, 4, 0};
        }
        panels[k] = (ruga_panel){.caption = captions[k],
                                 .mesh_count = 1,
                                 .meshes = &flag,
                                 .curve_count = FLAG,
                                 .curves = curves[k],
                                 .point_set_count = 1,
                                 .point_sets = &points,
                                 .camera = demo_camera(35, 15)};
    }
    ruga_render_def def = demo_def(1600, 800, panels, 2, 2);
    def.shared_camera = 1;
    return demo_still(d, &def, "velocity_changes.png");
}

enum { CASES = 2 }; /* a stiff flag and a soft one */

static int plot_scatter(demo *d, const comparison *cases, const char *const *names) {
    const ruga_colour grey = {0.72f, 0.74f, 0.76f}, dark = {0.35f, 0.35f, 0.38f};
    const double reach[2] = {-2, 2};
    ruga_plot_series series[CASES + 1];
    char labels[CASES][128];
    for (size_t k = 0; k < CASES; k++) {
        snprintf(labels[k], sizeof labels[k], "%s: correlation %.3f", names[k], correlation(&cases[k]));
        series[k] = (ruga_plot_series){.name = labels[k],
                                       .x = cases[k].shown[0],
                                       .y = cases[k].shown[1],
                                       .count = cases[k].shown_count,
                                       .kind = RUGA_PLOT_POINTS,
                                       .own_colour = k == 0,
                                       .colour = grey};
    }
    series[CASES] = (ruga_plot_series){
        .name = "equal", .x = reach, .y = reach, .count = 2, .dashed = 1, .own_colour = 1, .colour = dark};
    ruga_plot_def def = demo_plot("Velocity changes on the waving flag: x, y and z", "by the filter (m/s)",
                                  "by sweeps (m/s)", series, CASES + 1);
    def.x_low = def.y_low = -2;
    def.x_high = def.y_high = 2;
    return demo_write_plot(d, &def, "velocity_scatter.png", NULL);
}

/* The correlation against the stiffness, for several numbers of sweeps. */
static int plot_likeness(demo *d, int steps) {
    enum { STIFFNESSES = 8, COUNTS = 4 };
    static const int stretch[STIFFNESSES] = {1, 3, 10, 30, 100, 300, 1000, 5000}, sweeps[COUNTS] = {2, 8, 20, 60};
    static const char *const names[COUNTS] = {"2 sweeps: equation 10", "8 sweeps", "20 sweeps", "60 sweeps"};
    static comparison c;
    double x[STIFFNESSES], y[COUNTS][STIFFNESSES];
    ruga_plot_series series[COUNTS];
    int code = 0;
    for (size_t k = 0; k < COUNTS && !code; k++) {
        for (size_t i = 0; i < STIFFNESSES && !code; i++) {
            x[i] = stretch[i];
            code = compare(d, stretch[i], sweeps[k], steps, &c);
            y[k][i] = correlation(&c);
            comparison_release(&c);
        }
        series[k] =
            (ruga_plot_series){.name = names[k], .x = x, .y = y[k], .count = STIFFNESSES, .kind = RUGA_PLOT_BOTH};
    }
    if (code) return code;
    ruga_plot_def def =
        demo_plot("Sweeps and the filter: likeness of velocity changes",
                  "stiffness against stretching (N/m); cotton is the last", "correlation", series, COUNTS);
    def.x_log = 1;
    return demo_write_plot(d, &def, "velocity_likeness.png", NULL);
}

int demo_make_velocity_changes(demo *d) {
    static comparison cases[CASES];
    static const int stretch[CASES] = {25, 1};
    static const char *const names[CASES] = {"2 sweeps, 25 N/m", "2 sweeps, 1 N/m"};
    int steps = d->draft ? EVERY : STEPS, code = 0;
    for (size_t k = 0; k < CASES && !code; k++) code = compare(d, stretch[k], 2, steps, &cases[k]);
    if (!code) code = draw_changes(d, &cases[CASES - 1]);
    if (!code) code = plot_scatter(d, cases, names);
    for (size_t k = 0; k < CASES; k++) comparison_release(&cases[k]);
    return code ? code : plot_likeness(d, d->draft ? 2 : STEPS / 2);
}

/* ---- A sheet that hangs by its upper edge, at several resolutions. */

/* After HANG_STEPS the sheet has settled to a few per cent of its elongation, except with the paper's two sweeps. */
enum { RESOLUTIONS = 6, SOLVERS = 3, HANG_STEPS = 20 };

static const char hanging_format[] =
    "{\"time\": {\"fps\": 60, \"substeps\": 1},"
    " \"objects\": [{\"name\": \"sheet\", \"material\": \"cotton\","
    " \"mesh\": {\"kind\": \"sheet\", \"columns\": %d, \"rows\": %d, \"quads\": 1, \"upright\": 1},"
    " \"body\": {\"kind\": \"cloth\", \"integrator\": \"%s\", \"sweeps\": %d,"
    " \"pins\": [{\"kind\": \"fixed\", \"box_from\": [-10, 0.4999, -10]}]}}]}";

/* Its elongation after a third of a second, over its length of 1 m. */
static int hang(demo *d, int cells, const char *integrator, int sweeps, double *out) {
    char text[1024];
    ruga_scene *scene = NULL;
    snprintf(text, sizeof text, hanging_format, cells, cells, integrator, sweeps);
    int code = make_scene(d, text, NULL, NULL, &scene);
    for (int k = 0; k <= HANG_STEPS && !code; k++) code = step_scene(d, scene);
    if (!code) {
        const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
        double rest = INFINITY, now = INFINITY;
        for (size_t i = 0; i < mesh->vertex_count; i++) {
            rest = fmin(rest, mesh->positions[i].y);
            now = fmin(now, ruga_scene_frame(scene, 0)->positions[i].y);
        }
        *out = rest - now;
    }
    ruga_scene_destroy(scene);
    return code;
}

int demo_make_hanging(demo *d) {
    static const int sides[RESOLUTIONS] = {7, 14, 28, 56, 112, 317};
    double points[RESOLUTIONS], elongation[SOLVERS][RESOLUTIONS];
    size_t count = d->draft ? 2 : RESOLUTIONS;
    int code = 0;
    for (size_t i = 0; i < count && !code; i++) {
        points[i] = (double)sides[i] * sides[i];
        code = hang(d, sides[i] - 1, "approximate_implicit", 2, &elongation[0][i]);
        if (!code) code = hang(d, sides[i] - 1, "approximate_implicit", 2 * sides[i], &elongation[1][i]);
        if (!code) code = hang(d, sides[i] - 1, "filter", 2, &elongation[2][i]);
    }
    if (code) return code;
    const ruga_plot_series series[] = {
        {.name = "equation 10: two sweeps", .x = points, .y = elongation[0], .count = count, .kind = RUGA_PLOT_BOTH},
        {.name = "sweeps: twice the points of a side",
         .x = points,
         .y = elongation[1],
         .count = count,
         .kind = RUGA_PLOT_BOTH},
        {.name = "filter", .x = points, .y = elongation[2], .count = count, .kind = RUGA_PLOT_BOTH, .dashed = 1}};
    const ruga_plot_reference references[] = {{.value = 9.81 / 2 / 9, .label = "free fall"},
                                              {.value = 0.12 * 9.81 / (2 * 5000), .label = "by its weight, at rest"}};
    ruga_plot_def def = demo_plot("Cotton of 1 m x 1 m that hangs, after 1/3 s", "points", "elongation (of its length)",
                                  series, OPTION_COUNT(series));
    def.x_log = def.y_log = 1;
    def.y_low = 1e-6;
    def.y_high = 1;
    def.legend = RUGA_PLOT_LEGEND_BOTTOM_LEFT;
    def.references = references;
    def.reference_count = sizeof references / sizeof references[0];
    return demo_write_plot(d, &def, "hanging.png", "hanging.svg");
}

/* ---- A sheet that falls, swings in still air and settles, with every integrator. */

enum { KINDS = 5, REST_SAMPLES = 720, REST_EVERY = 10, REST_SIDE = 10 }; /* a sample every so many steps */
#define REST_DENSITY 0.12                                                /* kg/m², of cotton */
#define REST_FPS 240

static const char rest_format[] =
    "{\"time\": {\"fps\": 240, \"substeps\": 1},"
    " \"materials\": [{\"name\": \"soft\", \"like\": \"cotton\", \"stretch\": 5, \"damping\": 0.05}],"
    " \"objects\": [{\"name\": \"sheet\", \"material\": \"soft\","
    " \"mesh\": {\"kind\": \"sheet\", \"columns\": 9, \"rows\": 9, \"quads\": 1},"
    " \"body\": {\"kind\": \"cloth\", \"integrator\": \"%s\","
    " \"pins\": [{\"kind\": \"fixed\", \"box_to\": [-0.4999, 10, 10]}]}}]}";

static double measure_named(const ruga_scene *scene, const char *name) {
    double values[64];
    size_t count = ruga_scene_measure_count(scene);
    if (count > 64) return NAN;
    ruga_scene_measures(scene, values);
    for (size_t k = 0; k < count; k++)
        if (strcmp(ruga_scene_measure_info(scene, k).name, name) == 0) return values[k];
    return NAN;
}

/* Kinetic and potential energy, J. */
static double energy_of_motion(const ruga_scene *scene, const double *masses) {
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    double energy = measure_named(scene, "sheet.kinetic_energy");
    for (size_t i = 0; i < frame->vertex_count; i++) energy += masses[i] * 9.81 * frame->positions[i].y;
    return energy;
}

/* Samples of the total energy, minus the last one. The springs' energy is measured at the start of a step, so it
 * belongs to the step before. */
static int sample_energy(demo *d, ruga_scene *scene, size_t samples, double *energy) {
    double masses[REST_SIDE * REST_SIDE];
    ruga_status status = ruga_mesh_masses(ruga_scene_object_mesh(scene, 0), REST_DENSITY, masses);
    int code = demo_code(d, status);
    for (size_t k = 0; k <= (samples - 1) * REST_EVERY + 1 && !code; k++) {
        code = step_scene(d, scene);
        if (!code && k % REST_EVERY == 0) energy[k / REST_EVERY] = energy_of_motion(scene, masses);
        if (!code && k % REST_EVERY == 1) energy[k / REST_EVERY] += measure_named(scene, "sheet.elastic_energy");
    }
    for (size_t k = 0; k < samples && !code; k++) energy[k] = fabs(energy[k] - energy[samples - 1]);
    return code;
}

int demo_make_rest(demo *d) {
    static const char *const kinds[KINDS] = {"explicit", "semi_implicit", "implicit", "approximate_implicit", "filter"};
    static double times[REST_SAMPLES], energy[KINDS][REST_SAMPLES];
    ruga_plot_series series[KINDS];
    size_t samples = d->draft ? 24 : REST_SAMPLES;
    int code = 0;
    for (size_t k = 0; k < samples; k++) times[k] = (double)(k * REST_EVERY) / REST_FPS;
    for (size_t i = 0; i < KINDS && !code; i++) {
        char text[1024];
        ruga_scene *scene = NULL;
        snprintf(text, sizeof text, rest_format, kinds[i]);
        code = make_scene(d, text, NULL, NULL, &scene);
        if (!code) code = sample_energy(d, scene, samples, energy[i]);
        ruga_scene_destroy(scene);
        series[i] = (ruga_plot_series){
            .name = kinds[i], .x = times, .y = energy[i], .count = samples * 2 / 3, .kind = RUGA_PLOT_LINE};
    }
    if (code) return code;
    ruga_plot_def def = demo_plot("A sheet that swings in still air", "time (s)",
                                  "distance of the energy from that of rest (J)", series, KINDS);
    def.y_log = 1;
    def.y_low = 1e-6;
    def.y_high = 1;
    return demo_write_plot(d, &def, "rest.png", "rest.svg");
}
