/* Demo: embedded shells (Rémillard and Kry 2013). Bodies move by formulas; the skin on them is solved through the
 * public header, as in an engine. */
#include "section_shell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const ruga_colour leather = {0.50f, 0.29f, 0.18f}, brass = {0.72f, 0.56f, 0.26f};

/* ---- Skins. */

enum { LEATHER, SKIN };

ruga_embedded_shell_def skinned_def(size_t preset, double thickness, double wavelength, double tolerance) {
    ruga_skin skin = ruga_skin_preset_get(preset)->skin;
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    skin.thickness = thickness;
    def.thickness = ruga_param_constant(thickness);
    def.stiffness = ruga_param_constant(skin.stiffness);
    def.interior_stiffness = ruga_param_constant(skin.stiffness / ruga_skin_ratio_for(&skin, wavelength));
    def.poisson = skin.poisson;
    def.interior_poisson = skin.interior_poisson;
    def.tolerance = tolerance;
    return def;
}

int skinned_make(demo *d, const ruga_mesh *mesh, const ruga_embedded_shell_def *def, skinned *out) {
    ruga_subdivide_def round = ruga_subdivide_def_default();
    round.kind = RUGA_SUBDIVIDE_LOOP;
    round.n = 1;
    out->mesh = mesh;
    int code = demo_code(d, ruga_embedded_shell_create(mesh, def, &out->shell));
    if (!code) code = demo_keep(d, DEMO_SHELL, out->shell);
    if (!code) code = demo_code(d, ruga_mesh_subdivide(mesh, &round, &out->smooth, &out->map));
    if (!code) code = demo_keep(d, DEMO_MESH, out->smooth);
    return code ? code : demo_keep(d, DEMO_MAP, out->map);
}

int skinned_move(demo *d, skinned *s, body_function *body, double to, int frames) {
    const size_t count = s->mesh->vertex_count;
    const double from = s->time;
    ruga_vec3 *carrier;
    int code = DEMO_NEW(d, carrier, count);
    if (d->draft) frames = 1, to *= 0.01;
    for (int f = 1; f <= frames && !code; f++) {
        s->time = from + (to - from) * f / frames;
        for (size_t v = 0; v < count; v++) carrier[v] = body(s->mesh->positions[v], s->time);
        code = demo_code(d, ruga_embedded_shell_update(s->shell, carrier));
        if (!code) code = session_interrupted(d->s);
    }
    if (!code) code = demo_moment(d, s->smooth, &s->now);
    if (!code) ruga_map_apply(s->map, ruga_embedded_shell_positions(s->shell), s->now.positions);
    return code;
}

ruga_render_mesh skinned_look(skinned *s, moment *kept, ruga_colour colour) {
    ruga_render_mesh look = ruga_render_mesh_default(s->smooth);
    *kept = s->now;
    kept->frame.positions = kept->positions;
    look.frame = &kept->frame;
    look.front = look.back = colour;
    return look;
}

/* The part of a motion that lies between two moments, eased: 0 before, 1 after. */
static double ramp(double t, double from, double to) { return fmin(1, fmax(0, (t - from) / (to - from))); }

static double bump(double distance2, double width) { return exp(-distance2 / (2 * width * width)); }

/* ---- Figure 8: a slab that is pressed along x, then along z; and a buttoned cushion. */

static ruga_vec3 pressed_slab(ruga_vec3 p, double t) {
    return (ruga_vec3){p.x * (1 - 0.08 * ramp(t, 0, 0.5)), p.y, p.z * (1 - 0.08 * ramp(t, 0.5, 1))};
}

static int colour_heights(demo *d, const skinned *s, ruga_render_mesh *look) {
    double *values = NULL;
    int code = DEMO_NEW(d, values, s->smooth->vertex_count);
    for (size_t v = 0; v < s->smooth->vertex_count && !code; v++) values[v] = 1e3 * s->now.positions[v].y;
    look->scalar_values = values;
    look->scalar_low = -5;
    look->scalar_high = 5;
    look->diverging = 1;
    look->scalar_label = "height (mm)";
    return code;
}

