/* Detail "spline" (Kang et al. 2001, section 3). A frame: the smooth surface and its frame nodes, the waves of all
 * segments, the nodes along the normals. Each step writes every number once, so threads change nothing. */
#include "wrinkle/spline_detail.h"

#include "base/threads.h"
#include "math/spline_surface.h"
#include "mesh/grid.h"
#include "mesh/mesh.h"
#include "mesh/model.h"
#include "mesh/param.h"

#define PI 3.14159265358979323846
#define ROW_BLOCK 8
#define NODES_PER_CELL 5 /* where the number of nodes is not given */
#define NODES_PER_WAVE 4 /* at least */
#define MOST_AMPLITUDE 10
#define VISIBLE 1e-3       /* of the rest length: waves of a greater amplitude are counted */
#define MAX_NODES 1u << 28 /* of a row or a column times the other */

typedef struct spline_detail {
    detail base;
    spline_detail_def def;
    mesh_grid keys;
    spline_surface *surface;
    ruga_mesh *fine;
    size_t curve_rows;                /* rows that wave: those of the nodes, or of the key nodes (rows first) */
    double *row_rests, *column_rests; /* m, (curve_rows x row segments), (column segments x columns) rest lengths */
    spline_wave *row_waves, *column_waves; /* likewise, of the last frame */
    double row_most, column_most;          /* rad, greatest frequencies */
    vec3 *points;                          /* (key rows x key columns) m, of the last frame */
    vec3 *smooth_normals;                  /* (nodes) */
    vec3 *waved_frames, *waved_slopes; /* (key rows x columns) frame nodes that wave already (rows first), else NULL */
    double *key_amplitudes, *amplitudes; /* (input vertices), (nodes) */
    double *row_deflections;             /* (rows) m, greatest */
    void *scratch;                       /* for the normals */
    size_t waves, deflection;            /* measures */
} spline_detail;

spline_detail_def spline_detail_def_default(void) {
    return (spline_detail_def){.frequency = 40, .amplitude = ruga_param_constant(1), .limit = INFINITY};
}

/* ---- Waves. */

spline_wave spline_wave_make(const spline_detail_def *def, double rest_length, double distance) {
    double excess = (1 - def->threshold) * rest_length - distance;
    if (!(excess > 0)) return (spline_wave){0, 0};
    return (spline_wave){excess / 2, def->frequency * excess / rest_length};
}

double spline_wave_height(const spline_detail_def *def, spline_wave wave, double t) {
    if (!(wave.amplitude > 0)) return 0;
    double w = 2 * t * (1 - t); /* ½ − 2 (t − ½)² */
    double envelope = def->envelope == SPLINE_ENVELOPE_PAPER ? w : 2 * w * w;
    return envelope * fmin(wave.amplitude, 2 * def->limit) * sin(wave.frequency * t);
}

static size_t row_segments(const spline_detail *s) { return spline_segments(&s->surface->row); }
static size_t column_segments(const spline_detail *s) { return spline_segments(&s->surface->column); }

/* Distance of the control points of a segment: of the row of curves j, of the column of nodes i. */
static double row_distance(const spline_detail *s, size_t j, size_t segment) {
    const vec3 *controls = (s->waved_frames ? s->points : s->surface->column_frames) + j * s->keys.columns;
    return vec3_distance(controls[segment], controls[(segment + 1) % s->keys.columns]);
}
static double column_distance(const spline_detail *s, const vec3 *frames, size_t segment, size_t i) {
    size_t columns = s->surface->def.columns;
    return vec3_distance(frames[segment * columns + i], frames[(segment + 1) * columns + i]);
}

/* At rest nothing waves. */
static void store_rest_lengths(spline_detail *s) {
    size_t columns = s->surface->def.columns;
    for (size_t j = 0; j < s->curve_rows; j++)
        for (size_t k = 0; k < row_segments(s); k++) s->row_rests[j * row_segments(s) + k] = row_distance(s, j, k);
    for (size_t k = 0; k < column_segments(s); k++)
        for (size_t i = 0; i < columns; i++)
            s->column_rests[k * columns + i] = column_distance(s, s->surface->row_frames, k, i);
}

