/* The primitives of a mesh as one surface: their vertices under one numbering, in the order of the file, and welded
 * where the file split a vertex at a seam.
 *
 * Vertices are one when they are at the same place bit for bit (-0 is 0), move by the same joints with the same
 * weights, have the same morph differences, and lie on matching borders of the surface (gltf_weld.c). So a welded seam
 * never opens, lips that touch at rest stay two, and so do a coat and its lining. A file of our own says itself which
 * vertices are one. */
#include <stdio.h>
#include <string.h>

#include "base/wraps.h"
#include "io/gltf.h"
#include "io/gltf_kernels.h"

#define MOST_LOOKS 64 /* blocks with the same positions that are compared; one missed is welded all the same */

/* ---- Blocks of vertices. */

/* Objects of whole numbers that say the same. */
static int same_attributes(const json_value *a, const json_value *b) {
    if (a == b) return 1;
    if (!a || !b || a->type != JSON_OBJECT || b->type != JSON_OBJECT || a->count != b->count) return 0;
    for (const json_value *item = a->first; item; item = item->next) {
        const json_value *other = json_member(b, item->key);
        if (!other || other->type != item->type || other->number != item->number) return 0;
    }
    return 1;
}

static int same_targets(const json_value *a, const json_value *b) {
    if (!a || !b) return a == b;
    if (a->type != JSON_ARRAY || b->type != JSON_ARRAY || a->count != b->count) return 0;
    const json_value *x = a->first, *y = b->first;
    for (; x && same_attributes(x, y); x = x->next) y = y->next;
    return x == NULL;
}

typedef struct block_finder {
    uint32_t *newest; /* (accessors) the newest block with these positions */
    uint64_t vertex_count;
} block_finder;

static ruga_status add_block(gltf_document *doc, gltf_surface *surface, block_finder *finder, gltf_block *block) {
    gltf_accessor a;
    TRY(gltf_accessor_open(doc, block->position, &a));
    if (a.components != 3 || a.rows != 3 || a.type == RUGA_U32)
        return gltf_fail(doc, a.json, "POSITION (accessor %u) must be VEC3 of floats or 8 or 16 bit integers",
                         block->position);
    TRY(gltf_charge(doc, a.json, 3 * a.count));
    block->count = (uint32_t)a.count;
    block->base = (uint32_t)finder->vertex_count;
    block->next = finder->newest[block->position];
    finder->newest[block->position] = (uint32_t)surface->block_count;
    finder->vertex_count += a.count;
    if (finder->vertex_count >= UINT32_MAX) return gltf_fail(doc, a.json, "the mesh has more than 2^32 - 2 vertices");
    surface->blocks[surface->block_count++] = *block;
    return RUGA_OK;
}

static ruga_status find_block(gltf_document *doc, gltf_surface *surface, block_finder *finder, gltf_primitive *p) {
    gltf_block block = {.attributes = json_member(p->json, "attributes"),
                        .targets = json_member(p->json, "targets"),
                        .primitive = p->index};
    TRY(gltf_index(doc, block.attributes, "POSITION", "accessors", &block.position));
    if (block.position == GLTF_NONE)
        return gltf_fail(doc, p->json, "primitive %u of mesh %u has no POSITION", p->index, surface->mesh_index);
    int looks = 0;
    for (uint32_t i = finder->newest[block.position]; i != GLTF_NONE && looks++ < MOST_LOOKS;
         i = surface->blocks[i].next) {
        p->block = i;
        if (same_attributes(surface->blocks[i].attributes, block.attributes) &&
            same_targets(surface->blocks[i].targets, block.targets))
            return RUGA_OK;
    }
    p->block = (uint32_t)surface->block_count;
    return add_block(doc, surface, finder, &block);
}

/* ---- Primitives. */

