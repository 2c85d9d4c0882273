/* Wrinkle meshes copied, saved and loaded. A saved state holds what an update starts from: the offsets in the order of the fine
 * mesh, so that any solver may go on with them, and the frames of the base's triangles, which those without area keep. */
#include <math.h>
#include <string.h>

#include "base/state.h"
#include "wrinkle/wrinkle_mesh.h"

#define STATE_WRINKLES STATE_TAG('W', 'R', 'I', 'M')
enum { STATE_VERSION = 1, SHAPE_COUNT = 6 };

ruga_status ruga_wrinkle_mesh_copy(const ruga_wrinkle_mesh *w, ruga_wrinkle_mesh **out) {
    ruga_wrinkle_mesh *copy = NULL;
    ruga_wrinkle_mesh_def def = w->def;
    def.edge_pre_stretch = w->edge_scales;
    TRY(wrinkle_create(w->base, w->fine, w->map, &def, w, &copy));
    memcpy(copy->offsets, w->offsets, 4 * w->slot_count * sizeof *w->offsets);
    memcpy(copy->points, w->points, 4 * w->slot_count * sizeof *w->points);
    memcpy(copy->normals, w->normals, 4 * w->slot_count * sizeof *w->normals);
    memcpy(copy->frames, w->frames, 9 * w->base->triangle_count * sizeof *w->frames);
    memcpy(copy->origin, w->origin, sizeof w->origin);
    *out = copy;
    return RUGA_OK;
}

/* What another mesh has otherwise. */
static void shape_of(const ruga_wrinkle_mesh *w, uint64_t shape[SHAPE_COUNT]) {
    const ruga_mesh *base = w->base, *fine = w->fine;
    uint64_t hash = state_hash(base->triangles, 3 * base->triangle_count * sizeof(uint32_t), 0);
    hash = state_hash(fine->triangles, 3 * fine->triangle_count * sizeof(uint32_t), hash);
    const uint64_t values[SHAPE_COUNT] = {
        base->vertex_count,    base->triangle_count, fine->vertex_count, fine->triangle_count, hash,
        (uint64_t)w->def.frame};
    memcpy(shape, values, sizeof values);
}

ruga_status ruga_wrinkle_mesh_save(const ruga_wrinkle_mesh *w, void **bytes, size_t *size) {
    state_writer *writer = NULL;
    uint64_t shape[SHAPE_COUNT];
    shape_of(w, shape);
    TRY(state_writer_create(w->context, &writer));
    state_begin(writer, STATE_WRINKLES, STATE_VERSION);
    state_put_u64(writer, shape, SHAPE_COUNT);
    state_put_f32(writer, w->frames, 9 * w->base->triangle_count);
    for (size_t v = 0; v < w->fine->vertex_count; v++) state_put_f32(writer, w->offsets + 4 * (size_t)w->slots[v], 4);
    state_end(writer);
    ruga_status status = state_writer_take(writer, bytes, size);
    state_writer_destroy(writer);
    return status;
}

static ruga_status check_shape(const ruga_wrinkle_mesh *w, const uint64_t found[SHAPE_COUNT]) {
    uint64_t shape[SHAPE_COUNT];
    shape_of(w, shape);
    if (memcmp(shape, found, sizeof shape) == 0) return RUGA_OK;
    if (memcmp(shape, found, (SHAPE_COUNT - 1) * sizeof *shape) == 0)
        return fail_with(w->context, RUGA_ERROR_INPUT,
                         "wrinkle mesh: the saved offsets are relative to %s, this mesh has them otherwise",
                         found[SHAPE_COUNT - 1] == RUGA_WRINKLE_FRAME_LOCAL ? "the base" : "the world");
    return fail_with(w->context, RUGA_ERROR_INPUT,
                     "wrinkle mesh: the saved state is of another mesh: %llu base and %llu fine vertices, this one has "
                     "%zu and %zu%s",
                     (unsigned long long)found[0], (unsigned long long)found[2], w->base->vertex_count,
                     w->fine->vertex_count,
                     memcmp(shape, found, 4 * sizeof *shape) == 0 ? ", but other triangles" : "");
}

static ruga_status check_numbers(ruga_context *context, const float *values, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return fail_with(context, RUGA_ERROR_INPUT, "wrinkle mesh: number %zu of the saved state is not finite", k);
    return RUGA_OK;
}

ruga_status ruga_wrinkle_mesh_load(ruga_wrinkle_mesh *w, const void *bytes, size_t size) {
    state_reader all, reader;
    uint32_t version;
    uint64_t shape[SHAPE_COUNT];
    TRY(state_reader_open(w->context, bytes, size, &all));
    TRY(state_enter(&all, STATE_WRINKLES, STATE_VERSION, &version, &reader));
    TRY(state_get_u64(&reader, shape, SHAPE_COUNT));
    TRY(check_shape(w, shape));

    const size_t frames = 9 * w->base->triangle_count, offsets = 4 * w->fine->vertex_count;
    float *values = ALLOCATE(w->context, float, frames + offsets);
    if (!values) return fail_memory(w->context, (frames + offsets) * sizeof *values);
    ruga_status status = state_get_f32(&reader, values, frames + offsets);
    if (!RUGA_FAILED(status)) status = check_numbers(w->context, values, frames + offsets);
    if (!RUGA_FAILED(status)) {
        memcpy(w->frames, values, frames * sizeof *values);
        for (size_t v = 0; v < w->fine->vertex_count; v++)
            memcpy(w->offsets + 4 * (size_t)w->slots[v], values + frames + 4 * v, 4 * sizeof *values);
    }
    memory_release(w->context, values);
    return status;
}
