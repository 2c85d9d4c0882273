/* Sweeps: one scene, many runs. `ruga sweep` plans the runs, works them off and collects their results.
 *
 *     DIR/sweep.txt              the scene, the instruction set, the version
 *     DIR/plan.csv               one row per run: its number, its name and its values. Rows are added, never removed
 *     DIR/scenes/NAME.json       the scene of each run, complete, with absolute paths
 *     DIR/runs/NAME/             its run directory
 *     DIR/results/NAME.txt       how it ended: state, exit code, frames, seconds, state hash, message
 *     DIR/logs/NAME.txt          its messages
 *     DIR/sweep.sbatch, slurm.txt  the job array of Slurm and its number
 *     DIR/sweep.csv, plots/, sheet.png  what was collected
 *
 * A process per run keeps runs apart: `ruga sweep DIR --only 3` does one run in its own process, whether it was
 * started by another `ruga sweep`, by Slurm or by a farm. Each file has one writer at a time: the plan is written
 * while the directory is locked, everything else by the one who holds the lock of the run.
 */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include <stdio.h>

#include "session.h"

enum { SWEEP_PATH = 4352, SWEEP_MANY = 10000 };

/* ---- Tables of values. */
/* The first row has the keys, each further row the values of one run; "" is the scene's own value. */
typedef struct sweep_table {
    char *text; /* owned; the cells point into it */
    size_t column_count, row_count;
    const char **cells; /* ((1 + row_count) x column_count) */
} sweep_table;

/* "key=a,b,c": one column. Commas within brackets, braces and quotes do not split. */
int sweep_table_split(session *s, const char *text, sweep_table *out);
/* A CSV file. Cells may be quoted; commas within brackets do not split; lines that begin with # are skipped. */
int sweep_table_read(session *s, const char *path, sweep_table *out);
void sweep_table_release(sweep_table *table);
/* Cell of a row, 0 for the keys. */
const char *sweep_cell(const sweep_table *table, size_t row, size_t column);

/* ---- The plan. */
typedef enum sweep_state {
    SWEEP_WAITING = 0, /* not begun */
    SWEEP_STOPPED,     /* can be resumed, or is complete and lacks its result */
    SWEEP_RUNNING,     /* by some process, here or elsewhere */
    SWEEP_COMPLETE,
    SWEEP_FAILED
} sweep_state;
extern const char *const sweep_state_names[5];

typedef struct sweep_result {
    sweep_state state;
    int exit_code;
    int attempts;            /* processes that worked on it */
    int frames, frame_count; /* done, and wanted (0: unknown) */
    double seconds;          /* of work, over all attempts that ended by themselves */
    char hash[17];           /* of the last state; "": none */
    char message[512];       /* why it failed or stopped; "": none */
} sweep_result;

typedef struct sweep_run {
    const char *name;
    const char **values; /* (key_count) as typed; "": the scene's own */
    int chosen;          /* this process works on it: --only, --chunk */
    sweep_result result;
} sweep_run;

typedef struct sweep {
    char directory[SWEEP_PATH / 2]; /* absolute */
    char scene[SWEEP_PATH / 2];     /* absolute */
    char isa[16];                   /* of all runs */
    size_t key_count;
    const char **keys;
    size_t run_count;
    sweep_run *runs;
    struct sweep_text *texts; /* owns all texts and arrays above */
} sweep;

/* Wishes of the user about existing files and the machines. */
typedef struct sweep_wishes {
    int replace;     /* run again what belongs to a changed scene */
    int retry;       /* failed runs, too */
    int many;        /* more than SWEEP_MANY runs */
    int for_slurm;   /* the nodes are unknown */
    const char *isa; /* NULL: chosen */
} sweep_wishes;

/* Plans a new sweep, or adds runs to the sweep in the directory. Checks every run before it writes anything. Release
 * the sweep, also after a failure. */
int sweep_plan(session *s, const char *scene, const sweep_table *axes, size_t axis_count, const char *directory,
               const sweep_wishes *wishes, sweep *out);
/* Reads the sweep in a directory. */
int sweep_open(session *s, const char *directory, sweep *out);
int sweep_is_directory(const char *path); /* whether a directory holds a sweep */
void sweep_release(sweep *w);

/* The path of a file of the sweep: "scenes/", name, ".json"; name NULL: none. */
typedef char sweep_path[SWEEP_PATH];
const char *sweep_file(const sweep *w, const char *folder, const char *name, const char *ending, sweep_path out);
/* The same for a file that is about to be written: a link is refused with an exit code, because writing it would
 * change a file elsewhere; so are a pipe, a device and a folder. */
int sweep_output(session *s, const sweep *w, const char *folder, const char *name, const char *ending, sweep_path out);
/* Opens a file of a sweep. NULL, with errno: it can't be opened, or is not a regular file: a pipe would block. */
FILE *sweep_read(const char *path);
/* "stiffness 10, wind [0,0,5]": the values of a run, with the last words of their keys. */
const char *sweep_describe(const sweep *w, const sweep_run *run, char *text, size_t size);
/* "stiffness" of "objects[0].material.stiffness", or more words where two keys end alike. */
const char *sweep_short_key(const sweep *w, size_t key, char *text, size_t size);

/* ---- Results. */
/* Looks at the files of a run. */
int sweep_look(session *s, const sweep *w, sweep_run *run);
/* Whether a run is to be worked on. */
int sweep_wants(const sweep_run *run, const sweep_wishes *wishes);
/* How many of the chosen runs are in a state. */
size_t sweep_count(const sweep *w, sweep_state state);

/* ---- Work. */
/* Does one run in this process, and writes its result. */
int sweep_work_here(session *s, sweep *w, size_t run, const sweep_wishes *wishes);
/* Does the chosen runs, each in a process of its own, so many at a time. */
int sweep_work_locally(session *s, sweep *w, const sweep_wishes *wishes, int jobs, int threads);
/* Writes the job array of the chosen runs that are not complete. `options`: further lines for sbatch. */
int sweep_slurm_write(session *s, const sweep *w, const sweep_wishes *wishes, const char *const *options,
                      size_t option_count, int threads);
/* Submits it, unless its job is still in the queue, and follows it to its end; looks every `interval` s. */
int sweep_slurm_submit(session *s, sweep *w, const sweep_wishes *wishes, double interval);
/* The share of the work that is done: complete runs, and the frames of those that are running. */
double sweep_fraction(session *s, const sweep *w);

/* ---- Collecting. */
/* The columns of a run's measures over its frames. */
typedef struct sweep_measures {
    size_t count;
    const char **names; /* (count) with the unit: "energy [J]" */
    double *values;     /* (runs x count x 3): last, greatest and mean; NaN: none */
} sweep_measures;
int sweep_measures_read(session *s, const sweep *w, sweep_measures *out);
void sweep_measures_release(sweep_measures *m);

int sweep_write_csv(session *s, const sweep *w, const sweep_measures *m);
/* Each measure against each parameter; adds the number of plots. */
int sweep_plot(session *s, const sweep *w, const sweep_measures *m, size_t *count);
/* The last frame of each run. wrote: whether there is a sheet; a build without pictures has none. */
int sweep_draw_sheet(session *s, const sweep *w, int *wrote);
/* The table on the terminal, or JSON. */
int sweep_report(session *s, const sweep *w);

#endif
