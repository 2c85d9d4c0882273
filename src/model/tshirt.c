/* A T-shirt as it is cut: front, back and two sleeves, flat pieces with named borders, placed around the mannequin.
 *
 *        neck                       cap
 *      __    __                   __---__
 *     /  \__/  \ shoulder      _--       --_
 *     |        | armhole      |_____________| under
 *     |        | side               hem
 *     |________|
 *        hem
 *
 * Front and back stand as planes before and behind the body. A sleeve is bent around its arm, open on the inner side: a
 * flat piece still, since it only bends along the arm.
 *
 * Each piece is a grid of cells between four lines: hem, top, and two sides (a Coons patch). Lines that are sewn
 * together have as many cells. The height of a sleeve's cap follows from the length of the armhole. */
#include <string.h>

#include "math/vec2.h"
#include "math/vec3.h"
#include "model/model.h"

#define PI 3.14159265358979323846
#define SAMPLES 4000    /* of a curve, to measure it */
#define MOST_CELLS 1000 /* along a line */

enum { WIDTH, HEM, LENGTH, SHOULDERS, ARMHOLE, NECK, NECK_DEPTH, SLEEVE, SLEEVE_WIDTH, ARMS, SIZE, CELL, QUADS };

/* Where the default mannequin has its left shoulder joint, and how pieces stand around it, m. */
static const vec3 shoulder_joint = {0.168, 1.412, -0.014};
#define NECK_HEIGHT 1.57    /* of the pieces' highest points; they hang on the shoulders a little lower */
#define SLOPE 0.035         /* of the shoulder line, from the neck to its tip */
#define FRONT 0.16          /* z of the front piece */
#define BACK (-0.17)        /* z of the back piece */
#define BACK_NECK 0.3       /* depth of the neckline at the back over that at the front */
#define HOLLOW 0.015        /* by how much the armhole's control point is further in than the shoulder */
#define SLEEVE_RADIUS 0.085 /* of the bend around the arm */
#define SLEEVE_TOP 0.07     /* from the shoulder joint down along the arm */
#define SLEEVE_HEM 0.95     /* width of a sleeve at its hem over that at the armhole */

/* ---- Lines of a pattern, in its plane. */

/* The pattern's measures, m. x = 0 is the middle, y = 0 the neck's highest point. */
typedef struct pattern {
    double half, hem, length; /* half the width at the armpits and at the hem; from the neck to the hem */
    vec2 tip, pit, neck;      /* ends of the left shoulder line, the armpit */
    double depth;             /* of the neckline */
    double cap, sleeve;       /* height of the cap; length of the sleeve from its top */
    double sleeve_half;
    const double *values;
} pattern;

/* A point at t in [0, 1] of a line. */
typedef vec2 line_function(const pattern *p, double t);

static vec2 mix(vec2 a, vec2 b, double t) { return (vec2){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t}; }

static vec2 armhole(const pattern *p, double t) {
    vec2 control = {p->tip.x - HOLLOW * p->values[SIZE], p->pit.y + 0.3 * (p->tip.y - p->pit.y)};
    return mix(mix(p->pit, control, t), mix(control, p->tip, t), t);
}

static vec2 side(const pattern *p, double t) { return mix((vec2){p->hem, -p->length}, p->pit, t); }
static vec2 shoulder(const pattern *p, double t) { return mix(p->neck, p->tip, t); }

/* From the left neck point to the right one: a parabola. */
static vec2 neckline(const pattern *p, double t) {
    double x = 1 - 2 * t;
    return (vec2){p->neck.x * x, p->neck.y - p->depth * (1 - x * x)};
}

/* From the top of the cap to its front end; y is downwards along the arm. */
static vec2 cap(const pattern *p, double t) { return (vec2){p->sleeve_half * t, p->cap * (1 - cos(PI * t)) / 2}; }

static vec2 under(const pattern *p, double t) {
    return mix((vec2){p->sleeve_half, p->cap}, (vec2){SLEEVE_HEM * p->sleeve_half, p->sleeve}, t);
}

static double distance(vec2 a, vec2 b) { return hypot(b.x - a.x, b.y - a.y); }

static double line_length(const pattern *p, line_function *line) {
    double length = 0;
    vec2 before = line(p, 0);
    for (int i = 1; i <= SAMPLES; i++) {
        vec2 point = line(p, (double)i / SAMPLES);
        length += distance(point, before);
        before = point;
    }
    return length;
}

