/* Tracing. Light is a soft sky (ambient occlusion), a soft key light over the viewer's left shoulder and a weak fill
 * from the right; all turn with the camera, so that a turntable looks like a thing turned in the hand.
 *
 * - Samples follow the R2 sequence (M. Roberts, 2018), turned by a hash of the pixel: every pixel depends on its place
 *   alone, not on threads.
 * - Rays that leave a smoothly shaded surface start from the curved surface which the normals describe (J. Hanika,
 *   "Hacking the Shadow Terminator", Ray Tracing Gems II, 2021), so that coarse meshes have no dark facets.
 * - Light that is reflected between parts of a surface of albedo a is a geometric series: a visibility v brightens to
 *   v / (1 - a (1 - v)).
 */
#include "render/ray_trace.h"

#include <math.h>

#define PI 3.14159265358979323846
#define R2_A 0.7548776662466927 /* 1/g, 1/g² of the plastic number g, g³ = g + 1 */
#define R2_B 0.5698402909980532

#define RAY_OFFSET 2e-5     /* where secondary rays start above a surface */
#define OCCLUSION_REACH 1.2 /* occluders further away do not darken */
#define STROKE_LIFT 8e-3    /* strokes are drawn this much nearer to the eye */
#define KEY_RIGHT (-0.72)   /* where the key light is, seen from the eye */
#define KEY_UP 0.72
#define KEY_BACK 0.48
#define KEY_WIDTH 0.16 /* tangent of the key light's half angle */
#define SKY 0.37       /* how bright the lights are */
#define KEY 0.92
#define FILL 0.14
#define FIELD_SKY 0.55 /* where colours mean a number */
#define FIELD_KEY 0.6
#define GROUND_REACH 2.6 /* where the ground's shadow has faded */

typedef struct hit {
    const surface *s;
    size_t triangle;
    double depth, u, v;
    vec3 direction; /* of the ray, depth 1 */
    vec3 point;
    vec3 corners[3];
    vec3 geometric, normal; /* unit, towards the eye */
    int front;
} hit;

static double fraction(double x) { return x - floor(x); }

void trace_make_directions(size_t count, float *directions) {
    for (size_t i = 0; i < count; i++) {
        double u = fraction(0.5 + (double)(i + 1) * R2_A), angle = 2 * PI * fraction(0.5 + (double)(i + 1) * R2_B);
        directions[3 * i] = (float)(sqrt(u) * cos(angle));
        directions[3 * i + 1] = (float)(sqrt(u) * sin(angle));
        directions[3 * i + 2] = (float)sqrt(fmax(1 - u, 0));
    }
}

void trace_make_offsets(size_t count, float *offsets) {
    for (size_t i = 0; i < count; i++) {
        double u = fraction(0.5 + (double)(i + 1) * R2_A), angle = 2 * PI * fraction(0.5 + (double)(i + 1) * R2_B);
        offsets[2 * i] = (float)(sqrt(u) * cos(angle));
        offsets[2 * i + 1] = (float)(sqrt(u) * sin(angle));
    }
}

static light light_scale(light l, double s) { return (light){(float)(l.r * s), (float)(l.g * s), (float)(l.b * s)}; }
static light light_mix(light a, light b, double t) {
    float u = (float)t;
    return (light){a.r + (b.r - a.r) * u, a.g + (b.g - a.g) * u, a.b + (b.b - a.b) * u};
}

/* ---- Secondary rays, sixteen at a time. */

typedef struct ray_packet {
    struct RTCRay16 rays;
    int valid[16];
    double weights[16];
    unsigned count;
} __attribute__((aligned(64))) ray_packet;

/* The sum of the weights of the packet's rays that hit nothing; empties it. Embree looks at lanes that are not valid,
 * too, where the processor has no registers for sixteen rays: they hold an inactive ray, which ends before it
 * begins. */
