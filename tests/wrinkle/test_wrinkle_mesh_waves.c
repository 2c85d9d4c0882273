/* Wrinkle meshes: what their wrinkles look like. Lengths and directions of waves are measured on the sheet at rest. */
#include "wrinkle_mesh_support.h"

#include "mesh/topology.h"
#include "support/spectrum.h"

/* Places at rest and heights of a wrinkled sheet. */
typedef struct heights {
    double *x, *y, *up;
    size_t count;
} heights;

static heights heights_of(wrinkled w) {
    size_t count = w.fine->vertex_count;
    heights h = {malloc(count * sizeof(double)), malloc(count * sizeof(double)), malloc(count * sizeof(double)), count};
    for (size_t v = 0; v < count; v++) {
        h.x[v] = w.fine->positions[v].x;
        h.y[v] = -w.fine->positions[v].z;
        h.up[v] = w.positions[v].y;
    }
    return h;
}

static void heights_release(heights h) {
    free(h.x);
    free(h.y);
    free(h.up);
}

static wave wave_of(wrinkled w, double expected, int along_x) {
    heights h = heights_of(w);
    wave found = dominating_wave(h.x, h.y, h.up, h.count, 0.4 * expected, 2.5 * expected, along_x);
    heights_release(h);
    return found;
}

/* Part of the power in waves that run along x, within half a radian. */
static double power_along_x(wrinkled w, double expected) {
    heights h = heights_of(w);
    double part = power_towards(h.x, h.y, h.up, h.count, 0.4 * expected, 2.5 * expected, 0, 0.5);
    heights_release(h);
    return part;
}

/* Length of all edges along x over that at rest. */
static double length_along_x(wrinkled w) {
    const uint32_t *ends = ruga_wrinkle_mesh_edges(w.mesh);
    size_t edges = ruga_wrinkle_mesh_get_report(w.mesh).edges;
    double rest = 0, now = 0;
    for (size_t e = 0; e < edges; e++) {
        uint32_t a = ends[2 * e], b = ends[2 * e + 1];
        if (fabs(w.fine->positions[a].z - w.fine->positions[b].z) > 1e-9) continue;
        rest += vec3_distance(w.fine->positions[a], w.fine->positions[b]);
        now += vec3_distance(w.positions[a], w.positions[b]);
    }
    return now / rest;
}

/* Compressed along x in steps, then held. */
static void compress(wrinkled w, double compression, int frames) {
    for (int frame = 1; frame <= frames; frame++) {
        squeeze(w, 1 - compression * fmin(1, 1.5 * frame / frames));
        update(w);
    }
}

static void waves_have_the_wanted_length_at_every_resolution(void **state) {
    skip_when_sanitized();
    const int parts[] = {3, 4, 6};
    const double wanted = 0.15;
    for (int solver = 0; solver < 2; solver++)
        for (int k = 0; k < 3; k++) {
            ruga_wrinkle_mesh_def def = def_with((ruga_wrinkle_solver)solver, 1);
            def.wavelength = wanted;
            wrinkled w = wrinkle_regular(shape_sheet(*state, 10, 10), parts[k], &def);
            compress(w, 0.15, 20);
            wave found = wave_of(w, wanted, 0);
            fail_if(!(fabs(found.length / wanted - 1) < 0.15), "solver %d, %d parts: waves of %g m", solver, parts[k],
                    found.length);
            wrinkled_release(w);
        }
}

/* By less than the fourth root of the factor: the radii stay those of the wavelength. */
static void bending_above_one_makes_longer_waves(void **state) {
    skip_when_sanitized();
    const double wanted = 0.1, factors[] = {1, 4, 16};
    double lengths[3];
    for (int k = 0; k < 3; k++) {
        ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
        def.wavelength = wanted;
        def.bending = ruga_param_constant(factors[k]);
        wrinkled w = wrinkle_regular(shape_sheet(*state, 12, 12), 5, &def);
        compress(w, 0.12, 15);
        lengths[k] = wave_of(w, wanted, 0).length;
        wrinkled_release(w);
    }
    assert_less(lengths[0], lengths[1]);
    assert_less(1.2 * lengths[0], lengths[2]);
    assert_less(lengths[2], 2 * lengths[0]);
}

/* Part of the heights' mean square in a wave: much in the dominating one if the sheet is corrugated. */
static double part_of(wave one, wrinkled w) {
    double squares = 0;
    for (size_t v = 0; v < w.fine->vertex_count; v++) squares += w.positions[v].y * w.positions[v].y;
    return one.power * (double)w.fine->vertex_count / squares;
}

