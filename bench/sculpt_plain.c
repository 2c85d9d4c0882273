/* See sculpt_plain.h. */
#include "sculpt_plain.h"

#include "bench.h"
#include "geom/curve_cut.h"
#include "math/vec3.h"
#include "mesh/topology.h"
#include "solve/governing_model.h"

enum { MAX_ITERATIONS = 5000, MAX_LINE_STEPS = 30 };

/* The state of the rounds. */
typedef struct plain {
    ruga_context *context;
    const ruga_stroke_def *def;
    int stops; /* fronts end beyond the radius */
    size_t vertex_count, triangle_count, path_count;
    vec3 *positions, *normals; /* (vertex_count) undeformed */
    uint32_t *triangles;       /* (triangle_count x 3) */
    uint32_t *path;            /* (path_count) vertices of the base curve */
    double *arcs;              /* (path_count) m along it */
    topology *topo;
    double *edge_lengths; /* (ring entries) m, beside topo->ring_vertices */
    double *distances;    /* (vertex_count) m, W */
    uint32_t *closest;    /* (vertex_count) place in the path */
    size_t particle_count;
    double length, radius;        /* m */
    vec3 *points, *point_normals; /* (particle_count) */
    double *deflections;          /* (particle_count) m */
    sculpt_plain_result *result;
} plain;

static void *take(size_t count, size_t size) {
    void *memory = malloc(count * size + 1);
    bench_require(memory != NULL, "no memory");
    return memory;
}

static void *take_copy(const void *source, size_t count, size_t size) {
    return memcpy(take(count, size), source, count * size);
}

/* ---- Surface and base curve. */

static void find_normals(const plain *s, const vec3 *positions, vec3 *normals) {
    memset(normals, 0, s->vertex_count * sizeof *normals);
    for (size_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *v = s->triangles + 3 * t;
        vec3 a = positions[v[0]];
        vec3 across = vec3_cross(vec3_sub(positions[v[1]], a), vec3_sub(positions[v[2]], a));
        for (int k = 0; k < 3; k++) normals[v[k]] = vec3_add(normals[v[k]], across);
    }
    for (size_t v = 0; v < s->vertex_count; v++) normals[v] = vec3_normalise(normals[v]);
}

static void measure_path(plain *s) {
    s->arcs[0] = 0;
    for (size_t i = 1; i < s->path_count; i++)
        s->arcs[i] = s->arcs[i - 1] + vec3_distance(s->positions[s->path[i - 1]], s->positions[s->path[i]]);
}

/* After the triangles changed: topology, normals, lengths. */
static ruga_status prepare_surface(plain *s) {
    topology_destroy(s->topo);
    s->topo = NULL;
    TRY(topology_build(s->context, s->vertex_count, s->triangle_count, s->triangles, &s->topo));
    s->normals = realloc(s->normals, s->vertex_count * sizeof *s->normals);
    s->distances = realloc(s->distances, s->vertex_count * sizeof *s->distances);
    s->closest = realloc(s->closest, s->vertex_count * sizeof *s->closest);
    s->edge_lengths = realloc(s->edge_lengths, 2 * s->topo->edge_count * sizeof *s->edge_lengths);
    bench_require(s->normals && s->distances && s->closest && s->edge_lengths, "no memory");
    find_normals(s, s->positions, s->normals);
    measure_path(s);
    return RUGA_OK;
}

static ruga_status cut_surface(plain *s, const ruga_mesh *mesh, const topology *topo) {
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    def.topo = topo;
    TRY(curve_cut_make(mesh, &s->def->curve, 1, &def, &cut));
    s->vertex_count = cut.mesh->vertex_count;
    s->triangle_count = cut.mesh->triangle_count;
    s->path_count = cut.paths[0].count;
    s->positions = take_copy(cut.mesh->positions, s->vertex_count, sizeof *s->positions);
    s->triangles = take_copy(cut.mesh->triangles, 3 * s->triangle_count, sizeof *s->triangles);
    s->path = take_copy(cut.paths[0].vertices, s->path_count, sizeof *s->path);
    s->arcs = take(s->path_count, sizeof *s->arcs);
    curve_cut_release(&cut);
    return prepare_surface(s);
}

/* ---- The governing curve: sections 3 and 4. */

