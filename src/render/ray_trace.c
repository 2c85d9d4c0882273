/* Tracing. Each sample of a pixel finds its surface, the terms of its light (finish.h), and how much it sees of the sky
 * and of the two lights that cast shadows. Samples of the surface that most of the pixel shows are put together; the
 * others are finished at once. Then visibilities are filtered (filter.h), and pixels get their colours.
 *
 * - Samples follow the R2 sequence (M. Roberts, 2018), turned by a hash of the pixel and of the picture's number in its
 *   film: every pixel depends on its place alone, not on threads, and noise does not stick to the screen.
 * - Rays that leave a smoothly shaded surface start from the curved surface which the normals describe (J. Hanika,
 *   "Hacking the Shadow Terminator", Ray Tracing Gems II, 2021), so that coarse meshes have no dark facets.
 */
#include "render/ray_trace.h"

#include <math.h>

#define PI 3.14159265358979323846
#define R2_A 0.7548776662466927 /* 1/g, 1/g² of the plastic number g, g³ = g + 1 */
#define R2_B 0.5698402909980532

#define RAY_OFFSET 2e-5     /* where secondary rays start above a surface */
#define OCCLUSION_REACH 1.2 /* occluders further away do not darken */
#define STROKE_LIFT 8e-3    /* strokes are drawn this much nearer to the eye */
#define HORIZON 1.25        /* the ground fades where it is so many times as far away as the thing, */
#define LEAST_DISTANCE 1.5  /* which counts as so far away at least */
#define POOL_REACH 3.2      /* where the light on the ground has faded */
#define TOP_SHADE 0.16      /* by which the background is darker at the top, */
#define SIDE_SHADE 0.14     /* and everything at the sides */
#define WRAP_LIFT 0.22      /* cosine at which rays to the light leave surfaces that it wraps around, at least */
#define SEAM 0.22           /* part of a row's height over which it becomes the background towards another row */
#define BOX_MARGIN 1e-3
#define FARTHEST_SHADOW 100 /* distance from the thing up to which the ground gets shadows */

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
static light light_times(light a, light b) { return (light){a.r * b.r, a.g * b.g, a.b * b.b}; }
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

/* How much of the sky a point sees, [0, 1]. */
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
        open += packet_add(scene->scene, &packet, origin, d, OCCLUSION_REACH, 1);
    }
    return (open + packet_flush(scene->scene, &packet)) / count;
}

