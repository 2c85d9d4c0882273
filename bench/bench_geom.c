/* Closest points and refitting against Embree 3.13, one thread, the same mesh and the same queries. Embree is used as
 * its manual advises: a point query whose callback shrinks the radius; a dynamic scene of low quality whose geometry
 * is refitted. Its vertices are copied into its buffer outside of the time that is taken. Both answers are checked
 * against brute force in double. */
#include <embree3/rtcore.h>
#include <float.h>
#include <math.h>

#include "bench.h"
#include "geom/bvh.h"
#include "math/vec3.h"

enum { RINGS = 200, SIDES = 125, VERTICES = RINGS * SIDES, TRIANGLES = 2 * VERTICES, QUERIES = 100000, CHECKED = 150 };

typedef struct scene {
    vec3 *positions[2]; /* two moments of a wrinkled torus */
    uint32_t *triangles;
    vec3 *queries;
    bvh *tree;
    bvh_hit *hits;
    RTCDevice device;
    RTCScene still, moving;
    RTCGeometry moving_geometry;
    float *moving_vertices;
    struct embree_hit *embree_hits;
    int ours_at, embree_at; /* which moment each was last moved to */
} scene;

static double random_unit(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    bench_require(memory != NULL, "out of memory");
    return memory;
}

/* ---- The scene */

static vec3 torus_point(int ring, int side, double time) {
    const double turn = 6.283185307179586;
    double u = turn * ring / RINGS, v = turn * side / SIDES;
    double radius = 0.4 + 0.02 * sin(12 * u + 5 * v + time) + 0.01 * sin(31 * v - 7 * u - time);
    return vec3_make((1 + radius * cos(v)) * cos(u), radius * sin(v), (1 + radius * cos(v)) * sin(u));
}

static void make_mesh(scene *s) {
    for (int moment = 0; moment < 2; moment++) {
        s->positions[moment] = allocate(VERTICES, sizeof(vec3));
        for (int i = 0; i < VERTICES; i++) s->positions[moment][i] = torus_point(i / SIDES, i % SIDES, moment * 0.5);
    }
    s->triangles = allocate(TRIANGLES, 3 * sizeof(uint32_t));
    for (int i = 0; i < VERTICES; i++) {
        int ring = i / SIDES, side = i % SIDES, next_ring = (ring + 1) % RINGS, next_side = (side + 1) % SIDES;
        uint32_t a = (uint32_t)i, b = (uint32_t)(next_ring * SIDES + side);
        uint32_t c = (uint32_t)(next_ring * SIDES + next_side), d = (uint32_t)(ring * SIDES + next_side);
        const uint32_t quad[6] = {a, b, c, a, c, d};
        memcpy(s->triangles + 6 * (size_t)i, quad, sizeof quad);
    }
}

/* Points on random triangles, moved by up to 0.05 in each direction, in random order. Floats, so that both see them. */
static void make_queries(scene *s) {
    uint64_t state = 7;
    s->queries = allocate(QUERIES, sizeof(vec3));
    for (int i = 0; i < QUERIES; i++) {
        size_t triangle = (size_t)(random_unit(&state) * TRIANGLES);
        double x = random_unit(&state) - 0.5, y = random_unit(&state) - 0.5, z = random_unit(&state) - 0.5;
        vec3 p = vec3_add_scaled(s->positions[0][s->triangles[3 * triangle]], vec3_make(x, y, z), 0.1);
        s->queries[i] = vec3_make((double)(float)p.x, (double)(float)p.y, (double)(float)p.z);
    }
}

/* ---- Embree */

typedef struct embree_hit {
    unsigned element;
    float distance;
    float point[3];
} embree_hit;

typedef struct embree_query {
    const float *vertices;
    const uint32_t *triangles;
    embree_hit hit;
} embree_query;

typedef struct float3 {
    float x, y, z;
} float3;