static spline_wave held_wave(const spline_detail *s, double rest_length, double distance, double most) {
    spline_wave wave = spline_wave_make(&s->def, rest_length, distance);
    return (spline_wave){wave.amplitude, fmin(wave.frequency, most)};
}

static void find_row_waves(void *argument, size_t begin, size_t end) {
    spline_detail *s = argument;
    for (size_t j = begin; j < end; j++)
        for (size_t k = 0; k < row_segments(s); k++) {
            size_t at = j * row_segments(s) + k;
            s->row_waves[at] = held_wave(s, s->row_rests[at], row_distance(s, j, k), s->row_most);
        }
}

static void find_column_waves(void *argument, size_t begin, size_t end) {
    spline_detail *s = argument;
    const vec3 *frames = s->waved_frames ? s->waved_frames : s->surface->row_frames;
    size_t columns = s->surface->def.columns;
    for (size_t k = begin; k < end; k++)
        for (size_t i = 0; i < columns; i++) {
            size_t at = k * columns + i;
            s->column_waves[at] = held_wave(s, s->column_rests[at], column_distance(s, frames, k, i), s->column_most);
        }
}

static double scaled_height(const spline_detail *s, spline_wave wave, double amplitude, double t) {
    return spline_wave_height(&s->def, (spline_wave){amplitude * wave.amplitude, wave.frequency}, t);
}

/* ---- Amplitudes: of the key nodes around a node, linear in both directions. */

static double mix_keys(const spline_detail *s, const double *values, const spline_place *in_row,
                       const spline_place *in_column) {
    const uint32_t *low = s->keys.vertices + in_column->first * s->keys.columns;
    const uint32_t *high = s->keys.vertices + in_column->second * s->keys.columns;
    double t = in_row->t, u = in_column->t;
    return (1 - u) * ((1 - t) * values[low[in_row->first]] + t * values[low[in_row->second]]) +
           u * ((1 - t) * values[high[in_row->first]] + t * values[high[in_row->second]]);
}

static void spread_amplitudes(spline_detail *s) {
    const spline_surface *surface = s->surface;
    for (size_t j = 0; j < surface->def.rows; j++)
        for (size_t i = 0; i < surface->def.columns; i++)
            s->amplitudes[j * surface->def.columns + i] =
                mix_keys(s, s->key_amplitudes, &surface->row_places[i], &surface->column_places[j]);
}

/* ---- Nodes along their normals. */

static void raise_rows(void *argument, size_t begin, size_t end) {
    spline_detail *s = argument;
    const spline_surface *surface = s->surface;
    for (size_t j = begin; j < end; j++) {
        const spline_place *in_column = &surface->column_places[j];
        s->row_deflections[j] = 0;
        for (size_t i = 0; i < surface->def.columns; i++) {
            const spline_place *in_row = &surface->row_places[i];
            size_t node = j * surface->def.columns + i;
            spline_wave column = s->column_waves[in_column->first * surface->def.columns + i];
            double height = scaled_height(s, column, s->amplitudes[node], in_column->t);
            if (!s->waved_frames)
                height +=
                    scaled_height(s, s->row_waves[j * row_segments(s) + in_row->first], s->amplitudes[node], in_row->t);
            s->base.positions[node] = vec3_add_scaled(s->base.positions[node], s->smooth_normals[node], height);
            s->row_deflections[j] = fmax(s->row_deflections[j], fabs(height));
        }
    }
}

