/* Creases cut into solids: pieces, shares, the surface on top of them, the binding, and curves that can't be cut. */
#include "body/flesh.h"
#include "wrinkle/solid_support.h"

enum { ALONG = 10, ACROSS = 6 };
static const double cell = 0.1, half = 0.3;

/* ---- Laws of every cut. */

static void check_shares(const ruga_mesh *mesh, const crease *c) {
    double *sums = calloc(mesh->tet_count, sizeof *sums);
    for (size_t t = 0; t < c->nodes.simulated->tet_count; t++) {
        assert_less(0, c->solid.shares[t]);
        sums[c->solid.tet_parent[t]] += c->solid.shares[t];
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(c->nodes.vertex_of[c->nodes.simulated->tets[4 * t + k]],
                             mesh->tets[4 * (size_t)c->solid.tet_parent[t] + k]);
    }
    for (size_t t = 0; t < mesh->tet_count; t++) assert_near_case(sums[t], 1, 1e-12, "tet %zu", t);
    free(sums);
}

/* Every simulated triangle is the side of a simulated tet. */
static void check_surface(const crease *c) {
    const ruga_mesh *m = c->nodes.simulated;
    for (size_t i = 0; i < m->triangle_count; i++) {
        const uint32_t *v = m->triangles + 3 * i;
        size_t found = 0;
        for (size_t t = 0; t < m->tet_count; t++) {
            int corners = 0;
            for (int k = 0; k < 12; k++) corners += m->tets[4 * t + (size_t)(k / 3)] == v[k % 3];
            found += corners == 3;
        }
        assert_less(0, found);
    }
}

/* Two copies that have a side in common are of neighbouring tets, and two copies of one tet that have all corners in
 * common are none: so every point belongs to one connected part of the tets around it. */
static void check_parts(const ruga_mesh *mesh, const crease *c) {
    const ruga_mesh *m = c->nodes.simulated;
    uint32_t *sets = malloc(4 * m->tet_count * sizeof *sets), *first = malloc(m->vertex_count * sizeof *first);
    (void)mesh;
    for (uint32_t i = 0; i < 4 * m->tet_count; i++) sets[i] = i;
    for (uint32_t i = 0; i < m->vertex_count; i++) first[i] = UINT32_MAX;
    for (uint32_t a = 0; a < m->tet_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            uint32_t pairs[4][2];
            int count = 0;
            for (uint32_t i = 0; i < 16; i++)
                if (m->tets[4 * (size_t)a + i / 4] == m->tets[4 * (size_t)b + i % 4] && count < 4) {
                    pairs[count][0] = 4 * a + i / 4;
                    pairs[count++][1] = 4 * b + i % 4;
                }
            for (int k = 0; k < count && count >= 3; k++) sets_unite(sets, pairs[k][0], pairs[k][1]);
        }
    for (uint32_t i = 0; i < 4 * m->tet_count; i++) {
        uint32_t *at = &first[m->tets[i]];
        if (*at == UINT32_MAX) *at = set_lowest(sets, i);
        assert_int_equal(set_lowest(sets, i), *at);
    }
    free(sets);
    free(first);
}

/* At rest, and moved rigidly, points and visible vertices are where the mesh has them. */
static void check_binding(const ruga_mesh *mesh, const crease *c) {
    ruga_vec3 *y = solid_rest(c, mesh), *x = malloc(c->bound->rows * sizeof *x);
    ruga_vec3 *seen = malloc(c->nodes.visible->rows * sizeof *seen);
    ruga_map_apply(c->bound, y, x);
    ruga_map_apply(c->nodes.visible, x, seen);
    for (size_t i = 0; i < c->bound->rows; i++)
        assert_near(vec3_distance(x[i], mesh->positions[c->nodes.vertex_of[i]]), 0, 1e-13);
    for (size_t i = 0; i < c->nodes.visible->rows; i++)
        assert_near(vec3_distance(seen[i], c->cut.mesh->positions[i]), 0, 1e-12);
    assert_at_most(crease_gap(c, x), 1e-13);
    free(y);
    free(x);
    free(seen);
}

