/* The paper's soft-bound particles in scenes: contact through them hands momentum over and shows no intersection;
 * particles that nothing touches stay at their places. */
#include "scene/crease_scenes.h"

#define CROSS "\"lines\": [[[-0.5, 0, 0.08], [0.5, 0, -0.13]], [[0.03, 0, -0.5], [-0.09, 0, 0.5]]]"

/* A sheet of rubber with a cross of creases, and an object above it. */
static ruga_scene *particles_make(ruga_context *context, const char *form, const char *particles, const char *first,
                                  const char *of_body, const char *last) {
    char text[4000];
    snprintf(
        text, sizeof text,
        "{\"time\": {\"fps\": 24, \"frames\": 100, \"substeps\": 40}, %s \"objects\": [{\"name\": \"sheet\", "
        "\"mesh\": {\"kind\": \"sheet\", \"columns\": 6, \"rows\": 6, \"triangulation\": 2}, \"material\": "
        "\"rubber\", \"body\": {\"kind\": \"cloth\", \"thickness\": 0.008, \"integrator\": \"semi_implicit\", "
        "\"tolerance\": 1e-10%s}, \"hooks\": [{\"kind\": \"crease\", \"form\": \"%s\", \"particles\": \"%s\", " CROSS
        "}]}%s]}",
        first, of_body, form, particles, last);
    return crease_scene_make(context, text);
}

#define BALL                                                                                                        \
    ", {\"name\": \"ball\", \"mesh\": {\"kind\": \"sphere\", \"radius\": 0.1, \"frequency\": 4}, \"move\": [0.02, " \
    "0.13, 0.03], \"material\": \"denim\", \"body\": {\"kind\": \"cloth\", \"drag\": 0, \"lift\": 0, "              \
    "\"integrator\": \"implicit\", \"tolerance\": 1e-9, \"thickness\": 0.01}}"

static vec3 momentum_of(const body *b) {
    vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < b->point_count; i++) sum = vec3_add_scaled(sum, b->velocities[i], b->masses[i]);
    return sum;
}

typedef struct hit {
    double all, gained, missing; /* kg m/s: of the ball at first, got by the sheet, lost by the ball and not got */
    double gap;                  /* m, of particles from their places, the greatest */
    double crease_gap;           /* m, of the pieces */
} hit;

/* A hollow ball of cloth flies into the crossing of a creased sheet, without gravity. */
static hit hit_by_ball(ruga_context *context, const char *form, const char *particles) {
    ruga_scene *scene = particles_make(context, form, particles, "\"contact\": {}, \"gravity\": [0, 0, 0],",
                                       ", \"drag\": 0, \"lift\": 0", BALL);
    body *sheet = world_body(scene->world, 0), *ball = world_body(scene->world, 1);
    hit out = {0};
    for (size_t i = 0; i < ball->point_count; i++) ball->velocities[i] = (vec3){0.2, -2, 0.1};
    vec3 before = momentum_of(ball);
    for (int f = 0; f < 6; f++) {
        step_without_intersections(context, scene, 1);
        if (strcmp(particles, "none") != 0) out.gap = fmax(out.gap, scene_measure(scene, "sheet.crease.particle_gap"));
        out.crease_gap = fmax(out.crease_gap, scene_measure(scene, "sheet.crease.crease_gap"));
    }
    vec3 gained = momentum_of(sheet), lost = vec3_sub(before, momentum_of(ball));
    out.all = vec3_length(before);
    out.gained = vec3_length(gained);
    out.missing = vec3_distance(gained, lost);
    ruga_scene_destroy(scene);
    return out;
}

static void a_contact_through_particles_hands_all_momentum_over(void **state) {
    hit none = hit_by_ball(*state, "exact", "none"), all = hit_by_ball(*state, "exact", "hand_over"),
        printed = hit_by_ball(*state, "exact", "equation_6"), ridge = hit_by_ball(*state, "ridge", "none");
    assert_less(0.2 * all.all, all.gained);
    assert_less(all.missing, 1e-6 * all.all);
    assert_less(none.missing, 1e-6 * none.all); /* nor does contact without particles lose any, in both forms */
    assert_less(0.2 * ridge.all, ridge.gained);
    assert_less(ridge.missing, 1e-6 * ridge.all);
    assert_near(all.gained / none.gained, 1, 0.1);
    assert_less(1e-3 * printed.all, printed.missing); /* as printed, momentum is lost */
    assert_less(1e-9, all.gap);                       /* particles were pushed */
    assert_less(all.gap, 0.002);
    assert_less(all.crease_gap, 2 * none.crease_gap); /* a contact opens gaps of one substep in both */
}

