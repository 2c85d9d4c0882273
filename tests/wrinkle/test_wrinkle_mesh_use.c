/* Wrinkle meshes in use: the caller's buffers, threads, memory, painted parameters, and what is wrong with what they
 * are given. */
#include <pthread.h>

#include "wrinkle_mesh_support.h"

static const ruga_wrinkle_solver solvers[] = {RUGA_WRINKLE_PROJECTION, RUGA_WRINKLE_COMPLIANT};

/* ---- Buffers. */

typedef struct strided_point {
    char before;
    float at[3];
    double after;
} strided_point;

static void floats_with_a_stride_give_what_doubles_give(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    wrinkled a = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
    wrinkled b = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
    size_t coarse = a.base->vertex_count, fine = a.fine->vertex_count;
    strided_point *in = calloc(coarse, sizeof *in), *out = calloc(fine, sizeof *out);
    squeeze_frame(a, 3);
    for (size_t v = 0; v < coarse; v++) {
        double *p = &a.moved[v].x;
        for (int k = 0; k < 3; k++) {
            in[v].at[k] = (float)p[k];
            p[k] = (double)in[v].at[k];
        }
    }
    ruga_view given = {in[0].at, coarse, sizeof *in, RUGA_F32}, wanted = {out[0].at, fine, sizeof *out, RUGA_F32};
    update(a);
    assert_ok(*state, ruga_wrinkle_mesh_update(b.mesh, &given, NULL));
    assert_ok(*state, ruga_wrinkle_mesh_read(b.mesh, &wanted, NULL));
    for (size_t v = 0; v < fine; v++) {
        assert_true(out[v].before == 0 && out[v].after == 0);
        assert_true(out[v].at[0] == (float)a.positions[v].x && out[v].at[2] == (float)a.positions[v].z);
    }
    free(in);
    free(out);
    wrinkled_release(a);
    wrinkled_release(b);
}

static void far_from_the_origin_wrinkles_are_as_fine_as_near_it(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    wrinkled near = wrinkle_regular(shape_sheet(*state, 8, 8), 3, &def);
    wrinkled far = wrinkle_regular(shape_sheet(*state, 8, 8), 3, &def);
    const vec3 away = {65536, -131072, 262144}; /* doubles of the sheet's size are still exact there */
    squeeze(near, 0.875);
    for (size_t v = 0; v < near.base->vertex_count; v++) far.moved[v] = vec3_add(near.moved[v], away);
    update(near);
    update(far);
    for (size_t v = 0; v < near.fine->vertex_count; v++)
        assert_less(vec3_distance(far.positions[v], vec3_add(near.positions[v], away)), 1e-9);
    wrinkled_release(near);
    wrinkled_release(far);
}

static void normals_of_the_caller_count_whatever_their_length(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    wrinkled made = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
    wrinkled given = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
    size_t count = made.base->vertex_count;
    ruga_vec3 *normals = malloc(count * sizeof *normals);
    squeeze_frame(made, 2);
    squeeze_frame(given, 2);
    assert_ok(*state, ruga_mesh_normals(made.base, made.moved, normals));
    for (size_t v = 0; v < count; v++) normals[v] = vec3_scale(normals[v], v % 3 == 0 ? 1e-30 : 7 + (double)v);
    normals[5] = (ruga_vec3){0, 0, 0}; /* none: it is made */
    ruga_view positions = view_of(given.moved, count), own = view_of(normals, count);
    update(made);
    assert_ok(*state, ruga_wrinkle_mesh_update(given.mesh, &positions, &own));
    read_fine(given);
    for (size_t v = 0; v < made.fine->vertex_count; v++)
        assert_less(vec3_distance(made.positions[v], given.positions[v]), 1e-4);
    free(normals);
    wrinkled_release(made);
    wrinkled_release(given);
}

