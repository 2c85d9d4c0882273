/* Ruga: cameras, for pictures (ruga/render.h) and for curves that are drawn on a picture (ruga/curve.h). */
#ifndef RUGA_CAMERA_H
#define RUGA_CAMERA_H

#include "ruga/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_camera {
    int given;                 /* 0: framed automatically, from azimuth and elevation */
    ruga_vec3 eye, target, up; /* m */
    double fov;                /* degrees, vertical */
    double azimuth, elevation; /* degrees, around y; used when not given */
    double zoom;               /* 1: the whole fits */
    int steady;                /* when not given: framed so that everything fits from every azimuth, for turntables */
} ruga_camera;

RUGA_API ruga_camera ruga_camera_default(void);

#ifdef __cplusplus
}
#endif
#endif
