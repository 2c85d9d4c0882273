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

governing_model governing_model_make(const governing_curve *curve) {
    double length = rest_length(curve);
    return (governing_model){.curve = curve, .scale = length > 0 ? GOVERNING_LENGTH / length : 1, .span_count = 1};
}

/* The rotation from one rest segment's direction to the next one's: v -> c v + k x v + k (k . v) / (1 + c). A rotation
 * by π has no axis, and is left out. */
typedef struct rest_turn {
    vec3 axis; /* k, as long as the sine */
    double cosine;
    double share; /* 1 / (1 + c) */
} rest_turn;

static rest_turn find_rest_turn(const governing_curve *curve, size_t particle) {
    const rest_turn none = {{0, 0, 0}, 1, 0.5};
    if (!curve->def.rest_angles) return none;
    const vec3 *p = curve->points + particle, *last = particle > 0 ? p : curve->points + curve->count - 1;
    vec3 before = vec3_normalise(vec3_sub(last[0], last[-1])), after = vec3_normalise(vec3_sub(p[1], p[0]));
    double cosine = vec3_dot(before, after);
    return cosine > -0.999999 ? (rest_turn){vec3_cross(before, after), cosine, 1 / (1 + cosine)} : none;
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

/* The rows of a particle, of which the turn is one of the curve's. */
static void fill_particle(const governing_model *model, size_t particle, double *rows, size_t stride) {
    const governing_curve *curve = model->curve;
    const vec3 point = vec3_scale(curve->points[particle], model->scale), normal = curve->normals[particle];
    const int turns = particle + 1 < curve->count && (particle > 0 || curve->closed);
    const rest_turn turn = turns ? find_rest_turn(curve, particle) : (rest_turn){{0, 0, 0}, 1, 0.5};
    const angle_share share = turns ? share_of(curve, particle) : (angle_share){0, 1};
    const double values[GOVERNING_ROWS] = {point.x,    point.y,     point.z,     normal.x,    normal.y,
                                           normal.z,   turn.axis.x, turn.axis.y, turn.axis.z, turn.cosine,
                                           turn.share, share.count, share.times};
    for (size_t r = 0; r < GOVERNING_ROWS; r++) rows[r * stride] = values[r];
}

/* A closed curve has a turn at its first particle, where its last segment ends: the one before the last comes first. */
static size_t particle_before(const governing_curve *curve, size_t place) {
    return place > 0 ? place - 1 : curve->closed ? curve->count - 2 : 0;
}

void governing_fill_rows(const governing_model *model, double *rows) {
    const size_t count = model->curve->count;
    for (size_t i = 0; i <= count; i++) fill_particle(model, particle_before(model->curve, i), rows + i, count + 1);
}

/* Bending of all inner particles, and where a closed curve is closed. */
static double bending(const governing_model *model, const double *heights, double *gradient) {
    enum { MOST = GOVERNING_BLOCK + 2 };
    const governing_curve *curve = model->curve;
    const size_t count = curve->count;
    double own[GOVERNING_ROWS * MOST], here[MOST], slopes[MOST] = {0}, energy = 0;
    /* The place of a particle is its number + 1. */
    for (size_t first = curve->closed ? 0 : 1, turns; first + 2 <= count; first += turns) {
        turns = count - 1 - first < GOVERNING_BLOCK ? count - 1 - first : GOVERNING_BLOCK;
        const double *rows = model->rows ? model->rows + first : own;
        for (size_t i = 0; i < turns + 2; i++) here[i] = heights[particle_before(curve, first + i)];
        for (size_t i = 0; i < turns + 2 && !model->rows; i++)
            fill_particle(model, particle_before(curve, first + i), own + i, MOST);
        energy += ISA_SELECT(model->isa, governing_bend)(rows, model->rows ? count + 1 : MOST, here, turns, slopes);
        for (size_t i = 0; i < turns + 2 && gradient; i++)
            gradient[particle_before(curve, first + i)] += curve->def.stiffness * e_to_minus_pi * slopes[i];
    }
    return curve->def.stiffness * e_to_minus_pi * energy;
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
