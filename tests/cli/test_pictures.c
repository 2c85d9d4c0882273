/* Pictures, films and the demo. The pictures are small; tests/render proves their contents. */
#include <png.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/ruga_command.h"

static ruga_context *context;

#define SMALL "--width 48 --height 32 --samples 1 --occlusion 0"

static void make_motion(void) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path("torus.obj"), NULL, &mesh));
    ruga_file_def def = ruga_file_def_default();
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("move.pc2"), &def, &writer));
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    for (int i = 0; i < 5; i++) {
        for (size_t v = 0; v < mesh->vertex_count; v++)
            positions[v] = (ruga_vec3){mesh->positions[v].x, mesh->positions[v].y * (1 + i), mesh->positions[v].z};
        ruga_frame frame = {.time = i / 24.0, .vertex_count = mesh->vertex_count, .positions = positions};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    free(positions);
}

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    assert_ruga(0, NULL, "make torus --sectors 12 --sides 6 -o torus.obj -q");
    assert_ruga(0, NULL, "make sheet --rows 2 --columns 2 -o sheet.ply -q");
    make_motion();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

/* Width and height from a PNG's header, and all of its bytes. */
static char *read_picture(const char *name, int *width, int *height, size_t *size) {
    unsigned char *bytes = (unsigned char *)read_test_file(test_path(name), size);
    fail_if(!bytes || *size < 33 || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) != 0, "%s is no PNG", name);
    *width = bytes[18] << 8 | bytes[19];
    *height = bytes[22] << 8 | bytes[23];
    return (char *)bytes;
}

static void assert_picture(const char *name, int width, int height) {
    int w, h;
    size_t size;
    free(read_picture(name, &w, &h, &size));
    assert_int_equal(w, width);
    assert_int_equal(h, height);
}

static int pictures_equal(const char *a, const char *b) {
    int w, h;
    size_t size_a, size_b;
    char *x = read_picture(a, &w, &h, &size_a), *y = read_picture(b, &w, &h, &size_b);
    int equal = size_a == size_b && memcmp(x, y, size_a) == 0;
    free(x);
    free(y);
    return equal;
}

/* The columns and rows of a picture that have a red pixel: least and greatest of each. Grows the box. */
static void grow_red_box(const char *name, int box[4], int *width, int *height) {
    png_image png = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&png, test_path(name)));
    png.format = PNG_FORMAT_RGB;
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(png));
    assert_true(png_image_finish_read(&png, NULL, pixels, 0, NULL));
    *width = (int)png.width, *height = (int)png.height;
    for (int y = 0; y < *height; y++)
        for (int x = 0; x < *width; x++) {
            const uint8_t *p = pixels + 3 * (y * *width + x);
            if (p[0] < 60 || p[0] < 2 * p[1]) continue;
            box[0] = x < box[0] ? x : box[0], box[1] = x > box[1] ? x : box[1];
            box[2] = y < box[2] ? y : box[2], box[3] = y > box[3] ? y : box[3];
        }
    free(pixels);
}

/* Over a whole film the object fills 60 % of the height or 80 % of the width, and stays inside, however large the
 * colliders are. */
static void the_subject_of_a_film_is_large(void **state) {
    (void)state;
    const char *const colliders[] = {"[]", "[{\"kind\": \"sphere\", \"centre\": [0, -8, 0], \"radius\": 7.9}]"};
    assert_ruga(0, NULL, "new press -o press.json -q");
    for (int i = 0; i < 2; i++)
        for (int wide = 0; wide < 2; wide++) {
            assert_ruga(
                0, NULL,
                "run press.json --frames 4 --set 'colliders=%s' --set 'objects[ball].hooks=[]' --set "
                "'objects[ball].body.keys=[{\"time\":0},{\"time\":0.125,\"move\":[%s]}]' -o press.run --replace -q",
                colliders[i], wide ? "3,0,0" : "0,0.4,0");
            assert_ruga(0, NULL,
                        "render press.run --colour '#ff0000' --width 96 --height 72 --samples 1 --occlusion 0 -o "
                        "press_####.png -q");
            int box[4] = {1000, -1, 1000, -1}, width = 0, height = 0;
            for (int frame = 0; frame < 4; frame++) {
                char name[32];
                snprintf(name, sizeof name, "press_%04d.png", frame);
                grow_red_box(name, box, &width, &height);
            }
            double across = (box[1] - box[0] + 1.0) / width, high = (box[3] - box[2] + 1.0) / height;
            fail_if(across < 0.78 && high < 0.58, "case %d %d: the ball fills %.2f of the width, %.2f of the height", i,
                    wide, across, high);
            assert_less(0, box[0]);
            assert_less(box[1], width - 1);
            assert_less(0, box[2]);
            assert_less(box[3], height - 1);
        }
}

