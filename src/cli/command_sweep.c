/* ruga sweep: one scene, many runs: as local processes, on a cluster, or in chunks on a farm. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "sweep.h"

static const char *const isa_names[] = {"scalar", "sse4", "avx2", "avx512", NULL};
static const char *const progress_names[] = {"auto", "bar", "lines", "none", NULL};
enum { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_LINES, PROGRESS_NONE, MOST_AXES = 64 };

static const option value_options[] = {
    TEXT_ROW("set", "KEY=A,B,C",
             "vary one value of the scene, such as time.substeps=2,4,8 or wind.velocity=[0,0,2],[0,0,5]; repeated, all "
             "combinations are run. 'ruga reference' lists all values"),
    TEXT_ROW("table", "FILE.csv",
             "one run per row; the first row has the keys. An empty cell keeps the scene's value. With --set, each row "
             "is run with all combinations"),
    FLAG_ROW("many", 0, "allow more than 10,000 runs"),
};

static const option work_options[] = {
    OUTPUT_ROW("DIR", NULL, "the directory of the sweep (default: named after the scene, in the current folder)"),
    {.name = "jobs",
     .letter = 'j',
     .kind = OPTION_WHOLE,
     .value = "N",
     .low = 1,
     .high = 1024,
     .help = "runs at a time (default: the number of cores)"},
    CHOICE_ROW("isa", "NAME", NULL, isa_names,
               "instruction set of all runs; a run resumes only on machines that have it (default: the widest of this "
               "machine; for Slurm avx2)"),
    FLAG_ROW("retry", 0, "run failed runs, too; those that can't be resumed start over"),
    FLAG_ROW("replace", 0, "repeat the runs that a change of the scene affects"),
    FLAG_ROW("no-pictures", 0, "write no plots and no sheet of pictures"),
    CHOICE_ROW("progress", "HOW", "auto", progress_names,
               "a bar, or lines such as 'ALF_PROGRESS 42%' on standard error for farm software; auto: a bar on a "
               "terminal, else lines"),
};

static const option farm_options[] = {
    TEXT_ROW("only", "N",
             "run one of the runs, by its number (from 0) or its name, and collect nothing; may be repeated"),
    TEXT_ROW("chunk", "I/N", "run the I-th of N equal shares of the runs, from 1, and collect nothing"),
    FLAG_ROW("list", 0, "print the runs with their states, and run nothing"),
    FLAG_ROW("slurm", 0, "write a job array, DIR/sweep.sbatch, and run nothing"),
    FLAG_ROW("submit", 0, "submit the job array with sbatch, follow it to its end, and collect"),
    TEXT_ROW("sbatch", "OPTION", "an option for sbatch, such as --time=2:00:00; may be repeated"),
    NUMBER_ROW("interval", "S", "s", "5", 0.05, 3600, "time between two queries of a submitted job"),
};

/* ---- Values. */
static int read_axes(session *s, const arguments *a, sweep_table axes[MOST_AXES], size_t *count) {
    size_t sets = option_given(a, "set"), tables = option_given(a, "table");
    int code = 0;
    if (sets + tables > MOST_AXES)
        return session_error(s, EXIT_USAGE, "sweep: give at most %d --set and --table", MOST_AXES);
    for (size_t i = 0; i < tables && !code; i++)
        code = sweep_table_read(s, option_text_at(a, "table", i), &axes[(*count)++]);
    for (size_t i = 0; i < sets && !code; i++)
        code = sweep_table_split(s, option_text_at(a, "set", i), &axes[(*count)++]);
    return code;
}

/* "scenes/flutter.json" is swept in "flutter.sweep". */
static const char *own_directory(const char *scene, char *text, size_t size) {
    const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene, *ending = strrchr(name, '.');
    size_t length = ending && ending > name ? (size_t)(ending - name) : strlen(name);
    snprintf(text, size, "%.*s.sweep", (int)length, name);
    return text;
}

