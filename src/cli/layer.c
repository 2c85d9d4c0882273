/* The work of commands that add one detail to anything that moves, through a scene in memory. */
#include "layer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

static const option frame_options[] = {
    FRAMES_ROW("only the frames A to B, counted from 0"),
    WHOLE_ROW("frame", "F", NULL, NULL, 0, 1e9,
              "a single frame, counted from 0; it starts from rest and is iterated until nothing moves"),
    SKIP_BAD_ROW, CACHE_ROW("BODY")};

void layer_add_options(option_list *list) {
    option_list_add(list, "Frames", frame_options, OPTION_COUNT(frame_options));
    option_list_add(list, "Time", motion_options, OPTION_COUNT(motion_options));
    option_list_add(list, "Input", input_options, OPTION_COUNT(input_options));
}

/* ---- Input and output. */

int layer_read_words(session *s, layer *w) {
    const arguments *a = w->arguments;
    if (a->word_count != 1)
        return session_error(s, EXIT_USAGE, "%s: expected one body that moves: ruga %s BODY -o OUT", w->name, w->name);
    if (!w->out) w->out = option_text(a, "output");
    if (!w->out) return session_error(s, EXIT_USAGE, "%s: give the output: -o OUT", w->name);
    w->write = output_def(a);
    TRY_CODE(output_format(s, a, w->out, &w->write.format));
    w->still = option_given(a, "frame") && !format_is_motion(w->write.format, w->out);
    if (!w->still && strcmp(w->out, "-") == 0)
        return session_error(s, EXIT_USAGE, "%s: only a single frame can be written to standard output; see --frame",
                             w->name);
    if (w->still || format_may_be_motion(w->write.format, w->out)) return 0;
    return session_error(s, EXIT_USAGE,
                         "%s: holds a single mesh; write a sequence such as frame_####.obj, or one frame with --frame",
                         w->out);
}

/* Nothing can be attached to triangles without area, and nobody sees them. */
static int leave_out_flat(session *s, layer *w) {
    ruga_mesh *without = NULL;
    size_t count, first;
    TRY_CODE(output_code(s, ruga_wrinkle_base_make(w->body.mesh, &without, &count, &first)));
    if (!without) return 0;
    session_warning(s, "%s: %s triangle%s no area at rest and %s left out: face %zu%s", w->body.path,
                    with_commas(count), count == 1 ? " has" : "s have", count == 1 ? "is" : "are", first,
                    count == 1 ? "" : " and others");
    return subject_replace_mesh(s, &w->body, without);
}

int layer_open_body(session *s, layer *w) {
    const arguments *a = w->arguments;
    int code = subject_read(s, a, a->words[0], option_text(a, "cache"), &w->body);
    if (!code) code = subject_check_faces(s, &w->body, "");
    if (!code) code = leave_out_flat(s, w);
    if (code) return code;
    if (!w->body.motion)
        return session_error(
            s, EXIT_INPUT,
            "%s: it has no motion; give one with --cache: a PC2 or MDD cache, a sequence such as frame_####.obj, an "
            "animated glTF or a run",
            w->body.path);
    const timeline *times = &w->reader.times;
    note_missing_rate(s, a, w->body.motion, w->body.motion_path);
    code = frame_reader_open(s, a, &w->body, &w->reader);
    if (!code)
        code = timeline_choose(s, a, times, w->body.motion_path, option_given(a, "frame") ? "frame" : "frames",
                               &w->first, &w->count);
    if (code) return code;
    w->write.rate = times->rate;
    w->write.start = timeline_time(times, w->first);
    if (keeps_origin(a, w->body.path, w->out, &w->write)) {
        const ruga_file_def in = input_def(a);
        w->write.origin = w->origin ? w->origin : w->body.path;
        w->write.mesh = w->body.mesh_name ? w->body.mesh_name : in.mesh;
        w->write.animation = in.animation;
        w->write.baked = w->still;
    }
    note_lost_origin(s, a, w->body.path, w->out, &w->write);
    return subject_check_overwriting(s, a, &w->body);
}

/* ---- The scene: an animated body with one detail. */

static ruga_status give_current(void *user, double time, ruga_vec3 *positions) {
    const subject *body = user;
    (void)time;
    memcpy(positions, body->current.positions, body->mesh->vertex_count * sizeof *positions);
    return RUGA_OK;
}

#define MOST_FRAMES 1e6 /* the greatest first frame of a scene */

/* The scene has the frame numbers of the motion, so that keyframes of parameters fit to it. */
static int make_scene(session *s, layer *w) {
    ruga_scene_def def = *ruga_description_get(w->description);
    ruga_object_def object = *(const ruga_object_def *)def.objects.items;
    double rate = w->reader.times.rate, begin = ruga_motion_get_info(w->body.motion).start * rate + (double)w->first;
    TRY_CODE(output_code(s, ruga_motion_from_function(s->context, w->body.mesh->vertex_count, 0, 0, give_current,
                                                      &w->body, &w->current)));
    object.given_mesh = w->body.mesh;
    object.given_motion = w->current;
    if (w->details.count > 0) object.details = w->details;
    def.objects = (ruga_list){&object, 1};
    def.time.fps = rate;
    def.time.start_frame = (int)lround(fmax(-MOST_FRAMES, fmin(begin, MOST_FRAMES)));
    int code = input_code(s, ruga_scene_create(s->context, &def, &w->scene));
    if (!code) w->fine = ruga_scene_object_mesh(w->scene, 0);
    return code;
}

