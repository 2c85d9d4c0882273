/* Wrinkle meshes: no triangle turns inside out, on bodies whose skin closes up, with either solver; and wrinkles on an
 * arm come and go gradually. */
#include "ruga/model.h"
#include "wrinkle/wrinkle_mesh.h"
#include "wrinkle_mesh_support.h"

static const ruga_wrinkle_solver solvers[] = {RUGA_WRINKLE_COMPLIANT, RUGA_WRINKLE_PROJECTION};

/* A body that moves, its layer, and the same layer on the flat triangles of the body. */
typedef struct body {
    wrinkled w;
    ruga_motion *motion;
    ruga_map *map;
    ruga_vec3 *flat; /* (fine vertices) */
} body;

static body make_body(ruga_context *context, const char *model, const char *action, int parts,
                      const ruga_wrinkle_mesh_def *def) {
    body b = {0};
    ruga_mesh *base = NULL, *fine = NULL;
    ruga_subdivide_def subdivide = ruga_subdivide_def_default();
    subdivide.n = parts;
    assert_ok(context, ruga_model_make(context, model, NULL, &base));
    assert_ok(context, ruga_model_motion(context, model, NULL, action, NULL, &b.motion));
    assert_ok(context, ruga_mesh_subdivide(base, &subdivide, &fine, &b.map));
    ruga_mesh_destroy(fine);
    b.w = wrinkle_regular(base, parts, def);
    b.flat = malloc(b.w.fine->vertex_count * sizeof *b.flat);
    return b;
}

static void body_release(body b) {
    ruga_motion_destroy(b.motion);
    ruga_map_destroy(b.map);
    free(b.flat);
    wrinkled_release(b.w);
}

static vec3 normal_at(const ruga_vec3 *positions, const uint32_t *v) {
    return vec3_cross(vec3_sub(positions[v[1]], positions[v[0]]), vec3_sub(positions[v[2]], positions[v[0]]));
}

/* Triangles turned against the base's triangle below them. */
static size_t count_turned(const body *b) {
    size_t count = 0;
    ruga_map_apply(b->map, b->w.moved, b->flat);
    for (size_t t = 0; t < b->w.fine->triangle_count; t++) {
        const uint32_t *v = b->w.fine->triangles + 3 * t;
        count += vec3_dot(normal_at(b->w.positions, v), normal_at(b->flat, v)) < 0;
    }
    return count;
}

/* The sum over frames of a motion, evenly spread over a part of it; the first one is settled. */
static size_t count_in_motion(body *b, double begin, double end, int frames) {
    size_t sum = 0;
    for (int f = 0; f < frames; f++) {
        const double time = begin + (end - begin) * f / (frames - 1);
        assert_ok(b->w.base->context, ruga_motion_sample(b->motion, time, b->w.moved));
        if (f == 0)
            settle(b->w, 0.01, 128);
        else
            update(b->w);
        sum += count_turned(b);
    }
    return sum;
}

static ruga_wrinkle_mesh_def chosen_def(int solver, int upright) {
    ruga_wrinkle_mesh_def def = def_with(solvers[solver], 0.9);
    def.wavelength = NAN;
    def.upright = upright;
    return def;
}

/* An elbow with the radii of an open surface, at full strength, and at twice that. */
static void no_triangle_of_an_arm_turns(void **state) {
    for (int solver = 0; solver < 2; solver++)
        for (int strength = 1; strength <= 2; strength++) {
            size_t turned[2];
            for (int upright = 0; upright < 2; upright++) {
                ruga_wrinkle_mesh_def def = chosen_def(solver, upright);
                def.strength = strength;
                def.squeeze = 0;
                body arm = make_body(*state, "arm", "bend", 4, &def);
                const ruga_motion_info info = ruga_motion_get_info(arm.motion);
                turned[upright] = count_in_motion(&arm, info.start, info.end, 16);
                body_release(arm);
            }
            assert_less(0, turned[0]);
            assert_int_equal(turned[1], 0);
        }
}

static void no_triangle_of_a_body_that_walks_turns(void **state) {
    for (int solver = 0; solver < 2; solver++) {
        size_t turned[2];
        for (int upright = 0; upright < 2; upright++) {
            ruga_wrinkle_mesh_def def = chosen_def(solver, upright);
            body walker = make_body(*state, "mannequin", "walk", 3, &def);
            turned[upright] = count_in_motion(&walker, 0.5, 1.0, 6);
            body_release(walker);
        }
        assert_less(0, turned[0]);
        assert_int_equal(turned[1], 0);
    }
}

