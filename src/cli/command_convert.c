/* ruga convert: meshes and motions from one format to another. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "files.h"

static const option convert_options[] = {
    OUTPUT_ROW("FILE", NULL, "where to write, if not the second word; - is standard output"),
    FORMAT_ROW,
    UNIT_ROW("out-unit", "output"),
    UP_ROW("out-up", "output"),
    {.name = "out-rate",
     .kind = OPTION_NUMBER,
     .value = "R",
     .unit = "frames/s",
     .low = 0.001,
     .high = 100000,
     .help = "frame rate of the output, if it is not that of the input"},
    {.name = "frames",
     .kind = OPTION_SPAN,
     .value = "A:B",
     .help = "only the frames A to B of the output, counted from 0"},
};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Output", convert_options, OPTION_COUNT(convert_options));
    option_list_add(list, "Input", input_options, input_option_count);
    option_list_add(list, "Motion", moment_options, moment_option_count);
    option_list_add(list, "Time", motion_options, motion_option_count);
    return 0;
}

typedef struct conversion {
    const char *in, *cache, *out; /* cache: NULL if not given */
    ruga_file_def read, write;
    ruga_mesh *mesh;
    ruga_motion *motion;
    double rate;         /* frames a second of the output */
    size_t first, count; /* frames of the output */
    moment present;
} conversion;

/* Whether all frames are to be written, rather than one mesh. */
static int writes_motion(const conversion *c, const arguments *a) {
    if (format_is_motion(c->write.format, c->out)) return 1;
    int either = format_may_be_motion(c->write.format, c->out);
    return either && c->motion && !option_given(a, "frame") && !option_given(a, "time");
}

static int read_names(session *s, const arguments *a, conversion *c) {
    const char *out = option_text(a, "output");
    size_t expected = out ? 1 : 2;
    if (a->word_count != expected)
        return session_error(s, EXIT_USAGE, "convert: wants an input and an output: ruga convert IN OUT");
    c->in = a->words[0];
    c->out = out ? out : a->words[1];
    c->cache = option_text(a, "cache");
    c->read = input_def(a);
    c->write = ruga_file_def_default();
    c->write.unit = option_length(a, "out-unit");
    c->write.up = (ruga_axis)option_choice(a, "out-up");
    return output_format(s, a, c->out, &c->write.format);
}

/* The output's rate and frames: the input's own, unless the options say otherwise. */
static int choose_frames(session *s, const arguments *a, conversion *c) {
    ruga_motion_info info = ruga_motion_get_info(c->motion);
    c->rate = info.rate > 0 ? info.rate : 24;
    if (option_given(a, "rate")) c->rate = option_number(a, "rate");
    if (option_given(a, "out-rate")) c->rate = option_number(a, "out-rate");
    c->first = 0;
    c->count = motion_frame_count(c->motion, c->rate);
    if (option_given(a, "frames")) {
        double low, high;
        option_span(a, "frames", &low, &high);
        if (low < 0 || floor(low) != low || floor(high) != high || high >= (double)c->count)
            return session_error(s, EXIT_USAGE, "convert: --frames takes whole numbers from 0 to %zu, not '%s'",
                                 c->count - 1, option_text(a, "frames"));
        c->first = (size_t)low;
        c->count = (size_t)(high - low) + 1;
    }
    c->write.rate = c->rate;
    c->write.start = info.start + (double)c->first / c->rate;
    return 0;
}

static int write_frames(session *s, const arguments *a, conversion *c) {
    int code = choose_frames(s, a, c);
    return code ? code : write_motion(s, c->mesh, c->motion, c->count, c->out, &c->write, "converting");
}

/* One mesh: at rest, or at the moment that was asked for. */
static int write_moment(session *s, const arguments *a, conversion *c) {
    int code = 0, moved = option_given(a, "frame") || option_given(a, "time");
    if (moved && !c->motion)
        return session_error(s, EXIT_USAGE, "convert: --frame and --time need something that moves; see --cache");
    if (moved) {
        code = choose_frames(s, a, c);
        double time;
        if (!code) code = moment_time(s, a, c->motion, c->rate, &time);
        if (!code) code = moment_sample(s, c->motion, time, &c->present);
    }
    if (!code) code = write_mesh(s, c->mesh, moved ? &c->present.frame : NULL, c->out, &c->write);
    return code ? code : report_written(s, c->out, c->mesh);
}

static int convert(session *s, const arguments *a, conversion *c) {
    int code = read_mesh(s, c->in, &c->read, &c->mesh);
    if (!code) code = moment_create(s, c->mesh, &c->present);
    if (!code && c->cache) code = read_motion(s, c->cache, c->mesh, &c->read, &c->motion);
    if (!code && !c->cache) code = read_own_motion(s, c->in, c->mesh, &c->read, &c->motion);
    if (code) return code;
    if (!writes_motion(c, a)) return write_moment(s, a, c);
    if (!c->motion)
        return session_error(
            s, EXIT_USAGE, "%s: nothing moves in it, so %s can't be made; give the motion with --cache", c->in, c->out);
    if (strcmp(c->out, "-") == 0) return session_error(s, EXIT_USAGE, "convert: only a mesh goes to standard output");
    return write_frames(s, a, c);
}

static int run(session *s, const arguments *a) {
    conversion c = {0};
    int code = read_names(s, a, &c);
    if (!code) code = convert(s, a, &c);
    moment_release(&c.present);
    ruga_motion_destroy(c.motion);
    ruga_mesh_destroy(c.mesh);
    return code;
}

const command command_convert = {
    .name = "convert",
    .summary = "writes a mesh or a motion in another format, unit or axis",
    .usage = "ruga convert IN OUT [options]",
    .about =
        "Meshes: obj, ply (ply-ascii, ply-big), glb, gltf. Motions: pc2, mdd, animated glb and gltf, and numbered\n"
        "sequences of meshes such as frame_####.obj. USD (usda) is written only, still or moving. The format comes "
        "from\n"
        "the name's ending. Vertex order is kept.",
    .examples =
        "  ruga convert skirt.obj skirt.glb\n"
        "  ruga convert skirt.obj skirt.ply --unit cm --up z\n"
        "  ruga convert walk.glb walk.pc2 --rate 24 --frames 0:47\n"
        "  ruga convert rest.obj --cache cache.pc2 -o out.glb\n"
        "  ruga convert walk.glb walk.usda --out-unit cm\n"
        "  ruga convert walk.glb frame_####.obj --mesh body\n"
        "  ruga convert rest.obj --cache cache.mdd --time 1.5 -o moment.obj\n",
    .add_options = add_options,
    .run = run,
};
