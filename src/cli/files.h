/* Files: the options that commands share, reading and writing. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdio.h>

#include "session.h"

/* The names of the formats, NULL-terminated. */
extern const char *const format_names[];
extern const char *const axis_names[];

/* Rows that the tables of several commands share. A value called DIR or FOLDER is made with its parents. */
#define OUTPUT_ROW_OF(is_output_, value_, preset_, help_)                                         \
    {                                                                                             \
        .name = "output", .letter = 'o', .kind = OPTION_TEXT, .value = value_, .preset = preset_, \
        .is_output = is_output_, .help = help_                                                    \
    }
#define OUTPUT_ROW(value_, preset_, help_) OUTPUT_ROW_OF(1, value_, preset_, help_)
#define FRAMES_OUTPUT_ROW(value_, help_) OUTPUT_ROW_OF(OUTPUT_WITH_MESH, value_, NULL, help_)
#define FORMAT_ROW \
    CHOICE_ROW("format", "FORMAT", NULL, format_names, "file format of the output, if its name does not end in one")
#define UNIT_ROW(name_, whose_)                                                                      \
    {                                                                                                \
        .name = name_, .kind = OPTION_LENGTH, .value = "UNIT", .preset = "m",                        \
        .help = "unit of length of the " whose_ ": m, cm, mm, km, in, ft, or the metres of one unit" \
    }
#define UP_ROW(name_, whose_) CHOICE_ROW(name_, "AXIS", "y", axis_names, "up axis of the " whose_)

#define BARE_ROW                                                                                                       \
    FLAG_ROW("bare", 0,                                                                                                \
             "from glTF to glTF: write the mesh alone, without the skin, materials, textures, nodes and other meshes " \
             "of its file")

/* --unit, --up, --mesh, --apart: of the input. */
extern const option input_options[4];

/* How to read the input, by the options above; how to write the output, by --out-unit and --out-up. */
ruga_file_def input_def(const arguments *a);
ruga_file_def output_def(const arguments *a);

/* Whether the rest of the glTF file `path` is kept in the glTF file `out`: not with --bare or --cache, nor when unit or
 * axis change. */
int keeps_origin(const arguments *a, const char *path, const char *out, const ruga_file_def *def);
/* Notes that unit or axis of the output keep the rest of a glTF file from it. */
void note_lost_origin(session *s, const arguments *a, const char *path, const char *out, const ruga_file_def *def);

/* Reads a mesh: of a numbered sequence the first file, of a cache its points, of a run the mesh of its object. */
/* All of standard input, or about `limit` bytes of it, to be freed in either case. */
int read_standard_input(session *s, size_t limit, char **text, size_t *size);
int read_mesh(session *s, const char *path, const ruga_file_def *def, ruga_mesh **out);

/* The motion at `path` for a mesh. */
int read_motion(session *s, const char *path, const ruga_mesh *mesh, const ruga_file_def *def, ruga_motion **out);

/* The output's format, by --format or else by its name. */
int output_format(session *s, const arguments *a, const char *path, ruga_format *out);

/* Writes to a file, or to standard output when path is "-". */
int write_mesh(session *s, const ruga_mesh *mesh, const ruga_frame *frame, const char *path, const ruga_file_def *def);

/* Whether every output of a command can be written: its file, or a folder with its parents; tried before the work that
 * would be lost. Refuses to write over a file that the command reads (its words, unless they name things that it knows,
 * and options whose value is a file), and two outputs of one name. */
int check_outputs(session *s, const arguments *a, int words_are_files);
/* Refuses to write over another file that the command reads. NULL: nothing. */
int check_overwriting(session *s, const arguments *a, const char *input);
/* Whether the picture of --preview is to be a PNG; NULL: none is wanted. */
int check_preview(session *s, const char *preview);

/* A text file that gets its name when it is complete: begin, write to `stream`, end. */
typedef struct text_file {
    FILE *stream;
    const char *path;
    char temporary[4200];
} text_file;
int text_file_begin(session *s, text_file *file, const char *path);
int text_file_end(session *s, text_file *file);
int write_text_file(session *s, const char *path, const char *text, size_t size);

/* Makes a folder with its parents, unless it exists. */
int make_folder(session *s, const char *folder);

int path_ends_in(const char *path, const char *ending); /* ignoring case */
/* Whether a name stands for a numbered sequence: frame_####.obj, frame_%04d.obj. */
int path_is_pattern(const char *path);
/* One file of a sequence; the pattern has hashes. */
void path_of_number(const char *pattern, long number, char *out, size_t size);
int path_is_cache(const char *path); /* .pc2, .mdd: positions without a mesh */
int path_is_gltf(const char *path);

/* Whether a file of this format and name always holds a motion, or can hold one. */
int format_is_motion(ruga_format format, const char *path);
int format_may_be_motion(ruga_format format, const char *path);
/* A cache has no faces, so "flag.obj" is written beside "flag.pc2". Other formats: nothing. */
int write_mesh_beside_cache(session *s, const ruga_mesh *mesh, const char *path, const ruga_file_def *def);

#endif
