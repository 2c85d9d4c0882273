/* Demo: cloth (Kang et al. 2001). Runs are made by the command lines on the page; pictures of several moments or
 * stages are drawn from them here. The plots are in cloth_plots.c. */
#include "section_cloth.h"

#include <string.h>

#include "cli/runs.h"
#include "show.h"

enum { KEYS = 10 }; /* masses along a side of the flag */

/* ---- Pictures of several moments of runs. */

/* A panel: the pole and the flag at a frame of a run. */
typedef struct shot {
    const char *run;
    int frame;
    enum { LOOK_SURFACE, LOOK_WIRE, LOOK_SPRINGS } look;
    const char *caption;
} shot;

enum { MAX_SHOTS = 12, SPRING_LINES = 2 * KEYS + 2 * (2 * KEYS - 3) };

/* Springs as lines along rows, columns and both diagonals of the grid of masses. */
typedef struct spring_lines {
    ruga_vec3 points[SPRING_LINES][KEYS];
    ruga_render_curve curves[SPRING_LINES];
    size_t count;
    ruga_render_points masses;
} spring_lines;

/* The shots with all that the renderer refers to. */
typedef struct shot_sheet {
    picture runs;
    spring_lines springs[MAX_SHOTS];
    ruga_panel panels[MAX_SHOTS];
} shot_sheet;

/* From a mass of the grid in steps of rows and columns to its border. */
static void add_line(spring_lines *lines, const ruga_vec3 *masses, int row, int column, int rows, int columns) {
    ruga_vec3 *points = lines->points[lines->count];
    size_t length = 0;
    for (; row >= 0 && row < KEYS && column >= 0 && column < KEYS; row += rows, column += columns)
        points[length++] = masses[row * KEYS + column];
    lines->curves[lines->count++] = (ruga_render_curve){
        .points = points, .point_count = length, .colour = {0.25f, 0.33f, 0.42f}, .width = rows && columns ? 1 : 2};
}

static void draw_springs(const ruga_frame *flag, spring_lines *lines, ruga_panel *panel) {
    lines->count = 0;
    for (int i = 0; i < KEYS; i++) {
        add_line(lines, flag->positions, i, 0, 0, 1);
        add_line(lines, flag->positions, 0, i, 1, 0);
    }
    for (int i = 0; i < KEYS - 1; i++) {
        add_line(lines, flag->positions, 0, i, 1, 1);
        add_line(lines, flag->positions, 0, KEYS - 1 - i, 1, -1);
    }
    for (int i = 1; i < KEYS - 1; i++) {
        add_line(lines, flag->positions, i, 0, 1, 1);
        add_line(lines, flag->positions, i, KEYS - 1, 1, -1);
    }
    lines->masses = (ruga_render_points){flag->positions, flag->vertex_count, {0.75f, 0.3f, 0.2f}, 9};
    panel->curves = lines->curves;
    panel->curve_count = lines->count;
    panel->point_sets = &lines->masses;
    panel->point_set_count = 1;
}

/* The pole is brown; the flag is the last object of its run. */
static int take_shot(demo *d, const shot *what, shot_sheet *sheet, size_t at) {
    picture *p = &sheet->runs;
    size_t first = p->subject_count;
    int code = run_add_objects(d->s, demo_path(d, what->run), p);
    for (size_t i = first; i < p->subject_count && !code; i++) {
        subject *who = &p->subjects[i];
        ruga_render_mesh *look = &p->looks[i];
        int is_flag = i + 1 == p->subject_count;
        if (who->motion) {
            ruga_motion_info info = ruga_motion_get_info(who->motion);
            code = subject_move(d->s, who, info.start + what->frame / info.rate);
        }
        *look = is_flag && what->look == LOOK_WIRE ? demo_wire(who->mesh) : ruga_render_mesh_default(who->mesh);
        look->frame = &who->current.frame;
        look->front = is_flag ? (ruga_colour){0.36f, 0.53f, 0.69f} : (ruga_colour){0.62f, 0.42f, 0.32f};
        look->back = is_flag ? (ruga_colour){0.45f, 0.6f, 0.73f} : look->front;
        look->wire_width = 1;
        look->finish = is_flag ? RUGA_FINISH_CLOTH : RUGA_FINISH_PLAIN;
        look->smooth = is_flag && what->look == LOOK_SURFACE;
    }
    if (code) return code;
    ruga_panel *panel = &sheet->panels[at];
    *panel = (ruga_panel){.caption = what->caption, .meshes = &p->looks[first], .mesh_count = p->subject_count - first};
    if (what->look != LOOK_SPRINGS) return 0;
    draw_springs(&p->subjects[p->subject_count - 1].current.frame, &sheet->springs[at], panel);
    panel->mesh_count--;
    return 0;
}

