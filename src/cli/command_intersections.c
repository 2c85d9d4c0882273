/* ruga intersections: which triangles intersect, frame by frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "intersections.h"
#include "runs.h"

static const option intersections_options[] = {
    {.name = "first",
     .kind = OPTION_WHOLE,
     .value = "N",
     .preset = "5",
     .low = 0,
     .high = 1e9,
     .help = "how many places of each frame to list"},
    {.name = "all", .letter = 'a', .kind = OPTION_FLAG, .help = "list every place"},
    {.name = "no-weld",
     .kind = OPTION_FLAG,
     .help = "vertices of a mesh at the same place stay apart, so that faces along a split seam touch"},
    {.name = "picture",
     .kind = OPTION_TEXT,
     .value = "FILE.png",
     .help = "a picture of the frame with the most intersections, what intersects in red"},
};

static const option range_options[] = {
    {.name = "frames",
     .kind = OPTION_SPAN,
     .value = "A:B",
     .help = "frames to look at, counted from 0; all if not given"},
};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Options", intersections_options, OPTION_COUNT(intersections_options));
    option_list_add(list, "Frames", range_options, OPTION_COUNT(range_options));
    option_list_add(list, "Motion", moment_options, moment_option_count);
    option_list_add(list, "Time", motion_options, motion_option_count);
    option_list_add(list, "Input", input_options, input_option_count);
    option_list_add(list, "Picture", image_options, image_option_count);
    option_list_add(list, "Camera", camera_options, camera_option_count);
    return 0;
}

/* All that one call of the command knows. */
typedef struct inquiry {
    const arguments *arguments;
    picture subjects;
    ruga_intersection_finder *finder;
    const ruga_vec3 *positions[MAX_SUBJECTS]; /* NULL: at rest */
    size_t listed;                            /* places of a frame, at most */
    size_t triangles;                         /* of all subjects */
    size_t first, last;                       /* frames */
    size_t frames_with, total;                /* of those looked at; intersections of all frames */
    found_frame worst;                        /* the first of those with the most */
    ruga_json_writer *json;                   /* NULL: for people */
} inquiry;

/* ---- What is looked at. */
static int check_faces(session *s, const subject *who) {
    if (who->mesh->triangle_count > 0) return 0;
    return session_error(s, EXIT_INPUT,
                         path_is_cache(who->path)
                             ? "%s: a cache has points without faces; give its mesh, and the cache "
                               "after --cache: ruga intersections MESH --cache %s"
                             : "%s: has no faces, so nothing can intersect",
                         who->path, who->path);
}

