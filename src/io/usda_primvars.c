/* A mesh's attributes as USD's primvars, and its materials, groups and objects as subsets of the faces.
 *
 *     uv, uv1 …   texCoord2f primvars:st, st1 …       normal   normals, or primvars:normals where values are shared
 *     colour      color3f primvars:displayColor, and the fourth number as float primvars:displayOpacity
 *     labels      string primvars, indexed            others   float, double, int, uint by type, under their own name
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/usda.h"

#define NONE UINT32_MAX

typedef enum number_kind { NUMBER_FLOAT, NUMBER_DOUBLE, NUMBER_WHOLE } number_kind;

/* One primvar: some components of an attribute. */
typedef struct primvar {
    const ruga_attribute *attribute;
    const char *property; /* "primvars:st" without its first part */
    const char *type;     /* of an element: "texCoord2f" */
    number_kind kind;
    uint32_t first, components;
    int plain;  /* no "primvars:" before the name */
    int normal; /* where there is no value, the normal points up; else it is zero */
} primvar;

/* ---- What an attribute becomes. */

static int is_whole(ruga_scalar type) { return type != RUGA_F32 && type != RUGA_F64; }

/* Whether an attribute's values are all labels or -1. */
static int has_labels(const ruga_attribute *attribute) {
    if (attribute->label_count == 0 || attribute->components != 1 || !is_whole(attribute->type)) return 0;
    for (size_t i = 0; i < attribute->count; i++) {
        const double value = mesh_scalar_get(attribute->type, attribute->values, i);
        if (value < -1 || value >= (double)attribute->label_count) return 0;
    }
    return 1;
}

static const char *const families[][2] = {{"material", "materialBind"}, {"group", "group"}, {"object", "object"}};
enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

/* The family of subsets that an attribute becomes; NULL: none. */
static const char *find_family(const ruga_attribute *attribute) {
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (attribute->domain == RUGA_DOMAIN_FACE && strcmp(attribute->name, families[i][0]) == 0)
            return has_labels(attribute) ? families[i][1] : NULL;
    return NULL;
}

int usda_is_family(const ruga_attribute *attribute) { return find_family(attribute) != NULL; }

/* "uv", "uv1", "uv2" … */
static int is_uv(const ruga_attribute *attribute) {
    const char *name = attribute->name;
    if (strncmp(name, "uv", 2) != 0 || attribute->components < 2 || attribute->components > 3) return 0;
    return name[2 + strspn(name + 2, "0123456789")] == 0;
}

static number_kind find_kind(const ruga_attribute *attribute) {
    if (attribute->normalised || attribute->type == RUGA_F32) return NUMBER_FLOAT;
    /* USD has no vectors of unsigned numbers. */
    const int unsigned_vector = attribute->type == RUGA_U32 && attribute->components > 1 && attribute->components <= 4;
    return attribute->type == RUGA_F64 || unsigned_vector ? NUMBER_DOUBLE : NUMBER_WHOLE;
}

static const char *find_type(const ruga_attribute *attribute, number_kind kind) {
    static const char *const types[3][4] = {{"float", "float2", "float3", "float4"},
                                            {"double", "double2", "double3", "double4"},
                                            {"int", "int2", "int3", "int4"}};
    if (kind == NUMBER_WHOLE && attribute->type == RUGA_U32) return "uint";
    return types[kind][attribute->components <= 4 ? attribute->components - 1 : 0];
}

/* ---- Values. */

static const char *interpolation(ruga_domain domain) {
    return domain == RUGA_DOMAIN_VERTEX ? "vertex" : domain == RUGA_DOMAIN_FACE ? "uniform" : "faceVarying";
}

static ruga_status put_number(usda_stage *stage, const primvar *p, size_t value, double number) {
    usda_text *text = &stage->text;
    if (!isfinite(p->kind == NUMBER_FLOAT ? (double)(float)number : number))
        return fail_with(stage->context, RUGA_ERROR_INPUT,
                         "%s: value %zu of attribute \"%s\" is %g, which a USD file can't hold as a %s; run validate",
                         stage->path, value, p->attribute->name, number, p->type);
    if (p->kind == NUMBER_FLOAT)
        usda_put_float(text, (float)number);
    else if (p->kind == NUMBER_DOUBLE)
        usda_put_double(text, number);
    else
        usda_put_whole(text, (int64_t)number);
    return text->status;
}

/* Numbers of one value: a tuple where the type is a vector, else flat. */
static ruga_status put_value(usda_stage *stage, const primvar *p, size_t i, const double *numbers) {
    const int tuple = p->components > 1 && p->components <= 4;
    if (tuple) usda_put(&stage->text, "(");
    for (uint32_t k = 0; k < p->components; k++) {
        if (k > 0) usda_put(&stage->text, ", ");
        TRY(put_number(stage, p, i, numbers ? numbers[k] : 0));
    }
    if (tuple) usda_put(&stage->text, ")");
    return stage->text.status;
}

