#include "frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const option motion_options[] = {
    NUMBER_ROW("rate", "R", "frames/s", NULL, 0.001, 100000,
               "frame rate of the output, and of caches and sequences without their own; 24 if nothing else gives it"),
    NUMBER_ROW("start", "T", "s", "0", 0, 0, "time of the first frame of caches and sequences without their own"),
    TEXT_ROW("animation", "NAME",
             "which animation of a glTF file that has several, by name or number (default: the first)"),
};

const option moment_options[] = {
    TEXT_ROW("cache", "FILE",
             "the motion of the mesh: a PC2 or MDD cache, an animated glTF, a sequence such as frame_####.obj, or a "
             "run; with several meshes, one for each"),
    NUMBER_ROW("frame", "F", NULL, NULL, 0, 1e9, "a single frame of the motion, counted from 0"),
    NUMBER_ROW("time", "T", "s", NULL, 0, 0, "a single moment of the motion"),
};

/* ---- Moments. */
int moment_create(session *s, const ruga_mesh *mesh, moment *out) {
    out->positions = malloc((mesh->vertex_count + 1) * sizeof *out->positions);
    if (!out->positions) return session_no_memory(s);
    out->frame = (ruga_frame){.vertex_count = mesh->vertex_count, .positions = out->positions};
    return 0;
}

int moment_sample(session *s, ruga_motion *motion, double time, moment *m) {
    m->frame.time = time;
    return input_code(s, ruga_motion_sample(motion, time, m->positions));
}

void moment_release(moment *m) {
    free(m->positions);
    *m = (moment){0};
}

/* ---- Subjects. */
/* A glTF file may hold a mesh and its motion; it is opened once. Most are static. */
static int read_gltf(session *s, const char *path, const ruga_file_def *def, subject *out) {
    ruga_mesh_file *file = NULL;
    int code = input_code(s, ruga_mesh_file_open(s->context, path, def, &file));
    if (!code) code = input_code(s, ruga_mesh_file_mesh(file, &out->mesh));
    if (!code) {
        ruga_status status = ruga_mesh_file_motion(file, out->mesh, def, &out->motion);
        code = status == RUGA_ERROR_UNSUPPORTED ? 0 : input_code(s, status);
        if (status == RUGA_ERROR_UNSUPPORTED && def->animation)
            session_note(s, "%s: the file has no animation \"%s\": nothing in it moves", path, def->animation);
    }
    ruga_mesh_file_close(file);
    return code;
}

int subject_read(session *s, const arguments *a, const char *path, const char *cache, subject *out) {
    ruga_file_def def = input_def(a);
    if (out->mesh_name) def.mesh = out->mesh_name;
    int by_itself = path_is_cache(path) || path_is_pattern(path) || ruga_path_is_run(path);
    out->path = path;
    out->motion_path = cache ? cache : path;
    int code = !cache && !by_itself && path_is_gltf(path) ? read_gltf(s, path, &def, out)
                                                          : read_mesh(s, path, &def, &out->mesh);
    if (!code) code = moment_create(s, out->mesh, &out->current);
    if (!code && (cache || by_itself)) code = read_motion(s, out->motion_path, out->mesh, &def, &out->motion);
    return code;
}

int subject_replace_mesh(session *s, subject *who, ruga_mesh *mesh) {
    ruga_mesh_destroy(who->mesh);
    who->mesh = mesh;
    moment_release(&who->current);
    return moment_create(s, mesh, &who->current);
}

void subject_release(subject *who) {
    free(who->values);
    free(who->frame_files);
    moment_release(&who->current);
    ruga_motion_destroy(who->motion);
    ruga_mesh_destroy(who->mesh);
    ruga_mesh_destroy(who->first_mesh);
    *who = (subject){0};
}

