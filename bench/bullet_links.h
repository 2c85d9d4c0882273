/* Distance constraints as links of one of Bullet's soft bodies, for comparison; in C++. */
#ifndef BENCH_BULLET_LINKS_H
#define BENCH_BULLET_LINKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bullet_links bullet_links;

typedef struct bullet_link {
    uint32_t points[2];
    float length;    /* m */
    float stiffness; /* 1, within (0, 1]: part of the error that one projection removes */
} bullet_link;

typedef enum bullet_order {
    BULLET_ORDER_DEFAULT, /* as the links were made */
    /* btSoftBody::randomizeConstraints, as its makers of cloth do by default */
    BULLET_ORDER_SHUFFLED,
    BULLET_ORDER_REORDERED /* btSoftBodyHelpers::ReoptimizeLinkOrder: links that share a point far from each other */
} bullet_order;

/* points: (point_count x 4) m, of which three are read; all of one mass. */
bullet_links *bullet_links_create(size_t point_count, const float *points, const bullet_link *given, size_t link_count,
                                  bullet_order order);
void bullet_links_destroy(bullet_links *links);
void bullet_links_place(bullet_links *links, const float *points); /* all points */
void bullet_links_solve(bullet_links *links, int iterations);      /* the loop over links of its step, nothing else */
void bullet_links_read(const bullet_links *links, float *points);

#ifdef __cplusplus
}
#endif
#endif
