#include "io/gltf_origin.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "math/vec3.h"

#define BLOCK 1024 /* vertices of one piece of parallel work */

/* ---- Buffers and pictures. */

static uint64_t padded(uint64_t size) { return (size + 3) / 4 * 4; }

/* Failures of parts that the mesh does not need: the rest of the file is kept. */
static void warn_missing(const gltf_origin *o, const char *what, uint32_t index) {
    log_warning(o->context, "%s: %s %u can't be read and is kept by its name only: %s", o->doc.name, what, index,
                ruga_context_message(o->context));
}

static ruga_status place_buffers(gltf_origin *o) {
    TRY(NEW(o->context, &o->buffer_offset, o->doc.buffer_count));
    for (uint32_t i = 0; i < o->doc.buffer_count; i++) {
        const ruga_status status = gltf_buffer_load(&o->doc, i, 1);
        if (status == RUGA_ERROR_MEMORY) return status;
        o->buffer_offset[i] = RUGA_FAILED(status) ? UINT64_MAX : o->byte_count;
        if (!RUGA_FAILED(status))
            o->byte_count += padded(o->doc.buffers[i].size);
        else if (!gltf_is_fallback(gltf_item(&o->doc, "buffers", i)))
            warn_missing(o, "buffer", i);
    }
    return RUGA_OK;
}

static const char *picture_type(const unsigned char *bytes, uint64_t size) {
    if (size > 8 && memcmp(bytes, "\x89PNG", 4) == 0) return "image/png";
    if (size > 8 && memcmp(bytes, "\xff\xd8\xff", 3) == 0) return "image/jpeg";
    if (size > 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0) return "image/webp";
    if (size > 12 && memcmp(bytes + 1, "KTX 20", 6) == 0) return "image/ktx2";
    return NULL;
}

/* Pictures beside the file go into the buffer, so that the written file is whole wherever it is. */
static ruga_status place_picture(gltf_origin *o, uint32_t image) {
    const json_value *uri = json_member(gltf_item(&o->doc, "images", image), "uri");
    gltf_buffer loaded = {0};
    if (!uri || uri->type != JSON_STRING || strncmp(uri->text, "data:", 5) == 0) return RUGA_OK;
    const ruga_status status = gltf_load_beside(&o->doc, uri, "picture", &loaded);
    if (status == RUGA_ERROR_MEMORY) return status;
    const char *type = RUGA_FAILED(status) ? NULL : picture_type(loaded.bytes, loaded.size);
    if (RUGA_FAILED(status)) warn_missing(o, "picture", image);
    if (!type) {
        memory_release(o->context, loaded.owned);
        return RUGA_OK;
    }
    const gltf_picture picture = {image, type, loaded.owned, loaded.size, o->byte_count};
    TRY_OR(ARRAY_ADD(o->context, &o->pictures, picture), memory_release(o->context, loaded.owned));
    o->byte_count += padded(loaded.size);
    return RUGA_OK;
}

static ruga_status put_padding(uint64_t size, gltf_put_function *put, void *user) {
    static const unsigned char zeros[4] = {0};
    return put(user, zeros, padded(size) - size);
}

static ruga_status put_range(gltf_origin *o, const gltf_buffer *buffer, uint64_t begin, uint64_t end,
                             gltf_put_function *put, void *user) {
    if (buffer->bytes) return put(user, buffer->bytes + begin, end - begin);
    if (!o->doc.scratch) TRY(NEW(o->context, &o->doc.scratch, GLTF_SCRATCH));
    TRY(file_seek(o->doc.stream, buffer->stream_offset + begin));
    for (uint64_t at = begin; at < end; at += GLTF_SCRATCH) {
        const size_t now = end - at < GLTF_SCRATCH ? end - at : GLTF_SCRATCH;
        TRY(file_read(o->doc.stream, o->doc.scratch, now));
        TRY(put(user, o->doc.scratch, now));
    }
    return RUGA_OK;
}

