/* ruga render: pictures and films of meshes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "picture.h"
#include "report.h"
#include "runs.h"

static const option render_options[] = {
    OUTPUT_ROW("FILE", NULL,
               "a picture (.png), a film (.mp4 or .gif, made by ffmpeg), or a sequence of pictures (frame_####.png)"),
    WHOLE_ROW("turntable", "N", "frames", NULL, 1, 100000,
              "a film of N frames in which the camera circles the mesh once"),
    FLAG_ROW("no-colliders", 0, "do not draw the colliders of a run"),
};

/* ---- Subjects. */
/* Meshes, and runs with their objects and colliders. */
static int read_subjects(session *s, const arguments *a, picture *p) {
    if (a->word_count == 0)
        return session_error(s, EXIT_USAGE, "render: expected a mesh or a run: ruga render MESH -o FILE.png");
    size_t files = 0;
    int code = 0;
    for (size_t i = 0; i < a->word_count && !code; i++)
        if (ruga_path_is_run(a->words[i])) {
            p->holds_run = 1;
            code = run_add_chosen(s, a, a->words[i], p);
            if (!code) code = run_follow_topology(s, p);
            if (!code) run_choose_finishes(s, a->words[i], p);
            if (!code && !option_given(a, "no-colliders")) code = run_add_colliders(s, a->words[i], p);
        } else
            code = picture_read(s, a, a->words[i], option_text_at(a, "cache", files++), p);
    for (size_t i = 0; i < p->subject_count && !code; i++)
        code = subject_check_faces(s, &p->subjects[i], ", so there is nothing to draw");
    return code;
}

/* ---- A single picture. */
static int render_still(session *s, const arguments *a, picture *p, const char *path) {
    const subject *moving = picture_first_moving(p);
    int code = 0;
    double time = 0;
    if (!moving && (option_given(a, "frame") || option_given(a, "time")))
        return session_error(s, EXIT_USAGE, "render: --frame and --time need a mesh that moves; see --cache");
    if (moving) {
        timeline t = timeline_at_rate(moving->motion, frame_rate(a, moving->motion));
        code = timeline_moment(s, a, &t, &time);
    }
    /* All pictures of a run have the same camera, so that they can be compared. */
    if (!code && p->holds_run && !p->panels[0].camera.given) code = picture_film_cameras(s, p, 0);
    if (!code) code = picture_hold_ground(s, p);
    if (!code) code = picture_move(s, p, time);
    if (code) return code;
    ruga_image *image = NULL;
    ruga_status status = ruga_render(s->context, &p->def, &image);
    if (!RUGA_FAILED(status)) status = ruga_image_write_png(image, path);
    p->faceted = image && image->faceted > 0;
    ruga_image_destroy(image);
    return output_code(s, status);
}

/* ---- A film. */
typedef struct film_plan {
    picture *p;
    timeline times;
    int turns;
    ruga_camera cameras[MAX_SUBJECTS]; /* of the panels, in the first frame */
} film_plan;

static int plan_film(session *s, const arguments *a, film_plan *plan) {
    const subject *moving = picture_first_moving(plan->p);
    plan->turns = option_given(a, "turntable") > 0;
    if (!moving && !plan->turns)
        return session_error(s, EXIT_USAGE, "render: a film needs a motion; give --turntable N or --cache FILE");
    plan->times.rate = frame_rate(a, moving ? moving->motion : NULL);
    if (moving) plan->times = timeline_at_rate(moving->motion, plan->times.rate);
    if (plan->turns) plan->times.count = (size_t)option_whole(a, "turntable");
    int code = picture_hold_ground(s, plan->p);
    if (!code && !plan->p->panels[0].camera.given) code = picture_film_cameras(s, plan->p, plan->turns);
    for (size_t i = 0; i < plan->p->def.panel_count; i++) plan->cameras[i] = plan->p->panels[i].camera;
    return code;
}

