/* Nodes: their tree, their transforms, and the choice of one mesh among those that they show. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/gltf.h"

/* ---- Matrices. */

gltf_matrix gltf_matrix_identity(void) { return (gltf_matrix){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}; }

gltf_matrix gltf_matrix_multiply(const gltf_matrix *a, const gltf_matrix *b) {
    gltf_matrix c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            c.m[i][j] =
                a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j] + (j == 3 ? a->m[i][3] : 0);
    return c;
}

int gltf_matrix_is_identity(const gltf_matrix *a) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            if (a->m[i][j] != (i == j)) return 0;
    return 1;
}

gltf_matrix gltf_matrix_cofactor(const gltf_matrix *a) {
    gltf_matrix c = {{{0}}};
    for (int i = 0; i < 3; i++) {
        const double *p = a->m[(i + 1) % 3], *q = a->m[(i + 2) % 3];
        for (int j = 0; j < 3; j++) c.m[i][j] = p[(j + 1) % 3] * q[(j + 2) % 3] - p[(j + 2) % 3] * q[(j + 1) % 3];
    }
    return c;
}

double gltf_matrix_determinant(const gltf_matrix *a) {
    gltf_matrix c = gltf_matrix_cofactor(a);
    return a->m[0][0] * c.m[0][0] + a->m[0][1] * c.m[0][1] + a->m[0][2] * c.m[0][2];
}

int gltf_matrix_inverse(const gltf_matrix *a, gltf_matrix *out) {
    const gltf_matrix c = gltf_matrix_cofactor(a);
    const double determinant = gltf_matrix_determinant(a);
    double size = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) size = fmax(size, fabs(a->m[i][j]));
    if (!(fabs(determinant) > 1e-9 * size * size * size)) return 0;
    for (int i = 0; i < 3; i++) {
        out->m[i][3] = 0;
        for (int j = 0; j < 3; j++) out->m[i][j] = c.m[j][i] / determinant;
        for (int j = 0; j < 3; j++) out->m[i][3] -= out->m[i][j] * a->m[j][3];
    }
    return 1;
}

