/* Demo: wrinkle meshes (Müller and Chentanez 2010). Bases come from runs, made by the command lines that the page shows, or
 * from models that move; the fine meshes are put on them through the public header, as an engine would. Patterns on sheets and
 * tubes are in demo_wrinkle_patterns.c. */
#include "demo_wrinkle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runs.h"

/* ---- What all items use. */

static int make_room(demo *d, wrinkled *out) {
    out->positions = malloc((out->fine->vertex_count + 1) * sizeof *out->positions);
    if (!out->positions) return session_no_memory(d->s);
    for (size_t i = 0; i < out->fine->vertex_count; i++) out->positions[i] = out->fine->positions[i];
    out->frame = (ruga_frame){.vertex_count = out->fine->vertex_count, .positions = out->positions};
    return 0;
}

int wrinkled_make(demo *d, const ruga_mesh *base, int n, const ruga_wrinkle_mesh_def *def, wrinkled *out) {
    ruga_subdivide_def cut = ruga_subdivide_def_default();
    cut.n = n;
    int code = demo_failed(d, ruga_wrinkle_mesh_create_subdivided(base, &cut, def, &out->fine, &out->wrinkles));
    return code ? code : make_room(d, out);
}

int wrinkled_make_on(demo *d, const ruga_mesh *base, ruga_mesh *fine, const ruga_wrinkle_mesh_def *def, wrinkled *out) {
    out->fine = fine;
    int code = demo_failed(d, ruga_wrinkle_mesh_create(base, fine, def, &out->wrinkles));
    return code ? code : make_room(d, out);
}

void wrinkled_release(wrinkled *w) {
    ruga_wrinkle_mesh_destroy(w->wrinkles);
    ruga_mesh_destroy(w->fine);
    free(w->positions);
}

static int read_frame(demo *d, wrinkled *w) {
    ruga_view fine = {w->positions, w->fine->vertex_count, 0, RUGA_F64};
    return demo_failed(d, ruga_wrinkle_mesh_read(w->wrinkles, &fine, NULL));
}

static ruga_view base_view(const wrinkled *w, const ruga_vec3 *base) {
    size_t count = ruga_wrinkle_mesh_get_report(w->wrinkles).base_vertices;
    return (ruga_view){(void *)(uintptr_t)base, count, 0, RUGA_F64};
}

int wrinkled_move(demo *d, wrinkled *w, const ruga_vec3 *base) {
    ruga_view view = base_view(w, base);
    int code = demo_failed(d, ruga_wrinkle_mesh_update(w->wrinkles, &view, NULL));
    return code ? code : read_frame(d, w);
}

int wrinkled_settle(demo *d, wrinkled *w, const ruga_vec3 *base) {
    ruga_view view = base_view(w, base);
    int most = d->draft ? 20 : 2000;
    int code = demo_failed(d, ruga_wrinkle_mesh_settle(w->wrinkles, &view, NULL, 0, most, NULL));
    return code ? code : read_frame(d, w);
}

ruga_render_mesh demo_cloth_look(const wrinkled *w) {
    ruga_render_mesh look = ruga_render_mesh_default(w->fine);
    look.frame = &w->frame;
    return look;
}

/* ---- Runs whose cloth wears a wrinkle mesh. */

typedef struct dressed {
    demo *d;
    picture scene;
    subject *cloth; /* the last object of the run */
    wrinkled worn;
    double rate; /* frames a second */
    size_t frames;
} dressed;

static int dressed_open(demo *d, const char *run, dressed *out) {
    out->d = d;
    int code = run_add_objects(d->s, demo_path(d, run), &out->scene);
    if (code) return code;
    out->cloth = &out->scene.subjects[out->scene.subject_count - 1];
    ruga_motion_info info = ruga_motion_get_info(out->cloth->motion);
    out->rate = info.rate;
    out->frames = info.sample_count;
    return 0;
}

static void undress(dressed *who) {
    wrinkled_release(&who->worn);
    picture_release(&who->scene);
}

static int dressed_step(dressed *who, size_t frame) {
    int code = picture_move(who->d->s, &who->scene, (double)frame / who->rate);
    return code ? code : wrinkled_move(who->d, &who->worn, who->cloth->present.positions);
}

