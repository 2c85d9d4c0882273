/* Laws of pieces: how much of the mesh a sculpt works on changes no bit of what comes out. */
#include <stdio.h>

#include "wrinkle/sculpt_support.h"

static const double pi = 3.14159265358979323846;

/* ---- Two sculpts of one kind, by small pieces and by the whole mesh. */

typedef void draw_function(test_sculpt *t);

/* The expected result: a piece that is not the whole mesh; a result that is manifold where the mesh is. */
enum { SMALL = 1, SOUND = 2 };

static void assert_pieces_change_nothing(ruga_context *context, ruga_mesh *(*make)(ruga_context *), draw_function *draw,
                                         int kind) {
    test_sculpt small, whole;
    test_sculpt_open(&small, context, make(context));
    test_sculpt_open(&whole, context, make(context));
    whole.sculpt->is_whole = 1;
    draw(&small);
    draw(&whole);
    test_update(&small);
    test_update(&whole);
    size_t triangles = small.mesh->triangle_count;
    assert_int_equal(whole.sculpt->surface.piece.mesh->triangle_count, triangles);
    if (kind & SMALL) assert_less(small.sculpt->surface.piece.mesh->triangle_count, triangles);
    assert_same_result(small.sculpt, whole.sculpt);
    if (kind & SOUND) assert_valid_sculpt(small.mesh, ruga_sculpt_mesh(small.sculpt));

    /* And in motion. */
    size_t count = ruga_sculpt_mesh(small.sculpt)->vertex_count;
    ruga_vec3 *moved = malloc(small.mesh->vertex_count * sizeof *moved);
    ruga_vec3 *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    for (size_t v = 0; v < small.mesh->vertex_count; v++) {
        ruga_vec3 p = small.mesh->positions[v];
        moved[v] = (ruga_vec3){0.9 * p.x, p.y + 0.1 * p.x * p.z, 0.8 * p.z};
    }
    assert_ok(context, ruga_sculpt_pose(small.sculpt, moved, NULL, a));
    assert_ok(context, ruga_sculpt_pose(whole.sculpt, moved, NULL, b));
    assert_memory_equal(a, b, count * sizeof *a);
    free(moved);
    free(a);
    free(b);
    test_sculpt_close(&small);
    test_sculpt_close(&whole);
}

/* ---- Meshes. */

static ruga_mesh *fine_sheet(ruga_context *context) { return jittered_sheet(context, 40, 1); }

static ruga_mesh *ball(ruga_context *context) {
    const double values[2] = {0.5, 16};
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, "sphere", values, &mesh));
    return mesh;
}

static ruga_mesh *pipe(ruga_context *context) { return shape_cylinder(context, 48, 30); }

/* With a triangle that names a vertex twice and one that is there twice, both within reach of a stroke through the
 * middle but not on it. */
static ruga_mesh *spoilt_sheet(ruga_context *context) {
    ruga_mesh *sheet = jittered_sheet(context, 24, 1);
    size_t count = sheet->triangle_count, near = 0;
    uint32_t *faces = malloc(3 * (count + 2) * sizeof *faces);
    for (size_t t = 0; t < count; t++)
        if (fabs(sheet->positions[sheet->triangles[3 * t]].z - 0.06) < 0.02 &&
            fabs(sheet->positions[sheet->triangles[3 * t]].x) < 0.03)
            near = t;
    const uint32_t *corners = sheet->triangles + 3 * near,
                   spoilt[] = {corners[0], corners[0], corners[1], corners[0], corners[1], corners[2]};
    memcpy(faces, sheet->triangles, 3 * count * sizeof *faces);
    memcpy(faces + 3 * count, spoilt, sizeof spoilt);
    ruga_mesh *mesh = shape_make(context, sheet->vertex_count, sheet->positions, count + 2, NULL, faces);
    free(faces);
    ruga_mesh_destroy(sheet);
    return mesh;
}

enum { ISLAND = 24, RING = ISLAND + 1, OUTER = RING * RING, ISLAND_FACES = 2 * ISLAND * ISLAND + 4 * ISLAND + 4 };

static uint32_t *add_face(uint32_t *face, uint32_t a, uint32_t b, uint32_t c) {
    face[0] = a;
    face[1] = b;
    face[2] = c;
    return face + 3;
}