/* Cloth is smoothed unless --facets is given, and the report counts frames that can't be. */
static void cloth_is_drawn_smooth(void **state) {
    (void)state;
    assert_ruga(0, NULL, "cloth flag --columns 6 --rows 4 --frames 3 -o smooth.run -q");
    json_document *json = ruga_json(context, 0, "render smooth.run --frame 2 --width 96 --height 72 -o smooth.png");
    assert_equal(json_member(json_root(json), "faceted")->number, 0);
    json_destroy(json);
    assert_ruga(0, NULL, "render smooth.run --frame 2 --width 96 --height 72 --facets -o facets.png -q");
    assert_false(pictures_equal("smooth.png", "facets.png"));
}

/* A ball with a triangle whose corner is between the ball and the smaller one that smoothing makes of it. */
static void frames_that_cannot_be_smoothed_are_counted(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sphere --frequency 2 -o ball.obj -q");
    ruga_mesh *ball = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path("ball.obj"), NULL, &ball));
    const ruga_vec3 corner = ball->positions[0];
    FILE *file = fopen(test_path("ball.obj"), "a");
    assert_non_null(file);
    fprintf(file, "v %.9g %.9g %.9g\nv 0.01 0 0\nv 0 0.01 0.01\nf -1 -2 -3\n", 0.98 * corner.x, 0.98 * corner.y,
            0.98 * corner.z);
    fclose(file);
    ruga_mesh_destroy(ball);
    static const char *const finishes[] = {"plain", "cloth", "skin", "cloth --facets"};
    for (int i = 0; i < 4; i++) {
        json_document *json =
            ruga_json(context, 0, "render ball.obj " SMALL " --turntable 3 --finish %s -o ball_##.png", finishes[i]);
        assert_equal_case(json_number_at(json, "faceted"), i == 1 || i == 2 ? 3 : 0, "%s", finishes[i]);
        json_destroy(json);
    }
}

/* A ball, and a triangle of another file inside: near a corner of the ball it is between the ball and the smaller one
 * that smoothing makes of it; farther in it is inside both. */
static void smooth_cloth_does_not_intersect_other_objects(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sphere --frequency 2 -o round.obj -q");
    ruga_mesh *ball = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path("round.obj"), NULL, &ball));
    const ruga_vec3 corner = ball->positions[0];
    ruga_mesh_destroy(ball);
    static const double places[] = {0.98, 0.5};
    static const char *const finishes[] = {"plain", "cloth", "skin", "cloth --facets"};
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(test_path("tip.obj"), "w");
        assert_non_null(file);
        fprintf(file, "v %.9g %.9g %.9g\nv 0.01 0 0\nv 0 0.01 0.01\nf 1 2 3\n", places[i] * corner.x,
                places[i] * corner.y, places[i] * corner.z);
        fclose(file);
        for (int k = 0; k < 4; k++) {
            json_document *json = ruga_json(
                context, 0, "render round.obj tip.obj " SMALL " --turntable 3 --finish %s -o tip_##.png", finishes[k]);
            assert_equal_case(json_number_at(json, "faceted"), i == 0 && (k == 1 || k == 2) ? 3 : 0, "%g, %s",
                              places[i], finishes[k]);
            json_destroy(json);
        }
    }
}

/* The finish is that of the scene's material, unless --finish names one. */
static void finish_follows_the_material_of_the_scene(void **state) {
    (void)state;
    assert_ruga(0, NULL, "cloth flag --columns 6 --rows 4 --frames 2 -o finish.run -q");
    assert_ruga(0, NULL, "render finish.run --mesh flag " SMALL " -o auto.png -q");
    assert_ruga(0, NULL, "render finish.run --mesh flag " SMALL " --finish auto -o named.png -q");
    assert_true(pictures_equal("auto.png", "named.png"));
    static const char *const finishes[] = {"plain", "cloth", "skin", "leather", "paper", "metal"};
    for (int i = 0; i < 6; i++) {
        assert_ruga(0, NULL, "render finish.run --mesh flag " SMALL " --finish %s -o named.png -q", finishes[i]);
        assert_equal_case(pictures_equal("auto.png", "named.png"), i == 1, "%s", finishes[i]);
    }
    // A mesh has no scene: it is plain.
    assert_ruga(0, NULL, "render torus.obj " SMALL " -o auto.png -q");
    assert_ruga(0, NULL, "render torus.obj " SMALL " --finish plain -o named.png -q");
    assert_true(pictures_equal("auto.png", "named.png"));
}

