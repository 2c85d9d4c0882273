/* A slice of points, one per lane, in as many parts as it has registers: their forces entry by entry, then their steps.
 * Points that a step would move out of their limits, and the forces of hinges, are handled one by one. */
#include "solve/compliant_kernels.h"

#include <string.h>

#include "math/simd_wide.h"

#define LANES COMPLIANT_LANES
#define PARTS (LANES / WIDE) /* of a slice */

/* The place of the first number of `slot` in an array of so many numbers per slot, stored component by component. */
static inline size_t place(size_t slot, size_t components) { return components * (slot - slot % LANES) + slot % LANES; }

/* The entries of a part of a slice, LANES apart. */
typedef struct entries {
    size_t begin, end;
} entries;

static inline entries entries_at(const uint32_t *offsets, size_t slot) {
    offsets += slot / LANES;
    return (entries){LANES * (size_t)offsets[0] + slot % LANES, LANES * (size_t)offsets[1]};
}

/* Vectors stored component by component. */
static inline vec3w load_components(const float *p) {
    return (vec3w){f32w_load(p), f32w_load(p + LANES), f32w_load(p + 2 * LANES)};
}

static inline void store_components(float *p, vec3w a) {
    f32w_store(p, a.x);
    f32w_store(p + LANES, a.y);
    f32w_store(p + 2 * LANES, a.z);
}

/* Σ_j -Q_ij (p_i - p_j), and with `pulled` the forces of springs too. Both give the same bits where all springs are at
 * their lengths. */
static inline vec3w sum_entries(const compliant_slices *s, const float *points, size_t slot, vec3w p, int pulled) {
    f32w zero = f32w_set(0), one = f32w_set(1), tiny = f32w_set(COMPLIANT_TINY);
    vec3w sum = {zero, zero, zero};
    const entries springs = entries_at(s->spring_offsets, slot);
    for (size_t e = springs.begin; e < springs.end; e += LANES) {
        vec3w d = vec3w_sub(p, vec3w_gather(points, s->spring_others + e));
        f32w pull = f32w_load(s->spring_links + e);
        if (pulled) {
            f32w length = f32w_max(f32w_sqrt(vec3w_dot(d, d)), tiny);
            f32w stretch = f32w_sub(one, f32w_div(f32w_load(s->lengths + e), length));
            pull = f32w_add(f32w_mul(f32w_load(s->stiffness + e), stretch), pull);
        }
        sum = vec3w_add_scaled(sum, d, pull);
    }
    const entries links = entries_at(s->link_offsets, slot);
    for (size_t e = links.begin; e < links.end; e += LANES)
        sum = vec3w_add_scaled(sum, vec3w_sub(p, vec3w_gather(points, s->link_others + e)), f32w_load(s->links + e));
    return sum;
}

static inline int only_balls(const sweep_limits *limits) {
    return !limits->plane_offsets && !(limits->normals && (limits->one_sided || limits->along_normals));
}

static void enter_lane(const compliant_pass *pass, size_t slot, size_t point) {
    const compliant *c = pass->solver;
    const sweep_limits *limits = pass->limits;
    memcpy(c->iterates + 4 * slot, pass->points + 4 * point, 3 * sizeof(float));
    sweep_limit_point(limits, point, c->iterates + 4 * slot);
    for (size_t x = 0; limits->anchors && x < 4; x++) {
        float number = limits->anchors[4 * point + x];
        c->anchors[place(slot, 4) + LANES * x] = number;
        if (x < 3) c->ahead[4 * slot + x] = number;
    }
    for (size_t x = 0; pass->has_normals && x < 3; x++)
        c->normals[place(slot, 3) + LANES * x] = limits->normals[4 * point + x];
}

/* A part without missing points. */
static void enter_part(const compliant_pass *pass, size_t slot, const uint32_t *points) {
    const compliant *c = pass->solver;
    const sweep_limits *limits = pass->limits;
    const vec3w p = vec3w_gather(pass->points, points);
    unsigned inside = limits->anchors || limits->plane_offsets ? 0 : (1u << WIDE) - 1;
    vec3w_store(c->iterates + 4 * slot, p);
    if (limits->anchors) {
        f32w radius;
        const vec3w anchor = vec3w_gather4(limits->anchors, points, &radius), o = vec3w_sub(p, anchor);
        store_components(c->anchors + place(slot, 4), anchor);
        f32w_store(c->anchors + place(slot, 4) + 3 * LANES, radius);
        vec3w_store(c->ahead + 4 * slot, anchor);
        if (only_balls(limits)) inside = f32w_le_bits(vec3w_dot(o, o), f32w_mul(radius, radius));
    }
    if (pass->has_normals) store_components(c->normals + place(slot, 3), vec3w_gather(limits->normals, points));
    for (size_t lane = 0; inside != (1u << WIDE) - 1 && lane < WIDE; lane++)
        if (!(inside >> lane & 1)) sweep_limit_point(limits, points[lane], c->iterates + 4 * (slot + lane));
}

