/* Morph targets and skin: the positions of a mesh for given node transforms and morph weights.
 *
 *     morphed   p = p0 + Σ w_k d_k
 *     skinned   x = Σ_j w_j G_j B_j p     G: the joint's global transform, B: its inverse bind matrix
 *     else      x = G p                   G: of the mesh's node
 *
 * A skinned mesh does not follow its own node, as the specification says. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/threads.h"
#include "io/gltf.h"
#include "linalg/map.h"
#include "math/vec3.h"

#define BLOCK 4096      /* vertices of one piece of parallel work */
#define MOST_UNNAMED 64 /* morph targets without names: more are frames of a film, not controls */

/* ---- Morph targets. */

/* The weights that the file itself sets: the node's, else the mesh's, else zero. */
static ruga_status read_weights(gltf_document *doc, gltf_choice choice, const gltf_surface *surface, gltf_rig *rig) {
    const json_value *node = choice.node == GLTF_NONE ? NULL : gltf_item(doc, "nodes", choice.node);
    int found = 0;
    TRY(NEW_ZEROED(doc->context, &rig->weights, rig->target_count));
    TRY(gltf_numbers(doc, node, "weights", rig->target_count, rig->weights, &found));
    return found ? RUGA_OK : gltf_numbers(doc, surface->mesh, "weights", rig->target_count, rig->weights, &found);
}

int gltf_is_film(const gltf_document *doc) {
    const char *generator = gltf_text(json_member(doc->root, "asset"), "generator");
    return generator && strncmp(generator, GLTF_GENERATOR, strlen(GLTF_GENERATOR)) == 0;
}

size_t gltf_own_targets(const gltf_document *doc, const gltf_surface *surface) {
    const json_value *names = json_member(json_member(surface->mesh, "extras"), "targetNames");
    size_t count = 0;
    if (!names && (gltf_is_film(doc) || surface->target_count > MOST_UNNAMED)) return 0;
    for (; count < surface->target_count; count++) {
        const json_value *name = names && names->type == JSON_ARRAY ? json_item(names, count) : NULL;
        if (name && name->type == JSON_STRING && strncmp(name->text, GLTF_FRAME_NAME, strlen(GLTF_FRAME_NAME)) == 0)
            break;
    }
    return count;
}

ruga_status gltf_rig_read_target(gltf_document *doc, const gltf_surface *surface, size_t target, float *deltas) {
    int found;
    TRY(gltf_surface_floats(doc, surface, target, "POSITION", 3, deltas, &found));
    for (size_t i = 0; i < 3 * surface->file_count; i++)
        if (!isfinite(deltas[i]))
            return gltf_fail(doc, NULL, "morph target %zu moves vertex %zu of the file by a number that is not finite",
                             target, i / 3);
    for (size_t v = 0; surface->first && v < surface->vertex_count; v++)
        memmove(deltas + 3 * v, deltas + 3 * (size_t)surface->first[v], 3 * sizeof(float));
    return RUGA_OK;
}

static ruga_status read_targets(gltf_document *doc, const gltf_surface *surface, gltf_targets targets, gltf_rig *rig) {
    TRY(NEW_ZEROED(doc->context, &rig->deltas, rig->target_count));
    for (size_t t = 0; t < rig->target_count; t++) {
        float **deltas = &rig->deltas[t];
        if (targets == GLTF_TARGETS_AT_REST && rig->weights[t] == 0) continue;
        TRY(gltf_charge(doc, surface->mesh, 3 * surface->file_count));
        TRY(NEW(doc->context, deltas, 3 * surface->file_count));
        TRY(gltf_rig_read_target(doc, surface, t, *deltas));
        if (targets != GLTF_TARGETS_STREAMED) continue;
        memory_release(doc->context, *deltas);
        *deltas = NULL;
        gltf_forget_views(doc);
    }
    return RUGA_OK;
}

/* ---- Skin. */

