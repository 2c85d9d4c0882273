/* The inside of a scene. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "base/memory.h"
#include "ruga/scene.h"
#include "system/world.h"

struct ruga_scene {
    ruga_context *context;
    arena memory; /* colliders, parameters, names */
    world *world;
    ruga_time_def time;
    int frame;                 /* the present; start_frame - 1 before the first step */
    ARRAY(ruga_mesh *) meshes; /* made for the scene, destroyed with it */
};

#endif
