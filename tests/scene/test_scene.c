/* Scenes built in memory, without any file: they step, their state is complete and the same for any number of threads,
 * and a restored state is bit-identical. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "scene/tables.h"
#include "support/shapes.h"

#define FPS 24.0

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(2);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    return 0;
}

/* ---- A scene with a part of every kind: a sheet that a function waves, refined, displaced and jiggled in gusts, and a
 * rigid ball that collides. */

typedef struct stage {
    ruga_mesh *sheet;
    ruga_motion *motion;
    ruga_scene_def def;
    ruga_object_def objects[2];
    ruga_variant edits[1], details[3], hooks[1], colliders[2];
    ruga_displace_def displace;
    ruga_jiggle_def jiggle;
    ruga_rigid_def rigid;
    ruga_rigid_key keys[2];
} stage;

/* Affine in the points, so that it commutes with refining. */
static ruga_status sway(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *mesh = user;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        vec3 p = mesh->positions[i];
        positions[i] = (vec3){p.x + 0.3 * sin(5 * time) * p.z, p.y + 0.2 * time * p.x, p.z + 0.1 * time};
    }
    return RUGA_OK;
}

static ruga_variant kind(const char *path, void *values) {
    const ruga_section *section = ruga_scene_section_find(path);
    assert_non_null(section);
    if (values) ruga_section_defaults(section, values);
    return (ruga_variant){section, values};
}

/* The sheet has 12 by 9 cells times `size` squared, and its details sixteen times as many. */
static void stage_make_sized(ruga_context *c, stage *s, size_t size) {
    memset(s, 0, sizeof *s);
    s->sheet = shape_sheet(c, 12 * size, 9 * size);
    assert_ok(c, ruga_motion_from_function(c, s->sheet->vertex_count, 0, 10, sway, s->sheet, &s->motion));
    s->def = ruga_scene_def_default();
    s->def.wind.velocity = (vec3){2, 0, 1};
    s->def.wind.gust = 0.5;
    s->def.time.substeps = 2;
    s->def.time.preroll = 3;

    ruga_object_def *sheet = &s->objects[0], *ball = &s->objects[1];
    *sheet = ruga_object_def_default();
    sheet->name = "sheet";
    sheet->given_mesh = s->sheet;
    sheet->given_motion = s->motion;
    sheet->body = kind("objects.body.animated", NULL);
    sheet->move = (vec3){0, 1, 0};
    sheet->turn = (vec3){30, 0, 90};
    sheet->scale = 2;
    sheet->material = "cotton";
    s->edits[0] = kind("objects.edits.subdivide", NULL);
    sheet->edits = (ruga_list){s->edits, 1};
    s->details[0] = kind("objects.details.subdivide", NULL);
    s->details[1] = kind("objects.details.displace", &s->displace);
    s->displace.amount.constant = 0.01;
    s->details[2] = kind("objects.details.jiggle", &s->jiggle);
    sheet->details = (ruga_list){s->details, 3};

    *ball = ruga_object_def_default();
    ball->name = "ball";
    ball->mesh = kind("objects.mesh.sphere", NULL);
    ball->body = kind("objects.body.rigid", &s->rigid);
    s->keys[0] = (ruga_rigid_key){.time = 0, .move = {0, 1, 0}};
    s->keys[1] = (ruga_rigid_key){.time = 1, .move = {0, 0.2, 0}, .turn = {0, 120, 40}};
    s->rigid.keys = (ruga_list){s->keys, 2};
    s->hooks[0] = kind("objects.hooks.collide", NULL);
    ball->hooks = (ruga_list){s->hooks, 1};

    s->colliders[0] = kind("colliders.plane", NULL);
    s->colliders[1] = kind("colliders.box", NULL);
    s->def.colliders = (ruga_list){s->colliders, 1};
    s->def.objects = (ruga_list){s->objects, 2};
}

static void stage_make(ruga_context *c, stage *s) { stage_make_sized(c, s, 1); }

static void stage_release(stage *s) {
    ruga_motion_destroy(s->motion);
    ruga_mesh_destroy(s->sheet);
}

