/* Creases by Patkar, Jin and Fedkiw 2015, section 4, equations 1 to 5: see crease.h. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/ldl.h"
#include "linalg/map.h"
#include "math/vec3.h"
#include "wrinkle/crease.h"

#define LOCKED 1e-6 /* m/s, of velocities of about 1 m/s: nothing is left */

struct crease_exact {
    ruga_context *context;
    ruga_map *differences; /* W_newᵀ: (equations x points) */
    ruga_map *points;      /* W_new */
    double compliance;     /* 1/kg, of the factor */
    double *inverse;       /* (points) 1/kg */
    uint32_t *offsets, *columns;
    double *values, *diagonal, *softened;
    ldl *factor;
    vec3 *right;   /* (equations) */
    vec3 *held;    /* (equations) N */
    vec3 *changes; /* (points) */
};

/* One row for each node but the first of its vertex: it minus the first. */
static ruga_status make_differences(ruga_context *context, const embedded_node *nodes, size_t count, size_t point_count,
                                    ruga_map **out) {
    size_t first = 0;
    map_builder rows;
    TRY(map_builder_make(context, count, 6 * count, &rows));
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || nodes[i].vertex != nodes[i - 1].vertex) {
            first = i;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            if (nodes[i].weights[k] != 0) map_builder_put(&rows, nodes[i].points[k], nodes[i].weights[k]);
            if (nodes[first].weights[k] != 0) map_builder_put(&rows, nodes[first].points[k], -nodes[first].weights[k]);
        }
        map_builder_end_row(&rows);
    }
    return map_builder_finish(&rows, point_count, out);
}

/* Entries of W_newᵀ M⁻¹ W_new: equations that share a point. The first call, without columns, counts them. */
static size_t fill_matrix(const crease_exact *e, uint32_t *columns) {
    const ruga_map *d = e->differences, *points = e->points;
    size_t count = 0;
    for (size_t a = 0; a < d->rows; a++) {
        if (columns) e->diagonal[a] = 0;
        if (columns) e->offsets[a] = (uint32_t)count;
        for (size_t i = d->offsets[a]; i < d->offsets[a + 1]; i++) {
            uint32_t point = d->indices[i];
            for (size_t j = points->offsets[point]; j < points->offsets[point + 1]; j++) {
                double value = d->weights[i] * points->weights[j] * e->inverse[point];
                if (columns && points->indices[j] == a) e->diagonal[a] += value;
                if (points->indices[j] == a) continue;
                if (columns) {
                    columns[count] = points->indices[j];
                    e->values[count] = value;
                }
                count++;
            }
        }
    }
    for (size_t a = 0; columns && a < d->rows; a++)
        if (e->diagonal[a] == 0) e->diagonal[a] = 1; /* of points that do not move */
    if (columns) e->offsets[d->rows] = (uint32_t)count;
    return count;
}

/* The line that passes a visible vertex, or SIZE_MAX, and a triangle of the mesh beside it. */
static size_t line_of(const crease *c, uint32_t vertex, uint32_t *triangle) {
    const ruga_mesh *visible = c->cut.mesh;
    size_t t = 0;
    while (t + 1 < 3 * visible->triangle_count && visible->triangles[t] != vertex) t++;
    *triangle = c->cut.triangle_parent[t / 3];
    for (size_t p = 0; p < c->cut.path_count; p++)
        for (size_t k = 0; k < c->cut.paths[p].count; k++)
            if (c->cut.paths[p].vertices[k] == vertex) return p;
    return SIZE_MAX;
}

/* RUGA_ERROR_INPUT with the crease, the triangle and the place. */
static ruga_status fail_at(const crease *c, uint32_t vertex, const char *problem) {
    uint32_t triangle;
    size_t line = line_of(c, vertex, &triangle);
    vec3 at = c->cut.mesh->positions[vertex];
    return fail_input(c->context, "crease \"%s\", in triangle %u at (%g, %g, %g): %s",
                      line < c->lines.line_count ? c->lines.lines[line].trace->name : "?", triangle, at.x, at.y, at.z,
                      problem);
}

/* The visible vertex that an equation is of. */
static uint32_t vertex_of_row(const crease *c, size_t row) {
    const embedded_node *nodes = c->nodes.embedded;
    size_t next = 0, i = 1;
    while (i + 1 < c->nodes.embedded_count && (nodes[i].vertex != nodes[i - 1].vertex || next++ < row)) i++;
    return nodes[i].vertex;
}

