/* The input of scenes: files in any unit, caches, animated GLBs and meshes of the caller; and input that is refused,
 * with messages that name the object. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "scene/kinds.h"
#include "scene/tables.h"
#include "support/shapes.h"

#define FPS 24.0

static ruga_context *context;

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

/* A scene of one object, to be changed. */
typedef struct single {
    ruga_scene_def def;
    ruga_object_def object;
    ruga_mesh_file_def file;
    ruga_animated_def animated;
} single;

static void single_make(single *s) {
    s->def = ruga_scene_def_default();
    s->object = ruga_object_def_default();
    s->object.name = "thing";
    s->object.mesh.section = ruga_scene_section_find("objects.mesh.sheet");
    s->def.objects = (ruga_list){&s->object, 1};
}

static void single_read(single *s, const char *file) {
    ruga_section_defaults(&mesh_file_section, &s->file);
    s->object.mesh = (ruga_variant){&mesh_file_section, &s->file};
    s->file.file = file;
}

static void single_animate(single *s, const char *motion) {
    ruga_section_defaults(&animated_body_kind.section, &s->animated);
    s->object.body = (ruga_variant){&animated_body_kind.section, &s->animated};
    s->animated.motion = motion;
}

static ruga_scene *single_scene(const single *s) {
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_scene_create(context, &s->def, &scene));
    return scene;
}

static void single_fails(const single *s, ruga_status status, const char *words) {
    ruga_scene *scene = NULL;
    assert_status(ruga_scene_create(context, &s->def, &scene), status);
    assert_null(scene);
    assert_message_has(context, words);
}

/* Writes frames in which the mesh rises by a metre a second. */
static void write_rising(const ruga_mesh *mesh, const char *path, const ruga_file_def *file, int frames) {
    ruga_vec3 *p = malloc(mesh->vertex_count * sizeof *p);
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_motion_writer_create(mesh, path, file, &writer));
    for (int f = 0; f < frames; f++) {
        ruga_frame frame = {.time = f / FPS, .vertex_count = mesh->vertex_count, .positions = p};
        for (size_t i = 0; i < mesh->vertex_count; i++) {
            p[i] = mesh->positions[i];
            p[i].y += f / FPS;
        }
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    free(p);
}

static void assert_risen(const ruga_scene *scene, const ruga_mesh *mesh, double height, double scale) {
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    assert_int_equal(frame->vertex_count, mesh->vertex_count);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        vec3 expected = vec3_scale(vec3_add(mesh->positions[i], (vec3){0, height, 0}), scale);
        assert_at_most_case(vec3_distance(frame->positions[i], expected), 1e-5, "vertex %zu is at y = %g, not %g", i,
                            frame->positions[i].y, expected.y);
    }
}

/* ---- Files. */

static void caches_are_in_the_unit_and_axes_of_their_mesh_and_the_rate_of_the_scene(void **state) {
    (void)state;
    ruga_mesh *mesh = shape_icosahedron(context);
    ruga_file_def file = ruga_file_def_default();
    file.unit = 0.01;
    file.up = RUGA_AXIS_Z;
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("ico.obj"), &file));
    write_rising(mesh, test_path("ico.pc2"), &file, 13);

    single s;
    single_make(&s);
    single_read(&s, test_path("ico.obj"));
    s.file.unit = 0.01;
    s.file.up = RUGA_AXIS_Z;
    single_animate(&s, test_path("ico.pc2"));
    s.object.scale = 2;
    ruga_scene *scene = single_scene(&s);
    for (int f = 0; f < 15; f++) {
        assert_ok(context, ruga_scene_step(scene));
        assert_risen(scene, mesh, fmin(f, 12) / FPS, 2);
    }
    ruga_scene_destroy(scene);

    /* Twelve samples a second instead: everything takes twice as long. */
    s.animated.rate = 12;
    s.object.scale = 1;
    scene = single_scene(&s);
    for (int f = 0; f < 5; f++) {
        assert_ok(context, ruga_scene_step(scene));
        assert_risen(scene, mesh, f / FPS / 2, 1);
    }
    ruga_scene_destroy(scene);

    /* The cache has a unit and an axis of its own. */
    write_rising(mesh, test_path("metres.pc2"), NULL, 2);
    single_animate(&s, test_path("metres.pc2"));
    s.animated.unit = 1;
    s.animated.up = RUGA_AXIS_Y;
    scene = single_scene(&s);
    assert_ok(context, ruga_scene_step(scene));
    assert_risen(scene, mesh, 0, 1);
    ruga_scene_destroy(scene);
    ruga_mesh_destroy(mesh);
}