static ruga_status check_targets(gltf_document *doc, gltf_surface *surface, const gltf_primitive *p) {
    const json_value *targets = json_member(p->json, "targets");
    size_t count = targets && targets->type == JSON_ARRAY ? targets->count : 0;
    if (surface->primitive_count > 0 && count != surface->target_count)
        return gltf_fail(doc, p->json, "primitive %u of mesh %u has %zu morph targets, but those before have %zu",
                         p->index, surface->mesh_index, count, surface->target_count);
    surface->target_count = count;
    return RUGA_OK;
}

static ruga_status count_indices(gltf_document *doc, const gltf_surface *surface, gltf_primitive *p) {
    p->index_count = surface->blocks[p->block].count;
    if (p->indices != GLTF_NONE) {
        gltf_accessor a;
        TRY(gltf_accessor_open(doc, p->indices, &a));
        if (a.components != 1 || (a.type != RUGA_U8 && a.type != RUGA_U16 && a.type != RUGA_U32))
            return gltf_fail(doc, a.json, "indices (accessor %u) must be SCALAR of an unsigned type", p->indices);
        p->index_count = a.count;
    }
    return gltf_charge(doc, p->json, p->index_count);
}

static ruga_status add_primitive(gltf_document *doc, gltf_surface *surface, block_finder *finder,
                                 const json_value *json, uint32_t index) {
    gltf_primitive p = {.json = json, .index = index};
    uint64_t mode;
    TRY(gltf_check_extensions(doc, json));
    TRY(gltf_whole(doc, json, "mode", 4, 6, &mode));
    if (mode == 0) {
        log_info(doc->context, "%s: primitive %u of mesh %u consists of points; they are ignored", doc->name, index,
                 surface->mesh_index);
        return RUGA_OK;
    }
    p.mode = (int)mode;
    TRY(gltf_decode_primitive(doc, json));
    TRY(gltf_index(doc, json, "indices", "accessors", &p.indices));
    TRY(gltf_index(doc, json, "material", "materials", &p.material));
    TRY(check_targets(doc, surface, &p));
    TRY(find_block(doc, surface, finder, &p));
    TRY(count_indices(doc, surface, &p));
    surface->primitives[surface->primitive_count++] = p;
    return RUGA_OK;
}

static ruga_status read_primitives(gltf_document *doc, const json_value *list, gltf_surface *surface) {
    size_t accessors = gltf_count(doc, "accessors");
    block_finder finder = {0};
    TRY(NEW_EACH(doc->context, list->count, &surface->primitives, &surface->blocks));
    TRY(NEW(doc->context, &finder.newest, accessors));
    memset(finder.newest, 0xff, accessors * sizeof(uint32_t));
    ruga_status status = RUGA_OK;
    uint32_t index = 0;
    for (const json_value *json = list->first; json && !RUGA_FAILED(status); json = json->next)
        status = add_primitive(doc, surface, &finder, json, index++);
    memory_release(doc->context, finder.newest);
    surface->file_count = finder.vertex_count;
    if (!RUGA_FAILED(status) && surface->primitive_count == 0)
        status = gltf_fail(doc, surface->mesh, "mesh %u has only points; Ruga needs triangles or lines",
                           surface->mesh_index);
    return status;
}

/* ---- Attributes of blocks. */

ruga_status gltf_block_accessor(gltf_document *doc, const gltf_block *block, const char *attribute, uint32_t *out) {
    return gltf_index(doc, block->attributes, attribute, "accessors", out);
}

ruga_status gltf_block_open(gltf_document *doc, const gltf_block *block, uint32_t accessor, const char *attribute,
                            uint32_t components, gltf_accessor *out) {
    TRY(gltf_accessor_open(doc, accessor, out));
    if (out->count != block->count)
        return gltf_fail(doc, out->json, "%s (accessor %u) has %llu elements, but POSITION has %u", attribute, accessor,
                         (unsigned long long)out->count, block->count);
    if (components > 0 && out->components != components)
        return gltf_fail(doc, out->json, "%s (accessor %u) has %u components, but %u are expected", attribute, accessor,
                         out->components, components);
    return gltf_charge(doc, out->json, out->count * out->components);
}

