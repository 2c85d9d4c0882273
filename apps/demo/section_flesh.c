/* Demo: flesh (Patkar, Jin and Fedkiw 2015, section 7). Scenes are made in memory and stepped through the public
 * headers; the bust rides on the surface of its flesh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scenes.h"
#include "demo.h"

static const ruga_colour tissue = {0.90f, 0.60f, 0.53f};

/* ---- The inside: half of the head's tets. */

/* The tets whose centroid has x above a bound. */
static int cut_open(demo *d, const ruga_mesh *mesh, double bound, ruga_mesh **out) {
    uint32_t *tets = NULL, *number = NULL;
    ruga_vec3 *positions = NULL;
    ruga_mesh_def def = ruga_mesh_def_default();
    size_t count = 0;
    int code = DEMO_NEW(d, tets, 4 * mesh->tet_count);
    if (!code) code = DEMO_NEW(d, number, mesh->vertex_count);
    if (!code) code = DEMO_NEW(d, positions, mesh->vertex_count);
    for (size_t t = 0; !code && t < mesh->tet_count; t++) {
        double x = 0;
        for (size_t k = 0; k < 4; k++) x += mesh->positions[mesh->tets[4 * t + k]].x / 4;
        if (x < bound) continue;
        for (size_t k = 0; k < 4; k++) {
            uint32_t v = mesh->tets[4 * t + k];
            if (!number[v]) {
                positions[def.positions.count++] = mesh->positions[v];
                number[v] = (uint32_t)def.positions.count; /* from 1 */
            }
            tets[4 * count + k] = number[v] - 1;
        }
        count++;
    }
    def.positions.data = positions;
    def.positions.type = RUGA_F64;
    def.tet_count = count;
    def.tets = tets;
    if (!code) code = demo_code(d, ruga_mesh_create(d->s->context, &def, out));
    return code ? code : demo_keep(d, DEMO_MESH, *out);
}

static int make_fill(demo *d) {
    static const demo_parameter coarse[] = {{"spacing", 0.025}, {"cells", 60}, {NULL, 0}};
    static const double spacings[] = {0.03, 0.015}; /* m */
    static const char *const names[] = {"tets of 30 mm", "tets of 15 mm", "around a skull, 7.4 mm"};
    ruga_mesh *bust = NULL, *tets = NULL, *half = NULL;
    gallery *g = NULL;
    const ruga_camera camera = demo_eye((ruga_vec3){-0.85, 0.30, 0.75}, (ruga_vec3){0, 0.19, 0.01}, 21);
    int code = demo_model(d, "bust", NULL, &bust);
    if (!code) code = DEMO_NEW(d, g, 1);
    for (int i = 0; i < 3 && !code; i++) {
        ruga_fill_def def = ruga_fill_def_default();
        if (i < 2) {
            def.spacing = spacings[i];
            code = demo_code(d, ruga_mesh_fill(bust, &def, &tets, NULL));
            if (!code) code = demo_keep(d, DEMO_MESH, tets);
        } else {
            code = demo_model(d, "head", d->draft ? coarse : NULL, &tets);
        }
        if (!code) code = cut_open(d, tets, 0, &half);
        if (code) break;
        ruga_render_mesh look = demo_wire(half);
        look.shading = RUGA_SHADING_FLAT;
        look.front = look.back = tissue;
        gallery_add(g, names[i], look, camera);
    }
    ruga_render_def picture = demo_def(1800, 700, code ? NULL : g->panels, 3, 3);
    picture.ground = 1;
    return code ? code : demo_still(d, &picture, "flesh-fill.png");
}

/* ---- Muscles of the face: the bust on the surface of its flesh. */

typedef struct face {
    ruga_mesh *bust;
    ruga_scene *scene;
    ruga_map *map;    /* from the vertices of the flesh to the bust */
    ruga_vec3 *moves; /* (vertices of the flesh) m */
    ruga_vec3 *sums;  /* (vertices of the bust) m */
    double *counts;   /* (vertices of the bust) */
} face;

