/* Repulsion over many substeps: what rests, slides, is carried along, and what is remembered of it. */
#include "contact/repulsion_stage.h"

static const double thickness = 0.01;
static const vec3 earth = {0, -9.81, 0};

/* ---- Rest. */

static void a_stack_of_plates_rests(void **state) {
    skip_when_sanitized();
    repulsion_law law = stage_law();
    stage s = {.context = *state, .gravity = earth};
    stage_surface *plates[5];
    stage_add(&s, sheet_at(*state, 1, 1, 0, 0), 0, thickness, 0.5);
    for (int k = 0; k < 5; k++)
        plates[k] =
            stage_add(&s, sheet_at(*state, 4, 0.2 * pow(0.9, k), (k + 1) * 0.995 * thickness, 0), 0.01, thickness, 0.5);
    stage_open(&s, &law);
    for (int i = 0; i < 200; i++) stage_step(&s);
    vec3 settled[5][25];
    for (int k = 0; k < 5; k++) memcpy(settled[k], plates[k]->accepted, sizeof settled[k]);
    for (int i = 0; i < 1000; i++) stage_step(&s);
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 25; i++) {
            assert_less(vec3_distance(plates[k]->accepted[i], settled[k][i]), 1e-7 * thickness);
            assert_near(plates[k]->accepted[i].y / (k + 1), thickness, 0.02 * thickness);
        }
    stage_close(&s);
}

/* The substep may change: what is recalled is scaled to it. */
static void rest_does_not_depend_on_the_substep(void **state) {
    repulsion_law law = stage_law();
    law.rounds = 1;
    stage s = {.context = *state, .gravity = earth};
    stage_surface *patch = stage_add(&s, sheet_at(*state, 2, 0.1, 0.995 * thickness, 0), 0.01, thickness, 0.5);
    stage_surface *above = stage_add(&s, sheet_at(*state, 2, 0.08, 1.99 * thickness, 0), 0.01, thickness, 0.5);
    stage_add(&s, sheet_at(*state, 1, 1, 0, 0), 0, thickness, 0.5);
    stage_open(&s, &law);
    for (int i = 0; i < 200; i++) stage_step(&s);
    vec3 before[2] = {patch->accepted[4], above->accepted[4]};
    for (int i = 0; i < 200; i++) {
        s.dt = i % 2 ? 1.0 / 240 : 1.0 / 1000;
        stage_step(&s);
    }
    assert_less(vec3_distance(patch->accepted[4], before[0]), 1e-5 * thickness);
    assert_less(vec3_distance(above->accepted[4], before[1]), 1e-5 * thickness);
    stage_close(&s);
}

static void an_overlap_goes_by_a_part_in_each_substep_and_nothing_bounces(void **state) {
    repulsion_law law = stage_law();
    for (double dt = 1.0 / 60; dt > 1e-5; dt /= 4) {
        stage s = {.context = *state, .dt = dt};
        stage_surface *patch = stage_add(&s, sheet_at(*state, 2, 0.1, 0.5 * thickness, 0), 0.01, thickness, 0.5);
        stage_add(&s, sheet_at(*state, 1, 1, 0, 0), 0, thickness, 0.5);
        stage_open(&s, &law);
        for (int i = 0; i < 9; i++) patch->velocities[i] = vec3_make(0, -0.4, 0);
        double most = fmin(0.1, 30 * dt) * 0.5 * thickness;
        stage_step(&s);
        for (int i = 0; i < 9; i++) {
            double gain = patch->accepted[i].y - 0.5 * thickness;
            assert_less(0.9 * most, gain);
            assert_at_most(gain, (1 + 1e-9) * most);
            assert_near(patch->velocities[i].y, gain / s.dt, 1e-9);
        }
        stage_close(&s);
    }
}

/* ---- Sliding. */

