/* ruga shell: an embedded thin shell on anything that moves, through a scene in memory. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "layer.h"
#include "report.h"

static const option output_options[] = {LAYER_OUTPUT_ROWS};
static const option mesh_options[] = {
    WHOLE_ROW("subdivide", "N", NULL, NULL, 1, 256, "cut each edge of the body into N parts first"),
    WHOLE_ROW("smooth", "N", NULL, NULL, 1, 8, "subdivide the skin by N rounds of Loop's scheme for display"),
};

static field_options shell = {.heading = "Skin (VALUE is a number, the name of a painted vertex attribute, or {...})",
                              .section = "objects.details.shell",
                              .target = "objects[0].details[1]"};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    field_options_add(list, &shell, 1);
    option_list_add(list, "Mesh", mesh_options, OPTION_COUNT(mesh_options));
    layer_add_options(list);
    return 0;
}

/* details: more of them on top of the skin. */
#define SCENE_TEXT(details)                                                                                      \
    "{\"objects\": [{\"name\": \"body\", \"mesh\": {\"kind\": \"sheet\"}, \"body\": {\"kind\": \"animated\"},\n" \
    "              \"details\": [{\"kind\": \"subdivide\", \"n\": 1}, {\"kind\": \"shell\"}" details "]}]}"

static int set_number(session *s, const arguments *a, const char *name, const char *path, ruga_description *d) {
    if (!option_given(a, name)) return 0;
    return usage_code(s, ruga_description_set(d, path, option_text(a, name)), name);
}

static int describe(session *s, layer *w) {
    const arguments *a = w->arguments;
    const char *text =
        option_given(a, "smooth") ? SCENE_TEXT(", {\"kind\": \"subdivide\", \"method\": \"loop\"}") : SCENE_TEXT("");
    int code = scene_describe(s, "shell", text, &w->description);
    if (!code) code = set_number(s, a, "subdivide", "objects[0].details[0].n", w->description);
    if (!code) code = set_number(s, a, "smooth", "objects[0].details[2].n", w->description);
    return code ? code : field_options_apply(s, a, &shell, shell.target, w->description);
}

/* ---- The report. */

static int json_report(session *s, const layer *w, const ruga_embedded_shell_report *found) {
    ruga_json_writer *json;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    layer_put_report(w, json);
    ruga_json_put_number(json, "wavelength", found->wavelength);
    ruga_json_put_number(json, "least_wavelength", found->least_wavelength);
    ruga_json_put_number(json, "greatest_wavelength", found->greatest_wavelength);
    ruga_json_put_count(json, "clusters", found->clusters);
    ruga_json_put_number(json, "mean_edge", found->mean_edge);
    ruga_json_put_number(json, "wanted_edge", found->wanted_edge);
    ruga_json_put_number(json, "amplitude", found->amplitude);
    ruga_json_put_number(json, "residual", found->residual);
    ruga_json_put_count(json, "self_intersections", found->self_intersections);
    ruga_json_put_count(json, "passing_vertices", found->passing_vertices);
    ruga_json_put_count(json, "yielding_clusters", found->yielding_clusters);
    ruga_json_put_number(json, "greatest_yield", found->greatest_yield);
    layer_put_bad_frames(w, json);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

static void print_report(session *s, const layer *w, const ruga_embedded_shell_report *found) {
    if (strcmp(w->out, "-") == 0) return;
    report_wrote(s, w->out, w->count, w->fine);
    session_remark(s, "\nwavelength: %s m", with_digits(found->wavelength));
    if (found->least_wavelength < found->greatest_wavelength)
        session_remark(s, " on average, from %s m to %s m", with_digits(found->least_wavelength),
                       with_digits(found->greatest_wavelength));
    session_remark(s, "; %s clusters\n", with_commas(found->clusters));
    session_remark(s, "edges: %s m on average; %s m would resolve every wave\n", with_digits(found->mean_edge),
                   with_digits(found->wanted_edge));
    session_remark(s, "the skin is %s m from the body, root mean square\n", with_digits(found->amplitude));
    layer_print_times(s, w);
}

/* ---- The command. */

static int cover_body(session *s, layer *w) {
    ruga_embedded_shell_report found;
    int code = layer_read_words(s, w);
    if (!code) code = describe(s, w);
    if (!code) code = layer_open_body(s, w);
    if (!code) code = layer_make_frames(s, w);
    if (!code) code = output_code(s, ruga_scene_shell_report(w->scene, 0, 1, &found));
    if (code) return code;
    print_report(s, w, &found);
    return s->json ? json_report(s, w, &found) : 0;
}

static int run(session *s, const arguments *a) {
    layer w = {.arguments = a, .name = "shell"};
    int code = cover_body(s, &w);
    layer_release(&w);
    return code;
}

const command command_shell = {
    .name = "shell",
    .summary = "covers anything that moves with a skin that wrinkles",
    .usage = "ruga shell BODY -o OUT [options]",
    .about =
        "Covers a moving body with a thin, stiff skin on a soft interior. Where the body is compressed, the skin "
        "wrinkles at the wavelength that its thickness and the two stiffnesses predict (Rémillard and Kry 2013). BODY "
        "is an animated glTF (skin or morph targets), a mesh with its motion after --cache, a sequence such as "
        "frame_####.obj, or a run. The mesh itself is the rest shape; of a sequence, the first file.\n"
        "A wave needs ten edges: --subdivide refines the body first, and a warning names the edge length that it "
        "needs. --wavelength sets the length of the wrinkles instead of the interior's stiffness. "
        "docs/embedded-shell.md explains all parameters.",
    .examples =
        "  ruga shell arm.glb --skin skin --wavelength 0.04 --subdivide 3 -o skin.glb\n"
        "  ruga shell sofa.obj --cache sofa.pc2 --skin leather -o leather.pc2\n"
        "  ruga shell plum.glb --skin fruit --thickness 0.0004 -o prune.glb\n"
        "  ruga shell face.glb --skin skin --thickness skin_thickness -o out.glb\n",
    .groups = {OPTION_GROUP("Output", output_options)},
    .add_options = add_options,
    .run = run,
};
