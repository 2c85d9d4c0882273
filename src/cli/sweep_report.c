/* The texts that a sweep collects: the table on the terminal, sweep.csv, JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "report.h"
#include "stats.h"
#include "sweep.h"

enum { MOST_ROWS = 64, WIDEST_VALUE = 24 };

/* ---- Measures. */
static size_t find_measure(const sweep_measures *m, const char *name) {
    size_t i = 0;
    while (i < m->count && strcmp(m->names[i], name) != 0) i++;
    return i;
}

static void name_measure(const ruga_measure *measure, char *text, size_t size) {
    snprintf(text, size, strcmp(measure->unit, "1") == 0 ? "%s" : "%s [%s]", measure->name, measure->unit);
}

/* Adds the measures of a record that are new. */
static int add_names(session *s, sweep_measures *m, const ruga_run_record *record) {
    char name[320];
    for (size_t i = 0; i < record->measure_count; i++) {
        if (record->measures[i].is_time) continue;
        name_measure(&record->measures[i], name, sizeof name);
        if (find_measure(m, name) < m->count) continue;
        const char **larger = realloc(m->names, (m->count + 1) * sizeof *larger);
        if (!larger) return session_no_memory(s);
        m->names = larger;
        if (!(m->names[m->count] = strdup(name))) return session_no_memory(s);
        m->count++;
    }
    return 0;
}

static int read_record(session *s, const sweep *w, const sweep_run *run, ruga_run_record **out) {
    sweep_path path;
    *out = NULL;
    if (!ruga_path_is_run(sweep_file(w, "runs/", run->name, "", path))) return 0;
    ruga_status status = ruga_run_record_read(s->context, path, out);
    return status == RUGA_ERROR_MEMORY ? output_code(s, status) : 0;
}

int sweep_measures_read(session *s, const sweep *w, sweep_measures *out) {
    *out = (sweep_measures){0};
    ruga_run_record **records = calloc(w->run_count + 1, sizeof *records);
    int code = records ? 0 : session_no_memory(s);
    for (size_t i = 0; i < w->run_count && !code; i++) {
        code = read_record(s, w, &w->runs[i], &records[i]);
        if (!code && records[i]) code = add_names(s, out, records[i]);
    }
    const size_t cells = w->run_count * out->count * 3;
    if (!code && !(out->values = malloc((cells + 1) * sizeof *out->values))) code = session_no_memory(s);
    for (size_t i = 0; i < cells && !code; i++) out->values[i] = NAN;
    for (size_t i = 0; i < w->run_count && !code; i++)
        for (size_t k = 0; records[i] && k < records[i]->measure_count; k++) {
            char name[320];
            if (records[i]->measures[k].is_time) continue;
            name_measure(&records[i]->measures[k], name, sizeof name);
            column_summary c = record_summarise(records[i], k);
            double *to = out->values + 3 * (i * out->count + find_measure(out, name));
            to[0] = c.last;
            to[1] = c.high;
            to[2] = c.mean;
        }
    for (size_t i = 0; records && i < w->run_count; i++) ruga_run_record_destroy(s->context, records[i]);
    free(records);
    return code;
}

void sweep_measures_release(sweep_measures *m) {
    for (size_t i = 0; i < m->count; i++) free((void *)(uintptr_t)m->names[i]);
    free(m->names);
    free(m->values);
    *m = (sweep_measures){0};
}

/* ---- sweep.csv. */
static void write_text(FILE *stream, const char *text) {
    fputc('"', stream);
    for (; *text; text++) fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', stream);
}