static void edges_within_a_flat_floor_are_not_felt(void **state) {
    repulsion_law law = stage_law();
    stage s = {.context = *state, .gravity = earth};
    stage_surface *patch = stage_add(&s, sheet_at(*state, 2, 0.1, 0.99 * thickness, 0), 0.01, thickness, 0);
    stage_add(&s, sheet_at(*state, 40, 1, 0, 0), 0, thickness, 0);
    stage_open(&s, &law);
    for (int i = 0; i < 9; i++) patch->velocities[i] = vec3_make(0.7, 0, 0.4);
    for (int k = 0; k < 120; k++) {
        stage_step(&s);
        for (int i = 0; i < 9; i++) {
            vec3 v = patch->velocities[i];
            assert_near(v.x, 0.7, 1e-9);
            assert_near(v.z, 0.4, 1e-9);
            assert_near(v.y, 0, 1e-9);
        }
    }
    stage_close(&s);
}

static void a_moving_floor_carries_what_lies_on_it(void **state) {
    repulsion_law law = stage_law();
    stage s = {.context = *state, .gravity = earth};
    stage_surface *patch = stage_add(&s, sheet_at(*state, 2, 0.1, 0.99 * thickness, 0), 0.01, thickness, 0.5);
    stage_surface *belt = stage_add(&s, sheet_at(*state, 1, 4, 0, 0), 0, thickness, 0.5);
    stage_open(&s, &law);
    for (int i = 0; i < 4; i++) belt->velocities[i] = vec3_make(0.5, 0.2, 0);
    for (int i = 0; i < 9; i++) patch->velocities[i] = vec3_make(0, 0.2, 0);
    /* Friction speeds it up by mu g until it has the belt's speed, after 0.1 s. */
    for (int k = 0; k < 12; k++) stage_step(&s);
    assert_near(patch->velocities[4].x, 0.5 * 9.81 * 12 * s.dt, 0.01);
    for (int k = 0; k < 48; k++) stage_step(&s);
    for (int i = 0; i < 9; i++) assert_less(vec3_distance(patch->velocities[i], vec3_make(0.5, 0.2, 0)), 1e-9);
    stage_close(&s);
}

static void a_plane_stops_what_would_end_behind_it(void **state) {
    repulsion_law law = stage_law();
    collider planes[2] = {{.kind = COLLIDER_PLANE, .friction = 1}, {.kind = COLLIDER_PLANE, .friction = 0}};
    planes[0].axes[1] = vec3_make(0, 1, 0);
    planes[1].axes[1] = vec3_make(0, 0, 1), planes[1].point = vec3_make(0, 0, -0.2);
    law.planes = planes, law.plane_count = 2;
    stage s = {.context = *state, .gravity = earth};
    stage_surface *patch = stage_add(&s, sheet_at(*state, 2, 0.1, 0.5, 0), 0.01, thickness, 0.1);
    patch->surface.self = 0; /* its points end on each other */
    stage_open(&s, &law);
    for (int i = 0; i < 9; i++) patch->velocities[i] = vec3_make(0, -30, -100);
    for (int k = 0; k < 240; k++) {
        stage_step(&s);
        for (int i = 0; i < 9; i++) {
            assert_less((1 - 1e-5) * thickness, patch->accepted[i].y);
            assert_less((1 - 1e-5) * thickness, patch->accepted[i].z + 0.2);
        }
    }
    for (int i = 0; i < 9; i++) assert_less(vec3_length(patch->velocities[i]), 1e-9);
    assert_near(patch->accepted[0].y, thickness, 1e-9);
    stage_close(&s);
}

/* ---- Vertices that do not change. */

static void a_thickness_above_the_edges_moves_nothing_at_rest(void **state) {
    repulsion_law law = stage_law();
    stage s = {.context = *state};
    stage_surface *sheet = stage_add(&s, sheet_at(*state, 8, 1, 0, 0), 0.01, 0.3, 0.5);
    stage_open(&s, &law);
    for (size_t i = 0; i < sheet->mesh->vertex_count; i++)
        sheet->candidate[i] = vec3_add(sheet->accepted[i], vec3_make(0.125, -0.25, 0.5));
    stage_resolve(&s);
    assert_less(1000, s.pairs.count);
    assert_memory_equal(s.mesh->to, sheet->candidate, sheet->mesh->vertex_count * sizeof(vec3));

    /* Folded over itself it keeps its layers apart all the same. */
    for (size_t i = 0; i < sheet->mesh->vertex_count; i++) {
        vec3 *x = sheet->accepted + i;
        if (x->x > 0) x->y = 0.2, x->x = -x->x;
        sheet->candidate[i] = vec3_add(*x, vec3_make(0, x->y > 0 ? -0.01 : 0.01, 0));
    }
    stage_resolve(&s);
    assert_less(50, s.touching);
    size_t folded = 0;
    for (size_t i = 0; i < sheet->mesh->vertex_count; i++) {
        folded += sheet->accepted[i].x < -0.2;
        if (sheet->accepted[i].x < -0.2)
            assert_true(sheet->accepted[i].y > 0 ? s.mesh->to[i].y > 0.2 : s.mesh->to[i].y < 0);
    }
    assert_ran(folded, 4);
    stage_close(&s);
}

