/* The broad phase against all pairs: nothing that comes near is missed, nothing is found that does not count. */
#include "contact/broad.h"
#include "contact/trajectories.h"

#include "math/vec3.h"
#include "support/shapes.h"

/* ---- Scenes */

enum { MOST = 6 };

typedef struct scene {
    ruga_context *context;
    size_t count;
    ruga_mesh *meshes[MOST];
    double *inverse_masses[MOST];
    ruga_vec3 *starts[MOST], *ends[MOST];
    contact_surface surfaces[MOST], *pointers[MOST];
    contact_mesh *mesh;
    broad *finder;
    contact_pairs pairs;
} scene;

static void add(scene *s, ruga_mesh *mesh, double inverse_mass, int self) {
    size_t i = s->count++;
    s->meshes[i] = mesh;
    s->starts[i] = malloc(mesh->vertex_count * sizeof(ruga_vec3));
    s->ends[i] = malloc(mesh->vertex_count * sizeof(ruga_vec3));
    s->inverse_masses[i] = malloc(mesh->vertex_count * sizeof(double));
    memcpy(s->starts[i], mesh->positions, mesh->vertex_count * sizeof(ruga_vec3));
    memcpy(s->ends[i], mesh->positions, mesh->vertex_count * sizeof(ruga_vec3));
    for (size_t k = 0; k < mesh->vertex_count; k++) s->inverse_masses[i][k] = inverse_mass;
    s->surfaces[i] = (contact_surface){.name = i ? "other" : "first",
                                       .mesh = mesh,
                                       .accepted = s->starts[i],
                                       .candidate = s->ends[i],
                                       .inverse_masses = s->inverse_masses[i],
                                       .self = self};
    s->pointers[i] = s->surfaces + i;
}

static void open_excluding(scene *s, const broad_exclusion *exclusions, size_t count) {
    assert_ok(s->context, contact_mesh_create(s->context, s->pointers, s->count, &s->mesh));
    assert_ok(s->context, broad_create(s->mesh, exclusions, count, &s->finder));
}

static void open(scene *s) { open_excluding(s, NULL, 0); }

static void close(scene *s) {
    broad_destroy(s->finder);
    contact_mesh_destroy(s->mesh);
    ARRAY_RELEASE(s->context, &s->pairs);
    for (size_t i = 0; i < s->count; i++) {
        ruga_mesh_destroy(s->meshes[i]);
        free(s->starts[i]);
        free(s->ends[i]);
        free(s->inverse_masses[i]);
    }
}

static void find(scene *s, double margin) {
    assert_ok(s->context, broad_find(s->finder, s->mesh->from, s->mesh->to, margin, &s->pairs));
}

/* Random positions and trajectories of all moving vertices. */
static void shake(scene *s, uint64_t seed, double wide, double far) {
    test_random random = {seed};
    for (size_t i = 0; i < s->mesh->vertex_count; i++) {
        if (s->mesh->inverse_masses[i] == 0) continue;
        s->mesh->from[i] = vec3_add(s->mesh->rest[i], random_vec3(&random, -wide, wide));
        s->mesh->to[i] = vec3_add(s->mesh->from[i], random_vec3(&random, -far, far));
    }
}

/* ---- All pairs */

static contact_pair pair_of(const contact_mesh *m, int kind, uint32_t a, uint32_t b) {
    contact_pair pair = {.kind = (uint32_t)kind, .elements = {a, b}};
    if (kind == PAIR_VERTEX_TRIANGLE) {
        pair.vertices[0] = a;
        memcpy(pair.vertices + 1, m->triangles + 3 * (size_t)b, 3 * sizeof(uint32_t));
    } else {
        memcpy(pair.vertices, m->edges + 2 * (size_t)a, 2 * sizeof(uint32_t));
        memcpy(pair.vertices + 2, m->edges + 2 * (size_t)b, 2 * sizeof(uint32_t));
    }
    return pair;
}

