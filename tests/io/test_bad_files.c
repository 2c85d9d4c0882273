/* Whatever fails, and wherever: a clear answer, nothing leaked, nothing half written under the final name. */
#include "meshes.h"

typedef struct format_case {
    ruga_format format;
    const char *name;
} format_case;

static const format_case mesh_formats[4] = {{RUGA_FORMAT_OBJ, "mesh.obj"},
                                            {RUGA_FORMAT_PLY, "mesh.ply"},
                                            {RUGA_FORMAT_PLY_ASCII, "mesh.ply"},
                                            {RUGA_FORMAT_PLY_BIG, "mesh.ply"}};

static void write_rich_mesh(ruga_context *context, ruga_format format, void **bytes, size_t *size) {
    ruga_mesh *mesh = make_rich_mesh(context);
    ruga_file_def def = ruga_file_def_default();
    def.format = format;
    assert_ok(context, ruga_mesh_write_memory(mesh, NULL, &def, bytes, size));
    ruga_mesh_destroy(mesh);
}

/* Cut at any byte, a file is read or refused, with a message; never more. */
static void a_mesh_cut_at_any_byte_is_read_or_refused(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = context_counting(&counter);
        void *bytes;
        size_t size;
        write_rich_mesh(context, mesh_formats[i].format, &bytes, &size);
        const long live = counter.live;
        size_t refused = 0;
        for (size_t cut = 0; cut <= size; cut++) {
            ruga_mesh *mesh = NULL;
            ruga_status status = ruga_mesh_read_memory(context, mesh_formats[i].name, bytes, cut, NULL, &mesh);
            if (RUGA_FAILED(status)) {
                refused++;
                assert_int_equal(status, RUGA_ERROR_INPUT);
                assert_message_has(context, mesh_formats[i].name);
            } else {
                ruga_mesh_destroy(mesh);
            }
            if (cut == size) assert_false(RUGA_FAILED(status));
            assert_int_equal(counter.live, live);
        }
        assert_ran(refused, 20);
        ruga_free(context, bytes);
        ruga_context_destroy(context);
    }
}

/* Every byte replaced by others in turn. */
static void a_mesh_with_a_wrong_byte_is_read_or_refused(void **state) {
    (void)state;
    static const unsigned char wrong[] = {0, 1, ' ', '\n', '-', '9', '%', 0x7f, 0x80, 0xff};
    for (int i = 0; i < 4; i++) {
        ruga_context *context = context_plain(1);
        void *bytes;
        size_t size;
        write_rich_mesh(context, mesh_formats[i].format, &bytes, &size);
        unsigned char *text = bytes;
        for (size_t at = 0; at < size; at++) {
            const unsigned char right = text[at];
            for (size_t k = SANITIZED ? at % 5 : 0; k < sizeof wrong; k += SANITIZED ? 5 : 1) {
                text[at] = wrong[k];
                ruga_mesh *mesh = NULL;
                ruga_status status = ruga_mesh_read_memory(context, mesh_formats[i].name, bytes, size, NULL, &mesh);
                assert_true(!RUGA_FAILED(status) || status == RUGA_ERROR_INPUT || status == RUGA_ERROR_MEMORY);
                ruga_mesh_destroy(mesh);
            }
            text[at] = right;
        }
        ruga_free(context, bytes);
        ruga_context_destroy(context);
    }
}

/* ---- No memory. */

typedef struct memory_case {
    const format_case *format;
    const void *bytes;
    size_t size;
    const char *path;
} memory_case;

static ruga_status read_from_memory(ruga_context *context, void *user) {
    const memory_case *c = user;
    ruga_mesh *mesh = NULL;
    ruga_status status = ruga_mesh_read_memory(context, c->format->name, c->bytes, c->size, NULL, &mesh);
    ruga_mesh_destroy(mesh);
    return status;
}

static ruga_status read_from_disk(ruga_context *context, void *user) {
    const memory_case *c = user;
    ruga_mesh *mesh = NULL;
    ruga_status status = ruga_mesh_read(context, c->path, NULL, &mesh);
    ruga_mesh_destroy(mesh);
    return status;
}

