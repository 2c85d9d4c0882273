/* The cost of sculpting: the bust of 66 thousand triangles, a stroke across its forehead with the paper's values (k_r
 * 10, L̃ 1.3 L, 50 particles; Wang et al. 2006, figure 11), ε 0.1 mm; and distances over a surface.
 *
 *   retune_vs_normals   a new k_r or L̃ of the stroke to final vertices and normals, its refinement as before, over one
 *                       plain computation of all normals of the bust
 *   retune_hz           the same, how many a second
 *   stroke_ms           adding the stroke and the first update
 *   plain_vs_ours       the whole stroke by the paper's own steps done plainly (sculpt_plain.h) over ours, both until
 *                       the base curve is within ε of the governing one. That takes theirs two refinements and ours
 *                       one: their curve has a corner at every particle, ours is smooth. The appendix is as it is
 *                       printed: its front continues while vertices lack a distance, whatever the radius
 *   plain_stopped_vs_ours
 *                       the same with fronts that end beyond the radius, as one would soon have them; printed for a
 *                       coarser ε too, for which neither refines, and a finer one
 *   plain_created_vs_ours
 *                       the same from the mesh alone: theirs with the topology, ours with ruga_sculpt_create, which
 *                       makes the topology and normals and copies the mesh once for all strokes
 *   cgal_heat_vs_ours   distances to the 100 thousand vertices of a ball from a curve of 100 vertices: a solution of
 *                       CGAL's heat method, factors made before, over ours, its supports made before
 *   our_error, cgal_error
 *                       mean of |distance - exact| over the mean exact distance. The curve is an arc of a great
 *                       circle, so the exact distance is a formula: for us that to the arc, whose edges are our
 *                       sources; for CGAL, whose sources are vertices, that to the arc or that to the nearest vertex,
 *                       whichever makes its error less
 *
 * All by one thread. The ball's vertices are scattered within the surface: its triangles are not all alike. */
#include "bench.h"
#include "geom/geodesic.h"
#include "math/vec3.h"
#include "model/model_curves.h"
#include "ruga/ruga.h"
#include "sculpt_plain.h"

#ifdef BENCH_CGAL
#include "cgal_heat.h"
#endif

#define FOREHEAD "forehead"
#define FOREHEAD_POINTS 24
#define TOLERANCE 1e-4     /* m, ε */
#define BALL_FREQUENCY 100 /* 100,002 vertices */
#define BALL_SCATTER 0.15  /* of an edge */
#define SOURCES 100

static ruga_mesh *make_model(const bench_setup *bench, const char *name, const double *values) {
    ruga_mesh *mesh = NULL;
    bench_ok(bench, ruga_model_make(bench->context, name, values, &mesh));
    return mesh;
}

static void *take(size_t count, size_t size) {
    void *memory = calloc(count, size);
    bench_require(memory != NULL, "no memory");
    return memory;
}

/* ---- Strokes on the bust. */

typedef struct forehead {
    const bench_setup *bench;
    ruga_mesh *bust;
    ruga_curve *curve;
    ruga_stroke_def def;
    ruga_sculpt *sculpt;
    ruga_vec3 *normals; /* (vertices of the bust) */
    int refinements;    /* that retuning may not change */
    topology *topo;     /* of the bust: a sculpt has it before the first stroke, so the paper's steps get it too */
    int stops;          /* whether their fronts end beyond the radius */
    sculpt_plain_result plain;
} forehead;

