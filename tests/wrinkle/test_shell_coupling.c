/* Skin that acts on the body below it: forces and their derivative, momentum, equilibrium, energy. */
#include "wrinkle/shell_part.h"

#include "body/lattice.h"
#include "geom/lattice_shapes.h"
#include "wrinkle/embedded_shell.h"

static const environment empty = {.gravity = {0, 0, 0}};

/* A free bar of 0.6 x 0.2 x 0.2 m whose material contracts along x, in a skin that buckles. */
typedef struct pair {
    ruga_mesh *mesh;
    body *b;
    part *p;
    vec3 *seen; /* (vertices) */
    double time;
} pair;

static const double young = 1e4, size_x = 0.6;

static lattice_def bar_def(double stress) {
    static const ruga_muscle_key keys[1] = {{0, 1}};
    static muscle_def muscle;
    lattice_def def = lattice_def_default();
    muscle = (muscle_def){.direction = {1, 0, 0},
                          .stress = stress,
                          .box_from = {-1, -1, -1},
                          .box_to = {2, 2, 2},
                          .key_count = 1,
                          .keys = keys};
    def.values.spacing = 0.2;
    def.values.young = young;
    def.values.damping = 0;
    def.values.tolerance = 1e-12;
    def.muscles = &muscle;
    def.muscle_count = 1;
    return def;
}

static ruga_shell_def skin_def(void) {
    ruga_shell_def def = {.shell = ruga_embedded_shell_def_default(), .wavelength = NAN};
    def.shell.thickness = ruga_param_constant(0.004);
    def.shell.stiffness = ruga_param_constant(1000 * young);
    def.shell.interior_stiffness = ruga_param_constant(young);
    def.shell.tolerance = 1e-9;
    return def;
}

static void look(pair *s, double dt) {
    substep at = {.time = s->time, .dt = dt, .blend = 1, .environment = &empty, .is_last = 1};
    body_make_visible(s->b, s->b->positions, s->seen);
    ruga_frame in = {.time = s->time, .vertex_count = s->mesh->vertex_count, .positions = s->seen};
    assert_ok(s->b->context, (dt > 0 ? s->p->interface->update : s->p->interface->settle)(s->p, s->b, &at, &in));
}

static void step(pair *s, double dt, int count) {
    for (int k = 0; k < count; k++) {
        s->time += dt;
        substep at = {.time = s->time, .dt = dt, .blend = 1, .environment = &empty, .is_last = 1};
        assert_ok(s->b->context, s->b->interface->predict(s->b, &at));
        assert_ok(s->b->context, s->b->interface->accept(s->b, &at, s->b->interface->surface(s->b)));
        look(s, dt);
    }
}

static pair *make_pair(ruga_context *context, int cells, int across, const lattice_def *lattice,
                       const ruga_shell_def *shell) {
    pair *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->mesh = shape_box(context, cells, across, across, (vec3){size_x, 0.2, 0.2});
    s->seen = calloc(s->mesh->vertex_count, sizeof *s->seen);
    assert_ok(context, lattice_create(s->mesh, lattice, &s->b));
    assert_ok(context, shell_part_create(s->mesh, shell, s->b, &s->p));
    s->b->parts = &s->p;
    s->b->part_count = 1;
    look(s, 0);
    return s;
}

static void release_pair(pair *s) {
    s->p->interface->destroy(s->p);
    s->b->interface->destroy(s->b);
    ruga_mesh_destroy(s->mesh);
    free(s->seen);
    free(s);
}

static double elastic_energy(const pair *s) {
    return lattice_energy_interface.value(&lattice_energy_of(s->b)->base, s->b->positions) +
           shell_part_report(s->p).energy;
}

static double kinetic_energy(const pair *s) {
    double sum = 0;
    for (size_t i = 0; i < s->b->point_count; i++) sum += s->b->masses[i] * vec3_length2(s->b->velocities[i]) / 2;
    return sum;
}

/* ---- Forces. */

