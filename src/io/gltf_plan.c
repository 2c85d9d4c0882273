/* The JSON of a glTF file that is written. */
#include "io/gltf_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGET_VERTICES 34962
#define TARGET_INDICES 34963

/* ---- Views and accessors. */

static ruga_status add_view(gltf_plan *plan, uint64_t size, uint32_t stride, uint32_t target) {
    TRY(ARRAY_ADD(plan->layout->context, &plan->views, (gltf_plan_view){plan->size, size, stride, target}));
    plan->size += (size + 3) / 4 * 4;
    return RUGA_OK;
}

/* Of the newest view. */
static ruga_status add_accessor(gltf_plan *plan, gltf_plan_accessor accessor) {
    TRY(ARRAY_RESERVE(plan->layout->context, &plan->accessors, 1));
    accessor.view = (uint32_t)plan->views.count - 1;
    plan->accessors.items[plan->accessors.count++] = accessor;
    return RUGA_OK;
}

void gltf_bounds(const float *points, size_t count, float low[3], float high[3]) {
    for (int c = 0; c < 3; c++) low[c] = high[c] = count > 0 ? points[c] : 0;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++) {
            const float value = points[3 * i + c];
            low[c] = value < low[c] ? value : low[c];
            high[c] = value > high[c] ? value : high[c];
        }
}

static gltf_plan_accessor float_accessor(uint64_t count, uint32_t components, uint64_t offset) {
    return (gltf_plan_accessor){.type = RUGA_F32, .count = count, .components = components, .offset = offset};
}

static ruga_status plan_skin(gltf_plan *plan) {
    const uint64_t count = plan->layout->file_count;
    gltf_plan_accessor joints = float_accessor(count, GLTF_INFLUENCES, 0);
    joints.type = RUGA_U16;
    TRY(add_view(plan, 2 * GLTF_INFLUENCES * count, 2 * GLTF_INFLUENCES, TARGET_VERTICES));
    TRY(add_accessor(plan, joints));
    TRY(add_view(plan, 4 * GLTF_INFLUENCES * count, 4 * GLTF_INFLUENCES, TARGET_VERTICES));
    return add_accessor(plan, float_accessor(count, GLTF_INFLUENCES, 0));
}

static int equal_points(void *user, uint32_t a, uint32_t b) {
    const float *p = user;
    return p[3 * a] == p[3 * b] && p[3 * a + 1] == p[3 * b + 1] && p[3 * a + 2] == p[3 * b + 2];
}

/* Whether two of the file's vertices are at one place. */
static ruga_status find_shared_places(ruga_context *context, const float *positions, size_t count, int *found) {
    ruga_vec3 *places = NULL;
    uint32_t *hashes = NULL, *classes = NULL;
    size_t class_count = count;
    ruga_status status = NEW(context, &places, count);
    if (!RUGA_FAILED(status)) status = NEW(context, &hashes, count);
    for (size_t i = 0; !RUGA_FAILED(status) && i < count; i++)
        places[i] = (ruga_vec3){(double)positions[3 * i], (double)positions[3 * i + 1], (double)positions[3 * i + 2]};
    if (!RUGA_FAILED(status)) {
        (void)gltf_hash_places(context, places, count, hashes);
        status = gltf_weld(context, count, hashes, equal_points, (void *)(uintptr_t)positions, &classes, &class_count);
    }
    *found = class_count < count;
    RELEASE_ALL(context, places, hashes, classes);
    return status;
}

static ruga_status plan_own_vertex(gltf_plan *plan, const float *positions) {
    const gltf_layout *layout = plan->layout;
    const uint64_t count = layout->file_count;
    int wanted = count != layout->mesh->vertex_count;
    if (!wanted) TRY(find_shared_places(layout->context, positions, count, &wanted));
    if (!wanted) return RUGA_OK;
    gltf_plan_accessor numbers = float_accessor(count, 2, 0);
    numbers.type = RUGA_U16;
    plan->own_vertex = (uint32_t)plan->accessors.count;
    TRY(add_view(plan, 4 * count, 4, TARGET_VERTICES));
    return add_accessor(plan, numbers);
}

