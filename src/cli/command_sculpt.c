/* ruga sculpt: wrinkles along curves that were drawn on a mesh, still or over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "command.h"
#include "field_options.h"
#include "moving_body.h"
#include "sculpting.h"

static const option output_options[] = {
    OUTPUT_ROW("FILE", NULL,
               "where to write: any mesh; of lengths that change, or of a mesh that moves, an animated .glb, .gltf or "
               ".usda, a .pc2 or .mdd with the mesh as .obj beside it, or a sequence such as frame_####.obj"),
    FORMAT_ROW,
    {.name = "keep-going",
     .kind = OPTION_FLAG,
     .help = "strokes that can't be done are listed, and the others still apply; the exit code is 0 then"},
};

static const option time_options[] = {
    {.name = "cache",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .help = "the motion of MESH, if it is not in its own file: a PC2 or MDD cache, an animated glTF, a sequence such "
             "as frame_####.obj, or a run"},
    {.name = "lengths",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .help = "lengths over those of the curves, frame by frame: a text (CSV) with a line for each frame, and on it one "
             "number, or one for each stroke; a first line of names says whose they are; or JSON: [1, 1.1, 1.2], or "
             "{\"brow\": [1, 1.1, 1.2]}"},
    {.name = "skip-bad",
     .kind = OPTION_FLAG,
     .help =
         "over a frame that can't be read or has vertices that are not finite, hold the last good one, and list it"},
};

static const option preview_options[] = {
    {.name = "preview",
     .kind = OPTION_TEXT,
     .value = "PNG",
     .help = "a picture of the strokes, their regions and the result side by side; seen from in front of the strokes "
             "unless the camera is given"},
};

static field_options looks;

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    field_options_make(&looks, ruga_scene_section_find("objects.edits.sculpt"), 1);
    field_options_drop(&looks, "file");
    field_options_rename(&looks, "start", "start-shape", NULL); /* --start is a time */
    option_list_add(list, "Output", output_options, OPTION_COUNT(output_options));
    option_list_add(list, "Strokes (of all that do not say otherwise)", looks.options, looks.count);
    option_list_add(list, "Over time", time_options, OPTION_COUNT(time_options));
    option_list_add(list, "Motion", motion_options, motion_option_count);
    option_list_add(list, "Preview", preview_options, OPTION_COUNT(preview_options));
    option_list_add(list, "Picture", image_options, image_option_count);
    option_list_add(list, "Camera", camera_options, camera_option_count);
    option_list_add(list, "Input (the output has the same unit and axis)", input_options, input_option_count);
    return 0;
}

/* All that one call of the command knows. */
typedef struct sculpting {
    const arguments *arguments;
    const char *path, *strokes_path, *out;
    ruga_file_def read, write;
    ruga_description *description;
    moving_body body; /* without a motion, only its mesh */
    ruga_strokes *strokes;
    ruga_length_table *lengths; /* NULL: none are given */
    const ruga_mesh *fine;
    int moves;      /* frames are written, not a mesh */
    size_t frames;  /* of them */
    size_t failed;  /* strokes */
    double seconds; /* until the mesh was there */
    double frame_seconds;
} sculpting;

/* ---- What is asked for. */

static int read_words(session *s, sculpting *c) {
    const arguments *a = c->arguments;
    if (a->word_count != 2)
        return session_error(s, EXIT_USAGE, "sculpt: wants a mesh and its strokes: ruga sculpt MESH STROKES -o OUT");
    c->path = a->words[0];
    c->strokes_path = a->words[1];
    c->out = option_text(a, "output");
    if (!c->out) return session_error(s, EXIT_USAGE, "sculpt: say where to write it: -o OUT");
    c->read = c->write = input_def(a);
    c->write.mesh = NULL;
    return output_format(s, a, c->out, &c->write.format);
}

