/* Writes OBJ: texture coordinates and normals as the values and indices that the mesh has, so that their number and
 * order are those of the file it came from; every number in the shortest form that reads back as the same. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/io.h"

#define OBJ_WRITE_BUFFER 65536
#define NONE UINT32_MAX

enum { STATE_OBJECT, STATE_GROUP, STATE_MATERIAL, STATE_SMOOTHING, STATE_COUNT };
static const char *const state_names[STATE_COUNT] = {"object", "group", "material", "smoothing"};
static const char *const state_words[STATE_COUNT] = {"o", "g", "usemtl", "s"};

typedef struct obj_writer {
    const io_target *target;
    ruga_context *context;
    const char *name; /* for messages */
    ruga_attribute *attributes;
    size_t attribute_count;
    const ruga_attribute *uv, *normal, *colour, *library; /* NULL if there is none */
    const ruga_attribute *states[STATE_COUNT];
    char *buffer;
    size_t used;
} obj_writer;

/* ---- Text. */

static ruga_status flush(obj_writer *w) {
    const size_t used = w->used;
    w->used = 0;
    return file_write(w->target->out, w->buffer, used);
}

/* Makes room for a few numbers. */
static inline ruga_status reserve(obj_writer *w) {
    return OBJ_WRITE_BUFFER - w->used < 8 * NUMBER_CAPACITY ? flush(w) : RUGA_OK;
}

static inline void put_char(obj_writer *w, char c) { w->buffer[w->used++] = c; }

static void put_word(obj_writer *w, const char *word) {
    const size_t length = strlen(word);
    memcpy(w->buffer + w->used, word, length);
    w->used += length;
}

static void put_whole(obj_writer *w, uint64_t value) {
    char digits[20];
    size_t count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count > 0) put_char(w, digits[--count]);
}

/* A number of an attribute, in the precision of its type. */
static ruga_status put_number(obj_writer *w, double value, ruga_scalar type) {
    if (!isfinite(value))
        return fail_with(w->context, RUGA_ERROR_INPUT,
                         "%s: an OBJ file can't hold a number that is not finite; run validate", w->name);
    char *text = w->buffer + w->used;
    put_char(w, ' ');
    w->used += type == RUGA_F64 ? number_print(value, text + 1) : number_print_float((float)value, text + 1);
    return RUGA_OK;
}

/* A name may hold anything but a line's end. A backslash there would continue the line: a blank parts the two. */
static ruga_status put_name(obj_writer *w, const char *name) {
    char last = 0;
    for (; *name; name++) {
        TRY(reserve(w));
        put_char(w, last = (unsigned char)*name < ' ' ? ' ' : *name);
    }
    if (last == '\\') put_char(w, ' ');
    return RUGA_OK;
}

/* ---- Values. */

static ruga_status write_vertices(obj_writer *w) {
    const io_target *target = w->target;
    const ruga_vec3 *positions = io_target_positions(target);
    for (size_t i = 0; i < target->mesh->vertex_count; i++) {
        const ruga_vec3 p = io_convert_point_out(&target->conversion, positions[i]);
        TRY(io_report_written(target, i, 0));
        TRY(reserve(w));
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
            return fail_with(w->context, RUGA_ERROR_INPUT,
                             "%s: vertex %zu is at (%g, %g, %g) m, which an OBJ file can't hold", w->name, i, p.x, p.y,
                             p.z);
        put_char(w, 'v');
        TRY(put_number(w, p.x, RUGA_F64));
        TRY(put_number(w, p.y, RUGA_F64));
        TRY(put_number(w, p.z, RUGA_F64));
        for (uint32_t k = 0; w->colour && k < w->colour->components; k++)
            TRY(put_number(w, ruga_attribute_get(w->colour, i, k), w->colour->type));
        put_char(w, '\n');
    }
    return RUGA_OK;
}

/* The values themselves, whichever elements use them. */
static ruga_attribute plain_values(const ruga_attribute *attribute) {
    ruga_attribute values = *attribute;
    values.indices = NULL;
    return values;
}

