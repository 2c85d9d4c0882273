/* Caches that grow over several processes: a cache that was cut back and continued equals one that was written at
 * once. */
#include "io/io.h"
#include "meshes.h"
#include "support/shapes.h"

static const double rate = 25, first = 0.4; /* frame 10 */

static void append(ruga_motion_writer *writer, const ruga_mesh *mesh, size_t sample, int grows) {
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    for (size_t i = 0; i < mesh->vertex_count; i++)
        positions[i] = (ruga_vec3){(double)sample + 0.1 * (double)i, 1.0 / (double)(sample + i + 1), -(double)i};
    ruga_frame frame = {
        .time = first + (double)sample / rate, .vertex_count = mesh->vertex_count, .positions = positions};
    if (grows) {
        assert_ok(mesh->context, pc2_writer_encode(writer, &frame));
        assert_ok(mesh->context, pc2_writer_write(writer));
    } else {
        assert_ok(mesh->context, ruga_motion_writer_append(writer, &frame));
    }
    free(positions);
}

static ruga_file_def cache_def(void) {
    ruga_file_def def = ruga_file_def_default();
    def.rate = rate;
    def.unit = 0.01;
    def.up = RUGA_AXIS_Z;
    return def;
}

static void write_whole(const ruga_mesh *mesh, const char *path, size_t samples) {
    const ruga_file_def def = cache_def();
    ruga_motion_writer *writer = NULL;
    assert_ok(mesh->context, ruga_motion_writer_create(mesh, path, &def, &writer));
    for (size_t i = 0; i < samples; i++) append(writer, mesh, i, 0);
    assert_ok(mesh->context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
}

/* Continues from one number of samples to another; the header is updated only on demand. */
static void grow(const ruga_mesh *mesh, const char *path, size_t from, size_t to, int settle) {
    const ruga_file_def def = cache_def();
    ruga_motion_writer *writer = NULL;
    assert_ok(mesh->context, pc2_writer_continue(mesh, path, &def, first, from, NULL, &writer));
    for (size_t i = from; i < to; i++) append(writer, mesh, i, 1);
    if (settle) assert_ok(mesh->context, pc2_writer_settle(writer, 1));
    ruga_motion_writer_destroy(writer);
}

static void assert_same_files(const char *a, const char *b) {
    size_t sizes[2];
    char *bytes[2] = {read_test_file(a, &sizes[0]), read_test_file(b, &sizes[1])};
    assert_non_null(bytes[0]);
    assert_non_null(bytes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void a_cache_that_was_cut_back_becomes_the_same(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 5, 4);
    const char *whole = test_path("whole.pc2"), *part = test_path("grown.pc2.part");
    write_whole(mesh, whole, 7);
    grow(mesh, part, 0, 4, 1);
    grow(mesh, part, 4, 6, 0); /* stopped at once */
    grow(mesh, part, 3, 3, 0); /* and cut back */
    grow(mesh, part, 3, 7, 1);
    assert_same_files(whole, part);
    grow(mesh, part, 0, 7, 1); /* from the start */
    assert_same_files(whole, part);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void what_is_whole_of_a_growing_cache_is_read(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 5, 4);
    const char *part = test_path("reading.pc2.part");
    const ruga_file_def def = cache_def();
    assert_int_equal(ruga_format_from_path(part), RUGA_FORMAT_PC2);
    assert_true(ruga_path_is_motion(part));
    ruga_motion *motion = NULL;
    grow(mesh, part, 0, 0, 1);
    assert_status(ruga_motion_read(context, part, mesh, &def, &motion), RUGA_ERROR_INPUT);
    assert_message_has(context, "0 samples");

    /* Three whole samples and half of one, of which the header says nothing. */
    grow(mesh, part, 0, 3, 0);
    size_t size;
    char *bytes = read_test_file(part, &size);
    char *longer = calloc(size + mesh->vertex_count * 6, 1);
    memcpy(longer, bytes, size);
    write_test_file(part, longer, size + mesh->vertex_count * 6);
    assert_ok(context, ruga_motion_read(context, part, mesh, &def, &motion));
    assert_int_equal(ruga_motion_get_info(motion).sample_count, 3);
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    assert_ok(context, ruga_motion_sample(motion, first + 2 / rate, positions));
    assert_near(positions[1].x, 2.1, 1e-5);
    free(positions);
    ruga_motion_destroy(motion);
    free(bytes);
    free(longer);

    /* Without the ending the header counts. */
    assert_int_equal(rename(part, test_path("reading.pc2")), 0);
    assert_status(ruga_motion_read(context, test_path("reading.pc2"), mesh, &def, &motion), RUGA_ERROR_INPUT);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void a_cache_that_lost_samples_is_not_continued(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    const ruga_file_def def = cache_def();
    const char *part = test_path("short.pc2.part");
    ruga_motion_writer *writer = NULL;
    grow(mesh, part, 0, 3, 1);
    assert_status(pc2_writer_continue(mesh, part, &def, first, 4, NULL, &writer), RUGA_ERROR_FILE);
    assert_null(writer);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static ruga_status grow_a_little(ruga_context *context, void *user) {
    (void)user;
    ruga_mesh *mesh = NULL;
    double points[9] = {0};
    const uint32_t corners[3] = {0, 1, 2};
    const ruga_file_def def = cache_def();
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){points, 3, 0, RUGA_F64};
    mesh_def.face_count = 1;
    mesh_def.face_vertices = corners;
    TRY(ruga_mesh_create(context, &mesh_def, &mesh));
    ruga_motion_writer *writer = NULL;
    ruga_status status = pc2_writer_continue(mesh, test_path("little.pc2.part"), &def, first, 0, NULL, &writer);
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(3, assert_every_allocation_may_fail(grow_a_little, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_that_was_cut_back_becomes_the_same),
        cmocka_unit_test(what_is_whole_of_a_growing_cache_is_read),
        cmocka_unit_test(a_cache_that_lost_samples_is_not_continued),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
