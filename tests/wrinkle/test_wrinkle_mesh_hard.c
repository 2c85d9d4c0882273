/* Wrinkle meshes where it is hard: the smallest meshes and the strangest, objects of any size and at any place, bases
 * that collapse, turn over and come back; and what holds whatever is chosen together. */
#include "wrinkle_mesh_support.h"

static const ruga_wrinkle_solver solvers[] = {RUGA_WRINKLE_PROJECTION, RUGA_WRINKLE_COMPLIANT};

static void assert_finite(wrinkled w, const char *what) {
    for (size_t v = 0; v < w.fine->vertex_count; v++)
        fail_if(!vec3_is_finite(w.positions[v]) || !vec3_is_finite(w.normals[v]), "%s: vertex %zu", what, v);
}

/* ---- Every choice with every other. */

static ruga_wrinkle_mesh_def choice(int number) {
    ruga_wrinkle_mesh_def def = def_with(solvers[number % 2], 1);
    def.surface = (ruga_wrinkle_surface)(number / 2 % 3);
    def.side = (ruga_wrinkle_side)(number / 6 % 3);
    def.frame = (ruga_wrinkle_frame)(number / 18 % 2);
    def.normal_only = number / 36 % 2;
    def.wavelength = number % 5 == 0 ? 0.6 : NAN;
    def.bend = number % 3 == 0 ? RUGA_WRINKLE_BEND_DIHEDRAL : RUGA_WRINKLE_BEND_OPPOSITE;
    def.reference = number % 7 == 0;
    return def;
}
enum { CHOICES = 72 };

static void whatever_is_chosen_threads_change_no_bit_and_updates_allocate_nothing(void **state) {
    skip_unless_long();
    (void)state;
    for (int number = 0; number < CHOICES; number += SANITIZED ? 15 : 5) {
        ruga_vec3 *first = NULL;
        for (int k = 0; k < 3; k++) {
            counting_allocator counter = {.fail_at = -1};
            ruga_context *context = k == 0 ? context_counting(&counter) : context_plain(k == 1 ? 3 : 8);
            ruga_wrinkle_mesh_def def = choice(number);
            wrinkled w = wrinkle_regular(shape_torus(context, 24, 16), 3, &def);
            long before = counter.allocations;
            for (int frame = 1; frame < 3; frame++) {
                squeeze(w, 1 - 0.08 * frame);
                update(w);
            }
            if (k == 0) assert_int_equal(counter.allocations, before);
            fail_if(!(rms_offset(w) > 1e-4), "choice %d has no wrinkles", number);
            size_t bytes = w.fine->vertex_count * sizeof *first;
            if (!first) first = memcpy(malloc(bytes), w.positions, bytes);
            fail_if(memcmp(first, w.positions, bytes) != 0, "choice %d differs with threads", number);
            wrinkled_release(w);
            ruga_context_destroy(context);
        }
        free(first);
    }
}

/* The attachment points: a mesh that is never seeded and never solved. */
static wrinkled attached_only(ruga_mesh *base, int n, ruga_wrinkle_mesh_def def) {
    def.iterations = 0;
    def.pre_stretch = ruga_param_constant(1e-3);
    return wrinkle_regular(base, n, &def);
}

static void whatever_is_chosen_no_vertex_leaves_its_radius(void **state) {
    skip_when_sanitized();
    for (int number = 0; number < CHOICES; number++) {
        ruga_wrinkle_mesh_def def = choice(number);
        wrinkled w = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
        wrinkled a = attached_only(shape_torus(*state, 12, 9), 3, def);
        double radius = ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius;
        for (int frame = 1; frame < 5; frame++) {
            squeeze(w, 1 - 0.06 * frame);
            memcpy(a.moved, w.moved, w.base->vertex_count * sizeof *a.moved);
            update(w);
            update(a);
            for (size_t v = 0; v < w.fine->vertex_count; v++) {
                vec3 o = vec3_sub(w.positions[v], a.positions[v]);
                fail_if(!(vec3_length(o) < radius * (1 + 1e-4) + 1e-6), "choice %d: vertex %zu is %g radii away",
                        number, v, vec3_length(o) / radius);
            }
        }
        wrinkled_release(w);
        wrinkled_release(a);
    }
}

