/* ruga intersections: intersecting triangles, frame by frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "intersections_picture.h"
#include "report.h"
#include "runs.h"

static const option intersections_options[] = {
    WHOLE_ROW("first", "N", NULL, "5", 0, 1e9, "how many places of each frame to list"),
    FLAG_ROW("all", 'a', "list every place"),
    FLAG_ROW(
        "bodies", 'b',
        "of a run: also intersections of bodies, which no force moves, with themselves and each other, and of pairs "
        "that the scene's contact ignores"),
    FLAG_ROW("no-weld", 0, "do not weld vertices at the same place, so that faces along a split seam touch"),
    WRITTEN_ROW("picture", "FILE.png", "a picture of the frame with the most intersections, which are red"),
};

static const option range_options[] = {FRAMES_ROW("frames to check, counted from 0; all if not given")};

/* A frame and its intersections. */
typedef struct found_frame {
    size_t frame; /* from 0 */
    double time;  /* s */
    size_t count;
} found_frame;

/* The state of one call. */
typedef struct inquiry {
    const arguments *arguments;
    picture subjects;
    ruga_intersection_finder *finder;
    const ruga_vec3 *positions[MAX_SUBJECTS]; /* NULL: at rest */
    size_t listed;                            /* places of a frame, at most */
    size_t triangles;                         /* of all subjects */
    int moves;                                /* any subject does */
    timeline times;
    size_t first, count;       /* frames that are checked */
    size_t frames_with, total; /* frames with intersections; intersections of all frames */
    size_t ignored;            /* intersections of bodies alone, in all frames */
    ruga_intersection *kept;   /* of the frame at hand, without those */
    ruga_scene *rules;         /* of the run that is checked: what passes through what; NULL: nothing does */
    const char *rules_of;      /* the directory of this run */
    size_t passing;            /* intersections that its contact ignores, in all frames */
    found_frame worst;         /* the first of the frames with the most */
    ruga_json_writer *json;    /* NULL: print text */
} inquiry;

/* ---- Input. */
/* Objects that the user names are all checked, whatever moves them. */
static int read_run_objects(session *s, inquiry *q, const char *directory) {
    const arguments *a = q->arguments;
    int code = run_add_chosen(s, a, directory, &q->subjects);
    if (code || option_given(a, "bodies")) return code;
    if (!option_given(a, "mesh")) run_mark_bodies(s, directory, &q->subjects);
    if (q->rules) return 0; /* those of one run, the first that has any */
    q->rules = run_contact_rules(s, directory);
    q->rules_of = directory;
    return 0;
}

static int read_subjects(session *s, inquiry *q) {
    const arguments *a = q->arguments;
    size_t files = 0;
    int code = 0;
    if (a->word_count == 0)
        return session_error(s, EXIT_USAGE, "intersections: expected a mesh or a run: ruga intersections MESH");
    for (size_t i = 0; i < a->word_count && !code; i++)
        if (ruga_path_is_run(a->words[i]))
            code = read_run_objects(s, q, a->words[i]);
        else
            code = picture_read(s, a, a->words[i], option_text_at(a, "cache", files++), &q->subjects);
    for (size_t i = 0; i < q->subjects.subject_count && !code; i++) {
        const subject *who = &q->subjects.subjects[i];
        code = subject_check_faces(s, who, ", so nothing can intersect");
        q->positions[i] = who->motion ? who->current.positions : NULL;
        q->triangles += who->mesh->triangle_count;
    }
    if (!code && files < option_given(a, "cache"))
        code = session_error(s, EXIT_USAGE, "intersections: %zu of --cache, but %zu mesh%s to move",
                             option_given(a, "cache"), files, files == 1 ? "" : "es");
    return code;
}

static int make_finder(session *s, inquiry *q) {
    ruga_intersection_mesh meshes[MAX_SUBJECTS];
    ruga_intersection_finder_def def = ruga_intersection_finder_def_default();
    def.mesh_count = q->subjects.subject_count;
    def.meshes = meshes;
    def.weld = option_given(q->arguments, "no-weld") == 0;
    for (size_t i = 0; i < def.mesh_count; i++)
        meshes[i] = (ruga_intersection_mesh){q->subjects.subjects[i].mesh, q->subjects.subjects[i].path};
    return input_code(s, ruga_intersection_finder_create(s->context, &def, &q->finder));
}

