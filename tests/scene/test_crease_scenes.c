/* The examples of creases, on coarser meshes than they come with. */
#include "contact_scenes.h"
#include "math/vec3.h"
#include "scene/scene.h"

static ruga_vec3 position_of(const ruga_scene *scene, const char *object, size_t vertex) {
    return ruga_scene_frame(scene, ruga_scene_object_find(scene, object))->positions[vertex];
}

/* No layer passes another. */
static void step_clean(ruga_context *context, ruga_scene *scene, int frames) {
    for (int f = 0; f < frames; f++) {
        const ruga_scene_intersection *found;
        size_t count;
        assert_ok(context, ruga_scene_step(scene));
        assert_ok(context, ruga_scene_intersections(scene, &found, &count));
        assert_near_case((double)count, 0, 0, "frame %d", f);
    }
}

/* The corner is folded, the page is turned, and the fold stays. */
static void the_corner_of_a_turned_page_stays_folded(void **state) {
    skip_unless_long();
    const char *const coarse[] = {"objects[page].mesh.columns", "10", "objects[page].mesh.rows", "14", NULL};
    int frames;
    ruga_scene *scene = hard_scene(*state, "page", coarse, &frames);
    step_hard(*state, scene, "page", 20);
    assert_less(80, scene_measure(scene, "page.crease.valley"));
    step_hard(*state, scene, "page", frames - 20);
    assert_less(80, scene_measure(scene, "page.crease.valley"));
    assert_less(scene_measure(scene, "page.crease.crease_gap"), 0.05 * 0.02);
    assert_less(scene_measure(scene, "page.elongation_p99"), 0.03);
    /* The outer edge, which was at x = 0.1, is on the other side of the spine. */
    assert_less(position_of(scene, "page", 10 + 11 * 4).x, -0.25);
    ruga_scene_destroy(scene);
}

/* Distance of the two corners of a cloth that hang down. */
static double opening(const ruga_scene *scene, const char *object, size_t side) {
    return vec3_distance(position_of(scene, object, 0), position_of(scene, object, (side + 1) * (side + 1) - 1));
}

static void cloth_hangs_sharply_by_a_crease_and_in_an_arc_without_one(void **state) {
    skip_when_sanitized();
    ruga_scene *scene = hard_scene(*state, "hang", NULL, NULL);
    step_hard(*state, scene, "hang", 36);
    double plain = opening(scene, "plain", 16), creased = opening(scene, "creased", 16),
           stiff = opening(scene, "stiff", 16);
    assert_less(0.3, plain);
    assert_less(creased, 0.3 * plain);
    assert_less(creased, stiff);
    assert_less(stiff, plain);
    assert_less(scene_measure(scene, "creased.crease.mountain"), -170);
    ruga_scene_destroy(scene);
}

/* The place of a point of the plane's pattern on the sheet, which is turned about x. */
static void flat_place(ruga_vec3 p, double out[2]) {
    out[0] = p.x;
    out[1] = copysign(hypot(p.y, p.z), p.z);
}

/* Directions of the creases that end at a point, degrees, in rising order; returns how many. */
static size_t directions_at(const ruga_crease_line *lines, size_t count, ruga_vec3 at, double *out) {
    size_t found = 0;
    double centre[2], other[2];
    flat_place(at, centre);
    for (size_t i = 0; i < count; i++) {
        const ruga_vec3 *ends = lines[i].points.items;
        for (int k = 0; k < 2; k++) {
            if (vec3_distance(ends[k], at) > 1e-9) continue;
            flat_place(ends[1 - k], other);
            double angle = atan2(other[1] - centre[1], other[0] - centre[0]) * 180 / 3.14159265358979323846;
            size_t place = found++;
            for (; place > 0 && out[place - 1] > angle; place--) out[place] = out[place - 1];
            out[place] = angle;
        }
    }
    return found;
}

/* Kawasaki's condition: a vertex inside the sheet folds flat only if every second angle around it adds up to 180
 * degrees. The nose is straight there: two of its creases are opposite to each other. */
static void the_pattern_of_the_plane_folds_flat(void **state) {
    ruga_description *d = hard_description(*state, "plane");
    const ruga_object_def *objects = ruga_description_get(d)->objects.items;
    const ruga_crease_def *creases = ((const ruga_variant *)objects[1].hooks.items)->values;
    const ruga_crease_line *lines = creases->lines.items;
    size_t vertices = 0;
    for (size_t i = 0; i < creases->lines.count; i++) {
        double a[8];
        size_t count = directions_at(lines, creases->lines.count, ((const ruga_vec3 *)lines[i].points.items)[0], a);
        if (count < 3) continue;
        assert_int_equal(count, 4);
        assert_near(a[1] - a[0] + a[3] - a[2], 180, 0.05);
        assert_true(fabs(a[2] - a[0] - 180) < 0.05 || fabs(a[3] - a[1] - 180) < 0.05);
        vertices++;
    }
    assert_int_equal(vertices, 6); /* both vertices, seen from the three creases that begin there */
    ruga_description_destroy(d);
    ruga_scene *scene = hard_scene(*state, "plane", NULL, NULL);
    assert_int_equal(world_body(scene->world, 1)->simulated->triangle_count, 8710); /* the paper: 8,716 */
    ruga_scene_destroy(scene);
}