static ruga_scene *scene_make(ruga_context *c, const ruga_scene_def *def) {
    ruga_scene *scene = NULL;
    assert_ok(c, ruga_scene_create(c, def, &scene));
    return scene;
}

static void step(ruga_context *c, ruga_scene *scene, int frames) {
    for (int i = 0; i < frames; i++) assert_ok(c, ruga_scene_step(scene));
}

static uint64_t hash_of(ruga_context *c, const ruga_scene *scene) {
    uint64_t hash = 0;
    assert_ok(c, ruga_scene_state_hash(scene, &hash));
    return hash;
}

/* ---- Time. */

static void frames_are_counted_from_the_start_frame_and_stand_at_their_times(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    s.def.time.start_frame = 7;
    ruga_scene *scene = scene_make(context, &s.def);
    assert_int_equal(ruga_scene_frame_number(scene), 6);
    for (int f = 7; f < 12; f++) {
        step(context, scene, 1);
        assert_int_equal(ruga_scene_frame_number(scene), f);
        assert_equal_case(ruga_scene_time(scene), f / FPS, "f %d", f);
        assert_equal_case(ruga_scene_frame(scene, 0)->time, f / FPS, "f %d", f);
    }
    ruga_scene_destroy(scene);
    stage_release(&s);
}

static void a_scene_without_objects_is_only_time_that_passes(void **state) {
    (void)state;
    ruga_scene_def def = ruga_scene_def_default();
    def.time.preroll = 2;
    ruga_scene *scene = scene_make(context, &def);
    step(context, scene, 3);
    assert_equal(ruga_scene_time(scene), 2 / FPS);
    assert_int_equal(ruga_scene_object_count(scene), 0);
    hash_of(context, scene);
    ruga_scene_destroy(scene);
}

static void objects_are_found_by_name(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    ruga_scene *scene = scene_make(context, &s.def);
    assert_int_equal(ruga_scene_object_count(scene), 2);
    assert_int_equal(ruga_scene_object_find(scene, "ball"), 1);
    assert_int_equal(ruga_scene_object_find(scene, "nobody"), 2);
    assert_string_equal(ruga_scene_object_name(scene, 0), "sheet");
    assert_null(ruga_scene_object_name(scene, 2));
    assert_null(ruga_scene_object_mesh(scene, 2));
    assert_null(ruga_scene_frame(scene, 2));
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(ruga_scene_frame(scene, i)->vertex_count, ruga_scene_object_mesh(scene, i)->vertex_count);
    ruga_scene_destroy(scene);
    stage_release(&s);
}

/* ---- Motion. */

/* The sheet's place: turned about x by 30 degrees, then about z by 90, doubled, lifted by 1. And back. */
static vec3 placed(vec3 p) {
    double c = cos(acos(-1) / 6), y = c * p.y - 0.5 * p.z, z = 0.5 * p.y + c * p.z;
    return (vec3){-2 * y, 2 * p.x + 1, 2 * z};
}

static vec3 unplaced(vec3 p) {
    double c = cos(acos(-1) / 6), y = -p.x / 2, z = p.z / 2;
    return (vec3){(p.y - 1) / 2, c * y + 0.5 * z, c * z - 0.5 * y};
}

/* Edits refine the mesh, and the coarse motion still moves it: first through the maps of the edits, then through the
 * placement. The motion is affine, so the new vertices follow it exactly. */
static void a_motion_goes_through_edits_and_placement(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    s.def.time.preroll = 0;
    s.objects[0].details.count = 0;
    ruga_variant edits[2] = {kind("objects.edits.subdivide", NULL), kind("objects.edits.subdivide", NULL)};
    s.objects[0].edits = (ruga_list){edits, 2};
    ruga_scene *scene = scene_make(context, &s.def);
    const ruga_mesh *fine = ruga_scene_object_mesh(scene, 0);
    assert_int_equal(fine->triangle_count, 16 * s.sheet->triangle_count);
    ruga_vec3 *expected = malloc(fine->vertex_count * sizeof *expected);
    ruga_mesh rest = {.vertex_count = fine->vertex_count, .positions = expected};
    for (int f = 0; f < 3; f++) {
        step(context, scene, 1);
        for (size_t i = 0; i < fine->vertex_count; i++) expected[i] = unplaced(fine->positions[i]);
        sway(&rest, f / FPS, expected);
        for (size_t i = 0; i < fine->vertex_count; i++)
            assert_less_case(vec3_distance(ruga_scene_frame(scene, 0)->positions[i], placed(expected[i])), 1e-12,
                             "f %d, i %zu", f, i);
    }
    free(expected);
    ruga_scene_destroy(scene);
    stage_release(&s);
}

