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

/* ---- From attributes to primvars. */

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

static ruga_status put_number(usda_stage *stage, const primvar *p, size_t value, double number) {
    text_out *text = &stage->text;
    if (!isfinite(p->kind == NUMBER_FLOAT ? (double)(float)number : number))
        return fail_input(stage->context,
                          "%s: value %zu of attribute \"%s\" is %g, which a USD file can't hold as a %s; run validate",
                          stage->path, value, p->attribute->name, number, p->type);
    if (p->kind == NUMBER_FLOAT)
        text_put_float(text, (float)number);
    else if (p->kind == NUMBER_DOUBLE)
        text_put_double(text, number);
    else
        text_put_whole(text, (int64_t)number);
    return text->status;
}

/* Numbers of one value: a tuple where the type is a vector, else flat. */
static ruga_status put_value(usda_stage *stage, const primvar *p, size_t i, const double *numbers) {
    const int tuple = p->components > 1 && p->components <= 4;
    if (tuple) text_put(&stage->text, "(");
    for (uint32_t k = 0; k < p->components; k++) {
        if (k > 0) text_put(&stage->text, ", ");
        TRY(put_number(stage, p, i, numbers ? numbers[k] : 0));
    }
    if (tuple) text_put(&stage->text, ")");
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
        if (i > 0) text_put(&stage->text, ", ");
        if (p->components > 4) {
            for (uint32_t k = 0; k < p->components; k++) {
                if (k > 0) text_put(&stage->text, ", ");
                TRY(put_number(stage, p, i, ruga_attribute_get(&values, i, k)));
            }
            continue;
        }
        double numbers[4];
        get_value(stage, &values, i, numbers);
        TRY(put_value(stage, p, i, numbers + p->first));
    }
    if (!none) return stage->text.status;
    if (values.count > 0) text_put(&stage->text, ", ");
    return put_none(stage, p);
}

/* ---- Properties. */

static void put_metadata(text_out *text, ruga_domain domain, uint32_t element_size) {
    text_put(text, " (\n");
    if (element_size > 1) {
        text_put(text, "            elementSize = ");
        text_put_whole(text, element_size);
        text_put(text, "\n");
    }
    text_print(text, "            interpolation = \"%s\"\n        )\n",
               domain == RUGA_DOMAIN_VERTEX ? "vertex"
               : domain == RUGA_DOMAIN_FACE ? "uniform"
                                            : "faceVarying");
}

/* The label that an element has; -1 for none. */
static int64_t label_of(const ruga_attribute *attribute, size_t element) {
    if (attribute->indices && attribute->indices[element] == NONE) return -1;
    return (int64_t)ruga_attribute_get(attribute, element, 0);
}

/* Which value or label each element has; their count stands for none. */
static ruga_status put_indices(usda_stage *stage, const ruga_attribute *attribute, const char *name, int labels) {
    text_out *text = &stage->text;
    const size_t elements = mesh_domain_size(stage->target->mesh, attribute->domain);
    const int64_t none = (int64_t)(labels ? attribute->label_count : attribute->count);
    text_print(text, "        int[] primvars:%s:indices = [", name);
    for (size_t i = 0; i < elements; i++) {
        int64_t index = labels ? label_of(attribute, i) : attribute->indices[i];
        if (index < 0 || index == NONE) index = none;
        if (i > 0) text_put(text, ", ");
        text_put_whole(text, index);
        TRY(text->status);
    }
    text_put(text, "]\n");
    return text->status;
}

static int lacks_values(const usda_stage *stage, const ruga_attribute *attribute) {
    const size_t elements = mesh_domain_size(stage->target->mesh, attribute->domain);
    for (size_t i = 0; attribute->indices && i < elements; i++)
        if (attribute->indices[i] == NONE) return 1;
    return 0;
}

static ruga_status write_primvar(usda_stage *stage, const primvar *p) {
    text_out *text = &stage->text;
    text_print(text, "        %s[] %s%s = [", p->type, p->plain ? "" : "primvars:", p->property);
    TRY(put_values(stage, p, lacks_values(stage, p->attribute)));
    text_put(text, "]");
    put_metadata(text, p->attribute->domain, p->components > 4 ? p->components : 1);
    return p->attribute->indices ? put_indices(stage, p->attribute, p->property, 0) : text->status;
}

/* ---- Kinds of attributes. */

/* A primvar of an attribute under a name like this one. */
static ruga_status write_named(usda_stage *stage, const char *wanted, primvar p) {
    TRY(usda_name(&stage->primvars, wanted, strlen(wanted), "attribute", &p.property));
    p.plain = p.normal && !p.attribute->indices && strcmp(p.property, "normals") == 0;
    return write_primvar(stage, &p);
}

/* "uv2" becomes "st2". */
static ruga_status write_uv(usda_stage *stage, const ruga_attribute *attribute) {
    char *wanted = NULL;
    TRY(NEW_TEXT(stage->context, &wanted, attribute->name));
    memcpy(wanted, "st", 2);
    const char *type = attribute->components == 3 ? "texCoord3f" : "texCoord2f";
    ruga_status status =
        write_named(stage, wanted, (primvar){attribute, NULL, type, NUMBER_FLOAT, 0, attribute->components, 0, 0});
    memory_release(stage->context, wanted);
    return status;
}

