/* Collision surfaces with a state of their own: the shown surface never intersects, and the body gets the momentum. */
#include "linalg/map.h"
#include "own_surface_scene.h"
#include "system/fixture.h"

/* ---- The law. tests/body/long_part_surface.c has it over 500 frames. */

static void the_shown_surface_never_intersects(void **state) {
    skip_when_sanitized();
    for (int inside = SANITIZED; inside < 2; inside++) {
        const shell_def def = {.n = 2, .stiffness = inside ? 0.5 : 0, .rate = PART_EACH_SUBSTEP};
        shell_scene s = shell_scene_make(*state, 8, &def, 0);
        shell_run run = shell_check_frames(&s, 90);
        /* It would without a state of its own; and it stays near the points. */
        assert_less(30, run.intersected);
        assert_less(run.apart, 0.05);
        shell_scene_release(&s);
    }
}

/* On a body whose own surface is mapped, with a part on top of it and alone. */
static void the_shown_surface_never_intersects_on_mapped_bodies(void **state) {
    skip_when_sanitized();
    const shell_def def = {.n = 2, .rate = PART_EACH_SUBSTEP};
    for (int place = SHELL_ON_MAPPED; place <= SHELL_IS_BODY; place++) {
        shell_scene s = shell_scene_make_on(*state, (shell_place)place, 6, &def, 0);
        shell_run run = shell_check_frames(&s, 90);
        assert_less(20, run.intersected);
        assert_less(run.apart, 0.05);
        shell_scene_release(&s);
    }
}

/* ---- Masses. */

static ruga_map *random_map(ruga_context *context, test_random *random, size_t rows, size_t columns) {
    map_builder builder;
    ruga_map *map = NULL;
    assert_ok(context, map_builder_make(context, rows, 4 * rows, &builder));
    for (size_t v = 0; v < rows; v++) {
        double weights[4], sum = 0;
        for (int k = 0; k < 4; k++) sum += weights[k] = random_between(random, -0.2, 1);
        for (int k = 0; k < 4; k++)
            map_builder_put(&builder, (uint32_t)(random_bits(random) % columns), sum > 0.5 ? weights[k] / sum : 0.25);
        map_builder_end_row(&builder);
    }
    assert_ok(context, map_builder_finish(&builder, columns, &map));
    return map;
}

/* Moves contact's answer to `asked` displacements of the vertices through the points: W M⁻¹ Wᵀ D asked. */
static void respond(const part_surface *p, const body *b, const vec3 *asked, vec3 *points, vec3 *moved) {
    const ruga_map *map = p->surface.map;
    for (size_t v = 0; v < map->rows; v++)
        moved[v] = p->inverse_masses[v] > 0 ? vec3_scale(asked[v], 1 / p->inverse_masses[v]) : (vec3){0, 0, 0};
    memset(points, 0, map->columns * sizeof *points);
    ruga_map_apply_transpose_add(map, moved, points);
    for (size_t i = 0; i < map->columns; i++) points[i] = vec3_scale(points[i], body_inverse_mass(b, i));
    ruga_map_apply(map, points, moved);
}

