/* ruga wrinkle: a wrinkle mesh on anything that moves, through a scene in memory. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "field_options.h"
#include "moving_body.h"

static const option output_options[] = {
    OUTPUT_ROW("FILE", NULL,
               "where to write: an animated .glb, .gltf or .usda, a .pc2 or .mdd with the mesh as .obj beside it, or a "
               "sequence such as frame_####.obj; of a single frame any mesh"),
    FORMAT_ROW,
    UNIT_ROW("out-unit", "output"),
    UP_ROW("out-up", "output"),
};

static const option frame_options[] = {
    {.name = "frames", .kind = OPTION_SPAN, .value = "A:B", .help = "only the frames A to B, counted from 0"},
    {.name = "frame",
     .kind = OPTION_WHOLE,
     .value = "F",
     .low = 0,
     .high = 1e9,
     .help = "a single frame, counted from 0; it starts from rest and is iterated until nothing moves"},
    {.name = "skip-bad",
     .kind = OPTION_FLAG,
     .help =
         "over a frame that can't be read or has vertices that are not finite, hold the last good one, and list it"},
    {.name = "cache",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .help = "the motion of BODY, if it is not in its own file: a PC2 or MDD cache, an animated glTF, a sequence such "
             "as frame_####.obj, or a run"},
};

static field_options wrinkle;

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    field_options_make(&wrinkle, ruga_scene_section_find("objects.details.wrinkle"), 1);
    option_list_add(list, "Output", output_options, OPTION_COUNT(output_options));
    option_list_add(list, "Wrinkles (numbers may be painted: VALUE is one, the name of a vertex attribute, or {...})",
                    wrinkle.options, wrinkle.count);
    option_list_add(list, "Frames", frame_options, OPTION_COUNT(frame_options));
    option_list_add(list, "Time", motion_options, motion_option_count);
    option_list_add(list, "Input", input_options, input_option_count);
    return 0;
}

/* All that one call of the command knows. */
typedef struct wrinkling {
    const arguments *arguments;
    const char *out;
    ruga_file_def write;
    int still; /* a mesh is written, no motion */
    moving_body body;
    size_t first, count; /* frames */
    ruga_description *description;
    ruga_motion *present; /* the body's present frame, whatever the time */
    ruga_scene *scene;
    const ruga_mesh *fine;
    double first_seconds, seconds; /* until the first frame; of all others */
} wrinkling;

/* ---- What is asked for. */

static int read_words(session *s, wrinkling *w) {
    const arguments *a = w->arguments;
    if (a->word_count != 1)
        return session_error(s, EXIT_USAGE, "wrinkle: wants one body that moves: ruga wrinkle BODY -o OUT");
    w->out = option_text(a, "output");
    if (!w->out) return session_error(s, EXIT_USAGE, "wrinkle: say where to write it: -o OUT");
    w->write = ruga_file_def_default();
    w->write.unit = option_length(a, "out-unit");
    w->write.up = (ruga_axis)option_choice(a, "out-up");
    int code = output_format(s, a, w->out, &w->write.format);
    if (code) return code;
    w->still = option_given(a, "frame") && !format_is_motion(w->write.format, w->out);
    if (!w->still && strcmp(w->out, "-") == 0)
        return session_error(s, EXIT_USAGE, "wrinkle: only a single frame goes to standard output; see --frame");
    if (w->still || format_may_be_motion(w->write.format, w->out)) return 0;
    return session_error(s, EXIT_USAGE,
                         "%s: holds a single mesh; write a sequence such as frame_####.obj, or one frame with --frame",
                         w->out);
}

static int choose_frames(session *s, wrinkling *w) {
    const arguments *a = w->arguments;
    const char *name = option_given(a, "frame") ? "frame" : "frames";
    double first = 0, last = (double)(w->body.count - 1);
    if (option_given(a, "frames")) option_span(a, "frames", &first, &last);
    if (option_given(a, "frame")) first = last = option_number(a, "frame");
    if (first != floor(first) || last != floor(last) || first < 0 || last >= (double)w->body.count)
        return session_error(s, EXIT_USAGE, "--%s takes whole numbers from 0 to %zu here, not '%s': %s has %s frame%s",
                             name, w->body.count - 1, option_text(a, name), w->body.motion_path,
                             with_commas(w->body.count), w->body.count == 1 ? "" : "s");
    w->first = (size_t)first;
    w->count = (size_t)(last - first) + 1;
    w->write.rate = w->body.rate;
    w->write.start = moving_body_time(&w->body, w->first);
    return 0;
}

