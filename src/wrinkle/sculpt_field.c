/* Which stroke moves which vertex, and how much (Wang et al. 2006, sections 5.1, 5.2 and 5.4).
 *
 * A vertex within the radius of stroke i, at the distance D_i from its base curve, has the attenuation f_i = f(W_i /
 * r_i), with W_i the distance to the stroke's sources. Where several strokes reach it, their deflections F_i are
 * blended by
 *
 *     F = f Σ w_i F_i / Σ w_i,   w_i = (f_i / D_i)²,   f = min(1, Σ f_i), rounded
 *
 * so that neighbours whose regions overlap merge: midway between two curves as far apart as their radii, f is nearly 1.
 * The paper's blend has w_i = 1 / D_i without f_i. It jumps at the border of every region, and has a crease along every
 * base curve that another region reaches, since near one the others have a weight of order D_i; here of its square. On
 * a base curve D_i = 0, and its stroke alone counts; where two cross, both have the same deflection. A stroke that
 * comes near itself has arms (sculpt_arms.c): F_i is then a mean of deflections at several places.
 *
 * A furrow's deflection is a function of the signed distance from its curve (the place on its profile), times a factor
 * along the curve. It is added to the blend of the others. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "wrinkle/sculpt.h"

double sculpt_attenuate(ruga_attenuation attenuation, double x) {
    if (!(x < 1)) return 0;
    if (x <= 0) return 1;
    double x2 = x * x;
    if (attenuation == RUGA_ATTENUATION_IMPLICIT) return (x2 - 1) * (x2 - 1);
    return 1 + x2 * (-22 + x2 * (17 - 4 * x2)) / 9;
}

/* ---- Distances. */

static geodesic_sources sources_of(const sculpt_path *path) {
    return (geodesic_sources){.count = path->count,
                              .vertices = path->vertices,
                              .parameters = path->arcs,
                              .period = path->closed ? path->length : 0};
}

double sculpt_greatest_distance(geodesic *g, const sculpt_path *from, const sculpt_path *to, sculpt_measures *m) {
    geodesic_sources sources = sources_of(from);
    geodesic_distances(g, &sources, INFINITY, m->distances, NULL, NULL, NULL);
    double greatest = 0;
    for (size_t i = 0; i < to->count; i++) greatest = fmax(greatest, m->distances[to->vertices[i]]);
    return greatest;
}

/* Distances from the curves of a stroke. In mode II, a vertex near the region curve has a place along the base curve at
 * any distance. */
static void measure(geodesic *g, const geodesic_sources *base, const sculpt_reach *reach, sculpt_measures *m) {
    geodesic_distances(g, base, reach->region ? INFINITY : reach->radius, m->distances, m->places, NULL, NULL);
    if (!reach->region) return;
    geodesic_sources region = sources_of(reach->region);
    geodesic_distances(g, &region, reach->radius, m->region_distances, NULL, NULL, NULL);
}

/* The distance to the nearest curve of a stroke; INFINITY where there is no path to the base curve. */
static double reach_distance(const sculpt_reach *reach, const sculpt_measures *m, uint32_t v) {
    if (!reach->region || isinf(m->distances[v])) return m->distances[v];
    return fmin(m->distances[v], m->region_distances[v]);
}

/* Whether a place along the base curve can move: not near its ends, where the particles are fixed. Vertices beyond the
 * ends are nearest to these and do not move either. */
static int can_move(const sculpt_reach *reach, double place) {
    double part = place / reach->base->length;
    if (reach->base->closed) return 1;
    return part > reach->fixed_part && part < 1 - reach->fixed_part;
}

/* Lower levels suffice where less of the deflection is left: each level divides the error of straight edges by four.
 * But at least `least`. This depends on levels alone, so that other deflections do not need another mesh. */
static int level_at(const sculpt_reach *reach, double distance, int level, int least) {
    double left = sculpt_attenuate(reach->attenuation, distance / reach->radius);
    for (; level > least && left <= 0.25; level--) left *= 4;
    return level;
}

void sculpt_mark_levels(geodesic *g, const ruga_mesh *mesh, const sculpt_reach *reach, int level, sculpt_measures *m,
                        uint8_t *levels) {
    geodesic_sources base = sources_of(reach->base);
    measure(g, &base, reach, m);
    /* The attenuation needs edges of at most an eighth of the radius. */
    int least = 0;
    while (least < level && reach->stride > reach->radius / 8 * (double)(1 << least)) least++;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t v = mesh->triangles[i];
        double distance = reach_distance(reach, m, v);
        if (levels[i / 3] >= level || !(distance <= reach->radius) || !can_move(reach, m->places[v])) continue;
        int needed = level_at(reach, distance, level, least);
        if (levels[i / 3] < needed) levels[i / 3] = (uint8_t)needed;
    }
}