/* Rows first: the frame nodes on key rows wave, and all columns go through them. */
static void wave_key_rows(void *argument, size_t begin, size_t end) {
    spline_detail *s = argument;
    const spline_surface *surface = s->surface;
    for (size_t j = begin; j < end; j++) {
        const spline_place at_key = {.first = (uint32_t)j, .second = (uint32_t)j};
        for (size_t i = 0; i < surface->def.columns; i++) {
            const spline_place *in_row = &surface->row_places[i];
            size_t frame = j * surface->def.columns + i;
            vec3 across = vec3_cross(surface->frame_along_row[frame], surface->frame_along_column[frame]);
            double amplitude = mix_keys(s, s->key_amplitudes, in_row, &at_key);
            double height = scaled_height(s, s->row_waves[j * row_segments(s) + in_row->first], amplitude, in_row->t);
            s->waved_frames[frame] = vec3_add_scaled(surface->row_frames[frame], vec3_normalise(across), height);
        }
    }
}

static void follow_waved_frames(void *argument, size_t begin, size_t end) {
    spline_detail *s = argument;
    const spline_surface *surface = s->surface;
    size_t stride = surface->def.columns;
    for (size_t i = begin; i < end; i++) {
        const vec3 *frames = s->waved_frames + i;
        vec3 *slopes = s->waved_slopes + i;
        spline_slopes(&surface->column, frames, stride, slopes);
        for (size_t j = 0; j < surface->def.rows; j++)
            s->base.positions[j * stride + i] = spline_value(&surface->column_places[j], frames, slopes, stride);
    }
}

/* ---- Frames. */

static void find_smooth(spline_detail *s, const vec3 *positions, vec3 *nodes) {
    for (size_t k = 0; k < s->keys.rows * s->keys.columns; k++) s->points[k] = positions[s->keys.vertices[k]];
    spline_surface_evaluate(s->surface, s->points, nodes, s->smooth_normals);
}

static void tell_measures(spline_detail *s) {
    const spline_surface_def *d = &s->surface->def;
    double waves = 0, greatest = 0;
    for (size_t k = 0; k < s->curve_rows * row_segments(s); k++)
        waves += s->row_waves[k].amplitude > VISIBLE * s->row_rests[k];
    for (size_t k = 0; k < d->columns * column_segments(s); k++)
        waves += s->column_waves[k].amplitude > VISIBLE * s->column_rests[k];
    for (size_t j = 0; j < d->rows; j++) greatest = fmax(greatest, s->row_deflections[j]);
    s->base.measures.items[s->waves].value = waves;
    s->base.measures.items[s->deflection].value = greatest;
}

static ruga_status update(detail *d, const ruga_frame *in, double dt, const environment *e) {
    (void)e;
    spline_detail *s = (spline_detail *)d;
    TRY(detail_check_frame(d, in, dt));
    if (param_changes(&s->def.amplitude)) {
        TRY(ruga_param_evaluate(&s->def.amplitude, "amplitude", d->input, in->time, s->key_amplitudes));
        spread_amplitudes(s);
    }
    find_smooth(s, in->positions, d->positions);
    parallel_for(d->context, s->curve_rows, ROW_BLOCK, find_row_waves, s);
    if (s->waved_frames) {
        parallel_for(d->context, s->keys.rows, ROW_BLOCK, wave_key_rows, s);
        parallel_for(d->context, s->surface->def.columns, ROW_BLOCK, follow_waved_frames, s);
    }
    parallel_for(d->context, column_segments(s), ROW_BLOCK, find_column_waves, s);
    parallel_for(d->context, s->surface->def.rows, ROW_BLOCK, raise_rows, s);
    mesh_normals(d->output, d->positions, s->scratch, d->normals);
    tell_measures(s);
    return RUGA_OK;
}

/* ---- Making. */

static void destroy(detail *d) {
    spline_detail *s = (spline_detail *)d;
    ruga_context *context = d->context;
    void *const owned[] = {s->waved_frames, s->waved_slopes,   s->row_rests,       s->column_rests,
                           s->row_waves,    s->column_waves,   s->points,          s->smooth_normals,
                           s->amplitudes,   s->key_amplitudes, s->row_deflections, s->scratch};
    detail_release(d);
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) memory_release(context, owned[k]);
    spline_surface_destroy(s->surface);
    mesh_grid_release(context, &s->keys);
    ruga_mesh_destroy(s->fine);
    memory_release(context, s);
}

