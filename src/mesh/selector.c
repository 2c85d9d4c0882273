/* Selectors on a mesh. Every choice has values from 0 to 1 on the elements that it is about (vertices, faces, corners
 * or edges); they are carried to the vertices or faces that are wanted, and combined there. Masks and soft weights
 * differ only in the values of attributes, colours and joints without a comparison. */
#include "mesh/selector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/wildcard.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/sets.h"
#include "mesh/topology.h"
#include "ruga/text.h"

enum { MOST_LISTED = 12, MOST_NAMES = 256 };

typedef struct evaluation {
    const ruga_selector *selector;
    const ruga_mesh *mesh;
    ruga_context *context;
    ruga_domain domain; /* of the result: vertices or faces */
    size_t count;       /* of its elements */
    int soft;           /* weights, not a mask */
    size_t piece_count;
    uint32_t *pieces; /* (vertices) the number of each one's piece, NO_INDEX: in no face; NULL: not made yet */
} evaluation;

/* ---- Messages. */

static ruga_status fail_node(const evaluation *e, const selector_node *node, const char *what) {
    return fail_input(e->context, "selector \"%.200s\", column %zu: %s", e->selector->text, node->column, what);
}

/* The names that a pattern could have matched. */
typedef struct name_list {
    const char *names[MOST_NAMES];
    size_t count; /* may be more than fit */
} name_list;

static void list_name(name_list *list, const char *name) {
    if (list->count < MOST_NAMES) list->names[list->count] = name;
    list->count++;
}

static size_t listed_count(const name_list *list) { return list->count < MOST_NAMES ? list->count : MOST_NAMES; }

/* The kind under which the mesh has a name that was given without one; NULL: none. */
static const char *kind_of_name(const ruga_mesh *mesh, const char *pattern) {
    static const char *const kinds[] = {"group", "material", "object"};
    for (size_t j = 0; j < mesh->joint_count; j++)
        if (wildcard_matches(pattern, mesh->joint_names[j])) return "joint";
    for (size_t k = 0; k < 3; k++) {
        const ruga_attribute *a = ruga_mesh_attribute(mesh, kinds[k], RUGA_DOMAIN_FACE);
        for (size_t i = 0; a && i < a->label_count; i++)
            if (wildcard_matches(pattern, a->labels[i])) return kinds[k];
    }
    return NULL;
}

/* Nothing matched. what: "joint"; none: what to do if the mesh has no names of that kind at all. */
static ruga_status fail_names(const evaluation *e, const selector_node *node, const char *what, const name_list *list,
                              const char *none) {
    char text[600];
    const char *nearest = ruga_nearest_word(node->pattern, list->names, listed_count(list));
    const char *kind = node->is_bare ? kind_of_name(e->mesh, node->pattern) : NULL;
    int used = snprintf(text, sizeof text, "the mesh has no %s \"%.80s\"", what, node->pattern);
    size_t at = (size_t)used;
    if (kind)
        at += (size_t)snprintf(text + at, sizeof text - at, ", but a %s: write %s:%.80s", kind, kind, node->pattern);
    else if (nearest)
        at += (size_t)snprintf(text + at, sizeof text - at, "; did you mean \"%.80s\"?", nearest);
    if (list->count == 0) snprintf(text + at, sizeof text - at, "; %s", none);
    for (size_t i = 0; i < list->count && i < MOST_LISTED && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.60s",
                               i                  ? ", "
                               : nearest && !kind ? " It has "
                                                  : "; it has ",
                               list->names[i]);
    if (list->count > MOST_LISTED && at < sizeof text)
        snprintf(text + at, sizeof text - at, " and %zu more", list->count - MOST_LISTED);
    return fail_node(e, node, text);
}

/* ---- Values of elements become values of vertices or faces, the larger one where there are several. */

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

