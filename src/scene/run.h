/* The inside of a run.
 *
 *     plan           who runs what, and which files there are: run.json (run_plan.c)
 *     table          timings.csv and measures.csv (run_table.c)
 *     checkpoint     the state after a frame, and how long the tables were (run_checkpoint.c)
 *     output         frames into caches, sequences and tables; cut back, flushed, assembled (run_output.c)
 *     inputs         the files that the scene is made from, and whether they are the same (run_inputs.c)
 *     contact        what intersects at the start, and what contact told of every frame (run_contact.c)
 *     run            the order of all that (run.c); record: reading it again (run_record.c)
 *
 * Stopping at any moment. Until run.json has its name there is no run; from then on its files are made. Caches and tables
 * only grow, and each frame is handed over to the system before the next is (large ones by a thread of their own, while the
 * next is computed). A checkpoint replaces the former as a whole, after all that it counts on. On resuming everything is cut back to it and goes on to the same bits. Without a
 * checkpoint the run starts anew.
 *
 * Power cuts. Waiting for the disk takes far longer than a small run does, so it is done only where enough work is at
 * stake to pay for it (output_flush_is_due). A checkpoint that is not flushed stands beside the last flushed one,
 * and is used only if the files are as long as it says.
 */
#ifndef SCENE_RUN_H
#define SCENE_RUN_H

#include "base/file.h"
#include "base/memory.h"
#include "ruga/run.h"

#define RUN_PATH_CAPACITY 4096
#define RUN_MEASURE_CAPACITY 256 /* bytes of a measure's name */
#define START_PICTURE "start-intersections.png"

/* ---- The plan: run.json. */
typedef struct run_plan_object {
    const char *name;
    const char *stem; /* of its files: the name, where a file may be called so */
} run_plan_object;

typedef struct run_input {
    const char *path; /* absolute */
    uint64_t hash;    /* of what is in it */
} run_input;

typedef struct run_plan {
    ruga_context *context;
    arena memory; /* all texts */
    const char *directory;
    const char *version, *isa;
    int threads;
    double fps, unit;
    int up; /* ruga_axis */
    int start_frame, frames;
    uint32_t formats;    /* bit i: ruga_output_format i */
    uint64_t scene_hash; /* of scene.json */
    size_t object_count;
    run_plan_object *objects;
    size_t input_count;
    run_input *inputs; /* by rising path; NULL: not known, as of a run that an older version began */
    int complete;
} run_plan;

/* A plan of one's own for a scene that was made from a def. */
ruga_status plan_make(ruga_context *context, const char *directory, const ruga_scene_def *def, const ruga_scene *scene,
                      uint64_t scene_hash, run_plan **out);
/* That of a directory. RUGA_ERROR_INPUT when there is none, or it is broken. */
ruga_status plan_read(ruga_context *context, const char *directory, run_plan **out);
ruga_status plan_write(const run_plan *plan, int flush);
void plan_destroy(run_plan *plan); /* NULL is fine */

/* Whether frames go through a cache that grows: PC2 itself, or what GLB and USD are assembled from. */
int plan_has_cache(const run_plan *plan);
int plan_has(const run_plan *plan, ruga_output_format format);

/* Paths of a plan's files. */
typedef char run_path[RUN_PATH_CAPACITY];
void plan_path(const run_plan *plan, const char *name, run_path path);
void plan_object_path(const run_plan *plan, size_t object, const char *ending, run_path path); /* ".obj" */
void plan_cache_path(const run_plan *plan, size_t object, run_path path);                      /* growing */
void plan_frame_path(const run_plan *plan, size_t object, int frame, const char *ending, run_path path);

/* Whether a name within the directory is that of a file of the plan, or of one on its way to become it. */
typedef enum plan_owned { PLAN_OTHERS = 0, PLAN_FILE, PLAN_TEMPORARY } plan_owned;
plan_owned plan_owns(const run_plan *plan, const char *name);
/* Removes files of the plan from the directory: all, run.json last, or only those that are temporary. */
ruga_status plan_remove_files(const run_plan *plan, plan_owned at_least);
/* Fails when a file of the plan is in the directory already, except scene.json with this very text. */
ruga_status plan_check_free(const run_plan *plan, const char *scene_text, size_t scene_size);

/* A whole file at once. */
ruga_status run_write_file(ruga_context *context, const char *path, const void *bytes, size_t size, int flush);

/* ---- Inputs. */
typedef struct run_inputs {
    arena memory;
    const char *present_folder;
    ARRAY(run_input) files;
    ruga_status status;
} run_inputs;

/* Makes a scene, and tells which files that took. */
ruga_status inputs_create_scene(ruga_context *context, const ruga_scene_def *def, run_inputs *inputs, ruga_scene **out);
void inputs_release(run_inputs *inputs); /* all zero is fine */
/* Fails when they are not what the run began with. */
ruga_status inputs_compare(const run_inputs *inputs, const run_plan *plan);

/* ---- Tables: a line of names, then a line a frame, whose number comes first. */
typedef struct run_table {
    size_t column_count; /* without the frame's number */
    ruga_measure *columns;
    size_t row_count;
    double *values; /* (row_count x column_count) */
} run_table;