static int counts(const contact_mesh *m, const contact_pair *pair, const broad_exclusion *exclusion) {
    const uint32_t *v = pair->vertices;
    size_t split = pair->kind == PAIR_VERTEX_TRIANGLE ? 1 : 2;
    for (size_t i = 0; i < split; i++)
        for (size_t k = split; k < 4; k++)
            if (v[i] == v[k]) return 0;
    uint32_t p = m->part_of[v[0]], q = m->part_of[v[3]];
    if (exclusion && ((p == exclusion->parts[0] && q == exclusion->parts[1]) ||
                      (q == exclusion->parts[0] && p == exclusion->parts[1])))
        return 0;
    return (m->parts[p].moving || m->parts[q].moving) && (p != q || m->parts[p].self);
}

static int boxes_meet(const contact_mesh *m, const contact_pair *pair, double margin) {
    size_t split = pair->kind == PAIR_VERTEX_TRIANGLE ? 1 : 2;
    for (int axis = 0; axis < 3; axis++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (size_t i = 0; i < 4; i++) {
            const ruga_vec3 *ends[2] = {m->from + pair->vertices[i], m->to + pair->vertices[i]};
            for (int k = 0; k < 2; k++) {
                double x = (&ends[k]->x)[axis];
                low[i >= split] = fmin(low[i >= split], x);
                high[i >= split] = fmax(high[i >= split], x);
            }
        }
        for (int k = 0; k < 2; k++) low[k] -= margin / 2, high[k] += margin / 2;
        if (!(low[0] <= high[1] && low[1] <= high[0])) return 0;
    }
    return 1;
}

/* The least distance at some times, m. */
static double sampled_distance(const contact_mesh *m, const contact_pair *pair) {
    double least = INFINITY;
    for (int time = 0; time <= 16; time++) {
        ruga_vec3 x[4];
        for (int k = 0; k < 4; k++) x[k] = vec3_mix(m->from[pair->vertices[k]], m->to[pair->vertices[k]], time / 16.0);
        least = fmin(least, gap_of((pair_kind)pair->kind, x).distance);
    }
    return least;
}

/* Pairs come in order, look as they should, count, and their boxes overlap; all that come near are among them. Returns
 * how many do. */
static size_t check(const scene *s, double margin, const broad_exclusion *exclusion) {
    const contact_mesh *m = s->mesh;
    size_t at = 0, near = 0;
    for (int kind = 0; kind < 2; kind++) {
        uint32_t a_count = (uint32_t)(kind == PAIR_VERTEX_TRIANGLE ? m->vertex_count : m->edge_count);
        uint32_t b_count = (uint32_t)(kind == PAIR_VERTEX_TRIANGLE ? m->triangle_count : m->edge_count);
        for (uint32_t a = 0; a < a_count; a++)
            for (uint32_t b = kind == PAIR_VERTEX_TRIANGLE ? 0 : a + 1; b < b_count; b++) {
                contact_pair pair = pair_of(m, kind, a, b);
                int is_found = at < s->pairs.count && memcmp(s->pairs.items + at, &pair, sizeof pair) == 0;
                int may_be = counts(m, &pair, exclusion) && boxes_meet(m, &pair, margin);
                at += (size_t)is_found;
                assert_true(may_be || !is_found);
                if (!may_be) continue;
                int is_near = sampled_distance(m, &pair) <= margin;
                assert_true(is_found || !is_near);
                near += (size_t)is_near;
            }
    }
    assert_int_equal(at, s->pairs.count);
    return near;
}

/* ---- Nothing is missed */

static void nothing_that_comes_near_is_missed_in_a_crumpled_sheet(void **state) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        scene s = {.context = *state};
        add(&s, shape_sheet(*state, 9, 9), 1, 1);
        open(&s);
        double wide = 0.05 * (double)seed, far = seed % 2 ? 0.3 : 0.02;
        shake(&s, seed, wide, far);
        find(&s, 0.03);
        assert_less(100, check(&s, 0.03, NULL));
        find(&s, 0);
        check(&s, 0, NULL);
        close(&s);
    }
}