/* The corners of the nose lie flat, and no layer passes another; long_crease_plane.c has the whole film. */
static void a_sheet_folds_the_nose_of_a_plane(void **state) {
    skip_unless_long();
    const char *const coarse[] = {"objects[plane].mesh.columns", "14", "objects[plane].mesh.rows", "22", NULL};
    ruga_scene *scene = hard_scene(*state, "plane", coarse, NULL);
    step_clean(*state, scene, 25);
    assert_less(165, scene_measure(scene, "plane.crease.valley"));
    assert_less(scene_measure(scene, "plane.crease.crease_gap"), 0.1 * 0.013);
    assert_less(scene_measure(scene, "plane.elongation_p99"), 0.02);
    ruga_scene_destroy(scene);
}

/* Degrees about y. */
static double turn_of(ruga_vec3 from, ruga_vec3 to) {
    return atan2(from.z * to.x - from.x * to.z, from.x * to.x + from.z * to.z) * 180 / 3.14159265358979323846;
}

/* Mean distance of the hem from the axis. */
static double hem_radius(const ruga_scene *scene, size_t rings, size_t sectors) {
    double sum = 0;
    for (size_t k = 0; k <= sectors; k++) {
        ruga_vec3 p = position_of(scene, "skirt", k * (rings + 1) + rings);
        sum += hypot(p.x, p.z);
    }
    return sum / (double)(sectors + 1);
}

/* After 4/24 s the stand has turned by 3.125 degrees, and the waist with it. While it turns faster, the pleats open and
 * the hem spreads. */
static void a_pleated_skirt_turns_with_its_stand_and_spreads(void **state) {
    skip_unless_long();
    const char *const coarse[] = {"objects[skirt].mesh.rings", "4", NULL};
    ruga_scene *scene = hard_scene(*state, "spin", coarse, NULL);
    const size_t waist = 30 * 5;
    ruga_vec3 before = position_of(scene, "skirt", waist);
    step_clean(*state, scene, 5);
    assert_near(turn_of(before, position_of(scene, "skirt", waist)), -3.125, 0.01);
    double closed = hem_radius(scene, 4, 100);
    step_clean(*state, scene, 20);
    assert_less(1.1 * closed, hem_radius(scene, 4, 100));
    ruga_scene_destroy(scene);
}

/* Before the jump the box pleats hang, closed by the seam, and no layer passes another or the body. */
static void a_box_pleated_skirt_hangs_on_a_mannequin(void **state) {
    skip_when_sanitized();
    const char *const coarse[] = {"objects[skirt].mesh.rings", "4", NULL};
    ruga_scene *scene = hard_scene(*state, "jump", coarse, NULL);
    step_clean(*state, scene, 4);
    assert_less(150, scene_measure(scene, "skirt.crease.valley"));
    assert_less(scene_measure(scene, "skirt.crease.mountain"), -150);
    assert_less(scene_measure(scene, "skirt.elongation_p99"), 0.1);
    ruga_scene_destroy(scene);
}

/* Both sides of a curved crease bend, so that it leaves the plane; they hardly stretch. */
static void a_curved_crease_folds_and_bends_both_sides(void **state) {
    skip_unless_long();
    const char *const coarse[] = {"objects[paper].mesh.columns", "20", "objects[paper].mesh.rows", "20", NULL};
    int frames;
    ruga_scene *scene = hard_scene(*state, "arc", coarse, &frames);
    for (int f = 0; f < frames; f++) assert_ok(*state, ruga_scene_step(scene));
    assert_less(85, scene_measure(scene, "paper.crease.valley"));
    assert_less(scene_measure(scene, "paper.elongation_p99"), 0.02);
    assert_less(scene_measure(scene, "paper.crease.crease_gap"), 0.1 * 0.01);
    /* The border beyond the arc's ends is far from straight: its middle is off the line between its corners. */
    ruga_vec3 left = position_of(scene, "paper", 0), middle = position_of(scene, "paper", 10),
              right = position_of(scene, "paper", 20);
    assert_less(0.01, vec3_distance(middle, vec3_mix(left, right, 0.5)));
    ruga_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corner_of_a_turned_page_stays_folded),
        cmocka_unit_test(cloth_hangs_sharply_by_a_crease_and_in_an_arc_without_one),
        cmocka_unit_test(the_pattern_of_the_plane_folds_flat),
        cmocka_unit_test(a_sheet_folds_the_nose_of_a_plane),
        cmocka_unit_test(a_pleated_skirt_turns_with_its_stand_and_spreads),
        cmocka_unit_test(a_box_pleated_skirt_hangs_on_a_mannequin),
        cmocka_unit_test(a_curved_crease_folds_and_bends_both_sides),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
