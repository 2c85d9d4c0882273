/* The pictures of a sweep: each measure against each parameter, and a sheet with the last frame of each run. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "picture.h"
#include "runs.h"
#include "sweep.h"
#include "vectors.h"

/* ---- Parameters as numbers. */
enum { MOST_NAMES = 8 };

typedef struct parameter {
    double *x;                     /* (runs) NaN: no value */
    size_t count;                  /* of different values */
    int numbered;                  /* the values are no numbers: x is their place in the list of names */
    const char *names[MOST_NAMES]; /* (name_count) */
    size_t name_count;             /* 0: x is a number, or the label lists the names */
    double longest;                /* letters of a name */
    char label[400];
} parameter;

/* The numbers of "[0,0,5]", or of "5". Returns how many there are; 0: it is not made of numbers. */
static int read_numbers(const char *text, double out[4]) {
    char copy[256], *at = copy;
    int count = 0;
    if (ruga_number_parse(text, &out[0])) return 1;
    size_t length = strlen(text);
    if (length < 2 || length >= sizeof copy || text[0] != '[' || text[length - 1] != ']') return 0;
    snprintf(copy, sizeof copy, "%.*s", (int)length - 2, text + 1);
    for (char *part = strtok(at, ", "); part; part = strtok(NULL, ", "))
        if (count == 4 || !ruga_number_parse(part, &out[count++])) return 0;
    return count;
}

/* If all values are lists of which one component alone differs, that component; 0 for numbers; -1: neither. */
static int varying_component(const sweep *w, size_t key) {
    double first[4], other[4];
    int count = 0, varying = -1;
    for (size_t i = 0; i < w->run_count; i++) {
        if (!w->runs[i].values[key][0]) continue;
        int here = read_numbers(w->runs[i].values[key], other);
        if (here == 0 || (count && here != count)) return -1;
        if (!count) memcpy(first, other, sizeof first);
        count = here;
        for (int c = 0; c < count; c++) {
            if (other[c] == first[c] || varying == c) continue;
            if (varying >= 0) return -1;
            varying = c;
        }
    }
    return varying < 0 && count == 1 ? 0 : varying;
}

/* Adds a value that is no number. Names stand below the axis if all have room there, else the label lists them. */
static void add_name(parameter *p, const char *value) {
    const double frame = 24, letter = 0.55; /* the least width of a frame, and that of a letter, in letter sizes */
    const char *name = value[0] ? value : "as in the scene";
    const size_t used = strlen(p->label);
    snprintf(p->label + used, sizeof p->label - used, "%s %zu = %s", p->count ? "," : ":", p->count, name);
    if (p->count < MOST_NAMES) p->names[p->count] = name;
    p->longest = fmax(p->longest, (double)strlen(name));
    const double count = (double)p->count + 1;
    p->name_count = p->count < MOST_NAMES && count * (p->longest * letter + 1) <= frame ? p->count + 1 : 0;
}

/* Numbers stay what they are; other values are numbered in the order of their runs. */
static void number_values(const sweep *w, size_t key, parameter *p) {
    int component = varying_component(w, key);
    double numbers[4];
    snprintf(p->label, sizeof p->label, "%s", w->keys[key]);
    const size_t used = strlen(p->label);
    if (component >= 0 && w->run_count && read_numbers(w->runs[0].values[key], numbers) > 1)
        snprintf(p->label + used, sizeof p->label - used, "[%d]", component);
    p->count = p->name_count = 0;
    p->longest = 0;
    p->numbered = component < 0;
    for (size_t i = 0; i < w->run_count; i++) {
        const char *value = w->runs[i].values[key];
        size_t same = 0;
        while (same < i && strcmp(w->runs[same].values[key], value) != 0) same++;
        p->x[i] = same < i ? p->x[same] : (double)p->count;
        if (same < i) continue;
        if (component >= 0) p->x[i] = value[0] && read_numbers(value, numbers) > component ? numbers[component] : NAN;
        if (component < 0) add_name(p, value);
        p->count++;
    }
    if (p->name_count) p->label[used] = 0;
}

