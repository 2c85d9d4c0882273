/* Part "spline" (Kang et al. 2001, section 3). A frame: the smooth surface and its frame nodes, the waves of all
 * segments, the nodes along the normals. Each step writes every number once, so threads change nothing. */
#include "wrinkle/spline_part.h"

#include <string.h>

#include "base/threads.h"
#include "body/kind.h"
#include "geom/spline_waves.h"
#include "linalg/map.h"
#include "math/spline_surface.h"
#include "mesh/carry.h"
#include "mesh/grid.h"
#include "mesh/mesh.h"
#include "mesh/param.h"
#include "mesh/topology.h"
#include "model/model.h"

#define PI 3.14159265358979323846
#define ROW_BLOCK 8
#define NODES_PER_CELL 5 /* where the number of nodes is not given */
#define NODES_PER_WAVE 4 /* at least */
#define MOST_AMPLITUDE 10
#define VISIBLE 1e-3       /* of the rest length: waves of a greater amplitude are counted */
#define MAX_NODES 1u << 28 /* of a row or a column times the other */

typedef struct spline_part {
    part base;
    ruga_spline_def def;
    ruga_param first_amplitude; /* for the input that it was made with; that of the def is for the current one */
    arena carried;              /* memory of the latter */
    ruga_map *same;             /* output from itself, after a rebuild */
    mesh_grid keys;
    spline_surface *surface;
    spline_waves *coherent; /* NULL: the waves of segments, in the arrays below */
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
} spline_part;

/* ---- Waves. */

spline_wave spline_wave_make(const ruga_spline_def *def, double rest_length, double distance) {
    double excess = (1 - def->threshold) * rest_length - distance;
    if (!(excess > 0)) return (spline_wave){0, 0};
    return (spline_wave){excess / 2, def->frequency * excess / rest_length};
}

double spline_wave_height(const ruga_spline_def *def, spline_wave wave, double t) {
    if (!(wave.amplitude > 0)) return 0;
    double w = 2 * t * (1 - t); /* ½ − 2 (t − ½)² */
    double envelope = def->envelope == SPLINE_ENVELOPE_PAPER ? w : 2 * w * w;
    return envelope * fmin(wave.amplitude, 2 * def->limit) * sin(wave.frequency * t);
}

static size_t row_segments(const spline_part *self) { return spline_segments(&self->surface->row); }
static size_t column_segments(const spline_part *self) { return spline_segments(&self->surface->column); }

/* Distance of the control points of a segment: of the row of curves j, of the column of nodes i. */
static double row_distance(const spline_part *self, size_t j, size_t segment) {
    const vec3 *controls = (self->waved_frames ? self->points : self->surface->column_frames) + j * self->keys.columns;
    return vec3_distance(controls[segment], controls[(segment + 1) % self->keys.columns]);
}
static double column_distance(const spline_part *self, const vec3 *frames, size_t segment, size_t i) {
    size_t columns = self->surface->def.columns;
    return vec3_distance(frames[segment * columns + i], frames[(segment + 1) * columns + i]);
}

/* At rest nothing waves. */
static void store_rest_lengths(spline_part *self) {
    size_t columns = self->surface->def.columns;
    for (size_t j = 0; j < self->curve_rows; j++)
        for (size_t k = 0; k < row_segments(self); k++)
            self->row_rests[j * row_segments(self) + k] = row_distance(self, j, k);
    for (size_t k = 0; k < column_segments(self); k++)
        for (size_t i = 0; i < columns; i++)
            self->column_rests[k * columns + i] = column_distance(self, self->surface->row_frames, k, i);
}

static spline_wave held_wave(const spline_part *self, double rest_length, double distance, double most) {
    spline_wave wave = spline_wave_make(&self->def, rest_length, distance);
    return (spline_wave){wave.amplitude, fmin(wave.frequency, most)};
}

static void find_row_waves(void *argument, size_t begin, size_t end) {
    spline_part *self = argument;
    for (size_t j = begin; j < end; j++)
        for (size_t k = 0; k < row_segments(self); k++) {
            size_t at = j * row_segments(self) + k;
            self->row_waves[at] = held_wave(self, self->row_rests[at], row_distance(self, j, k), self->row_most);
        }
}

