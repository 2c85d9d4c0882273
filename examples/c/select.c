/* Selects a part of a mesh by a text: the hands of a mannequin, and the soft skin around its elbows. */
#include <stdio.h>
#include <stdlib.h>

#include "ruga/ruga.h"

static int fail(ruga_context *context) {
    fprintf(stderr, "select: %s\n", ruga_context_message(context));
    return 1;
}

/* Prints how many vertices and faces a selector chooses. */
static ruga_status print_choice(ruga_context *context, const ruga_mesh *mesh, const char *text, unsigned char *vertices,
                                unsigned char *faces) {
    ruga_selector *selector = NULL;
    size_t vertex_count = 0, face_count = 0;
    ruga_status status = ruga_selector_parse(context, text, &selector);
    if (!RUGA_FAILED(status)) status = ruga_selector_vertices(selector, mesh, vertices);
    if (!RUGA_FAILED(status)) status = ruga_selector_faces(selector, mesh, faces);
    ruga_selector_destroy(selector);
    if (RUGA_FAILED(status)) return status;
    for (size_t v = 0; v < mesh->vertex_count; v++) vertex_count += vertices[v];
    for (size_t f = 0; f < mesh->face_count; f++) face_count += faces[f];
    printf("%-40s %5zu vertices, %5zu faces\n", text, vertex_count, face_count);
    return RUGA_OK;
}

int main(void) {
    static const char *const texts[] = {"joint:*Hand", "joint:Left* & !joint:*Leg*", "box:-,1.2,-,-,-,-",
                                        "joint:*Arm>0.2 & joint:*ForeArm>0.2", "!piece:largest"};
    ruga_context *context = NULL;
    ruga_mesh *mesh = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    ruga_status status = ruga_model_make(context, "mannequin", NULL, &mesh);
    unsigned char *vertices = mesh ? malloc(mesh->vertex_count) : NULL, *faces = mesh ? malloc(mesh->face_count) : NULL;
    for (size_t i = 0; vertices && faces && i < sizeof texts / sizeof texts[0] && !RUGA_FAILED(status); i++)
        status = print_choice(context, mesh, texts[i], vertices, faces);

    /* A name that does not exist is an error that lists those that do. */
    if (vertices && faces && !RUGA_FAILED(status) &&
        RUGA_FAILED(print_choice(context, mesh, "joint:LeftHnad", vertices, faces)))
        printf("%s\n", ruga_context_message(context));
    int code = RUGA_FAILED(status) || !vertices || !faces ? fail(context) : 0;
    free(vertices);
    free(faces);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
    return code;
}
