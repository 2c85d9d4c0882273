/* ruga sculpt: strokes of every kind of file, numbers of strokes and of the command line, lengths over time, and all
 * that can be wrong. */
#include <math.h>
#include <stdio.h>

#include "support/ruga_command.h"

static ruga_context *context;

enum { CELLS = 20, BASE_COUNT = (CELLS + 1) * (CELLS + 1), RATE = 24 };

static void write_text(const char *name, const char *text) { write_test_file(test_path(name), text, strlen(text)); }

static ruga_mesh *read_mesh(const char *name) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path(name), NULL, &mesh));
    return mesh;
}

/* sheet.obj pressed together along x, by a fifth in the last of three frames. */
static void write_cache(void) {
    ruga_mesh *mesh = read_mesh("sheet.obj");
    ruga_motion_writer *writer = NULL;
    ruga_file_def def = ruga_file_def_default();
    ruga_vec3 positions[BASE_COUNT];
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("press.pc2"), &def, &writer));
    for (int i = 0; i < 3; i++) {
        for (size_t v = 0; v < BASE_COUNT; v++) {
            positions[v] = mesh->positions[v];
            positions[v].x *= 1 - 0.1 * i;
        }
        ruga_frame frame = {.time = (double)i / RATE, .vertex_count = BASE_COUNT, .positions = positions};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
}

#define LINE "[[-0.3, 0, 0.01], [0.3, 0, 0.01]]"

/* A sheet from -0.5 to 0.5 along x and z, and a line along x. */
static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    assert_ruga(0, NULL, "make sheet --columns %d --rows %d -o sheet.obj -q", CELLS, CELLS);
    write_cache();
    write_text("line.json",
               "{\"strokes\": [{\"name\": \"line\", \"curve\": " LINE ", \"radius\": 0.1, \"refine\": 2}]}");
    write_text("line.obj",
               "o line\nv -0.3 0 0.01\nv 0.3 0 0.01\nl 1 2\n"
               "o line_region\nv -0.3 0 0.11\nv 0.3 0 0.11\nl 3 4\no other\nv -0.3 0 -0.3\nv 0.3 0 -0.3\nl 5 6\n");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

/* Extent along y, at right angles to the sheet. */
static double height(const ruga_vec3 *positions, size_t count) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, positions[i].y);
        high = fmax(high, positions[i].y);
    }
    return high - low;
}

/* ---- Strokes. */

static void a_stroke_wrinkles_only_around_its_curve(void **state) {
    (void)state;
    json_document *report = ruga_json(context, 0, "sculpt sheet.obj line.json -o out.obj --json");
    ruga_mesh *mesh = read_mesh("out.obj"), *base = read_mesh("sheet.obj");
    assert_true(mesh->vertex_count == (size_t)json_number_at(report, "vertices"));
    assert_less(base->vertex_count, mesh->vertex_count);
    assert_non_null(ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER));
    assert_less(0.03, height(mesh->positions, mesh->vertex_count));
    size_t outside = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 p = mesh->positions[v];
        if (fabs(p.z - 0.01) <= 0.101 && fabs(p.x) <= 0.401) continue;
        assert_equal_case(p.y, 0, "v %zu", v);
        outside++;
    }
    assert_less(100, outside);
    for (size_t v = 0; v < BASE_COUNT; v++) {
        assert_equal_case(mesh->positions[v].x, base->positions[v].x, "v %zu", v);
        assert_equal_case(mesh->positions[v].z, base->positions[v].z, "v %zu", v);
    }
    assert_near(json_number_at(report, "strokes.0.drawn_length"), 0.6, 1e-9);
    assert_near(json_number_at(report, "strokes.0.reached"), 1.06, 0.02);
    assert_at_most(2, json_number_at(report, "strokes.0.wrinkles"));
    assert_string_equal(json_text_at(report, "strokes.0.name"), "line");
    json_destroy(report);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(base);
}

static void each_curve_of_a_file_is_a_stroke_but_for_regions_of_others(void **state) {
    (void)state;
    json_document *report = ruga_json(context, 0, "sculpt sheet.obj line.obj --refine 1 -o out.obj --json");
    assert_string_equal(json_text_at(report, "strokes.0.name"), "line");
    assert_string_equal(json_text_at(report, "strokes.1.name"), "other");
    assert_null(json_item(json_member(json_root(report), "strokes"), 2));
    /* The radius is that of the region curve; without one, the length. */
    assert_near(json_number_at(report, "strokes.0.radius"), 0.1, 1e-6);
    assert_near(json_number_at(report, "strokes.1.radius"), 0.6, 1e-6);
    json_destroy(report);
}

