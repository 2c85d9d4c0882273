/* ruga sculpt: wrinkles along curves on a mesh, static or over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "field_options.h"
#include "frames.h"
#include "picture.h"
#include "report.h"
#include "scenes.h"
#include "sculpt_picture.h"

#define LEAST_REACHED 0.25 /* of the length beyond that of the curve */

static const option output_options[] = {
    FRAMES_OUTPUT_ROW(
        "FILE",
        "any mesh format; for changing lengths or a moving mesh, an animated .glb, .gltf or .usda, a .pc2 or .mdd "
        "with the mesh as .obj beside it, or a sequence such as frame_####.obj"),
    FORMAT_ROW,
    WRITTEN_ROW(
        "write-curves", "CURVES",
        "also write the curves of all strokes, copies and mirror images included, but not their region curves, as a "
        "file of curves that fits other versions of the mesh: .svg by UVs, .obj by points in space, .json by "
        "triangles"),
    FLAG_ROW("keep-going", 0, "list strokes that fail and apply the others; the exit code is then 0"),
};

static const option time_options[] = {
    CACHE_ROW("MESH"),
    TEXT_ROW("lengths", "FILE",
             "lengths over those of the curves, frame by frame: a text (CSV) with a line for each frame, and on it one "
             "number, or one for each stroke, whose names may be the first line; or JSON: [1, 1.1, 1.2], or "
             "{\"brow\": [1, 1.1, 1.2]}"),
    SKIP_BAD_ROW,
};

static const option preview_options[] = {
    WRITTEN_ROW(
        "preview", "PNG",
        "a picture of the strokes, their regions and the result side by side; from in front of the strokes unless "
        "a camera is given"),
};

static field_options looks = {.heading = "Strokes (defaults for strokes without their own)",
                              .section = "objects.edits.sculpt",
                              .without = "file",
                              .target = "objects[0].edits[0]"};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    field_options_add(list, &looks, 1);
    field_options_rename(&looks, "start", "start-shape", NULL); /* --start is a time */
    option_list_add(list, "Over time", time_options, OPTION_COUNT(time_options));
    option_list_add(list, "Motion", motion_options, OPTION_COUNT(motion_options));
    option_list_add(list, "Preview", preview_options, OPTION_COUNT(preview_options));
    option_list_add(list, "Picture", image_options, OPTION_COUNT(image_options));
    option_list_add(list, "Camera", camera_options, OPTION_COUNT(camera_options));
    option_list_add(list, "Input (the output has the same unit and axis)", input_options, OPTION_COUNT(input_options));
    return 0;
}

/* The state of one call. */
typedef struct sculpting {
    const arguments *arguments;
    const char *path, *strokes_path, *out, *preview;
    ruga_file_def read, write;
    ruga_description *description;
    subject body;
    frame_reader reader; /* of a body that moves */
    ruga_strokes *strokes;
    ruga_length_table *lengths; /* NULL: none */
    const ruga_mesh *fine;
    int moves;      /* write frames, not a mesh */
    timeline times; /* of the frames */
    moment current; /* of the fine mesh */
    size_t failed;  /* strokes */
    double seconds; /* for the mesh */
    double frame_seconds;
} sculpting;

/* ---- Input and output. */

static int read_words(session *s, sculpting *c) {
    const arguments *a = c->arguments;
    if (a->word_count != 2)
        return session_error(s, EXIT_USAGE, "sculpt: expected a mesh and its strokes: ruga sculpt MESH STROKES -o OUT");
    c->path = a->words[0];
    c->strokes_path = a->words[1];
    c->preview = option_text(a, "preview");
    c->out = option_text(a, "output");
    if (!c->out) return session_error(s, EXIT_USAGE, "sculpt: give the output: -o OUT");
    c->read = c->write = input_def(a);
    c->write.mesh = NULL;
    return output_format(s, a, c->out, &c->write.format);
}

/* Strokes may name further files. */
static int check_files_of_strokes(session *s, const sculpting *c) {
    int code = 0;
    const char *input;
    for (size_t i = 0; !code && (input = ruga_strokes_file(c->strokes, i)); i++)
        code = check_overwriting(s, c->arguments, input);
    return code;
}

static const char scene_text[] =
    "{\"objects\": [{\"name\": \"mesh\", \"mesh\": {\"kind\": \"sheet\"}, \"edits\": [{\"kind\": \"sculpt\"}]}]}";