static void what_is_apart_or_ignored_keeps_its_bits(void **state) {
    repulsion_law law = stage_law();
    stage s = {.context = *state};
    stage_surface *patch = stage_add(&s, sheet_at(*state, 2, 0.1, 1.001 * thickness, 0), 0.01, thickness, 0.5);
    stage_add(&s, sheet_at(*state, 1, 1, 0, 0), 0, thickness, 0.5);
    stage_open(&s, &law);
    for (int i = 0; i < 9; i++) patch->candidate[i].y = 0.3 * thickness;
    stage_resolve(&s);
    assert_true(s.touching == 0);
    assert_less(9, s.pairs.count);
    assert_memory_equal(s.mesh->to, patch->candidate, 9 * sizeof(vec3));

    for (int i = 0; i < 9; i++) patch->accepted[i].y = 0.9 * thickness;
    stage_resolve(&s);
    assert_at_most(9, s.touching);
    assert_less(0.9 * thickness, s.mesh->to[0].y);
    unsigned char *ignored = malloc(s.pairs.count);
    memset(ignored, 1, s.pairs.count);
    contact_mesh_take(s.mesh, s.pointers);
    assert_ok(*state, repulsion_apply(s.repulsion, s.mesh, &s.pairs, ignored, s.dt, &s.touching));
    assert_int_equal(s.touching, 0);
    assert_memory_equal(s.mesh->to, patch->candidate, 9 * sizeof(vec3));
    free(ignored);
    stage_close(&s);
}

/* ---- Sides. */

/* Two triangles whose vertex or edges face each other at a height; one below the other. */
static void open_facing(stage *s, pair_kind kind) {
    const uint32_t corners[3] = {0, 1, 2};
    const vec3 floor[3] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 0}}, tip[3] = {{0, 0, 0}, {-0.3, 1, 0.2}, {0.3, 1, 0.2}};
    const vec3 edge[3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}}, across[3] = {{0.1, 0, -1}, {0, 0, 1}, {0, 1, 0}};
    const int is_edges = kind == PAIR_EDGE_EDGE;
    stage_add(s, shape_make(s->context, 3, is_edges ? across : tip, 1, NULL, corners), 0.1, thickness, 0);
    stage_add(s, shape_make(s->context, 3, is_edges ? edge : floor, 1, NULL, corners), 0.1, thickness, 0);
    repulsion_law law = stage_law();
    stage_open(s, &law);
}

static double pushed_at(stage *s, double height) {
    stage_surface *upper = s->surfaces;
    for (int i = 0; i < 3; i++) {
        upper->accepted[i] = upper->mesh->positions[i];
        upper->accepted[i].y += height;
        upper->candidate[i] = upper->accepted[i];
    }
    stage_resolve(s);
    assert_less(0, s->touching);
    return s->mesh->to[0].y - upper->accepted[0].y;
}

static void what_went_through_is_pushed_back_to_its_side(void **state) {
    for (int kind = 0; kind < 2; kind++) {
        stage s = {.context = *state};
        open_facing(&s, (pair_kind)kind);
        assert_less(pushed_at(&s, -0.3 * thickness), 0);
        repulsion_forget(s.repulsion);
        assert_less(0, pushed_at(&s, 0.3 * thickness));
        for (int i = 0; i < 5; i++) assert_less(0, pushed_at(&s, -0.3 * thickness));
        assert_less(0, pushed_at(&s, 0.3 * thickness));
        stage_close(&s);
    }
}

