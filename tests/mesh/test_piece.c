/* Pieces of meshes: they equal that part of the mesh, and a cut of a piece becomes the same cut of the mesh. */
#include "math/vec3.h"
#include "mesh/piece.h"
#include "support/shapes.h"

/* A mesh and a piece of it: every triangle that has a vertex with x below a bound. */
typedef struct setting {
    ruga_context *context;
    ruga_mesh *mesh;
    topology *topo, *piece_topo;
    mesh_piece piece;
    uint32_t *places;
} setting;

static ruga_status build(const ruga_mesh *mesh, topology **out) {
    return topology_build(mesh->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, out);
}

static void open_setting(setting *s, ruga_context *context, ruga_mesh *mesh, double bound) {
    *s = (setting){.context = context, .mesh = mesh, .places = malloc(mesh->vertex_count * sizeof(uint32_t))};
    uint32_t *triangles = malloc(mesh->triangle_count * sizeof *triangles);
    size_t count = 0;
    memset(s->places, 0xff, mesh->vertex_count * sizeof *s->places);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        int inside = 0;
        for (size_t k = 0; k < 3; k++) inside |= mesh->positions[mesh->triangles[3 * (size_t)t + k]].x < bound;
        if (inside) triangles[count++] = t;
    }
    assert_ok(context, build(mesh, &s->topo));
    assert_ok(context, mesh_piece_make(mesh, triangles, count, s->places, &s->piece));
    assert_ok(context, build(s->piece.mesh, &s->piece_topo));
    free(triangles);
}

static void close_setting(setting *s) {
    mesh_piece_release(&s->piece);
    topology_destroy(s->topo);
    topology_destroy(s->piece_topo);
    ruga_mesh_destroy(s->mesh);
    free(s->places);
}

static void a_piece_has_the_positions_and_triangles_of_the_mesh(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    setting s;
    open_setting(&s, context, shape_torus(context, 20, 12), 0.3);
    const ruga_mesh *piece = s.piece.mesh;
    assert_less(50, piece->triangle_count);
    assert_less(piece->triangle_count, s.mesh->triangle_count - 50);
    for (size_t v = 0; v < piece->vertex_count; v++) {
        assert_memory_equal(&piece->positions[v], &s.mesh->positions[s.piece.vertices[v]], sizeof(ruga_vec3));
        if (v > 0) assert_less_case(s.piece.vertices[v - 1], s.piece.vertices[v], "v %zu", v);
    }
    size_t found = 0;
    for (uint32_t t = 0; t < s.mesh->triangle_count; t++) {
        uint32_t own = mesh_piece_triangle(&s.piece, t);
        if (own == NO_INDEX) continue;
        assert_int_equal(own, found++);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(s.piece.vertices[piece->triangles[3 * own + k]], s.mesh->triangles[3 * (size_t)t + k]);
    }
    assert_int_equal(found, piece->triangle_count);
    for (size_t v = 0; v < s.mesh->vertex_count; v++) assert_int_equal(s.places[v], NO_INDEX);
    close_setting(&s);
    ruga_context_destroy(context);
}

