/* The JSON of a glTF file with a mesh in place of one of its own: all members in their order, some of them changed. */
#include <string.h>

#include "io/gltf_origin.h"
#include "io/gltf_plan.h"

typedef struct printer {
    const gltf_origin *origin;
    const gltf_plan *plan; /* NULL: nothing is added */
    ruga_json_writer *json;
    uint32_t mesh; /* number of the written mesh */
} printer;

/* ---- Values as they are. */

static void put_value(ruga_json_writer *json, const json_value *value) {
    const json_value *item = value->type == JSON_ARRAY || value->type == JSON_OBJECT ? value->first : NULL;
    switch (value->type) {
        case JSON_NULL: ruga_json_string(json, NULL); return;
        case JSON_BOOLEAN: ruga_json_boolean(json, value->number != 0); return;
        case JSON_NUMBER: ruga_json_number(json, value->number); return;
        case JSON_STRING: ruga_json_string(json, value->text); return;
        case JSON_ARRAY:
            ruga_json_begin_array(json);
            for (; item; item = item->next) put_value(json, item);
            ruga_json_end_array(json);
            return;
        case JSON_OBJECT:
            ruga_json_begin_object(json);
            for (; item; item = item->next) {
                ruga_json_key(json, item->key);
                put_value(json, item);
            }
            ruga_json_end_object(json);
            return;
    }
}

static int is_one_of(const char *key, const char *const *keys) {
    for (; *keys; keys++)
        if (strcmp(key, *keys) == 0) return 1;
    return 0;
}

/* The members of an object, except some. */
static void put_members(ruga_json_writer *json, const json_value *object, const char *const *except) {
    for (const json_value *item = object && object->type == JSON_OBJECT ? object->first : NULL; item;
         item = item->next) {
        if (is_one_of(item->key, except)) continue;
        ruga_json_key(json, item->key);
        put_value(json, item);
    }
}

void gltf_put_members(ruga_json_writer *json, const json_value *object, const char *const *except, const char *within,
                      const char *const *except_within) {
    for (const json_value *item = object && object->type == JSON_OBJECT ? object->first : NULL; item;
         item = item->next) {
        if (is_one_of(item->key, except)) continue;
        ruga_json_key(json, item->key);
        if (strcmp(item->key, within) != 0 || item->type != JSON_OBJECT) {
            put_value(json, item);
            continue;
        }
        ruga_json_begin_object(json);
        put_members(json, item, except_within);
        ruga_json_end_object(json);
    }
}

static const json_value *first_of(const printer *p, const char *array) {
    const json_value *items = json_member(p->origin->doc.root, array);
    return items && items->type == JSON_ARRAY ? items->first : NULL;
}

/* ---- Buffers, views, accessors, pictures. */

/* Its number in the written file: 0 is the one buffer of all bytes, and those that can't be read follow. */
static uint64_t buffer_number(const gltf_origin *o, size_t buffer) {
    uint64_t number = 1;
    if (buffer >= o->doc.buffer_count || o->buffer_offset[buffer] != UINT64_MAX) return 0;
    for (size_t i = 0; i < buffer; i++) number += o->buffer_offset[i] == UINT64_MAX;
    return number;
}

static void print_buffers(const printer *p, ruga_format format, uint64_t size) {
    static const char *const none[] = {NULL};
    const gltf_origin *o = p->origin;
    ruga_json_put_array(p->json, "buffers");
    ruga_json_begin_object(p->json);
    if (format == RUGA_FORMAT_GLTF) ruga_json_put_string(p->json, "uri", "data:application/octet-stream;base64,");
    ruga_json_put_count(p->json, "byteLength", size);
    ruga_json_end_object(p->json);
    for (uint32_t i = 0; i < o->doc.buffer_count; i++) {
        if (o->buffer_offset[i] != UINT64_MAX) continue;
        ruga_json_begin_object(p->json);
        put_members(p->json, gltf_item(&o->doc, "buffers", i), none);
        ruga_json_end_object(p->json);
    }
    ruga_json_end_array(p->json);
}

