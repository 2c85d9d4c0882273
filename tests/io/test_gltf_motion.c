#include <math.h>

#include "base/file.h"
#include "io/glb_builder.h"
#include "io/io.h"
#include "math/vec3.h"

static ruga_context *context;
static glb *g; /* empty at the start of each test */
static ruga_mesh *mesh;
static ruga_motion *motion;

static int begin(void **state) {
    (void)state;
    context = context_plain(1);
    g = calloc(1, sizeof *g);
    mesh = NULL;
    motion = NULL;
    return 0;
}

static int end(void **state) {
    (void)state;
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
    free(g);
    return 0;
}

static ruga_status open_motion(const char *rest, const char *animation) {
    ruga_file_def def = ruga_file_def_default();
    def.animation = animation;
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    motion = NULL;
    mesh = NULL;
    glb_save(g, rest, test_path("motion.glb"));
    assert_ok(context, ruga_mesh_read(context, test_path("motion.glb"), &def, &mesh));
    return ruga_motion_read(context, test_path("motion.glb"), mesh, &def, &motion);
}

static void open_ok(const char *rest) { assert_ok(context, open_motion(rest, NULL)); }

static void assert_refused(const char *rest, ruga_status status, const char *part) {
    assert_status(open_motion(rest, NULL), status);
    assert_null(motion);
    assert_message_has(context, part);
}

/* The place of a vertex at a time. */
static ruga_vec3 place(double time, size_t vertex) {
    ruga_vec3 positions[64];
    assert_at_most(mesh->vertex_count, 64);
    assert_ok(context, ruga_motion_sample(motion, time, positions));
    return positions[vertex];
}

static void assert_vec3_near(ruga_vec3 a, ruga_vec3 b, double tolerance) {
    fail_if(!(vec3_distance(a, b) <= tolerance), "(%.9g, %.9g, %.9g) is not (%.9g, %.9g, %.9g)", a.x, a.y, a.z, b.x,
            b.y, b.z);
}

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
#define MESH "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"
#define ANIMATE(path, how)                                                                        \
    MESH ",\"nodes\":[{\"mesh\":0}],\"animations\":[{\"samplers\":[{\"input\":1,\"output\":2" how \
         "}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"" path "\"}}]}]"

/* ---- Samplers. */

static void sampling_at_keys_gives_the_keys_and_the_ends_hold(void **state) {
    (void)state;
    static const float times[3] = {0.5f, 1, 2}, keys[9] = {1, 2, 3, 4, 5, 6, -7, 8, 9};
    static const char *const how[2] = {ANIMATE("translation", ""),
                                       ANIMATE("translation", ",\"interpolation\":\"STEP\"")};
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "SCALAR", 3, times);
    glb_floats(g, "VEC3", 3, keys);
    for (int i = 0; i < 2; i++) {
        open_ok(how[i]);
        ruga_motion_info info = ruga_motion_get_info(motion);
        assert_equal_case(info.start, 0.5, "i %d", i);
        assert_equal_case(info.end, 2, "i %d", i);
        assert_true(info.vertex_count == 3);
        assert_int_equal(info.sample_count, 0);
        for (int k = 0; k < 3; k++)
            assert_vec3_near(place((double)times[k], 0), (vec3){keys[3 * k], keys[3 * k + 1], keys[3 * k + 2]}, 0);
        assert_vec3_near(place(-10, 0), vec3_make(1, 2, 3), 0);
        assert_vec3_near(place(10, 0), vec3_make(-7, 8, 9), 0);
        /* Between: half way, or the key before. */
        assert_vec3_near(place(0.75, 1), i ? vec3_make(2, 2, 3) : vec3_make(3.5, 3.5, 4.5), 1e-12);
    }
}

static double angle_of(ruga_vec3 p) { return atan2(p.y, p.x); }

static void rotations_turn_evenly_along_the_shorter_arc(void **state) {
    (void)state;
    /* From 0 to 100 degrees about z; the second key has the opposite sign, which means the same rotation. */
    double half = 50 * M_PI / 180;
    float times[2] = {0, 1}, keys[8] = {0, 0, 0, 1, 0, 0, (float)-sin(half), (float)-cos(half)};
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC4", 2, keys);
    open_ok(ANIMATE("rotation", ""));
    for (int i = 0; i <= 20; i++) {
        double t = i / 20.0;
        assert_near_case(angle_of(place(t, 1)), 2 * half * t, 1e-6, "i %d", i);
        assert_near_case(vec3_length(place(t, 1)), 1, 1e-12, "i %d", i);
    }
}

