/* Scenes: from frame to frame, state, measures. */
#include "scene/scene.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "body/lattice.h"
#include "wrinkle/crease.h"
#include "wrinkle/shell_part.h"
#include "wrinkle/wrinkle_part.h"

#define TAG_SCENE STATE_TAG('S', 'C', 'N', 'E')
#define SCENE_VERSION 1

void ruga_scene_destroy(ruga_scene *scene) {
    if (!scene) return;
    ruga_context *context = scene->context;
    crossings_release(scene);
    world_destroy(scene->world);
    for (size_t i = 0; i < scene->meshes.count; i++) ruga_mesh_destroy(scene->meshes.items[i]);
    ARRAY_RELEASE(context, &scene->meshes);
    for (size_t i = 0; i < scene->maps.count; i++) ruga_map_destroy(scene->maps.items[i]);
    ARRAY_RELEASE(context, &scene->maps);
    ARRAY_RELEASE(context, &scene->changes);
    arena_release(&scene->memory);
    memory_release(context, scene);
}

/* ---- Stepping. */

static double frame_time(const ruga_scene *scene, int frame) { return (double)frame / scene->time.fps; }

ruga_status scene_settle(ruga_scene *scene) {
    int preroll = scene->time.preroll;
    return world_settle(scene->world, frame_time(scene, scene->time.start_frame - preroll), preroll > 0 ? 0 : 1);
}

/* From the meshes' pose to the first frame. */
static ruga_status preroll(ruga_scene *scene) {
    int frames = scene->time.preroll, first = scene->time.start_frame - frames;
    TRY(scene_settle(scene));
    for (int k = 0; k < frames; k++) {
        TRY(scene_make_changes(scene));
        TRY(world_step(scene->world, frame_time(scene, first + k + 1), scene->time.substeps, (double)k / frames,
                       (double)(k + 1) / frames));
    }
    return RUGA_OK;
}

/* Every frame is measured. The log warns about the first intersections, and again when there are twice as many. */
static ruga_status check_frame(ruga_scene *scene) {
    const ruga_scene_intersection *found;
    size_t count;
    TRY(ruga_scene_intersections(scene, &found, &count));
    scene->intersections.value = (double)count;
    if ((double)count < 2 * scene->most_intersections || count == 0) return RUGA_OK;
    char text[400];
    scene->most_intersections = (double)count;
    crossings_describe(scene, found, count, text, sizeof text);
    log_warning(scene->context, "frame %d: %s", scene->frame, text);
    return RUGA_OK;
}

ruga_status ruga_scene_step(ruga_scene *scene) {
    int next = scene->frame + 1;
    if (scene->frame >= scene->time.start_frame) TRY(scene_make_changes(scene));
    ruga_status status = scene->frame < scene->time.start_frame
                             ? preroll(scene)
                             : world_step(scene->world, frame_time(scene, next), scene->time.substeps, 1, 1);
    TRY(status);
    scene->frame = next;
    if (scene->checks_frames) TRY(check_frame(scene));
    return status;
}

/* ---- Frames. */

int ruga_scene_frame_number(const ruga_scene *scene) { return scene->frame; }
double ruga_scene_time(const ruga_scene *scene) { return world_time(scene->world); }
size_t ruga_scene_object_count(const ruga_scene *scene) { return world_object_count(scene->world); }

const char *ruga_scene_object_name(const ruga_scene *scene, size_t object) {
    return object < world_object_count(scene->world) ? world_object_name(scene->world, object) : NULL;
}

size_t ruga_scene_object_find(const ruga_scene *scene, const char *name) {
    size_t count = world_object_count(scene->world), i = 0;
    while (i < count && strcmp(world_object_name(scene->world, i), name) != 0) i++;
    return i;
}

const ruga_mesh *ruga_scene_object_mesh(const ruga_scene *scene, size_t object) {
    return object < world_object_count(scene->world) ? world_mesh(scene->world, object) : NULL;
}

const ruga_frame *ruga_scene_frame(const ruga_scene *scene, size_t object) {
    return object < world_object_count(scene->world) ? world_frame(scene->world, object) : NULL;
}

