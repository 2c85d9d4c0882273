/* A loaded world is bit-identical to the saved one, does not depend on the number of threads, and gets other meshes. */
#include <math.h>

#include "linalg/map.h"
#include "support/subdivided.h"
#include "system/fixture.h"
#include "wrinkle/displace_part.h"
#include "wrinkle/subdivide_part.h"

#define FRAME (1.0 / 24)

static const collider things[2] = {
    {.kind = COLLIDER_PLANE, .point = {0, -0.2, 0}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .friction = 0.2},
    {.kind = COLLIDER_SPHERE, .point = {0.5, -0.3, -0.5}, .radius = 0.4, .friction = 0.5}};

static ruga_status sway(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *mesh = user;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        positions[i] = vec3_add(mesh->positions[i], (ruga_vec3){0.2 * sin(3 * time), 0, 0.1 * cos(7 * time)});
    return RUGA_OK;
}

/* Every part with a state: a body that stirs itself, embedded, with a hook; an animated one that collides; details of
 * both kinds; contact that counts. Not yet settled. */
typedef struct everything {
    ruga_mesh *coarse, *sheet;
    fine finer;
    world *w;
} everything;

static everything everything_make(ruga_context *context, size_t n, int touching) {
    everything e = {.coarse = shape_sheet(context, n, n), .sheet = shape_sheet(context, n, n)};
    e.finer = subdivide(e.coarse, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    assert_ok(context, world_create(context, &e.w));
    *world_environment(e.w) =
        (environment){.gravity = {0, -9.81, 0},
                      .wind = {.velocity = {2, 0, 1}, .gust = 0.8, .gust_size = 0.3, .gust_time = 0.5, .seed = 9},
                      .collider_count = 2,
                      .colliders = things};
    add_test_body(context, e.w, e.finer.mesh,
                  &(test_body_def){.name = "net",
                                   .mass = 0.2,
                                   .stiffness = 30,
                                   .drag = 0.05,
                                   .stir = 0.1,
                                   .coarse = e.coarse,
                                   .embedding = e.finer.map});
    const test_hook_def swing = {.name = "h", .force = {0.1, 0, 0}, .shift = {0, 1e-4, 0}, .slow = 0.01};
    add_test_hook(context, e.w, 0, &swing);
    part *h;
    assert_ok(context, collide_part_create(context, 0.01, &h));
    assert_ok(context, world_add_part(e.w, 0, h));
    add_test_detail(context, e.w, 0, &(test_detail_def){.name = "d", .delay = 0.1, .lift = 0.1});
    add_test_detail(context, e.w, 0, &(test_detail_def){.name = "d", .lift = 0.1});
    add_test_detail(context, e.w, 0, &(test_detail_def){.name = "d", .delay = 0.2, .gives_normals = 1});

    ruga_motion *motion;
    body *b;
    size_t object;
    assert_ok(context, ruga_motion_from_function(context, e.sheet->vertex_count, 0, 9, sway, e.sheet, &motion));
    const ruga_animated_def animated = {.start = NAN, .speed = 1};
    assert_ok(context, body_animated_create(e.sheet, &animated, motion, 1, NULL, &b));
    assert_ok(context, world_add_object(e.w, "banner", b, &object));
    assert_ok(context, collide_part_create(context, 0.02, &h));
    assert_ok(context, world_add_part(e.w, object, h));
    add_test_detail(context, e.w, object, &(test_detail_def){.name = "d", .lift = 0.3});
    if (touching) add_test_contact(context, e.w, &(test_contact_def){.distance = 0.03});
    world_want_normals(e.w, 1);
    return e;
}

static void everything_release(everything *e) {
    world_destroy(e->w);
    fine_release(e->finer);
    ruga_mesh_destroy(e->coarse);
    ruga_mesh_destroy(e->sheet);
}

static void step_to(ruga_context *context, world *w, int from, int to) {
    for (int f = from; f <= to; f++) assert_ok(context, world_step(w, f * FRAME, 3, f == 1 ? 0 : 1, 1));
}

static void a_loaded_world_continues_bit_identical(void **state) {
    ruga_context *context = *state;
    everything through = everything_make(context, 5, 1), resumed = everything_make(context, 5, 1);
    assert_ok(context, world_settle(through.w, 0, 0));
    assert_ok(context, world_settle(resumed.w, 0, 0));
    uint64_t hashes[12];
    size_t size;
    void *saved = NULL;
    for (int f = 1; f <= 11; f++) {
        step_to(context, through.w, f, f);
        hashes[f] = hash_of(context, through.w);
        if (f > 1) assert_int_not_equal(hashes[f], hashes[f - 1]);
        if (f == 5) saved = state_of(context, through.w, &size);
    }
    /* Into a fresh world, and into one that went elsewhere. */
    everything stray = everything_make(context, 5, 1);
    step_to(context, stray.w, 1, 3);
    world *worlds[3] = {resumed.w, stray.w, through.w};
    for (int i = 0; i < 3; i++) {
        assert_ok(context, load_state(context, worlds[i], saved, size));
        assert_equal_case(world_time(worlds[i]), 5 * FRAME, "i %d", i);
        assert_true(hash_of(context, worlds[i]) == hashes[5]);
        for (int f = 6; f <= 11; f++) {
            step_to(context, worlds[i], f, f);
            assert_true(hash_of(context, worlds[i]) == hashes[f]);
        }
    }
    free(saved);
    everything_release(&stray);
    everything_release(&through);
    everything_release(&resumed);
}

/* The state of each part decides what comes: if one were missing, the test above could not find it. */
static void every_part_has_a_state_that_matters(void **state) {
    ruga_context *context = *state;
    everything a = everything_make(context, 4, 1);
    assert_ok(context, world_settle(a.w, 0, 0));
    step_to(context, a.w, 1, 3);
    size_t size;
    unsigned char *saved = state_of(context, a.w, &size);
    step_to(context, a.w, 4, 6);
    uint64_t right = hash_of(context, a.w);
    int parts = 0;
    /* Each part keeps one number in an entry "NMBR": tag, version, size, then the number. */
    for (size_t i = 0; i + 24 <= size; i++) {
        if (memcmp(saved + i, "NMBR", 4)) continue;
        parts++;
        saved[i + 16] ^= 1;
        saved[i + 21] ^= 64;
        assert_ok(context, load_state(context, a.w, saved, size));
        step_to(context, a.w, 4, 6);
        assert_true(hash_of(context, a.w) != right);
        saved[i + 16] ^= 1;
        saved[i + 21] ^= 64;
    }
    assert_int_equal(parts, 5);
    assert_ok(context, load_state(context, a.w, saved, size));
    step_to(context, a.w, 4, 6);
    assert_true(hash_of(context, a.w) == right);
    free(saved);
    everything_release(&a);
}

static void the_number_of_threads_changes_nothing(void **state) {
    (void)state;
    const int threads[3] = {1, 2, 5};
    uint64_t hashes[3][2];
    for (int i = 0; i < 3; i++) {
        ruga_context *context = context_plain(threads[i]);
        /* One small world that touches, and one whose loops have several blocks. */
        for (int large = 0; large < 2; large++) {
            everything e = everything_make(context, large ? 70 : 5, !large);
            assert_ok(context, world_settle(e.w, 0, 0));
            step_to(context, e.w, 1, large ? 2 : 8);
            hashes[i][large] = hash_of(context, e.w);
            everything_release(&e);
        }
        ruga_context_destroy(context);
        assert_true(hashes[i][0] == hashes[0][0]);
        assert_true(hashes[i][1] == hashes[0][1]);
    }
}

/* ---- States that do not fit. */

static world *plain_world(ruga_context *context, const ruga_mesh *mesh, const char *name, int hooks) {
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = name, .mass = 1});
    for (int i = 0; i < hooks; i++) add_test_hook(context, w, 0, &(test_hook_def){.name = "h"});
    return w;
}