/* 0 for what is absent or no count that a file of this size can have. */
static size_t count_of(const json_value *value) {
    return value && value->type == JSON_NUMBER && value->number >= 0 && value->number < 9e15 ? (size_t)value->number
                                                                                             : 0;
}

/* Also for the place that a compressed view names in an extension of its own. */
static void put_view(const printer *p, const json_value *view) {
    static const char *const changed[] = {"buffer", "byteOffset", "extensions", NULL};
    const gltf_origin *o = p->origin;
    const json_value *offset = json_member(view, "byteOffset"), *buffer = json_member(view, "buffer");
    const json_value *extensions = json_member(view, "extensions");
    const size_t index = count_of(buffer);
    const int moved = index < o->doc.buffer_count && o->buffer_offset[index] != UINT64_MAX;
    ruga_json_begin_object(p->json);
    if (buffer) {
        ruga_json_put_count(p->json, "buffer", buffer_number(o, index));
        const uint64_t at = count_of(offset), base = moved ? o->buffer_offset[index] : 0;
        ruga_json_put_count(p->json, "byteOffset", at + base - gltf_origin_gaps_before(o, (uint32_t)index, at));
    }
    put_members(p->json, view, changed);
    if (extensions && extensions->type == JSON_OBJECT) {
        ruga_json_put_object(p->json, "extensions");
        for (const json_value *item = extensions->first; item; item = item->next) {
            ruga_json_key(p->json, item->key);
            if (json_member(item, "buffer"))
                put_view(p, item);
            else
                put_value(p->json, item);
        }
        ruga_json_end_object(p->json);
    }
    ruga_json_end_object(p->json);
}

/* The place of a view that nothing uses. */
static void put_empty_view(const printer *p) {
    ruga_json_begin_object(p->json);
    ruga_json_put_count(p->json, "buffer", 0);
    ruga_json_put_count(p->json, "byteLength", 1);
    ruga_json_end_object(p->json);
}

static void print_views(const printer *p) {
    ruga_json_put_array(p->json, "bufferViews");
    const json_value *view = first_of(p, "bufferViews");
    for (size_t i = 0; i < p->origin->view_count; i++, view = view->next)
        if (!p->origin->live_views || p->origin->live_views[i])
            put_view(p, view);
        else
            put_empty_view(p);
    for (size_t i = 0; i < p->origin->pictures.count; i++) {
        ruga_json_begin_object(p->json);
        ruga_json_put_count(p->json, "buffer", 0);
        ruga_json_put_count(p->json, "byteOffset", p->origin->pictures.items[i].offset);
        ruga_json_put_count(p->json, "byteLength", p->origin->pictures.items[i].size);
        ruga_json_end_object(p->json);
    }
    if (p->plan) gltf_plan_put_views(p->plan, p->json);
    ruga_json_end_array(p->json);
}

/* The place of an accessor that nothing uses: without a view it is a zero. */
static void put_empty_accessor(const printer *p) {
    ruga_json_begin_object(p->json);
    ruga_json_put_count(p->json, "componentType", 5126);
    ruga_json_put_count(p->json, "count", 1);
    ruga_json_put_string(p->json, "type", "SCALAR");
    ruga_json_end_object(p->json);
}

static void print_accessors(const printer *p) {
    ruga_json_put_array(p->json, "accessors");
    const json_value *item = first_of(p, "accessors");
    for (size_t i = 0; i < p->origin->accessor_count; i++, item = item->next)
        if (!p->origin->live_accessors || p->origin->live_accessors[i])
            put_value(p->json, item);
        else
            put_empty_accessor(p);
    if (p->plan) gltf_plan_put_accessors(p->plan, p->json);
    ruga_json_end_array(p->json);
}

