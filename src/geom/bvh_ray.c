/* Rays against triangles: the watertight test of Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", 2013, in
 * double. Space is sheared so that the ray runs along z; a triangle is hit when the origin lies on the same side of its
 * three sides. The sign of a side is exact: two rounded products that differ compare as the exact ones do, and equal
 * ones are decided by their rounding errors. Triangles that share a side have opposite signs there, so no ray passes
 * between them. */
#include "geom/bvh_tree.h"

typedef struct ray_search {
    const bvh *tree;
    vec3 origin;
    double scale;     /* of the frame */
    int kx, ky, kz;   /* kz: the axis along which the ray runs most */
    double shear[3];  /* x, y and z of the shear */
    bvh_ray ray;      /* in the frame */
    double best;      /* parameter in the frame */
    uint32_t element; /* of the best hit */
    double barycentric[3];
} ray_search;

/* a b - c d, with the exact sign. */
static double signed_area(double a, double b, double c, double d) {
    double p = a * b, q = c * d;
    if (p != q) return p - q;
    return fma(a, b, -p) - fma(c, d, -q);
}

static void test_triangle(ray_search *s, const bvh_leaf *leaf, int i) {
    double v[3][3];
    for (int k = 0; k < 3; k++) {
        vec3 p = vec3_scale(vec3_sub(s->tree->positions[leaf->vertex[k][i]], s->origin), s->scale);
        const double from[3] = {p.x, p.y, p.z};
        v[k][0] = from[s->kx] - s->shear[0] * from[s->kz];
        v[k][1] = from[s->ky] - s->shear[1] * from[s->kz];
        v[k][2] = s->shear[2] * from[s->kz];
    }
    double a = signed_area(v[2][0], v[1][1], v[2][1], v[1][0]);
    double b = signed_area(v[0][0], v[2][1], v[0][1], v[2][0]);
    double c = signed_area(v[1][0], v[0][1], v[1][1], v[0][0]);
    if ((a < 0 || b < 0 || c < 0) && (a > 0 || b > 0 || c > 0)) return;
    double sum = a + b + c;
    if (sum == 0) return;

    double t = (a * v[0][2] + b * v[1][2] + c * v[2][2]) / sum;
    if (!(t >= 0 && t <= s->best) || (t == s->best && leaf->element[i] >= s->element)) return;
    s->best = t;
    s->element = leaf->element[i];
    s->barycentric[0] = a / sum, s->barycentric[1] = b / sum, s->barycentric[2] = c / sum;
}

typedef struct ray_entry {
    double enter;
    uint32_t child;
} ray_entry;

static void walk(ray_search *s) {
    unsigned (*ray_bits)(const bvh_node *, const bvh_ray *, double, double *) =
        ISA_SELECT(s->tree->context->isa, bvh_ray_bits);
    ray_entry stack[BVH_STACK_SIZE] = {{0, 0}};
    size_t top = 1;
    while (top) {
        ray_entry entry = stack[--top];
        if (entry.enter > s->best) continue;
        if (entry.child & BVH_LEAF) {
            for (int i = 0; i < BVH_LEAF_SIZE; i++) test_triangle(s, s->tree->leaves + (entry.child & ~BVH_LEAF), i);
            continue;
        }
        // Children in reach, the nearest last.
        const bvh_node *node = s->tree->nodes + entry.child;
        double enter[BVH_WIDTH];
        size_t base = top;
        for (unsigned bits = ray_bits(node, &s->ray, s->best, enter); bits; bits &= bits - 1) {
            int i = __builtin_ctz(bits);
            // Slightly earlier, so that rounding does not lose a hit in a corner of the box.
            ray_entry child = {enter[i] * (1 - 0x1p-49), node->child[i]};
            size_t at = top++;
            for (; at > base && stack[at - 1].enter < child.enter; at--) stack[at] = stack[at - 1];
            stack[at] = child;
        }
    }
}

/* Scales the direction by a power of two to a length near one; returns the exponent. */
static int place_ray(ray_search *s, vec3 direction) {
    const bvh_frame *frame = &s->tree->frame;
    double d[3] = {direction.x, direction.y, direction.z};
    s->kz = fabs(d[0]) > fabs(d[1]) ? (fabs(d[0]) > fabs(d[2]) ? 0 : 2) : (fabs(d[1]) > fabs(d[2]) ? 1 : 2);
    s->kx = (s->kz + 1) % 3, s->ky = (s->kz + 2) % 3;
    int exponent;
    frexp(d[s->kz], &exponent);
    for (int k = 0; k < 3; k++) d[k] = ldexp(d[k], -exponent);
    s->shear[0] = d[s->kx] / d[s->kz], s->shear[1] = d[s->ky] / d[s->kz], s->shear[2] = 1 / d[s->kz];

    vec3 n = vec3_scale(vec3_sub(s->origin, frame->centre), frame->scale);
    s->ray = (bvh_ray){{n.x, n.y, n.z}, {1 / d[0], 1 / d[1], 1 / d[2]}, 0};
    s->ray.slack = 0x1p-50 * fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z)));
    return exponent;
}

bvh_hit bvh_ray_hit(const bvh *tree, ruga_vec3 origin, ruga_vec3 direction, double max_t) {
    bvh_hit hit = {.element = UINT32_MAX, .distance = INFINITY};
    int none = direction.x == 0 && direction.y == 0 && direction.z == 0;
    if (!tree->count || tree->arity != 3 || none || !vec3_is_finite(origin) || !vec3_is_finite(direction)) return hit;
    if (!(max_t >= 0)) return hit;

    // A step of t in the caller's direction is a step of t 2^exponent in the frame.
    ray_search s = {.tree = tree, .origin = origin, .scale = tree->frame.scale, .element = UINT32_MAX};
    int exponent = place_ray(&s, direction) + tree->frame.exponent;
    s.best = ldexp(max_t, exponent);
    walk(&s);
    double distance = ldexp(s.best, -exponent);
    if (s.element == UINT32_MAX || isinf(distance)) return hit;

    hit.element = s.element;
    hit.distance = distance;
    const uint32_t *vertices = tree->elements + 3 * (size_t)s.element;
    for (int k = 0; k < 3; k++) {
        hit.barycentric[k] = s.barycentric[k];
        hit.point = vec3_add_scaled(hit.point, tree->positions[vertices[k]], s.barycentric[k]);
    }
    return hit;
}