enum { SMOOTHINGS = 10 }; /* of displacements over the bust, so that single tets can hardly be seen */

/* `folds`: what a hook of creases has but its depth; NULL: no creases. */
static int face_make(demo *d, const char *muscles, const char *folds, face *out) {
    static const demo_parameter rough[] = {{"cells", 60}, {NULL, 0}}, fine[] = {{"cells", 220}, {NULL, 0}};
    char hooks[2048] = "", text[4096];
    ruga_description *description = NULL;
    const ruga_mesh *flesh = NULL;
    /* Coarse flesh leaves less room above the skull. */
    if (folds)
        snprintf(hooks, sizeof hooks, ", \"hooks\": [{\"kind\": \"crease\", \"depth\": %g, %s}]", d->draft ? 1.3 : 2.5,
                 folds);
    snprintf(text, sizeof text,
             "{\"time\": {\"fps\": 2, \"frames\": 3}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"face\","
             " \"mesh\": {\"kind\": \"head\", \"cells\": %d, \"spacing\": %s}, \"body\": {\"kind\": \"flesh\","
             " \"integrator\": \"quasistatic\", \"young\": 20000, \"poisson\": 0.45,"
             " \"pins\": [{\"kind\": \"fixed\", \"where\": \"skull | eyes\"}], \"muscles\": [%s]}%s}]}",
             d->draft ? 60 : 128, d->draft ? "0.025" : "0.0172", muscles, hooks);
    int code = demo_model(d, "bust", d->draft ? rough : fine, &out->bust);
    if (!code) code = scene_describe(d->s, "demo", text, &description);
    if (!code) code = demo_code(d, ruga_scene_create(d->s->context, ruga_description_get(description), &out->scene));
    ruga_description_destroy(description);
    if (!code) code = demo_keep(d, DEMO_SCENE, out->scene);
    if (code) return code;
    flesh = ruga_scene_object_mesh(out->scene, 0);
    code = DEMO_NEW(d, out->moves, flesh->vertex_count);
    if (!code) code = DEMO_NEW(d, out->sums, out->bust->vertex_count);
    if (!code) code = DEMO_NEW(d, out->counts, out->bust->vertex_count);
    if (!code)
        code = demo_code(d, ruga_mesh_embed_surface(flesh, out->bust->positions, out->bust->vertex_count, &out->map));
    return code ? code : demo_keep(d, DEMO_MAP, out->map);
}

static int face_step(demo *d, face *f) {
    ruga_status status = ruga_scene_step(f->scene);
    return RUGA_FAILED(status) ? output_code(d->s, status) : session_interrupted(d->s);
}

/* Each vertex of the bust gets the mean of its displacement and the mean of its neighbours'. */
static void face_smooth(face *f, ruga_vec3 *moves) {
    const ruga_mesh *bust = f->bust;
    memset(f->sums, 0, bust->vertex_count * sizeof *f->sums);
    memset(f->counts, 0, bust->vertex_count * sizeof *f->counts);
    for (size_t c = 0; c < 3 * bust->triangle_count; c++) {
        const uint32_t v = bust->triangles[c], next = bust->triangles[c % 3 == 2 ? c - 2 : c + 1];
        f->sums[v].x += moves[next].x;
        f->sums[v].y += moves[next].y;
        f->sums[v].z += moves[next].z;
        f->counts[v] += 1;
    }
    for (size_t v = 0; v < bust->vertex_count; v++) {
        if (f->counts[v] == 0) continue;
        moves[v].x = (moves[v].x + f->sums[v].x / f->counts[v]) / 2;
        moves[v].y = (moves[v].y + f->sums[v].y / f->counts[v]) / 2;
        moves[v].z = (moves[v].z + f->sums[v].z / f->counts[v]) / 2;
    }
}

