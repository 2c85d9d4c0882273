/* Loops of an update over all fine vertices, and over the base's triangles. Compiled once per instruction set; all of
 * them give the same bits (see math/simd.h). */
#include "wrinkle/wrinkle_mesh.h"

#include "math/simd.h"
#include "math/vec3x8.h"

#define FETCH_AHEAD 32              /* outputs between the one that is written and the one that is prefetched */
#define FLAT 0.1f                   /* of a seed: smaller offsets count as zero */
#define MISFIT 0.15f                /* of a wavelength: others count less */
#define MOST_GROWTH 8.0f            /* of a height between two updates */
#define RELEASE 0.005f              /* change of strain that halves an offset where nothing is compressed */
#define POISSON (1.0f / 3)          /* of a sheet with springs in all directions */
#define LEAST_SPARE 1e-30f          /* of a quotient's denominator */
#define ROUNDS_TO_WHOLE 12582912.0f /* 1.5 x 2^23: adding it to a float below 2^22 rounds that to a whole number */

/* The rotation of a base triangle by its columns; their fourth lanes hold anything. */
typedef struct columns {
    f32x4 x, y, z;
} columns;

static inline columns load_columns(const wrinkle_pass *pass, size_t i) {
    const float *frame = pass->frames + 9 * (size_t)pass->triangles[i];
    return (columns){f32x4_load(frame), f32x4_load(frame + 3), f32x4_load(frame + 6)};
}

/* a + R v, v in memory. */
static inline f32x4 add_rotated(f32x4 a, columns r, const float *v) {
    f32x4 xy = f32x4_add(f32x4_mul(r.x, f32x4_set(v[0])), f32x4_mul(r.y, f32x4_set(v[1])));
    return f32x4_add(a, f32x4_add(xy, f32x4_mul(r.z, f32x4_set(v[2]))));
}

/* The point at an offset. */
static inline f32x4 placed(f32x4 anchor, columns r, const float *offset, int local) {
    return local ? add_rotated(anchor, r, offset) : f32x4_add(anchor, f32x4_load(offset));
}

static inline float squared_length(const float *v) { return (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]; }

/* Twice the compression of a point's base triangle that wrinkles could take up: the surplus of its edges in the
 * direction of least stretch, less a third of the tension across, which contracts the sheet (its Poisson ratio) and
 * holds it flat. */
static inline float spare(float gate, wrinkle_strain strain) {
    const float tension = (strain.xx + strain.yy - strain.least) - gate;
    const float left = (gate - strain.least) - (tension > 0 ? POISSON * tension : 0);
    return left > 0 ? left : 0;
}

/* The gate above which there is a surplus. */
static inline float slack_of(wrinkle_strain strain) {
    return (strain.least + POISSON * (strain.xx + strain.yy - strain.least)) * (1 / (1 + POISSON));
}

static inline f32x8 f32x8_negative(f32x8 a) { return f32x8_sub(f32x8_set(0), a); }

/* cos 2πt, nearly: a cubic from crest to trough and back, by the distance to the nearest crest. */
static inline f32x8 wave_heights(f32x8 t) {
    const f32x8 whole = f32x8_set(ROUNDS_TO_WHOLE), two = f32x8_set(2);
    const f32x8 off = f32x8_sub(t, f32x8_sub(f32x8_add(t, whole), whole));
    const f32x8 u = f32x8_mul(two, f32x8_max(off, f32x8_negative(off)));
    const f32x8 cubic = f32x8_mul(f32x8_mul(u, u), f32x8_sub(f32x8_set(3), f32x8_mul(two, u)));
    return f32x8_sub(f32x8_set(1), f32x8_mul(two, cubic));
}

/* The shares of waves in a place, by the wavelength there over their own. */
static inline f32x8 fits_of(f32x8 ratio) {
    const f32x8 off = f32x8_mul(f32x8_sub(ratio, f32x8_set(1)), f32x8_set(1 / MISFIT));
    const f32x8 fit = f32x8_div(f32x8_set(1), f32x8_add(f32x8_set(1), f32x8_mul(off, off)));
    return f32x8_mul(fit, fit);
}

