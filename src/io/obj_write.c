/* Writes OBJ: texture coordinates and normals as the values and indices that the mesh has, so that their number and
 * order are those of the file it came from; every number in the shortest form that reads back as the same. */
#include <math.h>
#include <string.h>

#include "io/io.h"
#include "io/text_out.h"

#define NONE UINT32_MAX

enum { STATE_OBJECT, STATE_GROUP, STATE_MATERIAL, STATE_SMOOTHING, STATE_COUNT };
static const char *const state_names[STATE_COUNT] = {"object", "group", "material", "smoothing"};
static const char *const state_words[STATE_COUNT] = {"o", "g", "usemtl", "s"};

/* A number that was printed. Grids repeat coordinates: the last one of each column of a line is kept. */
typedef struct printed_number {
    double value;
    ruga_scalar type;
    size_t length; /* 0: none was printed */
    char text[NUMBER_CAPACITY];
} printed_number;

typedef struct obj_writer {
    const io_target *target;
    ruga_context *context;
    const char *name; /* for messages */
    ruga_attribute *attributes;
    size_t attribute_count;
    const ruga_attribute *uv, *normal, *colour, *library; /* NULL if there is none */
    const ruga_attribute *states[STATE_COUNT];
    printed_number printed[3]; /* x, y and z */
    text_out text;
} obj_writer;

/* ---- Text. */

/* A number of an attribute, in the precision of its type. column: of the line, for numbers that repeat. */
static void put_number(obj_writer *w, uint32_t column, double value, ruga_scalar type) {
    printed_number *last = &w->printed[column % 3];
    if (!isfinite(value) && !RUGA_FAILED(w->text.status))
        w->text.status =
            fail_input(w->context, "%s: an OBJ file can't hold a number that is not finite; run validate", w->name);
    if (last->length == 0 || last->type != type || memcmp(&last->value, &value, sizeof value) != 0) {
        last->value = value;
        last->type = type;
        last->length =
            type == RUGA_F64 ? number_print(value, last->text) : number_print_float((float)value, last->text);
    }
    char *to = text_reserve(&w->text, NUMBER_CAPACITY + 1);
    *to++ = ' ';
    memcpy(to, last->text, sizeof last->text); /* whole, which is faster than its length */
    w->text.used += 1 + last->length;
}

static void put_vector(obj_writer *w, ruga_vec3 v, ruga_scalar type) {
    put_number(w, 0, v.x, type);
    put_number(w, 1, v.y, type);
    put_number(w, 2, v.z, type);
}

/* A name may hold anything but a line's end. A backslash there would continue the line: a blank parts the two. */
static void put_name(obj_writer *w, const char *name) {
    char last = 0;
    for (; *name; name++) text_put_char(&w->text, last = (unsigned char)*name < ' ' ? ' ' : *name);
    if (last == '\\') text_put_char(&w->text, ' ');
}

/* ---- Values. */

static ruga_status write_vertices(obj_writer *w) {
    const io_target *target = w->target;
    const ruga_vec3 *positions = io_target_positions(target);
    for (size_t i = 0; i < target->mesh->vertex_count; i++) {
        const ruga_vec3 p = io_convert_point_out(&target->conversion, positions[i]);
        TRY(io_report_written(target, i, 0));
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
            return fail_input(w->context, "%s: vertex %zu is at (%g, %g, %g) m, which an OBJ file can't hold", w->name,
                              i, p.x, p.y, p.z);
        text_put_char(&w->text, 'v');
        put_vector(w, p, RUGA_F64);
        for (uint32_t k = 0; w->colour && k < w->colour->components; k++)
            put_number(w, k, ruga_attribute_get(w->colour, i, k), w->colour->type);
        text_put_char(&w->text, '\n');
        TRY(w->text.status);
    }
    return RUGA_OK;
}

