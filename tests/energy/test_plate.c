/* Membrane and hinges together against the theory of thin plates: deflection under load, and buckling. */
#include "energy/hinge_pairs.h"
#include "energy/membrane.h"
#include "energy/sheets.h"
#include "linalg/block_llt.h"
#include "linalg/cg.h"

#define PI 3.14159265358979323846

enum { POINTS = 4000 };

/* A sheet of thickness h, Young's modulus E and a Poisson ratio of ν. */
typedef struct plate {
    ruga_mesh *mesh;
    membrane *membrane;
    hinges *hinges;
    hinge_pairs *pairs;
    block_matrix *matrix;
    block_llt *factor;
    double held[POINTS]; /* 1: a point that can't move */
    double bend;         /* N m: D */
} plate;

static void plate_make(ruga_mesh *mesh, double h, double young, double poisson, plate *out) {
    static vec3 warps[2 * POINTS];
    ruga_context *context = mesh->context;
    block_pattern *pattern = NULL;
    memset(out, 0, sizeof *out);
    assert_at_most(mesh->vertex_count, POINTS);
    assert_at_most(mesh->triangle_count, 2 * POINTS);
    for (size_t t = 0; t < mesh->triangle_count; t++) warps[t] = (vec3){1, 0, 0};
    out->mesh = mesh;
    out->bend = young * h * h * h / (12 * (1 - poisson * poisson));
    const membrane_material stretch = {
        .warp = young * h, .weft = young * h, .poisson = poisson, .shear = young * h / (2 * (1 + poisson))};
    const hinge_material bend = {.bend = out->bend};
    assert_ok(context, membrane_create(mesh, &stretch, warps, NULL, &out->membrane));
    assert_ok(context, hinges_create(mesh, &bend, NULL, &out->hinges));
    assert_ok(context, hinge_pairs_create(out->hinges, &out->pairs));
    assert_ok(context, block_pattern_create(context, mesh->vertex_count, &pattern));
    assert_ok(context, membrane_interface.add_pattern(&out->membrane->base, pattern));
    assert_ok(context, hinges_interface.add_pattern(&out->hinges->base, pattern));
    assert_ok(context, hinge_pairs_add_pattern(out->pairs, pattern));
    assert_ok(context, block_matrix_create(pattern, &out->matrix));
    block_pattern_destroy(pattern);
    assert_ok(context,
              block_llt_create(context, mesh->vertex_count, out->matrix->offsets, out->matrix->columns, &out->factor));
}

static void plate_release(plate *p) {
    membrane_destroy(p->membrane);
    hinge_pairs_destroy(p->pairs);
    hinges_destroy(p->hinges);
    block_matrix_destroy(p->matrix);
    block_llt_destroy(p->factor);
    ruga_mesh_destroy(p->mesh);
}

static void plate_linearise(plate *p, const vec3 *x) {
    const energy_weights weights = {1, 0};
    block_matrix_clear(p->matrix);
    assert_ok(p->mesh->context, membrane_interface.linearise(&p->membrane->base, x, weights, 0));
    assert_ok(p->mesh->context, hinges_interface.linearise(&p->hinges->base, x, weights, 0));
    membrane_interface.add_matrix(&p->membrane->base, 1, p->matrix);
    hinges_interface.add_matrix(&p->hinges->base, 1, p->matrix);
    hinge_pairs_add_matrix(p->pairs, 1, p->matrix);
}

/* At rest, where the Hessian is definite as soon as points are held. */
static void plate_factor(plate *p) {
    plate_linearise(p, p->mesh->positions);
    assert_true(block_llt_factor(p->factor, p->matrix->blocks, 1e9 * p->membrane->material.warp, p->held));
}

static void hold(const plate *p, vec3 *x) {
    for (size_t i = 0; i < p->mesh->vertex_count; i++)
        if (p->held[i] > 0) x[i] = (vec3){0, 0, 0};
}

static ruga_status apply(void *user, const vec3 *in, vec3 *out) {
    const plate *p = user;
    block_matrix_multiply(p->matrix, in, out);
    hold(p, out);
    return RUGA_OK;
}

static void precondition(void *user, const vec3 *in, vec3 *out) {
    const plate *p = user;
    memcpy(out, in, p->mesh->vertex_count * sizeof *out);
    block_llt_solve(p->factor, out);
    hold(p, out);
}

