/* Copy, save and load. A saved state has the start values of an update: the offsets in the order of the fine mesh, so
 * that any solver can continue from them, and the frames of the base's triangles, which triangles without area keep.
 *
 * Offsets belong to a rest pose: on another one the same offsets are other wrinkles. So the lengths of edges at rest,
 * summed at each vertex of base and fine mesh, are saved with them and compared on loading; translating or rotating the
 * rest pose as a whole does not change them. Version 1 had none. Version 2 had no strains of the last update, from
 * which the next one finds how fast offsets may change; without them the rest pose counts. */
#include <math.h>
#include <string.h>

#include "base/state.h"
#include "math/vec3.h"
#include "wrinkle/wrinkle_mesh.h"

#define STATE_WRINKLES STATE_TAG('W', 'R', 'I', 'M')
enum { STATE_VERSION = 3, VERSION_WITH_SIDES = 2, VERSION_WITH_STRAINS = 3, SHAPE_COUNT = 6 };
#define SIDE_TOLERANCE \
    2e-3f /* of a length: files with few digits may change it so much; far below the strain of buckling */

ruga_status ruga_wrinkle_mesh_copy(const ruga_wrinkle_mesh *w, ruga_wrinkle_mesh **out) {
    ruga_wrinkle_mesh *copy = NULL;
    ruga_wrinkle_mesh_def def = w->def;
    def.edge_pre_stretch = w->edge_scales;
    TRY(wrinkle_create(w->base, w->fine, w->map, &def, w, &copy));
    memcpy(copy->offsets, w->offsets, 4 * w->slot_count * sizeof *w->offsets);
    memcpy(copy->points, w->points, 4 * w->slot_count * sizeof *w->points);
    memcpy(copy->normals, w->normals, 4 * w->slot_count * sizeof *w->normals);
    memcpy(copy->frames, w->frames, 9 * w->base->triangle_count * sizeof *w->frames);
    memcpy(copy->last_strains, w->last_strains, w->base->triangle_count * sizeof *w->last_strains);
    memcpy(copy->origin, w->origin, sizeof w->origin);
    wrinkle_collide_copy(w, copy);
    *out = copy;
    return RUGA_OK;
}

/* Numbers that identify the meshes. */
static void shape_of(const ruga_wrinkle_mesh *w, uint64_t shape[SHAPE_COUNT]) {
    const ruga_mesh *base = w->base, *fine = w->fine;
    uint64_t hash = state_hash(base->triangles, 3 * base->triangle_count * sizeof(uint32_t), 0);
    hash = state_hash(fine->triangles, 3 * fine->triangle_count * sizeof(uint32_t), hash);
    const uint64_t values[SHAPE_COUNT] = {
        base->vertex_count,    base->triangle_count, fine->vertex_count, fine->triangle_count, hash,
        (uint64_t)w->def.frame};
    memcpy(shape, values, sizeof values);
}

/* Adds to each vertex, in m, the sides of all triangles that meet there. */
static void add_sides(const ruga_mesh *mesh, float *sums) {
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const uint32_t a = mesh->triangles[3 * t + (size_t)k], b = mesh->triangles[3 * t + (size_t)(k + 1) % 3];
            const float side = (float)vec3_distance(mesh->positions[a], mesh->positions[b]);
            sums[a] += side;
            sums[b] += side;
        }
}

/* The rest pose in one number per vertex, the base's first. */
static size_t side_count(const ruga_wrinkle_mesh *w) { return w->base->vertex_count + w->fine->vertex_count; }
static ruga_status measure_sides(const ruga_wrinkle_mesh *w, float **sums) {
    TRY(NEW_ZEROED(w->context, sums, side_count(w)));
    add_sides(w->base, *sums);
    add_sides(w->fine, *sums + w->base->vertex_count);
    return RUGA_OK;
}