static ruga_status plan_vertices(gltf_plan *plan, const float *positions) {
    const gltf_layout *layout = plan->layout;
    gltf_plan_accessor accessor = float_accessor(layout->file_count, 3, 0);
    accessor.bounds = 3;
    gltf_bounds(positions, layout->file_count, accessor.low, accessor.high);
    TRY(add_view(plan, 12 * (uint64_t)layout->file_count, 12, TARGET_VERTICES));
    TRY(add_accessor(plan, accessor));
    plan->first_attribute = (uint32_t)plan->accessors.count;
    for (size_t i = 0; i < layout->attribute_count; i++) {
        const gltf_written_attribute *w = &layout->attributes[i];
        if (!gltf_plan_has(plan, i)) continue;
        TRY(add_view(plan, (uint64_t)w->element_size * layout->file_count, (uint32_t)w->element_size, TARGET_VERTICES));
        TRY(add_accessor(plan, (gltf_plan_accessor){.type = w->type,
                                                    .count = layout->file_count,
                                                    .components = w->attribute->components,
                                                    .normalised = w->normalised}));
    }
    plan->first_skin = (uint32_t)plan->accessors.count;
    if (layout->origin && layout->origin->skinned) TRY(plan_skin(plan));
    return plan_own_vertex(plan, positions);
}

static ruga_status add_indices(gltf_plan *plan, uint64_t count) {
    const ruga_scalar type = plan->index_size == 2 ? RUGA_U16 : RUGA_U32;
    TRY(add_view(plan, count * plan->index_size, 0, TARGET_INDICES));
    return add_accessor(plan, (gltf_plan_accessor){.type = type, .count = count, .components = 1});
}

static size_t line_size(const ruga_mesh *mesh, size_t line) {
    return mesh->line_offsets[line + 1] - mesh->line_offsets[line];
}

static ruga_status plan_indices(gltf_plan *plan) {
    const gltf_layout *layout = plan->layout;
    const ruga_mesh *mesh = layout->mesh;
    /* The largest 16-bit number is no index: it would restart a strip. */
    plan->index_size = layout->file_count <= 65535 ? 2 : 4;
    plan->first_group = (uint32_t)plan->accessors.count;
    for (size_t g = 0; g < layout->group_count; g++)
        TRY(add_indices(plan, 3 * (uint64_t)(layout->group_begin[g + 1] - layout->group_begin[g])));
    plan->first_line = (uint32_t)plan->accessors.count;
    for (size_t l = 0; l < mesh->line_count; l++) plan->short_lines += line_size(mesh, l) == 2;
    if (plan->short_lines > 0) TRY(add_indices(plan, 2 * (uint64_t)plan->short_lines));
    plan->long_lines = mesh->line_count - plan->short_lines;
    for (size_t l = 0; l < mesh->line_count; l++)
        if (line_size(mesh, l) > 2) TRY(add_indices(plan, line_size(mesh, l)));
    return RUGA_OK;
}

/* Positions and normals of a morph target, in the newest view. */
static ruga_status plan_target(gltf_plan *plan, size_t target, const gltf_frame *frame) {
    const uint64_t vertices = plan->layout->file_count, size = 12 * vertices;
    /* Numbers that are not known yet count with a typical number of digits. */
    const float unknown = 1.0f / 3;
    gltf_plan_accessor accessor = float_accessor(vertices, 3, 2 * target * size);
    accessor.bounds = 3;
    for (int c = 0; c < 3; c++) {
        accessor.low[c] = frame ? frame->low[c] : -unknown;
        accessor.high[c] = frame ? frame->high[c] : unknown;
    }
    TRY(add_accessor(plan, accessor));
    return add_accessor(plan, float_accessor(vertices, 3, (2 * target + 1) * size));
}

/* Weights of the own targets in other animations: more targets, more weights. */
static ruga_status plan_weight_keys(gltf_plan *plan) {
    const gltf_origin *origin = plan->layout->origin;
    plan->first_keys = (uint32_t)plan->accessors.count;
    for (size_t i = 0; plan->own_count > 0 && i < origin->weight_keys.count; i++) {
        const uint64_t count = origin->weight_keys.items[i].count * (uint64_t)gltf_plan_targets(plan);
        TRY(add_view(plan, 4 * count, 0, 0));
        TRY(add_accessor(plan, float_accessor(count, 1, 0)));
    }
    return RUGA_OK;
}

