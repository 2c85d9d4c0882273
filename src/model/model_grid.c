/* Models that are a rectangular grid of cells, bent or wrapped: sheet, annulus, cylinder, torus, pillow,
 * funnel, skirt.
 *
 *     (i, j+1)──(i+1, j+1)      u = i / columns runs to the right, v = j / rows runs up,
 *        │   cell   │           and the surface faces the reader: du x dv is its normal.
 *     (i, j) ── (i+1, j)
 */
#include <math.h>

#include "math/vec3.h"
#include "model/model.h"

#define TWO_PI 6.283185307179586476925

/* The diagonals of the cells. */
typedef enum diagonals { DIAGONALS_PARALLEL, DIAGONALS_ALTERNATING, DIAGONALS_TO_CORNERS } diagonals;

typedef struct grid {
    size_t columns, rows; /* cells */
    int wrap_columns, wrap_rows;
    int quads;
    diagonals cut;
} grid;

static size_t grid_width(const grid *g) { return g->columns + (g->wrap_columns ? 0 : 1); }
static size_t grid_height(const grid *g) { return g->rows + (g->wrap_rows ? 0 : 1); }
static size_t grid_point_count(const grid *g) { return grid_width(g) * grid_height(g); }

static uint32_t grid_vertex(const grid *g, size_t i, size_t j) {
    return (uint32_t)((j % grid_height(g)) * grid_width(g) + i % grid_width(g));
}

/* Index into a table of (columns + 1) x (rows + 1), which does not wrap. */
static uint32_t grid_uv_index(const grid *g, size_t i, size_t j) { return (uint32_t)(j * (g->columns + 1) + i); }

/* The diagonal of a cell: 0 from (i, j) to (i+1, j+1), 1 from (i+1, j) to (i, j+1). */
static int grid_diagonal(const grid *g, size_t i, size_t j) {
    if (g->cut == DIAGONALS_ALTERNATING) return (int)((i + j) & 1);
    if (g->cut == DIAGONALS_TO_CORNERS) return (2 * i < g->columns) != (2 * j < g->rows);
    return 0;
}

/* Corners of the faces of cell (i, j), as offsets (di, dj): 4 of a quad, or 6 of two triangles. */
static const unsigned char quad_corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
static const unsigned char triangle_corners[2][6][2] = {{{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}},
                                                        {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}}};

typedef uint32_t grid_index_function(const grid *g, size_t i, size_t j);

static size_t grid_corner_count(const grid *g) { return g->columns * g->rows * (g->quads ? 4 : 6); }

/* Writes the index of the grid point at every corner of every cell. */
static void grid_fill_corners(const grid *g, grid_index_function *index, uint32_t *corners) {
    size_t n = g->quads ? 4 : 6;
    for (size_t j = 0; j < g->rows; j++)
        for (size_t i = 0; i < g->columns; i++) {
            const unsigned char(*offsets)[2] = g->quads ? quad_corners : triangle_corners[grid_diagonal(g, i, j)];
            for (size_t k = 0; k < n; k++) *corners++ = index(g, i + offsets[k][0], j + offsets[k][1]);
        }
}

static void grid_fill_uv(const grid *g, float *uv) {
    for (size_t j = 0; j <= g->rows; j++)
        for (size_t i = 0; i <= g->columns; i++) {
            *uv++ = (float)((double)i / (double)g->columns);
            *uv++ = (float)((double)j / (double)g->rows);
        }
}

/* Allocates the grid, and more vertices and triangles behind it. */
static ruga_status grid_allocate(ruga_context *context, const grid *g, size_t more_vertices, size_t more_triangles,
                                 mesh_parts *parts) {
    size_t triangles = g->columns * g->rows * 2 + more_triangles;
    TRY(mesh_parts_allocate(context, parts, grid_point_count(g) + more_vertices, triangles));
    if (!g->quads) return RUGA_OK;
    parts->face_count = g->columns * g->rows;
    parts->corner_count = 4 * parts->face_count;
    TRY(NEW(context, &parts->face_offsets, parts->face_count + 1));
    for (size_t f = 0; f <= parts->face_count; f++) parts->face_offsets[f] = (uint32_t)(4 * f);
    return RUGA_OK;
}

/* UVs of a plain grid: per vertex, or per corner where it wraps. */
static ruga_status grid_add_uv(ruga_context *context, const grid *g, mesh_parts *parts) {
    size_t count = (g->columns + 1) * (g->rows + 1);
    float *uv;
    uint32_t *indices;
    TRY(model_new_uv(context, count, g->wrap_columns || g->wrap_rows ? grid_corner_count(g) : 0, &uv, &indices));
    grid_fill_uv(g, uv);
    if (indices) grid_fill_corners(g, grid_uv_index, indices);
    return model_add_uv(context, parts, count, uv, indices);
}