/* ---- Plots. */
enum { MOST_LINES = 8, MOST_PLOTS = 200 };
#define LOG_FROM 50.0 /* largest over smallest value, from which an axis is logarithmic */

typedef struct plot_work {
    const sweep *w;
    double *x, *y; /* (runs) sorted into lines */
    size_t *line;  /* (runs) the line of each for the key at hand */
    size_t line_count;
} plot_work;

static int wants_log(const double *values, size_t count) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) continue;
        if (!(values[i] > 0)) return 0;
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    return high > LOG_FROM * low;
}

static int all_whole(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (values[i] != round(values[i])) return 0;
    return 1;
}

/* Runs that differ in this key alone share a line. Returns the number of lines. */
static size_t find_lines(const sweep *w, size_t key, size_t *line) {
    size_t count = 0;
    for (size_t i = 0; i < w->run_count; i++) {
        size_t same = 0;
        for (; same < i; same++) {
            int equal = 1;
            for (size_t k = 0; k < w->key_count && equal; k++)
                equal = k == key || strcmp(w->runs[same].values[k], w->runs[i].values[k]) == 0;
            if (equal) break;
        }
        line[i] = same < i ? line[same] : count++;
    }
    return count;
}

/* "damping 0.1, wind [0,0,5]": the values of a run but for that of `key`, without those that all runs share. */
static void name_line(const sweep *w, size_t key, const sweep_run *run, char *text, size_t size) {
    size_t used = 0;
    char word[128];
    text[0] = 0;
    for (size_t k = 0; k < w->key_count && used < size; k++) {
        int varies = 0;
        for (size_t i = 1; i < w->run_count; i++) varies |= strcmp(w->runs[i].values[k], w->runs[0].values[k]) != 0;
        if (k == key || !varies) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s %s", used ? ", " : "",
                                 sweep_short_key(w, k, word, sizeof word),
                                 run->values[k][0] ? run->values[k] : "as in the scene");
    }
}

static int write_plot(session *s, const ruga_plot_def *def, const sweep *w, const char *measure, const char *key) {
    char name[400];
    sweep_path path;
    const char *unit = strstr(measure, " [");
    snprintf(name, sizeof name, "%.*s-against-%.180s", unit ? (int)(unit - measure) : 180, measure, key);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("-._", *at)) *at = '_';
    int code = sweep_output(s, w, "plots/", name, ".svg", path);
    if (!code) code = output_code(s, ruga_plot_write_svg(s->context, def, path));
    if (!code) code = sweep_output(s, w, "plots/", name, ".png", path);
    if (code) return code;
    ruga_status status = ruga_plot_write_png(s->context, def, path);
    return status == RUGA_ERROR_UNSUPPORTED ? 0 : output_code(s, status);
}

/* One plot of `values` (runs, with a stride) against a key. */
static int plot_one(session *s, plot_work *p, size_t key, const parameter *x, const double *values, size_t stride,
                    const char *label, const char *file) {
    const sweep *w = p->w;
    size_t lines = p->line_count, used = 0;
    ruga_plot_series series[MOST_LINES];
    char names[MOST_LINES][160];
    const int together = lines > MOST_LINES;
    ruga_plot_def def = ruga_plot_def_default();
    def.series_count = together ? 1 : lines;
    def.series = series;
    def.x_label = x->label;
    def.y_label = label;
    for (size_t l = 0; l < def.series_count; l++) {
        size_t begin = used, run = 0;
        /* Marks over one name stand side by side. */
        const double beside = x->numbered && !together ? 0.08 * ((double)l - 0.5 * (double)(lines - 1)) : 0;
        for (size_t i = 0; i < w->run_count; i++) {
            if ((!together && p->line[i] != l) || isnan(x->x[i]) || isnan(values[i * stride])) continue;
            size_t at = used++; /* sorted by x */
            for (; at > begin && p->x[at - 1] > x->x[i] + beside; at--)
                p->x[at] = p->x[at - 1], p->y[at] = p->y[at - 1];
            p->x[at] = x->x[i] + beside;
            p->y[at] = values[i * stride];
        }
        while (run < w->run_count && p->line[run] != l) run++;
        name_line(w, key, &w->runs[run < w->run_count ? run : 0], names[l], sizeof names[l]);
        series[l] = (ruga_plot_series){.name = together || lines == 1 ? NULL : names[l],
                                       .x = p->x + begin,
                                       .y = p->y + begin,
                                       .count = used - begin,
                                       .kind = together || x->numbered ? RUGA_PLOT_POINTS : RUGA_PLOT_BOTH};
    }
    def.x_log = !x->numbered && wants_log(p->x, used);
    def.x_whole = x->numbered || all_whole(p->x, used);
    def.x_names = x->names;
    def.x_name_count = x->name_count;
    def.y_log = wants_log(p->y, used);
    return used ? write_plot(s, &def, w, file, w->keys[key]) : 0;
}