static int is_same_file(const char *a, const char *b) {
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static int refuse_overwriting(session *s, const sculpting *c, const char *path) {
    const char *const inputs[] = {c->path, c->strokes_path, option_text(c->arguments, "cache"),
                                  option_text(c->arguments, "curves"), option_text(c->arguments, "lengths")};
    for (size_t i = 0; i < OPTION_COUNT(inputs); i++)
        if (inputs[i] && is_same_file(inputs[i], path))
            return session_error(s, EXIT_USAGE, "%s: is read, so it can't be written; choose another name", path);
    return 0;
}

static int check_preview(session *s, const sculpting *c, const char *preview) {
    const char *dot = strrchr(preview, '.');
    if (!dot || strcasecmp(dot, ".png") != 0)
        return session_error(s, EXIT_USAGE, "%s: the picture of --preview is a .png", preview);
    if (strcmp(preview, c->out) == 0)
        return session_error(s, EXIT_USAGE, "%s: is both the result and its picture; choose another name", preview);
    return 0;
}

static int check_outputs(session *s, const sculpting *c) {
    char beside[4200];
    const char *preview = option_text(c->arguments, "preview");
    int code = refuse_overwriting(s, c, c->out);
    if (!code && mesh_beside_cache(c->out, beside, sizeof beside)) code = refuse_overwriting(s, c, beside);
    if (!code && preview) code = refuse_overwriting(s, c, preview);
    if (!code && preview) code = check_preview(s, c, preview);
    return code;
}

/* Strokes name files too. */
static int check_inputs_of_strokes(session *s, const sculpting *c) {
    char beside[4200];
    const char *const outputs[] = {c->out, option_text(c->arguments, "preview"),
                                   mesh_beside_cache(c->out, beside, sizeof beside) ? beside : NULL};
    const char *input;
    for (size_t i = 0; (input = ruga_strokes_file(c->strokes, i)); i++)
        for (size_t k = 0; k < OPTION_COUNT(outputs); k++)
            if (outputs[k] && is_same_file(input, outputs[k]))
                return session_error(s, EXIT_USAGE, "%s: is read, so it can't be written; choose another name",
                                     outputs[k]);
    return 0;
}

static const char scene_text[] =
    "{\"objects\": [{\"name\": \"mesh\", \"mesh\": {\"kind\": \"sheet\"}, \"edits\": [{\"kind\": \"sculpt\"}]}]}";
#define EDIT_PATH "objects[0].edits[0]"

/* The options go through the table that scenes have. */
static int describe(session *s, sculpting *c) {
    ruga_status status =
        ruga_description_read_memory(s->context, "sculpt", scene_text, strlen(scene_text), &c->description);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    return field_options_apply(s, c->arguments, &looks, EDIT_PATH, c->description);
}

static ruga_sculpt_def sculpt_values(const sculpting *c) {
    const ruga_object_def *object = ruga_description_get(c->description)->objects.items;
    ruga_sculpt_def values = *(const ruga_sculpt_def *)((const ruga_variant *)object->edits.items)->values;
    values.file = c->strokes_path;
    return values;
}

/* ---- The mesh and its strokes. */

/* A mesh with what moves it, if anything does. */
static int read_body(session *s, sculpting *c) {
    ruga_motion *own = NULL;
    if (option_given(c->arguments, "cache")) return moving_body_read(s, c->arguments, c->path, &c->body);
    int code = read_mesh(s, c->path, &c->read, &c->body.mesh);
    if (!code) code = read_own_motion(s, c->path, c->body.mesh, &c->read, &own);
    if (code || !own) return code;
    ruga_motion_destroy(own);
    ruga_mesh_destroy(c->body.mesh);
    return moving_body_read(s, c->arguments, c->path, &c->body);
}

static int check_mesh(session *s, const sculpting *c) {
    if (c->body.mesh->triangle_count == 0) return session_error(s, EXIT_INPUT, "%s: has no faces to wrinkle", c->path);
    if (c->body.mesh->tet_count == 0) return 0;
    return session_error(s, EXIT_INPUT,
                         "%s: has tets, which can't be cut along curves; ruga convert to .obj leaves its surface alone",
                         c->path);
}

static void list_failed(session *s, sculpting *c) {
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) {
        ruga_stroke_report report = ruga_strokes_get(c->strokes, i);
        if (!RUGA_FAILED(report.info.status)) continue;
        c->failed++;
        session_note(s, "left out: %s", report.info.message);
    }
}

