/* The laws of tetrahedra: rest, rigid motions, small strains, derivatives, projection, inversion, finite volumes,
 * fibres. Each holds for all three materials. */
#include "energy/tet_energy.h"

#include <math.h>

#include "base/rolling_hash.h"
#include "mesh/mesh.h"
#include "support/support.h"

enum { LAWS = 3 };
static const energy_interface *const laws = &tet_energy_interface;
static const double young = 1000, poisson = 0.3;

typedef struct stage {
    ruga_mesh *mesh;
    tet_energy *energy;
    size_t count;
    vec3 *x, *out, *other;
} stage;

static ruga_mesh *mesh_of(ruga_context *context, size_t count, const ruga_vec3 *positions, size_t tet_count,
                          const uint32_t *tets) {
    ruga_mesh *out = NULL;
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, count, 0, RUGA_F64};
    def.tet_count = tet_count;
    def.tets = tets;
    assert_ok(context, ruga_mesh_create(context, &def, &out));
    return out;
}

/* A bar of 3 x 2 x 2 cells whose points are moved a little, so that no two tets are alike. */
static ruga_mesh *make_bar(ruga_context *context) {
    const double values[6] = {0.6, 0.4, 0.4, 3, 2, 1};
    ruga_mesh *bar = NULL;
    assert_ok(context, ruga_model_make(context, "bar", values, &bar));
    ruga_vec3 *positions = calloc(bar->vertex_count, sizeof *positions);
    test_random random = {8};
    assert_non_null(positions);
    for (size_t i = 0; i < bar->vertex_count; i++)
        positions[i] = vec3_add(bar->positions[i], random_vec3(&random, -0.02, 0.02));
    ruga_mesh *out = mesh_of(context, bar->vertex_count, positions, bar->tet_count, bar->tets);
    free(positions);
    ruga_mesh_destroy(bar);
    return out;
}

static ruga_mesh *make_tet(ruga_context *context) {
    const ruga_vec3 positions[4] = {{0, 0, 0}, {1, 0.1, 0}, {0.2, 1.1, 0.1}, {0.1, 0.3, 0.9}};
    const uint32_t tet[4] = {0, 1, 2, 3};
    return mesh_of(context, 4, positions, 1, tet);
}

/* Takes over the mesh. */
static stage make_stage(ruga_mesh *mesh, elastic_law law, double damping_time) {
    stage s = {.mesh = mesh, .count = mesh->vertex_count};
    const tet_material material = {law, young, poisson, damping_time};
    assert_ok(mesh->context, tet_energy_create(mesh, &material, NULL, &s.energy));
    s.x = calloc(s.count, sizeof *s.x);
    s.out = calloc(s.count, sizeof *s.out);
    s.other = calloc(s.count, sizeof *s.other);
    assert_true(s.x && s.out && s.other);
    memcpy(s.x, mesh->positions, s.count * sizeof *s.x);
    return s;
}

static void release(stage *s) {
    tet_energy_destroy(s->energy);
    ruga_mesh_destroy(s->mesh);
    free(s->x);
    free(s->out);
    free(s->other);
}

static void clear(vec3 *out, size_t count) { memset(out, 0, count * sizeof *out); }

static void disturb(stage *s, double size, uint64_t seed) {
    test_random random = {seed};
    for (size_t i = 0; i < s->count; i++) s->x[i] = vec3_add(s->mesh->positions[i], random_vec3(&random, -size, size));
}

static double dot_all(const vec3 *a, const vec3 *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += vec3_dot(a[i], b[i]);
    return sum;
}

static vec3 *random_direction(size_t count, uint64_t seed) {
    test_random random = {seed};
    vec3 *d = calloc(count, sizeof *d);
    assert_non_null(d);
    for (size_t i = 0; i < count; i++) d[i] = random_vec3(&random, -1, 1);
    return d;
}

/* Fibres in two thirds of the tets, of two muscles; some tets have both. */
static void add_fibres(stage *s) {
    muscle_fibre *fibres = calloc(2 * s->mesh->tet_count, sizeof *fibres);
    size_t count = 0;
    assert_non_null(fibres);
    for (size_t t = 0; t < s->mesh->tet_count; t++) {
        if (t % 3 == 0) fibres[count++] = (muscle_fibre){t, 0, vec3_normalise((vec3){1, 2, 0.5}), 300};
        if (t % 2 == 0) fibres[count++] = (muscle_fibre){t, 1, {0, 0, 1}, 200};
    }
    assert_ok(s->mesh->context, tet_energy_set_fibres(s->energy, count, fibres, 2));
    tet_energy_activate(s->energy, 0, 0.7);
    tet_energy_activate(s->energy, 1, 1.3);
    free(fibres);
}

