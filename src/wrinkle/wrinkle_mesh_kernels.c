/* Loops of an update over all fine vertices, and over the base's triangles. Compiled once per instruction set; all of
 * them give the same bits (see math/simd.h). */
#include "wrinkle/wrinkle_mesh.h"

#include "math/simd.h"
#include "math/vec3x8.h"

#define FETCH_AHEAD 32     /* outputs between the one that is written and the one that is prefetched */
#define FLAT 0.1f          /* of a seed: smaller offsets count as zero */
#define MISFIT 0.15f       /* of a wavelength: others count less */
#define MOST_GROWTH 8.0f   /* of a height between two updates */
#define RELEASE 0.005f     /* change of strain that halves an offset where nothing is compressed */
#define POISSON (1.0f / 3) /* of a sheet with springs in all directions */

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

/* cos 2πt, nearly: a cubic from crest to trough and back. */
static inline float wave_height(float t) {
    float u = t - floorf(t);
    u = 2 * (u < 0.5f ? u : 1 - u);
    return 1 - 2 * (u * u) * (3 - 2 * u);
}

/* Compression of the base along a wave, relative to the gate: d (gate - C) d, d the wave's direction in the triangle's
 * plane. */
static inline float slack_along(const float *direction, const float *frame, wrinkle_strain strain, float gate) {
    float x = (direction[0] * frame[0] + direction[1] * frame[1]) + direction[2] * frame[2];
    float y = (direction[0] * frame[3] + direction[1] * frame[4]) + direction[2] * frame[5];
    return ((gate - strain.xx) * (x * x) + (gate - strain.yy) * (y * y)) - 2 * strain.xy * (x * y);
}

/* The share of a wave in a place, by the wavelength there over its own; 0: there is no wavelength there. */
static inline float fit_of(float ratio) {
    const float off = (ratio - 1) * (1 / MISFIT), fit = 1 / (1 + off * off);
    return ratio > 0 ? fit * fit : 1;
}

