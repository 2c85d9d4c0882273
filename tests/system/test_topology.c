/* Objects become other meshes while they run; saved states contain the topology that they belong to. */
#include <math.h>

#include "body/cloth.h"
#include "body/own_surface_part.h"
#include "contact/solver.h"
#include "linalg/map.h"
#include "support/subdivided.h"
#include "system/fixture.h"
#include "system/mesh_state.h"
#include "wrinkle/displace_part.h"
#include "wrinkle/jiggle_part.h"
#include "wrinkle/subdivide_part.h"
#include "wrinkle/wrinkle_part.h"

#define FRAME (1.0 / 24)

static ruga_status sway(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *mesh = user;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        positions[i] = vec3_add(mesh->positions[i], (ruga_vec3){2 + 0.2 * sin(3 * time), 0, 0.1 * cos(7 * time)});
    return RUGA_OK;
}

/* A net that stirs itself, an animated banner, and cloth with a shell that collides: each with parts that follow. */
typedef struct stage {
    ruga_mesh *net, *banner, *sheet;
    fine finer_net, finest_net, finer_banner, finest_banner, finer_sheet; /* later meshes */
    world *w;
} stage;

static void add_cloth(ruga_context *context, stage *s) {
    const uint32_t corners[2] = {0, 4};
    const cloth_pin_def pins = {.count = 2, .vertices = corners};
    cloth_def cloth = cloth_def_default();
    cloth.pin_def_count = 1;
    cloth.pins = &pins;
    cloth.colliders_by_contact = 1;
    body *b;
    size_t object;
    part *p = NULL;
    assert_ok(context, cloth_create(s->sheet, &cloth, &b));
    for (size_t i = 0; i < b->point_count; i++) b->positions[i].y += 0.1;
    assert_ok(context, world_add_object(s->w, "sheet", b, &object));
    assert_ok(context, shell_create(b, s->sheet, &(shell_def){.n = 2, .stiffness = 0.1}, &p));
    assert_ok(context, world_add_part(s->w, object, p));
}

/* With painted pre-stretch: it wrinkles at rest. */
static void add_wrinkles(ruga_context *context, stage *s, size_t object) {
    static double painted[35];
    for (size_t v = 0; v < 35; v++) painted[v] = 1 + 0.01 * (double)(v % 7);
    ruga_wrinkle_def def;
    part *p = NULL;
    ruga_section_defaults(ruga_scene_section_find("objects.details.wrinkle"), &def);
    def.subdivide.n = 2;
    def.mesh.pre_stretch = ruga_param_array(painted, 35);
    assert_ok(context, wrinkle_part_create(s->banner, NULL, &def, &p));
    assert_int_equal(p->output->vertex_count, 35);
    assert_ok(context, world_add_part(s->w, object, p));
}