/* ---- Rest, rigid motions, small strains. */

static vec3 rotated(vec3 p) {
    double c = cos(0.7), s = sin(0.7), a = cos(1.9), b = sin(1.9);
    p = (vec3){c * p.x - s * p.y, s * p.x + c * p.y, p.z};
    return (vec3){p.x, a * p.y - b * p.z, b * p.y + a * p.z};
}
static vec3 turned(vec3 p) { return vec3_add(rotated(p), (vec3){3, -1, 0.5}); }

static void rest_stores_nothing_and_rigid_motions_change_nothing(void **state) {
    for (int law = 0; law < LAWS; law++) {
        stage s = make_stage(make_bar(*state), (elastic_law)law, 0);
        assert_near(laws->value(&s.energy->base, s.x), 0, 1e-12);
        for (size_t i = 0; i < s.count; i++) s.x[i] = turned(s.x[i]);
        laws->add_gradient(&s.energy->base, s.x, 1, s.out);
        for (size_t i = 0; i < s.count; i++) assert_less_case(vec3_length(s.out[i]), 1e-10, "law %d", law);
        disturb(&s, 0.05, 4);
        clear(s.out, s.count);
        double energy = laws->add_gradient(&s.energy->base, s.x, 1, s.out);
        assert_less(1, energy);
        for (size_t i = 0; i < s.count; i++) s.x[i] = turned(s.x[i]);
        double moved = laws->add_gradient(&s.energy->base, s.x, 1, s.other);
        assert_near(moved / energy, 1, 1e-12);
        for (size_t i = 0; i < s.count; i++)
            assert_less_case(vec3_distance(s.other[i], rotated(s.out[i])), 1e-9, "law %d", law);
        release(&s);
    }
}

/* A bar that is pulled freely has the stress E ε and becomes thinner by ν ε, whatever the Poisson ratio. */
static void small_strains_have_youngs_modulus_and_the_poisson_ratio(void **state) {
    (void)state;
    const double ratios[3] = {0, 0.3, -0.4}, strain = 1e-6;
    for (int law = 0; law < LAWS; law++)
        for (int k = 0; k < 3; k++) {
            const elastic e = elastic_make((elastic_law)law, young, ratios[k]);
            const double across = 1 - ratios[k] * strain, s[3] = {1 + strain, across, across};
            double stress[3];
            elastic_stress(&e, s, stress);
            assert_near_case(stress[0] / (young * strain), 1, 1e-5, "law %d", law);
            assert_near_case(stress[1] / (young * strain), 0, 1e-5, "law %d", law);
        }
}

/* ---- Derivatives. */

/* Singular values from far above rest to far inverted. */
static void random_values(test_random *random, double s[3]) {
    for (int k = 0; k < 3; k++) s[k] = random_between(random, k < 2 ? 0.05 : -1.5, 1.8);
    if (s[1] + s[2] < 0.05) s[2] = 0.05 - s[1];
    if (s[0] + s[2] < 0.05) s[2] = 0.05 - s[0];
}

static void stresses_and_tangents_are_derivatives_of_the_density(void **state) {
    (void)state;
    test_random random = {12};
    const double h = 1e-6;
    size_t inverted = 0, flat = 0;
    for (int round = 0; round < 600; round++) {
        const elastic e = elastic_make((elastic_law)(round % LAWS), young, round % 2 ? 0.45 : poisson);
        double s[3], stress[3];
        elastic_tangent tangent;
        random_values(&random, s);
        inverted += s[2] < 0;
        flat += e.law == ELASTIC_INVERTIBLE && (s[0] < ELASTIC_THRESHOLD || s[1] < ELASTIC_THRESHOLD);
        elastic_stress(&e, s, stress);
        elastic_tangent_at(&e, s, 0, &tangent);
        for (int k = 0; k < 3; k++) {
            double density[2], moved[2][3];
            for (int side = 0; side < 2; side++) {
                double at[3] = {s[0], s[1], s[2]};
                at[k] += side ? h : -h;
                density[side] = elastic_density(&e, at);
                elastic_stress(&e, at, moved[side]);
            }
            assert_near_case((density[1] - density[0]) / (2 * h), stress[k], 1e-3, "round %d", round);
            for (int j = 0; j < 3; j++)
                if (fabs(s[k] - ELASTIC_THRESHOLD) > 2 * h)
                    assert_near_case((moved[1][j] - moved[0][j]) / (2 * h), tangent.stretch[j][k], 0.1, "round %d",
                                     round);
        }
    }
    assert_ran(inverted, 100);
    assert_ran(flat, 10);
}