/* Every step starts from within the limits. The points of a slice come before its missing ones. */
void ISA_NAME(compliant_enter)(const compliant_pass *pass, size_t begin, size_t end) {
    const uint32_t *order = pass->solver->slices.order;
    for (size_t slot = LANES * begin; slot < LANES * end; slot += WIDE)
        if (order[slot + WIDE - 1] != UINT32_MAX)
            enter_part(pass, slot, order + slot);
        else
            for (size_t lane = slot; lane < slot + WIDE && order[lane] != UINT32_MAX; lane++)
                enter_lane(pass, lane, order[lane]);
}

void ISA_NAME(compliant_bias)(const compliant_pass *pass, size_t begin, size_t end) {
    const compliant *c = pass->solver;
    for (size_t slot = LANES * begin; slot < LANES * end; slot += WIDE)
        store_components(c->biases + place(slot, 3),
                         sum_entries(&c->slices, c->ahead, slot, vec3w_load(c->ahead + 4 * slot), 0));
}

/* Zeros where they are not needed. */
static inline vec3w load_normals(const compliant_pass *pass, size_t slot) {
    f32w zero = f32w_set(0);
    return pass->has_normals ? load_components(pass->solver->normals + place(slot, 3)) : (vec3w){zero, zero, zero};
}

/* ---- Blocks: six numbers for each of eight points. */
typedef struct lanes6 {
    f32w xx, yy, zz, xy, xz, yz;
} lanes6;

static inline lanes6 add_outer(lanes6 h, vec3w d, f32w across, f32w along) {
    f32w x = f32w_mul(along, d.x), y = f32w_mul(along, d.y), z = f32w_mul(along, d.z);
    h.xx = f32w_add(h.xx, f32w_add(across, f32w_mul(x, d.x)));
    h.yy = f32w_add(h.yy, f32w_add(across, f32w_mul(y, d.y)));
    h.zz = f32w_add(h.zz, f32w_add(across, f32w_mul(z, d.z)));
    h.xy = f32w_add(h.xy, f32w_mul(x, d.y));
    h.xz = f32w_add(h.xz, f32w_mul(x, d.z));
    h.yz = f32w_add(h.yz, f32w_mul(y, d.z));
    return h;
}

static inline lanes6 add_springs(lanes6 h, const compliant_slices *s, const float *points, size_t slot) {
    vec3w p = vec3w_load(points + 4 * slot);
    f32w zero = f32w_set(0), one = f32w_set(1);
    f32w tiny = f32w_set(COMPLIANT_TINY), least = f32w_set(COMPLIANT_TINY * COMPLIANT_TINY);
    f32w reach = f32w_add(f32w_load(s->reaches + slot), tiny);
    const entries springs = entries_at(s->spring_offsets, slot);
    for (size_t e = springs.begin; e < springs.end; e += LANES) {
        vec3w d = vec3w_sub(p, vec3w_gather(points, s->spring_others + e));
        f32w k = f32w_load(s->stiffness + e), squared = vec3w_dot(d, d);
        f32w beta = f32w_sub(one, f32w_div(f32w_load(s->lengths + e), f32w_add(f32w_sqrt(squared), reach)));
        f32w across = f32w_mul(k, f32w_max(beta, zero));
        h = add_outer(h, d, across, f32w_div(f32w_sub(k, across), f32w_add(squared, least)));
    }
    return h;
}

/* a / b where b > 0, else 0. */
static inline f32w over(f32w a, f32w b) {
    f32w zero = f32w_set(0);
    return f32w_where_negative(f32w_sub(zero, b), f32w_div(a, b), zero);
}