/* ---- The mesh and its strokes. */

static int read_body(session *s, sculpting *c) {
    int code = subject_read(s, c->arguments, c->path, option_text(c->arguments, "cache"), &c->body);
    if (!code) code = subject_check_faces(s, &c->body, " to wrinkle");
    if (!code && c->body.motion) code = frame_reader_open(s, c->arguments, &c->body, &c->reader);
    if (code || c->body.mesh->tet_count == 0) return code;
    return session_error(s, EXIT_INPUT,
                         "%s: has tets, which can't be cut along curves; ruga convert to .obj keeps its surface only",
                         c->path);
}

/* The options are fields of the scene's table of the edit. */
static int make_strokes(session *s, sculpting *c) {
    const char *lengths = option_text(c->arguments, "lengths");
    const ruga_object_def *object = ruga_description_get(c->description)->objects.items;
    ruga_sculpt_def values = *(const ruga_sculpt_def *)((const ruga_variant *)object->edits.items)->values;
    ruga_strokes_def def = ruga_strokes_def_default();
    values.file = c->strokes_path;
    def.values = &values;
    def.file = c->read;
    def.keep_going = option_given(c->arguments, "keep-going") > 0;
    double begun = seconds_now();
    ruga_status status = ruga_strokes_create(c->body.mesh, &def, &c->strokes);
    if (!RUGA_FAILED(status) && lengths) status = ruga_length_table_read(c->strokes, lengths, &c->lengths);
    if (!RUGA_FAILED(status) && lengths) status = ruga_strokes_prepare(c->strokes, c->lengths);
    c->seconds = seconds_now() - begun;
    if (status == RUGA_ERROR_MEMORY)
        return session_error(s, EXIT_FAILED, "%s; lower --refine, or raise --tolerance",
                             ruga_context_message(s->context));
    if (RUGA_FAILED(status)) return input_code(s, status);
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) {
        ruga_stroke_report report = ruga_strokes_get(c->strokes, i);
        if (!RUGA_FAILED(report.info.status)) continue;
        c->failed++;
        session_note(s, "left out: %s", report.info.message);
    }
    if (c->failed == ruga_strokes_count(c->strokes))
        return session_error(s, EXIT_INPUT, "%s: none of the strokes can be made", c->strokes_path);
    c->fine = ruga_sculpt_mesh(ruga_strokes_sculpt(c->strokes));
    return 0;
}

/* ---- Frames. */

/* Whether there are frames to write, and their times. A static mesh has frames as long as lengths change. */
static int choose_frames(session *s, sculpting *c) {
    const arguments *a = c->arguments;
    double end;
    int driven = ruga_strokes_move(c->strokes, &end) || c->lengths;
    int may_move = format_may_be_motion(c->write.format, c->out);
    c->moves =
        driven || option_given(a, "cache") || format_is_motion(c->write.format, c->out) || (c->body.motion && may_move);
    if (!c->moves) return 0;
    if (!c->body.motion && !driven)
        return session_error(
            s, EXIT_INPUT, "%s: this format is for motions, but nothing moves; give --cache, --lengths, or keys in %s",
            c->out, c->strokes_path);
    if (!c->body.motion && !c->lengths && end == 0)
        return session_error(s, EXIT_INPUT,
                             "%s: it has no motion, so no compression drives a stroke; give one with --cache", c->path);
    if (!may_move || strcmp(c->out, "-") == 0)
        return session_error(
            s, EXIT_USAGE,
            "%s: holds a single mesh, but there are frames to write; write .glb, .usda, .pc2, .mdd or a "
            "sequence such as frame_####.obj",
            c->out);
    c->times = c->reader.times;
    if (!c->body.motion) {
        double rate = frame_rate(a, NULL);
        size_t count = c->lengths ? c->lengths->frame_count : (size_t)floor(end * rate + 1e-6) + 1;
        c->times = (timeline){.rate = rate, .count = count};
    }
    if (c->lengths && c->lengths->frame_count < c->times.count)
        return session_error(s, EXIT_INPUT, "%s: has lengths for %s frame%s, but the motion has %s",
                             option_text(a, "lengths"), with_commas(c->lengths->frame_count),
                             c->lengths->frame_count == 1 ? "" : "s", with_commas(c->times.count));
    return 0;
}

