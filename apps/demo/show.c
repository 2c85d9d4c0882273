/* Films and strips of runs: see show.h. */
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/runs.h"

enum { STRIP_WIDTH = 1800, CAPTION_HEIGHT = 48 };

/* The run at one moment. */
typedef struct stage {
    demo *d;
    const show *what;
    picture scene;
    ruga_panel panel;
    char caption[32];
} stage;

/* A file of the item: its name with an ending. In one of four rotating buffers. */
static const char *item_file(const demo *d, const char *ending) {
    static char names[4][64];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(names[turn], sizeof names[turn], "%s%s", d->item->name, ending);
    return names[turn];
}

static int item_has_film(const demo *d) {
    for (int i = 0; i < DEMO_MAX_FILES; i++)
        if (d->item->files[i] && strcmp(d->item->files[i], item_file(d, ".mp4")) == 0) return 1;
    return 0;
}

/* Leaves out the faces of a mesh before the plane z = 0. Its vertices stay, so that its motion fits. */
static int open_mesh(demo *d, subject *who) {
    const ruga_mesh *whole = who->mesh;
    uint8_t *behind;
    TRY_CODE(DEMO_NEW(d, behind, whole->triangle_count));
    for (size_t t = 0; t < whole->triangle_count; t++) {
        const uint32_t *corners = whole->triangles + 3 * t;
        double z = 0;
        for (int k = 0; k < 3; k++) z += whole->positions[corners[k]].z;
        behind[t] = z < 0;
    }
    ruga_mesh *opened = NULL;
    TRY_CODE(pick_triangles(d->s, whole, whole->positions, behind, 1, &opened));
    ruga_mesh_destroy(who->mesh);
    who->mesh = opened;
    return 0;
}

static int stage_open(demo *d, const show *what, stage *at) {
    at->d = d;
    at->what = what;
    int code = demo_keep(d, DEMO_PICTURE, &at->scene);
    if (!code) code = run_add_objects(d->s, demo_path(d, item_file(d, ".run")), &at->scene);
    if (!code) run_choose_finishes(d->s, demo_path(d, item_file(d, ".run")), &at->scene);
    for (size_t i = 0; i < at->scene.subject_count && !code; i++) {
        subject *who = &at->scene.subjects[i];
        if ((int)i + 1 == what->opened) code = open_mesh(d, who);
        const ruga_colour *colours = what->colours[(int)i % what->colour_count];
        ruga_render_mesh *look = &at->scene.looks[i];
        *look = ruga_render_mesh_default(who->mesh);
        look->front = colours[0];
        look->back = colours[1];
        look->finish = who->finish;
        look->smooth = (who->finish == RUGA_FINISH_CLOTH || who->finish == RUGA_FINISH_SKIN) && !who->is_creased;
        if (what->crease_angle > 0) look->crease_angle = what->crease_angle;
        if (who->motion) look->frame = &who->current.frame;
    }
    size_t drawn = at->scene.subject_count;
    if (!code && what->hidden > 0) at->scene.looks[what->hidden - 1] = at->scene.looks[--drawn];
    at->panel = (ruga_panel){.mesh_count = drawn,
                             .meshes = at->scene.looks,
                             .camera = demo_eye(what->eye, what->target, ruga_camera_default().fov)};
    return code;
}

/* The time of a frame; the last one for frames that do not exist, as in a draft. */
static double stage_time(const stage *at, size_t frame) {
    const subject *moving = picture_first_moving(&at->scene);
    if (!moving) return 0;
    ruga_motion_info info = ruga_motion_get_info(moving->motion);
    return fmin(info.start + (double)frame / info.rate, info.end);
}

static int stage_set(void *user, size_t frame, ruga_render_def *def) {
    stage *at = user;
    const subject *first = &at->scene.subjects[0];
    if (def) def->panels = &at->panel;
    int code = picture_move(at->d->s, &at->scene, stage_time(at, frame));
    if (code || at->what->follows <= 0) return code;
    double sum = 0;
    for (size_t v = 0; v < first->mesh->vertex_count; v++) sum += first->current.positions[v].z;
    double along = at->what->follows * (sum / (double)first->mesh->vertex_count);
    at->panel.camera.eye.z = at->what->eye.z + along;
    at->panel.camera.target.z = at->what->target.z + along;
    return 0;
}

