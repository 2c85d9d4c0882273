/* Parameters and masks chosen from a motion. */
#include "wrinkle/wrinkle_mesh.h"
#include "wrinkle_mesh_support.h"

/* Two tubes side by side, as one mesh; the second is labelled with a material. */
static ruga_mesh *make_pair(ruga_context *context, const char *material, double apart, double thinner) {
    ruga_mesh *tube = shape_cylinder(context, 24, 24), *out = NULL;
    const size_t n = tube->vertex_count, t = tube->triangle_count;
    ruga_vec3 *points = malloc(2 * n * sizeof *points);
    uint32_t *faces = malloc(6 * t * sizeof *faces);
    int32_t *labels = malloc(2 * t * sizeof *labels);
    for (size_t v = 0; v < n; v++) {
        const ruga_vec3 p = points[v] = tube->positions[v];
        points[n + v] = (ruga_vec3){p.x * thinner + apart, p.y, p.z * thinner};
    }
    for (size_t c = 0; c < 3 * t; c++)
        faces[c] = tube->triangles[c], faces[3 * t + c] = tube->triangles[c] + (uint32_t)n;
    for (size_t f = 0; f < 2 * t; f++) labels[f] = f >= t;
    const char *const names[] = {"skin", material};
    const ruga_attribute attribute = {.name = "material",
                                      .domain = RUGA_DOMAIN_FACE,
                                      .type = RUGA_I32,
                                      .components = 1,
                                      .count = 2 * t,
                                      .values = labels,
                                      .label_count = 2,
                                      .labels = names};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = view_of(points, 2 * n);
    def.face_count = 2 * t;
    def.face_vertices = faces;
    def.attribute_count = 1;
    def.attributes = &attribute;
    assert_ok(context, ruga_mesh_create(context, &def, &out));
    free(points);
    free(faces);
    free(labels);
    ruga_mesh_destroy(tube);
    return out;
}

/* Presses the vertices from `begin` to `end` together along y, by a factor; the others move rigidly. */
static ruga_wrinkle_fit_result fit(const ruga_mesh *base, size_t begin, size_t end, double factor, double *mask) {
    ruga_wrinkle_fit *f = NULL;
    ruga_wrinkle_fit_result found;
    ruga_vec3 *moved = malloc(base->vertex_count * sizeof *moved);
    assert_ok(base->context, ruga_wrinkle_fit_create(base, &f));
    for (int frame = 0; frame < 3; frame++) {
        for (size_t v = 0; v < base->vertex_count; v++) {
            moved[v] = base->positions[v];
            moved[v].z += 0.3 * frame;
            if (v >= begin && v < end) moved[v].y *= 1 + 0.5 * frame * (factor - 1);
        }
        ruga_wrinkle_fit_add(f, moved);
    }
    assert_ok(base->context, ruga_wrinkle_fit_finish(f, mask, &found));
    ruga_wrinkle_fit_destroy(f);
    free(moved);
    return found;
}

static void rigid_pieces_do_not_wrinkle(void **state) {
    ruga_context *context = *state;
    ruga_mesh *base = make_pair(context, "cloth", 10, 1);
    const size_t n = base->vertex_count / 2;
    double *mask = malloc(2 * n * sizeof *mask);
    ruga_wrinkle_fit_result r = fit(base, 0, n, 0.7, mask);
    assert_near(r.compression, 0.3, 1e-6);
    assert_near(r.compressed_share, 0.5, 1e-6);
    assert_int_equal(r.pieces, 2);
    assert_int_equal(r.rigid_pieces, 1);
    assert_int_equal(r.rigid_triangles, base->triangle_count / 2);
    for (size_t v = 0; v < 2 * n; v++) assert_near(mask[v], v < n ? 1 : 0, 1e-12);
    assert_near(r.pre_stretch, 1 - 0.1 * 0.3, 1e-9);
    free(mask);
    ruga_mesh_destroy(base);
}

