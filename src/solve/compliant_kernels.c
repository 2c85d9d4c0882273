/* Eight points at a time, one per lane: their forces entry by entry, then their steps. Points that a step would move
 * out of their limits, and the forces of hinges, are handled one by one. */
#include "solve/compliant_kernels.h"

#include "math/vec3x8.h"

#define LANES COMPLIANT_LANES

/* Vectors stored component by component. */
static inline vec3x8 load_components(const float *p) {
    return (vec3x8){f32x8_load(p), f32x8_load(p + LANES), f32x8_load(p + 2 * LANES)};
}

static inline void store_components(float *p, vec3x8 a) {
    f32x8_store(p, a.x);
    f32x8_store(p + LANES, a.y);
    f32x8_store(p + 2 * LANES, a.z);
}

/* Consecutive points of four floats each. */
static inline vec3x8 load_points(const float *p) {
    f32x8 a = f32x8_load2(p, p + 16), b = f32x8_load2(p + 4, p + 20);
    f32x8 c = f32x8_load2(p + 8, p + 24), d = f32x8_load2(p + 12, p + 28);
    f32x8_transpose4(&a, &b, &c, &d);
    return (vec3x8){a, b, c};
}

static inline void store_points(float *p, vec3x8 v) {
    f32x8 a = v.x, b = v.y, c = v.z, d = f32x8_set(0);
    f32x8_transpose4(&a, &b, &c, &d);
    f32x8_store2(p, p + 16, a);
    f32x8_store2(p + 4, p + 20, b);
    f32x8_store2(p + 8, p + 24, c);
    f32x8_store2(p + 12, p + 28, d);
}

/* Σ_j -Q_ij (p_i - p_j), and with `pulled` the forces of springs too. Both give the same bits where all springs are at
 * their lengths. */
static inline vec3x8 sum_entries(const compliant_slices *s, const float *points, size_t slice, vec3x8 p, int pulled) {
    f32x8 zero = f32x8_set(0), one = f32x8_set(1), tiny = f32x8_set(COMPLIANT_TINY);
    vec3x8 sum = {zero, zero, zero};
    for (size_t e = LANES * (size_t)s->spring_offsets[slice]; e < LANES * (size_t)s->spring_offsets[slice + 1];
         e += LANES) {
        vec3x8 d = vec3x8_sub(p, vec3x8_gather(points, s->spring_others + e));
        f32x8 pull = f32x8_load(s->spring_links + e);
        if (pulled) {
            f32x8 length = f32x8_max(f32x8_sqrt(vec3x8_dot(d, d)), tiny);
            f32x8 stretch = f32x8_sub(one, f32x8_div(f32x8_load(s->lengths + e), length));
            pull = f32x8_add(f32x8_mul(f32x8_load(s->stiffness + e), stretch), pull);
        }
        sum = vec3x8_add_scaled(sum, d, pull);
    }
    for (size_t e = LANES * (size_t)s->link_offsets[slice]; e < LANES * (size_t)s->link_offsets[slice + 1]; e += LANES)
        sum =
            vec3x8_add_scaled(sum, vec3x8_sub(p, vec3x8_gather(points, s->link_others + e)), f32x8_load(s->links + e));
    return sum;
}

void ISA_NAME(compliant_bias)(const compliant_pass *pass, size_t begin, size_t end) {
    const compliant *c = pass->solver;
    for (size_t k = begin; k < end; k++)
        store_components(c->biases + 3 * LANES * k,
                         sum_entries(&c->slices, c->ahead, k, load_points(c->ahead + 4 * LANES * k), 0));
}

/* Zeros where they are not needed. */
static inline vec3x8 load_normals(const compliant_pass *pass, size_t slice) {
    f32x8 zero = f32x8_set(0);
    return pass->has_normals ? load_components(pass->solver->normals + 3 * LANES * slice) : (vec3x8){zero, zero, zero};
}

/* ---- Blocks: six numbers for each of eight points. */
typedef struct lanes6 {
    f32x8 xx, yy, zz, xy, xz, yz;
} lanes6;