/* The largest eigenvalue of the response, by power iteration: above 1 contact would add energy. */
static void the_body_never_moves_further_than_contact_asked(void **state) {
    ruga_context *context = *state;
    enum { POINTS = 16, VERTICES = 40 };
    ruga_mesh *points_mesh = shape_sheet(context, 3, 3), *surface_mesh = shape_sheet(context, 7, 4);
    assert_int_equal(points_mesh->vertex_count, POINTS);
    assert_int_equal(surface_mesh->vertex_count, VERTICES);
    test_random random = {.state = 4};
    double greatest = 0;
    for (int trial = 0; trial < 100; trial++) {
        double inverse_masses[POINTS], masses[POINTS];
        body *b;
        part_surface p;
        assert_ok(context, test_body_create(points_mesh, &(test_body_def){.name = "a", .mass = 1}, &b));
        for (size_t i = 0; i < POINTS; i++) {
            masses[i] = random_between(&random, 0.1, 3);
            inverse_masses[i] = trial % 2 && random_bits(&random) % 4 == 0 ? 0 : 1 / masses[i];
        }
        b->masses = masses;
        b->inverse_masses = inverse_masses;
        ruga_map *map = random_map(context, &random, VERTICES, POINTS);
        assert_ok(context, part_surface_init(&p, b, surface_mesh, map));
        part_surface_fill(&p, b);
        vec3 asked[VERTICES], points[POINTS], moved[VERTICES];
        for (size_t v = 0; v < VERTICES; v++) asked[v] = random_vec3(&random, -1, 1);
        double eigenvalue = 0;
        for (int k = 0; k < 200; k++) {
            respond(&p, b, asked, points, moved);
            double before = 0, after = 0;
            for (size_t v = 0; v < VERTICES; v++) before += vec3_length2(asked[v]), after += vec3_length2(moved[v]);
            eigenvalue = sqrt(after / before);
            for (size_t v = 0; v < VERTICES; v++) asked[v] = vec3_scale(moved[v], 1 / sqrt(after));
        }
        fail_if(!(eigenvalue <= 1 + 1e-12), "trial %d: the largest eigenvalue is %.17g", trial, eigenvalue);
        greatest = fmax(greatest, eigenvalue);
        part_surface_release(&p);
        ruga_map_destroy(map);
        b->interface->destroy(b);
    }
    /* The bound is not idle. */
    assert_less(0.3, greatest);
    ruga_mesh_destroy(points_mesh);
    ruga_mesh_destroy(surface_mesh);
}

/* On a torus, where every point has as many neighbours, a push on the whole surface moves the points as far. */
static void a_push_on_the_whole_surface_carries_the_points_along(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_torus(context, 6, 5);
    fine finer = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    body *b;
    part_surface p;
    assert_ok(context, test_body_create(mesh, &(test_body_def){.name = "a", .mass = 0.7}, &b));
    assert_ok(context, part_surface_init(&p, b, finer.mesh, finer.map));
    part_surface_fill(&p, b);
    size_t count = finer.mesh->vertex_count;
    vec3 *asked = calloc(count, sizeof *asked), *moved = calloc(count, sizeof *moved), points[30];
    double mass = 0;
    for (size_t v = 0; v < count; v++) asked[v] = (vec3){0.1, -0.2, 0.3}, mass += 1 / p.inverse_masses[v];
    respond(&p, b, asked, points, moved);
    for (size_t v = 0; v < count; v++) assert_less(vec3_distance(moved[v], asked[v]), 1e-14);
    assert_near(mass, 30 * 0.7, 1e-12);
    /* One vertex alone gets the points to follow by a part only. */
    memset(asked, 0, count * sizeof *asked);
    asked[17] = (vec3){0, 1, 0};
    respond(&p, b, asked, points, moved);
    assert_less(0.02, moved[17].y);
    assert_less(moved[17].y, 0.5);
    free(asked);
    free(moved);
    part_surface_release(&p);
    b->interface->destroy(b);
    fine_release(finer);
    ruga_mesh_destroy(mesh);
}

