/* Wrinkle meshes: how fast their offsets change, and whether they come and go along the same path. */
#include "wrinkle_mesh_support.h"

enum { FRAMES = 40, HOLD = 60 };
#define STEP 0.003 /* of the length, by which the sheet becomes shorter in a frame */
#define RATE 0.02  /* of the radius: per frame; and per change of strain */
#define FULL_STRAIN 0.1

/* The offsets of a sheet that is compressed along x by a factor. */
static void offsets_of(wrinkled w, double factor, ruga_vec3 *offsets) {
    for (size_t v = 0; v < w.fine->vertex_count; v++) {
        offsets[v] = vec3_sub(w.positions[v], w.fine->positions[v]);
        offsets[v].x = w.positions[v].x - factor * w.fine->positions[v].x;
    }
}

/* A motion of a sheet: compressed slowly, held, and back. */
typedef struct motion {
    double jump;                                /* 1, greatest change of an offset in a frame, over its radius */
    double excess;                              /* the same over what is allowed */
    double there[FRAMES + 1], back[FRAMES + 1]; /* 1, rms offset over the radius, by compression */
} motion;

static double factor_at(int step) { return 1 - STEP * step; }

static double frame(wrinkled w, int last, int step, motion *m) {
    const size_t count = w.fine->vertex_count;
    const double radius = ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius;
    const double strain = 0.5 * fabs(pow(factor_at(step), 2) - pow(factor_at(last), 2));
    ruga_vec3 *before = malloc(2 * count * sizeof *before), *after = before + count;
    offsets_of(w, factor_at(last), before);
    squeeze(w, factor_at(step));
    update(w);
    offsets_of(w, factor_at(step), after);
    double jump = 0;
    for (size_t v = 0; v < count; v++) jump = fmax(jump, vec3_distance(before[v], after[v]) / radius);
    m->jump = fmax(m->jump, jump);
    m->excess = fmax(m->excess, jump / (RATE + strain / FULL_STRAIN));
    free(before);
    return rms_offset(w) / radius;
}

static motion move_there_and_back(wrinkled w) {
    motion m = {0};
    read_fine(w);
    for (int k = 1; k <= FRAMES; k++) m.there[k] = frame(w, k - 1, k, &m);
    for (int k = 0; k < HOLD; k++) m.there[FRAMES] = frame(w, FRAMES, FRAMES, &m);
    m.back[FRAMES] = m.there[FRAMES];
    for (int k = FRAMES - 1; k >= 0; k--) m.back[k] = frame(w, k + 1, k, &m);
    return m;
}

/* 1, the greatest difference of the two paths, over the greatest offset. */
static double hysteresis(const motion *m) {
    double difference = 0, greatest = 0;
    for (int k = 0; k <= FRAMES; k++) {
        difference = fmax(difference, fabs(m->there[k] - m->back[k]));
        greatest = fmax(greatest, fmax(m->there[k], m->back[k]));
    }
    return difference / greatest;
}

static wrinkled calm_sheet(ruga_context *context, ruga_wrinkle_solver solver, double calm) {
    ruga_wrinkle_mesh_def def = def_with(solver, 1);
    def.wavelength = 0.15;
    def.calm = calm;
    return wrinkle_regular(shape_sheet(context, 10, 10), 4, &def);
}

/* Without the limit an offset goes much farther at once; with it the same wrinkles are reached, and the heights on both
 * paths differ little. */
static void no_offset_jumps_and_wrinkles_go_nearly_as_they_came(void **state) {
    const double loops[] = {0.06, 0.1};
    for (int solver = 0; solver < 2; solver++) {
        motion m[2];
        for (int calm = 0; calm < 2; calm++) {
            wrinkled w = calm_sheet(*state, (ruga_wrinkle_solver)solver, calm);
            m[calm] = move_there_and_back(w);
            wrinkled_release(w);
        }
        assert_less(2.5, m[0].excess);
        assert_less(m[1].excess, 1.02); /* positions are floats */
        assert_less(m[1].jump, 0.051);
        assert_near(m[1].there[FRAMES] / m[0].there[FRAMES], 1, 0.02);
        assert_less(hysteresis(&m[1]), loops[solver]);
        assert_less(hysteresis(&m[1]), 0.65 * hysteresis(&m[0]));
    }
}

/* Twice as calm is half as fast; the body's own motion, however fast, is no reason to change. */
static void a_body_that_moves_without_strain_changes_its_offsets_slowly(void **state) {
    wrinkled w = calm_sheet(*state, RUGA_WRINKLE_COMPLIANT, 2);
    const size_t count = w.fine->vertex_count;
    const double radius = ruga_wrinkle_mesh_get_report(w.mesh).greatest_radius;
    ruga_vec3 *before = malloc(2 * count * sizeof *before), *after = before + count;
    squeeze(w, 0.9);
    update(w);
    offsets_of(w, 0.9, before);
    double greatest = 0;
    for (int k = 1; k <= 5; k++) {
        for (size_t v = 0; v < w.base->vertex_count; v++) w.moved[v].y = 0.5 * k;
        update(w);
        for (size_t v = 0; v < count; v++) w.positions[v].y -= 0.5 * k;
        offsets_of(w, 0.9, after);
        for (size_t v = 0; v < count; v++) greatest = fmax(greatest, vec3_distance(before[v], after[v]) / radius);
        memcpy(before, after, count * sizeof *before);
    }
    assert_less(0.005, greatest); /* it does limit */
    assert_less(greatest, 1.02 * RATE / 2);
    free(before);
    wrinkled_release(w);
}

/* A saved state has the strains from which the next update finds its limit; a copy, too. */
static void a_resumed_motion_is_as_calm(void **state) {
    wrinkled a = calm_sheet(*state, RUGA_WRINKLE_COMPLIANT, 1), b = calm_sheet(*state, RUGA_WRINKLE_COMPLIANT, 1);
    ruga_wrinkle_mesh *copy = NULL;
    void *bytes = NULL;
    size_t size = 0;
    for (int k = 1; k <= 8; k++) squeeze(a, factor_at(k)), update(a);
    assert_ok(*state, ruga_wrinkle_mesh_save(a.mesh, &bytes, &size));
    assert_ok(*state, ruga_wrinkle_mesh_load(b.mesh, bytes, size));
    assert_ok(*state, ruga_wrinkle_mesh_copy(a.mesh, &copy));
    squeeze(a, factor_at(9)), update(a);
    squeeze(b, factor_at(9)), update(b);
    assert_memory_equal(a.positions, b.positions, a.fine->vertex_count * sizeof *a.positions);
    ruga_wrinkle_mesh *first = b.mesh;
    b.mesh = copy;
    update(b);
    assert_memory_equal(a.positions, b.positions, a.fine->vertex_count * sizeof *a.positions);
    ruga_wrinkle_mesh_destroy(first);
    ruga_free(*state, bytes);
    wrinkled_release(a);
    wrinkled_release(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_offset_jumps_and_wrinkles_go_nearly_as_they_came),
        cmocka_unit_test(a_body_that_moves_without_strain_changes_its_offsets_slowly),
        cmocka_unit_test(a_resumed_motion_is_as_calm),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
