/* Finishes. Highlights are GGX lobes (Walter et al. 2007, "Microfacet models for refraction through rough surfaces")
 * with Schlick's Fresnel term; the sheen of cloth grows towards grazing angles, as that of fibres does (Estevez and
 * Kulla 2017, "Production friendly microfacet sheen BRDF", in a simpler form); skin has light wrapped around the edge
 * of its shadow, red farthest. */
#include "render/finish.h"

#include <math.h>

#define PI 3.14159265358979323846

#define SKY 0.27
#define KEY 1.12
#define RIM 0.55
#define FILL 0.10
#define AMBIENT 0.12f /* of the sky's light, where nothing of it is seen */
#define BLACK 0.008f  /* light that is drawn for none: 24 of 255 */
#define FIELD_SKY 0.55
#define FIELD_KEY 0.6
#define THREAD 0.0016 /* m, between threads of the weave that is drawn */
#define GRAIN 0.0035  /* m, of leather */
#define SLUB 0.004    /* m, width of thick pieces of yarn */
#define SLUB_TINT 0.065
#define MOTTLE_TINT 0.03

typedef struct finish_values {
    double roughness, reflectance; /* of the highlight; reflectance at right angles */
    double sheen;                  /* 1, of the light at grazing angles */
    double wrap[3];                /* cosine by which red, green and blue reach around the shadow's edge */
    double transmission;
    double metal; /* 1: the colour is that of the mirror */
} finish_values;

static const finish_values values_of[] = {
    [RUGA_FINISH_PLAIN] = {.roughness = 0.45, .reflectance = 0.03},
    [RUGA_FINISH_CLOTH] = {.roughness = 0.8, .reflectance = 0.02, .sheen = 0.4, .transmission = 0.1},
    [RUGA_FINISH_SKIN] = {.roughness = 0.42, .reflectance = 0.04, .wrap = {0.30, 0.17, 0.11}},
    [RUGA_FINISH_LEATHER] = {.roughness = 0.3, .reflectance = 0.05},
    [RUGA_FINISH_PAPER] = {.roughness = 0.9, .reflectance = 0.02, .transmission = 0.2},
    [RUGA_FINISH_METAL] = {.roughness = 0.28, .reflectance = 1, .metal = 1},
};

double finish_transmission(ruga_finish finish) { return values_of[finish].transmission; }
double finish_wrap(ruga_finish finish) { return values_of[finish].wrap[0]; }

/* About the vertical with the camera, but not up and down with it: a floor keeps its shadows. */
light_rig light_rig_of(const view *v) {
    vec3 right = {v->right.x, 0, v->right.z}, up = {0, 1, 0};
    if (vec3_length2(right) < 1e-12) right = (vec3){1, 0, 0};
    right = vec3_normalise(right);
    const vec3 back = vec3_cross(right, up);
    const double to[3][3] = {{-0.80, 0.84, 0.58}, {0.62, 0.62, -0.80}, {0.85, 0.10, 0.60}};
    vec3 out[3];
    for (int i = 0; i < 3; i++) {
        vec3 d = vec3_add_scaled(vec3_scale(right, to[i][0]), up, to[i][1]);
        out[i] = vec3_normalise(vec3_add_scaled(d, back, to[i][2]));
    }
    return (light_rig){out[0], out[1], out[2]};
}

static double schlick(double cosine) {
    double x = fmin(fmax(1 - cosine, 0), 1);
    return x * x * x * x * x;
}

/* The share of light that is mirrored: rough surfaces, such as cloth, hardly become mirrors at grazing angles (Lagarde,
 * "Adopting a physically based shading model", 2011). */
static double fresnel(const finish_values *v, double seen) {
    return v->reflectance + (fmax(1 - v->roughness, v->reflectance) - v->reflectance) * schlick(seen);
}