ruga_status model_quads(ruga_context *context, size_t columns, size_t rows, int wrap, mesh_parts *parts) {
    grid g = {.columns = columns, .rows = rows, .wrap_columns = wrap, .quads = 1};
    TRY(grid_allocate(context, &g, 0, 0, parts));
    grid_fill_corners(&g, grid_vertex, parts->face_vertices);
    return grid_add_uv(context, &g, parts);
}

/* A grid whose points are a function of (u, v). */
typedef vec3 grid_surface(const double *values, double u, double v);

static ruga_status grid_make(ruga_context *context, const grid *g, grid_surface *surface, const double *values,
                             mesh_parts *parts) {
    TRY(grid_allocate(context, g, 0, 0, parts));
    grid_fill_corners(g, grid_vertex, parts->face_vertices);
    for (size_t j = 0; j < grid_height(g); j++)
        for (size_t i = 0; i < grid_width(g); i++)
            parts->positions[grid_vertex(g, i, j)] =
                surface(values, (double)i / (double)g->columns, (double)j / (double)g->rows);
    return grid_add_uv(context, g, parts);
}

/* ---- Sheet. values: width, length, columns, rows, triangulation, quads, upright, seed. */
static vec3 sheet_point(const double *values, double u, double v) {
    double x = (u - 0.5) * values[0], y = (v - 0.5) * values[1];
    return values[6] != 0 ? vec3_make(x, y, 0) : vec3_make(x, 0, -y);
}