static void a_variation_spreads_the_wavelengths_around_the_wanted_one(void **state) {
    skip_when_sanitized();
    const double wanted = 0.1;
    double corrugations[2] = {0, 0}, radius = 0;
    for (int seed = 0; seed < 2; seed++)
        for (int variation = 0; variation < 2; variation++) {
            ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
            def.wavelength = wanted;
            def.variation = variation;
            def.seed = seed;
            wrinkled w = wrinkle_regular(shape_sheet(*state, 12, 12), 5, &def);
            compress(w, 0.12, 15);
            const wave found = wave_of(w, wanted, 0);
            corrugations[variation] += part_of(found, w) / 2;
            assert_less(fabs(log2(found.length / wanted)), variation ? 0.5 : 0.2);
            const ruga_wrinkle_mesh_report report = ruga_wrinkle_mesh_get_report(w.mesh);
            if (variation == 0) radius = report.greatest_radius;
            assert_less(report.greatest_radius / radius, variation ? 1.4143 : 1.0001);
            assert_less(variation ? 0.7071 : 0.9999, report.least_radius / radius);
            if (variation) {
                assert_less(1.2, report.greatest_radius / radius);
                assert_less(report.least_radius / radius, 0.85);
            }
            wrinkled_release(w);
        }
    fail_if(!(corrugations[1] < 0.7 * corrugations[0]), "the dominating wave has %g of the power, without variation %g",
            corrugations[1], corrugations[0]);
}

static double chosen_wavelength(ruga_context *context, const ruga_wrinkle_mesh_def *def, int parts) {
    wrinkled w = wrinkle_regular(shape_sheet(context, 10, 10), parts, def);
    double length = ruga_wrinkle_mesh_get_report(w.mesh).wavelength;
    wrinkled_release(w);
    return length;
}

static void waves_that_nobody_asked_for_are_made_of_the_base_not_of_the_fine_mesh(void **state) {
    skip_when_sanitized();
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
    def.wavelength = NAN;
    const int parts[] = {4, 5, 6};
    const double edge = 0.1 * (2 + sqrt(2)) / 3, wanted = 1.5 * edge;
    for (int k = 0; k < 3; k++) {
        wrinkled w = wrinkle_regular(shape_sheet(*state, 10, 10), parts[k], &def);
        assert_near(ruga_wrinkle_mesh_get_report(w.mesh).wavelength / wanted, 1, 1e-9);
        compress(w, 0.15, 20);
        wave found = wave_of(w, wanted, 0);
        fail_if(!(fabs(found.length / wanted - 1) < 0.15), "%d parts: waves of %g m instead of %g", parts[k],
                found.length, wanted);
        wrinkled_release(w);
    }
    /* A fine mesh that is too coarse for them has those that it can show. */
    assert_near(chosen_wavelength(*state, &def, 2) / (5 * edge / 2), 1, 1e-9);
    /* There are none where they are not wanted, and with the paper's solver. */
    def.wavelength = 0;
    assert_true(isnan(chosen_wavelength(*state, &def, 4)));
    def.wavelength = NAN;
    def.solver = RUGA_WRINKLE_PROJECTION;
    assert_true(isnan(chosen_wavelength(*state, &def, 4)));
}

static void a_settled_sheet_has_waves_of_the_wanted_length(void **state) {
    skip_unless_long();
    const int parts[] = {3, 4, 5};
    const double wanted = 0.15;
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int seed = 0; seed < 2; seed++) {
            ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
            def.wavelength = wanted;
            def.seed = seed;
            wrinkled w = wrinkle_regular(shape_sheet(*state, 13, 13), parts[k], &def);
            squeeze(w, 0.9);
            settle(w, 2e-3, 256);
            sum += wave_of(w, wanted, 0).length / 2;
            wrinkled_release(w);
        }
        fail_if(!(fabs(sum / wanted - 1) < 0.15), "%d parts: waves of %g m", parts[k], sum);
    }
}

static void compression_along_one_axis_gives_wrinkles_across_it_and_keeps_lengths(void **state) {
    const double bounds[] = {0.02, 0.02}; /* what is left of a compression of 0.15 */
    for (int solver = 0; solver < 2; solver++) {
        ruga_wrinkle_mesh_def def = def_with((ruga_wrinkle_solver)solver, 1);
        def.wavelength = 0.15;
        def.radius = ruga_param_constant(0.025);
        wrinkled w = wrinkle_regular(shape_sheet(*state, 10, 10), 4, &def);
        compress(w, 0.15, 30);
        double along = power_along_x(w, 0.15), length = length_along_x(w);
        fail_if(!(along > 0.85), "solver %d: %g of the power is along x", solver, along);
        fail_if(!(fabs(length - 1) < bounds[solver]), "solver %d: lengths of %g", solver, length);
        wrinkled_release(w);
    }
}

