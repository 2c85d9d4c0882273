/* ruga wrinkle: a wrinkle mesh on anything that moves, through a scene in memory. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "field_options.h"
#include "frames.h"
#include "report.h"
#include "scenes.h"

static const option output_options[] = {
    OUTPUT_ROW(
        "FILE", NULL,
        "an animated .glb, .gltf or .usda, a .pc2 or .mdd with the mesh as .obj beside it, or a sequence such as "
        "frame_####.obj; for a single frame, any mesh format"),
    FORMAT_ROW,
    UNIT_ROW("out-unit", "output"),
    UP_ROW("out-up", "output"),
};

static const option frame_options[] = {
    FRAMES_ROW("only the frames A to B, counted from 0"),
    WHOLE_ROW("frame", "F", NULL, NULL, 0, 1e9,
              "a single frame, counted from 0; it starts from rest and is iterated until nothing moves"),
    SKIP_BAD_ROW,
    CACHE_ROW("BODY"),
};

static field_options wrinkle = {
    .heading = "Wrinkles (VALUE is a number, the name of a painted vertex attribute, or {...})",
    .section = "objects.details.wrinkle",
    .target = "objects[0].details[0]"};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    field_options_add(list, &wrinkle, 1);
    option_list_add(list, "Frames", frame_options, OPTION_COUNT(frame_options));
    option_list_add(list, "Time", motion_options, OPTION_COUNT(motion_options));
    option_list_add(list, "Input", input_options, OPTION_COUNT(input_options));
    return 0;
}

/* The state of one call. */
typedef struct wrinkling {
    const arguments *arguments;
    const char *out;
    ruga_file_def write;
    int still; /* write a mesh, no motion */
    subject body;
    frame_reader reader; /* of the body */
    size_t first, count; /* frames */
    ruga_description *description;
    ruga_motion *current; /* the body's current frame at any time */
    ruga_scene *scene;
    const ruga_mesh *fine;
    double first_seconds, seconds; /* until the first frame; of all others */
} wrinkling;

/* ---- Input and output. */

static int read_words(session *s, wrinkling *w) {
    const arguments *a = w->arguments;
    if (a->word_count != 1)
        return session_error(s, EXIT_USAGE, "wrinkle: expected one body that moves: ruga wrinkle BODY -o OUT");
    w->out = option_text(a, "output");
    if (!w->out) return session_error(s, EXIT_USAGE, "wrinkle: say where to write it: -o OUT");
    w->write = output_def(a);
    TRY_CODE(output_format(s, a, w->out, &w->write.format));
    w->still = option_given(a, "frame") && !format_is_motion(w->write.format, w->out);
    if (!w->still && strcmp(w->out, "-") == 0)
        return session_error(s, EXIT_USAGE, "wrinkle: only a single frame goes to standard output; see --frame");
    if (w->still || format_may_be_motion(w->write.format, w->out)) return 0;
    return session_error(s, EXIT_USAGE,
                         "%s: holds a single mesh; write a sequence such as frame_####.obj, or one frame with --frame",
                         w->out);
}

static int open_body(session *s, wrinkling *w) {
    const arguments *a = w->arguments;
    int code = subject_read(s, a, a->words[0], option_text(a, "cache"), &w->body);
    if (!code) code = subject_check_faces(s, &w->body, "");
    if (code) return code;
    if (!w->body.motion)
        return session_error(
            s, EXIT_INPUT,
            "%s: nothing moves in it; give its motion with --cache: a PC2 or MDD cache, a sequence such "
            "as frame_####.obj, an animated glTF or a run",
            w->body.path);
    const timeline *times = &w->reader.times;
    const char *const inputs[] = {w->body.path, w->body.motion_path, option_text(a, "fine")};
    code = frame_reader_open(s, a, &w->body, &w->reader);
    if (!code)
        code = timeline_choose(s, a, times, w->body.motion_path, option_given(a, "frame") ? "frame" : "frames",
                               &w->first, &w->count);
    if (code) return code;
    w->write.rate = times->rate;
    w->write.start = timeline_time(times, w->first);
    return check_overwriting(s, w->out, inputs, OPTION_COUNT(inputs));
}

/* ---- The scene: an animated body with one detail. */

static const char scene_text[] =
    "{\"objects\": [{\"name\": \"body\", \"mesh\": {\"kind\": \"sheet\"}, \"body\": {\"kind\": \"animated\"},\n"
    "              \"details\": [{\"kind\": \"wrinkle\"}]}]}";