ruga_status sculpt_measures_make(ruga_context *context, size_t vertices, sculpt_measures *out) {
    *out = (sculpt_measures){0};
    ruga_status status = NEW(context, &out->distances, vertices);
    if (!RUGA_FAILED(status)) status = NEW(context, &out->places, vertices);
    if (!RUGA_FAILED(status)) status = NEW(context, &out->region_distances, vertices);
    if (RUGA_FAILED(status)) sculpt_measures_release(context, out);
    return status;
}

void sculpt_measures_release(ruga_context *context, sculpt_measures *m) {
    RELEASE_ALL(context, m->distances, m->places, m->region_distances);
    *m = (sculpt_measures){0};
}

/* ---- Making. */

/* The influence of a stroke on a vertex before blending. */
typedef struct raw_influence {
    uint32_t vertex, stroke;
    double distance, attenuation, part;
    double share; /* of the stroke's influence on this vertex */
} raw_influence;

typedef struct field_maker {
    ruga_context *context;
    const sculpt_surface *surface;
    const sculpt_reach *reaches;
    geodesic *geodesics;
    sculpt_measures measures;
    uint8_t *moves;                            /* (vertices) 1: a stroke moves it */
    ARRAY(uint32_t) near;                      /* vertices next to a curve */
    ARRAY(double) near_distances, near_places; /* (near.count) */
    ARRAY(raw_influence) raw;
    double *strength; /* (vertices) 1, attenuation of the current stroke */
    sculpt_arms arms;
} field_maker;

/* Adds a vertex next to the path, or updates it if the drawn curve is nearer to it at this place of the path. */
static ruga_status note_near(field_maker *m, const sculpt_reach *reach, uint32_t v, vec3 from, double arc) {
    vec3 at = m->surface->flat[v];
    double width = 3 * vec3_distance(at, from), place = arc;
    double distance = sculpt_drawn_nearest(reach->drawn, at, arc - width, arc + width, &place);
    if (isinf(m->measures.distances[v])) {
        TRY(ARRAY_ADD(m->context, &m->near, v));
    }
    if (!(distance < m->measures.distances[v])) return RUGA_OK;
    m->measures.distances[v] = distance;
    m->measures.places[v] = place;
    return RUGA_OK;
}

/* Lists the vertices of a path and their neighbours with exact distances from the drawn curve; these are the sources of
 * all other distances. */
static ruga_status list_near(field_maker *m, const sculpt_reach *reach) {
    const topology *topo = m->surface->topo;
    const sculpt_path *path = reach->base;
    m->near.count = 0;
    for (size_t v = 0; v < topo->vertex_count; v++) m->measures.distances[v] = INFINITY;
    for (size_t i = 0; i < path->count; i++) {
        uint32_t v = path->vertices[i];
        vec3 at = m->surface->flat[v];
        for (uint32_t e = topo->ring_offsets[v]; e < topo->ring_offsets[v + 1]; e++)
            TRY(note_near(m, reach, topo->ring_vertices[e], at, path->arcs[i]));
        TRY(note_near(m, reach, v, at, path->arcs[i]));
    }
    TRY(ARRAY_RESERVE(m->context, &m->near_distances, m->near.count));
    TRY(ARRAY_RESERVE(m->context, &m->near_places, m->near.count));
    for (size_t i = 0; i < m->near.count; i++) {
        m->near_distances.items[i] = m->measures.distances[m->near.items[i]];
        m->near_places.items[i] = m->measures.places[m->near.items[i]];
    }
    return RUGA_OK;
}

