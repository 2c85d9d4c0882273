/* Demo: cloth (Kang et al. 2001). Runs are made by the command lines that the page shows; pictures of several moments or
 * stages are put together from them here. What is plotted is in demo_cloth_plots.c. */
#include "demo_cloth.h"
#include "runs.h"

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

/* The pole, brown, and the flag. */
static void look_at(subject *who, int is_flag, int wire, ruga_render_mesh *look) {
    *look = wire ? demo_wire(who->mesh) : ruga_render_mesh_default(who->mesh);
    look->frame = &who->present.frame;
    look->front = is_flag ? (ruga_colour){0.36f, 0.53f, 0.69f} : (ruga_colour){0.62f, 0.42f, 0.32f};
    look->back = is_flag ? (ruga_colour){0.45f, 0.6f, 0.73f} : look->front;
    look->wire_width = 1;
}

/* The flag is the last object of its run. */
static int take_shot(demo *d, const shot *what, shot_sheet *sheet, size_t at) {
    picture *p = &sheet->runs;
    size_t first = p->subject_count;
    int code = run_add_objects(d->s, demo_path(d, what->run), p);
    for (size_t i = first; i < p->subject_count && !code; i++) {
        subject *who = &p->subjects[i];
        int is_flag = i + 1 == p->subject_count;
        if (who->motion) {
            ruga_motion_info info = ruga_motion_get_info(who->motion);
            code = moment_sample(d->s, who->motion, info.start + what->frame / info.rate, &who->present);
        }
        look_at(who, is_flag, is_flag && what->look == LOOK_WIRE, &p->looks[i]);
    }
    if (code) return code;
    ruga_panel *panel = &sheet->panels[at];
    *panel = (ruga_panel){.caption = what->caption, .meshes = &p->looks[first], .mesh_count = p->subject_count - first};
    if (what->look != LOOK_SPRINGS) return 0;
    draw_springs(&p->subjects[p->subject_count - 1].present.frame, &sheet->springs[at], panel);
    panel->mesh_count--;
    return 0;
}

/* One camera that holds the flags of all panels; of the poles there is as much as comes with them. */
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
    ruga_camera camera;
    ruga_status status = ruga_render_fit(d->s->context, def, 0, &camera);
    if (RUGA_FAILED(status)) return session_failed_output(d->s, status);
    for (size_t i = 0; i < def->panel_count; i++) panels[i].camera = camera;
    def->panels = panels;
    return 0;
}

static int make_sheet(demo *d, const shot *shots, size_t count, ruga_render_def def, double azimuth, const char *file) {
    static shot_sheet sheet; /* too large for some stacks */
    int code = 0;
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

static const char stages_lines[] =
    BREEZE " --spline 0 -o springs.run\n" BREEZE " --spline 50 --spline-amplitude 0 -o splines.run\n" BREEZE
           " --spline 50 --spline-amplitude 1.5 -o wrinkled.run";

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
    int code = demo_commands(d, stages_lines);
    return code ? code : make_sheet(d, shots, MAX_SHOTS, demo_def(1800, 1240, NULL, 0, 4), 30, "flag_stages.png");
}

/* ---- Wind: figure 7. */

static const char storm_lines[] =
    "ruga cloth flag --columns 9 --rows 9 --spline 50 --wind 40,0,0 --gust 0.2 --air-on-points true --drag 0.01 --lift "
    "0.01"
    " --lift-form printed --substeps 20 --preroll 24 --frames 48 -o storm.run\n"
    "ruga render storm.run --azimuth 25 --elevation 8" DEMO_FILM " -o storm.mp4";

static int make_storm(demo *d) {
    static const shot shots[] = {
        {"storm.run", 4, LOOK_SURFACE, "0.17 s"},  {"storm.run", 12, LOOK_SURFACE, "0.50 s"},
        {"storm.run", 20, LOOK_SURFACE, "0.83 s"}, {"storm.run", 28, LOOK_SURFACE, "1.17 s"},
        {"storm.run", 36, LOOK_SURFACE, "1.50 s"}, {"storm.run", 44, LOOK_SURFACE, "1.83 s"},
    };
    int code = demo_commands(d, storm_lines);
    return code ? code : make_sheet(d, shots, 6, demo_def(1800, 900, NULL, 0, 3), 25, "storm.png");
}

/* ---- The moving pole: figures 1 and 10. */

