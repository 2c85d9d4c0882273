/* Strokes whose own parts come near each other: continuous between them, and elsewhere as if they did not. */
#include "wrinkle/sculpt_support.h"

static const double pi = 3.14159265358979323846;

/* ---- Shapes, on a square of 1 m or a cylinder of radius and height 1 m. */

enum { MAX_POINTS = 80 };
typedef size_t draw_shape(ruga_vec3 *points);

/* Two arms and a round bend. */
static size_t draw_hairpin(ruga_vec3 *points) {
    size_t count = 0;
    points[count++] = (ruga_vec3){-0.33, 0, -0.08};
    for (int i = 0; i <= 16; i++)
        points[count++] = (ruga_vec3){0.2 + 0.08 * sin(i * pi / 16), 0, -0.08 * cos(i * pi / 16)};
    points[count++] = (ruga_vec3){-0.31, 0, 0.08};
    return count;
}

/* A loop that crosses itself. */
static size_t draw_loop(ruga_vec3 *points) {
    for (int i = 0; i <= 60; i++) {
        double angle = -1.35 * pi + 1.7 * pi * i / 60;
        points[i] = (ruga_vec3){0.3 * sin(angle), 0, 0.2 * sin(2 * angle)};
    }
    return 61;
}

static size_t draw_corner(ruga_vec3 *points) {
    points[0] = (ruga_vec3){-0.3, 0, -0.12};
    points[1] = (ruga_vec3){0.21, 0, 0.03};
    points[2] = (ruga_vec3){-0.28, 0, 0.17};
    return 3;
}

static size_t draw_arc(ruga_vec3 *points) {
    for (int i = 0; i <= 30; i++)
        points[i] = (ruga_vec3){0.5 * sin((i - 15) * pi / 60), 0, 0.5 * cos((i - 15) * pi / 60) - 0.4};
    return 31;
}

/* Twice around a cylinder. */
static size_t draw_helix(ruga_vec3 *points) {
    for (int i = 0; i <= 72; i++) points[i] = (ruga_vec3){cos(i * pi / 18), 0.3 + 0.4 * i / 72, sin(i * pi / 18)};
    return 73;
}

static void open_shape(test_sculpt *t, ruga_context *context, draw_shape *draw, double radius, int refine) {
    ruga_vec3 points[MAX_POINTS];
    test_sculpt_open(t, context, draw == draw_helix ? shape_cylinder(context, 36, 8) : jittered_sheet(context, 20, 1));
    ruga_stroke_def def = test_stroke(test_curve_through(t, points, draw(points), 0), radius);
    def.start = RUGA_STROKE_COUNT;
    def.wrinkles = 7;
    def.tolerance = 1e-9;
    def.refine = refine;
    test_add(t, &def);
    test_update(t);
}

/* ---- Continuity. */

/* How far each vertex is from where it would be without wrinkles; the caller frees. */
static ruga_vec3 *moves_of(const test_sculpt *t) {
    const ruga_mesh *mesh = ruga_sculpt_mesh(t->sculpt);
    ruga_vec3 *moves = malloc(mesh->vertex_count * sizeof *moves);
    ruga_map_apply(ruga_sculpt_map(t->sculpt), t->mesh->positions, moves);
    for (size_t v = 0; v < mesh->vertex_count; v++) moves[v] = vec3_sub(mesh->positions[v], moves[v]);
    return moves;
}

/* m, the greatest difference of the moves of neighbours, and the greatest move. */
static double greatest_step(draw_shape *draw, double radius, int refine, double *top) {
    ruga_context *context = context_plain(1);
    test_sculpt t;
    double step = 0;
    open_shape(&t, context, draw, radius, refine);
    const ruga_mesh *mesh = ruga_sculpt_mesh(t.sculpt);
    ruga_vec3 *moves = moves_of(&t);
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t a = mesh->triangles[i], b = mesh->triangles[i - i % 3 + (i + 1) % 3];
        step = fmax(step, vec3_distance(moves[a], moves[b]));
    }
    *top = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) *top = fmax(*top, vec3_length(moves[v]));
    free(moves);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
    return step;
}

/* Steps shrink with the edges, which are halved twice. */
static void assert_continuous(draw_shape *draw, double radius, const char *name) {
    double top, coarse = greatest_step(draw, radius, 1, &top), fine = greatest_step(draw, radius, 3, &top);
    print_message("%s: moves of up to %.3f m, neighbours differ by %.4f m, refined by %.4f m\n", name, top, coarse,
                  fine);
    assert_less(fine, 0.45 * coarse);
    assert_less(fine, 0.4 * top);
}

static void the_middle_of_a_hairpin_is_continuous(void **state) {
    (void)state;
    assert_continuous(draw_hairpin, 0.2, "hairpin");
}

static void the_inside_of_a_corner_is_continuous(void **state) {
    (void)state;
    assert_continuous(draw_corner, 0.2, "corner");
}

static void loops_are_continuous(void **state) {
    (void)state;
    assert_continuous(draw_loop, 0.2, "loop");
}

static void turns_around_a_tube_are_continuous(void **state) {
    (void)state;
    assert_continuous(draw_helix, 0.3, "helix");
}

/* ---- Results that do not change. */

