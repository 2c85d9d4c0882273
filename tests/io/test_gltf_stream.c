/* Films are read frame by frame: memory does not grow with the frames, and any frame comes back in any order. */
#include "io/gltf_fixture.h"

enum { COLUMNS = 40, POINTS = (COLUMNS + 1) * (COLUMNS + 1) };

/* ---- Bytes in use. */
typedef struct byte_counter {
    size_t live, most;
} byte_counter;

static void *count_allocate(void *user, size_t size) {
    byte_counter *c = user;
    max_align_t *memory = malloc(size + sizeof *memory);
    if (!memory) return NULL;
    memcpy(memory, &size, sizeof size);
    c->live += size;
    c->most = c->live > c->most ? c->live : c->most;
    return memory + 1;
}

static void count_release(void *user, void *memory) {
    byte_counter *c = user;
    size_t size;
    if (!memory) return;
    memcpy(&size, (max_align_t *)memory - 1, sizeof size);
    c->live -= size;
    free((max_align_t *)memory - 1);
}

/* ---- A film: a wave that runs over a sheet. */

static double wave(size_t vertex, double frame) { return 0.1 * sin(0.3 * (double)(vertex % 97) + frame); }

static ruga_mesh *make_sheet(ruga_context *c) {
    ruga_mesh *mesh = NULL;
    const ruga_section *section = ruga_model_find("sheet");
    double values[16];
    assert_at_most(section->size, sizeof values);
    ruga_section_defaults(section, values);
    for (size_t i = 0; i < section->field_count; i++)
        if (strcmp(section->fields[i].name, "columns") == 0 || strcmp(section->fields[i].name, "rows") == 0)
            values[i] = COLUMNS;
    assert_ok(c, ruga_model_make(c, "sheet", values, &mesh));
    return mesh;
}

static void make_frame(const ruga_mesh *mesh, double frame, ruga_vec3 *positions) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        positions[v] = mesh->positions[v];
        positions[v].y += wave(v, frame);
    }
}

static void write_film(const char *name, int frames) {
    ruga_mesh *mesh = make_sheet(context);
    ruga_motion_writer *writer = NULL;
    ruga_vec3 *positions = calloc(mesh->vertex_count, sizeof *positions);
    assert_int_equal(mesh->vertex_count, POINTS);
    assert_ok(context, ruga_motion_writer_create(mesh, test_path(name), NULL, &writer));
    for (int k = 0; k < frames; k++) {
        make_frame(mesh, k, positions);
        const ruga_frame frame = {.time = k / 24.0, .vertex_count = POINTS, .positions = positions};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    free(positions);
}

/* The most bytes in use while all frames are sampled. */
static size_t peak(const char *name, int frames) {
    byte_counter counter = {0};
    ruga_context_def def = ruga_context_def_default();
    ruga_context *counting = NULL;
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path(name));
    def.thread_count = 1;
    def.allocator = (ruga_allocator){count_allocate, count_release, &counter};
    assert_int_equal(ruga_context_create(&def, &counting), RUGA_OK);
    mesh = make_sheet(counting);
    ruga_vec3 *positions = calloc(POINTS, sizeof *positions);
    assert_ok(counting, ruga_motion_read(counting, path, mesh, NULL, &motion));
    for (int k = 0; k < frames; k++) assert_ok(counting, ruga_motion_sample(motion, k / 24.0, positions));
    free(positions);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(counting);
    assert_int_equal(counter.live, 0);
    return counter.most;
}

/* Only the description of a frame stays, and of GLB the weights. A frame has 20 kB of positions. */
static void memory_does_not_grow_with_the_frames(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"short.glb", "long.glb"}, {"short.pc2", "long.pc2"}, {"short.mdd", "long.mdd"}};
    const double most[] = {0.2 * 12 * POINTS, 0, 16};
    for (int i = 0; i < 3; i++) {
        write_film(names[i][0], 12);
        write_film(names[i][1], 52);
        const double growth = (double)peak(names[i][1], 52) - (double)peak(names[i][0], 12);
        assert_less_case(growth, 40 * most[i] + 1, "i %d", i);
    }
}