static inline lanes6 add_outer(lanes6 h, vec3x8 d, f32x8 across, f32x8 along) {
    f32x8 x = f32x8_mul(along, d.x), y = f32x8_mul(along, d.y), z = f32x8_mul(along, d.z);
    h.xx = f32x8_add(h.xx, f32x8_add(across, f32x8_mul(x, d.x)));
    h.yy = f32x8_add(h.yy, f32x8_add(across, f32x8_mul(y, d.y)));
    h.zz = f32x8_add(h.zz, f32x8_add(across, f32x8_mul(z, d.z)));
    h.xy = f32x8_add(h.xy, f32x8_mul(x, d.y));
    h.xz = f32x8_add(h.xz, f32x8_mul(x, d.z));
    h.yz = f32x8_add(h.yz, f32x8_mul(y, d.z));
    return h;
}

static inline lanes6 add_springs(lanes6 h, const compliant_slices *s, const float *points, size_t slice) {
    vec3x8 p = load_points(points + 4 * LANES * slice);
    f32x8 zero = f32x8_set(0), one = f32x8_set(1);
    f32x8 tiny = f32x8_set(COMPLIANT_TINY), least = f32x8_set(COMPLIANT_TINY * COMPLIANT_TINY);
    f32x8 reach = f32x8_add(f32x8_load(s->reaches + LANES * slice), tiny);
    for (size_t e = LANES * (size_t)s->spring_offsets[slice]; e < LANES * (size_t)s->spring_offsets[slice + 1];
         e += LANES) {
        vec3x8 d = vec3x8_sub(p, vec3x8_gather(points, s->spring_others + e));
        f32x8 k = f32x8_load(s->stiffness + e), squared = vec3x8_dot(d, d);
        f32x8 beta = f32x8_sub(one, f32x8_div(f32x8_load(s->lengths + e), f32x8_add(f32x8_sqrt(squared), reach)));
        f32x8 across = f32x8_mul(k, f32x8_max(beta, zero));
        h = add_outer(h, d, across, f32x8_div(f32x8_sub(k, across), f32x8_add(squared, least)));
    }
    return h;
}

/* a / b where b > 0, else 0. */
static inline f32x8 over(f32x8 a, f32x8 b) {
    f32x8 zero = f32x8_set(0);
    return f32x8_where_negative(f32x8_sub(zero, b), f32x8_div(a, b), zero);
}

static inline void store_block(float *out, lanes6 h, f32x8 scale, f32x8 bound) {
    f32x8_store(out, f32x8_mul(h.xx, scale));
    f32x8_store(out + LANES, f32x8_mul(h.yy, scale));
    f32x8_store(out + 2 * LANES, f32x8_mul(h.zz, scale));
    f32x8_store(out + 3 * LANES, f32x8_mul(h.xy, scale));
    f32x8_store(out + 4 * LANES, f32x8_mul(h.xz, scale));
    f32x8_store(out + 5 * LANES, f32x8_mul(h.yz, scale));
    f32x8_store(out + 6 * LANES, bound);
}

/* The same as compliant_invert. */
static inline void invert_blocks(lanes6 h, const vec3x8 *along, float *out) {
    f32x8 trace = f32x8_add(f32x8_add(h.xx, h.yy), h.zz), floor = f32x8_mul(f32x8_set(COMPLIANT_FLOOR), trace);
    f32x8 one = f32x8_set(1), zero = f32x8_set(0), bound = over(one, trace);
    h.xx = f32x8_add(h.xx, floor);
    h.yy = f32x8_add(h.yy, floor);
    h.zz = f32x8_add(h.zz, floor);
    if (along) {
        vec3x8 n = *along, hn = {vec3x8_dot((vec3x8){h.xx, h.xy, h.xz}, n), vec3x8_dot((vec3x8){h.xy, h.yy, h.yz}, n),
                                 vec3x8_dot((vec3x8){h.xz, h.yz, h.zz}, n)};
        f32x8 answer = over(one, vec3x8_dot(n, hn));
        store_block(out, add_outer((lanes6){zero, zero, zero, zero, zero, zero}, n, zero, one), answer, answer);
        return;
    }
    f32x8 a = f32x8_mul(h.xx, bound), b = f32x8_mul(h.yy, bound), c = f32x8_mul(h.zz, bound);
    f32x8 p = f32x8_mul(h.xy, bound), q = f32x8_mul(h.xz, bound), r = f32x8_mul(h.yz, bound);
    lanes6 cofactors = {f32x8_sub(f32x8_mul(b, c), f32x8_mul(r, r)), f32x8_sub(f32x8_mul(a, c), f32x8_mul(q, q)),
                        f32x8_sub(f32x8_mul(a, b), f32x8_mul(p, p)), f32x8_sub(f32x8_mul(q, r), f32x8_mul(p, c)),
                        f32x8_sub(f32x8_mul(p, r), f32x8_mul(q, b)), f32x8_sub(f32x8_mul(p, q), f32x8_mul(a, r))};
    f32x8 determinant = vec3x8_dot((vec3x8){a, p, q}, (vec3x8){cofactors.xx, cofactors.xy, cofactors.xz});
    store_block(out, cofactors, over(bound, determinant), bound);
}