ruga_status ruga_wrinkle_mesh_save(const ruga_wrinkle_mesh *w, void **bytes, size_t *size) {
    state_writer *writer = NULL;
    float *sides;
    TRY(measure_sides(w, &sides));
    ruga_status status = state_writer_create(w->context, &writer);
    if (!RUGA_FAILED(status)) {
        uint64_t shape[SHAPE_COUNT];
        shape_of(w, shape);
        state_begin(writer, STATE_WRINKLES, STATE_VERSION);
        state_put_u64(writer, shape, SHAPE_COUNT);
        state_put_f32(writer, sides, side_count(w));
        state_put_f32(writer, w->frames, 9 * w->base->triangle_count);
        for (size_t v = 0; v < w->fine->vertex_count; v++)
            state_put_f32(writer, w->offsets + 4 * (size_t)w->slots[v], 4);
        state_put_f32(writer, &w->last_strains->xx, 4 * w->base->triangle_count);
        state_end(writer);
        status = state_writer_take(writer, bytes, size);
    }
    state_writer_destroy(writer);
    memory_release(w->context, sides);
    return status;
}

static ruga_status check_shape(const ruga_wrinkle_mesh *w, const uint64_t found[SHAPE_COUNT]) {
    uint64_t shape[SHAPE_COUNT];
    shape_of(w, shape);
    if (memcmp(shape, found, sizeof shape) == 0) return RUGA_OK;
    if (memcmp(shape, found, (SHAPE_COUNT - 1) * sizeof *shape) == 0)
        return fail_input(
            w->context,
            "wrinkle mesh: the saved offsets are relative to %s, but those of this mesh are not; use the same "
            "`frame`",
            found[SHAPE_COUNT - 1] == RUGA_WRINKLE_FRAME_LOCAL ? "the base" : "the world");
    return fail_input(
        w->context,
        "wrinkle mesh: the saved state belongs to another mesh: %llu base and %llu fine vertices, but this one has "
        "%zu and %zu%s",
        (unsigned long long)found[0], (unsigned long long)found[2], w->base->vertex_count, w->fine->vertex_count,
        memcmp(shape, found, 4 * sizeof *shape) == 0 ? ", but other triangles" : "");
}

/* Fails for the first vertex whose edges have another length at rest than in the saved state. */
static ruga_status compare_sides(const ruga_wrinkle_mesh *w, const float *found, const float *sides) {
    const size_t bases = w->base->vertex_count;
    for (size_t v = 0; v < side_count(w); v++) {
        if (fabsf(found[v] - sides[v]) <= SIDE_TOLERANCE * sides[v]) continue;
        return fail_input(
            w->context,
            "wrinkle mesh: the saved state has the same triangles in another rest pose: at vertex %zu of the %s "
            "mesh, edges were %.4g times as long at rest; load it into a mesh with the same rest pose, or settle "
            "this one again",
            v < bases ? v : v - bases, v < bases ? "base" : "fine",
            sides[v] > 0 ? (double)found[v] / (double)sides[v] : INFINITY);
    }
    return RUGA_OK;
}

static ruga_status check_rest_pose(const ruga_wrinkle_mesh *w, state_reader *reader) {
    float *sides = NULL, *found = NULL;
    ruga_status status = measure_sides(w, &sides);
    if (!RUGA_FAILED(status)) status = NEW(w->context, &found, side_count(w));
    if (!RUGA_FAILED(status)) status = state_get_f32(reader, found, side_count(w));
    if (!RUGA_FAILED(status)) status = compare_sides(w, found, sides);
    RELEASE_ALL(w->context, sides, found);
    return status;
}

static ruga_status check_numbers(ruga_context *context, const float *values, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return fail_input(context, "wrinkle mesh: number %zu of the saved state is not finite; it is damaged", k);
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
    if (version >= VERSION_WITH_SIDES) TRY(check_rest_pose(w, &reader));

    const size_t frames = 9 * w->base->triangle_count, offsets = 4 * w->fine->vertex_count;
    const size_t strains = version >= VERSION_WITH_STRAINS ? 4 * w->base->triangle_count : 0;
    float *values;
    TRY(NEW(w->context, &values, frames + offsets + strains));
    ruga_status status = state_get_f32(&reader, values, frames + offsets + strains);
    if (!RUGA_FAILED(status)) status = check_numbers(w->context, values, frames + offsets + strains);
    if (!RUGA_FAILED(status)) {
        memcpy(w->frames, values, frames * sizeof *values);
        for (size_t v = 0; v < w->fine->vertex_count; v++)
            memcpy(w->offsets + 4 * (size_t)w->slots[v], values + frames + 4 * v, 4 * sizeof *values);
        wrinkle_calm_reset(w);
        if (strains > 0) memcpy(w->last_strains, values + frames + offsets, strains * sizeof *values);
    }
    memory_release(w->context, values);
    return status;
}
