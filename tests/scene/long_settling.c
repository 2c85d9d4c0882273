/* Cloth settles: two seconds after it landed, 99 % of its vertices are slower than 1 mm/s, and stacks keep their height
 * from then on. */
#include "contact_scenes.h"
#include "math/vec3.h"

enum { SECOND = 24 };      /* frames */
#define SLOW 1e-3          /* m/s */
#define HEIGHT_CHANGE 0.01 /* of the height, from two frames after landing on */

/* Positions of all objects in the frame before. */
typedef struct watch {
    size_t objects;
    vec3 *before[32];
} watch;

static void watch_start(const ruga_scene *scene, watch *w) {
    w->objects = ruga_scene_object_count(scene);
    assert_at_most(w->objects, 32);
    for (size_t k = 0; k < w->objects; k++)
        w->before[k] = calloc(ruga_scene_frame(scene, k)->vertex_count, sizeof *w->before[k]);
}

static void watch_end(watch *w) {
    for (size_t k = 0; k < w->objects; k++) free(w->before[k]);
}

/* The part of all vertices that moved faster than SLOW since the frame before. */
static double moving_part(const ruga_scene *scene, watch *w) {
    size_t moving = 0, count = 0;
    for (size_t k = 0; k < w->objects; k++) {
        const ruga_frame *frame = ruga_scene_frame(scene, k);
        count += frame->vertex_count;
        for (size_t i = 0; i < frame->vertex_count; i++) {
            moving += SECOND * vec3_distance(frame->positions[i], w->before[k][i]) > SLOW;
            w->before[k][i] = frame->positions[i];
        }
    }
    return (double)moving / (double)count;
}

/* m, mean height of an object. */
static double height_of(const ruga_scene *scene, size_t object) {
    const ruga_frame *frame = ruga_scene_frame(scene, object);
    double sum = 0;
    for (size_t i = 0; i < frame->vertex_count; i++) sum += frame->positions[i].y;
    return sum / (double)frame->vertex_count;
}

/* A template with some values changed (NULL: none), which lands in frame `landed`: from two seconds later on it has
 * settled in every frame. The last object of a stack keeps its height from two frames after landing on. */
static void settles(ruga_context *context, const char *name, const char *const *changes, int landed, int seconds,
                    int is_stack) {
    const int last = landed + seconds * SECOND;
    ruga_scene *scene = hard_scene(context, name, changes, NULL);
    watch w;
    watch_start(scene, &w);
    double settled = 0;
    for (int f = 1; f <= last; f++) {
        assert_ok(context, ruga_scene_step(scene));
        double moving = moving_part(scene, &w), height = height_of(scene, w.objects - 1);
        if (f == landed + 2) settled = height;
        if (is_stack && f > landed + 2)
            assert_near_case(height, settled, HEIGHT_CHANGE * settled, "%s, frame %d", name, f);
        if (f >= landed + 2 * SECOND) assert_less_case(moving, 0.01, "%s, frame %d", name, f);
    }
    watch_end(&w);
    ruga_scene_destroy(scene);
}

/* It falls by 34 mm onto the table, in two frames. */
static void a_tablecloth_settles(void **state) { settles(*state, "tablecloth", NULL, 2, 3, 0); }

/* The last of twenty sheets falls by 0.23 m and lands in frame 6. */
static void a_pile_settles_and_keeps_its_height(void **state) { settles(*state, "pile", NULL, 6, 4, 1); }

/* Discs hang from a plate in a draught without gusts. Denim creeps for two seconds before it folds, so it is not among
 * them. */
static void discs_of_wool_and_cotton_settle(void **state) {
    static const char *const changes[] = {"wind", "{\"velocity\": [0.02, 0.01, 0.015]}", "objects[denim].material",
                                          "\"wool\"", NULL};
    settles(*state, "discs", changes, 0, 3, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tablecloth_settles),
        cmocka_unit_test(a_pile_settles_and_keeps_its_height),
        cmocka_unit_test(discs_of_wool_and_cotton_settle),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