ruga_status gltf_surface_floats(gltf_document *doc, const gltf_surface *surface, size_t target, const char *attribute,
                                uint32_t components, float *out, int *found) {
    memset(out, 0, surface->file_count * components * sizeof *out);
    *found = 0;
    for (size_t b = 0; b < surface->block_count; b++) {
        const gltf_block *block = &surface->blocks[b];
        const int is_own = target == SIZE_MAX;
        gltf_accessor a;
        uint32_t index;
        TRY(gltf_index(doc, is_own ? block->attributes : json_item(block->targets, target), attribute, "accessors",
                       &index));
        if (index == GLTF_NONE) continue;
        TRY(gltf_block_open(doc, block, index, is_own ? attribute : "a morph target's POSITION", components, &a));
        TRY(gltf_accessor_floats(doc, &a, out + (size_t)block->base * components));
        *found = 1;
    }
    return RUGA_OK;
}

/* ---- Positions. */

int gltf_hash_places(const ruga_context *context, const ruga_vec3 *positions, size_t count, uint32_t *hashes) {
    return ISA_SELECT(context->isa, gltf_hash_positions)(positions, count, hashes);
}

static ruga_status check_finite(gltf_document *doc, const gltf_block *block, const ruga_vec3 *positions) {
    for (uint32_t i = 0; i < block->count; i++) {
        double sum = positions[i].x * 0 + positions[i].y * 0 + positions[i].z * 0;
        if (sum != 0)
            return gltf_fail(doc, block->attributes,
                             "vertex %u of primitive %u is at (%g, %g, %g), which is not finite", i, block->primitive,
                             positions[i].x, positions[i].y, positions[i].z);
    }
    return RUGA_OK;
}

/* Reads and hashes piece by piece, while the numbers are near. */
static ruga_status read_dense_positions(gltf_document *doc, const gltf_accessor *a, ruga_vec3 *positions,
                                        uint32_t *hashes, int *finite) {
    const size_t piece = 4096;
    const unsigned char *rows;
    size_t count = 0;
    for (uint64_t at = 0, begin = 0;; begin = at) {
        TRY(gltf_accessor_next(doc, a, &at, &rows, &count));
        if (count == 0) return RUGA_OK;
        for (size_t done = 0; done < count; done += piece) {
            size_t now = count - done < piece ? count - done : piece;
            ISA_SELECT(doc->context->isa, gltf_floats_to_doubles)
            (rows + 12 * done, 3 * now, &positions[begin + done].x);
            *finite &= gltf_hash_places(doc->context, positions + begin + done, now, hashes + begin + done);
        }
    }
}

static ruga_status read_block_positions(gltf_document *doc, const gltf_block *block, ruga_vec3 *positions,
                                        uint32_t *hashes) {
    gltf_accessor a;
    int finite = 1;
    TRY(gltf_accessor_open(doc, block->position, &a));
    if (a.type == RUGA_F32 && a.stride == 12 && a.buffer != GLTF_NONE && a.sparse_count == 0) {
        TRY(read_dense_positions(doc, &a, positions, hashes, &finite));
    } else {
        TRY(gltf_accessor_doubles(doc, &a, &positions->x));
        finite = gltf_hash_places(doc->context, positions, block->count, hashes);
    }
    return finite ? RUGA_OK : check_finite(doc, block, positions);
}

/* ---- Welding. */

static int equal_positions(void *user, uint32_t a, uint32_t b) {
    const ruga_vec3 *p = user;
    return p[a].x == p[b].x && p[a].y == p[b].y && p[a].z == p[b].z;
}

/* One more thing that must be equal: classes of vertices so far, and floats of each. */
typedef struct refinement {
    const uint32_t *classes;
    const float *values;
    size_t components;
} refinement;