/* Caches and skins are read into memory that is there. */
static void following_a_file_allocates_nothing(void **state) {
    (void)state;
    ruga_context *plain = context;
    const char *const files[] = {"still.pc2", "still.mdd", "still.glb"};
    for (size_t i = 0; i < 3; i++) {
        counting_allocator counter = {.fail_at = -1};
        context = context_counting(&counter);
        ruga_mesh *mesh = shape_sheet(context, 4, 4);
        write_rising(mesh, test_path(files[i]), NULL, 13);
        single s;
        single_make(&s);
        s.object.given_mesh = mesh;
        single_animate(&s, test_path(files[i]));
        ruga_variant edit = {&subdivide_edit_kind.section, NULL};
        s.object.edits = (ruga_list){&edit, 1};
        ruga_scene *scene = single_scene(&s);
        for (int f = 0; f < 2; f++) assert_ok(context, ruga_scene_step(scene));
        long before = counter.allocations;
        for (int f = 0; f < 15; f++) assert_ok(context, ruga_scene_step(scene));
        fail_if(counter.allocations != before, "%s: %ld", files[i], counter.allocations - before);
        ruga_scene_destroy(scene);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
        context = plain;
        assert_int_equal(counter.live, 0);
    }
}

static void a_glb_brings_its_own_animation_and_edits_refine_it(void **state) {
    (void)state;
    ruga_mesh *mesh = shape_sheet(context, 3, 2);
    write_rising(mesh, test_path("rising.glb"), NULL, 13);
    single s;
    single_make(&s);
    single_read(&s, test_path("rising.glb"));
    s.object.body.section = &animated_body_kind.section;
    ruga_variant edit = {&subdivide_edit_kind.section, NULL};
    s.object.edits = (ruga_list){&edit, 1};
    s.object.move = (vec3){0, 0.25, 0};
    ruga_scene *scene = single_scene(&s);
    for (int f = 0; f < 13; f++) {
        assert_ok(context, ruga_scene_step(scene));
        const ruga_frame *frame = ruga_scene_frame(scene, 0);
        assert_int_equal(frame->vertex_count, 7 * 5);
        for (size_t i = 0; i < frame->vertex_count; i++)
            assert_near_case(frame->positions[i].y - f / FPS, 0.25, 1e-6, "f %d, i %zu", f, i);
    }
    ruga_scene_destroy(scene);
    ruga_mesh_destroy(mesh);
}

/* Names of what is wanted in a glTF file reach its reader, of the mesh and of its motion. */
static void meshes_and_animations_of_a_glb_are_chosen_by_name(void **state) {
    (void)state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    write_rising(mesh, test_path("choose.glb"), NULL, 3);
    single s;
    single_make(&s);
    single_read(&s, test_path("choose.glb"));
    s.file.mesh = "stranger";
    single_fails(&s, RUGA_ERROR_INPUT, "stranger");
    single_animate(&s, NULL);
    s.file.mesh = "0";
    s.animated.animation = "0";
    ruga_scene_destroy(single_scene(&s));
    s.animated.animation = "dance";
    single_fails(&s, RUGA_ERROR_INPUT, "dance");
    s.animated.animation = NULL;
    s.file.mesh = "nobody";
    single_fails(&s, RUGA_ERROR_INPUT, "nobody");

    /* Another file's motion is that of the mesh of the same name. */
    write_rising(mesh, test_path("motion.glb"), NULL, 3);
    assert_ok(context, ruga_mesh_write(mesh, NULL, test_path("rest.obj"), NULL));
    s.file.file = test_path("rest.obj");
    s.animated.motion = test_path("motion.glb");
    single_fails(&s, RUGA_ERROR_INPUT, "nobody");
    s.file.mesh = NULL;
    ruga_scene_destroy(single_scene(&s));
    ruga_mesh_destroy(mesh);
}

