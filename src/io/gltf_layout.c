/* The parts of a mesh that a glTF file receives, and its vertices.
 *
 * glTF knows no corners. A mesh that came from a file whose vertices were split is split again in the same
 * order, as long as its corner attributes still follow those splits. Else each vertex keeps its number for the first of
 * its corners' values, and every other set of values becomes one more vertex at the end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wraps.h"
#include "io/gltf_origin.h"
#include "math/vec3.h"

/* ---- Which attributes. */

/* The number after a stem: "uv" is 0, "uv2" is 2; -1 for other names. */
static int set_number(const char *name, const char *stem) {
    size_t length = strlen(stem);
    if (strncmp(name, stem, length) != 0) return -1;
    const char *digits = name + length;
    if (*digits == 0) return 0;
    if (*digits < '1' || *digits > '9' || strlen(digits) > 3 || digits[strspn(digits, "0123456789")]) return -1;
    return atoi(digits);
}

static int on_vertices(const ruga_attribute *a) {
    return a->domain == RUGA_DOMAIN_VERTEX || a->domain == RUGA_DOMAIN_CORNER;
}

static int fits_set(const ruga_attribute *a, const char *stem) {
    int is_uv = stem[0] == 'u';
    return is_uv ? a->components == 2 : a->components == 3 || a->components == 4;
}

/* Sets are numbered without gaps: those that come after a gap are attributes of our own. */
static int set_is_complete(const gltf_layout *layout, const char *stem, int number) {
    for (int n = 0; n < number; n++) {
        int found = 0;
        for (size_t i = 0; i < layout->source_count; i++) {
            const ruga_attribute *a = &layout->source[i];
            found |= on_vertices(a) && fits_set(a, stem) && set_number(a->name, stem) == n;
        }
        if (!found) return 0;
    }
    return 1;
}

static int has_normal(const gltf_layout *layout) {
    for (size_t i = 0; i < layout->source_count; i++) {
        const ruga_attribute *a = &layout->source[i];
        if (on_vertices(a) && strcmp(a->name, "normal") == 0 && a->components == 3) return 1;
    }
    return 0;
}

/* The name in the file; its size is enough for the attribute's name and some letters. */
static void print_semantic(const gltf_layout *layout, const ruga_attribute *a, char *out, size_t size) {
    int uv = set_number(a->name, "uv"), colour = set_number(a->name, "colour");
    if (strcmp(a->name, "normal") == 0 && a->components == 3)
        snprintf(out, size, "NORMAL");
    else if (strcmp(a->name, "tangent") == 0 && a->components == 4 && has_normal(layout))
        snprintf(out, size, "TANGENT");
    else if (uv >= 0 && fits_set(a, "uv") && set_is_complete(layout, "uv", uv))
        snprintf(out, size, "TEXCOORD_%d", uv);
    else if (colour >= 0 && fits_set(a, "colour") && set_is_complete(layout, "colour", colour))
        snprintf(out, size, "COLOR_%d", colour);
    else
        snprintf(out, size, a->name[0] == '_' ? "%s" : "_%s", a->name);
}

static int is_standard(const char *semantic) { return semantic[0] != '_'; }

/* Types that glTF has for a semantic; all others become floats. */
static void choose_type(gltf_written_attribute *w) {
    const ruga_attribute *a = w->attribute;
    int set = strncmp(w->semantic, "TEXCOORD_", 9) == 0 || strncmp(w->semantic, "COLOR_", 6) == 0;
    int colour = w->semantic[0] == 'C';
    int small = a->type == RUGA_U8 || a->type == RUGA_U16;
    int own = !is_standard(w->semantic) && (small || a->type == RUGA_I8 || a->type == RUGA_I16);
    int kept = own || (set && small && (a->normalised || colour));
    w->type = kept ? a->type : RUGA_F32;
    w->normalised = kept && (a->normalised || colour);
    w->element_size = (a->components * ruga_scalar_size(w->type) + 3) / 4 * 4;
}