/* Small triangles, 8 cm of them, behind the longest edge of a large one: from (0, 0) to (1, 0). */
static ruga_mesh *island_sheet(ruga_context *context) {
    static const uint32_t left = OUTER, right = OUTER + 1, top = OUTER + 2, bottom = OUTER + 3;
    ruga_vec3 positions[OUTER + 4] = {
        [OUTER] = {0, 0, 0}, [OUTER + 1] = {1, 0, 0}, [OUTER + 2] = {0.7, 0, -0.5}, [OUTER + 3] = {0.5, 0, 1}};
    uint32_t faces[3 * ISLAND_FACES], *next = faces, last = ISLAND * RING;
    for (uint32_t v = 0; v < OUTER; v++)
        positions[v] =
            (ruga_vec3){0.68 + 0.08 * (v % RING) / (double)ISLAND, 0, -0.04 - 0.08 * (v / RING) / (double)ISLAND};
    for (uint32_t i = 0; i < ISLAND; i++) {
        for (uint32_t j = 0, a = i; j < ISLAND; j++, a += RING) {
            next = add_face(next, a, a + 1, a + RING + 1);
            next = add_face(next, a, a + RING + 1, a + RING);
        }
        next = add_face(next, right, i + 1, i);
        next = add_face(next, right, (i + 2) * RING - 1, (i + 1) * RING - 1);
        next = add_face(next, top, last + i, last + i + 1);
        next = add_face(next, left, i * RING, (i + 1) * RING);
    }
    next = add_face(next, left, right, 0);
    next = add_face(next, right, top, OUTER - 1);
    next = add_face(next, top, left, last);
    add_face(next, left, bottom, right);
    return shape_make(context, OUTER + 4, positions, ISLAND_FACES, NULL, faces);
}

enum { LOADED = 24, SIDE = LOADED + 1, VERTICES = SIDE * SIDE, FACES = LOADED * LOADED };

static void fill_loaded_faces(uint32_t *faces, uint32_t *uv_indices, uint32_t *sizes, int32_t *groups, float *heats) {
    for (uint32_t f = 0; f < FACES; f++) {
        uint32_t i = f % LOADED, j = f / LOADED, a = i + j * SIDE, corners[] = {a, a + SIDE, a + SIDE + 1, a + 1};
        sizes[f] = 4;
        groups[f] = (int32_t)(i / 5);
        for (uint32_t k = 0; k < 4; k++) {
            faces[4 * f + k] = corners[k];
            uv_indices[4 * f + k] = corners[k] + (i >= LOADED / 2 ? VERTICES : 0);
            heats[4 * f + k] = (float)f + 0.25f * (float)k;
        }
    }
}

/* A sheet of quads in the plane y = 0 with values of every domain, texture coordinates that have a seam at x = 0,
 * marked edges along z = 0, and a line. */
static ruga_mesh *loaded_sheet(ruga_context *context) {
    ruga_vec3 *positions = malloc(VERTICES * sizeof *positions);
    uint32_t *faces = malloc(4 * FACES * sizeof *faces), *uv_indices = malloc(4 * FACES * sizeof *uv_indices),
             *sizes = malloc(FACES * sizeof *sizes), edges[2 * LOADED], line[SIDE];
    float *uvs = malloc(4 * VERTICES * sizeof *uvs), *heats = malloc(4 * FACES * sizeof *heats);
    int32_t *groups = malloc(FACES * sizeof *groups);
    double *tastes = malloc(VERTICES * sizeof *tastes), marks[LOADED];
    for (uint32_t v = 0; v < VERTICES; v++) {
        double x = (double)(v % SIDE) / LOADED - 0.5, z = (double)(v / SIDE) / LOADED - 0.5;
        positions[v] = (ruga_vec3){x, 0, z};
        tastes[v] = x * z;
        for (uint32_t side = 0; side < 2; side++) {
            uvs[2 * (v + side * VERTICES)] = (float)(x + side);
            uvs[2 * (v + side * VERTICES) + 1] = (float)z;
        }
    }
    fill_loaded_faces(faces, uv_indices, sizes, groups, heats);
    for (uint32_t i = 0; i < LOADED; i++) {
        edges[2 * i] = SIDE * (LOADED / 2) + i;
        edges[2 * i + 1] = edges[2 * i] + 1;
        marks[i] = i;
    }
    for (uint32_t i = 0; i < SIDE; i++) line[i] = SIDE * i + LOADED / 2;
    const uint32_t line_size = SIDE;
    const ruga_attribute attributes[] = {{.name = "uv",
                                          .domain = RUGA_DOMAIN_CORNER,
                                          .type = RUGA_F32,
                                          .components = 2,
                                          .count = 2 * VERTICES,
                                          .values = uvs,
                                          .indices = uv_indices},
                                         {.name = "heat",
                                          .domain = RUGA_DOMAIN_CORNER,
                                          .type = RUGA_F32,
                                          .components = 1,
                                          .count = 4 * FACES,
                                          .values = heats},
                                         {.name = "smoothing",
                                          .domain = RUGA_DOMAIN_FACE,
                                          .type = RUGA_I32,
                                          .components = 1,
                                          .count = FACES,
                                          .values = groups},
                                         {.name = "taste",
                                          .domain = RUGA_DOMAIN_VERTEX,
                                          .type = RUGA_F64,
                                          .components = 1,
                                          .count = VERTICES,
                                          .values = tastes},
                                         {.name = "mark",
                                          .domain = RUGA_DOMAIN_EDGE,
                                          .type = RUGA_F64,
                                          .components = 1,
                                          .count = LOADED,
                                          .values = marks}};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, VERTICES, 0, RUGA_F64};
    def.face_count = FACES;
    def.face_sizes = sizes;
    def.face_vertices = faces;
    def.edge_count = LOADED;
    def.edges = edges;
    def.line_count = 1;
    def.line_sizes = &line_size;
    def.line_vertices = line;
    def.attribute_count = sizeof attributes / sizeof *attributes;
    def.attributes = attributes;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    void *all[] = {positions, faces, uv_indices, sizes, uvs, heats, groups, tastes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return mesh;
}

