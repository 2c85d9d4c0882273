/* Pleats on a sphere of directions; the header has the method. */
#include "geom/pleats.h"

#include <math.h>

#include "base/memory.h"
#include "math/vec3.h"

#define TWO_PI 6.283185307179586476925
#define FLAT 1e-6      /* of the outer radius */
#define ROUNDING 2e-16 /* of a difference of cosines */

static double angle_of(vec3 flat) {
    double angle = atan2(-flat.z, flat.x);
    return angle < -1e-9 ? angle + TWO_PI : angle;
}

static ruga_status measure_sector(pleats *p, const vec3 *positions, size_t count) {
    double height = 0;
    p->inner = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double radius = hypot(positions[i].x, positions[i].z);
        p->inner = fmin(p->inner, radius);
        p->outer = fmax(p->outer, radius);
        p->sector = fmax(p->sector, angle_of(positions[i]));
        height = fmax(height, fabs(positions[i].y));
    }
    if (height <= FLAT * p->outer && p->inner > FLAT * p->outer && p->outer > p->inner && p->sector < TWO_PI - 1e-6)
        return RUGA_OK;
    return fail_input(p->context,
                      "pleats need a flat sector of an annulus around the origin, in the plane y = 0 and below 360 "
                      "degrees, as the model \"annulus\" makes it; this mesh has radii from %g m to %g m, %g m of "
                      "height and %g degrees",
                      p->inner, p->outer, height, p->sector * 360 / TWO_PI);
}

/* The difference of azimuths of two directions with polar angles a and b that are `apart`; NaN: there is none. */
static double azimuth(double apart, double a, double b) {
    return acos((cos(apart) - cos(a) * cos(b)) / (sin(a) * sin(b)));
}

/* How much farther apart than `apart` two directions are, whose azimuths differ by `step`; grows with the distance. */
static double excess(double a, double b, double step, double apart) {
    return cos(apart) - (cos(a) * cos(b) + sin(a) * sin(b) * cos(step));
}

/* The curves on the sphere that creases lie on, and the pieces between them. */
typedef struct pleat_turn {
    double polar, tilt; /* of outer creases at the azimuth 0; how much less that of inner ones is */
    double oval;        /* 1, of the waist */
    double widths[4];   /* rad, of the pieces, from the first crease on: forwards, back, forwards, back */
    int is_box;
    int count; /* of pleats */
} pleat_turn;

static size_t creases_each(const pleat_turn *t) { return t->is_box ? 4 : 2; }
static int is_outer(const pleat_turn *t, size_t k) { return t->is_box ? k < 2 : k == 0; }

static double polar_at(const pleat_turn *t, size_t k, double at) {
    double outer = t->polar;
    if (t->oval != 1) outer = atan(tan(outer) * t->oval / hypot(t->oval * cos(at), sin(at)));
    return is_outer(t, k) ? outer : outer - t->tilt;
}

/* From the azimuth of crease k of a pleat to that of its neighbour `to`, which depends on its own polar angle. */
static double step_to(const pleat_turn *t, size_t k, size_t to, double width, double sign, double at) {
    double from = polar_at(t, k, at);
    if (t->oval == 1) return at + sign * azimuth(width, from, polar_at(t, to, at));
    /* The first step at which the neighbour is far enough: bracketed, then by false position (Illinois). */
    double low = 0, high = width, below = -1, above;
    while ((above = excess(from, polar_at(t, to, at + sign * high), high, width)) < 0 && high < TWO_PI / 2) {
        low = high;
        below = above;
        high *= 1.25;
    }
    if (!(above >= 0)) return NAN;
    if (low == 0) below = excess(from, polar_at(t, to, at), 0, width);
    for (int round = 0, side = 0; round < 100 && above > ROUNDING; round++) {
        double step = low + (high - low) * below / (below - above);
        double found = excess(from, polar_at(t, to, at + sign * step), step, width);
        if (fabs(found) <= ROUNDING) return at + sign * step;
        if (found < 0) {
            low = step, below = found;
            if (side < 0) above /= 2;
            side = -1;
        } else {
            high = step, above = found;
            if (side > 0) below /= 2;
            side = 1;
        }
    }
    return at + sign * high;
}

static double step_on(const pleat_turn *t, size_t k, double at) {
    return step_to(t, k, (k + 1) % creases_each(t), t->widths[k], k % 2 == 0 ? 1 : -1, at);
}

/* How far all pleats lead. */
static double turn_of(const pleat_turn *t) {
    double at = 0;
    int marched = t->oval == 1 ? 1 : t->count; /* around a circle they are alike */
    for (int i = 0; i < marched && !isnan(at); i++)
        for (size_t k = 0; k < creases_each(t); k++) at = step_on(t, k, at);
    return at * t->count / marched;
}

/* The polar angle at which the pleats lead by `turn`. turn_of falls while the polar angle rises. */
static int find_polar(pleat_turn *t, double turn) {
    double low = t->tilt, high = TWO_PI / 4;
    for (int k = 0; k < 60; k++) {
        t->polar = (low + high) / 2;
        double found = turn_of(t);
        /* Without a solution the cone is too narrow. */
        if (!(found <= turn))
            low = t->polar;
        else
            high = t->polar;
    }
    t->polar = high;
    return fabs(turn_of(t) - turn) < 1e-9;
}

