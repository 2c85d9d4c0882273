/* ruga crease: folds that reach their angle, files that hold them, and curves that can't be cut. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/ruga_command.h"

static ruga_context *context;

static void write_text(const char *name, const char *text) { write_test_file(test_path(name), text, strlen(text)); }

/* A sheet from -0.5 to 0.5 along x and z, facing up, perhaps with a fin on its middle edge, or a loose vertex. */
static void write_sheet(const char *name, const char *more) {
    enum { CELLS = 6, SIDE = CELLS + 1 };
    char text[8000], *at = text;
    for (int i = 0; i < SIDE * SIDE; i++)
        at += sprintf(at, "v %.9g 0 %.9g\nvt %.9g %.9g\n", (i % SIDE) / 6.0 - 0.5, 0.5 - (i / SIDE) / 6.0,
                      (i % SIDE) / 6.0, (i / SIDE) / 6.0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int a = i + 1, b = a + 1, c = b + SIDE, d = a + SIDE;
        if (i % SIDE == CELLS || i / SIDE == CELLS) continue;
        at += sprintf(at, "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, b, b, c, c, a, a, c, c, d, d);
    }
    sprintf(at, "%s", more);
    write_text(name, text);
}

#define ACROSS "v -0.5 0 0.03\nv 0.5 0 -0.04\no across\nl 1 2\n"

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    write_sheet("sheet.obj", "");
    write_sheet("fin.obj", "v 0 0.3 0\nf 25 26 50\n");
    write_sheet("loose.obj", "v 0 0.3 0\n");
    write_text("across.obj", ACROSS);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static ruga_mesh *read_mesh_file(const char *name) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path(name), NULL, &mesh));
    return mesh;
}

static void the_default_is_a_valley_of_90_degrees_beside_a_panel_that_stays(void **state) {
    (void)state;
    json_document *json = ruga_json(context, 0, "crease sheet.obj across.obj -o folded.obj");
    assert_near(json_number_at(json, "creases.0.fold"), 90, 1);
    assert_near(json_number_at(json, "creases.0.target"), 90, 1e-9);
    assert_near(json_number_at(json, "creases.0.length"), hypot(1, 0.07), 0.02);
    assert_less(json_number_at(json, "creases.0.gap"), 0.01 / 6);
    assert_int_equal((int)json_number_at(json, "creases.0.triangles"), 12);
    assert_string_equal(json_text_at(json, "creases.0.name"), "across");
    assert_string_equal(json_text_at(json, "creases.0.ends.1"), "border");
    json_destroy(json);
    ruga_mesh *sheet = read_mesh_file("sheet.obj"), *folded = read_mesh_file("folded.obj");
    assert_less(sheet->vertex_count, folded->vertex_count);
    assert_non_null(ruga_mesh_attribute(folded, "uv", RUGA_DOMAIN_CORNER));
    /* One side of the crease is where it was, the other one stands upright on it. */
    double highest = 0;
    size_t stayed = 0;
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        highest = fmax(highest, folded->positions[v].y);
        stayed += vec3_distance(folded->positions[v], sheet->positions[v]) < 0.02;
    }
    assert_near(highest, 0.5, 0.06);
    assert_at_most(21, stayed);
    assert_at_most(stayed, 28);

    ruga_mesh_destroy(sheet);
    ruga_mesh_destroy(folded);
}

enum { FINE = SANITIZED ? 6 : 12 };
#define EDGE (1.0 / FINE)

/* The distance of a triangle's centre from the places that a panel is chosen by: the line z = 0.03 and the border. */
static double distance_inside(const ruga_mesh *sheet, size_t triangle) {
    vec3 at = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        at = vec3_add_scaled(at, sheet->positions[sheet->triangles[3 * triangle + (size_t)k]], 1.0 / 3);
    return fmin(fabs(at.z - 0.03), 0.5 - fmax(fabs(at.x), fabs(at.z)));
}

