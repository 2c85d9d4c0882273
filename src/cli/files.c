#include "files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE_FILE 100000000u /* bytes: sizes above are said before they are written */

const char *const format_names[] = {"obj", "ply", "ply-ascii", "ply-big", "glb", "gltf", "pc2", "mdd", "usda", NULL};
const char *const axis_names[] = {"y", "z", "x", NULL}; /* in the order of ruga_axis */

const option input_options[] = {
    UNIT_ROW("unit", "input"),
    UP_ROW("up", "input"),
    {.name = "mesh",
     .kind = OPTION_TEXT,
     .value = "NAME",
     .help = "which mesh of a glTF file that has several, by name or number (ruga info lists them); which object of a "
             "run"},
};
const size_t input_option_count = OPTION_COUNT(input_options);

const option motion_options[] = {
    {.name = "rate",
     .kind = OPTION_NUMBER,
     .value = "R",
     .unit = "frames/s",
     .low = 0.001,
     .high = 100000,
     .help = "frame rate of caches and sequences that do not say theirs (24 is assumed), and of what is written"},
    {.name = "start",
     .kind = OPTION_NUMBER,
     .value = "T",
     .unit = "s",
     .preset = "0",
     .help = "time of the first frame of caches and sequences that do not say it"},
    {.name = "animation",
     .kind = OPTION_TEXT,
     .value = "NAME",
     .help = "which animation of a glTF file that has several, by name or number; the first if not given"},
};
const size_t motion_option_count = OPTION_COUNT(motion_options);

const option moment_options[] = {
    {.name = "cache",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .help =
         "the motion of the mesh: a PC2 or MDD cache, an animated glTF, a sequence such as frame_####.obj, or a run; "
         "of several meshes, one for each"},
    {.name = "frame",
     .kind = OPTION_NUMBER,
     .value = "F",
     .low = 0,
     .high = 1e9,
     .help = "a single frame of the motion, counted from 0"},
    {.name = "time", .kind = OPTION_NUMBER, .value = "T", .unit = "s", .help = "a single moment of the motion"},
};
const size_t moment_option_count = OPTION_COUNT(moment_options);

static int has_option(const arguments *a, const char *name) {
    return option_list_find(a->list, name, strlen(name)) != NULL;
}

ruga_file_def input_def(const arguments *a) {
    ruga_file_def def = ruga_file_def_default();
    def.unit = option_length(a, "unit");
    def.up = (ruga_axis)option_choice(a, "up");
    def.mesh = option_text(a, "mesh");
    if (has_option(a, "rate") && option_given(a, "rate")) def.rate = option_number(a, "rate");
    if (has_option(a, "start")) def.start = option_number(a, "start");
    if (has_option(a, "animation")) def.animation = option_text(a, "animation");
    return def;
}

/* ---- Names. */
/* The digits' place in a pattern: #### or %d, %04d. */
static int find_pattern(const char *path, size_t *begin, size_t *end) {
    size_t hash = strcspn(path, "#");
    if (path[hash]) {
        *begin = hash;
        *end = hash + strspn(path + hash, "#");
        return 1;
    }
    for (const char *at = strchr(path, '%'); at; at = strchr(at + 1, '%')) {
        size_t digits = strspn(at + 1, "0123456789");
        if (at[1 + digits] == 'd') {
            *begin = (size_t)(at - path);
            *end = *begin + digits + 2;
            return 1;
        }
    }
    return 0;
}

int path_is_pattern(const char *path) {
    size_t begin, end;
    return find_pattern(path, &begin, &end);
}

int path_is_cache(const char *path) {
    ruga_format format = ruga_format_from_path(path);
    return format == RUGA_FORMAT_PC2 || format == RUGA_FORMAT_MDD;
}

int path_is_gltf(const char *path) {
    ruga_format format = ruga_format_from_path(path);
    return format == RUGA_FORMAT_GLB || format == RUGA_FORMAT_GLTF;
}

/* The number in `name` if it is `prefix`, digits, `suffix`; else -1. */
static long sequence_number(const char *name, const char *prefix, size_t prefix_length, const char *suffix) {
    size_t length = strlen(name), suffix_length = strlen(suffix);
    if (length <= prefix_length + suffix_length || memcmp(name, prefix, prefix_length) != 0 ||
        strcmp(name + length - suffix_length, suffix) != 0)
        return -1;
    size_t digits = length - prefix_length - suffix_length;
    for (size_t i = 0; i < digits; i++)
        if (!isdigit((unsigned char)name[prefix_length + i])) return -1;
    return digits < 10 ? atol(name + prefix_length) : -1;
}