/* The motion's clock: it begins at `start`, goes `speed` times as fast, and begins again if it is a cycle. */
static void animated_bodies_have_a_clock_of_their_own(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    ruga_motion *motion = NULL;
    assert_ok(context, ruga_motion_from_function(context, s.sheet->vertex_count, 0, 0.5, sway, s.sheet, &motion));
    ruga_animated_def animated;
    s.objects[0].body = kind("objects.body.animated", &animated);
    animated.start = 0.1;
    animated.speed = 2;
    animated.cycle = 1;
    s.objects[0].given_motion = motion;
    s.objects[0].move = s.objects[0].turn = (vec3){0, 0, 0};
    s.objects[0].scale = 1;
    s.objects[0].details.count = 0;
    s.def.time.preroll = 0;
    s.def.time.start_frame = 6;
    s.def.objects.count = 1;
    ruga_scene *scene = scene_make(context, &s.def);
    ruga_vec3 *expected = malloc(s.sheet->vertex_count * sizeof *expected);
    int compared = 0;
    for (int f = 6; f < 18; f++) {
        step(context, scene, 1);
        double t = fmod(2 * (f / FPS - 0.1), 0.5);
        sway(s.sheet, t, expected);
        if (t > 0.4999) continue; /* at the end of a cycle, rounding decides on which side it is */
        for (size_t i = 0; i < s.sheet->vertex_count; i++)
            assert_less_case(vec3_distance(ruga_scene_frame(scene, 0)->positions[i], expected[i]), 1e-12,
                             "frame %d, vertex %zu", f, i);
        compared++;
    }
    assert_ran(compared, 10);
    free(expected);
    ruga_scene_destroy(scene);
    ruga_motion_destroy(motion);
    stage_release(&s);
}

/* A mannequin moves as the motion of its model does, at the object's place. */
static void an_action_moves_a_mannequin(void **state) {
    (void)state;
    ruga_scene_def def = ruga_scene_def_default();
    ruga_object_def object = ruga_object_def_default();
    ruga_animated_def animated;
    object.name = "she";
    object.mesh = kind("objects.mesh.mannequin", NULL);
    object.body = kind("objects.body.animated", &animated);
    assert_null(animated.action.section);
    animated.action = kind("objects.body.animated.action.walk", NULL);
    object.move = (vec3){1, 0, 0};
    def.objects = (ruga_list){&object, 1};
    ruga_scene *scene = scene_make(context, &def);
    step(context, scene, 13);
    ruga_motion *motion = NULL;
    assert_ok(context, ruga_model_motion(context, "mannequin", NULL, "walk", NULL, &motion));
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    ruga_vec3 *expected = malloc(frame->vertex_count * sizeof *expected);
    assert_int_equal(ruga_motion_get_info(motion).vertex_count, frame->vertex_count);
    assert_ok(context, ruga_motion_sample(motion, 12 / FPS, expected));
    for (size_t i = 0; i < frame->vertex_count; i++)
        assert_less_case(vec3_distance(frame->positions[i], vec3_add(expected[i], object.move)), 1e-12, "i %zu", i);
    free(expected);
    ruga_motion_destroy(motion);
    ruga_scene_destroy(scene);
}

/* ---- Wind. */

static uint64_t hash_in_wind(double gust, double size, double time, int seed) {
    stage s;
    stage_make(context, &s);
    s.def.wind =
        (ruga_wind_def){.velocity = {2, 0, 1}, .gust = gust, .gust_size = size, .gust_time = time, .seed = seed};
    ruga_scene *scene = scene_make(context, &s.def);
    step(context, scene, 3);
    uint64_t hash = hash_of(context, scene);
    ruga_scene_destroy(scene);
    stage_release(&s);
    return hash;
}