/* Also where planes of the triangles around stand askew to it. */
static void along_normals_only_means_that_with_every_side(void **state) {
    for (int s = 0; s < 2; s++)
        for (int side = 0; side < 3; side++) {
            ruga_wrinkle_mesh_def def = def_with(solvers[s], 1.1);
            def.side = (ruga_wrinkle_side)side;
            def.surface = RUGA_WRINKLE_LINEAR;
            def.normal_only = 1;
            def.radius = ruga_param_constant(0.03);
            wrinkled w = wrinkle_regular(shape_sheet(*state, 8, 8), 3, &def);
            wrinkled a = attached_only(shape_sheet(*state, 8, 8), 3, def);
            ruga_vec3 *normals = malloc(w.base->vertex_count * sizeof *normals);
            for (size_t v = 0; v < w.base->vertex_count; v++) {
                ruga_vec3 p = w.base->positions[v];
                w.moved[v] = a.moved[v] = (ruga_vec3){p.x, 1.5 * fabs(p.x - 0.5), p.z};
                normals[v] = (ruga_vec3){0, 1, 0}; /* all the same, so that lines are known */
            }
            ruga_view positions = view_of(w.moved, w.base->vertex_count), up = view_of(normals, w.base->vertex_count);
            for (int frame = 0; frame < 10; frame++) {
                assert_ok(*state, ruga_wrinkle_mesh_update(w.mesh, &positions, &up));
                assert_ok(*state, ruga_wrinkle_mesh_update(a.mesh, &positions, &up));
            }
            read_fine(w);
            read_fine(a);
            double sideways = 0, height = 0;
            for (size_t v = 0; v < w.fine->vertex_count; v++) {
                vec3 o = vec3_sub(w.positions[v], a.positions[v]);
                sideways = fmax(sideways, hypot(o.x, o.z));
                height = fmax(height, fabs(o.y));
            }
            fail_if(!(sideways < 1e-5 && height > 0.005), "solver %d, side %d: %g m sideways, %g m high", s, side,
                    sideways, height);
            free(normals);
            wrinkled_release(w);
            wrinkled_release(a);
        }
}

/* ---- Meshes. */

static void one_triangle_is_enough(void **state) {
    const ruga_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, -1}};
    const uint32_t face[3] = {0, 1, 2};
    for (int number = 0; number < CHOICES; number++)
        for (int n = 1; n <= 4; n += 3) {
            ruga_wrinkle_mesh_def def = choice(number);
            wrinkled w = wrinkle_regular(shape_make(*state, 3, corners, 1, NULL, face), n, &def);
            update(w);
            assert_true(rms_offset(w) == 0);
            squeeze(w, 0.8);
            for (int frame = 0; frame < 5; frame++) update(w);
            settle(w, 0, 50);
            assert_finite(w, "one triangle");
            wrinkled_release(w);
        }
}

static void the_base_may_be_its_own_fine_mesh(void **state) {
    for (int s = 0; s < 2; s++) {
        ruga_mesh *base = shape_torus(*state, 12, 9);
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        ruga_wrinkle_mesh *mesh = NULL;
        assert_ok(*state, ruga_wrinkle_mesh_create(base, base, &def, &mesh));
        wrinkled w = wrinkled_on(base, base, mesh);
        update(w);
        for (size_t v = 0; v < base->vertex_count; v++)
            assert_less(vec3_distance(w.positions[v], base->positions[v]), 1e-6);
        squeeze(w, 0.9);
        update(w);
        assert_less(0, rms_offset(w));
        assert_finite(w, "its own");
        w.fine = NULL; /* it is the base */
        wrinkled_release(w);
    }
}