static int make_strokes(session *s, sculpting *c) {
    ruga_strokes_def def = ruga_strokes_def_default();
    ruga_sculpt_def values = sculpt_values(c);
    def.values = &values;
    def.file = c->read;
    def.keep_going = option_given(c->arguments, "keep-going") > 0;
    const char *lengths = option_text(c->arguments, "lengths");
    double begun = seconds_now();
    ruga_status status = ruga_strokes_create(c->body.mesh, &def, &c->strokes);
    if (!RUGA_FAILED(status) && lengths) status = ruga_length_table_read(c->strokes, lengths, &c->lengths);
    if (!RUGA_FAILED(status) && lengths) status = ruga_strokes_prepare(c->strokes, c->lengths);
    c->seconds = seconds_now() - begun;
    if (status == RUGA_ERROR_MEMORY)
        return session_error(s, EXIT_FAILED, "%s; give --refine less, or --tolerance more",
                             ruga_context_message(s->context));
    if (RUGA_FAILED(status)) return session_failed_input(s, status);
    list_failed(s, c);
    if (c->failed == ruga_strokes_count(c->strokes))
        return session_error(s, EXIT_INPUT, "%s: none of the strokes can be done", c->strokes_path);
    c->fine = ruga_sculpt_mesh(ruga_strokes_sculpt(c->strokes));
    return 0;
}

/* ---- What goes over time. */

/* Without a motion the mesh stays, and frames last as long as lengths are given. */
static void count_frames(sculpting *c, double end) {
    const arguments *a = c->arguments;
    if (c->body.motion) {
        c->frames = c->body.count;
        c->write.rate = c->body.rate;
        c->write.start = moving_body_time(&c->body, 0);
        return;
    }
    c->write.rate = option_given(a, "rate") ? option_number(a, "rate") : 24;
    c->write.start = 0;
    c->frames = c->lengths ? c->lengths->frame_count : (size_t)floor(end * c->write.rate + 1e-6) + 1;
}

static int check_lengths(session *s, const sculpting *c) {
    if (!c->lengths || c->lengths->frame_count >= c->frames) return 0;
    return session_error(s, EXIT_INPUT, "%s: has lengths for %s frame%s, but the motion has %s",
                         option_text(c->arguments, "lengths"), with_commas(c->lengths->frame_count),
                         c->lengths->frame_count == 1 ? "" : "s", with_commas(c->frames));
}

static int choose_frames(session *s, sculpting *c) {
    const char *lengths = option_text(c->arguments, "lengths");
    double end;
    int driven = ruga_strokes_move(c->strokes, &end) || lengths,
        may_move = format_may_be_motion(c->write.format, c->out);
    int asked = driven || option_given(c->arguments, "cache") || format_is_motion(c->write.format, c->out);
    c->moves = asked || (c->body.motion && may_move);
    if (!c->moves) return 0;
    if (!c->body.motion && !driven)
        return session_error(s, EXIT_INPUT,
                             "%s: holds a motion, but nothing moves; give --cache, --lengths, or keys in %s", c->out,
                             c->strokes_path);
    if (!c->body.motion && !c->lengths && end == 0)
        return session_error(s, EXIT_INPUT,
                             "%s: nothing moves in it, so that no compression drives a stroke; give its motion with "
                             "--cache",
                             c->path);
    if (!may_move || strcmp(c->out, "-") == 0)
        return session_error(
            s, EXIT_USAGE,
            "%s: holds a single mesh, but there are frames to write; write .glb, .usda, .pc2, .mdd or a "
            "sequence such as frame_####.obj",
            c->out);
    count_frames(c, end);
    return check_lengths(s, c);
}

/* ---- Frames. */