static ruga_status write_colour(usda_stage *stage, const ruga_attribute *attribute) {
    TRY(write_named(stage, "displayColor", (primvar){attribute, NULL, "color3f", NUMBER_FLOAT, 0, 3, 0, 0}));
    if (attribute->components == 3) return RUGA_OK;
    return write_named(stage, "displayOpacity", (primvar){attribute, NULL, "float", NUMBER_FLOAT, 3, 1, 0, 0});
}

/* Labels as strings; the last, empty one is for elements without. */
static ruga_status write_labels(usda_stage *stage, const ruga_attribute *attribute) {
    text_out *text = &stage->text;
    const char *name;
    TRY(usda_name(&stage->primvars, attribute->name, strlen(attribute->name), "attribute", &name));
    text_print(text, "        string[] primvars:%s = [", name);
    for (size_t i = 0; i < attribute->label_count; i++) {
        usda_put_quoted(text, attribute->labels[i]);
        text_put(text, ", ");
    }
    text_put(text, "\"\"]");
    put_metadata(text, attribute->domain, 1);
    return put_indices(stage, attribute, name, 1);
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
        return write_named(stage, "normals", (primvar){attribute, NULL, "normal3f", NUMBER_FLOAT, 0, 3, 0, 1});
    if (strcmp(attribute->name, "colour") == 0 && attribute->components >= 3 && attribute->components <= 4)
        return write_colour(stage, attribute);
    if (has_labels(attribute)) return write_labels(stage, attribute);
    const number_kind kind = find_kind(attribute);
    return write_named(stage, attribute->name,
                       (primvar){attribute, NULL, find_type(attribute, kind), kind, 0, attribute->components, 0, 0});
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
    for (size_t i = mesh->face_count; i > 0; i--) {
        const int64_t label = label_of(attribute, i - 1);
        if (label >= 0) sorted->faces[--starts[label + 2]] = (uint32_t)i - 1;
    }
    sorted->starts += 2;
}

/* The subset's opening: its label as it was, where the name can't say it. */
static void put_subset_head(usda_stage *stage, const char *name, const char *label, int material) {
    text_out *text = &stage->text;
    text_print(text, "\n        def GeomSubset \"%s\"%s", name, material || strcmp(name, label) != 0 ? " (\n" : "");
    if (material) text_put_line(text, 3, "prepend apiSchemas = [\"MaterialBindingAPI\"]");
    if (strcmp(name, label) != 0) {
        text_put(text, "            customData = {\n                string label = ");
        usda_put_quoted(text, label);
        text_put(text, "\n            }\n");
    }
    text_put(text, material || strcmp(name, label) != 0 ? "        )\n        {\n" : "\n        {\n");
}

static ruga_status put_binding(usda_stage *stage, const char *name) {
    text_out *text = &stage->text;
    text_print(text, "            rel material:binding = </%s/%s/%s>\n", stage->name, stage->materials, name);
    TRY(ARRAY_ADD(stage->context, &stage->material_names, name));
    return text->status;
}

static ruga_status write_subset(usda_stage *stage, const sorted_faces *sorted, size_t l) {
    text_out *text = &stage->text;
    const char *label = sorted->attribute->labels[l];
    const int material = sorted->family == families[0][1];
    const char *name = NULL;
    TRY(usda_name(&stage->subsets, label, strlen(label), sorted->attribute->name, &name));
    put_subset_head(stage, name, label, material);
    text_put_line(text, 3, "uniform token elementType = \"face\"");
    text_print(text, "            uniform token familyName = \"%s\"\n            int[] indices = [", sorted->family);
    text_put_wholes(text, sorted->faces + sorted->starts[l], sorted->starts[l + 1] - sorted->starts[l]);
    if (material) TRY(put_binding(stage, name));
    text_put_line(text, 2, "}");
    return text->status;
}

/* A subset for each label that faces have. */
static ruga_status write_family(usda_stage *stage, const ruga_attribute *attribute, const char *family) {
    ruga_context *context = stage->context;
    size_t *starts = NULL;
    sorted_faces sorted = {.attribute = attribute, .family = family};
    ruga_status status = NEW_ZEROED(context, &starts, attribute->label_count + 3);
    if (!RUGA_FAILED(status)) status = NEW(context, &sorted.faces, stage->target->mesh->face_count);
    if (!RUGA_FAILED(status)) {
        sorted.starts = starts;
        sort_faces(stage->target->mesh, &sorted);
    }
    for (size_t l = 0; l < attribute->label_count && !RUGA_FAILED(status); l++)
        if (sorted.starts[l + 1] > sorted.starts[l]) status = write_subset(stage, &sorted, l);
    RELEASE_ALL(context, sorted.faces, starts);
    return status;
}

ruga_status usda_write_subsets(usda_stage *stage) {
    text_out *text = &stage->text;
    for (size_t i = 0; i < stage->attribute_count; i++) {
        const char *family = find_family(&stage->attributes[i]);
        if (!family) continue;
        text_print(text, "        uniform token subsetFamily:%s:familyType = \"nonOverlapping\"\n", family);
    }
    for (size_t i = 0; i < stage->attribute_count; i++) {
        const char *family = find_family(&stage->attributes[i]);
        if (family) TRY(write_family(stage, &stage->attributes[i], family));
    }
    text_put_line(text, 1, "}");
    return text->status;
}