static void rotations_between_equal_keys_stay(void **state) {
    (void)state;
    static const float times[2] = {0, 1};
    static const int16_t keys[8] = {0, 0, 23170, 23170, 0, 0, 23170, 23170};
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "SCALAR", 2, times);
    glb_accessor(g, "VEC4", GLB_I16, 2, keys, 16, ",\"normalized\":true");
    open_ok(ANIMATE("rotation", ""));
    assert_vec3_near(place(0.3, 1), vec3_make(0, 1, 0), 1e-6);
}

static void cubic_splines_pass_the_keys_with_their_tangents(void **state) {
    (void)state;
    /* In-tangent, value, out-tangent for each of three keys, along x. */
    static const float times[3] = {1, 3, 4};
    static const float keys[27] = {0, 0, 0, 1, 0, 0, 2, 0, 0, -1, 0, 0, 5, 0, 0, -1, 0, 0, 3, 0, 0, 2, 0, 0, 0, 0, 0};
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "SCALAR", 3, times);
    glb_floats(g, "VEC3", 9, keys);
    open_ok(ANIMATE("translation", ",\"interpolation\":\"CUBICSPLINE\""));
    const double h = 1e-4;
    static const double value[3] = {1, 5, 2}, in[3] = {0, -1, 3}, out[3] = {2, -1, 0};
    for (int k = 0; k < 3; k++) {
        double t = (double)times[k];
        assert_equal_case(place(t, 0).x, value[k], "k %d", k);
        if (k > 0) assert_near_case((place(t, 0).x - place(t - h, 0).x) / h, in[k], 20 * h, "k %d", k);
        if (k < 2) assert_near_case((place(t + h, 0).x - place(t, 0).x) / h, out[k], 20 * h, "k %d", k);
    }
    /* Hermite's cubic through (1, 1) and (3, 5) with slopes 2 and -1, at its middle: (1 + 5)/2 + 2 (2 + 1)/8. */
    assert_near(place(2, 0).x, 3.75, 1e-12);
}

static void scales_and_parents_move_the_mesh(void **state) {
    (void)state;
    static const float times[2] = {0, 1}, keys[6] = {1, 1, 1, 3, 1, 1};
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC3", 2, keys);
    /* The node above is animated; another, beside, does not matter; a camera's channel is skipped. */
    open_ok(MESH
            ",\"nodes\":[{\"mesh\":0,\"translation\":[1,0,0]},{\"children\":[0]},{}],\"animations\":[{\"samplers\":"
            "[{\"input\":1,\"output\":2}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"scale\"}},"
            "{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"scale\"}},"
            "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"pointer\"}},"
            "{\"sampler\":0,\"target\":{\"path\":\"scale\"}}]}]");
    assert_vec3_near(place(1, 1), vec3_make(6, 0, 0), 1e-12);
    assert_vec3_near(place(0, 1), vec3_make(2, 0, 0), 1e-12);
    assert_vec3_near(place(0, 1), mesh->positions[1], 0);
}

static void units_and_axes_are_converted(void **state) {
    (void)state;
    static const float times[2] = {0, 1}, keys[6] = {0, 0, 0, 0, 0, 100};
    ruga_file_def def = ruga_file_def_default();
    def.unit = 0.01;
    def.up = RUGA_AXIS_Z;
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC3", 2, keys);
    glb_save(g, ANIMATE("translation", ""), test_path("z.glb"));
    assert_ok(context, ruga_mesh_read(context, test_path("z.glb"), &def, &mesh));
    assert_ok(context, ruga_motion_read(context, test_path("z.glb"), mesh, &def, &motion));
    assert_vec3_near(place(0, 1), mesh->positions[1], 0);
    assert_vec3_near(place(1, 0), vec3_make(0, 1, 0), 1e-12);
}

/* ---- Skins. */

/* A bar of four vertices; the upper two are moved by joint 1, which stands at (0, 1, 0). */
static const float bar[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 2, 0};
static const uint16_t bar_indices[6] = {0, 1, 2, 1, 3, 2};

#define SKIN_MESH                                                                                                \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3},\"indices\":1" \
    "}]}],\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":4}]"
#define SKIN_NODES \
    ",\"nodes\":[{\"mesh\":0,\"skin\":0,\"translation\":[50,0,0]},{\"children\":[2]},{\"translation\":[0,1,0]}]"
#define SKIN_TURN                                                                                           \
    ",\"animations\":[{\"samplers\":[{\"input\":5,\"output\":6}],\"channels\":[{\"sampler\":0,\"target\":{" \
    "\"node\":2,\"path\":\"rotation\"}}]}]"