static int pose_frame(session *s, sculpting *c, size_t frame, ruga_frame *out) {
    const double *lengths = c->lengths ? c->lengths->values + frame * c->lengths->stroke_count : NULL;
    int code = session_interrupted(s);
    if (!code && c->body.motion) code = moving_body_go_to(s, &c->body, frame);
    if (code) return code;
    const ruga_vec3 *positions = c->body.motion ? c->body.positions : c->body.mesh->positions;
    out->time = c->body.motion ? moving_body_time(&c->body, frame) : (double)frame / c->write.rate;
    double begun = seconds_now();
    ruga_status status =
        ruga_strokes_pose(c->strokes, positions, out->time, lengths, (ruga_vec3 *)(uintptr_t)out->positions);
    c->frame_seconds += seconds_now() - begun;
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

static int append_frames(session *s, sculpting *c, ruga_motion_writer *writer, ruga_frame *present) {
    for (size_t i = 0; i < c->frames; i++) {
        progress_part(&s->bar, "frame", i, c->frames);
        int code = pose_frame(s, c, i, present);
        if (code) return code;
        ruga_status status = ruga_motion_writer_append(writer, present);
        if (RUGA_FAILED(status)) return session_failed_output(s, status);
    }
    progress_part(&s->bar, NULL, 0, 0);
    ruga_status status = ruga_motion_writer_finish(writer);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

static int write_frames(session *s, sculpting *c) {
    moment present = {0};
    ruga_motion_writer *writer = NULL;
    note_written_size(s, c->fine, c->frames, c->out, c->write.format);
    int code = moment_create(s, c->fine, &present);
    if (code) return code;
    ruga_status status = ruga_motion_writer_create(c->fine, c->out, &c->write, &writer);
    code = RUGA_FAILED(status) ? session_failed_output(s, status) : append_frames(s, c, writer, &present.frame);
    ruga_motion_writer_destroy(writer);
    moment_release(&present);
    return code ? code : write_mesh_beside_cache(s, c->fine, c->out, &c->write);
}

/* ---- A single mesh. */

static int has_normals(const ruga_mesh *mesh) {
    for (size_t i = 0; i < mesh->attribute_count; i++)
        if (strcmp(mesh->attributes[i].name, "normal") == 0) return 1;
    return 0;
}

static int all_are_off(const ruga_strokes *strokes) {
    for (size_t i = 0; i < ruga_strokes_count(strokes); i++)
        if (!ruga_strokes_get(strokes, i).off) return 0;
    return 1;
}

/* A mesh that came with normals gets those of its wrinkles. */
static int write_still(session *s, const sculpting *c) {
    const ruga_frame wrinkled = {.vertex_count = c->fine->vertex_count,
                                 .positions = c->fine->positions,
                                 .normals = ruga_sculpt_normals(ruga_strokes_sculpt(c->strokes))};
    if (all_are_off(c->strokes)) return write_mesh(s, c->body.mesh, NULL, c->out, &c->write);
    return write_mesh(s, c->fine, has_normals(c->body.mesh) ? &wrinkled : NULL, c->out, &c->write);
}

/* ---- What is told at the end. */

static void json_number(ruga_json_writer *json, const char *key, double value) {
    ruga_json_key(json, key);
    ruga_json_number(json, value);
}

static void json_text(ruga_json_writer *json, const char *key, const char *value) {
    ruga_json_key(json, key);
    ruga_json_string(json, value);
}

static void json_stroke(ruga_json_writer *json, const ruga_stroke_report *report) {
    const ruga_stroke_info *info = &report->info;
    ruga_json_begin_object(json);
    json_text(json, "name", report->name);
    ruga_json_key(json, "off");
    ruga_json_boolean(json, report->off);
    if (RUGA_FAILED(info->status)) {
        json_text(json, "error", info->message);
    } else if (!report->off) {
        json_number(json, "stiffness", report->def.stiffness);
        json_number(json, "length", report->def.length);
        json_text(json, "mode", report->def.mode == RUGA_REGION_BETWEEN ? "between" : "around");
        json_number(json, "particles", report->def.particles);
        json_number(json, "drawn_length", info->drawn_length);
        json_number(json, "reached", info->reached);
        json_number(json, "wrinkles", (double)info->extrema);
        json_number(json, "refinements", info->refinements);
        json_number(json, "radius", info->radius);
        json_number(json, "region_vertices", (double)info->region_vertices);
        json_number(json, "error_length", info->error);
        json_number(json, "tolerance", info->tolerance);
        json_number(json, "energy", info->energy);
    }
    ruga_json_end_object(json);
}

static int json_report(session *s, const sculpting *c) {
    ruga_json_writer *json;
    int code = session_json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_object(json);
    json_text(json, "output", c->out);
    json_number(json, "vertices", (double)c->fine->vertex_count);
    json_number(json, "triangles", (double)c->fine->triangle_count);
    json_number(json, "frames", c->moves ? (double)c->frames : 0);
    json_number(json, "seconds", c->seconds);
    json_number(json, "failed", (double)c->failed);
    ruga_json_key(json, "strokes");
    ruga_json_begin_array(json);
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) {
        ruga_stroke_report report = ruga_strokes_get(c->strokes, i);
        json_stroke(json, &report);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
    return session_json_finish(s, json);
}

static int name_width(const ruga_strokes *strokes) {
    size_t width = strlen("stroke");
    for (size_t i = 0; i < ruga_strokes_count(strokes); i++) {
        size_t length = strlen(ruga_strokes_get(strokes, i).name);
        if (length > width) width = length;
    }
    return width < 40 ? (int)width : 40;
}

static void print_row(session *s, int width, const ruga_stroke_report *report) {
    const ruga_stroke_info *info = &report->info;
    char reached[32], error[48];
    if (RUGA_FAILED(info->status) || report->off) {
        session_remark(s, "%-*.*s %8s\n", width, width, report->name, report->off ? "off" : "left out");
        return;
    }
    snprintf(reached, sizeof reached, "%.3f/%g", info->reached, report->def.length);
    snprintf(error, sizeof error, "%.2g/%.2g", info->error, info->tolerance);
    session_remark(s, "%-*.*s %8s %5g %11s %8zu %8s %7d %16s\n", width, width, report->name,
                   with_digits(info->drawn_length), report->def.stiffness, reached, info->extrema,
                   with_digits(info->radius), info->refinements, error);
}

static void print_table(session *s, const sculpting *c) {
    int width = name_width(c->strokes);
    session_remark(s, "%-*s %8s %5s %11s %8s %8s %7s %16s\n", width, "stroke", "length m", "stiff", "reached/of",
                   "wrinkles", "radius m", "refined", "error/within m");
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) {
        ruga_stroke_report report = ruga_strokes_get(c->strokes, i);
        print_row(s, width, &report);
    }
    if (c->failed > 0)
        session_remark(s, "%s of %s strokes left out\n", with_commas(c->failed),
                       with_commas(ruga_strokes_count(c->strokes)));
}

/* A mesh that is as fine as it may get, and still not fine enough. */
static void note_errors(session *s, const sculpting *c) {
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) {
        ruga_stroke_report report = ruga_strokes_get(c->strokes, i);
        if (report.off || RUGA_FAILED(report.info.status) || !(report.info.error > report.info.tolerance)) continue;
        session_note(
            s,
            "stroke \"%s\": the mesh is %.3g m from the wrinkled curve, the tolerance is %.3g m; give --refine "
            "more than %d, or a finer mesh",
            report.name, report.info.error, report.info.tolerance, report.def.refine);
    }
}

