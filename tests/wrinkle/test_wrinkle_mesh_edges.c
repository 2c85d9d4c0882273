/* Hard edges of the base: boxes stay boxes, rims stay round, and a radius of 0 stays on the base's own triangles. */
#include "wrinkle_mesh_support.h"

/* A box of 1 x 2 x 3 m around the origin, 12 triangles. */
static ruga_mesh *make_box(ruga_context *context) {
    static const uint32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    ruga_vec3 corners[8];
    for (int v = 0; v < 8; v++) corners[v] = (ruga_vec3){v % 2 - 0.5, 2 * (v / 2 % 2) - 1, 3 * (v / 4) - 1.5};
    return shape_make(context, 8, corners, 12, NULL, faces);
}

/* The box with normals at its corners: those of the faces, or smooth ones. */
static ruga_mesh *make_box_with_normals(ruga_context *context, int smooth) {
    ruga_mesh *plain = make_box(context), *out = NULL;
    double normals[36][3];
    for (size_t c = 0; c < 36; c++) {
        const uint32_t *v = plain->triangles + c / 3 * 3;
        const vec3 p = plain->positions[v[c % 3]], a = plain->positions[v[0]];
        const vec3 face = vec3_cross(vec3_sub(plain->positions[v[1]], a), vec3_sub(plain->positions[v[2]], a));
        const vec3 n = vec3_normalise(smooth ? p : face);
        normals[c][0] = n.x, normals[c][1] = n.y, normals[c][2] = n.z;
    }
    const ruga_attribute normal = {.name = "normal",
                                   .domain = RUGA_DOMAIN_CORNER,
                                   .type = RUGA_F64,
                                   .components = 3,
                                   .count = 36,
                                   .values = normals};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = view_of(plain->positions, 8);
    def.face_count = 12;
    def.face_vertices = plain->triangles;
    def.attribute_count = 1;
    def.attributes = &normal;
    assert_ok(context, ruga_mesh_create(context, &def, &out));
    ruga_mesh_destroy(plain);
    return out;
}

/* m, the greatest distance of a fine vertex from the box. */
static double leaves_box(wrinkled w) {
    double greatest = 0;
    for (size_t v = 0; v < w.fine->vertex_count; v++) {
        const vec3 p = w.positions[v];
        const double x = fabs(p.x) - 0.5, y = fabs(p.y) - 1, z = fabs(p.z) - 1.5;
        const double inside = fmax(x, fmax(y, z));
        greatest = fmax(greatest, fabs(inside));
    }
    return greatest;
}

static double box_error(ruga_mesh *base, ruga_wrinkle_surface surface, double crease_angle) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
    def.surface = surface;
    def.crease_angle = crease_angle;
    wrinkled w = wrinkle_regular(base, 6, &def);
    update(w);
    const double error = leaves_box(w);
    wrinkled_release(w);
    return error;
}

static void a_box_stays_a_box_by_its_angles_or_its_split_normals(void **state) {
    ruga_context *context = *state;
    static const ruga_wrinkle_surface curved[] = {RUGA_WRINKLE_PN, RUGA_WRINKLE_LOOP};
    const double default_angle = ruga_wrinkle_mesh_def_default().crease_angle;
    for (size_t k = 0; k < 2; k++) {
        assert_less(box_error(make_box(context), curved[k], default_angle), 1e-6);
        assert_less(box_error(make_box_with_normals(context, 0), curved[k], default_angle), 1e-6);
        /* Smooth normals in a file are meant, and so is an angle of 180 degrees. */
        assert_less(0.05, box_error(make_box_with_normals(context, 1), curved[k], default_angle));
        assert_less(0.05, box_error(make_box(context), curved[k], 180));
    }
}

/* The rim of a closed cylinder is a crease, and both sides of it follow the circle. The greatest error of the circle
 * on a cubic of tangents at 12 vertices is far below that of the polygon. */
static void the_rim_of_a_cylinder_is_sharp_and_round(void **state) {
    ruga_context *context = *state;
    const double values[6] = {1, 2, 12, 4, 1, 0};
    ruga_mesh *base = NULL;
    assert_ok(context, ruga_model_make(context, "cylinder", values, &base));
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
    wrinkled w = wrinkle_regular(base, 4, &def);
    update(w);
    const double polygon = 1 - cos(PI / 12);
    double top = -INFINITY, worst = 0;
    for (size_t v = 0; v < base->vertex_count; v++) top = fmax(top, base->positions[v].y);
    size_t rim = 0;
    for (size_t v = 0; v < w.fine->vertex_count; v++) {
        const double radius = hypot(w.positions[v].x, w.positions[v].z), height = w.positions[v].y;
        assert_less(height, top + 1e-6);
        assert_less(radius, 1 + 0.1 * polygon);
        /* neither bulges over the rim */
        if (fabs(height - top) > 1e-6 || radius < 1 - 1.1 * polygon) continue;
        worst = fmax(worst, fabs(radius - 1));
        rim++;
    }
    assert_at_most(48, rim);
    assert_less(worst, 0.1 * polygon);
    wrinkled_release(w);
}