static int make_frame(session *s, void *user, size_t frame, ruga_frame *out) {
    sculpting *c = user;
    const double *lengths = c->lengths ? c->lengths->values + frame * c->lengths->stroke_count : NULL;
    TRY_CODE(c->body.motion ? frame_reader_move(s, &c->reader, frame) : 0);
    c->current.frame.time = timeline_time(&c->times, frame);
    double begun = seconds_now();
    ruga_status status = ruga_strokes_pose(c->strokes, subject_positions(&c->body), c->current.frame.time, lengths,
                                           c->current.positions);
    c->frame_seconds += seconds_now() - begun;
    *out = c->current.frame;
    return output_code(s, status);
}

static int write_frames(session *s, sculpting *c) {
    const frame_source source = {
        .mesh = c->fine, .doing = "frame", .count = c->times.count, .mesh_beside = 1, .make = make_frame, .user = c};
    c->write.rate = c->times.rate;
    c->write.start = timeline_time(&c->times, 0);
    int code = moment_create(s, c->fine, &c->current);
    return code ? code : frames_write(s, &source, c->out, &c->write);
}

/* ---- A single mesh. */

/* A mesh with normals gets those of its wrinkles. If all strokes are off, it is written unchanged. */
static int write_still(session *s, const sculpting *c) {
    const ruga_mesh *mesh = c->body.mesh;
    const ruga_frame wrinkled = {.vertex_count = c->fine->vertex_count,
                                 .positions = c->fine->positions,
                                 .normals = ruga_sculpt_normals(ruga_strokes_sculpt(c->strokes))};
    int has_normals = 0, all_off = 1;
    for (size_t i = 0; i < mesh->attribute_count; i++) has_normals |= strcmp(mesh->attributes[i].name, "normal") == 0;
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) all_off &= ruga_strokes_get(c->strokes, i).off != 0;
    if (all_off) return write_mesh(s, mesh, NULL, c->out, &c->write);
    return write_mesh(s, c->fine, has_normals ? &wrinkled : NULL, c->out, &c->write);
}

/* The curves of strokes that are there, under their names. */
static int write_curves(session *s, const sculpting *c) {
    const char *path = option_text(c->arguments, "write-curves");
    const size_t most = ruga_strokes_count(c->strokes);
    size_t count = 0;
    if (!path) return 0;
    const ruga_curve **curves = malloc(most * sizeof *curves);
    if (!curves) return session_no_memory(s);
    for (size_t i = 0; i < most; i++) {
        const ruga_curve *curve = ruga_strokes_get(c->strokes, i).curve;
        if (curve) curves[count++] = curve;
    }
    const ruga_status status = ruga_curves_write(c->body.mesh, curves, count, path, &c->write);
    free((void *)curves);
    TRY_CODE(output_code(s, status));
    session_remark(s, "wrote %s: %s curve%s\n", path, with_commas(count), count == 1 ? "" : "s");
    return 0;
}

/* ---- The report. */

static int json_report(session *s, const sculpting *c) {
    ruga_json_writer *json;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "output", c->out);
    ruga_json_put_count(json, "vertices", c->fine->vertex_count);
    ruga_json_put_count(json, "triangles", c->fine->triangle_count);
    ruga_json_put_count(json, "frames", c->moves ? c->times.count : 0);
    ruga_json_put_number(json, "seconds", c->seconds);
    ruga_json_put_count(json, "failed", c->failed);
    ruga_json_put_array(json, "strokes");
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) {
        ruga_stroke_report report = ruga_strokes_get(c->strokes, i);
        const ruga_stroke_info *info = &report.info;
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "name", report.name);
        ruga_json_put_boolean(json, "off", report.off);
        if (RUGA_FAILED(info->status))
            ruga_json_put_string(json, "error", info->message);
        else if (!report.off) {
            ruga_json_put_number(json, "stiffness", report.def.stiffness);
            ruga_json_put_number(json, "length", report.def.length);
            ruga_json_put_string(json, "mode", report.def.mode == RUGA_REGION_BETWEEN ? "between" : "around");
            ruga_json_put_number(json, "particles", report.def.particles);
            ruga_json_put_number(json, "drawn_length", info->drawn_length);
            ruga_json_put_number(json, "reached", info->reached);
            if (report.def.shape == RUGA_SHAPE_WRINKLES) ruga_json_put_count(json, "wrinkles", info->extrema);
            ruga_json_put_integer(json, "refinements", info->refinements);
            ruga_json_put_number(json, "radius", info->radius);
            ruga_json_put_count(json, "region_vertices", info->region_vertices);
            ruga_json_put_number(json, "error_length", info->error);
            ruga_json_put_number(json, "tolerance", info->tolerance);
            ruga_json_put_number(json, "energy", info->energy);
        }
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

