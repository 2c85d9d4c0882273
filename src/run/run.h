/* The inside of a run.
 *
 *     plan            run.json: program, frames, objects, files (plan.c)
 *     table           timings.csv and measures.csv (table.c)
 *     sums            sizes and hashes of all files, and whether the files still have them (sums.c)
 *     checkpoint      the state after a frame, and the sums of the files (checkpoint.c)
 *     output          frames into caches, sequences and tables; cut back, flushed, assembled (output.c)
 *     inputs          the files that the scene reads, and whether they have changed (inputs.c)
 *     contact_report  intersections at the start, and problems of contact in every frame (contact_report.c)
 *     run             the order of all these (run.c)
 *     record          reading the files of a run (record.c, record_objects.c)
 *
 * A run can be stopped at any moment. It exists once run.json has its name; its other files are made after that. Caches
 * and tables only grow, and every frame is handed to the operating system before the next one; large frames by a
 * thread, while the next is computed. A checkpoint replaces the former one as a whole, after all files that it depends
 * on. Resuming cuts these files back to the checkpoint and continues with the same bits; without a checkpoint the run
 * starts again.
 *
 * Power cuts. Waiting for the disk takes far longer than a small run, so it is done only where enough work would be
 * lost (flush_is_due in output.c). A checkpoint that is not flushed stands beside the last flushed one. Either is used
 * only if all files have the bytes that they had at that frame, else the other one, else the run starts again.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/file.h"
#include "base/memory.h"
#include "ruga/run.h"

#define RUN_PATH_CAPACITY 4096
#define START_PICTURE "start-intersections.png"

/* ---- The plan: run.json. */
typedef struct run_plan_object {
    const char *name;
    const char *stem; /* of its files: the name, with '_' for characters that a file should not have */
} run_plan_object;

typedef struct run_input {
    const char *path; /* absolute */
    uint64_t hash;    /* of its content */
} run_input;

/* Of the bytes of a file, or of all files of a sequence. */
typedef struct run_sum {
    uint64_t size, hash;
} run_sum;

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
    run_input *inputs; /* sorted by path; NULL: unknown, in a run.json of an older version */
    int complete;
    const run_sum *sums; /* (sums_count) of a complete run; NULL: not complete, or made by an older version */
} run_plan;

/* Advice about a run that can't be continued: ends a message, with two arguments, both the directory. */
#define START_AGAIN "start again with: ruga run %s/scene.json -o %s --replace"

/* The plan of a new run. */
ruga_status plan_make(ruga_context *context, const char *directory, const ruga_scene_def *def, const ruga_scene *scene,
                      uint64_t scene_hash, run_plan **out);
/* The plan in a directory. RUGA_ERROR_INPUT if it has none, or a broken one. */
ruga_status plan_read(ruga_context *context, const char *directory, run_plan **out);
ruga_status plan_write(const run_plan *plan, int flush);
void plan_destroy(run_plan *plan); /* NULL is fine */

/* Whether frames go into a growing cache: PC2 itself, or the source of GLB and USD. */
int plan_has_cache(const run_plan *plan);
int plan_has(const run_plan *plan, ruga_output_format format);

/* Paths of a plan's files. */
typedef char run_path[RUN_PATH_CAPACITY];
void plan_path(const run_plan *plan, const char *name, run_path path);
void plan_object_path(const run_plan *plan, size_t object, const char *ending, run_path path); /* ".obj" */
void plan_cache_path(const run_plan *plan, size_t object, run_path path);                      /* growing */
void plan_frame_path(const run_plan *plan, size_t object, int frame, const char *ending, run_path path);