/* A scene with values, or the directory of a sweep. */
static int open_sweep(session *s, const arguments *a, const sweep_wishes *wishes, sweep *w) {
    if (a->word_count != 1)
        return session_error(
            s, EXIT_USAGE, "sweep: expected one scene, or the directory of a sweep: ruga sweep SCENE --set KEY=A,B,C");
    const char *word = a->words[0], *directory = option_text(a, "output");
    char own[1024];
    int varies = option_given(a, "set") + option_given(a, "table") > 0;
    if (sweep_is_directory(word)) {
        if (varies || directory || wishes->replace || wishes->isa)
            return session_error(
                s, EXIT_USAGE,
                "sweep: %s is a sweep with its own values; to change them, give the scene: ruga sweep SCENE --set "
                "KEY=A,B,C -o %s",
                word, word);
        return sweep_open(s, word, w);
    }
    if (strcmp(word, "-") == 0)
        return session_error(s, EXIT_USAGE, "sweep: a scene from standard input can't be swept; write it to a file");
    if (!varies)
        return session_error(s, EXIT_USAGE,
                             "sweep: give the values to vary: --set KEY=A,B,C or --table FILE.csv, such as --set "
                             "time.substeps=2,4,8");
    sweep_table axes[MOST_AXES] = {{0}};
    size_t count = 0;
    int code = read_axes(s, a, axes, &count);
    if (!directory) directory = own_directory(word, own, sizeof own);
    if (!code) code = sweep_plan(s, word, axes, count, directory, wishes, w);
    for (size_t i = 0; i < MOST_AXES; i++) sweep_table_release(&axes[i]);
    return code;
}

/* ---- Which runs. */
static int choose_only(session *s, const arguments *a, sweep *w) {
    for (size_t i = 0; i < w->run_count; i++) w->runs[i].chosen = 0;
    for (size_t n = 0; n < option_given(a, "only"); n++) {
        const char *text = option_text_at(a, "only", n);
        size_t i = 0;
        while (i < w->run_count && strcmp(w->runs[i].name, text) != 0) i++;
        if (i == w->run_count && text[strspn(text, "0123456789")] == 0 && strlen(text) < 9) i = strtoul(text, NULL, 10);
        if (i >= w->run_count)
            return session_error(s, EXIT_USAGE, "--only %s: no such run; there are 0 to %zu, see --list", text,
                                 w->run_count - 1);
        w->runs[i].chosen = 1;
    }
    return 0;
}

static int choose_chunk(session *s, const char *text, sweep *w) {
    char *end;
    unsigned long chunk = strtoul(text, &end, 10), of = 0;
    if (*end == '/') of = strtoul(end + 1, &end, 10);
    if (*end || chunk < 1 || of < chunk || of > 1000000)
        return session_error(s, EXIT_USAGE, "--chunk takes I/N, such as 3/16, from 1/16 to 16/16, not '%s'", text);
    for (size_t i = 0; i < w->run_count; i++) w->runs[i].chosen = i % of == chunk - 1;
    return 0;
}

static int choose_runs(session *s, const arguments *a, sweep *w) {
    const char *chunk = option_text(a, "chunk");
    if (chunk && option_given(a, "only"))
        return session_error(s, EXIT_USAGE, "sweep: --only and --chunk exclude each other");
    if ((chunk || option_given(a, "only")) && (option_given(a, "slurm") || option_given(a, "submit")))
        return session_error(s, EXIT_USAGE, "sweep: a job array has all runs; leave out --only and --chunk");
    if (chunk) return choose_chunk(s, chunk, w);
    return option_given(a, "only") ? choose_only(s, a, w) : 0;
}

/* ---- Work. */
/* All processes of a sweep use its instruction set. The caller may be quiet without the option, as the demo is. */
static int pin_isa(session *s, const arguments *a, const sweep *w) {
    if (strcmp(ruga_isa_name(ruga_context_isa(s->context)), w->isa) == 0 && getenv("RUGA_ISA")) return 0;
    setenv("RUGA_ISA", w->isa, 1);
    ruga_context_destroy(s->context);
    s->context = NULL;
    const int quiet = s->quiet, json = s->json;
    int code = session_open(s, a);
    s->quiet = quiet;
    s->json = json;
    return code;
}

