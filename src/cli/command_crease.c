/* ruga crease: folds a mesh along curves, through a scene in memory. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "crease_picture.h"
#include "field_options.h"
#include "frames.h"
#include "picture.h"
#include "report.h"
#include "scenes.h"
#include "vectors.h"

/* The shape of a mesh without load depends on ratios of stiffnesses only. The chosen sheet is one that settles within
 * its frames: half of it turns and bends at TURN_SPEED, it stretches little, and panels bend before creases open. */
#define TURN_SPEED 30.0    /* rad/s */
#define CHOSEN_BEND 0.1    /* over density, half size ⁴ and the square of that speed */
#define CHOSEN_STRETCH 1e4 /* over bend / half size² */
#define PANEL_BENDS 20     /* the chosen stiffness of creases over bend / half size */
#define DENSITY 0.08       /* kg/m², of the chosen sheet: paper */
#define STILL 5e-4         /* of the mesh's size, that no vertex moves by once it has settled, */
#define STILL_FRAMES 24    /* in so many frames: one alone may be the turning point of a swing */
#define MORE_FRAMES 120    /* at most, for a still result to settle */
#define MOST_MOVED 100.0   /* of the mesh, in a frame: farther is no result */
#define WIDE 20.0          /* m, of a mesh that may be in cm */
#define TOO_WIDE 300.0     /* m, of one that may be in mm; from 380 on scenes refuse the stiffness of a chosen sheet */
#define LEAST_FOLD 0.5     /* of its target, and */
#define MOST_GAP 0.1       /* of a mean edge, of a crease without a warning */
#define FOLDING (2.0 / 3)  /* of the frames; in the others it settles */

static const option output_options[] = {
    FRAMES_OUTPUT_ROW(
        "FILE",
        "any mesh format for the folded mesh; for the folding itself an animated .glb, .gltf or .usda, a .pc2 "
        "or .mdd with the mesh as .obj beside it, or a sequence such as frame_####.obj; or a scene (.json) to "
        "continue with"),
    FORMAT_ROW,
};

static const char *const holds[] = {"panel", "none", NULL};

static const option scene_options[] = {
    CHOICE_ROW(
        "hold", "WORD", "panel", holds,
        "panel: the triangle farthest from creases and border stays in place; none: nothing is held, and the centre of "
        "mass stays"),
};

static const option preview_options[] = {
    WRITTEN_ROW("preview", "PNG",
                "a picture of the creases on the flat mesh, valleys blue and mountains red, and of the result"),
};

/* Groups of options in the order of --help, and their places in the scene below. */
enum { CREASES, MATERIAL, ENVIRONMENT, TIME, GROUPS };
static field_options groups[GROUPS] = {
    [CREASES] = {.heading = "Creases",
                 .section = "objects.hooks.crease",
                 .without = "curves lines start end active set cut remove form particles several depth crack evenness "
                            "push push_fade muscle",
                 .target = "objects[0].hooks[0]"},
    [MATERIAL] = {.heading = "Material",
                  .section = "materials",
                  .without = "name thickness poisson friction shear_ratio strain_limit bend_friction",
                  .target = "materials[0]"},
    [ENVIRONMENT] = {.heading = "Environment", .section = "", .target = ""},
    [TIME] = {.heading = "Time", .section = "time", .without = "start_frame preroll", .target = "time"},
};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    for (int i = 0; i < GROUPS; i++) field_options_add(list, &groups[i], 0);
    field_options_rename(&groups[CREASES], "angle", "angle",
                         "fold of the creases: positive a valley, seen from the front of the faces, negative a "
                         "mountain; default 90");
    field_options_rename(&groups[CREASES], "stiffness", "stiffness",
                         "moment per metre of crease and radian off its angle; by default chosen so that panels bend "
                         "before creases open");
    field_options_rename(
        &groups[MATERIAL], "like", "material",
        "a preset such as paper, cotton or denim, for all that is not given here; default: a stiff sheet, "
        "chosen for the size of the mesh");
    field_options_rename(&groups[ENVIRONMENT], "gravity", "gravity",
                         "acceleration of falling bodies; default 0,0,0, so that only the creases shape the mesh");
    field_options_rename(&groups[TIME], "frames", "frames",
                         "frames of the folding, default 36: it folds in the first two thirds and settles in the rest");
    option_list_add(list, "Support", scene_options, OPTION_COUNT(scene_options));
    option_list_add(list, "Preview", preview_options, OPTION_COUNT(preview_options));
    option_list_add(list, "Picture", image_options, OPTION_COUNT(image_options));
    option_list_add(list, "Camera", camera_options, OPTION_COUNT(camera_options));
    option_list_add(list, "Input (the output has the same unit and axis)", input_options, OPTION_COUNT(input_options));
    option_list_add(list, "The scene", set_options, OPTION_COUNT(set_options));
    return 0;
}

