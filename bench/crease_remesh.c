/* remesh_vs_crease: a cloth that hangs from two opposite corners and folds along the diagonal between them (Patkar et
 * al. 2015, figure 9), by a crease and by a mesh with edges along the diagonal.
 *
 * The cloth: 1 m wide, a grid whose diagonal passes no vertex but its ends. The conforming mesh has points along the
 * diagonal, and no edge shorter than a quarter of the original ones. From there the size grows by GROWTH of the
 * distance up to that of the rest, where it has the points of the original mesh: rows of hexagonal grids beside the
 * diagonal, joined by constrained Delaunay. Its bending springs across the diagonal are taken out, as those of a crease
 * are.
 * Material, damping in seconds, integrator and world are the same. The cloth is starched, so that its flaps do not
 * crumple and the fold is that of the crease.
 *
 * Stable steps are found by bisection on the runs themselves. */
#include "crease_sheets.h"
#include "geom/constrained.h"
#include "mesh/topology.h"

enum { SIDE = 12, ROWS = 11 };
#define EDGE (1.0 / SIDE)
#define WIDTH 1.0 /* m */
#define HEIGHT (ROWS * EDGE)
#define GROWTH 0.2   /* of the distance, the usual limit of the gradient of sizes */
#define FINEST 0.25  /* edges */
#define DURATION 0.4 /* s: the flaps have swung down */
#define BEND 0.005   /* N m: starched, so that the flaps do not crumple and the fold is the crease's */

/* ---- Points: (u, v) is (x, -z). */

typedef struct points {
    size_t count;
    double (*at)[2];
} points;

static vec3 cloth_place(double i, double j, const double *unused) {
    (void)unused;
    return (vec3){WIDTH * i, 0, -HEIGHT * j};
}

/* ---- The conforming mesh. */

#define DIAGONAL sqrt(WIDTH *WIDTH + HEIGHT * HEIGHT)

/* From the diagonal, m: positive on the left. */
static double from_diagonal(double u, double v) { return (v * WIDTH - u * HEIGHT) / DIAGONAL; }
static double size_away(double away) { return fmin(EDGE, FINEST * EDGE + GROWTH * fabs(away)); }
static double size_at(double u, double v) { return size_away(from_diagonal(u, v)); }

/* Adds a point that keeps its distance from all others. */
static void offer(points *p, double u, double v, double least) {
    if (u < -1e-12 || u > WIDTH + 1e-12 || v < -1e-12 || v > HEIGHT + 1e-12) return;
    least = fmax(least, 0.999 * FINEST * EDGE);
    for (size_t i = 0; i < p->count; i++)
        if (hypot(p->at[i][0] - u, p->at[i][1] - v) < least) return;
    p->at[p->count][0] = u;
    p->at[p->count++][1] = v;
}

/* A side of the cloth, from one of its corners, with as many points as the sizes along it ask for. */
static void offer_side(points *p, double u, double v, double to_u, double to_v) {
    double sum = 0, next = 0;
    for (int round = 0; round < 2; round++) {
        double total = sum;
        sum = next = 0;
        for (double t = 0.0005; t < 1; t += 0.001) {
            double at[2] = {u + t * (to_u - u), v + t * (to_v - v)};
            sum += 0.001 * hypot(to_u - u, to_v - v) / size_at(at[0], at[1]);
            if (round == 0 || sum < next) continue;
            if (next > 0) offer(p, at[0], at[1], 0.6 * size_at(at[0], at[1]));
            next += total / ceil(total - 0.2);
        }
    }
}

/* The diagonal, the border, rows beside the diagonal, then the original points. */
static points choose_points(const ruga_mesh *original) {
    points p = {.at = malloc(100000 * sizeof *p.at)};
    const double step = FINEST * EDGE;
    bench_require(p.at != NULL, "no memory");
    int along = (int)floor(DIAGONAL / step);
    for (int k = 0; k <= along; k++) offer(&p, WIDTH * k / along, HEIGHT * k / along, 0.5 * step);
    offer(&p, WIDTH, 0, 0);
    offer(&p, 0, HEIGHT, 0);
    offer_side(&p, 0, 0, WIDTH, 0);
    offer_side(&p, 0, 0, 0, HEIGHT);
    offer_side(&p, WIDTH, HEIGHT, WIDTH, 0);
    offer_side(&p, WIDTH, HEIGHT, 0, HEIGHT);
    double away = 0;
    for (int row = 1;; row++) {
        double size = size_away(away);
        size = size_away(away + size * sqrt(3) / 2);
        away += size * sqrt(3) / 2;
        if (size >= 0.97 * EDGE) break;
        for (int side = -1; side <= 1; side += 2)
            for (double t = row % 2 ? 0.5 * size : 0; t < DIAGONAL; t += size) {
                double u = (t * WIDTH - side * away * HEIGHT) / DIAGONAL;
                double v = (t * HEIGHT + side * away * WIDTH) / DIAGONAL;
                double border = fmin(fmin(u, WIDTH - u), fmin(v, HEIGHT - v));
                if (border > 0.5 * size) offer(&p, u, v, 0.75 * size);
            }
    }
    for (size_t i = 0; i < original->vertex_count; i++) {
        double u = original->positions[i].x, v = -original->positions[i].z;
        if (size_at(u, v) >= 0.97 * EDGE) offer(&p, u, v, 0.7 * EDGE);
    }
    return p;
}