static void edges_that_turn_past_each_other_stay_on_their_sides(void **state) {
    stage s = {.context = *state};
    open_facing(&s, PAIR_EDGE_EDGE);
    stage_surface *upper = s.surfaces;
    for (int step = 0; step < 20; step++) {
        double angle = 1.05 - 0.1 * step; /* of the upper edge with the lower; the two are parallel between two steps */
        vec3 *x = upper->accepted;
        x[0] = vec3_make(0.05 - cos(angle), 0.3 * thickness, -sin(angle));
        x[1] = vec3_make(0.05 + cos(angle), 0.3 * thickness, sin(angle));
        memcpy(upper->candidate, x, 3 * sizeof *x);
        stage_resolve(&s);
        assert_less(0, s.touching);
        assert_less(x[0].y + x[1].y, s.mesh->to[0].y + s.mesh->to[1].y);
    }
    stage_close(&s);
}

/* ---- Holds. */

static void holds_name_the_surface_that_stopped_a_vertex(void **state) {
    repulsion_law law = stage_law();
    collider wall = {.kind = COLLIDER_PLANE, .point = {-0.05 - 0.01, 0, 0}, .friction = 0};
    wall.axes[1] = vec3_make(1, 0, 0);
    law.planes = &wall, law.plane_count = 1, law.spring = 0;
    stage s = {.context = *state, .gravity = earth};
    stage_surface *patch = stage_add(&s, sheet_at(*state, 2, 0.1, 0.99 * thickness, 0), 0.01, thickness, 0.5);
    stage_surface *floor = stage_add(&s, sheet_at(*state, 1, 1, 0, 0), 0, thickness, 0.5);
    stage_add(&s, sheet_at(*state, 1, 0.1, 3 * thickness, 0), 0.01, thickness, 0.5);
    stage_open(&s, &law);
    for (int i = 0; i < 4; i++) floor->velocities[i] = vec3_make(0, 0.3, 0);
    for (int i = 0; i < 9; i++) patch->velocities[i] = vec3_make(-2, 0, 0);
    stage_step(&s);
    contact_hold holds[17] = {0};
    repulsion_holds(s.repulsion, s.mesh, holds);
    for (int i = 0; i < 17; i++) {
        /* The wall pushes harder than the floor. */
        int at_wall = i < 9 && patch->mesh->positions[i].x < -0.04;
        vec3 normal = at_wall ? vec3_make(1, 0, 0) : i < 9 ? vec3_make(0, 1, 0) : vec3_make(0, 0, 0);
        assert_less(vec3_distance(holds[i].normal, normal), 1e-12);
        assert_less(vec3_distance(holds[i].velocity, vec3_make(0, i < 9 && !at_wall ? 0.3 : 0, 0)), 1e-12);
        assert_true(holds[i].grip == (i < 9 ? 0.5 : 0));
    }
    stage_close(&s);
}

/* A vertex whose body keeps it from pressing gets no impulse, but is held as long as it is near. */
static void what_was_held_is_held_while_it_is_near(void **state) {
    repulsion_law law = stage_law();
    collider plane = {.kind = COLLIDER_PLANE, .friction = 0.5};
    plane.axes[1] = vec3_make(0, 1, 0);
    for (int by_plane = 0; by_plane < 2; by_plane++) {
        law.planes = &plane, law.plane_count = (size_t)by_plane;
        stage s = {.context = *state};
        double height = (by_plane ? 1.001 : 0.995) * thickness;
        stage_surface *patch = stage_add(&s, sheet_at(*state, 2, 0.1, height, 0), 0.01, thickness, 0.5);
        if (!by_plane) stage_add(&s, sheet_at(*state, 1, 1, 0, 0), 0, thickness, 0.5);
        stage_open(&s, &law);
        contact_hold holds[13] = {0};
        holds[4].normal = vec3_make(0, 1, 0);
        stage_resolve(&s);
        repulsion_holds(s.repulsion, s.mesh, holds);
        for (int i = 0; i < 9; i++) assert_true(holds[i].normal.y == (i == 4));
        for (int i = 0; i < 9; i++) patch->accepted[i].y = patch->candidate[i].y = 1.3 * thickness;
        stage_resolve(&s);
        repulsion_holds(s.repulsion, s.mesh, holds);
        for (int i = 0; i < 9; i++) assert_true(holds[i].normal.y == 0);
        stage_close(&s);
    }
}