/* A panel with the bust as it is now: its vertices move as the places of the flesh next to them. */
static int face_show(demo *d, face *f, const char *caption, ruga_camera camera, moment *kept, gallery *g) {
    const ruga_mesh *flesh = ruga_scene_object_mesh(f->scene, 0);
    const ruga_vec3 *now = ruga_scene_frame(f->scene, 0)->positions;
    int code = demo_moment(d, f->bust, kept);
    if (code) return code;
    for (size_t v = 0; v < flesh->vertex_count; v++)
        f->moves[v] = (ruga_vec3){now[v].x - flesh->positions[v].x, now[v].y - flesh->positions[v].y,
                                  now[v].z - flesh->positions[v].z};
    ruga_map_apply(f->map, f->moves, kept->positions);
    for (int k = 0; k < SMOOTHINGS; k++) face_smooth(f, kept->positions);
    for (size_t v = 0; v < f->bust->vertex_count; v++) {
        kept->positions[v].x += f->bust->positions[v].x;
        kept->positions[v].y += f->bust->positions[v].y;
        kept->positions[v].z += f->bust->positions[v].z;
    }
    ruga_render_mesh look = ruga_render_mesh_default(f->bust);
    look.frame = &kept->frame;
    look.front = demo_skin;
    gallery_add(g, caption, look, camera);
    return 0;
}

#define KEYS " \"keys\": [{\"time\": 0, \"activation\": 0}, {\"time\": 1, \"activation\": 1}]"
/* Creases that anchor springs pull in with the first muscle: `depth` m below, shortened by a fraction of it, of a
 * stiffness in N/m per metre. */
#define FOLDS(depth, pull, stiffness, lines)                                                                          \
    "\"muscle\": 0, \"push_fade\": 0.025, \"anchors\": {\"kind\": \"anchors\", \"depth\": " depth ", \"pull\": " pull \
    ", \"stiffness\": " stiffness ", \"ground\": \"following\"}, \"lines\": [" lines "]"

static const char zygomaticus[] =
    "{\"where\": \"zygomaticus_left\", \"direction\": [0.46, 0.75, -0.47], \"stress\": 62000," KEYS
    "},"
    "{\"where\": \"zygomaticus_right\", \"direction\": [-0.46, 0.75, -0.47], \"stress\": 62000," KEYS "}";
static const char nasolabial[] =
    FOLDS("0.01", "0.9", "50000",
          "[[0.021, 0.228, 0.1], [0.03, 0.215, 0.1], [0.0365, 0.2, 0.1], [0.039, 0.186, 0.1], [0.0385, 0.176, 0.1]],"
          "[[-0.021, 0.228, 0.1], [-0.03, 0.215, 0.1], [-0.0365, 0.2, 0.1], [-0.039, 0.186, 0.1],"
          " [-0.0385, 0.176, 0.1]]");
static const char frontalis[] =
    "{\"where\": \"frontalis\", \"direction\": [0, 0.95, -0.3], \"stress\": 33000," KEYS "}";
static const char forehead[] = FOLDS(
    "0.008", "0.5", "40000",
    "[[-0.04, 0.2905, 0.12], [-0.02, 0.2935, 0.12], [0, 0.2928, 0.12], [0.02, 0.2935, 0.12], [0.04, 0.2905, 0.12]],"
    "[[-0.044, 0.3055, 0.12], [-0.022, 0.3085, 0.12], [0, 0.3078, 0.12], [0.022, 0.3085, 0.12], [0.044, 0.3055, 0.12]],"
    "[[-0.036, 0.3205, 0.12], [-0.018, 0.3235, 0.12], [0, 0.3228, 0.12], [0.018, 0.3235, 0.12],"
    " [0.036, 0.3205, 0.12]]");

/* At rest, and with the muscles: without creases, and with them. */
static int make_muscle(demo *d, const char *muscles, const char *folds, ruga_camera camera,
                       const char *const captions[3], const char *file) {
    face plain = {0}, creased = {0};
    gallery *g = NULL;
    moment *views = NULL;
    int code = face_make(d, muscles, NULL, &plain);
    if (!code) code = face_make(d, muscles, folds, &creased);
    if (!code) code = DEMO_NEW(d, g, 1);
    if (!code) code = DEMO_NEW(d, views, 3);
    if (!code) code = face_show(d, &plain, captions[0], camera, &views[0], g);
    for (int i = 0; i < 2 && !code; i++) {
        face *f = i ? &creased : &plain;
        for (int k = 0; k < 2 && !code; k++) code = face_step(d, f);
        if (!code) code = face_show(d, f, captions[1 + i], camera, &views[1 + i], g);
    }
    ruga_render_def picture = demo_def(1800, 700, code ? NULL : g->panels, 3, 3);
    return code ? code : demo_still(d, &picture, file);
}