/* Inside the triangle (-1, -1), (4, -1), (-1, 4). */
static uint32_t place(const bench_setup *bench, constrained *c, double u, double v) {
    uint32_t point = 0;
    bench_ok(bench, constrained_inner_point(c, constrained_round((u + 1) / 5), constrained_round((v + 1) / 5), &point));
    return point;
}

static void join(const bench_setup *bench, constrained *c, const uint32_t *line, size_t count) {
    for (size_t i = 0; i + 1 < count; i++) {
        flat_chain chain = {0};
        bench_ok(bench, constrained_join(c, line[i], line[i + 1], &chain));
        ARRAY_RELEASE(bench->context, &chain);
    }
}

static int is_inside(const constrained *c, const flat_triangle *t) {
    double u = 0, v = 0;
    for (int k = 0; k < 3; k++) {
        u += c->points.items[t->vertices[k]].x * 5 / 3;
        v += c->points.items[t->vertices[k]].y * 5 / 3;
        if (t->vertices[k] < 3) return 0;
    }
    return u > 1 && u < 1 + WIDTH && v > 1 && v < 1 + HEIGHT;
}

static int rising(const void *a, const void *b) {
    const double *p = a, *q = b;
    return (p[0] > q[0]) - (p[0] < q[0]);
}

/* Joins the points on a line, in their order. */
static void join_line(const bench_setup *bench, constrained *c, const points *p, const uint32_t *numbers, double a,
                      double b, double w) {
    double(*on)[2] = malloc(p->count * sizeof *on);
    uint32_t *line = malloc(p->count * sizeof *line);
    size_t count = 0;
    bench_require(on && line, "no memory");
    for (size_t i = 0; i < p->count; i++)
        if (fabs(a * p->at[i][0] + b * p->at[i][1] - w) < 1e-9) {
            on[count][0] = b * p->at[i][0] - a * p->at[i][1];
            on[count++][1] = (double)i;
        }
    qsort(on, count, sizeof *on, rising);
    for (size_t i = 0; i < count; i++) line[i] = numbers[(size_t)on[i][1]];
    join(bench, c, line, count);
    free(on);
    free(line);
}

static ruga_mesh *make_conforming(const bench_setup *bench, const ruga_mesh *original) {
    points p = choose_points(original);
    const double sides[3] = {5, 5 * sqrt(2), 5};
    constrained c;
    uint32_t *numbers = malloc(p.count * sizeof *numbers), *triangles;
    size_t count = 0;
    bench_ok(bench, constrained_begin(bench->context, sides, 1e-9, &c));
    for (size_t i = 0; i < p.count; i++) numbers[i] = place(bench, &c, p.at[i][0], p.at[i][1]);
    join_line(bench, &c, &p, numbers, HEIGHT, -WIDTH, 0);
    for (int k = 0; k < 2; k++) {
        join_line(bench, &c, &p, numbers, 1, 0, k * WIDTH);
        join_line(bench, &c, &p, numbers, 0, 1, k * HEIGHT);
    }
    constrained_improve(&c);
    vec3 *x = malloc(p.count * sizeof *x);
    uint32_t *number_of = malloc(c.points.count * sizeof *number_of);
    triangles = malloc(3 * c.triangles.count * sizeof *triangles);
    bench_require(x && triangles && number_of && c.points.count == p.count + 3, "points on no grid");
    for (uint32_t i = 0; i < p.count; i++) {
        x[i] = (vec3){p.at[i][0], 0, -p.at[i][1]};
        number_of[numbers[i]] = i;
    }
    for (size_t t = 0; t < c.triangles.count; t++)
        for (int k = 0; k < 3 && is_inside(&c, &c.triangles.items[t]); k++)
            triangles[count++] = number_of[c.triangles.items[t].vertices[k]];
    ruga_mesh *mesh = make_mesh(bench->context, p.count, x, count / 3, triangles);
    constrained_release(&c);
    free(x);
    free(triangles);
    free(number_of);
    free(numbers);
    free(p.at);
    return mesh;
}

