/* Pleats on a sphere of directions; the header has the method. */
#include "geom/pleats.h"

#include <math.h>

#include "base/memory.h"
#include "math/vec3.h"

#define TWO_PI 6.283185307179586476925
#define FLAT 1e-6 /* of the outer radius */

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

/* Azimuths of the creases of one pleat with the polar angle `polar` of outer creases; returns how far it leads. */
typedef struct pleat_turn {
    double polar, tilt; /* of outer creases; how much less that of inner ones is */
    double widths[4];   /* rad, of the pieces, from the first crease on: forwards, back, forwards, back */
    int is_box;
} pleat_turn;

static double turn_of(const pleat_turn *t) {
    double outer = t->polar, inner = t->polar - t->tilt;
    double back = azimuth(t->widths[1], outer, inner);
    if (!t->is_box) return azimuth(t->widths[0], outer, inner) - back;
    return azimuth(t->widths[0], outer, outer) + azimuth(t->widths[2], inner, inner) - 2 * back;
}

/* The polar angle at which a pleat leads by `turn`. turn_of falls while the polar angle rises. */
static int find_polar(pleat_turn *t, double turn) {
    double low = t->tilt, high = TWO_PI / 4;
    for (int k = 0; k < 200; k++) {
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
static void place_creases(pleats *p, const pleats_def *def, const pleat_turn *t, double turn) {
    size_t each = def->is_box ? 4 : 2, total = p->count + 2;
    double width = p->sector / def->count, inner = t->polar - t->tilt;
    double back = azimuth(t->widths[1], t->polar, inner);
    double first = azimuth(t->widths[0], t->polar, def->is_box ? t->polar : inner);
    double at[4] = {0, first, first - back, 0};
    double along[4] = {0, t->widths[0], t->widths[0] + t->widths[1], width - t->widths[3]};
    if (def->is_box) at[3] = at[2] + azimuth(t->widths[2], inner, inner);
    for (size_t i = 0; i < total; i++) {
        /* The first is before all others: of box pleats outer crease 0, of knife pleats the last inner one of a pleat
         * before the sector. */
        long number = (long)i - (def->is_box ? 0 : 1), pleat = number < 0 ? -1 : number / (long)each;
        size_t k = (size_t)(number - pleat * (long)each);
        int is_outer = def->is_box ? k < 2 : k == 0;
        double shift = def->is_box ? 0 : t->widths[1] * 5 / 6;
        p->angles[i] = (double)pleat * width + along[k] + shift;
        p->rays[i] = direction(is_outer ? t->polar : inner, (double)pleat * turn + at[k]);
    }
}

/* A wide piece is a chord of the skirt: few pleats with little depth pass through the pieces below them, and their
 * outer creases become valleys, as the inner ones are. */
static ruga_status check_layers(const pleats *p, const pleats_def *def) {
    size_t signs[2] = {0, 0};
    for (size_t i = 0; i < p->count; i++) signs[pleats_angle(p, i) > 0]++;
    if (signs[0] > 0 && signs[1] > 0) return RUGA_OK;
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
    pleat_turn t = {.tilt = def->depth / out->inner, .is_box = def->is_box};
    const double knife[4] = {0.7, 0.3, 0, 0}, box[4] = {0.35, 0.15, 0.35, 0.15};
    for (int k = 0; k < 4; k++) t.widths[k] = width * (def->is_box ? box : knife)[k];
    /* The gap as an azimuth needs the polar angle, and the polar angle needs the gap. The piece of knife pleats that
     * the ends are in leads back: its ends are apart where the last pleat leads beyond the first. */
    double turn = TWO_PI / def->count;
    for (int k = 0; k < 20; k++) {
        if (!(t.tilt < t.widths[1]) || !find_polar(&t, turn))
            return fail_input(context,
                              "%d pleats with a depth of %g m do not close around an axis: a pleat has %g m at the "
                              "waist, of which %g m fold back; take fewer pleats, less depth or a larger sector",
                              def->count, def->depth, width * out->inner, t.widths[1] * out->inner);
        double gap = def->gap / (out->inner * sin(t.polar));
        turn = (TWO_PI + (def->is_box ? -gap : gap)) / def->count;
    }
    TRY(NEW(context, &out->angles, out->count + 2));
    TRY(NEW(context, &out->rays, out->count + 2));
    place_creases(out, def, &t, turn);
    out->apex = (vec3){0, out->inner * cos(t.polar), 0};
    return check_layers(out, def);
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
