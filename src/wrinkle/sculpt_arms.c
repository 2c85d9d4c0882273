/* Vertices near several parts of one stroke: between the arms of a hairpin, inside of bends tighter than the radius,
 * beside crossings with itself.
 *
 * The distance D from a curve is continuous, but the nearest place is not: it jumps along the cut locus, where two
 * places are equally near, and at the centre of a round bend the whole bend is. The deflection of the nearest place
 * alone would have a step there. So near the cut locus a vertex gets more and more, with the mix m, of a mean over the
 * whole curve that changes slowly:
 *
 *     (1 - m) F(p) + m Σ s_i F(p_i) / Σ s_i,   s_i = max(0, (D_least / D_i)⁴ - e),   e = max(0.05, (D_least / r)⁴)
 *
 * over short pieces of the curve, each with its own distance D_i and nearest place p_i. D_i is continuous, and p_i
 * jumps at most from one end of a piece to the other; a piece with a corner, where it would jump at any distance, is
 * cut in two. The mix is 1 on the cut locus and 0 farther from it than D. A curve without cut locus in its region has
 * no arms, and all this is skipped. */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

/* Neighbours whose places differ by more than this times their distance are on different sides of the cut locus; the
 * places must also differ by more than this times the edges around, since short edges, which curves cut beside vertices
 * leave, have inaccurate places. */
#define CUT_SPREAD 4.0
#define CUT_EDGES 2.0
/* 1, of D: distance from the cut locus within which arms count. */
#define MIX_WIDTH 1.0
/* Pieces whose distance is more than 1 / LEAST_RATIO times the least have no share; LEAST_RATIO⁴ = LEAST_SHARE. */
#define LEAST_SHARE 0.05
#define LEAST_RATIO 0.473
enum { MAX_PIECES = 128, PIECES_PER_RADIUS = 8 };

typedef struct arm_finder {
    const sculpt_arms_def *def;
    sculpt_arms *out;
    ARRAY(uint32_t) sources;                       /* of a march */
    ARRAY(double) source_distances, source_places; /* (sources.count) */
    double *distances, *places;                    /* (vertices) of a march */
    double *least;                                 /* (vertices) m, least distance from a piece */
    size_t piece_count;
    double piece_length;             /* m */
    double corners[MAX_PIECES];      /* (piece_count) m, where a piece is cut in two; INFINITY: nowhere */
    double corner_jumps[MAX_PIECES]; /* (piece_count) m, jump of places across the cut locus that begins there */
} arm_finder;

static ruga_status add_source(arm_finder *f, uint32_t v, double distance, double place) {
    ruga_context *context = f->out->context;
    TRY(ARRAY_RESERVE(context, &f->sources, 1));
    TRY(ARRAY_RESERVE(context, &f->source_distances, 1));
    TRY(ARRAY_RESERVE(context, &f->source_places, 1));
    f->sources.items[f->sources.count++] = v;
    f->source_distances.items[f->source_distances.count++] = distance;
    f->source_places.items[f->source_places.count++] = place;
    return RUGA_OK;
}

/* Distances and places from the sources, up to the limit (m). Returns how many vertices are reached, and which. */
static size_t march(arm_finder *f, double limit, const uint32_t **reached) {
    geodesic_sources sources = {.count = f->sources.count,
                                .vertices = f->sources.items,
                                .parameters = f->source_places.items,
                                .distances = f->source_distances.items};
    size_t count;
    geodesic_distances(f->def->geodesics, &sources, limit, f->distances, f->places, reached, &count);
    return count;
}

/* ---- The cut locus. */

/* From the place of one vertex to that of another, m; by the shorter side of a closed curve. */
static double jump_between(const sculpt_arms_def *d, uint32_t a, uint32_t b) {
    double jump = d->measures->places[b] - d->measures->places[a];
    return d->period > 0 ? jump - d->period * round(jump / d->period) : jump;
}

/* The cut locus of a corner begins on the curve, between places that are near each other. */
static void note_corner(arm_finder *f, double from, double jump) {
    double middle = from + 0.5 * jump;
    if (f->def->period > 0) middle -= f->def->period * floor(middle / f->def->period);
    size_t piece = (size_t)fmin(middle / f->piece_length, (double)(f->piece_count - 1));
    if (!(fabs(jump) < f->corner_jumps[piece])) return;
    f->corner_jumps[piece] = fabs(jump);
    f->corners[piece] = middle;
}

/* m, of the edges at a vertex. */
static double longest_edge(const sculpt_arms_def *d, uint32_t v) {
    double longest = 0;
    for (uint32_t e = d->topo->ring_offsets[v]; e < d->topo->ring_offsets[v + 1]; e++)
        longest = fmax(longest, vec3_distance(d->positions[v], d->positions[d->topo->ring_vertices[e]]));
    return longest;
}

/* Makes vertices with a neighbour on the other side of the cut locus sources. */
static ruga_status list_cut(arm_finder *f) {
    const sculpt_arms_def *d = f->def;
    for (uint32_t v = 0; v < d->topo->vertex_count; v++) {
        if (!(d->strength[v] > 0)) continue;
        int is_cut = 0;
        for (uint32_t e = d->topo->ring_offsets[v]; e < d->topo->ring_offsets[v + 1]; e++) {
            uint32_t other = d->topo->ring_vertices[e];
            if (!(d->strength[other] > 0)) continue;
            double jump = jump_between(d, v, other);
            if (!(fabs(jump) > CUT_SPREAD * vec3_distance(d->positions[v], d->positions[other]) &&
                  fabs(jump) > CUT_EDGES * fmax(longest_edge(d, v), longest_edge(d, other))))
                continue;
            note_corner(f, d->measures->places[v], jump);
            is_cut = 1;
        }
        if (is_cut) TRY(add_source(f, v, 0, 0));
    }
    return RUGA_OK;
}

