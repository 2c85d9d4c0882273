/* For tests that read glTF: a context and an empty file for each test, and assertions about a file. */
#ifndef TESTS_IO_GLTF_FIXTURE_H
#define TESTS_IO_GLTF_FIXTURE_H

#include <math.h>

#include "io/glb_builder.h"

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

#define ONE_NODE "\"nodes\":[{\"mesh\":0}]"

static ruga_context *context;
static glb *g; /* empty at the start of each test */

static inline int begin(void **state) {
    (void)state;
    context = context_plain(1);
    g = calloc(1, sizeof *g);
    return 0;
}

static inline int end(void **state) {
    (void)state;
    ruga_context_destroy(context);
    free(g);
    return 0;
}

static inline int remove_folder(void **state) {
    (void)state;
    test_folder_remove();
    return 0;
}

static inline ruga_mesh *read_ok(const char *rest) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, glb_read(context, g, rest, NULL, &mesh));
    return mesh;
}

static inline void assert_refused(const char *rest, ruga_status status, const char *part) {
    ruga_mesh *mesh = NULL;
    assert_status(glb_read(context, g, rest, NULL, &mesh), status);
    assert_null(mesh);
    assert_message_has(context, part);
}

static inline void assert_at(const ruga_mesh *mesh, size_t vertex, double x, double y, double z) {
    ruga_vec3 p = mesh->positions[vertex];
    fail_if(!(fabs(p.x - x) < 1e-6 && fabs(p.y - y) < 1e-6 && fabs(p.z - z) < 1e-6),
            "vertex %zu is at (%g, %g, %g), not (%g, %g, %g)", vertex, p.x, p.y, p.z, x, y, z);
}

/* Two triangles that share an edge, whose vertices are there twice: 1 and 3, 2 and 5 (at -0 instead of 0). */
static const float seam[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, -0.0f, 1, -0.0f};
#define SEAM_MESH(more) "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0" more "}}]}]," ONE_NODE

#endif