/* A number within [-1, 1) that depends only on its index and the seed. */
static double jitter(uint64_t seed, uint64_t index) {
    uint64_t z = seed * 0xd1342543de82ef95u + index * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93u;
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93u;
    z ^= z >> 32;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

/* Moves the grid's points randomly (border points along the border, corners not), then makes the triangulation
 * Delaunay. Below a quarter of a cell no triangle is inverted: with both coordinates moved by at most a, twice the area
 * of half a unit cell is at least (1 - 2a)^2 - (2a)^2 = 1 - 4a. */
static ruga_status sheet_make_irregular(ruga_context *context, const grid *g, const double *values, mesh_parts *parts) {
    const double amount = 0.24;
    size_t count = parts->vertex_count;
    double *plane;
    TRY(NEW(context, &plane, 2 * count));
    double *x = plane, *y = plane + count;
    float *uv = (float *)(uintptr_t)parts->attributes.items[0].values;
    for (size_t j = 0; j <= g->rows; j++)
        for (size_t i = 0; i <= g->columns; i++) {
            size_t n = grid_vertex(g, i, j);
            double dx = i > 0 && i < g->columns ? amount * jitter((uint64_t)values[7], 2 * n) : 0;
            double dy = j > 0 && j < g->rows ? amount * jitter((uint64_t)values[7], 2 * n + 1) : 0;
            double u = ((double)i + dx) / (double)g->columns, v = ((double)j + dy) / (double)g->rows;
            x[n] = u * values[0];
            y[n] = v * values[1];
            uv[2 * n] = (float)u;
            uv[2 * n + 1] = (float)v;
            parts->positions[n] = sheet_point(values, u, v);
        }
    ruga_status status = model_flip_to_delaunay(context, parts->face_count, parts->face_vertices, count, x, y);
    memory_release(context, plane);
    return status;
}

ruga_status model_sheet(ruga_context *context, const double *values, mesh_parts *parts) {
    int irregular = values[4] == 2, quads = values[5] != 0;
    if (irregular && quads)
        return fail_argument(context, "sheet: an irregular sheet has no quads; set one of them to 0");
    grid g = {.columns = (size_t)values[2], .rows = (size_t)values[3], .quads = quads};
    g.cut = values[4] == 1 ? DIAGONALS_ALTERNATING : DIAGONALS_PARALLEL;
    TRY(grid_make(context, &g, sheet_point, values, parts));
    return irregular ? sheet_make_irregular(context, &g, values, parts) : RUGA_OK;
}

/* ---- Annulus. values: inner, outer, angle, rings, sectors, quads. */
static vec3 annulus_point(const double *values, double u, double v) {
    double radius = values[0] + (values[1] - values[0]) * u, angle = v * values[2] * (TWO_PI / 360);
    return vec3_make(radius * cos(angle), 0, -radius * sin(angle));
}

ruga_status model_annulus(ruga_context *context, const double *values, mesh_parts *parts) {
    if (!(values[1] > values[0]))
        return fail_argument(context, "annulus: outer (%g m) must be above inner (%g m)", values[1], values[0]);
    grid g = {.columns = (size_t)values[3], .rows = (size_t)values[4], .quads = values[5] != 0};
    g.wrap_rows = values[2] == 360;
    TRY(grid_make(context, &g, annulus_point, values, parts));
    /* The inner arc has a name, so that pins can hold it. */
    float *waist;
    TRY(NEW_ZEROED(context, &waist, parts->vertex_count));
    for (size_t j = 0; j < grid_height(&g); j++) waist[grid_vertex(&g, 0, j)] = 1;
    return mesh_parts_add(context, parts, "waist", RUGA_DOMAIN_VERTEX, RUGA_F32, 1, parts->vertex_count, waist, NULL);
}

/* ---- Torus. values: radius, tube, sectors, sides, quads. */
static vec3 torus_point(const double *values, double u, double v) {
    double out = values[0] + values[1] * cos(v * TWO_PI);
    return vec3_make(out * sin(u * TWO_PI), values[1] * sin(v * TWO_PI), out * cos(u * TWO_PI));
}

ruga_status model_torus(ruga_context *context, const double *values, mesh_parts *parts) {
    if (!(values[0] > values[1]))
        return fail_argument(context, "torus: radius (%g m) must be above tube (%g m), or it intersects itself",
                             values[0], values[1]);
    grid g = {.columns = (size_t)values[2], .rows = (size_t)values[3], .quads = values[4] != 0};
    g.wrap_columns = g.wrap_rows = 1;
    return grid_make(context, &g, torus_point, values, parts);
}

/* ---- Cylinder. values: radius, height, sectors, rings, caps, quads. */
static vec3 cylinder_point(const double *values, double u, double v) {
    return vec3_make(values[0] * sin(u * TWO_PI), (v - 0.5) * values[1], values[0] * cos(u * TWO_PI));
}

/* One end: a fan around a central vertex, and a round island of UVs. */
static void cylinder_cap(const grid *g, const double *values, int top, mesh_parts *parts, float *uv,
                         uint32_t *uv_indices) {
    size_t n = g->columns, row = top ? g->rows : 0;
    uint32_t centre = (uint32_t)(grid_point_count(g) + (size_t)top);
    size_t corner = grid_corner_count(g) + (top ? 3 * n : 0);
    uint32_t first_uv = (uint32_t)((n + 1) * (g->rows + 1) + (top ? n + 1 : 0));
    parts->positions[centre] = vec3_make(0, (top ? 0.5 : -0.5) * values[1], 0);
    uv[2 * first_uv] = uv[2 * first_uv + 1] = 0.5f;
    for (size_t i = 0; i < n; i++) {
        double angle = TWO_PI * (double)i / (double)n;
        uint32_t here = first_uv + 1 + (uint32_t)i, next = first_uv + 1 + (uint32_t)((i + 1) % n);
        uv[2 * here] = (float)(0.5 + 0.5 * sin(angle));
        uv[2 * here + 1] = (float)(0.5 + (top ? -0.5 : 0.5) * cos(angle));
        uint32_t a = grid_vertex(g, i, row), b = grid_vertex(g, i + 1, row);
        uint32_t corners[3] = {centre, top ? a : b, top ? b : a};
        uint32_t uvs[3] = {first_uv, top ? here : next, top ? next : here};
        for (size_t k = 0; k < 3; k++, corner++) {
            parts->face_vertices[corner] = corners[k];
            uv_indices[corner] = uvs[k];
        }
    }
}

static ruga_status closed_cylinder(ruga_context *context, const grid *g, const double *values, mesh_parts *parts) {
    size_t n = g->columns, uv_count = (n + 1) * (g->rows + 1) + 2 * (n + 1);
    TRY(grid_allocate(context, g, 2, 2 * n, parts));
    float *uv;
    uint32_t *indices;
    TRY(model_new_uv(context, uv_count, parts->corner_count, &uv, &indices));
    grid_fill_corners(g, grid_vertex, parts->face_vertices);
    grid_fill_corners(g, grid_uv_index, indices);
    grid_fill_uv(g, uv);
    for (size_t j = 0; j <= g->rows; j++)
        for (size_t i = 0; i < n; i++)
            parts->positions[grid_vertex(g, i, j)] =
                cylinder_point(values, (double)i / (double)n, (double)j / (double)g->rows);
    cylinder_cap(g, values, 0, parts, uv, indices);
    cylinder_cap(g, values, 1, parts, uv, indices);
    return model_add_uv(context, parts, uv_count, uv, indices);
}

ruga_status model_cylinder(ruga_context *context, const double *values, mesh_parts *parts) {
    int caps = values[4] != 0, quads = values[5] != 0;
    if (caps && quads) return fail_argument(context, "cylinder: caps and quads exclude each other; set one to 0");
    grid g = {.columns = (size_t)values[2], .rows = (size_t)values[3], .quads = quads, .wrap_columns = 1};
    return caps ? closed_cylinder(context, &g, values, parts) : grid_make(context, &g, cylinder_point, values, parts);
}

/* ---- Pillow: an upper and a lower grid that share their border. values: width, length, puff, columns, rows. The
 * diagonals run into the corners: otherwise the corner triangles of both sheets would have the same three vertices. */
static vec3 pillow_point(const double *values, double u, double v, double side) {
    double a = 1 - pow(2 * u - 1, 4), b = 1 - pow(2 * v - 1, 4);
    return vec3_make((u - 0.5) * values[0], side * values[2] * sqrt(a * b), (0.5 - v) * values[1]);
}

static int on_border(const grid *g, size_t i, size_t j) { return i == 0 || j == 0 || i == g->columns || j == g->rows; }

/* The lower sheet's vertices: shared on the border, its own inside. */
static uint32_t pillow_lower_vertex(const grid *g, size_t i, size_t j) {
    if (on_border(g, i, j)) return grid_vertex(g, i, j);
    return (uint32_t)(grid_point_count(g) + (j - 1) * (g->columns - 1) + (i - 1));
}

/* Reverses triangles by swapping two corners of each. */
static void reverse_triangles(uint32_t *corners, size_t count) {
    for (size_t c = 0; c < count; c += 3) {
        uint32_t second = corners[c + 1];
        corners[c + 1] = corners[c + 2];
        corners[c + 2] = second;
    }
}

/* The upper sheet's UVs fill the left half of the square, the lower one's the right half. */
static ruga_status pillow_add_uv(ruga_context *context, const grid *g, mesh_parts *parts) {
    size_t one = grid_point_count(g), corners = grid_corner_count(g);
    float *uv;
    uint32_t *indices;
    TRY(model_new_uv(context, 2 * one, 2 * corners, &uv, &indices));
    grid_fill_uv(g, uv);
    for (size_t n = 0; n < one; n++) {
        uv[2 * n] *= 0.5f;
        uv[2 * (one + n)] = 1 - uv[2 * n];
        uv[2 * (one + n) + 1] = uv[2 * n + 1];
    }
    grid_fill_corners(g, grid_uv_index, indices);
    for (size_t c = 0; c < corners; c++) indices[corners + c] = indices[c] + (uint32_t)one;
    reverse_triangles(indices + corners, corners);
    return model_add_uv(context, parts, 2 * one, uv, indices);
}

ruga_status model_pillow(ruga_context *context, const double *values, mesh_parts *parts) {
    grid g = {.columns = (size_t)values[3], .rows = (size_t)values[4], .cut = DIAGONALS_TO_CORNERS};
    size_t corners = grid_corner_count(&g);
    TRY(grid_allocate(context, &g, (g.columns - 1) * (g.rows - 1), corners / 3, parts));
    grid_fill_corners(&g, grid_vertex, parts->face_vertices);
    grid_fill_corners(&g, pillow_lower_vertex, parts->face_vertices + corners);
    reverse_triangles(parts->face_vertices + corners, corners);
    for (size_t j = 0; j <= g.rows; j++)
        for (size_t i = 0; i <= g.columns; i++) {
            double u = (double)i / (double)g.columns, v = (double)j / (double)g.rows;
            parts->positions[grid_vertex(&g, i, j)] = pillow_point(values, u, v, on_border(&g, i, j) ? 0 : 1);
            if (!on_border(&g, i, j)) parts->positions[pillow_lower_vertex(&g, i, j)] = pillow_point(values, u, v, -1);
        }
    return pillow_add_uv(context, &g, parts);
}

/* ---- Skirt. values: waist, hem, length, depth, top, columns, rows, quads. From an ellipse to a circle, straight. */
static vec3 skirt_point(const double *values, double u, double v) {
    double x = values[1] + (values[0] - values[1]) * v, z = values[1] + (values[0] * values[3] - values[1]) * v;
    double height = sqrt(values[2] * values[2] - pow(values[1] - values[0], 2));
    return vec3_make(x * sin(u * TWO_PI), values[4] - (1 - v) * height, z * cos(u * TWO_PI));
}

ruga_status model_skirt(ruga_context *context, const double *values, mesh_parts *parts) {
    if (!(values[2] > fabs(values[1] - values[0])))
        return fail_argument(context, "skirt: length (%g m) must be above the difference of waist and hem (%g m)",
                             values[2], fabs(values[1] - values[0]));
    grid g = {.columns = (size_t)values[5], .rows = (size_t)values[6], .quads = values[7] != 0, .wrap_columns = 1};
    return grid_make(context, &g, skirt_point, values, parts);
}

/* ---- Funnel. values: mouth, throat, depth, tube, thickness, fillet, sectors, sides.
 *
 *      \         the centre line of the wall goes up the tube, around the bend and up the cone; the cross-section is
 *       \ cone   the curve at half the thickness from it, up the outer side and down the inner one, with round ends
 *        ) bend
 *        | tube
 */
typedef struct funnel_path {
    double angle;            /* rad, of the bend */
    double tangent;          /* m, length of tube and cone that the bend replaces */
    double tube, bend, cone; /* m, lengths of the pieces */
} funnel_path;

static funnel_path funnel_path_of(const double *values) {
    double widening = values[0] - values[1], angle = atan2(widening, values[2]);
    double tangent = values[5] * tan(angle / 2);
    return (funnel_path){angle, tangent, values[3] - tangent, values[5] * angle, hypot(widening, values[2]) - tangent};
}

/* A point of the wall: at length s of the centre line, off it to the outside by `out`. x is the radius. */
static vec3 funnel_wall(const double *values, const funnel_path *path, double s, double out) {
    double turned = fmin(fmax((s - path->tube) / path->bend, 0), 1) * path->angle;
    double up = fmin(s, path->tube), along = fmax(s - path->tube - path->bend, 0);
    double radius = values[1] + values[5] * (1 - cos(turned)) + along * sin(turned);
    double height = up + values[5] * sin(turned) + along * cos(turned);
    return vec3_make(radius + out * cos(turned), height - out * sin(turned), 0);
}

/* The rim at an end of the centre line, by an angle from the outer side over the end to the inner one. */
static vec3 funnel_rim(const double *values, const funnel_path *path, int top, double angle) {
    double half = values[4] / 2, turned = top ? path->angle : 0, beyond = (top ? 1 : -1) * half * sin(angle);
    double end = top ? path->tube + path->bend + path->cone : 0;
    vec3 p = funnel_wall(values, path, end, half * cos(angle));
    return vec3_make(p.x + beyond * sin(turned), p.y + beyond * cos(turned), 0);
}

/* Each rim gets its share of the cells around the cross-section, but at least three. */
static vec3 funnel_point(const double *values, double u, double v) {
    const double half = values[4] / 2, pi = TWO_PI / 2;
    funnel_path path = funnel_path_of(values);
    double length = path.tube + path.bend + path.cone;
    double rim = fmin(fmax(3, floor(values[7] * half * pi / (2 * (half * pi + length)) + 0.5)), floor(values[7] / 4));
    double outer = floor((values[7] - 2 * rim) / 2), inner = values[7] - 2 * rim - outer;
    double cell = floor(v * values[7] + 0.5);
    vec3 p;
    if (cell < outer)
        p = funnel_wall(values, &path, length * cell / outer, half);
    else if (cell < outer + rim)
        p = funnel_rim(values, &path, 1, pi * (cell - outer) / rim);
    else if (cell < outer + rim + inner)
        p = funnel_wall(values, &path, length * (1 - (cell - outer - rim) / inner), -half);
    else
        p = funnel_rim(values, &path, 0, pi * (1 - (cell - outer - rim - inner) / rim));
    return vec3_make(p.x * sin(u * TWO_PI), p.y + half, p.x * cos(u * TWO_PI));
}

ruga_status model_funnel(ruga_context *context, const double *values, mesh_parts *parts) {
    funnel_path path = funnel_path_of(values);
    if (!(values[0] > values[1]))
        return fail_argument(context, "funnel: mouth (%g m) must be above throat (%g m)", values[0], values[1]);
    if (!(values[4] < 2 * fmin(values[1], values[5])))
        return fail_argument(
            context,
            "funnel: thickness (%g m) must be below twice the throat (%g m) and twice the fillet (%g m), "
            "or the wall intersects itself",
            values[4], values[1], values[5]);
    if (!(path.tube > 0 && path.cone > 0))
        return fail_argument(context,
                             "funnel: the bend needs %g m of tube and cone, which are too short; use a smaller fillet",
                             path.tangent);
    grid g = {.columns = (size_t)values[6], .rows = (size_t)values[7], .wrap_columns = 1, .wrap_rows = 1};
    return grid_make(context, &g, funnel_point, values, parts);
}
