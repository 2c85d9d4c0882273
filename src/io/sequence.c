/* Numbered sequences of meshes: frame_####.obj, frame_%04d.obj, or the first of them, frame_0001.obj.
 *
 * A pattern is split into the text before the number, the minimum width, and the text after it; it is never passed to
 * printf. Files are read one by one when they are needed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/samples.h"

#define SEQUENCE_MOST_DIGITS 9
#define SEQUENCE_FIRST_LIMIT 100000 /* the first number of a pattern is below it */
#define SEQUENCE_GAP_LIMIT 100      /* numbers after a missing one that are checked */

/* The place of the number in a path. */
typedef struct sequence_pattern {
    size_t prefix; /* bytes before the number */
    size_t suffix; /* offset of the text after it */
    int digits;    /* minimum width */
    int has_first; /* the path names the first file */
    uint64_t first;
} sequence_pattern;

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* The last run of '#'. */
static int find_hashes(const char *path, sequence_pattern *pattern) {
    const char *end = strrchr(last_part(path), '#');
    if (!end) return 0;
    const char *begin = end;
    while (begin > last_part(path) && begin[-1] == '#') begin--;
    if (end + 1 - begin > SEQUENCE_MOST_DIGITS) return 0;
    *pattern = (sequence_pattern){(size_t)(begin - path), (size_t)(end + 1 - path), (int)(end + 1 - begin), 0, 0};
    return 1;
}

/* %d, %4d or %04d: padded with zeros in every case. */
static int find_percent(const char *path, sequence_pattern *pattern) {
    const char *begin = strrchr(last_part(path), '%');
    if (!begin) return 0;
    const char *at = begin + 1;
    if (*at == '0') at++;
    int digits = is_digit(*at) ? *at++ - '0' : 1;
    if (*at != 'd') return 0;
    *pattern = (sequence_pattern){(size_t)(begin - path), (size_t)(at + 1 - path), digits > 0 ? digits : 1, 0, 0};
    return 1;
}

/* The last run of digits before the ending. */
static int find_number(const char *path, sequence_pattern *pattern) {
    const char *name = last_part(path), *end = strrchr(name, '.');
    if (!end) end = name + strlen(name);
    const char *begin = end;
    while (begin > name && is_digit(begin[-1])) begin--;
    if (begin == end || end - begin > SEQUENCE_MOST_DIGITS) return 0;
    *pattern = (sequence_pattern){(size_t)(begin - path), (size_t)(end - path), (int)(end - begin), 1, 0};
    for (const char *at = begin; at < end; at++) pattern->first = 10 * pattern->first + (uint64_t)(*at - '0');
    return 1;
}

int sequence_is_pattern(const char *path) {
    sequence_pattern pattern;
    return find_hashes(path, &pattern) || find_percent(path, &pattern);
}

/* Room for the path of any number. */
static size_t path_room(const char *path) { return strlen(path) + 32; }

static void make_path(const sequence_pattern *pattern, const char *path, uint64_t number, char *out) {
    memcpy(out, path, pattern->prefix);
    int length = snprintf(out + pattern->prefix, 24, "%0*llu", pattern->digits, (unsigned long long)number);
    strcpy(out + pattern->prefix + length, path + pattern->suffix);
}

static int find_pattern(const char *path, sequence_pattern *pattern) {
    return find_hashes(path, pattern) || find_percent(path, pattern) || find_number(path, pattern);
}

/* Whether a file exists. Other problems, such as a folder without permission, are errors. */
static ruga_status look_for(ruga_context *context, const char *path, int *found) {
    const file_system *files = context->file_system;
    void *handle;
    uint64_t size;
    int error = files->open(files->user, path, &handle, &size);
    *found = error == 0;
    if (error == 0) (void)files->close(files->user, handle);
    if (error == 0 && context->file_found) context->file_found(context->file_found_user, path);
    if (error == 0 || error == ENOENT) return RUGA_OK;
    return fail_with(context, RUGA_ERROR_FILE, "%s: files of the sequence can't be found: %s", path, strerror(error));
}

/* ---- Reading. */

typedef struct sequence_motion {
    stored_motion stored;
    sequence_pattern pattern;
    ruga_file_def def;
    char *number_path; /* room for a file's path */
} sequence_motion;

static ruga_status sequence_load(stored_motion *stored, size_t sample, ruga_vec3 *positions) {
    sequence_motion *motion = (sequence_motion *)stored;
    ruga_context *context = stored->base.context;
    make_path(&motion->pattern, stored->path, motion->pattern.first + sample, motion->number_path);
    ruga_mesh *mesh = NULL;
    TRY(ruga_mesh_read(context, motion->number_path, &motion->def, &mesh));
    const size_t found = mesh->vertex_count, wanted = stored->base.info.vertex_count;
    if (found == wanted) memcpy(positions, mesh->positions, wanted * sizeof *positions);
    ruga_mesh_destroy(mesh);
    if (found != wanted)
        return fail_input(
            context,
            "%s: this file has %zu vertices, but the mesh has %zu: it is of another topology; give this file "
            "by itself, not the sequence",
            motion->number_path, found, wanted);
    return RUGA_OK;
}