static forehead make_forehead(const bench_setup *bench) {
    forehead f = {.bench = bench, .bust = make_model(bench, "bust", NULL), .def = ruga_stroke_def_default()};
    ruga_vec3 points[FOREHEAD_POINTS];
    ruga_curve_def def = ruga_curve_def_default();
    def.name = FOREHEAD;
    bench_ok(bench, model_curve_trace(f.bust, model_curve_find("bust", FOREHEAD), FOREHEAD_POINTS, points));
    bench_ok(bench, ruga_curve_from_points(f.bust, points, FOREHEAD_POINTS, &def, &f.curve));
    f.def.curve = f.curve;
    f.def.tolerance = TOLERANCE;
    f.def.length = 1.3;
    f.def.spread = 0.25;
    f.def.start = RUGA_STROKE_BAND;
    f.def.vary = 0;
    f.normals = take(f.bust->vertex_count, sizeof *f.normals);
    bench_ok(bench,
             topology_build(bench->context, f.bust->vertex_count, f.bust->triangle_count, f.bust->triangles, &f.topo));
    return f;
}

static void release_forehead(forehead *f) {
    ruga_sculpt_destroy(f->sculpt);
    ruga_curve_destroy(f->curve);
    topology_destroy(f->topo);
    ruga_mesh_destroy(f->bust);
    free(f->normals);
}

static void open_bust(void *user) {
    forehead *f = user;
    ruga_sculpt_destroy(f->sculpt);
    bench_ok(f->bench, ruga_sculpt_create(f->bust, &f->sculpt));
}

static void draw_stroke(void *user) {
    forehead *f = user;
    size_t stroke;
    bench_ok(f->bench, ruga_sculpt_add(f->sculpt, &f->def, &stroke));
    bench_ok(f->bench, ruga_sculpt_update(f->sculpt, 0, NULL));
}

/* A slider that is drawn to and fro: k_r, then L̃, then both back. */
enum { RETUNES = 4 };
static void retune(void *user) {
    static const double tried[RETUNES][2] = {{10.5, 1.3}, {10.5, 1.31}, {10, 1.31}, {10, 1.3}};
    forehead *f = user;
    for (int i = 0; i < RETUNES; i++) {
        ruga_stroke_def def = f->def;
        def.stiffness = tried[i][0];
        def.length = tried[i][1];
        bench_ok(f->bench, ruga_sculpt_set(f->sculpt, 0, &def));
        bench_ok(f->bench, ruga_sculpt_update(f->sculpt, 0, NULL));
        bench_require(ruga_sculpt_stroke_info(f->sculpt, 0).refinements == f->refinements,
                      "changing k_r or L̃ changed the refinement");
    }
}

static void find_normals(void *user) {
    forehead *f = user;
    for (int i = 0; i < RETUNES; i++) bench_ok(f->bench, ruga_mesh_normals(f->bust, NULL, f->normals));
}

static void measure_retune(forehead *f) {
    open_bust(f);
    draw_stroke(f);
    ruga_stroke_info info = ruga_sculpt_stroke_info(f->sculpt, 0);
    f->refinements = info.refinements;
    printf(
        "a stroke changed: bust of %zu triangles, %s; refined %d times to %zu triangles, %zu vertices of them in its "
        "region; %zu extrema; 1 thread\n",
        f->bust->triangle_count, FOREHEAD, info.refinements, ruga_sculpt_mesh(f->sculpt)->triangle_count,
        info.region_vertices, info.extrema);
    bench_result r = bench_compare(f->bench, &(bench_pair){.a_name = "k_r or L̃ changed, 4 times",
                                                           .a = retune,
                                                           .b_name = "normals of the bust, 4 times",
                                                           .b = find_normals,
                                                           .user = f,
                                                           .processor_time = 1,
                                                           .repetitions = f->bench->quick ? 15 : 31});
    bench_figure("retune_vs_normals", r.ratio);
    bench_figure("retune_hz", RETUNES / r.a);
}

static void draw_plainly(void *user) {
    forehead *f = user;
    const sculpt_plain_def def = {.mesh = f->bust, .topo = f->topo, .stroke = &f->def, .stops = f->stops};
    bench_ok(f->bench, sculpt_plain_draw(&def, &f->plain));
}

static void forget_plain(void *user) { sculpt_plain_release(&((forehead *)user)->plain); }