static void set_progress(session *s, const arguments *a) {
    size_t how = option_choice(a, "progress");
    if (how == PROGRESS_AUTO)
        how = s->quiet || s->json ? PROGRESS_NONE : s->bar.enabled ? PROGRESS_BAR : PROGRESS_LINES;
    progress_begin(&s->bar, how != PROGRESS_NONE);
    s->bar.lines = how == PROGRESS_LINES;
}

static int core_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 1024 ? 1024 : (int)count;
}

static int work_locally(session *s, const arguments *a, sweep *w, const sweep_wishes *wishes) {
    size_t wanted = 0, first = SIZE_MAX;
    for (size_t i = 0; i < w->run_count; i++)
        if (w->runs[i].chosen && (sweep_wants(&w->runs[i], wishes) || w->runs[i].result.state == SWEEP_RUNNING)) {
            if (first == SIZE_MAX) first = i;
            wanted++;
        }
    if (wanted == 0) return 0;
    /* A single run that was named needs no further process: this is how the processes of a sweep work. */
    if (wanted == 1 && option_given(a, "only") == 1) {
        if (w->runs[first].result.state == SWEEP_RUNNING)
            return session_error(s, EXIT_FAILED, "another process is working on run %zu; wait for it", first);
        return sweep_work_here(s, w, first, wishes);
    }
    int cores = core_count(), jobs = option_given(a, "jobs") ? option_whole(a, "jobs") : cores;
    if ((size_t)jobs > wanted) jobs = (int)wanted;
    int threads = option_given(a, "threads") ? option_whole(a, "threads") : cores / jobs;
    return sweep_work_locally(s, w, wishes, jobs, threads < 1 ? 1 : threads > 256 ? 256 : threads);
}

static int write_job(session *s, const arguments *a, const sweep *w, const sweep_wishes *wishes) {
    const char *options[64];
    size_t count = option_given(a, "sbatch");
    if (count > 64) return session_error(s, EXIT_USAGE, "sweep: at most 64 --sbatch");
    for (size_t i = 0; i < count; i++) {
        options[i] = option_text_at(a, "sbatch", i);
        if (options[i][0] != '-' || strchr(options[i], '\n'))
            return session_error(s, EXIT_USAGE, "--sbatch takes an option with its value, such as --time=2:00:00");
    }
    return sweep_slurm_write(s, w, wishes, options, count, option_given(a, "threads") ? option_whole(a, "threads") : 1);
}

/* ---- The end. */
static int collect(session *s, const arguments *a, const sweep *w) {
    sweep_measures m = {0};
    size_t plots = 0;
    int sheet = 0, code = sweep_measures_read(s, w, &m);
    if (!code) code = sweep_write_csv(s, w, &m);
    if (!code && !option_given(a, "no-pictures") && sweep_count(w, SWEEP_COMPLETE)) {
        code = sweep_plot(s, w, &m, &plots);
        if (!code) code = sweep_draw_sheet(s, w, &sheet);
    }
    sweep_measures_release(&m);
    if (code) return code;
    session_remark(s, "wrote %s/sweep.csv", w->directory);
    if (plots) session_remark(s, ", %zu plot%s in plots/", plots, plots == 1 ? "" : "s");
    session_remark(s, "%s\n", sheet ? ", sheet.png" : "");
    return 0;
}

/* How it ended, and what to do next. */
static int conclude(session *s, const sweep *w) {
    size_t chosen = 0, complete = sweep_count(w, SWEEP_COMPLETE), failed = sweep_count(w, SWEEP_FAILED);
    for (size_t i = 0; i < w->run_count; i++) chosen += w->runs[i].chosen != 0;
    int code = session_interrupt_code();
    if (code && complete < chosen)
        return session_error(s, code, "interrupted after %zu of %zu runs; continue with: ruga sweep %s", complete,
                             chosen, w->directory);
    if (failed)
        return session_error(s, EXIT_FAILED, "%zu of %zu runs failed; try them again with: ruga sweep %s --retry",
                             failed, chosen, w->directory);
    if (complete < chosen)
        return session_error(s, EXIT_FAILED, "%zu of %zu runs are not complete; continue with: ruga sweep %s",
                             chosen - complete, chosen, w->directory);
    return 0;
}