/* A strip of 1 m, narrow enough to wave along x only. */
static ruga_mesh *narrow_strip(ruga_context *context) {
    ruga_mesh *sheet = shape_sheet(context, 40, 1);
    ruga_vec3 *narrow = malloc(sheet->vertex_count * sizeof *narrow);
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        narrow[v] = sheet->positions[v];
        narrow[v].z *= 0.025;
    }
    ruga_mesh *strip = shape_make(context, sheet->vertex_count, narrow, sheet->triangle_count, NULL, sheet->triangles);
    free(narrow);
    ruga_mesh_destroy(sheet);
    return strip;
}

/* A wave that takes up ε has a height of λ√ε/π. A trace of bending lets short waves, of which seeds without a wanted
 * length have many, grow together until their height is the radius: λ = πr/√ε. Within a fifth, projections within three
 * tenths: a strip has five to ten of them, their number is whole, and projections stop growing early or late. */
static void a_compressed_strip_has_waves_of_pi_r_over_the_root_of_the_compression(void **state) {
    skip_when_sanitized();
    const double compressions[] = {0.05, 0.2}, radius = 0.015, tolerances[] = {0.2, 0.3};
    for (int solver = 0; solver < 2; solver++)
        for (int k = 0; k < 2; k++) {
            const double expected = PI * radius / sqrt(compressions[k]);
            double length = 0, height = 0;
            for (int seed = 0; seed < 2; seed++) {
                ruga_wrinkle_mesh_def def = def_with((ruga_wrinkle_solver)solver, 1);
                def.radius = ruga_param_constant(radius);
                def.seed = seed;
                def.bend = solver == RUGA_WRINKLE_COMPLIANT ? RUGA_WRINKLE_BEND_CURVATURE : RUGA_WRINKLE_BEND_DIHEDRAL;
                def.bending = ruga_param_constant(solver == RUGA_WRINKLE_COMPLIANT ? 0.01 : 0.1);
                def.iterations = 100;
                def.calm = 0; /* waves grow together by large steps while the base rests */
                wrinkled w = wrinkle_regular(narrow_strip(*state), 3, &def);
                squeeze(w, 1 - compressions[k]);
                for (int frame = 0; frame < 40; frame++) update(w);
                length += wave_of(w, expected, 1).length / 2;
                height += greatest_height(w) / radius / 2;
                wrinkled_release(w);
            }
            fail_if(!(fabs(length / expected - 1) < tolerances[solver] && height > 0.9),
                    "solver %d, compression %g: waves of %g m for %g m, %g radii high", solver, compressions[k], length,
                    expected, height);
        }
}

/* In another order of constraints another minimum is found; what can be seen of it is the same. */
static void the_fast_path_looks_as_the_reference(void **state) {
    for (int solver = 0; solver < 2; solver++) {
        wrinkled w[2];
        for (int reference = 0; reference < 2; reference++) {
            ruga_wrinkle_mesh_def def = def_with((ruga_wrinkle_solver)solver, 1);
            def.reference = reference;
            def.wavelength = 0.15;
            def.iterations = solver == RUGA_WRINKLE_COMPLIANT && reference ? 40 : 10; /* it is not accelerated */
            w[reference] = wrinkle_regular(shape_sheet(*state, 10, 10), 3, &def);
            compress(w[reference], 0.15, 40);
        }
        wave fast = wave_of(w[0], 0.15, 0), plain = wave_of(w[1], 0.15, 0);
        double offsets = rms_offset(w[0]) / rms_offset(w[1]), lengths = length_along_x(w[0]) / length_along_x(w[1]);
        fail_if(!(fabs(fast.length / plain.length - 1) < 0.2 && fabs(offsets - 1) < 0.1 && fabs(lengths - 1) < 0.02),
                "solver %d: waves of %g m and %g m, offsets %g, lengths %g", solver, fast.length, plain.length, offsets,
                lengths);
        wrinkled_release(w[0]);
        wrinkled_release(w[1]);
    }
}

