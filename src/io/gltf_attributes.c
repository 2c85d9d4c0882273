/* The attributes of a glTF mesh's vertices: one array for each name over all primitives.
 *
 * Where the file split vertices, an attribute whose values differ between the parts of a vertex belongs to corners; one
 * whose values agree belongs to the vertex. Normals and tangents are turned with the positions, and the v of texture
 * coordinates is turned over. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/gltf.h"
#include "math/vec3.h"

/* One attribute of the surface: its type over all blocks. */
typedef struct attribute_plan {
    const char *semantic;
    const char *name;
    char numbered[32]; /* what `name` points to when it has a number */
    ruga_scalar type;
    uint32_t components; /* the most of any block */
    int normalised;
    int is_colour, is_direction, is_uv;
    int raw;      /* all blocks have the same type: kept as it is; else floats */
    int complete; /* every block has it */
} attribute_plan;

/* "TEXCOORD_12" with the stem "TEXCOORD_" gives 12; -1 otherwise. */
static int set_number(const char *semantic, const char *stem) {
    size_t length = strlen(stem);
    if (strncmp(semantic, stem, length) != 0) return -1;
    const char *digits = semantic + length;
    if (digits[0] < '0' || digits[0] > '9' || strlen(digits) > 4) return -1;
    return digits[strspn(digits, "0123456789")] ? -1 : atoi(digits);
}

static int starts_with(const char *text, const char *stem) { return strncmp(text, stem, strlen(stem)) == 0; }

/* Names with a meaning of their own, which an attribute of the file's own making may not take. */
static int is_well_known(const char *name) {
    static const char *const names[] = {"normal", "tangent", "group", "object", "material", "smoothing"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return starts_with(name, "uv") || starts_with(name, "colour");
}

/* Our name for a semantic. The underscore of an own attribute goes, and comes back when it is written. */
static void name_attribute(attribute_plan *plan) {
    const char *semantic = plan->semantic;
    int uv = set_number(semantic, "TEXCOORD_"), colour = set_number(semantic, "COLOR_");
    const char *own = semantic[0] == '_' ? semantic + 1 : semantic;
    if (strcmp(semantic, "NORMAL") == 0 || strcmp(semantic, "TANGENT") == 0) {
        plan->name = semantic[0] == 'N' ? "normal" : "tangent";
        plan->is_direction = 1;
    } else if (uv >= 0) {
        snprintf(plan->numbered, sizeof plan->numbered, uv ? "uv%d" : "uv", uv);
        plan->name = plan->numbered;
        plan->is_uv = 1;
    } else if (colour >= 0) {
        snprintf(plan->numbered, sizeof plan->numbered, colour ? "colour%d" : "colour", colour);
        plan->name = plan->numbered;
        plan->is_colour = 1;
    } else {
        int keep = is_well_known(own) || own[0] == '_' || own[0] == 0;
        plan->name = keep ? semantic : own;
    }
}

/* The components that a semantic requires; 0: any. */
static uint32_t wanted_components(const attribute_plan *plan) {
    if (strcmp(plan->semantic, "NORMAL") == 0) return 3;
    if (strcmp(plan->semantic, "TANGENT") == 0) return 4;
    return set_number(plan->semantic, "TEXCOORD_") >= 0 ? 2 : 0;
}

static ruga_status open_in_block(gltf_document *doc, const gltf_block *block, const attribute_plan *plan, int *found,
                                 gltf_accessor *a) {
    uint32_t index;
    TRY(gltf_block_accessor(doc, block, plan->semantic, &index));
    *found = index != GLTF_NONE;
    if (!*found) return RUGA_OK;
    TRY(gltf_block_open(doc, block, index, plan->semantic, wanted_components(plan), a));
    if (plan->is_colour && a->components != 3 && a->components != 4)
        return gltf_fail(doc, a->json, "%s (accessor %u) must be VEC3 or VEC4", plan->semantic, index);
    return RUGA_OK;
}

static ruga_status plan_attribute(gltf_document *doc, const gltf_surface *surface, attribute_plan *plan) {
    int seen = 0;
    name_attribute(plan);
    plan->complete = 1;
    plan->raw = !plan->is_direction;
    for (size_t b = 0; b < surface->block_count; b++) {
        gltf_accessor a;
        int found;
        TRY(open_in_block(doc, &surface->blocks[b], plan, &found, &a));
        plan->complete &= found;
        if (!found) continue;
        if (seen && (a.type != plan->type || a.components != plan->components || a.normalised != plan->normalised))
            plan->raw = 0;
        plan->type = a.type;
        plan->normalised = a.normalised;
        if (a.components > plan->components) plan->components = a.components;
        seen = 1;
    }
    /* To turn texture coordinates over, whole numbers must stand for [0, 1]. */
    const int is_unsigned = plan->type == RUGA_U8 || plan->type == RUGA_U16;
    if (plan->is_uv && !(plan->normalised && is_unsigned)) plan->raw = 0;
    if (plan->raw) return RUGA_OK;
    plan->type = RUGA_F32;
    plan->normalised = 0;
    return RUGA_OK;
}

/* ---- Values. */

/* One in floats, or the largest whole number, which stands for one. */
static void fill_with_ones(const attribute_plan *plan, size_t count, void *values) {
    size_t n = count * plan->components;
    float *real = values;
    if (plan->type != RUGA_F32)
        memset(values, plan->type == RUGA_I8 || plan->type == RUGA_I16 ? 0x7f : 0xff, n * ruga_scalar_size(plan->type));
    else
        for (size_t i = 0; i < n; i++) real[i] = 1;
}

/* From fewer components to more: colours become opaque, others zero. */
static void widen(const float *from, uint32_t have, size_t count, const attribute_plan *plan, float *to) {
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < plan->components; c++)
            to[i * plan->components + c] = c < have ? from[i * have + c] : plan->is_colour ? 1.0f : 0.0f;
}