gltf_matrix gltf_matrix_from_transform(const gltf_transform *t) {
    double x = t->rotation[0], y = t->rotation[1], z = t->rotation[2], w = t->rotation[3];
    double norm = x * x + y * y + z * z + w * w, s = norm > 0 ? 2 / norm : 0;
    double r[3][3] = {{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                      {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                      {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}};
    gltf_matrix m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m.m[i][j] = r[i][j] * t->scale[j];
        m.m[i][3] = t->translation[i];
    }
    return m;
}

gltf_matrix gltf_node_local(const gltf_node *node) {
    return node->has_matrix ? node->matrix : gltf_matrix_from_transform(&node->transform);
}

/* ---- The tree. */

static ruga_status read_node(gltf_document *doc, const json_value *json, gltf_node *node) {
    double matrix[16];
    int found;
    node->transform = (gltf_transform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    TRY(gltf_index(doc, json, "mesh", "meshes", &node->mesh));
    TRY(gltf_index(doc, json, "skin", "skins", &node->skin));
    TRY(gltf_numbers(doc, json, "translation", 3, node->transform.translation, &found));
    TRY(gltf_numbers(doc, json, "rotation", 4, node->transform.rotation, &found));
    TRY(gltf_numbers(doc, json, "scale", 3, node->transform.scale, &found));
    TRY(gltf_numbers(doc, json, "matrix", 16, matrix, &node->has_matrix));
    /* The file's matrices are column by column. */
    for (int i = 0; node->has_matrix && i < 3; i++)
        for (int j = 0; j < 4; j++) node->matrix.m[i][j] = matrix[4 * j + i];
    return RUGA_OK;
}

static ruga_status read_children(gltf_document *doc, const json_value *json, uint32_t parent, gltf_scene *scene) {
    const json_value *children = json_member(json, "children");
    if (!children) return RUGA_OK;
    if (children->type != JSON_ARRAY) return gltf_fail(doc, children, "\"children\" must be a list of nodes");
    for (const json_value *item = children->first; item; item = item->next) {
        int64_t child;
        if (!json_whole(item, 0, (double)scene->node_count - 1, &child))
            return gltf_fail(doc, item, "node %u has a child that is not one of the %zu nodes", parent,
                             scene->node_count);
        gltf_node *node = &scene->nodes[child];
        if (node->parent != GLTF_NONE)
            return gltf_fail(doc, item, "node %lld is a child of node %u and of node %u; a node has one parent",
                             (long long)child, node->parent, parent);
        node->parent = parent;
    }
    return RUGA_OK;
}

/* Roots first, then the children of what is in the list already; nodes of a cycle never enter it. */
static ruga_status order_nodes(gltf_document *doc, gltf_scene *scene) {
    size_t n = scene->node_count, count = 0;
    uint32_t *first_child = NULL;
    TRY(NEW(doc->context, &first_child, 2 * n));
    uint32_t *next_sibling = first_child + n;
    memset(first_child, 0xff, 2 * n * sizeof(uint32_t));
    for (size_t i = n; i > 0; i--) {
        uint32_t parent = scene->nodes[i - 1].parent;
        if (parent == GLTF_NONE) continue;
        next_sibling[i - 1] = first_child[parent];
        first_child[parent] = (uint32_t)i - 1;
    }
    for (size_t i = 0; i < n; i++)
        if (scene->nodes[i].parent == GLTF_NONE) scene->order[count++] = (uint32_t)i;
    for (size_t i = 0; i < count; i++) {
        uint32_t child = first_child[scene->order[i]];
        for (; child != GLTF_NONE; child = next_sibling[child]) scene->order[count++] = child;
    }
    uint32_t node = 0, *placed = first_child; /* that memory is free now */
    memset(placed, 0, n * sizeof *placed);
    for (size_t i = 0; i < count; i++) placed[scene->order[i]] = 1;
    while (node < n && placed[node]) node++;
    memory_release(doc->context, first_child);
    if (count == n) return RUGA_OK;

    /* A node that is its own ancestor: walk up from one that was left out until a node comes again. */
    for (size_t steps = 0; steps < n; steps++) node = scene->nodes[node].parent;
    return gltf_fail(doc, gltf_item(doc, "nodes", node), "node %u is its own ancestor; the nodes must form a tree",
                     node);
}

static ruga_status read_nodes(gltf_document *doc, gltf_scene *scene) {
    const json_value *nodes = json_member(doc->root, "nodes");
    const json_value *json = nodes && nodes->type == JSON_ARRAY ? nodes->first : NULL;
    for (uint32_t i = 0; i < scene->node_count; i++) scene->nodes[i].parent = GLTF_NONE;
    for (uint32_t i = 0; json; i++, json = json->next) {
        TRY(read_node(doc, json, &scene->nodes[i]));
        TRY(read_children(doc, json, i, scene));
    }
    return order_nodes(doc, scene);
}

ruga_status gltf_scene_open(gltf_document *doc, gltf_scene *scene) {
    *scene = (gltf_scene){.node_count = gltf_count(doc, "nodes")};
    ruga_status status = NEW_ZEROED(doc->context, &scene->nodes, scene->node_count);
    if (!RUGA_FAILED(status)) status = NEW(doc->context, &scene->order, scene->node_count);
    if (!RUGA_FAILED(status)) status = read_nodes(doc, scene);
    if (RUGA_FAILED(status)) gltf_scene_close(doc->context, scene);
    return status;
}

void gltf_scene_close(ruga_context *context, gltf_scene *scene) {
    RELEASE_ALL(context, scene->nodes, scene->order);
    *scene = (gltf_scene){0};
}

void gltf_scene_globals(const gltf_scene *scene, const gltf_matrix *locals, gltf_matrix *globals) {
    for (size_t i = 0; i < scene->node_count; i++) {
        uint32_t node = scene->order[i], parent = scene->nodes[node].parent;
        gltf_matrix local = locals ? locals[node] : gltf_node_local(&scene->nodes[node]);
        globals[node] = parent == GLTF_NONE ? local : gltf_matrix_multiply(&globals[parent], &local);
    }
}

/* ---- Choosing. */

/* Marks the nodes that the file's scene shows. Without a scene all are. */
static ruga_status mark_shown(gltf_document *doc, const gltf_scene *scene, char *shown) {
    uint32_t number;
    TRY(gltf_index(doc, doc->root, "scene", "scenes", &number));
    const json_value *roots = json_member(gltf_item(doc, "scenes", number == GLTF_NONE ? 0 : number), "nodes");
    memset(shown, !roots, scene->node_count);
    for (const json_value *item = roots && roots->type == JSON_ARRAY ? roots->first : NULL; item; item = item->next) {
        int64_t node;
        if (!json_whole(item, 0, (double)scene->node_count - 1, &node))
            return gltf_fail(doc, item, "the scene has a node that is not one of the %zu nodes", scene->node_count);
        shown[node] = 1;
    }
    for (size_t i = 0; i < scene->node_count; i++) {
        uint32_t node = scene->order[i], parent = scene->nodes[node].parent;
        if (parent != GLTF_NONE && shown[parent]) shown[node] = 1;
    }
    return RUGA_OK;
}

static size_t collect_nodes(const gltf_scene *scene, const char *shown, gltf_choice *choices) {
    size_t count = 0;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].mesh != GLTF_NONE && (!shown || shown[i]))
            choices[count++] = (gltf_choice){scene->nodes[i].mesh, i};
    return count;
}