/* A curve that does not come near itself moves every vertex from one place. */
static void gentle_curves_have_no_arms(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    open_shape(&t, context, draw_arc, 0.2, 2);
    const sculpt_field *field = &t.sculpt->field;
    assert_less(500, field->vertex_count);
    assert_int_equal(field->offsets[field->vertex_count], field->vertex_count);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* Nor do the short edges matter that a region curve leaves where it passes beside vertices. */
static void region_curves_make_no_arms(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *skirt = NULL;
    test_sculpt t;
    enum { POINTS = 65, MIDDLE = 32 }; /* so many that it has no corners */
    ruga_vec3 base[POINTS], low, high;
    assert_ok(context, ruga_model_make(context, "skirt", NULL, &skirt));
    low = high = skirt->positions[0];
    for (size_t v = 0; v < skirt->vertex_count; v++) {
        low = vec3_min(low, skirt->positions[v]);
        high = vec3_max(high, skirt->positions[v]);
    }
    double bottom = low.y + 0.08 * (high.y - low.y);
    test_sculpt_open(&t, context, skirt);
    for (int i = 0; i < POINTS; i++) {
        double angle = 0.02 + 1.48 * i / (POINTS - 1);
        base[i] = (ruga_vec3){0.96 * high.x * cos(angle), bottom, 0.96 * high.z * sin(angle)};
    }
    const ruga_vec3 region[] = {base[MIDDLE],
                                {0.5 * base[MIDDLE].x, low.y + 0.75 * (high.y - low.y), 0.5 * base[MIDDLE].z}};
    ruga_stroke_def def = test_stroke(test_curve_through(&t, base, POINTS, 0), NAN);
    def.region = test_curve_through(&t, region, 2, 0);
    test_add(&t, &def);
    test_update(&t);
    const sculpt_field *field = &t.sculpt->field;
    assert_less(500, field->vertex_count);
    assert_int_equal(field->offsets[field->vertex_count], field->vertex_count);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* The curve itself has its own deflections, and vertices take as much as their distance says, whatever they take it
 * from. */
static void arms_change_neither_curves_nor_regions(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    open_shape(&t, context, draw_hairpin, 0.2, 2);
    const ruga_mesh *mesh = ruga_sculpt_mesh(t.sculpt);
    const sculpt_field *field = &t.sculpt->field;
    double *felt = malloc(mesh->vertex_count * sizeof *felt), *distances = malloc(mesh->vertex_count * sizeof *felt);
    assert_less(2 * field->vertex_count, field->offsets[field->vertex_count]);
    assert_int_equal(ruga_sculpt_stroke_info(t.sculpt, 0).region_vertices, field->vertex_count);
    ruga_sculpt_regions(t.sculpt, felt);
    size_t between = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 p = mesh->positions[v];
        if (!(felt[v] > 0) || p.x < -0.28 || p.x > 0.18) continue;
        /* Both arms are nearly straight here. */
        double distance =
            fmin(line_distance(p, -0.33, -0.08, 0.2, -0.08, NULL), line_distance(p, -0.31, 0.08, 0.2, 0.08, NULL));
        assert_near(felt[v], sculpt_attenuate(RUGA_ATTENUATION_BELL, distance / 0.2), 0.02);
        between += fabs(p.z) < 0.05;
    }
    assert_less(100, between);
    const sculpt_stroke *stroke = &t.sculpt->strokes.items[0];
    for (size_t i = 0; i < stroke->fine_base.count; i++) {
        uint32_t v = t.sculpt->surface.numbers[stroke->fine_base.vertices[i]];
        double height = sculpt_line_deflection(&stroke->line, stroke->fine_base.arcs[i] / stroke->line.length);
        assert_near(mesh->positions[v].y, height, 1e-12);
    }
    free(felt);
    free(distances);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* ---- Memory. */

static ruga_status sculpt_hairpin(ruga_context *context, void *user) {
    const ruga_mesh *plain = user;
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){(void *)(uintptr_t)plain->positions, plain->vertex_count, 0, RUGA_F64};
    mesh_def.face_count = plain->triangle_count;
    mesh_def.face_vertices = plain->triangles;
    const ruga_vec3 points[] = {{-0.3, 0, -0.1}, {0.3, 0, 0}, {-0.3, 0, 0.1}};
    ruga_curve_def curve_def = ruga_curve_def_default();
    ruga_mesh *mesh = NULL;
    ruga_sculpt *sculpt = NULL;
    ruga_curve *curve = NULL;
    ruga_status status = ruga_mesh_create(context, &mesh_def, &mesh);
    if (!RUGA_FAILED(status)) status = ruga_curve_from_points(mesh, points, 3, &curve_def, &curve);
    if (!RUGA_FAILED(status)) status = ruga_sculpt_create(mesh, &sculpt);
    if (!RUGA_FAILED(status)) {
        ruga_stroke_def def = test_stroke(curve, 0.3);
        def.particles = 12;
        def.refine = 1;
        status = ruga_sculpt_add(sculpt, &def, NULL);
    }
    if (!RUGA_FAILED(status)) status = ruga_sculpt_update(sculpt, 0, NULL);
    if (!RUGA_FAILED(status))
        assert_less(sculpt->field.vertex_count, sculpt->field.offsets[sculpt->field.vertex_count]);
    ruga_sculpt_destroy(sculpt);
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = jittered_sheet(context, 6, 1);
    assert_less(60, assert_every_allocation_may_fail(sculpt_hairpin, mesh));
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_of_a_hairpin_is_continuous),
        cmocka_unit_test(the_inside_of_a_corner_is_continuous),
        cmocka_unit_test(loops_are_continuous),
        cmocka_unit_test(turns_around_a_tube_are_continuous),
        cmocka_unit_test(gentle_curves_have_no_arms),
        cmocka_unit_test(region_curves_make_no_arms),
        cmocka_unit_test(arms_change_neither_curves_nor_regions),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