/* A vertex that nothing moves, from above: the triangle's corner next to it is held from going up. */
static void a_kinematic_vertex_holds_the_corner_under_it(void **state) {
    const uint32_t corners[3] = {0, 1, 2};
    const vec3 tip[3] = {{-0.9, 0.9 * 0.01, -0.9}, {-0.3, 1, 0.2}, {0.3, 1, 0.2}};
    const vec3 floor[3] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 0}};
    repulsion_law law = stage_law();
    stage s = {.context = *state};
    stage_add(&s, shape_make(*state, 3, tip, 1, NULL, corners), 0, thickness, 0);
    stage_surface *sheet = stage_add(&s, shape_make(*state, 3, floor, 1, NULL, corners), 0.1, thickness, 0);
    stage_open(&s, &law);
    for (int i = 0; i < 3; i++) sheet->velocities[i] = vec3_make(0, 1, 0), s.surfaces[0].velocities[i].y = 0.4;
    stage_step(&s);
    contact_hold holds[6] = {0};
    repulsion_holds(s.repulsion, s.mesh, holds);
    assert_less(vec3_distance(holds[3].normal, vec3_make(0, -1, 0)), 1e-12);
    assert_less(vec3_distance(holds[3].velocity, vec3_make(0, 0.4, 0)), 1e-12);
    for (int i = 0; i < 6; i++)
        if (i != 3) assert_true(vec3_length(holds[i].normal) == 0);
    stage_close(&s);
}

/* ---- State, threads, memory. */

/* Sheets on a floor and a plane: slides, rests, overlaps. */
static void open_heap(stage *s, ruga_context *context) {
    repulsion_law law = stage_law();
    collider plane = {.kind = COLLIDER_PLANE, .point = {0, -0.001, 0}, .friction = 0.3};
    plane.axes[1] = vec3_normalise(vec3_make(0.1, 1, 0));
    law.planes = &plane, law.plane_count = 1, law.static_ratio = 1.2;
    *s = (stage){.context = context, .gravity = earth};
    test_random random = {21};
    stage_add(s, sheet_at(context, 12, 1, 0, 0), 0, thickness, 0.5);
    for (int k = 1; k < 4; k++) {
        stage_surface *a =
            stage_add(s, sheet_at(context, 12, 0.9, k * 0.9 * thickness, 0.01 * k), 0.01, thickness, 0.5);
        for (size_t i = 0; i < a->mesh->vertex_count; i++) a->velocities[i] = random_vec3(&random, -0.3, 0.3);
    }
    stage_open(s, &law);
}

static uint64_t hash_of(const stage *s) {
    uint64_t hash = 0;
    for (size_t k = 0; k < s->count; k++) {
        const stage_surface *a = s->surfaces + k;
        hash = state_hash(a->accepted, a->mesh->vertex_count * sizeof(vec3), hash);
        hash = state_hash(a->velocities, a->mesh->vertex_count * sizeof(vec3), hash);
    }
    return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    uint64_t first = 0;
    const int threads[3] = {1, 2, 7};
    for (int k = 0; k < 3; k++) {
        ruga_context *context = context_plain(threads[k]);
        stage s;
        open_heap(&s, context);
        for (int i = 0; i < 20; i++) stage_step(&s);
        assert_less(1000, s.touching);
        if (k == 0) first = hash_of(&s);
        assert_true(hash_of(&s) == first);
        stage_close(&s);
        ruga_context_destroy(context);
    }
}

static void the_steady_state_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    stage s;
    open_heap(&s, context);
    for (int i = 0; i < 30; i++) stage_step(&s);
    for (int i = 0; i < 10; i++) {
        contact_mesh_take(s.mesh, s.pointers);
        long before = counter.allocations;
        assert_ok(context, repulsion_apply(s.repulsion, s.mesh, &s.pairs, NULL, s.dt, &s.touching));
        assert_int_equal(counter.allocations, before);
    }
    stage_close(&s);
    ruga_context_destroy(context);
}