static void a_radius_of_zero_stays_exactly_on_the_base(void **state) {
    ruga_context *context = *state;
    static const ruga_wrinkle_surface curved[] = {RUGA_WRINKLE_PN, RUGA_WRINKLE_LOOP};
    for (size_t k = 0; k < 2; k++) {
        ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
        def.surface = curved[k];
        def.radius = ruga_param_constant(0);
        wrinkled w = wrinkle_regular(shape_icosahedron(context), 4, &def);
        squeeze(w, 0.7);
        update(w);
        for (size_t v = 0; v < w.fine->vertex_count; v++) {
            const vec3 wanted = {0.7 * w.fine->positions[v].x, w.fine->positions[v].y, w.fine->positions[v].z};
            assert_less(vec3_distance(w.positions[v], wanted), 1e-6);
        }
        /* Normals are the smooth ones of the base, not those of its flat triangles. */
        for (size_t v = 12; v < w.fine->vertex_count && k == 0; v++) {
            const vec3 n = w.normals[v], p = w.fine->positions[v];
            assert_less(0.98, vec3_dot(n, vec3_normalise((vec3){p.x / 0.7, p.y, p.z})));
        }
        wrinkled_release(w);
    }
}

/* Painted radii: flat where they are 0, curved where they are full, and no step between. */
static void between_flat_and_curved_the_surface_changes_gradually(void **state) {
    ruga_context *context = *state;
    ruga_mesh *base = shape_icosahedron(context), *plain = NULL;
    ruga_subdivide_def parts = ruga_subdivide_def_default();
    parts.n = 8;
    ruga_map *map = NULL;
    assert_ok(context, ruga_mesh_subdivide(base, &parts, &plain, &map));
    double *mask = malloc(plain->vertex_count * sizeof *mask);
    for (size_t v = 0; v < plain->vertex_count; v++) mask[v] = fmin(1, fmax(0, 0.5 + 2 * plain->positions[v].x));
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
    def.wavelength = NAN;
    def.radius = ruga_param_array(mask, plain->vertex_count);
    def.radius.unit = "m";
    wrinkled w = wrinkle_regular(base, 8, &def);
    update(w);
    size_t masked = 0;
    for (size_t v = 0; v < plain->vertex_count; v++) {
        assert_less_case(vec3_length(w.positions[v]), 1.02, "vertex %zu", v);
        if (mask[v] != 0) continue;
        assert_less_case(vec3_distance(w.positions[v], plain->positions[v]), 1e-6, "vertex %zu", v);
        masked++;
    }
    assert_ran(masked, 100);
    double greatest = 0;
    for (size_t v = 0; v < plain->vertex_count; v++)
        if (mask[v] == 1) greatest = fmax(greatest, vec3_distance(w.positions[v], plain->positions[v]));
    assert_less(0.1, greatest);
    free(mask);
    ruga_map_destroy(map);
    ruga_mesh_destroy(plain);
    wrinkled_release(w);
}

static ruga_status make_on_a_wedge(ruga_context *context, void *user) {
    ruga_mesh *base = NULL, *fine = NULL;
    ruga_wrinkle_mesh *mesh = NULL;
    const ruga_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, -1}, {0.5, 1, 0}};
    const uint32_t faces[6] = {0, 1, 2, 1, 0, 3};
    ruga_mesh_def wedge = ruga_mesh_def_default();
    wedge.positions = view_of(corners, 4);
    wedge.face_count = 2;
    wedge.face_vertices = faces;
    ruga_subdivide_def parts = ruga_subdivide_def_default();
    parts.n = 2;
    ruga_status status = ruga_mesh_create(context, &wedge, &base);
    if (!RUGA_FAILED(status)) status = ruga_wrinkle_mesh_create_subdivided(base, &parts, user, &fine, &mesh);
    ruga_wrinkle_mesh_destroy(mesh);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(base);
    return status;
}

static void every_allocation_may_fail_at_hard_edges(void **state) {
    (void)state;
    for (int s = 0; s < 2; s++) {
        ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
        def.surface = s ? RUGA_WRINKLE_LOOP : RUGA_WRINKLE_PN;
        def.crease_angle = 30;
        def.radius = ruga_param_constant(0);
        assert_every_allocation_may_fail(make_on_a_wedge, &def);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_stays_a_box_by_its_angles_or_its_split_normals),
        cmocka_unit_test(the_rim_of_a_cylinder_is_sharp_and_round),
        cmocka_unit_test(a_radius_of_zero_stays_exactly_on_the_base),
        cmocka_unit_test(every_allocation_may_fail_at_hard_edges),
        cmocka_unit_test(between_flat_and_curved_the_surface_changes_gradually),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
