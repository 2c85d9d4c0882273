/* Frames: what all commands that work frame by frame share.
 *
 * A subject is a mesh with its motion, from a file, from a mesh and a cache, or from a run. A timeline has the times
 * of its frames. One loop (frames_each) shows the progress and stops at Ctrl-C. Its frames become a motion file
 * (frames_write) or a film (frames_film), or the caller's function uses them (statistics, the steps of a run).
 */
#ifndef CLI_FRAMES_H
#define CLI_FRAMES_H

#include "files.h"

/* --cache: the motion of a mesh; --frame, --time: a single moment of it. */
extern const option moment_options[3];
/* --rate, --start: for caches and sequences without their own; --animation: of a glTF file with several. */
extern const option motion_options[3];

/* Rows of the option tables of several commands. */
#define FRAMES_ROW(help_) SPAN_ROW("frames", "A:B", help_)
#define CACHE_ROW(whose_)                                                   \
    TEXT_ROW("cache", "FILE",                                               \
             "the motion of " whose_                                        \
             ", if its own file has none: a PC2 or MDD cache, an animated " \
             "glTF, a sequence such as frame_####.obj, or a run")
#define SKIP_BAD_ROW                                                                                               \
    FLAG_ROW("skip-bad", 0,                                                                                        \
             "replace frames that can't be read, or have vertices that are not finite, by the last good one, and " \
             "list them")

/* ---- Moments: positions of a mesh at a time. */
typedef struct moment {
    ruga_frame frame;
    ruga_vec3 *positions; /* (vertices) m, of the frame */
} moment;
int moment_create(session *s, const ruga_mesh *mesh, moment *out);
int moment_sample(session *s, ruga_motion *motion, double time, moment *m);
void moment_release(moment *m);

/* ---- Subjects. */
/* The mesh itself, or an obstacle of a run. */
typedef enum subject_role {
    SUBJECT_OBJECT = 0,
    SUBJECT_ROUND, /* a collider with a smooth surface */
    SUBJECT_FLAT,  /* a collider with edges */
    SUBJECT_PLANE  /* an infinite collider: cameras ignore its extent */
} subject_role;

typedef struct subject {
    const char *path;        /* its file, or `label` */
    const char *motion_path; /* the file of its motion; the same as `path` unless --cache was given */
    char label[128];         /* name of an object or collider of a run */
    const char *mesh_name;   /* which mesh of its file, instead of --mesh; NULL: that */
    const char *word;        /* the word of the command line that named it */
    size_t number;           /* among the subjects of its word */
    int in_run;              /* comes from a run */
    int is_body;             /* an object of a run that no force moves, beside others that forces do */
    subject_role role;
    ruga_finish finish;  /* that its scene's material suggests */
    int is_creased;      /* its scene creases it: sharp along edges that the rest mesh does not show */
    ruga_vec3 normal;    /* of a plane, to its free side */
    ruga_mesh *mesh;     /* at rest */
    ruga_motion *motion; /* NULL: static */
    moment current;      /* the frame at hand */
    double *values;      /* a coordinate shown in colours; NULL: an attribute, or nothing */
    /* Of a run that wrote each frame as a mesh, whose number of vertices may change. */
    char *frame_files;       /* their pattern, "dir/sheet.####.obj"; NULL: frames are those of one mesh */
    ruga_file_def frame_def; /* how they are read */
    int first_frame;         /* number of the first */
    int changes;             /* they have: `mesh` is that of the current frame */
    ruga_mesh *first_mesh;   /* after a change: that of the motion */
} subject;