/* Whatever the unknowns, the gap is within its bound. */
static void check_gaps(const ruga_mesh *mesh, const crease *c) {
    ruga_vec3 *x = malloc(c->bound->rows * sizeof *x);
    test_random random = {17};
    for (int round = 0; round < 20; round++) {
        ruga_vec3 *y = solid_rest(c, mesh);
        for (size_t j = 0; j < c->bound->columns; j++) y[j] = vec3_add(y[j], random_vec3(&random, -1, 1));
        ruga_map_apply(c->bound, y, x);
        assert_at_most(crease_gap(c, x), crease_gap_bound(c, y));
        free(y);
    }
    free(x);
}

static void check_all(const ruga_mesh *mesh, const crease *c) {
    check_shares(mesh, c);
    check_surface(c);
    check_parts(mesh, c);
    check_binding(mesh, c);
    check_gaps(mesh, c);
}

/* ---- Cuts. */

/* A loop around the block and a cut through it: two pieces with the volumes of both sides, each node of a tet that the
 * plane passes through twice. */
static void a_cut_through_a_block_makes_two_pieces(void **state) {
    for (int i = 0; i < 4; i++) {
        double at = -0.23 + 0.12 * i, volumes[2] = {0, 0};
        ruga_mesh *mesh = block_make(*state, ALONG, ACROSS, i & 1 ? 0.15 : 0);
        ruga_curve *loop = block_loop(mesh, at, half);
        crease c;
        solid_make(mesh, &loop, 1, INFINITY, &c);
        const ruga_mesh *m = c.nodes.simulated;
        uint32_t *roots = malloc(m->vertex_count * sizeof *roots);
        assert_int_equal(block_pieces(m, roots), 2);
        check_all(mesh, &c);
        for (size_t t = 0; t < m->tet_count; t++) {
            uint32_t root = set_lowest(roots, m->tets[4 * t]);
            volumes[root == set_lowest(roots, 0)] += c.solid.shares[t] * mesh_tet_volume(m, t);
        }
        double whole = 4 * half * half, left = (at + 0.5) * whole; /* vertex 0 is at the low end */
        assert_near_case(volumes[1], left, 2e-3 * whole, "%d", i);
        assert_near(volumes[0] + volumes[1], whole, 1e-12);
        free(roots);
        crease_release(&c);
        ruga_curve_destroy(loop);
        ruga_mesh_destroy(mesh);
    }
}

/* From side to side over the top, and inside the top: the block stays one piece, and the crack is as deep as wanted. */
static void a_crease_on_top_leaves_one_piece(void **state) {
    skip_when_sanitized();
    for (int i = 0; i < 6; i += SANITIZED ? 3 : 1) {
        ruga_mesh *mesh = block_make(*state, ALONG, ACROSS, i & 1 ? 0.15 : 0);
        const ruga_vec3 over[4] = {{0.03, 0.05, half}, {0.02, half, half}, {0.04, half, -half}, {0.03, 0.05, -half}};
        const ruga_vec3 top[2] = {{-0.3, half, 0.05}, {0.31, half, -0.07}};
        double depth = i < 2 ? 2.5 : 1.5 + 0.5 * (i / 2);
        ruga_curve *curve = i < 2 ? block_curve(mesh, "over", over, 4, 0) : block_curve(mesh, "top", top, 2, 0);
        crease c;
        solid_make(mesh, &curve, 1, depth, &c);
        uint32_t *roots = malloc(c.nodes.simulated->vertex_count * sizeof *roots);
        assert_int_equal(block_pieces(c.nodes.simulated, roots), 1);
        assert_less(0, c.solid.surface_count);
        assert_less(0, c.solid.inner_count);
        check_all(mesh, &c);
        for (size_t k = 0; k < c.solid.section_count; k++) {
            vec3 at = {0, 0, 0};
            for (int j = 0; j < 4; j++)
                at = vec3_add_scaled(at, c.nodes.simulated->positions[c.solid.sections[k].left[j]],
                                     c.solid.sections[k].middle[j]);
            double below = fmin(half - at.y, fmin(half - at.z, half + at.z));
            assert_at_most(below, (depth + 0.6) * 1.3 * cell);
        }
        free(roots);
        crease_release(&c);
        ruga_curve_destroy(curve);
        ruga_mesh_destroy(mesh);
    }
}