static void bind_normals_make_a_rest_of_normals_that_no_triangle_has(void **state) {
    ruga_mesh *base = shape_torus(*state, 12, 9);
    size_t count = base->vertex_count;
    ruga_vec3 *normals = malloc(count * sizeof *normals);
    for (size_t v = 0; v < count; v++) normals[v] = vec3_normalise(vec3_make(1, 0.2 * (double)(v % 5), 0.3));
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    def.bind_normals = view_of(normals, count);
    wrinkled w = wrinkle_regular(base, 3, &def);
    ruga_view positions = view_of(w.moved, count), own = view_of(normals, count);
    assert_ok(*state, ruga_wrinkle_mesh_update(w.mesh, &positions, &own));
    assert_true(rms_offset(w) == 0);
    update(w);
    assert_less(0, rms_offset(w));

    ruga_wrinkle_mesh *copy = NULL;
    free(normals); /* they were copied */
    assert_ok(*state, ruga_wrinkle_mesh_copy(w.mesh, &copy));
    ruga_wrinkle_mesh_destroy(copy);
    wrinkled_release(w);
}

/* ---- Threads and memory. */

/* Three frames give what they gave when *first was still NULL. The mesh goes. */
static void assert_same_as_the_first(wrinkled w, ruga_vec3 **first) {
    for (int frame = 0; frame < 3; frame++) {
        squeeze_frame(w, frame);
        update(w);
    }
    size_t bytes = w.fine->vertex_count * sizeof **first;
    if (!*first) *first = memcpy(malloc(bytes), w.positions, bytes);
    assert_memory_equal(*first, w.positions, bytes);
    wrinkled_release(w);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    const int threads[] = {1, 2, 3, 8};
    for (int s = 0; s < 2; s++) {
        ruga_vec3 *first = NULL;
        for (int i = 0; i < 4; i++) {
            ruga_context *context = context_plain(threads[i]);
            ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
            def.side = RUGA_WRINKLE_NEIGHBOURHOOD;
            assert_same_as_the_first(wrinkle_regular(shape_torus(context, 40, 24), 3, &def), &first);
            ruga_context_destroy(context);
        }
        free(first);
    }
}

static void every_instruction_set_gives_the_same_bits(void **state) {
    (void)state;
    ruga_vec3 *first = NULL;
    for (int isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
        ruga_context_def context_def = ruga_context_def_default();
        context_def.isa = (ruga_isa)isa;
        ruga_context *context = NULL;
        if (RUGA_FAILED(ruga_context_create(&context_def, &context))) continue; /* this machine lacks it */
        ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
        assert_same_as_the_first(wrinkle_regular(shape_torus(context, 20, 12), 3, &def), &first);
        ruga_context_destroy(context);
    }
    free(first);
}

static void *update_often(void *argument) {
    wrinkled *w = argument;
    ruga_view positions = view_of(w->moved, w->base->vertex_count);
    for (int frame = 0; frame < 40; frame++) {
        squeeze(*w, 1 - 0.005 * frame);
        if (ruga_wrinkle_mesh_update(w->mesh, &positions, NULL) != RUGA_OK) return w;
    }
    return NULL;
}

static void two_may_be_updated_from_two_threads_at_once(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    wrinkled w[4];
    for (int k = 0; k < 4; k++) {
        ruga_wrinkle_mesh_def def = def_with(solvers[k % 2], 1);
        w[k] = wrinkle_regular(shape_torus(context, 20, 12), 3, &def);
    }
    pthread_t threads[2];
    for (int k = 0; k < 2; k++) assert_int_equal(pthread_create(&threads[k], NULL, update_often, &w[k]), 0);
    for (int k = 0; k < 2; k++) {
        void *failed = NULL;
        pthread_join(threads[k], &failed);
        assert_null(failed);
        assert_null(update_often(&w[2 + k]));
        read_fine(w[k]);
        read_fine(w[2 + k]);
        assert_memory_equal(w[k].positions, w[2 + k].positions, w[k].fine->vertex_count * sizeof *w[k].positions);
    }
    for (int k = 0; k < 4; k++) wrinkled_release(w[k]);
    ruga_context_destroy(context);
}