/* A mesh with its motion: that at `cache` or, if NULL, the one in its own file. Release it, also after a failure. */
int subject_read(session *s, const arguments *a, const char *path, const char *cache, subject *out);
/* Takes another mesh with the same vertices, whose owner it becomes. */
int subject_replace_mesh(session *s, subject *who, ruga_mesh *mesh);
void subject_release(subject *who);
/* Positions at a time, s; a static subject keeps those at rest. One with frame_files may get another mesh. */
int subject_move(session *s, subject *who, double time);
const ruga_vec3 *subject_positions(const subject *who); /* (vertices) current, at rest if static */
/* Refuses a subject without faces; `purpose` ends the message, such as ", so nothing can intersect". */
int subject_check_faces(session *s, const subject *who, const char *purpose);
/* Refuses to write over the files that it was read from, such as those of a run. */
int subject_check_overwriting(session *s, const arguments *a, const subject *who);

/* ---- Timelines: the times of frames. */
typedef struct timeline {
    double start, rate;         /* s; frames a second */
    size_t count;               /* frames */
    const ruga_motion *samples; /* frames are the stored samples of this motion; NULL: evenly spaced by the rate */
} timeline;

/* --rate, else the motion's own, else 24; motion NULL: none. */
double frame_rate(const arguments *a, const ruga_motion *motion);
/* Says so if neither the motion nor --rate gives a frame rate. */
void note_missing_rate(session *s, const arguments *a, const ruga_motion *motion, const char *motion_path);
timeline timeline_at_rate(const ruga_motion *motion, double rate);
/* The stored samples if there are any and they are even (or may be uneven), else moments at the rate. */
timeline timeline_of_samples(const arguments *a, const ruga_motion *motion, int may_be_uneven);
double timeline_time(const timeline *t, size_t frame);
/* The frames that an option names, --frames A:B or --frame F with a whole number; all if it is not given. */
int timeline_choose(session *s, const arguments *a, const timeline *t, const char *motion_path, const char *name,
                    size_t *first, size_t *count);
/* The time that --time or --frame name, else the start. */
int timeline_moment(session *s, const arguments *a, const timeline *t, double *out);

/* ---- The loop. Calls `make` for the frames `from` to count - 1; the progress bar shows "doing 3 of 48". */
typedef int frame_function(session *s, void *user, size_t frame);
int frames_each(session *s, const char *doing, size_t from, size_t count, frame_function *make, void *user);

/* Writes frames to a motion file or a sequence. `make` fills a frame. */
typedef int frame_maker(session *s, void *user, size_t frame, ruga_frame *out);
typedef struct frame_source {
    const ruga_mesh *mesh;
    const char *doing;
    size_t count;    /* frames */
    int mesh_beside; /* also write the mesh beside a cache, which has no faces */
    frame_maker *make;
    void *user;
} frame_source;
int frames_write(session *s, const frame_source *source, const char *path, const ruga_file_def *def);
/* The same for a motion over a timeline; sets rate and start of the def. */
int motion_write(session *s, const ruga_mesh *mesh, ruga_motion *motion, const timeline *t, const char *doing,
                 const char *path, ruga_file_def *def);

/* Renders frames into a film. `make` gives an image, which is destroyed afterwards. */
typedef int image_maker(session *s, void *user, size_t frame, ruga_image **out);
int frames_film(session *s, const char *doing, size_t count, double rate, image_maker *make, void *user,
                const char *path);

/* ---- Motions with bad frames: a reader that can hold the last good one. */
typedef struct frame_reader {
    subject *who;
    timeline times;
    ruga_vec3 *spare; /* (vertices) the next frame */
    int hold_bad;     /* --skip-bad */
    size_t held;      /* frame in who->current; SIZE_MAX: none yet */
    size_t *bad;      /* (bad_count) frames that were replaced */
    size_t bad_count;
} frame_reader;
/* The subject has a motion. Release the reader, also after a failure. */
int frame_reader_open(session *s, const arguments *a, subject *who, frame_reader *out);
void frame_reader_release(frame_reader *r);
/* Moves the subject to a frame. A bad frame is an error, or with `hold_bad` a note, and the last good frame stays;
 * before the first good frame, the next good one is used. */
int frame_reader_move(session *s, frame_reader *r, size_t frame);

#endif