/* (count + 1) points at equal distances along a line; from its end if `back`. */
static void sample_line(const pattern *p, line_function *line, size_t count, int back, vec2 *out) {
    double length = line_length(p, line), at = 0;
    vec2 before = line(p, 0);
    size_t k = 0;
    out[back ? count : 0] = before;
    for (int i = 1; i <= SAMPLES && k + 1 < count; i++) {
        vec2 point = line(p, (double)i / SAMPLES);
        double step = distance(point, before);
        for (double next; k + 1 < count && (next = length * (double)(k + 1) / (double)count) <= at + step;) {
            k++;
            out[back ? count - k : k] = mix(before, point, step > 0 ? (next - at) / step : 0);
        }
        at += step;
        before = point;
    }
    out[back ? 0 : count] = line(p, 1);
}

/* The cap is as long as the armhole: its height by bisection. */
static ruga_status fit_cap(ruga_context *context, pattern *p) {
    double target = line_length(p, armhole), low = 0, high = p->sleeve;
    p->cap = high;
    if (!(p->sleeve_half < target && line_length(p, cap) > target))
        return fail_argument(
            context,
            "tshirt: a sleeve %g m wide and %g m long has no cap as long as the armhole of %.3g m; make "
            "it %s",
            2 * p->sleeve_half, p->sleeve, target, p->sleeve_half < target ? "longer" : "narrower");
    for (int i = 0; i < 60; i++) {
        p->cap = (low + high) / 2;
        if (line_length(p, cap) > target)
            high = p->cap;
        else
            low = p->cap;
    }
    return RUGA_OK;
}

static ruga_status make_pattern(ruga_context *context, const double *values, pattern *p) {
    double size = values[SIZE], tip = values[SHOULDERS] / 2, neck = values[NECK] / 2;
    if (!(neck < tip && values[ARMHOLE] + SLOPE < values[LENGTH] && values[NECK_DEPTH] < values[LENGTH]))
        return fail_argument(
            context,
            "tshirt: the neck (%g m) must be narrower than the shoulders (%g m), and neckline (%g m) and "
            "armhole (%g m) less deep than the shirt is long (%g m)",
            values[NECK], values[SHOULDERS], values[NECK_DEPTH], values[ARMHOLE], values[LENGTH]);
    *p = (pattern){.half = size * values[WIDTH] / 2,
                   .hem = size * values[HEM] / 2,
                   .length = size * values[LENGTH],
                   .tip = {size * tip, -size * SLOPE},
                   .pit = {size * values[WIDTH] / 2, -size * (SLOPE + values[ARMHOLE])},
                   .neck = {size * neck, 0},
                   .depth = size * values[NECK_DEPTH],
                   .sleeve = size * values[SLEEVE],
                   .sleeve_half = size * values[SLEEVE_WIDTH] / 2,
                   .values = values};
    double longest =
        size * fmax(fmax(values[LENGTH], fmax(values[WIDTH], values[HEM])), fmax(values[SLEEVE], values[SLEEVE_WIDTH]));
    if (longest > MOST_CELLS * values[CELL])
        return fail_argument(context,
                             "tshirt: cells of %g m are too small for a shirt of %g m: %d cells "
                             "along a line is the most",
                             values[CELL], longest, MOST_CELLS);
    return fit_cap(context, p);
}

/* ---- Pieces: grids between lines. */

typedef struct cells {
    size_t side, armhole, shoulder, neck, sleeve; /* along each line */
} cells;

static size_t cells_of(double length, double cell) {
    double count = round(length / cell);
    return count > 1 ? (size_t)count : 1;
}

static cells count_cells(const pattern *p) {
    double cell = p->values[CELL];
    return (cells){cells_of(line_length(p, side), cell), cells_of(line_length(p, armhole), cell),
                   cells_of(line_length(p, shoulder), cell), 2 * cells_of(line_length(p, neckline) / 2, cell),
                   cells_of((p->sleeve + (p->sleeve - p->cap)) / 2, cell)};
}

/* A border of a piece: the cells [from, to) of one of its lines. */
typedef struct named_line {
    const char *name;
    int line; /* 0 bottom, 1 right, 2 top, 3 left */
    size_t from, to;
} named_line;

enum { MOST_LINES = 8, MOST_NAMES = 26 };

typedef struct piece {
    size_t columns, rows, first_vertex, first_face, first_edge;
    vec2 *lines[4]; /* bottom and top (columns + 1) from left to right, right and left (rows + 1) upwards */
    named_line names[MOST_LINES];
    size_t name_count;
    int flipped;    /* its front is the other side of the grid */
    vec2 uv_offset; /* m */
} piece;

