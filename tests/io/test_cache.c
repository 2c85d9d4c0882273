/* Point caches and sequences: what is written frame by frame is what a motion gives back. */
#include "meshes.h"

#include <unistd.h>

/* Positions that 32-bit floats hold. */
static void fill_frame(const ruga_mesh *mesh, size_t frame, ruga_vec3 *positions) {
    for (size_t i = 0; i < mesh->vertex_count; i++)
        positions[i] = (ruga_vec3){(double)frame + 0.25 * (double)i, -0.5 * (double)frame, (double)(i * i)};
}

static void write_motion(const ruga_mesh *mesh, const char *path, const ruga_file_def *def, size_t frames,
                         double start) {
    ruga_motion_writer *writer = NULL;
    const double rate = def ? def->rate : 24;
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    assert_ok(mesh->context, ruga_motion_writer_create(mesh, path, def, &writer));
    for (size_t i = 0; i < frames; i++) {
        fill_frame(mesh, i, positions);
        ruga_frame frame = {
            .time = start + (double)i / rate, .vertex_count = mesh->vertex_count, .positions = positions};
        assert_ok(mesh->context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(mesh->context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    free(positions);
}

static void assert_frames(const ruga_mesh *mesh, const char *path, const ruga_file_def *def, size_t frames,
                          double start) {
    ruga_motion *motion = NULL;
    assert_ok(mesh->context, ruga_motion_read(mesh->context, path, mesh, def, &motion));
    const ruga_motion_info info = ruga_motion_get_info(motion);
    const double rate = def ? def->rate : 24;
    assert_int_equal(info.sample_count, frames);
    assert_int_equal(info.vertex_count, mesh->vertex_count);
    assert_near(info.start, start, 1e-6);
    assert_near(info.end - start, (double)(frames - 1) / rate, 1e-6);
    if (frames > 1) assert_near(info.rate, rate, 1e-4);
    const size_t size = mesh->vertex_count * sizeof(ruga_vec3);
    ruga_vec3 *found = malloc(size), *expected = malloc(size);

    /* Backwards, so that the cache has to seek; a sample's own time gives exactly it. */
    for (size_t i = frames; i-- > 0;) {
        const double time =
            frames > 1 ? info.start + (info.end - info.start) * (double)i / (double)(frames - 1) : start;
        assert_ok(mesh->context, ruga_motion_sample(motion, time, found));
        fill_frame(mesh, i, expected);
        for (size_t k = 0; k < mesh->vertex_count; k++)
            assert_near_case(found[k].x, expected[k].x, 1e-5, "i %zu, k %zu", i, k);
        assert_near_case(ruga_motion_sample_time(motion, i), time, 1e-6, "i %zu", i);
        assert_ok(mesh->context, ruga_motion_sample(motion, ruga_motion_sample_time(motion, i), found));
        assert_memory_equal(found, expected, size);
    }
    assert_ok(mesh->context, ruga_motion_sample(motion, info.start - 5, found));
    fill_frame(mesh, 0, expected);
    assert_memory_equal(found, expected, size);
    assert_ok(mesh->context, ruga_motion_sample(motion, info.end + 5, found));
    fill_frame(mesh, frames - 1, expected);
    assert_memory_equal(found, expected, size);

    /* Between two samples it is linear. */
    if (frames > 1) {
        assert_ok(
            mesh->context,
            ruga_motion_sample(motion, info.start + 0.25 * (info.end - info.start) / (double)(frames - 1), found));
        assert_near(found[0].x, 0.25, 1e-6);
        assert_near(found[0].y, -0.125, 1e-6);
    }
    free(found);
    free(expected);
    ruga_motion_destroy(motion);
}

static const char *const paths[] = {"a.pc2", "a.mdd", "a_####.obj", "b_%04d.ply", "c%d.obj", "d_0007.ply"};

static void what_is_written_is_what_is_sampled(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 40);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        ruga_file_def def = ruga_file_def_default();
        def.rate = 30;
        def.start = 0.5;
        write_motion(mesh, test_path(paths[i]), &def, 12, 0.5);
        assert_frames(mesh, test_path(paths[i]), &def, 12, 0.5);
    }
    write_motion(mesh, test_path("one.pc2"), NULL, 1, 2);
    assert_frames(mesh, test_path("one.pc2"), NULL, 1, 2);
    write_motion(mesh, test_path("one.mdd"), NULL, 1, 2);
    assert_frames(mesh, test_path("one.mdd"), NULL, 1, 2);
    assert_false(test_file_exists(test_path("a.mdd.frames")));
    assert_true(test_file_exists(test_path("a_0012.obj")));
    assert_true(test_file_exists(test_path("d_0018.ply")));
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* The layout is that of the formats, to the byte; the size is the one that was said before. */
static void caches_have_the_layout_of_their_format(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 1);
    write_motion(mesh, test_path("l.pc2"), NULL, 2, 1);
    write_motion(mesh, test_path("l.mdd"), NULL, 2, 1);
    size_t size;
    unsigned char *pc2 = (unsigned char *)read_test_file(test_path("l.pc2"), &size);
    const struct {
        int32_t version, points;
        float start, rate;
        int32_t samples;
    } head = {1, 3, 24, 1, 2};
    assert_int_equal(size, 32 + 2 * 3 * 12);
    assert_int_equal(size, ruga_motion_written_size(mesh, 2, RUGA_FORMAT_PC2));
    assert_memory_equal(pc2, "POINTCACHE2\0", 12);
    assert_memory_equal(pc2 + 12, &head, 20);
    unsigned char *mdd = (unsigned char *)read_test_file(test_path("l.mdd"), &size);
    assert_int_equal(size, 8 + 8 + 2 * 3 * 12);
    assert_int_equal(size, ruga_motion_written_size(mesh, 2, RUGA_FORMAT_MDD));
    static const unsigned char counts[8] = {0, 0, 0, 2, 0, 0, 0, 3}, one[4] = {0x3f, 0x80, 0, 0};
    assert_memory_equal(mdd, counts, 8);
    assert_memory_equal(mdd + 8, one, 4);
    for (size_t i = 0; i < 18; i++)
        for (size_t k = 0; k < 4; k++) assert_int_equal(pc2[32 + 4 * i + k], mdd[16 + 4 * i + 3 - k]);
    free(pc2);
    free(mdd);
    assert_less(10 * 36, ruga_motion_written_size(mesh, 10, RUGA_FORMAT_PLY));
    assert_int_equal(ruga_motion_written_size(mesh, 10, RUGA_FORMAT_AUTO), 0);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Units and axes apply to caches as they do to meshes. */
static void caches_are_converted_at_the_door(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 3);
    ruga_file_def def = ruga_file_def_default();
    def.unit = 0.25;
    def.up = RUGA_AXIS_Z;
    static const char *const names[3] = {"u.pc2", "u.mdd", "u_##.obj"};
    for (int i = 0; i < 3; i++) {
        write_motion(mesh, test_path(names[i]), &def, 3, 0);
        assert_frames(mesh, test_path(names[i]), &def, 3, 0);
        ruga_motion *motion;
        ruga_vec3 raw[5];
        assert_ok(context, ruga_motion_read(context, test_path(names[i]), mesh, NULL, &motion));
        assert_ok(context, ruga_motion_sample(motion, 2 / 24.0, raw));
        /* Vertex 1 of frame 2 is at (2.25, -1, 1) m: in units of 0.25 m with z up, (9, -4, -4). */
        assert_near_case(raw[1].x, 9, 1e-5, "i %d", i);
        assert_near_case(raw[1].y, -4, 1e-5, "i %d", i);
        assert_near_case(raw[1].z, -4, 1e-5, "i %d", i);
        ruga_motion_destroy(motion);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void assert_motion_refused(const ruga_mesh *mesh, const char *path, ruga_status status, const char *message) {
    ruga_motion *motion = NULL;
    assert_status(ruga_motion_read(mesh->context, path, mesh, NULL, &motion), status);
    assert_null(motion);
    assert_message_has(mesh->context, message);
}

static void a_cache_of_another_mesh_is_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 3), *other = make_strip(context, 4);
    static const char *const names[2] = {"o.pc2", "o.mdd"};
    for (int i = 0; i < 2; i++) {
        write_motion(mesh, test_path(names[i]), NULL, 2, 0);
        assert_motion_refused(other, test_path(names[i]), RUGA_ERROR_INPUT,
                              "it has 5 points, but the mesh has 6 vertices");
    }
    write_motion(mesh, test_path("o_#.ply"), NULL, 2, 0);
    ruga_motion *motion;
    ruga_vec3 positions[6];
    assert_ok(context, ruga_motion_read(context, test_path("o_#.ply"), other, NULL, &motion));
    assert_status(ruga_motion_sample(motion, 0, positions), RUGA_ERROR_INPUT);
    assert_message_has(context, "o_1.ply: this file has 5 vertices, but the mesh has 6");
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(other);
    ruga_context_destroy(context);
}

/* Cut anywhere, a cache is refused; the message has the number of complete frames. */
static void a_cache_that_is_cut_is_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 1);
    static const char *const names[2] = {"t.pc2", "t.mdd"};
    for (int i = 0; i < 2; i++) {
        write_motion(mesh, test_path(names[i]), NULL, 3, 0);
        size_t size;
        char *bytes = read_test_file(test_path(names[i]), &size);
        for (size_t cut = 0; cut < size; cut++) {
            write_test_file(test_path(names[i]), bytes, cut);
            ruga_motion *motion = NULL;
            assert_status(ruga_motion_read(context, test_path(names[i]), mesh, NULL, &motion), RUGA_ERROR_INPUT);
            if (cut == size - 1) assert_message_has(context, "2 of its 3");
        }
        free(bytes);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Without a mesh, the points are taken as they are; what is no cache needs one. */
static void a_cache_is_read_without_its_mesh(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 3);
    static const char *const names[2] = {"n.pc2", "n.mdd"};
    for (int i = 0; i < 2; i++) {
        write_motion(mesh, test_path(names[i]), NULL, 2, 0);
        ruga_motion *motion;
        ruga_vec3 found[5], expected[5];
        assert_ok(context, ruga_motion_read(context, test_path(names[i]), NULL, NULL, &motion));
        assert_int_equal(ruga_motion_get_info(motion).vertex_count, 5);
        assert_ok(context, ruga_motion_sample(motion, 0, found));
        fill_frame(mesh, 0, expected);
        assert_memory_equal(found, expected, sizeof found);
        ruga_motion_destroy(motion);
    }
    ruga_motion *none = NULL;
    assert_status(ruga_motion_read(context, "n_##.obj", NULL, NULL, &none), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "needs the mesh that it moves");
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Headers that make no sense. */
static void a_cache_that_lies_is_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 1);
    write_motion(mesh, test_path("h.pc2"), NULL, 2, 0);
    write_motion(mesh, test_path("h.mdd"), NULL, 2, 0);
    size_t size;
    char *bytes = read_test_file(test_path("h.pc2"), &size);
    const struct {
        size_t at;
        uint32_t word;
        const char *message;
    } cases[] = {{0, 0, "does not start with POINTCACHE2"},
                 {12, 2, "version 2"},
                 {16, 0x80000000u, "points"},
                 {28, 0, "0 samples"},
                 {28, 0xffffffffu, "-1 samples"},
                 {28, 0x7fffffffu, "2 of its 2147483647 samples"},
                 {16, 0x7fffffffu, "0 of its 2 samples"},
                 {20, 0x7f800000u, "start frame inf"},
                 {24, 0, "0 frames per sample"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char copy[200];
        memcpy(copy, bytes, size);
        memcpy(copy + cases[i].at, &cases[i].word, 4);
        write_test_file(test_path("bad.pc2"), copy, size);
        assert_motion_refused(mesh, test_path("bad.pc2"), RUGA_ERROR_INPUT, cases[i].message);
    }
    free(bytes);
    bytes = read_test_file(test_path("h.mdd"), &size);
    for (int i = 0; i < 3; i++) {
        char copy[200];
        memcpy(copy, bytes, size);
        static const char words[3][4] = {
            {0, 0, 0, 0}, {(char)0xff, (char)0xff, (char)0xff, (char)0xff}, {0x7f, 0, 0, 0}};
        memcpy(copy, words[i], 4);
        write_test_file(test_path("bad.mdd"), copy, size);
        assert_motion_refused(mesh, test_path("bad.mdd"), RUGA_ERROR_INPUT,
                              i < 2 ? "not an MDD cache" : "cut short within the times");
    }
    /* Times that do not rise are replaced by the rate. */
    memset(bytes + 8, 0, 8);
    write_test_file(test_path("still.mdd"), bytes, size);
    ruga_motion *motion;
    assert_ok(context, ruga_motion_read(context, test_path("still.mdd"), mesh, NULL, &motion));
    assert_equal(ruga_motion_get_info(motion).rate, 24);
    ruga_motion_destroy(motion);
    free(bytes);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Counts whose product exceeds 2^64 bytes: the rest of it would fit into the file. */
static void a_cache_too_large_for_any_file_is_refused(void **state) {
    (void)state;
    static const int32_t points[2] = {1432163965, 715862424}, samples[2] = {2146721619, 2147380029};
    ruga_context *context = context_plain(1);
    for (int i = 0; i < 2; i++) {
        static unsigned char bytes[18000] = "POINTCACHE2";
        const float one = 1;
        bytes[12] = 1;
        memcpy(bytes + 16, &points[i], 4);
        memcpy(bytes + 24, &one, 4);
        memcpy(bytes + 28, &samples[i], 4);
        write_test_file(test_path("vast.pc2"), bytes, sizeof bytes);
        ruga_motion *motion = NULL;
        assert_status(ruga_motion_read(context, test_path("vast.pc2"), NULL, NULL, &motion), RUGA_ERROR_INPUT);
        assert_message_has(context, "cut short: 0 of its");
    }
    ruga_context_destroy(context);
}

/* A cache may hold the vertices of the file that was split at seams. */
static void a_cache_may_hold_split_vertices(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 2), *split = make_strip(context, 4);
    write_motion(split, test_path("s.pc2"), NULL, 2, 0); /* 6 points */
    static const uint32_t split_vertex[6] = {0, 1, 1, 2, 3, 0};
    ruga_mesh seamed = *mesh;
    seamed.split_count = 6;
    seamed.split_vertex = split_vertex;
    ruga_motion *motion;
    ruga_vec3 positions[4], expected[6];
    assert_ok(context, ruga_motion_read(context, test_path("s.pc2"), &seamed, NULL, &motion));
    assert_ok(context, ruga_motion_sample(motion, 0, positions));
    fill_frame(split, 0, expected);
    const size_t first[4] = {0, 1, 3, 4};
    for (int i = 0; i < 4; i++) assert_memory_equal(&positions[i], &expected[first[i]], sizeof *positions);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(split);
    ruga_context_destroy(context);
}