static void print_images(const printer *p) {
    static const char *const changed[] = {"uri", "mimeType", "bufferView", NULL};
    const gltf_origin *o = p->origin;
    uint32_t image = 0;
    size_t next = 0;
    ruga_json_put_array(p->json, "images");
    for (const json_value *item = first_of(p, "images"); item; item = item->next, image++) {
        if (next == o->pictures.count || o->pictures.items[next].image != image) {
            put_value(p->json, item);
            continue;
        }
        ruga_json_begin_object(p->json);
        ruga_json_put_count(p->json, "bufferView", o->view_count + next);
        ruga_json_put_string(p->json, "mimeType", o->pictures.items[next++].type);
        put_members(p->json, item, changed);
        ruga_json_end_object(p->json);
    }
    ruga_json_end_array(p->json);
}

/* ---- The mesh and its node. */

static void print_mesh(const printer *p, const json_value *old) {
    static const char *const changed[] = {"primitives", "weights", "extras", NULL};
    static const char *const morphs[] = {"targetNames", NULL};
    const json_value *extras = json_member(old, "extras");
    ruga_json_begin_object(p->json);
    put_members(p->json, old, changed);
    if (p->plan->frame_count > 0 || (extras && extras->type == JSON_OBJECT)) {
        ruga_json_put_object(p->json, "extras");
        put_members(p->json, extras, morphs);
        if (p->plan->frame_count > 0) gltf_plan_put_names(p->plan, p->json);
        ruga_json_end_object(p->json);
    }
    gltf_plan_put_mesh(p->plan, p->json);
    ruga_json_end_object(p->json);
}

/* The mesh is replaced, unless other nodes show it too: then there is one more. */
static void print_meshes(const printer *p) {
    uint32_t index = 0;
    ruga_json_put_array(p->json, "meshes");
    for (const json_value *item = first_of(p, "meshes"); item; item = item->next, index++)
        if (p->plan && index == p->mesh)
            print_mesh(p, item);
        else
            put_value(p->json, item);
    if (p->plan && index == p->mesh) print_mesh(p, gltf_item(&p->origin->doc, "meshes", p->origin->choice.mesh));
    ruga_json_end_array(p->json);
}

static void print_nodes(const printer *p) {
    static const char *const changed[] = {"mesh", "skin", "weights", NULL};
    const gltf_origin *o = p->origin;
    uint32_t index = 0;
    ruga_json_put_array(p->json, "nodes");
    for (const json_value *item = first_of(p, "nodes"); item; item = item->next, index++) {
        const int is_own = index == o->choice.node;
        if (is_own ? !p->plan : !o->only) {
            put_value(p->json, item);
            continue;
        }
        ruga_json_begin_object(p->json);
        put_members(p->json, item, changed);
        if (is_own) ruga_json_put_count(p->json, "mesh", p->mesh);
        if (is_own && o->skinned) ruga_json_put_count(p->json, "skin", o->all.nodes[index].skin);
        ruga_json_end_object(p->json);
    }
    ruga_json_end_array(p->json);
}

static void print_materials(const printer *p) {
    const gltf_origin *o = p->origin;
    const size_t count = gltf_count(&o->doc, "materials");
    if (count == 0 && o->more_materials == 0) return;
    ruga_json_put_array(p->json, "materials");
    for (const json_value *item = first_of(p, "materials"); item; item = item->next) put_value(p->json, item);
    const ruga_attribute *labels = p->plan ? p->plan->layout->material : NULL;
    for (size_t i = 0; labels && o->material && i < labels->label_count; i++) {
        if (o->material[i] < count) continue;
        ruga_json_begin_object(p->json);
        ruga_json_put_string(p->json, "name", labels->labels[i]);
        ruga_json_put_boolean(p->json, "doubleSided", 1);
        ruga_json_end_object(p->json);
    }
    ruga_json_end_array(p->json);
}

/* ---- Animations. */