static ruga_status plan_frames(gltf_plan *plan, const gltf_frames *frames) {
    uint64_t n = plan->frame_count, vertices = plan->layout->file_count, frame_size = 12 * vertices;
    if (n == 0) return RUGA_OK;
    plan->own_count = plan->layout->origin ? plan->layout->origin->own_count : 0;
    const uint64_t targets = gltf_plan_targets(plan);
    plan->first_frame = (uint32_t)plan->accessors.count;
    TRY(add_view(plan, frame_size, 12, TARGET_VERTICES));
    TRY(add_accessor(plan, float_accessor(vertices, 3, 0)));
    TRY(add_view(plan, 4 * n, 0, 0));
    gltf_plan_accessor times = float_accessor(n, 1, 0);
    times.bounds = 1;
    times.low[0] = frames ? frames->items[0].time : 1.0f / 3;
    times.high[0] = frames ? frames->items[n - 1].time : 1.0f / 3;
    TRY(add_accessor(plan, times));
    TRY(add_view(plan, 4 * n * targets, 0, 0));
    TRY(add_accessor(plan, float_accessor(n * targets, 1, 0)));
    TRY(add_view(plan, 2 * targets * frame_size, 12, TARGET_VERTICES));
    for (size_t k = 0; k < plan->own_count; k++) TRY(plan_target(plan, k, frames ? frames->own + k : NULL));
    for (size_t k = 0; k < n; k++) TRY(plan_target(plan, plan->own_count + k, frames ? frames->items + k : NULL));
    return plan_weight_keys(plan);
}

ruga_status gltf_plan_make(const gltf_layout *layout, const float *positions, const gltf_frames *frames,
                           size_t frame_count, gltf_plan *plan) {
    const gltf_origin *origin = layout->origin;
    *plan = (gltf_plan){.layout = layout, .frame_count = frame_count};
    if (origin) {
        plan->size = origin->byte_count;
        plan->view_base = gltf_origin_view_count(origin);
        plan->accessor_base = origin->accessor_count;
    }
    ruga_status status = plan_vertices(plan, positions);
    if (!RUGA_FAILED(status)) status = plan_indices(plan);
    if (!RUGA_FAILED(status)) status = plan_frames(plan, frames);
    if (RUGA_FAILED(status)) gltf_plan_release(plan);
    return status;
}

void gltf_plan_release(gltf_plan *plan) {
    if (!plan->layout) return;
    ARRAY_RELEASE(plan->layout->context, &plan->views);
    ARRAY_RELEASE(plan->layout->context, &plan->accessors);
    *plan = (gltf_plan){0};
}

/* ---- JSON. */

/* JSON as a template says: { } [ ] open and close, a word before a colon is a key, other words and whole numbers stand
 * for themselves; %s is text, %n a count. */
static void put(ruga_json_writer *json, const char *template, ...) {
    va_list arguments;
    va_start(arguments, template);
    for (const char *at = template; *at; at++) {
        char word[64];
        const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        switch (*at) {
            case '{': ruga_json_begin_object(json); continue;
            case '}': ruga_json_end_object(json); continue;
            case '[': ruga_json_begin_array(json); continue;
            case ']': ruga_json_end_array(json); continue;
            case ',':
            case ' ': continue;
            case '%':
                if (*++at == 's')
                    ruga_json_string(json, va_arg(arguments, const char *));
                else
                    ruga_json_integer(json, (int64_t)va_arg(arguments, uint64_t));
                continue;
            default: break;
        }
        memcpy(word, at, length);
        word[length] = 0;
        at += length - 1;
        if (at[1] == ':')
            ruga_json_key(json, word), at++;
        else if (word[0] >= '0' && word[0] <= '9')
            ruga_json_integer(json, atoi(word));
        else
            ruga_json_string(json, word);
    }
    va_end(arguments);
}

void gltf_plan_put_views(const gltf_plan *plan, ruga_json_writer *json) {
    for (size_t i = 0; i < plan->views.count; i++) {
        const gltf_plan_view *view = &plan->views.items[i];
        put(json, "{buffer:0, byteOffset:%n, byteLength:%n", view->offset, view->size);
        if (view->stride) ruga_json_put_count(json, "byteStride", view->stride);
        if (view->target) ruga_json_put_count(json, "target", view->target);
        put(json, "}");
    }
}

