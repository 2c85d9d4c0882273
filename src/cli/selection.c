#include "selection.h"

#include <stdlib.h>

#include "vectors.h"

static double triangle_area(const ruga_mesh *mesh, size_t triangle) {
    const uint32_t *corners = mesh->triangles + 3 * triangle;
    ruga_vec3 a = mesh->positions[corners[0]];
    return 0.5 * vec_length(vec_cross(vec_add(mesh->positions[corners[1]], -1, a),
                                      vec_add(mesh->positions[corners[2]], -1, a)));
}

static void measure(const ruga_mesh *mesh, const unsigned char *vertices, const unsigned char *faces, selection *out) {
    out->low = BOX_EMPTY_LOW;
    out->high = BOX_EMPTY_HIGH;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        out->vertices += vertices[v];
        if (vertices[v]) box_grow(mesh->positions[v], &out->low, &out->high);
    }
    for (size_t f = 0; f < mesh->face_count; f++) out->faces += faces[f];
    for (size_t t = 0; t < mesh->triangle_count; t++)
        if (faces[mesh->triangle_faces ? mesh->triangle_faces[t] : t]) out->area += triangle_area(mesh, t);
}

/* Errors of a selector are errors of the command line. */
static int selector_code(session *s, const char *path, ruga_status status) {
    if (!RUGA_FAILED(status)) return 0;
    return session_error(s, EXIT_USAGE, "%s: %s", path, ruga_context_message(s->context));
}

int selection_find(session *s, const char *path, const ruga_mesh *mesh, const char *text, selection *out) {
    unsigned char *vertices = malloc(mesh->vertex_count + 1), *faces = malloc(mesh->face_count + 1);
    ruga_selector *selector = NULL;
    *out = (selection){0};
    int code = vertices && faces ? 0 : session_no_memory(s);
    if (!code) code = selector_code(s, path, ruga_selector_parse(s->context, text, &selector));
    if (!code) code = selector_code(s, path, ruga_selector_vertices(selector, mesh, vertices));
    if (!code) code = selector_code(s, path, ruga_selector_faces(selector, mesh, faces));
    if (!code) code = selector_code(s, path, ruga_selector_print(selector, &out->text));
    if (!code) measure(mesh, vertices, faces, out);
    ruga_selector_destroy(selector);
    free(vertices);
    free(faces);
    return code;
}

int selection_weights(session *s, const char *path, const ruga_mesh *mesh, const char *text, double **out) {
    double *weights = malloc((mesh->vertex_count + 1) * sizeof *weights);
    ruga_selector *selector = NULL;
    if (!weights) return session_no_memory(s);
    int code = selector_code(s, path, ruga_selector_parse(s->context, text, &selector));
    if (!code) code = selector_code(s, path, ruga_selector_weights(selector, mesh, weights));
    ruga_selector_destroy(selector);
    if (code)
        free(weights);
    else
        *out = weights;
    return code;
}