void ruga_scene_want_normals(ruga_scene *scene, int wanted) { world_want_normals(scene->world, wanted); }

/* Details are the parts that show a mesh; NULL: there is none of that index. */
static const part *detail_of(const ruga_scene *scene, size_t object, size_t index) {
    const part *p = NULL;
    size_t at = 0, left = index;
    while (object < world_object_count(scene->world) && (p = world_part(scene->world, object, at++)))
        if (p->interface->update && left-- == 0) break;
    return p;
}

ruga_status ruga_scene_wrinkle_report(const ruga_scene *scene, size_t object, size_t index,
                                      ruga_wrinkle_mesh_report *out) {
    const part *p = detail_of(scene, object, index);
    if (!p || !part_is_wrinkle(p))
        return fail_argument(scene->context, "detail %zu of object %zu is not a wrinkle mesh", index, object);
    *out = wrinkle_part_report(p);
    return RUGA_OK;
}

ruga_status ruga_scene_shell_report(const ruga_scene *scene, size_t object, size_t index,
                                    ruga_embedded_shell_report *out) {
    const part *p = detail_of(scene, object, index);
    if (!p || !part_is_shell(p))
        return fail_argument(scene->context, "detail %zu of object %zu is not a shell", index, object);
    *out = shell_part_report(p);
    return RUGA_OK;
}

static body *lattice_of(const ruga_scene *scene, size_t object) {
    body *b = object < world_object_count(scene->world) ? world_body(scene->world, object) : NULL;
    return b && body_is_lattice(b) ? b : NULL;
}

size_t ruga_scene_muscle_count(const ruga_scene *scene, size_t object) {
    const body *b = lattice_of(scene, object);
    return b ? lattice_muscle_count(b) : 0;
}

ruga_status ruga_scene_estimate_muscles(ruga_scene *scene, size_t object, size_t count, const ruga_vec3 *positions,
                                        double limit, double *activations, double *residual) {
    body *b = lattice_of(scene, object);
    double left;
    if (!b) return fail_argument(scene->context, "the body of object %zu is not a lattice", object);
    TRY(check_positive(scene->context, "limit of activations", limit));
    return lattice_estimate_muscles(b, count, positions, limit, activations, residual ? residual : &left);
}

static const part *crease_of(const ruga_scene *scene, size_t object) {
    const part *p = NULL;
    size_t at = 0;
    while (object < world_object_count(scene->world) && (p = world_part(scene->world, object, at++)))
        if (part_is_crease(p)) break;
    return p;
}

size_t ruga_scene_crease_count(const ruga_scene *scene, size_t object) {
    const part *p = crease_of(scene, object);
    return p ? crease_part_line_count(p) : 0;
}

ruga_status ruga_scene_crease(const ruga_scene *scene, size_t object, size_t index, ruga_crease_report *out) {
    const part *p = crease_of(scene, object);
    if (!p || index >= crease_part_line_count(p))
        return fail_argument(scene->context, "object %zu has no crease %zu", object, index);
    *out = crease_part_report(p, world_body(scene->world, object), index, world_time(scene->world));
    return RUGA_OK;
}

/* ---- State. */

/* The writer belongs to the caller; its bytes to the writer. */
static ruga_status write_state(const ruga_scene *scene, state_writer **writer, const void **bytes, size_t *size) {
    TRY(state_writer_create(scene->context, writer));
    uint32_t frame = (uint32_t)scene->frame;
    state_begin(*writer, TAG_SCENE, SCENE_VERSION);
    state_put_u32(*writer, &frame, 1);
    world_save(scene->world, *writer);
    state_end(*writer);
    return state_writer_finish(*writer, bytes, size);
}

ruga_status ruga_scene_save(const ruga_scene *scene, void **bytes, size_t *size) {
    state_writer *writer = NULL;
    const void *written;
    size_t written_size;
    ruga_status status = write_state(scene, &writer, &written, &written_size);
    if (!RUGA_FAILED(status)) status = state_writer_take(writer, bytes, size);
    state_writer_destroy(writer);
    return status;
}

