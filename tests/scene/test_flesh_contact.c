/* Contact of flesh that moves: with itself and with other objects, of meshes that ride on tets, and of creased flesh on
 * a plane and under a plate. Nothing intersects in any frame, and bodies come as near as their thickness lets them. */
#include <math.h>
#include <stdio.h>

#include "geom/bvh_tree.h"
#include "math/vec3.h"
#include "support/support.h"

#define THICKNESS 0.002
#define LEAST_GAP 0.9 /* of it */
#define MOST_RESIDUAL 1e-5

/* A ring that rides on tets: both sides are pressed together until its hole is shut. */
#define RING(contact)                                                                                             \
    "{\"time\": {\"fps\": 20, \"substeps\": 4}, \"gravity\": [0, 0, 0], \"contact\": " contact                    \
    ", \"objects\": [{\"name\": \"ring\", \"mesh\": {\"kind\": \"torus\", \"radius\": 0.05, \"tube\": 0.025, "    \
    "\"sectors\": 24, \"sides\": 10}, \"body\": {\"kind\": \"flesh\", \"integrator\": \"implicit\", \"poisson\":" \
    " 0.4, \"damping\": 0.02, \"spacing\": 0.02, \"thickness\": 0.002, \"pins\": [{\"kind\": \"path\", "          \
    "\"box_from\": [0.06, -1, -1], \"keys\": [{\"time\": 0}, {\"time\": 0.5, \"move\": [-0.035, 0, 0]}]}, "       \
    "{\"kind\": \"path\", \"box_to\": [-0.06, 1, 1], \"keys\": [{\"time\": 0}, {\"time\": 0.5, \"move\": "        \
    "[0.035, 0, 0]}]}]}}]}"

/* A ball that rides on tets falls onto a block, which falls onto a plane. */
#define FALLING(contact)                                                                                           \
    "{\"time\": {\"fps\": 20, \"substeps\": 8}, \"contact\": " contact                                             \
    ", \"colliders\": [{\"kind\": \"plane\"}], \"objects\": [{\"name\": \"block\", \"mesh\": {\"kind\": \"bar\", " \
    "\"solid\": 1, \"length\": 0.1, \"height\": 0.05, \"depth\": 0.1, \"cells\": 4, \"cells_across\": 3}, "        \
    "\"move\": [0, 0.03, 0], \"body\": {\"kind\": \"flesh\", \"damping\": 0.02}}, {\"name\": \"ball\", \"mesh\": " \
    "{\"kind\": \"sphere\", \"radius\": 0.04, \"frequency\": 4}, \"move\": [0.01, 0.13, 0.01], \"body\": "         \
    "{\"kind\": \"flesh\", \"damping\": 0.02, \"spacing\": 0.02}}]}"

/* A block with a crease over its top and sides, 6 cm high. */
#define CREASED(move, y0, y1, body)                                                                                   \
    "{\"name\": \"block\", \"mesh\": {\"kind\": \"bar\", \"length\": 0.1, \"height\": 0.06, \"depth\": 0.06,"         \
    " \"cells\": 10, \"cells_across\": 6, \"solid\": 1}, \"move\": [0, " move                                         \
    ", 0], \"body\": {\"kind\": \"flesh\", \"poisson\": 0.3, " body                                                   \
    "}, \"hooks\": [{\"kind\": \"crease\", \"push\": 2, \"lines\": [{\"points\": [[0.002, " y0 ", 0.03], [0.002, " y1 \
    ", 0.02], [0.003, " y1 ", -0.02], [0.003, " y0 ", -0.03]]}]}]}"
#define ON_PLANE(contact)                                                                                        \
    "{\"time\": {\"fps\": 20, \"substeps\": 8}, \"contact\": " contact                                           \
    ", \"colliders\": [{\"kind\": \"plane\"}], \"objects\": [" CREASED("0.045", "0.047", "0.075",                \
                                                                       "\"integrator\": \"implicit\", \"damping" \
                                                                       "\": 0.02") "]}"
#define UNDER_PLATE(contact) \
    "{\"time\": {\"fps\": 4}, \"gravity\": [0, 0, 0], \"contact\": " contact ", \"objects\": [" CREASED(             \
        "0", "0.002", "0.03",                                                                                        \
        "\"integrator\": \"quasistatic\", \"pins\": [{\"kind\": \"fixed\", \"box_to\": [1, -0.0299, 1]}]") ", {"     \
    "\"name\": \"plate\", \"mesh\": {\"kind\": \"bar\", \"length\": 0.2, \"height\": 0.02, \"depth\": 0.2, "         \
    "\"cells\": 5, \"cells_across\": 1}, \"move\": [0, 0.045, 0], \"turn\": [0, 20, 0], \"body\": {\"kind\": "       \
    "\"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [0, -0.01, 0]}]}}]}"