/* Vertices in no triangle hang on the base as any other; they have no edge that a radius could be too wide for. */
static void loose_vertices_stay_where_they_hang(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 6, 6);
    size_t count = sheet->vertex_count;
    ruga_vec3 *points = malloc((count + 2) * sizeof *points);
    memcpy(points, sheet->positions, count * sizeof *points);
    points[count] = (ruga_vec3){0.3, 0, -0.4};
    points[count + 1] = (ruga_vec3){0.7, 0.05, -0.6};
    for (int s = 0; s < 2; s++) {
        ruga_mesh *base = shape_sheet(*state, 2, 2);
        ruga_mesh *fine = shape_make(*state, count + 2, points, sheet->triangle_count, NULL, sheet->triangles);
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        def.radius = ruga_param_constant(0.01);
        ruga_wrinkle_mesh *mesh = NULL;
        assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
        assert_int_equal(ruga_wrinkle_mesh_get_report(mesh).wide_count, 0);
        wrinkled w = wrinkled_on(base, fine, mesh);
        squeeze(w, 0.8);
        for (int frame = 0; frame < 5; frame++) update(w);
        assert_finite(w, "loose");
        assert_less(vec3_distance(w.positions[count], vec3_make(0.24, 0, -0.4)), 0.0101);
        assert_less(vec3_distance(w.positions[count + 1], vec3_make(0.56, 0.05, -0.6)), 0.0101);
        wrinkled_release(w);
    }
    free(points);
    ruga_mesh_destroy(sheet);
}

/* Three leaves at an edge, one of them with the opposite orientation. */
static void edges_of_three_triangles_are_no_hindrance(void **state) {
    const ruga_vec3 corners[5] = {{0, 0, 0}, {0, 0, -1}, {1, 0, -0.5}, {-1, 0.2, -0.5}, {0.1, 1, -0.5}};
    const uint32_t faces[9] = {0, 2, 1, 0, 1, 3, 0, 1, 4};
    for (int s = 0; s < 2; s++)
        for (int surface = 0; surface < 2; surface++) {
            ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
            def.surface = (ruga_wrinkle_surface)surface;
            wrinkled w = wrinkle_regular(shape_make(*state, 5, corners, 3, NULL, faces), 4, &def);
            update(w);
            assert_true(rms_offset(w) == 0);
            for (size_t v = 0; v < 5; v++) w.moved[v] = vec3_scale(corners[v], 0.8);
            for (int frame = 0; frame < 5; frame++) update(w);
            assert_less(0, rms_offset(w));
            assert_finite(w, "three leaves");
            wrinkled_release(w);
        }
}

static void more_parts_than_can_be_are_refused(void **state) {
    ruga_mesh *base = shape_sheet(*state, 64, 64), *fine = NULL;
    ruga_wrinkle_mesh *mesh = NULL;
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    ruga_subdivide_def parts = ruga_subdivide_def_default();
    for (int k = 0; k < 3; k++) {
        parts.n = (const int[]){0, -3, 1 << 20}[k];
        assert_true(RUGA_FAILED(ruga_wrinkle_mesh_create_subdivided(base, &parts, &def, &fine, &mesh)));
        assert_null(fine);
        assert_null(mesh);
    }
    ruga_mesh_destroy(base);
}

/* ---- Places and sizes. */

static void an_object_of_any_size_wrinkles_alike(void **state) {
    const double sizes[] = {1, 1e-4, 1e3};
    for (int s = 0; s < 2; s++)
        for (int wave = 0; wave < 2; wave++) {
            double first = 0;
            for (int k = 0; k < 3; k++) {
                ruga_mesh *unit = shape_sheet(*state, 8, 8);
                ruga_vec3 *points = malloc(unit->vertex_count * sizeof *points);
                for (size_t v = 0; v < unit->vertex_count; v++) points[v] = vec3_scale(unit->positions[v], sizes[k]);
                ruga_mesh *base =
                    shape_make(*state, unit->vertex_count, points, unit->triangle_count, NULL, unit->triangles);
                ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
                if (wave) def.wavelength = 0.25 * sizes[k];
                wrinkled w = wrinkle_regular(base, 3, &def);
                squeeze(w, 0.85);
                for (int frame = 0; frame < 10; frame++) update(w);
                double offset = rms_offset(w) / sizes[k];
                if (k == 0) first = offset;
                fail_if(!(first > 0.005 && fabs(offset / first - 1) < 0.05),
                        "solver %d, size %g: offsets %g, of 1 m %g", s, sizes[k], offset, first);
                free(points);
                ruga_mesh_destroy(unit);
                wrinkled_release(w);
            }
        }
}