static void a_stroke_overrides_the_command_line_which_overrides_the_file(void **state) {
    (void)state;
    write_text("numbers.json",
               "{\"curves\": \"line.obj\", \"stiffness\": 5, \"length\": 1.2, \"refine\": 0,\n"
               " \"strokes\": [{\"curve\": \"line\", \"length\": 1.05}, {\"curve\": \"other\"}]}");
    json_document *report = ruga_json(context, 0, "sculpt sheet.obj numbers.json -o out.obj --json");
    assert_near(json_number_at(report, "strokes.0.reached"), 1.05, 0.03);
    assert_near(json_number_at(report, "strokes.1.reached"), 1.2, 0.03);
    json_destroy(report);
    report = ruga_json(context, 0, "sculpt sheet.obj numbers.json --length 1.5 -o out.obj --json");
    assert_near(json_number_at(report, "strokes.0.reached"), 1.05, 0.03);
    assert_near(json_number_at(report, "strokes.1.reached"), 1.5, 0.03);
    json_destroy(report);
    report = ruga_json(context, 0, "sculpt sheet.obj line.json --wrinkles 3 -o out.obj --json");
    assert_equal(json_number_at(report, "strokes.0.wrinkles"), 3);
    json_destroy(report);
    /* Words, too: printed ends bend for less. */
    report = ruga_json(context, 0, "sculpt sheet.obj line.json --wrinkles 3 --ends printed -o out.obj --json");
    json_document *soft =
        ruga_json(context, 0, "sculpt sheet.obj line.json --wrinkles 3 --ends soft -o out.obj --json");
    assert_less(json_number_at(soft, "strokes.0.reached"), json_number_at(report, "strokes.0.reached"));
    json_destroy(report);
    json_destroy(soft);
}

static void a_stroke_that_is_off_does_not_change_the_mesh(void **state) {
    (void)state;
    write_text("off.json", "{\"strokes\": [{\"curve\": " LINE ", \"off\": true}]}");
    assert_ruga(0, NULL, "sculpt sheet.obj off.json -o out.obj -q");
    char *before = read_test_file(test_path("sheet.obj"), NULL), *after = read_test_file(test_path("out.obj"), NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* The same strokes on the same mesh in centimetres with z up. */
static void points_and_results_have_the_unit_and_axes_of_the_mesh(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sheet --columns %d --rows %d --unit cm --up z -o sheet_cm.obj -q", CELLS, CELLS);
    write_text("line_cm.json",
               "{\"strokes\": [{\"curve\": [[-30, -1, 0], [30, -1, 0]], \"radius\": 0.1, \"refine\": 2}]}");
    assert_ruga(0, NULL, "sculpt sheet.obj line.json -o out.obj -q");
    assert_ruga(0, NULL, "sculpt sheet_cm.obj line_cm.json --unit cm --up z -o out_cm.obj -q");
    ruga_mesh *mesh = read_mesh("out.obj"), *other = NULL;
    ruga_file_def def = ruga_file_def_default();
    def.unit = 0.01;
    def.up = RUGA_AXIS_Z;
    assert_ok(context, ruga_mesh_read(context, test_path("out_cm.obj"), &def, &other));
    assert_int_equal(mesh->vertex_count, other->vertex_count);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        assert_near_case(mesh->positions[v].y, other->positions[v].y, 1e-6, "v %zu", v);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(other);
}

/* From 3 m above, 30 degrees over 720 pixels: 200 of them are 200 / 360 of 3 m times tan 15 degrees. */
#define SEEN "\"seen\": [[540, 360], [740, 360]]"
#define FROM_ABOVE "\"camera\": {\"eye\": [0, 3, 0], \"target\": [0, 0, 0], \"up\": [0, 0, -1]}"

static void a_stroke_may_be_drawn_on_a_picture(void **state) {
    (void)state;
    static const struct {
        const char *curve, *message;
    } bad[] = {
        {SEEN, "need the \"camera\""},
        {SEEN ", \"camera\": {\"eye\": [0, 3, 0]}", "needs \"eye\" and \"target\""},
        {SEEN ", \"camera\": {\"eye\": [0, 3, 0], \"target\": [0, 3, 0]}", "eye and target apart"},
        {SEEN ", \"camera\": {\"eyes\": [0, 3, 0]}", "a camera has no \"eyes\""},
        {SEEN ", \"camera\": {\"eye\": [0, 3]}", "expected three numbers"},
        {SEEN ", \"camera\": {\"fov\": \"wide\"}", "expected a number"},
        {SEEN ", \"camera\": {\"eye\": [0, 3, 0], \"target\": [0, 0, 0], \"width\": 0}", "a picture of 0 x 720 pixels"},
        {SEEN ", \"camera\": 7", "expected a camera"},
        {"\"seen\": 7, " FROM_ABOVE, "expected a list of pixels"},
        {"\"seen\": [[1, 2, 3]], " FROM_ABOVE, "expected a pixel [x, y]"},
        {"\"seen\": [[1, 2], [740, 360]], " FROM_ABOVE, "does not meet the mesh"},
        {SEEN ", \"points\": " LINE, "a curve needs either"},
        {"\"points\": " LINE ", " FROM_ABOVE, "a curve needs either"},
    };
    char text[600];
    write_text("seen.json", "{\"curves\": [{\"name\": \"brow\", " SEEN ", " FROM_ABOVE "}]}");
    json_document *report = ruga_json(context, 0, "sculpt sheet.obj seen.json --refine 1 -o out.obj --json 2>notes");
    assert_near(json_number_at(report, "strokes.0.drawn_length"), 200.0 / 360 * 3 * 0.2679491924311227, 1e-6);
    json_destroy(report);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "{\"curves\": [{\"name\": \"brow\", %s}]}", bad[i].curve);
        write_text("seen.json", text);
        assert_ruga(3, bad[i].message, "sculpt sheet.obj seen.json -o none.obj");
    }
}