/* Under tension there is one minimum. */
static void the_compliant_form_ends_where_it_does_whatever_the_number_of_iterations(void **state) {
    const int iterations[] = {4, 10, 60};
    ruga_vec3 *first = NULL;
    for (int k = 0; k < 3; k++) {
        ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 0.97);
        def.iterations = iterations[k];
        def.wavelength = 0.5;
        wrinkled w = wrinkle_regular(shape_torus(*state, 12, 9), 2, &def);
        squeeze(w, 1.05);
        for (int frame = 0; frame < 2400 / iterations[k]; frame++) update(w);
        double radius = ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius, worst = 0;
        assert_less(0.1 * radius, rms_offset(w));
        if (!first)
            first =
                memcpy(malloc(w.fine->vertex_count * sizeof *first), w.positions, w.fine->vertex_count * sizeof *first);
        for (size_t v = 0; v < w.fine->vertex_count; v++) worst = fmax(worst, vec3_distance(first[v], w.positions[v]));
        fail_if(!(worst < 0.02 * radius), "%d iterations: %g radii away", iterations[k], worst / radius);
        wrinkled_release(w);
    }
    free(first);
}

static void vertices_may_move_along_their_normals_only(void **state) {
    for (int solver = 0; solver < 2; solver++) {
        ruga_wrinkle_mesh_def def = def_with((ruga_wrinkle_solver)solver, 1);
        def.normal_only = 1;
        wrinkled w = wrinkle_regular(shape_sheet(*state, 8, 8), 3, &def);
        compress(w, 0.1, 15);
        for (size_t v = 0; v < w.fine->vertex_count; v++) {
            assert_near(w.positions[v].x, 0.9 * w.fine->positions[v].x, 1e-5);
            assert_near(w.positions[v].z, w.fine->positions[v].z, 1e-5);
        }
        assert_less(0.2 * ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius, greatest_height(w));
        wrinkled_release(w);
    }
}

/* rad, root mean square of the angles between neighbouring triangles. */
static double rms_fold(wrinkled w) {
    topology *topo = NULL;
    assert_ok(w.base->context,
              topology_build(w.base->context, w.fine->vertex_count, w.fine->triangle_count, w.fine->triangles, &topo));
    double sum = 0;
    for (size_t k = 0; k < topo->pair_count; k++) {
        const uint32_t *pair = topo->pairs + 4 * k;
        vec3 a = w.positions[pair[0]], edge = vec3_sub(w.positions[pair[1]], a);
        vec3 one = vec3_cross(edge, vec3_sub(w.positions[pair[2]], a)),
             other = vec3_cross(vec3_sub(w.positions[pair[3]], a), edge);
        double angle = atan2(vec3_length(vec3_cross(one, other)), vec3_dot(one, other));
        sum += angle * angle;
    }
    double mean = sum / (double)topo->pair_count;
    topology_destroy(topo);
    return sqrt(mean);
}

/* Without a wavelength. The paper's distances of opposite vertices take the sharpest folds out, and no more: they do
 * not see slight bends, and the stiffer they are the more they are lengths to be kept. Angles and curvatures flatten
 * the more the stiffer. */
static void opposite_vertices_smooth_sharp_folds_and_angles_all(void **state) {
    skip_unless_long();
    const double bendings[] = {0, 0.1, 1};
    for (int solver = 0; solver < 2; solver++)
        for (int bend = 0; bend < 3 - solver; bend++) {
            double folds[3];
            for (int k = 0; k < 3; k++) {
                ruga_wrinkle_mesh_def def = def_with((ruga_wrinkle_solver)solver, 1);
                def.bend = (ruga_wrinkle_bend)bend;
                def.bending = ruga_param_constant(bendings[k]);
                wrinkled w = wrinkle_regular(shape_sheet(*state, 8, 8), 4, &def);
                compress(w, 0.15, 30);
                folds[k] = rms_fold(w);
                wrinkled_release(w);
            }
            const int opposite = bend == RUGA_WRINKLE_BEND_OPPOSITE;
            fail_if(!(folds[1] < (opposite ? 0.9 : 0.7) * folds[0]) ||
                        !(opposite ? folds[2] > 0.5 * folds[0] : folds[2] < 0.4 * folds[0]),
                    "solver %d, bend %d: folds of %g, %g, %g rad", solver, bend, folds[0], folds[1], folds[2]);
        }
}