static void find_column_waves(void *argument, size_t begin, size_t end) {
    spline_part *self = argument;
    const vec3 *frames = self->waved_frames ? self->waved_frames : self->surface->row_frames;
    size_t columns = self->surface->def.columns;
    for (size_t k = begin; k < end; k++)
        for (size_t i = 0; i < columns; i++) {
            size_t at = k * columns + i;
            self->column_waves[at] =
                held_wave(self, self->column_rests[at], column_distance(self, frames, k, i), self->column_most);
        }
}

static double scaled_height(const spline_part *self, spline_wave wave, double amplitude, double t) {
    return spline_wave_height(&self->def, (spline_wave){amplitude * wave.amplitude, wave.frequency}, t);
}

/* ---- Amplitudes: of the key nodes around a node, linear in both directions. */

static double mix_keys(const spline_part *self, const double *values, const spline_place *in_row,
                       const spline_place *in_column) {
    const uint32_t *low = self->keys.vertices + in_column->first * self->keys.columns;
    const uint32_t *high = self->keys.vertices + in_column->second * self->keys.columns;
    double t = in_row->t, u = in_column->t;
    return (1 - u) * ((1 - t) * values[low[in_row->first]] + t * values[low[in_row->second]]) +
           u * ((1 - t) * values[high[in_row->first]] + t * values[high[in_row->second]]);
}

static void spread_amplitudes(spline_part *self) {
    const spline_surface *surface = self->surface;
    for (size_t j = 0; j < surface->def.rows; j++)
        for (size_t i = 0; i < surface->def.columns; i++)
            self->amplitudes[j * surface->def.columns + i] =
                mix_keys(self, self->key_amplitudes, &surface->row_places[i], &surface->column_places[j]);
}

/* ---- Nodes along their normals. */

static void raise_rows(void *argument, size_t begin, size_t end) {
    spline_part *self = argument;
    const spline_surface *surface = self->surface;
    for (size_t j = begin; j < end; j++) {
        const spline_place *in_column = &surface->column_places[j];
        self->row_deflections[j] = 0;
        for (size_t i = 0; i < surface->def.columns; i++) {
            const spline_place *in_row = &surface->row_places[i];
            size_t node = j * surface->def.columns + i;
            spline_wave column = self->column_waves[in_column->first * surface->def.columns + i];
            double height = scaled_height(self, column, self->amplitudes[node], in_column->t);
            if (!self->waved_frames)
                height += scaled_height(self, self->row_waves[j * row_segments(self) + in_row->first],
                                        self->amplitudes[node], in_row->t);
            self->base.positions[node] =
                vec3_add_scaled(self->base.positions[node], self->smooth_normals[node], height);
            self->row_deflections[j] = fmax(self->row_deflections[j], fabs(height));
        }
    }
}

static void raise_coherently(void *argument, size_t begin, size_t end) {
    spline_part *self = argument;
    size_t columns = self->surface->def.columns;
    for (size_t j = begin; j < end; j++) {
        self->row_deflections[j] = 0;
        for (size_t i = 0; i < columns; i++) {
            size_t node = j * columns + i;
            double height = self->amplitudes[node] * spline_waves_height(self->coherent, j, i, self->def.threshold);
            height = fmin(fmax(height, -self->def.limit), self->def.limit);
            self->base.positions[node] =
                vec3_add_scaled(self->base.positions[node], self->smooth_normals[node], height);
            self->row_deflections[j] = fmax(self->row_deflections[j], fabs(height));
        }
    }
}

/* Rows first: the frame nodes on key rows wave, and all columns go through them. */
static void wave_key_rows(void *argument, size_t begin, size_t end) {
    spline_part *self = argument;
    const spline_surface *surface = self->surface;
    for (size_t j = begin; j < end; j++) {
        const spline_place at_key = {.first = (uint32_t)j, .second = (uint32_t)j};
        for (size_t i = 0; i < surface->def.columns; i++) {
            const spline_place *in_row = &surface->row_places[i];
            size_t frame = j * surface->def.columns + i;
            vec3 across = vec3_cross(surface->frame_along_row[frame], surface->frame_along_column[frame]);
            double amplitude = mix_keys(self, self->key_amplitudes, in_row, &at_key);
            double height =
                scaled_height(self, self->row_waves[j * row_segments(self) + in_row->first], amplitude, in_row->t);
            self->waved_frames[frame] = vec3_add_scaled(surface->row_frames[frame], vec3_normalise(across), height);
        }
    }
}

