/* Creases in a solver of your own: a sheet of paper is cut along a drawn arc and folded there by 70°. The solver here
 * is a few lines of heavy-ball descent on springs; an engine has a better one. All it needs of creases is x = T y. */
#include <math.h>
#include <ruga/ruga.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 12, SIDE = CELLS + 1, POINTS = SIDE * SIDE, TRIANGLES = 2 * CELLS * CELLS, MOST = 4000 };

#define SIZE 0.3      /* m */
#define FOLD 1.2217   /* rad, 70° */
#define STRETCH 200.0 /* N/m */
#define BEND 40.0     /* N/m, between opposite corners of two triangles */
#define MOMENT 0.5    /* N, per metre of crease and radian */
#define STEPS 20000

static ruga_status make_sheet(ruga_context *context, ruga_mesh **out) {
    static ruga_vec3 points[POINTS];
    static uint32_t triangles[3 * TRIANGLES];
    uint32_t *at = triangles;
    for (uint32_t i = 0; i < POINTS; i++) {
        points[i] = (ruga_vec3){SIZE * (i % SIDE) / CELLS, 0, -SIZE * (i / SIDE) / CELLS};
        if (i % SIDE == CELLS || i / SIDE == CELLS) continue;
        const uint32_t even[6] = {i, i + 1, i + SIDE + 1, i, i + SIDE + 1, i + SIDE};
        const uint32_t odd[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
        memcpy(at, (i % SIDE + i / SIDE) % 2 ? odd : even, sizeof even);
        at += 6;
    }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){.data = points, .count = POINTS, .stride = sizeof *points, .type = RUGA_F64};
    def.face_count = TRIANGLES;
    def.face_vertices = triangles;
    return ruga_mesh_create(context, &def, out);
}

/* ---- Springs of the simulated mesh. A triangle's springs count by its share of the material. */
typedef struct spring {
    uint32_t a, b;
    double length, stiffness;
} spring;

static double distance(const ruga_vec3 *x, uint32_t a, uint32_t b) {
    double dx = x[a].x - x[b].x, dy = x[a].y - x[b].y, dz = x[a].z - x[b].z;
    return sqrt(dx * dx + dy * dy + dz * dz);
}

/* The corner of triangle t that is not on its common edge with u; -1: they have none. */
static int opposite(const uint32_t *t, const uint32_t *u) {
    int apart = -1, common = 0;
    for (int i = 0; i < 3; i++) {
        int is_common = t[i] == u[0] || t[i] == u[1] || t[i] == u[2];
        common += is_common;
        if (!is_common) apart = i;
    }
    return common == 2 ? apart : -1;
}

static size_t make_springs(const ruga_creases *c, spring *springs) {
    const ruga_mesh *mesh = c->simulated;
    size_t count = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        for (int k = 0; k < 3; k++)
            springs[count++] =
                (spring){v[k], v[(k + 1) % 3], distance(mesh->positions, v[k], v[(k + 1) % 3]), STRETCH * c->shares[t]};
        for (size_t u = 0; u < t; u++) {
            const uint32_t *w = mesh->triangles + 3 * u;
            int i = opposite(v, w), j = opposite(w, v);
            if (i < 0 || count + 4 > MOST) continue;
            springs[count++] =
                (spring){v[i], w[j], distance(mesh->positions, v[i], w[j]), BEND * (c->shares[t] + c->shares[u]) / 2};
        }
    }
    return count;
}

/* Forces of the springs and of the folds, and a bound of the stiffness at each point. */
static void add_forces(const ruga_creases *c, const spring *springs, size_t count, const ruga_vec3 *x, double target,
                       ruga_vec3 *forces) {
    for (size_t i = 0; i < count; i++) {
        const spring *s = &springs[i];
        double now = distance(x, s->a, s->b), f = s->stiffness * (now - s->length) / now;
        ruga_vec3 pull = {f * (x[s->b].x - x[s->a].x), f * (x[s->b].y - x[s->a].y), f * (x[s->b].z - x[s->a].z)};
        forces[s->a].x += pull.x, forces[s->a].y += pull.y, forces[s->a].z += pull.z;
        forces[s->b].x -= pull.x, forces[s->b].y -= pull.y, forces[s->b].z -= pull.z;
    }
    for (size_t i = 0; i < c->fold_count; i++) {
        ruga_vec3 gradient[6];
        double moment = MOMENT * c->folds[i].length * (target - ruga_creases_angle(c, i, x, gradient));
        for (int k = 0; k < 6; k++) {
            ruga_vec3 *f = &forces[k < 3 ? c->folds[i].left[k] : c->folds[i].right[k - 3]];
            f->x += moment * gradient[k].x, f->y += moment * gradient[k].y, f->z += moment * gradient[k].z;
        }
    }
}