/* The fewest digits that read back to the same number; an empty cell for none. */
static void write_number(FILE *stream, double value) {
    char text[40] = "";
    for (int digits = 15; digits <= 17 && isfinite(value); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fprintf(stream, ",%s", text);
}

int sweep_write_csv(session *s, const sweep *w, const sweep_measures *m) {
    static const char *const kinds[] = {"last", "max", "mean"};
    sweep_path path;
    text_file file;
    int code = sweep_output(s, w, "sweep.csv", NULL, "", path);
    if (!code) code = text_file_begin(s, &file, path);
    if (code) return code;
    FILE *to = file.stream;
    fprintf(to, "run,name");
    for (size_t k = 0; k < w->key_count; k++) {
        fputc(',', to);
        write_text(to, w->keys[k]);
    }
    fprintf(to, ",state,exit_code,frames,seconds,state_hash");
    for (size_t i = 0; i < 3 * m->count; i++) {
        char heading[360];
        snprintf(heading, sizeof heading, "%s %s", m->names[i / 3], kinds[i % 3]);
        fputc(',', to);
        write_text(to, heading);
    }
    fprintf(to, ",message\n");
    for (size_t i = 0; i < w->run_count; i++) {
        const sweep_run *run = &w->runs[i];
        const sweep_result *r = &run->result;
        fprintf(to, "%zu,", i);
        write_text(to, run->name);
        for (size_t k = 0; k < w->key_count; k++) {
            fputc(',', to);
            if (run->values[k][strcspn(run->values[k], ",\" [{")])
                write_text(to, run->values[k]);
            else
                fputs(run->values[k], to);
        }
        fprintf(to, ",%s,%d,%d,%.6g,%s", sweep_state_names[r->state], r->exit_code, r->frames, r->seconds, r->hash);
        for (size_t k = 0; k < 3 * m->count; k++) write_number(to, m->values[3 * i * m->count + k]);
        fputc(',', to);
        if (r->message[0]) write_text(to, r->message);
        fputc('\n', to);
    }
    return text_file_end(s, &file);
}

/* ---- The table. */
static int column_width(const sweep *w, size_t key, const char *heading) {
    size_t width = strlen(heading);
    for (size_t i = 0; i < w->run_count; i++)
        if (strlen(w->runs[i].values[key]) > width) width = strlen(w->runs[i].values[key]);
    return width < WIDEST_VALUE ? (int)width : WIDEST_VALUE;
}

/* The short key, but for one that is a heading of the table itself. */
static const char *key_heading(const sweep *w, size_t key, char *text, size_t size) {
    static const char *const taken[] = {"run", "state", "frames", "seconds"};
    sweep_short_key(w, key, text, size);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(text, taken[i]) == 0) return w->keys[key];
    return text;
}

static void print_table(session *s, const sweep *w) {
    char text[128];
    session_print(s, "%5s", "run");
    for (size_t k = 0; k < w->key_count; k++) {
        const char *key = key_heading(w, k, text, sizeof text);
        session_print(s, "  %*.*s", column_width(w, k, key), WIDEST_VALUE, key);
    }
    session_print(s, "  %-9s %7s %9s  %s\n", "state", "frames", "seconds", "state hash");
    size_t rows = 0, chosen = 0;
    for (size_t i = 0; i < w->run_count; i++) {
        const sweep_run *run = &w->runs[i];
        if (!run->chosen || (chosen++, rows == MOST_ROWS)) continue;
        rows++;
        session_print(s, "%5zu", i);
        for (size_t k = 0; k < w->key_count; k++) {
            const int width = column_width(w, k, key_heading(w, k, text, sizeof text));
            session_print(s, "  %*.*s", width, WIDEST_VALUE, run->values[k]);
        }
        session_print(s, "  %-9s %7d %9s  %s\n", sweep_state_names[run->result.state], run->result.frames,
                      with_digits(run->result.seconds), run->result.hash);
    }
    if (chosen > rows) session_print(s, "… and %zu more\n", chosen - rows);
}

static void print_failures(session *s, const sweep *w) {
    for (size_t i = 0; i < w->run_count; i++) {
        const sweep_run *run = &w->runs[i];
        sweep_path log;
        if (!run->chosen || (run->result.state != SWEEP_FAILED && !run->result.message[0])) continue;
        if (run->result.state == SWEEP_COMPLETE) continue;
        session_print(s, "run %zu %s: %s\n  see %s\n", i, sweep_state_names[run->result.state], run->result.message,
                      sweep_file(w, "logs/", run->name, ".txt", log));
    }
}

static int print_json(session *s, const sweep *w) {
    ruga_json_writer *json;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "directory", w->directory);
    ruga_json_put_string(json, "scene", w->scene);
    ruga_json_put_string(json, "isa", w->isa);
    for (int state = 0; state < 5; state++)
        ruga_json_put_count(json, sweep_state_names[state], sweep_count(w, (sweep_state)state));
    ruga_json_put_array(json, "runs");
    for (size_t i = 0; i < w->run_count; i++) {
        const sweep_run *run = &w->runs[i];
        if (!run->chosen) continue;
        ruga_json_begin_object(json);
        ruga_json_put_count(json, "run", i);
        ruga_json_put_string(json, "name", run->name);
        ruga_json_put_object(json, "values");
        for (size_t k = 0; k < w->key_count; k++) ruga_json_put_string(json, w->keys[k], run->values[k]);
        ruga_json_end_object(json);
        ruga_json_put_string(json, "state", sweep_state_names[run->result.state]);
        ruga_json_put_integer(json, "exit_code", run->result.exit_code);
        ruga_json_put_integer(json, "frames", run->result.frames);
        ruga_json_put_number(json, "seconds", run->result.seconds);
        ruga_json_put_string(json, "state_hash", run->result.hash[0] ? run->result.hash : NULL);
        ruga_json_put_string(json, "message", run->result.message[0] ? run->result.message : NULL);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

int sweep_report(session *s, const sweep *w) {
    if (s->json) return print_json(s, w);
    if (s->quiet) return 0;
    print_table(s, w);
    print_failures(s, w);
    return 0;
}