static double packet_flush(RTCScene scene, ray_packet *packet) {
    if (!packet->count) return 0;
    struct RTCRay16 *rays = &packet->rays;
    for (unsigned i = 0; i < packet->count; i++) packet->valid[i] = -1;
    for (unsigned i = packet->count; i < 16; i++) {
        packet->valid[i] = 0;
        rays->org_x[i] = rays->org_y[i] = rays->org_z[i] = rays->dir_x[i] = rays->dir_y[i] = rays->time[i] = 0;
        rays->dir_z[i] = 1, rays->tnear[i] = INFINITY, rays->tfar[i] = -INFINITY;
        rays->mask[i] = rays->id[i] = rays->flags[i] = 0;
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded16(packet->valid, scene, &context, &packet->rays);
    double open = 0;
    for (unsigned i = 0; i < packet->count; i++)
        if (packet->rays.tfar[i] >= 0) open += packet->weights[i];
    packet->count = 0;
    return open;
}

static double packet_add(RTCScene scene, ray_packet *packet, vec3 origin, vec3 direction, double reach, double weight) {
    unsigned i = packet->count++;
    struct RTCRay16 *rays = &packet->rays;
    rays->org_x[i] = (float)origin.x, rays->org_y[i] = (float)origin.y, rays->org_z[i] = (float)origin.z;
    rays->dir_x[i] = (float)direction.x, rays->dir_y[i] = (float)direction.y, rays->dir_z[i] = (float)direction.z;
    rays->tnear[i] = 0, rays->tfar[i] = (float)reach, rays->time[i] = 0;
    rays->mask[i] = ~0u, rays->id[i] = i, rays->flags[i] = 0;
    packet->weights[i] = weight;
    return packet->count == 16 ? packet_flush(scene, packet) : 0;
}

/* Two directions across a unit vector, turned about it by an angle that is hashed from the pixel. */
static void make_frame(vec3 n, double c, double s, vec3 *t, vec3 *b) {
    vec3 across = fabs(n.x) < 0.7 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    vec3 first = vec3_normalise(vec3_cross(across, n)), second = vec3_cross(n, first);
    *t = vec3_add_scaled(vec3_scale(first, c), second, s);
    *b = vec3_add_scaled(vec3_scale(second, c), first, -s);
}

/* A sample of a pixel, for its secondary rays. */
typedef struct sample {
    const trace_scene *scene;
    double x, y;
    int index;
    double turn_c, turn_s; /* of the hashed angle */
} sample;

/* How much of the sky a point sees, [0, 1]; the sky is a little brighter above. */
static double sky_visibility(const sample *at, vec3 origin, vec3 normal, vec3 geometric) {
    const trace_scene *scene = at->scene;
    int count = scene->occlusion_samples;
    if (!count) return 1;
    const float *local = scene->occlusion_directions + 3 * (size_t)at->index * (size_t)count;
    vec3 t, b;
    make_frame(normal, at->turn_c, at->turn_s, &t, &b);
    ray_packet packet;
    packet.count = 0;
    double open = 0;
    for (int i = 0; i < count; i++, local += 3) {
        vec3 d = vec3_add_scaled(vec3_scale(normal, (double)local[2]), t, (double)local[0]);
        d = vec3_add_scaled(d, b, (double)local[1]);
        double below = vec3_dot(d, geometric);
        if (below < 0) d = vec3_add_scaled(d, geometric, -2 * below);
        open += packet_add(scene->scene, &packet, origin, d, OCCLUSION_REACH, 1 + 0.18 * d.y);
    }
    return (open + packet_flush(scene->scene, &packet)) / count;
}

/* How much of the key light a point sees, [0, 1]. */
static double key_visibility(const sample *at, vec3 origin, vec3 key) {
    const trace_scene *scene = at->scene;
    int count = scene->shadow_samples;
    if (!count) return 1;
    const float *offset = scene->shadow_offsets + 2 * (size_t)at->index * (size_t)count;
    vec3 t, b;
    make_frame(key, at->turn_c, at->turn_s, &t, &b);
    ray_packet packet;
    packet.count = 0;
    double open = 0;
    for (int i = 0; i < count; i++, offset += 2) {
        vec3 d = vec3_add_scaled(key, t, KEY_WIDTH * (double)offset[0]);
        open += packet_add(scene->scene, &packet, origin, vec3_add_scaled(d, b, KEY_WIDTH * (double)offset[1]), 10, 1);
    }
    return (open + packet_flush(scene->scene, &packet)) / count;
}

static vec3 camera_direction(const view *v, double right, double up, double back) {
    vec3 d = vec3_scale(v->right, right);
    d = vec3_add_scaled(d, v->up, up);
    return vec3_normalise(vec3_add_scaled(d, v->back, back));
}

/* ---- Surfaces. */

/* Rays start in front of the unit sphere that holds everything, however far the eye is: single precision is enough
 * there. 0 where the ray stays far from that sphere, or is no number. */
static int start_ray(const trace_scene *scene, vec3 direction, vec3 *from, double *depth) {
    double middle = vec3_dot(scene->v.eye, scene->v.back);
    *depth = middle > 4 ? middle - 2 : 0;
    *from = vec3_add_scaled(scene->v.eye, direction, *depth);
    return vec3_length2(*from) < 100 * vec3_length2(direction);
}

static int intersect(const sample *at, vec3 direction, hit *out) {
    const trace_scene *scene = at->scene;
    vec3 from;
    double depth;
    if (!start_ray(scene, direction, &from, &depth)) return 0;
    struct RTCRayHit query = {.ray = {.org_x = (float)from.x,
                                      .org_y = (float)from.y,
                                      .org_z = (float)from.z,
                                      .dir_x = (float)direction.x,
                                      .dir_y = (float)direction.y,
                                      .dir_z = (float)direction.z,
                                      .tnear = 1e-4f,
                                      .tfar = INFINITY,
                                      .mask = ~0u},
                              .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene->scene, &context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return 0;
    *out = (hit){.s = &scene->surfaces[query.hit.geomID],
                 .triangle = query.hit.primID,
                 .depth = depth + (double)query.ray.tfar,
                 .u = (double)query.hit.u,
                 .v = (double)query.hit.v,
                 .direction = direction};
    return 1;
}

static vec3 mix_corners(const hit *h, vec3 a, vec3 b, vec3 c) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(a, 1 - h->u - h->v), b, h->u), c, h->v);
}