static void what_is_wrong_with_files_names_the_object(void **state) {
    (void)state;
    single s;
    single_make(&s);
    single_read(&s, test_path("none.obj"));
    single_fails(&s, RUGA_ERROR_FILE, "object \"thing\": ");
    single_fails(&s, RUGA_ERROR_FILE, "none.obj");
    s.file.file = NULL;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "objects[0].mesh.file must be given");

    ruga_mesh *four = shape_sheet(context, 1, 1);
    write_rising(four, test_path("four.pc2"), NULL, 2);
    single_make(&s);
    single_animate(&s, test_path("four.pc2"));
    single_fails(&s, RUGA_ERROR_INPUT, "four.pc2");
    single_animate(&s, NULL);
    single_fails(&s, RUGA_ERROR_INPUT, "nothing moves it");
    ruga_mesh_destroy(four);
}

/* ---- Meshes of the caller's. */

/* A placed mesh is a copy with everything on it; the caller's stays as it is. */
static void placing_turns_what_points_and_keeps_the_rest(void **state) {
    (void)state;
    ruga_mesh *mesh = shape_loaded_sheet(context);
    ruga_vec3 *before = malloc(mesh->vertex_count * sizeof *before);
    memcpy(before, mesh->positions, mesh->vertex_count * sizeof *before);
    single s;
    single_make(&s);
    s.object.given_mesh = mesh;
    s.object.turn = (vec3){0, 0, 90};
    s.object.scale = 3;
    s.object.move = (vec3){1, 2, 3};
    ruga_scene *scene = single_scene(&s);
    const ruga_mesh *placed = ruga_scene_object_mesh(scene, 0);
    assert_ptr_not_equal(placed, mesh);
    assert_memory_equal(before, mesh->positions, mesh->vertex_count * sizeof *before);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        vec3 p = mesh->positions[i], expected = {1 - 3 * p.y, 2 + 3 * p.x, 3 + 3 * p.z};
        assert_less_case(vec3_distance(placed->positions[i], expected), 1e-12, "i %zu", i);
    }
    assert_int_equal(placed->attribute_count, mesh->attribute_count);
    assert_int_equal(placed->face_count, mesh->face_count);
    assert_int_equal(placed->edge_count, mesh->edge_count);
    assert_int_equal(placed->line_count, mesh->line_count);
    size_t turned = 0;
    for (size_t a = 0; a < mesh->attribute_count; a++) {
        const ruga_attribute *from = &mesh->attributes[a], *to = &placed->attributes[a];
        assert_string_equal(from->name, to->name);
        assert_int_equal(from->count, to->count);
        if (strcmp(from->name, "normal") == 0 && from->count > 0) {
            turned++;
            assert_near_case(ruga_attribute_get(to, 0, 0), -ruga_attribute_get(from, 0, 1), 1e-6, "a %zu", a);
            assert_near_case(ruga_attribute_get(to, 0, 1), ruga_attribute_get(from, 0, 0), 1e-6, "a %zu", a);
        } else {
            assert_memory_equal(from->values, to->values,
                                from->count * from->components * ruga_scalar_size(from->type));
        }
    }
    assert_ran(turned, 1);
    free(before);
    ruga_scene_destroy(scene);
    ruga_mesh_destroy(mesh);
}

static void a_mesh_in_its_place_is_not_copied(void **state) {
    (void)state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    single s;
    single_make(&s);
    s.object.given_mesh = mesh;
    ruga_scene *scene = single_scene(&s);
    assert_ptr_equal(ruga_scene_object_mesh(scene, 0), mesh);
    ruga_scene_destroy(scene);
    ruga_mesh_destroy(mesh);
}

static void directions_turn_with_the_mesh(void **state) {
    (void)state;
    static ruga_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, -1}};
    static const uint32_t triangle[3] = {0, 1, 2};
    static const float normals[9] = {0, 1, 0, 0, 1, 0, 0, 1, 0};
    const ruga_attribute normal = {.name = "normal", .type = RUGA_F32, .components = 3, .count = 3, .values = normals};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){points, 3, 0, RUGA_F64};
    def.face_count = 1;
    def.face_vertices = triangle;
    def.attribute_count = 1;
    def.attributes = &normal;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    single s;
    single_make(&s);
    s.object.given_mesh = mesh;
    s.object.turn = (vec3){90, 0, 0};
    s.object.scale = 5;
    ruga_scene *scene = single_scene(&s);
    const ruga_attribute *turned = ruga_mesh_attribute(ruga_scene_object_mesh(scene, 0), "normal", RUGA_DOMAIN_VERTEX);
    for (size_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++)
            assert_near_case(ruga_attribute_get(turned, i, k), k == 2, 1e-6, "i %zu, k %u", i, k);
    ruga_scene_destroy(scene);
    ruga_mesh_destroy(mesh);
}

