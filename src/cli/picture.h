/* Pictures from the command line: meshes with their looks and motions, arranged in panels, as a still or a film. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "files.h"

enum { MAX_SUBJECTS = 64 };

/* What a subject is: the thing itself, or what it meets. */
typedef enum subject_role {
    SUBJECT_OBJECT = 0,
    SUBJECT_ROUND, /* a collider with a smooth surface */
    SUBJECT_FLAT,  /* one with edges */
    SUBJECT_PLANE  /* one without end, which no view has to hold */
} subject_role;

/* One mesh of a picture. */
typedef struct subject {
    const char *path; /* its file, or `label` */
    char label[128];  /* of what is not a file of its own */
    const char *word; /* of the command line that it comes from, which has a panel when they stand side by side */
    size_t number;    /* among those of its word */
    int in_run;       /* it comes from a run */
    subject_role role;
    ruga_vec3 normal; /* of a plane, to its free side */
    ruga_mesh *mesh;
    ruga_motion *motion; /* NULL: at rest */
    moment present;
    double *values; /* a coordinate shown in colours, NULL if an attribute or nothing is */
} subject;

typedef struct picture {
    int holds_run; /* then one camera holds all its frames, for stills too */
    size_t subject_count;
    subject subjects[MAX_SUBJECTS];
    ruga_render_mesh looks[MAX_SUBJECTS]; /* of the subjects */
    char captions[MAX_SUBJECTS][256];
    ruga_panel panels[MAX_SUBJECTS];
    ruga_render_def def;
} picture;

/* The options of a picture's looks; `ruga render` adds its own about files. */
extern const option look_options[];
extern const size_t look_option_count;
extern const option camera_options[];
extern const size_t camera_option_count;
extern const option image_options[];
extern const size_t image_option_count;

/* A further subject from a word of the command line, under a name that is copied; the caller gives it a mesh. */
int picture_add(session *s, picture *p, const char *word, const char *label, subject **out);

/* A mesh as a further subject, with its motion: that at `cache`, else (NULL) its own, if it has one. */
int picture_read(session *s, const arguments *a, const char *path, const char *cache, picture *p);

/* The first motion rules the times; NULL: nothing moves. And the rate of its frames: --rate, else its own, else 24. */
const subject *picture_first_moving(const picture *p);
double picture_rate(const arguments *a, const picture *p);
/* Brings all that moves to a time, s. */
int picture_move(session *s, picture *p, double time);

/* Size, quality and camera, by image_options and camera_options. */
int picture_arrange_image(session *s, const arguments *a, ruga_render_def *def, ruga_camera *camera);
/* Fills looks, panels and def by the options above; subjects are there with their meshes. */
int picture_arrange(session *s, const arguments *a, picture *p);
void picture_release(picture *p);

/* Whether a name is a film's: .mp4, .gif, or a pattern of pictures. */
int path_is_film(const char *path);

/* The box of the subjects of a word (NULL: of all) at all moments, m. */
int picture_bounds(session *s, picture *p, const char *word, ruga_vec3 *low, ruga_vec3 *high);

/* A camera that holds the subjects over all their motions, so that a film does not jitter. Turning: from all sides. */
int picture_film_camera(session *s, picture *p, int turning, ruga_camera *camera);
/* One ground for all moments: what leaps leaves it. */
int picture_hold_ground(session *s, picture *p);

#endif