static ruga_status write_uvs(obj_writer *w) {
    if (!w->uv) return RUGA_OK;
    const ruga_attribute values = plain_values(w->uv);
    for (size_t i = 0; i < values.count; i++) {
        TRY(reserve(w));
        put_word(w, "vt");
        for (uint32_t k = 0; k < values.components; k++)
            TRY(put_number(w, ruga_attribute_get(&values, i, k), values.type));
        put_char(w, '\n');
    }
    return RUGA_OK;
}

static ruga_status write_normals(obj_writer *w) {
    if (!w->normal) return RUGA_OK;
    const ruga_attribute values = plain_values(w->normal);
    for (size_t i = 0; i < values.count; i++) {
        ruga_vec3 n = {ruga_attribute_get(&values, i, 0), ruga_attribute_get(&values, i, 1),
                       ruga_attribute_get(&values, i, 2)};
        n = io_convert_direction_out(&w->target->conversion, n);
        TRY(reserve(w));
        put_word(w, "vn");
        TRY(put_number(w, n.x, values.type));
        TRY(put_number(w, n.y, values.type));
        TRY(put_number(w, n.z, values.type));
        put_char(w, '\n');
    }
    return RUGA_OK;
}

/* ---- Faces. */

/* Which value a corner has; NONE for none. */
static uint32_t value_at(const ruga_attribute *attribute, size_t corner, uint32_t vertex) {
    if (!attribute) return NONE;
    const size_t element = attribute->domain == RUGA_DOMAIN_CORNER ? corner : vertex;
    return attribute->indices ? attribute->indices[element] : (uint32_t)element;
}

static ruga_status write_face(obj_writer *w, size_t face) {
    const ruga_mesh *mesh = w->target->mesh;
    TRY(reserve(w));
    put_char(w, 'f');
    for (size_t c = mesh_face_begin(mesh, face); c < mesh_face_end(mesh, face); c++) {
        const uint32_t vertex = mesh->face_vertices[c];
        const uint32_t uv = value_at(w->uv, c, vertex), normal = value_at(w->normal, c, vertex);
        TRY(reserve(w));
        put_char(w, ' ');
        put_whole(w, (uint64_t)vertex + 1);
        if (uv == NONE && normal == NONE) continue;
        put_char(w, '/');
        if (uv != NONE) put_whole(w, (uint64_t)uv + 1);
        if (normal == NONE) continue;
        put_char(w, '/');
        put_whole(w, (uint64_t)normal + 1);
    }
    put_char(w, '\n');
    return RUGA_OK;
}

/* A label, the number itself where it has none, nothing for -1. */
static ruga_status put_label(obj_writer *w, const ruga_attribute *attribute, int64_t value) {
    if (value < 0) return RUGA_OK;
    put_char(w, ' ');
    if ((uint64_t)value < attribute->label_count) return put_name(w, attribute->labels[value]);
    put_whole(w, (uint64_t)value);
    return RUGA_OK;
}

/* Statements for what changes from the last face to this one. */
static ruga_status write_states(obj_writer *w, size_t face, int64_t last[STATE_COUNT]) {
    for (int i = 0; i < STATE_COUNT; i++) {
        const ruga_attribute *attribute = w->states[i];
        if (!attribute) continue;
        const int64_t value = (int64_t)ruga_attribute_get(attribute, face, 0);
        if (face > 0 && value == last[i]) continue;
        last[i] = value;
        TRY(reserve(w));
        put_word(w, state_words[i]);
        if (i == STATE_SMOOTHING && value <= 0)
            put_word(w, " off");
        else
            TRY(put_label(w, attribute, value));
        TRY(reserve(w));
        put_char(w, '\n');
    }
    return RUGA_OK;
}

static ruga_status write_faces(obj_writer *w) {
    int64_t last[STATE_COUNT] = {0};
    for (size_t i = 0; i < w->target->mesh->face_count; i++) {
        TRY(io_report_written(w->target, w->target->mesh->vertex_count, i));
        TRY(write_states(w, i, last));
        TRY(write_face(w, i));
    }
    return RUGA_OK;
}