/* The mesh of the stored frame that is nearest to a time. */
static int read_frame_mesh(session *s, subject *who, double time) {
    size_t count = ruga_motion_get_info(who->motion).sample_count, nearest = 0;
    char path[4300];
    ruga_mesh *mesh = NULL;
    moment current = {0};
    for (size_t i = 1; i < count; i++)
        if (fabs(ruga_motion_sample_time(who->motion, i) - time) <
            fabs(ruga_motion_sample_time(who->motion, nearest) - time))
            nearest = i;
    path_of_number(who->frame_files, who->first_frame + (long)nearest, path, sizeof path);
    TRY_CODE(input_code(s, ruga_mesh_read(s->context, path, &who->frame_def, &mesh)));
    int code = moment_create(s, mesh, &current);
    if (code) {
        ruga_mesh_destroy(mesh);
        return code;
    }
    memcpy(current.positions, mesh->positions, mesh->vertex_count * sizeof *current.positions);
    current.frame.time = time;
    moment_release(&who->current);
    who->current = current;
    if (who->first_mesh)
        ruga_mesh_destroy(who->mesh);
    else
        who->first_mesh = who->mesh;
    who->mesh = mesh;
    return 0;
}

int subject_move(session *s, subject *who, double time) {
    if (!who->motion) return 0;
    if (!who->frame_files) return moment_sample(s, who->motion, time, &who->current);
    who->current.frame.time = time;
    if (!who->changes) {
        ruga_status status = ruga_motion_sample(who->motion, time, who->current.positions);
        if (status != RUGA_ERROR_INPUT) return input_code(s, status);
        who->changes = 1;
    }
    return read_frame_mesh(s, who, time);
}

const ruga_vec3 *subject_positions(const subject *who) {
    return who->motion ? who->current.positions : who->mesh->positions;
}

int subject_check_faces(session *s, const subject *who, const char *purpose) {
    if (who->mesh->triangle_count > 0) return 0;
    if (path_is_cache(who->path))
        return session_error(s, EXIT_INPUT,
                             "%s: a cache has points without faces; give its mesh first: MESH --cache %s", who->path,
                             who->path);
    return session_error(s, EXIT_INPUT, "%s: has no faces%s", who->path, purpose);
}

int subject_check_overwriting(session *s, const arguments *a, const subject *who) {
    TRY_CODE(check_overwriting(s, a, who->path));
    return check_overwriting(s, a, who->motion_path);
}

/* ---- Timelines. */
double frame_rate(const arguments *a, const ruga_motion *motion) {
    double own = motion ? ruga_motion_get_info(motion).rate : 0;
    return option_given(a, "rate") ? option_number(a, "rate") : own > 0 ? own : 24;
}

void note_missing_rate(session *s, const arguments *a, const ruga_motion *motion, const char *motion_path) {
    const ruga_motion_info info = ruga_motion_get_info(motion);
    if (info.rate > 0 || info.end <= info.start || option_given(a, "rate")) return;
    session_note(s, "%s: its keys have no frame rate in common; %g frames per second are used, --rate sets another",
                 motion_path, frame_rate(a, motion));
}

timeline timeline_at_rate(const ruga_motion *motion, double rate) {
    ruga_motion_info info = ruga_motion_get_info(motion);
    return (timeline){info.start, rate, (size_t)floor((info.end - info.start) * rate + 1e-6) + 1, NULL};
}

timeline timeline_of_samples(const arguments *a, const ruga_motion *motion, int may_be_uneven) {
    ruga_motion_info info = ruga_motion_get_info(motion);
    if (info.sample_count > 0 && (info.rate > 0 || may_be_uneven))
        return (timeline){info.start, info.rate, info.sample_count, motion};
    return timeline_at_rate(motion, frame_rate(a, motion));
}

double timeline_time(const timeline *t, size_t frame) {
    return t->samples ? ruga_motion_sample_time(t->samples, frame) : t->start + (double)frame / t->rate;
}

