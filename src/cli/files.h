/* What the commands share about files: options, and reading and writing with them. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdio.h>

#include "session.h"

/* The names of the formats, NULL-terminated. */
extern const char *const format_names[];
extern const char *const axis_names[];

/* Rows that the tables of several commands share. */
#define OUTPUT_ROW(value_, preset_, help_) \
    { .name = "output", .letter = 'o', .kind = OPTION_TEXT, .value = value_, .preset = preset_, .help = help_ }
#define FORMAT_ROW                                                                           \
    {                                                                                        \
        .name = "format", .kind = OPTION_CHOICE, .value = "FORMAT", .choices = format_names, \
        .help = "file format of the output, if the name's ending does not say it"            \
    }
#define UNIT_ROW(name_, whose_)                                                                      \
    {                                                                                                \
        .name = name_, .kind = OPTION_LENGTH, .value = "UNIT", .preset = "m",                        \
        .help = "unit of length of the " whose_ ": m, cm, mm, km, in, ft, or the metres of one unit" \
    }
#define UP_ROW(name_, whose_)                                                                        \
    {                                                                                                \
        .name = name_, .kind = OPTION_CHOICE, .value = "AXIS", .preset = "y", .choices = axis_names, \
        .help = "up axis of the " whose_                                                             \
    }

/* --unit, --up, --mesh: of what is read. */
extern const option input_options[];
extern const size_t input_option_count;
/* --rate, --start: of caches and sequences that do not say; --animation: of a glTF file that has several. */
extern const option motion_options[];
extern const size_t motion_option_count;

/* --cache: the motion of a mesh; --frame, --time: which moment of it. */
extern const option moment_options[];
extern const size_t moment_option_count;

/* How the input is to be read, by the options above. */
ruga_file_def input_def(const arguments *a);

/* Reads a mesh; a numbered sequence gives its first file, a cache without a mesh its points, a run the mesh of its object. */
int read_mesh(session *s, const char *path, const ruga_file_def *def, ruga_mesh **out);

/* The motion at `path` for a mesh. */
int read_motion(session *s, const char *path, const ruga_mesh *mesh, const ruga_file_def *def, ruga_motion **out);
/* The motion that the mesh's own file has: a sequence, a cache, a run, an animated glTF. NULL when nothing moves in it. */
int read_own_motion(session *s, const char *path, const ruga_mesh *mesh, const ruga_file_def *def, ruga_motion **out);

/* The output's format, by --format or else the name's ending; says what is wrong when neither is known. */
int output_format(session *s, const arguments *a, const char *path, ruga_format *out);

/* Writes to a file, or to standard output when path is "-". */
int write_mesh(session *s, const ruga_mesh *mesh, const ruga_frame *frame, const char *path, const ruga_file_def *def);

/* A text file that appears under its name when it is whole: begin, write to `stream`, end. Each gives an exit code. */
typedef struct text_file {
    FILE *stream;
    const char *path;
    char temporary[4200];
} text_file;
int text_file_begin(session *s, text_file *file, const char *path);
int text_file_end(session *s, text_file *file);
int write_text_file(session *s, const char *path, const char *text, size_t size);

/* A folder with all folders above it, unless it is there. */
int make_folder(session *s, const char *folder);

/* Whether a name stands for a numbered sequence: frame_####.obj, frame_%04d.obj. */
int path_is_pattern(const char *path);
int path_is_cache(const char *path); /* .pc2, .mdd: positions without a mesh */
int path_is_gltf(const char *path);

/* A frame of a mesh that moves: positions at a time. Release it with moment_release. */
typedef struct moment {
    ruga_frame frame;
    ruga_vec3 *positions;
} moment;
int moment_create(session *s, const ruga_mesh *mesh, moment *out);
int moment_sample(session *s, ruga_motion *motion, double time, moment *m);
void moment_release(moment *m);
/* The number of frames of a motion at a rate; and the time that --frame or --time name, else the start. */
size_t motion_frame_count(const ruga_motion *motion, double rate);
int moment_time(session *s, const arguments *a, const ruga_motion *motion, double rate, double *out);

/* Whether a format and a name are of motions alone, or may be. */
int format_is_motion(ruga_format format, const char *path);
int format_may_be_motion(ruga_format format, const char *path);
/* A note of the size of what will be written, when it is large. */
void note_written_size(session *s, const ruga_mesh *mesh, size_t frames, const char *path, ruga_format format);
/* A cache has no faces: "flag.pc2" gets its mesh beside it, as "flag.obj". Whether it does, with the name; and writing it. */
int mesh_beside_cache(const char *path, char *beside, size_t size);
int write_mesh_beside_cache(session *s, const ruga_mesh *mesh, const char *path, const ruga_file_def *def);
/* Writes so many frames of a motion from def->start on, def->rate a second, and reports; `doing` is what the progress says. */
int write_motion(session *s, const ruga_mesh *mesh, ruga_motion *motion, size_t frames, const char *path,
                 const ruga_file_def *def, const char *doing);

/* "wrote sheet.obj: 1,681 vertices, 3,200 triangles", or the same as JSON. */
int report_written(session *s, const char *path, const ruga_mesh *mesh);
/* The same of frames of a mesh, with the rate and start that they were written with. */
int report_motion(session *s, const char *path, const ruga_mesh *mesh, size_t frames, const ruga_file_def *def);

#endif