/* The state of one call. */
typedef struct creasing {
    const arguments *arguments;
    const char *path, *curves, *out, *preview;
    ruga_file_def read, write;
    int moves; /* write frames, not a mesh */
    ruga_mesh *mesh;
    ruga_mesh_summary summary;
    ruga_description *description;
    ruga_scene *scene;
    const ruga_mesh *cut; /* of the frames */
    int is_own_sheet;     /* the user gave its material */
    double chosen;        /* N, stiffness; 0: the user's */
    size_t held;          /* triangle; SIZE_MAX: none */
    size_t settling;      /* frames after the last */
    double last;          /* m, greatest displacement in the last frame */
    ruga_vec3 *before;    /* (cut vertices) the frame before */
    ruga_vec3 *rest;      /* (cut vertices) where all have been since, within STILL */
    size_t still;         /* frames since then */
    double seconds;
} creasing;

static const char scene_text[] =
    "{\"time\": {\"fps\": 24, \"frames\": 36, \"substeps\": 2}, \"gravity\": [0, 0, 0],\n"
    " \"materials\": [{\"name\": \"sheet\", \"like\": \"paper\", \"strain_limit\": 0}],\n"
    " \"objects\": [{\"name\": \"mesh\", \"mesh\": {\"kind\": \"file\", \"file\": \"mesh.obj\"},\n"
    "              \"material\": \"sheet\",\n"
    "              \"body\": {\"kind\": \"cloth\", \"integrator\": \"implicit\", \"drag\": 0, \"lift\": 0,\n"
    "                       \"tolerance\": 1e-5, \"iterations\": 4000},\n"
    "              \"hooks\": [{\"kind\": \"crease\", \"angle\": 90, \"start\": 0}]}]}";

/* ---- Input. */

static int read_words(session *s, creasing *c) {
    const arguments *a = c->arguments;
    if (a->word_count != 2)
        return session_error(s, EXIT_USAGE, "crease: expected a mesh and its curves: ruga crease MESH CURVES -o OUT");
    c->path = a->words[0];
    c->curves = a->words[1];
    c->preview = option_text(a, "preview");
    c->out = option_text(a, "output");
    if (!c->out) return session_error(s, EXIT_USAGE, "crease: give the output: -o OUT");
    TRY_CODE(check_preview(s, c->preview));
    c->read = c->write = input_def(a);
    c->write.mesh = NULL;
    if (path_ends_in(c->out, ".json")) return 0;
    TRY_CODE(output_format(s, a, c->out, &c->write.format));
    c->moves = format_is_motion(c->write.format, c->out) ||
               (option_given(a, "frames") && format_may_be_motion(c->write.format, c->out));
    return 0;
}

/* A wide mesh is likely in cm or mm, unless --unit is given; glTF is in metres. */
static int check_size(session *s, const creasing *c) {
    static const char message[] = "%s: the mesh is %s m wide; if its unit is %s, give --unit %s, else --unit m";
    ruga_vec3 extent = vec_add(c->summary.high, -1, c->summary.low);
    double width = fmax(extent.x, fmax(extent.y, extent.z));
    int is_metres = option_given(c->arguments, "unit") || path_ends_in(c->path, ".glb") ||
                    path_ends_in(c->path, ".gltf") || ruga_path_is_run(c->path);
    const char *unit = width < TOO_WIDE ? "cm" : "mm";
    if (width < WIDE || is_metres) return 0;
    if (width >= TOO_WIDE) return session_error(s, EXIT_INPUT, message, c->path, with_digits(width), unit, unit);
    session_note(s, message, c->path, with_digits(width), unit, unit);
    return 0;
}