/* The highlight of a light of some width, over π times its diffuse answer. */
static double highlight(const finish_point *at, vec3 to_light, double roughness, double width) {
    double facing = vec3_dot(at->normal, to_light), seen = fmax(vec3_dot(at->normal, at->to_eye), 0.05);
    if (!(facing > 0)) return 0;
    vec3 half = vec3_normalise(vec3_add(to_light, at->to_eye));
    double a = fmin(roughness * roughness + 0.5 * width, 1), c = fmax(vec3_dot(at->normal, half), 0);
    double d = a / (c * c * (a * a - 1) + 1);
    double smith = 0.5 / (facing * sqrt(a * a + (1 - a * a) * seen * seen) +
                          seen * sqrt(a * a + (1 - a * a) * facing * facing) + 1e-6);
    return fmin(d * d * smith * facing, 6); /* π D V cos */
}

static light light_of(double r, double g, double b) { return (light){(float)r, (float)g, (float)b}; }
static void light_add(light *to, light l, double s) {
    to->r += (float)(l.r * s), to->g += (float)(l.g * s), to->b += (float)(l.b * s);
}

static light light_times(light a, light b) { return (light){a.r * b.r, a.g * b.g, a.b * b.b}; }

light finish_key_colour(void) { return light_of(1.06, 1, 0.94); }
light finish_sky_colour(void) { return light_of(0.93, 0.99, 1.08); }

/* The diffuse answer to a light, by channel, with light that comes through from behind. */
static light diffuse(const finish_point *at, const finish_values *v, double facing) {
    double answer[3];
    for (int c = 0; c < 3; c++) {
        double w = v->wrap[c];
        answer[c] = fmax((facing + w) / ((1 + w) * (1 + w)), 0) + v->transmission * fmax(-facing, 0);
    }
    return light_of(answer[0] * (double)at->albedo.r, answer[1] * (double)at->albedo.g,
                    answer[2] * (double)at->albedo.b);
}

/* The answer to one of the two lights that cast shadows. */
static light answer(const finish_point *at, const finish_values *v, vec3 to_light, double width) {
    const double facing = vec3_dot(at->normal, to_light), seen = fmax(vec3_dot(at->normal, at->to_eye), 0);
    light out = {0, 0, 0};
    light_add(&out, diffuse(at, v, facing), 1 - v->metal);
    const double f = v->metal > 0 ? 0 : fresnel(v, seen);
    const double shine = highlight(at, to_light, v->roughness, width);
    light_add(&out, light_of(1, 1, 1), f * shine);
    light_add(&out, at->albedo, v->metal * shine);
    // Fibres that stand out of the cloth catch light at grazing angles.
    const double graze = (1 - seen) * (1 - seen) * (1 - seen);
    light_add(&out, at->albedo, v->sheen * graze * fmax(facing + 0.3, 0) / 1.3);
    light_add(&out, light_of(1, 1, 1), 0.05 * v->sheen * graze * fmax(facing + 0.3, 0) / 1.3);
    return out;
}

/* The surroundings in a mirror: bright above, a light wall at the left, a darker floor. */
static double surroundings(vec3 d, const light_rig *lights) {
    double sky = 0.30 + 0.35 * fmax(d.y, 0) + 0.25 * d.y;
    double wall = fmax(vec3_dot(d, lights->key), 0), far = fmax(vec3_dot(d, lights->rim), 0);
    return fmax(sky, 0.06) + 0.9 * wall * wall * wall * wall + 0.5 * far * far * far * far;
}

static light mirror(const finish_point *at, const finish_values *v, const light_rig *lights) {
    const double seen = fmax(vec3_dot(at->normal, at->to_eye), 0);
    light out = {0, 0, 0};
    light_add(&out, at->albedo, FILL * fmax(vec3_dot(at->normal, lights->fill), 0) * (1 - v->metal));
    vec3 r = vec3_sub(vec3_scale(at->normal, 2 * vec3_dot(at->normal, at->to_eye)), at->to_eye);
    const double around = surroundings(r, lights), dull = 1 - 0.85 * v->roughness;
    const double f = fresnel(v, seen);
    light_add(&out, light_of(1, 1, 1), (1 - v->metal) * f * around * dull);
    light_add(&out, at->albedo, v->metal * around);
    light_add(&out, at->albedo, 0.5 * v->sheen * SKY * (1 - seen) * (1 - seen));
    return out;
}