static void gradients_and_products_are_derivatives(void **state) {
    size_t inverted = 0;
    for (int which = 0; which < 4 * LAWS; which++) {
        stage s = make_stage(make_bar(*state), (elastic_law)(which % LAWS), 0);
        energy_term *term = &s.energy->base;
        vec3 *d = random_direction(s.count, 9), *moved = calloc(s.count, sizeof *moved);
        const double h = 1e-7;
        double values[2];
        assert_non_null(moved);
        disturb(&s, which < 2 * LAWS ? 0.04 : 0.1, 7);
        if (which / LAWS % 2) add_fibres(&s);
        inverted += tet_energy_inverted(s.energy, s.x);
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < s.count; i++) moved[i] = vec3_add_scaled(s.x[i], d[i], side ? h : -h);
            values[side] = laws->value(term, moved);
            laws->add_gradient(term, moved, (side ? 1 : -1) / (2 * h), s.out);
        }
        laws->add_gradient(term, s.x, 1, s.other);
        double slope = dot_all(s.other, d, s.count);
        assert_near_case((values[1] - values[0]) / (2 * h) / slope, 1, 1e-5, "case %d", which);
        assert_ok(*state, laws->linearise(term, s.x, (energy_weights){1, 0}, 0));
        clear(s.other, s.count);
        laws->add_product(term, 1, d, s.other);
        double size = sqrt(dot_all(s.other, s.other, s.count)), error = 0;
        for (size_t i = 0; i < s.count; i++) error += vec3_length2(vec3_sub(s.other[i], s.out[i]));
        assert_less_case(sqrt(error) / size, 1e-5, "case %d", which);
        free(moved);
        free(d);
        release(&s);
    }
    assert_ran(inverted, 6);
}

/* Where all elements turn alike, their turns are a move of points: W of them is W times that move. */
static void turned_elements_of_a_rigid_motion_are_a_move(void **state) {
    for (int law = 0; law < LAWS; law++) {
        stage s = make_stage(make_bar(*state), (elastic_law)law, 0);
        vec3 *to = calloc(s.count, sizeof *to), *move = calloc(s.count, sizeof *move);
        double size = 0, worst = 0;
        assert_true(to && move);
        add_fibres(&s);
        disturb(&s, 0.03, 17);
        for (size_t i = 0; i < s.count; i++) {
            to[i] = turned(s.x[i]);
            move[i] = vec3_sub(to[i], s.x[i]);
        }
        assert_ok(*state, laws->linearise(&s.energy->base, s.x, (energy_weights){1, 0}, 1));
        clear(s.out, s.count);
        clear(s.other, s.count);
        laws->add_turned(&s.energy->base, s.x, to, s.out);
        laws->add_product(&s.energy->base, 1, move, s.other);
        for (size_t i = 0; i < s.count; i++) {
            size = fmax(size, vec3_length(s.other[i]));
            worst = fmax(worst, vec3_distance(s.out[i], s.other[i]));
        }
        assert_less(1, size);
        assert_less_case(worst, 1e-9 * size, "law %d", law);

        /* Where none turns there is nothing, even where all are stretched. */
        for (size_t i = 0; i < s.count; i++) s.x[i] = s.mesh->positions[i];
        for (size_t i = 0; i < s.count; i++) to[i] = (vec3){1.3 * s.x[i].x, s.x[i].y, s.x[i].z};
        assert_ok(*state, laws->linearise(&s.energy->base, s.x, (energy_weights){1, 0}, 1));
        clear(s.out, s.count);
        laws->add_turned(&s.energy->base, s.x, to, s.out);
        for (size_t i = 0; i < s.count; i++) assert_less_case(vec3_length(s.out[i]), 1e-9 * size, "law %d", law);
        free(to);
        free(move);
        release(&s);
    }
}

/* dᵀWd of the projection is nowhere negative and nowhere below that of the Hessian, at states of any inversion. A few
 * steps downhill find directions of negative curvature. */