static ruga_status read_joints(gltf_document *doc, const json_value *skin, gltf_rig *rig) {
    const json_value *list = json_member(skin, "joints");
    rig->joint_count = list->count;
    TRY(NEW_EACH(doc->context, rig->joint_count, &rig->joints, &rig->inverse, &rig->joint_matrices));
    const json_value *item = list->first;
    for (size_t j = 0; j < rig->joint_count; j++, item = item->next) {
        int64_t node;
        if (!json_whole(item, 0, (double)rig->scene.node_count - 1, &node))
            return gltf_fail(doc, item, "joint %zu of the skin is not one of the %zu nodes", j, rig->scene.node_count);
        rig->joints[j] = (uint32_t)node;
        rig->inverse[j] = gltf_matrix_identity();
    }
    return RUGA_OK;
}

static ruga_status read_inverse_binds(gltf_document *doc, const json_value *skin, gltf_rig *rig) {
    gltf_accessor a;
    uint32_t index;
    TRY(gltf_index(doc, skin, "inverseBindMatrices", "accessors", &index));
    if (index == GLTF_NONE) return RUGA_OK;
    TRY(gltf_accessor_open(doc, index, &a));
    if (a.components != 16 || a.type != RUGA_F32 || a.count < rig->joint_count)
        return gltf_fail(doc, a.json,
                         "inverse bind matrices (accessor %u) must be MAT4 of floats, one for each of %zu joints",
                         index, rig->joint_count);
    TRY(gltf_charge(doc, a.json, 16 * a.count));
    double *columns = NULL;
    TRY(NEW(doc->context, &columns, 16 * a.count));
    ruga_status status = gltf_accessor_doubles(doc, &a, columns);
    for (size_t i = 0; !RUGA_FAILED(status) && i < 16 * rig->joint_count; i++) {
        if (!isfinite(columns[i]))
            status = gltf_fail(doc, a.json, "the inverse bind matrix of joint %zu is not finite", i / 16);
        if (i % 4 < 3) rig->inverse[i / 16].m[i % 4][i / 4 % 4] = columns[i]; /* the last row is 0 0 0 1 */
    }
    memory_release(doc->context, columns);
    return status;
}

/* Joints and weights of the file's vertices: (sets x file_count x 4). */
typedef struct influences {
    size_t sets, file_count;
    uint32_t *joints;
    float *weights;
} influences;

/* How many sets JOINTS_0, JOINTS_1 … there are. */
static size_t count_sets(const gltf_surface *surface) {
    for (size_t set = 0;; set++) {
        char name[32];
        int found = 0;
        snprintf(name, sizeof name, "JOINTS_%zu", set);
        for (size_t b = 0; b < surface->block_count; b++)
            found |= json_member(surface->blocks[b].attributes, name) != NULL;
        if (!found) return set;
    }
}

/* One set of one block. */
static ruga_status read_set(gltf_document *doc, const gltf_block *block, size_t set, influences *in) {
    const size_t begin = 4 * (set * in->file_count + block->base);
    gltf_accessor joints, weights;
    uint32_t joint_index, weight_index, largest;
    char joint_name[32], weight_name[32];
    snprintf(joint_name, sizeof joint_name, "JOINTS_%zu", set);
    snprintf(weight_name, sizeof weight_name, "WEIGHTS_%zu", set);
    TRY(gltf_block_accessor(doc, block, joint_name, &joint_index));
    TRY(gltf_block_accessor(doc, block, weight_name, &weight_index));
    if (joint_index == GLTF_NONE && set > 0) return RUGA_OK;
    if (joint_index == GLTF_NONE || weight_index == GLTF_NONE)
        return gltf_fail(doc, block->attributes, "primitive %u of a skinned mesh needs both %s and %s",
                         block->primitive, joint_name, weight_name);
    TRY(gltf_block_open(doc, block, joint_index, joint_name, 4, &joints));
    TRY(gltf_block_open(doc, block, weight_index, weight_name, 4, &weights));
    if (joints.type != RUGA_U8 && joints.type != RUGA_U16)
        return gltf_fail(doc, joints.json, "%s (accessor %u) must be unsigned bytes or shorts", joint_name,
                         joint_index);
    TRY(gltf_accessor_whole(doc, &joints, in->joints + begin, &largest));
    return gltf_accessor_floats(doc, &weights, in->weights + begin);
}