/* The normal that points up in the file. */
static ruga_status put_none(usda_stage *stage, const primvar *p) {
    const ruga_vec3 up = io_convert_direction_out(&stage->target->conversion, (ruga_vec3){0, 1, 0});
    return put_value(stage, p, 0, p->normal ? (const double[]){up.x, up.y, up.z} : NULL);
}

/* The first four numbers of a value; directions are turned. */
static void get_value(const usda_stage *stage, const ruga_attribute *values, size_t i, double numbers[4]) {
    for (uint32_t k = 0; k < 4; k++) numbers[k] = k < values->components ? ruga_attribute_get(values, i, k) : 0;
    if (!io_attribute_is_direction(values)) return;
    const ruga_vec3 d =
        io_convert_direction_out(&stage->target->conversion, (ruga_vec3){numbers[0], numbers[1], numbers[2]});
    numbers[0] = d.x, numbers[1] = d.y, numbers[2] = d.z;
}

static ruga_status put_values(usda_stage *stage, const primvar *p, int none) {
    ruga_attribute values = *p->attribute;
    values.indices = NULL;
    for (size_t i = 0; i < values.count; i++) {
        if (i > 0) usda_put(&stage->text, ", ");
        if (p->components > 4) {
            for (uint32_t k = 0; k < p->components; k++) {
                if (k > 0) usda_put(&stage->text, ", ");
                TRY(put_number(stage, p, i, ruga_attribute_get(&values, i, k)));
            }
            continue;
        }
        double numbers[4];
        get_value(stage, &values, i, numbers);
        TRY(put_value(stage, p, i, numbers + p->first));
    }
    if (!none) return stage->text.status;
    if (values.count > 0) usda_put(&stage->text, ", ");
    return put_none(stage, p);
}

/* ---- Properties. */

static void put_property(usda_text *text, const char *type, const char *name, const char *end) {
    usda_put_indent(text, 2);
    usda_put(text, type);
    usda_put(text, "[] primvars:");
    usda_put(text, name);
    usda_put(text, end);
}

static void put_metadata(usda_text *text, ruga_domain domain, uint32_t element_size) {
    usda_put(text, " (\n");
    if (element_size > 1) {
        usda_put(text, "            elementSize = ");
        usda_put_whole(text, element_size);
        usda_put(text, "\n");
    }
    usda_put(text, "            interpolation = \"");
    usda_put(text, interpolation(domain));
    usda_put(text, "\"\n        )\n");
}

/* Which value each element has; `count` stands for none. */
static ruga_status put_indices(usda_stage *stage, const ruga_attribute *attribute, const char *name) {
    usda_text *text = &stage->text;
    const size_t elements = mesh_domain_size(stage->target->mesh, attribute->domain);
    put_property(text, "int", name, ":indices = [");
    for (size_t i = 0; i < elements; i++) {
        const uint32_t index = attribute->indices[i];
        if (i > 0) usda_put(text, ", ");
        usda_put_whole(text, index == NONE ? (int64_t)attribute->count : (int64_t)index);
        TRY(text->status);
    }
    usda_put(text, "]\n");
    return text->status;
}

static int lacks_values(const usda_stage *stage, const ruga_attribute *attribute) {
    const size_t elements = mesh_domain_size(stage->target->mesh, attribute->domain);
    for (size_t i = 0; attribute->indices && i < elements; i++)
        if (attribute->indices[i] == NONE) return 1;
    return 0;
}

static ruga_status write_primvar(usda_stage *stage, const primvar *p) {
    usda_text *text = &stage->text;
    if (p->plain)
        usda_put_indent(text, 2), usda_put(text, "normal3f[] normals = [");
    else
        put_property(text, p->type, p->property, " = [");
    TRY(put_values(stage, p, lacks_values(stage, p->attribute)));
    usda_put(text, "]");
    put_metadata(text, p->attribute->domain, p->components > 4 ? p->components : 1);
    return p->attribute->indices ? put_indices(stage, p->attribute, p->property) : text->status;
}

/* ---- Kinds of attributes. */

static ruga_status choose_name(usda_stage *stage, const char *wanted, const char **name) {
    *name = usda_name(&stage->primvars, wanted, strlen(wanted), "attribute");
    return *name ? RUGA_OK : fail_memory(stage->context, strlen(wanted));
}