/* ---- What would be overwritten. */

static int is_same_file(const char *a, const char *b) {
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static int refuse_overwriting(session *s, const wrinkling *w, const char *path) {
    const char *const inputs[] = {w->body.path, w->body.motion_path, option_text(w->arguments, "fine")};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        if (inputs[i] && is_same_file(inputs[i], path))
            return session_error(s, EXIT_USAGE, "%s: is read, so it can't be written; choose another name after -o",
                                 path);
    return 0;
}

static int check_output(session *s, const wrinkling *w) {
    char beside[4200];
    int code = refuse_overwriting(s, w, w->out);
    if (!code && mesh_beside_cache(w->out, beside, sizeof beside)) code = refuse_overwriting(s, w, beside);
    return code;
}

/* ---- The scene: an animated body with one detail. */

static const char scene_text[] =
    "{\"objects\": [{\"name\": \"body\", \"mesh\": {\"kind\": \"sheet\"}, \"body\": {\"kind\": \"animated\"},\n"
    "              \"details\": [{\"kind\": \"wrinkle\"}]}]}";
#define DETAIL_PATH "objects[0].details[0]"

static int set_detail(session *s, wrinkling *w, const char *field, const char *value, const char *option_name) {
    char path[80];
    snprintf(path, sizeof path, DETAIL_PATH ".%s", field);
    ruga_status status = ruga_description_set(w->description, path, value);
    return RUGA_FAILED(status) ? session_failed_usage(s, status, option_name) : 0;
}

/* A fine mesh of a file has the unit and the axis of the input, unless said otherwise. */
static int describe(session *s, wrinkling *w) {
    const arguments *a = w->arguments;
    ruga_status status =
        ruga_description_read_memory(s->context, "wrinkle", scene_text, strlen(scene_text), &w->description);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    int code = 0;
    if (option_given(a, "unit")) code = set_detail(s, w, "fine_unit", option_text(a, "unit"), "unit");
    if (!code && option_given(a, "up")) code = set_detail(s, w, "fine_up", option_text(a, "up"), "up");
    return code ? code : field_options_apply(s, a, &wrinkle, DETAIL_PATH, w->description);
}

static ruga_status give_present(void *user, double time, ruga_vec3 *positions) {
    const moving_body *body = user;
    (void)time;
    memcpy(positions, body->positions, body->mesh->vertex_count * sizeof *positions);
    return RUGA_OK;
}

#define MOST_FRAMES 1e6 /* that a scene may begin at */

/* Numbers of frames are those of the motion's own time, so that keyframes of parameters meet it. */
static int make_scene(session *s, wrinkling *w) {
    ruga_scene_def def = *ruga_description_get(w->description);
    ruga_object_def object = *(const ruga_object_def *)def.objects.items;
    double begin = ruga_motion_get_info(w->body.motion).start * w->body.rate + (double)w->first;
    ruga_status status =
        ruga_motion_from_function(s->context, w->body.mesh->vertex_count, 0, 0, give_present, &w->body, &w->present);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    object.given_mesh = w->body.mesh;
    object.given_motion = w->present;
    def.objects = (ruga_list){&object, 1};
    def.time.fps = w->body.rate;
    def.time.start_frame = (int)lround(fmax(-MOST_FRAMES, fmin(begin, MOST_FRAMES)));
    status = ruga_scene_create(s->context, &def, &w->scene);
    if (RUGA_FAILED(status)) return session_failed_input(s, status);
    w->fine = ruga_scene_object_mesh(w->scene, 0);
    return 0;
}

/* ---- Frames. */

static int step(session *s, wrinkling *w, size_t frame) {
    int code = session_interrupted(s);
    if (!code && frame > w->first) code = moving_body_go_to(s, &w->body, frame);
    if (code) return code;
    double begun = seconds_now();
    ruga_status status = ruga_scene_step(w->scene);
    *(frame > w->first ? &w->seconds : &w->first_seconds) += seconds_now() - begun;
    if (RUGA_FAILED(status) && status != RUGA_ERROR_CANCELLED && status != RUGA_ERROR_MEMORY)
        return session_error(s, EXIT_INPUT, "%s: frame %zu: %s", w->body.motion_path, frame,
                             ruga_context_message(s->context));
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

/* The present frame, at the time that it has in the body's file. */
static ruga_frame present_frame(const wrinkling *w, size_t frame) {
    ruga_frame present = *ruga_scene_frame(w->scene, 0);
    present.time = moving_body_time(&w->body, frame);
    return present;
}

static int append_frames(session *s, wrinkling *w, ruga_motion_writer *writer) {
    for (size_t i = 0; i < w->count; i++) {
        progress_part(&s->bar, "frame", i, w->count);
        int code = step(s, w, w->first + i);
        if (code) return code;
        ruga_frame present = present_frame(w, w->first + i);
        ruga_status status = ruga_motion_writer_append(writer, &present);
        if (RUGA_FAILED(status)) return session_failed_output(s, status);
    }
    progress_part(&s->bar, NULL, 0, 0);
    ruga_status status = ruga_motion_writer_finish(writer);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

static int write_frames(session *s, wrinkling *w) {
    ruga_motion_writer *writer = NULL;
    note_written_size(s, w->fine, w->count, w->out, w->write.format);
    ruga_status status = ruga_motion_writer_create(w->fine, w->out, &w->write, &writer);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    int code = append_frames(s, w, writer);
    ruga_motion_writer_destroy(writer);
    return code ? code : write_mesh_beside_cache(s, w->fine, w->out, &w->write);
}

static int write_still(session *s, wrinkling *w) {
    int code = step(s, w, w->first);
    if (code) return code;
    ruga_frame present = present_frame(w, w->first);
    return write_mesh(s, w->fine, &present, w->out, &w->write);
}

static int make_frames(session *s, wrinkling *w) {
    int code = moving_body_go_to(s, &w->body, w->first);
    if (code) return code;
    double begun = seconds_now();
    code = make_scene(s, w);
    w->first_seconds = seconds_now() - begun;
    if (code) return code;
    return w->still ? write_still(s, w) : write_frames(s, w);
}

/* ---- What is told at the end. */

static double frame_milliseconds(const wrinkling *w) {
    return w->count > 1 ? 1000 * w->seconds / (double)(w->count - 1) : 0;
}

static void json_count(ruga_json_writer *json, const char *key, size_t value) {
    ruga_json_key(json, key);
    ruga_json_integer(json, (int64_t)value);
}

static void json_number(ruga_json_writer *json, const char *key, double value) {
    ruga_json_key(json, key);
    ruga_json_number(json, value);
}

/* What was made of wavelength and radius, and why. */
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

static int get_report(session *s, const wrinkling *w, ruga_wrinkle_mesh_report *out) {
    ruga_status status = ruga_scene_wrinkle_report(w->scene, 0, 0, out);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

static void print_choices(session *s, const ruga_wrinkle_mesh_report *found) {
    if (found->wave_origin == RUGA_WRINKLE_WAVE_NONE)
        session_remark(s, "wavelength: none\n");
    else
        session_remark(s, "wavelength: %s m, %s\n", with_digits(found->wavelength), wave_origins[found->wave_origin]);
    session_remark(s, "radius: ");
    if (found->least_radius < found->greatest_radius) session_remark(s, "%s to ", with_digits(found->least_radius));
    session_remark(s, "%s m, %s\n", with_digits(found->greatest_radius), radius_origins[found->radius_origin]);
}

static void json_text(ruga_json_writer *json, const char *key, const char *value) {
    ruga_json_key(json, key);
    ruga_json_string(json, value);
}

static void json_choices(ruga_json_writer *json, const ruga_wrinkle_mesh_report *found) {
    if (found->wave_origin != RUGA_WRINKLE_WAVE_NONE) json_number(json, "wavelength", found->wavelength);
    json_text(json, "wavelength_origin", wave_origins[found->wave_origin]);
    json_number(json, "least_radius", found->least_radius);
    json_number(json, "greatest_radius", found->greatest_radius);
    json_text(json, "radius_origin", radius_origins[found->radius_origin]);
}

static int json_report(session *s, const wrinkling *w, const ruga_wrinkle_mesh_report *found) {
    ruga_json_writer *json;
    int code = session_json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_object(json);
    json_text(json, "output", w->out);
    json_count(json, "base_triangles", w->body.mesh->triangle_count);
    json_count(json, "triangles", w->fine->triangle_count);
    json_count(json, "vertices", w->fine->vertex_count);
    json_count(json, "frames", w->count);
    json_count(json, "first_frame", w->first);
    json_number(json, "rate", w->write.rate);
    json_number(json, "start", w->write.start);
    json_number(json, "first_seconds", w->first_seconds);
    json_number(json, "frame_milliseconds", frame_milliseconds(w));
    json_choices(json, found);
    ruga_json_key(json, "bad_frames");
    ruga_json_begin_array(json);
    for (size_t i = 0; i < w->body.bad_count; i++) ruga_json_integer(json, (int64_t)w->body.bad[i]);
    ruga_json_end_array(json);
    ruga_json_end_object(json);
    return session_json_finish(s, json);
}

static void print_report(session *s, const wrinkling *w, const ruga_wrinkle_mesh_report *found) {
    if (strcmp(w->out, "-") == 0) return;
    session_remark(s, "wrote %s: %s frame%s of %s vertices and %s triangles, on %s of the body\n", w->out,
                   with_commas(w->count), w->count == 1 ? "" : "s", with_commas(w->fine->vertex_count),
                   with_commas(w->fine->triangle_count), with_commas(w->body.mesh->triangle_count));
    print_choices(s, found);
    session_remark(s, "the first frame was bound and settled in %s s", with_digits(w->first_seconds));
    if (w->count > 1) session_remark(s, ", each other took %s ms", with_digits(frame_milliseconds(w)));
    session_remark(s, "\n");
    if (w->body.bad_count == 0) return;
    session_remark(s, "bad frames that were held over:");
    for (size_t i = 0; i < w->body.bad_count; i++) session_remark(s, "%s %zu", i ? "," : "", w->body.bad[i]);
    session_remark(s, "\n");
}

static int report(session *s, const wrinkling *w) {
    ruga_wrinkle_mesh_report found;
    int code = get_report(s, w, &found);
    if (code) return code;
    print_report(s, w, &found);
    return s->json ? json_report(s, w, &found) : 0;
}

/* ---- The command. */

static int wrinkle_body(session *s, wrinkling *w) {
    int code = read_words(s, w);
    if (!code) code = describe(s, w);
    if (!code) code = moving_body_read(s, w->arguments, w->arguments->words[0], &w->body);
    if (code) return code;
    w->body.hold_bad = option_given(w->arguments, "skip-bad") > 0;
    code = choose_frames(s, w);
    if (!code) code = check_output(s, w);
    if (!code) code = make_frames(s, w);
    return code ? code : report(s, w);
}

static int run(session *s, const arguments *a) {
    wrinkling w = {.arguments = a};
    int code = wrinkle_body(s, &w);
    ruga_scene_destroy(w.scene);
    ruga_motion_destroy(w.present);
    ruga_description_destroy(w.description);
    moving_body_release(&w.body);
    return code;
}

const command command_wrinkle = {
    .name = "wrinkle",
    .summary = "fine wrinkles on anything that moves",
    .usage = "ruga wrinkle BODY -o OUT [options]",
    .about =
        "Hangs a fine mesh on a body that moves, which wrinkles where the body is compressed (Müller and Chentanez\n"
        "2010). BODY is an animated glTF (skin or morph targets), a mesh with its motion after --cache, a numbered\n"
        "sequence such as frame_####.obj, or a run. The body at rest is the mesh itself, of a sequence its first "
        "file.\n"
        "The vertices of the body come first, in their order; those between follow. UVs, groups and materials are\n"
        "carried over. --wavelength says how long wrinkles are, whatever the mesh; without it, one and a half average\n"
        "edges of the body. A painted radius is a factor of what such waves need: a mask from 0 to 1 will do. The "
        "first frame is settled: wrinkles are there at once. With --settle every frame is, and\n"
        "does not depend on those before it. docs/wrinkle-mesh.md says what all the numbers mean.",
    .examples =
        "  ruga wrinkle arm.glb -o wrinkled.glb\n"
        "  ruga wrinkle arm.glb --radius elbow -o wrinkled.glb\n"
        "  ruga wrinkle arm.glb --wavelength 0.02 --subdivide 8 -o wrinkled.usda\n"
        "  ruga wrinkle shirt.obj --cache shirt.pc2 --unit cm --radius 0.004 -o fine.pc2\n"
        "  ruga wrinkle curtain.run --mesh curtain --fine curtain_fine.obj -o fine_####.obj\n"
        "  ruga wrinkle arm.glb --frame 37 -o frame37.obj\n"
        "  ruga wrinkle walk.glb --pre-stretch '{\"attribute\": \"mask\", \"from\": 0.6, \"to\": 0.9}' -o out.glb\n",
    .add_options = add_options,
    .run = run,
};
