/* The energy of a governing curve (Wang et al. 2006, equations 1 to 5) and its gradient.
 *
 * With φ = π - θ, the turn at a particle, equation 2 is B = k_r e^-π (e^φ - 1), here of s = sqrt(φ² + δ²) - δ instead
 * of φ. The sum of equation 3 counts each angle once for every particle next to it that is neither an end nor a
 * neighbour of one: 1, 2, 3 … 3, 2, 1 times. With soft ends all count 3 times, and the first and last are half of a
 * turn twice as large. */
#include "solve/governing_model.h"

static const double e_to_minus_pi = 0.043213918263772250;

static double rest_length(const governing_curve *curve) {
    double length = 0;
    for (size_t i = 0; i + 1 < curve->count; i++) length += vec3_distance(curve->points[i], curve->points[i + 1]);
    return length;
}

governing_model governing_model_make(const governing_curve *curve, const rest_turn *turns) {
    double length = rest_length(curve);
    return (governing_model){
        .curve = curve, .scale = length > 0 ? GOVERNING_LENGTH / length : 1, .turns = turns, .span_count = 1};
}

rest_turn governing_rest_turn(const governing_curve *curve, size_t particle) {
    const rest_turn none = {{0, 0, 0}, 1, 0.5};
    if (!curve->def.rest_angles) return none;
    const vec3 *p = curve->points + particle, *last = particle > 0 ? p : curve->points + curve->count - 1;
    vec3 before = vec3_normalise(vec3_sub(last[0], last[-1])), after = vec3_normalise(vec3_sub(p[1], p[0]));
    double cosine = vec3_dot(before, after);
    return cosine > -0.999999 ? (rest_turn){vec3_cross(before, after), cosine, 1 / (1 + cosine)} : none;
}

static inline vec3 turn_by(const rest_turn *turn, vec3 v, double direction) {
    vec3 axis = vec3_scale(turn->axis, direction);
    vec3 turned = vec3_add(vec3_scale(v, turn->cosine), vec3_cross(axis, v));
    return vec3_add_scaled(turned, axis, vec3_dot(axis, v) * turn->share);
}

/* The weight of an angle: `count` times the energy of a turn that is `times` as large. */
typedef struct angle_share {
    double count, times;
} angle_share;

static angle_share share_of(const governing_curve *curve, size_t particle) {
    size_t count = curve->count;
    if (curve->closed) return (angle_share){3, 1};
    int is_clamped = particle == 1 || particle + 2 == count;
    if (curve->def.ends == GOVERNING_SOFT) return is_clamped ? (angle_share){1.5, 2} : (angle_share){3, 1};
    size_t first = particle > 3 ? particle - 1 : 2, last = particle + 1 < count - 3 ? particle + 1 : count - 3;
    return (angle_share){last >= first ? (double)(last - first + 1) : 0, 1};
}

static vec3 particle_at(const governing_model *model, const double *heights, size_t i) {
    return vec3_add_scaled(vec3_scale(model->curve->points[i], model->scale), model->curve->normals[i], heights[i]);
}

static void add_along_normal(const governing_curve *curve, size_t i, vec3 force, double *gradient) {
    gradient[i] += vec3_dot(curve->normals[i], force);
}

/* Turns at some particles: from segment u, turned as at rest, to v. */
typedef struct turn_block {
    size_t count;
    size_t before[GOVERNING_BLOCK], at[GOVERNING_BLOCK]; /* the particle where u begins, and the one where it turns */
    vec3 u[GOVERNING_BLOCK], v[GOVERNING_BLOCK], across[GOVERNING_BLOCK];
    rest_turn turns[GOVERNING_BLOCK];
    double sines[GOVERNING_BLOCK], cosines[GOVERNING_BLOCK], counts[GOVERNING_BLOCK], times[GOVERNING_BLOCK];
    double energies[GOVERNING_BLOCK], factors[GOVERNING_BLOCK];
} turn_block;

static void add_turn(const governing_model *model, size_t before, size_t i, vec3 u, vec3 v, turn_block *b) {
    const size_t k = b->count++;
    const angle_share share = share_of(model->curve, i);
    b->before[k] = before;
    b->at[k] = i;
    b->turns[k] = model->turns ? model->turns[i] : governing_rest_turn(model->curve, i);
    b->u[k] = turn_by(&b->turns[k], u, 1);
    b->v[k] = v;
    b->across[k] = vec3_cross(b->u[k], v);
    b->sines[k] = vec3_length(b->across[k]);
    b->cosines[k] = vec3_dot(b->u[k], v);
    b->counts[k] = share.count;
    b->times[k] = share.times;
}

