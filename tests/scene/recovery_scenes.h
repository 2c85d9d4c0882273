/* Scenes in which bodies leave cloth no room for a while: when there is room again, it untangles. */
#ifndef TESTS_RECOVERY_SCENES_H
#define TESTS_RECOVERY_SCENES_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "support/support.h"

#define RECOVERY_FPS 24
#define RECOVERY_TIME 0.5 /* s */

typedef struct scene_text {
    char text[20000];
    size_t length;
} scene_text;

static inline void add_text(scene_text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    t->length += (size_t)vsnprintf(t->text + t->length, sizeof t->text - t->length, format, arguments);
    va_end(arguments);
    assert_less(t->length, sizeof t->text);
}

static inline ruga_scene *scene_of_text(ruga_context *context, const scene_text *t) {
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "recovery", t->text, t->length, &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

/* A ball goes at 100 m/s through five sheets and 5 cm into the floor, which leaves them no room. It rises after 0.2 s
 * and has left the floor at 0.25 s. */
#define SHOT_ENDS 0.25
static inline ruga_scene *shot_through_sheets(ruga_context *context, int cells) {
    scene_text t = {.length = 0};
    add_text(&t,
             "{\"time\": {\"fps\": %d, \"frames\": 48, \"substeps\": 4}, \"contact\": {}, \"colliders\": "
             "[{\"kind\": \"plane\"}], \"objects\": [{\"name\": \"ball\", \"mesh\": {\"kind\": \"sphere\", "
             "\"radius\": 0.15, \"frequency\": 6}, \"move\": [0.01, 1.2, 0.02], \"body\": {\"kind\": \"rigid\", "
             "\"keys\": [{\"time\": 0}, {\"time\": 0.011, \"move\": [0, -1.1, 0]}, {\"time\": 0.2, \"move\": [0, -1.1, "
             "0]}, {\"time\": 0.4, \"move\": [0, 0, 0]}]}}",
             RECOVERY_FPS);
    for (int k = 0; k < 5; k++)
        add_text(&t,
                 ", {\"name\": \"sheet%d\", \"mesh\": {\"kind\": \"sheet\", \"width\": 1, \"length\": 1, \"columns\": "
                 "%d, \"rows\": %d}, \"move\": [0, %.2f, 0], \"material\": \"cotton\", \"body\": {\"kind\": "
                 "\"cloth\", \"integrator\": \"implicit\", \"thickness\": 0.004}}",
                 k + 1, cells, cells, 1 - 0.02 * k);
    add_text(&t, "]}");
    return scene_of_text(context, &t);
}

/* A hand: a ball of 6 cm beside the hip that presses the skirt into the thigh, winds it up around the legs by 200
 * degrees and 25 cm, and leaves it. */
#define WINDING_BEGINS 0.25
#define WINDING_ENDS 1.0
static inline void add_hand(scene_text *t, const char *name, double side) {
    const double far = 0.42, near = 0.17;
    add_text(t,
             ", {\"name\": \"%s\", \"mesh\": {\"kind\": \"sphere\", \"radius\": 0.06, \"frequency\": 4}, \"move\": "
             "[%g, 0.75, 0], \"contact\": {\"friction\": 0.6}, \"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": "
             "0}",
             name, side * far);
    for (int i = 0; i <= 7; i++) {
        double part = fmin(i / 6.0, 1), angle = part * 200 * 3.14159265358979 / 180, radius = i < 7 ? near : far;
        double time = i < 7 ? WINDING_BEGINS + (WINDING_ENDS - WINDING_BEGINS) * part : WINDING_ENDS + 0.25;
        add_text(t, ", {\"time\": %g, \"move\": [%g, %g, %g]}", time, side * (radius * cos(angle) - far), 0.25 * part,
                 -side * radius * sin(angle));
    }
    add_text(t, "]}}");
}

static inline ruga_scene *skirt_wound_up(ruga_context *context, int columns, int rows, int cells) {
    scene_text t = {.length = 0};
    add_text(&t,
             "{\"time\": {\"fps\": %d, \"frames\": 48, \"substeps\": 4}, \"contact\": {}, \"objects\": [{\"name\": "
             "\"mannequin\", \"mesh\": {\"kind\": \"mannequin\", \"cells\": %d}, \"body\": \"static\", \"contact\": "
             "{\"friction\": 0.2}}, {\"name\": \"skirt\", \"mesh\": {\"kind\": \"skirt\", \"columns\": %d, \"rows\": "
             "%d}, \"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", \"integrator\": \"implicit\", "
             "\"thickness\": 0.003, \"pins\": [{\"kind\": \"follow\", \"object\": \"mannequin\", \"box_from\": [-10, "
             "1.09, -10]}]}}",
             RECOVERY_FPS, cells, columns, rows);
    add_hand(&t, "left", 1);
    add_hand(&t, "right", -1);
    add_text(&t, "]}");
    return scene_of_text(context, &t);
}

/* A sum over the positions of all objects: equal bits for equal frames. */
static inline uint64_t hash_of_frame(const ruga_scene *scene, size_t objects) {
    uint64_t hash = 1469598103934665603u;
    for (size_t k = 0; k < objects; k++) {
        const ruga_frame *frame = ruga_scene_frame(scene, k);
        const unsigned char *bytes = (const unsigned char *)frame->positions;
        for (size_t i = 0; i < frame->vertex_count * sizeof *frame->positions; i++)
            hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return hash;
}

typedef struct recovery {
    double most_intersections, limited, work; /* work: the most of a substep, pairs per vertex */
} recovery;

static inline void take_measures(const ruga_scene *scene, recovery *r) {
    r->most_intersections = fmax(r->most_intersections, scene_measure(scene, "contact.intersections"));
    r->limited += scene_measure(scene, "contact.limited");
    r->work = fmax(r->work, scene_measure(scene, "contact.work"));
}

/* Steps until RECOVERY_TIME after there is room again, and some frames more: nothing intersects then. */
static inline recovery step_recovery(ruga_context *context, ruga_scene *scene, const char *name, double room) {
    recovery r = {0};
    int last = (int)ceil((room + RECOVERY_TIME) * RECOVERY_FPS), more = 6;
    for (int f = 1; f <= last + more; f++) {
        fail_if(RUGA_FAILED(ruga_scene_step(scene)), "%s: %s", name, ruga_context_message(context));
        take_measures(scene, &r);
        if (f >= last) assert_equal_case(scene_measure(scene, "contact.intersections"), 0, "%s, frame %d", name, f);
    }
    return r;
}

/* The limit bounds the work of each of three attempts at a substep: impulses once, cuts and zones eight times, and one
 * piece more. */
static inline void assert_work_is_limited(const recovery *r) {
    assert_less(r->work, 3 * 10 * ruga_scene_def_default().contact.work);
}

#endif