static void reading_may_run_out_of_memory_anywhere(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int i = 0; i < 4; i++) {
        void *bytes;
        memory_case c = {.format = &mesh_formats[i]};
        write_rich_mesh(context, mesh_formats[i].format, &bytes, &c.size);
        c.bytes = bytes;
        c.path = test_path(mesh_formats[i].name);
        write_test_file(c.path, bytes, c.size);
        assert_less_case(5, assert_every_allocation_may_fail(read_from_memory, &c), "i %d", i);
        assert_less_case(5, assert_every_allocation_may_fail(read_from_disk, &c), "i %d", i);
        ruga_free(context, bytes);
    }
    /* Statements that the rich mesh does not have. */
    static const char odd[] = "mtllib a\nv 0 0 0 1 1 1\nv 1 0 0\nv 0 1 0\nvt 0 0 1\nvp 1\no a\nf 1 2 3/1\nf 1 2 9\n";
    memory_case c = {.format = &mesh_formats[0], .bytes = odd, .size = sizeof odd - 9};
    assert_less(5, assert_every_allocation_may_fail(read_from_memory, &c));
    ruga_context_destroy(context);
}

/* The mesh is made without failures; only the writing may fail. */
static ruga_status write_to_memory(ruga_context *context, void *user) {
    const memory_case *c = user;
    ruga_mesh *mesh = make_rich_mesh(context);
    if (!mesh) return RUGA_ERROR_MEMORY;
    ruga_file_def def = ruga_file_def_default();
    def.format = c->format->format;
    def.up = RUGA_AXIS_Z;
    void *bytes = NULL;
    size_t size;
    ruga_status status = ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size);
    ruga_free(context, bytes);
    if (!RUGA_FAILED(status)) status = ruga_mesh_write(mesh, NULL, c->path, &def);
    ruga_mesh_destroy(mesh);
    return status;
}

static void writing_may_run_out_of_memory_anywhere(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        memory_case c = {.format = &mesh_formats[i], .path = test_path("out")};
        assert_less_case(5, assert_every_allocation_may_fail(write_to_memory, &c), "i %d", i);
    }
}

static ruga_status write_motion(ruga_context *context, const char *path) {
    ruga_mesh *mesh = make_strip(context, 2);
    if (!mesh) return RUGA_ERROR_MEMORY;
    ruga_motion_writer *writer = NULL;
    ruga_status status = ruga_motion_writer_create(mesh, path, NULL, &writer);
    for (int i = 0; i < 3 && !RUGA_FAILED(status); i++) {
        ruga_frame frame = {.time = i / 24.0, .vertex_count = 4, .positions = mesh->positions};
        status = ruga_motion_writer_append(writer, &frame);
    }
    if (!RUGA_FAILED(status)) status = ruga_motion_writer_finish(writer);
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    return status;
}

static ruga_status write_and_sample_motion(ruga_context *context, void *user) {
    const char *path = user;
    ruga_status status = write_motion(context, path);
    if (RUGA_FAILED(status)) return status;
    ruga_mesh *mesh = make_strip(context, 2);
    if (!mesh) return RUGA_ERROR_MEMORY;
    ruga_motion *motion = NULL;
    ruga_vec3 positions[4];
    status = ruga_motion_read(context, path, mesh, NULL, &motion);
    if (!RUGA_FAILED(status)) status = ruga_motion_sample(motion, 0.06, positions);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    return status;
}

static void motions_may_run_out_of_memory_anywhere(void **state) {
    (void)state;
    static const char *const names[4] = {"m.pc2", "m.mdd", "m_##.obj", "m_##.ply"};
    for (int i = 0; i < 4; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s", test_path(names[i]));
        assert_less_case(10, assert_every_allocation_may_fail(write_and_sample_motion, path), "i %d", i);
    }
}

/* ---- Files that fail. */

static ruga_status write_something(fragile_files *files, const char *path) {
    if (ruga_path_is_motion(path)) return write_motion(files->context, path);
    ruga_mesh *mesh = make_rich_mesh(files->context);
    ruga_status status = ruga_mesh_write(mesh, NULL, path, NULL);
    ruga_mesh_destroy(mesh);
    return status;
}

static void assert_nothing_there(fragile_files *files, const char *what, long n) {
    const size_t count = memory_file_system_count(files->memory);
    fail_if(count > 0, "%s %ld failed and \"%s\" was left", what, n, memory_file_system_name(files->memory, 0));
}