/* The energy of a block's turns, and its gradient: d angle/du = (u x across) / (|u|² sine). Empties the block. */
static double finish_turns(const governing_model *model, turn_block *b, double *gradient) {
    const governing_curve *curve = model->curve;
    const double scale = curve->def.stiffness * e_to_minus_pi;
    double energy = 0;
    ISA_SELECT(model->isa, governing_turns)
    (b->sines, b->cosines, b->counts, b->times, b->energies, b->factors, b->count);
    for (size_t k = 0; k < b->count; k++) energy += b->energies[k];
    for (size_t k = 0; k < b->count && gradient; k++) {
        const double factor = scale * b->factors[k];
        vec3 by_u = vec3_scale(vec3_cross(b->u[k], b->across[k]), factor / vec3_length2(b->u[k]));
        vec3 by_v = vec3_scale(vec3_cross(b->across[k], b->v[k]), factor / vec3_length2(b->v[k]));
        by_u = turn_by(&b->turns[k], by_u, -1);
        add_along_normal(curve, b->before[k], vec3_scale(by_u, -1), gradient);
        add_along_normal(curve, b->at[k], vec3_sub(by_u, by_v), gradient);
        add_along_normal(curve, b->at[k] + 1, by_v, gradient);
    }
    b->count = 0;
    return scale * energy;
}

/* Bending of all inner particles, and where a closed curve is closed. */
static double bending(const governing_model *model, const double *heights, double *gradient) {
    const governing_curve *curve = model->curve;
    const size_t last = curve->count - 1;
    turn_block b;
    double energy = 0;
    vec3 at = particle_at(model, heights, 1), u = vec3_sub(at, particle_at(model, heights, 0));
    b.count = 0;
    if (curve->closed) {
        vec3 closing = vec3_sub(particle_at(model, heights, last), particle_at(model, heights, last - 1));
        add_turn(model, last - 1, 0, closing, u, &b);
    }
    for (size_t i = 1; i < last; i++) {
        vec3 next = particle_at(model, heights, i + 1), v = vec3_sub(next, at);
        if (b.count == GOVERNING_BLOCK) energy += finish_turns(model, &b, gradient);
        add_turn(model, i - 1, i, u, v, &b);
        at = next;
        u = v;
    }
    return energy + finish_turns(model, &b, gradient);
}

/* Lengths of the span from first to last, at rest and now, units; stores the directions of segments if
 * model->directions is set. */
static double span_lengths(const governing_model *model, const double *heights, size_t first, size_t last,
                           double *rest) {
    const vec3 *points = model->curve->points;
    double length = 0;
    vec3 at = particle_at(model, heights, first);
    *rest = 0;
    for (size_t i = first + 1; i <= last; i++) {
        vec3 next = particle_at(model, heights, i), segment = vec3_sub(next, at);
        double size = vec3_length(segment);
        *rest += model->rests ? model->rests[i - 1] : vec3_distance(points[i - 1], points[i]);
        length += size;
        if (model->directions) model->directions[i - 1] = vec3_scale(segment, size > 0 ? 1 / size : 0);
        at = next;
    }
    *rest *= model->scale;
    return length;
}

/* The gradient of a span's length, times a factor. */
static void add_length_gradient(const governing_model *model, const double *heights, size_t first, size_t last,
                                double factor, double *gradient) {
    for (size_t i = first + 1; i <= last; i++) {
        vec3 direction =
            model->directions
                ? model->directions[i - 1]
                : vec3_normalise(vec3_sub(particle_at(model, heights, i), particle_at(model, heights, i - 1)));
        vec3 along = vec3_scale(direction, factor);
        add_along_normal(model->curve, i - 1, vec3_scale(along, -1), gradient);
        add_along_normal(model->curve, i, along, gradient);
    }
}

double governing_model_energy(const governing_model *model, const double *heights, double *gradient, double *length) {
    const governing_curve *curve = model->curve;
    for (size_t i = 0; gradient && i < curve->count; i++) gradient[i] = 0;
    double energy = bending(model, heights, gradient), whole = 0;
    size_t first = 0;
    for (size_t s = 0; s < model->span_count; s++) {
        size_t last = model->span_ends ? model->span_ends[s] : curve->count - 1;
        double target = model->span_lengths ? model->span_lengths[s] : curve->def.length;
        double rest, now = span_lengths(model, heights, first, last, &rest), missing = target * rest - now;
        if (gradient) add_length_gradient(model, heights, first, last, -2 * missing, gradient);
        energy += missing * missing;
        whole += now;
        first = last;
    }
    if (length) *length = whole;
    return energy;
}