static void spread_to_vertices(const ruga_mesh *mesh, ruga_domain from, const double *values, double *out) {
    const uint32_t *vertices = from == RUGA_DOMAIN_EDGE ? mesh->edges : mesh->face_vertices;
    size_t count = from == RUGA_DOMAIN_EDGE ? 2 * mesh->edge_count : mesh->corner_count;
    if (from == RUGA_DOMAIN_VERTEX) {
        for (size_t v = 0; v < mesh->vertex_count; v++) out[v] = larger(out[v], values[v]);
    } else if (from == RUGA_DOMAIN_FACE) {
        for (size_t f = 0; f < mesh->face_count; f++)
            for (size_t c = mesh_face_begin(mesh, f); c < mesh_face_end(mesh, f); c++)
                out[vertices[c]] = larger(out[vertices[c]], values[f]);
    } else {
        size_t share = from == RUGA_DOMAIN_EDGE ? 2 : 1;
        for (size_t i = 0; i < count; i++) out[vertices[i]] = larger(out[vertices[i]], values[i / share]);
    }
}

/* A face has the least value of its corners or vertices. */
static void spread_to_faces(const ruga_mesh *mesh, ruga_domain from, const double *values, double *out) {
    for (size_t f = 0; f < mesh->face_count; f++) {
        double least = from == RUGA_DOMAIN_FACE ? values[f] : 1;
        for (size_t c = mesh_face_begin(mesh, f); from != RUGA_DOMAIN_FACE && c < mesh_face_end(mesh, f); c++)
            least = smaller(least, values[from == RUGA_DOMAIN_CORNER ? c : mesh->face_vertices[c]]);
        out[f] = larger(out[f], least);
    }
}

static ruga_status spread(const evaluation *e, ruga_domain from, const double *values, double *out) {
    const ruga_mesh *mesh = e->mesh;
    if (e->domain == RUGA_DOMAIN_VERTEX) {
        spread_to_vertices(mesh, from, values, out);
    } else if (from != RUGA_DOMAIN_EDGE) {
        spread_to_faces(mesh, from, values, out);
    } else {
        double *at_vertices;
        TRY(NEW_ZEROED(e->context, &at_vertices, mesh->vertex_count));
        spread_to_vertices(mesh, from, values, at_vertices);
        spread_to_faces(mesh, RUGA_DOMAIN_VERTEX, at_vertices, out);
        memory_release(e->context, at_vertices);
    }
    return RUGA_OK;
}

/* ---- Choices that match nothing. Names that the mesh does not have are errors; places and values may be right at
 * another time or for another mesh, so they are warnings, which name the extent or the range. */

static void warn_empty(const evaluation *e, const selector_node *node, const char *what) {
    log_warning(e->context, "selector \"%.200s\", column %zu: it selects nothing: %s", e->selector->text, node->column,
                what);
}

static void warn_empty_box(const evaluation *e, const selector_node *node) {
    char text[240] = "the mesh has no vertices";
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < e->mesh->vertex_count; v++) {
        low = vec3_min(low, e->mesh->positions[v]);
        high = vec3_max(high, e->mesh->positions[v]);
    }
    if (e->mesh->vertex_count > 0)
        snprintf(text, sizeof text, "the mesh extends from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m", low.x, low.y,
                 low.z, high.x, high.y, high.z);
    warn_empty(e, node, text);
}

/* The values of a channel of an attribute; of a colour, how far it is from all of the mesh. */
static void warn_empty_values(const evaluation *e, const selector_node *node, const ruga_attribute *a) {
    char text[240];
    const int is_colour = node->kind == SELECT_COLOUR, is_channel = node->kind == SELECT_CHANNEL;
    const uint32_t channel = is_channel ? (uint32_t)(strchr("rgba", node->pattern[0]) - "rgba") : 0;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < mesh_domain_size(e->mesh, a->domain); i++) {
        if (a->indices && a->indices[i] == NO_INDEX) continue;
        double value = is_channel && channel >= a->components ? channel == 3 : ruga_attribute_get(a, i, channel);
        if (is_colour) value = 0;
        for (uint32_t k = 0; is_colour && k < 3; k++)
            value = fmax(value, fabs((k < a->components ? ruga_attribute_get(a, i, k) : 0) - node->colour[k]));
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (!(low <= high))
        snprintf(text, sizeof text, "\"%.80s\" has no values", a->name);
    else if (is_colour)
        snprintf(text, sizeof text, "the nearest colour of the mesh differs by %.4g in one of red, green and blue",
                 low);
    else
        snprintf(text, sizeof text, "the values of \"%.80s\"%s%.10s are from %.4g to %.4g", a->name,
                 is_channel ? " " : "", is_channel ? node->pattern : "", low, high);
    warn_empty(e, node, text);
}