/* A sheet that sinks onto a ball, one above the other at rest. */
static void drape(scene *s, double far) {
    add(s, shape_sheet(s->context, 10, 10), 2, 1);
    add(s, shape_icosahedron(s->context), 0, 1);
    open(s);
    for (size_t i = 0; i < s->meshes[0]->vertex_count; i++) {
        ruga_vec3 p = vec3_scale(vec3_sub(s->mesh->rest[i], vec3_make(0.5, 0, -0.5)), 2);
        s->mesh->from[i] = vec3_make(p.x, 1.02 - 0.4 * vec3_length2(p), p.z);
        s->mesh->to[i] = vec3_add(s->mesh->from[i], vec3_make(far, -far, 0.2 * far));
    }
}

static void nothing_that_comes_near_is_missed_where_a_sheet_drapes(void **state) {
    scene s = {.context = *state};
    drape(&s, 0.15);
    find(&s, 0.1);
    assert_less(100, check(&s, 0.1, NULL));
    close(&s);
}

static void nothing_that_comes_near_is_missed_at_any_size(void **state) {
    const double sizes[] = {1e-150, 1e-60, 1e-20, 1e-3, 1e6, 1e30, 1e60, 1e140};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        double size = sizes[n];
        ruga_mesh *sheet = shape_sheet(*state, 7, 7);
        ruga_vec3 *positions = malloc(sheet->vertex_count * sizeof *positions);
        for (size_t i = 0; i < sheet->vertex_count; i++) positions[i] = vec3_scale(sheet->positions[i], size);
        scene s = {.context = *state};
        add(&s, shape_make(*state, sheet->vertex_count, positions, sheet->face_count, NULL, sheet->triangles), 1, 1);
        open(&s);
        shake(&s, n, 0.1 * size, 0.1 * size);
        find(&s, 0.05 * size);
        assert_less(50, check(&s, 0.05 * size, NULL));
        close(&s);
        free(positions);
        ruga_mesh_destroy(sheet);
    }
}

static void nothing_that_comes_near_is_missed_far_from_the_origin(void **state) {
    scene s = {.context = *state};
    add(&s, shape_sheet(*state, 8, 8), 1, 1);
    open(&s);
    shake(&s, 5, 0.1, 0.1);
    for (size_t i = 0; i < s.mesh->vertex_count; i++) {
        s.mesh->from[i] = vec3_add(s.mesh->from[i], vec3_make(1e7, -3e8, 2e5));
        s.mesh->to[i] = vec3_add(s.mesh->to[i], vec3_make(1e7, -3e8, 2e5));
    }
    find(&s, 0.03);
    assert_less(100, check(&s, 0.03, NULL));
    close(&s);
}

/* Triangles without area, vertices at one place, triangles of which many share an edge; vertices without a triangle
 * are left out. */
static void nothing_that_comes_near_is_missed_among_degenerate_elements(void **state) {
    for (uint64_t seed = 1; seed <= (SANITIZED ? 3 : 6); seed++) {
        test_random random = {seed};
        ruga_vec3 points[40];
        uint32_t faces[3 * 60];
        for (size_t i = 0; i < 40; i++) {
            points[i] = random_vec3(&random, -1, 1);
            if (seed % 3 == 0) points[i].y = 0;
            if (i && i % 4 == 0) points[i] = points[i - 1];
            if (i > 2 && i % 7 == 0) points[i] = vec3_mix(points[i - 1], points[i - 2], 0.3);
        }
        for (size_t i = 0; i < 180; i++) faces[i] = (uint32_t)(random_bits(&random) % (i % 9 ? 34 : 5));
        scene s = {.context = *state};
        add(&s, shape_make(*state, 40, points, 60, NULL, faces), 1, 1);
        open(&s);
        assert_at_most(s.mesh->vertex_count, 34);
        // Some stay where they are, some all move alike.
        for (size_t i = 0; i < s.mesh->vertex_count; i++) {
            ruga_vec3 move = i % 3 ? random_vec3(&random, -0.1, 0.1) : vec3_make(0, 0, 0);
            s.mesh->to[i] = vec3_add(s.mesh->to[i], seed % 2 ? move : vec3_make(0.2, 0, 0));
        }
        find(&s, 0.02);
        assert_less(50, check(&s, 0.02, NULL));
        // All vertices at one place, wherever they go.
        for (size_t i = 0; i < s.mesh->vertex_count; i++) s.mesh->from[i] = s.mesh->to[i] = vec3_make(1, 2, 3);
        find(&s, 0);
        check(&s, 0, NULL);
        close(&s);
    }
}

