/* Plots of a run: time per stage, each kind of measure over the frames, time against contacts. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

enum { MAX_NAME = 128, MAX_LINES = 8 }; /* in one plot, so that it stays readable */
#define LOG_FROM 200.0                  /* largest over smallest, from which an axis is logarithmic */
#define TIMES_LOG_FROM 20.0             /* the same for times */
#define POSITIVE_ENOUGH 0.75            /* share of the numbers that have to be positive for it */
#define OUTLIERS 0.02                   /* share of the numbers at either end that do not count */

#define LEAST_SHARE 0.005 /* of the time, below which a stage is not drawn */

/* A plot of columns of one unit over the frames. */
typedef struct stats_figure {
    const ruga_run_record *record;
    const char *folder, *name; /* of its files, without an ending */
    double *x;                 /* (frames) */
    double *y;                 /* (MAX_LINES x frames) */
    ruga_plot_series series[MAX_LINES];
    size_t series_count;
    double log_from; /* see wants_log */
    ruga_plot_def def;
} stats_figure;

static size_t frame_count(const ruga_run_record *record) { return (size_t)record->frames_done; }

static int figure_begin(session *s, stats_figure *f, const ruga_run_record *record, const char *folder,
                        const char *name) {
    size_t frames = frame_count(record);
    *f = (stats_figure){
        .record = record, .folder = folder, .name = name, .log_from = LOG_FROM, .def = ruga_plot_def_default()};
    f->x = malloc((frames + 1) * sizeof *f->x);
    f->y = malloc((MAX_LINES * frames + 1) * sizeof *f->y);
    for (size_t i = 0; f->x && i < frames; i++) f->x[i] = (double)record->start_frame + (double)i;
    f->def.x_label = "frame";
    return f->x && f->y ? 0 : session_no_memory(s);
}

static void figure_release(stats_figure *f) {
    free(f->x);
    free(f->y);
}

/* A column as a line, times a factor. */
static void figure_add(stats_figure *f, size_t measure, const char *name, double factor) {
    if (f->series_count == MAX_LINES) return;
    size_t frames = frame_count(f->record);
    double *y = f->y + f->series_count * frames;
    for (size_t i = 0; i < frames; i++) y[i] = factor * record_value(f->record, i, measure);
    f->series[f->series_count++] = (ruga_plot_series){
        .name = name, .x = f->x, .y = y, .count = frames, .kind = frames < 2 ? RUGA_PLOT_POINTS : RUGA_PLOT_LINE};
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whether the numbers, without outliers, span so much that they need a logarithmic axis. */
static int wants_log(const double *values, size_t count, double from) {
    double *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted) return 0;
    size_t numbers = 0, positive = 0;
    int negative = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        numbers++;
        negative |= values[i] < 0;
        if (values[i] > 0) sorted[positive++] = values[i];
    }
    qsort(sorted, positive, sizeof *sorted, compare_numbers);
    size_t cut = (size_t)(OUTLIERS * (double)positive);
    int wanted = !negative && positive > 2 && (double)positive >= POSITIVE_ENOUGH * (double)numbers &&
                 sorted[positive - 1 - cut] > from * sorted[cut];
    free(sorted);
    return wanted;
}

/* On a logarithmic axis, zeros become gaps. */
static void drop_zeros(double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0)) values[i] = NAN;
}

static int figure_end(session *s, stats_figure *f) {
    char path[4200];
    size_t numbers = f->series_count * frame_count(f->record);
    f->def.series = f->series;
    f->def.series_count = f->series_count;
    f->def.y_log = wants_log(f->y, numbers, f->log_from);
    if (f->def.y_log) drop_zeros(f->y, numbers);
    snprintf(path, sizeof path, "%s/%s.svg", f->folder, f->name);
    ruga_status status = ruga_plot_write_svg(s->context, &f->def, path);
    if (!RUGA_FAILED(status)) {
        snprintf(path, sizeof path, "%s/%s.png", f->folder, f->name);
        status = ruga_plot_write_png(s->context, &f->def, path);
        if (status == RUGA_ERROR_UNSUPPORTED) status = RUGA_OK;
    }
    return output_code(s, status);
}

/* Spaces for underscores. */
static void name_in_words(const char *name, char *text, size_t size) {
    if (text != name) snprintf(text, size, "%s", name);
    for (char *at = text; *at; at++)
        if (*at == '_') *at = ' ';
}

/* ---- Time per stage. */
typedef struct ranked {
    double sum;
    size_t measure;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return x->sum != y->sum ? (x->sum < y->sum) - (x->sum > y->sum)
                            : (x->measure > y->measure) - (x->measure < y->measure);
}

