/* A pair's row: its frame, its effective masses, and the target of its approach. */
#include "contact/repulsion_parts.h"

#define SATURATED (1 - 1e-9) /* of the limit: friction counts as being at it */
#define MOST_TURN \
    2.0 /* 1, greatest slip that rotation makes of a unit of normal velocity; beyond it friction is left out */
#define THIN 1e-9      /* 1, width over length: less is rounding */
#define MOST_RATE 30.0 /* 1/s, at which overlaps are removed */
/* Overlap that is left, in thicknesses, so that resting pairs stay within the thickness and are held in every
 * substep. */
#define LITTLE_OVERLAP 0.01

/* A difference of two vertices, seen along the normal. */
typedef struct arm {
    int plus, minus;
    vec3 along; /* m, at right angles to the normal */
    double length2;
} arm;

static arm arm_of(const vec3 x[4], vec3 normal, int plus, int minus) {
    arm a = {.plus = plus, .minus = minus, .along = vec3_sub(x[plus], x[minus])};
    a.along = vec3_add_scaled(a.along, normal, -vec3_dot(a.along, normal));
    a.length2 = vec3_length2(a.along);
    return a;
}

static void swap_if_shorter(arm *a, arm *b) {
    if (!(a->length2 < b->length2)) return;
    arm kept = *a;
    *a = *b, *b = kept;
}

/* The two arms, the longer first: the edges, or the longest two sides of the triangle. */
static void arms_of(pair_kind kind, const vec3 x[4], vec3 normal, arm arms[2]) {
    if (kind == PAIR_EDGE_EDGE) {
        arms[0] = arm_of(x, normal, 1, 0), arms[1] = arm_of(x, normal, 3, 2);
    } else {
        arm third = arm_of(x, normal, 3, 2);
        arms[0] = arm_of(x, normal, 2, 1), arms[1] = arm_of(x, normal, 3, 1);
        swap_if_shorter(&arms[1], &third);
    }
    swap_if_shorter(&arms[0], &arms[1]);
}

static vec3 any_tangent(vec3 normal) {
    vec3 axis = fabs(normal.x) < 0.5 ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0);
    return vec3_normalise(vec3_cross(normal, axis));
}

static void add_turn(pair_row *row, int k, const arm *a, double amount) {
    row->turns[k][a->plus] += amount;
    row->turns[k][a->minus] -= amount;
}

/* Tangents and turns; distance is signed. With a kinematic vertex in the pair momentum is not conserved anyway: where
 * the rotation is not known, such a pair is taken as not rotating. */
static void set_frame(pair_row *row, pair_kind kind, const vec3 x[4], double distance, int is_held) {
    arm arms[2];
    arms_of(kind, x, row->normal, arms);
    double a = sqrt(arms[0].length2), d = fabs(distance);
    int has_first = a > 0 && d <= MOST_TURN * a;
    if (!has_first && !is_held) return;
    vec3 t1 = a > 0 ? vec3_scale(arms[0].along, 1 / a) : any_tangent(row->normal);
    vec3 t2 = vec3_cross(row->normal, t1);
    double b1 = vec3_dot(arms[1].along, t1), b2 = vec3_dot(arms[1].along, t2);

    /* The dual basis of (a, 0) and (b1, b2) is (1 / a, -b1 / (a b2)) and (0, 1 / b2); a is the longer. */
    int has_second = has_first && fabs(b2) > THIN * a && d <= MOST_TURN * fabs(b2);
    row->tangents[0] = t1;
    if (has_second || is_held) row->tangents[1] = t2;
    if (has_first) add_turn(row, 0, &arms[0], distance / a);
    if (has_second) {
        add_turn(row, 1, &arms[0], -distance * b1 / (a * b2));
        add_turn(row, 1, &arms[1], distance / b2);
    }
}

/* The greatest eigenvalue of the matrix from slip impulses to slips. */
static double slip_answer(const pair_row *row, const double inverse_masses[4]) {
    double both = 0, k[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        const double c[2] = {row->turns[0][i], row->turns[1][i]};
        both += inverse_masses[i] * row->weights[i] * row->weights[i];
        k[0] += inverse_masses[i] * c[0] * c[0];
        k[1] += inverse_masses[i] * c[0] * c[1];
        k[2] += inverse_masses[i] * c[1] * c[1];
    }
    return both + (k[0] + k[2] + sqrt((k[0] - k[2]) * (k[0] - k[2]) + 4 * k[1] * k[1])) / 2;
}