static void add_skin(const float *weights) {
    static const uint8_t joints[16] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    static const float inverse[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                                      1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1};
    static const float times[2] = {0, 1};
    float turn[8] = {0, 0, 0, 1, 0, 0, (float)sqrt(0.5), (float)sqrt(0.5)};
    glb_floats(g, "VEC3", 4, bar);
    glb_indices(g, 6, bar_indices);
    glb_accessor(g, "VEC4", GLB_U8, 4, joints, 16, "");
    glb_floats(g, "VEC4", 4, weights);
    glb_floats(g, "MAT4", 2, inverse);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC4", 2, turn);
}

static const float upper_weights[16] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};

static void a_skin_in_its_bind_pose_gives_the_rest(void **state) {
    (void)state;
    float weights[16] = {1, 0, 0, 0, 0.25f, 0.75f, 0, 0, 0, 1, 0, 0, 2, 2, 0, 0};
    add_skin(weights);
    open_ok(SKIN_MESH SKIN_NODES SKIN_TURN);
    for (size_t v = 0; v < 4; v++) {
        /* The mesh's own node does not move it. */
        assert_vec3_near(mesh->positions[v], vec3_make(bar[3 * v], bar[3 * v + 1], bar[3 * v + 2]), 1e-12);
        assert_vec3_near(place(0, v), mesh->positions[v], 1e-12);
    }
}

static void the_mesh_has_the_joints_of_its_skin(void **state) {
    (void)state;
    float weights[16] = {1, 0, 0, 0, 0.25f, 0.75f, 0, 0, 0, 1, 0, 0, 2, 2, 0, 0};
    add_skin(weights);
    open_ok(SKIN_MESH ",\"nodes\":[{\"mesh\":0,\"skin\":0},{\"children\":[2],\"name\":\"root\"},{}]" SKIN_TURN);
    const double expected[4] = {0, 0.75, 1, 0.5};
    double upper[4];
    assert_int_equal(mesh->joint_count, 2);
    assert_string_equal(mesh->joint_names[0], "root");
    assert_string_equal(mesh->joint_names[1], "joint_1");
    const double second[2] = {0, 1};
    ruga_map_apply_scalars(mesh->joint_weights, second, 1, upper);
    for (size_t v = 0; v < 4; v++) assert_near_case(upper[v], expected[v], 1e-12, "vertex %zu", v);
}

static void a_rigid_joint_moves_its_vertices_rigidly(void **state) {
    (void)state;
    add_skin(upper_weights);
    open_ok(SKIN_MESH SKIN_NODES SKIN_TURN);
    for (int i = 0; i <= 8; i++) {
        double t = i / 8.0, a = t * M_PI / 2;
        assert_vec3_near(place(t, 0), mesh->positions[0], 1e-12);
        /* Turned about (0, 1, 0). */
        assert_vec3_near(place(t, 2), vec3_make(-sin(a), 1 + cos(a), 0), 1e-6);
        assert_near_case(vec3_distance(place(t, 2), place(t, 3)), 1, 1e-12, "i %d", i);
    }
}

static void weights_that_do_not_sum_to_one_are_scaled(void **state) {
    (void)state;
    float half[16], all[16];
    for (int i = 0; i < 16; i++) all[i] = i % 4 < 2 ? 0.5f : 0, half[i] = i % 4 < 2 ? 0.125f : 0;
    ruga_vec3 expected[4];
    add_skin(all);
    open_ok(SKIN_MESH SKIN_NODES SKIN_TURN);
    for (size_t v = 0; v < 4; v++) expected[v] = place(1, v);
    memset(g, 0, sizeof *g);
    add_skin(half);
    open_ok(SKIN_MESH SKIN_NODES SKIN_TURN);
    for (size_t v = 0; v < 4; v++) assert_vec3_near(place(1, v), expected[v], 1e-12);
    /* A vertex without weights follows its first joint. */
    memset(g, 0, sizeof *g);
    memset(half, 0, sizeof half);
    add_skin(half);
    open_ok(SKIN_MESH SKIN_NODES SKIN_TURN);
    assert_vec3_near(place(1, 3), mesh->positions[3], 1e-12);
}

