/* A kind that the library does not know: a scene is made with it through a list of its own. The part is the example of
 * CONTRIBUTING.md. */
#include "lift_part.h"

#include <math.h>
#include <stdio.h>

#include "linalg/map.h"
#include "math/vec3.h"
#include "scene/build.h"
#include "support/shapes.h"

static const kind *const own_kinds[] = {&lift_part_kind, NULL};

/* A scene of a sheet with the part on it. */
typedef struct lifted {
    ruga_scene_def def;
    ruga_object_def object;
    ruga_lift_def lift;
    ruga_variant detail;
} lifted;

static void lifted_make(lifted *l) {
    l->def = ruga_scene_def_default();
    l->object = ruga_object_def_default();
    l->object.name = "thing";
    l->object.mesh.section = ruga_scene_section_find("objects.mesh.sheet");
    ruga_section_defaults(&lift_part_kind.section, &l->lift);
    l->detail = (ruga_variant){&lift_part_kind.section, &l->lift};
    l->object.details = (ruga_list){&l->detail, 1};
    l->def.objects = (ruga_list){&l->object, 1};
}

static void a_scene_is_made_with_a_kind_of_its_own(void **state) {
    ruga_context *context = *state;
    const double heights[] = {0.1, -2};
    for (int i = 0; i < 2; i++) {
        lifted l;
        lifted_make(&l);
        if (i > 0) l.lift.height = ruga_param_constant(heights[i]);
        ruga_scene *scene = NULL;
        assert_ok(context, scene_create_with_kinds(context, &l.def, own_kinds, &scene));
        assert_ok(context, ruga_scene_step(scene));
        const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
        const ruga_frame *frame = ruga_scene_frame(scene, 0);
        assert_less_case(100, frame->vertex_count, "i %d", i);
        for (size_t v = 0; v < frame->vertex_count; v++)
            assert_equal_case(frame->positions[v].y, mesh->positions[v].y + heights[i], "i %d, v %zu", i, v);
        ruga_scene_destroy(scene);
    }
}

static void its_values_are_held_against_its_table(void **state) {
    ruga_context *context = *state;
    lifted l;
    ruga_scene *scene = NULL;
    lifted_make(&l);
    l.lift.height = ruga_param_attribute("paint");
    assert_status(scene_create_with_kinds(context, &l.def, own_kinds, &scene), RUGA_ERROR_INPUT);
    /* The place is named once, though both the maker and the object report the error. */
    const char *place = "object \"thing\": details[0].height: the mesh has no vertex attribute \"paint\"";
    assert_memory_equal(ruga_context_message(context), place, strlen(place));
    l.lift.height = ruga_param_constant(101);
    assert_status(scene_create_with_kinds(context, &l.def, own_kinds, &scene), RUGA_ERROR_INPUT);
    assert_null(scene);
}

/* Neither a default takes its place, nor a kind of another role. */
static void a_kind_that_no_list_has_is_refused(void **state) {
    ruga_context *context = *state;
    static const ruga_section absent = {.name = "absent", .help = "No kind."};
    lifted l;
    ruga_scene *scene = NULL;
    lifted_make(&l);
    assert_status(ruga_scene_create(context, &l.def, &scene), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "\"lift\"");
    lifted_make(&l);
    l.detail = (ruga_variant){&absent, NULL};
    assert_status(scene_create_with_kinds(context, &l.def, own_kinds, &scene), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "\"absent\"");
    lifted_make(&l);
    l.object.hooks = (ruga_list){&l.detail, 1};
    assert_status(scene_create_with_kinds(context, &l.def, own_kinds, &scene), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "\"lift\"");
    assert_null(scene);
}

static void destroy_twins(part *p) { memory_release(p->context, p); }

/* A hook that gives its body the same mesh again after a while. */
static ruga_status change_later(build *b, const void *values, part **out) {
    static const part_interface interface = {.destroy = destroy_twins};
    (void)values;
    size_t points = b->body ? b->body->point_count : 0;
    ruga_map *same = NULL;
    map_builder rows;
    TRY(map_builder_make(b->context, points, points, &rows));
    for (size_t i = 0; i < points; i++) {
        map_builder_put(&rows, (uint32_t)i, 1);
        map_builder_end_row(&rows);
    }
    TRY(map_builder_finish(&rows, points, &same));
    TRY(build_keep(b, NULL, same));
    const body_change change = {
        .mesh = b->mesh, .simulated = {.mesh = b->mesh}, .points_from_old = same, .vertices_from_old = same};
    TRY(build_change_later(b, 0.1, &change));
    TRY(NEW_ZEROED(b->context, out, 1));
    **out = (part){.interface = &interface, .context = b->context, .kind = "later"};
    return RUGA_OK;
}