/* The forces are minus the derivative of the least energy by the carrier, and its second derivative is below K. */
static void forces_are_the_derivative_of_the_least_energy(void **state) {
    const lattice_def lattice = bar_def(0);
    for (int foundation = 0; foundation < 2; foundation++) {
        ruga_shell_def def = skin_def();
        def.shell.foundation = foundation;
        def.shell.tolerance = 1e-11;
        pair *s = make_pair(*state, 12, 4, &lattice, &def);
        const size_t n = s->mesh->vertex_count;
        vec3 *at = calloc(n, sizeof *at), *along = calloc(n, sizeof *along), *force = calloc(n, sizeof *force),
             *product = calloc(n, sizeof *product);
        ruga_embedded_shell *shell = shell_part_shell(s->p);
        for (size_t i = 0; i < n; i++) {
            at[i] = s->mesh->positions[i];
            at[i].x *= 0.985;
            along[i] = (vec3){sin(8 * at[i].x) + at[i].y, at[i].x * at[i].z, cos(5 * at[i].x)};
        }
        assert_ok(*state, ruga_embedded_shell_update(shell, at));
        const double middle = ruga_embedded_shell_get_report(shell).energy;
        assert_less(1e-4, ruga_embedded_shell_get_report(shell).amplitude);
        assert_ok(shell->context, ruga_embedded_shell_add_forces(shell, force));
        assert_ok(*state, ruga_embedded_shell_linearise(shell));
        ruga_embedded_shell_multiply(shell, along, product);
        double slope = 0, bound = 0, energies[2];
        const double eps = 2e-6;
        for (size_t i = 0; i < n; i++) {
            slope -= vec3_dot(force[i], along[i]);
            bound += vec3_dot(product[i], along[i]);
        }
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < n; i++) force[i] = vec3_add_scaled(at[i], along[i], side ? eps : -eps);
            assert_ok(*state, ruga_embedded_shell_update(shell, force));
            energies[side] = ruga_embedded_shell_get_report(shell).energy;
        }
        assert_near_case((energies[1] - energies[0]) / (2 * eps) / slope, 1, 1e-5, "foundation %d", foundation);
        assert_less_case((energies[0] - 2 * middle + energies[1]) / (eps * eps), bound, "foundation %d", foundation);
        free(at);
        free(along);
        free(force);
        free(product);
        release_pair(s);
    }
}

/* Blocks of Wᵀ K W, one coordinate of a point at a time. */
static void blocks_are_the_diagonal_of_the_product(void **state) {
    const lattice_def lattice = bar_def(300);
    const ruga_shell_def def = skin_def();
    pair *s = make_pair(*state, 12, 4, &lattice, &def);
    step(s, 0.02, 3);
    const size_t points = s->b->point_count;
    vec3 *along = calloc(points, sizeof *along), *product = calloc(points, sizeof *product);
    mat3 *blocks = calloc(points, sizeof *blocks);
    substep at = {.dt = 0.02};
    assert_ok(*state, s->p->interface->force_blocks(s->p, s->b, &at, s->b->positions, blocks));
    for (size_t k = 0; k < 3 * points; k += 7) {
        (&along[k / 3].x)[k % 3] = 1;
        memset(product, 0, points * sizeof *product);
        assert_ok(*state, s->p->interface->force_product(s->p, s->b, &at, s->b->positions, along, product));
        for (int c = 0; c < 3; c++)
            assert_near(blocks[k / 3].at[c][k % 3], (&product[k / 3].x)[c], 1e-9 * fabs(product[k / 3].x) + 1e-6);
        (&along[k / 3].x)[k % 3] = 0;
    }
    free(along);
    free(product);
    free(blocks);
    release_pair(s);
}

/* ---- Motion. */

static void momenta_are_conserved(void **state) {
    skip_when_sanitized();
    for (int kind = 0; kind < 2; kind++) {
        lattice_def lattice = bar_def(1500);
        lattice.values.integrator = kind;
        const ruga_shell_def def = skin_def();
        pair *s = make_pair(*state, 12, 4, &lattice, &def);
        vec3 linear[2] = {{0}}, angular[2] = {{0}};
        double size = 0;
        test_random random = {4};
        for (size_t i = 0; i < s->b->point_count; i++) s->b->velocities[i] = random_vec3(&random, -0.3, 0.3);
        for (int after = 0; after < 2; after++) {
            for (size_t i = 0; i < s->b->point_count; i++) {
                vec3 momentum = vec3_scale(s->b->velocities[i], s->b->masses[i]);
                linear[after] = vec3_add(linear[after], momentum);
                angular[after] = vec3_add(angular[after], vec3_cross(s->b->positions[i], momentum));
                size += vec3_length(momentum);
            }
            if (!after) step(s, kind ? 2e-4 : 0.01, 20);
        }
        assert_less_case(vec3_distance(linear[0], linear[1]), 1e-9 * size, "integrator %d", kind);
        /* The lattice's own steps of backward Euler turn about where they end, and are linearised once. */
        assert_less_case(vec3_distance(angular[0], angular[1]), (kind ? 1e-6 : 2e-2) * size, "integrator %d", kind);
        release_pair(s);
    }
}