/* Whether a file of that name in the directory belongs to the run, or is a temporary that would become such a file. */
typedef enum plan_owned { PLAN_OTHERS = 0, PLAN_FILE, PLAN_TEMPORARY } plan_owned;
plan_owned plan_owns(const run_plan *plan, const char *name);
/* Removes files of the run from the directory: all, run.json last, or only temporary ones. */
ruga_status plan_remove_files(const run_plan *plan, plan_owned at_least);
/* Whether the directory's run.json is no file of ours, whole or broken; without that file it fails. */
ruga_status plan_is_foreign(ruga_context *context, const char *directory, int *foreign);
ruga_status plan_fail_foreign(ruga_context *context, const char *path);
/* Fails if a file of the run exists already, except scene.json with the same text and pictures of ours. */
ruga_status plan_check_free(const run_plan *plan, const char *scene_text, size_t scene_size);

/* A whole file at once. */
ruga_status run_write_file(ruga_context *context, const char *path, const void *bytes, size_t size, int flush);

/* ---- Sums: of the tables, then of each object. */
enum { SUM_TIMINGS, SUM_MEASURES, SUM_OBJECTS };
enum { SUM_MESH, SUM_CACHE, SUM_OBJ, SUM_PLY, SUM_GLB, SUM_USDA, OBJECT_SUMS };
size_t sums_count(const run_plan *plan);
size_t sums_of_object(size_t object, int kind); /* its place among all sums */
/* Ends a frame of a sequence, whose hash had `before` bytes at its begin. */
void sums_end_frame(rolling_hash *hash, uint64_t before);
/* Reads all files, up to the sizes of a checkpoint, and compares. hashes: (sums_count) to continue with, or NULL;
 * damaged: the first file that differs, a pattern for a sequence. */
ruga_status sums_compare(const run_plan *plan, const run_sum *wanted, int frames, int complete, rolling_hash *hashes,
                         run_path damaged, int *same);
/* Fails with RUGA_ERROR_INPUT if a file of a complete run differs. */
ruga_status sums_check_complete(const run_plan *plan);
/* Sets the plan's sums from the hashes of what was written, and of the files that were assembled at the end. */
ruga_status sums_complete(run_plan *plan, const rolling_hash *written);
/* The next file of a complete run from *sum on, for run.json. 0: no more. */
int sums_next_file(const run_plan *plan, size_t *sum, run_path path, const char **name);

/* ---- Inputs. */
typedef struct run_inputs {
    arena memory;
    const char *current_folder;
    ARRAY(run_input) files;
    ruga_status status;
} run_inputs;

/* Builds a scene and lists the files that it read. */
ruga_status inputs_create_scene(ruga_context *context, const ruga_description *description, run_inputs *inputs,
                                ruga_scene **out);
void inputs_release(run_inputs *inputs); /* all zero is fine */
/* Fails if they differ from those that the run started with. */
ruga_status inputs_compare(const run_inputs *inputs, const run_plan *plan);

/* ---- Tables: a line of names, then one line per frame, with its number first. */
typedef struct run_table {
    size_t column_count; /* without the frame's number */
    ruga_measure *columns;
    size_t row_count;
    double *values; /* (row_count x column_count) */
} run_table;

/* Reads complete lines; the last line may be in the process of being written. Rows must be start_frame, start_frame +
 * 1, … A missing file is an empty table. Names and columns are in the arena; release the values. */
ruga_status table_read(ruga_context *context, const char *path, int start_frame, int is_time, arena *memory,
                       run_table *out);
ruga_status table_write_names(file *f, const ruga_measure *columns, size_t count);
ruga_status table_write_row(file *f, int frame, const double *values, size_t count);

/* ---- Checkpoints. */
typedef struct checkpoint {
    int frames;           /* done */
    const run_sum *sums;  /* (sums_count) of the files at that frame; read: within bytes */
    unsigned char *bytes; /* of the whole file; NULL: there is no checkpoint */
    const void *scene;    /* the scene's state, within bytes */
    size_t scene_size;
} checkpoint;

/* beside: do not replace the last flushed checkpoint. */
ruga_status checkpoint_write(const run_plan *plan, const checkpoint *c, const ruga_scene *scene, int flush, int beside,
                             uint64_t *size);