/* Distances from the drawn curve, and the arms of a stroke that comes near itself. */
static ruga_status measure_drawn(field_maker *m, const sculpt_reach *reach) {
    const sculpt_path *path = reach->base;
    TRY(list_near(m, reach));
    geodesic_sources near = {.count = m->near.count,
                             .vertices = m->near.items,
                             .parameters = m->near_places.items,
                             .distances = m->near_distances.items,
                             .period = path->closed ? path->length : 0};
    measure(m->geodesics, &near, reach, &m->measures);
    for (size_t i = 0; i < path->count; i++) {
        m->measures.distances[path->vertices[i]] = 0;
        m->measures.places[path->vertices[i]] = path->arcs[i];
    }
    for (uint32_t v = 0; v < m->surface->fine->vertex_count; v++)
        m->strength[v] = sculpt_attenuate(reach->attenuation, reach_distance(reach, &m->measures, v) / reach->radius);
    if (reach->furrow) return RUGA_OK;
    sculpt_arms_def def = {.geodesics = m->geodesics,
                           .topo = m->surface->topo,
                           .positions = m->surface->flat,
                           .strength = m->strength,
                           .measures = &m->measures,
                           .near = &near,
                           .length = path->length,
                           .period = near.period,
                           .radius = reach->radius,
                           .limit = reach->region ? INFINITY : reach->radius,
                           .steps = (size_t)round(1 / reach->fixed_part)};
    return sculpt_arms_find(&def, &m->arms);
}

/* ---- Furrows. */

/* Ridges are this much lower than the profile has them, from the groove's inside to their crests. */
#define RIDGE 0.45
#define RIDGE_BEGIN 0.1
#define RIDGE_END 0.45
#define KNOTS 5 /* of the variation along a furrow */

static double ease(double x) {
    x = fmin(fmax(x, 0), 1);
    return x * x * (3 - 2 * x);
}

/* Within [0, 1], smooth along the furrow, with period 1. */
static double vary_along(int seed, double part) {
    double at = part * KNOTS, values[2];
    int knot = (int)floor(at);
    for (int k = 0; k < 2; k++) {
        uint64_t number = (uint64_t)((knot + k) % KNOTS);
        values[k] = (double)(mix_bits(((uint64_t)(uint32_t)seed << 8) + number) >> 11) * 0x1p-53;
    }
    return values[0] + ease(at - knot) * (values[1] - values[0]);
}

double sculpt_furrow_weight(const sculpt_furrow *f, int is_closed, double part, double across) {
    double along = 1 - f->vary * vary_along(f->seed, fmin(fmax(part, 0), 1));
    if (!is_closed && f->taper > 0) along *= ease(part / f->taper) * ease((1 - part) / f->taper);
    if (!is_closed && !(part > 0 && part < 1)) along = 0;
    double ridge = RIDGE * (1 + (across > 0 ? f->asymmetry : -f->asymmetry));
    return along * (1 + (ridge - 1) * ease((fabs(across) - RIDGE_BEGIN) / (RIDGE_END - RIDGE_BEGIN)));
}

/* 1 to the left of a curve at an arc, seen from outside, else -1. */
static double side_of(const sculpt_drawn *drawn, double arc, vec3 at, vec3 normal) {
    size_t low = 0, high = drawn->closed ? drawn->count : drawn->count - 1;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        *(drawn->arcs[middle] <= arc ? &low : &high) = middle;
    }
    vec3 a = drawn->points[low], b = drawn->points[(low + 1) % drawn->count];
    double width = drawn->arcs[low + 1] - drawn->arcs[low], part = width > 0 ? (arc - drawn->arcs[low]) / width : 0;
    vec3 left = vec3_cross(normal, vec3_sub(b, a));
    return vec3_dot(left, vec3_sub(at, vec3_mix(a, b, fmin(fmax(part, 0), 1)))) < 0 ? -1 : 1;
}

static ruga_status add_furrow(field_maker *m, uint32_t stroke) {
    const sculpt_reach *reach = &m->reaches[stroke];
    const sculpt_surface *s = m->surface;
    for (uint32_t v = 0; v < s->fine->vertex_count; v++) {
        double distance = m->measures.distances[v], place = m->measures.places[v];
        if (!(distance < reach->radius)) continue;
        double across = distance / reach->radius * side_of(reach->drawn, place, s->flat[v], s->directions[v]);
        double weight = sculpt_furrow_weight(reach->furrow, reach->base->closed, place / reach->base->length, across);
        if (!(weight > 0)) continue;
        TRY(ARRAY_RESERVE(m->context, &m->raw, 1));
        m->raw.items[m->raw.count++] = (raw_influence){v, stroke, distance, weight, 0.5 + 0.5 * across, 1};
        m->moves[v] = 1;
    }
    return RUGA_OK;
}

/* ---- Wrinkles. */

