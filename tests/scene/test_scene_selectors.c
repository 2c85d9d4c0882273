/* Selectors in scenes: contact masks, pins and parameters. */
#include <math.h>
#include <stdio.h>

#include "support/support.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(2);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    return 0;
}

static ruga_description *describe(const char *text) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    return d;
}

static ruga_scene *make_scene(const char *text) {
    ruga_description *d = describe(text);
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

/* ---- Contact masks. */

/* A patch of cloth falls onto a place of a static body; `contact` is the body's. The height of its middle after a
 * quarter of a second, in which it falls by 0.3 m; and 0 intersections are counted in every frame. */
static double drop(const char *body, const char *contact, double x, double y, double z) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "{\"contact\": {}, \"time\": {\"fps\": 24, \"substeps\": 8}, \"objects\": ["
        "{\"name\": \"body\", \"mesh\": {%s}%s%s},"
        "{\"name\": \"patch\", \"move\": [%g, %g, %g], \"mesh\": {\"kind\": \"sheet\", \"columns\": 6, \"rows\": 6, "
        "\"width\": 0.06, \"length\": 0.06}, \"body\": {\"kind\": \"cloth\", \"thickness\": 0.002, \"drag\": 0, "
        "\"lift\": 0}}]}",
        body, *contact ? ", \"contact\": " : "", contact, x, y, z);
    ruga_scene *scene = make_scene(text);
    for (int frame = 0; frame < 7; frame++) {
        size_t count;
        assert_ok(context, ruga_scene_step(scene));
        assert_ok(context, ruga_scene_intersections(scene, NULL, &count));
        assert_int_equal((int)count, 0);
    }
    double height = ruga_scene_frame(scene, 1)->positions[24].y; /* of 7 x 7 vertices */
    ruga_scene_destroy(scene);
    return height;
}

#define ARM "\"kind\": \"arm\", \"rings\": 24, \"sectors\": 16"

static void parts_of_a_body_that_do_not_collide_let_cloth_through(void **state) {
    (void)state;
    static const char mask[] = "{\"where\": \"!joint:ForeArm\"}", inverse[] = "{\"where\": \"joint:ForeArm\"}";
    /* Its axis is at y = 0; it is about 0.04 m thick there. */
    assert_less(0, drop(ARM, "", 0.15, 0.06, 0));
    assert_less(drop(ARM, mask, 0.15, 0.06, 0), -0.1);
    assert_less(0, drop(ARM, mask, -0.15, 0.07, 0));
    assert_less(drop(ARM, inverse, -0.15, 0.07, 0), -0.1);
    assert_less(0, drop(ARM, inverse, 0.15, 0.06, 0));
}

#define MANNEQUIN "\"kind\": \"mannequin\", \"cells\": 90, \"arms\": 90"

/* The hands of the mannequin, whose arms are spread. */
static void hands_that_do_not_collide_let_cloth_through(void **state) {
    (void)state;
    skip_when_sanitized();
    ruga_mesh *body = NULL;
    ruga_description *d = describe("{\"objects\": [{\"name\": \"a\", \"mesh\": {" MANNEQUIN "}}]}");
    const ruga_object_def *object = ruga_description_get(d)->objects.items;
    assert_ok(context, ruga_model_make(context, "mannequin", object->mesh.values, &body));
    ruga_description_destroy(d);
    ruga_selector *hand = NULL;
    unsigned char *chosen = malloc(body->vertex_count);
    ruga_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    assert_ok(context, ruga_selector_parse(context, "joint:LeftHand", &hand));
    assert_ok(context, ruga_selector_vertices(hand, body, chosen));
    for (size_t v = 0; v < body->vertex_count; v++) {
        ruga_vec3 p = body->positions[v];
        if (!chosen[v]) continue;
        low = (ruga_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (ruga_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    ruga_selector_destroy(hand);
    free(chosen);
    ruga_mesh_destroy(body);
    double x = 0.5 * (low.x + high.x) + 0.02, z = 0.5 * (low.z + high.z), top = high.y + 0.01;
    assert_less(low.y, drop(MANNEQUIN, "", x, top, z));
    assert_less(drop(MANNEQUIN, "{\"where\": \"!joint:*Hand\"}", x, top, z), low.y - 0.1);
    assert_less(low.y, drop(MANNEQUIN, "{\"where\": \"!joint:RightHand\"}", x, top, z));
}

/* A sheet falls onto a collider with the half that collides; the other half hangs. */
static void parts_of_cloth_that_do_not_collide_pass_colliders(void **state) {
    (void)state;
    static const char *const contacts[] = {"\"contact\": {}, ", ""}; /* by contact, and by the cloth itself */
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{%s\"time\": {\"fps\": 24, \"substeps\": 8}, \"colliders\": [{\"kind\": \"plane\"}], \"objects\": "
                 "[{\"name\": \"sheet\", \"move\": [0, 0.05, 0], \"mesh\": {\"kind\": \"sheet\", \"columns\": 10, "
                 "\"rows\": 10}, \"contact\": {\"where\": \"box:-,-,-,0,-,-\"}, \"body\": {\"kind\": \"cloth\"}}]}",
                 contacts[i]);
        ruga_scene *scene = make_scene(text);
        for (int frame = 0; frame < 8; frame++) assert_ok(context, ruga_scene_step(scene));
        const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
        const ruga_frame *frame = ruga_scene_frame(scene, 0);
        size_t below = 0, held = 0;
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            int is_free = mesh->positions[v].x > 0;
            held += !is_free;
            if (!is_free) assert_less_case(-1e-9, frame->positions[v].y, "vertex %zu, case %d", v, i);
            below += is_free && frame->positions[v].y < -0.02;
        }
        assert_ran(held, 50);
        assert_less_case(20, below, "case %d", i);
        ruga_scene_destroy(scene);
    }
}

/* ---- Pins and parameters. */

static void pins_take_selectors(void **state) {
    (void)state;
    ruga_scene *scene = make_scene(
        "{\"time\": {\"fps\": 24}, \"objects\": [{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 4, "
        "\"rows\": 4}, \"body\": {\"kind\": \"cloth\", \"pins\": [{\"kind\": \"fixed\", \"where\": "
        "\"vertices:0-4 & !box:0.1,-,-,-,-,- | vertices:24\"}]}}]}");
    for (int frame = 0; frame < 3; frame++) assert_ok(context, ruga_scene_step(scene));
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        int held = (v < 5 && mesh->positions[v].x < 0.1) || v == 24;
        assert_equal_case(fabs(frame->positions[v].y - mesh->positions[v].y) < 1e-9, held, "vertex %zu", v);
    }
    ruga_scene_destroy(scene);
}