static int make_miura(demo *d) {
    static const demo_parameter size[] = {{"width", 0.36}, {"length", 0.36},     {"columns", 72},
                                          {"rows", 72},    {"triangulation", 2}, {NULL, 0}};
    static const char *const names[] = {"pressed along one side by 8 %", "then along the other by 8 %"};
    ruga_embedded_shell_def skin = skinned_def(LEATHER, 0.002, 0.038, 1e-3);
    skin.foundation = 1; /* clusters for waves alone would hold zigzags back, which move crests sideways */
    ruga_mesh *slab = NULL;
    gallery *g = NULL;
    skinned *s = NULL;
    moment *views = NULL;
    int code = demo_model(d, "sheet", size, &slab);
    if (!code) code = DEMO_NEW(d, g, 1);
    if (!code) code = DEMO_NEW(d, s, 1);
    if (!code) code = DEMO_NEW(d, views, 2);
    if (!code) code = skinned_make(d, slab, &skin, s);
    for (int i = 0; i < 2 && !code; i++) {
        code = skinned_move(d, s, pressed_slab, 0.5 * (i + 1), 4);
        if (!code) gallery_add(g, names[i], skinned_look(s, &views[i], demo_skin), demo_camera(30, 50));
        if (!code) code = colour_heights(d, s, &g->looks[i]);
    }
    ruga_render_def def = demo_def(1600, 640, code ? NULL : g->panels, 2, 2);
    return code ? code : demo_still(d, &def, "shell-miura.png");
}

enum { BUTTONS = 5 };
static const double button_places[BUTTONS][2] = {
    {0, 0}, {-0.085, -0.085}, {0.085, -0.085}, {-0.085, 0.085}, {0.085, 0.085}};
#define BUTTON_DEPTH 0.036 /* m */
#define BUTTON_WIDTH 0.032
#define BUTTON_PULL 0.3    /* 1, of the distance, at the button */
#define BUTTON_FLAT 0.0165 /* m, at rest: below a button the cushion is flat, and the skin is held */

/* m, beyond the flat part of a button. */
static double from_button(ruga_vec3 p, int b) {
    const double x = p.x - button_places[b][0], z = p.z - button_places[b][1];
    return fmax(0, sqrt(x * x + z * z) - BUTTON_FLAT);
}

/* Buttons are pulled down into the upper side, and pull its surface towards them. */
static ruga_vec3 buttoned(ruga_vec3 p, double t) {
    ruga_vec3 out = p;
    if (p.y <= 0) return out;
    for (int b = 0; b < BUTTONS; b++) {
        const double x = p.x - button_places[b][0], z = p.z - button_places[b][1];
        const double away = from_button(p, b), near = t * bump(away * away, BUTTON_WIDTH) * fmin(1, p.y / 0.03);
        out.y -= BUTTON_DEPTH * near;
        out.x -= BUTTON_PULL * near * x;
        out.z -= BUTTON_PULL * near * z;
    }
    return out;
}

/* A flat ball at each button: looks[1 …]. */
static int add_buttons(demo *d, const skinned *s, ruga_render_mesh *looks) {
    static const demo_parameter size[] = {{"radius", 0.011}, {"frequency", 8}, {NULL, 0}};
    ruga_mesh *ball = NULL;
    moment *places = NULL;
    int code = demo_model(d, "sphere", size, &ball);
    if (!code) code = DEMO_NEW(d, places, BUTTONS);
    for (int b = 0; b < BUTTONS && !code; b++) {
        double low = INFINITY;
        for (size_t v = 0; v < s->smooth->vertex_count; v++) {
            const ruga_vec3 p = s->now.positions[v];
            const double x = p.x - button_places[b][0], z = p.z - button_places[b][1];
            if (s->smooth->positions[v].y > 0.01 && x * x + z * z < 0.011 * 0.011) low = fmin(low, p.y);
        }
        code = demo_moment(d, ball, &places[b]);
        for (size_t v = 0; v < ball->vertex_count && !code; v++) {
            const ruga_vec3 p = ball->positions[v];
            places[b].positions[v] =
                (ruga_vec3){p.x + button_places[b][0], low + 0.004 + 0.5 * p.y, p.z + button_places[b][1]};
        }
        looks[1 + b] = ruga_render_mesh_default(ball);
        looks[1 + b].frame = &places[b].frame;
        looks[1 + b].front = brass;
    }
    return code;
}