/* ---- Runs. */

typedef struct hanging {
    const bench_setup *bench;
    ruga_mesh *meshes[2]; /* original, conforming */
    topology *topo;       /* of the second */
    crease c;
    crease_fold *folds;
    size_t fold_count;
    double damping_time, dt[2];
    uint32_t pins[2][2];
    world *worlds[2];
    int steps[2]; /* of a whole run */
} hanging;

/* The conforming mesh folds freely at edges on the diagonal: their bending and axial springs go. */
static void free_diagonal(const hanging *h, world *w) {
    const ruga_mesh *mesh = h->meshes[1];
    body *b = world_body(w, 0);
    const spring_network *n = cloth_network(b);
    for (size_t e = 0; e < h->topo->edge_count; e++) {
        const uint32_t *ends = h->topo->edge_vertices + 2 * e, *at = h->topo->edge_triangles + h->topo->edge_offsets[e];
        vec3 p = mesh->positions[ends[0]], q = mesh->positions[ends[1]];
        if (fabs(from_diagonal(p.x, -p.z)) > 1e-9 || fabs(from_diagonal(q.x, -q.z)) > 1e-9 ||
            topology_edge_size(h->topo, e) != 2)
            continue;
        uint32_t far[2] = {0, 0};
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++) {
                uint32_t v = mesh->triangles[3 * (size_t)at[side] + (size_t)k];
                if (v != ends[0] && v != ends[1]) far[side] = v;
            }
        double length = vec3_distance(mesh->positions[far[0]], mesh->positions[far[1]]);
        bench_ok(h->bench, cloth_set_spring(b, far[0], far[1], SPRING_BEND, length, 0));
        for (size_t k = 0; k < n->axial_count; k++) {
            const uint32_t *four = n->axial_points + 4 * k;
            int found = 0;
            for (int i = 0; i < 4; i++) found += four[i] == far[0] || four[i] == far[1];
            if (found == 2) bench_ok(h->bench, cloth_set_axial(b, k, n->axial[k].rest_length, 0));
        }
    }
}

static world *make_hanging(const hanging *h, int which) {
    sheet_def sheet = {.mesh = h->meshes[which],
                       .creases = which == 0 ? &h->c : NULL,
                       .is_bound = which == 0,
                       .kind = INTEGRATOR_EXPLICIT,
                       .damping_time = h->damping_time,
                       .bend = BEND,
                       .pin_count = 2,
                       .pins = h->pins[which]};
    world *w = make_sheet_world(&sheet);
    if (which == 1) free_diagonal(h, w);
    return w;
}

/* Whether the run stays near its energy: a wrong step ends in numbers that are not finite, or in fast points. */
static int is_stable(const hanging *h, int which, double dt) {
    world *w = make_hanging(h, which);
    int stable = 1;
    for (int k = 0; k < 20 && stable; k++) {
        stable = !RUGA_FAILED(world_step(w, world_time(w) + 100 * dt, 100, 0, 0));
        const body *b = world_body(w, 0);
        for (size_t i = 0; i < b->point_count && stable; i++) stable = vec3_length(b->velocities[i]) < 20;
    }
    world_destroy(w);
    return stable;
}

static double stable_step(const hanging *h, int which) {
    double low = 1e-6, high = 1e-3;
    for (int k = 0; k < 12; k++) {
        double middle = sqrt(low * high);
        *(is_stable(h, which, middle) ? &low : &high) = middle;
    }
    return low;
}

static void find_corners(const ruga_mesh *mesh, uint32_t corners[2]) {
    corners[0] = corners[1] = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const vec3 *p = mesh->positions;
        if (p[i].x - p[i].z < p[corners[0]].x - p[corners[0]].z) corners[0] = i;
        if (p[i].x - p[i].z > p[corners[1]].x - p[corners[1]].z) corners[1] = i;
    }
}

