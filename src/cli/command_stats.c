/* ruga stats: the time of each stage of a run, and what its solvers measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "files.h"
#include "report.h"
#include "runs.h"
#include "stats.h"

static const option stats_options[] = {
    OUTPUT_ROW("FOLDER", NULL, "write all columns as stats.csv, and plots as PNG and SVG, into this folder"),
    FLAG_ROW("csv", 0, "print all columns, frame by frame, instead of the table"),
};

/* ---- Columns. */
const char *measure_last_word(const ruga_measure *measure) {
    const char *dot = strrchr(measure->name, '.');
    return dot ? dot + 1 : measure->name;
}

column_summary record_summarise(const ruga_run_record *record, size_t measure) {
    column_summary c = {0, NAN, NAN, NAN, NAN, 0};
    for (size_t i = 0; i < (size_t)record->frames_done; i++) {
        double value = record_value(record, i, measure);
        if (isnan(value)) continue;
        c.sum += value;
        c.low = fmin(c.low, value);
        c.high = fmax(c.high, value);
        c.last = value;
        c.count++;
    }
    if (c.count) c.mean = c.sum / (double)c.count;
    return c;
}

/* ---- The table. */
static void print_stages(session *s, const ruga_run_record *record) {
    double all = 0, frames = record->frames_done > 0 ? record->frames_done : 1;
    for (size_t m = 0; m < record->measure_count; m++)
        if (record->measures[m].is_time) all += record_summarise(record, m).sum;
    session_print(s, "\n%-32s %12s %12s %8s\n", "stage", "all (s)", "frame (ms)", "share");
    for (size_t m = 0; m < record->measure_count; m++) {
        if (!record->measures[m].is_time) continue;
        column_summary c = record_summarise(record, m);
        session_print(s, "%-32s %12.4g %12.4g %6.1f %%\n", measure_last_word(&record->measures[m]), c.sum,
                      1e3 * c.sum / frames, all > 0 ? 100 * c.sum / all : 0);
    }
    session_print(s, "%-32s %12.4g %12.4g\n", "all stages", all, 1e3 * all / frames);
}

static void print_measures(session *s, const ruga_run_record *record) {
    int begun = 0;
    for (size_t m = 0; m < record->measure_count; m++) {
        const ruga_measure *measure = &record->measures[m];
        if (measure->is_time) continue;
        if (!begun++)
            session_print(s, "\n%-32s %-8s %12s %12s %12s %12s\n", "measure", "unit", "least", "mean", "greatest",
                          "last");
        column_summary c = record_summarise(record, m);
        session_print(s, "%-32s %-8s %12.5g %12.5g %12.5g %12.5g\n", measure->name, measure->unit, c.low, c.mean,
                      c.high, c.last);
    }
}

/* ---- JSON. */
static int print_json(session *s, const ruga_run_record *record) {
    ruga_json_writer *json;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "directory", record->directory);
    ruga_json_put_integer(json, "frames", record->frames_done);
    ruga_json_put_array(json, "columns");
    for (size_t m = 0; m < record->measure_count; m++) {
        column_summary c = record_summarise(record, m);
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "name", record->measures[m].name);
        ruga_json_put_string(json, "unit", record->measures[m].unit);
        ruga_json_put_boolean(json, "is_time", record->measures[m].is_time);
        ruga_json_put_number(json, "sum", c.sum);
        ruga_json_put_number(json, "mean", c.mean);
        ruga_json_put_number(json, "min", c.low);
        ruga_json_put_number(json, "max", c.high);
        ruga_json_put_number(json, "last", c.last);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

/* ---- CSV. A missing value is an empty cell. */
/* Writes to a stream or, if NULL, to standard output. */
static void write_cell(session *s, FILE *stream, const char *text) {
    if (stream)
        fputs(text, stream);
    else
        session_write(s, text, strlen(text));
}

static void write_csv(session *s, FILE *stream, const ruga_run_record *record) {
    char number[64];
    write_cell(s, stream, "frame");
    for (size_t m = 0; m < record->measure_count; m++) {
        write_cell(s, stream, ",");
        write_cell(s, stream, record->measures[m].name);
    }
    for (int i = 0; i < record->frames_done; i++) {
        snprintf(number, sizeof number, "\n%d", record->start_frame + i);
        write_cell(s, stream, number);
        for (size_t m = 0; m < record->measure_count; m++) {
            double value = record_value(record, (size_t)i, m);
            snprintf(number, sizeof number, isnan(value) ? "," : ",%.17g", value);
            write_cell(s, stream, number);
        }
    }
    write_cell(s, stream, "\n");
}

static int write_folder(session *s, const ruga_run_record *record, const char *folder) {
    char path[4200];
    text_file file;
    size_t plots = 0;
    int code = make_folder(s, folder);
    snprintf(path, sizeof path, "%s/stats.csv", folder);
    if (!code) code = text_file_begin(s, &file, path);
    if (!code) {
        write_csv(s, file.stream, record);
        code = text_file_end(s, &file);
    }
    if (!code && record->frames_done > 0) code = stats_plot(s, record, folder, &plots);
    if (!code) session_remark(s, "\nwrote %s and %zu plot%s beside it\n", path, plots, plots == 1 ? "" : "s");
    return code;
}

static int run(session *s, const arguments *a) {
    if (a->word_count != 1) return session_error(s, EXIT_USAGE, "stats: expected one run: ruga stats DIR");
    ruga_run_record *record = NULL;
    int code = read_run(s, a->words[0], &record);
    if (code) return code;
    const char *folder = option_text(a, "output");
    if (s->json)
        code = print_json(s, record);
    else if (option_given(a, "csv"))
        write_csv(s, NULL, record);
    else if (!s->quiet) {
        print_run_state(s, record);
        if (record->frames_done > 0) print_stages(s, record);
        if (record->frames_done > 0) print_measures(s, record);
    }
    if (!code && folder) code = write_folder(s, record, folder);
    ruga_run_record_destroy(s->context, record);
    return code;
}

const command command_stats = {
    .name = "stats",
    .summary = "prints the timings of a run, and plots its measures",
    .usage = "ruga stats DIR [-o FOLDER] [--csv]",
    .about =
        "Prints a table of the time of each stage, and of iterations, energies and contacts over the frames of a "
        "run, also while it is running. With -o, all columns go to stats.csv, with plots as PNG and SVG.",
    .examples =
        "  ruga stats flutter.run\n"
        "  ruga stats flutter.run -o plots\n"
        "  ruga stats flutter.run --csv >flutter.csv\n",
    .groups = {OPTION_GROUP("Options", stats_options)},
    .run = run,
};
