/* The demo: pictures with one page that shows them all.
 *
 * Each tool has a section: a table of items, each with a function that renders its files. To add pictures, write such a
 * table in demo_<tool>.c and list its section in demo_sections (command_demo.c); command, page and tests follow.
 * An item takes at most 30 s on two cores; a longer one is marked and runs with --all or by its name only.
 */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include "files.h"

enum { DEMO_MAX_FILES = 4, DEMO_MAX_ITEMS = 128 };

typedef struct demo {
    session *s;
    const char *folder;
    int draft; /* small, quick pictures and films of a few frames */
} demo;

typedef struct demo_item {
    const char *name; /* as in `ruga demo NAME` */
    const char *title;
    const char *caption;  /* plain text */
    const char *commands; /* the command lines that make the like, one a line; NULL: `ruga demo NAME` alone */
    const char *contact;  /* the run whose intersections the caption tells; NULL: none */
    const char
        *files[DEMO_MAX_FILES]; /* what it renders: .png, .svg, .mp4 (a .png stands in where there is no ffmpeg) */
    int wide;                   /* takes a whole row of the page */
    int is_long;
    int (*make)(demo *d); /* returns an exit code */
} demo_item;

typedef struct demo_section {
    const char *name; /* anchor on the page */
    const char *title;
    const char *about;
    const demo_item *items;
    size_t item_count;
} demo_section;

extern const demo_section *const demo_sections[]; /* NULL-terminated */
extern const demo_section demo_scenes, demo_cloth, demo_contact, demo_wrinkle, demo_sculpt, demo_meshes, demo_pictures,
    demo_motion;
int demo_make_plot(demo *d); /* an item of the pictures */
/* What a run in the folder measured of its contact, in a sentence; empty when it is not there. */
int demo_tell_contact(demo *d, const char *run, char *text, size_t size);

/* ---- For items. */
/* The path of a file in the demo's folder; in one of four rotating buffers. */
const char *demo_path(const demo *d, const char *file);
/* Renders a picture into a file of the folder. */
int demo_still(demo *d, const ruga_render_def *def, const char *file);

/* A film: turn(user, frame, def) sets up each frame. Without ffmpeg the first frame is written as a .png instead. */
typedef int demo_frame_function(void *user, size_t frame, ruga_render_def *def);
int demo_film(demo *d, const char *file, size_t frames, double rate, ruga_render_def *def, demo_frame_function *set_up,
              void *user);

/* A model with some parameters by name; the list ends with a NULL name. */
typedef struct demo_parameter {
    const char *name;
    double value;
} demo_parameter;
int demo_model(demo *d, const char *model, const demo_parameter *parameters, ruga_mesh **out);
int demo_mesh(demo *d, const ruga_vec3 *points, size_t point_count, const uint32_t *sizes, const uint32_t *vertices,
              size_t face_count, ruga_mesh **out); /* sizes NULL: triangles */

/* Runs command lines, "ruga …" one a line, in the demo's folder: items whose commands are what they are made by. */
int demo_commands(demo *d, const char *lines);

/* Looks that the pictures share. */
ruga_render_def demo_def(int width, int height, const ruga_panel *panels, size_t panel_count, int columns);
ruga_render_def demo_film_def(const ruga_panel *panel); /* one panel, quick enough for many frames */
ruga_render_mesh demo_wire(const ruga_mesh *mesh);
ruga_camera demo_camera(double azimuth, double elevation);
ruga_camera demo_eye(ruga_vec3 eye, ruga_vec3 target, double fov);
void demo_colour_cloth(ruga_render_mesh *look);
/* Writes a plot into the folder; svg NULL: as a picture alone. */
int demo_write_plot(demo *d, const ruga_plot_def *def, const char *png, const char *svg);
/* The exit code of a status of the library. */
int demo_failed(demo *d, ruga_status status);

/* Of the films that command lines make. */
#define DEMO_FILM " --width 720 --height 405 --samples 2 --occlusion 6"

/* ---- The page: every item whose files are there. seconds: (items in the order of the sections) 0 where not made now. */
int demo_write_page(demo *d, const double *seconds);
/* The file of an item as it is in the folder (a still may stand in for a film); NULL if it is not there. */
const char *demo_existing(const demo *d, const char *file);

#endif
