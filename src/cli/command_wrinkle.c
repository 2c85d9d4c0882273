/* ruga wrinkle: a wrinkle mesh on anything that moves, through a scene in memory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "fitting.h"
#include "report.h"

static const option output_options[] = {
    LAYER_OUTPUT_ROWS,
    WRITTEN_ROW("delta", "FILE",
                "also write the body itself, with its own vertices, skin and faces, moved to the wrinkles: the coarse "
                "part of them as offsets of its vertices (.glb, .gltf, .usda, .pc2, .mdd, or a sequence)")};

static const option fit_options[] = {
    FLAG_ROW("no-fit", 0,
             "do not choose wavelength, pre-stretch, subdivision and mask from the motion: use 1.5 average edges, 0.9, "
             "4 and the whole body; without limits that the paper lacks (calm 0, squeeze 0, upright false, "
             "crease-angle 180)"),
    FLAG_ROW("draft", 0, "a quick look: a coarser mesh, and 128 iterations for the first frame")};

static field_options wrinkle = {
    .heading = "Wrinkles (VALUE is a number, the name of a painted vertex attribute, or {...})",
    .section = "objects.details.wrinkle",
    .target = "objects[0].details[0]"};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Choices", fit_options, OPTION_COUNT(fit_options));
    field_options_add(list, &wrinkle, 1);
    layer_add_options(list);
    return 0;
}

/* ---- The scene: an animated body with one detail. */

static const char scene_text[] =
    "{\"objects\": [{\"name\": \"body\", \"mesh\": {\"kind\": \"sheet\"}, \"body\": {\"kind\": \"animated\"},\n"
    "              \"details\": [{\"kind\": \"wrinkle\"}]}]}";

