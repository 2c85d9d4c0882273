/* The drape of bench/contact in Bullet's soft bodies, for comparison; the only C++ of the benchmarks. */
#ifndef BENCH_BULLET_DRAPE_H
#define BENCH_BULLET_DRAPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bullet_kind {
    BULLET_CLUSTERS, /* btSoftRigidDynamicsWorld: position-based links, self-collision of clusters */
    BULLET_DEFORMABLE /* btDeformableMultiBodyDynamicsWorld: implicit mass-spring, self-collision of vertices and faces */
} bullet_kind;

typedef struct bullet_drape bullet_drape;

/* A sheet above a ball that stands still at the origin. positions: (vertex_count x 3) m; masses in kg, lengths in m. */
typedef struct bullet_drape_def {
    bullet_kind kind;
    size_t vertex_count, triangle_count;
    const double *positions;
    const uint32_t *triangles;
    double mass;      /* kg, of the sheet */
    double radius;    /* m, of the ball */
    double thickness; /* m, its collision margin */
    double friction;  /* 1 */
    double stretch;   /* N/m */
} bullet_drape_def;

bullet_drape *bullet_drape_create(const bullet_drape_def *def); /* NULL: it could not */
void bullet_drape_destroy(bullet_drape *drape);
void bullet_drape_step(bullet_drape *drape, double dt);
void bullet_drape_read(const bullet_drape *drape, double *positions);

#ifdef __cplusplus
}
#endif
#endif