static ruga_status write_lines(obj_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    for (size_t i = 0; i < mesh->line_count; i++) {
        TRY(reserve(w));
        put_char(w, 'l');
        for (size_t k = mesh->line_offsets[i]; k < mesh->line_offsets[i + 1]; k++) {
            TRY(reserve(w));
            put_char(w, ' ');
            put_whole(w, (uint64_t)mesh->line_vertices[k] + 1);
        }
        put_char(w, '\n');
    }
    return RUGA_OK;
}

static ruga_status write_libraries(obj_writer *w) {
    for (size_t i = 0; w->library && i < w->library->label_count; i++) {
        TRY(reserve(w));
        put_word(w, "mtllib ");
        TRY(put_name(w, w->library->labels[i]));
        TRY(reserve(w));
        put_char(w, '\n');
    }
    return RUGA_OK;
}

static ruga_status write_all(obj_writer *w) {
    put_word(w, "# written by Ruga\n");
    TRY(write_libraries(w));
    TRY(write_vertices(w));
    TRY(write_uvs(w));
    TRY(write_normals(w));
    TRY(write_faces(w));
    TRY(write_lines(w));
    return flush(w);
}

/* ---- Preparing. */

static int attribute_is(const ruga_attribute *attribute, const char *name, ruga_domain domain) {
    return attribute->domain == domain && strcmp(attribute->name, name) == 0;
}

/* Of corners or of vertices; those of corners win. */
static int take(const ruga_attribute **slot, const ruga_attribute *attribute, const char *name, uint32_t least,
                uint32_t most) {
    const int fits = attribute->components >= least && attribute->components <= most;
    if (!fits || strcmp(attribute->name, name) != 0) return 0;
    if (attribute->domain != RUGA_DOMAIN_CORNER && attribute->domain != RUGA_DOMAIN_VERTEX) return 0;
    if (*slot && (*slot)->domain == RUGA_DOMAIN_CORNER) return 0;
    *slot = attribute;
    return 1;
}

static int choose(obj_writer *w, const ruga_attribute *attribute) {
    if (take(&w->uv, attribute, "uv", 1, 3) || take(&w->normal, attribute, "normal", 3, 3)) return 1;
    if (attribute_is(attribute, "colour", RUGA_DOMAIN_VERTEX) && attribute->components >= 3 &&
        attribute->components <= 4) {
        w->colour = attribute;
        return 1;
    }
    if (attribute_is(attribute, "material_library", RUGA_DOMAIN_FACE)) {
        w->library = attribute;
        return 1;
    }
    for (int i = 0; i < STATE_COUNT; i++)
        if (attribute_is(attribute, state_names[i], RUGA_DOMAIN_FACE)) {
            w->states[i] = attribute;
            return 1;
        }
    return 0;
}

static ruga_status prepare(obj_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    w->buffer = ALLOCATE(w->context, char, OBJ_WRITE_BUFFER);
    if (!w->buffer) return fail_memory(w->context, OBJ_WRITE_BUFFER);
    TRY(io_target_attributes(w->target, &w->attributes, &w->attribute_count));
    for (size_t i = 0; i < w->attribute_count; i++)
        if (!choose(w, &w->attributes[i]))
            log_info(w->context, "%s: an OBJ file can't hold attribute \"%s\"; it is left out", w->name,
                     w->attributes[i].name);
    if (mesh->edge_count > 0) log_info(w->context, "%s: an OBJ file can't hold edges; they are left out", w->name);
    if (mesh->tet_count > 0)
        log_info(w->context, "%s: an OBJ file can't hold tets; only their surface is written", w->name);
    return RUGA_OK;
}

ruga_status obj_write(const io_target *target) {
    obj_writer writer = {.target = target, .context = target->context, .name = file_path(target->out)};
    ruga_status status = prepare(&writer);
    if (!RUGA_FAILED(status)) status = write_all(&writer);
    memory_release(writer.context, writer.attributes);
    memory_release(writer.context, writer.buffer);
    return status;
}