static void an_update_allocates_nothing(void **state) {
    (void)state;
    for (int s = 0; s < 2; s++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = context_counting(&counter);
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        def.side = RUGA_WRINKLE_NEIGHBOURHOOD;
        ruga_param small = ruga_param_constant(0.01), great = ruga_param_constant(0.02);
        const ruga_param_key keys[2] = {{0, &small}, {1, &great}};
        def.radius = ruga_param_keys(keys, 2);
        wrinkled w = wrinkle_regular(shape_torus(context, 12, 9), 3, &def);
        long before = counter.allocations;
        for (int frame = 0; frame < 4; frame++) {
            squeeze_frame(w, frame);
            assert_ok(context, ruga_wrinkle_mesh_set_time(w.mesh, 0.3 * frame));
            update(w);
        }
        settle(w, 0, 100);
        assert_int_equal(counter.allocations, before);
        wrinkled_release(w);
        ruga_context_destroy(context);
    }
}

/* ---- Fine meshes of all kinds. */

static void long_edges_may_be_split_until_none_is_left(void **state) {
    ruga_mesh *base = shape_torus(*state, 12, 9), *fine = NULL;
    ruga_subdivide_def parts = ruga_subdivide_def_default();
    parts.kind = RUGA_SUBDIVIDE_LONG_EDGES;
    parts.length = 0.3;
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    ruga_wrinkle_mesh *mesh = NULL;
    assert_ok(*state, ruga_wrinkle_mesh_create_subdivided(base, &parts, &def, &fine, &mesh));
    wrinkled w = wrinkled_on(base, fine, mesh);
    update(w);
    assert_true(rms_offset(w) == 0);
    squeeze_frame(w, 3);
    update(w);
    assert_less(0, rms_offset(w));
    parts.kind = RUGA_SUBDIVIDE_LOOP;
    assert_status(ruga_wrinkle_mesh_create_subdivided(base, &parts, &def, &fine, &mesh), RUGA_ERROR_ARGUMENT);
    wrinkled_release(w);
}

/* A box of tets that carries a surface inside and at it. */
static void a_body_of_tets_carries_a_surface(void **state) {
    ruga_mesh *base = NULL;
    const uint32_t tets[5][4] = {{0, 1, 3, 4}, {1, 2, 3, 6}, {4, 6, 5, 1}, {4, 7, 6, 3}, {1, 3, 4, 6}};
    const ruga_vec3 corners[8] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1},
                                  {0, 1, 0}, {1, 1, 0}, {1, 1, 1}, {0, 1, 1}};
    uint32_t positive[5][4];
    memcpy(positive, tets, sizeof tets);
    for (int t = 0; t < 5; t++) {
        vec3 a = corners[tets[t][0]];
        vec3 e = vec3_sub(corners[tets[t][1]], a), f = vec3_sub(corners[tets[t][2]], a);
        vec3 g = vec3_sub(corners[tets[t][3]], a);
        if (vec3_dot(vec3_cross(e, f), g) < 0) positive[t][2] = tets[t][3], positive[t][3] = tets[t][2];
    }
    ruga_mesh_def body = ruga_mesh_def_default();
    body.positions = view_of(corners, 8);
    body.tet_count = 5;
    body.tets = positive[0];
    assert_ok(*state, ruga_mesh_create(*state, &body, &base));
    ruga_mesh *sheet = shape_sheet(*state, 20, 20);
    ruga_vec3 *lifted = malloc(sheet->vertex_count * sizeof *lifted);
    for (size_t v = 0; v < sheet->vertex_count; v++)
        lifted[v] = (ruga_vec3){sheet->positions[v].x, 1, 1 + sheet->positions[v].z};
    ruga_mesh *fine = shape_make(*state, sheet->vertex_count, lifted, sheet->triangle_count, NULL, sheet->triangles);
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    ruga_wrinkle_mesh *mesh = NULL;
    assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
    wrinkled w = wrinkled_on(base, fine, mesh);
    update(w);
    for (size_t v = 0; v < fine->vertex_count; v++)
        assert_less(vec3_distance(w.positions[v], fine->positions[v]), 1e-6);
    squeeze(w, 0.8);
    for (int frame = 0; frame < 10; frame++) update(w);
    double radius = ruga_wrinkle_mesh_get_report(mesh).greatest_radius, greatest = 0;
    for (size_t v = 0; v < fine->vertex_count; v++) greatest = fmax(greatest, fabs(w.positions[v].y - 1));
    assert_less(0.5 * radius, greatest);
    assert_less(greatest, 1.001 * radius);
    free(lifted);
    ruga_mesh_destroy(sheet);
    wrinkled_release(w);
}