/* In a film, too, panels have the proportions of what they show: a lying arm gets more room than a body. */
static void panels_of_a_film_follow_what_they_show(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make arm --action bend --bend-angle 20 -o arm.glb -q");
    assert_ruga(0, NULL, "make mannequin --cells 60 --action walk -o body.glb -q");
    assert_ruga(0, NULL,
                "render arm.glb body.glb --side-by-side --columns 2 --elevation 0 --azimuth 0 --width 300 --height 150 "
                "--samples 1 --occlusion 0 --colour '#ff0000' --colour '#0000ff' --rate 1 -o panels_##.png -q");
    int box[4] = {1000, -1, 1000, -1}, width = 0, height = 0;
    grow_red_box("panels_00.png", box, &width, &height);
    assert_less(0, box[0]);
    assert_less(0.33 * width, 0.5 * (box[0] + box[1]));
}

/* The rest mesh does not show its creases: Loop's surface would round them off. */
static void creased_cloth_keeps_its_edges(void **state) {
    (void)state;
    assert_ruga(0, NULL, "new hang -o hang.json -q");
    assert_ruga(0, NULL, "run hang.json --frames 6 -o hang.run -q");
    for (int creased = 0; creased < 2; creased++) {
        const char *name = creased ? "creased" : "plain";
        assert_ruga(0, NULL, "render hang.run --mesh %s --frame 5 --width 96 --height 72 -o a.png -q", name);
        assert_ruga(0, NULL, "render hang.run --mesh %s --frame 5 --width 96 --height 72 --facets -o b.png -q", name);
        assert_int_equal(pictures_equal("a.png", "b.png"), creased);
    }
}

static void a_picture_has_the_given_size(void **state) {
    (void)state;
    command_result text = ruga_run("render torus.obj " SMALL " -o a.png");
    assert_int_equal(text.code, 0);
    assert_non_null(strstr(text.out, "wrote a.png: 48 x 32"));
    command_release(&text);
    assert_picture("a.png", 48, 32);
    json_document *json = ruga_json(context, 0, "render torus.obj " SMALL " -o a.png");
    assert_int_equal((int)json_number_at(json, "width"), 48);
    assert_int_equal((int)json_number_at(json, "frames"), 1);
    json_destroy(json);
}

/* Every option of the look changes the picture. */
static void every_option_reaches_the_picture(void **state) {
    (void)state;
    static const char *const options[] = {"--wireframe",
                                          "--shading flat",
                                          "--colour '#204080'",
                                          "--background '#000000'",
                                          "--ground",
                                          "--attribute y",
                                          "--attribute x --diverging",
                                          "--attribute z --label depth --range=-1:1",
                                          "--azimuth 80",
                                          "--elevation 60",
                                          "--zoom 2",
                                          "--fov 70",
                                          "--eye 1,1,1 --target 0,0,0",
                                          "--title torus",
                                          "--caption torus",
                                          "--cache move.pc2 --frame 3",
                                          "--cache move.pc2 --time 0.05",
                                          "--wireframe --wire-width 6",
                                          "--unit mm --eye 1,1,1 --target 0,0,0"};
    assert_ruga(0, NULL, "render torus.obj --width 96 --height 72 --samples 1 -o plain.png -q");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        assert_ruga(0, NULL, "render torus.obj --width 96 --height 72 --samples 1 %s -o other.png -q", options[i]);
        fail_if(pictures_equal("plain.png", "other.png"), "%s changes nothing", options[i]);
    }
    assert_ruga(0, NULL, "render sheet.ply --elevation -30 --width 96 --height 72 -o below.png -q");
    assert_ruga(0, NULL, "render sheet.ply --elevation -30 --back '#ff0000' --width 96 --height 72 -o red.png -q");
    assert_false(pictures_equal("below.png", "red.png"));
}

static void threads_do_not_change_a_picture(void **state) {
    (void)state;
    assert_ruga(0, NULL, "render torus.obj --width 64 --height 48 --threads 1 -o one.png -q");
    assert_ruga(0, NULL, "render torus.obj --width 64 --height 48 --threads 5 -o five.png -q");
    assert_true(pictures_equal("one.png", "five.png"));
}