static void several_sets_of_weights_add_up(void **state) {
    (void)state;
    static const uint16_t more[16] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    float first[16] = {0}, second[16] = {0}, both[16] = {0};
    for (int v = 0; v < 4; v++)
        first[4 * v] = 0.25f, second[4 * v] = 0.75f, both[4 * v] = 0.25f, both[4 * v + 1] = 0.75f;
    ruga_vec3 expected[4];
    add_skin(both);
    open_ok(SKIN_MESH SKIN_NODES SKIN_TURN);
    for (size_t v = 0; v < 4; v++) expected[v] = place(0.7, v);
    memset(g, 0, sizeof *g);
    add_skin(first);
    glb_accessor(g, "VEC4", GLB_U16, 4, more, 32, "");
    glb_floats(g, "VEC4", 4, second);
    open_ok(
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3,\"JOINTS_1\":7,"
        "\"WEIGHTS_1\":8},\"indices\":1}]}],\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":4}]" SKIN_NODES
            SKIN_TURN);
    for (size_t v = 0; v < 4; v++) assert_vec3_near(place(0.7, v), expected[v], 1e-12);
}

static void normals_turn_with_the_posed_skin(void **state) {
    (void)state;
    static const float normals[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0};
    add_skin(upper_weights);
    glb_floats(g, "VEC3", 4, normals);
    open_ok(
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3,\"NORMAL\":7},"
        "\"indices\":1}]}],\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":4}],\"nodes\":[{\"mesh\":0,\"skin\":"
        "0},{\"children\":[2]},{\"translation\":[0,1,0],\"rotation\":[0,0,0.70710678118,0.70710678118]}]" SKIN_TURN);
    const ruga_attribute *normal = ruga_mesh_attribute(mesh, "normal", RUGA_DOMAIN_VERTEX);
    assert_near(ruga_attribute_get(normal, 3, 0), -1, 1e-6);
    assert_near(ruga_attribute_get(normal, 3, 1), 0, 1e-6);
    assert_equal(ruga_attribute_get(normal, 0, 2), 1);
    assert_vec3_near(mesh->positions[2], vec3_make(-1, 1, 0), 1e-9);
}

static void bad_skins_are_refused(void **state) {
    (void)state;
    float negative[16];
    memcpy(negative, upper_weights, sizeof negative);
    negative[5] = -0.5f;
    glb_save((add_skin(negative), g), SKIN_MESH SKIN_NODES SKIN_TURN, test_path("bad.glb"));
    assert_status(ruga_mesh_read(context, test_path("bad.glb"), NULL, &mesh), RUGA_ERROR_INPUT);
    assert_message_has(context, "vertex 1 of the file has the skin weight -0.5 of joint 1; it must be 0 or more");
    memset(g, 0, sizeof *g);
    negative[5] = NAN;
    glb_save((add_skin(negative), g),
             SKIN_MESH SKIN_TURN ",\"nodes\":[{\"mesh\":0,\"skin\":0},{},{\"name\":\"elbow\"}]", test_path("bad.glb"));
    assert_status(ruga_mesh_read(context, test_path("bad.glb"), NULL, &mesh), RUGA_ERROR_INPUT);
    assert_message_has(context, "of joint 1 (elbow); it must be 0 or more");
    static const struct {
        const char *skins, *part;
    } wrong[] = {
        {"{\"joints\":[1],\"inverseBindMatrices\":4}", "vertex 2 of the file is moved by joint 1, but the skin has 1"},
        {"{\"joints\":[1,9]}", "joint 1 of the skin is not one of the 3 nodes"},
        {"{\"joints\":[1,2],\"inverseBindMatrices\":3}", "must be MAT4"},
        {"{\"joints\":[1,2],\"inverseBindMatrices\":7}", "of joint 1 is not finite"}};
    memset(g, 0, sizeof *g);
    add_skin(upper_weights);
    float matrices[32] = {0};
    matrices[20] = INFINITY;
    glb_floats(g, "MAT4", 2, matrices);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char rest[600];
        snprintf(rest, sizeof rest,
                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3},"
                 "\"indices\":1}]}],\"skins\":[%s]" SKIN_NODES,
                 wrong[i].skins);
        assert_status(glb_read(context, g, rest, NULL, &mesh), RUGA_ERROR_INPUT);
        assert_message_has(context, wrong[i].part);
    }
    static const struct {
        const char *attributes, *part;
    } missing[] = {{"\"JOINTS_0\":2", "needs both JOINTS_0 and WEIGHTS_0"},
                   {"\"JOINTS_0\":3,\"WEIGHTS_0\":3", "must be unsigned bytes or shorts"}};
    for (size_t i = 0; i < 2; i++) {
        char rest[600];
        snprintf(rest, sizeof rest,
                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,%s},\"indices\":1}]}],\"skins\":[{"
                 "\"joints\":[1,2]}]" SKIN_NODES,
                 missing[i].attributes);
        ruga_status status = glb_read(context, g, rest, NULL, &mesh);
        assert_status(status, RUGA_ERROR_INPUT);
        assert_message_has(context, missing[i].part);
    }
}