enum { FRONT_PIECE, BACK_PIECE, LEFT_SLEEVE, RIGHT_SLEEVE, PIECE_COUNT };

static size_t piece_vertices(const piece *c) { return (c->columns + 1) * (c->rows + 1); }

static ruga_status new_lines(ruga_context *context, piece *c) {
    for (int k = 0; k < 4; k++) TRY(NEW(context, &c->lines[k], (k % 2 ? c->rows : c->columns) + 1));
    return RUGA_OK;
}

static void mirror(const vec2 *from, size_t count, vec2 *to) {
    for (size_t i = 0; i <= count; i++) to[i] = (vec2){-from[i].x, from[i].y};
}

/* Left to right in the plane is from -x to x: from the wearer's right to the left. */
static ruga_status make_panel(ruga_context *context, pattern *p, const cells *n, int back, piece *c) {
    double depth = p->depth;
    c->columns = 2 * n->shoulder + n->neck;
    c->rows = n->side + n->armhole;
    TRY(new_lines(context, c));
    sample_line(p, side, n->side, 0, c->lines[1]);
    sample_line(p, armhole, n->armhole, 0, c->lines[1] + n->side);
    mirror(c->lines[1], c->rows, c->lines[3]);
    for (size_t i = 0; i <= c->columns; i++)
        c->lines[0][i] = mix(c->lines[3][0], c->lines[1][0], (double)i / (double)c->columns);
    p->depth = depth * (back ? BACK_NECK : 1);
    sample_line(p, neckline, n->neck, 1, c->lines[2] + n->shoulder);
    p->depth = depth;
    sample_line(p, shoulder, n->shoulder, 0, c->lines[2] + n->shoulder + n->neck);
    for (size_t i = 0; i <= n->shoulder; i++)
        c->lines[2][i] = (vec2){-c->lines[2][c->columns - i].x, c->lines[2][c->columns - i].y};
    size_t neck = n->shoulder + n->neck;
    const named_line front[] = {{"front hem", 0, 0, c->columns},
                                {"front left side", 1, 0, n->side},
                                {"front left armhole", 1, n->side, c->rows},
                                {"front right shoulder", 2, 0, n->shoulder},
                                {"front neck", 2, n->shoulder, neck},
                                {"front left shoulder", 2, neck, c->columns},
                                {"front right side", 3, 0, n->side},
                                {"front right armhole", 3, n->side, c->rows}};
    const named_line behind[] = {{"back hem", 0, 0, c->columns},
                                 {"back left side", 1, 0, n->side},
                                 {"back left armhole", 1, n->side, c->rows},
                                 {"back right shoulder", 2, 0, n->shoulder},
                                 {"back neck", 2, n->shoulder, neck},
                                 {"back left shoulder", 2, neck, c->columns},
                                 {"back right side", 3, 0, n->side},
                                 {"back right armhole", 3, n->side, c->rows}};
    memcpy(c->names, back ? behind : front, sizeof front);
    c->name_count = 8;
    c->flipped = back;
    return RUGA_OK;
}

/* x is around the arm, from its back to its front; y downwards along it: the grid's top is the hem. */
static ruga_status make_sleeve(ruga_context *context, const pattern *p, const cells *n, int right, piece *c) {
    c->columns = 2 * n->armhole;
    c->rows = n->sleeve;
    TRY(new_lines(context, c));
    sample_line(p, cap, n->armhole, 0, c->lines[0] + n->armhole);
    for (size_t i = 0; i < n->armhole; i++)
        c->lines[0][i] = (vec2){-c->lines[0][c->columns - i].x, c->lines[0][c->columns - i].y};
    sample_line(p, under, c->rows, 0, c->lines[1]);
    mirror(c->lines[1], c->rows, c->lines[3]);
    for (size_t i = 0; i <= c->columns; i++)
        c->lines[2][i] = mix(c->lines[3][c->rows], c->lines[1][c->rows], (double)i / (double)c->columns);
    const named_line left_names[] = {{"left sleeve back cap", 0, 0, n->armhole},
                                     {"left sleeve front cap", 0, n->armhole, c->columns},
                                     {"left sleeve front under", 1, 0, c->rows},
                                     {"left sleeve hem", 2, 0, c->columns},
                                     {"left sleeve back under", 3, 0, c->rows}};
    const named_line right_names[] = {{"right sleeve back cap", 0, 0, n->armhole},
                                      {"right sleeve front cap", 0, n->armhole, c->columns},
                                      {"right sleeve front under", 1, 0, c->rows},
                                      {"right sleeve hem", 2, 0, c->columns},
                                      {"right sleeve back under", 3, 0, c->rows}};
    memcpy(c->names, right ? right_names : left_names, sizeof left_names);
    c->name_count = 5;
    c->flipped = right;
    return RUGA_OK;
}