/* The components of eight waves' directions along a vector. */
static inline f32x8 along_waves(const wrinkle_waves *waves, int k, const float *v) {
    return f32x8_add(f32x8_add(f32x8_mul(f32x8_load(waves->x + k), f32x8_set(v[0])),
                               f32x8_mul(f32x8_load(waves->y + k), f32x8_set(v[1]))),
                     f32x8_mul(f32x8_load(waves->z + k), f32x8_set(v[2])));
}

static inline float sum_of(f32x8 a) {
    float v[8];
    f32x8_store(v, a);
    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

/* A sum of waves within [-1, 1]; waves along the greatest compression, and of the wavelength there, count most. The
 * compression along a wave is d (gate - C) d, d its direction in the triangle's plane. */
static float seed_field(const wrinkle_pass *pass, size_t i) {
    const float *p = pass->seed_points + 4 * i, *frame = pass->rest_frames + 9 * (size_t)pass->triangles[i];
    const wrinkle_strain strain = pass->strains[pass->triangles[i]];
    const float gate = pass->gates[i], inverse = 1 / (gate - strain.least);
    const f32x8 xx = f32x8_set((gate - strain.xx) * inverse), yy = f32x8_set((gate - strain.yy) * inverse);
    const f32x8 xy = f32x8_set(2 * strain.xy * inverse), wavelength = f32x8_set(p[3]);
    f32x8 sums = f32x8_set(0), squares = sums;
    for (int k = 0; k < WRINKLE_WAVES; k += 8) {
        const f32x8 number = f32x8_load(pass->waves->number + k);
        const f32x8 x = along_waves(pass->waves, k, frame), y = along_waves(pass->waves, k, frame + 3);
        const f32x8 direct = f32x8_add(f32x8_mul(xx, f32x8_mul(x, x)), f32x8_mul(yy, f32x8_mul(y, y)));
        const f32x8 slack = f32x8_max(f32x8_sub(direct, f32x8_mul(xy, f32x8_mul(x, y))), f32x8_set(0));
        const f32x8 slack2 = f32x8_mul(slack, slack);
        f32x8 share = f32x8_mul(slack2, slack2);
        if (p[3] > 0) share = f32x8_mul(share, fits_of(f32x8_mul(number, wavelength)));
        const f32x8 phase = f32x8_load(pass->waves->phase + k);
        const f32x8 height = wave_heights(f32x8_add(f32x8_mul(along_waves(pass->waves, k, p), number), phase));
        sums = f32x8_add(sums, f32x8_mul(share, height));
        squares = f32x8_add(squares, f32x8_mul(share, share));
    }
    const float square = sum_of(squares);
    float height = square > 0 ? sum_of(sums) / sqrtf(square) : 0;
    height = height < 1 ? height : 1;
    height = height > -1 ? height : -1;
    return pass->upwards ? 0.5f + 0.5f * height : height;
}

/* The offset of a point when compression begins: its own, with a seed if that is nearly zero. */
static const float *seeded_offset(const wrinkle_pass *pass, size_t i, float seeded[4]) {
    const float *offset = pass->offsets + 4 * i;
    const uint32_t triangle = pass->triangles[i];
    const float squeezed = spare(pass->gates[i], pass->strains[triangle]);
    const wrinkle_seed seed = pass->seeds[i];
    float size = seed.rise * sqrtf(0.5f * squeezed);
    size = size < seed.limit ? size : seed.limit;
    if (!(squared_length(offset) < FLAT * FLAT * size * size)) return offset;
    const float *normal = pass->frames + 9 * (size_t)triangle + 6, height = size * seed_field(pass, i);
    for (int k = 0; k < 3; k++) seeded[k] = offset[k] + (pass->local ? (k == 2 ? height : 0) : height * normal[k]);
    seeded[3] = 0;
    return seeded;
}

/* Strains of eight triangles. */
typedef struct strains8 {
    f32x8 xx, xy, yy, least;
} strains8;

static inline strains8 gather_strains(const wrinkle_strain *strains, const uint32_t *t) {
    f32x8 a = f32x8_load2(&strains[t[0]].xx, &strains[t[4]].xx), b = f32x8_load2(&strains[t[1]].xx, &strains[t[5]].xx);
    f32x8 c = f32x8_load2(&strains[t[2]].xx, &strains[t[6]].xx), d = f32x8_load2(&strains[t[3]].xx, &strains[t[7]].xx);
    f32x8_transpose4(&a, &b, &c, &d);
    return (strains8){a, b, c, d};
}

/* As `spare`. */
static inline f32x8 spares(f32x8 gate, strains8 s) {
    const f32x8 tension = f32x8_sub(f32x8_sub(f32x8_add(s.xx, s.yy), s.least), gate);
    const f32x8 held = f32x8_mul(f32x8_set(POISSON), f32x8_max(tension, f32x8_set(0)));
    return f32x8_max(f32x8_sub(f32x8_sub(gate, s.least), held), f32x8_set(0));
}

/* Half the changes of C = FᵀF of base triangles since the last update. */
static inline f32x8 strain_changes(strains8 now, strains8 last) {
    const f32x8 xx = f32x8_sub(now.xx, last.xx), xy = f32x8_sub(now.xy, last.xy), yy = f32x8_sub(now.yy, last.yy);
    const f32x8 direct = f32x8_add(f32x8_mul(xx, xx), f32x8_mul(yy, yy));
    return f32x8_mul(f32x8_set(0.5f), f32x8_sqrt(f32x8_add(direct, f32x8_mul(f32x8_set(2), f32x8_mul(xy, xy)))));
}

/* Factors of the offsets of eight points, which bring them nearer to the heights that the compression requires now:
 * those grow with its root, and are zero without compression. Without any change the factor is exactly 1. */
static inline void following_factors(const wrinkle_pass *pass, size_t i, float factors[8]) {
    const f32x8 one = f32x8_set(1), gate = f32x8_load(pass->gates + i), shrinkage = f32x8_set(pass->shrinkage);
    const strains8 strain = gather_strains(pass->strains, pass->triangles + i);
    const strains8 before = gather_strains(pass->last_strains, pass->triangles + i);
    const f32x8 last = spares(gate, before), now = spares(gate, strain), change = strain_changes(strain, before);
    const f32x8 ratio = f32x8_sqrt(f32x8_div(now, f32x8_max(last, f32x8_set(LEAST_SPARE))));
    const f32x8 growth = f32x8_sub(f32x8_min(ratio, f32x8_set(MOST_GROWTH)), one);
    const f32x8 part = f32x8_where_negative(growth, shrinkage, f32x8_set(pass->growth));
    const f32x8 grown = f32x8_add(one, f32x8_mul(part, growth));
    const f32x8 released =
        f32x8_div(one, f32x8_add(one, f32x8_mul(shrinkage, f32x8_mul(change, f32x8_set(1 / RELEASE)))));
    const f32x8 without_last = f32x8_where_negative(f32x8_negative(now), one, released);
    f32x8_store(factors, f32x8_where_negative(f32x8_negative(f32x8_min(now, last)), grown, without_last));
}

/* `own` is a copy of the pass that no store can change, so that its members stay in registers. */
static inline void place_point(const wrinkle_pass *pass, const wrinkle_pass *own, size_t i, float factor, int local) {
    float *anchor = own->anchors + 4 * i, *point = own->points + 4 * i, radius = anchor[3], seeded[4];
    columns r = load_columns(own, i);
    f32x4 a = f32x4_load(anchor); /* before the store to a part of it, which would delay it */
    if (own->rooms) anchor[3] = radius = own->full_radii[i] * own->rooms[own->triangles[i]];
    if (own->rest_offsets) {
        a = add_rotated(a, r, own->rest_offsets + 4 * i);
        f32x4_store(anchor, a);
        anchor[3] = radius;
    }
    const float *offset = own->offsets + 4 * i;
    /* Both conditions at once: neither alone can be predicted. */
    if ((offset[3] == 0) & (own->gates[i] > own->slacks[own->triangles[i]])) {
        offset = seeded_offset(pass, i, seeded);
    } else {
        f32x4_store(seeded, f32x4_mul(f32x4_load(offset), f32x4_set(factor)));
        offset = seeded;
    }
    f32x4_store(point, placed(a, r, offset, local));
    point[3] = 0;
}

/* Past the end the last point is repeated. */
static inline void find_factors(const wrinkle_pass *pass, size_t i, size_t end, float factors[8]) {
    float gates[8];
    uint32_t triangles[8];
    wrinkle_pass few = *pass;
    if (i + 8 <= end) {
        following_factors(pass, i, factors);
        return;
    }
    for (size_t k = 0; k < 8; k++) {
        const size_t at = i + k < end ? i + k : end - 1;
        gates[k] = pass->gates[at], triangles[k] = pass->triangles[at];
    }
    few.gates = gates, few.triangles = triangles;
    following_factors(&few, 0, factors);
}

static inline void place_range(const wrinkle_pass *pass, const wrinkle_pass *own, size_t begin, size_t end, int local) {
    float factors[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (size_t i = begin; i < end; i += 8) {
        if (own->last_strains) find_factors(own, i, end, factors);
        for (size_t k = 0; k < 8 && i + k < end; k++) place_point(pass, own, i + k, factors[k], local);
    }
}

void ISA_NAME(wrinkle_place_points)(const wrinkle_pass *pass, size_t begin, size_t end) {
    const wrinkle_pass own = *pass;
    if (own.local)
        place_range(pass, &own, begin, end, 1);
    else
        place_range(pass, &own, begin, end, 0);
}

/* Rᵀ v: the columns' products with v, summed over the lanes. */
static inline f32x4 rotated_back(columns r, f32x4 v) {
    f32x4 x = f32x4_mul(r.x, v), y = f32x4_mul(r.y, v), z = f32x4_mul(r.z, v), none = f32x4_set(0);
    f32x4_transpose(&x, &y, &z, &none);
    return f32x4_add(f32x4_add(x, y), z);
}

/* The squared changes of four offsets. */
static inline f32x4 squared_changes(const f32x4 changes[4]) {
    f32x4 x = changes[0], y = changes[1], z = changes[2], none = changes[3];
    f32x4_transpose(&x, &y, &z, &none);
    return f32x4_add(f32x4_add(f32x4_mul(x, x), f32x4_mul(y, y)), f32x4_mul(z, z));
}

/* Which of four points barely moved. */
static inline unsigned unmoved_bits(const wrinkle_pass *pass, size_t i, f32x4 squared) {
    f32x4 tolerance = f32x4_add(f32x4_load(pass->tolerances + i), f32x4_set(pass->tolerance));
    return pass->keep_still ? f32x4_le_bits(squared, f32x4_mul(tolerance, tolerance)) : 0;
}

/* Shortens the changes of those of four points that moved too far; returns them as bits. */
static inline unsigned shorten(const wrinkle_pass *pass, const size_t at[4], f32x4 squared, const f32x4 changes[4],
                               f32x4 offsets[4]) {
    float limits[4], squares[4]; /* limits: m, the greatest changes of the offsets */
    for (size_t k = 0; k < 4; k++) limits[k] = pass->rates[pass->triangles[at[k]]] * pass->anchors[4 * at[k] + 3];
    const f32x4 limit = f32x4_load(limits);
    const unsigned far = ~f32x4_le_bits(squared, f32x4_mul(limit, limit)) & 15;
    if (far == 0) return 0;
    f32x4_store(squares, squared);
    for (size_t k = 0; k < 4; k++)
        if (far >> k & 1) {
            const f32x4 share = f32x4_set(limits[k] / sqrtf(squares[k]));
            offsets[k] = f32x4_add(f32x4_load(pass->offsets + 4 * at[k]), f32x4_mul(share, changes[k]));
        }
    return far;
}

/* Four at a time, at places that follow each other from the first; only `count` of them are stored. */
static inline void return_four(const wrinkle_pass *pass, const size_t at[4], size_t count, int local) {
    f32x4 offsets[4], changes[4];
    for (size_t k = 0; k < 4; k++) {
        f32x4 o = f32x4_sub(f32x4_load(pass->points + 4 * at[k]), f32x4_load(pass->anchors + 4 * at[k]));
        offsets[k] = local ? rotated_back(load_columns(pass, at[k]), o) : o;
        changes[k] = f32x4_sub(offsets[k], f32x4_load(pass->offsets + 4 * at[k]));
    }
    const f32x4 squared = squared_changes(changes);
    const unsigned unmoved = unmoved_bits(pass, at[0], squared);
    const unsigned placed_again = unmoved | (pass->rates ? shorten(pass, at, squared, changes, offsets) : 0);
    for (size_t k = 0; k < count; k++) {
        float *point = pass->points + 4 * at[k], *offset = pass->offsets + 4 * at[k];
        if (!(unmoved >> k & 1)) f32x4_store(offset, offsets[k]);
        if (placed_again >> k & 1)
            f32x4_store(point, placed(f32x4_load(pass->anchors + 4 * at[k]), load_columns(pass, at[k]), offset, local));
        offset[3] = pass->gates[at[k]] > pass->slacks[pass->triangles[at[k]]] ? 1.0f : 0.0f;
        point[3] = 0;
    }
}

/* Past the end the last point is repeated. */
static inline void return_range(const wrinkle_pass *pass, size_t begin, size_t end, int local) {
    size_t i = begin;
    for (; i + 4 <= end; i += 4) return_four(pass, (const size_t[4]){i, i + 1, i + 2, i + 3}, 4, local);
    if (i == end) return;
    const size_t last = end - 1;
    return_four(pass, (const size_t[4]){i, i + 1 < end ? i + 1 : last, i + 2 < end ? i + 2 : last, last}, end - i,
                local);
}

void ISA_NAME(wrinkle_return_points)(const wrinkle_pass *pass, size_t begin, size_t end) {
    const wrinkle_pass own = *pass;
    if (own.local)
        return_range(&own, begin, end, 1);
    else
        return_range(&own, begin, end, 0);
}

/* ---- Output. */

static inline unsigned char *place_in(const ruga_view *view, uint32_t vertex) {
    return (unsigned char *)view->data + vertex * view->stride;
}

static inline void put_floats(const ruga_view *view, uint32_t vertex, f32x4 value) {
    f32x4_store3(place_in(view, vertex), value);
}

/* Buffers need no alignment. */
static inline void put_doubles(const ruga_view *view, uint32_t vertex, f64x4 value) {
    double values[4];
    f64x4_store(values, value);
    memcpy(place_in(view, vertex), values, 3 * sizeof *values);
}

static inline void prefetch(const ruga_view *view, const wrinkle_output *outputs, size_t i, size_t end) {
    __builtin_prefetch(place_in(view, outputs[i + FETCH_AHEAD < end ? i + FETCH_AHEAD : i].vertex), 1);
}

static inline void read_positions(const wrinkle_reading *r, size_t begin, size_t end, int doubles) {
    const ruga_view view = r->positions_out;
    const f64x4 origin = f64x4_load3(r->origin);
    for (size_t i = begin; i < end; i++) {
        const wrinkle_output output = r->outputs[i];
        prefetch(&view, r->outputs, i, end);
        f64x4 position = f64x4_add(origin, f64x4_of(f32x4_load(r->points + 4 * (size_t)output.slot)));
        if (doubles)
            put_doubles(&view, output.vertex, position);
        else
            put_floats(&view, output.vertex, f64x4_rounded(position));
    }
}

static inline void read_normals(const wrinkle_reading *r, size_t begin, size_t end, int doubles) {
    const ruga_view view = r->normals_out;
    for (size_t i = begin; i < end; i++) {
        const wrinkle_output output = r->outputs[i];
        prefetch(&view, r->outputs, i, end);
        f32x4 normal = f32x4_load(r->normals + 4 * (size_t)output.slot);
        if (doubles)
            put_doubles(&view, output.vertex, f64x4_of(normal));
        else
            put_floats(&view, output.vertex, normal);
    }
}

/* Positions, then normals: the part of a buffer that is written at a time fits the first-level cache. */
void ISA_NAME(wrinkle_read_points)(const wrinkle_reading *reading, size_t begin, size_t end) {
    const wrinkle_reading own = *reading;
    if (own.positions_out.data && own.positions_out.type == RUGA_F64) read_positions(&own, begin, end, 1);
    if (own.positions_out.data && own.positions_out.type == RUGA_F32) read_positions(&own, begin, end, 0);
    if (own.normals_out.data && own.normals_out.type == RUGA_F64) read_normals(&own, begin, end, 1);
    if (own.normals_out.data && own.normals_out.type == RUGA_F32) read_normals(&own, begin, end, 0);
}

void ISA_NAME(wrinkle_measure_strains)(const wrinkle_strain_pass *pass, size_t begin, size_t end) {
    for (size_t t = begin; t < end; t++) {
        const uint32_t *corner = pass->triangles + 3 * t;
        const float *p = pass->points + 4 * (size_t)corner[0], *q = pass->points + 4 * (size_t)corner[1];
        const float *s = pass->points + 4 * (size_t)corner[2];
        const wrinkle_rest rest = pass->rests[t];
        float x[3], y[3];
        for (int k = 0; k < 3; k++) {
            x[k] = (q[k] - p[k]) * rest.inverse_length;
            y[k] = ((s[k] - p[k]) - rest.along_over_length * (q[k] - p[k])) * rest.inverse_across;
        }
        float xx = squared_length(x), yy = squared_length(y), xy = (x[0] * y[0] + x[1] * y[1]) + x[2] * y[2];
        float middle = 0.5f * (xx + yy), half = 0.5f * (xx - yy);
        float least = middle - sqrtf(half * half + xy * xy);
        pass->strains[t] = (wrinkle_strain){xx, xy, yy, least > 0 ? least : 0};
        pass->slacks[t] = slack_of(pass->strains[t]);
    }
}

/* ---- Turned triangles. */

/* The edges from the vertices of a group to the points of a step. */
static inline vec3x8 edges_to(const float *points, const uint32_t *neighbours, vec3x8 middle) {
    return vec3x8_sub(vec3x8_gather(points, neighbours), middle);
}

/* Where a step spans no triangle its normal is zero, and not turned. */
static inline uint8_t turned_bits(vec3x8 n, vec3x8 m, float least_cosine) {
    const f32x8 lengths = f32x8_sqrt(f32x8_mul(vec3x8_dot(n, n), vec3x8_dot(m, m)));
    return (uint8_t)~f32x8_le_bits(f32x8_mul(f32x8_set(least_cosine), lengths), vec3x8_dot(n, m));
}

static inline void find_by_bases(const wrinkle_turn_pass *pass, size_t begin, size_t end) {
    for (size_t g = begin; g < end; g++) {
        const vec3x8 middle = vec3x8_gather(pass->points, pass->rings->vertices + (size_t)RING_LANES * g);
        vec3x8 before = vec3x8_zero();
        for (size_t s = pass->rings->offsets[g]; s < pass->rings->offsets[g + 1]; s++) {
            const vec3x8 d = edges_to(pass->points, pass->rings->neighbours + RING_LANES * s, middle);
            const vec3x8 m = vec3x8_gather(pass->references, pass->bases + RING_LANES * s);
            pass->found[s] = turned_bits(vec3x8_cross(before, d), m, pass->least_cosine);
            before = d;
        }
    }
}

static inline void find_by_points(const wrinkle_turn_pass *pass, size_t begin, size_t end) {
    for (size_t g = begin; g < end; g++) {
        const uint32_t *vertices = pass->rings->vertices + (size_t)RING_LANES * g;
        const vec3x8 middle = vec3x8_gather(pass->points, vertices), other = vec3x8_gather(pass->references, vertices);
        vec3x8 before = vec3x8_zero(), other_before = before;
        for (size_t s = pass->rings->offsets[g]; s < pass->rings->offsets[g + 1]; s++) {
            const uint32_t *neighbours = pass->rings->neighbours + RING_LANES * s;
            const vec3x8 d = edges_to(pass->points, neighbours, middle);
            const vec3x8 e = edges_to(pass->references, neighbours, other);
            pass->found[s] = turned_bits(vec3x8_cross(before, d), vec3x8_cross(other_before, e), pass->least_cosine);
            before = d;
            other_before = e;
        }
    }
}

void ISA_NAME(wrinkle_find_turned)(const wrinkle_turn_pass *pass, size_t begin, size_t end) {
    const wrinkle_turn_pass own = *pass;
    if (own.bases)
        find_by_bases(&own, begin, end);
    else
        find_by_points(&own, begin, end);
}