/* Where no triangle turns, every bit is as without the option. */
static void where_nothing_turns_nothing_changes(void **state) {
    wrinkled w[2];
    for (int upright = 0; upright < 2; upright++) {
        ruga_wrinkle_mesh_def def = chosen_def(0, upright);
        w[upright] = wrinkle_regular(shape_torus(*state, 16, 12), 4, &def);
    }
    for (int frame = 0; frame < 4; frame++) {
        for (int k = 0; k < 2; k++) squeeze_frame(w[k], frame), update(w[k]);
        assert_int_equal(ruga_wrinkle_mesh_get_report(w[1].mesh).lowered, 0);
        assert_memory_equal(w[0].positions, w[1].positions, w[0].fine->vertex_count * sizeof *w[0].positions);
    }
    assert_less(1e-3, rms_offset(w[1]));
    for (int k = 0; k < 2; k++) wrinkled_release(w[k]);
}

/* A sheet with radii far beyond its edges, as a subdivision and as a mesh of its own, which has no map from the base:
 * seen from above, no triangle shows its back. */
static void no_triangle_of_a_crumpled_sheet_turns(void **state) {
    for (int own = 0; own < 2; own++)
        for (int solver = 0; solver < 2; solver++) {
            size_t turned[2] = {0, 0}, lowered = 0;
            for (int upright = 0; upright < 2; upright++) {
                ruga_wrinkle_mesh_def def = def_with(solvers[solver], 1);
                def.wavelength = 0;
                def.radius = ruga_param_constant(0.1);
                def.bending = ruga_param_constant(0);
                def.squeeze = 0;
                def.upright = upright;
                ruga_mesh *base = shape_sheet(*state, 10, 10), *fine = own ? shape_sheet(*state, 47, 47) : NULL;
                ruga_wrinkle_mesh *mesh = NULL;
                if (own) assert_ok(*state, ruga_wrinkle_mesh_create(base, fine, &def, &mesh));
                wrinkled w = own ? wrinkled_on(base, fine, mesh) : wrinkle_regular(base, 5, &def);
                const double up = normal_at(w.fine->positions, w.fine->triangles).y > 0 ? 1 : -1;
                for (int frame = 1; frame <= 12; frame++) {
                    squeeze_frame(w, frame);
                    update(w);
                    lowered += ruga_wrinkle_mesh_get_report(w.mesh).lowered;
                    for (size_t t = 0; t < w.fine->triangle_count; t++)
                        turned[upright] += up * normal_at(w.positions, w.fine->triangles + 3 * t).y < 0;
                }
                wrinkled_release(w);
            }
            assert_less(0, turned[0]);
            assert_int_equal(turned[1], 0);
            assert_less(0, lowered);
        }
}

static void threads_instructions_and_copies_change_no_bit_of_it(void **state) {
    (void)state;
    ruga_vec3 *first = NULL;
    for (int k = 0; k < 3; k++) {
        ruga_context *context = context_plain(k == 0 ? 1 : 3);
        if (k == 2) context->isa = RUGA_ISA_SCALAR;
        ruga_wrinkle_mesh_def def = chosen_def(0, 1);
        def.strength = 2;
        body arm = make_body(context, "arm", "bend", 4, &def);
        const double end = ruga_motion_get_info(arm.motion).end;
        assert_int_equal(count_in_motion(&arm, 0.25 * end, 0.5 * end, 4), 0);
        assert_less(0, ruga_wrinkle_mesh_get_report(arm.w.mesh).lowered);
        const size_t bytes = arm.w.fine->vertex_count * sizeof *first;
        if (!first) first = memcpy(malloc(bytes), arm.w.positions, bytes);
        assert_memory_equal(first, arm.w.positions, bytes);
        wrinkled copied = arm.w;
        assert_ok(context, ruga_wrinkle_mesh_copy(arm.w.mesh, &copied.mesh));
        memset(copied.positions, 0, bytes);
        read_fine(copied);
        assert_memory_equal(first, copied.positions, bytes);
        update(copied);
        update(arm.w);
        ruga_wrinkle_mesh_destroy(copied.mesh);
        body_release(arm);
        ruga_context_destroy(context);
    }
    free(first);
}