static void curves_of_models_are_written_and_wrinkle_them(void **state) {
    (void)state;
    static const char *const files[] = {"lines.obj", "lines.json"};
    double reached[2];
    for (int i = 0; i < 2; i++) {
        assert_ruga(0, NULL, "make shoe --cells 60 -o shoe.obj --curves %s -q", files[i]);
        json_document *report = ruga_json(context, 0, "sculpt shoe.obj %s --refine 0 -o out.obj --json", files[i]);
        assert_string_equal(json_text_at(report, "strokes.0.name"), "toe_creases");
        reached[i] = json_number_at(report, "strokes.0.reached");
        json_destroy(report);
    }
    assert_near(reached[0], reached[1], 0.01);
    assert_ruga(2, "no option '--curves'", "make sheet -o sheet2.obj --curves lines.obj");
}

/* The original vertices come first in every format, with their attributes; normals are those of the wrinkles. */
static void every_format_has_the_original_vertices_first(void **state) {
    (void)state;
    static const char *const files[] = {"out.obj", "out.ply", "out.glb", "out.gltf"};
    ruga_mesh *base = read_mesh("sheet.obj");
    for (int i = 0; i < 4; i++) {
        assert_ruga(0, NULL, "sculpt sheet.obj line.json -o %s -q", files[i]);
        ruga_mesh *mesh = read_mesh(files[i]);
        assert_less_case(BASE_COUNT, mesh->vertex_count, "i %d", i);
        assert_true(ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER) ||
                    ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX));
        for (size_t v = 0; v < BASE_COUNT; v++) {
            assert_near_case(mesh->positions[v].x, base->positions[v].x, 1e-7, "i %d, v %zu", i, v);
            assert_near_case(mesh->positions[v].z, base->positions[v].z, 1e-7, "i %d, v %zu", i, v);
        }
        ruga_mesh_destroy(mesh);
    }
    ruga_mesh_destroy(base);
}

static void quads_away_from_strokes_stay_quads(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sheet --columns %d --rows %d --quads 1 -o quads.obj -q", CELLS, CELLS);
    assert_ruga(0, NULL, "sculpt quads.obj line.json -o quads_out.obj -q");
    ruga_mesh *mesh = read_mesh("quads_out.obj"), *plain = read_mesh("quads.obj");
    size_t quads = 0;
    for (size_t f = 0; f < mesh->face_count; f++) quads += mesh->face_offsets[f + 1] - mesh->face_offsets[f] == 4;
    assert_less(plain->face_count / 2, quads);
    assert_less(quads, plain->face_count);
    /* The vertices of the first row come first, unchanged. */
    for (size_t first = 0; first < CELLS; first++)
        assert_memory_equal(mesh->face_vertices + 4 * first, plain->face_vertices + 4 * first, 4 * sizeof(uint32_t));
    ruga_mesh_destroy(plain);
    ruga_mesh_destroy(mesh);
}

static void a_mesh_with_normals_gets_those_of_its_wrinkles(void **state) {
    (void)state;
    write_text("normals.obj",
               "v -0.5 0 -0.5\nv -0.5 0 0.5\nv 0.5 0 0.5\nv 0.5 0 -0.5\nvn 0 1 0\nusemtl skin\n"
               "f 1//1 2//1 3//1\nf 1//1 3//1 4//1\n");
    assert_ruga(0, NULL, "sculpt normals.obj line.json -o out.ply -q");
    ruga_mesh *mesh = read_mesh("out.ply");
    const ruga_attribute *normal = ruga_mesh_attribute(mesh, "normal", RUGA_DOMAIN_VERTEX);
    assert_non_null(normal);
    assert_non_null(ruga_mesh_attribute(mesh, "material", RUGA_DOMAIN_FACE));
    ruga_vec3 *wanted = malloc(mesh->vertex_count * sizeof *wanted);
    assert_ok(context, ruga_mesh_normals(mesh, NULL, wanted));
    double least = 1;
    for (size_t v = 0; v < mesh->vertex_count; v++) least = fmin(least, wanted[v].y);
    assert_less(least, 0.99);
    free(wanted);
    ruga_mesh_destroy(mesh);
    /* All off: the mesh is unchanged, with its own normals. */
    write_text("off.json", "{\"strokes\": [{\"curve\": " LINE ", \"off\": true}]}");
    assert_ruga(0, NULL, "sculpt normals.obj off.json -o out.obj -q");
    char *text = read_test_file(test_path("out.obj"), NULL);
    assert_non_null(strstr(text, "vn 0 1 0"));
    assert_non_null(strstr(text, "usemtl skin"));
    free(text);
}