static int read_input(session *s, creasing *c) {
    TRY_CODE(read_mesh(s, c->path, &c->read, &c->mesh));
    if (c->mesh->triangle_count == 0)
        return session_error(s, EXIT_INPUT,
                             "%s: has no faces to fold; give the mesh first, then its curves: ruga crease MESH CURVES",
                             c->path);
    TRY_CODE(input_code(s, ruga_mesh_summarise(c->mesh, &c->summary)));
    return check_size(s, c);
}

/* ---- The scene. */

/* A value of the material, its own or that of the preset that it is like. */
static double material_value(const ruga_material_def *m, double own, size_t offset) {
    for (size_t i = 0; isnan(own) && m->like && i < ruga_material_preset_count(); i++) {
        const ruga_material_def *preset = &ruga_material_preset_get(i)->values;
        if (strcmp(preset->name, m->like) == 0) memcpy(&own, (const char *)preset + offset, sizeof own);
    }
    return isnan(own) ? 0 : own;
}

/* A sheet for the size of the mesh, unless a material was given, and creases that are stiff for it. */
static int choose_stiffness(session *s, creasing *c) {
    static const char *const given[] = {"material", "density", "stretch", "bend"};
    const arguments *a = c->arguments;
    double half = sqrt(c->summary.area) / 2, turn = TURN_SPEED * TURN_SPEED;
    for (size_t i = 0; i < OPTION_COUNT(given); i++) c->is_own_sheet |= option_given(a, given[i]) > 0;
    if (!c->is_own_sheet) {
        double bend = CHOSEN_BEND * DENSITY * pow(half, 4) * turn;
        TRY_CODE(scene_set(s, c->description, "materials[0].bend", "%.6g", bend));
        TRY_CODE(scene_set(s, c->description, "materials[0].stretch", "%.6g", CHOSEN_STRETCH * bend / (half * half)));
    }
    if (option_given(a, "stiffness") || option_given(a, "preset")) return 0;
    const ruga_material_def *m = ruga_description_get(c->description)->materials.items;
    double density = material_value(m, m->density, offsetof(ruga_material_def, density));
    double bend = material_value(m, m->bend, offsetof(ruga_material_def, bend));
    c->chosen = fmax(density * pow(half, 3) / 3 * turn, PANEL_BENDS * bend / half);
    return scene_set(s, c->description, "objects[0].hooks[0].stiffness", "%.6g", c->chosen);
}

static int describe(session *s, creasing *c) {
    const arguments *a = c->arguments;
    TRY_CODE(scene_describe(s, "crease", scene_text, &c->description));
    TRY_CODE(scene_set(s, c->description, "objects[0].mesh.file", "%s", c->path));
    TRY_CODE(scene_set(s, c->description, "objects[0].hooks[0].curves", "%s", c->curves));
    if (option_given(a, "unit"))
        TRY_CODE(scene_set(s, c->description, "objects[0].mesh.unit", "%s", option_text(a, "unit")));
    if (option_given(a, "up")) TRY_CODE(scene_set(s, c->description, "objects[0].mesh.up", "%s", option_text(a, "up")));
    if (option_given(a, "mesh"))
        TRY_CODE(scene_set(s, c->description, "objects[0].mesh.mesh", "%s", option_text(a, "mesh")));
    for (int i = 0; i < GROUPS; i++) TRY_CODE(field_options_apply(s, a, &groups[i], groups[i].target, c->description));
    const ruga_scene_def *def = ruga_description_get(c->description);
    TRY_CODE(
        scene_set(s, c->description, "objects[0].hooks[0].end", "%.17g", FOLDING * def->time.frames / def->time.fps));
    TRY_CODE(choose_stiffness(s, c));
    return set_options_apply(s, a, c->description);
}

/* Marks the vertices on the border. Around a vertex inside, each neighbour begins one edge and ends another, so that
 * their numbers cancel. */