/* "all" and "none" are selectors too. */
static void pins_take_all_and_none(void **state) {
    (void)state;
    static const char *const texts[] = {"\"all\"", "{\"select\": \"all\"}", "\"none\""};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"time\": {\"fps\": 24}, \"objects\": [{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", "
                 "\"columns\": 4, \"rows\": 4}, \"body\": {\"kind\": \"cloth\", "
                 "\"pins\": [{\"kind\": \"fixed\", \"where\": %s}]}}]}",
                 texts[i]);
        ruga_description *d = NULL;
        ruga_scene *scene = NULL;
        assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
        ruga_status status = ruga_scene_create(context, ruga_description_get(d), &scene);
        if (i == 2) {
            assert_true(RUGA_FAILED(status));
            assert_message_has(context, "chooses no vertex");
        } else {
            assert_int_equal(status, RUGA_OK);
            const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
            for (int frame = 0; frame < 3; frame++) assert_ok(context, ruga_scene_step(scene));
            for (size_t v = 0; v < mesh->vertex_count; v++)
                assert_near(ruga_scene_frame(scene, 0)->positions[v].y, mesh->positions[v].y, 1e-9);
        }
        ruga_scene_destroy(scene);
        ruga_description_destroy(d);
    }
}

static void parameters_of_details_take_selectors(void **state) {
    (void)state;
    ruga_scene *scene = make_scene(
        "{\"time\": {\"fps\": 1}, \"objects\": [{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 4, "
        "\"rows\": 4}, \"details\": ["
        "{\"kind\": \"displace\", \"amount\": {\"select\": \"box:0.1,-,-,-,-,-\", \"from\": 0.25, \"to\": 0.5}},"
        "{\"kind\": \"displace\", \"amount\": {\"keys\": [[0, \"none|none\"], [2, \"!vertices:3\"]]}}]}]}");
    assert_ok(context, ruga_scene_step(scene));
    assert_ok(context, ruga_scene_step(scene)); /* to 1 s: half of the second amount */
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double first = mesh->positions[v].x > 0.1 ? 0.5 : 0.25,
               moved = fabs(frame->positions[v].y - mesh->positions[v].y);
        /* The second follows the normals of the first, which are not straight at its step. */
        if (v == 3) assert_near_case(moved, first, 1e-12, "vertex %zu", v);
        if (v != 3) assert_less_case(first, moved, "vertex %zu", v);
    }
    ruga_scene_destroy(scene);
}