static void assert_in_the_middle(const ruga_mesh *sheet, size_t held) {
    double most = 0;
    for (size_t t = 0; t < sheet->triangle_count; t++) most = fmax(most, distance_inside(sheet, t));
    assert_less(most - 0.5 * EDGE, distance_inside(sheet, held));
}

/* It is written at rest, not at the turning point of a swing. */
static void both_directions_of_a_line_give_one_shape_beside_a_panel_that_stays(void **state) {
    skip_unless_long();
    (void)state;
    write_text("forth.obj", "v -0.5 0 0.03\nv 0.5 0 0.03\no forth\nl 1 2\n");
    write_text("back.obj", "v 0.5 0 0.03\nv -0.5 0 0.03\no back\nl 1 2\n");
    assert_ruga(0, NULL, "make sheet --columns %d --rows %d -q -o fine.obj", FINE, FINE);
    ruga_mesh *sheet = read_mesh_file("fine.obj"), *folded[2];
    const char *const names[] = {"forth", "back"};
    for (int i = 0; i < 2; i++) {
        json_document *json = ruga_json(context, 0, "crease fine.obj %s.obj -o %s_folded.obj", names[i], names[i]);
        assert_in_the_middle(sheet, (size_t)json_number_at(json, "held_triangle"));
        json_destroy(json);
    }
    folded[0] = read_mesh_file("forth_folded.obj");
    folded[1] = read_mesh_file("back_folded.obj");
    size_t flat = 0;
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        assert_less_case(vec3_distance(folded[0]->positions[v], folded[1]->positions[v]), 1e-4, "vertex %zu", v);
        if (!(sheet->positions[v].z < 0.03)) continue;
        assert_less_case(vec3_distance(folded[0]->positions[v], sheet->positions[v]), 1e-3, "vertex %zu", v);
        flat++;
    }
    assert_ran(flat, sheet->vertex_count / 2);
    ruga_mesh_destroy(sheet);
    for (int i = 0; i < 2; i++) ruga_mesh_destroy(folded[i]);
}

static void angles_have_their_sign_and_size(void **state) {
    (void)state;
    const double angles[] = {-30, 150, -120, 45};
    for (int i = 0; i < (SANITIZED ? 1 : 4); i++) {
        json_document *json =
            ruga_json(context, 0, "crease sheet.obj across.obj --angle %g --hold none -o a.obj", angles[i]);
        assert_near(json_number_at(json, "creases.0.fold"), angles[i], 1);
        json_destroy(json);
    }
}

static void without_a_hold_the_centre_of_mass_stays(void **state) {
    (void)state;
    assert_ruga(0, NULL, "crease sheet.obj across.obj --hold none -q -o free.obj");
    ruga_mesh *mesh = read_mesh_file("free.obj");
    vec3 centre = {0, 0, 0};
    double area = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        vec3 a = mesh->positions[v[0]], b = mesh->positions[v[1]], c = mesh->positions[v[2]];
        double own = 0.5 * vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
        area += own;
        centre = vec3_add_scaled(centre, vec3_add(vec3_add(a, b), c), own / 3);
    }
    assert_less(vec3_length(centre) / area, 0.02);
    ruga_mesh_destroy(mesh);
}

static void frames_show_the_folding(void **state) {
    (void)state;
    assert_ruga(0, NULL, "crease sheet.obj across.obj --frames 18 -q -o folding.pc2");
    outcome o = open_outcome(context, "folding.obj", "folding.pc2");
    ruga_motion_info info = ruga_motion_get_info(o.motion);
    assert_int_equal(info.sample_count, 18);
    double before = 0;
    for (size_t f = 1; f < 12; f++) { /* the first frame is at rest */
        double highest = 0;
        assert_ok(context, ruga_motion_sample(o.motion, ruga_motion_sample_time(o.motion, f), o.positions));
        for (size_t v = 0; v < o.mesh->vertex_count; v++) highest = fmax(highest, fabs(o.positions[v].y));
        assert_less_case(before, highest, "frame %zu", f);
        before = highest;
    }
    close_outcome(&o);
}