static void set_ground(const show *what, ruga_render_def *def) {
    if (!what->ground) return;
    def->ground = 1;
    def->ground_height = 0;
}

/* Without a camera that follows, one that holds the whole film, from the side where the show's eye is. width, height:
 * of the panel. */
static int frame_film(stage *at, int width, int height) {
    const ruga_vec3 eye = at->what->eye, target = at->what->target;
    const double x = eye.x - target.x, y = eye.y - target.y, z = eye.z - target.z;
    picture *scene = &at->scene;
    if (at->what->follows > 0) return 0;
    scene->def = demo_def(width, height, scene->panels, 1, 1);
    scene->panels[0] = at->panel;
    scene->panels[0].meshes = scene->looks;
    scene->panels[0].camera = demo_camera(atan2(x, z) * 180 / DEMO_PI, atan2(y, hypot(x, z)) * 180 / DEMO_PI);
    int code = picture_film_cameras(at->d->s, scene, 0);
    at->panel.camera = scene->panels[0].camera;
    return code;
}

static int make_strip(demo *d, const show *what, stage *stages) {
    ruga_panel panels[SHOW_MOMENTS];
    int code = 0;
    const int across = what->columns ? what->columns : SHOW_MOMENTS, rows = SHOW_MOMENTS / across;
    for (int i = 0; i < SHOW_MOMENTS && !code; i++) {
        code = frame_film(&stages[i], STRIP_WIDTH / across, what->strip_height / rows - CAPTION_HEIGHT);
        if (!code) code = stage_set(&stages[i], (size_t)what->moments[i], NULL);
        snprintf(stages[i].caption, sizeof stages[i].caption, "%.2f s",
                 stage_time(&stages[i], (size_t)what->moments[i]));
        panels[i] = stages[i].panel;
        panels[i].caption = stages[i].caption;
    }
    ruga_render_def def = demo_def(STRIP_WIDTH, what->strip_height, panels, SHOW_MOMENTS, across);
    set_ground(what, &def);
    return code ? code : demo_still(d, &def, item_file(d, ".png"));
}

int show_make(demo *d) {
    const show *what = d->item->data;
    stage *stages;
    int code = demo_commands(d, d->item->commands);
    if (!code) code = DEMO_NEW(d, stages, SHOW_MOMENTS);
    for (int i = 0; i < SHOW_MOMENTS && !code; i++) code = stage_open(d, what, &stages[i]);
    if (!code) code = make_strip(d, what, stages);
    if (code || !item_has_film(d)) return code;
    const subject *moving = picture_first_moving(&stages[0].scene);
    size_t frames = moving ? ruga_motion_get_info(moving->motion).sample_count : 1;
    code = frame_film(&stages[0], 1280, 720);
    const demo_film_def film = {.file = item_file(d, ".mp4"),
                                .frames = frames,
                                .panels = &stages[0].panel,
                                .panel_count = 1,
                                .ground = what->ground,
                                .set_up = stage_set,
                                .user = &stages[0]};
    return code ? code : demo_film(d, &film);
}

/* ---- Contact of a run. */

/* A measure over the frames. */
typedef struct tally {
    double all, first, last;
} tally;

static tally count_measure(const ruga_run_record *r, const char *name) {
    tally sum = {0};
    for (size_t k = 0; k < r->measure_count; k++) {
        if (strcmp(r->measures[k].name, name) != 0) continue;
        for (int f = 0; f < r->frames_done; f++) {
            sum.last = r->values[(size_t)f * r->measure_count + k];
            sum.all += sum.last;
            if (f == 0) sum.first = sum.last;
        }
    }
    return sum;
}

int demo_read_contact(demo *d, const char *run, contact_record *out) {
    ruga_run_record *record = NULL;
    *out = (contact_record){0};
    if (!ruga_path_is_run(demo_path(d, run))) return 0;
    TRY_CODE(read_run(d->s, demo_path(d, run), &record));
    const tally found = count_measure(record, "frame.intersections"),
                pinched = count_measure(record, "contact.pinched");
    *out = (contact_record){record->frames_done, found.all, found.first, found.last, pinched.all};
    ruga_run_record_destroy(d->s->context, record);
    return 0;
}
