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

/* The energy of one turn from segment u to v, and its gradient by both. */
static double bend_energy(double stiffness, angle_share share, vec3 u, vec3 v, vec3 *by_u, vec3 *by_v) {
    vec3 across = vec3_cross(u, v);
    double sine = vec3_length(across), cosine = vec3_dot(u, v), angle = atan2(sine, cosine);
    double turn = share.times * angle, root = sqrt(turn * turn + GOVERNING_SMOOTH_TURN * GOVERNING_SMOOTH_TURN);
    double grown = exp(root - GOVERNING_SMOOTH_TURN), scale = stiffness * share.count * e_to_minus_pi;
    /* d angle/du = (u x across) / (|u|² sine); a straight turn has the limit of angle / sine there. */
    double angle_by_sine = angle > 1e-8 ? angle / fmax(sine, 1e-12) : 1 / fmax(cosine, 1e-300);
    double factor = scale * share.times * share.times * grown / root * angle_by_sine;
    *by_u = vec3_scale(vec3_cross(u, across), factor / vec3_length2(u));
    *by_v = vec3_scale(vec3_cross(across, v), factor / vec3_length2(v));
    return scale * (grown - 1);
}

static vec3 particle_at(const governing_model *model, const double *heights, size_t i) {
    return vec3_add_scaled(vec3_scale(model->curve->points[i], model->scale), model->curve->normals[i], heights[i]);
}

static void add_along_normal(const governing_curve *curve, size_t i, vec3 force, double *gradient) {
    gradient[i] += vec3_dot(curve->normals[i], force);
}

/* Bending at one particle, from segment u to v. before: the particle where u begins. */
static double bending_at(const governing_model *model, size_t before, size_t i, vec3 u, vec3 v, double *gradient) {
    const governing_curve *curve = model->curve;
    vec3 by_u, by_v;
    rest_turn turn = model->turns ? model->turns[i] : governing_rest_turn(curve, i);
    double energy = bend_energy(curve->def.stiffness, share_of(curve, i), turn_by(&turn, u, 1), v, &by_u, &by_v);
    if (gradient) {
        by_u = turn_by(&turn, by_u, -1);
        add_along_normal(curve, before, vec3_scale(by_u, -1), gradient);
        add_along_normal(curve, i, vec3_sub(by_u, by_v), gradient);
        add_along_normal(curve, i + 1, by_v, gradient);
    }
    return energy;
}

/* Bending of all inner particles, and where a closed curve is closed. */
static double bending(const governing_model *model, const double *heights, double *gradient) {
    const governing_curve *curve = model->curve;
    double energy = 0;
    vec3 at = particle_at(model, heights, 1), u = vec3_sub(at, particle_at(model, heights, 0));
    const size_t last = curve->count - 1;
    if (curve->closed) {
        vec3 closing = vec3_sub(particle_at(model, heights, last), particle_at(model, heights, last - 1));
        energy += bending_at(model, last - 1, 0, closing, u, gradient);
    }
    for (size_t i = 1; i + 1 < curve->count; i++) {
        vec3 next = particle_at(model, heights, i + 1), v = vec3_sub(next, at);
        energy += bending_at(model, i - 1, i, u, v, gradient);
        at = next;
        u = v;
    }
    return energy;
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