static int make_buttons(demo *d) {
    static const demo_parameter size[] = {{"width", 0.36}, {"length", 0.36}, {"puff", 0.055},
                                          {"columns", 80}, {"rows", 80},     {NULL, 0}};
    ruga_embedded_shell_def def = skinned_def(LEATHER, 0.002, 0.038, 1e-2);
    ruga_mesh *pillow = NULL;
    skinned *s = NULL;
    ruga_render_mesh *looks = NULL;
    double *hold = NULL;
    int code = demo_model(d, "pillow", size, &pillow);
    if (!code) code = DEMO_NEW(d, hold, pillow->vertex_count);
    for (size_t v = 0; !code && v < pillow->vertex_count; v++)
        for (int b = 0; b < BUTTONS; b++)
            if (pillow->positions[v].y > 0.01 && !(from_button(pillow->positions[v], b) > 0)) hold[v] = 1;
    if (!code) def.hold = ruga_param_array(hold, pillow->vertex_count);
    if (!code) code = DEMO_NEW(d, s, 1);
    if (!code) code = DEMO_NEW(d, looks, 1 + BUTTONS);
    if (!code) code = skinned_make(d, pillow, &def, s);
    if (!code) code = skinned_move(d, s, buttoned, 1, 3);
    if (!code) code = add_buttons(d, s, looks);
    if (code) return code;
    moment view;
    looks[0] = skinned_look(s, &view, leather);
    const ruga_panel panel = {.mesh_count = 1 + BUTTONS, .meshes = looks, .camera = demo_camera(25, 40)};
    ruga_render_def picture = demo_def(1200, 720, &panel, 1, 1);
    picture.ground = 1;
    return demo_still(d, &picture, "shell-buttons.png");
}

/* ---- The pillow: pinched across its middle. */

static ruga_vec3 pinched(ruga_vec3 p, double t) {
    const double near = t * bump(p.z * p.z, 0.07);
    return (ruga_vec3){p.x * (1 - 0.16 * near), p.y * (1 + 0.2 * near), p.z};
}

static int make_pillow(demo *d) {
    static const demo_parameter size[] = {{"width", 0.36}, {"length", 0.36}, {"puff", 0.055},
                                          {"columns", 80}, {"rows", 80},     {NULL, 0}};
    const ruga_embedded_shell_def def = skinned_def(LEATHER, 0.002, 0.038, 1e-3);
    ruga_mesh *pillow = NULL;
    gallery *g = NULL;
    skinned *s = NULL;
    moment *views = NULL;
    int code = demo_model(d, "pillow", size, &pillow);
    if (!code) code = DEMO_NEW(d, g, 1);
    if (!code) code = DEMO_NEW(d, s, 1);
    if (!code) code = DEMO_NEW(d, views, 2);
    if (!code) code = skinned_make(d, pillow, &def, s);
    for (int i = 0; i < 2 && !code; i++) {
        code = skinned_move(d, s, pinched, 0.5 * (i + 1), 2);
        if (!code)
            gallery_add(g, i ? "by 16 %" : "pinched by 8 %", skinned_look(s, &views[i], leather), demo_camera(35, 38));
    }
    ruga_render_def picture = demo_def(1600, 620, code ? NULL : g->panels, 2, 2);
    picture.ground = 1;
    return code ? code : demo_still(d, &picture, "shell-pillow.png");
}