/* The diagonal of Tᵀ K T for a bound K of the stiffness: fold vectors have other units than points. */
static void make_scales(const ruga_creases *c, const spring *springs, size_t count, double *at_points, double *scales) {
    const ruga_map *bound = c->bound;
    for (size_t i = 0; i < count; i++) {
        at_points[springs[i].a] += 2 * springs[i].stiffness;
        at_points[springs[i].b] += 2 * springs[i].stiffness;
    }
    for (size_t row = 0; row < bound->rows; row++)
        for (size_t e = bound->offsets[row]; e < bound->offsets[row + 1]; e++)
            scales[bound->indices[e]] += fabs(bound->weights[e]) * at_points[row];
}

static void fold(const ruga_creases *c, ruga_vec3 *x, ruga_vec3 *y) {
    static spring springs[MOST];
    size_t count = make_springs(c, springs), unknowns = c->bound->columns, points = c->bound->rows;
    ruga_vec3 *v = calloc(unknowns, sizeof *v), *f = malloc(points * sizeof *f), *g = malloc(unknowns * sizeof *g);
    double *at_points = calloc(points, sizeof *at_points), *scales = calloc(unknowns, sizeof *scales);
    if (!v || !f || !g || !at_points || !scales) exit(1);
    make_scales(c, springs, count, at_points, scales);
    for (int step = 0; step < STEPS; step++) {
        double target = FOLD * fmin(1, 2.0 * step / STEPS);
        memset(f, 0, points * sizeof *f);
        memset(g, 0, unknowns * sizeof *g);
        ruga_map_apply(c->bound, y, x);               /* x = T y */
        add_forces(c, springs, count, x, target, f);  /* f(x), as without creases */
        ruga_map_apply_transpose_add(c->bound, f, g); /* Tᵀ f */
        for (size_t i = 0; i < unknowns; i++) {
            v[i].x = 0.997 * v[i].x + 0.5 * g[i].x / scales[i], y[i].x += v[i].x;
            v[i].y = 0.997 * v[i].y + 0.5 * g[i].y / scales[i], y[i].y += v[i].y;
            v[i].z = 0.997 * v[i].z + 0.5 * g[i].z / scales[i], y[i].z += v[i].z;
        }
    }
    ruga_map_apply(c->bound, y, x);
    free(v), free(f), free(g), free(at_points), free(scales);
}

static ruga_status run(const ruga_mesh *sheet, const char *path) {
    const double middle = SIZE / 2;
    ruga_curve *arc = NULL;
    ruga_creases *creases = NULL;
    ruga_vec3 drawn[17];
    for (int i = 0; i < 17; i++) /* across the sheet, 4 cm higher in its middle */
        drawn[i] = (ruga_vec3){SIZE * i / 16, 0, -0.11 - 0.04 * (1 - pow((SIZE * i / 16 - middle) / middle, 2))};
    ruga_curve_def def = ruga_curve_def_default();
    def.name = "arc";
    ruga_status status = ruga_curve_from_points(sheet, drawn, 17, &def, &arc);
    if (!RUGA_FAILED(status)) status = ruga_creases_create(sheet, (const ruga_curve *const *)&arc, 1, NULL, &creases);
    if (!RUGA_FAILED(status)) {
        ruga_vec3 *y = malloc(creases->bound->columns * sizeof *y), *x = malloc(creases->bound->rows * sizeof *x);
        ruga_vec3 *shown = malloc(creases->visible->vertex_count * sizeof *shown);
        double mean = 0, length = 0;
        if (!y || !x || !shown) exit(1);
        ruga_creases_rest(creases, y);
        fold(creases, x, y);
        ruga_map_apply(creases->shown, x, shown);
        for (size_t i = 0; i < creases->fold_count; i++) {
            mean += creases->folds[i].length * ruga_creases_angle(creases, i, x, NULL);
            length += creases->folds[i].length;
        }
        printf("\"%s\", %.3f m from %s to %s: folded by %.1f°, gap %.2g mm, %zu triangles became %zu\n",
               creases->creases[0].name, creases->creases[0].length, ruga_crease_end_name(creases->creases[0].ends[0]),
               ruga_crease_end_name(creases->creases[0].ends[1]), mean / length * 57.2958,
               1000 * ruga_creases_gap(creases, x), sheet->triangle_count, creases->simulated->triangle_count);
        ruga_frame frame = {.vertex_count = creases->visible->vertex_count, .positions = shown};
        status = ruga_mesh_write(creases->visible, &frame, path, NULL);
        free(y), free(x), free(shown);
    }
    ruga_creases_destroy(creases);
    ruga_curve_destroy(arc);
    return status;
}

int main(int argc, char **argv) {
    ruga_context *context = NULL;
    ruga_mesh *sheet = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    ruga_status status = make_sheet(context, &sheet);
    if (!RUGA_FAILED(status)) status = run(sheet, argc > 1 ? argv[1] : "folded.obj");
    if (RUGA_FAILED(status)) fprintf(stderr, "%s\n", ruga_context_message(context));
    ruga_mesh_destroy(sheet);
    ruga_context_destroy(context);
    return RUGA_FAILED(status) ? 1 : 0;
}