/* Frames are the stored samples themselves, or moments at the rate. */
static int choose_frames(session *s, inquiry *q) {
    const arguments *a = q->arguments;
    const subject *moving = picture_first_moving(&q->subjects);
    q->moves = moving != NULL;
    if (!moving && (option_given(a, "frames") || option_given(a, "frame") || option_given(a, "time")))
        return session_error(s, EXIT_USAGE,
                             "intersections: --frames, --frame and --time need a mesh that moves; see --cache");
    q->times = moving ? timeline_of_samples(a, moving->motion, 1) : (timeline){.rate = 1, .count = 1};
    return timeline_choose(s, a, &q->times, moving ? moving->motion_path : "",
                           option_given(a, "frame") ? "frame" : "frames", &q->first, &q->count);
}

/* ---- Text. */
static void print_frame(session *s, const inquiry *q, const found_frame *frame, const ruga_intersections *found) {
    const subject *who = q->subjects.subjects;
    const char *indent = q->moves ? "  " : "";
    size_t listed = found->count < q->listed ? found->count : q->listed;
    if (found->count == 0) return;
    if (q->moves && option_given(q->arguments, "time"))
        session_remark(s, "time %.6g s", frame->time);
    else if (q->moves)
        session_remark(s, "frame %zu", frame->frame);
    if (q->moves) session_remark(s, ": %s intersection%s\n", with_commas(found->count), found->count == 1 ? "" : "s");
    for (size_t i = 0; i < listed; i++) {
        const ruga_intersection *place = &found->items[i];
        ruga_vec3 p = place->point;
        if (q->subjects.subject_count == 1)
            session_remark(s, "%sfaces %u and %u", indent, place->faces[0], place->faces[1]);
        else
            session_remark(s, "%sface %u of %s and face %u of %s", indent, place->faces[0], who[place->meshes[0]].path,
                           place->faces[1], who[place->meshes[1]].path);
        session_remark(s, " at %.6g %.6g %.6g m\n", p.x, p.y, p.z);
    }
    if (listed && listed < found->count)
        session_remark(s, "%s… and %s more; --all lists them\n", indent, with_commas(found->count - listed));
}

static void print_summary(session *s, const inquiry *q) {
    size_t frames = q->count, others = q->arguments->word_count - 1;
    session_remark(s, "%s", q->arguments->words[0]);
    if (others) session_remark(s, " and %zu more", others);
    if (frames > 1 && q->total)
        session_remark(s, ": %s of %s frames have intersections, %s in all; the most in frame %zu, %s\n",
                       with_commas(q->frames_with), with_commas(frames), with_commas(q->total), q->worst.frame,
                       with_commas(q->worst.count));
    else if (frames > 1)
        session_remark(s, ": no intersections in %s frames of %s triangles\n", with_commas(frames),
                       with_commas(q->triangles));
    else
        session_remark(s, ": %s intersection%s among %s triangles\n", q->total ? with_commas(q->total) : "no",
                       q->total == 1 ? "" : "s", with_commas(q->triangles));
    if (q->ignored)
        session_remark(s, "not counted: %s among bodies without dynamics; --bodies shows them\n",
                       with_commas(q->ignored));
    if (q->passing)
        session_remark(s, "not counted: %s of pairs that the scene's contact ignores; --bodies shows them\n",
                       with_commas(q->passing));
}

/* ---- JSON. */
static void json_pair(ruga_json_writer *json, const char *key, const uint32_t pair[2]) {
    ruga_json_put_array(json, key);
    ruga_json_integer(json, pair[0]);
    ruga_json_integer(json, pair[1]);
    ruga_json_end_array(json);
}