static void the_projection_is_definite_and_never_below_the_hessian(void **state) {
    size_t indefinite = 0;
    for (int which = 0; which < 2 * LAWS; which++) {
        stage s = make_stage(make_bar(*state), (elastic_law)(which % LAWS), 0.01);
        energy_term *term = &s.energy->base;
        if (which >= LAWS) add_fibres(&s);
        disturb(&s, 0.2, 17);
        for (int round = 0; round < FEWER(40); round++) {
            vec3 *d = random_direction(s.count, 100 + (uint64_t)round);
            double products[2];
            for (int definite = 0; definite < 2; definite++) {
                assert_ok(*state, laws->linearise(term, s.x, (energy_weights){1, 0.5}, definite));
                for (int k = 0; k < (definite ? 1 : 20); k++) {
                    clear(s.out, s.count);
                    laws->add_product(term, 1, d, s.out);
                    double size = sqrt(dot_all(s.out, s.out, s.count)), length = sqrt(dot_all(d, d, s.count));
                    for (size_t i = 0; i < s.count && !definite && k < 19; i++)
                        d[i] = vec3_sub(vec3_scale(d[i], 1 / length), vec3_scale(s.out[i], 0.5 / size));
                }
                products[definite] = dot_all(d, s.out, s.count);
            }
            indefinite += products[0] < 0;
            assert_at_most_case(-1e-9, products[1], "case %d", which);
            assert_at_most_case(products[0], products[1] * (1 + 1e-12) + 1e-9, "case %d", which);
            free(d);
        }
        release(&s);
    }
    assert_ran(indefinite, FEWER(40));
}

/* Blocks and the matrix are those of the products, with damping and fibres, at any state. */
static void blocks_and_matrix_agree_with_products(void **state) {
    for (int which = 0; which < 4 * LAWS; which++) {
        stage s = make_stage(make_bar(*state), (elastic_law)(which % LAWS), 0.02);
        energy_term *term = &s.energy->base;
        block_pattern *pattern = NULL;
        block_matrix *matrix = NULL;
        mat3 *blocks = calloc(s.count, sizeof *blocks);
        vec3 *d = random_direction(s.count, 5);
        assert_non_null(blocks);
        disturb(&s, 0.08, 23);
        if (which / LAWS % 2) add_fibres(&s);
        assert_ok(*state, block_pattern_create(*state, s.count, &pattern));
        assert_ok(*state, laws->add_pattern(term, pattern));
        assert_ok(*state, block_matrix_create(pattern, &matrix));
        assert_ok(*state, laws->linearise(term, s.x, (energy_weights){0.3, 2}, which >= 2 * LAWS));
        laws->add_matrix(term, 1.5, matrix);
        laws->add_blocks(term, 1.5, blocks);
        laws->add_product(term, 1.5, d, s.out);
        block_matrix_multiply(matrix, d, s.other);
        double size = sqrt(dot_all(s.out, s.out, s.count));
        for (size_t i = 0; i < s.count; i++) {
            assert_less_case(vec3_distance(s.out[i], s.other[i]), 1e-12 * size, "case %d", which);
            const double *block = matrix->blocks + BLOCK_NUMBERS * (size_t)matrix->diagonals[i];
            for (int k = 0; k < 9; k++)
                assert_near_case(blocks[i].at[k % 3][k / 3], block[k], 1e-12 * size, "case %d", which);
        }
        block_matrix_destroy(matrix);
        block_pattern_destroy(pattern);
        free(d);
        free(blocks);
        release(&s);
    }
}

/* ---- Momentum, inversion, finite volumes, fibres. */

static void forces_conserve_momentum_and_angular_momentum(void **state) {
    for (int law = 0; law < LAWS; law++) {
        stage s = make_stage(make_bar(*state), (elastic_law)law, 0);
        vec3 sum = {0, 0, 0}, torque = {0, 0, 0};
        double size = 0;
        disturb(&s, 0.1, 31);
        add_fibres(&s);
        laws->add_gradient(&s.energy->base, s.x, 1, s.out);
        for (size_t i = 0; i < s.count; i++) {
            sum = vec3_add(sum, s.out[i]);
            torque = vec3_add(torque, vec3_cross(s.x[i], s.out[i]));
            size += vec3_length(s.out[i]);
        }
        assert_less_case(vec3_length(sum), 1e-13 * size, "law %d", law);
        assert_less_case(vec3_length(torque), 1e-12 * size, "law %d", law);
        release(&s);
    }
}

/* Rolls downhill; returns the energy that is left. */
static double descend(stage *s, int steps, double rate) {
    for (int step = 0; step < steps; step++) {
        clear(s->out, s->count);
        laws->add_gradient(&s->energy->base, s->x, 1, s->out);
        for (size_t i = 0; i < s->count; i++) s->x[i] = vec3_add_scaled(s->x[i], s->out[i], -rate);
    }
    return laws->value(&s->energy->base, s->x);
}

typedef enum damage { MIRRORED, FLATTENED, INSIDE_OUT, POINT } damage;

