/* Ruga: runs. A scene writes its frames into a directory, can be stopped at any moment, and goes on to the same bits.
 *
 *     DIR/scene.json         the scene as it is run: all defaults filled in, all paths absolute
 *     DIR/run.json           version, threads, instruction set, frames, objects and their files, how far it got
 *     DIR/log.txt            what happened when
 *     DIR/timings.csv        seconds per stage and frame; measures.csv: energies, iterations, contacts per frame
 *     DIR/NAME.obj, .pc2     an object's mesh and cache; NAME.0001.obj …; NAME.glb, NAME.usda at the end
 *     DIR/checkpoint         the state after a frame, replaced as a whole; checkpoint.new: a younger one (docs/runs.md)
 *     DIR/lock               held while a process runs it
 *
 * NAME is the object's name, with '_' for what is neither a letter nor a digit. A cache that is not finished is called
 * NAME.pc2.part. On resuming, what is younger than the checkpoint is cut off.
 */
#ifndef RUGA_RUN_H
#define RUGA_RUN_H

#include "ruga/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_run ruga_run;

/* Begins a run in a directory that is made if need be. Fails with RUGA_ERROR_FILE when another process runs in it and
 * with RUGA_ERROR_INPUT when there is a run in it already, unless `replace`, which removes what that run wrote (and nothing
 * else), or a file of another origin where one would be written. */
RUGA_API ruga_status ruga_run_create(ruga_context *context, const ruga_description *description, const char *directory,
                                     int replace, ruga_run **out);
/* Goes on with a run that was stopped, at its last checkpoint; one that is complete gives a run that is done. Fails with
 * RUGA_ERROR_INPUT when the directory holds no run, when its scene.json or a file that the scene reads was changed, or when
 * this library has another version or this context another instruction set than the run (results would differ in the last
 * bits; the message says which to choose). The number of threads may differ. */
RUGA_API ruga_status ruga_run_resume(ruga_context *context, const char *directory, ruga_run **out);
/* Closes the files. A run that is not done stays resumable. */
RUGA_API void ruga_run_destroy(ruga_run *run); /* NULL is fine */

RUGA_API int ruga_run_is_done(const ruga_run *run);
/* Steps one frame and writes it; after the last, makes the files whole and assembles GLB and USD. When it fails (a full
 * disk, a state that is not finite) the directory holds a run that can be resumed; the message says how, and the run can
 * only be destroyed. Cancelling (RUGA_ERROR_CANCELLED) keeps every frame that was whole. */
RUGA_API ruga_status ruga_run_next(ruga_run *run);
/* Writes a checkpoint now, so that a stop loses nothing. */
RUGA_API ruga_status ruga_run_checkpoint(ruga_run *run);

RUGA_API ruga_scene *ruga_run_scene(ruga_run *run);
RUGA_API int ruga_run_frames_done(const ruga_run *run);
RUGA_API int ruga_run_frame_count(const ruga_run *run);

/* ---- Reading what a run wrote, also while it is running. */
typedef struct ruga_run_object {
    const char *name;
    const char *mesh;  /* path of the mesh, NULL: no frames were asked for */
    const char *cache; /* path of the frames: a .pc2 or a .pc2.part, a pattern of a sequence, or a .glb; NULL: none */
} ruga_run_object;

typedef struct ruga_run_record {
    const char *directory;
    const char *version; /* of the library that ran it */
    int threads;
    const char *isa;
    double fps, unit;
    int up;                               /* ruga_axis of the files */
    int start_frame, frames, frames_done; /* done: frames that can be read now */
    int complete;
    int running;  /* a process works on it now; neither running nor complete: it was stopped */
    long process; /* its number, as on the machine that it runs on; 0: none, or unknown */
    size_t object_count;
    const ruga_run_object *objects;
    size_t measure_count; /* columns of timings.csv and measures.csv, without the frame's number */
    const ruga_measure *measures;
    const double *values; /* (frames_done x measure_count); NaN where a row is missing */
} ruga_run_record;

/* Whether a path is a directory that holds a run. */
RUGA_API int ruga_path_is_run(const char *path);
RUGA_API ruga_status ruga_run_record_read(ruga_context *context, const char *directory, ruga_run_record **out);
RUGA_API void ruga_run_record_destroy(ruga_context *context, ruga_run_record *record); /* NULL is fine */

/* The mesh of one of its objects, and the motion of the frames that are there now, in metres and y up whatever the files have.
 * object: its name; NULL: the only one. RUGA_ERROR_INPUT when there is none of that name, or nothing was written of it. */
RUGA_API ruga_status ruga_run_mesh_read(ruga_context *context, const char *directory, const char *object,
                                        ruga_mesh **out);
RUGA_API ruga_status ruga_run_motion_read(ruga_context *context, const char *directory, const char *object,
                                          const ruga_mesh *mesh, ruga_motion **out);

#ifdef __cplusplus
}
#endif
#endif
