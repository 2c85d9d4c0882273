/* The public header of creases: what engines get, through public functions alone. */
#include <math.h>

#include "math/vec3.h"
#include "support/creased.h"

enum { CELLS = 10 };

/* A sheet with UVs and a painted weight, and two curves across it that cross. */
static ruga_mesh *painted_sheet(ruga_context *context) {
    ruga_mesh *plain = creased_sheet(context, CELLS, 0.2), *out = NULL;
    float *paint = malloc(plain->vertex_count * sizeof *paint), *uvs = malloc(2 * plain->vertex_count * sizeof *uvs);
    for (size_t v = 0; v < plain->vertex_count; v++) {
        uvs[2 * v] = (float)plain->positions[v].x;
        uvs[2 * v + 1] = (float)-plain->positions[v].z;
        paint[v] = 2 * uvs[2 * v] - uvs[2 * v + 1];
    }
    const ruga_attribute attributes[] = {
        {.name = "weight", .type = RUGA_F32, .components = 1, .count = plain->vertex_count, .values = paint},
        {.name = "uv", .type = RUGA_F32, .components = 2, .count = plain->vertex_count, .values = uvs}};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)plain->positions, plain->vertex_count, 0, RUGA_F64};
    def.face_count = plain->triangle_count;
    def.face_vertices = plain->triangles;
    def.attribute_count = 2;
    def.attributes = attributes;
    assert_ok(context, ruga_mesh_create(context, &def, &out));
    ruga_mesh_destroy(plain);
    free(paint);
    free(uvs);
    return out;
}

static void draw(const ruga_mesh *mesh, ruga_curve *curves[2]) {
    curves[0] = creased_curve(mesh, (const double[]){0, 0.42, 1, 0.57}, 2, 0);
    curves[1] = creased_curve(mesh, (const double[]){0.53, 0, 0.41, 1}, 2, 0);
}

static void release(ruga_mesh *mesh, ruga_curve *curves[2], ruga_creases *c) {
    ruga_creases_destroy(c);
    ruga_curve_destroy(curves[0]);
    ruga_curve_destroy(curves[1]);
    ruga_mesh_destroy(mesh);
}

static void original_vertices_come_first_and_attributes_are_carried(void **state) {
    ruga_mesh *mesh = painted_sheet(*state);
    ruga_curve *curves[2];
    ruga_creases *c = NULL;
    draw(mesh, curves);
    assert_ok(*state, ruga_creases_create(mesh, (const ruga_curve *const *)curves, 2, NULL, &c));
    const ruga_mesh *both[] = {c->visible, c->simulated};
    for (int k = 0; k < 2; k++) {
        const ruga_attribute *paint = ruga_mesh_attribute(both[k], "weight", RUGA_DOMAIN_VERTEX);
        const ruga_attribute *uv = ruga_mesh_attribute(both[k], "uv", RUGA_DOMAIN_VERTEX);
        assert_less(mesh->vertex_count, both[k]->vertex_count);
        assert_memory_equal(both[k]->positions, mesh->positions, mesh->vertex_count * sizeof *mesh->positions);
        for (size_t v = 0; v < both[k]->vertex_count; v++) {
            assert_near(ruga_attribute_get(uv, v, 0), both[k]->positions[v].x, 1e-6);
            assert_near(ruga_attribute_get(uv, v, 1), -both[k]->positions[v].z, 1e-6);
            assert_near(ruga_attribute_get(paint, v, 0), 2 * both[k]->positions[v].x + both[k]->positions[v].z, 1e-6);
        }
    }
    vec3 *carried = malloc(c->visible->vertex_count * sizeof *carried);
    ruga_map_apply(c->cut_map, mesh->positions, carried);
    for (size_t v = 0; v < c->visible->vertex_count; v++)
        assert_less(vec3_distance(carried[v], c->visible->positions[v]), 1e-12);
    free(carried);
    release(mesh, curves, c);
}