/* ---- In time. */

/* The offset of a slot as it is shown, in the frame of its base triangle. */
static vec3 shown_offset(const ruga_wrinkle_mesh *w, size_t slot) {
    const float *p = w->points + 4 * slot, *a = w->anchors + 4 * slot, *r = w->frames + 9 * (size_t)w->triangles[slot];
    const vec3 o = {(double)(p[0] - a[0]), (double)(p[1] - a[1]), (double)(p[2] - a[2])};
    double turned[3];
    for (int k = 0; k < 3; k++)
        turned[k] = (double)r[3 * k] * o.x + (double)r[3 * k + 1] * o.y + (double)r[3 * k + 2] * o.z;
    return (vec3){turned[0], turned[1], turned[2]};
}

enum { BENDING = 48 };

typedef struct path {
    double jump;                                  /* 1, greatest change of an offset in a frame, over its radius */
    double there[BENDING + 1], back[BENDING + 1]; /* m, rms height */
} path;

static void bend_arm(body *b, double part, path *p, double *rms) {
    const ruga_wrinkle_mesh *w = b->w.mesh;
    const ruga_motion_info info = ruga_motion_get_info(b->motion);
    vec3 *before = malloc(w->slot_count * sizeof *before);
    for (size_t i = 0; i < w->slot_count; i++) before[i] = shown_offset(w, i);
    assert_ok(b->w.base->context, ruga_motion_sample(b->motion, 0.5 * info.end * part, b->w.moved));
    update(b->w);
    for (size_t i = 0; i < w->slot_count; i++) {
        const double radius = (double)w->full_radii[i];
        if (radius > 0) p->jump = fmax(p->jump, vec3_distance(before[i], shown_offset(w, i)) / radius);
    }
    double sum = 0;
    for (size_t i = 0; i < w->slot_count; i++) sum += pow(shown_offset(w, i).z, 2);
    *rms = sqrt(sum / (double)w->slot_count);
    free(before);
}

/* Bent slowly, held, and straightened: heights over the greatest, and the greatest change of an offset. */
static double bend_there_and_back(ruga_context *context, int solver, int calm, path *p) {
    ruga_wrinkle_mesh_def def = chosen_def(solver, 1);
    def.pre_stretch = ruga_param_constant(1);
    def.calm = calm;
    body arm = make_body(context, "arm", "bend", 4, &def);
    double difference = 0, greatest = 0, held;
    *p = (path){0};
    for (int k = 1; k <= BENDING; k++) bend_arm(&arm, (double)k / BENDING, p, &p->there[k]);
    for (int k = 0; k < 60; k++) bend_arm(&arm, 1, p, &held);
    for (int k = BENDING - 1; k > 0; k--) {
        bend_arm(&arm, (double)k / BENDING, p, &p->back[k]);
        difference = fmax(difference, fabs(p->there[k] - p->back[k]));
        greatest = fmax(greatest, fmax(p->there[k], p->back[k]));
    }
    body_release(arm);
    return difference / greatest;
}

/* Projections also slide along the surface while the arm is held, and nothing pulls them back: their paths differ
 * more. */
static void wrinkles_of_an_arm_come_and_go_gradually(void **state) {
    const double loops[] = {0.06, 0.7}, jumps[] = {0.32, 0.24};
    for (int solver = 0; solver < 2; solver++) {
        double loop[2];
        path p[2];
        for (int calm = 0; calm < 2; calm++) loop[calm] = bend_there_and_back(*state, solver, calm, &p[calm]);
        assert_less(loop[1], loops[solver]);
        assert_less(loop[1], 0.85 * loop[0]);
        assert_less(p[1].jump, jumps[solver]);
        assert_less(p[1].jump, 0.5 * p[0].jump);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_triangle_of_an_arm_turns),
        cmocka_unit_test(no_triangle_of_a_body_that_walks_turns),
        cmocka_unit_test(where_nothing_turns_nothing_changes),
        cmocka_unit_test(no_triangle_of_a_crumpled_sheet_turns),
        cmocka_unit_test(threads_instructions_and_copies_change_no_bit_of_it),
        cmocka_unit_test(wrinkles_of_an_arm_come_and_go_gradually),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