static ruga_status check_influence(gltf_document *doc, const gltf_rig *rig, size_t vertex, uint32_t joint,
                                   float weight) {
    if (!isfinite(weight) || weight < 0) {
        const json_value *node = joint < rig->joint_count ? gltf_item(doc, "nodes", rig->joints[joint]) : NULL;
        const char *name = gltf_text(node, "name");
        return gltf_fail(doc, NULL,
                         "vertex %zu of the file has the skin weight %g of joint %u%s%.80s%s; it must be 0 or more",
                         vertex, (double)weight, joint, name ? " (" : "", name ? name : "", name ? ")" : "");
    }
    if (weight > 0 && joint >= rig->joint_count)
        return gltf_fail(doc, NULL, "vertex %zu of the file is moved by joint %u, but the skin has %zu joints", vertex,
                         joint, rig->joint_count);
    return RUGA_OK;
}

/* Problems of the weights of a skin, for one warning each. */
typedef struct skin_oddities {
    size_t unweighted, first_unweighted; /* vertices without any weight */
    size_t uneven, worst;                /* whose weights do not sum to 1; the worst of them, and its sum */
    double worst_sum;
} skin_oddities;

/* Weights are often stored in eight bits: what these can't help is no oddity. */
#define SUM_TOLERANCE 0.05

static void check_weight_sum(skin_oddities *odd, size_t vertex, double sum) {
    if (fabs(sum - 1) <= SUM_TOLERANCE) return;
    if (odd->uneven++ > 0 && fabs(sum - 1) <= fabs(odd->worst_sum - 1)) return;
    odd->worst = vertex;
    odd->worst_sum = sum;
}

static void warn_about_weights(gltf_document *doc, const skin_oddities *odd) {
    if (odd->unweighted > 0)
        log_warning(doc->context,
                    "%s: %zu vertices have no skin weight, the first is vertex %zu of the file; they follow their "
                    "first joint",
                    doc->name, odd->unweighted, odd->first_unweighted);
    if (odd->uneven > 0)
        log_warning(doc->context,
                    "%s: the skin weights of %zu vertices do not sum to 1, most of all those of vertex %zu of the "
                    "file, which sum to %g; they are scaled",
                    doc->name, odd->uneven, odd->worst, odd->worst_sum);
}

/* The non-zero weights of one vertex, made to sum to 1. Without any, its first joint holds it. */
static ruga_status gather_vertex(gltf_document *doc, gltf_rig *rig, const influences *in, size_t from, size_t vertex,
                                 skin_oddities *odd) {
    size_t begin = rig->influence_begin[vertex], end = begin;
    double sum = 0;
    for (size_t i = 0; i < 4 * in->sets; i++) {
        const size_t at = 4 * (i / 4 * in->file_count + from) + i % 4;
        TRY(check_influence(doc, rig, from, in->joints[at], in->weights[at]));
        if (in->weights[at] == 0) continue;
        rig->influence_joint[end] = in->joints[at];
        rig->influence_weight[end++] = (double)in->weights[at];
        sum += (double)in->weights[at];
    }
    if (end == begin) {
        TRY(check_influence(doc, rig, from, in->joints[4 * from], 1));
        rig->influence_joint[end] = in->joints[4 * from];
        rig->influence_weight[end++] = sum = 1;
        if (odd->unweighted++ == 0) odd->first_unweighted = from;
    }
    check_weight_sum(odd, from, sum);
    for (size_t i = begin; i < end; i++) rig->influence_weight[i] /= sum;
    rig->influence_begin[vertex + 1] = end;
    return RUGA_OK;
}

static ruga_status gather_influences(gltf_document *doc, const gltf_surface *surface, const influences *in,
                                     gltf_rig *rig) {
    size_t room = rig->vertex_count * 4 * in->sets;
    skin_oddities odd = {0};
    TRY(NEW(doc->context, &rig->influence_begin, rig->vertex_count + 1));
    TRY(NEW_EACH(doc->context, room, &rig->influence_joint, &rig->influence_weight));
    rig->influence_begin[0] = 0;
    for (size_t v = 0; v < rig->vertex_count; v++)
        TRY(gather_vertex(doc, rig, in, surface->first ? surface->first[v] : v, v, &odd));
    warn_about_weights(doc, &odd);
    return RUGA_OK;
}