static int equal_values(void *user, uint32_t a, uint32_t b) {
    const refinement *r = user;
    size_t n = r->components;
    return r->classes[a] == r->classes[b] && memcmp(r->values + a * n, r->values + b * n, n * sizeof(float)) == 0;
}

/* Odd numbers without pattern, from the fractional parts of √2 and √3, and the golden ratio. */
#define HASH_X 0x9e3779b97f4a7c15u
#define HASH_Y 0x6a09e667f3bcc909u
#define HASH_Z 0xbb67ae8584caa73bu

WRAPS static uint32_t finish_hash(uint64_t h) {
    h ^= h >> 32;
    return (uint32_t)(h * HASH_X >> 32);
}

WRAPS static void hash_values(const refinement *r, size_t count, uint32_t *hashes) {
    for (size_t i = 0; i < count; i++) {
        uint64_t h = (r->classes[i] + 1) * HASH_Y;
        for (size_t c = 0; c < r->components; c++) {
            uint32_t bits;
            memcpy(&bits, &r->values[i * r->components + c], sizeof bits);
            h = (h ^ bits) * HASH_Z;
            h ^= h >> 29;
        }
        hashes[i] = finish_hash(h);
    }
}

typedef struct splitter {
    gltf_document *doc;
    gltf_surface *surface;
    uint32_t *hashes; /* (file_count) */
    float *values;    /* (file_count x 4) */
} splitter;

/* Splits classes by the values. A class of one each means that nothing is welded any more. */
static ruga_status refine(splitter *s, size_t components) {
    gltf_surface *surface = s->surface;
    refinement r = {surface->split_vertex, s->values, components};
    uint32_t *classes = NULL;
    for (size_t i = 0; i < surface->file_count * components; i++) s->values[i] += 0.0f; /* -0 becomes 0 */
    hash_values(&r, surface->file_count, s->hashes);
    TRY(gltf_weld(s->doc->context, surface->file_count, s->hashes, equal_values, &r, &classes, &surface->vertex_count));
    memory_release(s->doc->context, surface->split_vertex);
    surface->split_vertex = classes;
    return RUGA_OK;
}

static ruga_status refine_by(splitter *s, size_t target, const char *attribute, uint32_t components) {
    int found = 0;
    TRY(gltf_surface_floats(s->doc, s->surface, target, attribute, components, s->values, &found));
    return found ? refine(s, components) : RUGA_OK;
}

static int has_attribute(const gltf_surface *surface, const char *attribute) {
    for (size_t b = 0; b < surface->block_count; b++)
        if (json_member(surface->blocks[b].attributes, attribute)) return 1;
    return 0;
}

static ruga_status refine_by_all(splitter *s, int skinned) {
    char name[32];
    for (int set = 0; skinned && s->surface->split_vertex; set++) {
        snprintf(name, sizeof name, "JOINTS_%d", set);
        if (!has_attribute(s->surface, name)) break;
        TRY(refine_by(s, SIZE_MAX, name, 4));
        snprintf(name, sizeof name, "WEIGHTS_%d", set);
        if (s->surface->split_vertex) TRY(refine_by(s, SIZE_MAX, name, 4));
    }
    for (size_t t = 0; t < s->surface->target_count && s->surface->split_vertex; t++)
        TRY(refine_by(s, t, "POSITION", 3));
    if (s->surface->split_vertex) TRY(refine_by(s, SIZE_MAX, GLTF_OWN_VERTEX, 2));
    return RUGA_OK;
}

static ruga_status refine_welding(gltf_document *doc, int skinned, uint32_t *hashes, gltf_surface *surface) {
    const int has_own = has_attribute(surface, GLTF_OWN_VERTEX);
    if (!surface->split_vertex || (!skinned && surface->target_count == 0 && !has_own)) return RUGA_OK;
    splitter s = {.doc = doc, .surface = surface, .hashes = hashes};
    TRY(NEW(doc->context, &s.values, 4 * surface->file_count));
    ruga_status status = refine_by_all(&s, skinned);
    memory_release(doc->context, s.values);
    return status;
}