/* Made, not only moved, ten kilometres away: floats there are a millimetre apart. */
static void an_object_made_far_away_wrinkles_as_one_near(void **state) {
    for (int s = 0; s < 2; s++) {
        ruga_vec3 *near = NULL;
        for (int far = 0; far < 2; far++) {
            ruga_mesh *unit = shape_sheet(*state, 8, 8);
            const vec3 away = far ? vec3_make(8192, -16384, 4096) : vec3_make(0, 0, 0);
            ruga_vec3 *points = malloc(unit->vertex_count * sizeof *points);
            for (size_t v = 0; v < unit->vertex_count; v++) points[v] = vec3_add(unit->positions[v], away);
            ruga_mesh *base =
                shape_make(*state, unit->vertex_count, points, unit->triangle_count, NULL, unit->triangles);
            ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
            wrinkled w = wrinkle_regular(base, 3, &def);
            update(w);
            assert_true(rms_offset(w) == 0);
            for (size_t v = 0; v < base->vertex_count; v++) w.moved[v].x = away.x + 0.875 * (points[v].x - away.x);
            for (int frame = 0; frame < 5; frame++) update(w);
            if (!far)
                near = memcpy(malloc(w.fine->vertex_count * sizeof *near), w.positions,
                              w.fine->vertex_count * sizeof *near);
            for (size_t v = 0; v < w.fine->vertex_count; v++)
                fail_if(!(vec3_distance(vec3_sub(w.positions[v], away), near[v]) < 1e-4),
                        "solver %d: vertex %zu is %g m off", s, v,
                        vec3_distance(vec3_sub(w.positions[v], away), near[v]));
            free(points);
            ruga_mesh_destroy(unit);
            wrinkled_release(w);
        }
        free(near);
    }
}

/* ---- Frames. */

typedef void deform(wrinkled w);
static void to_a_point(wrinkled w) {
    for (size_t v = 0; v < w.base->vertex_count; v++) w.moved[v] = (ruga_vec3){3, 2, 1};
}
static void to_a_line(wrinkled w) {
    for (size_t v = 0; v < w.base->vertex_count; v++) w.moved[v] = (ruga_vec3){w.base->positions[v].x, 0, 0};
}
static void to_a_plane(wrinkled w) {
    for (size_t v = 0; v < w.base->vertex_count; v++)
        w.moved[v] = (ruga_vec3){w.base->positions[v].x, 0, w.base->positions[v].z};
}
static void upside_down(wrinkled w) {
    for (size_t v = 0; v < w.base->vertex_count; v++) {
        ruga_vec3 p = w.base->positions[v];
        w.moved[v] = (ruga_vec3){p.x, -p.y, -p.z};
    }
}
static void mirrored(wrinkled w) {
    for (size_t v = 0; v < w.base->vertex_count; v++) {
        ruga_vec3 p = w.base->positions[v];
        w.moved[v] = (ruga_vec3){-p.x, p.y, p.z};
    }
}
static void too_great(wrinkled w) {
    for (size_t v = 0; v < w.base->vertex_count; v++) w.moved[v] = vec3_scale(w.base->positions[v], 1000);
}