/* How much of a light of some width a point sees, [0, 1]. `rays`: 1 or FLOOR_RAYS times as many as usual. */
static double light_visibility(const sample *at, int rays, vec3 origin, vec3 to_light, double width) {
    const trace_scene *scene = at->scene;
    const int count = rays * scene->shadow_samples;
    if (!count) return 1;
    const float *offset = scene->shadow_offsets + 2 * (size_t)at->index * (size_t)count;
    vec3 t, b;
    make_frame(to_light, at->turn_c, at->turn_s, &t, &b);
    ray_packet packet;
    packet.count = 0;
    double open = 0;
    for (int i = 0; i < count; i++, offset += 2) {
        vec3 d = vec3_add_scaled(to_light, t, width * (double)offset[0]);
        open += packet_add(scene->scene, &packet, origin, vec3_add_scaled(d, b, width * (double)offset[1]), 10, 1);
    }
    return (open + packet_flush(scene->scene, &packet)) / count;
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

/* A point of a triangle at rest, with its edges there. */
typedef struct rest_point {
    vec3 e1, e2, normal, at;
    double footprint; /* m, the size of a pixel there */
} rest_point;

static rest_point find_rest_point(const trace_scene *scene, const hit *h) {
    const surface *s = h->s;
    const uint32_t *v = s->triangles + 3 * h->triangle;
    const vec3 a = s->rest[v[0]], e1 = vec3_sub(s->rest[v[1]], a), e2 = vec3_sub(s->rest[v[2]], a);
    return (rest_point){.e1 = e1,
                        .e2 = e2,
                        .normal = vec3_normalise(vec3_cross(e1, e2)),
                        .at = vec3_add_scaled(vec3_add_scaled(a, e1, h->u), e2, h->v),
                        .footprint = h->depth / (scene->v.focal * s->scale)};
}

static light surface_colour(const trace_scene *scene, const hit *h) {
    const surface *s = h->s;
    if (!s->field.shown) {
        const light colour = h->front ? s->front : s->back;
        if (s->finish == RUGA_FINISH_PLAIN) return colour;
        const rest_point r = find_rest_point(scene, h);
        return light_scale(colour, finish_tint(s->finish, r.at, r.normal, r.footprint));
    }
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

/* Tilts the normal by the finish's fine structure, which moves with the surface: a slope at rest becomes one of the
 * triangle as it is now. */
static void add_relief(const trace_scene *scene, hit *h) {
    const surface *s = h->s;
    if (s->field.shown || s->finish == RUGA_FINISH_PLAIN) return;
    const rest_point r = find_rest_point(scene, h);
    const vec3 e1 = r.e1, e2 = r.e2, slope = finish_relief(s->finish, r.at, r.normal, r.footprint);
    if (!(vec3_length2(slope) > 0)) return;
    // slope = p e1 + q e2 by the normal equations; the same combination of the current edges.
    const double a11 = vec3_length2(e1), a12 = vec3_dot(e1, e2), a22 = vec3_length2(e2), det = a11 * a22 - a12 * a12;
    if (!(det > 0)) return;
    const double b1 = vec3_dot(e1, slope), b2 = vec3_dot(e2, slope);
    const double p = (a22 * b1 - a12 * b2) / det, q = (a11 * b2 - a12 * b1) / det;
    vec3 now = vec3_scale(vec3_sub(h->corners[1], h->corners[0]), p);
    now = vec3_scale(vec3_add_scaled(now, vec3_sub(h->corners[2], h->corners[0]), q), 1 / s->scale);
    h->normal = vec3_normalise(vec3_add_scaled(h->normal, now, h->front ? -1 : 1));
}

/* ---- The surface that a sample shows. */

typedef struct shown {
    uint32_t surface; /* number of the mesh, or that of the ground; FILTER_NONE: the background */
    tone_curve curve;
    finish_terms terms;
    light fixed; /* light that depends on no visibility */
    float seen[SEEN_COUNT];
    vec3 point, normal;
    double depth;
    double cover; /* of wires and strokes, drawn over it */
    light over;
} shown;

/* How much a surface sees of a light. Thin finishes are lit from behind, too. Where light wraps around the edge of the
 * shadow, it arrives along the surface: rays that would enter the surface itself are lifted above it, so that its own
 * curvature hides nothing, but the shadows of other parts remain. */
static float see_light(const sample *at, const hit *h, vec3 origin, vec3 to_light, double width) {
    const double facing = vec3_dot(h->normal, to_light), wrap = finish_wrap(h->s->finish);
    if (facing <= 0 && finish_transmission(h->s->finish) > 0) {
        vec3 behind = vec3_add_scaled(h->point, h->geometric, -4 * RAY_OFFSET);
        return (float)light_visibility(at, 1, behind, to_light, width);
    }
    if (facing <= -wrap) return 0;
    const double lift = wrap > 0 ? fmax(WRAP_LIFT - facing, 0) : 0;
    const vec3 along = lift > 0 ? vec3_normalise(vec3_add_scaled(to_light, h->normal, lift)) : to_light;
    return (float)light_visibility(at, 1, origin, along, width);
}

static void show_surface(const sample *at, hit *h, shown *out) {
    const trace_scene *scene = at->scene;
    complete_hit(h);
    vec3 origin = lifted_origin(h);
    const vec3 smooth = h->normal;
    add_relief(scene, h);
    const finish_point point = {h->normal, vec3_scale(vec3_normalise(h->direction), -1), surface_colour(scene, h),
                                h->s->finish, h->s->field.shown};
    *out = (shown){.surface = (uint32_t)(h->s - scene->surfaces),
                   .curve = h->s->field.shown ? TONE_FIELD : TONE_FILM,
                   .terms = finish_evaluate(&point, &scene->lights),
                   .point = h->point,
                   .normal = smooth,
                   .depth = h->depth};
    out->seen[SEEN_SKY] = (float)sky_visibility(at, origin, smooth, h->geometric);
    out->seen[SEEN_KEY] = see_light(at, h, origin, scene->lights.key, LIGHT_KEY_WIDTH);
    if (!h->s->field.shown) out->seen[SEEN_RIM] = see_light(at, h, origin, scene->lights.rim, LIGHT_RIM_WIDTH);
    out->cover = wire_cover(scene, h);
    out->over = h->s->wire;
}

/* ---- The ground: a floor a little warmer than the background, which it becomes towards the horizon, as a sweep of
 * paper in a studio does. The background darkens towards the top of a row of panels, and everything towards the sides
 * of the picture. The floor's tone depends on the distance behind the thing, so that it runs on across the borders of
 * panels: between two panels of a row the tones of both are mixed, and shadows end before the border. */

typedef struct floor_tone {
    double fade, pool; /* [0, 1]: how much is floor and not background; how bright it is */
} floor_tone;

static double smooth_step(double t) {
    t = fmin(fmax(t, 0), 1);
    return t * t * (3 - 2 * t);
}

/* At a row of the picture; `aside`: how far from the middle of the panel, in its half widths. */
static floor_tone tone_at(const trace_floor *at, double aside, double y) {
    const vec3 d = view_ray(&at->v, 0.5 * at->v.width * (1 + aside), y);
    const double above = at->v.eye.y - at->height;
    if (!at->shown || above <= 0 || -d.y <= 1e-6) return (floor_tone){0, 0};
    const vec3 point = vec3_add_scaled(at->v.eye, d, above / -d.y);
    vec3 away = {-at->v.back.x, 0, -at->v.back.z};
    if (!(vec3_length2(away) > 1e-6)) away = (vec3){at->v.up.x, 0, at->v.up.z};
    away = vec3_normalise(away);
    const double eye = fmin(vec3_dot(at->v.eye, away), -LEAST_DISTANCE), behind = vec3_dot(point, away);
    if (!isfinite(behind)) return (floor_tone){0, 0};
    const double across2 = fmax(point.x * point.x + point.z * point.z - behind * behind, 0);
    const double fade = behind > eye ? smooth_step(HORIZON * -eye / (behind - eye)) : 1;
    return (floor_tone){fade, 1 / (1 + 0.35 * (behind * behind + across2) / (POOL_REACH * POOL_REACH))};
}

/* How much a place of a row has of its floor and of its darker top: less towards a row above or below, so that both
 * meet in the plain background. down: from the top of the row, in its heights. */
static double row_share(const trace_scene *scene, double down) {
    const double above = scene->has_row_above ? smooth_step(down / SEAM) : 1;
    return above * (scene->has_row_below ? smooth_step((1 - down) / SEAM) : 1);
}

/* How bright the background is at a sample, and the floor at its side of the picture. */
static double backdrop_at(const sample *at, double *side) {
    const trace_scene *scene = at->scene;
    const double down = (at->y + scene->area_top) / scene->area_height;
    const double aside = fabs(2 * (at->x + scene->left) / scene->picture_width - 1);
    *side = 1 - SIDE_SHADE * aside * aside;
    return *side * (1 - TOP_SHADE * row_share(scene, down) * (1 - smooth_step(down / 0.75)));
}

/* The tone of a sample, and how much of its shadows is left: [0, 1], 0 at a border with another panel. */
static floor_tone mixed_tone(const sample *at, double *shadows) {
    const trace_scene *scene = at->scene;
    const double half = 0.5 * scene->v.width, aside = at->x / half - 1;
    const int right = aside > 0, alone = !scene->beside[0].shown && !scene->beside[1].shown;
    const double seam = right ? scene->area_width - scene->area_left - half : half + scene->area_left;
    *shadows = 1;
    floor_tone tone = tone_at(&scene->floor, alone ? aside : 0, at->y);
    if (!scene->beside[right].shown) return tone;
    const double along = fabs(at->x - half) / seam;  // 0 in the middle, 1 where the areas meet
    const floor_tone other = tone_at(&scene->beside[right], 0, at->y);
    const double share = 0.5 * smooth_step(along);
    tone.fade += share * (other.fade - tone.fade);
    tone.pool += share * (other.pool - tone.pool);
    *shadows = smooth_step(3 * (1 - along));
    return tone;
}

/* Whether no ray of some length from a point can reach the box of what is drawn. */
static int is_far(const trace_scene *scene, vec3 p, double reach) {
    const vec3 nearest = vec3_max(scene->low, vec3_min(scene->high, p));
    return scene->low.x > scene->high.x || vec3_distance(p, nearest) > reach + BOX_MARGIN;
}

/* Whether no ray of the cone from a point towards a light can reach that box: its middle ray misses the box, made
 * larger by as much as the cone is wide at the box's far end. */
static int misses_box(const trace_scene *scene, vec3 p, vec3 to_light, double width) {
    const double from[3] = {p.x, p.y, p.z}, d[3] = {to_light.x, to_light.y, to_light.z};
    const double low[3] = {scene->low.x, scene->low.y, scene->low.z};
    const double high[3] = {scene->high.x, scene->high.y, scene->high.z};
    double far2 = 0, begin = 0, end = INFINITY;
    for (int k = 0; k < 3; k++) far2 += fmax(pow(from[k] - low[k], 2), pow(from[k] - high[k], 2));
    const double wide = width * sqrt(far2) + BOX_MARGIN;
    for (int k = 0; k < 3; k++) {
        const double a = (low[k] - wide - from[k]) / d[k], b = (high[k] + wide - from[k]) / d[k];
        if (d[k] == 0 && (from[k] < low[k] - wide || from[k] > high[k] + wide)) return 1;
        if (d[k] != 0) begin = fmax(begin, fmin(a, b)), end = fmin(end, fmax(a, b));
    }
    return scene->low.x > scene->high.x || begin > end;
}

static double soften(double seen, double shadows) { return 1 - shadows * (1 - seen); }

static void show_ground(const sample *at, vec3 direction, shown *out) {
    const trace_scene *scene = at->scene;
    *out = (shown){.surface = FILTER_NONE, .fixed = scene->background, .depth = INFINITY};
    if (!scene->floor.shown || scene->v.eye.y <= scene->floor.height) return;
    double shadows = 1, side;
    out->fixed = light_scale(scene->background, backdrop_at(at, &side));
    floor_tone tone = mixed_tone(at, &shadows);
    tone.fade *= row_share(scene, (at->y + scene->area_top) / scene->area_height);
    if (!(tone.fade > 0)) return;
    const light b = light_scale(scene->background, side),
                floor = {b.r * (float)(0.52 + 0.40 * tone.pool), b.g * (float)(0.50 + 0.395 * tone.pool),
                         b.b * (float)(0.47 + 0.385 * tone.pool)};
    out->fixed = light_scale(out->fixed, 1 - tone.fade);
    out->terms.mirror = light_times(light_scale(floor, 0.5 * tone.fade), finish_sky_colour());
    out->terms.key = light_times(light_scale(floor, 0.5 * tone.fade), finish_key_colour());
    out->seen[SEEN_SKY] = out->seen[SEEN_KEY] = 1;
    const double depth = (scene->v.eye.y - scene->floor.height) / -direction.y;
    const vec3 point = vec3_add_scaled(scene->v.eye, direction, depth);
    if (!(depth > 0 && vec3_length2(point) < FARTHEST_SHADOW * FARTHEST_SHADOW)) {
        const light lit = finish_light(&out->terms, out->seen);
        out->fixed = (light){out->fixed.r + lit.r, out->fixed.g + lit.g, out->fixed.b + lit.b};
        return;
    }
    const vec3 up = {0, 1, 0};
    out->surface = scene->surface_count;
    out->depth = depth;
    out->normal = up;
    out->point = point;
    if (!(shadows > 0)) return;
    vec3 from = point;
    from.y = scene->floor.height + RAY_OFFSET;
    if (!is_far(scene, from, OCCLUSION_REACH))
        out->seen[SEEN_SKY] = (float)soften(sky_visibility(at, from, up, up), shadows);
    if (misses_box(scene, from, scene->lights.key, LIGHT_KEY_WIDTH)) return;
    const double key = light_visibility(at, FLOOR_RAYS, from, scene->lights.key, LIGHT_KEY_WIDTH);
    out->seen[SEEN_KEY] = (float)soften(key, shadows);
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

/* Draws over what the sample shows: `over` and `cover` become those of all strokes and wires together. */
static void draw_strokes(const sample *at, size_t tile, shown *what) {
    const stroke_set *set = at->scene->strokes;
    size_t i = set->offsets[tile], end = set->offsets[tile + 1];
    while (i < end) {
        // The pieces of one curve are united: the one that covers most is drawn.
        const stroke *first = &set->strokes[set->members[i]];
        double best = 0, best_rim = 0;
        for (; i < end && set->strokes[set->members[i]].item == first->item; i++) {
            double rim = 0, cover = stroke_cover(at, &set->strokes[set->members[i]], what->depth, &rim);
            if (cover > best || (cover == best && rim < best_rim)) best = cover, best_rim = rim;
        }
        if (!(best > 0)) continue;
        const light colour = light_scale(first->colour, 1 - 0.35 * best_rim * best_rim);
        const double cover = best + what->cover * (1 - best);
        what->over = light_mix(what->over, colour, best / cover);
        what->cover = cover;
    }
}

/* ---- Pixels. */

static uint32_t hash_pixel(uint32_t x, uint32_t y, uint32_t number) {
    uint32_t h = x * 0x9e3779b1u ^ (y * 0x85ebca77u + 0x165667b1u) ^ number * 0xc2b2ae35u;
    h ^= h >> 15, h *= 0x2c1b3c6du;
    h ^= h >> 12, h *= 0x297a2d39u;
    return h ^ h >> 15;
}

static light toned(light l, tone_curve curve) {
    return curve == TONE_FILM ? finish_tone(l) : curve == TONE_FIELD ? finish_tone_field(l) : l;
}

static void light_add(light *to, light l, double s) {
    to->r += (float)(l.r * s), to->g += (float)(l.g * s), to->b += (float)(l.b * s);
}

static void add_terms(finish_terms *to, const finish_terms *t, double w) {
    light_add(&to->albedo, t->albedo, w);
    light_add(&to->mirror, t->mirror, w);
    light_add(&to->key, t->key, w);
    light_add(&to->rim, t->rim, w);
    light_add(&to->sky, t->sky, w);
}

/* `inside`: within the panel. Around it there is the floor alone. */
static void show_sample(const sample *at, int inside, size_t tile, shown *out) {
    vec3 direction = view_ray(&at->scene->v, at->x, at->y);
    hit h;
    if (inside && intersect(at, direction, &h))
        show_surface(at, &h, out);
    else
        show_ground(at, direction, out);
    if (inside) draw_strokes(at, tile, out);
}

/* The surface that most samples show. */
static uint32_t main_surface(const shown *samples, int count) {
    uint32_t best = FILTER_NONE;
    int most = 0;
    for (int i = 0; i < count; i++) {
        int same = 0;
        for (int k = 0; k < count; k++) same += samples[k].surface == samples[i].surface;
        if (samples[i].surface != FILTER_NONE && same > most) most = same, best = samples[i].surface;
    }
    return best;
}

/* Puts the samples of a pixel together: those of its main surface as terms, the others as light. */
static void gather(const shown *samples, int count, double pixel_angle, trace_pixel *out, filter_guide *guide,
                   float seen[SEEN_COUNT]) {
    const uint32_t main_one = main_surface(samples, count);
    double seen_sum[SEEN_COUNT] = {0}, depth = 0;
    int members = 0;
    vec3 point = {0, 0, 0}, normal = {0, 0, 0};
    *out = (trace_pixel){.curve = TONE_NONE};
    for (int i = 0; i < count; i++) {
        const shown *s = &samples[i];
        const double bare = (1 - s->cover) / count;
        light_add(&out->fixed, s->over, s->cover / count);
        light_add(&out->fixed, s->fixed, bare);
        if (s->surface == FILTER_NONE) continue;
        if (s->surface != main_one) {
            light_add(&out->fixed, toned(finish_light(&s->terms, s->seen), s->curve), bare);
            continue;
        }
        members++;
        out->curve = s->curve;
        out->share += (float)bare;
        add_terms(&out->terms, &s->terms, bare);
        point = vec3_add(point, s->point);
        normal = vec3_add(normal, s->normal);
        depth += s->depth;
        for (int k = 0; k < SEEN_COUNT; k++) seen_sum[k] += (double)s->seen[k];
    }
    *guide = (filter_guide){.surface = FILTER_NONE};
    for (int k = 0; k < SEEN_COUNT; k++) seen[k] = members ? (float)(seen_sum[k] / members) : 0;
    if (!members) return;
    if (out->share > 0) {
        const finish_terms sum = out->terms;
        out->terms = (finish_terms){.albedo = {0, 0, 0}};
        add_terms(&out->terms, &sum, 1 / (double)out->share);
    }
    point = vec3_scale(point, 1.0 / members), normal = vec3_normalise(normal);
    *guide = (filter_guide){.point = {(float)point.x, (float)point.y, (float)point.z},
                            .normal = {(float)normal.x, (float)normal.y, (float)normal.z},
                            .pixel = (float)(depth / members * pixel_angle),
                            .surface = main_one};
}

/* x, y: of the panel; negative or beyond it in the rest of its area. */
static void trace_one(const trace_scene *scene, int x, int y, const trace_band *band) {
    shown samples[TRACE_SAMPLES];
    const size_t at_pixel =
        (size_t)(y + scene->area_top - band->top) * (size_t)scene->area_width + (size_t)(x + scene->area_left);
    const int inside = x >= 0 && y >= 0 && x < scene->v.width && y < scene->v.height;
    const size_t tile = inside ? (size_t)(y / TILE_SIZE * scene->strokes->columns + x / TILE_SIZE) : 0;
    const double turn = 2 * PI * hash_pixel((uint32_t)x, (uint32_t)y, scene->number) * 0x1p-32;
    sample at = {.scene = scene, .turn_c = cos(turn), .turn_s = sin(turn)};
    for (at.index = 0; at.index < scene->samples; at.index++) {
        at.x = x + fraction(0.5 + at.index * R2_A);
        at.y = y + fraction(0.5 + at.index * R2_B);
        show_sample(&at, inside, tile, &samples[at.index]);
    }
    gather(samples, scene->samples, 1 / scene->v.focal, &band->pixels[at_pixel], &band->guides[at_pixel],
           band->seen + SEEN_COUNT * at_pixel);
}

int trace_tile_columns(const trace_scene *scene) { return (scene->area_width + TILE_SIZE - 1) / TILE_SIZE; }

void trace_tile(const trace_scene *scene, size_t tile, const trace_band *band) {
    const size_t columns = (size_t)trace_tile_columns(scene);
    int x0 = (int)(tile % columns) * TILE_SIZE, y0 = (int)(tile / columns) * TILE_SIZE;
    int x1 = x0 + TILE_SIZE < scene->area_width ? x0 + TILE_SIZE : scene->area_width;
    int y1 = y0 + TILE_SIZE < band->bottom ? y0 + TILE_SIZE : band->bottom;
    for (int y = y0 > band->top ? y0 : band->top; y < y1; y++)
        for (int x = x0; x < x1; x++) trace_one(scene, x - scene->area_left, y - scene->area_top, band);
}

void trace_finish_row(const trace_scene *scene, int y, const trace_band *band, uint8_t *row) {
    for (int x = 0; x < scene->area_width; x++) {
        const size_t i = (size_t)(y - band->top) * (size_t)scene->area_width + (size_t)x;
        const trace_pixel *p = &band->pixels[i];
        light l = p->fixed;
        if (p->share > 0) {
            const light lit = toned(finish_light(&p->terms, band->seen + SEEN_COUNT * i), p->curve);
            light_add(&l, lit, (double)p->share);
        }
        const ruga_colour colour = light_to_colour(l);
        row[3 * x] = colour_byte(colour.r), row[3 * x + 1] = colour_byte(colour.g);
        row[3 * x + 2] = colour_byte(colour.b);
    }
}