static void meshes_stand_side_by_side_or_together(void **state) {
    (void)state;
    assert_ruga(0, NULL, "render torus.obj sheet.ply " SMALL " --side-by-side --caption a --columns 1 -o side.png -q");
    assert_ruga(0, NULL, "render torus.obj sheet.ply " SMALL " --colour '#ff0000' --colour '#00ff00' -o both.png -q");
    assert_false(pictures_equal("side.png", "both.png"));
}

static void unknown_attributes_are_answered_with_the_known_ones(void **state) {
    (void)state;
    assert_ruga(2, "torus.obj: no vertex attribute 'curvture'; it has x, y, z",
                "render torus.obj --attribute curvture -o x.png");
    assert_false(test_file_exists(test_path("x.png")));
}

static void a_mesh_without_faces_is_no_picture(void **state) {
    (void)state;
    write_test_file(test_path("points.obj"), "v 0 0 0\nv 1 0 0\n", 16);
    assert_ruga(3, "points.obj: has no faces, so there is nothing to draw", "render points.obj -o points.png");
    remove(test_path("points.obj"));
}

static void unwritable_pictures_and_films_are_failures(void **state) {
    (void)state;
    assert_ruga(1, "no_folder/a.png", "render torus.obj " SMALL " -o no_folder/a.png");
    assert_ruga(1, "no_folder/a_####.png", "render torus.obj " SMALL " --turntable 2 -o no_folder/a_####.png");
    assert_ruga(2, "a film needs a motion", "render torus.obj " SMALL " -o a.mp4");
    assert_ruga(2, "need a mesh that moves", "render torus.obj " SMALL " --time 1 -o a.png");
}

/* A film of pictures: as many as there are frames, the first as the still at that time. */
static void a_motion_becomes_one_picture_a_frame(void **state) {
    (void)state;
    json_document *json = ruga_json(context, 0, "render torus.obj --cache move.pc2 " SMALL " -o m_####.png");
    assert_int_equal((int)json_number_at(json, "frames"), 5);
    json_destroy(json);
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "m_%04d.png", i);
        assert_picture(name, 48, 32);
    }
    assert_false(test_file_exists(test_path("m_0005.png")));
    assert_false(pictures_equal("m_0000.png", "m_0004.png"));
}

/* Once around: half a turn later a torus looks the same but for the light, and the mesh never leaves the picture. */
static void a_turntable_goes_around(void **state) {
    (void)state;
    assert_ruga(0, NULL, "render sheet.ply --turntable 3 " SMALL " -o t_####.png -q");
    assert_picture("t_0002.png", 48, 32);
    assert_false(pictures_equal("t_0000.png", "t_0001.png"));
    assert_false(test_file_exists(test_path("t_0003.png")));
}

static void films_are_made_with_ffmpeg(void **state) {
    (void)state;
    if (system("command -v ffmpeg >/dev/null 2>&1") != 0) skip();
    assert_ruga(0, NULL, "render torus.obj --turntable 3 " SMALL " -o turn.mp4 -q");
    size_t size = 0;
    char *bytes = read_test_file(test_path("turn.mp4"), &size);
    assert_true(bytes);
    assert_less(100, size);
    assert_true(memcmp(bytes + 4, "ftyp", 4) == 0);
    free(bytes);
}

static void films_without_ffmpeg_are_refused(void **state) {
    (void)state;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    command_result none = command_run(RUGA_COMMAND, "render torus.obj --turntable 3 " SMALL " -o none.mp4");
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(none.code, 1);
    assert_non_null(strstr(none.err, "ffmpeg"));
    assert_false(test_file_exists(test_path("none.mp4")));
    command_release(&none);
}

/* ---- The demo. */
static void the_demo_lists_its_items(void **state) {
    (void)state;
    json_document *json = ruga_json(context, 0, "demo --list");
    assert_at_most(8, json_root(json)->count);
    json_destroy(json);
    command_result text = ruga_run("demo --list");
    assert_non_null(strstr(text.out, "subdivision"));
    assert_non_null(strstr(text.out, "(long)"));
    command_release(&text);
}

