#include "moving_body.h"

#include <math.h>
#include <stdlib.h>

/* ---- Reading. */

/* Frames of even samples are these; else they are moments at the rate that was asked for, or 24 a second. */
static void count_frames(const arguments *a, moving_body *body) {
    ruga_motion_info info = ruga_motion_get_info(body->motion);
    body->by_samples = info.sample_count > 0 && info.rate > 0;
    body->rate = body->by_samples ? info.rate : option_given(a, "rate") ? option_number(a, "rate") : 24;
    body->count = body->by_samples ? info.sample_count : motion_frame_count(body->motion, body->rate);
}

static int check_body(session *s, const moving_body *body) {
    if (body->mesh->triangle_count == 0)
        return session_error(s, EXIT_INPUT,
                             path_is_cache(body->path) ? "%s: a cache has points without faces; give its mesh, and the "
                                                         "cache after --cache: MESH --cache %s"
                                                       : "%s: has no faces",
                             body->path, body->path);
    if (body->motion) return 0;
    return session_error(
        s, EXIT_INPUT,
        "%s: nothing moves in it; give its motion with --cache: a PC2 or MDD cache, a sequence such as "
        "frame_####.obj, an animated glTF or a run",
        body->path);
}

int moving_body_read(session *s, const arguments *a, const char *path, moving_body *body) {
    ruga_file_def def = input_def(a);
    const char *cache = option_text(a, "cache");
    *body = (moving_body){.path = path, .motion_path = cache ? cache : path, .held = SIZE_MAX};
    int code = read_mesh(s, path, &def, &body->mesh);
    if (!code)
        code = cache ? read_motion(s, cache, body->mesh, &def, &body->motion)
                     : read_own_motion(s, path, body->mesh, &def, &body->motion);
    if (!code) code = check_body(s, body);
    if (code) return code;
    count_frames(a, body);
    body->positions = malloc((body->mesh->vertex_count + 1) * sizeof *body->positions);
    body->spare = malloc((body->mesh->vertex_count + 1) * sizeof *body->spare);
    body->bad = malloc((body->count + 1) * sizeof *body->bad);
    return body->positions && body->spare && body->bad ? 0 : session_no_memory(s);
}

void moving_body_release(moving_body *body) {
    free(body->positions);
    free(body->spare);
    free(body->bad);
    ruga_motion_destroy(body->motion);
    ruga_mesh_destroy(body->mesh);
    *body = (moving_body){0};
}

/* ---- Frames. */

double moving_body_time(const moving_body *body, size_t frame) {
    if (body->by_samples) return ruga_motion_sample_time(body->motion, frame);
    return ruga_motion_get_info(body->motion).start + (double)frame / body->rate;
}

static size_t first_not_finite(const ruga_vec3 *points, size_t count) {
    size_t i = 0;
    while (i < count && isfinite(points[i].x) && isfinite(points[i].y) && isfinite(points[i].z)) i++;
    return i;
}

/* Reads a frame into `spare`. What is wrong with it, or "" when it is good; an exit code only for what is not its fault. */
static int try_frame(session *s, moving_body *body, size_t frame, char message[MAX_MESSAGE]) {
    size_t count = body->mesh->vertex_count;
    const ruga_vec3 *points = body->spare;
    message[0] = 0;
    ruga_status status = ruga_motion_sample(body->motion, moving_body_time(body, frame), body->spare);
    if (status == RUGA_ERROR_INPUT || status == RUGA_ERROR_FILE) {
        snprintf(message, MAX_MESSAGE, "%s", ruga_context_message(s->context));
        return 0;
    }
    if (RUGA_FAILED(status)) return session_failed_input(s, status);
    size_t bad = first_not_finite(points, count);
    if (bad < count)
        snprintf(message, MAX_MESSAGE, "vertex %zu is at (%g, %g, %g) m", bad, points[bad].x, points[bad].y,
                 points[bad].z);
    return 0;
}

static void take_spare(moving_body *body, size_t frame) {
    ruga_vec3 *before = body->positions;
    body->positions = body->spare;
    body->spare = before;
    body->held = frame;
}

/* Before the first good frame, the next good one stands for those that are bad. */
static int find_good(session *s, moving_body *body, size_t frame) {
    char message[MAX_MESSAGE];
    for (size_t next = frame + 1; next < body->count; next++) {
        int code = session_interrupted(s);
        if (!code) code = try_frame(s, body, next, message);
        if (code) return code;
        if (message[0]) continue;
        take_spare(body, next);
        return 0;
    }
    return session_error(s, EXIT_INPUT, "%s: no frame from %zu on is good, so that there is none to hold",
                         body->motion_path, frame);
}

int moving_body_go_to(session *s, moving_body *body, size_t frame) {
    char message[MAX_MESSAGE];
    int code = try_frame(s, body, frame, message);
    if (code) return code;
    if (!message[0]) {
        take_spare(body, frame);
        return 0;
    }
    if (!body->hold_bad)
        return session_error(s, EXIT_INPUT, "%s: frame %zu: %s; --skip-bad holds the last good frame over bad ones",
                             body->motion_path, frame, message);
    body->bad[body->bad_count++] = frame;
    if (body->held == SIZE_MAX) code = find_good(s, body, frame);
    if (!code) session_note(s, "frame %zu is bad: %s; frame %zu is held instead", frame, message, body->held);
    return code;
}
