/* The shortest useful program: make a mesh, look at it, write it, read it back.
 *
 *     cc first_mesh.c $(pkg-config --cflags --libs ruga) -o first_mesh
 */
#include <ruga/ruga.h>
#include <stdio.h>

int main(void) {
    ruga_context *context = NULL;
    ruga_mesh *torus = NULL;
    ruga_mesh *read = NULL;
    ruga_mesh_summary summary;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;

    /* A failed call leaves its outputs alone and a message in the context. */
    if (RUGA_FAILED(ruga_model_make(context, "torus", NULL, &torus)) ||
        RUGA_FAILED(ruga_mesh_write(torus, NULL, "torus.glb", NULL)) ||
        RUGA_FAILED(ruga_mesh_read(context, "torus.glb", NULL, &read)) ||
        RUGA_FAILED(ruga_mesh_summarise(read, &summary))) {
        fprintf(stderr, "%s\n", ruga_context_message(context));
    } else {
        printf("%zu vertices, %zu triangles, genus %d, area %.4f m2, volume %.5f m3\n", read->vertex_count,
               read->triangle_count, summary.genus, summary.area, summary.volume);
    }

    int fine = read != NULL;
    ruga_mesh_destroy(read);
    ruga_mesh_destroy(torus);
    ruga_context_destroy(context);
    return fine ? 0 : 1;
}