/* ---- Equation 15, iterated. Its right side as printed lacks -M (q̇' - q̇). */

/* Three iterations of a free fall without forces change the velocities by h g, not by a third or three times of it. */
static void iterations_fall_freely(void **state) {
    lattice_def lattice = bar_def(0);
    lattice.values.newton = 3;
    const ruga_shell_def def = skin_def();
    const environment falling = {.gravity = {0, -9.81, 0}};
    pair *s = make_pair(*state, 12, 4, &lattice, &def);
    substep at = {.time = 0.02, .dt = 0.02, .blend = 1, .environment = &falling, .is_last = 1};
    assert_ok(*state, s->b->interface->predict(s->b, &at));
    for (size_t i = 0; i < s->b->point_count; i++)
        assert_near_case(s->b->candidate_velocities[i].y, -9.81 * 0.02, 1e-9, "point %zu", i);
    release_pair(s);
}

/* ‖M (q̇' - q̇) - h F_q(q + h q̇') - h Bᵀ (F_x - h K_x B q̇')‖ over ‖M q̇'‖: equations 11 to 14. */
static double step_residual(pair *s, double dt, const vec3 *before) {
    const size_t count = s->b->point_count;
    vec3 *at = calloc(count, sizeof *at), *sum = calloc(count, sizeof *sum), *product = calloc(count, sizeof *product);
    const vec3 *v = s->b->candidate_velocities;
    substep sub = {.dt = dt, .environment = &empty};
    double residual = 0, size = 0;
    for (size_t i = 0; i < count; i++) at[i] = vec3_add_scaled(s->b->positions[i], v[i], dt);
    lattice_energy_interface.add_gradient(&lattice_energy_of(s->b)->base, at, -1, sum);
    assert_ok(s->b->context, s->p->interface->force(s->p, s->b, &sub, s->b->positions, s->b->velocities, sum));
    assert_ok(s->b->context, s->p->interface->force_product(s->p, s->b, &sub, s->b->positions, v, product));
    for (size_t i = 0; i < count; i++) {
        const vec3 force = vec3_add_scaled(sum[i], product[i], dt);
        const vec3 change = vec3_scale(vec3_sub(v[i], before[i]), s->b->masses[i]);
        residual += vec3_length2(vec3_add_scaled(change, force, -dt));
        size += s->b->masses[i] * s->b->masses[i] * vec3_length2(v[i]);
    }
    free(at);
    free(sum);
    free(product);
    return sqrt(residual / size);
}

/* A bar that turns by half a radian in a step, in a skin that has buckled: one iteration misses equation 11, more of
 * them fulfil it. */
static void iterations_converge_to_backward_euler(void **state) {
    const double dt = 0.05;
    double residuals[2];
    for (int many = 0; many < 2; many++) {
        lattice_def lattice = bar_def(300);
        lattice.values.newton = many ? 60 : 1;
        const ruga_shell_def def = skin_def();
        pair *s = make_pair(*state, 12, 4, &lattice, &def);
        step(s, 0.01, 3);
        for (size_t i = 0; i < s->b->point_count; i++)
            s->b->velocities[i] = (vec3){-10 * s->b->positions[i].y, 10 * s->b->positions[i].x, 0};
        substep at = {.time = s->time + dt, .dt = dt, .blend = 1, .environment = &empty, .is_last = 1};
        assert_ok(*state, s->b->interface->predict(s->b, &at));
        residuals[many] = step_residual(s, dt, s->b->velocities);
        release_pair(s);
    }
    assert_less(0.05, residuals[0]);
    assert_less(residuals[1], 1e-8);
}

/* Of material, skin and motion together, at the length of a frame. */
static void the_energy_never_rises(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    const double steps[2] = {1.0 / 24, 0.005};
    for (int k = 0; k < 2; k++) {
        const lattice_def lattice = bar_def(1500);
        const ruga_shell_def def = skin_def();
        pair *s = make_pair(*state, 12, 4, &lattice, &def);
        step(s, steps[k], 1);
        double last = elastic_energy(s) + kinetic_energy(s);
        for (int i = 1; i < 40; i++) {
            step(s, steps[k], 1);
            const double now = elastic_energy(s) + kinetic_energy(s);
            assert_at_most_case(now, last + 1e-9 * fabs(last), "dt %g, step %d", steps[k], i);
            last = now;
        }
        assert_less(5e-5, shell_part_report(s->p).amplitude);
        release_pair(s);
    }
}