static void json_frame(const inquiry *q, const found_frame *frame, const ruga_intersections *found) {
    ruga_json_writer *json = q->json;
    ruga_json_begin_object(json);
    if (!option_given(q->arguments, "time")) ruga_json_put_count(json, "frame", frame->frame);
    ruga_json_put_number(json, "time", frame->time);
    ruga_json_put_count(json, "intersections", found->count);
    ruga_json_put_array(json, "places");
    for (size_t i = 0; i < found->count && i < q->listed; i++) {
        const ruga_intersection *place = &found->items[i];
        const uint32_t meshes[2] = {(uint32_t)place->meshes[0], (uint32_t)place->meshes[1]};
        ruga_json_begin_object(json);
        json_pair(json, "meshes", meshes);
        json_pair(json, "faces", place->faces);
        json_pair(json, "triangles", place->triangles);
        json_vector(json, "point", place->point);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
}

static int begin_report(session *s, inquiry *q) {
    TRY_CODE(json_begin(s, &q->json));
    ruga_json_begin_object(q->json);
    ruga_json_put_array(q->json, "meshes");
    for (size_t i = 0; i < q->subjects.subject_count; i++) ruga_json_string(q->json, q->subjects.subjects[i].path);
    ruga_json_end_array(q->json);
    ruga_json_put_count(q->json, "triangles", q->triangles);
    ruga_json_put_array(q->json, "frames");
    return 0;
}

static int end_report(session *s, inquiry *q) {
    ruga_json_writer *json = q->json;
    ruga_json_end_array(json);
    ruga_json_put_count(json, "frames_with", q->frames_with);
    ruga_json_put_count(json, "intersections", q->total);
    ruga_json_put_count(json, "of_bodies_alone", q->ignored);
    ruga_json_put_count(json, "ignored_by_contact", q->passing);
    if (q->total && !option_given(q->arguments, "time")) ruga_json_put_count(json, "worst_frame", q->worst.frame);
    ruga_json_end_object(json);
    q->json = NULL;
    return json_finish(s, json);
}

/* ---- Frame by frame. */
/* Whether the run's own contact lets the two faces pass through each other. */
static int passes(const inquiry *q, const ruga_intersection *x) {
    size_t objects[2];
    int ignores = 0;
    for (int k = 0; q->rules && k < 2; k++) {
        const subject *who = &q->subjects.subjects[x->meshes[k]];
        objects[k] = ruga_scene_object_find(q->rules, who->label);
        if (!who->in_run || strcmp(who->word, q->rules_of) != 0 || objects[k] == ruga_scene_object_count(q->rules) ||
            ruga_scene_object_mesh(q->rules, objects[k])->triangle_count != who->mesh->triangle_count)
            return 0;
    }
    if (!q->rules || RUGA_FAILED(ruga_scene_ignores(q->rules, objects, x->triangles, &ignores))) return 0;
    return ignores;
}

/* Intersections that do not count, of all frames and of one. */
typedef struct not_counted {
    size_t bodies, passing;
} not_counted;

/* Leaves out the intersections of bodies alone, and those that the run's contact ignores. */
static int keep_counted(session *s, inquiry *q, ruga_intersections *found, not_counted *out) {
    const subject *who = q->subjects.subjects;
    size_t count = 0;
    *out = (not_counted){0, 0};
    ruga_intersection *kept = realloc(q->kept, (found->count + 1) * sizeof *kept);
    if (!kept) return session_no_memory(s);
    q->kept = kept;
    for (size_t i = 0; i < found->count; i++) {
        const ruga_intersection *x = &found->items[i];
        if (who[x->meshes[0]].is_body && who[x->meshes[1]].is_body)
            out->bodies++;
        else if (passes(q, x))
            out->passing++;
        else
            kept[count++] = *x;
    }
    *found = (ruga_intersections){count, kept};
    return 0;
}

static int find(session *s, inquiry *q, double time, ruga_intersections *found, not_counted *out) {
    int code = picture_move(s, &q->subjects, time);
    if (!code) code = input_code(s, ruga_intersection_finder_find(q->finder, q->positions, found));
    return code ? code : keep_counted(s, q, found, out);
}

static int check_frame(session *s, void *user, size_t i) {
    inquiry *q = user;
    ruga_intersections found = {0};
    int at_time = option_given(q->arguments, "time") > 0;
    found_frame one = {.frame = q->first + i};
    one.time = at_time ? option_number(q->arguments, "time") : timeline_time(&q->times, one.frame);
    not_counted out;
    TRY_CODE(find(s, q, one.time, &found, &out));
    q->ignored += out.bodies;
    q->passing += out.passing;
    one.count = found.count;
    if (q->json)
        json_frame(q, &one, &found);
    else
        print_frame(s, q, &one, &found);
    q->frames_with += found.count > 0;
    q->total += found.count;
    if (i == 0 || found.count > q->worst.count) q->worst = one;
    return 0;
}

static int draw(session *s, inquiry *q, const char *path) {
    ruga_intersections found = {0};
    not_counted out;
    TRY_CODE(find(s, q, q->worst.time, &found, &out));
    char caption[160] = "";
    if (q->moves)
        snprintf(caption, sizeof caption, option_given(q->arguments, "time") ? "%.6g s: " : "frame %.0f: ",
                 option_given(q->arguments, "time") ? q->worst.time : (double)q->worst.frame);
    size_t used = strlen(caption);
    snprintf(caption + used, sizeof caption - used, "%s intersection%s", found.count ? with_commas(found.count) : "no",
             found.count == 1 ? "" : "s");
    int code = draw_intersections(s, q->arguments, &q->subjects, &found, caption, path);
    if (!code) session_remark(s, "wrote %s\n", path);
    return code;
}

static int inquire(session *s, inquiry *q) {
    const arguments *a = q->arguments;
    const char *path = option_text(a, "picture");
    if (path && (!path_ends_in(path, ".png") || path_is_pattern(path)))
        return session_error(s, EXIT_INPUT, "%s: --picture writes one PNG; choose a name that ends with .png", path);
    q->listed = option_given(a, "all") ? SIZE_MAX : (size_t)option_number(a, "first");
    int code = read_subjects(s, q);
    if (!code) code = choose_frames(s, q);
    if (!code) code = make_finder(s, q);
    if (!code && s->json) code = begin_report(s, q);
    if (!code) code = frames_each(s, "frame", 0, option_given(a, "time") ? 1 : q->count, check_frame, q);
    if (!code && s->json) code = end_report(s, q);
    if (code) return code;
    print_summary(s, q);
    if (path) code = draw(s, q, path);
    return code ? code : q->total ? EXIT_FOUND : EXIT_FINE;
}

static int run(session *s, const arguments *a) {
    inquiry *q = calloc(1, sizeof *q);
    if (!q) return session_no_memory(s);
    q->arguments = a;
    int code = inquire(s, q);
    ruga_json_writer_destroy(q->json);
    ruga_intersection_finder_destroy(q->finder);
    picture_release(&q->subjects);
    ruga_scene_destroy(q->rules);
    free(q->kept);
    free(q);
    return code;
}

const command command_intersections = {
    .name = "intersections",
    .summary = "counts the triangles that intersect, exactly, frame by frame",
    .usage = "ruga intersections MESH|DIR... [--cache FILE] [options]",
    .about =
        "Checks a mesh, every frame of a motion (an animated glTF, a sequence such as frame_####.obj, a mesh with "
        "its cache), or a run. Each of the given meshes is checked against itself and against the others.\n"
        "Two triangles intersect if they share a point that is neither a common vertex nor on a common edge; "
        "touching counts. The arithmetic is exact. Faces and frames count from 0.\n"
        "Of a run, objects with dynamics, such as cloth, are checked with themselves and with all other objects. "
        "Bodies that no force moves, such as an animated character, often intersect themselves: --bodies shows these "
        "too. A run without dynamics is checked completely. Pairs that the run's contact ignores do not count either: "
        "objects that do not collide, exclusions, and faces outside of contact.where. --mesh NAME, which may be "
        "repeated, checks only these objects of a run.\n"
        "Exit code 0: no intersections; 4: some; 1, 2 or 3: an error. With --quiet, the exit code is the only result.",
    .examples =
        "  ruga intersections shirt.obj\n"
        "  ruga intersections shirt.obj body.obj --picture where.png\n"
        "  ruga intersections shirt.obj --cache shirt.pc2 --frames 10:20\n"
        "  ruga intersections walk.glb --json --all\n"
        "  ruga intersections drape.run --quiet && echo clean\n"
        "  ruga intersections walk.run --mesh shirt --mesh skirt\n"
        "  ruga intersections walk.run --bodies --frame 12\n",
    .groups = {OPTION_GROUP("Options", intersections_options), OPTION_GROUP("Frames", range_options),
               OPTION_GROUP("Motion", moment_options), OPTION_GROUP("Time", motion_options),
               OPTION_GROUP("Input", input_options), OPTION_GROUP("Picture", image_options),
               OPTION_GROUP("Camera", camera_options)},
    .run = run,
};