static vec3 damaged(damage what, vec3 p) {
    switch (what) {
        case MIRRORED: return (vec3){p.x, -0.7 * p.y, p.z};
        case FLATTENED: return (vec3){p.x, 0, p.z};
        case INSIDE_OUT: return vec3_scale(p, -0.6);
        default: return (vec3){0.3, 0.2, 0.1};
    }
}

/* A single tet, and a bar, that are mirrored, pressed to a plane or shrunk to a point return to rest, and a tet that is
 * turned inside out; in a bar the tets would choose different directions to turn back and hold each other. Neo-Hookean
 * ones return from the first two only: a point is a second minimum. */
static void damaged_tets_return_to_rest(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    for (int which = 0; which < 2 * LAWS * 4; which++) {
        int law = which / 2 % LAWS, is_bar = which % 2;
        damage what = (damage)(which / 2 / LAWS);
        if (is_bar && what == INSIDE_OUT) continue;
        stage s = make_stage(is_bar ? make_bar(*state) : make_tet(*state), (elastic_law)law, 0);
        double volume = 0;
        for (size_t i = 0; i < s.count; i++) s.x[i] = damaged(what, s.x[i]);
        for (size_t t = 0; t < s.mesh->tet_count; t++) volume += mesh_tet_volume(s.mesh, t);
        if (what == MIRRORED || what == INSIDE_OUT) assert_equal(tet_energy_inverted(s.energy, s.x), s.mesh->tet_count);
        double left = descend(&s, is_bar ? 6000 : 4000, 2e-4);
        if (law == ELASTIC_NEO_HOOKEAN && what >= INSIDE_OUT) {
            for (size_t i = 0; i < s.count; i++)
                assert_less_case(vec3_distance(s.x[i], s.x[0]), 1e-6, "case %d", which);
        } else {
            assert_less_case(left, 1e-6 * young * volume, "case %d", which);
            assert_equal_case(tet_energy_inverted(s.energy, s.x), 0, "case %d", which);
        }
        release(&s);
    }
}

/* The reference, written as the papers have it: forces by area-weighted normals at rest, a third of each side at a
 * corner (Teran et al. 2003), of the stress at the clamped singular values (Irving et al. 2004). Returns the number of
 * values below the threshold. */
static int finite_volume_forces(const stage *s, size_t tet, vec3 out[4]) {
    const uint32_t *p = s->mesh->tets + 4 * tet;
    const mat3 f = tet_energy_deformation(s->energy, tet, s->x);
    const svd3 d = svd3_of(&f);
    const double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    double c[3];
    mat3 stress = {{{0}}};
    int below = 0;
    for (int k = 0; k < 3; k++) {
        c[k] = fmax(d.values[k], ELASTIC_THRESHOLD);
        below += d.values[k] < ELASTIC_THRESHOLD;
    }
    for (int k = 0; k < 3; k++)
        mat3_add_outer(&stress, mu * (c[k] - 1 / c[k]) + lambda * log(c[0] * c[1] * c[2]) / c[k], d.u[k], d.v[k]);
    for (int k = 0; k < 4; k++) out[k] = (vec3){0, 0, 0};
    for (int side = 0; side < 4; side++) {
        const uint8_t *corners = tet_sides[side];
        vec3 a = s->mesh->positions[p[corners[0]]], b = s->mesh->positions[p[corners[1]]],
             e = s->mesh->positions[p[corners[2]]];
        vec3 normal = vec3_scale(vec3_cross(vec3_sub(b, a), vec3_sub(e, a)), 0.5); /* outwards, times the area */
        for (int k = 0; k < 3; k++)
            out[corners[k]] = vec3_add_scaled(out[corners[k]], mat3_apply(&stress, normal), -1.0 / 3);
    }
    return below;
}

static void forces_above_the_threshold_are_those_of_invertible_finite_volumes(void **state) {
    size_t above = 0;
    for (uint64_t round = 0; round < 100; round++) {
        stage s = make_stage(make_tet(*state), ELASTIC_INVERTIBLE, 0);
        vec3 forces[4];
        disturb(&s, 0.3, 50 + round);
        int below = finite_volume_forces(&s, 0, forces);
        laws->add_gradient(&s.energy->base, s.x, -1, s.out);
        for (int k = 0; k < 4 && below == 0; k++) assert_less(vec3_distance(s.out[k], forces[k]), 1e-9);
        above += below == 0;
        release(&s);
    }
    assert_ran(above, 50);
}

/* Below it, a value that is pressed has the reference's stress and the spring's; stresses of the other two differ by
 * what makes them a gradient. */
