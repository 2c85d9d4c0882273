/* Creased cloth in contact, for short and long tests. */
#ifndef TESTS_CREASE_SCENES_H
#define TESTS_CREASE_SCENES_H

#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "scene/scene.h"
#include "solve/bound.h"
#include "support/support.h"

static inline ruga_scene *crease_scene_make(ruga_context *context, const char *text) {
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

/* The greatest distance of a body's positions, or velocities, from the space x = T y that they are bound to, m. */
static inline double distance_from_bound(const body *b, const vec3 *x) {
    const ruga_map *map = b->given.bound;
    ruga_context *context = b->context;
    bound *space;
    bound_matrix mass;
    vec3 *y = malloc(map->columns * sizeof *y), *impulses = malloc(map->rows * sizeof *impulses);
    double most = 0;
    assert_ok(context, bound_create(context, map, &space));
    assert_ok(context, bound_matrix_make(space, NULL, NULL, &mass));
    assert_ok(context, bound_matrix_factor(space, &mass, NULL, b->masses, 0, NULL));
    for (size_t i = 0; i < map->rows; i++) impulses[i] = vec3_scale(x[i], b->masses[i]);
    ruga_map_apply(space->transpose, impulses, y);
    bound_matrix_solve(&mass, 0, NULL, NULL, y);
    ruga_map_apply(map, y, impulses);
    for (size_t i = 0; i < map->rows; i++) most = fmax(most, vec3_distance(x[i], impulses[i]));
    bound_matrix_release(context, &mass);
    bound_destroy(space);
    free(y);
    free(impulses);
    return most;
}

static inline void assert_stays_in_its_space(const body *b, int frame) {
    assert_at_most_case(distance_from_bound(b, b->positions), 1e-10, "frame %d", frame);
    assert_at_most_case(distance_from_bound(b, b->velocities), 1e-8, "frame %d", frame);
}

/* Steps a scene; with contact no shown frame intersects, and creased bodies stay in their bound spaces. */
static inline void step_without_intersections(ruga_context *context, ruga_scene *scene, int frames) {
    for (int f = 0; f < frames; f++) {
        const ruga_scene_intersection *found;
        size_t count;
        assert_ok(context, ruga_scene_step(scene));
        if (scene->checks_frames) {
            assert_ok(context, ruga_scene_intersections(scene, &found, &count));
            assert_near_case((double)count, 0, 0, "frame %d", f);
        }
        if (f % 8 != 7 && f != frames - 1) continue;
        for (size_t i = 0; i < world_object_count(scene->world); i++) {
            const body *b = world_body(scene->world, i);
            if (b->given.bound) assert_stays_in_its_space(b, f);
        }
    }
}

#endif