static void print_table(session *s, const sculpting *c) {
    size_t count = ruga_strokes_count(c->strokes);
    int width = (int)strlen("stroke");
    for (size_t i = 0; i < count; i++) {
        int length = (int)strlen(ruga_strokes_get(c->strokes, i).name);
        if (length > width) width = length < 40 ? length : 40;
    }
    session_remark(s, "%-*s %8s %5s %11s %8s %8s %7s %16s\n", width, "stroke", "length m", "stiff", "reached/of",
                   "wrinkles", "radius m", "refined", "error/within m");
    for (size_t i = 0; i < count; i++) {
        ruga_stroke_report report = ruga_strokes_get(c->strokes, i);
        const ruga_stroke_info *info = &report.info;
        char reached[32], error[48], wrinkles[24] = "-"; /* a furrow has none */
        session_remark(s, "%-*.*s", width, width, report.name);
        if (RUGA_FAILED(info->status) || report.off) {
            session_remark(s, " %8s\n", report.off ? "off" : "left out");
            continue;
        }
        snprintf(reached, sizeof reached, "%.3f/%g", info->reached, report.def.length);
        snprintf(error, sizeof error, "%.2g/%.2g", info->error, info->tolerance);
        if (report.def.shape == RUGA_SHAPE_WRINKLES) snprintf(wrinkles, sizeof wrinkles, "%zu", info->extrema);
        session_remark(s, " %8s %5g %11s %8s %8s %7d %16s\n", with_digits(info->drawn_length), report.def.stiffness,
                       reached, wrinkles, with_digits(info->radius), info->refinements, error);
    }
    if (c->failed > 0) session_remark(s, "%s of %s strokes left out\n", with_commas(c->failed), with_commas(count));
}

/* Strokes whose mesh is at its finest and still too coarse. */
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

/* Strokes too stiff for the length that they should have. */
static void note_straight(session *s, const sculpting *c) {
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) {
        ruga_stroke_report report = ruga_strokes_get(c->strokes, i);
        if (report.off || RUGA_FAILED(report.info.status) || report.def.shape != RUGA_SHAPE_WRINKLES) continue;
        if (report.info.reached - 1 >= LEAST_REACHED * (report.def.length - 1)) continue;
        session_note(s,
                     "stroke \"%s\" stays nearly straight: it reaches %.3f of %g; lower --stiffness or --wrinkles, or "
                     "raise --length",
                     report.name, report.info.reached, report.def.length);
    }
}

/* Wrinkles that were given what only furrows have. */
static void note_ignored(session *s, const sculpting *c) {
    const double taper = ruga_stroke_def_default().taper;
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) {
        const ruga_stroke_report r = ruga_strokes_get(c->strokes, i);
        const int by_look = r.def.taper == 0; /* looks of wrinkles have no taper */
        if (r.off || r.def.shape != RUGA_SHAPE_WRINKLES) continue;
        if (r.def.asymmetry == 0 && (r.def.taper == taper || by_look)) continue;
        session_note(s, "stroke \"%s\": taper and asymmetry are for furrows; wrinkles ignore them", r.name);
        return;
    }
}

/* Strokes that look meant as the other shape; once for each shape, since their neighbours do, too. Whether wrinkles
 * were noted. */
static int note_advice(session *s, const sculpting *c) {
    int noted[2] = {0};
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) {
        const ruga_stroke_report r = ruga_strokes_get(c->strokes, i);
        if (r.advice && !noted[r.def.shape == RUGA_SHAPE_FURROW]++) session_note(s, "%s", r.advice);
    }
    return noted[0] > 0;
}

/* A single stroke does not always show whether it was drawn along a wrinkle or across it: for users who gave no shape,
 * which of the two was made. */
static void remark_shape(session *s, const sculpting *c) {
    for (size_t i = 0; i < ruga_strokes_count(c->strokes); i++) {
        ruga_stroke_report report = ruga_strokes_get(c->strokes, i);
        if (report.off || RUGA_FAILED(report.info.status) || report.chose_shape) continue;
        if (report.def.shape != RUGA_SHAPE_WRINKLES) continue;
        session_remark(s, "wrinkles run across each stroke; for a furrow along it: --shape furrow\n");
        return;
    }
}