/* The longest stages; short ones are left out. */
static int plot_stages(session *s, const ruga_run_record *record, const char *folder, size_t *count) {
    char names[MAX_LINES][MAX_NAME];
    size_t found = 0, kept = 0;
    double all = 0;
    ranked *stages = malloc((record->measure_count + 1) * sizeof *stages);
    if (!stages) return session_no_memory(s);
    for (size_t m = 0; m < record->measure_count; m++) {
        if (!record->measures[m].is_time) continue;
        stages[found] = (ranked){record_summarise(record, m).sum, m};
        all += stages[found++].sum;
    }
    qsort(stages, found, sizeof *stages, compare_ranked);
    while (kept < found && kept < MAX_LINES && stages[kept].sum > LEAST_SHARE * all) kept++;

    stats_figure f;
    int code = figure_begin(s, &f, record, folder, "time");
    f.def.y_label = "time of a frame (ms)";
    f.log_from = TIMES_LOG_FROM;
    for (size_t i = 0; i < kept && !code; i++) {
        name_in_words(measure_last_word(&record->measures[stages[i].measure]), names[i], MAX_NAME);
        figure_add(&f, stages[i].measure, names[i], 1e3);
    }
    if (!code && kept) {
        code = figure_end(s, &f);
        ++*count;
    }
    figure_release(&f);
    free(stages);
    return code;
}

/* ---- Measures: those with the same last word and unit share a plot, with a line for each object. */
static int same_kind(const ruga_measure *a, const ruga_measure *b) {
    return !a->is_time && !b->is_time && strcmp(a->unit, b->unit) == 0 &&
           strcmp(measure_last_word(a), measure_last_word(b)) == 0;
}

static int is_first_of_kind(const ruga_run_record *record, size_t measure) {
    if (record->measures[measure].is_time) return 0;
    for (size_t m = 0; m < measure; m++)
        if (same_kind(&record->measures[m], &record->measures[measure])) return 0;
    return 1;
}

static int plot_kind(session *s, const ruga_run_record *record, const char *folder, size_t first) {
    char file[MAX_NAME], label[MAX_NAME + 32], owners[MAX_LINES][MAX_NAME];
    const ruga_measure *kind = &record->measures[first];
    const char *word = measure_last_word(kind);
    /* The file has the name of the measure, with letters and digits only. */
    snprintf(file, sizeof file, "%s", word);
    for (char *at = file; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '-' && *at != '_') *at = '_';
    snprintf(label, sizeof label, strcmp(kind->unit, "1") == 0 ? "%s" : "%s (%s)", word, kind->unit);
    name_in_words(label, label, sizeof label);
    stats_figure f;
    int code = figure_begin(s, &f, record, folder, file);
    f.def.y_label = label;
    for (size_t m = first; m < record->measure_count && !code; m++) {
        const ruga_measure *measure = &record->measures[m];
        if (!same_kind(measure, kind) || f.series_count == MAX_LINES) continue;
        /* The legend has the owner: "shirt.jiggle" of "shirt.jiggle.energy". */
        long length = measure_last_word(measure) - measure->name;
        char *owner = owners[f.series_count];
        snprintf(owner, MAX_NAME, "%.*s", length > 0 ? (int)length - 1 : 0, measure->name);
        figure_add(&f, m, owner, 1);
    }
    if (!code) code = figure_end(s, &f);
    figure_release(&f);
    return code;
}

/* ---- Time of a frame against the number of contacts. */
static int plot_contacts(session *s, const ruga_run_record *record, const char *folder, size_t *count) {
    stats_figure f;
    size_t frames = frame_count(record), columns = 0;
    int code = figure_begin(s, &f, record, folder, "time-against-contacts");
    for (size_t i = 0; i < frames && !code; i++) f.x[i] = f.y[i] = 0;
    for (size_t m = 0; m < record->measure_count && !code; m++) {
        column_summary c = record_summarise(record, m);
        int stage = record->measures[m].is_time,
            is_contacts = strcmp(measure_last_word(&record->measures[m]), "contacts") == 0;
        int explains = is_contacts && c.high > c.low;
        columns += (size_t)explains;
        for (size_t i = 0; i < frames && (explains || stage); i++)
            *(explains ? &f.x[i] : &f.y[i]) += record_value(record, i, m) * (explains ? 1 : 1e3);
    }
    if (!code && columns) {
        f.series[f.series_count++] = (ruga_plot_series){.x = f.x, .y = f.y, .count = frames, .kind = RUGA_PLOT_POINTS};
        f.def.x_label = "contacts";
        f.def.y_label = "time of a frame (ms)";
        f.def.x_log = wants_log(f.x, frames, LOG_FROM);
        if (f.def.x_log) drop_zeros(f.x, frames);
        code = figure_end(s, &f);
        ++*count;
    }
    figure_release(&f);
    return code;
}

int stats_plot(session *s, const ruga_run_record *record, const char *folder, size_t *count) {
    int code = plot_stages(s, record, folder, count);
    for (size_t m = 0; m < record->measure_count && !code; m++) {
        if (!is_first_of_kind(record, m)) continue;
        code = plot_kind(s, record, folder, m);
        ++*count;
    }
    return code ? code : plot_contacts(s, record, folder, count);
}