/* A sum of waves within [-1, 1]; waves along the greatest compression, and of the wavelength there, count most. */
static float seed_field(const wrinkle_pass *pass, size_t i) {
    const float *p = pass->seed_points + 4 * i, *frame = pass->rest_frames + 9 * (size_t)pass->triangles[i];
    const wrinkle_strain strain = pass->strains[pass->triangles[i]];
    const float gate = pass->gates[i], greatest = gate - strain.least;
    float shares[WRINKLE_WAVES], heights[WRINKLE_WAVES], sum = 0, squares = 0;
    for (int k = 0; k < WRINKLE_WAVES; k++) {
        const wrinkle_wave wave = pass->waves[k];
        float along = (wave.direction[0] * p[0] + wave.direction[1] * p[1]) + wave.direction[2] * p[2];
        float slack = slack_along(wave.direction, frame, strain, gate) / greatest;
        slack = slack > 0 ? slack * slack : 0;
        shares[k] = slack * slack * fit_of(wave.number * p[3]);
        heights[k] = wave_height(along * wave.number + wave.phase);
    }
    for (int k = 0; k < WRINKLE_WAVES; k++) {
        sum += shares[k] * heights[k];
        squares += shares[k] * shares[k];
    }
    float height = squares > 0 ? sum / sqrtf(squares) : 0;
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

/* Half the change of C = FᵀF of a base triangle since the last update. */
static inline float strain_change(wrinkle_strain now, wrinkle_strain last) {
    const float xx = now.xx - last.xx, xy = now.xy - last.xy, yy = now.yy - last.yy;
    return 0.5f * sqrtf((xx * xx + yy * yy) + 2 * (xy * xy));
}

/* The offset of a point, nearer to the height that the compression requires now: that grows with its root, and is zero
 * without compression. */
static const float *following_offset(const wrinkle_pass *pass, size_t i, float followed[4]) {
    const float *offset = pass->offsets + 4 * i, gate = pass->gates[i];
    const uint32_t triangle = pass->triangles[i];
    const wrinkle_strain strain = pass->strains[triangle], before = pass->last_strains[triangle];
    const float last = spare(gate, before), now = spare(gate, strain), change = strain_change(strain, before);
    float factor;
    if (change == 0) return offset;
    if (now > 0 && last > 0) {
        const float ratio = sqrtf(now / last), growth = (ratio < MOST_GROWTH ? ratio : MOST_GROWTH) - 1;
        factor = 1 + (growth > 0 ? pass->growth : pass->shrinkage) * growth;
    } else {
        factor = now > 0 ? 1 : 1 / (1 + pass->shrinkage * change / RELEASE);
    }
    for (int k = 0; k < 3; k++) followed[k] = factor * offset[k];
    return followed;
}

/* `own` is a copy of the pass that no store can change, so that its members stay in registers. */
static inline void place_point(const wrinkle_pass *pass, const wrinkle_pass *own, size_t i, int local) {
    float *anchor = own->anchors + 4 * i, *point = own->points + 4 * i, radius = anchor[3], seeded[4];
    columns r = load_columns(own, i);
    if (own->rooms) anchor[3] = radius = own->full_radii[i] * own->rooms[own->triangles[i]];
    f32x4 a = f32x4_load(anchor);
    if (own->rest_offsets) {
        a = add_rotated(a, r, own->rest_offsets + 4 * i);
        f32x4_store(anchor, a);
        anchor[3] = radius;
    }
    const float *offset = own->offsets + 4 * i;
    /* Both conditions at once: neither alone can be predicted. */
    if ((offset[3] == 0) & (own->gates[i] > own->slacks[own->triangles[i]]))
        offset = seeded_offset(pass, i, seeded);
    else if (own->last_strains)
        offset = following_offset(own, i, seeded);
    f32x4_store(point, placed(a, r, offset, local));
    point[3] = 0;
}

void ISA_NAME(wrinkle_place_points)(const wrinkle_pass *pass, size_t begin, size_t end) {
    const wrinkle_pass own = *pass;
    if (own.local)
        for (size_t i = begin; i < end; i++) place_point(pass, &own, i, 1);
    else
        for (size_t i = begin; i < end; i++) place_point(pass, &own, i, 0);
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

/* m, the greatest change of an offset. */
static inline float greatest_change(const wrinkle_pass *pass, size_t i) {
    return pass->rates[pass->triangles[i]] * pass->anchors[4 * i + 3];
}

/* Shortens the changes of those of four points that moved too far; returns them as bits. */
static inline unsigned shorten(const wrinkle_pass *pass, size_t i, size_t end, f32x4 squared, const f32x4 changes[4],
                               f32x4 offsets[4]) {
    float limits[4], squares[4];
    for (size_t k = 0; k < 4; k++) limits[k] = greatest_change(pass, i + k < end ? i + k : end - 1);
    const f32x4 limit = f32x4_load(limits);
    const unsigned far = ~f32x4_le_bits(squared, f32x4_mul(limit, limit)) & 15;
    f32x4_store(squares, squared);
    for (size_t k = 0; far != 0 && k < 4; k++)
        if (far >> k & 1) {
            const f32x4 share = f32x4_set(limits[k] / sqrtf(squares[k]));
            const size_t at = i + k < end ? i + k : end - 1;
            offsets[k] = f32x4_add(f32x4_load(pass->offsets + 4 * at), f32x4_mul(share, changes[k]));
        }
    return far;
}

/* Four at a time; past the end the last point is repeated. */
static inline void return_four(const wrinkle_pass *pass, size_t i, size_t end, int local) {
    f32x4 offsets[4], changes[4];
    for (size_t k = 0; k < 4; k++) {
        size_t at = i + k < end ? i + k : end - 1;
        f32x4 o = f32x4_sub(f32x4_load(pass->points + 4 * at), f32x4_load(pass->anchors + 4 * at));
        offsets[k] = local ? rotated_back(load_columns(pass, at), o) : o;
        changes[k] = f32x4_sub(offsets[k], f32x4_load(pass->offsets + 4 * at));
    }
    const f32x4 squared = squared_changes(changes);
    const unsigned unmoved = unmoved_bits(pass, i, squared);
    const unsigned placed_again = unmoved | (pass->rates ? shorten(pass, i, end, squared, changes, offsets) : 0);
    for (size_t k = 0; k < 4 && i + k < end; k++) {
        float *point = pass->points + 4 * (i + k), *offset = pass->offsets + 4 * (i + k);
        if (!(unmoved >> k & 1)) f32x4_store(offset, offsets[k]);
        if (placed_again >> k & 1)
            f32x4_store(point,
                        placed(f32x4_load(pass->anchors + 4 * (i + k)), load_columns(pass, i + k), offset, local));
        offset[3] = pass->gates[i + k] > pass->slacks[pass->triangles[i + k]] ? 1.0f : 0.0f;
        point[3] = 0;
    }
}

void ISA_NAME(wrinkle_return_points)(const wrinkle_pass *pass, size_t begin, size_t end) {
    const wrinkle_pass own = *pass;
    if (own.local)
        for (size_t i = begin; i < end; i += 4) return_four(&own, i, end, 1);
    else
        for (size_t i = begin; i < end; i += 4) return_four(&own, i, end, 0);
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

static inline vec3x8 normals_of(const float *points, const uint32_t *corners) {
    const vec3x8 p = vec3x8_gather(points, corners);
    return vec3x8_cross(vec3x8_sub(vec3x8_gather(points, corners + WRINKLE_UPRIGHT_LANES), p),
                        vec3x8_sub(vec3x8_gather(points, corners + 2 * (size_t)WRINKLE_UPRIGHT_LANES), p));
}

void ISA_NAME(wrinkle_find_turned)(const wrinkle_turn_pass *pass, size_t begin, size_t end) {
    const wrinkle_turn_pass own = *pass;
    for (size_t g = begin; g < end; g++) {
        const uint32_t *corners = own.corners + 3 * (size_t)WRINKLE_UPRIGHT_LANES * g;
        const vec3x8 n = normals_of(own.points, corners);
        const vec3x8 m = own.bases ? vec3x8_gather(own.references, own.bases + WRINKLE_UPRIGHT_LANES * g)
                                   : normals_of(own.references, corners);
        const f32x8 lengths = f32x8_sqrt(f32x8_mul(vec3x8_dot(n, n), vec3x8_dot(m, m)));
        own.found[g] = (uint8_t)~f32x8_le_bits(f32x8_mul(f32x8_set(own.least_cosine), lengths), vec3x8_dot(n, m));
    }
}