/* Gradients of hinges at eight points, and bounds of their second derivatives: x, y, z, bound, component by
 * component. */
static void sum_hinges(const compliant *c, size_t slice, float sums[4 * LANES]) {
    for (size_t k = 0; k < 4 * LANES; k++) sums[k] = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        uint32_t i = c->slices.order[LANES * slice + lane];
        if (i == UINT32_MAX) continue;
        for (size_t e = c->rows.hinge_offsets[i]; e < c->rows.hinge_offsets[i + 1]; e++) {
            uint32_t corner = c->rows.hinge_corners[e];
            float pull[4];
            compliant_hinge_pull(c->slices.hinges + corner / 4, c->ahead, (int)(corner % 4), pull);
            for (size_t x = 0; x < 4; x++) sums[LANES * x + lane] += pull[x];
        }
    }
}

void ISA_NAME(compliant_blocks)(const compliant_pass *pass, size_t begin, size_t end) {
    const compliant *c = pass->solver;
    f32x8 slide = f32x8_set(pass->has_normals ? c->def.slide_stiffness : 1);
    for (size_t k = begin; k < end; k++) {
        f32x8 zero = f32x8_set(0), hold = f32x8_load(c->slices.foundations + LANES * k), held = f32x8_mul(hold, slide);
        f32x8 more = f32x8_add(f32x8_load(c->slices.diagonal + LANES * k), held);
        if (c->hinges) {
            float sums[4 * LANES];
            sum_hinges(c, k, sums);
            more = f32x8_add(more, f32x8_load(sums + 3 * LANES));
        }
        vec3x8 n = load_normals(pass, k);
        lanes6 h = add_springs((lanes6){more, more, more, zero, zero, zero}, &c->slices, c->ahead, k);
        if (pass->has_normals) h = add_outer(h, n, zero, f32x8_sub(hold, held));
        invert_blocks(h, pass->limits->along_normals ? &n : NULL, c->blocks + 7 * LANES * k);
    }
}

/* ---- Steps. */

static inline vec3x8 gradients(const compliant_pass *pass, size_t slice, vec3x8 p, vec3x8 anchor, vec3x8 normal) {
    const compliant *c = pass->solver;
    vec3x8 g =
        vec3x8_sub(sum_entries(&c->slices, c->ahead, slice, p, 1), load_components(c->biases + 3 * LANES * slice));
    if (c->foundations) {
        vec3x8 o = vec3x8_sub(p, anchor);
        f32x8 hold = f32x8_load(c->slices.foundations + LANES * slice);
        if (pass->has_normals) {
            f32x8 held = f32x8_mul(hold, f32x8_set(c->def.slide_stiffness));
            g = vec3x8_add_scaled(g, o, held);
            g = vec3x8_add_scaled(g, normal, f32x8_mul(f32x8_sub(hold, held), vec3x8_dot(o, normal)));
        } else {
            g = vec3x8_add_scaled(g, o, hold);
        }
    }
    if (c->hinges) {
        float sums[4 * LANES];
        sum_hinges(c, slice, sums);
        g = vec3x8_add_scaled(g, load_components(sums), f32x8_set(1));
    }
    return g;
}

/* The lanes whose points are outside of their limits, as bits. */
static inline unsigned find_outside(const compliant_pass *pass, size_t slice, vec3x8 to, vec3x8 anchor, vec3x8 normal) {
    const sweep_limits *limits = pass->limits;
    unsigned inside = 0xff;
    if (limits->anchors) {
        vec3x8 o = vec3x8_sub(to, anchor);
        f32x8 radius = f32x8_load(pass->solver->anchors + 4 * LANES * slice + 3 * LANES);
        inside = f32x8_le_bits(vec3x8_dot(o, o), f32x8_mul(radius, radius));
        if (limits->one_sided && pass->has_normals) inside &= f32x8_le_bits(f32x8_set(0), vec3x8_dot(o, normal));
    }
    if (limits->plane_offsets) {
        float numbers[4 * LANES];
        store_points(numbers, to);
        for (size_t lane = 0; lane < LANES; lane++) {
            uint32_t i = pass->solver->slices.order[LANES * slice + lane];
            if (i != UINT32_MAX && !compliant_within(limits, i, numbers + 4 * lane)) inside &= ~(1u << lane);
        }
    }
    return ~inside & 0xff;
}