static void materials_that_are_firm_do_not_wrinkle_even_if_they_are_compressed(void **state) {
    ruga_context *context = *state;
    static const struct {
        const char *name;
        int firm;
    } cases[] = {{"Left_Eye", 1}, {"mouth_TEETH", 1}, {"shoes.001", 1},   {"eyelids", 0}, {"shirt", 0},
                 {"LeftEye", 1},  {"chair", 0},       {"snail_Nails", 1}, {"snail", 0},   {"SunGlasses", 1},
                 {"horn-lid", 0}, {"sole", 1},        {"consoled", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ruga_mesh *base = make_pair(context, cases[k].name, 10, 1);
        double *mask = malloc(base->vertex_count * sizeof *mask);
        ruga_wrinkle_fit_result r = fit(base, 0, base->vertex_count, 0.7, mask);
        assert_int_equal(r.named_triangles, cases[k].firm ? base->triangle_count / 2 : 0);
        assert_string_equal(r.materials, cases[k].firm ? cases[k].name : "");
        assert_near(mask[base->vertex_count - 1], cases[k].firm ? 0 : 1, 1e-12);
        free(mask);
        ruga_mesh_destroy(base);
    }
}

static void thin_loose_parts_have_no_room_for_a_wave(void **state) {
    ruga_context *context = *state;
    ruga_mesh *base = make_pair(context, "strap", 10, 0.005);
    double *mask = malloc(base->vertex_count * sizeof *mask);
    ruga_wrinkle_fit_result r = fit(base, 0, base->vertex_count, 0.7, mask);
    assert_int_equal(r.narrow_pieces, 1);
    assert_near(mask[base->vertex_count - 1], 0, 1e-12);
    assert_near(mask[0], 1, 1e-12);
    free(mask);
    ruga_mesh_destroy(base);
}

/* Waves are half as long as the radius of a tube, if its edges allow it; any unit gives the same choice. */
static void the_wavelength_follows_curvature_and_any_unit(void **state) {
    ruga_context *context = *state;
    double *mask = NULL;
    for (int k = 0; k < 2; k++) {
        const double unit = k ? 100 : 1, values[6] = {0.05 * unit, 1 * unit, 8, 16, 0, 0};
        ruga_mesh *base = NULL;
        assert_ok(context, ruga_model_make(context, "cylinder", values, &base));
        mask = realloc(mask, base->vertex_count * sizeof *mask);
        ruga_wrinkle_fit *f = NULL;
        ruga_wrinkle_fit_result r;
        ruga_vec3 *moved = malloc(base->vertex_count * sizeof *moved);
        for (size_t v = 0; v < base->vertex_count; v++) moved[v] = base->positions[v], moved[v].y *= 0.8;
        assert_ok(context, ruga_wrinkle_fit_create(base, &f));
        ruga_wrinkle_fit_add(f, moved);
        assert_ok(context, ruga_wrinkle_fit_finish(f, mask, &r));
        assert_near(r.curvature_radius, 0.05 * unit, 0.01 * unit);
        assert_near(r.wavelength, 0.5 * r.curvature_radius, 1e-9 * unit);
        assert_int_equal(r.limited, 1);
        assert_in_range(r.subdivide, 9, 15);
        ruga_wrinkle_fit_destroy(f);
        free(moved);
        ruga_mesh_destroy(base);
    }
    free(mask);
}

static void a_motion_without_compression_has_none(void **state) {
    ruga_context *context = *state;
    ruga_mesh *base = make_pair(context, "cloth", 10, 1);
    double *mask = malloc(base->vertex_count * sizeof *mask);
    assert_equal(fit(base, 0, base->vertex_count, 1.3, mask).compression, 0);
    assert_near(mask[0], 1, 1e-12); /* free, for a strength above 1 */
    free(mask);
    ruga_mesh_destroy(base);
}

static ruga_status make_fit(ruga_context *context, void *user) {
    const ruga_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {0, 0, -1}};
    const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
    double mask[4];
    ruga_wrinkle_fit_result result;
    ruga_mesh *base = NULL;
    ruga_wrinkle_fit *f = NULL;
    ruga_mesh_def def = ruga_mesh_def_default();
    (void)user;
    def.positions = view_of(corners, 4);
    def.face_count = 2;
    def.face_vertices = faces;
    ruga_status status = ruga_mesh_create(context, &def, &base);
    if (!RUGA_FAILED(status)) status = ruga_wrinkle_fit_create(base, &f);
    if (!RUGA_FAILED(status)) status = ruga_wrinkle_fit_finish(f, mask, &result);
    ruga_wrinkle_fit_destroy(f);
    ruga_mesh_destroy(base);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(make_fit, NULL);
}