static ruga_status grow_wild(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *mesh = user;
    memcpy(positions, mesh->positions, mesh->vertex_count * sizeof *positions);
    if (time > 2.5 / FPS) positions[1].y = NAN;
    return RUGA_OK;
}

/* A position that is not finite makes the step fail, with a message that names the object and the vertex. Restoring a
 * saved state makes the scene usable again. */
static void a_state_that_is_not_finite_is_reported_and_can_be_restored(void **state) {
    (void)state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    ruga_motion *motion = NULL;
    assert_ok(context, ruga_motion_from_function(context, mesh->vertex_count, 0, 10, grow_wild, mesh, &motion));
    single s;
    single_make(&s);
    s.object.given_mesh = mesh;
    s.object.given_motion = motion;
    s.object.body.section = &animated_body_kind.section;
    ruga_scene *scene = single_scene(&s);
    for (int f = 0; f < 3; f++) assert_ok(context, ruga_scene_step(scene));
    void *saved;
    size_t size;
    assert_ok(context, ruga_scene_save(scene, &saved, &size));
    assert_true(RUGA_FAILED(ruga_scene_step(scene)));
    assert_message_has(context, "thing");
    assert_message_has(context, "vertex 1");
    assert_ok(context, ruga_scene_restore(scene, saved, size));
    assert_int_equal(ruga_scene_frame_number(scene), 2);
    ruga_free(context, saved);
    ruga_scene_destroy(scene);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
}

static void motions_that_are_given_must_fit(void **state) {
    (void)state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2), *other = shape_sheet(context, 1, 1);
    ruga_motion *motion = NULL;
    assert_ok(context, ruga_motion_from_function(context, 4, 0, 1, grow_wild, other, &motion));
    single s;
    single_make(&s);
    s.object.given_mesh = mesh;
    s.object.given_motion = motion;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "its body is not \"animated\"");
    s.object.body.section = &animated_body_kind.section;
    single_fails(&s, RUGA_ERROR_INPUT, "moves 4 points, but its mesh has 9 vertices");
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(other);
    ruga_mesh_destroy(mesh);
}

/* ---- Parameters in memory. */

static void parameters_are_copied_and_held_to_the_limits_of_the_tables(void **state) {
    (void)state;
    double amounts[4] = {0.1, 0.2, 0.3, 0.4};
    char name[8] = "uv";
    ruga_param plain[2] = {ruga_param_array(amounts, 4), ruga_param_attribute(name)};
    ruga_param_key keys[2] = {{0, &plain[0]}, {1, &plain[1]}};
    ruga_mesh *mesh = NULL;
    const ruga_section *sheet = ruga_model_find("sheet");
    double values[16];
    ruga_section_defaults(sheet, values);
    values[2] = values[3] = 1;
    assert_ok(context, ruga_model_make(context, "sheet", values, &mesh));
    single s;
    single_make(&s);
    s.object.given_mesh = mesh;
    ruga_displace_def displace;
    ruga_section_defaults(&displace_part_kind.section, &displace);
    displace.amount = ruga_param_keys(keys, 2);
    ruga_variant detail = {&displace_part_kind.section, &displace};
    s.object.details = (ruga_list){&detail, 1};
    ruga_scene *scene = single_scene(&s);

    /* All that the def pointed to is gone now. */
    memset(amounts, 0x7f, sizeof amounts);
    memset(name, 'x', sizeof name - 1);
    memset(keys, 0, sizeof keys);
    memset(plain, 0, sizeof plain);
    assert_ok(context, ruga_scene_step(scene));
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    for (size_t i = 0; i < 4; i++) assert_near_case(frame->positions[i].y, 0.1 * (double)(i + 1), 1e-12, "i %zu", i);
    for (int f = 0; f < 24; f++) assert_ok(context, ruga_scene_step(scene));
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX);
    for (size_t i = 0; i < 4; i++)
        assert_near_case(frame->positions[i].y, ruga_attribute_get(uv, i, 0), 1e-12, "i %zu", i);
    ruga_scene_destroy(scene);

    ruga_jiggle_def jiggle;
    ruga_section_defaults(&jiggle_part_kind.section, &jiggle);
    jiggle.weight = ruga_param_constant(1.5);
    detail = (ruga_variant){&jiggle_part_kind.section, &jiggle};
    single_fails(&s, RUGA_ERROR_INPUT, "weight");
    jiggle.weight = ruga_param_constant(1);
    jiggle.damping = ruga_param_constant(11);
    single_fails(&s, RUGA_ERROR_INPUT, "allowed is 0 to 10");
    jiggle.damping = ruga_param_constant(1);
    jiggle.weight = ruga_param_array(amounts, 3);
    single_fails(&s, RUGA_ERROR_ARGUMENT, "the array has 3 values, but the mesh has 4 vertices");
    ruga_mesh_destroy(mesh);
}

