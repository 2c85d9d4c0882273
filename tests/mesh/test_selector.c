/* Selectors: the grammar, each kind on meshes by formula, and the laws of their combinations. */
#include "ruga/selector.h"

#include <math.h>
#include <stdio.h>

#include "mesh/param.h"
#include "ruga/model.h"
#include "ruga/subdivide.h"
#include "support/support.h"

/* ---- A mesh with all kinds: a quad and a triangle beside it, apart from these a small triangle, and a loose vertex.
 *
 *     3---2
 *     | 0 |1\     6      8
 *     0---1--4   5-7
 */
enum { VERTICES = 9, FACES = 3, CORNERS = 10 };

static ruga_mesh *make_all_kinds(ruga_context *context) {
    static const ruga_vec3 positions[VERTICES] = {{0, 0, 0}, {1, 0, 0},      {1, 1, 0},   {0, 1, 0},  {2, 0, 0},
                                                  {3, 0, 0}, {3.25, 0.5, 0}, {3.5, 0, 0}, {5, 0.5, 0}};
    static const uint32_t sizes[FACES] = {4, 3, 3}, corners[CORNERS] = {0, 1, 2, 3, 1, 4, 2, 5, 7, 6};
    static const float mask[VERTICES] = {0, 0.25f, 0.5f, 0.75f, 1, 2, -1, 0.6f, 1}, heat[FACES] = {0.2f, 0.8f, 0.4f};
    static const float sharp[CORNERS] = {1, 1, 0, 0, 0, 1, 1, 1, 1, 1}, crease[1] = {1};
    static const uint8_t colour[VERTICES][3] = {{255, 0, 0}, {255, 0, 0},   {0, 255, 0},     {0, 255, 0}, {0, 0, 255},
                                                {250, 5, 5}, {200, 50, 50}, {255, 255, 255}, {0, 0, 0}};
    static const int32_t group[FACES] = {0, 1, -1}, material[FACES] = {0, 0, 1};
    static const char *const groups[] = {"front", "side"}, *const materials[] = {"skin", "my eyes"};
    static const uint32_t edges[] = {3, 2};
    const ruga_attribute attributes[] = {
        {"mask", RUGA_DOMAIN_VERTEX, RUGA_F32, 1, 0, VERTICES, mask, NULL, 0, NULL},
        {"colour", RUGA_DOMAIN_VERTEX, RUGA_U8, 3, 1, VERTICES, colour, NULL, 0, NULL},
        {"heat", RUGA_DOMAIN_FACE, RUGA_F32, 1, 0, FACES, heat, NULL, 0, NULL},
        {"sharp", RUGA_DOMAIN_CORNER, RUGA_F32, 1, 0, CORNERS, sharp, NULL, 0, NULL},
        {"crease", RUGA_DOMAIN_EDGE, RUGA_F32, 1, 0, 1, crease, NULL, 0, NULL},
        {"group", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, FACES, group, NULL, 2, groups},
        {"material", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, FACES, material, NULL, 2, materials},
    };
    static const size_t offsets[VERTICES + 1] = {0, 1, 3, 5, 6, 7, 8, 9, 10, 10};
    static const uint32_t joints[] = {0, 1, 0, 1, 0, 0, 0, 1, 2, 2};
    static const double weights[] = {1, 0.75, 0.25, 0.5, 0.5, 1, 1, 1, 1, 1};
    static const char *const names[] = {"Hips", "LeftHand", "rig:LeftArm"};
    const ruga_map skin = {VERTICES, 3, offsets, joints, weights, NULL};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, VERTICES, 0, RUGA_F64};
    def.face_count = FACES;
    def.face_sizes = sizes;
    def.face_vertices = corners;
    def.edge_count = 1;
    def.edges = edges;
    def.attribute_count = sizeof attributes / sizeof *attributes;
    def.attributes = attributes;
    def.joint_count = 3;
    def.joint_names = names;
    def.joint_weights = &skin;
    ruga_mesh *mesh = NULL;
    return RUGA_FAILED(ruga_mesh_create(context, &def, &mesh)) ? NULL : mesh;
}

/* Bit i: element i is chosen. */
static uint32_t chosen_bits(const ruga_mesh *mesh, const char *text, int faces) {
    ruga_selector *selector = NULL;
    unsigned char chosen[VERTICES];
    uint32_t bits = 0;
    assert_ok(mesh->context, ruga_selector_parse(mesh->context, text, &selector));
    assert_ok(mesh->context,
              faces ? ruga_selector_faces(selector, mesh, chosen) : ruga_selector_vertices(selector, mesh, chosen));
    for (size_t i = 0; i < (faces ? FACES : VERTICES); i++) bits |= (uint32_t)chosen[i] << i;
    ruga_selector_destroy(selector);
    return bits;
}