static void vertices_near_pins_are_heavier_and_those_on_pins_alone_do_not_move(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 1);
    fine finer = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    double masses[6] = {1, 1, 1, 1, 1, 1}, inverse_masses[6];
    body *b;
    part_surface p;
    assert_ok(context, test_body_create(mesh, &(test_body_def){.name = "a", .mass = 1}, &b));
    for (size_t i = 0; i < 6; i++) inverse_masses[i] = mesh->positions[i].x > 0.1 ? 1 : 0;
    b->masses = masses;
    b->inverse_masses = inverse_masses;
    assert_ok(context, part_surface_init(&p, b, finer.mesh, finer.map));
    part_surface_fill(&p, b);
    int still = 0, near = 0;
    for (size_t v = 0; v < finer.mesh->vertex_count; v++) {
        double x = finer.mesh->positions[v].x;
        if (x < 0.1) still++, assert_true(p.inverse_masses[v] == 0);
        if (x > 0.2 && x < 0.3) {
            near++;
            assert_less(0, p.inverse_masses[v]);
            assert_less(p.inverse_masses[v], 2.5);
        }
    }
    assert_int_equal(still, 3);
    assert_int_equal(near, 3);
    /* Another mass is noticed by the revision. */
    for (size_t i = 0; i < 6; i++) inverse_masses[i] *= 0.5;
    double before = p.inverse_masses[4];
    part_surface_fill(&p, b);
    assert_true(p.inverse_masses[4] == before);
    b->mass_revision++;
    part_surface_fill(&p, b);
    assert_true(p.inverse_masses[4] == 0.5 * before);
    assert_less(0, before);
    /* Without masses no force moves anything. */
    b->masses = b->inverse_masses = NULL;
    b->mass_revision++;
    part_surface_fill(&p, b);
    for (size_t v = 0; v < finer.mesh->vertex_count; v++) assert_true(p.inverse_masses[v] == 0);
    part_surface_release(&p);
    b->interface->destroy(b);
    fine_release(finer);
    ruga_mesh_destroy(mesh);
}

/* ---- Momentum. */

static void the_body_gets_the_momentum_that_contact_exerted(void **state) {
    for (int pinned = 0; pinned < 2; pinned++) {
        const shell_def def = {.n = 2};
        shell_scene s = shell_scene_make(*state, 6, &def, pinned);
        const body *b = s.cloth;
        double sum = 0;
        for (int k = 1; k <= 150; k++) {
            assert_ok(s.context, world_step(s.w, k / 240.0, 1, 1, 1));
            vec3 gained = {0, 0, 0}, held = {0, 0, 0}, *impulses = calloc(b->point_count, sizeof *impulses);
            ruga_map_apply_transpose_add(s.shell->map, s.shell->surface.surface.impulses, impulses);
            for (size_t i = 0; i < b->point_count; i++) {
                vec3 change = vec3_sub(b->velocities[i], b->candidate_velocities[i]);
                gained = vec3_add_scaled(gained, change, b->masses[i]);
                if (b->inverse_masses[i] == 0) {
                    held = vec3_add(held, impulses[i]);
                    assert_true(vec3_length2(change) == 0);
                }
            }
            /* The pins bear the impulses on their points. */
            vec3 whole = vec3_add(gained, held);
            fail_if(!(vec3_distance(whole, s.contact->impulse) < 1e-14),
                    "step %d: the body got (%g, %g, %g) N s of (%g, %g, %g)", k, whole.x, whole.y, whole.z,
                    s.contact->impulse.x, s.contact->impulse.y, s.contact->impulse.z);
            sum += vec3_length(s.contact->impulse);
            free(impulses);
        }
        assert_less(0.05, sum);
        shell_scene_release(&s);
    }
}

/* ---- Points that do not collide. */

