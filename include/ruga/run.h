/* Ruga: runs. A scene writes its frames into a directory. It can be stopped at any moment and resumed with the same
 * bits.
 *
 *     DIR/scene.json         the scene with all defaults filled in and all paths absolute
 *     DIR/run.json           version, threads, instruction set, frames, objects and their files, complete or not
 *     DIR/log.txt            messages with their times
 *     DIR/timings.csv        seconds per stage and frame; measures.csv: energies, iterations, contacts per frame
 *     DIR/NAME.obj, .pc2     an object's mesh and cache; NAME.0001.obj …; NAME.glb, NAME.usda at the end
 *     DIR/checkpoint         the state after a frame, replaced as a whole; checkpoint.new: a newer one (docs/runs.md)
 *     DIR/lock               locked while a process runs it
 *
 * NAME is the object's name, with '_' for other characters than letters and digits. A cache is called NAME.pc2.part
 * until it is complete. Resuming removes frames that are newer than the checkpoint.
 *
 * The mesh of an object may change during a run if output.formats has only "obj" and "ply". The other formats have one
 * mesh for all frames: the run stops at the frame where the mesh changes, with a message.
 */
#ifndef RUGA_RUN_H
#define RUGA_RUN_H

#include "ruga/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_run ruga_run;

/* Draws what intersects before the first frame into a file at `path`. found: (count) pairs, count > 0. */
typedef ruga_status ruga_run_start_function(void *user, const ruga_scene *scene, const ruga_scene_intersection *found,
                                            size_t count, const char *path);
/* Runs of this context call `draw` when objects intersect before the first frame: DIR/start-intersections.png. If it
 * fails, the run reports the intersections without a picture. NULL: no picture, the default; ruga_render_run_starts of
 * ruga/render.h sets a function that draws one. */
RUGA_API void ruga_context_set_run_start(ruga_context *context, ruga_run_start_function *draw, void *user);

/* Starts a run in a directory, which is made if necessary. Fails with RUGA_ERROR_FILE if another process runs in it,
 * and with RUGA_ERROR_INPUT if it has a run, unless `replace`, which removes the files of that run (and no others), or
 * if a file of another origin has the name of a file of the run. */
RUGA_API ruga_status ruga_run_create(ruga_context *context, const ruga_description *description, const char *directory,
                                     int replace, ruga_run **out);
/* Whether ruga_run_create could start in a directory, as far as the directory itself says: the same failures if another
 * process runs in it or it has a run. For programs that refuse before they build a scene. Changes nothing. */
RUGA_API ruga_status ruga_run_directory_check(ruga_context *context, const char *directory, int replace);
/* Continues a run at its last checkpoint; a complete run gives a run that is done. All files are compared with the
 * sizes and hashes that the run stored: if they differ from the last checkpoint, an earlier one is used, or the run
 * starts again, with a warning; a complete run fails with RUGA_ERROR_INPUT and the name of the file. Fails with
 * RUGA_ERROR_INPUT if the directory has no run, if its scene.json or a file that the scene reads has changed, or if
 * the run was started with another version of the library or another instruction set (the results would differ in the
 * last bits; the message says which to choose). The number of threads may differ. */
RUGA_API ruga_status ruga_run_resume(ruga_context *context, const char *directory, ruga_run **out);
/* Reads the files of a run and compares them with the sizes and hashes that it stored; changes nothing. *frames: how
 * many frames have whole files: all of a complete run, else those of the newest checkpoint that can be resumed, 0
 * without one. Fails with RUGA_ERROR_INPUT and the name of a file if one of a complete run is missing, damaged or
 * changed, or if the files fit no checkpoint of a stopped run. timings.csv of a complete run and log.txt are not
 * compared. */
RUGA_API ruga_status ruga_run_verify(ruga_context *context, const char *directory, int *frames);
/* Closes the files. A run that is not done can be resumed. */
RUGA_API void ruga_run_destroy(ruga_run *run); /* NULL is fine */

RUGA_API int ruga_run_is_done(const ruga_run *run);
/* Steps one frame and writes it; after the last, completes the files and writes GLB and USD. After a failure (a full
 * disk, a state that is not finite) the directory has a run that can be resumed; the message says how, and this run can
 * only be destroyed. Cancelling (RUGA_ERROR_CANCELLED) keeps every complete frame. */
RUGA_API ruga_status ruga_run_next(ruga_run *run);
/* Writes a checkpoint now, so that stopping loses nothing. */
RUGA_API ruga_status ruga_run_checkpoint(ruga_run *run);

RUGA_API ruga_scene *ruga_run_scene(ruga_run *run);
RUGA_API int ruga_run_frames_done(const ruga_run *run);
RUGA_API int ruga_run_frame_count(const ruga_run *run);

/* ---- Reading the files of a run, also while it is running. */
typedef struct ruga_run_object {
    const char *name;
    const char *mesh;  /* path of the mesh, NULL: output.formats is empty */
    const char *cache; /* path of the frames: a .pc2 or a .pc2.part, a pattern of a sequence, or a .glb; NULL: none */
} ruga_run_object;

typedef struct ruga_run_record {
    const char *directory;
    const char *version; /* of the library */
    int threads;
    const char *isa;
    double fps, unit;
    int up;                               /* ruga_axis of the files */
    int start_frame, frames, frames_done; /* done: frames that can be read */
    int complete;
    int running;  /* a process runs it; neither running nor complete: it was stopped */
    long process; /* its id on the machine where it runs; 0: none, or unknown */
    size_t object_count;
    const ruga_run_object *objects;
    size_t measure_count; /* columns of timings.csv and measures.csv, without the frame's number */
    const ruga_measure *measures;
    const double *values; /* (frames_done x measure_count); NaN where a row is missing */
} ruga_run_record;

/* Whether a path is a directory with a run. */
RUGA_API int ruga_path_is_run(const char *path);
RUGA_API ruga_status ruga_run_record_read(ruga_context *context, const char *directory, ruga_run_record **out);
RUGA_API void ruga_run_record_destroy(ruga_context *context, ruga_run_record *record); /* NULL is fine */

/* The mesh of an object, and the motion of the frames that can be read, in metres and y up whatever the files have.
 * object: its name; NULL: the only one. RUGA_ERROR_INPUT if the run has no such object, or wrote no frames of it. */
RUGA_API ruga_status ruga_run_mesh_read(ruga_context *context, const char *directory, const char *object,
                                        ruga_mesh **out);
RUGA_API ruga_status ruga_run_motion_read(ruga_context *context, const char *directory, const char *object,
                                          const ruga_mesh *mesh, ruga_motion **out);

#ifdef __cplusplus
}
#endif
#endif