/* ---- Strokes. */

static void add_line(test_sculpt *t, double x0, double z0, double x1, double z1, double radius, int seed) {
    ruga_stroke_def def = test_stroke(test_line(t, x0, z0, x1, z1), radius);
    def.refine = 2;
    def.seed = seed;
    test_add(t, &def);
}

static void draw_one(test_sculpt *t) { add_line(t, -0.2, 0.03, 0.15, -0.04, 0.08, 1); }

static void draw_far_apart(test_sculpt *t) {
    add_line(t, -0.4, -0.4, -0.25, -0.33, 0.05, 1);
    add_line(t, 0.2, 0.3, 0.4, 0.42, 0.04, 2);
}

static void draw_crossing(test_sculpt *t) {
    add_line(t, -0.2, 0.02, 0.2, -0.03, 0.07, 1);
    add_line(t, 0.05, -0.2, -0.03, 0.2, 0.09, 2);
}

/* One ends at the border, the other runs along it. */
static void draw_at_border(test_sculpt *t) {
    add_line(t, -0.5, 0.1, -0.3, 0.13, 0.06, 1);
    add_line(t, 0.1, -0.5, 0.3, -0.5, 0.06, 2);
}

/* Tiny steps of a curve beside large triangles, and vice versa. */
static void draw_narrow(test_sculpt *t) { add_line(t, -0.4, 0.013, 0.4, 0.011, 0.003, 4); }

/* The radius comes from a curve, and a region lies between two. */
static void draw_regions(test_sculpt *t) {
    ruga_stroke_def def = test_stroke(test_line(t, -0.2, 0, 0.2, 0.02), NAN);
    def.region = test_line(t, -0.2, 0.08, 0.2, 0.1);
    def.refine = 1;
    test_add(t, &def);
    def = test_stroke(test_line(t, -0.2, -0.3, 0.1, -0.28), 0.06);
    def.region = test_line(t, -0.2, -0.2, 0.1, -0.22);
    def.mode = RUGA_REGION_BETWEEN;
    def.refine = 1;
    test_add(t, &def);
}

/* The same with region curves that meet the base curve: they limit its distance. */
static void draw_meeting_regions(test_sculpt *t) {
    ruga_stroke_def def = test_stroke(test_line(t, -0.2, 0.1, 0.1, 0.12), NAN);
    def.region = test_line(t, -0.05, 0.04, -0.04, 0.2);
    def.refine = 1;
    test_add(t, &def);
    def = test_stroke(test_line(t, -0.2, -0.12, 0.1, -0.1), 0.04);
    def.region = test_line(t, -0.1, -0.2, -0.12, -0.07);
    def.mode = RUGA_REGION_BETWEEN;
    def.refine = 1;
    test_add(t, &def);
}

/* A region curve whose radius is given is only cut. */
static void draw_with_idle_region(test_sculpt *t) {
    ruga_stroke_def def = test_stroke(test_line(t, -0.2, 0, 0.2, 0.02), 0.05);
    def.region = test_line(t, -0.2, 0.3, 0.2, 0.35);
    def.refine = 1;
    test_add(t, &def);
}

static void draw_on_ball(test_sculpt *t) {
    const ruga_vec3 points[] = {{-0.15, 0.1, 0.4}, {0.15, 0.05, 0.4}};
    ruga_stroke_def def = test_stroke(test_curve_through(t, points, 2, 0), 0.08);
    test_add(t, &def);
}

static void draw_ring(test_sculpt *t) {
    ruga_vec3 points[12], low = t->mesh->positions[0], high = low;
    for (size_t v = 0; v < t->mesh->vertex_count; v++) {
        low = vec3_min(low, t->mesh->positions[v]);
        high = vec3_max(high, t->mesh->positions[v]);
    }
    for (int i = 0; i < 12; i++)
        points[i] = (ruga_vec3){cos(i * pi / 6), 0.52 * low.y + 0.48 * high.y, sin(i * pi / 6)};
    ruga_stroke_def def = test_stroke(test_curve_through(t, points, 12, 1), 0.05 * vec3_distance(low, high));
    def.refine = 2;
    test_add(t, &def);
}