/* Scalars, vectors, and matrices of floats. */
static int has_shape(const ruga_attribute *a) {
    int wide = a->type != RUGA_U8 && a->type != RUGA_I8 && a->type != RUGA_U16 && a->type != RUGA_I16;
    return a->components <= 4 || (wide && (a->components == 9 || a->components == 16));
}

static int is_taken(const gltf_layout *layout, const char *semantic) {
    for (size_t i = 0; i < layout->attribute_count; i++)
        if (strcmp(layout->attributes[i].semantic, semantic) == 0) return 1;
    return 0;
}

typedef struct left_out {
    char narrowed[200], dropped[200];
} left_out;

static void note(char text[200], const char *name) {
    size_t used = strlen(text);
    if (used < 190) snprintf(text + used, 200 - used, "%s%.60s", used ? ", " : "", name);
}

static ruga_status add_attribute(gltf_layout *layout, const ruga_attribute *a, left_out *notes) {
    size_t room = strlen(a->name) + 32;
    char *semantic = NULL;
    TRY(NEW(layout->context, &semantic, room));
    print_semantic(layout, a, semantic, room);
    if (is_taken(layout, semantic)) {
        note(notes->dropped, a->name);
        memory_release(layout->context, semantic);
        return RUGA_OK;
    }
    gltf_written_attribute *w = &layout->attributes[layout->attribute_count++];
    *w = (gltf_written_attribute){.attribute = a, .semantic = semantic};
    choose_type(w);
    int narrowed = a->type == RUGA_F64 || a->type == RUGA_U32 || a->type == RUGA_I32;
    if (narrowed && !is_standard(semantic)) note(notes->narrowed, a->name);
    return RUGA_OK;
}

static ruga_status choose_attributes(gltf_layout *layout) {
    left_out notes = {"", ""};
    TRY(NEW(layout->context, &layout->attributes, layout->source_count));
    for (size_t i = 0; i < layout->source_count; i++) {
        const ruga_attribute *a = &layout->source[i];
        int is_material = a->domain == RUGA_DOMAIN_FACE && strcmp(a->name, "material") == 0 && a->label_count > 0;
        if (is_material)
            layout->material = a;
        else if (!on_vertices(a) || !has_shape(a))
            note(notes.dropped, a->name);
        else
            TRY(add_attribute(layout, a, &notes));
    }
    if (notes.narrowed[0])
        log_info(layout->context, "%s: glTF keeps these attributes as 32-bit floats: %s", layout->name, notes.narrowed);
    if (notes.dropped[0])
        log_info(layout->context, "%s: glTF can't hold these attributes: %s", layout->name, notes.dropped);
    return RUGA_OK;
}

/* ---- Which vertices. */

/* All corner attributes follow the mesh's own splits. */
static int follows_splits(const gltf_layout *layout) {
    const ruga_mesh *mesh = layout->mesh;
    if (mesh->split_count == 0) return 0;
    for (size_t i = 0; i < layout->attribute_count; i++) {
        const ruga_attribute *a = layout->attributes[i].attribute;
        if (a->domain != RUGA_DOMAIN_CORNER || a->indices == mesh->corner_split) continue;
        if (!a->indices || a->count != mesh->split_count ||
            memcmp(a->indices, mesh->corner_split, mesh->corner_count * sizeof(uint32_t)) != 0)
            return 0;
    }
    return 1;
}

static const unsigned char *value_bytes(const ruga_attribute *a, size_t index, size_t *size) {
    *size = a->components * ruga_scalar_size(a->type);
    return index == GLTF_NONE ? NULL : (const unsigned char *)a->values + index * *size;
}

/* The value that a corner attribute has at a corner; NULL for none. */
static const unsigned char *corner_value(const ruga_attribute *a, size_t corner, size_t *size) {
    return value_bytes(a, a->indices ? a->indices[corner] : corner, size);
}