/* The file of a sequence with the lowest number. */
static int first_of_sequence(session *s, const char *pattern, char *path, size_t size) {
    size_t begin, end;
    find_pattern(pattern, &begin, &end);
    const char *slash = strrchr(pattern, '/');
    size_t folder_length = slash ? (size_t)(slash - pattern) + 1 : 0;
    snprintf(path, size, "%.*s", (int)folder_length, pattern);
    DIR *folder = begin >= folder_length ? opendir(folder_length ? path : ".") : NULL;
    long lowest = -1;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        long number = sequence_number(entry->d_name, pattern + folder_length, begin - folder_length, pattern + end);
        if (number < 0 || (lowest >= 0 && number >= lowest)) continue;
        lowest = number;
        snprintf(path + folder_length, size - folder_length, "%s", entry->d_name);
    }
    if (folder) closedir(folder);
    if (lowest < 0) return session_error(s, EXIT_INPUT, "%s: no files of this sequence", pattern);
    return 0;
}

/* ---- Reading. */
/* A cache has no mesh: its first positions become loose points, enough to say what it holds and to write another. */
static int read_cache_points(session *s, const char *path, const ruga_file_def *def, ruga_mesh **out) {
    ruga_motion *motion = NULL;
    int code = read_motion(s, path, NULL, def, &motion);
    if (code) return code;
    ruga_motion_info info = ruga_motion_get_info(motion);
    ruga_vec3 *positions = malloc((info.vertex_count + 1) * sizeof *positions);
    if (!positions) {
        ruga_motion_destroy(motion);
        return session_no_memory(s);
    }
    ruga_status status = ruga_motion_sample(motion, info.start, positions);
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){positions, info.vertex_count, 0, RUGA_F64};
    if (!RUGA_FAILED(status)) status = ruga_mesh_create(s->context, &mesh_def, out);
    if (RUGA_FAILED(status)) code = session_failed_input(s, status);
    free(positions);
    ruga_motion_destroy(motion);
    return code;
}

int read_mesh(session *s, const char *path, const ruga_file_def *def, ruga_mesh **out) {
    char first[4096];
    struct stat info;
    int found = stat(path, &info) == 0;
    if (found && ruga_path_is_run(path)) {
        ruga_status status = ruga_run_mesh_read(s->context, path, def->mesh, out);
        return RUGA_FAILED(status) ? session_failed_input(s, status) : 0;
    }
    if (found && S_ISDIR(info.st_mode))
        return session_error(s, EXIT_INPUT, "%s: a folder, and neither a mesh nor a run", path);
    /* A name that tells no format is most likely that of a run. */
    if (!found && def->format == RUGA_FORMAT_AUTO && ruga_format_from_path(path) == RUGA_FORMAT_AUTO)
        return session_error(s, EXIT_INPUT, "%s: there is neither a mesh nor a run of that name", path);
    if (path_is_cache(path)) return read_cache_points(s, path, def, out);
    if (path_is_pattern(path)) {
        int code = first_of_sequence(s, path, first, sizeof first);
        if (code) return code;
        path = first;
    }
    ruga_status status = ruga_mesh_read(s->context, path, def, out);
    return RUGA_FAILED(status) ? session_failed_input(s, status) : 0;
}

int read_motion(session *s, const char *path, const ruga_mesh *mesh, const ruga_file_def *def, ruga_motion **out) {
    ruga_status status = ruga_path_is_run(path) ? ruga_run_motion_read(s->context, path, def->mesh, mesh, out)
                                                : ruga_motion_read(s->context, path, mesh, def, out);
    return RUGA_FAILED(status) ? session_failed_input(s, status) : 0;
}

int read_own_motion(session *s, const char *path, const ruga_mesh *mesh, const ruga_file_def *def, ruga_motion **out) {
    if (path_is_cache(path) || path_is_pattern(path) || ruga_path_is_run(path))
        return read_motion(s, path, mesh, def, out);
    if (!path_is_gltf(path)) return 0;
    ruga_status status = ruga_motion_read(s->context, path, mesh, def, out);
    if (status == RUGA_ERROR_UNSUPPORTED) return 0;
    return RUGA_FAILED(status) ? session_failed_input(s, status) : 0;
}