static ruga_status read_widened(gltf_document *doc, const gltf_accessor *a, const attribute_plan *plan, float *to) {
    float *narrow = NULL;
    TRY(NEW(doc->context, &narrow, a->count * a->components));
    ruga_status status = gltf_accessor_floats(doc, a, narrow);
    if (!RUGA_FAILED(status)) widen(narrow, a->components, a->count, plan, to);
    memory_release(doc->context, narrow);
    return status;
}

static ruga_status read_values(gltf_document *doc, const gltf_surface *surface, const attribute_plan *plan,
                               void *values) {
    size_t size = plan->components * ruga_scalar_size(plan->type);
    if (!plan->complete && plan->is_colour) fill_with_ones(plan, surface->file_count, values);
    if (!plan->complete && !plan->is_colour) memset(values, 0, surface->file_count * size);
    for (size_t b = 0; b < surface->block_count; b++) {
        const gltf_block *block = &surface->blocks[b];
        unsigned char *to = (unsigned char *)values + block->base * size;
        gltf_accessor a;
        int found;
        TRY(open_in_block(doc, block, plan, &found, &a));
        if (!found) continue;
        if (plan->raw)
            TRY(gltf_accessor_raw(doc, &a, to));
        else if (a.components == plan->components)
            TRY(gltf_accessor_floats(doc, &a, (float *)(void *)to));
        else
            TRY(read_widened(doc, &a, plan, (float *)(void *)to));
    }
    return RUGA_OK;
}

/* Normals turn by the cofactors, tangents by the matrix itself; a mirror image turns the tangents' handedness. */
static void turn_direction(const gltf_matrix *matrix, int is_normal, float *value) {
    gltf_matrix m = is_normal ? gltf_matrix_cofactor(matrix) : *matrix;
    double mirrored = gltf_matrix_determinant(matrix) < 0 ? -1 : 1;
    m.m[0][3] = m.m[1][3] = m.m[2][3] = 0;
    vec3 d = gltf_matrix_point(&m, vec3_make(value[0], value[1], value[2]));
    d = vec3_scale(vec3_normalise(d), is_normal ? mirrored : 1);
    value[0] = (float)d.x, value[1] = (float)d.y, value[2] = (float)d.z;
    if (!is_normal) value[3] = (float)(value[3] * mirrored);
}

static void turn_directions(const gltf_surface *surface, const gltf_rig *rig, const attribute_plan *plan,
                            float *values) {
    int is_normal = plan->components == 3;
    gltf_matrix matrix = gltf_matrix_identity();
    if (rig->joint_count == 0) matrix = gltf_rig_vertex_matrix(rig, 0);
    if (rig->joint_count == 0 && gltf_matrix_is_identity(&matrix)) return;
    for (size_t i = 0; i < surface->file_count; i++) {
        if (rig->joint_count > 0)
            matrix = gltf_rig_vertex_matrix(rig, surface->split_vertex ? surface->split_vertex[i] : i);
        turn_direction(&matrix, is_normal, values + i * plan->components);
    }
}

/* glTF's v runs down from the picture's upper edge, ours runs up. Floats become doubles, in which 1 - v is exact for
 * all but the tiniest v, so that writing turns it back to the same bits. */
