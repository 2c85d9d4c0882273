/* Commands that add one detail to anything that moves, frame by frame: `ruga wrinkle`, `ruga shell`. */
#ifndef CLI_LAYER_H
#define CLI_LAYER_H

#include "field_options.h"
#include "frames.h"
#include "scenes.h"

/* Rows of their options. */
#define LAYER_OUTPUT_ROWS                                                                                          \
    FRAMES_OUTPUT_ROW(                                                                                             \
        "FILE",                                                                                                    \
        "an animated .glb, .gltf or .usda, a .pc2 or .mdd with the mesh as .obj beside it, or a sequence such as " \
        "frame_####.obj; for a single frame, any mesh format"),                                                    \
        FORMAT_ROW, UNIT_ROW("out-unit", "output"), UP_ROW("out-up", "output"), BARE_ROW

/* Adds the options that both have, after those of the detail. */
void layer_add_options(option_list *list);

/* The state of one call. Zeros, but for the first two. */
typedef struct layer {
    const arguments *arguments;
    const char *name; /* of the command */
    const char *out;
    const char *shown; /* name of the output in reports; NULL: out */
    ruga_file_def write;
    int still;          /* write a mesh, no motion */
    const char *origin; /* glTF file to write into instead of the body's own; NULL: that */
    const char *delta;  /* file for the body itself, moved to its vertices in the fine mesh; NULL: none */
    ruga_motion_writer *delta_writer;
    subject body;
    frame_reader reader;           /* of the body */
    size_t first, count;           /* frames */
    ruga_description *description; /* one object "body", animated, with one detail; the command fills it */
    ruga_list details;             /* of the object, instead of the description's, unless it is empty */
    ruga_motion *current;          /* the body's current frame at any time */
    ruga_scene *scene;
    const ruga_mesh *fine;
    double first_seconds, seconds; /* until the first frame; of all others */
} layer;

/* In this order; each returns an exit code. */
int layer_read_words(session *s, layer *w);
int layer_open_body(session *s, layer *w);
int layer_make_frames(session *s, layer *w);

double layer_frame_milliseconds(const layer *w);
void layer_put_report(const layer *w, ruga_json_writer *json);
void layer_put_bad_frames(const layer *w, ruga_json_writer *json);
void layer_print_times(session *s, const layer *w);

void layer_release(layer *w);

#endif
