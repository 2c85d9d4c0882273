/* Lattice bodies: free fall, momentum, bars against theory, pins, muscles, superimposed parts, scenes. */
#include "body/lattice.h"

#include <stdio.h>

#include "geom/lattice_shapes.h"

static const environment heavy = {.gravity = {0, -9.81, 0}}, empty = {.gravity = {0, 0, 0}};

static body *make_body(const ruga_mesh *mesh, const lattice_def *def) {
    body *b = NULL;
    assert_ok(mesh->context, lattice_create(mesh, def, &b));
    return b;
}

static void step_body(body *b, const environment *e, int steps, double dt) {
    for (int k = 1; k <= steps; k++) {
        substep s = {.time = k * dt, .dt = dt, .blend = 1, .environment = e, .is_last = 1};
        assert_ok(b->context, b->interface->predict(b, &s));
        assert_ok(b->context, b->interface->accept(b, &s, b->interface->surface(b)));
    }
}

static vec3 *seen(const body *b) {
    vec3 *x = calloc(b->mesh->vertex_count, sizeof *x);
    assert_non_null(x);
    body_make_visible(b, b->positions, x);
    return x;
}

/* Vertices of a mesh whose coordinate along an axis is within 1e-9 m of a value; returns their number. */
static size_t vertices_at(const ruga_mesh *mesh, int axis, double value, uint32_t *out) {
    size_t count = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (fabs((&mesh->positions[v].x)[axis] - value) < 1e-9) out[count++] = (uint32_t)v;
    return count;
}

static void a_free_body_falls_as_the_integrator_says(void **state) {
    skip_when_sanitized();
    const char *const names[2] = {"sphere", "torus"};
    for (int round = 0; round < 4; round++) {
        ruga_mesh *mesh = NULL;
        assert_ok(*state, ruga_model_make(*state, names[round % 2], NULL, &mesh));
        lattice_def def = lattice_def_default();
        def.values.integrator = round / 2;
        def.values.young = 1000;
        def.values.spacing = 2 * lattice_spacing(mesh, NAN);
        const double dt = round / 2 ? 1e-3 : 0.01;
        const int steps = FEWER(30);
        body *b = make_body(mesh, &def);
        step_body(b, &heavy, steps, dt);
        vec3 *x = seen(b);
        double fallen = 9.81 * dt * dt * steps * (steps + 1) / 2;
        for (size_t v = 0; v < mesh->vertex_count; v++)
            assert_less_case(vec3_distance(x[v], vec3_sub(mesh->positions[v], (vec3){0, fallen, 0})), 1e-12,
                             "round %d, vertex %zu", round, v);
        free(x);
        b->interface->destroy(b);
        ruga_mesh_destroy(mesh);
    }
}

static void momentum_is_conserved(void **state) {
    for (int kind = 0; kind < 2; kind++) {
        ruga_mesh *mesh = NULL;
        assert_ok(*state, ruga_model_make(*state, "torus", NULL, &mesh));
        lattice_def def = lattice_def_default();
        test_random random = {6};
        def.values.integrator = kind;
        def.values.tolerance = 1e-12;
        body *b = make_body(mesh, &def);
        vec3 before = {0, 0, 0}, after = {0, 0, 0};
        double size = 0;
        for (size_t i = 0; i < b->point_count; i++) {
            b->velocities[i] = (vec3){random_unit(&random), random_unit(&random), random_unit(&random)};
            before = vec3_add_scaled(before, b->velocities[i], b->masses[i]);
            size += b->masses[i];
        }
        step_body(b, &empty, FEWER(10), kind ? 2e-4 : 0.01);
        for (size_t i = 0; i < b->point_count; i++) after = vec3_add_scaled(after, b->velocities[i], b->masses[i]);
        assert_less_case(vec3_distance(before, after), 1e-9 * size, "integrator %d", kind);
        b->interface->destroy(b);
        ruga_mesh_destroy(mesh);
    }
}

/* ---- Bars. */

typedef struct bar {
    ruga_mesh *mesh;
    body *b;
    uint32_t held[200];
    cloth_pin_def pins;
    lattice_def def;
} bar;