static int selects_any(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (values[i] > 0) return 1;
    return 0;
}

/* ---- Numbers: attributes, colours, joints. */

/* A number that is not one is never chosen. */
static double score(const evaluation *e, const selector_node *node, double value) {
    switch (node->comparison) {
        case COMPARE_NONE: return e->soft ? fmin(fmax(value, 0), 1) : value > 0.5;
        case COMPARE_MORE: return value > node->number;
        case COMPARE_LESS: return value < node->number;
        case COMPARE_AT_LEAST: return value >= node->number;
        case COMPARE_AT_MOST: return value <= node->number;
        case COMPARE_EQUAL: return value == node->number;
    }
    return 0;
}

/* A channel of a colour, or how near it is to another. */
static double colour_score(const evaluation *e, const selector_node *node, const ruga_attribute *a, size_t element) {
    if (node->kind == SELECT_CHANNEL) {
        uint32_t channel = (uint32_t)(strchr("rgba", node->pattern[0]) - "rgba");
        return score(e, node, channel < a->components ? ruga_attribute_get(a, element, channel) : channel == 3);
    }
    for (uint32_t k = 0; k < 3; k++) {
        double value = k < a->components ? ruga_attribute_get(a, element, k) : 0;
        if (!(fabs(value - node->colour[k]) <= node->number)) return 0;
    }
    return 1;
}

static ruga_status add_attribute(const evaluation *e, const selector_node *node, const ruga_attribute *a, double *out) {
    size_t count = mesh_domain_size(e->mesh, a->domain);
    double *values;
    TRY(NEW(e->context, &values, count));
    for (size_t i = 0; i < count; i++) {
        int has_value = !a->indices || a->indices[i] != NO_INDEX;
        if (!has_value)
            values[i] = 0;
        else if (node->kind == SELECT_ATTRIBUTE)
            values[i] = score(e, node, ruga_attribute_get(a, i, 0));
        else
            values[i] = colour_score(e, node, a, i);
        if (isnan(values[i])) values[i] = 0;
    }
    /* A pattern may match several attributes, of which others select something. */
    const int is_one = node->kind != SELECT_ATTRIBUTE || !strpbrk(node->pattern, "*?");
    if (is_one && e->domain == RUGA_DOMAIN_VERTEX && !selects_any(values, count)) warn_empty_values(e, node, a);
    ruga_status status = spread(e, a->domain, values, out);
    memory_release(e->context, values);
    return status;
}

/* Labels are not numbers: they have kinds of their own. */
static ruga_status choose_attribute(const evaluation *e, const selector_node *node, double *out) {
    name_list list = {.count = 0};
    size_t found = 0;
    for (size_t i = 0; i < e->mesh->attribute_count; i++) {
        const ruga_attribute *a = &e->mesh->attributes[i];
        if (a->label_count > 0) continue;
        list_name(&list, a->name);
        if (!wildcard_matches(node->pattern, a->name)) continue;
        TRY(add_attribute(e, node, a, out));
        found++;
    }
    return found ? RUGA_OK : fail_names(e, node, "attribute", &list, "it has no attributes");
}

static ruga_status choose_colour(const evaluation *e, const selector_node *node, double *out) {
    static const ruga_domain domains[] = {RUGA_DOMAIN_VERTEX, RUGA_DOMAIN_CORNER, RUGA_DOMAIN_FACE};
    for (size_t i = 0; i < 3; i++) {
        const ruga_attribute *a = ruga_mesh_attribute(e->mesh, "colour", domains[i]);
        if (a) return add_attribute(e, node, a, out);
    }
    return fail_node(e, node, "the mesh has no vertex colours; paint them, or select by another kind");
}

static ruga_status add_joints(const evaluation *e, const selector_node *node, const unsigned char *matches,
                              double *out) {
    const ruga_map *skin = e->mesh->joint_weights;
    double *values;
    TRY(NEW(e->context, &values, e->mesh->vertex_count));
    for (size_t v = 0; v < skin->rows; v++) {
        double sum = 0;
        for (size_t i = skin->offsets[v]; i < skin->offsets[v + 1]; i++)
            if (matches[skin->indices[i]]) sum += skin->weights[i];
        values[v] = score(e, node, sum);
    }
    ruga_status status = spread(e, RUGA_DOMAIN_VERTEX, values, out);
    memory_release(e->context, values);
    return status;
}

