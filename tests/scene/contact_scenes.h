/* The hard scenes of contact, small and full: after every frame nothing intersects, exactly, and nothing is pinched. */
#ifndef TESTS_CONTACT_SCENES_H
#define TESTS_CONTACT_SCENES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support.h"

static inline ruga_description *hard_description(ruga_context *context, const char *name) {
    const ruga_scene_template *found = NULL;
    for (size_t i = 0; i < ruga_scene_template_count(); i++)
        if (strcmp(ruga_scene_template_get(i)->name, name) == 0) found = ruga_scene_template_get(i);
    fail_if(!found, "there is no template %s", name);
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

/* The lowest and the highest vertex of an object, m. */
static inline void span_of(const ruga_scene *scene, size_t object, double *low, double *high) {
    const ruga_frame *frame = ruga_scene_frame(scene, object);
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < frame->vertex_count; i++) {
        *low = fmin(*low, frame->positions[i].y);
        *high = fmax(*high, frame->positions[i].y);
    }
}

/* Steps some frames, asserts the law after each, and asserts that enough pairs touched for it to prove something. */
static inline void step_hard(ruga_context *context, ruga_scene *scene, const char *name, int frames) {
    double touching = 0;
    for (int f = 0; f < frames; f++) {
        ruga_status status = ruga_scene_step(scene);
        fail_if(RUGA_FAILED(status), "%s: %s", name, ruga_context_message(context));
        const ruga_scene_intersection *found;
        size_t count;
        assert_ok(context, ruga_scene_intersections(scene, &found, &count));
        fail_if(count > 0, "%s: %zu intersections in frame %d, as of triangles %u and %u of objects %zu and %zu", name,
                count, ruga_scene_frame_number(scene), found[0].triangles[0], found[0].triangles[1],
                found[0].objects[0], found[0].objects[1]);
        double pinched = scene_measure(scene, "contact.pinched");
        assert_equal_case(pinched, 0, "%s, frame %d", name, ruga_scene_frame_number(scene));
        touching += scene_measure(scene, "contact.touching") + scene_measure(scene, "contact.impacts");
    }
    /* A scene in which nothing touches would prove nothing. */
    assert_less(100, touching);
}

/* The strain limit holds within contact, after the first second: of the elongation of all sides of triangles, those
 * across the yarns included, over all frames, p99; and of the greatest elongation of triangles in any direction, p99 of
 * each frame. */
#define MOST_STRAIN 0.05
#define MOST_STRAIN_OF_FRAME 0.08

/* Strains of all sides of triangles over many frames. */
typedef struct side_strains {
    size_t count, capacity;
    double *values;
} side_strains;

static inline void side_strains_add(const ruga_scene *scene, const char *object, side_strains *s) {
    size_t number = ruga_scene_object_find(scene, object);
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, number);
    const ruga_vec3 *x = ruga_scene_frame(scene, number)->positions;
    if (s->capacity < s->count + 3 * mesh->triangle_count) {
        s->capacity = 2 * (s->count + 3 * mesh->triangle_count);
        s->values = realloc(s->values, s->capacity * sizeof *s->values);
        assert_non_null(s->values);
    }
    for (size_t c = 0; c < 3 * mesh->triangle_count; c++) {
        uint32_t p = mesh->triangles[c], q = mesh->triangles[c % 3 < 2 ? c + 1 : c - 2];
        ruga_vec3 a = mesh->positions[p], b = mesh->positions[q];
        double rest = hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
        s->values[s->count++] = hypot(hypot(x[p].x - x[q].x, x[p].y - x[q].y), x[p].z - x[q].z) / rest - 1;
    }
}

static inline int compare_strains(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The strain that one side in a hundred exceeds; releases the strains. */
static inline double side_strains_p99(side_strains *s) {
    assert_less(0, s->count);
    qsort(s->values, s->count, sizeof *s->values, compare_strains);
    double found = s->values[s->count / 100 * 99];
    free(s->values);
    return found;
}

/* As step_hard; the strains of an object keep their bounds, too. */
static inline void step_measured_both(ruga_context *context, ruga_scene *scene, const char *name,
                                      const char *const objects[2], int frames) {
    double most[2] = {0, 0}, touching = 0;
    side_strains strains[2] = {{0}, {0}};
    for (int f = 1; f <= frames; f++) {
        fail_if(RUGA_FAILED(ruga_scene_step(scene)), "%s: %s", name, ruga_context_message(context));
        const ruga_scene_intersection *found;
        size_t count;
        assert_ok(context, ruga_scene_intersections(scene, &found, &count));
        assert_equal_case((double)count, 0, "%s, frame %d", name, f);
        assert_equal_case(scene_measure(scene, "contact.pinched"), 0, "%s, frame %d", name, f);
        touching += scene_measure(scene, "contact.touching");
        if (f <= 24) continue;
        for (int k = 0; k < 2 && objects[k]; k++) {
            char measure[80];
            snprintf(measure, sizeof measure, "%s.elongation_p99", objects[k]);
            most[k] = fmax(most[k], scene_measure(scene, measure));
            side_strains_add(scene, objects[k], &strains[k]);
        }
    }
    assert_less(100, touching);
    for (int k = 0; k < 2 && objects[k]; k++) {
        assert_less_case(most[k], MOST_STRAIN_OF_FRAME, "%s, object %s", name, objects[k]);
        assert_less_case(side_strains_p99(&strains[k]), MOST_STRAIN, "%s, object %s, all sides", name, objects[k]);
    }
}

/* The same for one object. */
static inline void step_measured(ruga_context *context, ruga_scene *scene, const char *name, const char *object,
                                 int frames) {
    step_measured_both(context, scene, name, (const char *const[2]){object, NULL}, frames);
}

/* A rigid ball is shot at 100 m/s at ten layers of cloth that are held at their borders. Each layer has `cells` cells
 * along a side; a step is 1/60 s. */
static inline ruga_scene *shot_scene(ruga_context *context, int cells, int frequency) {
    static char text[20000];
    char held[2000];
    size_t length = 0, at = 0;
    for (int i = 0; i < (cells + 1) * (cells + 1); i++) {
        int column = i % (cells + 1), row = i / (cells + 1);
        if (column % cells != 0 && row % cells != 0) continue;
        length += (size_t)snprintf(held + length, sizeof held - length, "%s%d", i > 0 ? ", " : "", i);
    }
    at += (size_t)snprintf(
        text, sizeof text,
        "{\"time\": {\"fps\": 60, \"frames\": 2, \"substeps\": 1}, \"contact\": {}, \"objects\": [{\"name\": \"ball\", "
        "\"mesh\": {\"kind\": \"sphere\", \"radius\": 0.15, \"frequency\": %d}, \"move\": [0.01, 1.2, 0.02], \"body\": "
        "{\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 0.1, \"move\": [0, -10, 0]}]}}",
        frequency);
    for (int k = 0; k < 10; k++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               ", {\"name\": \"layer%d\", \"mesh\": {\"kind\": \"sheet\", \"width\": 1, \"length\": 1, "
                               "\"columns\": %d, \"rows\": %d}, \"move\": [0, %.2f, 0], \"material\": \"cotton\", "
                               "\"body\": {\"kind\": \"cloth\", \"integrator\": \"implicit\", \"thickness\": 0.004, "
                               "\"pins\": [{\"kind\": \"fixed\", \"vertices\": \"%s\"}]}}",
                               k + 1, cells, cells, 1 - 0.02 * k, held);
    snprintf(text + at, sizeof text - at, "]}");
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "shot", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

#endif