static uint8_t *mark_border(const ruga_mesh *mesh) {
    int64_t *sums = calloc(mesh->vertex_count + 1, sizeof *sums);
    uint8_t *marks = calloc(mesh->vertex_count + 1, 1);
    for (size_t i = 0; sums && marks && i < 3 * mesh->triangle_count; i++) {
        const uint32_t *v = mesh->triangles + i / 3 * 3;
        sums[v[i % 3]] += (int64_t)v[(i + 1) % 3] - (int64_t)v[(i + 2) % 3];
    }
    for (size_t v = 0; sums && marks && v < mesh->vertex_count; v++) marks[v] = sums[v] != 0;
    if (!sums) {
        free(marks);
        return NULL;
    }
    free(sums);
    return marks;
}

/* The places that the panel has to be far from: those of the curves, then the border. */
static int list_places(session *s, const creasing *c, ruga_curve *const *curves, size_t count, ruga_vec3 **out,
                       size_t *place_count) {
    size_t most = c->mesh->vertex_count, at = 0;
    for (size_t i = 0; i < count; i++) most += curves[i]->point_count;
    uint8_t *border = mark_border(c->mesh);
    *out = malloc((most + 1) * sizeof **out);
    if (!border || !*out) {
        free(border);
        return session_no_memory(s);
    }
    for (size_t i = 0; i < count; at += curves[i++]->point_count)
        ruga_curve_points(curves[i], c->mesh, NULL, *out + at);
    for (size_t v = 0; v < c->mesh->vertex_count; v++)
        if (border[v]) (*out)[at++] = c->mesh->positions[v];
    free(border);
    *place_count = at;
    return 0;
}

/* The triangle without a curve that is farthest from the places: the middle of the largest panel. */
static void choose_panel(creasing *c, const uint8_t *cut, const ruga_vec3 *places, size_t count) {
    double most = 0;
    size_t last = 0; /* the nearest place of the triangle before: most often that of the next one, too */
    for (size_t t = 0; t < c->mesh->triangle_count; t++) {
        const uint32_t *v = c->mesh->triangles + 3 * t;
        const ruga_vec3 *p = c->mesh->positions;
        if (cut[t]) continue;
        ruga_vec3 at = vec_add(vec_add(p[v[0]], 1, p[v[1]]), 1, p[v[2]]);
        double nearest = INFINITY;
        size_t first = last;
        for (size_t k = 0; k < count && nearest > most; k++) {
            size_t i = (first + k) % count;
            double distance = vec_length(vec_add(places[i], -1.0 / 3, at));
            if (!(distance < nearest)) continue;
            nearest = distance;
            last = i;
        }
        if (!(nearest > most)) continue;
        most = nearest;
        c->held = t;
    }
}

static int find_panel(session *s, creasing *c) {
    ruga_curve **curves = NULL;
    ruga_vec3 *places = NULL;
    size_t count = 0, place_count = 0;
    s->is_silent = 1; /* the scene reads the same file, and warns */
    int read = input_code(s, ruga_curves_read(c->mesh, c->curves, &c->read, NULL, &curves, &count));
    s->is_silent = 0;
    TRY_CODE(read);
    uint8_t *cut = calloc(c->mesh->triangle_count + 1, 1);
    int code = cut ? list_places(s, c, curves, count, &places, &place_count) : session_no_memory(s);
    for (size_t i = 0; i < count && !code; i++)
        for (size_t k = 0; k < curves[i]->point_count; k++) cut[curves[i]->points[k].triangle] = 1;
    if (!code) choose_panel(c, cut, places, place_count);
    free(cut);
    free(places);
    ruga_curves_destroy(s->context, curves, count);
    return code;
}

static int hold_panel(session *s, creasing *c) {
    if (option_choice(c->arguments, "hold") != 0) return 0;
    TRY_CODE(find_panel(s, c));
    if (c->held == SIZE_MAX) {
        session_note(s, "every triangle is cut, so none is held; the centre of mass stays");
        return 0;
    }
    const uint32_t *v = c->mesh->triangles + 3 * c->held;
    return scene_set(s, c->description, "objects[0].body.pins[0]", "{\"kind\": \"fixed\", \"vertices\": \"%u,%u,%u\"}",
                     v[0], v[1], v[2]);
}

