/* Coherent waves of splines; the header has the method. */
#include "geom/spline_waves.h"

#include <math.h>

#include "base/threads.h"

#define PI 3.14159265358979323846
#define DIRECTIONS 16
#define GENTLE 0.002       /* δ */
#define NODES_PER_WAVE 8.0 /* at least */
#define DISTORTION 0.2     /* of a wavelength, of X' against X */
#define DISTORTED 6.0      /* wavelengths, of that distortion */
#define PHASE_STEP 2.4     /* rad, from direction to direction: no two waves have crests in the same corner */
#define ROW_BLOCK 8

typedef struct tensor {
    double xx, xy, yy;
} tensor;

struct spline_waves {
    ruga_context *context;
    const mesh_grid *keys;
    const spline_surface *surface;
    double number;                 /* 1/m, k */
    double normals[DIRECTIONS][2]; /* n_i */
    double *across, *up;           /* (key columns, and the first again if closed), (key rows) m, X */
    double (*inverses)[4];         /* (cells) 1/m, of the cell's sides at rest in its plane; 0: has no area */
    const vec3 *points;            /* of the update that runs */
    tensor *of_cells, *of_keys;    /* (cells), (keys) */
    float *patterns;               /* (nodes x DIRECTIONS) sin φ_i */
};

static size_t cell_columns(const spline_waves *self) { return self->keys->columns - (self->keys->closed ? 0 : 1); }

/* ---- Cells. */

/* Mean sides of a cell, along its row and its column. */
static void find_sides(const spline_waves *self, const vec3 *points, size_t row, size_t column, vec3 sides[2]) {
    size_t columns = self->keys->columns, next = (column + 1) % columns;
    const vec3 *low = points + row * columns, *high = low + columns;
    sides[0] = vec3_scale(vec3_add(vec3_sub(low[next], low[column]), vec3_sub(high[next], high[column])), 0.5);
    sides[1] = vec3_scale(vec3_add(vec3_sub(high[column], low[column]), vec3_sub(high[next], low[next])), 0.5);
}

/* The inverse of (|a|, b along a; 0, b across a). */
static void store_inverse(const vec3 sides[2], double out[4]) {
    double a = vec3_length(sides[0]), along = a > 0 ? vec3_dot(sides[0], sides[1]) / a : 0;
    double across = a > 0 ? vec3_length(vec3_cross(sides[0], sides[1])) / a : 0;
    int has_area = across > 0 && a > 0;
    out[0] = has_area ? 1 / a : 0;
    out[1] = has_area ? -along / (a * across) : 0;
    out[2] = 0;
    out[3] = has_area ? 1 / across : 0;
}

static void find_cells(void *argument, size_t begin, size_t end) {
    spline_waves *self = argument;
    for (size_t row = begin; row < end; row++)
        for (size_t column = 0; column < cell_columns(self); column++) {
            size_t cell = row * cell_columns(self) + column;
            const double *r = self->inverses[cell];
            vec3 sides[2];
            find_sides(self, self->points, row, column, sides);
            vec3 x = vec3_scale(sides[0], r[0]), y = vec3_add_scaled(vec3_scale(sides[1], r[3]), sides[0], r[1]);
            self->of_cells[cell] =
                r[0] > 0 ? (tensor){vec3_dot(x, x), vec3_dot(x, y), vec3_dot(y, y)} : (tensor){1, 0, 1};
        }
}

static void find_keys(void *argument, size_t begin, size_t end) {
    spline_waves *self = argument;
    size_t columns = self->keys->columns, rows = self->keys->rows, across = cell_columns(self);
    for (size_t row = begin; row < end; row++)
        for (size_t column = 0; column < columns; column++) {
            tensor sum = {0, 0, 0};
            int count = 0;
            for (size_t j = row > 0 ? row - 1 : 0; j <= row && j + 1 < rows; j++)
                for (size_t back = 0; back < 2; back++) {
                    if (!self->keys->closed && (column < back || column - back >= across)) continue;
                    const tensor *cell = &self->of_cells[j * across + (column + across - back) % across];
                    sum = (tensor){sum.xx + cell->xx, sum.xy + cell->xy, sum.yy + cell->yy};
                    count++;
                }
            self->of_keys[row * columns + column] = (tensor){sum.xx / count, sum.xy / count, sum.yy / count};
        }
}