/* The displacement under loads, (points) N. Returns whether conjugate gradients converged, as they do unless they meet
 * a direction of negative curvature. */
static int plate_solve(plate *p, const vec3 *loads, vec3 *out) {
    ruga_context *context = p->mesh->context;
    const size_t count = p->mesh->vertex_count;
    const cg_system system = {context, count, apply, precondition, p, NULL, 1};
    cg_scratch scratch;
    cg_report report;
    assert_ok(context, cg_scratch_make(context, count, &scratch));
    memcpy(scratch.residual, loads, count * sizeof *loads);
    hold(p, scratch.residual);
    memset(out, 0, count * sizeof *out);
    assert_ok(context, cg_solve(&system, &scratch, 0, 1e-8, 500, out, &report));
    cg_scratch_release(context, &scratch);
    return report.converged;
}

/* The deflection in the middle of a square plate of side a, clamped at its border, over that of theory, which is
 * 0.00126 q a⁴ / D under a pressure q (Timoshenko and Woinowsky-Krieger 1959, table 35). */
static double clamped_deflection(ruga_context *context, size_t cells) {
    static vec3 loads[POINTS], deflection[POINTS];
    static double areas[POINTS];
    const double a = 0.2, s = a / (double)cells, pressure = 1, middle = a / 2 + s;
    ruga_mesh *mesh = quad_sheet(context, cells + 2, cells + 2, s, s);
    plate p;
    double most = 0;
    plate_make(mesh, 1e-3, 1e7, 0.3, &p);
    assert_ok(context, ruga_mesh_masses(mesh, 1, areas));
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        vec3 x = mesh->positions[i];
        p.held[i] = fmax(fabs(x.x - middle), fabs(x.z - middle)) > a / 2 - 1e-9;
        loads[i] = (vec3){0, pressure * areas[i], 0};
    }
    plate_factor(&p);
    assert_true(plate_solve(&p, loads, deflection));
    for (size_t i = 0; i < mesh->vertex_count; i++) most = fmax(most, deflection[i].y);
    most /= 0.00126 * pressure * a * a * a * a / p.bend;
    plate_release(&p);
    return most;
}

/* The hinges on the border count half a cell beyond it, so that the error falls with the size of a cell: two sizes give
 * the limit. */
static void a_clamped_plate_bends_as_in_theory(void **state) {
    double coarse = clamped_deflection(*state, 24), fine = clamped_deflection(*state, 48);
    assert_less(fabs(fine - 1), 0.6 * fabs(coarse - 1));
    assert_near(2 * fine - coarse, 1, 0.02);
}

/* A strip between two hinged ends buckles where its compression N reaches D π² / L² (Euler 1744). Poisson's ratio is 0,
 * so that the strip stays as wide as it is. */
static void a_strip_buckles_at_the_load_of_euler(void **state) {
    static vec3 x[POINTS], loads[POINTS], out[POINTS];
    const double length = 0.2, h = 1e-3, young = 1e7;
    for (int wide = 0; wide < 2; wide++) {
        ruga_mesh *mesh =
            wide ? quad_sheet(*state, 60, 6, length / 60, 0.004) : quad_sheet(*state, 80, 8, length / 80, length / 80);
        test_random random = {7};
        plate p;
        plate_make(mesh, h, young, 0, &p);
        for (size_t i = 0; i < mesh->vertex_count; i++) {
            p.held[i] = mesh->positions[i].x < 1e-9 || mesh->positions[i].x > length - 1e-9;
            loads[i] = random_vec3(&random, -1, 1);
        }
        plate_factor(&p);
        double stable = 0, buckled = 0.001;
        for (int k = 0; k < 12; k++) {
            double strain = (stable + buckled) / 2;
            for (size_t i = 0; i < mesh->vertex_count; i++) {
                x[i] = mesh->positions[i];
                x[i].x *= 1 - strain;
            }
            plate_linearise(&p, x);
            *(plate_solve(&p, loads, out) ? &stable : &buckled) = strain;
        }
        assert_near_case(stable / (p.bend * PI * PI / (length * length) / (young * h)), 1, 0.03, "case %d", wide);
        plate_release(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clamped_plate_bends_as_in_theory),
        cmocka_unit_test(a_strip_buckles_at_the_load_of_euler),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