int timeline_choose(session *s, const arguments *a, const timeline *t, const char *motion_path, const char *name,
                    size_t *first, size_t *count) {
    double low = 0, high = (double)(t->count - 1);
    if (option_given(a, name) && strcmp(name, "frames") == 0)
        option_span(a, name, &low, &high);
    else if (option_given(a, name))
        low = high = option_number(a, name);
    if (low != floor(low) || high != floor(high) || low < 0 || high >= (double)t->count)
        return session_error(s, EXIT_USAGE, "--%s takes whole numbers from 0 to %zu here, not '%s': %s has %s frame%s",
                             name, t->count - 1, option_text(a, name), motion_path, with_commas(t->count),
                             t->count == 1 ? "" : "s");
    *first = (size_t)low;
    *count = (size_t)(high - low) + 1;
    return 0;
}

int timeline_moment(session *s, const arguments *a, const timeline *t, double *out) {
    double last = (double)(t->count - 1);
    *out = t->start;
    if (option_given(a, "time"))
        *out = option_number(a, "time");
    else if (option_given(a, "frame") && option_number(a, "frame") > last)
        return session_error(s, EXIT_USAGE, "--frame takes 0 to %.0f here, not '%s'", last, option_text(a, "frame"));
    else if (option_given(a, "frame"))
        *out += option_number(a, "frame") / t->rate;
    return 0;
}

/* ---- The loop. */
int frames_each(session *s, const char *doing, size_t from, size_t count, frame_function *make, void *user) {
    int code = 0;
    for (size_t i = from; i < count && !code; i++) {
        if (count > 1) progress_part(&s->bar, doing, i, count);
        if (count > 1) session_detail(s, "%s %zu of %zu", doing, i + 1, count);
        code = session_interrupted(s);
        if (!code) code = make(s, user, i);
    }
    progress_part(&s->bar, NULL, 0, 0);
    return code;
}

typedef struct file_sink {
    const frame_source *source;
    ruga_motion_writer *writer;
} file_sink;

static int append_frame(session *s, void *user, size_t i) {
    file_sink *sink = user;
    ruga_frame frame = {0};
    int code = sink->source->make(s, sink->source->user, i, &frame);
    return code ? code : output_code(s, ruga_motion_writer_append(sink->writer, &frame));
}

#define LARGE_FILE 100000000u /* bytes: larger sizes are noted before writing */

int frames_write(session *s, const frame_source *source, const char *path, const ruga_file_def *def) {
    file_sink sink = {.source = source};
    uint64_t size = ruga_motion_written_size(source->mesh, source->count, def->format);
    if (size > LARGE_FILE) session_note(s, "%s will take %s", path, with_bytes(size));
    int code = output_code(s, ruga_motion_writer_create(source->mesh, path, def, &sink.writer));
    if (!code) code = frames_each(s, source->doing, 0, source->count, append_frame, &sink);
    if (!code) code = output_code(s, ruga_motion_writer_finish(sink.writer));
    ruga_motion_writer_destroy(sink.writer);
    return code || !source->mesh_beside ? code : write_mesh_beside_cache(s, source->mesh, path, def);
}

typedef struct sampled_motion {
    ruga_motion *motion;
    const timeline *times;
    moment current;
} sampled_motion;

static int sample_frame(session *s, void *user, size_t i, ruga_frame *out) {
    sampled_motion *m = user;
    int code = moment_sample(s, m->motion, timeline_time(m->times, i), &m->current);
    *out = m->current.frame;
    return code;
}

int motion_write(session *s, const ruga_mesh *mesh, ruga_motion *motion, const timeline *t, const char *doing,
                 const char *path, ruga_file_def *def) {
    sampled_motion sampled = {.motion = motion, .times = t};
    frame_source source = {.mesh = mesh, .doing = doing, .count = t->count, .make = sample_frame, .user = &sampled};
    def->rate = t->rate;
    def->start = t->start;
    int code = moment_create(s, mesh, &sampled.current);
    if (!code) code = frames_write(s, &source, path, def);
    moment_release(&sampled.current);
    return code;
}

typedef struct film_sink {
    image_maker *make;
    void *user;
    ruga_film *film;
} film_sink;

