/* The drape of bench/contact in Bullet's soft bodies, for comparison; the only C++ of the benchmarks. */
#ifndef BENCH_BULLET_DRAPE_H
#define BENCH_BULLET_DRAPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bullet_drape bullet_drape;

/* A sheet above a static ball at the origin. positions: (vertex_count x 3) m; masses in kg, lengths in m. */
typedef struct bullet_drape_def {
    size_t vertex_count, triangle_count;
    const double *positions;
    const uint32_t *triangles;
    double mass;      /* kg, of the sheet */
    double radius;    /* m, of the ball */
    double thickness; /* m, its collision margin */
    double friction;  /* 1 */
} bullet_drape_def;

bullet_drape *bullet_drape_create(const bullet_drape_def *def);
void bullet_drape_destroy(bullet_drape *drape);
void bullet_drape_step(bullet_drape *drape, double dt, int substeps);
size_t bullet_drape_read(const bullet_drape *drape, double *positions); /* how many it has */

#ifdef __cplusplus
}
#endif
#endif