/* ---- Defs that make no sense. */

static void defs_are_held_against_their_tables(void **state) {
    (void)state;
    single s;
    ruga_scene *scene = NULL;
    single_make(&s);
    s.def.cookie = 0;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "ruga_scene_def_default");
    assert_status(ruga_scene_create(context, NULL, &scene), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_scene_create(NULL, &s.def, &scene), RUGA_ERROR_ARGUMENT);

    single_make(&s);
    s.def.time.fps = 0;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "time.fps is 0; allowed is");
    single_make(&s);
    s.def.time.substeps = -1;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "time.substeps is -1");
    single_make(&s);
    s.def.gravity.z = INFINITY;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "gravity is not finite");
    single_make(&s);
    s.object.scale = NAN;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "objects[0].scale must be given");
    single_make(&s);
    s.def.output.up = 7;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "output.up is 7; expected one of 3 choices");
    single_make(&s);
    s.def.output.formats = 64;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "output.formats is 64");
    single_make(&s);
    s.object.body.section = &plane_section;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "objects[0].body has the kind \"plane\", which is not allowed here");
    single_make(&s);
    s.object.body = (ruga_variant){0};
    single_fails(&s, RUGA_ERROR_ARGUMENT, "objects[0].body must be given");
    single_make(&s);
    ruga_variant no_amount = {&displace_part_kind.section, NULL};
    s.object.details = (ruga_list){&no_amount, 1};
    single_fails(&s, RUGA_ERROR_ARGUMENT, "objects[0].details[0].amount must be given");
    single_make(&s);
    s.object.details = (ruga_list){NULL, 1};
    single_fails(&s, RUGA_ERROR_ARGUMENT, "objects[0].details has 1 items that are NULL");
    single_make(&s);
    ruga_variant nothing = {0};
    s.object.details = (ruga_list){&nothing, 1};
    single_fails(&s, RUGA_ERROR_ARGUMENT, "objects[0].details[0] must be given");
    single_make(&s);
    ruga_rigid_def rigid;
    ruga_section_defaults(&rigid_body_kind.section, &rigid);
    s.object.body = (ruga_variant){&rigid_body_kind.section, &rigid};
    single_fails(&s, RUGA_ERROR_ARGUMENT, "objects[0].body.keys must be given");
}

static void objects_need_a_name_and_a_mesh(void **state) {
    (void)state;
    single s;
    single_make(&s);
    s.object.mesh.section = NULL;
    single_fails(&s, RUGA_ERROR_INPUT, "object \"thing\": mesh: it has no mesh");
    single_make(&s);
    s.object.name = NULL;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "objects[0].name must be given");
    static const struct {
        const char *name, *part;
    } bad[] = {{"a:b", "character"}, {"a,b", "character"}, {"a\nb", "character"},
               {"-a", "begins"},     {" a", "begins"},     {"a.", "ends in"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        s.object.name = bad[i].name;
        single_fails(&s, RUGA_ERROR_INPUT, bad[i].part);
    }
    s.object.name = "Schürze #2.1 (50 %)";
    s.object.mesh.section = ruga_scene_section_find("objects.mesh.disc");
    ruga_scene_destroy(single_scene(&s));
    single_make(&s);
    s.object.name = "";
    single_fails(&s, RUGA_ERROR_INPUT, "no name");
    char long_name[120];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    s.object.name = long_name;
    single_fails(&s, RUGA_ERROR_INPUT, "longer than 100");

    single_make(&s);
    ruga_object_def twins[2] = {s.object, s.object};
    s.def.objects = (ruga_list){twins, 2};
    single_fails(&s, RUGA_ERROR_INPUT, "objects[0] is called \"thing\" too");
    twins[1].name = "thing.0001";
    single_fails(&s, RUGA_ERROR_INPUT, "objects[0] is called \"thing\" too");
    twins[0].name = "thing.0001.2";
    single_fails(&s, RUGA_ERROR_INPUT, "is called \"thing.0001.2\"");
    twins[0].name = "thing.x1";
    ruga_scene_destroy(single_scene(&s));
    single_make(&s);
    s.object.material = "sillk";
    single_fails(&s, RUGA_ERROR_INPUT, "did you mean \"silk\"?");
}