/* The unit and the axis of the input also hold for a fine mesh from a file, unless its own are given. */
static int describe(session *s, wrinkling *w) {
    const arguments *a = w->arguments;
    int code = scene_describe(s, "wrinkle", scene_text, &w->description);
    ruga_description *d = w->description;
    if (!code && option_given(a, "unit"))
        code =
            usage_code(s, ruga_description_set(d, "objects[0].details[0].fine_unit", option_text(a, "unit")), "unit");
    if (!code && option_given(a, "up"))
        code = usage_code(s, ruga_description_set(d, "objects[0].details[0].fine_up", option_text(a, "up")), "up");
    return code ? code : field_options_apply(s, a, &wrinkle, wrinkle.target, d);
}

static ruga_status give_current(void *user, double time, ruga_vec3 *positions) {
    const subject *body = user;
    (void)time;
    memcpy(positions, body->current.positions, body->mesh->vertex_count * sizeof *positions);
    return RUGA_OK;
}

#define MOST_FRAMES 1e6 /* the greatest first frame of a scene */

/* The scene has the frame numbers of the motion, so that keyframes of parameters fit to it. */
static int make_scene(session *s, wrinkling *w) {
    ruga_scene_def def = *ruga_description_get(w->description);
    ruga_object_def object = *(const ruga_object_def *)def.objects.items;
    double rate = w->reader.times.rate, begin = ruga_motion_get_info(w->body.motion).start * rate + (double)w->first;
    TRY_CODE(output_code(s, ruga_motion_from_function(s->context, w->body.mesh->vertex_count, 0, 0, give_current,
                                                      &w->body, &w->current)));
    object.given_mesh = w->body.mesh;
    object.given_motion = w->current;
    def.objects = (ruga_list){&object, 1};
    def.time.fps = rate;
    def.time.start_frame = (int)lround(fmax(-MOST_FRAMES, fmin(begin, MOST_FRAMES)));
    int code = input_code(s, ruga_scene_create(s->context, &def, &w->scene));
    if (!code) w->fine = ruga_scene_object_mesh(w->scene, 0);
    return code;
}

/* ---- Frames. */

static int make_frame(session *s, void *user, size_t i, ruga_frame *out) {
    wrinkling *w = user;
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
    return 0;
}

static int make_frames(session *s, wrinkling *w) {
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
    return frames_write(s, &source, w->out, &w->write);
}

/* ---- The report. */

static double frame_milliseconds(const wrinkling *w) {
    return w->count > 1 ? 1000 * w->seconds / (double)(w->count - 1) : 0;
}

/* Where wavelength and radius come from. */
static const char *const wave_origins[] = {
    [RUGA_WRINKLE_WAVE_NONE] = "none",
    [RUGA_WRINKLE_WAVE_GIVEN] = "as asked",
    [RUGA_WRINKLE_WAVE_BASE_EDGES] = "one and a half average edges of the body",
    [RUGA_WRINKLE_WAVE_FINE_EDGES] = "five average edges of the fine mesh, which is too coarse for shorter waves"};
static const char *const radius_origins[] = {
    [RUGA_WRINKLE_RADIUS_GIVEN] = "in metres, as given",
    [RUGA_WRINKLE_RADIUS_WAVE] = "what such waves need",
    [RUGA_WRINKLE_RADIUS_PAINTED] = "as painted, a factor of what such waves need",
    [RUGA_WRINKLE_RADIUS_FINE_EDGES] = "half the average edge of the fine mesh"};

static int json_report(session *s, const wrinkling *w, const ruga_wrinkle_mesh_report *found) {
    ruga_json_writer *json;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "output", w->out);
    ruga_json_put_count(json, "base_triangles", w->body.mesh->triangle_count);
    ruga_json_put_count(json, "triangles", w->fine->triangle_count);
    ruga_json_put_count(json, "vertices", w->fine->vertex_count);
    ruga_json_put_count(json, "frames", w->count);
    ruga_json_put_count(json, "first_frame", w->first);
    ruga_json_put_number(json, "rate", w->write.rate);
    ruga_json_put_number(json, "start", w->write.start);
    ruga_json_put_number(json, "first_seconds", w->first_seconds);
    ruga_json_put_number(json, "frame_milliseconds", frame_milliseconds(w));
    if (found->wave_origin != RUGA_WRINKLE_WAVE_NONE) ruga_json_put_number(json, "wavelength", found->wavelength);
    ruga_json_put_string(json, "wavelength_origin", wave_origins[found->wave_origin]);
    ruga_json_put_number(json, "least_radius", found->least_radius);
    ruga_json_put_number(json, "greatest_radius", found->greatest_radius);
    ruga_json_put_string(json, "radius_origin", radius_origins[found->radius_origin]);
    ruga_json_put_array(json, "bad_frames");
    for (size_t i = 0; i < w->reader.bad_count; i++) ruga_json_integer(json, (int64_t)w->reader.bad[i]);
    ruga_json_end_array(json);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