/* Offsets of the base's frame turn with it, those of the world do not. */
static void wrinkles_turn_with_the_body_unless_they_are_the_worlds(void **state) {
    for (int world = 0; world < 2; world++) {
        ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
        def.frame = world ? RUGA_WRINKLE_FRAME_WORLD : RUGA_WRINKLE_FRAME_LOCAL;
        wrinkled w = wrinkle_regular(shape_sheet(*state, 8, 8), 3, &def);
        compress(w, 0.12, 30);
        ruga_vec3 *before =
            memcpy(malloc(w.fine->vertex_count * sizeof *before), w.positions, w.fine->vertex_count * sizeof *before);
        for (size_t v = 0; v < w.base->vertex_count; v++) /* upside down */
            w.moved[v] = (ruga_vec3){w.moved[v].x, -w.moved[v].y, -w.moved[v].z};
        update(w);
        double same = 0, all = 0;
        for (size_t v = 0; v < w.fine->vertex_count; v++) {
            same += -before[v].y * w.positions[v].y;
            all += before[v].y * before[v].y;
        }
        if (world)
            assert_less(same, -0.5 * all);
        else
            assert_less(0.9 * all, same);
        free(before);
        wrinkled_release(w);
    }
}

/* Compressed in both directions, a sheet wrinkles in all; with crests wanted along v, waves run along u. */
static void a_direction_map_turns_and_suppresses_wrinkles(void **state) {
    skip_unless_long();
    for (int solver = 0; solver < 2; solver++) {
        double along[2][2], offsets[3];
        for (int turned = 0; turned < 2; turned++)
            for (int weighted = 0; weighted < 2; weighted++) {
                ruga_wrinkle_mesh_def def = def_with((ruga_wrinkle_solver)solver, 1);
                def.wavelength = 0.15;
                def.direction = ruga_param_constant(turned ? 0 : 90);
                def.direction_weight = ruga_param_constant(weighted);
                wrinkled w = wrinkle_regular(shape_sheet_with_uvs(*state, 10, 10), 4, &def);
                for (int frame = 1; frame <= 30; frame++) {
                    double factor = 1 - 0.12 * fmin(1, frame / 20.0);
                    for (size_t v = 0; v < w.base->vertex_count; v++)
                        w.moved[v] = vec3_scale(w.base->positions[v], factor);
                    update(w);
                }
                along[turned][weighted] = power_along_x(w, 0.15);
                wrinkled_release(w);
            }
        fail_if(!(along[0][1] > 0.85 && along[1][1] < 0.1 && along[0][0] < 0.7),
                "solver %d: along x %g, turned %g, free %g", solver, along[0][1], along[1][1], along[0][0]);

        /* Compression along the crests that are wanted gives none. */
        for (int k = 0; k < 3; k++) {
            ruga_wrinkle_mesh_def def = def_with((ruga_wrinkle_solver)solver, 1);
            def.direction_weight = ruga_param_constant(0.5 * k);
            wrinkled w = wrinkle_regular(shape_sheet_with_uvs(*state, 10, 10), 4, &def);
            compress(w, 0.15, 60);
            offsets[k] = rms_offset(w);
            wrinkled_release(w);
        }
        fail_if(!(offsets[2] < 0.15 * offsets[0] && offsets[1] < 0.95 * offsets[0] && offsets[1] > 1.5 * offsets[2]),
                "solver %d: offsets %g, %g, %g", solver, offsets[0], offsets[1], offsets[2]);
    }
}

/* Mean square of slopes along x over that along z, of a part of the sheet. */
static double slopes_along_x(wrinkled w, double low, double high) {
    const uint32_t *ends = ruga_wrinkle_mesh_edges(w.mesh);
    size_t edges = ruga_wrinkle_mesh_get_report(w.mesh).edges;
    double sums[2] = {0, 0};
    for (size_t e = 0; e < edges; e++) {
        vec3 p = w.fine->positions[ends[2 * e]], q = w.fine->positions[ends[2 * e + 1]];
        double rise = w.positions[ends[2 * e]].y - w.positions[ends[2 * e + 1]].y;
        if (p.x < low || p.x > high) continue;
        if (fabs(p.z - q.z) < 1e-9) sums[0] += rise * rise;
        if (fabs(p.x - q.x) < 1e-9) sums[1] += rise * rise;
    }
    return sums[0] / sums[1];
}