typedef struct choice_case {
    const char *text;
    uint32_t vertices, faces;
} choice_case;

#define BITS(...) bits_of((const int[]){__VA_ARGS__, -1})
static uint32_t bits_of(const int *numbers) {
    uint32_t bits = 0;
    while (*numbers >= 0) bits |= 1u << *numbers++;
    return bits;
}

static void each_kind_chooses_its_elements(void **state) {
    ruga_mesh *mesh = make_all_kinds(*state);
    const uint32_t all = (1u << VERTICES) - 1, all_faces = (1u << FACES) - 1;
    const choice_case cases[] = {
        {"all", all, all_faces},
        {"none", 0, 0},
        {"mask", BITS(3, 4, 5, 7, 8), 0},
        {"attribute:mask", BITS(3, 4, 5, 7, 8), 0},
        {"'mask'", BITS(3, 4, 5, 7, 8), 0},
        {"mask > 0.2", BITS(1, 2, 3, 4, 5, 7, 8), BITS(1)},
        {"attribute:mask>=0.75", BITS(3, 4, 5, 8), 0},
        {"attribute:mask<0", BITS(6), 0},
        {"attribute:mask<=0.25", BITS(0, 1, 6), 0},
        {"attribute:mask=1", BITS(4, 8), 0},
        {"attribute:ma?k", BITS(3, 4, 5, 7, 8), 0},
        {"attribute:heat", BITS(1, 2, 4), BITS(1)},
        {"attribute:heat<0.5", BITS(0, 1, 2, 3, 5, 6, 7), BITS(0, 2)},
        {"attribute:sharp", BITS(0, 1, 2, 4, 5, 6, 7), BITS(2)},
        {"attribute:crease", BITS(2, 3), 0},
        {"attribute:[hs]*", BITS(0, 1, 2, 4, 5, 6, 7), BITS(1, 2)},
        {"colour:red", BITS(0, 1, 5, 6, 7), BITS(2)},
        {"color:r>0.9", BITS(0, 1, 5, 7), 0},
        {"colour:green<0.5&colour:b<0.5", BITS(0, 1, 5, 6, 8), 0},
        {"colour:#ff0000", BITS(0, 1, 5), 0},
        {"colour:#f00~0", BITS(0, 1), 0},
        {"colour:#ff0000~0.25", BITS(0, 1, 5, 6), 0},
        {"colour:alpha", all, all_faces},
        {"joint:Hips", BITS(0, 3, 4), 0},
        {"joint:Hips>=0.5", BITS(0, 2, 3, 4), 0},
        {"joint:*Left*", BITS(1, 5, 6, 7), BITS(2)},
        {"joint:rig:LeftArm", BITS(6, 7), 0},
        {"joint:*", BITS(0, 1, 2, 3, 4, 5, 6, 7), all_faces},
        {"group:front", BITS(0, 1, 2, 3), BITS(0)},
        {"group:*", BITS(0, 1, 2, 3, 4), BITS(0, 1)},
        {"material:\"my eyes\"", BITS(5, 6, 7), BITS(2)},
        {"material:my\\ eyes", BITS(5, 6, 7), BITS(2)},
        {"!material:'my eyes'", BITS(0, 1, 2, 3, 4, 8), BITS(0, 1)},
        {"box:0,0,0,1,1,0", BITS(0, 1, 2, 3), BITS(0)},
        {"box:1,-,-,-,0.25,-", BITS(1, 4, 5, 7), 0},
        {"box:3,,,,,", BITS(5, 6, 7, 8), BITS(2)},
        {"box:-0.5,-1e9,-,+0.5,-,-", BITS(0, 3), 0},
        {"piece:0", BITS(0, 1, 2, 3, 4), BITS(0, 1)},
        {"piece:1", BITS(5, 6, 7), BITS(2)},
        {"piece:0-1", BITS(0, 1, 2, 3, 4, 5, 6, 7), all_faces},
        {"piece:largest", BITS(0, 1, 2, 3, 4), BITS(0, 1)},
        {"piece:@5,0.5,0", BITS(5, 6, 7), BITS(2)},
        {"vertices:0-2, 8", BITS(0, 1, 2, 8), 0},
        {"vertex:4,group:front", BITS(0, 1, 2, 3, 4), BITS(0)},
        {"vertices:0-3", BITS(0, 1, 2, 3), BITS(0)},
        {"faces:1-2", BITS(1, 2, 4, 5, 6, 7), BITS(1, 2)},
        {"face:1 & !face:0", BITS(4), BITS(1)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_equal_case(chosen_bits(mesh, cases[i].text, 0), cases[i].vertices, "vertices of %s", cases[i].text);
        assert_equal_case(chosen_bits(mesh, cases[i].text, 1), cases[i].faces, "faces of %s", cases[i].text);
    }
    ruga_mesh_destroy(mesh);
}

static void binding_is_not_then_and_then_or(void **state) {
    ruga_mesh *mesh = make_all_kinds(*state);
    static const char *const same[][2] = {
        {"mask|box:0,-,-,1,-,-&group:front", "mask|(box:0,-,-,1,-,-&group:front)"},
        {"mask&group:front|piece:1", "(mask&group:front)|piece:1"},
        {"!mask&group:front", "(!mask)&group:front"},
        {"!mask|group:front", "(!mask)|group:front"},
        {"mask,group:front", "mask|group:front"},
        {"mask , group:front & piece:0", "mask|(group:front&piece:0)"},
        {"!!mask", "mask"},
        {" ( ( mask ) ) ", "mask"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        for (int faces = 0; faces < 2; faces++)
            assert_equal_case(chosen_bits(mesh, same[i][0], faces), chosen_bits(mesh, same[i][1], faces), "%s",
                              same[i][0]);
    assert_true(chosen_bits(mesh, "mask|group:front&piece:1", 0) != chosen_bits(mesh, "(mask|group:front)&piece:1", 0));
    assert_true(chosen_bits(mesh, "!mask&group:front", 0) != chosen_bits(mesh, "!(mask&group:front)", 0));
    ruga_mesh_destroy(mesh);
}

/* ---- Random selectors. */

static void add_random(test_random *random, int depth, char *text, size_t size) {
    static const char *const choices[] = {"mask",
                                          "attribute:mask>0.2",
                                          "attribute:\"heat\"<=0.5",
                                          "joint:*Left*",
                                          "joint:Hips<1",
                                          "colour:red",
                                          "colour:#ff0000~0.25",
                                          "all",
                                          "none",
                                          "group:front",
                                          "material:'my eyes'",
                                          "piece:1",
                                          "box:,,,3,1,-",
                                          "vertices:1,3-5,8",
                                          "faces:0,2",
                                          "piece:largest",
                                          "piece:@5,0,0.5"};
    size_t used = strlen(text);
    uint64_t dice = random_bits(random) % 4;
    if (depth == 0 || dice == 0) {
        snprintf(text + used, size - used, "%s", choices[random_bits(random) % (sizeof choices / sizeof *choices)]);
    } else if (dice == 1) {
        snprintf(text + used, size - used, "!");
        add_random(random, depth - 1, text, size);
    } else {
        size_t terms = 2 + random_bits(random) % 2;
        snprintf(text + used, size - used, "(");
        for (size_t i = 0; i < terms; i++) {
            if (i) snprintf(text + strlen(text), size - strlen(text), dice == 2 ? " & " : "|");
            add_random(random, depth - 1, text, size);
        }
        snprintf(text + strlen(text), size - strlen(text), ")");
    }
}

static void random_selector(test_random *random, char *text, size_t size) {
    text[0] = 0;
    add_random(random, 3, text, size);
}

static void find_weights(const ruga_mesh *mesh, const char *text, double *weights) {
    ruga_selector *selector = NULL;
    assert_ok(mesh->context, ruga_selector_parse(mesh->context, text, &selector));
    assert_ok(mesh->context, ruga_selector_weights(selector, mesh, weights));
    ruga_selector_destroy(selector);
}

/* Weights are compared after one rounding: 1 - (1 - w) is w only up to that. */
static void assert_same(const ruga_mesh *mesh, const char *a, const char *b) {
    double left[VERTICES], right[VERTICES];
    for (int faces = 0; faces < 2; faces++)
        assert_equal_case(chosen_bits(mesh, a, faces), chosen_bits(mesh, b, faces), "%s and %s", a, b);
    find_weights(mesh, a, left);
    find_weights(mesh, b, right);
    for (int v = 0; v < VERTICES; v++) assert_near_case(left[v], right[v], 1e-15, "%s and %s, vertex %d", a, b, v);
}

static void combinations_obey_the_laws_of_sets(void **state) {
    ruga_mesh *mesh = make_all_kinds(*state);
    test_random random = {11};
    static const char *const laws[][2] = {
        {"!((%s)&(%s))", "!(%s)|!(%s)"},
        {"!((%s)|(%s))", "!(%s)&!(%s)"},
        {"(%s)&(%s)", "!(!(%s)|!(%s))"},
    };
    for (int round = 0; round < 300; round++) {
        char a[800], b[800], left[2500], right[2500];
        random_selector(&random, a, sizeof a);
        random_selector(&random, b, sizeof b);
        for (size_t i = 0; i < 3; i++) {
            snprintf(left, sizeof left, laws[i][0], a, b);
            snprintf(right, sizeof right, laws[i][1], a, b);
            assert_same(mesh, left, right);
        }
        snprintf(left, sizeof left, "!!(%s)", a);
        assert_same(mesh, left, a);
        snprintf(left, sizeof left, "(%s)&all|none", a);
        assert_same(mesh, left, a);
        snprintf(left, sizeof left, "(%s)|((%s)&(%s))", a, a, b); /* absorption */
        assert_same(mesh, left, a);
        snprintf(left, sizeof left, "(%s)&(%s)", b, a);
        snprintf(right, sizeof right, "(%s)&(%s)", a, b);
        assert_same(mesh, left, right);
    }
    ruga_mesh_destroy(mesh);
}

/* The printed text parses, prints the same again, and chooses the same. */
static void printing_and_parsing_are_inverse(void **state) {
    ruga_mesh *mesh = make_all_kinds(*state);
    test_random random = {23};
    for (int round = 0; round < 500; round++) {
        char text[800], *printed = NULL, *again = NULL;
        ruga_selector *first = NULL, *second = NULL;
        random_selector(&random, text, sizeof text);
        assert_ok(*state, ruga_selector_parse(*state, text, &first));
        assert_ok(*state, ruga_selector_print(first, &printed));
        assert_ok(*state, ruga_selector_parse(*state, printed, &second));
        assert_ok(*state, ruga_selector_print(second, &again));
        assert_string_equal(printed, again);
        assert_same(mesh, text, printed);
        ruga_free(*state, printed);
        ruga_free(*state, again);
        ruga_selector_destroy(first);
        ruga_selector_destroy(second);
    }
    ruga_mesh_destroy(mesh);
}

static void printed_selectors_have_one_form(void **state) {
    static const char *const forms[][2] = {
        {"mask", "attribute:mask"},
        {"color:r > .5", "colour:red>0.5"},
        {"vertex:1000000-2000000,7", "vertices:1000000-2000000,7"},
        {"box:,,,-,1,-", "box:-,-,-,-,1,-"},
        {"((a|b))&c , d", "(attribute:a | attribute:b) & attribute:c | attribute:d"},
        {"a|(b|c)", "attribute:a | (attribute:b | attribute:c)"},
        {"!(a&b)", "!(attribute:a & attribute:b)"},
        {"material:'it\\'s \"x\"'", "material:\"it's \\\"x\\\"\""},
        {"'all'", "attribute:all"},
        {"a\\'[\"]\\", "attribute:\"a\\'[\\\"]\\\\\""},
        {"joint:mixamorig:[!L]*", "joint:\"mixamorig:[!L]*\""},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        ruga_selector *selector = NULL;
        char *text = NULL;
        assert_ok(*state, ruga_selector_parse(*state, forms[i][0], &selector));
        assert_ok(*state, ruga_selector_print(selector, &text));
        assert_string_equal(text, forms[i][1]);
        ruga_free(*state, text);
        ruga_selector_destroy(selector);
    }
}

/* ---- Weights. */

static void weights_are_soft_without_a_comparison(void **state) {
    ruga_mesh *mesh = make_all_kinds(*state);
    double mask[VERTICES], joint[VERTICES], both[VERTICES], crisp[VERTICES];
    static const double expected[VERTICES] = {0, 0.25, 0.5, 0.75, 1, 1, 0, 0.6f, 1};
    static const double hand[VERTICES] = {0, 0.75, 0.5, 0, 0, 1, 0, 0, 0};
    find_weights(mesh, "mask", mask);
    find_weights(mesh, "joint:LeftHand", joint);
    find_weights(mesh, "mask & !joint:LeftHand | colour:green", both);
    find_weights(mesh, "mask>0.5", crisp);
    for (int v = 0; v < VERTICES; v++) {
        double green = v == 2 || v == 3 || v == 7 ? 1 : v == 5 ? 5 / 255.0 : v == 6 ? 50 / 255.0 : 0;
        assert_near_case(mask[v], expected[v], 1e-15, "vertex %d", v);
        assert_equal_case(joint[v], hand[v], "vertex %d", v);
        assert_near_case(both[v], fmax(fmin(expected[v], 1 - hand[v]), green), 1e-15, "vertex %d", v);
        assert_equal_case(crisp[v], expected[v] > 0.5, "vertex %d", v);
    }
    ruga_mesh_destroy(mesh);
}

static void parameters_take_selectors(void **state) {
    ruga_mesh *mesh = make_all_kinds(*state);
    double values[VERTICES];
    ruga_param param = ruga_param_selector("piece:1 | mask"), other = ruga_param_selector("!all");
    param.from = 10, param.to = 20;
    assert_ok(*state, ruga_param_evaluate(&param, "radius", mesh, 0, values));
    static const double expected[VERTICES] = {10, 12.5, 15, 17.5, 20, 20, 20, 20, 20};
    for (int v = 0; v < VERTICES; v++) assert_near_case(values[v], expected[v], 1e-12, "vertex %d", v);
    const ruga_param_key keys[] = {{0, &param}, {2, &other}};
    ruga_param keyed = ruga_param_keys(keys, 2);
    assert_ok(*state, ruga_param_evaluate(&keyed, "radius", mesh, 1, values));
    for (int v = 0; v < VERTICES; v++) assert_near_case(values[v], expected[v] / 2, 1e-12, "vertex %d", v);
    assert_ok(*state, param_prepare(&keyed, "radius", mesh, values));
    other.attribute = "joint:Tail";
    assert_status(param_prepare(&keyed, "radius", mesh, values), RUGA_ERROR_INPUT);
    assert_message_has(*state, "no joint \"Tail\"");
    other.attribute = NULL;
    assert_status(param_prepare(&keyed, "radius", mesh, values), RUGA_ERROR_ARGUMENT);
    ruga_mesh_destroy(mesh);
}

/* ---- Models with joints. */

static ruga_mesh *make_model(ruga_context *context, const char *name) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, name, NULL, &mesh));
    return mesh;
}