/* Whether two runs have different values. */
static int differs(const sweep *w, const double *values, size_t stride) {
    double first = NAN;
    for (size_t i = 0; i < w->run_count; i++) {
        double value = values[i * stride];
        if (isnan(value)) continue;
        if (!isnan(first) && value != first) return 1;
        first = value;
    }
    return 0;
}

static int plot_all(session *s, plot_work *p, const sweep_measures *m, parameter *x, double *seconds, size_t *count) {
    const sweep *w = p->w;
    int code = 0;
    for (size_t i = 0; i < w->run_count; i++)
        seconds[i] = w->runs[i].result.state == SWEEP_COMPLETE ? w->runs[i].result.seconds : NAN;
    for (size_t k = 0; k < w->key_count && !code; k++) {
        number_values(w, k, x);
        if (x->count < 2) continue;
        p->line_count = find_lines(w, k, p->line);
        code = plot_one(s, p, k, x, seconds, 1, "time of a run [s]", "seconds");
        ++*count;
        for (size_t i = 0; i < m->count && !code && *count < MOST_PLOTS; i++) {
            char label[400];
            const double *means = m->values + 3 * i + 2;
            if (!differs(w, means, 3 * m->count)) continue;
            code = session_interrupted(s);
            snprintf(label, sizeof label, "mean %s", m->names[i]);
            if (!code) code = plot_one(s, p, k, x, means, 3 * m->count, label, m->names[i]);
            ++*count;
        }
    }
    return code;
}

int sweep_plot(session *s, const sweep *w, const sweep_measures *m, size_t *count) {
    const size_t runs = w->run_count + 1;
    double *numbers = malloc(4 * runs * sizeof *numbers);
    size_t *places = malloc(runs * sizeof *places);
    sweep_path path;
    int code = numbers && places ? make_folder(s, sweep_file(w, "plots", NULL, "", path)) : session_no_memory(s);
    if (!code) {
        plot_work p = {w, numbers, numbers + runs, places, 0};
        parameter x = {.x = numbers + 2 * runs};
        code = plot_all(s, &p, m, &x, numbers + 3 * runs, count);
    }
    free(numbers);
    free(places);
    return code;
}

/* ---- The sheet. All pictures have one camera, so that they can be compared. It is fitted to the farthest points of
 * all runs in many directions, since the corners of their box would leave much of a picture empty. */
enum { DIRECTIONS = 200 };
enum { TILE_WIDTH = 400, TILE_HEIGHT = 300, WIDEST_SHEET = 16000, LABEL = 400 };

typedef struct sheet {
    const sweep *w;
    int tile_width, tile_height;
    ruga_vec3 farthest[DIRECTIONS]; /* of all last frames, m */
    double reach[DIRECTIONS];       /* how far these are */
    ruga_camera camera;
    ruga_image image;
} sheet;