/* Whole lines only: half a line at the end is one that is being written. Rows have to be start_frame, start_frame + 1, …
 * A file that is not there is an empty table. Texts and columns go to the arena, values to the context's memory. */
ruga_status table_read(ruga_context *context, const char *path, int start_frame, int is_time, arena *memory,
                       run_table *out);
ruga_status table_write_names(file *f, const ruga_measure *columns, size_t count);
ruga_status table_write_row(file *f, int frame, const double *values, size_t count);

/* ---- Checkpoints. */
typedef struct checkpoint {
    int frames; /* done */
    uint64_t timings_size, measures_size;
    unsigned char *bytes; /* of the whole file; NULL: there is no checkpoint */
    const void *scene;    /* the scene's state, within bytes */
    size_t scene_size;
} checkpoint;

/* beside: it does not replace the last that was flushed. */
ruga_status checkpoint_write(const run_plan *plan, const checkpoint *c, const ruga_scene *scene, int flush, int beside,
                             uint64_t *size);
/* The newest in the directory that is whole, is of this run, and counts on no more than there is, as long_enough says;
 * others are removed. */
typedef ruga_status checkpoint_check(void *user, const checkpoint *c, int *answer);
ruga_status checkpoint_read(const run_plan *plan, checkpoint_check *long_enough, void *user, checkpoint *out);
void checkpoint_release(ruga_context *context, checkpoint *c);

/* ---- Output. */

/* What depends on the machine, and tests want otherwise. */
typedef struct run_habits {
    double flush_after; /* s of work at stake before the disk is waited for; 0: at every checkpoint */
    size_t
        background_size; /* bytes of a frame in caches from which on they are written beside the next step; 0: always */
} run_habits;

typedef struct run_output {
    ruga_context *context;
    const run_plan *plan;
    const ruga_scene *scene;
    ruga_motion_writer **caches; /* (object_count), NULL where there are none */
    uint64_t *revisions;         /* (object_count) of the meshes that the caches are of */
    file *timings, *measures, *log;
    ruga_measure *columns; /* of the scene, and the time it took to write */
    double *values;        /* (column_count) */
    size_t column_count, time_count;
    run_habits habits;
    struct background *background; /* writes the last frame; NULL: it is written at once */
    int frame;                     /* number of the frame being written */
    double write_seconds;          /* that it took so far */
    double flushed_at;             /* by the timer: when it was last flushed, or began */
    int flushed_frames;            /* whose sequence files are on the disk */
    int begin_is_flushed;          /* what is written once, before the first frame */
    int has_checkpoint;            /* one that may have been flushed */
    uint64_t unflushed_size;       /* bytes, about */
} run_output;

/* Opens all files, cut back to a checkpoint; NULL: all anew. */
ruga_status output_open(run_output *output, const checkpoint *from);
void output_close(run_output *output);
ruga_status output_open_log(run_output *output);
/* One line with the time before it. Failing to write it is remembered by the log. */
void output_log(run_output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The scene's present frame. A failure to write it may be told by the next call. */
ruga_status output_write_frame(run_output *output);
ruga_status output_checkpoint(run_output *output, int frames);
/* After the last frame: a run of which some is on the disk for sure is not called complete before all of it is. */
ruga_status output_flush_rest(run_output *output);
/* GLB and USD from the caches, which then get their names. */
ruga_status output_assemble(run_output *output);
ruga_status output_remove_working_files(const run_plan *plan);
/* Whether the files are as long as a checkpoint counts on. */
ruga_status output_is_long_enough(void *user, const checkpoint *c, int *answer);

/* ---- Contact. */

/* Objects of a new run that intersect before its first frame: draws them, and fails when the scene does not want to go on. What
 * is to be told of it stays in `remark`, "" when there is nothing. */
typedef char run_remark[1024];
ruga_status contact_look_at_start(const run_plan *plan, const ruga_contact_def *def, ruga_scene *scene,
                                  run_remark remark);
/* What contact told of the frame that was written last, into the log. */
void contact_log_frame(run_output *output);
/* At the end: a warning about all frames in which it told something. */
ruga_status contact_sum_up(run_output *output);

/* ---- The run. */
struct ruga_run {
    ruga_context *context;
    run_plan *plan;
    file_lock *lock;
    ruga_description *description; /* of a resumed one */
    ruga_scene *scene;
    run_inputs inputs;
    run_output output;
    int checkpoint_every; /* frames; 0: only at the end */
    int frames_done;
    int frames_safe; /* of the last checkpoint; -1: none */
    int is_done;
    int is_stopped; /* by a failure: only destroying is left */
    double begin;   /* by the timer */
    double frame_seconds;
    void *whole_frame; /* the state before a long step, so that cancelling it loses nothing */
    size_t whole_frame_size;
    int cancel_wanted;
    ruga_context_def outside; /* the caller's callbacks while the run has put its own there */
};

/* Whether a process works in a directory, and its number; 0: unknown. */
int run_is_held(ruga_context *context, const char *directory, long *process);

/* As ruga_run_create and ruga_run_resume, with habits of one's own. */
ruga_status run_create(ruga_context *context, const ruga_description *description, const char *directory, int replace,
                       const run_habits *habits, ruga_run **out);
ruga_status run_resume(ruga_context *context, const char *directory, const run_habits *habits, ruga_run **out);

#endif
