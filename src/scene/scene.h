/* The inside of a scene. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "base/memory.h"
#include "ruga/scene.h"
#include "scene/frame_intersections.h"
#include "system/world.h"

/* Another mesh for an object while the scene runs. */
typedef struct scene_change {
    size_t object;
    double time; /* s: before the first step that begins then or later */
    body_change change;
    int is_reported; /* that it waits */
} scene_change;

struct ruga_scene {
    ruga_context *context;
    arena memory; /* colliders, parameters, names */
    world *world;
    ruga_time_def time;
    int frame;                 /* start_frame - 1 before the first step */
    ARRAY(ruga_mesh *) meshes; /* made for the scene, destroyed with it */
    ARRAY(ruga_map *) maps;    /* likewise */
    size_t measure_count;      /* timings, then those of the world */
    ruga_measure *measures;    /* (measure_count) in `memory` */
    const measure **measured;  /* (those of the world, and the scene's own) where their values are, in `memory` */
    int checks_frames;         /* the intersections of every frame are counted and reported */
    measure intersections;     /* of the last frame, when they are counted */
    double most_intersections; /* the largest number that was reported */
    scene_crossings crossings;
    ARRAY(scene_change) changes; /* by object and time: an object of revision r has made the first r of its own */
    int keeps_apart;             /* contact is on: a change must not make triangles intersect */
};

/* Once the world is whole: the names of all measures. */
ruga_status scene_list_measures(ruga_scene *scene);
/* Changes of meshes that are due (mesh_changes.c), before a step. A change that would make triangles intersect which
 * contact keeps apart waits, with a warning. */
ruga_status scene_make_changes(ruga_scene *scene);
/* The moment before the first step: the pose of the meshes when there is a pre-roll, else that of the first frame. */
ruga_status scene_settle(ruga_scene *scene);

#endif