static int make_smile(demo *d) {
    static const char *const captions[] = {"at rest", "a smile", "with nasolabial creases"};
    const ruga_camera camera = demo_eye((ruga_vec3){0.07, 0.25, 0.62}, (ruga_vec3){0, 0.213, 0.04}, 15);
    return make_muscle(d, zygomaticus, nasolabial, camera, captions, "flesh-face-smile.png");
}

static int make_brows(demo *d) {
    static const char *const captions[] = {"at rest", "raised brows", "with creases on the forehead"};
    const ruga_camera camera = demo_eye((ruga_vec3){0.09, 0.35, 0.62}, (ruga_vec3){0, 0.29, 0.04}, 15);
    return make_muscle(d, frontalis, forehead, camera, captions, "flesh-face-brows.png");
}

/* ---- Figure 11: blocks with a skin, pressed together. */

#define LINE(x) "[[" x ", 0.012, 0.04], [" x ", 0.04, 0.04], [" x ", 0.04, -0.04], [" x ", 0.012, -0.04]]"

enum { BLOCK_STEPS = 6 }; /* after frame 0, at rest */

#define BLOCK_LENGTH 0.24 /* m */
#define BLOCK_PRESSED 0.04

/* Pins that press the ends and, between them, the bottom together evenly, as a block on a sliding floor. */
static void press_pins(char *text, size_t size) {
    size_t used = 0;
    for (int i = -12; i <= 12; i++) {
        const double x = i * BLOCK_LENGTH / 24;
        used += (size_t)snprintf(text + used, size - used,
                                 "%s{\"kind\": \"path\", \"where\": \"box:%g,-,-,%g,%s,-\", \"keys\": [{\"time\": 0}, "
                                 "{\"time\": 1, \"move\": [%g, 0, 0]}]}",
                                 used > 0 ? ", " : "", x - 0.001, x + 0.001, abs(i) == 12 ? "-" : "-0.039",
                                 -x * BLOCK_PRESSED / BLOCK_LENGTH);
        if (used >= size) return;
    }
}

static int block_make(demo *d, const char *hooks, ruga_scene **out) {
    char pins[4096], text[8192];
    ruga_description *description = NULL;
    press_pins(pins, sizeof pins);
    snprintf(text, sizeof text,
             "{\"time\": {\"fps\": %d, \"frames\": %d}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"block\","
             " \"mesh\": {\"kind\": \"bar\", \"length\": 0.24, \"height\": 0.08, \"depth\": 0.08, \"cells\": 24,"
             " \"cells_across\": 8, \"solid\": 2}, \"body\": {\"kind\": \"flesh\", \"integrator\": \"quasistatic\","
             " \"young\": 20000, \"poisson\": 0.4, \"skin\": 2000, \"skin_bend\": 0.0035, \"newton_steps\": 200,"
             " \"pins\": [%s]}%s}]}",
             BLOCK_STEPS, BLOCK_STEPS + 1, pins, hooks);
    int code = scene_describe(d->s, "demo", text, &description);
    if (!code) code = demo_code(d, ruga_scene_create(d->s->context, ruga_description_get(description), out));
    ruga_description_destroy(description);
    return code ? code : demo_keep(d, DEMO_SCENE, *out);
}