/* ---- Pairs that do not count */

static void what_nothing_moves_makes_no_pairs_but_pinned_vertices_do(void **state) {
    scene s = {.context = *state};
    add(&s, shape_sheet(*state, 8, 8), 1, 1);
    add(&s, shape_disc(*state, 12), 0, 1);
    add(&s, shape_sheet(*state, 3, 3), 0, 1);
    for (size_t i = 0; i < 40; i++) s.inverse_masses[0][i] = 0;
    open(&s);
    shake(&s, 2, 0.1, 0.2);
    find(&s, 0.1);
    assert_less(100, check(&s, 0.1, NULL));
    close(&s);
}

static void excluded_parts_make_no_pairs(void **state) {
    const broad_exclusion exclusions[3] = {{{2, 0}}, {{1, 1}}, {{0, 2}}};
    for (size_t count = 0; count <= 3; count++) {
        scene s = {.context = *state};
        add(&s, shape_sheet(*state, 6, 6), 1, 1);
        add(&s, shape_sheet(*state, 5, 5), 1, count < 2);
        add(&s, shape_disc(*state, 12), 1, 0);
        open_excluding(&s, exclusions, count);
        shake(&s, 2, 0.1, 0.1);
        find(&s, 0.05);
        assert_less(100, check(&s, 0.05, count ? exclusions : NULL));
        close(&s);
    }
}

static void a_flat_sheet_that_moves_finds_none_of_its_neighbours(void **state) {
    scene s = {.context = *state};
    add(&s, shape_sheet(*state, 30, 30), 1, 1);
    open(&s);
    double edge = 1.0 / 30;
    for (size_t i = 0; i < s.mesh->vertex_count; i++)
        s.mesh->to[i] = vec3_add(s.mesh->to[i], vec3_make(0.5 * edge, 0.7 * edge, 0.6 * edge));
    find(&s, 0.2 * edge);
    assert_int_equal(s.pairs.count, 0);
    close(&s);
}

static void surfaces_without_triangles_are_no_trouble(void **state) {
    const ruga_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    scene s = {.context = *state};
    add(&s, shape_make(*state, 3, points, 0, NULL, NULL), 1, 1);
    open(&s);
    find(&s, 1);
    assert_int_equal(s.pairs.count, 0);
    assert_ok(s.context, broad_find_changed(s.finder, s.mesh->from, s.mesh->to, 1, NULL, 0, &s.pairs));
    assert_int_equal(s.pairs.count, 0);
    close(&s);
    scene none = {.context = *state};
    open(&none);
    find(&none, 1);
    assert_int_equal(none.pairs.count, 0);
    close(&none);
}

/* ---- Changes */

static int has_changed(const contact_pair *pair, const unsigned char *changed) {
    const uint32_t *v = pair->vertices;
    return changed[v[0]] || changed[v[1]] || changed[v[2]] || changed[v[3]];
}

/* Those of the pairs that have a changed vertex. */
static contact_pairs restricted(const scene *s, const unsigned char *changed) {
    contact_pairs kept = {.items = malloc((s->pairs.count + 1) * sizeof *kept.items)};
    for (size_t i = 0; i < s->pairs.count; i++)
        if (has_changed(&s->pairs.items[i], changed)) kept.items[kept.count++] = s->pairs.items[i];
    return kept;
}

static void assert_same_pairs(const contact_pairs *a, const contact_pairs *b) {
    assert_int_equal(a->count, b->count);
    if (a->count) assert_memory_equal(a->items, b->items, a->count * sizeof *a->items);
}