static ruga_status choose_joint(const evaluation *e, const selector_node *node, double *out) {
    const ruga_mesh *mesh = e->mesh;
    name_list list = {.count = 0};
    unsigned char *matches;
    size_t found = 0;
    TRY(NEW(e->context, &matches, mesh->joint_count));
    for (size_t j = 0; j < mesh->joint_count; j++) {
        list_name(&list, mesh->joint_names[j]);
        found += matches[j] = (unsigned char)wildcard_matches(node->pattern, mesh->joint_names[j]);
    }
    ruga_status status = found ? add_joints(e, node, matches, out)
                               : fail_names(e, node, "joint", &list,
                                            "it has no joints: only skinned glTF files have them, and in scenes "
                                            "the models arm and mannequin");
    memory_release(e->context, matches);
    return status;
}

/* ---- Labels: materials, groups, objects. */

static ruga_status choose_label(const evaluation *e, const selector_node *node, const char *what, double *out) {
    const ruga_attribute *a = ruga_mesh_attribute(e->mesh, what, RUGA_DOMAIN_FACE);
    name_list list = {.count = 0};
    unsigned char *matches;
    double *values = NULL;
    char none[80];
    size_t labels = a ? a->label_count : 0, found = 0;
    TRY(NEW(e->context, &matches, labels));
    for (size_t i = 0; i < labels; i++) {
        list_name(&list, a->labels[i]);
        found += matches[i] = (unsigned char)wildcard_matches(node->pattern, a->labels[i]);
    }
    snprintf(none, sizeof none, "its faces have no %ss", what);
    ruga_status status = found ? NEW(e->context, &values, e->mesh->face_count) : fail_names(e, node, what, &list, none);
    for (size_t f = 0; !RUGA_FAILED(status) && f < e->mesh->face_count; f++) {
        int has_value = !a->indices || a->indices[f] != NO_INDEX;
        double label = has_value ? ruga_attribute_get(a, f, 0) : -1;
        values[f] = label >= 0 && label < (double)labels && matches[(size_t)label];
    }
    if (!RUGA_FAILED(status)) status = spread(e, RUGA_DOMAIN_FACE, values, out);
    RELEASE_ALL(e->context, matches, values);
    return status;
}

/* ---- Places. */

static ruga_status choose_box(const evaluation *e, const selector_node *node, double *out) {
    double *values;
    TRY(NEW(e->context, &values, e->mesh->vertex_count));
    for (size_t v = 0; v < e->mesh->vertex_count; v++) {
        vec3 p = e->mesh->positions[v];
        values[v] = p.x >= node->low[0] && p.x <= node->high[0] && p.y >= node->low[1] && p.y <= node->high[1] &&
                    p.z >= node->low[2] && p.z <= node->high[2];
    }
    if (e->domain == RUGA_DOMAIN_VERTEX && !selects_any(values, e->mesh->vertex_count)) warn_empty_box(e, node);
    ruga_status status = spread(e, RUGA_DOMAIN_VERTEX, values, out);
    memory_release(e->context, values);
    return status;
}

/* ---- Connected pieces: faces that share a vertex, numbered in the order of their first vertices. */

static ruga_status find_pieces(evaluation *e) {
    const ruga_mesh *mesh = e->mesh;
    uint32_t *parent;
    if (e->pieces) return RUGA_OK;
    TRY(NEW(e->context, &parent, mesh->vertex_count));
    for (size_t v = 0; v < mesh->vertex_count; v++) parent[v] = NO_INDEX;
    for (size_t c = 0; c < mesh->corner_count; c++) parent[mesh->face_vertices[c]] = mesh->face_vertices[c];
    for (size_t f = 0; f < mesh->face_count; f++)
        for (size_t c = mesh_face_begin(mesh, f) + 1; c < mesh_face_end(mesh, f); c++)
            sets_unite(parent, mesh->face_vertices[c - 1], mesh->face_vertices[c]);
    /* The lowest vertex of a piece comes first: the others copy its number. */
    ruga_status status = NEW(e->context, &e->pieces, mesh->vertex_count);
    for (size_t v = 0; !RUGA_FAILED(status) && v < mesh->vertex_count; v++) {
        uint32_t lowest = parent[v] == NO_INDEX ? NO_INDEX : set_lowest(parent, (uint32_t)v);
        e->pieces[v] = lowest == NO_INDEX ? NO_INDEX : lowest == v ? (uint32_t)e->piece_count++ : e->pieces[lowest];
    }
    memory_release(e->context, parent);
    return status;
}