/* Both from the mesh alone. */
static void draw_plainly_from_mesh(void *user) {
    forehead *f = user;
    const ruga_mesh *bust = f->bust;
    topology_destroy(f->topo);
    bench_ok(f->bench,
             topology_build(bust->context, bust->vertex_count, bust->triangle_count, bust->triangles, &f->topo));
    draw_plainly(user);
}

static void draw_from_mesh(void *user) {
    open_bust(user);
    draw_stroke(user);
}

static double race_created(forehead *f) {
    f->def.tolerance = TOLERANCE;
    f->stops = 1;
    printf("a whole stroke with all that is made once for a mesh; 1 thread\n");
    const bench_result r = bench_compare(f->bench, &(bench_pair){.a_name = "topology and the paper's steps",
                                                                 .a = draw_plainly_from_mesh,
                                                                 .a_before = forget_plain,
                                                                 .b_name = "Ruga with ruga_sculpt_create",
                                                                 .b = draw_from_mesh,
                                                                 .user = f,
                                                                 .processor_time = 1});
    forget_plain(f);
    return r.ratio;
}

static bench_result race_plain(forehead *f, double tolerance, int stops) {
    f->def.tolerance = tolerance;
    f->stops = stops;
    open_bust(f);
    draw_stroke(f);
    draw_plainly(f);
    ruga_stroke_info info = ruga_sculpt_stroke_info(f->sculpt, 0);
    printf("a whole stroke: bust of %zu triangles, %s, ε %g mm, fronts %s; 1 thread\n", f->bust->triangle_count,
           FOREHEAD, 1e3 * tolerance, stops ? "that end beyond the radius" : "as printed");
    printf(
        "  the paper's steps: energy %.4g after %d iterations, refined %d times to %zu triangles, error %.3g of ε, "
        "%zu rounds of the front\n",
        f->plain.energy, f->plain.iterations, f->plain.refinements, f->plain.triangle_count, f->plain.error / tolerance,
        f->plain.front_rounds);
    printf("  Ruga: energy %.4g, refined %d times to %zu triangles, error %.3g of ε\n", info.energy, info.refinements,
           ruga_sculpt_mesh(f->sculpt)->triangle_count, info.error / tolerance);
    bench_result r = bench_compare(f->bench, &(bench_pair){.a_name = "the paper's steps",
                                                           .a = draw_plainly,
                                                           .a_before = forget_plain,
                                                           .b_name = "Ruga",
                                                           .b = draw_stroke,
                                                           .b_before = open_bust,
                                                           .user = f,
                                                           .processor_time = 1});
    forget_plain(f);
    return r;
}

static void measure_stroke(forehead *f) {
    race_plain(f, 3 * TOLERANCE, 1);
    race_plain(f, 0.4 * TOLERANCE, 1);
    bench_result stopped = race_plain(f, TOLERANCE, 1), printed = race_plain(f, TOLERANCE, 0);
    bench_figure("plain_vs_ours", printed.ratio);
    bench_figure("plain_stopped_vs_ours", stopped.ratio);
    bench_figure("plain_created_vs_ours", race_created(f));
    bench_figure("stroke_ms", 1e3 * stopped.b);
}

/* ---- Distances over a ball. */

typedef struct ball {
    const bench_setup *bench;
    ruga_mesh *mesh;
    topology *topo;
    geodesic *geodesic;
    uint32_t sources[SOURCES];
    double parameters[SOURCES]; /* m, along the arc */
    double *ours, *theirs;      /* (vertices) m */
#ifdef BENCH_CGAL
    cgal_heat *heat;
#endif
} ball;

