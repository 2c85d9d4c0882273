/* Queries of every kind. Numbers are small integers over powers of two, so that touching, parallel, coplanar and so
 * on are exactly that. */
#ifndef TESTS_PAIR_QUERIES_H
#define TESTS_PAIR_QUERIES_H

#include <math.h>

#include "contact/pair_truth.h"
#include "math/vec3.h"

typedef pair_query query_maker(test_random *random);

static int random_below(test_random *random, int count) { return (int)(random_bits(random) >> 33) % count; }
static double random_integer(test_random *random, int most) { return random_below(random, 2 * most + 1) - most; }
static ruga_vec3 random_lattice(test_random *random, int most) {
    return vec3_make(random_integer(random, most), random_integer(random, most), random_integer(random, most));
}

/* Of either kind; the separation is anything from none over almost none to a quarter. */
static pair_query any_query(test_random *random) {
    return (pair_query){.kind = random_below(random, 2) ? PAIR_EDGE_EDGE : PAIR_VERTEX_TRIANGLE,
                        .separation = random_below(random, 5) ? ldexp(1, -random_below(random, 40) - 2) : 0};
}

/* ---- Plain ones. */
static pair_query random_query(test_random *random) {
    pair_query q = any_query(random);
    for (int k = 0; k < 4; k++) q.from[k] = random_vec3(random, -1, 1), q.to[k] = random_vec3(random, -1, 1);
    return q;
}

/* On a few points: whatever can coincide does, sooner or later. */
static pair_query lattice_query(test_random *random) {
    pair_query q = any_query(random);
    int most = 1 + random_below(random, 4);
    for (int k = 0; k < 4; k++) q.from[k] = random_lattice(random, most), q.to[k] = random_lattice(random, most);
    return q;
}

/* ---- Degenerate ones. */
/* Two directions that are parallel at the start, at the end or both; the triangle's sides, where there is one. */
static pair_query parallel_query(test_random *random) {
    pair_query q = lattice_query(random);
    int ends = 1 + random_below(random, 3);
    for (int end = 0; end < 2; end++) {
        ruga_vec3 *x = end ? q.to : q.from;
        ruga_vec3 move = random_lattice(random, 2);
        if (!(ends >> end & 1)) continue;
        if (q.kind == PAIR_EDGE_EDGE) {
            x[1] = vec3_add_scaled(x[0], move, random_integer(random, 2));
            x[3] = vec3_add_scaled(x[2], move, random_integer(random, 2));
        } else {
            x[2] = vec3_add_scaled(x[1], move, random_integer(random, 2));
            x[3] = vec3_add_scaled(x[1], move, random_integer(random, 2));
        }
    }
    return q;
}

/* All in one plane, which may move. */
static pair_query coplanar_query(test_random *random) {
    pair_query q = any_query(random);
    ruga_vec3 axes[2] = {random_lattice(random, 2), random_lattice(random, 2)};
    ruga_vec3 moved = random_below(random, 2) ? random_lattice(random, 3) : vec3_make(0, 0, 0);
    for (int k = 0; k < 8; k++) {
        ruga_vec3 point = vec3_scale(axes[0], random_integer(random, 3));
        point = vec3_add_scaled(point, axes[1], random_integer(random, 3));
        if (k < 4)
            q.from[k] = point;
        else
            q.to[k - 4] = vec3_add(point, moved);
    }
    return q;
}

/* Elements without length or area, at the start, at the end, in between or always. */
static pair_query zero_length_query(test_random *random) {
    pair_query q = lattice_query(random);
    int ends = random_below(random, 4), a = random_below(random, 4);
    for (int n = 0; n < 1 + random_below(random, 3); n++) {
        int b = (a + 1 + random_below(random, 3)) % 4;
        if (ends & 1) q.from[b] = q.from[a];
        if (ends & 2) q.to[b] = q.to[a];
        /* Half move: the difference turns round. */
        if (!ends) q.to[b] = vec3_add(q.to[a], vec3_sub(q.from[a], q.from[b]));
    }
    return q;
}

