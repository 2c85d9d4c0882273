/* Worlds that the tests of the step share. */
#ifndef TESTS_SYSTEM_FIXTURE_H
#define TESTS_SYSTEM_FIXTURE_H

#include "base/state.h"
#include "body/bodies.h"
#include "math/vec3.h"
#include "support/parts.h"
#include "support/shapes.h"
#include "system/world.h"

static inline body *add_test_body(ruga_context *context, world *w, const ruga_mesh *mesh, const test_body_def *def) {
    body *b;
    size_t object;
    assert_ok(context, test_body_create(mesh, def, &b));
    assert_ok(context, world_add_object(w, def->name, b, &object));
    return b;
}

static inline void add_test_hook(ruga_context *context, world *w, size_t object, const test_hook_def *def) {
    part *h;
    assert_ok(context, test_hook_create(context, def, &h));
    assert_ok(context, world_add_part(w, object, h));
}

static inline void add_test_detail(ruga_context *context, world *w, size_t object, const test_detail_def *def) {
    part *d;
    assert_ok(context, test_detail_create(world_mesh(w, object), def, &d));
    assert_ok(context, world_add_part(w, object, d));
}

static inline test_contact *add_test_contact(ruga_context *context, world *w, const test_contact_def *def) {
    contact *c;
    assert_ok(context, test_contact_create(context, def, &c));
    assert_ok(context, world_set_contact(w, c));
    return (test_contact *)c;
}

/* The saved state; the caller frees it. */
static inline void *state_of(ruga_context *context, const world *w, size_t *size) {
    state_writer *writer;
    const void *bytes;
    assert_ok(context, state_writer_create(context, &writer));
    world_save(w, writer);
    assert_ok(context, state_writer_finish(writer, &bytes, size));
    void *copy = malloc(*size);
    memcpy(copy, bytes, *size);
    state_writer_destroy(writer);
    return copy;
}

static inline ruga_status load_state(ruga_context *context, world *w, const void *bytes, size_t size) {
    state_reader reader;
    TRY(state_reader_open(context, bytes, size, &reader));
    return world_load(w, &reader);
}

/* Of the state and of all that the frames show. */
static inline uint64_t hash_of(ruga_context *context, const world *w) {
    size_t size;
    void *bytes = state_of(context, w, &size);
    uint64_t hash = state_hash(bytes, size, 0);
    free(bytes);
    for (size_t i = 0; i < world_object_count(w); i++) {
        const ruga_frame *frame = world_frame(w, i);
        hash = state_hash(frame->positions, frame->vertex_count * sizeof(ruga_vec3), hash);
        if (frame->normals) hash = state_hash(frame->normals, frame->vertex_count * sizeof(ruga_vec3), hash);
        hash = state_hash(&frame->time, sizeof frame->time, hash);
    }
    return hash;
}

#endif