static void place_particles(plain *s) {
    s->length = s->arcs[s->path_count - 1];
    for (size_t i = 0, at = 0; i < s->particle_count; i++) {
        double arc = s->length * (double)i / (double)(s->particle_count - 1);
        while (at + 2 < s->path_count && s->arcs[at + 1] <= arc) at++;
        double part = fmin(1, (arc - s->arcs[at]) / (s->arcs[at + 1] - s->arcs[at]));
        s->points[i] = vec3_mix(s->positions[s->path[at]], s->positions[s->path[at + 1]], part);
        s->point_normals[i] = vec3_normalise(vec3_mix(s->normals[s->path[at]], s->normals[s->path[at + 1]], part));
    }
}

typedef struct descent {
    const governing_model *model;
    size_t count;
    const uint8_t *fixed; /* (count) */
    double *x, *gradient, *direction, *trial, *trial_gradient;
} descent;

static double evaluate(const descent *d, const double *x, double *gradient) {
    double energy = governing_model_energy(d->model, x, gradient, NULL);
    for (size_t i = 0; i < d->count; i++)
        if (d->fixed[i]) gradient[i] = 0;
    return energy;
}

static double dot(const descent *d, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < d->count; i++) sum += a[i] * b[i];
    return sum;
}

static double look_along(const descent *d, double step, double *energy) {
    for (size_t i = 0; i < d->count; i++) d->trial[i] = d->x[i] + step * d->direction[i];
    *energy = evaluate(d, d->trial, d->trial_gradient);
    return dot(d, d->trial_gradient, d->direction);
}

/* Doubles the step until the slope turns or the energy rises, then by secants until the slope is a tenth. Returns the
 * step, whose trial is the last one looked at; 0 if there is none with less energy. */
static double search_line(const descent *d, double energy, double slope, double first, double *found) {
    double low = 0, low_slope = slope, high = 0, high_slope = 0, step = first;
    for (int i = 0; i < MAX_LINE_STEPS; i++) {
        double now = look_along(d, step, found);
        int is_lower = *found < energy;
        if (is_lower && fabs(now) <= -0.1 * slope) return step;
        if (now < 0 && is_lower) {
            low = step;
            low_slope = now;
        } else {
            high = step;
            high_slope = now;
        }
        if (high == 0)
            step *= 2;
        else if (high_slope > 0)
            step = fmin(fmax(low - low_slope * (high - low) / (high_slope - low_slope), low + 0.1 * (high - low)),
                        high - 0.1 * (high - low));
        else
            step = 0.5 * (low + high);
    }
    if (low == 0) return 0;
    look_along(d, low, found);
    return *found < energy ? low : 0;
}

static double descend(const descent *d, int *iterations) {
    size_t bytes = d->count * sizeof(double);
    double energy = evaluate(d, d->x, d->gradient), product = dot(d, d->gradient, d->gradient), step = 1e-3;
    for (size_t i = 0; i < d->count; i++) d->direction[i] = -d->gradient[i];
    int idle = 0;
    for (*iterations = 0; *iterations < MAX_ITERATIONS && idle < 3 && product > 1e-24; (*iterations)++) {
        double slope = dot(d, d->gradient, d->direction), found;
        if (!(slope < 0)) {
            for (size_t i = 0; i < d->count; i++) d->direction[i] = -d->gradient[i];
            slope = -product;
        }
        step = search_line(d, energy, slope, step, &found);
        if (step == 0) break;
        idle = energy - found < 1e-9 * (1 + fabs(energy)) ? idle + 1 : 0;
        energy = found;
        double next = dot(d, d->trial_gradient, d->trial_gradient), old_product = product;
        double beta = fmax(0, (next - dot(d, d->trial_gradient, d->gradient)) / old_product);
        memcpy(d->x, d->trial, bytes);
        memcpy(d->gradient, d->trial_gradient, bytes);
        for (size_t i = 0; i < d->count; i++) d->direction[i] = beta * d->direction[i] - d->gradient[i];
        product = next;
    }
    return energy;
}

static void govern(plain *s) {
    size_t n = s->particle_count;
    governing_curve curve = {.def = {.stiffness = s->def->stiffness,
                                     .length = s->def->length,
                                     .seed = s->def->seed,
                                     .rest_angles = !s->def->straight,
                                     .node_length = s->def->length,
                                     .ends = s->def->ends == RUGA_ENDS_SOFT ? GOVERNING_SOFT : GOVERNING_PRINTED},
                             .count = n,
                             .points = s->points,
                             .normals = s->point_normals};
    governing_model model = governing_model_make(&curve);
    double *rows = take(GOVERNING_ROWS * (n + 1), sizeof *rows);
    governing_fill_rows(&model, rows);
    model.rows = rows;
    double *vectors = take(5 * n, sizeof *vectors);
    uint8_t *fixed = take(n, 1);
    model.span_ends = take(n, sizeof *model.span_ends);
    governing_start_band(&model, s->def->seed, vectors);
    for (size_t i = 0; i < n; i++) fixed[i] = i < 2 || i + 2 >= n;
    for (size_t i = 0; i < model.span_count; i++) fixed[model.span_ends[i]] = 1;
    for (size_t i = 0; i < n; i++)
        if (fixed[i]) vectors[i] = 0;
    descent d = {&model, n, fixed, vectors, vectors + n, vectors + 2 * n, vectors + 3 * n, vectors + 4 * n};
    s->result->energy = descend(&d, &s->result->iterations);
    for (size_t i = 0; i < n; i++) s->deflections[i] = d.x[i] / model.scale;
    free(model.span_ends);
    free(rows);
    free(vectors);
    free(fixed);
}