static void print_report(session *s, const sculpting *c) {
    note_errors(s, c);
    if (strcmp(c->out, "-") == 0) return;
    print_table(s, c);
    session_remark(s, "wrote %s: ", c->out);
    if (c->moves) session_remark(s, "%s frame%s of ", with_commas(c->frames), c->frames == 1 ? "" : "s");
    session_remark(s, "%s vertices and %s triangles, from %s and %s, in %s s", with_commas(c->fine->vertex_count),
                   with_commas(c->fine->triangle_count), with_commas(c->body.mesh->vertex_count),
                   with_commas(c->body.mesh->triangle_count), with_digits(c->seconds));
    if (c->moves) session_remark(s, " and %s ms a frame", with_digits(1000 * c->frame_seconds / (double)c->frames));
    session_remark(s, "\n");
}

/* ---- The command. */

static int draw_preview(session *s, const sculpting *c) {
    const char *preview = option_text(c->arguments, "preview");
    if (!preview) return 0;
    int code = draw_sculpt(s, c->arguments, c->body.mesh, c->strokes, preview);
    if (!code) session_remark(s, "wrote %s\n", preview);
    return code;
}

static int sculpt(session *s, sculpting *c) {
    int code = read_words(s, c);
    if (!code) code = describe(s, c);
    if (!code) code = check_outputs(s, c);
    if (!code) code = read_body(s, c);
    if (!code) code = check_mesh(s, c);
    if (code) return code;
    c->body.hold_bad = option_given(c->arguments, "skip-bad") > 0;
    code = make_strokes(s, c);
    if (!code) code = check_inputs_of_strokes(s, c);
    if (!code) code = choose_frames(s, c);
    if (!code) code = c->moves ? write_frames(s, c) : write_still(s, c);
    if (code) return code;
    print_report(s, c);
    code = draw_preview(s, c);
    return !code && s->json ? json_report(s, c) : code;
}

