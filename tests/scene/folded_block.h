/* A block of flesh that is pressed together by a fifth, with a crease over its top and both sides. */
#ifndef TESTS_FOLDED_BLOCK_H
#define TESTS_FOLDED_BLOCK_H

#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/support.h"

#define BLOCK_EDGE 0.114 /* m, of its triangles, about */

/* mesh: its "mesh"; body: further fields of the body; hook: of the hook; scene: of the scene. */
#define FOLDED_BLOCK                                                                                                   \
    "{\"time\": {\"fps\": 10, \"frames\": 4}, \"gravity\": [0, 0, 0] %s, \"objects\": [{\"name\": \"block\","          \
    "\"mesh\": %s, \"body\": {\"kind\": \"flesh\", \"integrator\": \"%s\", \"young\": 1000,"                           \
    "\"poisson\": 0.3, \"density\": %g, \"thickness\": %g, \"pins\": ["                                                \
    "{\"kind\": \"path\", \"box_from\": [0.499, -1, -1], \"keys\": [{\"time\": 0}, {\"time\": 0.3, \"move\": "         \
    "[-%g, 0, 0]}]}, {\"kind\": \"path\", \"box_to\": [-0.499, 1, 1], \"keys\": [{\"time\": 0}, "                      \
    "{\"time\": 0.3, \"move\": [%g, 0, 0]}]}] %s}, \"hooks\": [{\"kind\": \"crease\", \"lines\": [{\"name\": \"line\"" \
    ", \"points\": [[0.02, 0.02, 0.3], [0.02, 0.3, 0.2], [0.03, 0.3, -0.2], [0.03, 0.03, -0.3]]}] %s}]} %s]}"

#define BLOCK_MESH                                                                                           \
    "{\"kind\": \"bar\", \"length\": 1, \"height\": 0.6, \"depth\": 0.6, \"cells\": 10, \"cells_across\": 6" \
    ", \"solid\": 1}"

typedef struct folded_block {
    const char *mesh, *integrator, *body, *hook, *scene, *objects; /* NULL: the block's mesh, quasistatic, nothing */
    double density, thickness, press;                              /* press: m at each end; 0: 0.1; negative: none */
} folded_block;

static inline const char *folded_block_text(const folded_block *d) {
    static char text[6000];
    const double press = d->press == 0 ? 0.1 : fmax(0, d->press);
    snprintf(text, sizeof text, FOLDED_BLOCK, d->scene ? d->scene : "", d->mesh ? d->mesh : BLOCK_MESH,
             d->integrator ? d->integrator : "quasistatic", d->density > 0 ? d->density : 1000, d->thickness, press,
             press, d->body ? d->body : "", d->hook ? d->hook : "", d->objects ? d->objects : "");
    return text;
}

static inline ruga_status try_folded_block(ruga_context *context, const folded_block *block, ruga_scene **out) {
    ruga_description *d = NULL;
    const char *json = folded_block_text(block);
    *out = NULL;
    assert_ok(context, ruga_description_read_memory(context, "folds", json, strlen(json), &d));
    ruga_status status = ruga_scene_create(context, ruga_description_get(d), out);
    ruga_description_destroy(d);
    return status;
}

static inline ruga_scene *make_folded_block(ruga_context *context, const folded_block *block) {
    ruga_scene *scene;
    assert_ok(context, try_folded_block(context, block, &scene));
    return scene;
}

static inline void run_frames(ruga_context *context, ruga_scene *scene, int frames) {
    for (int i = 0; i < frames; i++) assert_ok(context, ruga_scene_step(scene));
}

static inline double frames_apart(const ruga_scene *a, const ruga_scene *b) {
    const ruga_frame *p = ruga_scene_frame(a, 0), *q = ruga_scene_frame(b, 0);
    double most = 0;
    for (size_t i = 0; i < p->vertex_count; i++) most = fmax(most, vec3_distance(p->positions[i], q->positions[i]));
    return most;
}

#endif
