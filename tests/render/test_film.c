/* PNG files and films: what is written reads back, and what fails leaves nothing behind. */
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "render/image.h"
#include "support/file_systems.h"
#include "support/support.h"

/* An image whose every pixel holds its place. */
static ruga_image *pattern(ruga_context *context, int width, int height, int seed) {
    ruga_image *image;
    if (RUGA_FAILED(image_create(context, width, height, &image))) return NULL;
    for (int i = 0; i < width * height * 3; i++) image->pixels[i] = (uint8_t)(i * 7 + seed * 31 + i / 100);
    return image;
}

/* Reads a PNG by libpng's own simple reader, into malloc'ed RGB. */
static uint8_t *read_png(const void *bytes, size_t size, int *width, int *height) {
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&png, bytes, size)) return NULL;
    png.format = PNG_FORMAT_RGB;
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(png));
    *width = (int)png.width, *height = (int)png.height;
    if (png_image_finish_read(&png, NULL, pixels, 0, NULL)) return pixels;
    free(pixels);
    return NULL;
}

static void assert_png_is(const char *path, const ruga_image *image) {
    size_t size;
    int width = 0, height = 0;
    char *bytes = read_test_file(path, &size);
    assert_non_null(bytes);
    uint8_t *pixels = read_png(bytes, size, &width, &height);
    assert_non_null(pixels);
    assert_int_equal(width, image->width);
    assert_int_equal(height, image->height);
    assert_memory_equal(pixels, image->pixels, (size_t)(width * height * 3));
    free(pixels);
    free(bytes);
}

static void png_reads_back_as_the_same_pixels(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const int sizes[3][2] = {{1, 1}, {37, 21}, {300, 5}};
    for (int i = 0; i < 3; i++) {
        ruga_image *image = pattern(context, sizes[i][0], sizes[i][1], i);
        const char *path = test_path("picture.png");
        assert_ok(context, ruga_image_write_png(image, path));
        assert_png_is(path, image);
        size_t size;
        char *bytes = read_test_file(path, &size);
        // After the signature (8) and IHDR (25) comes the chunk that says the colours are sRGB.
        assert_memory_equal(bytes + 37, "sRGB", 4);
        free(bytes);
        ruga_image_destroy(image);
    }
    ruga_context_destroy(context);
}

static void png_that_fails_at_any_byte_leaves_nothing(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_image *image = pattern(context, 12, 9, 1);
    memory_file_system *memory;
    assert_ok(context, memory_file_system_create(context, &memory));
    failing_file_system failing;
    failing_file_system_init(&failing, memory_file_system_interface(memory));
    context->file_system = &failing.interface;
    assert_ok(context, ruga_image_write_png(image, "good.png"));
    uint64_t size = failing.bytes_written;
    assert_less(100, size);
    for (uint64_t byte = 0; byte < size; byte++) {
        failing_file_system_init(&failing, memory_file_system_interface(memory));
        failing.fail_at_byte = byte;
        assert_status(ruga_image_write_png(image, "bad.png"), RUGA_ERROR_FILE);
        assert_message_has(context, "bad.png");
        assert_int_equal(memory_file_system_count(memory), 1);
    }
    for (int kind = 0; kind < 4; kind++) {
        failing_file_system_init(&failing, memory_file_system_interface(memory));
        *(kind == 0   ? &failing.fail_create
          : kind == 1 ? &failing.fail_flush
          : kind == 2 ? &failing.fail_close
                      : &failing.fail_rename) = 0;
        assert_status(ruga_image_write_png(image, "bad.png"), RUGA_ERROR_FILE);
        assert_int_equal(memory_file_system_count(memory), 1);
    }
    context->file_system = file_system_disk();
    memory_file_system_destroy(memory);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static ruga_status write_a_png(ruga_context *context, void *user) {
    ruga_image *image = pattern(context, 20, 10, 2);
    if (!image) return RUGA_ERROR_MEMORY;
    ruga_status status = ruga_image_write_png(image, user);
    ruga_image_destroy(image);
    return status;
}

static void every_allocation_of_a_png_may_fail(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("allocation.png"));
    assert_less(4, assert_every_allocation_may_fail(write_a_png, path));
}