static ruga_status put_buffer(gltf_origin *o, uint32_t index, gltf_put_function *put, void *user) {
    const gltf_buffer *buffer = &o->doc.buffers[index];
    uint64_t at = 0;
    for (size_t i = 0; i < o->gaps.count; i++) {
        if (o->gaps.items[i].buffer != index) continue;
        TRY(put_range(o, buffer, at, o->gaps.items[i].begin, put, user));
        at = o->gaps.items[i].end;
    }
    return put_range(o, buffer, at, buffer->size, put, user);
}

ruga_status gltf_origin_put_bytes(gltf_origin *o, gltf_put_function *put, void *user) {
    for (uint32_t i = 0; i < o->doc.buffer_count; i++) {
        if (o->buffer_offset[i] == UINT64_MAX) continue;
        TRY(put_buffer(o, i, put, user));
        TRY(put_padding(o->doc.buffers[i].size, put, user));
    }
    for (size_t i = 0; i < o->pictures.count; i++) {
        TRY(put(user, o->pictures.items[i].bytes, o->pictures.items[i].size));
        TRY(put_padding(o->pictures.items[i].size, put, user));
    }
    return RUGA_OK;
}

/* Buffers and pictures move up by what is left out. */
static ruga_status leave_out_unused(gltf_origin *o) {
    uint64_t before = 0;
    TRY(gltf_origin_trim(o, gltf_origin_mesh(o) == o->choice.mesh ? o->choice.mesh : GLTF_NONE));
    for (uint32_t i = 0; i < o->doc.buffer_count; i++) {
        if (o->buffer_offset[i] == UINT64_MAX) continue;
        o->buffer_offset[i] -= before;
        before += gltf_origin_gaps_before(o, i, UINT64_MAX);
    }
    for (size_t i = 0; i < o->pictures.count; i++) o->pictures.items[i].offset -= before;
    o->byte_count -= before;
    return RUGA_OK;
}

/* ---- Posing. */

static gltf_matrix skin_matrix(const gltf_origin *o, size_t vertex) {
    gltf_matrix sum = {{{0}}};
    for (size_t i = GLTF_INFLUENCES * vertex; i < GLTF_INFLUENCES * (vertex + 1); i++) {
        const gltf_matrix *joint = &o->rig.joint_matrices[o->joints[i]];
        const double weight = (double)o->joint_weights[i];
        for (int r = 0; weight > 0 && r < 3; r++)
            for (int c = 0; c < 4; c++) sum.m[r][c] += weight * joint->m[r][c];
    }
    return sum;
}

/* A matrix that flattens, such as a scale of zero, has no inverse: then the one at rest serves. */
static gltf_matrix inverse_or(const gltf_matrix *a, const gltf_matrix *rest) {
    gltf_matrix inverse;
    return gltf_matrix_inverse(a, &inverse) ? inverse : *rest;
}

static void pose_range(void *argument, size_t begin, size_t end) {
    gltf_origin *o = argument;
    for (size_t v = begin; v < end; v++) {
        const gltf_matrix posed = skin_matrix(o, v);
        o->local[v] = inverse_or(&posed, &o->rest[v]);
    }
}

/* From rig.locals to `local`. */
static void find_local(gltf_origin *o) {
    gltf_rig_pose_nodes(&o->rig);
    if (o->skinned)
        parallel_for(o->context, o->vertex_count, BLOCK, pose_range, o);
    else
        o->local[0] = inverse_or(&o->rig.globals[o->choice.node], &o->rest[0]);
}

/* Displacements by the own targets and their weights. */
static void find_morphed(gltf_origin *o, const double *weights, ruga_vec3 *out) {
    if (o->own_count == 0) return;
    memset(o->file_morphed, 0, o->rig.vertex_count * sizeof *o->file_morphed);
    for (size_t t = 0; t < o->own_count; t++)
        for (size_t v = 0; weights[t] != 0 && o->rig.deltas[t] && v < o->rig.vertex_count; v++) {
            const float *delta = o->rig.deltas[t] + 3 * v;
            const vec3 d = vec3_make((double)delta[0], (double)delta[1], (double)delta[2]);
            o->file_morphed[v] = vec3_add_scaled(o->file_morphed[v], d, weights[t]);
        }
    ruga_map_apply(o->rows, o->file_morphed, out);
}