/* Every number of the wind arrives at the vertices. */
static void gusts_follow_their_numbers(void **state) {
    (void)state;
    const uint64_t usual = hash_in_wind(0.5, 1, 1, 1);
    assert_true(usual == hash_in_wind(0.5, 1, 1, 1));
    assert_true(usual != hash_in_wind(0.6, 1, 1, 1));
    assert_true(usual != hash_in_wind(0.5, 2, 1, 1));
    assert_true(usual != hash_in_wind(0.5, 1, 2, 1));
    assert_true(usual != hash_in_wind(0.5, 1, 1, 2));
    assert_true(hash_in_wind(0, 1, 1, 1) == hash_in_wind(0, 1, 1, 2));
}

static void rigid_bodies_keep_all_lengths(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    s.objects[1].hooks.count = 0;
    ruga_scene *scene = scene_make(context, &s.def);
    step(context, scene, 10);
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 1);
    const ruga_vec3 *p = ruga_scene_frame(scene, 1)->positions;
    for (size_t c = 0; c < 3 * mesh->triangle_count; c++) {
        uint32_t a = mesh->triangles[c], b = mesh->triangles[c - c % 3 + (c + 1) % 3];
        double rest = vec3_distance(mesh->positions[a], mesh->positions[b]);
        assert_near_case(vec3_distance(p[a], p[b]), rest, 1e-12, "c %zu", c);
    }
    ruga_scene_destroy(scene);
    stage_release(&s);
}

/* The first frame after a pre-roll stands exactly where it stands without one. */
static void a_preroll_ends_in_the_pose_of_the_first_frame(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    s.objects[0].details.count = 0;
    s.objects[1].hooks.count = 0;
    s.def.time.start_frame = 5;
    ruga_scene *rolled = scene_make(context, &s.def);
    s.def.time.preroll = 0;
    ruga_scene *straight = scene_make(context, &s.def);
    step(context, rolled, 1);
    step(context, straight, 1);
    for (size_t o = 0; o < 2; o++) {
        const ruga_frame *a = ruga_scene_frame(rolled, o), *b = ruga_scene_frame(straight, o);
        for (size_t i = 0; i < a->vertex_count; i++)
            assert_less_case(vec3_distance(a->positions[i], b->positions[i]), 1e-12, "o %zu, i %zu", o, i);
    }
    ruga_scene_destroy(rolled);
    ruga_scene_destroy(straight);
    stage_release(&s);
}

/* ---- State. */

static void state_hashes_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    const int threads[] = {1, 2, 5};
    uint64_t hashes[3][4];
    for (int t = 0; t < 3; t++) {
        ruga_context *c = context_plain(threads[t]);
        stage s;
        stage_make_sized(c, &s, 5);
        ruga_scene *scene = scene_make(c, &s.def);
        for (int f = 0; f < 4; f++) {
            step(c, scene, 1);
            hashes[t][f] = hash_of(c, scene);
        }
        ruga_scene_destroy(scene);
        stage_release(&s);
        ruga_context_destroy(c);
    }
    for (int f = 0; f < 4; f++) {
        assert_true(hashes[0][f] == hashes[1][f] && hashes[0][f] == hashes[2][f]);
        if (f > 0) assert_true(hashes[0][f] != hashes[0][f - 1]);
    }
}