static ruga_status keep_borders_only(gltf_document *doc, const gltf_places *at, gltf_surface *surface) {
    uint32_t *corners = NULL;
    size_t count = 0;
    TRY(gltf_read_corners(doc, surface, &corners, &count));
    ruga_status status =
        gltf_weld_borders(doc->context, at, corners, count, &surface->split_vertex, &surface->vertex_count);
    memory_release(doc->context, corners);
    return status;
}

/* From vertices at one place to those that are one. */
static ruga_status separate_vertices(gltf_document *doc, int skinned, uint32_t *hashes, gltf_surface *surface) {
    gltf_places at = {.count = surface->file_count, .place_count = surface->vertex_count};
    if (!surface->split_vertex) return RUGA_OK;
    TRY(NEW_COPY(doc->context, &at.places, surface->split_vertex, at.count));
    ruga_status status = refine_welding(doc, skinned, hashes, surface);
    const int is_open = surface->split_vertex && !has_attribute(surface, GLTF_OWN_VERTEX);
    if (!RUGA_FAILED(status) && is_open) status = keep_borders_only(doc, &at, surface);
    memory_release(doc->context, at.places);
    return status;
}

/* The welded vertices' positions move to the front: each is at or before its first place. */
static ruga_status gather_positions(const gltf_document *doc, gltf_surface *surface) {
    if (!surface->split_vertex) return RUGA_OK;
    TRY(NEW(doc->context, &surface->first, surface->vertex_count));
    uint32_t next = 0;
    for (size_t i = 0; i < surface->file_count; i++) {
        if (surface->split_vertex[i] != next) continue;
        surface->positions[next] = surface->positions[i];
        surface->first[next++] = (uint32_t)i;
    }
    return RUGA_OK;
}

static ruga_status weld_vertices(gltf_document *doc, int skinned, uint32_t *hashes, gltf_surface *surface) {
    for (size_t b = 0; b < surface->block_count; b++) {
        uint32_t base = surface->blocks[b].base;
        TRY(read_block_positions(doc, &surface->blocks[b], surface->positions + base, hashes + base));
    }
    surface->vertex_count = surface->file_count;
    if (doc->apart) return RUGA_OK;
    TRY(gltf_weld(doc->context, surface->file_count, hashes, equal_positions, surface->positions,
                  &surface->split_vertex, &surface->vertex_count));
    TRY(separate_vertices(doc, skinned, hashes, surface));
    return gather_positions(doc, surface);
}

static ruga_status read_vertices(gltf_document *doc, int skinned, gltf_surface *surface) {
    uint32_t *hashes = NULL;
    TRY(NEW_EACH(doc->context, surface->file_count, &surface->positions, &hashes));
    ruga_status status = weld_vertices(doc, skinned, hashes, surface);
    memory_release(doc->context, hashes);
    return status;
}

ruga_status gltf_surface_open(gltf_document *doc, uint32_t mesh, int skinned, gltf_surface *surface) {
    *surface = (gltf_surface){.mesh = gltf_item(doc, "meshes", mesh), .mesh_index = mesh};
    const json_value *list = json_member(surface->mesh, "primitives");
    TRY(gltf_check_extensions(doc, surface->mesh));
    if (!list || list->type != JSON_ARRAY || list->count == 0)
        return gltf_fail(doc, surface->mesh, "mesh %u has no primitives", mesh);
    ruga_status status = read_primitives(doc, list, surface);
    if (!RUGA_FAILED(status)) status = read_vertices(doc, skinned, surface);
    if (RUGA_FAILED(status)) gltf_surface_close(doc, surface);
    return status;
}

void gltf_surface_close(const gltf_document *doc, gltf_surface *surface) {
    RELEASE_ALL(doc->context, surface->primitives, surface->blocks, surface->positions, surface->split_vertex,
                surface->first);
    *surface = (gltf_surface){0};
}
