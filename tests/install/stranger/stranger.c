/* A stranger's program in C: makes a sheet, writes it, reads it back, and sees the same mesh. */
#include <ruga/ruga.h>
#include <stdio.h>
#include <string.h>

static int give_up(ruga_context *context, const char *what) {
    fprintf(stderr, "%s: %s\n", what, ruga_context_message(context));
    return 1;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "stranger.obj";
    ruga_context *context = NULL;
    ruga_mesh *made = NULL;
    ruga_mesh *read = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    if (RUGA_FAILED(ruga_model_make(context, "sheet", NULL, &made))) return give_up(context, "make");
    if (RUGA_FAILED(ruga_mesh_write(made, NULL, path, NULL))) return give_up(context, "write");
    if (RUGA_FAILED(ruga_mesh_read(context, path, NULL, &read))) return give_up(context, "read");

    int same = made->vertex_count == read->vertex_count && made->triangle_count == read->triangle_count &&
               memcmp(made->triangles, read->triangles, 3 * sizeof(uint32_t) * made->triangle_count) == 0;
    printf("ruga %s: %zu vertices, %s\n", ruga_version(), read->vertex_count, same ? "the same" : "another mesh");
    ruga_mesh_destroy(read);
    ruga_mesh_destroy(made);
    ruga_context_destroy(context);
    return same ? 0 : 1;
}