static int run(session *s, const arguments *a) {
    sculpting c = {.arguments = a};
    int code = sculpt(s, &c);
    ruga_length_table_destroy(c.lengths);
    ruga_strokes_destroy(c.strokes);
    ruga_description_destroy(c.description);
    moving_body_release(&c.body);
    return code;
}

const command command_sculpt = {
    .name = "sculpt",
    .summary = "wrinkles along curves that were drawn on a mesh",
    .usage = "ruga sculpt MESH STROKES -o OUT [options]",
    .about =
        "Wrinkles a mesh along curves (Wang, Wang and Yuen 2006); folds run across a\n"
        "curve, as far as its radius. STROKES is a file of curves, each a stroke: lines\n"
        "of an OBJ, as any 3D package draws them on the mesh, paths of an SVG over the\n"
        "UVs, or JSON with points in space, on triangles or on a picture. A curve called\n"
        "\"brow region\" or \"brow_region\" is how far that of \"brow\" is felt.\n"
        "Or it is JSON with a list of strokes, each with numbers of its own:\n"
        "  {\"curves\": \"lines.obj\", \"stiffness\": 10, \"strokes\": [\n"
        "      {\"curve\": \"forehead\", \"length\": 1.3, \"wrinkles\": 5},\n"
        "      {\"curve\": [[0.03, 0.21, 0.1], [0.04, 0.2, 0.09]], \"radius\": 0.01}]}\n"
        "Numbers of a stroke come before those of the command line, and these before\n"
        "those that the file has for all. The mesh's vertices come first, in their\n"
        "order; UVs, groups and materials are carried over. Points have the unit of the\n"
        "mesh's file; radius and tolerance are in metres. Lengths go over time by\n"
        "--lengths, by \"keys\" in STROKES, or with --drive compression by what the\n"
        "motion of the mesh presses together. docs/sculpt.md says what numbers mean.",
    .examples =
        "  ruga make bust -o bust.obj --curves lines.obj\n"
        "  ruga sculpt bust.obj lines.obj -o wrinkled.obj --preview wrinkled.png\n"
        "  ruga sculpt bust.obj strokes.json --stiffness 30 --length 1.5 -o wrinkled.glb\n"
        "  ruga sculpt shirt.obj folds.svg --wrinkles 5 --radius 0.04 --unit cm -o folded.obj\n"
        "  ruga sculpt face.glb lines.json --drive compression -o frowning.glb\n"
        "  ruga sculpt bust.obj strokes.json --lengths lengths.csv --rate 30 -o frown.pc2\n",
    .add_options = add_options,
    .run = run,
};