static int make_scene(session *s, creasing *c) {
    TRY_CODE(input_code(s, ruga_scene_create(s->context, ruga_description_get(c->description), &c->scene)));
    c->cut = ruga_scene_object_mesh(c->scene, 0);
    return 0;
}

/* ---- Frames. */

static double most_moved(const ruga_frame *frame, const ruga_vec3 *from) {
    double most = 0;
    for (size_t v = 0; v < frame->vertex_count; v++)
        most = fmax(most, vec_length(vec_add(frame->positions[v], -1, from[v])));
    return most;
}

static int step(session *s, creasing *c) {
    ruga_vec3 extent = vec_add(c->summary.high, -1, c->summary.low);
    TRY_CODE(output_code(s, ruga_scene_step(c->scene)));
    const ruga_frame *frame = ruga_scene_frame(c->scene, 0);
    if (frame->vertex_count != c->cut->vertex_count)
        return session_error(s, EXIT_INPUT, "creases that are cut or removed at a time need a scene: see ruga run");
    c->last = most_moved(frame, c->before);
    memcpy(c->before, frame->positions, frame->vertex_count * sizeof *c->before);
    c->still++;
    if (most_moved(frame, c->rest) > STILL * vec_length(extent)) {
        memcpy(c->rest, frame->positions, frame->vertex_count * sizeof *c->rest);
        c->still = 0;
    }
    if (c->last > MOST_MOVED * vec_length(extent))
        return session_error(s, EXIT_FAILURE, "the mesh moved by %s m in a frame; give more --substeps or --damping",
                             with_digits(c->last));
    return 0;
}

static int step_frame(session *s, void *user, size_t frame) {
    (void)frame;
    return step(s, user);
}

static int make_frame(session *s, void *user, size_t frame, ruga_frame *out) {
    creasing *c = user;
    (void)frame;
    TRY_CODE(step(s, c));
    *out = *ruga_scene_frame(c->scene, 0);
    return 0;
}

static int write_frames(session *s, creasing *c) {
    const ruga_scene_def *def = ruga_description_get(c->description);
    const frame_source source = {.mesh = c->cut,
                                 .doing = "frame",
                                 .count = (size_t)def->time.frames,
                                 .mesh_beside = 1,
                                 .make = make_frame,
                                 .user = c};
    c->write.rate = def->time.fps;
    c->write.start = def->time.start_frame / def->time.fps;
    return frames_write(s, &source, c->out, &c->write);
}

static int write_still(session *s, creasing *c) {
    const ruga_scene_def *def = ruga_description_get(c->description);
    TRY_CODE(frames_each(s, "frame", 0, (size_t)def->time.frames, step_frame, c));
    while (c->still < STILL_FRAMES && c->settling < MORE_FRAMES) {
        TRY_CODE(session_interrupted(s));
        TRY_CODE(step(s, c));
        c->settling++;
    }
    if (c->still < STILL_FRAMES)
        session_note(s, "the mesh still moves by %s m a frame; give more --frames, or --damping", with_digits(c->last));
    return write_mesh(s, c->cut, ruga_scene_frame(c->scene, 0), c->out, &c->write);
}

/* ---- The report. */

static const char *ends_of(const ruga_crease_report *r, char *text, size_t size) {
    if (r->closed) return "closed";
    snprintf(text, size, "%s, %s", ruga_crease_end_name(r->ends[0]), ruga_crease_end_name(r->ends[1]));
    return text;
}

/* Given, chosen, or that of the preset. */
static double stiffness_of(const creasing *c) {
    const ruga_object_def *object = ruga_description_get(c->description)->objects.items;
    double given = ((const ruga_crease_def *)((const ruga_variant *)object->hooks.items)->values)->stiffness;
    ruga_crease_report first;
    if (!isnan(given) || RUGA_FAILED(ruga_scene_crease(c->scene, 0, 0, &first))) return given;
    return first.stiffness;
}

static int is_poor(const creasing *c, const ruga_crease_report *r) {
    return r->fold * r->target < LEAST_FOLD * r->target * r->target || r->gap > MOST_GAP * c->summary.mean_edge;
}