void gltf_origin_target(gltf_origin *o, size_t target, ruga_vec3 *out) {
    double *weights = o->weights;
    memset(weights, 0, o->rig.target_count * sizeof *weights);
    weights[target] = 1;
    find_morphed(o, weights, out);
    memcpy(weights, o->rig.weights, o->rig.target_count * sizeof *weights);
}

void gltf_origin_pose(gltf_origin *o, double time) {
    gltf_animation_pose(&o->animation, time, &o->rig, o->transforms, o->weights);
    find_local(o);
    find_morphed(o, o->weights, o->morphed);
}

void gltf_origin_pose_rest(gltf_origin *o) {
    memcpy(o->local, o->rest, (o->skinned ? o->vertex_count : 1) * sizeof *o->rest);
    if (o->own_count > 0) memcpy(o->morphed, o->rest_morphed, o->vertex_count * sizeof *o->morphed);
}

static const gltf_matrix *local_of(const gltf_origin *o, size_t vertex) { return &o->local[o->skinned ? vertex : 0]; }

ruga_vec3 gltf_origin_point(const gltf_origin *o, size_t vertex, ruga_vec3 p) {
    if (!o) return p;
    p = gltf_matrix_point(local_of(o, vertex), p);
    return o->own_count > 0 ? vec3_sub(p, o->morphed[vertex]) : p;
}

ruga_vec3 gltf_origin_direction(const gltf_origin *o, size_t vertex, ruga_vec3 d) {
    if (!o) return d;
    gltf_matrix linear = *local_of(o, vertex);
    for (int r = 0; r < 3; r++) linear.m[r][3] = 0;
    return vec3_normalise(gltf_matrix_point(&linear, d));
}

/* ---- The skin of the written mesh. */

/* The largest weights of a row, made to sum to 1. Returns whether there were more. */
static int choose_influences(const ruga_map *skin, size_t vertex, uint16_t *joints, float *weights) {
    double chosen[GLTF_INFLUENCES] = {0}, sum = 0;
    for (size_t i = skin->offsets[vertex]; i < skin->offsets[vertex + 1]; i++) {
        int place = GLTF_INFLUENCES;
        while (place > 0 && skin->weights[i] > chosen[place - 1]) place--;
        for (int k = GLTF_INFLUENCES - 1; k > place; k--) chosen[k] = chosen[k - 1], joints[k] = joints[k - 1];
        if (place < GLTF_INFLUENCES) chosen[place] = skin->weights[i], joints[place] = (uint16_t)skin->indices[i];
    }
    for (int k = 0; k < GLTF_INFLUENCES; k++) sum += chosen[k];
    for (int k = 0; k < GLTF_INFLUENCES; k++) weights[k] = sum > 0 ? (float)(chosen[k] / sum) : k == 0;
    return skin->offsets[vertex + 1] - skin->offsets[vertex] > GLTF_INFLUENCES;
}

static ruga_status take_skin(gltf_origin *o, const ruga_mesh *mesh) {
    o->skinned = !o->def.baked && o->rig.joint_count > 0 && o->rig.joint_count <= UINT16_MAX && mesh->joint_weights &&
                 mesh->joint_count == o->rig.joint_count;
    if (!o->skinned) return RUGA_OK;
    TRY(NEW_ZEROED(o->context, &o->joints, GLTF_INFLUENCES * o->vertex_count));
    TRY(NEW(o->context, &o->joint_weights, GLTF_INFLUENCES * o->vertex_count));
    size_t cut = 0;
    for (size_t v = 0; v < o->vertex_count; v++)
        cut += (size_t)choose_influences(mesh->joint_weights, v, o->joints + GLTF_INFLUENCES * v,
                                         o->joint_weights + GLTF_INFLUENCES * v);
    if (cut > 0)
        log_info(o->context, "%s: %zu vertices follow more than %d joints; the %d with the largest weights are kept",
                 o->path, cut, (int)GLTF_INFLUENCES, (int)GLTF_INFLUENCES);
    return RUGA_OK;
}

/* ---- Materials: the labels of the mesh are the file's materials in the order of their first use. */