/* ---- Equilibrium. */

/* The system of all unknowns at once: nodes q, skin x, multipliers μ, for
 *
 *     min E_q(q) + E_x(x)   subject to   H (x - B q) = 0
 */
typedef struct whole {
    size_t q, x, m, n; /* numbers of scalars, and their sum */
    double *matrix, *side;
    vec3 *nodes, *skin, *multipliers;
} whole;

static void fill_columns(whole *w, energy_term *term, const vec3 *positions, size_t first, size_t count) {
    vec3 *along = calloc(count, sizeof *along), *product = calloc(count, sizeof *product);
    assert_ok(term->context, term->interface->linearise(term, positions, (energy_weights){1, 0}, 0));
    for (size_t k = 0; k < 3 * count; k++) {
        memset(product, 0, count * sizeof *product);
        (&along->x)[k] = 1;
        term->interface->add_product(term, 1, along, product);
        (&along->x)[k] = 0;
        for (size_t r = 0; r < 3 * count; r++) w->matrix[(first + r) * w->n + first + k] += (&product->x)[r];
    }
    free(along);
    free(product);
}

/* side = the gradient of the Lagrangian; returns its norm. */
static double fill_side(const pair *s, whole *w) {
    const ruga_embedded_shell *shell = shell_part_shell(s->p);
    const ruga_map *rows = shell->rows, *b = body_vertex_map(s->b);
    const size_t n = s->mesh->vertex_count;
    vec3 *scratch = calloc(n, sizeof *scratch), *side = (vec3 *)w->side;
    double norm = 0;
    memset(w->side, 0, w->n * sizeof *w->side);
    lattice_energy_interface.add_gradient(&lattice_energy_of(s->b)->base, w->nodes, 1, side);
    membrane_interface.add_gradient(&shell->membrane->base, w->skin, 1, side + w->q / 3);
    hinges_interface.add_gradient(&shell->hinges->base, w->skin, 1, side + w->q / 3);
    ruga_map_apply_transpose_add(rows, w->multipliers, scratch);
    for (size_t i = 0; i < n; i++) {
        side[w->q / 3 + i] = vec3_add(side[w->q / 3 + i], scratch[i]);
        scratch[i] = vec3_scale(scratch[i], -1);
    }
    ruga_map_apply_transpose_add(b, scratch, side);
    ruga_map_apply(b, w->nodes, scratch);
    for (size_t i = 0; i < n; i++) scratch[i] = vec3_sub(w->skin[i], scratch[i]);
    ruga_map_apply(rows, scratch, side + (w->q + w->x) / 3);
    for (size_t i = 0; i < w->n; i++) norm += w->side[i] * w->side[i];
    free(scratch);
    return sqrt(norm);
}

static void fill_matrix(const pair *s, whole *w) {
    ruga_embedded_shell *shell = shell_part_shell(s->p);
    ruga_map *hb = NULL;
    const ruga_map *const maps[2] = {shell->rows, NULL};
    memset(w->matrix, 0, w->n * w->n * sizeof *w->matrix);
    fill_columns(w, &lattice_energy_of(s->b)->base, w->nodes, 0, w->q / 3);
    fill_columns(w, &shell->membrane->base, w->skin, w->q, w->x / 3);
    fill_columns(w, &shell->hinges->base, w->skin, w->q, w->x / 3);
    for (size_t i = 0; i < w->q; i++) w->matrix[i * w->n + i] += 1e-6 * young; /* motions as a whole are free */
    assert_ok(shell->context, ruga_map_compose(shell->rows, body_vertex_map(s->b), &hb));
    for (int k = 0; k < 2; k++) {
        const ruga_map *map = k ? hb : maps[0];
        for (size_t r = 0; r < map->rows; r++)
            for (size_t e = map->offsets[r]; e < map->offsets[r + 1]; e++)
                for (size_t c = 0; c < 3; c++) {
                    size_t row = w->q + w->x + 3 * r + c, column = (k ? 0 : w->q) + 3 * (size_t)map->indices[e] + c;
                    w->matrix[row * w->n + column] = w->matrix[column * w->n + row] = (k ? -1 : 1) * map->weights[e];
                }
    }
    ruga_map_destroy(hb);
}