/* Pairs that only one of two lists has do not come near: of such pairs searches may find different ones. */
static void assert_same_near(const contact_mesh *m, const contact_pairs *a, const contact_pairs *b, double margin) {
    size_t i = 0, k = 0;
    while (i < a->count || k < b->count) {
        uint64_t first = i < a->count ? pair_key(&a->items[i]) : UINT64_MAX;
        uint64_t second = k < b->count ? pair_key(&b->items[k]) : UINT64_MAX;
        if (first != second) assert_less(margin, sampled_distance(m, first < second ? &a->items[i] : &b->items[k]));
        i += first <= second;
        k += second <= first;
    }
}

/* Changes every `stride`-th vertex's end by up to `far`, again and again. */
static void check_changes(ruga_context *context, size_t stride, double far) {
    scene s = {.context = context}, all = {.context = context};
    drape(&s, 0.05);
    drape(&all, 0.05);
    find(&s, 0.05);
    test_random random = {stride};
    size_t found = 0;
    unsigned char *is_changed = calloc(s.mesh->vertex_count, 1);
    uint32_t *changed = malloc(s.mesh->vertex_count * sizeof *changed);
    for (int round = 0; round < 5; round++) {
        size_t count = 0;
        memset(is_changed, 0, s.mesh->vertex_count);
        for (size_t i = (size_t)round; i < s.meshes[0]->vertex_count; i += stride) {
            s.mesh->to[i] = vec3_add(s.mesh->to[i], random_vec3(&random, -far, far));
            is_changed[i] = 1;
            changed[count++] = (uint32_t)i;
        }
        memcpy(all.mesh->to, s.mesh->to, s.mesh->vertex_count * sizeof *s.mesh->to);
        double margin = round == 3 ? 0.06 : 0.05;
        assert_ok(context, broad_find_changed(s.finder, s.mesh->from, s.mesh->to, margin, changed, count, &s.pairs));
        find(&all, margin);
        contact_pairs expected = restricted(&all, is_changed);
        for (size_t i = 0; i < s.pairs.count; i++) assert_true(has_changed(&s.pairs.items[i], is_changed));
        assert_same_near(s.mesh, &s.pairs, &expected, margin);
        found += expected.count;
        free(expected.items);
    }
    assert_less(0, found);
    free(is_changed);
    free(changed);
    close(&s);
    close(&all);
}

static void a_search_for_changed_vertices_misses_nothing_that_a_full_search_finds(void **state) {
    const size_t strides[] = {1, 3, 10, 37};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        check_changes(*state, strides[i], 0.1);
        check_changes(*state, strides[i], 100);  // out of the tree's frame
    }
}

/* ---- The same for every number of threads and instruction set */

static void pairs_are_the_same_for_any_threads_and_instruction_set(void **state) {
    (void)state;
    const int threads[] = {1, 2, 7, 2, 2};
    const ruga_isa sets[] = {RUGA_ISA_AUTO, RUGA_ISA_AUTO, RUGA_ISA_AUTO, RUGA_ISA_SCALAR, RUGA_ISA_SSE4};
    contact_pairs full = {0}, few = {0};
    for (size_t n = 0; n < sizeof threads / sizeof *threads; n++) {
        ruga_context_def def = ruga_context_def_default();
        def.thread_count = threads[n];
        def.isa = sets[n];
        ruga_context *context = NULL;
        if (RUGA_FAILED(ruga_context_create(&def, &context))) continue;  // a machine without it
        scene s = {.context = context};
        add(&s, shape_sheet(context, 50, 50), 1, 1);
        add(&s, shape_torus(context, 20, 20), 0, 0);
        open(&s);
        shake(&s, 9, 0.01, 0.03);
        find(&s, 0.004);
        contact_pairs *first[2] = {&full, &few};
        for (int k = 0; k < 2; k++) {
            if (n == 0) {
                assert_less((k ? 20 : 5000), s.pairs.count);
                first[k]->items = malloc(s.pairs.count * sizeof *s.pairs.items);
                first[k]->count = s.pairs.count;
                memcpy(first[k]->items, s.pairs.items, s.pairs.count * sizeof *s.pairs.items);
            }
            assert_same_pairs(&s.pairs, first[k]);
            const uint32_t changed[3] = {7, 800, 2000};
            for (int i = 0; i < 3; i++) s.mesh->to[changed[i]].y += 0.01;
            assert_ok(context, broad_find_changed(s.finder, s.mesh->from, s.mesh->to, 0.004, changed, 3, &s.pairs));
        }
        close(&s);
        ruga_context_destroy(context);
    }
    free(full.items);
    free(few.items);
}