/* ---- Over time. */

static double height_at(outcome *o, int frame) {
    assert_ok(context, ruga_motion_sample(o->motion, (double)frame / RATE, o->positions));
    return height(o->positions, o->mesh->vertex_count);
}

static void who_chose_no_shape_reads_which_was_made(void **state) {
    (void)state;
    static const struct {
        const char *options, *file, *stroke; /* keys of the file and of its stroke */
        int says;
    } cases[] = {{"", "", "", 1},
                 {" --shape wrinkles", "", "", 0},
                 {" --shape furrow", "", "", 0},
                 {" --look curtain", "", "", 1},
                 {" --look line", "", "", 0},
                 {" --wrinkles 4", "\"seed\": 2,", "\"length\": 1.1,", 1},
                 {"", "\"look\": \"curtain\",", "", 1},
                 {"", "\"shape\": \"wrinkles\",", "", 0},
                 {"", "", "\"look\": \"sleeve\",", 1},
                 {"", "", "\"shape\": \"wrinkles\",", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text, "{%s \"strokes\": [{%s \"curve\": [[-0.3, 0, 0.013], [0.3, 0, 0.013]]}]}",
                 cases[i].file, cases[i].stroke);
        write_text("chosen.json", text);
        command_result r = ruga_run("sculpt sheet.obj chosen.json -o out.obj%s", cases[i].options);
        assert_int_equal(r.code, 0);
        assert_int_equal(strstr(r.err, "--shape furrow\n") != NULL || strstr(r.out, "--shape furrow\n") != NULL,
                         cases[i].says);
        command_release(&r);
    }
}

/* A curve that is too stiff for its wrinkles stays straight, which is said. */
static void a_stroke_that_stays_straight_is_noted(void **state) {
    (void)state;
    static const struct {
        const char *options;
        int says;
    } cases[] = {{"", 0}, {" --stiffness 70", 1}, {" --stiffness 70 --length 1", 0}, {" --look line", 0}};
    write_text("straight.json", "{\"strokes\": [{\"curve\": [[-0.3, 0, 0.013], [0.3, 0, 0.013]]}]}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        command_result r = ruga_run("sculpt sheet.obj straight.json -o out.obj%s", cases[i].options);
        assert_int_equal(r.code, 0);
        assert_int_equal(strstr(r.err, "stays nearly straight") != NULL, cases[i].says);
        command_release(&r);
    }
}

/* Wrinkles have no taper, nor a higher side. */
static void values_of_furrows_on_wrinkles_are_noted(void **state) {
    (void)state;
    static const struct {
        const char *options;
        int says;
    } cases[] = {{"", 0},
                 {" --look shoe", 0},
                 {" --taper 0.2", 1},
                 {" --asymmetry 0.5", 1},
                 {" --shape furrow --taper 0.2 --asymmetry 0.5", 0}};
    write_text("plain.json", "{\"refine\": 0, \"strokes\": [{\"curve\": [[-0.3, 0, 0.013], [0.3, 0, 0.013]]}]}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        command_result r = ruga_run("sculpt sheet.obj plain.json -o out.obj%s", cases[i].options);
        assert_int_equal(r.code, 0);
        assert_equal_case(strstr(r.err, "wrinkles ignore them") != NULL, cases[i].says, "i %zu", i);
        command_release(&r);
    }
}

/* Strokes side by side are noted, a single one is remarked upon, a chosen shape is neither. */
static void the_command_says_which_shape_strokes_have(void **state) {
    (void)state;
    static const struct {
        const char *strokes, *options;
        int is_noted, is_remarked;
    } cases[] = {{"one.json", "", 0, 1},
                 {"one.json", " --look forehead", 0, 1},
                 {"two.json", "", 1, 0},
                 {"two.json", " --look shoe", 1, 0},
                 {"two.json", " --shape wrinkles", 0, 0},
                 {"two.json", " --shape furrow", 0, 0},
                 {"one.json", " --shape furrow --radius 0.4", 2, 0}};
    write_text("one.json", "{\"refine\": 0, \"strokes\": [{\"curve\": [[-0.3, 0, 0.013], [0.3, 0, 0.013]]}]}");
    write_text("two.json",
               "{\"refine\": 0, \"strokes\": [{\"curve\": [[-0.3, 0, 0.013], [0.3, 0, 0.013]]}, {\"curve\": "
               "[[-0.3, 0, 0.11], [0.3, 0, 0.11]]}]}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        command_result r = ruga_run("sculpt sheet.obj %s -o out.obj%s", cases[i].strokes, cases[i].options);
        assert_int_equal(r.code, 0);
        assert_equal_case(strstr(r.err, "as wrinkles themselves do") != NULL, cases[i].is_noted == 1, "i %zu", i);
        assert_equal_case(strstr(r.err, "is a furrow 0.6 m long") != NULL, cases[i].is_noted == 2, "i %zu", i);
        assert_equal_case(strstr(r.out, "wrinkles run across each stroke;") != NULL, cases[i].is_remarked, "i %zu", i);
        command_release(&r);
    }
}