static ruga_status add_influence(field_maker *m, uint32_t stroke, uint32_t v, double place, double share) {
    const sculpt_reach *reach = &m->reaches[stroke];
    TRY(ARRAY_RESERVE(m->context, &m->raw, 1));
    m->raw.items[m->raw.count++] =
        (raw_influence){v, stroke, m->measures.distances[v], m->strength[v], place / reach->base->length, share};
    if (can_move(reach, place)) m->moves[v] = 1;
    return RUGA_OK;
}

/* The influences of a stroke. */
static ruga_status add_stroke(field_maker *m, uint32_t stroke) {
    TRY(measure_drawn(m, &m->reaches[stroke]));
    if (m->reaches[stroke].furrow) return add_furrow(m, stroke);
    for (uint32_t v = 0; v < m->surface->fine->vertex_count; v++)
        if (m->strength[v] > 0 && m->arms.mixes[v] < 1)
            TRY(add_influence(m, stroke, v, m->measures.places[v], 1 - m->arms.mixes[v]));
    for (size_t i = 0; i < m->arms.items.count; i++) {
        const sculpt_arm *arm = &m->arms.items.items[i];
        TRY(add_influence(m, stroke, arm->vertex, arm->place, arm->share));
    }
    return RUGA_OK;
}

/* Groups the influences on moving vertices by vertex: counting sort, which keeps the order of strokes. */
static ruga_status group(const field_maker *m, raw_influence *sorted, sculpt_field *out) {
    size_t vertices = m->surface->fine->vertex_count;
    uint32_t *starts;
    TRY(NEW_ZEROED(m->context, &starts, vertices + 1));
    for (size_t i = 0; i < m->raw.count; i++) starts[m->raw.items[i].vertex + 1] += m->moves[m->raw.items[i].vertex];
    for (uint32_t v = 0; v < vertices; v++) {
        if (starts[v + 1] > 0) {
            out->vertices[out->vertex_count] = v;
            out->offsets[out->vertex_count + 1] = out->offsets[out->vertex_count] + starts[v + 1];
            out->vertex_count++;
        }
        starts[v + 1] += starts[v];
    }
    for (size_t i = 0; i < m->raw.count; i++)
        if (m->moves[m->raw.items[i].vertex]) sorted[starts[m->raw.items[i].vertex]++] = m->raw.items[i];
    memory_release(m->context, starts);
    return RUGA_OK;
}

static double blend_weight(const raw_influence *raw) {
    double w = raw->attenuation / raw->distance;
    return w * w * raw->share;
}

/* min(1, Σ f): of a single stroke its attenuation itself, of several rounded where the sum reaches 1. 1 on a curve,
 * with no slope. */
static double merge_attenuations(double sum, double squares) {
    double missing = 1 - sum, width = 0.5 * (sum - squares / sum);
    if (missing >= width) return sum;
    if (missing <= -width) return 1;
    return 1 - (missing + width) * (missing + width) / (4 * width);
}

/* The weights of the strokes at one vertex; arms of one stroke share its attenuation. */
static void blend(const field_maker *m, const raw_influence *raw, size_t count, sculpt_influence *out) {
    const raw_influence *nearest = NULL;
    double sum = 0, attenuations = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        if (m->reaches[raw[i].stroke].furrow) continue;
        if (!nearest || fabs(raw[i].distance) < fabs(nearest->distance)) nearest = &raw[i];
        if (raw[i].distance != 0) sum += blend_weight(&raw[i]);
        if (i > 0 && raw[i].stroke == raw[i - 1].stroke) continue;
        attenuations += raw[i].attenuation;
        squares += raw[i].attenuation * raw[i].attenuation;
    }
    /* Or so near to it, or to the border of all regions, that weights leave the range of numbers. */
    int on_curve = nearest && (nearest->distance == 0 || !(sum > 0 && isfinite(sum)));
    double strength = nearest && !on_curve ? merge_attenuations(attenuations, squares) : 0;
    for (size_t i = 0; i < count; i++) {
        double w = on_curve ? (&raw[i] == nearest) * raw[i].attenuation : blend_weight(&raw[i]) / sum * strength;
        if (m->reaches[raw[i].stroke].furrow) w = raw[i].attenuation;
        out[i] = (sculpt_influence){raw[i].stroke, w, raw[i].part};
    }
}