static inline void store_block(float *out, lanes6 h, f32w scale, f32w bound) {
    f32w_store(out, f32w_mul(h.xx, scale));
    f32w_store(out + LANES, f32w_mul(h.yy, scale));
    f32w_store(out + 2 * LANES, f32w_mul(h.zz, scale));
    f32w_store(out + 3 * LANES, f32w_mul(h.xy, scale));
    f32w_store(out + 4 * LANES, f32w_mul(h.xz, scale));
    f32w_store(out + 5 * LANES, f32w_mul(h.yz, scale));
    f32w_store(out + 6 * LANES, bound);
}

/* The same as compliant_invert. */
static inline void invert_blocks(lanes6 h, const vec3w *along, float *out) {
    f32w trace = f32w_add(f32w_add(h.xx, h.yy), h.zz), floor = f32w_mul(f32w_set(COMPLIANT_FLOOR), trace);
    f32w one = f32w_set(1), zero = f32w_set(0), bound = over(one, trace);
    h.xx = f32w_add(h.xx, floor);
    h.yy = f32w_add(h.yy, floor);
    h.zz = f32w_add(h.zz, floor);
    if (along) {
        vec3w n = *along, hn = {vec3w_dot((vec3w){h.xx, h.xy, h.xz}, n), vec3w_dot((vec3w){h.xy, h.yy, h.yz}, n),
                                vec3w_dot((vec3w){h.xz, h.yz, h.zz}, n)};
        f32w answer = over(one, vec3w_dot(n, hn));
        store_block(out, add_outer((lanes6){zero, zero, zero, zero, zero, zero}, n, zero, one), answer, answer);
        return;
    }
    f32w a = f32w_mul(h.xx, bound), b = f32w_mul(h.yy, bound), c = f32w_mul(h.zz, bound);
    f32w p = f32w_mul(h.xy, bound), q = f32w_mul(h.xz, bound), r = f32w_mul(h.yz, bound);
    lanes6 cofactors = {f32w_sub(f32w_mul(b, c), f32w_mul(r, r)), f32w_sub(f32w_mul(a, c), f32w_mul(q, q)),
                        f32w_sub(f32w_mul(a, b), f32w_mul(p, p)), f32w_sub(f32w_mul(q, r), f32w_mul(p, c)),
                        f32w_sub(f32w_mul(p, r), f32w_mul(q, b)), f32w_sub(f32w_mul(p, q), f32w_mul(a, r))};
    f32w determinant = vec3w_dot((vec3w){a, p, q}, (vec3w){cofactors.xx, cofactors.xy, cofactors.xz});
    store_block(out, cofactors, over(bound, determinant), bound);
}

/* Gradients of hinges at eight points, and bounds of their second derivatives: x, y, z, bound, component by
 * component. */
static void sum_hinges(const compliant *c, size_t slot, float sums[4 * WIDE]) {
    for (size_t k = 0; k < 4 * WIDE; k++) sums[k] = 0;
    for (size_t lane = 0; lane < WIDE; lane++) {
        uint32_t i = c->slices.order[slot + lane];
        if (i == UINT32_MAX) continue;
        for (size_t e = c->rows.hinge_offsets[i]; e < c->rows.hinge_offsets[i + 1]; e++) {
            uint32_t corner = c->rows.hinge_corners[e];
            float pull[4];
            compliant_hinge_pull(c->slices.hinges + corner / 4, c->ahead, (int)(corner % 4), pull);
            for (size_t x = 0; x < 4; x++) sums[WIDE * x + lane] += pull[x];
        }
    }
}

void ISA_NAME(compliant_blocks)(const compliant_pass *pass, size_t begin, size_t end) {
    const compliant *c = pass->solver;
    f32w slide = f32w_set(pass->has_normals ? c->def.slide_stiffness : 1);
    for (size_t slot = LANES * begin; slot < LANES * end; slot += WIDE) {
        f32w zero = f32w_set(0), hold = f32w_load(c->slices.foundations + slot), held = f32w_mul(hold, slide);
        f32w more = f32w_add(f32w_load(c->slices.diagonal + slot), held);
        if (c->hinges) {
            float sums[4 * WIDE];
            sum_hinges(c, slot, sums);
            more = f32w_add(more, f32w_load(sums + 3 * WIDE));
        }
        vec3w n = load_normals(pass, slot);
        lanes6 h = add_springs((lanes6){more, more, more, zero, zero, zero}, &c->slices, c->ahead, slot);
        if (pass->has_normals) h = add_outer(h, n, zero, f32w_sub(hold, held));
        invert_blocks(h, pass->limits->along_normals ? &n : NULL, c->blocks + place(slot, 7));
    }
}