static void a_restored_state_continues_bit_identically(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    ruga_scene *one = scene_make(context, &s.def), *two = scene_make(context, &s.def);
    void *start, *saved;
    size_t start_size, size;
    assert_ok(context, ruga_scene_save(one, &start, &start_size));
    step(context, one, 3);
    assert_ok(context, ruga_scene_save(one, &saved, &size));
    step(context, one, 4);
    uint64_t expected = hash_of(context, one);

    /* Into the same scene, into a second one that never stepped, and from the very beginning. */
    assert_ok(context, ruga_scene_restore(one, saved, size));
    assert_int_equal(ruga_scene_frame_number(one), 2);
    step(context, one, 4);
    assert_true(hash_of(context, one) == expected);
    assert_ok(context, ruga_scene_restore(two, saved, size));
    assert_equal(ruga_scene_time(two), 2 / FPS);
    step(context, two, 4);
    assert_true(hash_of(context, two) == expected);
    const ruga_frame *a = ruga_scene_frame(one, 0), *b = ruga_scene_frame(two, 0);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
    assert_ok(context, ruga_scene_restore(two, start, start_size));
    assert_int_equal(ruga_scene_frame_number(two), -1);
    step(context, two, 7);
    assert_true(hash_of(context, two) == expected);

    ruga_free(context, start);
    ruga_free(context, saved);
    ruga_scene_destroy(one);
    ruga_scene_destroy(two);
    stage_release(&s);
}

/* The frame that is shown after restoring is the saved one. */
static void restoring_shows_the_saved_frame(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    ruga_scene *scene = scene_make(context, &s.def);
    step(context, scene, 2);
    size_t count = ruga_scene_frame(scene, 0)->vertex_count, size;
    ruga_vec3 *seen = malloc(count * sizeof *seen);
    memcpy(seen, ruga_scene_frame(scene, 0)->positions, count * sizeof *seen);
    void *saved;
    assert_ok(context, ruga_scene_save(scene, &saved, &size));
    step(context, scene, 2);
    assert_memory_not_equal(seen, ruga_scene_frame(scene, 0)->positions, count * sizeof *seen);
    assert_ok(context, ruga_scene_restore(scene, saved, size));
    assert_memory_equal(seen, ruga_scene_frame(scene, 0)->positions, count * sizeof *seen);
    free(seen);
    ruga_free(context, saved);
    ruga_scene_destroy(scene);
    stage_release(&s);
}

static void a_broken_state_leaves_the_scene_as_it_was(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    ruga_scene *scene = scene_make(context, &s.def);
    step(context, scene, 2);
    void *saved;
    size_t size;
    assert_ok(context, ruga_scene_save(scene, &saved, &size));
    step(context, scene, 2);
    uint64_t before = hash_of(context, scene);
    assert_status(ruga_scene_restore(scene, NULL, 0), RUGA_ERROR_ARGUMENT);
    for (size_t cut = 0; cut < size; cut += 1 + size / 40) {
        assert_true(RUGA_FAILED(ruga_scene_restore(scene, saved, cut)));
        assert_true(hash_of(context, scene) == before);
        assert_int_equal(ruga_scene_frame_number(scene), 3);
    }

    /* Whatever tag within it is wrong, what was taken before it comes back. */
    size_t tags = 0;
    for (unsigned char *at = saved, *end = at + size - 8; at < end; at++) {
        /* Four letters, then a version. */
        int is_tag = at[4] >= 1 && at[4] <= 9 && at[5] + at[6] + at[7] == 0;
        for (int k = 0; k < 4; k++) is_tag &= at[k] >= 'A' && at[k] <= 'Z';
        if (!is_tag) continue;
        tags++;
        at[0] ^= 1;
        assert_status(ruga_scene_restore(scene, saved, size), RUGA_ERROR_INPUT);
        at[0] ^= 1;
        assert_true(hash_of(context, scene) == before);
        assert_int_equal(ruga_scene_frame_number(scene), 3);
    }
    assert_at_most(8, tags);

    /* Frames that the scene never comes to: before its first, and behind the last that can be counted. */
    static const uint32_t frames[] = {(uint32_t)INT_MIN, (uint32_t)-2, INT_MAX};
    unsigned char *frame = (unsigned char *)saved + 12 + 16; /* behind the head of the state and of its entry */
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        for (int k = 0; k < 4; k++) frame[k] = (unsigned char)(frames[i] >> 8 * k);
        assert_status(ruga_scene_restore(scene, saved, size), RUGA_ERROR_INPUT);
        assert_message_has(context, "but the scene begins with frame 0");
        assert_true(hash_of(context, scene) == before);
    }

    /* And so does a state of another scene. */
    s.def.objects.count = 1;
    ruga_scene *other = scene_make(context, &s.def);
    void *foreign;
    size_t foreign_size;
    assert_ok(context, ruga_scene_save(other, &foreign, &foreign_size));
    assert_true(RUGA_FAILED(ruga_scene_restore(scene, foreign, foreign_size)));
    assert_true(hash_of(context, scene) == before);
    ruga_free(context, foreign);
    ruga_free(context, saved);
    ruga_scene_destroy(other);
    ruga_scene_destroy(scene);
    stage_release(&s);
}