static const char *material_name(const gltf_origin *o, uint32_t material) {
    const char *name = gltf_text(gltf_item(&o->doc, "materials", material), "name");
    return name ? name : "";
}

static size_t used_materials(const gltf_origin *o, uint32_t *used) {
    size_t count = 0;
    for (size_t i = 0; i < o->surface.primitive_count; i++) {
        const gltf_primitive *p = &o->surface.primitives[i];
        size_t k = 0;
        while (k < count && used[k] != p->material) k++;
        if (k == count && p->material != GLTF_NONE && p->mode >= 4) used[count++] = p->material;
    }
    return count;
}

static uint32_t material_called(const gltf_origin *o, const char *name) {
    for (uint32_t i = 0; i < gltf_count(&o->doc, "materials"); i++)
        if (strcmp(material_name(o, i), name) == 0) return i;
    return GLTF_NONE;
}

static ruga_status match_materials(gltf_origin *o, const ruga_mesh *mesh) {
    const ruga_attribute *labels = ruga_mesh_attribute(mesh, "material", RUGA_DOMAIN_FACE);
    uint32_t *used = NULL;
    if (!labels || labels->label_count == 0) return RUGA_OK;
    TRY(NEW(o->context, &o->material, labels->label_count));
    TRY(NEW(o->context, &used, o->surface.primitive_count + 1));
    const size_t count = used_materials(o, used);
    int same = count == labels->label_count;
    for (size_t i = 0; same && i < count; i++) same = strcmp(labels->labels[i], material_name(o, used[i])) == 0;
    for (size_t i = 0; i < labels->label_count; i++) {
        o->material[i] = same ? used[i] : material_called(o, labels->labels[i]);
        if (o->material[i] == GLTF_NONE)
            o->material[i] = (uint32_t)(gltf_count(&o->doc, "materials") + o->more_materials++);
    }
    memory_release(o->context, used);
    return RUGA_OK;
}

/* ---- Opening. */

static ruga_status open_document(gltf_origin *o, const char *path) {
    TRY(NEW_TEXT(o->context, &o->path, path));
    TRY(io_copy_directory(o->context, path, &o->directory));
    o->source = (io_source){.context = o->context, .name = o->path, .directory = o->directory, .def = &o->def};
    TRY(file_open(o->context, path, &o->source.stream));
    o->source.size = (size_t)file_size(o->source.stream);
    TRY(gltf_document_open(&o->source, &o->doc));
    TRY(gltf_scene_open(&o->doc, &o->all));
    o->accessor_count = gltf_count(&o->doc, "accessors");
    o->view_count = gltf_count(&o->doc, "bufferViews");
    TRY(place_buffers(o));
    for (uint32_t i = 0; i < gltf_count(&o->doc, "images"); i++) TRY(place_picture(o, i));
    return RUGA_OK;
}

static ruga_status open_copy(gltf_origin *o, const char *path) {
    TRY(open_document(o, path));
    o->only = o->def.mesh != NULL;
    if (o->only) TRY(gltf_scene_choose(&o->doc, &o->all, o->def.mesh, &o->choice));
    return o->def.animation ? gltf_animation_find(&o->doc, o->def.animation, &o->only_animation) : RUGA_OK;
}

/* The animation that frames move along; without any, or with none that moves the mesh, they make their own. */
static ruga_status open_animation(gltf_origin *o) {
    const char *wanted = o->def.animation;
    if (gltf_count(&o->doc, "animations") > 0) {
        TRY(gltf_animation_find(&o->doc, wanted, &o->animation_index));
        TRY(gltf_animation_open(&o->doc, &o->rig, wanted, &o->animation));
    }
    TRY(NEW_COPY(o->context, &o->weights, o->rig.weights, o->rig.target_count));
    TRY(NEW(o->context, &o->transforms, o->rig.scene.node_count));
    for (size_t i = 0; i < o->rig.scene.node_count; i++) o->transforms[i] = o->rig.scene.nodes[i].transform;
    return RUGA_OK;
}

/* ---- Own morph targets. */