static size_t select_vertices(const ruga_mesh *mesh, const char *text, unsigned char *chosen) {
    ruga_selector *selector = NULL;
    size_t count = 0;
    assert_ok(mesh->context, ruga_selector_parse(mesh->context, text, &selector));
    assert_ok(mesh->context, ruga_selector_vertices(selector, mesh, chosen));
    for (size_t v = 0; v < mesh->vertex_count; v++) count += chosen[v];
    ruga_selector_destroy(selector);
    return count;
}

static void assert_rows_sum_to_one(const ruga_mesh *mesh) {
    const ruga_map *skin = mesh->joint_weights;
    assert_non_null(skin);
    assert_true(skin->rows == mesh->vertex_count && skin->columns == mesh->joint_count);
    for (size_t v = 0; v < skin->rows; v++) {
        double sum = 0;
        for (size_t i = skin->offsets[v]; i < skin->offsets[v + 1]; i++) sum += skin->weights[i];
        assert_near_case(sum, 1, 1e-12, "vertex %zu", v);
    }
}

static void the_arm_has_its_two_bones(void **state) {
    ruga_mesh *arm = make_model(*state, "arm");
    unsigned char *chosen = malloc(arm->vertex_count);
    double *weights = malloc(arm->vertex_count * sizeof *weights);
    assert_rows_sum_to_one(arm);
    const ruga_attribute *forearm = ruga_mesh_attribute(arm, "forearm", RUGA_DOMAIN_VERTEX);
    find_weights(arm, "joint:ForeArm", weights);
    size_t count = select_vertices(arm, "joint:ForeArm", chosen), expected = 0;
    for (size_t v = 0; v < arm->vertex_count; v++) {
        assert_equal_case(weights[v], ruga_attribute_get(forearm, v, 0), "vertex %zu", v);
        expected += weights[v] > 0.5;
    }
    assert_true(count == expected && count > 0 && count < arm->vertex_count);
    free(weights);
    free(chosen);
    ruga_mesh_destroy(arm);
}