/* ---- Steps. */

static inline vec3w gradients(const compliant_pass *pass, size_t slot, vec3w p, vec3w anchor, vec3w normal) {
    const compliant *c = pass->solver;
    vec3w g = vec3w_sub(sum_entries(&c->slices, c->ahead, slot, p, 1), load_components(c->biases + place(slot, 3)));
    if (c->foundations) {
        vec3w o = vec3w_sub(p, anchor);
        f32w hold = f32w_load(c->slices.foundations + slot);
        if (pass->has_normals) {
            f32w held = f32w_mul(hold, f32w_set(c->def.slide_stiffness));
            g = vec3w_add_scaled(g, o, held);
            g = vec3w_add_scaled(g, normal, f32w_mul(f32w_sub(hold, held), vec3w_dot(o, normal)));
        } else {
            g = vec3w_add_scaled(g, o, hold);
        }
    }
    if (c->hinges) {
        float sums[4 * WIDE];
        sum_hinges(c, slot, sums);
        const vec3w pull = {f32w_load(sums), f32w_load(sums + WIDE), f32w_load(sums + 2 * WIDE)};
        g = vec3w_add_scaled(g, pull, f32w_set(1));
    }
    return g;
}

/* The lanes whose points are outside of their limits, as bits. */
static inline unsigned find_outside(const compliant_pass *pass, size_t slot, vec3w to, vec3w anchor, vec3w normal) {
    const sweep_limits *limits = pass->limits;
    unsigned inside = (1u << WIDE) - 1;
    if (limits->anchors) {
        vec3w o = vec3w_sub(to, anchor);
        f32w radius = f32w_load(pass->solver->anchors + place(slot, 4) + 3 * LANES);
        inside = f32w_le_bits(vec3w_dot(o, o), f32w_mul(radius, radius));
        if (limits->one_sided && pass->has_normals) inside &= f32w_le_bits(f32w_set(0), vec3w_dot(o, normal));
    }
    if (limits->plane_offsets) {
        float numbers[4 * WIDE];
        vec3w_store(numbers, to);
        for (size_t lane = 0; lane < WIDE; lane++) {
            uint32_t i = pass->solver->slices.order[slot + lane];
            if (i != UINT32_MAX && !compliant_within(limits, i, numbers + 4 * lane)) inside &= ~(1u << lane);
        }
    }
    return ~inside & ((1u << WIDE) - 1);
}

/* Steps of the lanes that would leave their limits, one by one. */
static vec3w step_outside_one_by_one(const compliant_pass *pass, size_t slot, unsigned outside, vec3w g, vec3w to) {
    const compliant *c = pass->solver;
    const float *bounds = c->blocks + place(slot, 7) + 6 * LANES, *reaches = c->slices.reaches + slot;
    float slopes[4 * WIDE], numbers[4 * WIDE];
    vec3w_store(slopes, g);
    vec3w_store(numbers, to);
    for (size_t lane = 0; lane < WIDE; lane++) {
        uint32_t i = c->slices.order[slot + lane];
        if (outside >> lane & 1 && i != UINT32_MAX)
            compliant_step_limited(pass->limits, i, bounds[lane], reaches[lane], slopes + 4 * lane,
                                   c->ahead + 4 * (slot + lane), numbers + 4 * lane);
    }
    return vec3w_load(numbers);
}

/* p - move, where this is no longer than the reach, else as long. */
static inline vec3w step_within_reach(vec3w p, vec3w move, f32w squared, f32w reach) {
    const f32w one = f32w_set(1), length = f32w_max(f32w_sqrt(squared), f32w_set(COMPLIANT_TINY));
    const f32w scale = f32w_min(f32w_div(reach, length), one);
    return vec3w_add_scaled(p, move, f32w_sub(f32w_set(0), scale));
}

static inline f32w where_greater(f32w a, f32w b, f32w yes, f32w no) {
    return f32w_where_negative(f32w_sub(b, a), yes, no);
}