static void below_the_threshold_the_stress_continues_that_of_the_reference(void **state) {
    (void)state;
    const elastic e = elastic_make(ELASTIC_INVERTIBLE, young, poisson);
    const double at[3] = {1.2, 0.9, ELASTIC_THRESHOLD}, beyond[3] = {1.2, 0.9, -0.5};
    const double depth = beyond[2] - ELASTIC_THRESHOLD;
    double a[3], b[3];
    elastic_stress(&e, at, a);
    elastic_stress(&e, beyond, b);
    assert_near(b[2], a[2] + (2 * e.shear + e.bulk) * depth, 1e-9);
    for (int k = 0; k < 2; k++) assert_near(b[k], a[k] + e.bulk / (at[k] * ELASTIC_THRESHOLD) * depth, 1e-9);
}

/* With ν = 0 and fibres of stress T along x everywhere, a free bar at the stretch 1 - a T / E along x has no forces. */
static void an_active_muscle_shortens_its_bar(void **state) {
    const tet_material material = {ELASTIC_COROTATED, young, 0, 0};
    const double tension = 200, activation = 0.75;
    stage s = make_stage(make_bar(*state), ELASTIC_COROTATED, 0);
    muscle_fibre *fibres = calloc(s.mesh->tet_count, sizeof *fibres);
    assert_non_null(fibres);
    tet_energy_destroy(s.energy);
    assert_ok(*state, tet_energy_create(s.mesh, &material, NULL, &s.energy));
    for (size_t t = 0; t < s.mesh->tet_count; t++) fibres[t] = (muscle_fibre){t, 0, {1, 0, 0}, tension};
    assert_ok(*state, tet_energy_set_fibres(s.energy, s.mesh->tet_count, fibres, 1));
    uint64_t before = s.energy->base.revision;
    tet_energy_activate(s.energy, 0, activation);
    assert_less(before, s.energy->base.revision);
    for (size_t i = 0; i < s.count; i++) s.x[i].x *= 1 - activation * tension / young;
    laws->add_gradient(&s.energy->base, s.x, 1, s.out);
    for (size_t i = 0; i < s.count; i++) assert_less(vec3_length(s.out[i]), 1e-12 * young);
    tet_energy_activate(s.energy, 0, 0);
    clear(s.out, s.count);
    laws->add_gradient(&s.energy->base, s.x, 1, s.out);
    assert_less(1, sqrt(dot_all(s.out, s.out, s.count)));
    free(fibres);
    release(&s);
}

/* Two copies of a tet with shares w and 1 - w are the whole tet. */
static void shares_divide_a_tet(void **state) {
    stage s = make_stage(make_tet(*state), ELASTIC_NEO_HOOKEAN, 0);
    const double shares[2] = {0.3, 0.7};
    double sum = 0;
    disturb(&s, 0.2, 6);
    for (int k = 0; k < 2; k++) {
        tet_energy *part = NULL;
        assert_ok(*state, tet_energy_create(s.mesh, &s.energy->material, &shares[k], &part));
        sum += laws->add_gradient(&part->base, s.x, 1, s.out);
        tet_energy_destroy(part);
    }
    double whole = laws->add_gradient(&s.energy->base, s.x, 1, s.other);
    assert_near(sum / whole, 1, 1e-12);
    for (int k = 0; k < 4; k++) assert_less(vec3_distance(s.out[k], s.other[k]), 1e-12 * young);
    release(&s);
}

/* ---- Threads, memory, input. */

static void results_do_not_depend_on_threads(void **state) {
    (void)state;
    const double values[6] = {1, 0.4, 0.4, 12, 6, 1};
    vec3 *first = NULL;
    double energy = 0;
    for (int threads = 1; threads <= 3; threads++) {
        ruga_context *context = context_plain(threads);
        ruga_mesh *bar = NULL;
        assert_ok(context, ruga_model_make(context, "bar", values, &bar));
        stage s = make_stage(bar, ELASTIC_NEO_HOOKEAN, 0.1);
        disturb(&s, 0.05, 2);
        add_fibres(&s);
        double here = laws->add_gradient(&s.energy->base, s.x, 1, s.out);
        assert_ok(context, laws->linearise(&s.energy->base, s.x, (energy_weights){1, 1}, 1));
        laws->add_product(&s.energy->base, 1, s.x, s.out);
        if (threads == 1) {
            first = calloc(s.count, sizeof *first);
            assert_non_null(first);
            memcpy(first, s.out, s.count * sizeof *first);
            energy = here;
        }
        assert_memory_equal(&energy, &here, sizeof here);
        assert_memory_equal(first, s.out, s.count * sizeof *first);
        release(&s);
        ruga_context_destroy(context);
    }
    free(first);
}