/* The keys of the weights of own targets that a channel moves; their count: none. */
static size_t find_weight_keys(const printer *p, const json_value *channel) {
    size_t i = 0;
    while (i < p->origin->weight_keys.count && p->origin->weight_keys.items[i].channel != channel) i++;
    return i;
}

static int has_weight_keys(const printer *p, const json_value *channel) {
    return find_weight_keys(p, channel) < p->origin->weight_keys.count;
}

/* Weights of morph targets that the new mesh does not have, or that move with the frames. */
static int is_lost(const printer *p, const json_value *channel) {
    return p->plan && gltf_origin_moves_weights(p->origin, channel) && !has_weight_keys(p, channel);
}

/* A sampler with as many weights as the new mesh has targets. */
static void print_weight_sampler(const printer *p, const json_value *channel) {
    static const char *const changed[] = {"output", NULL};
    const size_t keys = find_weight_keys(p, channel);
    ruga_json_begin_object(p->json);
    put_members(p->json, p->origin->weight_keys.items[keys].sampler, changed);
    ruga_json_put_count(p->json, "output", p->plan->accessor_base + p->plan->first_keys + keys);
    ruga_json_end_object(p->json);
}

static void print_weight_channel(const printer *p, const json_value *channel, size_t sampler) {
    static const char *const changed[] = {"sampler", NULL};
    ruga_json_begin_object(p->json);
    ruga_json_put_count(p->json, "sampler", sampler);
    put_members(p->json, channel, changed);
    ruga_json_end_object(p->json);
}

static size_t count_channels(const printer *p, const json_value *animation) {
    const json_value *channels = json_member(animation, "channels");
    size_t count = 0;
    for (const json_value *c = channels && channels->type == JSON_ARRAY ? channels->first : NULL; c; c = c->next)
        count += !is_lost(p, c);
    return count;
}

static int drops_sampler(const printer *p, const json_value *animation, size_t sampler) {
    return p->plan && gltf_origin_drops_sampler(p->origin, animation, sampler);
}

/* The samplers of the file that are written: unused ones at the end are left out. */
static size_t count_samplers(const printer *p, const json_value *animation) {
    const json_value *samplers = json_member(animation, "samplers");
    size_t count = samplers && samplers->type == JSON_ARRAY ? samplers->count : 0;
    while (count > 0 && drops_sampler(p, animation, count - 1)) count--;
    return count;
}

/* The place of a sampler that nothing uses any more gets another. */
static void print_samplers(const printer *p, const json_value *animation, size_t count, int has_frames) {
    const json_value *channels = json_member(animation, "channels"), *kept = NULL;
    const json_value *first = count > 0 ? json_member(animation, "samplers")->first : NULL, *s = first;
    const json_value *keys = channels && channels->type == JSON_ARRAY ? channels->first : NULL;
    for (size_t i = 0; i < count && !kept; i++, s = s->next)
        if (!drops_sampler(p, animation, i)) kept = s;
    while (keys && !has_weight_keys(p, keys)) keys = keys->next;
    s = first;
    for (size_t i = 0; i < count; i++, s = s->next)
        if (!drops_sampler(p, animation, i))
            put_value(p->json, s);
        else if (kept)
            put_value(p->json, kept);
        else if (has_frames)
            gltf_plan_put_sampler(p->plan, p->json);
        else if (keys)
            print_weight_sampler(p, keys);
}