/* One camera that holds the flags of all panels, whatever of the poles that shows. */
static int aim(demo *d, ruga_render_def *def, ruga_panel *panels, double azimuth) {
    ruga_panel flags[MAX_SHOTS];
    for (size_t i = 0; i < def->panel_count; i++) {
        flags[i] = panels[i];
        flags[i].camera = demo_camera(azimuth, 8);
        size_t poles = panels[i].curve_count ? panels[i].mesh_count : panels[i].mesh_count - 1;
        flags[i].meshes += poles;
        flags[i].mesh_count -= poles;
    }
    def->panels = flags;
    def->shared_camera = 1;
    ruga_camera camera = {0};
    int code = demo_code(d, ruga_render_fit(d->s->context, def, 0, &camera));
    for (size_t i = 0; i < def->panel_count; i++) panels[i].camera = camera;
    def->panels = panels;
    return code;
}

/* Runs the item's commands and draws the shots. */
static int make_sheet(demo *d, const shot *shots, size_t count, ruga_render_def def, double azimuth, const char *file) {
    static shot_sheet sheet; /* too large for some stacks */
    int code = demo_commands(d, d->item->commands);
    for (size_t i = 0; i < count && !code; i++) code = take_shot(d, &shots[i], &sheet, i);
    def.panel_count = count;
    if (!code) code = aim(d, &def, sheet.panels, azimuth);
    if (!code) code = demo_still(d, &def, file);
    picture_release(&sheet.runs);
    return code;
}

/* ---- Stages: figures 3, 4, 6 and 9. */

#define BREEZE                                                                                     \
    "ruga cloth flag --columns 9 --rows 9 --wind 6,0,0 --gust 0.7 --gust-size 0.4 --gust-time 0.3" \
    " --drag 0.1 --lift 1 --preroll 24 --frames 36"

static int make_stages(demo *d) {
    static const int frames[] = {15, 20, 30};
    shot shots[MAX_SHOTS];
    for (int i = 0; i < 3; i++) {
        int last = i == 2, f = frames[i];
        shot *row = &shots[4 * i];
        row[0] = (shot){"springs.run", f, LOOK_SPRINGS, last ? "masses and springs" : NULL};
        row[1] = (shot){"splines.run", f, LOOK_WIRE, last ? "cubic splines" : NULL};
        row[2] = (shot){"wrinkled.run", f, LOOK_WIRE, last ? "wrinkled splines" : NULL};
        row[3] = (shot){"wrinkled.run", f, LOOK_SURFACE, last ? "rendered" : NULL};
    }
    return make_sheet(d, shots, MAX_SHOTS, demo_def(1800, 1240, NULL, 0, 4), 30, "flag_stages.png");
}

/* ---- Wind: figure 7, ten times as slow as it is: the lift as printed, and a smooth form of it. */

#define STORM                                                                                                    \
    "ruga cloth flag --columns 9 --rows 9 --spline 50 --wind 40,0,0 --gust 0.2 --air-on-points true --drag 0.01" \
    " --lift 0.01 --fps 240 --substeps 2 --preroll 240 --frames 96"

enum { STORM_FRAMES = 96, STORM_SHOWN = 36, STORM_NODES = 50 };
static const char *const storm_runs[] = {"storm.run", "storm_smooth.run"};

typedef struct storm_film {
    demo *d;
    shot_sheet sheet;
} storm_film;

static int set_storm_frame(void *user, size_t frame, ruga_render_def *def) {
    storm_film *film = user;
    (void)def;
    return picture_move(film->d->s, &film->sheet.runs, (double)frame / 240);
}

/* The deflection of the flag's middle row over the first of these frames, as the colours of a sheet: distance from the
 * pole to the right, time upwards. A crest that runs along the flag is a slanted band. */