/* m, distance from the cut locus within which a vertex at a distance from the curve uses arms. Never beyond the
 * region. */
static double mix_width(const sculpt_arms_def *d, double distance) {
    return fmin(MIX_WIDTH * distance, fmax(0, d->limit - distance));
}

/* Mixes around the cut locus. Returns the greatest distance (m) from the curve of vertices with a mix. */
static double find_mixes(arm_finder *f) {
    const sculpt_arms_def *d = f->def;
    const uint32_t *reached;
    double farthest = 0, widest = 0;
    for (uint32_t v = 0; v < d->topo->vertex_count; v++)
        if (d->strength[v] > 0) widest = fmax(widest, mix_width(d, d->measures->distances[v]));
    size_t count = march(f, widest, &reached);
    for (size_t i = 0; i < count; i++) {
        uint32_t v = reached[i];
        double distance = d->measures->distances[v], width = mix_width(d, distance);
        double x = f->distances[v] > 0 ? f->distances[v] / width : 0;
        if (!(d->strength[v] > 0 && distance > 0 && x < 1)) continue;
        f->out->mixes[v] = (1 - x * x) * (1 - x * x);
        f->least[v] = INFINITY;
        farthest = fmax(farthest, distance);
    }
    return farthest;
}

/* ---- Pieces. */

/* Adds arms with the distances of vertices with a mix from one piece of the curve. */
static ruga_status measure_piece(arm_finder *f, double from, double to, double limit) {
    const geodesic_sources *near = f->def->near;
    const uint32_t *reached;
    f->sources.count = f->source_distances.count = f->source_places.count = 0;
    for (size_t i = 0; i < near->count; i++)
        if (near->parameters[i] >= from && near->parameters[i] < to)
            TRY(add_source(f, near->vertices[i], near->distances[i], near->parameters[i]));
    size_t count = march(f, limit, &reached);
    for (size_t i = 0; i < count; i++) {
        uint32_t v = reached[i];
        if (!(f->out->mixes[v] > 0)) continue;
        f->least[v] = fmin(f->least[v], f->distances[v]);
        TRY(ARRAY_RESERVE(f->out->context, &f->out->items, 1));
        /* find_shares turns the distance into the share, when those of all pieces are known. */
        f->out->items.items[f->out->items.count++] = (sculpt_arm){v, f->places[v], f->distances[v]};
    }
    return RUGA_OK;
}

/* From distances to shares, which sum to the mix; pieces without a share are removed. */
static void find_shares(arm_finder *f) {
    sculpt_arms *out = f->out;
    double *sums = f->distances;
    size_t kept = 0;
    memset(sums, 0, out->vertex_count * sizeof *sums);
    for (size_t i = 0; i < out->items.count; i++) {
        sculpt_arm arm = out->items.items[i];
        double least = f->least[arm.vertex], near = least / arm.share, far = least / f->def->limit;
        arm.share = near * near * near * near - fmax(LEAST_SHARE, far * far * far * far);
        if (!(arm.share > 0)) continue;
        sums[arm.vertex] += arm.share;
        out->items.items[kept++] = arm;
    }
    out->items.count = kept;
    for (size_t v = 0; v < out->vertex_count; v++)
        if (sums[v] == 0) out->mixes[v] = 0;
    for (size_t i = 0; i < kept; i++) {
        sculpt_arm *arm = &out->items.items[i];
        arm->share *= out->mixes[arm->vertex] / sums[arm->vertex];
    }
}

/* ---- All. */

ruga_status sculpt_arms_make(ruga_context *context, size_t vertices, sculpt_arms *out) {
    *out = (sculpt_arms){.context = context, .vertex_count = vertices};
    return NEW_ZEROED(context, &out->mixes, vertices);
}

void sculpt_arms_release(sculpt_arms *arms) {
    RELEASE_ALL(arms->context, arms->mixes, arms->items.items);
    *arms = (sculpt_arms){.context = arms->context};
}

static ruga_status find(arm_finder *f) {
    size_t n = f->out->vertex_count;
    TRY(NEW_EACH(f->out->context, n, &f->distances, &f->places, &f->least));
    double limit = fmin(find_mixes(f) / LEAST_RATIO, f->def->limit);
    for (size_t i = 0; i < f->piece_count; i++) {
        double from = (double)i * f->piece_length;
        double to = i + 1 < f->piece_count ? (double)(i + 1) * f->piece_length : INFINITY;
        double corner = fmin(fmax(f->corners[i], from), to);
        TRY(measure_piece(f, from, corner, limit));
        if (corner < to) TRY(measure_piece(f, corner, to, limit));
    }
    find_shares(f);
    return RUGA_OK;
}

ruga_status sculpt_arms_find(const sculpt_arms_def *def, sculpt_arms *out) {
    arm_finder f = {.def = def, .out = out};
    memset(out->mixes, 0, out->vertex_count * sizeof *out->mixes);
    out->items.count = 0;
    double most = fmin(MAX_PIECES, fmin(PIECES_PER_RADIUS * def->length / def->radius, (double)def->steps));
    f.piece_count = most < 2 ? 2 : (size_t)most;
    f.piece_length = def->length / (double)f.piece_count;
    for (size_t i = 0; i < f.piece_count; i++) {
        f.corners[i] = INFINITY;
        f.corner_jumps[i] = 2 * f.piece_length;
    }
    ruga_status status = list_cut(&f);
    if (!RUGA_FAILED(status) && f.sources.count > 0) status = find(&f);
    RELEASE_ALL(out->context, f.distances, f.places, f.least, f.sources.items, f.source_distances.items,
                f.source_places.items);
    return status;
}