/* One frame of nonsense, then the rest pose again: nothing is left of it when there is nothing to wrinkle. */
static void a_frame_of_any_shape_is_survived(void **state) {
    deform *const deforms[] = {to_a_point, to_a_line, to_a_plane, upside_down, mirrored, too_great};
    for (int number = 0; number < CHOICES; number += SANITIZED ? 5 : 1)
        for (size_t k = 0; k < sizeof deforms / sizeof *deforms; k++) {
            ruga_wrinkle_mesh_def def = choice(number);
            def.pre_stretch = ruga_param_constant(0.9);
            wrinkled w = wrinkle_regular(shape_torus(*state, 8, 6), 2, &def);
            squeeze(w, 0.9);
            update(w);
            deforms[k](w);
            update(w);
            assert_finite(w, "nonsense");
            squeeze(w, 1);
            update(w);
            assert_finite(w, "after it");
            double radius = ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius;
            assert_at_most(rms_offset(w), radius * (1 + 1e-4));
            wrinkled_release(w);
        }
}

/* The frames of triangles without area are those of the rest pose then, whatever was before. */
static void settling_on_a_collapsed_base_gives_the_same_whatever_was_before(void **state) {
    for (int s = 0; s < 2; s++) {
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        ruga_mesh *fine = shape_torus(*state, 16, 12);
        wrinkled w[2];
        for (int k = 0; k < 2; k++) {
            ruga_mesh *base = shape_torus(*state, 8, 6);
            ruga_wrinkle_mesh *mesh = NULL;
            assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
            w[k] = wrinkled_on(base, fine, mesh);
            if (k) {
                upside_down(w[k]);
                update(w[k]);
            }
            to_a_line(w[k]);
            settle(w[k], 0.01, 128);
        }
        assert_memory_equal(w[0].positions, w[1].positions, fine->vertex_count * sizeof *w[0].positions);
        wrinkled_release(w[0]);
        w[1].fine = NULL;
        wrinkled_release(w[1]);
    }
}

static void no_iterations_leave_what_is_within_the_limits(void **state) {
    for (int number = 0; number < CHOICES; number++) {
        ruga_wrinkle_mesh_def def = choice(number);
        def.iterations = 0;
        wrinkled w = wrinkle_regular(shape_torus(*state, 8, 6), 2, &def);
        update(w);
        assert_true(rms_offset(w) == 0);
        squeeze(w, 0.8);
        for (int frame = 0; frame < 3; frame++) update(w);
        assert_finite(w, "no iterations");
        double radius = ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius;
        assert_at_most(rms_offset(w), radius * (1 + 1e-4));
        wrinkled_release(w);
    }
}

static void a_radius_of_nothing_is_the_surface_itself(void **state) {
    skip_when_sanitized();
    for (int number = 0; number < CHOICES; number++) {
        ruga_wrinkle_mesh_def def = choice(number);
        def.radius = ruga_param_constant(0);
        wrinkled w = wrinkle_regular(shape_torus(*state, 8, 6), 3, &def);
        wrinkled a = attached_only(shape_torus(*state, 8, 6), 3, def);
        for (int frame = 0; frame < 3; frame++) {
            squeeze(w, 1 - 0.1 * frame);
            squeeze(a, 1 - 0.1 * frame);
            update(w);
            update(a);
            for (size_t v = 0; v < w.fine->vertex_count; v++)
                fail_if(!(vec3_distance(w.positions[v], a.positions[v]) < 1e-6), "choice %d moves", number);
        }
        settle(w, 0, 0);
        wrinkled_release(w);
        wrinkled_release(a);
    }
}

static void after_a_bad_frame_a_good_one_is_as_if_it_had_not_been(void **state) {
    for (int number = 0; number < CHOICES; number += 5) {
        ruga_wrinkle_mesh_def def = choice(number);
        wrinkled a = wrinkle_regular(shape_torus(*state, 12, 9), 2, &def);
        wrinkled b = wrinkle_regular(shape_torus(*state, 12, 9), 2, &def);
        ruga_view in = view_of(b.moved, b.base->vertex_count);
        for (int frame = 1; frame < 4; frame++) {
            squeeze(a, 1 - 0.05 * frame);
            squeeze(b, 1 - 0.05 * frame);
            update(a);
            b.moved[7].y = frame == 2 ? INFINITY : NAN;
            assert_status(ruga_wrinkle_mesh_update(b.mesh, &in, NULL), RUGA_ERROR_INPUT);
            assert_status(ruga_wrinkle_mesh_settle(b.mesh, &in, NULL, 0, 0, NULL), RUGA_ERROR_INPUT);
            squeeze(b, 1 - 0.05 * frame);
            update(b);
        }
        assert_memory_equal(a.positions, b.positions, a.fine->vertex_count * sizeof *a.positions);
        wrinkled_release(a);
        wrinkled_release(b);
    }
}