static int same_corner(const gltf_layout *layout, size_t p, size_t q) {
    if (layout->mesh->face_vertices[p] != layout->mesh->face_vertices[q]) return 0;
    for (size_t i = 0; i < layout->attribute_count; i++) {
        const ruga_attribute *a = layout->attributes[i].attribute;
        size_t size;
        if (a->domain != RUGA_DOMAIN_CORNER) continue;
        const unsigned char *x = corner_value(a, p, &size), *y = corner_value(a, q, &size);
        if (x != y && (!x || !y || memcmp(x, y, size) != 0)) return 0;
    }
    return 1;
}

WRAPS static uint64_t hash_corner(const gltf_layout *layout, size_t corner) {
    uint64_t h = (layout->mesh->face_vertices[corner] + 1) * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < layout->attribute_count; i++) {
        const ruga_attribute *a = layout->attributes[i].attribute;
        size_t size;
        if (a->domain != RUGA_DOMAIN_CORNER) continue;
        const unsigned char *bytes = corner_value(a, corner, &size);
        for (size_t k = 0; bytes && k < size; k++) h = (h ^ bytes[k]) * 0x100000001b3u;
        h ^= h >> 29;
    }
    return h * 0xbb67ae8584caa73bu >> 24;
}

/* Fills the three arrays of the layout for corners in their order. `table` (mask + 1) holds vertices of the file. */
static void split_corners(gltf_layout *layout, uint32_t *table, size_t mask) {
    uint32_t *file_vertex = layout->owned[0], *file_corner = layout->owned[1], *corner_file = layout->owned[2];
    const ruga_mesh *mesh = layout->mesh;
    memset(table, 0xff, (mask + 1) * sizeof *table);
    for (size_t v = 0; v < mesh->vertex_count; v++) file_vertex[v] = (uint32_t)v, file_corner[v] = GLTF_NONE;
    layout->file_count = mesh->vertex_count;
    for (size_t c = 0; c < mesh->corner_count; c++) {
        size_t place = hash_corner(layout, c) & mask;
        while (table[place] != GLTF_NONE && !same_corner(layout, file_corner[table[place]], c))
            place = (place + 1) & mask;
        if (table[place] == GLTF_NONE) {
            uint32_t vertex = mesh->face_vertices[c];
            size_t number = file_corner[vertex] == GLTF_NONE ? vertex : layout->file_count++;
            file_vertex[number] = vertex;
            file_corner[number] = (uint32_t)c;
            table[place] = (uint32_t)number;
        }
        corner_file[c] = table[place];
    }
}

static ruga_status split_vertices(gltf_layout *layout) {
    const ruga_mesh *mesh = layout->mesh;
    size_t room = mesh->vertex_count + mesh->corner_count, size = 16;
    while (size < 2 * mesh->corner_count) size *= 2;
    uint32_t *table = NULL;
    TRY(NEW_EACH(layout->context, room, &layout->owned[0], &layout->owned[1]));
    TRY(NEW(layout->context, &layout->owned[2], mesh->corner_count));
    TRY(NEW(layout->context, &table, size));
    split_corners(layout, table, size - 1);
    memory_release(layout->context, table);
    layout->file_vertex = layout->owned[0];
    layout->file_corner = layout->owned[1];
    layout->corner_file = layout->owned[2];
    if (layout->file_count >= UINT32_MAX)
        return fail_unsupported(layout->context, "%s: %zu vertices are too many for glTF", layout->name,
                                layout->file_count);
    return RUGA_OK;
}

static ruga_status choose_vertices(gltf_layout *layout) {
    const ruga_mesh *mesh = layout->mesh;
    layout->file_count = mesh->vertex_count;
    if (follows_splits(layout)) {
        layout->by_split = 1;
        layout->file_count = mesh->split_count;
        layout->file_vertex = mesh->split_vertex;
        layout->corner_file = mesh->corner_split;
        return RUGA_OK;
    }
    for (size_t i = 0; i < layout->attribute_count; i++)
        if (layout->attributes[i].attribute->domain == RUGA_DOMAIN_CORNER) return split_vertices(layout);
    return RUGA_OK;
}

/* ---- Which primitives. */