/* Crests across on one half and along on the other; weights with keys, from none to all. */
static void directions_count_where_and_when_they_are_painted(void **state) {
    for (int solver = 0; solver < 2; solver++) {
        double angles[41 * 41];
        ruga_wrinkle_mesh_def def = def_with((ruga_wrinkle_solver)solver, 1);
        def.wavelength = 0.15;
        wrinkled w = wrinkle_regular(shape_sheet_with_uvs(*state, 10, 10), 4, &def);
        assert_int_equal(w.fine->vertex_count, 41 * 41);
        for (size_t v = 0; v < w.fine->vertex_count; v++) angles[v] = w.fine->positions[v].x < 0.5 ? 90 : 180;
        ruga_wrinkle_mesh_destroy(w.mesh);
        ruga_param none = ruga_param_constant(0), all = ruga_param_constant(1);
        const ruga_param_key keys[2] = {{0, &none}, {1, &all}};
        def.direction = ruga_param_array(angles, 41 * 41);
        def.direction_weight = ruga_param_keys(keys, 2);
        assert_ok(*state, ruga_wrinkle_mesh_create(w.base, w.fine, &def, &w.mesh));
        for (size_t v = 0; v < w.base->vertex_count; v++) w.moved[v] = vec3_scale(w.base->positions[v], 0.88);
        double left[2], right[2];
        for (int time = 0; time < 2; time++) {
            assert_ok(*state, ruga_wrinkle_mesh_set_time(w.mesh, time));
            assert_ok(*state, ruga_wrinkle_mesh_reset(w.mesh));
            for (int frame = 0; frame < 20; frame++) update(w);
            left[time] = slopes_along_x(w, 0, 0.4);
            right[time] = slopes_along_x(w, 0.6, 1);
        }
        fail_if(!(left[1] > 3 && right[1] < 1 / 3.0 && left[1] > 2 * left[0] && right[1] < 0.5 * right[0]),
                "solver %d: free %g and %g, directed %g and %g", solver, left[0], right[0], left[1], right[1]);
        wrinkled_release(w);
    }
}

/* A base that is folded like a V: with planes of the triangles around, no point passes through the other leaf. */
static void the_triangles_around_keep_a_point_outside(void **state) {
    for (int solver = 0; solver < 2; solver++) {
        ruga_wrinkle_mesh_def def = def_with((ruga_wrinkle_solver)solver, 1.1);
        def.side = RUGA_WRINKLE_NEIGHBOURHOOD;
        def.surface = RUGA_WRINKLE_LINEAR;
        def.radius = ruga_param_constant(0.03);
        wrinkled w = wrinkle_regular(shape_sheet(*state, 8, 8), 3, &def);
        for (int frame = 1; frame <= 12; frame++) {
            double slope = 0.2 * frame;
            for (size_t v = 0; v < w.base->vertex_count; v++) {
                ruga_vec3 p = w.base->positions[v];
                w.moved[v] = (ruga_vec3){p.x, slope * fabs(p.x - 0.5), p.z};
            }
            update(w);
            for (size_t v = 0; v < w.fine->vertex_count; v++) {
                ruga_vec3 p = w.positions[v];
                double above = (p.y - slope * fabs(p.x - 0.5)) / hypot(1, slope);
                fail_if(above < -2e-5, "solver %d: vertex %zu is %g m inside", solver, v, -above);
            }
        }
        assert_less(0.001, rms_offset(w));
        wrinkled_release(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_have_the_wanted_length_at_every_resolution),
        cmocka_unit_test(bending_above_one_makes_longer_waves),
        cmocka_unit_test(a_variation_spreads_the_wavelengths_around_the_wanted_one),
        cmocka_unit_test(waves_that_nobody_asked_for_are_made_of_the_base_not_of_the_fine_mesh),
        cmocka_unit_test(a_settled_sheet_has_waves_of_the_wanted_length),
        cmocka_unit_test(compression_along_one_axis_gives_wrinkles_across_it_and_keeps_lengths),
        cmocka_unit_test(a_compressed_strip_has_waves_of_pi_r_over_the_root_of_the_compression),
        cmocka_unit_test(the_fast_path_looks_as_the_reference),
        cmocka_unit_test(the_compliant_form_ends_where_it_does_whatever_the_number_of_iterations),
        cmocka_unit_test(vertices_may_move_along_their_normals_only),
        cmocka_unit_test(opposite_vertices_smooth_sharp_folds_and_angles_all),
        cmocka_unit_test(wrinkles_turn_with_the_body_unless_they_are_the_worlds),
        cmocka_unit_test(a_direction_map_turns_and_suppresses_wrinkles),
        cmocka_unit_test(directions_count_where_and_when_they_are_painted),
        cmocka_unit_test(the_triangles_around_keep_a_point_outside),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
