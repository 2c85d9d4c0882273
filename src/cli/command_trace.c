/* ruga trace: lines of strongest compression of a frame, as a file of curves. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "frames.h"
#include "report.h"

static const option trace_options[] = {
    OUTPUT_ROW("FILE", NULL, "the curves: .json (exact), .obj or .svg"),
    NUMBER_ROW("threshold", "X", NULL, "0.02", 1e-9, 0.999,
               "compression at which a line begins; it ends where the mesh is compressed by less than half of it"),
    NUMBER_ROW("separation", "X", "m", NULL, 1e-9, 1e9, "distance between lines; by default six mean edges"),
    NUMBER_ROW("shortest", "X", "m", NULL, 0, 1e9, "length of the shortest line; by default two separations"),
    WHOLE_ROW("most", "N", NULL, "100", 1, 1e6, "number of lines at most, the strongest ones"),
};

/* ---- The command. */

typedef struct tracing {
    subject body;
    ruga_curve **curves;
    size_t count;
} tracing;

static int move_body(session *s, const arguments *a, subject *body) {
    double time = 0;
    if (!body->motion)
        return session_error(s, EXIT_INPUT, "%s: it has no motion, so nothing is compressed; give one with --cache",
                             a->words[0]);
    if (!option_given(a, "frame") && !option_given(a, "time"))
        return session_error(s, EXIT_USAGE, "trace: give the moment with --frame or --time");
    timeline times = timeline_of_samples(a, body->motion, 1);
    TRY_CODE(timeline_moment(s, a, &times, &time));
    return subject_move(s, body, time);
}

static int report(session *s, const tracing *t, const char *out) {
    ruga_json_writer *json;
    if (!s->json) {
        for (size_t i = 0; i < t->count; i++)
            session_remark(s, "%s: %s m%s\n", t->curves[i]->name,
                           with_digits(ruga_curve_length(t->curves[i], t->body.mesh, NULL)),
                           t->curves[i]->closed ? ", closed" : "");
        session_remark(s, "wrote %s: %s line%s\n", out, with_commas(t->count), t->count == 1 ? "" : "s");
        return 0;
    }
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "output", out);
    ruga_json_put_array(json, "lines");
    for (size_t i = 0; i < t->count; i++) {
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "name", t->curves[i]->name);
        ruga_json_put_number(json, "length", ruga_curve_length(t->curves[i], t->body.mesh, NULL));
        ruga_json_put_boolean(json, "closed", t->curves[i]->closed);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

static int trace(session *s, const arguments *a, tracing *t) {
    const char *out = option_text(a, "output");
    if (a->word_count != 1)
        return session_error(s, EXIT_USAGE, "trace: expected one mesh that moves, or a run: ruga trace RUN -o CURVES");
    if (!out) return session_error(s, EXIT_USAGE, "trace: give the output: -o lines.json");
    ruga_file_def file = input_def(a);
    TRY_CODE(subject_read(s, a, a->words[0], option_text(a, "cache"), &t->body));
    TRY_CODE(subject_check_overwriting(s, a, &t->body));
    TRY_CODE(subject_check_faces(s, &t->body, ", so nothing can be compressed"));
    TRY_CODE(move_body(s, a, &t->body));
    ruga_compression_def def = ruga_compression_def_default();
    def.threshold = option_number(a, "threshold");
    if (option_given(a, "separation")) def.separation = option_number(a, "separation");
    if (option_given(a, "shortest")) def.shortest = option_number(a, "shortest");
    def.most = (size_t)option_whole(a, "most");
    TRY_CODE(input_code(
        s, ruga_curves_from_compression(t->body.mesh, subject_positions(&t->body), &def, &t->curves, &t->count)));
    TRY_CODE(
        output_code(s, ruga_curves_write(t->body.mesh, (const ruga_curve *const *)t->curves, t->count, out, &file)));
    return report(s, t, out);
}

static int run(session *s, const arguments *a) {
    tracing t = {0};
    int code = trace(s, a, &t);
    ruga_curves_destroy(s->context, t.curves, t.count);
    subject_release(&t.body);
    return code;
}

const command command_trace = {
    .name = "trace",
    .summary = "traces lines of strongest compression over a frame",
    .usage = "ruga trace RUN|MESH --frame F -o CURVES [options]",
    .about =
        "Finds where a simulation or an animation compresses a mesh most, and writes the lines along which it would "
        "fold as a file of curves on the mesh at rest: input of 'ruga crease', of the hook \"crease\" and of 'ruga "
        "sculpt'. Lines run across the direction of compression. The strongest one comes first; others begin where "
        "the mesh is compressed most beyond the separation. docs/crease.md explains the method.",
    .examples =
        "  ruga trace sleeve.run --frame 40 -o lines.json\n"
        "  ruga trace body.obj --cache body.pc2 --time 1.5 --threshold 0.05 -o l.obj\n"
        "  ruga crease sleeve.obj lines.json -o creased.obj\n",
    .groups = {OPTION_GROUP("Lines", trace_options), OPTION_GROUP("Moment", moment_options),
               OPTION_GROUP("Motion", motion_options), OPTION_GROUP("Input", input_options)},
    .run = run,
};