/* The values themselves, whichever elements use them. */
static ruga_status write_values(obj_writer *w, const ruga_attribute *attribute, const char *word) {
    if (!attribute) return RUGA_OK;
    ruga_attribute values = *attribute;
    values.indices = NULL;
    for (size_t i = 0; i < values.count; i++) {
        double v[3] = {0};
        for (uint32_t k = 0; k < values.components; k++) v[k] = ruga_attribute_get(&values, i, k);
        text_put(&w->text, word);
        if (attribute == w->normal)
            put_vector(w, io_convert_direction_out(&w->target->conversion, (ruga_vec3){v[0], v[1], v[2]}), values.type);
        else
            for (uint32_t k = 0; k < values.components; k++) put_number(w, k, v[k], values.type);
        text_put_char(&w->text, '\n');
        TRY(w->text.status);
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

/* A blank or a slash, and a number that counts from 1. */
static void put_index(obj_writer *w, char before, uint32_t index) {
    char *to = text_reserve(&w->text, NUMBER_CAPACITY + 1);
    *to++ = before;
    w->text.used += 1 + number_print_whole((int64_t)index + 1, to);
}

static void write_face(obj_writer *w, size_t face) {
    const ruga_mesh *mesh = w->target->mesh;
    text_put_char(&w->text, 'f');
    for (size_t c = mesh_face_begin(mesh, face); c < mesh_face_end(mesh, face); c++) {
        const uint32_t vertex = mesh->face_vertices[c];
        const uint32_t uv = value_at(w->uv, c, vertex), normal = value_at(w->normal, c, vertex);
        put_index(w, ' ', vertex);
        if (uv != NONE) put_index(w, '/', uv);
        if (normal == NONE) continue;
        if (uv == NONE) text_put_char(&w->text, '/');
        put_index(w, '/', normal);
    }
    text_put_char(&w->text, '\n');
}

/* Statements for what changes from the last face to this one: a label, the number itself where it has none, nothing
 * for -1. */
static void write_states(obj_writer *w, size_t face, int64_t last[STATE_COUNT]) {
    for (int i = 0; i < STATE_COUNT; i++) {
        const ruga_attribute *attribute = w->states[i];
        if (!attribute) continue;
        const int64_t value = (int64_t)ruga_attribute_get(attribute, face, 0);
        if (face > 0 && value == last[i]) continue;
        last[i] = value;
        text_put(&w->text, state_words[i]);
        const int off = i == STATE_SMOOTHING && value <= 0;
        if (off || value >= 0) text_put_char(&w->text, ' ');
        if (off)
            text_put(&w->text, "off");
        else if (value >= 0 && (uint64_t)value < attribute->label_count)
            put_name(w, attribute->labels[value]);
        else if (value >= 0)
            text_put_whole(&w->text, value);
        text_put_char(&w->text, '\n');
    }
}

static ruga_status write_faces(obj_writer *w) {
    int64_t last[STATE_COUNT] = {0};
    for (size_t i = 0; i < w->target->mesh->face_count; i++) {
        TRY(io_report_written(w->target, w->target->mesh->vertex_count, i));
        write_states(w, i, last);
        write_face(w, i);
        TRY(w->text.status);
    }
    return RUGA_OK;
}

static void write_lines(obj_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    for (size_t i = 0; i < mesh->line_count; i++) {
        text_put_char(&w->text, 'l');
        for (size_t k = mesh->line_offsets[i]; k < mesh->line_offsets[i + 1]; k++)
            put_index(w, ' ', mesh->line_vertices[k]);
        text_put_char(&w->text, '\n');
    }
}

static ruga_status write_all(obj_writer *w) {
    text_put(&w->text, "# written by Ruga\n");
    for (size_t i = 0; w->library && i < w->library->label_count; i++) {
        text_put(&w->text, "mtllib ");
        put_name(w, w->library->labels[i]);
        text_put_char(&w->text, '\n');
    }
    TRY(write_vertices(w));
    TRY(write_values(w, w->uv, "vt"));
    TRY(write_values(w, w->normal, "vn"));
    TRY(write_faces(w));
    write_lines(w);
    return text_flush(&w->text);
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
    const ruga_attribute **slot = NULL;
    if (attribute_is(attribute, "colour", RUGA_DOMAIN_VERTEX) && attribute->components >= 3 &&
        attribute->components <= 4)
        slot = &w->colour;
    if (attribute_is(attribute, "material_library", RUGA_DOMAIN_FACE)) slot = &w->library;
    for (int i = 0; i < STATE_COUNT; i++)
        if (attribute_is(attribute, state_names[i], RUGA_DOMAIN_FACE)) slot = &w->states[i];
    if (slot) *slot = attribute;
    return slot != NULL;
}

static ruga_status prepare(obj_writer *w) {
    const ruga_mesh *mesh = w->target->mesh;
    TRY(text_open(&w->text, w->context, w->target->out));
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
    text_close(&writer.text);
    return status;
}