/* Fails the n-th call of one kind, until none of them is reached any more. */
static void assert_every_call_may_fail(const char *path, const char *what, long offset) {
    for (long n = 0;; n++) {
        fragile_files files;
        fragile_files_open(&files);
        *(long *)(void *)((char *)&files.failing + offset) = n;
        ruga_status status = write_something(&files, path);
        const int went_well = !RUGA_FAILED(status);
        if (went_well)
            assert_int_equal(memory_file_system_count(files.memory), 1);
        else {
            assert_int_equal(status, RUGA_ERROR_FILE);
            assert_nothing_there(&files, what, n);
        }
        fragile_files_close(&files);
        if (went_well) {
            assert_less_case(0, n, "n %ld", n);
            return;
        }
    }
}

static const char *const written[4] = {"out.obj", "out.ply", "out.pc2", "out.mdd"};

static void any_call_that_fails_leaves_nothing(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_every_call_may_fail(written[i], "create", offsetof(failing_file_system, fail_create));
        assert_every_call_may_fail(written[i], "flush", offsetof(failing_file_system, fail_flush));
        assert_every_call_may_fail(written[i], "rename", offsetof(failing_file_system, fail_rename));
    }
}

/* Closing a file that was read may fail without harm; one that was written must not be renamed. */
static void a_close_that_fails_leaves_nothing_under_the_final_name(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (long n = 0; n < 4; n++) {
            fragile_files files;
            fragile_files_open(&files);
            files.failing.fail_close = n;
            ruga_status status = write_something(&files, written[i]);
            size_t size;
            const void *found = memory_file_system_get(files.memory, written[i], &size);
            assert_int_equal(RUGA_FAILED(status), found == NULL);
            assert_int_equal(memory_file_system_count(files.memory), RUGA_FAILED(status) ? 0 : 1);
            fragile_files_close(&files);
        }
    }
}

/* The disk is full at byte n, for every n. */
static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        uint64_t n = 0;
        for (;; n++) {
            fragile_files files;
            fragile_files_open(&files);
            files.failing.fail_at_byte = n;
            ruga_status status = write_something(&files, written[i]);
            if (RUGA_FAILED(status)) {
                assert_int_equal(status, RUGA_ERROR_FILE);
                assert_nothing_there(&files, "byte", (long)n);
            }
            fragile_files_close(&files);
            if (!RUGA_FAILED(status)) break;
        }
        assert_less_case(50, n, "i %d", i);
    }
}

/* An existing file stays when the new one can't be written; a sequence keeps its complete files. */
static void a_failure_keeps_what_was_there(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        fragile_files files;
        fragile_files_open(&files);
        assert_ok(files.keeper, memory_file_system_put(files.memory, written[i], "old", 3));
        files.failing.fail_at_byte = 20;
        assert_true(RUGA_FAILED(write_something(&files, written[i])));
        size_t size;
        const void *found = memory_file_system_get(files.memory, written[i], &size);
        assert_int_equal(size, 3);
        assert_memory_equal(found, "old", 3);
        assert_int_equal(memory_file_system_count(files.memory), 1);
        fragile_files_close(&files);
    }
    fragile_files files;
    fragile_files_open(&files);
    files.failing.fail_rename = 2;
    assert_status(write_motion(files.context, "s_##.obj"), RUGA_ERROR_FILE);
    assert_int_equal(memory_file_system_count(files.memory), 2);
    size_t size;
    assert_non_null(memory_file_system_get(files.memory, "s_02.obj", &size));
    fragile_files_close(&files);
}

static void a_read_that_fails_is_reported(void **state) {
    (void)state;
    static const char *const names[4] = {"in.obj", "in.ply", "in.pc2", "in.mdd"};
    size_t failed[4] = {0};
    for (int i = 0; i < 4; i++)
        for (long n = 0; n < 3; n++) {
            fragile_files files;
            fragile_files_open(&files);
            assert_ok(files.context, write_something(&files, names[i]));
            ruga_mesh *strip = make_strip(files.context, 2), *mesh = NULL;
            ruga_motion *motion = NULL;
            ruga_vec3 positions[4];
            files.failing.reads = 0;
            files.failing.fail_read = n;
            ruga_status status = RUGA_OK;
            if (i < 2) status = ruga_mesh_read(files.context, names[i], NULL, &mesh);
            if (i >= 2) status = ruga_motion_read(files.context, names[i], strip, NULL, &motion);
            if (motion) status = ruga_motion_sample(motion, 0, positions);
            if (files.failing.reads > n) {
                failed[i]++;
                assert_int_equal(status, RUGA_ERROR_FILE);
                assert_message_has(files.context, names[i]);
            }
            ruga_motion_destroy(motion);
            ruga_mesh_destroy(mesh);
            ruga_mesh_destroy(strip);
            fragile_files_close(&files);
        }
    for (int i = 0; i < 4; i++) assert_ran(failed[i], 1);
}