/* The frames' sampler and channel, in an animation of the file or, NULL, in one of their own. */
static void print_animation(const printer *p, const json_value *animation, int has_frames) {
    static const char *const changed[] = {"samplers", "channels", NULL};
    const json_value *channels = json_member(animation, "channels");
    const size_t count = count_samplers(p, animation);
    ruga_json_begin_object(p->json);
    put_members(p->json, animation, changed);
    if (!animation) ruga_json_put_string(p->json, "name", "frames");
    ruga_json_put_array(p->json, "samplers");
    print_samplers(p, animation, count, has_frames);
    if (has_frames) gltf_plan_put_sampler(p->plan, p->json);
    const json_value *first = channels && channels->type == JSON_ARRAY ? channels->first : NULL;
    for (const json_value *c = first; c; c = c->next)
        if (has_weight_keys(p, c)) print_weight_sampler(p, c);
    ruga_json_end_array(p->json);
    ruga_json_put_array(p->json, "channels");
    size_t weights = count + (size_t)has_frames;
    for (const json_value *c = first; c; c = c->next)
        if (has_weight_keys(p, c))
            print_weight_channel(p, c, weights++);
        else if (!is_lost(p, c))
            put_value(p->json, c);
    if (has_frames) gltf_plan_put_channel(p->json, count, p->origin->choice.node);
    ruga_json_end_array(p->json);
    ruga_json_end_object(p->json);
}

static void print_animations(const printer *p) {
    const gltf_origin *o = p->origin;
    const int has_frames = p->plan && p->plan->frame_count > 0, own = has_frames && o->animation_index == GLTF_NONE;
    uint32_t index = 0;
    size_t kept = (size_t)own;
    for (const json_value *item = first_of(p, "animations"); item; item = item->next, index++)
        kept += (has_frames && index == o->animation_index) || count_channels(p, item) > 0;
    if (kept == 0) return;
    index = 0;
    ruga_json_put_array(p->json, "animations");
    for (const json_value *item = first_of(p, "animations"); item; item = item->next, index++) {
        const int frames_here = has_frames && index == o->animation_index;
        if (o->only_animation != GLTF_NONE && index != o->only_animation) continue;
        if (frames_here || count_channels(p, item) > 0) print_animation(p, item, frames_here);
    }
    if (own) print_animation(p, NULL, 1);
    ruga_json_end_array(p->json);
}

/* ---- Extensions: with the last compressed mesh the need for a decoder goes. */

static int is_needed(const printer *p, const char *extension) {
    uint32_t index = 0;
    if (!p->plan || strcmp(extension, GLTF_DRACO) != 0) return 1;
    for (const json_value *mesh = first_of(p, "meshes"); mesh; mesh = mesh->next, index++) {
        const json_value *list = json_member(mesh, "primitives");
        for (const json_value *q = list && list->type == JSON_ARRAY ? list->first : NULL; q; q = q->next)
            if (index != p->mesh && json_member(json_member(q, "extensions"), extension)) return 1;
    }
    return 0;
}

static void print_extensions(const printer *p, const char *key) {
    size_t count = 0;
    for (const json_value *item = first_of(p, key); item; item = item->next)
        count += item->type == JSON_STRING && is_needed(p, item->text);
    if (count == 0) return;
    ruga_json_put_array(p->json, key);
    for (const json_value *item = first_of(p, key); item; item = item->next)
        if (item->type == JSON_STRING && is_needed(p, item->text)) put_value(p->json, item);
    ruga_json_end_array(p->json);
}

/* ---- The file. */

void gltf_origin_print(const gltf_origin *o, const gltf_plan *plan, ruga_format format, uint64_t size,
                       ruga_json_writer *json) {
    static const char *const changed[] = {
        "buffers",    "bufferViews",    "accessors",          "images", "meshes", "nodes", "materials",
        "animations", "extensionsUsed", "extensionsRequired", NULL};
    const printer p = {o, plan, json, plan ? gltf_origin_mesh(o) : GLTF_NONE};
    ruga_json_begin_object(json);
    print_buffers(&p, format, size); /* first: its text is looked for */
    put_members(json, o->doc.root, changed);
    print_extensions(&p, "extensionsUsed");
    print_extensions(&p, "extensionsRequired");
    print_views(&p);
    print_accessors(&p);
    if (gltf_count(&o->doc, "images") > 0) print_images(&p);
    print_materials(&p);
    print_meshes(&p);
    print_nodes(&p);
    print_animations(&p);
    ruga_json_end_object(json);
}