/* Parts that touch at half time: at corners, on edges and inside, on any trajectories. */
static pair_query touching_query(test_random *random) {
    pair_query q = any_query(random);
    ruga_vec3 x[4];
    for (int k = 0; k < 4; k++) x[k] = random_lattice(random, 4);
    int s = random_below(random, 5), t = random_below(random, 5);
    if (q.kind == PAIR_VERTEX_TRIANGLE) {
        /* (4 - s - t) x1 + s x2 + t x3 over 4 is the vertex. */
        if (s + t > 4) s = 4 - s, t = 4 - t;
        x[0] = vec3_scale(x[1], (4 - s - t) / 4.0);
        x[0] = vec3_add_scaled(vec3_add_scaled(x[0], x[2], s / 4.0), x[3], t / 4.0);
    } else {
        ruga_vec3 shift = vec3_sub(vec3_mix(x[0], x[1], s / 4.0), vec3_mix(x[2], x[3], t / 4.0));
        x[2] = vec3_add(x[2], shift), x[3] = vec3_add(x[3], shift);
    }
    for (int k = 0; k < 4; k++) {
        ruga_vec3 move = random_lattice(random, 4);
        q.from[k] = vec3_sub(x[k], move), q.to[k] = vec3_add(x[k], move);
    }
    return q;
}

/* Some coordinates are off by little. */
static double jogged(test_random *random, double x) {
    return x + random_integer(random, 1) * ldexp(1, -40 - random_below(random, 10));
}

static void jog(test_random *random, pair_query *q) {
    for (int k = 0; k < 4; k++) {
        ruga_vec3 *x = random_below(random, 2) ? &q->from[k] : &q->to[k];
        *x = vec3_make(jogged(random, x->x), jogged(random, x->y), x->z);
    }
}

static pair_query nearly_touching_query(test_random *random) {
    pair_query q = touching_query(random);
    jog(random, &q);
    return q;
}

static pair_query nearly_degenerate_query(test_random *random) {
    pair_query q = random_below(random, 2) ? parallel_query(random) : zero_length_query(random);
    jog(random, &q);
    return q;
}

/* Thin, short and near: some vertices differ from others by very little. */
static pair_query thin_query(test_random *random) {
    pair_query q = lattice_query(random);
    for (int n = 0; n < 1 + random_below(random, 3); n++) {
        int a = random_below(random, 4), b = (a + 1 + random_below(random, 3)) % 4;
        double little = ldexp(1, -10 - random_below(random, 40));
        q.from[b] = vec3_add_scaled(q.from[a], random_lattice(random, 2), little);
        if (random_below(random, 2)) q.to[b] = vec3_add_scaled(q.to[a], random_lattice(random, 2), little);
    }
    return q;
}

/* A vertex or an edge that slides by another at a distance next to what is asked about. */
static pair_query grazing_query(test_random *random) {
    pair_query q = any_query(random);
    q.separation = ldexp(1, -3 - random_below(random, 30));
    double height = q.separation * (1 + random_integer(random, 4) / 8);
    int is_triangle = q.kind == PAIR_VERTEX_TRIANGLE;
    for (int k = 0; k < 4; k++) {
        int is_first = k < (is_triangle ? 1 : 2);
        q.from[k] = random_lattice(random, 4), q.to[k] = random_lattice(random, 4);
        q.from[k].z = q.to[k].z = is_first ? height : 0;
    }
    /* It may come from afar. */
    if (random_below(random, 2)) q.from[0].z = 4;
    return q;
}

/* ---- Changes of the numbers that do not change the answer. */
/* All moved by the same, far away, and elsewhere at the end. */
static pair_query far_query(test_random *random) {
    pair_query q = random_below(random, 2) ? touching_query(random) : lattice_query(random);
    double far = ldexp(1, random_below(random, 46));
    ruga_vec3 offset = vec3_scale(random_lattice(random, 8), far), move = vec3_scale(random_lattice(random, 8), far);
    for (int k = 0; k < 4; k++) {
        q.from[k] = vec3_add(q.from[k], offset);
        q.to[k] = vec3_add(vec3_add(q.to[k], offset), move);
    }
    return q;
}

/* From the smallest numbers there are to the largest. */
static pair_query scaled_query(test_random *random) {
    pair_query q;
    switch (random_below(random, 6)) {
        case 0: q = touching_query(random); break;
        case 1: q = lattice_query(random); break;
        case 2: q = parallel_query(random); break;
        case 3: q = coplanar_query(random); break;
        case 4: q = zero_length_query(random); break;
        default: q = grazing_query(random); break;
    }
    int exponent = random_below(random, 2) ? -1072 + random_below(random, 200) : 820 + random_below(random, 199);
    if (random_below(random, 4) == 0) exponent = random_below(random, 500) - 250;
    q.separation = ldexp(q.separation, exponent);
    int is_far = random_below(random, 16) == 0; /* and tiny in a plane that is */
    for (int k = 0; k < 8; k++) {
        ruga_vec3 *x = k < 4 ? &q.from[k] : &q.to[k - 4];
        *x = vec3_make(ldexp(x->x, exponent), ldexp(x->y, exponent), ldexp(x->z, exponent));
        if (is_far) x->y = 0x1p1000;
    }
    return q;
}

#endif