/* One vertex stands far above the sheet. */
static void vertices_out_of_reach_hang_on_their_edges_alone(void **state) {
    ruga_mesh *base = shape_sheet(*state, 4, 4), *flat = shape_sheet(*state, 12, 12), *fine = NULL;
    ruga_vec3 *lifted = malloc(flat->vertex_count * sizeof *lifted);
    memcpy(lifted, flat->positions, flat->vertex_count * sizeof *lifted);
    size_t high = 6 * 13 + 6;
    lifted[high].y = 0.3;
    fine = shape_make(*state, flat->vertex_count, lifted, flat->triangle_count, NULL, flat->triangles);
    for (int s = 0; s < 2; s++) {
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        def.reach = 0.1;
        ruga_wrinkle_mesh *mesh = NULL;
        assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
        ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(mesh);
        assert_int_equal(report.unattached, 1);
        assert_less(report.greatest_radius, 1);
        wrinkled w = wrinkled_on(base, fine, mesh);
        update(w);
        assert_true(rms_offset(w) == 0);
        squeeze(w, 0.8);
        for (int frame = 0; frame < 50; frame++) update(w);
        assert_true(vec3_is_finite(w.positions[high]));
        assert_near(w.positions[high].y, 0, 0.4);
        assert_less(0.2, w.positions[high].y); /* its edges carry it */
        free(w.moved), free(w.positions), free(w.normals);
        ruga_wrinkle_mesh_destroy(mesh);
    }
    free(lifted);
    ruga_mesh_destroy(flat);
    ruga_mesh_destroy(base);
    ruga_mesh_destroy(fine);
}

/* ---- Parameters. */

static void painted_radii_hold_single_vertices_and_change_with_time(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1.1);
    ruga_mesh *base = shape_sheet(*state, 6, 6);
    double painted[19 * 19], none[19 * 19] = {0};
    for (size_t v = 0; v < 19 * 19; v++) painted[v] = 0.02 * (double)(v % 3);
    ruga_param first = ruga_param_array(painted, 19 * 19), second = ruga_param_array(none, 19 * 19);
    const ruga_param_key keys[2] = {{0, &first}, {1, &second}};
    def.radius = ruga_param_keys(keys, 2);
    wrinkled w = wrinkle_regular(base, 3, &def);
    for (int frame = 0; frame < 5; frame++) update(w);
    size_t moved = 0;
    for (size_t v = 0; v < w.fine->vertex_count; v++) {
        double away = vec3_distance(w.positions[v], w.fine->positions[v]);
        assert_at_most(away, painted[v] * (1 + 1e-4) + 1e-6);
        moved += away > 0.01;
    }
    assert_less(20, moved);
    assert_ok(*state, ruga_wrinkle_mesh_set_time(w.mesh, 0.5));
    update(w);
    for (size_t v = 0; v < w.fine->vertex_count; v++)
        assert_at_most(vec3_distance(w.positions[v], w.fine->positions[v]), 0.5 * painted[v] * (1 + 1e-4) + 1e-6);
    assert_ok(*state, ruga_wrinkle_mesh_set_time(w.mesh, 2));
    update(w);
    for (size_t v = 0; v < w.fine->vertex_count; v++)
        assert_less(vec3_distance(w.positions[v], w.fine->positions[v]), 1e-6);
    assert_status(ruga_wrinkle_mesh_set_time(w.mesh, NAN), RUGA_ERROR_ARGUMENT);
    wrinkled_release(w);
}