/* The mesh stays where it is and follows its node, instead of the file being refused. */
static void a_skin_without_joints_costs_the_skin_alone(void **state) {
    (void)state;
    static const char *const skins[] = {"{\"joints\":[]}", "{\"name\":\"skin\"}"};
    add_skin(upper_weights);
    for (int i = 0; i < 2; i++) {
        char rest[600];
        snprintf(rest, sizeof rest,
                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3},"
                 "\"indices\":1}]}],\"skins\":[%s]" SKIN_NODES,
                 skins[i]);
        ruga_mesh_destroy(mesh);
        mesh = NULL;
        assert_ok(context, glb_read(context, g, rest, NULL, &mesh));
        assert_int_equal(mesh->joint_count, 0);
        assert_vec3_near(mesh->positions[0], vec3_make(50 + bar[0], bar[1], bar[2]), 1e-12);
    }
}

/* An animation of a camera: the mesh has a motion that is static, over the animation's time. */
static void an_animation_of_something_else_moves_nothing(void **state) {
    (void)state;
    static const float times[2] = {0, 1}, keys[6] = {0, 0, 0, 5, 5, 5};
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC3", 2, keys);
    open_ok(MESH
            ",\"nodes\":[{\"mesh\":0},{\"name\":\"eye\"}],\"animations\":[{\"samplers\":[{\"input\":1,\"output\":2}],"
            "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}]}]");
    assert_equal(ruga_motion_get_info(motion).end, 1);
    for (size_t v = 0; v < 3; v++) assert_vec3_near(place(0.7, v), mesh->positions[v], 0);
}

static void a_welded_seam_never_opens(void **state) {
    (void)state;
    /* Two quads that meet along an edge, each with its own vertices there; weights vary along it. */
    static const float points[24] = {0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2, 0, 1, 0, 0, 2, 0, 0, 2, 2, 0, 1, 2, 0};
    static const uint16_t indices[12] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    static const uint8_t joints[32] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0,
                                       0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    static const float weights[32] = {1,    0,    0, 0, 0.7f, 0.3f, 0, 0, 0.2f, 0.8f, 0, 0, 0,    1,    0, 0,
                                      0.7f, 0.3f, 0, 0, 1,    0,    0, 0, 0,    1,    0, 0, 0.2f, 0.8f, 0, 0};
    static const float uv[16] = {0, 0, 1, 0, 1, 1, 0, 1, 0.5f, 0, 1, 0, 1, 1, 0.5f, 1};
    static const float times[2] = {0, 1};
    float turn[8] = {0, 0, 0, 1, 0, 0, (float)sqrt(0.5), (float)sqrt(0.5)};
    glb_floats(g, "VEC3", 8, points);
    glb_indices(g, 12, indices);
    glb_accessor(g, "VEC4", GLB_U8, 8, joints, 32, "");
    glb_floats(g, "VEC4", 8, weights);
    glb_floats(g, "VEC2", 8, uv);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC4", 2, turn);
    open_ok(
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3,\"TEXCOORD_0\":4"
        "},\"indices\":1}]}],\"skins\":[{\"joints\":[1,2]}]" SKIN_NODES SKIN_TURN);
    /* Six vertices: the edge is there once, so that it can't open; and the motion moves it as its parts would. */
    assert_int_equal(mesh->vertex_count, 6);
    assert_int_equal(mesh->split_count, 8);
    for (size_t f = 0; f < 8; f++) {
        double a = 0.5 * M_PI / 2;
        vec3 p = vec3_make(points[3 * f], points[3 * f + 1], 0);
        vec3 turned = vec3_make(cos(a) * p.x - sin(a) * p.y, 1 + sin(a) * p.x + cos(a) * p.y, 0);
        double w = (double)weights[4 * f + 1], sum = w + (double)weights[4 * f];
        vec3 expected = vec3_mix(p, turned, w / sum);
        assert_vec3_near(place(0.5, mesh->split_vertex[f]), expected, 1e-6);
    }
}

/* ---- Morph targets. */