/* ---- Writing. */
int output_format(session *s, const arguments *a, const char *path, ruga_format *out) {
    const char *name = option_text(a, "format");
    *out = name ? ruga_format_from_name(name) : ruga_format_from_path(path);
    if (*out != RUGA_FORMAT_AUTO) return 0;
    return session_error(
        s, EXIT_USAGE,
        strcmp(path, "-") == 0
            ? "%s: standard output needs --format"
            : "%s: the ending says no format; use .obj, .ply, .glb, .gltf, .pc2, .mdd, .usda, or --format",
        path);
}

int write_mesh(session *s, const ruga_mesh *mesh, const ruga_frame *frame, const char *path, const ruga_file_def *def) {
    ruga_status status;
    if (strcmp(path, "-") != 0) {
        status = ruga_mesh_write(mesh, frame, path, def);
    } else {
        void *bytes = NULL;
        size_t size = 0;
        status = ruga_mesh_write_memory(mesh, frame, def, &bytes, &size);
        if (!RUGA_FAILED(status)) session_write(s, bytes, size);
        ruga_free(s->context, bytes);
    }
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

/* A device, a pipe or a link, such as /dev/stdout: renaming would put a file into its place. */
static int is_written_in_place(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

int text_file_begin(session *s, text_file *file, const char *path) {
    *file = (text_file){.path = path};
    snprintf(file->temporary, sizeof file->temporary, is_written_in_place(path) ? "%.4100s" : "%.4100s.part", path);
    file->stream = fopen(file->temporary, "w");
    return file->stream ? 0 : session_error(s, EXIT_FAILED, "%s: can't be written: %s", path, strerror(errno));
}

int text_file_end(session *s, text_file *file) {
    int failed = ferror(file->stream);
    if (fclose(file->stream) != 0) failed = 1;
    const int in_place = strcmp(file->temporary, file->path) == 0;
    if (!failed && (in_place || rename(file->temporary, file->path) == 0)) return 0;
    int code = session_error(s, EXIT_FAILED, "%s: can't be written: %s", file->path, strerror(errno));
    if (!in_place) unlink(file->temporary);
    return code;
}

int write_text_file(session *s, const char *path, const char *text, size_t size) {
    text_file file;
    int code = text_file_begin(s, &file, path);
    if (code) return code;
    fwrite(text, 1, size, file.stream);
    return text_file_end(s, &file);
}

int make_folder(session *s, const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = path; slash;) {
        slash = strchr(slash + 1, '/');
        if (slash) *slash = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return session_error(s, EXIT_FAILED, "%s: can't make the folder: %s", path, strerror(errno));
        if (slash) *slash = '/';
    }
    struct stat info;
    if (stat(folder, &info) == 0 && S_ISDIR(info.st_mode)) return 0;
    return session_error(s, EXIT_FAILED, "%s: not a folder", folder);
}

int moment_create(session *s, const ruga_mesh *mesh, moment *out) {
    out->positions = malloc((mesh->vertex_count + 1) * sizeof *out->positions);
    if (!out->positions) return session_no_memory(s);
    out->frame = (ruga_frame){.vertex_count = mesh->vertex_count, .positions = out->positions};
    return 0;
}

int moment_sample(session *s, ruga_motion *motion, double time, moment *m) {
    m->frame.time = time;
    ruga_status status = ruga_motion_sample(motion, time, m->positions);
    return RUGA_FAILED(status) ? session_failed_input(s, status) : 0;
}

size_t motion_frame_count(const ruga_motion *motion, double rate) {
    ruga_motion_info info = ruga_motion_get_info(motion);
    return (size_t)floor((info.end - info.start) * rate + 1e-6) + 1;
}

int moment_time(session *s, const arguments *a, const ruga_motion *motion, double rate, double *out) {
    double last = (double)(motion_frame_count(motion, rate) - 1);
    *out = ruga_motion_get_info(motion).start;
    if (option_given(a, "time"))
        *out = option_number(a, "time");
    else if (option_given(a, "frame") && option_number(a, "frame") > last)
        return session_error(s, EXIT_USAGE, "--frame takes 0 to %.0f here, not '%s'", last, option_text(a, "frame"));
    else if (option_given(a, "frame"))
        *out += option_number(a, "frame") / rate;
    return 0;
}

void moment_release(moment *m) {
    free(m->positions);
    *m = (moment){0};
}

int report_written(session *s, const char *path, const ruga_mesh *mesh) {
    if (strcmp(path, "-") == 0) return 0;
    session_remark(s, "wrote %s: %s vertices, %s triangle%s\n", path, with_commas(mesh->vertex_count),
                   with_commas(mesh->triangle_count), mesh->triangle_count == 1 ? "" : "s");
    if (!s->json) return 0;
    ruga_json_writer *json;
    int code = session_json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_object(json);
    ruga_json_key(json, "output");
    ruga_json_string(json, path);
    ruga_json_key(json, "vertices");
    ruga_json_integer(json, (int64_t)mesh->vertex_count);
    ruga_json_key(json, "triangles");
    ruga_json_integer(json, (int64_t)mesh->triangle_count);
    ruga_json_end_object(json);
    return session_json_finish(s, json);
}

int report_motion(session *s, const char *path, const ruga_mesh *mesh, size_t frames, const ruga_file_def *def) {
    session_remark(s, "wrote %s: %s frames of %s vertices at %.6g a second\n", path, with_commas(frames),
                   with_commas(mesh->vertex_count), def->rate);
    if (!s->json) return 0;
    ruga_json_writer *json;
    int code = session_json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_object(json);
    ruga_json_key(json, "output");
    ruga_json_string(json, path);
    ruga_json_key(json, "vertices");
    ruga_json_integer(json, (int64_t)mesh->vertex_count);
    ruga_json_key(json, "frames");
    ruga_json_integer(json, (int64_t)frames);
    ruga_json_key(json, "rate");
    ruga_json_number(json, def->rate);
    ruga_json_key(json, "start");
    ruga_json_number(json, def->start);
    ruga_json_end_object(json);
    return session_json_finish(s, json);
}

int format_is_motion(ruga_format format, const char *path) {
    return format == RUGA_FORMAT_PC2 || format == RUGA_FORMAT_MDD || path_is_pattern(path);
}

int format_may_be_motion(ruga_format format, const char *path) {
    int either = format == RUGA_FORMAT_GLB || format == RUGA_FORMAT_GLTF || format == RUGA_FORMAT_USDA;
    return either || format_is_motion(format, path);
}

void note_written_size(session *s, const ruga_mesh *mesh, size_t frames, const char *path, ruga_format format) {
    uint64_t size = ruga_motion_written_size(mesh, frames, format);
    if (size > LARGE_FILE) session_note(s, "%s will take %s", path, with_bytes(size));
}

int mesh_beside_cache(const char *path, char *beside, size_t size) {
    const char *ending = strrchr(path, '.');
    if (!path_is_cache(path)) return 0;
    snprintf(beside, size, "%.*s.obj", (int)(ending - path), path);
    return 1;
}

int write_mesh_beside_cache(session *s, const ruga_mesh *mesh, const char *path, const ruga_file_def *def) {
    char beside[4200];
    ruga_file_def as_obj = *def;
    as_obj.format = RUGA_FORMAT_OBJ;
    return mesh_beside_cache(path, beside, sizeof beside) ? write_mesh(s, mesh, NULL, beside, &as_obj) : 0;
}

static int append_frames(session *s, ruga_motion *motion, size_t frames, const ruga_file_def *def, const char *doing,
                         moment *present, ruga_motion_writer *writer) {
    for (size_t i = 0; i < frames; i++) {
        progress_part(&s->bar, doing, i, frames);
        int code = session_interrupted(s);
        if (!code) code = moment_sample(s, motion, def->start + (double)i / def->rate, present);
        if (code) return code;
        ruga_status status = ruga_motion_writer_append(writer, &present->frame);
        if (RUGA_FAILED(status)) return session_failed_output(s, status);
    }
    progress_part(&s->bar, NULL, 0, 0);
    ruga_status status = ruga_motion_writer_finish(writer);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

int write_motion(session *s, const ruga_mesh *mesh, ruga_motion *motion, size_t frames, const char *path,
                 const ruga_file_def *def, const char *doing) {
    note_written_size(s, mesh, frames, path, def->format);
    moment present = {0};
    int code = moment_create(s, mesh, &present);
    if (code) return code;
    ruga_motion_writer *writer = NULL;
    ruga_status status = ruga_motion_writer_create(mesh, path, def, &writer);
    if (RUGA_FAILED(status))
        code = session_failed_output(s, status);
    else
        code = append_frames(s, motion, frames, def, doing, &present, writer);
    ruga_motion_writer_destroy(writer);
    moment_release(&present);
    return code ? code : report_motion(s, path, mesh, frames, def);
}