static void follow_waved_frames(void *argument, size_t begin, size_t end) {
    spline_part *self = argument;
    const spline_surface *surface = self->surface;
    size_t stride = surface->def.columns;
    for (size_t i = begin; i < end; i++) {
        const vec3 *frames = self->waved_frames + i;
        vec3 *slopes = self->waved_slopes + i;
        spline_slopes(&surface->column, frames, stride, slopes);
        for (size_t j = 0; j < surface->def.rows; j++)
            self->base.positions[j * stride + i] = spline_value(&surface->column_places[j], frames, slopes, stride);
    }
}

/* ---- Frames. */

static void find_smooth(spline_part *self, const vec3 *positions, vec3 *nodes) {
    for (size_t k = 0; k < self->keys.rows * self->keys.columns; k++)
        self->points[k] = positions[self->keys.vertices[k]];
    spline_surface_evaluate(self->surface, self->points, nodes, self->smooth_normals);
}

static void store_measures(spline_part *self) {
    const spline_surface_def *d = &self->surface->def;
    double waves = 0, greatest = 0;
    if (self->coherent) waves = (double)spline_waves_count(self->coherent, self->def.threshold, VISIBLE);
    for (size_t k = 0; !self->coherent && k < self->curve_rows * row_segments(self); k++)
        waves += self->row_waves[k].amplitude > VISIBLE * self->row_rests[k];
    for (size_t k = 0; !self->coherent && k < d->columns * column_segments(self); k++)
        waves += self->column_waves[k].amplitude > VISIBLE * self->column_rests[k];
    for (size_t j = 0; j < d->rows; j++) greatest = fmax(greatest, self->row_deflections[j]);
    self->base.measures.items[self->waves].value = waves;
    self->base.measures.items[self->deflection].value = greatest;
}

static void wave_segments(spline_part *self) {
    ruga_context *context = self->base.context;
    parallel_for(context, self->curve_rows, ROW_BLOCK, find_row_waves, self);
    if (self->waved_frames) {
        parallel_for(context, self->keys.rows, ROW_BLOCK, wave_key_rows, self);
        parallel_for(context, self->surface->def.columns, ROW_BLOCK, follow_waved_frames, self);
    }
    parallel_for(context, column_segments(self), ROW_BLOCK, find_column_waves, self);
    parallel_for(context, self->surface->def.rows, ROW_BLOCK, raise_rows, self);
}

static ruga_status update(part *p, const body *b, const substep *s, const ruga_frame *in) {
    (void)b;
    spline_part *self = (spline_part *)p;
    TRY(part_check_frame(p, s, in));
    if (param_changes(&self->def.amplitude)) {
        TRY(ruga_param_evaluate(&self->def.amplitude, "amplitude", p->input, in->time, self->key_amplitudes));
        spread_amplitudes(self);
    }
    find_smooth(self, in->positions, p->positions);
    if (self->coherent) {
        spline_waves_update(self->coherent, self->points);
        parallel_for(p->context, self->surface->def.rows, ROW_BLOCK, raise_coherently, self);
    } else {
        wave_segments(self);
    }
    mesh_normals(p->output, p->positions, self->scratch, p->normals);
    store_measures(self);
    return RUGA_OK;
}

/* ---- Rebuilding. The key nodes stay, wherever they are among the vertices of a cut or refined input: the surface, its
 * rest lengths and its waves continue bit-identical. A cut does not open the fine surface. */

static ruga_status find_keys_again(spline_part *self, const ruga_map *from_old) {
    uint32_t *copies; /* (old vertices) the first new vertex that is the same one */
    ruga_status status = RUGA_OK;
    TRY(NEW(self->base.context, &copies, from_old->columns));
    memset(copies, 0xff, from_old->columns * sizeof *copies);
    for (size_t v = from_old->rows; v-- > 0;) {
        size_t begin = from_old->offsets[v];
        if (from_old->offsets[v + 1] - begin == 1 && from_old->weights[begin] == 1)
            copies[from_old->indices[begin]] = (uint32_t)v;
    }
    for (size_t k = 0; k < self->keys.rows * self->keys.columns; k++) {
        if (copies[self->keys.vertices[k]] == NO_INDEX)
            status = fail_unsupported(
                self->base.context,
                "spline: vertex %u of the grid is gone from the new mesh; keep the vertices of the grid",
                self->keys.vertices[k]);
        if (RUGA_FAILED(status)) break;
        self->keys.vertices[k] = copies[self->keys.vertices[k]];
    }
    memory_release(self->base.context, copies);
    return status;
}