static ruga_status make(crease_exact *e, const embedded_node *nodes, size_t count, size_t point_count,
                        const double *masses) {
    ruga_context *context = e->context;
    TRY(make_differences(context, nodes, count, point_count, &e->differences));
    TRY(ruga_map_transpose(e->differences, &e->points));
    size_t equations = e->differences->rows;
    TRY(NEW(context, &e->inverse, point_count));
    for (size_t i = 0; i < point_count; i++) e->inverse[i] = masses ? 1 / masses[i] : 1;
    TRY(NEW_ZEROED(context, &e->offsets, equations + 1));
    TRY(NEW_ZEROED(context, &e->diagonal, equations + 1));
    TRY(NEW(context, &e->softened, equations + 1));
    TRY(NEW(context, &e->right, equations + 1));
    TRY(NEW_ZEROED(context, &e->held, equations + 1));
    TRY(NEW(context, &e->changes, point_count));
    size_t entries = fill_matrix(e, NULL);
    TRY(NEW(context, &e->columns, entries + 1));
    TRY(NEW(context, &e->values, entries + 1));
    fill_matrix(e, e->columns);
    TRY(ldl_create(context, equations, e->offsets, e->columns, &e->factor));
    return crease_exact_soften(e, 0);
}

ruga_status crease_exact_of_nodes(ruga_context *context, const embedded_node *nodes, size_t count, size_t point_count,
                                  crease_exact **out) {
    crease_exact *e = NULL;
    TRY(NEW_ZEROED(context, &e, 1));
    e->context = context;
    RETURN_MADE(make(e, nodes, count, point_count, NULL), e, out, crease_exact_destroy(e));
}

/* How far copies of a vertex on both sides of a cut are apart, m/s. */
static double fold_apart(const crease_fold *fold, const vec3 *velocities) {
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, vec3_distance(velocities[fold->left[k]], velocities[fold->right[k]]));
    return most;
}

/* A crease can fold if velocities of about 1 m/s, different at every point, leave its sides some difference. */
static ruga_status check_free(crease_exact *e, const crease *c, const crease_fold *folds, size_t count, vec3 *v) {
    for (size_t i = 0; i < c->bound->rows; i++)
        v[i] = (vec3){sin(12.9898 * (double)i), sin(78.233 * (double)i + 1), sin(37.719 * (double)i + 2)};
    crease_exact_post(e, v);
    for (uint32_t line = 0; line < c->lines.line_count; line++) {
        double most = -1;
        uint32_t vertex = 0;
        for (size_t i = 0; i < count; i++) {
            if (folds[i].line != line) continue;
            if (most < 0) vertex = folds[i].from;
            most = fmax(most, fold_apart(&folds[i], v));
        }
        if (most >= 0 && most < LOCKED)
            return fail_at(c, vertex,
                           "its equations keep it flat, as they do where a crease ends on another one; use the ridge "
                           "binding, or let it end before the other or run across it");
    }
    return RUGA_OK;
}

/* With the names of creases. */
static ruga_status make_named(crease_exact *e, const crease *c, const double *masses) {
    for (size_t i = 0; i < c->lines.line_count; i++)
        if (c->lines.lines[i].closed)
            return fail_at(c, c->cut.paths[i].vertices[0],
                           "it is closed, so that its equations depend on each other, or lock it; use the ridge "
                           "binding, or leave a gap in it");
    ruga_status status = make(e, c->nodes.embedded, c->nodes.embedded_count, c->bound->rows, masses);
    if (status == RUGA_ERROR_INPUT)
        return fail_at(c, vertex_of_row(c, ldl_failed_row(e->factor)),
                       "its equations depend on each other or on those of other creases; use the ridge binding");
    crease_fold *folds = NULL;
    size_t count = 0;
    TRY(status);
    TRY(crease_folds_make(c, &count, &folds));
    vec3 *velocities = NULL;
    status = NEW(c->context, &velocities, c->bound->rows);
    if (!RUGA_FAILED(status)) status = check_free(e, c, folds, count, velocities);
    RELEASE_ALL(c->context, folds, velocities);
    return status;
}

ruga_status crease_exact_create(const crease *c, const double *masses, crease_exact **out) {
    crease_exact *e = NULL;
    TRY(NEW_ZEROED(c->context, &e, 1));
    e->context = c->context;
    RETURN_MADE(make_named(e, c, masses), e, out, crease_exact_destroy(e));
}