static void meshes_belong_to_the_scene_s_context(void **state) {
    (void)state;
    ruga_context *other = context_plain(1);
    ruga_mesh *mesh = shape_sheet(other, 1, 1);
    single s;
    single_make(&s);
    s.object.given_mesh = mesh;
    single_fails(&s, RUGA_ERROR_ARGUMENT, "another context");
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(other);
}

/* ---- Surroundings. */

static void colliders_of_every_kind_keep_points_out(void **state) {
    (void)state;
    single s;
    single_make(&s);
    s.object.mesh.section = ruga_scene_section_find("objects.mesh.sphere");
    ruga_variant hook = {&collide_part_kind.section, NULL};
    s.object.hooks = (ruga_list){&hook, 1};
    ruga_plane_def plane = {.point = {0, -0.4, 0}, .normal = {0, 3, 0}};
    ruga_sphere_def sphere = {.centre = {0.5, 0, 0}, .radius = 0.1};
    ruga_capsule_def capsule = {.from = {0, 0.5, -1}, .to = {0, 0.5, 1}, .radius = 0.05};
    ruga_box_def box = {.centre = {-0.5, 0, 0}, .size = {0.2, 0.2, 0.2}, .turn = {0, 0, 45}};
    ruga_variant colliders[4] = {
        {&plane_section, &plane}, {&sphere_section, &sphere}, {&capsule_section, &capsule}, {&box_section, &box}};
    s.def.colliders = (ruga_list){colliders, 4};
    ruga_scene *scene = single_scene(&s);
    /* Before the first step and in the first frame too. */
    for (int f = 0; f < 3; f++) {
        const ruga_frame *frame = ruga_scene_frame(scene, 0);
        double free = 0.001 - 1e-9;
        for (size_t i = 0; i < frame->vertex_count; i++) {
            vec3 p = frame->positions[i];
            assert_at_most_case(-0.4 + free, p.y, "f %d, i %zu", f, i);
            assert_at_most_case(0.1 + free, vec3_distance(p, sphere.centre), "f %d, i %zu", f, i);
            assert_at_most_case(0.05 + free, hypot(p.x, p.y - 0.5), "f %d, i %zu", f, i);
            /* A box on its edge: a diamond in the plane of x and y. */
            double diamond = fmax(fabs(p.x + 0.5 + p.y), fabs(p.x + 0.5 - p.y)) / sqrt(2);
            assert_at_most_case(0.1 - 1e-9, fmax(diamond, fabs(p.z)), "f %d, i %zu", f, i);
        }
        assert_ok(context, ruga_scene_step(scene));
    }
    ruga_scene_destroy(scene);
    plane.normal = (vec3){0, 0, 0};
    single_fails(&s, RUGA_ERROR_INPUT, "colliders[0].normal: the normal is zero");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_are_in_the_unit_and_axes_of_their_mesh_and_the_rate_of_the_scene),
        cmocka_unit_test(following_a_file_allocates_nothing),
        cmocka_unit_test(a_glb_brings_its_own_animation_and_edits_refine_it),
        cmocka_unit_test(meshes_and_animations_of_a_glb_are_chosen_by_name),
        cmocka_unit_test(what_is_wrong_with_files_names_the_object),
        cmocka_unit_test(placing_turns_what_points_and_keeps_the_rest),
        cmocka_unit_test(a_mesh_in_its_place_is_not_copied),
        cmocka_unit_test(directions_turn_with_the_mesh),
        cmocka_unit_test(a_state_that_is_not_finite_is_reported_and_can_be_restored),
        cmocka_unit_test(motions_that_are_given_must_fit),
        cmocka_unit_test(parameters_are_copied_and_held_to_the_limits_of_the_tables),
        cmocka_unit_test(defs_are_held_against_their_tables),
        cmocka_unit_test(objects_need_a_name_and_a_mesh),
        cmocka_unit_test(meshes_belong_to_the_scene_s_context),
        cmocka_unit_test(colliders_of_every_kind_keep_points_out),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