static const float up[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
static const float right[9] = {1, 0, 0, 1, 0, 0, 1, 0, 0};
#define MORPH_MESH                                                                                      \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":1},{"     \
    "\"POSITION\":2}]}]%s}],\"nodes\":[{\"mesh\":0%s}],\"animations\":[{\"name\":\"a\",\"samplers\":[{" \
    "\"input\":3,\"output\":4%s}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"        \
    "\"weights\"}}]}]"

static const char *morph_rest(const char *mesh_more, const char *node_more, const char *sampler_more) {
    static char rest[800];
    snprintf(rest, sizeof rest, MORPH_MESH, mesh_more, node_more, sampler_more);
    return rest;
}

static void add_morph(void) {
    static const float times[3] = {0, 1, 2}, weights[6] = {0, 0, 1, 0, 0.5f, 0.5f};
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "VEC3", 3, up);
    glb_floats(g, "VEC3", 3, right);
    glb_floats(g, "SCALAR", 3, times);
    glb_floats(g, "SCALAR", 6, weights);
}

static void morph_weights_add_differences(void **state) {
    (void)state;
    add_morph();
    open_ok(morph_rest("", "", ""));
    assert_vec3_near(place(0, 1), vec3_make(1, 0, 0), 0);
    assert_vec3_near(place(1, 1), vec3_make(1, 0, 1), 0);
    assert_vec3_near(place(1.5, 1), vec3_make(1.25, 0, 0.75), 1e-12);
    assert_vec3_near(place(2, 1), vec3_make(1.5, 0, 0.5), 0);
    /* Weights alone, linear: these are stored samples, one a second. */
    ruga_motion_info info = ruga_motion_get_info(motion);
    assert_int_equal(info.sample_count, 3);
    assert_equal(info.rate, 1);
    open_ok(morph_rest("", "", ",\"interpolation\":\"STEP\""));
    assert_int_equal(ruga_motion_get_info(motion).sample_count, 0);
    assert_vec3_near(place(1.9, 1), vec3_make(1, 0, 1), 0);
}

static void the_rest_has_the_weights_of_the_node_else_of_the_mesh(void **state) {
    (void)state;
    add_morph();
    open_ok(morph_rest(",\"weights\":[0,0.5]", "", ""));
    assert_vec3_near(mesh->positions[1], vec3_make(1.5, 0, 0), 0);
    open_ok(morph_rest(",\"weights\":[0,0.5]", ",\"weights\":[2,0]", ""));
    assert_vec3_near(mesh->positions[1], vec3_make(1, 0, 2), 0);
}

static void uneven_keys_have_no_rate(void **state) {
    (void)state;
    static const float times[3] = {0, 1, 3}, weights[6] = {0, 0, 1, 0, 0, 1};
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "VEC3", 3, up);
    glb_floats(g, "VEC3", 3, right);
    glb_floats(g, "SCALAR", 3, times);
    glb_floats(g, "SCALAR", 6, weights);
    open_ok(morph_rest("", "", ""));
    assert_int_equal(ruga_motion_get_info(motion).sample_count, 3);
    assert_equal(ruga_motion_get_info(motion).rate, 0);
    for (size_t i = 0; i < 3; i++) assert_equal_case(ruga_motion_sample_time(motion, i), (double)times[i], "i %zu", i);
}

/* ---- Choosing and refusing. */

/* Keys of a node at 30 a second, then only every seventh of them, then at no rate; film rates of tv are no 24. */
static void keys_have_the_frame_rate_of_their_source(void **state) {
    (void)state;
    static const struct {
        double rate;
        int step;
        double expected;
    } cases[] = {{30, 1, 30}, {30, 7, 30}, {24, 5, 24}, {60, 1, 60}, {12.5, 1, 12.5}, {15, 1, 15}, {0, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float times[40], keys[120] = {0};
        for (int k = 0; k < 40; k++)
            times[k] = (float)(cases[i].rate > 0 ? k * cases[i].step / cases[i].rate : 0.1 * k + 0.013 * (k * k % 7));
        *g = (glb){0};
        glb_floats(g, "VEC3", 3, triangle);
        glb_floats(g, "SCALAR", 40, times);
        glb_floats(g, "VEC3", 40, keys);
        open_ok(ANIMATE("translation", ""));
        assert_near(ruga_motion_get_info(motion).rate, cases[i].expected, 1e-9);
        assert_int_equal(ruga_motion_get_info(motion).sample_count, 0);
    }
}

static void an_animation_is_chosen_by_name_or_number(void **state) {
    (void)state;
    static const float times[2] = {0, 1}, first[6] = {0, 0, 0, 1, 0, 0}, second[6] = {0, 0, 0, 0, 1, 0};
    const char *rest = MESH
        ",\"nodes\":[{\"mesh\":0}],\"animations\":[{\"name\":\"walk\",\"samplers\":[{\"input\":1,\"output\":2}],"
        "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]},{\"name\":\"run\","
        "\"samplers\":[{\"input\":1,\"output\":3}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
        "\"translation\"}}]}]";
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC3", 2, first);
    glb_floats(g, "VEC3", 2, second);
    static const char *const wanted[] = {NULL, "walk", "0", "run", "1"};
    for (int i = 0; i < 5; i++) {
        assert_ok(context, open_motion(rest, wanted[i]));
        assert_vec3_near(place(1, 0), i < 3 ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0), 0);
    }
    assert_status(open_motion(rest, "swim"), RUGA_ERROR_INPUT);
    assert_message_has(context, "no animation \"swim\"");
    assert_status(open_motion(rest, "2"), RUGA_ERROR_INPUT);
}