/* Coons: between bottom and top, plus between left and right, less the bilinear patch of the corners. */
static vec2 piece_point(const piece *c, size_t i, size_t j) {
    double u = (double)i / (double)c->columns, v = (double)j / (double)c->rows;
    vec2 across = mix(c->lines[0][i], c->lines[2][i], v), along = mix(c->lines[3][j], c->lines[1][j], u);
    vec2 low = mix(c->lines[0][0], c->lines[0][c->columns], u), high = mix(c->lines[2][0], c->lines[2][c->columns], u);
    vec2 corners = mix(low, high, v);
    return (vec2){across.x + along.x - corners.x, across.y + along.y - corners.y};
}

/* ---- In space. */

/* The cross-section of a sleeve: a half circle on the outer side of the arm, then straight to the inner side. */
static vec3 place_sleeve(const pattern *p, vec2 at, int right) {
    double size = p->values[SIZE], radius = SLEEVE_RADIUS * size, lift = p->values[ARMS] * PI / 180;
    double bend = PI / 2 * radius, around = fmin(fabs(at.x), bend) / radius, beyond = fmax(fabs(at.x) - bend, 0);
    double out = radius * cos(around) - beyond, front = copysign(radius * sin(around), at.x);
    vec3 joint = vec3_scale(shoulder_joint, size);
    at.y += SLEEVE_TOP * size;
    vec3 place = {joint.x + sin(lift) * at.y + cos(lift) * out, joint.y - cos(lift) * at.y + sin(lift) * out,
                  joint.z + front};
    if (right) place.x = -place.x;
    return place;
}

static vec3 place_point(const pattern *p, int number, vec2 at) {
    double size = p->values[SIZE];
    if (number >= LEFT_SLEEVE) return place_sleeve(p, at, number == RIGHT_SLEEVE);
    return (vec3){at.x, size * NECK_HEIGHT + at.y, size * (number == FRONT_PIECE ? FRONT : BACK)};
}

static uint32_t piece_vertex(const piece *c, size_t i, size_t j) {
    return (uint32_t)(c->first_vertex + j * (c->columns + 1) + i);
}

/* The diagonals of triangles alternate, so that no direction is stiffer. */
static void fill_faces(const piece *c, int quads, uint32_t *at) {
    for (size_t j = 0; j < c->rows; j++)
        for (size_t i = 0; i < c->columns; i++) {
            uint32_t v[4] = {piece_vertex(c, i, j), piece_vertex(c, i + 1, j), piece_vertex(c, i + 1, j + 1),
                             piece_vertex(c, i, j + 1)};
            if (c->flipped) {
                uint32_t second = v[1];
                v[1] = v[3], v[3] = second;
            }
            size_t turn = (i + j) % 2;
            const size_t triangles[6] = {turn, turn + 1, (turn + 2) % 4, turn, (turn + 2) % 4, (turn + 3) % 4};
            for (size_t k = 0; k < (quads ? 4u : 6u); k++) *at++ = v[quads ? k : triangles[k]];
        }
}

static void fill_vertices(const pattern *p, const piece *c, int number, vec3 *positions, float *uv, double scale) {
    for (size_t j = 0; j <= c->rows; j++)
        for (size_t i = 0; i <= c->columns; i++) {
            vec2 at = piece_point(c, i, j);
            size_t v = piece_vertex(c, i, j);
            positions[v] = place_point(p, number, at);
            /* The hem of a sleeve is down in the pattern; every piece is seen from its front. */
            int is_sleeve = number >= LEFT_SLEEVE;
            double x = c->flipped != is_sleeve ? -at.x : at.x, y = is_sleeve ? -at.y : at.y;
            uv[2 * v] = (float)((c->uv_offset.x + x) * scale);
            uv[2 * v + 1] = (float)((c->uv_offset.y + y) * scale);
        }
}

static void fill_borders(const piece *c, int32_t first_label, uint32_t *edges, int32_t *labels) {
    size_t at = c->first_edge;
    for (size_t k = 0; k < c->name_count; k++) {
        const named_line *line = &c->names[k];
        for (size_t i = line->from; i < line->to; i++, at++) {
            size_t column = line->line == 1 ? c->columns : 0, row = line->line == 2 ? c->rows : 0;
            int upright = line->line % 2;
            edges[2 * at] = upright ? piece_vertex(c, column, i) : piece_vertex(c, i, row);
            edges[2 * at + 1] = upright ? piece_vertex(c, column, i + 1) : piece_vertex(c, i + 1, row);
            labels[at] = first_label + (int32_t)k;
        }
    }
}