/* Through all frames up to one, as a game would go. */
static int dressed_play(dressed *who, size_t frame) {
    int code = 0;
    for (size_t i = 0; i <= frame && i < who->frames && !code; i++) code = dressed_step(who, i);
    return code;
}

static ruga_render_mesh base_look(const subject *who, int wire) {
    ruga_render_mesh look = wire ? demo_wire(who->mesh) : ruga_render_mesh_default(who->mesh);
    look.frame = &who->present.frame;
    look.wire_width = 1;
    return look;
}

/* ---- The curtain: figures 1 and 7. */

#define CURTAIN                                                                                  \
    "ruga cloth curtain --columns 32 --rows 32 --width 1.6 --height 1.6 --rings 33 --drawn 0.42" \
    " --bend 3e-5 --axial-bending true --wind 0,0,0.6 --gust 0.8 --frames 60"
#define CURTAIN_WEAK "--compression-soft 1e-5 --compression-hard 1 --compression-limit 0.5 -o curtain_weak.run"
static const char curtain_lines[] = CURTAIN " -o curtain_firm.run\n" CURTAIN " " CURTAIN_WEAK;

/* And what puts the fine mesh on it, which is done here as an engine would. */
static const char curtain_shown[] = CURTAIN
    " " CURTAIN_WEAK "\nruga wrinkle curtain_weak.run --subdivide 4 --wavelength 0.072 --pre-stretch 1 -o curtain.glb";

static ruga_wrinkle_mesh_def curtain_def(void) {
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.wavelength = 0.072;
    def.pre_stretch = ruga_param_constant(1);
    return def;
}

typedef struct curtain_film {
    dressed *who;
    ruga_render_mesh look;
    ruga_panel panel;
} curtain_film;

static int set_curtain_frame(void *user, size_t frame, ruga_render_def *def) {
    curtain_film *film = user;
    def->panels = &film->panel;
    return dressed_step(film->who, frame);
}

/* Small and rough, so that it is there soon. */
static ruga_render_def film_def(const ruga_panel *panels, int width, int height) {
    ruga_render_def def = demo_film_def(panels);
    def.width = width;
    def.height = height;
    def.samples = 2;
    def.occlusion_samples = 4;
    return def;
}

static int film_curtain(demo *d, dressed *who, ruga_camera camera) {
    curtain_film film = {.who = who, .look = demo_cloth_look(&who->worn)};
    demo_colour_cloth(&film.look);
    film.panel = (ruga_panel){.mesh_count = 1, .meshes = &film.look, .camera = camera};
    ruga_render_def def = film_def(&film.panel, 560, 400);
    int code = demo_failed(d, ruga_wrinkle_mesh_reset(who->worn.wrinkles));
    return code ? code : demo_film(d, "wrinkle_curtain.mp4", 48, 24, &def, set_curtain_frame, &film);
}

static int make_curtain(demo *d) {
    static const char *const runs[2] = {"curtain_firm.run", "curtain_weak.run"};
    static const char *const captions[4] = {"a base that resists compression", "with a wrinkle mesh",
                                            "a base that gives way to compression", "with a wrinkle mesh"};
    int code = demo_commands(d, curtain_lines);
    dressed *both = calloc(2, sizeof *both);
    if (!both) return session_no_memory(d->s);
    ruga_wrinkle_mesh_def def = curtain_def();
    ruga_render_mesh looks[4];
    ruga_panel panels[4];
    ruga_camera camera = demo_eye((ruga_vec3){0.95, 1.05, 3.15}, (ruga_vec3){0.52, 1.14, 0}, 36);
    for (int i = 0; i < 2 && !code; i++) {
        code = dressed_open(d, runs[i], &both[i]);
        if (!code) code = wrinkled_make(d, both[i].cloth->mesh, 4, &def, &both[i].worn);
        if (!code) code = dressed_play(&both[i], 59);
        if (code) break;
        looks[2 * i] = base_look(both[i].cloth, 1);
        looks[2 * i + 1] = demo_cloth_look(&both[i].worn);
    }
    for (int i = 0; i < 4 && !code; i++) {
        demo_colour_cloth(&looks[i]);
        panels[i] = (ruga_panel){.caption = captions[i], .mesh_count = 1, .meshes = &looks[i], .camera = camera};
    }
    ruga_render_def still = demo_def(1800, 560, panels, 4, 4);
    still.occlusion_samples = 8;
    if (!code) code = demo_still(d, &still, "wrinkle_curtain.png");
    if (!code) code = film_curtain(d, &both[1], camera);
    for (int i = 0; i < 2; i++) undress(&both[i]);
    free(both);
    return code;
}