static void png_needs_a_place(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_image *image = pattern(context, 3, 3, 0);
    assert_status(ruga_image_write_png(image, ""), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_image_write_png(image, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_image_write_png(image, test_path("no/such/folder.png")), RUGA_ERROR_FILE);
    ruga_image_destroy(image);
    ruga_image_destroy(NULL);
    ruga_context_destroy(context);
}

/* ---- Films. */

static void film_by_pattern_writes_numbered_pictures(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_film *film;
    assert_ok(context, ruga_film_create(context, test_path("still###x.png"), 25, &film));
    ruga_image *images[3];
    for (int i = 0; i < 3; i++) {
        images[i] = pattern(context, 16, 8, i);
        assert_ok(context, ruga_film_append(film, images[i]));
    }
    assert_ok(context, ruga_film_finish(film));
    assert_status(ruga_film_append(film, images[0]), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_film_finish(film), RUGA_ERROR_ARGUMENT);
    ruga_film_destroy(film);
    const char *names[3] = {"still000x.png", "still001x.png", "still002x.png"};
    for (int i = 0; i < 3; i++) {
        assert_png_is(test_path(names[i]), images[i]);
        ruga_image_destroy(images[i]);
    }
    ruga_context_destroy(context);
}

static void unfinished_film_leaves_nothing_behind(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_image *image = pattern(context, 64, 48, 1);
    size_t before = test_folder_entry_count();
    const char *names[3] = {"gone####.png", "gone.mp4", "gone.gif"};
    for (int i = 0; i < 3; i++) {
        ruga_film *film;
        assert_ok(context, ruga_film_create(context, test_path(names[i]), 10, &film));
        for (int k = 0; k < 3; k++) assert_ok(context, ruga_film_append(film, image));
        ruga_film_destroy(film);
        assert_int_equal(test_folder_entry_count(), before);
    }
    assert_less(waitpid(-1, NULL, WNOHANG), 0);
    ruga_film_destroy(NULL);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

/* Asks ffprobe for "width,height,pix_fmt,nb_read_frames" of a film. */
static void probe(const char *path, char *line, int size) {
    char command[1200];
    snprintf(
        command, sizeof command,
        "ffprobe -v error -count_frames -select_streams v -show_entries stream=width,height,pix_fmt,nb_read_frames "
        "-of csv=p=0 '%s'",
        path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(line, size, pipe));
    line[strcspn(line, "\r\n")] = 0;
    pclose(pipe);
}

static void films_have_their_frames_and_even_sizes(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int i = 0; i < 2; i++) {
        char path[512], line[256];
        snprintf(path, sizeof path, "%s", test_path(i ? "film.gif" : "a film: 1%02d.mp4"));
        ruga_film *film;
        assert_ok(context, ruga_film_create(context, path, 12.5, &film));
        for (int k = 0; k < 5; k++) {
            ruga_image *image = pattern(context, 61, 43, k);
            assert_ok(context, ruga_film_append(film, image));
            ruga_image_destroy(image);
        }
        assert_false(test_file_exists(path));
        assert_ok(context, ruga_film_finish(film));
        ruga_film_destroy(film);
        probe(path, line, sizeof line);
        assert_string_equal(line, i ? "61,43,bgra,5" : "62,44,yuv420p,5");
    }
    ruga_context_destroy(context);
}

static void film_keeps_one_size_and_needs_pictures(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_image *large = pattern(context, 32, 16, 1), *small = pattern(context, 16, 16, 1);
    ruga_film *film;
    assert_ok(context, ruga_film_create(context, test_path("sizes.mp4"), 10, &film));
    assert_status(ruga_film_finish(film), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "no pictures");
    assert_ok(context, ruga_film_append(film, large));
    assert_status(ruga_film_append(film, small), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "16 x 16");
    ruga_film_destroy(film);
    ruga_image_destroy(large);
    ruga_image_destroy(small);
    ruga_context_destroy(context);
}

static void bad_films_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_film *film = NULL;
    assert_status(ruga_film_create(context, "film.avi", 25, &film), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, ".mp4");
    assert_status(ruga_film_create(context, "film.png", 25, &film), RUGA_ERROR_UNSUPPORTED);
    assert_status(ruga_film_create(context, "", 25, &film), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_film_create(context, NULL, 25, &film), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_film_create(context, "film.mp4", 0, &film), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_film_create(context, "film.mp4", 1e9, &film), RUGA_ERROR_ARGUMENT);
    assert_null(film);
    ruga_context_destroy(context);
}

static void missing_ffmpeg_is_named(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    setenv("PATH", "/nowhere::/neither", 1);
    ruga_film *film = NULL;
    ruga_status status = ruga_film_create(context, test_path("film.mp4"), 25, &film);
    setenv("PATH", path, 1);
    assert_status(status, RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "ffmpeg");
    assert_message_has(context, "package");
    assert_null(film);
    ruga_context_destroy(context);
}