/* ---- Memory and bad input */

static void a_step_in_the_steady_state_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    scene s = {.context = context};
    drape(&s, 0.1);
    find(&s, 0.05);
    const uint32_t changed[2] = {3, 60};
    for (int round = 0; round < 3; round++) {
        long before = counter.allocations;
        if (round == 0) before = -1;  // the first changes may
        find(&s, 0.05);
        s.mesh->to[60].x += 1e-3;
        assert_ok(context, broad_find_changed(s.finder, s.mesh->from, s.mesh->to, 0.05, changed, 2, &s.pairs));
        if (round) assert_int_equal(counter.allocations, before);
    }
    close(&s);
    ruga_context_destroy(context);
}

typedef struct failing_run {
    contact_surface **surfaces;
    size_t count;
    ruga_vec3 *to;
} failing_run;

static ruga_status find_once(ruga_context *context, const contact_mesh *m, broad *b, contact_pairs *pairs) {
    (void)context;
    const uint32_t changed[1] = {30};
    TRY(broad_find(b, m->from, m->to, 0.05, pairs));
    return broad_find_changed(b, m->from, m->to, 0.05, changed, 1, pairs);
}

static ruga_status make_and_find(ruga_context *context, void *user) {
    failing_run *run = user;
    contact_mesh *m = NULL;
    broad *b = NULL;
    contact_pairs pairs = {0};
    const broad_exclusion exclusion = {{1, 1}};
    ruga_status status = contact_mesh_create(context, run->surfaces, run->count, &m);
    if (!RUGA_FAILED(status)) status = broad_create(m, &exclusion, 1, &b);
    if (!RUGA_FAILED(status)) status = find_once(context, m, b, &pairs);
    ARRAY_RELEASE(context, &pairs);
    broad_destroy(b);
    contact_mesh_destroy(m);
    return status;
}

static void every_allocation_may_fail(void **state) {
    scene s = {.context = *state};
    add(&s, shape_sheet(*state, 8, 8), 1, 1);
    add(&s, shape_disc(*state, 8), 0, 1);
    for (size_t i = 0; i < s.meshes[0]->vertex_count; i++) s.ends[0][i].y += i % 2 ? 0.2 : 0;
    open(&s);
    failing_run run = {s.pointers, s.count, s.mesh->to};
    assert_less(20, assert_every_allocation_may_fail(make_and_find, &run));
    close(&s);
}