/* ---- The mesh. */

static ruga_status allocate_mesh(ruga_context *context, piece *pieces, int quads, mesh_parts *parts) {
    size_t vertices = 0, faces = 0, edges = 0;
    for (int k = 0; k < PIECE_COUNT; k++) {
        pieces[k].first_vertex = vertices;
        pieces[k].first_face = faces;
        pieces[k].first_edge = edges;
        vertices += piece_vertices(&pieces[k]);
        faces += pieces[k].columns * pieces[k].rows;
        edges += 2 * (pieces[k].columns + pieces[k].rows);
    }
    TRY(mesh_parts_allocate(context, parts, vertices, 2 * faces));
    parts->edge_count = edges;
    TRY(NEW(context, &parts->edges, 2 * edges));
    if (!quads) return RUGA_OK;
    parts->face_count = faces;
    parts->corner_count = 4 * faces;
    TRY(NEW(context, &parts->face_offsets, faces + 1));
    for (size_t f = 0; f <= faces; f++) parts->face_offsets[f] = (uint32_t)(4 * f);
    return RUGA_OK;
}

/* Front and back side by side, the sleeves below them, with a margin; returns UV per metre. */
static double lay_out(const pattern *p, piece *pieces) {
    double margin = 0.02 * p->length, wide = fmax(fmax(p->half, p->hem), p->sleeve_half);
    double low = p->sleeve + margin + p->length;
    pieces[FRONT_PIECE].uv_offset = (vec2){margin + wide, margin + low};
    pieces[BACK_PIECE].uv_offset = (vec2){2 * margin + 3 * wide, margin + low};
    pieces[LEFT_SLEEVE].uv_offset = (vec2){margin + wide, margin + p->sleeve};
    pieces[RIGHT_SLEEVE].uv_offset = (vec2){2 * margin + 3 * wide, margin + p->sleeve};
    return 1 / fmax(3 * margin + 4 * wide, 2 * margin + low);
}

static ruga_status add_borders(ruga_context *context, const piece *pieces, mesh_parts *parts) {
    const char *names[MOST_NAMES];
    int32_t *labels, count = 0;
    TRY(NEW(context, &labels, parts->edge_count));
    for (int k = 0; k < PIECE_COUNT; k++) {
        fill_borders(&pieces[k], count, parts->edges, labels);
        for (size_t i = 0; i < pieces[k].name_count; i++) names[count++] = pieces[k].names[i].name;
    }
    TRY(mesh_parts_add(context, parts, "border", RUGA_DOMAIN_EDGE, RUGA_I32, 1, parts->edge_count, labels, NULL));
    return mesh_parts_set_labels(context, parts, names, (size_t)count);
}

static ruga_status make_mesh(ruga_context *context, pattern *p, piece *pieces, mesh_parts *parts) {
    const cells n = count_cells(p);
    const int quads = p->values[QUADS] != 0;
    float *uv;
    uint32_t *indices;
    for (int k = 0; k < PIECE_COUNT; k++)
        TRY(k < LEFT_SLEEVE ? make_panel(context, p, &n, k == BACK_PIECE, &pieces[k])
                            : make_sleeve(context, p, &n, k == RIGHT_SLEEVE, &pieces[k]));
    double scale = lay_out(p, pieces);
    TRY(allocate_mesh(context, pieces, quads, parts));
    TRY(model_new_uv(context, parts->vertex_count, 0, &uv, &indices));
    for (int k = 0; k < PIECE_COUNT; k++) {
        fill_vertices(p, &pieces[k], k, parts->positions, uv, scale);
        fill_faces(&pieces[k], quads, parts->face_vertices + pieces[k].first_face * (quads ? 4 : 6));
    }
    TRY(model_add_uv(context, parts, parts->vertex_count, uv, indices));
    return add_borders(context, pieces, parts);
}

ruga_status model_tshirt(ruga_context *context, const double *values, mesh_parts *parts) {
    pattern p;
    piece pieces[PIECE_COUNT] = {{0}};
    TRY(make_pattern(context, values, &p));
    ruga_status status = make_mesh(context, &p, pieces, parts);
    for (int k = 0; k < PIECE_COUNT; k++)
        for (int line = 0; line < 4; line++) memory_release(context, pieces[k].lines[line]);
    return status;
}
