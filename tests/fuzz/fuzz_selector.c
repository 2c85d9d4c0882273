/* Selectors: a text that parses prints as one that parses to the same, and its evaluation gives a mask or a message
 * that names the column. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz_files.h"

/* A sheet with a painted attribute, groups, colours and joints. */
static ruga_mesh *make_mesh(ruga_context *context) {
    static const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {3, 0, 0}, {4, 0, 0}, {3, 1, 0}, {9, 9, 9}};
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5};
    static const float mask[] = {0, 0.2f, 0.4f, 0.6f, 0.8f, 1, 2};
    static const uint8_t colour[7][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {9, 9, 9},
                                         {0, 0, 0},   {1, 2, 3},   {4, 5, 6}};
    static const int32_t group[] = {0, -1}, material[] = {1, 0};
    static const char *const labels[] = {"front", "my eyes"}, *const joints[] = {"Hips", "rig:LeftHand"};
    static const size_t offsets[] = {0, 1, 2, 3, 4, 5, 7, 7};
    static const uint32_t indices[] = {0, 0, 0, 1, 1, 0, 1};
    static const double weights[] = {1, 1, 1, 1, 1, 0.5, 0.5};
    const ruga_attribute attributes[] = {{"mask", RUGA_DOMAIN_VERTEX, RUGA_F32, 1, 0, 7, mask, NULL, 0, NULL},
                                         {"colour", RUGA_DOMAIN_VERTEX, RUGA_U8, 3, 1, 7, colour, NULL, 0, NULL},
                                         {"group", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, 2, group, NULL, 2, labels},
                                         {"material", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, 2, material, NULL, 2, labels}};
    const ruga_map skin = {7, 2, offsets, indices, weights, NULL};
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *mesh = NULL;
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 7, 0, RUGA_F64};
    def.face_count = 2;
    def.face_vertices = corners;
    def.attribute_count = 4;
    def.attributes = attributes;
    def.joint_count = 2;
    def.joint_names = joints;
    def.joint_weights = &skin;
    require(!RUGA_FAILED(ruga_mesh_create(context, &def, &mesh)));
    return mesh;
}

static void evaluate(const ruga_selector *selector, const ruga_mesh *mesh) {
    unsigned char vertices[7], faces[2];
    double weights[7];
    ruga_status status = ruga_selector_vertices(selector, mesh, vertices);
    require(status == ruga_selector_faces(selector, mesh, faces));
    require(status == ruga_selector_weights(selector, mesh, weights));
    if (RUGA_FAILED(status)) {
        require(strstr(ruga_context_message(mesh->context), "column ") != NULL);
        return;
    }
    for (int v = 0; v < 7; v++) require(vertices[v] <= 1 && weights[v] >= 0 && weights[v] <= 1);
    require(faces[0] <= 1 && faces[1] <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static ruga_mesh *mesh;
    ruga_context *context;
    (void)fuzz_files(&context);
    if (!mesh) mesh = make_mesh(context);
    char *text = malloc(size + 1), *printed = NULL, *again = NULL;
    ruga_selector *selector = NULL, *second = NULL;
    require(text != NULL);
    if (size > 0) memcpy(text, bytes, size);
    text[size] = 0;
    if (RUGA_FAILED(ruga_selector_parse(context, text, &selector))) {
        require(!selector && strstr(ruga_context_message(context), "column "));
    } else {
        require(!RUGA_FAILED(ruga_selector_print(selector, &printed)));
        require(!RUGA_FAILED(ruga_selector_parse(context, printed, &second)));
        require(!RUGA_FAILED(ruga_selector_print(second, &again)));
        require(strcmp(printed, again) == 0);
        evaluate(selector, mesh);
    }
    ruga_free(context, printed);
    ruga_free(context, again);
    ruga_selector_destroy(selector);
    ruga_selector_destroy(second);
    free(text);
    return 0;
}