/* A third triangle at an edge, and one that names a vertex twice. */
static void the_edges_of_a_piece_are_those_of_its_triangles(void **state) {
    (void)state;
    static const ruga_vec3 corners[] = {{0, 0, 0},     {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                        {0.5, 0.5, 1}, {3, 0, 0}, {3, 1, 0}};
    static const uint32_t triangles[] = {3, 5, 6, 0, 1, 2, 2, 1, 3, 1, 2, 4, 4, 4, 0, 1, 5, 3};
    ruga_context *context = context_plain(1);
    ruga_mesh *meshes[] = {shape_torus(context, 20, 12), shape_make(context, 7, corners, 6, NULL, triangles)};
    for (size_t i = 0; i < 2; i++) {
        setting s;
        topology *edges;
        open_setting(&s, context, meshes[i], i == 0 ? 0.3 : 0.9);
        const topology *wanted = s.piece_topo;
        assert_ok(context, mesh_piece_edges(&s.piece, s.topo, &edges));
        assert_less(edges->triangle_count, s.topo->triangle_count);
        assert_int_equal(edges->vertex_count, wanted->vertex_count);
        assert_int_equal(edges->triangle_count, wanted->triangle_count);
        assert_int_equal(edges->edge_count, wanted->edge_count);
        size_t sides = 3 * wanted->triangle_count, count = wanted->edge_count;
        assert_memory_equal(edges->edge_vertices, wanted->edge_vertices, 2 * count * sizeof(uint32_t));
        assert_memory_equal(edges->edge_offsets, wanted->edge_offsets, (count + 1) * sizeof(uint32_t));
        assert_memory_equal(edges->edge_triangles, wanted->edge_triangles, sides * sizeof(uint32_t));
        assert_memory_equal(edges->triangle_edges, wanted->triangle_edges, sides * sizeof(uint32_t));
        topology_destroy(edges);
        close_setting(&s);
    }
    ruga_context_destroy(context);
}

/* Cuts the `chosen` triangles of a mesh: each has two points on an edge and one in its middle, joined by a fan. */
static void fan_cut(const ruga_mesh *mesh, const topology *topo, const uint8_t *chosen, free_cut *cut) {
    size_t triangles = mesh->triangle_count;
    ruga_context *context = mesh->context;
    *cut = (free_cut){.topo = topo};
    assert_ok(context, NEW_ZEROED(context, &cut->edge_offsets, topo->edge_count + 1));
    assert_ok(context, NEW(context, &cut->edge_places, 2 * topo->edge_count));
    assert_ok(context, NEW_ZEROED(context, &cut->inner_offsets, triangles + 1));
    assert_ok(context, NEW(context, &cut->inner_points, triangles));
    assert_ok(context, NEW_ZEROED(context, &cut->child_offsets, triangles + 1));
    assert_ok(context, NEW(context, &cut->children, 27 * triangles));
    uint32_t points = 0, inner = 0, children = 0;
    for (size_t e = 0; e < topo->edge_count; e++) {
        int is_cut = 0;
        for (uint32_t i = topo->edge_offsets[e]; i < topo->edge_offsets[e + 1]; i++)
            is_cut |= chosen[topo->edge_triangles[i]];
        if (is_cut) {
            cut->edge_places[points++] = 0.25;
            cut->edge_places[points++] = 0.625;
        }
        cut->edge_offsets[e + 1] = points;
    }
    for (size_t t = 0; t < triangles; t++) {
        uint32_t around[9], count = 0, local = 3;
        for (size_t k = 0; k < 3; k++) {
            uint32_t e = topo->triangle_edges[3 * t + k], on_edge = free_cut_edge_count(cut, e);
            int upwards = mesh->triangles[3 * t + k] == topo->edge_vertices[2 * (size_t)e];
            around[count++] = (uint32_t)k;
            for (uint32_t i = 0; i < on_edge; i++) around[count++] = local + (upwards ? i : on_edge - 1 - i);
            local += on_edge;
        }
        if (count > 3) cut->inner_points[inner++] = (inner_point){{0.5, 0.375, 0.125}};
        cut->inner_offsets[t + 1] = inner;
        for (uint32_t i = 0; i < (count > 3 ? count : 1); i++, children++) {
            const uint32_t child[3] = {around[i], around[(i + 1) % count], count > 3 ? local : around[2]};
            memcpy(cut->children + 3 * children, child, sizeof child);
        }
        cut->child_offsets[t + 1] = children;
    }
}

/* Which triangles are cut: those all of whose neighbours are in the piece, but for every third. */
static uint8_t *choose(const setting *s) {
    uint8_t *chosen = calloc(s->mesh->triangle_count, 1);
    for (uint32_t t = 0; t < s->mesh->triangle_count; t++) {
        chosen[t] = t % 3 != 0;
        for (size_t k = 0; k < 3; k++) {
            uint32_t e = s->topo->triangle_edges[3 * (size_t)t + k];
            for (uint32_t i = s->topo->edge_offsets[e]; i < s->topo->edge_offsets[e + 1]; i++)
                chosen[t] &= mesh_piece_triangle(&s->piece, s->topo->edge_triangles[i]) != NO_INDEX;
        }
    }
    return chosen;
}

static void assert_same_meshes(const ruga_mesh *x, const ruga_mesh *y) {
    assert_int_equal(x->vertex_count, y->vertex_count);
    assert_int_equal(x->triangle_count, y->triangle_count);
    assert_memory_equal(x->positions, y->positions, x->vertex_count * sizeof *x->positions);
    assert_memory_equal(x->triangles, y->triangles, 3 * x->triangle_count * sizeof *x->triangles);
}

static uint32_t *parents_of(const free_cut *cut) {
    uint32_t *parents = malloc(cut->child_offsets[cut->topo->triangle_count] * sizeof *parents);
    for (uint32_t t = 0; t < cut->topo->triangle_count; t++)
        for (uint32_t i = cut->child_offsets[t]; i < cut->child_offsets[t + 1]; i++) parents[i] = t;
    return parents;
}

/* The cut of the mesh and the same cut of the piece give the same mesh. */
static void expect_same_cut(int may_be_sparse) {
    ruga_context *context = context_plain(1);
    setting s;
    open_setting(&s, context, shape_cylinder(context, 16, 9), 0.4);
    uint8_t *chosen = choose(&s), *own = calloc(s.piece.mesh->triangle_count, 1);
    for (size_t t = 0; t < s.piece.mesh->triangle_count; t++) own[t] = chosen[s.piece.triangles[t]];
    free_cut direct, small, back;
    ruga_mesh *wanted, *fine, *made;
    ruga_map *wanted_map, *fine_map, *made_map;
    fan_cut(s.mesh, s.topo, chosen, &direct);
    fan_cut(s.piece.mesh, s.piece_topo, own, &small);
    assert_ok(context, free_cut_apply(s.mesh, &direct, &wanted, &wanted_map));
    assert_ok(context, free_cut_apply(s.piece.mesh, &small, &fine, &fine_map));
    uint32_t *parents = parents_of(&small), *numbers = malloc(fine->vertex_count * sizeof *numbers);
    fine_piece cut_piece = {fine, fine_map, parents};
    assert_ok(context, mesh_piece_cut(s.mesh, s.topo, &s.piece, &cut_piece, may_be_sparse, &back, numbers));
    assert_int_equal(back.is_sparse, may_be_sparse);
    assert_ok(context, free_cut_apply(s.mesh, &back, &made, &made_map));
    assert_less(s.piece.mesh->vertex_count + 50, fine->vertex_count);
    assert_same_meshes(wanted, made);
    assert_memory_equal(wanted_map->weights, made_map->weights,
                        wanted_map->offsets[wanted_map->rows] * sizeof *wanted_map->weights);
    for (size_t v = 0; v < fine->vertex_count; v++)
        assert_memory_equal(&fine->positions[v], &made->positions[numbers[v]], sizeof(ruga_vec3));
    ruga_mesh *meshes[] = {wanted, fine, made};
    ruga_map *maps[] = {wanted_map, fine_map, made_map};
    free_cut *cuts[] = {&direct, &small, &back};
    for (size_t i = 0; i < 3; i++) {
        ruga_mesh_destroy(meshes[i]);
        ruga_map_destroy(maps[i]);
        free_cut_release(context, cuts[i]);
    }
    free(parents);
    free(numbers);
    free(chosen);
    free(own);
    close_setting(&s);
    ruga_context_destroy(context);
}

static void a_cut_of_a_piece_becomes_the_same_cut_of_the_mesh(void **state) {
    (void)state;
    expect_same_cut(0);
    expect_same_cut(1);
}

/* ---- Results that share a room. */

static void assert_same_attributes(const ruga_mesh *x, const ruga_mesh *y) {
    assert_int_equal(x->attribute_count, y->attribute_count);
    for (size_t i = 0; i < x->attribute_count; i++) {
        const ruga_attribute *a = &x->attributes[i], *b = &y->attributes[i];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->values, b->values, a->count * a->components * ruga_scalar_size(a->type));
        assert_int_equal(!a->indices, !b->indices);
        const size_t elements = mesh_domain_size(x, a->domain);
        if (a->indices) assert_memory_equal(a->indices, b->indices, elements * sizeof *a->indices);
    }
}

