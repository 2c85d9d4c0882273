/* The demo: pictures and films of all tools, with one page that shows them.
 *
 * Each tool has a section: a table of items, each with a function that renders its files. To add pictures, write such a
 * table in section_<tool>.c and list its section in demo_sections (command.c); command, page and tests use the list.
 * An item takes at most 30 s on two cores; a longer one is marked and runs only with --all or by its name.
 */
#ifndef DEMO_H
#define DEMO_H

#include <stdio.h>

#include "cli/frames.h"
#include "cli/vectors.h"

enum { DEMO_MAX_FILES = 4, DEMO_MAX_ITEMS = 128, DEMO_MAX_KEPT = 128 };

typedef struct demo demo;

typedef struct demo_item {
    const char *name; /* as in `ruga demo NAME` */
    const char *title;
    const char *caption;               /* plain text */
    const char *commands;              /* command lines that make the same, one a line; NULL: `ruga demo NAME` */
    const char *contact;               /* the run whose intersections the page reports; NULL: none */
    const char *files[DEMO_MAX_FILES]; /* .png, .svg, .mp4 (without ffmpeg, a .png replaces it) */
    int half;                          /* takes half a row of the page */
    int is_long;
    unsigned plots;       /* bit i: its file i is a plot, which is inverted on a dark page */
    int film_now;         /* its film is made at once; films of others wait for --all or the item's name */
    int view;             /* the last panel of its still can be turned on the page */
    const void *data;     /* for `make` */
    int (*make)(demo *d); /* returns an exit code; NULL: runs the commands */
} demo_item;

typedef struct demo_section {
    const char *name; /* anchor on the page */
    const char *title;
    const char *about;
    const demo_item *items;
    size_t item_count;
    int second; /* stands on the second page */
} demo_section;

extern const demo_section *const demo_sections[]; /* NULL-terminated */
extern const demo_section demo_stacks, demo_scenes, demo_cloth, demo_contact, demo_crease, demo_shell, demo_flesh,
    demo_wrinkle, demo_sculpt, demo_meshes, demo_pictures, demo_motion;

/* The kinds of objects that an item can leave to the demo, which destroys them after the item. */
typedef enum demo_kind {
    DEMO_MEMORY,
    DEMO_MESH,
    DEMO_MOTION,
    DEMO_SCENE,
    DEMO_CURVE,
    DEMO_SCULPT,
    DEMO_STROKES,
    DEMO_WRINKLE_MESH,
    DEMO_SHELL,
    DEMO_MAP,
    DEMO_PICTURE
} demo_kind;

struct demo {
    session *s;
    const char *folder;
    int draft;                      /* small, quick pictures and films of a few frames */
    int all_films;                  /* of all items that are made */
    const struct demo_state *state; /* of the pages; NULL: they are not written */
    const demo_item *item;          /* that is made */
    size_t kept_count;
    struct {
        demo_kind kind;
        void *object;
    } kept[DEMO_MAX_KEPT];
};

/* ---- Objects of an item. */
/* Leaves an object to the demo; it is destroyed at once if there is no room. NULL is fine. */
int demo_keep(demo *d, demo_kind kind, void *object);
void demo_release(demo *d); /* all of them, the last first */
/* Memory, zeroed; a mesh's moment. */
void *demo_allocate(demo *d, size_t count, size_t size);
#define DEMO_NEW(d, pointer, count) \
    ((pointer) = demo_allocate(d, count, sizeof *(pointer)), (pointer) ? 0 : session_no_memory((d)->s))
int demo_moment(demo *d, const ruga_mesh *mesh, moment *out);

/* A model with some parameters by name; the list ends with a NULL name. */
typedef struct demo_parameter {
    const char *name;
    double value;
} demo_parameter;
int demo_model(demo *d, const char *model, const demo_parameter *parameters, ruga_mesh **out);
int demo_mesh(demo *d, const ruga_vec3 *points, size_t point_count, const uint32_t *sizes, const uint32_t *vertices,
              size_t face_count, ruga_mesh **out); /* sizes NULL: triangles */
/* The exit code of a status of the library. */
int demo_code(demo *d, ruga_status status);