/* A note on wrinkles does not hide that on a furrow, and each is printed once. */
static void the_command_notes_wrinkles_and_furrows(void **state) {
    (void)state;
    write_text("kinds.json",
               "{\"refine\": 0, \"strokes\": [{\"curve\": [[-0.3, 0, 0.213], [0.3, 0, 0.213]]}, {\"curve\": "
               "[[-0.3, 0, 0.31], [0.3, 0, 0.31]]}, {\"shape\": \"furrow\", \"radius\": 0.03, \"curve\": "
               "[[-0.3, 0, -0.3], [0.2, 0, -0.3], [0.2, 0, -0.28], [-0.3, 0, -0.28]]}]}");
    command_result r = ruga_run("sculpt sheet.obj kinds.json -o out.obj");
    assert_int_equal(r.code, 0);
    const char *wrinkles = strstr(r.err, "as wrinkles themselves do"),
               *furrow = strstr(r.err, "is a furrow that comes");
    assert_non_null(wrinkles);
    assert_non_null(furrow);
    assert_null(strstr(wrinkles + 1, "as wrinkles themselves do"));
    command_release(&r);
}

/* Curves that were drawn by points on one sheet, written by UVs, points and triangles: a stroke file that names them
 * makes the same wrinkles there, and by UVs and points in the same place on the next sheet. */
static void curves_of_strokes_are_written_for_other_versions(void **state) {
    (void)state;
    static const char *const files[] = {"kept.json", "kept.svg", "kept.obj"};
    write_text("drawn.json",
               "{\"refine\": 0, \"radius\": 0.1, \"strokes\": [{\"name\": \"slant\", \"curve\": [[-0.3, 0, "
               "0.013], [0.3, 0, 0.2]], \"mirror\": \"z\"}]}");
    assert_ruga(0, NULL, "make sheet --columns 27 --rows 23 -o next.obj -q");
    for (int i = 0; i < 3; i++) {
        char text[200];
        assert_ruga(0, NULL, "sculpt sheet.obj drawn.json -o out.obj -q --write-curves %s", files[i]);
        snprintf(
            text, sizeof text,
            "{\"refine\": 0, \"radius\": 0.1, \"curves\": \"%s\", \"strokes\": [{\"curve\": \"slant\"}, {\"curve\": "
            "\"slant mirror\"}]}",
            files[i]);
        write_text("named.json", text);
        assert_ruga(0, NULL, "sculpt sheet.obj named.json -o again.obj -q");
        ruga_mesh *first = read_mesh("out.obj"), *again = read_mesh("again.obj");
        double highest = 0;
        for (size_t v = 0; v < BASE_COUNT; v++) {
            highest = fmax(highest, fabs(first->positions[v].y));
            assert_near(first->positions[v].y, again->positions[v].y, 1e-5);
        }
        assert_less(0.005, highest);
        ruga_mesh_destroy(first);
        ruga_mesh_destroy(again);
        command_result r = ruga_run("sculpt next.obj named.json -o again.obj --json");
        assert_int_equal(strstr(r.err, "was placed on a mesh of 800 triangles") != NULL, i == 0);
        assert_int_equal(r.code, i > 0 ? 0 : 3);
        if (i > 0) assert_non_null(strstr(r.out, "\"drawn_length\": 0.628"));
        command_release(&r);
    }
    assert_ruga(2, "is read, so it can't be written",
                "sculpt sheet.obj drawn.json -o out.obj --write-curves drawn.json");
    /* A format that curves do not have is refused before anything is written. */
    assert_ruga(3, "unknown format of curves", "sculpt sheet.obj drawn.json -o unwritten.obj --write-curves kept.ply");
    assert_null(read_test_file(test_path("unwritten.obj"), NULL));
}

static void lengths_of_a_text_change_the_wrinkles(void **state) {
    (void)state;
    write_text("lengths.csv", "# frames\nline\n1\n1.1\n1.3\n0.9\n");
    assert_ruga(0, NULL, "sculpt sheet.obj line.json --lengths lengths.csv -o out.pc2 -q");
    outcome o = open_outcome(context, "out.obj", "out.pc2");
    assert_int_equal(ruga_motion_get_info(o.motion).sample_count, 4);
    double heights[4];
    for (int i = 0; i < 4; i++) heights[i] = height_at(&o, i);
    assert_less(heights[0], 1e-6);
    assert_less(heights[3], 1e-6);
    assert_less(0.01, heights[1]);
    assert_less(1.2 * heights[1], heights[2]);
    close_outcome(&o);
}

