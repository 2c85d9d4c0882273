/* Demo: wrinkle meshes (Müller and Chentanez 2010). Bases come from runs, made by the command lines on the page, or
 * from models that move; the fine meshes are updated through the public header, as in an engine. Patterns on sheets
 * and tubes are in wrinkle_patterns.c. */
#include "section_wrinkle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/runs.h"

/* ---- Helpers of all items. */

/* Leaves the parts to the demo; the first frame is the rest shape. */
static int keep_parts(demo *d, wrinkled *w) {
    int code = demo_keep(d, DEMO_WRINKLE_MESH, w->wrinkles);
    if (!code) code = demo_moment(d, w->fine, &w->current);
    if (!code) code = DEMO_NEW(d, w->normals, w->fine->vertex_count);
    if (!code) memcpy(w->current.positions, w->fine->positions, w->fine->vertex_count * sizeof *w->current.positions);
    return code;
}

int wrinkled_make(demo *d, const ruga_mesh *base, int n, const ruga_wrinkle_mesh_def *def, wrinkled *out) {
    ruga_subdivide_def cut = ruga_subdivide_def_default();
    cut.n = n;
    int code = demo_code(d, ruga_wrinkle_mesh_create_subdivided(base, &cut, def, &out->fine, &out->wrinkles));
    if (!code) code = demo_keep(d, DEMO_MESH, out->fine);
    return code ? code : keep_parts(d, out);
}

int wrinkled_make_on(demo *d, const ruga_mesh *base, ruga_mesh *fine, const ruga_wrinkle_mesh_def *def, wrinkled *out) {
    out->fine = fine;
    int code = demo_code(d, ruga_wrinkle_mesh_create(base, fine, def, &out->wrinkles));
    return code ? code : keep_parts(d, out);
}

/* Updates one frame; settle: restarts and iterates until nothing moves. */
static int update(demo *d, wrinkled *w, const ruga_vec3 *base, int settle) {
    size_t count = ruga_wrinkle_mesh_get_report(w->wrinkles).base_vertices;
    const ruga_view view = {(void *)(uintptr_t)base, count, 0, RUGA_F64};
    ruga_view fine = {w->current.positions, w->fine->vertex_count, 0, RUGA_F64};
    ruga_view normals = {w->normals, w->fine->vertex_count, 0, RUGA_F64};
    int most = d->draft ? 20 : 2000;
    int code = demo_code(d, settle ? ruga_wrinkle_mesh_settle(w->wrinkles, &view, NULL, 0, most, NULL)
                                   : ruga_wrinkle_mesh_update(w->wrinkles, &view, NULL));
    w->current.frame.normals = w->normals;
    return code ? code : demo_code(d, ruga_wrinkle_mesh_read(w->wrinkles, &fine, &normals));
}

int wrinkled_settle(demo *d, wrinkled *w, const ruga_vec3 *base) { return update(d, w, base, 1); }

ruga_render_mesh wrinkled_look(const wrinkled *w) {
    ruga_render_mesh look = ruga_render_mesh_default(w->fine);
    look.frame = &w->current.frame;
    return look;
}

/* ---- Runs whose cloth wears a wrinkle mesh. */

enum { MOST_TIMES = 256 };

typedef struct dressed {
    demo *d;
    picture scene;
    subject *cloth; /* the last object of the run */
    wrinkled worn;
    double seconds[MOST_TIMES]; /* of the updates */
    size_t timed;
    double rate; /* frames a second */
    size_t frames;
} dressed;

static int dressed_open(demo *d, const char *run, dressed *out) {
    out->d = d;
    int code = demo_keep(d, DEMO_PICTURE, &out->scene);
    if (!code) code = run_add_objects(d->s, demo_path(d, run), &out->scene);
    if (code) return code;
    out->cloth = &out->scene.subjects[out->scene.subject_count - 1];
    ruga_motion_info info = ruga_motion_get_info(out->cloth->motion);
    out->rate = info.rate;
    out->frames = info.sample_count;
    return 0;
}