/* ---- The skirt on the mannequin: figure 10. */

static const char skirt_lines[] =
    "ruga new skirt -o dressed.json\n"
    "ruga run dressed.json --frames 24 --set time.preroll=8 --set objects[skirt].mesh.columns=104 --set "
    "objects[skirt].mesh.rows=34"
    " --set objects[skirt].body.compression_soft=1e-5 --set objects[skirt].body.compression_limit=0.5"
    " --set objects[skirt].body.axial_bending=true"
    " --set 'objects[mannequin].body.action={\"kind\":\"walk\",\"arms\":60}'";

typedef struct skirt_film {
    dressed who;
    ruga_render_mesh looks[4]; /* mannequin and base, mannequin and wrinkles */
    ruga_panel panels[2];
} skirt_film;

static int set_skirt_frame(void *user, size_t frame, ruga_render_def *def) {
    skirt_film *film = user;
    def->panels = &film->panels[1];
    int code = dressed_step(&film->who, frame);
    double along =
        film->who.scene.subjects[0].present.positions[0].z - film->who.scene.subjects[0].mesh->positions[0].z;
    for (int i = 0; i < 2; i++)
        film->panels[i].camera = demo_eye((ruga_vec3){1.9, 1.0, 1.1 + along}, (ruga_vec3){0, 0.78, along}, 24);
    return code;
}

static void arrange_skirt(skirt_film *film) {
    static const char *const captions[] = {"7,072 triangles move", "28,288 are shown"};
    for (int i = 0; i < 2; i++) {
        film->looks[2 * i] = base_look(&film->who.scene.subjects[0], 0);
        film->looks[2 * i].front = film->looks[2 * i].back = (ruga_colour){0.72f, 0.71f, 0.69f};
        film->looks[2 * i + 1] = i ? demo_cloth_look(&film->who.worn) : base_look(film->who.cloth, 0);
        demo_colour_cloth(&film->looks[2 * i + 1]);
        film->panels[i] = (ruga_panel){.caption = captions[i], .mesh_count = 2, .meshes = &film->looks[2 * i]};
    }
}

/* Gathered at the waist: more cloth than there is room for. */
static double gather(ruga_vec3 place) {
    double t = fmin(fmax((place.y - 0.55) / 0.5, 0), 1);
    return 1 + 0.14 * t * t;
}

static int dress_mannequin(demo *d, dressed *who) {
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    double *paint = NULL;
    size_t count = 0;
    int code = dressed_open(d, "dressed.run", who);
    if (!code) code = demo_paint_fine(d, who->cloth->mesh, 2, gather, &paint, &count);
    def.wavelength = 0.051;
    def.pre_stretch = ruga_param_array(paint, count);
    def.direction = ruga_param_constant(90);
    def.direction_weight = ruga_param_constant(1);
    def.iterations = 5;
    def.side = RUGA_WRINKLE_OUTSIDE;
    if (!code) code = wrinkled_make(d, who->cloth->mesh, 2, &def, &who->worn);
    free(paint);
    return code;
}

static int make_skirt(demo *d) {
    int code = demo_commands(d, skirt_lines);
    skirt_film *film = calloc(1, sizeof *film);
    if (!film) return session_no_memory(d->s);
    if (!code) code = dress_mannequin(d, &film->who);
    if (!code) arrange_skirt(film);
    ruga_render_def moving = film_def(film->panels, 480, 420);
    const char *caption = film->panels[1].caption;
    film->panels[1].caption = NULL;
    if (!code) code = demo_film(d, "wrinkle_skirt.mp4", film->who.frames, 24, &moving, set_skirt_frame, film);
    film->panels[1].caption = caption;
    ruga_render_def still = demo_def(1600, 780, film->panels, 2, 2);
    still.occlusion_samples = 8;
    if (!code) code = demo_still(d, &still, "wrinkle_skirt.png");
    undress(&film->who);
    free(film);
    return code;
}