static void a_state_of_another_world_is_refused_untouched(void **state) {
    ruga_context *context = *state;
    ruga_mesh *small = shape_sheet(context, 2, 2), *large = shape_sheet(context, 3, 3);
    world *others[5] = {plain_world(context, small, "b", 1), plain_world(context, large, "a", 1),
                        plain_world(context, small, "a", 2), plain_world(context, small, "a", 1),
                        plain_world(context, small, "a", 1)};
    static const char *const messages[5] = {"another name or other parts", "number of points",
                                            "another name or other parts", "2 objects", "holds no \"TOPO\""};
    add_test_body(context, others[3], small, &(test_body_def){.name = "c", .mass = 1});
    world_body(others[4], 0)->revision = 3;
    world *w = plain_world(context, small, "a", 1);
    step_to(context, w, 1, 2);
    uint64_t before = hash_of(context, w);
    for (int i = 0; i < 5; i++) {
        size_t size;
        void *saved = state_of(context, others[i], &size);
        assert_status(load_state(context, w, saved, size), RUGA_ERROR_INPUT);
        assert_message_has(context, messages[i]);
        assert_true(hash_of(context, w) == before);
        free(saved);
        world_destroy(others[i]);
    }
    world_destroy(w);
    ruga_mesh_destroy(small);
    ruga_mesh_destroy(large);
}

