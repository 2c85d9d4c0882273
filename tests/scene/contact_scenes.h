/* The hard scenes of contact, small and full: after every frame nothing intersects, exactly, and nothing is pinched. */
#ifndef TESTS_CONTACT_SCENES_H
#define TESTS_CONTACT_SCENES_H

#include <math.h>
#include <stdio.h>

#include "support/support.h"

static inline ruga_description *hard_description(ruga_context *context, const char *name) {
    const ruga_scene_template *found = NULL;
    for (size_t i = 0; i < ruga_scene_template_count(); i++)
        if (strcmp(ruga_scene_template_get(i)->name, name) == 0) found = ruga_scene_template_get(i);
    if (!found) fail_msg("there is no template %s", name);
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, name, found->text, strlen(found->text), &d));
    return d;
}

/* A template with some values changed: path, value, …, NULL; its frames in all. */
static inline ruga_scene *hard_scene(ruga_context *context, const char *name, const char *const *changes, int *frames) {
    ruga_description *d = hard_description(context, name);
    ruga_scene *scene = NULL;
    for (size_t i = 0; changes && changes[i]; i += 2)
        assert_ok(context, ruga_description_set(d, changes[i], changes[i + 1]));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    if (frames) *frames = ruga_description_get(d)->time.frames;
    ruga_description_destroy(d);
    return scene;
}

static inline double hard_measure(const ruga_scene *scene, const char *name) {
    double values[512];
    assert_true(ruga_scene_measure_count(scene) <= 512);
    ruga_scene_measures(scene, values);
    for (size_t i = 0; i < ruga_scene_measure_count(scene); i++)
        if (strcmp(ruga_scene_measure_info(scene, i).name, name) == 0) return values[i];
    fail_msg("there is no measure %s", name);
    return NAN;
}

/* Steps some frames under the law, and tells how much there was to do. */
static inline void step_hard(ruga_context *context, ruga_scene *scene, const char *name, int frames) {
    double touching = 0;
    for (int f = 0; f < frames; f++) {
        ruga_status status = ruga_scene_step(scene);
        if (RUGA_FAILED(status)) fail_msg("%s: %s", name, ruga_context_message(context));
        const ruga_scene_intersection *found;
        size_t count;
        assert_ok(context, ruga_scene_intersections(scene, &found, &count));
        if (count > 0)
            fail_msg("%s: %zu intersections in frame %d, as of triangles %u and %u of objects %zu and %zu", name, count,
                     ruga_scene_frame_number(scene), found[0].triangles[0], found[0].triangles[1], found[0].objects[0],
                     found[0].objects[1]);
        double pinched = hard_measure(scene, "contact.pinched");
        if (pinched > 0) fail_msg("%s: %g pairs pinched in frame %d", name, pinched, ruga_scene_frame_number(scene));
        touching += hard_measure(scene, "contact.touching");
    }
    /* A scene in which nothing touches would prove nothing. */
    assert_true(touching > 100);
}

#endif