/* An encoder that dies must neither kill the host by a signal nor leave a file. */
static void film_survives_the_death_of_its_encoder(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    struct sigaction before, after;
    sigaction(SIGPIPE, NULL, &before);
    /* An encoder that reads nothing. */
    static const char dying[] = "#!/bin/sh\necho no disk\nexit 1\n";
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    write_test_file(test_path("ffmpeg"), dying, strlen(dying));
    assert_int_equal(chmod(test_path("ffmpeg"), 0755), 0);
    setenv("PATH", test_folder(), 1);
    const size_t entries = test_folder_entry_count();
    ruga_film *film;
    assert_ok(context, ruga_film_create(context, test_path("dead.mp4"), 25, &film));
    ruga_image *image = pattern(context, 640, 480, 1);
    ruga_status status = RUGA_OK;
    for (int i = 0; i < 50 && !RUGA_FAILED(status); i++) status = ruga_film_append(film, image);
    if (!RUGA_FAILED(status)) status = ruga_film_finish(film);
    assert_status(status, RUGA_ERROR_FILE);
    assert_message_has(context, "ffmpeg failed: no disk");
    assert_message_has(context, "dead.mp4");
    assert_true(RUGA_FAILED(ruga_film_finish(film)));
    ruga_film_destroy(film);
    setenv("PATH", path, 1);
    assert_int_equal(test_folder_entry_count(), entries);
    assert_int_equal(unlink(test_path("ffmpeg")), 0);
    /* A missing folder is reported before any picture is made. */
    assert_status(ruga_film_create(context, test_path("no/such/folder.mp4"), 25, &film), RUGA_ERROR_FILE);
    assert_message_has(context, "folder.mp4: can't be written");
    sigaction(SIGPIPE, NULL, &after);
    assert_true(before.sa_handler == after.sa_handler);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static void film_that_cannot_get_its_name_leaves_nothing(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    failing_file_system failing;
    failing_file_system_init(&failing, file_system_disk());
    failing.fail_rename = 0;
    size_t before = test_folder_entry_count();
    ruga_film *film;
    ruga_image *image = pattern(context, 32, 32, 1);
    assert_ok(context, ruga_film_create(context, test_path("unnamed.gif"), 25, &film));
    assert_ok(context, ruga_film_append(film, image));
    context->file_system = &failing.interface;
    assert_status(ruga_film_finish(film), RUGA_ERROR_FILE);
    context->file_system = file_system_disk();
    ruga_film_destroy(film);
    assert_int_equal(test_folder_entry_count(), before);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

/* A link that somebody put under the temporary name is neither followed nor replaced. */
static void film_does_not_follow_links_under_its_temporary_name(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char film_path[512], victim[512], links[2][600];
    snprintf(film_path, sizeof film_path, "%s", test_path("linked.gif"));
    snprintf(victim, sizeof victim, "%s", test_path("victim"));
    write_test_file(victim, "mine", 4);
    snprintf(links[0], sizeof links[0], "%s.%ld.part", film_path, (long)getpid());
    snprintf(links[1], sizeof links[1], "%s.%ld-0.tmp", film_path, (long)getpid());
    for (int i = 0; i < 2; i++) assert_int_equal(symlink(victim, links[i]), 0);
    ruga_film *film;
    ruga_image *image = pattern(context, 32, 32, 1);
    assert_ok(context, ruga_film_create(context, film_path, 25, &film));
    assert_ok(context, ruga_film_append(film, image));
    assert_ok(context, ruga_film_finish(film));
    ruga_film_destroy(film);
    size_t size;
    char *bytes = read_test_file(victim, &size);
    assert_int_equal(size, 4);
    free(bytes);
    for (int i = 0; i < 2; i++) assert_int_equal(unlink(links[i]), 0);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static ruga_status make_a_film(ruga_context *context, void *user) {
    ruga_film *film = NULL;
    ruga_image *image = pattern(context, 16, 15, 2);
    if (!image) return RUGA_ERROR_MEMORY;
    ruga_status status = ruga_film_create(context, user, 25, &film);
    if (!RUGA_FAILED(status)) status = ruga_film_append(film, image);
    if (!RUGA_FAILED(status)) status = ruga_film_finish(film);
    ruga_film_destroy(film);
    ruga_image_destroy(image);
    return status;
}

static void every_allocation_of_a_film_may_fail(void **state) {
    (void)state;
    const char *names[2] = {"memory##.png", "memory.gif"};
    for (int i = 0; i < 2; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s", test_path(names[i]));
        assert_less_case(3, assert_every_allocation_may_fail(make_a_film, path), "i %d", i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_reads_back_as_the_same_pixels),
        cmocka_unit_test(png_that_fails_at_any_byte_leaves_nothing),
        cmocka_unit_test(every_allocation_of_a_png_may_fail),
        cmocka_unit_test(png_needs_a_place),
        cmocka_unit_test(film_by_pattern_writes_numbered_pictures),
        cmocka_unit_test(unfinished_film_leaves_nothing_behind),
        cmocka_unit_test(films_have_their_frames_and_even_sizes),
        cmocka_unit_test(film_keeps_one_size_and_needs_pictures),
        cmocka_unit_test(bad_films_are_refused),
        cmocka_unit_test(missing_ffmpeg_is_named),
        cmocka_unit_test(film_survives_the_death_of_its_encoder),
        cmocka_unit_test(film_that_cannot_get_its_name_leaves_nothing),
        cmocka_unit_test(film_does_not_follow_links_under_its_temporary_name),
        cmocka_unit_test(every_allocation_of_a_film_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