static void a_sequence_with_a_gap_is_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 2);
    write_motion(mesh, test_path("gap_##.obj"), NULL, 5, 0);
    assert_int_equal(unlink(test_path("gap_03.obj")), 0);
    assert_motion_refused(mesh, test_path("gap_##.obj"), RUGA_ERROR_INPUT,
                          "gap_03.obj: this file of the sequence is missing, but number 4 exists");
    assert_motion_refused(mesh, test_path("gap_01.obj"), RUGA_ERROR_INPUT, "gap_03.obj");
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void a_path_that_is_no_sequence_is_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 2);
    assert_motion_refused(mesh, test_path("none_##.obj"), RUGA_ERROR_FILE, "no file has this pattern");
    assert_motion_refused(mesh, test_path("none_01.obj"), RUGA_ERROR_FILE, "none_01.obj: this file does not exist");
    assert_motion_refused(mesh, test_path("none.obj"), RUGA_ERROR_ARGUMENT, "this is one mesh");
    /* A file that can't be opened is neither a file of the sequence nor its end. */
    write_test_file(test_path("wall"), "", 0);
    assert_motion_refused(mesh, test_path("wall/frame_##.obj"), RUGA_ERROR_FILE,
                          "wall/frame_00.obj: files of the sequence can't be found");
    assert_motion_refused(mesh, test_path("wall/frame_01.obj"), RUGA_ERROR_FILE,
                          "wall/frame_01.obj: files of the sequence can't be found");
    assert_motion_refused(mesh, "motion.txt", RUGA_ERROR_INPUT, "unknown file format");
    assert_motion_refused(mesh, test_path("none.pc2"), RUGA_ERROR_FILE, "none.pc2");
    assert_motion_refused(mesh, test_path("none.mdd"), RUGA_ERROR_FILE, "none.mdd");
    ruga_motion_writer *writer = NULL;
    assert_status(ruga_motion_writer_create(mesh, test_path("none.ply"), NULL, &writer), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "a pattern such as frame_####.obj");
    assert_status(ruga_motion_writer_create(mesh, "a.txt", NULL, &writer), RUGA_ERROR_INPUT);
    assert_status(ruga_motion_writer_create(mesh, NULL, NULL, &writer), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_motion_read(context, NULL, mesh, NULL, NULL), RUGA_ERROR_ARGUMENT);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* A pattern is taken apart, never handed to printf. */