/* Cuts of other triangles each time, of which some results are larger than the room: with a room as without one. */
static void results_in_a_room_are_those_without(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *meshes[] = {shape_loaded_sheet(context), shape_sheet_with_uvs(context, 9, 7),
                           shape_torus(context, 9, 8)};
    for (size_t m = 0; m < 3; m++) {
        cut_room room;
        topology *topo;
        const ruga_mesh *mesh = meshes[m];
        uint8_t *chosen = calloc(mesh->triangle_count, 1);
        assert_ok(context, build(mesh, &topo));
        assert_ok(context, cut_room_make(mesh, topo, &room));
        const ruga_vec3 *kept = room.arrays[ROOM_POSITIONS].items;
        for (size_t round = 0; round < 6; round++) {
            free_cut cut;
            ruga_mesh *wanted, *made;
            ruga_map *wanted_map, *made_map;
            for (size_t t = 0; t < mesh->triangle_count; t++)
                chosen[t] = round == 3 ? 1 : t % (5 + round) == 2 && t > 2 * round;
            fan_cut(mesh, topo, chosen, &cut);
            assert_ok(context, free_cut_apply(mesh, &cut, &wanted, &wanted_map));
            cut.room = &room;
            assert_ok(context, free_cut_apply(mesh, &cut, &made, &made_map));
            assert_same_meshes(wanted, made);
            assert_same_attributes(wanted, made);
            assert_memory_equal(wanted_map->offsets, made_map->offsets, (made->vertex_count + 1) * sizeof(size_t));
            assert_memory_equal(wanted_map->indices, made_map->indices,
                                made_map->offsets[made_map->rows] * sizeof *made_map->indices);
            assert_memory_equal(wanted_map->weights, made_map->weights,
                                made_map->offsets[made_map->rows] * sizeof *made_map->weights);
            if (round > 3) assert_ptr_equal(made->positions, room.arrays[ROOM_POSITIONS].items);
            cut_room_give_back(&room, made, made_map, NULL);
            ruga_mesh_destroy(wanted);
            ruga_map_destroy(wanted_map);
            free_cut_release(context, &cut);
        }
        assert_ptr_not_equal(room.arrays[ROOM_POSITIONS].items, kept);
        cut_room_release(&room);
        topology_destroy(topo);
        ruga_mesh_destroy(meshes[m]);
        free(chosen);
    }
    ruga_context_destroy(context);
}