/* Steps of the lanes that would leave their limits, one by one. */
static vec3x8 step_outside(const compliant_pass *pass, size_t slice, unsigned outside, vec3x8 g, vec3x8 to) {
    const compliant *c = pass->solver;
    const float *bounds = c->blocks + 7 * LANES * slice + 6 * LANES, *reaches = c->slices.reaches + LANES * slice;
    float slopes[4 * LANES], numbers[4 * LANES];
    store_points(slopes, g);
    store_points(numbers, to);
    for (size_t lane = 0; lane < LANES; lane++) {
        uint32_t i = c->slices.order[LANES * slice + lane];
        if (outside >> lane & 1 && i != UINT32_MAX)
            compliant_step_limited(pass->limits, i, bounds[lane], reaches[lane], slopes + 4 * lane,
                                   c->ahead + 4 * (LANES * slice + lane), numbers + 4 * lane);
    }
    return load_points(numbers);
}

/* Steps by the inverse blocks, no longer than these are valid. */
static inline vec3x8 step(const compliant *c, size_t slice, vec3x8 p, vec3x8 g) {
    const float *block = c->blocks + 7 * LANES * slice;
    vec3x8 diagonal = load_components(block), rest = load_components(block + 3 * LANES);
    vec3x8 move = {vec3x8_dot((vec3x8){diagonal.x, rest.x, rest.y}, g),
                   vec3x8_dot((vec3x8){rest.x, diagonal.y, rest.z}, g),
                   vec3x8_dot((vec3x8){rest.y, rest.z, diagonal.z}, g)};
    f32x8 one = f32x8_set(1), reach = f32x8_load(c->slices.reaches + LANES * slice);
    f32x8 length = f32x8_max(f32x8_sqrt(vec3x8_dot(move, move)), f32x8_set(COMPLIANT_TINY));
    f32x8 scale = f32x8_min(f32x8_div(reach, length), one);
    return vec3x8_add_scaled(p, move, f32x8_sub(f32x8_set(0), scale));
}

double ISA_NAME(compliant_advance)(const compliant_pass *pass, size_t begin, size_t end, float *move) {
    const compliant *c = pass->solver;
    f32x8 dots = f32x8_set(0), longest = f32x8_set(0);
    for (size_t k = begin; k < end; k++) {
        vec3x8 p = load_points(c->ahead + 4 * LANES * k), anchor = load_components(c->anchors + 4 * LANES * k);
        vec3x8 normal = load_normals(pass, k);
        vec3x8 g = gradients(pass, k, p, anchor, normal), to = step(c, k, p, g);
        unsigned outside = find_outside(pass, k, to, anchor, normal);
        if (outside) to = step_outside(pass, k, outside, g, to);
        vec3x8 moved = vec3x8_sub(to, load_points(c->iterates + 4 * LANES * k));
        dots = f32x8_add(dots, vec3x8_dot(vec3x8_sub(p, to), moved));
        longest = f32x8_max(longest, vec3x8_dot(moved, moved));
        store_points(c->ahead + 4 * LANES * k, to);
    }
    float lanes[2 * LANES];
    f32x8_store(lanes, dots);
    f32x8_store(lanes + LANES, longest);
    double sum = 0;
    *move = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        sum += (double)lanes[lane];
        *move = fmaxf(*move, lanes[LANES + lane]);
    }
    return sum;
}

void ISA_NAME(compliant_extrapolate)(const compliant_pass *pass, size_t begin, size_t end) {
    const compliant *c = pass->solver;
    f32x8 momentum = f32x8_set(pass->momentum);
    for (size_t k = 4 * LANES * begin; k < 4 * LANES * end; k += LANES) {
        f32x8 to = f32x8_load(c->ahead + k), moved = f32x8_sub(to, f32x8_load(c->iterates + k));
        f32x8_store(c->iterates + k, to);
        f32x8_store(c->ahead + k, f32x8_add(to, f32x8_mul(moved, momentum)));
    }
}