/* The meshes of the scene; without any, those of all nodes; without any, all meshes of the file. */
ruga_status gltf_scene_choices(gltf_document *doc, const gltf_scene *scene, gltf_choice **choices, size_t *count) {
    size_t mesh_count = gltf_count(doc, "meshes");
    size_t room = scene->node_count > mesh_count ? scene->node_count : mesh_count;
    char *shown = NULL;
    TRY(NEW(doc->context, &shown, scene->node_count));
    ruga_status status = mark_shown(doc, scene, shown);
    *choices = NULL;
    if (!RUGA_FAILED(status)) status = NEW(doc->context, choices, room);
    if (!RUGA_FAILED(status)) {
        *count = collect_nodes(scene, shown, *choices);
        if (*count == 0) *count = collect_nodes(scene, NULL, *choices);
        for (uint32_t i = 0; *count < mesh_count && (*count == 0 || (*choices)[0].node == GLTF_NONE); i++)
            (*choices)[(*count)++] = (gltf_choice){i, GLTF_NONE};
    }
    memory_release(doc->context, shown);
    return status;
}

static const char *node_name(const gltf_document *doc, gltf_choice choice) {
    const char *name = choice.node == GLTF_NONE ? NULL : gltf_text(gltf_item(doc, "nodes", choice.node), "name");
    return name ? name : "";
}

static const char *mesh_name(const gltf_document *doc, gltf_choice choice) {
    const char *name = gltf_text(gltf_item(doc, "meshes", choice.mesh), "name");
    return name ? name : "";
}

const char *gltf_choice_name(const gltf_document *doc, gltf_choice choice) {
    const char *name = node_name(doc, choice);
    return *name ? name : mesh_name(doc, choice);
}

/* "body" (0), "skirt" (1), … for messages: names with the numbers that choose the same. */
static void describe(const gltf_document *doc, const gltf_choice *choices, size_t count, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < count && i < 6 && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s\"%.40s\" (%zu)", i ? ", " : "",
                                 gltf_choice_name(doc, choices[i]), i);
    if (count > 6 && used < size) snprintf(text + used, size - used, ", …");
}

/* The only choice whose name is `wanted`; several are an error, none leaves `found` alone. */
static ruga_status choose_by_name(gltf_document *doc, const gltf_choice *choices, size_t count, const char *wanted,
                                  const char *(*name)(const gltf_document *, gltf_choice), size_t *found) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name(doc, choices[i]), wanted) != 0) continue;
        if (*found != SIZE_MAX)
            return gltf_fail(doc, NULL, "meshes %zu and %zu are both called \"%.100s\"; choose by number", *found, i,
                             wanted);
        *found = i;
    }
    return RUGA_OK;
}

static ruga_status choose(gltf_document *doc, const gltf_choice *choices, size_t count, const char *wanted,
                          size_t *found) {
    char list[400], *end;
    *found = SIZE_MAX;
    if (count == 0) return gltf_fail(doc, NULL, "the file has no mesh");
    describe(doc, choices, count, list, sizeof list);
    if (!wanted && count > 1)
        return gltf_fail(doc, NULL, "the file has %zu meshes: %s; choose one by its name or number (--mesh)", count,
                         list);
    if (!wanted) *found = 0;
    if (*found == SIZE_MAX) TRY(choose_by_name(doc, choices, count, wanted, node_name, found));
    if (*found == SIZE_MAX) TRY(choose_by_name(doc, choices, count, wanted, mesh_name, found));
    if (*found != SIZE_MAX) return RUGA_OK;
    unsigned long number = strtoul(wanted, &end, 10);
    if (wanted[0] < '0' || wanted[0] > '9' || *end || number >= count)
        return gltf_fail(doc, NULL, "the file has no mesh \"%.100s\"; it has %s", wanted, list);
    *found = number;
    return RUGA_OK;
}

ruga_status gltf_scene_choose(gltf_document *doc, const gltf_scene *scene, const char *wanted, gltf_choice *out) {
    gltf_choice *choices = NULL;
    size_t count = 0, found = 0;
    TRY(gltf_scene_choices(doc, scene, &choices, &count));
    ruga_status status = choose(doc, choices, count, wanted, &found);
    if (!RUGA_FAILED(status)) *out = choices[found];
    memory_release(doc->context, choices);
    return status;
}