static void the_mannequins_hands_are_at_the_ends_of_its_arms(void **state) {
    ruga_mesh *body = make_model(*state, "mannequin");
    unsigned char *left = malloc(body->vertex_count), *right = malloc(body->vertex_count);
    assert_rows_sum_to_one(body);
    size_t left_count = select_vertices(body, "joint:LeftHand", left);
    size_t right_count = select_vertices(body, "joint:RightHand", right);
    double farthest_other = 0, nearest_hand = INFINITY;
    for (size_t v = 0; v < body->vertex_count; v++) {
        double x = body->positions[v].x;
        if (left[v]) assert_less_case(0, x, "vertex %zu", v);
        if (right[v]) assert_less_case(x, 0, "vertex %zu", v);
        if (left[v]) nearest_hand = fmin(nearest_hand, x);
        if (!left[v]) farthest_other = fmax(farthest_other, x);
    }
    assert_true(left_count > 20 && left_count == right_count);
    assert_less(farthest_other - nearest_hand, 0.12); /* m: the wrist is cut across a slanted forearm */
    assert_int_equal((long)select_vertices(body, "joint:*Hand", left), (long)(left_count + right_count));
    assert_true(select_vertices(body, "joint:*", left) == body->vertex_count);
    free(left);
    free(right);
    ruga_mesh_destroy(body);
}