/* ---- The arm: painted radii, and figure 8. */

/* What makes the like; here the fine meshes are updated as an engine would. */
static const char arm_lines[] =
    "ruga make arm --blend 0.32 --action bend --bend-angle 90 -o arm.glb\n"
    "ruga wrinkle arm.glb --subdivide 5 --wavelength 0.02 --radius elbow -o wrinkled.glb\n"
    "ruga render wrinkled.glb -o wrinkled.mp4";

enum { ARM_PANELS = 4, ARM_FRAMES = 48 };

typedef struct arm_scene {
    demo *d;
    ruga_mesh *arm;
    ruga_motion *bend;
    moment present;
    wrinkled worn[2]; /* along normals only, and in all directions */
    ruga_render_mesh looks[ARM_PANELS];
    ruga_panel panels[ARM_PANELS];
} arm_scene;

static ruga_wrinkle_mesh_def arm_def(int normal_only) {
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.wavelength = 0.02;
    def.radius = ruga_param_attribute("elbow");
    def.normal_only = normal_only;
    return def;
}

static int arm_open(demo *d, arm_scene *scene) {
    scene->d = d;
    static const double soft[] = {0.66, 43, 24, 0.32}, way[] = {90, 2, 1, 1}; /* as ruga make arm --blend 0.32 has it */
    int code = demo_failed(d, ruga_model_make(d->s->context, "arm", soft, &scene->arm));
    if (!code) code = demo_failed(d, ruga_model_motion(d->s->context, "arm", soft, "bend", way, &scene->bend));
    if (!code) code = moment_create(d->s, scene->arm, &scene->present);
    for (int i = 0; i < 2 && !code; i++) {
        ruga_wrinkle_mesh_def def = arm_def(!i);
        code = wrinkled_make(d, scene->arm, 5, &def, &scene->worn[i]);
    }
    return code;
}

static void arm_close(arm_scene *scene) {
    for (int i = 0; i < 2; i++) wrinkled_release(&scene->worn[i]);
    moment_release(&scene->present);
    ruga_motion_destroy(scene->bend);
    ruga_mesh_destroy(scene->arm);
}

static int arm_step(arm_scene *scene, size_t frame) {
    int code = moment_sample(scene->d->s, scene->bend, (double)frame / 24, &scene->present);
    for (int i = 0; i < 2 && !code; i++)
        code = wrinkled_move(scene->d, &scene->worn[i], scene->present.frame.positions);
    return code;
}

static void arrange_arm(arm_scene *scene) {
    static const char *const captions[ARM_PANELS] = {"painted radius", "the base", "along normals only",
                                                     "in all directions"};
    ruga_camera camera = demo_eye((ruga_vec3){-0.26, 0.4, 0.4}, (ruga_vec3){-0.005, 0.05, 0}, 23);
    scene->looks[0] = ruga_render_mesh_default(scene->arm);
    scene->looks[0].scalar = "elbow";
    scene->looks[1] = ruga_render_mesh_default(scene->arm);
    scene->looks[2] = demo_cloth_look(&scene->worn[0]);
    scene->looks[3] = demo_cloth_look(&scene->worn[1]);
    for (int i = 0; i < ARM_PANELS; i++) {
        if (i < 2) scene->looks[i].frame = &scene->present.frame;
        scene->looks[i].front = (ruga_colour){0.85f, 0.66f, 0.55f};
        scene->panels[i] =
            (ruga_panel){.caption = captions[i], .mesh_count = 1, .meshes = &scene->looks[i], .camera = camera};
    }
}

static int set_arm_frame(void *user, size_t frame, ruga_render_def *def) {
    arm_scene *scene = user;
    def->panels = &scene->panels[3];
    return arm_step(scene, frame);
}