/* ---- Seams. */

/* A cylinder that is cut open from bottom to top, as textures want it. */
static ruga_mesh *cut_cylinder(ruga_context *context, size_t nx, size_t ny) {
    size_t columns = nx + 1, count = columns * (ny + 1);
    ruga_vec3 *points = malloc(count * sizeof *points);
    uint32_t *faces = malloc(6 * nx * ny * sizeof *faces);
    for (size_t y = 0; y <= ny; y++)
        for (size_t x = 0; x < columns; x++) {
            double angle = 2 * PI * (double)(x % nx) / (double)nx;
            points[y * columns + x] = (ruga_vec3){cos(angle), (double)y / (double)ny, -sin(angle)};
        }
    size_t f = 0;
    for (size_t y = 0; y < ny; y++)
        for (size_t x = 0; x < nx; x++) {
            uint32_t a = (uint32_t)(y * columns + x), b = a + 1, c = a + (uint32_t)columns, d = c + 1;
            const uint32_t two[6] = {a, b, d, a, d, c};
            memcpy(faces + 6 * f++, two, sizeof two);
        }
    ruga_mesh *mesh = shape_make(context, count, points, 2 * nx * ny, NULL, faces);
    free(points);
    free(faces);
    return mesh;
}

/* The greatest distance of two fine vertices that are in one place at rest, m; how many pairs there are. */
static double widest_crack(wrinkled w, size_t *pairs) {
    double widest = 0;
    *pairs = 0;
    for (size_t v = 0; v < w.fine->vertex_count; v++)
        for (size_t u = 0; u < v; u++) {
            if (vec3_distance(w.fine->positions[u], w.fine->positions[v]) > 1e-9) continue;
            widest = fmax(widest, vec3_distance(w.positions[u], w.positions[v]));
            widest = fmax(widest, vec3_distance(w.normals[u], w.normals[v]));
            *pairs += 1;
        }
    return widest;
}

/* Neither by normals that differ across it nor by wrinkles; with every number of parts, whose places are rounded
 * alike. */
static void a_seam_opens_no_crack(void **state) {
    skip_when_sanitized();
    const int parts[] = {2, 3, 5, 7};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 6; k++) {
            ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
            def.surface = (ruga_wrinkle_surface)(k % 3);
            def.side = (ruga_wrinkle_side)(k / 2);
            wrinkled w = wrinkle_regular(cut_cylinder(*state, 12, 4), parts[k % 4], &def);
            for (int frame = 1; frame < 8; frame++) {
                for (size_t v = 0; v < w.base->vertex_count; v++) {
                    w.moved[v] = w.base->positions[v];
                    w.moved[v].y *= 1 - 0.02 * frame;
                }
                update(w);
            }
            size_t pairs;
            double crack = widest_crack(w, &pairs);
            assert_int_equal(pairs, 4 * parts[k % 4] + 1);
            fail_if(crack != 0, "solver %d, %d parts: a crack of %g m", s, parts[k % 4], crack);
            assert_less(0.1 * ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius, rms_offset(w));
            wrinkled_release(w);
        }
}