static const char *remedy_of(const creasing *c, const ruga_crease_report *r) {
    if (!r->closed && (r->ends[0] == RUGA_CREASE_TIP || r->ends[1] == RUGA_CREASE_TIP))
        return "draw it to the border, or refine the mesh with ruga subdivide";
    if (r->gap > MOST_GAP * c->summary.mean_edge) return "refine the mesh with ruga subdivide";
    return "give more --frames or --stiffness, or refine the mesh with ruga subdivide";
}

/* Names the first crease that is far from its target, or open. */
static int warn_of_creases(session *s, const creasing *c) {
    ruga_crease_report r, first = {0};
    size_t count = 0;
    for (size_t i = 0; i < ruga_scene_crease_count(c->scene, 0); i++) {
        TRY_CODE(output_code(s, ruga_scene_crease(c->scene, 0, i, &r)));
        if (is_poor(c, &r) && count++ == 0) first = r;
    }
    if (count == 0) return 0;
    char others[48] = "";
    if (count > 1) snprintf(others, sizeof others, " (and %zu more)", count - 1);
    session_warning(
        s, "crease \"%s\"%s did not reach its shape: a fold of %.1f of %.4g degrees, a gap of %.2g edges; %s",
        first.name, others, first.fold, first.target, first.gap / c->summary.mean_edge, remedy_of(c, &first));
    return 0;
}

static int json_report(session *s, const creasing *c) {
    ruga_json_writer *json;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "output", c->out);
    ruga_json_put_count(json, "vertices", c->cut->vertex_count);
    ruga_json_put_count(json, "triangles", c->cut->triangle_count);
    ruga_json_put_count(json, "frames", (size_t)ruga_description_get(c->description)->time.frames);
    ruga_json_put_count(json, "settling_frames", c->settling);
    ruga_json_put_number(json, "stiffness", stiffness_of(c));
    if (c->held != SIZE_MAX) ruga_json_put_count(json, "held_triangle", c->held);
    ruga_json_put_number(json, "seconds", c->seconds);
    ruga_json_put_array(json, "creases");
    for (size_t i = 0; i < ruga_scene_crease_count(c->scene, 0); i++) {
        ruga_crease_report r;
        TRY_CODE(output_code(s, ruga_scene_crease(c->scene, 0, i, &r)));
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "name", r.name);
        ruga_json_put_number(json, "length", r.length);
        ruga_json_put_count(json, "triangles", r.triangles);
        ruga_json_put_boolean(json, "closed", r.closed);
        ruga_json_put_array(json, "ends");
        for (int end = 0; end < 2 && !r.closed; end++) ruga_json_string(json, ruga_crease_end_name(r.ends[end]));
        ruga_json_end_array(json);
        ruga_json_put_number(json, "target", r.target);
        ruga_json_put_number(json, "fold", r.fold);
        ruga_json_put_number(json, "least", r.least);
        ruga_json_put_number(json, "most", r.most);
        ruga_json_put_number(json, "gap", r.gap);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

static int print_table(session *s, const creasing *c) {
    size_t count = ruga_scene_crease_count(c->scene, 0);
    ruga_crease_report r;
    int width = (int)strlen("crease");
    for (size_t i = 0; i < count; i++) {
        TRY_CODE(output_code(s, ruga_scene_crease(c->scene, 0, i, &r)));
        int length = (int)strlen(r.name);
        if (length > width) width = length < 40 ? length : 40;
    }
    session_remark(s, "%-*s %8s %9s %-15s %13s %8s\n", width, "crease", "length m", "triangles", "ends", "fold/of °",
                   "gap m");
    for (size_t i = 0; i < count; i++) {
        char ends[40], fold[32];
        TRY_CODE(output_code(s, ruga_scene_crease(c->scene, 0, i, &r)));
        snprintf(fold, sizeof fold, "%.1f/%.4g", r.fold, r.target);
        session_remark(s, "%-*.*s %8s %9zu %-15s %12s %8.2g\n", width, width, r.name, with_digits(r.length),
                       r.triangles, ends_of(&r, ends, sizeof ends), fold, r.gap);
    }
    return 0;
}