static ruga_status rebuild(part *p, const body *b, const part_change *change) {
    (void)b;
    spline_part *self = (spline_part *)p;
    double *amplitudes;
    TRY(find_keys_again(self, change->input_from_old));
    arena_release(&self->carried);
    self->carried = arena_make(p->context);
    TRY(param_carry(p->context, &self->first_amplitude, change->input_from_first, &self->carried,
                    &self->def.amplitude));
    TRY(NEW(p->context, &amplitudes, change->input->vertex_count));
    memory_release(p->context, self->key_amplitudes);
    self->key_amplitudes = amplitudes;
    TRY(param_prepare(&self->def.amplitude, "amplitude", change->input, amplitudes));
    spread_amplitudes(self);
    p->input = change->input;
    size_t count = p->output->vertex_count;
    if (!self->same) TRY(map_select_first(p->context, count, count, &self->same));
    p->output_from_old = self->same;
    return RUGA_OK;
}

/* ---- Making. */

static void destroy(part *p) {
    spline_part *self = (spline_part *)p;
    ruga_context *context = p->context;
    void *const owned[] = {self->waved_frames, self->waved_slopes,   self->row_rests,       self->column_rests,
                           self->row_waves,    self->column_waves,   self->points,          self->smooth_normals,
                           self->amplitudes,   self->key_amplitudes, self->row_deflections, self->scratch};
    part_release(p);
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) memory_release(context, owned[k]);
    spline_waves_destroy(self->coherent);
    spline_surface_destroy(self->surface);
    mesh_grid_release(context, &self->keys);
    ruga_mesh_destroy(self->fine);
    ruga_map_destroy(self->same);
    arena_release(&self->carried);
    memory_release(context, self);
}

static ruga_status check_def(ruga_context *context, const ruga_spline_def *def) {
    if (!(def->threshold >= 0 && def->threshold < 1))
        return fail_argument(context, "spline: the threshold is %g, it must be within [0, 1)", def->threshold);
    if (!(def->frequency >= 0) || !isfinite(def->frequency))
        return fail_argument(context, "spline: the frequency is %g, it must be finite and not negative",
                             def->frequency);
    if (def->limit < 0) return fail_argument(context, "spline: the limit is %g m, it must not be negative", def->limit);
    if ((def->key_rows == 0) != (def->key_columns == 0))
        return fail_argument(context, "spline: %d rows and %d columns of key nodes; give both, or neither to find them",
                             def->key_rows, def->key_columns);
    return RUGA_OK;
}

static ruga_status find_keys(spline_part *self) {
    const ruga_mesh *input = self->base.input;
    if (self->def.key_rows == 0) return mesh_grid_find(input, &self->keys);
    return mesh_grid_of_order(input, (size_t)self->def.key_rows, (size_t)self->def.key_columns, &self->keys);
}

static ruga_status make_surface(spline_part *self) {
    ruga_context *context = self->base.context;
    spline_surface_def def = {(spline_kind)self->def.curve, self->keys.rows,           self->keys.columns,
                              (size_t)self->def.rows,       (size_t)self->def.columns, self->keys.closed};
    size_t cells = def.key_columns - (def.closed ? 0 : 1);
    if (def.rows == 0) def.rows = NODES_PER_CELL * (def.key_rows - 1) + 1;
    if (def.columns == 0) def.columns = NODES_PER_CELL * cells + (def.closed ? 0 : 1);
    if (def.rows < 2 || def.columns < (def.closed ? 3u : 2u) || def.columns > (MAX_NODES) / def.rows)
        return fail_argument(
            context,
            "spline: %zu rows and %zu columns of nodes; each must be at least 2 (columns of a tube 3), and "
            "all together at most %u",
            def.rows, def.columns, MAX_NODES);
    TRY(spline_surface_create(context, &def, &self->surface));
    self->curve_rows = self->def.order == SPLINE_ROWS_FIRST ? def.key_rows : def.rows;
    double steps = (double)(def.columns - (def.closed ? 0 : 1));
    self->row_most = 2 * PI / NODES_PER_WAVE * steps / (double)cells;
    self->column_most = 2 * PI / NODES_PER_WAVE * (double)(def.rows - 1) / (double)(def.key_rows - 1);
    return RUGA_OK;
}