static void sequence_close(stored_motion *stored) {
    memory_release(stored->base.context, ((sequence_motion *)stored)->number_path);
}

/* The lowest number of a file. */
static ruga_status find_first(sequence_motion *motion) {
    ruga_context *context = motion->stored.base.context;
    if (motion->pattern.has_first) return RUGA_OK;
    for (uint64_t n = 0; n < SEQUENCE_FIRST_LIMIT; n++) {
        make_path(&motion->pattern, motion->stored.path, n, motion->number_path);
        int found = 0;
        TRY(look_for(context, motion->number_path, &found));
        if (!found) continue;
        motion->pattern.first = n;
        return RUGA_OK;
    }
    return fail_with(context, RUGA_ERROR_FILE, "%s: no file has this pattern with a number from 0 to %d",
                     motion->stored.path, SEQUENCE_FIRST_LIMIT - 1);
}

/* Counts files from the first number; a gap is an error. */
static ruga_status count_files(sequence_motion *motion, size_t *count) {
    ruga_context *context = motion->stored.base.context;
    const char *path = motion->stored.path;
    uint64_t end = motion->pattern.first;
    int found = 1;
    for (; found; end += (uint64_t)found) {
        make_path(&motion->pattern, path, end, motion->number_path);
        TRY(look_for(context, motion->number_path, &found));
    }
    if (end == motion->pattern.first)
        return fail_with(context, RUGA_ERROR_FILE, "%s: this file does not exist", motion->number_path);
    for (uint64_t n = end + 1; n < end + SEQUENCE_GAP_LIMIT; n++) {
        make_path(&motion->pattern, path, n, motion->number_path);
        TRY(look_for(context, motion->number_path, &found));
        if (!found) continue;
        make_path(&motion->pattern, path, end, motion->number_path);
        return fail_input(context, "%s: this file of the sequence is missing, but number %llu exists",
                          motion->number_path, (unsigned long long)n);
    }
    *count = (size_t)(end - motion->pattern.first);
    return RUGA_OK;
}

static ruga_status find_files(sequence_motion *motion) {
    size_t count = 0;
    TRY(NEW(motion->stored.base.context, &motion->number_path, path_room(motion->stored.path)));
    TRY(find_first(motion));
    TRY(count_files(motion, &count));
    stored_motion_set_even(&motion->stored, count, motion->def.start, motion->def.rate);
    return RUGA_OK;
}

ruga_status sequence_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                          ruga_motion **out) {
    sequence_pattern pattern;
    if (!find_pattern(path, &pattern))
        return fail_argument(
            context, "%s: this is one mesh; give a sequence as frame_####.obj or by its first file, frame_0001.obj",
            path);
    stored_motion *stored = NULL;
    TRY(stored_motion_create(context, path, mesh, def, mesh->vertex_count, sizeof(sequence_motion), &stored));
    sequence_motion *motion = (sequence_motion *)stored;
    motion->pattern = pattern;
    motion->def = *def;
    stored->load = sequence_load;
    stored->close = sequence_close;
    RETURN_MADE(find_files(motion), &stored->base, out, ruga_motion_destroy(&stored->base));
}

/* ---- Writing. */

typedef struct sequence_writer {
    ruga_motion_writer base;
    sequence_pattern pattern;
    char *path, *number_path;
} sequence_writer;

static ruga_status sequence_append(ruga_motion_writer *base, const ruga_frame *frame) {
    sequence_writer *writer = (sequence_writer *)base;
    make_path(&writer->pattern, writer->path, writer->pattern.first + base->frame_count, writer->number_path);
    return ruga_mesh_write(base->mesh, frame, writer->number_path, &base->def);
}

static void sequence_writer_destroy(ruga_motion_writer *base) {
    sequence_writer *writer = (sequence_writer *)base;
    RELEASE_ALL(base->context, writer->path, writer->number_path, writer);
}

static const motion_writer_interface sequence_writer_interface = {sequence_append, NULL, sequence_writer_destroy};

ruga_status sequence_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                                   ruga_motion_writer **out) {
    ruga_context *context = mesh->context;
    sequence_pattern pattern;
    if (!find_pattern(path, &pattern))
        return fail_argument(
            context, "%s: this is the name of one file; write a sequence to a pattern such as frame_####.obj", path);
    sequence_writer *writer = NULL;
    TRY(NEW_ZEROED(context, &writer, 1));
    io_writer_init(&writer->base, &sequence_writer_interface, mesh, def);
    if (!pattern.has_first) pattern.first = 1;
    writer->pattern = pattern;
    ruga_status status = NEW_TEXT(context, &writer->path, path);
    if (!RUGA_FAILED(status)) status = NEW(context, &writer->number_path, path_room(path));
    return io_writer_made(status, &writer->base, out);
}