static void a_state_that_is_cut_short_is_refused(void **state) {
    ruga_context *context = *state;
    everything e = everything_make(context, 2, 1);
    assert_ok(context, world_settle(e.w, 0, 0));
    step_to(context, e.w, 1, 1);
    size_t size;
    void *saved = state_of(context, e.w, &size);
    for (size_t cut = 0; cut < size; cut++) assert_status(load_state(context, e.w, saved, cut), RUGA_ERROR_INPUT);
    assert_ok(context, load_state(context, e.w, saved, size));
    /* The time stands first in the entry "WRLD", behind the header of the state and its own. */
    const double no_time = NAN;
    memcpy((unsigned char *)saved + 12 + 16, &no_time, sizeof no_time);
    assert_status(load_state(context, e.w, saved, size), RUGA_ERROR_INPUT);
    assert_message_has(context, "its time is");
    free(saved);
    everything_release(&e);
}

/* Whatever stands in the bytes, loading ends and the world can be destroyed. */
static void a_damaged_state_does_no_harm(void **state) {
    ruga_context *context = *state;
    everything e = everything_make(context, 2, 1);
    assert_ok(context, world_settle(e.w, 0, 0));
    size_t size;
    unsigned char *saved = state_of(context, e.w, &size);
    test_random random = {5};
    for (int i = 0; i < 2000; i++) {
        size_t place = random_bits(&random) % size;
        unsigned char flip = (unsigned char)(1 + random_bits(&random) % 255);
        saved[place] ^= flip;
        ruga_status status = load_state(context, e.w, saved, size);
        assert_true(status == RUGA_OK || status == RUGA_ERROR_INPUT);
        saved[place] ^= flip;
    }
    free(saved);
    everything_release(&e);
}

/* ---- Another mesh. */