static ruga_status allocate_arrays(spline_part *self) {
    ruga_context *context = self->base.context;
    size_t rows = self->surface->def.rows, columns = self->surface->def.columns, nodes = rows * columns;
    size_t frames = self->keys.rows * columns, in_rows = self->curve_rows * row_segments(self),
           in_columns = columns * column_segments(self), keys = self->base.input->vertex_count;
    TRY(NEW(context, &self->row_rests, in_rows));
    TRY(NEW(context, &self->column_rests, in_columns));
    TRY(NEW_ZEROED(context, &self->row_waves, in_rows));
    TRY(NEW_ZEROED(context, &self->column_waves, in_columns));
    TRY(NEW(context, &self->points, keys));
    TRY(NEW_EACH(context, nodes, &self->smooth_normals, &self->amplitudes));
    TRY(NEW(context, &self->key_amplitudes, keys));
    TRY(NEW_ZEROED(context, &self->row_deflections, rows));
    if (self->def.order == SPLINE_ROWS_FIRST) {
        TRY(NEW_EACH(context, frames, &self->waved_frames, &self->waved_slopes));
    }
    return RUGA_OK;
}

/* UVs that the input's vertices have, mixed. */
static void mix_uvs(spline_part *self, const ruga_attribute *uv, float *values) {
    const spline_surface *surface = self->surface;
    double *of_keys = self->key_amplitudes; /* not filled yet */
    for (uint32_t c = 0; c < 2; c++) {
        for (size_t v = 0; v < self->base.input->vertex_count; v++) of_keys[v] = ruga_attribute_get(uv, v, c);
        for (size_t j = 0; j < surface->def.rows; j++)
            for (size_t i = 0; i < surface->def.columns; i++)
                values[2 * (j * surface->def.columns + i) + c] =
                    (float)mix_keys(self, of_keys, &surface->row_places[i], &surface->column_places[j]);
    }
}

/* The output's mesh is the smooth surface at rest; its frame nodes give the rest lengths. */
static ruga_status make_output(spline_part *self) {
    const ruga_mesh *input = self->base.input;
    ruga_context *context = input->context;
    const spline_surface_def *d = &self->surface->def;
    const ruga_attribute *uv = ruga_mesh_attribute(input, "uv", RUGA_DOMAIN_VERTEX);
    mesh_parts parts = {0};
    TRY_OR(model_quads(context, d->columns - (d->closed ? 0 : 1), d->rows - 1, d->closed, &parts),
           mesh_parts_release(context, &parts));
    find_smooth(self, input->positions, parts.positions);
    store_rest_lengths(self);
    if (self->def.waves == SPLINE_COHERENT)
        TRY_OR(spline_waves_create(context, &self->keys, self->surface, self->points, self->def.frequency,
                                   &self->coherent),
               mesh_parts_release(context, &parts));
    if (uv && uv->components >= 2 && !d->closed)
        mix_uvs(self, uv, (float *)(uintptr_t)parts.attributes.items[0].values);
    return mesh_from_parts(context, &parts, &self->fine);
}

static ruga_status fill_part(spline_part *self, const ruga_mesh *input) {
    ruga_context *context = input->context;
    TRY(check_def(context, &self->def));
    TRY(find_keys(self));
    TRY(make_surface(self));
    TRY(allocate_arrays(self));
    TRY(make_output(self));
    TRY(param_prepare(&self->def.amplitude, "amplitude", input, self->key_amplitudes));
    spread_amplitudes(self);
    static const part_interface interface = {.update = update, .rebuild = rebuild, .destroy = destroy};
    TRY(part_init(&self->base, &interface, "spline", input, self->fine));
    self->waves = measure_add(&self->base.measures, "waves", "1");
    self->deflection = measure_add(&self->base.measures, "deflection", "m");
    TRY(NEW_SIZED(context, &self->scratch, mesh_normals_scratch(self->fine), 1));
    TRY(NEW(context, &self->base.normals, self->fine->vertex_count));
    mesh_normals(self->fine, NULL, self->scratch, self->base.normals);
    return RUGA_OK;
}

ruga_status spline_part_create(const ruga_mesh *input, const ruga_spline_def *def, part **out) {
    spline_part *self;
    TRY(NEW_ZEROED(input->context, &self, 1));
    self->base.context = input->context;
    self->base.input = input;
    self->def = *def;
    self->def.amplitude.low = 0;
    self->def.amplitude.high = MOST_AMPLITUDE;
    self->first_amplitude = self->def.amplitude;
    RETURN_MADE(fill_part(self, input), &self->base, out, destroy(&self->base));
}

/* ---- The kind. */

