/* ruga convert: meshes and motions from one format to another. */
#include <string.h>

#include "command.h"
#include "frames.h"
#include "report.h"

static const option convert_options[] = {
    OUTPUT_ROW("FILE", NULL, "where to write, if not the second word; - is standard output"),
    FORMAT_ROW,
    UNIT_ROW("out-unit", "output"),
    UP_ROW("out-up", "output"),
    NUMBER_ROW("out-rate", "R", "frames/s", NULL, 0.001, 100000,
               "frame rate of the output, if it differs from that of the input"),
    FRAMES_ROW("only the frames A to B of the output, counted from 0"),
    BARE_ROW,
};

static int wants_moment(const arguments *a) { return option_given(a, "frame") || option_given(a, "time"); }

/* One mesh: at rest, or at the moment of --frame or --time. */
static int write_moment(session *s, const arguments *a, subject *in, const timeline *t, const char *out,
                        const ruga_file_def *def) {
    int code = 0;
    double time;
    if (wants_moment(a)) {
        if (!in->motion)
            return session_error(s, EXIT_USAGE, "convert: --frame and --time need a mesh that moves; see --cache");
        code = timeline_moment(s, a, t, &time);
        if (!code) code = subject_move(s, in, time);
    }
    if (!code) code = write_mesh(s, in->mesh, wants_moment(a) ? &in->current.frame : NULL, out, def);
    return code ? code : report_mesh(s, out, in->mesh);
}

/* From glTF to glTF, nothing need be sampled: the file is copied, with its skins and animations. */
static int copies(const arguments *a, const char *out, const ruga_file_def *def) {
    static const char *const sampled[] = {"frame", "time", "frames", "out-rate", "rate", "apart"};
    for (size_t i = 0; i < OPTION_COUNT(sampled); i++)
        if (option_given(a, sampled[i])) return 0;
    return keeps_origin(a, a->words[0], out, def);
}

static int copy(session *s, const arguments *a, const char *out, const ruga_file_def *def) {
    ruga_file_def chosen = *def;
    char *list = NULL;
    size_t meshes = 0;
    chosen.mesh = option_text(a, "mesh");
    chosen.animation = option_text(a, "animation");
    TRY_CODE(input_code(s, ruga_file_copy(s->context, a->words[0], out, &chosen)));
    TRY_CODE(input_code(s, ruga_file_list_meshes(s->context, out, &list)));
    for (const char *at = list; *at; at++) meshes += *at == '\n';
    ruga_free(s->context, list);
    session_remark(s, "wrote %s: %s mesh%s, with skins, animations, materials and textures\n", out, with_commas(meshes),
                   meshes == 1 ? "" : "es");
    return REPORT_JSON(s, REPORT_TEXT("output", out), REPORT_NUMBER("meshes", meshes));
}

static int convert(session *s, const arguments *a, subject *in, const char *out, ruga_file_def *def) {
    if (copies(a, out, def)) return copy(s, a, out, def);
    TRY_CODE(subject_read(s, a, a->words[0], option_text(a, "cache"), in));
    if (keeps_origin(a, a->words[0], out, def)) {
        def->origin = a->words[0];
        def->mesh = option_text(a, "mesh");
        def->animation = option_text(a, "animation");
        def->baked = 1;
    }
    timeline t = {0};
    double rate = option_given(a, "out-rate") ? option_number(a, "out-rate") : frame_rate(a, in->motion);
    if (in->motion) t = timeline_at_rate(in->motion, rate);
    int may_move = in->motion && !wants_moment(a) && format_may_be_motion(def->format, out);
    if (!may_move && !format_is_motion(def->format, out)) return write_moment(s, a, in, &t, out, def);

    if (!in->motion)
        return session_error(s, EXIT_USAGE, "%s: it has no motion, so %s can't be written; give one with --cache",
                             in->path, out);
    if (strcmp(out, "-") == 0)
        return session_error(s, EXIT_USAGE, "convert: only a mesh can be written to standard output");
    size_t first;
    int code = timeline_choose(s, a, &t, in->motion_path, "frames", &first, &t.count);
    t.start += (double)first / rate;
    if (!code) code = motion_write(s, in->mesh, in->motion, &t, "converting", out, def);
    return code ? code : report_motion(s, out, in->mesh, t.count, def);
}

static int run(session *s, const arguments *a) {
    const char *out = option_text(a, "output");
    if (a->word_count != (out ? 1 : 2))
        return session_error(s, EXIT_USAGE, "convert: expected an input and an output: ruga convert IN OUT");
    if (!out) out = a->words[1];
    subject in = {0};
    ruga_file_def def = output_def(a);
    int code = output_format(s, a, out, &def.format);
    if (!code) code = convert(s, a, &in, out, &def);
    subject_release(&in);
    return code;
}

const command command_convert = {
    .name = "convert",
    .summary = "writes a mesh or a motion in another format, unit or axis",
    .usage = "ruga convert IN OUT [options]",
    .about =
        "Meshes: obj, ply (ply-ascii, ply-big), glb, gltf; with tets also Gmsh (msh, msh-binary, msh2, msh2-binary), "
        "Medit (.mesh) and TetGen (.node with .ele). Motions: pc2, mdd, animated glb and gltf, and sequences "
        "such as frame_####.obj. USD (usda) can be written, static or moving, but not read. The ending of the name "
        "gives the format. The order of the vertices is kept. From glTF to glTF the whole file is kept, with skins, "
        "animations, materials, textures and all meshes (--mesh, --animation: only that one); frames are sampled only "
        "if --frames, --rate or --out-rate ask for it.",
    .examples =
        "  ruga convert skirt.obj skirt.glb\n"
        "  ruga convert skirt.obj skirt.ply --unit cm --up z\n"
        "  ruga convert walk.glb walk.pc2 --rate 24 --frames 0:47\n"
        "  ruga convert rest.obj --cache cache.pc2 -o out.glb\n"
        "  ruga convert walk.glb walk.usda --out-unit cm\n"
        "  ruga convert walk.glb frame_####.obj --mesh body\n"
        "  ruga convert rest.obj --cache cache.mdd --time 1.5 -o moment.obj\n",
    .groups = {OPTION_GROUP("Output", convert_options), OPTION_GROUP("Input", input_options),
               OPTION_GROUP("Motion", moment_options), OPTION_GROUP("Time", motion_options)},
    .output_word = 2,
    .run = run,
};