static int append_image(session *s, void *user, size_t i) {
    film_sink *sink = user;
    ruga_image *image = NULL;
    int code = sink->make(s, sink->user, i, &image);
    if (!code) code = output_code(s, ruga_film_append(sink->film, image));
    ruga_image_destroy(image);
    return code;
}

int frames_film(session *s, const char *doing, size_t count, double rate, image_maker *make, void *user,
                const char *path) {
    film_sink sink = {make, user, NULL};
    int code = output_code(s, ruga_film_create(s->context, path, rate, &sink.film));
    if (!code) code = frames_each(s, doing, 0, count, append_image, &sink);
    if (!code) code = output_code(s, ruga_film_finish(sink.film));
    ruga_film_destroy(sink.film);
    return code;
}

/* ---- Motions with bad frames. */
int frame_reader_open(session *s, const arguments *a, subject *who, frame_reader *out) {
    *out = (frame_reader){.who = who, .held = SIZE_MAX, .hold_bad = option_given(a, "skip-bad") > 0};
    out->times = timeline_of_samples(a, who->motion, 0);
    out->spare = malloc((who->mesh->vertex_count + 1) * sizeof *out->spare);
    out->bad = malloc((out->times.count + 1) * sizeof *out->bad);
    return out->spare && out->bad ? 0 : session_no_memory(s);
}

void frame_reader_release(frame_reader *r) {
    free(r->spare);
    free(r->bad);
    *r = (frame_reader){0};
}

/* Reads a frame and makes it the current one if it is good; otherwise `message` is the reason. Returns an exit code for
 * other failures. */
static int try_frame(session *s, frame_reader *r, size_t frame, char message[MAX_MESSAGE]) {
    size_t count = r->who->mesh->vertex_count, bad = 0;
    ruga_vec3 *points = r->spare;
    double time = timeline_time(&r->times, frame);
    message[0] = 0;
    ruga_status status = ruga_motion_sample(r->who->motion, time, points);
    if (status == RUGA_ERROR_INPUT || status == RUGA_ERROR_FILE) {
        snprintf(message, MAX_MESSAGE, "%s", ruga_context_message(s->context));
        return 0;
    }
    if (RUGA_FAILED(status)) return input_code(s, status);
    while (bad < count && isfinite(points[bad].x) && isfinite(points[bad].y) && isfinite(points[bad].z)) bad++;
    if (bad < count) {
        snprintf(message, MAX_MESSAGE, "vertex %zu is at (%g, %g, %g) m", bad, points[bad].x, points[bad].y,
                 points[bad].z);
        return 0;
    }
    r->spare = r->who->current.positions;
    r->who->current.positions = points;
    r->who->current.frame.positions = points;
    r->who->current.frame.time = time;
    r->held = frame;
    return 0;
}

/* Before the first good frame: the next good one. */
static int find_good(session *s, frame_reader *r, size_t frame) {
    char message[MAX_MESSAGE];
    for (size_t next = frame + 1; next < r->times.count; next++) {
        int code = session_interrupted(s);
        if (!code) code = try_frame(s, r, next, message);
        if (code || !message[0]) return code;
    }
    return session_error(s, EXIT_INPUT, "%s: no frame from %zu on is good, so none can replace the bad ones",
                         r->who->motion_path, frame);
}

int frame_reader_move(session *s, frame_reader *r, size_t frame) {
    char message[MAX_MESSAGE];
    int code = try_frame(s, r, frame, message);
    if (code || !message[0]) return code;
    if (!r->hold_bad)
        return session_error(s, EXIT_INPUT, "%s: frame %zu: %s; --skip-bad replaces bad frames by the last good one",
                             r->who->motion_path, frame, message);
    r->bad[r->bad_count++] = frame;
    if (r->held == SIZE_MAX) code = find_good(s, r, frame);
    if (!code) session_note(s, "frame %zu is bad: %s; frame %zu is used instead", frame, message, r->held);
    return code;
}