static ruga_status read_skin(gltf_document *doc, const gltf_surface *surface, uint32_t skin, gltf_rig *rig) {
    const json_value *json = gltf_item(doc, "skins", skin), *list = json_member(json, "joints");
    influences in = {.sets = count_sets(surface), .file_count = surface->file_count};
    if (in.sets == 0) return RUGA_OK;
    if (!list || list->type != JSON_ARRAY || list->count == 0) {
        log_warning(doc->context,
                    "%s: skin %u has no joints; the mesh is read without it and follows its node. To have the skin, "
                    "export the file again with its bones",
                    doc->name, skin);
        return RUGA_OK;
    }
    TRY(read_joints(doc, json, rig));
    TRY(read_inverse_binds(doc, json, rig));
    size_t room = 4 * in.sets * in.file_count;
    TRY(gltf_charge(doc, json, room));
    ruga_status status = NEW_ZEROED(doc->context, &in.joints, room);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(doc->context, &in.weights, room);
    for (size_t i = 0; i < surface->block_count * in.sets && !RUGA_FAILED(status); i++)
        status = read_set(doc, &surface->blocks[i / in.sets], i % in.sets, &in);
    if (!RUGA_FAILED(status)) status = gather_influences(doc, surface, &in, rig);
    RELEASE_ALL(doc->context, in.joints, in.weights);
    return status;
}

/* ---- Opening and closing. */

static ruga_status open_parts(gltf_document *doc, gltf_choice choice, const gltf_surface *surface, gltf_targets targets,
                              gltf_rig *rig) {
    size_t nodes = rig->scene.node_count;
    TRY(NEW_EACH(doc->context, nodes, &rig->locals, &rig->globals));
    for (size_t i = 0; i < nodes; i++) rig->locals[i] = gltf_node_local(&rig->scene.nodes[i]);
    TRY(read_weights(doc, choice, surface, rig));
    TRY(read_targets(doc, surface, targets, rig));
    uint32_t skin = choice.node == GLTF_NONE ? GLTF_NONE : rig->scene.nodes[choice.node].skin;
    return skin == GLTF_NONE ? RUGA_OK : read_skin(doc, surface, skin, rig);
}

ruga_status gltf_rig_open(gltf_document *doc, gltf_scene *scene, gltf_choice choice, gltf_surface *surface,
                          gltf_targets targets, gltf_rig *rig) {
    *rig = (gltf_rig){.context = doc->context,
                      .vertex_count = surface->vertex_count,
                      .positions = surface->positions,
                      .target_count = surface->target_count,
                      .node = choice.node,
                      .scene = *scene};
    surface->positions = NULL;
    *scene = (gltf_scene){0};
    ruga_status status = open_parts(doc, choice, surface, targets, rig);
    if (RUGA_FAILED(status)) gltf_rig_close(rig);
    return status;
}

void gltf_rig_close(gltf_rig *rig) {
    ruga_context *context = rig->context;
    if (!context) return;
    for (size_t t = 0; rig->deltas && t < rig->target_count; t++) memory_release(context, rig->deltas[t]);
    RELEASE_ALL(context, rig->positions, rig->deltas, rig->weights, rig->joints, rig->inverse, rig->influence_begin,
                rig->influence_joint, rig->influence_weight, rig->locals, rig->globals, rig->joint_matrices);
    gltf_scene_close(context, &rig->scene);
    *rig = (gltf_rig){0};
}

/* ---- Posing. */

typedef struct pose_work {
    const gltf_rig *rig;
    const double *weights;
    ruga_vec3 *positions;
    gltf_matrix matrix; /* without a skin */
    int moved;          /* the matrix is not the identity */
} pose_work;

static void morph_range(const pose_work *work, size_t begin, size_t end) {
    const gltf_rig *rig = work->rig;
    if (work->positions != rig->positions)
        memcpy(work->positions + begin, rig->positions + begin, (end - begin) * sizeof(ruga_vec3));
    for (size_t t = 0; t < rig->target_count; t++) {
        double w = work->weights[t];
        const float *deltas = rig->deltas[t];
        if (w == 0 || !deltas) continue;
        double *p = &work->positions[begin].x;
        for (size_t i = 0; i < 3 * (end - begin); i++) p[i] += w * (double)deltas[3 * begin + i];
    }
}