/* One channel of an animation that frames do not move along; keys that do not fit the targets are lost. */
static ruga_status take_weight_keys(gltf_origin *o, const json_value *animation, const json_value *channel) {
    gltf_weight_keys keys = {.channel = channel};
    const json_value *number = json_member(channel, "sampler");
    gltf_accessor a;
    uint32_t index;
    float *all = NULL;
    int64_t sampler;
    const json_value *samplers = json_member(animation, "samplers");
    if (!samplers || !json_whole(number, 0, (double)samplers->count - 1, &sampler)) return RUGA_OK;
    keys.sampler = json_item(samplers, (size_t)sampler);
    TRY(gltf_index(&o->doc, keys.sampler, "output", "accessors", &index));
    if (index == GLTF_NONE) return RUGA_OK;
    TRY(gltf_accessor_open(&o->doc, index, &a));
    if (a.components != 1 || a.count % o->rig.target_count != 0) return RUGA_OK;
    keys.count = (size_t)a.count / o->rig.target_count;
    TRY(gltf_charge(&o->doc, a.json, a.count));
    TRY(NEW(o->context, &all, a.count));
    ruga_status status = gltf_accessor_floats(&o->doc, &a, all);
    if (!RUGA_FAILED(status)) status = NEW(o->context, &keys.values, keys.count * o->own_count);
    for (size_t i = 0; !RUGA_FAILED(status) && i < keys.count; i++)
        memcpy(keys.values + i * o->own_count, all + i * o->rig.target_count, o->own_count * sizeof(float));
    memory_release(o->context, all);
    if (!RUGA_FAILED(status)) status = ARRAY_ADD(o->context, &o->weight_keys, keys);
    TRY_OR(status, memory_release(o->context, keys.values));
    return RUGA_OK;
}

static ruga_status open_weight_keys(gltf_origin *o) {
    for (uint32_t i = 0; i < gltf_count(&o->doc, "animations"); i++) {
        const json_value *animation = gltf_item(&o->doc, "animations", i);
        const json_value *channels = json_member(animation, "channels");
        if (i == o->animation_index || !channels || channels->type != JSON_ARRAY) continue;
        for (const json_value *c = channels->first; c; c = c->next)
            if (gltf_origin_moves_weights(o, c)) TRY(take_weight_keys(o, animation, c));
    }
    return RUGA_OK;
}

uint32_t gltf_origin_mesh(const gltf_origin *o) {
    size_t shown = 0;
    for (size_t i = 0; i < o->all.node_count; i++) shown += o->all.nodes[i].mesh == o->choice.mesh;
    return shown > 1 ? (uint32_t)gltf_count(&o->doc, "meshes") : o->choice.mesh;
}

int gltf_origin_moves_weights(const gltf_origin *o, const json_value *channel) {
    const json_value *target = json_member(channel, "target"), *node = json_member(target, "node");
    const char *path = gltf_text(target, "path");
    return path && strcmp(path, "weights") == 0 && node && node->number == (double)o->choice.node;
}

/* Controls of a rig stay if the mesh knows how its vertices follow those of the file. */
static int keeps_targets(const gltf_origin *o, const ruga_mesh *mesh) {
    return !o->def.baked && o->frames && mesh->file_rows && mesh->file_rows->rows == mesh->vertex_count &&
           mesh->file_rows->columns == o->surface.vertex_count;
}

static ruga_status open_targets(gltf_origin *o, const ruga_mesh *mesh) {
    if (o->own_count == 0) return RUGA_OK;
    o->rows = mesh->file_rows;
    TRY(NEW_EACH(o->context, mesh->vertex_count, &o->rest_morphed, &o->morphed));
    TRY(NEW(o->context, &o->file_morphed, o->rig.vertex_count));
    find_morphed(o, o->rig.weights, o->rest_morphed);
    memcpy(o->morphed, o->rest_morphed, mesh->vertex_count * sizeof *o->morphed);
    return open_weight_keys(o);
}

static ruga_status open_rest(gltf_origin *o, const ruga_mesh *mesh) {
    o->vertex_count = mesh->vertex_count;
    TRY(take_skin(o, mesh));
    const size_t count = o->skinned ? o->vertex_count : 1;
    TRY(NEW_EACH(o->context, count, &o->rest, &o->local));
    for (size_t i = 0; i < count; i++) o->rest[i] = gltf_matrix_identity();
    find_local(o);
    memcpy(o->rest, o->local, count * sizeof *o->rest);
    return match_materials(o, mesh);
}