static void a_pattern_is_no_format_string(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 2);
    write_motion(mesh, test_path("%s%n_##.obj"), NULL, 2, 0);
    assert_true(test_file_exists(test_path("%s%n_01.obj")));
    assert_frames(mesh, test_path("%s%n_##.obj"), NULL, 2, 0);
    assert_motion_refused(mesh, test_path("%s_%x.obj"), RUGA_ERROR_ARGUMENT, "this is one mesh");
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void paths_of_motions_are_known_by_name(void **state) {
    (void)state;
    static const char *const motions[] = {"a.pc2", "A.MDD", "a_####.obj", "x/a%04d.ply", "%d.obj", "a#.glb"};
    static const char *const others[] = {"a.obj",   "a_0001.obj", "a.glb", "x##/a.obj",
                                         "a%s.obj", "a",          "",      "##########.obj"};
    for (size_t i = 0; i < 6; i++) assert_int_equal(ruga_path_is_motion(motions[i]), 1);
    for (size_t i = 0; i < 8; i++) assert_int_equal(ruga_path_is_motion(others[i]), 0);
    assert_int_equal(ruga_path_is_motion(NULL), 0);
}

/* Files beside the cache belong to others, whatever their names. */
static void writing_touches_no_other_file(void **state) {
    (void)state;
    static const char *const names[3] = {"own.pc2", "own.mdd", "linked.mdd"};
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 3);
    write_test_file(test_path("own.mdd.frames"), "a diary", 7);
    write_test_file(test_path("elsewhere"), "a letter", 8);
    assert_int_equal(symlink("elsewhere", test_path("linked.mdd.frames")), 0);
    const size_t before = test_folder_entry_count();
    for (int i = 0; i < 3; i++) {
        write_motion(mesh, test_path(names[i]), NULL, 2, 0);
        assert_frames(mesh, test_path(names[i]), NULL, 2, 0);
    }
    ruga_motion_writer *unfinished = NULL;
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("none.mdd"), NULL, &unfinished));
    ruga_motion_writer_destroy(unfinished);
    assert_int_equal(test_folder_entry_count(), before + 3);
    size_t size = 0;
    char *diary = read_test_file(test_path("own.mdd.frames"), &size);
    char *letter = read_test_file(test_path("elsewhere"), &size);
    assert_string_equal(diary, "a diary");
    assert_string_equal(letter, "a letter");
    free(diary);
    free(letter);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void writers_refuse_what_a_cache_cannot_hold(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 1);
    static const char *const names[2] = {"w.pc2", "w.mdd"};
    for (int i = 0; i < 2; i++) {
        ruga_motion_writer *writer;
        assert_ok(context, ruga_motion_writer_create(mesh, test_path(names[i]), NULL, &writer));
        ruga_vec3 positions[3] = {{0, 0, 0}, {0, 1e39, 0}, {0, 0, 0}};
        ruga_frame frame = {.vertex_count = 3, .positions = positions};
        assert_status(ruga_motion_writer_append(writer, &frame), RUGA_ERROR_INPUT);
        assert_message_has(context, "frame 0 has vertex 1 at (0, 1e+39, 0), which is not finite or does not fit");
        frame.vertex_count = 2;
        assert_status(ruga_motion_writer_append(writer, &frame), RUGA_ERROR_ARGUMENT);
        assert_status(ruga_motion_writer_append(writer, NULL), RUGA_ERROR_ARGUMENT);
        assert_status(ruga_motion_writer_finish(writer), RUGA_ERROR_ARGUMENT);
        assert_message_has(context, "a motion without frames");
        ruga_motion_writer_destroy(writer);
        assert_false(test_file_exists(test_path(names[i])));
    }
    ruga_motion_writer_destroy(NULL);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_what_is_sampled),
        cmocka_unit_test(caches_have_the_layout_of_their_format),
        cmocka_unit_test(caches_are_converted_at_the_door),
        cmocka_unit_test(a_cache_of_another_mesh_is_refused),
        cmocka_unit_test(a_cache_that_is_cut_is_refused),
        cmocka_unit_test(a_cache_that_lies_is_refused),
        cmocka_unit_test(a_cache_too_large_for_any_file_is_refused),
        cmocka_unit_test(a_cache_is_read_without_its_mesh),
        cmocka_unit_test(a_cache_may_hold_split_vertices),
        cmocka_unit_test(a_sequence_with_a_gap_is_refused),
        cmocka_unit_test(a_path_that_is_no_sequence_is_refused),
        cmocka_unit_test(a_pattern_is_no_format_string),
        cmocka_unit_test(paths_of_motions_are_known_by_name),
        cmocka_unit_test(writing_touches_no_other_file),
        cmocka_unit_test(writers_refuse_what_a_cache_cannot_hold),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove();
    return failed;
}