static ruga_status write_uv(usda_stage *stage, const ruga_attribute *attribute) {
    primvar p = {attribute, NULL, "texCoord2f", NUMBER_FLOAT, 0, attribute->components, 0, 0};
    if (attribute->components == 3) p.type = "texCoord3f";
    const size_t digits = strlen(attribute->name + 2);
    char *wanted = ALLOCATE(stage->context, char, digits + 3);
    if (!wanted) return fail_memory(stage->context, digits + 3);
    memcpy(wanted, "st", 2);
    memcpy(wanted + 2, attribute->name + 2, digits + 1);
    ruga_status status = choose_name(stage, wanted, &p.property);
    memory_release(stage->context, wanted);
    return RUGA_FAILED(status) ? status : write_primvar(stage, &p);
}

static ruga_status write_normal(usda_stage *stage, const ruga_attribute *attribute) {
    primvar p = {attribute, NULL, "normal3f", NUMBER_FLOAT, 0, 3, 0, 1};
    TRY(choose_name(stage, "normals", &p.property));
    p.plain = !attribute->indices && strcmp(p.property, "normals") == 0;
    return write_primvar(stage, &p);
}

static ruga_status write_colour(usda_stage *stage, const ruga_attribute *attribute) {
    primvar p = {attribute, NULL, "color3f", NUMBER_FLOAT, 0, 3, 0, 0};
    TRY(choose_name(stage, "displayColor", &p.property));
    TRY(write_primvar(stage, &p));
    if (attribute->components == 3) return RUGA_OK;
    primvar opacity = {attribute, NULL, "float", NUMBER_FLOAT, 3, 1, 0, 0};
    TRY(choose_name(stage, "displayOpacity", &opacity.property));
    return write_primvar(stage, &opacity);
}

/* The label that an element has; -1 for none. */
static int64_t label_of(const ruga_attribute *attribute, size_t element) {
    if (attribute->indices && attribute->indices[element] == NONE) return -1;
    return (int64_t)ruga_attribute_get(attribute, element, 0);
}

/* Labels as strings; the last, empty one is for elements without. */
static ruga_status write_labels(usda_stage *stage, const ruga_attribute *attribute) {
    usda_text *text = &stage->text;
    const char *name;
    TRY(choose_name(stage, attribute->name, &name));
    put_property(text, "string", name, " = [");
    for (size_t i = 0; i < attribute->label_count; i++) {
        usda_put_quoted(text, attribute->labels[i]);
        usda_put(text, ", ");
    }
    usda_put(text, "\"\"]");
    put_metadata(text, attribute->domain, 1);
    put_property(text, "int", name, ":indices = [");
    for (size_t i = 0; i < mesh_domain_size(stage->target->mesh, attribute->domain); i++) {
        const int64_t label = label_of(attribute, i);
        if (i > 0) usda_put(text, ", ");
        usda_put_whole(text, label < 0 ? (int64_t)attribute->label_count : label);
        TRY(text->status);
    }
    usda_put(text, "]\n");
    return text->status;
}

static ruga_status write_other(usda_stage *stage, const ruga_attribute *attribute) {
    const number_kind kind = find_kind(attribute);
    primvar p = {attribute, NULL, find_type(attribute, kind), kind, 0, attribute->components, 0, 0};
    TRY(choose_name(stage, attribute->name, &p.property));
    return write_primvar(stage, &p);
}

static ruga_status write_attribute(usda_stage *stage, const ruga_attribute *attribute) {
    if (find_family(attribute)) return RUGA_OK;
    if (attribute->domain == RUGA_DOMAIN_EDGE) {
        log_info(stage->context, "%s: a USD mesh can't hold attribute \"%s\" of edges; it is left out", stage->path,
                 attribute->name);
        return RUGA_OK;
    }
    if (is_uv(attribute)) return write_uv(stage, attribute);
    if (strcmp(attribute->name, "normal") == 0 && attribute->components == 3 && io_attribute_is_direction(attribute))
        return write_normal(stage, attribute);
    if (strcmp(attribute->name, "colour") == 0 && attribute->components >= 3 && attribute->components <= 4)
        return write_colour(stage, attribute);
    return has_labels(attribute) ? write_labels(stage, attribute) : write_other(stage, attribute);
}

ruga_status usda_write_attributes(usda_stage *stage) {
    for (size_t i = 0; i < stage->attribute_count; i++) TRY(write_attribute(stage, &stage->attributes[i]));
    return stage->text.status;
}

/* ---- Subsets. */

/* Faces in the order of their labels: those of label l are faces[starts[l]] to faces[starts[l + 1]]. */
typedef struct sorted_faces {
    const ruga_attribute *attribute;
    const char *family;
    uint32_t *faces;
    size_t *starts;
} sorted_faces;