static int dressed_update(dressed *who) {
    double begun = seconds_now();
    int code = update(who->d, &who->worn, who->cloth->current.positions, 0);
    if (who->timed < MOST_TIMES) who->seconds[who->timed++] = seconds_now() - begun;
    return code;
}

static int dressed_step(dressed *who, size_t frame) {
    int code = picture_move(who->d->s, &who->scene, (double)frame / who->rate);
    return code ? code : dressed_update(who);
}

static int compare_seconds(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_update(dressed *who) {
    qsort(who->seconds, who->timed, sizeof *who->seconds, compare_seconds);
    return who->timed ? who->seconds[who->timed / 2] : 0;
}

static ruga_render_mesh base_look(const subject *who, int wire) {
    ruga_render_mesh look = wire ? demo_wire(who->mesh) : ruga_render_mesh_default(who->mesh);
    look.frame = &who->current.frame;
    look.wire_width = 1;
    return look;
}

/* ---- The curtain: figures 1 and 7. */

#define CURTAIN                                                                                  \
    "ruga cloth curtain --columns 32 --rows 32 --width 1.6 --height 1.6 --rings 33 --drawn 0.42" \
    " --bend 3e-5 --axial-bending true --wind 0,0,0.6 --gust 0.8 --frames 96"
#define CURTAIN_WEAK "--compression-soft 1e-5 --compression-hard 1 --compression-limit 0.5 -o curtain_weak.run"
static const char curtain_lines[] = CURTAIN " -o curtain_firm.run\n" CURTAIN " " CURTAIN_WEAK;

/* The page also shows the command for the fine mesh. */
static const char curtain_shown[] = CURTAIN
    " " CURTAIN_WEAK
    "\nruga wrinkle curtain_weak.run --subdivide 4 --wavelength 0.072 --pre-stretch 1 --surface loop -o curtain.glb";

static int set_curtain_frame(void *user, size_t frame, ruga_render_def *def) {
    (void)def;
    return dressed_step(user, frame);
}

static int make_curtain(demo *d) {
    static const char *const runs[2] = {"curtain_firm.run", "curtain_weak.run"};
    static const char *const captions[2] = {"a base that resists compression", "a base that yields to compression"};
    ruga_camera camera = demo_eye((ruga_vec3){0.95, 1.05, 3.15}, (ruga_vec3){0.52, 1.14, 0}, 36);
    dressed *both = NULL;
    gallery g = {0};
    int code = demo_commands(d, curtain_lines);
    if (!code) code = DEMO_NEW(d, both, 2);
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.wavelength = 0.072;
    def.pre_stretch = ruga_param_constant(1);
    def.surface = RUGA_WRINKLE_LOOP;
    for (int i = 0; i < 2 && !code; i++) {
        code = dressed_open(d, runs[i], &both[i]);
        if (!code) code = wrinkled_make(d, both[i].cloth->mesh, 4, &def, &both[i].worn);
        for (size_t k = 0; k < 60 && k < both[i].frames && !code; k++) code = dressed_step(&both[i], k);
        if (code) return code;
        gallery_add(&g, captions[i], base_look(both[i].cloth, 1), camera);
        gallery_add(&g, "with a wrinkle mesh", wrinkled_look(&both[i].worn), camera);
    }
    for (size_t i = 0; i < g.count; i++) demo_colour_cloth(&g.looks[i]);
    ruga_render_def still = demo_def(1800, 560, g.panels, g.count, 4);
    still.occlusion_samples = 8;
    if (!code) code = demo_still(d, &still, "wrinkle_curtain.png");
    if (!code) code = demo_code(d, ruga_wrinkle_mesh_reset(both[1].worn.wrinkles));
    g.panels[3].caption = NULL;
    const demo_film_def film = {.file = "wrinkle_curtain.mp4",
                                .frames = both[1].frames,
                                .panels = &g.panels[3],
                                .panel_count = 1,
                                .set_up = set_curtain_frame,
                                .user = &both[1]};
    return code ? code : demo_film(d, &film);
}

/* ---- The skirt on the mannequin: figure 10, and the film at the top of the page. */

static const char skirt_lines[] =
    "ruga new skirt -o dressed.json\n"
    "ruga run dressed.json --frames 72 --set time.preroll=12 --set objects[skirt].mesh.columns=104 --set "
    "objects[skirt].mesh.rows=34"
    " --set objects[skirt].body.compression_soft=1e-5 --set objects[skirt].body.compression_limit=0.5"
    " --set objects[skirt].body.axial_bending=true"
    " --set 'objects[mannequin].body.action={\"kind\":\"walk\",\"arms\":30,\"period\":1,\"cycles\":6,\"steady\":1}'";

/* The film is one cycle of the walk, which is two steps, and begins again. The cloth itself never repeats exactly: from
 * one cycle to the next it moves by 2 to 3 cm (root mean square), in folds that wander. So in the course of the film it
 * goes over from the third cycle of the run to the second, and ends where it began. Both are outside of the legs, and
 * so near to each other that what lies between is, too: each frame is checked exactly. */
enum { SKIRT_COLUMNS = 104, SKIRT_FIRST = 24, SKIRT_CYCLE = 24, SKIRT_STILL = 6 };

typedef struct skirt_film {
    dressed who;
    ruga_mesh *halves[2]; /* of base and wrinkle mesh, left and right as the camera sees them */
    ruga_vec3 *earlier;   /* the base a cycle before, and where the wrinkle mesh was */
    ruga_vec3 *kept;
    double intersections; /* of base and mannequin, in all frames of a cycle */
    double seam, step;    /* m, root mean square: from a frame to the same of the next cycle, and to the next frame */
    uint32_t *cut;        /* (cut_count) vertices of the base where the halves meet */
    size_t cut_count;
    ruga_vec3 *cut_points;
    ruga_render_curve cut_line;
    ruga_render_mesh looks[7]; /* mannequin and base, mannequin and wrinkles, mannequin and both halves */
    ruga_panel panels[3];
} skirt_film;

static const ruga_vec3 skirt_eye = {2.56, 1.08, 3.65}, skirt_target = {0, 0.88, 0};

/* Base and mannequin at a frame of the cycle. */
static int move_skirt(skirt_film *film, size_t frame) {
    dressed *who = &film->who;
    const subject *body = &who->scene.subjects[0];
    const size_t first = SKIRT_FIRST + frame % SKIRT_CYCLE, count = who->cloth->mesh->vertex_count;
    ruga_vec3 *cloth = who->cloth->current.positions;
    TRY_CODE(picture_move(who->d->s, &who->scene, (double)first / who->rate));
    memcpy(film->earlier, cloth, count * sizeof *cloth);
    const double begun = body->current.positions[0].z;
    TRY_CODE(picture_move(who->d->s, &who->scene, (double)(first + SKIRT_CYCLE) / who->rate));
    const double along = body->current.positions[0].z - begun;
    const double t = (double)(frame % SKIRT_CYCLE) / SKIRT_CYCLE, part = t * t * (3 - 2 * t);
    for (size_t v = 0; v < count; v++) {
        cloth[v].x += part * (film->earlier[v].x - cloth[v].x);
        cloth[v].y += part * (film->earlier[v].y - cloth[v].y);
        cloth[v].z += part * (film->earlier[v].z + along - cloth[v].z);
    }
    return 0;
}

static int set_skirt_frame(void *user, size_t frame, ruga_render_def *def) {
    skirt_film *film = user;
    (void)def;
    TRY_CODE(move_skirt(film, frame));
    int code = dressed_update(&film->who);
    const subject *mannequin = &film->who.scene.subjects[0];
    const double along = mannequin->current.positions[0].z - mannequin->mesh->positions[0].z;
    ruga_vec3 eye = skirt_eye, target = skirt_target;
    eye.z += along, target.z += along;
    for (size_t i = 0; i < film->cut_count; i++) film->cut_points[i] = film->who.cloth->current.positions[film->cut[i]];
    film->panels[2].camera = demo_eye(eye, target, 24);
    // From nearby: the skirt.
    eye = (ruga_vec3){0.46 * eye.x, 0.8, along + 0.46 * skirt_eye.z}, target.y = 0.76;
    for (int i = 0; i < 2; i++) film->panels[i].camera = demo_eye(eye, target, 24);
    return code;
}

/* How far the wrinkle mesh is from where its positions were kept, relative to the mannequin; m, root mean square. keep:
 * keeps them now. */
static double moved(skirt_film *film, int keep) {
    const subject *body = &film->who.scene.subjects[0];
    const double along = body->current.positions[0].z - body->mesh->positions[0].z;
    const size_t count = film->who.worn.fine->vertex_count;
    double sum = 0;
    for (size_t v = 0; v < count; v++) {
        ruga_vec3 p = film->who.worn.current.positions[v];
        const ruga_vec3 kept = film->kept[v];
        p.z -= along;
        sum += (p.x - kept.x) * (p.x - kept.x) + (p.y - kept.y) * (p.y - kept.y) + (p.z - kept.z) * (p.z - kept.z);
        if (keep) film->kept[v] = p;
    }
    return sqrt(sum / (double)count);
}

/* Until the wrinkle mesh repeats: two cycles, of which the second is checked, and one frame more. */
static int warm_up(demo *d, skirt_film *film) {
    const ruga_intersection_mesh meshes[] = {{film->who.scene.subjects[0].mesh, "mannequin"},
                                             {film->who.cloth->mesh, "skirt"}};
    ruga_intersection_finder_def def = ruga_intersection_finder_def_default();
    ruga_intersection_finder *finder = NULL;
    ruga_intersections found = {0};
    def.mesh_count = 2, def.meshes = meshes;
    int code = demo_code(d, ruga_intersection_finder_create(d->s->context, &def, &finder));
    for (size_t i = 0; i <= 2 * SKIRT_CYCLE && !code; i++) {
        code = set_skirt_frame(film, i, NULL);
        if (i == SKIRT_CYCLE) moved(film, 1);
        if (i == SKIRT_CYCLE + 1) film->step = moved(film, 0);
        if (i <= SKIRT_CYCLE || code) continue;
        const ruga_vec3 *places[] = {film->who.scene.subjects[0].current.positions, film->who.cloth->current.positions};
        code = demo_code(d, ruga_intersection_finder_find(finder, places, &found));
        film->intersections += (double)found.count;
    }
    ruga_intersection_finder_destroy(finder);
    film->seam = moved(film, 0);
    return code;
}

/* The column of the base's vertices that faces the eye at the hem: vertices are stored row by row, from the hem up. */
static uint32_t find_seam(const ruga_mesh *base) {
    uint32_t best = 0;
    double nearest = -INFINITY;
    for (uint32_t v = 0; v < SKIRT_COLUMNS; v++) {
        const ruga_vec3 p = base->positions[v];
        const double facing = (p.x * skirt_eye.x + p.z * skirt_eye.z) / hypot(p.x, p.z);
        if (facing > nearest) nearest = facing, best = v;
    }
    return best;
}

/* The triangles on one side of a column and the opposite one; each triangle of the base has `parts` of the mesh, one
 * after the other. */
static int take_half(demo *d, const ruga_mesh *base, const ruga_mesh *whole, uint32_t seam, int right,
                     ruga_mesh **out) {
    const size_t parts = whole->triangle_count / base->triangle_count;
    uint8_t *sides;
    TRY_CODE(DEMO_NEW(d, sides, whole->triangle_count));
    for (size_t t = 0; t < whole->triangle_count; t++) {
        uint32_t furthest = 0;  // corner from the seam; a cell from the column c to c + 1 has c + 1
        const uint32_t *corners = base->triangles + 3 * (t / parts);
        for (int k = 0; k < 3; k++) {
            const uint32_t along = (corners[k] % SKIRT_COLUMNS + SKIRT_COLUMNS - seam) % SKIRT_COLUMNS;
            furthest = along > furthest ? along : furthest;
        }
        // The last cell ends at the seam itself, which counts as 0.
        sides[t] = furthest <= SKIRT_COLUMNS / 2;
    }
    TRY_CODE(pick_triangles(d->s, whole, whole->positions, sides, (uint8_t)right, out));
    return demo_keep(d, DEMO_MESH, *out);
}

/* The vertices of the base on the seam, as a line. */
static int find_cut(demo *d, skirt_film *film, uint32_t seam) {
    const size_t rows = film->who.cloth->mesh->vertex_count / SKIRT_COLUMNS;
    TRY_CODE(DEMO_NEW(d, film->cut, rows));
    TRY_CODE(DEMO_NEW(d, film->cut_points, rows));
    for (film->cut_count = 0; film->cut_count < rows; film->cut_count++)
        film->cut[film->cut_count] = (uint32_t)(film->cut_count * SKIRT_COLUMNS) + seam;
    film->cut_line = (ruga_render_curve){
        .points = film->cut_points, .point_count = rows, .colour = {0.36f, 0.16f, 0.12f}, .width = 6};
    return 0;
}

static void colour_skirt(ruga_render_mesh *look) {
    demo_colour_cloth(look);
    look->front = (ruga_colour){0.69f, 0.33f, 0.25f};
    look->back = (ruga_colour){0.55f, 0.28f, 0.22f};
}

static ruga_render_mesh mannequin_look(const subject *who) {
    ruga_render_mesh look = base_look(who, 0);
    look.crease_angle = 180;
    look.front = look.back = (ruga_colour){0.86f, 0.79f, 0.71f};
    return look;
}

/* The base as the solver sees it: its triangles. */
static ruga_render_mesh skirt_base_look(const subject *who) {
    ruga_render_mesh look = base_look(who, 1);
    colour_skirt(&look);
    look.smooth = 0;
    look.front = look.back = (ruga_colour){0.78f, 0.73f, 0.66f};
    look.wire = (ruga_colour){0.34f, 0.28f, 0.24f};
    look.wire_width = 0.6f;
    return look;
}

static void arrange_skirt(skirt_film *film) {
    static const char *const captions[] = {"7,072 triangles move", "28,288 are shown"};
    const subject *skirt = film->who.cloth;
    ruga_render_mesh *looks = film->looks;
    looks[0] = looks[2] = looks[4] = mannequin_look(&film->who.scene.subjects[0]);
    looks[1] = looks[5] = skirt_base_look(skirt);
    looks[3] = looks[6] = wrinkled_look(&film->who.worn);
    colour_skirt(&looks[3]);
    colour_skirt(&looks[6]);
    looks[6].smooth = 0;  // its border stays on that of the base
    looks[5].mesh = film->halves[0], looks[6].mesh = film->halves[1];
    for (int i = 0; i < 2; i++)
        film->panels[i] = (ruga_panel){.caption = captions[i], .mesh_count = 2, .meshes = &looks[2 * i]};
    film->panels[2] = (ruga_panel){.mesh_count = 3, .meshes = &looks[4], .curve_count = 1, .curves = &film->cut_line};
}

/* More cloth than room, most of it gathered at the waist. */
static double gather(ruga_vec3 place) {
    double t = fmin(fmax((place.y - 0.45) / 0.6, 0), 1);
    return 1.07 + 0.13 * t * t;
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
    return code ? code : wrinkled_make(d, who->cloth->mesh, 2, &def, &who->worn);
}

static int make_skirt_stills(demo *d, skirt_film *film) {
    int code = 0;
    for (size_t i = 1; i <= SKIRT_STILL && !code; i++) code = set_skirt_frame(film, i, NULL);
    ruga_render_def near_by = demo_def(1280, 640, film->panels, 2, 2);
    ruga_render_def whole = demo_def(1280, 720, &film->panels[2], 1, 1);
    near_by.ground = whole.ground = 1, near_by.ground_height = whole.ground_height = 0;
    whole.occlusion_samples = 8;
    // The halves from nearby, for the documents.
    ruga_panel close = film->panels[2];
    close.camera = film->panels[0].camera;
    close.camera.target.y = 0.86;
    close.camera.fov = 32;
    ruga_render_def halves = whole;
    halves.panels = &close, halves.samples = 9;
    if (!code) code = demo_still(d, &whole, "wrinkle_skirt-poster.png");
    if (!code) code = demo_still(d, &halves, "wrinkle_skirt-halves.png");
    // The last still's last panel is the one that can be turned.
    return code ? code : demo_still(d, &near_by, "wrinkle_skirt.png");
}

/* The time of an update, and how well the film repeats: for the page, and for tests. */
static int write_skirt_numbers(demo *d, skirt_film *film) {
    char text[160];
    const int length = snprintf(
        text, sizeof text, "%.2f ms\n%.0f intersections\n%.3f mm from the last frame to the first, %.3f mm on\n",
        1000 * median_update(&film->who), film->intersections, 1000 * film->seam, 1000 * film->step);
    return write_text_file(d->s, demo_path(d, "wrinkle_skirt.txt"), text, (size_t)length);
}

static int make_skirt(demo *d) {
    skirt_film *film;
    int code = demo_commands(d, skirt_lines);
    if (!code) code = DEMO_NEW(d, film, 1);
    if (!code) code = dress_mannequin(d, &film->who);
    if (!code) code = DEMO_NEW(d, film->earlier, film->who.cloth->mesh->vertex_count);
    if (!code) code = DEMO_NEW(d, film->kept, film->who.worn.fine->vertex_count);
    if (code) return code;
    const uint32_t seam = find_seam(film->who.cloth->mesh);
    code = find_cut(d, film, seam);
    if (!code) code = take_half(d, film->who.cloth->mesh, film->who.cloth->mesh, seam, 0, &film->halves[0]);
    if (!code) code = take_half(d, film->who.cloth->mesh, film->who.worn.fine, seam, 1, &film->halves[1]);
    if (code) return code;
    arrange_skirt(film);
    code = warm_up(d, film);
    if (!code) code = write_skirt_numbers(d, film);
    if (!code) code = make_skirt_stills(d, film);
    // The page has a picture while the film is made.
    if (!code && d->state) code = demo_write_pages(d, d->state);
    for (size_t i = SKIRT_STILL + 1; i < SKIRT_CYCLE && !code; i++) code = set_skirt_frame(film, i, NULL);
    const demo_film_def moving = {.file = "wrinkle_skirt.mp4",
                                  .frames = SKIRT_CYCLE,
                                  .course = FILM_BEGINS_AGAIN,
                                  .panels = &film->panels[2],
                                  .panel_count = 1,
                                  .ground = 1,
                                  .set_up = set_skirt_frame,
                                  .user = film};
    return code ? code : demo_film(d, &moving);
}

/* ---- The arm: painted radii, and figure 8. */

/* Commands for the same, but flat beyond the elbow; here the fine meshes are updated as in an engine. */
static const char arm_lines[] =
    "ruga make arm --blend 0.32 --action bend --bend-angle 90 -o arm.glb\n"
    "ruga wrinkle arm.glb --subdivide 5 --wavelength 0.02 --radius elbow --surface loop -o wrinkled.glb\n"
    "ruga render wrinkled.glb -o wrinkled.mp4";

typedef struct arm_scene {
    demo *d;
    ruga_mesh *arm;
    ruga_motion *bend;
    moment current;
    wrinkled worn[2]; /* along normals only, and in all directions */
} arm_scene;

enum { ARM_CUT = 5 };

/* The painted radius; beyond the elbow a quarter of it, from which on the surface is round. */
static int paint_arm(demo *d, const ruga_mesh *arm, double **values, size_t *count) {
    ruga_subdivide_def cut = ruga_subdivide_def_default();
    ruga_mesh *fine = NULL;
    cut.n = ARM_CUT;
    int code = demo_code(d, ruga_mesh_subdivide(arm, &cut, &fine, NULL));
    if (!code) code = demo_keep(d, DEMO_MESH, fine);
    if (code) return code;
    const ruga_attribute *elbow = ruga_mesh_attribute(fine, "elbow", RUGA_DOMAIN_VERTEX);
    *count = fine->vertex_count;
    code = DEMO_NEW(d, *values, *count);
    for (size_t v = 0; v < *count && !code; v++) (*values)[v] = fmax(0.25, ruga_attribute_get(elbow, v, 0));
    return code;
}

static int arm_open(demo *d, arm_scene *scene) {
    /* As ruga make arm --blend 0.32 has it. */
    static const double soft[] = {0.66, 43, 24, 0.32}, bend[] = {90, 2, 1, 1};
    scene->d = d;
    int code = demo_code(d, ruga_model_make(d->s->context, "arm", soft, &scene->arm));
    if (!code) code = demo_keep(d, DEMO_MESH, scene->arm);
    if (!code) code = demo_code(d, ruga_model_motion(d->s->context, "arm", soft, "bend", bend, &scene->bend));
    if (!code) code = demo_keep(d, DEMO_MOTION, scene->bend);
    if (!code) code = demo_moment(d, scene->arm, &scene->current);
    double *radii = NULL;
    size_t count = 0;
    if (!code) code = paint_arm(d, scene->arm, &radii, &count);
    for (int i = 0; i < 2 && !code; i++) {
        ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
        def.wavelength = 0.02;
        def.radius = ruga_param_array(radii, count);
        def.normal_only = !i;
        def.surface = RUGA_WRINKLE_LOOP;  // round outside, where the base is polygonal
        code = wrinkled_make(d, scene->arm, ARM_CUT, &def, &scene->worn[i]);
    }
    return code;
}

static int set_arm_frame(void *user, size_t frame, ruga_render_def *def) {
    arm_scene *scene = user;
    (void)def;
    int code = moment_sample(scene->d->s, scene->bend, (double)frame / 24, &scene->current);
    for (int i = 0; i < 2 && !code; i++) code = update(scene->d, &scene->worn[i], scene->current.positions, 0);
    return code;
}

static int make_arm(demo *d) {
    ruga_camera camera = demo_eye((ruga_vec3){-0.26, 0.4, 0.4}, (ruga_vec3){-0.005, 0.05, 0}, 23);
    arm_scene scene = {0};
    gallery g = {0};
    int code = arm_open(d, &scene);
    for (size_t i = 0; i <= 24 && !code; i++) code = set_arm_frame(&scene, i, NULL);
    if (code) return code;
    ruga_render_mesh base = ruga_render_mesh_default(scene.arm);
    base.frame = &scene.current.frame;
    gallery_add(&g, "painted radius", base, camera);
    gallery_add(&g, "the base", base, camera);
    gallery_add(&g, "along normals only", wrinkled_look(&scene.worn[0]), camera);
    ruga_panel *last = gallery_add(&g, "in all directions", wrinkled_look(&scene.worn[1]), camera);
    g.looks[0].scalar = "elbow";
    for (size_t i = 0; i < g.count; i++) {
        g.looks[i].front = g.looks[i].back = demo_skin;
        g.looks[i].finish = RUGA_FINISH_SKIN;
    }
    ruga_render_def still = demo_def(1800, 540, g.panels, g.count, 4);
    code = demo_still(d, &still, "wrinkle_arm.png");
    last->caption = NULL;
    last->camera = demo_eye((ruga_vec3){-0.2, 0.6, 0.85}, (ruga_vec3){-0.01, 0.13, 0}, 32);
    for (int i = 0; i < 2 && !code; i++) code = demo_code(d, ruga_wrinkle_mesh_reset(scene.worn[i].wrinkles));
    const demo_film_def film = {.file = "wrinkle_arm.mp4",
                                .frames = 25,
                                .course = FILM_RETURNS,
                                .panels = last,
                                .panel_count = 1,
                                .set_up = set_arm_frame,
                                .user = &scene};
    return code ? code : demo_film(d, &film);
}

static const demo_item items[] = {
    {.name = "wrinkle_skirt",
     .title = "A skirt on a walking mannequin",
     .caption =
         "Left the base that moves, right the wrinkle mesh that is shown. The base has 7,072 triangles, the wrinkle "
         "mesh 28,288 and five iterations a frame. Painted pre-stretch gives "
         "more cloth than room at the waist. The wrinkle mesh stays outside the base, and so outside the body.",
     .commands = skirt_lines,
     .contact = "dressed.run",
     .files = {"wrinkle_skirt.mp4", "wrinkle_skirt.png"},
     .film_now = 1,
     .view = 1,
     .make = make_skirt},
    {.name = "wrinkle_curtain",
     .title = "A curtain with a wrinkle mesh",
     .caption =
         "2,048 triangles are simulated, 32,768 are shown. A base that resists compression makes coarse folds "
         "itself; a base that yields leaves the folds to the wrinkle mesh. It is attached to the limit surface of "
         "Loop's subdivision, which hides the rows of the base.",
     .commands = curtain_shown,
     .files = {"wrinkle_curtain.mp4", "wrinkle_curtain.png"},
     .make = make_curtain},
    {.name = "wrinkle_arm",
     .title = "A bending arm",
     .commands = arm_lines,
     .caption =
         "The skin of two bones; its radius, the greatest distance from the base, is painted around the elbow, and a "
         "quarter beyond. With motion along normals only, wrinkles are blunt and follow the triangles; with motion in "
         "all directions they are sharper.",
     .files = {"wrinkle_arm.mp4", "wrinkle_arm.png"},
     .film_now = 1,
     .make = make_arm},
    {.name = "wrinkle_surfaces",
     .title = "Base surfaces",
     .caption =
         "A wrinkle mesh on flat base triangles shows each of them. Bézier patches from positions and normals hide "
         "them, and so does the limit surface of Loop's subdivision.",
     .files = {"wrinkle_surfaces.png"},
     .make = demo_make_wrinkle_surfaces},
    {.name = "wrinkle_paint",
     .title = "Painted pre-stretch, and a base that intersects itself",
     .caption = "A pre-stretch below 1 removes wrinkles from a region. An elbow bent so far that its base intersects "
                "itself.",
     .files = {"wrinkle_paint.png"},
     .make = demo_make_wrinkle_paint},
    {.name = "wrinkle_direction",
     .title = "Wrinkles along a painted field",
     .caption =
         "A sheet that is compressed equally in all directions: wrinkles without a direction, along one direction, and "
         "around the middle.",
     .files = {"wrinkle_direction.png"},
     .make = demo_make_wrinkle_direction},
    {.name = "wrinkle_wavelength",
     .title = "A wavelength that does not depend on the mesh",
     .caption =
         "The same sheet, compressed by a tenth, with three meshes. With radii of half an edge, wrinkles become finer "
         "with the mesh; with a wavelength in metres they do not.",
     .files = {"wrinkle_wavelength.png", "wrinkle_wavelength_plot.png", "wrinkle_wavelength_plot.svg"},
     .make = demo_make_wrinkle_wavelength},
};

const demo_section demo_wrinkle = {
    "wrinkle",
    "Wrinkle meshes",
    "Fine wrinkles on anything that moves, in milliseconds: a fine mesh is attached to a coarse one and keeps "
    "its length (Müller and Chentanez 2010).",
    items,
    sizeof items / sizeof items[0],
    0};