/* The same where balls are the only limits, all lanes at once. */
static inline vec3w step_into_balls(const compliant *c, size_t slot, vec3w g, vec3w p, vec3w anchor, vec3w to) {
    const f32w bound = f32w_load(c->blocks + place(slot, 7) + 6 * LANES), reach = f32w_load(c->slices.reaches + slot);
    const f32w radius = f32w_load(c->anchors + place(slot, 4) + 3 * LANES), room = f32w_mul(radius, radius);
    const f32w squared = f32w_mul(f32w_mul(vec3w_dot(g, g), bound), bound), most = f32w_mul(reach, reach);
    const f32w limited = f32w_div(f32w_mul(bound, reach), f32w_sqrt(squared));
    const f32w scale = where_greater(squared, most, limited, bound);
    const vec3w at = vec3w_add_scaled(p, g, f32w_sub(f32w_set(0), scale)), o = vec3w_sub(at, anchor);
    const f32w far = vec3w_dot(o, o), inwards = f32w_div(radius, f32w_sqrt(far));
    const vec3w on = vec3w_add_scaled(anchor, o, inwards), asked = vec3w_sub(to, anchor);
    const f32w left = vec3w_dot(asked, asked);
    return (vec3w){where_greater(left, room, where_greater(far, room, on.x, at.x), to.x),
                   where_greater(left, room, where_greater(far, room, on.y, at.y), to.y),
                   where_greater(left, room, where_greater(far, room, on.z, at.z), to.z)};
}

/* Steps by the inverse blocks, no longer than these are valid. */
static inline vec3w step(const compliant *c, size_t slot, vec3w p, vec3w g) {
    const float *block = c->blocks + place(slot, 7);
    vec3w diagonal = load_components(block), rest = load_components(block + 3 * LANES);
    vec3w move = {vec3w_dot((vec3w){diagonal.x, rest.x, rest.y}, g), vec3w_dot((vec3w){rest.x, diagonal.y, rest.z}, g),
                  vec3w_dot((vec3w){rest.y, rest.z, diagonal.z}, g)};
    f32w reach = f32w_load(c->slices.reaches + slot), squared = vec3w_dot(move, move);
    if (f32w_le_bits(squared, f32w_mul(reach, reach)) == (1u << WIDE) - 1) return vec3w_sub(p, move);
    return step_within_reach(p, move, squared, reach);
}

double ISA_NAME(compliant_advance)(const compliant_pass *pass, size_t begin, size_t end, float *move) {
    const compliant *c = pass->solver;
    const sweep_limits *limits = pass->limits;
    const int balls = only_balls(limits);
    f32w dots[PARTS], longest[PARTS];
    for (size_t part = 0; part < PARTS; part++) dots[part] = longest[part] = f32w_set(0);
    for (size_t k = begin; k < end; k++)
        for (size_t part = 0; part < PARTS; part++) {
            const size_t slot = LANES * k + WIDE * part;
            vec3w p = vec3w_load(c->ahead + 4 * slot), anchor = load_components(c->anchors + place(slot, 4));
            vec3w normal = load_normals(pass, slot);
            vec3w g = gradients(pass, slot, p, anchor, normal), to = step(c, slot, p, g);
            unsigned outside = find_outside(pass, slot, to, anchor, normal);
            if (outside)
                to = balls ? step_into_balls(c, slot, g, p, anchor, to)
                           : step_outside_one_by_one(pass, slot, outside, g, to);
            vec3w moved = vec3w_sub(to, vec3w_load(c->iterates + 4 * slot));
            dots[part] = f32w_add(dots[part], vec3w_dot(vec3w_sub(p, to), moved));
            longest[part] = f32w_max(longest[part], vec3w_dot(moved, moved));
            vec3w_store(c->ahead + 4 * slot, to);
        }
    double sum = 0;
    *move = 0;
    for (size_t part = 0; part < PARTS; part++) {
        float lanes[2 * WIDE];
        f32w_store(lanes, dots[part]);
        f32w_store(lanes + WIDE, longest[part]);
        for (size_t lane = 0; lane < WIDE; lane++) {
            sum += (double)lanes[lane];
            *move = fmaxf(*move, lanes[WIDE + lane]);
        }
    }
    return sum;
}

void ISA_NAME(compliant_extrapolate)(const compliant_pass *pass, size_t begin, size_t end) {
    const compliant *c = pass->solver;
    f32w momentum = f32w_set(pass->momentum);
    for (size_t k = 4 * LANES * begin; k < 4 * LANES * end; k += WIDE) {
        f32w to = f32w_load(c->ahead + k), moved = f32w_sub(to, f32w_load(c->iterates + k));
        f32w_store(c->iterates + k, to);
        f32w_store(c->ahead + k, f32w_add(to, f32w_mul(moved, momentum)));
    }
}