static void print_report(session *s, const wrinkling *w, const ruga_wrinkle_mesh_report *found) {
    if (strcmp(w->out, "-") == 0) return;
    session_remark(s, "wrote %s: %s frame%s of %s vertices and %s triangles, on %s of the body\n", w->out,
                   with_commas(w->count), w->count == 1 ? "" : "s", with_commas(w->fine->vertex_count),
                   with_commas(w->fine->triangle_count), with_commas(w->body.mesh->triangle_count));
    if (found->wave_origin == RUGA_WRINKLE_WAVE_NONE)
        session_remark(s, "wavelength: none\n");
    else
        session_remark(s, "wavelength: %s m, %s\n", with_digits(found->wavelength), wave_origins[found->wave_origin]);
    session_remark(s, "radius: ");
    if (found->least_radius < found->greatest_radius) session_remark(s, "%s to ", with_digits(found->least_radius));
    session_remark(s, "%s m, %s\n", with_digits(found->greatest_radius), radius_origins[found->radius_origin]);
    session_remark(s, "the first frame took %s s", with_digits(w->first_seconds));
    if (w->count > 1) session_remark(s, ", each other %s ms", with_digits(frame_milliseconds(w)));
    session_remark(s, "\n");
    if (w->reader.bad_count == 0) return;
    session_remark(s, "bad frames that were replaced:");
    for (size_t i = 0; i < w->reader.bad_count; i++) session_remark(s, "%s %zu", i ? "," : "", w->reader.bad[i]);
    session_remark(s, "\n");
}

/* ---- The command. */

static int wrinkle_body(session *s, wrinkling *w) {
    ruga_wrinkle_mesh_report found;
    int code = read_words(s, w);
    if (!code) code = describe(s, w);
    if (!code) code = open_body(s, w);
    if (!code) code = make_frames(s, w);
    if (!code) code = output_code(s, ruga_scene_wrinkle_report(w->scene, 0, 0, &found));
    if (code) return code;
    print_report(s, w, &found);
    return s->json ? json_report(s, w, &found) : 0;
}

static int run(session *s, const arguments *a) {
    wrinkling w = {.arguments = a};
    int code = wrinkle_body(s, &w);
    ruga_scene_destroy(w.scene);
    ruga_motion_destroy(w.current);
    ruga_description_destroy(w.description);
    frame_reader_release(&w.reader);
    subject_release(&w.body);
    return code;
}

const command command_wrinkle = {
    .name = "wrinkle",
    .summary = "adds fine wrinkles to anything that moves",
    .usage = "ruga wrinkle BODY -o OUT [options]",
    .about =
        "Attaches a fine mesh to a moving body; it wrinkles where the body is compressed (Müller and Chentanez 2010). "
        "BODY is an animated glTF (skin or morph targets), a mesh with its motion after --cache, a sequence such as "
        "frame_####.obj, or a run. The mesh itself is the rest shape; of a sequence, the first file.\n"
        "The vertices of the body come first, in their order; the new ones follow. UVs, groups and materials are "
        "carried over. --wavelength sets the length of the wrinkles on any mesh; the default is one and a half "
        "average edges of the body. A painted radius is a factor of the radius that the wavelength needs, so a mask "
        "from 0 to 1 works. The first frame is settled, so it has its wrinkles at once. With --settle, every frame is "
        "settled and does not depend on earlier ones. docs/wrinkle-mesh.md explains all parameters.",
    .examples =
        "  ruga wrinkle arm.glb -o wrinkled.glb\n"
        "  ruga wrinkle arm.glb --radius elbow -o wrinkled.glb\n"
        "  ruga wrinkle walk.glb --radius 'joint:Left*Arm*' -o wrinkled.glb\n"
        "  ruga wrinkle arm.glb --wavelength 0.02 --subdivide 8 -o wrinkled.usda\n"
        "  ruga wrinkle shirt.obj --cache shirt.pc2 --unit cm --radius 0.004 -o fine.pc2\n"
        "  ruga wrinkle hall.run --mesh curtain --fine fine.obj -o fine_####.obj\n"
        "  ruga wrinkle arm.glb --frame 37 -o frame37.obj\n"
        "  ruga wrinkle walk.glb --pre-stretch '{\"attribute\": \"mask\"}' -o out.glb\n",
    .groups = {OPTION_GROUP("Output", output_options)},
    .add_options = add_options,
    .run = run,
};