/* The wrinkle mesh that `ruga wrinkle` would make for a motion. */
static wrinkled fitted(ruga_mesh *base, const ruga_vec3 *moved, ruga_wrinkle_fit_result *r) {
    ruga_wrinkle_fit *f = NULL;
    double *mask = malloc(base->vertex_count * sizeof *mask);
    assert_ok(base->context, ruga_wrinkle_fit_create(base, &f));
    ruga_wrinkle_fit_add(f, base->positions);
    ruga_wrinkle_fit_add(f, moved);
    assert_ok(base->context, ruga_wrinkle_fit_finish(f, mask, r));
    ruga_wrinkle_fit_destroy(f);
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.wavelength = r->wavelength;
    def.pre_stretch = ruga_param_constant(r->pre_stretch);
    def.radius = ruga_param_constant(NAN);
    def.base_mask = mask;
    wrinkled w = wrinkle_regular(base, r->subdivide, &def);
    free(mask);
    return w;
}

/* Greatest distance of a vertex at the height y from the attached surface, relative to the greatest radius. */
static double relative_height(wrinkled w, double low, double high) {
    const ruga_wrinkle_mesh *m = w.mesh;
    const double radius = ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius;
    double greatest = 0;
    for (size_t v = 0; v < w.fine->vertex_count; v++) {
        const float *p = m->points + 4 * (size_t)m->slots[v], *a = m->anchors + 4 * (size_t)m->slots[v];
        if (w.fine->positions[v].y < low || w.fine->positions[v].y > high) continue;
        greatest = fmax(greatest, hypot(hypot((double)(p[0] - a[0]), (double)(p[1] - a[1])), (double)(p[2] - a[2])));
    }
    return greatest / radius;
}

/* A limb of few polygons, bent by skinning at a joint in its middle: it wrinkles there, and nowhere else. */
static void a_limb_of_twelve_sectors_wrinkles_at_its_joint(void **state) {
    const double values[6] = {0.05, 0.6, 12, 12, 0, 0};
    ruga_mesh *base = NULL;
    ruga_wrinkle_fit_result r;
    assert_ok(*state, ruga_model_make(*state, "cylinder", values, &base));
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < base->vertex_count; v++)
        low = fmin(low, base->positions[v].y), high = fmax(high, base->positions[v].y);
    const double joint = 0.5 * (low + high);
    ruga_vec3 *bent = malloc(base->vertex_count * sizeof *bent);
    wrinkled w = {0};
    for (int frame = 0; frame <= 12; frame++) {
        const double angle = -1.4 * (frame ? frame : 12) / 12;
        for (size_t v = 0; v < base->vertex_count; v++) {
            const vec3 p = base->positions[v];
            const double t = fmin(1, fmax(0, 0.5 + (p.y - joint) / 0.1)), y = p.y - joint;
            const vec3 turned = {p.x * cos(angle) - y * sin(angle), joint + p.x * sin(angle) + y * cos(angle), p.z};
            bent[v] = vec3_add(vec3_scale(p, 1 - t), vec3_scale(turned, t));
        }
        if (frame == 0) w = fitted(base, bent, &r);
        if (frame == 0) continue;
        memcpy(w.moved, bent, base->vertex_count * sizeof *bent);
        update(w);
    }
    for (int k = 0; k < 30; k++) update(w);
    assert_less(0.5, relative_height(w, joint - 0.1, joint + 0.1));
    assert_less(relative_height(w, high - 0.1, high), 0.15);
    assert_less(relative_height(w, low, low + 0.1), 0.15);
    free(bent);
    wrinkled_release(w);
}