/* The mean fold along the diagonal, degrees: of both sides over the width of an edge of the original mesh. */
static double mean_fold(const hanging *h, int which) {
    const body *b = world_body(h->worlds[which], 0);
    const ruga_mesh *mesh = which == 0 ? h->c.nodes.simulated : h->meshes[1];
    double sum = 0, length = 0;
    if (which == 0) {
        for (size_t i = 0; i < h->fold_count; i++) {
            sum += h->folds[i].length * fabs(crease_fold_angle(&h->folds[i], b->positions, NULL));
            length += h->folds[i].length;
        }
        return sum / length * 180 / 3.14159265358979323846;
    }
    for (size_t e = 0; e < h->topo->edge_count; e++) {
        const uint32_t *ends = h->topo->edge_vertices + 2 * e, *at = h->topo->edge_triangles + h->topo->edge_offsets[e];
        vec3 p = mesh->positions[ends[0]], q = mesh->positions[ends[1]], normals[2];
        if (fabs(from_diagonal(p.x, -p.z)) > 1e-9 || fabs(from_diagonal(q.x, -q.z)) > 1e-9 ||
            topology_edge_size(h->topo, e) != 2)
            continue;
        for (int side = 0; side < 2; side++) {
            const uint32_t *v = mesh->triangles + 3 * (size_t)at[side];
            const vec3 *x = b->positions;
            normals[side] = vec3_cross(vec3_sub(x[v[1]], x[v[0]]), vec3_sub(x[v[2]], x[v[0]]));
        }
        double angle = atan2(vec3_length(vec3_cross(normals[0], normals[1])), vec3_dot(normals[0], normals[1]));
        sum += vec3_distance(p, q) * angle;
        length += vec3_distance(p, q);
    }
    return sum / length * 180 / 3.14159265358979323846;
}

static void restart(hanging *h, int which) {
    world_destroy(h->worlds[which]);
    h->worlds[which] = make_hanging(h, which);
}
static void restart_crease(void *user) { restart(user, 0); }
static void restart_remeshed(void *user) { restart(user, 1); }

/* Frames of 100 steps. */
static void run(hanging *h, int which) {
    for (int left = h->steps[which]; left > 0; left -= 100)
        step_sheet(h->worlds[which], h->dt[which], 1, left < 100 ? left : 100);
}
static void run_crease(void *user) { run(user, 0); }
static void run_remeshed(void *user) { run(user, 1); }

void measure_remesh(const bench_setup *bench) {
    hanging h = {.bench = bench};
    h.meshes[0] = make_grid(bench->context, SIDE, ROWS, cloth_place, NULL);
    h.meshes[1] = make_conforming(bench, h.meshes[0]);
    bench_ok(bench, topology_build_mesh(h.meshes[1], &h.topo));
    ruga_curve *diagonal = draw_curve(h.meshes[0], (vec3[2]){{0, 0, 0}, {WIDTH, 0, -HEIGHT}}, 2);
    h.c = cut_along(h.meshes[0], &diagonal, 1);
    ruga_curve_destroy(diagonal);
    bench_ok(bench, crease_folds_make(&h.c, &h.fold_count, &h.folds));
    h.damping_time = cotton(h.meshes[0], INTEGRATOR_EXPLICIT).damping_time;
    double shortest = 1;
    for (size_t e = 0; e < h.topo->edge_count; e++)
        shortest = fmin(shortest, vec3_distance(h.meshes[1]->positions[h.topo->edge_vertices[2 * e]],
                                                h.meshes[1]->positions[h.topo->edge_vertices[2 * e + 1]]));
    double stable[2];
    for (int k = 0; k < 2; k++) {
        find_corners(h.meshes[k], h.pins[k]);
        stable[k] = stable_step(&h, k);
        h.dt[k] = 0.9 * stable[k];
        h.steps[k] = (int)ceil(DURATION / h.dt[k]);
    }
    printf(
        "remeshing: cloth hung from opposite corners; %zu triangles cut into %zu, or %zu with edges along the "
        "diagonal, shortest edge %.3g of the original; cotton, damping %.2g s; explicit, dt %.3g and %.3g s, 0.9 of "
        "the stable step; %g s; %d thread%s\n",
        h.meshes[0]->triangle_count, h.c.nodes.simulated->triangle_count, h.meshes[1]->triangle_count, shortest / EDGE,
        h.damping_time, h.dt[0], h.dt[1], DURATION, bench->threads, bench->threads == 1 ? "" : "s");
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "remeshed",
                                                        .a_before = restart_remeshed,
                                                        .a = run_remeshed,
                                                        .b_name = "crease",
                                                        .b_before = restart_crease,
                                                        .b = run_crease,
                                                        .b_runs = 8,
                                                        .user = &h,
                                                        .repetitions = bench->quick ? 9 : 15,
                                                        .processor_time = bench->threads == 1});
    double folds[2] = {mean_fold(&h, 0), mean_fold(&h, 1)};
    printf("  steps %d and %d; mean fold %.1f degrees, remeshed %.1f\n", h.steps[0], h.steps[1], folds[0], folds[1]);
    bench_require(fabs(folds[0] - folds[1]) < 5, "the folds differ by more than 5 degrees");
    bench_figure("remesh_vs_crease", r.ratio);
    for (int k = 0; k < 2; k++) world_destroy(h.worlds[k]);
    memory_release(bench->context, h.folds);
    topology_destroy(h.topo);
    crease_release(&h.c);
    for (int k = 0; k < 2; k++) ruga_mesh_destroy(h.meshes[k]);
}