/* A sheet falls on a floor: the masked part falls through it, alone and with a finer surface on top. */
static void points_that_do_not_collide_pass_through(void **state) {
    static const collider floor_below = {.kind = COLLIDER_PLANE, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 6, 3), *slab = shape_sheet(context, 2, 2);
    unsigned char *collides = calloc(mesh->vertex_count, 1);
    for (size_t i = 0; i < mesh->vertex_count; i++) collides[i] = mesh->positions[i].x < 0.6;
    for (int kind = 0; kind < 4; kind++) {
        int by_mesh = kind & 1, on_top = kind & 2;
        cloth_def cloth = cloth_def_default();
        cloth.colliders_by_contact = 1;
        cloth.material.stretch = 5;
        contact_def def = contact_def_default();
        def.collider_count = by_mesh ? 0 : 1;
        def.colliders = &floor_below;
        world *w;
        body *b, *ground;
        part *p = NULL;
        contact *c;
        size_t object;
        assert_ok(context, world_create(context, &w));
        assert_ok(context, cloth_create(mesh, &cloth, &b));
        b->collides = collides;
        for (size_t i = 0; i < b->point_count; i++) b->positions[i].y += 0.03;
        assert_ok(context, world_add_object(w, "sheet", b, &object));
        assert_ok(context, body_static_create(slab, &ground));
        ground->touch.collides = by_mesh;
        if (on_top) {
            assert_ok(context, shell_create(b, mesh, &(shell_def){.n = 2}, &p));
            assert_ok(context, world_add_part(w, object, p));
        }
        assert_ok(context, world_add_object(w, "slab", ground, &object));
        assert_ok(context, contact_create(context, &def, &c));
        assert_ok(context, world_set_contact(w, c));
        world_environment(w)->gravity = (vec3){0, -9.81, 0};
        assert_ok(context, world_settle(w, 0, 1));
        for (int f = 1; f <= 15; f++) assert_ok(context, world_step(w, f * SHELL_FRAME, 2, 1, 1));
        size_t above = 0, below = 0;
        for (size_t i = 0; i < b->point_count; i++) {
            /* The slab has a border; the sheet's own borders lie on it. */
            if (collides[i] && mesh->positions[i].x < 0.45 && !on_top) {
                above++;
                assert_less(0, b->positions[i].y);
            }
            if (mesh->positions[i].x > 0.8) {
                below++;
                assert_less(b->positions[i].y, -0.02);
            }
        }
        assert_true(below == 8 && (on_top || above == 12));
        const ruga_frame *frame = world_frame(w, 0);
        for (size_t v = 0; on_top && v < frame->vertex_count; v++)
            if (((shell *)p)->surface.collides[v]) {
                above++;
                assert_less(0, frame->positions[v].y);
            }
        assert_at_most(12, above);
        world_destroy(w);
    }
    free(collides);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(slab);
}

/* ---- State. */

static void a_saved_surface_continues_bit_identical(void **state) {
    ruga_context *context = *state;
    const shell_def def = {.n = 2, .stiffness = 0.3};
    shell_scene s = shell_scene_make(context, 6, &def, 0), other = shell_scene_make(context, 6, &def, 0);
    uint64_t hashes[80];
    void *saved = NULL;
    size_t size = 0;
    for (int f = 1; f < 80; f++) {
        shell_step(&s, f);
        hashes[f] = hash_of(context, s.w);
        if (f == 50) saved = state_of(context, s.w, &size);
    }
    shell_step(&other, 1);
    assert_ok(context, load_state(context, other.w, saved, size));
    assert_true(hash_of(context, other.w) == hashes[50]);
    assert_memory_equal(other.shell->surface.accepted, world_frame(other.w, 0)->positions,
                        world_frame(other.w, 0)->vertex_count * sizeof(vec3));
    for (int f = 51; f < 80; f++) {
        shell_step(&other, f);
        assert_true(hash_of(context, other.w) == hashes[f]);
    }
    /* Its accepted positions are a state: those of W x would continue otherwise. */
    assert_ok(context, load_state(context, other.w, saved, size));
    part_surface_settle(&other.shell->surface, other.cloth);
    shell_step(&other, 51);
    assert_true(hash_of(context, other.w) != hashes[51]);
    free(saved);
    shell_scene_release(&s);
    shell_scene_release(&other);
}

/* ---- Rates. */

static void a_part_is_updated_as_often_as_it_declares(void **state) {
    ruga_context *context = *state;
    for (int rate = PART_EACH_FRAME; rate <= PART_EACH_SUBSTEP; rate++) {
        const shell_def def = {.n = 2, .stiffness = 0.3, .rate = (part_rate)rate};
        shell_scene s = shell_scene_make(context, 3, &def, 0);
        assert_int_equal(s.shell->settles, 1);
        for (int f = 1; f <= 5; f++) assert_ok(context, world_step(s.w, f * SHELL_FRAME, 3, 1, 1));
        assert_int_equal(s.shell->updates, rate == PART_EACH_SUBSTEP ? 15 : 5);
        assert_int_equal(s.shell->settles, 1);
        assert_int_equal(s.shell->kept, 15);
        /* On top of a part of each frame only one of each frame may lie. */
        part *p = NULL;
        const shell_def often = {.n = 1, .rate = PART_EACH_SUBSTEP};
        assert_ok(context, shell_create(s.cloth, s.sheet, &often, &p));
        part_interface shown_only = *p->interface; /* an object has one collision surface */
        shown_only.surface = NULL;
        p->interface = &shown_only;
        p->input = world_mesh(s.w, 0);
        ruga_status status = world_add_part(s.w, 0, p);
        assert_status(status, rate == PART_EACH_SUBSTEP ? RUGA_OK : RUGA_ERROR_ARGUMENT);
        if (rate == PART_EACH_FRAME) assert_message_has(context, "put \"shell\" first");
        shell_scene_release(&s);
    }
}