static ruga_status find_largest(const evaluation *e, uint32_t *out) {
    const ruga_mesh *mesh = e->mesh;
    double *areas;
    TRY(NEW_ZEROED(e->context, &areas, e->piece_count));
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double area = mesh_triangle_area(mesh, t);
        if (isfinite(area)) areas[e->pieces[mesh->triangles[3 * t]]] += area;
    }
    *out = 0;
    for (uint32_t i = 1; i < e->piece_count; i++)
        if (areas[i] > areas[*out]) *out = i;
    memory_release(e->context, areas);
    return RUGA_OK;
}

static uint32_t find_nearest(const evaluation *e, const double *point) {
    double best = INFINITY;
    uint32_t piece = 0;
    for (size_t v = 0; v < e->mesh->vertex_count; v++) {
        double distance = vec3_distance(e->mesh->positions[v], vec3_make(point[0], point[1], point[2]));
        if (e->pieces[v] == NO_INDEX || !(distance < best)) continue;
        best = distance;
        piece = e->pieces[v];
    }
    return piece;
}

/* Marks the numbers of a list. what: "vertex". */
static ruga_status mark_spans(const evaluation *e, const selector_node *node, const char *what, size_t count,
                              double *marks) {
    for (size_t i = 0; i < node->span_count; i++) {
        selector_span span = node->spans[i];
        if (span.to >= count) {
            char text[160];
            snprintf(text, sizeof text, "there is no %s %u: the mesh has %zu, numbered from 0", what, span.to, count);
            return fail_node(e, node, text);
        }
        for (size_t k = span.from; k <= span.to; k++) marks[k] = 1;
    }
    return RUGA_OK;
}

static ruga_status mark_pieces(const evaluation *e, const selector_node *node, double *marks) {
    uint32_t piece;
    if (node->kind == SELECT_PIECE) return mark_spans(e, node, "piece", e->piece_count, marks);
    if (node->kind == SELECT_LARGEST_PIECE)
        TRY(find_largest(e, &piece));
    else
        piece = find_nearest(e, node->low);
    marks[piece] = 1;
    return RUGA_OK;
}

static ruga_status choose_piece(evaluation *e, const selector_node *node, double *out) {
    const ruga_mesh *mesh = e->mesh;
    double *marks, *values = NULL;
    TRY(find_pieces(e));
    if (e->piece_count == 0) return fail_node(e, node, "the mesh has no faces, and so no pieces");
    TRY(NEW_ZEROED(e->context, &marks, e->piece_count));
    ruga_status status = mark_pieces(e, node, marks);
    if (!RUGA_FAILED(status)) status = NEW(e->context, &values, mesh->face_count);
    for (size_t f = 0; !RUGA_FAILED(status) && f < mesh->face_count; f++)
        values[f] = marks[e->pieces[mesh->face_vertices[mesh_face_begin(mesh, f)]]];
    if (!RUGA_FAILED(status)) status = spread(e, RUGA_DOMAIN_FACE, values, out);
    RELEASE_ALL(e->context, marks, values);
    return status;
}

static ruga_status choose_numbers(const evaluation *e, const selector_node *node, double *out) {
    int are_faces = node->kind == SELECT_FACES;
    size_t count = are_faces ? e->mesh->face_count : e->mesh->vertex_count;
    double *values;
    TRY(NEW_ZEROED(e->context, &values, count));
    ruga_status status = mark_spans(e, node, are_faces ? "face" : "vertex", count, values);
    if (!RUGA_FAILED(status)) status = spread(e, are_faces ? RUGA_DOMAIN_FACE : RUGA_DOMAIN_VERTEX, values, out);
    memory_release(e->context, values);
    return status;
}

/* ---- The tree. */