/* Two and three creases that cross on top: nodes at the crossing have a copy in each sector. */
static void creases_that_cross_are_cut(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    for (int i = 0; i < 4; i++) {
        ruga_mesh *mesh = block_make(*state, ALONG, ACROSS, i & 1 ? 0.15 : 0);
        const ruga_vec3 lines[3][2] = {{{-0.36, half, 0.013}, {0.37, half, -0.031}},
                                       {{0.013, half, -0.26}, {-0.017, half, 0.25}},
                                       {{-0.27, half, 0.23}, {0.28, half, -0.21}}};
        size_t count = i & 2 ? 3 : 2;
        ruga_curve *curves[3];
        crease c;
        for (size_t k = 0; k < count; k++) curves[k] = block_curve(mesh, "line", lines[k], 2, 0);
        solid_make(mesh, curves, count, 2, &c);
        check_all(mesh, &c);
        crease_release(&c);
        for (size_t k = 0; k < count; k++) ruga_curve_destroy(curves[k]);
        ruga_mesh_destroy(mesh);
    }
}

/* Flesh of the cut mesh has the mass, the volume, the centre of mass and the moments of inertia of the whole: copies
 * have their share, at the places of the vertices that they are copies of. */
static void the_cut_conserves_volume_and_mass(void **state) {
    ruga_mesh *mesh = block_make(*state, ALONG, ACROSS, 0.15);
    const ruga_vec3 over[4] = {{0.03, 0.05, half}, {0.02, half, half}, {0.04, half, -half}, {0.03, 0.05, -half}};
    ruga_curve *curve = block_curve(mesh, "over", over, 4, 0);
    double volumes[2] = {0, 0}, masses[2] = {0, 0}, moments[2] = {0, 0};
    vec3 centres[2] = {{0, 0, 0}, {0, 0, 0}};
    crease c;
    solid_make(mesh, &curve, 1, 2.5, &c);
    assert_less(mesh->tet_count, c.nodes.simulated->tet_count);
    for (int k = 0; k < 2; k++) {
        flesh_def def = flesh_def_default();
        body *b = NULL;
        if (k)
            def.simulated = (body_simulated){.mesh = c.nodes.simulated,
                                             .visible = c.nodes.visible,
                                             .shares = c.solid.shares,
                                             .vertex_of = c.nodes.vertex_of};
        assert_ok(*state, flesh_create(k ? c.cut.mesh : mesh, &def, &b));
        for (size_t t = 0; t < b->simulated->tet_count; t++)
            volumes[k] += (k ? c.solid.shares[t] : 1) * mesh_tet_volume(b->simulated, t);
        for (size_t i = 0; i < b->point_count; i++) {
            masses[k] += b->masses[i];
            centres[k] = vec3_add_scaled(centres[k], b->positions[i], b->masses[i]);
            moments[k] += b->masses[i] * vec3_length2(b->positions[i]);
        }
        b->interface->destroy(b);
    }
    assert_near(volumes[1], volumes[0], 1e-12 * volumes[0]);
    assert_near(masses[0], 1000 * volumes[0], 1e-9 * masses[0]);
    assert_near(masses[1], masses[0], 1e-12 * masses[0]);
    assert_near(moments[1], moments[0], 1e-12 * moments[0]);
    assert_near(vec3_distance(centres[1], centres[0]), 0, 1e-12 * masses[0]);
    crease_release(&c);
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
}

/* A fold that is the same all along leaves no gap between both sides of the surface, however large it is; else the gap
 * is within its bound, whatever the unknowns are. The inside is free: the crack opens there. */