/* ---- Memory and bad input. */

static ruga_status make_and_rebuild(ruga_context *context, void *user) {
    (void)user;
    const ruga_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    const uint32_t faces[6] = {0, 2, 1, 1, 2, 3};
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){(void *)corners, 4, 0, RUGA_F64};
    mesh_def.face_count = 2;
    mesh_def.face_vertices = faces;
    const shell_def def = {.n = 2, .stiffness = 1};
    const ruga_subdivide_def twice = ruga_subdivide_def_default();
    ruga_mesh *mesh = NULL, *finer = NULL;
    ruga_map *map = NULL;
    body *b = NULL;
    part *p = NULL;
    ruga_status status = ruga_mesh_create(context, &mesh_def, &mesh);
    if (!RUGA_FAILED(status)) status = ruga_mesh_subdivide(mesh, &twice, &finer, &map);
    if (!RUGA_FAILED(status)) status = test_body_create(mesh, &(test_body_def){.name = "a", .mass = 1}, &b);
    if (!RUGA_FAILED(status)) status = shell_create(b, mesh, &def, &p);
    if (!RUGA_FAILED(status)) status = b->interface->rebuild(b, &(body_change){.mesh = finer, .points_from_old = map});
    if (!RUGA_FAILED(status)) status = p->interface->rebuild(p, b, &(part_change){finer, map, map, map});
    if (p) p->interface->destroy(p);
    if (b) b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(finer);
    ruga_map_destroy(map);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(30, assert_every_allocation_may_fail(make_and_rebuild, NULL));
}

static void a_map_that_does_not_fit_is_refused(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2), *other = shape_sheet(context, 3, 3);
    fine finer = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    body *b;
    part_surface p;
    assert_ok(context, test_body_create(mesh, &(test_body_def){.name = "a", .mass = 1}, &b));
    assert_status(part_surface_init(&p, b, other, finer.map), RUGA_ERROR_ARGUMENT);
    part_surface_release(&p);
    assert_status(part_surface_init(&p, b, other, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "16 vertices on a test body of 9 points");
    part_surface_release(&p);
    /* Without a map the vertices are the points. */
    assert_ok(context, part_surface_init(&p, b, mesh, NULL));
    part_surface_fill(&p, b);
    assert_memory_equal(p.surface.candidate, b->candidate_positions, 9 * sizeof(vec3));
    for (int v = 0; v < 9; v++) assert_true(p.inverse_masses[v] == 1);
    assert_status(part_surface_rebuild(&p, b, other, NULL, finer.map), RUGA_ERROR_ARGUMENT);
    part_surface_release(&p);
    b->interface->destroy(b);
    fine_release(finer);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shown_surface_never_intersects),
        cmocka_unit_test(the_shown_surface_never_intersects_on_mapped_bodies),
        cmocka_unit_test(the_body_never_moves_further_than_contact_asked),
        cmocka_unit_test(a_push_on_the_whole_surface_carries_the_points_along),
        cmocka_unit_test(vertices_near_pins_are_heavier_and_those_on_pins_alone_do_not_move),
        cmocka_unit_test(the_body_gets_the_momentum_that_contact_exerted),
        cmocka_unit_test(points_that_do_not_collide_pass_through),
        cmocka_unit_test(a_saved_surface_continues_bit_identical),
        cmocka_unit_test(a_part_is_updated_as_often_as_it_declares),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_map_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