finish_terms finish_evaluate(const finish_point *at, const light_rig *lights) {
    const finish_values *v = &values_of[at->is_field ? RUGA_FINISH_PLAIN : at->finish];
    finish_terms t = {.albedo = at->albedo};
    if (at->is_field) {
        t.sky = light_of(FIELD_SKY, FIELD_SKY, FIELD_SKY);
        light_add(&t.key, at->albedo, FIELD_KEY * fmax(vec3_dot(at->normal, lights->key), 0));
        light_add(&t.mirror, at->albedo, FILL * fmax(vec3_dot(at->normal, lights->fill), 0));
        return t;
    }
    light_add(&t.sky, finish_sky_colour(), SKY * (1 - v->metal) * (1 + 0.22 * at->normal.y));
    light_add(&t.key, light_times(answer(at, v, lights->key, LIGHT_KEY_WIDTH), finish_key_colour()), KEY);
    light_add(&t.rim, answer(at, v, lights->rim, LIGHT_RIM_WIDTH), RIM);
    t.mirror = mirror(at, v, lights);
    return t;
}

static float channel(const float seen[SEEN_COUNT], float albedo, float sky, float m, float k, float r) {
    float open = seen[SEEN_SKY] / (1 - 0.8f * albedo * (1 - fminf(seen[SEEN_SKY], 1)));
    // In the deepest fold some light arrives that was reflected more than once.
    open += AMBIENT * (1 - fminf(open, 1));
    return albedo * sky * open + m * seen[SEEN_SKY] + k * seen[SEEN_KEY] + r * seen[SEEN_RIM];
}

light finish_light(const finish_terms *t, const float seen[SEEN_COUNT]) {
    return (light){channel(seen, t->albedo.r, t->sky.r, t->mirror.r, t->key.r, t->rim.r),
                   channel(seen, t->albedo.g, t->sky.g, t->mirror.g, t->key.g, t->rim.g),
                   channel(seen, t->albedo.b, t->sky.b, t->mirror.b, t->key.b, t->rim.b)};
}

static float shoulder(float x, float knee) {
    return x <= knee ? x : knee + (1 - knee) * (1 - expf((knee - x) / (1 - knee)));
}

/* A film's toe: black is not quite black, and the darkest tones stay apart. */
static float toe(float x) { return BLACK + (1 - BLACK) * x; }

light finish_tone(light l) {
    return (light){shoulder(toe(l.r), 0.5f), shoulder(toe(l.g), 0.5f), shoulder(toe(l.b), 0.5f)};
}
light finish_tone_field(light l) { return (light){shoulder(l.r, 0.72f), shoulder(l.g, 0.72f), shoulder(l.b, 0.72f)}; }

/* ---- Relief. */

static double fraction(double x) { return x - floor(x); }

/* A plain weave: where the sum of both thread numbers is even, the first thread lies above. Each is a round bridge. */
static void weave(double x, double y, double *dx, double *dy) {
    const int over = ((long)floor(x) + (long)floor(y)) % 2 == 0;
    const double u = fraction(x) - 0.5, v = fraction(y) - 0.5;
    *dx = over ? -2.4 * u : -0.9 * u;
    *dy = over ? -0.9 * v : -2.4 * v;
}

/* Smooth noise: a sum of three waves of unrelated directions, warped by one another. */
static void grain(double x, double y, double *dx, double *dy) {
    const double a = x + 0.7 * sin(1.3 * y + 0.4 * x), b = y + 0.7 * sin(1.1 * x - 0.5 * y);
    *dx = 0.45 * cos(2.1 * a + 0.6 * b) + 0.3 * cos(3.7 * a - 2.9 * b);
    *dy = 0.45 * cos(2.3 * b - 0.5 * a) - 0.3 * cos(3.1 * b + 3.3 * a);
}