ruga_status crease_exact_use(crease_exact *e, const double *inverse_masses, double compliance) {
    size_t size = e->differences->columns * sizeof *e->inverse;
    int is_same = memcmp(e->inverse, inverse_masses, size) == 0;
    if (is_same && compliance == e->compliance) return RUGA_OK;
    memcpy(e->inverse, inverse_masses, size);
    if (!is_same) fill_matrix(e, e->columns);
    return crease_exact_soften(e, compliance);
}

void crease_exact_destroy(crease_exact *e) {
    if (!e) return;
    ldl_destroy(e->factor);
    ruga_map_destroy(e->differences);
    ruga_map_destroy(e->points);
    RELEASE_ALL(e->context, e->inverse, e->offsets, e->columns, e->values, e->diagonal, e->softened, e->right, e->held,
                e->changes);
    memory_release(e->context, e);
}

size_t crease_exact_count(const crease_exact *e) { return e->differences->rows; }

double crease_exact_entry(const crease_exact *e, size_t row, size_t column) {
    double sum = row == column ? e->diagonal[row] : 0;
    for (size_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
        if (e->columns[i] == column) sum += e->values[i];
    return sum;
}

/* Impulses that change differences by the right-hand side, as changes of the velocities. */
static void add_impulses(crease_exact *e, vec3 *velocities) {
    size_t count = e->differences->columns;
    ldl_solve(e->factor, e->right);
    memset(e->changes, 0, count * sizeof *e->changes);
    ruga_map_apply_transpose_add(e->differences, e->right, e->changes);
    for (size_t i = 0; i < count; i++) velocities[i] = vec3_add_scaled(velocities[i], e->changes[i], e->inverse[i]);
}

void crease_exact_post(crease_exact *e, ruga_vec3 *velocities) {
    ruga_map_apply(e->differences, velocities, e->right);
    for (size_t i = 0; i < e->differences->rows; i++) e->right[i] = vec3_scale(e->right[i], -1);
    add_impulses(e, velocities);
}

void crease_exact_pre(crease_exact *e, const ruga_vec3 *positions, double dt, ruga_vec3 *velocities) {
    /* Positions after the step, without impulses. */
    for (size_t i = 0; i < e->differences->columns; i++)
        e->changes[i] = vec3_add_scaled(positions[i], velocities[i], dt);
    ruga_map_apply(e->differences, e->changes, e->right);
    for (size_t i = 0; i < e->differences->rows; i++) e->right[i] = vec3_scale(e->right[i], -1 / dt);
    add_impulses(e, velocities);
}

void crease_exact_hold(crease_exact *e, double dt) {
    for (size_t i = 0; i < e->differences->rows; i++) e->held[i] = vec3_add_scaled(e->held[i], e->right[i], 1 / dt);
}

void crease_exact_add_held(const crease_exact *e, ruga_vec3 *forces) {
    ruga_map_apply_transpose_add(e->differences, e->held, forces);
}

ruga_vec3 *crease_exact_held(crease_exact *e) { return e->held; }

/* ---- Weaker forms. */

ruga_status crease_exact_soften(crease_exact *e, double compliance) {
    e->compliance = compliance;
    for (size_t i = 0; i < e->differences->rows; i++) e->softened[i] = e->diagonal[i] + compliance;
    return ldl_factor(e->factor, e->values, e->softened);
}

double crease_exact_pairwise(const crease_exact *e, int rounds, ruga_vec3 *velocities) {
    const ruga_map *d = e->differences;
    double most = 0;
    for (int round = 0; round <= rounds; round++) {
        most = 0;
        for (size_t a = 0; a < d->rows; a++) {
            vec3 apart = {0, 0, 0};
            for (size_t i = d->offsets[a]; i < d->offsets[a + 1]; i++)
                apart = vec3_add_scaled(apart, velocities[d->indices[i]], d->weights[i]);
            most = fmax(most, vec3_length(apart));
            /* The last pass measures only. */
            for (size_t i = d->offsets[a]; round < rounds && i < d->offsets[a + 1]; i++) {
                uint32_t point = d->indices[i];
                velocities[point] =
                    vec3_add_scaled(velocities[point], apart, -d->weights[i] * e->inverse[point] / e->diagonal[a]);
            }
        }
    }
    return most;
}