static void an_edge_may_have_a_pre_stretch_of_its_own(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 0.9);
    wrinkled w = wrinkle_regular(shape_sheet(*state, 4, 4), 3, &def);
    size_t edges = ruga_wrinkle_mesh_get_report(w.mesh).edges;
    const uint32_t *ends = ruga_wrinkle_mesh_edges(w.mesh);
    double *scales = malloc(edges * sizeof *scales);
    for (size_t e = 0; e < edges; e++) scales[e] = w.fine->positions[ends[2 * e]].x > 0.5 ? 1.3 : 1;
    def.edge_pre_stretch = scales;
    wrinkled s = wrinkle_regular(shape_sheet(*state, 4, 4), 3, &def);
    for (int frame = 0; frame < 20; frame++) update(s);
    double left = 0, right = 0;
    for (size_t v = 0; v < s.fine->vertex_count; v++) {
        double *side = s.fine->positions[v].x > 0.5 ? &right : &left;
        if (fabs(s.fine->positions[v].x - 0.5) > 0.3) *side = fmax(*side, fabs(s.positions[v].y));
    }
    fail_if(!(right > 0.01 && left < 0.1 * right), "heights of %g m and %g m", left, right);
    scales[3] = -1;
    ruga_mesh *fine = NULL;
    ruga_wrinkle_mesh *mesh = NULL;
    ruga_subdivide_def parts = ruga_subdivide_def_default();
    parts.n = 3;
    assert_status(ruga_wrinkle_mesh_create_subdivided(s.base, &parts, &def, &fine, &mesh), RUGA_ERROR_INPUT);
    assert_message_has(*state, "edge 3");
    free(scales);
    wrinkled_release(s);
    wrinkled_release(w);
}

/* ---- Invalid input. */

static ruga_status try_to_make(const ruga_mesh *base, const ruga_mesh *fine, const ruga_wrinkle_mesh_def *def) {
    ruga_wrinkle_mesh *mesh = NULL;
    ruga_status status = ruga_wrinkle_mesh_create(base, fine, def, &mesh);
    ruga_wrinkle_mesh_destroy(mesh);
    return status;
}

static void defs_without_sense_are_refused(void **state) {
    ruga_mesh *base = shape_sheet(*state, 4, 4), *fine = shape_sheet(*state, 8, 8);
    const ruga_wrinkle_mesh_def good = ruga_wrinkle_mesh_def_default();
    ruga_wrinkle_mesh_def def = {0};
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_ARGUMENT);
    def = good, def.iterations = -1;
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_ARGUMENT);
    def = good, def.wavelength = -0.1;
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_ARGUMENT);
    def = good, def.variation = 1.1;
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_ARGUMENT);
    def = good, def.calm = -1;
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_ARGUMENT);
    def = good, def.reach = -1;
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_ARGUMENT);
    def = good, def.surface = (ruga_wrinkle_surface)7;
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_ARGUMENT);
    def = good, def.solver = RUGA_WRINKLE_PROJECTION, def.bend = RUGA_WRINKLE_BEND_CURVATURE;
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "curvature");

    double radii[81];
    for (int v = 0; v < 81; v++) radii[v] = v == 17 ? -0.01 : 0.01;
    def = good, def.radius = ruga_param_array(radii, 81);
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_INPUT);
    assert_message_has(*state, "vertex 17");
    def = good, def.pre_stretch = ruga_param_constant(0);
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_INPUT);
    assert_message_has(*state, "pre_stretch: vertex 0 has 0, allowed is 0.001 to 100");
    def = good, def.wavelength = 0, def.bending = ruga_param_constant(1.5);
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_INPUT);
    assert_message_has(*state, "bending: vertex 0 has 1.5, allowed is 0 to 1");
    def = good, def.direction_weight = ruga_param_constant(0.5);
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_INPUT);
    assert_message_has(*state, "no UVs");
    ruga_param small = ruga_param_constant(0.01), bad = ruga_param_constant(NAN);
    const ruga_param_key keys[2] = {{0, &small}, {1, &bad}};
    def = good, def.radius = ruga_param_keys(keys, 2);
    assert_true(RUGA_FAILED(try_to_make(base, fine, &def)));
    def = good, def.bind_normals = (ruga_view){radii, 3, 0, RUGA_F64};
    assert_status(try_to_make(base, fine, &def), RUGA_ERROR_INPUT);
    ruga_mesh_destroy(base);
    ruga_mesh_destroy(fine);
}