static vec3 direction(double polar, double azimuth_of) {
    return (vec3){sin(polar) * cos(azimuth_of), -cos(polar), -sin(polar) * sin(azimuth_of)};
}

/* Creases of knife pleats begin and end inside of a narrow piece; those of box pleats at an outer crease. */
static void place_creases(pleats *p, const pleat_turn *t) {
    size_t each = creases_each(t), k = 0;
    double shift = t->is_box ? 0 : t->widths[1] * 5 / 6, along = shift, at = 0;
    if (!t->is_box) { /* the first is the last inner one of a pleat before the sector */
        k = 1;
        along = shift - t->widths[1];
        at = step_to(t, 0, 1, t->widths[1], 1, 0);
    }
    for (size_t i = 0; i < p->count + 2; i++, k = (k + 1) % each) {
        p->angles[i] = along;
        p->rays[i] = direction(polar_at(t, k, at), at);
        along += t->widths[k];
        at = step_on(t, k, at);
    }
}

/* A wide piece is a chord of the skirt: few pleats with little depth pass through the pieces below them, and their
 * outer creases become valleys, as the inner ones are. Around an oval this may happen to some of them. */
static ruga_status check_layers(const pleats *p, const pleats_def *def, const pleat_turn *t) {
    size_t turned = 0, first = t->is_box ? 1 : 0;
    for (size_t i = 0; i < p->count; i++)
        turned += (pleats_angle(p, i) > 0) == is_outer(t, (first + i) % creases_each(t));
    if (turned == 0) return RUGA_OK;
    return fail_input(p->context,
                      "the layers of %d pleats with a depth of %g m pass through each other; take more depth or more "
                      "pleats",
                      def->count, def->depth);
}

ruga_status pleats_make(ruga_context *context, const vec3 *positions, size_t count, const pleats_def *def,
                        pleats *out) {
    *out = (pleats){.context = context, .count = (size_t)def->count * (def->is_box ? 4 : 2) - (def->is_box ? 1 : 0)};
    TRY(measure_sector(out, positions, count));
    double width = out->sector / def->count;
    pleat_turn t = {.tilt = def->depth / out->inner, .oval = def->oval, .is_box = def->is_box, .count = def->count};
    const double knife[4] = {0.7, 0.3, 0, 0}, box[4] = {0.35, 0.15, 0.35, 0.15};
    for (int k = 0; k < 4; k++) t.widths[k] = width * (def->is_box ? box : knife)[k];
    /* The gap as an azimuth needs the polar angle, and the polar angle needs the gap. The piece of knife pleats that
     * the ends are in leads back: its ends are apart where the last pleat leads beyond the first. */
    double turn = TWO_PI;
    for (int k = 0; k < 6; k++) {
        if (!(t.tilt < t.widths[1]) || !find_polar(&t, turn))
            return fail_input(context,
                              "%d pleats with a depth of %g m do not close around an axis%s: a pleat has %g m at the "
                              "waist, of which %g m fold back; take fewer pleats, less depth%s or a larger sector",
                              def->count, def->depth, def->oval != 1 ? " with this oval" : "", width * out->inner,
                              t.widths[1] * out->inner, def->oval != 1 ? ", a rounder oval" : "");
        double gap = def->gap / (out->inner * sin(t.polar));
        turn = TWO_PI + (def->is_box ? -gap : gap);
    }
    TRY(NEW(context, &out->angles, out->count + 2));
    TRY(NEW(context, &out->rays, out->count + 2));
    place_creases(out, &t);
    out->apex = (vec3){0, out->inner * cos(t.polar), 0};
    return check_layers(out, def, &t);
}

void pleats_release(pleats *p) {
    if (p->context) RELEASE_ALL(p->context, p->angles, p->rays);
    *p = (pleats){0};
}

void pleats_ends(const pleats *p, size_t crease, vec3 out[2]) {
    double angle = p->angles[crease + 1];
    for (int k = 0; k < 2; k++) out[k] = vec3_scale((vec3){cos(angle), 0, -sin(angle)}, k == 0 ? p->inner : p->outer);
}

/* The unit vector that leads from one ray towards another. */
static vec3 across(vec3 from, vec3 to) { return vec3_normalise(vec3_add_scaled(to, from, -vec3_dot(from, to))); }

vec3 pleats_fold(const pleats *p, vec3 flat) {
    double angle = angle_of(flat), radius = hypot(flat.x, flat.z);
    size_t i = 0;
    while (i < p->count && angle > p->angles[i + 1]) i++;
    double on = angle - p->angles[i];
    vec3 ray = vec3_add_scaled(vec3_scale(p->rays[i], cos(on)), across(p->rays[i], p->rays[i + 1]), sin(on));
    return vec3_add_scaled(p->apex, ray, radius);
}

vec3 pleats_vector(const pleats *p, size_t crease) {
    const vec3 *u = p->rays + crease + 1;
    return vec3_add(across(u[0], u[1]), across(u[0], u[-1]));
}

double pleats_angle(const pleats *p, size_t crease) {
    const vec3 *u = p->rays + crease + 1;
    vec3 right = vec3_cross(u[0], vec3_scale(across(u[0], u[-1]), -1)), left = vec3_cross(u[0], across(u[0], u[1]));
    return atan2(vec3_dot(vec3_cross(right, left), u[0]), vec3_dot(right, left));
}
