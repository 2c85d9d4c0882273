/* Loading the state of a wrinkle mesh with some bytes changed: it succeeds, or the wrinkle mesh is as it was before.
 * The input is the changes, three bytes each (place, place, what to flip), and how much of the state to keep. */
#include <stdlib.h>
#include <string.h>

#include "ruga/ruga.h"

enum { SIDE = 4, COUNT = SIDE * SIDE };

static ruga_wrinkle_mesh *wrinkles;
static ruga_mesh *base, *fine;
static ruga_vec3 pose[COUNT];
static void *saved, *present; /* states of two frames */
static size_t saved_size, present_size;

static void require(int condition) {
    if (!condition) abort();
}

/* The sheet, pressed together to `width` of its width. */
static void update(double width) {
    for (size_t i = 0; i < COUNT; i++) {
        pose[i] = base->positions[i];
        pose[i].x *= width;
    }
    const ruga_view view = {pose, COUNT, 0, RUGA_F64};
    require(!RUGA_FAILED(ruga_wrinkle_mesh_update(wrinkles, &view, NULL)));
}

static void set_up(void) {
    static ruga_vec3 points[COUNT];
    static uint32_t sizes[(SIDE - 1) * (SIDE - 1)], corners[4 * (SIDE - 1) * (SIDE - 1)];
    ruga_context *context = NULL;
    size_t faces = 0;
    for (uint32_t i = 0; i < COUNT; i++) points[i] = (ruga_vec3){0.1 * (i % SIDE), 0, 0.1 * (i / SIDE)};
    for (uint32_t i = 0; i < COUNT - SIDE; i++) {
        if (i % SIDE == SIDE - 1) continue;
        const uint32_t quad[4] = {i, i + SIDE, i + SIDE + 1, i + 1};
        memcpy(corners + 4 * faces, quad, sizeof quad);
        sizes[faces++] = 4;
    }
    require(!RUGA_FAILED(ruga_context_create(NULL, &context)));
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){points, COUNT, 0, RUGA_F64};
    def.face_count = faces;
    def.face_sizes = sizes;
    def.face_vertices = corners;
    require(!RUGA_FAILED(ruga_mesh_create(context, &def, &base)));
    const ruga_wrinkle_mesh_def wrinkle_def = ruga_wrinkle_mesh_def_default();
    ruga_subdivide_def subdivide = ruga_subdivide_def_default();
    require(!RUGA_FAILED(ruga_wrinkle_mesh_create_subdivided(base, &subdivide, &wrinkle_def, &fine, &wrinkles)));
    update(0.9);
    require(!RUGA_FAILED(ruga_wrinkle_mesh_save(wrinkles, &saved, &saved_size)));
    update(0.8);
    require(!RUGA_FAILED(ruga_wrinkle_mesh_save(wrinkles, &present, &present_size)));
}

static void require_present(void) {
    void *bytes = NULL;
    size_t size = 0;
    require(!RUGA_FAILED(ruga_wrinkle_mesh_save(wrinkles, &bytes, &size)));
    require(size == present_size && memcmp(bytes, present, size) == 0);
    ruga_free(base->context, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!wrinkles) set_up();
    unsigned char *bytes = malloc(saved_size);
    require(bytes != NULL);
    memcpy(bytes, saved, saved_size);
    for (; size >= 3; data += 3, size -= 3) bytes[(data[0] | (size_t)data[1] << 8) % saved_size] ^= data[2];
    const size_t kept = size > 0 ? saved_size * data[0] / 255 : saved_size;

    if (!RUGA_FAILED(ruga_wrinkle_mesh_load(wrinkles, bytes, kept))) {
        /* Offsets may be anything now; the update copes or fails, and the mesh can be brought back. */
        const ruga_view view = {pose, COUNT, 0, RUGA_F64};
        (void)ruga_wrinkle_mesh_update(wrinkles, &view, NULL);
        require(!RUGA_FAILED(ruga_wrinkle_mesh_load(wrinkles, present, present_size)));
    }
    require_present();
    free(bytes);
    return 0;
}