/* The newest checkpoint that is complete, belongs to this run, and whose files are as they were; warns about others
 * and, with `remove`, removes them: their files will be written again. hashes: of the files, (sums_count), all zero
 * without a checkpoint; NULL: files are not compared. */
ruga_status checkpoint_read(const run_plan *plan, int remove, rolling_hash *hashes, checkpoint *out);
void checkpoint_release(ruga_context *context, checkpoint *c);

/* ---- Output. */

/* Depends on the machine; tests choose other values. */
typedef struct run_habits {
    double flush_after; /* s of work before waiting for the disk; 0: at every checkpoint */
    size_t
        background_size; /* bytes of a frame in caches: larger frames are written while the next is computed; 0: all */
} run_habits;

typedef struct run_output {
    ruga_context *context;
    const run_plan *plan;
    const ruga_scene *scene;
    ruga_motion_writer **caches; /* (object_count), NULL where there are none */
    uint64_t *revisions;         /* (object_count) of the meshes of the caches */
    rolling_hash *hashes;        /* (sums_count) of the bytes that were written */
    file *timings, *measures, *log;
    ruga_measure *columns; /* of the scene, and the time of writing */
    double *values;        /* (column_count) */
    size_t column_count, time_count;
    run_habits habits;
    struct background *background; /* writes the last frame; NULL: no thread for that */
    int frame;                     /* number of the frame being written */
    double write_seconds;          /* of that frame so far */
    double flushed_at;             /* time of the last flush, or of the start */
    int flushed_frames;            /* frames whose sequence files are on the disk */
    int start_is_flushed;          /* files that are written once, before the first frame */
    int has_checkpoint;            /* one that may have been flushed */
    uint64_t unflushed_size;       /* bytes, about */
} run_output;

/* Opens all files, cut back to a checkpoint; NULL: creates them. */
ruga_status output_open(run_output *output, const checkpoint *from);
void output_close(run_output *output);
ruga_status output_open_log(run_output *output);
/* Writes one line with the time before it. A later call on the log's file reports a failure. */
void output_log(run_output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the scene's current frame. The next call may report that writing failed. */
ruga_status output_write_frame(run_output *output);
ruga_status output_checkpoint(run_output *output, int frames);
/* After the last frame: a run that has flushed a checkpoint flushes all files before it is complete. */
ruga_status output_flush_rest(run_output *output);
/* Makes GLB and USD from the caches, then renames the caches. */
ruga_status output_assemble(run_output *output);
ruga_status output_remove_working_files(const run_plan *plan);

/* ---- Contact. */

/* Checks whether objects of a new run intersect before the first frame. Draws them, and fails unless contact.start
 * allows it. `remark` becomes a warning about them, or "". */
typedef char run_remark[1024];
ruga_status contact_check_start(const run_plan *plan, const ruga_contact_def *def, ruga_scene *scene,
                                run_remark remark);
/* Logs problems of contact in the last written frame. */
void contact_log_frame(run_output *output);
/* At the end: warns about problems of contact in all frames. */
ruga_status contact_summarise(run_output *output);

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
    int is_stopped; /* by a failure: can only be destroyed */
    double begin;   /* time of the start */
    double frame_seconds;
    void *whole_frame; /* the state before a long step, so that cancelling it loses nothing */
    size_t whole_frame_size;
    int cancel_wanted;
    ruga_context_def outside; /* the caller's callbacks while the run has put its own there */
};

/* Whether a process works in a directory, and its number; 0: unknown. */
int run_is_held(ruga_context *context, const char *directory, long *process);

/* As ruga_run_create and ruga_run_resume, with other habits. */
ruga_status run_create(ruga_context *context, const ruga_description *description, const char *directory, int replace,
                       const run_habits *habits, ruga_run **out);
ruga_status run_resume(ruga_context *context, const char *directory, const run_habits *habits, ruga_run **out);

#endif