/* Of neo-Hookean tets: F alone gives what its singular values do, mirrored and flattened ones included. */
static void the_gradient_by_cofactors_is_that_by_singular_values(void **state) {
    stage s = make_stage(make_bar(*state), ELASTIC_NEO_HOOKEAN, 0);
    const elastic law = elastic_make(ELASTIC_NEO_HOOKEAN, young, poisson);
    disturb(&s, 0.3, 77);
    double sum = 0, size = 0, energy = laws->add_gradient(&s.energy->base, s.x, 1, s.out);
    size_t inverted = tet_energy_inverted(s.energy, s.x);
    for (size_t t = 0; t < s.mesh->tet_count; t++) {
        const tet_rest *rest = &s.energy->rest[t];
        const uint32_t *corners = s.mesh->tets + 4 * t;
        mat3 f = tet_energy_deformation(s.energy, t, s.x), p = {{{0}}};
        svd3 d = svd3_of(&f);
        double stress[3];
        sum += rest->volume * elastic_density(&law, d.values);
        elastic_stress(&law, d.values, stress);
        for (int k = 0; k < 3; k++) mat3_add_outer(&p, stress[k] * rest->volume, d.u[k], d.v[k]);
        for (int k = 0; k < 3; k++) {
            vec3 v = mat3_apply(&p, rest->gradients[k]);
            s.other[corners[k + 1]] = vec3_add(s.other[corners[k + 1]], v);
            s.other[corners[0]] = vec3_sub(s.other[corners[0]], v);
        }
    }
    size = sqrt(dot_all(s.other, s.other, s.count));
    assert_less(5, inverted);
    assert_near(energy, sum, 1e-12 * fabs(sum));
    for (size_t i = 0; i < s.count; i++) assert_less(vec3_distance(s.out[i], s.other[i]), 1e-12 * size);
    release(&s);
}

static int has_isa(ruga_isa isa) {
    ruga_context_def def = ruga_context_def_default();
    ruga_context *probe;
    def.isa = isa;
    if (RUGA_FAILED(ruga_context_create(&def, &probe))) return 0;
    ruga_context_destroy(probe);
    return 1;
}

static block_matrix *matrix_of(ruga_context *context, stage *s) {
    const energy_term *term = &s->energy->base;
    block_pattern *pattern = NULL;
    block_matrix *matrix = NULL;
    assert_ok(context, block_pattern_create(context, s->count, &pattern));
    assert_ok(context, laws->add_pattern(term, pattern));
    assert_ok(context, block_matrix_create(pattern, &matrix));
    block_pattern_destroy(pattern);
    assert_ok(context, laws->linearise(&s->energy->base, s->x, (energy_weights){1, 0}, 1));
    laws->add_matrix(term, 1, matrix);
    return matrix;
}

static void every_instruction_set_gives_the_same_bits(void **state) {
    (void)state;
    static const ruga_isa sets[] = {RUGA_ISA_SCALAR, RUGA_ISA_SSE4, RUGA_ISA_AVX2, RUGA_ISA_AVX512};
    for (int which = 0; which < LAWS; which++) {
        uint64_t first = 0, runs = 0;
        for (int k = 0; k < 4; k++) {
            if (!has_isa(sets[k])) continue;
            ruga_context *context = context_plain(1);
            context->isa = sets[k];
            stage s = make_stage(make_bar(context), (elastic_law)which, 0);
            disturb(&s, 0.1, 3);
            add_fibres(&s);
            double energy = laws->add_gradient(&s.energy->base, s.x, 1, s.out);
            block_matrix *m = matrix_of(context, &s);
            rolling_hash hash = {0};
            rolling_hash_add(&hash, &energy, sizeof energy);
            rolling_hash_add(&hash, s.out, s.count * sizeof *s.out);
            rolling_hash_add(&hash, m->blocks, BLOCK_NUMBERS * m->offsets[s.count] * sizeof *m->blocks);
            if (runs++ == 0) first = rolling_hash_value(&hash);
            assert_true(rolling_hash_value(&hash) == first);
            block_matrix_destroy(m);
            release(&s);
            ruga_context_destroy(context);
        }
        assert_less(0, runs);
    }
}