static double deflection_at(const plain *s, double arc) {
    double at = arc / s->length * (double)(s->particle_count - 1);
    size_t i = at < (double)(s->particle_count - 2) ? (size_t)at : s->particle_count - 2;
    double part = at - (double)i;
    return (1 - part) * s->deflections[i] + part * s->deflections[i + 1];
}

/* ---- Distances: the appendix. */

static double measure_edges(plain *s) {
    const topology *topo = s->topo;
    double least = INFINITY;
    for (size_t v = 0; v < s->vertex_count; v++)
        for (uint32_t e = topo->ring_offsets[v]; e < topo->ring_offsets[v + 1]; e++) {
            s->edge_lengths[e] = vec3_distance(s->positions[v], s->positions[topo->ring_vertices[e]]);
            if (s->edge_lengths[e] < least) least = s->edge_lengths[e];
        }
    return least;
}

/* Steps 9 to 14. */
static size_t advance(plain *s, const uint32_t *list, size_t count, double lambda, uint8_t *passed, uint32_t *next) {
    const topology *topo = s->topo;
    size_t next_count = 0;
    for (size_t i = 0; i < count; i++) {
        double from = s->distances[list[i]];
        for (uint32_t e = topo->ring_offsets[list[i]]; e < topo->ring_offsets[list[i] + 1]; e++) {
            uint32_t v = topo->ring_vertices[e];
            double offered = from + s->edge_lengths[e];
            if (offered < s->distances[v]) {
                s->distances[v] = offered;
                s->closest[v] = s->closest[list[i]];
            }
            if (!passed[v] && s->distances[v] < lambda) {
                next[next_count++] = v;
                passed[v] = 1;
            }
        }
    }
    return next_count;
}

static int has_neighbour_to_pass(const topology *topo, uint32_t v, const uint8_t *passed) {
    for (uint32_t e = topo->ring_offsets[v]; e < topo->ring_offsets[v + 1]; e++)
        if (!passed[topo->ring_vertices[e]]) return 1;
    return 0;
}

static void move_front(plain *s) {
    uint8_t *passed = take(s->vertex_count, 1);
    uint32_t *lists[2] = {take(s->vertex_count, sizeof(uint32_t)), take(s->vertex_count, sizeof(uint32_t))};
    memset(passed, 0, s->vertex_count);
    for (size_t v = 0; v < s->vertex_count; v++) s->distances[v] = INFINITY;
    for (size_t i = 0; i < s->path_count; i++) {
        lists[0][i] = s->path[i];
        s->distances[s->path[i]] = 0;
        s->closest[s->path[i]] = (uint32_t)i;
        passed[s->path[i]] = 1;
    }
    size_t count = s->path_count;
    double step = measure_edges(s), lambda = step;
    double last = s->stops ? s->radius + step : INFINITY;
    for (int now = 0; count > 0 && lambda < last; now = !now, lambda += step) {
        size_t next_count = advance(s, lists[now], count, lambda, passed, lists[!now]);
        for (size_t i = 0; i < count; i++)
            if (has_neighbour_to_pass(s->topo, lists[now][i], passed)) lists[!now][next_count++] = lists[now][i];
        count = next_count;
        s->result->front_rounds++;
    }
    free(passed);
    free(lists[0]);
    free(lists[1]);
}

/* ---- Refinement: sections 3 and 5.3. */

static vec3 deflected_vertex(const plain *s, size_t i) {
    uint32_t v = s->path[i];
    return vec3_add_scaled(s->positions[v], s->normals[v], deflection_at(s, s->arcs[i]));
}