static vec3 corner_normal(const hit *h, size_t k) {
    const float *n = h->s->normals + 9 * h->triangle + 3 * k;
    vec3 normal = {(double)n[0], (double)n[1], (double)n[2]};
    return h->front ? normal : vec3_scale(normal, -1);
}

/* The point, and the normals there, towards the eye. */
static void complete_hit(hit *h) {
    for (size_t k = 0; k < 3; k++) h->corners[k] = surface_position(h->s, h->s->triangles[3 * h->triangle + k]);
    h->point = mix_corners(h, h->corners[0], h->corners[1], h->corners[2]);
    vec3 n = vec3_cross(vec3_sub(h->corners[1], h->corners[0]), vec3_sub(h->corners[2], h->corners[0]));
    n = vec3_normalise(n);
    h->front = vec3_dot(n, h->direction) <= 0;
    h->geometric = h->normal = h->front ? n : vec3_scale(n, -1);
    if (!h->s->normals) return;
    vec3 smooth = vec3_normalise(mix_corners(h, corner_normal(h, 0), corner_normal(h, 1), corner_normal(h, 2)));
    if (!(vec3_length2(smooth) > 0.5)) return;
    // Near the silhouette of a coarse mesh the smooth normal may look away from the eye: bend it back to it.
    vec3 to_eye = vec3_scale(vec3_normalise(h->direction), -1);
    double facing = vec3_dot(smooth, to_eye);
    h->normal = facing >= 0.02 ? smooth : vec3_normalise(vec3_add_scaled(smooth, to_eye, 0.02 - facing));
}