static void errors_of_meshes_that_do_not_match_name_the_worst_vertex(void **state) {
    ruga_mesh *base = shape_torus(*state, 12, 9), *fine = shape_torus(*state, 24, 18);
    const ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    ruga_vec3 *points = malloc(fine->vertex_count * sizeof *points);
    const double scales[] = {100, 0.01};
    for (int k = 0; k < 2; k++) {
        for (size_t v = 0; v < fine->vertex_count; v++) points[v] = vec3_scale(fine->positions[v], scales[k]);
        ruga_mesh *other = shape_make(*state, fine->vertex_count, points, fine->triangle_count, NULL, fine->triangles);
        assert_status(try_to_make(base, other, &def), RUGA_ERROR_INPUT);
        assert_message_has(*state, "unit");
        ruga_mesh_destroy(other);
    }
    memcpy(points, fine->positions, fine->vertex_count * sizeof *points);
    points[7].y = NAN;
    ruga_mesh *broken = shape_make(*state, fine->vertex_count, points, fine->triangle_count, NULL, fine->triangles);
    assert_status(try_to_make(base, broken, &def), RUGA_ERROR_INPUT);
    assert_message_has(*state, "vertex 7 of the fine mesh");
    ruga_mesh_destroy(broken);

    ruga_wrinkle_mesh_def near = def;
    near.reach = 1e-9;
    for (size_t v = 0; v < fine->vertex_count; v++) points[v] = vec3_scale(fine->positions[v], 1.01);
    ruga_mesh *off = shape_make(*state, fine->vertex_count, points, fine->triangle_count, NULL, fine->triangles);
    assert_status(try_to_make(base, off, &near), RUGA_ERROR_INPUT);
    assert_message_has(*state, "reach");
    ruga_mesh_destroy(off);

    ruga_mesh *empty = shape_make(*state, fine->vertex_count, points, 0, NULL, fine->triangles);
    assert_status(try_to_make(base, empty, &def), RUGA_ERROR_INPUT);
    assert_message_has(*state, "no faces");
    ruga_mesh_destroy(empty);

    const ruga_vec3 line[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}};
    const uint32_t faces[6] = {0, 1, 3, 0, 1, 2};
    ruga_mesh *flat = shape_make(*state, 4, line, 2, NULL, faces), *sheet = shape_sheet(*state, 4, 4);
    assert_status(try_to_make(flat, sheet, &def), RUGA_ERROR_INPUT);
    ruga_mesh_destroy(flat);
    ruga_mesh_destroy(sheet);
    free(points);
    ruga_mesh_destroy(base);
    ruga_mesh_destroy(fine);
}