/* Long edges that were halved, states that are kept, and radii painted otherwise on the two sides. */
static void across_a_seam_all_is_one(void **state) {
    ruga_subdivide_def parts = ruga_subdivide_def_default();
    parts.kind = RUGA_SUBDIVIDE_LONG_EDGES;
    parts.length = 0.2;
    ruga_mesh *base = cut_cylinder(*state, 12, 4), *fine = NULL;
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    ruga_wrinkle_mesh *mesh = NULL, *copy = NULL;
    assert_ok(*state, ruga_wrinkle_mesh_create_subdivided(base, &parts, &def, &fine, &mesh));
    ruga_wrinkle_mesh_destroy(mesh);
    double *radii = malloc(fine->vertex_count * sizeof *radii);
    for (size_t v = 0; v < fine->vertex_count; v++) radii[v] = 0.001 * (double)(1 + v % 40);
    def.radius = ruga_param_array(radii, fine->vertex_count);
    assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
    wrinkled w = wrinkled_on(base, fine, mesh);
    for (size_t v = 0; v < base->vertex_count; v++) w.moved[v].y *= 0.85;
    for (int frame = 0; frame < 5; frame++) update(w);
    size_t pairs;
    assert_true(widest_crack(w, &pairs) == 0);
    assert_less(5, pairs);

    void *bytes = NULL;
    size_t size = 0;
    assert_ok(*state, ruga_wrinkle_mesh_copy(mesh, &copy));
    assert_ok(*state, ruga_wrinkle_mesh_reset(copy));
    assert_ok(*state, ruga_wrinkle_mesh_save(mesh, &bytes, &size));
    assert_ok(*state, ruga_wrinkle_mesh_load(copy, bytes, size));
    update(w);
    wrinkled other = wrinkled_on(base, fine, copy);
    memcpy(other.moved, w.moved, base->vertex_count * sizeof *w.moved);
    update(other);
    assert_memory_equal(other.positions, w.positions, fine->vertex_count * sizeof *w.positions);
    free(other.moved), free(other.positions), free(other.normals);
    ruga_wrinkle_mesh_destroy(copy);
    ruga_free(*state, bytes);
    free(radii);
    wrinkled_release(w);
}

/* Two corners of a triangle are one across a seam: it has no area, and does no harm. */
static void a_triangle_between_two_that_are_one_does_no_harm(void **state) {
    const ruga_vec3 points[6] = {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {0, 0, -1}, {1, 0, -1}, {0, 0, 0}};
    const uint32_t faces[12] = {0, 1, 2, 5, 4, 3, 0, 2, 4, 0, 4, 5};
    for (int s = 0; s < 2; s++) {
        ruga_mesh *base = shape_sheet(*state, 2, 2), *fine = shape_make(*state, 6, points, 4, NULL, faces);
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        ruga_wrinkle_mesh *mesh = NULL;
        assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
        wrinkled w = wrinkled_on(base, fine, mesh);
        squeeze(w, 0.8);
        for (int frame = 0; frame < 5; frame++) update(w);
        assert_finite(w, "a sliver in a seam");
        wrinkled_release(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_chosen_threads_change_no_bit_and_updates_allocate_nothing),
        cmocka_unit_test(whatever_is_chosen_no_vertex_leaves_its_radius),
        cmocka_unit_test(along_normals_only_means_that_with_every_side),
        cmocka_unit_test(one_triangle_is_enough),
        cmocka_unit_test(the_base_may_be_its_own_fine_mesh),
        cmocka_unit_test(loose_vertices_stay_where_they_hang),
        cmocka_unit_test(edges_of_three_triangles_are_no_hindrance),
        cmocka_unit_test(more_parts_than_can_be_are_refused),
        cmocka_unit_test(an_object_of_any_size_wrinkles_alike),
        cmocka_unit_test(an_object_made_far_away_wrinkles_as_one_near),
        cmocka_unit_test(a_frame_of_any_shape_is_survived),
        cmocka_unit_test(settling_on_a_collapsed_base_gives_the_same_whatever_was_before),
        cmocka_unit_test(no_iterations_leave_what_is_within_the_limits),
        cmocka_unit_test(a_radius_of_nothing_is_the_surface_itself),
        cmocka_unit_test(after_a_bad_frame_a_good_one_is_as_if_it_had_not_been),
        cmocka_unit_test(a_seam_opens_no_crack),
        cmocka_unit_test(across_a_seam_all_is_one),
        cmocka_unit_test(a_triangle_between_two_that_are_one_does_no_harm),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