static void the_surface_of_a_folded_cut_has_no_gap(void **state) {
    ruga_mesh *mesh = block_make(*state, ALONG, ACROSS, 0.15);
    ruga_curve *curve = block_loop(mesh, 0.03, half);
    double apart = 0;
    crease c;
    solid_make(mesh, &curve, 1, INFINITY, &c);
    ruga_vec3 *y = solid_rest(&c, mesh), *x = malloc(c.bound->rows * sizeof *x);
    assert_non_null(x);
    for (size_t k = 0; k < c.ridges[0].knot_count; k++)
        for (size_t e = c.ridges[0].offsets[k]; e < c.ridges[0].offsets[k + 1]; e++)
            y[c.ridges[0].unknowns[e]] = (vec3){0.3, -0.8, 0.1};
    ruga_map_apply(c.bound, y, x);
    for (size_t i = 0; i < c.bound->rows; i++)
        apart = fmax(apart, vec3_distance(x[i], mesh->positions[c.nodes.vertex_of[i]]));
    assert_less(0.1 * cell, apart);
    assert_at_most(crease_gap(&c, x), 1e-13);
    check_gaps(mesh, &c);
    free(x);
    free(y);
    crease_release(&c);
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
}

/* The area of all sections of a loop cut through the block is that of the block, and all look to the left. */
static void sections_have_the_area_of_the_cut(void **state) {
    ruga_mesh *mesh = block_make(*state, ALONG, ACROSS, 0.15);
    ruga_curve *loop = block_loop(mesh, 0.03, half);
    crease c;
    double area = 0;
    solid_make(mesh, &loop, 1, INFINITY, &c);
    for (size_t k = 0; k < c.solid.section_count; k++) {
        const tet_section *s = &c.solid.sections[k];
        vec3 across[2] = {{0, 0, 0}, {0, 0, 0}}, middle = {0, 0, 0};
        for (int j = 0; j < 4; j++) {
            vec3 x = c.nodes.simulated->positions[s->left[j]];
            for (int n = 0; n < 2; n++) across[n] = vec3_add_scaled(across[n], x, s->across[n][j]);
            middle = vec3_add_scaled(middle, x, s->middle[j]);
        }
        vec3 normal = vec3_cross(across[0], across[1]);
        assert_near(vec3_length(normal), s->area, 1e-12);
        assert_near(fabs(normal.x), s->area, 0.05 * s->area);
        assert_near(middle.x, 0.03, 0.02 * cell);
        area += s->area;
    }
    assert_near(area, 4 * half * half, 2e-3 * half * half);
    crease_release(&c);
    ruga_curve_destroy(loop);
    ruga_mesh_destroy(mesh);
}

/* ---- Curves that can't be cut. */

static void refused(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, double depth, const char *why) {
    crease_def def = crease_def_default();
    ruga_curve *curve = block_curve(mesh, "bad", points, count, 0);
    crease c;
    def.depth = depth;
    assert_status(crease_make(mesh, (const ruga_curve *const *)&curve, 1, &def, &c), RUGA_ERROR_INPUT);
    assert_message_has(mesh->context, "curve \"bad\"");
    assert_message_has(mesh->context, why);
    ruga_curve_destroy(curve);
}

static void cuts_that_make_no_sense_are_refused(void **state) {
    ruga_mesh *mesh = block_make(*state, ALONG, ACROSS, 0.1);
    const ruga_vec3 top[2] = {{-0.4, half, 0.05}, {0.41, half, -0.07}}, dot[2] = {{0, half, 0.05}, {0.09, half, 0.04}};
    const ruga_vec3 brief[2] = {{0.01, half, -0.15}, {0.02, half, 0.16}};
    const ruga_vec3 over[3] = {{0.011, -0.2 * half, half}, {0.012, half, 0}, {0.013, -0.2 * half, -half}};
    refused(mesh, top, 2, 20, "deeper than the body");
    refused(mesh, over, 3, 20, "deeper than the body");
    refused(mesh, brief, 2, 20, "deeper than the body");
    refused(mesh, top, 2, 0.1, "too shallow");
    refused(mesh, dot, 2, 2, "");
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_through_a_block_makes_two_pieces),
        cmocka_unit_test(a_crease_on_top_leaves_one_piece),
        cmocka_unit_test(creases_that_cross_are_cut),
        cmocka_unit_test(the_cut_conserves_volume_and_mass),
        cmocka_unit_test(the_surface_of_a_folded_cut_has_no_gap),
        cmocka_unit_test(sections_have_the_area_of_the_cut),
        cmocka_unit_test(cuts_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