static inline float3 float3_sub(float3 a, float3 b) { return (float3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline float float3_dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline float3 float3_along(float3 a, float3 b, float s) {
    return (float3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

/* By regions, as in Ericson, Real-Time Collision Detection, 5.1.5; most queries leave it early. */
static inline float3 closest_by_regions(float3 p, float3 a, float3 b, float3 c) {
    float3 ab = float3_sub(b, a), ac = float3_sub(c, a), ap = float3_sub(p, a);
    float d1 = float3_dot(ab, ap), d2 = float3_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return a;
    float3 bp = float3_sub(p, b);
    float d3 = float3_dot(ab, bp), d4 = float3_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return b;
    float3 cp = float3_sub(p, c);
    float d5 = float3_dot(ab, cp), d6 = float3_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return c;
    float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return float3_along(a, ab, d1 / (d1 - d3));
    float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return float3_along(a, ac, d2 / (d2 - d6));
    float va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return float3_along(b, float3_sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    float scale = 1 / (va + vb + vc);
    return float3_along(float3_along(a, ab, vb * scale), ac, vc * scale);
}

static bool embree_visit(struct RTCPointQueryFunctionArguments *arguments) {
    embree_query *query = arguments->userPtr;
    const uint32_t *triangle = query->triangles + 3 * (size_t)arguments->primID;
    float3 corner[3];
    for (int k = 0; k < 3; k++) memcpy(&corner[k], query->vertices + 3 * (size_t)triangle[k], sizeof corner[k]);
    float3 p = {arguments->query->x, arguments->query->y, arguments->query->z};
    float3 at = closest_by_regions(p, corner[0], corner[1], corner[2]), offset = float3_sub(at, p);
    float distance = sqrtf(float3_dot(offset, offset));
    if (distance >= arguments->query->radius) return false;
    arguments->query->radius = distance;
    query->hit = (embree_hit){arguments->primID, distance, {at.x, at.y, at.z}};
    return true;
}

static void copy_vertices(float *to, const vec3 *from) {
    for (size_t i = 0; i < VERTICES; i++) {
        to[3 * i] = (float)from[i].x, to[3 * i + 1] = (float)from[i].y, to[3 * i + 2] = (float)from[i].z;
    }
}

static RTCScene make_embree_scene(scene *s, int moves, RTCGeometry *geometry, float **vertices) {
    RTCScene made = rtcNewScene(s->device);
    if (moves) rtcSetSceneFlags(made, RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(made, moves ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM);
    *geometry = rtcNewGeometry(s->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetGeometryBuildQuality(*geometry, moves ? RTC_BUILD_QUALITY_REFIT : RTC_BUILD_QUALITY_MEDIUM);
    *vertices = rtcSetNewGeometryBuffer(*geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, VERTICES);
    void *indices = rtcSetNewGeometryBuffer(*geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, TRIANGLES);
    bench_require(*vertices && indices, "Embree gave no buffers");
    copy_vertices(*vertices, s->positions[0]);
    memcpy(indices, s->triangles, TRIANGLES * 3 * sizeof(uint32_t));
    rtcCommitGeometry(*geometry);
    rtcAttachGeometry(made, *geometry);
    rtcCommitScene(made);
    return made;
}

static embree_hit embree_closest(const scene *s, RTCScene in, const float *vertices, vec3 p) {
    embree_query query = {vertices, s->triangles, {UINT32_MAX, INFINITY, {0, 0, 0}}};
    struct RTCPointQuery point = {.x = (float)p.x, .y = (float)p.y, .z = (float)p.z, .time = 0, .radius = INFINITY};
    struct RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(in, &point, &context, embree_visit, &query);
    return query.hit;
}

/* ---- The timed work */

static float *still_vertices;

static void embree_queries(void *user) {
    scene *s = user;
    for (int i = 0; i < QUERIES; i++) s->embree_hits[i] = embree_closest(s, s->still, still_vertices, s->queries[i]);
}

static void our_queries(void *user) {
    scene *s = user;
    bvh_closest_points(s->tree, s->queries, QUERIES, INFINITY, s->hits);
}

/* In the order given, as Embree gets them; the batch above may choose its own order. */
static void our_single_queries(void *user) {
    scene *s = user;
    for (int i = 0; i < QUERIES; i++) s->hits[i] = bvh_closest_point(s->tree, s->queries[i], INFINITY);
}

static void embree_move(void *user) {
    scene *s = user;
    s->embree_at = !s->embree_at;
    copy_vertices(s->moving_vertices, s->positions[s->embree_at]);
}

static void embree_refit(void *user) {
    scene *s = user;
    rtcUpdateGeometryBuffer(s->moving_geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(s->moving_geometry);
    rtcCommitScene(s->moving);
}

static void our_move(void *user) {
    scene *s = user;
    s->ours_at = !s->ours_at;
}

static void our_refit(void *user) {
    scene *s = user;
    bench_require(bvh_refit(s->tree, s->positions[s->ours_at], NULL, 0) == RUGA_OK, "refit");
}

/* ---- Brute force */

/* Least distance over all triangles, each by the least over its sides and its inside, in long double. */
static long double brute_side(const long double *p, const long double *q) {
    long double length2 = 0, along = 0, sum = 0;
    for (int k = 0; k < 3; k++) length2 += (q[k] - p[k]) * (q[k] - p[k]), along -= p[k] * (q[k] - p[k]);
    long double t = length2 > 0 ? fminl(fmaxl(along / length2, 0), 1) : 0;
    for (int k = 0; k < 3; k++) sum += (p[k] + t * (q[k] - p[k])) * (p[k] + t * (q[k] - p[k]));
    return sqrtl(sum);
}

static long double brute_triangle(const vec3 *positions, const uint32_t *triangle, vec3 query) {
    long double v[3][3], n[3], area2 = 0, height = 0;
    for (int k = 0; k < 3; k++) {
        vec3 p = vec3_sub(positions[triangle[k]], query);
        v[k][0] = p.x, v[k][1] = p.y, v[k][2] = p.z;
    }
    long double best = fminl(brute_side(v[0], v[1]), fminl(brute_side(v[1], v[2]), brute_side(v[2], v[0])));
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = (v[1][i] - v[0][i]) * (v[2][j] - v[0][j]) - (v[1][j] - v[0][j]) * (v[2][i] - v[0][i]);
        area2 += n[k] * n[k], height += n[k] * v[0][k];
    }
    // The query is above the triangle when it is on the inner side of every side.
    for (int k = 0; k < 3; k++) {
        const long double *a = v[k], *b = v[(k + 1) % 3];
        long double inner = 0;
        for (int x = 0; x < 3; x++) {
            int y = (x + 1) % 3, z = (x + 2) % 3;
            inner += n[x] * (a[y] * b[z] - a[z] * b[y]);
        }
        if (inner < 0) return best;
    }
    return area2 > 0 ? fminl(best, fabsl(height) / sqrtl(area2)) : best;
}

static double brute_distance(const scene *s, const vec3 *positions, vec3 query) {
    long double best = INFINITY;
    for (size_t i = 0; i < TRIANGLES; i++) best = fminl(best, brute_triangle(positions, s->triangles + 3 * i, query));
    return (double)best;
}

/* Both against brute force at one moment; floats have 0.001 mm. */
static void check(const scene *s, int moment, RTCScene embree, const float *vertices) {
    for (int i = 0; i < CHECKED; i++) {
        vec3 query = s->queries[(size_t)i * (QUERIES / CHECKED)];
        double truth = brute_distance(s, s->positions[moment], query);
        bench_require(fabs(bvh_closest_point(s->tree, query, INFINITY).distance - truth) < 1e-13,
                      "our distance is wrong");
        embree_hit hit = embree_closest(s, embree, vertices, query);
        bench_require(fabs((double)hit.distance - truth) < 1e-5, "Embree's distance is wrong");
    }
}

/* ---- The program */

static void bench_closest(const bench_setup *bench, scene *s) {
    RTCGeometry geometry;
    double start = timer_now();
    s->still = make_embree_scene(s, 0, &geometry, &still_vertices);
    double embree_build = timer_now() - start;
    start = timer_now();
    bench_ok(bench, bvh_build(bench->context, VERTICES, s->positions[0], TRIANGLES, 3, s->triangles, &s->tree));
    double our_build = timer_now() - start;

    printf("closest points: wrinkled torus, %d triangles, %d queries near it, any distance, Embree quality medium\n",
           TRIANGLES, QUERIES);
    bench_row("Embree build", embree_build, 0, NULL);
    bench_row("Ruga build", our_build, 0, NULL);
    bench_pair pair = {.a_name = "Embree rtcPointQuery",
                       .a = embree_queries,
                       .b_name = "Ruga bvh_closest_point",
                       .b = our_single_queries,
                       .user = s,
                       .items = QUERIES,
                       .item_name = "queries"};
    bench_result one_by_one = bench_compare(bench, &pair);
    pair.b_name = "Ruga bvh_closest_points";
    pair.b = our_queries;
    bench_result batch = bench_compare(bench, &pair);
    check(s, 0, s->still, still_vertices);
    for (int i = 0; i < QUERIES; i++)
        bench_require(fabs((double)s->embree_hits[i].distance - s->hits[i].distance) < 1e-5, "the two disagree");
    bench_figure("closest_point_vs_embree", one_by_one.ratio);
    bench_figure("closest_point_batch_vs_embree", batch.ratio);
    rtcReleaseGeometry(geometry);
}

static void bench_refit(const bench_setup *bench, scene *s) {
    s->moving = make_embree_scene(s, 1, &s->moving_geometry, &s->moving_vertices);
    printf("refit: the same torus moves, Embree dynamic, quality low, geometry refit\n");
    bench_result result = bench_compare(bench, &(bench_pair){.a_name = "Embree commit",
                                                             .a = embree_refit,
                                                             .a_before = embree_move,
                                                             .b_name = "Ruga bvh_refit",
                                                             .b = our_refit,
                                                             .b_before = our_move,
                                                             .user = s,
                                                             .repetitions = 101,
                                                             .items = TRIANGLES,
                                                             .item_name = "triangles"});
    check(s, s->ours_at, s->moving, s->moving_vertices);
    bench_figure("refit_vs_embree", result.ratio);
}

/* Embree's own build of the moving scene, to show that a commit above was no build. */
static void show_rebuild(scene *s) {
    rtcSetGeometryBuildQuality(s->moving_geometry, RTC_BUILD_QUALITY_LOW);
    double times[5];
    for (int i = 0; i < 5; i++) times[i] = bench_time(embree_move, embree_refit, s, 0);
    bench_row("Embree rebuild, low", bench_median(times, 5), 0, NULL);
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "geom");
    scene s = {0};
    make_mesh(&s);
    make_queries(&s);
    s.hits = allocate(QUERIES, sizeof *s.hits);
    s.embree_hits = allocate(QUERIES, sizeof *s.embree_hits);
    s.device = rtcNewDevice("threads=1,set_affinity=0");
    bench_require(s.device != NULL, "Embree gave no device");
    bench_closest(&bench, &s);
    bench_refit(&bench, &s);
    show_rebuild(&s);

    rtcReleaseGeometry(s.moving_geometry);
    rtcReleaseScene(s.moving);
    rtcReleaseScene(s.still);
    rtcReleaseDevice(s.device);
    bvh_destroy(s.tree);
    free(s.positions[0]);
    free(s.positions[1]);
    free(s.triangles);
    free(s.queries);
    free(s.hits);
    free(s.embree_hits);
    bench_end(&bench);
    return 0;
}