static void errors_of_positions_that_are_not_finite_name_surface_and_vertex(void **state) {
    scene s = {.context = *state};
    drape(&s, 0.05);
    find(&s, 0.05);
    unsigned char *all = malloc(s.mesh->vertex_count);
    contact_pairs before = restricted(&s, memset(all, 1, s.mesh->vertex_count));
    free(all);
    size_t bad = s.mesh->parts[1].first_vertex + 4;
    const uint32_t changed[1] = {(uint32_t)bad};
    const double values[] = {NAN, INFINITY, -2e300};
    for (int i = 0; i < 3; i++) {
        ruga_vec3 was = s.mesh->from[bad];
        s.mesh->from[bad].y = values[i];
        assert_status(broad_find(s.finder, s.mesh->from, s.mesh->to, 0.05, &s.pairs), RUGA_ERROR_INPUT);
        assert_message_has(*state, "'other' has vertex 4");
        assert_message_has(*state, "start");
        assert_int_equal(s.pairs.count, 0);
        s.mesh->from[bad] = was;
        find(&s, 0.05);
        s.mesh->to[bad].z = values[i];
        assert_status(broad_find_changed(s.finder, s.mesh->from, s.mesh->to, 0.05, changed, 1, &s.pairs),
                      RUGA_ERROR_INPUT);
        assert_message_has(*state, "'other' has vertex 4");
        assert_message_has(*state, "end");
        // Once it is a number again, all is as it was.
        s.mesh->to[bad].z = was.z;
        assert_ok(*state, broad_find_changed(s.finder, s.mesh->from, s.mesh->to, 0.05, changed, 1, &s.pairs));
        find(&s, 0.05);
        assert_same_pairs(&s.pairs, &before);
    }
    assert_status(broad_find(s.finder, s.mesh->from, s.mesh->to, -1, &s.pairs), RUGA_ERROR_ARGUMENT);
    assert_status(broad_find(s.finder, s.mesh->from, s.mesh->to, NAN, &s.pairs), RUGA_ERROR_ARGUMENT);
    free(before.items);
    close(&s);
}

static void more_pairs_than_memory_holds_are_an_error(void **state) {
    skip_when_sanitized();
    scene s = {.context = *state};
    add(&s, shape_sheet(*state, 42, 42), 1, 1);
    open(&s);
    for (size_t i = 0; i < s.mesh->vertex_count; i++) s.mesh->from[i] = s.mesh->to[i] = vec3_make(1, 2, 3);
    assert_status(broad_find(s.finder, s.mesh->from, s.mesh->to, 1e-3, &s.pairs), RUGA_ERROR_INPUT);
    assert_message_has(*state, "may touch in one step");
    assert_int_equal(s.pairs.count, 0);
    // Apart again, all is well.
    memcpy(s.mesh->from, s.mesh->rest, s.mesh->vertex_count * sizeof *s.mesh->rest);
    memcpy(s.mesh->to, s.mesh->rest, s.mesh->vertex_count * sizeof *s.mesh->rest);
    find(&s, 1e-3);
    close(&s);
}

/* A ball flies across a sheet, along no axis: few pairs are left but those that it meets. */
static void pairs_that_pass_each_other_are_distinguished_from_pairs_that_meet(void **state) {
    skip_when_sanitized();
    scene s = {.context = *state};
    add(&s, shape_sheet(*state, 20, 20), 1, 1);
    add(&s, shape_icosahedron(*state), 0, 1);
    open(&s);
    size_t first = s.mesh->parts[1].first_vertex, by_boxes = 0;
    for (size_t i = first; i < s.mesh->vertex_count; i++) {
        ruga_vec3 p = vec3_scale(s.mesh->rest[i], 0.05);
        s.mesh->from[i] = vec3_add(p, vec3_make(-0.5, 1, 0.5));
        s.mesh->to[i] = vec3_add(p, vec3_make(1.5, -1, -1.5));
    }
    find(&s, 0.005);
    check(&s, 0.005, NULL);
    for (uint32_t a = 0; a < s.mesh->edge_count; a++)
        for (uint32_t b = (uint32_t)s.mesh->parts[1].first_edge; b < s.mesh->edge_count; b++) {
            contact_pair pair = pair_of(s.mesh, PAIR_EDGE_EDGE, a, b);
            by_boxes += counts(s.mesh, &pair, NULL) && boxes_meet(s.mesh, &pair, 0.005);
        }
    assert_less(0, s.pairs.count);
    assert_less(10 * s.pairs.count, by_boxes);
    close(&s);
}

/* ---- Candidates of trajectories */

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The keys of all collisions, rising. */
static uint64_t *collision_keys(trajectories *t) {
    assert_ok(t->context, trajectories_find(t));
    assert_ok(t->context, trajectories_check(t, NULL, NULL));
    uint64_t *keys = malloc((t->collisions.count + 1) * sizeof *keys);
    for (size_t i = 0; i < t->collisions.count; i++) keys[i] = pair_key(&t->collisions.items[i].pair);
    qsort(keys, t->collisions.count, sizeof *keys, compare_keys);
    return keys;
}