/* The greatest distance of the middles of the deflected base curve's edges from the governing curve. */
static double curve_error(const plain *s) {
    double greatest = 0;
    for (size_t i = 0; i + 1 < s->path_count; i++) {
        uint32_t a = s->path[i], b = s->path[i + 1];
        vec3 at = vec3_mix(s->positions[a], s->positions[b], 0.5);
        vec3 normal = vec3_normalise(vec3_add(s->normals[a], s->normals[b]));
        vec3 wanted = vec3_add_scaled(at, normal, deflection_at(s, 0.5 * (s->arcs[i] + s->arcs[i + 1])));
        greatest =
            fmax(greatest, vec3_distance(wanted, vec3_mix(deflected_vertex(s, i), deflected_vertex(s, i + 1), 0.5)));
    }
    return greatest;
}

static int in_region(const plain *s, const uint32_t *v) {
    return s->distances[v[0]] <= s->radius || s->distances[v[1]] <= s->radius || s->distances[v[2]] <= s->radius;
}

/* New vertices at the middles of the region's edges: (edge_count) each, NO_INDEX for those that stay whole. */
static uint32_t *halve_edges(plain *s) {
    const topology *topo = s->topo;
    uint32_t *middles = take(topo->edge_count, sizeof *middles);
    memset(middles, 0xff, topo->edge_count * sizeof *middles);
    uint32_t next = (uint32_t)s->vertex_count;
    for (size_t t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3 && in_region(s, s->triangles + 3 * t); k++) {
            uint32_t *middle = &middles[topo->triangle_edges[3 * t + (size_t)k]];
            if (*middle == NO_INDEX) *middle = next++;
        }
    s->positions = realloc(s->positions, next * sizeof *s->positions);
    bench_require(s->positions != NULL, "no memory");
    for (size_t e = 0; e < topo->edge_count; e++)
        if (middles[e] != NO_INDEX)
            s->positions[middles[e]] =
                vec3_mix(s->positions[topo->edge_vertices[2 * e]], s->positions[topo->edge_vertices[2 * e + 1]], 0.5);
    s->vertex_count = next;
    return middles;
}

static uint32_t *add_triangle(uint32_t *out, uint32_t a, uint32_t b, uint32_t c) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
    return out + 3;
}

/* Turned until edge 0 is halved and, of two halved ones, edge 1 is the other. */
static uint32_t *divide_triangle(const uint32_t *v, const uint32_t m[3], uint32_t *out) {
    int halved = (m[0] != NO_INDEX) + (m[1] != NO_INDEX) + (m[2] != NO_INDEX), turn = 0;
    if (halved == 0) return add_triangle(out, v[0], v[1], v[2]);
    while (m[turn] == NO_INDEX || (halved == 2 && m[(turn + 1) % 3] == NO_INDEX)) turn++;
    uint32_t a = v[turn], b = v[(turn + 1) % 3], c = v[(turn + 2) % 3], ab = m[turn], bc = m[(turn + 1) % 3];
    if (halved == 1) return add_triangle(add_triangle(out, a, ab, c), ab, b, c);
    out = add_triangle(out, ab, b, bc);
    if (halved == 2) return add_triangle(add_triangle(out, a, ab, c), ab, bc, c);
    uint32_t ca = m[(turn + 2) % 3];
    return add_triangle(add_triangle(add_triangle(out, a, ab, ca), ca, bc, c), ab, bc, ca);
}

static void divide_triangles(plain *s, const uint32_t *middles) {
    uint32_t *all = take(12 * s->triangle_count, sizeof *all), *end = all;
    for (size_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *e = s->topo->triangle_edges + 3 * t;
        const uint32_t m[3] = {middles[e[0]], middles[e[1]], middles[e[2]]};
        end = divide_triangle(s->triangles + 3 * t, m, end);
    }
    free(s->triangles);
    s->triangles = all;
    s->triangle_count = (size_t)(end - all) / 3;
}

static void divide_path(plain *s, const uint32_t *middles) {
    uint32_t *path = take(2 * s->path_count, sizeof *path);
    size_t count = 0;
    for (size_t i = 0; i < s->path_count; i++) {
        if (i > 0) {
            uint32_t middle = middles[topology_find_edge(s->topo, s->path[i - 1], s->path[i])];
            if (middle != NO_INDEX) path[count++] = middle;
        }
        path[count++] = s->path[i];
    }
    free(s->path);
    s->path = path;
    s->path_count = count;
    s->arcs = realloc(s->arcs, count * sizeof *s->arcs);
    bench_require(s->arcs != NULL, "no memory");
}

static vec3 umbrella(const topology *topo, uint32_t v, const vec3 *p) {
    vec3 sum = {0, 0, 0};
    uint32_t begin = topo->ring_offsets[v], end = topo->ring_offsets[v + 1];
    for (uint32_t e = begin; e < end; e++) sum = vec3_add(sum, p[topo->ring_vertices[e]]);
    return vec3_sub(vec3_scale(sum, 1.0 / (double)(end - begin)), p[v]);
}