static void copies_have_the_mass_of_the_mesh_and_their_own_place(void **state) {
    ruga_mesh *mesh = painted_sheet(*state);
    ruga_curve *curves[2];
    ruga_creases *c = NULL;
    draw(mesh, curves);
    assert_ok(*state, ruga_creases_create(mesh, (const ruga_curve *const *)curves, 2, NULL, &c));
    size_t n = c->simulated->vertex_count;
    double *masses = malloc(n * sizeof *masses), *uncut = malloc(mesh->vertex_count * sizeof *uncut), sum = 0;
    ruga_creases_masses(c, 0.3, masses);
    assert_ok(*state, ruga_mesh_masses(mesh, 0.3, uncut));
    for (size_t v = n; v-- > 0;) {
        assert_less(0, masses[v]);
        sum += masses[v];
        uncut[c->vertex_of[v]] -= masses[v];
        assert_less(vec3_distance(c->simulated->positions[v], mesh->positions[c->vertex_of[v]]), 1e-15);
    }
    assert_near(sum, 0.3, 1e-12);
    for (size_t v = 0; v < mesh->vertex_count; v++) assert_near(uncut[v], 0, 1e-14); /* vertex by vertex */
    for (size_t t = 0; t < c->simulated->triangle_count; t++)
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(c->vertex_of[c->simulated->triangles[3 * t + k]],
                             mesh->triangles[3 * (size_t)c->triangle_parent[t] + k]);
    free(masses);
    free(uncut);
    release(mesh, curves, c);
}

/* One side of a crease turned about it: a rigid fold is in the bound space, every fold has its angle, nothing opens. */
static void a_rigid_fold_has_its_angle_everywhere_and_no_gap(void **state) {
    ruga_mesh *mesh = painted_sheet(*state);
    ruga_curve *curves[2];
    ruga_creases *c = NULL;
    draw(mesh, curves);
    assert_ok(*state, ruga_creases_create(mesh, (const ruga_curve *const *)curves, 1, NULL, &c));
    size_t ran = 0;
    vec3 *y = malloc(c->bound->columns * sizeof *y), *x = malloc(c->bound->rows * sizeof *x);
    vec3 *shown = malloc(c->visible->vertex_count * sizeof *shown);
    /* The line of the cut, through the middles of its first and last segments. */
    const ruga_curve *trace = c->creases[0].trace;
    vec3 *points = malloc(trace->point_count * sizeof *points);
    ruga_curve_points(trace, mesh, NULL, points);
    vec3 from = points[0], along = vec3_normalise(vec3_sub(points[trace->point_count - 1], from));
    vec3 up = {0, 1, 0}, out = vec3_cross(up, along); /* to the left */
    for (double angle = -2.5; angle < 3; angle += 0.7) {
        ruga_creases_rest(c, y);
        /* Left side turned by the angle, up: it differs from the flat one by s ((cos - 1) out + sin up). */
        vec3 turned = vec3_add(vec3_scale(out, cos(angle) - 1), vec3_scale(up, sin(angle)));
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            double s = vec3_dot(vec3_sub(y[v], from), out);
            if (s > 0) y[v] = vec3_add_scaled(y[v], turned, s);
        }
        for (size_t i = mesh->vertex_count; i < c->bound->columns; i++) y[i] = turned;
        ruga_map_apply(c->bound, y, x);
        for (size_t i = 0; i < c->fold_count; i++, ran++)
            assert_near_case(ruga_creases_angle(c, i, x, NULL), angle, 1e-6, "fold %zu", i);
        assert_less(ruga_creases_gap(c, x), 1e-9);
        /* The visible mesh is made of both rigid sides: its crease stays where it was. */
        ruga_map_apply(c->shown, x, shown);
        for (size_t v = mesh->vertex_count; v < c->visible->vertex_count; v++)
            assert_less(vec3_distance(shown[v], c->visible->positions[v]), 1e-6);
    }
    assert_ran(ran, 50);
    free(points);
    free(y);
    free(x);
    free(shown);
    release(mesh, curves, c);
}

static void gradients_are_the_derivatives_of_angles(void **state) {
    ruga_mesh *mesh = painted_sheet(*state);
    ruga_curve *curves[2];
    ruga_creases *c = NULL;
    test_random random = {3};
    draw(mesh, curves);
    assert_ok(*state, ruga_creases_create(mesh, (const ruga_curve *const *)curves, 2, NULL, &c));
    vec3 *x = malloc(c->bound->rows * sizeof *x);
    for (size_t i = 0; i < c->bound->rows; i++)
        x[i] = vec3_add(c->simulated->positions[i], random_vec3(&random, -0.01, 0.01));
    const double step = 1e-6;
    for (size_t i = 0; i < c->fold_count; i += 3) {
        vec3 gradient[6];
        ruga_creases_angle(c, i, x, gradient);
        for (int k = 0; k < 3; k++) {
            uint32_t p = c->folds[i].left[k];
            if (p == c->folds[i].right[0] || p == c->folds[i].right[1] || p == c->folds[i].right[2]) continue;
            double before = x[p].y;
            x[p].y = before + step;
            double above = ruga_creases_angle(c, i, x, NULL);
            x[p].y = before - step;
            double below = ruga_creases_angle(c, i, x, NULL);
            x[p].y = before;
            assert_near((above - below) / (2 * step), gradient[k].y, 1e-4 * (1 + fabs(gradient[k].y)));
        }
    }
    free(x);
    release(mesh, curves, c);
}

