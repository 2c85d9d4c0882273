/* Accessors and buffer views that nothing refers to any more when a mesh is replaced, and their bytes.
 *
 * Numbers of accessors and views stay, since extensions that Ruga does not know may use them: unused ones become empty
 * places, and those at the end of the list go. Their bytes are left out of the written buffer, in multiples of
 * ALIGNMENT, so that all other data keeps its alignment. Bytes that belong to no view stay.
 *
 * Where an extension is not known, each whole number in it counts as a reference to the accessor and to the view of
 * that number. Extensions of materials, textures and lights have neither. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/gltf_origin.h"

#define ALIGNMENT 4u

typedef struct trimmer {
    gltf_origin *o;
    size_t accessor_count, view_count; /* of the file */
} trimmer;

/* ---- References. */

static void mark(unsigned char *live, size_t count, const json_value *number) {
    if (number && number->type == JSON_NUMBER && number->number >= 0 && number->number < (double)count &&
        number->number == floor(number->number))
        live[(size_t)number->number] = 1;
}

static void mark_accessor(const trimmer *t, const json_value *number) {
    mark(t->o->live_accessors, t->accessor_count, number);
}

static void mark_view(const trimmer *t, const json_value *number) { mark(t->o->live_views, t->view_count, number); }

static int has_no_references(const char *extension) {
    static const char *const prefixes[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(extension, prefixes[i], strlen(prefixes[i])) == 0) return 1;
    return 0;
}

static const json_value *items_of(const json_value *value) {
    return value && (value->type == JSON_ARRAY || value->type == JSON_OBJECT) ? value->first : NULL;
}

/* Any value: members that name a view or an accessor, and the numbers of extensions. */
static void walk(const trimmer *t, const json_value *value, int in_extension) {
    if (in_extension) mark_accessor(t, value), mark_view(t, value);
    for (const json_value *item = items_of(value); item; item = item->next) {
        const char *key = item->key ? item->key : "";
        if (strcmp(key, "bufferView") == 0) mark_view(t, item);
        if (strcmp(key, "accessor") == 0) mark_accessor(t, item);
        if (strcmp(key, "extensions") == 0) {
            for (const json_value *e = items_of(item); e; e = e->next)
                if (!e->key || !has_no_references(e->key)) walk(t, e, 1);
        } else {
            walk(t, item, in_extension);
        }
    }
}

static void mark_primitives(const trimmer *t, const json_value *mesh) {
    for (const json_value *p = items_of(json_member(mesh, "primitives")); p; p = p->next) {
        mark_accessor(t, json_member(p, "indices"));
        for (const json_value *a = items_of(json_member(p, "attributes")); a; a = a->next) mark_accessor(t, a);
        for (const json_value *target = items_of(json_member(p, "targets")); target; target = target->next)
            for (const json_value *a = items_of(target); a; a = a->next) mark_accessor(t, a);
    }
    walk(t, mesh, 0);
}

static void mark_meshes(const trimmer *t, const json_value *meshes, uint32_t replaced) {
    uint32_t index = 0;
    for (const json_value *mesh = items_of(meshes); mesh; mesh = mesh->next, index++)
        if (index != replaced) mark_primitives(t, mesh);
}

int gltf_origin_drops_sampler(const gltf_origin *o, const json_value *animation, size_t sampler) {
    int used = 0;
    for (const json_value *c = items_of(json_member(animation, "channels")); c; c = c->next) {
        const json_value *number = json_member(c, "sampler");
        if (!number || number->type != JSON_NUMBER || number->number != (double)sampler) continue;
        if (!gltf_origin_moves_weights(o, c)) return 0;
        used = 1;
    }
    return used;
}

static void mark_animations(const trimmer *t, const json_value *animations) {
    for (const json_value *a = items_of(animations); a; a = a->next) {
        size_t index = 0;
        for (const json_value *s = items_of(json_member(a, "samplers")); s; s = s->next, index++) {
            if (gltf_origin_drops_sampler(t->o, a, index)) continue;
            mark_accessor(t, json_member(s, "input"));
            mark_accessor(t, json_member(s, "output"));
        }
        walk(t, a, 0);
    }
    for (size_t i = 0; i < t->o->weight_keys.count; i++)
        mark_accessor(t, json_member(t->o->weight_keys.items[i].sampler, "input"));
}

static void mark_all(const trimmer *t, uint32_t replaced) {
    static const char *const lists[] = {"accessors", "bufferViews", "buffers", "meshes", "animations"};
    const json_value *root = t->o->doc.root;
    for (const json_value *item = items_of(root); item; item = item->next) {
        int is_list = 0;
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) is_list |= strcmp(item->key, lists[i]) == 0;
        if (!is_list && strcmp(item->key, "extensions") != 0) walk(t, item, 0);
    }
    for (const json_value *e = items_of(json_member(root, "extensions")); e; e = e->next)
        if (!has_no_references(e->key)) walk(t, e, 1);
    for (const json_value *s = items_of(json_member(root, "skins")); s; s = s->next)
        mark_accessor(t, json_member(s, "inverseBindMatrices"));
    mark_meshes(t, json_member(root, "meshes"), replaced);
    mark_animations(t, json_member(root, "animations"));
    size_t index = 0;
    for (const json_value *a = items_of(json_member(root, "accessors")); a; a = a->next, index++)
        if (t->o->live_accessors[index]) walk(t, a, 0);
}