/* The objects and colliders of a run at its last frame. */
static int read_last_frame(session *s, const sweep *w, const sweep_run *run, sweep_path path, picture *p) {
    double end = 0;
    int code = run_add_objects(s, sweep_file(w, "runs/", run->name, "", path), p);
    if (!code) code = run_add_colliders(s, path, p);
    for (size_t i = 0; i < p->subject_count; i++)
        if (p->subjects[i].motion) end = fmax(end, ruga_motion_get_info(p->subjects[i].motion).end);
    return code ? code : picture_move(s, p, end);
}

static int has_pictures(const sweep_run *run) { return run->result.state == SWEEP_COMPLETE; }

/* Directions that cover the sphere evenly: a spiral. */
static ruga_vec3 direction(int i) {
    const double y = 1 - (2 * i + 1) / (double)DIRECTIONS, r = sqrt(1 - y * y), turn = 2.399963229728653 * i;
    const double x = r * cos(turn), z = r * sin(turn);
    return (ruga_vec3){x, y, z};
}

static void reach_for(sheet *h, const ruga_vec3 *points, size_t count) {
    for (int i = 0; i < DIRECTIONS; i++) {
        const ruga_vec3 d = direction(i);
        for (size_t v = 0; v < count; v++) {
            const double reach = d.x * points[v].x + d.y * points[v].y + d.z * points[v].z;
            if (isfinite(reach) && reach > h->reach[i]) h->reach[i] = reach, h->farthest[i] = points[v];
        }
    }
}

static int add_run(session *s, sheet *h, picture *p, const sweep_run *run) {
    sweep_path path;
    int code = read_last_frame(s, h->w, run, path, p);
    for (size_t i = 0; i < p->subject_count && !code; i++) {
        const subject *who = &p->subjects[i];
        if (who->role != SUBJECT_OBJECT) continue;
        reach_for(h, subject_positions(who), who->mesh->vertex_count);
    }
    picture_release(p);
    return code;
}

static int fit_camera(session *s, sheet *h) {
    const ruga_render_points points = {.points = h->farthest, .point_count = DIRECTIONS, .size = 1};
    const ruga_panel panel = {
        .caption = "x", .point_set_count = 1, .point_sets = &points, .camera = ruga_camera_default()};
    ruga_render_def def = ruga_render_def_default();
    def.width = h->tile_width;
    def.height = h->tile_height;
    def.panel_count = 1;
    def.panels = &panel;
    return output_code(s, ruga_render_fit(s->context, &def, 0, &h->camera));
}

/* The options of `ruga render` with their defaults. */
static int default_look(session *s, option_list *list, arguments *a) {
    option_list_add(list, "Picture", image_options, OPTION_COUNT(image_options));
    option_list_add(list, "Look", look_options, OPTION_COUNT(look_options));
    option_list_add(list, "Camera", camera_options, OPTION_COUNT(camera_options));
    return arguments_parse(a, list, 0, NULL) ? session_error(s, EXIT_FAILED, "%s", a->message) : 0;
}

static void place_tile(sheet *h, const ruga_image *tile, int column, int row) {
    for (int y = 0; y < tile->height; y++)
        memcpy(h->image.pixels +
                   3 * ((size_t)(row * h->tile_height + y) * (size_t)h->image.width + (size_t)(column * h->tile_width)),
               tile->pixels + 3 * (size_t)y * (size_t)tile->width, 3 * (size_t)tile->width);
}

static int draw_tile(session *s, sheet *h, picture *p, const arguments *look, const sweep_run *run, int column,
                     int row) {
    sweep_path path;
    char label[LABEL];
    ruga_image *tile = NULL;
    ruga_panel nothing = {.camera = h->camera}, *panel = &nothing;
    int code = has_pictures(run) ? read_last_frame(s, h->w, run, path, p) : 0;
    if (!code) code = picture_arrange(s, look, p);
    name_line(h->w, SIZE_MAX, run, label, sizeof label);
    if (!label[0]) sweep_describe(h->w, run, label, sizeof label);
    if (has_pictures(run))
        panel = &p->panels[0];
    else {
        size_t used = strlen(label);
        snprintf(label + used, sizeof label - used, ": %s", sweep_state_names[run->result.state]);
    }
    panel->caption = label;
    panel->camera = h->camera;
    p->def.width = h->tile_width;
    p->def.height = h->tile_height;
    p->def.panels = panel;
    p->def.panel_count = 1;
    if (!code) code = output_code(s, ruga_render(s->context, &p->def, &tile));
    if (!code) place_tile(h, tile, column, row);
    ruga_image_destroy(tile);
    picture_release(p);
    return code;
}