/* Each stroke has its column; the mesh is refined for the greatest lengths of the table. */
static void lengths_of_json_and_text_agree(void **state) {
    (void)state;
    write_text("lengths.csv", "frame,other,line\n1,1,1\n2,1.2,1.1\n3,1.5,1.4\n");
    write_text("lengths.json", "{\"line\": [1, 1.1, 1.4], \"other\": [1, 1.2, 1.5]}");
    json_document *report =
        ruga_json(context, 0, "sculpt sheet.obj line.obj --refine 1 --lengths lengths.csv -o text.pc2 --json 2>notes");
    assert_equal(json_number_at(report, "frames"), 3);
    assert_equal(json_number_at(report, "strokes.0.length"), 1.4);
    assert_equal(json_number_at(report, "strokes.1.length"), 1.5);
    json_destroy(report);
    assert_ruga(0, NULL, "sculpt sheet.obj line.obj --refine 1 --lengths lengths.json -o json.pc2 -q");
    size_t sizes[2];
    char *text = read_test_file(test_path("text.pc2"), &sizes[0]),
         *json = read_test_file(test_path("json.pc2"), &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(text, json, sizes[0]);
    free(text);
    free(json);
}

static void keys_of_a_stroke_decide_the_number_of_frames(void **state) {
    (void)state;
    write_text("keys.json", "{\"strokes\": [{\"curve\": " LINE
                            ", \"radius\": 0.1, \"refine\": 1,\n"
                            "\"keys\": [{\"time\": 0, \"length\": 1}, {\"time\": 0.25, \"length\": 1.3}]}]}");
    assert_ruga(0, NULL, "sculpt sheet.obj keys.json -o out.pc2 -q");
    outcome o = open_outcome(context, "out.obj", "out.pc2");
    assert_int_equal(ruga_motion_get_info(o.motion).sample_count, 7);
    assert_less(height_at(&o, 0), 1e-6);
    assert_less(0.03, height_at(&o, 6));
    assert_less(height_at(&o, 3), height_at(&o, 6));
    close_outcome(&o);
    assert_ruga(2, "holds a single mesh", "sculpt sheet.obj keys.json -o out.ply");
}

static void compression_along_the_curve_drives_a_stroke(void **state) {
    (void)state;
    assert_ruga(0, NULL, "sculpt sheet.obj line.json --cache press.pc2 --drive compression -o out.pc2 -q");
    outcome o = open_outcome(context, "out.obj", "out.pc2");
    assert_int_equal(ruga_motion_get_info(o.motion).sample_count, 3);
    assert_less(height_at(&o, 0), 1e-6);
    assert_less(0.01, height_at(&o, 1));
    assert_less(height_at(&o, 1), height_at(&o, 2));
    close_outcome(&o);
}

static void an_animation_keeps_its_wrinkles(void **state) {
    (void)state;
    assert_ruga(0, NULL, "convert sheet.obj --cache press.pc2 -o press.glb -q");
    assert_ruga(0, NULL, "sculpt press.glb line.json -o out.glb -q");
    ruga_mesh *mesh = read_mesh("out.glb");
    ruga_motion *motion = NULL;
    assert_ok(context, ruga_motion_read(context, test_path("out.glb"), mesh, NULL, &motion));
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    assert_ok(context, ruga_motion_sample(motion, 2.0 / RATE, positions));
    assert_less(0.02, height(positions, mesh->vertex_count));
    free(positions);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
}

/* ---- Mistakes. */

static void with_keep_going_the_other_strokes_still_apply(void **state) {
    (void)state;
    write_text("some.json",
               "{\"radius\": 0.1, \"refine\": 1, \"strokes\": [\n"
               "{\"name\": \"short\", \"length\": 0.9, \"curve\": " LINE
               "},\n"
               "{\"name\": \"good\", \"curve\": " LINE
               "},\n"
               "{\"name\": \"away\", \"curve\": [[0, 9, 0], [1, 9, 0]]},\n"
               "{\"name\": \"wide\", \"radius\": 50, \"curve\": " LINE "}]}");
    assert_ruga(3, "strokes[0].length: found 0.9", "sculpt sheet.obj some.json -o none.obj");
    assert_null(read_test_file(test_path("none.obj"), NULL));
    json_document *report = ruga_json(context, 0, "sculpt sheet.obj some.json --keep-going -o out.obj --json 2>notes");
    assert_equal(json_number_at(report, "failed"), 3);
    assert_non_null(strstr(json_text_at(report, "strokes.0.error"), "stroke \"short\": "));
    assert_non_null(strstr(json_text_at(report, "strokes.2.error"), "stroke \"away\": point 0 at (0, 9, 0)"));
    assert_non_null(strstr(json_text_at(report, "strokes.3.error"), "stroke \"wide\": its radius"));
    json_destroy(report);
    /* As without them. */
    write_text("one.json", "{\"strokes\": [{\"curve\": " LINE ", \"radius\": 0.1, \"refine\": 1}]}");
    assert_ruga(0, NULL, "sculpt sheet.obj one.json -o one.obj -q");
    char *some = read_test_file(test_path("out.obj"), NULL), *one = read_test_file(test_path("one.obj"), NULL);
    assert_string_equal(some, one);
    free(some);
    free(one);
}

static void with_keep_going_bad_curves_of_a_file_are_left_out(void **state) {
    (void)state;
    write_text("some.obj", "o away\nv 0 9 0\nv 1 9 0\nl 1 2\no line\nv -0.3 0 0\nv 0.3 0 0\nl 3 4\n");
    assert_ruga(3, "some.obj:4: curve \"away\"", "sculpt sheet.obj some.obj -o none.obj");
    json_document *report =
        ruga_json(context, 0, "sculpt sheet.obj some.obj --refine 0 --keep-going -o out.obj --json 2>notes");
    assert_equal(json_number_at(report, "failed"), 1);
    assert_string_equal(json_text_at(report, "strokes.0.name"), "line");
    assert_non_null(strstr(json_text_at(report, "strokes.1.error"), "stroke \"away\": some.obj:4: "));
    json_destroy(report);
}

static void failed_strokes_are_named(void **state) {
    (void)state;
    static const struct {
        const char *strokes, *message;
    } cases[] = {
        {"{\"name\": \"x\", \"curve\": [[0, 0, 0], [0, 0, 0]]}", "stroke \"x\": it has no length"},
        {"{\"name\": \"x\", \"curve\": [[0, 3, 0], [0, 0, 0]]}", "stroke \"x\": point 0 at (0, 3, 0)"},
        {"{\"name\": \"x\", \"curve\": " LINE ", \"stiffness\": -1}", "strokes[0].stiffness: found -1"},
        {"{\"name\": \"x\", \"curve\": " LINE ", \"stifness\": 1}", "did you mean \"stiffness\"?"},
        {"{\"name\": \"x\", \"curve\": " LINE ", \"radius\": 9}", "stroke \"x\": its radius of 9 m is larger"},
        {"{\"name\": \"x\", \"curve\": " LINE ", \"wrinkles\": 40}", "stroke \"x\": 40 wrinkles are wanted"},
        {"{\"name\": \"x\", \"curve\": " LINE ", \"mode\": \"between\"}", "stroke \"x\": a region between two curves"},
        {"{\"name\": \"x\", \"curve\": {\"on\": [[0, 0.3, 0.3], [9000, 0.3, 0.3]]}}", "point 1 is on triangle 9000"},
        {"{\"name\": \"x\", \"curve\": {\"on\": [[0, 0.8, 0.8], [9, 0.3, 0.3]]}}", "has the weights 0.8 and 0.8"},
        {"{\"curve\": \"lin\"}", "stroke \"lin\": there is no curve \"lin\""},
        {"{\"length\": 1.3}", "stroke \"0\": it has no curve"},
        {"{\"name\": \"x\", \"curve\": " LINE
         ", \"keys\": [{\"time\": 1, \"length\": 1}, {\"time\": 1, \"length\": 2}]}",
         "stroke \"x\": its key 1 is at 1 s"},
        {"", "there are no strokes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text, "{\"strokes\": [%s]}", cases[i].strokes);
        write_text("bad.json", text);
        assert_ruga(3, cases[i].message, "sculpt sheet.obj bad.json -o none.obj");
        assert_null(read_test_file(test_path("none.obj"), NULL));
    }
    write_text("bad.json", "{\"curves\": \"line.obj\", \"strokes\": [{\"curve\": \"lines\"}]}");
    assert_ruga(3, "did you mean \"line\"?", "sculpt sheet.obj bad.json -o none.obj");
    write_text("bad.json", "{\"file\": \"line.json\"}");
    assert_ruga(3, "can't name another one", "sculpt sheet.obj bad.json -o none.obj");
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    assert_ruga(2, "expected a mesh and its strokes", "sculpt sheet.obj -o out.obj");
    assert_ruga(2, "give the output", "sculpt sheet.obj line.json");
    assert_ruga(3, "the ending is not a known format", "sculpt sheet.obj line.json -o out.xyz");
    assert_ruga(2, "--length takes a number from 1 to 100", "sculpt sheet.obj line.json --length 0.5 -o out.obj");
    assert_ruga(2, "is read, so it can't be written", "sculpt sheet.obj line.json -o sheet.obj");
    assert_ruga(3, "--preview writes PNG", "sculpt sheet.obj line.json --preview out.jpg -o out.obj");
    assert_ruga(2, "choose another name", "sculpt sheet.obj line.json --preview out.png --format obj -o out.png");
    assert_ruga(2, "line.json: is read", "sculpt sheet.obj line.json --format obj -o line.json");
    assert_ruga(3, "nothing.json: can't be opened", "sculpt sheet.obj nothing.json -o out.obj");
    assert_ruga(3, "nothing.obj: can't be opened", "sculpt nothing.obj line.json -o out.obj");
    assert_ruga(3, "it has no polyline", "sculpt sheet.obj sheet.obj -o out.obj");
    assert_ruga(3, "nothing moves", "sculpt sheet.obj line.json -o out.pc2");
    assert_ruga(3, "no compression drives a stroke", "sculpt sheet.obj line.json --drive compression -o out.pc2");
}

static void errors_in_lengths_name_the_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1\nmany\n", "lengths.txt:2: expected lengths"},
        {"1, 1\n", "lengths.txt:1: 2 numbers; expected one for all strokes"},
        {"brow\n1\n", "lengths.txt:1: there is no stroke \"brow\"; there are \"line\""},
        {"line\n1\n1 1\n", "lengths.txt:3: 2 numbers, but 1 are expected as before"},
        {"# nothing\n", "has no numbers"},
        {"-1\n", "lengths.txt:1: expected lengths"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text("lengths.txt", cases[i].text);
        assert_ruga(3, cases[i].message, "sculpt sheet.obj line.json --lengths lengths.txt -o out.pc2");
    }
    assert_ruga(3, "no.txt: can't be opened", "sculpt sheet.obj line.json --lengths no.txt -o out.pc2");
    write_text("lengths.txt", "1\n");
    assert_ruga(3, "has lengths for 1 frame, but the motion has 3",
                "sculpt sheet.obj line.json --cache press.pc2 --lengths lengths.txt -o out.pc2");
}

/* A file of strokes names a file of curves: that is not written over, whatever its name. */
static void files_that_strokes_name_are_not_written_over(void **state) {
    (void)state;
    write_text("curves.json", "{\"curves\": \"line.obj\"}");
    assert_ruga(2, "line.obj: is read", "sculpt sheet.obj curves.json --refine 0 -o line.obj");
    assert_ruga(2, "line.obj: is read", "sculpt sheet.obj line.json --curves line.obj --refine 0 -o line.obj");
    char *text = read_test_file(test_path("line.obj"), NULL);
    assert_non_null(strstr(text, "o line_region"));
    free(text);
}

/* ---- Pictures. */

static void the_preview_is_a_picture_of_three_panels(void **state) {
    (void)state;
    command_result r = ruga_run(
        "sculpt sheet.obj line.obj --refine 1 --preview p.png --width 300 --samples 1 --occlusion 0 -o out.obj");
    if (r.code == 1 && strstr(r.err, "without")) {
        command_release(&r);
        skip(); /* a build without pictures */
    }
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "wrote p.png"));
    command_release(&r);
    size_t size;
    char *png = read_test_file(test_path("p.png"), &size);
    assert_non_null(png);
    assert_memory_equal(png, "\x89PNG", 4);
    free(png);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stroke_wrinkles_only_around_its_curve),
        cmocka_unit_test(each_curve_of_a_file_is_a_stroke_but_for_regions_of_others),
        cmocka_unit_test(who_chose_no_shape_reads_which_was_made),
        cmocka_unit_test(a_stroke_that_stays_straight_is_noted),
        cmocka_unit_test(a_stroke_overrides_the_command_line_which_overrides_the_file),
        cmocka_unit_test(a_stroke_that_is_off_does_not_change_the_mesh),
        cmocka_unit_test(points_and_results_have_the_unit_and_axes_of_the_mesh),
        cmocka_unit_test(a_stroke_may_be_drawn_on_a_picture),
        cmocka_unit_test(curves_of_models_are_written_and_wrinkle_them),
        cmocka_unit_test(every_format_has_the_original_vertices_first),
        cmocka_unit_test(quads_away_from_strokes_stay_quads),
        cmocka_unit_test(a_mesh_with_normals_gets_those_of_its_wrinkles),
        cmocka_unit_test(values_of_furrows_on_wrinkles_are_noted),
        cmocka_unit_test(the_command_says_which_shape_strokes_have),
        cmocka_unit_test(the_command_notes_wrinkles_and_furrows),
        cmocka_unit_test(curves_of_strokes_are_written_for_other_versions),
        cmocka_unit_test(lengths_of_a_text_change_the_wrinkles),
        cmocka_unit_test(lengths_of_json_and_text_agree),
        cmocka_unit_test(keys_of_a_stroke_decide_the_number_of_frames),
        cmocka_unit_test(compression_along_the_curve_drives_a_stroke),
        cmocka_unit_test(an_animation_keeps_its_wrinkles),
        cmocka_unit_test(with_keep_going_the_other_strokes_still_apply),
        cmocka_unit_test(with_keep_going_bad_curves_of_a_file_are_left_out),
        cmocka_unit_test(failed_strokes_are_named),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(errors_in_lengths_name_the_line),
        cmocka_unit_test(files_that_strokes_name_are_not_written_over),
        cmocka_unit_test(the_preview_is_a_picture_of_three_panels),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