static void *saved_history(const stage *s, size_t *size) {
    state_writer *writer;
    void *bytes;
    assert_ok(s->context, state_writer_create(s->context, &writer));
    repulsion_save(s->repulsion, writer);
    assert_ok(s->context, state_writer_take(writer, &bytes, size));
    state_writer_destroy(writer);
    return bytes;
}

static ruga_status load_history(repulsion *r, ruga_context *context, const void *bytes, size_t size) {
    state_reader reader;
    TRY(state_reader_open(context, bytes, size, &reader));
    return repulsion_load(r, &reader);
}

static void a_loaded_history_continues_with_the_same_bits(void **state) {
    stage s;
    open_heap(&s, *state);
    for (int i = 0; i < 10; i++) stage_step(&s);
    size_t size;
    void *bytes = saved_history(&s, &size);
    vec3 *kept[8];
    for (size_t k = 0; k < s.count; k++) {
        size_t n = s.surfaces[k].mesh->vertex_count;
        kept[2 * k] = memory_copy(*state, s.surfaces[k].accepted, n, sizeof(vec3));
        kept[2 * k + 1] = memory_copy(*state, s.surfaces[k].velocities, n, sizeof(vec3));
    }
    for (int i = 0; i < 10; i++) stage_step(&s);
    uint64_t expected = hash_of(&s);
    for (int load = 1; load >= 0; load--) {
        for (size_t k = 0; k < s.count; k++) {
            size_t n = s.surfaces[k].mesh->vertex_count;
            memcpy(s.surfaces[k].accepted, kept[2 * k], n * sizeof(vec3));
            memcpy(s.surfaces[k].velocities, kept[2 * k + 1], n * sizeof(vec3));
        }
        if (load) assert_ok(*state, load_history(s.repulsion, *state, bytes, size));
        if (!load) repulsion_forget(s.repulsion);
        for (int i = 0; i < 10; i++) stage_step(&s);
        assert_true((hash_of(&s) == expected) == load);
    }
    for (size_t k = 0; k < 2 * s.count; k++) memory_release(*state, kept[k]);
    memory_release(*state, bytes);
    stage_close(&s);
}

/* One contact or two, as a file might have them. */
typedef struct saved_contact {
    uint32_t words[5];
    double numbers[7];
} saved_contact;

static ruga_status load_written(repulsion *r, ruga_context *context, uint64_t count, double dt,
                                const saved_contact *contacts, size_t written) {
    state_writer *writer;
    const void *bytes;
    size_t size;
    assert_ok(context, state_writer_create(context, &writer));
    state_begin(writer, STATE_TAG('R', 'P', 'L', 'S'), 1);
    state_put_u64(writer, &count, 1);
    state_put_f64(writer, &dt, 1);
    for (size_t i = 0; i < written; i++) {
        state_put_u32(writer, contacts[i].words, 5);
        state_put_f64(writer, contacts[i].numbers, 7);
    }
    state_end(writer);
    assert_ok(context, state_writer_finish(writer, &bytes, &size));
    ruga_status status = load_history(r, context, bytes, size);
    state_writer_destroy(writer);
    return status;
}

static void a_damaged_history_is_an_error(void **state) {
    repulsion_law law = stage_law();
    repulsion *r;
    assert_ok(*state, repulsion_create(*state, &law, &r));
    const saved_contact good[2] = {{{0, 3, 4, 1, 1}, {1, 0, 0, 0, 0, 1, 0}}, {{1, 0, 9, 0, 0}, {0, 0, 0, 0, 0, 1, 0}}};
    assert_ok(*state, load_written(r, *state, 2, 0.01, good, 2));
    assert_status(load_written(r, *state, 3, 0.01, good, 2), RUGA_ERROR_INPUT);
    assert_message_has(*state, "3 contacts");
    assert_status(load_written(r, *state, UINT64_MAX, 0.01, good, 2), RUGA_ERROR_INPUT);
    assert_status(load_written(r, *state, 2, -1, good, 2), RUGA_ERROR_INPUT);
    assert_status(load_written(r, *state, 2, NAN, good, 2), RUGA_ERROR_INPUT);

    const saved_contact swapped[2] = {good[1], good[0]}, same[2] = {good[0], good[0]};
    assert_status(load_written(r, *state, 2, 0.01, swapped, 2), RUGA_ERROR_INPUT);
    assert_message_has(*state, "out of order");
    assert_status(load_written(r, *state, 2, 0.01, same, 2), RUGA_ERROR_INPUT);
    for (int k = 0; k < 5; k++) {
        saved_contact bad = good[0];
        if (k == 0) bad.words[0] = 3;
        if (k == 1) bad.words[3] = 3;
        if (k == 2) bad.words[4] = 2;
        if (k == 3) bad.numbers[6] = INFINITY;
        if (k == 4) bad.numbers[0] = -1;
        assert_status(load_written(r, *state, 1, 0.01, &bad, 1), RUGA_ERROR_INPUT);
    }
    repulsion_destroy(r);
}