/* Whether the runs wrote frames to draw. */
static int wrote_frames(session *s, const sweep *w, const sweep_run *run) {
    sweep_path path;
    ruga_run_record *record = NULL;
    if (RUGA_FAILED(ruga_run_record_read(s->context, sweep_file(w, "runs/", run->name, "", path), &record))) return 0;
    int wrote = record->object_count > 0 && record->frames_done > 0;
    for (size_t i = 0; i < record->object_count; i++) wrote &= record->objects[i].mesh != NULL;
    ruga_run_record_destroy(s->context, record);
    return wrote;
}

static int draw_all(session *s, sheet *h, picture *p, const arguments *look, int columns) {
    const sweep *w = h->w;
    sweep_path path;
    int code = 0;
    for (size_t i = 0; i < w->run_count && !code; i++) {
        progress_part(&s->bar, "drawing", i, w->run_count);
        code = session_interrupted(s);
        if (!code && has_pictures(&w->runs[i])) code = add_run(s, h, p, &w->runs[i]);
    }
    if (!code) code = fit_camera(s, h);
    for (size_t i = 0; i < w->run_count && !code; i++) {
        progress_part(&s->bar, "drawing", i, w->run_count);
        code = session_interrupted(s);
        if (!code) code = draw_tile(s, h, p, look, &w->runs[i], (int)i % columns, (int)i / columns);
    }
    progress_part(&s->bar, NULL, 0, 0);
    if (!code) code = sweep_output(s, w, "sheet.png", NULL, "", path);
    return code ? code : output_code(s, ruga_image_write_png(&h->image, path));
}

int sweep_draw_sheet(session *s, const sweep *w, int *wrote) {
    static picture p; /* too large for some stacks */
    *wrote = 0;
    for (size_t i = 0; i < w->run_count; i++)
        if (has_pictures(&w->runs[i]) && !wrote_frames(s, w, &w->runs[i])) {
            session_note(s, "no sheet of pictures: the runs wrote no frames; see output.formats of the scene");
            return 0;
        }
    if (sweep_count(w, SWEEP_COMPLETE) == 0) return 0;
    /* A build without pictures says so at the first. */
    ruga_image *probe = NULL;
    ruga_render_def def = ruga_render_def_default();
    def.width = def.height = 16;
    ruga_status status = ruga_render(s->context, &def, &probe);
    ruga_image_destroy(probe);
    if (status == RUGA_ERROR_UNSUPPORTED) return 0;

    int columns = (int)ceil(sqrt((double)w->run_count)), rows = ((int)w->run_count + columns - 1) / columns;
    sheet h = {.w = w};
    for (int i = 0; i < DIRECTIONS; i++) h.reach[i] = -INFINITY;
    h.tile_width = columns * TILE_WIDTH > WIDEST_SHEET ? WIDEST_SHEET / columns : TILE_WIDTH;
    h.tile_height = h.tile_width * TILE_HEIGHT / TILE_WIDTH;
    h.image = (ruga_image){.width = columns * h.tile_width, .height = rows * h.tile_height, .context = s->context};
    const size_t size = 3 * (size_t)h.image.width * (size_t)h.image.height;
    option_list list = {0};
    arguments look = {0};
    h.image.pixels = malloc(size);
    int code = h.image.pixels ? default_look(s, &list, &look) : session_no_memory(s);
    if (!code) {
        memset(h.image.pixels, 255, size);
        code = draw_all(s, &h, &p, &look, columns);
    }
    arguments_release(&look);
    free(h.image.pixels);
    *wrote = !code;
    return code;
}
