/* The loops of an update over all fine vertices, and over the base's triangles. Compiled once per instruction set; all paths
 * give the same bits (see math/simd.h). */
#include "wrinkle/wrinkle_mesh.h"

#include "math/simd.h"

#define FLAT 0.1f /* of a seed: offsets below it are none */

/* The rotation of a base triangle by its columns; their fourth lanes hold anything. */
typedef struct columns {
    f32x4 x, y, z;
} columns;

static inline columns load_columns(const wrinkle_pass *pass, size_t i) {
    const float *frame = pass->frames + 9 * (size_t)pass->triangles[i];
    return (columns){f32x4_load(frame), f32x4_load(frame + 3), f32x4_load(frame + 6)};
}

/* a + R v, v in memory. */
static inline f32x4 add_turned(f32x4 a, columns r, const float *v) {
    f32x4 xy = f32x4_add(f32x4_mul(r.x, f32x4_set(v[0])), f32x4_mul(r.y, f32x4_set(v[1])));
    return f32x4_add(a, f32x4_add(xy, f32x4_mul(r.z, f32x4_set(v[2]))));
}

/* Where an offset puts a point. */
static inline f32x4 placed(const wrinkle_pass *pass, f32x4 anchor, columns r, const float *offset) {
    return pass->local ? add_turned(anchor, r, offset) : f32x4_add(anchor, f32x4_load(offset));
}

static inline float squared_length(const float *v) { return (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]; }

static inline int is_compressed(const wrinkle_pass *pass, size_t i) {
    return pass->strains[pass->triangles[i]].least < pass->seeds[i].gate;
}

/* The offset that a point starts from: its own, with a seed when compression begins. */
static inline const float *start(const wrinkle_pass *pass, size_t i, float seeded[4]) {
    const float *offset = pass->offsets + 4 * i;
    if (!is_compressed(pass, i) || offset[3] != 0) return offset;
    const wrinkle_seed seed = pass->seeds[i];
    const uint32_t triangle = pass->triangles[i];
    float height = seed.rise * sqrtf(0.5f * (seed.gate - pass->strains[triangle].least));
    height = height < seed.limit ? height : seed.limit;
    height = height > -seed.limit ? height : -seed.limit;
    if (!(squared_length(offset) < FLAT * FLAT * height * height)) return offset;
    const float *normal = pass->frames + 9 * (size_t)triangle + 6;
    for (int k = 0; k < 3; k++) seeded[k] = offset[k] + (pass->local ? (k == 2 ? height : 0) : height * normal[k]);
    seeded[3] = 0;
    return seeded;
}

void ISA_NAME(wrinkle_place_points)(const wrinkle_pass *pass, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        float *anchor = pass->anchors + 4 * i, *point = pass->points + 4 * i, radius = anchor[3], seeded[4];
        columns r = load_columns(pass, i);
        f32x4 a = f32x4_load(anchor);
        if (pass->rest_offsets) {
            a = add_turned(a, r, pass->rest_offsets + 4 * i);
            f32x4_store(anchor, a);
            anchor[3] = radius;
        }
        f32x4_store(point, placed(pass, a, r, start(pass, i, seeded)));
        point[3] = 0;
    }
}

/* Rᵀ v: the columns' products with v, summed over the lanes. */
static inline f32x4 turned_back(columns r, f32x4 v) {
    f32x4 x = f32x4_mul(r.x, v), y = f32x4_mul(r.y, v), z = f32x4_mul(r.z, v), none = f32x4_set(0);
    f32x4_transpose(&x, &y, &z, &none);
    return f32x4_add(f32x4_add(x, y), z);
}

void ISA_NAME(wrinkle_return_points)(const wrinkle_pass *pass, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        float *point = pass->points + 4 * i, *offset = pass->offsets + 4 * i, way[4];
        columns r = load_columns(pass, i);
        f32x4 a = f32x4_load(pass->anchors + 4 * i), p = f32x4_load(point);
        f32x4 old = placed(pass, a, r, offset);
        f32x4_store(way, f32x4_sub(p, old));
        float still = pass->stills[i] + pass->still;
        if (pass->keep_still && squared_length(way) <= still * still) {
            f32x4_store(point, old);
        } else {
            f32x4 o = f32x4_sub(p, a);
            f32x4_store(offset, pass->local ? turned_back(r, o) : o);
        }
        offset[3] = is_compressed(pass, i) ? 1.0f : 0.0f;
        point[3] = 0;
    }
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
    }
}
