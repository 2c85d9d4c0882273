/* Ruga in an engine: points in the engine's own vertices, 32-bit and interleaved; a finer mesh that is prepared once;
 * and a map from the coarse points of every frame to the fine ones. */
#include <math.h>
#include <ruga/ruga.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct engine_vertex {
    float position[3];
    float uv[2];
} engine_vertex;

enum { SIDE = 5, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

static void make_grid(engine_vertex *vertices, uint32_t *triangles) {
    for (int i = 0; i < VERTICES; i++) {
        float u = (float)(i % SIDE) / (SIDE - 1), v = (float)(i / SIDE) / (SIDE - 1);
        vertices[i] = (engine_vertex){{u, 0, v}, {u, v}};
    }
    for (uint32_t y = 0; y + 1 < SIDE; y++) {
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            uint32_t a = y * SIDE + x, b = a + 1, c = a + SIDE, d = c + 1;
            const uint32_t pair[6] = {a, c, b, b, c, d};
            for (int k = 0; k < 6; k++) *triangles++ = pair[k];
        }
    }
}

/* Moves the coarse points as an animation would, and maps them; returns the height of the highest fine point. */
static double animate(const ruga_map *map, double time, ruga_vec3 *coarse, ruga_vec3 *fine) {
    for (size_t i = 0; i < map->columns; i++) coarse[i].y = 0.1 * sin(6 * coarse[i].x + time);
    ruga_map_apply(map, coarse, fine);
    double highest = -INFINITY;
    for (size_t i = 0; i < map->rows; i++) highest = fmax(highest, fine[i].y);
    return highest;
}

static int run(ruga_context *context) {
    engine_vertex vertices[VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    make_grid(vertices, triangles);

    /* Only what the mesh keeps is copied. */
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){vertices, VERTICES, sizeof(engine_vertex), RUGA_F32};
    def.face_count = TRIANGLES;
    def.face_vertices = triangles;

    ruga_mesh *mesh = NULL, *finer = NULL;
    ruga_map *map = NULL;
    ruga_subdivide_def subdivide = ruga_subdivide_def_default();
    subdivide.kind = RUGA_SUBDIVIDE_LOOP;
    subdivide.n = 2;
    int fine = !RUGA_FAILED(ruga_mesh_create(context, &def, &mesh)) &&
               !RUGA_FAILED(ruga_mesh_subdivide(mesh, &subdivide, &finer, &map));
    ruga_vec3 coarse[VERTICES];
    ruga_vec3 *mapped = fine ? malloc(map->rows * sizeof *mapped) : NULL;
    if (mapped) {
        for (int i = 0; i < VERTICES; i++) coarse[i] = mesh->positions[i];
        for (int frame = 0; frame < 3; frame++)
            printf("frame %d: %zu points, highest %.4f m\n", frame, map->rows, animate(map, frame, coarse, mapped));
    }
    free(mapped);
    ruga_map_destroy(map);
    ruga_mesh_destroy(finer);
    ruga_mesh_destroy(mesh);
    return fine && mapped;
}

int main(void) {
    ruga_context *context = NULL;
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    if (RUGA_FAILED(ruga_context_create(&def, &context))) return 1;
    int fine = run(context);
    if (!fine) fprintf(stderr, "%s\n", ruga_context_message(context));
    ruga_context_destroy(context);
    return fine ? 0 : 1;
}