/* A face with closed lips: a slit of 0.001 of its size. */
static ruga_mesh *make_face(ruga_context *context) {
    enum { N = 24, ROW = N / 2 };
    ruga_mesh *sheet = shape_sheet(context, N, N);
    const size_t count = sheet->vertex_count;
    vec3 *points = malloc(2 * count * sizeof *points);
    uint32_t *faces = malloc(3 * sheet->triangle_count * sizeof *faces), *twin = calloc(count, sizeof *twin);
    size_t used = count;
    const double middle = sheet->positions[ROW * (N + 1)].z;
    memcpy(points, sheet->positions, count * sizeof *points);
    memcpy(faces, sheet->triangles, 3 * sheet->triangle_count * sizeof *faces);
    for (size_t v = 0; v < count; v++)
        if (fabs(points[v].z - middle) < 1e-9 && fabs(points[v].x - 0.6) < 0.2) {
            twin[v] = (uint32_t)used;
            points[used] = points[v];
            points[used++].z += 0.001;
        }
    for (size_t t = 0; t < sheet->triangle_count; t++) {
        const uint32_t *v = sheet->triangles + 3 * t;
        const double z = (points[v[0]].z + points[v[1]].z + points[v[2]].z) / 3;
        for (size_t k = 0; z > middle && k < 3; k++)
            if (twin[v[k]]) faces[3 * t + k] = twin[v[k]];
    }
    ruga_mesh *face = shape_make(context, used, points, sheet->triangle_count, NULL, faces);
    free(points);
    free(faces);
    free(twin);
    ruga_mesh_destroy(sheet);
    return face;
}

/* m, the widest opening of the slit. */
static double opening(wrinkled w) {
    const double size = 1, middle = 0.5 * size;
    double upper = INFINITY, lower = -INFINITY;
    for (size_t v = 0; v < w.fine->vertex_count; v++) {
        const vec3 rest = w.fine->positions[v];
        const double from = fabs(fabs(rest.z) - middle);
        if (from > 0.0011 || fabs(rest.x - 0.6) > 0.1) continue;
        upper = fmin(upper, w.positions[v].z);
        lower = fmax(lower, w.positions[v].z);
    }
    return lower - upper;
}

/* The cheek is pressed together, which opens the lips neither then nor at rest. A pre-stretch of 0.9 on the whole face
 * does. */
static void closed_lips_stay_closed(void **state) {
    double open[2];
    for (int fit = 0; fit < 2; fit++) {
        ruga_wrinkle_fit_result r;
        ruga_mesh *base = make_face(*state);
        vec3 *moved = malloc(base->vertex_count * sizeof *moved);
        for (size_t v = 0; v < base->vertex_count; v++) {
            moved[v] = base->positions[v];
            if (moved[v].x < 0.25) moved[v].x = 0.25 - 0.7 * (0.25 - moved[v].x);
        }
        ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 0.9);
        def.wavelength = NAN;
        wrinkled w = fit ? fitted(base, moved, &r) : wrinkle_regular(base, 4, &def);
        settle(w, 0.01, 400);
        open[fit] = opening(w);
        memcpy(w.moved, moved, base->vertex_count * sizeof *moved);
        for (int k = 0; fit && k < 30; k++) update(w);
        if (fit) assert_less(opening(w), 0.002);
        if (fit) assert_less(1e-4, rms_offset(w)); /* the cheek wrinkles */
        free(moved);
        wrinkled_release(w);
    }
    assert_less(open[1], 0.0015);
    assert_less(0.01, open[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_pieces_do_not_wrinkle),
        cmocka_unit_test(materials_that_are_firm_do_not_wrinkle_even_if_they_are_compressed),
        cmocka_unit_test(thin_loose_parts_have_no_room_for_a_wave),
        cmocka_unit_test(the_wavelength_follows_curvature_and_any_unit),
        cmocka_unit_test(a_motion_without_compression_has_none),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_limb_of_twelve_sectors_wrinkles_at_its_joint),
        cmocka_unit_test(closed_lips_stay_closed),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