static void print_report(session *s, const sculpting *c) {
    note_errors(s, c);
    note_straight(s, c);
    note_ignored(s, c);
    int is_advised = note_advice(s, c);
    if (strcmp(c->out, "-") == 0) return;
    print_table(s, c);
    if (!is_advised) remark_shape(s, c);
    report_wrote(s, c->out, c->moves ? c->times.count : 0, c->fine);
    report_made_from(s, c->body.mesh, c->seconds);
    if (c->moves)
        session_remark(s, " and %s ms per frame", with_digits(1000 * c->frame_seconds / (double)c->times.count));
    session_remark(s, "\n");
}

/* ---- The command. */

static int sculpt(session *s, sculpting *c) {
    int code = read_words(s, c);
    if (!code) code = scene_describe(s, "sculpt", scene_text, &c->description);
    if (!code) code = field_options_apply(s, c->arguments, &looks, looks.target, c->description);
    if (!code) code = check_preview(s, c->preview);
    if (!code) code = read_body(s, c);
    if (!code) code = make_strokes(s, c);
    if (!code) code = check_files_of_strokes(s, c);
    if (!code) code = choose_frames(s, c);
    if (!code) code = write_curves(s, c);
    if (!code) code = c->moves ? write_frames(s, c) : write_still(s, c);
    if (code) return code;
    print_report(s, c);
    if (c->preview) {
        code = draw_sculpt(s, c->arguments, c->body.mesh, c->strokes, c->preview);
        if (!code) session_remark(s, "wrote %s\n", c->preview);
    }
    return !code && s->json ? json_report(s, c) : code;
}

static int run(session *s, const arguments *a) {
    sculpting c = {.arguments = a};
    int code = sculpt(s, &c);
    moment_release(&c.current);
    ruga_length_table_destroy(c.lengths);
    ruga_strokes_destroy(c.strokes);
    ruga_description_destroy(c.description);
    frame_reader_release(&c.reader);
    subject_release(&c.body);
    return code;
}

const command command_sculpt = {
    .name = "sculpt",
    .summary = "adds wrinkles along curves drawn on a mesh",
    .usage = "ruga sculpt MESH STROKES -o OUT [options]",
    .about =
        "Wrinkles a mesh along curves (Wang, Wang and Yuen 2006); folds run across a curve, as far as its radius. With "
        "--shape furrow, or a look such as line, a curve is one furrow along it. "
        "STROKES is a file of curves, each a stroke: lines of an OBJ, as 3D packages draw them on a mesh, paths of an "
        "SVG over the UVs, or JSON with points in space, on triangles or on a picture. A curve called \"brow region\" "
        "or \"brow_region\" sets the reach of the curve \"brow\". STROKES may also be JSON with a list of strokes, "
        "each with its own parameters:\n"
        "  {\"curves\": \"lines.obj\", \"stiffness\": 10, \"strokes\": [\n"
        "      {\"curve\": \"forehead\", \"length\": 1.1, \"wrinkles\": 5},\n"
        "      {\"curve\": [[0.03, 0.21, 0.1], [0.04, 0.2, 0.09]], \"radius\": 0.01}]}\n"
        "Parameters of a stroke override the command line, which overrides those of the whole file. The mesh's "
        "vertices come first, in their order; UVs, groups and materials are carried over. Points have the unit of "
        "the mesh's file; radius and tolerance are in metres. Lengths change over time by --lengths, by \"keys\" in "
        "STROKES, or with --drive compression by the compression of a moving mesh. docs/sculpt.md explains all "
        "parameters.",
    .examples =
        "  ruga make bust -o bust.obj --curves lines.obj\n"
        "  ruga sculpt bust.obj lines.obj -o wrinkled.obj --preview wrinkled.png\n"
        "  ruga sculpt bust.obj strokes.json --look forehead --seed 2 -o wrinkled.glb\n"
        "  ruga sculpt shirt.obj folds.svg --wrinkles 5 --unit cm -o folded.obj\n"
        "  ruga sculpt face.glb lines.json --drive compression -o frowning.glb\n"
        "  ruga sculpt bust.obj strokes.json --lengths lengths.csv --rate 30 -o frown.pc2\n",
    .groups = {OPTION_GROUP("Output", output_options)},
    .add_options = add_options,
    .run = run,
};