static double umbrella_weight(const topology *topo, uint32_t v) {
    double sum = 0;
    uint32_t begin = topo->ring_offsets[v], end = topo->ring_offsets[v + 1];
    for (uint32_t e = begin; e < end; e++) {
        uint32_t n = topo->ring_vertices[e];
        sum += 1.0 / (double)(topo->ring_offsets[n + 1] - topo->ring_offsets[n]);
    }
    return 1 + sum / (double)(end - begin);
}

/* Once over the vertices that are new, but for those on the base curve. */
static void smooth(plain *s, size_t old_count) {
    vec3 *first = take(s->vertex_count, sizeof *first);
    uint8_t *kept = take(s->vertex_count, 1);
    memset(kept, 0, s->vertex_count);
    for (size_t i = 0; i < s->path_count; i++) kept[s->path[i]] = 1;
    for (uint32_t v = 0; v < s->vertex_count; v++) first[v] = umbrella(s->topo, v, s->positions);
    for (uint32_t v = (uint32_t)old_count; v < s->vertex_count; v++)
        if (!kept[v])
            s->positions[v] =
                vec3_add_scaled(s->positions[v], umbrella(s->topo, v, first), -1 / umbrella_weight(s->topo, v));
    free(first);
    free(kept);
}

static ruga_status refine(plain *s) {
    size_t old_count = s->vertex_count;
    uint32_t *middles = halve_edges(s);
    divide_path(s, middles);
    divide_triangles(s, middles);
    free(middles);
    TRY(prepare_surface(s));
    smooth(s, old_count);
    find_normals(s, s->positions, s->normals);
    measure_path(s);
    s->result->refinements++;
    return RUGA_OK;
}

/* ---- All of it. */

static double bell(double x) { return x < 1 ? 1 + x * x * (-22 + x * x * (17 - 4 * x * x)) / 9 : 0; }

static void propagate(plain *s) {
    sculpt_plain_result *r = s->result;
    r->positions = take_copy(s->positions, s->vertex_count, sizeof *s->positions);
    r->normals = take(s->vertex_count, sizeof *r->normals);
    for (size_t v = 0; v < s->vertex_count; v++) {
        if (!(s->distances[v] < s->radius)) continue;
        double deflection = bell(s->distances[v] / s->radius) * deflection_at(s, s->arcs[s->closest[v]]);
        r->positions[v] = vec3_add_scaled(s->positions[v], s->normals[v], deflection);
    }
    find_normals(s, r->positions, r->normals);
    r->vertex_count = s->vertex_count;
    r->triangle_count = s->triangle_count;
    r->triangles = s->triangles;
    s->triangles = NULL;
}

/* Table 1. */
static ruga_status draw(plain *s, const sculpt_plain_def *def) {
    TRY(cut_surface(s, def->mesh, def->topo));
    place_particles(s);
    govern(s);
    s->radius = isnan(s->def->radius) ? 0.25 * s->length : s->def->radius;
    s->result->tolerance = isnan(s->def->tolerance) ? s->length / 200 : s->def->tolerance;
    for (;;) {
        move_front(s);
        s->result->error = curve_error(s);
        if (s->result->error <= s->result->tolerance || s->result->refinements >= s->def->refine) break;
        TRY(refine(s));
    }
    propagate(s);
    return RUGA_OK;
}

ruga_status sculpt_plain_draw(const sculpt_plain_def *def, sculpt_plain_result *out) {
    *out = (sculpt_plain_result){0};
    plain s = {.context = def->mesh->context,
               .def = def->stroke,
               .stops = def->stops,
               .particle_count = (size_t)def->stroke->particles,
               .result = out};
    s.points = take(s.particle_count, sizeof *s.points);
    s.point_normals = take(s.particle_count, sizeof *s.point_normals);
    s.deflections = take(s.particle_count, sizeof *s.deflections);
    ruga_status status = draw(&s, def);
    topology_destroy(s.topo);
    void *all[] = {s.positions, s.normals, s.triangles, s.path,          s.arcs,       s.edge_lengths,
                   s.distances, s.closest, s.points,    s.point_normals, s.deflections};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    if (RUGA_FAILED(status)) sculpt_plain_release(out);
    return status;
}

void sculpt_plain_release(sculpt_plain_result *result) {
    free(result->positions);
    free(result->normals);
    free(result->triangles);
    *result = (sculpt_plain_result){0};
}
