/* Commands for meshes: make, info, validate, convert, subdivide, and their messages about bad input. */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/ruga_command.h"

static ruga_context *context;

static void write_text(const char *name, const char *text) { write_test_file(test_path(name), text, strlen(text)); }

static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
/* Faces 0 and 1 have opposite orientations, face 2 is a line, vertices 4 and 5 are a pair, vertex 6 is loose. */
static const char broken[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 3 0 0\nv 3 0 0\nv 9 9 9\nf 1 2 3\nf 1 3 4\nf 1 3 4\nf 1 2 1\nf 5 6 3\n";

static void info_agrees_with_every_model(void **state) {
    (void)state;
    skip_unless_long();
    json_document *models = ruga_json(context, 0, "make");
    assert_int_equal(json_root(models)->count, ruga_model_count());
    for (size_t i = 0; i < ruga_model_count(); i++) {
        const char *name = ruga_model_get(i)->name;
        ruga_mesh *mesh = NULL;
        assert_ok(context, ruga_model_make(context, name, NULL, &mesh));
        assert_ruga(0, NULL, "make %s -o model.ply --quiet", name);
        json_document *info = ruga_json(context, 0, "info model.ply");
        assert_int_equal((size_t)json_number_at(info, "vertices"), mesh->vertex_count);
        assert_int_equal((size_t)json_number_at(info, "triangles"), mesh->triangle_count);
        assert_string_equal(json_text_at(info, "file"), "model.ply");
        json_destroy(info);
        ruga_mesh_destroy(mesh);
    }
    json_destroy(models);
    command_result list = ruga_run("make");
    assert_int_equal(list.code, 0);
    for (size_t i = 0; i < ruga_model_count(); i++) assert_non_null(strstr(list.out, ruga_model_get(i)->name));
    command_release(&list);
}

static void a_models_parameters_reach_the_mesh(void **state) {
    (void)state;
    json_document *made = ruga_json(context, 0, "make sheet --width 2 --length 3 --rows 4 --columns 5 -o sheet.obj");
    assert_int_equal((int)json_number_at(made, "vertices"), 30);
    assert_int_equal((int)json_number_at(made, "triangles"), 40);
    json_destroy(made);
    json_document *info = ruga_json(context, 0, "info sheet.obj");
    double width = json_number_at(info, "high.0") - json_number_at(info, "low.0");
    double length = json_number_at(info, "high.2") - json_number_at(info, "low.2");
    assert_near(width, 2, 1e-9);
    assert_near(length, 3, 1e-9);
    assert_near(json_number_at(info, "area"), 6, 1e-9);
    json_destroy(info);
    /* Underscores of a parameter are dashes of an option. */
    assert_ruga(0, NULL, "make bar --cells-across 2 -o bar.obj -q");
}

static void an_action_is_written_frame_by_frame(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make mannequin --cells 60 -o stands.obj -q");
    json_document *made = ruga_json(
        context, 0, "make mannequin --cells 60 --action walk --walk-cycles 1 --walk-period 0.5 --rate 10 -o walk.pc2");
    assert_int_equal((int)json_number_at(made, "frames"), 6);
    json_destroy(made);
    assert_ruga(0, NULL, "make mannequin --cells 60 --action jump --rate 4 -o jump.glb -q");
    json_document *info = ruga_json(context, 0, "info jump.glb");
    assert_less(6, json_number_at(info, "motion.frames"));
    json_destroy(info);
    assert_ruga(0, NULL, "convert stands.obj --cache walk.pc2 --frame 3 -o moment.obj -q");

    assert_ruga(2, "can't hold a motion", "make mannequin --action walk -o walk.obj");
    assert_ruga(2, "did you mean 'jump'", "make mannequin --action jmup -o walk.glb");
    assert_ruga(2, "action", "make sheet --action walk -o walk.glb");
    assert_ruga(2, "walk-arms", "make mannequin --action walk --walk-arms 1 -o walk.glb");
}

static void output_in_another_unit_and_axis_reads_back(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make bar -o bar.ply -q");
    assert_ruga(0, NULL, "make bar --unit cm --up z -o bar_cm.ply -q");
    json_document *as_is = ruga_json(context, 0, "info bar_cm.ply");
    json_document *right = ruga_json(context, 0, "info bar_cm.ply --unit cm --up z");
    json_document *plain = ruga_json(context, 0, "info bar.ply");
    assert_near(json_number_at(as_is, "high.0"), 100 * json_number_at(plain, "high.0"), 1e-4);
    for (int i = 0; i < 3; i++) {
        char low[32], high[32];
        snprintf(low, sizeof low, "low.%d", i);
        snprintf(high, sizeof high, "high.%d", i);
        assert_near_case(json_number_at(right, low), json_number_at(plain, low), 1e-6, "i %d", i);
        assert_near_case(json_number_at(right, high), json_number_at(plain, high), 1e-6, "i %d", i);
    }
    json_destroy(as_is);
    json_destroy(right);
    json_destroy(plain);
}

static void info_agrees_with_theory(void **state) {
    (void)state;
    write_text("tetrahedron.obj", tetrahedron);
    json_document *info = ruga_json(context, 0, "info tetrahedron.obj");
    assert_near(json_number_at(info, "volume"), 1.0 / 6, 1e-12);
    assert_near(json_number_at(info, "area"), (1.5 + sqrt(3) / 2), 1e-12);
    assert_int_equal((int)json_number_at(info, "edges"), 6);
    assert_int_equal((int)json_number_at(info, "euler"), 2);
    assert_int_equal((int)json_number_at(info, "genus"), 0);
    assert_int_equal((int)json_number_at(info, "closed"), 1);
    assert_int_equal((int)json_number_at(info, "components"), 1);
    assert_int_equal((int)json_number_at(info, "boundary_loops"), 0);
    json_destroy(info);
    assert_ruga(0, NULL, "make torus -o torus.obj -q");
    info = ruga_json(context, 0, "info torus.obj");
    assert_int_equal((int)json_number_at(info, "genus"), 1);
    json_destroy(info);
}

/* The table and the JSON have the same contents. */
static void info_prints_a_table(void **state) {
    (void)state;
    write_text(
        "mixed.obj",
        "g front back\nusemtl cotton\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 5 5 5\nvt 0 0\nvt 1 0\nvt 1 1\n"
        "f 1/1 2/2 3/3 4/1\nf 2/1 5/2 3/3\nl 1 3\n");
    command_result info = ruga_run("info mixed.obj");
    assert_int_equal(info.code, 0);
    static const char *const parts[] = {"mixed.obj",
                                        "vertices      6",
                                        "faces         2 (1 triangles, 1 quads)",
                                        "triangles     3",
                                        "lines         1",
                                        "loose",
                                        "open, manifold, oriented",
                                        "uv",
                                        "group",
                                        "material",
                                        "cotton",
                                        "m²"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        fail_if(!strstr(info.out, parts[i]), "no \"%s\" in:\n%s", parts[i], info.out);
    command_release(&info);
    json_document *json = ruga_json(context, 0, "info mixed.obj");
    assert_int_equal((int)json_number_at(json, "quad_faces"), 1);
    assert_int_equal((int)json_number_at(json, "lines"), 1);
    assert_non_null(json_text_at(json, "attributes.0.name"));
    json_destroy(json);
}

static void several_files_give_an_array(void **state) {
    (void)state;
    write_text("a.obj", tetrahedron);
    write_text("b.obj", broken);
    json_document *json = ruga_json(context, 0, "info a.obj b.obj");
    assert_int_equal(json_root(json)->count, 2);
    assert_string_equal(json_text_at(json, "1.file"), "b.obj");
    json_destroy(json);
    command_result text = ruga_run("info a.obj b.obj");
    assert_non_null(strstr(text.out, "a.obj\n"));
    assert_non_null(strstr(text.out, "b.obj\n"));
    command_release(&text);
}

static void input_that_is_no_mesh_is_bad_input(void **state) {
    (void)state;
    static const char *const commands[] = {"info %s", "validate %s", "convert %s out.ply", "subdivide %s -o out.ply",
                                           "render %s -o out.png"};
    mkdir(test_path("folder.obj"), 0777);
    write_text("cut.ply", "ply\nformat ascii 1.0\nelement vertex 3\n");
    write_text("wrong.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    write_text("empty.glb", "");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char line[128];
        snprintf(line, sizeof line, commands[i], "missing.obj");
        assert_ruga(3, "missing.obj: ", "%s", line);
        snprintf(line, sizeof line, commands[i], "folder.obj");
        assert_ruga(3, "folder.obj: ", "%s", line);
        snprintf(line, sizeof line, commands[i], "cut.ply");
        assert_ruga(3, "cut.ply", "%s", line);
        snprintf(line, sizeof line, commands[i], "wrong.obj");
        assert_ruga(3, "wrong.obj:4: ", "%s", line);
        snprintf(line, sizeof line, commands[i], "empty.glb");
        assert_ruga(3, "empty.glb", "%s", line);
        snprintf(line, sizeof line, commands[i], "missing_####.obj");
        assert_ruga(3, "missing_####.obj", "%s", line);
    }
    assert_false(test_file_exists(test_path("out.ply")));
    assert_false(test_file_exists(test_path("out.png")));
    rmdir(test_path("folder.obj"));
}

static void output_that_cannot_be_written_is_a_failure(void **state) {
    (void)state;
    write_text("t.obj", tetrahedron);
    mkdir(test_path("there.obj"), 0777);
    assert_ruga(1, "no_such_folder/x.obj", "make sheet -o no_such_folder/x.obj");
    assert_ruga(1, "no_such_folder/x.ply", "convert t.obj no_such_folder/x.ply");
    assert_ruga(1, "no_such_folder/x.glb", "subdivide t.obj -o no_such_folder/x.glb");
    assert_ruga(1, "there.obj", "make sheet -o there.obj");
    rmdir(test_path("there.obj"));
}

static void the_exit_code_distinguishes_defects_from_notes(void **state) {
    (void)state;
    write_text("sound.obj", tetrahedron);
    write_text("broken.obj", broken);
    write_text("noted.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\n");
    command_result sound = ruga_run("validate sound.obj"), bad = ruga_run("validate broken.obj"),
                   noted = ruga_run("validate noted.obj"), strict = ruga_run("validate --strict noted.obj"),
                   quiet = ruga_run("validate -q broken.obj");
    assert_int_equal(sound.code, 0);
    assert_string_equal(sound.out, "sound.obj: sound\n");
    assert_int_equal(bad.code, 3);
    static const char *const parts[] = {"degenerate face", "duplicate face", "duplicate vertex", "loose vertex",
                                        "vertex 6"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        fail_if(!strstr(bad.out, parts[i]), "no \"%s\" in:\n%s", parts[i], bad.out);
    assert_int_equal(noted.code, 0);
    assert_non_null(strstr(noted.out, "(note)"));
    assert_int_equal(strict.code, 3);
    assert_int_equal(quiet.code, 3);
    assert_string_equal(quiet.out, "");
    assert_string_equal(quiet.err, "");
    command_release(&sound);
    command_release(&bad);
    command_release(&noted);
    command_release(&strict);
    command_release(&quiet);
}

/* A list is cut after the first of each kind, unless all are wanted; the counts are whole in any case. */
static void validation_lists_the_first_or_all(void **state) {
    (void)state;
    char text[4096] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for (int i = 0; i < 40; i++) snprintf(text + strlen(text), sizeof text - strlen(text), "v %d 5 5\n", i);
    write_text("loose.obj", text);
    json_document *some = ruga_json(context, 0, "validate loose.obj");
    json_document *all = ruga_json(context, 0, "validate loose.obj --all");
    json_document *two = ruga_json(context, 0, "validate loose.obj --first 2");
    assert_int_equal((int)json_number_at(some, "counts.loose vertex"), 40);
    assert_int_equal(json_member(json_root(some), "defects")->count, 5);
    assert_int_equal(json_member(json_root(all), "defects")->count, 40);
    assert_int_equal(json_member(json_root(two), "defects")->count, 2);
    assert_int_equal((int)json_number_at(all, "defects.39.element"), 42);
    assert_int_equal((int)json_number_at(all, "sound"), 1);
    json_destroy(some);
    json_destroy(all);
    json_destroy(two);
    command_result listed = ruga_run("validate loose.obj");
    assert_non_null(strstr(listed.out, "and 35 more (--all)"));
    command_release(&listed);
}

static void a_mesh_survives_all_formats(void **state) {
    (void)state;
    static const char *const files[] = {
        "w0.obj", "w1.ply", "w2.glb", "w3.gltf", "w4.ply --format ply-ascii", "w5.ply --format ply-big", "w6.obj"};
    static const char *const names[] = {"w0.obj", "w1.ply", "w2.glb", "w3.gltf", "w4.ply", "w5.ply", "w6.obj"};
    assert_ruga(0, NULL, "make cylinder --caps 1 -o w0.obj -q");
    json_document *first = ruga_json(context, 0, "info w0.obj");
    for (size_t i = 1; i < sizeof files / sizeof files[0]; i++) {
        assert_ruga(0, NULL, "convert %s %s -q", names[i - 1], files[i]);
        json_document *info = ruga_json(context, 0, "info %s", names[i]);
        static const char *const same[] = {"vertices", "triangles", "edges", "euler", "genus", "closed", "components"};
        for (size_t k = 0; k < sizeof same / sizeof same[0]; k++)
            fail_if(json_number_at(info, same[k]) != json_number_at(first, same[k]), "%s: %s was %g and is %g",
                    names[i], same[k], json_number_at(first, same[k]), json_number_at(info, same[k]));
        assert_near_case(json_number_at(info, "volume"), json_number_at(first, "volume"), 1e-6, "i %zu", i);
        json_destroy(info);
    }
    json_destroy(first);
}

static void conversion_of_units_scales_the_volume(void **state) {
    (void)state;
    write_text("cube.obj", tetrahedron);
    json_document *report = ruga_json(context, 0, "convert cube.obj inches.ply --unit ft --out-unit in --out-up z");
    assert_string_equal(json_text_at(report, "output"), "inches.ply");
    json_destroy(report);
    json_document *info = ruga_json(context, 0, "info inches.ply");
    assert_near(json_number_at(info, "volume"), 1728.0 / 6, 1e-3);
    json_destroy(info);
}

static void a_mesh_goes_to_standard_output(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sheet -o same.obj -q");
    command_result out = ruga_run("make sheet --format obj -o -");
    char *file = read_test_file(test_path("same.obj"), NULL);
    assert_int_equal(out.code, 0);
    assert_string_equal(out.out, file);
    free(file);
    command_release(&out);
}

static void subdivision_counts_follow_the_laws(void **state) {
    (void)state;
    write_text("tet.obj", tetrahedron);
    json_document *regular = ruga_json(context, 0, "subdivide tet.obj --n 3 -o fine.obj");
    assert_int_equal((int)json_number_at(regular, "before.triangles"), 4);
    assert_int_equal((int)json_number_at(regular, "after.triangles"), 4 * 9);
    json_destroy(regular);
    json_document *loop = ruga_json(context, 0, "subdivide tet.obj --kind loop --n 2 -o fine.obj");
    assert_int_equal((int)json_number_at(loop, "after.triangles"), 4 * 16);
    json_destroy(loop);
    assert_ruga(0, NULL, "subdivide tet.obj --kind long-edges --length 0.2 -o fine.ply -q");
    json_document *info = ruga_json(context, 0, "info fine.ply");
    assert_at_most(json_number_at(info, "longest_edge"), 0.2 * (1 + 1e-6));
    json_destroy(info);
    command_result text = ruga_run("subdivide tet.obj -o fine.obj");
    assert_non_null(strstr(text.out, "before: 4 vertices, 4 triangles\n"));
    assert_non_null(strstr(text.out, "after:  10 vertices, 16 triangles, written to fine.obj\n"));
    command_release(&text);
}

static void meshes_that_cannot_be_refined_are_bad_input(void **state) {
    (void)state;
    write_text("fin.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n");
    assert_ruga(3, "ruga: error: ", "subdivide fin.obj --kind loop -o out.obj");
    assert_false(test_file_exists(test_path("out.obj")));
}

static void quiet_runs_print_nothing(void **state) {
    (void)state;
    write_text("tet.obj", tetrahedron);
    static const char *const lines[] = {"make sheet -o q.obj --quiet", "convert tet.obj q.ply --quiet",
                                        "subdivide tet.obj -o q.glb --quiet", "validate tet.obj --quiet"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command_result result = ruga_run("%s", lines[i]);
        assert_int_equal(result.code, 0);
        assert_string_equal(result.out, "");
        assert_string_equal(result.err, "");
        command_release(&result);
    }
}

static void one_of_several_meshes_is_chosen(void **state) {
    (void)state;
    write_text("two.gltf",
               "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],"
               "\"nodes\":[{\"name\":\"left\",\"mesh\":0},{\"name\":\"right\",\"mesh\":1}],"
               "\"meshes\":[{\"name\":\"a\",\"primitives\":[{\"attributes\":{\"POSITION\":0}}]},"
               "{\"name\":\"b\",\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
               "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],"
               "\"max\":[1,1,0]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,"
               "\"uri\":\"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}");
    command_result both = ruga_run("info two.gltf");
    assert_int_equal(both.code, 0);
    assert_non_null(strstr(both.out, "several meshes"));
    command_release(&both);
    json_document *list = ruga_json(context, 0, "info two.gltf");
    assert_int_equal(json_member(json_root(list), "meshes")->count, 2);
    json_destroy(list);
    json_document *one = ruga_json(context, 0, "info two.gltf --mesh right");
    assert_int_equal((int)json_number_at(one, "triangles"), 1);
    json_destroy(one);
    assert_ruga(3, "two.gltf", "convert two.gltf out.obj --mesh middle");
    assert_ruga(0, NULL, "convert two.gltf chosen.obj --mesh 1 -q");
}

/* One triangle, with two animations, materials and joints, some without a name. */
#define NAMED_THINGS                                                                                         \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],"                           \
    "\"nodes\":[{\"name\":\"left\",\"mesh\":0},{\"name\":\"hip\",\"children\":[2]},{\"name\":\"knee\"}],"    \
    "\"skins\":[{\"joints\":[2,1]},{\"joints\":[1]}],\"materials\":[{\"name\":\"silk\"},{}],"                \
    "\"animations\":[{\"name\":\"walk\",\"channels\":[],\"samplers\":[]},{\"name\":\"run\",\"channels\":[]," \
    "\"samplers\":[]}],\"meshes\":[{\"name\":\"a\",\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"    \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0]," \
    "\"max\":[1,1,0]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,"  \
    "\"uri\":\"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}"

static void info_lists_animations_materials_and_joints(void **state) {
    (void)state;
    write_text("named.gltf", NAMED_THINGS);
    static const char *const calls[] = {"info named.gltf", "info - < named.gltf"};
    for (int i = 0; i < 2; i++) {
        command_result text = ruga_run("%s", calls[i]);
        assert_int_equal(text.code, 0);
        assert_non_null(strstr(text.out, "  animations    walk, run\n"));
        assert_non_null(strstr(text.out, "  materials     silk, (1)\n"));
        assert_non_null(strstr(text.out, "  joints        hip, knee\n"));
        command_release(&text);
    }
    json_document *json = ruga_json(context, 0, "info named.gltf");
    assert_string_equal(json_text_at(json, "animations.1"), "run");
    assert_string_equal(json_text_at(json, "materials.1"), "");
    assert_string_equal(json_text_at(json, "joints.0"), "hip");
    json_destroy(json);
    assert_ruga(3, "no animation \"swim\"; it has \"walk\" (0), \"run\" (1)",
                "convert named.gltf x.pc2 --animation swim");
    /* A file without any: a note, since one of several files may be static. */
    assert_ruga(0, NULL, "make sheet -o still.glb -q");
    assert_ruga(0, "still.glb: the file has no animation \"swim\"", "info still.glb --animation swim");
}

static void info_reads_standard_input(void **state) {
    (void)state;
    static const char *const formats[] = {"obj", "ply", "ply-ascii", "glb", "gltf"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        assert_ruga(0, NULL, "make sheet --columns 10 --rows 10 -o - --format %s > piped", formats[i]);
        json_document *json = ruga_json(context, 0, "info - < piped");
        assert_int_equal((int)json_number_at(json, "vertices"), 121);
        json_destroy(json);
    }
    assert_ruga(3, "standard input: is empty", "info - < /dev/null");
    write_text("piped", "POINTCACHE2");
    assert_ruga(3, "standard input: a cache is read from its file", "info - < piped");
}

static void a_file_without_a_known_ending_is_bad_input(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sheet -o known.obj -q");
    static const char *const commands[] = {
        "info %s",          "validate %s",         "convert %s y.obj",  "subdivide %s -o y.obj",
        "intersections %s", "wrinkle %s -o y.glb", "render %s -o y.png"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        for (int k = 0; k < 2; k++) {
            const char *name = k ? "known.what" : "known";
            char arguments[128];
            command_result copy = command_run("cp", "known.obj %s", name);
            assert_int_equal(copy.code, 0);
            command_release(&copy);
            const char *at = strstr(commands[i], "%s");
            snprintf(arguments, sizeof arguments, "%.*s%s%s", (int)(at - commands[i]), commands[i], name, at + 2);
            assert_ruga(3, "its ending is not a known format; rename it to .obj", "%s", arguments);
        }
    /* Files that are named by options, and files of curves. */
    static const char *const others[] = {
        "wrinkle known.obj --cache known -o y.glb", "render known.obj --cache known.what -o y.png",
        "intersections known.obj --cache known",    "wrinkle known.obj --cache known_####.obj --fine known -o y.glb",
        "sculpt known.obj known -o y.obj",          "make bust --cells 40 -o y.obj --curves known.what"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) assert_ruga(3, "known", "%s", others[i]);
    assert_ruga(
        3, "known: unknown file format; use one of the extensions obj, ply, glb, gltf, msh, mesh, node, pc2, mdd\n",
        "%s", others[0]);
}

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_agrees_with_every_model),
        cmocka_unit_test(a_models_parameters_reach_the_mesh),
        cmocka_unit_test(an_action_is_written_frame_by_frame),
        cmocka_unit_test(output_in_another_unit_and_axis_reads_back),
        cmocka_unit_test(info_agrees_with_theory),
        cmocka_unit_test(info_prints_a_table),
        cmocka_unit_test(several_files_give_an_array),
        cmocka_unit_test(input_that_is_no_mesh_is_bad_input),
        cmocka_unit_test(output_that_cannot_be_written_is_a_failure),
        cmocka_unit_test(the_exit_code_distinguishes_defects_from_notes),
        cmocka_unit_test(validation_lists_the_first_or_all),
        cmocka_unit_test(a_mesh_survives_all_formats),
        cmocka_unit_test(conversion_of_units_scales_the_volume),
        cmocka_unit_test(a_mesh_goes_to_standard_output),
        cmocka_unit_test(subdivision_counts_follow_the_laws),
        cmocka_unit_test(meshes_that_cannot_be_refined_are_bad_input),
        cmocka_unit_test(quiet_runs_print_nothing),
        cmocka_unit_test(one_of_several_meshes_is_chosen),
        cmocka_unit_test(info_lists_animations_materials_and_joints),
        cmocka_unit_test(info_reads_standard_input),
        cmocka_unit_test(a_file_without_a_known_ending_is_bad_input),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