static void sort_faces(const ruga_mesh *mesh, sorted_faces *sorted) {
    const ruga_attribute *attribute = sorted->attribute;
    size_t *starts = sorted->starts;
    for (size_t i = 0; i < mesh->face_count; i++) starts[label_of(attribute, i) + 2]++;
    /* Faces without a label were counted first, and are left out. */
    starts[1] = 0;
    for (size_t l = 1; l <= attribute->label_count; l++) starts[l + 1] += starts[l];
    starts[attribute->label_count + 2] = starts[attribute->label_count + 1];
    for (size_t i = mesh->face_count; i-- > 0;) {
        const int64_t label = label_of(attribute, i);
        if (label >= 0) sorted->faces[--starts[label + 2]] = (uint32_t)i;
    }
    sorted->starts += 2;
}

/* The subset's opening: its label as it was, where the name can't say it. */
static void put_subset_head(usda_stage *stage, const char *name, const char *label, int material) {
    usda_text *text = &stage->text;
    usda_put(text, "\n");
    usda_put_prim(text, 2, "GeomSubset", name);
    if (material || strcmp(name, label) != 0) usda_put(text, " (\n");
    if (material) usda_put_line(text, 3, "prepend apiSchemas = [\"MaterialBindingAPI\"]");
    if (strcmp(name, label) != 0) {
        usda_put(text, "            customData = {\n                string label = ");
        usda_put_quoted(text, label);
        usda_put(text, "\n            }\n");
    }
    usda_put(text, material || strcmp(name, label) != 0 ? "        )\n        {\n" : "\n        {\n");
}

static ruga_status put_binding(usda_stage *stage, const char *name) {
    usda_text *text = &stage->text;
    usda_put(text, "            rel material:binding = </");
    usda_put(text, stage->name);
    usda_put(text, "/");
    usda_put(text, stage->materials);
    usda_put(text, "/");
    usda_put(text, name);
    usda_put(text, ">\n");
    TRY(ARRAY_RESERVE(stage->context, &stage->material_names, 1));
    stage->material_names.items[stage->material_names.count++] = name;
    return text->status;
}

static ruga_status write_subset(usda_stage *stage, const sorted_faces *sorted, size_t l) {
    usda_text *text = &stage->text;
    const char *label = sorted->attribute->labels[l];
    const int material = sorted->family == families[0][1];
    const char *name = usda_name(&stage->subsets, label, strlen(label), sorted->attribute->name);
    if (!name) return fail_memory(stage->context, strlen(label));
    put_subset_head(stage, name, label, material);
    usda_put_line(text, 3, "uniform token elementType = \"face\"");
    usda_put(text, "            uniform token familyName = \"");
    usda_put(text, sorted->family);
    usda_put(text, "\"\n            int[] indices = [");
    for (size_t i = sorted->starts[l]; i < sorted->starts[l + 1]; i++) {
        if (i > sorted->starts[l]) usda_put(text, ", ");
        usda_put_whole(text, sorted->faces[i]);
        TRY(text->status);
    }
    usda_put(text, "]\n");
    if (material) TRY(put_binding(stage, name));
    usda_put_line(text, 2, "}");
    return text->status;
}

/* A subset for each label that faces have. */
static ruga_status write_labelled(usda_stage *stage, const sorted_faces *sorted) {
    for (size_t l = 0; l < sorted->attribute->label_count; l++)
        if (sorted->starts[l + 1] > sorted->starts[l]) TRY(write_subset(stage, sorted, l));
    return RUGA_OK;
}

static ruga_status write_family(usda_stage *stage, const ruga_attribute *attribute, const char *family) {
    ruga_context *context = stage->context;
    const size_t face_count = stage->target->mesh->face_count;
    size_t *starts = ALLOCATE_ZEROED(context, size_t, attribute->label_count + 3);
    sorted_faces sorted = {attribute, family, ALLOCATE(context, uint32_t, face_count), starts};
    ruga_status status = RUGA_OK;
    if (!sorted.faces || !starts) {
        status = fail_memory(context, face_count * sizeof *sorted.faces);
    } else {
        sort_faces(stage->target->mesh, &sorted);
        status = write_labelled(stage, &sorted);
    }
    memory_release(context, sorted.faces);
    memory_release(context, starts);
    return status;
}

ruga_status usda_write_subsets(usda_stage *stage) {
    usda_text *text = &stage->text;
    for (size_t i = 0; i < stage->attribute_count; i++) {
        const char *family = find_family(&stage->attributes[i]);
        if (!family) continue;
        usda_put(text, "        uniform token subsetFamily:");
        usda_put(text, family);
        usda_put_line(text, 0, ":familyType = \"nonOverlapping\"");
    }
    for (size_t i = 0; i < stage->attribute_count; i++) {
        const char *family = find_family(&stage->attributes[i]);
        if (family) TRY(write_family(stage, &stage->attributes[i], family));
    }
    usda_put_line(text, 1, "}");
    return text->status;
}