static void only_a_kind_that_cuts_changes_its_mesh_and_not_into_caches(void **state) {
    ruga_context *context = *state;
    static const char text[] =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\"}, \"body\": {\"kind\": \"cloth\"}}]}";
    static const ruga_output_format formats[] = {RUGA_OUTPUT_PC2, RUGA_OUTPUT_OBJ};
    for (int i = 0; i < 4; i++) {
        const kind later = {.section = {.name = "later", .help = "The same mesh again."},
                            .role = KIND_INSIDE,
                            .flags = i < 2 ? KIND_CUTS : 0,
                            .make_part = change_later};
        const kind *const kinds[] = {&later, NULL};
        const ruga_variant hook = {&later.section, NULL};
        ruga_description *d = NULL;
        ruga_scene *scene = NULL;
        assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
        ruga_object_def object = *(const ruga_object_def *)d->def.objects.items;
        object.hooks = (ruga_list){(void *)(uintptr_t)&hook, 1};
        d->def.objects.items = &object;
        d->def.output.formats = 1u << formats[i % 2];
        ruga_status status = scene_build(context, &d->def, kinds, d, &scene);
        assert_equal_case(ruga_description_finding_count(d), i != 1, "scene %d", i);
        if (i == 0) assert_non_null(strstr(ruga_description_finding(d, 0)->message, "choose obj or ply"));
        if (i >= 2) assert_non_null(strstr(ruga_description_finding(d, 0)->message, "no flag KIND_CUTS"));
        assert_equal_case(scene != NULL, i == 1, "scene %d, status %d", i, (int)status);
        ruga_scene_destroy(scene);
        ruga_description_destroy(d);
    }
}

/* ---- A part that cuts from the start: every triangle becomes two with half of the material each, tied together. */

static ruga_status make_twins(build *b, const void *values) {
    (void)values;
    size_t n = b->mesh->vertex_count, t = b->mesh->triangle_count;
    double *halves = NULL;
    TRY(ARENA_NEW(b->memory, &halves, 2 * t));
    for (size_t k = 0; k < 2 * t; k++) halves[k] = 0.5;
    ruga_vec3 *x = malloc(2 * n * sizeof *x);
    uint32_t *triangles = malloc(6 * t * sizeof *triangles);
    for (size_t i = 0; i < 2 * n; i++) x[i] = b->mesh->positions[i % n];
    for (size_t k = 0; k < 6 * t; k++) triangles[k] = b->mesh->triangles[k % (3 * t)] + (k < 3 * t ? 0 : (uint32_t)n);
    ruga_mesh *copies = shape_make(b->context, 2 * n, x, 2 * t, NULL, triangles);
    map_builder rows;
    ruga_map *ties = NULL;
    TRY(map_builder_make(b->context, 2 * n, 2 * n, &rows));
    for (size_t i = 0; i < 2 * n; i++) {
        map_builder_put(&rows, (uint32_t)(i % n), 1);
        map_builder_end_row(&rows);
    }
    TRY(map_builder_finish(&rows, n, &ties));
    free(x);
    free(triangles);
    b->simulated = (body_simulated){.mesh = copies, .shares = halves, .bound = ties};
    return build_keep(b, copies, ties);
}

static ruga_status make_twins_part(build *b, const void *values, part **out) {
    static const part_interface interface = {.destroy = destroy_twins};
    (void)values;
    assert_int_equal(b->body->point_count, 2 * b->mesh->vertex_count);
    TRY(NEW_ZEROED(b->context, out, 1));
    **out = (part){.interface = &interface, .context = b->context, .kind = "twins"};
    return RUGA_OK;
}

static const kind twins_kind = {.section = {.name = "twins", .help = "Every triangle twice."},
                                .role = KIND_INSIDE,
                                .flags = KIND_CUTS,
                                .cut = make_twins,
                                .make_part = make_twins_part};
static const kind *const cutting_kinds[] = {&twins_kind, NULL};