/* A hanging sheet swings for 0.25 s. */
static void untouched_particles_stay_at_their_places(void **state) {
    ruga_scene *scene = particles_make(*state, "exact", "hand_over", "",
                                       ", \"pins\": [{\"kind\": \"fixed\", \"box_to\": [2, 2, -0.49]}]", "");
    ruga_scene *plain = particles_make(*state, "exact", "none", "",
                                       ", \"pins\": [{\"kind\": \"fixed\", \"box_to\": [2, 2, -0.49]}]", "");
    double lowest = 0;
    for (int f = 0; f < 6; f++) {
        assert_ok(*state, ruga_scene_step(scene));
        assert_ok(*state, ruga_scene_step(plain));
        assert_less(scene_measure(scene, "sheet.crease.particle_gap"), 1e-10);
    }
    const ruga_frame *a = ruga_scene_frame(scene, 0), *b = ruga_scene_frame(plain, 0);
    for (size_t i = 0; i < a->vertex_count; i++) {
        lowest = fmin(lowest, a->positions[i].y);
        assert_less(vec3_distance(a->positions[i], b->positions[i]), 1e-7);
    }
    assert_less(lowest, -0.1);
    ruga_scene_destroy(scene);
    ruga_scene_destroy(plain);
}

static ruga_scene *fallen(ruga_context *context) {
    return particles_make(context, "exact", "hand_over", "\"contact\": {},", "",
                          ", {\"name\": \"ball\", \"mesh\": {\"kind\": \"sphere\", \"radius\": 0.25}, \"move\": [0, "
                          "-0.26, 0], \"body\": \"static\"}");
}

static void particles_resume_with_the_same_bits(void **state) {
    ruga_scene *whole = fallen(*state), *second = fallen(*state);
    void *bytes = NULL;
    size_t size;
    step_without_intersections(*state, whole, 8);
    assert_less(1e-9, scene_measure(whole, "sheet.crease.particle_gap"));
    assert_ok(*state, ruga_scene_save(whole, &bytes, &size));
    assert_ok(*state, ruga_scene_restore(second, bytes, size));
    for (int f = 0; f < 2; f++) {
        assert_ok(*state, ruga_scene_step(whole));
        assert_ok(*state, ruga_scene_step(second));
    }
    const body *a = world_body(whole->world, 0), *b = world_body(second->world, 0);
    assert_memory_equal(a->positions, b->positions, a->point_count * sizeof *a->positions);
    assert_memory_equal(a->velocities, b->velocities, a->point_count * sizeof *a->velocities);
    const ruga_frame *x = ruga_scene_frame(whole, 0), *y = ruga_scene_frame(second, 0);
    assert_memory_equal(x->positions, y->positions, x->vertex_count * sizeof *x->positions);
    ruga_free(*state, bytes);
    ruga_scene_destroy(whole);
    ruga_scene_destroy(second);
}

static void other_forms_refuse_particles(void **state) {
    static const char *const forms[] = {"ridge", "springs", "pairwise", "post"};
    for (int i = 0; i < 4; i++) {
        char text[1000];
        ruga_description *d = NULL;
        ruga_scene *scene = NULL;
        snprintf(text, sizeof text,
                 "{\"objects\": [{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\"}, \"body\": {\"kind\": "
                 "\"cloth\", \"integrator\": \"semi_implicit\"}, \"hooks\": [{\"kind\": \"crease\", \"form\": "
                 "\"%s\", \"particles\": \"hand_over\", " CROSS "}]}]}",
                 forms[i]);
        assert_ok(*state, ruga_description_read_memory(*state, "scene", text, strlen(text), &d));
        assert_status(ruga_scene_create(*state, ruga_description_get(d), &scene), RUGA_ERROR_INPUT);
        assert_message_has(*state, "soft-bound particles need the form \"exact\"");
        assert_message_has(*state, forms[i]);
        ruga_description_destroy(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_through_particles_hands_all_momentum_over),
        cmocka_unit_test(untouched_particles_stay_at_their_places),
        cmocka_unit_test(particles_resume_with_the_same_bits),
        cmocka_unit_test(other_forms_refuse_particles),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