/* ---- Figure 9: a face with three skins. */

/* Brows rise, and the corners of the mouth go up and outwards. */
static ruga_vec3 smiling(ruga_vec3 p, double t) {
    const double front = t * ramp(p.z, 0.01, 0.06), side = p.x < 0 ? -1 : 1;
    const double brow = bump((p.y - 0.277) * (p.y - 0.277), 0.02) * exp(-pow(p.x / 0.055, 4));
    const double x = fabs(p.x) - 0.03, y = p.y - 0.19, mouth = bump(x * x + y * y, 0.018);
    return (ruga_vec3){p.x + front * side * 0.004 * mouth, p.y + front * (0.012 * brow + 0.005 * mouth), p.z};
}

static int make_face(demo *d) {
    enum { SKINS = 3 };
    static const double waves[SKINS] = {0.016, 0.024, 0.036}; /* m */
    static const char *const names[] = {"the body", "waves of 16 mm", "24 mm", "36 mm"};
    static const demo_parameter size[] = {{"cells", 88}, {NULL, 0}};
    ruga_mesh *bust = NULL;
    gallery *g = NULL;
    skinned *skins = NULL;
    moment *views = NULL;
    int code = demo_model(d, "bust", size, &bust);
    if (!code) code = DEMO_NEW(d, g, 1);
    if (!code) code = DEMO_NEW(d, skins, SKINS);
    if (!code) code = DEMO_NEW(d, views, SKINS + 1);
    if (!code) code = demo_moment(d, bust, &views[SKINS]);
    const ruga_camera camera = demo_eye((ruga_vec3){0.2, 0.29, 0.66}, (ruga_vec3){0, 0.25, 0.03}, 21);
    for (size_t v = 0; !code && v < bust->vertex_count; v++) views[SKINS].positions[v] = smiling(bust->positions[v], 1);
    if (!code) {
        ruga_render_mesh look = ruga_render_mesh_default(bust);
        look.frame = &views[SKINS].frame;
        look.front = demo_skin;
        look.finish = RUGA_FINISH_SKIN;
        gallery_add(g, names[0], look, camera);
    }
    for (int i = 0; i < SKINS && !code; i++) {
        const ruga_embedded_shell_def def = skinned_def(SKIN, waves[i] / 20, waves[i], 1e-2);
        code = skinned_make(d, bust, &def, &skins[i]);
        if (!code) code = skinned_move(d, &skins[i], smiling, 1, 2);
        if (!code) gallery_add(g, names[i + 1], skinned_look(&skins[i], &views[i], demo_skin), camera);
        g->looks[i + 1].finish = RUGA_FINISH_SKIN;
    }
    ruga_render_def picture = demo_def(1800, 560, code ? NULL : g->panels, SKINS + 1, SKINS + 1);
    return code ? code : demo_still(d, &picture, "shell-face.png");
}