/* The page shows the existing items, needs no other files, and every file that it names exists. */
static void the_page_shows_the_made_items_and_needs_no_other_files(void **state) {
    (void)state;
    command_result made = ruga_run("demo defects --draft -o deep/demo");
    assert_int_equal(made.code, 0);
    assert_non_null(strstr(made.out, "defects"));
    assert_non_null(strstr(made.out, "open deep/demo/index.html"));
    command_release(&made);
    char *page = read_test_file(test_path("deep/demo/more.html"), NULL);
    assert_non_null(page);
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    assert_non_null(strstr(page, "src=\"defects.png\""));
    assert_null(strstr(page, "models.png"));
    assert_null(strstr(page, "#motion")); /* no link to a missing section */
    assert_null(strstr(page, "http"));
    assert_true(test_file_exists(test_path("deep/demo/defects.png")));
    free(page);

    /* After a later run, the page also shows the earlier items. */
    assert_ruga(0, NULL, "demo triangulations --draft -o deep/demo -q");
    page = read_test_file(test_path("deep/demo/more.html"), NULL);
    assert_non_null(strstr(page, "src=\"defects.png\""));
    assert_non_null(strstr(page, "src=\"triangulations.png\""));
    free(page);
}

/* The number of intersections in a caption is the one that the run in the folder measured: three frames of a draft,
 * and a sheet that intersects a ball at first. Without the run, the page has no such sentence. */
static void the_page_has_the_intersections_that_a_run_measured(void **state) {
    (void)state;
    skip_unless_long();
    assert_ruga(0, NULL, "demo funnel untangle --draft -o page -q");
    char *page = read_test_file(test_path("page/index.html"), NULL);
    assert_non_null(strstr(page, "The exact check of each of its 3 frames: 0 intersections in all; 0 pairs pinched."));
    const char *untangle = strstr(page, "id=\"untangle\"");
    assert_non_null(untangle);
    assert_non_null(strstr(untangle, "The exact check of each of its 3 frames: "));
    assert_null(strstr(untangle, ": 0 intersections"));
    free(page);

    assert_int_equal(rename(test_path("page/funnel.run"), test_path("page/away")), 0);
    assert_ruga(0, NULL, "demo defects --draft -o page -q");
    page = read_test_file(test_path("page/index.html"), NULL);
    assert_non_null(strstr(page, "id=\"funnel\""));
    assert_null(strstr(page, ": 0 intersections"));
    free(page);
}

/* A film that can't be made for want of ffmpeg is a still. */
static void a_still_replaces_a_film_without_ffmpeg(void **state) {
    (void)state;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    command_result made = ruga_run("demo turntable --draft -o stills");
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(made.code, 0);
    assert_non_null(strstr(made.err, "turntable.png is a still: install ffmpeg"));
    char *page = read_test_file(test_path("stills/more.html"), NULL);
    assert_non_null(strstr(page, "<img src=\"turntable.png\""));
    assert_null(strstr(page, "<video"));
    free(page);
    command_release(&made);
}

static void a_demo_that_cannot_be_written_is_a_failure(void **state) {
    (void)state;
    assert_ruga(1, "torus.obj", "demo defects -o torus.obj/demo");
    assert_ruga(1, "not a folder", "demo defects -o torus.obj");
    assert_ruga(1, "/proc/none", "demo defects -o /proc/none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_subject_of_a_film_is_large),
        cmocka_unit_test(cloth_is_drawn_smooth),
        cmocka_unit_test(frames_that_cannot_be_smoothed_are_counted),
        cmocka_unit_test(smooth_cloth_does_not_intersect_other_objects),
        cmocka_unit_test(finish_follows_the_material_of_the_scene),
        cmocka_unit_test(panels_of_a_film_follow_what_they_show),
        cmocka_unit_test(creased_cloth_keeps_its_edges),
        cmocka_unit_test(a_picture_has_the_given_size),
        cmocka_unit_test(every_option_reaches_the_picture),
        cmocka_unit_test(threads_do_not_change_a_picture),
        cmocka_unit_test(meshes_stand_side_by_side_or_together),
        cmocka_unit_test(unknown_attributes_are_answered_with_the_known_ones),
        cmocka_unit_test(a_mesh_without_faces_is_no_picture),
        cmocka_unit_test(unwritable_pictures_and_films_are_failures),
        cmocka_unit_test(a_motion_becomes_one_picture_a_frame),
        cmocka_unit_test(a_turntable_goes_around),
        cmocka_unit_test(films_are_made_with_ffmpeg),
        cmocka_unit_test(films_without_ffmpeg_are_refused),
        cmocka_unit_test(the_demo_lists_its_items),
        cmocka_unit_test(the_page_shows_the_made_items_and_needs_no_other_files),
        cmocka_unit_test(the_page_has_the_intersections_that_a_run_measured),
        cmocka_unit_test(a_still_replaces_a_film_without_ffmpeg),
        cmocka_unit_test(a_demo_that_cannot_be_written_is_a_failure),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