static ruga_status check_def(ruga_context *context, const spline_detail_def *def) {
    if (!(def->threshold >= 0 && def->threshold < 1))
        return fail_with(context, RUGA_ERROR_ARGUMENT, "spline: the threshold is %g, it must be within [0, 1)",
                         def->threshold);
    if (!(def->frequency >= 0) || !isfinite(def->frequency))
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "spline: the frequency is %g, it must be finite and not negative", def->frequency);
    if (!(def->limit >= 0))
        return fail_with(context, RUGA_ERROR_ARGUMENT, "spline: the limit is %g m, it must not be negative",
                         def->limit);
    if ((def->key_rows == 0) != (def->key_columns == 0))
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "spline: %zu rows and %zu columns of key nodes; give both, or neither to find them",
                         def->key_rows, def->key_columns);
    return RUGA_OK;
}

static ruga_status find_keys(spline_detail *s) {
    const ruga_mesh *input = s->base.input;
    if (s->def.key_rows == 0) return mesh_grid_find(input, &s->keys);
    return mesh_grid_of_order(input, s->def.key_rows, s->def.key_columns, &s->keys);
}

static ruga_status make_surface(spline_detail *s) {
    ruga_context *context = s->base.context;
    spline_surface_def def = {s->def.curve, s->keys.rows, s->keys.columns, s->def.rows, s->def.columns, s->keys.closed};
    size_t cells = def.key_columns - (def.closed ? 0 : 1);
    if (def.rows == 0) def.rows = NODES_PER_CELL * (def.key_rows - 1) + 1;
    if (def.columns == 0) def.columns = NODES_PER_CELL * cells + (def.closed ? 0 : 1);
    if (def.rows < 2 || def.columns < (def.closed ? 3u : 2u) || def.columns > (MAX_NODES) / def.rows)
        return fail_with(
            context, RUGA_ERROR_ARGUMENT,
            "spline: %zu rows and %zu columns of nodes; each must be at least 2 (columns of a tube 3), and "
            "all together at most %u",
            def.rows, def.columns, MAX_NODES);
    TRY(spline_surface_create(context, &def, &s->surface));
    s->curve_rows = s->def.order == SPLINE_ROWS_FIRST ? def.key_rows : def.rows;
    double steps = (double)(def.columns - (def.closed ? 0 : 1));
    s->row_most = 2 * PI / NODES_PER_WAVE * steps / (double)cells;
    s->column_most = 2 * PI / NODES_PER_WAVE * (double)(def.rows - 1) / (double)(def.key_rows - 1);
    return RUGA_OK;
}

static ruga_status allocate_arrays(spline_detail *s) {
    ruga_context *context = s->base.context;
    size_t rows = s->surface->def.rows, columns = s->surface->def.columns, nodes = rows * columns;
    size_t frames = s->keys.rows * columns, in_rows = s->curve_rows * row_segments(s),
           in_columns = columns * column_segments(s), keys = s->base.input->vertex_count;
    s->row_rests = ALLOCATE(context, double, in_rows);
    s->column_rests = ALLOCATE(context, double, in_columns);
    s->row_waves = ALLOCATE_ZEROED(context, spline_wave, in_rows);
    s->column_waves = ALLOCATE_ZEROED(context, spline_wave, in_columns);
    s->points = ALLOCATE(context, vec3, keys);
    s->smooth_normals = ALLOCATE(context, vec3, nodes);
    s->amplitudes = ALLOCATE(context, double, nodes);
    s->key_amplitudes = ALLOCATE(context, double, keys);
    s->row_deflections = ALLOCATE_ZEROED(context, double, rows);
    if (s->def.order == SPLINE_ROWS_FIRST) {
        s->waved_frames = ALLOCATE(context, vec3, frames);
        s->waved_slopes = ALLOCATE(context, vec3, frames);
        if (!s->waved_frames || !s->waved_slopes) return fail_memory(context, frames * sizeof(vec3));
    }
    int ok = s->row_rests && s->column_rests && s->row_waves && s->column_waves && s->points && s->smooth_normals &&
             s->amplitudes && s->key_amplitudes && s->row_deflections;
    return ok ? RUGA_OK : fail_memory(context, nodes * sizeof(vec3));
}