/* Where secondary rays start: just above the surface that the normals describe. */
static vec3 lifted_origin(const hit *h) {
    vec3 origin = h->point;
    if (h->s->normals) {
        double weights[3] = {1 - h->u - h->v, h->u, h->v};
        for (size_t k = 0; k < 3; k++) {
            vec3 n = corner_normal(h, k);
            double below = vec3_dot(vec3_sub(h->point, h->corners[k]), n);
            if (below < 0) origin = vec3_add_scaled(origin, n, -below * weights[k]);
        }
    }
    return vec3_add_scaled(origin, h->geometric, 2 * RAY_OFFSET);
}

static light surface_colour(const trace_scene *scene, const hit *h) {
    const surface *s = h->s;
    if (!s->field.shown) return h->front ? s->front : s->back;
    const uint32_t *v = s->triangles + 3 * h->triangle;
    double value = (1 - h->u - h->v) * scalar_field_at(&s->field, v[0]) + h->u * scalar_field_at(&s->field, v[1]) +
                   h->v * scalar_field_at(&s->field, v[2]);
    return colour_map_at(&scene->maps[s->field.diverging != 0], scalar_field_place(&s->field, value));
}

/* How much of a sample the wires cover. The distance to an edge in pixels is the barycentric coordinate opposite to
 * it over the length of its gradient on the screen. Where edges come closer than a few widths, they fade. */
static double wire_cover(const trace_scene *scene, const hit *h) {
    double radius = (double)h->s->wire_radius, cover = 0;
    if (!(radius > 0)) return 0;
    double toward = vec3_dot(h->geometric, h->direction);
    vec3 step[2] = {vec3_scale(scene->v.right, 1 / scene->v.focal), vec3_scale(scene->v.up, -1 / scene->v.focal)};
    // How the hit point moves with a pixel to the right and a pixel down.
    for (int i = 0; i < 2; i++) {
        double slide = fabs(toward) > 1e-12 ? vec3_dot(h->geometric, step[i]) / toward : 0;
        step[i] = vec3_scale(vec3_add_scaled(step[i], h->direction, -slide), h->depth);
    }
    vec3 n = vec3_cross(vec3_sub(h->corners[1], h->corners[0]), vec3_sub(h->corners[2], h->corners[0]));
    double area2 = vec3_length2(n), bary[3] = {1 - h->u - h->v, h->u, h->v};
    for (unsigned k = 0; k < 3 && area2 > 0; k++) {
        if (!(h->s->edges[h->triangle] & 1u << k)) continue;
        vec3 edge = vec3_sub(h->corners[(k + 1) % 3], h->corners[k]);
        vec3 gradient = vec3_scale(vec3_cross(n, edge), 1 / area2);
        double slope = hypot(vec3_dot(gradient, step[0]), vec3_dot(gradient, step[1]));
        double distance = bary[(k + 2) % 3] / slope, height = 1 / slope;
        double strength = fmin(1, height / (6 * radius));
        cover = fmax(cover, strength * fmin(fmax((radius - distance) / 0.8 + 0.5, 0), 1));
    }
    return cover;
}

/* A gentle shoulder instead of a clip. */
static float tone(float x) {
    const float knee = 0.72f;
    return x <= knee ? x : knee + (1 - knee) * (1 - expf((knee - x) / (1 - knee)));
}

/* The part of a light that an albedo reflects; the sky's share includes all its reflections. */
static float reflected(float albedo, double seen, double sky, double direct) {
    double series = seen / (1 - 0.8 * (double)albedo * (1 - fmin(seen, 1)));
    return (float)((double)albedo * (sky * series + direct));
}