/* Ends change after the search for near pairs, most of them alike: the collisions are those of a search of their own,
 * with what moves and with what does not. */
static void pairs_that_are_near_are_candidates_after_ends_change(void **state) {
    size_t reused = 0, kinematic = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        scene s = {.context = *state};
        add(&s, shape_sheet(*state, 20, 20), 1, 1);
        add(&s, shape_sheet(*state, 20, 20), 1, 1);
        add(&s, shape_disc(*state, 12), 0, 1);
        open(&s);
        contact_mesh *m = s.mesh;
        for (size_t i = 0; i < m->part_count; i++) m->parts[i].thickness = 0.01;
        test_random random = {seed};
        for (size_t i = 0; i < m->vertex_count; i++) {
            if (m->part_of[i] == 1) m->from[i].y += 0.02;
            if (m->part_of[i] == 2) m->from[i].y -= 0.03;
            m->to[i] = m->from[i];
            if (m->part_of[i] != 2) m->to[i] = vec3_add(m->to[i], random_vec3(&random, -0.008, 0.008));
        }
        trajectories a, b;
        assert_ok(*state, trajectories_init(&a, m, s.finder, 0.1, NULL, 0));
        assert_ok(*state, trajectories_init(&b, m, s.finder, 0.1, NULL, 0));
        assert_ok(*state, trajectories_find_near(&a, (pair_reach){1.5, 1}));
        for (size_t i = 0; i < m->vertex_count; i++) {
            if (m->part_of[i] == 2) continue;
            double odd = i % 23 == 0 ? 0.03 : 0.003;
            m->to[i] = vec3_add(m->to[i], vec3_add(vec3_make(0.004, -0.03, 0), random_vec3(&random, -odd, odd)));
        }
        uint64_t *ours = collision_keys(&a), *theirs = collision_keys(&b);
        reused += (size_t)a.from_near;
        assert_less(10, a.collisions.count);
        assert_int_equal(a.collisions.count, b.collisions.count);
        assert_memory_equal(ours, theirs, a.collisions.count * sizeof *ours);
        for (size_t i = 0; i < b.collisions.count; i++) {
            const uint32_t *v = b.collisions.items[i].pair.vertices;
            kinematic += m->part_of[v[0]] == 2 || m->part_of[v[3]] == 2;
        }
        free(ours);
        free(theirs);
        trajectories_release(&a);
        trajectories_release(&b);
        close(&s);
    }
    assert_int_equal(reused, 8);
    assert_less(10, kinematic);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_that_comes_near_is_missed_in_a_crumpled_sheet),
        cmocka_unit_test(nothing_that_comes_near_is_missed_where_a_sheet_drapes),
        cmocka_unit_test(nothing_that_comes_near_is_missed_at_any_size),
        cmocka_unit_test(nothing_that_comes_near_is_missed_far_from_the_origin),
        cmocka_unit_test(nothing_that_comes_near_is_missed_among_degenerate_elements),
        cmocka_unit_test(what_nothing_moves_makes_no_pairs_but_pinned_vertices_do),
        cmocka_unit_test(excluded_parts_make_no_pairs),
        cmocka_unit_test(a_flat_sheet_that_moves_finds_none_of_its_neighbours),
        cmocka_unit_test(surfaces_without_triangles_are_no_trouble),
        cmocka_unit_test(a_search_for_changed_vertices_misses_nothing_that_a_full_search_finds),
        cmocka_unit_test(pairs_are_the_same_for_any_threads_and_instruction_set),
        cmocka_unit_test(a_step_in_the_steady_state_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(more_pairs_than_memory_holds_are_an_error),
        cmocka_unit_test(pairs_that_pass_each_other_are_distinguished_from_pairs_that_meet),
        cmocka_unit_test(pairs_that_are_near_are_candidates_after_ends_change),
        cmocka_unit_test(errors_of_positions_that_are_not_finite_name_surface_and_vertex),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