/* Gauss's elimination with pivots: side becomes the solution. */
static void eliminate(whole *w) {
    for (size_t k = 0; k < w->n; k++) {
        size_t best = k;
        for (size_t r = k + 1; r < w->n; r++)
            if (fabs(w->matrix[r * w->n + k]) > fabs(w->matrix[best * w->n + k])) best = r;
        double *a = w->matrix + k * w->n, *p = w->matrix + best * w->n, held = w->side[k];
        for (size_t c = k; c < w->n && best != k; c++) {
            double other = a[c];
            a[c] = p[c];
            p[c] = other;
        }
        w->side[k] = w->side[best];
        if (best != k) w->side[best] = held;
        for (size_t r = k + 1; r < w->n; r++) {
            double *row = w->matrix + r * w->n, factor = row[k] / a[k];
            if (factor == 0) continue;
            for (size_t c = k; c < w->n; c++) row[c] -= factor * a[c];
            w->side[r] -= factor * w->side[k];
        }
    }
    for (size_t k = w->n; k-- > 0;) {
        for (size_t c = k + 1; c < w->n; c++) w->side[k] -= w->matrix[k * w->n + c] * w->side[c];
        w->side[k] /= w->matrix[k * w->n + k];
    }
}

static double whole_energy(const pair *s, const whole *w) {
    const ruga_embedded_shell *shell = shell_part_shell(s->p);
    return lattice_energy_interface.value(&lattice_energy_of(s->b)->base, w->nodes) + shell_energy(shell, w->skin);
}

/* Newton's method on all unknowns, from positions that are disturbed by 1 % of the thickness. */
static double solve_whole(const pair *s) {
    const ruga_embedded_shell *shell = shell_part_shell(s->p);
    whole w = {
        3 * s->b->point_count, 3 * s->mesh->vertex_count, 3 * shell->rows->rows, 0, NULL, NULL, NULL, NULL, NULL};
    w.n = w.q + w.x + w.m;
    w.matrix = calloc(w.n * w.n, sizeof *w.matrix);
    w.side = calloc(w.n, sizeof *w.side);
    w.nodes = calloc(w.n / 3, sizeof *w.nodes);
    w.skin = w.nodes + w.q / 3;
    w.multipliers = w.skin + w.x / 3;
    test_random random = {9};
    for (size_t i = 0; i < w.q / 3; i++) w.nodes[i] = vec3_add(s->b->positions[i], random_vec3(&random, -4e-5, 4e-5));
    for (size_t i = 0; i < w.x / 3; i++) w.skin[i] = vec3_add(shell->x[i], random_vec3(&random, -4e-5, 4e-5));
    double norm = fill_side(s, &w), first = norm;
    for (int k = 0; k < 30 && norm > 1e-10 * first; k++) {
        fill_matrix(s, &w);
        eliminate(&w);
        for (size_t i = 0; i < w.n; i++) (&w.nodes->x)[i] -= w.side[i];
        norm = fill_side(s, &w);
    }
    assert_less(norm, 1e-6 * first);
    const double energy = whole_energy(s, &w);
    free(w.matrix);
    free(w.side);
    free(w.nodes);
    return energy;
}

/* Steps that settle end at the minimum over body and skin together; so do those without inertia, at any density. */
static void the_pair_settles_at_the_least_energy_of_both(void **state) {
    skip_unless_long();
    const ruga_shell_def def = skin_def();
    for (int kind = 0; kind < 2; kind++) {
        lattice_def lattice = bar_def(1500);
        lattice.values.integrator = kind ? 2 : 0;
        lattice.values.density = kind ? 1 : 100;
        pair *s = make_pair(*state, 8, 3, &lattice, &def);
        step(s, 0.5, kind ? 90 : 70);
        /* Gained from the energy of the muscle at rest. */
        const double settled = elastic_energy(s), gained = 1500 * size_x * 0.04 - settled, least = solve_whole(s);
        assert_less_case(0.37, gained, "integrator %d", kind);
        assert_less(2e-4, shell_part_report(s->p).amplitude);
        assert_less_case(least, settled, "integrator %d", kind);
        assert_less_case(settled - least, 1e-3 * gained, "integrator %d", kind);
        release_pair(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_derivative_of_the_least_energy),
        cmocka_unit_test(blocks_are_the_diagonal_of_the_product),
        cmocka_unit_test(momenta_are_conserved),
        cmocka_unit_test(iterations_fall_freely),
        cmocka_unit_test(iterations_converge_to_backward_euler),
        cmocka_unit_test(the_energy_never_rises),
        cmocka_unit_test(the_pair_settles_at_the_least_energy_of_both),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
