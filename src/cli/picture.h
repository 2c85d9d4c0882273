/* Pictures: subjects with their looks, arranged in panels, as a single picture or a film. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "frames.h"

enum { MAX_SUBJECTS = 64 };

typedef struct picture {
    size_t faceted; /* frames with a surface that could not be smoothed */
    int holds_run;  /* one camera then holds all frames, also for single pictures */
    size_t subject_count;
    subject subjects[MAX_SUBJECTS];
    ruga_render_mesh looks[MAX_SUBJECTS]; /* of the subjects */
    char captions[MAX_SUBJECTS][256];
    ruga_panel panels[MAX_SUBJECTS];
    ruga_render_def def;
    ruga_mesh *nothing; /* drawn instead of planes that are the picture's floor; NULL: there are none */
} picture;

/* The options of a picture; `ruga render` adds its own about files. */
extern const option look_options[15];
extern const option camera_options[6];
extern const option image_options[7];

/* Adds a subject from a word of the command line, with a label that is copied; the caller gives it a mesh. */
int picture_add(session *s, picture *p, const char *word, const char *label, subject **out);
/* Adds a mesh with its motion; see subject_read. */
int picture_read(session *s, const arguments *a, const char *path, const char *cache, picture *p);

/* The first subject that moves, whose motion decides the times; NULL: all are static. */
const subject *picture_first_moving(const picture *p);
/* Moves all subjects to a time, s. */
int picture_move(session *s, picture *p, double time);

/* Renders one picture and writes it as a PNG. */
int render_png(session *s, const ruga_render_def *def, const char *path);

/* The triangles of a mesh with marks[t] == mark as a mesh over `positions`; NULL if there are none. */
int pick_triangles(session *s, const ruga_mesh *mesh, const ruga_vec3 *positions, const uint8_t *marks, uint8_t mark,
                   ruga_mesh **out);

/* Size, quality and camera, by image_options and camera_options. */
int picture_arrange_image(session *s, const arguments *a, ruga_render_def *def, ruga_camera *camera);
/* Fills looks, panels and def by the options; the subjects have their meshes. */
int picture_arrange(session *s, const arguments *a, picture *p);
void picture_release(picture *p);

/* Whether a name is that of a film: .mp4, .gif, or a sequence of pictures. */
int path_is_film(const char *path);

/* The bounding box of the subjects of a word (NULL: of all) over their motions, m. */
int picture_bounds(session *s, picture *p, const char *word, ruga_vec3 *low, ruga_vec3 *high);

/* Gives each panel a camera that holds its subjects over their motions, so that a film does not jitter; if turning,
 * from all sides. The cameras are at one distance, and the panels' widths follow what they show. */
int picture_film_cameras(session *s, picture *p, int turning);
/* The same height of the ground for all frames. */
int picture_hold_ground(session *s, picture *p);

#endif