static int read_storm(demo *d, const char *run, const ruga_mesh *sheet, ruga_render_mesh *look) {
    picture *scene;
    double *values;
    TRY_CODE(DEMO_NEW(d, scene, 1));
    TRY_CODE(DEMO_NEW(d, values, sheet->vertex_count));
    int code = run_add_objects(d->s, demo_path(d, run), scene);
    for (int k = 0; k < STORM_SHOWN && !code; k++) {
        code = picture_move(d->s, scene, k / 240.0);
        const subject *flag = &scene->subjects[scene->subject_count - 1];
        for (int i = 0; i < STORM_NODES && !code; i++)
            values[k * STORM_NODES + i] = subject_positions(flag)[STORM_NODES / 2 * STORM_NODES + i].z;
    }
    *look = ruga_render_mesh_default(sheet);
    look->scalar_values = values;
    look->scalar_label = "deflection (m)";
    look->diverging = 1;
    look->scalar_low = -0.3, look->scalar_high = 0.3;
    picture_release(scene);
    return code;
}

static int draw_storm_waves(demo *d) {
    static const char *const captions[] = {"printed: distance from the pole to the right, 0.15 s upwards", "smooth"};
    ruga_render_mesh looks[2];
    ruga_panel panels[2];
    ruga_mesh *sheet = NULL;
    const demo_parameter size[] = {
        {"width", 1.5}, {"length", 1}, {"columns", STORM_NODES - 1}, {"rows", STORM_SHOWN - 1}, {NULL, 0}};
    int code = demo_model(d, "sheet", size, &sheet);
    for (int i = 0; i < 2 && !code; i++) {
        code = read_storm(d, storm_runs[i], sheet, &looks[i]);
        panels[i] =
            (ruga_panel){.caption = captions[i], .mesh_count = 1, .meshes = &looks[i], .camera = demo_camera(0, 89)};
    }
    const ruga_render_def def = demo_def(1800, 640, panels, 2, 2);
    return code ? code : demo_still(d, &def, "storm_waves.png");
}

static int make_storm(demo *d) {
    static storm_film film; /* too large for some stacks */
    static const int frames[] = {8, 16, 24};
    static const char *const captions[] = {"printed form", "+ 0.03 s", "+ 0.07 s",
                                           "smooth form",  "+ 0.03 s", "+ 0.07 s"};
    memset(&film, 0, sizeof film);
    film.d = d;
    int code = demo_commands(d, d->item->commands);
    ruga_render_def still = demo_def(1800, 1000, NULL, 6, 3);
    for (size_t i = 0; i < 6 && !code; i++)
        code = take_shot(d, &(shot){storm_runs[i / 3], frames[i % 3], LOOK_SURFACE, captions[i]}, &film.sheet, i);
    // The film's panels are narrower, and its flags move farther than in three moments.
    ruga_render_def narrow = demo_def(1280, 3 * 720, NULL, 6, 2);
    if (!code) code = aim(d, &narrow, film.sheet.panels, 25);
    ruga_camera camera = film.sheet.panels[0].camera;
    camera.fov *= 1.15;
    if (!code) code = aim(d, &still, film.sheet.panels, 25);
    if (!code) code = demo_still(d, &still, "storm.png");
    film.sheet.panels[1] = film.sheet.panels[3];
    film.sheet.panels[0].camera = film.sheet.panels[1].camera = camera;
    const demo_film_def moving = {.file = "storm.mp4",
                                  .frames = STORM_FRAMES,
                                  .panels = film.sheet.panels,
                                  .panel_count = 2,
                                  .set_up = set_storm_frame,
                                  .user = &film};
    if (!code) code = demo_film(d, &moving);
    picture_release(&film.sheet.runs);
    return code ? code : draw_storm_waves(d);
}

/* ---- A character that carries flags: figures 1 and 10. */

static const show pole = {.moments = {14, 34, 52, 78},
                          .eye = {4.9, 1.9, 5.05},
                          .target = {0, 1.36, -0.3},
                          .ground = 1,
                          .strip_height = 620,
                          .colour_count = 5,
                          .colours = {SHOW_STONE,
                                      {{0.45f, 0.33f, 0.26f}, {0.45f, 0.33f, 0.26f}},
                                      {{0.45f, 0.33f, 0.26f}, {0.45f, 0.33f, 0.26f}},
                                      {{0.36f, 0.53f, 0.69f}, {0.36f, 0.53f, 0.69f}},
                                      {{0.74f, 0.44f, 0.36f}, {0.74f, 0.44f, 0.36f}}}};