static int print_report(session *s, const creasing *c) {
    const ruga_scene_def *def = ruga_description_get(c->description);
    const ruga_material_def *material = def->materials.items;
    if (strcmp(c->out, "-") == 0) return 0;
    TRY_CODE(print_table(s, c));
    if (c->is_own_sheet)
        session_remark(s, "material %s", material->like ? material->like : material->name);
    else
        session_remark(s, "material chosen for the size of the mesh: stretch %s N/m, bend %s N m",
                       with_digits(material->stretch), with_digits(material->bend));
    session_remark(s, "; creases %s N%s; ", with_digits(stiffness_of(c)), c->chosen > 0 ? " (chosen)" : "");
    if (c->held != SIZE_MAX)
        session_remark(s, "triangle %zu held\n", c->held);
    else
        session_remark(s, "nothing held\n");
    report_wrote(s, c->out, c->moves ? (size_t)def->time.frames : 0, c->cut);
    report_made_from(s, c->mesh, c->seconds);
    session_remark(s, "\n");
    return 0;
}

/* ---- The command. */

static int crease(session *s, creasing *c) {
    TRY_CODE(read_words(s, c));
    TRY_CODE(read_input(s, c));
    TRY_CODE(describe(s, c));
    double begun = seconds_now();
    TRY_CODE(hold_panel(s, c));
    TRY_CODE(make_scene(s, c));
    if (path_ends_in(c->out, ".json")) return scene_write(s, c->description, c->out);
    c->before = calloc(c->cut->vertex_count + 1, sizeof *c->before);
    c->rest = calloc(c->cut->vertex_count + 1, sizeof *c->rest);
    if (!c->before || !c->rest) return session_no_memory(s);
    TRY_CODE(c->moves ? write_frames(s, c) : write_still(s, c));
    c->seconds = seconds_now() - begun;
    TRY_CODE(print_report(s, c));
    TRY_CODE(warn_of_creases(s, c));
    if (c->preview) {
        TRY_CODE(draw_creases(s, c->arguments, c->scene, 0, c->preview));
        session_remark(s, "wrote %s\n", c->preview);
    }
    return s->json ? json_report(s, c) : 0;
}

static int run(session *s, const arguments *a) {
    creasing c = {.arguments = a, .held = SIZE_MAX};
    int code = crease(s, &c);
    free(c.before);
    free(c.rest);
    ruga_scene_destroy(c.scene);
    ruga_description_destroy(c.description);
    ruga_mesh_destroy(c.mesh);
    return code;
}

const command command_crease = {
    .name = "crease",
    .summary = "folds a mesh along curves drawn on it",
    .usage = "ruga crease MESH CURVES -o OUT [options]",
    .about =
        "Cuts a mesh along curves and folds it there, sharply, on a mesh of any resolution (Patkar, Jin and Fedkiw "
        "2015). CURVES is a file of curves, each a crease: lines of an OBJ, as 3D packages draw them on a mesh, "
        "paths of an SVG over the UVs, JSON with points in space or on triangles, or a FOLD pattern. Without options "
        "every crease becomes a valley of 90 degrees in a stiff sheet, without gravity, and the triangle farthest "
        "from creases and border is held. The mesh's vertices come first, in their order, then those on the creases; "
        "UVs, groups and painted attributes are carried over. The result is a mesh at rest, or with --frames, or in "
        "an animated format, the folding itself. docs/crease.md explains all parameters.",
    .examples =
        "  ruga crease sheet.obj lines.obj -o folded.obj\n"
        "  ruga crease sheet.obj lines.obj --angle -120 --preview f.png -o f.glb\n"
        "  ruga crease shirt.obj pleats.svg --angle 170 --contact -o pleated.obj\n"
        "  ruga crease sheet.obj miura.fold --hold none -o miura.obj\n"
        "  ruga crease sheet.obj lines.obj --frames 72 -o folding.pc2\n"
        "  ruga crease sheet.obj lines.obj -o scene.json\n",
    .groups = {OPTION_GROUP("Output", output_options)},
    .add_options = add_options,
    .run = run,
};