static int64_t triangle_label(const gltf_layout *layout, size_t triangle) {
    double label = ruga_attribute_get(layout->material, mesh_triangle_face(layout->mesh, triangle), 0);
    return label >= 0 && label < (double)layout->material->label_count ? (int64_t)label : -1;
}

/* Groups are numbered by first use; within one, triangles keep their order. `group_of` is (labels + 1). */
static void sort_triangles(gltf_layout *layout, uint32_t *group_of) {
    size_t count = layout->mesh->triangle_count;
    memset(group_of, 0xff, (layout->material->label_count + 1) * sizeof *group_of);
    for (size_t t = 0; t < count; t++) {
        int64_t label = triangle_label(layout, t);
        uint32_t *group = &group_of[label + 1];
        if (*group == GLTF_NONE) {
            *group = (uint32_t)layout->group_count++;
            layout->group_label[*group] = label;
        }
        layout->group_begin[*group + 1]++;
    }
    for (size_t g = 0; g < layout->group_count; g++) layout->group_begin[g + 1] += layout->group_begin[g];
    /* Filling moves every begin to its end, which is the next one's begin. */
    for (size_t t = 0; t < count; t++) {
        uint32_t group = group_of[triangle_label(layout, t) + 1];
        layout->triangle_order[layout->group_begin[group]++] = (uint32_t)t;
    }
    for (size_t g = layout->group_count; g > 0; g--) layout->group_begin[g] = layout->group_begin[g - 1];
    layout->group_begin[0] = 0;
}

static ruga_status choose_groups(gltf_layout *layout) {
    size_t labels = layout->material ? layout->material->label_count : 0, count = layout->mesh->triangle_count;
    TRY(NEW(layout->context, &layout->group_label, labels + 1));
    TRY(NEW_ZEROED(layout->context, &layout->group_begin, labels + 2));
    if (!layout->material) {
        layout->group_count = count > 0;
        layout->group_label[0] = -1;
        layout->group_begin[1] = count;
        return RUGA_OK;
    }
    uint32_t *group_of = NULL;
    TRY(NEW(layout->context, &layout->triangle_order, count));
    TRY(NEW(layout->context, &group_of, labels + 1));
    sort_triangles(layout, group_of);
    memory_release(layout->context, group_of);
    return RUGA_OK;
}

/* ---- Making. */

static ruga_status make_parts(const io_target *target, gltf_layout *layout) {
    if (layout->mesh->triangle_count == 0 && layout->mesh->line_count == 0)
        return fail_unsupported(layout->context,
                                "%s: the mesh has neither faces nor lines, which glTF needs; write it as PLY",
                                layout->name);
    TRY(io_target_attributes(target, &layout->source, &layout->source_count));
    TRY(choose_attributes(layout));
    TRY(choose_vertices(layout));
    return choose_groups(layout);
}

ruga_status gltf_layout_make(const io_target *target, gltf_layout *layout) {
    *layout = (gltf_layout){.context = target->context,
                            .name = target->out ? file_path(target->out) : "glTF",
                            .mesh = target->mesh,
                            .conversion = target->conversion};
    ruga_status status = make_parts(target, layout);
    if (RUGA_FAILED(status)) gltf_layout_release(layout);
    return status;
}

void gltf_layout_release(gltf_layout *layout) {
    ruga_context *context = layout->context;
    if (!context) return;
    for (size_t i = 0; i < layout->attribute_count; i++) memory_release(context, layout->attributes[i].semantic);
    for (int i = 0; i < 3; i++) memory_release(context, layout->owned[i]);
    RELEASE_ALL(context, layout->source, layout->attributes, layout->group_label, layout->group_begin,
                layout->triangle_order);
    *layout = (gltf_layout){0};
}

/* ---- Values. */

void gltf_layout_direction(const gltf_layout *layout, size_t vertex, ruga_vec3 direction, float out[3]) {
    vec3 d = io_convert_direction_out(&layout->conversion, direction);
    if (layout->origin) d = gltf_origin_direction(layout->origin, vertex, d);
    double length2 = vec3_length2(d);
    /* Keep normals of unit length up to rounding bit for bit. glTF requires a direction: zero vectors get one. */
    if (!(fabs(length2 - 1) < 1e-3)) d = vec3_normalise(d);
    if (!(length2 > 0) || !vec3_is_finite(d)) d = vec3_make(0, 1, 0);
    out[0] = (float)d.x, out[1] = (float)d.y, out[2] = (float)d.z;
}