static ruga_status turn_v_over(gltf_document *doc, size_t count, attribute_plan *plan, unsigned char **values) {
    for (size_t i = 0; i < count && plan->type == RUGA_U8; i++) (*values)[2 * i + 1] ^= 0xff;
    uint16_t *words = (uint16_t *)(void *)*values;
    for (size_t i = 0; i < count && plan->type == RUGA_U16; i++) words[2 * i + 1] ^= 0xffff;
    if (plan->type != RUGA_F32) return RUGA_OK;

    double *doubles = NULL;
    TRY(NEW(doc->context, &doubles, 2 * count));
    const float *floats = (const float *)(const void *)*values;
    for (size_t i = 0; i < count; i++) {
        doubles[2 * i] = floats[2 * i];
        doubles[2 * i + 1] = 1 - (double)floats[2 * i + 1];
    }
    memory_release(doc->context, *values);
    *values = (unsigned char *)doubles;
    plan->type = RUGA_F64;
    return RUGA_OK;
}

/* ---- Handing over. */

/* Whether all parts of a vertex have the same value. */
static int agrees(const gltf_surface *surface, const unsigned char *values, size_t size) {
    for (size_t i = 0; i < surface->file_count; i++)
        if (memcmp(values + i * size, values + surface->first[surface->split_vertex[i]] * size, size) != 0) return 0;
    return 1;
}

static ruga_status hand_over(gltf_document *doc, const gltf_surface *surface, const attribute_plan *plan,
                             unsigned char *values, mesh_parts *parts) {
    size_t size = plan->components * ruga_scalar_size(plan->type), count = surface->file_count;
    ruga_domain domain = RUGA_DOMAIN_VERTEX;
    if (surface->split_vertex && parts->corner_count > 0 && !agrees(surface, values, size)) {
        domain = RUGA_DOMAIN_CORNER;
    } else if (surface->split_vertex) {
        /* The first part of each vertex, moved to the front. */
        count = surface->vertex_count;
        for (size_t v = 0; v < count; v++) memmove(values + v * size, values + surface->first[v] * size, size);
    }
    TRY(mesh_parts_add(doc->context, parts, plan->name, domain, plan->type, plan->components, count, values,
                       domain == RUGA_DOMAIN_CORNER ? parts->corner_split : NULL));
    parts->attributes.items[parts->attributes.count - 1].normalised = plan->normalised;
    return RUGA_OK;
}

static ruga_status read_attribute(gltf_document *doc, const gltf_surface *surface, const gltf_rig *rig,
                                  const char *semantic, mesh_parts *parts) {
    attribute_plan plan = {.semantic = semantic};
    TRY(plan_attribute(doc, surface, &plan));
    /* One primitive's attribute takes room for the vertices of all. */
    TRY(gltf_charge(doc, surface->mesh, (uint64_t)surface->file_count * plan.components));
    size_t size = plan.components * ruga_scalar_size(plan.type);
    unsigned char *values = NULL;
    TRY(NEW(doc->context, &values, surface->file_count * size));
    ruga_status status = read_values(doc, surface, &plan, values);
    if (!RUGA_FAILED(status) && plan.is_uv) status = turn_v_over(doc, surface->file_count, &plan, &values);
    TRY_OR(status, memory_release(doc->context, values));
    if (plan.is_direction) turn_directions(surface, rig, &plan, (float *)(void *)values);
    return hand_over(doc, surface, &plan, values, parts);
}

/* Whether a block before this one has the attribute: then it is read already. */
static int is_read(const gltf_surface *surface, size_t block, const char *semantic) {
    for (size_t b = 0; b < block; b++)
        if (json_member(surface->blocks[b].attributes, semantic)) return 1;
    return 0;
}

ruga_status gltf_read_attributes(gltf_document *doc, const gltf_surface *surface, const gltf_rig *rig,
                                 mesh_parts *parts) {
    for (size_t b = 0; b < surface->block_count; b++) {
        for (const json_value *item = surface->blocks[b].attributes->first; item; item = item->next) {
            const char *semantic = item->key;
            if (strcmp(semantic, "POSITION") == 0 || starts_with(semantic, "JOINTS_") ||
                starts_with(semantic, "WEIGHTS_") || strcmp(semantic, GLTF_OWN_VERTEX) == 0 ||
                is_read(surface, b, semantic))
                continue;
            TRY(read_attribute(doc, surface, rig, semantic, parts));
        }
    }
    return RUGA_OK;
}