/* A closed curve on the large triangle, whose closing segment is longer than all others and passes the small
 * ones. */
static void draw_loop(test_sculpt *t) {
    ruga_vec3 points[41];
    for (int i = 0; i <= 40; i++) {
        double x = 0.95 - 0.9 * i / 40;
        points[i] = (ruga_vec3){x, 0, 0.05 + 0.7 * (0.45 - fabs(x - 0.5)) / 0.45};
    }
    ruga_stroke_def def = test_stroke(test_curve_through(t, points, 41, 1), 0.16);
    def.refine = 0;
    test_add(t, &def);
}

static void pieces_change_no_bit(void **state) {
    (void)state;
    static const struct {
        ruga_mesh *(*make)(ruga_context *);
        draw_function *draw;
        int kind;
    } cases[] = {{fine_sheet, draw_one, SMALL | SOUND},
                 {fine_sheet, draw_far_apart, SMALL | SOUND},
                 {fine_sheet, draw_crossing, SMALL | SOUND},
                 {fine_sheet, draw_at_border, SMALL | SOUND},
                 {fine_sheet, draw_narrow, SMALL | SOUND},
                 {fine_sheet, draw_regions, SOUND},
                 {fine_sheet, draw_meeting_regions, SMALL | SOUND},
                 {fine_sheet, draw_with_idle_region, SMALL | SOUND},
                 {ball, draw_on_ball, SMALL | SOUND},
                 {pipe, draw_ring, SMALL | SOUND},
                 {island_sheet, draw_loop, SOUND},
                 {loaded_sheet, draw_one, SMALL | SOUND},
                 {loaded_sheet, draw_crossing, SMALL | SOUND},
                 {spoilt_sheet, draw_one, SMALL}};
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_pieces_change_nothing(context, cases[i].make, cases[i].draw, cases[i].kind);
    ruga_context_destroy(context);
}

static void pieces_of_random_strokes_change_no_bit(void **state) {
    (void)state;
    test_random random = {31};
    ruga_context *context = context_plain(1);
    for (int i = 0; i < (SANITIZED ? 4 : 12); i++) {
        test_sculpt t[2];
        ruga_vec3 points[2][3];
        for (int k = 0; k < 6; k++)
            points[k / 3][k % 3] =
                (ruga_vec3){random_between(&random, -0.45, 0.45), 0, random_between(&random, -0.45, 0.45)};
        double radius = random_between(&random, 0.01, 0.1);
        for (int w = 0; w < 2; w++) {
            test_sculpt_open(&t[w], context, jittered_sheet(context, 10 + 3 * (size_t)i, 1));
            t[w].sculpt->is_whole = w;
            for (int k = 0; k < 2; k++) {
                ruga_stroke_def def = test_stroke(test_curve_through(&t[w], points[k], 3, 0), radius);
                def.refine = 1 + i % 3;
                def.tolerance = 1e-3;
                test_add(&t[w], &def);
            }
            test_update(&t[w]);
        }
        assert_same_result(t[0].sculpt, t[1].sculpt);
        for (int w = 0; w < 2; w++) test_sculpt_close(&t[w]);
    }
    ruga_context_destroy(context);
}

/* ---- In motion. */

static void poses_after_the_first_allocate_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 20, 1));
    draw_crossing(&t);
    add_line(&t, -0.4, -0.4, -0.25, -0.33, 0.05, 3);
    size_t count = test_update(&t)->vertex_count;
    ruga_vec3 *out = malloc(count * sizeof *out), *again = malloc(count * sizeof *again);
    double lengths[] = {1.2, 1.1, 1};
    assert_ok(context, ruga_sculpt_pose(t.sculpt, t.mesh->positions, lengths, out));
    long allocations = counter.allocations;
    for (int i = 0; i < 10; i++) {
        lengths[2] = 1 + 0.03 * i;
        assert_ok(context, ruga_sculpt_pose(t.sculpt, t.mesh->positions, lengths, again));
        assert_ok(context, ruga_sculpt_pose(t.sculpt, t.mesh->positions, NULL, again));
    }
    lengths[2] = 1;
    assert_ok(context, ruga_sculpt_pose(t.sculpt, t.mesh->positions, lengths, again));
    assert_int_equal(counter.allocations, allocations);
    assert_memory_equal(out, again, count * sizeof *out);
    free(out);
    free(again);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_change_no_bit),
        cmocka_unit_test(pieces_of_random_strokes_change_no_bit),
        cmocka_unit_test(poses_after_the_first_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
