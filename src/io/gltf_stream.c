/* Morph targets that are read when they act, so that a film of any length takes the memory of a few frames: each frame
 * of such a film is a target, and two of them act at a time. The motion keeps the document and a stream of its own. */
#include <string.h>

#include "io/gltf.h"

#define RESIDENT 8 /* targets in memory; more only while more act at once */

struct gltf_stream {
    ruga_context *context;
    char *path, *directory;
    gltf_document doc;
    gltf_surface surface;
    ARRAY(uint32_t) resident; /* targets in memory */
    float *spare[RESIDENT];   /* (3 file_count) room for the first ones: sampling allocates nothing */
};

int gltf_stream_is_needed(const gltf_file *f) { return f->doc.stream && f->surface.target_count > RESIDENT; }

void gltf_stream_close(gltf_stream *s) {
    if (!s) return;
    ruga_context *context = s->context;
    if (s->doc.context) {
        gltf_surface_close(&s->doc, &s->surface);
        file_close(s->doc.stream);
        gltf_document_close(&s->doc);
    }
    for (size_t i = 0; i < RESIDENT; i++) memory_release(context, s->spare[i]);
    ARRAY_RELEASE(context, &s->resident);
    RELEASE_ALL(context, s->path, s->directory, s);
}

static ruga_status open_stream(const gltf_file *f, gltf_stream *s, file **stream) {
    TRY(NEW_TEXT(s->context, &s->path, f->doc.name));
    if (f->doc.directory) TRY(NEW_TEXT(s->context, &s->directory, f->doc.directory));
    TRY(ARRAY_RESERVE(s->context, &s->resident, f->surface.target_count));
    for (size_t i = 0; i < RESIDENT; i++) TRY(NEW(s->context, &s->spare[i], 3 * f->surface.file_count));
    return file_open(s->context, f->doc.name, stream);
}

ruga_status gltf_stream_open(gltf_file *f, gltf_stream **out) {
    gltf_stream *s = NULL;
    file *stream = NULL;
    TRY(NEW_ZEROED(f->doc.context, &s, 1));
    s->context = f->doc.context;
    TRY_OR(open_stream(f, s, &stream), gltf_stream_close(s));
    s->doc = f->doc;
    s->doc.name = s->path;
    s->doc.directory = s->directory;
    s->doc.stream = stream;
    s->surface = f->surface;
    f->doc = (gltf_document){0};
    f->surface = (gltf_surface){0};
    *out = s;
    return RUGA_OK;
}

/* Room for one more: that of a target that does not act, or new. */
static ruga_status take_room(gltf_stream *s, gltf_rig *rig, const double *weights, uint32_t target) {
    for (size_t i = 0; s->resident.count >= RESIDENT && i < s->resident.count; i++) {
        const uint32_t other = s->resident.items[i];
        if (weights[other] != 0) continue;
        rig->deltas[target] = rig->deltas[other];
        rig->deltas[other] = NULL;
        s->resident.items[i] = target;
        return RUGA_OK;
    }
    for (size_t i = 0; i < RESIDENT && !rig->deltas[target]; i++) {
        rig->deltas[target] = s->spare[i];
        s->spare[i] = NULL;
    }
    if (!rig->deltas[target]) TRY(NEW(s->context, &rig->deltas[target], 3 * s->surface.file_count));
    s->resident.items[s->resident.count++] = target;
    return RUGA_OK;
}

static void forget(gltf_stream *s, gltf_rig *rig, uint32_t target) {
    size_t i = 0;
    while (s->resident.items[i] != target) i++;
    s->resident.items[i] = s->resident.items[--s->resident.count];
    memory_release(s->context, rig->deltas[target]);
    rig->deltas[target] = NULL;
}

ruga_status gltf_stream_load(gltf_stream *s, gltf_rig *rig, const double *weights) {
    for (uint32_t t = 0; t < rig->target_count; t++) {
        if (weights[t] == 0 || rig->deltas[t]) continue;
        TRY(take_room(s, rig, weights, t));
        s->doc.charged = 0;
        TRY_OR(gltf_rig_read_target(&s->doc, &s->surface, t, rig->deltas[t]), forget(s, rig, t));
        gltf_forget_views(&s->doc);
    }
    return RUGA_OK;
}