static int work(session *s, const arguments *a, sweep *w, const sweep_wishes *wishes) {
    const int list = option_given(a, "list") > 0, slurm = option_given(a, "slurm") > 0,
              submit = option_given(a, "submit") > 0;
    const int part = option_given(a, "only") + option_given(a, "chunk") > 0;
    int code = choose_runs(s, a, w);
    for (size_t i = 0; i < w->run_count && !code; i++) code = sweep_look(s, w, &w->runs[i]);
    if (code) return code;
    if (list) return sweep_report(s, w);
    if (slurm || submit) code = write_job(s, a, w, wishes);
    if (!code && slurm && !submit) {
        session_remark(s, "wrote %s/sweep.sbatch; submit it with sbatch, then collect with: ruga sweep %s\n",
                       w->directory, w->directory);
        return 0;
    }
    const int had_bar = s->bar.enabled;
    set_progress(s, a);
    s->resumable = 1; /* Ctrl-C is reported at the end */
    if (!code)
        code = submit ? sweep_slurm_submit(s, w, wishes, option_number(a, "interval")) : work_locally(s, a, w, wishes);
    s->resumable = 0;
    const int reports_lines = s->bar.lines && s->bar.percent < 100;
    s->bar.lines = 0;
    s->bar.enabled = had_bar;
    if (submit && code) return code;
    /* A run that failed is no failure of ours: the table lists it. */
    if (!part && !session_interrupt_code()) {
        int reported = sweep_report(s, w);
        int collected = collect(s, a, w);
        if (!code) code = reported ? reported : collected;
    } else if (part && !s->quiet && !session_interrupt_code())
        (void)sweep_report(s, w);
    int concluded = conclude(s, w);
    if (!code && !concluded && reports_lines) fprintf(stderr, "ALF_PROGRESS 100%%\n");
    return code ? code : concluded;
}

static int run(session *s, const arguments *a) {
    sweep w = {.directory = ""};
    const sweep_wishes wishes = {.replace = option_given(a, "replace") > 0,
                                 .retry = option_given(a, "retry") > 0,
                                 .many = option_given(a, "many") > 0,
                                 .for_slurm = option_given(a, "slurm") + option_given(a, "submit") > 0,
                                 .isa = option_text(a, "isa")};
    int code = open_sweep(s, a, &wishes, &w);
    if (!code && !wishes.for_slurm) code = pin_isa(s, a, &w);
    if (!code && wishes.for_slurm && strcmp(w.isa, "avx512") == 0)
        session_note(s, "this sweep uses avx512: nodes without it can't run it");
    if (!code) code = work(s, a, &w, &wishes);
    sweep_release(&w);
    return code;
}

const command command_sweep = {
    .name = "sweep",
    .summary = "runs a scene with many values, here or on a cluster",
    .usage = "ruga sweep SCENE --set KEY=A,B,C [--set …] [options]",
    .about =
        "Runs one scene per combination of values, or per row of a table, as local processes or as a job array of "
        "Slurm. At the end there is a table, sweep.csv, plots of each measure against each parameter, and sheet.png "
        "with the last frame of each run. All combinations are checked before the first one runs.\n"
        "Called again, with the scene or with the directory, it continues: complete runs are not repeated, stopped "
        "ones are resumed, failed ones are listed and tried again with --retry. Further values add runs.",
    .examples =
        "  ruga sweep flutter.json --set time.substeps=2,4,8\n"
        "  ruga sweep flutter.json --set wind.velocity=[0,0,2],[0,0,5] --jobs 4\n"
        "  ruga sweep flutter.json --table trials.csv -o trials\n"
        "  ruga sweep flutter.sweep --retry\n"
        "  ruga sweep flutter.json --table trials.csv --submit --sbatch --time=2:00:00\n"
        "  ruga sweep flutter.json --table trials.csv --chunk 3/16\n",
    .groups = {OPTION_GROUP("Values", value_options), OPTION_GROUP("Work", work_options),
               OPTION_GROUP("Clusters and farms", farm_options)},
    .run = run,
};