/* ---- Measures. */

static void measures_are_timings_and_then_the_solvers(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    ruga_scene *scene = scene_make(context, &s.def);
    step(context, scene, 4);
    size_t count = ruga_scene_measure_count(scene), timings = 0, jiggles = 0;
    double *values = malloc(count * sizeof *values);
    ruga_scene_measures(scene, values);
    assert_string_equal(ruga_scene_measure_info(scene, 0).name, "time.predict");
    for (size_t i = 0; i < count; i++) {
        ruga_measure info = ruga_scene_measure_info(scene, i);
        assert_non_null(info.unit);
        assert_true(isfinite(values[i]));
        timings += (size_t)info.is_time;
        assert_int_equal(info.is_time, i < timings);
        assert_int_equal(info.is_time, strncmp(info.name, "time.", 5) == 0);
        if (strcmp(info.name, "sheet.jiggle.energy") == 0) jiggles += values[i] > 0;
    }
    assert_int_equal(jiggles, 1);
    assert_null(ruga_scene_measure_info(scene, count).name);
    free(values);
    ruga_scene_destroy(scene);
    stage_release(&s);
}

/* Each object is asked once, not once for each measure: else this takes minutes. */
static void thousands_of_objects_are_measured(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    ruga_mesh *mesh = shape_sheet(context, 1, 1);
    ruga_scene_def def = ruga_scene_def_default();
    ruga_object_def *objects = malloc(COUNT * sizeof *objects);
    ruga_variant jiggle = kind("objects.details.jiggle", NULL);
    char names[COUNT][8], expected[32];
    def.wind.velocity = (vec3){1, 0, 0};
    def.objects = (ruga_list){objects, COUNT};
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "o%zu", i);
        objects[i] = ruga_object_def_default();
        objects[i].name = names[i];
        objects[i].given_mesh = mesh;
        objects[i].details = (ruga_list){&jiggle, 1};
    }
    ruga_scene *scene = scene_make(context, &def);
    size_t count = ruga_scene_measure_count(scene), first = count - 2 * COUNT;
    double *values = malloc(count * sizeof *values);
    for (int f = 0; f < 100; f++) ruga_scene_measures(scene, values);
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(expected, sizeof expected, "o%zu.jiggle.offset", i);
        assert_string_equal(ruga_scene_measure_info(scene, first + 2 * i + 1).name, expected);
        assert_less_case(0, values[first + 2 * i + 1], "i %zu", i);
    }
    free(values);
    free(objects);
    ruga_scene_destroy(scene);
    ruga_mesh_destroy(mesh);
}

static void normals_are_given_when_wanted(void **state) {
    (void)state;
    stage s;
    stage_make(context, &s);
    ruga_scene *scene = scene_make(context, &s.def);
    step(context, scene, 1);
    assert_null(ruga_scene_frame(scene, 1)->normals);
    ruga_scene_want_normals(scene, 1);
    step(context, scene, 1);
    const ruga_frame *frame = ruga_scene_frame(scene, 1);
    assert_non_null(frame->normals);
    for (size_t i = 0; i < frame->vertex_count; i++)
        assert_near_case(vec3_length(frame->normals[i]), 1, 1e-12, "i %zu", i);
    ruga_scene_destroy(scene);
    stage_release(&s);
}

/* ---- Memory. */

static void steps_allocate_nothing_once_the_second_frame_is_reached(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *c = context_counting(&counter);
    stage s;
    stage_make(c, &s);
    ruga_scene *scene = scene_make(c, &s.def);
    ruga_scene_want_normals(scene, 1);
    step(c, scene, 2);
    long before = counter.allocations;
    step(c, scene, 5);
    assert_int_equal(counter.allocations, before);
    ruga_scene_destroy(scene);
    stage_release(&s);
    ruga_context_destroy(c);
    assert_int_equal(counter.live, 0);
}