/* A box from the origin, held at one end, of a material so stiff that strains are small. */
static bar *make_bar(ruga_context *context, vec3 size, int along, int axis, int at_top, double spacing, int is_linear) {
    bar *r = calloc(1, sizeof *r);
    assert_non_null(r);
    int n[3] = {6, 6, 6};
    n[axis] = along;
    r->mesh = shape_box(context, n[0], n[1], n[2], size);
    r->pins.count = vertices_at(r->mesh, axis, at_top ? (&size.x)[axis] : 0, r->held);
    r->pins.vertices = r->held;
    r->def = lattice_def_default();
    r->def.values.spacing = spacing;
    r->def.values.elements = is_linear;
    r->def.values.young = 1e7;
    r->def.values.poisson = 0;
    r->def.values.density = 100;
    r->def.values.damping = 0;
    r->def.values.hold = 1000;
    r->def.values.tolerance = 1e-10;
    r->def.values.iterations = 20000;
    r->def.pins = &r->pins;
    r->def.pin_def_count = 1;
    r->b = make_body(r->mesh, &r->def);
    return r;
}

static void release_bar(bar *r) {
    r->b->interface->destroy(r->b);
    ruga_mesh_destroy(r->mesh);
    free(r);
}

/* Elongation of a bar that hangs by its top: ρ g L² / 2E. Steps of backward Euler this long are all damping. */
static void a_hanging_bar_is_stretched_by_its_weight(void **state) {
    skip_when_sanitized();
    const double expected = 100 * 9.81 * 4 / (2 * 1e7);
    bar *r = make_bar(*state, (vec3){0.5, 2, 0.5}, 4, 1, 1, 0.5, 0);
    step_body(r->b, &heavy, 30, 0.2);
    vec3 *x = seen(r->b);
    uint32_t low[60];
    size_t count = vertices_at(r->mesh, 1, 0, low);
    assert_equal(count, 49);
    for (size_t k = 0; k < count; k++) assert_near(-x[low[k]].y / expected, 1, 2e-3);
    free(x);
    release_bar(r);
}

static double tip_of_cantilever(ruga_context *context, int cells, int is_linear) {
    bar *r = make_bar(context, (vec3){2, 0.25, 0.25}, 8, 0, 0, 2.0 / cells, is_linear);
    step_body(r->b, &heavy, 15, 0.5);
    vec3 *x = seen(r->b);
    uint32_t tip[60];
    size_t count = vertices_at(r->mesh, 0, 2, tip);
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += r->mesh->positions[tip[k]].y - x[tip[k]].y;
    free(x);
    release_bar(r);
    return sum / (double)count;
}

/* ρ g A L⁴ / 8EI of bending, and ρ g L² / 2κG of shear with κ = 5/6. Quadratic elements converge to it; trilinear ones
 * lock: they need many more cells. */
static void a_cantilever_sags_as_beam_theory_says(void **state) {
    skip_when_sanitized();
    const double load = 100 * 9.81, inertia = 0.25 * 0.25 / 12;
    const double theory = load * 16 / (8 * 1e7 * inertia) + load * 4 / (2 * 5.0 / 6 * 5e6);
    double errors[3];
    for (int k = 0; k < 3; k++) errors[k] = fabs(tip_of_cantilever(*state, 2 << k, 0) / theory - 1);
    assert_less(errors[1], errors[0]);
    assert_less(errors[2], errors[1]);
    assert_less(errors[2], 0.01);
    assert_less(0.2, fabs(tip_of_cantilever(*state, 8, 1) / theory - 1));
}

/* ---- Pins, muscles, superimposed parts. */