/* The side of triangle or edges that a direction is on; 0 at borders, where a pair may move round to the other side. */
static int side_of(pair_kind kind, const vec3 x[4], const pair_gap *gap) {
    if (ends_at_border(gap)) return 0;
    vec3 a = kind == PAIR_EDGE_EDGE ? vec3_sub(x[1], x[0]) : vec3_sub(x[2], x[1]);
    vec3 b = kind == PAIR_EDGE_EDGE ? vec3_sub(x[3], x[2]) : vec3_sub(x[3], x[1]);
    double product = vec3_dot(vec3_cross(a, b), gap->direction);
    return product > 0 ? 1 : product < 0 ? -1 : 0;
}

/* The rate is limited: with short substeps the push would be abrupt. */
double push_speed(const repulsion_law *law, double overlap, double dt) {
    double rate = law->spring / dt;
    return (rate < MOST_RATE ? rate : MOST_RATE) * overlap;
}

/* How much of an overlap a push may remove, 0 to 1. Where pins hold most of both sides, the rest would be a lever: its
 * few free vertices would have to move far to part places that are held, in every substep again, without end. Such
 * pairs are kept from approaching, but not pushed. */
static double removable_part(pair_kind kind, const double weights[4], const double inverse_masses[4]) {
    double held[2] = {0, 0}; /* weights of each side, whose sum is 1 */
    int second = kind == PAIR_EDGE_EDGE ? 2 : 1;
    for (int i = 0; i < 4; i++)
        if (inverse_masses[i] == 0) held[i >= second] += fabs(weights[i]);
    return fmax(0, 1 - 2 * fmin(held[0], held[1]));
}

pair_row row_of(const repulsion *r, const contact_mesh *m, const contact_pair *pair, const touch *t, double dt) {
    pair_kind kind = (pair_kind)pair->kind;
    const past_contact *past = t->past == NO_PAST ? NULL : r->past.items + t->past;
    pair_row row = {.kind = pair->kind, .touch = (uint32_t)(t - r->touches.items), .normal = t->gap.direction};
    vec3 x[4];
    double inverse_masses[4], answer = 0, distance = t->gap.distance;
    int is_held = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t v = row.vertices[i] = pair->vertices[i];
        x[i] = m->from[v];
        row.weights[i] = t->gap.weights[i];
        inverse_masses[i] = m->inverse_masses[v];
        is_held |= inverse_masses[i] == 0;
        answer += inverse_masses[i] * row.weights[i] * row.weights[i];
    }
    row.side = side_of(kind, x, &t->gap);
    /* The pair has passed through since the last substep if it is on the other side and the normal has reversed. Edges
     * that rotate past each other change sides too, but not the normal. */
    if (past && row.side * past->side < 0 && vec3_dot(past->normal, row.normal) < 0) {
        row.normal = vec3_scale(row.normal, -1);
        row.side = -row.side;
        distance = -distance;
    }
    set_frame(&row, kind, x, distance, is_held);

    double overlap = t->thickness * (1 - LITTLE_OVERLAP) - distance;
    row.target = overlap > 0 ? push_speed(&r->law, overlap, dt) : 0;
    if (is_held) row.target *= removable_part(kind, row.weights, inverse_masses);
    row.is_near = distance > t->thickness;
    if (row.is_near) row.target = (t->thickness - distance) / dt;
    row.normal_mass = answer > 0 ? 1 / answer : 0;
    row.slip_mass = answer > 0 ? 1 / slip_answer(&row, inverse_masses) : 0;
    const contact_part *a = m->parts + m->part_of[row.vertices[0]], *b = m->parts + m->part_of[row.vertices[3]];
    row.friction = fmax(a->friction, b->friction);
    row.limit = fmin(r->law.static_ratio, RATIO_AT_ONCE) * row.friction;
    return row;
}

void row_motion(const pair_row *row, const moving_vertex *vertices, double *approach, double slip[2]) {
    vec3 relative = {0, 0, 0};
    double turn[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        vec3 v = vertices[row->vertices[i]].velocity;
        double q = vec3_dot(row->normal, v);
        relative = vec3_add_scaled(relative, v, row->weights[i]);
        turn[0] += row->turns[0][i] * q;
        turn[1] += row->turns[1][i] * q;
    }
    *approach = vec3_dot(row->normal, relative);
    slip[0] = vec3_dot(row->tangents[0], relative) + turn[0];
    slip[1] = vec3_dot(row->tangents[1], relative) + turn[1];
}

static int is_saturated(double slip_impulse, double limit) { return limit > 0 && slip_impulse >= SATURATED * limit; }

int row_slides(const pair_row *row) {
    const double *slip = row->slip_impulse;
    return is_saturated(sqrt(slip[0] * slip[0] + slip[1] * slip[1]), row->limit * row->impulse);
}

int plane_row_slides(const plane_row *row) {
    return is_saturated(vec3_length(row->slip_impulse), row->limit * row->impulse);
}