/* Two corners of the icosahedron that an edge joins, by how few neighbours they have. */
static void find_corners(const ruga_mesh *mesh, const topology *topo, uint32_t corners[2]) {
    corners[0] = corners[1] = NO_INDEX;
    double nearest = INFINITY;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (topo->ring_offsets[v + 1] - topo->ring_offsets[v] != 5) continue;
        if (corners[0] == NO_INDEX) {
            corners[0] = v;
            continue;
        }
        double distance = vec3_distance(mesh->positions[v], mesh->positions[corners[0]]);
        if (distance > nearest * (1 - 1e-6)) continue;
        nearest = distance;
        corners[1] = v;
    }
    bench_require(corners[1] != NO_INDEX, "the ball is no icosahedron divided");
}

/* The vertices from one corner towards the other, along the great circle. */
static void walk_arc(const ruga_mesh *mesh, const topology *topo, uint32_t *sources) {
    uint32_t corners[2];
    find_corners(mesh, topo, corners);
    sources[0] = corners[0];
    const vec3 *p = mesh->positions;
    for (size_t i = 1; i < SOURCES; i++) {
        uint32_t at = sources[i - 1], next = at;
        for (uint32_t e = topo->ring_offsets[at]; e < topo->ring_offsets[at + 1]; e++)
            if (vec3_distance(p[topo->ring_vertices[e]], p[corners[1]]) < vec3_distance(p[next], p[corners[1]]))
                next = topo->ring_vertices[e];
        sources[i] = next;
        vec3 across = vec3_normalise(vec3_cross(p[corners[0]], p[corners[1]]));
        bench_require(next != at && fabs(vec3_dot(p[next], across)) < 1e-9, "the arc leaves its great circle");
    }
}

/* The same ball with vertices moved within its surface, those of the arc left where they are. */
static ruga_mesh *scatter(ruga_mesh *mesh, const uint32_t *sources) {
    size_t n = mesh->vertex_count;
    uint8_t *is_source = take(n, 1);
    ruga_vec3 *positions = take(n, sizeof *positions);
    for (size_t i = 0; i < SOURCES; i++) is_source[sources[i]] = 1;
    const double edge = 1.1 / BALL_FREQUENCY;
    for (size_t i = 0; i < n; i++) {
        uint32_t k = (uint32_t)(3 * i);
        vec3 shift = {bench_scatter(k), bench_scatter(k + 1), bench_scatter(k + 2)};
        vec3 moved = vec3_add_scaled(mesh->positions[i], shift, is_source[i] ? 0 : BALL_SCATTER * edge);
        positions[i] = is_source[i] ? mesh->positions[i] : vec3_normalise(moved);
    }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, n, 0, RUGA_F64};
    def.face_count = mesh->triangle_count;
    def.face_vertices = mesh->triangles;
    ruga_mesh *scattered = NULL;
    bench_require(!RUGA_FAILED(ruga_mesh_create(mesh->context, &def, &scattered)), "no scattered ball");
    free(positions);
    free(is_source);
    ruga_mesh_destroy(mesh);
    return scattered;
}

static ball make_ball(const bench_setup *bench) {
    const double values[2] = {1, BALL_FREQUENCY};
    ball b = {.bench = bench, .mesh = make_model(bench, "sphere", values)};
    bench_ok(bench,
             topology_build(bench->context, b.mesh->vertex_count, b.mesh->triangle_count, b.mesh->triangles, &b.topo));
    walk_arc(b.mesh, b.topo, b.sources);
    b.mesh = scatter(b.mesh, b.sources);
    const vec3 *p = b.mesh->positions;
    for (size_t i = 1; i < SOURCES; i++)
        b.parameters[i] = b.parameters[i - 1] + vec3_distance(p[b.sources[i - 1]], p[b.sources[i]]);
    bench_ok(bench, geodesic_create(bench->context, b.topo, b.mesh->triangles, p, &b.geodesic));
    b.ours = take(b.mesh->vertex_count, sizeof *b.ours);
    b.theirs = take(b.mesh->vertex_count, sizeof *b.theirs);
    return b;
}

static void release_ball(ball *b) {
    geodesic_destroy(b->geodesic);
    topology_destroy(b->topo);
    ruga_mesh_destroy(b->mesh);
    free(b->ours);
    free(b->theirs);
}