void spline_waves_update(spline_waves *self, const vec3 *points) {
    self->points = points;
    parallel_for(self->context, self->keys->rows - 1, ROW_BLOCK, find_cells, self);
    parallel_for(self->context, self->keys->rows, ROW_BLOCK, find_keys, self);
}

/* ---- Heights. */

static tensor mix_tensors(tensor a, tensor b, double t) {
    return (tensor){a.xx + t * (b.xx - a.xx), a.xy + t * (b.xy - a.xy), a.yy + t * (b.yy - a.yy)};
}

static tensor tensor_at(const spline_waves *self, size_t row, size_t column) {
    const spline_place *in_row = &self->surface->row_places[column], *in_column = &self->surface->column_places[row];
    const tensor *low = self->of_keys + in_column->first * self->keys->columns;
    const tensor *high = self->of_keys + in_column->second * self->keys->columns;
    return mix_tensors(mix_tensors(low[in_row->first], low[in_row->second], in_row->t),
                       mix_tensors(high[in_row->first], high[in_row->second], in_row->t), in_column->t);
}

/* The height of all waves together where the cloth is deformed so; shares: (DIRECTIONS) √w_i. */
static double find_whole(const spline_waves *self, tensor c, double threshold, double shares[DIRECTIONS]) {
    double sum = 0, most = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        const double *n = self->normals[i];
        double square = n[0] * n[0] * c.xx + 2 * n[0] * n[1] * c.xy + n[1] * n[1] * c.yy;
        double excess = fmax(1 - threshold - sqrt(fmax(square, 0)), 0);
        shares[i] = excess * excess * excess;
        sum += shares[i] * shares[i];
        most = fmax(most, excess);
    }
    if (!(sum > 0)) return 0;
    for (int i = 0; i < DIRECTIONS; i++) shares[i] /= sqrt(sum);
    return 2 * (sqrt(most + GENTLE) - sqrt(GENTLE)) / self->number;
}

double spline_waves_height(const spline_waves *self, size_t row, size_t column, double threshold) {
    const float *pattern = self->patterns + DIRECTIONS * (row * self->surface->def.columns + column);
    double shares[DIRECTIONS], sum = 0, whole = find_whole(self, tensor_at(self, row, column), threshold, shares);
    if (!(whole > 0)) return 0;
    for (int i = 0; i < DIRECTIONS; i++) sum += shares[i] * (double)pattern[i];
    return whole * sum;
}

size_t spline_waves_count(const spline_waves *self, double threshold, double visible) {
    size_t count = 0;
    double shares[DIRECTIONS];
    for (size_t cell = 0; cell < (self->keys->rows - 1) * cell_columns(self); cell++)
        count += self->inverses[cell][0] * find_whole(self, self->of_cells[cell], threshold, shares) > visible;
    return count;
}

/* ---- Making. */

/* Distances from the first column, and from the first row: means over all rows, and over all columns. */
static void measure_sheet(spline_waves *self, const vec3 *points) {
    size_t rows = self->keys->rows, columns = self->keys->columns;
    for (size_t i = 0; i < cell_columns(self); i++) {
        double sum = 0;
        for (size_t j = 0; j < rows; j++)
            sum += vec3_distance(points[j * columns + i], points[j * columns + (i + 1) % columns]);
        self->across[i + 1] = self->across[i] + sum / (double)rows;
    }
    for (size_t j = 0; j + 1 < rows; j++) {
        double sum = 0;
        for (size_t i = 0; i < columns; i++)
            sum += vec3_distance(points[j * columns + i], points[(j + 1) * columns + i]);
        self->up[j + 1] = self->up[j] + sum / (double)columns;
    }
}