/* Moves the subjects to a frame, turns the camera around the vertical through its target, and renders. */
static int render_frame(session *s, void *user, size_t frame, ruga_image **out) {
    const film_plan *plan = user;
    TRY_CODE(picture_move(s, plan->p, timeline_time(&plan->times, frame)));
    for (size_t i = 0; plan->turns && i < plan->p->def.panel_count; i++) {
        ruga_camera camera = plan->cameras[i];
        double angle = 2 * acos(-1.0) * (double)frame / (double)plan->times.count;
        double x = camera.eye.x - camera.target.x, z = camera.eye.z - camera.target.z;
        camera.eye.x = camera.target.x + x * cos(angle) + z * sin(angle);
        camera.eye.z = camera.target.z - x * sin(angle) + z * cos(angle);
        plan->p->panels[i].camera = camera;
    }
    plan->p->def.number = (uint32_t)frame;
    int code = output_code(s, ruga_render(s->context, &plan->p->def, out));
    plan->p->faceted += !code && (*out)->faceted > 0;
    return code;
}

static int render_film(session *s, const arguments *a, picture *p, const char *path, size_t *count) {
    film_plan plan = {.p = p};
    int code = plan_film(s, a, &plan);
    *count = plan.times.count;
    return code ? code : frames_film(s, "rendering", *count, plan.times.rate, render_frame, &plan, path);
}

static int report_picture(session *s, const picture *p, const char *path, size_t frames, double seconds) {
    if (frames)
        session_remark(s, "wrote %s: %zu frames of %d x %d, %.1f s\n", path, frames, p->def.width, p->def.height,
                       seconds);
    else
        session_remark(s, "wrote %s: %d x %d, %.1f s\n", path, p->def.width, p->def.height, seconds);
    if (p->faceted)
        session_remark(s, "%zu %s drawn with facets, because the smooth surfaces would intersect\n", p->faceted,
                       p->faceted == 1 ? "frame is" : "frames are");
    return REPORT_JSON(s, REPORT_TEXT("output", path), REPORT_NUMBER("width", p->def.width),
                       REPORT_NUMBER("height", p->def.height), REPORT_NUMBER("frames", frames ? (double)frames : 1),
                       REPORT_NUMBER("faceted", (double)p->faceted), REPORT_NUMBER("seconds", seconds));
}

static int check_output(session *s, const arguments *a, const char *path) {
    if (!path) return session_error(s, EXIT_USAGE, "render: give the output: -o FILE.png");
    int is_png = path_ends_in(path, ".png"), film = path_is_film(path);
    if ((!is_png && !film) || (path_is_pattern(path) && (!is_png || !strchr(path, '#'))))
        return session_error(s, EXIT_INPUT, "%s: pictures are .png, films .mp4, .gif or frame_####.png", path);
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
    .usage = "ruga render MESH|DIR... -o PNG|MP4|GIF|frame_####.png [options]",
    .about =
        "Renders with soft light and frames the meshes, unless a camera is given. Several meshes share one view, or "
        "are shown side by side with captions. A film shows the motion of an animated mesh, or a mesh from all "
        "sides. The directory of a run stands for all its objects and colliders, with the frames written so far; "
        "--mesh, which may be repeated, chooses objects.",
    .examples =
        "  ruga render torus.obj -o torus.png\n"
        "  ruga render torus.obj --wireframe --azimuth 30 --elevation 25 -o torus.png\n"
        "  ruga render pillow.ply --attribute y --label \"height (m)\" -o height.png\n"
        "  ruga render a.obj b.obj --side-by-side --caption old --caption new -o c.png\n"
        "  ruga render torus.obj --turntable 72 -o turn.mp4\n"
        "  ruga render rest.obj --cache cache.pc2 --rate 24 -o film.mp4\n"
        "  ruga render flutter.run -o flutter.mp4\n"
        "  ruga render flutter.run --frame 30 -o moment.png\n",
    .groups = {OPTION_GROUP("Output", render_options), OPTION_GROUP("Picture", image_options),
               OPTION_GROUP("Look", look_options), OPTION_GROUP("Camera", camera_options),
               OPTION_GROUP("Motion", moment_options), OPTION_GROUP("Time", motion_options),
               OPTION_GROUP("Input", input_options)},
    .run = run,
};