/* ---- Frames. */

static int make_frame(session *s, void *user, size_t i, ruga_frame *out) {
    layer *w = user;
    size_t frame = w->first + i;
    TRY_CODE(i > 0 ? frame_reader_move(s, &w->reader, frame) : 0);
    double begun = seconds_now();
    ruga_status status = ruga_scene_step(w->scene);
    *(i > 0 ? &w->seconds : &w->first_seconds) += seconds_now() - begun;
    if (RUGA_FAILED(status) && status != RUGA_ERROR_CANCELLED && status != RUGA_ERROR_MEMORY)
        return session_error(s, EXIT_INPUT, "%s: frame %zu: %s", w->body.motion_path, frame,
                             ruga_context_message(s->context));
    if (RUGA_FAILED(status)) return output_code(s, status);
    *out = *ruga_scene_frame(w->scene, 0);
    out->time = timeline_time(&w->reader.times, frame);
    if (!w->delta_writer) return 0;
    /* The vertices of the body are the first of the fine mesh. */
    const ruga_frame coarse = {
        .time = out->time, .vertex_count = w->body.mesh->vertex_count, .positions = out->positions};
    return output_code(s, ruga_motion_writer_append(w->delta_writer, &coarse));
}

static int open_delta(session *s, layer *w) {
    const arguments *a = w->arguments;
    ruga_file_def def = w->write;
    if (!w->delta) return 0;
    def.format = RUGA_FORMAT_AUTO;
    def.format = ruga_format_from_path(w->delta);
    def.origin = keeps_origin(a, w->body.path, w->delta, &def) ? w->body.path : NULL;
    return output_code(s, ruga_motion_writer_create(w->body.mesh, w->delta, &def, &w->delta_writer));
}

int layer_make_frames(session *s, layer *w) {
    if (w->delta && (w->still || option_given(w->arguments, "fine")))
        return session_error(s, EXIT_USAGE, "%s: --delta needs a motion, and a fine mesh that is made from the body",
                             w->name);
    TRY_CODE(frame_reader_move(s, &w->reader, w->first));
    double begun = seconds_now();
    int code = make_scene(s, w);
    w->first_seconds = seconds_now() - begun;
    if (code) return code;
    if (w->still) {
        ruga_frame frame;
        code = make_frame(s, w, 0, &frame);
        return code ? code : write_mesh(s, w->fine, &frame, w->out, &w->write);
    }
    const frame_source source = {
        .mesh = w->fine, .doing = "frame", .count = w->count, .mesh_beside = 1, .make = make_frame, .user = w};
    TRY_CODE(open_delta(s, w));
    TRY_CODE(frames_write(s, &source, w->out, &w->write));
    return w->delta_writer ? output_code(s, ruga_motion_writer_finish(w->delta_writer)) : 0;
}

/* ---- The report. */

double layer_frame_milliseconds(const layer *w) {
    return w->count > 1 ? 1000 * w->seconds / (double)(w->count - 1) : 0;
}

void layer_put_report(const layer *w, ruga_json_writer *json) {
    ruga_json_put_string(json, "output", w->shown ? w->shown : w->out);
    ruga_json_put_count(json, "base_triangles", w->body.mesh->triangle_count);
    ruga_json_put_count(json, "triangles", w->fine->triangle_count);
    ruga_json_put_count(json, "vertices", w->fine->vertex_count);
    ruga_json_put_count(json, "frames", w->count);
    ruga_json_put_count(json, "first_frame", w->first);
    ruga_json_put_number(json, "rate", w->write.rate);
    ruga_json_put_number(json, "start", w->write.start);
    ruga_json_put_number(json, "first_seconds", w->first_seconds);
    ruga_json_put_number(json, "frame_milliseconds", layer_frame_milliseconds(w));
}

void layer_put_bad_frames(const layer *w, ruga_json_writer *json) {
    ruga_json_put_array(json, "bad_frames");
    for (size_t i = 0; i < w->reader.bad_count; i++) ruga_json_integer(json, (int64_t)w->reader.bad[i]);
    ruga_json_end_array(json);
}

void layer_print_times(session *s, const layer *w) {
    session_remark(s, "the first frame took %s s", with_digits(w->first_seconds));
    if (w->count > 1) session_remark(s, ", each other %s ms", with_digits(layer_frame_milliseconds(w)));
    session_remark(s, "\n");
    if (w->reader.bad_count == 0) return;
    session_remark(s, "bad frames that were replaced:");
    for (size_t i = 0; i < w->reader.bad_count; i++) session_remark(s, "%s %zu", i ? "," : "", w->reader.bad[i]);
    session_remark(s, "\n");
}

void layer_release(layer *w) {
    ruga_motion_writer_destroy(w->delta_writer);
    ruga_scene_destroy(w->scene);
    ruga_motion_destroy(w->current);
    ruga_description_destroy(w->description);
    frame_reader_release(&w->reader);
    subject_release(&w->body);
}