static double great_circle(vec3 a, vec3 b) { return atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b)); }

#ifdef BENCH_CGAL
static double exact_to_vertices(const ball *b, vec3 p) {
    double least = INFINITY;
    for (size_t i = 0; i < SOURCES; i++) least = fmin(least, vec3_distance(p, b->mesh->positions[b->sources[i]]));
    return 2 * asin(fmin(1, least / 2));
}
#endif

/* Beside the arc, the angle from its plane; beyond its ends, that to the nearer end. */
static double exact_to_arc(const ball *b, vec3 p) {
    vec3 first = b->mesh->positions[b->sources[0]], last = b->mesh->positions[b->sources[SOURCES - 1]];
    vec3 across = vec3_normalise(vec3_cross(first, last));
    int beside = vec3_dot(vec3_cross(across, first), p) >= 0 && vec3_dot(vec3_cross(last, across), p) >= 0;
    if (beside) return fabs(asin(fmin(1, fmax(-1, vec3_dot(p, across)))));
    return fmin(great_circle(p, first), great_circle(p, last));
}

static double mean_error(const ball *b, const double *distances, double exact(const ball *b, vec3 p)) {
    double error = 0, sum = 0;
    for (size_t v = 0; v < b->mesh->vertex_count; v++) {
        double wanted = exact(b, b->mesh->positions[v]);
        error += fabs(distances[v] - wanted);
        sum += wanted;
    }
    return error / sum;
}

static void find_ours(void *user) {
    ball *b = user;
    geodesic_sources sources = {.count = SOURCES, .vertices = b->sources, .parameters = b->parameters};
    geodesic_distances(b->geodesic, &sources, INFINITY, b->ours, NULL, NULL, NULL);
}

#ifdef BENCH_CGAL

static void find_theirs(void *user) {
    ball *b = user;
    cgal_heat_solve(b->heat, b->sources, SOURCES, b->theirs);
}

static void race_cgal(ball *b) {
    double start = timer_now();
    b->heat =
        cgal_heat_create(b->mesh->vertex_count, &b->mesh->positions->x, b->mesh->triangle_count, b->mesh->triangles);
    bench_require(b->heat != NULL, "CGAL does not take the ball");
    printf("  factors of CGAL's matrices: %.3g s, not counted below\n", timer_now() - start);
    bench_result r = bench_compare(b->bench, &(bench_pair){.a_name = "CGAL, heat method",
                                                           .a = find_theirs,
                                                           .b_name = "Ruga, fast marching",
                                                           .b = find_ours,
                                                           .user = b,
                                                           .processor_time = 1,
                                                           .items = (double)b->mesh->vertex_count,
                                                           .item_name = "vertices"});
    bench_figure("cgal_heat_vs_ours", r.ratio);
    bench_figure("cgal_error",
                 fmin(mean_error(b, b->theirs, exact_to_arc), mean_error(b, b->theirs, exact_to_vertices)));
    cgal_heat_destroy(b->heat);
}

#else

static void race_cgal(ball *b) {
    find_ours(b);
    printf("CGAL: left out, it was not there when this was built (on Debian: libcgal-dev, libeigen3-dev)\n");
}

#endif

static void measure_distances(const bench_setup *bench) {
    ball b = make_ball(bench);
    printf("distances over a scattered ball of %zu vertices, %zu triangles, from an arc of %d vertices; 1 thread\n",
           b.mesh->vertex_count, b.mesh->triangle_count, SOURCES);
    race_cgal(&b);
    bench_figure("our_error", mean_error(&b, b.ours, exact_to_arc));
    release_ball(&b);
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "sculpt");
    bench_require(bench.threads == 1, "all of this is measured with one thread");
    forehead f = make_forehead(&bench);
    measure_retune(&f);
    measure_stroke(&f);
    release_forehead(&f);
    measure_distances(&bench);
    bench_end(&bench);
    return 0;
}