static void pinned_vertices_follow_their_path(void **state) {
    ruga_mesh *mesh = shape_box(*state, 4, 4, 4, (vec3){1, 0.25, 0.25});
    uint32_t held[40];
    const ruga_pin_key keys[2] = {{0, {0, 0, 0}}, {0.5, {0, 0.1, 0}}};
    cloth_pin_def pins = {.count = vertices_at(mesh, 0, 0, held), .vertices = held, .key_count = 2, .keys = keys};
    lattice_def def = lattice_def_default();
    def.values.spacing = 0.25;
    def.values.damping = 0.4;
    def.values.tolerance = 1e-8;
    def.pins = &pins;
    def.pin_def_count = 1;
    body *b = make_body(mesh, &def);
    step_body(b, &empty, 200, 0.03);
    vec3 *x = seen(b);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        assert_less_case(vec3_distance(x[v], vec3_add(mesh->positions[v], (vec3){0, 0.1, 0})), 1e-3, "vertex %zu", v);
    free(x);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* A free bar whose whole material pulls along x with the stress T: E ε = -T for small ones. */
static void a_muscle_shortens_the_material_along_its_direction(void **state) {
    ruga_mesh *mesh = shape_box(*state, 4, 1, 1, (vec3){1, 0.25, 0.25});
    const ruga_muscle_key keys[2] = {{0, 0}, {1, 1}};
    muscle_def muscle = {.direction = {2, 0, 0},
                         .stress = 100,
                         .box_from = {-1, -1, -1},
                         .box_to = {2, 2, 2},
                         .key_count = 2,
                         .keys = keys};
    lattice_def def = lattice_def_default();
    def.values.spacing = 0.25;
    def.values.young = 1e4;
    def.values.poisson = 0;
    def.muscles = &muscle;
    def.muscle_count = 1;
    def.values.tolerance = 1e-10;
    body *b = make_body(mesh, &def);
    step_body(b, &empty, 20, 1);
    vec3 *x = seen(b), low, high;
    vec3_bounds(x, mesh->vertex_count, &low, &high);
    /* Tension T |F d| is constant: Ψ' = E (s - 1) + T = 0. */
    assert_near(high.x - low.x, 0.99, 1e-5);
    assert_near(high.y - low.y, 0.25, 1e-6);
    free(x);
    b->interface->destroy(b);
    /* Half of it alone. */
    muscle.box_to = (vec3){0.5, 2, 2};
    b = make_body(mesh, &def);
    step_body(b, &empty, 20, 1);
    x = seen(b);
    vec3_bounds(x, mesh->vertex_count, &low, &high);
    assert_near(high.x - low.x, 0.995, 1e-3);
    free(x);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* Both prongs of a fork are in one column of cells; one is pulled aside, and the other stays. */
static void prongs_that_share_cells_move_apart(void **state) {
    skip_when_sanitized();
    static const char fork[] =
        "#####"
        "#####"
        "##.##"
        "##.##"
        "##.##"
        "##.##"
        "##.##"
        "##.##"
        "##.##"
        "##.##"
        "##.##"
        "##.##";
    const int n[3] = {5, 12, 4};
    char layers[4 * sizeof fork];
    for (size_t k = 0; k < 4; k++) memcpy(layers + k * (sizeof fork - 1), fork, sizeof fork);
    ruga_mesh *mesh = shape_blocks(*state, n, (vec3){0.2, 1, 0.25}, layers);
    uint32_t held[2][60];
    size_t tip = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (mesh->positions[v].y > 11.9 && mesh->positions[v].x < 0.5) held[1][tip++] = v;
    const ruga_pin_key keys[2] = {{0, {0, 0, 0}}, {1, {-1, 0, 0}}};
    cloth_pin_def pins[2] = {{.count = vertices_at(mesh, 1, 0, held[0]), .vertices = held[0]},
                             {.count = tip, .vertices = held[1], .key_count = 2, .keys = keys}};
    lattice_def def = lattice_def_default();
    def.values.spacing = 0.95;
    def.pins = pins;
    def.pin_def_count = 2;
    body *b = make_body(mesh, &def);
    assert_less(2, lattice_cells_of(b)->report.shared_cells);
    step_body(b, &empty, 30, 0.2);
    vec3 *x = seen(b);
    size_t others = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double moved = x[v].x - mesh->positions[v].x;
        if (mesh->positions[v].y < 11.9) continue;
        if (mesh->positions[v].x < 0.5)
            assert_near(moved, -1, 0.01);
        else
            assert_less(fabs(moved), 0.1);
        others += mesh->positions[v].x > 0.5;
    }
    assert_ran(others, 4);
    free(x);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* ---- Parts. */

/* A skin: forces on vertices, which reach the nodes by the transpose of the embedding: a pull, and springs to rest. */
typedef struct skin_part {
    part base;
    vec3 pull;        /* N, on each vertex */
    double stiffness; /* N/m */
    vec3 *scratch;    /* (vertices) */
} skin_part;

static ruga_status skin_force(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *velocities,
                              vec3 *forces) {
    const skin_part *skin = (const skin_part *)p;
    (void)s;
    (void)velocities;
    ruga_map_apply(lattice_embedding(b), positions, skin->scratch);
    for (size_t v = 0; v < b->mesh->vertex_count; v++)
        skin->scratch[v] =
            vec3_add_scaled(skin->pull, vec3_sub(b->mesh->positions[v], skin->scratch[v]), skin->stiffness);
    ruga_map_apply_transpose_add(lattice_embedding(b), skin->scratch, forces);
    return RUGA_OK;
}

static ruga_status skin_product(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *direction,
                                vec3 *product) {
    const skin_part *skin = (const skin_part *)p;
    (void)s;
    (void)positions;
    ruga_map_apply(lattice_embedding(b), direction, skin->scratch);
    for (size_t v = 0; v < b->mesh->vertex_count; v++)
        skin->scratch[v] = vec3_scale(skin->scratch[v], -skin->stiffness);
    ruga_map_apply_transpose_add(lattice_embedding(b), skin->scratch, product);
    return RUGA_OK;
}

/* Without springs the momentum grows by h Σ f; with stiff ones, which are implicit, the body settles at f / k. */
static void forces_of_parts_on_vertices_reach_the_nodes(void **state) {
    skip_when_sanitized();
    ruga_mesh *mesh = shape_box(*state, 4, 4, 4, (vec3){0.3, 0.3, 0.3});
    lattice_def def = lattice_def_default();
    def.values.spacing = 0.11;
    def.values.tolerance = 1e-10;
    body *b = make_body(mesh, &def);
    vec3 *scratch = calloc(mesh->vertex_count, sizeof *scratch), sum = {0, 0, 0};
    static const part_interface soft = {.force = skin_force};
    static const part_interface stiff = {.force = skin_force, .force_product = skin_product};
    skin_part skin = {.base = {.interface = &soft, .kind = "skin"}, .pull = {1e-3, 2e-3, -1e-3}, .scratch = scratch};
    part *parts[1] = {&skin.base};
    assert_non_null(scratch);
    b->parts = parts;
    b->part_count = 1;
    step_body(b, &empty, 5, 0.01);
    for (size_t i = 0; i < b->point_count; i++) sum = vec3_add_scaled(sum, b->velocities[i], b->masses[i]);
    vec3 expected = vec3_scale(skin.pull, 0.05 * (double)mesh->vertex_count);
    assert_less(vec3_distance(sum, expected), 1e-7 * vec3_length(expected));
    skin.base.interface = &stiff;
    skin.stiffness = 1000;
    step_body(b, &empty, 100, 0.05);
    vec3 *x = seen(b);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        assert_less(vec3_distance(vec3_sub(x[v], mesh->positions[v]), vec3_scale(skin.pull, 1e-3)), 1e-8);
    free(x);
    free(scratch);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* ---- Scenes. */

#define SOFT(body)                                                                                                 \
    "{\"contact\": true, \"time\": {\"substeps\": 2}, \"colliders\": [{\"kind\": \"plane\", \"friction\": 0.5}], " \
    "\"objects\": [{\"name\": \"ball\", \"mesh\": {\"kind\": \"sphere\", \"radius\": 0.1, \"frequency\": 4}, "     \
    "\"move\": [0, 0.13, 0], \"body\": {\"kind\": \"lattice\", \"spacing\": 0.1" body "}}]}"

static ruga_status make_scene(ruga_context *context, const char *text, ruga_scene **out) {
    ruga_description *d = NULL;
    TRY(ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    ruga_status status = ruga_description_check(d);
    if (!RUGA_FAILED(status)) status = ruga_scene_create(context, ruga_description_get(d), out);
    ruga_description_destroy(d);
    return status;
}

static ruga_status step_scene(ruga_scene *scene, int frames) {
    for (int f = 0; f < frames; f++) TRY(ruga_scene_step(scene));
    return RUGA_OK;
}

static void a_ball_lands_and_stays_above_the_floor_for_any_number_of_threads(void **state) {
    (void)state;
    skip_when_sanitized();
    uint64_t hashes[3];
    for (int threads = 1; threads <= 3; threads++) {
        ruga_context *context = context_plain(threads);
        ruga_scene *scene = NULL;
        assert_ok(context, make_scene(context, SOFT(""), &scene));
        double lowest = 1;
        for (int f = 0; f < 16; f++) {
            assert_ok(context, ruga_scene_step(scene));
            const ruga_frame *frame = ruga_scene_frame(scene, 0);
            for (size_t v = 0; v < frame->vertex_count; v++) lowest = fmin(lowest, frame->positions[v].y);
        }
        assert_less(0, lowest);
        assert_less(lowest, 0.01);
        assert_ok(context, ruga_scene_state_hash(scene, &hashes[threads - 1]));
        assert_true(hashes[threads - 1] == hashes[0]);
        ruga_scene_destroy(scene);
        ruga_context_destroy(context);
    }
}

static void a_restored_scene_continues_to_the_same_bits(void **state) {
    ruga_scene *scene = NULL, *other = NULL;
    void *bytes = NULL;
    size_t size;
    uint64_t a, b;
    assert_ok(*state, make_scene(*state, SOFT(""), &scene));
    assert_ok(*state, make_scene(*state, SOFT(""), &other));
    assert_ok(*state, step_scene(scene, 8));
    assert_ok(*state, ruga_scene_save(scene, &bytes, &size));
    assert_ok(*state, ruga_scene_restore(other, bytes, size));
    assert_ok(*state, step_scene(scene, 4));
    assert_ok(*state, step_scene(other, 4));
    assert_ok(*state, ruga_scene_state_hash(scene, &a));
    assert_ok(*state, ruga_scene_state_hash(other, &b));
    assert_true(a == b);
    ruga_free(*state, bytes);
    ruga_scene_destroy(scene);
    ruga_scene_destroy(other);
}

/* The template, coarser: the ball dents the pillow, nothing intersects, and the pillow recovers. */
static void the_pillow_is_dented_and_recovers(void **state) {
    skip_when_sanitized();
    const ruga_scene_template *found = NULL;
    for (size_t i = 0; i < ruga_scene_template_count(); i++)
        if (strcmp(ruga_scene_template_get(i)->name, "pillow") == 0) found = ruga_scene_template_get(i);
    assert_non_null(found);
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    double lowest = INFINITY, top = 0;
    assert_ok(*state, ruga_description_read_memory(*state, "pillow", found->text, strlen(found->text), &d));
    static const char *const changes[][2] = {{"objects[0].mesh.frequency", "4"},
                                             {"objects[1].mesh.columns", "8"},
                                             {"objects[1].mesh.rows", "8"},
                                             {"objects[1].body.spacing", "0.17"},
                                             {"time.substeps", "2"}};
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++)
        assert_ok(*state, ruga_description_set(d, changes[k][0], changes[k][1]));
    assert_ok(*state, ruga_scene_create(*state, ruga_description_get(d), &scene));
    for (int f = 0; f < 72; f++) {
        const ruga_scene_intersection *pairs;
        size_t count;
        assert_ok(*state, ruga_scene_step(scene));
        assert_ok(*state, ruga_scene_intersections(scene, &pairs, &count));
        assert_equal_case(count, 0, "frame %d", f);
        const ruga_frame *frame = ruga_scene_frame(scene, 1);
        top = 0;
        for (size_t v = 0; v < frame->vertex_count; v++) {
            vec3 p = frame->positions[v];
            assert_less(0, p.y);
            if (hypot(p.x - 0.04, p.z - 0.02) < 0.06) top = fmax(top, p.y);
        }
        if (f == 44) lowest = top;
    }
    /* The ball's lowest point is at 0.09 m then; the pillow is 0.16 m thick. */
    assert_less(lowest, 0.11);
    assert_less(0.13, top);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

static void steps_allocate_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    static const char text[] = SOFT(
        ", \"pins\": [{\"kind\": \"fixed\", \"box_from\": [-1, 0.2, -1]}], \"muscles\": [{\"direction\": [1, 0, "
        "0], \"where\": 1, \"keys\": [{\"time\": 0, \"activation\": 1}]}]");
    assert_ok(context, ruga_description_read_memory(context, "scene", text, sizeof text - 1, &d));
    assert_ok(context, ruga_description_set(d, "contact.on", "false"));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    assert_ok(context, step_scene(scene, 2));
    long before = counter.allocations;
    assert_ok(context, step_scene(scene, 4));
    assert_equal(counter.allocations, before);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
    assert_equal(counter.live, 0);
}

static void wrong(ruga_context *context, const char *text, const char *message) {
    ruga_scene *scene = NULL;
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    ruga_status status = ruga_scene_create(context, ruga_description_get(d), &scene);
    assert_true(RUGA_FAILED(status));
    assert_null(scene);
    assert_message_has(context, message);
    ruga_description_destroy(d);
}

static void bad_scenes_are_named(void **state) {
    static const char sheet[] =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"body\": {\"kind\": \"lattice\"}}]}";
    static const char hooked[] =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sphere\", \"body\": \"lattice\", \"hooks\": [\"collide\"]}]}";
    static const char flesh[] =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sphere\", \"body\": {\"kind\": \"flesh\", \"spacing\": 0.2}, "
        "\"hooks\": [\"collide\"]}]}";
    wrong(*state, flesh, "use contact to keep it outside of colliders: set \"contact\": true");
    wrong(*state,
          SOFT(", \"muscles\": [{\"direction\": [1, 0, 0], \"box_from\": [5, 5, 5], \"keys\": [{\"time\": 0, "
               "\"activation\": 1}]}]"),
          "muscle 0 has no material");
    wrong(*state,
          SOFT(", \"muscles\": [{\"direction\": [0, 0, 0], \"where\": 1, \"keys\": [{\"time\": 0, "
               "\"activation\": 1}]}]"),
          "no direction");
    wrong(*state, SOFT(", \"pins\": [{\"kind\": \"fixed\", \"box_from\": [5, 5, 5]}]"), "chooses no vertex");
    wrong(*state, sheet, "volume");
    wrong(*state, hooked, "control nodes");
}

static ruga_status make_and_step(ruga_context *context, void *user) {
    (void)user;
    ruga_scene *scene = NULL;
    ruga_status status = make_scene(
        context,
        SOFT(", \"pins\": [{\"kind\": \"fixed\", \"box_from\": [-1, 0.2, -1]}], \"muscles\": [{\"direction\": [1, 0, "
             "0], \"where\": 1, \"keys\": [{\"time\": 0, \"activation\": 1}]}]"),
        &scene);
    if (!RUGA_FAILED(status)) status = step_scene(scene, 1);
    ruga_scene_destroy(scene);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(100, assert_every_allocation_may_fail(make_and_step, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_falls_as_the_integrator_says),
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(a_hanging_bar_is_stretched_by_its_weight),
        cmocka_unit_test(a_cantilever_sags_as_beam_theory_says),
        cmocka_unit_test(pinned_vertices_follow_their_path),
        cmocka_unit_test(a_muscle_shortens_the_material_along_its_direction),
        cmocka_unit_test(prongs_that_share_cells_move_apart),
        cmocka_unit_test(forces_of_parts_on_vertices_reach_the_nodes),
        cmocka_unit_test(a_ball_lands_and_stays_above_the_floor_for_any_number_of_threads),
        cmocka_unit_test(a_restored_scene_continues_to_the_same_bits),
        cmocka_unit_test(the_pillow_is_dented_and_recovers),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(bad_scenes_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