static light shade(const sample *at, hit *h) {
    const trace_scene *scene = at->scene;
    complete_hit(h);
    light albedo = surface_colour(scene, h);
    vec3 origin = lifted_origin(h);
    double seen = sky_visibility(at, origin, h->normal, h->geometric);

    vec3 key = camera_direction(&scene->v, KEY_RIGHT, KEY_UP, KEY_BACK),
         fill = camera_direction(&scene->v, 0.8, 0.1, 0.6);
    double facing = fmax(vec3_dot(h->normal, key), 0);
    double lit = facing > 0 ? key_visibility(at, origin, key) : 0;
    // Colours that mean a number are lit more evenly, and get no highlight.
    int field = h->s->field.shown;
    double direct = (field ? FIELD_KEY : KEY) * facing * lit + FILL * fmax(vec3_dot(h->normal, fill), 0) * seen;
    double sky = field ? FIELD_SKY : SKY;
    light colour = {reflected(albedo.r, seen, sky, direct), reflected(albedo.g, seen, sky, direct),
                    reflected(albedo.b, seen, sky, direct)};
    // A broad highlight helps to read the shape.
    if (!field) {
        vec3 half = vec3_normalise(vec3_sub(key, vec3_normalise(h->direction)));
        float shine = (float)(0.05 * lit * pow(fmax(vec3_dot(h->normal, half), 0), 28));
        colour.r += shine, colour.g += shine, colour.b += shine;
    }
    colour = (light){tone(colour.r), tone(colour.g), tone(colour.b)};
    return light_mix(colour, h->s->wire, wire_cover(scene, h));
}

/* ---- The ground: the background, darkened where things stand above it. */

/* Rises smoothly from 0 at the borders of [0, size] to 1 at a fifth of it. */
static double border_fade(double x, double size) {
    double inside = fmin(fmax(5 * fmin(x, size - x) / size, 0), 1);
    return inside * inside * (3 - 2 * inside);
}

/* Falls to 0 far from the things and at the panel's borders, so that no edge of the ground is seen. */
static double ground_fade(const sample *at, vec3 point) {
    double distance = hypot(point.x, point.z) / GROUND_REACH;
    if (!(distance < 1)) return 0;
    double fade = 1 - distance * distance;
    return fade * fade * border_fade(at->x, at->scene->v.width) * border_fade(at->y, at->scene->v.height);
}

static light shade_ground(const sample *at, vec3 direction) {
    const trace_scene *scene = at->scene;
    double above = scene->v.eye.y - scene->ground_height, down = -direction.y;
    if (!scene->ground || above <= 0 || down <= 1e-6) return scene->background;
    vec3 point = vec3_add_scaled(scene->v.eye, direction, above / down);
    double fade = ground_fade(at, point);
    if (!(fade > 0)) return scene->background;
    vec3 up = {0, 1, 0}, key = camera_direction(&scene->v, KEY_RIGHT, KEY_UP, KEY_BACK);
    if (key.y < 0.3) key = vec3_normalise((vec3){key.x, 0.3, key.z});
    point.y = scene->ground_height + RAY_OFFSET;
    double sky = fmin(sky_visibility(at, point, up, up) / (1 + 0.18 * 2 / 3), 1);
    double lit = key_visibility(at, point, key);
    // The faint shade that things cast far around is left out.
    double dark = fmax(1.04 * (1 - (0.62 * sky + 0.38 * lit)) - 0.04, 0);
    return light_scale(scene->background, 1 - 0.8 * dark * fade);
}

/* ---- Curves and points. */

/* Whether nothing stands between the eye and a point of a stroke, lifted a little. Traced from the point, since
 * everything lies within the unit sphere. */
static int stroke_is_seen(const trace_scene *scene, vec3 point, vec3 to_eye) {
    double distance = vec3_length(to_eye);
    vec3 d = vec3_normalise(to_eye), from = vec3_add_scaled(point, d, STROKE_LIFT);
    if (!(vec3_length2(from) < 4)) return 0;
    struct RTCRay ray = {.org_x = (float)from.x,
                         .org_y = (float)from.y,
                         .org_z = (float)from.z,
                         .dir_x = (float)d.x,
                         .dir_y = (float)d.y,
                         .dir_z = (float)d.z,
                         .tfar = (float)fmin(fmax(distance - STROKE_LIFT, 0), 4),
                         .mask = ~0u};
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(scene->scene, &context, &ray);
    return ray.tfar >= 0;
}

/* How much of the sample a stroke covers, seen from the eye: nothing when its middle is hidden, or when something
 * stands clearly before it just here. */