static void a_rebuilt_object_continues_with_the_mapped_state(void **state) {
    ruga_context *context = *state;
    call_log log = {0};
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    fine finer = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    world *w;
    assert_ok(context, world_create(context, &w));
    body *b =
        add_test_body(context, w, mesh, &(test_body_def){.name = "a", .log = &log, .mass = 1, .velocity = {1, 2, 3}});
    add_test_hook(context, w, 0, &(test_hook_def){.name = "h", .log = &log, .slow = 0.1});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d1", .log = &log, .delay = 0.5});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d2", .log = &log, .lift = 1, .gives_normals = 1});
    world_want_normals(w, 1);
    assert_ok(context, world_settle(w, 0, 1));
    step_to(context, w, 1, 3);
    ruga_vec3 old[16], expected[49];
    assert_int_equal(finer.mesh->vertex_count, 49);
    memcpy(old, b->positions, sizeof old);
    ruga_map_apply(finer.map, world_frame(w, 0)->positions, expected);
    uint64_t revision = world_frame(w, 0)->topology_revision;

    size_t early_size, size;
    void *early = state_of(context, w, &early_size), *saved;

    call_log_clear(&log);
    assert_ok(context, world_rebuild(w, 0, finer.mesh, finer.map));
    assert_string_equal(log.text, "a.rebuild h.rebuild d1.rebuild d2.rebuild d2.update ");
    const ruga_frame *frame = world_frame(w, 0);
    assert_int_equal(frame->topology_revision, revision + 1);
    assert_int_equal(frame->vertex_count, 49);
    assert_ptr_equal(world_mesh(w, 0), finer.mesh);
    assert_int_equal(b->point_count, 49);
    for (size_t i = 0; i < 49; i++) {
        assert_less_case(vec3_distance(frame->positions[i], expected[i]), 1e-15, "i %zu", i);
        assert_equal_case(frame->normals[i].z, 1, "i %zu", i);
        assert_near_case(b->velocities[i].x, pow(0.9, 9), 1e-14, "i %zu", i);
    }
    /* The old vertices are bit-identical. */
    assert_memory_equal(b->positions, old, sizeof old);
    step_to(context, w, 4, 6);
    assert_int_equal(world_frame(w, 0)->topology_revision, revision + 1);

    /* A state from before the change brings its topology back, and so does one from after it. */
    saved = state_of(context, w, &size);
    assert_ok(context, load_state(context, w, early, early_size));
    assert_int_equal(world_frame(w, 0)->topology_revision, revision);
    assert_ptr_equal(world_mesh(w, 0), mesh);
    assert_memory_equal(b->positions, old, sizeof old);
    assert_ok(context, load_state(context, w, saved, size));
    assert_int_equal(world_frame(w, 0)->topology_revision, revision + 1);
    assert_int_equal(b->point_count, 49);
    free(early);
    free(saved);
    world_destroy(w);
    fine_release(finer);
    ruga_mesh_destroy(mesh);
}

/* A detail with a mesh of its own hands a map of its own on to the next. */
static void a_rebuild_goes_through_details_with_their_own_meshes(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    fine finer = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    const ruga_subdivide_def thirds = subdivide_def(RUGA_SUBDIVIDE_REGULAR, 3, 0);
    world *w;
    part *d;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1, .velocity = {0, 1, 0}});
    assert_ok(context, subdivide_part_create(mesh, &thirds, &d));
    assert_ok(context, world_add_part(w, 0, d));
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d", .delay = 0.5});
    assert_ok(context, world_settle(w, 0, 1));
    step_to(context, w, 1, 2);
    double height = world_frame(w, 0)->positions[0].y;
    assert_less(0, height);
    assert_ok(context, world_rebuild(w, 0, finer.mesh, finer.map));
    /* The sheet is flat and rises evenly: every vertex of every mesh is where all were. */
    const ruga_frame *frame = world_frame(w, 0);
    assert_int_equal(frame->vertex_count, world_mesh(w, 0)->vertex_count);
    assert_int_equal(world_mesh(w, 0)->triangle_count, 9 * finer.mesh->triangle_count);
    for (size_t i = 0; i < frame->vertex_count; i++) assert_near_case(frame->positions[i].y, height, 1e-14, "i %zu", i);
    step_to(context, w, 3, 4);
    world_destroy(w);
    fine_release(finer);
    ruga_mesh_destroy(mesh);
}