static vec3 skin_point(const gltf_rig *rig, size_t vertex, vec3 p) {
    vec3 sum = {0, 0, 0};
    for (size_t i = rig->influence_begin[vertex]; i < rig->influence_begin[vertex + 1]; i++)
        sum = vec3_add_scaled(sum, gltf_matrix_point(&rig->joint_matrices[rig->influence_joint[i]], p),
                              rig->influence_weight[i]);
    return sum;
}

static void pose_range(void *argument, size_t begin, size_t end) {
    const pose_work *work = argument;
    ruga_vec3 *positions = work->positions;
    morph_range(work, begin, end);
    if (work->rig->joint_count > 0)
        for (size_t v = begin; v < end; v++) positions[v] = skin_point(work->rig, v, positions[v]);
    else if (work->moved)
        for (size_t v = begin; v < end; v++) positions[v] = gltf_matrix_point(&work->matrix, positions[v]);
}

void gltf_rig_pose_nodes(gltf_rig *rig) {
    gltf_scene_globals(&rig->scene, rig->locals, rig->globals);
    for (size_t j = 0; j < rig->joint_count; j++)
        rig->joint_matrices[j] = gltf_matrix_multiply(&rig->globals[rig->joints[j]], &rig->inverse[j]);
}

gltf_matrix gltf_rig_vertex_matrix(const gltf_rig *rig, size_t vertex) {
    if (rig->joint_count == 0) return rig->node == GLTF_NONE ? gltf_matrix_identity() : rig->globals[rig->node];
    gltf_matrix sum = {{{0}}};
    for (size_t i = rig->influence_begin[vertex]; i < rig->influence_begin[vertex + 1]; i++) {
        const gltf_matrix *m = &rig->joint_matrices[rig->influence_joint[i]];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++) sum.m[r][c] += rig->influence_weight[i] * m->m[r][c];
    }
    return sum;
}

void gltf_rig_pose(gltf_rig *rig, const double *weights, ruga_vec3 *positions) {
    gltf_rig_pose_nodes(rig);
    pose_work work = {.rig = rig, .weights = weights, .positions = positions};
    if (rig->joint_count == 0) work.matrix = gltf_rig_vertex_matrix(rig, 0);
    work.moved = rig->joint_count == 0 && !gltf_matrix_is_identity(&work.matrix);
    parallel_for(rig->context, rig->vertex_count, BLOCK, pose_range, &work);
}

/* ---- The mesh's own skin. */

/* A node without a name is called by its number in the skin: joint_7. */
static ruga_status name_joints(const gltf_document *doc, const gltf_rig *rig, arena *memory, const char ***out) {
    TRY(ARENA_NEW(memory, out, rig->joint_count));
    for (size_t j = 0; j < rig->joint_count; j++) {
        char number[32];
        snprintf(number, sizeof number, "joint_%zu", j);
        const char *name = gltf_text(gltf_item(doc, "nodes", rig->joints[j]), "name");
        TRY(ARENA_TEXT(memory, &(*out)[j], name && *name ? name : number));
    }
    return RUGA_OK;
}

ruga_status gltf_rig_give_joints(const gltf_document *doc, gltf_rig *rig, mesh_parts *parts) {
    arena memory = arena_make(doc->context);
    const char **names = NULL;
    ruga_map *weights = NULL;
    if (rig->joint_count == 0) return RUGA_OK;
    ruga_status status = name_joints(doc, rig, &memory, &names);
    if (!RUGA_FAILED(status)) {
        status = map_from_rows(doc->context, rig->vertex_count, rig->joint_count, rig->influence_begin,
                               rig->influence_joint, rig->influence_weight, &weights);
        rig->influence_begin = NULL;
        rig->influence_joint = NULL;
        rig->influence_weight = NULL;
    }
    if (!RUGA_FAILED(status)) status = mesh_parts_set_joints(doc->context, parts, names, rig->joint_count, weights);
    arena_release(&memory);
    return status;
}
