/* Flesh in C: a bar of tetrahedra, held at one end, bends as a muscle in its upper half contracts. Every frame is in
 * equilibrium. Prints the height of the free end; with the name of a file, such as bar.msh, writes the bar as it is in
 * the end. */
#include <stdio.h>
#include <string.h>

#include <ruga/ruga.h>

static const char scene_text[] =
    "{\"time\": {\"fps\": 10, \"frames\": 11, \"substeps\": 1}, \"gravity\": [0, 0, 0],"
    " \"objects\": [{\"name\": \"bar\","
    "   \"mesh\": {\"kind\": \"bar\", \"length\": 0.3, \"height\": 0.06, \"depth\": 0.06, \"cells\": 20,"
    "            \"cells_across\": 4, \"solid\": 1},"
    "   \"body\": {\"kind\": \"flesh\", \"integrator\": \"quasistatic\", \"young\": 20000,"
    "     \"pins\": [{\"kind\": \"fixed\", \"box_to\": [-0.149, 1, 1]}],"
    "     \"muscles\": [{\"box_from\": [-1, 0.01, -1], \"direction\": [1, 0, 0], \"stress\": 10000,"
    "       \"keys\": [{\"time\": 0, \"activation\": 0}, {\"time\": 1, \"activation\": 1}]}]}}]}";

static double tip_of(const ruga_frame *frame) {
    double x = -1, y = 0;
    for (size_t v = 0; v < frame->vertex_count; v++)
        if (frame->positions[v].x > x) {
            x = frame->positions[v].x;
            y = frame->positions[v].y;
        }
    return y;
}

static ruga_status run(ruga_context *context, const char *path) {
    ruga_description *description = NULL;
    ruga_scene *scene = NULL;
    ruga_status status = ruga_description_read_memory(context, "flesh", scene_text, strlen(scene_text), &description);
    if (!RUGA_FAILED(status)) status = ruga_scene_create(context, ruga_description_get(description), &scene);
    for (int frame = 0; frame < 11 && !RUGA_FAILED(status); frame++) {
        status = ruga_scene_step(scene);
        if (!RUGA_FAILED(status))
            printf("frame %2d: the tip is at %.4f m\n", frame, tip_of(ruga_scene_frame(scene, 0)));
    }
    if (path && !RUGA_FAILED(status))
        status = ruga_mesh_write(ruga_scene_object_mesh(scene, 0), ruga_scene_frame(scene, 0), path, NULL);
    ruga_scene_destroy(scene);
    ruga_description_destroy(description);
    return status;
}

int main(int argc, char **argv) {
    ruga_context *context = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    ruga_status status = run(context, argc > 1 ? argv[1] : NULL);
    if (RUGA_FAILED(status)) fprintf(stderr, "%s\n", ruga_context_message(context));
    ruga_context_destroy(context);
    return RUGA_FAILED(status);
}