/* Attributes of the old mesh come along, and with them parameters that name them. */
static void attributes_follow_a_rebuild(void **state) {
    ruga_context *context = *state;
    ruga_mesh *plain = shape_sheet(context, 2, 2);
    double painted[9];
    for (size_t v = 0; v < 9; v++) painted[v] = plain->positions[v].x;
    const ruga_attribute attribute = {
        .name = "lift", .domain = RUGA_DOMAIN_VERTEX, .type = RUGA_F64, .components = 1, .count = 9, .values = painted};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)plain->positions, 9, 0, RUGA_F64};
    def.face_count = plain->triangle_count;
    def.face_vertices = plain->triangles;
    def.attribute_count = 1;
    def.attributes = &attribute;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    fine finer = subdivide(plain, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    assert_null(ruga_mesh_attribute(finer.mesh, "lift", RUGA_DOMAIN_VERTEX));
    world *w;
    body *b;
    part *d;
    size_t object;
    const ruga_param amount = ruga_param_attribute("lift");
    assert_ok(context, world_create(context, &w));
    assert_ok(context, body_static_create(mesh, &b));
    assert_ok(context, world_add_object(w, "sheet", b, &object));
    assert_ok(context, displace_part_create(mesh, &amount, &d));
    assert_ok(context, world_add_part(w, 0, d));
    assert_ok(context, world_settle(w, 0, 1));
    assert_ok(context, world_rebuild(w, 0, finer.mesh, finer.map));
    const ruga_frame *frame = world_frame(w, 0);
    assert_int_equal(frame->vertex_count, 25);
    for (size_t v = 0; v < 25; v++)
        assert_near_case(frame->positions[v].y, finer.mesh->positions[v].x, 1e-15, "vertex %zu", v);
    world_destroy(w);
    fine_release(finer);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(plain);
}

static void what_cannot_follow_says_so(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    fine finer = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0),
         finest = subdivide(finer.mesh, RUGA_SUBDIVIDE_LOOP, 1, 0);
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, finer.mesh,
                  &(test_body_def){.name = "net", .mass = 1, .coarse = mesh, .embedding = finer.map});
    body *b;
    size_t object;
    assert_ok(context, body_static_create(mesh, &b));
    assert_ok(context, world_add_object(w, "stone", b, &object));
    assert_status(world_rebuild(w, 0, finest.mesh, finest.map), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "object \"net\": a test body can't become another mesh");
    assert_status(world_rebuild(w, 1, finest.mesh, finest.map), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "object \"stone\"");
    assert_status(world_rebuild(w, 1, mesh, finer.map), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "16 vertices, but the map gives 49");
    assert_ok(context, world_step(w, FRAME, 1, 1, 1));
    world_destroy(w);

    part *d;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "net", .mass = 1});
    assert_ok(context, test_detail_create(mesh, &(test_detail_def){.name = "d"}, &d));
    const part_interface fixed = {.update = d->interface->update, .destroy = d->interface->destroy};
    d->interface = &fixed;
    assert_ok(context, world_add_part(w, 0, d));
    assert_status(world_rebuild(w, 0, finer.mesh, finer.map), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "object \"net\": part \"rise\" can't follow");
    world_destroy(w);
    fine_release(finest);
    fine_release(finer);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loaded_world_continues_bit_identical),
        cmocka_unit_test(every_part_has_a_state_that_matters),
        cmocka_unit_test(the_number_of_threads_changes_nothing),
        cmocka_unit_test(a_state_of_another_world_is_refused_untouched),
        cmocka_unit_test(a_state_that_is_cut_short_is_refused),
        cmocka_unit_test(a_damaged_state_does_no_harm),
        cmocka_unit_test(a_rebuilt_object_continues_with_the_mapped_state),
        cmocka_unit_test(a_rebuild_goes_through_details_with_their_own_meshes),
        cmocka_unit_test(attributes_follow_a_rebuild),
        cmocka_unit_test(what_cannot_follow_says_so),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