/* ---- Things that are no files. */

static void directories_devices_and_nothing_are_refused(void **state) {
    (void)state;
    static const ruga_format formats[4] = {RUGA_FORMAT_OBJ, RUGA_FORMAT_PLY, RUGA_FORMAT_PC2, RUGA_FORMAT_MDD};
    ruga_context *context = context_plain(1);
    ruga_mesh *strip = make_strip(context, 2);
    const char *inputs[3] = {test_folder(), "/dev/zero", test_path("missing")};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            ruga_file_def def = ruga_file_def_default();
            def.format = formats[i];
            ruga_mesh *mesh = NULL;
            ruga_motion *motion = NULL;
            ruga_status status = i < 2 ? ruga_mesh_read(context, inputs[k], &def, &mesh)
                                       : ruga_motion_read(context, inputs[k], strip, &def, &motion);
            assert_int_equal(status, RUGA_ERROR_FILE);
            assert_message_has(context, inputs[k]);
            if (k == 0) assert_message_has(context, "is a directory");
        }
    assert_status(ruga_mesh_write(strip, NULL, test_path("no/such/folder.obj"), NULL), RUGA_ERROR_FILE);
    ruga_file_def obj = ruga_file_def_default();
    obj.format = RUGA_FORMAT_OBJ;
    assert_status(ruga_mesh_write(strip, NULL, test_folder(), &obj), RUGA_ERROR_FILE);
    ruga_mesh_destroy(strip);
    ruga_context_destroy(context);
}

static void empty_files_have_messages_of_their_own(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *strip = make_strip(context, 2), *mesh = NULL;
    ruga_motion *motion = NULL;
    static const char *const names[4] = {"empty.obj", "empty.ply", "empty.pc2", "empty.mdd"};
    for (int i = 0; i < 4; i++) write_test_file(test_path(names[i]), "", 0);
    assert_ok(context, ruga_mesh_read(context, test_path(names[0]), NULL, &mesh)); /* an OBJ file may say nothing */
    assert_int_equal(mesh->vertex_count, 0);
    ruga_mesh_destroy(mesh);
    assert_status(ruga_mesh_read(context, test_path(names[1]), NULL, &mesh), RUGA_ERROR_INPUT);
    assert_status(ruga_motion_read(context, test_path(names[2]), strip, NULL, &motion), RUGA_ERROR_INPUT);
    assert_status(ruga_motion_read(context, test_path(names[3]), strip, NULL, &motion), RUGA_ERROR_INPUT);
    ruga_mesh_destroy(strip);
    ruga_context_destroy(context);
}

static void bytes_that_are_no_text_are_no_obj_file(void **state) {
    (void)state;
    static const char junk[] = "t\xd1\x02K\n\x00\x01v 1 2 3\n", odd[] = "v 1 2 3\ncurv\t0 1\r\nvp 0.5\n";
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = NULL;
    write_test_file(test_path("junk.obj"), junk, sizeof junk - 1);
    assert_status(ruga_mesh_read(context, test_path("junk.obj"), NULL, &mesh), RUGA_ERROR_INPUT);
    assert_non_null(strstr(ruga_context_message(context), "junk.obj:1: not an OBJ file: found the byte 0x02"));
    write_test_file(test_path("odd.obj"), odd, sizeof odd - 1);
    assert_ok(context, ruga_mesh_read(context, test_path("odd.obj"), NULL, &mesh));
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_cut_at_any_byte_is_read_or_refused),
        cmocka_unit_test(a_mesh_with_a_wrong_byte_is_read_or_refused),
        cmocka_unit_test(reading_may_run_out_of_memory_anywhere),
        cmocka_unit_test(writing_may_run_out_of_memory_anywhere),
        cmocka_unit_test(motions_may_run_out_of_memory_anywhere),
        cmocka_unit_test(any_call_that_fails_leaves_nothing),
        cmocka_unit_test(a_close_that_fails_leaves_nothing_under_the_final_name),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(a_failure_keeps_what_was_there),
        cmocka_unit_test(a_read_that_fails_is_reported),
        cmocka_unit_test(directories_devices_and_nothing_are_refused),
        cmocka_unit_test(empty_files_have_messages_of_their_own),
        cmocka_unit_test(bytes_that_are_no_text_are_no_obj_file),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove();
    return failed;
}