static void choose_number(spline_waves *self, double frequency) {
    const spline_surface_def *d = &self->surface->def;
    double width = self->across[cell_columns(self)], height = self->up[self->keys->rows - 1];
    double cell = (width / (double)cell_columns(self) + height / (double)(self->keys->rows - 1)) / 2;
    double step = fmax(width / (double)(d->columns - (d->closed ? 0 : 1)), height / (double)(d->rows - 1));
    self->number = fmin(frequency / (2 * cell), 2 * PI / (NODES_PER_WAVE * step));
}

/* Whole turns around a tube, at least one. */
static double whole_turns(double radians) { return 2 * PI * fmax(round(radians / (2 * PI)), 1); }

/* sin φ_i at a node. Around a tube all phases change by whole turns. */
static double pattern_at(const spline_waves *self, int i, double x, double y) {
    double width = self->across[cell_columns(self)], k = self->number, slow = k / DISTORTED;
    const double *n = self->normals[i];
    double along = k * n[0] * width, slow_along = slow * width;
    if (self->keys->closed) {
        along = 2 * PI * round(along / (2 * PI));
        slow_along = whole_turns(slow_along);
    }
    double u = x / width, phase = along * u + k * n[1] * y + PHASE_STEP * i;
    double bend = sin(slow_along * u + 1.3 * slow * y) + sin(0.7 * slow * y + 2 * PHASE_STEP * i);
    return sin(phase + 2 * PI * DISTORTION * bend);
}

static void store_patterns(void *argument, size_t begin, size_t end) {
    spline_waves *self = argument;
    const spline_surface *s = self->surface;
    for (size_t j = begin; j < end; j++)
        for (size_t i = 0; i < s->def.columns; i++) {
            const spline_place *p = &s->row_places[i], *q = &s->column_places[j];
            size_t next = p->first + 1 < self->keys->columns || self->keys->closed ? p->first + 1 : p->first;
            double x = self->across[p->first] + p->t * (self->across[next] - self->across[p->first]);
            double y = self->up[q->first] + q->t * (self->up[q->second] - self->up[q->first]);
            for (int k = 0; k < DIRECTIONS; k++)
                self->patterns[DIRECTIONS * (j * s->def.columns + i) + (size_t)k] = (float)pattern_at(self, k, x, y);
        }
}

static ruga_status fill(spline_waves *self, const vec3 *points, double frequency) {
    size_t rows = self->keys->rows, columns = self->keys->columns, cells = (rows - 1) * cell_columns(self);
    size_t nodes = self->surface->def.rows * self->surface->def.columns;
    TRY(NEW_ZEROED(self->context, &self->across, columns + 1));
    TRY(NEW_ZEROED(self->context, &self->up, rows));
    TRY(NEW(self->context, &self->inverses, cells));
    TRY(NEW(self->context, &self->of_cells, cells));
    TRY(NEW(self->context, &self->of_keys, rows * columns));
    TRY(NEW(self->context, &self->patterns, nodes * DIRECTIONS));
    for (size_t i = 0; i < DIRECTIONS; i++) {
        self->normals[i][0] = cos(PI * (double)i / DIRECTIONS);
        self->normals[i][1] = sin(PI * (double)i / DIRECTIONS);
    }
    for (size_t cell = 0; cell < cells; cell++) {
        vec3 sides[2];
        find_sides(self, points, cell / cell_columns(self), cell % cell_columns(self), sides);
        store_inverse(sides, self->inverses[cell]);
    }
    measure_sheet(self, points);
    choose_number(self, frequency);
    parallel_for(self->context, self->surface->def.rows, ROW_BLOCK, store_patterns, self);
    return RUGA_OK;
}

ruga_status spline_waves_create(ruga_context *context, const mesh_grid *keys, const spline_surface *surface,
                                const vec3 *points, double frequency, spline_waves **out) {
    spline_waves *self;
    TRY(NEW_ZEROED(context, &self, 1));
    self->context = context;
    self->keys = keys;
    self->surface = surface;
    RETURN_MADE(fill(self, points, frequency), self, out, spline_waves_destroy(self));
}

void spline_waves_destroy(spline_waves *self) {
    if (!self) return;
    RELEASE_ALL(self->context, self->across, self->up, self->inverses, self->of_cells, self->of_keys, self->patterns,
                self);
}
