#include "files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_CHUNK ((size_t)1 << 16) /* bytes */

const char *const format_names[] = {"obj",  "ply", "ply-ascii",  "ply-big", "glb",         "gltf",  "pc2",    "mdd",
                                    "usda", "msh", "msh-binary", "msh2",    "msh2-binary", "medit", "tetgen", NULL};
const char *const axis_names[] = {"y", "z", "x", NULL}; /* in the order of ruga_axis */

const option input_options[] = {
    UNIT_ROW("unit", "input"),
    UP_ROW("up", "input"),
    TEXT_ROW("mesh", "NAME",
             "which mesh of a glTF file with several, by name or number (see ruga info); which object of a run"),
    FLAG_ROW("apart", 0, "leave the vertices of a glTF file apart where it splits them, at seams of uv and normals"),
};

ruga_file_def input_def(const arguments *a) {
    ruga_file_def def = ruga_file_def_default();
    def.unit = option_length(a, "unit");
    def.up = (ruga_axis)option_choice(a, "up");
    def.mesh = option_text(a, "mesh");
    def.apart = option_given(a, "apart") > 0;
    if (option_exists(a, "rate") && option_given(a, "rate")) def.rate = option_number(a, "rate");
    if (option_exists(a, "start")) def.start = option_number(a, "start");
    if (option_exists(a, "animation")) def.animation = option_text(a, "animation");
    return def;
}

ruga_file_def output_def(const arguments *a) {
    ruga_file_def def = ruga_file_def_default();
    def.unit = option_length(a, "out-unit");
    def.up = (ruga_axis)option_choice(a, "out-up");
    return def;
}

int keeps_origin(const arguments *a, const char *path, const char *out, const ruga_file_def *def) {
    const ruga_file_def in = input_def(a);
    const int to_gltf = def->format == RUGA_FORMAT_GLB || def->format == RUGA_FORMAT_GLTF;
    return !option_given(a, "bare") && !option_given(a, "cache") && to_gltf && path_is_gltf(path) &&
           !path_is_pattern(path) && !path_is_pattern(out) && strcmp(out, "-") != 0 && in.unit == def->unit &&
           in.up == def->up;
}