/* The part that collides is chosen on the mesh that is not cut, too. */
static void a_contact_mask_goes_with_a_cut_from_the_start(void **state) {
    ruga_context *context = *state;
    static const char text[] =
        "{\"contact\": {}, \"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 6, "
        "\"rows\": 6}, \"contact\": {\"where\": \"box:-,-,-,0,-,-\"}, \"body\": {\"kind\": \"cloth\", "
        "\"integrator\": \"implicit\"}, \"hooks\": []}]}";
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    ruga_scene_def def = *ruga_description_get(d);
    ruga_object_def object = *(const ruga_object_def *)def.objects.items;
    const ruga_variant hook = {&twins_kind.section, NULL};
    object.hooks = (ruga_list){(void *)&hook, 1};
    def.objects.items = &object;
    assert_ok(context, scene_create_with_kinds(context, &def, cutting_kinds, &scene));
    const body *b = world_body(scene->world, 0);
    assert_true(b->collides && b->collides == b->given.collides && b->point_count == 2 * b->mesh->vertex_count);
    for (size_t v = 0; v < b->mesh->vertex_count; v++)
        assert_equal_case(b->collides[v], b->mesh->positions[v].x <= 0, "vertex %zu", v);
    assert_ok(context, ruga_scene_step(scene));
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

/* Pins are chosen on the mesh that is not cut, the uncut mesh is shown, and half of the material twice is the whole. */
static void a_cut_from_the_start_is_made_before_the_body(void **state) {
    ruga_context *context = *state;
    static const char text[] =
        "{\"time\": {\"substeps\": 4}, \"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 6, "
        "\"rows\": 6}, \"body\": {\"kind\": \"cloth\", \"integrator\": \"implicit\", \"tolerance\": 1e-10, \"quads\": "
        "false, \"pins\": [{\"kind\": \"fixed\", \"vertices\": \"0,6\"}]}}]}";
    ruga_description *d = NULL;
    ruga_scene *plain = NULL, *cut = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &plain));
    ruga_scene_def def = *ruga_description_get(d);
    ruga_object_def object = *(const ruga_object_def *)def.objects.items;
    const ruga_variant hook = {&twins_kind.section, NULL};
    object.hooks = (ruga_list){(void *)&hook, 1};
    def.objects.items = &object;
    assert_ok(context, scene_create_with_kinds(context, &def, cutting_kinds, &cut));
    for (int f = 0; f < 6; f++) {
        assert_ok(context, ruga_scene_step(plain));
        assert_ok(context, ruga_scene_step(cut));
    }
    const ruga_frame *a = ruga_scene_frame(plain, 0), *b = ruga_scene_frame(cut, 0);
    const ruga_mesh *mesh = ruga_scene_object_mesh(plain, 0);
    assert_int_equal(b->vertex_count, a->vertex_count);
    assert_less(0.01, vec3_distance(a->positions[40], mesh->positions[40]));
    for (size_t v = 0; v <= 6; v += 6) assert_less(vec3_distance(b->positions[v], mesh->positions[v]), 1e-12);
    for (size_t v = 0; v < a->vertex_count; v++)
        assert_less_case(vec3_distance(a->positions[v], b->positions[v]), 1e-5, "vertex %zu", v);
    ruga_scene_destroy(plain);
    ruga_scene_destroy(cut);

    /* A cut without the flag is an error, not nothing. */
    kind bare = twins_kind;
    bare.flags = 0;
    const kind *const bare_kinds[] = {&bare, NULL};
    const ruga_variant bare_hook = {&bare.section, NULL};
    object.hooks = (ruga_list){(void *)(uintptr_t)&bare_hook, 1};
    assert_status(scene_create_with_kinds(context, &def, bare_kinds, &cut), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "has a cut, but no flag KIND_CUTS");
    object.hooks = (ruga_list){(void *)&hook, 1};

    object.body = (ruga_variant){ruga_scene_section_find("objects.body.static"), NULL};
    cut = NULL;
    assert_status(scene_create_with_kinds(context, &def, cutting_kinds, &cut), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "a hook cuts the object, but its body is static");
    ruga_description_destroy(d);
}

static void every_kind_of_the_list_has_the_maker_of_its_role(void **state) {
    (void)state;
    size_t count = 0;
    for (const kind *const *k = scene_kinds; *k; k++, count++) {
        assert_non_null((*k)->section.name);
        assert_true(((*k)->role == KIND_EDIT) == ((*k)->edit != NULL));
        assert_true(((*k)->role == KIND_BODY) == ((*k)->make_body != NULL));
        assert_true(((*k)->role == KIND_INSIDE || (*k)->role == KIND_ON_TOP) == ((*k)->make_part != NULL));
        assert_ptr_equal(kind_find(NULL, &(*k)->section, (*k)->role), *k);
        assert_true(!(*k)->cut || ((*k)->flags & KIND_CUTS));
    }
    assert_at_most(13, count);
}

static ruga_status make_once(ruga_context *context, void *user) {
    ruga_scene *scene = NULL;
    ruga_status status = scene_create_with_kinds(context, user, own_kinds, &scene);
    ruga_scene_destroy(scene);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    lifted l;
    lifted_make(&l);
    assert_less(10, assert_every_allocation_may_fail(make_once, &l.def));
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 18);
    assert_less(0, fread(text, 1, (1 << 18) - 1, file));
    fclose(file);
    return text;
}

static void contributing_shows_the_part_word_for_word(void **state) {
    (void)state;
    char *page = read_text(RUGA_SOURCE_FOLDER "/CONTRIBUTING.md"),
         *code = read_text(RUGA_SOURCE_FOLDER "/tests/scene/lift_part.h");
    const char *example = strstr(code, "/* ---- */\n");
    assert_non_null(example);
    assert_non_null(strstr(page, example + strlen("/* ---- */\n")));
    free(page);
    free(code);
}

static int set_up(void **state) {
    *state = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    ruga_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_is_made_with_a_kind_of_its_own),
        cmocka_unit_test(its_values_are_held_against_its_table),
        cmocka_unit_test(a_kind_that_no_list_has_is_refused),
        cmocka_unit_test(only_a_kind_that_cuts_changes_its_mesh_and_not_into_caches),
        cmocka_unit_test(a_cut_from_the_start_is_made_before_the_body),
        cmocka_unit_test(a_contact_mask_goes_with_a_cut_from_the_start),
        cmocka_unit_test(every_kind_of_the_list_has_the_maker_of_its_role),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(contributing_shows_the_part_word_for_word),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