static double stroke_cover(const sample *at, const stroke *s, double surface_depth, double *rim) {
    double along, distance = stroke_distance(s, at->x, at->y, &along);
    double cover = fmin(fmax((s->radius - distance) / 0.8 + 0.5, 0), 1);
    if (!(cover > 0)) return 0;
    const view *v = &at->scene->v;
    vec3 point = vec3_mix(s->from, s->to, along), to_eye = vec3_sub(v->eye, point);
    double depth = vec3_dot(to_eye, v->back);
    if (surface_depth < depth - STROKE_LIFT - 10 * s->radius * depth / v->focal) return 0;
    *rim = fmin(distance / fmax(s->radius, 1e-9), 1);
    return stroke_is_seen(at->scene, point, to_eye) ? cover : 0;
}

static light draw_strokes(const sample *at, size_t tile, double surface_depth, light under) {
    const stroke_set *set = at->scene->strokes;
    size_t i = set->offsets[tile], end = set->offsets[tile + 1];
    while (i < end) {
        // The pieces of one curve are united: the one that covers most is drawn.
        const stroke *first = &set->strokes[set->members[i]];
        double best = 0, best_rim = 0;
        for (; i < end && set->strokes[set->members[i]].item == first->item; i++) {
            double rim = 0, cover = stroke_cover(at, &set->strokes[set->members[i]], surface_depth, &rim);
            if (cover > best || (cover == best && rim < best_rim)) best = cover, best_rim = rim;
        }
        if (best > 0) under = light_mix(under, light_scale(first->colour, 1 - 0.35 * best_rim * best_rim), best);
    }
    return under;
}

/* ---- Pixels. */

static uint32_t hash_pixel(uint32_t x, uint32_t y) {
    uint32_t h = x * 0x9e3779b1u ^ (y * 0x85ebca77u + 0x165667b1u);
    h ^= h >> 15, h *= 0x2c1b3c6du;
    h ^= h >> 12, h *= 0x297a2d39u;
    return h ^ h >> 15;
}

static light trace_sample(const sample *at, size_t tile) {
    vec3 direction = view_ray(&at->scene->v, at->x, at->y);
    hit h;
    light colour;
    double depth = INFINITY;
    if (intersect(at, direction, &h)) {
        depth = h.depth;
        colour = shade(at, &h);
    } else {
        colour = shade_ground(at, direction);
    }
    return draw_strokes(at, tile, depth, colour);
}

static light trace_pixel(const trace_scene *scene, size_t tile, int x, int y) {
    double turn = 2 * PI * hash_pixel((uint32_t)x, (uint32_t)y) * 0x1p-32;
    sample at = {.scene = scene, .turn_c = cos(turn), .turn_s = sin(turn)};
    double r = 0, g = 0, b = 0;
    for (at.index = 0; at.index < scene->samples; at.index++) {
        at.x = x + fraction(0.5 + at.index * R2_A);
        at.y = y + fraction(0.5 + at.index * R2_B);
        light l = trace_sample(&at, tile);
        r += (double)l.r, g += (double)l.g, b += (double)l.b;
    }
    return (light){(float)(r / scene->samples), (float)(g / scene->samples), (float)(b / scene->samples)};
}

void trace_tile(const trace_scene *scene, size_t tile, const canvas *image, int left, int top) {
    int columns = scene->strokes->columns;
    int x0 = (int)(tile % (size_t)columns) * TILE_SIZE, y0 = (int)(tile / (size_t)columns) * TILE_SIZE;
    int x1 = x0 + TILE_SIZE < scene->v.width ? x0 + TILE_SIZE : scene->v.width;
    int y1 = y0 + TILE_SIZE < scene->v.height ? y0 + TILE_SIZE : scene->v.height;
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            ruga_colour colour = light_to_colour(trace_pixel(scene, tile, x, y));
            uint8_t *pixel = image->pixels + 3 * ((size_t)(top + y) * (size_t)image->width + (size_t)(left + x));
            pixel[0] = colour_byte(colour.r), pixel[1] = colour_byte(colour.g), pixel[2] = colour_byte(colour.b);
        }
    }
}