/* ---- Files. */
/* The path of a file in the demo's folder; in one of four rotating buffers. */
const char *demo_path(const demo *d, const char *file);
/* The file of an item, or the .png that replaces a film; NULL if neither exists. */
const char *demo_existing(const demo *d, const char *file);
/* Runs command lines, "ruga …" one a line, in the demo's folder. */
int demo_commands(demo *d, const char *lines);
/* The films of such command lines. */
#define DEMO_FILM " --width 1280 --height 720 --samples 2 --occlusion 4"

/* Renders a picture. */
int demo_still(demo *d, const ruga_render_def *def, const char *file);
/* Renders a film of 1280 x 720; set_up(user, frame, def) prepares each frame. A film of less than four seconds begins
 * again, returns to its first picture and begins again, or its first and last pictures stay. Where no film is made, its
 * first frame as a .png. */
typedef int demo_frame_function(void *user, size_t frame, ruga_render_def *def);
typedef enum demo_course { FILM_HOLDS, FILM_BEGINS_AGAIN, FILM_RETURNS } demo_course;
typedef struct demo_film_def {
    const char *file;
    size_t frames;
    demo_course course;
    const ruga_panel *panels; /* for the time being: set_up may replace them */
    size_t panel_count;
    int ground; /* a floor at the height 0 */
    demo_frame_function *set_up;
    void *user;
} demo_film_def;
int demo_film(demo *d, const demo_film_def *film);
int demo_has_films(demo *d); /* whether ffmpeg is installed, and the item's film is wanted now */
/* NAME-poster.png for NAME.mp4: a picture of the film for the page; in one of four rotating buffers. */
const char *demo_poster(const char *file);
/* A plot of series; title NULL: none. And writing it; svg NULL: as a picture only. */
ruga_plot_def demo_plot(const char *title, const char *x_label, const char *y_label, const ruga_plot_series *series,
                        size_t count);
int demo_write_plot(demo *d, const ruga_plot_def *def, const char *png, const char *svg);

/* ---- Looks. */
ruga_render_def demo_def(int width, int height, const ruga_panel *panels, size_t panel_count, int columns);
ruga_render_mesh demo_wire(const ruga_mesh *mesh);
ruga_camera demo_camera(double azimuth, double elevation);
ruga_camera demo_eye(ruga_vec3 eye, ruga_vec3 target, double fov);
void demo_colour_cloth(ruga_render_mesh *look);
extern const ruga_colour demo_skin;

/* Panels with one mesh each. */
enum { GALLERY_PANELS = 16, GALLERY_CURVES = 16 };
typedef struct gallery {
    size_t count;
    ruga_render_mesh looks[GALLERY_PANELS];
    ruga_render_curve curves[GALLERY_PANELS][GALLERY_CURVES];
    ruga_panel panels[GALLERY_PANELS]; /* refer to looks and curves */
} gallery;
/* Adds a panel, without curves, and returns it for changes. */
ruga_panel *gallery_add(gallery *g, const char *caption, ruga_render_mesh look, ruga_camera camera);

/* ---- The pages: every item whose files exist, on index.html and more.html; the papers' figures on gallery.html. */
typedef struct demo_state demo_state;
struct demo_state {
    const double *seconds; /* of the items in the order of the sections, 0 if not made now */
    size_t made, wanted;   /* while made < wanted, the pages say so and load themselves again */
    int failed;            /* they are as they will stay */
};
int demo_write_pages(demo *d, const demo_state *state);
int demo_write_gallery(demo *d);
int demo_has_item(const demo *d, const demo_item *item); /* whether all its files exist */
/* Writes the meshes of a panel to NAME.view.js, for the page's 3D view; nothing if there are too many triangles. */
int demo_write_view(demo *d, const char *name, const ruga_panel *panel);
/* Pieces of a page. */
void page_begin(FILE *page, const char *title, int reloads);
void page_escaped(FILE *page, const char *text);
void page_media(FILE *page, const demo *d, const demo_item *item, const char *file);
/* Results of the exact checks of a run in the folder; frames = 0 if there is no such run. */
typedef struct contact_record {
    int frames;
    double intersections, first, last; /* in all frames, in the first and in the last */
    double pinched;                    /* pairs */
} contact_record;
int demo_read_contact(demo *d, const char *run, contact_record *out);

#define DEMO_PI 3.14159265358979323846

#endif
