/* ruga render: pictures and films of meshes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "picture.h"
#include "runs.h"

static const option render_options[] = {
    OUTPUT_ROW("FILE", NULL, "a picture (.png), a film (.mp4 or .gif, by ffmpeg), or many pictures (frame_####.png)"),
    {.name = "turntable",
     .kind = OPTION_WHOLE,
     .value = "N",
     .unit = "frames",
     .low = 1,
     .high = 100000,
     .help = "a film that goes once around the mesh in so many frames"},
    {.name = "no-colliders", .kind = OPTION_FLAG, .help = "leave out what the objects of a run collide with"},
};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Output", render_options, OPTION_COUNT(render_options));
    option_list_add(list, "Picture", image_options, image_option_count);
    option_list_add(list, "Look", look_options, look_option_count);
    option_list_add(list, "Camera", camera_options, camera_option_count);
    option_list_add(list, "Motion", moment_options, moment_option_count);
    option_list_add(list, "Time", motion_options, motion_option_count);
    option_list_add(list, "Input", input_options, input_option_count);
    return 0;
}

/* ---- Subjects. */
static int check_faces(session *s, const picture *p) {
    for (size_t i = 0; i < p->subject_count; i++)
        if (p->subjects[i].mesh->triangle_count == 0)
            return session_error(s, EXIT_INPUT,
                                 "%s: has no faces, so there is nothing to draw; a cache goes after "
                                 "--cache, with its mesh before",
                                 p->subjects[i].path);
    return 0;
}

/* Meshes, and runs: their objects, and what these collide with. */
static int read_subjects(session *s, const arguments *a, picture *p) {
    if (a->word_count == 0)
        return session_error(s, EXIT_USAGE, "render: which mesh or run? ruga render MESH -o FILE.png");
    size_t files = 0;
    int code = 0;
    for (size_t i = 0; i < a->word_count && !code; i++)
        if (ruga_path_is_run(a->words[i])) {
            p->holds_run = 1;
            code = run_add_objects(s, a->words[i], p);
            if (!code && !option_given(a, "no-colliders")) code = run_add_colliders(s, a->words[i], p);
        } else
            code = picture_read(s, a, a->words[i], option_text_at(a, "cache", files++), p);
    return code ? code : check_faces(s, p);
}

/* ---- A single picture. */
/* One camera for all moments of a run, so that its pictures can be compared. */
static int hold_camera(session *s, picture *p) {
    ruga_camera camera = p->panels[0].camera;
    int code = picture_film_camera(s, p, 0, &camera);
    for (size_t i = 0; i < p->def.panel_count; i++) p->panels[i].camera = camera;
    return code;
}