vec3 finish_relief(ruga_finish finish, vec3 position, vec3 normal, double footprint) {
    const double size = finish == RUGA_FINISH_CLOTH ? THREAD : finish == RUGA_FINISH_LEATHER ? GRAIN : 0;
    const double strength = size > 0 ? fmin(fmax(1.6 - 3.2 * footprint / size, 0), 1) : 0;
    if (!(strength > 0)) return (vec3){0, 0, 0};
    // Coordinates in the plane of two axes, the one that the triangle faces most left out.
    const double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    const int drop = x > y && x > z ? 0 : y > z ? 1 : 2;
    const double u = drop == 0 ? position.y : position.x, v = drop == 2 ? position.y : position.z;
    double du = 0, dv = 0;
    if (finish == RUGA_FINISH_CLOTH)
        weave(u / size, v / size, &du, &dv);
    else
        grain(4 * u / size, 4 * v / size, &du, &dv);
    du *= 0.55 * strength, dv *= 0.55 * strength;
    vec3 slope = drop == 0 ? (vec3){0, du, dv} : drop == 1 ? (vec3){du, 0, dv} : (vec3){du, dv, 0};
    return vec3_add_scaled(slope, normal, -vec3_dot(slope, normal));
}

/* A number within -1 and 1 for a place of a grid. */
static double hash_place(long x, long y) {
    uint32_t h = (uint32_t)x * 0x9e3779b1u ^ ((uint32_t)y * 0x85ebca77u + 0x165667b1u);
    h ^= h >> 15, h *= 0x2c1b3c6du;
    h ^= h >> 12, h *= 0x297a2d39u;
    return (h ^ h >> 15) * 0x1p-31 - 1;
}

/* Smooth noise within -1 and 1 over a grid of size 1. */
static double value_noise(double x, double y) {
    const long i = (long)floor(x), k = (long)floor(y);
    double u = x - (double)i, v = y - (double)k;
    u = u * u * (3 - 2 * u), v = v * v * (3 - 2 * v);
    const double low = hash_place(i, k) * (1 - u) + hash_place(i + 1, k) * u;
    const double high = hash_place(i, k + 1) * (1 - u) + hash_place(i + 1, k + 1) * u;
    return low * (1 - v) + high * v;
}

/* Noise of cells of a size, which is left out where they are smaller than two pixels. */
static double cells(double u, double v, double width, double height, double footprint) {
    const double strength = fmin(fmax(1.5 - 3 * footprint / fmin(width, height), 0), 1);
    return strength > 0 ? strength * value_noise(u / width, v / height) : 0;
}

/* In the plane of two axes. */
static double tint_in_plane(ruga_finish finish, double u, double v, double footprint) {
    if (finish == RUGA_FINISH_SKIN)
        return MOTTLE_TINT * (cells(u, v, 0.012, 0.012, footprint) + cells(u + 1, v, 0.04, 0.04, footprint));
    // Thick pieces of yarn, along either direction of the weave, over uneven dye.
    return SLUB_TINT * (cells(u, v, 0.05, SLUB, footprint) + cells(u + 1, v, SLUB, 0.05, footprint)) +
           0.02 * cells(u, v, 0.03, 0.03, footprint);
}

double finish_tint(ruga_finish finish, vec3 position, vec3 normal, double footprint) {
    if (finish != RUGA_FINISH_CLOTH && finish != RUGA_FINISH_SKIN) return 1;
    const double n[3] = {fabs(normal.x), fabs(normal.y), fabs(normal.z)}, p[3] = {position.x, position.y, position.z};
    double sum = 0, weights = 0;
    for (int drop = 0; drop < 3; drop++) {
        const double w = n[drop] * n[drop] * n[drop] * n[drop];
        if (w > 1e-3) sum += w * tint_in_plane(finish, p[drop == 0 ? 1 : 0], p[drop == 2 ? 1 : 2], footprint);
        weights += w;
    }
    return weights > 0 ? 1 + sum / weights : 1;
}