static void frames_come_back_in_any_order(void **state) {
    (void)state;
    static const double order[] = {0, 1, 2, 39, 38.5, 3, 20, 0, 7.25, 39, 12, 13, 14, 15, 16, 17, 18, 19, 5, 0};
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    ruga_vec3 *got = calloc(POINTS, sizeof *got);
    write_film("film.glb", 40);
    assert_ok(context, ruga_mesh_read(context, test_path("film.glb"), NULL, &mesh));
    assert_ok(context, ruga_motion_read(context, test_path("film.glb"), mesh, NULL, &motion));
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        const double low = floor(order[k]), part = order[k] - low;
        assert_ok(context, ruga_motion_sample(motion, order[k] / 24, got));
        for (size_t v = 0; v < POINTS; v += 37) { /* linear between the frames */
            const double expected = mesh->positions[v].y + (1 - part) * wave(v, low) + part * wave(v, low + 1);
            assert_less_case(fabs(got[v].y - expected), 2e-5, "k %zu, v %zu", k, v);
        }
    }
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    free(got);
}

/* More targets than are kept act at once: all of them count. */
static void all_targets_may_act_at_once(void **state) {
    (void)state;
    enum { TARGETS = 12 };
    static const float times[2] = {0, 1};
    float deltas[9] = {0}, weights[2 * TARGETS];
    char rest[1200], targets[400] = "";
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    ruga_vec3 got[3];
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "SCALAR", 2, times);
    for (int t = 0; t < 2 * TARGETS; t++) weights[t] = t < TARGETS ? 0 : 1;
    glb_accessor(g, "SCALAR", GLB_F32, 2 * TARGETS, weights, sizeof weights, "");
    for (int t = 0; t < TARGETS; t++) {
        deltas[0] = (float)(1 << t);
        glb_floats(g, "VEC3", 3, deltas);
        snprintf(targets + strlen(targets), sizeof targets - strlen(targets), "%s{\"POSITION\":%d}", t ? "," : "",
                 3 + t);
    }
    snprintf(
        rest, sizeof rest,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[%s]}]}],\"nodes\":[{\"mesh\":0}"
        "],\"animations\":[{\"samplers\":[{\"input\":1,\"output\":2}],\"channels\":[{\"sampler\":0,\"target\":{"
        "\"node\":0,\"path\":\"weights\"}}]}]",
        targets);
    glb_save(g, rest, test_path("face.glb"));
    assert_ok(context, ruga_mesh_read(context, test_path("face.glb"), NULL, &mesh));
    assert_ok(context, ruga_motion_read(context, test_path("face.glb"), mesh, NULL, &motion));
    for (int k = 0; k <= 4; k++) {
        assert_ok(context, ruga_motion_sample(motion, k / 4.0, got));
        assert_near(got[0].x, k / 4.0 * ((1 << TARGETS) - 1), 1e-3);
    }
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
}

static ruga_status read_film(ruga_context *c, void *user) {
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    ruga_vec3 *positions = calloc(POINTS, sizeof *positions);
    ruga_status status = ruga_mesh_read(c, user, NULL, &mesh);
    if (!RUGA_FAILED(status)) status = ruga_motion_read(c, user, mesh, NULL, &motion);
    for (int k = 0; k < 10 && !RUGA_FAILED(status); k++) status = ruga_motion_sample(motion, k / 24.0, positions);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    free(positions);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    char path[512];
    write_film("film.glb", 10);
    snprintf(path, sizeof path, "%s", test_path("film.glb"));
    assert_less(20, assert_every_allocation_may_fail(read_film, path));
}

/* A file that is cut off while its motion is open: the sample fails with the name, and the next call does not crash. */
static void a_file_that_shrinks_is_an_error(void **state) {
    (void)state;
    ruga_mesh *mesh = make_sheet(context);
    ruga_motion *motion = NULL;
    ruga_vec3 *positions = calloc(POINTS, sizeof *positions);
    write_film("shrinks.glb", 20);
    assert_ok(context, ruga_motion_read(context, test_path("shrinks.glb"), mesh, NULL, &motion));
    FILE *f = fopen(test_path("shrinks.glb"), "wb"); /* in place */
    fclose(f);
    for (int k = 0; k < 2; k++) {
        assert_status(ruga_motion_sample(motion, 15 / 24.0, positions), RUGA_ERROR_INPUT);
        assert_message_has(context, "shrinks.glb");
    }
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    free(positions);
}

#define STREAM_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        STREAM_TEST(memory_does_not_grow_with_the_frames), STREAM_TEST(frames_come_back_in_any_order),
        STREAM_TEST(all_targets_may_act_at_once),          STREAM_TEST(every_allocation_may_fail),
        STREAM_TEST(a_file_that_shrinks_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