static void a_bad_frame_names_its_vertex_and_changes_nothing(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    wrinkled w = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
    size_t count = w.base->vertex_count, bytes = w.fine->vertex_count * sizeof *w.positions;
    squeeze_frame(w, 2);
    update(w);
    ruga_vec3 *before = memcpy(malloc(bytes), w.positions, bytes), *normals = calloc(count, sizeof *normals);
    ruga_view in = view_of(w.moved, count), own = view_of(normals, count);

    w.moved[33].z = NAN;
    assert_status(ruga_wrinkle_mesh_update(w.mesh, &in, NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "vertex 33");
    w.moved[33].z = 1e300;
    assert_status(ruga_wrinkle_mesh_update(w.mesh, &in, NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "across");
    squeeze_frame(w, 2);
    normals[40].x = INFINITY;
    assert_status(ruga_wrinkle_mesh_update(w.mesh, &in, &own), RUGA_ERROR_INPUT);
    assert_message_has(*state, "vertex 40");
    in.count--;
    assert_status(ruga_wrinkle_mesh_update(w.mesh, &in, NULL), RUGA_ERROR_INPUT);
    in.count++;
    in.type = RUGA_U16;
    assert_status(ruga_wrinkle_mesh_update(w.mesh, &in, NULL), RUGA_ERROR_ARGUMENT);
    in.type = RUGA_F64;
    in.stride = 8;
    assert_status(ruga_wrinkle_mesh_update(w.mesh, &in, NULL), RUGA_ERROR_ARGUMENT);
    in.stride = 0;
    in.data = NULL;
    assert_status(ruga_wrinkle_mesh_update(w.mesh, &in, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_wrinkle_mesh_settle(w.mesh, &in, NULL, -1, 0, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_wrinkle_mesh_settle(w.mesh, &in, NULL, 0, -1, NULL), RUGA_ERROR_ARGUMENT);
    ruga_view out = view_of(w.positions, w.fine->vertex_count + 1);
    assert_status(ruga_wrinkle_mesh_read(w.mesh, &out, NULL), RUGA_ERROR_INPUT);

    read_fine(w);
    assert_memory_equal(before, w.positions, bytes);
    free(before);
    free(normals);
    wrinkled_release(w);
}

/* A triangle whose corners come together keeps its frame; everything stays finite. */
static void a_base_that_collapses_for_a_frame_comes_back(void **state) {
    for (int s = 0; s < 2; s++) {
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        wrinkled w = wrinkle_regular(shape_torus(*state, 8, 6), 2, &def);
        for (size_t v = 0; v < w.base->vertex_count; v++) w.moved[v] = (ruga_vec3){1, 2, 3};
        update(w);
        for (size_t v = 0; v < w.fine->vertex_count; v++) assert_true(vec3_is_finite(w.positions[v]));
        squeeze_frame(w, 0);
        for (int frame = 0; frame < 400; frame++) update(w);
        for (size_t v = 0; v < w.fine->vertex_count; v++) assert_true(vec3_is_finite(w.positions[v]));
        wrinkled_release(w);
    }
}

static ruga_status make_copy_and_save(ruga_context *context, void *user) {
    const ruga_wrinkle_mesh_def *def = user;
    ruga_mesh *base = NULL, *fine = NULL;
    ruga_wrinkle_mesh *mesh = NULL, *copy = NULL;
    void *bytes = NULL;
    size_t size = 0;
    ruga_mesh_def small = ruga_mesh_def_default();
    const ruga_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {0, 0, -1}};
    const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
    small.positions = view_of(corners, 4);
    small.face_count = 2;
    small.face_vertices = faces;
    ruga_subdivide_def parts = ruga_subdivide_def_default();
    parts.n = 2;
    ruga_status status = ruga_mesh_create(context, &small, &base);
    if (!RUGA_FAILED(status)) status = ruga_wrinkle_mesh_create_subdivided(base, &parts, def, &fine, &mesh);
    if (!RUGA_FAILED(status)) status = ruga_wrinkle_mesh_copy(mesh, &copy);
    if (!RUGA_FAILED(status)) status = ruga_wrinkle_mesh_save(copy, &bytes, &size);
    if (!RUGA_FAILED(status)) status = ruga_wrinkle_mesh_load(mesh, bytes, size);
    ruga_free(context, bytes);
    ruga_wrinkle_mesh_destroy(copy);
    ruga_wrinkle_mesh_destroy(mesh);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(base);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (int s = 0; s < 2; s++) {
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        def.side = RUGA_WRINKLE_NEIGHBOURHOOD;
        ruga_param small = ruga_param_constant(0.01), great = ruga_param_constant(0.02);
        const ruga_param_key keys[2] = {{0, &small}, {1, &great}};
        def.radius = ruga_param_keys(keys, 2);
        if (s) def.wavelength = 0.3;
        assert_every_allocation_may_fail(make_copy_and_save, &def);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_with_a_stride_give_what_doubles_give),
        cmocka_unit_test(far_from_the_origin_wrinkles_are_as_fine_as_near_it),
        cmocka_unit_test(normals_of_the_caller_count_whatever_their_length),
        cmocka_unit_test(bind_normals_make_a_rest_of_normals_that_no_triangle_has),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(two_may_be_updated_from_two_threads_at_once),
        cmocka_unit_test(an_update_allocates_nothing),
        cmocka_unit_test(long_edges_may_be_split_until_none_is_left),
        cmocka_unit_test(a_body_of_tets_carries_a_surface),
        cmocka_unit_test(vertices_out_of_reach_hang_on_their_edges_alone),
        cmocka_unit_test(painted_radii_hold_single_vertices_and_change_with_time),
        cmocka_unit_test(an_edge_may_have_a_pre_stretch_of_its_own),
        cmocka_unit_test(defs_without_sense_are_refused),
        cmocka_unit_test(errors_of_meshes_that_do_not_match_name_the_worst_vertex),
        cmocka_unit_test(a_bad_frame_names_its_vertex_and_changes_nothing),
        cmocka_unit_test(a_base_that_collapses_for_a_frame_comes_back),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