/* A mesh of one topology is written, so that these fields are those of scenes alone. */
static void fields_of_scenes_alone_are_no_options(void **state) {
    (void)state;
    static const char *const options[] = {
        "--cut 0.5", "--remove 0.5", "--form exact",   "--several keep", "--particles hand_over",
        "--depth 3", "--crack 5",    "--evenness 0.2", "--push 1",       "--push-fade 1",
        "--muscle 0"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_ruga(2, "no option", "crease sheet.obj across.obj %s -o no.obj", options[i]);
    assert_false(test_file_exists(test_path("no.obj")));
}

static void files_without_creases_are_named(void **state) {
    (void)state;
    static const char flat[] =
        "{\"vertices_coords\": [[0, 0], [1, 0], [1, 1], [0, 1]], \"edges_vertices\": [[0, 1], "
        "[1, 2], [2, 3], [3, 0]], \"edges_assignment\": [\"B\", \"B\", \"B\", \"B\"]}";
    write_test_file(test_path("flat.fold"), flat, strlen(flat));
    assert_ruga(3, "flat.fold has no creases", "crease sheet.obj flat.fold -o no.obj");
}

static void a_scene_of_it_runs(void **state) {
    (void)state;
    assert_ruga(0, NULL, "crease sheet.obj across.obj -q -o scene.json");
    assert_ruga(0, NULL, "run scene.json --frames 2 -q -o scene.run");
}

static void presets_and_materials_are_taken(void **state) {
    (void)state;
    json_document *plain = ruga_json(context, 0, "crease sheet.obj across.obj --stiffness 7 -o a.obj");
    assert_near(json_number_at(plain, "stiffness"), 7, 1e-9);
    json_destroy(plain);
    assert_ruga(0, NULL, "crease sheet.obj across.obj --preset card --material cotton --frames 3 -q -o b.pc2");
    json_document *card = ruga_json(context, 0, "crease sheet.obj across.obj --preset card --frames 2 -o b.obj");
    assert_near(json_number_at(card, "stiffness"), 0.15, 1e-9);
    json_destroy(card);
}

static void folds_far_from_their_target_have_a_warning(void **state) {
    (void)state;
    static const struct {
        const char *curves, *options, *name, *remedy;
    } cases[] = {
        {"v -0.13 0 0.03\nv 0.13 0 0.03\no short\nl 1 2\n", "", "\"short\"", "to the border"},
        {"v -0.3 0 0.03\nv 0.3 0 -0.04\no inside\nl 1 2\n", "", "\"inside\"", "ruga subdivide"},
        {ACROSS, "--stiffness 1e-6", "\"across\"", "--stiffness"},
        {ACROSS "v -0.3 0 0.2\nv 0.3 0 0.21\no inside\nl 3 4\n", "", "\"inside\"", "ruga subdivide"},
        {ACROSS, "", NULL, NULL},
        {ACROSS, "--angle 0", NULL, NULL},
        {ACROSS, "--angle -60", NULL, NULL},
    };
    for (size_t i = 0; i < (SANITIZED ? 2 : sizeof cases / sizeof cases[0]); i++) {
        write_text("poor.obj", cases[i].curves);
        command_result r = ruga_run("crease sheet.obj poor.obj %s -o poor_folded.obj", cases[i].options);
        const char *warning = strstr(r.err, "warning: ");
        fail_if(r.code != 0 || !warning != !cases[i].name ||
                    (warning && (!strstr(warning, cases[i].name) || !strstr(warning, cases[i].remedy))),
                "case %zu: code %d: %s", i, r.code, r.err);
        command_release(&r);
    }
}

/* The scene is built once: notes of a build appear once. */
static void notes_appear_once(void **state) {
    (void)state;
    command_result r = ruga_run("crease sheet.obj across.obj --frames 2 -o once.pc2");
    const char *note = strstr(r.err, "membrane");
    assert_int_equal(r.code, 0);
    assert_non_null(note);
    assert_null(strstr(note + 1, "membrane"));
    command_release(&r);
}

/* The file of curves is read twice: for the panel and for the scene. */
static void warnings_of_curves_appear_once(void **state) {
    (void)state;
    write_text("long.fold",
               "{\"vertices_coords\": [[0, 0], [2, 0], [4, 0], [4, 1], [2, 1], [0, 1]], \"edges_vertices\": [[1, 4]], "
               "\"edges_assignment\": [\"V\"], \"edges_foldAngle\": [90]}");
    command_result r = ruga_run("crease sheet.obj long.fold --frames 2 -o once.pc2");
    const char *warning = strstr(r.err, "the pattern is stretched");
    assert_int_equal(r.code, 0);
    assert_non_null(warning);
    assert_null(strstr(warning + 1, "the pattern is stretched"));
    command_release(&r);
}

/* By their number in the file, from 1, in reports and in errors. */
static void curves_without_a_name_have_a_number(void **state) {
    (void)state;
    static const char *const files[] = {
        "v -0.5 0 0.23\nv 0.5 0 0.24\nv -0.5 0 -0.23\nv 0.5 0 -0.24\nl 1 2\nl 3 4\n",
        ("{\"curves\": [{\"points\": [[-0.5, 0, 0.23], [0.5, 0, 0.24]]}, {\"name\": \"\", "
         "\"points\": [[-0.5, 0, -0.23], [0.5, 0, -0.24]]}]}"),
        "<svg viewBox=\"0 0 1 1\"><path d=\"M0 0.27L1 0.26\"/><path d=\"M0 0.73L1 0.74\"/></svg>"};
    static const char *const names[] = {"plain.obj", "plain.json", "plain.svg"};
    for (int i = 0; i < 3; i++) {
        write_text(names[i], files[i]);
        json_document *json = ruga_json(context, 0, "crease sheet.obj %s --frames 1 -o a.pc2", names[i]);
        assert_string_equal(json_text_at(json, "creases.0.name"), "1");
        assert_string_equal(json_text_at(json, "creases.1.name"), "2");
        json_destroy(json);
    }
    write_text("plain.obj", "v 0.02 0 0.06\nv 0.04 0 0.06\nl 1 2\n");
    assert_ruga(3, "plain.obj: curve \"1\", in triangle", "crease sheet.obj plain.obj -q -o never.obj");
}

static void a_mesh_that_may_be_in_another_unit_is_reported(void **state) {
    (void)state;
    write_text("large.obj", "v -500 0 500\nv 500 0 500\nv 500 0 -500\nv -500 0 -500\nf 1 2 3\nf 1 3 4\n");
    write_text("middle.obj", "v -500 0 30\nv 500 0 -40\nl 1 2\n");
    assert_ruga(3, "large.obj: the mesh is 1000 m wide; if its unit is mm, give --unit mm, else --unit m",
                "crease large.obj middle.obj -q -o never.obj");
    assert_ruga(0, NULL, "crease large.obj middle.obj --unit mm --frames 1 -q -o in_mm.pc2");
    command_result r = ruga_run("crease large.obj middle.obj --unit m -q -o never.obj");
    assert_null(strstr(r.err, "if its unit is"));
    command_release(&r);
}

static void a_preview_is_drawn(void **state) {
    (void)state;
    assert_ruga(0, NULL, "crease sheet.obj across.obj -q -o a.obj --preview a.png --width 160");
    assert_true(test_file_exists(test_path("a.png")));
}

/* ---- Creases that come and go in a run. */

static void runs_whose_topology_changes_are_drawn(void **state) {
    (void)state;
    write_text(
        "go.json",
        "{\"time\": {\"frames\": 6, \"substeps\": 1}, \"output\": {\"formats\": [\"obj\"]}, \"objects\": [{\"name\": "
        "\"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 4, \"rows\": 4}, \"material\": \"cotton\", "
        "\"body\": {\"kind\": \"cloth\"}, \"hooks\": [{\"kind\": \"crease\", \"cut\": 0.05, \"remove\": 0.15, "
        "\"lines\": [[[-0.5, 0, 0.03], [0.5, 0, 0.06]]]}]}]}");
    assert_ruga(0, NULL, "run go.json -q -o go.run");
    for (int frame = 0; frame < 6; frame += 3) {
        assert_ruga(0, NULL, "render go.run -q --frame %d --width 32 --height 24 --occlusion 0 -o go%d.png", frame,
                    frame);
        assert_true(test_file_exists(test_path(frame ? "go3.png" : "go0.png")));
    }
    assert_ruga(3, "changes its number of vertices", "render go.run -q --frame 3 --attribute x -o never.png");
    command_result refused = ruga_run("run go.json -q --formats pc2 -o never.run");
    assert_int_equal(refused.code, 3);
    assert_non_null(strstr(refused.err, "choose obj or ply"));
    command_release(&refused);
}

/* ---- Bad input. */

static void curves_that_can_not_be_cut_are_named_with_their_triangle(void **state) {
    (void)state;
    static const struct {
        const char *curves, *mesh, *name, *message, *place;
    } cases[] = {
        /* A cell has two triangles, 2 i and 2 i + 1; the first of them lies at the side of larger x. */
        {"v 3 0 0.03\nv 4 0 0.03\no far\nl 1 2\n", "sheet", "far", "point 0 at (3, 0, 0.03) is 2.5 m off the surface",
         "the nearest triangle is 34;"},
        {"v 0 0 -0.03\nv 0.9 0 -0.03\no out\nl 1 2\n", "sheet", "out", "point 1 at (0.9, 0, -0.03) is 0.4 m off",
         "the nearest triangle is 46;"},
        {"v 0.02 0 0.06\nv 0.04 0 0.06\no tiny\nl 1 2\n", "sheet", "tiny", "shorter than a triangle", "in triangle"},
        {"v 0.0695 0 0.0793\nv 0.0816 0 0.0841\no ring\nl 1 2\n", "sheet", "ring", "shorter than a triangle",
         "in triangle"},
        {"v 0 0 0.015\nv 0.06 0 0.016\no tips\nl 1 2\n", "sheet", "tips", "shorter than a triangle", "in triangle"},
        {"v -0.3 0 0.03\nv 0.3 0 -0.04\nv -0.3 0 0.03\no back\nl 1 2 3\n", "sheet", "back", "along itself",
         "in triangle"},
        {"v -0.5 0 0.03\nv 0.5 0 -0.04\nv -0.5 0 0.03\nv 0.5 0 -0.04\no one\nl 1 2\no two\nl 3 4\n", "sheet",
         "\"one\" and \"two\"", "run along each other", "in triangle"},
        {"v -0.3 0 0.03\nv 0.3 0 -0.04\nv -0.3 0 0.03\nv 0.3 0 -0.04\no one\nl 1 2\no two\nl 3 4\n", "sheet",
         "\"one\" and \"two\"", "run along each other", "in triangle"},
        {"v -0.3 0 0.03\nv 0.3 0 -0.04\nv 0.3 0 -0.04\nv -0.3 0 0.03\no one\nl 1 2\no two\nl 3 4\n", "sheet",
         "\"one\" and \"two\"", "run along each other", "in triangle"},
        {"v -0.3 0 0.03\nv 0.1 0 0.03\nv 0.3 0 0.1\nv 0.1 0 0.16\nv 0.3 0 0.1\no one\nl 1 2\no two\nl 2 3 4 5\n",
         "sheet", "\"two\"", "along itself", "in triangle"},
        {"v 0.08 0 -0.5\nv 0.07 0 0.5\no fin\nl 1 2\n", "fin", "\"fin\"", "more than two triangles", "in triangle"},
        {"v -0.5 0 0.5\nv 0.5 0 0.5\no front\nl 1 2\n", "sheet", "front", "along the border", "in triangle"},
        {"v -0.5 0 -0.5\nv 0.5 0 -0.5\no back\nl 1 2\n", "sheet", "back", "along the border", "in triangle"},
        {"v -0.5 0 -0.5\nv -0.5 0 0.5\no left\nl 1 2\n", "sheet", "left", "along the border", "in triangle"},
        {"v 0.5 0 -0.5\nv 0.5 0 0.5\no right\nl 1 2\n", "sheet", "right", "along the border", "in triangle"},
        {"v 0 0 0\n", "sheet", "bad.obj", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_text("bad.obj", cases[i].curves);
        command_result r = ruga_run("crease %s.obj bad.obj -q -o never.obj", cases[i].mesh);
        fail_if(r.code != 3 || !strstr(r.err, cases[i].name) || !strstr(r.err, cases[i].message) ||
                    !strstr(r.err, cases[i].place),
                "case %zu: code %d: %s", i, r.code, r.err);
        assert_false(test_file_exists(test_path("never.obj")));
        command_release(&r);
    }
}

/* It passes the triangles beside the fin's edge, but not the edge. */
static void a_curve_beside_an_edge_of_three_triangles_is_cut(void **state) {
    (void)state;
    write_text("beside.obj", "v -0.5 0 0.09\nv 0.5 0 0.1\no beside\nl 1 2\n");
    json_document *json = ruga_json(context, 0, "crease fin.obj beside.obj --angle 40 -o beside_fin.obj");
    assert_near(json_number_at(json, "creases.0.fold"), 40, 1);
    assert_less(json_number_at(json, "creases.0.gap"), 0.01 / 6);
    json_destroy(json);
}

static void a_vertex_without_material_is_named(void **state) {
    (void)state;
    assert_ruga(3, "vertex 49", "crease loose.obj across.obj -q -o never.obj");
}

static void mistakes_of_usage_are_named(void **state) {
    (void)state;
    assert_ruga(2, "a mesh and its curves", "crease sheet.obj -o a.obj");
    assert_ruga(2, "-o OUT", "crease sheet.obj across.obj");
    assert_ruga(3, NULL, "crease missing.obj across.obj -q -o a.obj 2>/dev/null");
    assert_ruga(3, "then its curves", "crease across.obj sheet.obj -q -o a.obj");
    assert_ruga(2, "found 200 degrees", "crease sheet.obj across.obj --angle 200 -o a.obj");
    assert_ruga(2, "--hold", "crease sheet.obj across.obj --hold left -o a.obj");
    assert_ruga(3, ".png", "crease sheet.obj across.obj -q -o a.obj --preview a.jpg");
    assert_ruga(2, "sheet.obj", "crease sheet.obj across.obj -q -o sheet.obj");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_a_valley_of_90_degrees_beside_a_panel_that_stays),
        cmocka_unit_test(both_directions_of_a_line_give_one_shape_beside_a_panel_that_stays),
        cmocka_unit_test(angles_have_their_sign_and_size),
        cmocka_unit_test(without_a_hold_the_centre_of_mass_stays),
        cmocka_unit_test(frames_show_the_folding),
        cmocka_unit_test(fields_of_scenes_alone_are_no_options),
        cmocka_unit_test(files_without_creases_are_named),
        cmocka_unit_test(a_scene_of_it_runs),
        cmocka_unit_test(presets_and_materials_are_taken),
        cmocka_unit_test(folds_far_from_their_target_have_a_warning),
        cmocka_unit_test(notes_appear_once),
        cmocka_unit_test(warnings_of_curves_appear_once),
        cmocka_unit_test(curves_without_a_name_have_a_number),
        cmocka_unit_test(a_mesh_that_may_be_in_another_unit_is_reported),
        cmocka_unit_test(a_preview_is_drawn),
        cmocka_unit_test(runs_whose_topology_changes_are_drawn),
        cmocka_unit_test(curves_that_can_not_be_cut_are_named_with_their_triangle),
        cmocka_unit_test(a_curve_beside_an_edge_of_three_triangles_is_cut),
        cmocka_unit_test(a_vertex_without_material_is_named),
        cmocka_unit_test(mistakes_of_usage_are_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