static stage stage_make(ruga_context *context) {
    static const collider ground = {
        .kind = COLLIDER_PLANE, .point = {0, -0.1, 0}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .friction = 0.3};
    stage s = {
        .net = shape_sheet(context, 3, 3), .banner = shape_sheet(context, 2, 3), .sheet = shape_sheet(context, 4, 4)};
    s.finer_net = subdivide(s.net, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    s.finest_net = subdivide(s.finer_net.mesh, RUGA_SUBDIVIDE_LONG_EDGES, 1, 0.2);
    s.finer_banner = subdivide(s.banner, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    s.finest_banner = subdivide(s.finer_banner.mesh, RUGA_SUBDIVIDE_LONG_EDGES, 1, 0.15);
    s.finer_sheet = subdivide(s.sheet, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    assert_ok(context, world_create(context, &s.w));
    *world_environment(s.w) = (environment){.gravity = {0, -9.81, 0}, .wind = {.velocity = {1, 0, 0}}};
    body *b;
    part *p = NULL;
    size_t object;
    ruga_motion *motion;
    add_test_body(context, s.w, s.net, &(test_body_def){.name = "net", .mass = 0.2, .stiffness = 30, .stir = 0.1});
    add_test_hook(context, s.w, 0, &(test_hook_def){.name = "h", .force = {0.1, 0, 0}, .slow = 0.01});
    const ruga_subdivide_def twice = subdivide_def(RUGA_SUBDIVIDE_REGULAR, 2, 0);
    assert_ok(context, subdivide_part_create(s.net, &twice, &p));
    assert_ok(context, world_add_part(s.w, 0, p));
    /* Painted on the first fine mesh. */
    static double painted[49];
    for (size_t v = 0; v < 49; v++) painted[v] = 0.001 * (double)(v * v % 17);
    const ruga_param amount = ruga_param_array(painted, 49);
    assert_ok(context, displace_part_create(p->output, &amount, &p));
    assert_ok(context, world_add_part(s.w, 0, p));
    add_test_detail(context, s.w, 0, &(test_detail_def){.name = "d", .delay = 0.1, .lift = 0.1});
    assert_ok(context, ruga_motion_from_function(context, s.banner->vertex_count, 0, 9, sway, s.banner, &motion));
    assert_ok(context,
              body_animated_create(s.banner, &(ruga_animated_def){.start = NAN, .speed = 1}, motion, 1, NULL, &b));
    assert_ok(context, world_add_object(s.w, "banner", b, &object));
    const ruga_jiggle_def loose = {.frequency = ruga_param_constant(2),
                                   .damping = ruga_param_constant(0.1),
                                   .weight = ruga_param_constant(1),
                                   .air = ruga_param_constant(0.5)};
    assert_ok(context, jiggle_part_create(s.banner, &loose, &p));
    assert_ok(context, world_add_part(s.w, object, p));
    add_wrinkles(context, &s, object);
    add_cloth(context, &s);
    contact_def touch = contact_def_default();
    touch.collider_count = 1;
    touch.colliders = &ground;
    contact *c;
    assert_ok(context, contact_create(context, &touch, &c));
    assert_ok(context, world_set_contact(s.w, c));
    world_body(s.w, 0)->touch.collides = 0;
    world_body(s.w, 1)->touch.thickness = 0.01;
    assert_ok(context, world_settle(s.w, 0, 1));
    return s;
}

static void stage_release(stage *s) {
    world_destroy(s->w);
    fine *finer[5] = {&s->finer_net, &s->finest_net, &s->finer_banner, &s->finest_banner, &s->finer_sheet};
    for (int i = 0; i < 5; i++) fine_release(*finer[i]);
    ruga_mesh_destroy(s->net);
    ruga_mesh_destroy(s->banner);
    ruga_mesh_destroy(s->sheet);
}

/* Frame f, with the changes that come after it. */
static void step(ruga_context *context, stage *s, int f) {
    assert_ok(context, world_step(s->w, f * FRAME, 3, 1, 1));
    if (f == 3) assert_ok(context, world_rebuild(s->w, 0, s->finer_net.mesh, s->finer_net.map));
    if (f == 5) assert_ok(context, world_rebuild(s->w, 1, s->finer_banner.mesh, s->finer_banner.map));
    if (f == 6) assert_ok(context, world_rebuild(s->w, 2, s->finer_sheet.mesh, s->finer_sheet.map));
    if (f == 9) assert_ok(context, world_rebuild(s->w, 1, s->finest_banner.mesh, s->finest_banner.map));
    if (f == 8) assert_ok(context, world_rebuild(s->w, 0, s->finest_net.mesh, s->finest_net.map));
}

enum { FRAMES = 14 };

static void a_changed_world_resumes_bit_identical(void **state) {
    ruga_context *context = *state;
    stage s = stage_make(context);
    uint64_t hashes[FRAMES + 1];
    void *saved[FRAMES + 1] = {0};
    size_t sizes[FRAMES + 1];
    for (int f = 1; f <= FRAMES; f++) {
        step(context, &s, f);
        hashes[f] = hash_of(context, s.w);
        saved[f] = state_of(context, s.w, &sizes[f]);
    }
    /* The description alone makes the world that loads: it has none of the later meshes, until it comes to them
     * itself. */
    for (int from = 1; from <= FRAMES; from += SANITIZED ? 3 : 1) {
        stage fresh = stage_make(context);
        assert_ok(context, load_state(context, fresh.w, saved[from], sizes[from]));
        assert_true(hash_of(context, fresh.w) == hashes[from]);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(world_frame(fresh.w, i)->topology_revision, world_body(fresh.w, i)->revision);
            assert_int_equal(world_mesh(fresh.w, i)->vertex_count, world_frame(fresh.w, i)->vertex_count);
        }
        for (int f = from + 1; f <= FRAMES; f++) {
            step(context, &fresh, f);
            fail_if(hash_of(context, fresh.w) != hashes[f], "saved after frame %d, frame %d differs", from, f);
        }
        /* And it goes back to any other state. */
        const int others[3] = {FRAMES, 1, 7};
        for (int k = 0; k < 3; k++) {
            assert_ok(context, load_state(context, fresh.w, saved[others[k]], sizes[others[k]]));
            assert_true(hash_of(context, fresh.w) == hashes[others[k]]);
        }
        step(context, &fresh, 8);
        assert_true(hash_of(context, fresh.w) == hashes[8]);
        stage_release(&fresh);
    }
    for (int f = 1; f <= FRAMES; f++) free(saved[f]);
    stage_release(&s);
}

/* A mask of the first mesh stays with its places, also in a world that is loaded and in one that returns. */
static void a_contact_mask_follows_its_mesh(void **state) {
    ruga_context *context = *state;
    static const unsigned char mask[12] = {1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1};
    stage s = stage_make(context), other = stage_make(context);
    assert_int_equal(s.banner->vertex_count, 12);
    body *b = world_body(s.w, 1), *loaded = world_body(other.w, 1);
    b->collides = loaded->collides = mask;
    size_t first_size, size;
    void *first = state_of(context, s.w, &first_size);
    for (int f = 1; f <= 5; f++) step(context, &s, f);
    const ruga_map *map = s.finer_banner.map;
    assert_true(b->point_count == map->rows && b->collides && b->collides != mask);
    size_t colliding = 0;
    for (size_t v = 0; v < map->rows; v++) {
        int all = 1;
        for (size_t k = map->offsets[v]; k < map->offsets[v + 1]; k++) all &= mask[map->indices[k]];
        assert_equal_case(b->collides[v], all, "vertex %zu", v);
        colliding += b->collides[v];
    }
    assert_less(12, colliding);
    assert_less(colliding, map->rows);

    void *saved = state_of(context, s.w, &size);
    assert_ok(context, load_state(context, other.w, saved, size));
    assert_memory_equal(loaded->collides, b->collides, b->point_count);
    assert_ok(context, load_state(context, other.w, first, first_size));
    assert_int_equal(loaded->point_count, 12);
    assert_memory_equal(loaded->collides, mask, 12);
    free(first);
    free(saved);
    stage_release(&s);
    stage_release(&other);
}

static void a_damaged_topology_does_no_harm(void **state) {
    ruga_context *context = *state;
    stage s = stage_make(context);
    for (int f = 1; f <= 6; f++) step(context, &s, f);
    uint64_t right = hash_of(context, s.w);
    size_t size;
    unsigned char *saved = state_of(context, s.w, &size);
    stage fresh = stage_make(context);
    for (size_t cut = 0; cut < size; cut += 1 + size / 150)
        assert_status(load_state(context, fresh.w, saved, cut), RUGA_ERROR_INPUT);
    test_random random = {8};
    int refused = 0;
    for (int i = 0; i < 1500; i++) {
        size_t place = random_bits(&random) % size;
        unsigned char flip = (unsigned char)(1 + random_bits(&random) % 255);
        saved[place] ^= flip;
        refused += RUGA_FAILED(load_state(context, i % 2 ? fresh.w : s.w, saved, size));
        saved[place] ^= flip;
    }
    assert_less(10, refused);
    assert_ok(context, load_state(context, fresh.w, saved, size));
    assert_true(hash_of(context, fresh.w) == right);
    free(saved);
    stage_release(&fresh);
    stage_release(&s);
}

/* ---- Cloth that is cut while it runs. */

enum { SIDE = 5, POINTS = SIDE * SIDE };

/* A flag on a pole that becomes finer. The flag is cut down its middle column: its simulated mesh has copies of all
 * triangles, of which each keeps a share, the copies of points beside the cut are bound to the originals, and the rest
 * of the copies never collides. The visible mesh stays. */
typedef struct cut_stage {
    ruga_mesh *pole, *flag, *copies;
    fine finer_pole;
    ruga_map *points_from_old, *bound, *visible;
    double shares[128];
    unsigned char mask[2 * POINTS];
    world *w;
} cut_stage;

static ruga_mesh *two_copies(const ruga_mesh *mesh) {
    size_t n = mesh->vertex_count, t = mesh->triangle_count;
    vec3 *x = malloc(2 * n * sizeof *x);
    uint32_t *triangles = malloc(6 * t * sizeof *triangles);
    for (size_t i = 0; i < 2 * n; i++) x[i] = mesh->positions[i % n];
    for (size_t k = 0; k < 6 * t; k++) triangles[k] = mesh->triangles[k % (3 * t)] + (k < 3 * t ? 0 : (uint32_t)n);
    ruga_mesh *copies = shape_make(mesh->context, 2 * n, x, 2 * t, NULL, triangles);
    free(x);
    free(triangles);
    return copies;
}

/* A map of the columns that `column` gives for each row. */
static ruga_map *select_columns(ruga_context *context, size_t rows, size_t columns, uint32_t (*column)(size_t row)) {
    map_builder builder;
    ruga_map *map;
    assert_ok(context, map_builder_make(context, rows, rows, &builder));
    for (size_t i = 0; i < rows; i++) {
        map_builder_put(&builder, column(i), 1);
        map_builder_end_row(&builder);
    }
    assert_ok(context, map_builder_finish(&builder, columns, &map));
    return map;
}

static uint32_t original_of(size_t row) { return (uint32_t)(row % POINTS); }
/* Points right of the middle column are seen as their copies. */
static uint32_t shown_point(size_t row) { return (uint32_t)(row % SIDE > SIDE / 2 ? row + POINTS : row); }
/* The copies of the outer columns are points of their own; all others are bound to their originals. */
static uint32_t unknown_of(size_t row) {
    size_t column = row % SIDE, own = column > SIDE / 2 ? column - SIDE / 2 - 1 : 0;
    if (row < POINTS || column <= SIDE / 2) return (uint32_t)(row % POINTS);
    return (uint32_t)(POINTS + (row - POINTS) / SIDE * (SIDE - SIDE / 2 - 1) + own);
}

static ruga_status wave(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *mesh = user;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        positions[i] = vec3_add(mesh->positions[i], (ruga_vec3){0.1 * sin(9 * time), 0.05 * cos(7 * time), 0});
    return RUGA_OK;
}

static cut_stage cut_stage_make(ruga_context *context) {
    cut_stage s = {.pole = shape_sheet(context, 2, 2), .flag = shape_sheet(context, SIDE - 1, SIDE - 1)};
    s.finer_pole = subdivide(s.pole, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    s.copies = two_copies(s.flag);
    s.points_from_old = select_columns(context, 2 * POINTS, POINTS, original_of);
    s.bound = select_columns(context, 2 * POINTS, POINTS + SIDE * (SIDE - SIDE / 2 - 1), unknown_of);
    s.visible = select_columns(context, POINTS, 2 * POINTS, shown_point);
    for (size_t t = 0; t < s.copies->triangle_count; t++) s.shares[t] = t < s.flag->triangle_count ? 0.6 : 0.4;
    for (size_t i = 0; i < 2 * POINTS; i++) s.mask[i] = i < POINTS || i % SIDE > SIDE / 2;
    assert_ok(context, world_create(context, &s.w));
    *world_environment(s.w) = (environment){.gravity = {0, -9.81, 0}, .wind = {.velocity = {1, 0, 2}}};

    body *pole, *flag;
    part *p = NULL;
    size_t object;
    ruga_motion *motion;
    assert_ok(context, ruga_motion_from_function(context, s.pole->vertex_count, 0, 9, wave, s.pole, &motion));
    assert_ok(context,
              body_animated_create(s.pole, &(ruga_animated_def){.start = NAN, .speed = 1}, motion, 1, NULL, &pole));
    assert_ok(context, world_add_object(s.w, "pole", pole, &object));
    world_body(s.w, 0)->touch.collides = 0;
    const uint32_t held[2] = {0, 2 * SIDE};
    const cloth_pin_def pins = {.count = 2, .vertices = held, .leader = pole};
    cloth_def def = cloth_def_default();
    def.values.integrator = INTEGRATOR_IMPLICIT;
    def.colliders_by_contact = 1;
    def.pin_def_count = 1;
    def.pins = &pins;
    assert_ok(context, cloth_create(s.flag, &def, &flag));
    assert_ok(context, world_add_object(s.w, "flag", flag, &object));
    const ruga_subdivide_def twice = subdivide_def(RUGA_SUBDIVIDE_REGULAR, 2, 0);
    assert_ok(context, subdivide_part_create(s.flag, &twice, &p));
    assert_ok(context, world_add_part(s.w, object, p));
    static const collider ground = {
        .kind = COLLIDER_PLANE, .point = {0, -0.3, 0}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .friction = 0.3};
    contact_def touch = contact_def_default();
    touch.collider_count = 1;
    touch.colliders = &ground;
    contact *c;
    assert_ok(context, contact_create(context, &touch, &c));
    assert_ok(context, world_set_contact(s.w, c));
    assert_ok(context, world_settle(s.w, 0, 1));
    return s;
}

static void cut_stage_release(cut_stage *s) {
    world_destroy(s->w);
    fine_release(s->finer_pole);
    ruga_mesh_destroy(s->pole);
    ruga_mesh_destroy(s->flag);
    ruga_mesh_destroy(s->copies);
    ruga_map_destroy(s->points_from_old);
    ruga_map_destroy(s->bound);
    ruga_map_destroy(s->visible);
}

static void cut_step(ruga_context *context, cut_stage *s, int f) {
    assert_ok(context, world_step(s->w, f * FRAME, 2, 1, 1));
    if (f == 2) assert_ok(context, world_rebuild(s->w, 0, s->finer_pole.mesh, s->finer_pole.map));
    if (f == 4) {
        const body *flag = world_body(s->w, 1);
        vec3 before[POINTS], after[POINTS];
        body_make_visible(flag, flag->positions, before);
        const body_change cut = {.mesh = flag->mesh, /* of a loaded state it is the world's */
                                 .simulated = {.mesh = s->copies,
                                               .visible = s->visible,
                                               .shares = s->shares,
                                               .bound = s->bound,
                                               .collides = s->mask},
                                 .points_from_old = s->points_from_old};
        assert_ok(context, world_change(s->w, 1, &cut));
        body_make_visible(flag, flag->positions, after);
        assert_memory_equal(before, after, sizeof before);
        assert_int_equal(flag->point_count, 2 * POINTS);
    }
}

enum { CUT_FRAMES = 9 };

/* A cut replaces the simulated mesh and keeps the visible one; the pins are on a leader whose mesh changes. Both are in
 * the state, and runs from any frame of it have the same bits. */
static void cut_cloth_resumes_bit_identical(void **state) {
    ruga_context *context = *state;
    cut_stage s = cut_stage_make(context);
    uint64_t hashes[CUT_FRAMES + 1];
    void *saved[CUT_FRAMES + 1] = {0};
    size_t sizes[CUT_FRAMES + 1];
    for (int f = 1; f <= CUT_FRAMES; f++) {
        cut_step(context, &s, f);
        hashes[f] = hash_of(context, s.w);
        saved[f] = state_of(context, s.w, &sizes[f]);
    }
    for (int from = 1; from <= CUT_FRAMES; from++) {
        cut_stage fresh = cut_stage_make(context);
        assert_ok(context, load_state(context, fresh.w, saved[from], sizes[from]));
        assert_true(hash_of(context, fresh.w) == hashes[from]);
        if (from >= 4) {
            const body_simulated *given = &world_body(fresh.w, 1)->given;
            assert_true(given->mesh && given->mesh != fresh.copies);
            assert_memory_equal(given->shares, s.shares, s.copies->triangle_count * sizeof(double));
            assert_memory_equal(given->collides, s.mask, sizeof s.mask);
        }
        for (int f = from + 1; f <= CUT_FRAMES; f++) {
            cut_step(context, &fresh, f);
            fail_if(hash_of(context, fresh.w) != hashes[f], "saved after frame %d, frame %d differs", from, f);
        }
        /* And to the uncut cloth and back. */
        const int others[3] = {1, CUT_FRAMES, 3};
        for (int k = 0; k < 3; k++) {
            assert_ok(context, load_state(context, fresh.w, saved[others[k]], sizes[others[k]]));
            assert_true(hash_of(context, fresh.w) == hashes[others[k]]);
        }
        cut_step(context, &fresh, 4);
        assert_true(hash_of(context, fresh.w) == hashes[4]);
        cut_stage_release(&fresh);
    }
    for (int f = 1; f <= CUT_FRAMES; f++) free(saved[f]);
    cut_stage_release(&s);
}

static void a_damaged_state_of_cut_cloth_does_no_harm(void **state) {
    ruga_context *context = *state;
    cut_stage s = cut_stage_make(context), fresh = cut_stage_make(context);
    for (int f = 1; f <= 5; f++) cut_step(context, &s, f);
    uint64_t right = hash_of(context, s.w);
    size_t size;
    unsigned char *saved = state_of(context, s.w, &size);
    test_random random = {9};
    int refused = 0;
    for (int i = 0; i < 1500; i++) {
        size_t place = random_bits(&random) % size;
        unsigned char flip = (unsigned char)(1 + random_bits(&random) % 255);
        saved[place] ^= flip;
        refused += RUGA_FAILED(load_state(context, i % 2 ? fresh.w : s.w, saved, size));
        saved[place] ^= flip;
    }
    assert_less(10, refused);
    assert_ok(context, load_state(context, fresh.w, saved, size));
    assert_true(hash_of(context, fresh.w) == right);
    free(saved);
    cut_stage_release(&fresh);
    cut_stage_release(&s);
}

/* A world knows when an object has more than its mesh, and bodies that can't have more say so. */
static void simulated_meshes_that_do_not_fit_are_refused(void **state) {
    ruga_context *context = *state;
    cut_stage s = cut_stage_make(context);
    body_change change = {
        .mesh = s.finer_pole.mesh, .simulated = {.shares = s.shares}, .points_from_old = s.finer_pole.map};
    assert_status(world_change(s.w, 0, &change), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "object \"pole\": a body of kind animated can't have a simulated mesh of its own");
    for (int f = 1; f <= 4; f++) cut_step(context, &s, f);
    assert_status(world_rebuild(s.w, 1, s.flag, s.points_from_old), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "world_change");
    change = (body_change){.mesh = s.flag,
                           .simulated = {.mesh = s.copies, .visible = s.visible},
                           .points_from_old = s.bound,
                           .vertices_from_old = s.bound};
    assert_status(world_change(s.w, 1, &change), RUGA_ERROR_ARGUMENT);
    assert_ok(context, world_step(s.w, 5 * FRAME, 1, 1, 1));
    cut_stage_release(&s);
}

/* Two faces of a sheet in groups; the meshes differ in the names of the groups alone. */
static ruga_mesh *grouped_sheet(ruga_context *context, const char *first_group) {
    static const ruga_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    static const uint32_t faces[6] = {0, 2, 1, 1, 2, 3};
    static const int32_t groups[2] = {0, 1};
    const char *const labels[2] = {first_group, "right"};
    const ruga_attribute attribute = {.name = "group",
                                      .domain = RUGA_DOMAIN_FACE,
                                      .type = RUGA_I32,
                                      .components = 1,
                                      .count = 2,
                                      .values = groups,
                                      .label_count = 2,
                                      .labels = labels};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)corners, 4, 0, RUGA_F64};
    def.face_count = 2;
    def.face_vertices = faces;
    def.attribute_count = 1;
    def.attributes = &attribute;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

static void names_of_groups_are_part_of_the_topology(void **state) {
    ruga_context *context = *state;
    ruga_mesh *first = grouped_sheet(context, "first"), *left = grouped_sheet(context, "left"),
              *other = grouped_sheet(context, "other");
    ruga_map *same;
    map_builder rows;
    assert_ok(context, map_builder_make(context, 4, 4, &rows));
    map_builder_copy_rows(&rows, 4);
    assert_ok(context, map_builder_finish_rising(&rows, 4, &same));
    world *w[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(context, world_create(context, &w[i]));
        add_test_body(context, w[i], first, &(test_body_def){.name = "a", .mass = 1});
        assert_ok(context, world_rebuild(w[i], 0, i ? other : left, same));
    }
    size_t size;
    void *saved = state_of(context, w[0], &size);
    assert_ok(context, load_state(context, w[1], saved, size));
    assert_string_equal(world_mesh(w[1], 0)->attributes[0].labels[0], "left");
    free(saved);
    for (int i = 0; i < 2; i++) world_destroy(w[i]);
    ruga_map_destroy(same);
    ruga_mesh_destroy(first);
    ruga_mesh_destroy(left);
    ruga_mesh_destroy(other);
}

/* ---- Meshes in a state. */

static void assert_same(const void *a, const void *b, size_t size) {
    assert_true((a == NULL) == (b == NULL));
    if (a && size > 0) assert_memory_equal(a, b, size);
}

static void assert_same_mesh(const ruga_mesh *a, const ruga_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_int_equal(a->line_count, b->line_count);
    assert_int_equal(a->tet_count, b->tet_count);
    assert_int_equal(a->split_count, b->split_count);
    assert_int_equal(a->attribute_count, b->attribute_count);
    assert_same(a->positions, b->positions, a->vertex_count * sizeof(ruga_vec3));
    assert_same(a->triangles, b->triangles, 12 * a->triangle_count);
    assert_same(a->triangle_corners, b->triangle_corners, 12 * a->triangle_count);
    assert_same(a->triangle_faces, b->triangle_faces, 4 * a->triangle_count);
    assert_same(a->face_offsets, b->face_offsets, 4 * (a->face_count + 1));
    assert_same(a->face_vertices, b->face_vertices, 4 * a->corner_count);
    if (a->edge_count > 0) assert_same(a->edges, b->edges, 8 * a->edge_count);
    if (a->line_count > 0) assert_same(a->line_vertices, b->line_vertices, 4 * a->line_offsets[a->line_count]);
    if (a->tet_count > 0) assert_same(a->tets, b->tets, 16 * a->tet_count);
    if (a->split_count > 0) assert_same(a->corner_split, b->corner_split, 4 * a->corner_count);
    for (size_t i = 0; i < a->attribute_count; i++) {
        const ruga_attribute *x = &a->attributes[i], *y = &b->attributes[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->domain == y->domain && x->type == y->type && x->normalised == y->normalised);
        assert_true(x->components == y->components && x->count == y->count && x->label_count == y->label_count);
        assert_same(x->values, y->values, x->count * x->components * ruga_scalar_size(x->type));
        assert_true((x->indices == NULL) == (y->indices == NULL));
        for (size_t k = 0; k < x->label_count; k++) assert_string_equal(x->labels[k], y->labels[k]);
    }
}

static void meshes_and_maps_are_saved_with_everything(void **state) {
    ruga_context *context = *state;
    ruga_mesh *meshes[3] = {shape_loaded_sheet(context), shape_tet(context), shape_torus(context, 5, 4)};
    for (int i = 0; i < 3; i++) {
        state_writer *writer;
        state_reader reader;
        const void *bytes;
        size_t size;
        fine finer = subdivide(meshes[2], RUGA_SUBDIVIDE_REGULAR, 2, 0);
        ruga_mesh *loaded = NULL;
        ruga_map *map = NULL;
        assert_ok(context, state_writer_create(context, &writer));
        mesh_save(meshes[i], writer);
        map_save(finer.map, writer);
        assert_ok(context, state_writer_finish(writer, &bytes, &size));
        assert_ok(context, state_reader_open(context, bytes, size, &reader));
        assert_ok(context, mesh_load(&reader, &loaded));
        assert_ok(context, map_load(&reader, &map));
        assert_same_mesh(meshes[i], loaded);
        assert_true(map->rows == finer.map->rows && map->columns == finer.map->columns);
        assert_same(map->offsets, finer.map->offsets, (map->rows + 1) * sizeof *map->offsets);
        assert_same(map->weights, finer.map->weights, map->offsets[map->rows] * sizeof *map->weights);
        assert_same(map->indices, finer.map->indices, map->offsets[map->rows] * sizeof *map->indices);
        ruga_mesh_destroy(loaded);
        ruga_map_destroy(map);
        state_writer_destroy(writer);
        fine_release(finer);
        ruga_mesh_destroy(meshes[i]);
    }
}

/* ---- Memory. */

static ruga_status change_save_load(ruga_context *context, void *user) {
    (void)user;
    const ruga_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    const uint32_t faces[6] = {0, 2, 1, 1, 2, 3};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)corners, 4, 0, RUGA_F64};
    def.face_count = 2;
    def.face_vertices = faces;
    const ruga_subdivide_def twice = ruga_subdivide_def_default();
    ruga_mesh *mesh = NULL, *finer = NULL;
    ruga_map *map = NULL;
    world *w[2] = {NULL, NULL};
    state_writer *writer = NULL;
    state_reader reader;
    const void *bytes = NULL;
    size_t size = 0, object;
    ruga_status status = ruga_mesh_create(context, &def, &mesh);
    if (!RUGA_FAILED(status)) status = ruga_mesh_subdivide(mesh, &twice, &finer, &map);
    for (int i = 0; i < 2; i++) {
        body *b = NULL;
        part *p = NULL;
        if (!RUGA_FAILED(status)) status = world_create(context, &w[i]);
        if (!RUGA_FAILED(status)) status = test_body_create(mesh, &(test_body_def){.name = "a", .mass = 1}, &b);
        if (!RUGA_FAILED(status)) status = world_add_object(w[i], "a", b, &object);
        if (!RUGA_FAILED(status)) status = shell_create(b, mesh, &(shell_def){.n = 2, .stiffness = 1}, &p);
        if (!RUGA_FAILED(status)) status = world_add_part(w[i], object, p);
        if (!RUGA_FAILED(status)) status = world_settle(w[i], 0, 1);
    }
    if (!RUGA_FAILED(status)) status = world_rebuild(w[0], 0, finer, map);
    if (!RUGA_FAILED(status)) status = world_step(w[0], FRAME, 1, 1, 1);
    if (!RUGA_FAILED(status)) status = state_writer_create(context, &writer);
    if (!RUGA_FAILED(status)) {
        world_save(w[0], writer);
        status = state_writer_finish(writer, &bytes, &size);
    }
    if (!RUGA_FAILED(status)) status = state_reader_open(context, bytes, size, &reader);
    if (!RUGA_FAILED(status)) status = world_load(w[1], &reader);
    state_writer_destroy(writer);
    world_destroy(w[0]);
    world_destroy(w[1]);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(finer);
    ruga_map_destroy(map);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(60, assert_every_allocation_may_fail(change_save_load, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_world_resumes_bit_identical),
        cmocka_unit_test(a_contact_mask_follows_its_mesh),
        cmocka_unit_test(a_damaged_topology_does_no_harm),
        cmocka_unit_test(cut_cloth_resumes_bit_identical),
        cmocka_unit_test(a_damaged_state_of_cut_cloth_does_no_harm),
        cmocka_unit_test(simulated_meshes_that_do_not_fit_are_refused),
        cmocka_unit_test(names_of_groups_are_part_of_the_topology),
        cmocka_unit_test(meshes_and_maps_are_saved_with_everything),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