static void bad_animations_are_refused(void **state) {
    (void)state;
#define CHANNEL(sampler, target)                                                                      \
    MESH ",\"nodes\":[{\"mesh\":0},{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],\"children\":[0]}]," \
         "\"animations\":[{\"samplers\":[{" sampler "}],\"channels\":[{\"sampler\":0,\"target\":{" target "}}]}]"
#define MOVE "\"node\":0,\"path\":\"translation\""
    static const struct {
        const char *rest, *part;
    } wrong[] = {
        {CHANNEL("\"output\":2", MOVE), "needs \"input\""},
        {CHANNEL("\"input\":1", MOVE), "needs \"output\""},
        {CHANNEL("\"input\":2,\"output\":2", MOVE), "must be SCALAR floats"},
        {CHANNEL("\"input\":3,\"output\":2", MOVE), "do not increase at element 1"},
        {CHANNEL("\"input\":4,\"output\":2", MOVE), "not finite"},
        {CHANNEL("\"input\":1,\"output\":0", MOVE), "values of keys (accessor 0) are 3 of 3 numbers, but 2 of 3"},
        {CHANNEL("\"input\":1,\"output\":1", MOVE), "2 of 1 numbers"},
        {CHANNEL("\"input\":1,\"output\":5", MOVE), "not finite"},
        {CHANNEL("\"input\":1,\"output\":2,\"interpolation\":\"BOUNCE\"", MOVE), "BOUNCE"},
        {CHANNEL("\"input\":1,\"output\":2", "\"node\":1,\"path\":\"translation\""), "node 1 has a matrix"},
        {CHANNEL("\"input\":1,\"output\":2", "\"node\":5,\"path\":\"translation\""), "\"node\" is 5"},
        {MESH ",\"nodes\":[{\"mesh\":0}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{" MOVE "}}]}]",
         "one of the 0 of its animation"},
    };
    static const float times[2] = {0, 1}, keys[6] = {0, 0, 0, 1, 0, 0}, falling[2] = {1, 1};
    const float not_finite[6] = {0, NAN, 0, 0, 0, 0};
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC3", 2, keys);
    glb_floats(g, "SCALAR", 2, falling);
    glb_floats(g, "SCALAR", 2, not_finite);
    glb_floats(g, "VEC3", 2, not_finite);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(wrong[i].rest, RUGA_ERROR_INPUT, wrong[i].part);
    assert_refused(MESH ",\"nodes\":[{\"mesh\":0}]", RUGA_ERROR_UNSUPPORTED, "nothing in it moves");
    /* An animation without channels is a static motion. */
    open_ok(MESH ",\"nodes\":[{\"mesh\":0}],\"animations\":[{}]");
    assert_vec3_near(place(3, 1), vec3_make(1, 0, 0), 0);
    assert_equal(ruga_motion_get_info(motion).start, 0);
    assert_equal(ruga_motion_get_info(motion).end, 0);
}

static void a_mesh_of_another_file_is_refused(void **state) {
    (void)state;
    ruga_mesh *other = NULL;
    add_morph();
    glb_save(g, morph_rest("", "", ""), test_path("morph.glb"));
    assert_ok(context, ruga_model_make(context, "sheet", NULL, &other));
    assert_status(ruga_motion_read(context, test_path("morph.glb"), other, NULL, &motion), RUGA_ERROR_INPUT);
    assert_message_has(context, "has 3 vertices, but the mesh that it should move has");
    ruga_mesh_destroy(other);
}

static void bad_morph_targets_are_refused(void **state) {
    (void)state;
    float not_finite[9] = {0};
    not_finite[4] = INFINITY;
    glb_floats(g, "VEC3", 3, triangle);
    glb_floats(g, "VEC3", 3, not_finite);
    glb_floats(g, "VEC3", 3, right);
    glb_floats(g, "SCALAR", 3, triangle);
    glb_floats(g, "SCALAR", 6, triangle);
    assert_refused(morph_rest("", "", ""), RUGA_ERROR_INPUT, "morph target 0 moves vertex 1");
    glb_save(g, morph_rest(",\"weights\":[1]", "", ""), test_path("weights.glb"));
    ruga_mesh *bad = NULL;
    assert_status(ruga_mesh_read(context, test_path("weights.glb"), NULL, &bad), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"weights\" must be 2 numbers");
}

