/* Wrinkle meshes in a game engine: 32-bit positions and normals side by side in the engine's buffers, and one update
 * per frame. A sleeve is compressed and bent, and wrinkles. */
#include <math.h>
#include <ruga/ruga.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct engine_vertex {
    float position[3], normal[3];
} engine_vertex;

enum { AROUND = 32, ALONG = 32, VERTICES = AROUND * (ALONG + 1), TRIANGLES = 2 * AROUND * ALONG, FRAMES = 60 };
/* The engine's animation: the sleeve at a phase from 0, at rest, to 1. */
static void pose(engine_vertex *vertices, float phase) {
    for (int i = 0; i < VERTICES; i++) {
        float angle = 6.2831853f * (float)(i % AROUND) / AROUND, y = (float)(i / AROUND) / ALONG;
        float c = cosf(angle), s = sinf(angle), bend = 0.15f * phase * y * y;
        vertices[i] = (engine_vertex){{0.05f * c + bend, 0.4f * y * (1 - 0.25f * phase), 0.05f * s}, {c, 0, s}};
    }
}

static void weave(uint32_t *triangles) {
    for (uint32_t k = 0; k < AROUND * ALONG; k++) {
        uint32_t a = k, b = k / AROUND * AROUND + (k + 1) % AROUND, c = a + AROUND, d = b + AROUND;
        memcpy(triangles + 6 * k, (uint32_t[]){a, c, b, b, c, d}, 6 * sizeof *triangles);
    }
}

static ruga_view view(float *first, size_t count) { return (ruga_view){first, count, sizeof(engine_vertex), RUGA_F32}; }

static int play(ruga_wrinkle_mesh *wrinkles, engine_vertex *base, engine_vertex *fine, size_t fine_count) {
    ruga_view positions = view(base->position, VERTICES), normals = view(base->normal, VERTICES);
    ruga_view fine_positions = view(fine->position, fine_count), fine_normals = view(fine->normal, fine_count);
    struct timespec begin, end;
    for (int frame = 0; frame < FRAMES; frame++) {
        pose(base, (float)frame / (FRAMES - 1));
        timespec_get(&begin, TIME_UTC);
        if (RUGA_FAILED(ruga_wrinkle_mesh_update(wrinkles, &positions, &normals))) return 0;
        ruga_wrinkle_mesh_read(wrinkles, &fine_positions, &fine_normals);
        timespec_get(&end, TIME_UTC);
        double ms = 1e3 * (double)(end.tv_sec - begin.tv_sec) + 1e-6 * (double)(end.tv_nsec - begin.tv_nsec);
        if (frame % 10 == 9) printf("frame %2d: %.2f ms, %zu vertices\n", frame, ms, fine_count);
    }
    return 1;
}

int main(void) {
    static engine_vertex base[VERTICES];
    static uint32_t triangles[3 * TRIANGLES];
    ruga_context *context = NULL;
    ruga_mesh *mesh = NULL, *fine_mesh = NULL;
    ruga_wrinkle_mesh *wrinkles = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    pose(base, 0);
    weave(triangles);
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = view(base->position, VERTICES);
    def.face_count = TRIANGLES;
    def.face_vertices = triangles;
    ruga_subdivide_def cut = ruga_subdivide_def_default();
    cut.n = 4; /* each triangle becomes 16 */
    ruga_wrinkle_mesh_def look = ruga_wrinkle_mesh_def_default();
    look.wavelength = 0.03;
    look.pre_stretch = ruga_param_constant(1);
    look.bind_normals = view(base->normal, VERTICES); /* since each frame brings normals of the engine's own */
    int good = !RUGA_FAILED(ruga_mesh_create(context, &def, &mesh)) &&
               !RUGA_FAILED(ruga_wrinkle_mesh_create_subdivided(mesh, &cut, &look, &fine_mesh, &wrinkles));
    engine_vertex *fine = good ? calloc(fine_mesh->vertex_count, sizeof *fine) : NULL;
    good = fine && play(wrinkles, base, fine, fine_mesh->vertex_count);
    if (!good) fprintf(stderr, "%s\n", ruga_context_message(context));
    free(fine);
    ruga_wrinkle_mesh_destroy(wrinkles);
    ruga_mesh_destroy(fine_mesh);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
    return good ? 0 : 1;
}