static const demo_item items[] = {
    {.view = 1,
     .name = "flag_stages",
     .title = "A flag in four stages",
     .caption = "Three moments. 10 x 10 masses are simulated. Cubic splines through them have 2,500 nodes, but are too "
                "smooth for cloth. Where cells are shorter than at rest, the splines wrinkle.",
     .commands = BREEZE " --spline 0 -o springs.run\n" BREEZE
                        " --spline 50 --spline-amplitude 0 -o splines.run\n" BREEZE " --spline 50 -o wrinkled.run",
     .files = {"flag_stages.png"},
     .make = make_stages},
    {.is_long = 1,
     .name = "pole",
     .title = "A character carries two flags",
     .caption =
         "The poles follow the hands of a walking mannequin, and the flags are tied to the poles: 100 masses each "
         "move, 2,500 nodes are shown. Flags collide with poles, mannequin and themselves.",
     .commands = "ruga new parade -o parade.json\nruga run parade.json -o pole.run",
     .contact = "pole.run",
     .files = {"pole.mp4", "pole.png"},
     .data = &pole,
     .make = show_make},
    {.is_long = 1,
     .name = "storm",
     .title = "Wind of 40 m/s, ten times as slow",
     .caption = "Drag and lift on each of the 100 points, 0.01 kg/m both. As printed in the paper, lift is greatest "
                "where the air passes along the cloth, and changes its sign there: the flag trembles. With the smooth "
                "form, the default elsewhere, waves run to the free end: slanted bands in the second picture, which "
                "shows the deflection of the flag's middle row over time.",
     .commands = STORM " --lift-form printed -o storm.run\n" STORM " --lift-form smooth -o storm_smooth.run",
     .files = {"storm.mp4", "storm.png", "storm_waves.png"},
     .make = make_storm},
    {.is_long = 1,
     .name = "discs",
     .title = "Three fabrics drape",
     .caption = "Discs of 30 cm, held between plates of 18 cm as in a drape meter, hang down in folds. The drape "
                "coefficient is the part of the border that still casts a shadow: 1 for a board, 0 for fabric that "
                "hangs straight down.",
     .commands = "ruga new discs -o discs.json\n"
                 "ruga run discs.json",
     .contact = "discs.run",
     .files = {"discs.png"},
     .make = demo_make_discs},
    {.name = "spline_pair",
     .title = "A spline, and the same one wrinkled",
     .caption =
         "Both go through the same control points; a is drawn higher. Where two points are closer than at rest by "
         "more than a threshold, b has waves: the closer they are, the higher.",
     .files = {"spline_pair.png", "spline_pair.svg"},
     .half = 1,
     .make = demo_make_spline_pair},
    {.name = "velocity_changes",
     .title = "Two sweeps against the whole solution",
     .caption =
         "The paper's moving flag, and the velocity change of each mass in one step from the same state: by equation "
         "10, and by the full solution, of which equation 10 is the first two sweeps. They agree for springs as soft "
         "as here; stiffer ones need more sweeps.",
     .files = {"velocity_changes.png", "velocity_scatter.png", "velocity_likeness.png"},
     .plots = 6,
     .make = demo_make_velocity_changes},
    {.is_long = 1,
     .name = "hanging",
     .title = "Sweeps against stretching",
     .caption =
         "With the paper's two sweeps, cotton stretches more on finer meshes, until it falls freely. With sweeps in "
         "proportion to the points of a side it does not, nor with the filter, to which sweeps converge: here up to "
         "100 thousand points.",
     .files = {"hanging.png", "hanging.svg"},
     .half = 1,
     .make = demo_make_hanging},
    {.name = "rest",
     .title = "Settling",
     .caption =
         "A soft sheet, held by one edge, falls and swings in still air. The plot shows how far its energy is from "
         "that at rest, for the five integrators at 240 steps a second. Explicit and semi-implicit coincide. "
         "With equation 10, a modified energy decreases steadily, and the true one oscillates around it.",
     .files = {"rest.png", "rest.svg"},
     .half = 1,
     .make = demo_make_rest},
};

const demo_section demo_cloth = {"cloth",
                                 "Cloth",
                                 "Masses and springs that are stable at any step, in moving air; few of them, and "
                                 "splines that wrinkle where the cloth is compressed (Kang et al. 2001).",
                                 items,
                                 sizeof items / sizeof items[0],
                                 0};