static const demo_item items[] = {
    {.name = "shell-regions",
     .title = "Clusters on a mesh of varying density",
     .caption = "Figure 2 of the paper: means over clusters of vertices tie a skin to its body. Each triangle has the "
                "colour of the cluster that weighs it most, for waves of 70 and 35 mm. The face has finer triangles "
                "than the rest; clusters have the same size everywhere.",
     .files = {"shell-regions.png"},
     .make = demo_make_shell_regions},
    {.is_long = 1,
     .name = "shell-spectral",
     .title = "Local and global constraints",
     .caption = "Figure 3: a bar of 80 cm is bent in its middle by 50 degrees. Colours are the distance of the skin "
                "from the body, outwards and inwards, cut off at 0.6 mm. Waves are 6 cm long. Clusters keep wrinkles "
                "where the bar is bent; smooth functions on the whole surface spread ripples to its ends.",
     .files = {"shell-spectral.png"},
     .make = demo_make_shell_spectral},
    {.is_long = 1,
     .name = "shell-elements",
     .title = "Why quadratic elements",
     .caption = "Figure 4: the middle of a bar of 50 cm is pushed down by 8 cm. Its lattice has five cells along the "
                "bar. Linear elements have kinks between cells, and wrinkles gather there; quadratic B-splines have "
                "none. Waves of 80 and 30 mm.",
     .files = {"shell-elements.png"},
     .make = demo_make_shell_elements},
    {.is_long = 1,
     .name = "shell-volume",
     .title = "A shell and a dense volume",
     .caption =
         "Figure 6: wavelengths of embedded shells and of a dense volume, a stiff layer on a soft interior, both of "
         "finite elements (6,000 to 8,000 nodes, in plane strain). Slabs of 10 to 11 waves are slowly compressed "
         "beyond buckling; the wavelength is the centroid of a windowed spectrum. The shells have a foundation. The "
         "ends of the volume force a whole number of waves. Stiffness ratios 100 and 400.",
     .files = {"shell-volume.png", "shell-volume-plot.png", "shell-volume-plot.svg"},
     .make = demo_make_shell_volume},
    {.is_long = 1,
     .name = "shell-sweep",
     .title = "Wavelength by thickness and stiffness",
     .caption =
         "Figure 7: a sweep over 16 pairs of thickness and stiffness, with waves of 9 to 64 mm. Each slab is 14 to "
         "17 waves long and is compressed by 1.6 times its critical strain. The measured wavelength, "
         "slab.shell.wavelength, beside that of equation 3.",
     .commands = "ruga new slab -o shell-slab.json\n"
                 "ruga sweep shell-slab.json --table shell-sweep.csv -o shell-sweep.sweep",
     .files = {"shell-sweep.png", "shell-sweep.svg"},
     .make = demo_make_shell_sweep},
    {.view = 1,
     .name = "shell-buttons",
     .title = "A buttoned cushion",
     .caption =
         "Figure 8 of the paper, right: five buttons are pulled 3.6 cm into a leather cushion of 36 cm, and folds "
         "run towards them. Leather of 2 mm and 40 MPa on foam of 0.48 MPa, waves of 3.8 cm, 25,600 triangles.",
     .files = {"shell-buttons.png"},
     .make = make_buttons},
    {.view = 1,
     .is_long = 1,
     .name = "shell-miura",
     .title = "A herringbone by two compressions",
     .caption =
         "Figure 8, left: a flat slab of 36 cm is compressed along one side, which gives parallel waves, then along "
         "the other, which bends them into zigzags. A skin of 2 mm and 40 MPa on an interior of 0.48 MPa, with a "
         "foundation; waves of 3.8 cm, about 10,000 triangles.",
     .files = {"shell-miura.png"},
     .make = make_miura},
    {.is_long = 1,
     .name = "shell-pillow",
     .title = "A leather pillow",
     .caption =
         "A pillow of 36 cm is pinched across its middle. Leather of 2 mm and 40 MPa on foam of 0.48 MPa, waves of "
         "3.8 cm, 25,600 triangles.",
     .files = {"shell-pillow.png"},
     .make = make_pillow},
    {.view = 1,
     .is_long = 1,
     .name = "shell-face",
     .title = "One face, three skins",
     .caption =
         "Figure 9: brows rise and the mouth smiles, by a formula. Skins of 0.8, 1.2 and 1.8 mm and 0.42 MPa, on "
         "flesh of 4.3 kPa, have waves of 16, 24 and 36 mm. About 31,000 triangles.",
     .files = {"shell-face.png"},
     .make = make_face},
};

const demo_section demo_shell = {"shell",
                                 "Embedded shells",
                                 "Skins that wrinkle at the wavelength of their material: give a thickness and two "
                                 "stiffnesses (Rémillard and Kry 2013).",
                                 items,
                                 sizeof items / sizeof items[0],
                                 0};