typedef struct contact_case {
    const char *name, *text, *without;
    int frames, has_floor, is_quasistatic;
    const char *energies[2]; /* measures that stay finite */
} contact_case;

static const contact_case cases[] = {
    {"ring", RING("true"), RING("false"), 14, 0, 0, {"ring.elastic_energy", "ring.kinetic_energy"}},
    {"falling", FALLING("true"), FALLING("false"), 16, 1, 0, {"ball.elastic_energy", "block.kinetic_energy"}},
    {"on a plane", ON_PLANE("true"), ON_PLANE("false"), 10, 1, 0, {"block.elastic_energy", "block.kinetic_energy"}},
    {"under a plate", UNDER_PLATE("true"), UNDER_PLATE("false"), 5, 0, 1, {"block.elastic_energy", "block.residual"}},
};

static ruga_scene *make_scene(ruga_context *context, const char *text) {
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "contact", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

static size_t intersections_of(ruga_context *context, ruga_scene *scene) {
    size_t count = 0;
    assert_ok(context, ruga_scene_intersections(scene, NULL, &count));
    return count;
}

static double lowest_of(const ruga_scene *scene) {
    double low = INFINITY;
    for (size_t o = 0; o < ruga_scene_object_count(scene); o++) {
        const ruga_frame *frame = ruga_scene_frame(scene, o);
        for (size_t v = 0; v < frame->vertex_count; v++) low = fmin(low, frame->positions[v].y);
    }
    return low;
}

/* The least distance of a vertex of one object from the surface of another, m. */
static double gap_of(ruga_context *context, const ruga_scene *scene, size_t object, size_t other) {
    const ruga_frame *frame = ruga_scene_frame(scene, object), *surface = ruga_scene_frame(scene, other);
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, other);
    bvh *tree = NULL;
    double least = INFINITY;
    assert_ok(context, bvh_build(context, mesh->vertex_count, surface->positions, mesh->triangle_count, 3,
                                 mesh->triangles, &tree));
    for (size_t v = 0; v < frame->vertex_count; v++) {
        const bvh_hit hit = bvh_closest_point(tree, frame->positions[v], INFINITY);
        least = fmin(least, vec3_distance(hit.point, frame->positions[v]));
    }
    bvh_destroy(tree);
    return least;
}

static void flesh_in_contact_never_intersects(void **state) {
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const contact_case *c = &cases[k];
        ruga_scene *scene = make_scene(*state, c->text);
        const int is_pair = ruga_scene_object_count(scene) == 2;
        double most = 0, low = INFINITY, gap = INFINITY;
        for (int f = 0; f < c->frames; f++) {
            assert_ok(*state, ruga_scene_step(scene));
            assert_equal_case(intersections_of(*state, scene), 0, "%s, frame %d", c->name, f);
            for (int e = 0; e < 2; e++) {
                const double energy = scene_measure(scene, c->energies[e]);
                assert_true(isfinite(energy));
                most = fmax(most, energy);
            }
            if (c->is_quasistatic)
                assert_at_most_case(scene_measure(scene, "block.residual"), MOST_RESIDUAL, "%s, frame %d", c->name, f);
            low = fmin(low, lowest_of(scene));
            if (is_pair) gap = fmin(gap, fmin(gap_of(*state, scene, 0, 1), gap_of(*state, scene, 1, 0)));
        }
        print_message("%s: lowest %g m, gap %g m, energy %g\n", c->name, low, gap, most);
        if (is_pair) assert_less_case(gap, 2 * THICKNESS, "%s", c->name); /* they did touch */
        if (is_pair) assert_less_case(LEAST_GAP * THICKNESS, gap, "%s", c->name);
        if (c->has_floor) assert_less_case(0, low, "%s", c->name);
        if (c->has_floor) assert_less_case(lowest_of(scene), 2 * THICKNESS, "%s", c->name);
        assert_less_case(1e-6, most, "%s", c->name);
        assert_less_case(most, 10, "%s", c->name);
        ruga_scene_destroy(scene);
    }
}

/* Without contact they do intersect, or sink below the floor: the test above can fail. */
static void without_contact_they_intersect(void **state) {
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const contact_case *c = &cases[k];
        ruga_scene *scene = make_scene(*state, c->without);
        for (int f = 0; f < c->frames; f++) assert_ok(*state, ruga_scene_step(scene));
        if (c->has_floor)
            assert_less_case(lowest_of(scene), 0, "%s", c->name);
        else
            assert_less_case(0, intersections_of(*state, scene), "%s", c->name);
        ruga_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flesh_in_contact_never_intersects),
        cmocka_unit_test(without_contact_they_intersect),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