/* The index of the value, GLTF_NONE for none. */
static size_t value_index(const gltf_layout *layout, const ruga_attribute *a, size_t file_vertex) {
    size_t element;
    if (a->domain == RUGA_DOMAIN_CORNER) {
        if (layout->by_split) return file_vertex;
        element = layout->file_corner[file_vertex];
    } else {
        element = gltf_layout_vertex(layout, file_vertex);
    }
    return element != GLTF_NONE && a->indices ? a->indices[element] : element;
}

static double number_at(const ruga_attribute *a, const unsigned char *value, uint32_t component) {
    ruga_attribute one = {
        .type = a->type, .components = a->components, .count = 1, .values = value, .normalised = a->normalised};
    return value ? ruga_attribute_get(&one, 0, component) : 0;
}

static void encode_direction(const gltf_layout *layout, const gltf_written_attribute *w, size_t vertex,
                             const unsigned char *value, unsigned char *out) {
    const ruga_attribute *a = w->attribute;
    float unit[4];
    gltf_layout_direction(layout, vertex,
                          vec3_make(number_at(a, value, 0), number_at(a, value, 1), number_at(a, value, 2)), unit);
    unit[3] = a->components > 3 && number_at(a, value, 3) < 0 ? -1.0f : 1.0f;
    memcpy(out, unit, w->element_size);
}

void gltf_layout_value(const gltf_layout *layout, const gltf_written_attribute *w, size_t file_vertex,
                       unsigned char *out) {
    const ruga_attribute *a = w->attribute;
    size_t size;
    const unsigned char *value = value_bytes(a, value_index(layout, a, file_vertex), &size);
    if (strcmp(w->semantic, "NORMAL") == 0 || strcmp(w->semantic, "TANGENT") == 0) {
        encode_direction(layout, w, gltf_layout_vertex(layout, file_vertex), value, out);
        return;
    }
    memset(out, 0, w->element_size);
    int uv = strncmp(w->semantic, "TEXCOORD_", 9) == 0; /* its v runs down, ours runs up */
    int colour = w->semantic[0] == 'C' && w->type == RUGA_F32;
    if (w->type == a->type && !colour && !(uv && w->type == RUGA_F32)) {
        if (value) memcpy(out, value, size);
        for (size_t i = size / 2; uv && value && i < size; i++) out[i] ^= 0xff;
        return;
    }
    for (uint32_t c = 0; c < a->components; c++) {
        double exact = number_at(a, value, c);
        float number = (float)(uv && value && c == 1 ? 1 - exact : exact);
        if (colour) number = fminf(fmaxf(number, 0), 1); /* glTF wants them within [0, 1] */
        memcpy(out + 4 * c, &number, sizeof number);
    }
}

ruga_vec3 gltf_layout_point(const gltf_layout *layout, size_t vertex, ruga_vec3 p) {
    return gltf_origin_point(layout->origin, vertex, io_convert_point_out(&layout->conversion, p));
}

ruga_status gltf_layout_positions(const gltf_layout *layout, const ruga_vec3 *positions, float *out) {
    for (size_t f = 0; f < layout->file_count; f++) {
        size_t vertex = gltf_layout_vertex(layout, f);
        vec3 p = gltf_layout_point(layout, vertex, positions[vertex]);
        float *to = out + 3 * f;
        to[0] = (float)p.x, to[1] = (float)p.y, to[2] = (float)p.z;
        if (!isfinite(to[0]) || !isfinite(to[1]) || !isfinite(to[2]))
            return fail_input(layout->context,
                              "%s: vertex %zu is at (%g, %g, %g), which glTF's 32-bit floats can't hold", layout->name,
                              vertex, p.x, p.y, p.z);
    }
    return RUGA_OK;
}