/* A piece without triangles. */
static void an_empty_piece_is_a_mesh(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    setting s;
    open_setting(&s, context, shape_sheet(context, 4, 4), -1e9);
    assert_int_equal(s.piece.mesh->triangle_count, 0);
    assert_int_equal(s.piece.mesh->vertex_count, 0);
    assert_int_equal(mesh_piece_triangle(&s.piece, 3), NO_INDEX);
    close_setting(&s);
    ruga_context_destroy(context);
}

static ruga_status take_piece(ruga_context *context, void *user) {
    (void)user;
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    const uint32_t faces[] = {0, 3, 1, 1, 3, 2}, taken[] = {1};
    uint32_t places[] = {NO_INDEX, NO_INDEX, NO_INDEX, NO_INDEX};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 4, 0, RUGA_F64};
    def.face_count = 2;
    def.face_vertices = faces;
    ruga_mesh *mesh = NULL;
    mesh_piece piece = {.context = context};
    ruga_status status = ruga_mesh_create(context, &def, &mesh);
    if (!RUGA_FAILED(status)) status = mesh_piece_make(mesh, taken, 1, places, &piece);
    for (size_t i = 0; i < 4; i++) assert_int_equal(places[i], NO_INDEX);
    mesh_piece_release(&piece);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(5, assert_every_allocation_may_fail(take_piece, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_piece_has_the_positions_and_triangles_of_the_mesh),
        cmocka_unit_test(the_edges_of_a_piece_are_those_of_its_triangles),
        cmocka_unit_test(a_cut_of_a_piece_becomes_the_same_cut_of_the_mesh),
        cmocka_unit_test(results_in_a_room_are_those_without),
        cmocka_unit_test(an_empty_piece_is_a_mesh),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