static const char pole_lines[] =
    "ruga cloth flag --columns 9 --rows 9 --spline 50 --spline-amplitude 1.5 --wind 5,0,0 --gust 0.5 --gust-size 0.5"
    " --gust-time 0.4 --drag 0.1 --lift 1 --preroll 24 --frames 72 --wave --set 'objects[pole].body.keys=["
    "{\"time\":0},{\"time\":0.25,\"turn\":[7,0,-5]},{\"time\":0.5,\"turn\":[23,0,-9]},"
    "{\"time\":0.75,\"turn\":[18,0,10]},{\"time\":1},{\"time\":1.25,\"turn\":[-18,0,-10]},"
    "{\"time\":1.5,\"turn\":[-26,0,0]},{\"time\":1.75,\"turn\":[-18,0,10]},{\"time\":2},"
    "{\"time\":2.25,\"turn\":[18,0,-10]},{\"time\":2.5,\"turn\":[26,0,0]},{\"time\":2.75,\"turn\":[18,0,10]},"
    "{\"time\":3}]' -o pole.run\n"
    "ruga render pole.run --azimuth 20 --elevation 10" DEMO_FILM " -o pole.mp4";

static int make_pole(demo *d) {
    static const shot shots[] = {
        {"pole.run", 12, LOOK_SURFACE, "0.50 s"}, {"pole.run", 18, LOOK_SURFACE, "0.75 s"},
        {"pole.run", 24, LOOK_SURFACE, "1.00 s"}, {"pole.run", 30, LOOK_SURFACE, "1.25 s"},
        {"pole.run", 60, LOOK_SURFACE, "2.50 s"}, {"pole.run", 66, LOOK_SURFACE, "2.75 s"},
    };
    int code = demo_commands(d, pole_lines);
    return code ? code : make_sheet(d, shots, 6, demo_def(1800, 1000, NULL, 0, 3), 20, "pole.png");
}

static const demo_item items[] = {
    {.name = "flag_stages",
     .title = "A flag in four stages",
     .caption = "Three moments. 10 x 10 masses are simulated; cubic splines through them make 2,500 nodes, too smooth "
                "for cloth; where cells are shorter than at rest, the splines wrinkle.",
     .commands = stages_lines,
     .files = {"flag_stages.png"},
     .wide = 1,
     .make = make_stages},
    {.name = "pole",
     .title = "A flag on a pole that is waved",
     .caption = "The edge follows the pole, a rigid object moved by keyframes; 100 masses move, 2,500 nodes are shown.",
     .commands = pole_lines,
     .files = {"pole.mp4", "pole.png"},
     .wide = 1,
     .make = make_pole},
    {.name = "storm",
     .title = "Wind of 40 m/s",
     .caption = "Drag and lift on each of the 100 points, 0.01 kg/m both, as printed in the paper: lift is greatest "
                "where the air passes along the cloth, which makes it tremble.",
     .commands = storm_lines,
     .files = {"storm.mp4", "storm.png"},
     .wide = 1,
     .make = make_storm},
    {.name = "spline_pair",
     .title = "A spline, and the same one wrinkled",
     .caption = "Both go through the same control points, a drawn higher up. Where two of these have come closer than "
                "at rest by more than a threshold, b waves: the closer they are, the more.",
     .files = {"spline_pair.png", "spline_pair.svg"},
     .make = demo_make_spline_pair},
    {.name = "velocity_changes",
     .title = "Two sweeps against the whole solution",
     .caption =
         "The paper's flag that is moved, and how each of its masses changes its velocity in a step: by equation "
         "10, and by the system that it is the beginning of the solution of, from the same state. They are alike "
         "on springs as soft as the flag drawn here; stiffer ones need more sweeps.",
     .files = {"velocity_changes.png", "velocity_scatter.png", "velocity_likeness.png"},
     .wide = 1,
     .make = demo_make_velocity_changes},
    {.name = "hanging",
     .title = "Sweeps against stretching",
     .caption =
         "With the paper's two sweeps cotton stretches the more the finer its mesh is, and at last just falls. With "
         "sweeps in proportion to the points of a side it does not, nor with the filter, which they converge to: "
         "here up to 100 thousand points.",
     .files = {"hanging.png", "hanging.svg"},
     .make = demo_make_hanging},
    {.name = "rest",
     .title = "Coming to rest",
     .caption = "The energy of a soft sheet that is held by an edge, falls and swings in still air, how far from that "
                "of rest, "
                "with each of the five integrators at 240 steps a second. Explicit and semi-implicit lie upon each "
                "other. With "
                "equation 10 another energy falls steadily, and the true one goes up and down around it, through that "
                "of rest.",
     .files = {"rest.png", "rest.svg"},
     .make = demo_make_rest},
};

const demo_section demo_cloth = {"cloth", "Cloth",
                                 "Masses and springs that are stable at any step, in moving air; few of them, and "
                                 "splines that wrinkle where the cloth is compressed (Kang et al. 2001).",
                                 items, sizeof items / sizeof items[0]};