/* A motion without its mesh. */
static ruga_status open_alone(ruga_context *c, const char *path, ruga_motion **out) {
    ruga_mesh_file *from = NULL;
    TRY(ruga_mesh_file_open(c, path, NULL, &from));
    ruga_status status = ruga_mesh_file_motion(from, NULL, NULL, out);
    ruga_mesh_file_close(from);
    return status;
}

static ruga_status open_and_sample(ruga_context *c, void *user) {
    ruga_motion *opened = NULL;
    ruga_vec3 positions[8];
    TRY(open_alone(c, user, &opened));
    ruga_status status = ruga_motion_sample(opened, 0.5, positions);
    ruga_motion_destroy(opened);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("skin.glb"));
    add_skin(upper_weights);
    glb_save(g, SKIN_MESH SKIN_NODES SKIN_TURN, path);
    assert_less(20, assert_every_allocation_may_fail(open_and_sample, path));
    memset(g, 0, sizeof *g);
    snprintf(path, sizeof path, "%s", test_path("morph.glb"));
    add_morph();
    glb_save(g, morph_rest("", "", ""), path);
    assert_less(15, assert_every_allocation_may_fail(open_and_sample, path));
}

static void sampling_takes_no_memory_and_does_not_depend_on_threads(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *counting = context_counting(&counter), *threaded = context_plain(3);
    ruga_motion *one = NULL, *three = NULL;
    ruga_vec3 a[4], b[4];
    add_skin(upper_weights);
    glb_save(g, SKIN_MESH SKIN_NODES SKIN_TURN, test_path("skin.glb"));
    assert_ok(counting, open_alone(counting, test_path("skin.glb"), &one));
    assert_ok(threaded, open_alone(threaded, test_path("skin.glb"), &three));
    long before = counter.allocations;
    for (int i = 0; i < 10; i++) {
        assert_ok(counting, ruga_motion_sample(one, i * 0.1, a));
        assert_ok(threaded, ruga_motion_sample(three, i * 0.1, b));
        assert_memory_equal(a, b, sizeof a);
    }
    assert_int_equal(counter.allocations, before);
    ruga_motion_destroy(one);
    ruga_motion_destroy(three);
    ruga_context_destroy(counting);
    ruga_context_destroy(threaded);
}

#define MOTION_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        MOTION_TEST(sampling_at_keys_gives_the_keys_and_the_ends_hold),
        MOTION_TEST(rotations_turn_evenly_along_the_shorter_arc),
        MOTION_TEST(rotations_between_equal_keys_stay),
        MOTION_TEST(cubic_splines_pass_the_keys_with_their_tangents),
        MOTION_TEST(scales_and_parents_move_the_mesh),
        MOTION_TEST(units_and_axes_are_converted),
        MOTION_TEST(a_skin_in_its_bind_pose_gives_the_rest),
        MOTION_TEST(the_mesh_has_the_joints_of_its_skin),
        MOTION_TEST(a_skin_without_joints_costs_the_skin_alone),
        MOTION_TEST(an_animation_of_something_else_moves_nothing),
        MOTION_TEST(a_rigid_joint_moves_its_vertices_rigidly),
        MOTION_TEST(weights_that_do_not_sum_to_one_are_scaled),
        MOTION_TEST(several_sets_of_weights_add_up),
        MOTION_TEST(normals_turn_with_the_posed_skin),
        MOTION_TEST(bad_skins_are_refused),
        MOTION_TEST(a_welded_seam_never_opens),
        MOTION_TEST(morph_weights_add_differences),
        MOTION_TEST(the_rest_has_the_weights_of_the_node_else_of_the_mesh),
        MOTION_TEST(uneven_keys_have_no_rate),
        MOTION_TEST(keys_have_the_frame_rate_of_their_source),
        MOTION_TEST(an_animation_is_chosen_by_name_or_number),
        MOTION_TEST(bad_animations_are_refused),
        MOTION_TEST(a_mesh_of_another_file_is_refused),
        MOTION_TEST(bad_morph_targets_are_refused),
        MOTION_TEST(every_allocation_may_fail),
        MOTION_TEST(sampling_takes_no_memory_and_does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