void note_lost_origin(session *s, const arguments *a, const char *path, const char *out, const ruga_file_def *def) {
    const ruga_file_def in = input_def(a);
    ruga_file_def same = *def;
    same.unit = in.unit;
    same.up = in.up;
    if (!keeps_origin(a, path, out, def) && keeps_origin(a, path, out, &same))
        session_warning(
            s,
            "%s: only the mesh and its motion are written, without skin, textures and the rest of %s, since "
            "--out-unit or --out-up differ from the input's; leave them out, or give --bare",
            out, path);
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

void path_of_number(const char *pattern, long number, char *out, size_t size) {
    size_t begin = strlen(pattern), end = begin;
    (void)find_pattern(pattern, &begin, &end);
    snprintf(out, size, "%.*s%0*ld%s", (int)begin, pattern, (int)(end - begin), number, pattern + end);
}

int path_ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
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
/* A cache has no mesh: its first positions become loose points, enough for info and convert. */
static int read_cache_points(session *s, const char *path, const ruga_file_def *def, ruga_mesh **out) {
    ruga_motion *motion = NULL;
    TRY_CODE(read_motion(s, path, NULL, def, &motion));
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
    int code = input_code(s, status);
    free(positions);
    ruga_motion_destroy(motion);
    return code;
}

int read_mesh(session *s, const char *path, const ruga_file_def *def, ruga_mesh **out) {
    char first[4096];
    struct stat info;
    int found = stat(path, &info) == 0;
    if (found && ruga_path_is_run(path)) {
        return input_code(s, ruga_run_mesh_read(s->context, path, def->mesh, out));
    }
    if (found && S_ISDIR(info.st_mode))
        return session_error(s, EXIT_INPUT, "%s: this directory has no run; give a mesh file or the directory of a run",
                             path);
    /* A name without a known ending is probably that of a run. */
    if (!found && def->format == RUGA_FORMAT_AUTO && ruga_format_from_path(path) == RUGA_FORMAT_AUTO)
        return session_error(s, EXIT_INPUT, "%s: there is neither a mesh nor a run of that name", path);
    if (found && def->format == RUGA_FORMAT_AUTO && path_ends_in(path, ".json"))
        return session_error(s, EXIT_INPUT,
                             "%s: a scene is no mesh; run it first (ruga run %s) and give the directory of the run",
                             path, path);
    if (found && def->format == RUGA_FORMAT_AUTO && ruga_format_from_path(path) == RUGA_FORMAT_AUTO)
        return session_error(s, EXIT_INPUT,
                             "%s: its ending is not a known format; rename it to .obj, .ply, .glb, .gltf, .pc2 or .mdd",
                             path);
    if (path_is_cache(path)) return read_cache_points(s, path, def, out);
    if (path_is_pattern(path)) {
        TRY_CODE(first_of_sequence(s, path, first, sizeof first));
        path = first;
    }
    return input_code(s, ruga_mesh_read(s->context, path, def, out));
}

int read_motion(session *s, const char *path, const ruga_mesh *mesh, const ruga_file_def *def, ruga_motion **out) {
    return input_code(s, ruga_path_is_run(path) ? ruga_run_motion_read(s->context, path, def->mesh, mesh, out)
                                                : ruga_motion_read(s->context, path, mesh, def, out));
}

int read_standard_input(session *s, size_t limit, char **text, size_t *size) {
    size_t capacity = 0;
    *text = NULL;
    *size = 0;
    do {
        if (capacity - *size < INPUT_CHUNK) {
            capacity = 2 * capacity + INPUT_CHUNK;
            char *larger = realloc(*text, capacity);
            if (!larger) return session_no_memory(s);
            *text = larger;
        }
        *size += fread(*text + *size, 1, INPUT_CHUNK, stdin);
    } while (!feof(stdin) && !ferror(stdin) && *size < limit);
    return ferror(stdin) ? session_error(s, EXIT_INPUT, "standard input: %s", strerror(errno)) : 0;
}

/* ---- Writing. */
static int try_output(session *s, const char *path, int is_folder) {
    struct stat info;
    char folder[4096];
    if (strcmp(path, "-") == 0 || strlen(path) >= sizeof folder) return 0;
    int error = stat(path, &info) != 0 ? errno : access(path, W_OK) != 0 ? errno : 0;
    if (!error && is_folder && !S_ISDIR(info.st_mode))
        return session_error(s, EXIT_FAILED, "%s: is a file, not a folder; choose another name", path);
    if (!error && !is_folder && S_ISDIR(info.st_mode))
        return session_error(s, EXIT_FAILED, "%s: is a directory, not a file; choose another name", path);
    if (!error) return 0;
    /* A path that does not exist yet needs a folder that may be written to; parents of a folder are made too. */
    snprintf(folder, sizeof folder, "%s", path);
    for (int i = 0; error == ENOENT && (i == 0 || is_folder); i++) {
        char *slash = strrchr(folder, '/');
        if (slash == folder)
            folder[1] = 0;
        else if (slash)
            *slash = 0;
        else
            snprintf(folder, sizeof folder, ".");
        error = access(folder, W_OK | X_OK) != 0                     ? errno
                : stat(folder, &info) != 0 || !S_ISDIR(info.st_mode) ? ENOTDIR
                                                                     : 0;
    }
    if (!error) return 0;
    return session_error(s, EXIT_FAILED, "%s: can't be written: %s%s", path, strerror(error),
                         error == ENOENT    ? "; make its folder first"
                         : error == ENOTDIR ? "; a part of its path is a file"
                                            : "; choose a place that you may write to");
}

static int is_same_file(const char *a, const char *b) {
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Whether a cache gets a mesh beside it, and the name of that. */
static int mesh_beside_cache(const char *path, char *beside, size_t size) {
    if (!path_is_cache(path)) return 0;
    snprintf(beside, size, "%.*s.obj", (int)(strrchr(path, '.') - path), path);
    return 1;
}

/* The n-th output that was given, a word or an option (*o, else NULL); NULL past the last. */
static const char *output_at(const arguments *a, size_t n, const option **o) {
    *o = NULL;
    if (a->output_word > 0 && a->output_word <= a->word_count && n-- == 0) return a->words[a->output_word - 1];
    for (size_t i = 0; i < a->given_count; i++)
        if (a->given[i].option->is_output && n-- == 0) {
            *o = a->given[i].option;
            return a->given[i].text;
        }
    return NULL;
}

static int is_folder_output(const option *o, const char *path) {
    if (!o) return 0;
    int is_file = ruga_format_from_path(path) != RUGA_FORMAT_AUTO || path_ends_in(path, ".json");
    return strcmp(o->value, "FOLDER") == 0 || strcmp(o->value, "DIR") == 0 ||
           (strcmp(o->value, "DIR|FILE") == 0 && !is_file);
}

/* A sequence is the same by its name alone. */
static int is_same_path(const char *a, const char *b) {
    return strcmp(a, "-") != 0 && (strcmp(a, b) == 0 || is_same_file(a, b));
}

int check_overwriting(session *s, const arguments *a, const char *input) {
    char beside[4200];
    const option *o;
    const char *output;
    for (size_t i = 0; input && (output = output_at(a, i, &o)); i++) {
        if (is_folder_output(o, output)) continue;
        const int has_mesh = o && o->is_output == OUTPUT_WITH_MESH && mesh_beside_cache(output, beside, sizeof beside);
        const char *same = is_same_path(output, input)               ? output
                           : has_mesh && is_same_path(beside, input) ? beside
                                                                     : NULL;
        if (same) return session_error(s, EXIT_USAGE, "%s: is read, so it can't be written; choose another name", same);
    }
    return 0;
}

static int check_inputs(session *s, const arguments *a, int words_are_files) {
    for (size_t i = 0; words_are_files && i < a->word_count; i++)
        if (i + 1 != a->output_word) TRY_CODE(check_overwriting(s, a, a->words[i]));
    for (size_t i = 0; i < a->given_count; i++) {
        const option *o = a->given[i].option;
        if (!o->is_output && o->value && strncmp(o->value, "FILE", 4) == 0)
            TRY_CODE(check_overwriting(s, a, a->given[i].text));
    }
    return 0;
}

int check_outputs(session *s, const arguments *a, int words_are_files) {
    const option *o, *before;
    const char *path, *other;
    for (size_t i = 0; (path = output_at(a, i, &o)); i++) {
        TRY_CODE(try_output(s, path, is_folder_output(o, path)));
        for (size_t k = 0; k < i && (other = output_at(a, k, &before)); k++)
            if (o != before && is_same_path(path, other))
                return session_error(s, EXIT_USAGE, "%s: two results would be written to it; choose another name",
                                     path);
    }
    return check_inputs(s, a, words_are_files);
}

int check_preview(session *s, const char *preview) {
    if (!preview || path_ends_in(preview, ".png")) return 0;
    return session_error(s, EXIT_INPUT, "%s: --preview writes PNG; choose a name that ends with .png", preview);
}

int output_format(session *s, const arguments *a, const char *path, ruga_format *out) {
    const char *name = option_text(a, "format");
    *out = name ? ruga_format_from_name(name) : ruga_format_from_path(path);
    if (*out != RUGA_FORMAT_AUTO) return 0;
    if (strcmp(path, "-") == 0) return session_error(s, EXIT_USAGE, "%s: standard output needs --format", path);
    return session_error(
        s, EXIT_INPUT,
        "%s: the ending is not a known format; use .obj, .ply, .glb, .gltf, .msh, .mesh, .node, .pc2, .mdd, .usda, "
        "or --format",
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
    return output_code(s, status);
}

int text_file_begin(session *s, text_file *file, const char *path) {
    struct stat info;
    /* A device, a pipe or a link, such as /dev/stdout, is written in place: renaming would replace it by a file. */
    int in_place = lstat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    *file = (text_file){.path = path};
    if (in_place) {
        snprintf(file->temporary, sizeof file->temporary, "%.4100s", path);
        file->stream = fopen(path, "w");
    }
    /* The temporary file is a new one: what others have put under its name is neither followed nor replaced. */
    for (int i = 0; !in_place && !file->stream && i < 1000; i++) {
        snprintf(file->temporary, sizeof file->temporary, "%.4100s.%ld-%d.tmp", path, (long)getpid(), i);
        file->stream = fopen(file->temporary, "wx");
        if (!file->stream && errno != EEXIST) break;
    }
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
    TRY_CODE(text_file_begin(s, &file, path));
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

int format_is_motion(ruga_format format, const char *path) {
    return format == RUGA_FORMAT_PC2 || format == RUGA_FORMAT_MDD || path_is_pattern(path);
}

int format_may_be_motion(ruga_format format, const char *path) {
    int either = format == RUGA_FORMAT_GLB || format == RUGA_FORMAT_GLTF || format == RUGA_FORMAT_USDA;
    return either || format_is_motion(format, path);
}

int write_mesh_beside_cache(session *s, const ruga_mesh *mesh, const char *path, const ruga_file_def *def) {
    char beside[4200];
    ruga_file_def as_obj = *def;
    as_obj.format = RUGA_FORMAT_OBJ;
    return mesh_beside_cache(path, beside, sizeof beside) ? write_mesh(s, mesh, NULL, beside, &as_obj) : 0;
}