static void print_bounds(const char *key, const float *values, int count, ruga_json_writer *json) {
    ruga_json_put_array(json, key);
    for (int c = 0; c < count; c++) ruga_json_number(json, (double)values[c]);
    ruga_json_end_array(json);
}

static const char *shape_name(uint32_t components) {
    static const char *const names[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    return components <= 4 ? names[components - 1] : components == 9 ? "MAT3" : "MAT4";
}

void gltf_plan_put_accessors(const gltf_plan *plan, ruga_json_writer *json) {
    for (size_t i = 0; i < plan->accessors.count; i++) {
        const gltf_plan_accessor *a = &plan->accessors.items[i];
        put(json, "{bufferView:%n", plan->view_base + a->view);
        if (a->offset) ruga_json_put_count(json, "byteOffset", a->offset);
        put(json, "componentType:%n, count:%n, type:%s", (uint64_t)gltf_component_numbers[a->type], a->count,
            shape_name(a->components));
        if (a->normalised) ruga_json_put_boolean(json, "normalized", 1);
        if (a->bounds) print_bounds("min", a->low, a->bounds, json);
        if (a->bounds) print_bounds("max", a->high, a->bounds, json);
        put(json, "}");
    }
}

/* Extensions and extras of the file's own primitive with this material, but for its compression. */
static void put_primitive_extras(const gltf_origin *origin, uint32_t material, ruga_json_writer *json) {
    static const char *const changed[] = {"attributes", "indices", "material", "mode", "targets", NULL};
    static const char *const compressed[] = {"KHR_draco_mesh_compression", NULL};
    for (size_t i = 0; i < origin->surface.primitive_count; i++)
        if (origin->surface.primitives[i].material == material) {
            gltf_put_members(json, origin->surface.primitives[i].json, changed, "extensions", compressed);
            return;
        }
}

/* Every primitive names the same accessors: they share their vertices. */
static void print_primitive(const gltf_plan *plan, uint32_t indices, int mode, int64_t label, ruga_json_writer *json) {
    const gltf_origin *origin = plan->layout->origin;
    const uint64_t base = plan->accessor_base, frame = base + plan->first_frame;
    uint64_t accessor = base + plan->first_attribute;
    put(json, "{attributes:{POSITION:%n", base);
    if (plan->frame_count > 0) ruga_json_put_count(json, "NORMAL", frame);
    for (size_t i = 0; i < plan->layout->attribute_count; i++)
        if (gltf_plan_has(plan, i)) ruga_json_put_count(json, plan->layout->attributes[i].semantic, accessor++);
    if (origin && origin->skinned) {
        ruga_json_put_count(json, "JOINTS_0", base + plan->first_skin);
        ruga_json_put_count(json, "WEIGHTS_0", base + plan->first_skin + 1);
    }
    if (plan->own_vertex) ruga_json_put_count(json, GLTF_OWN_VERTEX, base + plan->own_vertex);
    put(json, "} indices:%n", base + indices);
    if (mode != 4) ruga_json_put_count(json, "mode", (uint64_t)mode);
    const uint32_t material = label < 0                    ? GLTF_NONE
                              : origin && origin->material ? origin->material[label]
                                                           : (uint32_t)label;
    if (material != GLTF_NONE) ruga_json_put_count(json, "material", material);
    if (origin && mode == 4) put_primitive_extras(origin, material, json);
    if (plan->frame_count > 0) put(json, "targets:[");
    for (uint64_t k = 0; plan->frame_count > 0 && k < gltf_plan_targets(plan); k++)
        put(json, "{POSITION:%n, NORMAL:%n}", frame + 3 + 2 * k, frame + 4 + 2 * k);
    put(json, plan->frame_count > 0 ? "]}" : "}");
}

void gltf_plan_put_mesh(const gltf_plan *plan, ruga_json_writer *json) {
    const gltf_layout *layout = plan->layout;
    put(json, "primitives:[");
    for (size_t g = 0; g < layout->group_count; g++)
        print_primitive(plan, plan->first_group + (uint32_t)g, 4, layout->group_label[g], json);
    uint32_t line = plan->first_line;
    if (plan->short_lines > 0) print_primitive(plan, line++, 1, -1, json);
    for (size_t l = 0; l < plan->long_lines; l++) print_primitive(plan, line++, 3, -1, json);
    put(json, "]");
    if (plan->frame_count == 0) return;
    put(json, "weights:[");
    for (size_t k = 0; k < plan->own_count; k++) ruga_json_number(json, layout->origin->rig.weights[k]);
    for (size_t k = 0; k < plan->frame_count; k++) put(json, "0");
    put(json, "]");
}

static void put_name(ruga_json_writer *json, const char *kind, size_t number) {
    char text[48];
    snprintf(text, sizeof text, "%s%zu", kind, number);
    ruga_json_string(json, text);
}

void gltf_plan_put_names(const gltf_plan *plan, ruga_json_writer *json) {
    const json_value *extras = json_member(plan->layout->origin->surface.mesh, "extras");
    const json_value *names = json_member(extras, "targetNames");
    put(json, "targetNames:[");
    for (size_t k = 0; k < plan->own_count; k++) {
        const json_value *name = names && names->type == JSON_ARRAY ? json_item(names, k) : NULL;
        if (name && name->type == JSON_STRING)
            ruga_json_string(json, name->text);
        else
            put_name(json, "target ", k);
    }
    for (size_t k = 0; k < plan->frame_count; k++) put_name(json, GLTF_FRAME_NAME, k);
    put(json, "]");
}

void gltf_plan_put_sampler(const gltf_plan *plan, ruga_json_writer *json) {
    const uint64_t first = plan->accessor_base + plan->first_frame;
    put(json, "{input:%n, interpolation:LINEAR, output:%n}", first + 1, first + 2);
}

void gltf_plan_put_channel(ruga_json_writer *json, size_t sampler, uint32_t node) {
    put(json, "{sampler:%n, target:{node:%n, path:weights}}", (uint64_t)sampler, (uint64_t)node);
}

/* Both sides of thin things are to be seen. */
static void print_materials(const gltf_plan *plan, ruga_json_writer *json) {
    const ruga_attribute *material = plan->layout->material;
    if (!material) return;
    put(json, "materials:[");
    for (size_t i = 0; i < material->label_count; i++) {
        put(json, "{name:%s", material->labels[i]);
        ruga_json_put_boolean(json, "doubleSided", 1);
        put(json, "}");
    }
    put(json, "]");
}

static void print_alone(const gltf_plan *plan, ruga_format format, ruga_json_writer *json) {
    char generator[64];
    snprintf(generator, sizeof generator, GLTF_GENERATOR "%s", ruga_version());
    put(json, "{asset:{version:%s, generator:%s} buffers:[{", "2.0", generator);
    if (format == RUGA_FORMAT_GLTF) ruga_json_put_string(json, "uri", "data:application/octet-stream;base64,");
    put(json, "byteLength:%n}] bufferViews:[", plan->size);
    gltf_plan_put_views(plan, json);
    put(json, "] accessors:[");
    gltf_plan_put_accessors(plan, json);
    put(json, "]");
    print_materials(plan, json);
    put(json, "meshes:[{name:mesh ");
    gltf_plan_put_mesh(plan, json);
    put(json, "}] nodes:[{name:mesh, mesh:0}] scenes:[{nodes:[0]}] scene:0");
    if (plan->frame_count > 0) {
        put(json, "animations:[{name:frames, samplers:[");
        gltf_plan_put_sampler(plan, json);
        put(json, "] channels:[");
        gltf_plan_put_channel(json, 0, 0);
        put(json, "]}]");
    }
    put(json, "}");
}

ruga_status gltf_plan_print(const gltf_plan *plan, ruga_format format, ruga_json_writer *json, gltf_text_parts *out) {
    if (plan->layout->origin)
        gltf_origin_print(plan->layout->origin, plan, format, plan->size, json);
    else
        print_alone(plan, format, json);
    return gltf_text_finish(json, format, out);
}

ruga_status gltf_text_finish(ruga_json_writer *json, ruga_format format, gltf_text_parts *out) {
    const char *text;
    size_t size;
    TRY(ruga_json_finish(json, &text, &size));
    *out = (gltf_text_parts){.head = text, .head_size = size};
    if (format != RUGA_FORMAT_GLTF) return RUGA_OK;
    /* The head comes first, so that the first such text is the buffer's. The writer may write "/" as it likes. */
    const char *place = strstr(text, "base64,") + 7;
    *out = (gltf_text_parts){text, place, (size_t)(place - text), size - (size_t)(place - text)};
    return RUGA_OK;
}