static void block_show(const ruga_scene *scene, const char *caption, int is_cut, gallery *g) {
    ruga_render_mesh look = ruga_render_mesh_default(ruga_scene_object_mesh(scene, 0));
    look.frame = ruga_scene_frame(scene, 0);
    look.front = look.back = demo_skin;
    look.crease_angle = 60;
    look.finish = RUGA_FINISH_SKIN;
    look.smooth = !is_cut;
    gallery_add(g, caption, look, demo_eye((ruga_vec3){0.20, 0.26, 0.36}, (ruga_vec3){0, 0, 0}, 27));
}

static int make_blocks(demo *d) {
    static const char creases[] = ", \"hooks\": [{\"kind\": \"crease\", \"depth\": 3, \"lines\": [" LINE(
        "-0.06") "," LINE("0.0") "," LINE("0.06") "]";
    static const char *const ends[] = {NULL, "}]", ", \"push\": 100}]"};
    static const char *const captions[] = {"pressed together, it folds", "cut along three lines",
                                           "and pushed at the cuts"};
    gallery *g = NULL;
    ruga_scene *rest = NULL, *scene = NULL;
    int code = DEMO_NEW(d, g, 1);
    if (!code) code = block_make(d, "", &rest);
    if (!code) block_show(rest, "a block with a stiff skin", 0, g);
    for (int i = 0; i < 3 && !code; i++) {
        char hooks[1024] = "";
        if (ends[i]) snprintf(hooks, sizeof hooks, "%s%s", creases, ends[i]);
        code = block_make(d, hooks, &scene);
        for (int f = 0; f <= (d->draft ? 1 : BLOCK_STEPS) && !code; f++) {
            ruga_status status = ruga_scene_step(scene);
            code = RUGA_FAILED(status) ? output_code(d->s, status) : session_interrupted(d->s);
        }
        if (!code) block_show(scene, captions[i], i > 0, g);
    }
    ruga_render_def picture = demo_def(1400, 1000, code ? NULL : g->panels, 4, 2);
    picture.ground = 1;
    return code ? code : demo_still(d, &picture, "flesh-blocks.png");
}

static const demo_item items[] = {
    {.name = "flesh-fill",
     .title = "A bust filled with tets",
     .caption =
         "Closed surfaces are filled with tets of a body-centred cubic lattice, cut open here. Their dihedral angles "
         "are bounded: a search over random and extreme cuts found 10.6 to 164.8 degrees. Right: the model head, "
         "flesh between the skin and a skull.",
     .commands = "ruga make bust -o skin.obj\nruga fill skin.obj --spacing 0.015 -o flesh.msh",
     .files = {"flesh-fill.png"},
     .make = make_fill},
    {.name = "flesh-blocks",
     .title = "Blocks that fold where they are cut",
     .caption =
         "Figure 11: blocks of 24 cm with a stiff skin, of 18,000 tets, are compressed by 4 cm on a sliding floor. The "
         "skin folds, in places of its own. With cuts along three lines it folds there. With an inward push of 100 N/m "
         "at the cuts, the folds are sharp valleys.",
     .files = {"flesh-blocks.png"},
     .make = make_blocks},
    {.name = "flesh-face-smile",
     .title = "A smile with nasolabial folds",
     .caption =
         "Figure 10: the muscles from the cheekbones to the corners of the mouth contract, without and with a crease "
         "in each cheek, which anchor springs pull in with them. 199,000 tets in equilibrium, held by skull and eyes; "
         "the bust follows them, smoothed.",
     .files = {"flesh-face-smile.png"},
     .make = make_smile},
    {.is_long = 1,
     .name = "flesh-face-brows",
     .title = "Wrinkles on the forehead",
     .caption = "Figure 12: the muscle below the forehead contracts and lifts the brows, without and with three "
                "creases that anchor springs pull in. 199,000 tets in equilibrium; the bust follows them, smoothed.",
     .files = {"flesh-face-brows.png"},
     .make = make_brows},
};

const demo_section demo_flesh = {"flesh",
                                 "Flesh",
                                 "Solids of tetrahedra with muscles, held by bone: the whole cheek moves (Patkar, Jin "
                                 "and Fedkiw 2015, section 7).",
                                 items,
                                 sizeof items / sizeof items[0],
                                 0};