static void a_law_that_can_not_be_is_an_error(void **state) {
    repulsion *r = NULL;
    collider ball = {.kind = COLLIDER_SPHERE, .radius = 1};
    for (int k = 0; k < 7; k++) {
        repulsion_law law = stage_law();
        if (k == 0) law.spring = -0.1;
        if (k == 1) law.spring = 1.1;
        if (k == 2) law.spring = NAN;
        if (k == 3) law.static_ratio = 0.9;
        if (k == 4) law.static_ratio = INFINITY;
        if (k == 5) law.rounds = 0;
        if (k == 6) law.planes = &ball, law.plane_count = 1;
        assert_status(repulsion_create(*state, &law, &r), RUGA_ERROR_INPUT);
        assert_null(r);
    }
    repulsion_destroy(NULL);
}

/* Uses a mesh, pairs and a state that are there, so that only repulsion's own allocations fail. */
static ruga_status use_repulsion(ruga_context *context, void *user) {
    stage *s = user;
    size_t size, touching;
    void *bytes = saved_history(s, &size);
    collider plane = {.kind = COLLIDER_PLANE};
    plane.axes[1] = vec3_make(0, 1, 0);
    repulsion_law law = stage_law();
    law.planes = &plane, law.plane_count = 1;
    repulsion *r = NULL;
    contact_mesh_take(s->mesh, s->pointers);
    ruga_status status = repulsion_create(context, &law, &r);
    if (!RUGA_FAILED(status)) status = load_history(r, context, bytes, size);
    if (!RUGA_FAILED(status)) status = repulsion_apply(r, s->mesh, &s->pairs, NULL, s->dt, &touching);
    repulsion_destroy(r);
    memory_release(s->context, bytes);
    return status;
}

static void every_allocation_may_fail(void **state) {
    stage s;
    open_heap(&s, *state);
    stage_step(&s);
    assert_at_most(9, assert_every_allocation_may_fail(use_repulsion, &s));
    stage_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_of_plates_rests),
        cmocka_unit_test(rest_does_not_depend_on_the_substep),
        cmocka_unit_test(an_overlap_goes_by_a_part_in_each_substep_and_nothing_bounces),
        cmocka_unit_test(edges_within_a_flat_floor_are_not_felt),
        cmocka_unit_test(a_moving_floor_carries_what_lies_on_it),
        cmocka_unit_test(a_plane_stops_what_would_end_behind_it),
        cmocka_unit_test(a_thickness_above_the_edges_moves_nothing_at_rest),
        cmocka_unit_test(what_is_apart_or_ignored_keeps_its_bits),
        cmocka_unit_test(what_went_through_is_pushed_back_to_its_side),
        cmocka_unit_test(edges_that_turn_past_each_other_stay_on_their_sides),
        cmocka_unit_test(holds_name_the_surface_that_stopped_a_vertex),
        cmocka_unit_test(what_was_held_is_held_while_it_is_near),
        cmocka_unit_test(a_kinematic_vertex_holds_the_corner_under_it),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(the_steady_state_allocates_nothing),
        cmocka_unit_test(a_loaded_history_continues_with_the_same_bits),
        cmocka_unit_test(a_damaged_history_is_an_error),
        cmocka_unit_test(a_law_that_can_not_be_is_an_error),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