static ruga_status live_once(ruga_context *c, void *user) {
    (void)user;
    stage s = {0};
    ruga_mesh_def mesh = ruga_mesh_def_default();
    static ruga_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    static const uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    mesh.positions = (ruga_view){points, 4, 0, RUGA_F64};
    mesh.face_count = 2;
    mesh.face_vertices = triangles;
    ruga_scene *scene = NULL;
    void *saved = NULL;
    size_t size = 0;
    uint64_t hash;
    ruga_status status = ruga_mesh_create(c, &mesh, &s.sheet);
    if (!RUGA_FAILED(status)) status = ruga_motion_from_function(c, 4, 0, 10, sway, s.sheet, &s.motion);
    if (!RUGA_FAILED(status)) {
        ruga_mesh *sheet = s.sheet;
        ruga_motion *motion = s.motion;
        s.def = ruga_scene_def_default();
        s.objects[0] = ruga_object_def_default();
        s.objects[0].name = "sheet";
        s.objects[0].given_mesh = sheet;
        s.objects[0].given_motion = motion;
        s.objects[0].scale = 2;
        s.objects[0].body = kind("objects.body.animated", NULL);
        s.edits[0] = kind("objects.edits.subdivide", NULL);
        ruga_variant edits[2] = {s.edits[0], s.edits[0]};
        s.objects[0].edits = (ruga_list){edits, 2};
        s.details[0] = kind("objects.details.jiggle", NULL);
        s.objects[0].details = (ruga_list){s.details, 1};
        s.objects[1] = ruga_object_def_default();
        s.objects[1].name = "ball";
        s.objects[1].mesh = kind("objects.mesh.disc", NULL);
        s.objects[1].body = kind("objects.body.rigid", &s.rigid);
        s.keys[0] = (ruga_rigid_key){.time = 0};
        s.rigid.keys = (ruga_list){s.keys, 1};
        s.hooks[0] = kind("objects.hooks.collide", NULL);
        s.objects[1].hooks = (ruga_list){s.hooks, 1};
        s.def.objects = (ruga_list){s.objects, 2};
        status = ruga_scene_create(c, &s.def, &scene);
    }
    for (int i = 0; i < 3 && !RUGA_FAILED(status); i++) status = ruga_scene_step(scene);
    if (!RUGA_FAILED(status)) status = ruga_scene_state_hash(scene, &hash);
    if (!RUGA_FAILED(status)) status = ruga_scene_save(scene, &saved, &size);
    if (!RUGA_FAILED(status)) status = ruga_scene_restore(scene, saved, size);
    ruga_free(c, saved);
    ruga_scene_destroy(scene);
    stage_release(&s);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(40, assert_every_allocation_may_fail(live_once, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_counted_from_the_start_frame_and_stand_at_their_times),
        cmocka_unit_test(a_scene_without_objects_is_only_time_that_passes),
        cmocka_unit_test(objects_are_found_by_name),
        cmocka_unit_test(a_motion_goes_through_edits_and_placement),
        cmocka_unit_test(animated_bodies_have_a_clock_of_their_own),
        cmocka_unit_test(an_action_moves_a_mannequin),
        cmocka_unit_test(gusts_follow_their_numbers),
        cmocka_unit_test(rigid_bodies_keep_all_lengths),
        cmocka_unit_test(a_preroll_ends_in_the_pose_of_the_first_frame),
        cmocka_unit_test(state_hashes_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(a_restored_state_continues_bit_identically),
        cmocka_unit_test(restoring_shows_the_saved_frame),
        cmocka_unit_test(a_broken_state_leaves_the_scene_as_it_was),
        cmocka_unit_test(measures_are_timings_and_then_the_solvers),
        cmocka_unit_test(thousands_of_objects_are_measured),
        cmocka_unit_test(normals_are_given_when_wanted),
        cmocka_unit_test(steps_allocate_nothing_once_the_second_frame_is_reached),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