static ruga_status read_state(ruga_scene *scene, const void *bytes, size_t size) {
    state_reader file, reader;
    uint32_t version, frame;
    TRY(state_reader_open(scene->context, bytes, size, &file));
    TRY(state_enter(&file, TAG_SCENE, SCENE_VERSION, &version, &reader));
    TRY(state_get_u32(&reader, &frame, 1));
    if ((int)frame < scene->time.start_frame - 1 || (int)frame == INT_MAX)
        return fail_input(scene->context,
                          "the saved state is of frame %d, but the scene begins with frame %d; use the scene that it "
                          "was saved from",
                          (int)frame, scene->time.start_frame);
    TRY(world_load(scene->world, &reader));
    scene->frame = (int)frame;
    return RUGA_OK;
}

ruga_status ruga_scene_restore(ruga_scene *scene, const void *bytes, size_t size) {
    if (!bytes) return fail_argument(scene->context, "there is no state to restore");
    /* If the state turns out to be broken, a copy restores the values that were overwritten. */
    state_writer *writer = NULL;
    const void *current;
    size_t current_size = 0;
    ruga_status status = write_state(scene, &writer, &current, &current_size);
    if (!RUGA_FAILED(status)) {
        status = read_state(scene, bytes, size);
        if (RUGA_FAILED(status)) {
            char message[sizeof scene->context->message];
            snprintf(message, sizeof message, "%s", ruga_context_message(scene->context));
            read_state(scene, current, current_size);
            fail_with(scene->context, status, "%s", message);
        }
    }
    state_writer_destroy(writer);
    return status;
}

ruga_status ruga_scene_state_hash(const ruga_scene *scene, uint64_t *hash) {
    state_writer *writer = NULL;
    const void *bytes;
    size_t size = 0;
    ruga_status status = write_state(scene, &writer, &bytes, &size);
    if (!RUGA_FAILED(status)) *hash = state_hash(bytes, size, 0);
    state_writer_destroy(writer);
    return status;
}

/* ---- Measures. */

static ruga_status name_measure(ruga_scene *scene, const char *owner, const char *name, const char *unit, int is_time,
                                ruga_measure *out) {
    char text[256];
    snprintf(text, sizeof text, "%s.%s", owner, name);
    *out = (ruga_measure){NULL, unit, is_time};
    return ARENA_TEXT(&scene->memory, &out->name, text);
}

ruga_status scene_list_measures(ruga_scene *scene) {
    size_t count = world_measure_count(scene->world);
    TRY(ARENA_NEW(&scene->memory, &scene->measures, STAGE_COUNT + count + 1));
    TRY(ARENA_NEW(&scene->memory, &scene->measured, count + 1));
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        TRY(name_measure(scene, "time", world_stage_name((world_stage)stage), "s", 1, &scene->measures[stage]));
    measure_place at = {0};
    for (size_t i = 0; i < count; i++) {
        char owner[128];
        const measure *m = world_next_measure(scene->world, &at, owner, sizeof owner);
        TRY(name_measure(scene, owner, m->name, m->unit, 0, &scene->measures[STAGE_COUNT + i]));
        scene->measured[i] = m;
    }
    scene->measure_count = STAGE_COUNT + count;
    if (!scene->checks_frames) return RUGA_OK;
    scene->measured[count] = &scene->intersections;
    TRY(name_measure(scene, "frame", "intersections", "1", 0, &scene->measures[scene->measure_count++]));
    return RUGA_OK;
}

size_t ruga_scene_measure_count(const ruga_scene *scene) { return scene->measure_count; }

ruga_measure ruga_scene_measure_info(const ruga_scene *scene, size_t which) {
    return which < scene->measure_count ? scene->measures[which] : (ruga_measure){0};
}

void ruga_scene_measures(const ruga_scene *scene, double *values) {
    memcpy(values, world_stage_seconds(scene->world), STAGE_COUNT * sizeof *values);
    for (size_t i = STAGE_COUNT; i < scene->measure_count; i++) values[i] = scene->measured[i - STAGE_COUNT]->value;
}