/* A selector is the same after a description is written and read. */
static void descriptions_keep_selectors(void **state) {
    (void)state;
    ruga_description *d = describe(
        "{\"objects\": [{\"name\": \"a\", \"contact\": {\"where\": \"!joint:*Hand | mask>0.25\"}, \"mesh\": {\"kind\": "
        "\"sheet\"}}, {\"name\": \"b\", \"contact\": {\"where\": {\"select\": \"piece:0\", \"from\": 1, \"to\": 0}}, "
        "\"mesh\": {\"kind\": \"sheet\"}}, {\"name\": \"c\", \"contact\": {\"where\": \"mask\"}, \"mesh\": {\"kind\": "
        "\"sheet\"}}]}");
    char *text = NULL;
    size_t size;
    ruga_description *again = NULL;
    assert_ok(context, ruga_description_write_memory(d, &text, &size));
    assert_ok(context, ruga_description_read_memory(context, "again", text, size, &again));
    for (int pass = 0; pass < 2; pass++) {
        const ruga_object_def *objects = ruga_description_get(pass ? again : d)->objects.items;
        assert_true(objects[0].contact.where.kind == RUGA_PARAM_SELECTOR);
        assert_string_equal(objects[0].contact.where.attribute, "!joint:*Hand | mask>0.25");
        assert_true(objects[1].contact.where.kind == RUGA_PARAM_SELECTOR && objects[1].contact.where.from == 1);
        assert_true(objects[2].contact.where.kind == RUGA_PARAM_ATTRIBUTE);
    }
    assert_ok(context, ruga_description_set(again, "objects[a].contact.where", "!joint:Hips"));
    assert_string_equal(((const ruga_object_def *)ruga_description_get(again)->objects.items)->contact.where.attribute,
                        "!joint:Hips");
    ruga_free(context, text);
    ruga_description_destroy(again);
    ruga_description_destroy(d);
}

/* ---- Findings. */

static void assert_found(const char *where, const char *message) {
    char text[800];
    snprintf(text, sizeof text,
             "{\"contact\": {}, \"objects\": [{\"name\": \"arm\", \"mesh\": {\"kind\": \"arm\"}, \"contact\": "
             "{\"where\": %s}}, {\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\"}, \"move\": [0, 1, 0], \"body\": "
             "{\"kind\": \"cloth\"}}]}",
             where);
    ruga_description *d = describe(text);
    assert_true(RUGA_FAILED(ruga_description_check(d)));
    int found = 0;
    for (size_t i = 0; i < ruga_description_finding_count(d); i++) {
        const ruga_finding *finding = ruga_description_finding(d, i);
        found |=
            RUGA_FAILED(finding->status) && strstr(finding->path, "contact.where") && strstr(finding->message, message);
    }
    fail_if(!found, "no finding about %s says: %s", where, message);
    ruga_description_destroy(d);
}

static void a_check_reports_selectors_that_choose_nothing(void **state) {
    (void)state;
    assert_found("\"joint:Hand\"", "the mesh has no joint \"Hand\"; it has UpperArm, ForeArm");
    assert_found("\"joint:ForeArn\"", "did you mean \"ForeArm\"?");
    assert_found("\"!!joint\"", "no attribute \"joint\"");
    assert_found("\"joint:ForeArm &\"", "column 16");
    assert_found("\"box:5,-,-,6,-,-\"", "no vertex is chosen to collide; the mesh reaches from (");
    assert_found("\"box:0,1,0,1,0,1\"", "box:x,y,z,x,y,z");
    assert_found("0", "no vertex is chosen to collide");
}

static ruga_status check(ruga_context *counted, void *user) {
    static const char text[] =
        "{\"contact\": {\"check\": true}, \"objects\": [{\"name\": \"arm\", \"mesh\": {\"kind\": \"arm\", \"rings\": "
        "8, \"sectors\": 6}, \"contact\": {\"where\": \"!joint:Fore*\"}, \"details\": [{\"kind\": \"subdivide\", "
        "\"n\": 2}]}, {\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 2, \"rows\": 2}, "
        "\"move\": [0, 1, 0], \"body\": {\"kind\": \"cloth\", \"pins\": [{\"kind\": \"fixed\", \"where\": "
        "\"vertices:0\"}]}}]}";
    (void)user;
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    size_t count;
    ruga_status status = ruga_description_read_memory(counted, "scene", text, sizeof text - 1, &d);
    if (!RUGA_FAILED(status)) status = ruga_scene_create(counted, ruga_description_get(d), &scene);
    if (!RUGA_FAILED(status)) status = ruga_scene_step(scene);
    if (!RUGA_FAILED(status)) status = ruga_scene_intersections(scene, NULL, &count);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return status;
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    assert_less(100, assert_every_allocation_may_fail(check, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_body_that_do_not_collide_let_cloth_through),
        cmocka_unit_test(hands_that_do_not_collide_let_cloth_through),
        cmocka_unit_test(parts_of_cloth_that_do_not_collide_pass_colliders),
        cmocka_unit_test(pins_take_selectors),
        cmocka_unit_test(pins_take_all_and_none),
        cmocka_unit_test(parameters_of_details_take_selectors),
        cmocka_unit_test(descriptions_keep_selectors),
        cmocka_unit_test(a_check_reports_selectors_that_choose_nothing),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