static const char *const spline_curves[] = {"natural", "catmull_rom", NULL};
static const char *const spline_orders[] = {"together", "rows_first", NULL};
static const char *const spline_wavings[] = {"coherent", "segments", NULL};
static const char *const spline_envelopes[] = {"smooth", "paper", NULL};
_Static_assert(SPLINE_NATURAL == 0 && SPLINE_CATMULL_ROM == 1, "in the order of spline_kind");
_Static_assert(SPLINE_COHERENT == 0 && SPLINE_SEGMENTS == 1, "in the order of spline_waving");
_Static_assert(SPLINE_TOGETHER == 0 && SPLINE_ROWS_FIRST == 1, "in the order of spline_order");
_Static_assert(SPLINE_ENVELOPE_SMOOTH == 0 && SPLINE_ENVELOPE_PAPER == 1, "in the order of spline_envelope");

static const ruga_field spline_fields[] = {
    {"columns", RUGA_FIELD_WHOLE, AT(ruga_spline_def, columns), .unit = "1", .preset = "0", RANGE(0, 1000000),
     .help = "vertices in a row of the fine surface, any number; 0: five per cell of the grid"},
    {"rows", RUGA_FIELD_WHOLE, AT(ruga_spline_def, rows), .unit = "1", .preset = "0", RANGE(0, 1000000),
     .help = "rows of vertices of the fine surface, any number; 0: five per cell of the grid"},
    {"frequency", RUGA_FIELD_NUMBER, AT(ruga_spline_def, frequency), .unit = "rad", .preset = "40", RANGE(0, 100000),
     .help =
         "frequency of the wrinkles: a cell at half its length has this / (4 pi) of them, as far as its vertices can "
         "show them"},
    {"amplitude", RUGA_FIELD_PARAM, AT(ruga_spline_def, amplitude), .unit = "1", .preset = "1", RANGE(0, 10),
     .help = "height of the wrinkles; 1: up to a quarter of the missing length"},
    {"threshold", RUGA_FIELD_NUMBER, AT(ruga_spline_def, threshold), .unit = "1", .preset = "0", RANGE(0, 0.999),
     .help = "relative compression of a cell at which it begins to wrinkle"},
    {"limit", RUGA_FIELD_NUMBER, AT(ruga_spline_def, limit), .unit = "m", .preset = "null", RANGE(0, 1e9),
     .help = "largest height of a wrinkle; if absent, no limit"},
    {"curve", RUGA_FIELD_CHOICE, AT(ruga_spline_def, curve), .preset = "natural", .choices = spline_curves,
     .help = "natural: curvature is continuous; catmull_rom: a vertex of the grid affects two cells on either "
             "side and no more"},
    {"waves", RUGA_FIELD_CHOICE, AT(ruga_spline_def, waves), .preset = "coherent", .choices = spline_wavings,
     .help = "coherent: wrinkles keep their places and fade across cells; segments: of the paper's equation 14, from "
             "one vertex of the grid to the next"},
    {"envelope", RUGA_FIELD_CHOICE, AT(ruga_spline_def, envelope), .preset = "smooth", .choices = spline_envelopes,
     .help =
         "for waves segments; smooth: wrinkles end without a crease at the vertices of the grid; paper: as printed, "
         "with a "
         "crease"},
    {"order", RUGA_FIELD_CHOICE, AT(ruga_spline_def, order), .preset = "together", .choices = spline_orders,
     .help =
         "for waves segments; together: wrinkles along rows and columns add up; rows_first: columns run through rows "
         "that have wrinkled"},
    {"key_columns", RUGA_FIELD_WHOLE, AT(ruga_spline_def, key_columns), .unit = "1", .preset = "0", RANGE(0, 1000000),
     .help = "vertices in a row of the grid, if its vertices are stored row by row; 0: found from its faces"},
    {"key_rows", RUGA_FIELD_WHOLE, AT(ruga_spline_def, key_rows), .unit = "1", .preset = "0", RANGE(0, 1000000),
     .help = "rows of the grid, with key_columns; 0: found from its faces"},
};

static ruga_status make_part(build *b, const void *values, part **out) {
    ruga_spline_def def = *(const ruga_spline_def *)values;
    TRY(build_params(b, b->mesh, &def));
    return b->errors ? RUGA_OK : spline_part_create(b->mesh, &def, out);
}

const kind spline_part_kind = {
    .section =
        SECTION("spline", ruga_spline_def, spline_fields,
                .help = "A fine surface by splines through a coarse grid, such as a sheet or a tube, with wrinkles "
                        "where the grid is compressed (Kang et al. 2001)."),
    .role = KIND_ON_TOP,
    .make_part = make_part,
};