/* The vertices whose normals change, and the triangles that meet there. */
static ruga_status list_around(const sculpt_surface *s, uint8_t *vertices, uint8_t *triangles, sculpt_field *out) {
    const topology *topo = s->topo;
    for (size_t i = 0; i < out->vertex_count; i++)
        for (uint32_t k = topo->fan_offsets[out->vertices[i]]; k < topo->fan_offsets[out->vertices[i] + 1]; k++) {
            const uint32_t *t = s->fine->triangles + 3 * (size_t)topo->fan_triangles[k];
            vertices[t[0]] = vertices[t[1]] = vertices[t[2]] = 1;
        }
    TRY(sculpt_list_marked(s->context, vertices, s->fine->vertex_count, &out->around, &out->around_count));
    for (size_t i = 0; i < out->around_count; i++)
        for (uint32_t k = topo->fan_offsets[out->around[i]]; k < topo->fan_offsets[out->around[i] + 1]; k++)
            triangles[topo->fan_triangles[k]] = 1;
    return sculpt_list_marked(s->context, triangles, s->fine->triangle_count, &out->triangles, &out->triangle_count);
}

static ruga_status collect(field_maker *m, sculpt_field *out) {
    raw_influence *sorted;
    TRY(NEW(m->context, &out->vertices, m->raw.count));
    TRY(NEW_ZEROED(m->context, &out->offsets, m->raw.count + 1));
    TRY(NEW_EACH(m->context, m->raw.count, &out->influences, &sorted));
    ruga_status status = group(m, sorted, out);
    for (size_t i = 0; i < out->vertex_count && !RUGA_FAILED(status); i++) {
        const raw_influence *raw = sorted + out->offsets[i];
        size_t count = out->offsets[i + 1] - out->offsets[i];
        blend(m, raw, count, out->influences + out->offsets[i]);
    }
    memory_release(m->context, sorted);
    TRY(status);
    const ruga_mesh *fine = m->surface->fine;
    uint8_t *marks;
    TRY(NEW_ZEROED(m->context, &marks, fine->vertex_count + fine->triangle_count));
    status = list_around(m->surface, marks, marks + fine->vertex_count, out);
    memory_release(m->context, marks);
    return status;
}

static ruga_status make_field(field_maker *m, size_t count, sculpt_field *out) {
    const sculpt_surface *s = m->surface;
    size_t n = s->fine->vertex_count;
    TRY(NEW_ZEROED(m->context, &m->moves, n));
    TRY(NEW(m->context, &m->strength, n));
    TRY(sculpt_measures_make(m->context, n, &m->measures));
    TRY(sculpt_arms_make(m->context, n, &m->arms));
    TRY(geodesic_create(m->context, s->topo, s->fine->triangles, s->flat, &m->geodesics));
    for (size_t i = 0; i < count; i++) {
        TRY(report_progress(m->context, "measuring regions", (double)i / (double)count));
        TRY(add_stroke(m, (uint32_t)i));
    }
    return collect(m, out);
}

ruga_status sculpt_field_make(const sculpt_surface *s, const sculpt_reach *reaches, size_t count, sculpt_field *out) {
    field_maker m = {.context = s->context, .surface = s, .reaches = reaches, .arms.context = s->context};
    *out = (sculpt_field){.context = s->context};
    ruga_status status = make_field(&m, count, out);
    geodesic_destroy(m.geodesics);
    sculpt_measures_release(s->context, &m.measures);
    sculpt_arms_release(&m.arms);
    RELEASE_ALL(s->context, m.moves, m.strength, m.raw.items, m.near.items, m.near_distances.items,
                m.near_places.items);
    if (RUGA_FAILED(status)) sculpt_field_release(out);
    return status;
}

void sculpt_field_release(sculpt_field *field) {
    RELEASE_ALL(field->context, field->vertices, field->offsets, field->influences, field->around, field->triangles);
    *field = (sculpt_field){.context = field->context};
}

void sculpt_field_apply(const sculpt_field *field, const sculpt_line *const *lines, const vec3 *rest,
                        const vec3 *directions, vec3 *positions) {
    for (size_t i = 0; i < field->vertex_count; i++) {
        uint32_t v = field->vertices[i];
        double deflection = 0;
        for (uint32_t k = field->offsets[i]; k < field->offsets[i + 1]; k++) {
            const sculpt_influence *influence = &field->influences[k];
            if (influence->weight > 0)
                deflection += influence->weight * sculpt_line_deflection(lines[influence->stroke], influence->part);
        }
        positions[v] = deflection == 0 ? rest[v] : vec3_add_scaled(rest[v], directions[v], deflection);
    }
}