static int make_arm(demo *d) {
    arm_scene *scene = calloc(1, sizeof *scene);
    if (!scene) return session_no_memory(d->s);
    int code = arm_open(d, scene);
    for (size_t i = 0; i <= 24 && !code; i++) code = arm_step(scene, i);
    arrange_arm(scene);
    ruga_render_def still = demo_def(1800, 540, scene->panels, ARM_PANELS, ARM_PANELS);
    if (!code) code = demo_still(d, &still, "wrinkle_arm.png");
    scene->panels[3].caption = NULL;
    scene->panels[3].camera = demo_eye((ruga_vec3){-0.2, 0.6, 0.85}, (ruga_vec3){-0.01, 0.13, 0}, 32);
    ruga_render_def film = film_def(&scene->panels[3], 640, 400);
    if (!code) code = demo_film(d, "wrinkle_arm.mp4", ARM_FRAMES, 24, &film, set_arm_frame, scene);
    arm_close(scene);
    free(scene);
    return code;
}

static const demo_item items[] = {
    {.name = "wrinkle_curtain",
     .title = "A curtain with a wrinkle mesh",
     .caption = "2,048 triangles are simulated, 32,768 are shown. A base that resists compression folds by itself, and "
                "coarsely; one that gives way lets the wrinkle mesh do it.",
     .commands = curtain_shown,
     .files = {"wrinkle_curtain.mp4", "wrinkle_curtain.png"},
     .wide = 1,
     .make = make_curtain},
    {.name = "wrinkle_arm",
     .title = "An arm that bends",
     .commands = arm_lines,
     .caption = "Skin of two bones; how far it may leave the base is painted around the elbow. Where it moves along "
                "normals only, wrinkles are blunt and follow the triangles; in all directions they are sharper.",
     .files = {"wrinkle_arm.mp4", "wrinkle_arm.png"},
     .wide = 1,
     .make = make_arm},
    {.name = "wrinkle_skirt",
     .title = "A skirt on a mannequin that walks",
     .caption =
         "The base has 7,072 triangles, the wrinkle mesh 28,288 and five iterations a frame. Pre-stretch is painted: "
         "towards the waist there is more cloth than room. It stays outside of the base, and so out of the "
         "body.",
     .commands = skirt_lines,
     .files = {"wrinkle_skirt.mp4", "wrinkle_skirt.png"},
     .wide = 1,
     .make = make_skirt},
    {.name = "wrinkle_surfaces",
     .title = "What the wrinkle mesh hangs on",
     .caption =
         "On the base's triangles as they are, each of them shows. Bézier patches from positions and normals hide "
         "them; so does the limit surface of Loop's subdivision.",
     .files = {"wrinkle_surfaces.png"},
     .wide = 1,
     .make = demo_make_wrinkle_surfaces},
    {.name = "wrinkle_paint",
     .title = "Painted pre-stretch, and a base that intersects itself",
     .caption = "A pre-stretch below 1 clears a region of wrinkles. An elbow that is bent so far that its base goes "
                "through itself.",
     .files = {"wrinkle_paint.png"},
     .wide = 1,
     .make = demo_make_wrinkle_paint},
    {.name = "wrinkle_direction",
     .title = "Wrinkles along a painted field",
     .caption =
         "A sheet that is compressed in all directions alike: wrinkles go as they like, along one direction, and "
         "around the middle.",
     .files = {"wrinkle_direction.png"},
     .wide = 1,
     .make = demo_make_wrinkle_direction},
    {.name = "wrinkle_wavelength",
     .title = "A wavelength that stays",
     .caption = "The same sheet, compressed by a tenth, with finer and finer meshes. By radii of half an edge wrinkles "
                "become finer with the mesh; with a wavelength in metres they stay as they are.",
     .files = {"wrinkle_wavelength.png", "wrinkle_wavelength_plot.png", "wrinkle_wavelength_plot.svg"},
     .wide = 1,
     .make = demo_make_wrinkle_wavelength},
};

const demo_section demo_wrinkle = {"wrinkle", "Wrinkle meshes",
                                   "Fine wrinkles on anything that moves, in about a millisecond: a fine mesh hangs on "
                                   "a coarse one and keeps its length (Müller and Chentanez 2010).",
                                   items, sizeof items / sizeof items[0]};