/* out: zero before. */
static ruga_status choose(evaluation *e, const selector_node *node, double *out) {
    switch (node->kind) {
        case SELECT_ALL:
            for (size_t i = 0; i < e->count; i++) out[i] = 1;
            return RUGA_OK;
        case SELECT_ATTRIBUTE: return choose_attribute(e, node, out);
        case SELECT_CHANNEL:
        case SELECT_COLOUR: return choose_colour(e, node, out);
        case SELECT_JOINT: return choose_joint(e, node, out);
        case SELECT_MATERIAL: return choose_label(e, node, "material", out);
        case SELECT_GROUP: return choose_label(e, node, "group", out);
        case SELECT_OBJECT: return choose_label(e, node, "object", out);
        case SELECT_BOX: return choose_box(e, node, out);
        case SELECT_PIECE:
        case SELECT_LARGEST_PIECE:
        case SELECT_NEAREST_PIECE: return choose_piece(e, node, out);
        case SELECT_VERTICES:
        case SELECT_FACES: return choose_numbers(e, node, out);
        default: return RUGA_OK; /* none */
    }
}

static ruga_status evaluate(evaluation *e, const selector_node *node, double *out);

/* The children after the first, one by one, into what those before them gave. */
static ruga_status combine(evaluation *e, const selector_node *node, double *out) {
    double *other;
    TRY(NEW(e->context, &other, e->count));
    ruga_status status = RUGA_OK;
    for (const selector_node *child = node->first->next; child && !RUGA_FAILED(status); child = child->next) {
        status = evaluate(e, child, other);
        for (size_t i = 0; !RUGA_FAILED(status) && i < e->count; i++)
            out[i] = node->kind == SELECT_AND ? smaller(out[i], other[i]) : larger(out[i], other[i]);
    }
    memory_release(e->context, other);
    return status;
}

static ruga_status evaluate(evaluation *e, const selector_node *node, double *out) {
    if (node->kind > SELECT_NOT) {
        memset(out, 0, e->count * sizeof *out);
        return choose(e, node, out);
    }
    TRY(evaluate(e, node->first, out));
    if (node->kind != SELECT_NOT) return combine(e, node, out);
    for (size_t i = 0; i < e->count; i++) out[i] = 1 - out[i];
    return RUGA_OK;
}

/* The result in an array that the caller releases. */
static ruga_status run(const ruga_selector *selector, const ruga_mesh *mesh, ruga_domain domain, int soft,
                       double **out) {
    evaluation e = {.selector = selector, .mesh = mesh, .context = mesh->context, .domain = domain, .soft = soft};
    e.count = mesh_domain_size(mesh, domain);
    TRY(NEW(e.context, out, e.count));
    ruga_status status = evaluate(&e, selector->root, *out);
    memory_release(e.context, e.pieces);
    if (RUGA_FAILED(status)) memory_release(e.context, *out);
    return status;
}

static ruga_status mask(const ruga_selector *selector, const ruga_mesh *mesh, ruga_domain domain,
                        unsigned char *chosen) {
    double *values;
    if (!selector || !mesh || !chosen) return RUGA_ERROR_ARGUMENT;
    TRY(run(selector, mesh, domain, 0, &values));
    for (size_t i = 0; i < mesh_domain_size(mesh, domain); i++) chosen[i] = values[i] > 0.5;
    memory_release(mesh->context, values);
    return RUGA_OK;
}

ruga_status ruga_selector_vertices(const ruga_selector *selector, const ruga_mesh *mesh, unsigned char *chosen) {
    return mask(selector, mesh, RUGA_DOMAIN_VERTEX, chosen);
}

ruga_status ruga_selector_faces(const ruga_selector *selector, const ruga_mesh *mesh, unsigned char *chosen) {
    return mask(selector, mesh, RUGA_DOMAIN_FACE, chosen);
}

ruga_status ruga_selector_weights(const ruga_selector *selector, const ruga_mesh *mesh, double *weights) {
    double *values;
    if (!selector || !mesh || !weights) return RUGA_ERROR_ARGUMENT;
    TRY(run(selector, mesh, RUGA_DOMAIN_VERTEX, 1, &values));
    if (mesh->vertex_count > 0) memcpy(weights, values, mesh->vertex_count * sizeof *weights);
    memory_release(mesh->context, values);
    return RUGA_OK;
}