/* UVs that the input's vertices have, mixed. */
static void mix_uvs(spline_detail *s, const ruga_attribute *uv, float *values) {
    const spline_surface *surface = s->surface;
    double *of_keys = s->key_amplitudes; /* not filled yet */
    for (uint32_t c = 0; c < 2; c++) {
        for (size_t v = 0; v < s->base.input->vertex_count; v++) of_keys[v] = ruga_attribute_get(uv, v, c);
        for (size_t j = 0; j < surface->def.rows; j++)
            for (size_t i = 0; i < surface->def.columns; i++)
                values[2 * (j * surface->def.columns + i) + c] =
                    (float)mix_keys(s, of_keys, &surface->row_places[i], &surface->column_places[j]);
    }
}

/* The output's mesh is the smooth surface at rest; its frame nodes give the rest lengths. */
static ruga_status make_output(spline_detail *s) {
    const ruga_mesh *input = s->base.input;
    ruga_context *context = input->context;
    const spline_surface_def *d = &s->surface->def;
    const ruga_attribute *uv = ruga_mesh_attribute(input, "uv", RUGA_DOMAIN_VERTEX);
    mesh_parts parts = {0};
    ruga_status status = model_quads(context, d->columns - (d->closed ? 0 : 1), d->rows - 1, d->closed, &parts);
    if (RUGA_FAILED(status)) {
        mesh_parts_release(context, &parts);
        return status;
    }
    find_smooth(s, input->positions, parts.positions);
    store_rest_lengths(s);
    if (uv && uv->components >= 2 && !d->closed) mix_uvs(s, uv, (float *)(uintptr_t)parts.attributes.items[0].values);
    return mesh_from_parts(context, &parts, &s->fine);
}

static ruga_status fill_detail(spline_detail *s, const ruga_mesh *input) {
    ruga_context *context = input->context;
    TRY(check_def(context, &s->def));
    TRY(find_keys(s));
    TRY(make_surface(s));
    TRY(allocate_arrays(s));
    TRY(make_output(s));
    TRY(param_prepare(&s->def.amplitude, "amplitude", input, s->key_amplitudes));
    spread_amplitudes(s);
    static const detail_interface interface = {.update = update, .destroy = destroy};
    TRY(detail_init(&s->base, &interface, "spline", input, s->fine));
    s->waves = measure_add(&s->base.measures, "waves", "1");
    s->deflection = measure_add(&s->base.measures, "deflection", "m");
    s->scratch = memory_allocate(context, mesh_normals_scratch(s->fine), 1);
    s->base.normals = ALLOCATE(context, vec3, s->fine->vertex_count);
    if (!s->scratch || !s->base.normals) return fail_memory(context, mesh_normals_scratch(s->fine));
    mesh_normals(s->fine, NULL, s->scratch, s->base.normals);
    return RUGA_OK;
}

ruga_status detail_spline_create(const ruga_mesh *input, const spline_detail_def *def, detail **out) {
    spline_detail *s = ALLOCATE_ZEROED(input->context, spline_detail, 1);
    if (!s) return fail_memory(input->context, sizeof *s);
    s->base.context = input->context;
    s->base.input = input;
    s->def = *def;
    s->def.amplitude.low = 0;
    s->def.amplitude.high = MOST_AMPLITUDE;
    ruga_status status = fill_detail(s, input);
    if (RUGA_FAILED(status)) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return RUGA_OK;
}

ruga_status spline_detail_mesh(const ruga_mesh *input, const spline_detail_def *def, ruga_mesh **out) {
    detail *d = NULL;
    TRY(detail_spline_create(input, def, &d));
    *out = ((spline_detail *)d)->fine;
    ((spline_detail *)d)->fine = NULL;
    destroy(d);
    return RUGA_OK;
}