static int read_subjects(session *s, inquiry *q) {
    const arguments *a = q->arguments;
    size_t files = 0;
    int code = 0;
    if (a->word_count == 0)
        return session_error(s, EXIT_USAGE, "intersections: of which mesh or run? ruga intersections MESH");
    for (size_t i = 0; i < a->word_count && !code; i++)
        if (ruga_path_is_run(a->words[i]))
            code = run_add_objects(s, a->words[i], &q->subjects);
        else
            code = picture_read(s, a, a->words[i], option_text_at(a, "cache", files++), &q->subjects);
    for (size_t i = 0; i < q->subjects.subject_count && !code; i++) {
        const subject *who = &q->subjects.subjects[i];
        code = check_faces(s, who);
        q->positions[i] = who->motion ? who->present.positions : NULL;
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
    ruga_status status = ruga_intersection_finder_create(s->context, &def, &q->finder);
    return RUGA_FAILED(status) ? session_failed_input(s, status) : 0;
}

/* ---- Frames: the stored samples themselves, or moments at the rate. */
static size_t count_frames(const inquiry *q) {
    const subject *moving = picture_first_moving(&q->subjects);
    if (!moving) return 1;
    size_t stored = ruga_motion_get_info(moving->motion).sample_count;
    return stored ? stored : motion_frame_count(moving->motion, picture_rate(q->arguments, &q->subjects));
}

static double frame_time(const inquiry *q, size_t frame) {
    const subject *moving = picture_first_moving(&q->subjects);
    if (!moving) return 0;
    ruga_motion_info info = ruga_motion_get_info(moving->motion);
    return info.sample_count ? ruga_motion_sample_time(moving->motion, frame)
                             : info.start + (double)frame / picture_rate(q->arguments, &q->subjects);
}

static int choose_frames(session *s, inquiry *q) {
    const arguments *a = q->arguments;
    size_t count = count_frames(q);
    double first = 0, last = (double)(count - 1);
    if (!picture_first_moving(&q->subjects) &&
        (option_given(a, "frames") || option_given(a, "frame") || option_given(a, "time")))
        return session_error(s, EXIT_USAGE,
                             "intersections: --frames, --frame and --time need something that moves; see --cache");
    const char *name = option_given(a, "frame") ? "frame" : "frames";
    if (option_given(a, "frames")) option_span(a, "frames", &first, &last);
    if (option_given(a, "frame")) first = last = option_number(a, "frame");
    if (first != floor(first) || last != floor(last) || first < 0 || last >= (double)count)
        return session_error(s, EXIT_USAGE, "--%s takes whole numbers from 0 to %zu here, not '%s'", name, count - 1,
                             option_text(a, name));
    q->first = (size_t)first;
    q->last = (size_t)last;
    return 0;
}

/* ---- For people. */
/* "shirt: face 12 and body: face 7 at 0.1 0.2 0.3 m", or "faces 12 and 340 at …" where there is one mesh. */
static void print_place(session *s, const inquiry *q, const ruga_intersection *place, const char *indent) {
    const subject *who = q->subjects.subjects;
    ruga_vec3 p = place->point;
    session_remark(s, "%s", indent);
    if (q->subjects.subject_count == 1)
        session_remark(s, "faces %u and %u", place->faces[0], place->faces[1]);
    else
        session_remark(s, "face %u of %s and face %u of %s", place->faces[0], who[place->meshes[0]].path,
                       place->faces[1], who[place->meshes[1]].path);
    session_remark(s, " at %.6g %.6g %.6g m\n", p.x, p.y, p.z);
}

static void print_frame(session *s, const inquiry *q, const found_frame *frame, const ruga_intersections *found) {
    if (found->count == 0) return;
    int moves = picture_first_moving(&q->subjects) != NULL;
    const char *indent = moves ? "  " : "";
    if (moves && option_given(q->arguments, "time"))
        session_remark(s, "time %.6g s: %s intersection%s\n", frame->time, with_commas(found->count),
                       found->count == 1 ? "" : "s");
    else if (moves)
        session_remark(s, "frame %zu: %s intersection%s\n", frame->frame, with_commas(found->count),
                       found->count == 1 ? "" : "s");
    size_t listed = found->count < q->listed ? found->count : q->listed;
    for (size_t i = 0; i < listed; i++) print_place(s, q, &found->items[i], indent);
    if (listed && listed < found->count)
        session_remark(s, "%s… and %s more; --all lists them\n", indent, with_commas(found->count - listed));
}

static void print_summary(session *s, const inquiry *q) {
    size_t frames = q->last - q->first + 1, others = q->arguments->word_count - 1;
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
}

/* ---- For machines. */
static void json_count(ruga_json_writer *json, const char *key, size_t value) {
    ruga_json_key(json, key);
    ruga_json_integer(json, (int64_t)value);
}

static void json_pair(ruga_json_writer *json, const char *key, const uint32_t pair[2]) {
    ruga_json_key(json, key);
    ruga_json_begin_array(json);
    ruga_json_integer(json, pair[0]);
    ruga_json_integer(json, pair[1]);
    ruga_json_end_array(json);
}

static void json_place(ruga_json_writer *json, const ruga_intersection *place) {
    const uint32_t meshes[2] = {(uint32_t)place->meshes[0], (uint32_t)place->meshes[1]};
    const double point[3] = {place->point.x, place->point.y, place->point.z};
    ruga_json_begin_object(json);
    json_pair(json, "meshes", meshes);
    json_pair(json, "faces", place->faces);
    json_pair(json, "triangles", place->triangles);
    ruga_json_key(json, "point");
    ruga_json_begin_array(json);
    for (int k = 0; k < 3; k++) ruga_json_number(json, point[k]);
    ruga_json_end_array(json);
    ruga_json_end_object(json);
}

static void json_frame(const inquiry *q, const found_frame *frame, const ruga_intersections *found) {
    ruga_json_writer *json = q->json;
    ruga_json_begin_object(json);
    if (!option_given(q->arguments, "time")) json_count(json, "frame", frame->frame);
    ruga_json_key(json, "time");
    ruga_json_number(json, frame->time);
    json_count(json, "intersections", found->count);
    ruga_json_key(json, "places");
    ruga_json_begin_array(json);
    for (size_t i = 0; i < found->count && i < q->listed; i++) json_place(json, &found->items[i]);
    ruga_json_end_array(json);
    ruga_json_end_object(json);
}

static int json_begin(session *s, inquiry *q) {
    int code = session_json_begin(s, &q->json);
    if (code) return code;
    ruga_json_begin_object(q->json);
    ruga_json_key(q->json, "meshes");
    ruga_json_begin_array(q->json);
    for (size_t i = 0; i < q->subjects.subject_count; i++) ruga_json_string(q->json, q->subjects.subjects[i].path);
    ruga_json_end_array(q->json);
    json_count(q->json, "triangles", q->triangles);
    ruga_json_key(q->json, "frames");
    ruga_json_begin_array(q->json);
    return 0;
}

static int json_end(session *s, inquiry *q) {
    ruga_json_writer *json = q->json;
    ruga_json_end_array(json);
    json_count(json, "frames_with", q->frames_with);
    json_count(json, "intersections", q->total);
    if (q->total && !option_given(q->arguments, "time")) json_count(json, "worst_frame", q->worst.frame);
    ruga_json_end_object(json);
    q->json = NULL;
    return session_json_finish(s, json);
}

/* ---- Frame by frame. */
static int find(session *s, inquiry *q, double time, ruga_intersections *found) {
    int code = picture_move(s, &q->subjects, time);
    if (code) return code;
    ruga_status status = ruga_intersection_finder_find(q->finder, q->positions, found);
    return RUGA_FAILED(status) ? session_failed_input(s, status) : 0;
}

static int look_at(session *s, inquiry *q, size_t frame, double time) {
    ruga_intersections found = {0};
    int code = session_interrupted(s);
    if (!code) code = find(s, q, time, &found);
    if (code) return code;
    found_frame one = {frame, time, found.count};
    if (q->json)
        json_frame(q, &one, &found);
    else
        print_frame(s, q, &one, &found);
    q->frames_with += found.count > 0;
    q->total += found.count;
    if (frame == q->first || found.count > q->worst.count) q->worst = one;
    return 0;
}

static int look_at_all(session *s, inquiry *q) {
    if (option_given(q->arguments, "time")) return look_at(s, q, q->first, option_number(q->arguments, "time"));
    size_t count = q->last - q->first + 1;
    int code = 0;
    for (size_t i = 0; i < count && !code; i++) {
        if (count > 1) progress_part(&s->bar, "frame", i, count);
        code = look_at(s, q, q->first + i, frame_time(q, q->first + i));
    }
    progress_part(&s->bar, NULL, 0, 0);
    return code;
}

static int draw(session *s, inquiry *q) {
    const char *path = option_text(q->arguments, "picture");
    if (!path) return 0;
    ruga_intersections found = {0};
    int code = find(s, q, q->worst.time, &found);
    if (code) return code;
    char caption[160] = "";
    if (picture_first_moving(&q->subjects))
        snprintf(caption, sizeof caption, option_given(q->arguments, "time") ? "%.6g s: " : "frame %.0f: ",
                 option_given(q->arguments, "time") ? q->worst.time : (double)q->worst.frame);
    size_t used = strlen(caption);
    snprintf(caption + used, sizeof caption - used, "%s intersection%s", found.count ? with_commas(found.count) : "no",
             found.count == 1 ? "" : "s");
    code = draw_intersections(s, q->arguments, &q->subjects, &found, caption, path);
    if (!code) session_remark(s, "wrote %s\n", path);
    return code;
}

static int inquire(session *s, inquiry *q) {
    q->listed = option_given(q->arguments, "all") ? SIZE_MAX : (size_t)option_number(q->arguments, "first");
    int code = read_subjects(s, q);
    if (!code) code = choose_frames(s, q);
    if (!code) code = make_finder(s, q);
    if (!code && s->json) code = json_begin(s, q);
    if (!code) code = look_at_all(s, q);
    if (!code && s->json) code = json_end(s, q);
    if (code) return code;
    print_summary(s, q);
    code = draw(s, q);
    return code ? code : q->total ? EXIT_FOUND : EXIT_FINE;
}

static int check_picture(session *s, const arguments *a) {
    const char *path = option_text(a, "picture"), *ending = path ? strrchr(path, '.') : NULL;
    if (!path || (ending && strcmp(ending, ".png") == 0 && !path_is_pattern(path))) return 0;
    return session_error(s, EXIT_USAGE, "%s: --picture makes a single .png", path);
}

static int run(session *s, const arguments *a) {
    inquiry *q = calloc(1, sizeof *q);
    if (!q) return session_no_memory(s);
    q->arguments = a;
    int code = check_picture(s, a);
    if (!code) code = inquire(s, q);
    ruga_json_writer_destroy(q->json);
    ruga_intersection_finder_destroy(q->finder);
    picture_release(&q->subjects);
    free(q);
    return code;
}

const command command_intersections = {
    .name = "intersections",
    .summary = "counts the triangles that intersect, exactly, frame by frame",
    .usage = "ruga intersections MESH|DIR... [--cache FILE] [options]",
    .about =
        "Looks at a mesh, at every frame of what moves (an animated glTF, a sequence such as frame_####.obj, a mesh "
        "with\n"
        "its cache), or at a run: all meshes that are given, each against itself and against the others.\n"
        "Two triangles intersect when they share a point that is neither a common vertex nor on a common edge; "
        "touching\n"
        "counts. Every answer is that of exact arithmetic. Faces and frames count from 0.\n"
        "Exit code 0: none; 4: there are some; 1, 2 or 3: trouble. With --quiet the exit code is the whole answer.",
    .examples =
        "  ruga intersections shirt.obj\n"
        "  ruga intersections shirt.obj body.obj --picture where.png\n"
        "  ruga intersections shirt.obj --cache shirt.pc2 --frames 10:20\n"
        "  ruga intersections walk.glb --json --all\n"
        "  ruga intersections drape.run --quiet && echo clean\n",
    .add_options = add_options,
    .run = run,
};