static void bad_input_is_named(void **state) {
    static const struct {
        tet_material material;
        double share;
        const char *part;
    } bad[] = {{{ELASTIC_COROTATED, 0, 0.3, 0}, 1, "Young's modulus"},
               {{ELASTIC_COROTATED, 1, 0.5, 0}, 1, "below 0.5"},
               {{ELASTIC_COROTATED, 1, 0.3, NAN}, 1, "damping time"},
               {{ELASTIC_COROTATED, 1, 0.3, 0}, 0, "tet 0 has a share of 0"}};
    stage s = make_stage(make_tet(*state), ELASTIC_COROTATED, 0);
    tet_energy *e = NULL;
    ruga_mesh *surface = NULL;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_status(tet_energy_create(s.mesh, &bad[k].material, &bad[k].share, &e), RUGA_ERROR_INPUT);
        assert_null(e);
        assert_message_has(*state, bad[k].part);
    }
    assert_status(tet_energy_set_factor(s.energy, 0), RUGA_ERROR_ARGUMENT);
    assert_ok(*state, ruga_model_make(*state, "sphere", NULL, &surface));
    assert_status(tet_energy_create(surface, &s.energy->material, NULL, &e), RUGA_ERROR_INPUT);
    assert_message_has(*state, "no tets");
    ruga_mesh_destroy(surface);
    /* The same tet with two corners swapped, and without a volume. */
    for (int flat = 0; flat < 2; flat++) {
        ruga_vec3 positions[4];
        const uint32_t tet[4] = {1, 0, 2, 3};
        memcpy(positions, s.mesh->positions, sizeof positions);
        if (flat) positions[3] = vec3_scale(vec3_add(positions[0], positions[1]), 0.5);
        ruga_mesh *mesh = mesh_of(*state, 4, positions, 1, tet);
        assert_status(tet_energy_create(mesh, &s.energy->material, NULL, &e), RUGA_ERROR_INPUT);
        assert_message_has(*state, "tet 0 (vertices 1, 0, 2, 3) has a volume of");
        ruga_mesh_destroy(mesh);
    }
    release(&s);
}

/* Stiffness, force and energy grow with the factor, and the revision rises with every change. */
static void the_factor_scales_everything(void **state) {
    stage s = make_stage(make_bar(*state), ELASTIC_COROTATED, 0);
    disturb(&s, 0.05, 3);
    double energy = laws->value(&s.energy->base, s.x);
    uint64_t before = s.energy->base.revision;
    assert_ok(*state, tet_energy_set_factor(s.energy, 2.5));
    assert_less(before, s.energy->base.revision);
    assert_near(laws->value(&s.energy->base, s.x) / energy, 2.5, 1e-12);
    release(&s);
}

static ruga_status make_and_use(ruga_context *context, void *user) {
    const double values[6] = {0.2, 0.1, 0.1, 1, 1, 1};
    const muscle_fibre one = {0, 0, {1, 0, 0}, 1};
    (void)user;
    ruga_mesh *mesh = NULL;
    tet_energy *e = NULL;
    block_pattern *pattern = NULL;
    TRY(ruga_model_make(context, "bar", values, &mesh));
    ruga_status status = tet_energy_create(mesh, &(tet_material){ELASTIC_COROTATED, young, poisson, 0.1}, NULL, &e);
    if (!RUGA_FAILED(status)) status = tet_energy_set_fibres(e, 1, &one, 1);
    if (!RUGA_FAILED(status)) status = laws->linearise(&e->base, mesh->positions, (energy_weights){1, 1}, 1);
    if (!RUGA_FAILED(status)) status = block_pattern_create(context, mesh->vertex_count, &pattern);
    if (!RUGA_FAILED(status)) status = laws->add_pattern(&e->base, pattern);
    block_pattern_destroy(pattern);
    tet_energy_destroy(e);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(10, assert_every_allocation_may_fail(make_and_use, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_stores_nothing_and_rigid_motions_change_nothing),
        cmocka_unit_test(small_strains_have_youngs_modulus_and_the_poisson_ratio),
        cmocka_unit_test(stresses_and_tangents_are_derivatives_of_the_density),
        cmocka_unit_test(gradients_and_products_are_derivatives),
        cmocka_unit_test(turned_elements_of_a_rigid_motion_are_a_move),
        cmocka_unit_test(the_projection_is_definite_and_never_below_the_hessian),
        cmocka_unit_test(blocks_and_matrix_agree_with_products),
        cmocka_unit_test(forces_conserve_momentum_and_angular_momentum),
        cmocka_unit_test(damaged_tets_return_to_rest),
        cmocka_unit_test(forces_above_the_threshold_are_those_of_invertible_finite_volumes),
        cmocka_unit_test(below_the_threshold_the_stress_continues_that_of_the_reference),
        cmocka_unit_test(an_active_muscle_shortens_its_bar),
        cmocka_unit_test(shares_divide_a_tet),
        cmocka_unit_test(the_factor_scales_everything),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(the_gradient_by_cofactors_is_that_by_singular_values),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