static ruga_status open_for(gltf_origin *o, const char *path, const ruga_mesh *mesh) {
    gltf_scene scene = {0};
    TRY(open_document(o, path));
    TRY(gltf_scene_choose(&o->doc, &o->all, o->def.mesh, &o->choice));
    if (o->choice.node == GLTF_NONE)
        return fail_unsupported(o->context, "%s: no node shows the mesh, so it can't be written back into the file",
                                o->path);
    const int skinned = o->all.nodes[o->choice.node].skin != GLTF_NONE;
    TRY(gltf_surface_open(&o->doc, o->choice.mesh, skinned, &o->surface));
    TRY(gltf_scene_open(&o->doc, &scene));
    const size_t own = gltf_own_targets(&o->doc, &o->surface);
    o->own_count = keeps_targets(o, mesh) ? own : 0;
    const gltf_targets targets = o->own_count > 0 ? GLTF_TARGETS_ALL : GLTF_TARGETS_AT_REST;
    TRY(gltf_rig_open(&o->doc, &scene, o->choice, &o->surface, targets, &o->rig));
    TRY(open_animation(o));
    if (own > o->own_count)
        log_info(o->context, "%s: the %zu morph targets of the mesh, and the keys of their weights, are not kept",
                 o->path, own);
    if (own == 0 && o->surface.target_count > 0 && o->frames && !gltf_is_film(&o->doc))
        log_warning(
            o->context,
            "%s: the %zu morph targets of the mesh have no names, so they are taken for frames of a film and are "
            "not kept as controls; give them names (targetNames)",
            o->path, o->surface.target_count);
    TRY(open_targets(o, mesh));
    TRY(leave_out_unused(o));
    return open_rest(o, mesh);
}

static ruga_status make(ruga_context *context, const ruga_file_def *def, gltf_origin **out) {
    TRY(NEW_ZEROED(context, out, 1));
    (*out)->context = context;
    (*out)->def = *def;
    (*out)->choice = (gltf_choice){GLTF_NONE, GLTF_NONE};
    (*out)->animation_index = (*out)->only_animation = GLTF_NONE;
    return RUGA_OK;
}

ruga_status gltf_origin_open(ruga_context *context, const char *path, const ruga_file_def *def, gltf_origin **out) {
    gltf_origin *o = NULL;
    TRY(make(context, def, &o));
    RETURN_MADE(open_copy(o, path), o, out, gltf_origin_close(o));
}

ruga_status gltf_origin_open_for(const ruga_mesh *mesh, const char *path, const ruga_file_def *def, int frames,
                                 gltf_origin **out) {
    gltf_origin *o = NULL;
    TRY(make(mesh->context, def, &o));
    o->frames = frames;
    RETURN_MADE(open_for(o, path, mesh), o, out, gltf_origin_close(o));
}

void gltf_origin_close(gltf_origin *o) {
    if (!o) return;
    ruga_context *context = o->context;
    for (size_t i = 0; i < o->pictures.count; i++) memory_release(context, o->pictures.items[i].bytes);
    ARRAY_RELEASE(context, &o->pictures);
    for (size_t i = 0; i < o->weight_keys.count; i++) memory_release(context, o->weight_keys.items[i].values);
    ARRAY_RELEASE(context, &o->weight_keys);
    ARRAY_RELEASE(context, &o->gaps);
    gltf_animation_close(&o->animation);
    gltf_rig_close(&o->rig);
    if (o->doc.context) gltf_surface_close(&o->doc, &o->surface);
    gltf_scene_close(context, &o->all);
    if (o->doc.context) gltf_document_close(&o->doc);
    file_close(o->source.stream);
    RELEASE_ALL(context, o->path, o->directory, o->buffer_offset, o->live_accessors, o->live_views, o->weights,
                o->transforms, o->joints, o->joint_weights, o->rest, o->local, o->rest_morphed, o->morphed,
                o->file_morphed, o->material, o);
}