/* The unit and the axis of the input also hold for a fine mesh from a file, unless its own are given. */
static int describe(session *s, layer *w) {
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

/* ---- The report. */

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

static void put_report(const layer *w, const ruga_wrinkle_mesh_report *found, const fitting *f,
                       ruga_json_writer *json) {
    ruga_json_begin_object(json);
    if (w->body.mesh_name) ruga_json_put_string(json, "mesh", w->body.mesh_name);
    layer_put_report(w, json);
    if (found->wave_origin != RUGA_WRINKLE_WAVE_NONE) ruga_json_put_number(json, "wavelength", found->wavelength);
    ruga_json_put_string(json, "wavelength_origin", wave_origins[found->wave_origin]);
    ruga_json_put_number(json, "least_radius", found->least_radius);
    ruga_json_put_number(json, "greatest_radius", found->greatest_radius);
    ruga_json_put_string(json, "radius_origin", radius_origins[found->radius_origin]);
    if (option_given(w->arguments, "self-collision")) {
        ruga_json_put_number(json, "held_back", (double)found->held_back);
        ruga_json_put_number(json, "collision_seconds", found->collision_seconds);
    }
    fitting_put(w, f, json);
    layer_put_bad_frames(w, json);
    ruga_json_end_object(json);
}

static void print_report(session *s, const layer *w, const ruga_wrinkle_mesh_report *found, const fitting *f) {
    if (strcmp(w->out, "-") == 0) return;
    if (w->shown)
        session_remark(s, "mesh %s: %s vertices and %s triangles", w->body.mesh_name,
                       with_commas(w->fine->vertex_count), with_commas(w->fine->triangle_count));
    else
        report_wrote(s, w->out, w->count, w->fine);
    session_remark(s, ", on %s of the body\n", with_commas(w->body.mesh->triangle_count));
    if (found->wave_origin == RUGA_WRINKLE_WAVE_NONE)
        session_remark(s, "wavelength: none\n");
    else
        session_remark(s, "wavelength: %s m, %s\n", with_digits(found->wavelength),
                       f->has_wavelength ? "chosen from the motion" : wave_origins[found->wave_origin]);
    session_remark(s, "radius: ");
    if (found->least_radius < found->greatest_radius) session_remark(s, "%s to ", with_digits(found->least_radius));
    session_remark(s, "%s m, %s\n", with_digits(found->greatest_radius), radius_origins[found->radius_origin]);
    fitting_print(s, w, f);
    if (option_given(w->arguments, "self-collision"))
        session_remark(s, "self-collision: %s ms per frame; in the last one it corrected %s of %s vertices\n",
                       with_digits(1e3 * found->collision_seconds), with_commas(found->held_back),
                       with_commas(found->fine_vertices));
    layer_print_times(s, w);
}

/* A mask that covers everything is a mistake, most likely. */
static void warn_of_mask(session *s, const ruga_wrinkle_mesh_report *found) {
    if (found->radius_origin != RUGA_WRINKLE_RADIUS_PAINTED || found->greatest_radius > 1e-6 * found->radius_unit)
        return;
    session_warning(s,
                    "the mask of --radius is 0 on the whole body, so there are no wrinkles; it should be 1 where "
                    "they belong");
}

/* ---- The command. */

/* all: the report of all meshes of a file, or NULL. */
static int wrinkle_body(session *s, layer *w, fitting *f, ruga_json_writer *all) {
    ruga_wrinkle_mesh_report found;
    int code = layer_read_words(s, w);
    if (!code) code = describe(s, w);
    if (!code) code = layer_open_body(s, w);
    if (!code) code = fitting_make(s, w, f);
    if (!code) code = layer_make_frames(s, w);
    if (!code) code = output_code(s, ruga_scene_wrinkle_report(w->scene, 0, 0, &found));
    if (code) return code;
    warn_of_size(s, w, found.wavelength);
    warn_of_mask(s, &found);
    print_report(s, w, &found, f);
    if (!s->json) return 0;
    ruga_json_writer *json = all;
    if (!json) TRY_CODE(json_begin(s, &json));
    put_report(w, &found, f, json);
    return all ? 0 : json_finish(s, json);
}

static int wrinkle_mesh(session *s, layer *w, ruga_json_writer *all) {
    fitting f = {0};
    w->name = "wrinkle";
    w->delta = option_text(w->arguments, "delta");
    int code = wrinkle_body(s, w, &f, all);
    layer_release(w);
    fitting_release(&f);
    return code;
}

/* ---- All meshes of a file. */

/* Each mesh is written into the file that the one before left. */
typedef struct all_meshes {
    const arguments *arguments;
    const char *out;
    size_t count, done;
    char steps[2][4200]; /* scratch files beside the output */
    const char *last;    /* the one with all meshes so far; NULL: none yet */
    ruga_json_writer *json;
    const char *at; /* the line of the list "number name triangles" of the next mesh */
} all_meshes;

/* A name that no file has yet. */
static int choose_step(session *s, const char *out, char *step, size_t size) {
    for (int i = 0; i < 1000; i++) {
        snprintf(step, size, "%.4000s.%ld-%d.tmp.glb", out, (long)getpid(), i);
        FILE *file = fopen(step, "wx");
        if (file) return fclose(file) == 0 ? 0 : session_error(s, EXIT_FAILED, "%s: can't be written", step);
        if (errno != EEXIST) break;
    }
    return session_error(s, EXIT_FAILED, "%s: can't be written: %s", step, strerror(errno));
}

/* The name in the next line of the list. */
static void next_name(all_meshes *all, char *name, size_t size) {
    const char *begin = all->at + strcspn(all->at, " \n"), *end = all->at + strcspn(all->at, "\n");
    const char *last = end;
    while (last > begin && last[-1] != ' ') last--;
    snprintf(name, size, "%.*s", (int)(last > begin ? last - begin : 0), begin);
    all->at = *end ? end + 1 : end;
}

/* A mesh that can't be wrinkled is kept as it is. Only an interruption and a lack of memory end the run. */
static int wrinkle_step(session *s, all_meshes *all, size_t i) {
    char mesh[24], name[200];
    char *step = all->last == all->steps[0] ? all->steps[1] : all->steps[0];
    layer w = {.arguments = all->arguments, .origin = all->last, .out = step, .shown = all->out};
    snprintf(mesh, sizeof mesh, "%zu", i);
    w.body.mesh_name = mesh;
    next_name(all, name, sizeof name);
    if (ruga_wrinkle_is_firm(name) && !option_given(all->arguments, "no-fit") &&
        !option_given(all->arguments, "radius")) {
        session_remark(s, "mesh %zu,%s, does not wrinkle by its name; --radius overrides this\n", i, name);
        return 0;
    }
    s->lenient = 1;
    int code = wrinkle_mesh(s, &w, all->json);
    s->lenient = 0;
    if (session_interrupt_code()) return session_interrupt_code();
    if (code == EXIT_USAGE) return code;
    if (code) {
        session_warning(s, "mesh %zu is kept as it is", i);
        return 0;
    }
    all->last = step;
    all->done++;
    return 0;
}

static int wrinkle_steps(session *s, all_meshes *all) {
    ruga_file_def def = ruga_file_def_default();
    for (size_t i = 0; i < all->count; i++) TRY_CODE(wrinkle_step(s, all, i));
    if (all->done == 0)
        return session_error(s, EXIT_INPUT, "%s: none of its %zu meshes could be wrinkled; the warnings say why",
                             all->arguments->words[0], all->count);
    TRY_CODE(output_code(s, ruga_file_copy(s->context, all->last, all->out, &def)));
    session_remark(s, "wrote %s: %zu of %zu meshes\n", all->out, all->done, all->count);
    return 0;
}

static int wrinkle_all(session *s, const arguments *a) {
    all_meshes all = {.arguments = a, .out = option_text(a, "output")};
    char *list = NULL;
    if (a->word_count != 1 || !all.out || !path_is_gltf(a->words[0]) || !path_is_gltf(all.out) ||
        option_given(a, "bare") || option_given(a, "cache") || option_given(a, "delta") || option_given(a, "frame"))
        return session_error(
            s, EXIT_USAGE,
            "wrinkle: --mesh all needs a glTF file and writes one: ruga wrinkle BODY.glb --mesh all -o "
            "OUT.glb, without --bare, --cache, --delta and --frame");
    TRY_CODE(input_code(s, ruga_file_list_meshes(s->context, a->words[0], &list)));
    for (const char *at = list; *at; at++) all.count += *at == '\n';
    all.at = list;
    int code = choose_step(s, all.out, all.steps[0], sizeof all.steps[0]);
    if (!code) code = choose_step(s, all.out, all.steps[1], sizeof all.steps[1]);
    if (!code && s->json) code = json_begin(s, &all.json);
    if (all.json) {
        ruga_json_begin_object(all.json);
        ruga_json_put_string(all.json, "output", all.out);
        ruga_json_put_array(all.json, "meshes");
    }
    if (!code) code = wrinkle_steps(s, &all);
    if (all.json) {
        ruga_json_end_array(all.json);
        ruga_json_put_count(all.json, "kept", all.count - all.done);
        ruga_json_end_object(all.json);
        if (code)
            ruga_json_writer_destroy(all.json);
        else
            code = json_finish(s, all.json);
    }
    for (int i = 0; i < 2; i++)
        if (all.steps[i][0]) remove(all.steps[i]);
    ruga_free(s->context, list);
    return code;
}

static int run(session *s, const arguments *a) {
    const char *mesh = option_text(a, "mesh");
    layer w = {.arguments = a};
    return mesh && strcmp(mesh, "all") == 0 ? wrinkle_all(s, a) : wrinkle_mesh(s, &w, NULL);
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
        "carried over. --wavelength sets the length of the wrinkles on any mesh. By default, the command measures the "
        "strain of the body over its motion and chooses wavelength, pre-stretch and subdivision from it; pieces that "
        "move rigidly, narrow ones, and materials such as eyes or shoes do not wrinkle. It prints its choices; options "
        "override them, --no-fit disables them. --strength 0.5 halves the height of the wrinkles. A painted "
        "radius is a factor of the radius that the wavelength needs, so a mask "
        "from 0 to 1 works. The first frame is settled, so it has its wrinkles at once. With --settle, every frame is "
        "settled and does not depend on earlier ones.\n"
        "From glTF to glTF the rest of the file is kept: skin, materials, textures, cameras, animations and other "
        "meshes; --mesh all wrinkles every mesh. docs/wrinkle-mesh.md explains all parameters.",
    .examples =
        "  ruga wrinkle arm.glb -o wrinkled.glb\n"
        "  ruga wrinkle arm.glb --radius elbow -o wrinkled.glb\n"
        "  ruga wrinkle walk.glb --radius 'joint:Left*Arm*' -o wrinkled.glb\n"
        "  ruga wrinkle arm.glb --wavelength 0.02 --subdivide 8 -o wrinkled.usda\n"
        "  ruga wrinkle shirt.obj --cache shirt.pc2 --unit cm --radius 0.004 -o fine.pc2\n"
        "  ruga wrinkle hall.run --mesh curtain --fine fine.obj -o fine_####.obj\n"
        "  ruga wrinkle arm.glb --frame 37 -o frame37.obj\n"
        "  ruga wrinkle character.glb --mesh all -o wrinkled.glb\n"
        "  ruga wrinkle arm.glb --self-collision -o wrinkled.glb\n"
        "  ruga wrinkle arm.glb --delta rig.glb -o fine.pc2\n"
        "  ruga wrinkle walk.glb --pre-stretch '{\"attribute\": \"mask\"}' -o out.glb\n",
    .groups = {OPTION_GROUP("Output", output_options)},
    .add_options = add_options,
    .run = run,
};