static int render_still(session *s, const arguments *a, picture *p, const char *path) {
    const subject *moving = picture_first_moving(p);
    int code = 0;
    if (!moving && (option_given(a, "frame") || option_given(a, "time")))
        return session_error(s, EXIT_USAGE, "render: --frame and --time need something that moves; see --cache");
    double time = 0;
    if (moving) code = moment_time(s, a, moving->motion, picture_rate(a, p), &time);
    if (!code && p->holds_run && !p->panels[0].camera.given) code = hold_camera(s, p);
    if (!code) code = picture_hold_ground(s, p);
    if (!code) code = picture_move(s, p, time);
    if (code) return code;
    ruga_image *image = NULL;
    ruga_status status = ruga_render(s->context, &p->def, &image);
    if (!RUGA_FAILED(status)) status = ruga_image_write_png(image, path);
    ruga_image_destroy(image);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

/* ---- A film. */
typedef struct film_plan {
    size_t count; /* frames */
    double rate, start;
    int turns;
    ruga_camera camera; /* of the first frame */
} film_plan;

static int plan_film(session *s, const arguments *a, picture *p, film_plan *plan) {
    const subject *moving = picture_first_moving(p);
    plan->turns = option_given(a, "turntable") > 0;
    plan->rate = picture_rate(a, p);
    if (!moving && !plan->turns)
        return session_error(s, EXIT_USAGE, "render: nothing moves for a film; give --turntable N or --cache FILE");
    if (moving) {
        plan->start = ruga_motion_get_info(moving->motion).start;
        plan->count = motion_frame_count(moving->motion, plan->rate);
    }
    if (plan->turns) plan->count = (size_t)option_whole(a, "turntable");
    plan->camera = p->panels[0].camera;
    int code = picture_hold_ground(s, p);
    return code || plan->camera.given ? code : picture_film_camera(s, p, plan->turns, &plan->camera);
}

/* The camera of a frame: around the vertical through its target, when it turns. */
static ruga_camera turn_camera(const film_plan *plan, size_t frame) {
    ruga_camera camera = plan->camera;
    if (!plan->turns) return camera;
    double angle = 2 * acos(-1.0) * (double)frame / (double)plan->count;
    double x = camera.eye.x - camera.target.x, z = camera.eye.z - camera.target.z;
    camera.eye.x = camera.target.x + x * cos(angle) + z * sin(angle);
    camera.eye.z = camera.target.z - x * sin(angle) + z * cos(angle);
    return camera;
}

/* Moves the subjects and the camera to a frame of the film and renders it. */
static int render_frame(session *s, picture *p, const film_plan *plan, size_t frame, ruga_film *film) {
    int code = session_interrupted(s);
    if (!code) code = picture_move(s, p, plan->start + (double)frame / plan->rate);
    if (code) return code;
    for (size_t i = 0; i < p->def.panel_count; i++) p->panels[i].camera = turn_camera(plan, frame);
    ruga_image *image = NULL;
    ruga_status status = ruga_render(s->context, &p->def, &image);
    if (!RUGA_FAILED(status)) status = ruga_film_append(film, image);
    ruga_image_destroy(image);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

static int render_film(session *s, const arguments *a, picture *p, const char *path, size_t *count) {
    film_plan plan = {0};
    int code = plan_film(s, a, p, &plan);
    if (code) return code;
    ruga_film *film = NULL;
    ruga_status status = ruga_film_create(s->context, path, plan.rate, &film);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    for (size_t i = 0; i < plan.count && !code; i++) {
        progress_part(&s->bar, "rendering", i, plan.count);
        code = render_frame(s, p, &plan, i, film);
    }
    progress_part(&s->bar, NULL, 0, 0);
    if (!code) {
        status = ruga_film_finish(film);
        if (RUGA_FAILED(status)) code = session_failed_output(s, status);
    }
    ruga_film_destroy(film);
    *count = plan.count;
    return code;
}

static int report_picture(session *s, const picture *p, const char *path, size_t frames, double seconds) {
    if (frames)
        session_remark(s, "wrote %s: %zu frames of %d x %d, %.1f s\n", path, frames, p->def.width, p->def.height,
                       seconds);
    else
        session_remark(s, "wrote %s: %d x %d, %.1f s\n", path, p->def.width, p->def.height, seconds);
    if (!s->json) return 0;
    ruga_json_writer *json;
    int code = session_json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_object(json);
    ruga_json_key(json, "output");
    ruga_json_string(json, path);
    ruga_json_key(json, "width");
    ruga_json_integer(json, p->def.width);
    ruga_json_key(json, "height");
    ruga_json_integer(json, p->def.height);
    ruga_json_key(json, "frames");
    ruga_json_integer(json, frames ? (int64_t)frames : 1);
    ruga_json_key(json, "seconds");
    ruga_json_number(json, seconds);
    ruga_json_end_object(json);
    return session_json_finish(s, json);
}

static int check_output(session *s, const arguments *a, const char *path) {
    if (!path) return session_error(s, EXIT_USAGE, "render: say where to write it: -o FILE.png");
    const char *ending = strrchr(path, '.');
    int is_png = ending && strcmp(ending, ".png") == 0, film = path_is_film(path);
    if ((!is_png && !film) || (path_is_pattern(path) && (!is_png || !strchr(path, '#'))))
        return session_error(s, EXIT_USAGE, "%s: pictures are .png, films .mp4, .gif or frame_####.png", path);
    if (!film && option_given(a, "turntable"))
        return session_error(s, EXIT_USAGE, "%s: --turntable makes a film: .mp4, .gif or frame_####.png", path);
    return 0;
}

static int run(session *s, const arguments *a) {
    static picture p; /* too large for some stacks */
    const char *path = option_text(a, "output");
    double begun = seconds_now();
    size_t frames = 0;
    int code = check_output(s, a, path);
    if (!code) code = read_subjects(s, a, &p);
    if (!code) code = picture_arrange(s, a, &p);
    if (!code) code = path_is_film(path) ? render_film(s, a, &p, path, &frames) : render_still(s, a, &p, path);
    if (!code) code = report_picture(s, &p, path, frames, seconds_now() - begun);
    picture_release(&p);
    return code;
}

const command command_render = {
    .name = "render",
    .summary = "makes a picture or a film of meshes",
    .usage = "ruga render MESH|DIR... -o FILE.png|FILE.mp4|FILE.gif|frame_####.png [options]",
    .about =
        "Soft light, two-sided surfaces, framed by itself unless a camera is given. Several meshes share one view, or\n"
        "stand side by side with captions. A film plays the motion of an animated mesh, or goes around it. The "
        "directory\n"
        "of a run stands for all its objects and what they collide with, as far as it has come.",
    .examples =
        "  ruga render torus.obj -o torus.png\n"
        "  ruga render torus.obj --wireframe --azimuth 30 --elevation 25 -o torus.png\n"
        "  ruga render pillow.ply --attribute y --label \"height (m)\" -o height.png\n"
        "  ruga render coarse.obj fine.obj --side-by-side --caption before --caption after -o both.png\n"
        "  ruga render torus.obj --turntable 72 -o turn.mp4\n"
        "  ruga render rest.obj --cache cache.pc2 --rate 24 -o film.mp4\n"
        "  ruga render flutter.run -o flutter.mp4\n"
        "  ruga render flutter.run --frame 30 -o moment.png\n",
    .add_options = add_options,
    .run = run,
};