static void subdivision_carries_the_skin(void **state) {
    ruga_mesh *arm = make_model(*state, "arm"), *fine = NULL;
    ruga_map *map = NULL;
    ruga_subdivide_def def = ruga_subdivide_def_default();
    def.n = 3;
    assert_ok(*state, ruga_mesh_subdivide(arm, &def, &fine, &map));
    assert_rows_sum_to_one(fine);
    double *coarse_weights = malloc(arm->vertex_count * sizeof(double)),
           *wanted = malloc(fine->vertex_count * sizeof(double)),
           *weights = malloc(fine->vertex_count * sizeof(double));
    find_weights(arm, "joint:ForeArm", coarse_weights);
    find_weights(fine, "joint:ForeArm", weights);
    ruga_map_apply_scalars(map, coarse_weights, 1, wanted);
    for (size_t v = 0; v < fine->vertex_count; v++) assert_near_case(weights[v], wanted[v], 1e-12, "vertex %zu", v);
    free(coarse_weights);
    free(wanted);
    free(weights);
    ruga_map_destroy(map);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(arm);
}

/* ---- Errors. */

typedef struct error_case {
    const char *text;
    int column;
    const char *message;
} error_case;

static void errors_have_their_column(void **state) {
    static const error_case cases[] = {
        {"", 1, "empty"},
        {"   ", 4, "empty"},
        {"mask &", 7, "a name is missing"},
        {"mask | | mask", 8, "a name is missing"},
        {"(mask", 1, "has no end"},
        {"mask)", 5, "expected &, | or the end"},
        {"mask mask", 6, "expected &, | or the end"},
        {"joint:", 7, "a name is missing"},
        {"jiont:LeftHand", 1, "did you mean \"joint\"?"},
        {"mixamorig:Hips", 1, "unknown kind \"mixamorig\""},
        {"material:'eyes", 10, "has no end"},
        {"material:''", 10, "a name is missing"},
        {"mask>x", 6, "a number is missing"},
        {"mask>inf", 6, "a number is missing"},
        {"colour:pink", 8, "red, green, blue or alpha"},
        {"colour:#ff00", 8, "three or six digits"},
        {"colour:#ff0000~-1", 8, "0 or more"},
        {"box:0,0,0,1,1", 14, "six values"},
        {"box:0,0,0,1,x,1", 13, "a number is missing"},
        {"box:0,2,0,1,1,1", 5, "the box is empty"},
        {"vertices:", 10, "a number from 0"},
        {"vertices:5-2", 10, "has to rise"},
        {"vertices:99999999999", 10, "a number from 0"},
        {"piece:biggest", 7, "largest"},
        {"piece:@1,2", 11, "three numbers"},
        {"material:eyes>0.5", 14, "expected &, | or the end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ruga_selector *selector = NULL;
        char column[32];
        snprintf(column, sizeof column, "column %d:", cases[i].column);
        fail_if(ruga_selector_parse(*state, cases[i].text, &selector) != RUGA_ERROR_INPUT,
                "\"%s\" is taken for a selector", cases[i].text);
        assert_null(selector);
        assert_message_has(*state, column);
        assert_message_has(*state, cases[i].message);
    }
    char deep[300] = "";
    memset(deep, '!', 70);
    strcat(deep, "mask");
    ruga_selector *selector = NULL;
    assert_status(ruga_selector_parse(*state, deep, &selector), RUGA_ERROR_INPUT);
    assert_message_has(*state, "column 65: ");
    assert_status(ruga_selector_parse(*state, NULL, &selector), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_selector_parse(NULL, "mask", &selector), RUGA_ERROR_ARGUMENT);
}

static void assert_chooses_nothing(const ruga_mesh *mesh, const char *text, const char *message, const char *listed) {
    ruga_selector *selector = NULL;
    unsigned char chosen[64];
    memset(chosen, 7, sizeof chosen);
    assert_ok(mesh->context, ruga_selector_parse(mesh->context, text, &selector));
    assert_status(ruga_selector_vertices(selector, mesh, chosen), RUGA_ERROR_INPUT);
    assert_message_has(mesh->context, message);
    assert_message_has(mesh->context, listed);
    for (size_t i = 0; i < sizeof chosen; i++) assert_int_equal(chosen[i], 7);
    ruga_selector_destroy(selector);
}

static void a_pattern_that_matches_nothing_lists_what_exists(void **state) {
    ruga_mesh *mesh = make_all_kinds(*state);
    assert_chooses_nothing(mesh, "joint:LeftHnad",
                           "column 1: the mesh has no joint \"LeftHnad\"; did you mean \"LeftHand\"?",
                           "It has Hips, LeftHand, rig:LeftArm");
    assert_chooses_nothing(mesh, "all & material:eye*", "column 7: the mesh has no material \"eye*\"",
                           "it has skin, my eyes");
    assert_chooses_nothing(mesh, "group:back", "no group \"back\"", "it has front, side");
    assert_chooses_nothing(mesh, "object:shirt", "no object \"shirt\"", "its faces have no objects");
    assert_chooses_nothing(mesh, "maks", "did you mean \"mask\"?", "It has mask, colour, heat, sharp, crease");
    assert_chooses_nothing(mesh, "front", "no attribute \"front\"", "but a group: write group:front");
    assert_chooses_nothing(mesh, "Hips", "but a joint: write joint:Hips", "it has mask");
    assert_chooses_nothing(mesh, "vertices:9", "no vertex 9", "the mesh has 9, numbered from 0");
    assert_chooses_nothing(mesh, "faces:1-4", "no face 4", "the mesh has 3");
    assert_chooses_nothing(mesh, "piece:2", "no piece 2", "the mesh has 2");
    ruga_mesh_destroy(mesh);

    ruga_mesh_def def = ruga_mesh_def_default();
    static const ruga_vec3 point[1] = {{0, 0, 0}};
    def.positions = (ruga_view){(void *)(uintptr_t)point, 1, 0, RUGA_F64};
    assert_ok(*state, ruga_mesh_create(*state, &def, &mesh));
    assert_chooses_nothing(mesh, "joint:*", "no joint", "only skinned glTF files");
    assert_chooses_nothing(mesh, "mask", "no attribute", "it has no attributes");
    assert_chooses_nothing(mesh, "colour:red", "no vertex colours", "paint");
    assert_chooses_nothing(mesh, "piece:largest", "no faces", "no pieces");
    ruga_mesh_destroy(mesh);
}

static void skins_of_defs_are_checked(void **state) {
    static const ruga_vec3 point[1] = {{0, 0, 0}};
    static const char *const names[] = {"a"}, *const hollow[] = {NULL};
    static const size_t offsets[] = {0, 1};
    static const uint32_t good[] = {0}, bad[] = {1};
    static const double one[] = {1}, minus[] = {-1};
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *mesh = NULL;
    def.positions = (ruga_view){(void *)(uintptr_t)point, 1, 0, RUGA_F64};
    def.joint_count = 1;
    assert_status(ruga_mesh_create(*state, &def, &mesh), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "needs their names");
    ruga_map skin = {1, 1, offsets, good, one, NULL};
    def.joint_weights = &skin;
    def.joint_names = hollow;
    assert_status(ruga_mesh_create(*state, &def, &mesh), RUGA_ERROR_ARGUMENT);
    def.joint_names = names;
    skin.indices = bad;
    assert_status(ruga_mesh_create(*state, &def, &mesh), RUGA_ERROR_INPUT);
    assert_message_has(*state, "joint 1; there are 1");
    skin.indices = good;
    skin.weights = minus;
    assert_status(ruga_mesh_create(*state, &def, &mesh), RUGA_ERROR_INPUT);
    skin.weights = one;
    skin.rows = 2;
    assert_status(ruga_mesh_create(*state, &def, &mesh), RUGA_ERROR_ARGUMENT);
    assert_null(mesh);
}

/* ---- Memory. */

static ruga_status select_all_kinds(ruga_context *context, void *user) {
    (void)user;
    static const char text[] =
        "(mask>0.1 | 'heat' | attribute:crease) & !(joint:*Left* , colour:#ff0000) | box:0,-,-,1,-,- & material:'my "
        "eyes' | piece:largest & vertices:0-3,5";
    ruga_mesh *mesh = make_all_kinds(context);
    ruga_selector *selector = NULL;
    unsigned char chosen[VERTICES];
    double weights[VERTICES];
    char *printed = NULL;
    if (!mesh) return RUGA_ERROR_MEMORY;
    ruga_status status = ruga_selector_parse(context, text, &selector);
    if (!RUGA_FAILED(status)) status = ruga_selector_print(selector, &printed);
    if (!RUGA_FAILED(status)) status = ruga_selector_vertices(selector, mesh, chosen);
    if (!RUGA_FAILED(status)) status = ruga_selector_faces(selector, mesh, chosen);
    if (!RUGA_FAILED(status)) status = ruga_selector_weights(selector, mesh, weights);
    ruga_param param = ruga_param_selector(text);
    if (!RUGA_FAILED(status)) status = ruga_param_evaluate(&param, "radius", mesh, 0, weights);
    ruga_free(context, printed);
    ruga_selector_destroy(selector);
    ruga_mesh_destroy(mesh);
    return status;
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    assert_less(50, assert_every_allocation_may_fail(select_all_kinds, NULL));
}

/* ---- Choices that are empty. */

typedef struct last_line {
    char text[400];
    int count;
} last_line;

static void keep_last(void *user, ruga_log_level level, const char *message) {
    last_line *last = user;
    if (level != RUGA_LOG_WARNING) return;
    snprintf(last->text, sizeof last->text, "%s", message);
    last->count++;
}

static void an_empty_choice_is_a_warning_with_extent_or_range(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"box:10,-,-,-,-,-", "selects nothing: the mesh extends from (0, 0, 0) to (5, 1, 0) m"},
        {"mask>7", "selects nothing: the values of \"mask\" are from -1 to 2"},
        {"heat<0.1", "selects nothing: the values of \"heat\" are from 0.2 to 0.8"},
        {"colour:blue>2", "selects nothing: the values of \"colour\" blue are from 0 to 1"},
        {"colour:#ff00ff~0.01", "selects nothing: the nearest colour of the mesh differs by "},
        {"box:10,-,-,-,-,- | joint:Hips", "column 1: it selects nothing: the mesh extends"},
    };
    last_line last = {.count = 0};
    ruga_context *context;
    ruga_context_def def = ruga_context_def_default();
    def.log = keep_last;
    def.log_user = &last;
    assert_status(ruga_context_create(&def, &context), RUGA_OK);
    ruga_mesh *mesh = make_all_kinds(context);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ruga_selector *selector;
        double weights[VERTICES];
        last.count = 0;
        assert_ok(context, ruga_selector_parse(context, cases[k][0], &selector));
        assert_ok(context, ruga_selector_weights(selector, mesh, weights));
        ruga_selector_destroy(selector);
        fail_if(last.count != 1 || !strstr(last.text, cases[k][1]), "%s: %s", cases[k][0], last.text);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_chooses_its_elements),
        cmocka_unit_test(binding_is_not_then_and_then_or),
        cmocka_unit_test(combinations_obey_the_laws_of_sets),
        cmocka_unit_test(printing_and_parsing_are_inverse),
        cmocka_unit_test(printed_selectors_have_one_form),
        cmocka_unit_test(weights_are_soft_without_a_comparison),
        cmocka_unit_test(parameters_take_selectors),
        cmocka_unit_test(the_arm_has_its_two_bones),
        cmocka_unit_test(the_mannequins_hands_are_at_the_ends_of_its_arms),
        cmocka_unit_test(subdivision_carries_the_skin),
        cmocka_unit_test(errors_have_their_column),
        cmocka_unit_test(a_pattern_that_matches_nothing_lists_what_exists),
        cmocka_unit_test(an_empty_choice_is_a_warning_with_extent_or_range),
        cmocka_unit_test(skins_of_defs_are_checked),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