/* ---- Bytes. */

typedef struct border {
    uint32_t buffer;
    uint64_t at;
    int live, dead; /* views that begin, less those that end */
} border;

typedef ARRAY(border) border_list;

static int compare_borders(const void *a, const void *b) {
    const border *x = a, *y = b;
    if (x->buffer != y->buffer) return x->buffer < y->buffer ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The bytes of a view; also for the place that a compressed view names in an extension. */
static ruga_status add_borders(gltf_origin *o, const json_value *view, int live, border_list *out) {
    uint64_t buffer, offset, length;
    TRY(gltf_whole(&o->doc, view, "buffer", UINT32_MAX, UINT32_MAX, &buffer));
    TRY(gltf_whole(&o->doc, view, "byteOffset", 0, UINT64_C(1) << 52, &offset));
    TRY(gltf_whole(&o->doc, view, "byteLength", 0, UINT64_C(1) << 52, &length));
    if (buffer < o->doc.buffer_count && o->buffer_offset[buffer] != UINT64_MAX) {
        const uint64_t size = o->doc.buffers[buffer].size, from = offset < size ? offset : size;
        const uint64_t to = length < size - from ? from + length : size;
        const border both[2] = {{(uint32_t)buffer, from, live, !live}, {(uint32_t)buffer, to, -live, -!live}};
        for (int k = 0; k < 2; k++) TRY(ARRAY_ADD(o->context, out, both[k]));
    }
    for (const json_value *e = items_of(json_member(view, "extensions")); e; e = e->next)
        if (json_member(e, "buffer")) TRY(add_borders(o, e, live, out));
    return RUGA_OK;
}

static ruga_status add_gap(gltf_origin *o, uint32_t buffer, uint64_t from, uint64_t to) {
    const uint64_t begin = (from + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, end = to / ALIGNMENT * ALIGNMENT;
    if (end <= begin) return RUGA_OK;
    return ARRAY_ADD(o->context, &o->gaps, ((gltf_gap){buffer, begin, end}));
}

/* Bytes within views of which none is live. */
static ruga_status find_gaps(gltf_origin *o, const border_list *borders) {
    int live = 0, dead = 0;
    uint64_t begin = 0;
    for (size_t i = 0; i < borders->count;) {
        const border *b = &borders->items[i];
        const int was_gap = dead > 0 && live == 0;
        for (; i < borders->count && compare_borders(b, &borders->items[i]) == 0; i++)
            live += borders->items[i].live, dead += borders->items[i].dead;
        const int is_gap = dead > 0 && live == 0;
        if (is_gap && !was_gap) begin = b->at;
        if (was_gap && !is_gap) TRY(add_gap(o, b->buffer, begin, b->at));
    }
    return RUGA_OK;
}

static ruga_status leave_out_bytes(gltf_origin *o) {
    border_list borders = {0};
    ruga_status status = RUGA_OK;
    size_t index = 0;
    for (const json_value *v = items_of(json_member(o->doc.root, "bufferViews")); v && !RUGA_FAILED(status);
         v = v->next, index++)
        status = add_borders(o, v, o->live_views[index], &borders);
    if (!RUGA_FAILED(status) && borders.count > 0) {
        qsort(borders.items, borders.count, sizeof *borders.items, compare_borders);
        status = find_gaps(o, &borders);
    }
    ARRAY_RELEASE(o->context, &borders);
    return status;
}

uint64_t gltf_origin_gaps_before(const gltf_origin *o, uint32_t buffer, uint64_t at) {
    uint64_t sum = 0;
    for (size_t i = 0; i < o->gaps.count; i++)
        if (o->gaps.items[i].buffer == buffer && o->gaps.items[i].end <= at)
            sum += o->gaps.items[i].end - o->gaps.items[i].begin;
    return sum;
}

ruga_status gltf_origin_trim(gltf_origin *o, uint32_t replaced) {
    const trimmer t = {o, o->accessor_count, o->view_count};
    TRY(NEW_ZEROED(o->context, &o->live_accessors, t.accessor_count + 1));
    TRY(NEW_ZEROED(o->context, &o->live_views, t.view_count + 1));
    mark_all(&t, replaced);
    while (o->accessor_count > 0 && !o->live_accessors[o->accessor_count - 1]) o->accessor_count--;
    while (o->view_count > 0 && !o->live_views[o->view_count - 1]) o->view_count--;
    return leave_out_bytes(o);
}