static void creases_are_described(void **state) {
    ruga_mesh *mesh = painted_sheet(*state);
    ruga_curve *curves[2] = {creased_curve(mesh, (const double[]){0, 0.42, 1, 0.57}, 2, 0),
                             creased_curve(mesh, (const double[]){0.21, 0.2, 0.77, 0.2}, 2, 0)};
    ruga_creases *c = NULL;
    assert_ok(*state, ruga_creases_create(mesh, (const ruga_curve *const *)curves, 2, NULL, &c));
    assert_int_equal(c->crease_count, 2);
    assert_near(c->creases[0].length, hypot(1, 0.15), 0.01);
    assert_string_equal(ruga_crease_end_name(c->creases[0].ends[1]), "border");
    assert_string_equal(ruga_crease_end_name(c->creases[1].ends[0]), "tip");
    double length = 0;
    for (size_t i = 0; i < c->fold_count; i++) length += c->folds[i].crease == 0 ? c->folds[i].length : 0;
    assert_near(length, c->creases[0].length, 0.02);
    release(mesh, curves, c);
}

static void mistakes_are_errors(void **state) {
    ruga_mesh *mesh = painted_sheet(*state);
    ruga_curve *curves[2] = {creased_curve(mesh, (const double[]){0, 0.42, 1, 0.57}, 2, 0),
                             creased_curve(mesh, (const double[]){0, 0.42, 1, 0.57}, 2, 0)};
    ruga_creases *c = NULL;
    ruga_creases_def def = {0};
    assert_status(ruga_creases_create(mesh, (const ruga_curve *const *)curves, 1, &def, &c), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "ruga_creases_def_default");
    def = ruga_creases_def_default();
    ruga_crease_def of_scene;
    ruga_section_defaults(ruga_scene_section_find("objects.hooks.crease"), &of_scene);
    assert_equal(def.spacing, of_scene.spacing);
    def.spacing = NAN;
    assert_status(ruga_creases_create(mesh, (const ruga_curve *const *)curves, 1, &def, &c), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "spacing");
    assert_status(ruga_creases_create(mesh, NULL, 0, NULL, &c), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_creases_create(mesh, (const ruga_curve *const *)curves, 2, NULL, &c), RUGA_ERROR_INPUT);
    assert_message_has(*state, "run along each other in triangle");
    assert_null(c);
    release(mesh, curves, c);
}

static ruga_status create_once(ruga_context *context, void *user) {
    ruga_creases *c = NULL;
    ruga_mesh *mesh = NULL;
    ruga_curve *curve = NULL;
    ruga_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {0, 0, -1}};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    const ruga_vec3 line[2] = {{0, 0, -0.3}, {1, 0, -0.4}};
    ruga_curve_def drawn = ruga_curve_def_default();
    ruga_mesh_def def = ruga_mesh_def_default();
    (void)user;
    def.positions = (ruga_view){points, 4, 0, RUGA_F64};
    def.face_count = 2;
    def.face_vertices = triangles;
    ruga_status status = ruga_mesh_create(context, &def, &mesh);
    if (!RUGA_FAILED(status)) status = ruga_curve_from_points(mesh, line, 2, &drawn, &curve);
    if (!RUGA_FAILED(status)) status = ruga_creases_create(mesh, (const ruga_curve *const *)&curve, 1, NULL, &c);
    ruga_creases_destroy(c);
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_ran(assert_every_allocation_may_fail(create_once, NULL), 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(original_vertices_come_first_and_attributes_are_carried),
        cmocka_unit_test(copies_have_the_mass_of_the_mesh_and_their_own_place),
        cmocka_unit_test(a_rigid_fold_has_its_angle_everywhere_and_no_gap),
        cmocka_unit_test(gradients_are_the_derivatives_of_angles),
        cmocka_unit_test(creases_are_described),
        cmocka_unit_test(mistakes_are_errors),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
